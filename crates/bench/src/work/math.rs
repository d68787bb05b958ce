//! `math`: functions of random shared numbers.

use std::{fmt, io::Read, ops::Range, sync::Arc};

use clap::{Args, ValueEnum, builder::TypedValueParser};
use hushtable::{
    Role,
    math::{self, Bounds, Card, Evaluation, Function, Options},
    net::LinkShape,
};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::choice::Optimise;
use serde::{Deserialize, Serialize};

use crate::{
    benchmark::Benchmark,
    inputs,
    lanes::{self, Lanes},
};

/// A batch of numbers and a function of them.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct MathWork {
    /// The function
    #[arg(long, value_name = "NAME", default_value = "sigmoid", value_parser = functions())]
    function: String,
    /// Width of the ring, 8 to 64
    #[arg(long, value_name = "L", default_value = "16", value_parser = clap::value_parser!(u32).range(8..=64))]
    bits: u32,
    /// Bits behind the point
    #[arg(long, value_name = "F", default_value = "12", value_parser = clap::value_parser!(u32).range(0..=40))]
    fraction_bits: u32,
    /// Where the numbers lie, lo:hi; default: the function's own domain
    #[arg(long, value_name = "LO:HI", allow_hyphen_values = true)]
    domain: Option<String>,
    /// How it is evaluated
    #[arg(long, value_enum, default_value = "auto", requires_ifs = [("spline", "degree"), ("spline", "pieces")])]
    method: Method,
    /// Degree of the spline, 1 to 3
    #[arg(long, value_name = "D")]
    degree: Option<u32>,
    /// Pieces of the spline, a power of two
    #[arg(long, value_name = "N")]
    pieces: Option<u32>,
    /// What becomes of numbers outside the domain
    #[arg(long, value_enum, default_value = "saturate")]
    outside: Outside,
    /// Largest error in units in the last place
    #[arg(long, value_name = "ULP")]
    max_ulp: Option<f64>,
    /// What the choice of the method is to make small
    #[arg(long, value_enum, default_value = "total")]
    optimise: Optimise,
    /// Number of values, 1 to 2^24
    #[arg(long, value_name = "B", default_value = "100000", value_parser = clap::value_parser!(u32).range(1..=1 << 24))]
    batch: u32,
    /// What was chosen, and its error by the card.
    #[arg(skip)]
    chosen: Option<Chosen>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Chosen {
    method: String,
    max_ulp: f64,
    mean_ulp: f64,
    cots_per_item: usize,
    online_rounds: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Method {
    /// The cheapest that is accurate enough
    Auto,
    /// A table of all values
    Table,
    /// Polynomials over pieces, with --degree and --pieces
    Spline,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Outside {
    /// The function's limit
    Saturate,
    /// The value at the nearer end
    Clamp,
    /// Promised not to occur
    Wrap,
    /// An error at both parties
    Strict,
}

fn functions() -> impl TypedValueParser<Value = String> {
    clap::builder::PossibleValuesParser::new(Function::ALL.map(Function::name))
}

impl fmt::Display for MathWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, ring of {} bits, {} behind the point", self.function, self.bits, self.fraction_bits)?;
        if let Some(Chosen { method, max_ulp, mean_ulp, .. }) = &self.chosen {
            write!(f, ", {method}, at most {max_ulp:.2} ulp, {mean_ulp:.2} on average")?;
        }
        write!(f, ", batch {}", self.batch)
    }
}

impl Benchmark for MathWork {
    fn items(&self) -> usize {
        self.batch as usize
    }

    fn unit(&self) -> &'static str {
        "value"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        self.choose()
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        let evaluation = self.evaluation().expect("chosen before the processes started");
        evaluation.bill(items).cots_of(role)
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        let evaluation = Arc::new(self.evaluation()?);
        let card = evaluation.card();
        let inputs = |role, rows| Ok(vec![shares(self, &card, role, rows)]);
        let done = lanes.operate(self.items(), |_| Ok(evaluation.clone()), inputs, |_| ())?;
        done.verify(
            || done.words(),
            |from| done.pieces().try_for_each(|(rows, mine)| check(self, &card, rows, mine, from)),
        )
    }

    fn protocol(&self) -> Option<String> {
        Some(self.chosen.as_ref()?.method.clone())
    }

    /// Right to 3 units in the last place.
    fn plan(&mut self, _: &LinkShape, optimise: Optimise) -> Result<bool> {
        self.optimise = optimise;
        (self.method, self.degree, self.pieces, self.max_ulp) = (Method::Auto, None, None, Some(3.0));
        self.choose().map(|()| true)
    }
}

