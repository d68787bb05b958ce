//! Copies of a table and its versions: what copies show, masks that no two share, and what is refused.

use crate::{
    confidential_copy::{JOB, Side, table},
    support::{
        pairs::{both, id, pair, share, wide},
        relay::{Fate, relayed},
        stats,
        uniform::BOUND,
    },
};

use hushtable::{
    Error, Party, Result, Role,
    confidential::{
        copy::{CopyJob, EncryptedCopy, Held, Keys, Lookups, Owner},
        prf::Cipher,
    },
    net::Connection,
    share::Bitwise,
};
use prim::block::Block;

/// Copies of two tables, chosen to differ as much as they can, look alike: uniform, word by word and beside each other.
#[test]
fn copies_show_nothing_of_the_table() {
    let bytes = |copy: &EncryptedCopy| copy.to_bytes()[56..].to_vec();
    let deviation = |bytes: &[u8]| {
        let mut counts = [0u64; 256];
        bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        stats::uniform(&counts)
    };
    for cipher in Cipher::ALL {
        let job = CopyJob { cipher, keys: Keys::Dense { bits: 12 }, ..JOB };
        let (keys, _) = table(&job, 1);
        let full = Owner::encrypt(job, &keys, &vec![(1 << 20) - 1; keys.len()]).expect("a table");
        let almost_empty = Owner::encrypt(job, &[7], &[0]).expect("a table");
        let (full, empty) = (bytes(full.copy()), bytes(almost_empty.copy()));
        assert_eq!(full.len(), empty.len());
        for bytes in [&full, &empty] {
            assert!(deviation(bytes) < BOUND, "{cipher}: {:.1}", deviation(bytes));
            for lag in [1, 8, 512, 1024] {
                let related: Vec<u8> = bytes.iter().zip(&bytes[lag..]).map(|(a, b)| a ^ b).collect();
                assert!(deviation(&related) < BOUND, "{cipher}, {lag} apart");
            }
        }
        let related: Vec<u8> = full.iter().zip(&empty).map(|(a, b)| a ^ b).collect();
        assert!(deviation(&related) < BOUND, "{cipher}: both copies");
    }
}

/// Two versions never share a mask. Where one key serves both, on purpose, their copies show the XOR of the tables.
#[test]
fn versions_share_no_mask() {
    for cipher in Cipher::ALL {
        let job = CopyJob { cipher, keys: Keys::All { bits: 8 }, row_bits: 64, ..JOB };
        let (keys, first) = table(&job, 1);
        let mut second = first.clone();
        second[77] ^= 0xabc;
        let words = |owner: &Owner| -> Vec<u64> {
            let bytes = owner.copy().to_bytes();
            bytes[56..].chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("8"))).collect()
        };
        let differing = |a: &Owner, b: &Owner| {
            words(a).iter().zip(words(b)).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>()
        };
        let shared = |a: &Owner, b: &Owner| differing(a, b) < 64 * 256 / 3;
        let encrypt = |rows: &[u64]| Owner::encrypt(job, &keys, rows).expect("a table");
        let versions = [encrypt(&first), encrypt(&second), encrypt(&first)];
        for (i, a) in versions.iter().enumerate() {
            for b in &versions[..i] {
                assert!(!shared(a, b), "{cipher}: versions {i} and before share masks");
                assert_ne!(a.copy().digest(), b.copy().digest());
            }
        }
        // The planted mistake: the same key again.
        let reused = |rows: &[u64]| Owner::insecure_with_key(job, &keys, rows, Block(9)).expect("a table");
        let (a, b) = (reused(&first), reused(&second));
        assert!(shared(&a, &b));
        assert_eq!(differing(&a, &b), 0xabcu32.count_ones(), "what the client would learn");
        // Nobody comes to it by keeping a key: it opens its own table only.
        let kept = versions[0].secret();
        let again = Owner::restore(job, &keys, &first, &kept).expect("the table that it was made for");
        assert_eq!(
            (differing(&versions[0], &again), again.copy().digest()),
            (0, versions[0].copy().digest())
        );
        let refused = |keys: &[u128], rows: &[u64]| {
            let outcome = Owner::restore(job, keys, rows, &kept).err().expect("refused");
            assert!(matches!(outcome, Error::Store(_)), "{outcome}");
        };
        refused(&keys, &second);
        let mut swapped = keys.clone();
        swapped.swap(3, 4);
        refused(&swapped, &first);
        for cut in [0, 16, 47] {
            assert!(matches!(Owner::restore(job, &keys, &first, &kept[..cut]), Err(Error::Store(_))));
        }
        let narrower = CopyJob { row_bits: 63, ..job };
        assert!(Owner::restore(narrower, &keys, &first, &kept).is_err());
    }
}

