//! Runs a fuzz target without a fuzzer: every seed, every file of the corpus, and mutations of both for a second,
//! or for a part of `FUZZ_SECONDS`. `FUZZ_SEED` chooses other mutations. With `FUZZ_SEEDS`, a folder, it only writes the
//! seeds there, for a fuzzer to start from.

use std::{
    env, fs,
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    path::Path,
    time::{Duration, Instant},
};

use prim::{block::Block, prg::Prg};

/// Runs a target on its seeds, on its corpus, and on at most so many inputs altogether; it is one of `targets` that
/// share the time.
pub fn fuzz(name: &str, run: fn(&[u8]), seeds: Vec<Vec<u8>>, most: usize, targets: usize) {
    let budget = number("FUZZ_SECONDS")
        .map_or(Duration::from_secs(1), |all| Duration::from_secs(all) / targets as u32);
    let seed = number("FUZZ_SEED").unwrap_or(1);
    if let Ok(folder) = env::var("FUZZ_SEEDS") {
        return write(&Path::new(&folder).join(name), &seeds);
    }
    let mut inputs = seeds;
    inputs.extend(corpus(name));
    inputs.iter().for_each(|input| check(name, run, input, seed));
    let mut rng = Prg::new(Block(u128::from(seed)));
    let (start, mut runs) = (Instant::now(), inputs.len());
    while start.elapsed() < budget && runs < most {
        let mut input = inputs[pick(&mut rng, inputs.len())].clone();
        for _ in 0..=pick(&mut rng, 4) {
            mutate(&mut rng, &mut input, &inputs);
        }
        input.truncate(LONGEST.max(inputs[0].len()));
        check(name, run, &input, seed);
        runs += 1;
    }
    println!("{name}: {runs} inputs in {:.1?}", start.elapsed());
}

/// Each seed as a file.
fn write(folder: &Path, seeds: &[Vec<u8>]) {
    fs::create_dir_all(folder).expect("a folder that can be written");
    for (i, seed) in seeds.iter().enumerate() {
        fs::write(folder.join(i.to_string()), seed).expect("a folder that can be written");
    }
}

/// Longest mutated input.
const LONGEST: usize = 1 << 12;

fn number(name: &str) -> Option<u64> {
    let text = env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number")))
}

/// Files that once failed, or that somebody thought worth keeping.
fn corpus(name: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("a readable folder").path()).collect();
    paths.sort();
    paths.iter().map(|path| fs::read(path).expect("a readable file")).collect()
}

fn check(name: &str, run: fn(&[u8]), input: &[u8], seed: u64) {
    let outcome = catch_unwind(AssertUnwindSafe(|| run(input)));
    if let Err(panic) = outcome {
        let hex: String = input.iter().map(|b| format!("{b:02x}")).collect();
        eprintln!("{name} fails (FUZZ_SEED={seed}) on {} bytes: {hex}", input.len());
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

/// Each target has a test in the text `tests` and a binary in the fuzzer's manifest.
pub fn each_is_run<'a>(tests: &str, names: impl Iterator<Item = &'a str>) {
    let manifest = include_str!("Cargo.toml");
    for name in names {
        assert!(tests.contains(&format!("fuzz(\"{name}\");")), "{name} has no test");
        assert!(manifest.contains(&format!("name = \"{name}\"")), "{name} is no binary");
    }
}
