//! `hushtable run`: a job from a file that both parties hold and approve, or a circuit.

mod circuit;
pub mod ports;

use std::{
    io::{self, BufRead, IsTerminal, Write},
    path::{Path, PathBuf},
};

use apps::ids::Rules;
use clap::Args;
use hushtable::net::{self, Identity};
use hushtable_columns::{
    Dialect, FileFormat, disk,
    failure::{Failure, Result},
    manner,
    output::{Output, PRIVATE},
    terminal,
};
use hushtable_jobs::{
    agree::Common,
    circuit::is_circuit,
    count::count,
    delivery::Delivery,
    job_file::JobFile,
    join::column,
    link::Link,
    meeting::{COMPUTED, Meeting},
    options::refuse,
    page::Page,
    score,
    steps::{
        self, Own,
        joint::{Joint, check_outputs},
    },
    stock::Stock,
    task::Task,
};

const EXAMPLES: &str = "\
A job file says what the parties share; what is each one's own comes from the command line. Both must hold the same \
bytes: the hash is compared before any work. It is SHA-256, as sha256sum prints it. `run` says what the job shows to \
whom, and goes on if somebody at the terminal says yes, or --approve says the hash.

    hushtable-job = 1
    about = \"Whose income is higher; the bank alone learns it\"
    ids = { bank = \"id\", telecom = \"customer\" }   # one name for both, or false: by position
    [parties]
    listens = \"bank\"
    connects = \"telecom\"
    [[step]]
    name = \"higher\"
    operation = \"ge\"                 # or any function or comparison of `apply`, or score
    x = { bank = \"income\" }          # columns, by party; a sum if both have one
    y = { telecom = \"income\" }       # or a number, or the name of an earlier step
    reveal = \"bank\"                  # a party, both or none

  A result that a later step names stays shared for it, whoever else gets it; what both parties see of each step goes \
to one file. Besides, a step takes bits, domain, fraction-bits, method, output-fraction-bits, outside and protocol, as \
`apply` does; score takes bands, bits, fraction-bits, reveal-exact and threshold; proximity takes within, plane and \
the names of columns. [options] has find-difference, optimise and threads.
  A circuit (FILE.hut, what `hushtable compile` writes, or lib:NAME such as lib:aes128 and lib:f32_mul) is run too: --inputs FILE has this party's values for its input \
ports, --reveal says who gets the outputs. Both must have the same circuit: its hash is compared.

  A hidden join and statistics of it are steps too, the join first:

    [[step]]
    name = \"customers\"
    operation = \"join\"
    columns = { bank = [\"income:1000\", \"region:north/south\"], telecom = [\"bills:100\"] }
    missing = { bank = [\"income\"] }    # cells of these may be missing
    normalise = \"lower\"
    reveal = \"none\"
    [[step]]
    name = \"overview\"
    operation = \"stats\"
    mean = [\"income\", \"bills\"]
    by = [\"region\"]
    where = [\"bills>=1\"]
    reveal = \"both\"

  A join takes duplicates, fraction-bits, normalise, rows and tell-form besides, statistics what `stats` does. Results are \
printed, and go to --output; --joined keeps this party's shares of the join, for `stats`, `score` and `apply` later.
  With join = true the rows are those in common, by a hidden join of the ids, in files of any order. There is one step \
then, a score, which takes default, normalise and tell-form too; see `score --join`.

Examples:
  What a file says, and its hash:
    hushtable run --check compare.toml
  What it shows to whom with these numbers; nothing is connected or sent:
    hushtable run compare.toml --input bank.csv --dry-run \\
        --listen 0.0.0.0:7000 --identity bank.id
  The same, and run it:
    hushtable run compare.toml --input bank.csv --output out.csv \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable run compare.toml --input telecom.csv --approve e129dc2385f2fd8b716b83bf52de460e \\
        --connect bank.example:7000 --identity telecom.id
  A circuit, each party with the values of its ports:
    hushtable run lib:f32_mul --inputs bank.json --reveal both \\
        --listen 0.0.0.0:7000 --identity bank.id";

/// Least digits of a hash that approve a file: 128 bits. Who writes two files can find some with 64 alike.
const DIGITS: usize = 32;

/// Run a job from a file that both parties hold and approve
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Run {
    /// The job file, byte for byte as the peer has it
    #[arg(value_name = "FILE", required_unless_present = "check")]
    file: Option<PathBuf>,
    /// Only check a job file, say what it says, and print its hash
    #[arg(long, value_name = "FILE", conflicts_with_all = ["file", "input", "output", "approve", "weights", "inputs"])]
    check: Option<PathBuf>,
    /// Which party of the file this is [default: the one with the name in the identity's certificate]
    #[arg(long = "as", value_name = "NAME")]
    party: Option<String>,
    /// This party's numbers, or features: a CSV file with a header
    #[arg(long, value_name = "FILE")]
    input: Option<PathBuf>,
    /// This party's weights for a step that scores: a TOML file
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// The hash of the file that was approved, or its first 32 digits or more; without it this asks at the terminal
    #[arg(long, value_name = "HEX", value_parser = digits)]
    approve: Option<String>,
    /// Where this party's shares of a job's hidden join go, as `join --output`; needed where the job has no statistics
    #[arg(long, value_name = "FILE")]
    joined: Option<PathBuf>,
    /// With join = true, or a step that joins: refuse a peer that says it has more ids, before anything is computed
    #[arg(long, value_name = "N", value_parser = count)]
    peer_at_most: Option<usize>,
    /// How ids are written in this party's own file, where the job file says it for another country or order of dates:
    /// e164:+49 where it says e164:+43, date:dmy where it says date
    #[arg(long, value_name = "RULE,...", value_parser = column::rules)]
    normalise: Vec<Rules>,
    /// What `hushtable calibrate` wrote [default: that of this user, if there is one]
    #[arg(long, value_name = "FILE")]
    calibration: Option<PathBuf>,
    #[command(flatten)]
    circuit: circuit::Options,
    #[command(flatten)]
    csv: Dialect,
    #[command(flatten)]
    pub delivery: Delivery,
    #[command(flatten)]
    link: Link,
}

/// Runs the subcommand.
pub fn run(args: &Run) -> Result<()> {
    if let Some(path) = &args.check {
        let file = JobFile::read(path)?;
        return match manner::is_json() {
            true => terminal::json(&file.described()),
            false => terminal::print(&file.described().to_string()),
        };
    }
    let path = args.file.as_deref().expect("clap requires it");
    if is_circuit(path) {
        let own = circuit::Own { csv: &args.csv, calibration: args.calibration.as_deref() };
        refuse(&[(true, "is for job files, and this is a circuit", &of_jobs(args))])?;
        return args.link.attended(|| circuit::run(path, &args.circuit, &own, &args.delivery, &args.link));
    }
    refuse(&[(
        true,
        "is for circuits, FILE.hut or lib:NAME, and this is a job file",
        &args.circuit.given(),
    )])?;
    let file = JobFile::read(path);
    let link = match &file {
        Ok(file) => args.link.to_peer(&file.parties[args.link.role().peer() as usize]),
        Err(_) => args.link.clone(),
    };
    link.attended(|| carry_out(args, path, &file?, &link))
}

/// The options of jobs alone, and whether each was given.
fn of_jobs(args: &Run) -> [(&'static str, bool); 13] {
    let Dialect { decimal, thousands, na, na_as, bad_rows, leave_out, .. } = &args.csv;
    [
        ("--as", args.party.is_some()),
        ("--input", args.input.is_some()),
        ("--weights", args.weights.is_some()),
        ("--approve", args.approve.is_some()),
        ("--joined", args.joined.is_some()),
        ("--normalise", !args.normalise.is_empty()),
        ("--peer-at-most", args.peer_at_most.is_some()),
        ("--decimal", decimal.is_some()),
        ("--thousands", thousands.is_some()),
        ("--na", !na.is_empty()),
        ("--na-as", !na_as.is_empty()),
        ("--bad-rows", bad_rows.is_some()),
        ("--leave-out", !leave_out.is_empty()),
    ]
}

fn carry_out(args: &Run, path: &Path, file: &JobFile, link: &Link) -> Result<()> {
    is_party(args, path, file)?;
    link.check_is_for(&file.parties[link.role().peer() as usize])?;
    let Some(input) = args.input.as_deref() else {
        return Err(Failure::new("--input FILE has this party's numbers"));
    };
    let (weights, calibration) = (args.weights.as_deref(), args.calibration.as_deref());
    let (csv, delivery) = (&args.csv, &args.delivery);
    let normalise = &args.normalise;
    let own = Own { file: path, input, weights, csv, link, calibration, normalise };
    if file.is_joint() {
        return survey(args, path, file, &own);
    }
    refuse(&[(true, "needs a job whose first step is a join", &[("--joined", args.joined.is_some())])])?;
    let (jobs, in_common, before) = if file.join {
        if file.find_difference {
            let what = "find-difference cannot be combined with join = true";
            return Err(Failure::input(format!("{}: {what}", path.display())));
        }
        let (asked, name) = (steps::joined(file, &own)?, &file.steps[0].name);
        score::steps(&asked, Some(name), args.peer_at_most)?
    } else {
        let of_joins =
            [("--peer-at-most", args.peer_at_most.is_some()), ("--normalise", !args.normalise.is_empty())];
        refuse(&[(true, "needs a job with join = true, or with a first step that joins", &of_joins)])?;
        (steps::jobs(file, &own)?, None, None)
    };
    let others = [Some(path), Some(input), weights, calibration].into_iter().flatten();
    let inputs = others.chain(csv.inputs()).collect();
    let (hash, find_difference, sign) = (Some(file.hash.clone()), file.find_difference, delivery.sign);
    let common =
        Common { file: hash, find_difference, sign, in_common, described: file.described().to_string() };
    let mut task = Task { kind: "run", jobs, common, before, stock: Stock::none(), delivery, link, inputs };
    if !delivery.dry_run {
        show(args, &task.explain()?);
        approve(args, path, file)?;
    }
    task.carry_out()
}

/// Says what the job shows to whom: in any case to who is asked about it.
fn show(args: &Run, page: &Page) {
    let text = page.text(manner::is_verbose());
    if args.approve.is_some() { terminal::note(&text) } else { terminal::complain(&text) }
}

/// A hidden join, and statistics of it.
fn survey(args: &Run, path: &Path, file: &JobFile, own: &Own<'_>) -> Result<()> {
    let (delivery, link) = (&args.delivery, own.link);
    let weights = [("--weights", args.weights.is_some()), ("--calibration", args.calibration.is_some())];
    refuse(&[(true, "is for jobs that score", &weights)])?;
    let mut joint = Joint::of(file, own, args.peer_at_most)?;
    let mut explained = joint.explained.take().expect("it is taken once");
    explained.attach(file.described().to_string());
    let asks = joint.asks();
    check_outputs(asks || delivery.dry_run, delivery.output.as_deref(), args.joined.as_deref())?;
    if let Some(path) = &delivery.output {
        FileFormat::of_output(path)?;
    }
    let inputs: Vec<&Path> = [path, own.input].into_iter().chain(own.csv.inputs()).collect();
    let joined = match &args.joined {
        Some(to) if !delivery.dry_run => {
            let others = inputs.iter().copied().chain(link.identity()).chain(delivery.output.as_deref());
            disk::check(to, joint.size())?;
            Some(Output::reserve(to, &others.collect::<Vec<_>>(), PRIVATE, delivery.force)?)
        }
        _ => None,
    };
    if !delivery.dry_run {
        show(args, &explained);
        approve(args, path, file)?;
    }
    let errand = Meeting {
        kind: "run",
        file: Some(file.hash.clone()),
        rows: joint.counted(),
        column: joint.words(),
        reveal: if asks { "both" } else { "none" }.into(),
        fields: vec![("job file".into(), file.hash.clone())],
        explained: Some(explained),
        writes: delivery.output.is_some().then_some(1 << 16),
        delivery,
        link,
        inputs,
        kept: args.joined.as_deref(),
        wish: None,
        outcome: COMPUTED,
    };
    errand.carry_out(joint.agenda(joined))
}

/// An error unless the party that listens, or connects, is the one that does so here.
fn is_party(args: &Run, path: &Path, file: &JobFile) -> Result<()> {
    let [listens, connects] = &file.parties;
    let role = args.link.role() as usize;
    let own = match (&args.party, args.link.identity()) {
        (Some(name), _) => net::composed_name(name),
        (None, Some(folder)) => Identity::load(folder)?.name().to_owned(),
        // Nobody has a name.
        (None, None) => return Ok(()),
    };
    let path = path.display();
    match file.parties.iter().position(|party| net::composed_name(party) == own) {
        Some(party) if party == role => Ok(()),
        Some(_) => {
            Err(Failure::new(format!("{path}: {listens} listens and {connects} connects; this is {own}")))
        }
        None => Err(Failure::new(format!(
            "{path} is for {listens} and {connects}; this is {own}: --as NAME says which of them that is"
        ))),
    }
}

/// An error unless this file was approved.
fn approve(args: &Run, path: &Path, file: &JobFile) -> Result<()> {
    let (path, hash) = (path.display(), &file.hash);
    match &args.approve {
        Some(digits) if hash.starts_with(&digits.to_ascii_lowercase()) => Ok(()),
        Some(digits) => {
            Err(Failure::new(format!("{path} has the hash {hash}; what was approved begins with {digits}")))
        }
        None if io::stdin().is_terminal() && io::stderr().is_terminal() => {
            ask(hash, &mut io::stdin().lock(), &mut terminal::Screen)
        }
        None => Err(Failure::new(format!(
            "nobody approved {path}: run this at a terminal, or give --approve HEX, the first {DIGITS} digits or more of \
             its hash, {hash}"
        ))),
    }
}

/// Asks whether the job is approved; anything but "yes" is an error.
fn ask(hash: &str, answers: &mut impl BufRead, screen: &mut impl Write) -> Result<()> {
    let broken = |e: io::Error| Failure::new(format!("terminal: {e}"));
    write!(screen, "The peer's file must have the same hash,\n  {hash}\nRun this job? Type yes or no: ")
        .and_then(|()| screen.flush())
        .map_err(broken)?;
    let mut answer = String::new();
    answers.read_line(&mut answer).map_err(broken)?;
    match answer.trim() {
        "yes" => Ok(()),
        _ => Err(Failure::new("not run: the job was not approved with \"yes\"")),
    }
}

fn digits(text: &str) -> std::result::Result<String, String> {
    let fine = (DIGITS..=64).contains(&text.len()) && text.bytes().all(|b| b.is_ascii_hexdigit());
    if fine { Ok(text.to_owned()) } else { Err(format!("accepted: {DIGITS} to 64 hexadecimal digits")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_yes_is_a_yes() {
        for (answer, fine) in [("yes\n", true), (" yes \r\n", true), ("y\n", false), ("", false)] {
            let mut screen = Vec::new();
            assert_eq!(ask("9f2c", &mut answer.as_bytes(), &mut screen).is_ok(), fine, "{answer:?}");
            assert!(String::from_utf8(screen).unwrap().contains("9f2c"));
        }
    }
}
