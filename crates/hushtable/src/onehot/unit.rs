//! Shared one-hot vectors of several lengths, made by doubling in the same rounds.
//!
//! # Functionality
//! For each kind that is asked for both parties get vectors as [doubling](super::doubling) makes them, of d index
//! bits, and shares of the position s: by XOR, or additive mod `2^r` for any `r >= d`, of s as a number below `2^d`.
//!
//! # Protocol
//! That of doubling, a level of all kinds at once. The lift to r bits takes the products of all d bits, each mod
//! `2^(r-j-1)`.
//!
//! # Cost, a vector
//! For `n = 2^d` entries `2 (n - d - 1)` bits and `2 (d - 1)` correlated OTs, in `d - 1` rounds; the lift adds the
//! sum over `j < d` of `r - j - 1` bits, one correlated OT and one round.
//!
//! # Source
//! lut-beyond 2.1 and 2.3; wider lifts are those of fss-spec 3c.

use prim::{Wiped, ct, ring::low};
use zeroize::Zeroizing;

use super::{
    Cyclic, MAX_DENSE_BITS, OneHot, Xor, check_index_bits,
    doubling::{self, Doubling, Level},
    word_bits,
};
use crate::{
    bill::{Bill, Phase},
    codec::{Reader, Writer},
    error::{Error, Result},
    net::Role,
    ot::{CotReceiver, CotSender},
    party::Party,
    session::Session,
    tree::index::Index,
};

/// A kind of vectors. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnitShape {
    /// Bits of the index.
    pub d: u32,
    /// Bits of the ring of the additive shares of the position; none for XOR.
    pub ring: Option<u32>,
}

/// One-time material: one-hot vectors of a kind.
#[must_use = "one-time material that is not used was generated for nothing"]
pub(crate) struct UnitVectors {
    shape: UnitShape,
    offset: Zeroizing<Vec<u32>>,
    rows: Wiped<u64>,
}

impl UnitShape {
    /// What a vector costs.
    pub(crate) fn bill(self) -> Bill {
        let Some(ring) = self.ring else { return OneHot::<Xor>::doubling_bill(self.d) };
        let lift = self.lift_bits(ring);
        let first = u32::from(lift > 0);
        let levels = u64::from(self.d) - 1;
        let sent = (1u64 << self.d) - levels - 2;
        let offline = Phase { bits: [sent + lift, sent], rounds: self.d - 1 + first };
        let kept = (1 << self.d) + 32;
        Bill { cots: [levels + u64::from(first), levels], offline, kept, ..Bill::FREE }
    }

    fn lift_bits(self, ring: u32) -> u64 {
        (0..self.d).map(|j| u64::from(ring - j - 1)).sum()
    }

    fn check(self) -> Result<()> {
        check_index_bits(self.d, MAX_DENSE_BITS)?;
        let ring = self.ring.unwrap_or(self.d);
        if (self.d..=32).contains(&ring) {
            return Ok(());
        }
        let accepted = format!("{} to 32", self.d);
        Err(Error::Param { what: "bits of a lifted position", got: ring.to_string(), accepted })
    }

    /// Correlated OTs of a level of `count` vectors, as sender and as receiver.
    fn level_cots(self, role: Role, level: u32, count: usize) -> (usize, usize) {
        match self.ring {
            Some(ring) => doubling::level_cots::<Cyclic>(role, ring, level, count),
            None => doubling::level_cots::<Xor>(role, self.d, level, count),
        }
    }
}

/// A kind under way.
struct Growing {
    shape: UnitShape,
    count: usize,
    state: Doubling,
}

impl Growing {
    /// The level that comes in this round: the first of XOR has no message.
    fn level(&self, round: u32) -> Option<u32> {
        let level = round + u32::from(self.shape.ring.is_none());
        (level < self.shape.d).then_some(level)
    }

    fn begin(&mut self, s: &mut Session, level: u32, out: CotSender, inc: CotReceiver) -> Level<'_> {
        match self.shape.ring {
            Some(_) => self.state.begin::<Cyclic>(s, level, out, inc),
            None => self.state.begin::<Xor>(s, level, out, inc),
        }
    }

    fn end(&mut self, level: u32) {
        match self.shape.ring {
            Some(_) => self.state.end::<Cyclic>(level),
            None => self.state.end::<Xor>(level),
        }
    }
}

