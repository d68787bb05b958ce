//! BLIF, the Berkeley logic interchange format: one flat model of truth tables.

mod cover;

use std::{
    collections::{HashMap, HashSet},
    fmt::Write as _,
};

use cover::Cover;
use logic::{Circuit, Draft, Form, Gate, Kind, Lit, Port};

use crate::error::{Error, Result};

/// The circuit of a file. Names as `a[0]` to `a[7]` become one port `a`.
///
/// # Errors
/// [`Error::Line`] for what is not a flat model without state: latches, other models' names, signals that nothing drives,
/// that two tables drive, or that depend on themselves.
pub fn read(text: &str) -> Result<Circuit> {
    read_as(text, Order::Numbered)
}

/// The same of what yosys writes: it lists the lowest bit of a port first, whatever number that has.
pub(crate) fn read_listed(text: &str) -> Result<Circuit> {
    read_as(text, Order::Listed)
}

/// In which order the bits of a port are: the lowest number first, or as they are listed.
#[derive(Clone, Copy, Default, PartialEq)]
enum Order {
    #[default]
    Numbered,
    Listed,
}

fn read_as(text: &str, order: Order) -> Result<Circuit> {
    let mut model = Model { order, ..Model::default() };
    let mut ended = false;
    for (line, text) in Logical::of(text) {
        let words: Vec<&str> = text.split_whitespace().collect();
        if ended {
            return Error::line(line, "nothing after .end: one model a file");
        }
        match words[0] {
            ".end" => ended = true,
            word if word.starts_with('.') => model.command(line, &words)?,
            _ => match model.tables.last_mut().filter(|_| model.open) {
                Some(table) => table.cover.row(line, &words)?,
                None => return Error::line(line, format!("a row {text:?} without a table (.names)")),
            },
        }
    }
    model.circuit()
}

/// Lines with those joined that end in a backslash, without comments, and without what is blank.
struct Logical<'a> {
    lines: std::iter::Enumerate<std::str::Lines<'a>>,
}

impl<'a> Logical<'a> {
    fn of(text: &'a str) -> Self {
        Self { lines: text.lines().enumerate() }
    }
}

impl Iterator for Logical<'_> {
    type Item = (usize, String);

    fn next(&mut self) -> Option<Self::Item> {
        let mut joined = String::new();
        let mut first = None;
        loop {
            let Some((number, line)) = self.lines.next() else {
                return first.filter(|_| !joined.trim().is_empty()).map(|first| (first, joined));
            };
            let line = line.split('#').next().unwrap_or("").trim_end();
            let start = *first.get_or_insert(number + 1);
            match line.strip_suffix('\\') {
                Some(part) => {
                    joined.push_str(part);
                    joined.push(' ');
                }
                None => {
                    joined.push_str(line);
                    if !joined.trim().is_empty() {
                        return Some((start, joined));
                    }
                    first = None;
                    joined.clear();
                }
            }
        }
    }
}

/// A table: `.names` and its rows.
struct Table {
    line: usize,
    inputs: Vec<String>,
    cover: Cover,
}

#[derive(Default)]
struct Model {
    name: Option<String>,
    inputs: Vec<String>,
    outputs: Vec<String>,
    tables: Vec<Table>,
    /// Of a signal, the table that drives it.
    drivers: HashMap<String, usize>,
    /// Whether rows of the last table may follow.
    open: bool,
    order: Order,
}

impl Model {
    fn command(&mut self, line: usize, words: &[&str]) -> Result<()> {
        self.open = words[0] == ".names";
        let names = words[1..].iter().map(|name| (*name).to_string());
        match words[0] {
            ".model" if self.name.is_none() && words.len() <= 2 => {
                self.name = Some(words.get(1).unwrap_or(&"model").to_string());
            }
            ".inputs" => self.inputs.extend(names),
            ".outputs" => self.outputs.extend(names),
            ".names" => {
                let mut inputs: Vec<String> = names.collect();
                let Some(output) = inputs.pop() else { return Error::line(line, ".names without a signal") };
                if self.drivers.insert(output.clone(), self.tables.len()).is_some() {
                    return Error::line(line, format!("signal {output} is driven twice"));
                }
                let cover = Cover::new(inputs.len());
                self.tables.push(Table { line, inputs, cover });
            }
            ".latch" => {
                return Error::line(
                    line,
                    format!("signal {} is a latch; a circuit has no clock", words.last().unwrap_or(&"")),
                );
            }
            word => {
                return Error::line(
                    line,
                    format!("{word}; accepted: one .model, flat, of .inputs, .outputs and .names"),
                );
            }
        }
        Ok(())
    }

