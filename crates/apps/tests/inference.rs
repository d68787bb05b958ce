//! A block between two parties, against the same in the clear.

use std::{iter::once, thread};

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::{Fixed, fixed},
    math::Precision,
    run_pair,
};
use hushtable_apps::inference::{
    Block, BlockShape, Cache, Norms, Transformer, TransformerShape, Weights, twin,
};
use prim::{block::Block as Seed, prg::Prg};

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
    run_with(shape, &Weights::random(&shape, 5))
}

fn run_with(shape: BlockShape, weights: &Weights) -> Vec<f64> {
    let x = vectors(&shape);
    let eval = |p: &mut Party| -> Result<Vec<f64>> {
        let x = given(p.role(), &shape, &x)?;
        let mine = (p.role() == Role::P1).then_some(weights);
        Block::prepare(p, shape, Role::P1, mine)?.eval(p, &x)?.open(p)
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

/// Every vector has a score of -30 to -125 with itself: those that must not be seen have less, whatever the scores.
#[test]
fn what_must_not_be_seen_is_not_seen() {
    let shape = BlockShape::new(8, 16, 2);
    let mut weights = Weights::random(&shape, 5);
    weights.norm.gains.fill(1.0);
    weights.norm.offsets.fill(0.0);
    weights.attention.bias.fill(0.0);
    for row in 0..16 {
        for column in 0..32 {
            let number = if column < 16 { 2.8 } else { -2.8 };
            weights.attention.weights[row * 48 + column] = if column % 16 == row { number } else { 0.0 };
        }
    }
    let units = worst(&run_with(shape, &weights), &twin::fixed(&shape, &vectors(&shape), &weights)) * 4096.0;
    assert!(units <= 60.0, "{units} units from the twin");
}

/// A text in parts, each after the keys and values of those before, is what it is as a whole.
#[test]
fn a_text_that_goes_on_is_the_text_as_a_whole() {
    for (parts, norms) in [(&[5, 1, 1][..], Norms::First), (&[1, 3, 2, 1], Norms::Last), (&[7], Norms::First)]
    {
        let whole = BlockShape { norms, ..BlockShape::new(parts.iter().sum(), 16, 2) };
        let (x, weights) = (vectors(&whole), Weights::random(&whole, 5));
        let eval = |p: &mut Party| -> Result<Vec<f64>> {
            let mine = (p.role() == Role::P1).then_some(&weights);
            let (mut cache, mut out, mut before) = (Cache::default(), Vec::new(), 0);
            for &sequence in parts {
                let shape = BlockShape { sequence, before, ..whole };
                let part = &x[before * 16..(before + sequence) * 16];
                let part = given(p.role(), &shape, part)?;
                let block = Block::prepare(p, shape, Role::P1, mine)?;
                out.extend(block.eval_after(p, &part, &mut cache)?.open(p)?);
                before += sequence;
            }
            // Material for a text of another length or by other heads is refused.
            let heads = BlockShape { sequence: 1, before, heads: 4, ..whole };
            let other = Fixed::new(AShare::new(heads.bits, vec![0; 16]), heads.scale)?;
            let other = Block::prepare(p, heads, Role::P1, mine)?.eval_after(p, &other, &mut cache);
            assert!(matches!(other, Err(Error::Shape { .. })), "{:?}", other.err());
            let shape = BlockShape { sequence: 1, before: before - 1, ..whole };
            let part = Fixed::new(AShare::new(shape.bits, vec![0; 16]), shape.scale)?;
            let other = Block::prepare(p, shape, Role::P1, mine)?.eval_after(p, &part, &mut cache);
            assert!(matches!(other, Err(Error::Shape { .. })), "{:?}", other.err());
            Ok(out)
        };
        let pair = Party::pair_seeded(3).expect("two parties");
        let (y, _) = run_pair(pair, eval, eval).expect("an honest run");
        let units = worst(&y, &twin::fixed(&whole, &x, &weights)) * 2f64.powi(whole.scale as i32);
        assert!(units <= 24.0, "{parts:?}: {units} units from the twin");
    }
}

/// Texts of random shapes through blocks one behind the other. What comes next is what was made of the vector before it, as
/// shares; the twin takes that, opened.
#[test]
fn a_text_that_is_generated_is_its_twin() {
    let mut prg = Prg::new(Seed(61));
    for round in 0..12 {
        let mut below = |least: u32, count: u32| (least + prg.below(count)) as usize;
        let (heads, prompt, further) = (below(1, 3), [1, below(1, 6)][round % 2], below(0, 4));
        let further = if round < 2 { 1 } else { further };
        let norms = [Norms::First, Norms::Last][round / 2 % 2];
        let block = BlockShape { norms, ..BlockShape::new(prompt, heads * below(2, 6), heads) };
        let shape = TransformerShape { block, blocks: below(1, 3), further };
        let owner = [Role::P0, Role::P1][below(0, 2)];
        let weights: Vec<Weights> =
            (0..shape.blocks).map(|layer| Weights::random(&block, layer as u64)).collect();
        let x = vectors(&block);
        let eval = |p: &mut Party| -> Result<Vec<f64>> {
            let mine = (p.role() == owner).then_some(&weights[..]);
            let mut text = Transformer::prepare(p, shape, owner, mine)?;
            let mut next = given(p.role(), &block, &x)?;
            let mut all = Vec::new();
            for left in (0..=further).rev() {
                let y = text.eval(p, &next)?;
                all.extend(y.open(p)?);
                next = last(&y, block.width)?;
                assert_eq!(text.left(), left);
            }
            let none = text.eval(p, &next).expect_err("no material is left").to_string();
            assert!(none.contains("vectors that a transformer has material for"), "{none}");
            Ok(all)
        };
        let (y, _) =
            run_pair(Party::pair_seeded(3).expect("two parties"), eval, eval).expect("an honest run");
        let whole = BlockShape { sequence: prompt + further, ..block };
        let fed = &y[(prompt - 1) * block.width..y.len() - block.width];
        let text: Vec<f64> = x.iter().chain(fed).copied().collect();
        let want = weights.iter().fold(text, |x, weights| twin::fixed(&whole, &x, weights));
        let units = worst(&y, &want) * 2f64.powi(block.scale as i32);
        println!("{shape:?}: {units} units from the twin");
        assert!(units <= 24.0 * 2f64.powi(shape.blocks as i32 - 1), "{shape:?}: {units} units from the twin");
    }
}

/// Blocks of BERT and of GPT, each made in a lane of its own, one behind the other in another lane.
#[test]
fn blocks_are_made_in_lanes() {
    for norms in [Norms::First, Norms::Last] {
        let first = norms == Norms::First;
        let block = BlockShape { norms, causal: first, ..BlockShape::new(3, 8, 2) };
        let shape = TransformerShape { block, blocks: 1, further: usize::from(first) };
        let weights: Vec<Weights> = (0..3).map(|layer| Weights::random(&block, layer)).collect();
        let text = vectors(&BlockShape { sequence: 3 + shape.further, ..block });
        let eval = |p: &mut Party| -> Result<Vec<f64>> {
            let mine = (p.role() == Role::P1).then_some(&weights[..]);
            let mut lanes = p.fork(3)?;
            let all = thread::scope(|scope| {
                let one = |(i, p): (usize, &mut Party)| {
                    Transformer::prepare(p, shape, Role::P1, mine.map(|mine| &mine[i..=i]))
                };
                let each: Vec<_> =
                    lanes.iter_mut().enumerate().map(|lane| scope.spawn(move || one(lane))).collect();
                let each =
                    each.into_iter().map(|lane| lane.join().expect("a lane")).collect::<Result<Vec<_>>>()?;
                each.into_iter().map(Ok).reduce(|all, next| all?.then(next?)).expect("three lanes")
            });
            let (mut all, mut out) = (all?, Vec::new());
            let (prompt, further) = text.split_at(3 * block.width);
            for x in once(prompt).chain(further.chunks(block.width)) {
                out.extend(all.eval(&mut lanes[1], &given(p.role(), &block, x)?)?.open(p)?);
            }
            Ok(out)
        };
        let (y, _) =
            run_pair(Party::pair_seeded(3).expect("two parties"), eval, eval).expect("an honest run");
        let whole = BlockShape { sequence: 3 + shape.further, ..block };
        let want = weights.iter().fold(text.clone(), |x, weights| twin::fixed(&whole, &x, weights));
        let units = worst(&y, &want) * 2f64.powi(block.scale as i32);
        assert!(units <= 100.0, "{norms:?}: {units} units from the twin");
    }
}

/// What is refused spends nothing.
#[test]
fn a_transformer_refuses_other_vectors_and_weights() {
    let block = BlockShape::new(2, 8, 2);
    let shape = TransformerShape { block, blocks: 2, further: 1 };
    let weights: Vec<Weights> = (0..2).map(|layer| Weights::random(&block, layer)).collect();
    let eval = |p: &mut Party| -> Result<()> {
        let mine = (p.role() == Role::P1).then_some(&weights[..]);
        let before = TransformerShape { block: BlockShape { before: 1, ..block }, ..shape };
        let before = Transformer::prepare(p, before, Role::P1, mine);
        assert!(matches!(before.map(drop), Err(Error::Param { .. })));
        let few = Transformer::prepare(p, shape, Role::P1, mine.map(|mine| &mine[..1])).map(drop);
        if p.role() == Role::P1 {
            assert!(matches!(few, Err(Error::Shape { want: 2, got: 1, .. })), "{few:?}");
        }
        Ok(())
    };
    let pair = || Party::pair_seeded(3).expect("two parties");
    // The other party notices that one is gone.
    _ = run_pair(pair(), eval, eval);
    let eval = |p: &mut Party| -> Result<()> {
        let mine = (p.role() == Role::P1).then_some(&weights[..]);
        let mut text = Transformer::prepare(p, shape, Role::P1, mine)?;
        let shorter = Transformer::prepare(p, TransformerShape { further: 0, ..shape }, Role::P1, mine)?;
        let refused = shorter.then(Transformer::prepare(p, shape, Role::P1, mine)?);
        assert!(matches!(refused, Err(Error::Shape { want: 1, got: 2, .. })), "{:?}", refused.err());
        let one = given(p.role(), &block, &[0.5; 8])?;
        let refused = text.eval(p, &one);
        assert!(matches!(refused, Err(Error::Shape { want: 16, got: 8, .. })), "{:?}", refused.err());
        let prompt = given(p.role(), &block, &vectors(&block))?;
        text.eval(p, &prompt)?;
        let refused = text.eval(p, &prompt);
        assert!(matches!(refused, Err(Error::Shape { want: 8, got: 16, .. })), "{:?}", refused.err());
        text.eval(p, &one).map(drop)
    };
    run_pair(pair(), eval, eval).expect("an honest run");
}

/// P0 has the numbers.
fn given(role: Role, shape: &BlockShape, x: &[f64]) -> Result<Fixed<u64>> {
    let words: Vec<u64> = match role {
        Role::P0 => fixed::encode(x, shape.bits, shape.scale)?,
        Role::P1 => vec![0; x.len()],
    };
    Fixed::new(AShare::new(shape.bits, words), shape.scale)
}

/// The last vector.
fn last(x: &Fixed<u64>, width: usize) -> Result<Fixed<u64>> {
    let words = x.share().words();
    Fixed::new(AShare::new(x.bits(), words[words.len() - width..].to_vec()), x.scale())
}

/// Errors of `2^-8` a number of both functions, which layers add up.
#[test]
fn a_block_of_a_networks_precision() {
    let shape = BlockShape { precision: Precision::Network, ..BlockShape::new(8, 16, 2) };
    let (x, weights) = (vectors(&shape), Weights::random(&shape, 5));
    let y = run(shape);
    let float = worst(&y, &twin::float(&shape, &x, &weights));
    println!("{float} from floating point");
    assert!(float <= 0.05, "{float} from floating point");
    let bytes = |shape: BlockShape| shape.bill(Role::P1).unwrap().bytes();
    assert!(bytes(shape) < bytes(BlockShape { precision: Precision::Fine, ..shape }));
}

/// Errors of weights and biases say where they are, and not which.
#[test]
fn numbers_that_do_not_fit_are_not_shown() {
    let shape = BlockShape::new(2, 4, 2);
    let error = |change: fn(&mut Weights)| {
        let mut weights = Weights::random(&shape, 5);
        change(&mut weights);
        let pair = Party::pair_seeded(3).expect("two parties");
        let prepared = |p: &mut Party| -> Result<()> {
            let mine = (p.role() == Role::P1).then_some(&weights);
            Block::prepare(p, shape, Role::P1, mine).map(drop)
        };
        let text = |p: &mut Party| Ok(prepared(p).err().map_or(String::new(), |error| error.to_string()));
        run_pair(pair, |p| prepared(p).or(Ok(())), text).expect("two parties").1
    };
    let found = error(|w| w.up.weights[16 + 3] = 271.75);
    assert_eq!(
        found,
        "weight to the hidden numbers: the one in row 1, column 3 is not supported; accepted: -4 to 3.999755859375"
    );
    let found = error(|w| w.attention.bias[2] = -31415.75);
    assert_eq!(
        found,
        "bias of queries, keys and values: the one at 2 is not supported; accepted: -128 to 128"
    );
}

#[test]
fn shapes_and_rings_that_do_not_fit_are_refused() {
    let shape = BlockShape::new(8, 16, 2);
    let says = |shape: BlockShape| shape.check().expect_err("it does not fit").to_string();
    assert!(says(BlockShape { before: 3, causal: false, ..shape }).contains("3 is not supported"));
    assert!(says(BlockShape { heads: 3, ..shape }).contains("divisors of the width 16"));
    let text = says(BlockShape { bits: 32, ..shape });
    assert!(text.contains("at least 34"), "{text}");
    // A number of 128 in steps of 2^-24 is 2^31, and rounded up more: it does not leave three quarters of 33 bits free.
    assert!(says(BlockShape { bits: 33, ..shape }).contains("at least 34"));
    let below = 128.0 - 2f64.powi(-12);
    for (largest, needed) in [(below, 33), (below + 2f64.powi(-24), 34), (127.0, 33), (64.0, 33), (0.5, 27)] {
        assert_eq!(BlockShape { largest, ..shape }.bits_needed(), needed, "{largest}");
    }
    let mut weights = Weights::random(&shape, 1);
    weights.up.bias.pop();
    match weights.check(&shape) {
        Err(Error::Shape { want: 64, got: 63, .. }) => {}
        other => panic!("{other:?}"),
    }
}

/// What a block sends less for keys that are there is what the set-up sent; and lanes have the keys of their session.
#[test]
fn keys_serve_all_lanes() {
    let shape = BlockShape { sequence: 32, ..BlockShape::new(64, 128, 2) };
    let weights = Weights::random(&shape, 5);
    let sent = |set_up: bool, lanes: usize| {
        let weights = &weights;
        let run = move |p: &mut Party| -> Result<[u64; 2]> {
            let mine = (p.role() == Role::P1).then_some(weights);
            p.take_cost();
            if set_up {
                shape.set_up(p, 1, Role::P1)?;
            }
            let keys = p.take_cost().sent;
            let mut prepared = 0;
            let mut parts = p.fork(lanes)?;
            for lane in &mut parts {
                lane.take_cost();
                _ = Block::prepare(lane, shape, Role::P1, mine)?;
                prepared += lane.take_cost().sent;
            }
            Ok([keys, prepared])
        };
        run_pair(Party::pair_seeded(3).expect("two parties"), run, run).expect("an honest run")
    };
    let (with, without, twice) = (sent(true, 1), sent(false, 1), sent(true, 2));
    for (with, without, twice) in [(with.0, without.0, twice.0), (with.1, without.1, twice.1)] {
        assert!(with[0] > 1 << 20, "keys of {} bytes", with[0]);
        assert_eq!(with[0], twice[0]);
        // The set-up announces, too, what it is for.
        assert!(with[0].abs_diff(without[1] - with[1]) < 1 << 14, "{} {} {}", with[0], with[1], without[1]);
        assert!(twice[1].abs_diff(2 * with[1]) < with[1] / 50, "{} {}", twice[1], with[1]);
    }
}
