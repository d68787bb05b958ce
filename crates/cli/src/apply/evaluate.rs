//! Functions of numbers of any size, evaluated as the library's cards say.

use std::{ops::Range, sync::atomic::AtomicUsize};

use hushtable::{
    AShare, Error, Party, Role,
    arith::{Fixed, Objective},
    math::{Bounds, Card, Evaluation, Function, Method, Options, Outside},
};

use super::{
    input::Format,
    lanes::{Done, Reveal, in_batches},
};
use crate::{cost::Phase, failure::Result};

/// The narrowest ring that is tried unless one is asked for.
const NARROW: u32 = 32;
const WIDE: u32 = 64;

/// Bits of one-hot vectors in memory at a time.
const MATERIAL_BITS: usize = 1 << 28;

/// What is asked of the function, besides its name.
#[derive(Clone, Copy, Debug)]
pub struct Wanted {
    /// Width of the ring.
    pub bits: Option<u32>,
    pub fraction_bits: u32,
    pub output_fraction_bits: u32,
    pub domain: Option<Bounds>,
    pub method: Method,
    pub outside: Outside,
    pub objective: Objective,
}

/// A function and how it is evaluated. Public, the same at both parties.
pub struct Evaluating {
    evaluation: Evaluation,
    card: Card,
    range: [i64; 2],
}

impl Evaluating {
    /// In a ring as asked for, else in the narrower one if it serves.
    pub fn new(function: Function, wanted: Wanted) -> Result<Self> {
        let Wanted { bits, fraction_bits, output_fraction_bits, domain, method, outside, objective } = wanted;
        let fraction_out = Some(output_fraction_bits);
        let options = Options { domain, method, outside, fraction_out, objective, ..Options::default() };
        let of = |bits| Evaluation::new(function, bits, fraction_bits, &options);
        let evaluation = match bits {
            Some(bits) => of(bits)?,
            None => of(NARROW).or_else(|_| of(WIDE))?,
        };
        let card = evaluation.card();
        let range = evaluation.range(card.reach);
        Ok(Self { evaluation, card, range })
    }

    /// What is known of it.
    pub fn card(&self) -> &Card {
        &self.card
    }

    /// How the numbers are held.
    pub fn format(&self) -> Format {
        Format { bits: self.card.ring, fraction_bits: self.card.scale }
    }

    /// How the results are held, and their range.
    pub fn result(&self) -> (Format, [i64; 2]) {
        (Format { bits: self.card.ring, fraction_bits: self.card.scale_out }, self.range)
    }

    /// The least and the greatest number that is treated as the card says, times `2^fraction_bits`.
    pub fn reach(&self) -> [i64; 2] {
        let scale = 2f64.powi(self.card.scale as i32);
        [(self.card.reach.lo * scale) as i64, ((self.card.reach.hi * scale) as i128 - 1) as i64]
    }

    /// How it is done, for reports.
    pub fn protocol(&self) -> String {
        self.card.method.to_string()
    }

    /// What the parties compare.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("function", self.card.function.clone()),
            ("bits", self.card.ring.to_string()),
            ("fraction bits", self.card.scale.to_string()),
            ("domain", self.card.domain.to_string()),
            ("output fraction bits", self.card.scale_out.to_string()),
            ("method", self.card.method.to_string()),
            ("outside the domain", self.card.outside.to_string()),
            ("digest of the function", self.evaluation.digest().to_hex().to_string()),
        ]
    }

    /// Correlated OTs, as sender and as receiver, that `rows` values take at the party `role`.
    pub fn cots(&self, role: Role, rows: usize) -> std::result::Result<(usize, usize), Error> {
        self.evaluation.cots(role, rows)
    }

    /// The results at a lane's numbers, of which `x` has this party's part. `progress` counts the rows.
    pub fn lane(
        &self,
        p: &mut Party,
        x: &[u64],
        reveal: Reveal,
        progress: &AtomicUsize,
    ) -> std::result::Result<Done, Error> {
        let batch = (MATERIAL_BITS / self.card.entries.max(1)).clamp(1 << 8, 1 << 16);
        in_batches(x.len(), batch, progress, |at| self.batch(p, x, at, reveal))
    }

    fn batch(
        &self,
        p: &mut Party,
        x: &[u64],
        at: Range<usize>,
        reveal: Reveal,
    ) -> std::result::Result<Done, Error> {
        let (material, offline) = Phase::of(p, |p| {
            let (send, recv) = self.evaluation.cots(p.role(), at.len())?;
            p.stock_cots(send, recv)?;
            self.evaluation.prepare(p, at.len())
        })?;
        let x = Fixed::new(AShare::<u64>::new(self.card.ring, x[at].to_vec()), self.card.scale)?;
        let (outcome, online) = Phase::of(p, |p| {
            let y = material.eval(p, &x)?;
            reveal.numbers(p, y.share())
        })?;
        Ok(Done { outcome, offline, online })
    }
}
