//! One party: its session and its correlated OTs. What makes material takes a party.

mod kept;
mod ticket;

use std::{
    any::Any,
    ops::{Deref, DerefMut},
    sync::Arc,
};

use prim::block::Block;

pub use ticket::Ticket;

use self::kept::Kept;
use crate::{
    error::Result,
    net::{Connection, Cost, LinkShape},
    ot::{CotReceiver, CotSender, Ot, SessionWish, Setting, one_of_n, random::RandomOts, vole},
    session::Session,
    terms::Terms,
};

/// One party: a [`Session`] that can make correlated OTs. What prepares material takes a party; what spends it
/// online takes the session alone, so that its type says that no OT is drawn.
///
/// Dropping a party hangs up, so that the peer's protocol ends as well.
pub struct Party {
    session: Session,
    ot: Ot,
    /// Kept for later batches.
    kept: Kept,
    /// How many pieces of material runs have made, and how many stores.
    materials: u64,
    stores: u64,
}

impl Party {
    /// A party on a fresh connection: agrees with the peer on the security parameters and runs the
    /// base OTs. What extends them is the [`Scheme`](crate::ot::Scheme) that either party wishes, or else what takes
    /// the least time over the link by a [`SessionWish`] of one of them.
    ///
    /// # Errors
    /// [`Error::Handshake`](crate::Error::Handshake) if the peer uses other parameters or wishes another extension,
    /// and those of the channel.
    pub fn new(connection: Connection, wish: impl Into<SessionWish>) -> Result<Self> {
        Self::start(Session::new(connection)?, wish)
    }

    /// Both parties in this process, with randomness from the operating system.
    ///
    /// # Errors
    /// If the system gives no randomness.
    pub fn pair() -> Result<(Self, Self)> {
        let (c0, c1) = Connection::pair();
        both(Session::new(c0)?, Session::new(c1)?)
    }

    /// Both parties in this process, deterministic: for tests and measurements only. There is no
    /// seeded party on a real connection.
    ///
    /// # Errors
    /// Those of the set-up.
    pub fn pair_seeded(seed: u64) -> Result<(Self, Self)> {
        let (s0, s1) = Session::pair_seeded(seed, LinkShape::LOOPBACK);
        both(s0, s1)
    }

    /// One party with a given seed, on a connection inside this process: for tests.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    ///
    /// # Panics
    /// On any other connection.
    #[doc(hidden)]
    pub fn seeded(connection: Connection, seed: u64, wish: impl Into<SessionWish>) -> Result<Self> {
        Self::start(Session::seeded(connection, seed), wish)
    }

