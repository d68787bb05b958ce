//! The first row in which two lists of names differ.
//!
//! # Functionality
//! In: each party's list. Out, to both: the least row whose names differ, or which only one list has; nothing if the
//! lists are equal. The names themselves are not sent.
//!
//! # Protocol
//! 1. Both send how long their list is. Let m be the lesser length.
//! 2. Both send a digest of their first m names. If they are equal, row m is the answer, or there is none.
//! 3. Else a bisection: some first rows are known to agree, some to differ; both send the digest of the rows up to the
//!    middle, until one row is left.
//!
//! The digests are keyed with the session's id: those of two sessions cannot be compared.
//!
//! What shows: the row. **Who has the rows before it, and both have, can test guesses of the peer's name in that row**
//! against the digest that ends there; and of some rows behind it, all together, against longer ones.
//!
//! # Cost
//! 2 rounds, and `ceil(log2 m)` more if the lists differ in the first m rows.
//!
//! # Source
//! Folklore.

use super::channel::Channel;
use crate::error::{Error, Result};

/// What the digests' key is derived for.
const CONTEXT: &str = "hushtable 2026-11 digests of the first rows";

/// A digest of some first rows, which can be continued.
#[derive(Clone)]
struct Prefix<'a> {
    names: &'a [&'a str],
    rows: usize,
    hash: blake3::Hasher,
}

impl<'a> Prefix<'a> {
    fn new(session: &[u8; 32], names: &'a [&'a str]) -> Self {
        let key = blake3::derive_key(CONTEXT, session);
        Self { names, rows: 0, hash: blake3::Hasher::new_keyed(&key) }
    }

    /// Of the first `rows`, which are no fewer.
    fn up_to(&self, rows: usize) -> Self {
        let mut longer = self.clone();
        for name in &self.names[self.rows..rows] {
            longer.hash.update(&(name.len() as u64).to_le_bytes());
            longer.hash.update(name.as_bytes());
        }
        longer.rows = rows;
        longer
    }

    /// Whether the peer's first rows are these.
    fn is_common(&self, channel: &mut Channel) -> Result<bool> {
        let mine = self.hash.finalize();
        Ok(channel.exchange(mine.as_bytes().to_vec(), blake3::OUT_LEN)? == mine.as_bytes())
    }
}

/// The first row in which `names` differ from the peer's.
pub(super) fn first(channel: &mut Channel, session: &[u8; 32], names: &[&str]) -> Result<Option<usize>> {
    let mine = (names.len() as u64).to_le_bytes();
    let theirs = channel.exchange(mine.to_vec(), mine.len())?;
    let theirs = u64::from_le_bytes(theirs.try_into().expect("as long as ours"));
    let theirs = usize::try_from(theirs).map_err(|_| Error::Peer(format!("a list of {theirs} rows")))?;
    let shorter = names.len().min(theirs);
    let mut common = Prefix::new(session, names);
    if common.up_to(shorter).is_common(channel)? {
        return Ok((names.len() != theirs).then_some(shorter));
    }
    let mut differs = shorter;
    while differs - common.rows > 1 {
        let middle = common.up_to(common.rows.midpoint(differs));
        if middle.is_common(channel)? {
            common = middle;
        } else {
            differs = middle.rows;
        }
    }
    Ok(Some(common.rows))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Connection, Cost};

    /// What both parties find, and what it takes.
    fn found(p0: &[String], p1: &[String]) -> [(Option<usize>, Cost); 2] {
        let (mut c0, mut c1) = Connection::pair();
        let find = |c: &mut Connection, names: &[String]| {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let found = c.first_difference(&names).expect("a peer that answers");
            (found, c.channel().take_cost())
        };
        std::thread::scope(|scope| {
            let other = scope.spawn(|| find(&mut c1, p1));
            [find(&mut c0, p0), other.join().expect("no panic")]
        })
    }

    fn names(text: &str) -> Vec<String> {
        text.chars().map(String::from).collect()
    }

    #[test]
    fn every_row_is_found() {
        for rows in 0..20usize {
            let same: Vec<String> = (0..rows).map(|i| format!("c{i}")).collect();
            assert!(found(&same, &same).iter().all(|(row, cost)| row.is_none() && cost.rounds == 2));
            for at in 0..rows {
                let mut other = same.clone();
                other[at] = "other".into();
                // Whatever follows.
                other[at + 1..].reverse();
                let bits = rows.next_power_of_two().ilog2();
                for (row, cost) in found(&same, &other) {
                    assert_eq!(row, Some(at), "of {rows}");
                    assert!(cost.rounds <= 2 + bits, "{cost:?} for {rows}");
                }
                assert_eq!(found(&same, &same[..at]).map(|(row, _)| row), [Some(at); 2], "a shorter list");
            }
        }
    }

    #[test]
    fn names_do_not_run_into_each_other() {
        let joined = ["ab", "c"].map(String::from);
        assert_eq!(found(&joined, &["a", "bc"].map(String::from))[0].0, Some(0));
        assert_eq!(found(&joined, &names("abc"))[0].0, Some(0));
        assert_eq!(found(&names("abcd"), &names("abdc"))[1].0, Some(2));
    }

    #[test]
    fn sessions_have_digests_of_their_own() {
        let names = names("abc");
        let digest = |session| Prefix::new(&[session; 32], &names).up_to(2).hash.finalize();
        assert_ne!(digest(1), digest(2));
        assert_eq!(digest(1), Prefix::new(&[1; 32], &names).up_to(1).up_to(2).hash.finalize());
        let mut other = blake3::Hasher::new_keyed(&[1; 32]);
        for name in &names[..2] {
            other.update(&1u64.to_le_bytes()).update(name.as_bytes());
        }
        assert_ne!(digest(1), other.finalize(), "a key for nothing else");
    }
}
