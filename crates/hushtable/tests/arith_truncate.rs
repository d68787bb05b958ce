//! Truncation and extension: every pair of shares of up to 9 bits (10 with LONG), boundary values at 16, 32 and 64 bits,
//! and the cost.

use crate::support::pairs;

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{
        BoundedExtension, ComparePlan, DigitMethod, Extension, FaithfulReduction, FaithfulTruncation,
        Truncation, insecure_truncate_local, truncate_reduce,
    },
    net::{Cost, wire_len},
};
use pairs::{both, pair};
use prim::{
    block::Block,
    prg::Prg,
    ring::{Ring, low},
};

const PLAN: ComparePlan = ComparePlan { method: DigitMethod::Thermometer, digit: 4 };

/// The number that `bits` bits stand for.
fn signed(x: u64, bits: u32) -> i64 {
    ((x << (64 - bits)) as i64) >> (64 - bits)
}

/// Both parties' shares.
struct Split {
    bits: u32,
    shares: Vec<(u64, u64)>,
}

impl Split {
    /// Every pair of shares whose value is accepted.
    fn all(bits: u32, accepted: impl Fn(u64) -> bool) -> Self {
        let all = (0..1u64 << (2 * bits)).map(|i| (i >> bits, low(i, bits)));
        let shares = all.filter(|(a, b)| accepted(low(a.wrapping_add(*b), bits))).collect();
        Self { bits, shares }
    }

    /// These numbers, each with random shares and with the bounds of shares.
    fn of(bits: u32, numbers: &[u64]) -> Self {
        let mut prg = Prg::new(Block(bits.into()));
        let top = low(u64::MAX, bits);
        let mut shares = Vec::new();
        for &x in numbers {
            let firsts = [0, 1, top, top / 2, top / 2 + 1, x, prg.u64(), prg.u64(), prg.u64()];
            shares.extend(firsts.map(|a| (low(a, bits), low(x.wrapping_sub(a), bits))));
        }
        Self { bits, shares }
    }

    fn mine<R: Ring>(&self, role: Role) -> AShare<R> {
        let mine = self.shares.iter().map(|&(a, b)| if role == Role::P0 { a } else { b });
        AShare::new(self.bits, mine.map(R::from_u64).collect())
    }

    fn values(&self) -> impl Iterator<Item = u64> {
        self.shares.iter().map(|(a, b)| low(a.wrapping_add(*b), self.bits))
    }

    fn numbers(&self) -> impl Iterator<Item = i64> {
        self.values().map(|x| signed(x, self.bits))
    }
}

/// The lowest and highest numbers of `bits` bits, those around 0, and random ones, in `ring` bits.
fn bounds(bits: u32, ring: u32) -> Vec<u64> {
    let half = 1i128 << (bits - 1);
    let mut prg = Prg::new(Block(77));
    let mut numbers = vec![-half, 1 - half, -2, -1, 0, 1, 2, half - 2, half - 1];
    numbers.extend((0..200).map(|_| i128::from(signed(prg.u64(), bits))));
    numbers.into_iter().map(|x| low(x as u64, ring)).collect()
}

fn truncations<R: Ring>(p: &mut Party, split: &Split, f: u32) -> Result<()> {
    let (l, n) = (split.bits, split.shares.len());
    let x: AShare<R> = split.mine(p.role());
    let safe = Truncation::prepare(p, l, f, n)?.truncate(p, &x)?;
    let faithful = FaithfulTruncation::prepare(p, l, f, PLAN, n)?.truncate(p, &x)?;
    let (safe, faithful) = (p.open(&safe)?, p.open(&faithful)?);
    for ((want, safe), faithful) in split.numbers().map(|x| x >> f).zip(safe).zip(faithful) {
        let error = signed(safe.to_u64(), l) - want;
        assert!((-1..=0).contains(&error), "safe, {l} bits by {f}: {error} from {want}");
        assert_eq!(signed(faithful.to_u64(), l), want, "faithful, {l} bits by {f}");
    }
    Ok(())
}

fn reductions<R: Ring>(p: &mut Party, split: &Split, f: u32) -> Result<()> {
    let (l, n) = (split.bits, split.shares.len());
    let x: AShare<R> = split.mine(p.role());
    let local = p.open(&truncate_reduce(&x, f)?)?;
    let faithful = FaithfulReduction::prepare(p, l, f, PLAN, n)?.reduce(p, &x)?;
    assert_eq!(faithful.bits(), l - f);
    for ((want, local), faithful) in split.values().map(|x| x >> f).zip(local).zip(p.open(&faithful)?) {
        let error = low(want.wrapping_sub(local.to_u64()), l - f);
        assert!(error <= 1, "local, {l} bits by {f}: {error} from {want}");
        assert_eq!(faithful.to_u64(), want, "faithful, {l} bits by {f}");
    }
    Ok(())
}

