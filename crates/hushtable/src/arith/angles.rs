//! Sine and cosine of a shared angle in one round: angle addition.
//!
//! # Functionality
//! In: additive shares mod `2^d` of an angle of `x / 2^d` turns. Out: additive shares mod `2^l` of its sine or its
//! cosine, or of both, times `2^f`, off by less than [`AngleJob::error`]. The error depends on x and on what both
//! parties drew, so whoever opens a result learns a little of x besides: its last bit differs between angles of one
//! sine in some 4 % of cases. What only goes on as shares shows nothing.
//!
//! # Protocol
//! *Offline*, with the angle `r = r_0 + r_1`, of which each party draws its part, and `c_p`, `s_p` the cosine and the
//! sine of `r_p`: shares of `cos r = c_0 c_1 - s_0 s_1` and `sin r = s_0 c_1 + c_0 s_1`.
//! 1. P1 rounds `c_1` and `s_1` to q bits behind the point. Each of their `2 (q + 1)` bits chooses in a correlated OT,
//!    by Gilboa's protocol, whose payload is `c_0` and `s_0` times the bit's weight, rounded by P0 to v bits behind the
//!    point, mod `2^(v+3)`.
//! 2. As `|cos r| <= 1`, the wraps of the two sums' shares are the ORs of their top bits, once P0 has added
//!    `2^(v+1)`: by a correlated OT each they are shared mod `2^l`, and the sums are shared mod `2^(v+3+l)`.
//!
//! *Online* `X = x + r` is opened. `sin x = sin X cos r - cos X sin r` and `cos x = cos X cos r + sin X sin r` are
//! linear in the shares, with public factors of `f + 3` bits behind the point. Each party shifts its share by `v + 3`
//! bits, which wraps mod `2^l` only, and P0 adds a unit for the two halves that are lost on average.
//!
//! With `q = f + 4` and `v = f + 4 + ceil(log2 (q + 1))` the error is less than
//! `1 + sqrt 2 (2^(f-q) + (q + 1) 2^(f-v) + 2^-4)` units: P1's rounding is a vector that the rotation does not make
//! longer, P0's are `q + 1` halves for each of its two numbers, the factors' a half; the shifts lose less than a unit
//! either way.
//!
//! # Cost, an angle
//! `2 (q + 2)` correlated OTs from P0; offline `2 (q + 1) (2 (v + 3) + 1) + 2 (l + 1)` bits in 2 rounds; online `2 d`
//! bits, 1 round.
//!
//! # Source
//! fss-beyond B7 iii and B8; products as in `arith/gilboa.rs`. Deviation: payloads are rounded where they are made,
//! not cut from a wider ring (functions-beyond, T1), and the wraps go offline.

use prim::{
    angle::{ERROR_BITS, SCALE, rounded, sin_cos},
    ring::{Ring, low},
};
use zeroize::Zeroizing;

use super::{
    bit_product::BitProducts,
    gilboa::{Factors, Gilboa},
};
use crate::{
    bill::Bill,
    codec::{Reader, Writer},
    error::{Error, Result, same},
    net::Role,
    party::Party,
    session::Session,
    share::AShare,
    source::{Atom, Source},
    terms::Terms,
};

/// Most bits behind the point of results: what is rounded is exact far beyond.
const MAX_FRACTION: u32 = 44;

/// The format of angles and results. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AngleJob {
    /// An angle is so many bits of a turn: d.
    pub turn_bits: u32,
    /// Width of a result: l.
    pub bits: u32,
    /// Bits behind the point of a result: f.
    pub fraction: u32,
}

impl AngleJob {
    /// Checked.
    ///
    /// # Errors
    /// [`Error::Param`] unless an angle has 1 to 64 bits, and a result at most 44 behind the point and 2 to 62 before
    /// it.
    pub fn new(turn_bits: u32, bits: u32, fraction: u32) -> Result<Self> {
        let refuse = |what, got: u32, accepted| Err(Error::Param { what, got: got.to_string(), accepted });
        if !(1..=64).contains(&turn_bits) {
            return refuse("bits of an angle", turn_bits, "1 to 64".into());
        }
        if fraction > MAX_FRACTION {
            return refuse("bits behind the point of a sine", fraction, format!("0 to {MAX_FRACTION}"));
        }
        if !(fraction + 2..=64).contains(&bits) {
            return refuse("bits of a sine", bits, format!("{} to 64", fraction + 2));
        }
        Ok(Self { turn_bits, bits, fraction })
    }

