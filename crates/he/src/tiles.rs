//! Products of matrices, and convolutions, as products of polynomials.
//!
//! A tile has `mw` rows and `kw` columns of the left matrix, or for each place of the [window](crate::Window) `kw` rows and
//! `nw` columns of the right one. The window's places are `0 .. t` rows apart from its first one. With X^n = -1,
//! `n >= mw kw nw`, entry (i, q) of a left tile is the coefficient of `X^(i kw nw - q)`, entry (q, j) of a right one at a
//! place of r rows that of `X^((t - r) kw nw + j kw + q)`. Then entry (i, j) of their product is the coefficient of
//! `X^((i + t) kw nw + j kw)`, and tiles overlap by t rows. Where kw is a power of two, such coefficients of up to kw
//! products are [packed](crate::Packer) into one ciphertext: of column tiles that lie side by side.
//!
//! # Source
//! Huang, Lu, Hong, Ding, "Cheetah" (USENIX Security 2022), section 3, with channels side by side and not one behind the
//! other; Lu et al., "BumbleBee" (NDSS 2025).

use std::{fmt, ops::Range};

use prim::ntt::{DEGREE, SHORT};

use crate::{
    error::{Error, Result},
    params::Product,
    shape::Shape,
};

/// How a product of matrices is cut, of which the left one is encrypted, and the other party knows the right one. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Tiling {
    shape: Shape,
    /// Rows of a tile of the left matrix, its columns, and columns of one of the right one.
    tile: [usize; 3],
    /// Products that are packed into one ciphertext: a power of two.
    packed: usize,
}

/// What a party computes for a product, and how many ciphertexts are sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counts {
    /// Ciphertexts that the encryptor sends.
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
        let (shape, [mw, kw, nw]) = (self.shape, self.tile);
        write!(f, "{shape} in {mw} x {kw} x {nw}, {} packed", self.packed)
    }
}

impl Tiling {
    /// In tiles of so many rows, of columns and rows, and of columns.
    ///
    /// # Errors
    /// [`Error::Param`] for tiles of more than 8192 products, and for those of fewer rows than the window reaches.
    pub fn new(shape: Shape, tile: [usize; 3]) -> Result<Self> {
        let size = tile.iter().try_fold(1usize, |all, side| all.checked_mul(*side)).unwrap_or(usize::MAX);
        if !(1..=DEGREE).contains(&size) || tile[0] <= shape.reach() {
            let got = format!("{} x {} x {}", tile[0], tile[1], tile[2]);
            let accepted = format!("1 to 8192 products in all, with more than {} rows", shape.reach());
            return Err(Error::Param { what: "tile of a product", got, accepted });
        }
        let across = shape.columns().div_ceil(tile[2]).next_power_of_two();
        let packed = if tile[1].is_power_of_two() { tile[1].min(across) } else { 1 };
        Ok(Self { shape, tile, packed })
    }

    /// Tilings among which is a good one for any link and machine: tiles with powers of two as their inner side. None, if
    /// the window reaches over too many rows.
    pub fn candidates(shape: Shape) -> impl Iterator<Item = Self> {
        let sides =
            |most: usize| (0..=DEGREE.ilog2()).map(|i| 1 << i).take_while(move |side| *side < 2 * most);
        let (m, reach) = (shape.rows() - shape.reach(), shape.reach());
        sides(shape.inner().min(DEGREE)).flat_map(move |kw| {
            sides(shape.columns().min(DEGREE / kw)).filter_map(move |nw| {
                let most = (DEGREE / (kw * nw)).checked_sub(reach).filter(|most| *most > 0)?;
                // As even as can be.
                let mw = m.div_ceil(m.div_ceil(most)) + reach;
                Self::new(shape, [mw, kw, nw.min(shape.columns())]).ok()
            })
        })
    }

    /// What is multiplied.
    pub fn shape(&self) -> Shape {
        self.shape
    }

    /// How many tiles each side of the shape has.
    fn tiles(&self) -> [usize; 3] {
        let (shape, [_, kw, nw]) = (self.shape, self.tile);
        let rows = (shape.rows() - shape.reach()).div_ceil(self.step());
        [rows, shape.inner().div_ceil(kw), shape.columns().div_ceil(nw)]
    }

    /// Rows from one tile to the next.
    fn step(&self) -> usize {
        self.tile[0] - self.shape.reach()
    }

    /// Coefficients of a tile of the right matrix.
    fn right_len(&self) -> usize {
        (self.shape.reach() + 1) * self.tile[1] * self.tile[2]
    }

    /// How many column tiles are packed into one response.
    pub fn packed(&self) -> usize {
        self.packed
    }

    /// Whether the tiles of the known matrix are short polynomials, which are transformed in half the time.
    pub fn is_short(&self) -> bool {
        self.right_len() <= SHORT
    }

    /// What a product takes.
    pub fn counts(&self) -> Counts {
        let [a, b, c] = self.tiles();
        let responses = a * c.div_ceil(self.packed);
        Counts {
            encrypted: a * b,
            plain: b * c,
            products: a * b * c,
            switches: responses * (self.packed - 1),
            responses,
        }
    }

    /// What bears on the noise of so many, with known numbers of so many bits, their sign among them.
    pub fn product(&self, weight_bits: u32, count: usize) -> Product {
        // Known numbers of all tiles that a product's polynomials have.
        let side = self.shape.places() * self.tile[2];
        let terms = self.shape.inner().next_multiple_of(self.tile[1]) * side;
        let outputs = self.shape.out().saturating_mul(count);
        Product { weight_bits, terms, outputs, packed: self.packed }
    }