    /// A party in a session that is under way: what was exchanged before needed no OT.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn start(mut session: Session, wish: impl Into<SessionWish>) -> Result<Self> {
        let ot = Ot::new(&mut session, wish)?;
        session.renew_rng();
        Ok(Self { session, ot, kept: Kept::default(), materials: 0, stores: 0 })
    }

    /// The number of the next piece of material: the peer counts alike, since it runs the same operations.
    pub(crate) fn next_material(&mut self) -> u64 {
        self.materials += 1;
        self.materials
    }

    /// The id of the next store that the session makes, never given twice: the session's own for the first, and then others
    /// that follow from it. The peer counts alike.
    pub(crate) fn next_store(&mut self) -> [u8; 32] {
        let number = self.stores;
        self.stores += 1;
        match number {
            0 => self.id(),
            _ => {
                let what = [&self.id()[..], &number.to_le_bytes()].concat();
                blake3::derive_key("hushtable 2026-11 further store of a session", &what)
            }
        }
    }

    /// Messages, randomness and keys: for the protocols of this library only.
    pub(crate) fn session(&mut self) -> &mut Session {
        &mut self.session
    }

    /// The next `send` random correlated OTs as sender and `recv` as receiver; the peer asks for
    /// the same numbers the other way round.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn cots(&mut self, send: usize, recv: usize) -> Result<(CotSender, CotReceiver)> {
        self.ot.take(&mut self.session, send, recv)
    }

    /// [`cots`](Self::cots) in bulk, as they are made: gives `state` the strings of each direction in order,
    /// some at a time, in multiples of 64 but the last; as sender with this party's `Delta`.
    ///
    /// # Errors
    /// Those of the channel.
    pub(crate) fn stream_cots<C>(
        &mut self,
        counts: (usize, usize),
        state: &mut C,
        as_sender: impl FnMut(&mut C, Block, &[Block]),
        as_receiver: impl FnMut(&mut C, &[Block]),
    ) -> Result<()> {
        self.ot.stream(&mut self.session, counts, state, as_sender, as_receiver)
    }

    /// Random 1-of-n OTs from codes, `counts` as sender and as receiver, `2 <= n <= 2^13`: 1 round, and
    /// another if n is no power of two.
    ///
    /// # Errors
    /// As [`RandomOts::by_code`].
    pub fn random_ots(&mut self, n: usize, counts: (usize, usize)) -> Result<RandomOts> {
        let (send, recv) = one_of_n::code_cots(n, counts);
        let cots = self.cots(send, recv)?;
        RandomOts::by_code(&mut self.session, n, cots, counts)
    }

    /// The next `count` [VOLEs](vole) with this party's Delta; the peer [receives](Self::receive_voles) as many.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for more than [`vole::MAX`]; those of the channel.
    pub fn send_voles(&mut self, count: usize) -> Result<vole::Sender> {
        vole::send(&mut self.session, &mut self.ot, count)
    }

    /// The next `count` VOLEs with the peer's Delta; the peer [sends](Self::send_voles) as many.
    ///
    /// # Errors
    /// As [`send_voles`](Self::send_voles).
    pub fn receive_voles(&mut self, count: usize) -> Result<vole::Receiver> {
        vole::receive(&mut self.session, &mut self.ot, count)
    }

    /// What both parties came to when they met: the link, and which extension makes how many correlated OTs.
    pub fn setting(&self) -> Setting {
        self.ot.setting()
    }

    /// Starts the OT extension that suits these counts, so that [`cots`](Self::cots) only extends:
    /// the part of set-up that depends on the size of the job.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare_ot(&mut self, send: usize, recv: usize) -> Result<()> {
        self.ot.prepare(&mut self.session, send, recv)
    }

    /// Makes these correlated OTs ahead, so that [`cots`](Self::cots) hands them out without a message.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn stock_cots(&mut self, send: usize, recv: usize) -> Result<()> {
        self.ot.stock_up(&mut self.session, send, recv)
    }

    /// Correlated OTs, as sender and as receiver, that [`cots`](Self::cots) hands out without a message.
    pub fn cots_in_stock(&self) -> (usize, usize) {
        self.ot.in_stock()
    }

    /// The thing that the session keeps under these terms; the first time `make` makes it, with the peer. It lives as long
    /// as the session and its lanes: a secret in it wipes itself.
    ///
    /// # Errors
    /// Those of `make`; [`Error::Handshake`](crate::Error::Handshake) at both parties, at their next wait for each other, if
    /// the peer asks for another thing, or has it already.
    pub fn kept<T: Any + Send + Sync>(
        &mut self,
        terms: &Terms,
        make: impl FnOnce(&mut Self) -> Result<T>,
    ) -> Result<Arc<T>> {
        let found = self.kept.find(terms);
        let how = if found.is_some() { "kept" } else { "made" };
        let what = std::any::type_name::<T>();
        self.announce(&format!("{how}: {}, {what}, {}", terms.kind(), terms.digest().to_hex()))?;
        match found {
            Some(found) => Ok(found),
            None => {
                let made = make(self)?;
                Ok(self.kept.put(terms, made))
            }
        }
    }

    /// Runs `f` and returns what it cost. Both parties enter and leave at the same points, so
    /// rounds count from zero on both sides.
    ///
    /// # Errors
    /// Those of `f`.
    pub fn metered<T>(&mut self, f: impl FnOnce(&mut Self) -> Result<T>) -> Result<(T, Cost)> {
        self.take_cost();
        let out = f(self)?;
        Ok((out, self.take_cost()))
    }

    /// Parties for parallel lanes over sibling connections: the same peer and Deltas, independent
    /// material and keys, and what the session [kept](Self::kept) so far. For lanes in other processes there are [`tickets`](Self::tickets).
    ///
    /// Where [`prepare_ot`](Self::prepare_ot) has started Ferret, the lanes go on with it and start none: prepare for
    /// what a lane takes, then fork.
    ///
    /// # Errors
    /// If the peer does not open as many lanes.
    pub fn fork(&mut self, lanes: usize) -> Result<Vec<Self>> {
        let sessions = self.session.fork(lanes)?;
        let sources = self.ot.fork(&mut self.session, &sessions)?;
        let lane = |(session, ot)| Self { session, ot, kept: self.kept.clone(), materials: 0, stores: 0 };
        Ok(sessions.into_iter().zip(sources).map(lane).collect())
    }
}

impl Deref for Party {
    type Target = Session;

    fn deref(&self) -> &Session {
        &self.session
    }
}

impl DerefMut for Party {
    fn deref_mut(&mut self) -> &mut Session {
        &mut self.session
    }
}

/// Sets both ends up in two threads.
fn both(s0: Session, s1: Session) -> Result<(Party, Party)> {
    std::thread::scope(|scope| {
        let p1 = scope.spawn(|| Party::start(s1, None));
        let p0 = Party::start(s0, None);
        Ok((p0?, p1.join().expect("the thread of P1")?))
    })
}

/// Runs both parties' functions in this process and returns both results.
///
/// # Errors
/// P0's error, else P1's.
pub fn run_pair<A: Send, B: Send>(
    (mut p0, mut p1): (Party, Party),
    f0: impl FnOnce(&mut Party) -> Result<A> + Send,
    f1: impl FnOnce(&mut Party) -> Result<B> + Send,
) -> Result<(A, B)> {
    let (mut a, mut b) = (None, None);
    let (to_a, to_b) = (&mut a, &mut b);
    let here = move || {
        *to_a = Some(f0(&mut p0));
        drop(p0); // hangs up: a failed party never leaves the other waiting
    };
    at_once(Box::new(here), Box::new(move || *to_b = Some(f1(&mut p1))));
    let (a, b) = a.zip(b).expect("both have run");
    Ok((a?, b?))
}

/// Runs the first here and the second in a thread, which is compiled once for all functions.
fn at_once<'a>(here: Box<dyn FnOnce() + 'a>, beside: Box<dyn FnOnce() + Send + 'a>) {
    std::thread::scope(|scope| {
        let beside = scope.spawn(beside);
        here();
        beside.join().expect("the thread of P1");
    });
}
