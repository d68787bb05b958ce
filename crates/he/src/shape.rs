//! What is multiplied: a matrix with a matrix, or with several while a window slides over it.

use std::fmt;

use crate::error::{Error, Result};

/// A window that slides over images whose pixels are the rows of a matrix, line by line and image by image. It stays inside
/// each. A matrix without images is one pixel each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Window {
    /// Lines and columns of an image.
    pub image: [usize; 2],
    /// Lines and columns of the window.
    pub size: [usize; 2],
}

/// A left matrix, of `m x k` numbers, and for each place of a window a right one, of `k x n`. Row i of the result, for each i
/// where a window begins, is the sum over its places of the left matrix' row there times the place's right matrix. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Shape {
    sides: [usize; 3],
    window: Window,
}

impl Window {
    /// Of a product of matrices.
    pub const ONE: Self = Self { image: [1; 2], size: [1; 2] };

    /// Places of windows in an image, along both sides.
    fn places(&self) -> [usize; 2] {
        [0, 1].map(|side| self.image[side] - self.size[side] + 1)
    }
}

impl Shape {
    /// Of `m x k` and `k x n` numbers.
    ///
    /// # Errors
    /// [`Error::Param`] for a number that is zero, for rows that are no whole images, and for a window that no image holds.
    pub fn new(sides: [usize; 3], window: Window) -> Result<Self> {
        let Window { image, size } = window;
        if sides.contains(&0) {
            let got = format!("{} x {} x {}", sides[0], sides[1], sides[2]);
            return Err(Error::Param {
                what: "shape of a product",
                got,
                accepted: "1 x 1 x 1 and more".into(),
            });
        }
        let pixels = image[0].checked_mul(image[1]).filter(|pixels| *pixels > 0);
        if size.contains(&0)
            || size[0] > image[0]
            || size[1] > image[1]
            || pixels.is_none_or(|pixels| !sides[0].is_multiple_of(pixels))
        {
            let got = format!(
                "{} x {} in {} rows of images of {} x {}",
                size[0], size[1], sides[0], image[0], image[1]
            );
            let accepted = "1 x 1 to an image, in whole images".into();
            return Err(Error::Param { what: "window of a product", got, accepted });
        }
        Ok(Self { sides, window })
    }

    /// Of the transposed matrices, the right one first, whose product is the transposed one: where there is no window.
    pub fn transposed(&self) -> Option<Self> {
        let [m, k, n] = self.sides;
        (self.window == Window::ONE).then_some(Self { sides: [n, k, m], ..*self })
    }

    /// Rows of the left matrix.
    pub fn rows(&self) -> usize {
        self.sides[0]
    }

    /// Columns of the left matrix, and rows of the right ones.
    pub fn inner(&self) -> usize {
        self.sides[1]
    }

    /// Columns of the right matrices.
    pub fn columns(&self) -> usize {
        self.sides[2]
    }

    /// The window.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Places of the window: so many right matrices are there.
    pub fn places(&self) -> usize {
        self.window.size[0] * self.window.size[1]
    }

    /// How many rows the window's places are away from its first one.
    pub fn offsets(&self) -> impl Iterator<Item = usize> + use<> {
        let Window { image, size } = self.window;
        (0..size[0]).flat_map(move |line| (0..size[1]).map(move |column| line * image[1] + column))
    }

    /// The last of them.
    pub fn reach(&self) -> usize {
        let Window { image, size } = self.window;
        (size[0] - 1) * image[1] + size[1] - 1
    }

    /// Numbers of the left matrix.
    pub fn left(&self) -> usize {
        self.sides[0] * self.sides[1]
    }

    /// Numbers of the right matrices.
    pub fn right(&self) -> usize {
        self.places() * self.sides[1] * self.sides[2]
    }

    /// Numbers of the result.
    pub fn out(&self) -> usize {
        self.outputs_before(self.sides[0]) * self.sides[2]
    }

    /// Which row of the result belongs to a window that begins at this row.
    pub fn output(&self, row: usize) -> Option<usize> {
        let ([lines, columns], [_, line, column]) = (self.window.places(), self.place(row));
        (line < lines && column < columns).then(|| self.outputs_before(row))
    }

    /// Rows of the result that belong to windows that begin before this row.
    pub fn outputs_before(&self, row: usize) -> usize {
        let ([lines, columns], [image, line, column]) = (self.window.places(), self.place(row));
        let before = if line < lines { line * columns + column.min(columns) } else { lines * columns };
        image * lines * columns + before
    }

    /// The image of a row, its line and its column.
    fn place(&self, row: usize) -> [usize; 3] {
        let [lines, width] = self.window.image;
        [row / (lines * width), row / width % lines, row % width]
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ([m, k, n], Window { image, size }) = (self.sides, self.window);
        write!(f, "{m} x {k} x {n}")?;
        if self.window != Window::ONE {
            write!(f, ", {} x {} in images of {} x {}", size[0], size[1], image[0], image[1])?;
        }
        Ok(())
    }
}
