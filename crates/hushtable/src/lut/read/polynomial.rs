//! Polynomials whose coefficients are looked up, at a point that is the sum of two private numbers.
//!
//! # Functionality
//! In: a public table of coefficients `c_0, ..., c_g` mod `2^L`, shares of an index x, and from party p a
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
//!
//! *Cut*: where only the sum's bits from f on are wanted, mod `2^(L-f)`, each party drops the low f bits of `W_0` and
//! of each word times `2^j` mod `2^L`. Each drop loses half a unit on average, one at most.
//!
//! *With a carry*, for g = 1: a bit c, of which each party has an XOR share, says that the sum is `2^t` less. As
//! `c = c_p + (1 - 2 c_p) c_o`, o's numbers get the bit `c_o ^ b_o`, since `tau_o c_o` is that less `b_o`; p's word for it
//! is `2^t (2 c_p - 1) W_1`, and `W_0` becomes `W_0 - 2^t c_p W_1`.
//!
//! # Cost, a lookup of `2^d` entries
//! `K = 1 + t + 2t + ... + gt` correlated OTs each way, no more than L for a power, and one with a carry. Online `2d + 2K` bits and
//! twice the sum of `L - max(j, f)` over the bits j of all powers, t of the carry and 0 of the sign; 2 rounds.
//!
//! # Source
//! lut-spec 11.3, where powers of the sum are shared first and multiplied with the coefficients in the ring:
//! here the factors stay private to a party, which takes as many correlated OTs as they have bits. Words that are cut:
//! functions-beyond 0, T1.

use std::ops::Range;

use prim::{
    pack::{pack, packed_len, unpack},
    products::{Products, planes},
    ring::{Ring, low},
};
use zeroize::Zeroizing;

use super::{pads::Pads, signed::sign_bits};
use crate::{
    bill::Bill,
    error::{Error, Result, same, within},
    lut::Table,
    net::Role,
    onehot::{Group, OneHot},
    party::Party,
    session::{Session, pieces},
    share::{AShare, Share},
};

/// Lookups in a message; a multiple of 64.
const PIECE: usize = 1 << 11;

/// Largest degree.
pub const MAX_DEGREE: u32 = 3;

/// `C(q, b)`.
const BINOMIAL: [[u64; 4]; 4] = [[1, 0, 0, 0], [1, 1, 0, 0], [1, 2, 1, 0], [1, 3, 3, 1]];

/// What the polynomials of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PolynomialShape {
    /// Degree g, 1 to 3.
    pub degree: u32,
    /// Bits t of either party's number, 1 to 63.
    pub bits: u32,
    /// Width L of coefficients, 1 to 64.
    pub ring: u32,
    /// Low bits f of a result that are cut off, fewer than L: 0 for exact results.
    pub cut: u32,
    /// Whether there is a carry: then bit t of a party's number is its share of it. For degree 1.
    pub carry: bool,
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
    pub(super) shape: PolynomialShape,
    pub(super) onehot: OneHot<G>,
    /// A message's lookups after another's: of each those of the sign, and of a bit after the other.
    pub(super) pads: Pads,
}

impl PolynomialShape {
    /// The bits of the numbers: the power and the bit's place. The sign is power 0, a carry the one above the degree.
    fn bits(self) -> impl Iterator<Item = (u32, u32)> {
        let places = move |b: u32| (0..(b * self.bits).min(self.ring)).map(move |j| (b, j));
        let powers = std::iter::once((0, 0)).chain((1..=self.degree).flat_map(places));
        powers.chain(self.carry.then_some((self.degree + 1, self.bits)))
    }

    /// Correlated OTs K of a lookup, each way.
    pub(super) fn cots(self) -> usize {
        self.bits().count()
    }

    /// What a lookup among `2^d` entries costs, beside its one-hot vector.
    pub fn bill(self, d: u32) -> Bill {
        let sent: u64 = self.bits().map(|(_, j)| u64::from(1 + self.payload(j))).sum();
        let cots = self.cots() as u64;
        (Bill::opening(d.into()) + Bill::opening(sent) + Bill::of_cots([cots; 2])).keeping(193 * cots)
    }

