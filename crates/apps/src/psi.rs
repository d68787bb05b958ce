//! Private set intersection: which ids two parties have in common, and nothing of the others.
//!
//! # Functionality
//! Each party has a set of ids, up to a public number of them. Out, to both or to one of them: which of its own ids the
//! other has too, in an order that is the same at both: so the i-th match of one is the i-th of the other.
//!
//! **What the intersection says**: who enters all telephone numbers learns the other's list. Limit the numbers, and see
//! them before you agree. Numbers may be bounds: then only they are public, and not how many ids there are.
//!
//! # Protocol
//! 1. The values of a [pseudo-random function](hushtable::oprf) at the ids of both; the *receiver*, R, has the smaller
//!    set, or is who alone learns.
//! 2. The other, S, sends the first l bits of its values, **in the order of the values**: that of its rows would tell
//!    which of them match. Values of a set that is smaller than the bound are filled up with random ones.
//! 3. R compares with its own. If both learn, it sends a bit for each value received.
//!
//! Equal numbers of l bits of different ids: `2^-43` in all. With the ids of S that are exposed and what hashing fails
//! with, [`Psi::chance`] adds it up: up to `2^-40` for 13 million ids of S.
//!
//! # Cost
//! With n ids of R and m of S: the function's for n and m, `l m` bits from S, `l = 8 ceil((43 + ceil(log2 n m)) / 8)`;
//! if both learn m bits from R. 2 rounds, or 3.
//!
//! # Source
//! join-spec 3; Raghuraman, Rindal (CCS 2022).

use hushtable::{
    Error, Party, Result, Role,
    bill::{Bill, Phase},
    chance::Chance,
    oprf::{Oprf, OprfJob},
    ot::Setting,
    session::Session,
    terms,
};
use prim::{Wiped, block::Block};

use crate::ids::Ids;

mod operation;

pub use operation::Intersect;

/// Most ids of a party. From 13 million on [`Psi::chance`] is more than `2^-40`: what is exposed alone has that at `2^24`.
pub const MAX_IDS: usize = 1 << 24;

/// Bytes in a message, about.
const PIECE: usize = 1 << 19;

/// Who learns the intersection. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Learns {
    /// Both parties.
    Both,
    /// One of them.
    Only(Role),
}

/// The public side of an intersection, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Psi {
    sizes: [usize; 2],
    learns: Learns,
}

impl Psi {
    /// Of sets of up to so many ids of P0 and of P1.
    ///
    /// # Errors
    /// [`Error::Param`] for more than [`MAX_IDS`].
    pub fn new(sizes: [usize; 2], learns: Learns) -> Result<Self> {
        if let Some(more) = sizes.into_iter().find(|&size| size > MAX_IDS) {
            let (what, got) = ("ids of a party", more.to_string());
            return Err(Error::Param { what, got, accepted: format!("up to {MAX_IDS}") });
        }
        Ok(Self { sizes, learns })
    }

    /// What the parties compare.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let learns = match self.learns {
            Learns::Both => "both".to_owned(),
            Learns::Only(role) => role.to_string(),
        };
        vec![("ids", terms::Value::text(&self.sizes[..])), ("who learns", learns)]
    }

    /// R.
    fn receiver(&self) -> Role {
        match self.learns {
            Learns::Only(role) => role,
            Learns::Both if self.sizes[1] < self.sizes[0] => Role::P1,
            Learns::Both => Role::P0,
        }
    }

    fn job(&self) -> OprfJob {
        let receiver = self.receiver();
        let [keys, inputs] = [receiver, receiver.peer()].map(|role| self.sizes[role as usize]);
        OprfJob { receiver, keys, inputs, blocks: 1 }
    }

    /// Bytes of a value that are sent.
    fn bytes(&self) -> usize {
        let pairs = self.sizes[0] as u64 * self.sizes[1] as u64;
        (43 + pairs.max(2).next_power_of_two().trailing_zeros() as usize).div_ceil(8)
    }

    /// What chance can spoil. Without the hashes of ids; see [`Set::chance`](crate::ids::Set::chance).
    pub fn chance(&self) -> Chance {
        let pairs = self.sizes[0] as f64 * self.sizes[1] as f64;
        self.job().chance() + Chance::of("ids that seem to be common", pairs, -8 * self.bytes() as i32)
    }

    /// What it costs under this setting. Without the salt of the ids.
    ///
    /// # Errors
    /// None for what [`new`](Self::new) accepts.
    pub fn bill(&self, under: &Setting) -> Result<Bill> {
        let job = self.job();
        let sent = |by: Role, bits: usize| {
            let mut online = Phase { bits: [0; 2], rounds: u32::from(bits > 0) };
            online.bits[by as usize] = bits as u64;
            Bill { online, ..Bill::FREE }
        };
        let mut bill = job.bill(&under.limits)? + sent(job.receiver.peer(), 8 * self.bytes() * job.inputs);
        if self.learns == Learns::Both {
            bill = bill + sent(job.receiver, job.inputs);
        }
        Ok(bill)
    }

    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(&self, p: &mut Party) -> Result<Intersection> {
        Ok(Intersection { psi: *self, function: Oprf::prepare(p, self.job())? })
    }
}

