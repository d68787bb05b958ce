//! The leaks that implementations of keys had (fss-errata S1 to S4): each predictor finds the secret where the mistake is
//! made, in a key generation that is written here, and guesses where it is not. What it would look at in this
//! library's keys tells it nothing either. S4 opens a second block a level: bills are equal to what is sent, and have
//! one.

use crate::support::pairs;
use crate::support::pairs::words;

use hushtable::{
    Party, Result,
    fss::Dpf,
    onehot::Xor,
    share::{Additive, Bitwise},
};
use pairs::{both, pair};
use prim::{CcrHash, block::Block, hash::sigma, prg::Prg};

/// Levels of the trees, and trees.
const D: usize = 6;
const TREES: usize = 400;

/// Mistakes in the generation of keys.
#[derive(Clone, Copy, PartialEq)]
enum Mistake {
    None,
    /// The control bit is a bit of the label that the label's correction covers too.
    S1,
    /// The payload's pad is the label itself.
    S2,
    /// Both sums of labels are opened.
    S4,
}

/// The public part of a key: label corrections and control corrections of each level, the sums that were opened, and the
/// payload's word.
struct Public {
    levels: Vec<(Block, [bool; 2], Option<[Block; 2]>)>,
    word: u64,
}

/// The paper's key generation (Alg 2, corrected) by a dealer who plays both parties.
fn generate(mistake: Mistake, alpha: usize, beta: u64, prg: &mut Prg) -> Public {
    let hashes = [CcrHash::new(Block(1)), CcrHash::new(Block(2)), CcrHash::new(Block(3))];
    let clear = |x: Block| if mistake == Mistake::S1 || mistake == Mistake::S2 { x } else { Block(x.0 & !1) };
    // A node: label and control bit.
    let mut nodes = [0, 1].map(|party| vec![(clear(prg.block()), party == 1)]);
    let mut levels = Vec::new();
    for level in 0..D {
        let children = nodes.each_ref().map(|nodes| {
            let child = |&(s, _): &(Block, bool), side: usize| {
                let x = hashes[side].one(s);
                (clear(x), x.lsb())
            };
            nodes.iter().flat_map(|node| [child(node, 0), child(node, 1)]).collect::<Vec<_>>()
        });
        let sums = [0, 1].map(|side| {
            let all = children.iter().flat_map(|c| c.iter().skip(side).step_by(2));
            all.fold((Block::ZERO, false), |sum, x| (sum.0 ^ x.0, sum.1 ^ x.1))
        });
        let a = alpha >> (D - 1 - level) & 1;
        let sigma = sums[1 - a].0;
        let tau = [sums[0].1 ^ (a == 0), sums[1].1 ^ (a == 1)];
        for (nodes, children) in nodes.iter_mut().zip(children) {
            *nodes = children
                .iter()
                .enumerate()
                .map(|(i, &(s, t))| {
                    let up = nodes[i / 2].1;
                    if up { (s ^ sigma, t ^ tau[i % 2]) } else { (s, t) }
                })
                .collect();
        }
        levels.push((sigma, tau, (mistake == Mistake::S4).then(|| sums.map(|sum| sum.0))));
    }
    let pad = |x: Block| if mistake == Mistake::S2 { x.0 as u64 } else { hashes[2].one(x).0 as u64 };
    let [w0, w1] = nodes.each_ref().map(|n| n.iter().fold(0u64, |sum, x| sum.wrapping_add(pad(x.0))));
    let word = beta.wrapping_sub(w0).wrapping_add(w1);
    Public { levels, word: if nodes[0][alpha].1 { word } else { word.wrapping_neg() } }
}

/// How often a predictor of a bit that says something is right, and how often it says something.
fn score(
    mistake: Mistake,
    predict: impl Fn(&Public, usize) -> Option<bool>,
    truth: impl Fn(usize, u64, usize) -> bool,
) -> (usize, usize) {
    let mut prg = Prg::new(Block(99));
    let (mut right, mut said) = (0, 0);
    for _ in 0..TREES {
        let (alpha, beta) = (prg.block().0 as usize % (1 << D), prg.block().0 as u64);
        let public = generate(mistake, alpha, beta, &mut prg);
        for level in 0..D {
            if let Some(bit) = predict(&public, level) {
                said += 1;
                right += usize::from(bit == truth(alpha, beta, level));
            }
        }
    }
    (right, said)
}

/// Half of them, within five deviations.
fn assert_guessed(what: &str, (right, said): (usize, usize)) {
    let off = (right as f64 - said as f64 / 2.0).abs() / (said as f64).sqrt() * 2.0;
    assert!(said > 0 && off < 5.0, "{what}: {right} of {said}");
}

