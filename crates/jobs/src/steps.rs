//! The steps of a job file as jobs: each by the options of `apply`, `score` or `proximity` that it stands for.

pub mod joint;

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
};

use crate::{
    apply::{self, options::Apply, question::Earlier},
    choice::Choosing,
    count::some,
    decision::Through,
    job::Job,
    job_file::{Flag, JobFile, NEARNESS, Operand, SCORING, Step, is_relation},
    join::forms,
    link::Link,
    proximity::{self, ProximityArgs},
    score::{self, options::Score},
};
use apps::ids::Rules;
use clap::{
    Args, Command,
    error::{ContextKind, ContextValue},
};
use hushtable::{Role, run::Reveal};
use hushtable_columns::{
    Dialect,
    failure::{Failure, Result},
    named,
    shares::ShareFile,
};
use prim::wipe::Wiped;

/// What is this party's own.
pub struct Own<'a> {
    pub file: &'a Path,
    pub input: &'a Path,
    pub weights: Option<&'a Path>,
    pub csv: &'a Dialect,
    pub link: &'a Link,
    pub calibration: Option<&'a Path>,
    /// How its ids are brought into the form that the file says, if not as that says.
    pub normalise: &'a [Rules],
}

/// The jobs of all steps, read and checked.
pub fn jobs(file: &JobFile, own: &Own<'_>) -> Result<Vec<Job>> {
    let (mut jobs, mut earlier): (Vec<Job>, Vec<Earlier>) = Default::default();
    let mut functions = Vec::new();
    // The job of each step that is computed.
    let mut place = Vec::new();
    for (i, step) in file.steps.iter().enumerate() {
        let stays = file.stays(i);
        functions.push(through(file, i, own, &earlier)?);
        place.push(jobs.len());
        if functions[i].is_some() && !is_needed(file, i) {
            continue;
        }
        let (step, through) = decided_on_what(file, step, &functions);
        let step = &step;
        let mut job = match step.operation.as_str() {
            SCORING => score::job(&scored(file, step, own, stays)?),
            NEARNESS => proximity::job(&near(file, step, own, stays)?),
            _ => apply::step(&applied(file, step, own, stays)?, &earlier, through),
        }
        .map_err(|failure| failure.worded(|text| format!("step {:?}: {text}", step.name)))?;
        (job.column, job.stays, job.reveal) = (step.name.clone(), stays, reveal(file, step));
        job.step = i + 1;
        for (operand, which) in [&step.x, &step.y].into_iter().enumerate() {
            if let Some(Operand::Step(from)) = which {
                job.take(operand, place[*from]);
            }
        }
        if let Some(other) = jobs.first().filter(|first: &&Job| first.rows() != job.rows()) {
            let (rows, first) = (job.rows(), other.rows());
            return Err(Failure::input(format!(
                "step {:?} has {}, the first {first}",
                step.name,
                some(rows, "row")
            )));
        }
        earlier.push(Earlier { path: stand_in(i), shares: before_it_is(&job, own.link.role()).into() });
        jobs.push(job);
    }
    Ok(jobs)
}

/// The function of a step, where a later one asks on which side of a constant its results are.
fn through(file: &JobFile, at: usize, own: &Own<'_>, earlier: &[Earlier]) -> Result<Option<Through>> {
    let step = &file.steps[at];
    if !file.steps.iter().any(|later| asks_a_side(later, at))
        || [SCORING, NEARNESS].contains(&&*step.operation)
    {
        return Ok(None);
    }
    let from = match &step.x {
        Some(Operand::Step(from)) => earlier.iter().find(|earlier| earlier.path == stand_in(*from)),
        _ => None,
    };
    Ok(apply::sees_through(&applied(file, step, own, true)?, from))
}

/// Whether a step asks only on which side of a constant the results of step `of` are, in no format of its own.
fn asks_a_side(step: &Step, of: usize) -> bool {
    let order = ["ge", "gt", "le", "lt"].contains(&step.operation.as_str());
    order
        && step.x == Some(Operand::Step(of))
        && matches!(step.y, Some(Operand::Number(_)))
        && !step.options.iter().any(|flag| ["bits", "fraction-bits"].contains(&flag.key.as_str()))
}

/// Whether anything but sides of constants is asked about the results of a step.
fn is_needed(file: &JobFile, at: usize) -> bool {
    let is_it = |operand: &Option<Operand>| *operand == Some(Operand::Step(at));
    let uses = |later: &&Step| is_it(&later.x) || is_it(&later.y);
    file.steps[at].reveal != "none" || file.steps.iter().filter(uses).any(|later| !asks_a_side(later, at))
}

