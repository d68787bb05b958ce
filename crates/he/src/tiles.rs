//! Products of matrices as products of polynomials.
//!
//! A tile has `mw` rows and `kw` columns of the left matrix, or `kw` rows and `nw` columns of the right one. With X^n = -1,
//! `n >= mw kw nw`, entry (i, q) of a left tile is the coefficient of `X^(i kw nw - q)`, entry (q, j) of a right one that
//! of `X^(j kw + q)`. Then entry (i, j) of their product is the coefficient of `X^(i kw nw + j kw)`. Where kw is a power of
//! two, such coefficients of up to kw products are [packed](crate::Packer) into one ciphertext: of column tiles that lie
//! side by side.
//!
//! # Source
//! Huang, Lu, Hong, Ding, "Cheetah" (USENIX Security 2022), section 3; Lu et al., "BumbleBee" (NDSS 2025).

use std::fmt;

use prim::ntt::{DEGREE, SHORT};

use crate::{
    error::{Error, Result},
    params::Product,
};

/// Which matrix is encrypted; the party that multiplies knows the other one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// How a product of matrices is cut. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tiling {
    /// Rows of the left matrix, its columns, and columns of the right one.
    shape: [usize; 3],
    /// The same of tiles.
    tile: [usize; 3],
    encrypted: Side,
    /// Products that are packed into one ciphertext: a power of two.
    packed: usize,
}

/// What a party computes for a product, and how many ciphertexts are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Ciphertexts that the owner of the key sends.
    pub encrypted: usize,
    /// Polynomials that the other party transforms.
    pub plain: usize,
    /// Products of these and ciphertexts.
    pub products: usize,
    /// Key switches.
    pub switches: usize,
    /// Ciphertexts that come back.
    pub responses: usize,
}

impl fmt::Display for Tiling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([m, k, n], [mw, kw, nw]) = (self.shape, self.tile);
        let side = match self.encrypted {
            Side::Left => "left",
            Side::Right => "right",
        };
        write!(f, "{m} x {k} x {n} in {mw} x {kw} x {nw}, {side} encrypted, {} packed", self.packed)
    }
}

impl Tiling {
    /// Of `m x k` and `k x n` numbers, in tiles of so many rows, of columns and rows, and of columns.
    ///
    /// # Errors
    /// [`Error::Param`] for a number that is zero, and for tiles of more than 8192 products.
    pub fn new(shape: [usize; 3], tile: [usize; 3], encrypted: Side) -> Result<Self> {
        let param = |what, got: [usize; 3], accepted: &str| {
            Err(Error::Param {
                what,
                got: format!("{} x {} x {}", got[0], got[1], got[2]),
                accepted: accepted.into(),
            })
        };
        if shape.contains(&0) {
            return param("shape of a product", shape, "1 x 1 x 1 and more");
        }
        let size = tile.iter().try_fold(1usize, |all, side| all.checked_mul(*side)).unwrap_or(usize::MAX);
        if !(1..=DEGREE).contains(&size) {
            return param("tile of a product", tile, "1 to 8192 products in all");
        }
        let across = shape[2].div_ceil(tile[2]).next_power_of_two();
        let packed = if tile[1].is_power_of_two() { tile[1].min(across) } else { 1 };
        Ok(Self { shape, tile, encrypted, packed })
    }

    /// Tilings among which is a good one for any link and machine: tiles with powers of two as their inner side.
    pub fn candidates(shape: [usize; 3], encrypted: Side) -> impl Iterator<Item = Self> {
        let sides =
            |most: usize| (0..=DEGREE.ilog2()).map(|i| 1 << i).take_while(move |side| *side < 2 * most);
        let [m, k, n] = shape;
        sides(k.min(DEGREE)).flat_map(move |kw| {
            sides(n.min(DEGREE / kw)).filter_map(move |nw| {
                let most = Some(DEGREE / (kw * nw)).filter(|most| *most > 0)?;
                // As even as can be.
                let mw = m.div_ceil(m.div_ceil(most));
                Self::new(shape, [mw, kw, nw.min(n)], encrypted).ok()
            })
        })
    }

    /// Which matrix is encrypted.
    pub fn encrypted(&self) -> Side {
        self.encrypted
    }

    /// How many tiles each side of the shape has.
    fn tiles(&self) -> [usize; 3] {
        std::array::from_fn(|side| self.shape[side].div_ceil(self.tile[side]))
    }

    /// How many column tiles are packed into one response.
    pub fn packed(&self) -> usize {
        self.packed
    }

    /// Whether the tiles of the known matrix are short polynomials, which are transformed in half the time.
    pub fn is_short(&self) -> bool {
        self.encrypted == Side::Left && self.tile[1] * self.tile[2] <= SHORT
    }

    /// What a product takes.
    pub fn counts(&self) -> Counts {
        let [a, b, c] = self.tiles();
        let [encrypted, plain] = match self.encrypted {
            Side::Left => [a * b, b * c],
            // Tiles of the left matrix are transformed anew for each column, so that few are there at a time.
            Side::Right => [b * c, a * b * c],
        };
        let responses = a * c.div_ceil(self.packed);
        Counts { encrypted, plain, products: a * b * c, switches: responses * (self.packed - 1), responses }
    }

