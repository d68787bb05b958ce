//! A gate and a bureau decide about visitors by the scores of four devices, two of each. Neither shows its scores: what
//! comes out is a bit for each visitor, whether the weighted mean of the four is at least a threshold.
//!
//! ```text
//! fusion                                        both parties as two processes here, compared with plaintext
//! fusion listen ADDRESS FILE [IDENTITY]         the gate, P0; with an identity by TLS, else by plain TCP
//! fusion connect ADDRESS FILE [IDENTITY]        the bureau, P1
//! ```
//! A file is CSV: a line of names, then an id and a score of 0 to below 1 for each device.

use std::{
    env,
    error::Error,
    fs,
    io::{BufRead, BufReader, Read},
    path::Path,
    process::{Command, Stdio},
    slice,
};

use hushtable::{
    Party, Role,
    net::{Identity, Listener, Options, connect},
    operation::Operation,
    run::{self, Ready, Reveal, Unwatched},
};
use hushtable_apps::fusion::Fusion;
use zeroize::Zeroizing;

/// Bits behind the point of a score, which both know, as what follows.
pub const FRACTION: u32 = 8;
/// The devices' weights, those of the gate first.
pub const WEIGHTS: [f64; 4] = [1.0, 0.5, 2.0, 0.5];
/// The mean from which on a visitor is accepted.
pub const THRESHOLD: f64 = 0.7;
const DEVICES: usize = 2;

type Result<T> = std::result::Result<T, Box<dyn Error>>;

/// One party's visitors.
pub struct Visitors {
    /// Their ids.
    pub ids: Vec<String>,
    /// For each device their scores, times `2^8`.
    pub scores: Vec<Zeroizing<Vec<u64>>>,
}

#[allow(dead_code, reason = "a test has the rest of this file as a module")]
fn main() -> Result<()> {
    let asked: Vec<String> = env::args().skip(1).collect();
    if !asked.is_empty() {
        return party(&asked);
    }
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/data/fusion");
    let start = |args: &[&str]| {
        let mut command = Command::new(env::current_exe()?);
        command.args(args);
        Ok(command)
    };
    print!("{}", both(&data, start)?);
    Ok(())
}

/// The file at `path`.
///
/// # Errors
/// If it is not there, or a line is not an id and a score of 0 to below 1 for each device, and nothing else.
pub fn read(path: &Path) -> Result<Visitors> {
    let text = Zeroizing::new(fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?);
    let rows = text.lines().count().saturating_sub(1);
    // With room for all: a vector that grew would leave scores behind unwiped.
    let mut ids = Vec::with_capacity(rows);
    let mut scores: Vec<_> = (0..DEVICES).map(|_| Zeroizing::new(Vec::with_capacity(rows))).collect();
    for (at, line) in text.lines().enumerate().skip(1) {
        let mut cells = line.split(',');
        let wrong = || {
            let want = format!("an id and {DEVICES} scores of 0 to below 1");
            format!("{}: line {}: expected {want}", path.display(), at + 1)
        };
        ids.push(cells.next().unwrap_or_default().to_owned());
        for device in &mut scores {
            let score = cells.next().and_then(|cell| cell.trim().parse().ok());
            device.push(in_units(score.filter(|score| (0.0..1.0).contains(score)).ok_or_else(wrong)?));
        }
        if cells.next().is_some() {
            return Err(wrong().into());
        }
    }
    Ok(Visitors { ids, scores })
}

/// A score as the devices' common format has it: never 1, whose tangent is infinite.
fn in_units(score: f64) -> u64 {
    let one = 1u64 << FRACTION;
    ((score * one as f64).round() as u64).min(one - 1)
}

/// A party of its own, as the command line says: prints the decisions.
///
/// # Errors
/// For other arguments and files, and those of the session.
pub fn party(asked: &[String]) -> Result<()> {
    let [how, address, file, identity @ ..] = asked else {
        return Err("see the first lines of fusion.rs".into());
    };
    let visitors = read(Path::new(file))?;
    let options = match identity {
        [] => Options::plain(),
        [dir, ..] => Options::secure(Identity::load(Path::new(dir))?),
    };
    let connection = match how.as_str() {
        "listen" => {
            let listener = Listener::bind(address, options)?;
            eprintln!("listening on {}", listener.local_addr());
            listener.accept()?
        }
        "connect" => connect(address, options)?,
        _ => return Err("expected listen or connect".into()),
    };
    let accepted = decide(&mut Party::new(connection, None)?, &visitors)?;
    for (id, accepted) in visitors.ids.iter().zip(accepted) {
        println!("{id},{accepted}");
    }
    Ok(())
}

