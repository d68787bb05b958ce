//! A circuit garbled before there are inputs.

use prim::{Wiped, block::Block, hash::CcrHash};
use zeroize::Zeroizing;

use super::{
    inputs::choose,
    job::{Cots, Job},
    stream::{Cut, Labels, Stream, keys, mask},
};
use crate::{
    bill::Bill,
    error::Result,
    gates::Bits,
    net::Role,
    party::Party,
    session::{Session, pieces},
};

/// Labels of a message.
const PIECE: usize = 1 << 13;

/// One-time material for an evaluation of a [`Job`]: correlated OTs, and the circuit, garbled.
///
/// As evaluator a party holds the tables, 32 bytes an AND.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Ahead {
    job: Job,
    cots: Cots,
    /// As garbler: the labels of zero of all inputs, and the shares of the outputs.
    zeros: Wiped<Block>,
    outputs: Vec<Bits>,
    /// As evaluator.
    tables: Vec<Block>,
    keys: Vec<CcrHash>,
}

impl Ahead {
    /// Offline: the correlated OTs, and the tables in 1 round.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(p: &mut Party, job: &Job) -> Result<Self> {
        let (send, receive) = job.bill_ahead().cots_of(p.role());
        let cots = p.cots(send, receive)?;
        let (role, peer, s) = (p.role(), p.role().peer(), p.session());
        let mut zeros = Wiped::zeros(job.program.inputs() * job.part(role).len());
        s.rng().blocks(&mut zeros);
        let (own_keys, keys) = (keys(s, job, role), keys(s, job, peer));
        let garbling = Stream::new(job, role, own_keys, all(job, &zeros), cots.0.delta());
        let mut messages = Cut::of(job, peer).messages();
        let mut state = (garbling, Vec::with_capacity(messages.clone().sum()));
        s.duplex(
            &mut state,
            |_, (garbling, _)| Ok(garbling.garble()),
            |s, (_, tables)| {
                let Some(blocks) = messages.next() else { return Ok(false) };
                let from = tables.len();
                tables.resize(from + blocks, Block::ZERO);
                s.recv_blocks(&mut tables[from..])?;
                Ok(true)
            },
        )?;
        let (outputs, tables) = (state.0.finish(), state.1);
        Ok(Self { job: job.clone(), cots, zeros, outputs, tables, keys })
    }

    /// What an evaluation costs.
    pub fn bill(job: &Job) -> Bill {
        job.bill_ahead()
    }

    /// Items there is material for.
    pub fn len(&self) -> usize {
        self.job.items
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.job.items == 0
    }

    /// Online, 2 rounds: as [`Garbled::eval`](super::Garbled::eval).
    ///
    /// # Errors
    /// As there.
    pub fn eval(mut self, s: &mut Session, inputs: Vec<Bits>) -> Result<Vec<Bits>> {
        let (job, role, peer) = (&self.job, s.role(), s.role().peer());
        job.check(&inputs)?;
        let flips = choose(s, job, &self.cots, &inputs)?;
        drop(inputs);
        let active = self.labels(s, &flips)?;
        let keys = std::mem::take(&mut self.keys);
        let mut evaluating = Stream::new(job, peer, keys, all(job, &active), Block::ZERO);
        let mut tables = &self.tables[..];
        while let Some(blocks) = evaluating.expects() {
            let (now, later) = tables.split_at(blocks);
            evaluating.evaluate(now);
            tables = later;
        }
        let outputs = std::mem::take(&mut self.outputs);
        Ok(job.joined(role, outputs, evaluating.finish()))
    }

    /// The labels of this party's inputs as evaluator, from its peer, which gets its own: 1 round, if there are any.
    fn labels(&self, s: &mut Session, flips: &[Bits]) -> Result<Wiped<Block>> {
        let count = |garbler| self.job.program.inputs() * self.job.part(garbler).len();
        let (mine, theirs) = (count(s.role()), count(s.role().peer()));
        let mut state = (pieces(mine, PIECE), pieces(theirs, PIECE), Wiped::zeros(theirs));
        let delta = Zeroizing::new(self.cots.0.delta());
        let (q, t) = (
            self.strings(s.role(), self.cots.0.strings()),
            self.strings(s.role().peer(), self.cots.1.strings()),
        );
        let items = self.job.part(s.role()).len();
        s.duplex(
            &mut state,
            |_, (mine, ..)| {
                let answer = |i: usize| self.zeros[i] ^ q(i) ^ (*delta & mask(&flips[i / items], i % items));
                Ok(mine.next().map(|at| bytemuck::cast_slice(&at.map(answer).collect::<Vec<_>>()).to_vec()))
            },
            |s, (_, theirs, active)| {
                let Some(at) = theirs.next() else { return Ok(false) };
                s.recv_blocks(&mut active[at.clone()])?;
                at.for_each(|i| active[i] ^= t(i));
                Ok(true)
            },
        )?;
        Ok(state.2)
    }

    /// The string of an input of an item, of all that a party garbles; zero without one.
    fn strings<'a>(&self, garbler: Role, strings: &'a [Block]) -> impl Fn(usize) -> Block + use<'a> {
        let (rows, items) = (self.job.rows(garbler), self.job.part(garbler).len());
        move |i| rows[i / items].map_or(Block::ZERO, |row| strings[row * items + i % items])
    }
}

/// These labels, row by row.
fn all<'a>(job: &Job, strings: &'a [Block]) -> Labels<'a> {
    Labels { strings, rows: (0..job.program.inputs()).map(Some).collect(), flips: Vec::new() }
}
