//! A party's private table as others look it up: what it is, how its rows are bits, and a session of lookups.
//!
//! # Functionality
//! The *owner*, P0, has a table: a column of [keys](Key), each once, and columns of [values](Value). A *client*, P1, has
//! a list of keys. Out: the values at these keys, to the client, or shares of them to both. Public are the table's
//! [`Description`] and how many keys the list has. The owner does not learn the keys, nor which of them it has, nor which
//! are equal; the client learns nothing of rows that it did not look up.
//!
//! **What results say**: a client may look up any key that it likes. The description limits how many in a session
//! ([`Description::lookups`]); who serves a table counts sessions.
//!
//! # Protocol
//! 1. The owner sends a [`Greeting`] and the description, which has the digest of its encrypted copy.
//! 2. The client sends a [`Request`]: how many keys, who gets results, and how much of that copy it has.
//! 3. The owner sends an [`Answer`], and the messages of the copy that the client lacks.
//! 4. Batch by batch, [`KeyLookup`]: [lookups](hushtable::confidential::copy) as an operation. The client's share of a key
//!    is the key, the owner's 0. Results are opened to the client alone. Numbers that stay shared are made additive bit by
//!    bit ([`B2a`]).
//!
//! [`B2a`]: hushtable::gates::B2a
//!
//! # Cost
//! Once a version: the copy ([`CopyJob::copy_bits`](hushtable::confidential::copy::CopyJob::copy_bits)). A lookup: what
//! [`Lookups::bill`](hushtable::confidential::copy::Lookups::bill) says, and the bits of a row from the owner or the
//! [`B2a`] of each bit of a number.
//!
//! # Source
//! confidential-beyond 1, design A. Keys of text are brought into one form, which both parties know, and hashed by BLAKE3.

mod date;
mod description;
mod field;
mod in_memory;
mod key;
mod lookup;
mod settle;
mod shared;
mod table;
mod value;
mod visit;

pub use date::{date_of, days_of};
pub use description::{Description, MOST_BATCH, MOST_COLUMNS, MOST_DESCRIBED, Places, cipher_name};
pub use field::Field;
pub use in_memory::{Column, Rows, rows_at};
pub use key::{Key, KeyKind, Reading, name_shows};
pub use lookup::{KeyLookup, Looked};
pub use settle::{Answer, Gets, Greeting, Request};
pub use shared::{PRESENT_BITS, shared_bits, shared_keys_fit};
pub use table::{Kind, Limits, Survey, Table};
pub use value::{Cell, Scale, Value, ValueKind};
pub use visit::{Found, Served, find, request, turn_away};
