//! Lookups, a batch at a time.

use std::iter;

use hushtable::{
    AShare, BShare, Error, Party, Result, Role,
    bill::Bill,
    confidential::copy::{CopyJob, Held, Lookups},
    gates::{B2a, Bits},
    run::Phase,
};
use prim::Wiped;

use super::{Description, Gets, Scale, ValueKind};

/// What a batch is of, at one party.
pub struct Query<'a> {
    /// The owner's table, or the client's copy.
    pub held: Held<'a>,
    /// Who gets results.
    pub gets: Gets,
    /// At the client the keys; at the owner as many zeros.
    pub keys: &'a [u128],
}

/// What a party got of a batch.
pub enum Looked {
    /// At the client: rows of [`CopyJob::row_words`] words, zero where absent, and whether each key is present.
    Rows {
        /// One behind the other.
        words: Wiped<u64>,
        /// By row.
        present: Vec<bool>,
    },
    /// Additive shares of a column's units, and of 1 where the key is present.
    Shares {
        /// Of [`shared_bits`] bits, 0 where absent.
        values: AShare<u64>,
        /// Of 16 bits.
        present: AShare<u64>,
    },
    /// At the owner: nothing.
    Nothing,
}

/// What lookups took so far.
#[derive(Clone, Copy, Default)]
pub struct Took {
    /// Before the keys were used.
    pub offline: Phase,
    /// With them.
    pub online: Phase,
}

/// Bits of shares of whether keys are present.
pub const PRESENT_BITS: u32 = 16;

/// Bits of the shares of numbers of so many bits: room for a sum or two, and what files of shares have.
pub fn shared_bits(kind: ValueKind) -> u32 {
    (kind.bits() + 2).clamp(16, 64)
}

/// Digits behind the binary point of shares of a column.
pub fn fraction_bits(kind: ValueKind) -> u32 {
    match kind {
        ValueKind::Number { scale: Scale::Binary(fraction), .. } => fraction,
        _ => 0,
    }
}

/// The sizes of the batches of so many lookups.
pub fn batches(lookups: u64, batch: u32) -> impl Iterator<Item = usize> {
    let mut left = lookups;
    iter::from_fn(move || {
        let next = left.min(batch.into());
        left -= next;
        (next > 0).then_some(next as usize)
    })
}

/// What a batch of so many lookups costs.
///
/// # Errors
/// [`Error::Param`] for more than there can be.
pub fn bill(description: &Description, gets: Gets, count: usize) -> Result<Bill> {
    let job = description.job();
    let looked = Lookups::bill(&job, count)?;
    let beside = match gets {
        Gets::Client => {
            let mut opened = Bill::FREE;
            opened.online.bits[Role::P0 as usize] = u64::from(job.row_bits) + 1;
            opened.online.rounds = 1;
            opened
        }
        Gets::Shared(column) => {
            let kind = description.values[usize::from(column)].kind;
            B2a::bill(shared_bits(kind)).times(kind.bits() as usize) + B2a::bill(PRESENT_BITS)
        }
    };
    let mut bill = looked + beside.times(count);
    // Values and presence are made additive one after the other.
    bill.online.rounds = looked.online.rounds + if gets == Gets::Client { 1 } else { 2 };
    Ok(bill)
}

/// Starts what makes correlated OTs for so many lookups.
///
/// # Errors
/// Those of the channel.
pub fn prepare_ot(p: &mut Party, description: &Description, gets: Gets, lookups: u64) -> Result<()> {
    let (full, rest) = (lookups / u64::from(description.batch), lookups % u64::from(description.batch));
    let mut all = Bill::FREE;
    if full > 0 {
        all = all + bill(description, gets, description.batch as usize)?.times(full as usize);
    }
    if rest > 0 {
        all = all + bill(description, gets, rest as usize)?;
    }
    let (send, recv) = all.cots_of(p.role());
    p.prepare_ot(send, recv)
}

