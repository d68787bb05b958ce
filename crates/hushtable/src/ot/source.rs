//! Where a session's correlated OTs come from: set-up, choice of the extension by count, and the
//! stock of each direction.

use prim::{Wiped, block::Block, wipe};
use zeroize::{Zeroize, Zeroizing};

use super::{
    base, ferret,
    params::{self, LpnSet},
    rcot::{CotReceiver, CotSender},
    softspoken, strings,
};
use crate::{error::Result, net::Role, session::Session};

/// How correlated OTs are made. By default the count decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// IKNP: 16 bytes per OT, the least work.
    Iknp,
    /// SoftSpoken over subfields of 2^4: 4 bytes per OT.
    SoftSpoken,
    /// Ferret with set S or M: 0.15 to 1 byte per OT once it runs.
    Ferret,
    /// Ferret with set L: 0.05 byte per OT, for slow links and more than 10^7 OTs.
    FerretLarge,
}

/// Up to this many OTs SoftSpoken makes them: starting Ferret would cost more.
pub(crate) const SMALL: usize = 1 << 15;
/// Up to this many, Ferret's set S, whose start is cheap; above, set M.
pub(crate) const MEDIUM: usize = 1 << 18;

/// A message's worth of strings, by which a stock may exceed what was asked for.
const SLACK: usize = 1 << 14;

/// Both directions of a session's correlated OTs, each with its own Delta.
pub struct Ot {
    scheme: Option<Scheme>,
    outgoing: Outgoing,
    incoming: Incoming,
}

/// This party as sender.
struct Outgoing {
    delta: Block,
    soft: softspoken::Sender,
    ferret: Option<(&'static LpnSet, ferret::Sender)>,
    stock: Stock,
}

/// This party as receiver.
struct Incoming {
    soft: softspoken::Receiver,
    ferret: Option<(&'static LpnSet, ferret::Receiver)>,
    stock: Stock,
}

/// Strings made and not yet handed out. Both parties' stocks of a direction hold as many.
#[derive(Default)]
struct Stock {
    strings: Wiped<Block>,
    handed_out: usize,
}

impl Ot {
    /// Base OTs for the direction in which P0 sends, and from its first correlated OTs the base
    /// OTs of the other. `scheme` must be the same at both parties.
    ///
    /// # Errors
    /// Those of the channel; [`Error::Peer`](crate::Error::Peer) on a bad curve point.
    pub fn new(s: &mut Session, scheme: Option<Scheme>) -> Result<Self> {
        let k = if scheme == Some(Scheme::Iknp) { 1 } else { 4 };
        let delta = softspoken::draw_delta(s);
        let wanted = Zeroizing::new(softspoken::choices(delta));
        match s.role() {
            Role::P0 => {
                let keys = Zeroizing::new(base::receive(s, &wanted)?);
                let mut soft = softspoken::Sender::new(s, k, delta, &keys)?;
                let mut first = soft.absorb(s)?;
                let pairs = strings::chosen_keys_send(s, first.take(128)?)?;
                let incoming = Incoming::new(softspoken::Receiver::new(s, k, &pairs)?);
                let outgoing = Outgoing { delta, soft, ferret: None, stock: Stock::new(first.strings()) };
                Ok(Self { scheme, outgoing, incoming })
            }
            Role::P1 => {
                let pairs = base::send(s, 128)?;
                let mut soft = softspoken::Receiver::new(s, k, &pairs)?;
                let (mut first, message) = soft.expand();
                s.send(message)?;
                let keys = Zeroizing::new(strings::chosen_keys_receive(s, &first.take(128)?, &wanted)?);
                let sender = softspoken::Sender::new(s, k, delta, &keys)?;
                let outgoing = Outgoing { delta, soft: sender, ferret: None, stock: Stock::default() };
                let incoming = Incoming { soft, ferret: None, stock: Stock::new(first.strings()) };
                Ok(Self { scheme, outgoing, incoming })
            }
        }
    }

    /// The next `send` correlated OTs as sender and `recv` as receiver; the peer asks for the same
    /// numbers the other way round.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn take(&mut self, s: &mut Session, send: usize, recv: usize) -> Result<(CotSender, CotReceiver)> {
        self.stock_up(s, send, recv)?;
        let sender = CotSender::new(self.outgoing.delta, self.outgoing.stock.hand_out(send));
        Ok((sender, CotReceiver::new(self.incoming.stock.hand_out(recv))))
    }

