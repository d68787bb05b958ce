//! Additive outputs from a one-hot vector: the sign of the sums, and its removal.
//!
//! # Functionality
//! In: public tables of `n = 2^d` entries of `l` bits, shares of `x`. Out: additive shares of `T[x]`.
//!
//! # Protocol
//! With `OneHot` material `(s, B)`, `w_p` the number of ones in `B_p`:
//! 1. *Offline.* With `E_p` as in [`super`], the sums of `T[j]` over `E_p[j] = 1`, negated at P1,
//!    are `z_0 + z_1 = tau * T[x]` with `tau = w_0 - w_1 = +-1`. With `b_p = bit 1 of (w_0, -w_1)`,
//!    `tau = tau_0 tau_1` for `tau_p = 1 - 2 b_p`: known before the index. The choices of a
//!    correlated OT each way are fixed to `b_p`.
//! 2. *Online.* Open the index, compute `z_p`.
//! 3. From `u_p = tau_p z_p` and products `b_1 u_0`, `b_0 u_1` shared as `(g, h)` mod `2^(l-1)`,
//!    one correlated OT each way, `y_p = u_p - 2 g_p - 2 h_p` mod `2^l`.
//!
//! # Cost, a lookup
//! Offline 2 bits and a correlated OT each way, 1 round. Online `2d + 2 (l - 1)` bits a table, 2
//! rounds. Outputs of one bit cost what XOR outputs do: there `-1 = 1`.
//!
//! # Source
//! Hou et al., "ROTL" (PoPETs 2026), section 5.2. Deviation: the sign is removed by the tight
//! multiplexer of lut-spec 5, because the printed `MUX(2z, b) - z` gives `-T[x]`.

use prim::ring::Ring;
use zeroize::Zeroizing;

use crate::{
    bill::{Bill, Phase},
    codec::{Reader, Writer},
    error::{Error, Result, same},
    lut::Table,
    net::Role,
    onehot::{Group, OneHot},
    ot::{
        CotReceiver, CotSender,
        strings::{PayloadReceiver, PayloadSender},
    },
    session::Session,
    share::{AShare, Additive, Share},
};

/// One-hot material that can also give additive outputs, of the widths it was made for.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Signed<G: Group> {
    pub(super) onehot: OneHot<G>,
    pub(super) sign: Sign,
}

/// What additive outputs need.
pub(super) struct Sign {
    widths: Vec<u32>,
    /// Not needed if all outputs have one bit: then the sign makes no difference.
    removal: Option<Removal>,
}

/// The shared sign of a batch and the correlations that remove it.
struct Removal {
    /// `b_p` as a mask: all ones or zero.
    mine: Zeroizing<Vec<u64>>,
    out: PayloadSender,
    inc: PayloadReceiver,
}

