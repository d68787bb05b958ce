//! Where a session's correlated OTs come from: set-up, and the extension that makes them.

use prim::Wiped;
use zeroize::Zeroizing;

use super::{
    base,
    lane::LaneSeeds,
    params::{self, LpnSet},
    rcot::{CotReceiver, CotSender},
    softspoken,
    stock::{Incoming, Outgoing, Stock},
    strings,
    wish::{Offer, SessionWish, Setting},
};
use crate::{error::Result, net::Role, session::Session};

/// Bytes of P1's point for the base OTs, which goes with its offer.
const POINT: usize = 32;

/// Both directions of a session's correlated OTs, each with its own Delta.
pub struct Ot {
    setting: Setting,
    // Apart, so that whoever moves this leaves no copy of a secret behind.
    pub(super) outgoing: Box<Outgoing>,
    pub(super) incoming: Box<Incoming>,
}

impl Ot {
    /// Compares the parameters and settles the extension, then base OTs for the direction in which P0 sends, and from
    /// its first correlated OTs the base OTs of the other. P1's point for the base OTs goes with its offer.
    ///
    /// # Errors
    /// Those of the channel; [`Error::Handshake`](crate::Error::Handshake) if the parties have other parameters or ask
    /// for different extensions, [`Error::Peer`](crate::Error::Peer) on a bad curve point or offer.
    pub fn new(s: &mut Session, wish: impl Into<SessionWish>) -> Result<Self> {
        let offer = Offer::new(&wish.into(), s.link());
        let delta = softspoken::draw_delta(s);
        let wanted = Zeroizing::new(softspoken::choices(delta));
        let (setting, outgoing, incoming) = match s.role() {
            Role::P0 => {
                let receiving = base::Receiving::begin(s, &wanted);
                let (setting, point) = greet(s, offer, Vec::new(), POINT)?;
                let keys = receiving.finish(s, &point)?;
                let mut soft = softspoken::Sender::new(s, setting.limits.k, delta, &keys)?;
                let mut first = Wiped::default();
                soft.absorb(s, 128, &mut first)?;
                let pairs = strings::chosen_keys_send(s, CotSender::new(delta, first))?;
                let receiver = softspoken::Receiver::new(s, setting.limits.k, &pairs)?;
                (setting, Outgoing::new(delta, soft), Incoming::new(receiver))
            }
            Role::P1 => {
                let sending = base::Sending::begin(s);
                let (setting, _) = greet(s, offer, sending.point().to_vec(), 0)?;
                let pairs = sending.finish(s, 128)?;
                let mut soft = softspoken::Receiver::new(s, setting.limits.k, &pairs)?;
                let mut first = Wiped::default();
                let message = soft.expand(128, &mut first);
                s.send(message)?;
                let keys = strings::chosen_keys_receive(s, &CotReceiver::new(first), &wanted)?;
                let sender = softspoken::Sender::new(s, setting.limits.k, delta, &keys)?;
                (setting, Outgoing::new(delta, sender), Incoming::new(soft))
            }
        };
        Ok(Self { setting, outgoing: outgoing.into(), incoming: incoming.into() })
    }

    /// What both parties came to.
    pub fn setting(&self) -> Setting {
        self.setting
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
        let target = |count: usize, stock: &Stock| {
            stock.missing(count).and_then(|_| self.setting.limits.level(stock.handed_out() + count))
        };
        let (send, recv) = (target(send, &self.outgoing.stock), target(recv, &self.incoming.stock));
        // Set S starts from SoftSpoken, M from S or from SoftSpoken, L from M; one direction may need fewer steps.
        for (level, set) in params::SETS.into_iter().enumerate() {
            let wants = |target: Option<usize>, now: Option<&'static LpnSet>| {
                let on_the_way = |target| level <= target && !self.setting.limits.skips(level, target);
                target.is_some_and(on_the_way) && now.is_none_or(|now| now.n() < set.n())
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
        LaneSeeds { setting: self.setting, delta: self.outgoing.delta, outgoing, incoming }
    }

    /// The source of a lane.
    pub(crate) fn of_lane(seeds: &LaneSeeds) -> Self {
        let (setting, k) = (seeds.setting, seeds.setting.limits.k);
        let sender = softspoken::Sender::of_seeds(k, seeds.delta, &seeds.outgoing);
        let receiver = softspoken::Receiver::of_seeds(k, &seeds.incoming);
        let (outgoing, incoming) = (Outgoing::new(seeds.delta, sender), Incoming::new(receiver));
        Self { setting, outgoing: outgoing.into(), incoming: incoming.into() }
    }

    /// Sources for these lanes. Where Ferret runs, each goes on with a Ferret of the same set from seeds that leave
    /// the stock: no lane has to start one, and all of their seeds are made at once.
    pub(crate) fn fork(&mut self, s: &mut Session, lanes: &[Session]) -> Result<Vec<Self>> {
        let sets = [self.outgoing.set(), self.incoming.set()];
        let [send, recv] = sets.map(|set| set.map_or(0, LpnSet::seeds));
        self.extend(s, send * lanes.len(), recv * lanes.len())?;
        let lane = |session: &Session| {
            let seeds = self.lane();
            let (sent, received) = (self.outgoing.hand_out(send), self.incoming.hand_out(recv));
            let mut ot = Self::of_lane(&seeds);
            sets[0].map_or(Ok(()), |set| ot.outgoing.start_from(session, set, sent))?;
            sets[1].map_or(Ok(()), |set| ot.incoming.start_from(session, set, &received))?;
            Ok(ot)
        };
        lanes.iter().map(lane).collect()
    }
}

/// Compares parameters, settles the extension and swaps what goes with the offers: 1 round.
fn greet(s: &mut Session, offer: Offer, mine: Vec<u8>, theirs: usize) -> Result<(Setting, Vec<u8>)> {
    let fields = [("LPN parameter sets", params::digest_text())];
    let message = [offer.to_bytes(), mine].concat();
    let mut offered = s.agree_beside(&fields, message, Offer::LEN + theirs)?;
    let rest = offered.split_off(Offer::LEN);
    let setting = Offer::of_peer(&offered).and_then(|peer| offer.settle(s.role(), peer));
    Ok((setting.inspect_err(|_| s.end())?, rest))
}
