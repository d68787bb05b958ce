//! The shape of a block.

use hushtable::{
    Error, Result, Role,
    arith::{MatrixShape, Objective},
    math::{GeluJob, NormJob, Precision, SoftmaxJob},
    terms::Value,
};

/// Bits of a weight beside those behind the point: weights are less than 4.
const WEIGHT_BITS: u32 = 3;

/// Where a block's layer norms are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Norms {
    /// Before the attention and before the two layers, as in GPT-2.
    First,
    /// Behind the sums with what these are made of, as in BERT.
    Last,
}

/// How far below every score that of a vector lies that must not be seen: `e^-64` is nothing.
const UNSEEN: f64 = 64.0;

/// What the parties agree on. Public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BlockShape {
    /// Vectors, one for each word of the text.
    pub sequence: usize,
    /// Vectors before those, whose keys and values are [kept](super::Cache).
    pub before: usize,
    /// Numbers in a vector.
    pub width: usize,
    /// Heads of the attention, which share the width.
    pub heads: usize,
    /// Numbers between both layers behind the attention.
    pub hidden: usize,
    /// Whether a vector sees only those before it.
    pub causal: bool,
    /// Where the layer norms are.
    pub norms: Norms,
    /// Width of a number in the ring.
    pub bits: u32,
    /// Bits behind the point.
    pub scale: u32,
    /// The greatest number, without its sign, that is met anywhere.
    pub largest: f64,
    /// How accurate softmax and GELU are.
    pub precision: Precision,
    /// What comparisons and tiles of lattices are to have least of, and which form of GELU is taken.
    pub objective: Objective,
}

impl BlockShape {
    /// The shape with 4 numbers between both layers for each of a vector, in the ring of the draft's
    /// measurements: 37 bits, of which 12 are behind the point.
    pub fn new(sequence: usize, width: usize, heads: usize) -> Self {
        Self {
            sequence,
            before: 0,
            width,
            heads,
            hidden: 4 * width,
            causal: true,
            norms: Norms::First,
            bits: 37,
            scale: 12,
            largest: 128.0,
            precision: Precision::Fine,
            objective: Objective::Total,
        }
    }

    /// `Ok(())` if there is such a block.
    ///
    /// # Errors
    /// [`Error::Param`] if the heads do not share the width, and for a ring in which a sum of products
    /// overflows, with the bits that it needs.
    pub fn check(&self) -> Result<()> {
        let param = |what, got: String, accepted: String| Err(Error::Param { what, got, accepted });
        if self.sequence == 0 || self.width == 0 || self.hidden == 0 {
            return param("shape of a block", format!("{self:?}"), "1 and more of everything".into());
        }
        if self.heads == 0 || !self.width.is_multiple_of(self.heads) {
            let accepted = format!("divisors of the width {}", self.width);
            return param("heads of a block", self.heads.to_string(), accepted);
        }
        if self.before > 0 && !self.causal {
            let (what, got) = ("vectors before those of a block", self.before.to_string());
            return param(what, got, "none, unless a vector sees only those before it".into());
        }
        let needed = self.bits_needed();
        if self.bits < needed {
            let got = format!("{} for numbers up to {}", self.bits, self.largest);
            return param("bits of a block's numbers", got, format!("at least {needed}"));
        }
        self.norm(Role::P0).ring()?;
        self.softmax().check()?;
        self.gelu().check()
    }

    /// What the parties compare before any work, by name.
    pub(super) fn fields(&self, owner: Role) -> Vec<(&'static str, String)> {
        let Self { sequence, before, width, heads, hidden, bits, scale, largest, .. } = self;
        vec![
            (
                "shape",
                format!("{sequence} vectors of {width} after {before}, {heads} heads, {hidden} hidden"),
            ),
            ("causal", self.causal.to_string()),
            ("norms", (if self.norms == Norms::First { "first" } else { "last" }).into()),
            ("numbers", format!("{bits} bits, {scale} behind the point, up to {largest}")),
            ("precision", self.precision.name().into()),
            ("objective", Value::text(self.objective)),
            ("owner of the weights", Value::text(owner)),
        ]
    }

    /// Bits of a ring in which no accumulator overflows: twice the scale, what is before the point, the
    /// sign, and one that truncation needs. The greatest number has a unit more, since it is rounded up.
    pub fn bits_needed(&self) -> u32 {
        let most = self.largest + 2f64.powi(-(self.scale as i32));
        2 * self.scale + most.log2().ceil().max(1.0) as u32 + 2
    }

    /// The attention's first and last layer, and both behind it.
    pub(super) fn layers(&self) -> [MatrixShape; 4] {
        let Self { width, hidden, .. } = *self;
        [(width, 3 * width), (width, width), (width, hidden), (hidden, width)]
            .map(|(inner, columns)| self.layer(inner, columns))
    }

    /// Bits of a weight.
    pub fn weight_bits(&self) -> u32 {
        self.scale + WEIGHT_BITS
    }

    /// Numbers of a vector in one head.
    pub fn head(&self) -> usize {
        self.width / self.heads
    }

    fn layer(&self, inner: usize, columns: usize) -> MatrixShape {
        MatrixShape { batch: 1, rows: self.sequence, inner, columns }
    }

    /// Queries times keys.
    pub(super) fn scores(&self) -> MatrixShape {
        MatrixShape {
            batch: self.heads,
            rows: self.sequence,
            inner: self.head(),
            columns: self.before + self.sequence,
        }
    }

    /// Probabilities times values.
    pub(super) fn mixture(&self) -> MatrixShape {
        MatrixShape {
            batch: self.heads,
            rows: self.sequence,
            inner: self.before + self.sequence,
            columns: self.head(),
        }
    }

    pub(super) fn softmax(&self) -> SoftmaxJob {
        let Self { heads, sequence, before, bits, scale, precision, objective, .. } = *self;
        let (rows, magnitude) = (heads * sequence, self.magnitude(self.unseen() as f64));
        SoftmaxJob {
            rows,
            precision,
            magnitude,
            objective,
            ..SoftmaxJob::new(before + sequence, bits, scale)
        }
    }

    pub(super) fn gelu(&self) -> GeluJob {
        let Self { sequence, hidden, bits, scale, precision, objective, .. } = *self;
        let (batch, magnitude) = (sequence * hidden, self.magnitude(0.0));
        GeluJob { batch, precision, magnitude, objective, ..GeluJob::new(bits, scale) }
    }

    /// What a vector that must not be seen has in place of its score, with another sign.
    pub(super) fn unseen(&self) -> u64 {
        (self.largest + UNSEEN).ceil() as u64
    }

    /// Bits before the point of the greatest number, or of another; none where the ring has no more.
    fn magnitude(&self, other: f64) -> Option<u32> {
        let needed = self.largest.max(other).max(1.0).log2().floor() as u32 + 1;
        (needed + 3 + self.scale < self.bits).then_some(needed)
    }

    pub(super) fn norm(&self, owner: Role) -> NormJob {
        NormJob {
            rows: self.sequence,
            len: self.width,
            bits: self.bits,
            scale: self.scale,
            largest: self.largest,
            variance: [2f64.powi(-8), 64.0],
            epsilon: 2f64.powi(-8),
            gain: 4.0,
            gains_known_to: Some(owner),
            objective: self.objective,
        }
    }
}