/// One-time material for an intersection.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Intersection {
    psi: Psi,
    function: Oprf,
}

impl Intersection {
    /// Online: the rows of this party's ids that the peer has too, in an order that both have. `None` at a party that
    /// does not learn it. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] for more ids than prepared for; [`Error::Chance`] with probability `2^-44`; and those of the
    /// channel.
    pub fn find(self, s: &mut Session, ids: &Ids) -> Result<Option<Vec<usize>>> {
        let Self { psi, function } = self;
        let values = function.eval(s, ids.blocks())?;
        let bits = 8 * psi.bytes() as u32;
        let mut sorted = Wiped::from(Vec::with_capacity(psi.sizes[s.role() as usize]));
        sorted.extend((0..).zip(values.iter()).map(|(row, value)| Value::new(low(*value, bits), row)));
        if s.role() == psi.receiver() {
            sorted.sort_unstable_by_key(|v| v.0);
            receive(s, &psi, &sorted).map(Some)
        } else {
            send(s, &psi, sorted)
        }
    }
}

/// A value of at most 96 bits, and below it the row that it is of: they are sorted together.
#[repr(transparent)]
#[derive(Clone, Copy, bytemuck::Pod, bytemuck::Zeroable)]
struct Value(u128);

impl Value {
    fn new(value: Block, row: u32) -> Self {
        Self(value.0 << 32 | u128::from(row))
    }

    fn value(self) -> u128 {
        self.0 >> 32
    }

    /// `None` for a value that fills the set up.
    fn row(self) -> Option<usize> {
        let row = self.0 as u32;
        (row != NONE).then_some(row as usize)
    }
}

/// No row.
const NONE: u32 = u32::MAX;

fn low(value: Block, bits: u32) -> Block {
    Block(value.0 & u128::MAX >> (128 - bits))
}

/// Step 2, and what comes back.
fn send(s: &mut Session, psi: &Psi, mut values: Wiped<Value>) -> Result<Option<Vec<usize>>> {
    let (count, bytes) = (psi.sizes[s.role() as usize], psi.bytes());
    let mut filling = Wiped::zeros(count - values.len());
    s.rng().blocks(&mut filling);
    values.extend(filling.iter().map(|&x| Value::new(low(x, 8 * bytes as u32), NONE)));
    values.sort_unstable_by_key(|v| v.0);
    for values in values.chunks(PIECE / bytes) {
        let mut message = Vec::with_capacity(values.len() * bytes);
        // Public by the functionality: the receiver knows those of ids that it has; others are noise to it.
        values.iter().for_each(|v| message.extend_from_slice(&v.value().to_le_bytes()[..bytes]));
        s.send(message)?;
    }
    if psi.learns != Learns::Both {
        return Ok(None);
    }
    let found = if count > 0 { s.recv(count.div_ceil(8))? } else { vec![] };
    let row = |(i, v): (usize, &Value)| v.row().filter(|_| found[i / 8] >> (i % 8) & 1 == 1);
    Ok(Some(values.iter().enumerate().filter_map(row).collect()))
}

/// Step 3: rows in the order of the values.
fn receive(s: &mut Session, psi: &Psi, mine: &[Value]) -> Result<Vec<usize>> {
    let (count, bytes) = (psi.sizes[s.role().peer() as usize], psi.bytes());
    let mut found = vec![0u8; count.div_ceil(8)];
    let (mut rows, mut mine, mut last) = (Vec::new(), mine.iter().peekable(), 0);
    let mut at = 0;
    while at < count {
        let part = (count - at).min(PIECE / bytes);
        for theirs in s.recv(part * bytes)?.chunks_exact(bytes) {
            let mut value = [0; 16];
            value[..bytes].copy_from_slice(theirs);
            let value = u128::from_le_bytes(value);
            if value < last {
                return Err(Error::Peer("values of a set that are not in order".into()));
            }
            while mine.next_if(|v| v.value() < value).is_some() {}
            if let Some(row) = mine.next_if(|v| v.value() == value).and_then(|v| v.row()) {
                rows.push(row);
                found[at / 8] |= 1 << (at % 8);
            }
            (last, at) = (value, at + 1);
        }
    }
    if psi.learns == Learns::Both && count > 0 {
        // Public by the functionality: both learn the intersection.
        s.send(found)?;
    }
    Ok(rows)
}
