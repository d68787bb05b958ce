//! Against the definition, on every kernel.

use super::*;
use crate::Prg;

fn seeds(k: u32) -> Wiped<Block> {
    let mut seeds = Wiped::zeros((128 / k as usize) << k);
    Prg::new(Block(k.into())).blocks(&mut seeds);
    seeds
}

/// The streams' bits `from .. from + words` in blocks, straight from the definition: strings, totals XOR choices.
fn plain(k: u32, from: usize, words: usize) -> (Vec<Block>, Vec<Block>) {
    let (seeds, k) = (seeds(k), k as usize);
    let (mut columns, mut totals) = (vec![vec![Block::ZERO; words]; 128], Vec::new());
    for (g, seeds) in seeds.chunks_exact(1 << k).enumerate() {
        let mut total = vec![Block::ZERO; words];
        for (x, &seed) in seeds.iter().enumerate() {
            let mut stream = vec![Block::ZERO; from + words];
            Prg::new(seed).blocks(&mut stream);
            for (i, &bits) in stream[from..].iter().enumerate() {
                total[i] ^= bits;
                (0..k).filter(|j| x >> j & 1 == 1).for_each(|j| columns[g * k + j][i] ^= bits);
            }
        }
        totals.push(total);
    }
    let choices = totals.remove(0);
    columns[0].clone_from(&choices);
    let string =
        |i: usize| (0..128).fold(0, |x, c| x | u128::from(columns[c][i / 128].bit(i as u32 % 128)) << c);
    let strings = (0..128 * words).map(|i| Block(string(i))).collect();
    let message = totals.iter().flat_map(|t| t.iter().zip(&choices).map(|(&t, &b)| t ^ b)).collect();
    (strings, message)
}

/// What the sender has of the receiver's streams: permuted by its bits, and not number 0.
fn senders(k: u32, delta: Block) -> Vec<Block> {
    let of = seeds(k);
    let place = |g: usize| (delta.0 >> (g * k as usize)) as usize & ((1 << k) - 1);
    let stream = |i: usize| of[i >> k << k | ((i & ((1 << k) - 1)) ^ place(i >> k))];
    (0..of.len()).map(|i| if i & ((1 << k) - 1) == 0 { Block(77) } else { stream(i) }).collect()
}

#[test]
fn strings_follow_the_definition_on_every_kernel() {
    let kernels = Kernel::supported();
    for k in [1, 2, 4, 8] {
        // at the edges of vectors and of a tile
        for words in [0, 1, 2, 3, 4, 5, 8, 9, 15, 16, 17, 33] {
            let expected = [plain(k, 1, words), plain(k, 1 + words, 2)];
            for &kernel in kernels.iter().filter(|&&kernel| kernel != Kernel::Portable || words < 10) {
                let mut streams = Streams::with_kernel(k, &seeds(k), kernel);
                streams.blocks();
                for (words, expected) in [words, 2].into_iter().zip(&expected) {
                    let mut strings = vec![Block::ONE; 128 * words];
                    let mut message = vec![1; 16 * (128 / k as usize - 1) * words];
                    streams.receive(&mut strings, &mut message);
                    assert_eq!(strings, expected.0, "{kernel:?} {k} {words}");
                    let expected: &[u8] = bytemuck::cast_slice(&expected.1);
                    assert_eq!(message, expected, "{kernel:?} {k} {words}");
                }
            }
        }
    }
}

/// `t = q ^ b * delta`, with messages of many lengths one after the other.
#[test]
fn both_sides_are_correlated_on_every_kernel() {
    let delta = Block(0x1234_5678_9abc_def0_0fed_cba9_8765_4321);
    for kernel in Kernel::supported() {
        for k in [1, 2, 4, 8] {
            let mut receiver = Streams::new(k, &seeds(k));
            let mut sender = Streams::with_kernel(k, &senders(k, delta), kernel);
            for words in [1, 7, 16, 3, 17, 0, 2] {
                let (mut t, mut q) = (vec![Block::ZERO; 128 * words], vec![Block::ONE; 128 * words]);
                let mut message = vec![Block::ZERO; (128 / k as usize - 1) * words];
                receiver.receive(&mut t, bytemuck::cast_slice_mut(&mut message));
                sender.send(delta, &message, &mut q);
                for (t, q) in t.iter().zip(&q) {
                    assert!(!q.lsb(), "the lowest bit of q");
                    assert_eq!(*t, *q ^ (Block::mask(t.lsb()) & delta), "{kernel:?} {k} {words}");
                }
            }
        }
    }
}

#[test]
fn blocks_are_the_streams_next() {
    for kernel in Kernel::supported() {
        let mut streams = Streams::with_kernel(2, &seeds(2), kernel);
        for at in 0..3 {
            let next = streams.blocks();
            for (next, &seed) in next.iter().zip(seeds(2).iter()) {
                let mut stream = [Block::ZERO; 3];
                Prg::new(seed).blocks(&mut stream);
                assert_eq!(*next, stream[at], "{kernel:?}");
            }
        }
    }
}

#[test]
#[should_panic(expected = "message")]
fn a_short_message() {
    Streams::new(1, &seeds(1)).send(Block::ONE, &[Block::ZERO; 126], &mut [Block::ZERO; 128]);
}
