//! What gates an operator of yosys becomes.

use std::sync::Arc;

use logic::{Draft, Lit, TruthTable};

use super::netlist::{Bit, Cell};
use crate::words;

/// What an operator reads, and how it is made up.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// Bit i of the output reads bit i of the inputs.
    Bitwise,
    /// Each bit of the output reads all inputs.
    Whole,
    /// A table of constants, with ports to read it.
    Memory,
    /// What only simulation and proofs look at.
    Ignored,
    /// Keeps a value from one clock to the next.
    State,
    /// Nothing that is known.
    Foreign,
}

/// The shape of a kind of cell.
pub fn shape(kind: &str) -> Shape {
    match kind {
        "$not" | "$pos" | "$buf" | "$and" | "$or" | "$xor" | "$xnor" | "$mux" | "$bwmux" | "$pmux" => {
            Shape::Bitwise
        }
        "$neg" | "$add" | "$sub" | "$mul" | "$div" | "$mod" | "$lt" | "$le" | "$gt" | "$ge" | "$eq"
        | "$ne" | "$eqx" | "$nex" | "$shl" | "$sshl" | "$shr" | "$sshr" | "$shift" | "$shiftx"
        | "$reduce_and" | "$reduce_or" | "$reduce_bool" | "$reduce_xor" | "$reduce_xnor" | "$logic_not"
        | "$logic_and" | "$logic_or" | "$bmux" | "$demux" => Shape::Whole,
        "$mem_v2" => Shape::Memory,
        "$scopeinfo" | "$print" | "$check" | "$assert" | "$assume" | "$cover" | "$live" | "$fair" => {
            Shape::Ignored
        }
        _ if ["dff", "latch", "$sr", "$ff"].iter().any(|part| kind.contains(part)) => Shape::State,
        _ => Shape::Foreign,
    }
}

/// One part of a cell: a bit of a bitwise one, a port of a memory, else all of it.
pub struct Part<'a> {
    pub cell: &'a Cell,
    pub part: usize,
}

