//! The pseudo-random function of two parties: equal inputs have equal values, all else is noise; few inputs and many; and
//! what its one message shows.

use std::collections::HashSet;

use crate::support::{billed, pairs, relay, stats};

use hushtable::{
    Error, Party, Result, Role,
    net::Connection,
    okvs::{self, Hashing, Size},
    oprf::{MAX_INPUTS, Oprf, OprfJob},
    ot::{Scheme, vole::PACKED},
    session::Purpose,
};
use pairs::{id, pair};
use prim::{Prg, Wiped, block::Block};
use relay::{Fate, relayed};

const ROLES: [Role; 2] = [Role::P0, Role::P1];

/// Inputs as alike as can be: all that differ from a random one in a low bit, in a high one, or in a count.
fn alike(seed: u64, count: usize) -> Vec<Block> {
    let mut base = [Block::ZERO];
    Prg::new(Block(seed.into())).blocks(&mut base);
    let bit = (0..128).map(|i| Block(base[0].0 ^ 1 << i));
    let far = (1u128..).map(|i| Block(base[0].0 ^ i << 64));
    let near = (3u128..).filter(|i| !i.is_power_of_two()).map(|i| Block(base[0].0 ^ i));
    let mut seen = HashSet::new();
    let all = base.into_iter().chain(bit).chain(near.zip(far).flat_map(|(a, b)| [a, b]));
    all.filter(|x| seen.insert(x.0)).take(count).collect()
}

fn blocks(seed: u64, count: usize) -> Vec<Block> {
    let mut out = vec![Block::ZERO; count];
    Prg::new(Block(seed.into())).blocks(&mut out);
    out
}

/// Values at both parties, of the receiver first.
fn values(seed: u64, scheme: Option<Scheme>, job: OprfJob, inputs: [&[Block]; 2]) -> [Wiped<Block>; 2] {
    let run = |p: &mut Party| {
        let mine = inputs[usize::from(p.role() != job.receiver)];
        let values = Oprf::prepare(p, job)?.eval(p, mine)?;
        p.barrier()?;
        Ok(values)
    };
    let (a, b) = hushtable::run_pair(pair(seed, scheme), run, run).expect("an honest run");
    if job.receiver == Role::P0 { [a, b] } else { [b, a] }
}

/// Equal inputs and no others have equal values, block by block; and no value occurs twice.
fn check(job: OprfJob, inputs: [&[Block]; 2], found: &[Wiped<Block>; 2]) {
    let rows = |i: usize| inputs[i].iter().zip(found[i].chunks(job.blocks.max(1)));
    assert_eq!(found.each_ref().map(|values| values.len()), inputs.map(|inputs| inputs.len() * job.blocks));
    if job.blocks == 0 {
        return;
    }
    let theirs: std::collections::HashMap<u128, &[Block]> = rows(1).map(|(y, value)| (y.0, value)).collect();
    let all: HashSet<u128> = found[1].iter().map(|x| x.0).collect();
    assert_eq!(all.len(), found[1].len(), "{job:?}: values repeat");
    for (x, value) in rows(0) {
        match theirs.get(&x.0) {
            Some(same) => assert!(value == *same, "{job:?}: another value"),
            None => assert!(value.iter().all(|word| !all.contains(&word.0)), "{job:?}: a value of another"),
        }
    }
}

#[test]
fn equal_inputs_have_equal_values() {
    for (seed, receiver) in ROLES.into_iter().enumerate() {
        for (n, m, blocks) in
            [(0, 0, 1), (0, 5, 1), (5, 0, 2), (1, 1, 1), (1, 1, 0), (300, 299, 3), (40, 900, 2)]
        {
            let job = OprfJob { receiver, keys: n + 2, inputs: m + 3, blocks };
            let (all, half) = (alike(5, n + m), n.min(m) / 2);
            let inputs = [&all[..n], &all[n - half..][..m]];
            check(job, inputs, &values(910 + seed as u64, None, job, inputs));
        }
    }
}

/// More keys than packed VOLEs serve, so that they are extended with LPN: set S, and set M.
#[test]
fn many_keys() {
    for (seed, keys, receiver) in [(920, 20_000, Role::P0), (921, 110_000, Role::P1)] {
        let job = OprfJob { receiver, keys, inputs: 30_000, blocks: 2 };
        assert!(Size::of(keys).expect("few keys").columns() > PACKED);
        let all = blocks(6, keys + 15_000);
        let inputs = [&all[..keys], &all[keys - 15_000..]];
        for scheme in [None, Some(Scheme::Ferret)] {
            check(job, inputs, &values(seed, scheme, job, inputs));
        }
    }
}

