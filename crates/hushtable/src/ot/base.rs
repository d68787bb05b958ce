//! Base oblivious transfers: 1-of-2 OT of random 128-bit keys from elliptic curves.
//!
//! # Functionality
//! The receiver inputs choice bits `c_i`; the sender gets random keys `(k_i^0, k_i^1)`, the
//! receiver `k_i^{c_i}`.
//!
//! # Protocol
//! On ristretto255 with generator `G`:
//! 1. sender: secret `a`, sends `A = aG`;
//! 2. receiver: secret `b_i`, sends `B_i = b_i G + c_i A`; its key is `KDF(i, A, B_i, 2 b_i A)`;
//! 3. sender: `k_i^0 = KDF(i, A, B_i, 2 a B_i)`, `k_i^1 = KDF(i, A, B_i, 2 (a B_i - aA))`.
//!
//! The doubling lets many points be encoded with one inversion; the group has odd order.
//!
//! Every point received must be canonical and not the identity, else the session ends. The KDF
//! is keyed by the session id.
//!
//! # Cost
//! 32 bytes from the sender, then 32 bytes per OT from the receiver: 2 messages.
//!
//! # Source
//! Chou and Orlandi, "The Simplest Protocol for Oblivious Transfer" (LATINCRYPT 2015). Secure here
//! because both parties are semi-honest and the keys are outputs of a random oracle bound to the
//! session and to the transcript; its known gaps concern malicious parties.

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

use curve25519_dalek::{
    RistrettoPoint, Scalar,
    constants::RISTRETTO_BASEPOINT_TABLE,
    ristretto::{CompressedRistretto, RistrettoBasepointTable},
    traits::IsIdentity,
};
use prim::block::Block;
use zeroize::{Zeroize, Zeroizing};

use crate::{
    error::{Error, Result},
    session::Session,
};

/// The sender before it has met the receiver: its secret and the point that goes out.
pub struct Sending {
    a: Zeroizing<Scalar>,
    point: RistrettoPoint,
    wire: CompressedRistretto,
}

/// The receiver before it has the sender's point.
pub struct Receiving {
    choices: Zeroizing<Vec<bool>>,
    secrets: Zeroizing<Vec<Scalar>>,
    /// `b_i G`, halved here, doubled by the encoding.
    own: Zeroizing<Vec<RistrettoPoint>>,
}

/// The sender's side: `count` pairs of keys.
///
/// # Errors
/// [`Error::Peer`] on a point that is not canonical or is the identity.
pub fn send(s: &mut Session, count: usize) -> Result<Zeroizing<Vec<[Block; 2]>>> {
    let sending = Sending::begin(s);
    s.send(sending.point().to_vec())?;
    sending.finish(s, count)
}

/// The receiver's side: one key per choice.
///
/// # Errors
/// [`Error::Peer`] on a point that is not canonical or is the identity.
pub fn receive(s: &mut Session, choices: &[bool]) -> Result<Zeroizing<Vec<Block>>> {
    let receiving = Receiving::begin(s, choices);
    let point = s.recv(32)?;
    receiving.finish(s, &point)
}

impl Sending {
    /// Draws the secret of step 1.
    pub fn begin(s: &mut Session) -> Self {
        let a = Zeroizing::new(random_scalar(s));
        let point = &*a * RISTRETTO_BASEPOINT_TABLE;
        Self { a, point, wire: point.compress() }
    }

    /// The message of step 1.
    pub fn point(&self) -> [u8; 32] {
        self.wire.to_bytes()
    }

    /// Step 3, from the receiver's message.
    ///
    /// # Errors
    /// [`Error::Peer`] on a point that is not canonical or is the identity.
    pub fn finish(self, s: &mut Session, count: usize) -> Result<Zeroizing<Vec<[Block; 2]>>> {
        let Self { a, point, wire } = self;
        let a_a = Zeroizing::new(*a * point);
        let reply = s.recv(32 * count)?;
        let b_wires: Vec<&[u8]> = reply.chunks_exact(32).collect();
        // The identity, which no point may be, where one cannot be read.
        let shared = in_two(&b_wires, |wire| {
            let point = *a * decode(wire).unwrap_or_default();
            [point, point - *a_a]
        });
        if shared.iter().any(|[point, _]| point.is_identity()) {
            b_wires.iter().try_for_each(|wire| decode(wire).map(drop))?;
        }
        let encoded = Zeroizing::new(RistrettoPoint::double_and_compress_batch(shared.iter().flatten()));
        let id = s.id();
        let keys = encoded.chunks_exact(2).zip(b_wires).enumerate();
        let pair = |(i, (pair, b_wire)): (usize, (&[CompressedRistretto], &[u8]))| {
            [0, 1].map(|c| derive(&id, i, wire.as_bytes(), b_wire, &pair[c]))
        };
        Ok(Zeroizing::new(keys.map(pair).collect()))
    }
}

impl Receiving {
    /// What of step 2 needs nothing from the sender.
    pub fn begin(s: &mut Session, choices: &[bool]) -> Self {
        let secrets: Zeroizing<Vec<Scalar>> =
            Zeroizing::new(choices.iter().map(|_| random_scalar(s)).collect());
        let half = Scalar::from(2u8).invert();
        let own = in_two(&secrets, |b| &(half * b) * RISTRETTO_BASEPOINT_TABLE);
        Self { choices: Zeroizing::new(choices.to_vec()), secrets, own }
    }

