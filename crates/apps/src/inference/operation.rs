//! A block as an operation, which runs as any other.

use std::sync::Arc;

use hushtable::{
    AShare, Error, Result, Role,
    arith::Fixed,
    bill::Bill,
    operation::{Held, Material, Operation, Words},
    session::Session,
    share::Sharing,
    source::Origin,
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

/// Takes this party's words of the vectors, one behind the other.
impl Operation for BlockJob {
    fn name(&self) -> String {
        "transformer block".into()
    }

    fn method(&self) -> String {
        "attention and two layers with GELU".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let BlockShape { sequence, width, heads, hidden, causal, bits, scale, largest, .. } = self.shape;
        vec![
            ("shape", format!("{sequence} vectors of {width}, {heads} heads, {hidden} hidden")),
            ("causal", causal.to_string()),
            ("numbers", format!("{bits} bits, {scale} behind the point, up to {largest}")),
            ("objective", format!("{:?}", self.shape.objective)),
            ("owner of the weights", format!("{:?}", self.owner)),
        ]
    }

    fn result(&self) -> Held {
        let BlockShape { bits, scale, .. } = self.shape;
        Held { sharing: Sharing::Additive, bits, fraction: scale, range: None }
    }

    fn bill(&self, _items: usize) -> Result<Bill> {
        self.shape.bill(self.owner)
    }

    fn most(&self) -> Option<usize> {
        None
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (block, shape) = (Block::prepare(from, self.shape, self.owner)?, self.shape);
        Ok(Box::new(Prepared { block, shape, weights: self.weights.clone(), items }))
    }
}

/// A block's material, and what its owner gives.
struct Prepared {
    block: Block,
    shape: BlockShape,
    weights: Option<Arc<Weights>>,
    items: usize,
}

impl Material for Prepared {
    fn items(&self) -> usize {
        self.items
    }

    fn eval(self: Box<Self>, s: &mut Session, operands: &[&[u64]]) -> Result<Words> {
        let &[x] = operands else {
            return Err(Error::Shape { what: "operands", want: 1, got: operands.len() });
        };
        let x = Fixed::new(AShare::new(self.shape.bits, x.to_vec()), self.shape.scale)?;
        let y = self.block.eval(s, &x, self.weights.as_deref())?;
        Ok(Words::new(y.share().words().to_vec()))
    }
}