/// With LONG up to 10 bits, which are four times as many.
/// Longer than 10 s: by every cut and method.
#[test]
fn every_pair_of_shares_of_up_to_9_bits() {
    let most = if std::env::var_os("LONG").is_some() { 10 } else { 9 };
    both(pair(1, None), |p| {
        for l in 3..=most {
            let (all, quarter) = (Split::all(l, |_| true), 1 << (l - 2));
            let near = Split::all(l, |x| (-quarter..quarter).contains(&signed(x, l)));
            (1..l - 1).try_for_each(|f| truncations::<u16>(p, &near, f))?;
            (1..l).try_for_each(|f| reductions::<u16>(p, &all, f))?;
        }
        let (all, near) = (Split::all(8, |_| true), Split::all(8, |x| (-64..64).contains(&signed(x, 8))));
        (1..=6).try_for_each(|f| truncations::<u8>(p, &near, f))?;
        (1..=7).try_for_each(|f| reductions::<u8>(p, &all, f))
    });
}

/// Rounding: to a neighbour, exact on whole numbers, and of all shares of a number as many give the upper one as what is cut
/// off says. One number above the range some shares are wrong.
#[test]
fn rounding_is_right_up_to_its_ends_and_on_average() {
    both(pair(5, None), |p| {
        for (l, f) in (3..=8).flat_map(|l| (1..l - 1).map(move |f| (l, f))) {
            let (quarter, step) = (1i64 << (l - 2), 1i64 << f);
            let all = Split::all(l, |_| true);
            let n = all.shares.len();
            let x = all.mine::<u16>(p.role());
            let rounded = Truncation::prepare(p, l, f, n)?.round(p, &x)?;
            // Of each number how many shares give more than the lower neighbour, and how many neither.
            let (mut ups, mut wrong) = ([0i64; 256], [0; 256]);
            for (x, found) in all.numbers().zip(p.open(&rounded)?) {
                let (at, error) = ((x + 2 * quarter) as usize, signed(found.into(), l) - (x >> f));
                ups[at] += i64::from(error == 1);
                wrong[at] += i32::from(!(0..=1).contains(&error));
            }
            for x in -quarter - step + 1..=quarter - step {
                let at = (x + 2 * quarter) as usize;
                assert_eq!((ups[at], wrong[at]), ((x & (step - 1)) << (l - f), 0), "{x}, {l} bits by {f}");
            }
            let beyond = quarter - step + 1;
            assert!(
                wrong[(beyond + 2 * quarter) as usize] > 0,
                "{beyond}, {l} bits by {f}, is beyond the range"
            );
        }
        Ok(())
    });
}

/// Which of two numbers a truncation gives depends on the shares: with the same ones a hundred runs are identical.
#[test]
fn a_hundred_runs_are_identical() {
    let split = Split::of(16, &bounds(15, 16));
    let n = split.shares.len();
    let run = |p: &mut Party| -> Result<[Vec<u16>; 3]> {
        let x: AShare<u16> = split.mine(p.role());
        let safe = Truncation::prepare(p, 16, 5, n)?.truncate(p, &x)?;
        let faithful = FaithfulTruncation::prepare(p, 16, 5, PLAN, n)?.truncate(p, &x)?;
        let reduced = FaithfulReduction::prepare(p, 16, 5, PLAN, n)?.reduce(p, &x)?;
        Ok([p.open(&safe)?, p.open(&faithful)?, p.open(&reduced)?])
    };
    let (first, _) = both(pair(1000, None), run);
    for seed in 1001..1100 {
        let again = both(pair(seed, None), run);
        assert!(again.0 == first && again.1 == first, "seed {seed}: another result");
    }
}

#[test]
fn bounds_of_16_32_and_64_bits() {
    both(pair(2, None), |p| {
        for (l, f) in [(16, 1), (16, 9), (16, 14), (31, 12), (32, 12), (32, 30)] {
            truncations::<u32>(p, &Split::of(l, &bounds(l - 1, l)), f)?;
            reductions::<u32>(p, &Split::of(l, &bounds(l, l)), f)?;
        }
        for (l, f) in [(37, 12), (64, 1), (64, 16), (64, 50), (64, 62)] {
            truncations::<u64>(p, &Split::of(l, &bounds(l - 1, l)), f)?;
            reductions::<u64>(p, &Split::of(l, &bounds(l, l)), f)?;
        }
        Ok(())
    });
}

