//! `--reveal ids`: the common rows of one's own file.

use std::{
    io::{self, Write},
    sync::Arc,
};

use crate::{
    cost::Phases,
    count::some,
    join::{
        agree::{self, Ask, Offer},
        rows::Rows,
    },
    meeting::{Agenda, Begun, SetUp},
    stage::Stage,
    took::Took,
};
use apps::{
    ids::Set,
    psi::{Intersect, Learns, Psi},
};
use hushtable::{
    Party, Role,
    run::{Phase, Reveal},
};
use hushtable_columns::{self as columns, FileFormat, Series, failure::Result, output::Output};

/// Finding them.
pub struct Finding {
    ask: Ask,
    rows: Rows,
    /// Once agreed.
    psi: Option<Psi>,
    sizes: [usize; 2],
    /// Common rows, of those with an id of their own, in the order that both have.
    found: Option<Vec<usize>>,
}

impl Finding {
    pub fn new(ask: Ask, rows: Rows) -> Self {
        Self { ask, rows, psi: None, sizes: [0; 2], found: None }
    }
}

/// The intersection of sets of these sizes.
pub fn psi(who: Reveal, sizes: [usize; 2]) -> Result<Psi> {
    Ok(Psi::new(sizes, learns(who))?)
}

fn learns(who: Reveal) -> Learns {
    match who {
        Reveal::Only(role) => Learns::Only(role),
        _ => Learns::Both,
    }
}

/// Rows that are lines of CSV, as columns with types: one of numbers where each cell is a number that is written in no
/// other way, else of text. Ids are text.
fn typed<'a>(
    header: &str,
    lines: impl Iterator<Item = &'a str>,
    rows: &Rows,
) -> io::Result<Vec<(String, Series)>> {
    let parsed = |line: &str| -> io::Result<Vec<String>> {
        let mut reader = csv::ReaderBuilder::new();
        let mut reader =
            reader.has_headers(false).delimiter(rows.style.separator()).from_reader(line.as_bytes());
        let record = reader.records().next().transpose()?.unwrap_or_default();
        Ok(record.iter().map(str::to_owned).collect())
    };
    let names = parsed(header)?;
    let mut cells: Vec<Vec<Option<String>>> = names.iter().map(|_| Vec::new()).collect();
    for line in lines {
        let row = parsed(line)?;
        for (column, cell) in cells.iter_mut().zip(row) {
            column.push((!cell.is_empty()).then_some(cell));
        }
    }
    let typed = |(name, cells): (String, Vec<Option<String>>)| {
        let all = |same: fn(&str) -> bool| cells.iter().flatten().all(|cell| same(cell));
        let id = rows.id_names.contains(&name);
        let series = match () {
            () if id || cells.iter().flatten().next().is_none() => Series::Text(cells),
            () if all(|cell| cell.parse::<i64>().is_ok_and(|n| n.to_string() == cell)) => {
                Series::Whole(cells.into_iter().map(|cell| cell?.parse().ok()).collect())
            }
            () if all(|cell| cell.parse::<f64>().is_ok_and(|n| n.is_finite() && n.to_string() == cell)) => {
                Series::Number(cells.into_iter().map(|cell| cell?.parse().ok()).collect())
            }
            () => Series::Text(cells),
        };
        (name, series)
    };
    Ok(names.into_iter().zip(cells).map(typed).collect())
}

impl Agenda for Finding {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        let offer = Offer { rows: self.rows.bound, columns: vec![] };
        let (offers, agreed) = self.ask.agree(p, offer, &self.rows)?;
        self.sizes = offers.map(|offer| offer.rows);
        let psi = psi(self.ask.who, self.sizes)?;
        Set::check_chance(self.sizes, |sizes| Psi::new(sizes, learns(self.ask.who)).map(|psi| psi.chance()))?;
        let (send, recv) = psi.bill(&p.setting())?.cots_of(p.role());
        p.prepare_ot(send, recv)?;
        self.psi = Some(psi);
        begun.settle(p, agreed)
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let psi = self.psi.take().expect("set up");
        let stage = Stage::start("hashing the ids");
        let intersect = Intersect { psi, ids: Arc::new(self.rows.set()?) };
        stage.next("looking for the ids in common");
        let mut took = Took::default();
        let rows = took.columns(p, &intersect, &[])?.remove(0);
        let learns = self.ask.who.reaches(p.role());
        self.found = learns.then(|| rows.iter().map(|&row| row as usize).collect());
        Ok([took.offline, took.online])
    }

    fn deliver(self, output: Option<Output>, _: [u8; 32], role: Role, phases: &Phases) -> Result<()> {
        let (Some(found), Some(output)) = (&self.found, output) else {
            eprintln!("the common ids go to the peer; nothing is written here");
            return agree::report(role, self.sizes, None, phases);
        };
        // Rows of an id one after the other, in the order of the file.
        let mut order: Vec<usize> = vec![0; self.rows.ids()];
        found.iter().enumerate().for_each(|(at, &id)| order[id] = at + 1);
        let placed = self.rows.id_of.iter().enumerate().map(|(row, &id)| (order[id as usize], row));
        let mut placed: Vec<(usize, usize)> = placed.filter(|(at, _)| *at > 0).collect();
        placed.sort_unstable();
        let path = output.path().to_owned();
        let line = |row: usize| self.rows.lines.get(row).unwrap_or_default();
        let format = FileFormat::of(&path);
        output.write(|to| match format {
            FileFormat::Csv => {
                to.write_all(line(0).as_bytes())?;
                placed.iter().try_for_each(|(_, row)| to.write_all(line(row + 1).as_bytes()))
            }
            _ => {
                let lines = placed.iter().map(|(_, row)| line(row + 1));
                columns::write_series(to, format, &typed(line(0), lines, &self.rows)?)
            }
        })?;
        eprintln!("wrote {} with common ids to {}", some(placed.len(), "row"), path.display());
        agree::report(role, self.sizes, Some(found.len() as u64), phases)
    }
}