    fn circuit(self) -> Result<Circuit> {
        let (inputs, order) = ports(&self.inputs, self.order)?;
        let (outputs, results) = ports(&self.outputs, self.order)?;
        let mut draft = Draft::new(self.inputs.len());
        // Signals that are made; a table that was begun has nothing.
        let mut made: HashMap<&str, Option<Lit>> = HashMap::new();
        for (i, signal) in order.iter().enumerate() {
            if let Some(table) = self.drivers.get(signal) {
                return Error::line(self.tables[*table].line, format!("input {signal} is driven"));
            }
            made.insert(signal, Some(draft.input(i)));
        }
        let mut lits = Vec::with_capacity(results.len());
        for signal in &results {
            self.make(signal, &mut draft, &mut made)?;
            lits.push(made.get(signal.as_str()).copied().flatten().unwrap_or(Lit::FALSE));
        }
        let form = draft.finish("ands", lits);
        Ok(Circuit::new(self.name.as_deref().unwrap_or("model"), inputs, outputs, vec![form])?)
    }

    /// Makes a signal and all that it needs.
    fn make<'a>(
        &'a self,
        signal: &'a str,
        draft: &mut Draft,
        made: &mut HashMap<&'a str, Option<Lit>>,
    ) -> Result<()> {
        let mut stack = vec![(signal, self.tables.last().map_or(1, |table| table.line))];
        while let Some((signal, reader)) = stack.last().copied() {
            if let Some(Some(_)) = made.get(signal) {
                stack.pop();
                continue;
            }
            let Some(number) = self.drivers.get(signal) else {
                return Error::line(reader, format!("nothing drives signal {signal}"));
            };
            let table = &self.tables[*number];
            let depth = stack.len();
            for input in &table.inputs {
                match made.get(input.as_str()) {
                    Some(Some(_)) => {}
                    Some(None) => {
                        return Error::line(table.line, format!("signal {input} depends on itself"));
                    }
                    None => stack.push((input, table.line)),
                }
            }
            if stack.len() > depth {
                made.insert(signal, None);
                continue;
            }
            let inputs: Vec<Lit> =
                table.inputs.iter().filter_map(|input| made.get(input.as_str()).copied().flatten()).collect();
            let lit = table.cover.gates(draft, &inputs);
            made.insert(signal, Some(lit));
            stack.pop();
        }
        Ok(())
    }
}

/// Signals as ports, and their names in the ports' order. Names with all numbers from 0 on are one port.
fn ports(signals: &[String], order: Order) -> Result<(Vec<Port>, Vec<String>)> {
    let split = |signal: &str| -> Option<(String, usize)> {
        let (base, rest) = signal.strip_suffix(']')?.rsplit_once('[')?;
        // A port of this name would be read as a bit of another one.
        if base.ends_with(']') {
            return None;
        }
        let plain = rest == "0" || !rest.starts_with('0');
        let number = rest.parse().ok().filter(|_| plain && rest.bytes().all(|byte| byte.is_ascii_digit()))?;
        Some((base.to_string(), number))
    };
    let mut groups: HashMap<String, Vec<usize>> = HashMap::new();
    for (base, number) in signals.iter().filter_map(|signal| split(signal)) {
        groups.entry(base).or_default().push(number);
    }
    groups.retain(|_, numbers| {
        let mut sorted = numbers.clone();
        sorted.sort_unstable();
        let whole = sorted.iter().enumerate().all(|(i, number)| i == *number);
        if order == Order::Numbered {
            *numbers = sorted;
        }
        whole
    });
    let (mut ports, mut names) = (Vec::new(), Vec::new());
    for signal in signals {
        match split(signal)
            .and_then(|(base, number)| groups.get(&base).map(|numbers| (base, number, numbers)))
        {
            // The port stands where its lowest bit does.
            Some((base, number, numbers)) if number == numbers[0] => {
                names.extend(numbers.iter().map(|i| format!("{base}[{i}]")));
                ports.push(Port::new(base, Kind::Unsigned(numbers.len() as u32))?);
            }
            Some(_) => {}
            None => {
                names.push(signal.clone());
                ports.push(Port::new(signal, Kind::Unsigned(1))?);
            }
        }
    }
    Ok((ports, names))
}

