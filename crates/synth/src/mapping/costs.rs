//! What a mapping weighs.

/// What parts of a form cost, in whatever unit.
pub struct Costs<'a> {
    /// A lookup with so many inputs and outputs.
    pub lookup: &'a dyn Fn(u32, u32) -> f64,
    /// An AND.
    pub and: f64,
}
