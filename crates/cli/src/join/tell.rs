//! `--tell-form`: both parties tell how most of their ids look, and end if these can hardly be the same.

use apps::ids::{Shape, Shapes};

use super::rows::Rows;
use crate::failure::{Cause, Failure, Result};

/// How most ids look, of each column of the id.
pub fn shapes(rows: &Rows, columns: usize) -> Vec<String> {
    (0..columns).map(|column| Shape::of(rows.forms_of(column)).to_string()).collect()
}

/// What `explain` says of it.
pub fn words(shapes: &[String]) -> String {
    format!(
        "how most ids look, in the form that --normalise gives them, and nothing of the others: {} (A a capital letter, \
         a a small one, x another, 9 a digit, * any number of these; several if no pattern has more than half of the ids)",
        shapes.join(" and ")
    )
}

/// Compares what both told. The peer's is hostile.
pub fn compare(mine: &[String], theirs: &[String], columns: usize, quiet: bool) -> Result<()> {
    let malformed =
        |what: String| Failure::Reported(Cause::Peer, format!("malformed message from the peer: {what}"));
    if theirs.len() != columns {
        return Err(malformed(format!("{} patterns for {columns} columns of an id", theirs.len())));
    }
    for (own, other) in mine.iter().zip(theirs) {
        let shape = |text: &str| text.parse::<Shape>().map_err(&malformed);
        match shape(own)?.compare(&shape(other)?) {
            Shapes::Equal if quiet => {}
            Shapes::Equal => eprintln!("ids look alike at both: here {own}, at the peer {other}"),
            Shapes::Unknown => eprintln!(
                "warning: how ids look could not be compared: here {own}, at the peer {other} (several: no pattern has \
                 more than half of the ids)"
            ),
            Shapes::Lengths => eprintln!(
                "warning: ids differ in length: here {own}, at the peer {other}; if one of you lost leading zeros, \
                 --normalise zeros at both parties settles it"
            ),
            Shapes::Differ(rule) => {
                let cure = match rule {
                    Some(rule) => format!("--normalise {rule} at both parties would make them alike"),
                    None => "check that --id names the same kind of id at both".to_owned(),
                };
                return Err(Failure::Reported(
                    Cause::Disagreement,
                    format!(
                        "most ids look different: here {own}, at the peer {other}; {cure}. Nothing was joined"
                    ),
                ));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_peer_tells_is_checked() {
        let compare = |mine: &str, theirs: &[&str]| {
            let theirs: Vec<String> = theirs.iter().map(|text| (*text).to_owned()).collect();
            compare(&[mine.to_owned()], &theirs, 1, true)
        };
        compare("A9", &["A9"]).unwrap();
        compare("A9", &["several"]).unwrap();
        compare("99", &["999"]).unwrap();
        let says = |theirs: &[&str]| compare("A9", theirs).unwrap_err().to_string();
        assert!(says(&["a9"]).contains("--normalise lower at both"), "{}", says(&["a9"]));
        assert!(says(&["9-9"]).contains("--normalise digits"));
        assert!(says(&["a@a"]).contains("same kind of id"));
        for theirs in [&[][..], &["A9", "A9"], &["\u{1b}[2J"], &[""], &["Bob"]] {
            assert!(says(theirs).contains("malformed message"), "{theirs:?}");
        }
    }
}
