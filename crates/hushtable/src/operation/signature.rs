//! What goes into an operation and what comes out of it: columns of words, of which an item has as many in each.

use crate::{
    error::{Error, Result, same},
    net::Role,
    share::Sharing,
    terms::Value,
};

/// The columns of an operation. Public, the same at both parties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// What it takes, in order.
    pub takes: Vec<Port>,
    /// What it gives, in order: one column or more.
    pub gives: Vec<Port>,
}

/// A column that an operation takes or gives, in words of 64 bits. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Port {
    /// What is in it, in a word.
    pub name: &'static str,
    /// How many words an item has: the numbers of a row, the entries of a matrix. All that is cut, into lanes, batches
    /// or pieces of a store, is cut between items.
    pub words: usize,
    /// Who holds what of it.
    pub held: Held,
    /// Width of a word, 1 to 64; bits above it do not count.
    pub bits: u32,
    /// Bits behind the point.
    pub fraction: u32,
    /// The least and the greatest value, times `2^fraction`; `None` where that is not known.
    pub range: Option<[i64; 2]>,
    /// Of a column that is given: an item may have fewer words, as a list does.
    pub fewer: bool,
    /// Of a column that is given: which other one has a bit for each word, 0 where the word must not be opened. When
    /// results are opened these bits are, to both parties; words whose bit is 0 stay shared.
    pub guard: Option<usize>,
    /// Of a column that is given: the one party to whom it may be opened, as to another its order would tell something.
    pub only: Option<Role>,
}

/// Who holds what of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Held {
    /// Both parties have shares.
    Shared(Sharing),
    /// Each party has words of its own.
    Own,
    /// One party has all of it, the other nothing.
    Known(Role),
}

impl Signature {
    /// Takes these columns and gives one.
    pub fn new(takes: impl Into<Vec<Port>>, gives: Port) -> Self {
        Self { takes: takes.into(), gives: vec![gives] }
    }

    /// How many items these words are of, at the party `role`: an operand for each column it takes, empty where the peer
    /// alone has it. What takes nothing is one item.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many operands as columns, all of them with the words of as many whole items.
    pub fn items(&self, role: Role, operands: &[&[u64]]) -> Result<usize> {
        same("operands", self.takes.len(), operands.len())?;
        let mut found = self.takes.is_empty().then_some(1);
        for (port, words) in self.takes.iter().zip(operands) {
            let items = match (port.words_at(role), found) {
                (0, found) => found.unwrap_or(0),
                (_, None) => *found.insert(port.items(words.len())?),
                (_, Some(items)) => items,
            };
            same("words of an operand", items * port.words_at(role), words.len())?;
        }
        Ok(found.unwrap_or(0))
    }
}

impl Port {
    /// A word an item, additive shares of `bits` bits.
    pub const fn additive(name: &'static str, bits: u32) -> Self {
        Self::shared(name, Sharing::Additive, bits)
    }

    /// A word an item, of `bits` bits that are shared by XOR.
    pub const fn xor(name: &'static str, bits: u32) -> Self {
        Self::shared(name, Sharing::Xor, bits)
    }

    /// A bit an item, shared by XOR.
    pub const fn bit(name: &'static str) -> Self {
        Self { range: Some([0, 1]), ..Self::xor(name, 1) }
    }

    /// A word an item, shared in one of the two ways.
    pub const fn shared(name: &'static str, sharing: Sharing, bits: u32) -> Self {
        let held = Held::Shared(sharing);
        Self { name, words: 1, held, bits, fraction: 0, range: None, fewer: false, guard: None, only: None }
    }

    /// Words of 64 bits that one party has.
    pub const fn known(name: &'static str, to: Role) -> Self {
        Self { held: Held::Known(to), ..Self::additive(name, 64) }
    }

    /// Words of 64 bits of each party's own, as many an item as `most` or fewer.
    pub const fn list(name: &'static str, most: usize) -> Self {
        Self { held: Held::Own, words: most, fewer: true, ..Self::additive(name, 64) }
    }

    /// The same with so many words an item.
    #[must_use]
    pub const fn of(self, words: usize) -> Self {
        Self { words, ..self }
    }

    /// The same with so many bits behind the point.
    #[must_use]
    pub const fn scaled(self, fraction: u32) -> Self {
        Self { fraction, ..self }
    }

