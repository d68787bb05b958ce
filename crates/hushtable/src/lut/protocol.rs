//! All lookup protocols behind one call: what serves a batch of lookups, and its one-time material.
//!
//! For a program that lets its user, or a plan, choose. Code that knows its protocol calls that
//! protocol's own type.

use std::{fmt, str::FromStr};

use prim::ring::Ring;

use super::{
    Table,
    arithmetic::Arithmetic,
    flute::{Flute, Lut},
    oplut::{self, OpLut},
    ottt::{self, Ottt},
    read::Signed,
    splut::SpLut,
};
use crate::{
    bill::Bill,
    error::{Error, Result, same},
    net::Role,
    onehot::{self, Cyclic, Group, OneHot, Xor},
    ot::one_of_n,
    party::Party,
    session::Session,
    share::{Additive, Kind, Share, Sharing},
};

/// Most index bits of OP-LUT, for entries of one bit.
const MAX_OPLUT_BITS: u32 = 11;

/// A lookup protocol for public tables.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Protocol {
    /// One message as long as the table: [`SpLut`].
    SpLut,
    /// The same with OTs from codes, for small jobs: [`SpLut::prepare_kk13`].
    SpLutKk13,
    /// One-hot vectors by rotation: [`OneHot::rotl`].
    Rotl,
    /// One-hot vectors by doubling: [`OneHot::doubling`].
    Doubling,
    /// One-hot vectors by half-trees: [`OneHot::tree`].
    Tree,
    /// One-hot vectors by rotation digit by digit: [`OneHot::staged`].
    Staged,
    /// Additive one-hot vectors, for additive outputs in one round: [`Arithmetic`].
    Arithmetic,
    /// One-hot vectors by balanced outer products: [`OneHot::balanced`].
    Balanced,
    /// One-hot vectors by AND gates: [`OneHot::flute_plus`].
    FlutePlus,
    /// Masked wires, and one-hot vectors at their masks: [`Flute`].
    Flute,
    /// Shared tables, turned by a shared secret: [`OpLut`].
    OpLut,
    /// One-time truth tables by a circuit: [`Ottt`].
    Ottt,
}

/// What the lookups of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Job {
    /// How the indices are shared.
    pub index: Sharing,
    /// How the entries are to be shared.
    pub output: Sharing,
    /// The table has `2^index_bits` entries.
    pub index_bits: u32,
    /// Width of an entry, 1 to 64 bits.
    pub value_bits: u32,
}

impl Protocol {
    /// All of them.
    pub const ALL: [Self; 12] = [
        Self::SpLut,
        Self::SpLutKk13,
        Self::Rotl,
        Self::Doubling,
        Self::Tree,
        Self::Staged,
        Self::Arithmetic,
        Self::Balanced,
        Self::FlutePlus,
        Self::Flute,
        Self::OpLut,
        Self::Ottt,
    ];

