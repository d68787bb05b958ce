//! The port: who comes in, how many at once, and how it ends.

use std::{
    collections::HashMap,
    panic::{AssertUnwindSafe, catch_unwind},
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
    time::{Duration, Instant},
};

use crate::serve::{
    ledger::Ledger,
    log,
    trusted::{identity, options, renewed},
    versions::Versions,
    visit,
};
use apps::private_table::{Greeting, turn_away};
use hushtable::{
    Error,
    error::Ending,
    net::{Connection, Farewell, HangUp, Identity, Listener},
    ot::SessionWish,
    session::Session,
};
use hushtable_columns::{
    failure::{Failure, Result},
    memory,
};
use hushtable_jobs::{calibration::Calibration, link, throttle::OfEach};

/// How often signals and limits are looked at.
const TICK: Duration = Duration::from_millis(100);
/// How many are told at once to come again.
const TURNED_AWAY: usize = 32;
/// How soon what failed for want of files is tried again.
const RETRY: Duration = Duration::from_secs(1);
/// A client that was told to go waits that long for the last bytes.
const PARTING: Duration = Duration::from_millis(1500);

/// What signals ask for.
#[derive(Default)]
struct Asked {
    stop: Arc<AtomicBool>,
    reload: Arc<AtomicBool>,
}

/// A session under way.
struct Guest {
    /// How to end it.
    hang_up: HangUp,
    since: Instant,
    /// Whose it is.
    account: String,
}

/// Everything that sessions share.
struct House {
    versions: Versions,
    ledger: Ledger,
    wish: SessionWish,
    /// Those under way, by number.
    guests: Mutex<HashMap<u64, Guest>>,
    turned_away: AtomicUsize,
    reloading: AtomicBool,
    /// About clients.
    lines: OfEach,
}

/// Serves until it is asked to stop.
pub fn serve(versions: Versions) -> Result<()> {
    let asked = Asked::watched()?;
    let farewell = Farewell::default();
    let mut lines = Vec::new();
    let identity = identity(&versions.args, None, &mut lines)?;
    let options = options(&versions.args, identity.clone(), &farewell, false, &mut lines);
    lines.iter().for_each(|line| log::line(line));
    let listener = link::listen(&versions.args.port.listen, options)?;
    let calibration = Calibration::load(None)?;
    let port = &versions.args.port;
    let said = port.net.simulated().or(port.means.link);
    let wish = port.means.wish(SessionWish::default());
    let memory = memory::for_a_batch(wish.memory, versions.args.limits.sessions as usize);
    let wish = wish
        .memory(memory)
        .scheme(port.ot.scheme())
        .link(said.or(calibration.link()))
        .rates(calibration.machine().ots);
    let house = Arc::new(House {
        ledger: Ledger::new(&versions.args),
        wish,
        guests: Mutex::default(),
        turned_away: AtomicUsize::new(0),
        reloading: AtomicBool::new(false),
        lines: OfEach::default(),
        versions,
    });
    eprint!("{}", hushtable_jobs::private_table::page(house.versions.now().description()).text(false));
    link::say_listening(&house.versions.args.port.listen, &listener.local_addr().to_string());
    let served = receive(&house, &asked, (listener, identity), &farewell);
    let cut = house.empty(&farewell);
    house.lines.rest().iter().for_each(|line| log::line(line));
    let cut = if cut > 0 { format!(", {cut} cut off") } else { String::new() };
    log::line(&format!("stopped after {}{cut}", hushtable_jobs::count::some(served as usize, "session")));
    Ok(())
}

