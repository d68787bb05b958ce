use prim::{Block, Prg};

use super::*;
use crate::shape::Window;

/// Coefficients that are not zero, and their places.
fn sparse<T: Copy + Default + PartialEq>(all: &[T]) -> Vec<(usize, T)> {
    all.iter().copied().enumerate().filter(|(_, x)| *x != T::default()).collect()
}

/// `x w` mod `X^8192 + 1` and `2^64`, of few coefficients.
fn product(x: &[(usize, u64)], w: &[(usize, i64)], out: &mut [u64]) {
    for (j, w) in w {
        for (i, x) in x {
            let (at, product) = (i + j, x.wrapping_mul(*w as u64));
            match at.checked_sub(DEGREE) {
                None => out[at] = out[at].wrapping_add(product),
                Some(at) => out[at] = out[at].wrapping_sub(product),
            }
        }
    }
}

/// The product by tiles, all in the clear: packing takes coefficients at multiples of how many are packed.
fn by_tiles(tiling: &Tiling, encrypted: &[u64], known: &[i64], outputs: usize) -> Vec<Option<u64>> {
    let (counts, mut out) = (tiling.counts(), vec![None; outputs]);
    let x: Vec<_> =
        (0..counts.encrypted).map(|tile| sparse(&tiling.encrypted_tile(encrypted, tile))).collect();
    let w: Vec<_> = (0..counts.plain).map(|tile| sparse(&tiling.plain_tile(known, tile))).collect();
    let (mut products, packed) = (0, tiling.packed());
    for response in 0..counts.responses {
        let mut all = vec![0; DEGREE];
        for part in 0..packed {
            let mut sum = vec![0; DEGREE];
            for [x_tile, w_tile] in tiling.pairs(response, part) {
                product(&x[x_tile], &w[w_tile], &mut sum);
                products += 1;
            }
            (0..DEGREE).step_by(packed).for_each(|at| all[at + part] = sum[at]);
        }
        assert_eq!(tiling.outputs(response).len(), tiling.count(response));
        for (place, at) in tiling.outputs(response) {
            assert!(out[at].replace(all[place]).is_none(), "an output twice");
        }
    }
    assert_eq!(products, counts.products);
    out
}

/// Responses are counted as a walk over all of them counts.
fn check_counts(tiling: &Tiling) {
    let mut left = vec![0usize; DEGREE + 1];
    (0..tiling.counts().responses).for_each(|response| left[tiling.count(response)] += 1);
    for [responses, outputs] in tiling.response_counts() {
        left[outputs] = left[outputs].checked_sub(responses).expect("no more than there are");
    }
    assert!(left.iter().all(|left| *left == 0), "{tiling:?}");
}

fn check(prg: &mut Prg, tiling: &Tiling) {
    check_counts(tiling);
    let shape = tiling.shape;
    let (k, n) = (shape.inner(), shape.columns());
    let a: Vec<u64> = (0..shape.left()).map(|_| prg.u64()).collect();
    let b: Vec<u64> = (0..shape.right()).map(|_| prg.u64()).collect();
    let signed = |x: &[u64]| x.iter().map(|x| *x as i64).collect::<Vec<_>>();
    let found = by_tiles(tiling, &a, &signed(&b), shape.out());
    for (at, (found, want)) in found.into_iter().zip(product_of(shape, k, n, &a, &b)).enumerate() {
        assert_eq!(found, Some(want), "{tiling:?}, entry {at}");
    }
}

/// As the definition says it, image by image.
fn product_of(shape: Shape, k: usize, n: usize, a: &[u64], b: &[u64]) -> Vec<u64> {
    let Window { image: [lines, width], size: [high, wide] } = shape.window();
    let mut out = Vec::new();
    for image in a.chunks_exact(lines * width * k) {
        for y in 0..=lines - high {
            for (x, j) in (0..=width - wide).flat_map(|x| (0..n).map(move |j| (x, j))) {
                let mut sum = 0u64;
                for (dy, dx) in (0..high).flat_map(|dy| (0..wide).map(move |dx| (dy, dx))) {
                    for q in 0..k {
                        let left = image[((y + dy) * width + x + dx) * k + q];
                        sum = sum.wrapping_add(left.wrapping_mul(b[((dy * wide + dx) * k + q) * n + j]));
                    }
                }
                out.push(sum);
            }
        }
    }
    out
}

fn matrix(sides: [usize; 3]) -> Shape {
    Shape::new(sides, Window::ONE).expect("a shape")
}

