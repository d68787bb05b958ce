//! SP-LUT: lookup by 1-of-n OT of all masked entries.
//!
//! # Functionality
//! In: a public table of n entries of `l` bits, shares of `x`. Out: shares of `T[x]`, additive or
//! XOR alike. A table of vectors is looked up as a whole.
//!
//! # Protocol
//! One party sends (S), the other receives (R); `x_S`, `x_R` are their shares of the index.
//! 1. Offline: 1-of-n random OT: S gets pads `m_0, ..., m_{n-1}`, R a uniform `s < n` and `m_s`.
//! 2. R sends `u = s - x_R`, uniform.
//! 3. S sends `V_i = T[i + x_S] + m_{i+u} - z` for all i, with its output `z` chosen so that
//!    `V_0 = 0` need not be sent. R outputs `V_{x_R} - m_s`.
//!
//! In the xor group all sums of indices are XORs. The first half of a batch is sent by P0, the
//! second by P1, so that both directions of the link are used. Pads are expanded online, from what
//! [`one_of_n`] keeps. Where one party must not show the table, it is the sender of all lookups:
//! [`confidential::splut`](crate::confidential::splut).
//!
//! # Cost, a lookup
//! Offline `d = ceil(log2 n)` correlated OTs, or from a code `rho - d` bits (n = 256: 247) and 1
//! round; and `d` bits and a round if n is no power of two. Online `d + (n - 1) l` bits, 2 rounds; l sums
//! up the columns.
//!
//! # Source
//! Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017), section IV-D. Deviations: pads
//! from silent OTs as well as from KK13; `V_0` is not sent.

mod kk13;
mod private;
mod run;
mod spec;
mod stored;

use std::marker::PhantomData;

use prim::{
    pack::{pack, packed_len, unpack},
    ring::Ring,
    rows::Shift,
};

pub(crate) use self::private::{MAX_INDEX_BITS, MAX_ROW_BITS, MAX_TABLE_BITS};
use self::run::{Form, Run};
pub(super) use self::{kk13::Codes, spec::Products};
use super::Table;
use crate::{
    error::{Error, Result, same},
    net::Role,
    onehot::{Cyclic, Group},
    ot::one_of_n,
    party::Party,
    session::{Session, by_role, halves, pieces},
    share::{AShare, BShare, Kind, Share},
};

/// Largest table: one lookup is one message, which both parties may have in flight.
const MAX_ENTRIES: usize = 1 << 20;
/// Bits of a pad: what the columns of a table may have in all.
const PAD_BITS: usize = 128;

/// One-time material for a batch of lookups in tables of n entries, `2 <= n <= 2^20`.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, lut::{Table, splut::SpLut}, onehot::Cyclic};
/// fn twice(p: &mut Party, m: SpLut<Cyclic>, t: &Table<u8>, x: &AShare<u32>) -> Result<()> {
///     m.lookup(p, t, x)?;
///     m.lookup(p, t, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct SpLut<G: Group> {
    role: Role,
    entries: usize,
    /// The lookups in which this party sends.
    out: one_of_n::Sender,
    /// The others, with the random choice `s` of each.
    inc: one_of_n::Receiver,
    group: PhantomData<G>,
}

/// Lookups whose questions were sent, in one table.
pub(crate) struct Asked<'a, G: Group, R> {
    pub(crate) material: SpLut<G>,
    pub(crate) table: Form<'a, R>,
    /// This party's shares of the indices: where it sends, where it receives.
    pub(crate) shares: [&'a [u32]; 2],
    /// What the peer asked where this party sends.
    pub(crate) u: &'a [u32],
}

/// Outputs by column, as sender and as receiver.
type Sides<R> = [Vec<Vec<R>>; 2];

/// Step 3 of lookups in several tables, in one round: the outputs of each. In the same round goes the message that `next`
/// makes of all outputs as sender, unless empty, and `len` bytes of the peer's come.
pub(crate) fn answer_all<G: Group, K: Kind, R: Ring>(
    s: &mut Session,
    mut asked: Vec<Asked<'_, G, R>>,
    next: impl FnOnce(&[&Vec<Vec<R>>]) -> Result<Vec<u8>>,
    len: usize,
) -> Result<(Vec<Sides<R>>, Vec<u8>)> {
    let mut runs = Vec::with_capacity(asked.len());
    for Asked { table, shares, .. } in &asked {
        runs.push(Run::<K, R>::new(table.clone(), shares[0].len(), shares[1].len()));
    }
    let places = |side: usize| {
        let mut places = Vec::new();
        for (i, (asked, run)) in asked.iter().zip(&runs).enumerate() {
            places.extend(pieces(asked.shares[side].len(), run.piece()).map(|at| (i, at)));
        }
        places.into_iter()
    };
    let (mut to_send, mut to_receive) = (places(0), places(1));
    let (mut next, mut theirs_next) = (Some(next), Vec::new());
    s.duplex(
        &mut (&mut asked, &mut runs),
        |s, (asked, runs)| {
            if let Some((i, at)) = to_send.next() {
                let Asked { material, shares, u, .. } = &mut asked[i];
                return Ok(Some(runs[i].send::<G>(s, &mut material.out, shares[0], u, at)));
            }
            let Some(next) = next.take() else { return Ok(None) };
            let sent: Vec<_> = runs.iter().map(|run| &run.sent).collect();
            Ok(Some(next(&sent)?).filter(|message| !message.is_empty()))
        },
        |s, (asked, runs)| match to_receive.next() {
            Some((i, at)) => {
                let Asked { material, shares, .. } = &mut asked[i];
                runs[i].receive(s, &mut material.inc, shares[1], at).map(|()| true)
            }
            None if theirs_next.len() < len => {
                theirs_next = s.recv(len)?;
                Ok(true)
            }
            None => Ok(false),
        },
    )?;
    Ok((runs.into_iter().map(|run| [run.sent, run.received]).collect(), theirs_next))
}