/// Takes clients until it is asked to stop; how many there were.
fn receive(
    house: &Arc<House>,
    asked: &Asked,
    (mut listener, mut identity): (Listener, Option<Identity>),
    farewell: &Farewell,
) -> u64 {
    let (mut number, mut table_due) = (0, false);
    loop {
        let mut visitors = match listener.visitors() {
            Ok(visitors) => visitors,
            Err(error) => {
                house.no_connection(&error);
                if house.tend(asked, RETRY) {
                    return number;
                }
                continue;
            }
        };
        // Whoever is no longer trusted is kept out at once, not when the table has been encrypted.
        while !asked.reload.swap(false, Ordering::Relaxed) {
            // The file may have changed after a reload under way has read it: that one is followed by another.
            if table_due && house.reload() {
                table_due = false;
            }
            match visitors.next(TICK) {
                Ok(None) => {}
                Ok(Some(connection)) => number += u64::from(house.admit(number, connection)),
                Err(error) => {
                    // Too many files are open, say: it passes when a session ends.
                    house.no_connection(&error);
                    thread::sleep(TICK);
                }
            }
            if house.tend(asked, Duration::ZERO) {
                return number;
            }
        }
        // Files that callers held may be needed now.
        drop(visitors);
        table_due = true;
        match house.renewed(asked, (listener, identity), farewell) {
            Some(renewed) => (listener, identity) = renewed,
            None => return number,
        }
    }
}

impl House {
    /// Begins a session in a thread of its own, or tells the client to come again; whether it begins.
    fn admit(self: &Arc<Self>, number: u64, mut connection: Connection) -> bool {
        let (hang_up, account) = (connection.channel().hang_up(), visit::account(&connection));
        {
            let (mut guests, limits) = (self.guests(), &self.versions.args.limits);
            let of_it = guests.values().filter(|guest| guest.account == account).count();
            if guests.len() >= limits.sessions as usize || of_it >= limits.of_one_peer() {
                drop(guests);
                self.turn_away(connection);
                return false;
            }
            guests.insert(number, Guest { hang_up, since: Instant::now(), account });
        }
        let place = Place(Arc::clone(self), number);
        let begin = thread::Builder::new().name("hushtable-session".into()).spawn(move || {
            let house = &*place.0;
            let visit = || visit::serve(&house.versions, &house.ledger, &house.lines, house.wish, connection);
            // A bug met in one session ends no other.
            if catch_unwind(AssertUnwindSafe(visit)).is_err() {
                log::line("a session ended by a fault of this program");
            }
        });
        if let Err(error) = begin {
            log::line(&format!("no session: {error}"));
        }
        true
    }

    /// Says that there is no room.
    fn turn_away(self: &Arc<Self>, mut connection: Connection) {
        if self.turned_away.fetch_add(1, Ordering::Relaxed) >= TURNED_AWAY {
            self.turned_away.fetch_sub(1, Ordering::Relaxed);
            connection.channel().hang_up().now();
            return;
        }
        let house = Arc::clone(self);
        let say = thread::Builder::new().name("hushtable-busy".into()).spawn(move || {
            // Whoever has gone needs no word.
            let _ = Session::new(connection).and_then(|mut s| turn_away(&mut s, Greeting::Busy));
            house.turned_away.fetch_sub(1, Ordering::Relaxed);
        });
        if say.is_err() {
            self.turned_away.fetch_sub(1, Ordering::Relaxed);
        }
    }

    /// Looks after the sessions and the lines about them, for so long unless it is asked to stop: true then. Whatever
    /// else the thread that takes callers waits for, it waits here.
    fn tend(&self, asked: &Asked, time: Duration) -> bool {
        let start = Instant::now();
        loop {
            self.expire();
            self.lines.due().iter().for_each(|line| log::line(line));
            if asked.stop.load(Ordering::Relaxed) || start.elapsed() >= time {
                return asked.stop.load(Ordering::Relaxed);
            }
            thread::sleep(TICK / 2);
        }
    }

    /// The same port for those who are trusted now: nobody comes in before it is known who may. Nothing if it is asked to
    /// stop before.
    fn renewed(
        &self,
        asked: &Asked,
        before: (Listener, Option<Identity>),
        farewell: &Farewell,
    ) -> Option<(Listener, Option<Identity>)> {
        let mut said = Vec::new();
        loop {
            let mut lines = Vec::new();
            let renewed = renewed(&self.versions.args, &before, farewell, &mut lines);
            let why = renewed.as_ref().err();
            lines.extend(why.map(|failure| format!("nobody may come, trying again: {failure}")));
            // What fails again in the same way is said once.
            if lines != said {
                lines.iter().for_each(|line| log::line(line));
            }
            if let Ok(renewed) = renewed {
                return Some(renewed);
            }
            said = lines;
            if self.tend(asked, RETRY) {
                return None;
            }
        }
    }

