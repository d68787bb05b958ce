//! What traffic and cores cost, in dollars.

use crate::error::{Error, Result};

/// What a party pays.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prices {
    gigabyte: f64,
    core_hour: f64,
}

/// Dollars that either can be, at most.
const MOST: f64 = 1e6;

impl Prices {
    /// What large clouds ask for, about: 0.09 for 10^9 bytes that leave them, 0.04 for an hour of a core. They serve to show
    /// what a job costs; nothing is chosen by them unless that is asked for.
    pub const USUAL: Self = Self { gigabyte: 0.09, core_hour: 0.04 };

    /// Dollars for 10^9 bytes sent, and for an hour of a core: 0 to 10^6 each.
    ///
    /// # Errors
    /// [`Error::Param`] for others.
    pub fn new(gigabyte: f64, core_hour: f64) -> Result<Self> {
        for price in [gigabyte, core_hour] {
            if !(0.0..=MOST).contains(&price) || price.is_sign_negative() {
                let (got, accepted) = (price.to_string(), "0 to 1000000 dollars".into());
                return Err(Error::Param { what: "price", got, accepted });
            }
        }
        Ok(Self { gigabyte, core_hour })
    }

    /// Dollars for 10^9 bytes that a party sends.
    pub fn gigabyte(&self) -> f64 {
        self.gigabyte
    }

    /// Dollars for an hour of a core.
    pub fn core_hour(&self) -> f64 {
        self.core_hour
    }

    /// Dollars for so many bytes sent, and so many seconds of a core, waiting too: who waits pays for the machine.
    pub fn of(&self, bytes: f64, seconds: f64) -> f64 {
        bytes * 1e-9 * self.gigabyte + seconds / 3600.0 * self.core_hour
    }

    /// As they are sent.
    pub(crate) fn to_bytes(self) -> [u8; 16] {
        let [gigabyte, core_hour] = [self.gigabyte, self.core_hour].map(f64::to_bits).map(u128::from);
        (core_hour << 64 | gigabyte).to_le_bytes()
    }

    /// Those that these bytes say, if there are such.
    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Option<Self> {
        let word = u128::from_le_bytes(bytes);
        Self::new(f64::from_bits(word as u64), f64::from_bits((word >> 64) as u64)).ok()
    }
}

impl Default for Prices {
    fn default() -> Self {
        Self::USUAL
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_what_they_are() {
        let prices = Prices::new(0.09, 0.04).expect("prices");
        assert_eq!(prices, Prices::USUAL);
        assert!((prices.of(2e9, 1800.0) - 0.2).abs() < 1e-12);
        assert_eq!(Prices::from_bytes(prices.to_bytes()), Some(prices));
        assert_eq!(Prices::from_bytes([0; 16]), Some(Prices::new(0.0, 0.0).expect("nothing costs anything")));
    }

    #[test]
    fn strange_prices_are_refused() {
        for price in [-1.0, -0.0, f64::NAN, f64::INFINITY, 1.1e6] {
            assert!(Prices::new(price, 1.0).is_err() && Prices::new(1.0, price).is_err(), "{price}");
            let bytes: Vec<u8> = [1.0, price].into_iter().flat_map(f64::to_le_bytes).collect();
            assert_eq!(Prices::from_bytes(bytes.try_into().expect("16 bytes")), None);
        }
    }
}
