//! What a job shows to whom, and what it takes, in plain words and before anything is sent.

use std::path::Path;

use crate::{
    agree::{self, Common},
    calibration::Calibration,
    choice::Choice,
    forecast::{Forecast, Local, Protocols},
    job::{Body, Job},
    link::Link,
    page::Page,
    plain::{self, Names},
    stock,
};
use hushtable::{
    Role,
    bill::Bill,
    chance::Chance,
    ot::Setting,
    run::{self, Reveal},
};
use hushtable_columns::{failure::Result, manner, shares::role_name, terminal};

/// What is said of threads for which nobody asked.
pub const THREADS: &str = "settled with the peer; counted as one here";

/// Prints a page: as JSON, or as text.
pub fn print(page: &Page) -> Result<()> {
    terminal::print(&if manner::is_json() { page.json() } else { page.text(manner::is_verbose()) })
}

/// How large files are together, those that are there.
pub fn size_of_files<'a>(files: impl IntoIterator<Item = &'a Path>) -> u64 {
    files.into_iter().filter_map(|path| path.metadata().ok()).map(|data| data.len()).sum()
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
    /// Ids of a join before the steps, and what it works on one by one.
    pub ids: usize,
    pub cells: usize,
}

/// What the subcommand `kind` does in steps, with the files `inputs`.
pub fn page(
    kind: &str,
    jobs: &mut [Job],
    common: &Common,
    ahead: Ahead,
    (link, inputs): (&Link, &[&Path]),
) -> Result<Page> {
    let forecast = Forecast::of(Calibration::load(jobs[0].choosing.calibration.as_deref())?, link);
    for job in jobs.iter_mut() {
        let rows = job.rows();
        if let Body::Lookup(lookup) = &mut job.body {
            // As the parties settle on one if the peer leaves it open.
            lookup.operation.protocol =
                job.choosing.over(&forecast.link(), link.means(), &lookup.operation.job, rows)?;
        }
    }
    let mut page = Page::new(&format!("hushtable {kind}, before anything is sent"));
    page.plain(sentences(kind, jobs, common, link)?);
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
    costs(&mut page, jobs, ahead, &forecast, size_of_files(inputs.iter().copied()), link.role())?;
    page.attach(common.described.clone());
    Ok(page)
}

/// Who computes what with whom, who learns what, and what nobody learns.
fn sentences(kind: &str, jobs: &[Job], common: &Common, link: &Link) -> Result<[String; 3]> {
    let names = Names::of(link)?;
    let both = names.both();
    let last = &jobs[jobs.len() - 1];
    let rows = crate::count::some(jobs[0].rows(), "row");
    if let Some(rows) = &common.in_common {
        let owners: Vec<_> = rows.owners.iter().map(|&role| names.party(role)).collect();
        return Ok([
            format!(
                "{both} compute {} together, for the rows of their tables that have the same id.",
                plain::quoted(&last.column)
            ),
            match owners.as_slice() {
                [one] => {
                    format!("{one} learns a result for each of its own rows; the other party learns nothing.")
                }
                _ => "Each learns a result for each of its own rows, and none for the other's.".into(),
            },
            format!(
                "Neither is shown the other's numbers or ids, but a result says something about them (see \"Who learns what\"); {}.",
                plain::network(link)
            ),
        ]);
    }
    let what = match kind {
        "score" => format!("score {rows} together, each with its own features and weights"),
        "proximity" => {
            format!("find out together, for {rows}, which of their objects are close to each other")
        }
        "run" if jobs.len() > 1 => {
            format!("carry out the {} steps of a job file together, for each of {rows}", jobs.len())
        }
        _ => format!(
            "compute {} together for each of {rows}, from numbers that they do not show each other",
            plain::quoted(&jobs[0].operation().name())
        ),
    };
    let shown: Vec<&Job> = jobs.iter().filter(|job| job.reveal != Reveal::Nobody).collect();
    let learned = match shown.as_slice() {
        [] => names.learns(Reveal::Nobody, "a result"),
        [one] if one.step == last.step => names.learns(one.reveal, "the result of each row"),
        all => {
            let of =
                |job: &&Job| names.learns(job.reveal, &format!("the results {}", plain::quoted(&job.column)));
            all.iter().map(of).collect::<Vec<_>>().join(" ")
        }
    };
    let rest = match shown.as_slice() {
        [] => "Neither learns anything about the other's numbers but how many rows there are".to_owned(),
        _ => "Neither is shown the other's numbers, but who learns a result can tell from it and its own numbers \
              something about the other's (see \"Who learns what\")"
            .to_owned(),
    };
    Ok([format!("{both} {what}."), learned, format!("{rest}; {}.", plain::network(link))])
}

/// A step, and who learns what from its results.
fn what(page: &mut Page, jobs: &[Job], step: usize, me: Role) {
    let job = &jobs[step];
    let of_step = if jobs.len() > 1 { format!(", step {}", job.step) } else { String::new() };
    page.title(&format!("What is computed{of_step}"));
    let (name, rows) = (job.operation().name(), job.rows());
    page.line(
        "operation",
        &format!("{name} for each of {}, by {}", crate::count::some(rows, "row"), method(job)),
    );
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
            page.line("this party", &format!("{} ({role}), {place}", own.name));
            page.detail("", &format!("fingerprint {}", own.fingerprint));
            page.line("the peer", &format!("{}; nobody else is let in", peer.name));
            page.detail("", &format!("fingerprint {}", peer.fingerprint));
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
    page.detail("both compare", &fields.join("; "));
    let network = match link.ends()? {
        Some(_) => "both addresses, sizes and times, and from these about how many rows there are",
        None => "everything that is sent: plain TCP; whoever changes it changes results",
    };
    page.line("to the network", network);
    Ok(())
}

/// Bytes, time and money.
fn costs(
    page: &mut Page,
    jobs: &[Job],
    ahead: Ahead,
    forecast: &Forecast,
    read: u64,
    me: Role,
) -> Result<()> {
    let under = forecast.under();
    let (rows, stored, bill) =
        (stock::items(jobs), ahead.stored, ahead.bill + bill(jobs, ahead.stored, &under)?);
    forecast.sent(page, &bill);
    self::stored(page, stored, rows, "rows");
    let all = jobs.iter().map(|job| job.operation().chance(job.rows()));
    self::chance(page, &[ahead.chance].into_iter().chain(all).sum());
    if jobs[0].threads_are_open() {
        page.line("threads", THREADS);
    }
    let protocols = match jobs {
        [Job { body: Body::Lookup(lookup), .. }] => {
            let lookup = &lookup.operation;
            Protocols::Counted(lookup.protocol.effort(&lookup.job, (rows - stored).max(1))?)
        }
        _ => Protocols::Billed(bill),
    };
    let written = jobs.iter().filter(|job| job.writes(me)).map(Job::rows).sum();
    let named = if jobs.iter().any(|job| job.ids.is_some()) { rows } else { 0 };
    let functions = jobs.iter().filter(|job| job.operation().card().is_some()).count();
    let Ahead { ids, cells, .. } = ahead;
    forecast.takes(page, protocols, &Local { read, named, ids, functions, written, cells });
    Ok(())
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
