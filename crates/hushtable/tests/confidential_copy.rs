//! Lookups in an encrypted copy: rows, what is sent, versions, and what is refused.

use crate::support::{
    billed::check,
    pairs::{both, id, pair, share, wide},
    relay::{Fate, relayed},
    stats,
    uniform::{BOUND, assert_uniform},
    views::{Sent, cell},
};

use hushtable::{
    BShare, Error, Party, Result, Role,
    bill::{Bill, Phase},
    confidential::{
        copy::{CopyJob, EncryptedCopy, Held, Keys, Lookups, Owner, Rows},
        prf::Cipher,
    },
    net::Connection,
    share::Bitwise,
};
use prim::{block::Block, pack::unpack, prg::Prg};

pub const JOB: CopyJob =
    CopyJob { owner: Role::P0, cipher: Cipher::LowMc, keys: Keys::Dense { bits: 9 }, row_bits: 20 };

/// Distinct keys, and random rows.
pub fn table(job: &CopyJob, every: usize) -> (Vec<u128>, Vec<u64>) {
    let keys: Vec<u128> = (0..1u128 << job.keys.bits()).step_by(every).collect();
    let rows = random_rows(job, keys.len(), 5);
    (keys, rows)
}

fn random_rows(job: &CopyJob, count: usize, seed: u128) -> Vec<u64> {
    let mut rows = vec![0; count * job.row_words()];
    Prg::new(Block(seed)).words(64, &mut rows);
    if !job.row_bits.is_multiple_of(64) {
        let last = rows.iter_mut().skip(job.row_words() - 1).step_by(job.row_words());
        last.for_each(|word| *word = prim::low(*word, job.row_bits % 64));
    }
    rows
}

/// The owner's version, or the copy that it sent.
pub enum Side {
    Owner(Box<Owner>),
    Copy(EncryptedCopy),
}

impl Side {
    pub fn transfer(p: &mut Party, job: CopyJob, keys: &[u128], rows: &[u64]) -> Result<Self> {
        if p.role() == job.owner {
            let owner = Owner::encrypt(job, keys, rows)?;
            owner.send(p)?;
            Ok(Self::Owner(owner.into()))
        } else {
            EncryptedCopy::receive(p, job).map(Self::Copy)
        }
    }

    pub fn held(&self) -> Held<'_> {
        match self {
            Self::Owner(owner) => Held::Owner(owner),
            Self::Copy(copy) => Held::Copy(copy),
        }
    }
}

/// A row and whether it is present, from both parties' results.
fn row(both: [&Rows; 2], item: usize) -> (Vec<u64>, Option<u64>) {
    let [a, b] = both;
    let words = a.words.iter().zip(&b.words).map(|(a, b)| a.words()[item] ^ b.words()[item]).collect();
    let bit = |rows: &Rows| rows.present.as_ref().map(|bits| bits.words()[item / 64] >> (item % 64) & 1);
    (words, bit(a).zip(bit(b)).map(|(a, b)| a ^ b))
}

fn expect(job: &CopyJob, keys: &[u128], rows: &[u64], x: u32) -> (Vec<u64>, Option<u64>) {
    let len = job.row_words();
    let at = keys.iter().position(|&key| key == u128::from(x));
    let row = at.map_or(vec![0; len], |at| rows[at * len..][..len].to_vec());
    (row, job.keys.absent().then_some(u64::from(at.is_some())))
}

