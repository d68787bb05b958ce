//! Columns in words of 64 bits: narrow ones share a word, each with its own subtraction.

use hushtable::{share::Sharing, terms::Value};
use prim::{Wiped, ring::low};
use zeroize::Zeroizing;

/// A column of the other party, as it is shared in the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Column {
    /// Width of its words, 1 to 64.
    pub bits: u32,
    /// Additive, or by XOR, as vectors of bits are.
    pub sharing: Sharing,
}

impl From<Column> for Value {
    fn from(column: Column) -> Self {
        Self::Text(format!("{} of {} bits", Value::text(column.sharing), column.bits))
    }
}

impl Column {
    /// Numbers mod `2^bits`.
    pub fn additive(bits: u32) -> Self {
        Self { bits, sharing: Sharing::Additive }
    }

    /// Bits.
    pub fn bitwise(bits: u32) -> Self {
        Self { bits, sharing: Sharing::Xor }
    }
}

/// Where columns lie: each in a word, from a bit on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Layout {
    places: Vec<(Column, usize, u32)>,
    words: usize,
    widths: [Vec<u32>; 2],
}

impl Layout {
    /// In the first word with room for them.
    pub fn of(columns: &[Column]) -> Self {
        let mut used: Vec<u32> = Vec::new();
        let place = |column: &Column| {
            let word = used.iter().position(|used| used + column.bits <= 64).unwrap_or_else(|| {
                used.push(0);
                used.len() - 1
            });
            used[word] += column.bits;
            (*column, word, used[word] - column.bits)
        };
        let places = columns.iter().map(place).collect();
        let widths = [Sharing::Additive, Sharing::Xor].map(|kind| {
            columns.iter().filter(|column| column.sharing == kind).map(|column| column.bits).collect()
        });
        Self { places, words: used.len(), widths }
    }

    pub fn words(&self) -> usize {
        self.words
    }

    pub fn columns(&self) -> Vec<Column> {
        self.places.iter().map(|place| place.0).collect()
    }

    /// Widths of additive and of XOR shared columns.
    pub fn widths(&self) -> &[Vec<u32>; 2] {
        &self.widths
    }

    /// Replaces words of masks by those of values less the masks.
    pub fn hide(&self, words: &mut [u64], value: impl Fn(usize) -> u64) {
        for (i, &(column, word, at)) in self.places.iter().enumerate() {
            let field = low(u64::MAX, column.bits) << at;
            let mask = (words[word] & field) >> at;
            let hidden = match column.sharing {
                Sharing::Additive => value(i).wrapping_sub(mask),
                Sharing::Xor => value(i) ^ mask,
            };
            words[word] = words[word] & !field | low(hidden, column.bits) << at;
        }
    }

    fn of_kind(&self, kind: Sharing) -> impl Iterator<Item = &(Column, usize, u32)> {
        self.places.iter().filter(move |place| place.0.sharing == kind)
    }

    /// All columns of a kind, from the words of all bins.
    pub fn columns_of(&self, kind: Sharing, words: &[Wiped<u64>]) -> Vec<Wiped<u64>> {
        let column = |&(column, word, at): &(Column, usize, u32)| {
            Wiped::from(words[word].iter().map(|word| low(word >> at, column.bits)).collect::<Vec<u64>>())
        };
        self.of_kind(kind).map(column).collect()
    }

    /// Puts additive columns and XOR shared ones into the words of all bins.
    pub fn put(&self, words: &mut [Wiped<u64>], columns: &[Zeroizing<Vec<Vec<u64>>>; 2]) {
        for (kind, columns) in [Sharing::Additive, Sharing::Xor].into_iter().zip(columns) {
            for (&(column, word, at), values) in self.of_kind(kind).zip(columns.iter()) {
                let rest = !(low(u64::MAX, column.bits) << at);
                words[word]
                    .iter_mut()
                    .zip(values)
                    .for_each(|(word, value)| *word = *word & rest | value << at);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn narrow_columns_share_words() {
        let columns = [Column::additive(40), Column::additive(40), Column::bitwise(24), Column::additive(20)];
        let layout = Layout::of(&columns);
        assert_eq!((layout.words(), layout.widths()), (2, &[vec![40, 40, 20], vec![24]]));
        let (mut words, values) = ([0x0123_4567_89ab_cdef, u64::MAX], [1u64 << 39, 7, 0xabcdef, 0]);
        let masks = words;
        layout.hide(&mut words, |i| values[i]);
        let field =
            |words: &[u64; 2], (column, word, at): (Column, usize, u32)| low(words[word] >> at, column.bits);
        for (place, value) in layout.places.iter().zip(values) {
            let (hidden, mask) = (field(&words, *place), field(&masks, *place));
            let sum = if place.0.sharing == Sharing::Xor { hidden ^ mask } else { hidden.wrapping_add(mask) };
            assert_eq!(low(sum, place.0.bits), value);
        }
    }
}
