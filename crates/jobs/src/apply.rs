//! The job of a step, or of a command line, that `apply` is asked for.

pub mod ask;
pub mod joined;
pub mod options;

use std::path::Path;

use hushtable_columns::{Dialect, failure::Result};

use crate::{
    apply::options::{Apply, Rowing},
    decision::Through,
    earlier::Earlier,
    evaluate,
    job::Job,
    link::Link,
    options::refuse,
};

impl Apply {
    /// The job of a step that these arguments say: connected by `link`, from files that are written in `csv`.
    pub fn of_step(
        mut self,
        (link, csv): (&Link, &Dialect),
        calibration: Option<&Path>,
        earlier: &[Earlier],
        through: Option<Through>,
    ) -> Result<Job> {
        let Rowing { joined, default } = &self.rowing;
        refuse(
            "cannot be combined with a step of a job",
            [("--joined", joined.is_some()), ("--default", default.is_some())],
        )?;
        (self.link, self.csv, self.earlier) = (link.clone(), csv.clone(), earlier.to_vec());
        self.through = through;
        self.choosing.calibration = calibration.map(Path::to_owned);
        let mut job = ask::job(&self, false)?;
        job.choosing = self.choosing;
        Ok(job)
    }

    /// The function of such a step, if thresholds can be seen through it: of numbers of columns, or of results of the
    /// earlier step that `from` are.
    pub fn sees_through(&self, from: Option<&Earlier>) -> Result<Option<Through>> {
        match self.function() {
            Some(function) if self.looks_up(false) => {
                let domain = self.how.domain.unwrap_or(function.domain());
                Ok(Through::looked_up(function, domain))
            }
            Some(function) => {
                let format = from.map(|from| [from.shares.bits, from.shares.fraction_bits]);
                let bits = format.map(|format| format[0]).or(self.how.bits);
                let fraction_bits = format.map_or(self.how.function_bits(), |format| format[1]);
                let wanted = self.how.wanted(bits, fraction_bits, true, self.choosing.optimise.into());
                // One that cannot be evaluated is complained of where it is.
                let made = evaluate::evaluation(function, wanted).ok();
                Ok(made.and_then(|made| Through::of(function, &made.card(), self.how.bits.is_some())))
            }
            None => Ok(None),
        }
    }
}
