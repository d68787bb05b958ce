//! Correlated OTs of one direction: how they are made, and those made and not yet handed out.

use std::collections::VecDeque;

use prim::{Wiped, block::Block, wipe};
use zeroize::Zeroize;

use super::{
    ferret,
    params::LpnSet,
    rcot::{CotReceiver, CotSender},
    softspoken,
};
use crate::{error::Result, session::Session};

/// Strings of a message, at most.
const MESSAGE: usize = 1 << 13;
/// Strings of a piece of the stock, unless a batch is made there.
const PIECE: usize = 1 << 16;

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

/// Strings that are made at a time, at least: a tree's, or a block of SoftSpoken's streams.
fn unit(set: Option<&'static LpnSet>) -> usize {
    set.map_or(softspoken::UNIT, |set| 1 << set.depth)
}

/// Strings made and not yet handed out, in pieces. Both parties' stocks of a direction hold as many.
#[derive(Default)]
pub(super) struct Stock {
    /// In the order in which they are handed out.
    pieces: VecDeque<Wiped<Block>>,
    /// Strings of the first piece that are handed out already.
    gone: usize,
    len: usize,
    handed_out: usize,
}

impl Outgoing {
    pub(super) fn new(delta: Block, soft: softspoken::Sender) -> Self {
        Self { delta, soft, ferret: None, stock: Stock::default() }
    }

    /// The set of the extension that runs, if one does.
    pub(super) fn set(&self) -> Option<&'static LpnSet> {
        self.ferret.as_ref().map(|ferret| ferret.0)
    }

    /// Starts the extension of a set from strings in stock.
    pub(super) fn start(&mut self, s: &Session, set: &'static LpnSet) -> Result<()> {
        let seeds = self.hand_out(set.seeds());
        self.start_from(s, set, seeds)
    }

    /// Starts it from seeds that another stock handed out.
    pub(super) fn start_from(&mut self, s: &Session, set: &'static LpnSet, seeds: CotSender) -> Result<()> {
        self.ferret = Some(Box::new((set, ferret::Sender::new(s, set, seeds)?)));
        Ok(())
    }

    /// Room for `want` strings in one piece, for a batch.
    pub(super) fn gather(&mut self, want: usize) {
        self.stock.gather(want, unit(self.set()));
    }

    pub(super) fn hand_out(&mut self, count: usize) -> CotSender {
        CotSender::new(self.delta, self.stock.hand_out(count))
    }

    /// Ferret's messages go from the sender.
    pub(super) fn produce(&mut self, s: &mut Session, want: usize) -> Option<Vec<u8>> {
        let missing = self.stock.missing(want)?;
        let unit = unit(self.set());
        let ferret = self.ferret.as_mut()?;
        Some(self.stock.append(missing, unit, |piece| ferret.1.expand(s, missing, piece)))
    }

    /// SoftSpoken's go to the sender.
    pub(super) fn consume(&mut self, s: &mut Session, want: usize) -> Result<bool> {
        let (Some(missing), None) = (self.stock.missing(want), &self.ferret) else {
            return Ok(false);
        };
        self.stock.append(missing, softspoken::UNIT, |piece| self.soft.absorb(s, missing, piece))?;
        Ok(true)
    }

    /// Seeds of a lane's, which has the same Delta and independent strings.
    pub(super) fn seeds(&mut self) -> Wiped<Block> {
        self.soft.seeds()
    }
}

impl Incoming {
    pub(super) fn new(soft: softspoken::Receiver) -> Self {
        Self { soft, ferret: None, stock: Stock::default() }
    }

