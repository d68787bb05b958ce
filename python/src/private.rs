//! Private tables: one party's, looked up at shared keys.

use std::sync::Arc;

use apps::{
    embedding::{Embedding, EmbeddingJob},
    held_table::Table,
    join_query::{JoinJob, JoinQuery},
};
use hushtable::{
    Error,
    bill::Effort,
    confidential::{
        copy::{CopyJob, EncryptedCopy, Keys, Owner},
        prf::Cipher,
    },
};
use numpy::PyReadonlyArray1;
use pyo3::{exceptions::PyTypeError, prelude::*, types::PyBytes};

use crate::{
    error::raise,
    operation::Operation,
    party::{self, Party},
};

/// Keys of a join, all together, for which chance stays below `2^-40` where they are sparse.
const JOIN_KEYS: u32 = 1 << 20;

/// What is public of a table: the same at both parties.
#[derive(Clone)]
enum Form {
    Embedding(EmbeddingJob),
    Join(JoinJob),
}

/// What is public of a private table.
#[pyclass(module = "hushtable._hushtable", frozen)]
#[derive(Clone)]
pub struct PrivateForm(Form);

/// A private table at a party: its own, or the encrypted copy of the peer's.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct PrivateTable {
    form: Form,
    table: Table,
}

fn cipher(py: Python<'_>, name: &str) -> PyResult<Cipher> {
    let known = |cipher: &Cipher| cipher.to_string() == name;
    Cipher::ALL.into_iter().find(known).ok_or_else(|| {
        let names = Cipher::ALL.map(|cipher| format!("{:?}", cipher.to_string())).join(" or ");
        raise(py, &Error::Param { what: "cipher", got: name.to_owned(), accepted: names })
    })
}

impl Form {
    fn copy(&self) -> CopyJob {
        match self {
            Self::Embedding(job) => job.copy(),
            Self::Join(job) => job.copy(),
        }
    }
}

#[pymethods]
impl PrivateForm {
    /// A matrix whose rows are looked up.
    #[staticmethod]
    fn embedding(
        py: Python<'_>,
        owner: u8,
        encryption: &str,
        rows: u32,
        columns: u32,
        entry_bits: u32,
    ) -> PyResult<Self> {
        let job = EmbeddingJob::new(party::role(owner), [rows, columns], entry_bits, 64);
        let job = EmbeddingJob { cipher: cipher(py, encryption)?, ..job };
        job.check().map_err(|e| raise(py, &e))?;
        Ok(Self(Form::Embedding(job)))
    }

    /// A table with keys, at most `keys` of them unless they are dense.
    #[staticmethod]
    #[allow(clippy::too_many_arguments)] // named ones, in Python
    fn join(
        py: Python<'_>,
        owner: u8,
        encryption: &str,
        key_bits: u32,
        keys: Option<u32>,
        columns: Vec<u32>,
        per_key: u32,
    ) -> PyResult<Self> {
        let keys = match keys {
            None => Keys::Dense { bits: key_bits },
            Some(rows) => Keys::Sparse { bits: key_bits, rows, lookups: JOIN_KEYS },
        };
        let job =
            JoinJob { owner: party::role(owner), cipher: cipher(py, encryption)?, keys, columns, per_key };
        job.check().map_err(|e| raise(py, &e))?;
        Ok(Self(Form::Join(job)))
    }

    /// Bits of a key.
    #[getter]
    fn key_bits(&self) -> u32 {
        self.0.copy().keys.bits()
    }

    /// Bytes of the copy that the peer gets.
    #[getter]
    fn copy_bytes(&self) -> u64 {
        self.0.copy().copy_bits() / 8
    }

    /// The owner's matrix; with the secret of a version, that version.
    #[pyo3(signature = (entries, secret=None))]
    fn of_matrix(
        &self,
        py: Python<'_>,
        entries: PyReadonlyArray1<'_, i64>,
        secret: Option<Vec<u8>>,
    ) -> PyResult<PrivateTable> {
        let Form::Embedding(job) = self.0 else { return Err(PyTypeError::new_err("a form of a matrix")) };
        let entries = entries.as_slice()?;
        let made = py.detach(|| match secret {
            None => job.encrypt(entries),
            Some(secret) => job.restore(entries, &secret),
        });
        self.owned(py, made)
    }

