//! Objects that are operations: on random numbers, run as the library runs operations, every result compared with
//! plaintext.

use std::{io::Read, ops::Range, sync::Arc};

use apps::{
    fusion::Fusion,
    proximity::{Places, Proximity, RADIUS},
};
use hushtable::{
    Role,
    bill::Bill,
    lut::{LookupJob, Protocol},
    math::{Evaluation, Function, Options, SinCos, Tabulated},
    operation::{self, Intervals, Lookup, Operation, SecretTable},
    share::Sharing,
};
use hushtable_columns::failure::{Failure, Result};
use prim::ring::low;

use super::{
    asked::{FssWork, Object},
    both::Both,
};
use crate::{
    baseline::Baseline,
    inputs,
    lanes::{self, Lanes},
};

/// The distance of a proximity test, in metres, and the weights and threshold of a fusion.
const WITHIN: f64 = 250.0;
const WEIGHTS: [f64; 4] = [1.0, 0.5, 2.0, 0.5];
const THRESHOLD: f64 = 0.7;

/// A row: what both parties give, and what is checked.
struct Row {
    given: [Vec<u64>; 2],
    plain: Plain,
}

enum Plain {
    Number(u64),
    Scores(Vec<f64>),
    /// A distance in metres.
    Apart(f64),
}

pub fn bill(work: &FssWork, items: usize) -> Result<Bill> {
    Ok(operation(work, Role::P0)?.bill(items, &inputs::usual_setting())?)
}

pub fn run(work: &FssWork, lanes: Lanes) -> Result<()> {
    let operation = operation(work, lanes.role())?;
    let piece = operation::batch(operation.as_ref(), work.batch as usize, &inputs::usual_setting())?;
    let inputs = |role: Role, rows: Range<usize>| {
        let count = rows.len();
        let rows: Vec<Row> = drawn(work, rows).take(count).collect();
        let operands = rows.first().map_or(0, |row| row.given[0].len());
        let column = |i: usize| rows.iter().map(|row| row.given[role as usize][i]).collect();
        Ok((0..operands).map(column).collect())
    };
    let done = lanes.operate(piece, |_| Ok(operation.clone()), inputs, |_| ())?;
    done.verify(
        || done.words(),
        |from| done.pieces().try_for_each(|(rows, mine)| check(work, operation.as_ref(), rows, mine, from)),
    )
}

/// What the object is, at the party `role`: only a secret table depends on it.
fn operation(work: &FssWork, role: Role) -> Result<Arc<dyn Operation>> {
    let (bits, half) = (work.bits, 1i64 << (work.bits - 1));
    let value_bits = work.payload_bits.unwrap_or(bits);
    let job = |output| LookupJob { index: Sharing::Additive, output, index_bits: bits, value_bits };
    let inside = |intervals: Vec<Range<i64>>| -> Result<Arc<dyn Operation>> {
        if !work.additive {
            return Ok(Arc::new(Intervals::new(bits, intervals)?));
        }
        Baseline::Intervals { bits, intervals }.operation()
    };
    Ok(match work.object {
        Object::Dpf | Object::Dcf | Object::GgmDpf | Object::GgmDcf | Object::GgmEq => {
            return Err(Failure::new("keys are no operation"));
        }
        Object::EqPayload | Object::CmpPayload => {
            return Err(Failure::new("gates with a payload are no operation"));
        }
        Object::Eq => inside(vec![Range { start: 0, end: 1 }])?,
        Object::Cmp => inside(vec![Range { start: -half, end: 0 }])?,
        Object::Interval => inside(knots(work))?,
        Object::Trunc => Baseline::Reduction { bits, cut: work.fraction_bits() }.operation()?,
        Object::Digits => {
            let digit = work.digit();
            if digit == 0 || !bits.is_multiple_of(digit) {
                return Err(Failure::new(format!("--digit-bits {digit} do not divide --bits {bits}")));
            }
            Baseline::Digits { bits, digit }.operation()?
        }
        Object::PublicTable => {
            let table = Arc::new(Tabulated::new(&values(bits, value_bits), 0)?);
            let name = "public table".into();
            let protocol = if bits <= ONE_ROUND { Protocol::Arithmetic } else { Protocol::Tree };
            protocol.check(&job(Sharing::Additive))?;
            Arc::new(Lookup { name, job: job(Sharing::Additive), table, protocol, open: false })
        }
        Object::SecretTable => {
            let all = inputs::words("shares of a table", 0, 0).zip(entries(bits, value_bits));
            let share = |(mask, entry): (u64, u64)| match role {
                Role::P0 => low(mask, value_bits),
                Role::P1 => low(entry.wrapping_sub(mask), value_bits),
            };
            Arc::new(SecretTable::new(job(Sharing::Additive), 0, all.map(share).collect::<Vec<_>>().into())?)
        }
        Object::Sin | Object::Cos | Object::Tan => {
            Arc::new(Evaluation::new(function(work), bits, work.fraction_bits(), &Options::default())?)
        }
        Object::Sincos => {
            let both = SinCos::new(Function::SinPi, bits, work.fraction_bits(), &Options::default())?;
            Arc::new(Both(both))
        }
        Object::Spline => {
            let ring = work.payload_bits.unwrap_or((2 * bits).min(64));
            let coefficients = coefficients(work, ring);
            Baseline::Spline { bits, ring, degree: DEGREE, coefficients }.operation()?
        }
        Object::Proximity | Object::ProximityShared => Arc::new(Proximity::new(WITHIN, places(work))?),
        Object::Fusion => Arc::new(Fusion::new(work.fraction_bits(), &WEIGHTS, THRESHOLD)?),
    })
}

