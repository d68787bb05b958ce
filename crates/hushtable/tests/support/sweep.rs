//! Random combinations, each by a seed: `LONG=1` tries many, and `SEED=n` repeats one of them.

use std::{
    hash::{BuildHasher, Hasher, RandomState},
    panic::{AssertUnwindSafe, catch_unwind},
};

use hushtable::{
    AShare, Party, Role,
    arith::Fixed,
    math::{Bounds, Card, Evaluation, Method},
};
use prim::{block::Block, prg::Prg, ring::low};

use super::pairs::{both, pair};

/// How far results may be from the card's promise, for what it does not print.
pub const SLACK: f64 = 1e-5;

/// Random numbers.
pub struct Random(Prg);

impl Random {
    pub fn new(seed: u64) -> Self {
        Self(Prg::new(Block(seed.into())))
    }

    pub fn word(&mut self) -> u64 {
        self.0.u64()
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.word() % end
    }

    /// A number of fewer bits, each number of them as likely.
    pub fn bits(&mut self, most: u32) -> u64 {
        let bits = self.below(most.into());
        self.below(1 << bits)
    }

    pub fn of<T: Copy>(&mut self, all: &[T]) -> T {
        all[self.below(all.len() as u64) as usize]
    }

    /// Between both, in whole steps.
    pub fn number(&mut self, [lo, hi]: [f64; 2], scale: u32) -> f64 {
        let unit = 2f64.powi(scale as i32);
        let part = (self.word() >> 11) as f64 / (1u64 << 53) as f64;
        ((lo + (hi - lo) * part) * unit).round().clamp((lo * unit).ceil(), (hi * unit).floor()) / unit
    }
}

pub fn is_long() -> bool {
    std::env::var_os("LONG").is_some()
}

/// Another one for each long run.
pub fn seed() -> u64 {
    let given = std::env::var("SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = given.unwrap_or_else(|| match is_long() {
        true => RandomState::new().build_hasher().finish() >> 16,
        false => 24,
    });
    println!("seed {seed}");
    seed
}

/// Tries combinations, each of which is right or refused with what is accepted; not more than three in four are refused.
pub fn right_or_refused(count: u64, look: impl Fn(&mut Random) -> Option<String> + Sync) {
    let seed = seed();
    let threads = std::thread::available_parallelism().map_or(1, |n| n.get() as u64);
    let run = |thread: u64| {
        let (mut refused, mut wrong) = (0, Vec::new());
        for i in (thread..count).step_by(threads as usize) {
            match catch_unwind(AssertUnwindSafe(|| look(&mut Random::new(seed.wrapping_add(i))))) {
                Ok(None) => {}
                Ok(Some(text)) => {
                    refused += 1;
                    let accepted = text.split_once("accepted: ").is_some_and(|(_, text)| !text.is_empty());
                    assert!(accepted, "{i}: {text}");
                }
                Err(_) => wrong.push(i),
            }
        }
        (refused, wrong)
    };
    let found: Vec<(u64, Vec<u64>)> = std::thread::scope(|scope| {
        let all: Vec<_> = (0..threads).map(|thread| scope.spawn(move || run(thread))).collect();
        all.into_iter().map(|thread| thread.join().expect("a refusal says what is accepted")).collect()
    });
    let refused: u64 = found.iter().map(|(refused, _)| refused).sum();
    println!("{refused} of {count} were refused");
    let wrong: Vec<u64> = found.into_iter().flat_map(|(_, wrong)| wrong).collect();
    assert!(wrong.is_empty(), "combinations {wrong:?} of seed {seed}");
    assert!(refused < count * 3 / 4, "{refused} of {count} were refused, seed {seed}");
}

/// Numbers at which to look: integers within `within`, at ends, where the function bends, and some drawn.
pub fn places(card: &Card, within: Bounds, bends: &[f64], random: &mut Random) -> Vec<i64> {
    let steps = 2f64.powi(card.scale as i32);
    let [lo, end] = [within.lo, within.hi].map(|end| (end * steps) as i128);
    let mut places: Vec<i128> = Vec::new();
    let [first, last] = [card.domain.lo, card.domain.hi].map(|end| (end * steps) as i128);
    for at in [lo, end, first, last, 0] {
        places.extend((-3..=3).map(|by| at + by));
    }
    for bend in bends {
        places.extend((-1..=1).map(|by| (bend * steps).clamp(-1e30, 1e30) as i128 + by));
    }
    for power in 0..card.ring - 1 {
        places.extend([1i128 << power, -(1i128 << power), (1i128 << power) - 1]);
    }
    // Ends of pieces, and some numbers within them.
    if let Method::Spline { pieces, .. } = card.method {
        let piece = ((last - first) as u128).next_power_of_two() as i128 / i128::from(pieces);
        for _ in 0..40 {
            let at = first + i128::from(random.below(u64::from(2 * pieces))) * piece - (last - first) / 2;
            places.extend([at - 1, at, at + piece / 2, at + i128::from(random.below(piece.max(1) as u64))]);
        }
    }
    for [from, to] in [[lo, end], [first, last]] {
        places.extend((0..60).map(|_| from + i128::from(random.word()) % (to - from).max(1)));
    }
    places.into_iter().filter(|x| (lo..end).contains(x)).map(|x| x as i64).collect()
}

/// What the protocol gives is what the twin says that it may: for evaluations, each with a text and some numbers.
pub fn as_their_twins(made: &[(String, Evaluation, Vec<i64>)]) {
    let run = |p: &mut Party| {
        p.stock_cots(1 << 18, 1 << 18)?;
        for (i, (text, evaluation, x)) in made.iter().enumerate() {
            let bits = evaluation.bits();
            let mut masks = vec![0; x.len()];
            Prg::new(Block(i as u128 + 1)).words(bits, &mut masks);
            let word = |(x, mask): (&i64, &u64)| match p.role() {
                Role::P0 => *mask,
                Role::P1 => low((*x as u64).wrapping_sub(*mask), bits),
            };
            let words = x.iter().zip(&masks).map(word).collect();
            let share = Fixed::new(AShare::<u64>::new(bits, words), evaluation.scale())?;
            let y = evaluation.prepare(p, x.len())?.eval(p, &share)?;
            let unused = 64 - bits;
            for (x, y) in x.iter().zip(p.open(y.share())?) {
                let (y, [least, most]) =
                    ((y << unused) as i64 >> unused, evaluation.outcomes(*x).expect("inside"));
                assert!((least..=most).contains(&y), "{x}: {y}, not {least} to {most}: {text}");
            }
        }
        Ok(())
    };
    both(pair(91, None), run);
}
