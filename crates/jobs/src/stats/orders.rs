//! The largest and the smallest number of a group, and quantiles.

use crate::{
    digits::Digits,
    join::named::Number,
    stats::{
        groups::{Answering, numbers},
        question::{
            Question,
            part::{Order, Part},
        },
    },
    took::Took,
};
use apps::statistics::{End, Extreme, Group, MAX_GROUPS, OrderDigit};
use hushtable::{
    Party, Role,
    bill::Bill,
    operation::{Operation, ToAdditive, ToXor, Words},
    ot::Setting,
    run::{self, Reveal},
};
use hushtable_columns::failure::Result;
use prim::ring::low;

/// What was found of a group.
pub struct Found {
    /// Among the groups that are shown.
    pub group: usize,
    /// Among the orders of the part.
    pub order: usize,
    pub value: Option<f64>,
    /// Of a quantile among cuts: it lies at the last cut or above.
    pub above: bool,
}

/// The numbers of a group at `share` of the way from the least, of so many: the rank below, and how far it is to the next.
fn rank((a, b): (u32, u32), count: u64) -> (u64, f64) {
    let (at, whole) = ((count - 1) * u64::from(a), u64::from(b));
    (at / whole, (at % whole) as f64 / whole as f64)
}

/// Between two numbers as they are shown, in as many digits as a sum of such has.
fn between(low: f64, high: f64, part: f64) -> f64 {
    let value = low + (high - low) * part;
    format!("{value:.14e}").parse().unwrap_or(value)
}

/// Bits of an unsigned number in an order.
fn bits(of: &Number) -> u32 {
    of.size() + 2
}

/// The largest number or the smallest.
fn extreme(largest: bool, of: &Number, bins: usize) -> Extreme {
    let end = if largest { End::Greatest } else { End::Least };
    Extreme { end, bits: of.width(), bins }
}

/// Shares of numbers by rank as numbers.
fn opening(of: &Number) -> ToAdditive {
    ToAdditive { bits: [bits(of), bits(of) + 1], signed: false, fraction: 0 }
}

/// The columns of a part whose numbers are searched, each once.
fn searched(part: &Part) -> Vec<&Number> {
    let mut all: Vec<&Number> = Vec::new();
    for order in &part.orders {
        if let Order::Rank { of, .. } = order
            && !all.contains(&of)
        {
            all.push(of);
        }
    }
    all
}

/// At most what it costs: if all groups are shown.
pub fn bill(question: &Question, bins: usize, under: &Setting) -> Result<Bill> {
    let groups = question.groups().len();
    let bill = |operation: &dyn Operation, items, reveal| run::bill(operation, items, 1, reveal, under);
    let mut all = Bill::FREE;
    for part in &question.parts {
        for order in &part.orders {
            let one = match order {
                Order::End { largest, of } => bill(&extreme(*largest, of, bins), 1, Reveal::Both)?,
                Order::Cut { quantile, .. } => bill(quantile, 1, Reveal::Both)?,
                Order::Rank { .. } => continue,
            };
            all = all + one.times(groups);
        }
        for of in searched(part) {
            let asked = |order: &&Order| matches!(order, Order::Rank { of: other, .. } if other == of);
            let searches = 2 * groups * part.orders.iter().filter(asked).count();
            all = all + bill(&ToXor { bits: bits(of), fraction: 0 }, bins, Reveal::Nobody)?;
            for at in (0..searches).step_by(MAX_GROUPS) {
                let searches = (searches - at).min(MAX_GROUPS);
                let digit = bill(&OrderDigit { bins, searches }, 1, Reveal::Nobody)?;
                all = all + digit.times(bits(of) as usize) + bill(&opening(of), searches, Reveal::Both)?;
            }
        }
    }
    Ok(all)
}

