//! What a job shows to whom, and what it takes, in plain words and before anything is sent.

use crate::{
    agree::{self, Common},
    calibration::Calibration,
    choice::Choice,
    job::{Body, Job},
    link::Link,
    page::Page,
    stock,
};
use hushtable::{
    Role,
    bill::Bill,
    chance::Chance,
    net::LinkShape,
    ot::Setting,
    plan::{self, Estimate, Objective, Wanted},
    run::{self, Reveal},
};
use hushtable_columns::{failure::Result, shares::role_name, terminal, units};

/// What is said of threads for which nobody asked.
pub const THREADS: &str = "settled with the peer; counted as one here";

/// Prints the text of a dry run.
pub fn print(text: &str) -> Result<()> {
    terminal::print(text)
}

/// What there is besides the steps.
#[derive(Default)]
pub struct Ahead {
    /// How many items have their material on disk.
    pub stored: usize,
    /// What is done before the steps, and what chance can spoil there.
    pub bill: Bill,
    pub chance: Chance,
    /// Whether the peer's number of ids is still open.
    pub open: bool,
}

/// What the subcommand `kind` does in steps.
pub fn text(kind: &str, jobs: &mut [Job], common: &Common, ahead: Ahead, link: &Link) -> Result<String> {
    let calibration = Calibration::load(jobs[0].choosing.calibration.as_deref())?.over(link);
    let shape = calibration.shape(link);
    for job in jobs.iter_mut() {
        let rows = job.rows();
        if let Body::Lookup(lookup) = &mut job.body {
            // As the parties settle on one if the peer leaves it open.
            lookup.operation.protocol =
                job.choosing.over(&shape.unwrap_or(LinkShape::LOOPBACK), &lookup.operation.job, rows)?;
        }
    }
    let mut page = Page(format!("hushtable {kind}, before anything is sent\n"));
    who(&mut page, link)?;
    match &common.in_common {
        Some(rows) => {
            let main = jobs.iter().find(|job| job.stocked).unwrap_or(&jobs[0]);
            rows.explain(&mut page, &method(main), link.role());
        }
        None => (0..jobs.len()).for_each(|step| what(&mut page, jobs, step, link.role())),
    }
    if jobs.iter().any(|job| job.reveal != Reveal::Nobody) {
        page.line("repeated runs", "over the same rows add up: what one leaves open another may tell");
    }
    shown(&mut page, jobs, common, link)?;
    page.title(if ahead.open { "What it takes, if the peer has as many ids" } else { "What it takes" });
    costs(&mut page, jobs, ahead, shape, &calibration, link.role())?;
    Ok(page.0)
}

/// A step, and who learns what from its results.
fn what(page: &mut Page, jobs: &[Job], step: usize, me: Role) {
    let job = &jobs[step];
    let of_step = if jobs.len() > 1 { format!(", step {}", job.step) } else { String::new() };
    page.title(&format!("What is computed{of_step}"));
    let (name, rows) = (job.operation().name(), job.rows());
    page.line("operation", &format!("{name} for each of {rows} rows, by {}", method(job)));
    for &(operand, from) in job.takes() {
        let which = if operand == 0 { "x" } else { "y" };
        let earlier = &jobs[from].column;
        page.line(
            "",
            &format!("{which} is the result {earlier} of step {}, which stays shared", jobs[from].step),
        );
    }
    page.line("result", &format!("the column {}", job.column));
    card(page, job);
    job.notes.iter().for_each(|(name, words)| page.line(name, words));
    learned(page, job, &of_step, me);
}

/// The operation's card, whose lines are a name, spaces and text.
fn card(page: &mut Page, job: &Job) {
    let text = job.operation().card().unwrap_or_default();
    for (name, words) in text.lines().filter_map(|line| line.split_once("  ")) {
        page.line(name, words);
    }
}