/// Whether each visitor is accepted, told to both.
///
/// # Errors
/// If the parties have other visitors, and those of the session.
pub fn decide(p: &mut Party, visitors: &Visitors) -> Result<Vec<i64>> {
    let fusion = Fusion::new(FRACTION, &WEIGHTS, THRESHOLD)?;
    let mut fields = fusion.fields();
    let mut digest = blake3::Hasher::new_keyed(&p.id());
    for id in &visitors.ids {
        digest.update(&(id.len() as u64).to_le_bytes()).update(id.as_bytes());
    }
    fields.push(("visitors", visitors.ids.len().to_string()));
    fields.push(("ids", digest.finalize().to_hex().to_string()));
    p.agree(&fields)?;
    // A score that only its owner has is shared as itself and 0.
    let nothing = Zeroizing::new(vec![0u64; visitors.ids.len()]);
    let own = visitors.scores.iter().map(|device| device.as_slice());
    let others = [nothing.as_slice(); DEVICES].into_iter();
    let operands: Vec<&[u64]> = match p.role() {
        Role::P0 => own.chain(others).collect(),
        Role::P1 => others.chain(own).collect(),
    };
    let (lanes, ready) = (slice::from_mut(p), vec![Ready::default()]);
    let done = run::run(&fusion, lanes, ready, &operands, Reveal::Both, &Unwatched)?;
    done.values().ok_or_else(|| "the results are for both".into())
}

/// Both parties as processes that `start` makes of arguments; what they decided, beside plaintext.
///
/// # Errors
/// If a process fails, or a decision is not that of plaintext.
pub fn both(data: &Path, start: impl Fn(&[&str]) -> Result<Command>) -> Result<String> {
    let [gate, bureau] = ["gate.csv", "bureau.csv"].map(|name| data.join(name));
    let path = |path: &Path| path.to_str().map(str::to_owned).ok_or("a path that is no text");
    let mut p0 = start(&["listen", "127.0.0.1:0", &path(&gate)?])?
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    let mut said = BufReader::new(p0.stderr.take().ok_or("no standard error")?);
    let mut line = String::new();
    while !line.starts_with("listening on ") {
        line.clear();
        if said.read_line(&mut line)? == 0 {
            return Err("the gate does not listen".into());
        }
    }
    let address = line.trim_end().trim_start_matches("listening on ").to_owned();
    let p1 = start(&["connect", &address, &path(&bureau)?])?.stderr(Stdio::inherit()).output()?;
    let mut rest = String::new();
    said.read_to_string(&mut rest)?;
    let p0 = p0.wait_with_output()?;
    if !p0.status.success() || !p1.status.success() {
        return Err(format!("a party failed: {rest}").into());
    }
    compare(&read(&gate)?, &read(&bureau)?, &p0.stdout, &p1.stdout)
}

/// What both printed beside the mean in floating point.
fn compare(gate: &Visitors, bureau: &Visitors, p0: &[u8], p1: &[u8]) -> Result<String> {
    let decided = |out: &[u8]| -> Result<Vec<(String, bool)>> {
        let lines = str::from_utf8(out)?.lines();
        Ok(lines.filter_map(|l| l.rsplit_once(',')).map(|(id, bit)| (id.to_owned(), bit == "1")).collect())
    };
    let (p0, p1) = (decided(p0)?, decided(p1)?);
    let (mut right, mut near, mut accepted, mut alone) = (0, 0, 0, [0, 0]);
    for (i, (id, got)) in p0.iter().enumerate() {
        let scores: Vec<f64> = [gate, bureau]
            .iter()
            .flat_map(|party| party.scores.iter().map(|device| device[i] as f64 / f64::from(1 << FRACTION)))
            .collect();
        let mean = Fusion::mean(&WEIGHTS, &scores);
        right += usize::from(*got == (mean >= THRESHOLD));
        near += usize::from((mean - THRESHOLD).abs() < 2e-4);
        accepted += usize::from(*got);
        let means =
            [0, DEVICES].map(|at| Fusion::mean(&WEIGHTS[at..at + DEVICES], &scores[at..at + DEVICES]));
        alone.iter_mut().zip(means).for_each(|(n, mean)| *n += usize::from((mean >= THRESHOLD) != *got));
        if *id != gate.ids[i] {
            return Err(format!("{id} is not {}", gate.ids[i]).into());
        }
    }
    let all = gate.ids.len();
    if p0 != p1 || p0.len() != all || right + near < all {
        return Err(format!("{right} of {all} decisions are the same as in plaintext").into());
    }
    Ok(format!(
        "{all} visitors, {accepted} accepted: the weighted mean of four scores is at least {THRESHOLD}\n\
         {right} of {all} decisions are the same as in plaintext\n\
         the gate alone would decide otherwise about {}, the bureau alone about {}\n",
        alone[0], alone[1]
    ))
}
