//! What a lookup shows to whom, before anything is connected.

use hushtable::run::Reveal;
use hushtable_columns::failure::Result;
use hushtable_jobs::{
    count::some,
    explain,
    page::Page,
    plain::{self, Names},
};

use crate::lookup::{arguments::Lookup, keys::Keys};

/// In plain words.
pub fn page(args: &Lookup, keys: &Keys<'_>) -> Result<Page> {
    let mut page = Page::new("hushtable lookup, before anything is sent");
    page.plain(sentences(args, keys)?);
    explain::who(&mut page, &args.link)?;
    page.title("What is computed");
    let which = match keys.half() {
        None => format!("the column {:?}", keys.name()),
        Some(_) => "which nobody knows: each party has shares of them".into(),
    };
    page.line("operation", &format!("the rows of the peer's table at {}, {which}", some(keys.len(), "key")));
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
            "how many keys there are ({}), when they are looked up, and how much of its encrypted copy is here; not the keys, \
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
    Ok(page)
}

/// Who computes what with whom, who learns what, and what nobody learns.
fn sentences(args: &Lookup, keys: &Keys<'_>) -> Result<[String; 3]> {
    let names = Names::of(&args.link)?;
    let (me, peer, watched) = (&names.here, &names.peer, plain::network(&args.link));
    let looked = some(keys.len(), "key");
    let learned = match args.shares() {
        false => format!(
            "{me} learns the values at its keys and whether each of them is there, and {peer} gets no result."
        ),
        true => names.learns(Reveal::Nobody, "a value"),
    };
    let whose = if keys.half().is_some() { "the keys, which neither knows" } else { "the keys" };
    Ok([
        format!("{me} looks {looked} up in a table that {peer} serves."),
        learned,
        format!(
            "{peer} does not learn {whose}, and {me} learns nothing of other rows; {peer} sees how many keys there are and when \
             they are looked up, and {watched}."
        ),
    ])
}
