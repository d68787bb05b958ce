//! What two parties call the same thing: ids in one form, hashed with a salt of the session.
//!
//! # Functionality
//! Each party has a set of ids, of one text field or several. Out: a number of 128 bits for each, the same at both
//! parties for the same id, and uniform to who lacks the salt.
//!
//! # Protocol
//! 1. Fields are brought into one form by [`Rules`]. The parties compare beforehand which form that is: with different
//!    ones nothing would match.
//! 2. Each party hashes its ids; now its set is fixed ([`Set`]).
//! 3. Both send 128 random bits. The salt is a hash of both and of the session's id, and keys the hash of all ids.
//!
//! So nobody can choose ids by their hashes, hashes of a dictionary cannot be made beforehand, and those of two
//! sessions have nothing in common. Two of `2^25` ids have the same hash with probability `2^-79`.
//!
//! # Cost
//! 128 bits each way, 1 round.
//!
//! # Source
//! join-spec 5; BLAKE3.

use hushtable::{
    Error, Result,
    bill::Bill,
    chance::{Chance, most},
    error::same,
    session::Session,
};
use prim::{Block, Wiped};

mod cure;
mod day;
mod looks;
#[cfg(test)]
mod notation_tests;
mod pattern;
mod phone;
mod rules;
mod shape;

pub use day::DateOrder;
pub use looks::{Looks, Remark};
pub use rules::Rules;
pub use shape::Shape;

/// A party's ids, fixed.
pub struct Set {
    rules: Rules,
    digests: Wiped<[u8; 32]>,
}

/// A party's ids, hashed with the salt of a session: in the order of its rows.
pub struct Ids(Wiped<Block>);

impl Set {
    /// Of rows of the same number of fields.
    ///
    /// # Errors
    /// [`Error::Param`] if nothing is left of an id, if a field has no form by the rules, and if two rows have the same
    /// id, by the rows' numbers from 0;
    /// [`Error::Shape`] if a row has more fields than the first one, or fewer.
    pub fn new<T: AsRef<str>>(rules: Rules, rows: impl IntoIterator<Item = impl AsRef<[T]>>) -> Result<Self> {
        let rows = rows.into_iter();
        let mut digests = Wiped::from(Vec::with_capacity(rows.size_hint().0));
        let mut width = None;
        for (i, row) in rows.enumerate() {
            let fields = row.as_ref();
            same("fields of an id", *width.get_or_insert(fields.len()), fields.len())?;
            let mut hasher = blake3::Hasher::new();
            let mut empty = true;
            for field in fields {
                let form = rules.form(field.as_ref()).map_err(|why| not_a_form(i, why))?;
                empty &= form.is_empty();
                hasher.update(&(form.len() as u64).to_le_bytes()).update(form.as_bytes());
            }
            if empty {
                return Err(refused(format!("nothing in row {i}"), "ids with at least one letter or digit"));
            }
            digests.extend_from_slice(&[*hasher.finalize().as_bytes()]);
        }
        // What they begin with stands beside the numbers: few comparisons look up more.
        let begins = |digest: &[u8; 32]| u64::from_be_bytes(std::array::from_fn(|i| digest[i]));
        let begun = (0..).zip(digests.iter()).map(|(i, digest)| [begins(digest), i]);
        let mut order = Wiped::from(begun.collect::<Vec<[u64; 2]>>());
        let of = |[_, i]: [u64; 2]| digests[i as usize];
        // In place: a stable sort would make a copy.
        order.sort_unstable_by(|a, b| {
            a[0].cmp(&b[0]).then_with(|| of(*a).cmp(&of(*b))).then_with(|| a[1].cmp(&b[1]))
        });
        if let Some(&[[_, one], [_, other]]) =
            order.array_windows().find(|&&[a, b]| a[0] == b[0] && of(a) == of(b))
        {
            let got = format!("the same in rows {one} and {other}");
            return Err(refused(got, "each id once"));
        }
        Ok(Self { rules, digests })
    }

    /// The rules that made it.
    pub fn rules(&self) -> Rules {
        self.rules
    }

    /// How many ids there are.
    pub fn len(&self) -> usize {
        self.digests.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.digests.is_empty()
    }

    /// That two of so many ids, of both parties, have the same hash.
    pub fn chance(ids: usize) -> Chance {
        Chance::of("ids of one hash", (ids as f64).powi(2) / 2.0, -128)
    }

    /// `Ok(())` unless `chance`, of so many ids of P0 and P1 and without their hashes, and those have more than
    /// [`MOST`](hushtable::chance::MOST) together.
    ///
    /// # Errors
    /// [`Error::Param`], which says how many ids would do; and those of `chance`.
    pub fn check_chance(sizes: [usize; 2], chance: impl Fn([usize; 2]) -> Result<Chance>) -> Result<()> {
        let all = |sizes: [usize; 2]| chance(sizes).map(|chance| chance + Self::chance(sizes[0] + sizes[1]));
        let fewer = |most: u64| all(sizes.map(|size| size.min(most as usize))).unwrap_or_default();
        all(sizes)?.check_or(|| {
            let most = most(sizes[0].max(sizes[1]) as u64, fewer);
            format!("up to {most} ids of each party have that")
        })
    }

