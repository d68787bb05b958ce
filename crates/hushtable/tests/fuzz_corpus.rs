//! The fuzz targets as plain tests: every seed, every file of the corpus, and mutations of both
//! for a second each, or `FUZZ_SECONDS` altogether. `FUZZ_SEED` chooses other mutations.

#[path = "../../../fuzz/targets/mod.rs"]
mod targets;

use std::{
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::Path,
    time::{Duration, Instant},
};

use prim::{block::Block, prg::Prg};
use targets::{TARGETS, Target};

/// Longest mutated input.
const LONGEST: usize = 1 << 12;

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

fn fuzz(name: &str) {
    let target = TARGETS.into_iter().find(|target| target.name == name).expect("a target of this name");
    let budget = number("FUZZ_SECONDS").map_or(Duration::from_secs(1), Duration::from_secs);
    let budget = if number("FUZZ_SECONDS").is_some() { budget / TARGETS.len() as u32 } else { budget };
    let seed = number("FUZZ_SEED").unwrap_or(1);
    let mut inputs = (target.seeds)();
    inputs.extend(corpus(name));
    inputs.iter().for_each(|input| check(&target, input, seed));
    let mut rng = Prg::new(Block(u128::from(seed)));
    let (start, mut runs) = (Instant::now(), inputs.len());
    while start.elapsed() < budget && runs < target.most {
        let mut input = inputs[pick(&mut rng, inputs.len())].clone();
        for _ in 0..=pick(&mut rng, 4) {
            mutate(&mut rng, &mut input, &inputs);
        }
        input.truncate(LONGEST.max(inputs[0].len()));
        check(&target, &input, seed);
        runs += 1;
    }
    println!("{name}: {runs} inputs in {:.1?}", start.elapsed());
}

/// Files that once failed, or that somebody thought worth keeping.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a readable file")).collect()
}

fn check(target: &Target, input: &[u8], seed: u64) {
    let outcome = catch_unwind(AssertUnwindSafe(|| (target.run)(input)));
    if let Err(panic) = outcome {
        let hex: String = input.iter().map(|b| format!("{b:02x}")).collect();
        eprintln!("{} fails (FUZZ_SEED={seed}) on {} bytes: {hex}", target.name, input.len());
        resume_unwind(panic);
    }
}

fn pick(rng: &mut Prg, below: usize) -> usize {
    (rng.u64() % below.max(1) as u64) as usize
}

/// One small change.
fn mutate(rng: &mut Prg, input: &mut Vec<u8>, others: &[Vec<u8>]) {
    const NUMBERS: [u32; 10] = [0, 1, 2, 8, 0x7f, 0xff, 0xffff, 0x8000_0000, u32::MAX - 1, u32::MAX];
    let at = pick(rng, input.len());
    match rng.u64() % 8 {
        _ if input.is_empty() => input.push(rng.u64() as u8),
        0 => input[at] ^= 1 << (rng.u64() % 8),
        1 => input[at] = rng.u64() as u8,
        2 => input.truncate(at),
        3 => drop(input.remove(at)),
        4 => input.insert(at, NUMBERS[pick(rng, NUMBERS.len())] as u8),
        5 => {
            let number = NUMBERS[pick(rng, NUMBERS.len())].to_le_bytes();
            input.iter_mut().skip(at).zip(number).for_each(|(byte, new)| *byte = new);
        }
        6 => {
            let end = at + pick(rng, input.len() - at);
            input.extend_from_within(at..=end.min(input.len() - 1));
        }
        _ => {
            let other = &others[pick(rng, others.len())];
            let tail = &other[pick(rng, other.len())..];
            input.truncate(at);
            input.extend_from_slice(tail);
        }
    }
}

#[test]
fn base_ot() {
    fuzz("base_ot");
}

#[test]
fn frames() {
    fuzz("frames");
}

#[test]
fn greeting() {
    fuzz("greeting");
}

#[test]
fn identity() {
    fuzz("identity");
}

#[test]
fn network() {
    fuzz("network");
}

#[test]
fn parameters() {
    fuzz("parameters");
}

#[test]
fn store() {
    fuzz("store");
}

#[test]
fn unpack() {
    fuzz("unpack");
}

#[test]
fn every_target_is_run_here_and_by_the_fuzzer() {
    let here = include_str!("fuzz_corpus.rs");
    let manifest = include_str!("../../../fuzz/Cargo.toml");
    for target in TARGETS {
        assert!(here.contains(&format!("fuzz(\"{}\");", target.name)), "{} has no test", target.name);
        assert!(manifest.contains(&format!("name = \"{}\"", target.name)), "{} is no binary", target.name);
    }
}
