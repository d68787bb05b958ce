//! What names the rows of a file.

use std::{
    fmt,
    hash::{BuildHasher, RandomState},
};

use prim::wipe::Wiped;
use serde::{
    Deserialize, Deserializer, Serialize, Serializer,
    de::{DeserializeSeed, SeqAccess, Visitor},
};

/// The names of rows in their order, in one text that is wiped when it is dropped.
#[derive(Default)]
pub struct Ids {
    text: Wiped<u8>,
    /// Where each name ends.
    ends: Wiped<u64>,
}

impl Ids {
    pub fn push(&mut self, name: &str) {
        self.text.extend_from_slice(name.as_bytes());
        self.ends.extend_from_slice(&[self.text.len() as u64]);
    }

    pub fn len(&self) -> usize {
        self.ends.len()
    }

    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// Of all names together.
    pub fn bytes(&self) -> usize {
        self.text.len()
    }

    pub fn get(&self, row: usize) -> Option<&str> {
        let end = *self.ends.get(row)?;
        let start = row.checked_sub(1).map_or(0, |before| self.ends[before]);
        let name = &self.text[start as usize..end as usize];
        Some(str::from_utf8(name).expect("names are put in as text"))
    }

    /// Two rows of one name, the first ones of those that there are.
    pub fn twice(&self) -> Option<[usize; 2]> {
        let keys = RandomState::new();
        let mut hashed: Vec<(u64, usize)> =
            self.iter().enumerate().map(|(row, name)| (keys.hash_one(name), row)).collect();
        hashed.sort_unstable();
        let same = |pair: &[(u64, usize)]| {
            let [a, b] = [pair[0].1, pair[1].1];
            (pair[0].0 == pair[1].0 && self.get(a) == self.get(b)).then_some([a, b])
        };
        hashed.windows(2).filter_map(same).min_by_key(|rows| rows[1])
    }

    pub fn iter(&self) -> impl Iterator<Item = &str> {
        (0..self.len()).map_while(|row| self.get(row))
    }
}

/// Says how many: names are a party's own.
impl fmt::Debug for Ids {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Ids({})", self.len())
    }
}

impl<S: AsRef<str>> FromIterator<S> for Ids {
    fn from_iter<I: IntoIterator<Item = S>>(names: I) -> Self {
        let mut all = Self::default();
        names.into_iter().for_each(|name| all.push(name.as_ref()));
        all
    }
}

/// As a list of texts.
impl Serialize for Ids {
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.iter())
    }
}

/// Each name goes from where it is read into the text, without a copy of its own.
impl<'de> Deserialize<'de> for Ids {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct List;
        impl<'de> Visitor<'de> for List {
            type Value = Ids;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of names")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Ids, A::Error> {
                let mut ids = Ids::default();
                while list.next_element_seed(Next(&mut ids))?.is_some() {}
                Ok(ids)
            }
        }
        from.deserialize_seq(List)
    }
}

/// Takes the next name of a list.
struct Next<'a>(&'a mut Ids);

impl<'de> DeserializeSeed<'de> for Next<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_str(self)
    }
}

impl Visitor<'_> for Next<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }

    fn visit_str<E>(self, name: &str) -> Result<(), E> {
        self.0.push(name);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_occur_twice() {
        let twice = |names: &[&str]| names.iter().collect::<Ids>().twice();
        assert_eq!((twice(&[]), twice(&["a"]), twice(&["a", "b", "ab", ""])), (None, None, None));
        assert_eq!(twice(&["a", "c", "b", "c", "a", "b", "a"]), Some([1, 3]));
    }

    #[test]
    fn names_are_told_apart() {
        for names in [&[][..], &[""], &["a"], &["", "b", "", "ce", "\u{fc}\"\\"]] {
            let ids: Ids = names.iter().collect();
            assert_eq!(ids.iter().collect::<Vec<_>>(), names);
            assert_eq!((ids.len(), ids.is_empty()), (names.len(), names.is_empty()));
            assert_eq!(ids.bytes(), names.concat().len());
            assert_eq!((ids.get(0), ids.get(names.len())), (names.first().copied(), None));
            // As the list that it is.
            let json = serde_json::to_string(&ids).unwrap();
            assert_eq!(json, serde_json::to_string(names).unwrap());
            let again: Ids = serde_json::from_str(&json).unwrap();
            assert_eq!(again.iter().collect::<Vec<_>>(), names);
        }
        assert!(serde_json::from_str::<Ids>("[\"a\",1]").is_err());
        assert_eq!(format!("{:?}", ["Ada"].iter().collect::<Ids>()), "Ids(1)");
    }
}
