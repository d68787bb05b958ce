//! The rows of a truth table as BLIF has them: 0, 1 or - for each input, and the output.

use logic::{Draft, Lit};

use crate::{
    error::{Error, Result},
    patterns::counted,
    words::{all, any},
};

/// Inputs up to which a table is made of its values, and not of its rows.
const NARROW: usize = 6;

/// Rows, each of which says where the output has a value.
pub struct Cover {
    inputs: usize,
    rows: Vec<String>,
    /// What the output is in the rows.
    value: bool,
}

impl Cover {
    pub fn new(inputs: usize) -> Self {
        Self { inputs, rows: Vec::new(), value: true }
    }

    /// One more row.
    pub fn row(&mut self, line: usize, words: &[&str]) -> Result<()> {
        let (row, output) = match *words {
            [output] if self.inputs == 0 => ("", output),
            [row, output] => (row, output),
            _ => return Error::line(line, "a row: what the inputs are, and what the output is"),
        };
        if row.len() != self.inputs || row.bytes().any(|byte| !b"01-".contains(&byte)) {
            return Error::line(
                line,
                format!("row {row:?}; accepted: 0, 1 or - for each of {} inputs", self.inputs),
            );
        }
        let value = match output {
            "0" => false,
            "1" => true,
            _ => return Error::line(line, format!("output {output:?}; accepted: 0 and 1")),
        };
        if !self.rows.is_empty() && value != self.value {
            return Error::line(line, "rows of one table for both values of the output");
        }
        self.value = value;
        self.rows.push(row.into());
        Ok(())
    }

    /// The output. Without a row it is 0.
    pub fn gates(&self, d: &mut Draft, inputs: &[Lit]) -> Lit {
        let covered = if inputs.len() <= NARROW {
            let table = self.rows.iter().fold(0, |all, row| {
                let bits = row.bytes().zip((0..).map(|i| counted(i, 0)));
                all | bits.fold(u64::MAX, |one, (byte, input)| match byte {
                    b'0' => one & !input,
                    b'1' => one & input,
                    _ => one,
                })
            });
            narrow(d, table, inputs)
        } else {
            let row = |row: &String| {
                let bits = row.bytes().zip(inputs).filter(|(byte, _)| *byte != b'-');
                bits.map(|(byte, lit)| lit.negate_if(byte == b'0')).collect::<Vec<Lit>>()
            };
            let rows: Vec<Lit> = self.rows.iter().map(|text| all(d, &row(text))).collect();
            any(d, &rows)
        };
        covered.negate_if(!self.value)
    }
}

/// A function of few inputs: one AND for each on which it depends other than by a sum.
fn narrow(d: &mut Draft, table: u64, inputs: &[Lit]) -> Lit {
    let Some((last, rest)) = inputs.split_last() else { return Lit::FALSE.negate_if(table & 1 == 1) };
    let shift = 1 << rest.len();
    let low = |word: u64| if shift == 64 { word } else { word & ((1 << shift) - 1) };
    let spread = |mut word: u64| {
        let mut width = shift;
        while width < 64 {
            word |= word << width;
            width *= 2;
        }
        word
    };
    let (zero, one) = (spread(low(table)), spread(low(table >> shift)));
    let base = narrow(d, zero, rest);
    let change = narrow(d, zero ^ one, rest);
    let chosen = d.and(*last, change);
    d.xor(base, chosen)
}
