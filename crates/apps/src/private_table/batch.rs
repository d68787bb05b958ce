//! Lookups, a batch at a time.

use std::iter;

use hushtable::{
    AShare, BShare, Error, Party, Result, Role,
    arith::Decomposition,
    bill::Bill,
    confidential::copy::{CopyJob, Held, Lookups},
    gates::{B2a, Bits},
    run::Phase,
    session::Session,
};
use prim::Wiped;

use super::{Description, Gets, KeyKind, Scale, ValueKind};

/// What a batch is of, at one party.
pub struct Query<'a> {
    /// The owner's table, or the client's copy.
    pub held: Held<'a>,
    /// Who gets results.
    pub gets: Gets,
    /// The keys.
    pub keys: Keys<'a>,
}

/// Keys of a batch.
#[derive(Clone, Copy)]
pub enum Keys<'a> {
    /// The client's own; at the owner as many zeros.
    Own(&'a [u128]),
    /// Additive shares of numbers that nobody knows, mod 2 to the power of so many bits.
    Shared(&'a [u64], u32),
}

impl Keys<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Own(keys) => keys.len(),
            Self::Shared(shares, _) => shares.len(),
        }
    }

    /// Bits of shares.
    fn bits(&self) -> Option<u32> {
        match self {
            Self::Own(_) => None,
            Self::Shared(_, bits) => Some(*bits),
        }
    }
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

/// What a batch of so many lookups costs; with keys that are shares of so many bits.
///
/// # Errors
/// [`Error::Param`] for more than there can be.
pub fn bill(description: &Description, gets: Gets, shared_keys: Option<u32>, count: usize) -> Result<Bill> {
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
    match shared_keys {
        None => Ok(bill),
        Some(bits) => Ok(Decomposition::bill(bits, 1)?.times(count).then(bill)),
    }
}

/// Starts what makes correlated OTs for so many lookups.
///
/// # Errors
/// Those of the channel.
pub fn prepare_ot(
    p: &mut Party,
    description: &Description,
    (gets, shared_keys): (Gets, Option<u32>),
    lookups: u64,
) -> Result<()> {
    let (full, rest) = (lookups / u64::from(description.batch), lookups % u64::from(description.batch));
    let mut all = Bill::FREE;
    if full > 0 {
        all = all + bill(description, gets, shared_keys, description.batch as usize)?.times(full as usize);
    }
    if rest > 0 {
        all = all + bill(description, gets, shared_keys, rest as usize)?;
    }
    let (send, recv) = all.cots_of(p.role());
    p.prepare_ot(send, recv)
}

/// One-time material for a batch.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Batch {
    lookups: Lookups,
    /// For the bits of a number and for those of presence, if results stay shared.
    conversion: Option<[B2a; 2]>,
    /// For the bits of keys that are shared.
    digits: Option<Decomposition>,
}

impl Batch {
    /// Offline, for `count` keys, which are shares of so many bits or the client's own.
    ///
    /// # Errors
    /// [`Error::Param`] for more keys than a batch has; and those of the channel.
    pub fn prepare(
        p: &mut Party,
        description: &Description,
        (gets, shared_keys): (Gets, Option<u32>),
        count: usize,
    ) -> Result<Self> {
        let digits = shared_keys.map(|bits| Decomposition::prepare(p, bits, 1, count)).transpose()?;
        let lookups = Lookups::prepare(p, description.job(), count)?;
        let Gets::Shared(column) = gets else { return Ok(Self { lookups, conversion: None, digits }) };
        let kind = description.values[usize::from(column)].kind;
        let bits = B2a::prepare(p, shared_bits(kind), count * kind.bits() as usize)?;
        let present = B2a::prepare(p, PRESENT_BITS, count)?;
        Ok(Self { lookups, conversion: Some([bits, present]), digits })
    }

    /// Online. Spends the material.
    ///
    /// # Errors
    /// [`Error::Handshake`] at both parties if their copies are not of one version; [`Error::Shape`] for another number
    /// of keys; and those of the channel.
    pub fn look_up(self, s: &mut Session, description: &Description, query: &Query<'_>) -> Result<Looked> {
        let (job, count) = (description.job(), query.keys.len());
        let keys = match (query.keys, self.digits) {
            (Keys::Own(keys), None) => key_words(&job, keys),
            (Keys::Shared(shares, bits), Some(digits)) => {
                shared_words(s, description, (shares, bits), digits)?
            }
            _ => return Err(Error::Shape { what: "shares of keys", want: 0, got: count }),
        };
        let rows = self.lookups.eval(s, query.held, &keys)?;
        let present =
            rows.present.ok_or_else(|| Error::Peer("lookups that do not tell who is absent".into()))?;
        let (Gets::Shared(column), Some([bits, present_bits])) = (query.gets, self.conversion) else {
            return opened(s, &job, &rows.words, &present);
        };
        let column = usize::from(column);
        let (kind, start) = (description.values[column].kind, description.start(column));
        let all: Vec<Bits> = rows.words.iter().flat_map(Bits::from_share).collect();
        let of_column = &all[start..start + kind.bits() as usize];
        let words = bits.convert::<u64>(s, &Bits::concat(of_column.iter()))?;
        let present = present_bits.convert::<u64>(s, &present)?;
        Ok(Looked::Shares { values: composed(&words, kind, count), present })
    }
}

