//! Opening shares: the one door through which values become public.

use prim::{pack::packed_len, ring::Ring};

use super::Session;
use crate::{
    error::Result,
    net::Role,
    share::{Kind, Share, combine, to_wire},
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
        let (sends, takes) = (to != Some(self.role()), to.is_none_or(|to| to == self.role()));
        // Whole bytes. One message at least, in which the parties meet.
        let piece = PIECE_BITS / bits as usize / 8 * 8;
        let starts = || (0..words.len().max(1)).step_by(piece);
        let pieces = || starts().map(|from| &words[from..words.len().min(from + piece)]);
        let (mut mine, mut theirs) = (pieces().filter(|_| sends), pieces().filter(|_| takes));
        let (mut message, mut values) = (Vec::new(), Vec::new());
        self.duplex(
            &mut (),
            |_, ()| Ok(mine.next().map(|words| to_wire(words, bits))),
            |s, ()| {
                let Some(words) = theirs.next() else { return Ok(false) };
                message.resize(packed_len(words.len(), bits), 0);
                s.connection().channel().recv_into(&mut message)?;
                combine::<K, R>(words, &message, bits, &mut values);
                take(&values);
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
