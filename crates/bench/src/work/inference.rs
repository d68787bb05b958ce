//! `inference`: softmax and GELU of the shapes of GPT-2, whole transformer blocks, and texts that go on through them.

mod asked;
mod compared;
mod generation;

use std::{
    ops::Range,
    sync::{Arc, atomic::Ordering},
};

use apps::inference::{BlockJob, BlockShape, Weights};
use hushtable::{Party, Role, net, operation::Operation};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::progress::Progress;

use crate::{benchmark::Benchmark, lanes::Lanes, measured::Accuracy};

pub use asked::InferenceWork;
use asked::Shape;

/// Numbers that a party keeps material for at once, unless told otherwise.
const NUMBERS: usize = 3 << 16;

/// Bytes of memory that a number takes at a party, about.
const BYTES_A_NUMBER: u64 = 2200;

impl Benchmark for InferenceWork {
    fn items(&self) -> usize {
        let rows = match self.shape {
            Shape::Gpt2Softmax => 12 * 256,
            Shape::Gpt2Gelu => 256,
            _ if self.generate.is_some() => return 1,
            _ => return self.layers as usize,
        };
        self.rows.map_or(rows, |rows| rows as usize)
    }

    fn unit(&self) -> &'static str {
        match self.generate {
            Some(_) => "text",
            None if self.is_block() => "block",
            None => "row",
        }
    }

    /// Prints what linear layers take.
    fn prepare(&mut self, _: &net::LinkShape, _: usize) -> Result<()> {
        if let Some(further) = self.generate {
            return generation::check(self, further);
        }
        let numbers = match self.shape {
            Shape::Gpt2Softmax => self.softmax(1).check().map(|()| self.piece() * 256)?,
            Shape::Gpt2Gelu => self.gelu(1).check().map(|()| self.piece() * 3072)?,
            _ => self.check_block()?,
        };
        let memory = numbers as u64 * BYTES_A_NUMBER + (64 << 20);
        if memory > self.max_memory {
            return Err(Failure::new(format!(
                "about {} MB of memory at each party, above --max-memory {} MB: take fewer rows at once (--piece)",
                memory / 1_000_000,
                self.max_memory / 1_000_000
            )));
        }
        Ok(())
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        let bill = match (self.shape, self.generate) {
            (Shape::Gpt2Softmax, _) => self.softmax(items).bill(),
            (Shape::Gpt2Gelu, _) => self.gelu(items).bill(),
            (_, Some(further)) => generation::asked(self, further).bill(Role::P1),
            _ => self.block().bill(Role::P1).map(|bill| bill.times(items)),
        };
        bill.expect("checked before the processes started").cots_of(role)
    }

    fn set_up(&self, p: &mut Party, _: usize) -> hushtable::Result<()> {
        match self.generate {
            Some(further) => generation::asked(self, further).set_up(p, Role::P1),
            None if self.is_block() => self.block().set_up(p, 1, Role::P1),
            None => Ok(()),
        }
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        if let Some(further) = self.generate {
            return generation::run(self, further, lanes);
        }
        let (role, block) = (lanes.role(), self.block_job(lanes.role()));
        let progress = Progress::start("rows", self.items(), role == Role::P0);
        let operation = |rows: Range<usize>| -> Result<Arc<dyn Operation>> {
            Ok(match self.shape {
                Shape::Gpt2Softmax => Arc::new(self.softmax(rows.len())),
                Shape::Gpt2Gelu => Arc::new(self.gelu(rows.len())),
                _ => Arc::new(block.clone()),
            })
        };
        let done = lanes.operate(
            self.piece(),
            operation,
            |role, rows| Ok(vec![self.shared(role, rows.start, &self.numbers(rows))?]),
            |rows| _ = progress.done().fetch_add(rows, Ordering::Relaxed),
        )?;
        drop(progress);
        done.verify_accuracy(
            || done.words(),
            |from| {
                let mut accuracy = Accuracy::default();
                // Lanes with fewer blocks than others end with none.
                for (rows, mine) in done.pieces().filter(|(rows, _)| !rows.is_empty()) {
                    compared::check(self, rows, mine, from, &mut accuracy)?;
                }
                Ok(Some(accuracy))
            },
        )
    }
}

impl InferenceWork {
    /// Numbers that matter to memory, for a block within the bounds; and how its bytes grow.
    fn check_block(&self) -> Result<usize> {
        let shape = self.block();
        shape.check()?;
        let bytes = |width: usize| -> Result<u64> {
            let bill = BlockShape { width, hidden: 4 * width, ..shape }.linear_bill(Role::P1)?;
            Ok((bill.offline.all_bits() + bill.online.all_bits()) / 8)
        };
        for width in [1, 2, 4, 8].map(|times| times * shape.width) {
            eprintln!("linear layers at width {width}: {:.1} MB", bytes(width)? as f64 / 1e6);
        }
        if bytes(shape.width)? > self.max_bytes {
            return Err(Failure::new(format!(
                "the linear layers of width {} take {} MB, above --max-bytes {} MB",
                shape.width,
                bytes(shape.width)? / 1_000_000,
                self.max_bytes / 1_000_000
            )));
        }
        // Two words of a weight, while it is multiplied.
        let weights = 12 * shape.width * shape.width * 16 / BYTES_A_NUMBER as usize;
        Ok((shape.heads * shape.sequence * shape.sequence).max(shape.sequence * shape.hidden) + weights)
    }

    fn piece(&self) -> usize {
        if self.is_block() {
            return 1;
        }
        let columns = if self.shape == Shape::Gpt2Gelu { 3072 } else { 256 };
        self.piece.map_or(NUMBERS / columns, |piece| piece as usize).min(self.items())
    }

    /// With weights at P1.
    fn block_job(&self, role: Role) -> BlockJob {
        let shape = self.block();
        let weights = (role == Role::P1 && self.is_block()).then(|| Weights::random(&shape, 1));
        BlockJob { shape, owner: Role::P1, weights: weights.map(Arc::new) }
    }
}
