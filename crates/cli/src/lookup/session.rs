//! Sessions with who serves: as many as it takes until the copy is here, the last one with the lookups.

use std::{
    cell::Cell,
    thread,
    time::{Duration, Instant},
};

use crate::lookup::{
    arguments::Lookup,
    cache::{Cache, Kept},
    keys::{self, Keys},
};
use apps::{
    held_table::Table,
    private_table::{Answer, Description, Found, Gets, KeyLookup, Reading, Request, find, request},
};
use hushtable::{Error, confidential::copy::Arriving, net::Connection, session::Session};
use hushtable_columns::{
    failure::{Cause, Failure, Result},
    units,
};
use hushtable_jobs::{count::some, explain, private_table, progress::Progress};
use prim::Wiped;

/// A server without room is asked again after so long, then less and less often.
const PAUSES: [Duration; 2] = [Duration::from_millis(200), Duration::from_secs(5)];

/// Why there is no room.
const FULL: &str = "the peer serves as many as it can";
const HELD: &str = "the peer holds what is left for sessions under way";

/// Connections that bring nothing, or versions that come to nothing, one after the other.
const TRIES: u32 = 5;

/// How a session ended.
enum Step {
    Ready(Box<Ready>),
    /// There was no room, and why.
    Busy(&'static str),
    /// Another session is needed: there is another version by now, or the copy is not what it should be.
    Again(&'static str),
    /// The connection broke while the copy came; whether some of it did, and not more than of several copies by now: a peer
    /// may have another version each time.
    Broken(bool, Failure),
}

/// A session in which the lookups come next.
pub struct Ready {
    pub session: Session,
    /// When it began.
    pub start: Instant,
    pub asked: Asked,
    /// Bytes of copies that came, in earlier sessions too.
    pub fetched: u64,
}

/// What is looked up.
pub struct Asked {
    pub lookup: KeyLookup,
    /// The words of this party's own keys; nothing if they are shared.
    pub keys: Wiped<u64>,
    /// Whether each key can be in the table at all.
    pub known: Vec<bool>,
}

/// What goes over from one session to the next.
#[derive(Default)]
struct Course {
    /// The digest of the copy whose description was shown.
    shown: Option<[u8; 32]>,
    /// Bytes of copies that came.
    fetched: u64,
}

/// `--describe`.
pub fn describe(args: &Lookup) -> Result<()> {
    let end = Instant::now() + args.link.wait();
    let mut pause = PAUSES[0];
    loop {
        let (connection, _) = args.link.open()?;
        match find(&mut Session::new(connection)?) {
            Ok(Found::Open(description)) => {
                return explain::print(&private_table::page(&description));
            }
            Ok(Found::Busy | Found::Ending) | Err(Error::Closed) => wait_for_room(FULL, &mut pause, end)?,
            Err(error) => return Err(error.into()),
        }
    }
}

/// The session in which the keys are looked up.
pub fn ready(args: &Lookup, keys: &Keys<'_>) -> Result<Ready> {
    let end = Instant::now() + args.link.wait();
    let (mut course, mut pause, mut tries) = (Course::default(), PAUSES[0], 0);
    loop {
        match session(args, keys, &mut course)? {
            Step::Ready(ready) => return Ok(*ready),
            Step::Busy(why) => wait_for_room(why, &mut pause, end)?,
            Step::Again(why) if tries < TRIES => {
                tries += 1;
                eprintln!("{why}: once more");
            }
            Step::Again(why) => {
                return Err(Failure::Reported(Cause::Peer, format!("{why}, {} times", tries + 1)));
            }
            Step::Broken(came, failure) => {
                tries = if came { 1 } else { tries + 1 };
                if tries > TRIES {
                    return Err(failure);
                }
                eprintln!("the connection broke, and the copy goes on where it was: {failure}");
                thread::sleep(PAUSES[0] * tries);
            }
        }
    }
}

fn wait_for_room(why: &str, pause: &mut Duration, end: Instant) -> Result<()> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() {
        let what = format!("{why}: come again later, or wait longer (--wait)");
        return Err(Failure::Reported(Cause::Peer, what));
    }
    eprintln!("{why}: waiting");
    thread::sleep(left.min(*pause));
    *pause = (*pause * 3 / 2).min(PAUSES[1]);
    Ok(())
}

/// One session.
fn session(args: &Lookup, keys: &Keys<'_>, course: &mut Course) -> Result<Step> {
    let (connection, start) = args.link.open()?;
    args.link.note(|record| record.met(&connection));
    let peer = named(&connection);
    let mut s = Session::new(connection)?;
    let description = match find(&mut s) {
        // Too many to be told so.
        Ok(Found::Busy | Found::Ending) | Err(Error::Closed) => return Ok(Step::Busy(FULL)),
        Ok(Found::Open(description)) => *description,
        Err(error) => return Err(error.into()),
    };
    let first = course.shown.replace(description.digest) != Some(description.digest);
    if first {
        eprint!("{}", private_table::page(&description).text(false));
    }
    args.takes_copy(&description)?;
    let lookups = keys.len() as u64;
    if lookups > description.lookups {
        return Err(too_many(keys.len(), description.lookups));
    }
    let (gets, rules) = (args.gets(&description)?, keys::rules(args.normalise, &description)?);
    let reading = Reading { order: args.dates.into(), rules };
    let (encoded, known) = keys.encode(&description, reading, args.shares())?;
    if first
        && description.key.form.is_some()
        && let Some(hint) = keys.hint(rules)
    {
        eprintln!("warning: {hint}");
    }
    let cache = Cache::open(args.copy.as_deref(), &peer, &description)?;
    let asked = Request {
        digest: description.digest,
        messages: 0,
        lookups,
        gets,
        keys: keys.half().map(|(.., name)| name),
    };
    let table = match fetch(&mut s, (&description, asked), cache, course)? {
        Ok(table) => table,
        Err(step) => return Ok(step),
    };
    let lookup = KeyLookup::new(description, table, gets, keys.half().map(|(_, bits, _)| bits))?;
    let asked = Asked { lookup, keys: encoded, known };
    Ok(Step::Ready(Box::new(Ready { session: s, start, asked, fetched: course.fetched })))
}

/// Whose table it is, for the name of the copy's file.
fn named(connection: &Connection) -> String {
    connection.peer_fingerprint().map_or_else(|| connection.peer_name().to_owned(), |print| print.to_string())
}

/// Asks for lookups; then the copy is here, or another session is needed.
fn fetch(
    s: &mut Session,
    (description, asked): (&Description, Request),
    mut cache: Cache,
    course: &mut Course,
) -> Result<std::result::Result<Table, Step>> {
    let (job, digest) = (description.job(), description.digest);
    let (whole, mut arriving) = match cache.load(job, digest)? {
        Kept::Whole(copy) => (Some(*copy), None),
        Kept::Part(arriving, note) => {
            if let Some(note) = note {
                eprintln!("{}: {note}", cache.path().display());
            }
            (None, Some(arriving))
        }
    };
    let before = arriving.as_ref().map_or(job.messages(), Arriving::messages);
    let asked = Request { messages: before as u32, ..asked };
    let progress = Progress::start("parts of the copy", job.messages() - before);
    let fetched = Cell::new(0);
    let answered = request(s, asked, arriving.as_mut(), |message| {
        progress.step();
        fetched.set(fetched.get() + message.len() as u64);
        cache.keep(message)
    });
    drop(progress);
    course.fetched += fetched.get();
    match answered {
        Ok(Answer::Yes) => {}
        Ok(Answer::Busy) => return Ok(Err(Step::Busy(HELD))),
        Ok(Answer::OtherVersion) => return Ok(Err(Step::Again("the table has changed meanwhile"))),
        Ok(refusal) => return Err(refused(refusal, &asked, description)),
        Err(error) => {
            let failure = Failure::from(error);
            cache.close()?;
            return match (&failure, whole) {
                (Failure::Reported(Cause::Peer, _), None) => {
                    let most = job.copy_bits() / 8 * u64::from(TRIES);
                    Ok(Err(Step::Broken(fetched.get() > 0 && course.fetched <= most, failure)))
                }
                _ => Err(failure),
            };
        }
    }
    match (whole, arriving) {
        (Some(copy), _) => cache.close().map(|()| Ok(copy.into())),
        (None, Some(arriving)) => arrived(arriving, cache, description),
        (None, None) => unreachable!("one of both"),
    }
}

/// The copy, if what has come is it.
fn arrived(
    arriving: Arriving,
    mut cache: Cache,
    description: &Description,
) -> Result<std::result::Result<Table, Step>> {
    let copy = arriving.finish();
    if copy.is_err() {
        // A part of it was altered on the disk, or on its way.
        cache.begin(&Arriving::new(description.job(), description.digest)?)?;
    }
    cache.close()?;
    Ok(copy
        .map(Table::from)
        .map_err(|_| Step::Again("the copy does not match its digest, and is fetched anew")))
}

fn too_many(keys: usize, most: u64) -> Failure {
    let what = format!(
        "{}; the peer accepts up to {most} in a session (--lookups-at-most): split the file",
        some(keys, "key")
    );
    Failure::Reported(Cause::Disagreement, what)
}

/// What the peer does not do.
fn refused(answer: Answer, asked: &Request, description: &Description) -> Failure {
    let lookups = asked.lookups;
    let keys = some(lookups as usize, "key");
    let are = if lookups == 1 { "is" } else { "are" };
    let has_copy = asked.messages as usize == description.job().messages();
    let what = match answer {
        Answer::TooMany => return too_many(lookups as usize, description.lookups),
        Answer::Later(seconds) if has_copy => format!(
            "{keys} {are} more than the peer lets this party look up now; in {seconds} s it may do so again"
        ),
        Answer::Later(seconds) => format!(
            "{keys}, or one more copy of the table, are more than the peer lets this party look up and fetch now \
             (its --lookups-per-hour and --copies-per-hour); in {seconds} s it may do so again"
        ),
        Answer::NoRoom => {
            "the peer has no room for more shares of results (its --kept-sessions and --kept-bytes)".into()
        }
        Answer::NoKeys => "the peer has no other half of these shares (its --key-shares)".into(),
        Answer::NoShares => {
            "the peer keeps no shares of results (its --shares), or not of that column".into()
        }
        _ => "the peer did not understand what was asked for".into(),
    };
    Failure::Reported(Cause::Disagreement, what)
}

impl Lookup {
    /// `Ok(())` unless the copy is too large.
    fn takes_copy(&self, description: &Description) -> Result<()> {
        let (copy, most) = (description.job().copy_bits() / 8, self.copy_at_most as u64);
        if copy <= most {
            return Ok(());
        }
        let [has, may] = [copy, most].map(units::bytes);
        let what = format!(
            "the encrypted copy of the table has {has}, and {may} may be fetched: --copy-at-most {copy} allows it"
        );
        Err(Failure::Reported(Cause::Disagreement, what))
    }

    /// Who gets results, of which column if they stay shared.
    fn gets(&self, description: &Description) -> Result<Gets> {
        let table = &description.table;
        let columns = || description.values.iter().map(|v| v.name.as_str()).collect::<Vec<_>>().join(", ");
        for name in self.values() {
            if description.column(name).is_none() {
                let what = format!("--value {name:?}: the table {table:?} has the columns {}", columns());
                return Err(Failure::Reported(Cause::Disagreement, what));
            }
        }
        if !self.shares() {
            return Ok(Gets::Client);
        }
        let column = match (self.values().as_slice(), description.values.len()) {
            ([one], _) => description.column(one).unwrap_or_default(),
            ([], 1) => 0,
            _ => {
                return Err(Failure::new(format!(
                    "--reveal shares is of one column: --value one of {}",
                    columns()
                )));
            }
        };
        if !description.shareable(column) {
            let kind = description.values[column].kind.words();
            let name = &description.values[column].name;
            let what =
                format!("{name:?} has {kind}; accepted for shares: whole numbers, multiples of 2^-n, dates");
            return Err(Failure::Reported(Cause::Disagreement, what));
        }
        Ok(Gets::Shared(column as u8))
    }
}
