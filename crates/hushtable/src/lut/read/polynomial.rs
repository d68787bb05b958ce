//! Polynomials whose coefficients are looked up, at a point that is the sum of two private numbers.
//!
//! # Functionality
//! In: a public table of coefficients `c_0, ..., c_d` mod `2^L`, shares of an index x, and from party p a
//! number `0 <= u_p < 2^t`. Out: additive shares mod `2^L` of the sum of `c_q[x] (u_0 + u_1)^q`.
//!
//! # Protocol
//! With `z_0 + z_1 = tau * c[x]` and `tau = tau_0 tau_1` as in [`super::signed`], party p's part is
//! `tau_p tau_o` times the sum of `z_{q,p} (u_p + u_o)^q`, o being the other one: by the binomial theorem the
//! sum over b of `W_b * tau_o u_o^b`, where `W_b = tau_p * sum over q of C(q,b) z_{q,p} u_p^(q-b)` is known to p
//! and `tau_o u_o^b` to o.
//! 1. Open the index and read the `z_q`, locally.
//! 2. With `tau_o = 1 - 2 b_o` and `v` the number `u_o^b`, of `b t` bits, complemented if `b_o = 1`:
//!    `tau_o u_o^b = v + b_o (1 - 2^(bt))`. So o's numbers are the bit `b_o` and the bits of the v, and p's words
//!    for them `-2 W_0 + sum over b >= 1 of (1 - 2^(bt)) W_b`, and `2^j W_b` for bit j, of which the low `L - j`
//!    bits of `W_b` are enough: correlated OTs in both directions, all at once. `W_0` is added locally.
//!
//! # Cost, a lookup of `2^n` entries
//! `K = 1 + t + 2t + ... + dt` correlated OTs each way, no more than L for a power. Online `2n + 2K` bits and
//! `2 L` bits and twice the sum of `L - j` over the bits j of all powers; 2 rounds.
//!
//! # Source
//! lut-spec 11.3, where powers of the sum are shared first and multiplied with the coefficients in the ring:
//! here the factors stay private to a party, which takes as many correlated OTs as they have bits.

use std::ops::Range;

use prim::{
    lookup,
    pack::{pack, packed_len, unpack},
    ring::{Ring, low},
};
use zeroize::Zeroizing;

use super::signed::sign_bits;
use crate::{
    error::{Error, Result, same},
    lut::Table,
    net::Role,
    onehot::{Group, OneHot},
    ot::strings::{PayloadReceiver, PayloadSender},
    party::Party,
    session::Session,
    share::{AShare, Additive, Share},
};

/// Lookups in a message.
const PIECE: usize = 1 << 11;

/// Largest degree.
pub const MAX_DEGREE: u32 = 3;

/// `C(q, b)`.
const BINOMIAL: [[u64; 4]; 4] = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]];

/// What the polynomials of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    /// Degree d, 1 to 3.
    pub degree: u32,
    /// Bits t of either party's number, 1 to 63.
    pub bits: u32,
    /// Width L of coefficients and results, 1 to 64.
    pub ring: u32,
}

/// One-time material for a batch of polynomials.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, lut::{Table, read::polynomial::Polynomial}, onehot::Cyclic};
/// fn twice(p: &mut Party, m: Polynomial<Cyclic>, t: &Table<u64>, x: &AShare<u32>) -> Result<()> {
///     m.eval(p, t, x, &[1])?;
///     m.eval(p, t, x, &[1])?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Polynomial<G: Group> {
    shape: Shape,
    onehot: OneHot<G>,
    /// The sign's, then those of the powers' bits.
    bits: Vec<Bit>,
}

/// The pads for one bit of the parties' numbers.
struct Bit {
    /// The power it belongs to, 0 for the sign.
    power: u32,
    place: u32,
    out: PayloadSender,
    inc: PayloadReceiver,
}

impl Shape {
    /// The bits of the numbers: the power and the bit's place. The sign is power 0.
    fn bits(self) -> impl Iterator<Item = (u32, u32)> {
        let places = move |b: u32| (0..(b * self.bits).min(self.ring)).map(move |j| (b, j));
        std::iter::once((0, 0)).chain((1..=self.degree).flat_map(places))
    }

    /// Correlated OTs K of a lookup, each way.
    pub fn cots(self) -> usize {
        self.bits().count()
    }

    /// Bits that both parties send online for a lookup, those of its opening aside.
    pub fn online_bits(self) -> usize {
        self.bits().map(|(_, j)| 2 * (1 + self.ring - j) as usize).sum()
    }

