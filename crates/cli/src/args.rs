//! The command line, and the exit code.

use std::{env, process::ExitCode};

use crate::{
    aes, apply,
    calibrate::{self, Calibrate, OtParty},
    compile::{self, Compile},
    demo::{self, example::Demo},
    doctor::{self, Doctor},
    explain::{self, Explain},
    functions::{self, Functions},
    identity::{self, Identity},
    info,
    join::{self, Join},
    lookup::{self, arguments::Lookup},
    plan::{self, Plan},
    prepare::{self, Prepare},
    proximity,
    run::{self, Run},
    score,
    serve::{self, arguments::Serve},
    stats,
    store::{self, Stores},
    verify::{self, Records},
};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use hushtable_columns::failure::EXIT_CODES;
use hushtable_jobs::{
    aes::Aes, apply::options::Apply, proximity::ProximityArgs, score::options::Score, stats::arguments::Stats,
};

const EXAMPLES: &str = "\
Examples:
  Both parties on this machine, with example data:
    hushtable demo
  Once, at each party; then exchange the files cert.pem, compare fingerprints and pin the peer's:
    hushtable identity new --name bank --out bank.id
    hushtable identity trust --identity bank.id telecom-cert.pem
  A common computation; one party listens, the other connects:
    hushtable score --threshold 0.8 --reveal me --features bank.csv --weights bank.toml \\
        --output out.csv --listen 0.0.0.0:7000 --identity bank.id
    hushtable score --threshold 0.8 --reveal peer --features telecom.csv --weights telecom.toml \\
        --connect bank.example:7000 --identity telecom.id
  Two tables by their ids, without showing who is in them:
    hushtable join --help
  Then counts, sums and means of the rows in common:
    hushtable stats --help
  A common model, each party with its own features and weights:
    hushtable score --help
  Whether moving objects of both are closer than a distance:
    hushtable proximity --help
  Lookups in a table that one party must not show:
    hushtable serve --help
    hushtable lookup --help
  A job file that both parties hold and approve, in steps if it has several:
    hushtable run --help
  What such a job shows to whom, and what it takes, before anything is sent:
    hushtable explain --help
  A circuit from Verilog, and run it:
    hushtable compile --help
    hushtable run --help
  A file under the other party's AES key:
    hushtable aes --help
  Make ahead what does not depend on the numbers, and look at it:
    hushtable prepare --help
    hushtable store ls --identity bank.id bank.store
  When the connection does not come about:
    hushtable doctor --connect bank.example:7000 --identity telecom.id
";

/// Two parties look things up together without showing what they looked up
#[derive(Parser, Debug)]
#[command(name = "hushtable", version, after_help = format!("{EXAMPLES}\n{EXIT_CODES}"), term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Demo(Demo),
    Apply(Box<Apply>),
    Score(Box<Score>),
    Join(Box<Join>),
    Stats(Box<Stats>),
    Proximity(Box<ProximityArgs>),
    Serve(Box<Serve>),
    Lookup(Box<Lookup>),
    Run(Box<Run>),
    Explain(Explain),
    Functions(Box<Functions>),
    Prepare(Box<Prepare>),
    Store(Stores),
    Record(Records),
    Identity(Identity),
    Doctor(Doctor),
    Info(info::Info),
    Aes(Box<Aes>),
    Compile(Compile),
    Plan(Plan),
    Calibrate(Calibrate),
    #[command(hide = true)]
    OtParty(OtParty),
}

/// Runs the program: results on standard output, an error as one message on standard error.
pub fn run() -> ExitCode {
    // A file that grows beyond what this process may write is an error like a full disk, and does not end it.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    let done = match parse().command {
        Command::Demo(args) => demo::run(&args),
        Command::Apply(args) => apply::run(&args),
        Command::Score(args) => score::run(&args),
        Command::Join(args) => join::run(&args),
        Command::Stats(args) => stats::run(&args),
        Command::Proximity(args) => proximity::run(&args),
        Command::Serve(args) => serve::run(*args),
        Command::Lookup(args) => lookup::run(&args),
        Command::Run(args) => run::run(&args),
        Command::Explain(args) => explain::run(args),
        Command::Functions(args) => functions::run(&args),
        Command::Prepare(args) => prepare::run(&args),
        Command::Store(args) => store::run(&args),
        Command::Record(args) => verify::run(&args),
        Command::Identity(args) => identity::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Info(_) => info::run(),
        Command::Aes(args) => aes::run(&args),
        Command::Compile(args) => compile::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::OtParty(args) => calibrate::run_party(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}

/// The arguments, or an exit with help or a complaint. The help of `apply` shows the functions' cards, which are
/// computed only when it is asked for.
fn parse() -> Cli {
    let arguments: Vec<_> = env::args_os().collect();
    let asks = |word: &str| arguments.iter().any(|argument| argument == word);
    let mut command = Cli::command();
    if asks("apply") && (asks("--help") || asks("help")) {
        command = command.mut_subcommand("apply", |apply| {
            let examples = apply.get_after_help().map(ToString::to_string).unwrap_or_default();
            apply.after_long_help(format!("Functions:\n{}\n{examples}", functions::usual()))
        });
    }
    let parsed = command.try_get_matches_from(&arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    parsed.unwrap_or_else(|error| error.exit())
}
