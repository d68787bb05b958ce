//! A question as facts, of which the parties compare a digest.

use super::{
    Question,
    part::{Order, Part, Series, Statistic},
};
use crate::join::{
    condition::{Condition, Wanted},
    named::{By, Number},
};
use hushtable::terms::{Terms, Value};

impl Question {
    /// All of it, but for the least size.
    pub(super) fn terms(&self) -> Terms {
        Terms::of("question")
            .with("by", Value::List(self.by.iter().map(|one| by(one).into()).collect()))
            .with(
                "conditions",
                Value::List(self.conditions.iter().map(|one| condition(one).into()).collect()),
            )
            .with("parts", Value::List(self.parts.iter().map(|one| part(one).into()).collect()))
            .with("noise", self.noise)
    }
}

fn part(part: &Part) -> Terms {
    let present: Vec<usize> = part.present.iter().map(|(place, _)| *place).collect();
    Terms::of("part")
        .with("present", &present[..])
        .with("series", Value::List(part.series.iter().map(|one| of_series(one).into()).collect()))
        .with("statistics", Value::List(part.statistics.iter().map(|one| of_statistic(one).into()).collect()))
        .with("orders", Value::List(part.orders.iter().map(|one| order(one).into()).collect()))
}

fn order(order: &Order) -> Terms {
    match order {
        Order::End { largest, of } => Terms::of("end").with("largest", *largest).with("of", column(of)),
        Order::Rank { of, share: (part, whole), .. } => {
            Terms::of("rank").with("of", column(of)).with("share", &[*part, *whole][..])
        }
        // With the cuts as they were asked for, which are shown.
        Order::Cut { of, cuts, quantile, .. } => {
            let (part, whole) = quantile.share;
            Terms::of("quantile")
                .with("of", column(of))
                .with("asked", &cuts[..])
                .with("bits", quantile.bits)
                .with("cuts", &quantile.cuts[..])
                .with("share", &[part, whole][..])
                .with("least", quantile.least)
        }
    }
}

fn condition(condition: &Condition) -> Terms {
    match &condition.what {
        Wanted::Groups { column, groups } => {
            Terms::of("groups wanted").with("place", *column).with("groups", *groups)
        }
        Wanted::Pieces { of, cuts, pieces } => {
            Terms::of("pieces wanted").with("of", column(of)).with("cuts", &cuts[..]).with("pieces", *pieces)
        }
    }
}

fn column(of: &Number) -> Terms {
    Terms::of("column")
        .with("place", of.column)
        .with("name", &of.name[..])
        .with("limit", of.limit)
        .with("fraction bits", of.fraction_bits)
        .with("optional", of.optional)
}

fn by(by: &By) -> Terms {
    match by {
        By::Groups { column, name, groups } => {
            let groups = groups.iter().map(|group| group[..].into()).collect();
            Terms::of("groups")
                .with("place", *column)
                .with("name", &name[..])
                .with("groups", Value::List(groups))
        }
        By::Cuts { of, cuts } => Terms::of("cuts").with("of", column(of)).with("cuts", &cuts[..]),
    }
}

fn of_series(series: &Series) -> Terms {
    match series {
        Series::Nothing => Terms::of("nothing"),
        Series::Numbers { of, cut } => Terms::of("numbers").with("of", column(of)).with("cut", *cut),
        Series::Products { of, cuts } => Terms::of("products")
            .with("of", Value::List(of.iter().map(|of| column(of).into()).collect()))
            .with("cuts", &cuts[..]),
    }
}

fn of_statistic(statistic: &Statistic) -> Terms {
    match statistic {
        Statistic::Sum { name, sum } => Terms::of("sum").with("name", &name[..]).with("sum", *sum),
        Statistic::Mean { name, sum } => Terms::of("mean").with("name", &name[..]).with("sum", *sum),
        Statistic::Covariance { name, sums, products } => Terms::of("covariance")
            .with("name", &name[..])
            .with("sums", &sums[..])
            .with("products", *products),
    }
}
