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
//! The encryptor's keys are encryptions under s of what follows from s: circular security is assumed, as everywhere. That the
//! factor k is taken out beforehand ([`Multiplier::plain`](crate::Multiplier::plain)) leaves the product's noise as it
//! was; what switching adds is in [`Params::fits`](crate::Params::fits).
//!
//! # Cost
//! `k - 1` switches of `L + D (L + p - d) + 2 (L + p)` transforms or so, for L primes of q, D digits of d primes and p of P.
//!
//! # Source
//! Chen, Dai, Kim, Song, "Efficient Homomorphic Conversion Between (Ring) LWE Ciphertexts" (ACNS 2021), section 4; the
//! interleaving from Lu et al., "BumbleBee" (NDSS 2025).

use prim::{
    Prg, Wiped,
    ntt::{DEGREE, Ntt, Sums},
    pack::{pack, packed_len, unpack},
};

use crate::{
    ciphertext::{Ciphertext, RESIDUE},
    error::{Error, Result},
    keys::Encryptor,
    params::Params,
    poly::{Poly, Ring, below, power},
    sample::public,
};

/// A key for a level of packing, `2^level` apart, as the encryptor makes it.
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

impl Encryptor {
    /// The key for a level of packing.
    ///
    /// # Panics
    /// For a level beyond 12.
    pub fn packing_key(&self, prg: &mut Prg, level: u32) -> SeededKey {
        assert!(1 << level < DEGREE, "level");
        let (ring, size) = (self.ring(), self.ring().params().digit());
        let mut image = Poly::like(self.secret());
        turn(self.secret(), &places(level), &mut image);
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

    /// The key of these numbers, as the encryptor sent it.
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

/// Who packs, in memory that serves again.
pub struct Packer<'a> {
    ring: &'a Ring,
    keys: Vec<&'a PackingKey>,
    spare: Vec<Vec<Ciphertext>>,
    scratch: Scratch,
}

struct Scratch {
    sums: Sums,
    /// `A - X^h B` of both parts, and what tau makes of it.
    less: Poly,
    images: [Poly; 2],
    coefficients: Poly,
    /// Mod q P: the digits' transforms, and the sum of their products with a key.
    digits: Vec<Poly>,
    sum: Poly,
    /// Residues mod the primes of P, and numbers mod one prime.
    rests: Poly,
    last: Wiped<u32>,
    number: Wiped<u32>,
    transform: Wiped<u32>,
}

impl<'a> Packer<'a> {
    /// With the encryptor's keys of the levels from 0 on.
    ///
    /// # Panics
    /// For keys of other levels.
    pub fn new(ring: &'a Ring, keys: Vec<&'a PackingKey>) -> Self {
        assert!(keys.iter().zip(0..).all(|(key, level)| key.level == level), "levels of packing keys");
        let (params, all) = (ring.params(), ring.all_ntts().len());
        let zeros = || Poly::zeros(params.limbs());
        let scratch = Scratch {
            sums: Sums::default(),
            less: zeros(),
            images: [zeros(), zeros()],
            coefficients: zeros(),
            digits: (0..params.digits()).map(|_| Poly::zeros(all)).collect(),
            sum: Poly::zeros(all),
            rests: Poly::zeros(params.special()),
            last: Wiped::zeros(DEGREE),
            number: Wiped::zeros(DEGREE),
            transform: Wiped::zeros(DEGREE),
        };
        Self { ring, keys, spare: Vec::new(), scratch }
    }

    /// Of so many rows of ciphertexts, as many in each as are packed, one ciphertext each. Columns are made as they are
    /// needed, so that few are there at a time: `of` gets the number of each, and where it belongs.
    pub fn pack(&mut self, rows: usize, of: &mut dyn FnMut(usize, &mut [Ciphertext])) -> Vec<Ciphertext> {
        self.packed(rows, 0, 0, of)
    }

    /// What [`pack`](Self::pack) gave, for which there is no more use: its memory serves again.
    pub fn take_back(&mut self, rows: Vec<Ciphertext>) {
        self.spare.push(rows);
    }

    /// Ciphertexts `from`, `from + 2^level` and so on.
    fn packed(
        &mut self,
        rows: usize,
        from: usize,
        level: u32,
        of: &mut dyn FnMut(usize, &mut [Ciphertext]),
    ) -> Vec<Ciphertext> {
        let Some(key) = self.keys.get(level as usize).copied() else {
            let mut column = self
                .spare
                .pop()
                .filter(|spare| spare.len() == rows)
                .unwrap_or_else(|| (0..rows).map(|_| Ciphertext::zeros(self.ring)).collect());
            of(from, &mut column);
            return column;
        };
        let mut a = self.packed(rows, from, level + 1, of);
        let b = self.packed(rows, from + (1 << level), level + 1, of);
        a.iter_mut().zip(&b).for_each(|(a, b)| self.scratch.join(self.ring, key, a, b));
        self.spare.push(b);
        a
    }
}

impl Scratch {
    /// `A + X^h B + tau(A - X^h B)` in the place of A.
    fn join(&mut self, ring: &Ring, key: &PackingKey, a: &mut Ciphertext, b: &Ciphertext) {
        for (image, (a, b)) in
            self.images.iter_mut().zip([(&mut a.first, &b.first), (&mut a.second, &b.second)])
        {
            ring.products_to(&mut self.sums, std::iter::once((b, &key.monomial)), &mut self.less);
            for ((ntt, a), less) in ring.ntts().iter().zip(a.limbs_mut()).zip(self.less.limbs_mut()) {
                let q = ntt.modulus();
                for (a, less) in a.iter_mut().zip(less) {
                    let (sum, difference) = (below(*a + *less, q), below(*a + q - *less, q));
                    (*a, *less) = (sum, difference);
                }
            }
            turn(&self.less, &key.places, image);
        }
        ring.add(&mut a.first, &self.images[0]);
        self.cut(ring);
        for (part, to) in [&mut a.first, &mut a.second].into_iter().enumerate() {
            let keys = key.digits.iter().map(|key| &key[part]);
            ring.products_to(&mut self.sums, self.digits.iter().zip(keys), &mut self.sum);
            self.without_special(ring);
            ring.add(to, &self.less);
        }
    }