    /// The owner's table; with the secret of a version, that version.
    #[pyo3(signature = (keys, columns, secret=None))]
    fn of_rows(
        &self,
        py: Python<'_>,
        keys: PyReadonlyArray1<'_, u64>,
        columns: Vec<PyReadonlyArray1<'_, u64>>,
        secret: Option<Vec<u8>>,
    ) -> PyResult<PrivateTable> {
        let Form::Join(job) = &self.0 else { return Err(PyTypeError::new_err("a form of a table")) };
        let keys: Vec<u128> = keys.as_slice()?.iter().map(|&key| key.into()).collect();
        let columns = columns.iter().map(|column| column.as_slice()).collect::<Result<Vec<_>, _>>()?;
        let made = py.detach(|| match secret {
            None => job.encrypt(&keys, &columns),
            Some(secret) => job.restore(&keys, &columns, &secret),
        });
        self.owned(py, made)
    }

    /// The copy that was kept.
    fn kept(&self, py: Python<'_>, bytes: &[u8]) -> PyResult<PrivateTable> {
        let copy = py.detach(|| EncryptedCopy::from_bytes(self.0.copy(), bytes));
        let table = copy.map_err(|e| raise(py, &e))?.into();
        Ok(PrivateTable { form: self.0.clone(), table })
    }

    /// The copy that the peer sends.
    fn receive(&self, py: Python<'_>, p: &Party, name: &str) -> PyResult<PrivateTable> {
        let job = self.0.copy();
        let copy =
            p.call(py, name, move |steps, _| steps.phase("setup", |p| EncryptedCopy::receive(p, job)))?;
        Ok(PrivateTable { form: self.0.clone(), table: copy.into() })
    }
}

impl PrivateForm {
    /// What so many rows of a matrix take, or sums of `bag` rows each.
    pub fn effort(&self, bits: u32, fraction: u32, bag: u32, items: usize) -> Result<Effort, Error> {
        let Form::Embedding(job) = &self.0 else { return Ok(Effort::none()) };
        let job = EmbeddingJob { bits, fraction, bag, ..*job };
        Ok(Effort::implied(job.bill(items)?))
    }

    fn owned(&self, py: Python<'_>, made: Result<Owner, Error>) -> PyResult<PrivateTable> {
        let table = made.map_err(|e| raise(py, &e))?.into();
        Ok(PrivateTable { form: self.0.clone(), table })
    }
}

#[pymethods]
impl PrivateTable {
    /// Which version of which table it is, the same at both parties.
    #[getter]
    fn digest(&self) -> String {
        self.table.copy().digest().iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// What this party keeps to use the version again: the owner its key, the other party its copy.
    fn kept_bytes<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        match &self.table {
            Table::Owner(owner) => PyBytes::new(py, &owner.secret()),
            Table::Copy(copy) => PyBytes::new(py, &copy.to_bytes()),
        }
    }

    /// Sends the copy to the peer.
    fn send(&self, py: Python<'_>, p: &Party, name: &str) -> PyResult<()> {
        let Table::Owner(owner) = &self.table else { return Err(PyTypeError::new_err("a copy")) };
        let owner = Arc::clone(owner);
        p.call(py, name, move |steps, _| steps.phase("setup", |p| owner.send(p)))
    }

    /// Rows of a matrix, or sums of `bag` rows each, in words of `bits` bits.
    fn rows(&self, py: Python<'_>, bits: u32, fraction: u32, bag: u32) -> PyResult<Operation> {
        let Form::Embedding(job) = self.form else { return Err(PyTypeError::new_err("no matrix")) };
        let job = EmbeddingJob { bits, fraction, bag, ..job };
        let made = Embedding::new(job, self.table.clone()).map_err(|e| raise(py, &e))?;
        Ok(Operation::of(made))
    }

    /// The rows of keys, of which the second operand says whether they count.
    fn joined(&self, py: Python<'_>) -> PyResult<Operation> {
        let Form::Join(job) = &self.form else { return Err(PyTypeError::new_err("no keys")) };
        let made = JoinQuery::new(job.clone(), self.table.clone()).map_err(|e| raise(py, &e))?;
        Ok(Operation::of(made))
    }
}
