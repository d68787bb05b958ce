//! Convolutions and linear layers that one party knows: random shapes against the definition, by lattices and by OTs;
//! rounding at ends of ranges; the cost.

use crate::support::{billed::check_parts, fixed::shared, pairs, shares::random};

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{
        ConvolutionShape, LatticeJob, LatticeProduct, Layer, LayerJob, LinearJob, LinearProduct, LinearShape,
        MatrixShape,
    },
};
use pairs::{both, pair, share_words};
use prim::{Block, Prg, ring::low};

/// The convolution of numbers of any size, as the definition says it.
fn convolution(shape: &ConvolutionShape, x: &[u64], filters: &[i64]) -> Vec<u64> {
    let ConvolutionShape { images, image, channels, window, stride, padding, groups, .. } = *shape;
    let ([lines, columns], in_group) = (shape.result(), channels / groups);
    let mut out = Vec::new();
    for (of, y, column) in (0..images)
        .flat_map(|of| (0..lines).flat_map(move |y| (0..columns).map(move |column| (of, y, column))))
    {
        for filter in 0..shape.filters {
            let group = filter / (shape.filters / groups);
            let mut sum = 0u64;
            for (dy, dx) in (0..window[0]).flat_map(|dy| (0..window[1]).map(move |dx| (dy, dx))) {
                let place = [(y * stride[0] + dy, 0), (column * stride[1] + dx, 1)];
                let [y, x0] = place.map(|(at, side)| at.wrapping_sub(padding[side][0]));
                if y >= image[0] || x0 >= image[1] {
                    continue;
                }
                for c in 0..in_group {
                    let number = x[((of * image[0] + y) * image[1] + x0) * channels + group * in_group + c];
                    let weight = filters[((dy * window[1] + dx) * in_group + c) * shape.filters + filter];
                    sum = sum.wrapping_add(number.wrapping_mul(weight as u64));
                }
            }
            out.push(sum);
        }
    }
    out
}

fn matrices(shape: &MatrixShape, a: &[u64], b: &[i64]) -> Vec<u64> {
    let MatrixShape { rows, inner, columns, .. } = *shape;
    let entry = |i: usize| {
        let (batch, row, column) = (i / (rows * columns), i / columns % rows, i % columns);
        let one = |k: usize| {
            let b = b[(batch * inner + k) * columns + column] as u64;
            a[(batch * rows + row) * inner + k].wrapping_mul(b)
        };
        (0..inner).map(one).fold(0, u64::wrapping_add)
    };
    (0..shape.out()).map(entry).collect()
}

fn mapped(shape: &LinearShape, x: &[u64], numbers: &[i64]) -> Vec<u64> {
    match shape {
        LinearShape::Matrices(shape) => matrices(shape, x, numbers),
        LinearShape::Convolution(shape) => convolution(shape, x, numbers),
    }
}

fn any(prg: &mut Prg) -> ConvolutionShape {
    let mut below = |least: u32, count: u32| (least + prg.below(count)) as usize;
    let window = [below(1, 4), below(1, 4)];
    let groups = below(1, 3);
    let stride = [below(1, 3), below(1, 3)];
    let image = [window[0] + below(0, 6), window[1] + below(0, 6)];
    let padding = window.map(|side| [below(0, side as u32), below(0, side as u32)]);
    let channels = groups * below(1, 5);
    ConvolutionShape {
        images: below(1, 3),
        image,
        channels,
        filters: groups * below(1, 4),
        window,
        stride,
        padding,
        groups,
    }
}

fn signed(x: u64, bits: u32) -> i64 {
    (x << (64 - bits)) as i64 >> (64 - bits)
}

fn numbers(prg: &mut Prg, bits: u32, count: usize) -> Vec<i64> {
    let ends = [1 << (bits - 1), (1 << (bits - 1)) - 1];
    let kind = prg.below(4) as usize;
    (0..count).map(|_| signed(if kind < 2 { ends[kind] } else { prg.u64() }, bits)).collect()
}

