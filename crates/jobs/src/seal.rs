//! Both parties' signatures, at the end of a job.

use hushtable::{
    Party,
    net::{self, Identity},
};

use crate::{link::Link, record::Seal};

/// Signs with the peer, if both want that, what they agreed on in the command `kind` and its `outcome`; while the
/// connection stands. Of the wishes the first is this party's.
pub fn seal(
    link: &Link,
    p: &mut Party,
    wishes: [bool; 2],
    (kind, agreed, outcome): (&str, &[(String, String)], &str),
) {
    let [true, theirs] = wishes else { return };
    let seal = match theirs {
        false => Seal::Missing("the peer did not ask for it".into()),
        true => {
            let all = statement(kind, agreed, outcome);
            sign(link, p, &all).map_or_else(|error| Seal::Missing(error.to_string()), Seal::Signed)
        }
    };
    if let Seal::Missing(why) = &seal {
        eprintln!("warning: the record is not signed: {why}");
    }
    link.note(|record| record.mark(seal));
}

/// What both sign of a command and its outcome.
pub fn statement(kind: &str, agreed: &[(String, String)], outcome: &str) -> Vec<(String, String)> {
    let field = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let mut all = vec![field("command", kind)];
    all.extend(agreed.iter().cloned());
    all.push(field("outcome", outcome));
    all
}

fn sign(link: &Link, p: &mut Party, fields: &[(String, String)]) -> hushtable::Result<net::Signed> {
    let identity = Identity::load(link.identity().expect("checked before"))?;
    let halves = [p.rng().block(), p.rng().block()].map(|half| half.0.to_le_bytes());
    let salt = std::array::from_fn(|i| halves[i / 16][i % 16]);
    let mut own = [0; 32];
    link.note(|record| own = record.commit(salt));
    p.connection().countersign(&identity, fields, own)
}
