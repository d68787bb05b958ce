//! `hushtable functions`: the functions that `apply` evaluates, with their cards.

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hushtable::math::{Card, Function};
use hushtable_columns::{failure::Result, manner, terminal};
use hushtable_jobs::{
    accuracy::{How, method_name},
    choice::Optimise,
    evaluate::evaluation,
};
use serde::Serialize;

const EXAMPLES: &str = "\
Examples:
  All functions in the format that `apply` uses unless told otherwise:
    hushtable functions
  One in a ring of 64 bits with 16 after the point:
    hushtable functions sigmoid --bits 64 --fraction-bits 16
  What another domain, method or rule for numbers outside costs:
    hushtable functions exp --domain -4:4 --method table --strict";

/// Print functions and their cards: domain, accuracy, cost
///
/// A card is computed from the tables that would be used. Errors are in units in the last place (ulp) of a result;
/// bytes are those of both parties, offline and online, with a correlated OT as a bit.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Functions {
    /// One function [default: a table of all]
    #[arg(value_name = "NAME", value_parser = names())]
    name: Option<Function>,
    /// What to minimise
    #[arg(long, alias = "optimize", value_enum, default_value = "total")]
    optimise: Optimise,
    #[command(flatten)]
    how: How,
}

/// For clap: the functions with a line of help each.
fn names() -> impl TypedValueParser<Value = Function> {
    let names = Function::ALL.map(|f| PossibleValue::new(f.name()).help(f.about()));
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Function>())
}

/// Runs the subcommand.
pub fn run(args: &Functions) -> Result<()> {
    let card = |function| -> Result<Card> {
        let fraction_bits = args.how.function_bits();
        let wanted = args.how.wanted(args.how.bits, fraction_bits, false, args.optimise.into());
        Ok(evaluation(function, wanted)?.card())
    };
    match args.name {
        Some(function) if manner::is_json() => terminal::json(&Line::of(&card(function)?))?,
        None if manner::is_json() => {
            // What cannot be evaluated so has no line.
            let cards = Function::ALL.into_iter().filter_map(|function| card(function).ok());
            let lines: String = cards.map(|card| terminal::json_line(&Line::of(&card))).collect();
            terminal::print(&lines)?;
        }
        Some(function) => terminal::print(&format!("{}\n", card(function)?))?,
        None => {
            let cards = Function::ALL.map(|function| (function, card(function).map_err(|e| e.to_string())));
            terminal::print(&table(&cards))?;
        }
    }
    Ok(())
}

/// A card as `--json` prints it: errors in units in the last place, bytes of both parties.
#[derive(Serialize)]
struct Line {
    function: String,
    domain: String,
    bits: u32,
    fraction_bits: u32,
    output_fraction_bits: u32,
    method: String,
    max_ulp: f64,
    mean_ulp: f64,
    bytes: f64,
    rounds: u32,
    outside: String,
}

impl Line {
    fn of(card: &Card) -> Self {
        Self {
            function: card.function.to_string(),
            domain: card.domain.to_string(),
            bits: card.ring,
            fraction_bits: card.scale,
            output_fraction_bits: card.scale_out,
            method: method_name(card.method).to_string(),
            max_ulp: card.max_ulp(),
            mean_ulp: card.mean_ulp(),
            bytes: card.bytes(),
            rounds: card.rounds(),
            outside: card.treatment().to_string(),
        }
    }
}

/// A line for each function, with columns as wide as what stands in them.
fn table(cards: &[(Function, std::result::Result<Card, String>)]) -> String {
    let head =
        ["function", "domain", "ring", "scales", "method", "max", "mean", "bytes", "rounds", "outside"];
    let mut rows = vec![head.map(str::to_owned).to_vec()];
    rows.extend(cards.iter().map(|(function, card)| match card {
        Ok(card) => vec![
            card.function.to_string(),
            card.domain.to_string(),
            format!("{} bits", card.ring),
            format!("{} to {}", card.scale, card.scale_out),
            method_name(card.method).to_string(),
            format!("{:.2}", card.max_ulp()),
            format!("{:.2}", card.mean_ulp()),
            format!("{:.0}", card.bytes()),
            card.rounds().to_string(),
            // Both ends in a few words.
            card.treatment().replace(" below, ", "/").replace(" above", ""),
        ],
        Err(why) => vec![function.name().to_owned(), why.clone()],
    }));
    let cards = rows.iter().filter(|row| row.len() == head.len());
    let widths =
        cards.fold([0; 10], |widths, row| std::array::from_fn(|at| widths[at].max(row[at].chars().count())));
    let cell = |(at, cell): (usize, &String)| match at {
        5..=8 => format!("{cell:>width$}", width = widths[at]),
        _ => format!("{cell:<width$}", width = widths[at]),
    };
    let line = |row: &Vec<String>| row.iter().enumerate().map(cell).collect::<Vec<_>>().join("  ");
    let lines: String = rows.iter().map(|row| line(row).trim_end().to_owned() + "\n").collect();
    lines + "max, mean: errors in units in the last place; bytes, rounds: a number's, online rounds\n"
}
