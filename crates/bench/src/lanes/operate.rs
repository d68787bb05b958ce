//! Operations, evaluated as the library runs them for all programs.

use std::{
    mem::take,
    ops::Range,
    sync::{Arc, Mutex},
};

use hushtable::{
    Error, Party, Role,
    operation::{Operation, Words},
    run::{self, Phase, Ready, Step, Watch},
    store::Reserved,
};
use hushtable_columns::failure::Result;

use super::{Finished, Lanes};

/// Shares of results, with the numbers of their items.
type Pieces = Vec<(Range<usize>, Words)>;

/// What a lane does in its turn.
struct Task<'a> {
    rows: Range<usize>,
    operation: Arc<dyn Operation>,
    given: Vec<Vec<u64>>,
    reserved: Option<&'a mut Reserved>,
    steps: Steps,
}

impl Lanes {
    /// An operation in every lane: what is prepared, then a barrier, then what needs the inputs; in pieces of at most
    /// `piece` items one after the other, so that memory stays small. `operation` and `inputs` get the numbers of a
    /// piece's items, `done` how many these were.
    pub fn operate(
        mut self,
        piece: usize,
        operation: impl Fn(Range<usize>) -> Result<Arc<dyn Operation>>,
        inputs: impl Fn(Role, Range<usize>) -> Result<Vec<Vec<u64>>>,
        done: impl Fn(usize),
    ) -> Result<Finished<Pieces>> {
        self.barrier()?;
        let (role, mut left) = (self.role, self.rows());
        let mut reserved = take(&mut self.reserved);
        let mut results: Vec<Pieces> = left.iter().map(|_| Vec::new()).collect();
        let (mut offline, mut online) = (Phase::default(), Phase::default());
        while left.iter().any(|rows| !rows.is_empty()) {
            let mut stores = reserved.iter_mut();
            let task = |left: &mut Range<usize>| {
                let rows = left.start..left.end.min(left.start + piece);
                left.start = rows.end;
                let (operation, given) = (operation(rows.clone())?, inputs(role, rows.clone())?);
                Ok(Task { rows, operation, given, reserved: stores.next(), steps: Steps::default() })
            };
            let mut tasks: Vec<Task> = left.iter_mut().map(task).collect::<Result<_>>()?;
            let ready = self.in_lanes(tasks.iter_mut().collect(), |p, task: &mut Task| task.prepare(p))?;
            self.barrier()?;
            let lanes = tasks.iter().zip(ready);
            let words = self.in_lanes(lanes.collect(), |p, (task, ready)| task.eval(p, ready))?;
            let phases = tasks.iter().map(|task| task.steps.phases());
            let [before, during] =
                phases.reduce(|all, lane| [0, 1].map(|i| all[i].beside(lane[i]))).unwrap_or_default();
            (offline, online) = (offline.then(before), online.then(during));
            for ((task, words), all) in tasks.into_iter().zip(words).zip(&mut results) {
                done(task.rows.len());
                all.push((task.rows, words));
            }
        }
        self.finish(results, offline, online)
    }
}

impl Task<'_> {
    /// All of it at once: `run` would cut it. A store gives as many pieces as it has files with some of it.
    fn prepare(&mut self, p: &mut Party) -> std::result::Result<Ready, Error> {
        let (mut ready, operation) = (Ready::default(), self.operation.as_ref());
        // A row may have many numbers, and a number of the work many items.
        let mut left = operation.signature().items(p.role(), &self.given())?;
        while left > 0 {
            let (material, took) = match &mut self.reserved {
                Some(reserved) => Phase::of(p, |_| reserved.load(operation, left))?,
                None => run::make(operation, p, left)?,
            };
            self.steps.took(Step::Offline, took);
            left -= material.items();
            ready.made.push_back(material);
        }
        Ok(ready)
    }

    fn eval(&self, p: &mut Party, ready: Ready) -> std::result::Result<Words, Error> {
        // One column behind the other.
        let columns = run::shares(self.operation.as_ref(), p, ready, &self.given(), &self.steps)?;
        let all = columns.into_iter().reduce(|mut all, column| {
            all.extend_from_slice(&column);
            all
        });
        Ok(all.unwrap_or_default())
    }

    fn given(&self) -> Vec<&[u64]> {
        self.given.iter().map(Vec::as_slice).collect()
    }
}

/// What a lane's steps took, offline and online.
#[derive(Default)]
struct Steps(Mutex<[Phase; 2]>);

impl Steps {
    fn phases(&self) -> [Phase; 2] {
        *self.0.lock().expect("no panic with the lock")
    }
}

impl Watch for Steps {
    fn took(&self, step: Step, phase: Phase) {
        let mut steps = self.0.lock().expect("no panic with the lock");
        let at = usize::from(step == Step::Online);
        steps[at] = steps[at].then(phase);
    }
}

impl Finished<Pieces> {
    /// This party's shares of all results.
    pub fn words(&self) -> impl Iterator<Item = u64> {
        self.pieces().flat_map(|(_, words)| words.iter().copied())
    }

    /// The same piece by piece, with the numbers of their items.
    pub fn pieces(&self) -> impl Iterator<Item = (Range<usize>, &[u64])> {
        self.results.iter().flatten().map(|(rows, words)| (rows.clone(), words.as_slice()))
    }
}