impl UnitVectors {
    /// Offline: so many vectors of each kind.
    ///
    /// # Errors
    /// [`Error::Param`] for a kind that is not supported, and those of the channel.
    pub(crate) fn doubling(p: &mut Party, kinds: &[(UnitShape, usize)]) -> Result<Vec<Self>> {
        kinds.iter().try_for_each(|(shape, _)| shape.check())?;
        let role = p.role();
        let cots = kinds
            .iter()
            .flat_map(|&(shape, count)| (0..shape.d).map(move |level| shape.level_cots(role, level, count)));
        let (send, recv) = cots.fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1));
        let (mut out, mut inc) = p.cots(send, recv)?;
        let mut all = Vec::with_capacity(kinds.len());
        for &(shape, count) in kinds {
            let index = Index::new(shape.ring.unwrap_or(shape.d), count);
            let mut growing = Growing { shape, count, state: Doubling::new(role, index) };
            if shape.ring.is_none() {
                growing.begin(p.session(), 0, out.take(0)?, inc.take(0)?);
                growing.end(0);
            }
            all.push(growing);
        }
        let rounds = kinds.iter().map(|(shape, _)| shape.d).max().unwrap_or(0);
        (0..rounds).try_for_each(|round| Self::round(p, &mut all, round, &mut out, &mut inc))?;
        let made = all.into_iter().map(|growing| {
            let (mut index, rows) = growing.state.finish();
            Self { shape: growing.shape, offset: Zeroizing::new(std::mem::take(&mut index.offset)), rows }
        });
        Ok(made.collect())
    }

    /// A level of all kinds that have one left: 1 round.
    fn round(
        p: &mut Party,
        all: &mut [Growing],
        round: u32,
        out: &mut CotSender,
        inc: &mut CotReceiver,
    ) -> Result<()> {
        let mut runs = Vec::with_capacity(all.len());
        for growing in all.iter_mut() {
            let Some(level) = growing.level(round) else { continue };
            let (send, recv) = growing.shape.level_cots(p.role(), level, growing.count);
            runs.push(growing.begin(p.session(), level, out.take(send)?, inc.take(recv)?));
        }
        p.session().duplex(
            &mut runs,
            |s, runs| {
                for run in runs.iter_mut() {
                    if let Some(message) = run.send(s)? {
                        return Ok(Some(message));
                    }
                }
                Ok(None)
            },
            |s, runs| {
                for run in runs.iter_mut() {
                    if run.receive(s)? {
                        return Ok(true);
                    }
                }
                Ok(false)
            },
        )?;
        drop(runs);
        for growing in all {
            if let Some(level) = growing.level(round) {
                growing.end(level);
            }
        }
        Ok(())
    }

    /// Number of vectors.
    pub(crate) fn len(&self) -> usize {
        self.offset.len()
    }

    /// This party's shares of the positions.
    pub(crate) fn offset(&self) -> &[u32] {
        &self.offset
    }

    /// This party's share of vector `i`.
    pub(crate) fn row(&self, i: usize) -> &[u64] {
        let words = ct::row_words(1 << self.shape.d);
        &self.rows[i * words..][..words]
    }

    /// Cuts off the last `m`.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub(crate) fn take(&mut self, m: usize) -> Result<Self> {
        let Some(left) = self.len().checked_sub(m) else {
            return Err(Error::Shape { what: "one-hot vectors left", want: m, got: self.len() });
        };
        let rows = self.rows.split_off(left * ct::row_words(1 << self.shape.d));
        let offset = Zeroizing::new(self.offset[left..].to_vec());
        prim::wipe(&mut self.offset[left..]);
        self.offset.truncate(left);
        Ok(Self { shape: self.shape, offset, rows })
    }

    /// Those of a kind shared by XOR, to be read as such.
    ///
    /// # Errors
    /// None for what was made.
    pub(crate) fn into_onehot(mut self) -> Result<OneHot<Xor>> {
        assert!(self.shape.ring.is_none(), "positions shared by XOR");
        OneHot::new(self.shape.d, std::mem::take(&mut *self.offset), self.rows)
    }

    /// Those of a kind that is shared mod `2^(d+1)`, to be read mod `2^d`, and the top bits of the positions' shares.
    ///
    /// # Errors
    /// None for what was made.
    pub(crate) fn into_lifted(mut self) -> Result<(OneHot<Cyclic>, Zeroizing<Vec<u64>>)> {
        let d = self.shape.d;
        assert_eq!(self.shape.ring, Some(d + 1), "positions lifted by a bit");
        let top = Zeroizing::new(self.offset.iter().map(|&s| u64::from(s >> d & 1)).collect());
        let offset = std::mem::take(&mut *self.offset).into_iter().map(|s| low(s.into(), d) as u32);
        Ok((OneHot::new(d, offset.collect(), self.rows)?, top))
    }

    /// All of them, for a store.
    pub(crate) fn encode(&self, to: &mut Writer) {
        to.words(&self.offset, self.shape.ring.unwrap_or(self.shape.d));
        to.words(&self.rows, word_bits(self.shape.d));
    }

    /// `count` of a kind.
    ///
    /// # Errors
    /// Those of the store.
    pub(crate) fn decode(from: &mut Reader<'_>, shape: UnitShape, count: usize) -> Result<Self> {
        shape.check()?;
        let offset = Zeroizing::new(from.words(count, shape.ring.unwrap_or(shape.d))?);
        let rows = from.words::<u64>(count * ct::row_words(1 << shape.d), word_bits(shape.d))?.into();
        Ok(Self { shape, offset, rows })
    }

    /// Shares of the numbers `x` less the positions, of as many bits as the ring has: to be opened once.
    pub(crate) fn mask<'a>(&'a self, x: impl Iterator<Item = u64> + 'a) -> impl Iterator<Item = u32> + 'a {
        let bits = self.shape.ring.unwrap_or(self.shape.d);
        let xored = self.shape.ring.is_none();
        x.zip(self.offset.iter()).map(move |(x, &s)| {
            let x = x as u32;
            low(u64::from(if xored { x ^ s } else { x.wrapping_sub(s) }), bits) as u32
        })
    }
}
