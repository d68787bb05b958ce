//! `--reveal ids`: the common rows of one's own file.

use std::{io::Write, sync::atomic::Ordering};

use apps::{
    ids::Set,
    psi::{Learns, Psi},
};
use hushtable::{
    Party, Role,
    chance::Chance,
    run::{Phase, Reveal},
};

use super::{
    agree::{Ask, Offer, Report},
    rows::Rows,
};
use crate::{
    apply::output::Output,
    cost::Phases,
    errand::{Agreed, Work},
    failure::Result,
    progress::Progress,
};

/// Finding them.
pub struct Finding {
    ask: Ask,
    rows: Rows,
    bound: usize,
    report: Report,
    /// Once agreed.
    psi: Option<Psi>,
    sizes: [usize; 2],
    /// Common rows, of those with an id of their own, in the order that both have.
    found: Option<Vec<usize>>,
}

impl Finding {
    pub fn new(ask: Ask, rows: Rows, bound: usize, report: Report) -> Self {
        Self { ask, rows, bound, report, psi: None, sizes: [0; 2], found: None }
    }
}

/// The intersection of sets of these sizes.
pub fn psi(who: Reveal, sizes: [usize; 2]) -> Result<Psi> {
    let learns = match who {
        Reveal::Only(role) => Learns::Only(role),
        _ => Learns::Both,
    };
    Ok(Psi::new(sizes, learns)?)
}

/// What chance can spoil.
pub fn chance(psi: &Psi, sizes: [usize; 2]) -> Chance {
    psi.chance() + Set::chance(sizes[0] + sizes[1])
}

impl Work for Finding {
    fn set_up(&mut self, p: &mut Party) -> Result<Agreed> {
        let offer = Offer { rows: self.bound, columns: vec![], shapes: self.ask.shapes(&self.rows) };
        let (offers, agreed) = self.ask.agree(p, offer, self.report.quiet)?;
        self.sizes = offers.map(|offer| offer.rows);
        let psi = psi(self.ask.who, self.sizes)?;
        chance(&psi, self.sizes).check()?;
        let (send, recv) = psi.bill(&p.ot_limits())?.cots_of(p.role());
        p.prepare_ot(send, recv)?;
        self.psi = Some(psi);
        Ok(agreed)
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let psi = self.psi.take().expect("set up");
        let progress = Progress::start("steps", 2, self.report.quiet);
        let set: Set = self.rows.set()?;
        let (material, offline) = Phase::of(p, |p| psi.prepare(p))?;
        progress.done().fetch_add(1, Ordering::Relaxed);
        let (found, online) = Phase::of(p, |p| {
            let ids = set.salted(p)?;
            material.find(p, &ids)
        })?;
        self.found = found;
        Ok([offline, online])
    }

    fn deliver(self, output: Option<Output>, _: [u8; 32], role: Role, phases: &Phases) -> Result<()> {
        let (Some(found), Some(output)) = (&self.found, output) else {
            eprintln!("the common ids go to the peer; nothing is written here");
            return self.report.print(role, self.sizes, None, phases);
        };
        // Rows of an id one after the other, in the order of the file.
        let mut order: Vec<usize> = vec![0; self.rows.ids()];
        found.iter().enumerate().for_each(|(at, &id)| order[id] = at + 1);
        let placed = self.rows.id_of.iter().enumerate().map(|(row, &id)| (order[id as usize], row));
        let mut placed: Vec<(usize, usize)> = placed.filter(|(at, _)| *at > 0).collect();
        placed.sort_unstable();
        let path = output.path().to_owned();
        output.write(|to| {
            let line = |row: usize| self.rows.lines.get(row).unwrap_or_default().as_bytes();
            to.write_all(line(0))?;
            placed.iter().try_for_each(|(_, row)| to.write_all(line(row + 1)))
        })?;
        eprintln!("wrote {} rows with common ids to {}", placed.len(), path.display());
        self.report.print(role, self.sizes, Some(found.len() as u64), phases)
    }
}