/// Both ends.
pub fn who(page: &mut Page, link: &Link) -> Result<()> {
    page.title("Who");
    let (role, place) = (role_name(link.role()), link.place());
    match link.ends()? {
        Some([own, peer]) => {
            page.line(
                "this party",
                &format!("{} ({role}), {place}; fingerprint {}", own.name, own.fingerprint),
            );
            page.line(
                "the peer",
                &format!("{}; fingerprint {}; nobody else is let in", peer.name, peer.fingerprint),
            );
        }
        None => {
            page.line("this party", &format!("{role}, {place}"));
            page.line("the peer", "anybody who gets there: plain TCP, without identities");
        }
    }
    Ok(())
}

fn method(job: &Job) -> String {
    let open = matches!(job.body, Body::Lookup(_)) && job.choosing.protocol == Choice::Auto;
    format!(
        "{}{}",
        job.operation().method(),
        if open { ", unless the peer asks for another protocol" } else { "" }
    )
}

/// What each party learns from the results.
fn learned(page: &mut Page, job: &Job, of_step: &str, me: Role) {
    page.title(&format!("Who learns what from the results{of_step}"));
    let each = if job.labels.is_some() { "pair of rows" } else { "row" };
    let learns = |role| match job.reveal {
        Reveal::Nobody if job.stays => {
            "nothing: the results go on as shares, which say nothing alone".to_owned()
        }
        Reveal::Nobody => "nothing: it keeps a share of each result, which says nothing alone".to_owned(),
        reveal if reveal.reaches(role) => format!("for each {each} {}", job.operation().tells()),
        _ => "nothing: it gets no result".to_owned(),
    };
    page.line("this party", &learns(me));
    page.line("the peer", &learns(me.peer()));
    if let Some(labels) = &job.labels {
        let (own, others) = (labels.rows[me as usize], labels.rows[me.peer() as usize]);
        let text = format!(
            "each of the peer's {others} objects is compared with all {own} places here, and each of the {own} here with \
             all {others} of the peer's: together these results locate an object more closely \
             than one circle does"
        );
        page.line("all pairs", &text);
    }
}

/// What shows besides the results.
fn shown(page: &mut Page, jobs: &[Job], common: &Common, link: &Link) -> Result<()> {
    page.title("What shows besides");
    for (who, words) in common.in_common.iter().flat_map(|rows| &rows.shows) {
        page.line(who, words);
    }
    let ids = match jobs[0].ids {
        None if common.in_common.is_some() => "no ids: a hidden join finds the rows",
        Some(_) if common.find_difference => {
            "whether the ids are the same in the same order; if they differ, the number of the first row where they do, \
             found by hashes of ever fewer first rows. Each party prints its own id in that row, and can \
             test guesses of the other's against a hash that depends on no other unknown id"
        }
        Some(_) => {
            "whether the ids are the same in the same order, by a hash of the column; if they differ, each party keeps \
             the other's hash, against which it can test guesses of the whole column"
        }
        None if jobs[0].labels.is_some() => "no ids: each row is compared with each of the peer's, as pairs",
        None => "no ids: rows are matched by position alone",
    };
    page.line("to both", ids);
    let fields = agree::named(jobs, &agree::fields(jobs, common, link.role(), "none"));
    let fields: Vec<String> = fields.into_iter().map(|(name, value)| format!("{name} {value}")).collect();
    page.line("both compare", &fields.join("; "));
    let network = match link.ends()? {
        Some(_) => "both addresses, sizes and times, and from these about how many rows there are",
        None => "everything that is sent: plain TCP; whoever changes it changes results",
    };
    page.line("to the network", network);
    Ok(())
}

/// Bytes, rounds and time.
fn costs(
    page: &mut Page,
    jobs: &[Job],
    ahead: Ahead,
    shape: Option<LinkShape>,
    calibration: &Calibration,
    me: Role,
) -> Result<()> {
    let link = shape.unwrap_or(LinkShape::LOOPBACK);
    let under = calibration.machine().setting(link);
    let (rows, stored, bill) =
        (stock::items(jobs), ahead.stored, ahead.bill + bill(jobs, ahead.stored, &under)?);
    let phases = sent(page, &bill, &link, calibration, me);
    self::stored(page, stored, rows, "rows");
    let all = jobs.iter().map(|job| job.operation().chance(job.rows()));
    self::chance(page, &[ahead.chance].into_iter().chain(all).sum());
    if jobs[0].threads_are_open() {
        page.line("threads", THREADS);
    }
    let predicted = match jobs {
        [job] => predicted(job, rows - stored, &link, calibration)?,
        _ => None,
    };
    time(page, phases, predicted, shape, calibration);
    Ok(())
}