/// Wrong for as many shares of X as documented: `|X|` of `2^l`, and nowhere else by more than 1.
#[test]
fn local_truncation_fails_as_often_as_documented() {
    both(pair(3, None), |p| {
        let split = Split::all(8, |_| true);
        let role = p.role();
        let y = p.open(&insecure_truncate_local(role, &split.mine::<u8>(role), 3)?)?;
        let mut wrong = [0u64; 256];
        for (x, y) in split.numbers().zip(y) {
            let error = i64::from(y as i8) - (x >> 3);
            wrong[x as u8 as usize] += u64::from(!(0..=1).contains(&error));
        }
        for x in -127..128i64 {
            assert_eq!(wrong[x as u8 as usize], x.unsigned_abs(), "{x}");
        }
        Ok(())
    });
}

fn extensions<R: Ring, S: Ring>(p: &mut Party, split: &Split, k: u32) -> Result<()> {
    let (n, widths) = (split.shares.len(), [split.bits, k]);
    let x: AShare<R> = split.mine(p.role());
    let zero: AShare<S> = Extension::prepare(p, widths, PLAN, n)?.zero(p, &x)?;
    let sign: AShare<S> = Extension::prepare(p, widths, PLAN, n)?.sign(p, &x)?;
    assert_eq!((zero.bits(), sign.bits()), (k, k));
    assert!(p.open(&zero)?.iter().map(|w| w.to_u64()).eq(split.values()), "{} to {k}", split.bits);
    let sign = p.open(&sign)?;
    assert!(sign.iter().map(|w| signed(w.to_u64(), k)).eq(split.numbers()), "{} to {k}", split.bits);
    Ok(())
}

fn bounded_extensions<R: Ring, S: Ring>(p: &mut Party, small: &Split, near: &Split, k: u32) -> Result<()> {
    let material = |p: &mut Party, of: &Split| BoundedExtension::prepare(p, [of.bits, k], of.shares.len());
    let role = p.role();
    let zero: AShare<S> = material(p, small)?.zero(p, &small.mine::<R>(role))?;
    assert!(p.open(&zero)?.iter().map(|w| w.to_u64()).eq(small.values()), "{} to {k}", small.bits);
    let sign: AShare<S> = material(p, near)?.sign(p, &near.mine::<R>(role))?;
    let sign = p.open(&sign)?;
    assert!(sign.iter().map(|w| signed(w.to_u64(), k)).eq(near.numbers()), "{} to {k}", near.bits);
    Ok(())
}

#[test]
fn extensions_of_every_pair_of_shares_of_8_bits_and_of_bounds() {
    both(pair(4, None), |p| {
        let all = Split::all(8, |_| true);
        let small = Split::all(8, |x| x < 128);
        let near = Split::all(8, |x| (-64..64).contains(&signed(x, 8)));
        for k in [9, 10, 16] {
            extensions::<u8, u16>(p, &all, k)?;
            bounded_extensions::<u8, u16>(p, &small, &near, k)?;
        }
        for (l, k) in [(1, 2), (1, 64), (16, 17), (31, 64), (32, 64), (63, 64)] {
            extensions::<u64, u64>(p, &Split::of(l, &bounds(l, l)), k)?;
        }
        for (l, k) in [(16, 17), (31, 64), (32, 64), (63, 64)] {
            let small = Split::of(l, &[0, 1, low(u64::MAX, l - 1), low(u64::MAX, l - 1) - 1, 1 << (l - 2)]);
            bounded_extensions::<u64, u64>(p, &small, &Split::of(l, &bounds(l - 1, l)), k)?;
        }
        Ok(())
    });
}