    /// Width of the words for the bit at place `j`.
    fn payload(self, j: u32) -> u32 {
        self.ring - j.max(self.cut)
    }

    /// The words for the bit at place `j`, of which as many low bits count as are [sent](Self::payload).
    fn shifted<'a>(self, words: &'a [u64], j: u32, room: &'a mut Vec<u64>) -> &'a [u64] {
        match self.cut.saturating_sub(j) {
            0 => words,
            down => {
                room.clear();
                room.extend(words.iter().map(|&w| low(w, self.ring) >> down));
                room
            }
        }
    }

    /// Width of a result.
    pub(super) fn width(self) -> u32 {
        self.ring - self.cut
    }

    /// `Ok(())` for a supported shape.
    pub(super) fn check(self) -> Result<()> {
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
        if self.carry {
            within("degree of a polynomial with a carry", self.degree, 1..=1)?;
            within("bits of a private number with a carry", self.bits, 1..=self.ring - 1)?;
        }
        within("bits of a polynomial that are cut off", self.cut, 0..=self.ring - 1)
    }
}

impl<G: Group> OneHot<G> {
    /// Offline: prepares polynomials, which takes correlated OTs and no message of its own.
    ///
    /// # Errors
    /// [`Error::Param`] for a shape that is not supported, and those of the channel.
    pub fn polynomial(self, p: &mut Party, shape: PolynomialShape) -> Result<Polynomial<G>> {
        shape.check()?;
        let pads = Pads::random(p, shape.cots() * self.len())?;
        Ok(Polynomial { shape, onehot: self, pads })
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
    /// from the constant on, and `u` is this party's number for each lookup, below `2^t`, or with a carry `2^(t+1)`.
    /// Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if number, length or width differ from what was prepared, and those of the channel.
    pub fn eval<R: Ring>(
        self,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
        u: &[u64],
    ) -> Result<AShare<R>> {
        let degree = self.shape.degree as usize;
        self.check(table, degree + 1, u)?;
        let masked = self.onehot.mask(x)?;
        // Public: the offset is uniform and serves no other opening, since `self` is spent.
        let m = s.open(&masked)?;
        self.opened(s, table, &m, u, expanded(degree))
    }

    /// `Ok(())` for a table of so many columns and numbers that this was prepared for.
    pub(super) fn check<R: Ring>(&self, table: &Table<R>, columns: usize, u: &[u64]) -> Result<()> {
        table.check_index(self.onehot.index_bits())?;
        same("columns of coefficients", columns, table.columns().len())?;
        same("width of the coefficients", self.shape.ring as usize, table.bits() as usize)?;
        same("private numbers", self.len(), u.len())
    }

    /// Step 2, 1 round: the caller has opened the index less the position, `m`. The `W_b` are `tau_p` times those that `of`
    /// makes of the `z_q` and of this party's number. Spends the material.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn opened<R: Ring>(
        self,
        s: &mut Session,
        table: &Table<R>,
        m: &[u32],
        u: &[u64],
        of: impl Fn(&[u64], u64) -> Coefficients,
    ) -> Result<AShare<R>> {
        let Self { shape, onehot, pads } = self;
        let batch = onehot.len();
        let signs = signs(s.role(), &onehot);
        let z = onehot.selected::<R, true>(m, &[table]);
        let (words, mut sum) = words(shape, s.role(), &z, &signs, u, of);
        sum.iter_mut().for_each(|w| *w = low(*w, shape.ring) >> shape.cut);
        let planes = planes_of(shape, &signs, u);
        let [room, cut] = [(); 2].map(|()| Zeroizing::new(Vec::new()));
        let mut run = Run { shape, pads, words, planes, sum, room, cut };
        let (mut mine, mut theirs) = (pieces(batch, PIECE), pieces(batch, PIECE));
        s.duplex(
            &mut run,
            |_, run| Ok(mine.next().map(|at| run.send(at))),
            |s, run| theirs.next().map_or(Ok(false), |at| run.receive(s, at).map(|()| true)),
        )?;
        let width = shape.width();
        Ok(AShare::new(width, run.sum.iter().map(|&w| R::from_u64(low(w, width))).collect()))
    }
}

