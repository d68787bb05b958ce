//! S7 over whole protocols: every input of the hash is recorded, with its key, in a session that runs all of them,
//! and none repeats. A party that hashed the same input twice under one key would use a mask twice.

use crate::{
    support::{
        pairs::{id, share},
        recorded::{PURPOSES, check, purposes, recorded},
    },
    wire, wire_functions,
};

use hushtable::{
    Party, Result, Role,
    arith::{ComparePlan, DigitMethod, Millionaires, Multiplication},
    cuckoo,
    gates::{B2a, Bits},
    lut::{Table, arithmetic::Arithmetic, oplut::OpLut, splut::SpLut},
    net::LinkShape,
    onehot::{Cyclic, OneHot, Xor},
    oprf::{Oprf, OprfJob},
    ot::Scheme,
    session::{Purpose, Session},
    share::{Additive, Bitwise},
};
use prim::{block::Block, hash::CcrHash, prg::Prg, record::Hashed};

/// VOLEs by packing, or by extensions of sets S and M.
fn voles(p: &mut Party, sender: Role, count: usize) -> Result<()> {
    match p.role() == sender {
        true => p.send_voles(count).map(drop),
        false => p.receive_voles(count).map(drop),
    }
}

/// Batches of several messages and keys.
fn large(p: &mut Party) -> Result<()> {
    let (role, table) = (p.role(), Table::<u64>::tabulate(8, 64, |x| x.wrapping_mul(0x9e37_79b9))?);
    let x = |count| share::<Additive>(role, 8, &vec![77; count], 1);
    let y = |count| share::<Bitwise>(role, 8, &vec![77; count], 2);
    OneHot::<Cyclic>::tree(p, 8, 5000)?.signed(p, &[64])?.lookup(p, &table, &x(5000))?;
    OneHot::<Xor>::tree(p, 8, 5000)?.lookup_xor(p, &table, &y(5000))?;
    Arithmetic::<Cyclic, u64>::prepare(p, 8, 64, 5000)?.lookup(p, &table, &x(5000))?;
    OneHot::<Cyclic>::rotl(p, 8, 1300)?.lookup_xor(p, &table, &x(1300))?;
    OneHot::<Xor>::staged(p, 8, 1300)?.signed(p, &[64])?.lookup(p, &table, &y(1300))?;
    SpLut::<Cyclic>::prepare(p, 256, 2100)?.lookup(p, &table, &x(2100))?;
    SpLut::<Xor>::prepare_kk13(p, 256, 2100)?.lookup_xor(p, &table, &y(2100))?;
    let small = Table::<u16>::tabulate(4, 16, |x| x * 511)?;
    OpLut::<Cyclic, Additive, u16>::prepare(p, &small, 1300)?.lookup(p, &x(1300))?;
    OpLut::<Cyclic, Additive, u16>::prepare_kk13(p, &small, 1300)?.lookup(p, &x(1300))?;
    p.random_ots(100, (2100, 2100))?.spend(|_| ());
    let material = Multiplication::prepare(p, 32, 5000)?;
    material.multiply(p, &share::<Additive>(role, 32, &[5; 5000], 3), &share(role, 32, &[6; 5000], 4))?;
    for (method, digit) in [(DigitMethod::Thermometer, 4), (DigitMethod::Lookup, 2)] {
        Millionaires::prepare(p, 31, ComparePlan { method, digit }, 5000)?.less(p, &[4444; 5000])?;
    }
    let bits = Bits::random(p, 50_000);
    B2a::prepare(p, 31, 50_000)?.convert::<u32>(p, &bits).map(drop)?;
    let mut inputs = vec![Block::ZERO; 3000];
    Prg::new(Block(5)).blocks(&mut inputs);
    for receiver in [Role::P0, Role::P1] {
        let job = OprfJob { receiver, keys: 3000, inputs: 3000, blocks: 2 };
        Oprf::prepare(p, job)?.eval(p, &inputs)?;
        cuckoo::Hashing::new(p, receiver).bins(9, &inputs);
    }
    voles(p, Role::P0, 20_000)?;
    voles(p, Role::P1, 130_000)
}

/// All protocols one after the other in one session, from Ferret's OTs; then in larger batches; then in two lanes.
/// Longer than 10 s: millions of inputs.
#[test]
fn no_input_repeats_under_a_key() {
    let run = |p: &mut Party| -> Result<Vec<[u8; 32]>> {
        let small = wire::PROTOCOLS.iter().filter(|(_, scheme, _)| scheme.is_none());
        for (name, protocol) in
            small.map(|&(name, _, f)| (name, f)).chain(wire_functions::PROTOCOLS.iter().copied())
        {
            protocol(p).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        large(p)?;
        let mut lanes = p.fork(2)?;
        for lane in &mut lanes {
            for &(_, _, protocol) in wire::PROTOCOLS.iter().filter(|(_, scheme, _)| scheme.is_none()) {
                protocol(lane)?;
            }
            drop(lane.cots(40_000, 40_000)?);
        }
        p.random_ots(100, (9, 9))?.spend(|_| ()); // after the lanes as before
        Ok(lanes.iter().map(|lane| lane.id()).collect())
    };
    let (records, ids) = recorded(400, Some(Scheme::Ferret), run);
    let purposes = purposes(&ids);
    for (record, who) in records.into_iter().zip(["P0", "P1"]) {
        assert!(record.len() > 1_000_000, "{who} has recorded {}", record.len());
        let found = check(who, &record, &purposes);
        // Keys of AES alone, and those of a baseline.
        let others = [Purpose::Matrix, Purpose::VolePlace, Purpose::VoleFactor, Purpose::Ggm];
        PURPOSES
            .into_iter()
            .filter(|purpose| !others.contains(purpose))
            .for_each(|purpose| assert!(found.contains(&purpose), "{who} never hashed for {purpose:?}"));
    }
}

/// Extensions one after the other, of every scheme.
#[test]
fn no_input_of_an_extension_repeats() {
    for (seed, scheme) in (401..).zip(Scheme::ALL) {
        let run = |p: &mut Party| -> Result<Vec<[u8; 32]>> {
            for counts in [(9, 9), (9000, 9000), (120_000, 120_000), (300_000, 300_000)] {
                drop(p.cots(counts.0, counts.1)?);
            }
            Ok(Vec::new())
        };
        let (records, ids) = recorded(seed, Some(scheme), run);
        let purposes = purposes(&ids);
        for (record, who) in records.iter().zip(["P0", "P1"]) {
            check(&format!("{scheme:?}, {who}"), record, &purposes);
        }
    }
}

/// The check can fail: it sees a key that serves two batches, and a tree that nobody grew.
#[test]
fn repeated_inputs_are_seen() {
    let (mut s, _) = Session::pair_seeded(410, LinkShape::LOOPBACK);
    let key = s.key(Purpose::Tree, Role::P0);
    let purposes = purposes(&[id(410)]);
    let hashed = |input, regrown| Hashed { key, input: Block(input), regrown };
    let (a, b) = (1 << 77 | 5, 1 << 99);
    let fails = |record: &[Hashed]| std::panic::catch_unwind(|| check("", record, &purposes)).is_err();
    assert!(!fails(&[
        hashed(a, false),
        hashed(b, false),
        hashed(a, true),
        hashed(3, false),
        hashed(3, false)
    ]));
    assert!(fails(&[hashed(a, false), hashed(b, false), hashed(a, false)]));
    assert!(fails(&[hashed(a, false), hashed(b, true)]));
    let idle = CcrHash::new(key).one(Block::ZERO).0;
    assert!(!fails(&[hashed(idle, false), hashed(idle, false)]));
}
