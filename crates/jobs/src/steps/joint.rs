//! A job file's hidden join, and statistics of it, in one session.

use std::{ffi::OsString, path::Path};

use crate::{
    cost::Phases,
    count::some,
    job_file::{Flag, JobFile, Operand, Step},
    join::{
        agree::{Ask, Offer},
        asked::{Duplicates, Shown},
        column::{self, Column, FRACTION_BITS, rules},
        explain,
        file::{JoinedFile, Shared, Table},
        forms,
        hidden::{self, Hiding},
        rows::{Reading, Rows},
    },
    link::Link,
    meeting::{Agenda, Begun, SetUp},
    page::Page,
    plain::{self, Names},
    row_results,
    stats::{
        self,
        arguments::Asked,
        question::Question,
        results::{self, Line},
        work,
    },
    steps::{Own, parsed},
    took::Took,
};
use apps::ids::Rules;
use clap::Args;
use hushtable::{
    Party, Role,
    run::{Phase, Reveal},
};
use hushtable_columns::{
    ColumnFile,
    failure::{Cause, Failure, Result},
    named,
    output::Output,
};

/// What a step that joins says, as options of `join`.
#[derive(Args)]
struct Options {
    #[arg(long, value_enum, default_value = "refuse")]
    duplicates: Duplicates,
    #[arg(long, default_value_t = FRACTION_BITS, value_parser = clap::value_parser!(u32).range(0..=32))]
    fraction_bits: u32,
    #[arg(long, value_parser = rules)]
    normalise: Vec<Rules>,
    #[arg(long)]
    rows: Option<String>,
    #[arg(long)]
    tell_form: bool,
}

/// What a step of statistics says.
#[derive(Args)]
struct Statistics {
    #[command(flatten)]
    asked: Asked,
}

/// The join and what is asked of it, at this party, read and checked.
pub struct Joint {
    ask: Ask,
    rows: Rows,
    /// Of both parties.
    columns: [Vec<Column>; 2],
    role: Role,
    asked: Vec<(String, Asked)>,
    hash: String,
    /// What is shown to whom, until it is taken.
    pub explained: Option<Page>,
}

impl Joint {
    /// Of a file whose first step is a join.
    pub fn of(file: &JobFile, own: &Own<'_>, peer_at_most: Option<usize>) -> Result<Self> {
        let ([first, rest @ ..], Some(ids)) = (&file.steps[..], &file.ids) else {
            unreachable!("checked when it was read")
        };
        let role = own.link.role();
        if file.find_difference || !file.options.is_empty() {
            let what = "options are for steps over rows in one order; a join and statistics have none";
            return Err(Failure::input(format!("{}: {what}", own.file.display())));
        }
        let says = |step: &Step, what: String| {
            Failure::input(format!("{}: line {}: {what}", own.file.display(), step.line))
        };
        let options: Options = parsed(file, first, own, arguments(first))?;
        let who = match options.rows.as_deref() {
            // Both may want results of their rows later; statistics need none of them.
            None if rest.is_empty() => Reveal::Both,
            None => Reveal::Nobody,
            Some("both") => Reveal::Both,
            Some(name) => match file.parties.iter().position(|party| party == name) {
                Some(0) => Reveal::Only(Role::P0),
                Some(_) => Reveal::Only(Role::P1),
                None => {
                    let [a, b] = &file.parties;
                    return Err(says(first, format!("rows: {name:?} is not one of: {a}, {b}, both")));
                }
            },
        };
        let columns = [Role::P0, Role::P1].map(|role| {
            let columns = columns(first, role, options.fraction_bits);
            columns.map_err(|what| says(first, format!("{} of {}", what, file.parties[role as usize])))
        });
        let [p0, p1] = columns;
        let columns = [p0?, p1?];
        let ids = column::ids(&ids[role as usize..][..1], "ids")?;
        let forms = forms::own(&options.normalise, own.normalise, ids.len(), "ids")?;
        let reading = Reading {
            ids: &ids,
            rules: &forms,
            columns: &columns[role as usize],
            duplicates: options.duplicates,
            whole: false,
            pad_to: None,
            most: apps::join::MAX_ROWS,
        };
        let input = ColumnFile::open(own.input, own.csv)?;
        let rows = Rows::read(&input, own.input, &reading)?;
        rows.warn(own.input);
        let ask = Ask { reveal: Shown::None, who, forms, told: options.tell_form, peer_at_most };
        let mut asked = Vec::new();
        for step in rest {
            let Statistics { asked: one } = parsed(file, step, own, arguments(step))?;
            asked.push((step.name.clone(), one));
        }
        let read = crate::explain::size_of_files([own.input]);
        let mut explained = explain::page(&ask, &rows, &columns[role as usize], own.link, read)?;
        if !asked.is_empty() {
            explained.plain(sentences(&asked, &rows, own.link)?);
        }
        let like = like(&ask, &columns, rows.bound, role)?;
        for ((name, one), step) in asked.iter().zip(rest) {
            let question = Question::of(one, &like);
            let question = question.map_err(|failure| says(step, format!("step {name:?}: {failure}")))?;
            explained.step(name, stats::explain::page(&question, &like, own.link, 0)?);
        }
        Ok(Self { ask, rows, columns, role, asked, hash: file.hash.clone(), explained: Some(explained) })
    }

    /// Whether there are statistics.
    pub fn asks(&self) -> bool {
        !self.asked.is_empty()
    }

    /// Rows here that count.
    pub fn counted(&self) -> usize {
        self.rows.counted()
    }

