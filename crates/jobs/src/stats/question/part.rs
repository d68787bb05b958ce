//! Statistics of the rows in which certain columns are there.

use apps::statistics::{GroupNoise, GroupShape, Laplace, Quantile};
use hushtable_columns::failure::Result;

use crate::{
    digits::Digits,
    join::{column::BITS, named::Number},
};

/// In 19 of 20 runs noise is at most so many times its scale: that of both parties together.
const MOST_NOISE: f64 = 4.2;

/// What is added up. `cut`: bits that are rounded away before.
#[derive(Clone, Debug, PartialEq)]
pub enum Series {
    /// Zeros: where only rows are counted.
    Nothing,
    Numbers {
        of: Number,
        cut: u32,
    },
    Products {
        of: [Number; 2],
        cuts: [u32; 2],
    },
}

impl Series {
    /// The largest absolute value of a row; 0 of zeros.
    fn largest(&self) -> f64 {
        let size =
            |of: &Number, cut: u32| (of.limit * 2f64.powi(of.fraction_bits as i32 - cut as i32)).ceil();
        match self {
            Self::Nothing => 0.0,
            Self::Numbers { of, cut } => size(of, *cut),
            Self::Products { of: [a, b], cuts } => size(a, cuts[0]) * size(b, cuts[1]),
        }
    }

    /// Bits of a word.
    fn bits(&self) -> u32 {
        if *self == Self::Nothing { 1 } else { BITS }
    }

    /// A sum of words as a number.
    pub fn number(&self, sum: i64) -> f64 {
        let behind = match self {
            Self::Nothing => 0,
            Self::Numbers { of, cut } => of.fraction_bits as i32 - *cut as i32,
            Self::Products { of: [a, b], cuts } => {
                (a.fraction_bits + b.fraction_bits) as i32 - (cuts[0] + cuts[1]) as i32
            }
        };
        sum as f64 / 2f64.powi(behind)
    }
}

/// A statistic of a group, from sums by their places among the series.
#[derive(Clone, Debug)]
pub enum Statistic {
    Sum {
        name: String,
        sum: usize,
    },
    Mean {
        name: String,
        sum: usize,
    },
    /// Of two columns, or of one twice.
    Covariance {
        name: String,
        sums: [usize; 2],
        products: usize,
    },
}

/// A statistic that asks for an order of numbers.
#[derive(Clone, Debug)]
pub enum Order {
    /// The largest number, else the smallest.
    End { largest: bool, of: Number },
    /// Between which numbers a share of the rows lies, exactly: at `share` of the way from the first to the last.
    Rank { name: String, of: Number, share: (u32, u32) },
    /// The first of the cuts, as they were asked for, below which a share of the rows lies.
    Cut { name: String, of: Number, cuts: Vec<f64>, quantile: Quantile },
}

impl Order {
    /// What it is called.
    pub fn name(&self) -> String {
        match self {
            Self::End { largest: true, of } => format!("largest of {}", of.name),
            Self::End { of, .. } => format!("smallest of {}", of.name),
            Self::Rank { name, .. } | Self::Cut { name, .. } => name.clone(),
        }
    }

    /// The column that it is of.
    pub fn of(&self) -> &Number {
        let (Self::End { of, .. } | Self::Rank { of, .. } | Self::Cut { of, .. }) = self;
        of
    }
}

/// Of the rows in which these columns are there.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// Places and names of the columns, which increase.
    pub present: Vec<(usize, String)>,
    pub series: Vec<Series>,
    pub statistics: Vec<Statistic>,
    pub orders: Vec<Order>,
    /// What each party adds, if noise is asked for.
    pub noise: Option<GroupNoise>,
}

impl Part {
    /// What its count is of.
    pub fn counted(&self) -> String {
        match &self.present[..] {
            [] => "count".into(),
            present => {
                let names: Vec<&str> = present.iter().map(|(_, name)| name.as_str()).collect();
                format!("count of {}", names.join(" and "))
            }
        }
    }

    /// Counts and sums by group.
    pub fn shape(&self, bins: usize, groups: usize, least: u32) -> GroupShape {
        let widths = self.series.iter().map(Series::bits).collect();
        GroupShape { bins, groups, widths, least, noise: self.noise.clone() }
    }

