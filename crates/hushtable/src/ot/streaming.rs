//! Correlated OTs handed out as they are made, so that no more than a message's worth is in memory.

use prim::block::Block;

use super::source::Ot;
use crate::{error::Result, session::Session};

/// [`Ot::stream`] under way.
struct Stream<'a, C, F, G> {
    ot: &'a mut Ot,
    /// What is left of each direction.
    send: usize,
    recv: usize,
    state: &'a mut C,
    as_sender: F,
    as_receiver: G,
}

impl Ot {
    /// The next `send` correlated OTs as sender and `recv` as receiver, as they are made: gives `state` the
    /// strings of each direction in order, some at a time, in multiples of 64 but the last. 1 round, beside
    /// that of starting an extension.
    ///
    /// # Errors
    /// Those of the channel.
    pub(crate) fn stream<C>(
        &mut self,
        s: &mut Session,
        (send, recv): (usize, usize),
        state: &mut C,
        as_sender: impl FnMut(&mut C, Block, &[Block]),
        as_receiver: impl FnMut(&mut C, &[Block]),
    ) -> Result<()> {
        self.prepare(s, send, recv)?;
        let mut run = Stream { ot: self, send, recv, state, as_sender, as_receiver };
        run.hand_over();
        s.duplex(
            &mut run,
            |s, run| {
                let Ot { outgoing, incoming, .. } = &mut *run.ot;
                let message = outgoing.produce(s, run.send).or_else(|| incoming.produce(run.recv));
                run.hand_over();
                Ok(message)
            },
            |s, run| {
                let Ot { outgoing, incoming, .. } = &mut *run.ot;
                let more = incoming.consume(s, run.recv)? || outgoing.consume(s, run.send)?;
                run.hand_over();
                Ok(more)
            },
        )
    }
}

impl<C, F: FnMut(&mut C, Block, &[Block]), G: FnMut(&mut C, &[Block])> Stream<'_, C, F, G> {
    /// Hands over what is in stock.
    fn hand_over(&mut self) {
        let Self { ot, send, recv, state, as_sender, as_receiver } = self;
        let delta = ot.outgoing.delta;
        ot.outgoing.stock.hand_over(send, |q| as_sender(state, delta, q));
        ot.incoming.stock.hand_over(recv, |t| as_receiver(state, t));
    }
}
