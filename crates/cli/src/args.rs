//! The command line, and the exit code.

use std::{
    env,
    process::{ExitCode, exit},
};

use crate::{
    aes, apply,
    calibrate::{self, Calibrate, OtParty},
    compile::{self, Compile},
    demo::{self, example::Demo},
    doctor::{self, Doctor},
    explain::{self, Explain},
    functions::{self, Functions},
    help::{self, Help},
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
    settings::{self, Setting},
    shells::{self, Completions, Man},
    stats,
    store::{self, Stores},
    verify::{self, Records},
};
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand, error::ErrorKind};
use hushtable_columns::{failure::EXIT_CODES, manner::Manner, terminal};
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
#[command(name = "hushtable", version, after_help = format!("{EXAMPLES}\n{}\n{EXIT_CODES}", help::topics()), term_width = 100,
    disable_help_subcommand = true)]
struct Cli {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    manner: Manner,
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
    Help(Help),
    Completions(Completions),
    Man(Man),
    #[command(hide = true)]
    OtParty(OtParty),
}

/// Runs the program: results on standard output, an error as one message on standard error.
pub fn run() -> ExitCode {
    // A file that grows beyond what this process may write is an error like a full disk, and does not end it.
    #[cfg(unix)]
    let _ = signal_hook::flag::register(signal_hook::consts::SIGXFSZ, std::sync::Arc::default());
    let (Cli { command, manner }, applied) = parse();
    manner.adopt();
    settings::of_this_folder(&applied).iter().for_each(|said| terminal::note(said));
    trace(manner);
    let done = match command {
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
        Command::Help(args) => help::run(&args, Cli::command()),
        Command::Completions(args) => shells::complete(&args, Cli::command()),
        Command::Man(args) => shells::write_pages(&args, Cli::command()),
        Command::OtParty(args) => calibrate::run_party(&args),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            terminal::complain(&format!("error: {failure}\n"));
            failure.exit_code()
        }
    }
}

/// From now on prints what the library traces, if that is wanted.
#[cfg(feature = "tracing")]
fn trace(manner: Manner) {
    if manner.traces() {
        let lines = tracing_subscriber::fmt().with_max_level(tracing_subscriber::filter::LevelFilter::DEBUG);
        lines.with_ansi(false).with_writer(|| terminal::Screen).without_time().init();
    }
}

#[cfg(not(feature = "tracing"))]
fn trace(manner: Manner) {
    if manner.traces() {
        terminal::detail("this program was built without the library's traces (feature `tracing`)\n");
    }
}

/// The arguments with the settings, and these, or an exit with help or a complaint.
fn parse() -> (Cli, Vec<Setting>) {
    let mut command = Cli::command();
    command.build();
    let given: Vec<_> = env::args_os().collect();
    let (applied, arguments) = settings::apply(&command, given.clone()).unwrap_or_else(|failure| {
        terminal::complain(&format!("error: {failure}\n"));
        exit(failure.code().into())
    });
    let parsed =
        command.clone().try_get_matches_from(arguments).and_then(|matches| Cli::from_arg_matches(&matches));
    let parsed = parsed.unwrap_or_else(|error| {
        if error.kind() == ErrorKind::DisplayHelp {
            let leaf = settings::leaf(&command, &given).0;
            let text = if given.iter().any(|word| word == "--help") {
                help::two_screens(leaf)
            } else {
                help::brief(leaf)
            };
            let _ = terminal::print(&text);
            exit(0);
        }
        let text = error.to_string();
        let blamed = applied
            .iter()
            .filter(|one| error.exit_code() != 0 && text.contains(&format!("'--{} ", one.option)));
        blamed.for_each(|one| terminal::complain(&format!("--{} is set by {}\n", one.option, one.from)));
        error.exit()
    });
    (parsed, applied)
}
