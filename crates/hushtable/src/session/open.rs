//! Opening shares: the one door through which values become public.

use prim::{pack::packed_len, ring::Ring};

use super::Session;
use crate::{
    error::Result,
    net::Role,
    share::{Additive, Bitwise, Kind, Share, Sharing, combine, to_wire},
};

/// Bits in a message of an opening in pieces.
const PIECE_BITS: usize = 1 << 20;

impl Session {
    /// Opens a batch of shares to both parties: 1 round, `bits * len` bits each way. The one door
    /// through which values become public; every call says why they may.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn open<K: Kind, R: Ring>(&mut self, share: &Share<K, R>) -> Result<Vec<R>> {
        Ok(self.open_beside(std::slice::from_ref(share), Vec::new(), 0)?.0.remove(0))
    }

    /// [`open`](Self::open) of several batches in one message, which also carries `mine` and, from
    /// the peer, `theirs` bytes of what may cross the opening: 1 round.
    ///
    /// # Errors
    /// Those of the channel.
    #[doc(hidden)]
    pub fn open_beside<K: Kind, R: Ring>(
        &mut self,
        shares: &[Share<K, R>],
        mine: Vec<u8>,
        theirs: usize,
    ) -> Result<(Vec<Vec<R>>, Vec<u8>)> {
        let opening = shares.iter().map(Share::wire_len).sum();
        let mut message = Vec::with_capacity(opening + mine.len());
        shares.iter().for_each(|share| share.append_wire(&mut message));
        message.extend(mine);
        let mut peer = self.exchange(message, opening + theirs)?;
        let beside = peer.split_off(opening);
        let mut rest = &peer[..];
        let combine = |share: &Share<K, R>| {
            let (one, others) = rest.split_at(share.wire_len());
            rest = others;
            share.combine(one)
        };
        Ok((shares.iter().map(combine).collect::<Result<_>>()?, beside))
    }

    /// [`open`](Self::open) of shares that the caller keeps, as words of `bits` bits, and in pieces: `take` gets
    /// the values in order, at both parties or at the party `to` only. 1 round: pieces are made while others are
    /// under way.
    ///
    /// # Errors
    /// Those of the channel.
    ///
    /// # Panics
    /// Unless `1 <= bits <= R::WIDTH`: the width is the program's choice, never data.
    pub fn open_words<K: Kind, R: Ring>(
        &mut self,
        to: Option<Role>,
        bits: u32,
        words: &[R],
        mut take: impl FnMut(&[R]),
    ) -> Result<()> {
        let all: Vec<&[R]> = pieces(words, bits).collect();
        let len = |piece: &&[R]| packed_len(piece.len(), bits);
        let mut values = Vec::new();
        self.in_pieces(
            to,
            &all,
            len,
            |piece| to_wire(piece, bits),
            |piece, message| {
                combine::<K, R>(piece, message, bits, &mut values);
                take(&values);
            },
        )
    }

    /// [`open_words`](Self::open_words) of several columns in the same round: `take` gets the number of a column, and
    /// the next of its values.
    ///
    /// # Errors
    /// Those of the channel.
    ///
    /// # Panics
    /// Unless each width is 1 to 64.
    pub(crate) fn open_columns(
        &mut self,
        to: Option<Role>,
        columns: &[(Sharing, u32, &[u64])],
        mut take: impl FnMut(usize, &[u64]),
    ) -> Result<()> {
        let mut all: Vec<(usize, &[u64])> = Vec::new();
        for (i, &(_, bits, words)) in columns.iter().enumerate() {
            all.extend(pieces(words, bits).map(|piece| (i, piece)));
        }
        let len = |&(i, piece): &(usize, &[u64])| packed_len(piece.len(), columns[i].1);
        let mut values = Vec::new();
        self.in_pieces(
            to,
            &all,
            len,
            |&(i, piece)| to_wire(piece, columns[i].1),
            |&(i, piece), message| {
                let (sharing, bits, _) = columns[i];
                match sharing {
                    Sharing::Additive => combine::<Additive, u64>(piece, message, bits, &mut values),
                    Sharing::Xor => combine::<Bitwise, u64>(piece, message, bits, &mut values),
                }
                take(i, &values);
            },
        )
    }

    /// Sends each piece, and takes that of the peer, which has as many bytes.
    fn in_pieces<P>(
        &mut self,
        to: Option<Role>,
        all: &[P],
        len: impl Fn(&P) -> usize,
        encode: impl Fn(&P) -> Vec<u8>,
        mut combine: impl FnMut(&P, &[u8]),
    ) -> Result<()> {
        let (sends, takes) = (to != Some(self.role()), to.is_none_or(|to| to == self.role()));
        let (mut mine, mut theirs) = (all.iter().filter(|_| sends), all.iter().filter(|_| takes));
        let mut message = Vec::new();
        self.duplex(
            &mut (),
            |_, ()| Ok(mine.next().map(&encode)),
            |s, ()| {
                let Some(piece) = theirs.next() else { return Ok(false) };
                message.resize(len(piece), 0);
                s.connection().channel().recv_into(&mut message)?;
                combine(piece, &message);
                Ok(true)
            },
        )
    }

    /// Opens a batch of shares to one party, who gets the values; the other gets `None`.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn reveal<K: Kind, R: Ring>(&mut self, share: &Share<K, R>, to: Role) -> Result<Option<Vec<R>>> {
        if self.role() == to {
            let peer = self.recv(share.wire_len())?;
            share.combine(&peer).map(Some)
        } else {
            self.send(share.to_wire())?;
            Ok(None)
        }
    }

    /// Waits until the peer is at the same point: 1 round.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn barrier(&mut self) -> Result<()> {
        self.exchange(vec![0], 1).map(drop)
    }
}

/// Words in whole bytes of messages. One piece at least, in which the parties meet.
fn pieces<R>(words: &[R], bits: u32) -> impl Iterator<Item = &[R]> {
    let piece = PIECE_BITS / bits as usize / 8 * 8;
    (0..words.len().max(1)).step_by(piece).map(move |from| &words[from..words.len().min(from + piece)])
}
