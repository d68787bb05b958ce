//! `he`: what the pieces of the lattice take, on one thread and without a peer. What one of them gives is verified.

use std::{
    io::Write,
    time::{Duration, Instant},
};

use clap::Args;
use hushtable_columns::{
    failure::{Failure, Result},
    units::time,
};
use prim::{
    Block, Prg, low,
    ntt::{DEGREE, Ntt, PRIMES, SHORT},
};
use serde::Serialize;

use crate::{
    inputs,
    report::{self, Format},
};

/// How long a piece is repeated for one measurement, at least.
const WHILE: Duration = Duration::from_millis(20);
/// Products in a sum, and ciphertexts that are packed.
const SUM: usize = 64;
const PACKED: usize = 8;

/// Pieces of the lattice: polynomials of degree below 8192, mod a product of primes of 30 bits
#[derive(Args, Debug)]
pub struct LatticePieces {
    /// Bits of a plaintext, 8 to 64
    #[arg(long, value_name = "L", default_value = "37", value_parser = clap::value_parser!(u32).range(8..=64))]
    bits: u32,
    /// Primes of the modulus, 3 to 7: 4 are 120 bits
    #[arg(long, value_name = "N", default_value = "4", value_parser = clap::value_parser!(u8).range(3..=7))]
    limbs: u8,
    /// Measurements of each piece; the median is reported
    #[arg(long, value_name = "N", default_value = "5", value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    /// One line of JSON, or a table
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Names are a contract with other programs: those that other kinds have mean the same.
#[derive(Serialize)]
struct Pieces {
    kind: &'static str,
    bits: u32,
    limbs: u8,
    threads: u16,
    runs: u16,
    us: Times,
    verified: bool,
    cpu: String,
    version: &'static str,
}

/// Microseconds.
#[derive(Serialize)]
struct Times {
    transform: f64,
    transform_back: f64,
    plain: f64,
    plain_short: f64,
    product: f64,
    product_with_plain: f64,
    product_in_sum: f64,
    encrypt: f64,
    switch: f64,
    respond: f64,
    open: f64,
}

impl Times {
    /// What each is, for people.
    fn named(&self) -> [(&'static str, f64); 11] {
        [
            ("transform, one prime", self.transform),
            ("back", self.transform_back),
            ("known polynomial, to transforms", self.plain),
            ("the same of 64 coefficients", self.plain_short),
            ("plaintext x ciphertext", self.product),
            ("with the transforms of the plaintext", self.product_with_plain),
            ("in a sum of 64 others, each", self.product_in_sum),
            ("encryption", self.encrypt),
            ("key switch, with what packing adds up", self.switch),
            ("response of 8192 coefficients", self.respond),
            ("opening it", self.open),
        ]
    }
}

impl LatticePieces {
    /// Measures, and prints.
    pub fn print(&self) -> Result<()> {
        let pieces = self.measured()?;
        let text = match self.format {
            Format::Json => serde_json::to_string(&pieces).expect("plain data") + "\n",
            Format::Table => {
                let line = |(name, us): (&str, f64)| format!("{name:40}{:>12}\n", time(us / 1e6));
                format!(
                    "{} bits, {} primes of 30 bits, 1 thread\n{}\na product, its response and what is opened verified\n{}, hushtable {}\n",
                    self.bits,
                    self.limbs,
                    pieces.us.named().map(line).concat(),
                    pieces.cpu,
                    pieces.version
                )
            }
        };
        std::io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }

    /// The median of some measurements, in microseconds: each of as many times as take a while, but one at least.
    fn median(&self, mut piece: impl FnMut()) -> f64 {
        piece();
        let one = |_| {
            let (start, mut count) = (Instant::now(), 0u32);
            while count == 0 || start.elapsed() < WHILE {
                piece();
                count += 1;
            }
            start.elapsed().as_secs_f64() * 1e6 / f64::from(count)
        };
        let mut all: Vec<f64> = (0..self.repeat).map(one).collect();
        all.sort_by(f64::total_cmp);
        all[(all.len() - 1) / 2]
    }

