//! Messages between the parties, and what they cost.

use super::announce::{self, Announced};
use super::farewell::Farewell;
use super::frame::{Frame, PIECE, announced, wire_len};
use super::hang_up::{Cancelled, HangUp};
use super::inbox::Inbox;
use super::outbox::{Outbox, Sent};
use super::patience::Patience;
use super::shape::LinkShape;
use super::transport::Transport;
use crate::error::{Ending, Error, Result};
use crate::process::Process;
use std::sync::Arc;

/// Bytes and rounds since the last [`Channel::take_cost`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Bytes of all messages sent, framing included (see [`wire_len`]); not heartbeats, nor what
    /// TLS adds.
    pub sent: u64,
    /// The same for messages received.
    pub received: u64,
    /// The longest chain of messages in which each could only be sent after the one before had
    /// arrived. Messages that cross are one round.
    pub rounds: u32,
}

/// A stream of messages to the peer and back. Both parties know every message's length.
///
/// After an error the session is over: every later call is an error too.
pub struct Channel {
    outbox: Outbox,
    inbox: Inbox,
    transport: Arc<dyn Transport>,
    process: Process,
    farewell: Farewell,
    announced: Announced,
    cost: Cost,
    /// The longest chain that ends with a message received.
    clock: u32,
    failed: bool,
    dead: bool,
    /// Whether a thread of this party hung up.
    cancelled: Cancelled,
}

impl Channel {
    /// `farewell` ends it, with others.
    pub(super) fn new(
        transport: Arc<dyn Transport>,
        shape: LinkShape,
        patience: Patience,
        farewell: &Farewell,
    ) -> Result<Self> {
        let outbox = Outbox::new(Arc::clone(&transport), shape, patience)?;
        farewell.add(&outbox.parting());
        Ok(Channel {
            outbox,
            farewell: farewell.clone(),
            inbox: Inbox::new(Arc::clone(&transport), patience),
            transport,
            process: Process::current(),
            announced: Announced::default(),
            cost: Cost::default(),
            clock: 0,
            failed: false,
            dead: false,
            cancelled: Cancelled::default(),
        })
    }

    /// Queues a message for the peer. Returns at once, unless more than 32 MiB are queued already:
    /// then it waits until fewer are.
    ///
    /// # Errors
    /// [`Error::Closed`] if the peer hung up, [`Error::Timeout`] if it stopped reading.
    pub fn send(&mut self, bytes: Vec<u8>) -> Result<()> {
        self.send_after(self.clock, bytes)
    }

    /// The length of the longest chain of messages that ends with one received here.
    pub fn clock(&self) -> u32 {
        self.clock
    }

