//! `fss`: function secret sharing, by object: keys have a file, the paper's own keys another one, and so have the objects
//! that are operations.

mod asked;
mod both;
#[cfg(feature = "baselines")]
mod ggm;
mod keys;
mod operations;
#[cfg(feature = "baselines")]
mod payload;

use clap::ValueEnum;
use hushtable::{Role, bill::Bill, net::LinkShape};
use hushtable_columns::{failure::Result, memory::fits};
use hushtable_jobs::choice::Optimise;

#[cfg(not(feature = "baselines"))]
use crate::baseline::{absent as ggm, absent as payload};
use crate::{benchmark::Benchmark, lanes::Lanes};

pub use asked::FssWork;
use asked::{Index, Object};

impl Benchmark for FssWork {
    fn items(&self) -> usize {
        self.batch as usize
    }

    fn unit(&self) -> &'static str {
        match self.object {
            Object::Dpf | Object::Dcf | Object::GgmDpf | Object::GgmDcf => "key",
            Object::GgmEq
            | Object::Eq
            | Object::Cmp
            | Object::EqPayload
            | Object::CmpPayload
            | Object::Interval => "comparison",
            Object::PublicTable | Object::SecretTable => "lookup",
            Object::Trunc
            | Object::Digits
            | Object::Spline
            | Object::Sin
            | Object::Cos
            | Object::Sincos
            | Object::Tan => "value",
            Object::Proximity | Object::ProximityShared => "pair",
            Object::Fusion => "decision",
        }
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        let bill = self.bill()?;
        let each = 16 * bill.all_cots() + bill.kept / 8 + 64;
        fits(2 * each * u64::from(self.batch), &format!("both parties' {} objects", self.batch))
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        let bill = match self.is_key() || self.is_ggm() || self.is_payload() {
            true => self.bill().map(|bill| bill.times(items)),
            // All of it at once: some operations share material among items.
            false => operations::bill(self, items),
        };
        bill.expect("checked before the processes started").cots_of(role)
    }

    fn run(&self, lanes: Lanes) -> Result<()> {
        match self.is_key() {
            true => keys::run(self, lanes),
            false if self.is_ggm() => ggm::run(self, lanes),
            false if self.is_payload() => payload::run(self, lanes),
            false => operations::run(self, lanes),
        }
    }

    /// From the paper's own keys and gates to those of this library.
    fn plan(&mut self, _: &LinkShape, _: Optimise) -> Result<bool> {
        let papers = self.is_ggm() || self.is_payload();
        self.object = match self.object {
            Object::GgmDpf => Object::Dpf,
            Object::GgmDcf => Object::Dcf,
            Object::GgmEq | Object::EqPayload => Object::Eq,
            Object::CmpPayload => Object::Cmp,
            other => other,
        };
        if papers {
            self.additive = matches!(self.object, Object::Eq | Object::Cmp);
            self.index = Index::Additive;
        }
        Ok(papers)
    }

    fn is_baseline(&self) -> bool {
        let gate = matches!(self.object, Object::Trunc | Object::Digits | Object::Spline);
        let compares = matches!(self.object, Object::Eq | Object::Cmp | Object::Interval);
        self.is_ggm() || self.is_payload() || gate || compares && self.additive
    }

    fn protocol(&self) -> Option<String> {
        self.object.to_possible_value().map(|object| object.get_name().to_string())
    }
}

impl FssWork {
    /// What one of them costs.
    fn bill(&self) -> Result<Bill> {
        match self.is_key() {
            true => keys::bill(self),
            false if self.is_ggm() => ggm::bill(self),
            false if self.is_payload() => payload::bill(self),
            false => operations::bill(self, 1),
        }
    }
}
