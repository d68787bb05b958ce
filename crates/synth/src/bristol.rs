//! Bristol Fashion: circuits as lists of numbered gates, in the older format of two inputs and in the newer one.

use std::{collections::HashMap, fmt::Write as _};

use logic::{Circuit, Draft, Form, Gate, Kind, Lit, Port};

use crate::error::{Error, Result};

/// Which of the formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Two inputs and an output; gates XOR, AND and INV.
    Old,
    /// Any number of each; also EQ (a constant), EQW (a copy) and MAND (several ANDs).
    New,
}

/// Most bits of all inputs, and of all outputs.
const MOST: usize = 1 << 20;

/// The circuit of a file of either format. Its inputs are named `in0`, `in1` and so on, its outputs `out0` and so on.
///
/// # Errors
/// [`Error::Line`] for what the format does not have: a wire that is read before it is made, or made twice, counts that
/// are not what follows, and more than 2^20 bits of inputs or outputs.
pub fn read(text: &str, name: &str) -> Result<Circuit> {
    let mut lines =
        text.lines().enumerate().map(|(i, line)| (i + 1, line)).filter(|(_, line)| !line.trim().is_empty());
    let end = text.lines().count() + 1;
    let Header { gates, wires, inputs, outputs, first } = header(&mut lines, end)?;
    let (bits, results) = (inputs.iter().sum::<usize>(), outputs.iter().sum::<usize>());
    if wires > bits + text.len() || wires < bits || wires < results {
        return Error::line(1, format!("{wires} wires, of which {bits} are inputs and {results} outputs"));
    }
    let mut reader = Reader { draft: Draft::new(bits), wires: vec![None; wires] };
    for i in 0..bits {
        reader.wires[i] = Some(reader.draft.input(i));
    }
    let mut found = 0;
    for (line, text) in first.into_iter().filter(|(_, text)| !text.is_empty()).chain(lines) {
        found += 1;
        reader.gate(line, text)?;
        if found > gates {
            return Error::line(line, format!("a gate after the {gates} that the first line says"));
        }
    }
    if found != gates {
        return Error::line(end, format!("{found} gates, not the {gates} that the first line says"));
    }
    let made = reader.wires[wires - results..].iter().copied().collect::<Option<Vec<Lit>>>();
    let Some(made) = made else { return Error::line(end, "an output that no gate makes") };
    let ports = |word: &str, sizes: &[usize]| {
        let ports = sizes.iter().enumerate();
        ports
            .map(|(i, bits)| Port::new(format!("{word}{i}"), Kind::Unsigned(*bits as u32)))
            .collect::<logic::Result<_>>()
    };
    let form = reader.draft.finish("ands", made);
    Ok(Circuit::new(name, ports("in", &inputs)?, ports("out", &outputs)?, vec![form])?)
}

/// What stands before the gates.
struct Header<'a> {
    gates: usize,
    wires: usize,
    inputs: Vec<usize>,
    outputs: Vec<usize>,
    /// In the old format the first gate, which was read to tell the formats apart.
    first: Option<(usize, &'a str)>,
}

fn header<'a>(lines: &mut impl Iterator<Item = (usize, &'a str)>, end: usize) -> Result<Header<'a>> {
    let mut next = || lines.next().unwrap_or((end, ""));
    let (line, counts) = next();
    let [gates, wires] = numbers(line, counts)?[..] else {
        return Error::line(line, "the number of gates and of wires");
    };
    let (line, second) = next();
    let given = numbers(line, second)?;
    let (third, text_of_third) = next();
    let numeric = text_of_third
        .split_whitespace()
        .next_back()
        .is_some_and(|word| word.bytes().all(|b| b.is_ascii_digit()));
    let (inputs, outputs, first) = if numeric {
        (sizes(line, &given)?, sizes(third, &numbers(third, text_of_third)?)?, None)
    } else {
        let [a, b, out] = given[..] else {
            return Error::line(
                line,
                "the bits of two inputs and of the output, or how many inputs there are and their bits",
            );
        };
        let inputs = [a, b].into_iter().filter(|bits| *bits > 0).collect();
        (inputs, vec![out], Some((third, text_of_third)))
    };
    total(line, &inputs)?;
    total(line, &outputs)?;
    Ok(Header { gates, wires, inputs, outputs, first })
}