    /// The rest of step 2, with the sender's point: sends the message.
    ///
    /// # Errors
    /// [`Error::Peer`] on a point that is not canonical or is the identity.
    pub fn finish(self, s: &mut Session, a_wire: &[u8]) -> Result<Zeroizing<Vec<Block>>> {
        let a_table = RistrettoBasepointTable::create(&decode(a_wire)?);
        let half = Scalar::from(2u8).invert();
        // The choice enters as a scalar, so that choosing takes the same time either way.
        let choose = |choice: &bool| &(half * Scalar::from(u8::from(*choice))) * &a_table;
        let mut points = in_two(&self.choices, choose);
        points.iter_mut().zip(self.own.iter()).for_each(|(point, own)| *point += own);
        let b_wires = RistrettoPoint::double_and_compress_batch(&*points);
        s.send(b_wires.iter().flat_map(|b| *b.as_bytes()).collect())?;
        let shared = in_two(&self.secrets, |b| b * &a_table);
        let encoded = Zeroizing::new(RistrettoPoint::double_and_compress_batch(&*shared));
        let id = s.id();
        let keys = encoded.iter().zip(&b_wires).enumerate();
        let key = |(i, (shared, b_wire)): (usize, (&CompressedRistretto, &CompressedRistretto))| {
            derive(&id, i, a_wire, b_wire.as_bytes(), shared)
        };
        Ok(Zeroizing::new(keys.map(key).collect()))
    }
}

/// `f` of each item, half of them by a second thread.
fn in_two<T: Sync, U: Clone + Default + Send>(items: &[T], f: impl Fn(&T) -> U + Sync) -> Zeroizing<Vec<U>>
where
    Vec<U>: Zeroize,
{
    let mut all = Zeroizing::new(vec![U::default(); items.len()]);
    let middle = items.len() / 2;
    let (first, second) = all.split_at_mut(middle);
    let fill = |out: &mut [U], items: &[T]| out.iter_mut().zip(items).for_each(|(out, item)| *out = f(item));
    let second = Mutex::new(Some(second));
    let rest = &|| {
        let second = second.lock().unwrap_or_else(PoisonError::into_inner).take();
        second.into_iter().for_each(|second| fill(second, &items[middle..]));
    };
    thread::scope(|scope| {
        let other = thread::Builder::new().spawn_scoped(scope, rest);
        fill(first, &items[..middle]);
        if other.is_err() {
            rest(); // the system has no thread to spare
        }
    });
    all
}

fn random_scalar(s: &mut Session) -> Scalar {
    let mut wide = Zeroizing::new([0; 64]);
    s.rng().bytes(&mut *wide);
    Scalar::from_bytes_mod_order_wide(&wide)
}

/// A point from the wire. The group has prime order, so canonical and not the identity is all
/// there is to check.
fn decode(wire: &[u8]) -> Result<RistrettoPoint> {
    let bad = |what: &str| Error::Peer(format!("base OT: {what}"));
    let compressed = CompressedRistretto::from_slice(wire).map_err(|_| bad("point of wrong length"))?;
    let point = compressed.decompress().ok_or_else(|| bad("not a canonical ristretto255 point"))?;
    if point.is_identity() { Err(bad("the identity point")) } else { Ok(point) }
}

fn derive(id: &[u8; 32], index: usize, a: &[u8], b: &[u8], shared: &CompressedRistretto) -> Block {
    let mut kdf = blake3::Hasher::new_keyed(id);
    kdf.update(b"hushtable base OT").update(&(index as u64).to_le_bytes());
    kdf.update(a).update(b).update(shared.as_bytes());
    let digest = kdf.finalize();
    let half: [u8; 16] = std::array::from_fn(|i| digest.as_bytes()[i]);
    Block(u128::from_le_bytes(half))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::net::{Cost, LinkShape, wire_len};

    #[test]
    fn the_receiver_gets_the_key_it_chose() {
        let (mut s0, mut s1) = Session::pair_seeded(7, LinkShape::LOOPBACK);
        let choices: Vec<bool> = (0..40).map(|i| i % 3 == 0).collect();
        let sender = std::thread::spawn(move || (send(&mut s0, 40).unwrap(), s0.take_cost()));
        let keys = receive(&mut s1, &choices).unwrap();
        let (pairs, cost) = sender.join().unwrap();
        for ((pair, &key), &c) in pairs.iter().zip(keys.iter()).zip(&choices) {
            assert!(pair[usize::from(c)] == key && pair[usize::from(!c)] != key);
        }
        let (from_sender, from_receiver) = (wire_len(32), wire_len(32 * 40));
        assert_eq!(cost, Cost { sent: from_sender, received: from_receiver, rounds: 2 });
    }

    #[test]
    fn bad_points_end_the_session() {
        let non_canonical = [0xff; 32];
        let negative = {
            let mut p = [0; 32];
            p[0] = 1;
            p
        };
        for bad in [[0; 32], non_canonical, negative] {
            let (mut s0, mut s1) = Session::pair_seeded(8, LinkShape::LOOPBACK);
            s0.send(bad.to_vec()).unwrap();
            assert!(matches!(receive(&mut s1, &[true]), Err(Error::Peer(_))));
        }
    }
}