/// A form of a circuit, with lookups as tables.
///
/// # Errors
/// [`Error::Asked`] for a port's name with `#` or a backslash, which the format cannot have.
pub fn write(circuit: &Circuit, form: &Form) -> Result<String> {
    let all = || circuit.inputs().iter().chain(circuit.outputs());
    if let Some(port) = all().find(|port| port.name().contains(['#', '\\'])) {
        return Err(Error::Asked(format!("port {}: no name in BLIF has # or a backslash", port.name())));
    }
    let mut prefix = String::from("n");
    while all().any(|port| port.name().starts_with(&prefix)) {
        prefix.push('_');
    }
    let bits = |port: &Port| match port.bits() {
        1 => vec![port.name().to_string()],
        bits => (0..bits).map(|i| format!("{}[{i}]", port.name())).collect(),
    };
    let inputs: Vec<String> = circuit.inputs().iter().flat_map(bits).collect();
    // An output of an input's name could not have another value.
    let outputs: Vec<String> = circuit.outputs().iter().flat_map(bits).collect();
    let taken: HashSet<&String> = inputs.iter().collect();
    if let Some(twice) = outputs.iter().find(|name| taken.contains(name)) {
        return Err(Error::Asked(format!("input and output {twice}: no two signals in BLIF have one name")));
    }
    let name = |wire: u32| match (wire as usize).checked_sub(1) {
        None => format!("{prefix}0"),
        Some(input) if input < inputs.len() => inputs[input].clone(),
        _ => format!("{prefix}{wire}"),
    };
    let mut text = format!(".model {}\n", circuit.name());
    for (word, names) in [("inputs", &inputs), ("outputs", &outputs)] {
        for names in names.chunks(16) {
            let _ = writeln!(text, ".{word} {}", names.join(" "));
        }
    }
    let _ = writeln!(text, ".names {}", name(0));
    write_gates(&mut text, form, &name);
    for (output, lit) in outputs.iter().zip(form.outputs()) {
        let _ = writeln!(text, ".names {} {output}\n{} 1", name(lit.wire()), u8::from(!lit.negated()));
    }
    text.push_str(".end\n");
    Ok(text)
}

fn write_gates(text: &mut String, form: &Form, name: &impl Fn(u32) -> String) {
    let one = |lit: Lit| u8::from(!lit.negated());
    for (gate, first, _) in form.made() {
        match *gate {
            Gate::Xor(a, b) => {
                let _ = writeln!(
                    text,
                    ".names {} {} {}\n01 1\n10 1",
                    name(a.wire()),
                    name(b.wire()),
                    name(first)
                );
            }
            Gate::And(a, b) => {
                let names = [a.wire(), b.wire(), first].map(name).join(" ");
                let _ = writeln!(text, ".names {names}\n{}{} 1", one(a), one(b));
            }
            Gate::Lookup { table, pins } => {
                let (table, pins) = form.lookup(table, pins);
                let read: Vec<String> = pins.iter().map(|pin| name(pin.wire())).collect();
                for output in 0..table.outputs() {
                    let _ = writeln!(text, ".names {} {}", read.join(" "), name(first + output));
                    for (i, _) in table.rows().iter().enumerate().filter(|(_, row)| *row >> output & 1 == 1) {
                        let bits = pins.iter().enumerate().map(|(j, pin)| (i >> j & 1 == 1) != pin.negated());
                        let row: String = bits.map(|bit| if bit { '1' } else { '0' }).collect();
                        let _ = writeln!(text, "{row} 1");
                    }
                }
            }
        }
    }
}
