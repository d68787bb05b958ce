//! The hashing of correlated OTs as they come: the offline phase before its messages.

use std::ops::Range;

use prim::{block::Block, hash::CcrHash, pack::pack};
use zeroize::Zeroizing;

use super::digit::{Thermometer, complete, pad_bytes, sent_bits, turn};
use crate::{
    net::Role,
    session::{Purpose, Session},
};

/// OTs that are hashed at once.
const STEP: usize = 1 << 9;

/// Steps 1 and 2 up to the messages: each direction's correlated OTs are for one piece of a digit after another,
/// and in it for one bit after another.
pub(super) struct Making {
    send: Cursor,
    receive: Cursor,
    /// The sender's, for each of its pieces.
    pub(super) messages: Vec<Vec<u8>>,
    /// The payload of the bit under way.
    payload: Zeroizing<Vec<u64>>,
    /// The receiver's, for each of its pieces.
    pub(super) pads: Vec<Zeroizing<Vec<u8>>>,
    room: Zeroizing<[Vec<Block>; 2]>,
}

impl Making {
    /// For these pieces of digits as sender, and as receiver.
    pub(super) fn new(
        s: &mut Session,
        mine: Vec<(usize, Range<usize>)>,
        theirs: Vec<(usize, Range<usize>)>,
    ) -> Self {
        let role = s.role();
        let (send, receive) = (Cursor::new(s, role, mine), Cursor::new(s, role.peer(), theirs));
        let room = Zeroizing::new([(); 2].map(|()| vec![Block::ZERO; STEP]));
        Self { send, receive, messages: vec![], payload: Zeroizing::default(), pads: vec![], room }
    }

    /// Steps 1 and 2 as sender.
    pub(super) fn send(&mut self, digits: &mut [Thermometer], delta: Block, mut q: &[Block]) {
        while let Some(Part { piece, digit, items, bit, begins, ends }) = self.send.next(digits, q.len()) {
            let (now, rest) = q.split_at(items.len());
            q = rest;
            let (w, [x0, x1]) = (digits[digit].w, &mut *self.room);
            let (x0, x1) = (&mut x0[..now.len()], &mut x1[..now.len()]);
            self.send.keys[piece].xored(now, Block::ZERO, x0);
            self.send.keys[piece].xored(now, delta, x1);
            for ((v, x0), x1) in digits[digit].words[items].iter_mut().zip(x0).zip(x1) {
                self.payload.push(*v ^ turn(*v, w, bit, true) ^ (x0.0 ^ x1.0) as u64);
                *v ^= complete(x0.0 as u64, w, bit);
            }
            if begins {
                self.messages.push(Vec::new());
            }
            if ends {
                let message = self.messages.last_mut().expect("begun");
                pack(&self.payload, sent_bits(w, bit), message);
                self.payload.clear();
            }
        }
    }

    /// The receiver's choices and pads.
    pub(super) fn receive(&mut self, digits: &mut [Thermometer], mut t: &[Block]) {
        while let Some(Part { piece, digit, items, bit, begins, .. }) = self.receive.next(digits, t.len()) {
            let (now, rest) = t.split_at(items.len());
            t = rest;
            let digit = &mut digits[digit];
            let (room, bytes) = (&mut self.room[0][..now.len()], pad_bytes(digit.w));
            self.receive.keys[piece].xored(now, Block::ZERO, room);
            if begins {
                let all = self.receive.pieces[piece].1.len() * digit.w as usize * bytes;
                self.pads.push(Zeroizing::new(Vec::with_capacity(all)));
            }
            let pads = self.pads.last_mut().expect("begun");
            for ((s, t), x) in digit.offset[items].iter_mut().zip(now).zip(room) {
                *s |= u8::from(t.lsb()) << bit;
                pads.extend_from_slice(&x.0.to_le_bytes()[..bytes]);
            }
        }
    }
}

/// Where a direction stands.
struct Cursor {
    pieces: Vec<(usize, Range<usize>)>,
    /// One for each piece.
    keys: Vec<CcrHash>,
    /// Piece, bit and item in it that come next.
    piece: usize,
    bit: u32,
    item: usize,
}

/// Correlated OTs for one bit of some items of a digit.
struct Part {
    piece: usize,
    digit: usize,
    items: Range<usize>,
    bit: u32,
    /// Whether they are the first of a piece, and the last of its bit.
    begins: bool,
    ends: bool,
}

impl Cursor {
    fn new(s: &mut Session, owner: Role, pieces: Vec<(usize, Range<usize>)>) -> Self {
        let keys = pieces.iter().map(|_| s.hash(Purpose::OtPad, owner)).collect();
        Self { pieces, keys, piece: 0, bit: 0, item: 0 }
    }

    /// What the next correlated OTs are for, of which there are `left`.
    fn next(&mut self, digits: &[Thermometer], left: usize) -> Option<Part> {
        if left == 0 {
            return None;
        }
        let (digit, at) = self.pieces[self.piece].clone();
        let (piece, bit, from) = (self.piece, self.bit, self.item);
        let len = left.min(STEP).min(at.len() - from);
        self.item += len;
        let ends = self.item == at.len();
        if ends {
            (self.item, self.bit) = (0, bit + 1);
        }
        if self.bit == digits[digit].w {
            (self.bit, self.piece) = (0, piece + 1);
        }
        let items = at.start + from..at.start + from + len;
        Some(Part { piece, digit, items, bit, begins: bit == 0 && from == 0, ends })
    }
}