#[test]
fn predictors_win_where_the_mistake_is_made() {
    let turn = |alpha: usize, _: u64, level: usize| alpha >> (D - 1 - level) & 1 == 1;
    let s1 = |p: &Public, level: usize| {
        let (sigma, tau, _) = p.levels[level];
        (tau[0] != tau[1]).then(|| sigma.lsb() == tau[0])
    };
    let (right, said) = score(Mistake::S1, s1, turn);
    assert!(right == said && said > TREES * D / 3, "S1: {right} of {said}");
    assert_guessed("S1, not made", score(Mistake::None, s1, turn));
    // In the lowest bit the labels at the end of the path differ as the public corrections of control bits say.
    let lowest = |_: usize, beta: u64, _: usize| beta & 1 == 1;
    let s2 = |p: &Public, level: usize| {
        let [left, right] = p.levels[level].1;
        (level == D - 1).then_some((p.word & 1 == 1) ^ (left == right))
    };
    let (right, said) = score(Mistake::S2, s2, lowest);
    assert!(right == said && said == TREES, "S2: {right} of {said}");
    assert_guessed("S2, not made", score(Mistake::None, s2, lowest));
    let s4 = |p: &Public, level: usize| p.levels[level].2.map(|sums| p.levels[level].0 == sums[0]);
    let (right, said) = score(Mistake::S4, s4, turn);
    assert!(right == said && said == TREES * D, "S4: {right} of {said}");
}

/// The corrections of both parties' keys: a bit of a level's correction says nothing about the position, and the
/// lowest bit of the payload's correction nothing about the payload.
#[test]
fn corrections_of_these_keys_say_nothing() {
    const HEAD: usize = 48;
    const HEIGHT: usize = 7;
    const KEYS: usize = 2000;
    let run = |p: &mut Party| -> Result<(Vec<u32>, Vec<u8>, Vec<u8>)> {
        let keys = Dpf::<Xor, Bitwise>::prepare_bit(p, 14, KEYS)?;
        let beta = words::<Additive>(p.role(), 64, (0..KEYS as u64).map(|i| i & 1).collect());
        let paid = Dpf::<Xor, Additive>::prepare(p, 3, &[beta])?;
        Ok((keys.offset().words().to_vec(), keys.encode().to_vec(), paid.encode().to_vec()))
    };
    let ((first, bytes, paid), (second, other, other_paid)) = both(pair(0x51, None), run);
    let block =
        |bytes: &[u8], at: usize| u128::from_le_bytes(bytes[at..at + 16].try_into().expect("a block"));
    // Behind the head: positions, a hash key, roots, and the words of each level.
    let from = HEAD + (14 * KEYS).div_ceil(8) + 16 + 16 * KEYS;
    for level in 0..HEIGHT {
        let words: Vec<u128> = (0..KEYS).map(|i| block(&bytes, from + 16 * (level * KEYS + i))).collect();
        assert!((0..KEYS).all(|i| words[i] == block(&other, from + 16 * (level * KEYS + i))), "public");
        for bit in [0, 1, 2, 64, 127] {
            let position = |i: usize| (first[i] ^ second[i]) >> (13 - level) & 1;
            let right = (0..KEYS).filter(|&i| (words[i] >> bit) as u32 & 1 == position(i)).count();
            assert_guessed(&format!("bit {bit} of level {level}"), (right, KEYS));
        }
    }
    // Two levels, and then a hash key and the leaves' words.
    let from = HEAD + (3 * KEYS).div_ceil(8) + 16 + 16 * KEYS + 2 * 16 * KEYS + 16;
    let words: Vec<u128> = (0..KEYS).map(|i| block(&paid, from + 16 * i)).collect();
    assert!((0..KEYS).all(|i| words[i] == block(&other_paid, from + 16 * i)), "public");
    for bit in [0, 64] {
        let right = (0..KEYS).filter(|&i| (words[i] >> bit) as usize & 1 == i & 1).count();
        assert_guessed(&format!("bit {bit} of the payload's word"), (right, KEYS));
    }
}

