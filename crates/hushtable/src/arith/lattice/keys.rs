//! Keys of lattices, which a session makes once and keeps: of each direction and modulus one, whatever the width of the
//! numbers, and the packing keys of a level when a product first needs it.

use std::sync::Arc;

use he::{Ciphertext, Encryptor, Evaluator, PackingKey, Params, Seeded, SeededKey};

use crate::{
    bill::Once,
    error::{Error, Result},
    net::Role,
    party::Party,
    session::Session,
    terms::Terms,
};

/// Keys of the party that encrypts, at both parties.
pub(super) enum Keys {
    /// Who encrypts has the secret.
    Encryptor(Encryptor),
    /// Who multiplies has a public key, and what second parts come of.
    Evaluator(Evaluator, [u8; SEED]),
}

/// Bytes of a ciphertext's number, which goes before it.
pub(super) const NUMBER: usize = 8;
/// Width of the numbers as of which keys are kept.
const LEAST_BITS: u32 = 8;
/// Bytes of what second parts come of.
const SEED: usize = 32;

/// The keys of the party `encryptor` for these parameters: those of the session, or new ones.
pub(super) fn keys(p: &mut Party, encryptor: Role, params: Params) -> Result<Keys> {
    let bits = params.bits();
    let params = Params::new(LEAST_BITS, params.limbs()).map_err(Error::of_lattice)?;
    let kept = p.kept(&terms("lattice key", encryptor, params), |p| {
        let s = p.session();
        if s.role() == encryptor {
            let key = Encryptor::new(params, s.rng());
            let mut message = key.seed().to_vec();
            put(&key.public_key(s.rng()), &mut message);
            s.send(message)?;
            return Ok(Keys::Encryptor(key));
        }
        let message = s.recv(SEED + NUMBER + Seeded::len(params))?;
        let seed: [u8; SEED] = message[..SEED].try_into().expect("32 bytes");
        let ring = he::Ring::new(params);
        let key = take(&ring, &seed, &message[SEED..])?;
        Ok(Keys::Evaluator(Evaluator::new(ring, key), seed))
    })?;
    Ok(match &*kept {
        Keys::Encryptor(key) => Keys::Encryptor(key.of_width(bits).map_err(Error::of_lattice)?),
        Keys::Evaluator(evaluator, seed) => {
            Keys::Evaluator(evaluator.of_width(bits).map_err(Error::of_lattice)?, *seed)
        }
    })
}

/// The packing keys of the levels below `levels`: at the party that multiplies; nothing at the other one.
pub(super) fn packing(
    p: &mut Party,
    encryptor: Role,
    keys: &Keys,
    levels: u32,
) -> Result<Vec<Arc<Option<PackingKey>>>> {
    let params = keys.params();
    let key = |level: u32| {
        let terms = terms("packing key", encryptor, params).with("level", level);
        p.kept(&terms, |p| {
            let (s, count) = (p.session(), PackingKey::numbers(params));
            match keys {
                Keys::Encryptor(key) => {
                    let key = key.packing_key(s.rng(), level);
                    let mut message: Vec<u8> =
                        key.numbers.iter().flat_map(|number| number.to_le_bytes()).collect();
                    key.encode(&mut message);
                    s.send(message)?;
                    Ok(None)
                }
                Keys::Evaluator(evaluator, seed) => {
                    let message = s.recv(NUMBER * count + SeededKey::len(params))?;
                    let (numbers, key) = message.split_at(NUMBER * count);
                    let numbers: Vec<u64> = numbers.chunks_exact(NUMBER).map(number).collect();
                    PackingKey::decode(evaluator.ring(), seed, level, &numbers, key)
                        .map(Some)
                        .map_err(Error::of_lattice)
                }
            }
        })
    };
    (0..levels).map(key).collect()
}

/// The keys of the party `encryptor` for these parameters and so many levels of packing, as they are sent.
pub(super) fn once(encryptor: Role, params: Params, levels: u32) -> Once {
    let sent =
        |bytes: usize| [Role::P0, Role::P1].map(|role| if role == encryptor { 8 * bytes as u64 } else { 0 });
    let [key, packing] = lens(params);
    let key = Once::of(terms("lattice key", encryptor, params), sent(key));
    let level = |level| Once::of(terms("packing key", encryptor, params).with("level", level), sent(packing));
    (0..levels).map(level).fold(key, Once::and)
}

/// Bytes of keys for so many levels of packing.
pub(super) fn len(params: Params, levels: u32) -> usize {
    let [key, packing] = lens(params);
    key + levels as usize * packing
}

/// Bytes of a key, and of one for a level of packing.
fn lens(params: Params) -> [usize; 2] {
    let packing = NUMBER * PackingKey::numbers(params) + SeededKey::len(params);
    [SEED + NUMBER + Seeded::len(params), packing]
}

fn terms(kind: &'static str, encryptor: Role, params: Params) -> Terms {
    Terms::of(kind).with("owner", encryptor).with("primes", params.limbs())
}

fn number(bytes: &[u8]) -> u64 {
    u64::from_le_bytes(bytes.try_into().expect("8 bytes"))
}

/// A ciphertext as it is sent, after its number.
pub(super) fn put(ciphertext: &Seeded, to: &mut Vec<u8>) {
    to.extend_from_slice(&ciphertext.number.to_le_bytes());
    ciphertext.encode(to);
}

/// A ciphertext that was sent so.
pub(super) fn take(ring: &he::Ring, seed: &[u8; SEED], message: &[u8]) -> Result<Ciphertext> {
    let (before, bytes) = message.split_at(NUMBER);
    Seeded::decode(ring, seed, number(before), bytes).map_err(Error::of_lattice)
}

impl Keys {
    fn params(&self) -> Params {
        match self {
            Self::Encryptor(key) => key.ring().params(),
            Self::Evaluator(evaluator, _) => evaluator.ring().params(),
        }
    }
}

/// A message of one ciphertext.
pub(super) fn receive(s: &mut Session, ring: &he::Ring, seed: &[u8; SEED]) -> Result<Ciphertext> {
    let message = s.recv(NUMBER + Seeded::len(ring.params()))?;
    take(ring, seed, &message)
}
