//! `hushtable functions`: the functions that `apply` evaluates, with their cards.

use std::fmt::Write as _;

use clap::{
    Args,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hushtable::math::{Card, Function};
use hushtable_columns::{
    failure::{Failure, Result},
    terminal,
};
use hushtable_jobs::{
    accuracy::{How, method_name},
    choice::Optimise,
    evaluate::evaluation,
};

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
    #[arg(long, value_enum, default_value = "total")]
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
        Some(function) => terminal::print(&format!("{}\n", card(function)?))?,
        None => {
            let cards = Function::ALL.map(|function| (function, card(function).map_err(|e| e.to_string())));
            terminal::print(&table(&cards))?;
        }
    }
    Ok(())
}

/// The cards of all functions in the format that `apply` uses unless told otherwise, for its help.
pub fn usual() -> String {
    let how = How::default();
    let wanted = how.wanted(None, how.function_bits(), false, Optimise::Total.into());
    let card = |function| evaluation(function, wanted).map(|e| e.card());
    table(&Function::ALL.map(|function| (function, card(function).map_err(|e: Failure| e.to_string()))))
}

/// A line for each function.
fn table(cards: &[(Function, std::result::Result<Card, String>)]) -> String {
    let mut out = format!(
        "{:<11}{:<13}{:<9}{:<11}{:<15}{:>5}{:>6}{:>7}{:>8}  {}\n",
        "function", "domain", "ring", "scales", "method", "max", "mean", "bytes", "rounds", "outside"
    );
    for (function, card) in cards {
        match card {
            Ok(card) => writeln!(
                out,
                "{:<11}{:<13}{:<9}{:<11}{:<15}{:>5.2}{:>6.2}{:>7.0}{:>8}  {}",
                card.function,
                card.domain.to_string(),
                format!("{} bits", card.ring),
                format!("{} to {}", card.scale, card.scale_out),
                method_name(card.method),
                card.max_ulp(),
                card.mean_ulp(),
                card.bytes(),
                card.rounds(),
                // Both ends in the width of help.
                card.treatment().replace(" below, ", "/").replace(" above", "")
            ),
            Err(why) => writeln!(out, "{:<11}{why}", function.name()),
        }
        .expect("text grows");
    }
    out + "max, mean: errors in units in the last place; bytes, rounds: a number's, online rounds\n"
}
