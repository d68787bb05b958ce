//! A text through blocks one behind the other: the first vectors at once, the others one by one.

use std::time::Instant;

use apps::inference::{BlockShape, Decoder, DecoderShape, Weights, twin};
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

/// Blocks, at most: each adds to the numbers, whose variance layer norms bound.
const LAYERS: u32 = 24;

/// What is asked for.
pub(super) fn asked(work: &InferenceWork, further: u32) -> DecoderShape {
    DecoderShape { block: work.block(), layers: work.layers as usize, further: further as usize }
}

/// What it takes.
pub(super) fn effort(shape: &DecoderShape) -> Result<Effort> {
    Ok(shape.effort(Role::P1, &inputs::usual_setting())?)
}

/// Refuses what cannot be measured, and prints what the first vectors and a further one send.
pub(super) fn check(work: &InferenceWork, further: u32) -> Result<()> {
    if !matches!(work.shape, Shape::Block | Shape::Gpt2) {
        return Err(Failure::new(
            "--generate: accepted with --shape gpt2 and block, where vectors see those before",
        ));
    }
    if work.layers > LAYERS {
        return Err(Failure::new(format!(
            "--layers {}: accepted with --generate: 1 to {LAYERS}, since numbers grow from block to block",
            work.layers
        )));
    }
    let shape = asked(work, further);
    let [all, first] = [shape, DecoderShape { further: 0, ..shape }].map(|shape| effort(&shape));
    let (all, first) = (all?, first?);
    let phases = |effort: &Effort| {
        let bill = effort.bill();
        let offline = bill.offline.all_bits() + bill.all_cots();
        [offline as f64 / 8e6, bill.online.all_bits() as f64 / 8e6]
    };
    let ([offline, online], [first_offline, first_online]) = (phases(&all), phases(&first));
    let count = f64::from(further);
    eprintln!("the first vectors: {first_offline:.1} MB offline, {first_online:.1} MB online");
    eprintln!(
        "a further one: {:.1} MB offline, {:.1} MB online",
        (offline - first_offline) / count,
        (online - first_online) / count
    );
    eprintln!("keys, once: {:.1} MB", all.once().bill().bytes() / 1e6);
    let most = [
        ("bytes", (all.bill().bytes() + all.once().bill().bytes()) as u64, "--max-bytes", work.max_bytes),
        ("bytes of memory", all.memory.into_iter().max().unwrap_or(0), "--max-memory", work.max_memory),
    ];
    for (what, takes, option, most) in most {
        if takes > most {
            let [takes, most] = [takes, most].map(|bytes| bytes / 1_000_000);
            return Err(Failure::new(format!("about {takes} million {what}, above {option} {most} million")));
        }
    }
    Ok(())
}

pub(super) fn run(work: &InferenceWork, further: u32, lanes: Lanes) -> Result<()> {
    let (shape, role) = (asked(work, further), lanes.role());
    let whole = BlockShape { sequence: shape.block.sequence + shape.further, ..shape.block };
    let text = work.drawn_numbers(0, whole.sequence * whole.width, SPREAD);
    let weights = |layer| Weights::random(&shape.block, 1 + layer as u64);
    let mine = (role == Role::P1).then(|| (0..shape.layers).map(weights).collect::<Vec<_>>());
    let mine = mine.as_deref();
    let done = lanes.measure(
        vec![()],
        vec![work.shared(role, 0, &text)?],
        |p, ()| Decoder::prepare(p, shape, Role::P1, mine),
        |p, decoder, x: &Vec<u64>| in_steps(p, decoder, &shape.block, x),
    )?;
    let steps = done.results[0].1.clone();
    let done = done.with_steps(steps);
    let words = &done.results[0].0;
    done.verify_accuracy(
        || words.iter().copied(),
        |from| {
            let layers = |of: fn(&BlockShape, &[f64], &Weights) -> Vec<f64>| {
                (0..shape.layers).fold(text.clone(), |x, layer| of(&whole, &x, &weights(layer)))
            };
            let most = compared::most_units(work) * shape.layers as f64;
            let mut accuracy = Accuracy::default();
            let expected = (layers(twin::float), Some(layers(twin::fixed)), most);
            compared::compare(work, 0, expected, words, from, &mut accuracy)?;
            Ok(Some(accuracy))
        },
    )
}

/// What the last block gives for all vectors, and what the first ones and those after them took.
fn in_steps(
    p: &mut Party,
    mut decoder: Decoder,
    block: &BlockShape,
    x: &[u64],
) -> std::result::Result<(Vec<u64>, Vec<Step>), Error> {
    let (first, further) = x.split_at(block.sequence * block.width);
    let (mut out, mut took) = (Vec::with_capacity(x.len()), [Phase::default(); 2]);
    for (i, x) in std::iter::once(first).chain(further.chunks_exact(block.width)).enumerate() {
        let start = Instant::now();
        let x = Fixed::new(AShare::new(block.bits, x.to_vec()), block.scale)?;
        out.extend_from_slice(decoder.eval(p, &x)?.share().words());
        let took = &mut took[usize::from(i > 0)];
        *took = took.then(Phase::new(start, p.take_cost()));
    }
    let steps = ["prompt", "tokens"].into_iter().zip(took);
    Ok((out, steps.map(|(name, phase)| Step { name: name.into(), phase }).collect()))
}
