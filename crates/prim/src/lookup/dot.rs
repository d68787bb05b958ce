//! Sums of the entries of a public table, each times a secret word.

use crate::simd::{Isa, Op};
use crate::{Kernel, Ring, Shift};

/// Entries that are read side by side.
const STEP: usize = 8;

/// A public table, laid out so that every shift of it is read in order.
pub struct Shifted<R> {
    group: Shift,
    entries: usize,
    tables: Vec<R>,
}

impl<R: Ring> Shifted<R> {
    /// For shifts in `group`; takes up to 8 times the room of the table.
    ///
    /// # Panics
    /// Unless `table.len()` is a power of two.
    pub fn new(group: Shift, table: &[R]) -> Self {
        let n = table.len();
        assert!(n.is_power_of_two(), "entries");
        let tables = match group {
            // every rotation is a part of two turns
            Shift::Cyclic => [table, table].concat(),
            // the low bits of the shift choose one of the tables shifted by them
            Shift::Xor => (0..STEP.min(n)).flat_map(|low| (0..n).map(move |j| table[j ^ low])).collect(),
        };
        Self { group, entries: n, tables }
    }

    /// `out[b]` = sum over j of `rows[b][j] * table[j + by[b]]`, the index in the group, mod `2^WIDTH`.
    /// The shifts are PUBLIC.
    ///
    /// # Panics
    /// Unless `rows` has `out.len()` rows of as many words as the table, and there are as many shifts,
    /// below that length.
    pub fn dot(&self, rows: &[R], by: &[u32], out: &mut [R]) {
        self.dot_on(Kernel::active(), rows, by, out);
    }

    fn dot_on(&self, kernel: Kernel, rows: &[R], by: &[u32], out: &mut [R]) {
        let n = self.entries;
        assert!(rows.len() == n * out.len() && by.len() == out.len(), "rows");
        assert!(by.iter().all(|&by| (by as usize) < n), "shift amount");
        if n < STEP {
            for ((row, &by), out) in rows.chunks_exact(n).zip(by).zip(out) {
                let from = match self.group {
                    Shift::Cyclic => by as usize,
                    Shift::Xor => by as usize * n,
                };
                let pairs = row.iter().zip(&self.tables[from..]);
                *out = pairs.fold(R::default(), |sum, (&w, &t)| add_product(sum, w, t));
            }
            return;
        }
        kernel.engine().run(Dot { group: self.group, rows, tables: &self.tables, by, out });
    }
}

struct Dot<'a, R> {
    group: Shift,
    rows: &'a [R],
    tables: &'a [R],
    by: &'a [u32],
    out: &'a mut [R],
}

impl<S: Isa, R: Ring> Op<S> for Dot<'_, R> {
    type Out = ();

    // plain loops, which the compiler turns into vector instructions of the set
    #[inline(always)]
    fn call(self, _: S) {
        let n = self.rows.len() / self.out.len().max(1);
        for ((row, &by), out) in self.rows.chunks_exact(n.max(1)).zip(self.by).zip(self.out) {
            let by = by as usize;
            let (row, mut sums) = (row.as_chunks::<STEP>().0, [R::default(); STEP]);
            match self.group {
                Shift::Cyclic => {
                    let table = self.tables[by..by + n].as_chunks::<STEP>().0;
                    row.iter().zip(table).for_each(|(row, table)| add_products(&mut sums, row, table));
                }
                Shift::Xor => {
                    let table = self.tables[by % STEP * n..][..n].as_chunks::<STEP>().0;
                    for (a, row) in row.iter().enumerate() {
                        add_products(&mut sums, row, &table[a ^ (by / STEP)]);
                    }
                }
            }
            *out = R::from_u64(sums.iter().fold(0, |sum, s| sum.wrapping_add(s.to_u64())));
        }
    }
}

#[inline(always)]
fn add_products<R: Ring>(sums: &mut [R; STEP], row: &[R; STEP], table: &[R; STEP]) {
    for ((sum, &w), &t) in sums.iter_mut().zip(row).zip(table) {
        *sum = add_product(*sum, w, t);
    }
}

#[inline(always)]
fn add_product<R: Ring>(sum: R, a: R, b: R) -> R {
    R::from_u64(sum.to_u64().wrapping_add(a.to_u64().wrapping_mul(b.to_u64())))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Block, Prg};

    fn agrees<R: Ring>(log: u32, batch: usize) {
        let n = 1usize << log;
        let mut prg = Prg::new(Block(u128::from(log)));
        let (mut rows, mut table, mut by) =
            (vec![R::default(); n * batch], vec![R::default(); n], vec![0; batch]);
        prg.words(R::WIDTH, &mut rows);
        prg.words(R::WIDTH, &mut table);
        prg.words(log, &mut by);
        for kernel in Kernel::supported() {
            for group in [Shift::Cyclic, Shift::Xor] {
                let mut out = vec![R::default(); batch];
                Shifted::new(group, &table).dot_on(kernel, &rows, &by, &mut out);
                for (b, &got) in out.iter().enumerate() {
                    let at = |j| match group {
                        Shift::Cyclic => (j + by[b] as usize) % n,
                        Shift::Xor => j ^ by[b] as usize,
                    };
                    let terms = (0..n).map(|j| rows[b * n + j].to_u64().wrapping_mul(table[at(j)].to_u64()));
                    let want = R::from_u64(terms.fold(0, u64::wrapping_add));
                    assert_eq!(got, want, "{kernel:?} {group:?} 2^{log} {b}");
                }
            }
        }
    }

    #[test]
    fn sums_of_products() {
        for log in 0..=9 {
            for batch in [0, 1, 13] {
                agrees::<u8>(log, batch);
                agrees::<u16>(log, batch);
                agrees::<u32>(log, batch);
                agrees::<u64>(log, batch);
            }
        }
    }
}
