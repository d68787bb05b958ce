//! Lookups by additive one-hot vectors in one opening: different tables and lengths at different indices.

use prim::ring::Ring;

use super::Arithmetic;
use crate::{
    error::Result,
    lut::Table,
    onehot::Group,
    session::Session,
    share::{AShare, Share},
};

/// One of several independent lookups.
pub struct Job<'a, G: Group, R: Ring> {
    /// What it spends.
    pub material: Arithmetic<G, R>,
    /// Tables of as many entries as the material's.
    pub tables: &'a [&'a Table<R>],
    /// The indices.
    pub x: &'a Share<G::Kind, u32>,
}

/// Online, 1 round: for each job additive shares of every column of its tables. Spends the material.
///
/// # Errors
/// As [`Arithmetic::lookup`], for any of the jobs, before anything is sent.
pub fn lookup<G: Group, R: Ring>(s: &mut Session, jobs: Vec<Job<'_, G, R>>) -> Result<Vec<Vec<AShare<R>>>> {
    let masked = jobs.iter().map(|job| job.material.mask(job.tables, job.x)).collect::<Result<Vec<_>>>()?;
    // Public: each offset is uniform and serves no other opening, since the material is spent.
    let (m, _) = s.open_beside(&masked, Vec::new(), 0)?;
    let role = s.role();
    Ok(jobs.into_iter().zip(&m).map(|(job, m)| job.material.read(role, job.tables, m)).collect())
}
