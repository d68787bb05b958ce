//! The ANDs of a layer: of shared bits by triples, or of bits that this party has alone.

use crate::{
    bill::Bill,
    error::Result,
    gates::{Ands, Bits, Triples, and_all},
    session::Session,
    source::Source,
};

/// An operand, and one or two others that it is ANDed with.
pub(super) type Group<'a> = (&'a Bits, Vec<&'a Bits>);

/// What computes a layer.
pub(super) trait Layer {
    /// The ANDs of all groups, in order.
    fn ands(&mut self, groups: &[Group<'_>]) -> Result<Vec<Bits>>;
}

/// Triples for single ANDs, and for two with a common operand.
pub(super) struct Stock([Triples; 2]);

impl Stock {
    pub fn prepare(p: &mut dyn Source, one: usize, two: usize) -> Result<Self> {
        Ok(Self([Triples::shared(p, one, 1)?, Triples::shared(p, two, 2)?]))
    }

    /// What so many of each cost, but for the rounds.
    pub fn bill([one, two]: [usize; 2]) -> Bill {
        Triples::bill(1).times(one).beside(Triples::bill(2).times(two))
    }
}

/// Of shared bits: 1 round.
pub(super) struct Shared<'a> {
    pub session: &'a mut Session,
    pub stock: &'a mut Stock,
}

impl Layer for Shared<'_> {
    fn ands(&mut self, groups: &[Group<'_>]) -> Result<Vec<Bits>> {
        let of = |k: usize| groups.iter().filter(move |group| group.1.len() == k);
        let xs = [1, 2].map(|k| Bits::concat(of(k).map(|group| group.0)));
        let other = |k: usize, j: usize| Bits::concat(of(k).map(|group| group.1[j]));
        let ys = [vec![other(1, 0)], vec![other(2, 0), other(2, 1)]];
        let mut sets = Vec::new();
        for ((x, ys), triples) in xs.iter().zip(&ys).zip(&mut self.stock.0) {
            sets.push(Ands { x, ys: ys.iter().collect(), triples: triples.take(x.len())? });
        }
        let products = and_all(self.session, sets)?;
        let mut used = [0; 2];
        let mut all = Vec::new();
        for (x, ys) in groups {
            let (set, from) = (&products[ys.len() - 1], &mut used[ys.len() - 1]);
            all.extend(set.iter().map(|product| product.range(*from..*from + x.len())));
            *from += x.len();
        }
        Ok(all)
    }
}

/// Of bits that this party has alone.
pub(super) struct Local;

impl Layer for Local {
    fn ands(&mut self, groups: &[Group<'_>]) -> Result<Vec<Bits>> {
        let and = |x: &Bits, y: &Bits| {
            Bits::new(x.len(), x.words().iter().zip(y.words()).map(|(x, y)| x & y).collect())
        };
        Ok(groups.iter().flat_map(|(x, ys)| ys.iter().map(|y| and(x, y))).collect())
    }
}

/// So many equal bits; `bit` may be secret.
pub(super) fn constant(len: usize, bit: u64) -> Bits {
    // `vec![word; n]` asks whether the word is zero.
    let mut words = vec![0; len.div_ceil(64)];
    words.iter_mut().for_each(|word| *word = bit.wrapping_neg());
    Bits::new(len, words)
}

/// A batch for each of `blocks` blocks, one behind the other.
pub(super) fn repeated(bits: &Bits, blocks: usize) -> Bits {
    Bits::concat(std::iter::repeat_n(bits, blocks))
}

/// Each bit `count` times, one behind the other.
pub(super) fn spread(bits: &Bits, count: usize) -> Bits {
    let parts: Vec<Bits> = bits.iter().map(|bit| constant(count, bit)).collect();
    Bits::concat(parts.iter())
}