    /// [`send`](Self::send) of a message that depends on nothing received since `clock` was the
    /// time, so that it counts as crossing what arrived meanwhile.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub fn send_after(&mut self, clock: u32, bytes: Vec<u8>) -> Result<()> {
        self.guard(|channel| {
            let stamp = channel.stamp(clock, bytes.len());
            Frame::cut(bytes, stamp).try_for_each(|frame| channel.post(frame))
        })
    }

    /// What of all that was sent has left, also when this connection has ended.
    pub fn sent(&self) -> Sent {
        self.outbox.sent()
    }

    /// Waits for a message of exactly `len` bytes.
    ///
    /// # Errors
    /// [`Error::Peer`] if the peer's next message has another length, [`Error::Closed`] if it hung
    /// up, [`Error::Timeout`] if it is silent.
    pub fn recv(&mut self, len: usize) -> Result<Vec<u8>> {
        let mut bytes = vec![0; len];
        self.recv_into(&mut bytes)?;
        Ok(bytes)
    }

    /// [`recv`](Self::recv) of exactly `buf.len()` bytes into `buf`.
    pub fn recv_into(&mut self, buf: &mut [u8]) -> Result<()> {
        self.guard(|channel| {
            channel.compare_announced()?;
            let (mut done, mut clock) = (0, 0);
            while !channel.next_piece(buf, &mut done, &mut clock)? {}
            channel.note(buf.len(), clock);
            Ok(())
        })
    }

    /// Sends `mine` while the peer sends its own message, of `theirs_len` bytes: one round. Frames
    /// go and come alternately, so the queue stays short however long the messages are.
    ///
    /// # Errors
    /// As for [`recv`](Self::recv).
    pub fn exchange(&mut self, mine: Vec<u8>, theirs_len: usize) -> Result<Vec<u8>> {
        self.guard(|channel| {
            let mut theirs = vec![0; theirs_len];
            let stamp = channel.stamp(channel.clock, mine.len());
            let mut frames = Frame::cut(mine, stamp).peekable();
            let (mut done, mut clock, mut all_here) = (0, 0, false);
            while frames.peek().is_some() || !all_here {
                if let Some(frame) = frames.next() {
                    channel.post(frame)?;
                }
                channel.compare_announced()?;
                all_here = all_here || channel.next_piece(&mut theirs, &mut done, &mut clock)?;
            }
            channel.note(theirs_len, clock);
            Ok(theirs)
        })
    }

    /// Bytes and rounds so far.
    pub fn cost(&self) -> Cost {
        self.cost
    }

    /// Bytes and rounds so far; counting starts again at zero. Both parties must call this at the
    /// same point of the protocol.
    pub fn take_cost(&mut self) -> Cost {
        self.clock = 0;
        std::mem::take(&mut self.cost)
    }

    /// Waits until everything queued has left this process.
    ///
    /// # Errors
    /// As for [`send`](Self::send).
    pub fn flush(&mut self) -> Result<()> {
        self.guard(|channel| {
            channel.inbox.start_listening();
            let Channel { outbox, inbox, .. } = channel;
            outbox.flush(|| inbox.listen())
        })
    }

    /// Sends `mine`, at most `limit` bytes, and receives the peer's message of at most `limit`
    /// bytes: for what is agreed on before lengths are known. What goes `beside` is a message that follows at once,
    /// unless it is empty. One round.
    pub(super) fn exchange_bounded(
        &mut self,
        mine: Vec<u8>,
        beside: Vec<u8>,
        limit: usize,
    ) -> Result<Vec<u8>> {
        assert!(mine.len() <= limit && limit <= PIECE);
        self.guard(|channel| {
            let stamp = channel.stamp(channel.clock, mine.len());
            Frame::cut(mine, stamp).try_for_each(|frame| channel.post(frame))?;
            if !beside.is_empty() {
                let stamp = channel.stamp(channel.clock, beside.len());
                Frame::cut(beside, stamp).try_for_each(|frame| channel.post(frame))?;
            }
            channel.compare_announced()?;
            let (theirs, clock) = channel.bounded(limit)?;
            channel.note(theirs.len(), clock);
            Ok(theirs)
        })
    }

    /// Tells the peer what this party is about to do, in a few words without secrets, and goes on. Before
    /// the next message is received, the peer's announcement is, and is compared. No round. Both parties
    /// announce at the same points.
    ///
    /// # Errors
    /// As for [`send`](Self::send). The receiving call that finds a difference ends with
    /// [`Error::Handshake`], at both parties.
    pub fn announce(&mut self, operation: &str) -> Result<()> {
        self.guard(|channel| {
            let message = channel.announced.push(operation);
            channel.cost.sent += wire_len(message.len());
            let clock = channel.clock;
            match Frame::cut(message, clock).try_for_each(|frame| channel.post(frame)) {
                // What the peer sent before it hung up may be all that is left to do.
                Err(Error::Closed) => Ok(()),
                outcome => outcome,
            }
        })
    }

    /// A way to hang up from another thread, while this one waits for the peer.
    pub fn hang_up(&self) -> HangUp {
        self.cancelled.hang_up(Arc::clone(&self.transport), self.process)
    }

    /// Tells the peer why this party ends, on all connections that end together: see [`Farewell`].
    pub fn end(&self, why: Ending) {
        if self.process.is_current() {
            self.farewell.say(why);
        }
    }

    /// Receives and compares the announcements that the peer made by now. They carry no clock: nothing
    /// that is sent depends on them.
    fn compare_announced(&mut self) -> Result<()> {
        while let Some(ours) = self.announced.next() {
            let (theirs, _) = self.bounded(announce::LIMIT)?;
            self.cost.received += wire_len(theirs.len());
            if let Some(difference) = announce::compare(&ours, &theirs) {
                // The peer must receive ours before the caller hangs up, to see the same difference.
                let Channel { outbox, inbox, .. } = self;
                let _ = outbox.flush(|| inbox.listen());
                return Err(difference);
            }
        }
        Ok(())
    }

    /// The peer's next message, of at most `limit` bytes, and its clock.
    fn bounded(&mut self, limit: usize) -> Result<(Vec<u8>, u32)> {
        let (len, clock) = self.inbox.header()?;
        let len = len as usize;
        if len > limit {
            return Err(Error::Peer(format!("expected at most {limit} bytes, got {len}")));
        }
        let mut theirs = vec![0; len];
        self.inbox.payload(&mut theirs)?;
        Ok((theirs, clock))
    }

    /// Counts a message of `len` bytes about to be sent, after the time `clock`; its own time.
    fn stamp(&mut self, clock: u32, len: usize) -> u32 {
        let stamp = clock.saturating_add(1);
        self.cost.sent += wire_len(len);
        self.cost.rounds = self.cost.rounds.max(stamp);
        stamp
    }

    /// Counts a message received.
    fn note(&mut self, len: usize, clock: u32) {
        self.cost.received += wire_len(len);
        self.clock = self.clock.max(clock);
        self.cost.rounds = self.cost.rounds.max(clock);
    }

    fn post(&mut self, frame: Frame) -> Result<()> {
        let Channel { outbox, inbox, .. } = self;
        inbox.start_listening();
        outbox.post(frame, || inbox.listen())
    }

    /// Receives the next frame of the message `buf`, of which `done` bytes are here; `true` if it
    /// was the last.
    fn next_piece(&mut self, buf: &mut [u8], done: &mut usize, clock: &mut u32) -> Result<bool> {
        let (left, stamp) = self.inbox.header()?;
        if left != announced(buf.len() - *done) {
            let (want, got) = (buf.len(), *done as u64 + u64::from(left));
            return Err(Error::Peer(format!("expected {want} bytes, got {got}")));
        }
        let end = buf.len().min(*done + PIECE);
        self.inbox.payload(&mut buf[*done..end])?;
        (*done, *clock) = (end, stamp.max(*clock));
        Ok(end == buf.len())
    }

    /// An error if the peer has gone, while this party waits for another connection of it.
    pub(super) fn watch(&mut self) -> Result<()> {
        self.inbox.listen().map_err(|error| self.explained(error))
    }

    /// Ends the session: every later call is an error.
    pub(super) fn fail(&mut self) {
        self.failed = true;
    }

    /// What is behind an error: a peer that hung up may have said why. One that does something else has said so
    /// before.
    fn explained(&mut self, error: Error) -> Error {
        if !matches!(error, Error::Closed) || self.outbox.said_why() {
            return error;
        }
        // Whatever the peer has said meanwhile, this party wanted no more of it.
        if self.cancelled.is() {
            return Error::Cancelled;
        }
        match self.compare_announced() {
            Err(reason @ (Error::Handshake { .. } | Error::Ended(_))) => reason,
            _ => self.inbox.last_word().map_or(error, Error::Ended),
        }
    }

    /// Runs a step; an error ends the session.
    fn guard<T>(&mut self, step: impl FnOnce(&mut Self) -> Result<T>) -> Result<T> {
        self.process.check("a session")?;
        if self.failed {
            return Err(if self.cancelled.is() { Error::Cancelled } else { Error::Closed });
        }
        let outcome = step(self).map_err(|error| self.explained(error));
        if let Err(e) = &outcome {
            self.failed = true;
            self.dead = !matches!(e, Error::Peer(_));
        }
        outcome
    }
}