    /// What step 3 costs.
    pub fn bill() -> Bill {
        Bill::opening(128)
    }

    /// Step 3, with the peer: 1 round.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn salted(&self, s: &mut Session) -> Result<Ids> {
        let mine = s.rng().block().0.to_le_bytes();
        let theirs = s.exchange(mine.to_vec(), mine.len())?;
        let (first, second) =
            if s.role() as usize == 0 { (&mine[..], &theirs[..]) } else { (&theirs[..], &mine[..]) };
        let salt = blake3::keyed_hash(&s.id(), &[&b"salt of ids"[..], first, second].concat());
        let id = |digest: &[u8; 32]| {
            let hash = blake3::keyed_hash(salt.as_bytes(), digest);
            Block(u128::from_le_bytes(std::array::from_fn(|i| hash.as_bytes()[i])))
        };
        Ok(Ids(Wiped::from(self.digests.iter().map(id).collect::<Vec<Block>>())))
    }
}

impl Ids {
    /// They, in the order of the rows.
    pub fn blocks(&self) -> &[Block] {
        &self.0
    }
}

fn not_a_form(row: usize, why: &str) -> Error {
    refused(format!("a field in row {row} that {why}"), "fields that the rules can bring into one form")
}

fn refused(got: String, accepted: &str) -> Error {
    Error::Param { what: "id", got, accepted: accepted.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use hushtable::net::LinkShape;

    fn set(rules: Rules, rows: &[&[&str]]) -> Result<Set> {
        Set::new(rules, rows)
    }

    #[test]
    fn fields_count_in_their_form() {
        let all = Rules { lower_case: true, ..Rules::default() };
        let digest = |rules, row: &[&str]| set(rules, &[row]).unwrap().digests[0];
        assert_eq!(digest(all, &["Ann", "1970"]), digest(all, &[" ann", "1970 "]));
        // Where a field ends matters.
        assert_ne!(digest(all, &["ann", "1970"]), digest(all, &["ann1", "970"]));
        assert_ne!(digest(all, &["ann"]), digest(all, &["ann", ""]));
        let dates = Rules { date: Some(DateOrder::DayMonthYear), ..Rules::default() };
        assert_eq!(digest(dates, &["3.4.1970"]), digest(dates, &["1970-04-03"]));
        let error = set(dates, &[&["3.4.1970"], &["3.13.1970"]]).err().expect("refused").to_string();
        assert!(error.contains("a field in row 1 that"), "{error}");
    }

    #[test]
    fn ids_that_cannot_be() {
        let says = |rows: &[&[&str]]| {
            let rules = Rules { lower_case: true, ..Rules::default() };
            set(rules, rows).err().expect("refused").to_string()
        };
        let twice = says(&[&["x"], &["y"], &["X "]]);
        assert_eq!(twice, "id: the same in rows 0 and 2 is not supported; accepted: each id once");
        assert!(says(&[&["x"], &[" "]]).contains("nothing in row 1"));
        assert!(says(&[&["x"], &["x", "y"]]).contains("fields of an id: expected 1, got 2"));
        assert!(set(Rules::default(), &[]).unwrap().is_empty());
    }

    /// The salt is of both: who draws another half, in a session of the same id, gets other hashes, whichever party it is.
    #[test]
    fn both_parties_salt() {
        let run = |draws: [usize; 2]| {
            let (s0, s1) = Session::pair_seeded(3, LinkShape::LOOPBACK);
            std::thread::scope(|scope| {
                let salted = |(mut s, draws): (Session, usize)| {
                    (0..draws).for_each(|_| _ = s.rng().block());
                    Set::new(Rules::default(), [["bob"]]).unwrap().salted(&mut s).unwrap().blocks()[0]
                };
                let at_p1 = scope.spawn(move || salted((s1, draws[1])));
                let at_p0 = salted((s0, draws[0]));
                assert_eq!(at_p0, at_p1.join().unwrap());
                at_p0
            })
        };
        let all = [[0, 0], [1, 0], [0, 1], [1, 1]].map(run);
        for (i, one) in all.iter().enumerate() {
            assert_eq!(*one, run([[0, 0], [1, 0], [0, 1], [1, 1]][i]), "as before");
            assert!(all[..i].iter().all(|other| other != one), "a half that does not count: {all:?}");
        }
    }

    #[test]
    fn hashes_agree_in_a_session_only() {
        let run = |seed: u64| {
            let (mut s0, mut s1) = Session::pair_seeded(seed, LinkShape::LOOPBACK);
            std::thread::scope(|scope| {
                let both = [vec!["ann"], vec!["bob"]];
                let at_p1 =
                    scope.spawn(move || Set::new(Rules::default(), [["bob"]]).unwrap().salted(&mut s1));
                let at_p0 = Set::new(Rules::default(), both).unwrap().salted(&mut s0).unwrap();
                let at_p1 = at_p1.join().unwrap().unwrap();
                assert_eq!(at_p0.blocks()[1], at_p1.blocks()[0]);
                assert_ne!(at_p0.blocks()[0], at_p0.blocks()[1]);
                at_p1.blocks()[0]
            })
        };
        assert_ne!(run(1), run(2));
    }
}