impl Part<'_> {
    /// What it reads, in the order in which [`gates`](Self::gates) takes it.
    pub fn reads(&self) -> Vec<Bit> {
        let (cell, i) = (self.cell, self.part);
        match shape(&cell.kind) {
            Shape::Bitwise => match cell.kind.as_str() {
                "$mux" | "$pmux" => {
                    let [a, b, s] = ["A", "B", "S"].map(|port| cell.port(port));
                    let cases = b.iter().skip(i).step_by(a.len().max(1));
                    [a[i]].iter().chain(cases).chain(s).copied().collect()
                }
                "$bwmux" => ["A", "B", "S"].iter().map(|port| cell.port(port)[i]).collect(),
                _ => {
                    let ports = ["A", "B"].iter().filter(|port| cell.connections.contains_key(**port));
                    ports.map(|port| self.extended(port, i)).collect()
                }
            },
            Shape::Memory => {
                let bits = cell.number("ABITS");
                cell.port("RD_ADDR").iter().skip(i * bits).take(bits).copied().collect()
            }
            _ => ["A", "B", "S"].iter().flat_map(|port| cell.port(port)).copied().collect(),
        }
    }

    /// Bit i of an input that is as wide as the output.
    fn extended(&self, port: &str, i: usize) -> Bit {
        let bits = self.cell.port(port);
        match bits.last() {
            Some(_) if i < bits.len() => bits[i],
            Some(last) if self.signed() => *last,
            _ => Bit::Constant(false),
        }
    }

    /// Whether its inputs have signs.
    fn signed(&self) -> bool {
        let [a, b] = ["A", "B"].map(|port| self.cell.number(&format!("{port}_SIGNED")) == 1);
        a && (b || !self.cell.connections.contains_key("B"))
    }

    /// Its output's bits. `read` is what [`reads`](Self::reads) says, with nothing for a bit without a value.
    pub fn gates(&self, d: &mut Draft, read: &[Option<Lit>], lookups: bool) -> Result<Vec<Lit>, String> {
        let kind = self.cell.kind.as_str();
        if matches!(kind, "$mux" | "$pmux" | "$bwmux") {
            return choice(d, read).map(|bit| vec![bit]);
        }
        let blank = matches!(kind, "$shift" | "$shiftx").then_some(Lit::FALSE);
        let read: Option<Vec<Lit>> = read.iter().map(|bit| bit.or(blank)).collect();
        let Some(read) = read else {
            let name = kind.trim_start_matches('$');
            return Err(format!("the operator {name} reads a bit without a value (x)"));
        };
        match shape(kind) {
            Shape::Bitwise => Ok(vec![bitwise(d, kind, &read)]),
            Shape::Memory => self.memory(d, &read, lookups),
            _ => Ok(self.operator(d, &read)),
        }
    }

    fn operator(&self, d: &mut Draft, read: &[Lit]) -> Vec<Lit> {
        let cell = self.cell;
        let (width, signed) = (cell.port("Y").len(), self.signed());
        let (a, rest) = read.split_at(cell.port("A").len());
        let (b, s) = rest.split_at(cell.port("B").len());
        let wide = |word: &[Lit], bits: usize| words::extended(word, bits, signed);
        let most = a.len().max(b.len());
        let (wa, wb) = (wide(a, most), wide(b, most));
        let kind = cell.kind.as_str();
        let bits = match kind {
            "$neg" => words::negate_if(d, Lit::TRUE, &wide(a, width)),
            "$add" => words::add(d, &wide(a, width), &wide(b, width), Lit::FALSE).0,
            "$sub" => words::sub(d, &wide(a, width), &wide(b, width)).0,
            "$mul" => words::mul(d, a, b, signed, width),
            "$div" | "$mod" if signed => signed_division(d, &wa, &wb, width, kind == "$div"),
            "$div" => words::divide(d, a, b).0,
            "$mod" => words::divide(d, a, b).1,
            "$lt" => vec![words::less(d, &wa, &wb, signed)],
            "$ge" => vec![!words::less(d, &wa, &wb, signed)],
            "$gt" => vec![words::less(d, &wb, &wa, signed)],
            "$le" => vec![!words::less(d, &wb, &wa, signed)],
            "$eq" | "$eqx" => vec![words::equal(d, &wa, &wb)],
            "$ne" | "$nex" => vec![!words::equal(d, &wa, &wb)],
            "$reduce_and" => vec![words::all(d, a)],
            "$reduce_or" | "$reduce_bool" => vec![words::any(d, a)],
            "$reduce_xor" => vec![d.xor_all(a.iter().copied())],
            "$reduce_xnor" => vec![!d.xor_all(a.iter().copied())],
            "$logic_not" => vec![!words::any(d, a)],
            "$logic_and" => {
                let (a, b) = (words::any(d, a), words::any(d, b));
                vec![d.and(a, b)]
            }
            "$logic_or" => {
                let (a, b) = (words::any(d, a), words::any(d, b));
                vec![d.or(a, b)]
            }
            "$bmux" => {
                let by = scaled(d, s, width);
                words::down(d, a, &by, Lit::FALSE)
            }
            "$demux" => {
                let by = scaled(d, s, a.len());
                words::up(d, &wide(a, width), &by)
            }
            _ => self.shift(d, a, b),
        };
        words::extended(&bits, width, false)
    }

    /// The shifts. Beyond the ends are zeros, but for what `>>>` brings in.
    fn shift(&self, d: &mut Draft, a: &[Lit], by: &[Lit]) -> Vec<Lit> {
        let signed = self.cell.number("A_SIGNED") == 1;
        let a = words::extended(a, a.len().max(self.cell.port("Y").len()), signed);
        let sign = a.last().copied().unwrap_or(Lit::FALSE);
        match self.cell.kind.as_str() {
            "$shl" | "$sshl" => words::up(d, &a, by),
            "$sshr" if signed => words::down(d, &a, by, sign),
            "$shift" | "$shiftx" if self.cell.number("B_SIGNED") == 1 => {
                let Some((below, bits)) = by.split_last() else { return a };
                let right = words::down(d, &a, bits, Lit::FALSE);
                let opposite = words::negate_if(d, Lit::TRUE, by);
                let left = words::up(d, &a, &opposite);
                words::select(d, *below, &left, &right)
            }
            _ => words::down(d, &a, by, Lit::FALSE),
        }
    }

    fn memory(&self, d: &mut Draft, at: &[Lit], lookups: bool) -> Result<Vec<Lit>, String> {
        let cell = self.cell;
        let [size, width, offset] = ["SIZE", "WIDTH", "OFFSET"].map(|name| cell.number(name));
        let name = cell.digits("MEMID").trim_start_matches('\\');
        let digits = cell.digits("INIT").as_bytes();
        if cell.number("WR_PORTS") > 0 {
            return Err(format!("memory {name} is written; a circuit has only tables of constants"));
        }
        if offset != 0 || at.len() > 16 || digits.len() != size * width {
            return Err(format!("memory {name}; accepted: rows from 0 on, at most 65536, all with values"));
        }
        let row = |i: usize| (0..width).map(move |j| digits[digits.len() - 1 - i * width - j]);
        if (0..size).flat_map(row).any(|digit| digit != b'0' && digit != b'1') {
            return Err(format!("memory {name} has bits without a value (x)"));
        }
        let rows: Vec<Vec<bool>> = (0..size).map(|i| row(i).map(|digit| digit == b'1').collect()).collect();
        if !lookups || at.is_empty() || at.iter().all(|bit| bit.constant().is_some()) {
            return Ok(words::table(d, &rows, width, at));
        }
        let mut bits = Vec::with_capacity(width);
        for first in (0..width).step_by(TruthTable::MAX_OUTPUTS as usize) {
            let some = (width - first).min(TruthTable::MAX_OUTPUTS as usize);
            let value = |i: u64| {
                let row = rows.get(i as usize).map_or(&[][..], |row| &row[first..first + some]);
                row.iter().rev().fold(0, |value, bit| value << 1 | u64::from(*bit))
            };
            let table =
                TruthTable::tabulate(at.len() as u32, some as u32, value).map_err(|e| e.to_string())?;
            bits.extend(d.lookup(&Arc::new(table), at));
        }
        Ok(bits)
    }
}

