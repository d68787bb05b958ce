//! `inference`: softmax and GELU of the shapes of GPT-2, whole transformer blocks, and texts that go on through them.

mod asked;
mod compared;
mod text;

use std::sync::{Arc, atomic::Ordering};

use hushtable::{Party, Role, bill::Effort, net, operation::Operation};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::progress::Progress;

use crate::{benchmark::Benchmark, inputs, lanes::Lanes, measured::Accuracy};

pub use asked::InferenceWork;
use asked::Shape;

/// Numbers that a party keeps material for at once, unless told otherwise.
const NUMBERS: usize = 3 << 16;

impl Benchmark for InferenceWork {
    fn items(&self) -> usize {
        let rows = match self.shape {
            Shape::Gpt2Softmax => 12 * 256,
            Shape::Gpt2Gelu => 256,
            _ => return self.layers as usize,
        };
        self.rows.map_or(rows, |rows| rows as usize)
    }

    fn unit(&self) -> &'static str {
        if self.is_block() { "block" } else { "row" }
    }

    /// Prints what linear layers take.
    fn prepare(&mut self, _: &net::LinkShape, _: usize) -> Result<()> {
        if self.is_block() {
            return text::check(self);
        }
        let [all, piece] = [self.items(), self.piece()].map(|rows| self.effort(rows));
        self.check_limits(&all?, piece?.memory)
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        let effort =
            if self.is_block() { text::effort(&text::asked(self, items)) } else { self.effort(items) };
        effort.map(|effort| effort.bill()).expect("checked before the processes started").cots_of(role)
    }

    fn set_up(&self, p: &mut Party, _: usize) -> hushtable::Result<()> {
        if self.is_block() { text::asked(self, 1).set_up(p, Role::P1) } else { Ok(()) }
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        if self.is_block() {
            return text::run(self, lanes);
        }
        let progress = Progress::shown("rows", self.items(), lanes.role() == Role::P1);
        let done = lanes.operate(
            self.piece(),
            |rows| Ok(self.function(rows.len())),
            |role, rows| Ok(vec![self.shared(role, rows.start, &self.numbers(rows))?]),
            |rows| _ = progress.done().fetch_add(rows, Ordering::Relaxed),
        )?;
        drop(progress);
        done.verify_accuracy(
            || done.words(),
            |from| {
                let mut accuracy = Accuracy::default();
                // Lanes with fewer rows than others end with none.
                for (rows, mine) in done.pieces().filter(|(rows, _)| !rows.is_empty()) {
                    compared::check(self, rows, mine, from, &mut accuracy)?;
                }
                Ok(Some(accuracy))
            },
        )
    }
}

impl InferenceWork {
    /// The function of so many rows.
    fn function(&self, rows: usize) -> Arc<dyn Operation> {
        match self.shape {
            Shape::Gpt2Gelu => Arc::new(self.gelu(rows)),
            _ => Arc::new(self.softmax(rows)),
        }
    }

    /// What it takes.
    fn effort(&self, rows: usize) -> Result<Effort> {
        // An item is a row of softmax, and a number of GELU.
        let items = if self.shape == Shape::Gpt2Gelu { rows * 3072 } else { rows };
        Ok(self.function(rows).effort(items, &inputs::usual_setting())?)
    }

    /// Refuses what sends or holds more than was allowed: `all` of it, with so much memory at a time.
    fn check_limits(&self, all: &Effort, memory: [u64; 2]) -> Result<()> {
        let bytes = (all.bill().bytes() + all.once().bill().bytes()) as u64;
        let memory = memory.into_iter().max().unwrap_or(0);
        let most = [
            ("bytes", bytes, "--max-bytes", self.max_bytes),
            ("bytes of memory at a party", memory, "--max-memory", self.max_memory),
        ];
        for (what, takes, option, most) in most {
            if takes > most {
                let [takes, most] = [takes, most].map(|bytes| bytes / 1_000_000);
                return Err(Failure::new(format!(
                    "about {takes} million {what}, above {option} {most} million"
                )));
            }
        }
        Ok(())
    }

    fn piece(&self) -> usize {
        let columns = if self.shape == Shape::Gpt2Gelu { 3072 } else { 256 };
        self.piece.map_or(NUMBERS / columns, |piece| piece as usize).min(self.items())
    }
}
