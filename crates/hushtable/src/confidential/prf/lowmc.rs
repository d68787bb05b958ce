//! LowMC on shared inputs, under a key of one party.

use prim::{
    Block, Wiped,
    lowmc::{self, BITS, BOXES, LowMc, RoundKeys},
};

use super::{
    ands::{Layer, Local, Shared, Stock, constant, repeated, spread},
    job::PrfJob,
};
use crate::{error::Result, gates::Bits, session::Session};

/// Shares of the bits of the values at the inputs of which `x` has the bits.
pub(super) fn eval(
    session: &mut Session,
    stock: &mut Stock,
    job: &PrfJob,
    keys: Option<&RoundKeys>,
    x: &[Bits],
) -> Result<Vec<Bits>> {
    let (cipher, count, blocks) = (LowMc::standard(), x[0].len(), job.blocks());
    let mut layer = Shared { session, stock };
    let mut state = first_layer(&mut layer, job, keys, x)?;
    for round in 1..=cipher.rounds() {
        if round > 1 {
            let free = state.split_off(3 * BOXES);
            state = substitute(&mut layer, &state)?;
            state.extend(free);
        }
        let rows = if round == cipher.rounds() { job.bits_of(0) } else { BITS };
        state = multiply(&cipher.linear(round)[..rows], &state);
        add(keys.map(|keys| keys.of(round)), &mut state);
    }
    let batch = |block: usize, bit: &Bits| bit.range(block * count..(block + 1) * count);
    Ok((0..blocks)
        .flat_map(|block| state[..job.bits_of(block)].iter().map(move |bit| batch(block, bit)))
        .collect())
}

/// The key before round 1 and its S-boxes: those with bits of the inputs on shares, for all blocks at once, the others
/// at the owner, for all inputs at once.
fn first_layer(
    layer: &mut Shared<'_>,
    job: &PrfJob,
    keys: Option<&RoundKeys>,
    x: &[Bits],
) -> Result<Vec<Bits>> {
    let (count, blocks, mine) = (x[0].len(), job.blocks(), u128::from(keys.is_some()));
    let number = |i: usize| (0..blocks).map(move |block| (job.cipher.input(0, block).0 >> i & mine) as u64);
    let reached = 3 * x.len().div_ceil(3);
    let mut shared: Vec<Bits> = x.to_vec();
    shared.resize_with(reached, || constant(count, 0));
    let mut known: Vec<Bits> = (reached..BITS).map(|i| Bits::collect(number(i))).collect();
    let key = keys.map(|keys| keys.of(0));
    add(key, &mut shared);
    add(key.map(|key| Block(key.0 >> reached)), &mut known);
    let free = known.split_off(3 * BOXES - reached);
    let shared = substitute(layer, &shared)?;
    let known = if keys.is_some() { substitute(&mut Local, &known)? } else { known };
    let shared = shared.iter().map(|bit| repeated(bit, blocks));
    Ok(shared.chain(known.iter().chain(&free).map(|bit| spread(bit, count))).collect())
}

/// The S-box of each three bits, the lowest first: `(c + a + b + ab, b + a + ac, a + bc)`.
fn substitute(layer: &mut impl Layer, bits: &[Bits]) -> Result<Vec<Bits>> {
    let plane = |k: usize| Bits::concat(bits.iter().skip(k).step_by(3));
    let (c, b, a) = (plane(0), plane(1), plane(2));
    let products = layer.ands(&[(&a, vec![&b, &c]), (&b, vec![&c])])?;
    let [ab, ac, bc] = &products[..] else { unreachable!("a product for each AND") };
    let sum = &a ^ &b;
    let planes = [&(&c ^ &sum) ^ ab, &sum ^ ac, &a ^ bc];
    let len = bits[0].len();
    let bit = |i: usize| planes[i % 3].range(i / 3 * len..(i / 3 + 1) * len);
    Ok((0..bits.len()).map(bit).collect())
}

/// These rows of a matrix times the bits. Local.
fn multiply(rows: &[u128], bits: &[Bits]) -> Vec<Bits> {
    let (len, width) = (bits[0].len(), bits[0].words().len());
    let mut planes = Wiped::from(Vec::with_capacity(bits.len() * width));
    bits.iter().for_each(|bit| planes.extend_from_slice(bit.words()));
    let mut out = Wiped::zeros(rows.len() * width);
    lowmc::multiply(rows, &planes, width, &mut out);
    out.chunks_exact(width).map(|words| Bits::new(len, words.to_vec())).collect()
}

/// Adds a block that the owner has.
fn add(key: Option<Block>, bits: &mut [Bits]) {
    let Some(key) = key else { return };
    for (i, bit) in bits.iter_mut().enumerate() {
        *bit = &*bit ^ &constant(bit.len(), (key.0 >> i & 1) as u64);
    }
}
