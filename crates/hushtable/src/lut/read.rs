//! Reading tables through a one-hot vector: opening the index, then XOR or additive outputs.
//!
//! # Functionality
//! In: public tables of `2^n` entries of `l` bits, shares of `x`. Out: shares of `T[x]`.
//!
//! # Protocol
//! With `OneHot` material `(s, B)`:
//! 1. open `m = x - s` in the index group; `E_p = shift_m(B_p)` are XOR shares of `e_x`;
//! 2. *XOR output*: `y_p = XOR of T[j] over j with E_p[j] = 1`. Local, for any number of tables;
//! 3. *additive output*: `z_0` and `-z_1` are the sums over the same entries, so that
//!    `z_0 + z_1 = tau * T[x]` with `tau = w_0 - w_1 = +-1`, `w_p` the number of ones in `B_p`. With
//!    `b_p = bit 1 of (w_0, -w_1)`, `tau = tau_0 tau_1` for `tau_p = 1 - 2 b_p`: known before the
//!    index. From `u_p = tau_p z_p` and products `b_1 u_0`, `b_0 u_1` shared as `(g, h)` mod
//!    `2^(l-1)`, one correlated OT each way, `y_p = u_p - 2 g_p - 2 h_p` mod `2^l`.
//!
//! # Cost, a lookup
//! Step 1: `2n` bits, 1 round. XOR: nothing more. Additive: offline 2 bits and a correlated OT each
//! way; online `2 (l - 1)` bits a table, 1 round for all tables. Outputs of one bit cost nothing more.
//!
//! # Source
//! Hou et al., "ROTL" (PoPETs 2026), sections 5.1 and 5.2. Deviations: XOR outputs and indices
//! without conversion; the sign is removed by the tight multiplexer of lut-spec 5, because the
//! printed `MUX(2z, b) - z` gives `-T[x]`.

use prim::{ct, lookup, ring::Ring};
use zeroize::Zeroizing;

use super::Table;
use crate::{
    error::{Error, Result, same},
    net::Role,
    onehot::{Group, OneHot},
    ot::strings::{PayloadReceiver, PayloadSender},
    party::Party,
    share::{AShare, Additive, BShare, Share},
};

/// One-hot material that can also give additive outputs, of the widths it was made for.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Signed<G: Group> {
    onehot: OneHot<G>,
    sign: Sign,
}

/// What additive outputs need.
struct Sign {
    widths: Vec<u32>,
    /// Not needed if all outputs have one bit: then the sign makes no difference.
    removal: Option<Removal>,
}

/// The shared sign of a batch and the correlations that remove it.
struct Removal {
    /// `b_p` as a mask: all ones or zero.
    mine: Zeroizing<Vec<u64>>,
    out: PayloadSender,
    inc: PayloadReceiver,
}

/// XOR shares of the one-hot vectors of a batch of indices. Local reads only: any number of tables
/// at these indices, never another index.
pub struct Position {
    n: u32,
    rows: Vec<u64>,
}

impl<G: Group> OneHot<G> {
    /// Online, 1 round: spends the material to open where `x` lies relative to it. The low bits of
    /// a wider index count: they are cut off locally before anything is sent.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many indices as lookups;
    /// [`Error::Param`] if `x` is narrower than the table's index.
    pub fn open_index<R: Ring>(self, p: &mut Party, x: &Share<G::Kind, R>) -> Result<Position> {
        let n = self.index_bits();
        same("indices", self.len(), x.len())?;
        let masked = x.low_bits::<u32>(n)?.minus(self.offset());
        // Public: the offset is uniform and serves no other opening, since `self` is spent.
        let m = p.open(&masked)?;
        let mut rows = self.into_rows();
        for (row, &m) in rows.chunks_exact_mut(ct::row_words(1 << n)).zip(&m) {
            lookup::shift_row(row, 1 << n, G::SHIFT, m);
        }
        Ok(Position { n, rows })
    }