    /// The same, of which only words are opened that have a 1 in the column with this number.
    #[must_use]
    pub const fn guarded(self, by: usize) -> Self {
        Self { guard: Some(by), ..self }
    }

    /// The same, which may be opened to this party and to no other.
    #[must_use]
    pub const fn only(self, to: Role) -> Self {
        Self { only: Some(to), ..self }
    }

    /// The same with values in this range.
    #[must_use]
    pub const fn within(self, range: Option<[i64; 2]>) -> Self {
        Self { range, ..self }
    }

    /// Whether its values are numbers in two's complement; else they are bits, 0 and 1.
    pub fn signed(&self) -> bool {
        self.bits > 1 || self.range != Some([0, 1])
    }

    /// The values of these words: numbers in two's complement, or bits.
    pub fn values<'a>(&self, words: &'a [u64]) -> impl Iterator<Item = i64> + use<'a> {
        let unused = if self.signed() { 64 - self.bits } else { 0 };
        words.iter().map(move |word| (word << unused) as i64 >> unused)
    }

    /// How it is shared; `None` if it is not.
    pub fn sharing(&self) -> Option<Sharing> {
        match self.held {
            Held::Shared(sharing) => Some(sharing),
            Held::Own | Held::Known(_) => None,
        }
    }

    /// How many items so many words are.
    ///
    /// # Errors
    /// [`Error::Shape`] unless they are whole ones.
    pub fn items(&self, words: usize) -> Result<usize> {
        let each = self.words.max(1);
        match words.is_multiple_of(each) {
            true => Ok(words / each),
            false => Err(Error::Shape {
                what: "words of whole items",
                want: words.next_multiple_of(each),
                got: words,
            }),
        }
    }

    /// `Ok(())` if these can be the words of so many items at the party `role`.
    pub(crate) fn check(&self, role: Role, items: usize, words: usize) -> Result<()> {
        let most = items * self.words_at(role);
        same("words of a result", if self.fewer { most.min(words) } else { most }, words)
    }

    /// Words of an item at the party `role`.
    pub fn words_at(&self, role: Role) -> usize {
        match self.held {
            Held::Known(known_to) if known_to != role => 0,
            _ => self.words,
        }
    }
}

/// In the words of what the parties compare.
impl From<&Port> for Value {
    fn from(port: &Port) -> Self {
        let held = match port.held {
            Held::Shared(sharing) => Value::text(sharing),
            Held::Own => "each party's own".into(),
            Held::Known(role) => format!("known to {role}"),
        };
        let Port { name, words, bits, fraction, range: _, fewer, guard, only, .. } = *port;
        let mut text = format!("{name}: {words} words of {bits} bits, {fraction} behind the point, {held}");
        if fewer {
            text += ", or fewer";
        }
        if let Some(guard) = guard {
            text += &format!(", guarded by column {guard}");
        }
        if let Some(only) = only {
            text += &format!(", for {only} only");
        }
        Self::Text(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_are_whole_and_as_many_in_each_column() {
        let own = Port { held: Held::Known(Role::P1), ..Port::additive("own", 64).of(2) };
        let takes = vec![own, Port::additive("rows", 8).of(3), Port::bit("bits")];
        let signature = Signature::new(takes, Port::bit("out"));
        let items = |role, words: &[usize]| {
            let all: Vec<Vec<u64>> = words.iter().map(|&len| vec![0; len]).collect();
            let all: Vec<&[u64]> = all.iter().map(Vec::as_slice).collect();
            signature.items(role, &all).ok()
        };
        assert_eq!(items(Role::P0, &[0, 6, 2]), Some(2));
        assert_eq!(items(Role::P1, &[4, 6, 2]), Some(2));
        assert_eq!(items(Role::P0, &[0, 0, 0]), Some(0));
        for wrong in [&[4, 6, 2][..], &[0, 6], &[0, 6, 2, 0], &[0, 5, 2], &[0, 6, 3], &[0, 0, 1]] {
            assert_eq!(items(Role::P0, wrong), None, "{wrong:?}");
        }
        assert_eq!(items(Role::P1, &[0, 6, 2]), None);
        assert_eq!(Signature::new([], Port::list("rows", 9)).items(Role::P0, &[]).ok(), Some(1));
    }
}
