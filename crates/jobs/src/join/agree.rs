//! What both parties of a join must have alike, and what each tells the other of its table.

use std::collections::BTreeSet;

use crate::{
    cost::Phases,
    count::some,
    join::{asked::Shown, column::Column, rows::Rows, tell},
    meeting::Agreed,
};
use apps::{ids::Rules, join, psi};
use hushtable::{Party, Role, run::Reveal};
use hushtable_columns::{
    failure::{Cause, Failure, Result},
    manner,
    shares::role_name,
    terminal::{self, within_a_line},
};
use serde::{Deserialize, Serialize};

/// Longest offer in bytes.
const LONGEST: usize = 1 << 20;

/// Most columns of a party.
const COLUMNS: usize = 256;

/// What both must ask alike.
pub struct Ask {
    pub reveal: Shown,
    /// Whose rows a hidden join has, or who learns common ids.
    pub who: Reveal,
    /// Of each column of the id.
    pub forms: Vec<Rules>,
    /// Whether the parties tell each other how most of their ids look.
    pub told: bool,
    /// Most ids that the peer may have; this party's own rule.
    pub peer_at_most: Option<usize>,
}

/// What a party tells of its table.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Offer {
    /// Ids, or a bound on their number.
    pub rows: usize,
    pub columns: Vec<Column>,
}

/// Most ids of a party.
pub fn most(reveal: Shown) -> usize {
    if reveal == Shown::Ids { psi::MAX_IDS } else { join::MAX_ROWS }
}

impl Ask {
    /// What is shown to whom, in a few words.
    pub fn shown(&self) -> String {
        match self.reveal {
            Shown::None => "none".into(),
            Shown::Ids => format!("common ids to {}", self.who.name()),
            Shown::Count => "the number of common ids to both".into(),
        }
    }

    /// Whether this party gets rows of its file.
    pub fn shows_rows_to(&self, role: Role) -> bool {
        self.reveal == Shown::Ids && self.who.reaches(role)
    }

    /// What the parties compare.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        let mut fields = vec![("command", "join".to_owned()), ("what is revealed", self.shown())];
        if self.reveal == Shown::None {
            fields.push(("owner of the rows", self.who.name().to_owned()));
        }
        fields.push(("columns of an id", self.forms.len().to_string()));
        fields.extend(self.forms.iter().map(|rules| ("form of ids", rules.normal_form())));
        fields.push(tell::field(self.told));
        fields
    }

    /// Compares it, and swaps offers, of these rows here: those of P0 and of P1, and what was agreed on.
    pub fn agree(&self, p: &mut Party, offer: Offer, rows: &Rows) -> Result<([Offer; 2], Agreed)> {
        let fields = self.fields();
        p.agree(&fields)?;
        let theirs = swap(p, &offer)?;
        let malformed = |what: String| {
            Failure::Reported(Cause::Peer, format!("malformed message from the peer: its table: {what}"))
        };
        theirs.check(self.reveal).map_err(malformed)?;
        eprintln!("the peer joins {}", theirs.words());
        accept(theirs.rows, offer.rows, self.peer_at_most)?;
        if self.told {
            tell::tell(p, rows)?;
        }
        let offers = match p.role() {
            Role::P0 => [offer, theirs],
            Role::P1 => [theirs, offer],
        };
        let mut agreed: Agreed = fields.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        for (role, offer) in ["P0", "P1"].into_iter().zip(&offers) {
            agreed.push((format!("table of {role}"), offer.words()));
        }
        Ok((offers, agreed))
    }
}

/// How many times the ids here the peer's may be without a word, if `--peer-at-most` is not given.
const MANY: usize = 16;

/// Refuses a peer with more ids than `--peer-at-most`; warns of one that makes the work much larger, if that is not
/// given.
pub fn accept(theirs: usize, ours: usize, most: Option<usize>) -> Result<()> {
    if most.is_none() && theirs / MANY > ours {
        eprintln!(
            "warning: the peer joins up to {}, and this party {ours}: the work grows with both. --peer-at-most N \
             refuses a peer with more than N",
            some(theirs, "id")
        );
    }
    match most {
        Some(most) if theirs > most => Err(Failure::Refused(format!(
            "the peer joins up to {}, and --peer-at-most is {most}: nothing was computed",
            some(theirs, "id")
        ))),
        _ => Ok(()),
    }
}