impl Drop for Channel {
    fn drop(&mut self) {
        if self.process.is_current() {
            self.outbox.hang_up(self.dead);
        } else {
            // The socket is the parent's too, which goes on: nothing is said and nothing is shut down.
            self.outbox.abandon();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::Connection;
    use crate::net::patience::{SLOWEST, Timing};
    use std::time::Duration;

    #[test]
    fn a_fork_neither_sends_nor_receives_nor_hangs_up() {
        for inherited in Process::inherited() {
            let (mut parent, mut peer) = Connection::pair();
            // What the child sees: the same transport, another process.
            let timeout = Duration::from_secs(10);
            let shared = Arc::clone(&parent.channel().transport);
            let patience = Patience { timeout, idle: timeout, slowest: SLOWEST, timing: Timing::default() };
            let mut child =
                Channel::new(shared, LinkShape::LOOPBACK, patience, &Farewell::default()).unwrap();
            child.process = inherited;
            let refused = |outcome: Result<()>| assert!(matches!(outcome, Err(Error::Forked { .. })));
            refused(child.send(vec![1; 4]));
            refused(child.recv(4).map(drop));
            refused(child.exchange(vec![1; 4], 4).map(drop));
            refused(child.announce("sum"));
            refused(child.flush());
            child.hang_up().now();
            drop(child);
            parent.channel().send(vec![2; 4]).unwrap();
            assert_eq!(peer.channel().recv(4).unwrap(), [2; 4], "the parent's session goes on");
        }
    }
}
