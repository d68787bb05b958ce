//! Lookups as an operation, and a session's, which runs it batch by batch.

use std::sync::Arc;

use hushtable::{
    BShare, Error, Party, Result, Role,
    arith::Decomposition,
    bill::{Bill, Effort},
    chance::Chance,
    confidential::copy::{CopyJob, Lookups},
    error::same,
    gates::{B2a, Bits},
    operation::{Material, Operation, Port, Signature, Words},
    ot::Setting,
    run::{Job, Outcome, Phase, Reveal, Watch},
    session::Session,
};
use prim::{Wiped, ring::low};

use super::{
    Description, Gets, KeyKind, ValueKind,
    shared::{PRESENT_BITS, composed, fraction_bits, key_bits, shared_bits},
};
use crate::held_table::{Table, key_shares};

/// Lookups of keys in a private table, at one party. An item is a key.
///
/// Takes this party's shares of the keys: by XOR, of each its [`key_words`](CopyJob::key_words) words of 64 bits, lowest
/// first, where the client's share of a key of its own is the key and the owner's 0; or additive ones, a word each. Gives the
/// bits of the row, 0 where the key is absent, and whether it is present, for the client alone; or additive shares of a
/// column's units and of presence.
#[derive(Clone)]
pub struct KeyLookup {
    description: Arc<Description>,
    table: Table,
    gets: Gets,
    shared_keys: Option<u32>,
}

/// What a party has at the end of a session of lookups.
#[derive(Default)]
pub struct Looked {
    /// Of each key the [`row_words`](CopyJob::row_words) words of its row, 0 where it is absent; or this party's share of a
    /// column's units, of [`shared_bits`] bits. Nothing at the owner, if results are the client's.
    pub values: Wiped<u64>,
    /// Of each key 1 where it is present, else 0; or this party's share of that, of [`PRESENT_BITS`] bits.
    pub present: Wiped<u64>,
    /// Before the keys were used.
    pub offline: Phase,
    /// With them.
    pub online: Phase,
}

impl KeyLookup {
    /// In the owner's table or in its copy. With `shared_keys` keys are additive shares of numbers that nobody knows, of so
    /// many bits; else they are the client's own.
    ///
    /// # Errors
    /// [`Error::Param`] for a description that is none, for a table of another form, for a column that is not
    /// [shareable](Description::shareable), and for shares of keys that are text.
    pub fn new(description: Description, table: Table, gets: Gets, shared_keys: Option<u32>) -> Result<Self> {
        let param = |what, got: String, accepted: &str| Error::Param { what, got, accepted: accepted.into() };
        let of_none = |what| param("description of a table", what, "that of its form");
        description.check().map_err(of_none)?;
        table.check(&description.job())?;
        if shared_keys.is_some() && matches!(description.key.kind, KeyKind::Text { .. }) {
            return Err(param("shares of keys", "of text".into(), "of whole numbers or dates"));
        }
        let shareable = |column| column < description.values.len() && description.shareable(column);
        match gets {
            Gets::Shared(column) if !shareable(column.into()) => Err(param(
                "column of results",
                column.to_string(),
                "one of whole or binary numbers, or of dates",
            )),
            _ => Ok(Self { description: description.into(), table, gets, shared_keys }),
        }
    }

    /// What of the table is public.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The place of the column of which results stay shared; nothing if rows are the client's.
    pub fn column(&self) -> Option<usize> {
        match self.gets {
            Gets::Client => None,
            Gets::Shared(column) => Some(column.into()),
        }
    }

    /// What the numbers of that column are.
    fn shared_kind(&self) -> Option<ValueKind> {
        self.column().map(|column| self.description.values[column].kind)
    }

