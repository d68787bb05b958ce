//! The pseudo-random function on shared inputs: values, bills, what is sent, and what is refused.

use crate::support::{
    billed::check,
    pairs::{both, pair},
    uniform::assert_uniform,
};

use std::collections::{HashMap, HashSet};

use hushtable::{
    BShare, Error, Party, Result, Role,
    confidential::prf::{Cipher, Key, Prf, PrfJob},
    gates::Bits,
    session::Session,
};
use prim::{Aes128, block::Block, lowmc::LowMc};

const KEY: Block = Block(0x0f0e_0d0c_0b0a_0908_0706_0504_0302_0100);

fn job(cipher: Cipher, owner: Role, input_bits: u32, output_bits: u32) -> PrfJob {
    PrfJob { cipher, owner, input_bits, output_bits }
}

fn key(p: &Party, job: &PrfJob) -> Option<Key> {
    (p.role() == job.owner).then(|| Key::of(job.cipher, KEY))
}

/// The function by its definition, bit by bit.
fn defined(job: &PrfJob, x: u128) -> Vec<u64> {
    /// Bytes of a ciphertext of AES, column by column before the last ShiftRows.
    const ORDER: [usize; 16] = [0, 13, 10, 7, 4, 1, 14, 11, 8, 5, 2, 15, 12, 9, 6, 3];
    /// Where the bytes of x stand.
    const PLACES: [usize; 12] = [0, 5, 10, 15, 4, 9, 14, 3, 8, 13, 2, 7];
    let block = |number: usize| -> Vec<u64> {
        match job.cipher {
            Cipher::Aes128 => {
                let mut plain = [0u8; 16];
                PLACES.iter().enumerate().for_each(|(i, &at)| plain[at] = (x >> (8 * i)) as u8);
                (plain[1], plain[6]) = (number as u8, (number >> 8) as u8);
                let mut out = [Block(u128::from_le_bytes(plain))];
                Aes128::new(KEY).encrypt(&mut out);
                let bytes = out[0].0.to_le_bytes();
                ORDER.iter().flat_map(|&i| (0..8).map(move |k| u64::from(bytes[i] >> k & 1))).collect()
            }
            Cipher::LowMc => {
                let plain = x | (number as u128) << 96;
                let mut planes: Vec<u64> = (0..128).map(|i| (plain >> i & 1) as u64).collect();
                let cipher = LowMc::standard();
                cipher.encrypt(&cipher.round_keys(KEY), &mut planes, 1);
                planes.iter().map(|plane| plane & 1).collect()
            }
        }
    };
    (0..job.blocks()).flat_map(block).take(job.output_bits as usize).collect()
}

fn values([a, b]: [&[Bits]; 2], item: usize) -> Vec<u64> {
    a.iter().zip(b).map(|(a, b)| (a.words()[item / 64] ^ b.words()[item / 64]) >> (item % 64) & 1).collect()
}

/// Shares of the bits of inputs.
fn inputs(role: Role, bits: u32, x: &[u128]) -> Vec<Bits> {
    let bit = |k: u32| match role {
        Role::P0 => Bits::collect(x.iter().map(|x| (x >> k ^ u128::from(k)) as u64 & 1)),
        Role::P1 => Bits::collect(x.iter().map(|_| u64::from(k & 1))),
    };
    (0..bits).map(bit).collect()
}

fn by_layers(p: &mut Party, job: PrfJob, count: usize) -> Result<Prf> {
    Prf::prepare(p, job, count)
}

#[test]
fn values_are_those_of_the_cipher() {
    let sizes = [
        (1, 1, 3),
        (3, 20, 64),
        (8, 33, 1),
        (9, 128, 5),
        (17, 129, 67),
        (20, 21, 70),
        (24, 300, 9),
        (32, 40, 5),
        (33, 257, 5),
        (64, 128, 6),
        (65, 129, 3),
        (96, 300, 4),
    ];
    for (i, (d, w, count)) in sizes.into_iter().enumerate() {
        for (cipher, owner) in Cipher::ALL.into_iter().zip([Role::P0, Role::P1]) {
            let owner = if i % 2 == 0 { owner } else { owner.peer() };
            let job = job(cipher, owner, d, w);
            let scattered = |i: u128| i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) >> (128 - d);
            let x: Vec<u128> = (0..count).map(scattered).collect();
            for prepare in [by_layers, Prf::prepare_garbled] {
                let (a, b) = both(pair(800 + i as u64, None), |p| {
                    let x = inputs(p.role(), d, &x);
                    let key = key(p, &job);
                    prepare(p, job, x[0].len())?.eval(p, key.as_ref(), &x)
                });
                for (item, &x) in x.iter().enumerate() {
                    assert_eq!(values([&a, &b], item), defined(&job, x), "{job:?} at {x}");
                }
            }
        }
    }
}

