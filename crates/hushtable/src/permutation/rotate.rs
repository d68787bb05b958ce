//! Shared rotation: one party's arrays, shifted by an amount that only the other knows.
//!
//! # Functionality
//! In: an array x of n entries of `l` bits from the holder (H); an amount s from the mover (M), or
//! none: then M gets a random s. Out: shares of `shift_s(x)`, the holder's random: entry i is
//! `x_{i - s mod n}` (cyclic: a rotation to the right) or `x_{i ^ s}`.
//!
//! # Protocol
//! 1. A punctured PRF with n leaves, punctured at s. Leaf i expands to a row of n entries,
//!    `d_i = H(leaf_i ^ 1), H(leaf_i ^ 2), ...`.
//! 2. H: `r = sum_i d_i`, `a = sum_i unshift_i(d_i)`; sends `x - a` with the tree, keeps r.
//! 3. M: `shift_s(x - a + a') - r'`, where `r'`, `a'` are the same sums with whatever stands in
//!    place s: that row cancels.
//!
//! # Cost, an array
//! With `d = ceil(log2 n)`: `128 (d - 1) + n l` bits from H and `d` correlated OTs, 1 message. A
//! chosen s, or a random one for n not a power of two: `d` bits more from M, 2 rounds. Each party
//! hashes about `2^d` blocks and n rows.
//!
//! # Source
//! Hou et al., "ROTL" (PoPETs 2026), Figures 6 to 9. Deviations: `a` sums *left* rotations (as
//! printed the punctured row does not cancel); half trees, of which the first level is free.

use prim::{block::Block, ct, hash::CcrHash, ring::Ring, rows::Shift, words};
use zeroize::Zeroizing;

use super::{
    Arrays,
    punctured::{self, Expanding, Layout, Puncturing},
};
use crate::{
    error::{Error, Result, same},
    party::Party,
    share::{Kind, Share},
};

/// Largest array.
pub const MAX_LEN: usize = 1 << 16;

/// The mover's random amounts, one an array: secret, wiped when dropped.
pub type Amounts = Zeroizing<Vec<u32>>;

/// The holder's part, where the mover chooses the amounts: its arrays `x`, one behind the other,
/// `2 <= len <= 2^16`.
///
/// # Errors
/// [`Error::Param`] for another length or width, in the group of XOR a length that is no power of
/// two, or an entry with more bits than the width; [`Error::Shape`] unless
/// `x` is of the length announced; those of the channel.
pub fn hold<K: Kind, R: Ring>(p: &mut Party, of: Arrays, shift: Shift, x: &[R]) -> Result<Share<K, R>> {
    hold_with(p, of, shift, x, true)
}

/// The holder's part, where the amounts are random.
///
/// # Errors
/// As [`hold`].
pub fn hold_random<K: Kind, R: Ring>(
    p: &mut Party,
    of: Arrays,
    shift: Shift,
    x: &[R],
) -> Result<Share<K, R>> {
    hold_with(p, of, shift, x, !of.len.is_power_of_two())
}

/// The mover's part, with an amount below `len` for every array.
///
/// # Errors
/// As [`hold`]; [`Error::Param`] for an amount that is not below `len`.
pub fn turn<K: Kind, R: Ring>(p: &mut Party, of: Arrays, shift: Shift, by: &[u32]) -> Result<Share<K, R>> {
    same("amounts", of.count, by.len())?;
    let outside = by.iter().fold(false, |any, &by| any | (by as usize >= of.len));
    if outside {
        let (what, got) = ("amount of a rotation", "one that is too large".into());
        return Err(Error::Param { what, got, accepted: format!("less than {}", of.len) });
    }
    Ok(turn_with(p, of, shift, Some(by))?.1)
}

/// The mover's part, where the amounts are random: these, and its share.
///
/// # Errors
/// As [`hold`].
pub fn turn_random<K: Kind, R: Ring>(
    p: &mut Party,
    of: Arrays,
    shift: Shift,
) -> Result<(Amounts, Share<K, R>)> {
    check::<R>(of, shift)?;
    if of.len.is_power_of_two() {
        return turn_with(p, of, shift, None);
    }
    let rng = p.session().rng();
    let by: Amounts = Zeroizing::new((0..of.count).map(|_| rng.below(of.len as u32)).collect());
    turn_with(p, of, shift, Some(&by))
}

