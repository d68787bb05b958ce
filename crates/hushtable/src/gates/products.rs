//! Products of one party's bits with the other's values: correlated OT in which correction and
//! payload cross.
//!
//! # Functionality
//! For each OT one party has a bit `b`, the other a value `x` of one or more words; both get shares
//! of `b x`, additive mod `2^w` or XOR. In one direction or both; then what they get are shares of
//! the sums of both products.
//!
//! # Protocol
//! Offline each correlated OT of random choice `c` is hashed to pads `X_0`, `X_1` (see `ot::strings`). Online,
//! both at once:
//! 1. the receiver sends `d = b ^ c`, unless its bit is `c` itself;
//! 2. the sender sends `m = x + X_0 - X_1`, and both have shares of `c x`: `-X_0` and `X_c + c m`.
//!
//! Since `b = c` or `b = 1 - c` by the public `d`, shares of `b x` are these, or `x` minus the
//! sender's and minus the receiver's.
//!
//! # Cost
//! A correlated OT, offline no message. 1 bit from the receiver (none for a random bit) and `w` bits from the
//! sender: 1 round.
//!
//! # Source
//! As `ot::strings`, whose sender waits for the correction; here it need not.

use std::ops::Range;

use prim::{
    pack::{pack, packed_len, unpack},
    ring::low,
};
use zeroize::Zeroizing;

use crate::{
    bill::{Bill, Phase},
    error::Result,
    net::Role,
    ot::{
        CotReceiver, CotSender,
        strings::{PayloadReceiver, PayloadSender},
    },
    party::Party,
    session::{self, Session},
    share::Kind,
    source::Source,
};

/// OTs in a message.
const PIECE: usize = 1 << 12;

/// Columns of words that are wiped.
pub(super) type Columns = Zeroizing<Vec<Vec<u64>>>;

/// One-time material for a batch of products: pads of one direction or both.
pub struct Products {
    pub(super) len: usize,
    pub(super) sender: Option<PayloadSender>,
    pub(super) receiver: Option<PayloadReceiver>,
}

/// In which directions there are products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Values of P0's, bits of P1's.
    FromP0,
    /// The other way round.
    FromP1,
    /// In each one product: values and bits of both.
    Both,
}

impl Direction {
    /// In the terms of stored material.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::FromP0 => "P0",
            Self::FromP1 => "P1",
            Self::Both => "both",
        }
    }

    /// Whether the party `role` has values.
    pub(super) fn sends(self, role: Role) -> bool {
        match self {
            Self::Both => true,
            Self::FromP0 => role == Role::P0,
            Self::FromP1 => role == Role::P1,
        }
    }

    /// Whether it has bits.
    pub(super) fn receives(self, role: Role) -> bool {
        self == Self::Both || !self.sends(role)
    }

    /// Values of this party's.
    pub fn from(role: Role) -> Self {
        match role {
            Role::P0 => Self::FromP0,
            Role::P1 => Self::FromP1,
        }
    }
}

