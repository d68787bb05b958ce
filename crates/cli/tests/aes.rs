//! `aes`: NIST SP 800-38A, every engine, both modes, files that are refused and parties that differ.

use std::fs;

use crate::common::{Done, Site};

/// The four blocks of SP 800-38A, and its first counter block.
const BLOCKS: &str = "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51\
                      30c81c46a35ce411e5fbc1191a0a52eff69f2445df4f9b17ad2b417be66c3710";
const COUNTER: &str = "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff";

/// Its keys, and F.1 and F.5: the blocks by each mode.
const VECTORS: [[&str; 3]; 3] = [
    [
        "2b7e151628aed2a6abf7158809cf4f3c",
        "3ad77bb40d7a3660a89ecaf32466ef97f5d3d58503b9699de785895a96fdbaaf\
         43b1cd7f598ece23881b00e3ed0306887b0c785e27e8ad3f8223207104725dd4",
        "874d6191b620e3261bef6864990db6ce9806f66b7970fdff8617187bb9fffdff\
         5ae4df3edbd5d35e5b4f09020db03eab1e031dda2fbe03d1792170a0f3009cee",
    ],
    [
        "8e73b0f7da0e6452c810f32b809079e562f8ead2522c6b7b",
        "bd334f1d6e45f25ff712a214571fa5cc974104846d0ad3ad7734ecb3ecee4eef\
         ef7afd2270e2e60adce0ba2face6444e9a4b41ba738d6c72fb16691603c18e0e",
        "1abc932417521ca24f2b0459fe7e6e0b090339ec0aa6faefd5ccc2c6f4ce8e94\
         1e36b26bd1ebc670d1bd1d665620abf74f78a7f6d29809585a97daec58c6b050",
    ],
    [
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "f3eed1bdb5d2a03c064b5a7e3db181f8591ccb10d410ed26dc5ba74a31362870\
         b6ed21b99ca6f4f9f153e7b1beafed1d23304b7a39f9f3ff067d8d8f9e24ecc7",
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5\
         2b0930daa23de94ce87017ba2d84988ddfc9c58db67aada613c2dd08457941a6",
    ],
];

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

const KEY: &str = "aes --key key.bin --insecure-plain-tcp";
const DATA: &str = "aes --input data.bin --output out.bin --force --insecure-plain-tcp";

/// With a key, as it is written, and data.
fn site(key: &str, data: &[u8]) -> Site {
    let site = Site::without_identities();
    fs::write(site.path("key.bin"), unhex(key)).unwrap();
    site.write("key.hex", &format!("{}\n", key.to_uppercase()));
    fs::write(site.path("data.bin"), data).unwrap();
    site
}

/// What comes out in hexadecimal digits, where the data's party listens.
fn out(site: &Site, data: &str, key: &str) -> String {
    let [data, key] = site.both(&format!("{DATA} {data}"), &format!("{KEY} {key}")).map(Done::ok);
    assert_eq!((data.stdout, key.stdout), (String::new(), String::new()));
    hex(&fs::read(site.path("out.bin")).unwrap())
}

#[test]
fn vectors_of_sp_800_38a() {
    for [key, ecb, ctr] in VECTORS {
        let site = site(key, &unhex(BLOCKS));
        let bits = 4 * key.len();
        let ecb_of = out(&site, &format!("--mode ecb --key-bits {bits}"), "--mode ecb");
        assert_eq!(ecb_of, ecb, "ECB, {bits} bits");
        assert_eq!(out(&site, &format!("--nonce {COUNTER}"), ""), ctr, "CTR, {bits} bits");
    }
}

#[test]
fn every_engine_gives_the_same() {
    let site = site(VECTORS[0][0], &unhex(BLOCKS));
    for engine in ["gmw", "gc", "gc-ahead", "splut", "lut", "lut:rotl", "lut:oplut", "lut:ottt"] {
        let engine = format!("--engine {engine}");
        let found = out(&site, &format!("--nonce {COUNTER} {engine}"), &engine);
        assert_eq!(found, VECTORS[0][2], "{engine}");
    }
}