/// `x` under the inverse of AES-128, by the inverse cipher of FIPS 197.
fn aes_inverse(key: Block, x: Block) -> Block {
    let double = |x: u8| x << 1 ^ if x >> 7 == 1 { 0x1b } else { 0 };
    let times = |mut x: u8, mut y: u8| {
        let mut product = 0;
        while y > 0 {
            product ^= if y & 1 == 1 { x } else { 0 };
            (x, y) = (double(x), y >> 1);
        }
        product
    };
    // The S-box: inverse (the power of 254), and the affine map.
    let inverse = |x: u8| (0..253).fold(x, |power, _| times(power, x));
    let sbox: Vec<u8> =
        (0..=255).map(|x| (0..5).fold(0x63, |sum, i| sum ^ inverse(x).rotate_left(i))).collect();
    let mut back = [0u8; 256];
    sbox.iter().enumerate().for_each(|(x, &y)| back[usize::from(y)] = x as u8);
    let mut keys = vec![key.0.to_le_bytes()];
    let mut constant = 1;
    for round in 0..10 {
        let last = keys[round];
        let mut next = [0; 16];
        for i in 0..16 {
            let before = match i {
                0..4 => sbox[usize::from(last[12 + (i + 1) % 4])] ^ if i == 0 { constant } else { 0 },
                _ => next[i - 4],
            };
            next[i] = last[i] ^ before;
        }
        constant = double(constant);
        keys.push(next);
    }
    let add = |x: [u8; 16], key: &[u8; 16]| std::array::from_fn(|i| x[i] ^ key[i]);
    // Rows turned back, and the S-box back.
    let rows =
        |x: [u8; 16]| std::array::from_fn::<u8, 16, _>(|i| back[usize::from(x[(i + 16 - 4 * (i % 4)) % 16])]);
    let mut x = add(x.0.to_le_bytes(), &keys[10]);
    for round in (0..10).rev() {
        x = add(rows(x), &keys[round]);
        if round > 0 {
            let column = x;
            let mixed = |i: usize| {
                let of = |j: usize, by: u8| times(column[i / 4 * 4 + (i + j) % 4], by);
                of(0, 14) ^ of(1, 11) ^ of(2, 13) ^ of(3, 9)
            };
            x = std::array::from_fn(mixed);
        }
    }
    Block(u128::from_le_bytes(x))
}

/// `y` with `sigma(y) = x`.
fn sigma_inverse(x: Block) -> Block {
    let (high, low) = (x.0 >> 64, x.0 & u128::from(u64::MAX));
    Block(low << 64 | (high ^ low))
}

/// S3: what a party finds as Delta from its root, the correction of the first level and the key of the hash, if the
/// hash is `pi(x) ^ x`.
fn delta_by_inversion(key: Block, hashed: Block, root: Block, correction: Block) -> Block {
    aes_inverse(key, correction ^ hashed ^ root) ^ root
}

#[test]
fn delta_is_found_where_the_hash_is_a_permutation() {
    let mut prg = Prg::new(Block(77));
    let key = prg.block();
    let hash = CcrHash::new(key);
    // The hash at the preimage under sigma is pi(x) ^ x.
    let mistaken = |x: Block| hash.one(sigma_inverse(x));
    for _ in 0..50 {
        let x = prg.block();
        assert_eq!(sigma(sigma_inverse(x)), x);
        assert_eq!(aes_inverse(key, mistaken(x) ^ x), x, "the inverse of AES");
        let (delta, root) = (prg.block(), prg.block());
        for turn in [false, true] {
            let of = |hash: &dyn Fn(Block) -> Block| {
                let term = if turn { Block::ZERO } else { delta };
                delta_by_inversion(key, hash(root), root, hash(root) ^ hash(root ^ delta) ^ term)
            };
            assert_eq!(of(&mistaken) == delta, !turn, "at every turn to the left");
            assert_ne!(of(&|x| hash.one(x)), delta);
        }
    }
    // This library's keys, and the hash that they are made with.
    const KEYS: usize = 64;
    let run = |p: &mut Party| Ok(Dpf::<Xor, Bitwise>::prepare_bit(p, 9, KEYS)?.encode().to_vec());
    let (own, other) = both(pair(0x53, None), run);
    let block =
        |bytes: &[u8], at: usize| Block(u128::from_le_bytes(bytes[at..at + 16].try_into().expect("16")));
    let from = 48 + (9 * KEYS).div_ceil(8);
    let key = block(&own, from);
    let delta = block(&own, from + 16) ^ block(&other, from + 16);
    for i in 0..KEYS {
        let at = |place: usize| from + 16 + 16 * (place * KEYS + i);
        let (root, correction) = (block(&own, at(0)), block(&own, at(1)));
        assert_eq!(root ^ block(&other, at(0)), delta, "one difference");
        let found = delta_by_inversion(key, CcrHash::new(key).one(root), root, correction);
        assert_ne!(found, delta, "key {i}");
    }
}

/// S4: a level of a tree opens one block.
#[test]
fn a_level_opens_one_block() {
    for d in 9..24 {
        let [less, more] = [d, d + 1].map(|d| Dpf::<Xor, Bitwise>::bit_bill(d).expect("a bill").offline.bits);
        assert_eq!([more[0] - less[0], more[1] - less[1]], [128; 2], "{d}");
    }
}
