//! What a caller says besides the source.

use logic::Kind;

/// How a design becomes a circuit.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The circuit's name, where it is not that of the top module.
    pub name: Option<String>,
    /// What ports mean, where it is not a number with or without a sign.
    pub kinds: Vec<(String, Kind)>,
    /// Values for parameters of the top module.
    pub parameters: Vec<(String, i64)>,
    /// Tables of constants become lookups, and not gates.
    pub lookups: bool,
}

impl Options {
    /// The same with a port that means this.
    #[must_use]
    pub fn kind(mut self, port: &str, kind: Kind) -> Self {
        self.kinds.push((port.into(), kind));
        self
    }

    /// The same with a value for a parameter of the top module.
    #[must_use]
    pub fn parameter(mut self, name: &str, value: i64) -> Self {
        self.parameters.push((name.into(), value));
        self
    }
}