    /// Online, 1 round: XOR shares of `T[x]`, for a table of one column. Spends this material.
    ///
    /// # Errors
    /// As [`open_index`](Self::open_index), and [`Error::Shape`] if the table
    /// has another length.
    pub fn lookup_xor<R: Ring>(
        self,
        p: &mut Party,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<BShare<R>> {
        check_single(table)?;
        Ok(self.lookup_xor_all(p, &[table], x)?.remove(0))
    }

    /// Online, 1 round: XOR shares of every column of several tables at the same index, in order.
    ///
    /// # Errors
    /// As [`lookup_xor`](Self::lookup_xor).
    pub fn lookup_xor_all<R: Ring>(
        self,
        p: &mut Party,
        tables: &[&Table<R>],
        x: &Share<G::Kind, u32>,
    ) -> Result<Vec<BShare<R>>> {
        tables.iter().try_for_each(|t| t.check_index(self.index_bits()))?;
        let at = self.open_index(p, x)?;
        tables
            .iter()
            .map(|t| at.read_xor(t))
            .collect::<Result<Vec<_>>>()
            .map(|v| v.into_iter().flatten().collect())
    }

    /// Offline, 1 round: prepares additive outputs of the given widths in bits (1 to 64), one for
    /// each column that will be read.
    ///
    /// # Errors
    /// [`Error::Param`] for a width outside 1 to 64, and those of the channel.
    pub fn signed(self, p: &mut Party, widths: &[u32]) -> Result<Signed<G>> {
        if let Some(l) = widths.iter().find(|l| !(1..=64).contains(*l)) {
            let accepted = "1 to 64".into();
            return Err(Error::Param { what: "width of an additive output", got: l.to_string(), accepted });
        }
        let removal = match widths.iter().all(|&l| l == 1) {
            true => None,
            false => Some(Removal::prepare(p, &self, widths)?),
        };
        Ok(Signed { onehot: self, sign: Sign { widths: widths.to_vec(), removal } })
    }
}

impl Removal {
    /// The choices of step 3, which do not depend on the index.
    fn prepare<G: Group>(p: &mut Party, onehot: &OneHot<G>, widths: &[u32]) -> Result<Self> {
        let (send, recv) = p.cots(onehot.len(), onehot.len())?;
        let words = ct::row_words(1 << onehot.index_bits());
        let role = p.role();
        let rows = onehot.rows().chunks_exact(words);
        let bits = Zeroizing::new(rows.map(|row| sign_bit(role, row)).collect::<Vec<u8>>());
        let payload: Vec<u32> = widths.iter().map(|&l| l - 1).collect();
        // Public: each sign bit goes out under the random choice bit of an OT that serves only here.
        let inc = PayloadReceiver::new(p.session(), recv, &bits, &payload)?;
        let out = PayloadSender::new(p.session(), send, &payload)?;
        let mine = Zeroizing::new(bits.iter().map(|&b| u64::from(b).wrapping_neg()).collect());
        Ok(Self { mine, out, inc })
    }
}

impl<G: Group> Signed<G> {
    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.onehot.len()
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.onehot.is_empty()
    }

