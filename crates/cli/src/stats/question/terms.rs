//! A question as facts, of which the parties compare a digest.

use super::{Question, Series, Statistic};
use apps::statistics::Quantile;
use hushtable::terms::{Terms, Value};
use hushtable_jobs::join::named::{By, Number};

impl Question {
    /// All of it, but for the least size.
    pub(super) fn terms(&self) -> Terms {
        let series = self.series.iter().map(|series| of_series(series).into()).collect();
        let statistics = self.statistics.iter().map(|statistic| of_statistic(statistic).into()).collect();
        let end = |(largest, of): &(bool, Number)| {
            Terms::of("end").with("largest", *largest).with("of", column(of))
        };
        // With the cuts as they were asked for, which are shown.
        let quantile = |(of, _, cuts, quantile): &(Number, String, Vec<f64>, Quantile)| {
            let (part, whole) = quantile.share;
            Terms::of("quantile")
                .with("of", column(of))
                .with("asked", &cuts[..])
                .with("bits", quantile.bits)
                .with("cuts", &quantile.cuts[..])
                .with("share", &[part, whole][..])
                .with("least", quantile.least)
        };
        Terms::of("question")
            .with("by", by(&self.by))
            .with("series", Value::List(series))
            .with("statistics", Value::List(statistics))
            .with("ends", Value::List(self.ends.iter().map(|one| end(one).into()).collect()))
            .with("quantiles", Value::List(self.quantiles.iter().map(|one| quantile(one).into()).collect()))
            .with("noise", self.noise)
    }
}

fn column(of: &Number) -> Terms {
    Terms::of("column")
        .with("place", of.column)
        .with("name", &of.name[..])
        .with("limit", of.limit)
        .with("fraction bits", of.fraction_bits)
}

fn by(by: &By) -> Terms {
    match by {
        By::All => Terms::of("all"),
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
