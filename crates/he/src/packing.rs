//! Packing: the useful coefficients of several ciphertexts in one.
//!
//! # Functionality
//! In: k ciphertexts, k a power of two, of which the coefficients at multiples of k count. Out: one, whose coefficient
//! `k p + i` is k times coefficient `k p` of ciphertext i.
//!
//! # Protocol
//! With `tau: X -> X^(n / h + 1)` and h from `k / 2` down to 1, of ciphertexts A and B that are h apart comes
//! `A + X^h B + tau(A - X^h B)`: tau keeps `X^(2 h)` and turns the sign of `X^h`. What tau gives is encrypted under
//! `tau(s)`; switching keys, encryptions of `P tau(s)` digit by digit mod `q P`, turn that into an encryption under s.
//! A digit has the residues of two primes, and P is the product of two more.
//!
//! # Security
//! The owner's keys are encryptions under s of what follows from s: circular security is assumed, as everywhere. That the
//! factor k is taken out beforehand ([`Ring::plain`](crate::Ring::plain)) leaves the product's noise as it was; what
//! switching adds is in [`Params::fits`](crate::Params::fits).
//!
//! # Cost
//! `k - 1` switches of `L + D (L + p - d) + 2 (L + p)` transforms or so, for L primes of q, D digits of d primes and p of P.
//!
//! # Source
//! Chen, Dai, Kim, Song, "Efficient Homomorphic Conversion Between (Ring) LWE Ciphertexts" (ACNS 2021), section 4; the
//! interleaving from Lu et al., "BumbleBee" (NDSS 2025).

use prim::{
    Prg, Wiped,
    ntt::{DEGREE, Ntt},
    pack::{pack, packed_len, unpack},
};

use crate::{
    ciphertext::{Ciphertext, RESIDUE},
    error::{Error, Result},
    keys::Owner,
    params::Params,
    poly::{Poly, Ring, power},
    sample::public,
};

/// A key for a level of packing, `2^level` apart, as the owner makes it.
pub struct SeededKey {
    /// The number of the first encryption, and those of others, digit by digit.
    pub numbers: Vec<u64>,
    first: Vec<Poly>,
}

/// The same at the party that packs: encryptions of the image of the secret, digit by digit.
pub struct PackingKey {
    level: u32,
    digits: Vec<[Poly; 2]>,
    /// Where a place of `tau(x)` has its value from.
    places: Vec<u16>,
    /// The transform of `X^h`.
    monomial: Poly,
}

impl Owner {
    /// The key for a level of packing.
    ///
    /// # Panics
    /// For a level beyond 12.
    pub fn packing_key(&self, prg: &mut Prg, level: u32) -> SeededKey {
        assert!(1 << level < DEGREE, "level");
        let (ring, size) = (self.ring(), self.ring().params().digit());
        let image = turned(self.secret(), &places(level));
        let (mut numbers, mut first) = (Vec::new(), Vec::new());
        for digit in 0..ring.params().digits() {
            let (number, mut key) = self.zero(prg, ring.all_ntts().len());
            let limbs = ring.ntts().iter().zip(key.limbs_mut()).zip(image.limbs());
            for ((ntt, key), image) in limbs.skip(digit * size).take(size) {
                let before = Wiped::from(key.to_vec());
                ntt.linear(&[(&before, 1), (image, special(ring, ntt))], 0, key);
            }
            numbers.push(number);
            first.push(key);
        }
        SeededKey { numbers, first }
    }
}

impl SeededKey {
    /// Bytes of one, without its numbers.
    pub fn len(params: Params) -> usize {
        params.digits() * (params.limbs() + params.special()) * packed_len(DEGREE, RESIDUE)
    }

    /// As it is sent, without its numbers.
    pub fn encode(&self, to: &mut Vec<u8>) {
        self.first.iter().flat_map(Poly::limbs).for_each(|limb| pack(limb, RESIDUE, to));
    }
}

impl PackingKey {
    /// How many numbers one has.
    pub fn numbers(params: Params) -> usize {
        params.digits()
    }