/// Prepares a batch, says so, and looks it up; adds to what lookups took.
///
/// # Errors
/// Those of [`Batch`].
pub fn look_up(
    p: &mut Party,
    took: &mut Took,
    description: &Description,
    query: &Query<'_>,
    prepared: impl FnOnce(),
) -> Result<Looked> {
    let (batch, offline) =
        Phase::of(p, |p| Batch::prepare(p, description, (query.gets, query.keys.bits()), query.keys.len()))?;
    took.offline = took.offline.then(offline);
    prepared();
    let (looked, online) = Phase::of(p, |p| batch.look_up(p, description, query))?;
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

/// Whether keys that are shares of so many bits can be looked up, with values from the first of these to the second.
///
/// # Errors
/// Why not.
pub fn shared_keys_fit(kind: KeyKind, bits: u32, range: [i64; 2]) -> std::result::Result<(), String> {
    let (least, key_bits) = match kind {
        KeyKind::Text { .. } => return Err("keys of the table are text, of which there are no shares".into()),
        KeyKind::Whole { least, bits } | KeyKind::Date { least, bits } => (least, bits),
    };
    let most = i128::from(least) + (1i128 << key_bits) - 1;
    if range[0] < least || i128::from(range[1]) > most {
        let [first, last] = range;
        return Err(format!(
            "shares of values from {first} to {last}; keys of the table are {}",
            kind.words()
        ));
    }
    match key_bits <= bits || (least, key_bits) == (i64::MIN, 64) {
        true => Ok(()),
        false => Err(format!("shares of {bits} bits; keys of the table have {key_bits}")),
    }
}

/// Shared numbers as the bits of keys.
fn shared_words(
    s: &mut Session,
    description: &Description,
    (shares, bits): (&[u64], u32),
    digits: Decomposition,
) -> Result<Vec<BShare<u64>>> {
    let (KeyKind::Whole { least, bits: key_bits } | KeyKind::Date { least, bits: key_bits }) =
        description.key.kind
    else {
        return Err(Error::Peer("shares of keys that are text".into()));
    };
    // All of 64 bits: what is lacking is the sign, and the top bit is turned, as the least number is key 0.
    let extended = key_bits > bits || (least, key_bits) == (i64::MIN, 64);
    let offset = if s.role() == Role::P0 && !extended { least as u64 } else { 0 };
    let shares = Wiped::from(shares.iter().map(|share| share.wrapping_sub(offset)).collect::<Vec<u64>>());
    let x = AShare::<u64>::new(bits, shares.into_vec());
    let found: Vec<Bits> =
        digits.digits(s, &x)?.iter().map(|digit| Bits::collect(digit.words().iter().copied())).collect();
    let mut key: Vec<Bits> =
        (0..key_bits as usize).map(|i| found[i.min(found.len() - 1)].range(0..x.len())).collect();
    if extended {
        let top = key.pop().expect("64 bits").not(s.role());
        key.push(top);
    }
    key.chunks(64).map(Bits::to_share).collect()
}

/// Opens rows to the client. They may be known to it: it asked for them.
fn opened(s: &mut Session, job: &CopyJob, shares: &[BShare<u64>], present: &Bits) -> Result<Looked> {
    let count = present.len();
    let present = Bits::to_share::<u64>(std::slice::from_ref(present))?;
    let mut words = Wiped::zeros(count * job.row_words());
    for (i, share) in shares.iter().enumerate() {
        let Some(values) = s.reveal(share, Role::P1)?.map(Wiped::from) else { continue };
        let to = words.iter_mut().skip(i).step_by(job.row_words());
        to.zip(values.iter()).for_each(|(to, &word)| *to = word);
    }
    let present = s.reveal(&present, Role::P1)?;
    Ok(present.map_or(Looked::Nothing, |present| Looked::Rows {
        words,
        present: present.into_iter().map(|bit| bit == 1).collect(),
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
