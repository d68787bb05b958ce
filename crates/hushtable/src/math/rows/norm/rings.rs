//! Widths of the rings of a layer norm's steps, and digits in them.

use super::{
    super::{
        reciprocal::{check_scale, too_wide},
        root::RootJob,
    },
    MEAN, MORE, NormJob, Rings,
};
use crate::error::{Error, Result};

impl NormJob {
    pub(super) fn rings(&self) -> Result<Rings> {
        check_scale(self.scale)?;
        for (what, v) in [("largest number of a layer norm", self.largest), ("largest gain", self.gain)] {
            if !(v > 0.0 && v.is_finite()) {
                return Err(Error::Param { what, got: v.to_string(), accepted: "above 0".into() });
            }
        }
        if !(self.epsilon >= 0.0 && self.epsilon <= self.variance[1]) {
            let (what, got) = ("epsilon of a layer norm", self.epsilon.to_string());
            return Err(Error::Param { what, got, accepted: "0 to the greatest variance".into() });
        }
        if self.len == 0 {
            let (what, got) = ("numbers in a row of a layer norm", "0".into());
            return Err(Error::Param { what, got, accepted: "1 and more".into() });
        }
        let root = self.root(64).needed()?; // refuses variances without bounds
        let unit = 2f64.powi(-(self.scale as i32));
        if self.variance[1] < unit * unit {
            let (what, got) = ("greatest variance of a layer norm", self.variance[1].to_string());
            return Err(Error::Param { what, got, accepted: "at least the square of a unit".into() });
        }
        let bits = |v: f64| libm::log2(v).ceil().max(0.0) as u32;
        let (f, d) = (self.scale, self.len as f64);
        let sum = f + bits(d * self.largest) + 3;
        let squares = 2 * f + bits(self.root(64).bounds[1]) + 3;
        // No number less the mean is more than the root of d times the deviation; truncation needs the rest.
        let scaled = f + MEAN + self.root_scale() + bits(1.01 * d.sqrt()) + 2;
        let gains = self.bits.max(2 * f + MORE + bits(self.gain * (d.sqrt() + 1.0)) + 3);
        let product = scaled.max(gains);
        let numbers = product.max(squares).max(sum);
        let mean = f + self.mean_digits() + bits(self.largest) + 3;
        let out = f + bits(self.gain * (d.sqrt() + 1.0)) + 1;
        // The numbers themselves are extended: two bits are for that.
        let own = out.max(f + bits(self.largest) + 3);
        if self.bits < own {
            return Err(too_wide("numbers and results of a layer norm", own, self.bits));
        }
        match numbers.max(mean).max(root) {
            rows @ ..=64 => Ok(Rings { numbers, squares, product, gains, rows }),
            rows => Err(too_wide("ring of a layer norm", rows, 64)),
        }
    }

    /// Bits behind the point of `1/d`.
    pub(super) fn mean_digits(&self) -> u32 {
        let sum = libm::log2(self.largest * self.len as f64).ceil().max(0.0) as u32;
        self.scale + MEAN + 1 + sum
    }

    /// Those of the reciprocal root: its unit times the largest number less its mean, and that of the product, are a quarter
    /// of a unit of the result.
    pub(super) fn root_scale(&self) -> u32 {
        let largest = (2.0 * self.largest).min(1.001 * (self.len as f64 * self.variance[1]).sqrt());
        let rest = 0.25 - 2f64.powi(-(MORE as i32));
        self.scale + libm::log2(largest / rest).ceil().max(0.0) as u32
    }

    pub(super) fn root(&self, ring: u32) -> RootJob {
        let (d, unit) = (self.len as f64, 2f64.powi(-(self.scale as i32)));
        RootJob {
            ring,
            scale: 2 * self.scale,
            scale_out: self.root_scale(),
            // With the error of the mean.
            bounds: [self.variance[0] * d, (self.variance[1] + 4.0 * unit * unit) * d],
            factor: d.sqrt(),
        }
    }
}
