//! Gains and offsets of the columns of a shared matrix.
//!
//! # Functionality
//! In: shares of rows of numbers; a gain and an offset for each column, public or known to one party.
//! Out: shares of the numbers times their gains plus their offsets.
//!
//! # Protocol
//! Public gains are multiplied locally. A private one is a number of its party's that multiplies the
//! other's shares of its column, as rows: Gilboa's products. Or by a lattice: some gains are the diagonal of a matrix that
//! its party knows, and their columns are multiplied by it. The offsets are added by one party.
//!
//! # Cost
//! Private gains, for columns of m numbers in a ring of w bits: w correlated OTs and
//! `w + m w (w + 1) / 2` bits online a column, in one direction, 1 round. By a lattice as [`LatticeProduct`] of blocks of
//! columns.
//!
//! # Source
//! Gilboa (CRYPTO 1999), as [`MatrixProduct`]; [`LatticeProduct`].

use zeroize::Zeroizing;

use crate::{
    arith::{
        LatticeJob, LatticeProduct, LinearJob, MatrixJob, MatrixProduct, MatrixShape, cheapest_block, fixed,
    },
    bill::{Bill, Objective, Once, Work},
    error::{Error, Result, same},
    net::Role,
    party::Party,
    session::Session,
    share::AShare,
    source::Source,
};

/// The gain and the offset of each column.
#[derive(Clone)]
pub struct Affine {
    gains: Zeroizing<Vec<f64>>,
    offsets: Zeroizing<Vec<f64>>,
    known_to: Option<Role>,
}

impl Affine {
    /// Known to both parties.
    pub fn public(gains: Vec<f64>, offsets: Vec<f64>) -> Self {
        Self { gains: Zeroizing::new(gains), offsets: Zeroizing::new(offsets), known_to: None }
    }

    /// This party's own.
    pub fn own(role: Role, gains: Vec<f64>, offsets: Vec<f64>) -> Self {
        Self { known_to: Some(role), ..Self::public(gains, offsets) }
    }

    /// The peer's, for `columns` columns.
    pub fn of_peer(role: Role, columns: usize) -> Self {
        Self { known_to: Some(role.peer()), ..Self::public(vec![0.0; columns], vec![0.0; columns]) }
    }

    /// `Ok(())` if there are as many as columns, none exceeds the bound, and the peer's are the same if they are
    /// public. An owner whose own exceed it tells the peer so, and no more. No round: a peer that differs is
    /// noticed at the next wait, before any result is.
    pub(super) fn agree(
        &self,
        s: &mut Session,
        known_to: Option<Role>,
        columns: usize,
        most: f64,
    ) -> Result<()> {
        if self.known_to != known_to {
            let of = |known: Option<Role>| known.map_or("both parties".into(), |role| role.to_string());
            let (what, got) = ("who knows the gains", of(self.known_to));
            return Err(Error::Param { what, got, accepted: format!("{}, as prepared for", of(known_to)) });
        }
        same("gains of the columns", columns, self.gains.len())?;
        same("offsets of the columns", columns, self.offsets.len())?;
        let large = |v: &&f64| v.is_nan() || v.abs() > most;
        if self.known_to.is_none() {
            s.announce(&format!("gains and offsets {}", self.digest().to_hex()))?;
        }
        match (self.known_to, self.both().find(large)) {
            (None, None) => Ok(()),
            (None, Some(v)) => Err(too_large(v.to_string(), most)),
            (Some(role), Some(_)) if role == s.role() => {
                s.announce(&verdict(role, false))?;
                Err(too_large(one_of(role), most))
            }
            (Some(role), _) => s.announce(&verdict(role, true)),
        }
    }

    /// What of an error at the peer of an owner whose gains are too large says so: the owner's own.
    pub(super) fn explain(&self, most: f64, error: Error) -> Error {
        match (self.known_to, &error) {
            (Some(role), Error::Handshake { theirs, .. }) if *theirs == verdict(role, false) => {
                too_large(one_of(role), most)
            }
            _ => error,
        }
    }

    fn both(&self) -> impl Iterator<Item = &f64> {
        self.gains.iter().chain(self.offsets.iter())
    }

