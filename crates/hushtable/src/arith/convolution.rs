//! Two-dimensional convolutions as products of matrices over which a window slides.
//!
//! A stride of s is none, where each s-th line and column of an image becomes an image of its own with the same place in
//! the window: so no output is computed that nobody wants. Groups of channels are products of their own.

use std::fmt;

use he::{Shape, Window};

use crate::error::{Error, Result};

/// Convolutions of images. Numbers lie image by image, line by line, pixel by pixel, and channel by channel; of filters, line
/// by line of the window, pixel by pixel, a row for each of a group's channels, with a number for each filter. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ConvolutionShape {
    /// Images.
    pub images: usize,
    /// Lines and columns of an image.
    pub image: [usize; 2],
    /// Channels of a pixel.
    pub channels: usize,
    /// Channels of a pixel of the results: as many filters are there.
    pub filters: usize,
    /// Lines and columns of a filter.
    pub window: [usize; 2],
    /// How far the window moves, in lines and columns.
    pub stride: [usize; 2],
    /// Zeros around an image: lines before and behind it, and columns.
    pub padding: [[usize; 2]; 2],
    /// Groups of channels, each with as many filters for itself.
    pub groups: usize,
}

/// Most numbers of images with their padding, of filters, and of results.
const MOST: usize = 1 << 32;

/// The sides of an image, and of the window in it, where each stride is none.
#[derive(Clone, Copy)]
struct Phases {
    /// Of each side: how many images become of one, lines of each, and lines of the window.
    sides: [[usize; 3]; 2],
}

impl ConvolutionShape {
    /// `Ok(())` if there is such a convolution.
    ///
    /// # Errors
    /// [`Error::Param`] for a number that is zero, for channels or filters that groups do not share, for a window that is
    /// larger than an image with its padding, and for padding that is as large as the window.
    pub fn check(&self) -> Result<()> {
        let param = |what, got: String, accepted: String| Err(Error::Param { what, got, accepted });
        let Self { images, image, channels, filters, window, stride, padding, groups } = *self;
        let all = [
            images, image[0], image[1], channels, filters, window[0], window[1], stride[0], stride[1], groups,
        ];
        if all.contains(&0) || all.iter().any(|side| *side > 1 << 24) {
            return param("shape of a convolution", format!("{self:?}"), "1 to 2^24 of everything".into());
        }
        if !channels.is_multiple_of(groups) || !filters.is_multiple_of(groups) {
            let got = format!("{groups} for {channels} channels and {filters} filters");
            return param("groups of a convolution", got, "divisors of both".into());
        }
        for side in [0, 1] {
            let most = window[side] - 1;
            if padding[side].iter().any(|zeros| *zeros > most) {
                return param(
                    "padding of a convolution",
                    format!("{:?}", padding[side]),
                    format!("0 to {most}"),
                );
            }
            let padded = image[side] + padding[side][0] + padding[side][1];
            if window[side] > padded {
                return param("window of a convolution", window[side].to_string(), format!("1 to {padded}"));
            }
        }
        let Phases { sides: [[a, lines, high], [b, columns, wide]] } = self.phases();
        let [result_lines, result_columns] = self.result();
        for factors in [
            [images, lines * columns, a * b, channels],
            [high * wide, a * b, channels, filters],
            [images, result_lines, result_columns, filters],
        ] {
            if product(factors).is_none_or(|numbers| numbers > MOST) {
                return param(
                    "numbers of a convolution",
                    self.to_string(),
                    format!("at most {MOST} of each kind"),
                );
            }
        }
        Ok(())
    }

    /// Lines and columns of a result.
    pub fn result(&self) -> [usize; 2] {
        [0, 1].map(|side| {
            let padded = self.image[side] + self.padding[side][0] + self.padding[side][1];
            (padded - self.window[side]) / self.stride[side] + 1
        })
    }

    /// Numbers of all images.
    pub fn left(&self) -> usize {
        self.images * self.image[0] * self.image[1] * self.channels
    }

    /// Numbers of all filters.
    pub fn right(&self) -> usize {
        self.window[0] * self.window[1] * self.channels / self.groups * self.filters
    }

    /// Numbers of all results.
    pub fn out(&self) -> usize {
        let [lines, columns] = self.result();
        self.images * lines * columns * self.filters
    }

