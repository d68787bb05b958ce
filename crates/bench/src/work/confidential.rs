//! `confidential`: lookups of shared keys in a private table of the listening party.

mod asked;
mod copy;
#[cfg(feature = "baselines")]
mod fable;
#[cfg(feature = "baselines")]
mod scan;
mod splut;
mod thin;

use hushtable::{
    Role,
    bill::Objective,
    confidential::planner::{self, Asked},
    net::LinkShape,
    plan::{self, Machine, Wanted},
};
use hushtable_columns::{
    failure::{Failure, Result},
    memory::fits,
};

#[cfg(not(feature = "baselines"))]
use crate::baseline::{absent as fable, absent as scan};
use crate::{benchmark::Benchmark, lanes::Lanes};

pub use asked::ConfidentialWork;
use asked::{Design, Places};

impl Benchmark for ConfidentialWork {
    fn items(&self) -> usize {
        self.lookups()
    }

    fn unit(&self) -> &'static str {
        "lookup"
    }

    fn prepare(&mut self, link: &LinkShape, _: usize) -> Result<()> {
        if self.key_bits < 64 && self.rows as u64 > 1 << self.key_bits {
            let Self { rows, key_bits, .. } = self;
            return Err(Failure::local(format!(
                "--rows {rows}: there are 2^{key_bits} keys of --key-bits {key_bits}"
            )));
        }
        if self.distinct && self.batch > self.rows / 2 {
            let (most, Self { rows, batch, .. }) = (self.rows / 2, self);
            return Err(Failure::local(format!(
                "--batch {batch} --distinct: accepted with --rows {rows}: 1 to {most}"
            )));
        }
        if self.design == Design::Auto {
            self.choose(link)?;
        }
        if self.steps && self.design != Design::Fable {
            return Err(Failure::local("--steps: accepted with --design fable, whose steps they are"));
        }
        if self.rounds.is_some() && !matches!(self.design, Design::Fable | Design::B) {
            return Err(Failure::local("--rounds: accepted with --design fable and b"));
        }
        match self.design {
            Design::Auto => unreachable!("one was chosen"),
            Design::A => fits(copy::memory(self)?, "tables of both parties"),
            Design::B => {
                thin::choose(self, link)?;
                fits(thin::memory(self)?, "tables of both parties")
            }
            Design::Splut => fits(splut::memory(self)?, "tables and messages of both parties"),
            Design::Fable => {
                fable::choose(self, link)?;
                fits(fable::memory(self)?, "tables and ciphertexts of both parties")
            }
            Design::Scan => fits(scan::memory(self)?, "memories of both parties"),
        }
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        match self.design {
            Design::Auto => unreachable!("one was chosen"),
            Design::A => copy::cots(self, role, items),
            Design::B => thin::cots(self, role, items),
            Design::Splut => splut::cots(self, role, items),
            Design::Fable => fable::cots(self, role, items),
            Design::Scan => scan::cots(self, role, items),
        }
    }

    fn protocol(&self) -> Option<String> {
        let name = match self.design {
            Design::Auto => return None,
            Design::A => "copy",
            Design::B => "ids",
            Design::Splut => "sp-lut",
            Design::Fable => "fable",
            Design::Scan => "floram-read",
        };
        Some(name.into())
    }

    fn is_baseline(&self) -> bool {
        matches!(self.design, Design::Fable | Design::Scan)
    }

    fn every_processor(&self) -> bool {
        self.design == Design::Fable
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        match self.design {
            Design::Auto => unreachable!("one was chosen"),
            Design::A => copy::run(self, lanes),
            Design::B => thin::run(self, lanes),
            Design::Splut => splut::run(self, lanes),
            Design::Fable => fable::run(self, lanes),
            Design::Scan => scan::run(self, lanes),
        }
    }
}

impl ConfidentialWork {
    /// The design, and where the rows stand, of the least predicted time with this function.
    fn choose(&mut self, link: &LinkShape) -> Result<()> {
        let asked = Asked::new(Role::P0, self.rows as u64, self.key_bits, self.value_bits)
            .batch(self.batch)
            .distinct(self.distinct);
        let wanted = Wanted::new(Objective::Total, *link, Machine::REFERENCE);
        let all = plan::rank(planner::ways(&asked, &wanted)?, &wanted);
        let chosen = all.iter().find_map(|prediction| match prediction.way {
            planner::Design::Copy(cipher, form) if cipher == self.cipher() => Some((Design::A, form)),
            planner::Design::Thin(cipher, form) if cipher == self.cipher() => Some((Design::B, form)),
            planner::Design::SpLut => Some((Design::Splut, planner::Form::Dense)),
            // Of the other function.
            _ => None,
        });
        let (design, form) = chosen.ok_or_else(|| Failure::local("no design serves such a table"))?;
        let full = self.key_bits < 64 && self.rows as u64 == 1 << self.key_bits;
        let places = match form {
            planner::Form::Sparse => Places::Sparse,
            planner::Form::Dense if full => Places::All,
            planner::Form::Dense => Places::Dense,
        };
        (self.design, self.places) = (design, places);
        Ok(())
    }
}
