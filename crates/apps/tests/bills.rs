//! The bills of blocks and scores are what they cost, to the bit.

use std::{sync::Arc, thread};

use crate::billed::check_parts;
use hushtable::{
    AShare, Party, Result, Role,
    arith::Fixed,
    net::Connection,
    operation::Operation,
    ot::{SessionWish, Setting},
    run::{self, Done, Phase, Ready, Reveal, Unwatched},
    run_pair,
};
use hushtable_apps::{
    fusion::Fusion,
    inference::{Block, BlockJob, BlockShape, Cache, Norms, Weights},
    proximity::{Places, Proximity},
    scoring::{
        Question, Scoring,
        model::{Model, OwnWeights, Part, Weighted},
    },
};

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
            |p| Block::prepare(p, shape, owner, (p.role() == owner).then_some(&weights)),
            |s, m| {
                let x = AShare::new(shape.bits, vec![1 << shape.scale; shape.sequence * shape.width]);
                m.eval(s, &Fixed::new(x, shape.scale)?).map(drop)
            },
        );
    }
}

/// A block in a session that has no keys yet, with what it says it sends once; and parts of a text.
#[test]
fn blocks_with_the_keys_of_lattices() {
    for (owner, norms, heads, parts) in
        [(Role::P0, Norms::First, 2, 1), (Role::P1, Norms::Last, 4, 1), (Role::P1, Norms::First, 2, 3)]
    {
        let shape = BlockShape { norms, ..BlockShape::new(32, 64, heads) };
        let weights = Weights::random(&shape, 5);
        let under = Setting::default();
        let effort = shape.effort(parts, owner, &under).expect("an effort");
        if parts == 1 {
            let job = BlockJob { shape, owner, weights: None };
            assert_eq!(job.effort(1, &under).expect("an effort"), effort);
            assert_eq!(job.bill(1, &under).expect("a bill"), effort.bill());
        }
        let once = effort.once().bill();
        assert!(once.offline.bits.iter().all(|bits| *bits > 0), "{once:?}");
        let mut bill = once + effort.bill();
        // In each block one party alone sends at the end of a part and at the beginning of the next one.
        bill.online.rounds -= parts as u32;
        check_parts(
            &format!("{parts} of {shape:?}, weights of {owner:?}, and keys"),
            bill,
            0,
            |p| Block::prepare_parts(p, shape, parts, owner, (p.role() == owner).then_some(&weights)),
            |s, blocks| {
                let x = AShare::new(shape.bits, vec![1 << shape.scale; shape.sequence * shape.width]);
                let (x, mut cache) = (Fixed::new(x, shape.scale)?, Cache::default());
                blocks.into_iter().try_for_each(|block| block.eval_after(s, &x, &mut cache).map(drop))
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
                scoring.bill(64, &Setting::default()).expect("a bill"),
                0,
                |p| scoring.prepare(p, 64),
                |s, m| m.eval(s, &[&[1; 64]]).map(drop),
            );
        }
    }
}

#[test]
fn scores_of_shared_features() {
    let part = |features, fraction| Part { features, fraction };
    // Of eight features all messages are whole bytes.
    for parts in [[part(8, 8), part(16, 0)], [part(0, 0), part(8, 16)]] {
        let model = Model::new(32, 8, parts).expect("a model");
        let of = |role: Role| {
            let weights = vec![1; parts[role as usize].features];
            Weighted { model: model.clone(), mine: Arc::new(OwnWeights::new(1, weights.into())) }
        };
        check_parts(
            &format!("{parts:?}"),
            of(Role::P0).bill(64, &Setting::default()).expect("a bill"),
            0,
            |p| of(p.role()).prepare(p, 64),
            |s, m| {
                let takes = of(s.role()).signature().takes;
                let words: Vec<Vec<u64>> = takes.iter().map(|port| vec![1; 64 * port.words]).collect();
                m.eval(s, &words.iter().map(Vec::as_slice).collect::<Vec<_>>()).map(drop)
            },
        );
    }
}

#[test]
fn fusion() {
    let fusion = Fusion::new(8, &[1.0, 2.0, 0.5], 0.9).expect("a fusion");
    check_parts(
        "fusion",
        fusion.bill(64, &Setting::default()).expect("a bill"),
        0,
        |p| fusion.prepare(p, 64),
        |s, m| m.eval(s, &[&[1; 64], &[2; 64], &[3; 64]]).map(drop),
    );
}

#[test]
fn proximity() {
    let all = [(Places::Own, 3), (Places::Plane, 2), (Places::Shared, 4)];
    for (places, operands, additive) in all.into_iter().flat_map(|(p, n)| [(p, n, false), (p, n, true)]) {
        let proximity = Proximity::new(250.0, places).expect("a distance");
        let proximity = if additive { proximity.additive(16) } else { proximity };
        check_parts(
            &format!("{places:?}, additive: {additive}"),
            proximity.bill(64, &Setting::default()).expect("a bill"),
            0,
            |p| proximity.prepare(p, 64),
            |s, m| m.eval(s, &vec![&[1; 64][..]; operands]).map(drop),
        );
    }
    // What the page says of a pair.
    let bytes = |places| {
        Proximity::new(250.0, places)
            .expect("a distance")
            .bill(1, &Setting::default())
            .expect("a bill")
            .bytes()
    };
    assert!(bytes(Places::Own) < 700.0 && bytes(Places::Shared) < 8500.0);
}

/// Parties with so much memory for a batch.
fn pair(memory: u64) -> (Party, Party) {
    let (c0, c1) = Connection::pair();
    let wish = SessionWish::default().memory(memory);
    thread::scope(|scope| {
        let p1 = scope.spawn(move || Party::new(c1, wish).expect("set-up"));
        (Party::new(c0, wish).expect("set-up"), p1.join().expect("no panic"))
    })
}

/// A run's bill is that of all its batches and of the opening; frames' headers and whole bytes come on top.
#[test]
fn runs() {
    // Too much for one batch, and not for one in each of two lanes.
    let (rows, memory) = ((1 << 16) + 640, 32 << 20);
    let under = Setting::default().memory(memory);
    let scoring = Scoring::new(32, 12, Question::AtLeast(0.7)).expect("a scoring");
    for reveal in [Reveal::Both, Reveal::Only(Role::P0), Reveal::Only(Role::P1), Reveal::Nobody] {
        let party = |p: &mut Party| -> Result<Phase> {
            let (lanes, ready) = (std::slice::from_mut(p), vec![Ready::default()]);
            let Done { online, .. } =
                run::run(&scoring, lanes, ready, &[&vec![1; rows]], reveal, &Unwatched)?;
            Ok(online)
        };
        let met = run_pair(pair(memory), party, party).expect("an honest run");
        let bill = run::bill(&scoring, rows, 1, reveal, &under).expect("a bill");
        assert_eq!(met.0.rounds.max(met.1.rounds), u64::from(bill.online.rounds), "{reveal:?}");
        for (phase, bits) in [met.0, met.1].iter().zip(bill.online.bits) {
            let more = 8 * phase.sent as i64 - bits as i64;
            assert!((0..8000).contains(&more), "{reveal:?}: {more} bits more than {bits}");
        }
        let two = run::bill(&scoring, rows, 2, reveal, &under).expect("a bill");
        let opening = u32::from(reveal != Reveal::Nobody);
        assert_eq!((two.all_cots(), two.online.bits), (bill.all_cots(), bill.online.bits));
        assert_eq!(2 * (two.online.rounds - opening), bill.online.rounds - opening, "a batch for each lane");
    }
}