/// Steps 1 and 2.
fn hold_with<K: Kind, R: Ring>(
    p: &mut Party,
    of: Arrays,
    shift: Shift,
    x: &[R],
    chosen: bool,
) -> Result<Share<K, R>> {
    check::<R>(of, shift)?;
    of.check_entries(x)?;
    let mut r = Zeroizing::new(vec![R::default(); x.len()]);
    let mut sums = Sums::new(of.len);
    punctured::hold::<R>(p, layout(of, chosen), |trees, array, masked| {
        let at = array * of.len..(array + 1) * of.len;
        sums.hold::<K>(trees, shift, &x[at.clone()], masked, &mut r[at]);
    })?;
    Ok(Share::new(of.bits, std::mem::take(&mut *r)))
}

/// Steps 1 and 3.
fn turn_with<K: Kind, R: Ring>(
    p: &mut Party,
    of: Arrays,
    shift: Shift,
    chosen: Option<&[u32]>,
) -> Result<(Amounts, Share<K, R>)> {
    check::<R>(of, shift)?;
    let mut by = Zeroizing::new(Vec::with_capacity(of.count));
    let mut y = Zeroizing::new(vec![R::default(); of.count * of.len]);
    let mut turning = Turning::new(of.len);
    let layout = layout(of, chosen.is_some());
    punctured::puncture::<R>(p, layout, chosen.unwrap_or_default(), |trees, array, masked| {
        by.push(turning.turn::<K>(trees, shift, masked, &mut y[array * of.len..][..of.len]));
    })?;
    Ok((by, Share::new(of.bits, std::mem::take(&mut *y))))
}

/// Both parties hold arrays of a power of two of entries, and each moves the other's by random amounts of its own: 1
/// round. `arrays` gives this party's, from its amounts. Out: these, and shares of the sums of both parties' moved
/// arrays.
///
/// # Errors
/// As [`hold`], those of `arrays`, and [`Error::Param`] for a length that is no power of two.
pub fn crossed<K: Kind, R: Ring>(
    p: &mut Party,
    of: Arrays,
    shift: Shift,
    arrays: impl FnOnce(&[u32]) -> Result<Zeroizing<Vec<R>>>,
) -> Result<(Amounts, Share<K, R>)> {
    check::<R>(of, shift)?;
    check_power(of.len)?;
    let size = of.count * of.len;
    let mut state = Crossing {
        x: Zeroizing::default(),
        by: Zeroizing::default(),
        y: Zeroizing::new(vec![R::default(); size]),
        r: Zeroizing::new(vec![R::default(); size]),
        sums: Sums::new(of.len),
        turning: Turning::new(of.len),
    };
    punctured::cross::<R, _>(
        p,
        layout(of, false),
        &mut state,
        |state, by| {
            state.by = Zeroizing::new(by.to_vec());
            state.x = arrays(by)?;
            of.check_entries(&state.x)
        },
        |state, trees, array, masked| {
            let at = array * of.len..(array + 1) * of.len;
            state.sums.hold::<K>(trees, shift, &state.x[at.clone()], masked, &mut state.r[at]);
        },
        |state, trees, array, masked| {
            let y = &mut state.y[array * of.len..][..of.len];
            let by = state.turning.turn::<K>(trees, shift, masked, y);
            debug_assert_eq!(ct::eq_mask(by, state.by[array]), u64::MAX, "the places that were told");
        },
    )?;
    add::<K, R>(&mut state.y, &state.r);
    Ok((state.by, Share::new(of.bits, std::mem::take(&mut *state.y))))
}

/// Both directions under way.
struct Crossing<R: Ring> {
    /// This party's arrays, and its amounts.
    x: Zeroizing<Vec<R>>,
    by: Amounts,
    /// Its shares as mover, and as holder.
    y: Zeroizing<Vec<R>>,
    r: Zeroizing<Vec<R>>,
    sums: Sums<R>,
    turning: Turning<R>,
}

/// Moves `words` by a secret amount below their number; `spare` is scratch of the same length.
pub fn shifted<R: Ring>(shift: Shift, words: &mut Vec<R>, spare: &mut Vec<R>, by: u32) {
    match shift {
        // To the right: to the left by the rest, or by none.
        Shift::Cyclic => {
            let left = (words.len() as u32 - by) & !ct::eq_mask(by, 0) as u32;
            words::rotate_left(words, spare, left);
        }
        Shift::Xor => words::permute_xor(words, spare, by),
    }
}

/// Room for the mover's work on an array.
struct Turning<R: Ring> {
    sums: Sums<R>,
    turned: Zeroizing<Vec<R>>,
    spare: Zeroizing<Vec<R>>,
}

