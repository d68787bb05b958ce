//! A text that goes on through blocks, one behind the other.

use std::collections::VecDeque;

use hushtable::{
    Error, Party, Result, Role,
    arith::Fixed,
    bill::{Bill, Effort},
    error::same,
    ot::Setting,
    session::Session,
};

use super::{Block, BlockShape, Cache, Weights};

/// What the parties agree on. Public.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DecoderShape {
    /// Of a block, for the first vectors.
    pub block: BlockShape,
    /// Blocks, each with weights of its own: what one gives, the next one takes.
    pub layers: usize,
    /// Vectors that come one by one after the first ones.
    pub further: usize,
}

/// Blocks for a text whose first vectors are there at once, and whose others come one by one: each may depend on what came of
/// those before. Keys and values stay shared, and no vector is computed again.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Decoder {
    /// Blocks of what comes next, each for its layer.
    next: VecDeque<Vec<Block>>,
    /// One for each layer.
    caches: Vec<Cache>,
}

impl DecoderShape {
    /// What all vectors take; keys that the session keeps once.
    ///
    /// # Errors
    /// As [`BlockShape::check`], for each part of the text.
    pub fn effort(&self, owner: Role, under: &Setting) -> Result<Effort> {
        let mut all = Effort::none();
        for (shape, parts) in self.parts() {
            let layer = shape.effort(parts, owner, under)?;
            all = (0..self.layers).fold(all, |all, _| all.then(layer.clone()));
        }
        Ok(all)
    }

    /// What all vectors cost, without keys that the session keeps.
    ///
    /// # Errors
    /// As [`effort`](Self::effort).
    pub fn bill(&self, owner: Role) -> Result<Bill> {
        self.effort(owner, &Setting::default()).map(|effort| effort.bill())
    }

    /// Makes the keys that a session keeps.
    ///
    /// # Errors
    /// As [`effort`](Self::effort), and those of the channel.
    pub fn set_up(&self, p: &mut Party, owner: Role) -> Result<()> {
        self.parts().try_for_each(|(shape, parts)| shape.set_up(p, parts, owner))
    }

    /// The first vectors, and those after them: shapes, and how many parts of the text have it.
    fn parts(&self) -> impl Iterator<Item = (BlockShape, usize)> + use<> {
        let block = self.block;
        let further = BlockShape { sequence: 1, before: block.before + block.sequence, ..block };
        [(block, 1), (further, self.further)].into_iter().filter(|(_, parts)| *parts > 0)
    }
}

impl Decoder {
    /// Offline; `owner` gives the weights of each layer.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are weights for each layer, [`Error::Param`] for vectors before the first ones, and those of
    /// [`Block::prepare`].
    pub fn prepare(
        p: &mut Party,
        shape: DecoderShape,
        owner: Role,
        weights: Option<&[Weights]>,
    ) -> Result<Self> {
        if shape.block.before > 0 {
            let (what, got) = ("vectors before the first ones of a text", shape.block.before.to_string());
            return Err(Error::Param { what, got, accepted: "none".into() });
        }
        if let Some(weights) = weights {
            same("weights of layers", shape.layers, weights.len())?;
        }
        p.announce(&format!("decoder: {} blocks, {} vectors one by one", shape.layers, shape.further))?;
        let mut next: VecDeque<_> = (0..=shape.further).map(|_| Vec::with_capacity(shape.layers)).collect();
        for layer in 0..shape.layers {
            let weights = weights.map(|weights| &weights[layer]);
            let mut of_layer = Vec::with_capacity(1 + shape.further);
            for (shape, parts) in shape.parts() {
                of_layer.extend(Block::prepare_parts(p, shape, parts, owner, weights)?);
            }
            next.iter_mut().zip(of_layer).for_each(|(blocks, block)| blocks.push(block));
        }
        Ok(Self { next, caches: (0..shape.layers).map(|_| Cache::default()).collect() })
    }

    /// How many times it still takes vectors: the first ones once, and then one each time.
    pub fn left(&self) -> usize {
        self.next.len()
    }

    /// Online: what the last layer gives for the vectors that come next. Spends the material for them.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the vectors are as many as come next and as wide, and when there is no material left, which spends
    /// none; and those of the channel, after which there is no material left.
    pub fn eval(&mut self, s: &mut Session, x: &Fixed<u64>) -> Result<Fixed<u64>> {
        let Some(blocks) = self.next.front() else {
            return Err(Error::Shape { what: "vectors that a decoder has material for", want: 1, got: 0 });
        };
        blocks.first().map_or(Ok(()), |block| block.check(x))?;
        let blocks = self.next.pop_front().unwrap_or_default();
        let mut layers = blocks.into_iter().zip(&mut self.caches);
        let done = layers.try_fold(x.clone(), |x, (block, cache)| block.eval_after(s, &x, cache));
        if done.is_err() {
            // Some layers have these vectors and others do not.
            self.next.clear();
        }
        done
    }
}