/// Where who has the key listens, of hexadecimal digits, with several threads; and a part of a last block.
#[test]
fn data_of_any_length() {
    for len in [1, 15, 16, 17, 37] {
        let site = site(VECTORS[0][0], &unhex(BLOCKS)[..len]);
        let key = KEY.replace("--key key.bin", "--key-hex key.hex");
        let [key, data] = site.both(&key, &format!("{DATA} --nonce {COUNTER} --threads 2")).map(Done::ok);
        assert!(!key.stderr.contains("error") && data.stderr.contains("wrote"), "{data:?}");
        let found = fs::read(site.path("out.bin")).unwrap();
        assert_eq!(hex(&found), VECTORS[0][2][..2 * len], "{len} bytes");
    }
}

/// The counter after 2^128 - 1 is 0: the same blocks one by one.
#[test]
fn counters_begin_again() {
    let site = site(VECTORS[1][0], &[0; 40]);
    let nonce = "f".repeat(31) + "e";
    let counted = out(&site, &format!("--nonce {nonce}"), "");
    let blocks = nonce + &"f".repeat(32) + &"0".repeat(32);
    fs::write(site.path("data.bin"), unhex(&blocks)).unwrap();
    let by_block = out(&site, "--mode ecb", "--mode ecb");
    assert_eq!(counted, by_block[..80]);
}

#[test]
fn a_drawn_counter_stands_before_the_result() {
    let text = b"the first nonce is no second one";
    let site = site(VECTORS[2][0], text);
    let first = out(&site, "", "");
    let done = site.both(DATA, KEY).map(Done::ok);
    let second = fs::read(site.path("out.bin")).unwrap();
    assert_eq!((first.len() / 2, second.len()), (16 + text.len(), 16 + text.len()));
    assert_ne!(hex(&second)[..32], first[..32]);
    assert!(done[0].stderr.contains(&hex(&second[..16])), "{:?}", done[0]);
    assert!(!done[1].stderr.contains(&hex(&second[..16])), "{:?}", done[1]);
    fs::write(site.path("data.bin"), unhex(&first)).unwrap();
    assert_eq!(unhex(&out(&site, "--decrypt", "")), text);
    // The same by hand.
    fs::write(site.path("data.bin"), &unhex(&first)[16..]).unwrap();
    assert_eq!(unhex(&out(&site, &format!("--nonce {}", &first[..32]), "")), text);
}

#[test]
fn files_are_refused_by_length() {
    let site = site(VECTORS[0][0], &[7; 17]);
    let fails = |args: &str, code: i32, fragment: &str| {
        site.run(&format!("{args} --wait 5 --listen 127.0.0.1:0")).fails_with(code, fragment);
        assert!(!site.has("out.bin"), "{args}");
    };
    fails(
        &format!("{DATA} --mode ecb"),
        3,
        "data.bin: 17 bytes; accepted: a multiple of 16 bytes from 16 to",
    );
    fs::write(site.path("data.bin"), [7; 16]).unwrap();
    fails(&format!("{DATA} --decrypt"), 3, "data.bin: 16 bytes; accepted: 17 bytes, of which 16 are");
    fs::write(site.path("data.bin"), []).unwrap();
    fails(DATA, 3, "data.bin: 0 bytes; accepted: 1 byte to 1073741824 bytes (1 GiB)");
    fails(&DATA.replace("data.bin", "none.bin"), 3, "none.bin: ");
    for (len, fragment) in [
        (0, "a key of 0 bytes; accepted: 16, 24 or 32 bytes"),
        (15, "a key of 15 bytes"),
        (33, "a key of 33 bytes"),
        (300, "300 bytes; accepted: 16, 24 or 32 bytes"),
    ] {
        fs::write(site.path("key.bin"), vec![0x80; len]).unwrap();
        fails(KEY, 3, &format!("key.bin: {fragment}"));
    }
    // Digits where bytes should be, and the other way round.
    site.write("key.bin", VECTORS[0][0]);
    fails(
        KEY,
        3,
        "key.bin: 32 bytes, all of them hexadecimal digits; accepted: 16, 24 or 32 bytes; --key-hex",
    );
    for text in ["", "2b7e", &VECTORS[0][0][1..], &VECTORS[0][0].replace('2', "g"), "\u{e9}"] {
        site.write("key.hex", text);
        fails(
            &KEY.replace("--key key.bin", "--key-hex key.hex"),
            3,
            "accepted: 32, 48 or 64 hexadecimal digits",
        );
    }
    for (args, fragment) in [
        (format!("{DATA} --nonce 00"), "accepted: 32 hexadecimal digits"),
        (format!("{DATA} --mode ecb --decrypt"), "--decrypt needs --mode ctr"),
        (format!("{DATA} --mode ecb --nonce {COUNTER}"), "--nonce needs --mode ctr"),
        (format!("{DATA} --key-bits 127"), "accepted: 128, 192, 256"),
        (format!("{KEY} --output out.bin"), "--output is for the party with --input"),
        (format!("{KEY} --nonce {COUNTER}"), "--nonce is for the party with --input"),
        (DATA.replace("--output out.bin", ""), "--output FILE says where the results go"),
    ] {
        fs::write(site.path("data.bin"), [7; 16]).unwrap();
        fs::write(site.path("key.bin"), [7; 16]).unwrap();
        let done = site.run(&format!("{args} --wait 5 --listen 127.0.0.1:0"));
        assert!(done.code == 2 && done.stderr.contains(fragment), "{fragment:?} in {done:?}");
    }
}

