//! What is asked, in terms of the columns of a join.

mod share;
mod terms;

use crate::stats::{arguments::Asked, question::share::share};
use apps::statistics::{GroupNoise, GroupShape, Laplace, Quantile};
use hushtable::Role;
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::{
    digits::Digits,
    join::{
        column::BITS,
        file::{JoinedFile, Table},
        named::{By, Number, cuts, grouping, inside, number},
    },
    meeting::Agreed,
};

/// Most cuts of a quantile.
const CUTS: usize = 256;

/// Most bytes of a question that the parties compare in words; a digest stands for the rest.
const SHORT: usize = 120;

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
    pub fn bits(&self) -> u32 {
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

/// All of it.
pub struct Question {
    pub by: By,
    pub series: Vec<Series>,
    pub statistics: Vec<Statistic>,
    /// Whether the largest, else the smallest.
    pub ends: Vec<(bool, Number)>,
    /// Of a column: the share of rows as it was written, and the cuts.
    pub quantiles: Vec<(Number, String, Vec<f64>, Quantile)>,
    pub least: u32,
    pub noise: Option<f64>,
    /// In words.
    text: Vec<String>,
}

impl Question {
    pub fn of(asked: &Asked, file: &JoinedFile) -> Result<Self> {
        if let Some(eps) = asked.noise.filter(|eps| !(*eps > 0.0 && eps.is_finite())) {
            return Err(Failure::new(format!("--noise {eps}: an epsilon is more than 0")));
        }
        let by = match (&asked.by, &asked.histogram) {
            (Some(by), _) => grouping(by, file, false)?,
            (None, Some(by)) => grouping(by, file, true)?,
            (None, None) => By::All,
        };
        let mut this = Self {
            by,
            series: vec![],
            statistics: vec![],
            ends: vec![],
            quantiles: vec![],
            least: asked.least,
            noise: asked.noise,
            text: vec![],
        };
        this.sums(asked, file)?;
        this.orders(asked, file)?;
        let counted = asked.count || asked.histogram.is_some();
        if this.statistics.is_empty() && this.ends.is_empty() && this.quantiles.is_empty() && !counted {
            return Err(Failure::new(
                "nothing is asked: --count, --sum, --mean, --variance, --covariance, --min, --max, --quantile or --histogram",
            ));
        }
        if this.series.is_empty() {
            this.series.push(Series::Nothing);
        }
        this.text.insert(0, "count".into());
        let table = this.table(file);
        this.shape(table.bins)?.check()?;
        Ok(this)
    }

    /// The join that serves: that with the fewest bins.
    pub fn table<'f>(&self, file: &'f JoinedFile) -> &'f Table {
        file.joins.iter().min_by_key(|table| (table.bins, table.owner.clone())).expect("one at least")
    }

    fn sums(&mut self, asked: &Asked, file: &JoinedFile) -> Result<()> {
        let counted = usize::from(asked.noise.is_some());
        // Of a share of epsilon, noise is as large as this many units.
        let parts = counted
            + asked.sum.len()
            + asked.mean.len()
            + 3 * (asked.variance.len() + asked.covariance.len());
        let room = asked.noise.map(|eps| 18 + (eps / parts.max(1) as f64).log2().floor() as i32);
        for (mean, name) in asked.sum.iter().map(|n| (false, n)).chain(asked.mean.iter().map(|n| (true, n))) {
            let of = number(file, name)?;
            let cut = room.map_or(0, |room| (of.size() as i32 - room).clamp(0, 60) as u32);
            let name = if mean { format!("mean of {name}") } else { format!("sum of {name}") };
            let sum = self.add(Series::Numbers { of, cut });
            self.text.push(name.clone());
            self.statistics.push(if mean {
                Statistic::Mean { name, sum }
            } else {
                Statistic::Sum { name, sum }
            });
        }
        let pairs =
            asked.variance.iter().map(|name| Ok((format!("variance of {name}"), [name.trim(), name.trim()])));
        let both = asked.covariance.iter().map(|text| match text.split_once(',') {
            Some((a, b)) => Ok((format!("covariance of {a} and {b}"), [a.trim(), b.trim()])),
            None => Err(Failure::new(format!("--covariance {text:?}: two columns, as income,bills"))),
        });
        for pair in pairs.chain(both).collect::<Result<Vec<_>>>()? {
            let (name, columns) = pair;
            let of = [number(file, columns[0])?, number(file, columns[1])?];
            let rows = (file.most().max(2) as f64).log2().ceil() as i32;
            let most = room.unwrap_or(62 - rows);
            let sizes = of.each_ref().map(|of| of.size() as i32);
            let over = (sizes[0] + sizes[1] - most).max(0);
            // The larger one first, then both alike.
            let first = (sizes[0] - sizes[1]).clamp(-over, over);
            let rest = over - first.abs();
            let share = |extra: i32, odd: i32| (extra.max(0) + (rest + odd) / 2).clamp(0, 60) as u32;
            let mut cuts = [share(first, 1), share(-first, 0)];
            if of[0] == of[1] {
                cuts = [cuts[0].max(cuts[1]); 2];
            }
            let sums = [0, 1].map(|i| self.add(Series::Numbers { of: of[i].clone(), cut: cuts[i] }));
            let products = self.add(Series::Products { of, cuts });
            self.text.push(name.clone());
            self.statistics.push(Statistic::Covariance { name, sums, products });
        }
        Ok(())
    }

    fn orders(&mut self, asked: &Asked, file: &JoinedFile) -> Result<()> {
        let all = asked.min.len() + asked.max.len() + asked.quantile.len();
        if all > 0 && (self.by != By::All || asked.noise.is_some()) {
            return Err(Failure::new(
                "--min, --max and --quantile cannot be combined with --by, --histogram or --noise",
            ));
        }
        for (largest, name) in asked.min.iter().map(|n| (false, n)).chain(asked.max.iter().map(|n| (true, n)))
        {
            self.ends.push((largest, number(file, name)?));
            self.text.push(format!("{} of {name}", if largest { "largest" } else { "smallest" }));
        }
        for text in &asked.quantile {
            let usage =
                || Failure::new(format!("--quantile {text:?}: COLUMN:Q:CUTS, as income:0.5:10,20,30"));
            let (rest, list) = text.rsplit_once(':').ok_or_else(usage)?;
            let (name, q) = rest.rsplit_once(':').ok_or_else(usage)?;
            let share = share(q).ok_or_else(usage)?;
            let share = share.map_err(|what| Failure::new(format!("--quantile {text:?}: {what}")))?;
            let q = q.trim().to_owned();
            let (of, list) = (number(file, name)?, cuts(list, CUTS)?);
            inside(&of, &list)?;
            let scaled = list.iter().map(|cut| of.scaled(*cut)).collect();
            let bins = self.table(file).bins;
            let quantile = Quantile { bins, bits: of.width(), cuts: scaled, share, least: asked.least };
            self.text.push(format!("quantile {q} of {name} among {} cuts", list.len()));
            self.quantiles.push((of, q, list, quantile));
        }
        Ok(())
    }

    /// How exact a sum of so many rows is.
    pub fn error_of_sum(&self, series: usize, rows: f64) -> Digits {
        match &self.series[series] {
            Series::Numbers { of, cut } => {
                let noise = self.noise_of(series).unwrap_or_default();
                Digits::of_sum(of.fraction_bits, *cut, rows).with(noise)
            }
            _ => Digits::All,
        }
    }

    /// How exact a mean is: as its numbers are, for they may all be rounded alike.
    pub fn error_of_mean(&self, series: usize, rows: f64) -> Digits {
        match &self.series[series] {
            Series::Numbers { of, cut } => {
                let noise = self.noise_of(series).unwrap_or_default();
                Digits::of_mean(of.fraction_bits, *cut).with(noise / rows)
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
        let noise = |series| self.noise_of(series).unwrap_or_default();
        let [a, b] = means;
        let of_sums = noise(products) + (a * noise(sums[1])).abs() + (b * noise(sums[0])).abs();
        let of_count = (a * b - value).abs() * self.noise_of_count();
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

    /// What each party adds, if noise is asked for.
    fn noises(&self) -> hushtable::Result<Option<GroupNoise>> {
        let reach: Vec<f64> = self.series.iter().map(Series::largest).collect();
        self.noise.map(|eps| GroupNoise::split(eps, &reach)).transpose()
    }

    /// How large noise on a sum is at most in 19 of 20 runs, as a number.
    fn noise_of(&self, series: usize) -> Option<f64> {
        let noise = self.noises().ok()??;
        Some(self.series[series].number(1) * most_noise(&noise.sums[series]))
    }

    fn noise_of_count(&self) -> f64 {
        self.noises().ok().flatten().map_or(0.0, |noise| most_noise(&noise.counts))
    }

    /// What noise does to each number, in words.
    pub fn noise_words(&self) -> Vec<String> {
        let Ok(Some(noise)) = self.noises() else { return vec![] };
        let up_to = |name: String, most: f64| format!("{name} by up to {}", most.ceil());
        let mut all = vec![up_to("the count".into(), most_noise(&noise.counts))];
        for (series, noise) in self.series.iter().zip(&noise.sums) {
            let name = match series {
                Series::Nothing => continue,
                Series::Numbers { of, .. } => format!("the sum of {}", of.name),
                Series::Products { of: [a, b], .. } => {
                    format!("the sum of products of {} and {}", a.name, b.name)
                }
            };
            all.push(up_to(name, series.number(1) * most_noise(noise)));
        }
        all
    }

    /// The place of a series.
    fn add(&mut self, series: Series) -> usize {
        self.series.iter().position(|other| *other == series).unwrap_or_else(|| {
            self.series.push(series);
            self.series.len() - 1
        })
    }

    /// Counts and sums by group.
    pub fn shape(&self, bins: usize) -> Result<GroupShape> {
        Ok(GroupShape {
            bins,
            groups: self.by.names().len(),
            widths: self.series.iter().map(Series::bits).collect(),
            least: self.least,
            noise: self.noises()?,
        })
    }

    /// What is asked, in the same words at both parties.
    pub fn words(&self) -> String {
        let by = match &self.by {
            By::All => String::new(),
            By::Groups { name, .. } => format!(" by {name}"),
            By::Cuts { of, cuts } => format!(" by {} cuts of {}", cuts.len(), of.name),
        };
        format!("{}{by}", self.text.join(", "))
    }

    fn by_words(&self) -> String {
        match &self.by {
            By::All => "none".into(),
            By::Groups { name, groups, .. } => format!("of {name}: {}", groups.join(", ")),
            By::Cuts { of, cuts } => format!("of {} by {}", of.name, listed(cuts)),
        }
    }

    fn cuts_words(&self) -> String {
        let all = self.quantiles.iter().map(|(of, _, cuts, _)| format!("of {} by {}", of.name, listed(cuts)));
        let all = all.collect::<Vec<_>>().join("; ");
        if all.is_empty() { "none".into() } else { all }
    }

    /// What the parties compare.
    pub fn fields(&self, file: &JoinedFile, role: Role) -> Agreed {
        let noise = self.noise.map_or("none".into(), |eps| format!("epsilon {eps}"));
        let all = [
            ("command", "stats".to_owned()),
            ("files", file.pairing(role)),
            ("what is asked", short(self.words())),
            ("groups", short(self.by_words())),
            ("cuts of quantiles", short(self.cuts_words())),
            ("least size", self.least.to_string()),
            ("noise", noise),
            ("digest of the question", self.terms().digest().to_hex()[..32].to_owned()),
        ];
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Numbers as they are told apart.
fn listed(numbers: &[f64]) -> String {
    numbers.iter().map(f64::to_string).collect::<Vec<_>>().join(", ")
}

/// The words, or their beginning and a digest of all.
fn short(words: String) -> String {
    if words.len() <= SHORT {
        return words;
    }
    let within = |(at, c): (usize, char)| (at + c.len_utf8() <= SHORT).then_some(c);
    let begin: String = words.char_indices().map_while(within).collect();
    format!("{begin}... ({})", &blake3::hash(words.as_bytes()).to_hex()[..32])
}

/// How large the noise of both parties is at most in 19 of 20 runs.
fn most_noise(noise: &Laplace) -> f64 {
    MOST_NOISE * noise.sensitivity() / noise.epsilon()
}

#[cfg(test)]
mod tests;
