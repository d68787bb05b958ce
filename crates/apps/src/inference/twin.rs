//! A block in the clear: in fixed-point numbers, each step rounded to the nearest, and in floating point.

use hushtable::math::gelu;

use super::{BlockShape, LinearWeights, NormWeights, Norms, Weights};

/// What the parties' result is to be but for a few units in the last place: every number is rounded to the
/// shape's bits behind the point after each step.
pub fn fixed(shape: &BlockShape, x: &[f64], weights: &Weights) -> Vec<f64> {
    Twin { shape, unit: Some(2f64.powi(shape.scale as i32)) }.block(x, weights)
}

/// What a program without fixed-point numbers computes.
pub fn float(shape: &BlockShape, x: &[f64], weights: &Weights) -> Vec<f64> {
    Twin { shape, unit: None }.block(x, weights)
}

/// Softmax of each row of `len` numbers.
pub fn softmax(x: &[f64], len: usize) -> Vec<f64> {
    let row = |row: &[f64]| {
        let max = row.iter().copied().fold(f64::MIN, f64::max);
        let exps: Vec<f64> = row.iter().map(|x| (x - max).exp()).collect();
        let sum: f64 = exps.iter().sum();
        exps.into_iter().map(move |e| e / sum).collect::<Vec<_>>()
    };
    x.chunks(len).flat_map(row).collect()
}

struct Twin<'a> {
    shape: &'a BlockShape,
    unit: Option<f64>,
}

impl Twin<'_> {
    fn block(&self, x: &[f64], weights: &Weights) -> Vec<f64> {
        let BlockShape { width, hidden, .. } = *self.shape;
        let x = self.rounded(x.to_vec());
        let plus = |x: &[f64], y: Vec<f64>| x.iter().zip(y).map(|(x, y)| x + y).collect::<Vec<f64>>();
        let layers = |x: &[f64]| {
            let up = self.layer(x, &weights.up, width, hidden);
            self.layer(&self.rounded(up.into_iter().map(gelu).collect()), &weights.down, hidden, width)
        };
        match self.shape.norms {
            Norms::First => {
                let x = plus(&x, self.attention(&self.norm(&x, &weights.norm), weights));
                plus(&x, layers(&self.norm(&x, &weights.last_norm)))
            }
            Norms::Last => {
                let x = self.norm(&plus(&x, self.attention(&x, weights)), &weights.norm);
                self.norm(&plus(&x, layers(&x)), &weights.last_norm)
            }
        }
    }

    fn attention(&self, x: &[f64], weights: &Weights) -> Vec<f64> {
        let BlockShape { sequence, width, heads, causal, .. } = *self.shape;
        let head = self.shape.head();
        let made = self.layer(x, &weights.attention, width, 3 * width);
        let at =
            |part: usize, h: usize, i: usize, c: usize| made[i * 3 * width + part * width + h * head + c];
        let mut mixed = vec![0.0; sequence * width];
        for h in 0..heads {
            for i in 0..sequence {
                let score = |j: usize| (0..head).map(|c| at(0, h, i, c) * at(1, h, j, c)).sum();
                let seen = |j: usize| if causal && j > i { f64::NEG_INFINITY } else { score(j) };
                let scores = self.rounded((0..sequence).map(seen).collect());
                let chances = self.rounded(softmax(&scores, sequence));
                for c in 0..head {
                    mixed[i * width + h * head + c] =
                        (0..sequence).map(|j| chances[j] * at(2, h, j, c)).sum();
                }
            }
        }
        self.layer(&self.rounded(mixed), &weights.output, width, width)
    }

    fn layer(&self, x: &[f64], layer: &LinearWeights, inner: usize, columns: usize) -> Vec<f64> {
        let weights = self.rounded(layer.weights.to_vec());
        let out = |row: &[f64]| {
            let mut sums = vec![0.0; columns];
            for (x, weights) in row.iter().zip(weights.chunks_exact(columns)) {
                sums.iter_mut().zip(weights).for_each(|(sum, weight)| *sum += x * weight);
            }
            sums.iter_mut().zip(layer.bias.iter()).for_each(|(sum, bias)| *sum += bias);
            sums
        };
        self.rounded(x.chunks(inner).flat_map(out).collect())
    }

    fn norm(&self, x: &[f64], norm: &NormWeights) -> Vec<f64> {
        let width = self.shape.width;
        let epsilon = self.shape.norm(hushtable::Role::P0).epsilon;
        let (gains, offsets) = (self.rounded(norm.gains.to_vec()), self.rounded(norm.offsets.to_vec()));
        let row = |row: &[f64]| {
            let mean = row.iter().sum::<f64>() / width as f64;
            let variance = row.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / width as f64;
            let root = (variance + epsilon).sqrt();
            let scaled = row.iter().map(move |x| (x - mean) / root);
            scaled.zip(&gains).zip(&offsets).map(|((x, g), b)| x * g + b).collect::<Vec<_>>()
        };
        self.rounded(x.chunks(width).flat_map(row).collect())
    }

    fn rounded(&self, mut x: Vec<f64>) -> Vec<f64> {
        if let Some(unit) = self.unit {
            x.iter_mut().for_each(|x| *x = (*x * unit).round() / unit);
        }
        x
    }
}
