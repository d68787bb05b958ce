//! Blocks one behind the other, and a text that goes on through them.

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
pub struct TransformerShape {
    /// Of a block, for the first vectors; others come where a vector sees those before it alone.
    pub block: BlockShape,
    /// How many, each with weights of its own: what one gives, the next one takes.
    pub blocks: usize,
    /// Vectors that come one by one after the first ones.
    pub further: usize,
}

/// Blocks for a text whose first vectors are there at once. Others may come one by one: each may depend on what came of those
/// before. Keys and values stay shared, and no vector is computed again.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Transformer {
    /// Those of what comes next, one behind the other.
    next: VecDeque<Vec<Block>>,
    /// One for each block.
    caches: Vec<Cache>,
}

impl TransformerShape {
    /// What all vectors take; keys that the session keeps once.
    ///
    /// # Errors
    /// As [`BlockShape::check`], for each part of the text.
    pub fn effort(&self, owner: Role, under: &Setting) -> Result<Effort> {
        let mut all = Effort::none();
        for (shape, parts) in self.parts() {
            let block = shape.effort(parts, owner, under)?;
            all = (0..self.blocks).fold(all, |all, _| all.then(block.clone()));
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

impl Transformer {
    /// Offline; `owner` gives the weights of each block.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are weights for each block, [`Error::Param`] for vectors before the first ones, and those of
    /// [`Block::prepare`].
    pub fn prepare(
        p: &mut Party,
        shape: TransformerShape,
        owner: Role,
        weights: Option<&[Weights]>,
    ) -> Result<Self> {
        if shape.block.before > 0 {
            let (what, got) = ("vectors before the first ones of a text", shape.block.before.to_string());
            return Err(Error::Param { what, got, accepted: "none".into() });
        }
        if let Some(weights) = weights {
            same("weights of blocks", shape.blocks, weights.len())?;
        }
        p.announce(&format!("transformer: {} blocks, {} vectors one by one", shape.blocks, shape.further))?;
        let mut next: VecDeque<_> = (0..=shape.further).map(|_| Vec::with_capacity(shape.blocks)).collect();
        for block in 0..shape.blocks {
            let weights = weights.map(|weights| &weights[block]);
            let mut of_block = Vec::with_capacity(1 + shape.further);
            for (shape, parts) in shape.parts() {
                of_block.extend(Block::prepare_parts(p, shape, parts, owner, weights)?);
            }
            next.iter_mut().zip(of_block).for_each(|(blocks, block)| blocks.push(block));
        }
        Ok(Self { next, caches: (0..shape.blocks).map(|_| Cache::default()).collect() })
    }

    /// With the blocks of another one behind these: those of each may be made in a lane of its own.
    ///
    /// # Errors
    /// [`Error::Shape`] unless both take vectors as many times.
    pub fn then(mut self, mut other: Self) -> Result<Self> {
        same("times that blocks take vectors", self.left(), other.left())?;
        self.next.iter_mut().zip(&mut other.next).for_each(|(blocks, more)| blocks.append(more));
        self.caches.append(&mut other.caches);
        Ok(self)
    }

    /// How many times it still takes vectors: the first ones once, and then one each time.
    pub fn left(&self) -> usize {
        self.next.len()
    }

    /// Online: what the last block gives for the vectors that come next. Spends the material for them.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the vectors are as many as come next and as wide, and when there is no material left, which spends
    /// none; and those of the channel, after which there is no material left.
    pub fn eval(&mut self, s: &mut Session, x: &Fixed<u64>) -> Result<Fixed<u64>> {
        let Some(blocks) = self.next.front() else {
            return Err(Error::Shape {
                what: "vectors that a transformer has material for",
                want: 1,
                got: 0,
            });
        };
        blocks.first().map_or(Ok(()), |block| block.check(x))?;
        let blocks = self.next.pop_front().unwrap_or_default();
        let mut each = blocks.into_iter().zip(&mut self.caches);
        let done = each.try_fold(x.clone(), |x, (block, cache)| block.eval_after(s, &x, cache));
        if done.is_err() {
            // Some blocks have these vectors and others do not.
            self.next.clear();
        }
        done
    }
}
