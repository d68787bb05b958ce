//! Terms: their bytes are fixed, and what differs has different ones.

use std::collections::HashSet;

use hushtable::terms::{Terms, Value};

use crate::layers::{sources_of, without_comments};

fn products() -> Terms {
    let part = Terms::of("part").with("bits", 8u32);
    Terms::of("products")
        .with("widths", &[8u32, 64][..])
        .with("least", -3i64)
        .with("digest", Value::Bytes(vec![0xab, 1]))
        .with("part", part)
}

#[test]
fn the_bytes_are_these() {
    let terms = Terms::of("ab").with("c", 258u32).with("d", &["e"][..]);
    let mut want = vec![1, 2, 0, 0, 0, 0, 0, 0, 0, b'a', b'b'];
    want.extend([1, 1, 0, 0, 0, 0, 0, 0, 0, b'c']);
    want.extend([0, 16, 0, 0, 0, 0, 0, 0, 0, 2, 1]);
    want.extend([0; 14]);
    want.extend([1, 1, 0, 0, 0, 0, 0, 0, 0, b'd']);
    want.extend([3, 10, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 0, b'e']);
    assert_eq!(terms.bytes(), want);
    let digest = products().digest().to_hex();
    assert_eq!(&digest[..32], "50232cbddd3e17778c0f62838d017ccd", "the digest of {}", products());
}

#[test]
fn what_differs_has_other_bytes() {
    let nested = Terms::of("a").with("b", Terms::of("c").with("d", 1u32));
    let all = [
        Terms::of(""),
        Terms::of("a"),
        Terms::of("ab"),
        Terms::of("a").with("b", 1u32),
        Terms::of("a").with("b", 1u32).with("d", 1u32),
        Terms::of("a").with("d", 1u32).with("b", 1u32),
        Terms::of("a").with("b", "1"),
        Terms::of("a").with("b", Value::Bytes(b"1".to_vec())),
        Terms::of("a").with("b", &[1u32][..]),
        Terms::of("a").with("b", &[1u32, 1][..]),
        Terms::of("a").with("b", Value::List(vec![(&[1u32, 1][..]).into()])),
        Terms::of("a").with("b", Value::List(vec![(&[1u32][..]).into(), (&[1u32][..]).into()])),
        Terms::of("a").with("b", -1i64),
        Terms::of("a").with("b", u64::MAX),
        Terms::of("a").with("b", "c").with("d", 1u32),
        Terms::of("a").with("b", Terms::of("c")).with("d", 1u32),
        nested,
        products(),
    ];
    assert_eq!(all.iter().map(Terms::bytes).collect::<HashSet<_>>().len(), all.len());
    assert_eq!(all.iter().map(Terms::digest).collect::<HashSet<_>>().len(), all.len());
}

#[test]
fn people_read_names_and_values() {
    assert_eq!(
        products().to_string(),
        "products; widths [8, 64]; least -3; digest ab01; part (part; bits 8)"
    );
}

/// A field that gets another name would change a digest, a header or what the peer compares.
#[test]
fn no_debug_text_is_compared_announced_hashed_or_written_in_a_header() {
    let sources = ["hushtable", "apps", "jobs", "cli"].map(|name| sources_of(&format!("crates/{name}")));
    let found: Vec<_> = sources.iter().flatten().flat_map(|(file, text)| debug_text(file, text)).collect();
    assert_eq!(found, [""; 0]);
}

#[test]
fn the_rule_sees_debug_text() {
    let found = |text: &str| debug_text("a.rs", text);
    assert_eq!(found("fn f(p: &P) { p.announce(&format!(\"a {x:?}\")) }"), ["a.rs: f"]);
    assert_eq!(
        found("fn f() { s.announce(&g(1)) }\nfn g(x: u32) -> String { format!(\"{:?}\", x) }"),
        ["a.rs: g"]
    );
    assert_eq!(found("fn f() { blake3::hash(format!(\"{x:?}\").as_bytes()) }"), ["a.rs: f"]);
    assert_eq!(found("fn to_bytes(&self) { to.text(&format!(\"{:#?}\", self.x)) }"), ["a.rs: to_bytes"]);
    assert_eq!(
        found("fn fields(&self) -> Fields { vec![(\"a\", format!(\"{:?}\", self.x))] }"),
        ["a.rs: fields"]
    );
    assert_eq!(
        found("fn terms(x: &X) -> Terms { Terms::of(\"a\").with(\"x\", format!(\"{x:?}\")) }"),
        ["a.rs: terms"]
    );
    assert_eq!(
        found("fn f() { p.announce(\"a\") }\nfn g() { panic!(\"{x:?}\") }"),
        [""; 0],
        "another function"
    );
    assert_eq!(
        found("fn f() { hash.update(b) }\n#[cfg(test)]\nmod tests { fn g() { hash(format!(\"{x:?}\")) } }"),
        [""; 0]
    );
}

/// The functions that tell, hash or write `Debug` text, by file and name.
fn debug_text(file: &str, text: &str) -> Vec<String> {
    let code = without_comments(text.split("#[cfg(test)]\nmod tests {").next().expect("a first part"));
    let told: Vec<_> =
        code.match_indices("announce(&").map(|(at, start)| word(&code[at + start.len()..])).collect();
    let tells = |name: &str, body: &str| {
        let hashes =
            ["announce(", "blake3::", "hash.update(", "Terms::of("].iter().any(|call| body.contains(call));
        hashes || ["fields", "to_bytes", "header"].contains(&name) || told.contains(&name)
    };
    let functions = code.split("fn ").skip(1).map(|function| (word(function), function));
    let wrong = functions.filter(|(name, body)| tells(name, body) && body.contains("?}"));
    wrong.map(|(name, _)| format!("{file}: {name}")).collect()
}

/// The first name.
fn word(text: &str) -> &str {
    text.split(|c: char| !c.is_alphanumeric() && c != '_').next().expect("a first part")
}
