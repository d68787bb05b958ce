//! A file with one party's shares of a hidden join.

use std::{
    io::{self, Write},
    ops::Deref,
    path::Path,
};

use crate::join::{
    agree::Offer,
    column::{BITS, Column, Held},
};
use hushtable::{AShare, Role, gates::Bits};
use hushtable_columns::{
    self as columns, Ids, Style,
    failure::{Failure, Result},
    shares::{role_name, words},
};
use prim::wipe::Wiped;
use serde::{Deserialize, Serialize};

const VERSION: u32 = 1;

/// One party's shares of one or two joins of a session, with what is public about them. Not printable, wiped when
/// dropped.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JoinedFile {
    /// Version of this format.
    pub hushtable_joined: u32,
    /// The session in which both parties' files were made: both contributed to its random id.
    pub session: String,
    /// This party's role in that session.
    pub role: String,
    /// The sizes and columns of P0 and P1.
    pub tables: [Offer; 2],
    /// A join for each owner of rows.
    pub joins: Vec<Table>,
    /// Of this party's rows, where it owns those of a join. Never to be sent: it tells what the peer's rows are.
    pub owned: Option<Owned>,
    /// How results are written here, if it is not as usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    style: Option<Style>,
    /// A hash of all the rest, so that a damaged file is not taken for shares of something else.
    pub checksum: String,
}

/// A join with the rows of one party.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Table {
    /// Who owns the rows: P0 or P1.
    pub owner: String,
    pub bins: usize,
    /// XOR shares of the bits whether the row of a bin has a partner, 64 a word.
    pub matched: Shared,
    /// Of each column of P0, then of P1: of numbers additive shares mod 2^64, of groups XOR shares of a bit for each,
    /// 64 a word; of numbers that may be missing also XOR shares of a bit that says that one is there. All is 0 where
    /// nothing matches.
    pub shares: Vec<Shared>,
}

/// Words in a list.
#[derive(Serialize, Deserialize)]
#[serde(transparent)]
pub struct Shared(#[serde(with = "words")] Wiped<u64>);

/// What the owner of rows has.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Owned {
    /// What names the rows.
    pub ids: Ids,
    /// The row of each bin, counted from 1; 0 of an empty one.
    pub rows: Shared,
}

impl From<Wiped<u64>> for Shared {
    fn from(words: Wiped<u64>) -> Self {
        Self(words)
    }
}

impl Shared {
    pub fn of(words: &[u64]) -> Self {
        Self(Wiped::from(words.to_vec()))
    }

    /// As numbers.
    pub fn numbers(&self) -> AShare<u64> {
        AShare::new(BITS, self.0.to_vec())
    }

    /// As bits of so many bins.
    pub fn bits(&self, bins: usize) -> Bits {
        Bits::new(bins, self.0.to_vec())
    }
}

impl Deref for Shared {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        &self.0
    }
}

impl Table {
    pub fn new(owner: Role, bins: usize, matched: Shared, shares: Vec<Shared>) -> Self {
        Self { owner: role_name(owner).to_owned(), bins, matched, shares }
    }

    fn check(&self, columns: &[&Column]) -> std::result::Result<(), String> {
        let words = self.bins.div_ceil(64);
        let part = |held: Held| if held == Held::Bits { words } else { self.bins };
        let wanted: Vec<usize> = columns.iter().flat_map(|column| column.parts()).map(part).collect();
        let got: Vec<usize> = self.shares.iter().map(|shares| shares.len()).collect();
        let owner = self.owner == "P0" || self.owner == "P1";
        match owner && self.bins > 0 && self.matched.len() == words && wanted == got {
            true => Ok(()),
            false => Err("its shares do not match its columns".into()),
        }
    }
}

/// About how many bytes a file takes.
pub fn size(rows: usize, columns: &[Column]) -> u64 {
    // Both joins, and as many columns of the peer's.
    let words = columns.iter().flat_map(Column::parts).filter(|held| *held == Held::Words).count();
    let bits = columns.iter().map(|column| column.parts().len()).sum::<usize>() - words;
    let parts = 3 + 4 * (words + bits.div_ceil(64));
    (rows * 2 * 24 * parts / 2) as u64
}