    /// Bits behind the point of P1's numbers: q.
    fn number(&self) -> u32 {
        self.fraction + 4
    }

    /// Bits behind the point of the shared sine and cosine of the mask: v.
    fn payload(&self) -> u32 {
        self.number() + (self.number() + 1).next_power_of_two().trailing_zeros()
    }

    /// Bits behind the point of the public factors.
    fn factor(&self) -> u32 {
        self.fraction + 3
    }

    /// What each party shifts by.
    fn shift(&self) -> u32 {
        self.payload() + self.factor() - self.fraction
    }

    /// Bits of P1's numbers of an angle.
    fn choices(&self) -> usize {
        2 * (self.number() as usize + 1)
    }

    /// What a result is off at most, in units in its last place.
    pub fn error(&self) -> f64 {
        let power = |bits: u32| 2f64.powi(self.fraction as i32 - bits as i32);
        let roundings = f64::from(self.number() + 1) * power(self.payload());
        let (numbers, factors) = (power(self.number()), power(self.factor() + 1));
        1.0 + std::f64::consts::SQRT_2 * (numbers + roundings + factors) + 8.0 * power(ERROR_BITS)
    }

    /// What an angle costs.
    pub fn bill(&self) -> Bill {
        let choices = Gilboa::bill(self.payload() + 3, 1, 2).times(self.choices());
        let made = choices + BitProducts::bill(self.bits).times(2);
        let kept = u64::from(self.turn_bits + 2 * (self.payload() + 3 + self.bits));
        (made.all_offline() + Bill::opening(self.turn_bits.into())).keeping(kept)
    }
}

/// One-time material for a batch of angles.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Angles};
/// fn twice(p: &mut Party, m: Angles, x: &AShare<u32>) -> Result<()> {
///     m.sin(p, x)?;
///     m.sin(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Angles {
    job: AngleJob,
    /// This party's part of the mask.
    mask: Zeroizing<Vec<u64>>,
    /// Shares of its cosine, then of its sine.
    waves: [Wave; 2],
}

/// Shares of a sine or cosine, as an integer `low - 2^(v+3) wrap`.
struct Wave {
    low: Zeroizing<Vec<u64>>,
    wrap: Zeroizing<Vec<u64>>,
}

/// The opened angles, and this party's shares of what turns them back.
struct Opened {
    job: AngleJob,
    role: Role,
    /// Sine and cosine of what was opened, as public factors.
    factors: Vec<[i64; 2]>,
    waves: [Wave; 2],
}

impl Angles {
    /// Offline, for `batch` angles.
    ///
    /// # Errors
    /// As [`AngleJob::new`], and those of the channel.
    pub fn prepare(p: &mut dyn Source, job: AngleJob, batch: usize) -> Result<Self> {
        let job = AngleJob::new(job.turn_bits, job.bits, job.fraction)?;
        p.atom(job, batch, |p| Self::make(p, job, batch))
    }

    /// How many angles it serves.
    pub fn len(&self) -> usize {
        self.mask.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.mask.is_empty()
    }

    /// Online, 1 round: shares of the sines. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if number or width are not those prepared for, and those of the channel.
    pub fn sin<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<u64>> {
        Ok(self.open(s, x)?.sin())
    }

    /// Online, 1 round: shares of the cosines. Spends the material.
    ///
    /// # Errors
    /// As [`sin`](Self::sin).
    pub fn cos<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<AShare<u64>> {
        Ok(self.open(s, x)?.cos())
    }

    /// Online, 1 round: shares of the sines and of the cosines. Spends the material.
    ///
    /// # Errors
    /// As [`sin`](Self::sin).
    pub fn sin_cos<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<[AShare<u64>; 2]> {
        let opened = self.open(s, x)?;
        Ok([opened.sin(), opened.cos()])
    }

