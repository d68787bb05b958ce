//! What serving shows to whom, before anything is listened on.

use crate::serve::arguments::Serve;
use apps::private_table::{Description, Places};
use hushtable::net::Identity;
use hushtable_columns::failure::Result;
use hushtable_jobs::{page::Page, plain, private_table};

/// In plain words.
pub fn page(args: &Serve, description: &Description) -> Result<Page> {
    let mut page = Page::new("hushtable serve, before anything is listened on");
    let [here, clients] = who(&mut page, args)?;
    let table = plain::quoted(&description.table);
    page.plain([
        format!("{here} lets {clients} look keys up in its table {table}, which stays here."),
        format!(
            "Who looks a key up learns the values at it and whether it is there, and {here} does not learn which keys these are."
        ),
        format!(
            "Nobody learns the rows that are not looked up; {here} sees who comes, when, and how many keys each looks up, and who \
             watches the network sees as much."
        ),
    ]);
    private_table::describe(&mut page, description);
    page.title("Who learns what");
    let rows = match description.places {
        Places::Dense => "not how many rows there are",
        Places::Sparse { .. } => "not how many rows there are below that bound",
    };
    page.line("clients", &format!("all that stands above, before they send anything; {rows}"));
    page.line(
        "",
        "the values at the keys that they look up, and whether those are there; nothing of other rows",
    );
    page.line("", "when the table has changed: the copy is another one then. Not what has changed");
    let limit = &args.limits;
    let hourly = match limit.lookups_per_hour {
        Some(most) => format!("{most} of one peer in an hour"),
        None => "sessions are not limited (--lookups-per-hour)".into(),
    };
    let most = description.lookups;
    page.line("", &format!("a client may look up any key that it likes: {most} in a session, {hourly}"));
    page.line(
        "this party",
        "who comes and when, how many keys each looks up in how many batches, and how much of the copy it had; not \
         the keys, nor which of them are there, nor which are equal",
    );
    page.line("the network", "addresses, sizes and times, and from these about how many keys are looked up");
    if let Some(folder) = &args.key_shares {
        let folder = folder.display();
        let text = format!(
            "whoever has the other half of a file of shares in {folder} may look up its keys, which neither party knows; the \
             results that are shown say about a key what its row says"
        );
        page.line("shared keys", &text);
    }
    page.title("What is kept");
    let key = match &args.key_file {
        Some(path) => format!("{}: as secret as the table", path.display()),
        None => "nowhere: each start makes a new version, which clients fetch again (--key-file)".into(),
    };
    page.line("the key", &key);
    let shares = match &args.shares {
        Some(folder) => format!(
            "in {}, two files a session, of up to {} sessions and {} at once, of one peer a part of that",
            folder.display(),
            limit.kept_sessions,
            hushtable_columns::units::bytes(limit.kept_bytes as u64)
        ),
        None => "none: clients cannot ask for them (--shares)".into(),
    };
    page.line("shares of results", &shares);
    Ok(page)
}

/// Both ends, and what they are called.
fn who(page: &mut Page, args: &Serve) -> Result<[String; 2]> {
    page.title("Who");
    let port = &args.port;
    let Some(folder) = &port.identity else {
        page.line("this party", &format!("listens on {}", port.listen));
        page.line("clients", "anybody who gets there: plain TCP, without identities");
        return Ok(["this party".into(), "anybody who gets there".into()]);
    };
    let (identity, bad) = Identity::load_for_many(folder)?;
    identity.check_guests(&port.peer)?;
    let (name, fingerprint) = (identity.name(), identity.fingerprint());
    page.line("this party", &format!("{name}, listens on {}", port.listen));
    page.detail("", &format!("fingerprint {fingerprint}"));
    let peers = identity.peers();
    let comes = |name: &String| port.peer.is_empty() || port.peer.contains(name);
    let names: Vec<&str> =
        peers.iter().map(|peer| &peer.name).filter(|name| comes(name)).map(String::as_str).collect();
    let clients = match names.as_slice() {
        [] => "nobody: `hushtable identity trust` pins a peer's certificate".to_owned(),
        names => format!("{}; nobody else is let in", names.join(", ")),
    };
    page.line("clients", &clients);
    bad.iter().for_each(|why| page.line("left out", &format!("a pin by which nobody is trusted: {why}")));
    let guests = match names.as_slice() {
        [] => "nobody yet".to_owned(),
        names => names.iter().map(|name| plain::quoted(name)).collect::<Vec<_>>().join(", "),
    };
    Ok([plain::quoted(name), guests])
}
