//! The bills of blocks and scores are what they cost, to the bit.

#[path = "../../hushtable/tests/support/billed.rs"]
mod billed;
#[path = "../../hushtable/tests/support/pairs.rs"]
mod pairs;
#[path = "../../hushtable/tests/support/relay.rs"]
mod relay;

use apps::{
    inference::{Block, BlockShape, Weights},
    scoring::{Question, Scoring},
};
use billed::check_parts;
use hushtable::{AShare, Role, arith::Fixed, operation::Operation};

#[test]
fn blocks() {
    for (owner, causal) in [(Role::P0, true), (Role::P1, false)] {
        // All messages are whole bytes.
        let shape = BlockShape { causal, ..BlockShape::new(8, 16, 2) };
        let weights = Weights::random(&shape, 5);
        check_parts(
            &format!("{shape:?}, weights of {owner:?}"),
            shape.bill(owner).expect("a bill"),
            0,
            |p| Block::prepare(p, shape, owner),
            |s, m| {
                let x = AShare::new(shape.bits, vec![1 << shape.scale; shape.sequence * shape.width]);
                let mine = (s.role() == owner).then_some(&weights);
                m.eval(s, &Fixed::new(x, shape.scale)?, mine).map(drop)
            },
        );
    }
}

#[test]
fn scores() {
    let questions = [Question::Probability, Question::AtLeast(0.7), Question::Bands(vec![0.1, 0.5, 0.7])];
    for (question, additive) in questions.into_iter().flat_map(|q| [(q.clone(), false), (q, true)]) {
        for (bits, fraction) in [(32, 16), (64, 12)] {
            let scoring = Scoring::new(bits, fraction, question.clone()).expect("a scoring");
            let scoring = if additive { scoring.additive(16) } else { scoring };
            check_parts(
                &format!("{question:?} of {bits} bits, additive: {additive}"),
                scoring.bill(64).expect("a bill"),
                0,
                |p| scoring.prepare(p, 64),
                |s, m| m.eval(s, &[&[1; 64]]).map(drop),
            );
        }
    }
}