impl MathWork {
    fn choose(&mut self) -> Result<()> {
        let Card { method, accuracy, bill, .. } = self.evaluation()?.card();
        let (max_ulp, mean_ulp) = (accuracy.max_ulp, accuracy.mean_ulp);
        let (cots_per_item, online_rounds) = (bill.all_cots() as usize, bill.online.rounds as usize);
        let method = method.to_string();
        self.chosen = Some(Chosen { method, max_ulp, mean_ulp, cots_per_item, online_rounds });
        Ok(())
    }

    fn evaluation(&self) -> Result<Evaluation> {
        let bounds =
            |text: &String| text.parse::<Bounds>().map_err(|e| Failure::new(format!("--domain: {e}")));
        let options = Options::default()
            .domain(self.domain.as_ref().map(bounds).transpose()?)
            .method(match (self.method, self.degree, self.pieces) {
                (Method::Auto, ..) => math::Method::Auto,
                (Method::Spline, Some(degree), Some(pieces)) => math::Method::Spline { degree, pieces },
                _ => math::Method::Direct,
            })
            .outside(match self.outside {
                Outside::Saturate => math::Outside::Saturate,
                Outside::Clamp => math::Outside::Clamp,
                Outside::Wrap => math::Outside::Wrap,
                Outside::Strict => math::Outside::Strict,
            })
            .objective(self.optimise.into())
            .max_ulp(self.max_ulp);
        Ok(Evaluation::new(self.function()?, self.bits, self.fraction_bits, &options)?)
    }

    fn function(&self) -> Result<Function> {
        Ok(self.function.parse()?)
    }

    /// The integers from one on, in the domain, and P0's shares of them.
    fn numbers(&self, card: &Card, start: usize) -> impl Iterator<Item = [i64; 2]> + use<> {
        let unit = 2f64.powi(card.scale as i32);
        let (lo, count) = ((card.domain.lo * unit) as i64, ((card.domain.hi - card.domain.lo) * unit) as u64);
        let mut words = blake3::Hasher::new().update(&(start as u64).to_le_bytes()).finalize_xof();
        std::iter::repeat_with(move || {
            let [x, mask] = [0, 1].map(|_| inputs::word(&mut words));
            [lo + (x % count) as i64, mask as i64]
        })
    }
}

fn shares(work: &MathWork, card: &Card, role: Role, rows: Range<usize>) -> Vec<u64> {
    let mine = |[x, mask]: [i64; 2]| match role {
        Role::P0 => mask as u64,
        Role::P1 => x.wrapping_sub(mask) as u64,
    };
    work.numbers(card, rows.start).take(rows.len()).map(mine).collect()
}

/// Every result lies as near to the function as the card says.
fn check(work: &MathWork, card: &Card, rows: Range<usize>, mine: &[u64], from: &mut dyn Read) -> Result<()> {
    let function = work.function()?;
    // Of a large domain the card has seen a part.
    let most = if card.accuracy.step == 1 { card.max_ulp() } else { card.max_ulp() + 0.1 };
    let [unit, unit_out] = [card.scale, card.scale_out].map(|scale| 2f64.powi(scale as i32));
    for (mine, [x, _]) in mine.iter().zip(work.numbers(card, rows.start)) {
        let unused = 64 - card.ring;
        let y = (mine.wrapping_add(lanes::word(from)?) << unused) as i64 >> unused;
        let x = x as f64 / unit;
        let error = (y as f64 - function.eval(x) * unit_out).abs();
        if error > most {
            return Err(Failure::Check(format!("{function}({x}) came out wrong by {error} ulp")));
        }
    }
    Ok(())
}
