//! What is secret is not printed: every type that can be printed shows its shape, or holds nothing secret.

use std::{collections::BTreeSet, fs, path::Path};

use crate::support::pairs;
use crate::support::stores::{JOB, Site, plan};

use hushtable::{
    AShare, BShare, Party, Result, Role,
    arith::{Fixed, MatrixShape, ProductTriples},
    gates::{Bits, Triples},
    lut::{Protocol, SharedTables, arithmetic::Arithmetic, flute::Inputs},
    math::{Affine, Reciprocal, ReciprocalJob},
    net::Log,
    onehot::{Cyclic, OneHot, Xor},
};
use pairs::{both, pair};
use prim::{block::Block, prg::Prg};

/// Types whose printer is derived although they hold words: public ones.
const PUBLIC: &[&str] = &[
    "About",
    "Asked",
    "Bands",
    "Bill",
    "Chance",
    "By",
    "Card",
    "Compare",
    "Compile",
    "Crossed",
    "Cut",
    "CutGroups",
    "Description",
    "Dialect",
    "Effort",
    "Estimate",
    "GeluJob",
    "Prediction",
    "Room",
    "Figures",
    "Group",
    "GroupNoise",
    "GroupShape",
    "Hello",
    "Help",
    "InCommon",
    "JobFile",
    "Join",
    "JoinJob",
    "Kind",
    "Laplace",
    "Layout",
    "Limits",
    "List",
    "Lookup",
    "Moments",
    "Named",
    "NormJob",
    "OfCircuits",
    "Offer",
    "Once",
    "Options",
    "Order",
    "PaperTables",
    "Part",
    "Phase",
    "Plan",
    "Port",
    "Quantile",
    "Question",
    "Rates",
    "ReciprocalJob",
    "Request",
    "RootJob",
    "Rowing",
    "Run",
    "Series",
    "Serve",
    "Shape",
    "Signature",
    "Signed",
    "Standing",
    "State",
    "Step",
    "Table",
    "Tabulated",
    "ToAdditive",
    "ToXor",
    "Verify",
    "Wanted",
    "Which",
    "Work",
    // Facts that both parties have.
    "Terms",
    "Value",
];

const TICKET: [&str; 2] = ["Ticket(lane 0 of P0)", "Ticket(lane 0 of P1)"];

/// What each type prints whose printer is written by hand.
fn printed(p: &mut Party) -> Result<Vec<(&'static str, String, &'static str)>> {
    let shape = MatrixShape { batch: 2, rows: 1, inner: 3, columns: 1 };
    let job = ReciprocalJob { bits: 37, scale: 12, scale_out: 12, bounds: [1.0, 9.0], dividend: 0.0 };
    let reciprocal = Reciprocal::prepare(p, job, 3)?;
    let inputs = Inputs::draw(p, 9, 4)?;
    let voles = match p.role() {
        Role::P0 => [format!("{:?}", p.send_voles(3)?), format!("{:?}", p.receive_voles(3)?)],
        Role::P1 => [format!("{:?}", p.receive_voles(3)?), format!("{:?}", p.send_voles(3)?)],
    };
    let masks = format!("{:?}", inputs.masks());
    let drawn = format!("{inputs:?}");
    let wires = inputs.mask(p, &BShare::<u32>::new(9, vec![0x155; 4]))?;
    let share = AShare::<u32>::new(20, vec![0xabcde; 4]);
    Ok(vec![
        ("Share", format!("{share:?}"), "Share(4 x 20 bits)"),
        ("Fixed", format!("{:?}", Fixed::new(share, 7)?), "Fixed { share: Share(4 x 20 bits), scale: 7 }"),
        ("Masks", masks, "Masks(Share(4 x 9 bits))"),
        ("Inputs", drawn, "Inputs(Masks(Share(4 x 9 bits)))"),
        ("Wires", format!("{wires:?}"), "Wires(4 x 9)"),
        ("Bits", format!("{:?}", Bits::collect([1, 0, 1])), "Bits(3)"),
        ("Triples", format!("{:?}", Triples::shared(p, 5, 2)?), "Triples(5 x 2)"),
        ("OneHot", format!("{:?}", OneHot::<Xor>::rotl(p, 3, 5)?), "OneHot<xor>(5 x 8 entries)"),
        (
            "Arithmetic",
            format!("{:?}", Arithmetic::<Cyclic, u16>::prepare(p, 3, 9, 5)?),
            "Arithmetic<cyclic>(5 x 8 entries of 9 bits)",
        ),
        (
            "ProductTriples",
            format!("{:?}", ProductTriples::<u32>::random(p, 16, shape)?),
            "ProductTriples(MatrixShape { batch: 2, rows: 1, inner: 3, columns: 1 }, 16 bits)",
        ),
        ("Ticket", format!("{:?}", p.tickets(1)?.remove(0)), TICKET[p.role() as usize]),
        (
            "SharedTables",
            format!("{:?}", SharedTables::<Xor, _, u64>::prepare(p, 2, &AShare::new(9, vec![0x155; 4]), 3)?),
            "SharedTables<xor>(3 x 4 entries of 9 bits)",
        ),
        ("RandomOts", format!("{:?}", p.random_ots(4, (5, 5))?), "RandomOts(5 + 5 of 1 of 4)"),
        (
            "Affine",
            format!("{:?}", Affine::own(Role::P1, vec![1.5; 8], vec![0.5; 8])),
            "Affine(8 columns, known to Some(P1))",
        ),
        (
            "Reciprocal",
            format!("{reciprocal:?}"),
            "Reciprocal(ReciprocalJob { bits: 37, scale: 12, scale_out: 12, bounds: [1.0, 9.0], dividend: 0.0 })",
        ),
        ("Sender", voles[p.role() as usize].clone(), "Sender(3 VOLEs)"),
        ("Receiver", voles[p.role().peer() as usize].clone(), "Receiver(3 VOLEs)"),
        ("Block", format!("{:?}", Block(0xabcde)), "Block(..)"),
        ("Prg", format!("{:?}", Prg::new(Block(7))), "Prg(..)"),
    ])
}

