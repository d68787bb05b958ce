//! What is asked, in terms of the columns of a join.

pub mod part;
mod share;
mod terms;

use std::collections::{BTreeMap, BTreeSet};

use crate::{
    join::{
        condition::Condition,
        file::{JoinedFile, Table},
        named::{By, Number, column, cuts, grouping, inside, number},
    },
    meeting::Agreed,
    stats::{
        arguments::Asked,
        question::{
            part::{Order, Part, Series, Statistic},
            share::share,
        },
    },
};
use apps::statistics::{GroupShape, MAX_GROUPS, Quantile};
use hushtable::Role;
use hushtable_columns::{
    failure::{Failure, Result},
    named,
};

/// Most cuts of a quantile.
const CUTS: usize = 256;

/// Most bytes of a question that the parties compare in words; a digest stands for the rest.
const SHORT: usize = 120;

/// All of it.
pub struct Question {
    pub by: Vec<By>,
    /// What must hold of a row.
    pub conditions: Vec<Condition>,
    /// By the columns that must be there: of the first part none.
    pub parts: Vec<Part>,
    pub least: u32,
    pub noise: Option<f64>,
    /// In words.
    text: Vec<String>,
}

impl Question {
    pub fn of(asked: &Asked, file: &JoinedFile) -> Result<Self> {
        let asked = &asked.one_by_one()?;
        if let Some(eps) = asked.noise.filter(|eps| !(*eps > 0.0 && eps.is_finite())) {
            return Err(Failure::new(format!("--noise {eps}: an epsilon is more than 0")));
        }
        let by = asked.by.iter().map(|by| grouping(by, file, false));
        let by = by.chain(asked.histogram.iter().map(|by| grouping(by, file, true)));
        let mut this = Self {
            by: by.collect::<Result<_>>()?,
            conditions: asked
                .condition
                .iter()
                .map(|text| Condition::of(text, file))
                .collect::<Result<_>>()?,
            parts: vec![Part::default()],
            least: asked.least,
            noise: asked.noise,
            text: vec!["count".into()],
        };
        this.check_groups()?;
        this.sums(asked, file)?;
        this.orders(asked, file)?;
        let nothing = this.parts.iter().all(|part| part.statistics.is_empty() && part.orders.is_empty());
        if nothing && !asked.count && asked.histogram.is_none() {
            return Err(Failure::new(
                "nothing is asked: --count, --sum, --mean, --variance, --covariance, --min, --max, --median, --quantile or \
                 --histogram",
            ));
        }
        for part in this.parts.iter_mut().filter(|part| part.series.is_empty()) {
            part.series.push(Series::Nothing);
        }
        if let Some(eps) = asked.noise {
            let told = this.parts.iter().map(Part::told).sum::<usize>();
            this.parts.iter_mut().try_for_each(|part| part.add_noise(eps / told as f64))?;
        }
        let bins = this.table(file).bins;
        this.parts.iter().try_for_each(|part| Ok(this.shape(part, bins).check()?)).map(|()| this)
    }

    fn check_groups(&self) -> Result<()> {
        let names: BTreeSet<&str> = self.by.iter().map(By::name).collect();
        if names.len() < self.by.len() {
            return Err(Failure::new("--by has a column twice; cuts of a column can be given in one list"));
        }
        let sizes: Vec<usize> = self.by.iter().map(|by| by.names().len()).collect();
        let all = sizes.iter().fold(1usize, |all, size| all.saturating_mul(*size));
        match all <= MAX_GROUPS {
            true => Ok(()),
            false => {
                let sizes = sizes.iter().map(usize::to_string).collect::<Vec<_>>().join(" times ");
                Err(Failure::new(format!(
                    "--by: {sizes} groups are {all}; accepted: at most {MAX_GROUPS} together"
                )))
            }
        }
    }

    /// The groups' names, those of several columns by the first one first.
    pub fn groups(&self) -> Vec<String> {
        let mut all: Option<Vec<String>> = None;
        for by in &self.by {
            let names = by.names();
            all = Some(match all {
                None => names,
                Some(before) => {
                    let both =
                        before.iter().flat_map(|first| names.iter().map(move |second| (first, second)));
                    both.map(|(first, second)| format!("{first}, {second}")).collect()
                }
            });
        }
        all.unwrap_or_else(|| vec!["all".into()])
    }

