//! What a party frees: no secret that still serves, and none that would give one away. An allocator looks at
//! every block of memory as it is given back.
//!
//! A program of its own, because the allocator is the whole program's.

#[path = "support/pairs.rs"]
mod pairs;
#[path = "support/watching.rs"]
mod watching;

use std::collections::HashSet;

use hushtable::{
    Party, Role,
    arith::{LatticeJob, LatticeProduct, LinearJob, MatrixShape},
    confidential::{
        copy::{CopyJob, Keys, Owner},
        prf::Cipher,
    },
    onehot::{Cyclic, OneHot},
    oprf::{Oprf, OprfJob},
    ot::{CotReceiver, CotSender, Scheme},
    party::Ticket,
};
use pairs::{both, pair};
use prim::{Aes128, block::Block, lowmc::LowMc, prg::Prg};
use watching::{alone, looks_secret, watched, watched_whole, words_in};

/// The test can fail: it sees what is freed unwiped, and what a vector leaves behind when it grows.
#[test]
fn unwiped_memory_is_seen() {
    let _alone = alone();
    let word = |i: u128| i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) | 1 << 127;
    let ((), freed, _) = watched(|| {
        drop(std::hint::black_box((0..10).map(word).collect::<Vec<u128>>()));
        let mut grown = Vec::with_capacity(3);
        (10..20).for_each(|i| std::hint::black_box(&mut grown).push(word(i)));
        grown.fill(0);
        std::hint::black_box(&mut grown);
    });
    assert!((1..16).all(|i| freed.contains(&word(i))), "what grew last is wiped");
    let (_kept, _, live) = watched(|| (0..100).map(|i| word(i + 100)).collect::<Vec<u128>>());
    assert!((100..200).all(|i| live.contains(&word(i))));
}

/// The eight words that the complement of a Delta is as choice bits, 16 bits each. One of them may be in memory by
/// chance, but not all.
fn choice_bits(delta: u128) -> Vec<u128> {
    let bits = |from: u32| (0..16).fold(0, |word, i| word | (!delta >> (from + i) & 1) << (8 * i));
    (0..128).step_by(16).map(bits).filter(|&word| looks_secret(word)).collect()
}

/// Strings and Deltas.
fn known(cots: &(CotSender, CotReceiver), secrets: &mut Vec<u128>) {
    let delta = cots.0.delta();
    secrets.extend([delta.0, !delta.0]);
    secrets.extend(cots.0.strings().iter().chain(cots.1.strings()).map(|x| x.0));
}

/// No string that is handed out, before or after, and no Delta. Counts as jobs have them: a few of many in
/// stock, most of it, across the end of an extension, in pieces.
#[test]
fn no_string_is_freed() {
    let _alone = alone();
    for (seed, scheme, takes) in [
        (300, None, &[(5000, 4000), (1000, 1000), (1, 3000), (9000, 9000), (60, 20_000)][..]),
        (301, Some(Scheme::Iknp), &[(5000, 4000), (3000, 1), (9000, 9000)]),
        (302, Some(Scheme::Ferret), &[(70_000, 100), (40_000, 110_000), (7, 7), (90_000, 3)]),
    ] {
        let (secrets, freed, _) = watched(|| {
            both(pair(seed, scheme), |p| {
                let mut secrets = Vec::with_capacity(1 << 20);
                for &(a, b) in takes {
                    let (send, recv) = if p.role() == Role::P0 { (a, b) } else { (b, a) };
                    let mut cots = p.cots(send, recv)?;
                    known(&cots, &mut secrets);
                    drop((cots.0.take(send / 3)?, cots.1.take(recv / 2)?));
                }
                Ok(secrets)
            })
        });
        for secrets in [secrets.0, secrets.1] {
            let bits = choice_bits(secrets[0]); // of the Delta
            assert!(
                !bits.iter().all(|word| freed.contains(word)),
                "{scheme:?}, seed {seed}: bits of a Delta"
            );
            let found = secrets.iter().filter(|&word| freed.contains(word)).count();
            assert_eq!(found, 0, "{scheme:?}, seed {seed}: of {} secrets in freed memory", secrets.len());
        }
    }
}

