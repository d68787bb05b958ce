//! The evaluator's part in inputs: its shares, masked by the choice bits of correlated OTs.

use super::job::{Cots, Job};
use crate::{error::Result, gates::Bits, net::Role, ot::CotReceiver, session::Session};

/// Sends what this party masks as evaluator, takes what its peer does, and adds its own shares: for the items that this
/// party garbles, where its Delta is added to the strings of each input. 1 round, if anything is sent.
pub(super) fn choose(s: &mut Session, job: &Job, cots: &Cots, inputs: &[Bits]) -> Result<Vec<Bits>> {
    let mine = job.part(s.role());
    let masked = masked(job, s.role(), &cots.1, inputs);
    let message = bytemuck::cast_slice(masked.words())[..masked.len().div_ceil(8)].to_vec();
    let rows = job.rows(s.role());
    let count = rows.iter().flatten().count() * mine.len();
    let received = swap(s, message, count.div_ceil(8))?;
    let mut words = vec![0; count.div_ceil(64)];
    bytemuck::cast_slice_mut(&mut words)[..received.len()].copy_from_slice(&received);
    let received = Bits::new(count, words);
    let flips = rows.iter().enumerate().map(|(input, row)| {
        let mut flips = job.share(s.role(), inputs, input, mine.clone());
        if let Some(row) = row {
            flips ^= &received.range(row * mine.len()..(row + 1) * mine.len());
        }
        flips
    });
    Ok(flips.collect())
}

/// This party's shares of the items that its peer garbles, each masked by a random choice bit.
fn masked(job: &Job, role: Role, cots: &CotReceiver, inputs: &[Bits]) -> Bits {
    let at = job.part(role.peer());
    let mut masked = Bits::collect(cots.strings().iter().map(|t| t.0 as u64));
    let own = (0..inputs.len()).filter(|input| job.is_transferred(*input, role.peer()));
    let own: Vec<Bits> = own.map(|input| job.share(role, inputs, input, at.clone())).collect();
    masked ^= &Bits::concat(own.iter());
    masked
}

/// Sends a message and takes one, where they are not empty.
fn swap(s: &mut Session, mine: Vec<u8>, theirs: usize) -> Result<Vec<u8>> {
    let mut state = (Some(mine).filter(|mine| !mine.is_empty()), Vec::new());
    s.duplex(
        &mut state,
        |_, (mine, _)| Ok(mine.take()),
        |s, (_, received)| {
            if received.len() == theirs {
                return Ok(false);
            }
            *received = s.recv(theirs)?;
            Ok(true)
        },
    )?;
    Ok(state.1)
}
