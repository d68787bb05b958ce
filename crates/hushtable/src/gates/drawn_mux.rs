//! Selection of words of which one party knows a part, and the other draws the rest.
//!
//! # Functionality
//! Offline one party, the *drawer*, gets uniform words s. Online: in are XOR shares of a bit b and words x of the other
//! party's, the *owner*. Out: shares of `b (x + s)`, additive, or of `b (x ^ s)`, by XOR. So s are masks that the drawer
//! puts on what it gives the owner. Words for which nothing is drawn are selected as they are.
//!
//! # Protocol
//! With the random choice c of the drawer's in a correlated OT in which the owner sends:
//! 1. the drawer sends `b_d ^ c`; both add it to their shares, so that the drawer's is c;
//! 2. `b x` is `b_o x` and a [product](super::products) of c with `x (1 - 2 b_o)`, a value of the owner's, as the other
//!    party's bit is random: no correction;
//! 3. `b s` is `c s` and a product of `b_o` with `s (1 - 2 c)`, a value of the drawer's. The payload of that product,
//!    `s (1 - 2 c) + X_0 - X_1`, is made 0: s is `(X_1 - X_0)(1 - 2 c)`, which is uniform for whoever has one of both pads.
//!
//! Shares by XOR have no `1 - 2 b`.
//!
//! # Cost
//! 2 correlated OTs, 1 if nothing is drawn; online 1 bit of the drawer's, then 1 bit and l bits for each word of l bits
//! from the owner: 2 rounds. [`Mux`](super::Mux) sends twice the words.
//!
//! # Source
//! As [`Mux`](super::Mux); the masks from pads as in Asharov, Lindell, Schneider, Zohner, "More Efficient Oblivious
//! Transfer" (CCS 2013), section 5.

use prim::ct;
use zeroize::Zeroizing;

use super::{
    Bits,
    bits::{pieces, wire_len},
    products::{Columns, Direction, Products, multiply},
};
use crate::{
    bill::{Bill, Phase},
    error::{Error, Result, same},
    net::Role,
    session::Session,
    share::{Kind, Share},
    source::Source,
};

/// One-time material for a batch of selections.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, gates::{Bits, DrawnMux}, share::Additive};
/// fn twice(p: &mut Party, m: DrawnMux, b: &Bits) -> Result<()> {
///     m.select::<Additive>(p, b, &[])?;
///     m.select::<Additive>(p, b, &[])?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct DrawnMux {
    owner: Role,
    widths: Vec<u32>,
    /// Of the owner's words with the drawer's bit.
    known: Products,
    /// Of the drawn words with the owner's bit.
    drawn: Option<Products>,
}

impl DrawnMux {
    /// Offline: for `count` bits that each select words of the party `owner`: some of the widths `drawn`, which its peer
    /// adds words to that it draws, then some of the widths `known`; 1 to 64.
    ///
    /// # Errors
    /// [`Error::Param`] for another width, and those of the channel.
    pub fn prepare(
        p: &mut dyn Source,
        owner: Role,
        count: usize,
        [drawn, known]: [&[u32]; 2],
    ) -> Result<Self> {
        let widths = [drawn, known].concat();
        if let Some(width) = widths.iter().find(|w| !(1..=64).contains(*w)) {
            let (what, got) = ("width of a word to select", width.to_string());
            return Err(Error::Param { what, got, accepted: "1 to 64".into() });
        }
        let known = Products::prepare(p, Direction::from(owner), count, &widths)?;
        let from = Direction::from(owner.peer());
        let drawn = (!drawn.is_empty()).then(|| Products::prepare(p, from, count, drawn)).transpose()?;
        Ok(Self { owner, widths, known, drawn })
    }

    /// What a bit costs.
    pub fn bill(owner: Role, [drawn, known]: [&[u32]; 2]) -> Bill {
        let masks = match drawn {
            [] => Bill::FREE,
            _ => Products::bill(Direction::from(owner.peer()), drawn),
        };
        let bill = Products::bill(Direction::from(owner), &[drawn, known].concat()) + masks;
        let mut online = bill.online;
        online.rounds = 2;
        online.bits[owner.peer() as usize] = 1; // what is drawn is not sent
        Bill { online: Phase { ..online }, ..bill }
    }

