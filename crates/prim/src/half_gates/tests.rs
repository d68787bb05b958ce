use super::*;
use crate::{Kernel, Prg};

fn drawn(prg: &mut Prg, count: usize) -> Vec<Block> {
    let mut blocks = vec![Block::ZERO; count];
    prg.blocks(&mut blocks);
    blocks
}

/// The AND of the paper's Figure 2: its table and the label of zero.
fn by_definition(hash: &CcrHash, delta: Block, number: u64, a: Block, b: Block) -> [Block; 3] {
    let h = |label: Block, half: u32| hash.one(label ^ Block(1 << half | u128::from(number)));
    let if_bit = |label: Block, x: Block| if label.lsb() { x } else { Block::ZERO };
    let left = h(a, 64) ^ h(a ^ delta, 64) ^ if_bit(b, delta);
    let right = h(b, 65) ^ h(b ^ delta, 65) ^ a;
    [left, right, h(a, 64) ^ if_bit(a, left) ^ h(b, 65) ^ if_bit(b, right ^ a)]
}

/// Every so many items, gates of equal wires, complements, and results in the places of operands.
#[test]
fn every_kernel_garbles_by_the_definition_and_evaluates_to_ands() {
    for kernel in Kernel::supported() {
        let mut prg = Prg::new(Block(17));
        let hash = CcrHash::with_kernel(Block(99), kernel);
        let delta = prg.block().with_lsb(true);
        for (copies, count) in (1..=BATCH).flat_map(|copies| [(copies, 1), (copies, BATCH / copies)]) {
            let (first, free) = (1 << 33 | 5, 2 * count as u32);
            // Gate i reads two of the first places, which none before it writes, and writes one of them or a free one.
            let gates: Vec<And> = (0..count as u32)
                .map(|i| {
                    let draw = prg.block().0;
                    let of = [2 * i, 2 * i + u32::from(draw & 3 > 0)];
                    let to = if draw & 4 > 0 { of[(draw >> 3 & 1) as usize] } else { free + i };
                    And { of, not: [draw >> 5 & 1 == 1, draw >> 6 & 1 == 1], to }
                })
                .collect();
            let zeros = drawn(&mut prg, 3 * count * copies);
            let places = |labels: &[Block]| {
                let mut places = Places::with_kernel(3 * count, copies, kernel);
                places.labels.copy_from_slice(labels);
                places
            };
            let (mut garbled, mut tables) = (places(&zeros), vec![Block::ZERO; 2 * count * copies]);
            garbled.garble(&hash, delta, first, &gates, &mut tables);
            let bits: Vec<bool> = (0..zeros.len()).map(|_| prg.block().lsb()).collect();
            let label = |w: Block, bit| w ^ (delta & Block::mask(bit));
            let labels: Vec<Block> = zeros.iter().zip(&bits).map(|(w, bit)| label(*w, *bit)).collect();
            let mut evaluated = places(&labels);
            evaluated.evaluate(&hash, first, &gates, &tables);
            for (i, (gate, item)) in
                gates.iter().flat_map(|gate| (0..copies).map(move |item| (gate, item))).enumerate()
            {
                let at = gate.of.map(|place| place as usize * copies + item);
                let [a, b] = [0, 1].map(|k| label(zeros[at[k]], gate.not[k]));
                let want = by_definition(&hash, delta, first + i as u64, a, b);
                let zero = garbled.at(gate.to as usize)[item];
                let name = format!("{kernel:?}, {copies} items, gate {i}");
                assert!([tables[i], tables[count * copies + i], zero] == want, "{name}");
                let both = (bits[at[0]] ^ gate.not[0]) && (bits[at[1]] ^ gate.not[1]);
                assert!(evaluated.at(gate.to as usize)[item] == label(zero, both), "{name}");
            }
        }
    }
}

#[test]
fn every_kernel_adds_labels_up() {
    for kernel in Kernel::supported() {
        for copies in 1..=BATCH {
            let mut places = Places::with_kernel(3, copies, kernel);
            let labels = drawn(&mut Prg::new(Block(18)), 3 * copies);
            places.labels.copy_from_slice(&labels);
            // The second one reads what the first one writes, over what it reads.
            places.xor(&[Xor { of: [0, 1], to: 2 }, Xor { of: [2, 1], to: 1 }, Xor { of: [0, 0], to: 0 }]);
            for i in 0..copies {
                let want = [Block::ZERO, labels[i], labels[i] ^ labels[copies + i]];
                assert!([0, 1, 2].map(|place| places.at(place)[i]) == want, "{kernel:?}, {copies}");
            }
        }
    }
}

/// A label of both halves, of two ANDs, and of both parties.
#[test]
fn what_is_hashed_is_recorded() {
    if !cfg!(debug_assertions) {
        return;
    }
    let (hash, delta) = (CcrHash::new(Block(1)), Block(0xd317a << 90 | 1));
    let gates = [[0, 0], [0, 1]].map(|of| And { of, not: [false, of[1] == 1], to: 2 });
    let labels = |places: &mut Places| {
        places.at_mut(0).fill(Block(7));
        places.at_mut(1).fill(Block(7) ^ delta);
    };
    let (mut places, mut tables) = (Places::new(3, 1), [Block::ZERO; 4]);
    labels(&mut places);
    let inputs = || record::take().iter().map(|h| h.input.0).collect::<Vec<_>>();
    record::start();
    places.garble(&hash, delta, 0, &gates, &mut tables);
    let garbled = inputs();
    let tweaked = [1 << 64, 1 << 65].map(|half| [7 ^ half, 7 ^ half ^ delta.0]);
    let all = tweaked.iter().flatten().chain(tweaked.iter().flatten());
    let want: Vec<u128> = all.zip(0..).map(|(x, i)| x ^ (i / 4)).collect();
    assert_eq!(garbled, want);
    places.at_mut(1).fill(Block(7));
    record::start();
    places.evaluate(&hash, 0, &gates, &tables);
    assert_eq!(inputs(), garbled.into_iter().step_by(2).collect::<Vec<_>>());
}
