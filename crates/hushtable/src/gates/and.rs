//! AND of shared bits, with triples.
//!
//! # Functionality
//! In: XOR shares of bits `x` and `y_1, ..., y_k`. Out: XOR shares of `x & y_1, ..., x & y_k`.
//!
//! # Protocol
//! With shares of random `b`, `a_j` and of `b a_j`:
//! 1. open `d = x ^ b` and `e_j = y_j ^ a_j`;
//! 2. `z_j = b a_j ^ d a_j ^ e_j b`, and `d e_j` at one of the parties.
//!
//! # Cost
//! `k + 1` bits each way, `2 (k + 1)` in all, for k ANDs with a common operand; 1 round for any
//! number of them.
//!
//! # Source
//! Beaver, "Efficient Multiparty Protocols Using Circuit Randomization" (CRYPTO 1991); Goldreich,
//! Micali, Wigderson (STOC 1987).

use std::ops::Range;

use zeroize::Zeroizing;

use super::{
    Bits, Triples,
    bits::{pieces, wire_len},
};
use crate::{
    error::{Result, same},
    net::Role,
    session::Session,
};

/// The ANDs of each bit of `x` with the same bit of every `ys`.
pub struct Ands<'a> {
    /// The common operand.
    pub x: &'a Bits,
    /// The others, of the same length.
    pub ys: Vec<&'a Bits>,
    /// As many as `x` has bits, each good for as many ANDs as there are `ys`.
    pub triples: Triples,
}

/// `x & y`, bit by bit: 1 round, 2 bits each way for each. Spends the triples.
///
/// # Errors
/// [`Error::Shape`](crate::Error::Shape) if lengths differ, and those of the channel.
pub fn and(s: &mut Session, triples: Triples, x: &Bits, y: &Bits) -> Result<Bits> {
    Ok(and_shared(s, triples, x, &[y])?.remove(0))
}

/// `x | y`, bit by bit: as [`and`].
///
/// # Errors
/// As [`and`].
pub fn or(s: &mut Session, triples: Triples, x: &Bits, y: &Bits) -> Result<Bits> {
    let both = and(s, triples, x, y)?;
    Ok(&(x ^ y) ^ &both)
}

/// The ANDs of any number of pairs, each of two batches of one length: 1 round, 2 bits each way
/// for each AND. Takes as many triples as there are ANDs.
///
/// # Errors
/// As [`and`].
pub fn and_pairs(s: &mut Session, triples: Triples, pairs: &[(&Bits, &Bits)]) -> Result<Vec<Bits>> {
    pairs.iter().try_for_each(|(x, y)| same("bits of an AND's operands", x.len(), y.len()))?;
    let (x, y) = (Bits::concat(pairs.iter().map(|p| p.0)), Bits::concat(pairs.iter().map(|p| p.1)));
    let all = and(s, triples, &x, &y)?;
    let mut from = 0;
    let cut = |(x, _): &(&Bits, &Bits)| {
        from += x.len();
        all.range(from - x.len()..from)
    };
    Ok(pairs.iter().map(cut).collect())
}

/// The ANDs of `x` with each of `ys`, opening `x` once: 1 round, `ys.len() + 1` bits each way for
/// each bit of `x`. The triples must be [`Triples::shared`] for as many.
///
/// # Errors
/// As [`and`].
pub fn and_shared(s: &mut Session, triples: Triples, x: &Bits, ys: &[&Bits]) -> Result<Vec<Bits>> {
    Ok(and_all(s, vec![Ands { x, ys: ys.to_vec(), triples }])?.remove(0))
}

/// Several sets of ANDs in 1 round; a vector of results for each.
///
/// # Errors
/// As [`and`].
pub fn and_all(s: &mut Session, sets: Vec<Ands>) -> Result<Vec<Vec<Bits>>> {
    Ok(and_all_beside(s, sets, Vec::new(), 0)?.0)
}

