//! The hidden join, and the number of common ids by it.

use std::{path::PathBuf, sync::Arc};

use crate::{
    cost::Phases,
    join::{
        agree::{self, Ask, Offer},
        asked::Shown,
        column::{Column, Held},
        file::{JoinedFile, Owned, Shared, Table},
        rows::Rows,
    },
    meeting::{Agenda, Begun, SetUp},
    stage::Stage,
    took::Took,
};
use apps::{
    ids::Set,
    join::{Join, JoinTables, Joined},
    statistics::Matches,
};
use hushtable::{
    Party, Role,
    bill::Bill,
    chance::Chance,
    operation::Words,
    ot::Setting,
    run::{self, Phase, Reveal},
    share::Sharing,
};
use hushtable_columns::{disk, failure::Result, memory::fits, output::Output};
use prim::wipe::Wiped;

/// One or two hidden joins in a session.
pub struct Hiding {
    ask: Ask,
    rows: Rows,
    columns: Vec<Column>,
    /// Where shares are written.
    path: Option<PathBuf>,
    offers: Vec<Offer>,
    tables: Vec<Table>,
    placement: Wiped<u64>,
    common: Option<u64>,
}

impl Hiding {
    pub fn new(ask: Ask, rows: Rows, columns: Vec<Column>, path: Option<PathBuf>) -> Self {
        let (offers, tables) = (vec![], vec![]);
        Self { ask, rows, columns, path, offers, tables, placement: Wiped::zeros(0), common: None }
    }
}

/// Who owns the rows of each join; if nobody is to, whoever has fewer.
pub fn owners(ask: &Ask, sizes: [usize; 2]) -> Vec<Role> {
    match (ask.reveal, ask.who) {
        // Bins cost more than what is put in them.
        (Shown::Count, _) | (_, Reveal::Nobody) if sizes[1] < sizes[0] => vec![Role::P1],
        (Shown::Count, _) | (_, Reveal::Nobody) => vec![Role::P0],
        (_, Reveal::Only(role)) => vec![role],
        _ => vec![Role::P0, Role::P1],
    }
}

/// A join of these tables, with the rows of `owner`.
pub fn join(owner: Role, offers: &[Offer; 2]) -> Result<Join> {
    let (own, other) = (&offers[owner as usize].columns, &offers[owner.peer() as usize].columns);
    let other: Vec<_> = other.iter().flat_map(Column::of_other).collect();
    let own: Vec<u32> = own.iter().flat_map(Column::of_owner).collect();
    Ok(Join::new(owner, offers.each_ref().map(|offer| offer.rows), &other, &own)?)
}

/// What it all costs.
pub fn bill(ask: &Ask, offers: &[Offer; 2], under: &Setting) -> Result<Bill> {
    let mut all = Bill::FREE;
    for owner in owners(ask, offers.each_ref().map(|offer| offer.rows)) {
        let join = join(owner, offers)?;
        all = all + join.bill(under)? + Set::bill();
        if ask.reveal == Shown::Count {
            let count = Matches { bins: join.bins() };
            all = all + run::bill(&count, 1, 1, Reveal::Both, under)?;
        }
    }
    Ok(all)
}

/// What a join works on one by one: its bins, with so many columns.
pub fn cells(bins: usize, columns: usize) -> usize {
    bins * (3 + columns)
}

/// The same of all that is asked for.
pub fn all_cells(ask: &Ask, offers: &[Offer; 2]) -> Result<usize> {
    let columns = offers.iter().map(|offer| offer.columns.len()).sum();
    let of = |owner| Ok(cells(join(owner, offers)?.bins(), columns));
    owners(ask, offers.each_ref().map(|offer| offer.rows)).into_iter().map(of).sum()
}

/// What chance can spoil in joins of tables of these sizes, one for each owner. Without the hashes of ids.
pub fn chance(owners: &[Role], sizes: [usize; 2]) -> hushtable::Result<Chance> {
    let join = |&owner| Join::new(owner, sizes, &[], &[]);
    owners.iter().map(|owner| join(owner).map(|join| join.chance())).sum()
}

/// About how many bytes of memory a join takes with so many bins, vectors of shares, rows of the other party and
/// columns of that.
pub fn bytes(bins: u64, parts: u64, keys: u64, columns: u64) -> u64 {
    // Of a bin, and of a row of the other party in each of its three bins: measured.
    const BIN: u64 = 40;
    const KEY: u64 = 32;
    bins * BIN * (3 + parts) + 3 * keys * KEY * (2 + columns)
}

/// About how many bytes of memory the larger join takes: the peer's numbers decide too.
fn memory(ask: &Ask, offers: &[Offer; 2]) -> Result<u64> {
    let mut most = 0;
    for owner in owners(ask, offers.each_ref().map(|offer| offer.rows)) {
        let bins = join(owner, offers)?.bins() as u64;
        let parts =
            |of: Role| offers[of as usize].columns.iter().map(|c| c.parts().len() as u64).sum::<u64>();
        let other = &offers[owner.peer() as usize];
        let parts = parts(Role::P0) + parts(Role::P1);
        most = most.max(bytes(bins, parts, other.rows as u64, other.columns.len() as u64));
    }
    Ok(most)
}

/// At most how many bytes the file of shares takes, without ids.
fn written(ask: &Ask, offers: &[Offer; 2]) -> Result<u64> {
    // Of a word in decimal digits, with its comma.
    const WORD: usize = 21;
    let mut words = 0;
    for owner in owners(ask, offers.each_ref().map(|offer| offer.rows)) {
        let bins = join(owner, offers)?.bins();
        let bits = bins.div_ceil(64);
        let part = |held: Held| if held == Held::Bits { bits } else { bins };
        let columns = offers.iter().flat_map(|offer| &offer.columns).flat_map(Column::parts);
        let columns = columns.map(part).sum::<usize>();
        words += columns + bits + bins;
    }
    Ok((words * WORD) as u64)
}

