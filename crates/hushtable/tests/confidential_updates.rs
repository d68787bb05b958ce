//! Rows of a private table that change alone: what is looked up then, what updates show, and what is refused.

use crate::{
    confidential_copy::Side,
    support::{
        pairs::{both, pair, share, wide},
        stats,
        uniform::BOUND,
    },
};

use hushtable::{
    Error, Party, Result, Role,
    confidential::{
        copy::{CopyJob, EncryptedCopy, Keys, Lookups, Owner, Update},
        prf::Cipher,
    },
    share::Bitwise,
};
use prim::block::Block;

const JOB: CopyJob = CopyJob {
    owner: Role::P0,
    cipher: Cipher::LowMc,
    keys: Keys::Changing { bits: 15, updates: 5 },
    row_bits: 70,
};

/// The words of the opened rows, and whether they are present.
fn look(p: &mut Party, side: &Side, job: CopyJob, x: &[u32]) -> Result<Vec<Option<[u64; 2]>>> {
    let shares = share::<Bitwise>(p.role(), job.keys.bits(), x, 5);
    let found = Lookups::prepare(p, job, x.len())?.eval(p, side.held(), &[wide(shares)])?;
    let present = found.present.as_ref().expect("shares of it").open(p)?;
    let (low, high) = (p.open(&found.words[0])?, p.open(&found.words[1])?);
    let row = |i: usize| (present[i / 64] >> (i % 64) & 1 == 1).then_some([low[i], high[i]]);
    assert!((0..x.len()).all(|i| row(i).is_some() || (low[i], high[i]) == (0, 0)));
    Ok((0..x.len()).map(row).collect())
}

/// Rows change twice, appear and go; both parties go on with the same copies.
#[test]
fn changed_rows_are_found() {
    for cipher in Cipher::ALL {
        let job = CopyJob { cipher, ..JOB };
        both(pair(1050, None), |p| {
            let mut side = Side::transfer(p, job, &[5, 20000, 7, 8], &[50, 0, 200, 1, 70, 2, 80, 3])?;
            let x = [5, 20000, 7, 8, 9, 32767];
            let step = |p: &mut Party, side: &mut Side, keys: &[u128], rows: &[u64], gone: &[u128]| match side
            {
                Side::Owner(owner) => p.send(owner.update(keys, rows, gone)?.to_bytes()),
                Side::Copy(copy) => {
                    let (count, masked) = (keys.len() + gone.len(), 71);
                    let size = 8 + 64 + 16 + 4 * count + 8 * masked * count.div_ceil(64);
                    copy.apply(&Update::from_bytes(job, &p.recv(size)?)?)
                }
            };
            let before = look(p, &side, job, &x)?;
            assert_eq!(before, [Some([50, 0]), Some([200, 1]), Some([70, 2]), Some([80, 3]), None, None]);
            step(p, &mut side, &[20000, 9], &[201, 9, 90, 63], &[8])?;
            let after = look(p, &side, job, &x)?;
            assert_eq!(after, [Some([50, 0]), Some([201, 9]), Some([70, 2]), None, Some([90, 63]), None]);
            step(p, &mut side, &[32767, 20000], &[1, 2, 202, 9], &[5, 8])?;
            let after = look(p, &side, job, &x)?;
            assert_eq!(after, [None, Some([202, 9]), Some([70, 2]), None, Some([90, 63]), Some([1, 2])]);
            Ok(())
        });
    }
}

/// More than a word of rows, in pieces of their own.
#[test]
fn many_rows_change_at_once() {
    let keys: Vec<u128> = (0..200).map(|i| i * 163).collect();
    let rows: Vec<u64> = (0..400).map(|i| i & 63).collect();
    both(pair(1051, None), |p| {
        let mut side = Side::transfer(p, JOB, &[1], &[1, 1])?;
        let mut owner = Owner::insecure_with_key(JOB, &[1], &[1, 1], Block(4))?;
        let size = owner.update(&keys, &rows, &[])?.to_bytes().len();
        match &mut side {
            Side::Owner(owner) => p.send(owner.update(&keys, &rows, &[])?.to_bytes())?,
            Side::Copy(copy) => copy.apply(&Update::from_bytes(JOB, &p.recv(size)?)?)?,
        }
        let x: Vec<u32> = keys.iter().map(|&key| key as u32).collect();
        let found = look(p, &side, JOB, &x)?;
        for (found, row) in found.iter().zip(rows.chunks(2)) {
            assert_eq!(*found, Some([row[0], row[1]]));
        }
        Ok(())
    });
}

