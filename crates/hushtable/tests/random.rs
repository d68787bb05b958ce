//! Random sizes, indices and tables against the plaintext twin: every generator and lookup
//! protocol, both groups, both outputs. All cases run in one session, as a long job would.

use crate::support::pairs;

use std::{
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

use hushtable::{
    Party, Result, Role,
    lut::{Table, splut::SpLut},
    onehot::{Cyclic, Group, OneHot, Xor},
    reference,
    share::{Kind, Share},
};
use pairs::{pair, share};
use prim::{
    block::Block,
    prg::Prg,
    ring::{Ring, low},
    rows::Shift,
};
use proptest::{prelude::*, test_runner::RngSeed};

#[derive(Clone, Copy, Debug)]
enum Protocol {
    Rotl,
    Doubling,
    SpLut,
}

/// One lookup protocol on random data.
#[derive(Clone, Copy, Debug)]
struct Case {
    protocol: Protocol,
    group: Shift,
    /// Index bits, entry bits, lookups, columns (SP-LUT has one).
    n: u32,
    bits: u32,
    batch: usize,
    columns: usize,
    /// How many bits wider the index shares are.
    wider: u32,
    additive: bool,
    seed: u64,
}

fn case() -> impl Strategy<Value = Case> {
    let protocol = prop_oneof![Just(Protocol::Rotl), Just(Protocol::Doubling), Just(Protocol::SpLut)];
    let group = prop_oneof![Just(Shift::Cyclic), Just(Shift::Xor)];
    let sizes = (1u32..=9, 1u32..=64, 0usize..40, 1usize..4, 0u32..=23);
    (protocol, group, sizes, any::<bool>(), any::<u64>()).prop_map(
        |(protocol, group, (n, bits, batch, columns, wider), additive, seed)| Case {
            protocol,
            group,
            n,
            bits,
            batch,
            columns,
            wider,
            additive,
            seed,
        },
    )
}

/// What a party opens, column by column.
type Opened = Vec<Vec<u64>>;

impl Case {
    /// Table columns and indices; the indices' bits above `n` do not count.
    fn data(&self) -> (Vec<Vec<u64>>, Vec<u32>) {
        let mut rng = Prg::new(Block(self.seed.into()));
        let columns = if matches!(self.protocol, Protocol::SpLut) { 1 } else { self.columns };
        let column = |_| {
            let mut entries = vec![0; 1 << self.n];
            rng.words(self.bits, &mut entries);
            entries
        };
        let columns = (0..columns).map(column).collect();
        let mut indices = vec![0; self.batch];
        rng.words(self.n + self.wider, &mut indices);
        (columns, indices)
    }

    fn expected(&self) -> Opened {
        let (columns, indices) = self.data();
        columns.iter().map(|column| reference::lookup(column, &indices)).collect()
    }

    fn run(&self, p: &mut Party) -> Result<Opened> {
        match (self.group, self.bits) {
            (Shift::Cyclic, ..=8) => self.of_width::<Cyclic, u8>(p),
            (Shift::Cyclic, ..=16) => self.of_width::<Cyclic, u16>(p),
            (Shift::Cyclic, ..=32) => self.of_width::<Cyclic, u32>(p),
            (Shift::Cyclic, _) => self.of_width::<Cyclic, u64>(p),
            (Shift::Xor, ..=8) => self.of_width::<Xor, u8>(p),
            (Shift::Xor, ..=16) => self.of_width::<Xor, u16>(p),
            (Shift::Xor, ..=32) => self.of_width::<Xor, u32>(p),
            (Shift::Xor, _) => self.of_width::<Xor, u64>(p),
        }
    }

    fn of_width<G: Group, R: Ring>(&self, p: &mut Party) -> Result<Opened> {
        // The same data whatever the word: drawn as u64, cut to the width.
        let (columns, indices) = self.data();
        let narrow = |column: &Vec<u64>| column.iter().map(|&e| R::from_u64(low(e, self.bits))).collect();
        let table = Table::<R>::vector(self.bits, columns.iter().map(narrow).collect())?;
        let x: Share<G::Kind, u32> = share(p.role(), self.n + self.wider, &indices, self.seed);
        let material = match self.protocol {
            Protocol::Rotl => OneHot::<G>::rotl(p, self.n, self.batch)?,
            Protocol::Doubling => OneHot::<G>::doubling(p, self.n, self.batch)?,
            Protocol::SpLut => {
                let material = SpLut::<G>::prepare(p, 1 << self.n, self.batch)?;
                if self.additive {
                    let y = material.lookup(p, &table, &x)?;
                    return open(p, &[y]);
                }
                let y = material.lookup_xor(p, &table, &x)?;
                return open(p, &[y]);
            }
        };
        if self.additive {
            let signed = material.signed(p, &vec![self.bits; columns.len()])?;
            let y = signed.lookup_all(p, &[&table], &x)?;
            return open(p, &y);
        }
        let y = material.lookup_xor_all(p, &[&table], &x)?;
        open(p, &y)
    }
}

fn open<K: Kind, R: Ring>(p: &mut Party, columns: &[Share<K, R>]) -> Result<Opened> {
    columns.iter().map(|y| Ok(p.open(y)?.iter().map(|y| y.to_u64()).collect())).collect()
}

/// A session whose parties run one case after the other.
struct Workers {
    jobs: [Sender<Case>; 2],
    done: [Receiver<Opened>; 2],
}

impl Workers {
    fn start(seed: u64) -> Self {
        let (p0, p1) = pair(seed, None);
        let [(job_0, done_0), (job_1, done_1)] = [p0, p1].map(|mut p| {
            let ((job, jobs), (result, done)) = (channel::<Case>(), channel());
            thread::spawn(move || {
                for case in jobs {
                    // A failed party ends; the test sees that its results are missing.
                    let Ok(opened) = case.run(&mut p) else { return };
                    let _ = result.send(opened);
                }
            });
            (job, done)
        });
        Workers { jobs: [job_0, job_1], done: [done_0, done_1] }
    }

    /// What each party opened.
    fn run(&self, case: Case) -> [Opened; 2] {
        self.jobs.iter().for_each(|job| job.send(case).expect("the party runs"));
        [Role::P0, Role::P1].map(|role| self.done[role as usize].recv().expect("a result"))
    }
}

#[test]
fn lookups_are_right_for_random_cases() {
    let workers = Workers::start(70);
    let rng_seed = RngSeed::Fixed(70);
    let config = ProptestConfig { cases: 1000, failure_persistence: None, rng_seed, ..Default::default() };
    proptest!(config, |(case in case())| {
        let [at_p0, at_p1] = workers.run(case);
        prop_assert_eq!(&at_p0, &at_p1);
        prop_assert_eq!(at_p0, case.expected());
    });
}