#[test]
fn convolutions_are_those_of_the_definition() {
    both(pair(2710, None), |p| {
        let mut prg = Prg::new(Block(2710));
        for round in 0..60 {
            let shape = any(&mut prg);
            let owner = [Role::P0, Role::P1][round % 2];
            let (bits, number_bits) = [(37, 15), (16, 8), (64, 20)][round % 3];
            let job = LinearJob { shape: shape.into(), bits, number_bits, owner };
            let x = random(bits, shape.left(), round as u64);
            let filters = numbers(&mut prg, number_bits, shape.right());
            let mine = if p.role() == owner { &filters[..] } else { &[] };
            let lattice = LatticeProduct::prepare(p, &LatticeJob::new(job)?, mine)?;
            let ots = LinearProduct::prepare(p, job)?;
            let shares = share_words(p.role(), bits, &x, 5);
            let want: Vec<u64> =
                convolution(&shape, &x, &filters).into_iter().map(|x| low(x, bits)).collect();
            let found = lattice.multiply(p, &shares)?;
            assert!(p.open(&found)? == want, "{shape}, by lattices");
            let found = ots.multiply(p, &shares, mine)?;
            assert!(p.open(&found)? == want, "{shape}, by OTs");
        }
        Ok(())
    });
}

/// Images that take several tiles of lines, and of channels.
#[test]
fn large_convolutions_are_right() {
    let of = |image, channels, filters, window: [usize; 2], stride| ConvolutionShape {
        images: 1,
        image,
        channels,
        filters,
        window,
        stride: [stride; 2],
        padding: window.map(|side| [side / 2; 2]),
        groups: 1,
    };
    both(pair(2711, None), |p| {
        let mut prg = Prg::new(Block(2711));
        for shape in
            [of([100, 60], 3, 5, [7, 7], 2), of([9, 9], 130, 70, [3, 3], 1), of([130, 130], 1, 2, [5, 3], 1)]
        {
            let job = LinearJob { shape: shape.into(), bits: 37, number_bits: 15, owner: Role::P1 };
            let x = random(37, shape.left(), 4);
            let filters = numbers(&mut prg, 15, shape.right());
            let mine = if p.role() == Role::P1 { &filters[..] } else { &[] };
            let product = LatticeProduct::prepare(p, &LatticeJob::new(job)?, mine)?;
            let x_shares = share_words(p.role(), 37, &x, 5);
            let found = product.multiply(p, &x_shares)?;
            let want: Vec<u64> = convolution(&shape, &x, &filters).into_iter().map(|x| low(x, 37)).collect();
            assert!(p.open(&found)? == want, "{shape}");
        }
        Ok(())
    });
}

/// A layer, opened: results and what they are made of, as integers.
fn layer(p: &mut Party, job: &LayerJob, x: &[u64], known: (&[i64], &[u64])) -> Result<Vec<u64>> {
    let map = job.map();
    let (numbers, offsets) = if p.role() == map.owner { known } else { (&[][..], &[][..]) };
    let layer = Layer::prepare(p, job, 1, numbers)?;
    let shares = share_words(p.role(), map.bits, x, 5);
    let out = layer.apply(p, &shares, offsets)?;
    p.open(&out)
}

#[test]
fn layers_round_to_a_neighbour() {
    both(pair(2712, None), |p| {
        let mut prg = Prg::new(Block(2712));
        let mut ways = [0; 2];
        for round in 0..60u64 {
            let large = round % 4 == 0;
            let shape: LinearShape = if round % 2 == 0 {
                let [m, k, n] = if large { [20, 60, 30] } else { [0; 3].map(|_| 1 + prg.below(9) as usize) };
                MatrixShape { batch: 1 + prg.below(2) as usize, rows: m, inner: k, columns: n }.into()
            } else {
                any(&mut prg).into()
            };
            let owner = [Role::P0, Role::P1][round as usize / 2 % 2];
            let bits = 40 + prg.below(20);
            let cut = prg.below(16);
            let job = LayerJob::new(LinearJob { shape, bits, number_bits: 12, owner }, cut)?;
            ways[usize::from(job.by_lattice())] += 1;
            // So large that no sum reaches the quarter of the ring, of either sign.
            let small = bits - 2 - 12 - shape.right().ilog2() - 1;
            let x: Vec<u64> = (0..shape.left()).map(|_| signed(prg.u64(), small) as u64).collect();
            let b = numbers(&mut prg, 12, shape.right());
            let offsets: Vec<u64> = match round % 3 {
                0 => Vec::new(),
                _ => (0..shape.columns()).map(|_| signed(prg.u64(), small) as u64).collect(),
            };
            let words: Vec<u64> = x.iter().map(|x| low(*x, bits)).collect();
            let found = layer(p, &job, &words, (&b, &offsets))?;
            for (i, (found, sum)) in found.iter().zip(mapped(&shape, &x, &b)).enumerate() {
                let sum = sum.wrapping_add(offsets.get(i % shape.columns()).map_or(0, |c| *c)) as i64;
                let (below, found) = (sum >> cut, signed(*found, bits));
                let exact = below << cut == sum;
                assert!(
                    found == below || !exact && found == below + 1,
                    "{shape}: {sum} by 2^{cut} is {found}"
                );
            }
        }
        assert!(ways[0] > 5 && ways[1] > 5, "{ways:?}");
        Ok(())
    });
}