#[test]
fn tiles_give_the_product() {
    let mut prg = Prg::new(Block(41));
    let small = (1..6).flat_map(|m| (1..6).flat_map(move |k| (1..6).map(move |n| [m, k, n])));
    let any: Vec<[usize; 3]> = (0..40).map(|_| [0; 3].map(|_| 1 + prg.below(40) as usize)).collect();
    for shape in small.chain(any) {
        // Tiles of any sides, powers of two or not.
        for _ in 0..3 {
            let kw = 1 + prg.below(40) as usize;
            let nw = 1 + prg.below(11) as usize;
            let mw = 1 + prg.below(11) as usize;
            for kw in [kw, kw.next_power_of_two()] {
                check(&mut prg, &Tiling::new(matrix(shape), [mw, kw, nw]).expect("a tiling"));
            }
        }
    }
}

/// Of 1 to 40 a side, 2000 of them, and with `LONG` all 64000: in the tiles that send least, as a product chooses them where
/// bytes are to be least, and in others that it may choose.
#[test]
fn every_shape_of_forty_a_side_gives_the_product() {
    let mut prg = Prg::new(Block(44));
    let long = std::env::var_os("LONG").is_some();
    let all = (0..40usize.pow(3)).map(|i| [1 + i % 40, 1 + i / 40 % 40, 1 + i / 1600]);
    let shapes: Vec<[usize; 3]> = all.filter(|_| long || prg.below(32) == 0).collect();
    assert!(shapes.len() > 1900);
    for sides in shapes {
        let tilings: Vec<Tiling> = Tiling::candidates(matrix(sides)).collect();
        let sent = |tiling: &&Tiling| {
            let Counts { encrypted, responses, switches, .. } = tiling.counts();
            (encrypted + responses, switches)
        };
        check(&mut prg, tilings.iter().min_by_key(sent).expect("a tiling"));
        let any = prg.below(tilings.len() as u32) as usize;
        check(&mut prg, &tilings[any]);
    }
}

#[test]
fn candidates_cover_and_fit() {
    let mut prg = Prg::new(Block(42));
    for shape in [[1, 1, 1], [1, 300, 5], [40, 9000, 1], [256, 256, 256], [9000, 1, 2], [3, 70, 9000]] {
        let all: Vec<Tiling> = Tiling::candidates(matrix(shape)).collect();
        assert!(!all.is_empty() && all.len() < 200, "{} tilings", all.len());
        for tiling in all {
            assert!(tiling.tile.iter().product::<usize>() <= DEGREE);
            if shape.iter().product::<usize>() < 1 << 16 && prg.below(4) == 0 {
                check(&mut prg, &tiling);
            }
        }
    }
}

/// The counts of the specification's table.
#[test]
fn counts_are_those_of_the_page() {
    for (shape, tile, want) in [
        ([256, 256, 256], [256, 32, 1], [8, 2048, 248, 8]),
        ([64, 1024, 1024], [64, 128, 1], [8, 8192, 1016, 8]),
        ([128, 768, 3072], [128, 64, 1], [12, 36864, 3024, 48]),
        ([128, 768, 3072], [128, 16, 4], [48, 36864, 720, 48]),
    ] {
        let counts = Tiling::new(matrix(shape), tile).expect("a tiling").counts();
        assert_eq!([counts.encrypted, counts.products, counts.switches, counts.responses], want, "{shape:?}");
    }
}

#[test]
fn tiles_give_convolutions() {
    let mut prg = Prg::new(Block(43));
    for _ in 0..120 {
        let size = [0; 2].map(|_| 1 + prg.below(4) as usize);
        let image = size.map(|side| side + prg.below(7) as usize);
        let images = 1 + prg.below(3) as usize;
        let sides = [images * image[0] * image[1], 1 + prg.below(9) as usize, 1 + prg.below(9) as usize];
        let shape = Shape::new(sides, Window { image, size }).expect("a shape");
        let kw = 1 + prg.below(9) as usize;
        let nw = 1 + prg.below(4) as usize;
        let mw = shape.reach() + 1 + prg.below(40) as usize;
        for kw in [kw, kw.next_power_of_two()] {
            check(&mut prg, &Tiling::new(shape, [mw, kw, nw]).expect("a tiling"));
        }
        let all: Vec<Tiling> = Tiling::candidates(shape).collect();
        let any = prg.below(all.len() as u32) as usize;
        check(&mut prg, &all[any]);
    }
}