impl Answering<'_> {
    /// All of a part, of the groups that are shown, if they have members.
    pub fn orders(
        &self,
        part: &Part,
        members: &Words,
        shown: &[Group],
        p: &mut Party,
        took: &mut Took,
    ) -> Result<Vec<Found>> {
        let mut all = Vec::new();
        for group in shown.iter().filter(|group| group.count > 0) {
            let bit = |word: &u64| word >> group.group & 1;
            let of_group = Words::new(members.iter().map(bit).collect());
            for (at, order) in part.orders.iter().enumerate() {
                let column = numbers(order.of(), self.file, self.table);
                let (value, above) = match order {
                    Order::Rank { .. } => continue,
                    Order::End { largest, of } => {
                        let end = extreme(*largest, of, self.table.bins);
                        let opened = took.values(p, &end, &[&of_group, &column])?;
                        (
                            opened
                                .first()
                                .and_then(|words| words.first())
                                .map(|word| shown_number(of, *word)),
                            false,
                        )
                    }
                    Order::Cut { cuts, quantile, .. } => {
                        let opened = took.values(p, quantile, &[&of_group, &column])?;
                        let cut = opened.first().and_then(|reached| quantile.cut(reached));
                        // As it was asked for.
                        let place = cut.and_then(|cut| quantile.cuts.iter().position(|word| *word == cut));
                        (place.map(|place| cuts[place]), place.is_none())
                    }
                };
                all.push(Found { group: group.group, order: at, value, above });
            }
        }
        for of in searched(part) {
            let wanted: Vec<(usize, usize, u64, f64)> = shown
                .iter()
                .filter(|group| group.count > 0)
                .flat_map(|group| {
                    part.orders.iter().enumerate().filter_map(move |(at, order)| match order {
                        Order::Rank { of: other, share, .. } if other == of => {
                            let (rank, rest) = rank(*share, group.count as u64);
                            Some((group.group, at, rank, rest))
                        }
                        _ => None,
                    })
                })
                .collect();
            let next = |&(group, _, rank, rest): &(usize, usize, u64, f64)| {
                (rest > 0.0).then_some((group, rank + 1))
            };
            let ranks: Vec<(usize, u64)> =
                wanted.iter().flat_map(|one| [(one.0, one.2)].into_iter().chain(next(one))).collect();
            let mut numbers = self.by_rank(of, &ranks, members, p, took)?.into_iter();
            for (group, order, _, rest) in wanted {
                let low = numbers.next();
                let value = match rest > 0.0 {
                    false => low,
                    true => low.zip(numbers.next()).map(|(low, high)| between(low, high, rest)),
                };
                all.push(Found { group, order, value, above: false });
            }
        }
        Ok(all)
    }

    /// The numbers of groups with these ranks, from 0, each below the number of members.
    fn by_rank(
        &self,
        of: &Number,
        ranks: &[(usize, u64)],
        members: &Words,
        p: &mut Party,
        took: &mut Took,
    ) -> Result<Vec<f64>> {
        if ranks.is_empty() {
            return Ok(vec![]);
        }
        let (bins, width, first) = (self.table.bins, bits(of), p.role() == Role::P0);
        // So that none is negative.
        let half = 1u64 << (width - 1);
        let mut column = numbers(of, self.file, self.table);
        let moved = if first { half } else { 0 };
        column.iter_mut().for_each(|word| *word = low(word.wrapping_add(moved), width));
        let digits = took.shares(p, &ToXor { bits: width, fraction: 0 }, &[&column])?;
        let mut all = Vec::with_capacity(ranks.len());
        for ranks in ranks.chunks(MAX_GROUPS) {
            let step = OrderDigit { bins, searches: ranks.len() };
            let of_searches = |word: &u64| {
                ranks
                    .iter()
                    .enumerate()
                    .map(|(i, (group, _))| (word >> group & 1) << i)
                    .fold(0, |all, bit| all | bit)
            };
            let mut candidates = Words::new(members.iter().map(of_searches).collect());
            let mut rank = Words::new(ranks.iter().map(|(_, rank)| if first { *rank } else { 0 }).collect());
            let mut found = Words::new(vec![0; ranks.len()]);
            for at in (0..width).rev() {
                let digit = Words::new(digits.iter().map(|word| word >> at & 1).collect());
                let mut left = took.columns(p, &step, &[&candidates, &digit, &rank])?.into_iter();
                let mut next = || left.next().expect("three columns");
                (candidates, rank) = (next(), next());
                found.iter_mut().zip(next().iter()).for_each(|(word, bit)| *word |= bit << at);
            }
            let opened = took.values(p, &opening(of), &[&found])?;
            let word = |word: &i64| shown_number(of, word - half as i64);
            all.extend(opened.first().into_iter().flatten().map(word));
        }
        Ok(all)
    }
}

/// A word as it is shown.
fn shown_number(of: &Number, word: i64) -> f64 {
    Digits::of_number(of.fraction_bits).shown(of.number(word as f64))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As NumPy's default has it: h = (n - 1) q.
    #[test]
    fn quantiles_lie_between_ranks() {
        let numbers = [1.0, 2.0, 4.0, 8.0];
        for ((a, b), want) in [
            ((1, 2), 3.0),
            ((1, 4), 1.75),
            ((1, 1), 8.0),
            ((1, 3), 2.0),
            ((9, 10), 6.8),
            ((1, 65536), 1.0 + 3.0 / 65536.0),
        ] {
            let (at, rest) = rank((a, b), 4);
            let low = numbers[at as usize];
            let value = if rest > 0.0 { between(low, numbers[at as usize + 1], rest) } else { low };
            assert!((value - want).abs() < 1e-12, "{a}/{b}: {value}, not {want}");
        }
        assert_eq!(rank((1, 2), 1), (0, 0.0));
        assert_eq!(between(0.1, 0.3, 0.5), 0.2);
    }
}