    fn make(p: &mut Party, job: AngleJob, batch: usize) -> Result<Self> {
        let mut mask = Zeroizing::new(vec![0u64; batch]);
        p.rng().words(job.turn_bits, &mut mask);
        let own = mask.iter().map(|r| sin_cos(r << (64 - job.turn_bits)));
        let own = Zeroizing::new(own.collect::<Vec<_>>());
        let low = products(p, job, &own)?;
        let waves = lift(p, job, low)?;
        Ok(Self { job, mask, waves })
    }

    fn open<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<Opened> {
        let Self { job, mask, waves } = self;
        same("angles", mask.len(), x.len())?;
        same("bits of the angles", job.turn_bits as usize, x.bits() as usize)?;
        let masked = x.words().iter().zip(mask.iter()).map(|(x, r)| x.to_u64().wrapping_add(*r));
        let masked = AShare::new(job.turn_bits, masked.map(|w| low(w, job.turn_bits)).collect());
        // Public: the mask is uniform and serves here only.
        let opened = s.open::<_, u64>(&masked)?;
        let cut = SCALE - job.factor();
        let factors = |x: u64| sin_cos(x << (64 - job.turn_bits)).map(|v| rounded(v, cut));
        Ok(Opened { job, role: s.role(), factors: opened.into_iter().map(factors).collect(), waves })
    }
}

impl Opened {
    /// `sin X cos r - cos X sin r`.
    fn sin(&self) -> AShare<u64> {
        self.turned(|[sin, cos]| [sin, -cos])
    }

    /// `cos X cos r + sin X sin r`.
    fn cos(&self) -> AShare<u64> {
        self.turned(|[sin, cos]| [cos, sin])
    }

    /// The cosine and the sine of the mask times two factors, shifted.
    fn turned(&self, factors: impl Fn([i64; 2]) -> [i64; 2]) -> AShare<u64> {
        let (job, unit) = (self.job, 1 - self.role as u64);
        let top = job.payload() + 3;
        let word = |(i, own): (usize, &[i64; 2])| {
            let mut sum = 0u128;
            for (wave, factor) in self.waves.iter().zip(factors(*own)) {
                let share = u128::from(wave.low[i]).wrapping_sub(u128::from(wave.wrap[i]) << top);
                sum = sum.wrapping_add(share.wrapping_mul(i128::from(factor) as u128));
            }
            low(((sum >> job.shift()) as u64).wrapping_add(unit), job.bits)
        };
        AShare::new(job.bits, self.factors.iter().enumerate().map(word).collect())
    }
}

/// Step 1: shares of the mask's cosine and sine mod `2^(v+3)`, from the sine and cosine of this party's part.
fn products(p: &mut Party, job: AngleJob, own: &[[i64; 2]]) -> Result<[Zeroizing<Vec<u64>>; 2]> {
    let (q, v, each, batch) = (job.number(), job.payload(), job.choices(), own.len());
    let (gilboa, bits) = match p.role() {
        Role::P0 => (Gilboa::prepare(p, 1, each * batch, 0)?, Zeroizing::default()),
        Role::P1 => (Gilboa::prepare(p, 1, 0, each * batch)?, choices(q, own)),
    };
    // The weight of bit j is `2^(j-q)`, that of the last one the negative of 1.
    let word = |i: usize, column: usize| {
        let (angle, j) = (i / each, (i % each) as u32 % (q + 1));
        let [sin, cos] = own[angle];
        rounded([cos, sin][column], SCALE - v + q - j) as u64
    };
    let mut sums = [0, 1].map(|_| Zeroizing::new(vec![0u64; batch]));
    let mut add = |i: usize, column: usize, share: u64| {
        let (angle, of_sine, last) = (i / each, i % each >= each / 2, i % (each / 2) == q as usize);
        // P1's sine times P0's cosine and sine are sine and cosine, the latter negative.
        let (sum, negative) = (column ^ usize::from(of_sine), of_sine && column == 1);
        let share = if negative != last { share.wrapping_neg() } else { share };
        sums[sum][angle] = low(sums[sum][angle].wrapping_add(share), v + 3);
    };
    let factors = Factors { bits: v + 3, cut: 0, row: 2, word: &word, numbers: Some(&bits) };
    gilboa.multiply(p, &factors, &mut add)?;
    Ok(sums)
}