    /// The transforms of the digits of the second part's image.
    fn cut(&mut self, ring: &Ring) {
        let params = ring.params();
        self.less.0.copy_from_slice(&self.images[1].0);
        ring.inverse_to(&mut self.less, &mut self.coefficients);
        let limbs: Vec<&[u32]> = self.coefficients.limbs().collect();
        for (digit, to) in self.digits.iter_mut().enumerate() {
            let mine = digit * params.digit()..((digit + 1) * params.digit()).min(params.limbs());
            let whole = Whole::of(&ring.all_ntts()[mine.clone()], &limbs[mine.clone()], &mut self.last);
            let known = self.images[1].limbs().map(Some).chain(std::iter::repeat(None));
            for (i, ((ntt, to), known)) in ring.all_ntts().iter().zip(to.limbs_mut()).zip(known).enumerate() {
                match known.filter(|_| mine.contains(&i)) {
                    Some(known) => to.copy_from_slice(known),
                    None => {
                        whole.times(1, ntt, &mut self.number);
                        ntt.forward(&self.number, to);
                    }
                }
            }
        }
    }

    /// The sum mod `q P`, over P and rounded: mod q, to `less`.
    fn without_special(&mut self, ring: &Ring) {
        let limbs = ring.params().limbs();
        let specials = &ring.all_ntts()[limbs..];
        if specials.is_empty() {
            self.less.0.copy_from_slice(&self.sum.0);
            return;
        }
        for ((ntt, sum), rest) in
            specials.iter().zip(self.sum.limbs_mut().skip(limbs)).zip(self.rests.limbs_mut())
        {
            ntt.inverse(sum, rest);
        }
        let whole = Whole::of(specials, &self.rests.limbs().collect::<Vec<_>>(), &mut self.last);
        for ((ntt, x), out) in ring.ntts().iter().zip(self.sum.limbs()).zip(self.less.limbs_mut()) {
            let q = ntt.modulus();
            let inverse = power(special(ring, ntt).into(), q - 2, q);
            whole.times(q - inverse, ntt, &mut self.number);
            ntt.forward(&self.number, &mut self.transform);
            ntt.linear(&[(x, inverse), (&self.transform, 1)], 0, out);
        }
    }
}

/// Numbers by their residues mod one prime or two, as signed whole numbers: `x + p y` less a half.
struct Whole<'a> {
    parts: [&'a [u32]; 2],
    count: usize,
    prime: u32,
    half: u64,
}

impl<'a> Whole<'a> {
    fn of(ntts: &[Ntt], residues: &[&'a [u32]], last: &'a mut [u32]) -> Self {
        let prime = ntts[0].modulus();
        match (ntts, residues) {
            ([ntt], [x]) => {
                let half = prime / 2;
                ntt.linear(&[(x, 1)], half, last);
                Self { parts: [last, &[]], count: 1, prime, half: half.into() }
            }
            ([_, ntt], [x, y]) => {
                // (y - x) / p mod the second prime, more a half of it.
                let (q, half) = (ntt.modulus(), ntt.modulus() / 2);
                let inverse = power(prime.into(), q - 2, q);
                ntt.linear(&[(y, inverse), (x, q - inverse)], half, last);
                let half = u64::from(half) * u64::from(prime);
                Self { parts: [x, last], count: 2, prime, half }
            }
            _ => unreachable!("one prime or two"),
        }
    }

    /// Their residues, times a number below the prime.
    fn times(&self, by: u32, ntt: &Ntt, out: &mut [u32]) {
        let q = u64::from(ntt.modulus());
        let times = |a: u64, b: u64| (a % q * (b % q) % q) as u32;
        let terms = [(self.parts[0], by), (self.parts[1], times(self.prime.into(), by.into()))];
        ntt.linear(&terms[..self.count], times(q - self.half % q, by.into()), out);
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

fn turn(x: &Poly, places: &[u16], out: &mut Poly) {
    for (x, out) in x.limbs().zip(out.limbs_mut()) {
        out.iter_mut().zip(places).for_each(|(out, place)| *out = x[usize::from(*place)]);
    }
}

#[cfg(test)]
mod tests;
