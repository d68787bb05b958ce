//! FABLE: lookups of shared keys in one party's table by retrieval under homomorphic encryption.
//!
//! A baseline, as published, with what it needs corrected; [`copy`](mod@hushtable::confidential::copy) is what is meant
//! to be used: here chance alone can spoil more than it may elsewhere ([`FableJob::chance`]).
//!
//! # Functionality
//! In: the *server*'s table, values of w bits at up to N keys of d bits; XOR shares of b keys. Out: XOR shares of the
//! values, 0 where a key is absent, and of a bit that says whether it is present. Public are N, b, d and w.
//!
//! # Protocol
//! All is made for one batch.
//! 1. *Set-up*, offline: the server draws a key of the [function](hushtable::confidential::prf), gives each row an id,
//!    copies it to three of n buckets and there to one of three places, and masks what is there, three times over; these
//!    masks get an order of the client's (`fable/moved.rs`). The client sends keys of the encryption.
//! 2. *Deduplication*: the batch is sorted, repetitions are replaced by placeholders, which the table has too.
//! 3. *Ids* of the b words, by the function on shared inputs, are opened to the client. They are distinct.
//! 4. *Retrieval*: the client gives each id a bucket and asks, encrypted, for its three places there. The server answers
//!    for all buckets at once, of each of the three copies of the table: n places in a ciphertext.
//! 5. *Decoding*: what was retrieved and the server's masks, in the order of the batch, are shares of three rows. Of
//!    that whose key is the word the value is taken.
//! 6. *Expansion*: what was replaced gets the value of the key before it, and all go back to their places.
//!
//! Steps 2, 3, 5 and 6 are circuits, each evaluated by layers of ANDs or garbled, as [`FableJob::rounds`] says;
//! [`Rounds::suiting`] takes for each what suits the link.
//!
//! # Cost
//! [`Fable::bill`]. Garbled 10 rounds, 2 for each circuit, and 32 bytes an AND, which the server sends: for 4096 lookups of
//! 16 bits in `2^16` rows 5.2 M ANDs, 6.3 M for the ids by LowMC or 16.6 M by AES, 0.4 M and 2.8 M: 470 or 800 MB. By layers 585
//! or 612 rounds and a few bits an AND. `2^13` slots and buckets; of a query `3 m` ciphertexts of three moduli, m about the root of twice the
//! places of a bucket; of the response 6 to 12, of one.
//!
//! # Source
//! Su et al., "FABLE: Batched Evaluation on Confidential Lookup Tables in 2PC" (USENIX Security 2025); Liu, Li, Wu, Ren,
//! "PIRANA" (S&P 2024) for the code; confidential-spec 3 and 5; confidential-errata. Deviations: AND gates
//! by layers beside garbled circuits; products added by groups (`fable/answer.rs`), seeded queries; order of the masks made
//! ahead, by OTs, instead of two sorting networks online (`fable/moved.rs`); a bit of presence; B is n whatever b is.
//!
//! # Security
//! Parties that follow the protocol. The client sees ids, which are pseudo-random and distinct, and rows under masks of
//! its own for each: empty places are masked as well (errata E2). What it can learn of a response beyond its plaintext
//! is hidden up to `2^-40` (`fable/refresh.rs`). The server sees ciphertexts and opened shares. What the client computes of
//! its ids in the clear, buckets and switches, takes a time that depends on them. BFV with `n = 2^13`, errors and
//! secret of variance 10 and q of up to 186 bits: the standard's table allows 218 for 128 bits of security.

mod answer;
mod circuits;
mod distinct;
mod expand;
mod hashes;
mod job;
mod material;
mod moved;
mod query;
mod refresh;
mod retrieve;
mod ring;
mod rounds;
mod setup;
mod wire;

#[cfg(test)]
mod tests;

pub use job::{FableJob, MAX_KEY_BITS, MAX_VALUE_BITS, Sizes};
pub use retrieve::Step;
pub use rounds::Rounds;
pub use setup::FableTable;

use prim::Wiped;

use self::{
    distinct::{Distinct, distinct},
    hashes::Hashes,
    job::COPIES,
    material::Material,
    moved::Moved,
    ring::{ClientKeys, Ring, ServerKeys},
    setup::Setup,
};
use hushtable::{
    bill::{Bill, Phase},
    confidential::prf::Prf,
    error::{Error, Result, same},
    gates::Bits,
    inner::{Evaluated, drawn_bill},
    net::Role,
    party::Party,
    session::Session,
    share::BShare,
};

/// Results of a batch.
pub struct FableRows {
    /// The values.
    pub values: BShare<u64>,
    /// Whether each key is in the table.
    pub present: Bits,
}

