//! Gains and offsets of the columns of a shared matrix.
//!
//! # Functionality
//! In: shares of rows of numbers; a gain and an offset for each column, public or known to one party.
//! Out: shares of the numbers times their gains plus their offsets.
//!
//! # Protocol
//! Public gains are multiplied locally. A private one is a number of its party's that multiplies the
//! other's shares of its column, as rows: Gilboa's products. The offsets are added by one party.
//!
//! # Cost
//! Private gains, for columns of m numbers in a ring of w bits: w correlated OTs and
//! `w + m w (w + 1) / 2` bits online a column, in one direction, 1 round.
//!
//! # Source
//! Gilboa (CRYPTO 1999), as [`MatrixProduct`].

use zeroize::Zeroizing;

use crate::{
    arith::{MatrixJob, MatrixProduct, MatrixShape, fixed},
    bill::Bill,
    error::{Error, Result, same},
    net::Role,
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

/// One-time material for scaling the columns of rows.
pub(super) struct Scaling {
    rows: usize,
    len: usize,
    /// None for public gains.
    product: Option<MatrixProduct>,
}

impl Scaling {
    /// Offline: for rows of `len` numbers mod `2^bits`, with gains known to a party or public.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn prepare(
        p: &mut dyn Source,
        known_to: Option<Role>,
        bits: u32,
        [rows, len]: [usize; 2],
    ) -> Result<Self> {
        let product = match known_to {
            None => None,
            Some(_) => Some(MatrixProduct::prepare(p, columns(known_to, bits, [rows, len]))?),
        };
        Ok(Self { rows, len, product })
    }

    /// What all numbers cost.
    pub(super) fn bill(known_to: Option<Role>, bits: u32, shape: [usize; 2]) -> Bill {
        if known_to.is_none() { Bill::FREE } else { columns(known_to, bits, shape).bill() }
    }

    /// Online: shares of `gain x + offset` with `scale + x_scale` bits behind the point, for rows of numbers with
    /// `x_scale`. Spends the material.
    ///
    /// # Errors
    /// Those of the channel.
    pub(super) fn apply(
        self,
        s: &mut Session,
        affine: &Affine,
        x: &AShare<u64>,
        [scale, x_scale]: [u32; 2],
    ) -> Result<AShare<u64>> {
        let (bits, len) = (x.bits(), self.len);
        let gains = Zeroizing::new(fixed::encode::<u64>(&affine.gains, bits, scale)?);
        let offsets = Zeroizing::new(fixed::encode::<u64>(&affine.offsets, bits, scale)?);
        let product = match self.product {
            None => {
                let words = x.words().iter().zip(gains.iter().cycle()).map(|(x, g)| x.wrapping_mul(*g));
                AShare::new(bits, words.collect())
            }
            Some(product) => {
                let gains = AShare::new(bits, gains.to_vec());
                transposed(&product.multiply(s, &transposed(x, len), &gains)?, self.rows)
            }
        };
        let adds = affine.known_to.unwrap_or(Role::P0) == s.role();
        let offset = |i: usize| if adds { offsets[i % len] << x_scale } else { 0 };
        let words = product.words().iter().enumerate().map(|(i, y)| y.wrapping_add(offset(i)));
        Ok(AShare::new(bits, words.collect()))
    }
}

/// The products of the columns with their gains.
fn columns(known_to: Option<Role>, bits: u32, [rows, len]: [usize; 2]) -> MatrixJob {
    let shape = MatrixShape { batch: len, rows, inner: 1, columns: 1 };
    MatrixJob { shape, bits, known_to: [None, known_to] }
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
