//! Oblivious key-value stores: a table from which whoever has a key reads its value.
//!
//! # Functionality
//! In: n distinct keys of 128 bits, a row of words of `F_2^64` for each. Out: a [`table`](encode) of m columns, as wide
//! as a row, from which [`decode`] gives the row of each of these keys. If rows are uniform, so is the table, whatever
//! the keys are; for any other key it gives what looks random.
//!
//! # Protocol
//! None: each of the two is local.
//! 1. A key is hashed to a cluster, a column in each third of it, and two odd coefficients: its row of the matrix is
//!    `(1, c_2, c_3)` at these columns.
//! 2. *Encode*, cluster by cluster, each of which stays in the cache: rows with a column of their own are peeled, again
//!    and again. The others, usually none, are solved by Gauss over `F_2^64`. Then the peeled ones from the last to
//!    the first, those of a round side by side. **Unknowns that nothing decides are drawn at random**: zeros would tell
//!    which columns no key uses.
//! 3. *Decode*: three columns, two products a word.
//!
//! Encoding branches on this party's own keys and has addresses that depend on them; never on values, shares or the
//! peer's keys. Times of encoding tell that of keys which a salted hash of an id tells: nothing to who lacks the salt,
//! and to the peer which of its own guesses might be in the set, if it measures them to the nanosecond.
//!
//! # Cost
//! `m = 1.30 n` columns from `2^16` keys on, 1.32 for `2^12`, 1.5 for `2^10`, `n + 512` for few ([`Size`]). Encoding
//! fails with probability `2^-44` at most, by a computed bound (`tests/data/okvs_bounds.json`). It fails by keys and
//! hash keys alone, so **it is never tried again**: a second try would tell the peer about the set.
//!
//! # Source
//! join-spec 2. Raghuraman, Rindal (CCS 2022) for clusters and peeling; here without a dense tail.

mod decode;
mod encode;
mod peel;
mod rows;
mod size;
mod solve;

pub use decode::{decode, decode_pairs};
pub use encode::encode;
pub(crate) use peel::Columns;
pub use rows::Hashing;
pub use size::{MAX_KEYS, Size};
