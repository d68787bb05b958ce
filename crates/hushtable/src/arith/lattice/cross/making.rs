//! The making of products: what is sent, answered and opened.

use std::ops::{Deref, Range};

use he::{Ciphertext, Evaluator, Mask, Multiplier, Packer, Plain, Response, Seeded};
use prim::{Prg, Wiped};
use zeroize::{Zeroize, Zeroizing};

use super::{
    super::keys::{Keys, NUMBER, put, receive},
    Cross, HELD, Ready, Side,
};
use crate::{
    cores,
    error::{Error, Result},
    party::Party,
    session::Session,
};

/// Rows of tiles that a core answers at once: it holds so many ciphertexts for each level of packing, and transforms known
/// tiles once for all of them.
pub(super) const ROWS: usize = 32;

impl Cross {
    /// Adds to `sums` this party's shares of these products, which are of one batch and shape: beside one another where the
    /// channel holds a product of each. Of product i `encrypted` gives the matrix, row by row, that this party encrypts, and
    /// `known` the one that it multiplies by.
    ///
    /// # Errors
    /// Those of the channel.
    pub(in crate::arith) fn multiply<'a>(
        crosses: &[Self],
        p: &mut Party,
        encrypted: &dyn Fn(usize) -> &'a [u64],
        known: &dyn Fn(usize) -> &'a [i64],
        sums: &mut [u64],
    ) -> Result<()> {
        let with_keys = |cross: &Self| Ok((*cross, cross.ready(p)?));
        let crosses = crosses.iter().map(with_keys).collect::<Result<Vec<_>>>()?;
        let Some((cross, _)) = crosses.first() else { return Ok(()) };
        let (s, out) = (p.session(), cross.tiling.shape().out());
        let (batch, together) = (cross.batch, cross.together());
        let beside = if cross.is_held() { crosses.len() } else { 1 };
        for (first, sums) in (0..batch).step_by(together).zip(sums.chunks_mut(together * out)) {
            let some = || first..batch.min(first + together);
            for beside in crosses.chunks(beside) {
                for (cross, ready) in beside {
                    cross.send(s, ready, &mut some().map(encrypted))?;
                }
                for (cross, ready) in beside {
                    cross.answer(s, ready, &mut some().map(known), sums)?;
                }
                for (cross, ready) in beside {
                    cross.open(s, ready, sums)?;
                }
            }
        }
        Ok(())
    }

    /// As the encryptor: sends its matrices. Nothing at the other party.
    pub(super) fn send(
        &self,
        s: &mut Session,
        ready: &Ready,
        matrices: &mut dyn Iterator<Item = &[u64]>,
    ) -> Result<()> {
        let Keys::Encryptor(key) = &ready.keys else { return Ok(()) };
        for matrix in matrices {
            let matrix = self.oriented(matrix, self.tiling.shape().rows());
            for tile in 0..self.tiling.counts().encrypted {
                let mut message = Vec::with_capacity(NUMBER + Seeded::len(self.params));
                let tile = Wiped::from(self.tiling.encrypted_tile(&matrix, tile));
                put(&key.encrypt(s.rng(), &tile), &mut message);
                s.send(message)?;
            }
        }
        Ok(())
    }

    /// As the other party: takes them, multiplies them by its own, and answers; adds its shares of the products to `sums`.
    /// Nothing at the encryptor.
    pub(super) fn answer(
        &self,
        s: &mut Session,
        ready: &Ready,
        matrices: &mut dyn Iterator<Item = &[i64]>,
        sums: &mut [u64],
    ) -> Result<()> {
        let Keys::Evaluator(evaluator, seed) = &ready.keys else { return Ok(()) };
        let (counts, ring, rows) = (self.tiling.counts(), evaluator.ring(), self.tiling.row_tiles());
        let levels: Vec<_> =
            ready.packing.iter().map(|key| (**key).as_ref().expect("a key that was sent")).collect();
        let shape = self.tiling.shape();
        // As many products as give each core some of them, where memory has room for them.
        let [up, _] = self.sent();
        let pieces = counts.responses / rows * rows.div_ceil(ROWS);
        let at_once = (4 * s.cores()).div_ceil(pieces).min(HELD / up).max(1);
        let each = sums.chunks_mut(at_once * shape.out());
        for products in each {
            let one = |matrix| {
                let encrypted =
                    (0..counts.encrypted).map(|_| receive(s, ring, seed)).collect::<Result<Vec<_>>>()?;
                Ok((encrypted, self.oriented(matrix, shape.inner())))
            };
            let given = matrices.take(at_once).map(one).collect::<Result<Vec<_>>>()?;
            let some = given.iter().enumerate().flat_map(|(i, given)| {
                let ends = (0..counts.responses).step_by(rows).map(move |first| first + rows);
                let pieces = ends.flat_map(move |end| {
                    (end - rows..end).step_by(ROWS).map(move |first| first..end.min(first + ROWS))
                });
                pieces.map(move |responses| (i, given, responses))
            });
            // Each has a generator of its own, so that threads need not wait for each other: in a box, since it is moved.
            let pieces: Vec<_> = some
                .map(|(i, given, responses)| (i, given, responses, Box::new(Prg::new(s.rng().block()))))
                .collect();
            let begin = || (Packer::new(ring, levels.clone()), Multiplier::new(ring));
            let answered = cores::map(
                s.cores(),
                pieces,
                begin,
                |memory, (i, (encrypted, matrix), responses, mut rng)| {
                    let first = responses.start;
                    (i, first, self.respond(evaluator, memory, &mut rng, encrypted, matrix, responses))
                },
            );
            for (i, first, answers) in answered {
                let sums = &mut products[i * shape.out()..(i + 1) * shape.out()];
                for (response, (message, mask)) in (first..).zip(answers) {
                    self.add(&self.tiling.outputs(response), &mask, sums);
                    s.send(message)?;
                }
            }
        }
        Ok(())
    }

    /// The messages for some rows of some columns of a product, and this party's shares.
    fn respond<'a>(
        &self,
        evaluator: &'a Evaluator,
        (packer, multiplier): &mut (Packer<'a>, Multiplier<'a>),
        rng: &mut Prg,
        encrypted: &[Ciphertext],
        matrix: &[i64],
        responses: Range<usize>,
    ) -> Vec<(Vec<u8>, Mask)> {
        let (tiling, mut plain) = (&self.tiling, Vec::new());
        // Each known tile of columns is transformed once, for all rows.
        let (first, rows) = (responses.start, responses.len());
        let sums = packer.pack(rows, &mut |part, sums| {
            for (row, sum) in sums.iter_mut().enumerate() {
                let pairs: Vec<[usize; 2]> = tiling.pairs(first + row, part).collect();
                if row == 0 {
                    for (q, [_, tile]) in pairs.iter().enumerate() {
                        if plain.len() == q {
                            plain.push(multiplier.zero());
                        }
                        let tile = Zeroizing::new(tiling.plain_tile(matrix, *tile));
                        multiplier.plain(&tile, tiling.packed(), &mut plain[q]);
                    }
                }
                let pairs: Vec<(&Ciphertext, &Plain)> =
                    pairs.iter().zip(&plain).map(|([x, _], plain)| (&encrypted[*x], plain)).collect();
                multiplier.products(&pairs, sum);
            }
        });
        let one = |(row, sum): (usize, &Ciphertext)| {
            let places: Vec<usize> =
                tiling.outputs(first + row).into_iter().map(|(place, _)| place).collect();
            let (response, mask) = evaluator.respond(rng, sum, &places);
            let mut message = Vec::with_capacity(Response::len(self.params, places.len()));
            response.encode(self.params, &mut message);
            (message, mask)
        };
        let answers = sums.iter().enumerate().map(one).collect();
        packer.take_back(sums);
        answers
    }

    /// As the encryptor: takes the answers, and adds its shares of the products to `sums`. Nothing at the other party.
    fn open(&self, s: &mut Session, ready: &Ready, sums: &mut [u64]) -> Result<()> {
        let Keys::Encryptor(key) = &ready.keys else { return Ok(()) };
        for sums in sums.chunks_exact_mut(self.tiling.shape().out()) {
            for response in 0..self.tiling.counts().responses {
                let outputs = self.tiling.outputs(response);
                let places: Vec<usize> = outputs.iter().map(|(place, _)| *place).collect();
                let bytes = s.recv(Response::len(self.params, places.len()))?;
                let response =
                    Response::decode(self.params, places.len(), &bytes).map_err(Error::of_lattice)?;
                self.add(&outputs, &key.open(&response, &places), sums);
            }
        }
        Ok(())
    }

    /// Adds shares of a response's outputs to those of a product.
    pub(super) fn add(&self, outputs: &[(usize, usize)], shares: &[u64], sums: &mut [u64]) {
        for ((_, at), share) in outputs.iter().zip(shares) {
            let sum = &mut sums[self.place(*at)];
            *sum = sum.wrapping_add(*share);
        }
    }

    /// A matrix as it is multiplied: as given, or of so many columns and transposed.
    fn oriented<'a, T: Copy + Zeroize>(&self, matrix: &'a [T], columns: usize) -> Oriented<'a, T> {
        match self.side {
            Side::Left => Oriented::Given(matrix),
            Side::Right => {
                // Never grows, so that no part of it is left behind.
                let mut transposed = Zeroizing::new(Vec::with_capacity(matrix.len()));
                (0..columns)
                    .for_each(|column| transposed.extend(matrix.iter().skip(column).step_by(columns)));
                Oriented::Transposed(transposed)
            }
        }
    }

    /// Where an output of the tiles stands in the product.
    fn place(&self, at: usize) -> usize {
        let shape = self.tiling.shape();
        match self.side {
            Side::Left => at,
            Side::Right => at % shape.columns() * shape.rows() + at / shape.columns(),
        }
    }
}

/// A matrix as it is multiplied.
enum Oriented<'a, T: Zeroize> {
    Given(&'a [T]),
    Transposed(Zeroizing<Vec<T>>),
}

impl<T: Zeroize> Deref for Oriented<'_, T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        match self {
            Self::Given(matrix) => matrix,
            Self::Transposed(matrix) => matrix,
        }
    }
}