/// What is encrypted differs for every input and number of a block, up to the largest.
#[test]
fn no_two_blocks_are_alike() {
    let numbers: Vec<usize> = (0..13).flat_map(|i| [(1 << i) - 1, 1 << i, (1 << i) + 1]).collect();
    let inputs: Vec<u128> = (0..96).flat_map(|i| [(1 << i) - 1, 1 << i]).chain([(1 << 96) - 1]).collect();
    for cipher in Cipher::ALL {
        let of = |x: &u128| numbers.iter().map(|&n| ((*x, n), cipher.input(*x, n).0)).collect::<Vec<_>>();
        let all: HashMap<(u128, usize), u128> = inputs.iter().flat_map(of).collect();
        let different: HashSet<u128> = all.values().copied().collect();
        assert_eq!(different.len(), all.len(), "{cipher}");
    }
}

#[test]
fn owners_compute_the_same_values() {
    for (cipher, (d, w)) in
        Cipher::ALL.into_iter().flat_map(|c| [(4, 3), (12, 150), (20, 21), (96, 130)].map(|s| (c, s)))
    {
        let job = job(cipher, Role::P0, d, w);
        let (width, first) = (9, if d > 9 { (1 << (d - 1)) + 64 * 5 } else { 0 });
        let inputs: Vec<u128> = (first..).take(64 * width).collect();
        let mut planes = vec![0u64; w as usize * width];
        Key::of(cipher, KEY).add_values(&job, &inputs, &mut planes).expect("a job");
        for i in (0..64 * width).step_by(61) {
            let found = planes.chunks(width).map(|plane| plane[i / 64] >> (i % 64) & 1);
            assert_eq!(found.collect::<Vec<_>>(), defined(&job, inputs[i]), "{job:?}, {i}");
        }
    }
}

#[test]
fn bills_are_met() {
    for (cipher, owner) in Cipher::ALL.into_iter().zip([Role::P1, Role::P0]) {
        for (d, w, count) in
            [(1, 1, 64), (20, 21, 64), (24, 128, 8), (13, 161, 8), (64, 128, 8), (96, 129, 8)]
        {
            let job = job(cipher, owner, d, w);
            let online = |s: &mut Session, m: Prf| {
                let key = (s.role() == job.owner).then(|| Key::of(job.cipher, KEY));
                m.eval(s, key.as_ref(), &inputs(s.role(), d, &vec![1; count])).map(drop)
            };
            let bill = Prf::bill(&job, count).expect("a bill");
            check(&format!("{job:?}"), bill, |p| Prf::prepare(p, job, count), online);
            let garbled = Prf::bill_garbled(&job, count).expect("a bill");
            check(&format!("{job:?}, garbled"), garbled, |p| Prf::prepare_garbled(p, job, count), online);
            let ands = job.boxes() * [34, 3][usize::from(cipher == Cipher::LowMc)];
            let sent = garbled.online.bits[owner as usize];
            // One bit does not need all of the last S-boxes.
            assert!(w == 1 || sent == (256 * ands * count) as u64, "{job:?}");
            assert_eq!(garbled.online.rounds, 2);
        }
    }
}

/// The page's formulas, and its figures.
#[test]
fn costs_are_those_of_the_page() {
    let of = |cipher, d, w| {
        let job = job(cipher, Role::P0, d, w);
        let bill = Prf::bill(&job, 1).expect("a bill");
        (job.boxes(), bill.all_cots(), bill.online.all_bits(), bill.online.rounds)
    };
    assert_eq!(of(Cipher::Aes128, 20, 21), (110, 44 * 110, 112 * 110, 40));
    assert_eq!(of(Cipher::Aes128, 24, 128), (135, 44 * 135, 112 * 135, 40));
    assert_eq!(of(Cipher::Aes128, 64, 128).0, 8 + 8 + 128);
    assert_eq!(of(Cipher::LowMc, 64, 128).0, 22 + 504);
    assert_eq!(of(Cipher::Aes128, 15, 6145).0, 2 + 4 + 128 * 48 + 96 + 4 + 1);
    assert_eq!(of(Cipher::LowMc, 20, 21), (511, 4 * 511, 10 * 511, 13));
    assert_eq!(of(Cipher::LowMc, 24, 513).0, 8 + 504 * 5);
    // 4096 lookups, an OT being 1.2 bits: 9.3 and 3.9 MB.
    let megabytes =
        |(_, cots, bits, _): (usize, u64, u64, u32)| (1.2 * cots as f64 + bits as f64) / 8e6 * 4096.0;
    assert!((9.2..9.3).contains(&megabytes(of(Cipher::Aes128, 20, 21))));
    assert!((3.8..3.9).contains(&megabytes(of(Cipher::LowMc, 20, 21))));
}

