//! A block as an operation, which runs as any other.

use std::{iter::repeat_n, sync::Arc};

use hushtable::{
    AShare, Party, Result, Role,
    arith::Fixed,
    bill::{Bill, Effort},
    error::same,
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
};

use super::{Block, BlockShape, Weights};

/// A block, at one party.
#[derive(Clone)]
pub struct BlockJob {
    /// The shape, the same at both parties.
    pub shape: BlockShape,
    /// Who knows the weights.
    pub owner: Role,
    /// Its weights, at the owner alone.
    pub weights: Option<Arc<Weights>>,
}

/// Takes this party's words of the vectors, one behind the other. An item is a whole sequence: its vectors attend to
/// one another. Not stored.
impl Operation for BlockJob {
    fn name(&self) -> String {
        "transformer block".into()
    }

    fn method(&self) -> String {
        "attention and two layers with GELU".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        self.shape.fields(self.owner)
    }

    fn signature(&self) -> Signature {
        let BlockShape { sequence, width, bits, scale, .. } = self.shape;
        let vectors = Port::additive("vectors", bits).of(sequence * width).scaled(scale);
        Signature::new([vectors], vectors)
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(self.shape.bill(self.owner)?.repeated(items))
    }

    fn effort(&self, items: usize, under: &Setting) -> Result<Effort> {
        let one = self.shape.effort(1, self.owner, under)?;
        Ok(repeat_n(one, items).reduce(Effort::then).unwrap_or_else(Effort::none))
    }

    fn most(&self) -> usize {
        1
    }

    /// A block takes 34 million of BERT's shape: each function makes its own.
    fn stocks(&self) -> bool {
        false
    }

    fn set_up(&self, p: &mut Party, _: usize) -> Result<()> {
        self.shape.set_up(p, 1, self.owner)
    }

    fn prepare(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        let weights = self.weights.as_deref();
        same("vectors before those of a block that runs as an operation", 0, self.shape.before)?;
        let blocks = (0..items).map(|_| Block::prepare(p, self.shape, self.owner, weights));
        let blocks: Vec<Block> = blocks.collect::<Result<_>>()?;
        let shape = self.shape;
        Ok(spend(items, move |s, given| {
            let [x] = operands(given)?;
            let BlockShape { sequence, width, bits, scale, .. } = shape;
            same("words of the sequences", items * sequence * width, x.len())?;
            // Never grows, so that no part of it is left behind.
            let mut out = Words::new(Vec::with_capacity(x.len()));
            for (block, x) in blocks.into_iter().zip(x.chunks_exact((sequence * width).max(1))) {
                let x = Fixed::new(AShare::new(bits, x.to_vec()), scale)?;
                out.extend_from_slice(block.eval(s, &x)?.share().words());
            }
            Ok(vec![out])
        }))
    }
}