    /// The join that serves: that with the fewest bins.
    pub fn table<'f>(&self, file: &'f JoinedFile) -> &'f Table {
        file.joins.iter().min_by_key(|table| (table.bins, table.owner.clone())).expect("one at least")
    }

    /// Counts and sums by group of a part.
    pub fn shape(&self, part: &Part, bins: usize) -> GroupShape {
        part.shape(bins, self.groups().len(), self.least)
    }

    /// The columns that are added up over several sets of rows, by which cells are there: two sums tell that of the rows
    /// in one of the sets only, however few.
    pub fn added_up_twice(&self) -> Vec<&str> {
        let mut parts: BTreeMap<usize, (&str, usize)> = BTreeMap::new();
        for part in &self.parts {
            let numbers = part.series.iter().filter_map(|series| match series {
                Series::Numbers { of, .. } => Some((of.column, of.name.as_str())),
                _ => None,
            });
            // Each once, though it may be rounded in two ways, or named in two.
            for (column, name) in numbers.collect::<BTreeMap<_, _>>() {
                parts.entry(column).or_insert((name, 0)).1 += 1;
            }
        }
        parts.into_values().filter(|(_, parts)| *parts > 1).map(|(name, _)| name).collect()
    }

    /// The part of statistics of these columns.
    fn part(&mut self, of: &[&Number]) -> &mut Part {
        let optional = of.iter().filter(|of| of.optional).map(|of| (of.column, of.name.clone()));
        let present: Vec<(usize, String)> = optional.collect::<BTreeSet<_>>().into_iter().collect();
        let at = self.parts.iter().position(|part| part.present == present).unwrap_or_else(|| {
            self.parts.push(Part { present, ..Part::default() });
            self.parts.len() - 1
        });
        &mut self.parts[at]
    }

    fn sums(&mut self, asked: &Asked, file: &JoinedFile) -> Result<()> {
        let pairs = pairs(asked)?;
        // Of a share of epsilon, noise is as large as this many units.
        let room = asked.noise.map(|eps| {
            let optional = |name: &str| column(file, name).is_ok_and(|(_, column)| column.optional);
            let names = asked.sum.iter().chain(&asked.mean).map(String::as_str);
            let names = names.chain(pairs.iter().flat_map(|(_, pair)| *pair));
            let counts = 1 + names.filter(|name| optional(name)).count();
            let told = counts + asked.sum.len() + asked.mean.len() + 3 * pairs.len();
            18 + (eps / told as f64).log2().floor() as i32
        });
        for (mean, name) in asked.sum.iter().map(|n| (false, n)).chain(asked.mean.iter().map(|n| (true, n))) {
            let of = number(file, name)?;
            let cut = room.map_or(0, |room| (of.size() as i32 - room).clamp(0, 60) as u32);
            let name = if mean { format!("mean of {name}") } else { format!("sum of {name}") };
            self.text.push(name.clone());
            let part = self.part(&[&of]);
            let sum = part.add(Series::Numbers { of, cut });
            part.statistics.push(if mean {
                Statistic::Mean { name, sum }
            } else {
                Statistic::Sum { name, sum }
            });
        }
        for (name, columns) in pairs {
            let of = [number(file, columns[0])?, number(file, columns[1])?];
            let rows = (file.most().max(2) as f64).log2().ceil() as i32;
            let cuts = product_cuts(&of, room.unwrap_or(62 - rows));
            self.text.push(name.clone());
            let part = self.part(&[&of[0], &of[1]]);
            let sums = [0, 1].map(|i| part.add(Series::Numbers { of: of[i].clone(), cut: cuts[i] }));
            let products = part.add(Series::Products { of, cuts });
            part.statistics.push(Statistic::Covariance { name, sums, products });
        }
        Ok(())
    }

    fn orders(&mut self, asked: &Asked, file: &JoinedFile) -> Result<()> {
        let all = asked.min.len() + asked.max.len() + asked.median.len() + asked.quantile.len();
        if all > 0 && asked.noise.is_some() {
            return Err(Failure::new(
                "--min, --max, --median and --quantile cannot be combined with --noise: they show numbers of rows",
            ));
        }
        let ends =
            asked.min.iter().map(|name| (false, name)).chain(asked.max.iter().map(|name| (true, name)));
        for (largest, name) in ends {
            self.order(Order::End { largest, of: number(file, name)? });
        }
        for name in &asked.median {
            let of = number(file, name)?;
            self.order(Order::Rank { name: format!("median of {}", of.name), of, share: (1, 2) });
        }
        for text in &asked.quantile {
            let order = self.quantile(text, file)?;
            self.order(order);
        }
        Ok(())
    }

    fn order(&mut self, order: Order) {
        self.text.push(order.name());
        self.part(&[order.of()]).orders.push(order);
    }

    /// `COLUMN:Q` or `COLUMN:Q:CUTS`.
    fn quantile(&self, text: &str, file: &JoinedFile) -> Result<Order> {
        let usage = || {
            Failure::new(format!(
                "--quantile {text:?}: COLUMN:Q, as income:0.5, or COLUMN:Q:CUTS, as income:0.5:10,20,30; Q is a share of the \
                 rows, more than 0 and at most 1"
            ))
        };
        let cut = |text| named::cut(text, ':').map_err(Failure::new);
        let (rest, last) = cut(text)?.ok_or_else(usage)?;
        let fraction = |q: &str| {
            let share = share(q).ok_or_else(usage)?;
            share.map_err(|what| Failure::new(format!("--quantile {text:?}: {what}")))
        };
        if column(file, rest).is_ok() {
            let of = number(file, rest)?;
            return Ok(Order::Rank {
                name: format!("quantile {} of {}", last.trim(), of.name),
                of,
                share: fraction(last)?,
            });
        }
        let (name, q) = cut(rest)?.ok_or_else(|| match number(file, rest) {
            Err(failure) => failure,
            Ok(_) => usage(),
        })?;
        let (share, cuts) = (fraction(q)?, cuts(last, CUTS)?);
        let of = number(file, name)?;
        inside(&of, &cuts)?;
        let scaled = cuts.iter().map(|cut| of.scaled(*cut)).collect();
        let (bins, bits) = (self.table(file).bins, of.width());
        let quantile = Quantile { bins, bits, cuts: scaled, share, least: self.least };
        Ok(Order::Cut { name: format!("quantile {} of {}: below", q.trim(), of.name), of, cuts, quantile })
    }

    /// What noise does to results, in words.
    pub fn noise_words(&self) -> String {
        let moved: Vec<String> = self.parts.iter().flat_map(Part::noise_words).collect();
        format!("in 19 of 20 runs it moves {}; means and variances follow from these", moved.join(", "))
    }

    /// What is asked, in the same words at both parties.
    pub fn words(&self) -> String {
        let by = |by: &By| match by {
            By::Groups { name, .. } => name.clone(),
            By::Cuts { of, cuts } => format!("{} cuts of {}", cuts.len(), of.name),
        };
        let mut words = self.text.join(", ");
        if !self.by.is_empty() {
            words += &format!(" by {}", self.by.iter().map(by).collect::<Vec<_>>().join(" and "));
        }
        if !self.conditions.is_empty() {
            words += &format!(" where {}", self.condition_words());
        }
        words
    }

    /// The conditions.
    pub fn condition_words(&self) -> String {
        self.conditions.iter().map(|condition| condition.text.as_str()).collect::<Vec<_>>().join(" and ")
    }

    fn by_words(&self) -> String {
        let words = |by: &By| match by {
            By::Groups { name, groups, .. } => format!("of {name}: {}", groups.join(", ")),
            By::Cuts { of, cuts } => format!("of {} by {}", of.name, listed(cuts)),
        };
        let all = self.by.iter().map(words).collect::<Vec<_>>().join("; ");
        if all.is_empty() { "none".into() } else { all }
    }

    fn cuts_words(&self) -> String {
        let cuts = |order: &Order| match order {
            Order::Cut { of, cuts, .. } => Some(format!("of {} by {}", of.name, listed(cuts))),
            _ => None,
        };
        let all = self.parts.iter().flat_map(|part| part.orders.iter().filter_map(cuts));
        let all = all.collect::<Vec<_>>().join("; ");
        if all.is_empty() { "none".into() } else { all }
    }

    /// What the parties compare.
    pub fn fields(&self, file: &JoinedFile, role: Role) -> Agreed {
        let noise = self.noise.map_or("none".into(), |eps| format!("epsilon {eps}"));
        let conditions = self.condition_words();
        let all = [
            ("command", "stats".to_owned()),
            ("files", file.pairing(role)),
            ("what is asked", short(self.words())),
            ("conditions", short(if conditions.is_empty() { "none".into() } else { conditions })),
            ("groups", short(self.by_words())),
            ("cuts of quantiles", short(self.cuts_words())),
            ("least size", self.least.to_string()),
            ("noise", noise),
            ("digest of the question", self.terms().digest().to_hex()[..32].to_owned()),
        ];
        all.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
    }
}