/// A copy that was kept serves later sessions, and any number of batches; one of another version serves none.
#[test]
fn copies_are_kept_and_compared() {
    let (keys, rows) = table(&JOB, 2);
    let owner = Owner::encrypt(JOB, &keys, &rows).expect("a table");
    let other = Owner::encrypt(JOB, &keys, &rows).expect("a table");
    let kept = EncryptedCopy::from_bytes(JOB, &owner.copy().to_bytes()).expect("a copy");
    let look = |p: &mut Party, owner: &Owner| {
        let held = if p.role() == JOB.owner { Held::Owner(owner) } else { Held::Copy(&kept) };
        let x = share::<Bitwise>(p.role(), 9, &[4, 5, 4], 1);
        let rows = Lookups::prepare(p, JOB, 3)?.eval(p, held, &[wide(x)])?;
        p.open(&rows.words[0])
    };
    both(pair(940, None), |p| {
        for _ in 0..2 {
            assert_eq!(look(p, &owner)?, [rows[2], 0, rows[2]]);
        }
        let refused = look(p, &other).expect_err("another version");
        assert!(matches!(refused, Error::Handshake { .. }), "{refused}");
        Ok(())
    });
    // On the disk: cut short, altered anywhere, of another form.
    let bytes = owner.copy().to_bytes();
    for cut in [0, 8, 55, bytes.len() - 1] {
        assert!(matches!(EncryptedCopy::from_bytes(JOB, &bytes[..cut]), Err(Error::Store(_))), "{cut}");
    }
    assert!(EncryptedCopy::from_bytes(JOB, &[&bytes[..], &[0]].concat()).is_err());
    for at in (0..bytes.len()).step_by(97) {
        let mut altered = bytes.clone();
        altered[at] ^= 4;
        assert!(matches!(EncryptedCopy::from_bytes(JOB, &altered), Err(Error::Store(_))), "byte {at}");
    }
    for job in
        [CopyJob { row_bits: 21, keys: Keys::All { bits: 9 }, ..JOB }, CopyJob { owner: Role::P1, ..JOB }]
    {
        assert!(EncryptedCopy::from_bytes(job, &bytes).is_err(), "{job:?}");
    }
}