    /// As [`Outgoing::set`].
    pub(super) fn set(&self) -> Option<&'static LpnSet> {
        self.ferret.as_ref().map(|ferret| ferret.0)
    }

    /// As [`Outgoing::start`].
    pub(super) fn start(&mut self, s: &Session, set: &'static LpnSet) -> Result<()> {
        let seeds = self.hand_out(set.seeds());
        self.start_from(s, set, &seeds)
    }

    /// As [`Outgoing::start_from`].
    pub(super) fn start_from(
        &mut self,
        s: &Session,
        set: &'static LpnSet,
        seeds: &CotReceiver,
    ) -> Result<()> {
        self.ferret = Some(Box::new((set, ferret::Receiver::new(s, set, seeds)?)));
        Ok(())
    }

    /// As [`Outgoing::gather`].
    pub(super) fn gather(&mut self, want: usize) {
        self.stock.gather(want, unit(self.set()));
    }

    pub(super) fn hand_out(&mut self, count: usize) -> CotReceiver {
        CotReceiver::new(self.stock.hand_out(count))
    }

    pub(super) fn produce(&mut self, want: usize) -> Option<Vec<u8>> {
        let (Some(missing), None) = (self.stock.missing(want), &self.ferret) else {
            return None;
        };
        Some(self.stock.append(missing, softspoken::UNIT, |piece| self.soft.expand(missing, piece)))
    }

    pub(super) fn consume(&mut self, s: &mut Session, want: usize) -> Result<bool> {
        let unit = unit(self.set());
        let (Some(missing), Some(ferret)) = (self.stock.missing(want), self.ferret.as_mut()) else {
            return Ok(false);
        };
        self.stock.append(missing, unit, |piece| ferret.1.absorb(s, missing, piece))?;
        Ok(true)
    }

    /// As [`Outgoing::seeds`].
    pub(super) fn seeds(&mut self) -> Wiped<Block> {
        self.soft.seeds()
    }
}

impl Stock {
    /// Handed out so far, seeds of extensions among them.
    pub(super) fn handed_out(&self) -> usize {
        self.handed_out
    }

    /// Strings made and not yet handed out.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// How many more are needed to hold `want`, unless it does.
    pub(super) fn missing(&self, want: usize) -> Option<usize> {
        want.checked_sub(self.len).filter(|&missing| missing > 0)
    }

    /// Room in one piece for `want` strings in all, if some are missing, which are made `unit` at a time. What is in
    /// stock moves there.
    fn gather(&mut self, want: usize, unit: usize) {
        let Some(missing) = self.missing(want) else { return };
        let more = missing.next_multiple_of(unit);
        let fits = |piece: &Wiped<Block>| piece.capacity() - piece.len() >= more;
        if self.gone > 0 || self.pieces.len() != 1 || !fits(&self.pieces[0]) {
            let mut piece = Wiped::default();
            piece.reserve(self.len + more);
            let stocked = self.len;
            self.move_to(&mut piece, stocked);
            (self.pieces, self.len) = (VecDeque::from([piece]), stocked);
        }
    }

    /// Appends by `f` what is made next, at most a message's worth.
    fn append<T>(&mut self, missing: usize, unit: usize, f: impl FnOnce(&mut Wiped<Block>) -> T) -> T {
        let more = missing.min(MESSAGE).next_multiple_of(unit);
        if self.pieces.back().is_none_or(|last| last.capacity() - last.len() < more) {
            if self.len == 0 {
                self.pieces.clear();
            }
            let mut piece = Wiped::default();
            piece.reserve(PIECE.min(missing.next_multiple_of(unit)).max(more));
            self.pieces.push_back(piece);
        }
        let last = self.pieces.back_mut().expect("there is one");
        let before = last.len();
        let out = f(last);
        self.len += last.len() - before;
        out
    }

    /// The next `count` strings, of which there are enough; those of a piece that is not much larger stay where they are.
    fn hand_out(&mut self, count: usize) -> Wiped<Block> {
        self.handed_out += count;
        let whole = |piece: &Wiped<Block>| count <= piece.len() && piece.capacity() < 2 * count;
        if self.gone > 0 || !self.pieces.front().is_some_and(whole) {
            let mut out = Wiped::default();
            out.reserve(count);
            self.move_to(&mut out, count);
            return out;
        }
        self.len -= count;
        let mut out = self.pieces.pop_front().expect("there is one");
        if count < out.len() {
            self.pieces.push_front(out.split_off(count));
        }
        out
    }

    /// Moves the next `count` strings to the end of `to`, where there is room for them.
    fn move_to(&mut self, to: &mut Wiped<Block>, count: usize) {
        let end = to.len() + count;
        while to.len() < end {
            let next = self.next_piece();
            let now = next.len().min(end - to.len());
            to.extend_from_slice(&next[..now]);
            self.discard(now);
        }
    }

