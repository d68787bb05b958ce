//! Which way of looking up in a private table suits: predicted time, bytes, rounds and memory of each, and a choice.
//!
//! The ways are [SP-LUT](super::splut) with the owner as sender, for small tables; an encrypted [copy](super::copy) that the other party
//! keeps; and [ids](super::thin), of which it keeps nothing. A prediction adds up the bill and the local work, as for
//! [lookups](crate::plan); what is sent once is divided by the batches that it serves.

use std::fmt;

use super::{
    copy::{CopyJob, Keys, Lookups, MAX_JOB},
    prf::Cipher,
    splut::{MAX_KEY_BITS, SpLutJob, SpLutLookups},
    thin::{ThinJob, ThinLookups},
};
use crate::{
    bill::{Bill, Objective, Phase, Work},
    error::{Error, Result},
    net::{LinkShape, Role},
    plan::{BEFORE, Estimate, Machine, implied},
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
    /// Batches that one version of the table serves.
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

/// What the parties have room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes on the disk of the party without the table.
    pub disk: u64,
    /// Bytes in memory of that party.
    pub memory: u64,
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

/// The prediction for a design.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Candidate {
    /// Which one.
    pub design: Design,
    /// Once for each version of the table.
    pub once: Estimate,
    /// Connecting, base OTs, start of the OT extension.
    pub setup: Estimate,
    /// The rest of a batch that needs no input.
    pub offline: Estimate,
    /// What needs the inputs.
    pub online: Estimate,
    /// Bytes of memory of a batch, at the owner and at the other party.
    pub memory: [u64; 2],
    /// Bytes that the other party keeps between batches.
    pub disk: u64,
    /// Whether there is room for it.
    pub fits: bool,
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

impl Candidate {
    /// What `objective` makes least: of one batch, with its part of what is sent once.
    pub fn value(&self, asked: &Asked, objective: Objective) -> f64 {
        let share = 1.0 / f64::from(asked.batches.max(1));
        let before = share * self.once.seconds + self.setup.seconds + self.offline.seconds;
        let bytes = |phase: &Estimate| phase.bytes[0] + phase.bytes[1];
        match objective {
            Objective::Total => before + self.online.seconds,
            Objective::Online => BEFORE * before + self.online.seconds,
            Objective::Rounds => f64::from(self.online.rounds),
            Objective::Bytes => {
                share * bytes(&self.once) + bytes(&self.setup) + bytes(&self.offline) + bytes(&self.online)
            }
        }
    }
}

/// All designs that serve, those with room first, and of them the best first.
///
/// # Errors
/// [`Error::Param`] if none serves, naming what the first one does not accept.
pub fn candidates(
    asked: &Asked,
    room: &Room,
    link: &LinkShape,
    machine: &Machine,
    objective: Objective,
) -> Result<Vec<Candidate>> {
    let mut all = Vec::new();
    let mut refused = None;
    for design in designs(asked) {
        match candidate(design, asked, room, link, machine) {
            Ok(found) => all.push(found),
            Err(error) => refused = refused.or(Some(error)),
        }
    }
    let key = |c: &Candidate| (!c.fits, c.value(asked, objective), c.value(asked, Objective::Total));
    all.sort_by(|a, b| key(a).partial_cmp(&key(b)).expect("finite predictions"));
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

/// What a design sends once, what a batch costs, its local work offline and online in seconds, memory and disk.
struct Counted {
    once: Bill,
    encrypt: f64,
    bill: Bill,
    work: [f64; 2],
    memory: [u64; 2],
    disk: u64,
}

fn candidate(
    design: Design,
    asked: &Asked,
    room: &Room,
    link: &LinkShape,
    machine: &Machine,
) -> Result<Candidate> {
    let counted = match design {
        Design::SpLut => sp_lut(asked, machine)?,
        Design::Copy(cipher, form) => copy(asked, table(asked, cipher, form)?, machine)?,
        Design::Thin(cipher, form) => thin(asked, table(asked, cipher, form)?, machine)?,
    };
    let Counted { once, encrypt, bill, work, memory, disk } = counted;
    let [_, mut sent, _] = implied(&once, link, machine);
    sent.seconds += encrypt;
    let [setup, mut offline, mut online] = implied(&bill, link, machine);
    offline.seconds += work[0];
    online.seconds += work[1];
    let fits = disk <= room.disk && memory[1] <= room.memory;
    Ok(Candidate { design, once: sent, setup, offline, online, memory, disk, fits })
}

/// All rows for each lookup: the owner is always the sender.
fn sp_lut(asked: &Asked, machine: &Machine) -> Result<Counted> {
    check_rows(asked)?;
    let job = whole(asked);
    let bill = SpLutLookups::bill(&job, asked.batch)?;
    let work = [0.0, machine.seconds(job.work(), asked.batch)];
    // The owner has the table three times while it moves one; the other party a message.
    let table = job.table_bytes();
    let memory = [bill.kept / 8 + 3 * table, bill.kept / 8 + 2 * table];
    Ok(Counted { once: Bill::FREE, encrypt: 0.0, bill, work, memory, disk: 0 })
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

fn copy(asked: &Asked, job: CopyJob, machine: &Machine) -> Result<Counted> {
    let (bill, count) = pieces(asked.batch, job.most(), |batch| Lookups::bill(&job, batch))?;
    let bits = job.copy_bits();
    let sent = [Role::P0, Role::P1].map(|role| if role == job.owner { bits + 256 } else { 0 });
    let once = Bill { offline: Phase { bits: sent, rounds: 1 }, ..Bill::FREE };
    let (places, planes) = (bits / job.planes() as u64, job.planes() as u64);
    let batch = asked.batch as u64;
    // Each lookup passes over all planes, and hashes a block for each 64 places.
    let read = (batch * places / 8 * planes) as usize;
    let scan = Work::bytes(read) + Work::hashes((batch * places / 64) as usize);
    let levels = batch / count as u64 * (places >> PIECE_BITS).max(1) * 16;
    let memory = bits / 8 + levels + bill.kept / 8;
    let stored = if job.keys.tag_bits() > 1 { STORED } else { 0 };
    let encrypt = machine.seconds(Work::words(value(&job) + stored), places as usize);
    let work = [0.0, machine.seconds(scan, 1)];
    Ok(Counted { once, encrypt, bill, work, memory: [memory; 2], disk: bits / 8 })
}

fn thin(asked: &Asked, table: CopyJob, machine: &Machine) -> Result<Counted> {
    let job = ThinJob { table, distinct: asked.distinct };
    let (bill, count) = pieces(asked.batch, job.most(), |batch| ThinLookups::bill(&job, batch))?;
    let keys = match table.keys {
        Keys::Sparse { rows, .. } => rows as usize,
        keys => 1 << keys.bits(),
    };
    let work = [machine.seconds(Work::words(value(&table) + STORED), count * keys), 0.0];
    let piece = asked.batch.div_ceil(count);
    job.check_chance(piece)?;
    let store = job.store_bits(piece)? / 8;
    let rest = (bill.kept - 8 * store) / 8;
    let words = table.masked().div_ceil(64) as u64;
    // Places and rows of all keys, and their cells.
    let owner = keys as u64 * (12 + 30 * words);
    Ok(Counted { once: Bill::FREE, encrypt: 0.0, bill, work, memory: [owner + rest, store + rest], disk: 0 })
}

/// Words for the function's value at a key, where its owner computes it alone.
fn value(job: &CopyJob) -> usize {
    let each = match job.cipher {
        Cipher::Aes128 => AES_VALUE,
        Cipher::LowMc => LOWMC_VALUE,
    };
    each * job.planes().div_ceil(128)
}