/// Leaves and base keys: what a set-up frees is nothing of what the party goes on with. With IKNP the keys of the
/// base OTs are themselves the leaves.
#[test]
fn a_set_up_frees_nothing_that_serves() {
    let _alone = alone();
    for (seed, scheme) in [(310, None), (311, Some(Scheme::Iknp)), (312, Some(Scheme::Ferret))] {
        let ((p0, p1), freed, live) = watched(|| {
            let (mut p0, mut p1) = pair(seed, scheme);
            std::thread::scope(|scope| {
                scope.spawn(|| p1.stock_cots(9000, 60_000).expect("OTs"));
                p0.stock_cots(60_000, 9000).expect("OTs");
            });
            (p0, p1)
        });
        assert!(live.len() > 10_000, "the party's memory is seen");
        let found = live.intersection(&freed).count();
        assert_eq!(found, 0, "{scheme:?}, seed {seed}: live secrets in freed memory");
        drop((p0, p1));
    }
}

/// Nor a ticket on its way: its seeds serve the lane.
#[test]
fn a_ticket_that_is_sent_frees_nothing_that_serves() {
    let _alone = alone();
    let (kept, freed, live) = watched(|| {
        both(pair(321, None), |p| {
            let connection = p.connection().fork(1)?.remove(0);
            let sent = p.tickets(1)?.remove(0).into_bytes()?;
            let ticket = Ticket::from_bytes(&sent)?;
            let mut lane = ticket.open(connection)?;
            lane.stock_cots(9000, 9000)?;
            Ok((lane, sent))
        })
    });
    assert!(live.len() > 10_000, "the lane's memory is seen");
    let found = live.intersection(&freed).count();
    assert_eq!(found, 0, "live secrets in freed memory");
    // What is sent is wiped as well, and no copy was left on the way.
    // The first 160 bytes are public: role, number, limits, link, memory, prices, id, fingerprint.
    let sent: HashSet<u128> = [&kept.0.1, &kept.1.1]
        .into_iter()
        .flat_map(|sent| words_in(sent[160..].as_ptr() as usize, sent.len() - 160))
        .collect();
    let ((), dropped, _) = watched(|| drop(kept));
    assert!(sent.len() > 1000, "the ticket is seen");
    for freed in [freed, dropped] {
        let found = sent.iter().filter(|&&word| looks_secret(word) && freed.contains(&word)).count();
        assert_eq!(found, 0, "of a ticket in freed memory");
    }
}

/// Nothing that is freed is what serves.
#[track_caller]
fn none_of(live: &HashSet<u128>, freed: &HashSet<u128>) {
    let found: Vec<&u128> = live.intersection(freed).collect();
    assert!(
        found.is_empty(),
        "{} live secrets in freed memory: {:x?}",
        found.len(),
        &found[..found.len().min(8)]
    );
}

/// Lanes fork the streams, and material in pieces leaves nothing of one with the other.
#[test]
fn pieces_free_nothing_of_each_other() {
    let _alone = alone();
    let prepare = |p: &mut Party| {
        let mut all = OneHot::<Cyclic>::rotl(p, 4, 2000)?.signed(p, &[64])?;
        let piece = all.take(1500)?;
        drop(all);
        Ok((piece, p.fork(1)?))
    };
    let (kept, freed, live) = watched(|| both(pair(320, None), prepare));
    assert!(live.len() > 3000, "the material's memory is seen");
    none_of(&live, &freed);
    drop(kept);
}

/// VOLEs, packed and extended: seeds, leaves and noise are wiped, and so is Delta.
#[test]
fn voles_free_nothing_that_serves() {
    let _alone = alone();
    let make = |p: &mut Party| {
        Ok(match p.role() {
            Role::P0 => (Some([p.send_voles(1000)?, p.send_voles(20_000)?]), None),
            Role::P1 => (None, Some([p.receive_voles(1000)?, p.receive_voles(20_000)?])),
        })
    };
    let (kept, freed, live) = watched(|| both(pair(330, Some(Scheme::Ferret)), make));
    assert!(live.len() > 50_000, "the VOLEs are seen");
    none_of(&live, &freed);
    let (sent, received) = (kept.0.0.expect("P0's"), kept.1.1.expect("P1's"));
    assert!(!freed.contains(&sent[0].delta.0), "Delta");
    let secrets: HashSet<u128> = sent.iter().flat_map(|sent| sent.v.iter()).map(|x| x.0).collect();
    let ((), dropped, _) = watched(|| drop((sent, received)));
    assert!(secrets.is_disjoint(&dropped), "VOLEs that are dropped");
}

