//! What is garbled by whom.

use std::{ops::Range, sync::Arc};

use super::program::{COPIES, Program};
use crate::{
    bill::{Bill, Effort, Phase, Work},
    error::{Result, same},
    gates::{Bits, Halved},
    net::Role,
    ot::{CotReceiver, CotSender},
    session::{by_role, halves},
    source::Source,
};

/// Which party garbles. The other one evaluates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Garbler {
    /// P0 the first half of the items, P1 the second one: both work, and both directions of the link are used.
    Both,
    /// One of them all.
    One(Role),
}

/// Both directions of a job's correlated OTs: of those items that this party garbles it is the sender.
pub(super) type Cots = (CotSender, CotReceiver);

/// A program for a batch of items, and who knows its inputs. Public, and the same at both parties.
#[derive(Clone)]
pub struct Job {
    pub(super) program: Arc<Program>,
    /// Of each input who knows it; of others both have shares.
    known: Vec<Option<Role>>,
    pub(super) items: usize,
    garbler: Garbler,
    /// Items that P0 garbles, the first ones.
    first: usize,
}

impl Job {
    /// The program for so many items. `known` says of each input which party knows it; of the others both have shares.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless `known` is as long as the program has inputs.
    pub fn new(
        program: &Arc<Program>,
        known: Vec<Option<Role>>,
        items: usize,
        garbler: Garbler,
    ) -> Result<Self> {
        same("inputs of the circuit", program.inputs(), known.len())?;
        let first = match garbler {
            Garbler::Both => halves(Role::P0, items).0,
            Garbler::One(Role::P0) => items,
            Garbler::One(Role::P1) => 0,
        };
        Ok(Self { program: program.clone(), known, items, garbler, first })
    }

    /// The items that a party garbles.
    pub(super) fn part(&self, garbler: Role) -> Range<usize> {
        match garbler {
            Role::P0 => 0..self.first,
            Role::P1 => self.first..self.items,
        }
    }

    /// Correlated OTs from the peer or a store, and the job with as many items for each garbler as these are for.
    pub(super) fn cots(&self, from: &mut dyn Source) -> Result<(Self, Cots)> {
        let each = |role| {
            let garbler = if let Garbler::One(garbler) = self.garbler { garbler } else { role };
            let mut each = [0; 2];
            each[garbler as usize] = self.rows(garbler).into_iter().flatten().count();
            each
        };
        let made = Halved::prepare(from, [Role::P0, Role::P1].map(each), self.items)?;
        let first = if self.garbler == Garbler::Both { made.first() } else { self.first };
        Ok((Self { first, ..self.clone() }, made.into_cots()))
    }

    /// Whether an input has a correlated OT for each item, where this party garbles: unless it knows the input itself.
    pub(super) fn is_transferred(&self, input: usize, garbler: Role) -> bool {
        self.known[input] != Some(garbler)
    }

    /// Where the strings of each input stand among those of the inputs that are transferred.
    pub(super) fn rows(&self, garbler: Role) -> Vec<Option<usize>> {
        let mut next = 0..;
        let row = |input| if self.is_transferred(input, garbler) { next.next() } else { None };
        (0..self.known.len()).map(row).collect()
    }

    /// What a party adds to an input: its share of some items, or its bits; nothing to what the peer knows.
    pub(super) fn share(&self, role: Role, inputs: &[Bits], input: usize, at: Range<usize>) -> Bits {
        match self.known[input] == Some(role.peer()) {
            true => Bits::zeros(at.len()),
            false => inputs[input].range(at),
        }
    }

    /// That there are as many inputs as the program has, each as long as the batch.
    pub(super) fn check(&self, inputs: &[Bits]) -> Result<()> {
        same("inputs of the circuit", self.known.len(), inputs.len())?;
        inputs.iter().try_for_each(|input| same("bits of an input of the circuit", self.items, input.len()))
    }

    /// Outputs of all items: of those that this party garbles, and of its peer's.
    pub(super) fn joined(&self, role: Role, mine: Vec<Bits>, theirs: Vec<Bits>) -> Vec<Bits> {
        let (p0, p1) = by_role(role, mine, theirs);
        p0.iter().zip(&p1).map(|both| Bits::concat([both.0, both.1].into_iter())).collect()
    }

    /// By garbler: bits that are transferred, all bits of inputs, bits of tables.
    fn counts(&self) -> [[u64; 3]; 2] {
        [Role::P0, Role::P1].map(|garbler| {
            let items = self.part(garbler).len();
            let transferred = self.rows(garbler).into_iter().flatten().count();
            [transferred, self.known.len(), 256 * self.program.ands()].map(|each| (each * items) as u64)
        })
    }

    /// Garbled online: [`Garbled`](super::Garbled).
    pub(super) fn bill(&self) -> Bill {
        let [[p0, _, tables_p0], [p1, _, tables_p1]] = self.counts();
        let rounds = u32::from(p0 + p1 > 0) + u32::from(tables_p0 + tables_p1 > 0);
        let online = Phase { bits: [tables_p0 + p1, tables_p1 + p0], rounds };
        Bill { cots: [p0, p1], online, kept: 128 * (p0 + p1), ..Bill::FREE }
    }

    /// What it takes, garbled online or ahead.
    pub(crate) fn effort(&self, ahead: bool) -> Effort {
        let bill = if ahead { self.bill_ahead() } else { self.bill() };
        let gates = self.program.work() * self.items as f64;
        let inputs = Work::cots(bill.all_cots());
        let parts = gates * (1.0 / 3.0);
        let work = if ahead { [gates + inputs, parts] } else { [inputs, gates] };
        let places = (2 * 16 * COPIES * self.program.places) as u64;
        let kept = if ahead { bill.kept / 8 } else { 0 };
        let memory = places.saturating_add(16 * bill.all_cots()).saturating_add(kept);
        Effort::implied(bill).working(work).remembering([memory; 2])
    }

    /// Garbled ahead: [`Ahead`](super::Ahead).
    pub(super) fn bill_ahead(&self) -> Bill {
        let [[p0, inputs_p0, tables_p0], [p1, inputs_p1, tables_p1]] = self.counts();
        let phase = |bits, rounds: [bool; 2]| Phase { bits, rounds: rounds.map(u32::from).iter().sum() };
        let offline = phase([tables_p0, tables_p1], [tables_p0 + tables_p1 > 0, false]);
        let bits = [128 * inputs_p0 + p1, 128 * inputs_p1 + p0];
        let online = phase(bits, [p0 + p1 > 0, inputs_p0 + inputs_p1 > 0]);
        let outputs = |garbler| (self.program.outputs() * self.part(garbler).len()) as u64;
        let kept = [
            128 * (p0 + inputs_p0) + outputs(Role::P0) + 128 * p1 + tables_p1,
            128 * (p1 + inputs_p1) + outputs(Role::P1) + 128 * p0 + tables_p0,
        ];
        Bill { cots: [p0, p1], offline, online, kept: kept[0].max(kept[1]) }
    }
}