/// A step, or, where it asks on which side of a constant a function's results are, the same of what the function is of.
fn decided_on_what(file: &JobFile, step: &Step, seen: &[Option<Through>]) -> (Step, Option<Through>) {
    let Some(Operand::Step(of)) = step.x else { return (step.clone(), None) };
    match seen.get(of) {
        Some(Some(through)) if asks_a_side(step, of) => {
            (Step { x: file.steps[of].x.clone(), ..step.clone() }, Some(*through))
        }
        _ => (step.clone(), None),
    }
}

/// The results of a step before they are there: zeros.
fn before_it_is(job: &Job, role: Role) -> ShareFile {
    let shares = job.share_file([0; 32], role, Wiped::zeros(job.rows()));
    ShareFile { session: "this one".into(), ..shares }
}

/// To whom a step's results go.
fn reveal(file: &JobFile, step: &Step) -> Reveal {
    match step.reveal.as_str() {
        "both" => Reveal::Both,
        "none" => Reveal::Nobody,
        name if name == file.parties[0] => Reveal::Only(Role::P0),
        _ => Reveal::Only(Role::P1),
    }
}

/// What stands for the results of a step where a file's path is asked for.
fn stand_in(step: usize) -> PathBuf {
    format!("result of step {}", step + 1).into()
}

/// What `apply` is asked.
fn applied(file: &JobFile, step: &Step, own: &Own<'_>, stays: bool) -> Result<Apply> {
    let role = own.link.role() as usize;
    let mut all: Vec<OsString> = vec![step.operation.clone().into()];
    let path = |operand: &Option<Operand>| match operand {
        Some(Operand::Step(from)) => stand_in(*from),
        _ => own.input.to_owned(),
    };
    let input = path(&step.x);
    all.push(with("--input", &input));
    let column = |operand: &Option<Operand>| match operand {
        Some(Operand::Columns(columns)) => columns[role].clone(),
        _ => None,
    };
    all.extend(column(&step.x).map(|column| format!("--column={}", named::written(&column)).into()));
    match &step.y {
        None => {}
        Some(Operand::Number(number)) => all.push(format!("--constant={number}").into()),
        other => {
            let second = path(other);
            if second != input {
                all.push(with("--other", &second));
            }
            all.extend(column(other).map(|column| format!("--against={}", named::written(&column)).into()));
        }
    }
    all.push(match &file.ids {
        Some(ids) => format!("--id={}", named::written(&ids[role])).into(),
        None => "--no-ids".into(),
    });
    if stays {
        all.extend(asked_for(file, step, own)?);
    }
    all.extend(shared(file, step, stays));
    let args: Apply = parsed(file, step, own, all)?;
    let choosing = Choosing { calibration: own.calibration.map(Path::to_owned), ..args.choosing };
    Ok(Apply { link: own.link.clone(), csv: own.csv.clone(), choosing, ..args })
}

/// The format in which later steps want the results of this one, if they say so, or if they are to be indices of a
/// table: these have the digits of the numbers.
fn asked_for(file: &JobFile, step: &Step, own: &Own<'_>) -> Result<Vec<OsString>> {
    if is_relation(&step.operation) {
        return Ok(Vec::new());
    }
    let value = |of: &Step, key: &str| {
        of.options.iter().find(|flag| flag.key == key).and_then(|flag| flag.value.clone())
    };
    let at = file.steps.iter().position(|other| other.name == step.name).map(Operand::Step);
    let later: Vec<&Step> =
        file.steps.iter().filter(|later| at.is_some() && [&later.x, &later.y].contains(&&at)).collect();
    // What all of them say that say anything.
    let said = |key: &str| -> Result<Option<String>> {
        let mut found = later.iter().filter_map(|later| Some((later, value(later, key)?)));
        let Some((first, wanted)) = found.next() else { return Ok(None) };
        match found.find(|(_, other)| *other != wanted) {
            None => Ok(Some(wanted)),
            Some((second, other)) => Err(Failure::input(format!(
                "{}: steps {:?} and {:?} want results of {:?} with {key} = {wanted} and {other}; accepted: the same in both",
                own.file.display(),
                first.name,
                second.name,
                step.name
            ))),
        }
    };
    let looked_up = |later: &&Step| {
        later.options.iter().any(|flag| flag.key == "protocol")
            || value(later, "outside").as_deref() == Some("wrap")
    };
    let usual =
        later.iter().any(looked_up).then(|| value(step, "fraction-bits").unwrap_or_else(|| "8".into()));
    let wanted = [("bits", said("bits")?), ("output-fraction-bits", said("fraction-bits")?.or(usual))];
    let wanted = wanted.into_iter().filter(|(key, _)| step.options.iter().all(|flag| flag.key != *key));
    Ok(wanted.filter_map(|(key, value)| Some(format!("--{key}={}", value?).into())).collect())
}

