//! Keys as Xing et al. make them, a baseline: made whole offline, and evaluated at a public point each; and their equality,
//! whose point is opened first.

use std::io::Read;

use hushtable::{AShare, Role, bill::Bill};
use hushtable_baselines::dfss::{GgmFunction, GgmKeys};
use hushtable_columns::failure::{Failure, Result};
use prim::ring::low;

use super::asked::{FssWork, Object};
use crate::{
    inputs,
    lanes::{self, Lanes},
};

pub fn bill(work: &FssWork) -> Result<Bill> {
    let keys = GgmKeys::bill(function(work), work.bits, payload_bits(work))?;
    let opened = if work.object == Object::GgmEq { Bill::opening(work.bits.into()) } else { Bill::FREE };
    // And two levels of the keys' trees, while they are made.
    Ok((keys + opened).keeping(keys.kept + (192 << work.bits)))
}

fn function(work: &FssWork) -> GgmFunction {
    if work.object == Object::GgmDcf { GgmFunction::Below } else { GgmFunction::Point }
}

fn payload_bits(work: &FssWork) -> u32 {
    work.payload_bits.unwrap_or(work.bits)
}

/// Shares that the party `role` has of the positions, payloads and numbers of a lane.
struct Inputs {
    positions: Vec<u32>,
    payload: AShare<u64>,
    numbers: AShare<u32>,
}

impl Inputs {
    fn of(work: &FssWork, role: Role, lane: usize, items: usize) -> Self {
        let words = |label| inputs::words(label, role as u64, lane as u64).take(items);
        let positions: Vec<u32> = words("position").map(|w| low(w, work.bits) as u32).collect();
        // As large, by one less and by one more.
        let number =
            |(i, &x): (u32, &u32)| if role == Role::P0 { x.wrapping_add(i % 3).wrapping_sub(1) } else { x };
        let numbers = AShare::new(work.bits, (0..).zip(&positions).map(number).collect());
        Self { positions, payload: AShare::new(payload_bits(work), words("payload").collect()), numbers }
    }
}

pub fn run(work: &FssWork, lanes: Lanes) -> Result<()> {
    let (bits, function, opens) = (work.bits, function(work), work.object == Object::GgmEq);
    let of = |role| move |(lane, &items): (usize, &usize)| Inputs::of(work, role, lane, items);
    let all = |role| lanes.items().iter().enumerate().map(of(role)).collect::<Vec<_>>();
    let [mine, theirs] = [lanes.role(), lanes.role().peer()].map(all);
    // What is opened is public, and of keys by themselves so are the points.
    let points = |mine: &Inputs, theirs: &Inputs| {
        let both = mine.numbers.words().iter().zip(theirs.numbers.words());
        both.map(|(a, b)| low(a.wrapping_add(*b).into(), bits) as u32).collect::<Vec<_>>()
    };
    let inputs: Vec<_> = mine.iter().zip(&theirs).map(|(a, b)| (a.numbers.clone(), points(a, b))).collect();
    let done = lanes.measure(
        mine,
        inputs,
        |p, x| {
            let mut mask = vec![0u32; x.positions.len()];
            if opens {
                p.rng().words(bits, &mut mask);
            }
            let mask = AShare::new(bits, mask);
            let position = &AShare::new(bits, x.positions) + &mask;
            Ok((GgmKeys::new(p, function, &position, &x.payload)?, mask))
        },
        |p, (keys, mask), (numbers, points)| {
            // Public: masked by a random number that serves only here.
            let opened = if opens { Some(p.open(&(numbers + &mask))?) } else { None };
            Ok(keys.eval(opened.as_ref().unwrap_or(points))?.words().to_vec())
        },
    )?;
    done.verify(|| done.results.iter().flatten().copied(), |from| check(work, &done.results, from))
}

fn check(work: &FssWork, results: &[Vec<u64>], from: &mut dyn Read) -> Result<()> {
    for (lane, mine) in results.iter().enumerate() {
        let [a, b] = [Role::P0, Role::P1].map(|role| Inputs::of(work, role, lane, mine.len()));
        for (i, &mine) in mine.iter().enumerate() {
            let sum = |x: u32, y: u32| low(x.wrapping_add(y).into(), work.bits);
            let alpha = sum(a.positions[i], b.positions[i]);
            let x = sum(a.numbers.words()[i], b.numbers.words()[i]);
            let payload = a.payload.words()[i].wrapping_add(b.payload.words()[i]);
            let holds = if work.object == Object::GgmDcf { x < alpha } else { x == alpha };
            let found = low(lanes::word(from)?.wrapping_add(mine), payload_bits(work));
            let want = if holds { low(payload, payload_bits(work)) } else { 0 };
            if found != want {
                return Err(Failure::Check(format!("key {i} of lane {lane} has a wrong value")));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::work::fss::Index;

    #[test]
    fn verification_sees_every_key() {
        for object in [Object::GgmDpf, Object::GgmDcf, Object::GgmEq] {
            let work = FssWork {
                object,
                bits: 9,
                fraction_bits: None,
                payload_bits: Some(13),
                intervals: 4,
                digit_bits: None,
                additive: false,
                index: Index::Additive,
                batch: 30,
            };
            let [a, b] = [Role::P0, Role::P1].map(|role| Inputs::of(&work, role, 0, 30));
            let mine = vec![vec![5; 30]];
            // Numbers are less by one, equal and greater by one, in turn.
            let holds = if object == Object::GgmDcf { 0 } else { 1 };
            let value = |i: usize| {
                let payload = a.payload.words()[i].wrapping_add(b.payload.words()[i]);
                (if i % 3 == holds { payload } else { 0 }).wrapping_sub(5)
            };
            let handed: Vec<u8> = (0..30).flat_map(|i| value(i).to_le_bytes()).collect();
            check(&work, &mine, &mut handed.as_slice()).unwrap();
            for at in [0, 8 * 17, 8 * 29] {
                let mut wrong = handed.clone();
                wrong[at] ^= 1;
                let found = check(&work, &mine, &mut wrong.as_slice());
                assert!(matches!(found, Err(Failure::Check(_))), "{object:?}, byte {at}");
            }
        }
    }
}
