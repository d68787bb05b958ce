//! Scoring of rows in common: from the comparison of what is asked to the results.

use crate::{
    cost::Phases,
    explain,
    join::{agree, file::JoinedFile, hidden, rows::Rows, tell},
    link::Link,
    meeting::{Agenda, Agreed, Begun, SetUp},
    page::Page,
    progress::Progress,
    row_results::{self, Report, answer::answer, table},
    score::joined::{
        answer::shared,
        model::{self, Model},
    },
    took::Took,
};
use apps::{
    ids::{Rules, Set},
    join::{Column, Join},
    scoring::Scoring,
};
use hushtable::{
    AShare, Party, Role,
    bill::Bill,
    chance::Chance,
    gates::Bits,
    operation::Operation,
    ot::Setting,
    run::{Phase, Reveal},
};
use hushtable_columns::{
    Ids,
    failure::{Cause, Failure, Result},
    memory::fits,
    output::Output,
    shares::role_name,
};
use prim::wipe::Wiped;

/// What both must ask alike.
pub struct Ask {
    /// The hash of the job file, if there is one.
    pub file: Option<String>,
    pub scoring: Scoring,
    pub default: Option<f64>,
    /// Who gets results, each of its own rows.
    pub owners: Vec<Role>,
    pub column: String,
    /// Of each column of the id, if the rows are joined now.
    pub forms: Vec<Rules>,
    /// Whether the parties tell each other how most of their ids look.
    pub told: bool,
    /// Most ids that the peer may have; this party's own rule.
    pub peer_at_most: Option<usize>,
}

/// Where the rows come from.
pub enum Input {
    File(Box<JoinedFile>, Model),
    Fresh { rows: Box<Rows>, parts: Wiped<u64>, bound: usize },
}

/// Scoring them.
pub struct Scored {
    ask: Ask,
    input: Input,
    json: bool,
    quiet: bool,
    sizes: [usize; 2],
    /// Of each row here, if this party gets results.
    results: Option<Vec<f64>>,
}

impl Input {
    /// Who gets results, if they go to whom `reveal` says.
    pub fn owners(&self, reveal: Reveal, me: Role) -> Result<Vec<Role>> {
        match self {
            Self::File(file, _) => row_results::owners(row_results::of_file(file, me), reveal),
            Self::Fresh { .. } => row_results::owners([Role::P0, Role::P1].into_iter(), reveal),
        }
    }

    /// How many rows are this party's.
    pub fn rows(&self, _me: Role) -> usize {
        match self {
            Self::File(file, _) => file.owned.as_ref().map_or(0, |owned| owned.ids.len()),
            Self::Fresh { rows, .. } => rows.ids(),
        }
    }
}

impl Ask {
    /// What the parties compare.
    pub fn fields(&self, input: &Input, me: Role) -> Agreed {
        let names: Vec<&str> = self.owners.iter().map(|role| role_name(*role)).collect();
        let mut all = vec![
            ("job file", self.file.clone().unwrap_or_else(|| "none".into())),
            ("command", "score of rows in common".to_owned()),
            (
                "files",
                match input {
                    Input::File(file, _) => file.pairing(me),
                    Input::Fresh { .. } => "joined now".into(),
                },
            ),
            ("reveal", names.join(" and ")),
            ("default", self.default.map_or("empty".into(), |value| value.to_string())),
        ];
        all.extend(self.scoring.fields());
        all.extend(self.forms.iter().map(|rules| ("form of ids", rules.normal_form())));
        all.extend(matches!(input, Input::Fresh { .. }).then(|| tell::field(self.told)));
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }

    /// A join of ids and parts of scores.
    fn join(&self, owner: Role, sizes: [usize; 2]) -> Result<Join> {
        let bits = self.scoring.bits();
        Ok(Join::new(owner, sizes, &[Column::additive(bits)], &[bits])?)
    }

