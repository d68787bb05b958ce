//! Products of numbers and matrices: every pair of small factors, every way of sharing them, and
//! the cost.

use crate::support::pairs;

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{
        KnownProducts, MatrixJob, MatrixProduct, MatrixShape, Multiplication, ProductTriples, Squares,
        public_times_shared, shared_times_public,
    },
    net::{Cost, wire_len},
};
use pairs::{both, pair};
use prim::{
    block::Block,
    prg::Prg,
    ring::{Ring, low},
};

fn random(bits: u32, count: usize, seed: u64) -> Vec<u64> {
    let mut words = vec![0; count];
    Prg::new(Block(seed.into())).words(bits, &mut words);
    words
}

/// Numbers of all sizes, the bounds among them.
fn numbers(bits: u32, count: usize, seed: u64) -> Vec<u64> {
    let mut words = random(bits, count, seed);
    let top = low(u64::MAX, bits);
    let bounds = [0, 1, top, top / 2, top / 2 + 1, top - 1];
    words.iter_mut().zip(bounds.iter().cycle().take(count / 3)).for_each(|(w, b)| *w = *b);
    words
}

/// One party's shares.
fn shared<R: Ring>(role: Role, bits: u32, values: &[u64], seed: u64) -> AShare<R> {
    let masks = AShare::new(bits, random(bits, values.len(), seed ^ 0xf00d << 32));
    let mine = match role {
        Role::P0 => masks,
        Role::P1 => AShare::<u64>::new(bits, values.to_vec()).minus(&masks),
    };
    AShare::new(bits, mine.words().iter().map(|&w| R::from_u64(w)).collect())
}

fn opened<R: Ring>(p: &mut Party, x: &AShare<R>) -> Result<Vec<u64>> {
    Ok(p.open(x)?.iter().map(|w| w.to_u64()).collect())
}

fn products(bits: u32, x: &[u64], y: &[u64]) -> Vec<u64> {
    x.iter().zip(y).map(|(x, y)| low(x.wrapping_mul(*y), bits)).collect()
}

/// Both phases of a product.
fn multiply<R: Ring>(p: &mut Party, x: &AShare<R>, y: &AShare<R>) -> Result<AShare<R>> {
    inner_products(p, x, y, 1)
}

fn inner_products<R: Ring>(p: &mut Party, x: &AShare<R>, y: &AShare<R>, len: usize) -> Result<AShare<R>> {
    Multiplication::prepare(p, x.bits(), x.len())?.inner_products(p, x, y, len)
}

fn square<R: Ring>(p: &mut Party, x: &AShare<R>) -> Result<AShare<R>> {
    Squares::prepare(p, x.bits(), x.len())?.square(p, x)
}

fn matrix_product<R: Ring>(p: &mut Party, job: MatrixJob, a: &AShare<R>, b: &AShare<R>) -> Result<AShare<R>> {
    MatrixProduct::prepare(p, job)?.multiply(p, a, b)
}

#[test]
fn every_pair_of_numbers_of_4_bits_in_every_sharing() {
    both(pair(1, None), |p| {
        let all = |shift: u32| (0..1u64 << 16).map(|i| i >> shift & 15).collect::<Vec<_>>();
        let word = |shift: u32| AShare::<u8>::new(4, all(shift).iter().map(|&w| w as u8).collect());
        let (x, y) = match p.role() {
            Role::P0 => (word(0), word(4)),
            Role::P1 => (word(8), word(12)),
        };
        let sum = |a: u32, b: u32| all(a).iter().zip(all(b)).map(|(a, b)| (a + b) & 15).collect::<Vec<_>>();
        let (xs, ys) = (sum(0, 8), sum(4, 12));
        let direct = multiply(p, &x, &y)?;
        assert_eq!(opened(p, &direct)?, products(4, &xs, &ys));
        let squares = square(p, &x)?;
        assert_eq!(opened(p, &squares)?, products(4, &xs, &xs));
        let triples = ProductTriples::random(p, 4, MatrixShape::numbers(1 << 16))?.multiply(p, &x, &y)?;
        assert_eq!(opened(p, &triples)?, products(4, &xs, &ys));
        Ok(())
    });
}

