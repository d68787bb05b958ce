//! A connection together with this party's randomness and the session's hash keys: all that a
//! protocol needs besides correlations, and so all that spends material.

mod open;
pub(crate) mod parts;

pub(crate) use parts::{by_role, halves, pieces};
use prim::{block::Block, hash::CcrHash, prg::Prg};
use std::thread;

use crate::{
    error::{Error, Result},
    net::{Connection, Cost, LinkShape, Role},
    process::Process,
};

/// What a hash key is used for. No two purposes share a key (lut-rules, section 0).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Small GGM trees of SoftSpoken.
    SubfieldTree,
    /// Half-trees of Ferret.
    NoiseTree,
    /// The public LPN matrix (an AES-CTR key, not a hash key).
    Matrix,
    /// Pads of 1-of-2 OT and of correlated OT with a payload.
    OtPad,
    /// Products of keys of 1-of-n OT.
    KeyProduct,
    /// Half-trees with a leaf missing: those of rotation and permutation.
    Pprf,
    /// Rows expanded from the leaves of the rotation's trees.
    Row,
    /// Half-trees with a correction of every level.
    Tree,
    /// Entries of one-hot vectors from the leaves of these trees.
    TreeRow,
    /// Entries from the leaves of the trees of shared permutations and rotations.
    Entry,
    /// Entries of additive one-hot vectors from the leaves of half-trees.
    TreeWord,
    /// Pads of 1-of-n OT from codes.
    CodePad,
    /// Words from a pad of 1-of-n OT.
    WidePad,
    /// Keys of 1-of-n OT that are joined.
    JoinedKey,
    /// Payloads at the leaves of stored keys.
    KeyLeaf,
    /// Payloads at their inner nodes.
    KeyNode,
    /// Half-trees of VOLE.
    VoleTree,
    /// Their leaves.
    VoleLeaf,
    /// Places in the LPN matrix of VOLE (an AES-CTR key, not a hash key).
    VolePlace,
    /// Coefficients there (an AES-CTR key too).
    VoleFactor,
    /// Columns of keys of a key-value store.
    StorePlace,
    /// Their coefficients.
    StoreFactor,
    /// Bins of items.
    Bin,
    /// What an oblivious pseudo-random function has a store for its inputs hold.
    FunctionInput,
    /// Its values.
    FunctionValue,
    /// Children and values of nodes of plain GGM trees.
    Ggm,
    /// Half gates.
    Garbling,
}

const PURPOSES: usize = Purpose::Garbling as usize + 1;

/// Bytes a party runs ahead with its own messages in [`Session::duplex`].
const WINDOW: i64 = 8 << 20;

/// One party's end of a session.
///
/// It makes no correlated OTs: an online step takes a session, and what it spends is in its material.
///
/// ```compile_fail,E0599
/// # use hushtable::{Result, session::Session};
/// fn online(s: &mut Session) -> Result<()> {
///     s.open(&hushtable::BShare::<u8>::new(8, vec![1]))?;
///     s.cots(1, 1).map(drop) // no method named `cots` found for `&mut Session`
/// }
/// ```
///
/// ```compile_fail,E0277
/// # use hushtable::{Result, gates::Triples, session::Session};
/// fn online(s: &mut Session) -> Result<Triples> {
///     Triples::random(s, 1) // expected `&mut Party`
/// }
/// ```
pub struct Session {
    connection: Connection,
    /// Apart, so that whoever moves a session leaves no copy behind.
    rng: Box<Prg>,
    /// Whose randomness it is.
    process: Process,
    /// Keys handed out so far, by purpose and by the party whose Delta the key protects.
    issued: [[u64; 2]; PURPOSES],
    /// Trees numbered so far.
    trees: u64,
    /// Cores for local work.
    cores: usize,
}

impl Session {
    /// A session on a fresh connection; randomness is seeded by the operating system.
    ///
    /// # Errors
    /// [`Error::Io`] if the system gives no randomness.
    pub fn new(connection: Connection) -> Result<Self> {
        let mut seed = [0; 16];
        getrandom::fill(&mut seed).map_err(|e| Error::Io {
            what: "system randomness".into(),
            source: std::io::Error::other(e.to_string()),
        })?;
        Ok(Self::with_seed(connection, u128::from_le_bytes(seed)))
    }

