//! Equality and comparison of two numbers whose result carries a shared payload, a baseline.

use std::io::Read;

use hushtable::{AShare, Role, bill::Bill};
use hushtable_baselines::dfss::{PayloadComparison, PayloadEquality};
use hushtable_columns::failure::{Failure, Result};
use prim::ring::low;

use super::asked::{FssWork, Object};
use crate::{
    inputs,
    lanes::{self, Lanes},
};

pub fn bill(work: &FssWork) -> Result<Bill> {
    let (bits, ring) = (work.bits, ring(work));
    Ok(match compares(work) {
        true => PayloadComparison::bill(bits, ring)?,
        false => PayloadEquality::bill(bits, ring)?,
    })
}

fn compares(work: &FssWork) -> bool {
    work.object == Object::CmpPayload
}

fn ring(work: &FssWork) -> u32 {
    work.payload_bits.unwrap_or(work.bits)
}

/// Shares that the party `role` has of the payloads and of both numbers of a lane.
struct Inputs {
    payload: AShare<u64>,
    numbers: [AShare<u32>; 2],
}

impl Inputs {
    fn of(work: &FssWork, role: Role, lane: usize, items: usize) -> Self {
        let words = |label| inputs::words(label, role as u64, lane as u64).take(items);
        let first: Vec<u32> = words("number").map(|w| low(w, work.bits) as u32).collect();
        // As large, by one less and by one more.
        let other = |(i, &x): (u32, &u32)| {
            let other = if role == Role::P0 { x.wrapping_add(i % 3).wrapping_sub(1) } else { x };
            low(other.into(), work.bits) as u32
        };
        let second = (0..).zip(&first).map(other).collect();
        let payload = words("payload").map(|w| low(w, ring(work))).collect();
        let numbers = [first, second].map(|words| AShare::new(work.bits, words));
        Self { payload: AShare::new(ring(work), payload), numbers }
    }
}

/// Material of either gate.
enum Gate {
    Equal(PayloadEquality),
    Less(PayloadComparison),
}

pub fn run(work: &FssWork, lanes: Lanes) -> Result<()> {
    let role = lanes.role();
    let of = |(lane, &items): (usize, &usize)| Inputs::of(work, role, lane, items);
    let (payloads, numbers) =
        lanes.items().iter().enumerate().map(of).map(|mine| (mine.payload, mine.numbers)).unzip();
    let done = lanes.measure(
        payloads,
        numbers,
        |p, payload: AShare<u64>| {
            Ok(match compares(work) {
                true => Gate::Less(PayloadComparison::prepare(p, work.bits, &payload)?),
                false => Gate::Equal(PayloadEquality::prepare(p, work.bits, &payload)?),
            })
        },
        |s, gate, [x, y]: &[AShare<u32>; 2]| {
            let found = match gate {
                Gate::Equal(gate) => gate.eq(s, x, y)?,
                Gate::Less(gate) => gate.less(s, x, y)?,
            };
            Ok(found.words().to_vec())
        },
    )?;
    done.verify(|| done.results.iter().flatten().copied(), |from| check(work, &done.results, from))
}

fn check(work: &FssWork, results: &[Vec<u64>], from: &mut dyn Read) -> Result<()> {
    let (bits, ring) = (work.bits, ring(work));
    for (lane, mine) in results.iter().enumerate() {
        let [a, b] = [Role::P0, Role::P1].map(|role| Inputs::of(work, role, lane, mine.len()));
        for (i, &mine) in mine.iter().enumerate() {
            let number =
                |n: usize| low(a.numbers[n].words()[i].wrapping_add(b.numbers[n].words()[i]).into(), bits);
            let (x, y) = (number(0), number(1));
            let payload = a.payload.words()[i].wrapping_add(b.payload.words()[i]);
            let holds = if compares(work) { x < y } else { x == y };
            let want = if holds { low(payload, ring) } else { 0 };
            if low(lanes::word(from)?.wrapping_add(mine), ring) != want {
                return Err(Failure::Check(format!("result {i} of lane {lane}, of {x} and {y}, is wrong")));
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
    fn verification_sees_every_result() {
        for object in [Object::EqPayload, Object::CmpPayload] {
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
            let value = |i: usize| {
                let sum = |n: usize| (a.numbers[n].words()[i] + b.numbers[n].words()[i]) % 512;
                let (x, y) = (sum(0), sum(1));
                let holds = if object == Object::CmpPayload { x < y } else { x == y };
                let payload = a.payload.words()[i].wrapping_add(b.payload.words()[i]);
                (if holds { payload } else { 0 }).wrapping_sub(5)
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