fn of_width<R: Ring>(p: &mut Party, bits: u32) -> Result<()> {
    let (x, y) = (numbers(bits, 60, 1), numbers(bits, 60, 2).into_iter().rev().collect::<Vec<_>>());
    let (sx, sy) = (shared::<R>(p.role(), bits, &x, 3), shared::<R>(p.role(), bits, &y, 4));
    let direct = multiply(p, &sx, &sy)?;
    assert_eq!(opened(p, &direct)?, products(bits, &x, &y), "{bits}");
    let squares = square(p, &sx)?;
    assert_eq!(opened(p, &squares)?, products(bits, &x, &x), "{bits}");
    let inner = inner_products(p, &sx, &sy, 12)?;
    let sums = products(bits, &x, &y);
    let sums: Vec<u64> =
        sums.chunks(12).map(|c| low(c.iter().fold(0, |a, b| a.wrapping_add(*b)), bits)).collect();
    assert_eq!(opened(p, &inner)?, sums, "{bits}");
    let mut triples = ProductTriples::random(p, bits, MatrixShape::numbers(75))?;
    let part = triples.take(60)?;
    assert_eq!(triples.shape().batch, 15);
    let product = part.multiply(p, &sx, &sy)?;
    assert_eq!(opened(p, &product)?, products(bits, &x, &y), "{bits}");
    // Rows of 3 at one party, numbers at the other, either way round.
    for holder in [Role::P0, Role::P1] {
        let mine: Vec<R> = x.iter().map(|&w| R::from_u64(w)).collect();
        let material = KnownProducts::prepare(p, bits, holder, 20, 3)?;
        let rows = match p.role() == holder {
            true => material.with_rows(p, &mine)?,
            false => {
                material.with_numbers(p, &y[..20].iter().map(|&w| R::from_u64(w)).collect::<Vec<_>>())?
            }
        };
        let factors: Vec<u64> = (0..60).map(|i| y[i / 3]).collect();
        assert_eq!(opened(p, &rows)?, products(bits, &x, &factors), "{bits}");
    }
    Ok(())
}

#[test]
fn every_width() {
    both(pair(2, None), |p| {
        (1..=8).try_for_each(|bits| of_width::<u8>(p, bits))?;
        (9..=16).try_for_each(|bits| of_width::<u16>(p, bits))?;
        [17, 31, 32].iter().try_for_each(|&bits| of_width::<u32>(p, bits))?;
        [33, 48, 63, 64].iter().try_for_each(|&bits| of_width::<u64>(p, bits))
    });
}

/// The definition.
fn plain(shape: MatrixShape, bits: u32, a: &[u64], b: &[u64]) -> Vec<u64> {
    let MatrixShape { batch, rows, inner, columns } = shape;
    let entry = |i: usize| {
        let (s, r, c) = (i / (rows * columns), i / columns % rows, i % columns);
        let terms =
            (0..inner).map(|k| a[(s * rows + r) * inner + k].wrapping_mul(b[(s * inner + k) * columns + c]));
        low(terms.fold(0, u64::wrapping_add), bits)
    };
    (0..batch * rows * columns).map(entry).collect()
}

const SHAPES: [MatrixShape; 6] = [
    MatrixShape { batch: 1, rows: 1, inner: 1, columns: 1 },
    MatrixShape { batch: 2, rows: 3, inner: 4, columns: 2 },
    MatrixShape { batch: 3, rows: 2, inner: 1, columns: 5 },
    MatrixShape { batch: 1, rows: 7, inner: 9, columns: 7 },
    MatrixShape { batch: 5, rows: 1, inner: 6, columns: 1 },
    MatrixShape { batch: 0, rows: 3, inner: 3, columns: 3 },
];