    /// Tiles of rows: so many responses after one another have the same columns.
    pub fn row_tiles(&self) -> usize {
        self.tiles()[0]
    }

    /// The coefficients of a tile of the encrypted matrix, given row by row: numbers mod a power of two.
    pub fn encrypted_tile(&self, matrix: &[u64], tile: usize) -> Vec<u64> {
        self.left(matrix, [tile / self.tiles()[1], tile % self.tiles()[1]])
    }

    /// The coefficients of a tile of the known matrices.
    pub fn plain_tile(&self, matrices: &[i64], tile: usize) -> Vec<i64> {
        self.right(matrices, [tile / self.tiles()[2], tile % self.tiles()[2]])
    }

    /// Tile (i, q) of the left matrix.
    fn left(&self, matrix: &[u64], tile: [usize; 2]) -> Vec<u64> {
        let (m, k, [mw, kw, nw]) = (self.shape.rows(), self.shape.inner(), self.tile);
        assert_eq!(matrix.len(), m * k, "numbers of the left matrix");
        let mut out = vec![0; DEGREE];
        let columns = tile[1] * kw..((tile[1] + 1) * kw).min(k);
        for (i, row) in (tile[0] * self.step()..m).take(mw).enumerate() {
            for (q, x) in matrix[row * k..][columns.clone()].iter().enumerate() {
                match (i * kw * nw).checked_sub(q) {
                    Some(place) => out[place] = *x,
                    None => out[DEGREE - q] = x.wrapping_neg(),
                }
            }
        }
        out
    }

    /// Tile (q, j) of the right matrices.
    fn right(&self, matrices: &[i64], tile: [usize; 2]) -> Vec<i64> {
        let (k, n, [_, kw, nw]) = (self.shape.inner(), self.shape.columns(), self.tile);
        assert_eq!(matrices.len(), self.shape.right(), "numbers of the right matrices");
        let mut out = vec![0; self.right_len()];
        let columns = tile[1] * nw..((tile[1] + 1) * nw).min(n);
        for (rows, matrix) in self.shape.offsets().zip(matrices.chunks_exact(k * n)) {
            let out = &mut out[(self.shape.reach() - rows) * kw * nw..];
            for (q, row) in (tile[0] * kw..k).take(kw).enumerate() {
                for (j, x) in matrix[row * n..][columns.clone()].iter().enumerate() {
                    out[j * kw + q] = *x;
                }
            }
        }
        out
    }

    /// Which products make up part `part` of a response, those that are to be packed: tiles of the encrypted matrix and
    /// of the known one. None beyond the last column.
    pub fn pairs(&self, response: usize, part: usize) -> impl Iterator<Item = [usize; 2]> + use<> {
        let [a, b, c] = self.tiles();
        let (i, j) = (response % a, response / a * self.packed + part);
        (0..if j < c { b } else { 0 }).map(move |q| [i * b + q, q * c + j])
    }

    /// How many outputs a response has.
    pub fn count(&self, response: usize) -> usize {
        let (rows, first) = self.rows_and_column(response);
        let columns = (self.tile[2] * self.packed).min(self.shape.columns() - first);
        (self.shape.outputs_before(rows.end) - self.shape.outputs_before(rows.start)) * columns
    }

    /// How many responses have how many outputs; the same number of outputs may come more than once. Few, however large a product
    /// is: tiles that begin at the same pixel of an image have as many outputs, but for the last one.
    pub fn response_counts(&self) -> impl Iterator<Item = [usize; 2]> + use<> {
        let (tiling, [rows, _, columns]) = (*self, self.tiles());
        let [lines, width] = self.shape.window().image;
        let period = lines * width / gcd(lines * width, self.step());
        let (full, across) = (rows - 1, columns.div_ceil(self.packed));
        let tiles = (0..period.min(full)).map(move |tile| [(full - tile).div_ceil(period), tile]);
        tiles.chain([[1, full]]).flat_map(move |[alike, tile]| {
            [[across - 1, 0], [1, across - 1]]
                .map(|[groups, group]| [alike * groups, tiling.count(group * rows + tile)])
        })
    }

    /// Where the outputs of a response are: its coefficients, and their places in the product, row by row.
    pub fn outputs(&self, response: usize) -> Vec<(usize, usize)> {
        let (n, [_, kw, nw]) = (self.shape.columns(), self.tile);
        let (rows, first) = self.rows_and_column(response);
        let mut all = Vec::with_capacity(self.count(response));
        for (i, row) in rows.enumerate() {
            let Some(out) = self.shape.output(row) else { continue };
            for j in 0..nw {
                for part in 0..self.packed {
                    let column = first + part * nw + j;
                    if column < n {
                        all.push(((i + self.shape.reach()) * kw * nw + j * kw + part, out * n + column));
                    }
                }
            }
        }
        all
    }

    /// Rows at which a response's outputs begin, and its first column.
    fn rows_and_column(&self, response: usize) -> (Range<usize>, usize) {
        let (tile, first) = (response % self.row_tiles(), response / self.row_tiles() * self.packed);
        let (start, end) = (tile * self.step(), self.shape.rows() - self.shape.reach());
        (start..end.min(start + self.step()), first * self.tile[2])
    }
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests;