/// All tables with keys of two bits; all batches of two keys, which are twice the same, absent, or both.
#[test]
fn every_small_table_and_batch() {
    for cipher in Cipher::ALL {
        let job = CopyJob { owner: Role::P1, cipher, keys: Keys::Dense { bits: 2 }, row_bits: 3 };
        both(pair(900, None), |p| {
            for subset in 1..16u32 {
                let keys: Vec<u128> = (0..4).filter(|key| subset >> key & 1 == 1).collect();
                let rows: Vec<u64> = keys.iter().map(|&key| (5 * key as u64 + 3) & 7).collect();
                let side = Side::transfer(p, job, &keys, &rows)?;
                // LowMC batch by batch; AES in one batch of all.
                let all: Vec<u32> = (0..16).flat_map(|i| [i / 4, i % 4]).collect();
                for x in all.chunks(if cipher == Cipher::LowMc { 2 } else { 32 }) {
                    let shares = share::<Bitwise>(p.role(), 2, x, subset.into());
                    let found = Lookups::prepare(p, job, x.len())?.eval(p, side.held(), &[wide(shares)])?;
                    let present = found.present.as_ref().expect("shares of it").open(p)?;
                    let opened = p.open(&found.words[0])?;
                    for (i, &x) in x.iter().enumerate() {
                        let want = expect(&job, &keys, &rows, x);
                        let found = (vec![opened[i]], Some(present[0] >> i & 1));
                        assert_eq!(found, want, "{cipher}, keys {keys:?}, {x}");
                    }
                }
            }
            Ok(())
        });
    }
}

#[test]
fn rows_of_every_width_and_tables_of_every_size() {
    let sizes = [
        (1, 1, true, 3),
        (5, 64, true, 33),
        (6, 65, false, 9),
        (7, 63, true, 70),
        (8, 128, false, 5),
        (9, 128, true, 40),
        (13, 20, true, 64),
        (14, 1, false, 31),
        (15, 21, true, 37),
        (17, 200, true, 6),
        (2, 1 << 14, true, 2),
    ];
    for (i, (key_bits, row_bits, absent, count)) in sizes.into_iter().enumerate() {
        let (cipher, owner) = (Cipher::ALL[i % 2], [Role::P0, Role::P1][i / 2 % 2]);
        let keys = if absent { Keys::Dense { bits: key_bits } } else { Keys::All { bits: key_bits } };
        let job = CopyJob { owner, cipher, keys, row_bits };
        let (keys, rows) = table(&job, if absent { 3 } else { 1 });
        let x: Vec<u32> =
            (0..count as u32).map(|i| (i / 2).wrapping_mul(0x9e37_79b9) >> (32 - key_bits)).collect();
        let (a, b) = both(pair(910 + i as u64, None), |p| {
            let side = Side::transfer(p, job, &keys, &rows)?;
            let x = share::<Bitwise>(p.role(), key_bits, &x, 9);
            Lookups::prepare(p, job, count)?.eval(p, side.held(), &[wide(x)])
        });
        for (item, &x) in x.iter().enumerate() {
            assert_eq!(row([&a, &b], item), expect(&job, &keys, &rows, x), "{job:?} at {x}");
        }
    }
}

#[test]
fn bills_are_met() {
    let sizes = [
        (Cipher::LowMc, Keys::Dense { bits: 12 }, 20),
        (Cipher::Aes128, Keys::Dense { bits: 15 }, 31),
        (Cipher::LowMc, Keys::All { bits: 6 }, 130),
        (Cipher::LowMc, Keys::Changing { bits: 10, updates: 5 }, 70),
        (Cipher::LowMc, Keys::Sparse { bits: 14, rows: 1 << 14, lookups: 1 << 13 }, 20),
        (Cipher::Aes128, Keys::Sparse { bits: 10, rows: 2000, lookups: 1 << 13 }, 130),
    ];
    for (cipher, keys, row_bits) in sizes {
        let job = CopyJob { owner: Role::P1, cipher, keys, row_bits };
        let (keys, rows) = table(&job, 1);
        let owner = Owner::encrypt(job, &keys, &rows).expect("a table");
        const N: usize = 16;
        check(
            &format!("{job:?}"),
            Lookups::bill(&job, N).expect("a bill"),
            |p| Lookups::prepare(p, job, N),
            |s, m| {
                let held = if s.role() == job.owner { Held::Owner(&owner) } else { Held::Copy(owner.copy()) };
                m.eval(s, held, &[BShare::new(job.keys.bits(), vec![1; N])]).map(drop)
            },
        );
        // The copy: its bits, as the page says, and its digest, in one direction.
        let places = match job.keys {
            Keys::All { bits } => u64::from(row_bits) << bits,
            Keys::Dense { bits } => u64::from(row_bits + 1) << bits,
            // Up to 5 updates: 3 bits.
            Keys::Changing { bits, .. } => u64::from(row_bits + 1 + 3) << bits,
            // 1.25 cells for each row, in three thirds of a power of two.
            Keys::Sparse { rows, .. } => {
                3 * u64::from(row_bits + 54) * (5 * u64::from(rows)).div_ceil(12).next_power_of_two()
            }
        };
        assert_eq!(job.copy_bits(), places);
        let bits = [0, job.copy_bits() + 256];
        let once = Bill { offline: Phase { bits, rounds: 1 }, ..Bill::FREE };
        let transfer = |p: &mut Party| match p.role() == job.owner {
            true => owner.send(p),
            false => EncryptedCopy::receive(p, job).map(drop),
        };
        check("a copy", once, transfer, |_, ()| Ok(()));
    }
}

