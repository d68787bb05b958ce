//! `conv`: convolutions of shared images with filters that one party knows.

use std::{fmt, io::Read};

use clap::Args;
use hushtable::{
    AShare, Party, Role,
    arith::{ConvolutionShape, LinearJob},
    net::LinkShape,
};
use hushtable_columns::failure::{Failure, Result};
use serde::{Deserialize, Serialize};

use super::known::Method;
use crate::{
    benchmark::Benchmark,
    inputs,
    lanes::{self, Lanes},
};

/// A convolution that keeps the image's sides, but for the stride.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct ConvWork {
    /// Lines and columns of an image, its channels, and filters
    #[arg(long, value_name = "H,W,C,F", default_value = "56,56,64,64", value_parser = shape)]
    shape: [usize; 4],
    /// Lines and columns of a filter
    #[arg(long, value_name = "K", default_value = "3", value_parser = clap::value_parser!(u32).range(1..=31))]
    window: u32,
    /// How far the filters move
    #[arg(long, value_name = "S", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=31))]
    stride: u32,
    /// Groups of channels
    #[arg(long, value_name = "G", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    groups: u32,
    /// Images at once
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u32).range(1..=1 << 16))]
    images: u32,
    /// Bits of a number, 8 to 64
    #[arg(long, value_name = "L", default_value = "37", value_parser = clap::value_parser!(u32).range(8..=64))]
    bits: u32,
    /// Bits of a number of a filter, 1 to 63
    #[arg(long, value_name = "B", default_value = "15", value_parser = clap::value_parser!(u32).range(1..=63))]
    number_bits: u32,
    /// How products are made
    #[arg(long, value_enum, default_value = "auto")]
    method: Method,
}

fn shape(text: &str) -> std::result::Result<[usize; 4], String> {
    let sides: Vec<usize> = text
        .split(',')
        .map(|side| side.trim().parse().ok().filter(|side| (1..=1 << 16).contains(side)))
        .collect::<Option<_>>()
        .ok_or("four numbers, 1 to 65536, such as 56,56,64,64")?;
    sides.try_into().map_err(|_| "four numbers, such as 56,56,64,64".into())
}

impl fmt::Display for ConvWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}, {} bits, known numbers of {}", self.convolution(), self.bits, self.number_bits)
    }
}

impl ConvWork {
    fn convolution(&self) -> ConvolutionShape {
        let [lines, columns, channels, filters] = self.shape;
        let side = self.window as usize;
        ConvolutionShape {
            images: self.images as usize,
            image: [lines, columns],
            channels,
            filters,
            window: [side; 2],
            stride: [self.stride as usize; 2],
            padding: [[(side - 1) / 2, side / 2]; 2],
            groups: self.groups as usize,
        }
    }

    fn job(&self) -> LinearJob {
        let (bits, number_bits) = (self.bits, self.number_bits);
        LinearJob { shape: self.convolution().into(), bits, number_bits, owner: Role::P1 }
    }

    /// Shares of the images in a lane.
    fn images(&self, role: Role, lane: usize) -> Vec<u64> {
        let words = inputs::words("images", role as u64, lane as u64).map(|word| word >> (64 - self.bits));
        words.take(self.convolution().left()).collect()
    }

    fn filters(&self, lane: usize) -> Vec<i64> {
        let words = inputs::words("filters", 0, lane as u64);
        words.map(|word| word as i64 >> (64 - self.number_bits)).take(self.convolution().right()).collect()
    }

