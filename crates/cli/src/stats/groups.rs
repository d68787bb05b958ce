//! The bits of each group, and the columns that are added up in each.

use crate::stats::question::{Question, Series};
use apps::statistics::CutGroups;
use hushtable::{
    Party, Role,
    arith::Objective,
    bill::Bill,
    gates::Bits,
    operation::{Multiply, Operation, SymmetricProducts, Truncate, Words},
    ot::Setting,
    run::{self, Reveal},
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
pub fn numbers(of: &Number, file: &JoinedFile, table: &Table) -> Words {
    Words::new(table.shares[file.part(of.column)].to_vec())
}

/// What makes the bits of the groups, where the join does not have them.
fn grouping(question: &Question) -> Result<Option<Box<dyn Operation>>> {
    let By::Cuts { of, .. } = &question.by else { return Ok(None) };
    Ok(Some(Box::new(CutGroups::new(of.width(), question.by.words())?)))
}

/// What makes a column that is added up, where the join does not have it.
fn making(series: &Series) -> Option<Box<dyn Operation>> {
    match series {
        Series::Numbers { cut, .. } if *cut > 0 => Some(Box::new(Truncate { bits: BITS, cut: *cut })),
        Series::Products { of: [a, b], cuts: [cut, other] } if (a, cut) == (b, other) => {
            let objective = Objective::Total;
            Some(Box::new(SymmetricProducts { rows: 1, inner: 1, bits: BITS, objective }))
        }
        Series::Products { .. } => Some(Box::new(Multiply { bits: BITS, objective: Objective::Total })),
        _ => None,
    }
}

/// What bits and columns cost.
pub fn bill(question: &Question, bins: usize, under: &Setting) -> Result<Bill> {
    let all = grouping(question)?.into_iter().chain(question.series.iter().filter_map(making));
    let bill = |operation: Box<dyn Operation>| run::bill(&*operation, bins, 1, Reveal::Nobody, under);
    Ok(all.map(bill).try_fold(Bill::FREE, |all, next| Ok::<_, hushtable::Error>(all + next?))?)
}

/// For each bin a word with a bit for each group.
pub fn members(
    question: &Question,
    p: &mut Party,
    file: &JoinedFile,
    table: &Table,
    took: &mut Took,
) -> Result<Words> {
    let matched = || Words::new(table.matched.bits(table.bins).iter().collect());
    match &question.by {
        By::All => Ok(matched()),
        By::Groups { column, groups, .. } => {
            let first = file.part(*column);
            let bits = table.shares[first..first + groups.len()].iter().map(|bits| bits.bits(table.bins));
            let words = Bits::to_share::<u64>(&bits.collect::<Vec<Bits>>())?;
            Ok(Words::new(words.words().to_vec()))
        }
        By::Cuts { of, .. } => {
            let grouping = grouping(question)?.expect("between cuts");
            took.shares(p, &*grouping, &[&matched(), &numbers(of, file, table)])
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
) -> Result<Vec<Words>> {
    let mut all: Vec<Words> = Vec::new();
    for series in &question.series {
        let column = match (series, making(series)) {
            (Series::Nothing, _) => Words::new(vec![0; table.bins]),
            (Series::Numbers { of, .. }, None) => numbers(of, file, table),
            (Series::Numbers { of, cut }, Some(truncation)) => {
                // To the nearest multiple of 2^cut; 0 stays 0.
                let half = if p.role() == Role::P0 { 1u64 << (cut - 1) } else { 0 };
                let mut moved = numbers(of, file, table);
                moved.iter_mut().for_each(|word| *word = word.wrapping_add(half));
                took.shares(p, &*truncation, &[&moved])?
            }
            (Series::Products { of, cuts }, product) => {
                // They stand before.
                let place = |i: usize| {
                    let wanted = Series::Numbers { of: of[i].clone(), cut: cuts[i] };
                    question.series.iter().position(|other| *other == wanted).expect("added before")
                };
                let product = product.expect("a product");
                let operands = [0, 1].map(|i| &all[place(i)][..]);
                took.shares(p, &*product, &operands[..product.signature().takes.len()])?
            }
        };
        all.push(column);
    }
    Ok(all)
}