    /// Starts the extension that suits the coming counts; [`take`](Self::take) does it too.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(&mut self, s: &mut Session, send: usize, recv: usize) -> Result<()> {
        // What was handed out before counts: many small takes are a large job.
        let target = |count: usize, stock: &Stock| match self.scheme {
            _ if stock.missing(count).is_none() => None,
            Some(Scheme::Iknp | Scheme::SoftSpoken) => None,
            Some(Scheme::FerretLarge) => Some(2),
            None if stock.handed_out + count <= SMALL => None,
            None | Some(Scheme::Ferret) => Some(usize::from(stock.handed_out + count > MEDIUM)),
        };
        let (send, recv) = (target(send, &self.outgoing.stock), target(recv, &self.incoming.stock));
        // Set S starts from SoftSpoken, M from S, L from M; one direction may need fewer steps.
        for (level, set) in params::SETS.into_iter().enumerate() {
            let wants = |target: Option<usize>, now: Option<&'static LpnSet>| {
                target.is_some_and(|t| level <= t) && now.is_none_or(|now| now.n() < set.n())
            };
            let send = wants(send, self.outgoing.ferret.as_ref().map(|f| f.0));
            let recv = wants(recv, self.incoming.ferret.as_ref().map(|f| f.0));
            self.extend(s, usize::from(send) * set.seeds(), usize::from(recv) * set.seeds())?;
            if send {
                let seeds = CotSender::new(self.outgoing.delta, self.outgoing.stock.hand_out(set.seeds()));
                self.outgoing.ferret = Some((set, ferret::Sender::new(s, set, seeds)?));
            }
            if recv {
                let seeds = CotReceiver::new(self.incoming.stock.hand_out(set.seeds()));
                self.incoming.ferret = Some((set, ferret::Receiver::new(s, set, &seeds)?));
            }
        }
        Ok(())
    }

    /// Makes correlated OTs ahead, until the stocks hold `send` and `recv`.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn stock_up(&mut self, s: &mut Session, send: usize, recv: usize) -> Result<()> {
        self.prepare(s, send, recv)?;
        self.extend(s, send, recv)
    }

    /// Correlated OTs made and not yet handed out, as sender and as receiver.
    pub fn in_stock(&self) -> (usize, usize) {
        (self.outgoing.stock.strings.len(), self.incoming.stock.strings.len())
    }

    fn extend(&mut self, s: &mut Session, send: usize, recv: usize) -> Result<()> {
        for (stock, want) in [(&mut self.outgoing.stock, send), (&mut self.incoming.stock, recv)] {
            stock.missing(want).into_iter().for_each(|missing| stock.reserve(missing));
        }
        s.duplex(
            self,
            |s, ot| Ok(ot.outgoing.produce(s, send).or_else(|| ot.incoming.produce(recv))),
            |s, ot| Ok(ot.incoming.consume(s, recv)? || ot.outgoing.consume(s, send)?),
        )
    }

    /// The next `send` correlated OTs as sender and `recv` as receiver, as they are made, so that no more
    /// than a message's worth is in memory: gives `state` the strings of each direction in order, some at
    /// a time, in multiples of 64 but the last. 1 round, beside that of starting an extension.
    ///
    /// # Errors
    /// Those of the channel.
    pub(crate) fn stream<C>(
        &mut self,
        s: &mut Session,
        (send, recv): (usize, usize),
        state: &mut C,
        as_sender: impl FnMut(&mut C, Block, &[Block]),
        as_receiver: impl FnMut(&mut C, &[Block]),
    ) -> Result<()> {
        self.prepare(s, send, recv)?;
        self.outgoing.stock.reserve(0);
        self.incoming.stock.reserve(0);
        let mut run = Stream { ot: self, send, recv, state, as_sender, as_receiver };
        run.hand_over();
        s.duplex(
            &mut run,
            |s, run| {
                let Ot { outgoing, incoming, .. } = &mut *run.ot;
                let message = outgoing.produce(s, run.send).or_else(|| incoming.produce(run.recv));
                run.hand_over();
                Ok(message)
            },
            |s, run| {
                let Ot { outgoing, incoming, .. } = &mut *run.ot;
                let more = incoming.consume(s, run.recv)? || outgoing.consume(s, run.send)?;
                run.hand_over();
                Ok(more)
            },
        )
    }

    /// The sources of parallel lanes: the same Deltas, independent strings.
    pub(crate) fn fork(&mut self, lanes: usize) -> Vec<Self> {
        let lane = |_| Self {
            scheme: self.scheme,
            outgoing: Outgoing {
                delta: self.outgoing.delta,
                soft: self.outgoing.soft.fork(),
                ferret: None,
                stock: Stock::default(),
            },
            incoming: Incoming::new(self.incoming.soft.fork()),
        };
        (0..lanes).map(lane).collect()
    }
}