    /// Of public ones.
    fn digest(&self) -> blake3::Hash {
        let mut hash = blake3::Hasher::new();
        for v in self.both() {
            hash.update(&v.to_le_bytes());
        }
        hash.finalize()
    }
}

/// How the columns of rows are scaled. Public.
#[derive(Clone, Copy)]
pub(super) struct ScalingJob {
    rows: usize,
    len: usize,
    bits: u32,
    /// Bits behind the point of a gain.
    scale: u32,
    known_to: Option<Role>,
    /// How many columns make a matrix, and its products.
    lattice: Option<(usize, LatticeJob)>,
}

/// One-time material for scaling the columns of rows, and what the owner of the gains knows.
pub(super) struct Scaling {
    job: ScalingJob,
    affine: Affine,
    made: Made,
}

enum Made {
    /// For public gains.
    Nothing,
    Ots(MatrixProduct),
    Lattice(LatticeProduct),
}

impl ScalingJob {
    /// Rows of `len` numbers mod `2^bits`; gains of at most `most`, with `scale` bits behind the point, are known to a party
    /// or public. By a lattice, for the objective, where it takes fewer bytes, keys for this batch counted.
    pub(super) fn new(
        [rows, len]: [usize; 2],
        bits: u32,
        scale: u32,
        (known_to, objective): (Option<Role>, Objective),
        most: f64,
    ) -> Self {
        let ots = Self { rows, len, bits, scale, known_to, lattice: None };
        let Some(owner) = known_to else { return ots };
        let of = |block: usize| {
            let job = ots.in_blocks(block, (owner, objective), most)?;
            Ok((job.price(), [job.bill(), job.keys().bill()], (block, job)))
        };
        Self { lattice: cheapest_block(len, Some(&ots.columns().bill()), of), ..ots }
    }

    /// So many columns in each matrix.
    fn in_blocks(
        &self,
        block: usize,
        (owner, objective): (Role, Objective),
        most: f64,
    ) -> Result<LatticeJob> {
        let Self { rows, len, bits, scale, .. } = *self;
        let number_bits = scale + libm::log2(most).ceil().max(0.0) as u32 + 2;
        let shape = MatrixShape { batch: len.div_ceil(block), rows, inner: block, columns: block };
        LatticeJob::of(LinearJob { shape: shape.into(), bits, number_bits, owner }, objective)
    }

    /// What all numbers cost, without keys that the session keeps.
    pub(super) fn bill(&self) -> Bill {
        match (&self.lattice, self.known_to) {
            (Some((_, lattice)), _) => lattice.bill(),
            (None, Some(_)) => self.columns().bill(),
            (None, None) => Bill::FREE,
        }
    }

    /// The keys that the session keeps.
    pub(super) fn keys(&self) -> Once {
        self.lattice.map_or(Once::default(), |(_, lattice)| lattice.keys())
    }

    /// Makes the keys that the session keeps, where it has none.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn set_up(&self, p: &mut Party) -> Result<()> {
        self.lattice.map_or(Ok(()), |(_, lattice)| lattice.set_up(p))
    }

    /// Bytes of ciphertexts and keys at P0 and at P1.
    pub(super) fn memory(&self) -> [u64; 2] {
        self.lattice.map_or([0; 2], |(_, lattice)| lattice.memory())
    }

    /// The work of the lattice, offline.
    pub(super) fn work(&self) -> Work {
        self.lattice.map_or(Work::default(), |(_, lattice)| lattice.work()[0])
    }

    /// The products of the columns with their gains.
    fn columns(&self) -> MatrixJob {
        let shape = MatrixShape { batch: self.len, rows: self.rows, inner: 1, columns: 1 };
        MatrixJob { shape, bits: self.bits, known_to: [None, self.known_to] }
    }
}

impl Scaling {
    /// Offline.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many gains and offsets as columns, and those of the channel.
    pub(super) fn prepare(p: &mut dyn Source, job: ScalingJob, affine: &Affine) -> Result<Self> {
        same("gains of the columns", job.len, affine.gains.len())?;
        same("offsets of the columns", job.len, affine.offsets.len())?;
        let made = match (job.known_to, job.lattice) {
            (None, _) => Made::Nothing,
            (Some(_), None) => Made::Ots(MatrixProduct::prepare(p, job.columns())?),
            (Some(owner), Some((block, lattice))) => {
                let numbers =
                    if p.role() == owner { job.diagonals(affine, block) } else { Vec::new().into() };
                Made::Lattice(LatticeProduct::prepare(p, &lattice, &numbers)?)
            }
        };
        Ok(Self { job, affine: affine.clone(), made })
    }

