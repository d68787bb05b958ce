//! The bits of each group, and the columns that are added up in each.

use crate::stats::question::{Question, Series};
use hushtable::{
    AShare, Party, Role,
    arith::{
        CompareDomain, CompareJob, ComparePlan, Comparison, FaithfulTruncation, Multiplication, Objective,
    },
    bill::Bill,
    gates::{Bits, Triples, and_shared},
};
use hushtable_columns::failure::Result;
use hushtable_jobs::{
    join::{
        column::BITS,
        file::{JoinedFile, Table},
        named::{By, Number},
    },
    took::Took,
};

/// A column of numbers as shares of so many bits.
pub fn numbers(of: &Number, file: &JoinedFile, table: &Table, bits: u32) -> Result<AShare<u64>> {
    Ok(table.shares[file.part(of.column)].numbers().low_bits(bits)?)
}

/// How numbers are compared with cuts.
fn near(of: &Number) -> Result<CompareJob> {
    Ok(CompareJob::new(of.width(), CompareDomain::Near, Objective::Total)?)
}

fn plan(cut: u32) -> Result<ComparePlan> {
    Ok(ComparePlan::best(cut, Objective::Total)?)
}

/// What bits and columns cost.
pub fn bill(question: &Question, bins: usize) -> Result<Bill> {
    let mut all = Bill::FREE;
    if let By::Cuts { of, cuts } = &question.by {
        all = all + near(of)?.bill()?.times(bins * cuts.len()) + Triples::bill(cuts.len()).times(bins);
    }
    for series in &question.series {
        match series {
            Series::Numbers { cut, .. } if *cut > 0 => {
                all = all + FaithfulTruncation::bill(BITS, *cut, plan(*cut)?)?.times(bins);
            }
            Series::Products { .. } => all = all + Multiplication::bill(BITS).times(bins),
            _ => {}
        }
    }
    Ok(all)
}

/// The bits of each group.
pub fn bits(
    question: &Question,
    p: &mut Party,
    file: &JoinedFile,
    table: &Table,
    took: &mut Took,
) -> Result<Vec<Bits>> {
    let matched = table.matched.bits(table.bins);
    match &question.by {
        By::All => Ok(vec![matched]),
        By::Groups { column, groups, .. } => {
            let first = file.part(*column);
            Ok(table.shares[first..first + groups.len()].iter().map(|bits| bits.bits(table.bins)).collect())
        }
        By::Cuts { of, .. } => {
            let (cuts, bins) = (question.by.words(), table.bins);
            let job = near(of)?;
            let compare = took.offline(p, |p| Comparison::prepare(p, job, bins * cuts.len()))?;
            let triples = took.offline(p, |p| Triples::shared(p, bins, cuts.len()))?;
            let column = numbers(of, file, table, of.width())?;
            let repeated = AShare::<u64>::new(of.width(), column.words().repeat(cuts.len()));
            let first = p.role() == Role::P0;
            let public =
                cuts.iter().flat_map(|&cut| std::iter::repeat_n(if first { cut as u64 } else { 0 }, bins));
            let public = AShare::<u64>::new(of.width(), public.collect());
            let reached = took.online(p, |p| compare.ge(p, &repeated, &public))?;
            let reached: Vec<Bits> =
                (0..cuts.len()).map(|i| reached.range(i * bins..(i + 1) * bins)).collect();
            let reached: Vec<&Bits> = reached.iter().collect();
            let reached = took.online(p, |p| and_shared(p, triples, &matched, &reached))?;
            // Those that reach a cut and not the next.
            let xor = |a: &Bits, b: &Bits| {
                Bits::new(bins, a.words().iter().zip(b.words()).map(|(a, b)| a ^ b).collect())
            };
            let mut groups = vec![xor(&matched, &reached[0])];
            groups.extend(reached.windows(2).map(|pair| xor(&pair[0], &pair[1])));
            groups.extend(reached.last().cloned());
            Ok(groups)
        }
    }
}

/// The columns that are added up, in the order of the series.
pub fn columns(
    question: &Question,
    p: &mut Party,
    file: &JoinedFile,
    table: &Table,
    took: &mut Took,
) -> Result<Vec<AShare<u64>>> {
    let mut all: Vec<AShare<u64>> = Vec::new();
    for series in &question.series {
        let column = match series {
            Series::Nothing => AShare::new(1, vec![0; table.bins]),
            Series::Numbers { of, cut } => rounded(of, *cut, p, file, table, took)?,
            Series::Products { of, cuts } => {
                // They stand before.
                let place = |i: usize| {
                    let wanted = Series::Numbers { of: of[i].clone(), cut: cuts[i] };
                    question.series.iter().position(|other| *other == wanted).expect("added before")
                };
                let (x, y) = (&all[place(0)], &all[place(1)]);
                let material = took.offline(p, |p| Multiplication::prepare(p, BITS, table.bins))?;
                took.online(p, |p| material.multiply(p, x, y))?
            }
        };
        all.push(column);
    }
    Ok(all)
}

/// Numbers rounded to multiples of `2^cut`; 0 stays 0.
fn rounded(
    of: &Number,
    cut: u32,
    p: &mut Party,
    file: &JoinedFile,
    table: &Table,
    took: &mut Took,
) -> Result<AShare<u64>> {
    let column = numbers(of, file, table, BITS)?;
    if cut == 0 {
        return Ok(column);
    }
    let plan = plan(cut)?;
    let material = took.offline(p, |p| FaithfulTruncation::prepare(p, BITS, cut, plan, table.bins))?;
    let half = vec![1u64 << (cut - 1); table.bins];
    let moved = match p.role() {
        Role::P0 => &column + &AShare::new(BITS, half),
        Role::P1 => column,
    };
    took.online(p, |p| material.truncate(p, &moved))
}
