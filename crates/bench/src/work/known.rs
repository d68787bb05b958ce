//! Linear maps that the connecting party knows: how they are made, for the benchmarks of matrices and of convolutions.

use clap::ValueEnum;
use hushtable::{
    AShare, Party, Result, Role,
    arith::{LatticeJob, LatticeProduct, LayerJob, LinearJob, LinearProduct},
};
use serde::{Deserialize, Serialize};

/// How products are made. Names are a contract with other programs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Method {
    /// By lattices, before the inputs are there
    He,
    /// By correlated OTs
    Ot,
    /// As operations choose it: what sends less, keys counted
    Auto,
}

/// What a map is made of.
pub enum KnownMap {
    Lattice(LatticeProduct),
    Ots(Box<LinearProduct>),
}

impl Method {
    /// The lattice, if it is by one.
    pub fn lattice(self, job: LinearJob) -> Result<Option<LatticeJob>> {
        let lattice = match self {
            Self::He => true,
            Self::Ot => false,
            Self::Auto => LayerJob::new(job, 0)?.by_lattice(),
        };
        lattice.then(|| LatticeJob::new(job)).transpose()
    }

    /// Correlated OTs in stock that it takes.
    pub fn cots(self, job: LinearJob, role: Role) -> (usize, usize) {
        match self.lattice(job) {
            Ok(None) => job.bill().map_or((0, 0), |bill| bill.cots_of(role)),
            _ => (0, 0),
        }
    }

    /// Makes the keys that a session keeps.
    pub fn set_up(self, p: &mut Party, job: LinearJob) -> Result<()> {
        self.lattice(job)?.map_or(Ok(()), |lattice| lattice.set_up(p))
    }

    /// Before the inputs are there; `numbers` at the connecting party.
    pub fn prepare(self, p: &mut Party, job: LinearJob, numbers: &[i64]) -> Result<KnownMap> {
        Ok(match self.lattice(job)? {
            Some(lattice) => KnownMap::Lattice(LatticeProduct::prepare(p, &lattice, numbers)?),
            None => KnownMap::Ots(Box::new(LinearProduct::prepare(p, job)?)),
        })
    }
}

impl KnownMap {
    /// What becomes of the shared numbers.
    pub fn multiply(self, p: &mut Party, x: &AShare<u64>, numbers: &[i64]) -> Result<AShare<u64>> {
        match self {
            Self::Lattice(made) => made.multiply(p, x),
            Self::Ots(made) => made.multiply(p, x, numbers),
        }
    }
}