/// `b_p` of each lookup, as a mask: all ones or zero.
fn signs<G: Group>(role: Role, onehot: &OneHot<G>) -> Zeroizing<Vec<u64>> {
    let mask = |&bit: &u8| u64::from(bit).wrapping_neg();
    Zeroizing::new(sign_bits(role, onehot).iter().map(mask).collect())
}

/// The `W_b`, up to the largest degree.
pub(super) type Coefficients = [u64; MAX_DEGREE as usize + 1];

/// What a polynomial's `z_q` and a party's number make of the `W_b`: the binomial theorem.
pub(super) fn expanded(degree: usize) -> impl Fn(&[u64], u64) -> Coefficients {
    move |z, u| {
        let mut w = Coefficients::default();
        for (q, &z) in z.iter().enumerate().take(degree + 1) {
            let mut term = z;
            for b in (0..=q).rev() {
                w[b] = w[b].wrapping_add(term.wrapping_mul(BINOMIAL[q][b]));
                term = term.wrapping_mul(u);
            }
        }
        w
    }
}

/// The words for each power, that of the sign first, and `W_0`.
fn words<R: Ring>(
    shape: PolynomialShape,
    role: Role,
    z: &[Zeroizing<Vec<R>>],
    signs: &[u64],
    u: &[u64],
    of: impl Fn(&[u64], u64) -> Coefficients,
) -> (Zeroizing<Vec<Vec<u64>>>, Zeroizing<Vec<u64>>) {
    let degree = shape.degree as usize;
    let mut words = Zeroizing::new(vec![vec![0; u.len()]; degree + 1 + usize::from(shape.carry)]);
    let mut sum = Zeroizing::new(vec![0; u.len()]);
    // `z_1` is the negated sum of entries.
    let negate = if role == Role::P1 { u64::MAX } else { 0 };
    for (i, (&u, &sign)) in u.iter().zip(signs).enumerate() {
        let flip = sign ^ negate;
        let mut signed = Coefficients::default();
        signed.iter_mut().zip(z).for_each(|(t, z)| *t = (z[i].to_u64() ^ flip).wrapping_sub(flip));
        let carry = if shape.carry { u >> shape.bits & 1 } else { 0 };
        let mut w = of(&signed, u ^ carry << shape.bits);
        w[0] = w[0].wrapping_sub(w[1].wrapping_mul(carry) << shape.bits);
        sum[i] = w[0];
        let mut of_sign = w[0].wrapping_mul(2).wrapping_neg();
        for (b, &w) in w.iter().enumerate().take(degree + 1).skip(1) {
            let above = 1u64.checked_shl(b as u32 * shape.bits).unwrap_or(0);
            of_sign = of_sign.wrapping_add(w.wrapping_mul(1u64.wrapping_sub(above)));
            words[b][i] = w;
        }
        if shape.carry {
            let w = w[1].wrapping_mul((2 * carry).wrapping_sub(1));
            of_sign = of_sign.wrapping_sub(w << shape.bits);
            words[degree + 1][i] = w;
        }
        words[0][i] = of_sign;
    }
    (words, sum)
}

/// The bits of the numbers for each power, that of the sign first: the other party's words are multiplied by them.
fn planes_of(shape: PolynomialShape, signs: &[u64], u: &[u64]) -> Zeroizing<Vec<Vec<[u64; 64]>>> {
    let mut all = Zeroizing::new(vec![planes(signs)]);
    for b in 1..=shape.degree {
        let power = |(u, sign): (&u64, &u64)| u.wrapping_pow(b) ^ sign;
        let numbers = Zeroizing::new(u.iter().zip(signs).map(power).collect::<Vec<_>>());
        all.push(planes(&numbers));
    }
    all
}

