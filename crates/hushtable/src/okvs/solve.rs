//! Gauss over `F_2^64`, for the rows that do not peel.

use prim::{Wiped, gf64};

/// A matrix with rows of equations, each with its right side behind it.
pub(super) struct Equations {
    unknowns: usize,
    width: usize,
    words: Wiped<u64>,
}

impl Equations {
    /// So many equations, all zero, with right sides of `width` words.
    pub(super) fn new(count: usize, unknowns: usize, width: usize) -> Self {
        Self { unknowns, width, words: Wiped::zeros(count * (unknowns + width)) }
    }

    /// An equation: its factors and its right side.
    pub(super) fn row(&mut self, i: usize) -> (&mut [u64], &mut [u64]) {
        let len = self.unknowns + self.width;
        self.words[i * len..][..len].split_at_mut(self.unknowns)
    }

    /// Solves for the unknowns, `width` words each, in the place of what they are given: those that nothing decides
    /// stay as they are. `None` if an equation follows from others.
    pub(super) fn solve(mut self, unknowns: &mut [u64]) -> Option<()> {
        let (len, width) = (self.unknowns + self.width, self.width);
        let count = self.words.len() / len.max(1);
        let mut pivots = Wiped::<usize>::from(Vec::with_capacity(count));
        let mut own = Wiped::zeros(len);
        for i in 0..count {
            let pivot = self.row(i).0.iter().position(|&x| x != 0)?;
            let mut inverse = [self.row(i).0[pivot]];
            gf64::invert_all(&mut inverse);
            own.copy_from_slice(&self.words[i * len..][..len]);
            gf64::scale(&mut own, inverse[0]);
            for (j, row) in self.words.chunks_exact_mut(len).enumerate() {
                if j == i {
                    row.copy_from_slice(&own);
                } else if row[pivot] != 0 {
                    let factor = row[pivot];
                    gf64::scale_add(row, &own, factor);
                }
            }
            pivots.push(pivot);
        }
        let mut bound = Wiped::<u8>::zeros(self.unknowns);
        pivots.iter().for_each(|&pivot| bound[pivot] = 1);
        let mut free = Wiped::<usize>::from(Vec::with_capacity(self.unknowns));
        free.extend((0..self.unknowns).filter(|&at| bound[at] == 0));
        for (i, &pivot) in pivots.iter().enumerate() {
            let (row, right) = self.row(i);
            for &at in free.iter() {
                gf64::scale_add(right, &unknowns[at * width..][..width], row[at]);
            }
            unknowns[pivot * width..][..width].copy_from_slice(right);
        }
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prim::{Block, Prg};

    /// Random systems of every rank: solutions hold, what is free stays, dependent rows are seen.
    #[test]
    fn solutions_hold() {
        let mut prg = Prg::new(Block(7));
        for (count, unknowns, width) in [(0, 3, 2), (1, 2, 1), (3, 5, 2), (6, 6, 1), (4, 9, 3), (3, 2, 1)] {
            let mut words = vec![0u64; count * (unknowns + width)];
            prg.words(64, &mut words);
            // A column that nobody uses, and rows with leading zeros.
            words.iter_mut().step_by(3).for_each(|word| *word = 0);
            let mut system = Equations::new(count, unknowns, width);
            system.words.copy_from_slice(&words);
            let mut found = vec![0u64; unknowns * width];
            prg.words(64, &mut found);
            let solved = system.solve(&mut found);
            assert_eq!(solved.is_some(), count <= unknowns, "{count} x {unknowns}");
            for row in words.chunks_exact(unknowns + width).filter(|_| solved.is_some()) {
                let (factors, right) = row.split_at(unknowns);
                for (word, &right) in right.iter().enumerate() {
                    let products =
                        factors.iter().enumerate().map(|(i, &f)| gf64::product(f, found[i * width + word]));
                    assert_eq!(products.fold(0, |sum, p| sum ^ p), right);
                }
            }
        }
        let mut twice = Equations::new(2, 3, 1);
        (0..2).for_each(|i| twice.row(i).0.copy_from_slice(&[0, 5, 7]));
        assert!(twice.solve(&mut [1, 2, 3]).is_none());
    }
}