#[test]
fn matrices_of_every_shape_known_to_anybody() {
    both(pair(3, None), |p| {
        for (shape, bits) in SHAPES.iter().flat_map(|&shape| [(shape, 64), (shape, 13)]) {
            let (a, b) = (numbers(bits, shape.left(), 5), numbers(bits, shape.right(), 6));
            let want = plain(shape, bits, &a, &b);
            let (sa, sb) = (shared::<u64>(p.role(), bits, &a, 7), shared::<u64>(p.role(), bits, &b, 8));
            let me = p.role();
            let known = |values: &[u64], to: Role| {
                let mine = if me == to { values.to_vec() } else { vec![0; values.len()] };
                AShare::<u64>::new(bits, mine)
            };
            let holders = [None, Some(Role::P0), Some(Role::P1)];
            for (left, right) in holders.iter().flat_map(|&l| holders.map(|r| (l, r))) {
                let a = left.map_or(sa.clone(), |role| known(&a, role));
                let b = right.map_or(sb.clone(), |role| known(&b, role));
                let product = matrix_product(p, MatrixJob { shape, bits, known_to: [left, right] }, &a, &b);
                if left.is_some() && left == right {
                    assert!(matches!(product, Err(Error::Param { .. })));
                    continue;
                }
                assert_eq!(p.open(&product?)?, want, "{shape:?}, {left:?}, {right:?}");
            }
            let triples = ProductTriples::random(p, bits, shape)?.multiply(p, &sa, &sb)?;
            assert_eq!(p.open(&triples)?, want, "{shape:?}");
            assert_eq!(p.open(&public_times_shared(shape, &a, &sb)?)?, want);
            assert_eq!(p.open(&shared_times_public(shape, &sa, &b)?)?, want);
        }
        Ok(())
    });
}

/// A message for every bit of the numbers of about 2^13 words: corrections, then the rows' columns.
fn message_bytes(bits: u32, row: usize, items: usize, [corrected, paid]: [bool; 2]) -> u64 {
    let piece = (8192 / row).max(1);
    let packed = |count: usize, width: u32| (count * width as usize).div_ceil(8);
    let blocks =
        (0..items).step_by(piece).flat_map(|from| (0..bits).map(move |j| (piece.min(items - from), j)));
    let bytes = blocks.map(|(n, j)| {
        let payload = row * packed(n, bits - j) * usize::from(paid);
        wire_len(packed(n, 1) * usize::from(corrected) + payload)
    });
    if corrected || paid { bytes.sum() } else { 0 }
}