impl JoinedFile {
    pub fn new(
        session: [u8; 32],
        role: Role,
        tables: [Offer; 2],
        joins: Vec<Table>,
        owned: Option<Owned>,
    ) -> Self {
        let file = Self {
            hushtable_joined: VERSION,
            session: blake3::Hash::from(session).to_hex().to_string(),
            role: role_name(role).to_owned(),
            tables,
            joins,
            owned,
            style: None,
            checksum: String::new(),
        };
        file.sealed()
    }

    /// The same where results are written so.
    pub fn written_as(self, style: Style) -> Self {
        Self { style: Some(style).filter(|style| !style.is_usual()), ..self }.sealed()
    }

    /// How results are written.
    pub fn style(&self) -> Style {
        self.style.clone().unwrap_or_default()
    }

    /// With the checksum that belongs to it.
    pub fn sealed(self) -> Self {
        Self { checksum: self.digest(), ..self }
    }

    /// The hash of everything but the checksum.
    fn digest(&self) -> String {
        let Self { hushtable_joined, session, role, tables, joins, owned, style, checksum: _ } = self;
        let mut hash = blake3::Hasher::new();
        let all = (hushtable_joined, session, role, tables, joins, owned, style);
        serde_json::to_writer(&mut hash, &all).expect("plain data");
        hash.finalize().to_hex().to_string()
    }