    /// All lookups of a session, at one party. Each batch is opened before the next is prepared, so that neither party
    /// holds more of what the other gets, and material, than of a batch. `keys` are the operand of all of them; without it
    /// the owner's share of the client's own, which is 0.
    ///
    /// # Errors
    /// [`Error::Param`] for more lookups than a session has; [`Error::Handshake`] at both parties if their numbers or
    /// descriptions differ, as those of two versions do; [`Error::Shape`] for another number of keys; and those of the
    /// channel.
    pub fn look_up(
        &self,
        p: &mut Party,
        lookups: u64,
        keys: Option<&[u64]>,
        watch: &dyn Watch,
    ) -> Result<Looked> {
        let Signature { takes, gives } = self.signature();
        let reveal = if self.gets == Gets::Client { Reveal::Only(Role::P1) } else { Reveal::Nobody };
        if lookups > self.description.lookups {
            let (what, got) = ("lookups of a session", lookups.to_string());
            return Err(Error::Param { what, got, accepted: format!("up to {}", self.description.lookups) });
        }
        p.announce(&format!("{lookups} lookups by key in all"))?;
        let each = takes[0].words;
        if let Some(keys) = keys {
            same("words of all keys", (lookups as usize).saturating_mul(each), keys.len())?;
        }
        let mut all = Looked::default();
        let mut at = 0;
        while at < lookups {
            let now = (self.most() as u64).min(lookups - at) as usize;
            let zeros = Words::new(vec![0; if keys.is_none() { now * each } else { 0 }]);
            let operand = keys.map_or(&zeros[..], |keys| &keys[at as usize * each..][..now * each]);
            let done = Job::new(self).on(operand).reveal(reveal).watched(watch).run(p)?;
            (all.offline, all.online) = (all.offline.then(done.offline), all.online.then(done.online));
            all.append(&gives, done.outcomes.into_iter().map(Outcome::into_words).collect());
            at += now as u64;
        }
        Ok(all)
    }
}

impl Looked {
    /// What a batch gave, column by column, the last one presence.
    fn append(&mut self, gives: &[Port], given: Vec<Words>) {
        let Some((present, row)) = given.split_last().filter(|(present, _)| !present.is_empty()) else {
            return;
        };
        self.present.extend_from_slice(present);
        let width: usize = gives[..row.len()].iter().map(|port| port.words).sum();
        let values = self.values.extend_zeros(present.len() * width);
        let mut at = 0;
        for (port, words) in gives.iter().zip(row) {
            let places = values.chunks_exact_mut(width).map(|row| &mut row[at..at + port.words]);
            for (place, words) in places.zip(words.chunks_exact(port.words)) {
                place.iter_mut().zip(words).for_each(|(to, &word)| *to = low(word, port.bits));
            }
            at += port.words;
        }
    }
}

impl Description {
    /// What so many lookups of a client's own keys cost in a batch, with the rows that it gets.
    ///
    /// # Errors
    /// [`Error::Param`] for more than there can be.
    pub fn bill(&self, lookups: usize) -> Result<Bill> {
        let job = self.job();
        Ok(Lookups::bill(&job, lookups)? + Reveal::Only(Role::P1).bill(&row_ports(&job)).times(lookups))
    }
}

impl Operation for KeyLookup {
    fn name(&self) -> String {
        "lookup by key".into()
    }

    fn method(&self) -> String {
        format!("encrypted copy, {}", self.description.cipher)
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let shares = |column: usize| format!("both, as shares of {}", self.description.values[column].name);
        let results = self.column().map_or("the client".into(), shares);
        let keys = if self.shared_keys.is_some() { "shared" } else { "the client's own" };
        vec![
            ("table", self.description.table.clone()),
            ("digest of its copy", blake3::Hash::from(self.description.digest).to_hex().to_string()),
            ("digest of its description", blake3::hash(&self.description.to_bytes()).to_hex().to_string()),
            ("keys", keys.into()),
            ("results for", results),
        ]
    }

    fn signature(&self) -> Signature {
        let job = self.description.job();
        let keys = match self.shared_keys {
            None => Port::xor("keys", job.keys.bits().min(64)).of(job.key_words()),
            Some(bits) => Port::additive("keys", bits),
        };
        let gives = match self.shared_kind() {
            None => row_ports(&job),
            Some(kind) => {
                let most = i64::MAX >> (64 - kind.bits());
                let units = Port::additive("units", shared_bits(kind)).scaled(fraction_bits(kind));
                let present = Port::additive("present", PRESENT_BITS).within(Some([0, 1]));
                vec![units.within(Some([!most, most])), present]
            }
        };
        Signature { takes: vec![keys], gives }
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        let lookups = Lookups::bill(&self.description.job(), items)?;
        let bill = match self.shared_kind() {
            None => lookups,
            // One after the other.
            Some(kind) => {
                let bits = B2a::bill(shared_bits(kind)).times(items * kind.bits() as usize);
                lookups + bits + B2a::bill(PRESENT_BITS).times(items)
            }
        };
        match self.shared_keys {
            None => Ok(bill),
            Some(bits) => Ok(Decomposition::bill(bits, 1)?.times(items) + bill),
        }
    }

