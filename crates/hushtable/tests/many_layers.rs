//! Many linear layers by the same map: made together, spent together or one by one; random shapes, and what they cost.

use crate::support::{billed::check_parts, pairs, shares::random};

use std::collections::HashSet;

use hushtable::{
    AShare, Role,
    arith::{
        ConvolutionShape, LatticeTriplesJob, Layer, LayerJob, LinearJob, LinearShape, MatrixShape, Objective,
        ProductTriples, shared_times_public,
    },
    source::written,
};
use pairs::{both, pair, share_words};
use prim::{Block, Prg, ring::low};

/// Numbers of so many bits with their sign; half of the time the ends.
fn numbers(prg: &mut Prg, bits: u32, count: usize) -> Vec<i64> {
    let any = |word: u64| (word << (64 - bits)) as i64 >> (64 - bits);
    let end = [(1 << (bits - 1)) - 1, -(1 << (bits - 1))];
    let ends = prg.below(2) == 0;
    (0..count).map(|i| if ends { end[i % 2] } else { any(prg.u64()) }).collect()
}

/// So many products by the same numbers.
fn products(shape: MatrixShape, bits: u32, left: &[u64], right: &[i64]) -> Vec<u64> {
    let right: Vec<u64> = right.iter().map(|v| *v as u64).collect();
    let one = |left: &[u64]| {
        shared_times_public(shape, &AShare::<u64>::new(bits, left.to_vec()), &right).expect("a product")
    };
    left.chunks(shape.left()).flat_map(|left| one(left).into_wide()).map(|x| low(x, bits)).collect()
}

/// Together or one by one; as many as make one product, and as many as make several, of which the last one is filled up.
#[test]
fn many_layers_are_right() {
    both(pair(2717, None), |p| {
        let mut prg = Prg::new(Block(2717));
        let mut ways = [0; 2];
        for round in 0..18 {
            let large = round % 3 == 0;
            let mut below = |least: u32, count: u32| (least + prg.below(count)) as usize;
            let shape = match round {
                // 23 of 41 x 2000 numbers do not stand on top of one another all at once.
                _ if round == 3 => MatrixShape { batch: 1, rows: 41, inner: 2000, columns: 2 },
                _ if large => MatrixShape { batch: below(1, 2), rows: below(1, 3), inner: 300, columns: 200 },
                _ => MatrixShape {
                    batch: below(1, 2),
                    rows: below(1, 4),
                    inner: below(1, 9),
                    columns: below(1, 9),
                },
            };
            let items = if round == 3 { 23 } else { below(1, 7) };
            let (bits, owner) = (24 + prg.below(30), [Role::P0, Role::P1][round / 3 % 2]);
            let job = LayerJob::new(LinearJob { shape: shape.into(), bits, number_bits: 12, owner }, 0)?;
            ways[usize::from(job.by_lattice())] += 1;
            let right = numbers(&mut prg, 12, shape.right());
            let left = random(bits, items * shape.left(), round as u64);
            let want = products(shape, bits, &left, &right);
            let mine = if p.role() == owner { &right[..] } else { &[] };
            let x = share_words(p.role(), bits, &left, 5);
            let found = Layer::prepare(p, &job, items, mine)?.apply(p, &x, &[])?;
            assert!(p.open(&found)? == want, "{items} of {shape:?}");
            let each = Layer::prepare_each(p, &job, items, mine)?;
            assert_eq!(each.len(), items);
            for (i, layer) in each.into_iter().enumerate() {
                let one = AShare::<u64>::new(bits, x.words()[i * shape.left()..][..shape.left()].to_vec());
                let found = layer.apply(p, &one, &[])?;
                assert!(
                    p.open(&found)? == want[i * shape.out()..][..shape.out()],
                    "{i} of {items}, {shape:?}"
                );
            }
        }
        assert!(ways[0] > 5 && ways[1] > 5, "{ways:?}");
        Ok(())
    });
}

/// Rows of layers that are made together share ciphertexts: 32 of one row send as much as one of 32 rows; the parts of a
/// convolution do not.
#[test]
fn many_layers_stand_on_top_of_one_another() {
    let job = |shape: LinearShape| {
        let job = LayerJob::new(LinearJob { shape, bits: 37, number_bits: 15, owner: Role::P1 }, 12)
            .expect("a job");
        assert!(job.by_lattice());
        job
    };
    let matrices = |rows| job(MatrixShape { batch: 1, rows, inner: 768, columns: 768 }.into());
    let sent = |job: LayerJob, items| job.bill(items).expect("a bill").offline.all_bits();
    assert_eq!(sent(matrices(1), 32), sent(matrices(32), 1));
    assert!(4 * sent(matrices(1), 32) < 32 * sent(matrices(1), 1));
    // Of a layer that OTs do alone, many are by a lattice.
    let small = LinearJob {
        shape: MatrixShape { batch: 1, rows: 1, inner: 128, columns: 128 }.into(),
        bits: 37,
        number_bits: 15,
        owner: Role::P1,
    };
    let one = LayerJob::new(small, 12).expect("a job");
    let all = LayerJob::of(small, 12, 128, Objective::Total).expect("a job");
    assert!(!one.by_lattice() && all.by_lattice());
    let keys = all.keys(128).expect("keys").bill().bytes();
    let [by_ots, by_lattice] = [one, all].map(|job| job.bill(128).expect("a bill").bytes());
    assert!(20.0 * (by_lattice + keys) < by_ots, "{by_lattice} of {by_ots}");
    let image = ConvolutionShape {
        images: 1,
        image: [16, 16],
        channels: 16,
        filters: 16,
        window: [3, 3],
        stride: [1, 1],
        padding: [[1, 1]; 2],
        groups: 1,
    };
    assert_eq!(sent(job(image.into()), 3), 3 * sent(job(image.into()), 1));
}