/// [`and_all`], with a message of this party's beside, and one of so many bytes of the peer's, unless they are empty.
///
/// # Errors
/// As [`and`].
pub(crate) fn and_all_beside(
    s: &mut Session,
    sets: Vec<Ands>,
    mine: Vec<u8>,
    theirs: usize,
) -> Result<(Vec<Vec<Bits>>, Vec<u8>)> {
    for set in &sets {
        same("triples for the ANDs", set.x.len(), set.triples.len())?;
        same("ANDs a triple is for", set.ys.len(), set.triples.products())?;
        set.ys.iter().try_for_each(|y| same("bits of an AND's operands", set.x.len(), y.len()))?;
    }
    let role = s.role();
    let all = || {
        let sets = sets.iter().enumerate();
        sets.flat_map(|(i, set)| pieces(set.x.len()).map(move |at| (i, at)))
    };
    // The products of the triples become those of the operands, in place.
    let out = sets.iter().map(|set| set.triples.products.iter().map(|c| c.words().to_vec()).collect());
    let mut state = (all(), all(), Zeroizing::new(out.collect::<Vec<Vec<Vec<u64>>>>()));
    let (mut mine, mut beside) = (Some(mine).filter(|mine| !mine.is_empty()), Vec::new());
    s.duplex(
        &mut state,
        |_, (pieces, _, _)| Ok(pieces.next().map(|(i, at)| sets[i].masked(&at)).or_else(|| mine.take())),
        |s, (_, pieces, out)| match pieces.next() {
            Some((i, at)) => sets[i].multiply(s, role, &at, &mut out[i]).map(|()| true),
            None if beside.len() < theirs => {
                beside = s.recv(theirs)?;
                Ok(true)
            }
            None => Ok(false),
        },
    )?;
    let batch = |(set, columns): (&Ands, Vec<Vec<u64>>)| {
        columns.into_iter().map(|words| Bits::new(set.x.len(), words)).collect()
    };
    Ok((sets.iter().zip(std::mem::take(&mut *state.2)).map(batch).collect(), beside))
}

impl Ands<'_> {
    /// Operands and the shares that mask them, the common one first.
    fn operands(&self) -> impl Iterator<Item = (&Bits, &Bits)> {
        let others = self.ys.iter().zip(&self.triples.a).map(|(&y, a)| (y, a));
        std::iter::once((self.x, &self.triples.b)).chain(others)
    }

    /// Step 1 for some words: this party's message. Public: every operand is masked by a share of
    /// a random bit that serves only here.
    fn masked(&self, at: &Range<usize>) -> Vec<u8> {
        let len = wire_len(self.x.len(), at);
        let mut message = Vec::with_capacity(len * (self.ys.len() + 1));
        for (x, a) in self.operands() {
            let words = x.words()[at.clone()].iter().zip(&a.words()[at.clone()]);
            let start = message.len();
            words.for_each(|(x, a)| message.extend_from_slice(&(x ^ a).to_le_bytes()));
            message.truncate(start + len);
        }
        message
    }

    /// Steps 1 and 2 for some words, from the peer's message; `out` holds the triples' products.
    fn multiply(&self, s: &mut Session, role: Role, at: &Range<usize>, out: &mut [Vec<u64>]) -> Result<()> {
        let len = wire_len(self.x.len(), at);
        let message = s.recv(len * (self.ys.len() + 1))?;
        let mut parts = message.chunks_exact(len.max(1)).zip(self.operands());
        let mut open = |to: &mut [u64]| {
            let Some((bytes, (x, a))) = parts.next() else { return };
            bytemuck::cast_slice_mut(to)[..len].copy_from_slice(bytes);
            let mine = x.words()[at.clone()].iter().zip(&a.words()[at.clone()]);
            to.iter_mut().zip(mine).for_each(|(w, (x, a))| *w ^= x ^ a);
        };
        // Public, as all that is opened.
        let (mut d, mut e) = (vec![0u64; at.len()], vec![0u64; at.len()]);
        open(&mut d);
        let both = (role as u64).wrapping_sub(1); // all ones at P0
        let b = &self.triples.b.words()[at.clone()];
        for (a, z) in self.triples.a.iter().zip(out) {
            open(&mut e);
            let shares = d.iter().zip(&e).zip(&a.words()[at.clone()]).zip(b);
            for ((((d, e), a), b), z) in shares.zip(&mut z[at.clone()]) {
                *z ^= d & a ^ e & b ^ d & e & both;
            }
        }
        Ok(())
    }
}
