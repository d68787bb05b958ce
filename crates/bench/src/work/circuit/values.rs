//! What goes into a circuit, and whether what comes out is right.

use std::{io::Read, ops::Range};

use hushtable::{
    Role,
    circuit::{Circuit, Port},
};
use hushtable_columns::failure::{Failure, Result};
use prim::ring::low;

use crate::{inputs, lanes};

/// Values for the input ports.
pub struct Values<'a> {
    pub circuit: &'a Circuit,
    /// Who knows each of them.
    pub known: &'a [Option<Role>],
}

/// Words of 64 bits that a port's value has.
fn each(port: &Port) -> usize {
    port.bits().div_ceil(64)
}

/// Random words for a port, of the evaluations number `rows`.
fn drawn(port: &Port, what: u64, rows: &Range<usize>) -> Vec<u64> {
    let words = inputs::words(port.name(), what, rows.start as u64);
    let width = |word: usize| (port.bits() - 64 * (word % each(port))).min(64) as u32;
    words.enumerate().map(|(i, word)| low(word, width(i))).take(each(port) * rows.len()).collect()
}

fn value(port: &Port, rows: &Range<usize>) -> Vec<u64> {
    drawn(port, 0, rows)
}

impl Values<'_> {
    /// What a party gives of each port: its value if it knows it, a share, or nothing.
    pub fn of(&self, role: Role, rows: Range<usize>) -> Vec<Vec<u64>> {
        let share = |port: &Port| {
            let mask = drawn(port, 1, &rows);
            match role {
                Role::P0 => mask,
                Role::P1 => value(port, &rows).iter().zip(mask).map(|(value, mask)| value ^ mask).collect(),
            }
        };
        let ports = self.circuit.inputs().iter().zip(self.known);
        let given = ports.map(|(port, known)| match known {
            None => share(port),
            Some(known) if *known == role => value(port, &rows),
            Some(_) => Vec::new(),
        });
        given.collect()
    }

    /// Compares the evaluations number `rows`, 64 at a time: P1's shares of all columns, and P0's, which `from` has.
    pub fn check(&self, rows: Range<usize>, mine: &[u64], from: &mut dyn Read) -> Result<()> {
        let mut found = Vec::with_capacity(mine.len());
        for word in mine {
            found.push(word ^ lanes::word(from)?);
        }
        let given: Vec<Vec<u64>> = self.circuit.inputs().iter().map(|port| value(port, &rows)).collect();
        for start in (0..rows.len()).step_by(64) {
            let items = start..rows.len().min(start + 64);
            let ports = self.circuit.inputs().iter().zip(&given);
            let planes: Vec<u64> = ports.flat_map(|(port, words)| planes(port, words, &items)).collect();
            let outputs = self.circuit.forms()[0].eval(&planes);
            self.compare(&rows, &items, &outputs, &found)?;
        }
        Ok(())
    }

    /// Compares the evaluations `items` of a piece, from the bits of each output and the words of all columns.
    fn compare(&self, rows: &Range<usize>, items: &Range<usize>, bits: &[u64], found: &[u64]) -> Result<()> {
        let (mut bits, mut found) = (bits, found);
        for port in self.circuit.outputs() {
            let (own, other_bits) = bits.split_at(port.bits());
            let (column, other_columns) = found.split_at(each(port) * rows.len());
            for item in items.clone() {
                let bit = |i: usize| (own[i] >> (item - items.start) & 1) << (i % 64);
                let word = |word: usize| (64 * word..port.bits().min(64 * word + 64)).map(bit).sum();
                let want: Vec<u64> = (0..each(port)).map(word).collect();
                let got = &column[item * each(port)..][..each(port)];
                if want != got {
                    let [want, got] = [&want[..], got].map(|words| port.kind().print_value(words));
                    let (number, name) = (rows.start + item, port.name());
                    return Err(Failure::Check(format!(
                        "evaluation {number}: {name} is {want}, the shares give {got}"
                    )));
                }
            }
            (bits, found) = (other_bits, other_columns);
        }
        Ok(())
    }
}

/// Of each bit of a port that of up to 64 evaluations.
fn planes(port: &Port, words: &[u64], items: &Range<usize>) -> Vec<u64> {
    let bit = |i: usize| {
        let of = |item: usize| (words[item * each(port) + i / 64] >> (i % 64) & 1) << (item - items.start);
        items.clone().map(of).sum()
    };
    (0..port.bits()).map(bit).collect()
}

#[cfg(test)]
mod tests {
    use hushtable_jobs::circuit;

    use super::*;

    /// Of outputs of two words and of a bit.
    #[test]
    fn verification_sees_every_bit() {
        for (name, known) in [("lib:multiply64_wide", [Some(Role::P1), None]), ("lib:less_i32", [None; 2])] {
            let circuit = circuit::load(name.as_ref()).expect("a circuit");
            let values = Values { circuit: &circuit, known: &known };
            let rows = 70..170;
            let [x, y] = [0, 1].map(|i| value(&circuit.inputs()[i], &rows));
            let mine = values.of(Role::P1, rows.clone());
            assert!(!mine[0].is_empty());
            let column: Vec<u64> = match circuit.outputs()[0].bits() {
                1 => x.iter().zip(&y).map(|(x, y)| u64::from((*x as i32) < *y as i32)).collect(),
                _ => {
                    let product = |(x, y): (&u64, &u64)| u128::from(*x) * u128::from(*y);
                    x.iter().zip(&y).map(product).flat_map(|xy| [xy as u64, (xy >> 64) as u64]).collect()
                }
            };
            let mask = |i: usize| (i as u64 + 1).wrapping_mul(0x9e37_79b9) & circuit_mask(&circuit);
            let mine: Vec<u64> = column.iter().enumerate().map(|(i, word)| word ^ mask(i)).collect();
            let handed: Vec<u8> = (0..mine.len()).flat_map(|i| mask(i).to_le_bytes()).collect();
            values.check(rows.clone(), &mine, &mut &handed[..]).expect("right results");
            for at in [0, 8 * 63, handed.len() - 8] {
                let mut wrong = handed.clone();
                wrong[at] ^= 1;
                let refused = values.check(rows.clone(), &mine, &mut &wrong[..]);
                assert!(matches!(refused, Err(Failure::Check(_))), "{name}, byte {at}");
            }
            assert!(values.check(rows.clone(), &mine, &mut &handed[..handed.len() - 1]).is_err());
        }
    }

    fn circuit_mask(circuit: &Circuit) -> u64 {
        u64::MAX >> (64 - circuit.outputs()[0].bits().min(64))
    }

    /// Shares of a port make its value, and nobody has what the peer knows.
    #[test]
    fn inputs_fit_who_knows_them() {
        let circuit = circuit::load("lib:aes128".as_ref()).expect("a circuit");
        let known = [None, Some(Role::P1)];
        let values = Values { circuit: &circuit, known: &known };
        let [p0, p1] = [Role::P0, Role::P1].map(|role| values.of(role, 3..8));
        let xor: Vec<u64> = p0[0].iter().zip(&p1[0]).map(|(a, b)| a ^ b).collect();
        assert_eq!(xor, value(&circuit.inputs()[0], &(3..8)));
        assert!(p0[0] != xor && p0[1].is_empty() && p1[1].len() == 10);
    }
}
