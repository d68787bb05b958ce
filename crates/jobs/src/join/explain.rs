//! What a join shows to whom, and what it takes, before anything is sent.

use crate::{
    calibration::Calibration,
    count::some,
    explain,
    forecast::{Forecast, Local, Protocols},
    join::{
        agree::{Ask, Offer},
        asked::Shown,
        column::Column,
        common, hidden,
        rows::Rows,
        tell,
    },
    link::Link,
    page::Page,
    plain::{self, Names},
};
use apps::ids::Set;
use hushtable::{Role, bill::Bill, run::Reveal};
use hushtable_columns::failure::Result;

/// The whole of it; `read` bytes of files are read.
pub fn page(ask: &Ask, rows: &Rows, columns: &[Column], link: &Link, read: u64) -> Result<Page> {
    let mut page = Page::new("hushtable join, before anything is sent");
    page.plain(sentences(ask, rows, link)?);
    explain::who(&mut page, link)?;
    shown(&mut page, ask, rows, columns, link.role());
    page.title("What shows besides");
    let own = Offer { rows: rows.bound, columns: columns.to_vec() };
    page.line(
        "to the peer",
        &format!("that this party has {}, and which columns make an id by what rules", own.words()),
    );
    if ask.told {
        page.line("and", &tell::words(rows));
    }
    let ends = match ask.peer_at_most {
        Some(most) => format!("more than {most} ids end it there, and Ctrl-C"),
        None => "Ctrl-C ends it there, and --peer-at-most N by itself".to_owned(),
    };
    page.line("to this party", &format!("the same of the peer's, before anything is computed; {ends}"));
    let fields: Vec<String> =
        ask.fields().into_iter().map(|(name, value)| format!("{name} {value}")).collect();
    page.detail("both compare", &fields.join("; "));
    let network = match link.ends()? {
        Some(_) => "both addresses, sizes and times, and from these about how many rows there are",
        None => "everything that is sent: plain TCP; whoever changes it changes results",
    };
    page.line("to the network", network);
    page.title("What it takes, if the peer has as many ids and such columns");
    costs(&mut page, ask, (own, rows.counted(), read), link)?;
    Ok(page)
}

/// Who computes what with whom, who learns what, and what nobody learns.
fn sentences(ask: &Ask, rows: &Rows, link: &Link) -> Result<[String; 3]> {
    let names = Names::of(link)?;
    let (both, own) = (names.both(), some(rows.counted(), "row"));
    let watched = plain::network(link);
    Ok(match ask.reveal {
        Shown::None => [
            format!(
                "{both} match the rows of two tables by their ids ({own} here), and each keeps a file of shares of what \
                 they have in common."
            ),
            "Neither learns which ids match, nor how many, nor a number of the other's.".into(),
            format!(
                "Both learn only how many ids the other's table may have and which columns it brings; {watched}."
            ),
        ],
        Shown::Ids => [
            format!("{both} find out which ids their two tables have in common ({own} here)."),
            match ask.who {
                Reveal::Both => "Each learns which of its own ids the other has too.".into(),
                who => names.learns(who, "which of its ids the other has too"),
            },
            format!(
                "Nobody learns an id that only the other has, unless it enters that id itself: whoever enters all possible ids \
                 learns the other's list; {watched}."
            ),
        ],
        Shown::Count => [
            format!("{both} count how many ids their two tables have in common ({own} here)."),
            "Both learn that number.".into(),
            format!("Neither learns which ids these are, nor any other id of the other's; {watched}."),
        ],
    })
}

/// What is computed, and who learns what.
fn shown(page: &mut Page, ask: &Ask, rows: &Rows, columns: &[Column], me: Role) {
    let (computed, learned) = match ask.reveal {
        Shown::None => {
            let columns: Vec<String> = columns.iter().map(Column::to_string).collect();
            let columns = if columns.is_empty() { "none".into() } else { columns.join(", ") };
            let rows = match ask.who {
                Reveal::Both => "of both: two joins, in each of which one party owns the rows".to_owned(),
                Reveal::Nobody => "of whoever has fewer: results are of all rows together".to_owned(),
                who => format!("of {}, who owns them", who.name()),
            };
            let result = "shares of which rows match, and of the columns of both where they do".to_owned();
            let later = "whoever owns the rows of a join can be given results for each of them, from which it may see which \
                         of them match. The file of shares has the places of its rows: keep it, never send it";
            (
                vec![("result", result), ("columns", columns), ("rows of the join", rows)],
                vec![
                    ("both", "of the join itself nothing: neither which ids match, nor how many"),
                    ("later", later),
                ],
            )
        }
        Shown::Ids => {
            let tells = |role| match ask.who.reaches(role) {
                true => "which of its ids the other has too, and nothing of the others",
                false => "nothing",
            };
            let beware =
                "whoever enters all possible ids, such as all telephone numbers, learns the other's list";
            let result = "the common rows of one's own file, in an order that both have".to_owned();
            (
                vec![("result", result)],
                vec![("this party", tells(me)), ("the peer", tells(me.peer())), ("beware", beware)],
            )
        }
        Shown::Count => {
            let again = "add up: one over all ids but one tells whether that one is common";
            (
                vec![("result", "the number of common ids".to_owned())],
                vec![("both", "how many ids are common, not which"), ("repeated runs", again)],
            )
        }
    };
    page.title("What is computed");
    page.line("rows", &format!("{} here, with {}", rows.counted(), some(rows.ids(), "id")));
    computed.iter().for_each(|(name, words)| page.line(name, words));
    page.title("Who learns what");
    learned.iter().for_each(|(name, words)| page.line(name, words));
}

fn costs(page: &mut Page, ask: &Ask, (own, ids, read): (Offer, usize, u64), link: &Link) -> Result<()> {
    let forecast = Forecast::of(Calibration::load(None)?, link);
    let under = forecast.under();
    let offers = [own.clone(), own];
    let sizes = offers.each_ref().map(|offer| offer.rows);
    let chance = match ask.reveal {
        Shown::Ids => common::psi(ask.who, sizes)?.chance(),
        _ => hidden::chance(&hidden::owners(ask, sizes), sizes)?,
    };
    explain::chance(page, &(chance + Set::chance(sizes[0] + sizes[1])));
    let (bill, cells, written): (Bill, _, _) = match ask.reveal {
        Shown::Ids => {
            (common::psi(ask.who, sizes)?.bill(&under)? + Set::bill(), 2 * (sizes[0] + sizes[1]), ids)
        }
        _ => (hidden::bill(ask, &offers, &under)?, hidden::all_cells(ask, &offers)?, 0),
    };
    forecast.sent(page, &bill);
    forecast.takes(page, Protocols::Billed(bill), &Local { read, ids, written, cells, ..Local::default() });
    Ok(())
}