#[test]
fn what_is_sent_is_uniform() {
    for (i, cipher) in Cipher::ALL.into_iter().enumerate() {
        let job = job(cipher, Role::P0, 20, 40);
        for (k, prepare) in (0..).zip([by_layers, Prf::prepare_garbled]) {
            let (seed, count) = (830 + 10 * i as u64 + 5 * k, [64, 9][k as usize]);
            assert_uniform(&format!("{cipher}"), seed, 1 << 18, |p, x| {
                let material = prepare(p, job, count)?;
                let key = key(p, &job);
                p.barrier()?;
                let x = Bits::from_share(&BShare::new(20, vec![x as u32; count]));
                material.eval(p, key.as_ref(), &x).map(drop)
            });
        }
    }
}

fn eval_none(p: &mut Party, job: PrfJob, key: Option<Key>) -> Result<Vec<Bits>> {
    Prf::prepare(p, job, 0)?.eval(p, key.as_ref(), &vec![Bits::collect([]); 8])
}

#[test]
fn what_does_not_fit_is_refused() {
    let bad = |p: &mut Party, job: PrfJob, count: usize| {
        let refused = Prf::prepare(p, job, count).err().expect("refused");
        assert!(matches!(refused, Error::Param { .. }), "{job:?}: {refused}");
        assert!(Prf::bill(&job, count).is_err());
    };
    both(pair(850, None), |p| {
        for (d, w) in [(0, 8), (97, 8), (8, 0), (8, (1 << 19) + 2)] {
            bad(p, job(Cipher::LowMc, Role::P0, d, w), 1);
        }
        bad(p, job(Cipher::LowMc, Role::P0, 8, 129), (1 << 19) + 1);
        let job = job(Cipher::Aes128, Role::P0, 8, 8);
        let mine = |p: &Party| p.role() == Role::P0;
        let eval = |p: &mut Party, key: Option<Key>, x: Vec<Bits>| -> Result<Vec<Bits>> {
            Prf::prepare(p, job, 2)?.eval(p, key.as_ref(), &x)
        };
        let two = |bits| vec![Bits::collect([0; 2]); bits];
        let wrong = if mine(p) { None } else { Some(Key::of(Cipher::Aes128, KEY)) };
        assert!(matches!(eval(p, wrong, two(8)), Err(Error::Param { .. })));
        let other = Some(Key::of(Cipher::LowMc, KEY));
        assert!(matches!(eval(p, other, two(8)), Err(Error::Param { .. })));
        let key = |p: &Party| mine(p).then(|| Key::of(Cipher::Aes128, KEY));
        assert!(matches!(eval(p, key(p), two(7)), Err(Error::Shape { .. })));
        assert!(matches!(eval(p, key(p), vec![Bits::collect([0; 3]); 8]), Err(Error::Shape { .. })));
        let none = eval_none(p, job, key(p))?;
        assert!(none.len() == 8 && none.iter().all(Bits::is_empty));
        Ok(())
    });
}

/// Beyond the inputs that there are, AES would give the values of others again.
#[test]
fn inputs_that_there_are_not_have_no_value() {
    for cipher in Cipher::ALL {
        let (key, job) = (Key::of(cipher, KEY), job(cipher, Role::P0, 96, 8));
        let mut planes = [0; 8];
        let mut inputs = [(1 << 96) - 1; 64];
        key.add_values(&job, &inputs, &mut planes).expect("the last input");
        inputs[63] += 1;
        let refused = key.add_values(&job, &inputs, &mut planes);
        assert!(matches!(refused, Err(Error::Param { .. })), "{cipher}");
        let refused = key.add_values(&job, &inputs[..63], &mut planes);
        assert!(matches!(refused, Err(Error::Shape { .. })), "{cipher}");
    }
}