/// Bits of a part of a turn, as places are shared.
const TURN_BITS: u32 = 36;

/// Who knows the places of a proximity.
fn places(work: &FssWork) -> Places {
    if work.object == Object::ProximityShared { Places::Shared } else { Places::Own }
}

/// Degree of a spline, and the coefficients of each piece.
const DEGREE: u32 = 2;

fn coefficients(work: &FssWork, ring: u32) -> Vec<Vec<u64>> {
    let mut words = inputs::words("coefficients", 0, 0).map(|w| low(w, ring));
    (0..work.intervals).map(|_| words.by_ref().take(DEGREE as usize + 1).collect()).collect()
}

/// Most index bits of a lookup in one round.
const ONE_ROUND: u32 = 16;

/// Functions with period 2, or 1 of the tangent.
fn function(work: &FssWork) -> Function {
    match work.object {
        Object::Cos => Function::CosPi,
        Object::Tan => Function::TanPi,
        _ => Function::SinPi,
    }
}

/// As many intervals as asked for, which cover all numbers.
fn knots(work: &FssWork) -> Vec<Range<i64>> {
    let (count, all) = (i64::from(work.intervals), 1i64 << work.bits);
    let knot = |i: i64| all * i / count - all / 2;
    (0..count).map(|i| knot(i)..knot(i + 1)).collect()
}

/// The entries of a table, as words.
fn entries(index_bits: u32, value_bits: u32) -> impl Iterator<Item = u64> {
    inputs::words("table", 0, 0).take(1 << index_bits).map(move |w| low(w, value_bits))
}

/// The same as signed numbers, exact in floating point.
fn values(index_bits: u32, value_bits: u32) -> Vec<f64> {
    let bits = value_bits.min(53);
    entries(index_bits, bits).map(|w| signed(w, bits) as f64).collect()
}

fn signed(word: u64, bits: u32) -> i64 {
    (word << (64 - bits)) as i64 >> (64 - bits)
}

/// The rows from one on.
fn drawn(work: &FssWork, rows: Range<usize>) -> impl Iterator<Item = Row> {
    let mut words = inputs::words("fss", 0, rows.start as u64);
    std::iter::repeat_with(move || row(work, &mut words))
}

