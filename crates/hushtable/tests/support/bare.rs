//! A party played by hand: a session and its OTs without the library's protocols.
#![allow(dead_code)] // not every test uses all of it

use std::thread;

use hushtable::{
    Party, Result,
    net::{Connection, LinkShape},
    ot::Ot,
    session::Session,
};

/// What a party consists of.
pub struct Bare {
    pub session: Session,
    pub ot: Ot,
}

impl Bare {
    /// Set up like [`Party::seeded`].
    pub fn new(connection: Connection, seed: u64) -> Result<Self> {
        let mut session = Session::seeded(connection, seed);
        let ot = Ot::new(&mut session, None)?;
        Ok(Bare { session, ot })
    }
}

/// P0 runs the library's protocol, P1 is played by hand.
pub fn against<A: Send, B: Send>(
    seed: u64,
    p0: impl FnOnce(&mut Party) -> Result<A> + Send,
    p1: impl FnOnce(&mut Bare) -> Result<B> + Send,
) -> (A, B) {
    two(seed, |c| p0(&mut Party::seeded(c, seed, None)?), |c| p1(&mut Bare::new(c, seed)?))
}

/// Both are played by hand.
pub fn by_hand<A: Send, B: Send>(
    seed: u64,
    p0: impl FnOnce(&mut Bare) -> Result<A> + Send,
    p1: impl FnOnce(&mut Bare) -> Result<B> + Send,
) -> (A, B) {
    two(seed, |c| p0(&mut Bare::new(c, seed)?), |c| p1(&mut Bare::new(c, seed)?))
}

fn two<A: Send, B: Send>(
    seed: u64,
    p0: impl FnOnce(Connection) -> Result<A> + Send,
    p1: impl FnOnce(Connection) -> Result<B> + Send,
) -> (A, B) {
    let mut id = [0; 32];
    id[..8].copy_from_slice(&seed.to_le_bytes());
    let (c0, c1) = Connection::pair_with(id, LinkShape::LOOPBACK);
    thread::scope(|scope| {
        let p1 = scope.spawn(|| p1(c1).expect("an honest run of P1"));
        (p0(c0).expect("an honest run of P0"), p1.join().expect("no panic"))
    })
}