    /// What it all costs.
    fn bill(&self, input: &Input, sizes: [usize; 2], me: Role, under: &Setting) -> Result<Bill> {
        let mut all = Bill::FREE;
        for &owner in &self.owners {
            let (bill, bins) = match input {
                Input::File(file, _) => {
                    let table = table(file, owner, me);
                    (model::bill(file, table, me, &self.scoring), table.bins)
                }
                Input::Fresh { .. } => {
                    let join = self.join(owner, sizes)?;
                    (join.bill(under)? + Set::bill(), join.bins())
                }
            };
            all = all + bill + row_results::answer::bill(&shared(&self.scoring)?, self.default, bins, under)?;
        }
        Ok(all)
    }

    /// What chance can spoil: nothing in rows that were joined before.
    fn chance(&self, input: &Input, sizes: [usize; 2]) -> Result<Chance> {
        let Input::Fresh { .. } = input else { return Ok(Chance::NONE) };
        Ok(hidden::chance(&self.owners, sizes)? + Set::chance(sizes[0] + sizes[1]))
    }

    /// What this shows to whom, and what it takes.
    pub fn explain(&self, input: &Input, link: &Link) -> Result<String> {
        let mut page = Page("hushtable score, before anything is sent\n".into());
        explain::who(&mut page, link)?;
        page.title("What is computed");
        let me = link.role();
        let from = match input {
            Input::File(file, _) => format!("the rows in common of {}", file.words()),
            Input::Fresh { rows, .. } => {
                format!("the rows in common, by a hidden join of {} ids here", rows.ids())
            }
        };
        page.line("of", &from);
        page.line("result", &format!("the column {}: {}", self.column, self.scoring.question()));
        row_results::told(&mut page, &self.owners, me, self.default, &self.scoring.tells());
        page.title("What shows besides");
        if let Input::Fresh { rows, bound, .. } = input {
            page.line(
                "to the peer",
                &format!("that this party has up to {bound} ids; and the peer's number to this party"),
            );
            if self.told {
                page.line("and", &format!("{}; and the same of the peer's to this party", tell::words(rows)));
            }
        }
        let fields: Vec<String> =
            self.fields(input, me).into_iter().map(|(name, value)| format!("{name} {value}")).collect();
        page.line("both compare", &fields.join("; "));
        let fresh = matches!(input, Input::Fresh { .. });
        page.title(if fresh { "What it takes, if the peer has as many ids" } else { "What it takes" });
        let size = if let Input::Fresh { bound, .. } = input { *bound } else { 0 };
        explain::chance(&mut page, &self.chance(input, [size; 2])?);
        row_results::takes(&mut page, link, |under| self.bill(input, [size; 2], me, under))?;
        Ok(page.0)
    }
}

impl Scored {
    pub fn new(ask: Ask, input: Input, json: bool, quiet: bool) -> Self {
        Self { ask, input, json, quiet, sizes: [0; 2], results: None }
    }

    /// Matches and scores of the bins of a join, and at its owner the row of each bin, counted from 1.
    fn scores(
        &self,
        p: &mut Party,
        owner: Role,
        hashed: Option<&apps::ids::Ids>,
        took: &mut Took,
    ) -> Result<Bins> {
        match &self.input {
            Input::File(file, model) => {
                let table = table(file, owner, p.role());
                let scores = model::scores(p, file, table, model, &self.ask.scoring, took)?;
                let mine = file.owned.as_ref().filter(|_| owner == p.role());
                let rows = mine.map_or(Wiped::zeros(0), |owned| Wiped::from(owned.rows.to_vec()));
                Ok(Bins { matched: table.matched.bits(table.bins), scores, rows })
            }
            Input::Fresh { parts, .. } => {
                let join = self.ask.join(owner, self.sizes)?;
                let prepared = took.offline(p, |p| join.prepare(p))?;
                let hashed = hashed.expect("of ids");
                let joined = took.online(p, |p| prepared.run(p, hashed, &[parts]))?;
                let scores = &joined.additive[0] + &joined.own[0];
                let rows = joined
                    .rows()
                    .map(|rows| rows.map(|row| row.map_or(0, |row| row as u64 + 1)).collect::<Vec<u64>>());
                Ok(Bins {
                    matched: joined.matched.clone(),
                    scores,
                    rows: rows.map_or(Wiped::zeros(0), Wiped::from),
                })
            }
        }
    }
}

