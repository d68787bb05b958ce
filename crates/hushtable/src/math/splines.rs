//! Functions as polynomials over pieces of a domain: fitted, then evaluated.

mod fit;
pub(super) mod pieces;
pub(super) mod spline;