/// P0 pays the payload, P1 the correction: 1 round.
#[test]
fn the_cost_is_the_documented_one() {
    let (l, f, k, n) = (40, 13, 56, 3000);
    let bytes = |bits: u32| (n * bits as usize).div_ceil(8);
    let run = |p: &mut Party| -> Result<[Cost; 5]> {
        let x = AShare::<u64>::new(l, vec![1; n]);
        let safe = Truncation::prepare(p, l, f, n)?;
        let extension = BoundedExtension::prepare(p, [l, k], n)?;
        let faithful = FaithfulTruncation::prepare(p, l, f, PLAN, n)?;
        let reducing = FaithfulReduction::prepare(p, l, f, PLAN, n)?;
        Ok([
            p.metered(|p| safe.truncate(p, &x))?.1,
            p.metered(|p| extension.zero::<u64, u64>(p, &x))?.1,
            p.metered(|p| faithful.truncate(p, &x))?.1,
            p.metered(|p| reducing.reduce(p, &x))?.1,
            p.metered(|p| truncate_reduce(&x, f).map(|_| p.role()))?.1,
        ])
    };
    let (at_p0, at_p1) = both(pair(5, None), run);
    // A comparison of 13 bits in digits of 4, 3, 3 and 3 bits: 3 pairs, 1 of them with two ANDs.
    let pair = |opened: usize| wire_len(opened * n.div_ceil(8));
    let compared = wire_len([4, 3, 3, 3].map(bytes).iter().sum()) + 2 * pair(2) + pair(3);
    let costs = [
        (wire_len(bytes(f)), wire_len(bytes(1)), 1),
        (wire_len(bytes(k - l)), wire_len(bytes(1)), 1),
        (compared + wire_len(bytes(f)) + wire_len(bytes(l - 1)), compared + 2 * wire_len(bytes(1)), 4),
        (compared + wire_len(bytes(l - f - 1)), compared + wire_len(bytes(1)), 4),
        (0, 0, 0),
    ];
    for (i, (p0, p1, rounds)) in costs.into_iter().enumerate() {
        assert_eq!((at_p0[i].sent, at_p0[i].received), (p0, p1), "number {i}");
        assert_eq!((at_p1[i].sent, at_p1[i].received), (p1, p0), "number {i}");
        assert_eq!(at_p0[i].rounds.max(at_p1[i].rounds), rounds, "number {i}");
    }
}

#[test]
fn refused() {
    both(pair(6, None), |p| {
        let x = AShare::<u32>::new(8, vec![1; 3]);
        let role = p.role();
        for f in [0, 7, 64] {
            assert!(matches!(Truncation::prepare(p, 8, f, 3), Err(Error::Param { .. })));
        }
        for f in [0, 8] {
            assert!(matches!(truncate_reduce(&x, f), Err(Error::Param { .. })));
            assert!(matches!(insecure_truncate_local(role, &x, f), Err(Error::Param { .. })));
        }
        for f in [0, 7] {
            assert!(matches!(FaithfulTruncation::prepare(p, 8, f, PLAN, 1), Err(Error::Param { .. })));
        }
        for f in [0, 8] {
            assert!(matches!(FaithfulReduction::prepare(p, 8, f, PLAN, 1), Err(Error::Param { .. })));
        }
        for (bits, batch) in [(8, 1), (9, 3)] {
            let safe = Truncation::prepare(p, bits, 3, batch)?;
            assert!(matches!(safe.truncate(p, &x), Err(Error::Shape { .. })));
            let faithful = FaithfulTruncation::prepare(p, bits, 3, PLAN, batch)?;
            assert!(matches!(faithful.truncate(p, &x), Err(Error::Shape { .. })));
            let reducing = FaithfulReduction::prepare(p, bits, 3, PLAN, batch)?;
            assert!(matches!(reducing.reduce(p, &x), Err(Error::Shape { .. })));
        }
        assert!(matches!(BoundedExtension::prepare(p, [8, 8], 3), Err(Error::Param { .. })));
        assert!(matches!(Extension::prepare(p, [8, 8], PLAN, 3), Err(Error::Param { .. })));
        let wide = BoundedExtension::prepare(p, [8, 33], 3)?;
        assert!(matches!(wide.zero::<u32, u32>(p, &x), Err(Error::Param { .. })));
        let wide = Extension::prepare(p, [8, 33], PLAN, 3)?;
        assert!(matches!(wide.zero::<u32, u32>(p, &x), Err(Error::Param { .. })));
        let narrow = BoundedExtension::prepare(p, [7, 9], 3)?;
        assert!(matches!(narrow.zero::<u32, u32>(p, &x), Err(Error::Shape { .. })));
        let narrow = Extension::prepare(p, [7, 9], PLAN, 3)?;
        assert!(matches!(narrow.zero::<u32, u32>(p, &x), Err(Error::Shape { .. })));
        Ok(())
    });
}