/// Up as often as what is cut off says.
#[test]
fn rounding_is_right_on_average() {
    both(pair(2713, None), |p| {
        let shape = MatrixShape { batch: 1, rows: 4000, inner: 1, columns: 1 }.into();
        for owner in [Role::P0, Role::P1] {
            let job = LayerJob::new(LinearJob { shape, bits: 32, number_bits: 2, owner }, 4)?;
            let found = layer(p, &job, &vec![low(-13i64 as u64, 32); 4000], (&[1], &[]))?;
            let sum: i64 = found.iter().map(|x| signed(*x, 32)).sum();
            // -13/16 each.
            assert!((-3450..-3050).contains(&sum), "{sum}");
        }
        Ok(())
    });
}

#[test]
fn bills_of_layers_are_met() {
    let convolution = ConvolutionShape {
        images: 2,
        image: [16, 16],
        channels: 8,
        filters: 16,
        window: [3, 3],
        stride: [2, 2],
        padding: [[1, 1], [0, 1]],
        groups: 1,
    };
    let matrices = |rows, inner, columns| MatrixShape { batch: 1, rows, inner, columns };
    let shapes: [LinearShape; 3] =
        [matrices(32, 64, 64).into(), matrices(2, 8, 4).into(), convolution.into()];
    for (shape, owner) in
        shapes.into_iter().flat_map(|shape| [Role::P0, Role::P1].map(|owner| (shape, owner)))
    {
        for (cut, items) in [(0, 1), (8, 1), (8, 3)] {
            let job =
                LayerJob::new(LinearJob { shape, bits: 32, number_bits: 9, owner }, cut).expect("a job");
            let (mut bill, keys) = (job.bill(items).expect("a bill"), job.keys(items).expect("keys").bill());
            (0..2).for_each(|party| bill.offline.bits[party] += keys.offline.bits[party]);
            bill.offline.rounds += keys.offline.rounds;
            check_parts(
                &format!("{items} of {shape} of {owner:?}, {cut} bits cut off"),
                bill,
                0,
                |p| {
                    let numbers = vec![-1; if p.role() == owner { shape.right() } else { 0 }];
                    Layer::prepare(p, &job, items, &numbers)
                },
                |s, m| m.apply(s, &AShare::<u64>::new(32, vec![7; items * shape.left()]), &[]).map(drop),
            );
        }
    }
}

