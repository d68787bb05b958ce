//! A public table as a Boolean circuit on shared bits, evaluated on many inputs side by side.
//!
//! A table of d index bits is, for each output bit, a sum of products of index bits. The index is
//! split into h high and `d - h` low bits. All products of low bits and all of high bits are made
//! first; with a coefficient for each pair, an output bit is
//! `sum over products H of high bits of H * (sum of some products of low bits)`, which takes one AND
//! for each H but the empty one. In all
//! `(2^h - h - 1) + (2^(d-h) - (d-h) - 1) + l (2^h - 1)`, for the h with the fewest.

use std::sync::Arc;

use prim::{ring::Ring, rows::Shift};

use crate::{
    circuit::{Builder, Made, Netlist, Span, Wire},
    lut::Table,
    net::Role,
};

/// ANDs of a table of `d` index bits and `l` output bits.
pub(super) fn ands(d: u32, l: u32) -> usize {
    cost(split(d, l), d, l)
}

/// Rounds of the same.
pub(super) fn rounds(d: u32, l: u32) -> u32 {
    let high = split(d, l);
    high.max(d - high).next_power_of_two().ilog2() + u32::from(high > 0)
}

/// The number of high bits that takes the fewest ANDs.
fn split(d: u32, l: u32) -> u32 {
    (0..d).min_by_key(|&h| cost(h, d, l)).expect("an index bit")
}

fn cost(h: u32, d: u32, l: u32) -> usize {
    let products = |bits: u32| (1usize << bits) - bits as usize - 1;
    products(h) + products(d - h) + l as usize * ((1 << h) - 1)
}

/// The circuit. In: ones, which P0 knows; an index, lowest bit first, that is shared, or the numbers that P0 and P1 know
/// and whose sum it is. Out: the bits of the entry, lowest first. Its rounds depend on the sizes alone.
pub(super) fn netlist<R: Ring>(shift: Shift, table: &Table<R>) -> Arc<Netlist> {
    static MADE: Made<(bool, u32, Vec<u64>), 4> = Made::new();
    let coefficients = coefficients(table);
    MADE.get((shift == Shift::Xor, table.bits(), coefficients.clone()), || {
        made(shift, [table.index_bits(), table.bits()], &coefficients)
    })
}

fn made(shift: Shift, [d, l]: [u32; 2], coefficients: &[u64]) -> Arc<Netlist> {
    let mut b = Builder::new(&[1]);
    let one = b.input(Span::Each(1), Some(Role::P0));
    let index = match shift {
        Shift::Cyclic => sum(&mut b, d as usize),
        Shift::Xor => b.inputs(d as usize),
    };
    let low = (d - split(d, l)) as usize;
    let (low_bits, high_bits) = index.split_at(low);
    let [low_products, high_products] = products(&mut b, [low_bits, high_bits]);
    let low_products = [&[one], &low_products[..]].concat();
    let zero = b.xor(&[one, one]);
    // For an output bit, the factor of the product H of high bits, or the summand without (H = 0).
    let mut factor = |bit: u32, high: usize| {
        let part = low_products.iter().zip(&coefficients[high << low..]);
        let sum: Vec<Wire> = part.filter(|(_, c)| *c >> bit & 1 == 1).map(|(product, _)| *product).collect();
        if sum.is_empty() { zero } else { b.xor(&sum) }
    };
    let factors: Vec<Vec<Wire>> =
        (0..l).map(|bit| (0..=high_products.len()).map(|high| factor(bit, high)).collect()).collect();
    let terms = factors.iter().flat_map(|f| high_products.iter().copied().zip(f[1..].chunks(1)));
    b.barrier();
    let terms = b.ands(&terms.collect::<Vec<_>>());
    let mut terms = terms.chunks(high_products.len().max(1));
    let out = factors.iter().map(|f| b.xor(&[&f[..1], terms.next().unwrap_or_default()].concat()));
    let out: Vec<Wire> = out.collect();
    b.finish(&out)
}

/// The sum mod `2^d` of a number of P0's and one of P1's: `d - 1` ANDs, `d - 1` rounds.
fn sum(b: &mut Builder, d: usize) -> Vec<Wire> {
    let [at_p0, at_p1] = [Role::P0, Role::P1]
        .map(|role| (0..d).map(|_| b.input(Span::Each(1), Some(role))).collect::<Vec<_>>());
    let mut out = vec![b.xor(&[at_p0[0], at_p1[0]])];
    // The carry into a bit; into the lowest there is none.
    let mut carry: Vec<Wire> = Vec::new();
    for i in 1..d {
        // carry' = carry ^ (a ^ carry)(b ^ carry)
        let [x, y] = [at_p0[i - 1], at_p1[i - 1]].map(|bit| b.xor(&[&[bit], &carry[..]].concat()));
        carry.push(b.and(x, y));
        carry = vec![b.xor(&carry)];
        out.push(b.xor(&[at_p0[i], at_p1[i], carry[0]]));
    }
    out
}

/// All products of one or more bits, for two sets of bits at once: number `m - 1` is that of the
/// bits in the mask m. Neighbouring halves are joined, so products double with every round.
fn products(b: &mut Builder, sets: [&[Wire]; 2]) -> [Vec<Wire>; 2] {
    let mut sets = sets.map(|bits| bits.iter().map(|bit| vec![*bit]).collect::<Vec<_>>());
    while sets.iter().any(|set| set.len() > 1) {
        let joined = sets.iter().flat_map(|set| set.chunks_exact(2));
        let pairs =
            joined.flat_map(|pair| pair[1].chunks(1).flat_map(|y| pair[0].iter().map(move |x| (*x, y))));
        b.barrier();
        let mut made = b.ands(&pairs.collect::<Vec<_>>()).into_iter();
        sets = sets.map(|set| {
            set.chunks(2)
                .map(|pair| match pair {
                    [low, high] => join(low, high, &mut made),
                    odd => odd.concat(),
                })
                .collect()
        });
    }
    sets.map(|mut set| set.pop().unwrap_or_default())
}

/// The products of two sets of bits, from those of each and, in order, those across.
fn join(low: &[Wire], high: &[Wire], across: &mut impl Iterator<Item = Wire>) -> Vec<Wire> {
    let mut all = low.to_vec();
    for high in high {
        all.push(*high);
        all.extend(across.by_ref().take(low.len()));
    }
    all
}

/// The coefficients of all products, for all output bits at once: entry m is for that of the index
/// bits in the mask m.
fn coefficients<R: Ring>(table: &Table<R>) -> Vec<u64> {
    let mut c: Vec<u64> = table.columns()[0].iter().map(|e| e.to_u64()).collect();
    let n = c.len();
    for step in (0..n.ilog2()).map(|bit| 1 << bit) {
        for i in (0..n).filter(|i| i & step != 0) {
            c[i] ^= c[i ^ step];
        }
    }
    c
}
