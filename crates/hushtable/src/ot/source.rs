//! Where a session's correlated OTs come from: set-up, choice of the extension by count, and the
//! stock of each direction.

use prim::block::Block;
use zeroize::Zeroize;

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
const SMALL: usize = 1 << 15;
/// Up to this many, Ferret's set S, whose start is cheap; above, set M.
const MEDIUM: usize = 1 << 18;

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
    stock: Vec<Block>,
}

/// This party as receiver.
struct Incoming {
    soft: softspoken::Receiver,
    ferret: Option<(&'static LpnSet, ferret::Receiver)>,
    stock: Vec<Block>,
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
        let wanted = softspoken::choices(delta);
        match s.role() {
            Role::P0 => {
                let keys = base::receive(s, &wanted)?;
                let mut soft = softspoken::Sender::new(s, k, delta, &keys)?;
                let mut first = soft.absorb(s)?;
                let pairs = strings::chosen_keys_send(s, first.take(128)?)?;
                let incoming = Incoming::new(softspoken::Receiver::new(s, k, &pairs)?);
                let outgoing = Outgoing { delta, soft, ferret: None, stock: first.strings().to_vec() };
                Ok(Self { scheme, outgoing, incoming })
            }
            Role::P1 => {
                let pairs = base::send(s, 128)?;
                let mut soft = softspoken::Receiver::new(s, k, &pairs)?;
                let (mut first, message) = soft.expand();
                s.send(message)?;
                let keys = strings::chosen_keys_receive(s, &first.take(128)?, &wanted)?;
                let sender = softspoken::Sender::new(s, k, delta, &keys)?;
                let outgoing = Outgoing { delta, soft: sender, ferret: None, stock: Vec::new() };
                let incoming = Incoming { soft, ferret: None, stock: first.strings().to_vec() };
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
        let sender = CotSender::new(self.outgoing.delta, withdraw(&mut self.outgoing.stock, send));
        Ok((sender, CotReceiver::new(withdraw(&mut self.incoming.stock, recv))))
    }

    /// Starts the extension that suits the coming counts; [`take`](Self::take) does it too.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(&mut self, s: &mut Session, send: usize, recv: usize) -> Result<()> {
        let target = |count: usize, stock: usize| match self.scheme {
            _ if count <= stock => None,
            Some(Scheme::Iknp | Scheme::SoftSpoken) => None,
            Some(Scheme::FerretLarge) => Some(2),
            None if count <= SMALL => None,
            None | Some(Scheme::Ferret) => Some(usize::from(count > MEDIUM)),
        };
        let (send, recv) = (target(send, self.outgoing.stock.len()), target(recv, self.incoming.stock.len()));
        // Set S starts from SoftSpoken, M from S, L from M; one direction may need fewer steps.
        for (level, set) in params::SETS.into_iter().enumerate() {
            let wants = |target: Option<usize>, now: Option<&'static LpnSet>| {
                target.is_some_and(|t| level <= t) && now.is_none_or(|now| now.n() < set.n())
            };
            let send = wants(send, self.outgoing.ferret.as_ref().map(|f| f.0));
            let recv = wants(recv, self.incoming.ferret.as_ref().map(|f| f.0));
            self.extend(s, usize::from(send) * set.seeds(), usize::from(recv) * set.seeds())?;
            if send {
                let seeds =
                    CotSender::new(self.outgoing.delta, withdraw(&mut self.outgoing.stock, set.seeds()));
                self.outgoing.ferret = Some((set, ferret::Sender::new(s, set, seeds)?));
            }
            if recv {
                let seeds = CotReceiver::new(withdraw(&mut self.incoming.stock, set.seeds()));
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

    fn extend(&mut self, s: &mut Session, send: usize, recv: usize) -> Result<()> {
        reserve(&mut self.outgoing.stock, send);
        reserve(&mut self.incoming.stock, recv);
        s.duplex(
            self,
            |s, ot| {
                let (out, inc) = (&mut ot.outgoing, &mut ot.incoming);
                Ok(match (out.missing(send), inc.missing(recv)) {
                    (Some(want), _) if let Some((_, ferret)) = &mut out.ferret => {
                        Some(ferret.expand(s, want, &mut out.stock))
                    }
                    (_, Some(_)) if inc.ferret.is_none() => {
                        let (cots, message) = inc.soft.expand();
                        inc.stock.extend_from_slice(cots.strings());
                        Some(message)
                    }
                    _ => None,
                })
            },
            |s, ot| {
                let (out, inc) = (&mut ot.outgoing, &mut ot.incoming);
                match (out.missing(send), inc.missing(recv)) {
                    (_, Some(want)) if let Some((_, ferret)) = &mut inc.ferret => {
                        ferret.absorb(s, want, &mut inc.stock)?;
                    }
                    (Some(_), _) if out.ferret.is_none() => {
                        out.stock.extend_from_slice(out.soft.absorb(s)?.strings());
                    }
                    _ => return Ok(false),
                }
                Ok(true)
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
                stock: Vec::new(),
            },
            incoming: Incoming::new(self.incoming.soft.fork()),
        };
        (0..lanes).map(lane).collect()
    }
}

impl Outgoing {
    fn missing(&self, want: usize) -> Option<usize> {
        want.checked_sub(self.stock.len()).filter(|&missing| missing > 0)
    }
}

impl Incoming {
    fn new(soft: softspoken::Receiver) -> Self {
        Self { soft, ferret: None, stock: Vec::new() }
    }

    fn missing(&self, want: usize) -> Option<usize> {
        want.checked_sub(self.stock.len()).filter(|&missing| missing > 0)
    }
}

impl Drop for Ot {
    fn drop(&mut self) {
        self.outgoing.delta.zeroize();
        self.outgoing.stock.zeroize();
        self.incoming.stock.zeroize();
    }
}

/// `count` strings out of a stock that has them, moving the smaller part.
fn withdraw(stock: &mut Vec<Block>, count: usize) -> Vec<Block> {
    if 2 * count > stock.len() {
        let rest = stock.split_off(count);
        std::mem::replace(stock, rest)
    } else {
        stock.split_off(stock.len() - count)
    }
}

/// Room for `want` strings and what whole trees make beyond; growing would copy all of them.
fn reserve(stock: &mut Vec<Block>, want: usize) {
    if let Some(missing) = want.checked_sub(stock.len()).filter(|&missing| missing > 0) {
        stock.reserve_exact(missing + (1 << 16));
    }
}