    /// Whose gains they are, and how large.
    pub(super) fn affine(&self) -> &Affine {
        &self.affine
    }

    /// Online: shares of `gain x + offset` with as many more bits behind the point as gains have, for rows of numbers with
    /// `x_scale`. Spends the material.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn apply(self, s: &mut Session, x: &AShare<u64>, x_scale: u32) -> Result<AShare<u64>> {
        let Self { job: ScalingJob { rows, len, bits, scale, known_to, lattice }, affine, made } = self;
        let gains = Zeroizing::new(fixed::encode::<u64>(&affine.gains, bits, scale)?);
        let offsets = Zeroizing::new(fixed::encode::<u64>(&affine.offsets, bits, scale)?);
        let product = match made {
            Made::Nothing => {
                let words = x.words().iter().zip(gains.iter().cycle()).map(|(x, g)| x.wrapping_mul(*g));
                AShare::new(bits, words.collect())
            }
            Made::Ots(product) => {
                let gains = AShare::new(bits, gains.to_vec());
                transposed(&product.multiply(s, &transposed(x, len), &gains)?, rows)
            }
            Made::Lattice(product) => {
                let block = lattice.map_or(len, |(block, _)| block);
                let place = |row: usize, c: usize| (c / block * rows + row) * block + c % block;
                let mut parts = Zeroizing::new(vec![0; len.div_ceil(block) * rows * block]);
                x.words().iter().enumerate().for_each(|(i, x)| parts[place(i / len, i % len)] = *x);
                let parts = product.multiply(s, &AShare::<u64>::new(bits, parts.to_vec()))?;
                let word = |i: usize| parts.words()[place(i / len, i % len)];
                AShare::new(bits, (0..rows * len).map(word).collect())
            }
        };
        let adds = known_to.unwrap_or(Role::P0) == s.role();
        let offset = |i: usize| if adds { offsets[i % len] << x_scale } else { 0 };
        let words = product.words().iter().enumerate().map(|(i, y)| y.wrapping_add(offset(i)));
        Ok(AShare::new(bits, words.collect()))
    }
}

impl ScalingJob {
    /// The gains as diagonals of matrices. What is beyond the bound of a gain, which is refused before it is used, is cut off.
    fn diagonals(&self, affine: &Affine, block: usize) -> Zeroizing<Vec<i64>> {
        let most = self.lattice.map_or(0.0, |(_, lattice)| 2f64.powi(lattice.job().number_bits as i32 - 1));
        let mut numbers = Zeroizing::new(vec![0; self.len.div_ceil(block) * block * block]);
        for (c, gain) in affine.gains.iter().enumerate() {
            let number = (gain * 2f64.powi(self.scale as i32)).round().clamp(1.0 - most, most - 1.0);
            numbers[c * block + c % block] = number as i64;
        }
        numbers
    }
}

/// What is announced of gains that `role` knows.
fn verdict(role: Role, within: bool) -> String {
    let what = if within { "within" } else { "beyond" };
    format!("gains and offsets of {role} {what} the bound")
}

/// A party's own gains belong in no message.
fn one_of(role: Role) -> String {
    format!("one of {role}'s")
}

fn too_large(got: String, most: f64) -> Error {
    Error::Param { what: "gain or offset", got, accepted: format!("-{most} to {most}") }
}

/// Prints the shape only: they may be a party's own.
impl std::fmt::Debug for Affine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Affine({} columns, known to {:?})", self.gains.len(), self.known_to)
    }
}

/// The columns, one behind the other, of rows of `len` numbers.
fn transposed(x: &AShare<u64>, len: usize) -> AShare<u64> {
    let rows = x.len() / len;
    let word = |i: usize| x.words()[i % rows * len + i / rows];
    AShare::new(x.bits(), (0..x.len()).map(word).collect())
}

#[cfg(test)]
mod tests;
