//! The hidden join before rows in common are scored: of ids, and of parts of scores.

use std::sync::Arc;

use crate::{
    count::some,
    job::{Body, Job, Placed},
    join::{agree, hidden, rows::Rows, tell},
    meeting::Agreed,
    row_results::{self, Asked, Bins},
    task::Before,
    took::Took,
};
use apps::{
    ids::Set,
    join::{Column, Join, JoinTables, Joined},
    scoring::Scoring,
};
use hushtable::{Party, Role, bill::Bill, chance::Chance, ot::Setting, run::Phase};
use hushtable_columns::{
    Ids,
    failure::{Cause, Failure, Result},
    memory::fits,
};
use prim::wipe::Wiped;

/// This party's rows before they are joined, and what both ask of them.
pub struct Fresh {
    pub asked: Asked,
    pub scoring: Scoring,
    pub owners: Vec<Role>,
    pub rows: Rows,
    /// What names them.
    pub names: Arc<Ids>,
    /// Of each row's score.
    pub parts: Wiped<u64>,
    /// Most ids that the peer may have; this party's own rule.
    pub peer_at_most: Option<usize>,
    /// Whether the parties tell each other how most of their ids look.
    pub told: bool,
    /// At most how many ids P0 and P1 have; until the peer has said, as many as here.
    pub sizes: [usize; 2],
}

impl Fresh {
    /// A join of ids and parts of scores.
    fn join(&self, owner: Role) -> Result<Join> {
        let bits = self.scoring.bits();
        Ok(Join::new(owner, self.sizes, &[Column::additive(bits)], &[bits])?)
    }

    /// The steps over the bins of these joins: two for each owner.
    pub fn steps(&self, me: Role) -> Result<Vec<Job>> {
        let mut jobs = vec![];
        for &owner in &self.owners {
            let bins = self.join(owner)?.bins();
            let zeros = || Wiped::zeros(bins);
            let placed = (owner == me).then(|| Placed { ids: Arc::clone(&self.names), rows: zeros() });
            let main = Body::Other(Box::new(self.scoring.clone()));
            let main = row_results::main(main, vec![zeros()], &self.asked);
            Bins { owner, matched: zeros(), placed, style: self.rows.style.clone() }.steps(
                &mut jobs,
                None,
                main,
                &self.asked,
            )?;
        }
        Ok(jobs)
    }

    /// The peer's number of ids, for which it asks this party's.
    fn exchange(&mut self, p: &mut Party) -> Result<()> {
        let theirs = p.exchange((self.rows.bound as u64).to_le_bytes().to_vec(), 8)?;
        let theirs = u64::from_le_bytes(theirs.try_into().expect("8 bytes"));
        if !(1..=apps::join::MAX_ROWS as u64).contains(&theirs) {
            let what = format!("malformed message from the peer: {theirs} ids");
            return Err(Failure::Reported(Cause::Peer, what));
        }
        eprintln!("the peer joins up to {}", some(theirs as usize, "id"));
        agree::accept(theirs as usize, self.rows.bound, self.peer_at_most)?;
        self.sizes[p.role() as usize] = self.rows.bound;
        self.sizes[p.role().peer() as usize] = theirs as usize;
        Ok(())
    }
}

impl Before for Fresh {
    fn agree(&mut self, p: &mut Party) -> Result<(Vec<Job>, Agreed)> {
        self.exchange(p)?;
        if self.told {
            tell::tell(p, &self.rows)?;
        }
        Set::check_chance(self.sizes, |sizes| hidden::chance(&self.owners, sizes))?;
        for &owner in &self.owners {
            let bins = self.join(owner)?.bins() as u64;
            fits(hidden::bytes(bins, 2, self.sizes[owner.peer() as usize] as u64, 1), "this join")?;
        }
        let [p0, p1] = self.sizes;
        let agreed = ("ids of P0 and P1, at most".to_owned(), format!("{p0} and {p1}"));
        Ok((self.steps(p.role())?, vec![agreed]))
    }

    fn bill(&self, under: &Setting) -> Result<Bill> {
        let of = |owner: &Role| Ok(self.join(*owner)?.bill(under)? + Set::bill());
        self.owners.iter().map(of).try_fold(Bill::FREE, |all, next: Result<Bill>| Ok(all + next?))
    }

    fn chance(&self) -> Result<Chance> {
        let ids = self.sizes[0] + self.sizes[1];
        Ok(hidden::chance(&self.owners, self.sizes)? + Set::chance(ids))
    }

    fn ids(&self) -> usize {
        self.rows.counted()
    }

    fn cells(&self) -> usize {
        let of = |owner: &Role| self.join(*owner).map_or(0, |join| hidden::cells(join.bins(), 1));
        self.owners.iter().map(of).sum()
    }

    fn carry_out(&mut self, p: &mut Party, jobs: &mut [Job]) -> Result<[Phase; 2]> {
        let (mut took, ids) = (Took::default(), Arc::new(self.rows.set()?));
        let columns = Arc::new(vec![std::mem::take(&mut self.parts)]);
        for (&owner, steps) in self.owners.iter().zip(jobs.chunks_exact_mut(2)) {
            let join = self.join(owner)?;
            let (ids, columns) = (Arc::clone(&ids), Arc::clone(&columns));
            let tables = JoinTables { join: join.clone(), ids, columns };
            let joined = Joined::of(&join, p.role(), took.columns(p, &tables, &[])?)?;
            let scores = &joined.additive[0] + &joined.own[0];
            let [main, last] = steps else { unreachable!("two steps") };
            main.set(0, scores.words());
            last.set(0, &Wiped::from(joined.matched.iter().collect::<Vec<u64>>()));
            if let (Some(rows), Some(placed)) = (joined.rows(), &mut last.placed) {
                placed.rows =
                    rows.map(|row| row.map_or(0, |row| row as u64 + 1)).collect::<Vec<u64>>().into();
            }
        }
        Ok([took.offline, took.online])
    }
}
