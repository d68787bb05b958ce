//! Where a session's correlated OTs come from: set-up, and choice of the extension by count.

use prim::Wiped;
use zeroize::Zeroizing;

use super::{
    base,
    lane::LaneSeeds,
    params::{self, LpnSet},
    rcot::{CotReceiver, CotSender},
    scheme::Scheme,
    softspoken,
    stock::{Incoming, Outgoing, Stock},
    strings,
};
use crate::{error::Result, net::Role, session::Session};

/// Up to this many OTs SoftSpoken makes them: starting Ferret would cost more.
pub(crate) const SMALL: usize = 1 << 15;
/// Up to this many, Ferret's set S, whose start is cheap; above, set M.
pub(crate) const MEDIUM: usize = 1 << 18;

/// Both directions of a session's correlated OTs, each with its own Delta.
pub struct Ot {
    scheme: Option<Scheme>,
    // Apart, so that whoever moves this leaves no copy of a secret behind.
    pub(super) outgoing: Box<Outgoing>,
    pub(super) incoming: Box<Incoming>,
}

impl Ot {
    /// Base OTs for the direction in which P0 sends, and from its first correlated OTs the base
    /// OTs of the other. `scheme` must be the same at both parties.
    ///
    /// # Errors
    /// Those of the channel; [`Error::Peer`](crate::Error::Peer) on a bad curve point.
    pub fn new(s: &mut Session, scheme: Option<Scheme>) -> Result<Self> {
        let k = Scheme::subfield(scheme);
        let delta = softspoken::draw_delta(s);
        let wanted = Zeroizing::new(softspoken::choices(delta));
        let (outgoing, incoming) = match s.role() {
            Role::P0 => {
                let keys = base::receive(s, &wanted)?;
                let mut soft = softspoken::Sender::new(s, k, delta, &keys)?;
                let mut first = Wiped::default();
                soft.absorb(s, 128, &mut first)?;
                let pairs = strings::chosen_keys_send(s, CotSender::new(delta, first))?;
                let receiver = softspoken::Receiver::new(s, k, &pairs)?;
                (Outgoing::new(delta, soft), Incoming::new(receiver))
            }
            Role::P1 => {
                let pairs = base::send(s, 128)?;
                let mut soft = softspoken::Receiver::new(s, k, &pairs)?;
                let mut first = Wiped::default();
                let message = soft.expand(128, &mut first);
                s.send(message)?;
                let keys = strings::chosen_keys_receive(s, &CotReceiver::new(first), &wanted)?;
                let sender = softspoken::Sender::new(s, k, delta, &keys)?;
                (Outgoing::new(delta, sender), Incoming::new(soft))
            }
        };
        Ok(Self { scheme, outgoing: outgoing.into(), incoming: incoming.into() })
    }

    /// The next `send` correlated OTs as sender and `recv` as receiver; the peer asks for the same
    /// numbers the other way round.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn take(&mut self, s: &mut Session, send: usize, recv: usize) -> Result<(CotSender, CotReceiver)> {
        self.prepare(s, send, recv)?;
        self.outgoing.gather(send);
        self.incoming.gather(recv);
        self.extend(s, send, recv)?;
        Ok((self.outgoing.hand_out(send), self.incoming.hand_out(recv)))
    }

    /// Starts the extension that suits the coming counts; [`take`](Self::take) does it too.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(&mut self, s: &mut Session, send: usize, recv: usize) -> Result<()> {
        // What was handed out before counts: many small takes are a large job.
        let target = |count: usize, stock: &Stock| match self.scheme {
            _ if stock.missing(count).is_none() => None,
            Some(Scheme::Iknp | Scheme::SoftSpoken2 | Scheme::SoftSpoken | Scheme::SoftSpoken8) => None,
            Some(Scheme::FerretLarge) => Some(2),
            None if stock.handed_out() + count <= SMALL => None,
            None | Some(Scheme::Ferret) => Some(usize::from(stock.handed_out() + count > MEDIUM)),
        };
        let (send, recv) = (target(send, &self.outgoing.stock), target(recv, &self.incoming.stock));
        // Set S starts from SoftSpoken, M from S, L from M; one direction may need fewer steps.
        for (level, set) in params::SETS.into_iter().enumerate() {
            let wants = |target: Option<usize>, now: Option<&'static LpnSet>| {
                target.is_some_and(|t| level <= t) && now.is_none_or(|now| now.n() < set.n())
            };
            let send = wants(send, self.outgoing.set());
            let recv = wants(recv, self.incoming.set());
            self.extend(s, usize::from(send) * set.seeds(), usize::from(recv) * set.seeds())?;
            if send {
                self.outgoing.start(s, set)?;
            }
            if recv {
                self.incoming.start(s, set)?;
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
        (self.outgoing.stock.len(), self.incoming.stock.len())
    }

    fn extend(&mut self, s: &mut Session, send: usize, recv: usize) -> Result<()> {
        s.duplex(
            self,
            |s, ot| Ok(ot.outgoing.produce(s, send).or_else(|| ot.incoming.produce(recv))),
            |s, ot| Ok(ot.incoming.consume(s, recv)? || ot.outgoing.consume(s, send)?),
        )
    }

    /// What a parallel lane starts from: the same Deltas, independent strings.
    pub(crate) fn lane(&mut self) -> LaneSeeds {
        let (outgoing, incoming) = (self.outgoing.seeds(), self.incoming.seeds());
        LaneSeeds { scheme: self.scheme, delta: self.outgoing.delta, outgoing, incoming }
    }

    /// The source of a lane.
    pub(crate) fn of_lane(seeds: &LaneSeeds) -> Self {
        let (scheme, k) = (seeds.scheme, Scheme::subfield(seeds.scheme));
        let sender = softspoken::Sender::of_seeds(k, seeds.delta, &seeds.outgoing);
        let receiver = softspoken::Receiver::of_seeds(k, &seeds.incoming);
        let (outgoing, incoming) = (Outgoing::new(seeds.delta, sender), Incoming::new(receiver));
        Self { scheme, outgoing: outgoing.into(), incoming: incoming.into() }
    }
}
