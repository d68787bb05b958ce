//! Asking: from the comparison of what is asked to the results.

use crate::{
    cost::Phases,
    join::file::JoinedFile,
    meeting::{Agenda, Begun, SetUp},
    progress::Progress,
    row_results,
    stats::{
        groups::{self, Answering},
        orders::{self, Found},
        question::Question,
        results::{self, Line, Told},
    },
    took::Took,
};
use apps::statistics::Group;
use hushtable::{
    Party, Role,
    bill::Bill,
    ot::Setting,
    run::{self, Phase, Reveal},
};
use hushtable_columns::{failure::Result, output::Output};

/// A question to two files.
pub struct Asking {
    question: Question,
    file: JoinedFile,
    lines: Vec<Line>,
}

impl Asking {
    pub fn new(question: Question, file: JoinedFile) -> Self {
        Self { question, file, lines: vec![] }
    }
}

/// What it all costs, at most: if all groups are shown.
pub fn bill(question: &Question, file: &JoinedFile, under: &Setting) -> Result<Bill> {
    let bins = question.table(file).bins;
    let mut all = groups::bill(question, bins, under)? + orders::bill(question, bins, under)?;
    for part in &question.parts {
        all = all + run::bill(&question.shape(part, bins), 1, 1, Reveal::Both, under)?;
    }
    Ok(all)
}

/// The answers, of which `step` is the name in a job file.
pub fn answer(
    question: &Question,
    step: Option<&str>,
    file: &JoinedFile,
    p: &mut Party,
    took: &mut Took,
) -> Result<Vec<Line>> {
    let progress = Progress::start("parts of the question", question.parts.len());
    let mut answers: Vec<(_, Vec<Group>, Vec<Found>)> = Vec::new();
    let answering = Answering { question, file, table: question.table(file) };
    let members = answering.members(p, took)?;
    for part in &question.parts {
        let members = answering.members_of(part, &members, p, took)?;
        let columns = answering.columns(part, p, took)?;
        let shape = question.shape(part, answering.table.bins);
        let operands: Vec<&[u64]> = [&members].into_iter().chain(&columns).map(|words| &words[..]).collect();
        let shown = Group::all(&shape, took.values(p, &shape, &operands)?);
        // Public by now: which groups have enough rows, and how many.
        let found = answering.orders(part, &members, &shown, p, took)?;
        answers.push((part, shown, found));
        progress.step();
    }
    if question.noise.is_some() {
        eprintln!("noise: {}", question.noise_words());
    }
    let names = question.groups();
    let told = names.iter().enumerate().flat_map(|(i, name)| {
        answers.iter().map(move |(part, shown, found)| Told {
            part,
            name,
            group: shown.iter().find(|group| group.group == i),
            found: found.iter().filter(|found| found.group == i).collect(),
        })
    });
    Ok(results::lines(question, step, told))
}

impl Agenda for Asking {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        let fields = self.question.fields(&self.file, p.role());
        row_results::agree(p, &fields, "")?;
        let (send, recv) = bill(&self.question, &self.file, &p.setting())?.cots_of(p.role());
        p.prepare_ot(send, recv)?;
        begun.settle(p, fields)
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let mut took = Took::default();
        self.lines = answer(&self.question, None, &self.file, p, &mut took)?;
        Ok([took.offline, took.online])
    }

    fn deliver(self, output: Option<Output>, _: [u8; 32], role: Role, phases: &Phases) -> Result<()> {
        results::deliver(
            &self.lines,
            (output, &self.file.style()),
            ("stats", Some(self.question.least)),
            role,
            phases,
        )
    }
}
