//! Tables of lookups and their domains, as the command line asks for; refusals say which options would work.

use std::path::Path;

use crate::accuracy::How;
use hushtable::{
    Error,
    math::{Bounds, Domain, Function, MAX_INDEX_BITS, MAX_VALUE_BITS, Tabulated, exact_fraction_bits},
};
use hushtable_columns::{
    failure::{Failure, Result},
    table_file,
};

/// What a table is of.
#[derive(Clone, Copy)]
pub enum Table<'a> {
    Of(Function),
    File(&'a Path),
}

impl Table<'_> {
    /// What both parties call it.
    pub fn name(self) -> &'static str {
        self.function().map_or("table", Function::name)
    }

    /// The function, if it is of one.
    pub fn function(self) -> Option<Function> {
        match self {
            Self::Of(function) => Some(function),
            Self::File(_) => None,
        }
    }

    /// What results are called here.
    pub fn column(self) -> String {
        match self {
            Self::Of(function) => function.name().to_owned(),
            Self::File(path) => {
                path.file_stem().map_or("table".into(), |stem| stem.to_string_lossy().into_owned())
            }
        }
    }

    /// Bits after the point of numbers in columns: as asked for, or 8 for a function and 0 for a table.
    pub fn index_fraction_bits(self, how: &How) -> u32 {
        match self {
            Self::Of(_) => how.function_bits(),
            Self::File(_) => how.fraction_bits.unwrap_or(0),
        }
    }

    /// The domain and the table of numbers with so many bits after the point. `shared`: its results stay shared.
    pub fn over(self, how: &How, fraction_bits: u32, shared: bool) -> Result<(Domain, Tabulated)> {
        let over = |usual| domain(how.domain.unwrap_or(usual), fraction_bits);
        match self {
            Self::Of(function) => {
                let domain = over(function.domain())?;
                let digits = how.output_bits(fraction_bits, shared, 16);
                let table = Tabulated::function(function, &domain, digits).map_err(|error| match error {
                    Error::Param { what: "domain", .. } => error.into(),
                    _ => wide(digits),
                })?;
                Ok((domain, table))
            }
            Self::File(path) => {
                let values = table_file::read(path)?;
                let count = values.len();
                let domain = over(Bounds { lo: 0.0, hi: count as f64 / 2f64.powi(fraction_bits as i32) })?;
                let points = 1 << domain.index_bits();
                if count != points {
                    return Err(Failure::input(format!(
                        "{}: {count} values, but domain {domain} with {fraction_bits} fraction bits has {points} points",
                        path.display()
                    )));
                }
                let digits = how.output_bits(fraction_bits, shared, exact_fraction_bits(&values));
                Ok((domain, Tabulated::new(&values, digits).map_err(|_| wide(digits))?))
            }
        }
    }
}

/// The domain `bounds`.
fn domain(bounds: Bounds, fraction_bits: u32) -> Result<Domain> {
    Domain::new(bounds, fraction_bits).map_err(|error| {
        let from_zero = Bounds { lo: 0.0, hi: bounds.hi - bounds.lo };
        match Domain::new(from_zero, fraction_bits) {
            Ok(_) => error.into(), // the number of points is not what is wrong
            Err(_) => Failure::new(format!("{error}. {}", advice(bounds, fraction_bits))),
        }
    })
}

fn wide(fraction_bits: u32) -> Failure {
    Failure::new(format!(
        "the table's values do not fit {MAX_VALUE_BITS} bits with {fraction_bits} output fraction bits: use a \
         smaller --output-fraction-bits or --domain"
    ))
}

/// What would work instead of a domain that does not.
fn advice(bounds: Bounds, fraction_bits: u32) -> String {
    let exponent = (bounds.hi - bounds.lo).log2();
    let max = MAX_INDEX_BITS as i32;
    if exponent.fract() == 0.0 {
        let (least, most) = ((1 - exponent as i32).max(0), (max - exponent as i32).min(max));
        if least <= most {
            return format!("This domain works with --fraction-bits {least} to {most}");
        }
    }
    let width =
        2f64.powi((exponent.ceil() as i32).clamp(1 - fraction_bits as i32, max - fraction_bits as i32));
    let lo = if bounds.lo == -bounds.hi { -width / 2.0 } else { bounds.lo };
    format!("These fraction bits work with --domain {lo}:{}", lo + width)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_say_what_works() {
        let says = |text: &str, f: u32| domain(text.parse().unwrap(), f).unwrap_err().to_string();
        assert!(says("-8:8", 13).contains("--fraction-bits 0 to 12"), "{}", says("-8:8", 13));
        assert!(says("-0.25:0.25", 0).contains("--fraction-bits 2 to 16"), "{}", says("-0.25:0.25", 0));
        assert!(says("-5:5", 8).contains("--domain -8:8"), "{}", says("-5:5", 8));
        assert!(says("0:5", 8).contains("--domain 0:8"), "{}", says("0:5", 8));
        assert!(says("-1000:1000", 8).contains("--domain -128:128"), "{}", says("-1000:1000", 8));
        assert!(says("0.3:4.3", 8).ends_with("below 2^32 in size"), "{}", says("0.3:4.3", 8));
        assert!(says("0:1048576", 0).contains("--domain 0:65536"), "{}", says("0:1048576", 0));
    }
}
