//! What choices and predictions go by, where a user says it: the network, and what bytes and cores cost.

use std::str::FromStr;

use clap::Args;
use hushtable::{net::LinkShape, ot::SessionWish, plan::Machine, plan::Objective, plan::Prices};
use hushtable_columns::failure::{Failure, Result};

use crate::choice::Optimise;

/// Arguments of every command that meets a peer, or predicts that.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Choices")]
pub struct Means {
    /// What the network to the peer is taken for where there is a choice: lan, wan or RATE:RTT (Mbit/s : ms) [default: what
    /// `hushtable calibrate` measured, or else 1000:1ms]
    #[arg(long, value_name = "NET", value_parser = LinkShape::from_str)]
    pub link: Option<LinkShape>,
    /// Choose what costs least at these prices of this party, in dollars, where there is a choice; the peer may have others
    /// [shown, and not chosen by: GB=0.09,core-hour=0.04]
    #[arg(long, value_name = "GB=USD,core-hour=USD", value_parser = prices)]
    pub price: Option<Prices>,
}

impl Means {
    /// What is to be least where `optimise` was asked for.
    pub fn objective(&self, optimise: Optimise) -> Result<Objective> {
        match (self.price, optimise) {
            (None, optimise) => Ok(optimise.into()),
            (Some(_), Optimise::Total) => Ok(Objective::Money),
            (Some(_), _) => {
                Err(Failure::new("--price makes money least: it cannot be combined with --optimise"))
            }
        }
    }

    /// The wish with these prices, if there are such.
    pub fn wish(&self, wish: SessionWish) -> SessionWish {
        self.price.map_or(wish, |prices| wish.prices(prices))
    }

    /// A machine for predictions: the peer is taken to pay as much.
    pub fn machine(&self, machine: Machine) -> Machine {
        match self.price {
            Some(prices) => machine.prices([prices; 2]).objective(Some(Objective::Money)),
            None => machine,
        }
    }
}

/// `GB=0.09,core-hour=0.04`, or one of both: the other is the usual one.
pub fn prices(text: &str) -> std::result::Result<Prices, String> {
    let expected = || format!("{text:?}; accepted: GB=USD,core-hour=USD, such as GB=0.09,core-hour=0.04");
    let (mut gigabyte, mut core_hour) = (None, None);
    for part in text.split(',') {
        let (name, price) = part.split_once('=').ok_or_else(expected)?;
        let place = match name.trim().to_ascii_lowercase().as_str() {
            "gb" => &mut gigabyte,
            "core-hour" => &mut core_hour,
            _ => return Err(expected()),
        };
        if place.replace(price.trim().parse::<f64>().map_err(|_| expected())?).is_some() {
            return Err(expected());
        }
    }
    let gigabyte = gigabyte.unwrap_or(Prices::USUAL.gigabyte());
    Prices::new(gigabyte, core_hour.unwrap_or(Prices::USUAL.core_hour())).map_err(|e| e.to_string())
}

/// Dollars with two digits that count.
pub fn dollars(amount: f64) -> String {
    if amount <= 0.0 {
        return "$0".into();
    }
    if amount < 1e-6 {
        return "less than $0.000001".into();
    }
    let decimals = (1 - amount.log10().floor() as i32).max(2) as usize;
    format!("${amount:.decimals$}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prices_are_read() {
        let of = |gigabyte, core_hour| Prices::new(gigabyte, core_hour);
        for (text, wanted) in [
            ("GB=0.09,core-hour=0.04", of(0.09, 0.04)),
            ("core-hour=1,gb=0", of(0.0, 1.0)),
            ("GB=2", of(2.0, 0.04)),
            (" core-hour = 3 ", of(0.09, 3.0)),
        ] {
            assert_eq!(prices(text), Ok(wanted.expect("prices")), "{text}");
        }
        for text in [
            "",
            "0.09",
            "GB",
            "GB=",
            "GB=x",
            "GB=-1",
            "GB=inf",
            "GB=NaN",
            "GB=1,GB=1",
            "hour=1",
            "GB=1,",
            "GB=1e7",
        ] {
            assert!(prices(text).is_err(), "{text}");
        }
    }

    #[test]
    fn dollars_have_digits_that_count() {
        let of = [0.0, 3e-7, 0.000_012_3, 0.0123, 0.5, 7.123, 1234.567].map(dollars);
        assert_eq!(of, ["$0", "less than $0.000001", "$0.000012", "$0.012", "$0.50", "$7.12", "$1234.57"]);
    }

    #[test]
    fn money_and_another_aim_are_refused() {
        let means = Means { price: Some(Prices::USUAL), ..Means::default() };
        assert_eq!(means.objective(Optimise::Total).expect("money"), Objective::Money);
        assert!(means.objective(Optimise::Bytes).is_err());
        assert_eq!(Means::default().objective(Optimise::Bytes).expect("bytes"), Objective::Bytes);
    }
}