/// Variances and covariances, with the names of both columns.
fn pairs(asked: &Asked) -> Result<Vec<(String, [&str; 2])>> {
    let variances =
        asked.variance.iter().map(|name| Ok((format!("variance of {name}"), [name.trim(), name.trim()])));
    let both = asked.covariance.iter().map(|text| match named::split(text, ',').map_err(Failure::new)?[..] {
        [a, b] => Ok((format!("covariance of {a} and {b}"), [a.trim(), b.trim()])),
        _ => Err(Failure::new(format!("--covariance {text:?}: two columns, as income,bills"))),
    });
    variances.chain(both).collect()
}

/// How many bits of two columns are rounded away so that their product has `most`: of the larger one first, then of both
/// alike.
fn product_cuts(of: &[Number; 2], most: i32) -> [u32; 2] {
    let sizes = of.each_ref().map(|of| of.size() as i32);
    let over = (sizes[0] + sizes[1] - most).max(0);
    let first = (sizes[0] - sizes[1]).clamp(-over, over);
    let rest = over - first.abs();
    let share = |extra: i32, odd: i32| (extra.max(0) + (rest + odd) / 2).clamp(0, 60) as u32;
    let cuts = [share(first, 1), share(-first, 0)];
    if of[0] == of[1] { [cuts[0].max(cuts[1]); 2] } else { cuts }
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

#[cfg(test)]
mod tests;