    fn measured(&self) -> Result<Pieces> {
        let params = he::Params::new(self.bits, self.limbs.into()).map_err(failure)?;
        let mut prg = Prg::new(Block(1));
        let Sent { encryptor, evaluator, keys, numbers, encrypted } = Sent::new(params, &mut prg)?;
        let ring = encryptor.ring();
        let [transform, transform_back] = self.transforms();
        let mut multiplier = he::Multiplier::new(ring);
        let weights = vec![-3; DEGREE];
        let mut known: Vec<he::Plain> = (0..SUM).map(|_| multiplier.zero()).collect();
        let plain = self.median(|| multiplier.plain(&weights, 1, &mut known[0]));
        let plain_short = self.median(|| multiplier.plain(&weights[..SHORT], 1, &mut known[0]));
        // Shares of -3 times the numbers, which are verified.
        known.iter_mut().for_each(|known| multiplier.plain(&weights[..1], 1, known));
        let mut out = he::Packer::new(ring, Vec::new()).pack(1, &mut |_, to| {
            multiplier.products(&[(&encrypted[0], &known[0])], &mut to[0]);
        });
        let places: Vec<usize> = (0..DEGREE).collect();
        let (response, mask) = evaluator.respond(&mut prg, &out[0], &places);
        verify(self.bits, &numbers, &encryptor.open(&response, &places), &mask)?;
        let respond = self.median(|| drop(evaluator.respond(&mut prg, &out[0], &places)));
        let open = self.median(|| drop(encryptor.open(&response, &places)));
        let encrypt = self.median(|| drop(encryptor.encrypt(&mut prg, &numbers)));
        let product = self.median(|| multiplier.products(&[(&encrypted[0], &known[0])], &mut out[0]));
        let product_with_plain = self.median(|| {
            multiplier.plain(&weights, 1, &mut known[0]);
            multiplier.products(&[(&encrypted[0], &known[0])], &mut out[0]);
        });
        let pairs: Vec<(&he::Ciphertext, &he::Plain)> = encrypted.iter().zip(&known).collect();
        let product_in_sum = self.median(|| multiplier.products(&pairs, &mut out[0])) / SUM as f64;
        let mut packer = he::Packer::new(ring, keys.iter().collect());
        let switches = self.median(|| {
            let packed = packer.pack(1, &mut |_, _| ());
            packer.take_back(packed);
        });
        let switch = switches / (PACKED - 1) as f64;
        let us = Times {
            transform,
            transform_back,
            plain,
            plain_short,
            product,
            product_with_plain,
            product_in_sum,
            encrypt,
            switch,
            respond,
            open,
        };
        let Self { bits, limbs, repeat: runs, .. } = *self;
        let (cpu, version) = (report::cpu(), env!("CARGO_PKG_VERSION"));
        Ok(Pieces { kind: "he", bits, limbs, threads: 1, runs, us, verified: true, cpu, version })
    }

    /// A transform mod one prime, and back.
    fn transforms(&self) -> [f64; 2] {
        let ntt = Ntt::new(PRIMES[0]);
        let (x, mut values, mut spare) = (vec![5; DEGREE], vec![0; DEGREE], vec![0; DEGREE]);
        let forward = self.median(|| ntt.forward(&x, &mut values));
        let back = self.median(|| {
            spare.copy_from_slice(&values);
            ntt.inverse(&mut spare, &mut values);
        });
        [forward, back]
    }
}

/// Who encrypts, and what the evaluator has of it: keys, and numbers in as many ciphertexts as a sum has.
struct Sent {
    encryptor: he::Encryptor,
    evaluator: he::Evaluator,
    keys: Vec<he::PackingKey>,
    numbers: Vec<u64>,
    encrypted: Vec<he::Ciphertext>,
}

impl Sent {
    fn new(params: he::Params, prg: &mut Prg) -> Result<Self> {
        let encryptor = he::Encryptor::new(params, prg);
        let (ring, seed) = (encryptor.ring(), encryptor.seed());
        let received = |seeded: he::Seeded| {
            let mut sent = Vec::new();
            seeded.encode(&mut sent);
            he::Seeded::decode(ring, seed, seeded.number, &sent).map_err(failure)
        };
        let evaluator = he::Evaluator::new(ring.clone(), received(encryptor.public_key(prg))?);
        let keys = (0..PACKED.ilog2()).map(|level| {
            let (key, mut sent) = (encryptor.packing_key(prg, level), Vec::new());
            key.encode(&mut sent);
            he::PackingKey::decode(ring, seed, level, &key.numbers, &sent).map_err(failure)
        });
        let keys = keys.collect::<Result<Vec<_>>>()?;
        let words = inputs::words("lattice", 0, 0).map(|word| low(word, params.bits()));
        let numbers: Vec<u64> = words.take(DEGREE).collect();
        let encrypted = (0..SUM).map(|_| received(encryptor.encrypt(prg, &numbers)));
        let encrypted = encrypted.collect::<Result<Vec<_>>>()?;
        Ok(Self { encryptor, evaluator, keys, numbers, encrypted })
    }
}

fn failure(error: he::Error) -> Failure {
    Failure::new(error.to_string())
}

/// `Ok(())` if both shares are -3 times the numbers.
fn verify(bits: u32, numbers: &[u64], opened: &[u64], mask: &[u64]) -> Result<()> {
    for (i, number) in numbers.iter().enumerate() {
        let [found, want] = [opened[i].wrapping_add(mask[i]), number.wrapping_mul(3).wrapping_neg()];
        let [found, want] = [found, want].map(|word| low(word, bits));
        if found != want {
            return Err(Failure::Check(format!("coefficient {i}: {found}, not {want}")));
        }
    }
    Ok(())
}
