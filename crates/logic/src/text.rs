//! Circuits as text, the format of files that end in `.hut`.
//!
//! Lines of words, in this order:
//! ```text
//! hushtable circuit 1
//! name NAME
//! input NAME TYPE          for each port: b128 (bits), u8, i32, f32, f64
//! output NAME TYPE
//! form NAME                one or more, each with what follows down to its outputs
//! table INPUTS OUTPUTS ROW ROW ...    rows in hexadecimal; the first table is t0
//! ^ A B                    the XOR of two wires
//! & A B                    the AND of two wires or complements
//! t0 A B C ...             a lookup
//! = A B ...                outputs; more lines go on
//! end
//! blake3 HEX               of all that stands before this line
//! ```
//! Wire 0 is the constant 0; the inputs are the wires from 1 on, lowest bits of the first port first; each gate makes the
//! next wire, a lookup the next ones. `!A` is the complement of wire A.

use std::{
    fmt::{self, Write as _},
    str::{FromStr, SplitAsciiWhitespace},
    sync::Arc,
};

use crate::{
    circuit::Circuit,
    error::{Error, Result},
    form::{Form, Gate},
    lit::Lit,
    port::Port,
    table::TruthTable,
};

/// What stands on a line, or what is wrong there.
type Read<T> = std::result::Result<T, String>;

/// The first line of a file.
const FIRST: &str = "hushtable circuit 1";
/// Outputs on a line.
const ON_LINE: usize = 16;

impl fmt::Display for Circuit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (text, digest) = self.written();
        writeln!(f, "{text}blake3 {digest}")
    }
}

impl FromStr for Circuit {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        Self::parse(text)
    }
}

impl Circuit {
    /// All of it but the last line, and the hash that stands there.
    pub(crate) fn written(&self) -> (String, blake3::Hash) {
        let mut text = format!("{FIRST}\nname {}\n", self.name());
        for (word, ports) in [("input", self.inputs()), ("output", self.outputs())] {
            for port in ports {
                let _ = writeln!(text, "{word} {} {}", port.name(), port.kind());
            }
        }
        self.forms().iter().for_each(|form| write_form(&mut text, form));
        text.push_str("end\n");
        let digest = blake3::hash(text.as_bytes());
        (text, digest)
    }

    /// The circuit of a file.
    ///
    /// # Errors
    /// [`Error::Line`] for a line that is not what the format has there, for a file cut short, and for one whose hash is
    /// another; [`Error::Circuit`] for what no circuit can be.
    pub fn parse(text: &str) -> Result<Self> {
        let mut lines = Lines { text, at: 0, line: 0 };
        if lines.next_line() != Some(FIRST) {
            return lines.error(format!("the first line of a circuit is {FIRST:?}"));
        }
        let name = lines.named("name")?.to_string();
        let (mut inputs, mut outputs, mut forms) = (Vec::new(), Vec::new(), Vec::new());
        let mut line = lines.expect()?;
        for (word, ports) in [("input", &mut inputs), ("output", &mut outputs)] {
            while let Some(rest) = line.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')) {
                let Some((name, kind)) = rest.split_once(' ') else {
                    return lines.error(format!("{word} NAME TYPE, not {line:?}"));
                };
                let port = kind.parse().and_then(|kind| Port::new(name, kind));
                ports.push(port.or_else(|error| lines.error(error.to_string()))?);
                line = lines.expect()?;
            }
        }
        let bits = inputs.iter().map(Port::bits).sum::<usize>();
        let wires = u32::try_from(bits).ok().filter(|bits| *bits < Lit::MOST);
        let Some(wires) = wires else { return lines.error(format!("{bits} bits of inputs")) };
        while let Some(name) = line.strip_prefix("form ") {
            if !crate::port::is_name(name) {
                return lines.error(format!("name {name:?} of a form"));
            }
            let (form, next) = read_form(&mut lines, name, wires)?;
            forms.push(form);
            line = next;
        }
        if line != "end" {
            return lines.error(format!("form NAME or end, not {line:?}"));
        }
        let found = blake3::hash(&text.as_bytes()[..lines.at]);
        let said = lines.named("blake3")?;
        if found.to_hex().as_str() != said {
            return lines.error(format!("the hash of the lines above is {found}: the file was changed"));
        }
        if lines.next_line().is_some() {
            return lines.error("nothing, after the hash");
        }
        Self::new(name, inputs, outputs, forms)
    }
}

fn write_form(text: &mut String, form: &Form) {
    let _ = writeln!(text, "form {}", form.name());
    for table in form.tables() {
        let _ = write!(text, "table {} {}", table.inputs(), table.outputs());
        table.rows().iter().for_each(|row| text.push_str(&format!(" {row:x}")));
        text.push('\n');
    }
    for gate in form.gates() {
        let _ = match *gate {
            Gate::Xor(a, b) => writeln!(text, "^ {a} {b}"),
            Gate::And(a, b) => writeln!(text, "& {a} {b}"),
            Gate::Lookup { table, pins } => {
                let _ = write!(text, "t{table}");
                form.lookup(table, pins).1.iter().for_each(|pin| text.push_str(&format!(" {pin}")));
                writeln!(text)
            }
        };
    }
    for outputs in form.outputs().chunks(ON_LINE) {
        text.push('=');
        outputs.iter().for_each(|out| text.push_str(&format!(" {out}")));
        text.push('\n');
    }
}

