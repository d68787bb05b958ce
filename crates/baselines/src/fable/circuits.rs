//! Circuits on batches of words: greater, equal; and the exchange of neighbours.

use std::sync::Arc;

use zeroize::Zeroizing;

use hushtable::{
    circuit::{Builder, Layers, Netlist, Wire, merge_orders},
    error::Result,
    gates::{Bits, Triples, and_shared},
    session::Session,
    share::BShare,
};

/// Triples by the ANDs that have an operand in common.
pub(super) struct Gates {
    pub one: Triples,
    pub two: Triples,
}

impl Gates {
    /// The outputs of a circuit at a batch of words.
    pub fn eval(&mut self, s: &mut Session, net: &Arc<Netlist>, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
        let items = inputs[0].len();
        let mut take = |&[size, operands]: &[usize; 2]| match size {
            1 => self.one.take(operands * items),
            _ => self.two.take(operands * items),
        };
        let stock = net.triples().iter().map(&mut take).collect::<Result<_>>()?;
        Layers::with(net, items, stock)?.eval(s, inputs)
    }
}

/// Whether `x > y`, of words of `bits` bits: in are the bits of x, the lowest first, and the complements of those of y.
pub(super) fn greater(bits: u32) -> Arc<Netlist> {
    let mut b = Builder::new(&[1, 2]);
    let (x, not_y) = (b.inputs(bits as usize), b.inputs(bits as usize));
    let leaves: Vec<_> = x.iter().copied().zip(not_y.chunks(1)).collect();
    let mut nodes: Vec<Vec<Wire>> = b.ands(&leaves).chunks(1).map(<[Wire]>::to_vec).collect();
    for (node, (x, y)) in nodes.iter_mut().zip(leaves).skip(1) {
        node.push(b.xor(&[x, y[0]]));
    }
    let order = merge_orders(&mut b, nodes, |b, groups| b.ands(groups));
    b.finish(&order)
}

/// Shares of whether two batches of words are equal, plane by plane.
pub(super) fn equal_planes(s: &Session, x: &[Bits], y: &[Bits]) -> Vec<Bits> {
    x.iter().zip(y).map(|(x, y)| (x ^ y).not(s.role())).collect()
}

/// The planes of some of the words.
pub(super) fn planes(bits: u32, words: impl Iterator<Item = u64>) -> Vec<Bits> {
    Bits::from_share(&BShare::<u64>::new(bits, words.collect()))
}

/// The words of planes.
pub(super) fn words(planes: &[Bits]) -> Zeroizing<Vec<u64>> {
    let share: BShare<u64> = Bits::to_share(planes).expect("planes of one batch");
    Zeroizing::new(share.words().to_vec())
}

/// Adds to both words of each pair what they differ in where the bit is 1: they are exchanged. 1 round.
pub(super) fn exchange(
    s: &mut Session,
    triples: Triples,
    swap: &Bits,
    (bits, state): (u32, &mut [u64]),
    pairs: &[[u32; 2]],
) -> Result<()> {
    let differ = planes(bits, pairs.iter().map(|&[i, j]| state[i as usize] ^ state[j as usize]));
    let chosen = and_shared(s, triples, swap, &differ.iter().collect::<Vec<_>>())?;
    for (&[i, j], change) in pairs.iter().zip(words(&chosen).iter()) {
        state[i as usize] ^= change;
        state[j as usize] ^= change;
    }
    Ok(())
}