impl<G: Group> Signed<G> {
    /// What a lookup costs in tables of `2^d` entries with columns of these widths, beside its one-hot vector.
    ///
    /// # Errors
    /// [`Error::Param`] for a width outside 1 to 64.
    pub fn bill(d: u32, widths: &[u32]) -> Result<Bill> {
        check_widths(widths)?;
        let products: u64 = widths.iter().map(|&w| u64::from(w) - 1).sum();
        let opening = Bill::opening(d.into());
        if products == 0 {
            return Ok(opening);
        }
        let columns = widths.len() as u64;
        let sign =
            Bill { cots: [1; 2], offline: Phase { bits: [1; 2], rounds: 1 }, ..Bill::opening(products) };
        Ok((opening + sign).keeping(192 * columns + 128))
    }

    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.onehot.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.onehot.is_empty()
    }

    /// Cuts off the material for `m` lookups, to be spent separately.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        let onehot = self.onehot.take(m)?;
        let removal = self.sign.removal.as_mut().map(|removal| removal.take(m));
        Ok(Self { onehot, sign: Sign { widths: self.sign.widths.clone(), removal } })
    }

    /// Bytes in memory besides those of the one-hot vectors.
    #[cfg(test)]
    pub(crate) fn removal_held(&self) -> usize {
        let held = |r: &Removal| 8 * r.mine.capacity() + r.out.held() + r.inc.held();
        self.sign.removal.as_ref().map_or(0, held)
    }

    /// Bits that one lookup takes on disk, for one column of `l` bits.
    pub(crate) fn stored_bits(d: u32, l: u32) -> usize {
        OneHot::<G>::stored_bits(d) + if l > 1 { 3 * (l as usize - 1) + 1 } else { 0 }
    }

    pub(crate) fn encode(&self, to: &mut Writer) {
        self.onehot.encode(to);
        if let Some(removal) = &self.sign.removal {
            removal.out.encode(to);
            removal.inc.encode(to);
        }
    }

    /// For `count` lookups in tables with columns of these widths.
    pub(crate) fn decode(from: &mut Reader<'_>, d: u32, widths: &[u32], count: usize) -> Result<Self> {
        let onehot = OneHot::decode(from, d, count)?;
        let signed = Choosing::cots(widths, count)? > 0;
        let removal = if signed { Some(Removal::decode(from, widths, count)?) } else { None };
        Ok(Self { onehot, sign: Sign { widths: widths.to_vec(), removal } })
    }

    /// `Ok(())` if this was prepared for these tables.
    pub(super) fn check<R: Ring>(&self, tables: &[&Table<R>]) -> Result<()> {
        tables.iter().try_for_each(|t| t.check_index(self.onehot.index_bits()))?;
        let columns = || tables.iter().flat_map(|t| t.columns().iter().map(|_| t.bits()));
        same("columns prepared for additive output", self.sign.widths.len(), columns().count())?;
        for (&width, bits) in self.sign.widths.iter().zip(columns()) {
            same("width prepared for additive output", width as usize, bits as usize)?;
        }
        Ok(())
    }
}

impl Removal {
    fn take(&mut self, m: usize) -> Self {
        let left = self.mine.len() - m;
        let mine = Zeroizing::new(self.mine.split_off(left));
        Self { mine, out: self.out.take(m), inc: self.inc.take(m) }
    }

    fn decode(from: &mut Reader<'_>, widths: &[u32], count: usize) -> Result<Self> {
        let out = PayloadSender::decode(from, &payloads(widths), count)?;
        let inc = PayloadReceiver::decode(from, &payloads(widths), count)?;
        // The sign bits are what this party chose by.
        Ok(Self { mine: Zeroizing::new(inc.choices().to_vec()), out, inc })
    }
}

/// Step 1 under way: this party's choices are given away, the peer's are not yet here.
pub(super) struct Choosing {
    widths: Vec<u32>,
    half: Option<(Zeroizing<Vec<u64>>, PayloadReceiver)>,
}

impl Choosing {
    /// Correlated OTs each way that the sign of outputs of these widths takes.
    ///
    /// # Errors
    /// [`Error::Param`] for a width outside 1 to 64.
    pub(super) fn cots(widths: &[u32], batch: usize) -> Result<usize> {
        check_widths(widths)?;
        Ok(if widths.iter().all(|&l| l == 1) { 0 } else { batch })
    }

    /// Sends this party's choices, of which there are none for no correlated OTs.
    pub(super) fn start<G: Group>(
        s: &mut Session,
        onehot: &OneHot<G>,
        widths: &[u32],
        cots: CotReceiver,
    ) -> Result<Self> {
        let widths = widths.to_vec();
        if cots.is_empty() {
            return Ok(Self { widths, half: None });
        }
        let bits = sign_bits(s.role(), onehot);
        // Public: each sign bit goes out under the random choice bit of an OT that serves only here.
        let inc = PayloadReceiver::new(s, cots, &bits, &payloads(&widths))?;
        let mine = Zeroizing::new(bits.iter().map(|&b| u64::from(b).wrapping_neg()).collect());
        Ok(Self { widths, half: Some((mine, inc)) })
    }

    /// Receives the peer's choices.
    pub(super) fn finish(self, s: &mut Session, cots: CotSender) -> Result<Sign> {
        let removal = match self.half {
            Some((mine, inc)) => {
                let out = PayloadSender::new(s, cots, &payloads(&self.widths))?;
                Some(Removal { mine, out, inc })
            }
            None => None,
        };
        Ok(Sign { widths: self.widths, removal })
    }
}

