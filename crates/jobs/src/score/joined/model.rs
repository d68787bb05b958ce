//! A party's weights for its columns of a join, which are shared.

use std::{path::Path, sync::Arc};

use crate::{
    job::Job,
    join::{
        column::{Column, Kind},
        file::JoinedFile,
        named::complete,
    },
    row_results::{Asked, Bins, of_file, step},
    score::weights,
};
use apps::scoring::{
    Scoring,
    model::{self, OwnWeights, Part, Weighted},
};
use hushtable::Role;
use hushtable_columns::failure::{Failure, Result};
use prim::wipe::Wiped;

/// A model, with this party's weights for all of its columns of numbers.
pub struct Model(Weighted);

/// The role of a party by its name in a file.
fn role_of(name: &str) -> Role {
    if name == "P0" { Role::P0 } else { Role::P1 }
}

/// The columns of numbers of the party that has `role` now, `me` here: their places among all, limits, and bits behind
/// the point.
fn numbers(file: &JoinedFile, role: Role, me: Role) -> Vec<(usize, &Column, f64, u32)> {
    let was = if role == me { role_of(&file.role) } else { role_of(&file.role).peer() };
    let number = |(at, (of, column)): (usize, (Role, &'_ Column))| match column.kind {
        Kind::Number { limit, fraction_bits } if of == was => Some((at, limit, fraction_bits)),
        _ => None,
    };
    let columns: Vec<&Column> = file.columns().map(|(_, column)| column).collect();
    let all = file.columns().enumerate().filter_map(number);
    all.map(|(at, limit, fraction)| (at, columns[at], limit, fraction)).collect()
}

impl Model {
    /// The weights in the file at `path`, for the columns of the join at `joined`.
    pub fn read(path: &Path, joined: &Path, file: &JoinedFile, scoring: &Scoring, me: Role) -> Result<Self> {
        let says = |what: String| Failure::input(format!("{}: {what}", path.display()));
        if let Some((_, missing)) =
            file.columns().find(|(_, column)| column.optional && column.groups().is_none())
        {
            complete(file, &hushtable_columns::named::written(&missing.name))?;
        }
        let own = numbers(file, me, me);
        let names: Vec<String> = own.iter().map(|(_, column, ..)| column.name.clone()).collect();
        let named = weights::read(path, joined, &names)?;
        let mut weights = Wiped::zeros(own.len());
        let mut largest = named.weights.intercept.abs();
        for (to, (name, number)) in weights.iter_mut().zip(names.iter().zip(&own)) {
            let at = named.features.iter().position(|feature| feature == name);
            let weight = at.map_or(0.0, |at| named.weights.values[at]);
            let Some(word) = model::weight(weight) else {
                let most = model::largest();
                return Err(says(format!(
                    "the weight of {name:?}, {weight}, is outside -{most} to {most}; scale the column"
                )));
            };
            *to = word;
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
        let part = |role| -> Result<Part> {
            let all = numbers(file, role, me);
            let fraction = all.first().map_or(0, |number| number.3);
            match all.iter().all(|number| number.3 == fraction) {
                true => Ok(Part { features: all.len(), fraction }),
                false => {
                    let what = "numbers of different fraction bits";
                    Err(Failure::input(format!("{}: {what}", joined.display())))
                }
            }
        };
        let parts = [part(Role::P0)?, part(Role::P1)?];
        let model = model::Model::new(scoring.bits(), scoring.fraction(), parts)?;
        Ok(Self(Weighted { model, mine: Arc::new(OwnWeights::new(intercept, weights)) }))
    }

    /// The step that gives the scores of an owner's bins.
    pub fn step(&self, file: &JoinedFile, bins: &Bins, me: Role, asked: &Asked) -> Job {
        let table = of_file::table(file, bins.owner, me);
        let of = |role: Role| {
            // Bin by bin.
            let numbers = numbers(file, role, me);
            let mut features: Wiped<u64> = Wiped::zeros(table.bins * numbers.len());
            for (i, number) in numbers.iter().enumerate() {
                let to = features.iter_mut().skip(i).step_by(numbers.len());
                to.zip(table.shares[file.part(number.0)].iter()).for_each(|(to, word)| *to = *word);
            }
            features
        };
        step(self.0.clone(), [Wiped::from(bins.matched.to_vec()), of(Role::P0), of(Role::P1)], asked)
    }
}
