//! One party of a session: its connection, its randomness and its correlated OTs.

use std::fmt;

use prim::{block::Block, pack::packed_len, ring::Ring};

use crate::{
    error::{Error, Result},
    net::{Connection, Cost, Role, Shape},
    ot::{CotReceiver, CotSender, Ot, Scheme, one_of_n, params, random::RandomOts},
    session::Session,
    share::{Kind, Share, combine, to_wire},
};

/// Bits in a message of an opening in pieces.
const PIECE_BITS: usize = 1 << 20;

/// One party, the first argument of every protocol.
///
/// Dropping a party hangs up, so that the peer's protocol ends as well.
pub struct Party {
    session: Session,
    ot: Ot,
}

/// Correlated OTs made and not handed out, of [`Party::set_aside`]. Nobody sees them before they are restored.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct SetAside {
    session: [u8; 32],
    cots: (CotSender, CotReceiver),
}

impl Party {
    /// A party on a fresh connection: agrees with the peer on the security parameters and runs the
    /// base OTs. `scheme` overrides the choice of the OT extension by count, at both parties.
    ///
    /// # Errors
    /// [`Error::Handshake`] if the peer uses other parameters, and those
    /// of the channel.
    pub fn new(connection: Connection, scheme: Option<Scheme>) -> Result<Self> {
        Self::start(Session::new(connection)?, scheme)
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
        let (s0, s1) = Session::pair_seeded(seed, Shape::default());
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
    pub fn seeded(connection: Connection, seed: u64, scheme: Option<Scheme>) -> Result<Self> {
        Self::start(Session::seeded(connection, seed), scheme)
    }

    fn start(mut session: Session, scheme: Option<Scheme>) -> Result<Self> {
        let scheme_name = scheme.map_or("by count".to_string(), |s| format!("{s:?}"));
        session.agree(&[("LPN parameter sets", params::digest_text()), ("OT extension", scheme_name)])?;
        let ot = Ot::new(&mut session, scheme)?;
        session.renew_rng();
        Ok(Self { session, ot })
    }

    /// This party's role.
    pub fn role(&self) -> Role {
        self.session.role()
    }

    /// The session id both parties contributed to.
    pub fn id(&self) -> [u8; 32] {
        self.session.id()
    }

    /// The connection: for what lies beside the protocols, such as the peer's name.
    pub fn connection(&mut self) -> &mut Connection {
        self.session.connection()
    }

    /// Compares named parameters with the peer's: 1 round.
    ///
    /// # Errors
    /// [`Error::Handshake`], at both parties, naming the first that differs.
    pub fn agree(&mut self, fields: &[(&str, String)]) -> Result<()> {
        self.session.agree(fields)
    }

    /// Tells the peer which operation comes next, in a few public words, and goes on: no round. Parties
    /// that announce different ones both get [`Error::Handshake`] at their next
    /// wait for each other.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn announce(&mut self, operation: &str) -> Result<()> {
        self.session.connection().channel().announce(operation)
    }

    /// Bytes and rounds since the last call; both parties call it at the same point.
    pub fn take_cost(&mut self) -> Cost {
        self.session.take_cost()
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

    /// Correlated OTs handed out so far, as sender and as receiver: what was run since the last look took the
    /// difference.
    pub fn cots_taken(&self) -> (usize, usize) {
        self.ot.taken()
    }

    /// Makes correlated OTs that a job will ask for online, and keeps them out of reach of others until
    /// [`restore`](Self::restore); the peer sets aside the same numbers the other way round.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn set_aside(&mut self, send: usize, recv: usize) -> Result<SetAside> {
        Ok(SetAside { session: self.id(), cots: self.ot.take(&mut self.session, send, recv)? })
    }

    /// Puts back what was set aside, for the job that comes next: [`cots`](Self::cots) hands it out without
    /// a message. The peer does the same.
    ///
    /// # Errors
    /// [`Error::Param`] if another session set it aside.
    pub fn restore(&mut self, aside: SetAside) -> Result<()> {
        if aside.session != self.id() {
            let (what, got) = ("correlated OTs to restore", "those of another session".into());
            return Err(Error::Param { what, got, accepted: "those that this party set aside".into() });
        }
        self.ot.put_back(aside.cots);
        Ok(())
    }

