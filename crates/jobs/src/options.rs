//! Options that do not go together.

use hushtable_columns::failure::{Failure, Result};

/// Options that do not go with what is asked: whether it is asked, why they do not, and whether each was given.
pub type Rule<'a> = (bool, &'a str, &'a [(&'a str, bool)]);

/// An error for the first option that was given and does not go with what is asked.
pub fn refuse(rules: &[Rule<'_>]) -> Result<()> {
    let rules = rules.iter().filter(|(asked, ..)| *asked);
    let mut options = rules.flat_map(|(_, why, options)| options.iter().map(move |option| (why, option)));
    match options.find(|(_, (_, given))| *given) {
        None => Ok(()),
        Some((why, (option, _))) => Err(Failure::new(format!("{option} {why}"))),
    }
}