/// Inputs of the sender beyond `2^19` have keys of H by their upper bits: the same at both parties, wherever they stand.
#[test]
fn keys_of_the_hash_go_by_the_input() {
    for (most, groups) in [(1 << 19, 1), ((1 << 19) + 1, 2), (MAX_INPUTS, 128)] {
        let job = OprfJob { receiver: Role::P0, keys: 400, inputs: most, blocks: 2 };
        let all = blocks(7, 600);
        let reversed: Vec<Block> = all[200..].iter().rev().copied().collect();
        let inputs = [&all[..400], &reversed[..]];
        let found = values(930, None, job, inputs);
        check(job, inputs, &found);
        // As many keys as promised, of which the parties draw each for both blocks.
        let keys = |p: &mut Party| {
            let eval = Oprf::prepare(p, job)?;
            let count = if p.role() == Role::P0 { 400 } else { 600 };
            eval.eval(p, &all[..count])?;
            Ok(p.key(Purpose::FunctionValue, Role::P1))
        };
        let drawn = |p: &mut Party| -> Result<Vec<Block>> {
            Ok((0..=2 * groups).map(|_| p.key(Purpose::FunctionValue, Role::P1)).collect())
        };
        let next = hushtable::run_pair(pair(931, None), keys, keys).expect("an honest run").0;
        let all = hushtable::run_pair(pair(931, None), drawn, drawn).expect("an honest run").0;
        assert!(next == all[2 * groups], "{most} inputs: other than {groups} keys");
    }
}

/// A second evaluation has nothing in common with the first.
#[test]
fn each_evaluation_is_of_another_function() {
    let job = OprfJob { receiver: Role::P1, keys: 100, inputs: 100, blocks: 1 };
    let all = alike(8, 100);
    let run = |p: &mut Party| -> Result<[Wiped<Block>; 2]> {
        let two = [Oprf::prepare(p, job)?, Oprf::prepare(p, job)?];
        let [first, second] = two;
        Ok([first.eval(p, &all)?, second.eval(p, &all)?])
    };
    let (a, b) = hushtable::run_pair(pair(940, None), run, run).expect("an honest run");
    assert!(a[0][..] == b[0][..] && a[1][..] == b[1][..]);
    let first: HashSet<u128> = a[0].iter().map(|x| x.0).collect();
    assert!(a[1].iter().all(|x| !first.contains(&x.0)));
}

/// The receiver's message is noise of a length that the job says, whatever its inputs; and its store is masked: the
/// sender, which knows the hash functions and guesses the inputs, reads noise at them.
#[test]
fn the_message_shows_nothing() {
    let job = OprfJob { receiver: Role::P0, keys: 500, inputs: 500, blocks: 1 };
    let size = Size::of(500).expect("few keys");
    for (case, count) in [0, 1, 499, 500].into_iter().enumerate() {
        let inputs = alike(9, count);
        let mut counts = [0u64; 256];
        for run in 0..6 {
            let receive = |p: &mut Party| Oprf::prepare(p, job)?.eval(p, &inputs).map(drop);
            let look = |p: &mut Party| {
                let _vole = Oprf::prepare(p, job)?;
                let with = Hashing::new(p, Role::P0);
                let hash = p.hash(Purpose::FunctionInput, Role::P1);
                let mut sent = vec![0u64; size.columns()];
                p.connection().channel().recv_into(bytemuck::cast_slice_mut(&mut sent))?;
                let mut hashed = vec![Block::ZERO; inputs.len()];
                hash.xored(&inputs, Block::ZERO, &mut hashed);
                let read = okvs::decode(&with, size, &sent, 1, &inputs)?;
                Ok((sent, read.iter().zip(&hashed).filter(|(read, hash)| **read == hash.0 as u64).count()))
            };
            let seed = 950 + 10 * case as u64 + run;
            let (sent, guessed) =
                hushtable::run_pair(pair(seed, None), receive, look).expect("an honest run").1;
            assert_eq!(guessed, 0, "{count} inputs: the store is not masked");
            assert_eq!(sent.iter().collect::<HashSet<_>>().len(), sent.len(), "{count} inputs: words repeat");
            sent.iter().flat_map(|word| word.to_le_bytes()).for_each(|byte| counts[usize::from(byte)] += 1);
        }
        let z = stats::uniform(&counts);
        assert!(z < 5.0, "{count} inputs: {z:.1} deviations");
    }
}