    /// The drawn words of the kind K, a column for each width, at the drawer.
    pub fn drawn<K: Kind>(&self) -> Zeroizing<Vec<Vec<u64>>> {
        let mut columns = self.drawn.as_ref().map_or(Zeroizing::new(Vec::new()), Products::unsent::<K>);
        for column in columns.iter_mut() {
            for (word, c) in column.iter_mut().zip(self.known.choices()) {
                *word = signed::<K>(*word, c);
            }
        }
        for (column, &width) in columns.iter_mut().zip(&self.widths) {
            column.iter_mut().for_each(|word| *word = prim::ring::low(*word, width));
        }
        columns
    }

    /// Online, 2 rounds: shares of `b (x + s)`, a batch for each column of words. The drawer gives no columns. Spends the
    /// material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless bits and words are those prepared for, and those of the channel.
    pub fn select<K: Kind>(
        self,
        s: &mut Session,
        b: &Bits,
        columns: &[&[u64]],
    ) -> Result<Vec<Share<K, u64>>> {
        let (owns, count) = (s.role() == self.owner, self.known.len());
        same("bits that select", count, b.len())?;
        same("words that a bit selects", if owns { self.widths.len() } else { 0 }, columns.len())?;
        columns.iter().try_for_each(|x| same("words to select", count, x.len()))?;
        let b = self.moved(s, b)?;
        // The words that this party has, times its share of the bit; and what the peer's share selects.
        let words = match owns {
            true => Zeroizing::new(columns.iter().map(|column| column.to_vec()).collect()),
            false => self.drawn::<K>(),
        };
        let own = |x: &Vec<u64>| b.iter().zip(x).map(|(b, x)| ct::bit_mask(b) & x).collect::<Vec<u64>>();
        let local = Zeroizing::new(words.iter().map(own).collect::<Vec<_>>());
        let value = |x: &Vec<u64>| b.iter().zip(x).map(|(b, &x)| signed::<K>(x, b)).collect::<Vec<u64>>();
        let values: Columns = Zeroizing::new(words.iter().map(value).collect());
        let Self { owner: _, widths, known, drawn } = self;
        let mut runs = vec![known.random(&values)];
        runs.extend(drawn.map(|drawn| drawn.unsent_run(b.iter(), &values)));
        let mut made = multiply::<K>(s, runs)?;
        let mut sums = std::mem::take(&mut *made[0]);
        for other in made[1..].iter().chain([&local]) {
            for (sum, other) in sums.iter_mut().zip(other.iter()) {
                sum.iter_mut().zip(other).for_each(|(sum, other)| *sum = K::combine(*sum, *other));
            }
        }
        Ok(sums.into_iter().zip(widths).map(|(words, bits)| Share::new(bits, words)).collect())
    }

    /// Step 1: this party's share of b, where the drawer's is its random choice.
    fn moved(&self, s: &mut Session, b: &Bits) -> Result<Bits> {
        if s.role() != self.owner {
            let choices = Bits::collect(self.known.choices());
            // Public: the choice is uniform for the owner, and this is the only opening that it serves.
            let moved = b ^ &choices;
            pieces(b.len()).try_for_each(|at| s.send(moved.wire(&at).to_vec()))?;
            return Ok(choices);
        }
        let mut words = Vec::with_capacity(b.words().len());
        for at in pieces(b.len()) {
            let message = s.recv(wire_len(b.len(), &at))?;
            let mut piece = vec![0u64; at.len()]; // public
            bytemuck::cast_slice_mut(&mut piece)[..message.len()].copy_from_slice(&message);
            words.extend(piece.iter().zip(&b.words()[at]).map(|(moved, b)| moved ^ b));
        }
        Ok(Bits::new(b.len(), words))
    }
}

/// `x (1 - 2 b)`, or x where shares are by XOR.
fn signed<K: Kind>(x: u64, b: u64) -> u64 {
    let bx = ct::bit_mask(b) & x;
    K::strip(K::strip(x, bx), bx)
}