/// P1's choices: the bits of its numbers, that of the cosine first, lowest bits first.
fn choices(q: u32, own: &[[i64; 2]]) -> Zeroizing<Vec<u64>> {
    let mut bits = Zeroizing::new(Vec::with_capacity(own.len() * 2 * (q as usize + 1)));
    for [sin, cos] in own {
        for number in [cos, sin].map(|&value| held(rounded(value, SCALE - q), q)) {
            bits.extend((0..=q).map(|j| (number >> j) as u64 & 1));
        }
    }
    bits
}

/// A number of at most `2^q` in size as one of `q + 1` bits in two's complement: 1 itself is a unit less.
fn held(number: i64, q: u32) -> i64 {
    number - (number >> q & !(number >> 63) & 1)
}

/// Step 2: the wraps of both.
fn lift(p: &mut Party, job: AngleJob, mut sums: [Zeroizing<Vec<u64>>; 2]) -> Result<[Wave; 2]> {
    let (top, batch) = (job.payload() + 3, sums[0].len());
    let added = (1 - p.role() as u64) << (top - 2);
    let mut bits = Zeroizing::new(Vec::with_capacity(2 * batch));
    for sum in &mut sums {
        bits.extend(sum.iter().map(|w| low(w.wrapping_add(added), top) >> (top - 1)));
    }
    let wraps = BitProducts::prepare(p, job.bits, 2 * batch)?.or(p, &bits)?;
    let wave = |(sum, wraps): (&mut Zeroizing<Vec<u64>>, &[u64])| {
        // What was added is taken off again, of the integer.
        let mut wrap = Zeroizing::new(wraps.to_vec());
        for (word, wrap) in sum.iter_mut().zip(wrap.iter_mut()) {
            let moved = low(word.wrapping_add(added), top);
            *word = low(moved.wrapping_sub(added), top);
            // Below zero it is `2^top` too much.
            *wrap = low(wrap.wrapping_add(moved.wrapping_sub(added) >> 63), job.bits);
        }
        Wave { low: std::mem::take(sum), wrap }
    };
    let [first, second] = &mut sums;
    let (of_first, of_second) = wraps.split_at(batch);
    Ok([wave((first, of_first)), wave((second, of_second))])
}

/// The finished shares: nothing of the transfers is kept.
impl Atom for Angles {
    type Form = AngleJob;

    fn terms(job: &AngleJob) -> Terms {
        Terms::of("angles")
            .with("bits of a turn", job.turn_bits)
            .with("bits", job.bits)
            .with("fraction", job.fraction)
    }

    fn encode(&self, to: &mut Writer) {
        to.words(&self.mask, self.job.turn_bits);
        for wave in &self.waves {
            to.words(&wave.low, self.job.payload() + 3);
            to.words(&wave.wrap, self.job.bits);
        }
    }

    fn decode(from: &mut Reader<'_>, _role: Role, job: &AngleJob, count: usize) -> Result<Self> {
        let mut words = |bits: u32| Ok::<_, Error>(Zeroizing::new(from.words::<u64>(count, bits)?));
        let mask = words(job.turn_bits)?;
        let mut wave = || Ok::<_, Error>(Wave { low: words(job.payload() + 3)?, wrap: words(job.bits)? });
        Ok(Self { job: *job, mask, waves: [wave()?, wave()?] })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let Some(left) = self.len().checked_sub(count) else {
            return Err(Error::Shape { what: "angles left", want: count, got: self.len() });
        };
        let cut = |words: &mut Zeroizing<Vec<u64>>| Zeroizing::new(words.split_off(left));
        let mask = cut(&mut self.mask);
        let waves = self.waves.each_mut().map(|w| Wave { low: cut(&mut w.low), wrap: cut(&mut w.wrap) });
        Ok(Self { job: self.job, mask, waves })
    }
}
