//! Keys: made offline; placed online, and evaluated at all points.

use std::{hint::black_box, io::Read};

use hushtable::{
    Error, Party, Role,
    bill::Bill,
    fss::{Dcf, Dpf, End, KeyShape},
    onehot::{Cyclic, Group, Xor},
    share::{Additive, Bitwise, Kind, Share, Sharing},
};
use hushtable_columns::failure::{Failure, Result};

use super::asked::{FssWork, Index, Object};
use crate::{
    inputs,
    lanes::{self, Lanes},
};

pub fn bill(work: &FssWork) -> Result<Bill> {
    match work.index {
        Index::Xor => bill_of::<Xor>(work),
        Index::Additive => bill_of::<Cyclic>(work),
    }
}

fn bill_of<G: Group>(work: &FssWork) -> Result<Bill> {
    let shape = |bits| KeyShape { position: work.bits, bits, words: 1 };
    Ok(match (work.object, work.payload_bits) {
        (Object::Dpf, None) => Dpf::<G, Bitwise>::bit_bill(work.bits),
        (Object::Dpf, Some(1)) => Dpf::<G, Bitwise>::bill(shape(1)),
        (Object::Dpf, Some(bits)) => Dpf::<G, Additive>::bill(shape(bits)),
        (Object::Dcf, None) => Dcf::<G, Bitwise>::bit_bill(work.bits),
        (Object::Dcf, Some(1)) => Dcf::<G, Bitwise>::bill(shape(1)),
        (Object::Dcf, Some(bits)) => Dcf::<G, Additive>::bill(shape(bits)),
        _ => return Err(no_key()),
    }?)
}

pub fn run(work: &FssWork, lanes: Lanes) -> Result<()> {
    match (work.index, work.payload_bits) {
        (Index::Xor, None | Some(1)) => run_of::<Xor, Bitwise>(work, lanes),
        (Index::Xor, _) => run_of::<Xor, Additive>(work, lanes),
        (Index::Additive, None | Some(1)) => run_of::<Cyclic, Bitwise>(work, lanes),
        (Index::Additive, _) => run_of::<Cyclic, Additive>(work, lanes),
    }
}

/// Shares that the party `role` has of the positions and payloads of a lane.
struct Inputs<G: Group, K: Kind> {
    positions: Share<G::Kind, u32>,
    payload: Share<K, u64>,
}

impl<G: Group, K: Kind> Inputs<G, K> {
    fn of(work: &FssWork, role: Role, lane: usize, items: usize) -> Self {
        let words = |label| inputs::words(label, role as u64, lane as u64).take(items);
        let positions = Share::new(work.bits, words("position").map(|w| w as u32).collect());
        let payload = match work.payload_bits {
            Some(bits) => Share::new(bits, words("payload").collect()),
            None => Share::new(1, vec![1 - role as u64; items]),
        };
        Self { positions, payload }
    }
}

fn run_of<G: Group, K: Kind>(work: &FssWork, lanes: Lanes) -> Result<()> {
    let role = lanes.role();
    let of = |(lane, &items): (usize, &usize)| Inputs::<G, K>::of(work, role, lane, items);
    let inputs: Vec<_> = lanes.items().iter().enumerate().map(of).collect();
    let again: Vec<_> = lanes.items().iter().enumerate().map(of).collect();
    let (bits, end) = (work.bits, End::Before);
    let done = match (work.object, work.payload_bits) {
        (Object::Dpf, None) => lanes.measure(
            again,
            inputs,
            |p, x| Dpf::<G, Bitwise>::prepare_bit(p, bits, x.payload.len()),
            |p: &mut Party, keys, x| {
                let mut sums = Sums::<Bitwise>::new(x.payload.len());
                keys.at(p, &x.positions)?.eval_bits(|key, row| sums.add(key, row))?;
                Ok(sums.0)
            },
        ),
        (Object::Dpf, Some(_)) => lanes.measure(
            again,
            inputs,
            |p, x| Dpf::<G, K>::prepare(p, bits, &[x.payload]),
            |p, keys, x| sums::<K>(x.payload.len(), |f| keys.at(p, &x.positions)?.eval_all(f)),
        ),
        (Object::Dcf, None) => lanes.measure(
            again,
            inputs,
            |p, x| Dcf::<G, Bitwise>::prepare_bit(p, bits, x.payload.len()),
            |p, keys, x| sums::<Bitwise>(x.payload.len(), |f| keys.at(p, &x.positions)?.eval_all(end, f)),
        ),
        (Object::Dcf, Some(_)) => lanes.measure(
            again,
            inputs,
            |p, x| Dcf::<G, K>::prepare(p, bits, &[x.payload]),
            |p, keys, x| sums::<K>(x.payload.len(), |f| keys.at(p, &x.positions)?.eval_all(end, f)),
        ),
        _ => return Err(no_key()),
    }?;
    let words = || done.results.iter().flatten().copied();
    done.verify(words, |from| check::<G, K>(work, &done.results, from))
}

