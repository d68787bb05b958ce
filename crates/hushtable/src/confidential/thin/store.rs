//! The owner's masked rows by ids, as one store for each batch.
//!
//! Every id that the other party will see is a key of a store of [cells](crate::confidential::cells): a table with a row
//! for every key, present or not, and the ids that take the place of repeated ones. So keys without a cell of their
//! own may be given other ids, by another key of the function: that depends on ids alone, which are pseudo-random, and
//! all of which are keys whatever the table is. Ids of [sparse keys](Keys::Sparse) need not be keys, and a store that
//! was made on a second try would tell of those that are; so it is one that never needs one, of [`okvs`].

use prim::{
    Block, CcrHash, Prg, Wiped,
    pack::{pack, packed_len, unpack},
};

use super::job::{ID_BITS, Table, ThinJob};
use crate::{
    confidential::{
        cells,
        copy::{
            Keys,
            sparse::{field, values},
        },
        prf::{Key, PrfJob},
    },
    error::{Error, Result},
    okvs::{self, Hashing, Size},
    session::{Purpose, Session, pieces},
};

/// Keys of the function that are tried, of which nearly each will do.
const TRIES: usize = 100;
/// Keys whose values are computed at a time.
const CHUNK: usize = 512;
/// Keys of a cluster of cells, at least, where there are several.
const CLUSTER: usize = 1 << 18;
/// Cells of a message, in multiples of 8.
const PIECE: usize = 1 << 17;

/// How large a store is. Public.
#[derive(Clone, Copy)]
pub(super) enum Form {
    Cells { clusters: usize, third: usize },
    Okvs(Size),
}

/// What says where a key's row stands. Public.
enum Places {
    Cells(CcrHash),
    Okvs(Hashing),
}

/// A store at the party that reads it, as it came.
pub(super) struct Store {
    form: Form,
    places: Places,
    /// Widths of the words of a row, and of each word those of all columns, packed.
    widths: Vec<u32>,
    words: Vec<Vec<u8>>,
}

/// What the owner keeps: the function's key, and the ids that take the place of repeated ones.
pub(super) struct Kept {
    pub key: Key,
    pub dummies: Wiped<u64>,
}

impl Form {
    /// For lookups of so many keys.
    pub(super) fn of(job: &ThinJob, count: usize) -> Result<Self> {
        let bits = match job.table.keys {
            Keys::Sparse { rows, .. } => return Size::of(rows as usize).map(Self::Okvs),
            keys => keys.bits(),
        };
        let keys = (1usize << bits) + job.dummies(count);
        let clusters = (keys / CLUSTER).max(1);
        let mean = keys.div_ceil(clusters);
        // Some standard deviations of what falls into a cluster, and of what can be peeled.
        let cells = mean * 31 / 25 + 8 * mean.isqrt() + 16;
        Ok(Self::Cells { clusters, third: cells.div_ceil(3) })
    }

    /// Its columns.
    pub(super) fn columns(self) -> usize {
        match self {
            Self::Cells { clusters, third } => 3 * clusters * third,
            Self::Okvs(size) => size.columns(),
        }
    }

    /// Widths of the words of its rows, of so many bits.
    pub(super) fn widths(self, bits: u32) -> Vec<u32> {
        let words = bits.div_ceil(64);
        match self {
            Self::Cells { .. } => (0..words).map(|i| (bits - 64 * i).min(64)).collect(),
            Self::Okvs(_) => vec![64; words as usize],
        }
    }
}

impl Places {
    fn new(s: &mut Session, job: &ThinJob, form: Form) -> Self {
        match form {
            Form::Cells { .. } => Self::Cells(s.hash(Purpose::StorePlace, job.table.owner)),
            Form::Okvs(_) => Self::Okvs(Hashing::new(s, job.table.owner)),
        }
    }
}

/// The cluster of an id, and its cells there.
fn cells_of(
    hash: &CcrHash,
    clusters: usize,
    third: usize,
    ids: &[u64],
    mut read: impl FnMut(usize, [u32; 3]),
) {
    let mut hashed = Wiped::zeros(CHUNK);
    for ids in ids.chunks(CHUNK) {
        let hashed = &mut hashed[..ids.len()];
        hashed.iter_mut().zip(ids).for_each(|(block, &id)| *block = Block(id.into()));
        hash.in_place(hashed);
        for x in &*hashed {
            let scaled = |i: u32, n: usize| ((u64::from((x.0 >> (32 * i)) as u32) * n as u64) >> 32) as usize;
            read(scaled(3, clusters), [0, 1, 2].map(|i| (i as usize * third + scaled(i, third)) as u32));
        }
    }
}

