//! A client's session, and its line in the log.

use std::{
    fmt::Write as _,
    net::SocketAddr,
    path::Path,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Instant,
};

use crate::serve::{
    ledger::{Granted, Ledger},
    limits::Reserved,
    log,
    quota::Room,
    shares,
    versions::Versions,
};
use apps::private_table::{Answer, Gets, Request, Served};
use hushtable::{
    Error, Party,
    net::{Connection, Identity},
    ot::SessionWish,
    run::{self, Watch},
    session::Session,
};
use hushtable_columns::{failure::Result, units};
use hushtable_jobs::{private_table::agreed, seal::statement, throttle::OfEach};

/// What a session did, for its line.
#[derive(Default)]
struct Did {
    request: Option<(Request, Answer)>,
    messages: usize,
    done: u64,
    /// Why its shares have no place.
    full: Option<String>,
}

/// Serves a client to its end. `lines`: what may be written about each.
pub fn serve(
    versions: &Versions,
    ledger: &Ledger,
    lines: &OfEach,
    wish: SessionWish,
    mut connection: Connection,
) {
    let (start, served) = (Instant::now(), versions.now());
    let (peer, id) = (connection.peer_name().to_owned(), connection.id());
    let mut did = Did { messages: served.description().job().messages(), ..Did::default() };
    let counted = account(&connection);
    let mut granted = Granted::nothing(connection.channel().sent());
    let outcome = work(versions, &served, (ledger, &counted, &mut granted), wish, connection, &mut did);
    granted.end();
    let mut line = format!("session {} {peer}: ", blake3::Hash::from(id).to_hex().split_at(8).0);
    did.describe(&mut line);
    let granted = did.request.filter(|(_, answer)| *answer == Answer::Yes);
    let done = granted.filter(|_| outcome.is_ok()).map(|(request, _)| request.lookups);
    let end = match outcome {
        Ok(()) if done.is_some() => "done".to_owned(),
        Ok(()) => "turned down".into(),
        Err(failure) => match did.request {
            None if failure.to_string() == Error::Closed.to_string() => "left after the description".into(),
            None => format!("failed at the description: {}", failure.to_string().replace('\n', " ")),
            Some(_) => format!("failed: {}", failure.to_string().replace('\n', " ")),
        },
    };
    let _ = write!(line, "{end}, {}", units::time(start.elapsed().as_secs_f64()));
    lines.take(&counted, &line, done).iter().for_each(|line| log::line(line));
}

/// Whose keys and sessions are counted together: a peer's, or without TLS those from an address.
pub fn account(connection: &Connection) -> String {
    let peer = connection.peer_name();
    match peer.parse::<SocketAddr>() {
        Ok(address) if connection.peer_fingerprint().is_none() => address.ip().to_string(),
        _ => peer.to_owned(),
    }
}

fn work<'a>(
    versions: &Versions,
    served: &Arc<Served>,
    (ledger, peer, granted): (&'a Ledger, &str, &mut Granted<'a>),
    wish: SessionWish,
    connection: Connection,
    did: &mut Did,
) -> Result<()> {
    let (id, mut s) = (connection.id(), Session::new(connection)?);
    let settled = served.settle(&mut s, |request| {
        let answer = ledger.grant(peer, id, served.description(), request, granted);
        did.full = granted.full.take();
        did.request = Some((*request, answer));
        answer
    })?;
    did.request = Some(settled);
    let (request, answer) = settled;
    if answer != Answer::Yes {
        return Ok(());
    }
    let mut p = Party::start(s, wish)?;
    let keys = granted.keys.as_ref();
    let lookup = served.lookup(request.gets, keys.map(|file| file.bits))?;
    run::set_up(&lookup, &mut p, request.lookups as usize)?;
    let counting = Counting { held: Mutex::new(granted.lookups.take()), done: AtomicU64::new(0) };
    let looked = lookup.look_up(&mut p, request.lookups, keys.map(|file| &file.shares[..]), &counting);
    did.done = counting.done.into_inner();
    let looked = looked?;
    // A client that has gone by now keeps no shares of its results, and none are kept here; what it keeps once this party
    // has sent its word is kept here too.
    let theirs = p.recv(1)? == [1];
    if let (Some(column), Some(folder)) = (lookup.column(), &versions.args.shares) {
        let kept = shares::keep(folder, &lookup, column, looked, id);
        // The client keeps its shares only if these are kept.
        kept.map_err(|failure| failure.worded(|text| format!("shares could not be kept: {text}")))
            .inspect_err(|failure| {
                if let Some(why) = failure.ending() {
                    p.connection().channel().end(why);
                }
            })?;
        granted.room.take().into_iter().for_each(Room::written);
    }
    // The client has all there is. If both ask for it, both sign that.
    let sign = versions.args.sign;
    p.send(vec![u8::from(sign)])?;
    match versions.args.port.identity.as_deref().filter(|_| sign && theirs) {
        Some(folder) => countersign(&mut p, folder, &agreed(&lookup, request.lookups)),
        None => Ok(()),
    }
}

/// What becomes of the keys that a session holds.
struct Counting<'a> {
    held: Mutex<Option<Reserved<'a>>>,
    /// So many are done.
    done: AtomicU64,
}

impl Watch for Counting<'_> {
    /// From now on the client may come to see their rows: they are spent, whatever becomes of the session.
    fn begins(&self, items: usize) {
        let mut held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.iter_mut().for_each(|held| held.spend(items as u64));
    }

    fn done(&self, items: usize) {
        self.done.fetch_add(items as u64, Ordering::Relaxed);
    }
}

fn countersign(p: &mut Party, folder: &Path, agreed: &[(String, String)]) -> Result<()> {
    let (identity, _) = Identity::load_for_many(folder)?;
    // This party keeps no record: there is nothing that it alone says.
    p.connection().countersign(&identity, &statement("lookup", agreed, "computed"), [0; 32])?;
    Ok(())
}

impl Did {
    fn describe(&self, line: &mut String) {
        let Some((request, answer)) = &self.request else { return };
        let fate = match answer {
            Answer::Yes => None,
            Answer::OtherVersion => Some("meant another version"),
            Answer::TooMany => Some("more keys than a session may have"),
            Answer::Later(_) => Some("more keys than it may have now"),
            Answer::Busy => Some("what is left is held for sessions under way"),
            Answer::NoShares => Some("shares that are not kept"),
            Answer::NoKeys => Some("shares of keys that are not here"),
            Answer::NoRoom => Some(self.full.as_deref().unwrap_or("no room for more shares")),
            Answer::Malformed => Some("a request that makes no sense"),
        };
        let _ = match fate {
            Some(fate) => {
                write!(line, "{fate}, {}, ", hushtable_jobs::count::some(request.lookups as usize, "key"))
            }
            None => {
                let sent = self.messages.saturating_sub(request.messages as usize);
                let copy = match sent {
                    0 => "had the copy".to_owned(),
                    all if all == self.messages => "sent the copy".into(),
                    some => format!("sent {some} of {} parts of the copy", self.messages),
                };
                let gets = if request.gets == Gets::Client { "for it" } else { "as shares" };
                let shared = if request.keys.is_some() { "shared " } else { "" };
                write!(line, "{copy}, {} of {} {shared}keys {gets}, ", self.done, request.lookups)
            }
        };
    }
}
