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

/// The rules by which a party reads its own file, of a job that says `asked`: the country of telephone numbers and the
/// order of dates are its own matter, the form that results is not.
pub fn own(asked: &[Rules], own: &[Rules], columns: usize, option: &str) -> Result<Vec<Rules>> {
    let asked = rules(asked, columns, option)?;
    if own.is_empty() {
        return Ok(asked);
    }
    let own = rules(own, columns, option)?;
    match asked.iter().zip(&own).find(|(asked, own)| asked.normal_form() != own.normal_form()) {
        None => Ok(own),
        Some((asked, other)) => Err(Failure::new(format!(
            "--normalise {other} gives another form than {asked}, which the job file says; only the country code of e164 and \
             the order of date are this party's own"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_file_is_read_is_a_partys_own_matter() {
        let all = |texts: &[&str]| texts.iter().map(|text| text.parse().unwrap()).collect::<Vec<Rules>>();
        for (asked, mine, columns, fine) in [
            (&["e164:+43"][..], &["e164:+49"][..], 1, true),
            (&["e164:+43"], &[], 1, true),
            (&["date", "lower"], &["date:dmy", "lower"], 2, true),
            (&["e164:+43"], &["e164:+49"], 2, true),
            (&[], &["trim,nfc"], 1, true),
            (&["e164:+43"], &["lower"], 1, false),
            (&["lower"], &["lower,alnum"], 1, false),
            (&["date", "lower"], &["date:dmy"], 2, false),
        ] {
            let got = own(&all(asked), &all(mine), columns, "ids");
            assert_eq!(got.is_ok(), fine, "{asked:?} {mine:?}");
            if let (Ok(got), [first, ..]) = (got, mine) {
                assert_eq!((got.len(), got[0]), (columns, first.parse().unwrap()));
            }
        }
    }
}
