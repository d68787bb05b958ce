use he::Window;
use prim::{
    Block, Prg, low,
    ntt::DEGREE,
    pack::{packed_len, unpack},
};

use super::*;
use crate::run_pair;

fn cross(batch: usize, sides: [usize; 3], bits: u32, known_bits: u32) -> Cross {
    let shape = Shape::new(sides, Window::ONE).expect("a shape");
    Cross::new((batch, shape), [bits, known_bits], &[Side::Left, Side::Right], Role::P0, Objective::Total)
        .expect("products")
}

/// What all outputs of a batch give away together is at most `2^-40`: the mean noise of each, at most its deviation, over the
/// width of the flooding.
#[test]
fn the_bound_is_that_of_a_batch() {
    let mut prg = Prg::new(Block(2720));
    let mut more = 0;
    for _ in 0..300 {
        let mut side = |most: u32| {
            let most = prg.below(most);
            1 + prg.below(1 << most) as usize
        };
        let (sides, batch) = ([side(9), side(11), side(12)], side(10));
        let bits = 8 + prg.below(57);
        let known_bits = 1 + prg.below(bits.min(63));
        let all = cross(batch, sides, bits, known_bits);
        let one = all.tiling.product(known_bits, 1);
        assert_eq!(one.outputs, sides[0] * sides[2]);
        let deviation = (10.75 * one.terms as f64).sqrt() * f64::from(known_bits as i32 - 1).exp2();
        let width = f64::from((30 * all.params.limbs() as u32 - bits - 2) as i32).exp2();
        let away = (batch * one.outputs) as f64 * deviation / width;
        assert!(away <= 2f64.powi(-40), "{batch} of {sides:?}, {bits} bits by {known_bits}: {away:e}");
        more += usize::from(all.params.limbs() > cross(1, sides, bits, known_bits).params.limbs());
    }
    assert!(more > 3, "{more} take more primes than one product");
}

/// Numbers that are the same everywhere, so that all sums of a row are alike: what the encryptor gets of them differs by what the
/// other party draws for each response, and by nothing else. Whatever the number of cores, in whole products and in pieces,
/// once and again, second parts have nothing to do with each other, no share of a sum comes twice, and all sums are right.
#[test]
fn every_response_has_randomness_of_its_own() {
    // Four responses with as many columns each; and tiles of more rows than a core takes at once.
    for (batch, sides, tile) in [(1, [20, 16, 900], [20, 16, 16]), (2, [140, 8, 4], [4, 8, 1])] {
        let tiling = Tiling::new(Shape::new(sides, Window::ONE).expect("a shape"), tile).expect("tiles");
        let params = Params::fitting(40, &tiling.product(9, batch)).expect("room");
        let (encryptor, side, objective) = (Role::P0, Side::Left, Objective::Total);
        let cross = Cross { encryptor, batch, bits: 40, side, tiling, params, objective };
        assert!(batch == 1 || tiling.row_tiles() > making::ROWS);
        let [left, right] = cross.sizes();
        let (x, w) = (vec![77; left], vec![3; right]);
        let (mut seconds, mut masks) = (Vec::<Vec<u64>>::new(), Vec::<u64>::new());
        for cores in [0, 1, 2, 64] {
            let encryptor = |p: &mut Party| {
                let ready = cross.ready(p)?;
                let mut sums = vec![0u64; cross.outputs()];
                let mut found = Vec::new();
                cross.send(p.session(), &ready, &mut (0..batch).map(|_| &x[..]))?;
                for i in 0..batch {
                    for response in 0..tiling.counts().responses {
                        let bytes = p.session().recv(Response::len(cross.params, tiling.count(response)))?;
                        let (_, second) = bytes.split_at(packed_len(tiling.count(response), 43));
                        found.push(vec![0u64; DEGREE]);
                        unpack(second, 51, found.last_mut().expect("a part"));
                        let outputs = tiling.outputs(response);
                        let places: Vec<usize> = outputs.iter().map(|(place, _)| *place).collect();
                        let response = Response::decode(cross.params, places.len(), &bytes)
                            .map_err(Error::of_lattice)?;
                        let Keys::Encryptor(key) = &ready.keys else { panic!("the key is this party's") };
                        let sums = &mut sums[i * tiling.shape().out()..][..tiling.shape().out()];
                        cross.add(&outputs, &key.open(&response, &places), sums);
                    }
                }
                Ok((found, sums))
            };
            let other = |p: &mut Party| {
                p.session().set_cores(cores);
                let ready = cross.ready(p)?;
                let mut sums = vec![0u64; cross.outputs()];
                cross.answer(p.session(), &ready, &mut (0..batch).map(|_| &w[..]), &mut sums)?;
                Ok(sums)
            };
            let ((found, ours), theirs) =
                run_pair(Party::pair().expect("a pair"), encryptor, other).expect("an honest run");
            let all = ours.iter().zip(&theirs).map(|(a, b)| low(a.wrapping_add(*b), 40));
            assert!(all.into_iter().all(|sum| sum == 77 * 3 * sides[1] as u64), "{cores} cores");
            seconds.extend(found);
            masks.extend(theirs.iter().map(|share| low(*share, 40)));
        }
        for (i, a) in seconds.iter().enumerate() {
            for b in &seconds[..i] {
                let apart = a.iter().zip(b).map(|(a, b)| low(a.wrapping_sub(*b), 51) as f64 / 51f64.exp2());
                let mean = apart.map(|part| part.min(1.0 - part)).sum::<f64>() / DEGREE as f64;
                // A quarter, of parts that are uniform.
                assert!((mean - 0.25).abs() < 0.02, "two responses are {mean} apart");
            }
        }
        let count = masks.len();
        masks.sort_unstable();
        masks.dedup();
        assert!(count - masks.len() < 10, "{} of {count} shares come twice", count - masks.len());
    }
}
