//! How many lanes a job takes: as asked for, or as many as rows and processors make worth it.

use std::thread;

use hushtable::Error;

/// A lane has a connection and an OT set-up of its own. With fewer rows than this they take longer than they save.
const ROWS: usize = 1 << 16;
/// More than this nobody gets without asking.
const MOST: usize = 16;
/// What may be asked for.
const LIMIT: u8 = 64;

/// What one party says of its threads.
#[derive(Clone, Copy, Debug)]
pub struct Threads {
    /// What it asks for; 0: it leaves the choice open.
    asked: u8,
    /// What it would take then.
    could: u8,
}

impl Threads {
    /// For so many rows. `near`: the peer is on this machine and needs processors too.
    pub fn new(asked: Option<u16>, rows: usize, near: bool) -> Self {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        Self::on(processors / if near { 2 } else { 1 }, asked, rows)
    }

    fn on(processors: usize, asked: Option<u16>, rows: usize) -> Self {
        let could = processors.min(rows / ROWS).clamp(1, MOST) as u8;
        let asked = asked.map_or(0, |asked| asked.min(LIMIT.into()) as u8);
        Self { asked, could }
    }

    /// What the peer is sent.
    pub fn to_bytes(self) -> [u8; 2] {
        [self.asked, self.could]
    }

    /// The lanes of both parties, from what the peer sent: who asks is followed, and if nobody does, whoever
    /// can do less.
    pub fn settle(self, theirs: [u8; 2]) -> hushtable::Result<usize> {
        let [asked, could] = theirs;
        if asked > LIMIT || !(1..=LIMIT).contains(&could) {
            return Err(Error::Peer(format!("{asked} threads, or {could}")));
        }
        match (self.asked, asked) {
            (0, 0) => Ok(self.could.min(could).into()),
            (0, all) | (all, 0) => Ok(all.into()),
            (ours, theirs) if ours == theirs => Ok(ours.into()),
            (ours, theirs) => Err(Error::Handshake {
                field: "threads".into(),
                ours: ours.to_string(),
                theirs: theirs.to_string(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_jobs_and_few_processors_take_one() {
        for (processors, rows, wanted) in [
            (8, 0, 1),
            (8, 2 * ROWS - 1, 1),
            (8, 2 * ROWS, 2),
            (8, 100 * ROWS, 8),
            (0, 100 * ROWS, 1),
            (1, 100 * ROWS, 1),
            (200, 1000 * ROWS, 16),
        ] {
            let threads = Threads::on(processors, None, rows);
            assert_eq!(threads.to_bytes(), [0, wanted], "{processors} processors, {rows} rows");
        }
    }

    #[test]
    fn both_parties_come_to_the_same() {
        let [open, small, two, three] = [(8, None), (2, None), (8, Some(2)), (8, Some(3))]
            .map(|(p, asked)| Threads::on(p, asked, 1 << 20));
        for (a, b, wanted) in
            [(open, small, 2), (open, open, 8), (open, two, 2), (small, three, 3), (two, two, 2)]
        {
            assert_eq!(a.settle(b.to_bytes()).unwrap(), wanted);
            assert_eq!(b.settle(a.to_bytes()).unwrap(), wanted);
        }
        for (a, b) in [(two, three), (three, two)] {
            let error = a.settle(b.to_bytes()).unwrap_err();
            assert!(error.to_string().contains("disagree on threads"), "{error}");
        }
        for wrong in [[65, 1], [0, 0], [0, 65], [255, 255]] {
            assert!(matches!(open.settle(wrong), Err(Error::Peer(_))));
        }
    }
}
