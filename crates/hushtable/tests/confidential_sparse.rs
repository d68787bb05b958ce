//! Lookups in a table of a few long keys: rows, what copies show, and what is refused.

use crate::{
    confidential_copy::Side,
    support::{
        pairs::{both, pair},
        stats,
        uniform::{BOUND, assert_uniform},
    },
};

use hushtable::{
    BShare, Error, Party, Result, Role,
    confidential::{
        copy::{CopyJob, Held, Keys, Lookups, Owner},
        prf::Cipher,
    },
};
use prim::{block::Block, prg::Prg};

fn job(bits: u32, rows: u32, row_bits: u32) -> CopyJob {
    CopyJob {
        owner: Role::P0,
        cipher: Cipher::LowMc,
        keys: Keys::Sparse { bits, rows, lookups: 1 << 13 },
        row_bits,
    }
}

/// Random rows of up to 64 bits.
fn rows(count: usize, bits: u32) -> Vec<u64> {
    let mut rows = vec![0; count];
    Prg::new(Block(3)).words(bits, &mut rows);
    rows
}

/// Shares of keys, in words.
fn shares(role: Role, bits: u32, keys: &[u128]) -> Vec<BShare<u64>> {
    let word = |from: u32| {
        let width = (bits - from).min(64);
        let masks = keys
            .iter()
            .enumerate()
            .map(|(i, _)| prim::low(0x9e37_79b9_7f4a_7c15u64.wrapping_mul(i as u64 + 1), width));
        let words = masks.zip(keys).map(|(mask, key)| match role {
            Role::P0 => mask,
            Role::P1 => mask ^ prim::low((key >> from) as u64, width),
        });
        BShare::new(width, words.collect())
    };
    (0..bits).step_by(64).map(word).collect()
}

/// The opened rows, and whether each is present.
fn look(p: &mut Party, side: &Side, job: CopyJob, x: &[u128]) -> Result<(Vec<Vec<u64>>, Vec<bool>)> {
    let shares = shares(p.role(), job.keys.bits(), x);
    let found = Lookups::prepare(p, job, x.len())?.eval(p, side.held(), &shares)?;
    let present = found.present.as_ref().expect("shares of it").open(p)?;
    let words = found.words.iter().map(|word| p.open(word)).collect::<Result<_>>()?;
    Ok((words, (0..x.len()).map(|i| present[i / 64] >> (i % 64) & 1 == 1).collect()))
}

/// All tables with keys of two bits, however much room there is; all batches of two keys.
#[test]
fn every_small_table_and_batch() {
    both(pair(1000, None), |p| {
        for subset in 1..16u32 {
            let keys: Vec<u128> = (0..4).filter(|key| subset >> key & 1 == 1).collect();
            let rows: Vec<u64> = keys.iter().map(|&key| (5 * key as u64 + 3) & 7).collect();
            let job = job(2, [4, 30][subset as usize % 2], 3);
            let side = Side::transfer(p, job, &keys, &rows)?;
            let all: Vec<u128> = (0..16).flat_map(|i| [i / 4, i % 4]).collect();
            for x in all.chunks(if subset % 4 == 0 { 2 } else { 32 }) {
                let (words, present) = look(p, &side, job, x)?;
                for (i, x) in x.iter().enumerate() {
                    let row = keys.iter().position(|key| key == x).map(|at| rows[at]);
                    assert_eq!((words[0][i], present[i]), (row.unwrap_or(0), row.is_some()), "{keys:?}, {x}");
                }
            }
        }
        Ok(())
    });
}

/// Keys in a row, in strides, in a subspace and random ones: their places are random anyway. Many rows and few.
#[test]
fn keys_of_every_form_have_a_place() {
    type Form = fn(u128) -> u128;
    let forms: [(&str, Form); 5] = [
        ("in a row", |i| 20_240_101 + i),
        ("in strides", |i| 4096 * i),
        ("two words", |i| i << 64 | i),
        ("the largest", |i| (1 << 96) - 1 - i),
        ("random", |i| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> 32),
    ];
    for (form, key) in forms {
        for (n, room) in [(1, 1), (4, 4), (19, 19), (38, 38), (150, 153), (5000, 5000), (153, 3000)] {
            let keys: Vec<u128> = (0..n).map(key).collect();
            let rows = rows(keys.len(), 33);
            let job = CopyJob { cipher: Cipher::ALL[n as usize % 2], ..job(96, room, 33) };
            both(pair(1010, None), |p| {
                let side = Side::transfer(p, job, &keys, &rows)?;
                // Present, absent, and the same twice.
                let x = [keys[0], keys[keys.len() - 1], key(n), key(n + 77), keys[0]];
                let (words, present) = look(p, &side, job, &x)?;
                let last = rows[rows.len() - 1];
                assert_eq!(words[0], [rows[0], last, 0, 0, rows[0]], "{form}, {n}");
                assert_eq!(present, [true, true, false, false, true], "{form}, {n}");
                Ok(())
            });
        }
    }
}