/// Looks a batch up.
///
/// # Errors
/// [`Error::Handshake`] at both parties if their copies are not of one version; [`Error::Param`] for more keys than a
/// batch has; and those of the channel.
pub fn look_up(
    p: &mut Party,
    took: &mut Took,
    description: &Description,
    query: &Query<'_>,
) -> Result<Looked> {
    let (job, count) = (description.job(), query.keys.len());
    let (material, offline) = Phase::of(p, |p| {
        let lookups = Lookups::prepare(p, job, count)?;
        let Gets::Shared(column) = query.gets else { return Ok((lookups, None)) };
        let kind = description.values[usize::from(column)].kind;
        let bits = B2a::prepare(p, shared_bits(kind), count * kind.bits() as usize)?;
        Ok((lookups, Some((bits, B2a::prepare(p, PRESENT_BITS, count)?))))
    })?;
    took.offline = took.offline.then(offline);
    let (looked, online) = Phase::of(p, |p| {
        let (lookups, conversion) = material;
        let rows = lookups.eval(p, query.held, &key_words(&job, query.keys))?;
        let present = rows.present.ok_or_else(|| Error::Peer("lookups that do not tell who is absent".into()))?;
        match (query.gets, conversion) {
            (Gets::Shared(column), Some((bits, present_bits))) => {
                let column = usize::from(column);
                let kind = description.values[column].kind;
                let start = description.start(column);
                let all: Vec<Bits> = rows.words.iter().flat_map(Bits::from_share).collect();
                let of_column = &all[start..start + kind.bits() as usize];
                let words = bits.convert::<u64>(p, &Bits::concat(of_column.iter()))?;
                let present = present_bits.convert::<u64>(p, &present)?;
                Ok(Looked::Shares { values: composed(&words, kind, count), present })
            }
            _ => opened(p, &job, &rows.words, &present),
        }
    })?;
    took.online = took.online.then(online);
    Ok(looked)
}

/// Keys as shares: words, lowest first.
fn key_words(job: &CopyJob, keys: &[u128]) -> Vec<BShare<u64>> {
    let word = |i: usize| {
        let bits = (job.keys.bits() - 64 * i as u32).min(64);
        BShare::new(bits, keys.iter().map(|key| (key >> (64 * i)) as u64).collect())
    };
    (0..job.key_words()).map(word).collect()
}

/// Opens rows to the client. They may be known to it: it asked for them.
fn opened(p: &mut Party, job: &CopyJob, shares: &[BShare<u64>], present: &Bits) -> Result<Looked> {
    let count = present.len();
    let present = Bits::to_share::<u64>(std::slice::from_ref(present))?;
    let mut words = Wiped::zeros(count * job.row_words());
    for (i, share) in shares.iter().enumerate() {
        let Some(values) = p.reveal(share, Role::P1)?.map(Wiped::from) else { continue };
        let to = words.iter_mut().skip(i).step_by(job.row_words());
        to.zip(values.iter()).for_each(|(to, &word)| *to = word);
    }
    let present = p.reveal(&present, Role::P1)?;
    Ok(present.map_or(Looked::Nothing, |present| {
        Looked::Rows { words, present: present.into_iter().map(|bit| bit == 1).collect() }
    }))
}

/// Numbers of additive bits, those of one place behind those of another; the last place is the sign's.
fn composed(bits: &AShare<u64>, kind: ValueKind, count: usize) -> AShare<u64> {
    let mut sums = Wiped::<u64>::zeros(count);
    for (i, place) in bits.words().chunks_exact(count).enumerate() {
        let weight = 1u64 << i;
        let weight = if i as u32 == kind.bits() - 1 { weight.wrapping_neg() } else { weight };
        sums.iter_mut().zip(place).for_each(|(sum, &bit)| *sum = sum.wrapping_add(bit.wrapping_mul(weight)));
    }
    AShare::new(shared_bits(kind), sums.into_vec())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_of_batches() {
        let sizes = |lookups, batch| batches(lookups, batch).collect::<Vec<_>>();
        assert_eq!(sizes(10, 4), [4, 4, 2]);
        assert_eq!(sizes(8, 4), [4, 4]);
        assert_eq!(sizes(3, 4), [3]);
        assert!(sizes(0, 4).is_empty());
    }
}