fn row(work: &FssWork, words: &mut impl Iterator<Item = u64>) -> Row {
    let mut word = || words.next().expect("an endless stream");
    match work.object {
        Object::Proximity | Object::ProximityShared => {
            let unit = |word: u64| (word >> 11) as f64 / 2f64.powi(53);
            let (latitude, longitude) = (160.0 * unit(word()) - 80.0, 360.0 * unit(word()) - 180.0);
            let (metres, way) = (2.0 * WITHIN * unit(word()), std::f64::consts::TAU * unit(word()));
            let degrees = (metres / RADIUS).to_degrees();
            let other = [
                latitude + degrees * way.sin(),
                (longitude + degrees * way.cos() / latitude.to_radians().cos()).clamp(-180.0, 180.0),
            ];
            let places = [[latitude, longitude], other];
            let given = match work.object {
                Object::Proximity => {
                    places.map(|[x, y]| Proximity::coordinates(x, y).expect("a place").to_vec())
                }
                _ => {
                    let turns = places.map(|[x, y]| Proximity::turns(x, y).expect("a place")).concat();
                    let masks: Vec<u64> = turns.iter().map(|_| low(word(), TURN_BITS)).collect();
                    let share = |(turn, mask): (&u64, &u64)| low(turn.wrapping_sub(*mask), TURN_BITS);
                    let other = turns.iter().zip(&masks).map(share).collect();
                    [masks, other]
                }
            };
            Row { given, plain: Plain::Apart(apart(places)) }
        }
        Object::Fusion => {
            let fraction = work.fraction_bits();
            let scores: Vec<u64> = WEIGHTS.iter().map(|_| low(word(), fraction)).collect();
            let masks: Vec<u64> = scores.iter().map(|_| word()).collect();
            let other = scores.iter().zip(&masks).map(|(s, m)| s.wrapping_sub(*m)).collect();
            let plain = scores.iter().map(|s| *s as f64 / 2f64.powi(fraction as i32)).collect();
            Row { given: [masks, other], plain: Plain::Scores(plain) }
        }
        object => {
            let (mut x, mask) = (word(), word());
            if object == Object::Eq {
                // Of a few differences many are 0.
                x %= 4;
            }
            Row { given: [vec![mask], vec![x.wrapping_sub(mask)]], plain: Plain::Number(low(x, work.bits)) }
        }
    }
}

/// Metres between two places.
fn apart(places: [[f64; 2]; 2]) -> f64 {
    let [[xa, ya], [xb, yb]] = places.map(|place| place.map(f64::to_radians));
    let square = |angle: f64| (angle / 2.0).sin().powi(2);
    2.0 * RADIUS * (square(xa - xb) + xa.cos() * xb.cos() * square(ya - yb)).sqrt().asin()
}

fn check(
    work: &FssWork,
    operation: &dyn Operation,
    rows: Range<usize>,
    mine: &[u64],
    from: &mut dyn Read,
) -> Result<()> {
    let (held, start) = (operation.result(), rows.start);
    let table: Vec<u64> = match work.object {
        Object::PublicTable => {
            values(work.bits, held.bits).iter().map(|v| low(*v as i64 as u64, held.bits)).collect()
        }
        Object::SecretTable => entries(work.bits, held.bits).collect(),
        _ => Vec::new(),
    };
    for (i, (mine, row)) in mine.chunks_exact(held.words).zip(drawn(work, rows)).enumerate() {
        let mut got = Vec::with_capacity(held.words);
        for mine in mine {
            let theirs = lanes::word(from)?;
            got.push(match held.sharing() {
                Some(Sharing::Xor) => low(theirs ^ mine, held.bits),
                _ => low(theirs.wrapping_add(*mine), held.bits),
            });
        }
        if !right(work, held.bits, &table, &row.plain, &got) {
            return Err(Failure::Check(format!("item {} came out wrong: {got:?}", start + i)));
        }
    }
    Ok(())
}