    /// A line about it, one of many perhaps.
    fn no_connection(&self, error: &Error) {
        let line = self.lines.take("", &format!("no connection: {error}"), None);
        line.iter().for_each(|line| log::line(line));
    }

    /// Ends sessions that take too long.
    fn expire(&self) {
        let longest = Duration::from_secs(self.versions.args.limits.longest.into());
        for guest in self.guests().values() {
            if guest.since.elapsed() >= longest {
                guest.hang_up.now();
            }
        }
    }

    /// Reads the table again, beside the sessions; false if that is under way already.
    fn reload(self: &Arc<Self>) -> bool {
        if self.reloading.swap(true, Ordering::Relaxed) {
            return false;
        }
        let house = Arc::clone(self);
        let read = thread::Builder::new().name("hushtable-reload".into()).spawn(move || {
            let read = catch_unwind(AssertUnwindSafe(|| house.versions.reload()));
            log::line(&match read {
                Ok(Ok(true)) => "the table was read again: a new version".to_owned(),
                Ok(Ok(false)) => "the table was read again: it has not changed".into(),
                Ok(Err(why)) => format!("the table stays as it was: {why}"),
                Err(_) => "the table stays as it was: a fault of this program".into(),
            });
            house.reloading.store(false, Ordering::Relaxed);
        });
        if let Err(error) = read {
            self.reloading.store(false, Ordering::Relaxed);
            log::line(&format!("the table stays as it was: {error}"));
        }
        true
    }

    /// Waits for sessions under way, then ends them; how many were ended.
    fn empty(&self, farewell: &Farewell) -> usize {
        let grace = Duration::from_secs(self.versions.args.limits.grace.into());
        let under_way = self.guests().len();
        if under_way > 0 {
            log::line(&format!("stopping: {} s for sessions under way: {under_way}", grace.as_secs()));
        }
        if self.wait(grace) == 0 {
            return 0;
        }
        let cut = self.guests().len();
        farewell.say(Ending::Interrupted);
        farewell.wait(PARTING);
        self.guests().values().for_each(|guest| guest.hang_up.now());
        self.wait(PARTING);
        cut
    }

    /// Waits until nobody is there; how many still are.
    fn wait(&self, most: Duration) -> usize {
        let start = Instant::now();
        loop {
            let here = self.guests().len();
            if here == 0 || start.elapsed() >= most {
                return here;
            }
            self.expire();
            thread::sleep(TICK / 2);
        }
    }

    fn guests(&self) -> std::sync::MutexGuard<'_, HashMap<u64, Guest>> {
        self.guests.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A session's place, which is free when this is dropped, however that comes about.
struct Place(Arc<House>, u64);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.guests().remove(&self.1);
    }
}

impl Asked {
    /// From now on signals ask, and do not end this process; the second one to stop does.
    #[cfg(unix)]
    fn watched() -> Result<Self> {
        use signal_hook::{
            consts::{SIGHUP, SIGINT, SIGTERM},
            flag,
        };
        let asked = Self::default();
        let watch = || {
            for signal in [SIGINT, SIGTERM] {
                flag::register_conditional_default(signal, Arc::clone(&asked.stop))?;
                flag::register(signal, Arc::clone(&asked.stop))?;
            }
            flag::register(SIGHUP, Arc::clone(&asked.reload)).map(drop)
        };
        watch().map_err(|error| Failure::local(format!("signals: {error}")))?;
        Ok(asked)
    }

    #[cfg(not(unix))]
    fn watched() -> Result<Self> {
        Ok(Self::default())
    }
}
