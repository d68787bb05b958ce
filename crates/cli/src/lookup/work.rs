//! What a lookup does with the peer.

use std::time::Instant;

use crate::lookup::{
    arguments::Lookup,
    keys::Keys,
    output,
    session::{self, Asked, Ready},
};
use apps::private_table::Looked;
use hushtable::{
    Party, Role,
    ot::SessionWish,
    run::{self, Phase},
};
use hushtable_columns::{failure::Result, manner, output::Output, shares::role_name, terminal, units};
use hushtable_jobs::{
    cost::Phases,
    count::some,
    link::Link,
    meeting::{Agenda, Begun, SetUp},
    private_table::{agreed, share_files},
    progress::Progress,
};
use serde::Serialize;

/// Looks all keys up.
pub struct Looking<'a> {
    pub args: &'a Lookup,
    pub keys: &'a Keys<'a>,
    /// Where shares of presence go.
    pub present: Option<Output>,
    /// What is looked up, once the copy is here.
    asked: Option<Asked>,
    /// Bytes of copies that came.
    fetched: u64,
    looked: Looked,
}

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    kind: &'a str,
    role: &'a str,
    rows: usize,
    /// Bytes of the copy that were fetched.
    copy: u64,
    #[serde(flatten)]
    phases: Phases,
}

impl<'a> Looking<'a> {
    pub fn new(args: &'a Lookup, keys: &'a Keys<'_>, present: Option<Output>) -> Self {
        Self { args, keys, present, asked: None, fetched: 0, looked: Looked::default() }
    }
}

impl Agenda for Looking<'_> {
    fn meet(&mut self, _: &Link, wish: SessionWish) -> Result<(Party, Instant)> {
        let Ready { session, start, asked, fetched } = session::ready(self.args, self.keys)?;
        (self.asked, self.fetched) = (Some(asked), fetched);
        Ok((Party::start(session, wish)?, start))
    }

    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        let lookup = &self.asked.as_ref().expect("met").lookup;
        run::set_up(lookup, p, self.keys.len())?;
        // The peer says whether it signs when it has kept its shares, where it keeps some.
        Ok(begun.agreed(p, agreed(lookup, self.keys.len() as u64)))
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let Asked { lookup, keys, .. } = self.asked.as_ref().expect("met");
        let progress = Progress::start("lookups", self.keys.len());
        let keys = self.keys.half().map_or(&keys[..], |(shares, ..)| shares);
        self.looked = lookup.look_up(p, self.keys.len() as u64, Some(keys), &progress)?;
        Ok([self.looked.offline, self.looked.online])
    }

    fn deliver(self, output: Option<Output>, session: [u8; 32], role: Role, phases: &Phases) -> Result<()> {
        let Self { args, keys, present, asked, fetched, looked } = self;
        let (output, Asked { lookup, known, .. }) = (output.expect("reserved"), asked.expect("met"));
        let path = output.path().to_owned();
        match lookup.column() {
            None => output::rows(args, keys, output, lookup.description(), (&looked, &known))?,
            Some(column) => {
                output::shares(share_files(&lookup, column, looked, session, role), output, present)?
            }
        }
        eprintln!("wrote {} to {}", some(keys.len(), "row"), path.display());
        if manner::is_json() {
            let role = role_name(role);
            let report = Report { kind: "lookup", role, rows: keys.len(), copy: fetched, phases: *phases };
            terminal::json(&report)?;
        }
        match fetched {
            0 => eprintln!("the copy was here"),
            fetched => eprintln!("{} of the copy came, and are kept", units::bytes(fetched)),
        }
        Ok(())
    }
}