    /// The name on a command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::SpLut => "splut",
            Self::SpLutKk13 => "splut-kk13",
            Self::Rotl => "rotl",
            Self::Doubling => "d",
            Self::Tree => "dt",
            Self::Staged => "st",
            Self::Arithmetic => "ar",
            Self::Balanced => "b",
            Self::FlutePlus => "fluteplus",
            Self::Flute => "flute",
            Self::OpLut => "oplut",
            Self::Ottt => "ottt",
        }
    }

    /// What it does, in a few words.
    pub fn about(self) -> &'static str {
        match self {
            Self::SpLut => "one message as long as the table",
            Self::SpLutKk13 => "one message as long as the table, OTs from codes",
            Self::Rotl => "one-hot vectors by rotation",
            Self::Doubling => "one-hot vectors by doubling",
            Self::Tree => "one-hot vectors of large tables by half-trees",
            Self::Staged => "one-hot vectors by rotation digit by digit",
            Self::Arithmetic => "additive one-hot vectors: additive output in one round",
            Self::Balanced => "one-hot vectors in few rounds by outer products",
            Self::FlutePlus => "one-hot vectors by AND gates",
            Self::Flute => "masked wires that open their outputs; XOR index and output",
            Self::OpLut => "a table turned by a shared secret: no work online",
            Self::Ottt => "a truth table made by a circuit, as a baseline; XOR output",
        }
    }

    /// Largest number of index bits it serves.
    fn max_index_bits(self) -> u32 {
        match self {
            Self::SpLut => 20,
            Self::SpLutKk13 => one_of_n::MAX_CODE_PADS.ilog2(),
            Self::Tree | Self::Arithmetic => onehot::MAX_INDEX_BITS,
            Self::Rotl | Self::Doubling | Self::Staged | Self::Balanced => onehot::MAX_DENSE_BITS,
            Self::FlutePlus | Self::Flute => onehot::MAX_FLUTE_BITS,
            Self::OpLut => MAX_OPLUT_BITS,
            Self::Ottt => ottt::MAX_INDEX_BITS,
        }
    }

    /// `Ok(())` if the protocol serves the job.
    ///
    /// # Errors
    /// [`Error::Param`] that says what it serves.
    pub fn check(self, job: &Job) -> Result<()> {
        if !(1..=64).contains(&job.value_bits) {
            let (what, got) = ("width of an entry", job.value_bits.to_string());
            return Err(Error::Param { what, got, accepted: "1 to 64 bits".into() });
        }
        let only = |what, sharing, accepted: Sharing| {
            let got = format!("{sharing} with {}", self.name());
            Err(Error::Param { what, got, accepted: accepted.to_string() })
        };
        match self {
            Self::Arithmetic if job.output == Sharing::Xor => {
                return only("sharing of the output", job.output, Sharing::Additive);
            }
            Self::Flute | Self::Ottt if job.output == Sharing::Additive => {
                return only("sharing of the output", job.output, Sharing::Xor);
            }
            Self::Flute if job.index == Sharing::Additive => {
                return only("sharing of the index", job.index, Sharing::Xor);
            }
            Self::OpLut if job.index_bits <= MAX_OPLUT_BITS => {
                oplut::check_size(1 << job.index_bits, job.value_bits)?;
            }
            _ => {}
        }
        let most = self.max_index_bits();
        if !(1..=most).contains(&job.index_bits) {
            let got = format!("{} with {}", job.index_bits, self.name());
            return Err(Error::Param { what: "index bits", got, accepted: format!("1 to {most}") });
        }
        Ok(())
    }

    /// What `batch` lookups cost.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn bill(self, job: &Job, batch: usize) -> Result<Bill> {
        self.check(job)?;
        let (p0, p1) = self.cots(job, Role::P0, batch);
        Ok(Bill::of_cots([p0 as u64, p1 as u64]))
    }

    /// Correlated OTs, `(as sender, as receiver)`, that the party `role` spends on `batch` lookups; none on a
    /// job that the protocol does not serve.
    pub fn cots(self, job: &Job, role: Role, batch: usize) -> (usize, usize) {
        if self.check(job).is_err() {
            return (0, 0);
        }
        let n = job.index_bits;
        let (send, recv) = match (self, job.index) {
            (Self::SpLut, _) => return SpLut::<Cyclic>::cots(role, 1 << n, batch),
            (Self::SpLutKk13, _) => return SpLut::<Cyclic>::kk13_cots(role, 1 << n, batch),
            (Self::Rotl | Self::Staged, _) => OneHot::<Cyclic>::rotl_cots(role, n, batch),
            (Self::Doubling, Sharing::Additive) => OneHot::<Cyclic>::doubling_cots(role, n, batch),
            (Self::Doubling, Sharing::Xor) => OneHot::<Xor>::doubling_cots(role, n, batch),
            (Self::Balanced, Sharing::Additive) => OneHot::<Cyclic>::balanced_cots(role, n, batch),
            (Self::Balanced, Sharing::Xor) => OneHot::<Xor>::balanced_cots(role, n, batch),
            (Self::FlutePlus, Sharing::Additive) => OneHot::<Cyclic>::flute_plus_cots(role, n, batch),
            (Self::FlutePlus, Sharing::Xor) => OneHot::<Xor>::flute_plus_cots(role, n, batch),
            (Self::Tree, Sharing::Additive) => OneHot::<Cyclic>::tree_cots(role, n, batch),
            (Self::Tree, Sharing::Xor) => OneHot::<Xor>::tree_cots(role, n, batch),
            (Self::OpLut, _) => return OpLut::<Cyclic, Additive, u64>::cots(role, 1 << n, batch),
            (Self::Flute, _) => return Lut::cots(n, batch),
            (Self::Ottt, Sharing::Additive) => return Ottt::<Cyclic, u64>::cots(n, job.value_bits, batch),
            (Self::Ottt, Sharing::Xor) => return Ottt::<Xor, u64>::cots(n, job.value_bits, batch),
            (Self::Arithmetic, Sharing::Additive) => return arithmetic_cots::<Cyclic>(job, role, batch),
            (Self::Arithmetic, Sharing::Xor) => return arithmetic_cots::<Xor>(job, role, batch),
        };
        let sign = if job.signed() { batch } else { 0 };
        (send + sign, recv + sign)
    }

    /// Offline phase for `batch` lookups in `table`, of `2^k` entries.
    ///
    /// # Errors
    /// [`Error::Param`] for a table that the protocol does not serve, and those of the channel.
    pub fn prepare<G: Group, K: Kind, R: Ring>(
        self,
        p: &mut Party,
        table: &Table<R>,
        batch: usize,
    ) -> Result<Prepared<G, K, R>> {
        let job = Job::of::<G, K, R>(table)?;
        self.check(&job)?;
        let n = job.index_bits;
        let material = match self {
            Self::SpLut => Material::SpLut(SpLut::prepare(p, table.len(), batch)?),
            Self::SpLutKk13 => Material::SpLut(SpLut::prepare_kk13(p, table.len(), batch)?),
            Self::Rotl => Material::reading(OneHot::rotl(p, n, batch)?, p, &job)?,
            Self::Doubling => Material::reading(OneHot::doubling(p, n, batch)?, p, &job)?,
            Self::Tree => Material::reading(OneHot::tree(p, n, batch)?, p, &job)?,
            Self::Staged => Material::reading(OneHot::staged(p, n, batch)?, p, &job)?,
            Self::Arithmetic => Material::Arithmetic(Arithmetic::prepare(p, n, job.value_bits, batch)?),
            Self::Balanced => Material::reading(OneHot::balanced(p, n, batch)?, p, &job)?,
            Self::FlutePlus => Material::reading(OneHot::flute_plus(p, n, batch)?, p, &job)?,
            Self::Flute => Material::Flute(Flute::prepare(p, n, job.value_bits, batch)?),
            Self::OpLut => Material::OpLut(OpLut::prepare(p, table, batch)?),
            Self::Ottt => Material::Ottt(Ottt::prepare(p, table, batch)?),
        };
        Ok(Prepared { material })
    }
}