/// What is known of the bins of a join.
struct Bins {
    matched: Bits,
    scores: AShare<u64>,
    rows: Wiped<u64>,
}

/// The names of this party's rows.
fn names(input: &Input) -> Option<&Ids> {
    match input {
        Input::File(file, _) => file.owned.as_ref().map(|owned| &owned.ids),
        Input::Fresh { rows, .. } => Some(&rows.names),
    }
}

impl Agenda for Scored {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        let mut fields = self.ask.fields(&self.input, p.role());
        row_results::agree(p, &fields, ", or both parties say --join")?;
        if let Input::Fresh { rows, bound, .. } = &self.input {
            let theirs = p.exchange((*bound as u64).to_le_bytes().to_vec(), 8)?;
            let theirs = u64::from_le_bytes(theirs.try_into().expect("8 bytes"));
            if !(1..=apps::join::MAX_ROWS as u64).contains(&theirs) {
                let what = format!("malformed message from the peer: {theirs} ids");
                return Err(Failure::Reported(Cause::Peer, what));
            }
            if !self.quiet {
                eprintln!("the peer joins up to {theirs} ids");
            }
            agree::accept(theirs as usize, *bound, self.ask.peer_at_most)?;
            if self.ask.told {
                tell::tell(p, rows, self.quiet)?;
            }
            self.sizes[p.role() as usize] = *bound;
            self.sizes[p.role().peer() as usize] = theirs as usize;
            Set::check_chance(self.sizes, |sizes| hidden::chance(&self.ask.owners, sizes))?;
            for &owner in &self.ask.owners {
                let bins = self.ask.join(owner, self.sizes)?.bins() as u64;
                fits(hidden::bytes(bins, 2, self.sizes[owner.peer() as usize] as u64, 1), "this join")?;
            }
            fields.push((
                "ids of P0 and P1, at most".into(),
                format!("{} and {}", self.sizes[0], self.sizes[1]),
            ));
        }
        let bill = self.ask.bill(&self.input, self.sizes, p.role(), &p.setting())?;
        let (send, recv) = bill.cots_of(p.role());
        p.prepare_ot(send, recv)?;
        begun.settle(p, fields)
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let _progress = Progress::start("scores", 1, self.quiet);
        let mut took = Took::default();
        let hashed = match &self.input {
            Input::Fresh { rows, .. } => {
                let set = rows.set()?;
                Some(took.online(p, |p| set.salted(p))?)
            }
            Input::File(..) => None,
        };
        for owner in self.ask.owners.clone() {
            let bins = self.scores(p, owner, hashed.as_ref(), &mut took)?;
            let Ask { scoring, default, .. } = &self.ask;
            let (asked, operands) = (shared(scoring)?, [bins.scores.words()]);
            let results = answer(p, &asked, *default, owner, (&bins.matched, &operands), &mut took)?;
            if let Some(results) = results {
                self.results = Some(row_results::by_row(&bins.rows, results, self.input.rows(p.role())));
            }
        }
        Ok([took.offline, took.online])
    }

    fn deliver(self, output: Option<Output>, _: [u8; 32], role: Role, phases: &Phases) -> Result<()> {
        let rows = self.input.rows(role);
        let (function, protocol) = (self.ask.column.as_str(), self.ask.scoring.method());
        Report::new(["score", function], role, rows, protocol, phases).deliver(
            self.results.as_deref(),
            names(&self.input),
            output,
            self.json,
        )
    }
}
