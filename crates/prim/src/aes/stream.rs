//! Hashing of many vectors, with other work between the rounds.

use super::{Aes, Cipher, hash_rest};
use crate::Block;
use crate::simd::{Isa, MAX_BLOCKS, Op};

/// Vectors of blocks that are hashed one after the other, in batches of `W`.
pub(crate) trait Stream<S: Isa> {
    /// Vector `k` of a batch; may be asked for again while it is not yet delivered.
    fn fetch<const W: usize>(&self, isa: S, batch: usize, k: usize) -> S::V;
    /// Takes `H` of vector `k` of a batch.
    fn deliver<const W: usize>(&mut self, isa: S, batch: usize, k: usize, hash: S::V);
}

/// Vector `k` of a batch of `W`. The place of the batch is checked apart, once for all of its vectors.
#[inline(always)]
pub(crate) fn vector<S: Isa, const W: usize>(blocks: &[Block], batch: usize, k: usize) -> &[Block] {
    &blocks[batch * W * S::BLOCKS..][..W * S::BLOCKS][k * S::BLOCKS..][..S::BLOCKS]
}

/// Vector `k` of a batch of `W`.
#[inline(always)]
pub(crate) fn vector_mut<S: Isa, const W: usize>(
    blocks: &mut [Block],
    batch: usize,
    k: usize,
) -> &mut [Block] {
    &mut blocks[batch * W * S::BLOCKS..][..W * S::BLOCKS][k * S::BLOCKS..][..S::BLOCKS]
}

/// Work in eight steps that goes along with the rounds of AES.
pub(crate) trait Along<S: Isa> {
    fn step(&mut self, isa: S, k: usize);
}

impl Aes {
    /// `out[i] = H(xs[i] ^ tweak)`, for slices of the same length.
    pub fn hash_xored(&self, xs: &[Block], tweak: Block, out: &mut [Block]) {
        self.engine.run(HashXored { keys: &self.keys, xs, tweak, out });
    }
}

impl<S: Isa> Cipher<S> {
    /// `H` of a stream of vectors: along with each batch of eight, the next one is fetched and the last
    /// one delivered. AES in software has no idle units that could do so.
    #[inline(always)]
    pub fn stream(&self, vectors: usize, work: &mut impl Stream<S>) {
        let batches = if S::BLOCKS < MAX_BLOCKS { vectors / 8 } else { 0 };
        if batches > 0 {
            self.stream_wide(batches, work);
        }
        for at in 8 * batches..vectors {
            let [hash] = self.hash([work.fetch::<1>(self.isa, at, 0)]);
            work.deliver::<1>(self.isa, at, 0, hash);
        }
    }

    #[inline(always)]
    fn stream_wide(&self, batches: usize, work: &mut impl Stream<S>) {
        let none = [self.keys[0]; 8];
        let mut run = Neighbours { work, whitening: self.whitening, next: (0, none), last: (0, none) };
        for k in 0..8 {
            run.fetch(self.isa, k);
        }
        let first = run.next.1;
        run.next.0 = 1.min(batches - 1);
        run.last.1 = self.hash_along(first, &mut Fetching(&mut run));
        for batch in 1..batches {
            let current = run.next.1;
            run.next.0 = (batch + 1).min(batches - 1);
            run.last = (batch, self.hash_along(current, &mut run));
        }
        for k in 0..8 {
            run.deliver(self.isa, k);
        }
    }

    /// `H(x ^ whitening)` of eight vectors. AES alone would leave half of the vector units idle, so other
    /// work goes along with each of the first eight rounds.
    #[inline(always)]
    pub fn hash_along(&self, mut xs: [S::V; 8], work: &mut impl Along<S>) -> [S::V; 8] {
        for x in &mut xs {
            *x = self.isa.sigma(*x);
        }
        let mut ys = xs;
        // written out, because the compiler keeps a loop of so much work a loop
        self.round_along(&mut ys, 1, work);
        self.round_along(&mut ys, 2, work);
        self.round_along(&mut ys, 3, work);
        self.round_along(&mut ys, 4, work);
        self.round_along(&mut ys, 5, work);
        self.round_along(&mut ys, 6, work);
        self.round_along(&mut ys, 7, work);
        self.round_along(&mut ys, 8, work);
        self.round(&mut ys, self.keys[9]);
        for (y, x) in ys.iter_mut().zip(xs) {
            *y = self.isa.xor(self.isa.last_round(*y, self.closing), x);
        }
        ys
    }

    #[inline(always)]
    fn round_along(&self, ys: &mut [S::V; 8], round: usize, work: &mut impl Along<S>) {
        self.round(ys, self.keys[round]);
        work.step(self.isa, round - 1);
    }
}

/// `out[i] = H(xs[i] ^ tweak)`.
struct HashXored<'a> {
    keys: &'a [Block; 11],
    xs: &'a [Block],
    tweak: Block,
    out: &'a mut [Block],
}

impl<S: Isa> Op<S> for HashXored<'_> {
    type Out = ();

    #[inline(always)]
    fn call(mut self, isa: S) {
        let cipher = Cipher::new(isa, self.keys);
        let vectors = self.xs.len() / S::BLOCKS;
        cipher.stream(vectors, &mut self);
        let (rest, out) = (&self.xs[vectors * S::BLOCKS..], &mut self.out[vectors * S::BLOCKS..]);
        out.iter_mut().zip(rest).for_each(|(out, &x)| *out = x ^ self.tweak);
        hash_rest(&cipher, out);
    }
}

impl<S: Isa> Stream<S> for HashXored<'_> {
    #[inline(always)]
    fn fetch<const W: usize>(&self, isa: S, batch: usize, k: usize) -> S::V {
        isa.xor(isa.load(vector::<S, W>(self.xs, batch, k)), isa.splat(self.tweak))
    }

    #[inline(always)]
    fn deliver<const W: usize>(&mut self, isa: S, batch: usize, k: usize, hash: S::V) {
        isa.store(hash, vector_mut::<S, W>(self.out, batch, k));
    }
}

/// The batches of a stream before and after the one that is being hashed, with their numbers.
struct Neighbours<'a, S: Isa, T> {
    work: &'a mut T,
    whitening: S::V,
    next: (usize, [S::V; 8]),
    /// Hashes.
    last: (usize, [S::V; 8]),
}

/// The first batch has none before it.
struct Fetching<'a, 'b, S: Isa, T>(&'a mut Neighbours<'b, S, T>);

impl<S: Isa, T: Stream<S>> Neighbours<'_, S, T> {
    #[inline(always)]
    fn fetch(&mut self, isa: S, k: usize) {
        self.next.1[k] = isa.xor(self.work.fetch::<8>(isa, self.next.0, k), self.whitening);
    }

    #[inline(always)]
    fn deliver(&mut self, isa: S, k: usize) {
        self.work.deliver::<8>(isa, self.last.0, k, self.last.1[k]);
    }
}

impl<S: Isa, T: Stream<S>> Along<S> for Neighbours<'_, S, T> {
    #[inline(always)]
    fn step(&mut self, isa: S, k: usize) {
        self.fetch(isa, k);
        self.deliver(isa, k);
    }
}

impl<S: Isa, T: Stream<S>> Along<S> for Fetching<'_, '_, S, T> {
    #[inline(always)]
    fn step(&mut self, isa: S, k: usize) {
        self.0.fetch(isa, k);
    }
}