/// A form after its first line, and the line behind it.
fn read_form<'a>(lines: &mut Lines<'a>, name: &str, inputs: u32) -> Result<(Form, &'a str)> {
    let mut form = Form::new(name, inputs);
    loop {
        let line = lines.expect()?;
        let mut words = line.split_ascii_whitespace();
        match words.next().unwrap_or("") {
            "table" if form.gates.is_empty() => {
                let table = read_table(&mut words).or_else(|what| lines.error(what))?;
                form.tables.push(Arc::new(table));
            }
            "=" => {
                read_lits(&mut words, form.wires, &mut form.outputs).or_else(|what| lines.error(what))?;
            }
            word => {
                if !form.outputs.is_empty() || matches!(word, "form" | "end") {
                    return Ok((form, line));
                }
                let gate = read_gate(word, &mut words, &mut form).or_else(|what| lines.error(what))?;
                form.wires += form.makes(&gate);
                if form.wires > Lit::MOST {
                    return lines.error("too many wires");
                }
                form.gates.push(gate);
            }
        }
    }
}

fn read_table(words: &mut SplitAsciiWhitespace<'_>) -> Read<TruthTable> {
    let mut size = || {
        words.next().and_then(|word| word.parse().ok()).ok_or(String::from("table INPUTS OUTPUTS ROW ..."))
    };
    let (inputs, outputs) = (size()?, size()?);
    let row = |word| u64::from_str_radix(word, 16).map_err(|_| format!("row {word:?} of a table"));
    let rows = words.map(row).collect::<Read<_>>()?;
    TruthTable::new(inputs, outputs, rows).map_err(|error| error.to_string())
}

fn read_gate(word: &str, words: &mut SplitAsciiWhitespace<'_>, form: &mut Form) -> Read<Gate> {
    let table = word.strip_prefix('t').and_then(|number| number.parse::<u32>().ok());
    let (from, want) = (
        form.pins.len(),
        match table {
            Some(number) => match form.tables.get(number as usize) {
                Some(table) => table.inputs() as usize,
                None => return Err(format!("table t{number} of {}", form.tables.len())),
            },
            None if word == "^" || word == "&" => 2,
            None => {
                return Err(format!(
                    "a gate (^, & or t with a number), outputs (=), form or end, not {word:?}"
                ));
            }
        },
    );
    read_lits(words, form.wires, &mut form.pins)?;
    let read = form.pins.len() - from;
    if read != want {
        return Err(format!("{want} wires to read, not {read}"));
    }
    if let Some(table) = table {
        return Ok(Gate::Lookup { table, pins: from as u32 });
    }
    let (a, b) = (form.pins[from], form.pins[from + 1]);
    form.pins.truncate(from);
    match word {
        "^" if a.negated() || b.negated() => Err("an XOR of wires that are not negated".into()),
        "^" => Ok(Gate::Xor(a, b)),
        _ => Ok(Gate::And(a, b)),
    }
}

/// Wires that are there.
fn read_lits(words: &mut SplitAsciiWhitespace<'_>, wires: u32, to: &mut Vec<Lit>) -> Read<()> {
    for word in words {
        let digits = word.strip_prefix('!').unwrap_or(word);
        let number = digits.parse().ok().filter(|_| digits.bytes().all(|byte| byte.is_ascii_digit()));
        match number.filter(|wire| *wire < wires) {
            Some(wire) => to.push(Lit::of(wire).negate_if(digits.len() < word.len())),
            None => {
                return Err(format!("wire {word:?}; accepted: 0 to {}, each with ! or without", wires - 1));
            }
        }
    }
    Ok(())
}

/// The lines of a file.
struct Lines<'a> {
    text: &'a str,
    /// Bytes read.
    at: usize,
    /// Of the last one, from 1.
    line: usize,
}

impl<'a> Lines<'a> {
    fn next_line(&mut self) -> Option<&'a str> {
        let rest = &self.text[self.at..];
        let end = rest.find('\n')?;
        self.at += end + 1;
        self.line += 1;
        Some(&rest[..end])
    }

    fn expect(&mut self) -> Result<&'a str> {
        match self.next_line() {
            Some(line) => Ok(line),
            None => {
                self.line += 1;
                self.error("the file ends here, before its end")
            }
        }
    }

    /// What stands behind a word.
    fn named(&mut self, word: &str) -> Result<&'a str> {
        let line = self.expect()?;
        match line.strip_prefix(word).and_then(|rest| rest.strip_prefix(' ')) {
            Some(rest) => Ok(rest),
            None => self.error(format!("{word} and what it is, not {line:?}")),
        }
    }

    fn error<T>(&self, what: impl Into<String>) -> Result<T> {
        Err(Error::Line { line: self.line.max(1), what: what.into() })
    }
}