    /// `Ok(())` for a supported shape.
    fn check(self) -> Result<()> {
        let limits = [
            ("degree of a polynomial", self.degree, MAX_DEGREE),
            ("bits of a private number", self.bits, 63),
            ("width of a polynomial's coefficients", self.ring, 64),
        ];
        for (what, got, most) in limits {
            if !(1..=most).contains(&got) {
                return Err(Error::Param { what, got: got.to_string(), accepted: format!("1 to {most}") });
            }
        }
        Ok(())
    }
}

impl<G: Group> OneHot<G> {
    /// Offline: prepares polynomials, which takes correlated OTs and no message of its own.
    ///
    /// # Errors
    /// [`Error::Param`] for a shape that is not supported, and those of the channel.
    pub fn polynomial(self, p: &mut Party, shape: Shape) -> Result<Polynomial<G>> {
        shape.check()?;
        let (batch, count) = (self.len(), shape.cots() * self.len());
        let (mut out, mut inc) = p.cots(count, count)?;
        let mut bit = |(power, place)| {
            let width = [shape.ring - place];
            let out = PayloadSender::random(p.session(), out.take(batch)?, &width);
            let inc = PayloadReceiver::random(p.session(), inc.take(batch)?, &width);
            Ok(Bit { power, place, out, inc })
        };
        let bits = shape.bits().map(&mut bit).collect::<Result<_>>()?;
        Ok(Polynomial { shape, onehot: self, bits })
    }
}

impl<G: Group> Polynomial<G> {
    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.onehot.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.onehot.is_empty()
    }

    /// Online, 2 rounds: shares of the polynomials' values. The table has a column for each coefficient,
    /// from the constant on, and `u` is this party's number for each lookup, below `2^t`. Spends the
    /// material.
    ///
    /// # Errors
    /// [`Error::Shape`] if number, length or width differ from what was prepared, and those of the channel.
    pub fn eval<R: Ring>(
        self,
        p: &mut Party,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
        u: &[u64],
    ) -> Result<AShare<R>> {
        let Self { shape, onehot, bits } = self;
        let batch = onehot.len();
        table.check_index(onehot.index_bits())?;
        same("columns of coefficients", shape.degree as usize + 1, table.columns().len())?;
        same("width of the coefficients", shape.ring as usize, table.bits() as usize)?;
        same("private numbers", batch, u.len())?;
        let masked = onehot.mask(x)?;
        let signs = signs(p.role(), &onehot);
        // Public: the offset is uniform and serves no other opening, since `self` is spent.
        let m = p.open(&masked)?;
        let z = onehot.selected(&m, &[table], lookup::add_select);
        let (words, sum) = words(shape, p.role(), &z, &signs, u);
        let numbers = numbers(shape, &signs, u);
        let sent = Zeroizing::new(vec![vec![0; batch]; bits.len()]);
        let mut run = Run { ring: shape.ring, bits, words, numbers, sent, sum };
        let pieces = || (0..batch).step_by(PIECE).rev().map(move |from| from..batch.min(from + PIECE));
        let (mut mine, mut theirs) = (pieces(), pieces());
        p.session().duplex(
            &mut run,
            |_, run| Ok(mine.next().map(|at| run.send(at))),
            |s, run| theirs.next().map_or(Ok(false), |at| run.receive(s, at).map(|()| true)),
        )?;
        Ok(AShare::new(shape.ring, run.sum.iter().map(|&w| R::from_u64(low(w, shape.ring))).collect()))
    }
}

/// `b_p` of each lookup, as a mask: all ones or zero.
fn signs<G: Group>(role: Role, onehot: &OneHot<G>) -> Zeroizing<Vec<u64>> {
    let mask = |&bit: &u8| u64::from(bit).wrapping_neg();
    Zeroizing::new(sign_bits(role, onehot).iter().map(mask).collect())
}

/// The words for each power, that of the sign first, and `W_0`.
fn words<R: Ring>(
    shape: Shape,
    role: Role,
    z: &[Zeroizing<Vec<R>>],
    signs: &[u64],
    u: &[u64],
) -> (Zeroizing<Vec<Vec<u64>>>, Zeroizing<Vec<u64>>) {
    let degree = shape.degree as usize;
    let mut words = Zeroizing::new(vec![vec![0; u.len()]; degree + 1]);
    let mut sum = Zeroizing::new(vec![0; u.len()]);
    // `z_1` is the negated sum of entries.
    let negate = if role == Role::P1 { u64::MAX } else { 0 };
    for (i, (&u, &sign)) in u.iter().zip(signs).enumerate() {
        let flip = sign ^ negate;
        let mut w = [0u64; MAX_DEGREE as usize + 1];
        for (q, z) in z.iter().enumerate() {
            let mut term = (z[i].to_u64() ^ flip).wrapping_sub(flip);
            for b in (0..=q).rev() {
                w[b] = w[b].wrapping_add(term.wrapping_mul(BINOMIAL[q][b]));
                term = term.wrapping_mul(u);
            }
        }
        sum[i] = w[0];
        let mut of_sign = w[0].wrapping_mul(2).wrapping_neg();
        for (b, &w) in w.iter().enumerate().take(degree + 1).skip(1) {
            let above = 1u64.checked_shl(b as u32 * shape.bits).unwrap_or(0);
            of_sign = of_sign.wrapping_add(w.wrapping_mul(1u64.wrapping_sub(above)));
            words[b][i] = w;
        }
        words[0][i] = of_sign;
    }
    (words, sum)
}