/// What the page counts for 4096 lookups, of 20 bits at 2^20 keys and of 24 at 2^24, an OT being 1.2 bits.
#[test]
fn costs_are_those_of_the_page() {
    let of = |cipher, d| {
        let job = CopyJob { owner: Role::P0, cipher, keys: Keys::Dense { bits: d }, row_bits: d };
        let bill = Lookups::bill(&job, 4096).expect("a bill");
        let bits = bill.offline.all_bits() + bill.online.all_bits();
        let megabytes = (bits as f64 + 1.2 * bill.all_cots() as f64) / 8e6;
        (megabytes, bill.online.rounds, job.copy_bits() as f64 / 8e6)
    };
    let about = |(megabytes, rounds, once): (f64, u32, f64), want: (f64, u32, f64)| {
        let close = (megabytes - want.0).abs() < 0.01 && (once - want.2).abs() < 0.01;
        assert!(close && rounds == want.1, "{megabytes} MB, {rounds} rounds, {once} MB once");
    };
    about(of(Cipher::LowMc, 20), (5.88, 14, 2.75));
    about(of(Cipher::Aes128, 20), (11.29, 41, 2.75));
    about(of(Cipher::LowMc, 24), (6.41, 14, 52.43));
    about(of(Cipher::Aes128, 24), (11.90, 41, 52.43));
}

/// Whatever the shares are.
#[test]
fn what_lookups_send_is_uniform() {
    let (keys, rows) = table(&JOB, 2);
    let owner = Owner::encrypt(JOB, &keys, &rows).expect("a table");
    assert_uniform("lookups in a copy", 930, 1 << 17, |p, x| {
        let material = Lookups::prepare(p, JOB, 128)?;
        p.barrier()?;
        let held = if p.role() == JOB.owner { Held::Owner(&owner) } else { Held::Copy(owner.copy()) };
        material.eval(p, held, &[BShare::new(JOB.keys.bits(), vec![x; 128])]).map(drop)
    });
}

