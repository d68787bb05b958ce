//! Public facts about work: names and values in one encoding, the same at both parties and in every version.
//!
//! The shapes of stores and the digests of intervals and bands are made of them and not of `Debug` text, so that a field
//! that gets another name here changes nothing there. What else parties compare are fields: names, and values as people
//! read them.

/// A digest of public parameters.
pub use blake3::Hash as Digest;

use std::fmt;

/// A value. Two that differ have different bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A whole number, or 0 or 1 for no and yes.
    Number(i128),
    /// A word or a name.
    Text(String),
    /// A digest, or what has no other form.
    Bytes(Vec<u8>),
    /// Several, in order.
    List(Vec<Value>),
    /// Facts about a part.
    Terms(Terms),
}

/// What something is, and facts about it in the order in which they were said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Terms {
    kind: &'static str,
    facts: Vec<(&'static str, Value)>,
}

impl Terms {
    /// Of a kind, and nothing else so far.
    pub fn of(kind: &'static str) -> Self {
        Self { kind, facts: Vec::new() }
    }

    /// With one fact more.
    #[must_use]
    pub fn with(mut self, name: &'static str, value: impl Into<Value>) -> Self {
        self.facts.push((name, value.into()));
        self
    }

    /// What it is.
    pub fn kind(&self) -> &'static str {
        self.kind
    }

    /// The names of the facts, and their values as people read them.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        self.facts.iter().map(|(name, value)| (*name, value.to_string())).collect()
    }

    /// The facts, in order.
    pub fn facts(&self) -> &[(&'static str, Value)] {
        &self.facts
    }

    /// The encoding of kind, names and values, one behind the other.
    pub fn bytes(&self) -> Vec<u8> {
        let mut to = Vec::new();
        put(&mut to, TEXT, self.kind.as_bytes());
        for (name, value) in &self.facts {
            put(&mut to, TEXT, name.as_bytes());
            value.encode(&mut to);
        }
        to
    }

    /// BLAKE3 of the [bytes](Self::bytes).
    pub fn digest(&self) -> Digest {
        let mut hash = blake3::Hasher::new_derive_key("hushtable 2026 terms");
        hash.update(&self.bytes());
        hash.finalize()
    }
}

const NUMBER: u8 = 0;
const TEXT: u8 = 1;
const BYTES: u8 = 2;
const LIST: u8 = 3;
const TERMS: u8 = 4;

impl Value {
    /// The value as people read it: what the parties compare as text, and errors show.
    pub fn text(value: impl Into<Self>) -> String {
        value.into().to_string()
    }

    fn encode(&self, to: &mut Vec<u8>) {
        match self {
            Self::Number(number) => put(to, NUMBER, &number.to_le_bytes()),
            Self::Text(text) => put(to, TEXT, text.as_bytes()),
            Self::Bytes(bytes) => put(to, BYTES, bytes),
            Self::List(values) => {
                let mut all = Vec::new();
                values.iter().for_each(|value| value.encode(&mut all));
                put(to, LIST, &all);
            }
            Self::Terms(terms) => put(to, TERMS, &terms.bytes()),
        }
    }
}

/// A tag, the length in 8 bytes, the content.
fn put(to: &mut Vec<u8>, tag: u8, content: &[u8]) {
    to.push(tag);
    to.extend((content.len() as u64).to_le_bytes());
    to.extend(content);
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Number(number) => number.fmt(f),
            Self::Text(text) => f.write_str(text),
            Self::Bytes(bytes) => bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}")),
            Self::List(values) => {
                let texts: Vec<String> = values.iter().map(Self::to_string).collect();
                write!(f, "[{}]", texts.join(", "))
            }
            Self::Terms(terms) => write!(f, "({terms})"),
        }
    }
}

/// For people: two that differ in texts alone may read the same.
impl fmt::Display for Terms {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.kind)?;
        self.facts.iter().try_for_each(|(name, value)| write!(f, "; {name} {value}"))
    }
}

impl From<bool> for Value {
    fn from(yes: bool) -> Self {
        Self::Number(yes.into())
    }
}

impl From<u32> for Value {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl From<u64> for Value {
    fn from(number: u64) -> Self {
        Self::Number(number.into())
    }
}

impl From<usize> for Value {
    fn from(number: usize) -> Self {
        Self::Number(number as i128)
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Number(number.into())
    }
}

/// Digits by which it is read back.
impl From<f64> for Value {
    fn from(number: f64) -> Self {
        let usual = number == 0.0 || (1e-6..1e16).contains(&number.abs());
        Self::Text(if usual { number.to_string() } else { format!("{number:e}") })
    }
}

/// Nothing is told from every number, and from every name that is not this word.
impl<T: Into<Value>> From<Option<T>> for Value {
    fn from(value: Option<T>) -> Self {
        value.map_or_else(|| "none".into(), T::into)
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<Terms> for Value {
    fn from(terms: Terms) -> Self {
        Self::Terms(terms)
    }
}

impl<T: Clone + Into<Value>> From<&[T]> for Value {
    fn from(values: &[T]) -> Self {
        Self::List(values.iter().cloned().map(T::into).collect())
    }
}