/// Of matrices and images of any size, in all tilings that come into question and others.
#[test]
fn responses_are_counted_as_a_walk_does() {
    let mut prg = Prg::new(Block(44));
    for round in 0..400 {
        let mut side = |most: u32| {
            let most = prg.below(most);
            1 + prg.below(1 << most) as usize
        };
        let shape = if round % 2 == 0 {
            matrix([side(13), side(11), side(13)])
        } else {
            let size = [side(3), side(3)];
            let image = size.map(|window| window - 1 + side(6));
            let sides = [side(5) * image[0] * image[1], side(8), side(9)];
            Shape::new(sides, Window { image, size }).expect("a shape")
        };
        let tile = [shape.reach() + side(6), side(4), side(4)];
        let others = Tiling::new(shape, tile).into_iter();
        Tiling::candidates(shape).chain(others).for_each(|tiling| check_counts(&tiling));
    }
    // No walk would end.
    let shape = matrix([1 << 30, 1, 1 << 30]);
    for tiling in Tiling::candidates(shape) {
        let outputs: usize = tiling.response_counts().map(|[many, outputs]| many * outputs).sum();
        assert_eq!(outputs, 1 << 60, "{tiling:?}");
    }
}

#[test]
fn others_are_refused() {
    for tile in [[0, 1, 1], [8193, 1, 1], [usize::MAX, 2, 1]] {
        assert!(Tiling::new(matrix([1; 3]), tile).is_err(), "{tile:?}");
    }
    assert!(Shape::new([0, 1, 1], Window::ONE).is_err());
    let windows = [([0, 1], [1, 1]), ([2, 2], [0, 1]), ([2, 2], [3, 1]), ([2, 2], [1, 3]), ([3, 2], [1, 1])];
    for (image, size) in windows {
        assert!(Shape::new([8, 1, 1], Window { image, size }).is_err(), "{size:?} in {image:?}");
    }
    let reaching = Shape::new([9, 1, 1], Window { image: [3; 2], size: [2; 2] }).expect("a shape");
    assert!(Tiling::new(reaching, [4, 1, 1]).is_err());
    assert!(Tiling::new(reaching, [5, 1, 1]).is_ok());
}

/// What the bound of the noise is told of a product: every output meets no more known numbers than it says, by the
/// polynomials themselves, zeros that are no numbers left out; a product of whole tiles meets just as many. The flooding
/// covers the worst that these can make of errors of 22, also of few outputs.
#[test]
fn a_product_tells_its_noise() {
    let (mut prg, mut full) = (Prg::new(Block(77)), 0);
    for round in 0..80 {
        let mut side = |most: u32| 1 + prg.below(most) as usize;
        let size = if round % 2 == 0 { [side(3), side(3)] } else { [1, 1] };
        let image = if round % 2 == 0 { size.map(|side| side + 3) } else { [1, 1] };
        let sides = [image[0] * image[1] * side(4), side(20), side(20)];
        let shape = Shape::new(sides, Window { image, size }).expect("a shape");
        let count = side(9);
        for tiling in Tiling::candidates(shape).step_by(3) {
            let of = tiling.product(9, count);
            assert_eq!((of.outputs, of.packed), (shape.out() * count, tiling.packed()), "{tiling}");
            let ones = vec![1; shape.right()];
            let met = |tile: usize| tiling.plain_tile(&ones, tile).iter().filter(|x| **x != 0).count();
            let responses = 0..tiling.counts().responses;
            let parts = responses.flat_map(|response| (0..tiling.packed()).map(move |part| [response, part]));
            let all =
                parts.map(|[response, part]| tiling.pairs(response, part).map(|[_, tile]| met(tile)).sum());
            let most: usize = all.max().expect("responses");
            assert!(most <= of.terms, "{tiling}: {most} known numbers meet an output, not {}", of.terms);
            full += usize::from(most == of.terms);
        }
        let tiling = Tiling::candidates(shape).next().expect("tiles");
        for (bits, weight_bits) in [(16, 8), (37, 37), (64, 40), (64, 64), (48, 30)] {
            let of = Product { outputs: 1, ..tiling.product(weight_bits, 1) };
            let params = crate::Params::fitting(bits, &of).expect("parameters");
            let worst = 22.0 * of.terms as f64 * f64::from(weight_bits as i32 - 1).exp2();
            let flooding = f64::from((30 * params.limbs() as u32 - bits - 3) as i32).exp2();
            assert!(flooding >= worst * 40f64.exp2(), "{tiling}, {bits} bits by {weight_bits}");
        }
    }
    assert!(full > 50, "{full} are of whole tiles");
}