    /// Compares results with the definition: of small convolutions each, of large ones some. `from` has the shares of P0.
    fn check(&self, lane: usize, mine: &[u64], from: &mut dyn Read) -> Result<()> {
        let shape = self.convolution();
        let [x0, x1] = [Role::P0, Role::P1].map(|role| self.images(role, lane));
        let filters = self.filters(lane);
        let ([lines, columns], in_group) = (shape.result(), shape.channels / shape.groups);
        let mask = u64::MAX >> (64 - self.bits);
        let every = (mine.len() * self.window.pow(2) as usize * in_group).div_ceil(1 << 24);
        for (i, mine) in mine.iter().enumerate() {
            let found = lanes::word(from)?.wrapping_add(*mine) & mask;
            if i % every != 0 {
                continue;
            }
            let (filter, pixel) = (i % shape.filters, i / shape.filters);
            let (image, line, column) = (pixel / (lines * columns), pixel / columns % lines, pixel % columns);
            let group = filter / (shape.filters / shape.groups);
            let mut want = 0u64;
            for (dy, dx) in (0..shape.window[0]).flat_map(|dy| (0..shape.window[1]).map(move |dx| (dy, dx))) {
                let y = (line * shape.stride[0] + dy).wrapping_sub(shape.padding[0][0]);
                let x = (column * shape.stride[1] + dx).wrapping_sub(shape.padding[1][0]);
                if y >= shape.image[0] || x >= shape.image[1] {
                    continue;
                }
                for c in 0..in_group {
                    let at = ((image * shape.image[0] + y) * shape.image[1] + x) * shape.channels
                        + group * in_group
                        + c;
                    let weight =
                        filters[((dy * shape.window[1] + dx) * in_group + c) * shape.filters + filter];
                    want = want.wrapping_add(x0[at].wrapping_add(x1[at]).wrapping_mul(weight as u64));
                }
            }
            if found != want & mask {
                let text = format!(
                    "image {image}, pixel {line}, {column}, filter {filter}: {found}, not {}",
                    want & mask
                );
                return Err(Failure::Check(text));
            }
        }
        Ok(())
    }
}

impl Benchmark for ConvWork {
    fn items(&self) -> usize {
        1
    }

    fn unit(&self) -> &'static str {
        "convolution"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        self.convolution().check()?;
        Ok(self.method.lattice(self.job()).map(drop)?)
    }

    fn cots(&self, role: Role, _: usize) -> (usize, usize) {
        self.method.cots(self.job(), role)
    }

    fn set_up(&self, p: &mut Party, _: usize) -> hushtable::Result<()> {
        self.method.set_up(p, self.job())
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        let (role, job, method) = (lanes.role(), self.job(), self.method);
        let count = lanes.items().len();
        let filters: Vec<Vec<i64>> =
            (0..count).map(|lane| if role == Role::P1 { self.filters(lane) } else { Vec::new() }).collect();
        let images = (0..count).map(|lane| AShare::<u64>::new(self.bits, self.images(role, lane)));
        let inputs: Vec<_> = images.zip(&filters).collect();
        let make = |p: &mut Party, filters: &Vec<i64>| method.prepare(p, job, filters);
        let done = lanes.measure(filters.iter().collect(), inputs, make, |p, made, (images, filters)| {
            made.multiply(p, images, filters)
        })?;
        let words = || done.results.iter().flat_map(AShare::words).copied();
        done.verify(words, |from| {
            let mut all = done.results.iter().enumerate();
            all.try_for_each(|(lane, mine)| self.check(lane, mine.words(), from))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn verification_sees_every_result() {
        let work = ConvWork {
            shape: [4, 3, 4, 2],
            window: 3,
            stride: 2,
            groups: 2,
            images: 2,
            bits: 40,
            number_bits: 9,
            method: Method::Ot,
        };
        let job = work.job();
        let pair = Party::pair_seeded(5).expect("two parties");
        let eval = |p: &mut Party| {
            let filters = if p.role() == Role::P1 { work.filters(0) } else { Vec::new() };
            let made = work.method.prepare(p, job, &filters)?;
            let images = AShare::<u64>::new(work.bits, work.images(p.role(), 0));
            made.multiply(p, &images, &filters)
        };
        let (a, b) = hushtable::run_pair(pair, eval, eval).expect("an honest run");
        let handed: Vec<u8> = a.words().iter().flat_map(|word| word.to_le_bytes()).collect();
        work.check(0, b.words(), &mut handed.as_slice()).unwrap();
        for at in (0..handed.len()).step_by(8) {
            let mut wrong = handed.clone();
            wrong[at] ^= 1;
            assert!(
                matches!(work.check(0, b.words(), &mut wrong.as_slice()), Err(Failure::Check(_))),
                "{at}"
            );
        }
    }
}
