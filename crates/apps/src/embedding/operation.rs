//! Embeddings as an operation, which runs as any other.

use hushtable::{
    AShare, BShare, Party, Result,
    arith::{BoundedExtension, XorToAdditive},
    bill::Bill,
    confidential::copy::Lookups,
    error::same,
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
};

use super::EmbeddingJob;
use crate::held_table::{Table, unpack};

/// Embeddings in a table, at one party. Takes this party's shares of the ids by XOR; gives the numbers of the rows, or of
/// the sums of rows, one behind the other. An item is a result: a row, or a bag of ids.
pub struct Embedding {
    job: EmbeddingJob,
    table: Table,
}

impl Embedding {
    /// In a table that the job [encrypted](EmbeddingJob::encrypt), or in its copy.
    ///
    /// # Errors
    /// Those of [`EmbeddingJob::check`], and [`Error::Param`](hushtable::Error::Param) for a table of another form.
    pub fn new(job: EmbeddingJob, table: Table) -> Result<Self> {
        job.check()?;
        table.check(&job.copy())?;
        Ok(Self { job, table })
    }

    /// What is looked up.
    pub fn job(&self) -> &EmbeddingJob {
        &self.job
    }
}

impl Operation for Embedding {
    fn name(&self) -> String {
        "embedding".into()
    }

    fn method(&self) -> String {
        format!("encrypted copy, {}", self.job.cipher)
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let EmbeddingJob { owner, rows, columns, entry_bits, bits, fraction, bag, .. } = self.job;
        vec![
            ("owner of the matrix", owner.to_string()),
            ("matrix", format!("{rows} rows of {columns} numbers of {entry_bits} bits")),
            ("results", format!("{bits} bits, {fraction} behind the point")),
            ("rows of a sum", bag.to_string()),
            ("encrypted with", self.job.cipher.to_string()),
        ]
    }

    fn signature(&self) -> Signature {
        let EmbeddingJob { entry_bits, bits, fraction, bag, .. } = self.job;
        let most = i64::from(bag).checked_mul(1 << (entry_bits - 1).min(62));
        let range = most.filter(|_| entry_bits < 64).map(|most| [-most, most - i64::from(bag)]);
        let ids = Port::xor("ids", self.job.copy().keys.bits()).of(bag as usize);
        let numbers = Port::additive("numbers", bits).of(self.job.columns as usize).scaled(fraction);
        Signature::new([ids], numbers.within(range))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        self.job.bill(items)
    }

    fn most(&self) -> usize {
        self.job.most()
    }

    fn stocks(&self) -> bool {
        false
    }

    fn prepare(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        let (job, columns) = (self.job, self.job.columns as usize);
        let [w, sum, l] = job.widths();
        let ids = items * job.bag as usize;
        let lookups = Lookups::prepare(p, job.copy(), ids)?;
        let numbers = XorToAdditive::prepare(p, [w, sum], ids * columns)?;
        let extension = match sum < l {
            true => Some(BoundedExtension::prepare(p, [sum, l], items * columns)?),
            false => None,
        };
        let table = self.table.clone();
        Ok(spend(items, move |s, given| {
            let [found] = operands(given)?;
            same("token ids", ids, found.len())?;
            let rows =
                lookups.eval(s, table.held(), &[BShare::new(job.copy().keys.bits(), found.to_vec())])?;
            let places: Vec<(usize, u32)> = (0..columns).map(|column| (column * w as usize, w)).collect();
            let found = BShare::new(w, unpack(&rows, &places).into_vec());
            drop(rows);
            let sums = added_up(&numbers.signed(s, &found)?, items, columns);
            let sums = match extension {
                Some(extension) => extension.sign(s, &sums)?,
                None => sums,
            };
            Ok(vec![Words::new(sums.into_wide())])
        }))
    }

    fn tells(&self) -> String {
        "numbers of the matrix, and what these and the matrix imply about the ids".into()
    }
}

/// Shares of the sums of the rows of each item. Local.
fn added_up(rows: &AShare<u64>, items: usize, columns: usize) -> AShare<u64> {
    let mut sums = vec![0u64; items * columns];
    let bags = rows.words().chunks_exact((rows.len() / items.max(1)).max(1));
    for (sums, bag) in sums.chunks_exact_mut(columns).zip(bags) {
        for row in bag.chunks_exact(columns) {
            sums.iter_mut().zip(row).for_each(|(sum, number)| *sum = sum.wrapping_add(*number));
        }
    }
    AShare::new(rows.bits(), sums)
}