impl Outgoing {
    /// Ferret's messages go from the sender.
    fn produce(&mut self, s: &mut Session, want: usize) -> Option<Vec<u8>> {
        let missing = self.stock.missing(want)?;
        let (_, ferret) = self.ferret.as_mut()?;
        Some(ferret.expand(s, missing, &mut self.stock.strings))
    }

    /// SoftSpoken's go to the sender.
    fn consume(&mut self, s: &mut Session, want: usize) -> Result<bool> {
        if self.ferret.is_some() || self.stock.missing(want).is_none() {
            return Ok(false);
        }
        self.stock.strings.extend_from_slice(self.soft.absorb(s)?.strings());
        Ok(true)
    }
}

impl Incoming {
    fn new(soft: softspoken::Receiver) -> Self {
        Self { soft, ferret: None, stock: Stock::default() }
    }

    fn produce(&mut self, want: usize) -> Option<Vec<u8>> {
        if self.ferret.is_some() || self.stock.missing(want).is_none() {
            return None;
        }
        let (cots, message) = self.soft.expand();
        self.stock.strings.extend_from_slice(cots.strings());
        Some(message)
    }

    fn consume(&mut self, s: &mut Session, want: usize) -> Result<bool> {
        let (Some(missing), Some((_, ferret))) = (self.stock.missing(want), self.ferret.as_mut()) else {
            return Ok(false);
        };
        ferret.absorb(s, missing, &mut self.stock.strings)?;
        Ok(true)
    }
}

impl Stock {
    fn new(strings: &[Block]) -> Self {
        Self { strings: strings.to_vec().into(), handed_out: 0 }
    }

    /// How many more are needed to hold `want`, unless it does.
    fn missing(&self, want: usize) -> Option<usize> {
        want.checked_sub(self.strings.len()).filter(|&missing| missing > 0)
    }

    /// Room for `more` strings and what whole trees make beyond; growing would leave copies behind.
    fn reserve(&mut self, more: usize) {
        let needed = self.strings.len() + more + SLACK;
        if self.strings.capacity() < needed {
            let mut grown = Vec::with_capacity(needed);
            grown.extend_from_slice(&self.strings);
            self.strings = grown.into();
        }
    }

    /// `count` strings, of which there are enough; the smaller part moves.
    fn hand_out(&mut self, count: usize) -> Vec<Block> {
        self.handed_out += count;
        if 2 * count > self.strings.len() {
            let rest = self.strings.split_off(count);
            std::mem::replace(&mut self.strings, rest.into()).into_vec()
        } else {
            let left = self.strings.len() - count;
            let cut = self.strings[left..].to_vec();
            self.cut(left);
            cut
        }
    }

    /// Hands out strings from the front by `f`, up to `left`: all of those, or a multiple of 64.
    fn hand_over(&mut self, left: &mut usize, f: impl FnOnce(&[Block])) {
        let ready = self.strings.len();
        let count = if ready < *left { ready & !63 } else { *left };
        if count > 0 {
            f(&self.strings[..count]);
            self.handed_out += count;
            *left -= count;
            self.strings.copy_within(count.., 0);
            self.cut(ready - count);
        }
    }

    /// Wipes the strings from `left` on.
    fn cut(&mut self, left: usize) {
        wipe(&mut self.strings[left..]);
        self.strings.truncate(left);
    }
}

/// [`Ot::stream`] under way.
struct Stream<'a, C, F, G> {
    ot: &'a mut Ot,
    /// What is left of each direction.
    send: usize,
    recv: usize,
    state: &'a mut C,
    as_sender: F,
    as_receiver: G,
}

impl<C, F: FnMut(&mut C, Block, &[Block]), G: FnMut(&mut C, &[Block])> Stream<'_, C, F, G> {
    /// Hands over what is in stock.
    fn hand_over(&mut self) {
        let Self { ot, send, recv, state, as_sender, as_receiver } = self;
        let delta = ot.outgoing.delta;
        ot.outgoing.stock.hand_over(send, |q| as_sender(state, delta, q));
        ot.incoming.stock.hand_over(recv, |t| as_receiver(state, t));
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.delta.zeroize();
    }
}
