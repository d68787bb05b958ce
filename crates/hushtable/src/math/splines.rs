//! Functions as polynomials over pieces of a domain: fitted, then evaluated.

mod fit;
pub(super) mod pieces;
mod poly;
pub(super) mod proof;
pub(super) mod spline;
