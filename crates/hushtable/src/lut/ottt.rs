//! OTTT: a one-time truth table, made by a Boolean circuit at every shifted index.
//!
//! # Functionality
//! In: a public table of n entries of `l` bits, shares of `x`. Out: XOR shares of `T[x]`.
//!
//! # Protocol
//! 1. *Offline.* P0 draws `r`, P1 draws `s`, in the index group. For every k they compute XOR shares
//!    `T^p[k]` of `T[k + r + s]` by a circuit: P0 knows `k + r` and P1 knows s, which are shares of
//!    the index (xor group), or summands whose sum mod n a circuit computes (cyclic group).
//! 2. *Online.* Open `m = x - r - s`; party p outputs `T^p[m]`.
//!
//! The circuits of all k do the same work n times over: that is the protocol, kept as the baseline
//! that the papers compare with.
//!
//! # Cost, a lookup
//! Offline n circuits of [`ands`] ANDs (4 bits and 2 correlated OTs each), in the circuit's depth of
//! rounds. Online `2d` bits, 1 round, and no work but the reading of an entry. The papers count
//! `(d - 1) l` ANDs a circuit. That is what a conjunction takes; a table chosen at will needs more
//! for most d: by the circuit used here (see `circuit`) 1 for d = 2 and l = 1, 5 for d = 4, 37 for
//! d = 8, and 82 for d = l = 8.
//!
//! # Source
//! Ishai et al., "On the Power of Correlated Randomness" (TCC 2013); Damgard, Zakarias, "Fast
//! Oblivious AES" (AFRICACRYPT 2016); Dessouky et al. (NDSS 2017), section IV-B. Deviations: the
//! circuit and its count; the cyclic group.

mod circuit;

use prim::{ring::Ring, rows::Shift};

use super::{
    Table,
    spec::{LookupJob, Lookups, Made, Spec, only},
};
use crate::{
    bill::{Bill, Phase, Work},
    circuit::Layers,
    error::{Error, Result, same},
    gates::{Bits, Triples},
    net::Role,
    onehot::{Cyclic, Group, Xor},
    party::Party,
    session::Session,
    share::{BShare, Kind, Share, Sharing},
};

/// Most index bits of a table.
pub const MAX_INDEX_BITS: u32 = 12;

/// One-time material for a batch of lookups in one table of one column.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Party, Result, lut::ottt::Ottt, onehot::Xor};
/// fn twice(p: &mut Party, m: Ottt<Xor, u8>, x: &BShare<u32>) -> Result<()> {
///     m.lookup_xor(p, x)?;
///     m.lookup_xor(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Ottt<G: Group, R: Ring> {
    /// Shares of `r + s`.
    offset: Share<G::Kind, u32>,
    /// `2^d` a lookup.
    entries: BShare<R>,
}

/// ANDs of the circuit for one shifted index, of a table of `2^d` entries of `bits` bits.
pub fn ands<G: Group>(d: u32, bits: u32) -> usize {
    let sum = match G::SHIFT {
        Shift::Cyclic => d as usize - 1,
        Shift::Xor => 0,
    };
    sum + circuit::ands(d, bits)
}

/// Rounds of the circuit for one shifted index.
pub fn rounds<G: Group>(d: u32, bits: u32) -> u32 {
    let sum = match G::SHIFT {
        Shift::Cyclic => d - 1,
        Shift::Xor => 0,
    };
    sum + circuit::rounds(d, bits)
}

impl<G: Group, R: Ring> Ottt<G, R> {
    /// Offline phase for `batch` lookups in `table`, of one column and `2^d` entries, `1 <= d <= 12`.
    /// Work, bytes and memory grow with `2^d` circuits a lookup, all evaluated at once.
    ///
    /// # Errors
    /// [`Error::Param`] for another number of entries, [`Error::Shape`] for several columns, and
    /// those of the channel.
    pub fn prepare(p: &mut Party, table: &Table<R>, batch: usize) -> Result<Self> {
        same("columns of the table", 1, table.columns().len())?;
        let d = table.index_bits();
        if !table.len().is_power_of_two() || d > MAX_INDEX_BITS {
            let accepted = format!("powers of two from 2 to 2^{MAX_INDEX_BITS} (Table::pad)");
            return Err(Error::Param {
                what: "entries of the table",
                got: table.len().to_string(),
                accepted,
            });
        }
        let mut offset = vec![0u32; batch];
        p.session().rng().words(d, &mut offset);
        let offset = Share::new(d, offset);
        let lanes = batch << d;
        let circuit = Layers::prepare(p, &circuit::netlist(G::SHIFT, table), lanes)?;
        let mine = Bits::from_share(&shifted::<G>(p.role(), d, offset.words()));
        let mut inputs = vec![Bits::new(lanes, vec![u64::MAX; lanes.div_ceil(64)])];
        if let Shift::Cyclic = G::SHIFT {
            inputs.extend_from_slice(&mine);
        }
        inputs.extend(mine);
        let entries = Bits::to_share(&circuit.eval(p, inputs)?)?;
        Ok(Self { offset, entries })
    }

    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.offset.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.offset.is_empty()
    }

    /// Online, 1 round: XOR shares of `T[x]`. The low bits of a wider index count. Spends this
    /// material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many indices as lookups; [`Error::Param`] if `x` is
    /// narrower than the table's index.
    pub fn lookup_xor(self, s: &mut Session, x: &Share<G::Kind, u32>) -> Result<BShare<R>> {
        // Public: the offset is uniform and serves no other opening, since `self` is spent.
        let opened = s.open(&self.mask(x)?)?;
        Ok(self.entries_at(&opened))
    }

    /// What is opened: `x - r - s`.
    fn mask(&self, x: &Share<G::Kind, u32>) -> Result<Share<G::Kind, u32>> {
        same("indices", self.len(), x.len())?;
        Ok(x.low_bits::<u32>(self.offset.bits())?.minus(&self.offset))
    }

    /// The entries at the opened places.
    fn entries_at(&self, opened: &[u32]) -> BShare<R> {
        let tables = self.entries.words().chunks_exact(1 << self.offset.bits());
        let entry = |(entries, &at): (&[R], &u32)| entries[at as usize];
        Share::new(self.entries.bits(), tables.zip(opened).map(entry).collect())
    }
}

