//! A circuit garbled online.

use prim::block::Block;

use super::{
    inputs::choose,
    job::{Cots, Job},
    stream::{Labels, Stream, keys},
};
use crate::{bill::Bill, error::Result, gates::Bits, session::Session, source::Source};

/// One-time material for an evaluation of a [`Job`]: correlated OTs.
///
/// ```compile_fail,E0382
/// # use hushtable::{Party, Result, gates::Bits, gc::Garbled};
/// fn twice(p: &mut Party, g: Garbled, x: Vec<Bits>) -> Result<()> {
///     g.eval(p, x.clone())?;
///     g.eval(p, x)?; // use of moved value: `g`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Garbled {
    job: Job,
    cots: Cots,
}

impl Garbled {
    /// Offline: the correlated OTs.
    ///
    /// # Errors
    /// Those of the channel, or of a store.
    pub fn prepare(from: &mut dyn Source, job: &Job) -> Result<Self> {
        let (job, cots) = job.cots(from)?;
        Ok(Self { job, cots })
    }

    /// What an evaluation costs.
    pub fn bill(job: &Job) -> Bill {
        job.bill()
    }

    /// Items there is material for.
    pub fn len(&self) -> usize {
        self.job.items
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.job.items == 0
    }

    /// Online, 2 rounds: shares of the outputs, from those of the inputs. Of an input that the peer knows only the length
    /// counts. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there are as many inputs as the program has, each as long as the
    /// batch; and those of the channel.
    pub fn eval(self, s: &mut Session, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
        let (job, role, peer) = (&self.job, s.role(), s.role().peer());
        job.check(&inputs)?;
        let flips = choose(s, job, &self.cots, &inputs)?;
        drop(inputs);
        let zeros = Labels { strings: self.cots.0.strings(), rows: job.rows(role), flips };
        let active = Labels { strings: self.cots.1.strings(), rows: job.rows(peer), flips: Vec::new() };
        let garbling = Stream::new(job, role, keys(s, job, role), zeros, self.cots.0.delta());
        let evaluating = Stream::new(job, peer, keys(s, job, peer), active, Block::ZERO);
        let mut state = (garbling, evaluating, Vec::new());
        s.duplex(
            &mut state,
            |_, (garbling, ..)| Ok(garbling.garble()),
            |s, (_, evaluating, tables)| {
                let Some(blocks) = evaluating.expects() else { return Ok(false) };
                tables.resize(blocks, Block::ZERO);
                s.recv_blocks(tables)?;
                evaluating.evaluate(tables);
                Ok(true)
            },
        )?;
        Ok(job.joined(role, state.0.finish(), state.1.finish()))
    }
}