/// The owner's part: a fresh key, and the store sent.
pub(super) fn send(s: &mut Session, job: &ThinJob, table: &Table, count: usize) -> Result<Kept> {
    let form = Form::of(job, count)?;
    let places = Places::new(s, job, form);
    let widths = form.widths(job.row_planes());
    for _ in 0..TRIES {
        let key = Key::random(job.table.cipher, s.rng());
        let dummies = dummies(job, &key, count)?;
        let made = match (&places, form) {
            (Places::Cells(hash), Form::Cells { clusters, third }) => {
                fill(s.rng(), job, table, (&key, &dummies), hash, (clusters, third))?
            }
            (Places::Okvs(with), Form::Okvs(size)) => encode(s.rng(), job, table, &key, with, size)?,
            _ => unreachable!("places of the form"),
        };
        if let Some(words) = made {
            for at in pieces(form.columns(), PIECE) {
                let mut message = Vec::new();
                for (words, &width) in words.iter().zip(&widths) {
                    pack(&words[at.clone()], width, &mut message);
                }
                s.send(message)?;
            }
            return Ok(Kept { key, dummies });
        }
    }
    Err(Error::Chance("cells for the keys of a table"))
}

impl Store {
    /// The other party's part.
    pub(super) fn receive(s: &mut Session, job: &ThinJob, count: usize) -> Result<Self> {
        let form = Form::of(job, count)?;
        let places = Places::new(s, job, form);
        let widths = form.widths(job.row_planes());
        let room = |&width: &u32| Vec::with_capacity(packed_len(form.columns(), width));
        let mut words: Vec<Vec<u8>> = widths.iter().map(room).collect();
        for at in pieces(form.columns(), PIECE) {
            let message = s.recv(widths.iter().map(|&width| packed_len(at.len(), width)).sum())?;
            let mut rest = message.as_slice();
            for (words, &width) in words.iter_mut().zip(&widths) {
                let (mine, others) = rest.split_at(packed_len(at.len(), width));
                words.extend_from_slice(mine);
                rest = others;
            }
        }
        Ok(Self { form, places, widths, words })
    }

    /// The rows of these ids: for each word of a row those of all. Which ids there are this party knows.
    pub(super) fn read(&self, ids: &[u64]) -> Result<Vec<Wiped<u64>>> {
        let mut out: Vec<Wiped<u64>> = self.widths.iter().map(|_| Wiped::zeros(ids.len())).collect();
        match (&self.places, self.form) {
            (Places::Cells(hash), Form::Cells { clusters, third }) => {
                let mut at = 0;
                cells_of(hash, clusters, third, ids, |cluster, cells| {
                    for ((out, words), &width) in out.iter_mut().zip(&self.words).zip(&self.widths) {
                        let word = |cell: u32| word(words, width, 3 * third * cluster + cell as usize);
                        out[at] = cells.into_iter().map(word).fold(0, |sum, word| sum ^ word);
                    }
                    at += 1;
                });
            }
            (Places::Okvs(with), Form::Okvs(size)) => {
                let width = self.words.len();
                let mut table = Wiped::zeros(size.columns() * width);
                for (i, words) in self.words.iter().enumerate() {
                    let words =
                        words.chunks_exact(8).map(|w| u64::from_le_bytes(w.try_into().expect("8 bytes")));
                    table.iter_mut().skip(i).step_by(width).zip(words).for_each(|(to, word)| *to = word);
                }
                let keys: Vec<Block> = ids.iter().map(|&id| Block(id.into())).collect();
                let rows = okvs::decode(with, size, &table, width, &keys)?;
                for (i, out) in out.iter_mut().enumerate() {
                    out.iter_mut().zip(rows.iter().skip(i).step_by(width)).for_each(|(to, &word)| *to = word);
                }
            }
            _ => unreachable!("places of the form"),
        }
        Ok(out)
    }
}

/// One of the packed words.
fn word(packed: &[u8], width: u32, at: usize) -> u64 {
    let (bytes, from) = (width as usize, at / 8 * width as usize);
    let mut eight = [0; 8];
    let len = bytes.min(packed.len() - from);
    let count = (8 * len / bytes).min(8);
    unpack(&packed[from..from + packed_len(count, width)], width, &mut eight[..count]);
    eight[at % 8]
}

/// Ids of no key: values of a block that rows have not.
fn dummies(job: &ThinJob, key: &Key, count: usize) -> Result<Wiped<u64>> {
    let count = job.dummies(count);
    let prf = job.prf();
    let behind = PrfJob { output_bits: 128 * prf.blocks() as u32 + ID_BITS, ..prf };
    let inputs: Vec<u128> = (0..count as u128).collect();
    let values = values(&behind, key, &inputs)?;
    let len = behind.output_bits.div_ceil(64) as usize;
    Ok(Wiped::from(values.iter().skip(len - 1).step_by(len).copied().collect::<Vec<_>>()))
}

