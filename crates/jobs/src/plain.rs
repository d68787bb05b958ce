//! Names and sentences that a lawyer understands.

use hushtable::{Role, net::Peer, run::Reveal};
use hushtable_columns::failure::Result;

use crate::link::Link;

/// What both parties are called.
pub struct Names {
    me: Role,
    pub here: String,
    pub peer: String,
}

impl Names {
    /// By their identities.
    pub fn of(link: &Link) -> Result<Self> {
        let names = link.ends()?.map(|ends| ends.map(|Peer { name, .. }| quoted(&name)));
        let [here, peer] = names.unwrap_or_else(|| ["this party".into(), "whoever takes part there".into()]);
        Ok(Self { me: link.role(), here, peer })
    }

    /// The party with this role.
    pub fn party(&self, role: Role) -> &str {
        if role == self.me { &self.here } else { &self.peer }
    }

    /// Who learns `what`.
    pub fn learns(&self, reveal: Reveal, what: &str) -> String {
        match reveal {
            Reveal::Both => format!("Both learn {what}."),
            Reveal::Only(role) => {
                format!("{} learns {what}, and {} does not.", self.party(role), self.party(role.peer()))
            }
            Reveal::Nobody => format!(
                "Neither learns {what}: each keeps a share of it, which says nothing without the other's share."
            ),
        }
    }

    /// Both.
    pub fn both(&self) -> String {
        format!("{} and {}", self.here, self.peer)
    }
}

/// A name within a sentence: what could be read as more than a name stands in quotes, and has none itself.
pub fn quoted(name: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_.".contains(c);
    let bare = name.chars().all(plain) && name.chars().any(char::is_alphanumeric) && !name.ends_with('.');
    if bare { name.to_owned() } else { format!("\"{}\"", name.replace('"', "'")) }
}

/// What the network sees in any case.
pub fn network(link: &Link) -> &'static str {
    match link.identity() {
        Some(_) => "whoever watches the network sees only who talks with whom, when and how much",
        None => "without identities (plain TCP) anybody on the way can read and change what is sent",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_pass_for_sentences() {
        for name in ["bank", "bank-2", "a.b", "Südbank"] {
            assert_eq!(quoted(name), name);
        }
        for (name, shown) in [
            ("Klinikum Süd", "\"Klinikum Süd\""),
            ("bank. Nobody learns", "\"bank. Nobody learns\""),
            ("a\" b", "\"a' b\""),
            ("bank.", "\"bank.\""),
            ("", "\"\""),
            ("\u{202e}knab", "\"\u{202e}knab\""),
        ] {
            assert_eq!(quoted(name), shown);
        }
    }

    #[test]
    fn who_learns_is_said_of_either_role() {
        for me in [Role::P0, Role::P1] {
            let names = Names { me, here: "bank".into(), peer: "telecom".into() };
            let own = names.learns(Reveal::Only(me), "it");
            assert_eq!(own, "bank learns it, and telecom does not.");
            assert_eq!(names.learns(Reveal::Only(me.peer()), "it"), "telecom learns it, and bank does not.");
        }
    }
}