/// Whether a row came out right.
fn right(work: &FssWork, bits: u32, table: &[u64], plain: &Plain, got: &[u64]) -> bool {
    let of = |yes: bool| got == [u64::from(yes)];
    match (work.object, plain) {
        (Object::Eq, Plain::Number(x)) => of(*x == 0),
        (Object::Cmp, Plain::Number(x)) => of(signed(*x, work.bits) < 0),
        (Object::Interval, Plain::Number(x)) => {
            let x = signed(*x, work.bits);
            knots(work).iter().zip(got).all(|(knot, bit)| (*bit == 1) == knot.contains(&x))
        }
        (Object::Trunc, Plain::Number(x)) => got == [x >> work.fraction_bits()],
        (Object::Digits, Plain::Number(x)) => {
            let digit = work.digit();
            let digits = got.iter().enumerate().map(|(i, d)| d << (i as u32 * digit)).sum::<u64>();
            digits == *x && got.iter().all(|d| *d < 1 << digit)
        }
        (Object::PublicTable | Object::SecretTable, Plain::Number(x)) => got == [table[*x as usize]],
        (Object::Sin | Object::Cos | Object::Tan, Plain::Number(x)) => {
            let (f, unit) = (function(work), 2f64.powi(work.fraction_bits() as i32));
            let want = f.eval(signed(*x, work.bits) as f64 / unit) * unit;
            // Near its poles a tangent is the largest number there is.
            let end = 2f64.powi(bits as i32 - 1);
            let want = want.clamp(-end, end - 1.0);
            (signed(got[0], bits) as f64 - want).abs() <= 2.0
        }
        (Object::Sincos, Plain::Number(x)) => {
            let unit = 2f64.powi(work.fraction_bits() as i32);
            let x = signed(*x, work.bits) as f64 / unit;
            [Function::SinPi, Function::CosPi]
                .iter()
                .zip(got)
                .all(|(f, got)| (signed(*got, bits) as f64 - f.eval(x) * unit).abs() <= 2.0)
        }
        (Object::Spline, Plain::Number(x)) => {
            let piece = (x * u64::from(work.intervals)) >> work.bits;
            // Pieces begin at whole numbers.
            let piece = (0..=piece + 1).rev().find(|i| (i << work.bits) / u64::from(work.intervals) <= *x);
            let all = coefficients(work, bits);
            let value =
                |a: &Vec<u64>| a.iter().rev().fold(0u64, |sum, a| sum.wrapping_mul(*x).wrapping_add(*a));
            let of = piece.and_then(|i| all.get(i as usize));
            of.is_some_and(|a| got == [low(value(a), bits)])
        }
        (Object::Proximity | Object::ProximityShared, Plain::Apart(metres)) => {
            let error = Proximity::new(WITHIN, places(work)).map_or(0.0, |asked| asked.error());
            (metres - WITHIN).abs() <= error || of(*metres <= WITHIN)
        }
        (Object::Fusion, Plain::Scores(scores)) => {
            let mean = Fusion::mean(&WEIGHTS, scores);
            (mean - THRESHOLD).abs() < 1e-3 || of(mean >= THRESHOLD)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(object: Object, bits: u32, fraction: u32) -> FssWork {
        let (index, fraction_bits) = (super::super::Index::Additive, Some(fraction));
        FssWork {
            object,
            bits,
            fraction_bits,
            payload_bits: None,
            index,
            intervals: 4,
            digit_bits: None,
            additive: false,
            batch: 3,
        }
    }

    #[test]
    fn wrong_results_are_seen() {
        for (object, plain, good, wrong) in [
            (Object::Eq, Plain::Number(0), vec![1], vec![0]),
            (Object::Eq, Plain::Number(3), vec![0], vec![1]),
            (Object::Cmp, Plain::Number(0xffff), vec![1], vec![0]),
            (Object::Interval, Plain::Number(0x8000), vec![1, 0, 0, 0], vec![0, 1, 0, 0]),
            (Object::Trunc, Plain::Number(0x8200), vec![0x41], vec![0x42]),
            (Object::Digits, Plain::Number(0x1234), vec![0x34, 0x12], vec![0x12, 0x34]),
            (Object::Sin, Plain::Number(256), vec![512], vec![515]),
            (Object::Sincos, Plain::Number(256), vec![512, 0], vec![0, 512]),
            (Object::Cos, Plain::Number(512), vec![0xfe00], vec![512]),
            (Object::Tan, Plain::Number(128), vec![512], vec![500]),
            (Object::Proximity, Plain::Apart(249.0), vec![1], vec![0]),
            (Object::Proximity, Plain::Apart(251.0), vec![0], vec![1]),
            (Object::Fusion, Plain::Scores(vec![0.9; 4]), vec![1], vec![0]),
        ] {
            let work = work(object, 16, 9);
            assert!(right(&work, 16, &[], &plain, &good), "{object:?}");
            assert!(!right(&work, 16, &[], &plain, &wrong), "{object:?}");
        }
        let table = [7, 8];
        assert!(right(&work(Object::PublicTable, 1, 0), 8, &table, &Plain::Number(1), &[8]));
        assert!(!right(&work(Object::SecretTable, 1, 0), 8, &table, &Plain::Number(1), &[7]));
    }
}