/// Of a default, as many cases and as many bits that choose one, at most one of which is 1.
fn choice(d: &mut Draft, read: &[Option<Lit>]) -> Result<Lit, String> {
    let cases = (read.len() - 1) / 2;
    if read[..=cases].iter().all(Option::is_none) {
        return Err("a choice of nothing but bits without a value (x)".into());
    }
    // What has no value is 0: all who read the source find the same.
    let given = |bit: Option<Lit>| bit.unwrap_or(Lit::FALSE);
    let base = given(read[0]);
    let mut sum = Vec::with_capacity(cases);
    for (case, choose) in read[1..=cases].iter().zip(&read[cases + 1..]) {
        let Some(choose) = *choose else { return Err("a choice reads a bit without a value (x)".into()) };
        let differ = d.xor(given(*case), base);
        sum.push(d.and(choose, differ));
    }
    let change = d.xor_all(sum);
    Ok(d.xor(base, change))
}

fn bitwise(d: &mut Draft, kind: &str, read: &[Lit]) -> Lit {
    match (kind, read) {
        ("$not", [a]) => !*a,
        ("$and", [a, b]) => d.and(*a, *b),
        ("$or", [a, b]) => d.or(*a, *b),
        ("$xor", [a, b]) => d.xor(*a, *b),
        ("$xnor", [a, b]) => !d.xor(*a, *b),
        _ => read[0],
    }
}

/// The number times a width, as a number to move by.
fn scaled(d: &mut Draft, number: &[Lit], width: usize) -> Vec<Lit> {
    let bits = usize::BITS as usize - width.leading_zeros() as usize;
    let width: Vec<Lit> = (0..bits).map(|i| Lit::FALSE.negate_if(width >> i & 1 == 1)).collect();
    words::mul(d, number, &width, false, number.len() + bits)
}

/// Towards zero; the rest has the sign of what is divided.
fn signed_division(d: &mut Draft, a: &[Lit], b: &[Lit], width: usize, quotient: bool) -> Vec<Lit> {
    let last = a.len() - 1;
    let (sign, other) = (a[last], b[last]);
    let (a, b) = (words::negate_if(d, sign, a), words::negate_if(d, other, b));
    let (whole, rest) = words::divide(d, &a, &b);
    let differ = d.xor(sign, other);
    let (size, negate) = if quotient { (whole, differ) } else { (rest, sign) };
    words::negate_if(d, negate, &words::extended(&size, width, false))
}
