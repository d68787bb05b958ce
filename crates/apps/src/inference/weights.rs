//! The weights of a block.

use prim::{block::Block, prg::Prg};
use zeroize::Zeroizing;

use hushtable::{Error, Result};

use super::BlockShape;

/// A linear layer: `x W + b`.
#[derive(Clone)]
pub struct LinearWeights {
    /// Row by row, a row for each input.
    pub weights: Zeroizing<Vec<f64>>,
    /// One for each output.
    pub bias: Zeroizing<Vec<f64>>,
}

/// Gains and offsets of a layer norm.
#[derive(Clone)]
pub struct NormWeights {
    /// One for each number of a vector.
    pub gains: Zeroizing<Vec<f64>>,
    /// One for each number of a vector.
    pub offsets: Zeroizing<Vec<f64>>,
}

/// All weights of a block. Not printable: they are the secret of their owner.
#[derive(Clone)]
pub struct Weights {
    /// Before the attention.
    pub norm: NormWeights,
    /// Queries, keys and values: `width` outputs of each. Those of the queries are divided by the root of
    /// a head's width already.
    pub attention: LinearWeights,
    /// Of the heads' results.
    pub output: LinearWeights,
    /// Before the last two layers.
    pub last_norm: NormWeights,
    /// To the hidden numbers.
    pub up: LinearWeights,
    /// From them.
    pub down: LinearWeights,
}

impl Weights {
    /// Weights that look like trained ones, for measurements and tests.
    pub fn random(shape: &BlockShape, seed: u64) -> Self {
        let mut prg = Prg::new(Block(u128::from(seed) << 8 | 0x77));
        let BlockShape { width, hidden, .. } = *shape;
        let mut attention = LinearWeights::random(&mut prg, width, 3 * width);
        let root = (shape.head() as f64).sqrt();
        let queries = |i: &usize| i % (3 * width) < width;
        (0..attention.weights.len()).filter(queries).for_each(|i| attention.weights[i] /= root);
        attention.bias[..width].iter_mut().for_each(|b| *b /= root);
        Self {
            norm: NormWeights::random(&mut prg, width),
            attention,
            output: LinearWeights::random(&mut prg, width, width),
            last_norm: NormWeights::random(&mut prg, width),
            up: LinearWeights::random(&mut prg, width, hidden),
            down: LinearWeights::random(&mut prg, hidden, width),
        }
    }

    /// `Ok(())` if they are those of such a block.
    ///
    /// # Errors
    /// [`Error::Shape`] for the first that is not.
    pub fn check(&self, shape: &BlockShape) -> Result<()> {
        let BlockShape { width, hidden, .. } = *shape;
        let counts = [
            ("gains of the first norm", width, self.norm.gains.len()),
            ("offsets of the first norm", width, self.norm.offsets.len()),
            ("weights of queries, keys and values", 3 * width * width, self.attention.weights.len()),
            ("bias of queries, keys and values", 3 * width, self.attention.bias.len()),
            ("weights of the heads' results", width * width, self.output.weights.len()),
            ("bias of the heads' results", width, self.output.bias.len()),
            ("gains of the second norm", width, self.last_norm.gains.len()),
            ("offsets of the second norm", width, self.last_norm.offsets.len()),
            ("weights to the hidden numbers", width * hidden, self.up.weights.len()),
            ("bias of the hidden numbers", hidden, self.up.bias.len()),
            ("weights from the hidden numbers", width * hidden, self.down.weights.len()),
            ("bias of the results", width, self.down.bias.len()),
        ];
        match counts.into_iter().find(|(_, want, got)| want != got) {
            Some((what, want, got)) => Err(Error::Shape { what, want, got }),
            None => Ok(()),
        }
    }
}

impl LinearWeights {
    fn random(prg: &mut Prg, inputs: usize, outputs: usize) -> Self {
        let size = (3.0 / inputs as f64).sqrt();
        let weights = Zeroizing::new((0..inputs * outputs).map(|_| size * uniform(prg)).collect());
        Self { weights, bias: Zeroizing::new((0..outputs).map(|_| 0.1 * uniform(prg)).collect()) }
    }
}

impl NormWeights {
    fn random(prg: &mut Prg, width: usize) -> Self {
        let gains = Zeroizing::new((0..width).map(|_| 1.0 + 0.25 * uniform(prg)).collect());
        Self { gains, offsets: Zeroizing::new((0..width).map(|_| 0.1 * uniform(prg)).collect()) }
    }
}

/// A number of `[-1, 1)`.
fn uniform(prg: &mut Prg) -> f64 {
    (prg.u64() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}
