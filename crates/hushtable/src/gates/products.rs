//! Products of one party's bits with the other's values: correlated OT in which correction and
//! payload cross.
//!
//! # Functionality
//! For each OT one party has a bit `b`, the other a value `x` of one or more words; both get shares
//! of `b x`, additive mod `2^w` or XOR. In one direction or both; then what they get are shares of
//! the sums of both products.
//!
//! # Protocol
//! With a correlated OT of random choice `c` and pads `X_0`, `X_1` (see `ot::strings`), both at once:
//! 1. the receiver sends `d = b ^ c`, unless its bit is `c` itself;
//! 2. the sender sends `m = x + X_0 - X_1`, and both have shares of `c x`: `-X_0` and `X_c + c m`.
//!
//! Since `b = c` or `b = 1 - c` by the public `d`, shares of `b x` are these, or `x` minus the
//! sender's and minus the receiver's.
//!
//! # Cost
//! 1 bit from the receiver (none for a random bit) and `w` bits from the sender: 1 round.
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
    error::Result,
    ot::{
        CotReceiver, CotSender,
        strings::{PayloadReceiver, PayloadSender},
    },
    party::Party,
    session::Session,
    share::Kind,
};

/// OTs in a message.
const PIECE: usize = 1 << 12;

/// A batch of products under way at one party: its values where it sends, its bits where it
/// receives. If both, there are as many of each.
pub(crate) struct Products<'a> {
    /// Bits of each word of a value.
    widths: Vec<u32>,
    out: CotSender,
    /// Columns of words.
    values: &'a [Vec<u64>],
    inc: CotReceiver,
    /// Step 1, sent and received; empty for random bits.
    flips: Vec<u8>,
    peer_flips: Vec<u8>,
    /// This party's shares as sender and as receiver, in columns.
    sent: Zeroizing<Vec<Vec<u64>>>,
    received: Zeroizing<Vec<Vec<u64>>>,
}

impl<'a> Products<'a> {
    /// Receivers' bits are the random choices, the lowest bits of `inc`.
    pub(crate) fn random(out: CotSender, inc: CotReceiver, widths: &[u32], values: &'a [Vec<u64>]) -> Self {
        Self::new(out, inc, widths, values)
    }

    /// This party's bits as receiver, 0 or 1 each, are `bits`; the peer gives its own too.
    ///
    /// # Panics
    /// Unless there are as many bits as OTs.
    pub(crate) fn chosen(
        out: CotSender,
        inc: CotReceiver,
        bits: impl Iterator<Item = u64>,
        widths: &[u32],
        values: &'a [Vec<u64>],
    ) -> Self {
        // Public: the random choices mask the bits and serve only here.
        let flips: Vec<u8> =
            inc.strings().iter().zip(bits).map(|(t, b)| b as u8 ^ u8::from(t.lsb())).collect();
        assert_eq!(flips.len(), inc.len(), "a bit for each OT");
        let peer_flips = vec![0; out.len()];
        Self { flips, peer_flips, ..Self::new(out, inc, widths, values) }
    }

    fn new(out: CotSender, inc: CotReceiver, widths: &[u32], values: &'a [Vec<u64>]) -> Self {
        let columns = |len| Zeroizing::new(vec![vec![0; len]; widths.len()]);
        let (sent, received) = (columns(out.len()), columns(inc.len()));
        assert!(out.is_empty() || inc.is_empty() || out.len() == inc.len(), "as many products each way");
        Self { widths: widths.to_vec(), out, values, inc, flips: vec![], peer_flips: vec![], sent, received }
    }

    /// Both parties' pieces, from the last, as `take` hands OTs out.
    fn pieces(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let len = self.out.len().max(self.inc.len());
        (0..len).step_by(PIECE).rev().map(move |from| from..len.min(from + PIECE))
    }