#[test]
fn the_cost_is_the_documented_one() {
    let n = 9000;
    let shape = MatrixShape { batch: 2, rows: 30, inner: 4, columns: 6 };
    let run = |p: &mut Party| -> Result<Vec<(Cost, Cost)>> {
        let (x, y) =
            (shared::<u32>(p.role(), 20, &vec![5; n], 1), shared::<u32>(p.role(), 20, &vec![7; n], 2));
        let (a, b) = (vec![1u64; shape.left()], vec![1u64; shape.right()]);
        let (a, b) = (shared::<u64>(p.role(), 64, &a, 1), shared::<u64>(p.role(), 64, &b, 2));
        let (first, second) = (p.role() == Role::P0, p.role() == Role::P1);
        p.stock_cots(600_000, 600_000)?;
        let mut costs = Vec::new();
        let mut check =
            |p: &mut Party, mine: u64, theirs: u64, f: &dyn Fn(&mut Party) -> Result<()>| -> Result<()> {
                let ((), cost) = p.metered(f)?;
                costs.push((cost, Cost { sent: mine, received: theirs, rounds: 1 }));
                Ok(())
            };
        let both = message_bytes(20, 1, n, [true, true]);
        check(p, both, both, &|p| multiply(p, &x, &y).map(drop))?;
        check(p, both, both, &|p| inner_products(p, &x, &y, 9).map(drop))?;
        let (sent, got) =
            [message_bytes(19, 1, n, [second, first]), message_bytes(19, 1, n, [first, second])].into();
        check(p, sent, got, &|p| square(p, &x).map(drop))?;
        let both = message_bytes(64, 30, 48, [true, true]);
        check(p, both, both, &|p| matrix_product(p, MatrixJob::shared(shape, 64), &a, &b).map(drop))?;
        let b_at_p0 = MatrixJob { shape, bits: 64, known_to: [None, Some(Role::P0)] };
        let [sent, got] = [[first, second], [second, first]].map(|way| message_bytes(64, 30, 48, way));
        check(p, sent, got, &|p| matrix_product(p, b_at_p0, &a, &b).map(drop))?;
        let both = message_bytes(64, 30, 48, [false, true]);
        check(p, both, both, &|p| ProductTriples::<u64>::random(p, 64, shape).map(drop))?;
        let triples = std::cell::Cell::new(Some(ProductTriples::<u64>::random(p, 64, shape)?));
        let both = wire_len(8 * (shape.left() + shape.right()));
        check(p, both, both, &|p| triples.take().expect("once").multiply(p, &a, &b).map(drop))?;
        Ok(costs)
    };
    let (at_p0, at_p1) = both(pair(4, None), run);
    for (i, ((a, want_a), (b, want_b))) in at_p0.iter().zip(&at_p1).enumerate() {
        assert_eq!((a.sent, a.received), (want_a.sent, want_a.received), "number {i}");
        assert_eq!((b.sent, b.received), (want_b.sent, want_b.received), "number {i}");
        assert_eq!(a.rounds.max(b.rounds), 1, "number {i}");
    }
}

#[test]
fn refused() {
    both(pair(5, None), |p| {
        let x = |bits, len| AShare::<u32>::new(bits, vec![1; len]);
        assert!(matches!(multiply(p, &x(8, 3), &x(8, 4)), Err(Error::Shape { .. })));
        assert!(matches!(multiply(p, &x(8, 3), &x(9, 3)), Err(Error::Shape { .. })));
        assert!(matches!(inner_products(p, &x(8, 4), &x(8, 4), 3), Err(Error::Shape { .. })));
        assert!(matches!(inner_products(p, &x(8, 4), &x(8, 4), 0), Err(Error::Param { .. })));
        let wide = KnownProducts::prepare(p, 33, Role::P0, 1, 1)?;
        assert!(matches!(wide.with_rows(p, &[1u32]), Err(Error::Param { .. })));
        assert!(matches!(KnownProducts::prepare(p, 0, Role::P0, 1, 1), Err(Error::Param { .. })));
        // Who gives what was not prepared for is refused.
        let material = KnownProducts::prepare(p, 8, Role::P0, 1, 1)?;
        let swapped = match p.role() {
            Role::P0 => material.with_numbers(p, &[1u32]),
            Role::P1 => material.with_rows(p, &[1u32]),
        };
        assert!(matches!(swapped, Err(Error::Param { .. })));
        let shape = MatrixShape { batch: 1, rows: 2, inner: 2, columns: 2 };
        let (a, b) = (x(8, 4), x(8, 5));
        let product = matrix_product(p, MatrixJob::shared(shape, 8), &a, &b);
        assert!(matches!(product, Err(Error::Shape { .. })));
        let triples = ProductTriples::<u32>::random(p, 8, shape)?;
        assert_eq!(format!("{triples:?}").matches("ProductTriples").count(), 1);
        assert!(matches!(triples.multiply(p, &b, &a), Err(Error::Shape { .. })));
        assert!(matches!(ProductTriples::<u8>::random(p, 9, shape), Err(Error::Param { .. })));
        let mut triples = ProductTriples::<u32>::random(p, 8, shape)?;
        assert!(matches!(triples.take(2), Err(Error::Shape { .. })));
        Ok(())
    });
}