    /// The key of these numbers, as the owner sent it.
    ///
    /// # Errors
    /// [`Error::Malformed`] for another length, and for a number that is no residue.
    pub fn decode(ring: &Ring, seed: &[u8; 32], level: u32, numbers: &[u64], bytes: &[u8]) -> Result<Self> {
        let params = ring.params();
        if bytes.len() != SeededKey::len(params) || numbers.len() != params.digits() {
            return Err(Error::Malformed("a packing key of another length"));
        }
        let (mut pieces, mut fine) = (bytes.chunks_exact(packed_len(DEGREE, RESIDUE)), true);
        let mut key = |number: &u64| {
            let first = Ring::residues_of(ring.all_ntts(), |ntt, limb| {
                unpack(pieces.next().expect("bytes of each prime"), RESIDUE, limb);
                fine &= limb.iter().all(|x| *x < ntt.modulus());
            });
            [first, public(ring.all_ntts(), seed, *number)]
        };
        let digits = numbers.iter().map(&mut key).collect();
        if !fine {
            return Err(Error::Malformed("a number that is not below its prime"));
        }
        let one = |_: &Ntt, limb: &mut [u32]| limb[1 << level] = 1;
        let monomial = ring.forward(&ring.residues(one));
        Ok(Self { level, digits, places: places(level), monomial })
    }
}

/// Who packs.
pub struct Packer<'a> {
    ring: &'a Ring,
    keys: Vec<&'a PackingKey>,
}

impl<'a> Packer<'a> {
    /// With the owner's keys of the levels from 0 on.
    ///
    /// # Panics
    /// For keys of other levels.
    pub fn new(ring: &'a Ring, keys: Vec<&'a PackingKey>) -> Self {
        assert!(keys.iter().zip(0..).all(|(key, level)| key.level == level), "levels of packing keys");
        Self { ring, keys }
    }

    /// Of several rows of ciphertexts, as many in each as are packed, one ciphertext each. Columns are made as they are
    /// needed, so that few are there at a time: `of` gets the number of each.
    pub fn pack(&self, of: &mut dyn FnMut(usize) -> Vec<Ciphertext>) -> Vec<Ciphertext> {
        self.packed(0, 0, of)
    }

    /// Ciphertexts `from`, `from + 2^level` and so on.
    fn packed(
        &self,
        from: usize,
        level: u32,
        of: &mut dyn FnMut(usize) -> Vec<Ciphertext>,
    ) -> Vec<Ciphertext> {
        let Some(key) = self.keys.get(level as usize) else { return of(from) };
        let a = self.packed(from, level + 1, of);
        let b = self.packed(from + (1 << level), level + 1, of);
        a.into_iter().zip(&b).map(|(a, b)| self.joined(key, a, b)).collect()
    }

    fn joined(&self, key: &PackingKey, mut a: Ciphertext, b: &Ciphertext) -> Ciphertext {
        let ring = self.ring;
        let image = |a: &mut Poly, b: &Poly| {
            let mut less = ring.products([(b, &key.monomial)].into_iter());
            let before = a.clone();
            ring.add(a, &less);
            ring.negate(&mut less);
            ring.add(&mut less, &before);
            turned(&less, &key.places)
        };
        let [first, second] = [image(&mut a.first, &b.first), image(&mut a.second, &b.second)];
        let switched = self.switched(key, &second);
        ring.add(&mut a.first, &first);
        ring.add(&mut a.first, &switched[0]);
        ring.add(&mut a.second, &switched[1]);
        a
    }

    /// What a second part under `tau(s)` is under s.
    fn switched(&self, key: &PackingKey, second: &Poly) -> [Poly; 2] {
        let (ring, params) = (self.ring, self.ring.params());
        let coefficients = ring.inverse(second.clone());
        let limbs: Vec<&[u32]> = coefficients.limbs().collect();
        let digits: Vec<Poly> = (0..params.digits())
            .map(|digit| {
                let mine = digit * params.digit()..((digit + 1) * params.digit()).min(params.limbs());
                let whole = Whole::of(&ring.all_ntts()[mine.clone()], &limbs[mine.clone()]);
                let mut number = Wiped::zeros(DEGREE);
                let mut transform = Poly::zeros(ring.all_ntts().len());
                let known = second.limbs().map(Some).chain(std::iter::repeat(None));
                for (i, ((ntt, to), known)) in
                    ring.all_ntts().iter().zip(transform.limbs_mut()).zip(known).enumerate()
                {
                    match known.filter(|_| mine.contains(&i)) {
                        Some(known) => to.copy_from_slice(known),
                        None => {
                            whole.times(1, ntt, &mut number);
                            ntt.forward(&number, to);
                        }
                    }
                }
                transform
            })
            .collect();
        [0, 1].map(|part| {
            let keys = key.digits.iter().map(|key| &key[part]);
            self.without_special(ring.products(digits.iter().zip(keys)))
        })
    }