/// This party's part of `k + r + s` for every k of every lookup: `k + r` at P0, s at P1.
fn shifted<G: Group>(role: Role, d: u32, offset: &[u32]) -> BShare<u32> {
    let part = |&offset: &u32| {
        (0..1u32 << d).map(move |k| match (role, G::SHIFT) {
            (Role::P0, Shift::Cyclic) => k.wrapping_add(offset),
            (Role::P0, Shift::Xor) => k ^ offset,
            (Role::P1, _) => offset,
        })
    };
    Share::new(d, offset.iter().flat_map(part).collect())
}

/// OTTT.
pub(crate) struct TruthTable;

impl Spec for TruthTable {
    const NAME: &'static str = "ottt";
    const ABOUT: &'static str = "a truth table made by a circuit, as a baseline; XOR output";
    const NUMBER: u8 = 12;
    const MAX_BITS: u32 = MAX_INDEX_BITS;
    const OPENS: bool = true;
    fn check(job: &LookupJob) -> Result<()> {
        only(Self::NAME, "sharing of the output", job.output, Sharing::Xor)
    }

    fn bill(job: &LookupJob, batch: usize) -> Bill {
        let (d, l) = (job.index_bits, job.value_bits);
        let (ands, rounds) = match job.index {
            Sharing::Additive => (ands::<Cyclic>(d, l), rounds::<Cyclic>(d, l)),
            Sharing::Xor => (ands::<Xor>(d, l), rounds::<Xor>(d, l)),
        };
        let circuits = Triples::bill(1).times(ands << d);
        let offline = Phase { rounds, ..circuits.online };
        let made = Bill { cots: circuits.cots, offline, kept: u64::from(l) << d, ..Bill::FREE };
        (made + Bill::opening(d.into())).times(batch)
    }

    fn work(job: &LookupJob) -> [Work; 2] {
        let ands = Self::bill(job, 1).cots[0] as usize;
        [Work::triples(ands), Work::index()]
    }

    fn memory(job: &LookupJob, _cots: usize) -> usize {
        // Triples, operands and products of a circuit at every index, and its OTs.
        128 + ((40 * ands::<Cyclic>(job.index_bits, job.value_bits)) << job.index_bits)
    }

    fn prepare<G: Group, K: Kind, R: Ring>(p: &mut Party, table: &Table<R>, batch: usize) -> Made<G, K, R> {
        Ok(Box::new(Ottt::<G, R>::prepare(p, table, batch)?))
    }
}

impl<G: Group, K: Kind, R: Ring> Lookups<G, K, R> for Ottt<G, R> {
    fn len(&self) -> usize {
        Ottt::len(self)
    }

    fn lookup(
        self: Box<Self>,
        s: &mut Session,
        _table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Share<K, R>> {
        Ok(self.lookup_xor(s, x)?.of_kind())
    }

    fn masked(&self, x: &Share<G::Kind, u32>) -> Result<Share<G::Kind, u32>> {
        self.mask(x)
    }

    fn read(self: Box<Self>, _table: &Table<R>, opened: &[u32]) -> Result<Share<K, R>> {
        same("opened values", self.len(), opened.len())?;
        Ok(self.entries_at(opened).of_kind())
    }

    fn take(&mut self, m: usize) -> Made<G, K, R> {
        let Some(left) = self.len().checked_sub(m) else {
            return Err(Error::Shape { what: "lookups left", want: m, got: self.len() });
        };
        let entries = self.entries.split_off(left << self.offset.bits());
        Ok(Box::new(Self { offset: self.offset.split_off(left), entries }))
    }
}