/// Gives the ids of these keys, with the masks of their rows.
fn each(
    job: &ThinJob,
    key: &Key,
    keys: impl Iterator<Item = u128>,
    mut read: impl FnMut(usize, u64, &dyn Fn(usize, u32) -> u64),
) -> Result<()> {
    let len = job.prf().output_bits.div_ceil(64) as usize;
    let mut keys = keys.peekable();
    let mut number = 0;
    while keys.peek().is_some() {
        let mut inputs = Wiped::from(Vec::with_capacity(CHUNK));
        keys.by_ref().take(CHUNK).for_each(|key| inputs.extend_from_slice(&[key]));
        let values = values(&job.prf(), key, &inputs)?;
        for value in values.chunks_exact(len) {
            read(number, value[0], &|i, width| field(value, ID_BITS as usize + 64 * i, width));
            number += 1;
        }
    }
    Ok(())
}

/// Cells with the rows of all keys, and others at the dummies.
fn fill(
    rng: &mut Prg,
    job: &ThinJob,
    table: &Table,
    (key, dummies): (&Key, &[u64]),
    hash: &CcrHash,
    (clusters, third): (usize, usize),
) -> Result<Option<Vec<Wiped<u64>>>> {
    let (bits, planes) = (job.table.keys.bits(), job.row_planes());
    let widths = Form::Cells { clusters, third }.widths(planes);
    let len = widths.len();
    let rows = table.by_key();
    let mut parts: Vec<(Wiped<[u32; 3]>, Wiped<u64>)> = (0..clusters).map(|_| Default::default()).collect();
    let mut ids = Wiped::<u64>::from(Vec::with_capacity(CHUNK));
    let mut masked = Wiped::<u64>::from(Vec::with_capacity(CHUNK * len));
    let mut place = |ids: &mut Wiped<u64>, masked: &mut Wiped<u64>| {
        let mut rows = masked.chunks_exact(len);
        cells_of(hash, clusters, third, ids, |cluster, cells| {
            parts[cluster].0.extend_from_slice(&[cells]);
            parts[cluster].1.extend_from_slice(rows.next().expect("a row for each"));
        });
        ids.truncate(0);
        masked.truncate(0);
    };
    each(job, key, 0..1 << bits, |x, id, mask| {
        ids.extend_from_slice(&[id]);
        let row = rows[x * len..][..len].iter().zip(&widths).enumerate();
        row.for_each(|(i, (word, &width))| masked.extend_from_slice(&[word ^ mask(i, width)]));
        if ids.len() == CHUNK {
            place(&mut ids, &mut masked);
        }
    })?;
    for &id in dummies {
        ids.extend_from_slice(&[id]);
        widths.iter().for_each(|&width| rng.words(width, masked.extend_zeros(1)));
    }
    place(&mut ids, &mut masked);
    let mut columns: Vec<Wiped<u64>> = widths.iter().map(|_| Wiped::zeros(3 * clusters * third)).collect();
    for (at, (places, rows)) in parts.iter().enumerate() {
        // Two equal ids have the same cells, and cannot be filled either.
        let Some(order) = cells::peel(places, 3 * third) else { return Ok(None) };
        let cells = cells::fill(places, &order, len, rows, rng);
        for (i, column) in columns.iter_mut().enumerate() {
            let to = column[3 * third * at..][..3 * third].iter_mut();
            to.zip(cells.iter().skip(i).step_by(len)).for_each(|(to, &word)| *to = word);
        }
    }
    Ok(Some(columns))
}

/// A store with the rows of the table's keys.
fn encode(
    rng: &mut Prg,
    job: &ThinJob,
    table: &Table,
    key: &Key,
    with: &Hashing,
    size: Size,
) -> Result<Option<Vec<Wiped<u64>>>> {
    let (given, len) = (job.table.row_words(), job.row_planes().div_ceil(64) as usize);
    let mut ids = Wiped::from(Vec::with_capacity(table.keys.len()));
    let mut rows = Wiped::zeros(table.keys.len() * len);
    // What no row has is random too, so that the whole store is.
    rng.words(64, &mut rows);
    each(job, key, table.keys.iter().copied(), |x, id, mask| {
        ids.extend_from_slice(&[Block(id.into())]);
        for i in 0..len {
            let width = (job.row_planes() - 64 * i as u32).min(64);
            let word = table.rows[x * given..][..given].get(i).copied().unwrap_or(0);
            let (row, low) = (&mut rows[x * len + i], u64::MAX >> (64 - width));
            *row = *row & !low | word ^ mask(i, width);
        }
    })?;
    let mut sorted = Wiped::from(ids.iter().map(|id| id.0 as u64).collect::<Vec<_>>());
    sorted.sort_unstable();
    // Of pseudo-random ids, whatever the keys are.
    if sorted.windows(2).any(|pair| pair[0] == pair[1]) {
        return Ok(None);
    }
    let made = okvs::encode(with, size, &ids, &rows, len, rng)?;
    let column = |i: usize| Wiped::from(made.iter().skip(i).step_by(len).copied().collect::<Vec<_>>());
    Ok(Some((0..len).map(column).collect()))
}