/// What a party has of the retrieval.
enum Side {
    Server(Box<(Setup, ServerKeys)>),
    Client(Box<ClientKeys>),
}

/// One-time material for a batch of lookups, and the server's table for it.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Result, session::Session};
/// # use hushtable_baselines::fable::Fable;
/// fn twice(s: &mut Session, m: Fable, x: &BShare<u64>) -> Result<()> {
///     m.eval(s, x)?;
///     m.eval(s, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Fable {
    job: FableJob,
    sizes: Sizes,
    count: usize,
    ring: Ring,
    hashes: Hashes,
    side: Side,
    moved: Moved,
    material: Material,
}

impl Fable {
    /// Offline: for `count` lookups. The server gives its table, the client none.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported, and unless the server alone gives a table; [`Error::Chance`]
    /// if its rows find no places; [`Error::Peer`] for keys that are none; and those of the channel.
    pub fn prepare(p: &mut Party, job: FableJob, count: usize, table: Option<&FableTable>) -> Result<Self> {
        let sizes = job.sizes(count)?;
        if (p.role() == job.owner) != table.is_some() {
            let (what, got) = ("table to look up in", format!("of {:?}", p.role()));
            return Err(Error::Param { what, got, accepted: format!("that of {:?}", job.owner) });
        }
        let ring = Ring::new(&sizes);
        let hashes = Hashes::new(p, job.owner);
        let side = match table {
            None => {
                let keys = ClientKeys::random(&ring, p.rng());
                p.send(wire::written("a public key", wire::public_len(&sizes), &keys.public)?)?;
                p.send(wire::written("a relinearisation key", wire::relin_len(&sizes), &keys.relin)?)?;
                Side::Client(keys.into())
            }
            Some(table) => {
                let setup = Setup::new(p, (&job, &sizes), count, &hashes, table)?;
                let (public, relin) = (p.recv(wire::public_len(&sizes))?, p.recv(wire::relin_len(&sizes))?);
                Side::Server((setup, wire::read_keys(&ring, &public, &relin)?).into())
            }
        };
        let masks = match &side {
            Side::Server(server) => Some(&server.0.masks),
            Side::Client(_) => None,
        };
        let moved = Moved::prepare(p, sizes.slots, &mask_widths(&job, &sizes), masks)?;
        let material = Material::prepare(p, &job, &sizes, count)?;
        Ok(Self { job, sizes, count, ring, hashes, side, moved, material })
    }

    /// What `count` lookups cost.
    ///
    /// # Errors
    /// [`Error::Param`] for sizes that are not supported.
    pub fn bill(job: &FableJob, count: usize) -> Result<Bill> {
        let sizes = job.sizes(count)?;
        let client = |bytes: usize, bits: u64| {
            let mut sent = [8 * bytes as u64 + bits; 2];
            sent[job.owner as usize] = 0;
            Phase { bits: sent, rounds: 1 }
        };
        let keys =
            Bill { offline: client(wire::public_len(&sizes) + wire::relin_len(&sizes), 0), ..Bill::FREE };
        let places = count as u64 * u64::from(moved::place_bits(sizes.slots));
        let query = client(COPIES * sizes.code * wire::query_len(&sizes), places);
        let mut sent = [0; 2];
        sent[job.owner as usize] = 8 * (sizes.responses() * wire::response_len(&sizes)) as u64;
        let response = Phase { bits: sent, rounds: 1 };
        let mut ids = [0; 2];
        ids[job.owner as usize] = u64::from(job::ID_BITS) * count as u64;
        // Garbled, they follow the tables of the same party.
        let ids = Phase { bits: ids, rounds: u32::from(!job.rounds.garbles_ids()) };
        let online = |online| Bill { online, ..Bill::FREE };
        let moved = drawn_bill(job.owner, sizes.slots, &mask_widths(job, &sizes));
        let circuits = Material::bill(job, &sizes, count)?;
        Ok(keys + moved + circuits + online(ids) + online(query) + online(response))
    }

