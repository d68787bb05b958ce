//! Truth tables of lookups.

use crate::error::{Error, Result};

/// What a lookup reads: a row of output bits for each value of its inputs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TruthTable {
    inputs: u32,
    outputs: u32,
    rows: Vec<u64>,
}

impl TruthTable {
    /// Most inputs.
    pub const MAX_INPUTS: u32 = 16;
    /// Most outputs.
    pub const MAX_OUTPUTS: u32 = 64;

    /// Of 1 to 16 inputs and 1 to 64 outputs. Row i is for the inputs whose bits i has, the first one lowest; bit j of it
    /// is output j.
    ///
    /// # Errors
    /// [`Error::Circuit`] for other numbers, for more or fewer rows, and for a row with more bits.
    pub fn new(inputs: u32, outputs: u32, rows: Vec<u64>) -> Result<Self> {
        if !(1..=Self::MAX_INPUTS).contains(&inputs) || !(1..=Self::MAX_OUTPUTS).contains(&outputs) {
            return Error::of(format!(
                "a table of {inputs} inputs and {outputs} outputs; accepted: 1 to 16, and 1 to 64"
            ));
        }
        if rows.len() != 1 << inputs {
            return Error::of(format!("a table of {} rows; accepted: {}", rows.len(), 1u32 << inputs));
        }
        if let Some(row) = rows.iter().find(|row| **row >> (outputs - 1) > 1) {
            return Error::of(format!("a row {row:x} of a table of {outputs} outputs"));
        }
        Ok(Self { inputs, outputs, rows })
    }

    /// Each row made of its number.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn tabulate(inputs: u32, outputs: u32, row: impl FnMut(u64) -> u64) -> Result<Self> {
        Self::new(inputs, outputs, (0..1 << inputs.min(Self::MAX_INPUTS)).map(row).collect())
    }

    /// How many inputs it has.
    pub fn inputs(&self) -> u32 {
        self.inputs
    }

    /// How many outputs.
    pub fn outputs(&self) -> u32 {
        self.outputs
    }

    /// The rows.
    pub fn rows(&self) -> &[u64] {
        &self.rows
    }

    /// The outputs for 64 evaluations side by side.
    pub(crate) fn eval(&self, inputs: &[u64], out: &mut [u64]) {
        out.fill(0);
        for item in 0..64 {
            let row = inputs.iter().rev().fold(0, |row, word| row << 1 | (word >> item & 1) as usize);
            let bits = self.rows[row];
            out.iter_mut().enumerate().for_each(|(j, out)| *out |= (bits >> j & 1) << item);
        }
    }
}
