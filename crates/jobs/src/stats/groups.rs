//! The bits of each group, and the columns that are added up in each.

use crate::{
    join::{
        column::BITS,
        condition::{Condition, Wanted},
        file::{JoinedFile, Table},
        named::{By, Number},
    },
    stats::question::{
        Question,
        part::{Part, Series},
    },
    took::Took,
};
use apps::statistics::{Crossed, CutGroups};
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

/// A question and the table of a join that answers it.
pub struct Answering<'a> {
    pub question: &'a Question,
    pub file: &'a JoinedFile,
    pub table: &'a Table,
}

/// A column of numbers as shares of so many bits.
pub fn numbers(of: &Number, file: &JoinedFile, table: &Table) -> Words {
    Words::new(table.shares[file.part(of.column)].to_vec())
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
    let mut all: Vec<Box<dyn Operation>> = Vec::new();
    for condition in &question.conditions {
        match (condition.cutting()?, &condition.what) {
            (Some(cutting), Wanted::Pieces { of, .. }) => {
                all.extend(of.optional.then(and).transpose()?);
                all.push(Box::new(cutting));
            }
            _ => all.push(and()?),
        }
    }
    let mut width = 0;
    for by in &question.by {
        if let By::Cuts { of, .. } = by {
            all.extend(of.optional.then(and).transpose()?);
            all.push(Box::new(cutting(by)?.expect("between cuts")));
        }
        let groups = by.names().len() as u32;
        let is_masked = width > 0 || matches!(by, By::Groups { .. }) && !question.conditions.is_empty();
        if is_masked {
            all.push(Box::new(Crossed::new([width.max(1), groups])?));
        }
        width = width.max(1) * groups;
    }
    for part in &question.parts {
        for i in 0..part.present.len() {
            all.push(if i == 0 { Box::new(Crossed::new([1, width.max(1)])?) } else { and()? });
        }
        all.extend(part.series.iter().filter_map(making));
    }
    let bill = |operation: Box<dyn Operation>| run::bill(&*operation, bins, 1, Reveal::Nobody, under);
    Ok(all.into_iter().map(bill).try_fold(Bill::FREE, |all, next| Ok::<_, hushtable::Error>(all + next?))?)
}

/// An AND of two bits.
fn and() -> Result<Box<dyn Operation>> {
    Ok(Box::new(Crossed::new([1, 1])?))
}

/// What makes the bits of groups between cuts.
fn cutting(by: &By) -> Result<Option<CutGroups>> {
    match by {
        By::Groups { .. } => Ok(None),
        By::Cuts { of, cuts } => {
            let words = cuts.iter().map(|cut| of.scaled(*cut)).collect();
            Ok(Some(CutGroups::new(of.width(), words)?))
        }
    }
}