    /// Both ends in this process, deterministic: for tests. Cannot reach a real peer.
    pub fn pair_seeded(seed: u64, shape: LinkShape) -> (Self, Self) {
        let mut id = [0; 32];
        id[..8].copy_from_slice(&seed.to_le_bytes());
        let (c0, c1) = Connection::pair_with(id, shape);
        (Self::seeded(c0, seed), Self::seeded(c1, seed))
    }

    /// One end of a deterministic session, on a connection inside this process.
    ///
    /// # Panics
    /// On any other connection: a real peer must never meet randomness that others may know.
    #[doc(hidden)]
    pub fn seeded(connection: Connection, seed: u64) -> Self {
        assert!(connection.is_in_process(), "a seeded session with a real peer");
        let seed = u128::from(seed) << 1 | connection.role() as u128;
        Self::with_seed(connection, seed)
    }

    fn with_seed(connection: Connection, seed: u128) -> Self {
        let (rng, process) = (Box::new(Prg::new(Block(seed))), Process::current());
        let cores = thread::available_parallelism().map_or(1, usize::from);
        Self { connection, rng, process, issued: Default::default(), trees: 0, cores }
    }

    /// This party's role.
    pub fn role(&self) -> Role {
        self.connection.role()
    }

    /// The session id both parties contributed to.
    pub fn id(&self) -> [u8; 32] {
        self.connection.id()
    }

    /// This party's private randomness.
    ///
    /// # Panics
    /// In a fork of the process that began the session: the parent draws the same numbers. Sending and
    /// receiving are errors there.
    pub fn rng(&mut self) -> &mut Prg {
        self.process.check("the random generator").unwrap_or_else(|error| panic!("{error}"));
        &mut self.rng
    }

    /// On how many cores products by lattices are computed: those of the machine, and those of a lane are its part of them.
    pub fn cores(&self) -> usize {
        self.cores
    }

    /// Takes at most so many, and one at least. The peer does not see how many.
    pub fn limit_cores(&mut self, most: usize) {
        self.cores = self.cores.min(most).max(1);
    }

    /// As many as a larger machine has.
    #[cfg(test)]
    pub(crate) fn set_cores(&mut self, cores: usize) {
        self.cores = cores;
    }

    /// The connection.
    pub fn connection(&mut self) -> &mut Connection {
        &mut self.connection
    }

    /// Queues bytes for the peer.
    ///
    /// # Errors
    /// As [`Channel::send`](crate::net::Channel::send).
    pub fn send(&mut self, bytes: Vec<u8>) -> Result<()> {
        self.connection.channel().send(bytes)
    }

    /// Waits for the peer's next message, of exactly `len` bytes.
    ///
    /// # Errors
    /// As [`Channel::recv`](crate::net::Channel::recv).
    pub fn recv(&mut self, len: usize) -> Result<Vec<u8>> {
        self.connection.channel().recv(len)
    }

    /// Waits for exactly `out.len()` blocks.
    ///
    /// # Errors
    /// As [`Channel::recv`](crate::net::Channel::recv).
    pub fn recv_blocks(&mut self, out: &mut [Block]) -> Result<()> {
        self.connection.channel().recv_into(bytemuck::cast_slice_mut(out))
    }

    /// Sends and receives at once: 1 round.
    ///
    /// # Errors
    /// As [`Channel::exchange`](crate::net::Channel::exchange).
    pub fn exchange(&mut self, mine: Vec<u8>, theirs: usize) -> Result<Vec<u8>> {
        self.connection.channel().exchange(mine, theirs)
    }

    /// Compares named parameters with the peer's: 1 round.
    ///
    /// # Errors
    /// [`Error::Handshake`], at both parties, naming the first one that differs.
    pub fn agree(&mut self, fields: &[(&str, String)]) -> Result<()> {
        self.connection.agree(fields)
    }

    /// [`agree`](Self::agree), and swaps a message of each party beside: 1 round.
    pub(crate) fn agree_beside(
        &mut self,
        fields: &[(&str, String)],
        mine: Vec<u8>,
        theirs: usize,
    ) -> Result<Vec<u8>> {
        self.connection.agree_beside(fields, mine, theirs)
    }

    /// What the connection says of the link, if anything.
    pub(crate) fn link(&self) -> Option<LinkShape> {
        self.connection.link()
    }

    /// Ends the session after a disagreement: every later call is an error.
    pub(crate) fn end(&mut self) {
        self.connection.end();
    }

