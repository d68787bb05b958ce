//! What a choice looks at of each way of doing something.

use super::{Bill, Once, Step, Work};

/// What a batch takes by one way: its bill, the local work, and the room that it needs.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    pub(crate) bill: Bill,
    /// The order of the offline phase.
    pub(crate) steps: Vec<Step>,
    /// Local work offline and online.
    pub(crate) work: [Work; 2],
    /// Whether the work was counted. What a bill implies is less exact.
    pub(crate) counted: bool,
    /// What is sent once for many batches, and the work before that.
    pub(crate) once: (Once, Work),
    /// Bytes of memory at P0 and at P1, about: `tests/allocation` has the bounds of what batches take.
    pub memory: [u64; 2],
    /// Bytes that a party keeps on its disk between batches.
    pub disk: u64,
}

/// Bytes of a correlated OT.
const COT: u64 = 16;

impl Effort {
    /// What the bill of a batch implies.
    pub fn implied(bill: Bill) -> Self {
        let sent = bill.offline.all_bits().max(bill.online.all_bits());
        let memory = COT.saturating_mul(bill.all_cots()).saturating_add(bill.kept.saturating_add(sent) / 8);
        Self {
            bill,
            steps: Step::of(&bill),
            work: Work::of_batch(&bill),
            counted: false,
            once: (Once::default(), Work::default()),
            memory: [memory; 2],
            disk: 0,
        }
    }

    /// Of nothing.
    pub fn none() -> Self {
        Self { steps: Vec::new(), counted: true, ..Self::implied(Bill::FREE) }
    }

    /// Without room for the correlated OTs of the whole batch: of what makes them as it needs them.
    #[must_use]
    pub fn without_stock(self) -> Self {
        let cots = COT.saturating_mul(self.bill.all_cots());
        Self { memory: self.memory.map(|memory| memory.saturating_sub(cots)), ..self }
    }

    /// With the local work of the batch as it was counted, offline and online.
    pub(crate) fn working(self, work: [Work; 2]) -> Self {
        Self { work, counted: true, ..self }
    }

    /// With what is sent once, after so much work.
    pub(crate) fn after(self, once: Once, work: Work) -> Self {
        Self { once: (once, work), ..self }
    }

    /// With so many bytes of memory at P0 and at P1.
    #[must_use]
    pub fn remembering(self, memory: [u64; 2]) -> Self {
        Self { memory, ..self }
    }

    /// Of this and of what follows it in the same batch: what both need once is sent once.
    #[must_use]
    pub fn then(mut self, next: Self) -> Self {
        self.steps.extend(next.steps);
        Self {
            bill: self.bill + next.bill,
            steps: self.steps,
            work: [0, 1].map(|phase| self.work[phase] + next.work[phase]),
            counted: self.counted && next.counted,
            once: (self.once.0.and(next.once.0), self.once.1 + next.once.1),
            memory: [0, 1].map(|party| self.memory[party].saturating_add(next.memory[party])),
            disk: self.disk.saturating_add(next.disk),
        }
    }

    /// The bill.
    pub fn bill(&self) -> Bill {
        self.bill
    }

    /// What is sent once, before the first batch.
    pub fn once(&self) -> &Once {
        &self.once.0
    }
}
