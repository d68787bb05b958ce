//! From the comparison of what is asked to the results of rows in common.

use crate::apply::joined::question::Question;
use hushtable::{Party, Role, bill::Bill, ot::Setting, run::Phase};
use hushtable_columns::{failure::Result, output::Output, shares::role_name};
use hushtable_jobs::{
    cost::Phases,
    explain,
    join::file::JoinedFile,
    link::Link,
    meeting::{Agenda, Agreed, Begun, SetUp},
    page::Page,
    row_results::{self, Report},
    took::Took,
};

/// What both must ask alike.
pub struct Ask {
    pub question: Question,
    pub default: Option<f64>,
    /// Who gets results, each of its own rows.
    pub owners: Vec<Role>,
}

/// Computing it.
pub struct Applied {
    ask: Ask,
    file: JoinedFile,
    json: bool,
    /// Of each row here, if this party gets results.
    results: Option<Vec<f64>>,
}

impl Ask {
    /// What the parties compare.
    pub fn fields(&self, file: &JoinedFile, me: Role) -> Agreed {
        let names: Vec<&str> = self.owners.iter().map(|role| role_name(*role)).collect();
        let operation = &self.question.operation;
        let mut all = vec![
            ("command", "apply to rows in common".to_owned()),
            ("files", file.pairing(me)),
            ("operation", operation.name()),
            ("reveal", names.join(" and ")),
            ("default", self.default.map_or("empty".into(), |value| value.to_string())),
        ];
        all.extend(["x", "y"].into_iter().zip(self.question.words(file)));
        all.extend(operation.fields());
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// What it all costs.
    fn bill(&self, file: &JoinedFile, me: Role, under: &Setting) -> Result<Bill> {
        let mut all = Bill::FREE;
        for &owner in &self.owners {
            all = all + self.question.bill(self.default, row_results::table(file, owner, me).bins, under)?;
        }
        Ok(all)
    }

    /// What this shows to whom, and what it takes.
    pub fn explain(&self, file: &JoinedFile, link: &Link) -> Result<String> {
        let (me, question) = (link.role(), &self.question);
        let mut page = Page("hushtable apply, before anything is sent\n".into());
        explain::who(&mut page, link)?;
        page.title("What is computed");
        page.line("of", &format!("the rows in common of {}", file.words()));
        let operands = question.words(file).join(" and ");
        page.line("result", &format!("the column {}, of {operands}", question.name));
        question.decision().iter().for_each(|text| page.line("decision", text));
        row_results::told(&mut page, &self.owners, me, self.default, &question.tells(file));
        page.title("What shows besides");
        if let Some(within) = &question.within {
            let text = format!(
                "if a row in common lies outside the domain ({within}), both learn that there is one, and nothing else; \
                 rows that are not in common play no part"
            );
            page.line("to both", &text);
        }
        let fields: Vec<String> =
            self.fields(file, me).into_iter().map(|(name, value)| format!("{name} {value}")).collect();
        page.line("both compare", &fields.join("; "));
        page.title("What it takes");
        row_results::takes(&mut page, link, |under| self.bill(file, me, under))?;
        Ok(page.0)
    }
}

impl Applied {
    pub fn new(ask: Ask, file: JoinedFile, json: bool) -> Self {
        Self { ask, file, json, results: None }
    }

    /// How many rows are this party's.
    fn rows(&self) -> usize {
        self.file.owned.as_ref().map_or(0, |owned| owned.ids.len())
    }
}

impl Agenda for Applied {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        let fields = self.ask.fields(&self.file, p.role());
        row_results::agree(p, &fields, "")?;
        let (send, recv) = self.ask.bill(&self.file, p.role(), &p.setting())?.cots_of(p.role());
        p.prepare_ot(send, recv)?;
        begun.settle(p, fields)
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let mut took = Took::default();
        for &owner in &self.ask.owners {
            let table = row_results::table(&self.file, owner, p.role());
            let (question, default) = (&self.ask.question, self.ask.default);
            let results = question.answer(p, (&self.file, table), default, owner, &mut took)?;
            if let (Some(results), Some(owned)) = (results, &self.file.owned) {
                self.results = Some(row_results::by_row(&owned.rows, results, self.rows()));
            }
        }
        Ok([took.offline, took.online])
    }

    fn deliver(self, output: Option<Output>, _: [u8; 32], role: Role, phases: &Phases) -> Result<()> {
        let names = self.file.owned.as_ref().map(|owned| &owned.ids);
        let protocol = self.ask.question.operation.method();
        Report::new(["apply", &self.ask.question.name], role, self.rows(), protocol, phases).deliver(
            self.results.as_deref(),
            names,
            output,
            self.json,
        )
    }
}
