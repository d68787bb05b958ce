//! A block between two parties, against the same in the clear.

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{Fixed, fixed},
    run_pair,
};
use hushtable_apps::inference::{Block, BlockShape, Norms, Weights, twin};

/// Vectors with a deviation near 1.
fn vectors(shape: &BlockShape) -> Vec<f64> {
    let number = |i: usize| {
        let hash = (i as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let uniform =
            ((hash ^ hash >> 29).wrapping_mul(0xbf58_476d_1ce4_e5b9) >> 11) as f64 / (1u64 << 52) as f64;
        ((uniform - 1.0) * 1.8 * 4096.0).round() / 4096.0
    };
    (0..shape.sequence * shape.width).map(number).collect()
}

/// P0 has the vectors, P1 the weights.
fn run(shape: BlockShape) -> Vec<f64> {
    let (x, weights) = (vectors(&shape), Weights::random(&shape, 5));
    let eval = |p: &mut Party| -> Result<Vec<f64>> {
        let words: Vec<u64> = match p.role() {
            Role::P0 => fixed::encode(&x, shape.bits, shape.scale)?,
            Role::P1 => vec![0; x.len()],
        };
        let x = Fixed::new(AShare::new(shape.bits, words), shape.scale)?;
        let mine = (p.role() == Role::P1).then_some(&weights);
        Block::prepare(p, shape, Role::P1, mine)?.eval(p, &x, mine)?.open(p)
    };
    let pair = Party::pair_seeded(3).expect("two parties");
    let (y, other) = run_pair(pair, eval, eval).expect("an honest run");
    assert_eq!(y, other);
    y
}

fn worst(a: &[f64], b: &[f64]) -> f64 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

#[test]
fn a_block_is_its_twin_but_for_few_units() {
    // The last one's layers and heads are multiplied by lattices, those of the others by OTs.
    for (sequence, width, heads, causal, norms) in [
        (8, 16, 2, true, Norms::First),
        (5, 12, 3, false, Norms::Last),
        (32, 64, 2, true, Norms::First),
        (32, 64, 4, false, Norms::Last),
    ] {
        let shape = BlockShape { causal, norms, ..BlockShape::new(sequence, width, heads) };
        let (x, weights) = (vectors(&shape), Weights::random(&shape, 5));
        let y = run(shape);
        let unit = 2f64.powi(-(shape.scale as i32));
        let fixed = worst(&y, &twin::fixed(&shape, &x, &weights)) / unit;
        let float = worst(&y, &twin::float(&shape, &x, &weights));
        println!("{sequence} x {width}: {fixed} units from the twin, {float} from floating point");
        assert!(fixed <= 24.0, "{fixed} units from the twin");
        assert!(float <= 0.01, "{float} from floating point");
        // The block does something.
        assert!(worst(&y, &x) > 0.5);
    }
}

#[test]
fn shapes_and_rings_that_do_not_fit_are_refused() {
    let shape = BlockShape::new(8, 16, 2);
    let says = |shape: BlockShape| shape.check().expect_err("it does not fit").to_string();
    assert!(says(BlockShape { heads: 3, ..shape }).contains("divisors of the width 16"));
    let text = says(BlockShape { bits: 32, ..shape });
    assert!(text.contains("at least 33"), "{text}");
    let mut weights = Weights::random(&shape, 1);
    weights.up.bias.pop();
    match weights.check(&shape) {
        Err(Error::Shape { want: 64, got: 63, .. }) => {}
        other => panic!("{other:?}"),
    }
}