impl<G: Group> SpLut<G> {
    /// Offline phase for `batch` lookups in tables of `entries` entries, from correlated OTs.
    ///
    /// # Errors
    /// [`Error::Param`] if there are fewer than 2 or more than 2^20 entries, or, in the xor group,
    /// no power of two of them.
    pub fn prepare(p: &mut Party, entries: usize, batch: usize) -> Result<Self> {
        let counts = halves(p.role(), batch);
        Self::prepare_halves(p, entries, counts)
    }

    /// [`prepare`](Self::prepare) for given numbers of lookups in which this party and the peer send.
    pub(crate) fn prepare_halves(p: &mut Party, entries: usize, counts: (usize, usize)) -> Result<Self> {
        check_entries::<G>(entries, MAX_ENTRIES)?;
        let (send, recv) = one_of_n::product_cots(entries, counts);
        let cots = p.cots(send, recv)?;
        let (out, inc) = one_of_n::by_products(p.session(), entries, cots)?;
        Ok(Self { role: p.role(), entries, out, inc, group: PhantomData })
    }

    /// Correlated OTs that [`prepare`](Self::prepare) takes at the party `role`: `(as sender, as receiver)`.
    pub fn cots(role: Role, entries: usize, batch: usize) -> (usize, usize) {
        one_of_n::product_cots(entries, halves(role, batch))
    }

    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.out.len() + self.inc.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Online, 2 rounds: additive shares of `T[x]`. The low bits of a wider index count. Spends
    /// this material.
    ///
    /// # Errors
    /// [`Error::Shape`] if the number of indices or of entries differs from what was prepared;
    /// [`Error::Param`] if the index is narrower than the table's or the length is no power of two.
    pub fn lookup<R: Ring>(
        self,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<AShare<R>> {
        let x = self.whole_index(x)?;
        self.run(s, table, x.words())
    }

    /// Online, 2 rounds: XOR shares of `T[x]`. Spends this material.
    ///
    /// # Errors
    /// As [`lookup`](Self::lookup).
    pub fn lookup_xor<R: Ring>(
        self,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<BShare<R>> {
        let x = self.whole_index(x)?;
        self.run(s, table, x.words())
    }

    /// Online, 2 rounds: additive shares of every column of `T[x]`, by one OT; 128 bits of columns at
    /// most. Spends this material.
    ///
    /// # Errors
    /// As [`lookup`](Self::lookup), and [`Error::Param`] for wider columns.
    pub fn lookup_all<R: Ring>(
        self,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Vec<AShare<R>>> {
        let x = self.whole_index(x)?;
        self.run_all(s, table, x.words())
    }

    /// As [`lookup_all`](Self::lookup_all), with XOR shares.
    ///
    /// # Errors
    /// As [`lookup_all`](Self::lookup_all).
    pub fn lookup_xor_all<R: Ring>(
        self,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Vec<BShare<R>>> {
        let x = self.whole_index(x)?;
        self.run_all(s, table, x.words())
    }

    /// This party's index shares, reduced, for a table of a power of two of entries.
    fn whole_index(&self, x: &Share<G::Kind, u32>) -> Result<Share<G::Kind, u32>> {
        if !self.entries.is_power_of_two() {
            let accepted = "powers of two; for other lengths share the index modulo the length".into();
            return Err(Error::Param {
                what: "entries of the table",
                got: self.entries.to_string(),
                accepted,
            });
        }
        x.low_bits(one_of_n::index_bits(self.entries) as u32)
    }

    fn run<K: Kind, R: Ring>(self, s: &mut Session, table: &Table<R>, x: &[u32]) -> Result<Share<K, R>> {
        same("columns of the table", 1, table.columns().len())?;
        Ok(self.run_all(s, table, x)?.remove(0))
    }

    fn run_all<K: Kind, R: Ring>(
        self,
        s: &mut Session,
        table: &Table<R>,
        x: &[u32],
    ) -> Result<Vec<Share<K, R>>> {
        same("indices", self.len(), x.len())?;
        same("entries of the table", self.entries, table.len())?;
        let width = table.columns().len() * table.bits() as usize;
        if width > PAD_BITS {
            let (what, got) = ("bits of all columns of the table", width.to_string());
            return Err(Error::Param { what, got, accepted: format!("at most {PAD_BITS}") });
        }
        let (p0, _) = by_role(s.role(), self.out.len(), self.inc.len());
        let (first, second) = x.split_at(p0);
        let (mine, theirs) = by_role(s.role(), first, second);
        let bits = one_of_n::index_bits(self.entries) as u32;
        let u = exchange(s, &self.masked(theirs), mine.len(), bits)?;
        let [sent, received] = self.answer::<K, R>(s, table.into(), [mine, theirs], &u)?;
        let (first, second) = by_role(s.role(), sent, received);
        let columns = first.into_iter().zip(second);
        Ok(columns.map(|(first, second)| Share::joined(table.bits(), [first, second])).collect())
    }

    /// Step 2: `u` for the lookups in which this party receives, at its index shares.
    ///
    /// Public: s is uniform in the index group and serves no other lookup, since only this and the
    /// next step follow, once.
    pub(crate) fn masked(&self, theirs: &[u32]) -> Vec<u32> {
        let pairs = self.inc.choices().iter().zip(theirs);
        pairs.map(|(&s, &x)| minus::<G>(s, x, self.entries as u32)).collect()
    }

    /// Step 3 for the lookups in which this party sends and those in which it receives, at its index
    /// shares `[mine, theirs]`.
    fn answer<K: Kind, R: Ring>(
        self,
        s: &mut Session,
        table: Form<'_, R>,
        shares: [&[u32]; 2],
        u: &[u32],
    ) -> Result<Sides<R>> {
        let asked = Asked { material: self, table, shares, u };
        let (mut done, _) = answer_all::<G, K, R>(s, vec![asked], |_| Ok(Vec::new()), 0)?;
        Ok(done.remove(0))
    }
}

impl SpLut<Cyclic> {
    /// Online, 2 rounds: additive shares of `T[x]` for a table of any length n; `x` are this
    /// party's words, below n, of indices shared additively **modulo n**. Spends this material.
    ///
    /// # Errors
    /// As [`lookup`](Self::lookup), and [`Error::Param`] if a word is not below n: an index shared
    /// modulo another number cannot be reduced locally.
    pub fn lookup_mod<R: Ring>(self, s: &mut Session, table: &Table<R>, x: &[u32]) -> Result<AShare<R>> {
        self.below_entries(x)?;
        self.run(s, table, x)
    }

    /// As [`lookup_mod`](Self::lookup_mod), with XOR shares of `T[x]`.
    ///
    /// # Errors
    /// As [`lookup_mod`](Self::lookup_mod).
    pub fn lookup_mod_xor<R: Ring>(self, s: &mut Session, table: &Table<R>, x: &[u32]) -> Result<BShare<R>> {
        self.below_entries(x)?;
        self.run(s, table, x)
    }

    fn below_entries(&self, x: &[u32]) -> Result<()> {
        let outside = x.iter().fold(false, |any, &x| any | (x as usize >= self.entries));
        if !outside {
            return Ok(());
        }
        let accepted = format!("shares modulo {}", self.entries);
        Err(Error::Param { what: "index share", got: "a word that is not reduced".into(), accepted })
    }
}

/// The difference in the index group of n elements.
pub(super) fn minus<G: Group>(a: u32, b: u32, n: u32) -> u32 {
    match G::SHIFT {
        Shift::Cyclic => one_of_n::minus(a, b, n),
        Shift::Xor => a ^ b,
    }
}

/// Swaps `bits`-bit words with the peer, who sends `theirs` of them.
pub(super) fn exchange(s: &mut Session, mine: &[u32], theirs: usize, bits: u32) -> Result<Vec<u32>> {
    let mut message = Vec::new();
    pack(mine, bits, &mut message);
    let mut out = vec![0u32; theirs];
    unpack(&s.exchange(message, packed_len(theirs, bits))?, bits, &mut out);
    Ok(out)
}

pub(super) fn check_entries<G: Group>(entries: usize, most: usize) -> Result<()> {
    let powers = matches!(G::SHIFT, Shift::Xor);
    if (2..=most).contains(&entries) && (!powers || entries.is_power_of_two()) {
        return Ok(());
    }
    let most = most.ilog2();
    let accepted = match powers {
        false => format!("2 to 2^{most}"),
        true => format!("powers of two from 2 to 2^{most} (Table::pad)"),
    };
    Err(Error::Param { what: "entries of the table", got: entries.to_string(), accepted })
}