    /// Hands out strings from the front by `f`, up to `left`: all of those, or a multiple of 64.
    pub(super) fn hand_over(&mut self, left: &mut usize, mut f: impl FnMut(&[Block])) {
        loop {
            let count = if self.len < *left { self.len & !63 } else { *left };
            if count == 0 {
                return;
            }
            let next = self.next_piece();
            let now = if count <= next.len() { count } else { next.len() & !63 };
            if now > 0 {
                f(&next[..now]);
                self.discard(now);
                self.handed_out += now;
                *left -= now;
            } else {
                let joint = self.hand_out(count.min(64)); // beyond the end of a piece
                f(&joint);
                *left -= joint.len();
            }
        }
    }

    /// The strings of the first piece.
    fn next_piece(&self) -> &[Block] {
        &self.pieces[0][self.gone..]
    }

    /// Wipes the next `count` strings, of one piece. The last piece is filled again when it is spent.
    fn discard(&mut self, count: usize) {
        self.len -= count;
        let last = self.pieces.len() == 1;
        let piece = &mut self.pieces[0];
        let from = self.gone;
        self.gone += count;
        if self.gone < piece.len() || last {
            wipe(&mut piece[from..][..count]);
        }
        if self.gone == piece.len() {
            self.gone = 0;
            match last {
                true => piece.clear(),
                false => drop(self.pieces.pop_front()), // wipes it
            }
        }
    }
}

impl Drop for Outgoing {
    fn drop(&mut self) {
        self.delta.zeroize();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A stock in which `made` strings were put, in messages of `unit`; strings are numbers in order.
    fn fill(stock: &mut Stock, next: &mut u128, want: usize, unit: usize) {
        while let Some(missing) = stock.missing(want) {
            stock.append(missing, unit, |piece| {
                for x in piece.extend_zeros(missing.min(MESSAGE).next_multiple_of(unit)) {
                    *x = Block(*next);
                    *next += 1;
                }
            });
        }
    }

    fn in_order(strings: &[Block], from: &mut u128) {
        for x in strings {
            assert!(x.0 == *from, "string {from}");
            *from += 1;
        }
    }

    /// However it is filled and emptied: every string once, in order, and as many as are asked for.
    #[test]
    fn strings_leave_in_order() {
        for (unit, start) in [(128, 0), (1024, 1), (4096, 77)] {
            let (mut stock, mut next, mut out) = (Stock::default(), 0, 0);
            let mut handed = 0;
            for (i, count) in
                [start, 1, 127, 128, 9000, 64, 200_000, 3, 70_000, 65_537, 10].into_iter().enumerate()
            {
                match i % 3 {
                    0 => stock.gather(count, unit),
                    1 => fill(&mut stock, &mut next, count + 140_000, unit), // several pieces
                    _ => {}
                }
                fill(&mut stock, &mut next, count, unit);
                let got = stock.hand_out(count);
                assert_eq!(got.len(), count);
                in_order(&got, &mut out);
                handed += count;
                assert_eq!((stock.len(), stock.handed_out()), (next as usize - handed, handed));
            }
        }
    }

    /// In multiples of 64 but the last, over the ends of pieces.
    #[test]
    fn strings_are_handed_over_in_order() {
        let (mut stock, mut next, mut out) = (Stock::default(), 0, 0);
        for left in [64usize, 1000, 1, 300_000, 63, 70_001] {
            let mut wanted = left;
            fill(&mut stock, &mut next, 13, 128);
            for part in [left / 2, left] {
                fill(&mut stock, &mut next, part.min(wanted), 128);
                let last = part == left;
                let (before, mut odd) = (wanted, 0);
                stock.hand_over(&mut wanted, |strings| {
                    odd += usize::from(!strings.len().is_multiple_of(64));
                    in_order(strings, &mut out);
                });
                assert!(
                    odd <= usize::from(wanted == 0) && (wanted == 0) >= last,
                    "{left}: {before} to {wanted}"
                );
            }
        }
        assert!(stock.len() == next as usize - out as usize);
    }

    /// Strings that are made for one batch stay where they are.
    #[test]
    fn a_batch_is_made_where_it_stays() {
        let (mut stock, mut next, mut out) = (Stock::default(), 0, 0);
        fill(&mut stock, &mut next, 100, 128);
        stock.gather(100_000, 128);
        let at = stock.pieces[0].as_ptr();
        fill(&mut stock, &mut next, 100_000, 128);
        let got = stock.hand_out(100_000);
        assert!(at == got.as_ptr() && got.capacity() < 100_000 + 128);
        in_order(&got, &mut out);
        assert_eq!(stock.len(), next as usize - 100_000);
    }
}
