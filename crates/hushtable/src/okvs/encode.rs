//! Step 2.

use prim::{Block, Prg, Wiped, gf64};

use super::{
    peel::{Columns, Peeled},
    rows::{BATCH, Hashing, Rows},
    size::Size,
    solve::Equations,
};
use crate::error::{Error, Result, same};

/// A table of `size.columns()` columns of `width` words that has `rows`, `width` words each, at these keys. `rng` decides
/// what nothing else does.
///
/// # Errors
/// [`Error::Chance`] if the rows are dependent: with probability `2^-44` at most if keys are distinct and no more than
/// `size` is for. [`Error::Shape`] unless there is a row for each key.
pub fn encode(
    with: &Hashing,
    size: Size,
    keys: &[Block],
    rows: &[u64],
    width: usize,
    rng: &mut Prg,
) -> Result<Wiped<u64>> {
    same("words for the keys", keys.len() * width, rows.len())?;
    let mut table = Wiped::zeros(size.columns() * width);
    rng.words(64, &mut table);
    let matrix = Matrix::hash(with, size, keys);
    let mut columns = Columns::default();
    for (cluster, bounds) in matrix.starts.windows(2).enumerate() {
        let at = bounds[0]..bounds[1];
        let first = (cluster * size.cluster()) as u32;
        let mut part = Cluster {
            places: &matrix.places[at.clone()],
            factors: &matrix.factors[at.clone()],
            keys: &matrix.order[at],
            rows,
            width,
            first,
            table: &mut table[first as usize * width..][..size.cluster() * width],
        };
        let peeled = columns.peel(part.places, first, size.cluster());
        part.solve_core(&peeled.core)?;
        part.solve_peeled(&peeled);
    }
    Ok(table)
}

/// All rows of the matrix, cluster by cluster.
struct Matrix {
    places: Wiped<[u32; 3]>,
    factors: Wiped<[u64; 2]>,
    /// The key of each row.
    order: Wiped<u32>,
    /// The first row of each cluster, and their number.
    starts: Wiped<usize>,
}

impl Matrix {
    fn hash(with: &Hashing, size: Size, keys: &[Block]) -> Self {
        let (mut places, mut factors) = (Wiped::zeros(keys.len()), Wiped::zeros(keys.len()));
        let mut order = Wiped::zeros(keys.len());
        let mut rows = Rows::new();
        let mut starts = Wiped::<usize>::zeros(size.clusters() + 1);
        let cluster = |places: &[u32; 3]| places[0] as usize / size.cluster();
        // Hashed twice: that is faster than to move what is hashed to its cluster.
        for keys in keys.chunks(BATCH) {
            rows.hash(with, size, keys);
            rows.places[..keys.len()].iter().for_each(|places| starts[cluster(places) + 1] += 1);
        }
        (1..starts.len()).for_each(|i| starts[i] += starts[i - 1]);
        let mut next = Wiped::from(starts.to_vec());
        for (first, keys) in (0u32..).step_by(BATCH).zip(keys.chunks(BATCH)) {
            rows.hash(with, size, keys);
            let rows = rows.places.iter().zip(rows.coefficients.iter()).take(keys.len());
            for (i, (place, factor)) in (first..).zip(rows) {
                let to = &mut next[cluster(place)];
                (places[*to], factors[*to], order[*to]) = (*place, *factor, i);
                *to += 1;
            }
        }
        Self { places, factors, order, starts }
    }
}

/// A cluster under way.
struct Cluster<'a> {
    places: &'a [[u32; 3]],
    factors: &'a [[u64; 2]],
    keys: &'a [u32],
    rows: &'a [u64],
    width: usize,
    /// Its first column.
    first: u32,
    table: &'a mut [u64],
}

impl Cluster<'_> {
    /// Where a column's words begin.
    fn at(&self, place: u32) -> usize {
        (place - self.first) as usize * self.width
    }

    /// The words that a row stands for.
    fn row(&self, row: u32) -> &[u64] {
        &self.rows[self.keys[row as usize] as usize * self.width..][..self.width]
    }

    /// A row's coefficient at the column `i` of its three.
    fn factor(&self, row: u32, i: usize) -> u64 {
        let [second, third] = self.factors[row as usize];
        [1, second, third][i]
    }

    fn solve_core(&mut self, core: &[u32]) -> Result<()> {
        if core.is_empty() {
            return Ok(());
        }
        let mut columns = Wiped::<u32>::from(Vec::with_capacity(3 * core.len()));
        columns.extend(core.iter().flat_map(|&row| self.places[row as usize]));
        columns.sort_unstable();
        columns.dedup();
        let mut system = Equations::new(core.len(), columns.len(), self.width);
        for (i, &row) in core.iter().enumerate() {
            let (factors, right) = system.row(i);
            for (j, place) in self.places[row as usize].iter().enumerate() {
                factors[columns.binary_search(place).expect("its column")] = self.factor(row, j);
            }
            right.copy_from_slice(self.row(row));
        }
        let mut unknowns = Wiped::from(Vec::with_capacity(columns.len() * self.width));
        columns
            .iter()
            .for_each(|&place| unknowns.extend_from_slice(&self.table[self.at(place)..][..self.width]));
        system.solve(&mut unknowns).ok_or(Error::Chance("encoding a key-value store"))?;
        for (&place, words) in columns.iter().zip(unknowns.chunks_exact(self.width.max(1))) {
            let at = self.at(place);
            self.table[at..][..self.width].copy_from_slice(words);
        }
        Ok(())
    }

    /// From the last round to the first.
    fn solve_peeled(&mut self, peeled: &Peeled) {
        let width = self.width;
        let own = peeled.order.iter().map(|&[row, own]| self.factor(row, own as usize));
        let mut inverses = Wiped::from(own.collect::<Vec<u64>>());
        gf64::invert_all(&mut inverses);
        let mut room = [(); 3].map(|()| Wiped::<u64>::zeros(BATCH * width));
        for (i, &end) in peeled.rounds.iter().enumerate().rev() {
            let start = if i == 0 { 0 } else { peeled.rounds[i - 1] };
            let parts = peeled.order[start..end].chunks(BATCH).zip(inverses[start..end].chunks(BATCH));
            parts.for_each(|(order, inverses)| self.solve_round(order, inverses, &mut room));
        }
    }

    /// Some rows of a round: `inverse of the own coefficient * (row ^ the other columns)`.
    fn solve_round(&mut self, order: &[[u32; 2]], inverses: &[u64], room: &mut [Wiped<u64>; 3]) {
        let (width, len) = (self.width, order.len() * self.width);
        if width == 0 {
            return;
        }
        let [sums, words, factors] = room.each_mut().map(|words| &mut words[..len]);
        for (sum, &[row, _]) in sums.chunks_exact_mut(width).zip(order) {
            sum.copy_from_slice(self.row(row));
        }
        for turn in [1, 2] {
            let each = words.chunks_exact_mut(width).zip(factors.chunks_exact_mut(width)).zip(order);
            for ((words, factors), &[row, own]) in each {
                let other = (own as usize + turn) % 3;
                words.copy_from_slice(&self.table[self.at(self.places[row as usize][other])..][..width]);
                factors.fill(self.factor(row, other));
            }
            gf64::mul_add(sums, factors, words);
        }
        factors.chunks_exact_mut(width).zip(inverses).for_each(|(factors, &inverse)| factors.fill(inverse));
        gf64::mul(sums, factors);
        for (words, &[row, own]) in sums.chunks_exact(width).zip(order) {
            let at = self.at(self.places[row as usize][own as usize]);
            self.table[at..][..width].copy_from_slice(words);
        }
    }
}