    fn phases(&self) -> Phases {
        let result = self.result();
        let side = |side: usize| {
            let (window, stride) = (self.window[side], self.stride[side]);
            let of_window = window.div_ceil(stride);
            [stride.min(window), result[side] + of_window - 1, of_window]
        };
        Phases { sides: [side(0), side(1)] }
    }

    /// What a group's product is.
    pub(super) fn of_group(&self) -> Shape {
        let Phases { sides: [[a, lines, high], [b, columns, wide]] } = self.phases();
        let sides =
            [self.images * lines * columns, a * b * self.channels / self.groups, self.filters / self.groups];
        let window = Window { image: [lines, columns], size: [high, wide] };
        Shape::new(sides, window).expect("a convolution that was checked")
    }

    /// The images as left matrices, a group's after another.
    pub(super) fn left_matrices<T: Copy + Default>(&self, x: &[T]) -> Vec<T> {
        let Phases { sides: [[a, lines, _], [b, columns, _]] } = self.phases();
        let each = self.channels / self.groups;
        let mut out = Vec::with_capacity(self.of_group().left() * self.groups);
        for group in 0..self.groups {
            for (image, y, x0) in triples([self.images, lines, columns]) {
                for (phase_y, phase_x) in pairs([a, b]) {
                    let pixel = self.pixel([y * self.stride[0] + phase_y, x0 * self.stride[1] + phase_x]);
                    match pixel {
                        Some([y, column]) => {
                            let pixel = (image * self.image[0] + y) * self.image[1] + column;
                            out.extend_from_slice(&x[pixel * self.channels + group * each..][..each]);
                        }
                        None => out.extend(std::iter::repeat_n(T::default(), each)),
                    }
                }
            }
        }
        out
    }

    /// The filters as right matrices, a group's after another.
    pub(super) fn right_matrices<T: Copy + Default>(&self, filters: &[T]) -> Vec<T> {
        let Phases { sides: [[a, _, high], [b, _, wide]] } = self.phases();
        let (channels, each) = (self.channels / self.groups, self.filters / self.groups);
        let mut out = Vec::with_capacity(self.of_group().right() * self.groups);
        for group in 0..self.groups {
            for (y, x) in pairs([high, wide]) {
                for (phase_y, phase_x, channel) in triples([a, b, channels]) {
                    let (y, x) = (y * self.stride[0] + phase_y, x * self.stride[1] + phase_x);
                    if y < self.window[0] && x < self.window[1] {
                        let row = (y * self.window[1] + x) * channels + channel;
                        out.extend_from_slice(&filters[row * self.filters + group * each..][..each]);
                    } else {
                        out.extend(std::iter::repeat_n(T::default(), each));
                    }
                }
            }
        }
        out
    }

    /// Adds the results of the groups, pixel by pixel.
    pub(super) fn results(&self, of_groups: &[u64], to: &mut Vec<u64>) {
        let each = self.filters / self.groups;
        let pixels = of_groups.len() / self.filters;
        for (pixel, group) in pairs([pixels, self.groups]) {
            to.extend_from_slice(&of_groups[(group * pixels + pixel) * each..][..each]);
        }
    }

    /// The pixel of an image at a place of one with its padding.
    fn pixel(&self, place: [usize; 2]) -> Option<[usize; 2]> {
        let side =
            |side: usize| place[side].checked_sub(self.padding[side][0]).filter(|at| *at < self.image[side]);
        Some([side(0)?, side(1)?])
    }
}

/// In the same words at both parties.
impl fmt::Display for ConvolutionShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { images, image, channels, filters, window, stride, padding, groups } = *self;
        let [[top, bottom], [left, right]] = padding;
        write!(f, "{images} images of {} x {} pixels of {channels} channels, ", image[0], image[1])?;
        write!(f, "{filters} filters of {} x {} in {groups} groups, ", window[0], window[1])?;
        write!(f, "stride {} x {}, padding {top} {bottom} {left} {right}", stride[0], stride[1])
    }
}

/// Of all of them, if it is one.
fn product(factors: [usize; 4]) -> Option<usize> {
    factors.into_iter().try_fold(1usize, usize::checked_mul)
}

fn pairs([a, b]: [usize; 2]) -> impl Iterator<Item = (usize, usize)> {
    (0..a).flat_map(move |i| (0..b).map(move |j| (i, j)))
}

fn triples([a, b, c]: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    pairs([a, b]).flat_map(move |(i, j)| (0..c).map(move |k| (i, j, k)))
}
