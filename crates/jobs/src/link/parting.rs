//! The end of a command that fails, or is stopped, while the peer works with it or waits for it.

use std::{
    sync::{MutexGuard, PoisonError, atomic::Ordering, mpsc::channel},
    thread,
    time::Duration,
};

use crate::{
    link::{Link, listen},
    record::Record,
};
use hushtable::{
    error::Ending,
    net::{self, Identity, Options},
};
use hushtable_columns::{
    failure::{Failure, Result},
    terminal,
};

/// How long a party that has nothing else to do stays to tell its peer.
const STAY: Duration = Duration::from_millis(1500);
/// How long a party that would listen waits for a peer that tries to connect: it does so four times a second.
const VISIT: Duration = Duration::from_millis(600);

impl Link {
    /// Does the work of a command. If it fails or is stopped, the peer is told why, also if it is not connected
    /// but waits.
    pub fn attended<T>(&self, work: impl FnOnce() -> Result<T>) -> Result<T> {
        self.check()?;
        self.watch_signals();
        work().inspect_err(|failure| {
            if self.stopped.load(Ordering::Relaxed) {
                // What failed is the consequence of the signal, by which the process is about to end.
                thread::sleep(2 * STAY);
            }
            if let Some(why) = failure.ending().filter(|_| !self.opened.load(Ordering::Relaxed)) {
                self.call_off(why);
            }
        })
    }

    /// Tells the connected peer why this party ends. For a failure that the peer sees by itself it does nothing.
    pub fn tell(&self, failure: &Failure) {
        if let Some(why) = failure.ending() {
            self.farewell.say(why);
        }
    }

    /// Keeps the record of a job that begins.
    pub fn keep(&self, record: Record) {
        *self.kept() = Some(record);
    }

    /// What is to be noted, if a record is kept.
    pub fn note(&self, what: impl FnOnce(&mut Record)) {
        self.kept().as_mut().map(what);
    }

    /// Writes the record, if one is kept, of a job that ended so.
    pub fn end_record(&self, done: Result<()>) -> Result<()> {
        // Whoever is stopped meanwhile waits until it is written.
        let mut kept = self.kept();
        match kept.take() {
            Some(record) => record.end(done),
            None => done,
        }
    }

    fn kept(&self) -> MutexGuard<'_, Option<Record>> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tells a peer that waits, if there is one.
    fn call_off(&self, why: Ending) {
        self.farewell.say(why);
        let (link, (done, until_done)) = (self.clone(), channel());
        thread::spawn(move || {
            // A peer that does not wait needs no word.
            let _ = link.visit();
            let _ = done.send(());
        });
        let _ = until_done.recv_timeout(STAY);
    }

    /// A connection that ends as it begins, because the farewell is said already.
    fn visit(&self) -> Result<()> {
        let options = match &self.identity {
            Some(folder) => Options::secure(Identity::load(folder)?),
            None => Options::plain(),
        };
        let options = options.peer(self.peer.clone()).farewell(self.farewell.clone());
        match (&self.listen, &self.connect) {
            // Nobody knows a port that was not given out yet.
            (Some(address), _) if !address.ends_with(":0") => {
                drop(listen(address, options.wait(VISIT))?.accept()?);
            }
            (None, Some(address)) => {
                drop(net::connect(address, options.wait(Duration::ZERO))?);
            }
            _ => {}
        }
        Ok(())
    }

    /// From now on who stops this process lets it tell the peer first, and write its record. It still ends by the
    /// signal.
    #[cfg(unix)]
    fn watch_signals(&self) {
        use signal_hook::{
            consts::{SIGHUP, SIGINT, SIGTERM},
            iterator::Signals,
            low_level::emulate_default_handler,
        };
        // Without it the peer notices by itself.
        let Ok(mut signals) = Signals::new([SIGHUP, SIGINT, SIGTERM]) else { return };
        let link = self.clone();
        thread::spawn(move || {
            if let Some(signal) = signals.forever().next() {
                link.stopped.store(true, Ordering::Relaxed);
                // To the end: the job, which fails now, must not write another one.
                let mut record = link.kept();
                if link.opened.load(Ordering::Relaxed) {
                    link.farewell.say(Ending::Interrupted);
                    link.farewell.wait(STAY);
                } else {
                    link.call_off(Ending::Interrupted);
                }
                let written = record.take().map(|record| record.interrupted(signal as u8));
                if let Some(Err(failure)) = written {
                    terminal::complain(&format!("error: {failure}\n"));
                }
                let _ = emulate_default_handler(signal);
            }
        });
    }

    #[cfg(not(unix))]
    fn watch_signals(&self) {}
}