#[test]
fn what_differs_ends_both() {
    let site = site(VECTORS[0][0], &[7; 16]);
    let fails = |data: &str, key: &str, code: i32, fragment: &str| {
        site.both(data, key).iter().for_each(|done| done.fails_with(code, fragment));
        assert!(!site.has("out.bin"), "{data} {key}");
    };
    fails(DATA, &format!("{KEY} --mode ecb"), 5, "mode");
    fails(DATA, &format!("{KEY} --engine gmw"), 5, "engine");
    fails(&format!("{DATA} --key-bits 256"), KEY, 5, "bits of the key");
    fails(&format!("{DATA} --threads 2"), &format!("{KEY} --threads 3"), 5, "threads");
    fails(KEY, KEY, 5, "both parties give a key");
    fails(DATA, &DATA.replace("out.bin", "other.bin"), 5, "both parties give data");
}

#[test]
fn keys_are_neither_shown_nor_replaced() {
    let site = site(VECTORS[2][0], &unhex(BLOCKS));
    let [data, key] =
        site.both(&format!("{DATA} --json"), &format!("{KEY} --record record.json --json")).map(Done::ok);
    let record = site.read("record.json");
    for text in [&data.stdout, &data.stderr, &key.stdout, &key.stderr, &record] {
        assert!(!text.to_lowercase().contains(&VECTORS[2][0][..8]), "{text}");
    }
    let record: serde_json::Value = serde_json::from_str(&record).unwrap();
    assert_eq!(record["inputs"], serde_json::json!([]), "no hash of a key");
    for (done, role) in [(&data, "P0"), (&key, "P1")] {
        let report: serde_json::Value = serde_json::from_str(&done.stdout).unwrap();
        let fields = ["kind", "mode", "role", "blocks", "key_bits"].map(|field| report[field].clone());
        assert_eq!(serde_json::json!(fields), serde_json::json!(["aes", "ctr", role, 4, 256]));
        assert!(report["online"]["rounds"].as_u64() > Some(0), "{report}");
    }
    let replacing = format!("{KEY} --record key.bin --force --wait 5 --listen 127.0.0.1:0");
    site.run(&replacing).fails_with(2, "key.bin: is the input file");
    site.run(&format!("{DATA} --wait 5 --listen 127.0.0.1:0").replace("out.bin", "data.bin"))
        .fails_with(2, "data.bin: is the input file");
    assert_eq!(fs::read(site.path("key.bin")).unwrap(), unhex(VECTORS[2][0]));
}

#[test]
fn a_dry_run_says_who_learns_what() {
    let site = site(VECTORS[1][0], &[7; 33]);
    let shows = |args: &str, parts: &[&str]| {
        let done = site.run(&format!("{args} --listen 127.0.0.1:0 --dry-run")).ok();
        let text = done.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
        parts.iter().for_each(|part| assert!(text.contains(part), "{part:?} in {text}"));
        assert!(!site.has("out.bin"));
    };
    shows(
        DATA,
        &[
            "AES, mode ctr: counters, which are XORed with the data here",
            "this party AES of each of its blocks, and how many bits the key has",
            "the peer how many blocks of 16 bytes there are",
            "for 3 blocks, if the key has 128 bits",
        ],
    );
    let switching = format!("{DATA} --key-bits 256 --engine splut");
    shows(&switching, &["AES-256", "for 3 blocks method form luts, lookups with switching roles"]);
    shows(
        KEY,
        &[
            "AES-192",
            "this party how many blocks of 16 bytes there are; nothing of data",
            "nothing here makes sure which blocks",
            "for 1000 blocks",
        ],
    );
}
