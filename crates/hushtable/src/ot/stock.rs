//! Correlated OTs of one direction: how they are made, and those made and not yet handed out.

use prim::{Wiped, block::Block};
use zeroize::Zeroize;

use super::{
    ferret,
    params::LpnSet,
    rcot::{CotReceiver, CotSender},
    softspoken,
};
use crate::{error::Result, session::Session};

/// A message's worth of strings, by which a stock may exceed what was asked for.
const SLACK: usize = 1 << 14;

/// This party as sender.
pub(super) struct Outgoing {
    pub(super) delta: Block,
    soft: softspoken::Sender,
    // Apart: the room of an extension that does not run would hold what lay on the stack, and is freed unwiped.
    ferret: Option<Box<(&'static LpnSet, ferret::Sender)>>,
    pub(super) stock: Stock,
}

/// This party as receiver.
pub(super) struct Incoming {
    soft: softspoken::Receiver,
    // As in [`Outgoing`].
    ferret: Option<Box<(&'static LpnSet, ferret::Receiver)>>,
    pub(super) stock: Stock,
}

/// Strings made and not yet handed out. Both parties' stocks of a direction hold as many.
#[derive(Default)]
pub(super) struct Stock {
    strings: Wiped<Block>,
    handed_out: usize,
}

impl Outgoing {
    pub(super) fn new(delta: Block, soft: softspoken::Sender, first: &[Block]) -> Self {
        Self { delta, soft, ferret: None, stock: Stock::new(first) }
    }

    /// The set of the extension that runs, if one does.
    pub(super) fn set(&self) -> Option<&'static LpnSet> {
        self.ferret.as_ref().map(|ferret| ferret.0)
    }

    /// Starts the extension of a set from strings in stock.
    pub(super) fn start(&mut self, s: &Session, set: &'static LpnSet) -> Result<()> {
        let seeds = self.hand_out(set.seeds());
        self.ferret = Some(Box::new((set, ferret::Sender::new(s, set, seeds)?)));
        Ok(())
    }

    pub(super) fn hand_out(&mut self, count: usize) -> CotSender {
        CotSender::new(self.delta, self.stock.hand_out(count))
    }

    /// Ferret's messages go from the sender.
    pub(super) fn produce(&mut self, s: &mut Session, want: usize) -> Option<Vec<u8>> {
        let missing = self.stock.missing(want)?;
        let (_, ferret) = &mut **self.ferret.as_mut()?;
        Some(ferret.expand(s, missing, &mut self.stock.strings))
    }

    /// SoftSpoken's go to the sender.
    pub(super) fn consume(&mut self, s: &mut Session, want: usize) -> Result<bool> {
        if self.ferret.is_some() || self.stock.missing(want).is_none() {
            return Ok(false);
        }
        self.stock.strings.extend_from_slice(self.soft.absorb(s)?.strings());
        Ok(true)
    }

    /// Seeds of a lane's, which has the same Delta and independent strings.
    pub(super) fn seeds(&mut self) -> Wiped<Block> {
        self.soft.seeds()
    }
}

impl Incoming {
    pub(super) fn new(soft: softspoken::Receiver, first: &[Block]) -> Self {
        Self { soft, ferret: None, stock: Stock::new(first) }
    }

    /// As [`Outgoing::set`].
    pub(super) fn set(&self) -> Option<&'static LpnSet> {
        self.ferret.as_ref().map(|ferret| ferret.0)
    }

    /// As [`Outgoing::start`].
    pub(super) fn start(&mut self, s: &Session, set: &'static LpnSet) -> Result<()> {
        let seeds = self.hand_out(set.seeds());
        self.ferret = Some(Box::new((set, ferret::Receiver::new(s, set, &seeds)?)));
        Ok(())
    }

    pub(super) fn hand_out(&mut self, count: usize) -> CotReceiver {
        CotReceiver::new(self.stock.hand_out(count))
    }

    pub(super) fn produce(&mut self, want: usize) -> Option<Vec<u8>> {
        if self.ferret.is_some() || self.stock.missing(want).is_none() {
            return None;
        }
        let (cots, message) = self.soft.expand();
        self.stock.strings.extend_from_slice(cots.strings());
        Some(message)
    }

    pub(super) fn consume(&mut self, s: &mut Session, want: usize) -> Result<bool> {
        let (Some(missing), Some(ferret)) = (self.stock.missing(want), self.ferret.as_mut()) else {
            return Ok(false);
        };
        ferret.1.absorb(s, missing, &mut self.stock.strings)?;
        Ok(true)
    }

    /// As [`Outgoing::seeds`].
    pub(super) fn seeds(&mut self) -> Wiped<Block> {
        self.soft.seeds()
    }
}

impl Stock {
    fn new(strings: &[Block]) -> Self {
        Self { strings: strings.to_vec().into(), handed_out: 0 }
    }

    /// Handed out so far, seeds of extensions among them.
    pub(super) fn handed_out(&self) -> usize {
        self.handed_out
    }

    /// Strings made and not yet handed out.
    pub(super) fn len(&self) -> usize {
        self.strings.len()
    }

    /// How many more are needed to hold `want`, unless it does.
    pub(super) fn missing(&self, want: usize) -> Option<usize> {
        want.checked_sub(self.strings.len()).filter(|&missing| missing > 0)
    }

    /// Room for `more` strings and what whole trees make beyond.
    pub(super) fn reserve(&mut self, more: usize) {
        self.strings.reserve(more + SLACK);
    }

    /// `count` strings, of which there are enough; the smaller part moves.
    fn hand_out(&mut self, count: usize) -> Wiped<Block> {
        self.handed_out += count;
        if 2 * count > self.strings.len() {
            let rest = self.strings.split_off(count);
            std::mem::replace(&mut self.strings, rest)
        } else {
            let left = self.strings.len() - count;
            self.strings.split_off(left)
        }
    }

    /// Hands out strings from the front by `f`, up to `left`: all of those, or a multiple of 64.
    pub(super) fn hand_over(&mut self, left: &mut usize, f: impl FnOnce(&[Block])) {
        let ready = self.strings.len();
        let count = if ready < *left { ready & !63 } else { *left };
        if count > 0 {
            f(&self.strings[..count]);
            self.handed_out += count;
            *left -= count;
            self.strings.copy_within(count.., 0);
            self.strings.truncate(ready - count);
        }
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.delta.zeroize();
    }
}