    /// Writes the file.
    pub fn write(&self, mut to: impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut to, self)?;
        writeln!(to)
    }

    /// The file at `path`.
    pub fn read(path: &Path) -> Result<Self> {
        let text = columns::read(path)?;
        Self::parse(&text).map_err(|what| {
            Failure::input(format!("{}: not a usable file of a join: {what}", path.display()))
        })
    }

    /// The file in `text`.
    pub fn parse(text: &[u8]) -> std::result::Result<Self, String> {
        #[derive(Deserialize)]
        struct Version {
            hushtable_joined: u32,
        }
        let Version { hushtable_joined } = serde_json::from_slice(text).map_err(|e| e.to_string())?;
        if hushtable_joined != VERSION {
            return Err(format!("format version {hushtable_joined}; this program reads version {VERSION}"));
        }
        let file: Self = serde_json::from_slice(text).map_err(|e| e.to_string())?;
        file.check().map(|()| file)
    }

    /// Everything the rest of the program relies on.
    fn check(&self) -> std::result::Result<(), String> {
        if self.role != "P0" && self.role != "P1" {
            return Err(format!("role {:?} is neither P0 nor P1", self.role));
        }
        if !self.style.as_ref().is_none_or(Style::is_usable) {
            return Err("no file is written with its delimiter and its decimal sign".into());
        }
        let columns: Vec<&Column> = self.columns().map(|(_, column)| column).collect();
        columns.iter().try_for_each(|column| column.check())?;
        self.joins.iter().try_for_each(|table| table.check(&columns))?;
        match &self.joins[..] {
            [_] => {}
            [first, second] if first.owner != second.owner => {}
            _ => return Err("one or two joins are expected, each with another owner of rows".into()),
        }
        let mine = self.joins.iter().find(|table| table.owner == self.role);
        let fits = match (&self.owned, mine) {
            (None, None) => true,
            (Some(owned), Some(table)) => {
                let most = owned.ids.len() as u64;
                owned.rows.len() == table.bins && owned.rows.iter().all(|&row| row <= most)
            }
            _ => false,
        };
        match fits {
            false => Err("its rows do not match its join".into()),
            true if self.checksum != self.digest() => {
                Err("its checksum is wrong: the file is damaged or was changed".into())
            }
            true => Ok(()),
        }
    }

    /// All columns, with the role of whose they are.
    pub fn columns(&self) -> impl Iterator<Item = (Role, &Column)> {
        let of = |role: Role| self.tables[role as usize].columns.iter().map(move |column| (role, column));
        of(Role::P0).chain(of(Role::P1))
    }

    /// Where the shares of a column begin, by its place among all.
    pub fn part(&self, column: usize) -> usize {
        self.columns().take(column).map(|(_, column)| column.parts().len()).sum()
    }

    /// The largest number of pairs of rows.
    pub fn most(&self) -> usize {
        self.tables.iter().map(|table| table.rows).min().unwrap_or_default()
    }

    /// What it is of, for people.
    pub fn words(&self) -> String {
        let [p0, p1] = &self.tables;
        let owners: Vec<&str> = self.joins.iter().map(|table| table.owner.as_str()).collect();
        format!("a join of {} and {} ids, with the rows of {}", p0.rows, p1.rows, owners.join(" and of "))
    }

    /// What the parties compare to be sure that their files belong together: the session, what is public about it, and
    /// whether the roles are those of that session or both swapped.
    pub fn pairing(&self, role: Role) -> String {
        let roles = if self.role == role_name(role) { "same roles" } else { "swapped roles" };
        let owners: Vec<(&str, usize)> =
            self.joins.iter().map(|table| (table.owner.as_str(), table.bins)).collect();
        let public = serde_json::to_vec(&(&self.tables, owners)).expect("plain data");
        let digest = blake3::hash(&public).to_hex();
        format!("join of session {}, {}, {roles}", self.session, &digest[..16])
    }

    /// The role now of the party that had `role` in the join.
    pub fn now(&self, role: &str, me: Role) -> Role {
        if role == self.role { me } else { me.peer() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> JoinedFile {
        let offer = |text: &str| Offer { rows: 2, columns: vec![Column::parse(text, 8).unwrap()] };
        let shares = |bins: usize| vec![Shared::of(&vec![7; bins]), Shared::of(&[1]), Shared::of(&[2])];
        let table = |owner, bins| Table::new(owner, bins, Shared::of(&[5]), shares(bins));
        let owned = Owned { ids: ["a", "b"].iter().collect(), rows: Shared::of(&[0, 2, 1]) };
        let tables = [offer("income"), offer("region:n|s")];
        JoinedFile::new([7; 32], Role::P0, tables, vec![table(Role::P0, 3), table(Role::P1, 4)], Some(owned))
    }

    fn text(file: &JoinedFile) -> String {
        let mut text = Vec::new();
        file.write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    #[test]
    fn comes_back_as_written() {
        let text = text(&sample());
        let read = JoinedFile::parse(text.as_bytes()).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(self::text(&read), text);
        assert_eq!((read.part(1), read.most()), (1, 2));
        for end in 1..text.len() - 2 {
            assert!(JoinedFile::parse(&text.as_bytes()[..end]).is_err(), "cut at {end}");
        }
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let text = text(&sample());
        for (from, to, want) in [
            ("\"hushtable_joined\":1", "\"hushtable_joined\":2", "format version 2"),
            ("\"role\":\"P0\"", "\"role\":\"P2\"", "neither P0 nor P1"),
            ("\"role\":\"P0\"", "\"role\":\"P1\"", "its rows do not match"),
            ("\"bins\":3", "\"bins\":4", "its shares do not match"),
            ("[7,7,7]", "[7,7,8]", "checksum is wrong"),
            ("[7,7,7]", "[7,7]", "its shares do not match"),
            ("[0,2,1]", "[0,3,1]", "its rows do not match"),
            ("[0,2,1]", "[0,1,2]", "checksum is wrong"),
            ("\"owner\":\"P1\"", "\"owner\":\"P0\"", "one or two"),
            ("[\"a\",\"b\"]", "[\"a\",\"c\"]", "checksum is wrong"),
            ("[\"n\",\"s\"]", "[\"n\",\"n\"]", "twice"),
            ("{", "{\"x\":1,", "unknown field"),
        ] {
            assert!(text.contains(from), "{from}");
            let got = JoinedFile::parse(text.replacen(from, to, 1).as_bytes()).err().unwrap_or_default();
            assert!(got.contains(want), "{from} -> {to}: {got}");
        }
    }

    #[test]
    fn both_files_must_be_of_one_session() {
        let (p0, mut p1) = (sample(), sample());
        p1.role = "P1".into();
        assert_eq!(p0.pairing(Role::P0), p1.pairing(Role::P1));
        assert_eq!(p0.pairing(Role::P1), p1.pairing(Role::P0), "the listening party may change");
        assert_ne!(p1.pairing(Role::P0), p1.pairing(Role::P1), "twice the same file");
        let other = JoinedFile { session: "other".into(), ..sample() };
        assert_ne!(p0.pairing(Role::P0), other.pairing(Role::P0));
        let mut other = sample();
        other.tables[1].rows = 3;
        assert_ne!(p0.pairing(Role::P0), other.pairing(Role::P0));
        assert_eq!((p1.now("P1", Role::P0), p1.now("P0", Role::P0)), (Role::P0, Role::P1));
    }
}