/// Each third has two pieces.
#[test]
fn more_rows_than_a_piece_has() {
    let job = job(64, 40_000, 20);
    let keys: Vec<u128> = (0..40_000).map(|i| i * 977).collect();
    let rows = rows(keys.len(), 20);
    both(pair(1015, None), |p| {
        let side = Side::transfer(p, job, &keys, &rows)?;
        let x: Vec<u128> = keys.iter().step_by(640).copied().collect();
        let (words, present) = look(p, &side, job, &x)?;
        assert!(present.iter().all(|present| *present));
        assert!(words[0].iter().zip(rows.iter().step_by(640)).all(|(found, row)| found == row));
        Ok(())
    });
}

/// Around a word.
#[test]
fn keys_of_every_width() {
    for bits in [1, 24, 25, 63, 64, 65, 96] {
        let job = job(bits, 2, 5);
        let keys = [0, (1 << bits) - 1];
        both(pair(1016, None), |p| {
            let side = Side::transfer(p, job, &keys, &[9, 30])?;
            let (words, present) = look(p, &side, job, &[keys[1], keys[1] ^ 1, keys[0]])?;
            let middle = if bits == 1 { (9, true) } else { (0, false) };
            assert_eq!((&words[0][..], &present[..]), (&[30, middle.0, 9][..], &[true, middle.1, true][..]));
            Ok(())
        });
    }
}

#[test]
fn rows_of_every_width() {
    for (row_bits, cipher) in [1, 64, 65, 200, 4096].into_iter().zip(Cipher::ALL.into_iter().cycle()) {
        let job = CopyJob { cipher, ..job(40, 70, row_bits) };
        let keys: Vec<u128> = (0..70).map(|i| i * 977).collect();
        let len = job.row_words();
        let mut rows = rows(len * keys.len(), 64);
        if row_bits % 64 > 0 {
            let last = rows.iter_mut().skip(len - 1).step_by(len);
            last.for_each(|word| *word = prim::low(*word, row_bits % 64));
        }
        both(pair(1020, None), |p| {
            let side = Side::transfer(p, job, &keys, &rows)?;
            let (words, present) = look(p, &side, job, &[977, 978, 69 * 977])?;
            for (i, row) in [Some(1), None, Some(69)].into_iter().enumerate() {
                assert_eq!(present[i], row.is_some());
                let want = row.map_or(vec![0; len], |row| rows[row * len..][..len].to_vec());
                assert_eq!(words.iter().map(|word| word[i]).collect::<Vec<_>>(), want, "{row_bits} bits");
            }
            Ok(())
        });
    }
}

/// Whatever the table: full, almost empty, of keys in a row or at random.
#[test]
fn copies_show_nothing_of_the_table() {
    let bytes = |keys: &[u128], row: u64| {
        let rows = vec![row; keys.len()];
        Owner::encrypt(job(64, 2000, 20), keys, &rows).expect("a table").copy().to_bytes()[56..].to_vec()
    };
    let deviation = |bytes: &[u8]| {
        let mut counts = [0u64; 256];
        bytes.iter().for_each(|&byte| counts[usize::from(byte)] += 1);
        stats::uniform(&counts)
    };
    let row: Vec<u128> = (0..2000).collect();
    let copies = [bytes(&row, (1 << 20) - 1), bytes(&row, 0), bytes(&[7], 0)];
    for (i, copy) in copies.iter().enumerate() {
        assert!(deviation(copy) < BOUND, "{i}");
        assert_eq!(copy.len(), copies[0].len());
        for lag in [1, 8, 128, 256] {
            let related: Vec<u8> = copy.iter().zip(&copy[lag..]).map(|(a, b)| a ^ b).collect();
            assert!(deviation(&related) < BOUND, "{i}, {lag} apart");
        }
    }
    let related: Vec<u8> = copies[0].iter().zip(&copies[1]).map(|(a, b)| a ^ b).collect();
    assert!(deviation(&related) < BOUND, "two copies of the same keys");
}

