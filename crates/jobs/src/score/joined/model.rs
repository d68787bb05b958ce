//! A party's weights for its columns of a join, which are shared: products of known numbers with shared ones.

use std::path::Path;

use crate::{
    join::{
        column::{Column, Kind},
        file::{JoinedFile, Table},
    },
    score::weights,
    took::Took,
};
use apps::scoring::Scoring;
use hushtable::{
    AShare, Party, Role,
    arith::{MatrixShape, SmallMatrixJob, SmallMatrixProduct, Truncation},
    bill::Bill,
    gates::{Bits, KnownMux},
};
use hushtable_columns::failure::{Failure, Result};
use prim::wipe::Wiped;

/// Bits behind the point of a weight, and of a weight with its sign.
const FRACTION: u32 = 24;
const WEIGHT: u32 = 32;

/// The role of a party by its name in a file.
pub fn role_of(name: &str) -> Role {
    if name == "P0" { Role::P0 } else { Role::P1 }
}

/// A party's weights for all of its columns of numbers; wiped.
pub struct Model {
    intercept: Wiped<u64>,
    weights: Wiped<i64>,
}

/// The columns of numbers of the party that had `role` in the join: their places among all, and bits behind the point.
fn numbers(file: &JoinedFile, role: Role) -> Vec<(usize, &Column, f64, u32)> {
    let all = file.columns().enumerate().filter(|(_, (of, _))| *of == role);
    let number = |(at, (_, column)): (usize, (Role, &'_ Column))| match column.kind {
        Kind::Number { limit, fraction_bits } => Some((at, limit, fraction_bits)),
        Kind::Groups(_) => None,
    };
    let columns: Vec<&Column> = file.columns().map(|(_, column)| column).collect();
    all.filter_map(number).map(|(at, limit, fraction)| (at, columns[at], limit, fraction)).collect()
}

/// Bits behind the point of the numbers of a party, all the same.
fn fraction(file: &JoinedFile, role: Role) -> u32 {
    numbers(file, role).first().map_or(0, |number| number.3)
}

impl Model {
    /// The weights in the file at `path`, for the columns of the join at `joined`.
    pub fn read(path: &Path, joined: &Path, file: &JoinedFile, scoring: &Scoring) -> Result<Self> {
        let says = |what: String| Failure::input(format!("{}: {what}", path.display()));
        let own = numbers(file, role_of(&file.role));
        let names: Vec<String> = own.iter().map(|(_, column, ..)| column.name.clone()).collect();
        let named = weights::read(path, joined, &names)?;
        let weight = |name: &String| {
            let at = named.features.iter().position(|feature| feature == name);
            at.map_or(0.0, |at| named.weights.values[at])
        };
        let mut scaled = Wiped::zeros(own.len());
        let mut largest = named.weights.intercept.abs();
        for (to, (name, number)) in scaled.iter_mut().zip(names.iter().zip(&own)) {
            let weight = weight(name);
            let most = 2f64.powi((WEIGHT - 1 - FRACTION) as i32);
            // As it is rounded: what is just below the bound may reach it.
            let rounded = (weight * 2f64.powi(FRACTION as i32)).round();
            if rounded.abs() >= 2f64.powi(WEIGHT as i32 - 1) {
                return Err(says(format!(
                    "the weight of {name:?}, {weight}, is outside -{most} to {most}; scale the column"
                )));
            }
            *to = rounded as i64;
            largest += weight.abs() * number.2;
        }
        if largest >= scoring.limit() {
            return Err(says(format!(
                "with these limits of the columns this party's part of a score can be {largest}; it must stay below {}: \
                 use more --bits or fewer --fraction-bits, or smaller limits at the join",
                scoring.limit()
            )));
        }
        let intercept = scoring.encode(named.weights.intercept).expect("below the limit");
        for role in [Role::P0, Role::P1] {
            let bits = fraction(file, role);
            if numbers(file, role).iter().any(|number| number.3 != bits) {
                return Err(Failure::input(format!(
                    "{}: numbers of different fraction bits",
                    joined.display()
                )));
            }
            if bits + FRACTION < scoring.fraction() {
                let most = bits + FRACTION;
                return Err(Failure::new(format!(
                    "--fraction-bits: accepted with this join: at most {most}"
                )));
            }
            let ring = ring(file, role, scoring);
            if ring > 64 {
                return Err(Failure::new(format!(
                    "a join with {bits} fraction bits and scores of {} bits take {ring} bits; accepted: 64",
                    scoring.bits()
                )));
            }
        }
        Ok(Self { intercept: vec![intercept].into(), weights: scaled })
    }
}

/// Bits that are rounded away of products with the columns of the party that had `role`; 0 where these have as many
/// behind the point as scores.
fn cut(file: &JoinedFile, role: Role, scoring: &Scoring) -> u32 {
    (fraction(file, role) + FRACTION).saturating_sub(scoring.fraction())
}

fn ring(file: &JoinedFile, role: Role, scoring: &Scoring) -> u32 {
    scoring.bits() + cut(file, role, scoring)
}

fn job(file: &JoinedFile, table: &Table, was: Role, now: Role, scoring: &Scoring) -> Option<SmallMatrixJob> {
    let inner = numbers(file, was).len();
    let shape = MatrixShape { batch: 1, rows: table.bins, inner, columns: 1 };
    (inner > 0).then(|| SmallMatrixJob {
        shape,
        bits: ring(file, was, scoring),
        number_bits: WEIGHT,
        owner: now,
    })
}

/// What the scores cost.
pub fn bill(file: &JoinedFile, table: &Table, me: Role, scoring: &Scoring) -> Bill {
    let mut all = Bill::FREE;
    for was in [Role::P0, Role::P1] {
        let now = file.now(if was == Role::P0 { "P0" } else { "P1" }, me);
        all = all + KnownMux::bill(now, &[scoring.bits()]).times(table.bins);
        if let Some(job) = job(file, table, was, now, scoring) {
            all = all + job.bill();
            if let cut @ 1.. = cut(file, was, scoring) {
                all = all + Truncation::bill(cut).times(table.bins);
            }
        }
    }
    all
}

/// Shares of the score of each bin; 0 where nothing matches.
pub fn scores(
    p: &mut Party,
    file: &JoinedFile,
    table: &Table,
    model: &Model,
    scoring: &Scoring,
    took: &mut Took,
) -> Result<AShare<u64>> {
    let (me, bins, bits) = (p.role(), table.bins, scoring.bits());
    let matched: Bits = table.matched.bits(bins);
    let mut sum = AShare::<u64>::new(bits, vec![0; bins]);
    for was in [Role::P0, Role::P1] {
        let now = file.now(if was == Role::P0 { "P0" } else { "P1" }, me);
        let mux = took.offline(p, |p| KnownMux::prepare(p, now, bins, &[bits]))?;
        let intercepts: Wiped<u64> =
            if now == me { vec![model.intercept[0]; bins].into() } else { Wiped::zeros(0) };
        let columns: Vec<&[u64]> = if now == me { vec![&intercepts] } else { vec![] };
        let intercepts = took.online(p, |p| mux.select(p, &matched, &columns))?;
        sum = &sum + &intercepts[0];
        let Some(job) = job(file, table, was, now, scoring) else { continue };
        let (numbers, cut) = (numbers(file, was), cut(file, was, scoring));
        // Bin by bin.
        let mut words: Wiped<u64> = Wiped::zeros(bins * numbers.len());
        for (i, number) in numbers.iter().enumerate() {
            let column = &table.shares[file.part(number.0)];
            words
                .iter_mut()
                .skip(i)
                .step_by(numbers.len())
                .zip(column.iter())
                .for_each(|(to, word)| *to = *word);
        }
        let features = AShare::<u64>::new(job.bits, words.to_vec());
        let product = took.offline(p, |p| SmallMatrixProduct::prepare(p, job))?;
        let truncation = match cut {
            0 => None,
            _ => Some(took.offline(p, |p| Truncation::prepare(p, job.bits, cut, bins))?),
        };
        let known: &[i64] = if now == me { &model.weights } else { &[] };
        let part = took.online(p, |p| {
            let part = product.multiply(p, &features, known)?;
            match truncation {
                Some(truncation) => truncation.truncate(p, &part),
                None => Ok(part),
            }
        })?;
        sum = &sum + &part.low_bits(bits)?;
    }
    Ok(sum)
}
