//! Conditions on rows in common: `COLUMN>=NUMBER`, `COLUMN=LABEL/LABEL` and the like.

use crate::join::{
    file::JoinedFile,
    named::{Number, column, number},
};
use apps::{label, statistics::CutGroups};
use hushtable::operation::Relation;
use hushtable_columns::{
    failure::{Failure, Result},
    named,
};

/// What must hold of a row so that it counts. It does not hold where the cell is missing.
#[derive(Clone, Debug, PartialEq)]
pub struct Condition {
    /// As it was asked for.
    pub text: String,
    pub what: Wanted,
}

/// Of which groups a row is one.
#[derive(Clone, Debug, PartialEq)]
pub enum Wanted {
    /// Of a column of groups: the bits of those that are wanted.
    Groups { column: usize, groups: u64 },
    /// Of a column of numbers, cut at these words: the bits of the pieces that are wanted.
    Pieces { of: Number, cuts: Vec<i64>, pieces: u64 },
}

/// Relations, those of two signs first.
const RELATIONS: [(&str, Relation); 7] = [
    (">=", Relation::Ge),
    ("<=", Relation::Le),
    ("!=", Relation::Ne),
    ("==", Relation::Eq),
    ("=", Relation::Eq),
    ("<", Relation::Lt),
    (">", Relation::Gt),
];

const USAGE: &str = "accepted: COLUMN and >=, >, <=, <, = or != and a number, as age>=30, or = or != and labels of the \
                     column, as region=north/south";

impl Condition {
    /// Of the columns of a join.
    pub fn of(text: &str, file: &JoinedFile) -> Result<Self> {
        let refuse = |what: String| Failure::new(format!("--where {text:?}: {what}"));
        let cut = named::cut_at_first(text, &['<', '>', '=', '!']).map_err(&refuse)?;
        let Some((name, relation, value)) = cut.and_then(parts) else { return Err(refuse(USAGE.into())) };
        let says = |failure: Failure| failure.worded(|what| format!("--where {text:?}: {what}"));
        let (at, found) = column(file, name).map_err(says)?;
        let what = match found.groups() {
            Some(groups) => {
                let sign = if named::has(value, '|').map_err(&refuse)? { '|' } else { '/' };
                let place = |wanted: &str| {
                    let wanted = label::form(&named::name(wanted).map_err(&refuse)?);
                    groups.iter().position(|group| *group == **wanted).ok_or_else(|| {
                        refuse(format!("no label {:?}; {name} has {}", &**wanted, groups.join(", ")))
                    })
                };
                // A label may have the sign in it.
                let places = match place(value) {
                    Ok(place) => vec![place],
                    Err(_) => {
                        let all = named::split(value, sign).map_err(&refuse)?;
                        all.into_iter().map(place).collect::<Result<Vec<usize>>>()?
                    }
                };
                let wanted = places.into_iter().fold(0, |all: u64, place| all | 1 << place);
                let all = u64::MAX >> (64 - groups.len());
                let groups = match relation {
                    Relation::Eq => wanted,
                    Relation::Ne => all & !wanted,
                    _ => return Err(refuse(format!("{name} has labels, which = and != compare"))),
                };
                Wanted::Groups { column: at, groups }
            }
            None => {
                let of = number(file, name).map_err(says)?;
                let value: f64 = value.parse().map_err(|_| refuse(USAGE.into()))?;
                if value.is_nan() || value.abs() > of.limit {
                    return Err(refuse(format!(
                        "{name} has numbers from -{limit} to {limit}",
                        limit = of.limit
                    )));
                }
                let word = of.steps(relation, value).map_err(|_| match of.fraction_bits {
                    0 => refuse(format!("{name} has whole numbers")),
                    bits => refuse(format!(
                        "{name} has multiples of 2^-{bits}, of which {value} is none; >= and < say between which numbers it lies"
                    )),
                })?;
                let (cuts, pieces) = match relation {
                    Relation::Ge => (vec![word], 0b10),
                    Relation::Lt => (vec![word], 0b01),
                    Relation::Gt => (vec![word + 1], 0b10),
                    Relation::Le => (vec![word + 1], 0b01),
                    Relation::Eq => (vec![word, word + 1], 0b010),
                    _ => (vec![word, word + 1], 0b101),
                };
                Wanted::Pieces { of, cuts, pieces }
            }
        };
        Ok(Self { text: text.trim().to_owned(), what })
    }

    /// The operation that tells the pieces of its numbers apart.
    pub fn cutting(&self) -> Result<Option<CutGroups>> {
        match &self.what {
            Wanted::Groups { .. } => Ok(None),
            Wanted::Pieces { of, cuts, .. } => Ok(Some(CutGroups::new(of.width(), cuts.clone())?)),
        }
    }
}

/// The name, the relation and what stands behind it.
fn parts<'t>((name, rest): (&'t str, &'t str)) -> Option<(&'t str, Relation, &'t str)> {
    let (sign, relation) = RELATIONS.iter().find(|(sign, _)| rest.starts_with(sign))?;
    let (name, value) = (name.trim(), rest[sign.len()..].trim());
    (!name.is_empty() && !value.is_empty()).then_some((name, *relation, value))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_as_they_are_written() {
        let parts = |text| named::cut_at_first(text, &['<', '>', '=', '!']).unwrap().and_then(super::parts);
        assert_eq!(parts("\"a<b\" >= 3"), Some(("\"a<b\"", Relation::Ge, "3")));
        assert_eq!(parts("age >= 30"), Some(("age", Relation::Ge, "30")));
        assert_eq!(parts("p0.age<-1.5"), Some(("p0.age", Relation::Lt, "-1.5")));
        assert_eq!(parts("region!=north/south"), Some(("region", Relation::Ne, "north/south")));
        assert_eq!(parts("a==b=c"), Some(("a", Relation::Eq, "b=c")));
        for text in ["age", "age>", ">3", "", "=", "age!3"] {
            assert_eq!(parts(text), None, "{text}");
        }
    }
}