/// Keys that are present, absent, or alike.
#[test]
fn what_lookups_send_is_uniform() {
    let job = job(40, 100, 20);
    let keys: Vec<u128> = (0..100).collect();
    let owner = Owner::encrypt(job, &keys, &rows(100, 20)).expect("a table");
    assert_uniform("lookups in a sparse copy", 1030, 1 << 17, |p, x| {
        let material = Lookups::prepare(p, job, 64)?;
        p.barrier()?;
        let held = if p.role() == job.owner { Held::Owner(&owner) } else { Held::Copy(owner.copy()) };
        material.eval(p, held, &[BShare::new(40, vec![x; 64])]).map(drop)
    });
}

/// Several tables on one connection, of either form, each with its own copy.
#[test]
fn several_tables_on_one_connection() {
    let jobs = [job(40, 100, 20), CopyJob { keys: Keys::Dense { bits: 9 }, owner: Role::P1, ..job(1, 1, 7) }];
    both(pair(1040, None), |p| {
        let sides = jobs.map(|job| {
            let rows: Vec<u64> = (0..100).map(|i| i & ((1 << job.row_bits) - 1)).collect();
            Side::transfer(p, job, &(0..100).collect::<Vec<_>>(), &rows).expect("a table")
        });
        for _ in 0..2 {
            for (side, job) in sides.iter().zip(jobs) {
                let (words, present) = look(p, side, job, &[99, 100, 3])?;
                assert_eq!((&words[0][..], &present[..]), (&[99, 0, 3][..], &[true, false, true][..]));
            }
        }
        Ok(())
    });
}

/// The secret gives the same places and the same cells that nothing decides.
#[test]
fn an_owner_comes_back() {
    let job = job(64, 100, 20);
    let (keys, rows) = ((0..100).collect::<Vec<_>>(), rows(100, 20));
    let owner = Owner::encrypt(job, &keys, &rows).expect("a table");
    let again = Owner::restore(job, &keys, &rows, &owner.secret()).expect("its table");
    assert_eq!(owner.copy().to_bytes(), again.copy().to_bytes());
    let refused = Owner::restore(job, &keys[1..], &rows[1..], &owner.secret()).err().expect("another table");
    assert!(matches!(refused, Error::Store(_)), "{refused}");
}

#[test]
fn bad_tables_are_refused() {
    let param = |job: CopyJob, keys: &[u128], says: &str| {
        let refused = Owner::encrypt(job, keys, &vec![0; keys.len()]).err().expect("refused");
        assert!(matches!(refused, Error::Param { .. }) && refused.to_string().contains(says), "{refused}");
    };
    let fits = job(64, 2, 20);
    param(fits, &[1, 2, 3], "1 to 2");
    param(fits, &[1 << 70, 1 << 70], "0 to 18446744073709551615");
    param(fits, &[7, 7], "7, a second time");
    param(fits, &[], "1 to 2");
    param(job(97, 2, 20), &[1], "bits of a table's key");
    param(job(0, 2, 20), &[1], "bits of a table's key");
    param(job(64, 0, 20), &[1], "rows of a table");
    param(job(64, (1 << 24) + 1, 20), &[1], "rows of a table");
    param(job(64, u32::MAX, u32::MAX), &[1], "rows of a table");
    param(job(64, 2, 1 << 19), &[1], "bits of a table's row");
    // 64 KiB and a bit are what the function has: 54 zeros and 3 bits of places beside a row.
    param(job(64, 2, (1 << 19) - 55), &[1], "bits of a table's row");
    assert!(Owner::encrypt(job(64, 2, (1 << 19) - 56), &[1], &[0; 1 << 13]).is_ok());
    assert!(Lookups::bill(&fits, fits.most()).is_ok() && Lookups::bill(&fits, fits.most() + 1).is_err());
}

#[test]
fn words_of_the_wrong_width_are_refused() {
    let job = job(96, 2, 5);
    let owner = Owner::encrypt(job, &[1], &[1]).expect("a table");
    both(pair(1045, None), |p| {
        let held = if p.role() == job.owner { Held::Owner(&owner) } else { Held::Copy(owner.copy()) };
        for widths in [[32, 64], [64, 33], [48, 48]] {
            let x = widths.map(|bits| BShare::new(bits, vec![0; 2]));
            let refused = Lookups::prepare(p, job, 2)?.eval(p, held, &x).err().expect("refused");
            assert!(matches!(refused, Error::Shape { .. }), "{widths:?}: {refused}");
        }
        Ok(())
    });
}
