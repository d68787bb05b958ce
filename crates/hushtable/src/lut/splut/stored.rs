//! SP-LUT's material in pieces and as bytes.

use std::marker::PhantomData;

use super::SpLut;
use crate::{
    codec::{Reader, Writer},
    error::{Error, Result},
    net::Role,
    onehot::Group,
    ot::{CotReceiver, CotSender, one_of_n},
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
        let (sent, received) = (self.flips.len(), self.choices.len());
        // As many as P0 sends in a batch of what is left, if it still has them.
        let (p0, p1) = if self.role == Role::P0 { (sent, received) } else { (received, sent) };
        let p0_left = left.div_ceil(2).clamp(left.saturating_sub(p1), p0);
        let sent_left = if self.role == Role::P0 { p0_left } else { left - p0_left };
        Ok(Self {
            role: self.role,
            entries: self.entries,
            depth: self.depth,
            out: self.out.take((sent - sent_left) * self.depth)?,
            flips: self.flips.split_off(sent_left),
            inc: self.inc.take((received + sent_left - left) * self.depth)?,
            choices: self.choices.split_off(left - sent_left),
            group: PhantomData,
        })
    }

    /// Bits that one lookup in `2^n` entries takes on disk.
    pub(crate) fn stored_bits(n: u32) -> usize {
        128 * n as usize
    }

    /// Of whole material for tables of a power of two of entries.
    pub(crate) fn encode(&self, to: &mut Writer) {
        assert!(self.entries.is_power_of_two(), "corrections of choices are not stored");
        self.out.encode(to);
        self.inc.encode(to);
    }

    /// For `count` lookups in `2^n` entries at the party `role`.
    pub(crate) fn decode(from: &mut Reader<'_>, role: Role, n: u32, count: usize) -> Result<Self> {
        let (entries, depth) = (1 << n, n as usize);
        let (send, recv) = Self::cots(role, entries, count);
        let (out, inc) = (CotSender::decode(from, send)?, CotReceiver::decode(from, recv)?);
        let choices = inc.strings().chunks_exact(depth).map(one_of_n::chosen_index).collect();
        Ok(Self { role, entries, depth, out, flips: vec![0; send / depth], inc, choices, group: PhantomData })
    }
}