/// Parties with copies of different versions send the name of theirs and one message more, which is uniform: the first
/// that online lookups begin with. Nothing follows from what the other sent.
#[test]
fn other_versions_are_refused_before_anything_else_is_sent() {
    for keys in [
        Keys::All { bits: 9 },
        Keys::Dense { bits: 9 },
        Keys::Changing { bits: 9, updates: 3 },
        Keys::Sparse { bits: 9, rows: 512, lookups: 1 },
    ] {
        let job = CopyJob { keys, ..JOB };
        let (keys, rows) = table(&job, 1);
        let owners = [0; 2].map(|_| Owner::encrypt(job, &keys, &rows).expect("a table"));
        // What the parties send behind the barrier, if the client's copy is of the version with this number.
        let run = |version: usize| {
            let party = |connection: Connection| -> Result<bool> {
                let p = &mut Party::seeded(connection, 960, None)?;
                let lookups = Lookups::prepare(p, job, 40)?;
                p.barrier()?;
                let mine = p.role() == job.owner;
                let held = if mine { Held::Owner(&owners[0]) } else { Held::Copy(owners[version].copy()) };
                // So many that no message but the barrier has one byte.
                let x = share::<Bitwise>(p.role(), 9, &[4; 40], 1);
                match lookups.eval(p, held, &[wide(x)]) {
                    Err(Error::Handshake { .. }) => Ok(false),
                    outcome => outcome.map(|_| true),
                }
            };
            let outcome = relayed(id(960), party, party, |_, _, _| Fate::Pass);
            let [p0, p1] = [outcome.p0, outcome.p1].map(|party| party.expect("no panic").expect("a run"));
            assert_eq!((p0, p1), (version == 0, version == 0), "{job:?}");
            outcome.sent.map(|frames| {
                // A barrier is a message of one byte.
                let barrier = frames.iter().rposition(|frame| frame.len() == 9).expect("a barrier");
                frames[barrier + 1..].iter().map(|frame| frame[8..].to_vec()).collect::<Vec<_>>()
            })
        };
        // Openings that a party makes before it receives any.
        let first = if let Keys::Sparse { .. } = job.keys { 2 } else { 1 };
        for (same, other) in run(0).into_iter().zip(run(1)) {
            assert!(other.len() <= 1 + first, "{job:?}: {} messages", other.len());
            assert!(other[0].starts_with(b"copy "), "{job:?}");
            assert!(same.len() > other.len(), "{job:?}");
            assert!(other[1..].iter().zip(&same[1..]).all(|(a, b)| a.len() == b.len()), "{job:?}");
        }
    }
}

#[test]
fn copies_altered_on_the_way_are_refused() {
    let (keys, rows) = table(&JOB, 2);
    let run = |connection: Connection| -> Result<()> {
        let p = &mut Party::seeded(connection, 950, None)?;
        Side::transfer(p, JOB, &keys, &rows).map(drop)
    };
    let size = 8 + JOB.copy_bits() as usize / 8;
    let outcome = relayed(id(950), run, run, |_, _, frame: &[u8]| match frame.len() == size {
        true => {
            let mut altered = frame.to_vec();
            altered[size / 2] ^= 1;
            Fate::Instead(altered)
        }
        false => Fate::Pass,
    });
    let refused = outcome.p1.expect("no panic").expect_err("an altered copy");
    assert!(matches!(refused, Error::Peer(_)), "{refused}");
}

#[test]
fn bad_tables_are_refused() {
    let param = |job: CopyJob, keys: &[u128], rows: &[u64], says: &str| {
        let refused = Owner::encrypt(job, keys, rows).err().expect("refused");
        assert!(matches!(refused, Error::Param { .. }) && refused.to_string().contains(says), "{refused}");
    };
    param(JOB, &[], &[], "rows of a table");
    param(JOB, &[3, 9, 3], &[1, 2, 3], "3, a second time");
    param(JOB, &[512], &[1], "512");
    param(JOB, &[3], &[1 << 20], "that of 3");
    param(CopyJob { keys: Keys::All { bits: 9 }, ..JOB }, &[3], &[1], "none may be absent");
    for job in [
        CopyJob { keys: Keys::Dense { bits: 0 }, ..JOB },
        CopyJob { keys: Keys::Dense { bits: 25 }, ..JOB },
        CopyJob { row_bits: 0, ..JOB },
        CopyJob { row_bits: (1 << 19) + 1, ..JOB },
        CopyJob { keys: Keys::Dense { bits: 24 }, row_bits: 1 << 12, ..JOB },
    ] {
        param(job, &[0], &[0], "bits of a table");
        assert!(Lookups::bill(&job, 1).is_err() && EncryptedCopy::from_bytes(job, &[]).is_err());
    }
    assert!(matches!(Owner::encrypt(JOB, &[1, 2], &[1]), Err(Error::Shape { .. })));
}
