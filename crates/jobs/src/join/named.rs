//! Columns of a join by their names, and how rows are grouped by them.

use crate::{
    constant,
    join::{
        column::{Column, Kind},
        file::JoinedFile,
    },
};
use apps::statistics::MAX_GROUPS;
use hushtable::{Role, operation::Relation};
use hushtable_columns::{
    Rounding,
    failure::{Failure, Result},
    named,
};

/// A column of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct Number {
    /// Among all columns.
    pub column: usize,
    pub name: String,
    pub limit: f64,
    pub fraction_bits: u32,
    /// Whether its cells may be missing.
    pub optional: bool,
}

impl Number {
    /// Bits of the largest one, without its sign.
    pub fn size(&self) -> u32 {
        ((self.limit * 2f64.powi(self.fraction_bits as i32)).log2().ceil() as i32).max(1) as u32
    }

    /// Bits of a number in an order: twice two more than it takes.
    pub fn width(&self) -> u32 {
        self.size() + 4
    }

    /// A cut as a word: numbers that are not below it have this one, or a greater one.
    pub fn scaled(&self, cut: f64) -> i64 {
        self.steps(Relation::Ge, cut).expect("there is one in an order")
    }

    /// The word with which numbers are compared in place of `value`.
    pub fn steps(&self, relation: Relation, value: f64) -> Result<i64> {
        Ok(constant::steps(relation, value, self.fraction_bits, Rounding::Nearest)? as i64)
    }

    /// What rounding does to a decision on its numbers, in words.
    pub fn decisions(&self) -> String {
        format!(
            "numbers of {} and what they are compared with are rounded to multiples of 2^-{}: what is written alike is equal, \
             what lies less than a step from it may fall on either side",
            self.name, self.fraction_bits
        )
    }

    /// A word as a number.
    pub fn number(&self, word: f64) -> f64 {
        word / 2f64.powi(self.fraction_bits as i32)
    }
}

/// Groups of rows, by one column.
#[derive(Clone, Debug, PartialEq)]
pub enum By {
    /// By the groups of a column.
    Groups { column: usize, name: String, groups: Vec<String> },
    /// Between cuts.
    Cuts { of: Number, cuts: Vec<f64> },
}

impl By {
    /// The column's name.
    pub fn name(&self) -> &str {
        match self {
            Self::Groups { name, .. } => name,
            Self::Cuts { of, .. } => &of.name,
        }
    }

    /// The groups' names.
    pub fn names(&self) -> Vec<String> {
        match self {
            Self::Groups { groups, .. } => groups.clone(),
            Self::Cuts { cuts, .. } => {
                let mut names = vec![format!("below {}", cuts[0])];
                names.extend(cuts.windows(2).map(|pair| format!("{} to {}", pair[0], pair[1])));
                names.push(format!("from {}", cuts[cuts.len() - 1]));
                names
            }
        }
    }
}

/// A column of either party, by its name as arguments have it.
pub fn column<'f>(file: &'f JoinedFile, written: &str) -> Result<(usize, &'f Column)> {
    let name = named::name(written).map_err(Failure::new)?;
    let exact = |(_, (_, column)): &(usize, (Role, &Column))| column.name == *name;
    let all = || file.columns().enumerate();
    let names = || all().map(|(_, (_, column))| named::written(&column.name)).collect::<Vec<_>>().join(", ");
    let found: Vec<_> = all().filter(exact).collect();
    match &found[..] {
        [(at, (_, column))] => return Ok((*at, column)),
        [_, _, ..] => {
            return Err(Failure::new(format!(
                "both parties have a column {name:?}: say p0.{name} or p1.{name}"
            )));
        }
        [] => {}
    }
    let qualified = name.split_once('.').and_then(|(party, name)| {
        let role = match party {
            "p0" => Role::P0,
            "p1" => Role::P1,
            _ => return None,
        };
        all().find(|(_, (of, column))| *of == role && column.name == name)
    });
    let none = || Failure::new(format!("no column {name:?} in the join; its columns are: {}", names()));
    qualified.map(|(at, (_, column))| (at, column)).ok_or_else(none)
}

/// A column of numbers.
pub fn number(file: &JoinedFile, written: &str) -> Result<Number> {
    let name = named::name(written).map_err(Failure::new)?;
    let (at, found) = column(file, written)?;
    match &found.kind {
        Kind::Number { limit, fraction_bits } => Ok(Number {
            column: at,
            name,
            limit: *limit,
            fraction_bits: *fraction_bits,
            optional: found.optional,
        }),
        Kind::Groups(_) => {
            Err(Failure::new(format!("{name:?} has groups, no numbers; `stats --by {written}` counts them")))
        }
    }
}

/// A column of numbers of which no cell is missing.
pub fn complete(file: &JoinedFile, name: &str) -> Result<Number> {
    let found = number(file, name)?;
    match found.optional {
        false => Ok(found),
        true => Err(Failure::new(format!(
            "{name:?} has cells that may be missing (`join --missing`), which only `stats` leaves out; to go on with a number \
             in their place, join with --na-as"
        ))),
    }
}

/// `COLUMN` or `COLUMN:CUTS`.
pub fn grouping(text: &str, file: &JoinedFile, histogram: bool) -> Result<By> {
    let cutting =
        named::cut(text, ':').map_err(Failure::new)?.filter(|(_, list)| cuts(list, 1 << 20).is_ok());
    if let Some((name, list)) = cutting {
        let (of, cuts) = (number(file, name)?, cuts(list, MAX_GROUPS - 1)?);
        inside(&of, &cuts)?;
        return Ok(By::Cuts { of, cuts });
    }
    let usage = |name: &str| {
        Failure::new(format!("{name:?} has numbers: {name}:10,20 groups them by cuts that increase"))
    };
    if histogram && text.contains(':') {
        return Err(Failure::new(format!(
            "--histogram {text:?}: COLUMN:CUTS with cuts that increase, as bills:1,2,4"
        )));
    }
    let name = named::name(text).map_err(Failure::new)?;
    let (column, found) = column(file, text)?;
    let groups = found.groups().ok_or_else(|| usage(text))?.to_vec();
    Ok(By::Groups { column, name, groups })
}

/// Increasing numbers.
pub fn cuts(text: &str, most: usize) -> Result<Vec<f64>> {
    let all: std::result::Result<Vec<f64>, _> =
        text.split(',').map(|cut| cut.trim().parse::<f64>()).collect();
    let refuse = || Failure::new(format!("cuts {text:?}: 1 to {most} numbers that increase, as 10,20,30"));
    let all = all.map_err(|_| refuse())?;
    let fine = (1..=most).contains(&all.len())
        && all.iter().all(|cut| cut.is_finite())
        && all.windows(2).all(|pair| pair[0] < pair[1]);
    if fine { Ok(all) } else { Err(refuse()) }
}

/// Refuses cuts beyond the limit of a column, and cuts that are one when rounded.
pub fn inside(of: &Number, cuts: &[f64]) -> Result<()> {
    if let Some(cut) = cuts.iter().find(|cut| cut.abs() > of.limit) {
        return Err(Failure::new(format!("the cut {cut} of {:?} is beyond its limit {}", of.name, of.limit)));
    }
    match cuts.windows(2).find(|pair| of.scaled(pair[0]) == of.scaled(pair[1])) {
        None => Ok(()),
        Some(pair) => Err(Failure::new(format!(
            "the cuts {} and {} are one when rounded to {} fraction bits",
            pair[0], pair[1], of.fraction_bits
        ))),
    }
}
