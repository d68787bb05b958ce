//! Whether what was found is a row: all bits behind it are zero.
//!
//! The bits are ORed pairwise, and the row is ANDed with what says that it is there.

use crate::{
    bill::Bill,
    error::Result,
    gates::{Ands, Bits, Triples, and, and_all},
    party::Party,
    session::Session,
};

/// Most ANDs with one operand that a triple is for.
const TOGETHER: usize = 64;

/// One-time material for a batch.
pub(in crate::confidential) struct Presence {
    tag: Zeros,
    row: Vec<Triples>,
}

/// One-time material for saying of a batch whether all bits of an item are zero.
pub(in crate::confidential) struct Zeros {
    /// For the levels of the tree, the first one last.
    levels: Vec<Triples>,
}

impl Zeros {
    /// Offline: for `count` items of so many bits, 1 or more.
    pub(crate) fn prepare(p: &mut Party, bits: usize, count: usize) -> Result<Self> {
        let mut made: Vec<Triples> =
            levels(bits).map(|ands| Triples::random(p, ands * count)).collect::<Result<_>>()?;
        made.reverse();
        Ok(Self { levels: made })
    }

    /// What `count` items cost.
    pub(crate) fn bill(bits: usize, count: usize) -> Bill {
        let mut bill = Triples::bill(1).times(levels(bits).sum::<usize>() * count);
        bill.online.rounds = if count == 0 { 0 } else { levels(bits).count() as u32 };
        bill
    }

    /// Online: whether all bits of each item are zero.
    pub(crate) fn eval(mut self, s: &mut Session, bits: &[Bits]) -> Result<Bits> {
        let role = s.role();
        let mut zero: Vec<Bits> = bits.iter().map(|bit| bit.not(role)).collect();
        while let Some(triples) = self.levels.pop() {
            let half = zero.len() / 2;
            let len = zero[0].len();
            let [left, right] = [0, half].map(|from| Bits::concat(zero[from..from + half].iter()));
            let both = and(s, triples, &left, &right)?;
            zero.drain(..2 * half);
            zero.extend((0..half).map(|i| both.range(i * len..(i + 1) * len)));
        }
        Ok(zero.pop().expect("a bit at least"))
    }
}

/// ANDs of each level, for so many bits.
fn levels(bits: usize) -> impl Iterator<Item = usize> {
    let half = |&bits: &usize| (bits > 1).then(|| bits.div_ceil(2));
    std::iter::successors(Some(bits), half).map(|bits| bits / 2).filter(|&ands| ands > 0)
}

/// How many columns each set of the row's ANDs has.
fn sets(row_bits: usize) -> impl Iterator<Item = usize> {
    (0..row_bits).step_by(TOGETHER).map(move |from| TOGETHER.min(row_bits - from))
}

impl Presence {
    /// Offline: for `count` rows with `tag_bits` behind each.
    pub(crate) fn prepare(p: &mut Party, tag_bits: usize, row_bits: usize, count: usize) -> Result<Self> {
        let tag = Zeros::prepare(p, tag_bits, count)?;
        let row = sets(row_bits).map(|columns| Triples::shared(p, count, columns)).collect::<Result<_>>()?;
        Ok(Self { tag, row })
    }

    /// What `count` rows cost.
    pub(crate) fn bill(tag_bits: usize, row_bits: usize, count: usize) -> Bill {
        let tree = Zeros::bill(tag_bits, count);
        let row = sets(row_bits).fold(Bill::FREE, |sum, columns| sum + Triples::bill(columns).times(count));
        let mut bill = tree + row;
        bill.online.rounds = tree.online.rounds + 1;
        bill
    }

    /// Online: the row's bits, zero unless all bits of the tag are, and whether they are.
    pub(crate) fn eval(self, s: &mut Session, row: &[Bits], tag: &[Bits]) -> Result<(Vec<Bits>, Bits)> {
        let present = self.tag.eval(s, tag)?;
        let columns = row.chunks(TOGETHER);
        let sets = columns.zip(self.row).map(|(columns, triples)| Ands {
            x: &present,
            ys: columns.iter().collect(),
            triples,
        });
        let row = and_all(s, sets.collect())?.into_iter().flatten().collect();
        Ok((row, present))
    }
}