    /// Online, 2 rounds: additive shares of `T[x]` mod `2^l`, for a table of one column of `l`
    /// bits. Spends this material.
    ///
    /// # Errors
    /// [`Error::Shape`] if number, length or width differ from what was prepared.
    pub fn lookup<R: Ring>(
        self,
        p: &mut Party,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<AShare<R>> {
        check_single(table)?;
        Ok(self.lookup_all(p, &[table], x)?.remove(0))
    }

    /// Online, 2 rounds: additive shares of every column of several tables at the same index.
    ///
    /// # Errors
    /// As [`lookup`](Self::lookup).
    pub fn lookup_all<R: Ring>(
        self,
        p: &mut Party,
        tables: &[&Table<R>],
        x: &Share<G::Kind, u32>,
    ) -> Result<Vec<AShare<R>>> {
        let Self { onehot, sign } = self;
        tables.iter().try_for_each(|t| t.check_index(onehot.index_bits()))?;
        let columns = || tables.iter().flat_map(|t| t.columns().iter().map(|c| (t.bits(), c)));
        same("columns prepared for additive output", sign.widths.len(), columns().count())?;
        for (&width, (bits, _)) in sign.widths.iter().zip(columns()) {
            same("width prepared for additive output", width as usize, bits as usize)?;
        }
        let at = onehot.open_index(p, x)?;
        let sums = columns().map(|(_, column)| at.sum(column)).collect();
        sign.apply(p, sums)
    }
}

impl Sign {
    /// Step 3 from the sums on, one for each width.
    fn apply<R: Ring>(self, p: &mut Party, sums: Vec<Zeroizing<Vec<R>>>) -> Result<Vec<AShare<R>>> {
        match self.removal {
            Some(removal) => removal.remove(p, &self.widths, &sums),
            None => Ok(sums.into_iter().map(|mut sum| Share::new(1, std::mem::take(&mut *sum))).collect()),
        }
    }
}

impl Removal {
    fn remove<R: Ring>(
        mut self,
        p: &mut Party,
        widths: &[u32],
        sums: &[Zeroizing<Vec<R>>],
    ) -> Result<Vec<AShare<R>>> {
        // u_p = tau_p z_p; at P1 z_1 is the negated sum, so its sign is flipped once more.
        let flip = match p.role() {
            Role::P0 => 0,
            Role::P1 => u64::MAX,
        };
        let signed = |sum: &Zeroizing<Vec<R>>| -> Vec<u64> {
            let sign = self.mine.iter().map(|b| b ^ flip);
            sum.iter().zip(sign).map(|(z, b)| (z.to_u64() ^ b).wrapping_sub(b)).collect()
        };
        let u: Zeroizing<Vec<Vec<u64>>> = Zeroizing::new(sums.iter().map(signed).collect());
        let theirs = self.inc.message_len(u.len());
        let (message, g) = self.out.send::<Additive>(&u);
        let message = p.session().exchange(message, theirs)?;
        let h = Zeroizing::new(self.inc.receive::<Additive>(u.len(), &message));
        let g = Zeroizing::new(g);
        let mut out = Vec::with_capacity(widths.len());
        for ((&l, u), (g, h)) in widths.iter().zip(u.iter()).zip(g.iter().zip(h.iter())) {
            let products = g.iter().zip(h).map(|(g, h)| g.wrapping_add(*h) << 1);
            let words = u.iter().zip(products).map(|(u, gh)| R::from_u64(u.wrapping_sub(gh)));
            out.push(Share::new(l, words.collect()));
        }
        Ok(out)
    }
}

impl Position {
    /// XOR shares of every column of `table` at the opened indices. Local.
    ///
    /// # Errors
    /// [`Error::Shape`] if the table has another length.
    pub fn read_xor<R: Ring>(&self, table: &Table<R>) -> Result<Vec<BShare<R>>> {
        table.check_index(self.n)?;
        let read = |column: &Vec<R>| {
            let mut out = vec![R::default(); self.rows.len() / ct::row_words(1 << self.n)];
            lookup::xor_select(&self.rows, column, &mut out);
            Share::new(table.bits(), out)
        };
        Ok(table.columns().iter().map(read).collect())
    }

    /// Sums of the selected entries, without the sign.
    fn sum<R: Ring>(&self, column: &[R]) -> Zeroizing<Vec<R>> {
        let mut out = Zeroizing::new(vec![R::default(); self.rows.len() / ct::row_words(1 << self.n)]);
        lookup::add_select(&self.rows, column, &mut out);
        out
    }
}

impl Drop for Position {
    fn drop(&mut self) {
        zeroize::Zeroize::zeroize(&mut self.rows);
    }
}

/// `b_p`: bit 1 of the number of ones at P0, of its negation at P1.
fn sign_bit(role: Role, row: &[u64]) -> u8 {
    let ones = lookup::popcount(row);
    let share = match role {
        Role::P0 => ones,
        Role::P1 => ones.wrapping_neg(),
    };
    (share >> 1 & 1) as u8
}

/// `Ok(())` for a table of one column.
fn check_single<R: Ring>(table: &Table<R>) -> Result<()> {
    same("columns of the table", 1, table.columns().len())
}