/// The joint view of a party whose peer's share of the keys is the secret: the opened distance, what is opened of the first
/// S-box, its own shares of the row and of the bit of presence.
fn views(owner: Role, viewer: Role, secret: u32) -> Vec<u64> {
    const N: usize = 1 << 11;
    let job = CopyJob { owner, cipher: Cipher::LowMc, keys: Keys::Dense { bits: 2 }, row_bits: 1 };
    let table = Owner::insecure_with_key(job, &[0, 1, 3], &[1, 0, 1], Block(11)).expect("a table");
    let run = |connection: Connection| -> Result<Rows> {
        let p = &mut Party::seeded(connection, 970, None)?;
        let material = Lookups::prepare(p, job, N)?;
        p.barrier()?;
        let held = if p.role() == owner { Held::Owner(&table) } else { Held::Copy(table.copy()) };
        let mine = if p.role() == viewer { 1 } else { u64::from(secret) };
        material.eval(p, held, &[BShare::new(2, vec![mine; N])])
    };
    let outcome = relayed(id(970), run, run, |_, _, _| Fate::Pass);
    let sent = [Role::P0, Role::P1].map(|role| Sent::of(&outcome.sent, role).0.to_vec());
    let rows = [outcome.p0, outcome.p1].map(|rows| rows.expect("no panic").expect("an honest run"));
    let want = [(1, 1), (0, 1), (0, 0), (1, 1)][(1 ^ secret) as usize];
    let (row, present) = row([&rows[0], &rows[1]], N - 1);
    assert_eq!((row[0], present.expect("a bit")), want, "not the protocol's view");
    // Behind the name of the copy: distances, then two sets of ANDs, of which the second opens three bits each.
    let opened = |frame: usize, bits: u32, count: usize| -> Vec<u32> {
        let [a, b] = sent.each_ref().map(|frames| {
            let mut words = vec![0u32; count];
            unpack(&frames[frame][8..], bits, &mut words);
            words
        });
        a.iter().zip(b).map(|(a, b)| a ^ b).collect()
    };
    let (distances, ands) = (opened(1, 2, N), opened(3, 1, 3 * N));
    let mine = &rows[viewer as usize];
    let bit = |i: usize| mine.present.as_ref().expect("bits").words()[i / 64] >> (i % 64) & 1;
    let mut counts = vec![0; 4 * 8 * 4];
    for i in 0..N {
        let box_bits = ands[i] | ands[N + i] << 1 | ands[2 * N + i] << 2;
        let output = mine.words[0].words()[i] | bit(i) << 1;
        counts[cell(&[(distances[i], 4), (box_bits, 8), (output as u32, 4)])] += 1;
    }
    counts
}

/// Longer than 10 s: what is sent is counted over many lookups.
#[test]
fn a_lookup_shows_nothing_of_its_key() {
    for owner in [Role::P0, Role::P1] {
        for viewer in [Role::P0, Role::P1] {
            let base = views(owner, viewer, 0);
            for secret in 1..4 {
                let z = stats::homogeneous(&base, &views(owner, viewer, secret));
                assert!(z < BOUND, "{owner:?}'s table, {viewer:?} looks: {secret} is told from 0 ({z:.1})");
            }
        }
    }
}

#[test]
fn lookups_that_do_not_fit_are_refused() {
    let (keys, rows) = table(&JOB, 2);
    let owner = Owner::encrypt(JOB, &keys, &rows).expect("a table");
    let wide = CopyJob { row_bits: 21, ..JOB };
    let wider = Owner::encrypt(wide, &keys, &rows).expect("a table");
    both(pair(960, None), |p| {
        let eval = |p: &mut Party, held: Held<'_>, x: BShare<u64>| {
            Lookups::prepare(p, JOB, 2)?.eval(p, held, &[x]).map(drop)
        };
        let at_owner = p.role() == JOB.owner;
        let two = || BShare::new(9, vec![0u64; 2]);
        let (right, wrong) = (Held::Owner(&owner), Held::Copy(owner.copy()));
        let (right, wrong) = if at_owner { (right, wrong) } else { (wrong, right) };
        assert!(matches!(eval(p, wrong, two()), Err(Error::Param { .. })));
        let other = if at_owner { Held::Owner(&wider) } else { Held::Copy(wider.copy()) };
        assert!(matches!(eval(p, other, two()), Err(Error::Param { .. })));
        assert!(matches!(eval(p, right, BShare::new(8, vec![0; 2])), Err(Error::Shape { .. })));
        assert!(matches!(eval(p, right, BShare::new(9, vec![0; 3])), Err(Error::Shape { .. })));
        for count in [0, (1 << 15) + 1] {
            assert!(matches!(Lookups::prepare(p, JOB, count), Err(Error::Param { .. })), "{count}");
        }
        let wrong_way = match at_owner {
            true => EncryptedCopy::receive(p, JOB).err(),
            false => owner.send(p).err(),
        };
        assert!(matches!(wrong_way, Some(Error::Param { .. })));
        Ok(())
    });
}
