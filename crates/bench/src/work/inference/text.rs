//! A text through blocks one behind the other: the first vectors at once, and others one by one.

use std::time::Instant;

use apps::inference::{BlockShape, Norms, Transformer, TransformerShape, Weights, twin};
use hushtable::{AShare, Error, Party, Role, arith::Fixed, bill::Effort};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::cost::Phase;

use super::{
    asked::{InferenceWork, SPREAD, Shape},
    compared,
};
use crate::{
    inputs,
    lanes::{Lanes, Step},
    measured::Accuracy,
};

/// Blocks whose norms are first, at most: each adds to the numbers, whose variance layer norms bound.
const LAYERS: u32 = 24;

/// What is asked for.
pub(super) fn asked(work: &InferenceWork, blocks: usize) -> TransformerShape {
    TransformerShape { block: work.block(), blocks, further: work.generate.unwrap_or(0) as usize }
}

/// What it takes.
pub(super) fn effort(shape: &TransformerShape) -> Result<Effort> {
    Ok(shape.effort(Role::P1, &inputs::usual_setting())?)
}

/// Refuses what cannot be measured, and prints what the first vectors and a further one send.
pub(super) fn check(work: &InferenceWork) -> Result<()> {
    if work.generate.is_some() && !matches!(work.shape, Shape::Block | Shape::Gpt2) {
        return Err(Failure::new(
            "--generate: accepted with --shape gpt2 and block, where vectors see those before",
        ));
    }
    if work.layers > LAYERS && work.block().norms == Norms::First {
        return Err(Failure::new(format!(
            "--layers {}: accepted where norms are first: 1 to {LAYERS}, since numbers grow from block to block",
            work.layers
        )));
    }
    let shape = asked(work, work.layers as usize);
    shape.block.check()?;
    let [all, first] = [shape, TransformerShape { further: 0, ..shape }].map(|shape| effort(&shape));
    let (all, first) = (all?, first?);
    let phases = |effort: &Effort| {
        let bill = effort.bill();
        let offline = bill.offline.all_bits() + bill.all_cots();
        [offline as f64 / 8e6, bill.online.all_bits() as f64 / 8e6]
    };
    let ([offline, online], [first_offline, first_online]) = (phases(&all), phases(&first));
    eprintln!("the first vectors: {first_offline:.1} MB offline, {first_online:.1} MB online");
    if let Some(further) = work.generate.map(f64::from) {
        eprintln!(
            "a further one: {:.1} MB offline, {:.1} MB online",
            (offline - first_offline) / further,
            (online - first_online) / further
        );
    }
    eprintln!("keys, once: {:.1} MB", all.once().bill().bytes() / 1e6);
    // Without further vectors a lane holds one block at a time.
    let memory = match shape.further {
        0 => effort(&TransformerShape { blocks: 1, ..shape })?.memory,
        _ => all.memory,
    };
    work.check_limits(&all, memory)
}

pub(super) fn run(work: &InferenceWork, lanes: Lanes) -> Result<()> {
    let (shape, role) = (asked(work, work.layers as usize), lanes.role());
    let whole = BlockShape { sequence: shape.block.sequence + shape.further, ..shape.block };
    let text = work.drawn_numbers(0, whole.sequence * whole.width, SPREAD);
    let weights = |layer| Weights::random(&shape.block, 1 + layer as u64);
    let mine = (role == Role::P1).then(|| (0..shape.blocks).map(weights).collect::<Vec<_>>());
    let mine = mine.as_deref();
    let mut x = work.shared(role, 0, &text)?;
    // A text that goes on needs all blocks at once. Otherwise each lane makes one, they are spent, and the next ones made.
    let blocks: Vec<_> = (0..shape.blocks).map(|block| block..block + 1).collect();
    let rounds = match shape.further {
        0 => blocks.chunks(lanes.items().len()).map(<[_]>::to_vec).collect(),
        _ => vec![lanes.rows()],
    };
    let done = lanes.measure_rounds(
        rounds,
        |p, blocks| {
            let mine = mine.map(|mine| &mine[blocks.clone()]);
            Transformer::prepare(p, asked(work, blocks.len()), Role::P1, mine)
        },
        |p, made| {
            let whole = made.into_iter().map(Ok).reduce(|all, next| all?.then(next?));
            let (out, steps) = in_steps(p, whole.expect("a lane")?, &shape.block, &x)?;
            x = out;
            Ok(steps)
        },
    )?;
    let names = done.results.first().map_or(&[][..], Vec::as_slice).iter().map(|step| step.name.clone());
    let sum = |i: usize| done.results.iter().map(|steps| steps[i].phase).fold(Phase::default(), Phase::then);
    let steps = names.enumerate().map(|(i, name)| Step { name, phase: sum(i) }).collect();
    let (done, words) = (done.with_steps(steps), x);
    done.verify_accuracy(
        || words.iter().copied(),
        |from| {
            let layers = |of: fn(&BlockShape, &[f64], &Weights) -> Vec<f64>| {
                (0..shape.blocks).fold(text.clone(), |x, layer| of(&whole, &x, &weights(layer)))
            };
            let most = compared::most_units(work) * shape.blocks as f64;
            let mut accuracy = Accuracy::default();
            let expected = (layers(twin::float), Some(layers(twin::fixed)), most);
            compared::compare(work, 0, expected, &words, from, &mut accuracy)?;
            Ok(Some(accuracy))
        },
    )
}

/// What the last block gives for all vectors, and what the first ones and those after them took.
fn in_steps(
    p: &mut Party,
    mut transformer: Transformer,
    block: &BlockShape,
    x: &[u64],
) -> std::result::Result<(Vec<u64>, Vec<Step>), Error> {
    let (first, further) = x.split_at(block.sequence * block.width);
    let (mut out, mut took) = (Vec::with_capacity(x.len()), [Phase::default(); 2]);
    for (i, x) in std::iter::once(first).chain(further.chunks_exact(block.width)).enumerate() {
        let start = Instant::now();
        let x = Fixed::new(AShare::new(block.bits, x.to_vec()), block.scale)?;
        out.extend_from_slice(transformer.eval(p, &x)?.share().words());
        let took = &mut took[usize::from(i > 0)];
        *took = took.then(Phase::new(start, p.take_cost()));
    }
    let steps = ["prompt", "tokens"].into_iter().zip(took).take(if further.is_empty() { 1 } else { 2 });
    Ok((out, steps.map(|(name, phase)| Step { name: name.into(), phase }).collect()))
}