/// Step 3 under way: multiplications of shared values by the shared sign.
pub(super) struct Multiplying<R: Ring> {
    widths: Vec<u32>,
    state: State<R>,
}

enum State<R: Ring> {
    /// Of one bit each: nothing to do.
    Done(Vec<Zeroizing<Vec<R>>>),
    Open {
        inc: PayloadReceiver,
        u: Zeroizing<Vec<Vec<u64>>>,
        g: Zeroizing<Vec<Vec<u64>>>,
    },
}

impl Sign {
    /// Step 3 for one batch of words for each width, this party's shares of what is multiplied,
    /// or, where `negated`, their negations: the message, and what remains to do.
    pub(super) fn multiply<R: Ring>(
        self,
        negated: bool,
        words: Vec<Zeroizing<Vec<R>>>,
    ) -> (Vec<u8>, Multiplying<R>) {
        let Self { widths, removal } = self;
        let Some(Removal { mine, mut out, inc }) = removal else {
            return (Vec::new(), Multiplying { widths, state: State::Done(words) });
        };
        let flip = u64::from(negated).wrapping_neg();
        let signed = |words: &Zeroizing<Vec<R>>| -> Vec<u64> {
            let sign = mine.iter().map(|b| b ^ flip);
            words.iter().zip(sign).map(|(z, b)| (z.to_u64() ^ b).wrapping_sub(b)).collect()
        };
        let u: Zeroizing<Vec<Vec<u64>>> = Zeroizing::new(words.iter().map(signed).collect());
        let (message, g) = out.send::<Additive>(&u);
        let state = State::Open { inc, u, g: Zeroizing::new(g) };
        (message, Multiplying { widths, state })
    }
}

impl<R: Ring> Multiplying<R> {
    /// Bytes of the peer's message.
    pub(super) fn message_len(&self) -> usize {
        match &self.state {
            State::Done(_) => 0,
            State::Open { inc, u, .. } => inc.message_len(u.len()),
        }
    }

    /// The products, from the peer's message.
    pub(super) fn finish(self, message: &[u8]) -> Vec<AShare<R>> {
        let (mut inc, u, g) = match self.state {
            State::Done(words) => {
                return words.into_iter().map(|mut w| Share::new(1, std::mem::take(&mut *w))).collect();
            }
            State::Open { inc, u, g } => (inc, u, g),
        };
        let h = Zeroizing::new(inc.receive::<Additive>(u.len(), message));
        let mut out = Vec::with_capacity(u.len());
        for ((&l, u), (g, h)) in self.widths.iter().zip(u.iter()).zip(g.iter().zip(h.iter())) {
            let products = g.iter().zip(h).map(|(g, h)| g.wrapping_add(*h) << 1);
            let words = u.iter().zip(products).map(|(u, gh)| R::from_u64(u.wrapping_sub(gh)));
            out.push(Share::new(l, words.collect()));
        }
        out
    }
}

/// `b_p` of each lookup.
pub(super) fn sign_bits<G: Group>(role: Role, onehot: &OneHot<G>) -> Zeroizing<Vec<u8>> {
    Zeroizing::new(onehot.weights().iter().map(|&ones| sign_bit(role, ones)).collect())
}

/// `b_p`: bit 1 of the number of ones at P0, of its negation at P1.
pub fn sign_bit(role: Role, ones: u8) -> u8 {
    let share = match role {
        Role::P0 => ones,
        Role::P1 => ones.wrapping_neg(),
    };
    share >> 1 & 1
}

fn check_widths(widths: &[u32]) -> Result<()> {
    match widths.iter().find(|l| !(1..=64).contains(*l)) {
        None => Ok(()),
        Some(l) => {
            let accepted = "1 to 64".into();
            Err(Error::Param { what: "width of an additive output", got: l.to_string(), accepted })
        }
    }
}

/// Bits of the products that step 3 needs.
fn payloads(widths: &[u32]) -> Vec<u32> {
    widths.iter().map(|&l| l - 1).collect()
}