/// Step 2 at one party.
struct Run {
    shape: PolynomialShape,
    pads: Pads,
    words: Zeroizing<Vec<Vec<u64>>>,
    /// The bits of the numbers.
    planes: Zeroizing<Vec<Vec<[u64; 64]>>>,
    /// Its shares of the result.
    sum: Zeroizing<Vec<u64>>,
    /// For a bit's payload, and for words that are cut.
    room: Zeroizing<Vec<u64>>,
    cut: Zeroizing<Vec<u64>>,
}

impl Run {
    /// Power, place and correlated OTs of each bit, for some lookups.
    fn bits(&self, at: &Range<usize>) -> impl Iterator<Item = (usize, u32, Range<usize>)> + use<> {
        let (len, first) = (at.len(), at.start * self.shape.cots());
        let ots = move |(i, (power, place)): (usize, (u32, u32))| {
            let from = first + i * len;
            (power as usize, place, from..from + len)
        };
        self.shape.bits().enumerate().map(ots)
    }

    /// Where this party's bits are not its choices. Public: the random choices mask the bits and serve only
    /// here.
    fn flips(&self, at: &Range<usize>, power: usize, place: u32, choices: &[u64]) -> Vec<u64> {
        let power = power.min(self.shape.degree as usize); // a carry is a bit of the numbers themselves
        let planes = self.planes[power][at.start / 64..].iter().map(|square| square[place as usize]);
        planes.zip(choices).map(|(bits, choices)| bits ^ choices).collect()
    }

    /// This party's message for some lookups: corrections and payloads.
    fn send(&mut self, at: Range<usize>) -> Vec<u8> {
        let each = |place| packed_len(at.len(), 1) + packed_len(at.len(), self.shape.payload(place));
        let mut message = Vec::with_capacity(self.bits(&at).map(|(_, place, _)| each(place)).sum());
        for (power, place, ots) in self.bits(&at) {
            let choices = Zeroizing::new(self.pads.choices(ots.clone()).collect::<Vec<_>>());
            let flips = self.flips(&at, power, place, &choices);
            let end = message.len() + packed_len(at.len(), 1);
            flips.iter().for_each(|flips| message.extend_from_slice(&flips.to_le_bytes()));
            message.truncate(end);
            let words = self.shape.shifted(&self.words[power][at.clone()], place, &mut self.cut);
            self.room.clear();
            self.room.extend(words.iter().zip(self.pads.step(ots)).map(|(x, step)| x.wrapping_sub(*step)));
            pack(&self.room, self.shape.payload(place), &mut message);
        }
        message
    }

    /// The peer's, and what follows for this party's shares.
    fn receive(&mut self, s: &mut Session, at: Range<usize>) -> Result<()> {
        let (len, shape) = (at.len(), self.shape);
        let each = |place| packed_len(len, 1) + packed_len(len, shape.payload(place));
        let message = s.recv(self.bits(&at).map(|(_, place, _)| each(place)).sum())?;
        let (mut rest, mut theirs) = (&message[..], vec![0u64; len.div_ceil(64)]);
        self.room.resize(len, 0);
        for (power, place, ots) in self.bits(&at) {
            let (first, others) = rest.split_at(packed_len(len, 1));
            bytemuck::cast_slice_mut(&mut theirs)[..first.len()].copy_from_slice(first);
            let (payload, others) = others.split_at(packed_len(len, shape.payload(place)));
            unpack(payload, shape.payload(place), &mut self.room);
            rest = others;
            // Shares of the products with the random choices become those of the products with the bits.
            let choices = Zeroizing::new(self.pads.choices(ots.clone()).collect::<Vec<_>>());
            let mine = self.flips(&at, power, place, &choices);
            let products = Products {
                zero: self.pads.zero(ots.clone()),
                words: shape.shifted(&self.words[power][at.clone()], place, &mut self.cut),
                theirs: &theirs,
                chosen: self.pads.chosen(ots),
                payload: &self.room,
                choices: &choices,
                mine: &mine,
            };
            products.add(place.saturating_sub(shape.cut), &mut self.sum[at.clone()]);
        }
        Ok(())
    }
}
