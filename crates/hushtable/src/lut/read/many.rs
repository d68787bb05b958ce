//! Independent lookups that share their rounds: different tables, lengths, widths and batches.
//!
//! # Functionality
//! In: for each job its material, public tables and shares of their index. Out: for each job the
//! shares that [`OneHot::lookup_xor_all`] or [`Signed::lookup_all`] gives.
//!
//! # Protocol
//! That of the single lookup, one message of all jobs in place of one of each.
//!
//! # Cost
//! The bits of the single lookups, in their rounds: 1 for XOR outputs, 2 for additive ones.
//!
//! # Source
//! As for the single lookups.

use prim::ring::Ring;

use super::{
    Signed,
    signed::{Choosing, Multiplying},
};
use crate::{
    error::Result,
    lut::Table,
    net::Role,
    onehot::{Group, OneHot},
    party::Party,
    session::Session,
    share::{AShare, BShare, Share},
};

/// One of several independent lookups: its material, the tables to read, and their one index.
pub struct Read<'a, M, G: Group, R: Ring> {
    /// [`OneHot`] for XOR outputs, [`Signed`] for additive ones.
    pub material: M,
    /// Tables of as many entries as the material's.
    pub tables: &'a [&'a Table<R>],
    /// As many indices as the material has lookups.
    pub x: &'a Share<G::Kind, u32>,
}

/// Online, 1 round: for each job XOR shares of every column of its tables. Spends the material.
///
/// # Errors
/// As [`OneHot::lookup_xor`], for any of the jobs, before anything is sent.
pub fn lookup_xor<G: Group, R: Ring>(
    s: &mut Session,
    jobs: Vec<Read<'_, OneHot<G>, G, R>>,
) -> Result<Vec<Vec<BShare<R>>>> {
    for job in &jobs {
        job.tables.iter().try_for_each(|t| t.check_index(job.material.index_bits()))?;
    }
    let masked = jobs.iter().map(|job| job.material.mask(job.x)).collect::<Result<Vec<_>>>()?;
    // Public: each offset is uniform and serves no other opening, since the material is spent.
    let (m, _) = s.open_beside(&masked, Vec::new(), 0)?;
    let read = |(job, m): (Read<'_, OneHot<G>, G, R>, &Vec<u32>)| {
        let widths = job.tables.iter().flat_map(|t| t.columns().iter().map(|_| t.bits()));
        let columns = job.material.selected::<R, false>(m, job.tables);
        columns
            .into_iter()
            .zip(widths)
            .map(|(mut y, bits)| Share::new(bits, std::mem::take(&mut *y)))
            .collect()
    };
    Ok(jobs.into_iter().zip(&m).map(read).collect())
}

/// Offline, 1 round: [`OneHot::signed`] for each of several batches, with the widths of its outputs.
///
/// # Errors
/// As [`OneHot::signed`].
pub fn signed<G: Group>(p: &mut Party, jobs: Vec<(OneHot<G>, &[u32])>) -> Result<Vec<Signed<G>>> {
    let counts: Vec<usize> =
        jobs.iter().map(|(onehot, widths)| Choosing::cots(widths, onehot.len())).collect::<Result<_>>()?;
    let total = counts.iter().sum();
    let (mut send, mut recv) = p.cots(total, total)?;
    // All choices leave before the first of the peer's is awaited: 1 round.
    let mut choosing = Vec::with_capacity(jobs.len());
    for ((onehot, widths), &count) in jobs.into_iter().zip(&counts) {
        let started = Choosing::start(p, &onehot, widths, recv.take(count)?)?;
        choosing.push((onehot, started));
    }
    let mut out = Vec::with_capacity(choosing.len());
    for ((onehot, started), &count) in choosing.into_iter().zip(&counts) {
        out.push(Signed { onehot, sign: started.finish(p, send.take(count)?)? });
    }
    Ok(out)
}

/// Online, 2 rounds, or 1 if all outputs have one bit: for each job additive shares of every column
/// of its tables. Spends the material.
///
/// # Errors
/// As [`Signed::lookup`], for any of the jobs, before anything is sent.
pub fn lookup<G: Group, R: Ring>(
    s: &mut Session,
    jobs: Vec<Read<'_, Signed<G>, G, R>>,
) -> Result<Vec<Vec<AShare<R>>>> {
    jobs.iter().try_for_each(|job| job.material.check(job.tables))?;
    let masked = jobs.iter().map(|job| job.material.onehot.mask(job.x)).collect::<Result<Vec<_>>>()?;
    // Public: each offset is uniform and serves no other opening, since the material is spent.
    let (m, _) = s.open_beside(&masked, Vec::new(), 0)?;
    let mut message = Vec::new();
    let mut open = Vec::with_capacity(jobs.len());
    for (Read { material: Signed { onehot, sign }, tables, .. }, m) in jobs.into_iter().zip(&m) {
        let sums = onehot.selected::<R, true>(m, tables);
        let (more, rest) = sign.multiply(s.role() == Role::P1, sums); // z_1 is the negated sum
        message.extend(more);
        open.push(rest);
    }
    let theirs = open.iter().map(Multiplying::message_len).sum();
    let message = match theirs {
        0 => Vec::new(),
        _ => s.exchange(message, theirs)?,
    };
    let mut rest = &message[..];
    let finish = |multiplying: Multiplying<R>| {
        let (mine, others) = rest.split_at(multiplying.message_len());
        rest = others;
        multiplying.finish(mine)
    };
    Ok(open.into_iter().map(finish).collect())
}
