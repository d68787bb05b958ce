//! `hushtable plan --table private`: what each way of looking up in one party's private table would cost.

use std::fmt::Write as _;

use crate::plan::phase::Phase;
use hushtable::{
    confidential::planner::{Asked, Design},
    net::LinkShape,
    plan::{Estimate, Prediction},
};
use hushtable_columns::units::{bytes, time};
use hushtable_jobs::means::dollars;
use serde::Serialize;

/// What `--json` prints.
#[derive(Serialize)]
struct Line {
    design: String,
    chosen: bool,
    fits: bool,
    once: Phase,
    setup: Phase,
    offline: Phase,
    online: Phase,
    memory_bytes: [u64; 2],
    disk_bytes: u64,
    /// Of the owner and of the other party, for a batch.
    dollars: [f64; 2],
}

/// A line of JSON for each.
pub fn lines(all: &[Prediction<Design>]) -> String {
    let of = |(i, c): (usize, &Prediction<Design>)| {
        let phase = |e: Estimate| Phase::from(e);
        let line = Line {
            design: c.way.to_string(),
            chosen: i == 0 && c.fits,
            fits: c.fits,
            once: phase(c.once),
            setup: phase(c.setup),
            offline: phase(c.offline),
            online: phase(c.online),
            memory_bytes: c.memory,
            disk_bytes: c.disk,
            dollars: c.dollars(),
        };
        serde_json::to_string(&line).expect("plain data") + "\n"
    };
    all.iter().enumerate().map(of).collect()
}

/// For people.
pub fn table(asked: &Asked, link: &LinkShape, machine: &str, all: &[Prediction<Design>]) -> String {
    let Asked { rows, key_bits, row_bits, batch, batches, distinct, .. } = asked;
    let keys = if *distinct { "distinct keys" } else { "keys" };
    let mut out = format!(
        "{batch} {keys} looked up in a private table of {rows} rows of {row_bits} bits at keys of {key_bits} bits, \
         {batches} of these batches a version; network {link}; {machine}\n"
    );
    write!(out, "  {:26}", "design").expect("text grows");
    let head = [
        "once",
        "offline",
        "online",
        "once sent",
        "offl. sent",
        "online sent",
        "rounds",
        "owner mem",
        "other mem",
        "disk",
        "money",
    ];
    head.iter().for_each(|h| write!(out, "{h:>12}").expect("text grows"));
    for (i, c) in all.iter().enumerate() {
        let mark = match (i, c.fits) {
            (0, true) => '*',
            (_, true) => ' ',
            (_, false) => '!',
        };
        write!(out, "\n{mark} {:26}", c.way.to_string()).expect("text grows");
        let sent = |e: &[Estimate]| bytes(e.iter().map(|e| e.bytes[0] + e.bytes[1]).sum::<f64>() as u64);
        let cells = [
            time(c.once.seconds),
            time(c.setup.seconds + c.offline.seconds),
            time(c.online.seconds),
            sent(&[c.once]),
            sent(&[c.setup, c.offline]),
            sent(&[c.online]),
            format!("{}+{}", c.setup.rounds + c.offline.rounds, c.online.rounds),
            bytes(c.memory[0]),
            bytes(c.memory[1]),
            bytes(c.disk),
            dollars(c.dollars().iter().sum()),
        ];
        cells.iter().for_each(|cell| write!(out, "{cell:>12}").expect("text grows"));
    }
    out + "\n"
        + match all.iter().any(|c| !c.fits) {
            true => "! needs more disk or memory than the party without the table has (--disk, --memory).\n",
            false => "",
        }
        + "`hushtable serve` and `lookup` use the copy; the other designs are in the library, and `hushtable-bench \
           confidential --design` runs each of them.\n"
        + "Bytes are those of both parties; \"once\" is once a version, set-up is counted as offline. Times are \
           predictions.\n"
}