    /// Opens a batch of shares to both parties: 1 round, `bits * len` bits each way. The one door
    /// through which values become public; every call says why they may.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn open<K: Kind, R: Ring>(&mut self, share: &Share<K, R>) -> Result<Vec<R>> {
        Ok(self.open_beside(std::slice::from_ref(share), Vec::new(), 0)?.0.remove(0))
    }

    /// [`open`](Self::open) of several batches in one message, which also carries `mine` and, from
    /// the peer, `theirs` bytes of what may cross the opening: 1 round.
    ///
    /// # Errors
    /// Those of the channel.
    pub(crate) fn open_beside<K: Kind, R: Ring>(
        &mut self,
        shares: &[Share<K, R>],
        mine: Vec<u8>,
        theirs: usize,
    ) -> Result<(Vec<Vec<R>>, Vec<u8>)> {
        let opening = shares.iter().map(Share::wire_len).sum();
        let mut message = Vec::with_capacity(opening + mine.len());
        shares.iter().for_each(|share| share.append_wire(&mut message));
        message.extend(mine);
        let mut peer = self.session.exchange(message, opening + theirs)?;
        let beside = peer.split_off(opening);
        let mut rest = &peer[..];
        let combine = |share: &Share<K, R>| {
            let (one, others) = rest.split_at(share.wire_len());
            rest = others;
            share.combine(one)
        };
        Ok((shares.iter().map(combine).collect::<Result<_>>()?, beside))
    }

    /// [`open`](Self::open) of shares that the caller keeps, as words of `bits` bits, and in pieces: `take` gets
    /// the values in order, at both parties or at the party `to` only. 1 round: pieces are made while others are
    /// under way.
    ///
    /// # Errors
    /// Those of the channel.
    ///
    /// # Panics
    /// Unless `1 <= bits <= R::WIDTH`: the width is the program's choice, never data.
    pub fn open_words<K: Kind, R: Ring>(
        &mut self,
        to: Option<Role>,
        bits: u32,
        words: &[R],
        mut take: impl FnMut(&[R]),
    ) -> Result<()> {
        let (sends, takes) = (to != Some(self.role()), to.is_none_or(|to| to == self.role()));
        // Whole bytes. One message at least, in which the parties meet.
        let piece = PIECE_BITS / bits as usize / 8 * 8;
        let starts = || (0..words.len().max(1)).step_by(piece);
        let pieces = || starts().map(|from| &words[from..words.len().min(from + piece)]);
        let (mut mine, mut theirs) = (pieces().filter(|_| sends), pieces().filter(|_| takes));
        let (mut message, mut values) = (Vec::new(), Vec::new());
        self.session.duplex(
            &mut (),
            |_, ()| Ok(mine.next().map(|words| to_wire(words, bits))),
            |s, ()| {
                let Some(words) = theirs.next() else { return Ok(false) };
                message.resize(packed_len(words.len(), bits), 0);
                s.connection().channel().recv_into(&mut message)?;
                combine::<K, R>(words, &message, bits, &mut values);
                take(&values);
                Ok(true)
            },
        )
    }

    /// Opens a batch of shares to one party, who gets the values; the other gets `None`.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn reveal<K: Kind, R: Ring>(&mut self, share: &Share<K, R>, to: Role) -> Result<Option<Vec<R>>> {
        if self.role() == to {
            let peer = self.session.recv(share.wire_len())?;
            share.combine(&peer).map(Some)
        } else {
            self.session.send(share.to_wire())?;
            Ok(None)
        }
    }

    /// Waits until the peer is at the same point: 1 round.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn barrier(&mut self) -> Result<()> {
        self.session.exchange(vec![0], 1).map(drop)
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
    /// material and keys.
    ///
    /// # Errors
    /// If the peer does not open as many lanes.
    pub fn fork(&mut self, lanes: usize) -> Result<Vec<Self>> {
        let sessions = self.session.fork(lanes)?;
        let sources = self.ot.fork(lanes);
        Ok(sessions.into_iter().zip(sources).map(|(session, ot)| Self { session, ot }).collect())
    }
}

/// Prints the numbers only.
impl fmt::Debug for SetAside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SetAside({} as sender, {} as receiver)", self.cots.0.len(), self.cots.1.len())
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
    std::thread::scope(|scope| {
        let b = scope.spawn(move || f1(&mut p1));
        let a = f0(&mut p0);
        drop(p0); // hangs up: a failed party never leaves the other waiting
        let b = b.join().expect("the thread of P1");
        Ok((a?, b?))
    })
}
