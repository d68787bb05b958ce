//! Which of a batch's circuits are garbled.

/// How each part of the circuits is evaluated: by layers of ANDs, in many rounds of few bytes, or garbled by the server,
/// in two. Public, the same at both parties.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Rounds {
    /// Of each of [`PARTS`] whether it is garbled.
    pub(super) garbled: [bool; 4],
}

/// Names of the parts: three networks, and last the function that makes ids.
const PARTS: [&str; 4] = ["deduplication", "decoding", "expansion", "ids"];

impl Rounds {
    /// All of them by layers.
    pub const MANY: Self = Self { garbled: [false; 4] };
    /// All of them garbled.
    pub const FEW: Self = Self { garbled: [true; 4] };

    /// Those parts garbled that are named: `deduplication`, `ids`, `decoding`, `expansion`.
    pub fn garbling(names: &[impl AsRef<str>]) -> Self {
        Self { garbled: PARTS.map(|part| names.iter().any(|name| name.as_ref() == part)) }
    }

    /// The names of the parts that are garbled.
    pub fn garbled(&self) -> Vec<&'static str> {
        PARTS.into_iter().zip(self.garbled).filter(|part| part.1).map(|part| part.0).collect()
    }

    /// Whether the function that makes ids is garbled.
    pub(super) fn garbles_ids(&self) -> bool {
        self.garbled[3]
    }
}
