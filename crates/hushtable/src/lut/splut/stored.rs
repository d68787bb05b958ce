//! SP-LUT's material in pieces and as bytes.

use std::marker::PhantomData;

use super::SpLut;
use crate::{
    codec::{Reader, Writer},
    error::{Error, Result},
    net::Role,
    onehot::Group,
    ot::{CotReceiver, CotSender, one_of_n},
    session::by_role,
};

impl<G: Group> SpLut<G> {
    /// Cuts off the material for `m` lookups, to be spent separately: about half of them sent by
    /// each party. Cutting off a and then b takes the same material as cutting off a + b.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        let Some(left) = self.len().checked_sub(m) else {
            return Err(Error::Shape { what: "lookups left", want: m, got: self.len() });
        };
        let (sent, received) = (self.out.len(), self.inc.len());
        // As many as P0 sends in a batch of what is left, if it still has them.
        let (p0, p1) = by_role(self.role, sent, received);
        let p0_left = left.div_ceil(2).clamp(left.saturating_sub(p1), p0);
        let (sent_left, _) = by_role(self.role, p0_left, left - p0_left);
        Ok(Self {
            role: self.role,
            entries: self.entries,
            out: self.out.take(sent - sent_left)?,
            inc: self.inc.take(received + sent_left - left)?,
            group: PhantomData,
        })
    }

    /// Bits that one lookup in `2^d` entries takes on disk.
    pub(crate) fn stored_bits(d: u32) -> usize {
        128 * d as usize
    }

    /// Of whole material from correlated OTs, for tables of a power of two of entries.
    pub(crate) fn encode(&self, to: &mut Writer) {
        self.out.encode(to);
        self.inc.encode(to);
    }

    /// For `count` lookups in `2^d` entries at the party `role`.
    pub(crate) fn decode(from: &mut Reader<'_>, role: Role, d: u32, count: usize) -> Result<Self> {
        let (send, recv) = Self::cots(role, 1 << d, count);
        Self::of_cots(role, d, (CotSender::decode(from, send)?, CotReceiver::decode(from, recv)?))
    }

    /// At the party `role`, for lookups in `2^d` entries: of d correlated OTs for each, as sender and as receiver.
    pub(crate) fn of_cots(role: Role, d: u32, cots: (CotSender, CotReceiver)) -> Result<Self> {
        let (out, inc) = one_of_n::from_random(1 << d, cots)?;
        Ok(Self { role, entries: 1 << d, out, inc, group: PhantomData })
    }
}