#[test]
fn debug_shows_shapes_only() {
    let (at_p0, at_p1) = both(pair(50, None), printed);
    for (name, printed, want) in at_p0.iter().chain(&at_p1) {
        assert_eq!(printed, want, "{name}");
    }
    let site = Site::new();
    let (store, _) = site.make(&plan(Protocol::Rotl, JOB, 10, 10)).expect("a store");
    let (store, identity) = (format!("{store:?}"), format!("{:?}", site.identity(Role::P0)));
    assert!(store.starts_with("Store(") && store.ends_with(", 10 of 10 left)"), "{store}");
    assert_eq!(format!("{:?}", Log::default()), "Log(none)");
    // The fingerprint, which is public.
    assert!(identity.starts_with("Identity(bank, ") && identity.len() < 120, "{identity}");
    // Of the certificate; pins print their identity; what ends a connection prints nothing; and of the parts of a
    // model, and records, which `apps` and the program look at themselves.
    let elsewhere = [
        "Store",
        "Outcome",
        "Pins",
        "Parting",
        "Log",
        "Identity",
        "Fingerprint",
        "Weights",
        "Columns",
        "Record",
        "Ids",
        // A party's side of a private table, of which it prints the form.
        "Table",
        // A public table's form, and a protocol's name.
        "Reading",
        // Keys, which `fss_stored.rs` looks at.
        "Placed",
        "Unplaced",
        // Of `aes`: nothing.
        "Nonce",
    ];
    let seen: BTreeSet<&str> = at_p0.iter().map(|line| line.0).chain(elsewhere).collect();
    for name in sources().iter().flat_map(|text| written(text)) {
        assert!(seen.contains(name.as_str()), "{name}: what it prints is not looked at here");
    }
}

/// A derived printer shows every field: such types hold no words that could be secret.
#[test]
fn no_derived_debug_prints_words() {
    let mut found = BTreeSet::new();
    for (name, fields) in sources().iter().flat_map(|text| derived(text)) {
        let words =
            ["Vec<", "Box<[", "Zeroizing<", "Wiped<", "[u8;", "[u16;", "[u32;", "[u64;", "[f64;", "[i64;"];
        if words.iter().any(|word| fields.contains(word)) {
            assert!(PUBLIC.contains(&name.as_str()), "{name} holds words and prints them: {fields}");
            found.insert(name);
        }
    }
    assert!(found.len() > 10, "the sources are not read rightly: {found:?}");
}

/// The text of every source file of all crates.
fn sources() -> Vec<String> {
    fn read(folder: &Path, out: &mut Vec<String>) {
        for entry in fs::read_dir(folder).expect("a folder of sources") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                read(&path, out);
            } else if path.extension().is_some_and(|ext| ext == "rs") {
                out.push(fs::read_to_string(&path).expect("a readable file"));
            }
        }
    }
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let mut out = Vec::new();
    ["prim", "hushtable", "apps", "columns", "jobs", "cli"]
        .iter()
        .for_each(|name| read(&crates.join(name).join("src"), &mut out));
    assert!(out.len() > 200, "{} files", out.len());
    out
}

/// The word at the start of `text`.
fn word(text: &str) -> String {
    text.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect()
}

/// Types for which `Debug` is written by hand.
fn written(text: &str) -> impl Iterator<Item = String> {
    text.split("Debug for ").skip(1).map(word)
}

/// Types that derive `Debug`, each with its fields.
fn derived(text: &str) -> impl Iterator<Item = (String, &str)> {
    text.split("#[derive(").skip(1).filter_map(|rest| {
        let (traits, rest) = rest.split_once(")]")?;
        let at = ["struct ", "enum "].iter().filter_map(|kind| Some(rest.find(kind)? + kind.len())).min()?;
        // To the end of the item: the first line that closes it.
        let item = &rest[at..];
        let end = item.find("\n}").or_else(|| item.find(';')).unwrap_or(item.len());
        let end = item.find(");").map_or(end, |tuple| end.min(tuple));
        let end = item.find("{}").map_or(end, |empty| end.min(empty));
        traits.contains("Debug").then(|| (word(item), &item[..end]))
    })
}