impl Offer {
    /// For people, and for both parties in the same words.
    pub fn words(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(Column::to_string).collect();
        let with = if columns.is_empty() { String::new() } else { format!(", with {}", columns.join(", ")) };
        format!("up to {}{with}", some(self.rows, "id"))
    }

    fn check(&self, reveal: Shown) -> std::result::Result<(), String> {
        let most = most(reveal);
        if !(1..=most).contains(&self.rows) {
            return Err(format!("{} rows; accepted: 1 to {most}", self.rows));
        }
        if self.columns.len() > COLUMNS || (reveal != Shown::None && !self.columns.is_empty()) {
            return Err(format!("{} columns", self.columns.len()));
        }
        self.columns.iter().try_for_each(Column::check)?;
        let names: BTreeSet<&str> = self.columns.iter().map(|column| column.name.as_str()).collect();
        match names.len() == self.columns.len() {
            true => Ok(()),
            false => Err("a name of a column occurs twice".into()),
        }
    }
}

/// Sends an offer and takes the peer's.
fn swap(p: &mut Party, offer: &Offer) -> Result<Offer> {
    let malformed =
        |what: String| Failure::Reported(Cause::Peer, format!("malformed message from the peer: {what}"));
    let mine = serde_json::to_vec(offer).expect("plain data");
    if mine.len() > LONGEST {
        return Err(Failure::new(format!("names of columns and groups take more than {LONGEST} bytes")));
    }
    let length = p.exchange((mine.len() as u64).to_le_bytes().to_vec(), 8)?;
    let length = u64::from_le_bytes(length.try_into().expect("8 bytes"));
    if length > LONGEST as u64 {
        return Err(malformed(format!("a description of {length} bytes")));
    }
    let theirs = p.exchange(mine, length as usize)?;
    serde_json::from_slice(&theirs).map_err(|e| {
        // The complaint may quote what the peer sent.
        let text: String = within_a_line(&e.to_string()).chars().take(200).collect();
        malformed(format!("its table: {text}"))
    })
}

/// What `--json` prints.
#[derive(Serialize)]
struct Line<'a> {
    kind: &'a str,
    role: &'a str,
    /// Ids of P0 and P1, or bounds on them.
    rows: [usize; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    common: Option<u64>,
    #[serde(flatten)]
    phases: Phases,
}

/// Prints the number of common ids, if it is known, and as JSON the cost too.
pub fn report(role: Role, rows: [usize; 2], common: Option<u64>, phases: &Phases) -> Result<()> {
    match (manner::is_json(), common) {
        (true, _) => {
            terminal::json(&Line { kind: "join", role: role_name(role), rows, common, phases: *phases })
        }
        (false, Some(common)) => terminal::print(&format!("{}\n", some(common as usize, "common id"))),
        (false, None) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_peer_can_say_is_checked() {
        let fine = Offer { rows: 5, columns: vec![Column::parse("a:5", 8).unwrap()] };
        fine.check(Shown::None).unwrap();
        assert!(fine.check(Shown::Count).is_err() && fine.check(Shown::Ids).is_err());
        for rows in [0, usize::MAX, join::MAX_ROWS + 1] {
            assert!(Offer { rows, ..fine.clone() }.check(Shown::None).is_err());
        }
        let many = Offer { columns: vec![fine.columns[0].clone(); COLUMNS + 1], ..fine.clone() };
        assert!(many.check(Shown::None).is_err());
        let twice = Offer { columns: vec![fine.columns[0].clone(); 2], ..fine.clone() };
        assert!(twice.check(Shown::None).unwrap_err().contains("twice"));
        let mut bad = fine;
        for name in ["a\u{1b}[2J", "a\u{202e}b", "a\u{200b}", "a\u{2028}b", "p0.a", "p1.a"] {
            bad.columns[0].name = name.into();
            assert!(bad.check(Shown::None).is_err(), "{name:?}");
        }
        for name in
            ["p0", "p2.a", "\u{e5}r", "a\u{308}", "net\u{a0}income", "\u{6536}\u{5165}", "a\\b", "\"a\""]
        {
            bad.columns[0].name = name.into();
            assert!(bad.check(Shown::None).is_ok(), "{name:?}");
        }
        accept(5, 1, None).unwrap();
        accept(5, 1, Some(5)).unwrap();
        assert!(accept(6, 1, Some(5)).is_err());
    }
}