    /// Tells the peer which operation comes next, in a few public words, and goes on: no round. Parties
    /// that announce different ones both get [`Error::Handshake`] at their next
    /// wait for each other.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn announce(&mut self, operation: &str) -> Result<()> {
        self.connection.channel().announce(operation)
    }

    /// Replaces the generator by one seeded from its own output, so that what was drawn before
    /// cannot be recomputed from this party's later state.
    pub(crate) fn renew_rng(&mut self) {
        *self.rng = Prg::new(self.rng().block());
    }

    /// Bytes and rounds since the last call; both parties call it at the same point.
    pub fn take_cost(&mut self) -> Cost {
        self.connection.channel().take_cost()
    }

    /// Sibling sessions for parallel lanes, each with its own id, randomness and keys.
    ///
    /// # Errors
    /// If the peer does not open as many lanes.
    pub fn fork(&mut self, lanes: usize) -> Result<Vec<Self>> {
        let connections = self.connection.fork(lanes)?;
        let cores = (self.cores / lanes.max(1)).max(1);
        let lane = |c| Self { cores, ..Self::with_seed(c, self.rng().block().0) };
        Ok(connections.into_iter().map(lane).collect())
    }

    /// A fresh key for `purpose`, bound to this session, to `owner`'s Delta and to a counter: both
    /// parties ask in the same order. Callers ask anew before the peer could make 2^20 queries on
    /// strings it does not know.
    pub fn key(&mut self, purpose: Purpose, owner: Role) -> Block {
        let issued = &mut self.issued[purpose as usize][owner as usize];
        *issued += 1;
        let mut label = [0; 10];
        label[..2].copy_from_slice(&[purpose as u8, owner as u8]);
        label[2..].copy_from_slice(&issued.to_le_bytes());
        let key = blake3::keyed_hash(&self.connection.id(), &label);
        let half: [u8; 16] = std::array::from_fn(|i| key.as_bytes()[i]);
        Block(u128::from_le_bytes(half))
    }

    /// Numbers `count` trees: the first number, of 48 bits. Both parties ask in the same order. A
    /// number is never given twice, also if its tree is abandoned: two trees of one number under one
    /// key would show both Deltas (lut-rules, section 3). Lanes number theirs by themselves: their
    /// keys come from ids of their own.
    pub fn number_trees(&mut self, count: usize) -> u64 {
        let first = self.trees;
        self.trees += count as u64;
        assert!(self.trees < 1 << 48, "all numbers are used");
        first
    }

    /// The hash under a fresh [`key`](Self::key).
    pub fn hash(&mut self, purpose: Purpose, owner: Role) -> CcrHash {
        CcrHash::new(self.key(purpose, owner))
    }

    /// Runs two streams that do not depend on each other, this party's (`produce`) and the peer's
    /// (`consume`), so that both directions of the link are busy and queues stay short.
    ///
    /// `produce` returns its next message, `consume` takes the peer's next one; both say by `None`
    /// and `false` that they are done. A party's k-th message goes out before it takes the peer's. The messages count
    /// as one round: none of this party's
    /// depends on one of the peer's.
    ///
    /// # Errors
    /// The first error of either stream.
    pub fn duplex<C>(
        &mut self,
        state: &mut C,
        mut produce: impl FnMut(&mut Self, &mut C) -> Result<Option<Vec<u8>>>,
        mut consume: impl FnMut(&mut Self, &mut C) -> Result<bool>,
    ) -> Result<()> {
        let start = self.connection.channel().clock();
        let (mut producing, mut consuming, mut ahead) = (true, true, 0i64);
        let (mut produced, mut consumed) = (0u64, 0u64);
        while producing || consuming {
            while producing && (ahead < WINDOW || !consuming || produced <= consumed) {
                match produce(self, state)? {
                    Some(message) => {
                        produced += 1;
                        ahead += message.len() as i64;
                        self.connection.channel().send_after(start, message)?;
                    }
                    None => producing = false,
                }
            }
            let before = self.connection.channel().cost().received;
            consuming = consuming && consume(self, state)?;
            consumed += 1;
            ahead -= (self.connection.channel().cost().received - before) as i64;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    #[should_panic(expected = "the random generator of process")]
    fn a_fork_draws_nothing() {
        let (mut session, _peer) = Session::pair_seeded(1, LinkShape::LOOPBACK);
        session.process = Process::inherited()[0];
        session.rng();
    }
}