impl Products {
    /// Offline, for `count` products, or as many pairs of them, with words of these widths.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(p: &mut dyn Source, direction: Direction, count: usize, widths: &[u32]) -> Result<Self> {
        p.atom((direction, widths.to_vec()), count, |p| Self::make(p, direction, count, widths))
    }

    /// [`prepare`](Self::prepare), with the peer.
    fn make(p: &mut Party, direction: Direction, count: usize, widths: &[u32]) -> Result<Self> {
        let (sends, receives) = (direction.sends(p.role()), direction.receives(p.role()));
        let (out, inc) = p.cots(if sends { count } else { 0 }, if receives { count } else { 0 })?;
        Ok(Self::of(p, count, (sends.then_some(out), receives.then_some(inc)), widths))
    }

    /// From correlated OTs that were drawn, `len` of them in each direction in which there are any.
    pub(crate) fn of(
        s: &mut Session,
        len: usize,
        (out, inc): (Option<CotSender>, Option<CotReceiver>),
        widths: &[u32],
    ) -> Self {
        let sender = out.map(|out| PayloadSender::random(s, out, widths));
        let receiver = inc.map(|inc| PayloadReceiver::random(s, inc, widths));
        Self { len, sender, receiver }
    }

    /// What a product, or a pair, costs: with chosen bits online. With random ones the payloads are sent offline,
    /// see [`random_bill`](Self::random_bill).
    pub fn bill(direction: Direction, widths: &[u32]) -> Bill {
        let payload: u64 = widths.iter().map(|&w| u64::from(w)).sum();
        let words = widths.len() as u64;
        let (cots, bits, kept) = match direction {
            Direction::FromP0 => ([1, 0], [payload, 1], 128 * words),
            Direction::FromP1 => ([0, 1], [1, payload], 128 * words),
            Direction::Both => ([1, 1], [payload + 1; 2], 192 * words + 64),
        };
        Bill { cots, online: Phase { bits, rounds: 1 }, kept, ..Bill::FREE }
    }

    /// What a product of P0's value with a random bit of P1's costs, all of it offline.
    pub(crate) fn random_bill(widths: &[u32]) -> Bill {
        let payload = widths.iter().map(|&w| u64::from(w)).sum();
        Bill { cots: [1, 0], offline: Phase { bits: [payload, 0], rounds: 1 }, ..Bill::FREE }
    }

    /// How many there are.
    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// This party's random bits as receiver.
    pub(crate) fn choices(&self) -> impl Iterator<Item = u64> {
        self.receiver.iter().flat_map(|r| r.choices().iter().map(|c| c & 1))
    }

    /// Runs with these bits, 0 or 1 each, where this party is receiver, and these values where it is sender. The
    /// peer gives its own.
    ///
    /// # Panics
    /// Unless there are as many as products.
    pub fn chosen<'a>(self, bits: impl Iterator<Item = u64>, values: &'a [Vec<u64>]) -> Run<'a> {
        let sender = self.sender.map(|pads| Sender::new(pads, self.len, values, true));
        let receiver = self.receiver.map(|pads| {
            // Public: the random choices mask the bits and serve only here.
            let flips: Vec<u8> = pads.choices().iter().zip(bits).map(|(c, b)| (b ^ c & 1) as u8).collect();
            assert_eq!(flips.len(), self.len, "a bit for each OT");
            Receiver::new(pads, self.len, Some(flips))
        });
        (sender, receiver)
    }

    /// The values whose payloads are 0, at the sender, before reduction to their widths: uniform for the receiver.
    pub(super) fn unsent<K: Kind>(&self) -> Columns {
        Zeroizing::new(self.sender.iter().flat_map(PayloadSender::unsent::<K>).collect())
    }

    /// Runs as [`chosen`](Self::chosen) with the values of [`unsent`](Self::unsent), whose payloads are not sent.
    pub(super) fn unsent_run<'a>(self, bits: impl Iterator<Item = u64>, values: &'a [Vec<u64>]) -> Run<'a> {
        let (mut out, mut inc) = self.chosen(bits, values);
        out.iter_mut().for_each(|out| out.sends = false);
        inc.iter_mut().for_each(|inc| inc.awaits = false);
        (out, inc)
    }

    /// Runs with random bits, which are the [`choices`](Self::choices).
    pub(crate) fn random<'a>(self, values: &'a [Vec<u64>]) -> Run<'a> {
        let sender = self.sender.map(|pads| Sender::new(pads, self.len, values, false));
        (sender, self.receiver.map(|pads| Receiver::new(pads, self.len, None)))
    }
}

/// A batch under way where this party has the values.
pub struct Sender<'a> {
    len: usize,
    pads: PayloadSender,
    /// Columns of words.
    values: &'a [Vec<u64>],
    /// Step 1, as it comes; nothing for random bits.
    flips: Option<Vec<u8>>,
    /// Whether payloads are sent, which are 0 else.
    sends: bool,
    shares: Columns,
}

/// A batch under way where this party has the bits.
pub struct Receiver {
    len: usize,
    pads: PayloadReceiver,
    /// Step 1; nothing for random bits.
    flips: Option<Vec<u8>>,
    /// Whether payloads come, which are 0 else.
    awaits: bool,
    shares: Columns,
}

impl<'a> Sender<'a> {
    fn new(pads: PayloadSender, len: usize, values: &'a [Vec<u64>], chosen: bool) -> Self {
        let shares = columns(len, pads.widths().len());
        Self { len, pads, values, flips: chosen.then(|| vec![0; len]), sends: true, shares }
    }

    /// Step 2 for a piece.
    fn payload<K: Kind>(&mut self, at: &Range<usize>, message: &mut Vec<u8>) {
        let values = self.values.iter().map(|column| column[at.clone()].to_vec());
        let values = Zeroizing::new(values.collect::<Vec<_>>());
        let (payload, shares) = self.pads.take(at.len()).send::<K>(&values);
        message.extend(if self.sends { payload } else { Vec::new() });
        place(&mut self.shares, at, shares);
    }

    /// Shares of the products with the bits themselves, by the corrections.
    fn finish<K: Kind>(mut self) -> Columns {
        let Some(flips) = &self.flips else { return self.shares };
        for (column, values) in self.shares.iter_mut().zip(self.values) {
            for ((share, value), &d) in column.iter_mut().zip(values).zip(flips) {
                // `d` came over the wire: public.
                *share = if d == 1 { K::strip(*value, *share) } else { *share };
            }
        }
        self.shares
    }
}

impl Receiver {
    fn new(pads: PayloadReceiver, len: usize, flips: Option<Vec<u8>>) -> Self {
        let shares = columns(len, pads.widths().len());
        Self { len, pads, flips, awaits: true, shares }
    }

    /// Step 2 for a piece.
    fn receive<K: Kind>(&mut self, at: &Range<usize>, message: &[u8]) {
        let columns = self.pads.widths().len();
        if !self.awaits {
            let zeros = vec![0; self.pads.all_len(at.len())];
            return place(&mut self.shares, at, self.pads.take(at.len()).receive::<K>(columns, &zeros));
        }
        place(&mut self.shares, at, self.pads.take(at.len()).receive::<K>(columns, message));
    }