impl<R: Ring> Turning<R> {
    fn new(len: usize) -> Self {
        let words = || Zeroizing::new(vec![R::default(); len]);
        Self { sums: Sums::new(len), turned: words(), spare: words() }
    }

    /// Step 3 of an array: the amount, and this party's share in `y`.
    fn turn<K: Kind>(&mut self, trees: &mut Puncturing<'_>, shift: Shift, masked: &[R], y: &mut [R]) -> u32 {
        let Self { sums, turned, spare } = self;
        let s = trees.leaves(&mut sums.leaves);
        sums.add_up::<K>(trees.entry_hash(), shift, y);
        for ((turned, masked), a) in turned.iter_mut().zip(masked).zip(sums.back.iter()) {
            *turned = R::from_u64(K::combine(masked.to_u64(), a.to_u64()));
        }
        shifted(shift, turned, spare, s);
        for (y, turned) in y.iter_mut().zip(turned.iter()) {
            *y = R::from_u64(K::strip(turned.to_u64(), y.to_u64()));
        }
        s
    }
}

/// Room for one array's tree, rows and sums.
struct Sums<R: Ring> {
    leaves: Zeroizing<Vec<Block>>,
    row: Zeroizing<Vec<Block>>,
    /// The sum of the rows, each shifted back.
    back: Zeroizing<Vec<R>>,
}

impl<R: Ring> Sums<R> {
    fn new(len: usize) -> Self {
        Self {
            leaves: Zeroizing::new(vec![Block::ZERO; len.next_power_of_two()]),
            row: Zeroizing::new(vec![Block::ZERO; (len * R::WIDTH as usize).div_ceil(128)]),
            back: Zeroizing::new(vec![R::default(); len]),
        }
    }

    /// Step 2 of an array: what is sent in `masked`, and this party's share in `r`.
    fn hold<K: Kind>(
        &mut self,
        trees: &mut Expanding<'_>,
        shift: Shift,
        x: &[R],
        masked: &mut [R],
        r: &mut [R],
    ) {
        trees.leaves(&mut self.leaves);
        self.add_up::<K>(trees.entry_hash(), shift, r);
        for ((masked, x), a) in masked.iter_mut().zip(x).zip(self.back.iter()) {
            *masked = R::from_u64(K::strip(x.to_u64(), a.to_u64()));
        }
    }

    /// Adds up the rows of the leaves, as they are into `plain` and shifted back. What is secret is
    /// which leaf is missing, not the number of a row.
    fn add_up<K: Kind>(&mut self, hash: &CcrHash, shift: Shift, plain: &mut [R]) {
        let n = plain.len();
        plain.fill(R::default());
        self.back.fill(R::default());
        for (i, &leaf) in self.leaves[..n].iter().enumerate() {
            self.row.iter_mut().zip(1..).for_each(|(block, index)| *block = leaf ^ Block(index));
            hash.in_place(&mut self.row);
            let row: &[R] = &bytemuck::cast_slice(&self.row)[..n];
            add::<K, R>(plain, row);
            match shift {
                Shift::Cyclic => {
                    let (head, tail) = row.split_at(i);
                    add::<K, R>(&mut self.back[..n - i], tail);
                    add::<K, R>(&mut self.back[n - i..], head);
                }
                Shift::Xor => {
                    for (k, sum) in self.back.iter_mut().enumerate() {
                        *sum = R::from_u64(K::combine(sum.to_u64(), row[k ^ i].to_u64()));
                    }
                }
            }
        }
    }
}

fn add<K: Kind, R: Ring>(sum: &mut [R], row: &[R]) {
    for (sum, x) in sum.iter_mut().zip(row) {
        *sum = R::from_u64(K::combine(sum.to_u64(), x.to_u64()));
    }
}

/// One tree an array.
fn layout(of: Arrays, chosen: bool) -> Layout {
    let depth = of.len.next_power_of_two().ilog2() as usize;
    Layout { arrays: of.count, trees: 1, depth, words: of.len, bits: of.bits, chosen }
}

fn check<R: Ring>(of: Arrays, shift: Shift) -> Result<()> {
    of.check::<R>(MAX_LEN)?;
    if shift == Shift::Xor { check_power(of.len) } else { Ok(()) }
}

fn check_power(len: usize) -> Result<()> {
    if len.is_power_of_two() {
        return Ok(());
    }
    let (what, got) = ("entries of an array shifted by XOR or in both directions", len.to_string());
    Err(Error::Param { what, got, accepted: "powers of two".into() })
}