/// What `proximity` is asked.
fn near(file: &JobFile, step: &Step, own: &Own<'_>, stays: bool) -> Result<ProximityArgs> {
    let mut all = vec![with("--mine", own.input), id(file, step, own)?];
    all.extend(shared(file, step, stays).into_iter().filter(is_not_optimise));
    let args: ProximityArgs = parsed(file, step, own, all)?;
    Ok(ProximityArgs { link: own.link.clone(), csv: own.csv.clone(), ..args })
}

/// The column of ids, which these operations need.
fn id(file: &JobFile, step: &Step, own: &Own<'_>) -> Result<OsString> {
    let Some(ids) = &file.ids else {
        let (name, operation) = (&step.name, &step.operation);
        let what = format!("step {name:?}: {operation} matches rows by ids; ids = false is for other steps");
        return Err(Failure::input(format!("{}: {what}", own.file.display())));
    };
    let id = &ids[own.link.role() as usize];
    Ok(if file.join { format!("--join={id}") } else { format!("--id={}", named::written(id)) }.into())
}

/// Of all options this one is only of `apply`.
fn is_not_optimise(flag: &OsString) -> bool {
    !flag.as_encoded_bytes().starts_with(b"--optimise")
}

/// The score of rows in common.
pub fn joined(file: &JobFile, own: &Own<'_>) -> Result<Score> {
    scored(file, &file.steps[0], own, false)
}

/// What `score` is asked.
fn scored(file: &JobFile, step: &Step, own: &Own<'_>, stays: bool) -> Result<Score> {
    let Some(weights) = own.weights else {
        return Err(Failure::new(format!(
            "--weights FILE has this party's weights for step {:?}",
            step.name
        )));
    };
    let id = id(file, step, own)?;
    let mut all = vec![with("--features", own.input), with("--weights", weights), id];
    all.extend(shared(file, step, stays).into_iter().filter(is_not_optimise));
    let mut args: Score = parsed(file, step, own, all)?;
    if file.join {
        let columns = args.rowing.ids()?.len();
        args.rowing.normalise = forms::own(&args.rowing.normalise, own.normalise, columns, "ids")?;
    }
    Ok(Score { link: own.link.clone(), csv: own.csv.clone(), ..args })
}

/// What the parties have alike. The connection is put in later.
fn shared(file: &JobFile, step: &Step, stays: bool) -> Vec<OsString> {
    let to = match reveal(file, step) {
        _ if stays => "none",
        Reveal::Nobody => "none",
        Reveal::Both => "both",
        Reveal::Only(Role::P0) => "p0",
        Reveal::Only(Role::P1) => "p1",
    };
    let fixed = [format!("--reveal={to}"), "--connect=later".into(), "--insecure-plain-tcp".into()];
    let fixed = fixed.map(OsString::from).into_iter();
    fixed.chain(step.options.iter().chain(&file.options).map(Flag::argument)).collect()
}

fn with(option: &str, path: &Path) -> OsString {
    let mut text = OsString::from(format!("{option}="));
    text.push(path);
    text
}

/// These arguments of a subcommand; a complaint names the line.
fn parsed<T: Args>(file: &JobFile, step: &Step, own: &Own<'_>, arguments: Vec<OsString>) -> Result<T> {
    let command = T::augment_args(Command::new("step").no_binary_name(true));
    let parsed = command.try_get_matches_from(arguments).and_then(|matches| T::from_arg_matches(&matches));
    parsed.map_err(|error| {
        let about = match error.get(ContextKind::InvalidArg) {
            Some(ContextValue::String(argument)) => argument.as_str(),
            _ => "",
        };
        let flags = step.options.iter().chain(&file.options);
        let of = |flag: &&Flag| about.split(' ').next() == Some(&format!("--{}", flag.key));
        let line = flags.into_iter().find(of).map_or(step.line, |flag| flag.line);
        let text = error.to_string();
        let text = text.split("\n\n").next().unwrap_or_default().trim_start_matches("error: ");
        let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
        Failure::input(format!("{}: line {line}: {text}", own.file.display()))
    })
}