#[test]
fn bills_of_many_layers_are_met() {
    for (shape, owner) in [([1, 64, 128], Role::P0), ([2, 8, 4], Role::P1), ([3, 300, 200], Role::P1)] {
        let [rows, inner, columns] = shape;
        let shape = MatrixShape { batch: 1, rows, inner, columns };
        let map = LinearJob { shape: shape.into(), bits: 32, number_bits: 9, owner };
        let job = LayerJob::new(map, 8).expect("a job");
        let (mut bill, keys) = (job.bill(5).expect("a bill"), job.keys(5).expect("keys").bill());
        (0..2).for_each(|party| bill.offline.bits[party] += keys.offline.bits[party]);
        bill.offline.rounds += keys.offline.rounds;
        // One by one what is sent online takes 5 times as many rounds.
        bill.online.rounds *= 5;
        check_parts(
            &format!("5 of {shape:?} of {owner:?}"),
            bill,
            0,
            |p| {
                let numbers = vec![-1; if p.role() == owner { shape.right() } else { 0 }];
                Layer::prepare_each(p, &job, 5, &numbers)
            },
            |s, layers| {
                let x = AShare::<u64>::new(32, vec![7; shape.left()]);
                layers.into_iter().try_for_each(|layer| layer.apply(s, &x, &[]).map(drop))
            },
        );
    }
}

/// Many at once take parameters for all of them together: more primes here.
#[test]
fn many_layers_take_room_for_all() {
    let shape = MatrixShape { batch: 1, rows: 64, inner: 64, columns: 64 };
    let map = LinearJob { shape: shape.into(), bits: 37, number_bits: 20, owner: Role::P0 };
    let job = LayerJob::new(map, 0).expect("a job");
    assert!(job.by_lattice());
    // A ciphertext has 122880 bytes with 4 primes, 153600 with 5, and a number.
    let sent = |items| job.bill(items).expect("a bill").offline.bits[1] / 8;
    let (few, many) = (sent(20), sent(81));
    assert!(few % 122_888 == 0 && many % 153_608 == 0, "{few}, {many}");
    let right = numbers(&mut Prg::new(Block(4)), 20, shape.right());
    both(pair(2716, None), |p| {
        let mine = if p.role() == Role::P0 { &right[..] } else { &[] };
        for items in [20, 81] {
            let left = random(37, items * shape.left(), 3);
            let x = share_words(p.role(), 37, &left, 5);
            let found = Layer::prepare(p, &job, items, mine)?.apply(p, &x, &[])?;
            assert!(p.open(&found)? == products(shape, 37, &left, &right), "{items}");
        }
        Ok(())
    });
}

/// Words of 32 bits that stand twice in material: of random ones, pairs of neighbours do not.
fn repeated(bytes: &[u8]) -> usize {
    let pairs: Vec<&[u8]> = bytes.windows(8).step_by(4).filter(|pair| *pair != [0; 8]).collect();
    pairs.len() - pairs.iter().collect::<HashSet<_>>().len()
}

/// What is made for many has a mask of its own for each, also what is cut off for one: a mask that serves twice shows the
/// difference of two inputs.
#[test]
fn no_mask_serves_two_layers() {
    let shape = MatrixShape { batch: 1, rows: 2, inner: 300, columns: 200 };
    let triples = MatrixShape { batch: 3, rows: 8, inner: 32, columns: 8 };
    both(pair(2718, None), |p| {
        for owner in [Role::P0, Role::P1] {
            let map = LinearJob { shape: shape.into(), bits: 32, number_bits: 12, owner };
            let job = LayerJob::of(map, 0, 3, Objective::Total)?;
            assert!(job.by_lattice());
            let mine = vec![3; if p.role() == owner { shape.right() } else { 0 }];
            let bytes = written(p, 0, |from| Layer::prepare(from, &job, 3, &mine))?;
            assert!(bytes.len() > 4 * 3 * shape.out());
            assert_eq!(repeated(&bytes), 0, "of 3 layers that are kept");
            // Of equal inputs, shares of results are those of masks and responses.
            let x = AShare::<u64>::new(32, vec![5; shape.left()]);
            let mut seen = HashSet::new();
            for layer in Layer::prepare_each(p, &job, 3, &mine)? {
                assert!(
                    seen.insert(layer.apply(p, &x, &[])?.words().to_vec()),
                    "a layer spends what another one did"
                );
            }
        }
        let job = LatticeTriplesJob::new(32, triples, Objective::Total)?;
        let bytes = written(p, 0, |from| ProductTriples::<u64>::by_lattice(from, &job))?;
        assert_eq!(repeated(&bytes), 0, "of 3 triples");
        Ok(())
    });
}
