//! Joins as an operation, which runs as any other.

use std::iter;

use hushtable::{
    BShare, Party, Result,
    bill::Bill,
    chance::Chance,
    confidential::copy::Lookups,
    error::same,
    gates::{Bits, Triples, and_shared},
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
    terms::Value,
};
use prim::Wiped;

use super::JoinJob;
use crate::held_table::{Table, key_shares, lookups_at_once, unpack};

/// A join with a table, at one party.
///
/// Takes this party's shares by XOR of the keys, of each its words of 64 bits, lowest first; and of the bit of each key,
/// whether it counts. An item is a key. Gives for each of its rows the bit whether it is there, and then each column: see
/// [`Joined::of`]. Columns of a key that does not count are those of its rows all the same, and its bits are 0: they are
/// for a [`Filter`](super::Filter) or an [`Aggregate`](super::Aggregate), and not to be opened as they are.
pub struct JoinQuery {
    job: JoinJob,
    table: Table,
}

impl JoinQuery {
    /// With a table that the job [encrypted](JoinJob::encrypt), or its copy.
    ///
    /// # Errors
    /// Those of [`JoinJob::check`], and [`Error::Param`](hushtable::Error::Param) for a table of another form.
    pub fn new(job: JoinJob, table: Table) -> Result<Self> {
        job.check()?;
        table.check(&job.copy())?;
        Ok(Self { job, table })
    }

    /// What is joined with.
    pub fn job(&self) -> &JoinJob {
        &self.job
    }
}

impl Operation for JoinQuery {
    fn name(&self) -> String {
        "join with a private table".into()
    }

    fn method(&self) -> String {
        format!("encrypted copy, {}", self.job.cipher)
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("owner of the table", self.job.owner.to_string()),
            ("keys", Value::text(self.job.keys)),
            ("rows of a key", self.job.per_key.to_string()),
            ("widths of columns", Value::text(&self.job.columns[..])),
            ("encrypted with", self.job.cipher.to_string()),
        ]
    }

    fn signature(&self) -> Signature {
        let (rows, copy) = (self.job.per_key as usize, self.job.copy());
        let keys = Port::xor("keys", copy.keys.bits().min(64)).of(copy.key_words());
        let columns = self.job.columns.iter().map(|&bits| Port::xor("column", bits).of(rows));
        let gives = iter::once(Port::bit("there").of(rows)).chain(columns).collect();
        Signature { takes: vec![keys, Port::bit("counts")], gives }
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        self.job.bill(items)
    }

    fn chance(&self, items: usize) -> Chance {
        self.job.copy().chance(items as u64)
    }

    fn most(&self) -> usize {
        lookups_at_once(&self.job.copy())
    }

    fn stocks(&self) -> bool {
        false
    }

    fn prepare(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        let (job, ands) = (self.job.clone(), self.job.ands());
        let lookups = Lookups::prepare(p, job.copy(), items)?;
        let valid = if ands > 0 { Some(Triples::shared(p, items, ands)?) } else { None };
        let table = self.table.clone();
        Ok(spend(items, move |s, given| {
            let [keys, counts] = operands(given)?;
            let copy = job.copy();
            same("words of the keys", items * copy.key_words(), keys.len())?;
            same("bits of the keys", items, counts.len())?;
            let rows = lookups.eval(s, table.held(), &key_shares(keys, &copy))?;
            let counts = Bits::collect(counts.iter().copied());
            let there: Vec<Bits> = match (job.per_key, &rows.present) {
                (1, None) => Vec::new(),
                (1, Some(present)) => vec![present.clone()],
                _ => job
                    .places(0)
                    .into_iter()
                    .map(|at| Bits::collect(unpack(&rows, &[at]).iter().copied()))
                    .collect(),
            };
            let there = match valid {
                // An absent key's row is zero, so that its places need no bit of presence.
                Some(triples) => and_shared(s, triples, &counts, &there.iter().collect::<Vec<_>>())?,
                None => vec![counts],
            };
            // No growing: that leaves copies behind.
            let mut bits = Words::new(vec![0; items * there.len()]);
            for (row, found) in there.iter().enumerate() {
                let to = bits.iter_mut().skip(row).step_by(there.len());
                to.zip(found.iter()).for_each(|(word, bit)| *word = bit);
            }
            let column = |i: usize| Words::new(unpack(&rows, &job.places(i)).into_vec());
            Ok(iter::once(bits).chain((1..=job.columns.len()).map(column)).collect())
        }))
    }

    fn tells(&self) -> String {
        "rows of the table, and which keys are in it".into()
    }
}

impl JoinJob {
    /// Where the values of a column stand, for each row of a key: `(first bit, width)`. Column 0 is the bit that there is
    /// such a row, which has a place only if a key may have several.
    fn places(&self, column: usize) -> Vec<(usize, u32)> {
        let there = u32::from(self.per_key > 1);
        let widths: Vec<u32> = iter::once(there).chain(self.columns.iter().copied()).collect();
        let row = |widths: &[u32]| widths.iter().sum::<u32>() as usize;
        let first = |i: usize| i * row(&widths) + row(&widths[..column]);
        (0..self.per_key as usize).map(|i| (first(i), widths[column])).collect()
    }
}

/// Rows of a join at one party, in the order of the keys: of each key as many as it may have.
pub struct Joined {
    /// Shares of the bits whether there is a row, and its key counts.
    pub valid: Bits,
    /// Shares of the columns, of their widths; whatever they hold where there is no row.
    pub columns: Vec<BShare<u64>>,
}

impl Joined {
    /// What a [`JoinQuery`] of this job gave, column by column.
    ///
    /// # Errors
    /// [`Error::Shape`](hushtable::Error::Shape) for another number of columns.
    pub fn of(job: &JoinJob, given: Vec<Words>) -> Result<Self> {
        same("columns of joined rows", 1 + job.columns.len(), given.len())?;
        let columns = job.columns.iter().zip(&given[1..]);
        Ok(Self {
            valid: Bits::collect(given[0].iter().copied()),
            columns: columns.map(|(&bits, words)| BShare::new(bits, words.to_vec())).collect(),
        })
    }

    /// Shares of what the keys had, for each row of each key. Local.
    pub fn repeated(per_key: u32, words: &[u64]) -> Wiped<u64> {
        words.iter().flat_map(|&word| std::iter::repeat_n(word, per_key as usize)).collect::<Vec<_>>().into()
    }
}
