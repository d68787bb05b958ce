//! The command line, and the exit code.

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::{
    apply::{self, Apply},
    bench::{self, Bench, BenchParty},
    calibrate::{self, Calibrate},
    demo::{self, Demo},
    doctor::{self, Doctor},
    identity::{self, Identity},
    info,
    plan::{self, Plan},
    prepare::{self, Prepare},
    store::{self, Stores},
};

const EXAMPLES: &str = "\
Examples:
  Both parties on this machine, with example data:
    hushtable demo
  Once, at each party; then exchange the files cert.pem and pin the peer's:
    hushtable identity new --name bank --out bank.id
    hushtable identity trust --identity bank.id telecom/cert.pem
  A common computation; one party listens, the other connects:
    hushtable apply sigmoid --input bank.csv --column score --output out.csv \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable apply sigmoid --input telecom.csv --column score --output out.csv \\
        --connect bank.example:7000 --identity telecom.id
  Make ahead what does not depend on the numbers, and look at it:
    hushtable prepare --help
    hushtable store ls --identity bank.id bank.store
  When the connection does not come about:
    hushtable doctor --connect bank.example:7000 --identity telecom.id

Exit codes: 0 success; 1 a result failed its verification (demo, bench); 2 any other error.";

/// Two parties look things up together without showing what they looked up
#[derive(Parser, Debug)]
#[command(name = "hushtable", version, after_help = EXAMPLES, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand, Debug)]
enum Command {
    Demo(Demo),
    Apply(Box<Apply>),
    Prepare(Box<Prepare>),
    Store(Stores),
    Identity(Identity),
    Doctor(Doctor),
    Info(info::Info),
    Bench(Bench),
    Plan(Plan),
    Calibrate(Calibrate),
    #[command(hide = true)]
    BenchParty(BenchParty),
}

/// Runs the program: results on standard output, an error as one message on standard error.
pub fn run() -> ExitCode {
    let done = match Cli::parse().command {
        Command::Demo(args) => demo::run(&args),
        Command::Apply(args) => apply::run(&args),
        Command::Prepare(args) => prepare::run(&args),
        Command::Store(args) => store::run(&args),
        Command::Identity(args) => identity::run(&args),
        Command::Doctor(args) => doctor::run(&args),
        Command::Info(_) => info::run(),
        Command::Bench(args) => bench::run(&args),
        Command::Plan(args) => plan::run(&args),
        Command::Calibrate(args) => calibrate::run(&args),
        Command::BenchParty(args) => bench::run_party(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            failure.exit_code()
        }
    }
}
