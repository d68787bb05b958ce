//! Tables that are secret themselves: both the table and the index are shared.
//!
//! # Functionality
//! In: shares of a table T of `n = 2^d` entries of l bits, additive or by XOR, known before the index; shares of an
//! index x. Out: shares of `T[x]`.
//!
//! # Protocol
//! Offline, of shares `T_0` and `T_1` of the table:
//! 1. each party has a random amount `r_p` from the choice bits of its correlated OTs, and moves its own share by it;
//! 2. two [shared rotations](crate::permutation::rotate) at once: P1 moves P0's `shift_{r_0}(T_0)` by `r_1`, and P0
//!    moves P1's `shift_{r_1}(T_1)` by `r_0`. The sums are fresh shares of `shift_r(T)`, `r = r_0 + r_1` in the
//!    index group.
//!
//! Online:
//! 3. open `m = x + r`; each party's share of `T[x]` is its entry m.
//!
//! # Cost, a lookup
//! Offline `128 (d - 1) + n l` bits and d correlated OTs each way, 1 round. Online `2 d` bits, 1 round. Each party
//! hashes about `n^2 l / 64` bits: meant for `d <= 8`, and refused above `d = 10`.
//!
//! # Source
//! fss-beyond B3; the rotation is that of Hou et al., "ROTL" (PoPETs 2026), section 4. Deviation: amounts are random,
//! not chosen, and each party moves its own share before, so that one round does.

use std::fmt;

use prim::{Wiped, ring::Ring};
use zeroize::Zeroizing;

use crate::{
    bill::{Bill, Phase},
    error::{Error, Result, same},
    onehot::Group,
    party::Party,
    permutation::{Arrays, rotate},
    session::Session,
    share::{Kind, Share},
};

/// Most index bits: the work of a lookup grows with the square of the table's length.
pub const MAX_SHARED_BITS: u32 = 10;

/// One-time material for lookups in shared tables: the tables themselves, moved to where nobody knows.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, lut::SharedTables, onehot::Cyclic, share::Additive};
/// fn twice(p: &mut Party, m: SharedTables<Cyclic, Additive, u16>, x: &AShare<u32>) -> Result<()> {
///     m.lookup(p, x)?;
///     m.lookup(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct SharedTables<G: Group, K: Kind, R: Ring> {
    d: u32,
    bits: u32,
    offset: Share<G::Kind, u32>,
    /// One behind the other.
    tables: Wiped<R>,
    kind: std::marker::PhantomData<K>,
}

impl<G: Group, K: Kind, R: Ring> SharedTables<G, K, R> {
    /// Offline, 1 round: for `batch` lookups in tables of `2^d` entries. `tables` are either one, which all lookups
    /// read, or one for each lookup, one behind the other.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= d <= 10`, [`Error::Shape`] for another number of entries, and those of the
    /// channel.
    pub fn prepare(p: &mut Party, d: u32, tables: &Share<K, R>, batch: usize) -> Result<Self> {
        check(d)?;
        let n = 1usize << d;
        let one = tables.len() == n;
        if !one {
            same("entries of the shared tables", n.saturating_mul(batch), tables.len())?;
        }
        let of = Arrays { count: batch, len: n, bits: tables.bits() };
        let moved = |amounts: &[u32]| {
            let mut all = Zeroizing::new(Vec::with_capacity(n * batch));
            let mut table = Zeroizing::new(vec![R::default(); n]);
            let mut spare = Zeroizing::new(vec![R::default(); n]);
            for (i, &by) in amounts.iter().enumerate() {
                let from = if one { 0 } else { i * n };
                table.copy_from_slice(&tables.words()[from..from + n]);
                rotate::shifted(G::SHIFT, &mut table, &mut spare, by);
                all.extend_from_slice(&table);
            }
            Ok(all)
        };
        let (amounts, shares) = rotate::crossed::<K, R>(p, of, G::SHIFT, moved)?;
        let offset = Share::new(d, amounts.to_vec());
        let tables = Wiped::from(shares.words().to_vec());
        Ok(Self { d, bits: of.bits, offset, tables, kind: std::marker::PhantomData })
    }

    /// What a lookup costs in a table of `2^d` entries of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= d <= 10` and `1 <= bits <= 64`.
    pub fn bill(d: u32, bits: u32) -> Result<Bill> {
        check(d)?;
        if !(1..=64).contains(&bits) {
            let (what, got) = ("width of a table's entries", bits.to_string());
            return Err(Error::Param { what, got, accepted: "1 to 64".into() });
        }
        let (d, entries) = (u64::from(d), u64::from(bits) << d);
        let offline = Phase { bits: [128 * (d - 1) + entries; 2], rounds: 1 };
        Ok(Bill { cots: [d; 2], offline, ..Bill::opening(d) }.keeping(entries + 32))
    }

    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.offset.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.offset.is_empty()
    }

    /// Online, 1 round: shares of `T[x]`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many indices as lookups, and those of the channel; [`Error::Param`] if
    /// `x` is narrower than the table's index.
    pub fn lookup<S: Ring>(self, s: &mut Session, x: &Share<G::Kind, S>) -> Result<Share<K, R>> {
        same("indices", self.len(), x.len())?;
        let x = x.low_bits::<u32>(self.d)?;
        let masked = x
            .words()
            .iter()
            .zip(self.offset.words())
            .map(|(&x, &r)| <G::Kind as Kind>::combine(x.into(), r.into()) as u32);
        // Public: the amount is uniform and serves no other opening, since `self` is spent.
        let m = s.open(&Share::<G::Kind, u32>::new(self.d, masked.collect()))?;
        let entry = |(table, &m): (&[R], &u32)| table[m as usize]; // opened: public
        let entries = self.tables.chunks_exact(1 << self.d).zip(&m).map(entry);
        Ok(Share::new(self.bits, entries.collect()))
    }
}

/// Prints the shape only.
impl<G: Group, K: Kind, R: Ring> fmt::Debug for SharedTables<G, K, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "SharedTables<{}>({} x {} entries of {} bits)",
            G::NAME,
            self.len(),
            1u64 << self.d,
            self.bits
        )
    }
}

fn check(d: u32) -> Result<()> {
    if (1..=MAX_SHARED_BITS).contains(&d) {
        return Ok(());
    }
    let accepted =
        format!("1 to {MAX_SHARED_BITS}: a rotation's work grows with the square of the table's length");
    Err(Error::Param { what: "index bits of a shared table", got: d.to_string(), accepted })
}