    /// What bears on its noise, with known numbers of so many bits, their sign among them.
    pub fn product(&self, weight_bits: u32) -> Product {
        let [m, k, n] = self.shape;
        // Known numbers of all tiles that a product's polynomials have.
        let side = match self.encrypted {
            Side::Left => self.tile[2],
            Side::Right => self.tile[0],
        };
        let terms = k.next_multiple_of(self.tile[1]) * side;
        Product { weight_bits, terms, outputs: m * n, packed: self.packed }
    }

    /// Tiles of rows: so many responses after one another have the same columns.
    pub fn row_tiles(&self) -> usize {
        self.tiles()[0]
    }

    /// The coefficients of a tile of the encrypted matrix, given row by row: numbers mod a power of two.
    pub fn encrypted_tile(&self, matrix: &[u64], tile: usize) -> Vec<u64> {
        match self.encrypted {
            Side::Left => {
                self.left(matrix, [tile / self.tiles()[1], tile % self.tiles()[1]], u64::wrapping_neg)
            }
            Side::Right => self.right(matrix, [tile / self.tiles()[2], tile % self.tiles()[2]]),
        }
    }

    /// The coefficients of a tile of the known matrix.
    pub fn plain_tile(&self, matrix: &[i64], tile: usize) -> Vec<i64> {
        match self.encrypted {
            Side::Left => self.right(matrix, [tile / self.tiles()[2], tile % self.tiles()[2]]),
            Side::Right => {
                self.left(matrix, [tile / self.tiles()[1], tile % self.tiles()[1]], i64::wrapping_neg)
            }
        }
    }

    /// Tile (i, q) of the left matrix.
    fn left<T: Copy + Default>(&self, matrix: &[T], tile: [usize; 2], negate: impl Fn(T) -> T) -> Vec<T> {
        let ([m, k, _], [mw, kw, nw]) = (self.shape, self.tile);
        assert_eq!(matrix.len(), m * k, "numbers of the left matrix");
        let mut out = vec![T::default(); DEGREE];
        let columns = tile[1] * kw..((tile[1] + 1) * kw).min(k);
        for (i, row) in (tile[0] * mw..m).take(mw).enumerate() {
            for (q, x) in matrix[row * k..][columns.clone()].iter().enumerate() {
                match (i * kw * nw).checked_sub(q) {
                    Some(place) => out[place] = *x,
                    None => out[DEGREE - q] = negate(*x),
                }
            }
        }
        out
    }

    /// Tile (q, j) of the right matrix.
    fn right<T: Copy + Default>(&self, matrix: &[T], tile: [usize; 2]) -> Vec<T> {
        let ([_, k, n], [_, kw, nw]) = (self.shape, self.tile);
        assert_eq!(matrix.len(), k * n, "numbers of the right matrix");
        let mut out = vec![T::default(); kw * nw];
        let columns = tile[1] * nw..((tile[1] + 1) * nw).min(n);
        for (q, row) in (tile[0] * kw..k).take(kw).enumerate() {
            for (j, x) in matrix[row * n..][columns.clone()].iter().enumerate() {
                out[j * kw + q] = *x;
            }
        }
        out
    }

    /// Which products make up part `part` of a response, those that are to be packed: tiles of the encrypted matrix and
    /// of the known one. None beyond the last column.
    pub fn pairs(&self, response: usize, part: usize) -> impl Iterator<Item = [usize; 2]> + use<> {
        let ([a, b, c], encrypted) = (self.tiles(), self.encrypted);
        let (i, j) = (response % a, response / a * self.packed + part);
        (0..if j < c { b } else { 0 }).map(move |q| {
            let (left, right) = (i * b + q, q * c + j);
            match encrypted {
                Side::Left => [left, right],
                Side::Right => [right, left],
            }
        })
    }

    /// How many outputs a response has.
    pub fn count(&self, response: usize) -> usize {
        let ([m, _, n], [mw, _, nw]) = (self.shape, self.tile);
        let (tile, first) = (response % self.row_tiles(), response / self.row_tiles() * self.packed);
        mw.min(m - tile * mw) * (nw * self.packed).min(n - first * nw)
    }

    /// Where the outputs of a response are: its coefficients, and their places in the product, row by row.
    pub fn outputs(&self, response: usize) -> Vec<(usize, usize)> {
        let ([m, _, n], [mw, kw, nw]) = (self.shape, self.tile);
        let (tile, first) = (response % self.row_tiles(), response / self.row_tiles() * self.packed);
        let mut all = Vec::with_capacity(mw * nw * self.packed);
        for (i, row) in (tile * mw..m).take(mw).enumerate() {
            for j in 0..nw {
                for part in 0..self.packed {
                    let column = (first + part) * nw + j;
                    if column < n {
                        all.push((i * kw * nw + j * kw + part, row * n + column));
                    }
                }
            }
        }
        all
    }
}

#[cfg(test)]
mod tests;
