//! The ways of looking up in a private table, and what a batch takes by each: what [`plan::rank`] ranks.
//!
//! The ways are [SP-LUT](super::splut) with the owner as sender, for small tables; an encrypted [copy](super::copy) that the other party
//! keeps; and [ids](super::thin), of which it keeps nothing.

use std::fmt;

use super::{
    copy::{CopyJob, Keys, Lookups, MAX_JOB},
    prf::Cipher,
    splut::{MAX_KEY_BITS, SpLutJob, SpLutLookups},
    thin::{Pace, ThinJob, ThinLookups},
};
use crate::{
    bill::{Bill, Effort, Once, Work},
    error::{Error, Result},
    net::Role,
    plan::{self, Wanted},
};

/// A copy is read in pieces of so many places, of each of which a lookup keeps a block of its tree.
const PIECE_BITS: u32 = 14;

/// Words for a key whose value the owner computes alone: the function, and what fills a store.
const AES_VALUE: usize = 20;
const LOWMC_VALUE: usize = 80;
const STORED: usize = 40;

/// What is to be looked up. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Asked {
    /// Who has the table.
    pub owner: Role,
    /// Rows of the table, at most.
    pub rows: u64,
    /// Bits of a key, 1 to 96.
    pub key_bits: u32,
    /// Bits of a row.
    pub row_bits: u32,
    /// Lookups of a batch.
    pub batch: usize,
    /// Batches that one version of the table serves: they share what is sent once, and its form allows for their lookups.
    pub batches: u32,
    /// Whether no key stands twice in a batch.
    pub distinct: bool,
}

impl Asked {
    /// One lookup in a table of this owner, with so many rows, each of so many bits, by keys of `key_bits`.
    pub const fn new(owner: Role, rows: u64, key_bits: u32, row_bits: u32) -> Self {
        Self { owner, rows, key_bits, row_bits, batch: 1, batches: 1, distinct: false }
    }

    /// So many lookups in a batch.
    #[must_use]
    pub const fn batch(self, batch: usize) -> Self {
        Self { batch, ..self }
    }

    /// So many batches for one version of the table.
    #[must_use]
    pub const fn batches(self, batches: u32) -> Self {
        Self { batches, ..self }
    }

    /// Whether no key stands twice in a batch.
    #[must_use]
    pub const fn distinct(self, distinct: bool) -> Self {
        Self { distinct, ..self }
    }
}

/// A way of looking up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Design {
    /// The owner sends a row for every key there could be, masked, for each lookup.
    SpLut,
    /// Both parties read an encrypted copy.
    Copy(Cipher, Form),
    /// The other party reads a store by ids.
    Thin(Cipher, Form),
}

/// Which keys a copy or a store has a place for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// All that there could be.
    Dense,
    /// Those of the table.
    Sparse,
}

impl fmt::Display for Design {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = |form: &Form| match form {
            Form::Dense => "",
            Form::Sparse => ", sparse",
        };
        match self {
            Self::SpLut => f.write_str("sp-lut"),
            Self::Copy(cipher, of) => write!(f, "copy, {cipher}{}", form(of)),
            Self::Thin(cipher, of) => write!(f, "ids, {cipher}{}", form(of)),
        }
    }
}

