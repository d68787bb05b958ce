//! The rules that bring ids into one form, as they are asked for, and what is said where one seems to be missing.

use apps::ids::{Looks, Rules};
use hushtable_columns::failure::{Failure, Result};

/// What is remarkable about a column of the id, and the rules that settle it, where there are some.
pub fn hint(column: &str, looks: &Looks, place: &dyn Fn(usize) -> String) -> Option<String> {
    let what: Vec<String> =
        looks.remarks().iter().map(|remark| format!("{} (see {})", remark.what, place(remark.row))).collect();
    let advice = looks.advice(|rules| format!("--normalise {rules}"));
    let advice = advice.map(|advice| format!(". {advice}")).unwrap_or_default();
    (!what.is_empty()).then(|| {
        format!(
            "column {column:?}: {}. If the peer writes an id differently, it will not match, and nothing will say \
             so{advice}",
            what.join("; ")
        )
    })
}

/// Rules of each of `columns` columns of an id, asked for once for all or once for each.
pub fn rules(asked: &[Rules], columns: usize, option: &str) -> Result<Vec<Rules>> {
    match asked {
        [] => Ok(vec![Rules::default(); columns]),
        [all] => Ok(vec![*all; columns]),
        each if each.len() == columns => Ok(each.to_vec()),
        each => Err(Failure::new(format!(
            "--normalise is given {} times for {columns} columns of {option}; give it once for all, or once for each",
            each.len()
        ))),
    }
}