#[test]
fn other_layers_are_refused() {
    let fine = ConvolutionShape {
        images: 1,
        image: [4, 4],
        channels: 4,
        filters: 2,
        window: [3, 3],
        stride: [1, 1],
        padding: [[0, 0], [0, 0]],
        groups: 1,
    };
    let job = |shape: ConvolutionShape| LinearJob {
        shape: shape.into(),
        bits: 37,
        number_bits: 15,
        owner: Role::P0,
    };
    assert!(LayerJob::new(job(fine), 12).is_ok());
    for wrong in [
        ConvolutionShape { images: 0, ..fine },
        ConvolutionShape { stride: [0, 1], ..fine },
        ConvolutionShape { groups: 3, ..fine },
        ConvolutionShape { groups: 4, ..fine },
        ConvolutionShape { window: [5, 1], ..fine },
        ConvolutionShape { padding: [[0, 3], [0, 0]], ..fine },
        ConvolutionShape { image: [usize::MAX, 4], ..fine },
    ] {
        assert!(matches!(LayerJob::new(job(wrong), 12), Err(Error::Param { .. })), "{wrong}");
        assert!(matches!(LatticeJob::new(job(wrong)), Err(Error::Param { .. })), "{wrong}");
    }
    assert!(matches!(LayerJob::new(job(fine), 36), Err(Error::Param { .. })));
    // A window over more pixels than a polynomial has.
    let wide = ConvolutionShape { image: [3, 9000], window: [2, 2], ..fine };
    let error = LatticeJob::new(job(wide)).expect_err("refused").to_string();
    assert!(error.contains("reach over less than 8192 pixels"), "{error}");
    let layer = LayerJob::new(job(fine), 12).expect("a job");
    both(pair(2714, None), |p| {
        if p.role() == Role::P0 {
            assert!(matches!(Layer::prepare(p, &layer, 1, &[1; 71]), Err(Error::Shape { .. })));
        } else {
            assert!(matches!(Layer::prepare(p, &layer, 1, &[1; 72]), Err(Error::Shape { .. })));
        }
        Ok(())
    });
}

/// Material of a lattice knows for which numbers it was made; several layers by the same map are made at once.
#[test]
fn stored_material_is_for_its_map() {
    use hushtable::source::{Source, Window, read, written};
    let shape = MatrixShape { batch: 1, rows: 16, inner: 64, columns: 64 };
    let map = LinearJob { shape: shape.into(), bits: 30, number_bits: 15, owner: Role::P0 };
    let job = LayerJob::new(map, 6).expect("a job");
    assert!(job.by_lattice());
    both(pair(2715, None), |p| {
        let role = Source::role(p);
        let mine = |number: i64| vec![number; if role == Role::P0 { shape.right() } else { 0 }];
        let bytes = written(p, 0, |from| Layer::prepare(from, &job, 3, &mine(5)))?;
        let window = Window { items: 3, before: 1, wanted: 2 };
        let other = read(&bytes, role, window, |from| Layer::prepare(from, &job, 2, &mine(6)));
        assert_eq!(matches!(other.map(drop), Err(Error::Store(_))), role == Role::P0);
        let layer = read(&bytes, role, window, |from| Layer::prepare(from, &job, 2, &mine(5)))?;
        let x = share_words(role, 30, &vec![64; 2 * shape.left()], 5);
        let out = layer.apply(p, &x, &[])?;
        assert_eq!(p.open(&out)?, vec![320; 2 * shape.out()]);
        Ok(())
    });
}

#[test]
fn products_with_a_known_matrix_of_small_numbers() {
    for (batch, rows, inner, columns, bits) in [(1, 3, 4, 5, 6), (2, 5, 3, 1, 1), (3, 1, 2, 4, 9)] {
        let shape = MatrixShape { batch, rows, inner, columns };
        both(pair(11, None), |p| {
            p.stock_cots(1 << 12, 1 << 12)?;
            let top = 1i64 << (bits - 1);
            let b: Vec<i64> = (0..shape.right() as i64).map(|i| (i * 37 + 5) % (2 * top) - top).collect();
            let a: Vec<f64> = (0..shape.left() as i64).map(|i| ((i * 7919) % 1001 - 500) as f64).collect();
            let a = shared(p.role(), &a, 23, 0, 5)?;
            for owner in [Role::P0, Role::P1] {
                let numbers: &[i64] = if owner == p.role() { &b } else { &[] };
                let job = LinearJob { shape: shape.into(), bits: 23, number_bits: bits, owner };
                let (product, cost) =
                    p.metered(|p| LinearProduct::prepare(p, job)?.multiply(p, a.share(), numbers))?;
                let plain: Vec<u64> = p.open(a.share())?;
                let plain = AShare::new(23, if p.role() == Role::P0 { plain } else { vec![0; a.len()] });
                let words: Vec<u64> = b.iter().map(|&b| b as u64).collect();
                let want = hushtable::arith::shared_times_public(shape, &plain, &words)?;
                assert_eq!(p.open(&product)?, p.open(&want)?, "{shape:?}, {owner:?}");
                assert_eq!(cost.rounds, 1);
            }
            Ok(())
        });
    }
}