/// The order in which a store's rows are solved, and the groups of inputs by keys, follow from the ids: numbers of
/// columns and of inputs are wiped, and what holds them does not grow.
#[test]
fn orders_of_ids_are_not_freed() {
    let _alone = alone();
    const COUNT: usize = 3000;
    let job = OprfJob { receiver: Role::P0, keys: COUNT, inputs: COUNT, blocks: 1 };
    let (_kept, freed, _) = watched_whole(|| {
        both(pair(340, None), |p| {
            let mut inputs = vec![Block::ZERO; COUNT];
            Prg::new(Block(p.role() as u128)).blocks(&mut inputs);
            Oprf::prepare(p, job)?.eval(p, &inputs)
        })
    });
    // A group of all inputs: 100 and 101, 101 and 102 ..
    let numbers = (100..COUNT as u128 - 1).filter(|i| freed.contains(&(i | (i + 1) << 64))).count();
    assert_eq!(numbers, 0, "numbers of inputs in freed memory");
    // Columns with a single row, in their order.
    let ascending = |word: &&u128| {
        let four: [u32; 4] = std::array::from_fn(|i| (**word >> (32 * i)) as u32);
        four[0] > 0 && four[3] < 2 * COUNT as u32 && four.is_sorted_by(|a, b| a < b)
    };
    let columns: Vec<_> = freed.iter().filter(ascending).take(8).collect();
    assert!(columns.is_empty(), "numbers of columns in freed memory: {columns:x?}");
}

/// The key of a private table's version, the round keys made of it, the rows that it masks, and their keys.
#[test]
fn an_owners_key_is_not_freed() {
    let _alone = alone();
    let secret = Block(0x8f3b_51c2_9d04_7ae6_13d8_664f_ab20_95e1);
    let key = |i: u128| (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> 32;
    let sparse: Vec<u128> = (0..3000).map(key).collect();
    let dense: Vec<u128> = (0..3000).collect();
    let mut rows = vec![0u64; 2 * sparse.len()];
    Prg::new(Block(11)).words(64, &mut rows);
    let row = |i: usize| u128::from(rows[2 * i]) | u128::from(rows[2 * i + 1]) << 64;
    for cipher in Cipher::ALL {
        for (of, keys) in [
            (Keys::Dense { bits: 15 }, &dense),
            (Keys::Sparse { bits: 96, rows: 3000, lookups: 1 << 13 }, &sparse),
        ] {
            let job = CopyJob { owner: Role::P0, cipher, keys: of, row_bits: 128 };
            let ((), freed, _) = watched(|| {
                let owner = Owner::insecure_with_key(job, keys, &rows, secret).expect("a table");
                drop(owner.secret());
            });
            // Of sparse tables the function has another key, which follows from this one.
            let mut known: Vec<u128> = match cipher {
                Cipher::Aes128 => Aes128::new(secret).round_keys().iter().map(|key| key.0).collect(),
                Cipher::LowMc => {
                    let keys = LowMc::standard().round_keys(secret);
                    (0..=13).map(|round| keys.of(round).0).collect()
                }
            };
            known.push(secret.0);
            known.extend((0..keys.len()).map(row));
            known.extend(keys.iter().copied().filter(|&key| looks_secret(key)));
            let found = known.iter().position(|word| freed.contains(word));
            assert_eq!(found, None, "{job:?}");
        }
    }
}

/// Nor the generators of a lattice's answers, which several cores share out among them: they give the masks.
#[test]
fn generators_of_answers_are_not_freed() {
    let _alone = alone();
    // Where one round key is, and those that follow from it, a generator was.
    let generators = |freed: &HashSet<u128>| {
        let is_key = |word: &&u128| {
            Aes128::new(Block(**word)).round_keys()[1..4].iter().all(|key| freed.contains(&key.0))
        };
        freed.iter().filter(is_key).count()
    };
    let ((), freed, _) = watched(|| {
        let mut grown = Vec::with_capacity(1);
        (0..3).for_each(|i| {
            std::hint::black_box(&mut grown).push(Prg::new(Block(i << 120 | 0x1234_5678_9abc_def0_1357)))
        });
    });
    assert!(generators(&freed) > 0, "a generator that is moved is seen");
    let shape = MatrixShape { batch: 1, rows: 40, inner: 16, columns: 900 };
    let job = LinearJob { shape: shape.into(), bits: 37, number_bits: 9, owner: Role::P0 };
    let (_, freed, _) = watched(|| {
        both(pair(322, None), |p| {
            let numbers = vec![7; if p.role() == job.owner { shape.right() } else { 0 }];
            LatticeProduct::prepare(p, &LatticeJob::new(job)?, &numbers)
        })
    });
    assert_eq!(generators(&freed), 0, "generators in freed memory");
}