/// What it costs, to the bit, of packed VOLEs.
#[test]
fn bills() {
    let limits = Party::pair_seeded(0xb111).expect("a pair").0.setting().limits;
    for (receiver, keys, inputs) in [(Role::P0, 0, 3), (Role::P1, 700, 20), (Role::P0, 20, 5000)] {
        let job = OprfJob { receiver, keys, inputs, blocks: 2 };
        let all = alike(10, keys.max(inputs));
        billed::check(
            &format!("{job:?}"),
            job.bill(&limits).expect("a bill"),
            |p| Oprf::prepare(p, job),
            |s, m| m.eval(s, &all[..if s.role() == receiver { keys } else { inputs }]).map(drop),
        );
    }
}

/// A message that is cut, of another length, or garbage: an error at the sender, or values that match nothing.
#[test]
fn faults_end_it() {
    let job = OprfJob { receiver: Role::P0, keys: 20, inputs: 20, blocks: 1 };
    let inputs = alike(11, 20);
    let run = |fault: Option<u8>| {
        let party = |connection: Connection| {
            let p = &mut Party::seeded(connection, 960, None)?;
            let material = Oprf::prepare(p, job)?;
            p.announce("online")?;
            let values = material.eval(p, &inputs)?;
            p.barrier()?;
            Ok(values)
        };
        let online = std::sync::Mutex::new(None);
        relayed(id(960), party, party, |role, i, frame| {
            let mut at = online.lock().expect("no panic");
            if role == Role::P0 && frame[8..] == *b"online" {
                *at = Some(i + 1);
            }
            let mut frame = frame.to_vec();
            match fault {
                Some(kind) if role == Role::P0 && *at == Some(i) => match kind {
                    0 => return Fate::Cut,
                    1 => frame[8..].fill(0xff),
                    _ => {
                        let len = (frame.len() - 9) as u32;
                        frame[..4].copy_from_slice(&len.to_le_bytes());
                        frame.pop();
                    }
                },
                _ => return Fate::Pass,
            }
            Fate::Instead(frame)
        })
    };
    let ends = |fault| {
        let outcome = run(fault);
        [outcome.p0, outcome.p1].map(|end: Option<Result<Wiped<Block>>>| end.expect("no panic"))
    };
    let [a, b] = ends(None).map(|end| end.expect("an honest run"));
    assert!(a[..] == b[..]);
    let [a, b] = ends(Some(1)).map(|end| end.expect("garbage is masked anyway"));
    let mine: HashSet<u128> = a.iter().map(|x| x.0).collect();
    assert!(b.iter().all(|x| !mine.contains(&x.0)));
    for kind in [0, 2] {
        let [_, b] = ends(Some(kind));
        assert!(b.is_err(), "fault {kind}");
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let job = |keys, inputs| OprfJob { receiver: Role::P0, keys, inputs, blocks: 1 };
    let run = |p: &mut Party| {
        for job in [job(MAX_INPUTS + 1, 1), job(1, MAX_INPUTS + 1)] {
            assert!(matches!(Oprf::prepare(p, job), Err(Error::Param { .. })));
            assert!(matches!(job.bill(&p.setting().limits), Err(Error::Param { .. })));
        }
        let error = Oprf::prepare(p, job(2, 2))?.eval(p, &alike(12, 3)).err().expect("refused");
        assert!(matches!(error, Error::Shape { .. }), "{error}");
        Ok(())
    };
    hushtable::run_pair(pair(970, None), run, run).expect("refused before anything is sent");
}

/// Two inputs of the receiver that are equal have dependent rows: an error, before anything is sent.
#[test]
fn an_input_that_occurs_twice_is_an_error() {
    let job = OprfJob { receiver: Role::P0, keys: 3, inputs: 3, blocks: 1 };
    let run = |p: &mut Party| {
        let material = Oprf::prepare(p, job)?;
        if p.role() == Role::P1 {
            return Ok(());
        }
        let twice = material.eval(p, &[Block(1), Block(2), Block(1)]);
        assert!(matches!(twice, Err(Error::Chance(_))));
        Ok(())
    };
    hushtable::run_pair(pair(980, None), run, run).expect("an error of its own");
}
