//! Noise that bounds what an opened number tells.
//!
//! # Functionality
//! A number of the discrete Laplace distribution: k with a probability proportional to `exp(-|k| eps / sensitivity)`.
//!
//! # Protocol
//! Each party adds a full one to its share. A party that knows its own still faces the other's, so what is opened is
//! eps-differentially private against it; the variance is twice that of one.
//!
//! It is the difference of two geometric numbers. The bits of a geometric number are independent: bit i is 1 with
//! probability `1 / (1 + exp(2^i eps / sensitivity))`, which is taken to `2^-53`.
//!
//! # Cost
//! None.
//!
//! # Source
//! Ghosh, Roughgarden, Sundararajan (STOC 2009) for the distribution; join-spec 4.

use hushtable::{AShare, Error, Result, math::Function, session::Session};
use zeroize::Zeroizing;

/// Bits of a geometric number.
const BITS: u32 = 40;

/// Noise of one party. Public.
#[derive(Clone, Debug, PartialEq)]
pub struct Laplace {
    eps: f64,
    sensitivity: f64,
    /// Of each bit, times `2^64`.
    odds: Vec<u64>,
}

impl Laplace {
    /// For numbers that change by `sensitivity` at most where one row does.
    ///
    /// # Errors
    /// [`Error::Param`] unless `eps / sensitivity` is `2^-20` to 20.
    pub fn new(eps: f64, sensitivity: f64) -> Result<Self> {
        let rate = eps / sensitivity;
        if !(2f64.powi(-20)..=20.0).contains(&rate) || sensitivity <= 0.0 {
            let (what, got) = ("epsilon of a unit of noise", rate.to_string());
            return Err(Error::Param { what, got, accepted: "2^-20 to 20".into() });
        }
        let odds = (0..BITS).map(|i| {
            let probability = Function::Sigmoid.eval(-rate * 2f64.powi(i as i32));
            (probability * 2f64.powi(64)) as u64
        });
        Ok(Self { eps, sensitivity, odds: odds.collect() })
    }

    /// How much more likely what is opened becomes by one row, at most: the factor's logarithm.
    pub fn epsilon(&self) -> f64 {
        self.eps
    }

    /// How much one row changes what gets the noise, at most.
    pub fn sensitivity(&self) -> f64 {
        self.sensitivity
    }

    /// Of a number of one party.
    pub fn variance(&self) -> f64 {
        let ratio = (-self.eps / self.sensitivity).exp();
        2.0 * ratio / ((1.0 - ratio) * (1.0 - ratio))
    }

    /// The probability that noise of both parties together is at least so far from 0: of a distance of 1 or more.
    pub fn beyond(&self, distance: f64) -> f64 {
        // Both are the difference of two sums of two geometric numbers. With a = exp(-rate), the sum is z with
        // ((1 - a) / (1 + a))^2 a^|z| (|z| + 1 + 2 a^2 / (1 - a^2)): added up from the distance on, on both sides.
        let rate = self.eps / self.sensitivity;
        let (a, rest) = ((-rate).exp(), -(-rate).exp_m1());
        let terms = (distance + 1.0) * rest + a + 2.0 * a * a / (1.0 + a);
        2.0 * (-rate * distance).exp() * terms / ((1.0 + a) * (1.0 + a))
    }

    /// What the parties compare.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("epsilon", self.eps.to_string()), ("sensitivity", self.sensitivity.to_string())]
    }

    /// A number of this distribution.
    pub fn sample(&self, s: &mut Session) -> i64 {
        let mut geometric = || {
            let bits = self.odds.iter().zip(0..);
            bits.fold(0i64, |sum, (&odds, i)| sum | i64::from(s.rng().u64() < odds) << i)
        };
        geometric() - geometric()
    }

    /// This party's shares with a number of its own added to each, as the peer adds its own. Local.
    pub fn add(&self, s: &mut Session, to: &AShare<u64>) -> AShare<u64> {
        let noise = Zeroizing::new((0..to.len()).map(|_| self.sample(s)).collect::<Vec<i64>>());
        let sums = to.words().iter().zip(noise.iter()).map(|(word, &noise)| word.wrapping_add(noise as u64));
        AShare::new(to.bits(), sums.collect())
    }
}