    /// How many numbers are told of a group that get noise: the count, and sums.
    pub fn told(&self) -> usize {
        1 + self.series.iter().filter(|series| **series != Series::Nothing).count()
    }

    /// Gives each of its numbers noise of this epsilon.
    pub fn add_noise(&mut self, each: f64) -> Result<()> {
        let reach: Vec<f64> = self.series.iter().map(Series::largest).collect();
        self.noise = Some(GroupNoise::split(each * self.told() as f64, &reach)?);
        Ok(())
    }

    /// How exact a sum of so many rows is.
    pub fn error_of_sum(&self, series: usize, rows: f64) -> Digits {
        match &self.series[series] {
            Series::Numbers { of, cut } => {
                Digits::of_sum(of.fraction_bits, *cut, rows).with(self.noise_of(series))
            }
            _ => Digits::All,
        }
    }

    /// How exact a mean is: as its numbers are, for they may all be rounded alike.
    pub fn error_of_mean(&self, series: usize, rows: f64) -> Digits {
        match &self.series[series] {
            Series::Numbers { of, cut } => {
                Digits::of_mean(of.fraction_bits, *cut).with(self.noise_of(series) / rows)
            }
            _ => Digits::All,
        }
    }

    /// How exact a variance or covariance of this size is, of so many rows of columns with these sums and means.
    pub fn error_of_product(
        &self,
        (sums, products): ([usize; 2], usize),
        means: [f64; 2],
        value: f64,
        rows: f64,
    ) -> Digits {
        let [a, b] = means;
        let of_sums =
            self.noise_of(products) + (a * self.noise_of(sums[1])).abs() + (b * self.noise_of(sums[0])).abs();
        let of_count = (a * b - value).abs() * self.noise.as_ref().map_or(0.0, |noise| most(&noise.counts));
        self.rounded_product(sums, means, value).with((of_sums + of_count) / rows)
    }

    /// The same without noise: each number may be off by half a step, and counts with how far the other column's numbers
    /// spread. Of a variance that is known; of a covariance the means say about how large they are.
    fn rounded_product(&self, sums: [usize; 2], means: [f64; 2], value: f64) -> Digits {
        let step = |at: usize| match &self.series[at] {
            Series::Numbers { of, cut } => Digits::step(of.fraction_bits, *cut),
            _ => 0.0,
        };
        let steps = sums.map(step);
        let deviation = value.abs().sqrt();
        let spread = |mean: f64| if sums[0] == sums[1] { deviation } else { deviation.max(mean.abs()) };
        let [a, b] = means.map(spread);
        match steps {
            [0.0, 0.0] => Digits::All,
            [x, y] => Digits::Error((x * b + y * a + x * y) / 2.0),
        }
    }

    /// How large noise on a sum is at most in 19 of 20 runs, as a number; 0 without noise.
    fn noise_of(&self, series: usize) -> f64 {
        self.noise.as_ref().map_or(0.0, |noise| self.series[series].number(1) * most(&noise.sums[series]))
    }

    /// What noise does to each number, in words.
    pub fn noise_words(&self) -> Vec<String> {
        let Some(noise) = &self.noise else { return vec![] };
        let up_to = |name: String, most: f64| format!("{name} by up to {}", most.ceil());
        let mut all = vec![up_to(format!("the {}", self.counted()), most(&noise.counts))];
        for (at, series) in self.series.iter().enumerate() {
            let name = match series {
                Series::Nothing => continue,
                Series::Numbers { of, .. } => format!("the sum of {}", of.name),
                Series::Products { of: [a, b], .. } => {
                    format!("the sum of products of {} and {}", a.name, b.name)
                }
            };
            all.push(up_to(name, self.noise_of(at)));
        }
        all
    }

    /// The place of a series.
    pub fn add(&mut self, series: Series) -> usize {
        self.series.iter().position(|other| *other == series).unwrap_or_else(|| {
            self.series.push(series);
            self.series.len() - 1
        })
    }
}

/// How large the noise of both parties is at most in 19 of 20 runs.
fn most(noise: &Laplace) -> f64 {
    MOST_NOISE * noise.sensitivity() / noise.epsilon()
}