fn no_key() -> Failure {
    Failure::new("the object is no key")
}

/// Sums of each key's values.
struct Sums<K>(Vec<u64>, std::marker::PhantomData<K>);

impl<K: Kind> Sums<K> {
    fn new(keys: usize) -> Self {
        Self(vec![0; keys], std::marker::PhantomData)
    }

    fn add(&mut self, key: usize, values: &[u64]) {
        self.0[key] = black_box(values).iter().fold(self.0[key], |sum, &x| K::combine(sum, x));
    }
}

fn sums<K: Kind>(
    keys: usize,
    eval: impl FnOnce(&mut dyn FnMut(usize, u32, &[u64])) -> std::result::Result<(), Error>,
) -> std::result::Result<Vec<u64>, Error> {
    let mut sums = Sums::<K>::new(keys);
    eval(&mut |key, _, values| sums.add(key, values))?;
    Ok(sums.0)
}

/// What the values of a function sum to.
fn expected(work: &FssWork, sharing: Sharing, position: u32, payload: u64) -> u64 {
    match (work.object, sharing) {
        // Its values lie 64 a word.
        (Object::Dpf, _) if work.payload_bits.is_none() => 1 << (position % 64),
        (Object::Dpf, _) => payload,
        (_, Sharing::Xor) => payload * u64::from(position & 1),
        (_, Sharing::Additive) => payload.wrapping_mul(position.into()),
    }
}

fn check<G: Group, K: Kind>(work: &FssWork, results: &[Vec<u64>], from: &mut dyn Read) -> Result<()> {
    let bits = if work.object == Object::Dpf && work.payload_bits.is_none() {
        64
    } else {
        work.payload_bits.unwrap_or(1)
    };
    let cut = |x: u64, bits: u32| if bits < 64 { x & ((1 << bits) - 1) } else { x };
    for (lane, mine) in results.iter().enumerate() {
        let [a, b] = [Role::P0, Role::P1].map(|role| Inputs::<G, K>::of(work, role, lane, mine.len()));
        for (i, &mine) in mine.iter().enumerate() {
            let [x, y] = [&a, &b].map(|of| u64::from(of.positions.words()[i]));
            let position = cut(<G::Kind as Kind>::combine(x, y), work.bits) as u32;
            let payload = cut(K::combine(a.payload.words()[i], b.payload.words()[i]), a.payload.bits());
            let found = cut(K::combine(lanes::word(from)?, mine), bits);
            if found != cut(expected(work, K::SHARING, position, payload), bits) {
                return Err(Failure::Check(format!("key {i} of lane {lane} has wrong values")));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_every_key() {
        let (fraction_bits, index, bits) = (None, Index::Xor, 9);
        for (object, payload_bits) in [(Object::Dpf, None), (Object::Dpf, Some(1)), (Object::Dcf, Some(1))] {
            let (intervals, digit_bits) = (4, None);
            let work = FssWork {
                object,
                bits,
                fraction_bits,
                payload_bits,
                intervals,
                digit_bits,
                additive: false,
                index,
                batch: 30,
            };
            let of = |role| Inputs::<Xor, Bitwise>::of(&work, role, 0, 30);
            let (a, b) = (of(Role::P0), of(Role::P1));
            let want = |i: usize| {
                let position = a.positions.words()[i] ^ b.positions.words()[i];
                expected(&work, Sharing::Xor, position, a.payload.words()[i] ^ b.payload.words()[i])
            };
            let mine = vec![(0..30).map(|i| i * 77).collect::<Vec<u64>>()];
            let handed: Vec<u8> = (0..30).flat_map(|i| (want(i) ^ mine[0][i]).to_le_bytes()).collect();
            check::<Xor, Bitwise>(&work, &mine, &mut handed.as_slice()).unwrap();
            for at in [0, 8 * 17, 8 * 29] {
                let mut wrong = handed.clone();
                wrong[at] ^= 1;
                let found = check::<Xor, Bitwise>(&work, &mine, &mut wrong.as_slice());
                assert!(matches!(found, Err(Failure::Check(_))), "{object:?}, byte {at}");
            }
        }
    }
}