impl Answering<'_> {
    /// For each bin a word with a bit for each group, of the rows for which all conditions hold.
    pub fn members(&self, p: &mut Party, took: &mut Took) -> Result<Words> {
        let mut held = Words::new(self.table.matched.bits(self.table.bins).iter().collect());
        let mut is_all = true;
        for condition in &self.question.conditions {
            held = self.narrowed(condition, &held, p, took)?;
            is_all = false;
        }
        let mut members: Option<(u32, Words)> = None;
        for by in &self.question.by {
            let groups = by.names().len() as u32;
            let (words, is_held) = match by {
                By::Groups { column, groups, .. } => (self.groups(*column, groups.len())?, is_all),
                By::Cuts { of, .. } => {
                    let there = self.there(of, &held, p, took)?;
                    let cutting = cutting(by)?.expect("between cuts");
                    (took.shares(p, &cutting, &[&there, &numbers(of, self.file, self.table)])?, true)
                }
            };
            members = Some(match members {
                Some((width, before)) => {
                    let both = Crossed::new([width, groups])?;
                    (both.bits(), took.shares(p, &both, &[&before, &words])?)
                }
                None if is_held => (groups, words),
                None => (groups, took.shares(p, &Crossed::new([1, groups])?, &[&held, &words])?),
            });
        }
        Ok(members.map_or(held, |(_, words)| words))
    }

    /// The bits of those for which a condition holds too.
    fn narrowed(&self, condition: &Condition, held: &Words, p: &mut Party, took: &mut Took) -> Result<Words> {
        let any = |words: &[u64], wanted: u64| {
            Words::new(words.iter().map(|word| u64::from((word & wanted).count_ones() & 1)).collect())
        };
        match &condition.what {
            Wanted::Groups { column, groups } => {
                let (_, of) = self.file.columns().nth(*column).expect("a column of the join");
                let words = self.groups(*column, of.parts().len())?;
                took.shares(p, &Crossed::new([1, 1])?, &[held, &any(&words, *groups)])
            }
            Wanted::Pieces { of, pieces, .. } => {
                let there = self.there(of, held, p, took)?;
                let cutting = condition.cutting()?.expect("of numbers");
                let words = took.shares(p, &cutting, &[&there, &numbers(of, self.file, self.table)])?;
                Ok(any(&words, *pieces))
            }
        }
    }

    /// A word with a bit for each group of a column.
    fn groups(&self, column: usize, groups: usize) -> Result<Words> {
        let first = self.file.part(column);
        let bits = self.table.shares[first..first + groups].iter().map(|bits| bits.bits(self.table.bins));
        let words = Bits::to_share::<u64>(&bits.collect::<Vec<Bits>>())?;
        Ok(Words::new(words.words().to_vec()))
    }

    /// The bits of those of which the number is there.
    fn there(&self, of: &Number, held: &Words, p: &mut Party, took: &mut Took) -> Result<Words> {
        match of.optional {
            true => took.shares(p, &Crossed::new([1, 1])?, &[held, &self.present(of.column)?]),
            false => Ok(Words::new(held.to_vec())),
        }
    }

    /// The bits of those of which a cell is there: of groups that one of their bits is 1.
    fn present(&self, column: usize) -> Result<Words> {
        let (_, of) = self.file.columns().nth(column).expect("a column of the join");
        let first = self.file.part(column);
        let parts = match of.groups() {
            Some(groups) => &self.table.shares[first..first + groups.len()],
            None => &self.table.shares[first + 1..first + 2],
        };
        let mut words = vec![0; self.table.bins];
        for bits in parts {
            words.iter_mut().zip(bits.bits(self.table.bins).iter()).for_each(|(word, bit)| *word ^= bit);
        }
        Ok(Words::new(words))
    }

    /// The members of groups of which all columns of a part are there.
    pub fn members_of(&self, part: &Part, members: &Words, p: &mut Party, took: &mut Took) -> Result<Words> {
        let mut there: Option<Words> = None;
        for (column, _) in &part.present {
            let bits = self.present(*column)?;
            there = Some(match there {
                None => bits,
                Some(before) => took.shares(p, &Crossed::new([1, 1])?, &[&before, &bits])?,
            });
        }
        match there {
            None => Ok(Words::new(members.to_vec())),
            Some(there) => {
                let groups = self.question.groups().len() as u32;
                took.shares(p, &Crossed::new([1, groups])?, &[&there, members])
            }
        }
    }

    /// The columns that are added up, in the order of the series.
    pub fn columns(&self, part: &Part, p: &mut Party, took: &mut Took) -> Result<Vec<Words>> {
        let mut all: Vec<Words> = Vec::new();
        for series in &part.series {
            let column = match (series, making(series)) {
                (Series::Nothing, _) => Words::new(vec![0; self.table.bins]),
                (Series::Numbers { of, .. }, None) => numbers(of, self.file, self.table),
                (Series::Numbers { of, cut }, Some(truncation)) => {
                    // To the nearest multiple of 2^cut; 0 stays 0.
                    let half = if p.role() == Role::P0 { 1u64 << (cut - 1) } else { 0 };
                    let mut moved = numbers(of, self.file, self.table);
                    moved.iter_mut().for_each(|word| *word = word.wrapping_add(half));
                    took.shares(p, &*truncation, &[&moved])?
                }
                (Series::Products { of, cuts }, product) => {
                    // They stand before.
                    let place = |i: usize| {
                        let wanted = Series::Numbers { of: of[i].clone(), cut: cuts[i] };
                        part.series.iter().position(|other| *other == wanted).expect("added before")
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
}
