//! Known answers: every kernel against vectors that `tools/vectors.py` computes without this crate.

use hushtable_prim::hash::sigma;
use hushtable_prim::lowmc::LowMc;
use hushtable_prim::lpn::{self, Encoder, FieldEncoder};
use hushtable_prim::{
    Aes128, Block, CcrHash, Kernel, Prg, Ring, Shift, gf64, ggm, low, pack, rows, transpose,
};
use serde_json::Value;

fn vectors(kind: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(include_str!("data/vectors.json")).unwrap();
    let cases = all[kind].as_array().unwrap().clone();
    assert!(!cases.is_empty(), "{kind}");
    cases
}

/// Runs `check` for every supported kernel and every vector of a kind.
fn for_each(kind: &str, check: impl Fn(Kernel, &Value)) {
    assert!(Kernel::supported().contains(&Kernel::Portable));
    for case in vectors(kind) {
        for kernel in Kernel::supported() {
            check(kernel, &case);
        }
    }
}

fn bytes(hex: &Value) -> Vec<u8> {
    let hex = hex.as_str().unwrap();
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn block(hex: &Value) -> Block {
    Block(u128::from_le_bytes(bytes(hex).try_into().unwrap()))
}

fn blocks(list: &Value) -> Vec<Block> {
    list.as_array().unwrap().iter().map(block).collect()
}

fn hash(kernel: Kernel, case: &Value) -> CcrHash {
    CcrHash::with_kernel(block(&case["key"]), kernel)
}

/// The others are compared only where they are supported, so that must be right.
#[test]
fn kernels_are_used_where_the_processor_has_them() {
    #[cfg(target_arch = "x86_64")]
    let expected =
        [(Kernel::AesNi, std::is_x86_feature_detected!("aes") && std::is_x86_feature_detected!("pclmulqdq"))];
    #[cfg(target_arch = "aarch64")]
    let expected = [(Kernel::Neon, std::arch::is_aarch64_feature_detected!("aes"))];
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let expected = [(Kernel::Portable, true)];
    for (kernel, has) in expected {
        assert_eq!(Kernel::supported().contains(&kernel), has, "{kernel:?}");
    }
}

#[test]
fn aes() {
    for_each("aes", |kernel, case| {
        // H(x) = AES(sigma(x)) ^ sigma(x), so AES(y) = H(x) ^ y for the x with sigma(x) = y
        let y = block(&case["plain"]);
        let (left, right) = (y.0 >> 64, y.0 & u128::from(u64::MAX));
        let x = Block(right << 64 | (left ^ right));
        assert_eq!(sigma(x), y);
        assert_eq!(hash(kernel, case).one(x) ^ y, block(&case["cipher"]), "{kernel:?}");
        let mut blocks = [y; 37];
        Aes128::with_kernel(block(&case["key"]), kernel).encrypt(&mut blocks);
        assert_eq!(blocks, [block(&case["cipher"]); 37], "{kernel:?}");
    });
}

/// Instances and blocks; the first one is published with Picnic.
#[test]
fn lowmc() {
    for of in vectors("lowmc") {
        let number = |name: &str| of[name].as_u64().unwrap() as usize;
        let cipher = LowMc::new(number("boxes"), number("rounds"));
        for case in of["cases"].as_array().unwrap() {
            let keys = cipher.round_keys(block(&case["key"]));
            let (plain, want) = (block(&case["plain"]).0, block(&case["cipher"]).0);
            // The block at two places, beside others.
            for (width, places) in [(1, [0, 63]), (3, [7, 150]), (9, [64, 575])] {
                let bit = |x: u128, i: usize, at: usize| ((x >> i & 1) as u64) << (at % 64);
                let mut planes: Vec<u64> =
                    (0..128 * width as u64).map(|i| i.wrapping_mul(0x9e37_79b9)).collect();
                for (i, plane) in planes.chunks_mut(width).enumerate() {
                    places.iter().for_each(|&at| {
                        plane[at / 64] = plane[at / 64] & !(1 << (at % 64)) | bit(plain, i, at)
                    });
                }
                cipher.encrypt(&keys, &mut planes, width);
                for at in places {
                    let found = |i: usize| u128::from(planes[i * width + at / 64] >> (at % 64) & 1) << i;
                    assert_eq!((0..128).map(found).sum::<u128>(), want, "{width} words, place {at}");
                }
            }
        }
    }
}

#[test]
fn ccr_hash() {
    for_each("hash", |kernel, case| {
        let hash = hash(kernel, case);
        let xs = blocks(&case["x"]);
        assert_eq!(xs.iter().map(|&x| sigma(x)).collect::<Vec<_>>(), blocks(&case["sigma"]));
        let mut out = xs.clone();
        hash.in_place(&mut out);
        assert_eq!(out, blocks(&case["h"]), "{kernel:?} {}", xs.len());
        hash.xored(&xs, block(&case["tweak"]), &mut out);
        assert_eq!(out, blocks(&case["h_tweaked"]), "{kernel:?} {}", xs.len());
    });
}

#[test]
fn prg() {
    for_each("prg", |kernel, case| {
        let expected = blocks(&case["blocks"]);
        let mut out = vec![Block::ZERO; expected.len()];
        Prg::with_kernel(block(&case["seed"]), kernel).blocks(&mut out);
        assert_eq!(out, expected, "{kernel:?}");
    });
}

fn packs<R: Ring>(case: &Value) {
    let words = |name: &str| -> Vec<R> {
        let words = case[name].as_array().unwrap().iter();
        words.map(|word| R::from_u64(u64::from_str_radix(word.as_str().unwrap(), 16).unwrap())).collect()
    };
    let bits = case["bits"].as_u64().unwrap() as u32;
    if bits > R::WIDTH {
        return;
    }
    let (full, expected) = (words("words"), words("low"));
    assert!(full.iter().zip(&expected).all(|(w, e)| low(w.to_u64(), bits) == e.to_u64()));
    let mut packed = Vec::new();
    pack::pack(&full, bits, &mut packed);
    assert_eq!(packed, bytes(&case["bytes"]), "{bits}");
    let mut back = vec![R::default(); full.len()];
    pack::unpack(&packed, bits, &mut back);
    assert_eq!(back, expected, "{bits}");
}

#[test]
fn packing() {
    let cases = vectors("pack");
    assert_eq!(cases.len(), 64, "every width");
    for case in cases {
        packs::<u8>(&case);
        packs::<u16>(&case);
        packs::<u32>(&case);
        packs::<u64>(&case);
    }
}

#[test]
fn transposition() {
    for case in vectors("transpose") {
        let columns: Vec<u8> = case["columns"].as_array().unwrap().iter().flat_map(bytes).collect();
        let columns: Vec<Block> =
            columns.as_chunks().0.iter().map(|chunk| Block(u128::from_le_bytes(*chunk))).collect();
        let mut rows = vec![Block::ZERO; columns.len()];
        transpose::transpose128(&columns, &mut rows);
        assert_eq!(rows, blocks(&case["rows"]));
    }
}

#[test]
fn tree_expansion() {
    for_each("tree", |kernel, case| {
        let q = blocks(&case["q"]);
        let mut leaves = vec![Block::ONE; 1 << q.len()];
        let mut corrections = vec![Block::ONE; q.len() - 1];
        ggm::expand(&hash(kernel, case), block(&case["delta"]), &q, &mut leaves, &mut corrections);
        assert_eq!(leaves, blocks(&case["leaves"]), "{kernel:?} {}", q.len());
        assert_eq!(corrections, blocks(&case["corrections"]), "{kernel:?} {}", q.len());
    });
}

#[test]
fn tree_puncturing() {
    for_each("tree", |kernel, case| {
        let hash = hash(kernel, case);
        let puncture = |corrections: &Value| {
            let t = blocks(&case["t"]);
            let mut leaves = vec![Block::ONE; 1 << t.len()];
            let alpha = ggm::puncture(&hash, &t, &blocks(corrections), &mut leaves);
            assert_eq!(u64::from(alpha), case["alpha"].as_u64().unwrap());
            leaves
        };
        let good = puncture(&case["corrections"]);
        assert_eq!(good, blocks(&case["punctured"]), "{kernel:?}");
        // One flipped bit in any correction gives other leaves than the sender's, and which ones is determined.
        for bad in case["bad"].as_array().unwrap() {
            let leaves = puncture(&bad["corrections"]);
            assert_eq!(leaves, blocks(&bad["punctured"]), "{kernel:?}");
            assert_ne!(leaves, good);
        }
    });
}

#[test]
fn row_sums() {
    for_each("rows", |kernel, case| {
        let group = match case["group"].as_str().unwrap() {
            "cyclic" => Shift::Cyclic,
            "xor" => Shift::Xor,
            other => panic!("{other}"),
        };
        let mut leaves = blocks(&case["leaves"]);
        let n = leaves.len();
        let sums = |leaves: &[Block]| {
            let mut sums = [vec![u64::MAX; n.div_ceil(64)], vec![u64::MAX; n.div_ceil(64)]];
            let [r, a] = &mut sums;
            rows::sum_rows(&hash(kernel, case), group, leaves, r, a);
            sums.map(|sum| sum.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>())
        };
        let padded = |name: &str| {
            let mut row = bytes(&case[name]);
            row.resize(8 * n.div_ceil(64), 0);
            row
        };
        assert_eq!(sums(&leaves), ["r", "a"].map(padded), "{kernel:?} {group:?} {n}");
        leaves[case["alpha"].as_u64().unwrap() as usize] = Block::ZERO;
        assert_eq!(sums(&leaves), ["r_punctured", "a_punctured"].map(padded), "{kernel:?} {group:?} {n}");
    });
}

#[test]
fn lpn_rows() {
    for_each("lpn", |kernel, case| {
        let log2_k = case["log2_k"].as_u64().unwrap() as u32;
        let mut table = vec![Block::ZERO; 1 << log2_k];
        Prg::with_kernel(block(&case["table_seed"]), kernel).blocks(&mut table);
        let noise = blocks(&case["noise"]);
        let mut out = noise.clone();
        let encoder = Encoder::with_kernel(block(&case["key"]), log2_k, kernel);
        encoder.encode(case["first_row"].as_u64().unwrap(), &table, &mut out);
        for (i, row) in case["rows"].as_array().unwrap().iter().enumerate() {
            let row = row.as_array().unwrap();
            assert_eq!(row.len(), lpn::WEIGHT);
            let sum = row.iter().fold(noise[i], |sum, j| sum ^ table[j.as_u64().unwrap() as usize]);
            assert_eq!(out[i], sum, "{kernel:?} row {i}");
        }
        assert_eq!(out, blocks(&case["encoded"]), "{kernel:?} {log2_k}");
    });
}

fn words(list: &Value) -> Vec<u64> {
    list.as_array().unwrap().iter().map(|x| u64::from_str_radix(x.as_str().unwrap(), 16).unwrap()).collect()
}

#[test]
fn lpn_rows_over_the_field() {
    for_each("lpn_field", |kernel, case| {
        let log2_k = case["log2_k"].as_u64().unwrap() as u32;
        let seeds = blocks(&case["table_seeds"]);
        let [table, other] = [seeds[0], seeds[1]].map(|seed| {
            let mut table = vec![Block::ZERO; 1 << log2_k];
            Prg::with_kernel(seed, kernel).blocks(&mut table);
            table
        });
        let both: Vec<_> = table.iter().zip(other).map(|(&pair, word)| [pair, word]).collect();
        let (keys, first) = (blocks(&case["keys"]), case["first_row"].as_u64().unwrap());
        let encoder = FieldEncoder::with_kernel(keys[0], keys[1], log2_k, kernel);
        let mut out = [blocks(&case["noise"]), blocks(&case["noise"])];
        let mut out_words = vec![0; out[0].len()];
        encoder.encode(first, &table, &mut out[0]);
        encoder.encode_both(first, &both, &mut out[1], &mut out_words);
        let encoded = blocks(&case["encoded"]);
        assert!(out[0] == encoded && out[1] == encoded, "{kernel:?} {log2_k}");
        assert_eq!(out_words, words(&case["words"]), "{kernel:?} {log2_k}");
    });
}

/// On the active kernel; the others are compared with the definition where they are.
#[test]
fn field() {
    for case in vectors("field") {
        let [a, b, product, inverse] = ["a", "b", "product", "inverse"].map(|name| words(&case[name]));
        let mut out = a.clone();
        gf64::mul(&mut out, &b);
        assert_eq!(out, product);
        let mut out = vec![5; a.len()];
        gf64::mul_add(&mut out, &a, &b);
        assert!(out.iter().zip(&product).all(|(x, y)| x ^ 5 == *y));
        let mut out = a.clone();
        gf64::invert_all(&mut out);
        assert_eq!(out, inverse);
        let v = blocks(&case["v"]);
        assert_eq!(gf64::inner(&a, &v), block(&case["inner"]));
        let mut out = vec![Block::ZERO; a.len()];
        gf64::scale_pair_add(&mut out, &a, v[0]);
        assert_eq!(out, blocks(&case["scaled"]));
    }
    // 64 correlated OTs make a VOLE.
    for case in vectors("packed") {
        let powers: Vec<u64> = (0..64).map(|j| 1 << j).collect();
        let t = blocks(&case["t"]);
        assert_eq!(gf64::inner(&powers, &blocks(&case["q"])), block(&case["v"]));
        assert_eq!(gf64::inner(&powers, &t), block(&case["w"]));
        let a = t.iter().zip(0..).fold(0, |a, (t, j)| a | u64::from(t.lsb()) << j);
        let mut v = [block(&case["v"])];
        gf64::scale_pair_add(&mut v, &[a], block(&case["delta"]));
        assert!(
            a == u64::from_str_radix(case["a"].as_str().unwrap(), 16).unwrap() && v[0] == block(&case["w"])
        );
    }
}