impl Hiding {
    pub fn offers(&self) -> &[Offer; 2] {
        self.offers.as_slice().try_into().expect("set up")
    }

    /// What this party has of the joins, once they are computed.
    pub fn file(&mut self, session: [u8; 32], role: Role) -> JoinedFile {
        let owned = (!self.placement.is_empty()).then(|| Owned {
            ids: std::mem::take(&mut self.rows.names),
            rows: Shared::from(std::mem::take(&mut self.placement)),
        });
        let (tables, joins) = (self.offers().clone(), std::mem::take(&mut self.tables));
        JoinedFile::new(session, role, tables, joins, owned).written_as(self.rows.style.clone())
    }

    /// Reports what it took.
    pub fn report(&self, role: Role, sizes: [usize; 2], phases: &Phases) -> Result<()> {
        agree::report(role, sizes, self.common, phases)
    }

    /// One join: the shares of all columns, those of P0 first.
    fn one(&self, p: &mut Party, owner: Role, ids: &Arc<Set>, took: &mut Took) -> Result<Joined> {
        let join = join(owner, self.offers())?;
        let columns = self.columns.iter().zip(&self.rows.values);
        let columns: Vec<Wiped<u64>> =
            columns.flat_map(|(column, read)| column.words(read, p.role() == owner)).collect();
        let columns = columns.into();
        let tables = JoinTables { join: join.clone(), ids: Arc::clone(ids), columns };
        Ok(Joined::of(&join, p.role(), took.columns(p, &tables, &[])?)?)
    }

    /// The parts of a table as they stand in a file.
    fn table(&self, owner: Role, joined: &Joined) -> Result<Table> {
        let (mut additive, mut bitwise, mut own) = (joined.additive.iter(), 0, 0);
        let mut parts: [Vec<Shared>; 2] = Default::default();
        let bits = |words: &[u64]| Shared::of(words);
        for column in &self.offers()[owner.peer() as usize].columns {
            let to = &mut parts[owner.peer() as usize];
            for held in column.of_other() {
                if held.sharing == Sharing::Additive {
                    to.push(Shared::of(additive.next().expect("as many columns").words()));
                } else {
                    to.extend(joined.bits(bitwise).iter().map(|bit| bits(bit.words())));
                    bitwise += 1;
                }
            }
        }
        for column in &self.offers()[owner as usize].columns {
            let to = &mut parts[owner as usize];
            for held in column.parts() {
                to.push(match held {
                    Held::Words => Shared::of(joined.own[own].words()),
                    Held::Bits => bits(joined.own_bit(own)?.words()),
                });
                own += 1;
            }
        }
        let [mut shares, rest] = parts;
        shares.extend(rest);
        Ok(Table::new(owner, joined.bins(), Shared::of(joined.matched.words()), shares))
    }
}

impl Agenda for Hiding {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        let offer = Offer { rows: self.rows.bound, columns: self.columns.clone() };
        let (offers, agreed) = self.ask.agree(p, offer, &self.rows)?;
        let sizes = offers.each_ref().map(|offer| offer.rows);
        Set::check_chance(sizes, |sizes| chance(&owners(&self.ask, sizes), sizes))?;
        fits(memory(&self.ask, &offers)?, "this join")?;
        if let Some(path) = &self.path {
            disk::check(path, written(&self.ask, &offers)?)?;
        }
        let (send, recv) = bill(&self.ask, &offers, &p.setting())?.cots_of(p.role());
        p.prepare_ot(send, recv)?;
        self.offers = offers.into();
        begun.settle(p, agreed)
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let owners = owners(&self.ask, self.offers().each_ref().map(|offer| offer.rows));
        let stage = Stage::start("hashing the ids");
        let set = Arc::new(self.rows.set()?);
        let mut took = Took::default();
        for owner in owners {
            stage.next(format!(
                "joining with the rows of {}",
                if owner == p.role() { "this party" } else { "the peer" }
            ));
            let joined = self.one(p, owner, &set, &mut took)?;
            if self.ask.reveal == Shown::Count {
                let matched = Words::new(joined.matched.iter().collect());
                let count = took.values(p, &Matches { bins: joined.bins() }, &[&matched])?;
                self.common = count.first().and_then(|count| count.first()).map(|count| *count as u64);
                continue;
            }
            if let Some(rows) = joined.rows() {
                let rows = rows.map(|row| row.map_or(0, |row| row as u64 + 1));
                self.placement = Wiped::from(rows.collect::<Vec<u64>>());
            }
            self.tables.push(self.table(owner, &joined)?);
        }
        Ok([took.offline, took.online])
    }

    fn deliver(
        mut self,
        output: Option<Output>,
        session: [u8; 32],
        role: Role,
        phases: &Phases,
    ) -> Result<()> {
        let sizes = self.offers().each_ref().map(|offer| offer.rows);
        if let Some(output) = output {
            write(&self.file(session, role), output)?;
        }
        self.report(role, sizes, phases)
    }
}

/// Writes a file of shares, and says so.
pub fn write(file: &JoinedFile, to: Output) -> Result<()> {
    let path = to.path().to_owned();
    to.write(|to| file.write(to))?;
    eprintln!("wrote shares of {} to {}", file.words(), path.display());
    Ok(())
}