/// The numbers for each power, that of the sign first: the other party's words are multiplied by them.
fn numbers(shape: Shape, signs: &[u64], u: &[u64]) -> Zeroizing<Vec<Vec<u64>>> {
    let mut numbers = Zeroizing::new(vec![signs.to_vec()]);
    for b in 1..=shape.degree {
        let power = |(u, sign): (&u64, &u64)| u.wrapping_pow(b) ^ sign;
        numbers.push(u.iter().zip(signs).map(power).collect());
    }
    numbers
}

/// Step 2 at one party.
struct Run {
    ring: u32,
    bits: Vec<Bit>,
    words: Zeroizing<Vec<Vec<u64>>>,
    numbers: Zeroizing<Vec<Vec<u64>>>,
    /// This party's shares as sender, for each bit.
    sent: Zeroizing<Vec<Vec<u64>>>,
    /// Its shares of the result.
    sum: Zeroizing<Vec<u64>>,
}

impl Run {
    /// This party's message for the last lookups that are left: corrections and payloads.
    fn send(&mut self, at: Range<usize>) -> Vec<u8> {
        let mut message = Vec::new();
        let mut flips = vec![0u8; at.len()];
        for (bit, sent) in self.bits.iter_mut().zip(self.sent.iter_mut()) {
            let numbers = &self.numbers[bit.power as usize][at.clone()];
            let choices = &bit.inc.choices()[at.clone()];
            // Public: the random choices mask the bits and serve only here.
            let flip = |(n, c): (&u64, &u64)| ((n >> bit.place ^ c) & 1) as u8;
            flips.iter_mut().zip(numbers.iter().zip(choices).map(flip)).for_each(|(d, flip)| *d = flip);
            pack(&flips, 1, &mut message);
            let payload = Zeroizing::new(vec![self.words[bit.power as usize][at.clone()].to_vec()]);
            let (more, shares) = bit.out.take(at.len()).send::<Additive>(&payload);
            message.extend(more);
            sent[at.clone()].copy_from_slice(&Zeroizing::new(shares)[0]);
        }
        message
    }

    /// The peer's, and what follows for this party's shares.
    fn receive(&mut self, s: &mut Session, at: Range<usize>) -> Result<()> {
        let each = |bit: &Bit| packed_len(at.len(), 1) + packed_len(at.len(), self.ring - bit.place);
        let message = s.recv(self.bits.iter().map(each).sum())?;
        let (mut rest, mut flips) = (&message[..], vec![0u8; at.len()]);
        for (bit, sent) in self.bits.iter_mut().zip(self.sent.iter()) {
            let numbers = &self.numbers[bit.power as usize][at.clone()];
            let words = &self.words[bit.power as usize][at.clone()];
            let mut inc = bit.inc.take(at.len());
            let (first, others) = rest.split_at(packed_len(at.len(), 1));
            unpack(first, 1, &mut flips);
            let (payload, others) = others.split_at(packed_len(at.len(), self.ring - bit.place));
            rest = others;
            let received = Zeroizing::new(inc.receive::<Additive>(1, payload));
            let shares = sent[at.clone()].iter().zip(&received[0]);
            let masks = words.iter().zip(&flips).zip(numbers.iter().zip(inc.choices()));
            for ((sum, (sent, received)), ((word, &theirs), (n, c))) in
                self.sum[at.clone()].iter_mut().zip(shares).zip(masks)
            {
                // Shares of the product with the random choice become those of the product with the bit.
                let mine = (n >> bit.place ^ c) & 1;
                let flip = mine.wrapping_neg();
                let theirs = u64::from(theirs).wrapping_neg();
                let sent = (sent ^ theirs).wrapping_sub(theirs).wrapping_add(word & theirs);
                let received = (received ^ flip).wrapping_sub(flip);
                *sum = sum.wrapping_add(sent.wrapping_add(received) << bit.place);
            }
        }
        Ok(())
    }
}