    /// This party's message for a piece.
    fn send<K: Kind>(&mut self, s: &mut Session, at: Range<usize>) -> Result<Vec<u8>> {
        let mut message = Vec::new();
        if !self.flips.is_empty() {
            pack(&self.flips[at.clone()], 1, &mut message);
        }
        if !self.sent.iter().all(Vec::is_empty) {
            let mut pads = PayloadSender::random(s, self.out.take(at.len())?, &self.widths);
            let values = self.values.iter().map(|column| column[at.clone()].to_vec());
            let (payload, shares) = pads.send::<K>(&Zeroizing::new(values.collect::<Vec<_>>()));
            message.extend(payload);
            place(&mut self.sent, &at, shares);
        }
        Ok(message)
    }

    /// The peer's.
    fn receive<K: Kind>(&mut self, s: &mut Session, at: Range<usize>) -> Result<()> {
        let flips = if self.peer_flips.is_empty() { 0 } else { packed_len(at.len(), 1) };
        if self.inc.is_empty() {
            if flips > 0 {
                unpack(&s.recv(flips)?, 1, &mut self.peer_flips[at]);
            }
            return Ok(());
        }
        let mut pads = PayloadReceiver::random(s, self.inc.take(at.len())?, &self.widths);
        let message = s.recv(flips + pads.message_len(self.widths.len()))?;
        let (first, payload) = message.split_at(flips);
        if flips > 0 {
            unpack(first, 1, &mut self.peer_flips[at.clone()]);
        }
        place(&mut self.received, &at, pads.receive::<K>(self.widths.len(), payload));
        Ok(())
    }

    /// Shares of the products with the bits themselves, by the corrections.
    fn finish<K: Kind>(self) -> Zeroizing<Vec<Vec<u64>>> {
        let Self { widths, values, flips, peer_flips, mut sent, mut received, .. } = self;
        let corrected = |columns: &mut Vec<Vec<u64>>, flips: &[u8], value: &dyn Fn(usize, usize) -> u64| {
            for (w, column) in columns.iter_mut().enumerate() {
                let flipped = column.iter_mut().zip(flips).enumerate().filter(|(_, (_, d))| **d == 1);
                flipped.for_each(|(i, (share, _))| *share = K::strip(value(w, i), *share));
            }
        };
        corrected(&mut sent, &peer_flips, &|w, i| values[w][i]);
        corrected(&mut received, &flips, &|_, _| 0);
        for ((sent, received), &w) in sent.iter_mut().zip(received.iter()).zip(&widths) {
            if sent.is_empty() {
                sent.resize(received.len(), 0);
            }
            sent.iter_mut().zip(received).for_each(|(s, r)| *s = K::combine(*s, *r));
            sent.iter_mut().for_each(|s| *s = low(*s, w));
        }
        sent
    }
}

/// Runs any number of batches in 1 round: for each this party's shares, in columns of words.
pub(crate) fn multiply<K: Kind>(
    p: &mut Party,
    mut batches: Vec<Products>,
) -> Result<Vec<Zeroizing<Vec<Vec<u64>>>>> {
    let all = || batches.iter().enumerate().flat_map(|(i, b)| b.pieces().map(move |at| (i, at)));
    let pieces: Vec<(usize, Range<usize>)> = all().collect();
    let mut state = (&mut batches, pieces.iter().cloned(), pieces.iter().cloned());
    p.session().duplex(
        &mut state,
        |s, (batches, mine, _)| loop {
            let Some((i, at)) = mine.next() else { return Ok(None) };
            let message = batches[i].send::<K>(s, at)?;
            if !message.is_empty() {
                return Ok(Some(message)); // where it has nothing to say it sends nothing
            }
        },
        |s, (batches, _, theirs)| match theirs.next() {
            Some((i, at)) => batches[i].receive::<K>(s, at).map(|()| true),
            None => Ok(false),
        },
    )?;
    Ok(batches.into_iter().map(Products::finish::<K>).collect())
}

fn place(columns: &mut [Vec<u64>], at: &Range<usize>, shares: Vec<Vec<u64>>) {
    let shares = Zeroizing::new(shares);
    columns.iter_mut().zip(shares.iter()).for_each(|(c, s)| c[at.clone()].copy_from_slice(s));
}
