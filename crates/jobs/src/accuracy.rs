//! How functions are evaluated, as asked for on the command line.

use clap::{Args, ValueEnum};
use hushtable::{
    arith::Objective,
    math::{Bounds, Method, Outside},
};
use hushtable_columns::{
    Format,
    failure::{Failure, Result},
};

use crate::evaluate::{Digits, Wanted};

/// Bits after the point of a function's numbers and results unless others are asked for.
const FRACTION_BITS: u32 = 8;
const OUTPUT_BITS: u32 = 16;

/// The format of compared numbers unless another is asked for.
const COMPARED: Format = Format { bits: 64, fraction_bits: 16 };

/// Format, domain and method.
#[derive(Args, Debug, Default)]
#[command(next_help_heading = "Numbers and functions")]
pub struct How {
    /// Binary digits after the point of the numbers [default: 8; tables: 0; comparisons: 16; shares and --joined: as
    /// they have]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(0..=32))]
    pub fraction_bits: Option<u32>,
    /// Bits that hold a number with its sign, 8 to 64 [default: 32, or 64 where the function needs them;
    /// comparisons: 64, of a join as many as they need; shares: their own]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(8..=64))]
    pub bits: Option<u32>,
    /// Where the function is evaluated [default: its own, see `hushtable functions`]
    ///
    /// For lookups (--table, --outside wrap) (hi - lo) * 2^fraction-bits must be a power of two, at most 65536;
    /// default for a table of n values: 0:n/2^fraction-bits.
    #[arg(long, value_name = "LO:HI", allow_hyphen_values = true)]
    pub domain: Option<Bounds>,
    /// What becomes of sums outside the domain [default: saturate beyond an end where the function has a limit,
    /// strict where it has none; wrap with --table, --store or --protocol]
    #[arg(long, value_enum, value_name = "WHAT")]
    pub outside: Option<Beyond>,
    /// The same as --outside strict
    #[arg(long, conflicts_with = "outside")]
    pub strict: bool,
    /// How the function is evaluated: auto, table, angle (sines and cosines by angle addition), or
    /// spline:DEGREE:PIECES, such as spline:3:64
    #[arg(long, value_name = "HOW", value_parser = method)]
    pub method: Option<Method>,
    /// Binary digits after the point of the results, 0 to 32 [default: 16; tables: what their values need, up to
    /// 16; with --reveal none: 24, in 64 bits, or as many as fit; those of lookups as --fraction-bits]
    #[arg(long, value_name = "BITS", value_parser = clap::value_parser!(u32).range(0..=32))]
    pub output_fraction_bits: Option<u32>,
}

/// What becomes of sums outside the domain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Beyond {
    /// The function's limit there, if it has one, else as clamp
    Saturate,
    /// The value at the nearer end of the domain
    Clamp,
    /// There are none: each party's number must lie in its half of the domain, which is checked here; with --joined they
    /// count modulo its length
    Wrap,
    /// An error at both parties, and no results
    Strict,
}

impl How {
    /// What is asked of a function of numbers in a ring of `bits` bits, if they are known. `shared` says whether
    /// its results stay shared.
    pub fn wanted(
        &self,
        bits: Option<u32>,
        fraction_bits: u32,
        shared: bool,
        objective: Objective,
    ) -> Wanted {
        Wanted {
            bits,
            fraction_bits,
            digits: match (self.output_fraction_bits, shared) {
                (Some(bits), _) => Digits::Of(bits),
                (None, true) => Digits::Most { least: fraction_bits },
                (None, false) => Digits::Of(fraction_bits.max(OUTPUT_BITS)),
            },
            domain: self.domain,
            method: self.method.unwrap_or(Method::Auto),
            outside: self.outside(),
            objective,
        }
    }

    /// The options that only functions have, and whether they were given.
    pub fn of_functions(&self) -> [(&'static str, bool); 5] {
        [
            ("--domain", self.domain.is_some()),
            ("--output-fraction-bits", self.output_fraction_bits.is_some()),
            ("--outside", self.outside.is_some()),
            ("--strict", self.strict),
            ("--method", self.method.is_some()),
        ]
    }

    /// The same of the format.
    pub fn of_format(&self) -> [(&'static str, bool); 2] {
        [("--bits", self.bits.is_some()), ("--fraction-bits", self.fraction_bits.is_some())]
    }

    /// Bits after the point of a function's numbers.
    pub fn function_bits(&self) -> u32 {
        self.fraction_bits.unwrap_or(FRACTION_BITS)
    }

    /// The format of numbers in columns that are compared.
    pub fn compared(&self) -> Result<Format> {
        let bits = self.bits.unwrap_or(COMPARED.bits);
        let fraction_bits = self.fraction_bits.unwrap_or(COMPARED.fraction_bits);
        if fraction_bits + 3 > bits {
            let what = format!("--fraction-bits {fraction_bits} leaves no room in --bits {bits}");
            return Err(Failure::new(what));
        }
        Ok(Format { bits, fraction_bits })
    }

    /// Bits after the point of a lookup's results: if nothing else is asked for, those of the numbers where the results
    /// stay shared, else `otherwise`.
    pub fn output_bits(&self, fraction_bits: u32, shared: bool, otherwise: u32) -> u32 {
        self.output_fraction_bits.unwrap_or(if shared { fraction_bits } else { otherwise })
    }

    fn outside(&self) -> Outside {
        match (self.strict, self.outside) {
            (true, _) | (_, Some(Beyond::Strict)) => Outside::Strict,
            (_, Some(Beyond::Clamp)) => Outside::Clamp,
            (_, Some(Beyond::Wrap)) => Outside::Wrap,
            (_, Some(Beyond::Saturate)) => Outside::Saturate,
            (_, None) => Outside::Usual,
        }
    }
}

/// As [`How::method`] is written.
pub fn method_name(method: Method) -> String {
    match method {
        Method::Angle => "angle".to_owned(),
        Method::Spline { degree, pieces } => format!("spline:{degree}:{pieces}"),
        other => other.to_string(),
    }
}

fn method(text: &str) -> std::result::Result<Method, String> {
    let spline = |text: &str| {
        let (degree, pieces) = text.strip_prefix("spline:")?.split_once(':')?;
        Some(Method::Spline { degree: degree.parse().ok()?, pieces: pieces.parse().ok()? })
    };
    match text {
        "auto" => Ok(Method::Auto),
        "table" => Ok(Method::Direct),
        "angle" => Ok(Method::Angle),
        _ => spline(text).ok_or_else(|| "expected auto, table, angle, or spline:DEGREE:PIECES".to_owned()),
    }
}