/// What a batch takes by every design that serves, and what is sent once before. Ids are looked up at the
/// [pace](paced) that suits what is wanted.
///
/// # Errors
/// [`Error::Param`] if none serves, naming what the first one does not accept.
pub fn ways(asked: &Asked, wanted: &Wanted) -> Result<Vec<(Design, Effort)>> {
    let mut all = Vec::new();
    let mut refused = None;
    for design in designs(asked) {
        let effort = match design {
            Design::SpLut => sp_lut(asked),
            Design::Copy(cipher, form) => table(asked, cipher, form).and_then(|job| copy(asked, job)),
            Design::Thin(cipher, form) => table(asked, cipher, form).and_then(|job| thin(asked, job, wanted)),
        };
        match effort {
            Ok(effort) => all.push((design, effort)),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    match refused {
        Some(error) if all.is_empty() => Err(error),
        _ => Ok(all),
    }
}

/// Those that are looked at.
fn designs(asked: &Asked) -> Vec<Design> {
    let full = asked.key_bits < 64 && asked.rows == 1 << asked.key_bits;
    let sparse = if full { None } else { Some(Form::Sparse) };
    let forms: Vec<Form> = (asked.key_bits <= 24).then_some(Form::Dense).into_iter().chain(sparse).collect();
    // Too large ones are refused, but they must not be what is said of a table that no design serves.
    let small = asked.key_bits <= MAX_KEY_BITS && whole(asked).check().is_ok();
    let mut all: Vec<Design> = small.then_some(Design::SpLut).into_iter().collect();
    for cipher in Cipher::ALL {
        all.extend(forms.iter().map(|&form| Design::Copy(cipher, form)));
        all.extend(forms.iter().map(|&form| Design::Thin(cipher, form)));
    }
    all
}

/// Its keys, with a place for each that there could be.
fn dense(asked: &Asked) -> Keys {
    let bits = asked.key_bits;
    if bits < 64 && asked.rows == 1 << bits { Keys::All { bits } } else { Keys::Dense { bits } }
}

/// The form of a table that is sent whole.
fn whole(asked: &Asked) -> SpLutJob {
    SpLutJob { owner: asked.owner, keys: dense(asked), row_bits: asked.row_bits }
}

/// `Ok(())` if there can be a table with so many rows.
fn check_rows(asked: &Asked) -> Result<()> {
    let Asked { key_bits: bits, rows, .. } = *asked;
    if bits < 64 && rows > 1 << bits || rows == 0 {
        let accepted = format!("1 to 2^{bits}");
        return Err(Error::Param { what: "rows of a table", got: rows.to_string(), accepted });
    }
    Ok(())
}

/// The table's form.
fn table(asked: &Asked, cipher: Cipher, form: Form) -> Result<CopyJob> {
    let bits = asked.key_bits;
    let keys = match form {
        Form::Dense => dense(asked),
        Form::Sparse => {
            let lookups = asked.batch as u64 * asked.batches as u64;
            let lookups = u32::try_from(lookups).unwrap_or(MAX_JOB).clamp(1, MAX_JOB);
            Keys::Sparse { bits, rows: u32::try_from(asked.rows).unwrap_or(u32::MAX), lookups }
        }
    };
    let job = CopyJob { owner: asked.owner, cipher, keys, row_bits: asked.row_bits };
    check_rows(asked)?;
    job.check().map(|()| job)
}

/// What a batch with this bill takes, which needs so much memory at the owner and at the other party. To the work that
/// the bill implies comes this, offline and online.
fn effort(asked: &Asked, bill: Bill, more: [Work; 2], memory: [u64; 2]) -> Effort {
    let [offline, online] = Work::of_batch(&bill);
    let memory = if asked.owner == Role::P0 { memory } else { [memory[1], memory[0]] };
    Effort::implied(bill).working([offline + more[0], online + more[1]]).remembering(memory)
}

/// All rows for each lookup: the owner is always the sender.
fn sp_lut(asked: &Asked) -> Result<Effort> {
    check_rows(asked)?;
    let job = whole(asked);
    let bill = SpLutLookups::bill(&job, asked.batch)?;
    // The owner has the table three times while it moves one; the other party a message.
    let table = job.table_bytes();
    let memory = [bill.kept / 8 + 3 * table, bill.kept / 8 + 2 * table];
    Ok(effort(asked, bill, [Work::default(), job.work() * asked.batch as f64], memory))
}

/// Splits a batch into protocol-sized pieces: its bill, from that of a piece.
fn pieces(batch: usize, most: usize, bill: impl Fn(usize) -> Result<Bill>) -> Result<(Bill, usize)> {
    let count = batch.div_ceil(most.max(1));
    let one = bill(batch.div_ceil(count.max(1)))?;
    let mut all = one.times(count);
    all.kept = one.kept;
    all.offline.rounds *= count as u32;
    all.online.rounds *= count as u32;
    Ok((all, count))
}

fn copy(asked: &Asked, job: CopyJob) -> Result<Effort> {
    let (bill, count) = pieces(asked.batch, job.most(), |batch| Lookups::bill(&job, batch))?;
    let bits = job.copy_bits();
    let sent = [Role::P0, Role::P1].map(|role| if role == job.owner { bits + 256 } else { 0 });
    let once = Once::of(format!("copy of a table of {bits} bits"), sent);
    let (places, planes) = (bits / job.planes() as u64, job.planes() as u64);
    let batch = asked.batch as u64;
    // Each lookup passes over all planes, and hashes a block for each 64 places.
    let read = (batch * places / 8 * planes) as usize;
    let scan = Work::bytes(read) + Work::hashes((batch * places / 64) as usize);
    let levels = batch / count as u64 * (places >> PIECE_BITS).max(1) * 16;
    let memory = bits / 8 + levels + bill.kept / 8;
    let stored = if job.keys.tag_bits() > 1 { STORED } else { 0 };
    let encrypting = Work::words(value(&job) + stored) * places as f64;
    let effort = effort(asked, bill, [Work::default(), scan], [memory; 2]).after(once, encrypting);
    Ok(Effort { disk: bits / 8, ..effort })
}

/// What a batch of `count` lookups by ids takes at each pace between which there is a choice.
///
/// # Errors
/// [`Error::Param`] for sizes that are not supported.
pub fn paces(job: ThinJob, count: usize) -> Result<Vec<(Pace, Effort)>> {
    let CopyJob { owner, keys, row_bits, .. } = job.table;
    let rows = match keys {
        Keys::Sparse { rows, .. } => rows.into(),
        keys => 1 << keys.bits(),
    };
    of_paces(&Asked::new(owner, rows, keys.bits(), row_bits).batch(count), job)
}

/// The job at the pace that suits what is wanted, for batches of `count` lookups.
///
/// # Errors
/// As [`paces`].
pub fn paced(job: ThinJob, count: usize, wanted: &Wanted) -> Result<ThinJob> {
    let pace = plan::choose(paces(job, count)?, wanted).unwrap_or(Pace::USUAL);
    Ok(ThinJob { pace, ..job })
}

fn of_paces(asked: &Asked, job: ThinJob) -> Result<Vec<(Pace, Effort)>> {
    // Distinct keys are not sorted.
    let differ = |pace: &Pace| !job.distinct || Pace { lookups: false, ..*pace } == Pace::USUAL;
    let at = |pace| ids(asked, ThinJob { pace, ..job }).map(|effort| (pace, effort));
    Pace::all().filter(differ).map(at).collect()
}

fn thin(asked: &Asked, table: CopyJob, wanted: &Wanted) -> Result<Effort> {
    let job = ThinJob { table, distinct: asked.distinct, pace: Pace::USUAL };
    let ways = of_paces(asked, job)?.into_iter().map(|(_, effort)| (effort.clone(), effort));
    Ok(plan::choose(ways.collect(), wanted).expect("a pace"))
}

fn ids(asked: &Asked, job: ThinJob) -> Result<Effort> {
    let table = job.table;
    let (bill, count) = pieces(asked.batch, job.most(), |batch| ThinLookups::bill(&job, batch))?;
    let keys = match table.keys {
        Keys::Sparse { rows, .. } => rows as usize,
        keys => 1 << keys.bits(),
    };
    let work = Work::words(value(&table) + STORED) * (count * keys) as f64;
    let piece = asked.batch.div_ceil(count);
    job.check_chance(piece)?;
    let store = job.store_bits(piece)? / 8;
    let rest = (bill.kept - 8 * store) / 8;
    let words = table.masked().div_ceil(64) as u64;
    // Places and rows of all keys, and their cells.
    let owner = keys as u64 * (12 + 30 * words);
    Ok(effort(asked, bill, [work, Work::default()], [owner + rest, store + rest]))
}

/// Words for the function's value at a key, where its owner computes it alone.
fn value(job: &CopyJob) -> usize {
    let each = match job.cipher {
        Cipher::Aes128 => AES_VALUE,
        Cipher::LowMc => LOWMC_VALUE,
    };
    each * job.planes().div_ceil(128)
}
