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
    Wiped,
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

/// The keys for packing up to `2^levels` ciphertexts, as the owner makes them.
pub struct SeededKeys {
    /// The number of the first encryption; others follow.
    pub number: u64,
    first: Vec<Poly>,
}

/// The same at the party that packs: of each level, encryptions of the image of the secret, digit by digit.
pub struct PackingKeys(Vec<Vec<[Poly; 2]>>);

impl Owner {
    /// The keys for packing up to `2^levels` ciphertexts.
    ///
    /// # Panics
    /// For more than 13 levels.
    pub fn packing_keys(&mut self, levels: u32) -> SeededKeys {
        assert!(1 << levels <= DEGREE, "levels");
        let (params, mut number, mut first) = (self.ring().params(), None, Vec::new());
        let ring = self.ring().clone();
        for level in 0..levels {
            let image = turned(self.secret(), &places(level));
            for digit in 0..params.digits() {
                let (next, mut key) = self.zero(ring.all_ntts().len());
                number.get_or_insert(next);
                let mine = digit * params.digit()..(digit + 1) * params.digit();
                let limbs = ring.ntts().iter().zip(key.limbs_mut()).zip(image.limbs()).enumerate();
                for (_, ((ntt, key), image)) in limbs.filter(|(i, _)| mine.contains(i)) {
                    let before = Wiped::from(key.to_vec());
                    ntt.linear(&[(&before, 1), (image, special(&ring, ntt))], 0, key);
                }
                first.push(key);
            }
        }
        SeededKeys { number: number.unwrap_or(0), first }
    }
}

impl SeededKeys {
    /// Bytes of keys for so many levels.
    pub fn len(params: Params, levels: u32) -> usize {
        let limbs = params.limbs() + params.special();
        levels as usize * params.digits() * limbs * packed_len(DEGREE, RESIDUE)
    }

    /// As they are sent, without their number.
    pub fn encode(&self, to: &mut Vec<u8>) {
        self.first.iter().flat_map(Poly::limbs).for_each(|limb| pack(limb, RESIDUE, to));
    }
}

impl PackingKeys {
    /// The keys of these numbers, as the owner sent them.
    ///
    /// # Errors
    /// [`Error::Malformed`] for another length, and for a number that is no residue.
    pub fn decode(ring: &Ring, seed: &[u8; 32], number: u64, levels: u32, bytes: &[u8]) -> Result<Self> {
        let params = ring.params();
        if bytes.len() != SeededKeys::len(params, levels) {
            return Err(Error::Malformed("packing keys of another length"));
        }
        let (mut pieces, mut fine) = (bytes.chunks_exact(packed_len(DEGREE, RESIDUE)), true);
        let mut numbers = number..;
        let mut key = || {
            let first = Ring::residues_of(ring.all_ntts(), |ntt, limb| {
                unpack(pieces.next().expect("bytes of each prime"), RESIDUE, limb);
                fine &= limb.iter().all(|x| *x < ntt.modulus());
            });
            let number = numbers.next().expect("numbers without end");
            [first, public(ring.all_ntts(), seed, number)]
        };
        let keys = (0..levels).map(|_| (0..params.digits()).map(|_| key()).collect()).collect();
        if !fine {
            return Err(Error::Malformed("a number that is not below its prime"));
        }
        Ok(Self(keys))
    }

    /// How many levels they are for.
    pub fn levels(&self) -> u32 {
        self.0.len() as u32
    }
}

/// Who packs.
pub struct Packer<'a> {
    ring: &'a Ring,
    keys: &'a PackingKeys,
    /// Of each level: where a place of `tau(x)` has its value from, and the transform of `X^h`.
    levels: Vec<(Vec<u16>, Poly)>,
}

impl<'a> Packer<'a> {
    /// With the owner's keys.
    pub fn new(ring: &'a Ring, keys: &'a PackingKeys) -> Self {
        let monomial = |level: u32| {
            let one = |_: &Ntt, limb: &mut [u32]| limb[1 << level] = 1;
            ring.forward(&ring.residues(one))
        };
        let levels = (0..keys.levels()).map(|level| (places(level), monomial(level))).collect();
        Self { ring, keys, levels }
    }

    /// `2^levels` ciphertexts in one, which are made as they are needed, so that few are there at a time: `of` gets the
    /// number of each.
    ///
    /// # Panics
    /// Unless there are keys for so many levels.
    pub fn pack(&self, levels: u32, of: &mut dyn FnMut(usize) -> Ciphertext) -> Ciphertext {
        assert!(levels <= self.keys.levels(), "levels of the keys");
        self.packed(0, 0, levels, of)
    }

    /// Ciphertexts `from`, `from + 2^level` and so on.
    fn packed(
        &self,
        from: usize,
        level: u32,
        levels: u32,
        of: &mut dyn FnMut(usize) -> Ciphertext,
    ) -> Ciphertext {
        if level == levels {
            return of(from);
        }
        let a = self.packed(from, level + 1, levels, of);
        let b = self.packed(from + (1 << level), level + 1, levels, of);
        self.joined(level, a, &b)
    }

    fn joined(&self, level: u32, mut a: Ciphertext, b: &Ciphertext) -> Ciphertext {
        let (ring, (places, monomial)) = (self.ring, &self.levels[level as usize]);
        let image = |a: &mut Poly, b: &Poly| {
            let mut less = ring.products([(b, monomial)].into_iter());
            let before = a.clone();
            ring.add(a, &less);
            ring.negate(&mut less);
            ring.add(&mut less, &before);
            turned(&less, places)
        };
        let [first, second] = [image(&mut a.first, &b.first), image(&mut a.second, &b.second)];
        let switched = self.switched(level, &second);
        ring.add(&mut a.first, &first);
        ring.add(&mut a.first, &switched[0]);
        ring.add(&mut a.second, &switched[1]);
        a
    }

    /// What a second part under `tau(s)` is under s.
    fn switched(&self, level: u32, second: &Poly) -> [Poly; 2] {
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
            let keys = self.keys.0[level as usize].iter().map(|key| &key[part]);
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
