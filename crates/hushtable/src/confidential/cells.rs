//! Cells, three of which give a row: a store of bits, for keys whose places are pseudo-random.
//!
//! # Functionality
//! In: for each of n keys three cells, one in each third, and a row of words. Out: cells such that the XOR of a key's
//! three is its row; all others are random. If rows are uniform, so are the cells, whatever the keys are.
//!
//! # Protocol
//! None, it is local. Keys with a cell of their own are peeled, again and again; then the cells are filled from the key
//! peeled last to the first. There is no second way for keys that are left: **their owner draws new places**. That tells
//! nobody anything only where nobody else knows the places, or all keys that the other party sees are among those of
//! the table; else [`okvs`](crate::okvs) is the store to take.
//!
//! Branches and addresses depend on the owner's keys, as in `okvs`: it works alone, before a session.
//!
//! # Cost
//! From 1.23 cells a key on, many keys fail seldom; with 1.25 and more a few tries do for any number.
//!
//! # Source
//! Botelho, Pagh, Ziviani (WADS 2007) for the peeling of three cells; confidential-beyond 2.

use prim::{Wiped, prg::Prg};

use crate::okvs::Columns;

/// In which order keys got a cell of their own, and which of their three it is.
pub(super) struct Order {
    peeled: Wiped<[u32; 2]>,
    cells: usize,
}

/// `None` if there is a key that has no cell of its own when all the others that have one are gone.
///
/// # Panics
/// For a cell beyond the last.
pub(super) fn peel(places: &[[u32; 3]], cells: usize) -> Option<Order> {
    let peeled = Columns::default().peel(places, 0, cells);
    peeled.core.is_empty().then_some(Order { peeled: peeled.order, cells })
}

/// Cells of `width` words each.
///
/// # Panics
/// Unless there are `width` words for each key.
pub(super) fn fill(
    places: &[[u32; 3]],
    order: &Order,
    width: usize,
    rows: &[u64],
    rng: &mut Prg,
) -> Wiped<u64> {
    assert_eq!(rows.len(), places.len() * width, "a row for each key");
    let mut filled = Wiped::zeros(order.cells * width);
    rng.words(64, &mut filled);
    for &[row, own] in order.peeled.iter().rev() {
        let (row, own) = (row as usize, own as usize);
        let [mine, second, third] = [0, 1, 2].map(|i| places[row][(own + i) % 3] as usize * width);
        for i in 0..width {
            filled[mine + i] = rows[row * width + i] ^ filled[second + i] ^ filled[third + i];
        }
    }
    filled
}

#[cfg(test)]
mod tests {
    use super::*;
    use prim::Block;

    fn places(keys: usize, third: u32, rng: &mut Prg) -> Vec<[u32; 3]> {
        (0..keys).map(|_| [0, 1, 2].map(|i| i * third + rng.below(third))).collect()
    }

    #[test]
    fn three_cells_give_the_row() {
        for (keys, third, width) in [(1, 1, 1), (3, 4, 2), (1000, 512, 1), (5000, 2084, 3)] {
            let rng = &mut Prg::new(Block(7));
            let mut rows = vec![0; keys * width];
            rng.words(64, &mut rows);
            let (places, cells) = loop {
                let places = places(keys, third, rng);
                if let Some(order) = peel(&places, 3 * third as usize) {
                    let cells = fill(&places, &order, width, &rows, rng);
                    break (places, cells);
                }
            };
            for (place, row) in places.iter().zip(rows.chunks(width)) {
                for (i, &word) in row.iter().enumerate() {
                    let sum = place.iter().fold(0, |sum, &cell| sum ^ cells[cell as usize * width + i]);
                    assert_eq!(sum, word);
                }
            }
        }
    }

    /// Zeros would tell which cells no key uses.
    #[test]
    fn cells_that_nothing_decides_are_random() {
        let rng = &mut Prg::new(Block(8));
        let places = [[0, 10, 20]];
        let cells = fill(&places, &peel(&places, 30).expect("one key"), 1, &[5], rng);
        assert_eq!(cells.iter().filter(|&&word| word == 0).count(), 0);
    }

    #[test]
    fn keys_with_the_same_cells_are_told() {
        assert!(peel(&[[0, 1, 2], [0, 1, 2]], 3).is_none());
    }
}
