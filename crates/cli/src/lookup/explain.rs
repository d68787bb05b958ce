//! What a lookup shows to whom, before anything is connected.

use hushtable_columns::failure::Result;
use hushtable_jobs::{explain, page::Page};

use crate::lookup::{arguments::Lookup, keys::Keys};

/// In plain words.
pub fn text(args: &Lookup, keys: &Keys<'_>) -> Result<String> {
    let mut page = Page("hushtable lookup, before anything is sent\n".into());
    explain::who(&mut page, &args.link)?;
    page.title("What is computed");
    let which = match keys.half() {
        None => format!("the column {:?}", keys.name()),
        Some(_) => "which nobody knows: each party has shares of them".into(),
    };
    page.line("operation", &format!("the rows of the peer's table at {} keys, {which}", keys.len()));
    page.line("", "a key that stands twice is looked up twice; --describe says what the table is");
    page.title("Who learns what");
    let (mine, theirs) = match args.shares() {
        false => ("the values at its keys, and whether each is there; nothing of other rows", "no result"),
        true => (
            "nothing: it keeps a share of each result, which says nothing alone",
            "nothing: it keeps the other share",
        ),
    };
    page.line("this party", mine);
    page.line("the peer", theirs);
    page.title("What shows besides");
    page.line(
        "to the peer",
        &format!(
            "that there are {} keys, when they are looked up, and how much of its encrypted copy is here; not the keys, \
             nor which are there, nor which are equal",
            keys.len()
        ),
    );
    page.line(
        "to this party",
        "the table's name, columns, widths, a bound of its rows, and when it has changed",
    );
    let network = match args.link.ends()? {
        Some(_) => "both addresses, sizes and times, and from these about how many keys there are",
        None => "everything that is sent: plain TCP; whoever changes it changes results",
    };
    page.line("to the network", network);
    page.title("What it takes");
    page.line("", "that depends on the table: --describe says how large its copy is and what a lookup takes");
    Ok(page.0)
}