    /// What comes out, in a few words.
    pub fn words(&self) -> String {
        if self.asked.is_empty() { "shares of a join".into() } else { names(&self.asked).join(", ") }
    }

    /// About how many bytes this party's shares of the join take in a file.
    pub fn size(&self) -> u64 {
        crate::join::file::size(self.rows.bound, &self.columns[self.role as usize])
    }

    /// What is done at the meeting. `joined` is where this party's shares of the join go, if they are kept.
    pub fn agenda(self, joined: Option<Output>) -> Surveying {
        let columns = self.columns[self.role as usize].clone();
        let path = joined.as_ref().map(|output| output.path().to_owned());
        let hiding = Hiding::new(self.ask, self.rows, columns, path);
        let Self { columns, asked, hash, .. } = self;
        Surveying { hiding, columns, asked, hash, joined, file: None, lines: vec![] }
    }
}

/// The names of statistics.
fn names(asked: &[(String, Asked)]) -> Vec<&str> {
    asked.iter().map(|(name, _)| name.as_str()).collect()
}

/// Who computes what with whom, who learns what, and what nobody learns.
fn sentences(asked: &[(String, Asked)], rows: &Rows, link: &Link) -> Result<[String; 3]> {
    let (parties, own) = (Names::of(link)?, some(rows.counted(), "row"));
    let quoted: Vec<String> = names(asked).into_iter().map(plain::quoted).collect();
    Ok([
        format!(
            "{} match the rows of two tables by their ids ({own} here), and compute statistics of the rows in common: {}.",
            parties.both(),
            quoted.join(", ")
        ),
        "Both learn these statistics, each of which is explained below, and neither learns which ids match."
            .into(),
        format!(
            "Besides, both learn only how many ids the other's table may have and which columns it brings; {}.",
            plain::network(link)
        ),
    ])
}

/// The columns of a party, and which of them may have missing cells; what is wrong with them.
fn columns(step: &Step, role: Role, fraction_bits: u32) -> std::result::Result<Vec<Column>, String> {
    let of = |operand: &Option<Operand>| -> Vec<String> {
        match operand {
            Some(Operand::Columns(columns)) => columns[role as usize].iter().cloned().collect(),
            _ => vec![],
        }
    };
    let mut columns = Column::all(&of(&step.x), fraction_bits)?;
    Column::let_miss(&mut columns, &named::names(&of(&step.y))?)?;
    Ok(columns)
}

fn arguments(step: &Step) -> Vec<OsString> {
    step.options.iter().map(Flag::argument).collect()
}

/// What the join will be like, if the peer has as many ids.
fn like(ask: &Ask, columns: &[Vec<Column>; 2], rows: usize, role: Role) -> Result<JoinedFile> {
    let offers = columns.each_ref().map(|columns| Offer { rows, columns: columns.clone() });
    let tables = hidden::owners(ask, [rows; 2]).into_iter().map(|owner| {
        let bins = hidden::join(owner, &offers)?.bins();
        Ok(Table::new(owner, bins, Shared::of(&[]), vec![]))
    });
    let tables = tables.collect::<Result<_>>()?;
    Ok(JoinedFile::new([0; 32], role, offers, tables, None))
}

/// Joins, then asks.
pub struct Surveying {
    hiding: Hiding,
    columns: [Vec<Column>; 2],
    asked: Vec<(String, Asked)>,
    hash: String,
    joined: Option<Output>,
    file: Option<JoinedFile>,
    lines: Vec<Line>,
}

impl Agenda for Surveying {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        let job = ("job file", self.hash.clone());
        p.agree(&[("command", "run of a job file".to_owned()), job.clone()])?;
        let mut set = self.hiding.set_up(p, begun)?;
        let offered = self.hiding.offers().each_ref().map(|offer| &offer.columns);
        if offered != self.columns.each_ref() {
            let what = "the peer joins other columns than the job file names".to_owned();
            return Err(Failure::Reported(Cause::Peer, what));
        }
        set.agreed.insert(0, (job.0.to_owned(), job.1));
        Ok(set)
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let [offline, online] = self.hiding.compute(p)?;
        let mut took = Took { offline, online };
        let file = self.hiding.file(p.id(), p.role());
        for (name, asked) in &self.asked {
            let question = Question::of(asked, &file)?;
            row_results::agree(p, &question.fields(&file, p.role()), "")?;
            let (send, recv) = work::bill(&question, &file, &p.setting())?.cots_of(p.role());
            p.prepare_ot(send, recv)?;
            self.lines.extend(work::answer(&question, Some(name), &file, p, &mut took)?);
        }
        self.file = Some(file);
        Ok([took.offline, took.online])
    }

    fn deliver(self, output: Option<Output>, _: [u8; 32], role: Role, phases: &Phases) -> Result<()> {
        let file = self.file.expect("computed");
        if let Some(joined) = self.joined {
            hidden::write(&file, joined)?;
        }
        match self.asked.is_empty() {
            true => self.hiding.report(role, file.tables.each_ref().map(|table| table.rows), phases),
            false => results::deliver(&self.lines, (output, &file.style()), ("run", None), role, phases),
        }
    }
}

/// An error unless there is something to write where it is asked for.
pub fn check_outputs(asks: bool, output: Option<&Path>, joined: Option<&Path>) -> Result<()> {
    match (asks, output, joined) {
        (false, Some(_), _) => Err(Failure::new(
            "--output is for results, and this job has none: --joined FILE says where this party's shares of the join go",
        )),
        (false, None, None) => {
            Err(Failure::new("--joined FILE says where this party's shares of the join go"))
        }
        _ => Ok(()),
    }
}