impl fmt::Display for Protocol {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl fmt::Display for Job {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { index, output, .. } = self;
        write!(f, "{index} indices of {} bits, {output} outputs of {} bits", self.index_bits, self.value_bits)
    }
}

impl FromStr for Protocol {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        let known = Self::ALL.into_iter().find(|protocol| protocol.name() == name);
        known.ok_or_else(|| {
            let accepted = Self::ALL.map(Self::name).join(", ");
            Error::Param { what: "protocol", got: name.into(), accepted }
        })
    }
}

impl Job {
    /// The job of looking up indices of the group `G` in `table`, for outputs of kind `K`.
    ///
    /// # Errors
    /// [`Error::Param`] unless the table has `2^k` entries and one column.
    pub fn of<G: Group, K: Kind, R: Ring>(table: &Table<R>) -> Result<Self> {
        same("columns of the table", 1, table.columns().len())?;
        if !table.len().is_power_of_two() {
            let accepted = "powers of two (Table::pad)".into();
            let (what, got) = ("entries of the table", table.len().to_string());
            return Err(Error::Param { what, got, accepted });
        }
        let (index, output) = (G::Kind::SHARING, K::SHARING);
        Ok(Self { index, output, index_bits: table.len().ilog2(), value_bits: table.bits() })
    }