/// The numbers on a line.
fn numbers(line: usize, text: &str) -> Result<Vec<usize>> {
    let number = |word: &str| match word.parse() {
        Ok(number) if word.bytes().all(|byte| byte.is_ascii_digit()) => Ok(number),
        _ => Error::line(line, format!("a number, not {word:?}")),
    };
    text.split_whitespace().map(number).collect()
}

/// How many, and so many sizes.
fn sizes(line: usize, numbers: &[usize]) -> Result<Vec<usize>> {
    match numbers.split_first() {
        Some((count, sizes)) if *count == sizes.len() => Ok(sizes.to_vec()),
        _ => Error::line(line, "how many inputs or outputs there are, and the bits of each"),
    }
}

/// Whether the sizes are not too large.
fn total(line: usize, sizes: &[usize]) -> Result<()> {
    let sum = sizes.iter().try_fold(0usize, |sum, bits| sum.checked_add(*bits));
    match sum.filter(|sum| *sum <= MOST && sizes.iter().all(|bits| *bits > 0)) {
        Some(_) => Ok(()),
        None => {
            Error::line(line, format!("bits of inputs and outputs; accepted: 1 and more each, {MOST} in all"))
        }
    }
}

struct Reader {
    draft: Draft,
    wires: Vec<Option<Lit>>,
}

impl Reader {
    fn gate(&mut self, line: usize, text: &str) -> Result<()> {
        let (numbers_of, kind) = text.trim_end().rsplit_once(char::is_whitespace).unwrap_or(("", text));
        let all = numbers(line, numbers_of)?;
        let shape = match kind {
            "XOR" | "AND" => Some((2, 1)),
            "INV" | "NOT" | "EQ" | "EQW" => Some((1, 1)),
            "MAND" => all.get(1).and_then(|outputs| Some((outputs.checked_mul(2)?, *outputs))),
            _ => {
                return Error::line(line, format!("gate {kind:?}; accepted: XOR, AND, INV, EQ, EQW, MAND"));
            }
        };
        let [reads, makes, ends @ ..] = &all[..] else {
            return Error::line(line, "a gate: how many wires it reads and makes, which, and its kind");
        };
        if shape != Some((*reads, *makes)) || reads.checked_add(*makes) != Some(ends.len()) {
            return Error::line(line, format!("gate {kind} with other numbers of wires"));
        }
        let (from, to) = ends.split_at(*reads);
        let lits = match (kind, from) {
            ("EQ", [0]) => vec![Lit::FALSE],
            ("EQ", [1]) => vec![Lit::TRUE],
            ("EQ", _) => return Error::line(line, "a constant that is neither 0 nor 1"),
            _ => from.iter().map(|wire| self.made(line, *wire)).collect::<Result<_>>()?,
        };
        let draft = &mut self.draft;
        let made: Vec<Lit> = match (kind, &lits[..]) {
            ("XOR", [a, b]) => vec![draft.xor(*a, *b)],
            ("INV" | "NOT", [a]) => vec![!*a],
            ("AND" | "MAND", lits) => {
                let (a, b) = lits.split_at(lits.len() / 2);
                a.iter().zip(b).map(|(a, b)| draft.and(*a, *b)).collect()
            }
            (_, lits) => lits.to_vec(),
        };
        for (wire, lit) in to.iter().zip(made) {
            match self.wires.get_mut(*wire) {
                Some(free @ None) => *free = Some(lit),
                Some(_) => return Error::line(line, format!("wire {wire} is made twice")),
                None => return Error::line(line, format!("wire {wire} of {}", self.wires.len())),
            }
        }
        Ok(())
    }

    fn made(&self, line: usize, wire: usize) -> Result<Lit> {
        match self.wires.get(wire) {
            Some(Some(lit)) => Ok(*lit),
            Some(None) => Error::line(line, format!("wire {wire} is read before it is made")),
            None => Error::line(line, format!("wire {wire} of {}", self.wires.len())),
        }
    }
}

