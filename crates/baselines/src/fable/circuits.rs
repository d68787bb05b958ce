//! Circuits of AND gates on batches of words: greater, equal, exchange of neighbours.

use zeroize::Zeroizing;

use hushtable::{
    error::Result,
    gates::{Ands, Bits, Triples, and, and_all, and_shared},
    session::Session,
    share::BShare,
};

/// Triples by the ANDs that have an operand in common.
pub(super) struct Gates {
    pub one: Triples,
    pub two: Triples,
}

/// ANDs of one operand, and of two others with a common one, of a comparison of words of `bits` bits.
pub(super) fn greater_ands(bits: u32) -> [usize; 2] {
    let levels = depth(bits);
    [(bits + levels) as usize, (bits - 1 - levels) as usize]
}

/// Levels of a tree with so many leaves.
pub(super) fn depth(leaves: u32) -> u32 {
    u32::BITS - (leaves - 1).leading_zeros()
}

/// Whether `x > y`, of words in planes of bits, the lowest first: `1 + depth` rounds.
///
/// A node has whether its bits of x are greater and whether they are equal; two nodes make one by the ANDs of what the
/// higher says of equality with both bits of the lower. Of the lowest node nobody asks whether it is equal.
pub(super) fn greater(s: &mut Session, gates: &mut Gates, x: &[Bits], y: &[Bits]) -> Result<Bits> {
    let role = s.role();
    let len = x[0].len();
    let not_y: Vec<Bits> = y.iter().map(|y| y.not(role)).collect();
    let leaves =
        and(s, gates.one.take(x.len() * len)?, &Bits::concat(x.iter()), &Bits::concat(not_y.iter()))?;
    let mut nodes: Vec<[Bits; 2]> =
        (0..x.len()).map(|i| [leaves.range(i * len..(i + 1) * len), (&x[i] ^ &y[i]).not(role)]).collect();
    while nodes.len() > 1 {
        let pairs = || nodes.chunks_exact(2).skip(1);
        let upper = Bits::concat(pairs().map(|pair| &pair[1][1]));
        let [lower_greater, lower_equal] = [0, 1].map(|i| Bits::concat(pairs().map(|pair| &pair[0][i])));
        let [one, two] = [gates.one.take(len)?, gates.two.take(upper.len())?];
        let mut sets = vec![Ands { x: &nodes[1][1], ys: vec![&nodes[0][0]], triples: one }];
        if !upper.is_empty() {
            sets.push(Ands { x: &upper, ys: vec![&lower_greater, &lower_equal], triples: two });
        }
        let products = and_all(s, sets)?;
        let mut next = vec![[&nodes[1][0] ^ &products[0][0], Bits::new(0, Vec::new())]];
        for (i, pair) in pairs().enumerate() {
            let of = |product: usize| products[1][product].range(i * len..(i + 1) * len);
            next.push([&pair[1][0] ^ &of(0), of(1)]);
        }
        if nodes.len() % 2 == 1 {
            next.extend(nodes.pop());
        }
        nodes = next;
    }
    let [greater, _] = nodes.remove(0);
    Ok(greater)
}

/// The AND of all planes: `depth` rounds, an AND less than there are planes.
pub(super) fn all(s: &mut Session, one: &mut Triples, mut planes: Vec<Bits>) -> Result<Bits> {
    while planes.len() > 1 {
        let [x, y] = [0, 1].map(|i| Bits::concat(planes.chunks_exact(2).map(|pair| &pair[i])));
        let len = planes[0].len();
        let products = and(s, one.take(x.len())?, &x, &y)?;
        let mut next: Vec<Bits> =
            (0..planes.len() / 2).map(|i| products.range(i * len..(i + 1) * len)).collect();
        if planes.len() % 2 == 1 {
            next.extend(planes.pop());
        }
        planes = next;
    }
    Ok(planes.remove(0))
}

/// Shares of whether two batches of words of `bits` bits are equal, plane by plane.
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