    /// Whether the sign of a one-hot vector matters to the output.
    pub(crate) fn signed(&self) -> bool {
        self.output == Sharing::Additive && self.value_bits > 1
    }
}

/// One-time material for a batch of lookups, of whichever protocol.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Prepared<G: Group, K: Kind, R: Ring> {
    pub(super) material: Material<G, K, R>,
}

/// Whose material it is; `stored` cuts it and turns it into bytes.
pub(super) enum Material<G: Group, K: Kind, R: Ring> {
    OneHot(OneHot<G>),
    Signed(Signed<G>),
    SpLut(SpLut<G>),
    Arithmetic(Arithmetic<G, R>),
    Flute(Flute),
    OpLut(OpLut<G, K, R>),
    Ottt(Ottt<G, R>),
}

impl<G: Group, K: Kind, R: Ring> Material<G, K, R> {
    /// A one-hot vector, with what the job's output needs.
    pub(super) fn reading(onehot: OneHot<G>, p: &mut Party, job: &Job) -> Result<Self> {
        match job.output {
            Sharing::Xor => Ok(Self::OneHot(onehot)),
            Sharing::Additive => Ok(Self::Signed(onehot.signed(p, &[job.value_bits])?)),
        }
    }
}

impl<G: Group, K: Kind, R: Ring> Prepared<G, K, R> {
    /// Online: shares of `T[x]`. The low bits of a wider index count. Spends this material.
    ///
    /// # Errors
    /// [`Error::Shape`] if number, length or width differ from what was prepared, and those of the
    /// channel.
    pub fn lookup(self, s: &mut Session, table: &Table<R>, x: &Share<G::Kind, u32>) -> Result<Share<K, R>> {
        match (self.material, K::SHARING) {
            (Material::OneHot(m), _) => Ok(m.lookup_xor(s, table, x)?.of_kind()),
            (Material::Signed(m), _) => Ok(m.lookup(s, table, x)?.of_kind()),
            (Material::Arithmetic(m), _) => Ok(m.lookup(s, table, x)?.of_kind()),
            (Material::Flute(m), _) => Ok(m.lookup_xor(s, table, &x.clone().of_kind())?.of_kind()),
            (Material::OpLut(m), _) => m.lookup(s, x),
            (Material::Ottt(m), _) => Ok(m.lookup_xor(s, x)?.of_kind()),
            (Material::SpLut(m), Sharing::Additive) => Ok(m.lookup(s, table, x)?.of_kind()),
            (Material::SpLut(m), Sharing::Xor) => Ok(m.lookup_xor(s, table, x)?.of_kind()),
        }
    }
}

/// For words of the narrowest type that holds the entries.
fn arithmetic_cots<G: Group>(job: &Job, role: Role, batch: usize) -> (usize, usize) {
    let (n, bits) = (job.index_bits, job.value_bits);
    match bits {
        ..=8 => Arithmetic::<G, u8>::cots(role, n, bits, batch),
        9..=16 => Arithmetic::<G, u16>::cots(role, n, bits, batch),
        17..=32 => Arithmetic::<G, u32>::cots(role, n, bits, batch),
        _ => Arithmetic::<G, u64>::cots(role, n, bits, batch),
    }
}