/// What each party sends, in a session over `link`.
pub fn sent(
    page: &mut Page,
    bill: &Bill,
    link: &LinkShape,
    calibration: &Calibration,
    me: Role,
) -> [Estimate; 3] {
    let phases = plan::least(bill, link, &calibration.machine());
    for (party, role) in [("this party sends", me), ("the peer sends", me.peer())] {
        let [setup, offline, online] =
            phases.each_ref().map(|phase| units::bytes(phase.bytes[role as usize].round() as u64));
        page.line(
            party,
            &format!("about {setup} to begin, {offline} before the numbers are used, {online} with them"),
        );
    }
    phases
}

/// How much of the material is in a store, if any is.
pub fn stored(page: &mut Page, stored: usize, rows: usize, what: &str) {
    if stored > 0 {
        page.line("", &format!("the material of {stored} of {rows} {what} is in the store"));
    }
}

/// What chance alone can spoil.
pub fn chance(page: &mut Page, chance: &Chance) {
    let text = match (chance.parts(), chance.check()) {
        ([], _) => "none: no step depends on luck".to_owned(),
        (_, Ok(())) => format!("{chance}; then the job ends with an error, or a result is wrong"),
        (_, Err(_)) => {
            format!(
                "{chance}. That is more than 2^-40, and refused once both know how many rows there are: fewer would do"
            )
        }
    };
    page.line("chance of failure", &text);
}

/// Rounds, and the time as it was predicted or at least.
pub fn time(
    page: &mut Page,
    phases: [Estimate; 3],
    predicted: Option<f64>,
    shape: Option<LinkShape>,
    calibration: &Calibration,
) {
    let rounds = phases.each_ref().map(|phase| phase.rounds.to_string()).join(" + ");
    page.line("messages in turn", &format!("{rounds}: to begin, before the numbers are used, with them"));
    let least: f64 = phases.iter().map(|phase| phase.seconds).sum();
    let time = match predicted {
        Some(seconds) => format!("about {} on one thread", units::time(seconds)),
        None => format!(
            "not predicted. Sending, waiting for answers and making correlated OTs take at least {}; what each machine \
             computes by itself and reading the files come on top, and often take many times that",
            units::time(least)
        ),
    };
    let over = match shape {
        Some(shape) => format!("over the network {shape}"),
        None => "on one machine; `hushtable calibrate` measures the network to the peer".into(),
    };
    page.line("time", &format!("{time}, {over} ({calibration})"));
}

/// What all steps cost, but for what is on disk.
fn bill(jobs: &[Job], stored: usize, under: &Setting) -> Result<Bill> {
    let mut left = stored;
    let of = |job: &Job| -> Result<Bill> {
        let (operation, rows, lanes) = (job.operation(), job.rows(), job.asked_threads());
        let all = run::bill(operation, rows, lanes, job.reveal, under)?;
        let stored = if job.stocked { left.min(rows) } else { 0 };
        left -= stored;
        Ok(all_but(all, run::bill(operation, rows - stored, lanes, job.reveal, under)?))
    };
    jobs.iter().map(of).try_fold(Bill::FREE, |all, next| Ok(all + next?))
}

/// What all of it costs, if only for what costs `made` material is made now.
pub fn all_but(all: Bill, made: Bill) -> Bill {
    Bill { cots: made.cots, offline: made.offline, ..all }
}

/// Seconds by the plan, which knows lookups.
fn predicted(job: &Job, made: usize, link: &LinkShape, calibration: &Calibration) -> Result<Option<f64>> {
    let Body::Lookup(lookup) = &job.body else { return Ok(None) };
    let lookup = &lookup.operation;
    let wanted = Wanted::new(Objective::Total, *link, calibration.machine());
    let way = (lookup.protocol, lookup.protocol.effort(&lookup.job, made.max(1))?);
    Ok(Some(plan::rank([way], &wanted)[0].value(Objective::Total)))
}
