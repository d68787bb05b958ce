//! A meeting with the peer, whatever a command does there: from the first connection to what comes out.

use std::{path::Path, time::Instant};

use crate::{
    choice::Choosing,
    cost::Phases,
    delivery::Delivery,
    explain,
    link::Link,
    page::Page,
    record::{About, Record},
    seal::seal,
};
use hushtable::{Party, Role, ot::SessionWish, run::Phase};
use hushtable_columns::{
    disk,
    failure::{Failure, Result},
    output::{Output, PRIVATE},
    terminal, units,
};

/// Names and values, which both parties have.
pub type Agreed = Vec<(String, String)>;

/// A session that has begun.
pub struct Begun {
    /// When connecting began.
    pub start: Instant,
    /// Whether this party wants the record signed.
    sign: bool,
}

/// What the parties have agreed on.
pub struct SetUp {
    pub agreed: Agreed,
    /// Whether the peer wants the record signed; if nothing, they tell each other when all is computed.
    pub peer_signs: Option<bool>,
    /// What it took until here.
    pub took: Phase,
}

impl Begun {
    /// For work that has one connection: tells each other who wants the record signed.
    pub fn settle(&self, p: &mut Party, agreed: Agreed) -> Result<SetUp> {
        let peer_signs = Some(self.peer_signs(p)?);
        Ok(SetUp { peer_signs, ..self.agreed(p, agreed) })
    }

    /// The same, but for who wants that: they tell each other at the end.
    pub fn agreed(&self, p: &mut Party, agreed: Agreed) -> SetUp {
        SetUp { agreed, peer_signs: None, took: Phase::new(self.start, p.take_cost()) }
    }

    fn peer_signs(&self, p: &mut Party) -> Result<bool> {
        Ok(p.exchange(vec![u8::from(self.sign)], 1)? == [1])
    }
}

/// What a command does.
pub trait Agenda {
    /// Meets the peer, with this wish for the OT extension. Returns since when that has been coming about, too.
    fn meet(&mut self, link: &Link, wish: SessionWish) -> Result<(Party, Instant)> {
        let (connection, start) = link.open()?;
        link.note(|record| record.met(&connection));
        Ok((Party::new(connection, wish)?, start))
    }

    /// Compares with the peer what both must have alike, and starts the OT extension.
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp>;

    /// Computes. Returns what was prepared, and what needed the inputs.
    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]>;

    /// Writes and prints what came out, in `session` as `role`.
    fn deliver(self, output: Option<Output>, session: [u8; 32], role: Role, phases: &Phases) -> Result<()>;
}

/// A command that meets the peer, and its arguments.
pub struct Meeting<'a> {
    /// The subcommand.
    pub kind: &'a str,
    /// The hash of the job file.
    pub file: Option<String>,
    /// How many rows it is of, here.
    pub rows: usize,
    /// What comes out, and to whom.
    pub column: String,
    pub reveal: String,
    /// What is known of the parameters beforehand.
    pub fields: Agreed,
    /// What this does, in words, if anybody is told.
    pub explained: Option<Page>,
    /// Whether something is written here, of about so many bytes.
    pub writes: Option<u64>,
    pub delivery: &'a Delivery,
    pub link: &'a Link,
    /// The files that neither output nor record must replace, besides the identity.
    pub inputs: Vec<&'a Path>,
    /// Another file that the output must not replace.
    pub kept: Option<&'a Path>,
    /// Which OT extension this party wishes, if not by the calibration that is there.
    pub wish: Option<SessionWish>,
    /// What both sign of the outcome.
    pub outcome: &'static str,
}

/// What is signed of an outcome that needs no more words.
pub const COMPUTED: &str = "computed";

impl Meeting<'_> {
    /// Connects, computes and delivers, or only says what that would be.
    pub fn carry_out(self, agenda: impl Agenda) -> Result<()> {
        let Self { delivery, link, .. } = self;
        if delivery.sign && link.identity().is_none() {
            return Err(Failure::new("--sign needs --identity DIR: with plain TCP nobody has a key"));
        }
        let inputs: Vec<_> = self.inputs.iter().copied().chain(link.identity()).chain(self.kept).collect();
        if delivery.dry_run {
            delivery.no_record()?;
            self.reserve(&inputs, false)?;
            let page = self.explained.expect("a dry run is explained");
            return explain::print(&page);
        }
        let output = self.reserve(&inputs, true)?;
        let Some(path) = &delivery.record else { return self.deliver(agenda, output) };
        let about = About {
            command: self.kind,
            file: self.file.clone(),
            rows: self.rows,
            column: self.column.clone(),
            reveal: self.reveal.clone(),
            fields: self.fields.clone(),
            role: link.role(),
            ends: link.ends()?,
            identity: link.identity(),
            inputs: &self.inputs,
            kept: self.kept,
            output: output.as_ref().map(Output::path),
            explained: self.explained.as_ref().map_or(String::new(), |page| page.text(true)),
        };
        let identity = link.identity().filter(|_| delivery.sign);
        link.keep(Record::begin(path, delivery.force, about)?.signed_by(identity));
        link.end_record(self.deliver(agenda, output))
    }

    /// The output file, if there is something to write. It replaces none of `inputs`, and its disk has room.
    fn reserve(&self, inputs: &[&Path], needed: bool) -> Result<Option<Output>> {
        let Some(bytes) = self.writes else { return Ok(None) };
        let Some(path) = &self.delivery.output else {
            let missing = Failure::new("--output FILE says where the results go");
            return if needed { Err(missing) } else { Ok(None) };
        };
        let mode = self.delivery.output_mode.unwrap_or(PRIVATE);
        let output = Output::reserve(path, inputs, mode, self.delivery.force)?;
        disk::check(path, bytes)?;
        Ok(Some(output))
    }

    /// From connecting to the results.
    fn deliver(self, mut agenda: impl Agenda, output: Option<Output>) -> Result<()> {
        let wish = match self.wish {
            Some(wish) => wish,
            None => Choosing::default().calibration()?.wish(self.link),
        };
        let (mut p, start) = agenda.meet(self.link, wish)?;
        let (role, session, sign) = (p.role(), p.id(), self.delivery.sign);
        let begun = Begun { start, sign };
        // Its own arguments were looked at before: what is refused now is what the parties have together.
        let done = agenda.set_up(&mut p, &begun).and_then(|set| {
            self.link.note(|record| record.compared(set.agreed.clone()));
            let setting = p.setting();
            let memory = units::bytes(setting.memory);
            terminal::detail(&format!(
                "both take the link for {}; a batch may take {memory}\n",
                setting.link
            ));
            let took = agenda.compute(&mut p)?;
            let peer_signs = set.peer_signs.map_or_else(|| begun.peer_signs(&mut p), Ok)?;
            Ok((took, set, peer_signs))
        });
        // While the connections stand.
        let done = done.map_err(Failure::of_both);
        let ([offline, online], set, peer_signs) = done.inspect_err(|failure| self.link.tell(failure))?;
        seal(self.link, &mut p, [sign, peer_signs], (self.kind, &set.agreed, self.outcome));
        drop(p);
        let phases = Phases::of(role, set.took, offline, online);
        self.link.note(|record| record.took(phases));
        agenda.deliver(output, session, role, &phases)?;
        phases.tell();
        Ok(())
    }
}