/// A row that is the same in every update is masked anew each time; and under one number twice it shows how it changed.
#[test]
fn updates_share_no_mask() {
    let job = CopyJob { row_bits: 64, keys: Keys::Changing { bits: 10, updates: 4 }, ..JOB };
    let keys: Vec<u128> = (0..1024).collect();
    let rows = vec![77; 1024];
    let fresh = || Owner::insecure_with_key(job, &keys, &rows, Block(9)).expect("a table");
    let words = |copy: &EncryptedCopy| -> Vec<u64> {
        let bytes = copy.to_bytes();
        bytes[56..].chunks_exact(8).map(|word| u64::from_le_bytes(word.try_into().expect("8"))).collect()
    };
    let differing = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| (a ^ b).count_ones()).sum::<u32>();
    let mut owner = fresh();
    let mut copies = vec![words(owner.copy())];
    for _ in 0..4 {
        owner.update(&keys, &rows, &[]).expect("an update");
        copies.push(words(owner.copy()));
    }
    for (i, a) in copies.iter().enumerate() {
        for b in &copies[..i] {
            assert!(differing(a, b) > 64 * 1024 / 3, "masks of {i} and before");
        }
    }
    // What it would show if a version went on after it was lost: the same number twice.
    let (mut a, mut b) = (fresh(), fresh());
    a.update(&[3], &[1], &[]).expect("an update");
    b.update(&[3], &[6], &[]).expect("an update");
    assert_eq!(differing(&words(a.copy()), &words(b.copy())), 3);
    let mut again = Owner::restore(job, &keys, &rows, &fresh().secret()).expect("the version");
    let refused = again.update(&[3], &[1], &[]).err().expect("refused");
    assert!(matches!(refused, Error::Param { .. }), "{refused}");
}

/// Whether rows change, or go, or stay.
#[test]
fn updates_show_only_their_keys() {
    let job = CopyJob { row_bits: 64, keys: Keys::Changing { bits: 10, updates: 4 }, ..JOB };
    let keys: Vec<u128> = (0..1024).collect();
    let planes = |rows: &[u64], gone: &[u128]| {
        let mut owner = Owner::encrypt(job, &keys, &vec![77; 1024]).expect("a table");
        let update = owner.update(&keys[..rows.len()], rows, gone).expect("an update");
        update.to_bytes()[88 + 4 * 1024..].to_vec()
    };
    for (rows, gone) in [(vec![77; 1024], &[][..]), (vec![1; 1024], &[][..]), (vec![], &keys[..])] {
        let mut counts = [0u64; 256];
        planes(&rows, gone).iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        assert!(stats::uniform(&counts) < BOUND, "{:.1}", stats::uniform(&counts));
    }
}

#[test]
fn updates_that_do_not_fit_are_refused() {
    let job = CopyJob { row_bits: 20, keys: Keys::Changing { bits: 9, updates: 2 }, ..JOB };
    let mut owner = Owner::encrypt(job, &[1, 2], &[3, 4]).expect("a table");
    let param = |owner: &mut Owner, keys: &[u128], rows: &[u64], gone: &[u128], says: &str| {
        let refused = owner.update(keys, rows, gone).err().expect("refused");
        assert!(matches!(refused, Error::Param { .. }) && refused.to_string().contains(says), "{refused}");
    };
    param(&mut owner, &[], &[], &[], "rows of a table");
    param(&mut owner, &[512], &[1], &[], "512");
    param(&mut owner, &[1], &[1 << 20], &[], "that of 1");
    param(&mut owner, &[1], &[1], &[1], "1, a second time");
    assert!(matches!(owner.update(&[1], &[], &[]), Err(Error::Shape { .. })));
    let mut first = owner.copy().clone();
    let updates =
        [owner.update(&[1], &[9], &[]), owner.update(&[5], &[9], &[2])].map(|u| u.expect("an update"));
    param(&mut owner, &[1], &[1], &[], "a new version");
    // In order, each once, to their copy.
    let peer = |outcome: Result<()>| assert!(matches!(outcome, Err(Error::Peer(_))));
    peer(first.apply(&updates[1]));
    first.apply(&updates[0]).expect("in order");
    peer(first.apply(&updates[0]));
    let bytes = updates[1].to_bytes();
    for at in (0..bytes.len()).step_by(3) {
        let mut altered = bytes.clone();
        altered[at] ^= 16;
        let (mut copy, before) = (first.clone(), *first.digest());
        let applied = Update::from_bytes(job, &altered).and_then(|update| copy.apply(&update));
        assert!(matches!(applied, Err(Error::Peer(_) | Error::Store(_))), "byte {at}");
        assert_eq!(*copy.digest(), before);
    }
    for cut in [0, 8, 40, 87, bytes.len() - 1] {
        assert!(matches!(Update::from_bytes(job, &bytes[..cut]), Err(Error::Store(_))), "{cut}");
    }
    let dense = CopyJob { keys: Keys::Dense { bits: 9 }, ..job };
    assert!(Update::from_bytes(dense, &bytes).is_err());
    param(&mut Owner::encrypt(dense, &[1], &[3]).expect("a table"), &[1], &[3], &[], "a new version");
    for updates in [0, 128] {
        let job = CopyJob { keys: Keys::Changing { bits: 9, updates }, ..job };
        assert!(matches!(Owner::encrypt(job, &[1], &[3]), Err(Error::Param { .. })));
    }
    first.apply(&updates[1]).expect("in order");
    assert_eq!(first.digest(), owner.copy().digest());
}