    fn finish<K: Kind>(mut self) -> Columns {
        let Some(flips) = &self.flips else { return self.shares };
        for column in self.shares.iter_mut() {
            for (share, &d) in column.iter_mut().zip(flips) {
                *share = if d == 1 { K::strip(0, *share) } else { *share }; // `d` is sent: public
            }
        }
        self.shares
    }
}

/// A batch under way at one party.
pub(crate) type Run<'a> = (Option<Sender<'a>>, Option<Receiver>);

/// Runs any number of batches in 1 round: for each this party's shares, in columns of words.
///
/// # Errors
/// Those of the channel.
pub fn multiply<K: Kind>(s: &mut Session, mut runs: Vec<Run>) -> Result<Vec<Columns>> {
    let len = |(out, inc): &Run| out.as_ref().map_or(0, |o| o.len).max(inc.as_ref().map_or(0, |i| i.len));
    let all = runs.iter().enumerate().flat_map(|(i, run)| pieces(len(run)).map(move |at| (i, at)));
    let all: Vec<(usize, Range<usize>)> = all.collect();
    let mut state = (&mut runs, all.iter(), all.iter());
    s.duplex(
        &mut state,
        |_, (runs, mine, _)| {
            let mut messages = mine.by_ref().map(|(i, at)| send::<K>(&mut runs[*i], at));
            Ok(messages.find(|message| !message.is_empty())) // where it has nothing to say it sends nothing
        },
        |s, (runs, _, theirs)| match theirs.next() {
            Some((i, at)) => {
                let bytes = awaited(&runs[*i], at);
                let message = if bytes > 0 { s.recv(bytes)? } else { Vec::new() };
                receive::<K>(&mut runs[*i], at, &message);
                Ok(true)
            }
            None => Ok(false),
        },
    )?;
    Ok(runs.into_iter().map(finish::<K>).collect())
}

/// From the last one, as pads are cut off.
fn pieces(len: usize) -> impl Iterator<Item = Range<usize>> {
    session::pieces(len, PIECE).rev()
}

/// This party's message for some of them, from the last one on.
pub(crate) fn send<K: Kind>((out, inc): &mut Run, at: &Range<usize>) -> Vec<u8> {
    let mut message = Vec::new();
    if let Some(flips) = inc.as_ref().and_then(|inc| inc.flips.as_ref()) {
        pack(&flips[at.clone()], 1, &mut message);
    }
    if let Some(out) = out {
        out.payload::<K>(at, &mut message);
    }
    message
}

/// Bytes of the peer's.
pub(crate) fn awaited((out, inc): &Run, at: &Range<usize>) -> usize {
    let flips = out.as_ref().and_then(|out| out.flips.as_ref());
    flips.map_or(0, |_| packed_len(at.len(), 1))
        + inc.as_ref().filter(|inc| inc.awaits).map_or(0, |inc| inc.pads.all_len(at.len()))
}

/// Takes in the peer's, of as many bytes.
pub(crate) fn receive<K: Kind>((out, inc): &mut Run, at: &Range<usize>, message: &[u8]) {
    let mut rest = message;
    if let Some(flips) = out.as_mut().and_then(|out| out.flips.as_mut()) {
        let (packed, payload) = message.split_at(packed_len(at.len(), 1));
        unpack(packed, 1, &mut flips[at.clone()]);
        rest = payload;
    }
    if let Some(inc) = inc {
        inc.receive::<K>(at, rest);
    }
}

/// The sums of this party's shares in both directions.
pub(crate) fn finish<K: Kind>((out, inc): Run) -> Columns {
    let widths = match (&out, &inc) {
        (Some(out), _) => out.pads.widths().to_vec(),
        (None, inc) => inc.as_ref().map_or(vec![], |inc| inc.pads.widths().to_vec()),
    };
    let (out, inc) = (out.map(Sender::finish::<K>), inc.map(Receiver::finish::<K>));
    let (mut sums, other) = match (out, inc) {
        (Some(out), inc) => (out, inc),
        (None, inc) => (inc.unwrap_or_default(), None),
    };
    if let Some(other) = other {
        for (sum, other) in sums.iter_mut().zip(other.iter()) {
            sum.iter_mut().zip(other).for_each(|(s, o)| *s = K::combine(*s, *o));
        }
    }
    for (sum, w) in sums.iter_mut().zip(widths) {
        sum.iter_mut().for_each(|s| *s = low(*s, w));
    }
    sums
}

fn columns(len: usize, count: usize) -> Columns {
    Zeroizing::new(vec![vec![0; len]; count])
}

fn place(columns: &mut [Vec<u64>], at: &Range<usize>, shares: Vec<Vec<u64>>) {
    let shares = Zeroizing::new(shares);
    columns.iter_mut().zip(shares.iter()).for_each(|(c, s)| c[at.clone()].copy_from_slice(s));
}