    fn chance(&self, items: usize) -> Chance {
        self.description.chance(items as u64)
    }

    fn most(&self) -> usize {
        self.description.batch as usize
    }

    fn stocks(&self) -> bool {
        false
    }

    fn effort(&self, items: usize, under: &Setting) -> Result<Effort> {
        // Numbers of bits are in memory several times while the function is evaluated: up to 2.6 times, as measured.
        let held = Bill { cots: [0; 2], ..self.bill(items, under)? };
        let memory = Effort::implied(held).memory.map(|memory| memory.saturating_mul(5) / 2);
        Ok(Effort::implied(self.bill(items, under)?).remembering(memory))
    }

    fn prepare(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        let digits = self.shared_keys.map(|bits| Decomposition::prepare(p, bits, 1, items)).transpose()?;
        let lookups = Lookups::prepare(p, self.description.job(), items)?;
        let conversion = match self.shared_kind() {
            None => None,
            Some(kind) => {
                let bits = B2a::prepare(p, shared_bits(kind), items * kind.bits() as usize)?;
                Some([bits, B2a::prepare(p, PRESENT_BITS, items)?])
            }
        };
        Ok(Box::new(Prepared { lookup: self.clone(), items, lookups, conversion, digits }))
    }

    fn tells(&self) -> String {
        "rows of the table, and which keys are in it; nobody, while results stay shared".into()
    }
}

/// One-time material for so many keys.
struct Prepared {
    lookup: KeyLookup,
    items: usize,
    lookups: Lookups,
    /// For a column that stays shared: for the bits of its numbers and for those of presence.
    conversion: Option<[B2a; 2]>,
    /// For the bits of keys that are shared.
    digits: Option<Decomposition>,
}

impl Material for Prepared {
    fn items(&self) -> usize {
        self.items
    }

    fn eval(self: Box<Self>, s: &mut Session, operands: &[&[u64]]) -> Result<Vec<Words>> {
        let Self { lookup, items, lookups, conversion, digits } = *self;
        let (column, KeyLookup { description, table, shared_keys, .. }) = (lookup.column(), lookup);
        let &[keys] = operands else {
            return Err(Error::Shape { what: "operands", want: 1, got: operands.len() });
        };
        let job = description.job();
        let each = if digits.is_some() { 1 } else { job.key_words() };
        same("words of the keys", items * each, keys.len())?;
        let keys = match digits.zip(shared_keys) {
            None => key_shares(keys, &job),
            Some((digits, bits)) => key_bits(s, &description, (keys, bits), digits)?,
        };
        let rows = lookups.eval(s, table.held(), &keys)?;
        let present =
            rows.present.ok_or_else(|| Error::Peer("lookups that do not tell who is absent".into()))?;
        match conversion.zip(column) {
            None => Ok(row_columns(&rows.words, &present)),
            Some(([bits, presence], column)) => {
                let (kind, start) = (description.values[column].kind, description.start(column));
                let all: Vec<Bits> = rows.words.iter().flat_map(Bits::from_share).collect();
                let of_column = &all[start..start + kind.bits() as usize];
                let words = bits.convert::<u64>(s, &Bits::concat(of_column.iter()))?;
                let present = presence.convert::<u64>(s, &present)?;
                Ok(vec![composed(&words, kind, items), Words::new(present.words().to_vec())])
            }
        }
    }
}

/// Columns of the bits of a row, and of presence, which the client alone gets.
fn row_ports(job: &CopyJob) -> Vec<Port> {
    let full = job.row_words() - 1;
    let words = (full > 0).then(|| Port::xor("words of the row", 64).of(full));
    let rest = Port::xor("its last word", job.row_bits - 64 * full as u32);
    words.into_iter().chain([rest, Port::bit("present")]).map(|port| port.only(Role::P1)).collect()
}

/// What stands in these columns.
fn row_columns(row: &[BShare<u64>], present: &Bits) -> Vec<Words> {
    let (last, full) = row.split_last().expect("a row has bits");
    let mut words = Words::new(vec![0; full.len() * last.len()]);
    for (i, word) in full.iter().enumerate() {
        let to = words.iter_mut().skip(i).step_by(full.len());
        to.zip(word.words()).for_each(|(to, word)| *to = *word);
    }
    let rest = [last.words().to_vec(), present.iter().collect()].map(Words::new);
    (!full.is_empty()).then_some(words).into_iter().chain(rest).collect()
}