    /// A transform mod `q P`, over P and rounded: mod q.
    fn without_special(&self, x: Poly) -> Poly {
        let (ring, limbs) = (self.ring, self.ring.params().limbs());
        let mut out = Poly::zeros(limbs);
        let specials = &ring.all_ntts()[limbs..];
        if specials.is_empty() {
            out.limbs_mut().zip(x.limbs()).for_each(|(out, x)| out.copy_from_slice(x));
            return out;
        }
        let rests: Vec<Wiped<u32>> = specials
            .iter()
            .zip(x.limbs().skip(limbs))
            .map(|(ntt, x)| {
                let mut rest = Wiped::zeros(DEGREE);
                ntt.inverse(&mut Wiped::from(x.to_vec()), &mut rest);
                rest
            })
            .collect();
        let whole = Whole::of(specials, &rests.iter().map(|rest| &rest[..]).collect::<Vec<_>>());
        let (mut number, mut transform) = (Wiped::zeros(DEGREE), Wiped::zeros(DEGREE));
        for ((ntt, x), out) in ring.ntts().iter().zip(x.limbs()).zip(out.limbs_mut()) {
            let q = ntt.modulus();
            let inverse = power(special(ring, ntt).into(), q - 2, q);
            whole.times(q - inverse, ntt, &mut number);
            ntt.forward(&number, &mut transform);
            ntt.linear(&[(x, inverse), (&transform, 1)], 0, out);
        }
        out
    }
}

/// Numbers by their residues mod one prime or two, as signed whole numbers: `x + p y` less a half.
struct Whole {
    parts: Vec<Wiped<u32>>,
    prime: u32,
    half: u64,
}

impl Whole {
    fn of(ntts: &[Ntt], residues: &[&[u32]]) -> Self {
        let mut last = Wiped::zeros(DEGREE);
        let prime = ntts[0].modulus();
        match (ntts, residues) {
            ([ntt], [x]) => {
                let half = prime / 2;
                ntt.linear(&[(x, 1)], half, &mut last);
                Self { parts: vec![last], prime, half: half.into() }
            }
            ([_, ntt], [x, y]) => {
                // (y - x) / p mod the second prime, more a half of it.
                let (q, half) = (ntt.modulus(), ntt.modulus() / 2);
                let inverse = power(prime.into(), q - 2, q);
                ntt.linear(&[(y, inverse), (x, q - inverse)], half, &mut last);
                let half = u64::from(half) * u64::from(prime);
                Self { parts: vec![Wiped::from(x.to_vec()), last], prime, half }
            }
            _ => unreachable!("one prime or two"),
        }
    }

    /// Their residues, times a number below the prime.
    fn times(&self, by: u32, ntt: &Ntt, out: &mut [u32]) {
        let q = u64::from(ntt.modulus());
        let times = |a: u64, b: u64| (a % q * (b % q) % q) as u32;
        let factors = [by, times(self.prime.into(), by.into())];
        let terms: Vec<(&[u32], u32)> = self.parts.iter().map(|part| &part[..]).zip(factors).collect();
        ntt.linear(&terms, times(q - self.half % q, by.into()), out);
    }
}

/// P mod a prime.
fn special(ring: &Ring, ntt: &Ntt) -> u32 {
    let q = u64::from(ntt.modulus());
    let all = &ring.all_ntts()[ring.params().limbs()..];
    all.iter().fold(1, |all, p| all * u64::from(p.modulus()) % q) as u32
}

/// Of each place of a transform the one whose value tau puts there, for `h = 2^level`.
fn places(level: u32) -> Vec<u16> {
    let turn = (DEGREE >> level) + 1;
    let mut at = vec![0; DEGREE];
    (0..DEGREE).for_each(|place| at[Ntt::exponent(place) / 2] = place as u16);
    (0..DEGREE).map(|place| at[Ntt::exponent(place) * turn % (2 * DEGREE) / 2]).collect()
}

fn turned(x: &Poly, places: &[u16]) -> Poly {
    let mut out = Poly::like(x);
    for (x, out) in x.limbs().zip(out.limbs_mut()) {
        out.iter_mut().zip(places).for_each(|(out, place)| *out = x[usize::from(*place)]);
    }
    out
}

#[cfg(test)]
mod tests;