    /// Lookups there is material for.
    pub fn len(&self) -> usize {
        self.count
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// Online: shares of the values at these keys. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there is a key of the right width for each lookup, [`Error::Chance`] if the client's ids
    /// find no buckets, [`Error::Peer`] for ciphertexts that are none, and those of the channel.
    pub fn eval(self, s: &mut Session, x: &BShare<u64>) -> Result<FableRows> {
        self.eval_watched(s, x, |_, _| Ok(()))
    }

    /// [`eval`](Self::eval), which calls `done` after each step.
    ///
    /// # Errors
    /// As there, and those of `done`.
    pub fn eval_watched(
        self,
        s: &mut Session,
        x: &BShare<u64>,
        done: impl FnMut(&mut Session, Step) -> Result<()>,
    ) -> Result<FableRows> {
        self.run(s, x, done).map(|(rows, _)| rows)
    }

    /// [`eval`](Self::eval), and the ids that are opened to the client, at the client.
    ///
    /// # Errors
    /// As there.
    #[doc(hidden)]
    pub fn eval_seen(self, s: &mut Session, x: &BShare<u64>) -> Result<(FableRows, Option<Vec<u64>>)> {
        self.run(s, x, |_, _| Ok(()))
    }

    /// The ids that are opened to the client if keys that stand twice are not replaced: what the deduplication is for.
    ///
    /// # Errors
    /// As [`eval`](Self::eval).
    #[doc(hidden)]
    pub fn insecure_ids_of_repeated(self, s: &mut Session, x: &BShare<u64>) -> Result<Option<Vec<u64>>> {
        let inputs = planes(self.sizes.tagged_bits, x.words().to_vec());
        opened_ids(s, self.material.prf, &self.side, &inputs, self.job.owner.peer())
    }

    fn run(
        self,
        s: &mut Session,
        x: &BShare<u64>,
        mut done: impl FnMut(&mut Session, Step) -> Result<()>,
    ) -> Result<(FableRows, Option<Vec<u64>>)> {
        same("keys to look up", self.count, x.len())?;
        same("bits of a key", self.job.key_bits as usize, x.bits() as usize)?;
        let [sorting, decoding, expansion] = self.material.networks;
        let sorted = sorting.eval(s, vec![Wiped::from(x.words().to_vec())])?;
        let Distinct { words, tags, swaps } = distinct(sorted, self.sizes.tagged_bits);
        done(s, Step::Deduplication)?;
        let inputs = planes(self.sizes.tagged_bits, words.to_vec());
        let ids = opened_ids(s, self.material.prf, &self.side, &inputs, self.job.owner.peer())?;
        done(s, Step::Oprf)?;
        let context = (&self.ring, &self.sizes);
        let rows = match (&self.side, &ids) {
            (Side::Client(keys), Some(ids)) => retrieve::client(
                s,
                context,
                self.job.value_bits,
                (keys, &self.hashes),
                self.moved,
                ids,
                &mut done,
            )?,
            (Side::Server(server), _) => {
                retrieve::server(s, context, server, self.moved, self.count, &mut done)?
            }
            (Side::Client(_), None) => unreachable!("ids are opened to the client"),
        };
        let picked = decode(s, decoding, &words, &rows)?;
        done(s, Step::Decode)?;
        let state = expansion.eval(s, vec![picked, tags, swaps])?.swap_remove(0);
        done(s, Step::Expansion)?;
        let found = Bits::collect(state.iter().map(|word| word >> self.job.value_bits));
        Ok((FableRows { values: BShare::new(self.job.value_bits, state.to_vec()), present: found }, ids))
    }
}

/// Step 3: the ids of these words, at the client.
fn opened_ids(
    s: &mut Session,
    prf: Prf,
    side: &Side,
    words: &[Bits],
    client: Role,
) -> Result<Option<Vec<u64>>> {
    let key = match side {
        Side::Server(server) => Some(&server.0.key),
        Side::Client(_) => None,
    };
    let ids: BShare<u64> = Bits::to_share(&prf.eval(s, key, words)?)?;
    // To the client: pseudo-random and distinct.
    s.reveal(&ids, client)
}

/// Bits of the words of a bucket's masks.
fn mask_widths(job: &FableJob, sizes: &Sizes) -> Vec<u32> {
    [sizes.tagged_bits, job.value_bits].repeat(COPIES)
}

/// Step 5: words of a value and of whether it was found.
///
/// At most one of the three rows has the key: an item is in a place once.
fn decode(s: &mut Session, network: Evaluated, words: &[u64], rows: &[Wiped<u64>]) -> Result<Wiped<u64>> {
    let count = words.len();
    let (mut differ, mut values) = (Wiped::<u64>::default(), Wiped::<u64>::default());
    for row in rows.chunks_exact(2) {
        differ.extend_from_slice(&row[0]);
        values.extend_from_slice(&row[1]);
    }
    differ.iter_mut().zip(words.iter().cycle()).for_each(|(key, word)| *key ^= word);
    let picked = network.eval(s, vec![differ, values])?.swap_remove(2);
    let mut state = Wiped::zeros(count);
    picked.iter().enumerate().for_each(|(row, word)| state[row % count] ^= word);
    Ok(state)
}

/// The bits of words.
fn planes(bits: u32, words: Vec<u64>) -> Vec<Bits> {
    Bits::from_share(&BShare::<u64>::new(bits, words))
}
