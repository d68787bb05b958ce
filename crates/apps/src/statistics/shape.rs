//! What is asked of groups, with the noise on it: an epsilon shared out among counts and sums, and the room that it takes.

use hushtable::{
    Error, Result,
    arith::{CompareDomain, CompareJob, Objective},
    chance::{Chance, MOST},
};

use super::{count::COUNT, noise::Laplace};

/// Largest least size. No more bins can be counted, so that comparisons with it do not wrap around.
pub const MAX_LEAST: u32 = 1 << 30;

/// Most groups.
pub const MAX_GROUPS: usize = 64;

/// Public, the same at both parties.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupShape {
    /// Bins of the join.
    pub bins: usize,
    /// Groups, at most [`MAX_GROUPS`].
    pub groups: usize,
    /// Widths of the columns to be summed, at least one. One of 1 bit is of zeros: no signed sum fits it.
    pub widths: Vec<u32>,
    /// The least number of members of a group that is told of, at most [`MAX_LEAST`]; only with 0 also of those without
    /// members. With noise it is compared with the noisy number.
    pub least: u32,
    /// What each party adds before anything is compared or opened.
    pub noise: Option<GroupNoise>,
}

impl GroupShape {
    /// `Ok(())` if this can be asked.
    ///
    /// # Errors
    /// [`Error::Param`] for more than [`MAX_GROUPS`] or none, for no bins or more than [`MAX_LEAST`], for a least size above
    /// it, unless there is noise for each column or for none, and for noise that might leave a width, with the width that
    /// would do.
    pub fn check(&self) -> Result<()> {
        if !(1..=MAX_GROUPS).contains(&self.groups) {
            return Err(refused("groups", self.groups, format!("1 to {MAX_GROUPS}")));
        }
        if !(1..=MAX_LEAST as usize).contains(&self.bins) {
            return Err(refused("bins of groups", self.bins, format!("1 to {MAX_LEAST}")));
        }
        check_least(self.least)?;
        match &self.noise {
            Some(noise) if noise.sums.len() != self.widths.len() => {
                let accepted = format!("{}, one for each", self.widths.len());
                Err(refused("noises for columns", noise.sums.len(), accepted))
            }
            Some(noise) => noise.check_room(self),
            None => Ok(()),
        }
    }

    /// The comparison of counts with the least size.
    pub(super) fn compare(&self) -> Result<Option<CompareJob>> {
        let job = || CompareJob::new(COUNT, CompareDomain::Near, Objective::Total);
        (self.least > 1).then(job).transpose()
    }
}

/// Noise on what is told of groups. The epsilons of counts and of all columns add up.
#[derive(Clone, Debug, PartialEq)]
pub struct GroupNoise {
    /// On the counts. A row changes the count of its group by 1.
    pub counts: Laplace,
    /// On the sums, one for each column: a row changes a sum by up to the largest absolute value of the column.
    pub sums: Vec<Laplace>,
}

impl GroupNoise {
    /// `epsilon` of all together, in equal parts for the counts and for each column that tells something. `reach` is the
    /// largest absolute value of a row in each column; 0 in a column of zeros, which takes no part.
    ///
    /// # Errors
    /// [`Error::Param`] unless epsilon is a number above 0, and those of [`Laplace::new`].
    pub fn split(epsilon: f64, reach: &[f64]) -> Result<Self> {
        if !(epsilon > 0.0 && epsilon.is_finite()) {
            return Err(refused("noise", epsilon, "an epsilon of more than 0".into()));
        }
        let telling = reach.iter().filter(|reach| **reach != 0.0).count();
        let each = epsilon / (1 + telling) as f64;
        let of = |&reach: &f64| if reach == 0.0 { Laplace::new(1.0, 1.0) } else { Laplace::new(each, reach) };
        Ok(Self { counts: Laplace::new(each, 1.0)?, sums: reach.iter().map(of).collect::<Result<_>>()? })
    }

    /// That noise takes a count or a sum of any group out of its width.
    pub(super) fn chance(&self, shape: &GroupShape) -> Chance {
        let groups = shape.groups as f64;
        let wraps = |p: f64| Chance::of("numbers that noise takes out of their width", groups * p, 0);
        let sums = self.sums.iter().zip(&shape.widths).filter(|(noise, width)| told(noise, **width));
        let sums =
            sums.map(|(noise, &width)| wraps(leaves(noise, width, shape.bins as f64 * noise.sensitivity())));
        // A count is compared with the least size too: their difference must fit.
        let counts = leaves(&self.counts, COUNT, shape.bins.max(shape.least as usize) as f64);
        sums.chain([wraps(counts)]).sum()
    }

    /// `Ok(())` unless that has more than [`MOST`].
    ///
    /// # Errors
    /// [`Error::Param`] with the width that would do for the first column that is too narrow.
    fn check_room(&self, shape: &GroupShape) -> Result<()> {
        if self.chance(shape).sum() <= MOST {
            return Ok(());
        }
        // Each number may have its part of what all may.
        let each = MOST / (shape.groups * (1 + shape.widths.len())) as f64;
        for (noise, &width) in
            self.sums.iter().zip(&shape.widths).filter(|(noise, width)| told(noise, **width))
        {
            let reach = shape.bins as f64 * noise.sensitivity();
            if leaves(noise, width, reach) <= each {
                continue;
            }
            let what_would_do = match (width..=64).find(|&width| leaves(noise, width, reach) <= each) {
                Some(bits) => format!("{bits} bits or more"),
                None => "smaller numbers or fewer of them: no width holds these".into(),
            };
            let got = format!(
                "{width} bits, for {} numbers of up to {} and noise of epsilon {}",
                shape.bins,
                noise.sensitivity(),
                noise.epsilon()
            );
            let accepted = format!("{what_would_do}, or a larger epsilon");
            return Err(Error::Param { what: "width of a sum with noise", got, accepted });
        }
        self.chance(shape).check()
    }
}

/// Whether a column tells something: not one of zeros, which has 1 bit and the noise of [`GroupNoise::split`].
fn told(noise: &Laplace, width: u32) -> bool {
    width > 1 || noise.sensitivity() > 1.0
}

/// The probability that a number of `width` bits with a sign, which is up to `reach` in absolute value, does not fit with
/// the noise of both parties. It is never said to be 0.
fn leaves(noise: &Laplace, width: u32, reach: f64) -> f64 {
    let room = 2f64.powi(width as i32 - 1) - reach;
    if room < 1.0 { 1.0 } else { noise.beyond(room).clamp(f64::MIN_POSITIVE, 1.0) }
}

pub(super) fn check_least(least: u32) -> Result<()> {
    if least > MAX_LEAST {
        return Err(refused("least size", least, format!("0 to {MAX_LEAST}")));
    }
    Ok(())
}

fn refused(what: &'static str, got: impl ToString, accepted: String) -> Error {
    Error::Param { what, got: got.to_string(), accepted }
}