/// A form of a circuit in one of the formats.
///
/// # Errors
/// [`Error::Asked`] for a form with lookups, and in the old format for more than two inputs or one output.
pub fn write(circuit: &Circuit, form: &Form, format: Format) -> Result<String> {
    if form.lookups() > 0 {
        return Err(Error::Asked(format!(
            "form {} has lookups, which Bristol Fashion does not; write a form of gates",
            form.name()
        )));
    }
    let ports = port_lines(circuit, format)?;
    let mut writer = Writer {
        text: String::new(),
        gates: 0,
        next: form.inputs(),
        inverse: HashMap::new(),
        zero: None,
        format,
    };
    let mut wires: Vec<usize> = vec![0];
    wires.extend(0..form.inputs());
    for gate in form.gates() {
        let (a, b, kind) = match *gate {
            Gate::Xor(a, b) => (a, b, "XOR"),
            Gate::And(a, b) => (a, b, "AND"),
            Gate::Lookup { .. } => continue,
        };
        let [a, b] = [a, b].map(|lit| writer.wire(&wires, lit));
        let made = writer.gate(&[a, b], kind);
        wires.push(made);
    }
    // What the outputs read is there before the first of them, for they are the last wires.
    let last = |writer: &mut Writer, lit: Lit| match (format, lit.constant()) {
        (Format::New, Some(value)) => (usize::from(value), "EQ"),
        (Format::New, None) if !lit.negated() => (wires[lit.wire() as usize], "EQW"),
        (Format::New, None) => (wires[lit.wire() as usize], "INV"),
        (Format::Old, _) => (writer.wire(&wires, !lit), "INV"),
    };
    let ends: Vec<_> = form.outputs().iter().map(|lit| last(&mut writer, *lit)).collect();
    for (wire, kind) in ends {
        writer.gate(&[wire], kind);
    }
    Ok(format!("{} {}\n{ports}\n{}", writer.gates, writer.next, writer.text))
}

/// The lines that say how many bits there are.
fn port_lines(circuit: &Circuit, format: Format) -> Result<String> {
    let bits = |ports: &[Port]| ports.iter().map(Port::bits).collect::<Vec<_>>();
    let (inputs, outputs) = (bits(circuit.inputs()), bits(circuit.outputs()));
    let sizes = |sizes: &[usize]| sizes.iter().fold(String::new(), |all, bits| all + " " + &bits.to_string());
    Ok(match (format, &inputs[..], &outputs[..]) {
        (Format::New, ..) => {
            format!("{}{}\n{}{}\n", inputs.len(), sizes(&inputs), outputs.len(), sizes(&outputs))
        }
        (Format::Old, [a, b], [out]) => format!("{a} {b} {out}\n"),
        (Format::Old, [a], [out]) => format!("{a} 0 {out}\n"),
        _ => {
            return Err(Error::Asked("the old format has one or two inputs, and one output".into()));
        }
    })
}

struct Writer {
    text: String,
    gates: usize,
    next: usize,
    inverse: HashMap<usize, usize>,
    zero: Option<usize>,
    format: Format,
}

impl Writer {
    fn gate(&mut self, reads: &[usize], kind: &str) -> usize {
        let _ = write!(self.text, "{} 1", reads.len());
        reads.iter().for_each(|wire| self.text.push_str(&format!(" {wire}")));
        let made = self.next;
        let _ = writeln!(self.text, " {made} {kind}");
        self.next += 1;
        self.gates += 1;
        made
    }

    /// The number of a wire that has the value.
    fn wire(&mut self, wires: &[usize], lit: Lit) -> usize {
        let plain = match (lit.constant(), self.zero) {
            (None, _) => wires[lit.wire() as usize],
            (Some(_), Some(zero)) => zero,
            (Some(_), None) => {
                let zero = match self.format {
                    Format::New => self.gate(&[0], "EQ"),
                    Format::Old => self.gate(&[0, 0], "XOR"),
                };
                *self.zero.insert(zero)
            }
        };
        if !lit.negated() {
            return plain;
        }
        if let Some(made) = self.inverse.get(&plain) {
            return *made;
        }
        let made = self.gate(&[plain], "INV");
        self.inverse.insert(plain, made);
        made
    }
}
