//! Baselines that are operations.

use std::sync::Arc;

use hushtable::operation::Operation;
use hushtable_baselines::{dfss, ndss, rotl::ByRotation};
use hushtable_columns::failure::Result;

use super::Baseline;

impl Baseline {
    /// What runs it.
    pub fn operation(self) -> Result<Arc<dyn Operation>> {
        Ok(match self {
            Self::Rotl { bits, digit } => Arc::new(ByRotation { bits, digit }),
            Self::Intervals { bits, intervals } => Arc::new(dfss::AdditiveIntervals { bits, intervals }),
            Self::Reduction { bits, cut } => Arc::new(dfss::Reduction { bits, cut }),
            Self::Digits { bits, digit } => Arc::new(dfss::Digits { bits, digit }),
            Self::Codes(of) => Arc::new(ndss::ByCodes::new(of)?),
            Self::Spline { bits, ring, degree, coefficients } => {
                let job = dfss::PiecewiseJob { bits, ring, degree };
                Arc::new(dfss::Spline { job, coefficients: Arc::new(coefficients) })
            }
        })
    }
}
