//! Step 3 of SP-LUT: masked entries sent and received. A column takes its own slice of each pad.

use std::{marker::PhantomData, ops::Range};

use prim::{
    block::Block,
    pack::{pack, packed_len, unpack},
    ring::{Ring, low},
    rows::Shift,
    words,
};
use zeroize::Zeroizing;

use crate::{
    error::Result,
    lut::Table,
    onehot::Group,
    ot::{one_of_n, products::Pads},
    session::Session,
    share::Kind,
};

/// A table's form, which is public, and its columns, which a party that never sends may not have.
#[derive(Clone)]
pub(crate) struct Form<'a, R> {
    pub(super) entries: usize,
    pub(super) bits: u32,
    /// How many columns.
    pub(super) width: usize,
    columns: Vec<&'a Vec<R>>,
}

impl<'a, R: Ring> From<&'a Table<R>> for Form<'a, R> {
    fn from(table: &'a Table<R>) -> Self {
        let columns: Vec<_> = table.columns().iter().collect();
        Self { entries: table.len(), bits: table.bits(), width: columns.len(), columns }
    }
}

impl<'a, R: Ring> Form<'a, R> {
    /// Of one party's table: its columns there, none at the other party.
    pub(super) fn private(entries: usize, bits: u32, width: usize, columns: &'a [Vec<R>]) -> Self {
        Self { entries, bits, width, columns: columns.iter().collect() }
    }
}

/// Bytes of one message of masked entries, about.
const PIECE: usize = 1 << 18;

/// Pads made with one hash key: they take at most 4 hashes each.
const PADS: usize = 1 << 18;

/// The online phase under way: outputs of both halves.
pub(super) struct Run<'a, K: Kind, R: Ring> {
    table: Form<'a, R>,
    /// Outputs by column.
    pub(super) sent: Vec<Vec<R>>,
    pub(super) received: Vec<Vec<R>>,
    kind: PhantomData<K>,
}

impl<'a, K: Kind, R: Ring> Run<'a, K, R> {
    pub(super) fn new(table: Form<'a, R>, sending: usize, receiving: usize) -> Self {
        let outputs = |count| vec![vec![R::default(); count]; table.width];
        let (sent, received) = (outputs(sending), outputs(receiving));
        Self { table, sent, received, kind: PhantomData }
    }

    /// Lookups per message.
    pub(super) fn piece(&self) -> usize {
        let bits = self.table.width * self.table.bits as usize;
        (8 * PIECE / (self.table.entries * bits)).max(1)
    }

    /// Lookups whose pads are made with one key.
    fn keyed(&self) -> usize {
        (PADS / self.table.entries).max(1)
    }

    /// Step 3 at the sender: the message of the next lookups.
    pub(super) fn send<G: Group>(
        &mut self,
        s: &mut Session,
        out: &mut one_of_n::Sender,
        x: &[u32],
        u: &[u32],
        at: Range<usize>,
    ) -> Vec<u8> {
        let mut hash = out.key(s);
        let (columns, n, bits) = (&self.table.columns, self.table.entries, self.table.bits);
        let mut room = Pads::new(n);
        let mut pads = Zeroizing::new(vec![R::default(); n]);
        // The table turned by a secret amount, and scratch for turning it.
        let (mut turned, mut spare) =
            (Zeroizing::new(columns[0].clone()), Zeroizing::new(columns[0].clone()));
        let mut masked = Vec::with_capacity(at.len() * columns.len() * (n - 1));
        for (i, j) in at.enumerate() {
            if i > 0 && i.is_multiple_of(self.keyed()) {
                hash = out.key(s);
            }
            // The pads in the order in which they mask, `m_{i+u}`; u came over the wire: public.
            let (order, first) = match G::SHIFT {
                Shift::Cyclic => (0, u[j] as usize % n),
                Shift::Xor => (u[j], 0),
            };
            let (tail, head) = out.pads(&hash, j, order, &mut room).split_at(first);
            for (c, column) in columns.iter().enumerate() {
                slice(head, c as u32 * bits, &mut pads[..head.len()]);
                slice(tail, c as u32 * bits, &mut pads[head.len()..]);
                turned.copy_from_slice(column);
                match G::SHIFT {
                    Shift::Cyclic => words::rotate_left(&mut turned, &mut spare, x[j]),
                    Shift::Xor => words::permute_xor(&mut turned, &mut spare, x[j]),
                }
                let z = K::combine(turned[0].to_u64(), pads[0].to_u64());
                let entry = |(t, m): (&R, &R)| R::from_u64(K::strip(K::combine(t.to_u64(), m.to_u64()), z));
                masked.extend(turned[1..].iter().zip(&pads[1..]).map(entry));
                self.sent[c][j] = R::from_u64(low(z, bits));
            }
        }
        let mut message = Vec::with_capacity(packed_len(masked.len(), bits));
        pack(&masked, bits, &mut message);
        message
    }

    /// Step 3 at the receiver.
    pub(super) fn receive(
        &mut self,
        s: &mut Session,
        inc: &mut one_of_n::Receiver,
        x: &[u32],
        at: Range<usize>,
    ) -> Result<()> {
        let (columns, n, bits) = (self.table.width, self.table.entries, self.table.bits);
        let mut pads = Zeroizing::new(Vec::with_capacity(at.len()));
        for from in at.clone().step_by(self.keyed()) {
            let keys = inc.key(s);
            pads.extend_from_slice(&inc.pads(&keys, from..at.end.min(from + self.keyed())));
        }
        let mut v = vec![R::default(); at.len() * columns * (n - 1)];
        unpack(&s.recv(packed_len(v.len(), bits))?, bits, &mut v);
        for ((v, pad), j) in v.chunks_exact(columns * (n - 1)).zip(pads.iter()).zip(at) {
            for ((c, v), out) in v.chunks_exact(n - 1).enumerate().zip(&mut self.received) {
                // Entry 0 is zero and was not sent, which is what a selection outside gives.
                let entry = words::select(v, x[j].wrapping_sub(1));
                let pad = (pad.0 >> (c as u32 * bits)) as u64;
                out[j] = R::from_u64(low(K::strip(entry.to_u64(), pad), bits));
            }
        }
        Ok(())
    }
}

/// Words from a column's slice of the pads.
fn slice<R: Ring>(blocks: &[Block], from: u32, words: &mut [R]) {
    words.iter_mut().zip(blocks).for_each(|(word, block)| *word = R::from_u64((block.0 >> from) as u64));
}
