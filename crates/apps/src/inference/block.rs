//! A block: attention, two layers, and what lies between.

use hushtable::{
    Error, Party, Result, Role,
    arith::{Factor, Fixed, matrix_product},
    math::{Affine, Gelu, Norm, Softmax},
};

use super::{
    BlockShape, Scales, Weights,
    linear::{gathered, layer, rounded},
};

/// What a vector that must not be seen has in place of its score: `e^-64` is nothing.
const UNSEEN: u64 = 64;

/// One-time material for a block.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Block {
    shape: BlockShape,
    norm: Norm,
    softmax: Softmax,
    last_norm: Norm,
    gelu: Gelu,
}

impl Block {
    /// Offline.
    ///
    /// # Errors
    /// As [`BlockShape::check`], and those of the channel.
    pub fn prepare(p: &mut Party, shape: BlockShape) -> Result<Self> {
        shape.check()?;
        let norm = Norm::prepare(p, shape.norm())?;
        let softmax = Softmax::prepare(p, shape.softmax())?;
        let last_norm = Norm::prepare(p, shape.norm())?;
        let gelu = Gelu::prepare(p, shape.gelu())?;
        Ok(Self { shape, norm, softmax, last_norm, gelu })
    }

    /// Online: shares of the block's result for shared vectors, one behind the other. `owner` knows the
    /// weights and gives them. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless vectors and weights are those of the shape, [`Error::Param`] for a weight
    /// that does not fit and if not just the owner gives weights, and those of the channel.
    pub fn eval(
        self,
        p: &mut Party,
        x: &Fixed<u64>,
        owner: Role,
        weights: Option<&Weights>,
    ) -> Result<Fixed<u64>> {
        let Self { shape, norm, softmax, last_norm, gelu } = self;
        check(&shape, p.role(), x, owner, weights)?;
        let normed = norm.eval(p, x, &affine(&shape, p.role(), owner, weights.map(|w| &w.norm)))?;
        let attended = shape.attention(p, softmax, &normed, owner, weights)?;
        let x = x.plus(&attended)?;
        let normed =
            last_norm.eval(p, &x, &affine(&shape, p.role(), owner, weights.map(|w| &w.last_norm)))?;
        let BlockShape { width, hidden, .. } = shape;
        let up = layer(p, &shape, shape.layer(width, hidden), &normed, weights.map(|w| &w.up), owner)?;
        let bent = gelu.eval(p, &up)?;
        let down = layer(p, &shape, shape.layer(hidden, width), &bent, weights.map(|w| &w.down), owner)?;
        x.plus(&down)
    }
}

impl BlockShape {
    /// What the heads see, and what is made of it.
    fn attention(
        &self,
        p: &mut Party,
        softmax: Softmax,
        x: &Fixed<u64>,
        owner: Role,
        weights: Option<&Weights>,
    ) -> Result<Fixed<u64>> {
        let Self { sequence, width, heads, scale, .. } = *self;
        let head = self.head();
        let of = self.layer(width, 3 * width);
        let made = layer(p, self, of, x, weights.map(|w| &w.attention), owner)?;
        // Number c of vector i in head h: of the queries, keys and values, which are `part` 0, 1 and 2.
        let at = move |part: usize, h: usize, i: usize, c: usize| i * 3 * width + part * width + h * head + c;
        let each = move |a: usize, b: usize| {
            (0..heads).flat_map(move |h| (0..a).flat_map(move |i| (0..b).map(move |c| (h, i, c))))
        };
        let queries = gathered(&made, each(sequence, head).map(|(h, i, c)| at(0, h, i, c)))?;
        // Transposed.
        let keys = gathered(&made, each(head, sequence).map(|(h, c, i)| at(1, h, i, c)))?;
        let values = gathered(&made, each(sequence, head).map(|(h, i, c)| at(2, h, i, c)))?;
        let scores = products(p, self.scores(), &queries, &keys)?;
        let scores = self.hidden_from(p.role(), &scores)?;
        let chances = softmax.eval(p, &scores)?;
        let mixed = products(p, self.mixture(), &chances, &values)?;
        let places = (0..sequence * width).map(|k| {
            let (i, h, c) = (k / width, k % width / head, k % head);
            (h * sequence + i) * head + c
        });
        let mixed = gathered(&mixed, places)?;
        debug_assert_eq!(mixed.scale(), scale);
        layer(p, self, self.layer(width, width), &mixed, weights.map(|w| &w.output), owner)
    }

    /// The scores without those of vectors that come later. Local.
    fn hidden_from(&self, role: Role, scores: &Fixed<u64>) -> Result<Fixed<u64>> {
        if !self.causal {
            return Ok(scores.clone());
        }
        let n = self.sequence;
        let later = |k: usize| k % n > k / n % n;
        // Those are public: both parties put shares of a public number there.
        let number = (UNSEEN << self.scale).wrapping_neg();
        let public = if role == Role::P0 { number } else { 0 };
        let words = scores.share().words().iter().enumerate();
        let words = words.map(|(k, &w)| if later(k) { public } else { w }).collect();
        Fixed::new(hushtable::AShare::new(self.bits, words), self.scale)
    }
}

/// Products of shared matrices, rounded. 2 rounds.
fn products(
    p: &mut Party,
    shape: hushtable::arith::Shape,
    a: &Fixed<u64>,
    b: &Fixed<u64>,
) -> Result<Fixed<u64>> {
    let product = matrix_product(p, shape, Factor::shared(a.share()), Factor::shared(b.share()))?;
    rounded(p, &product, a.scale() + b.scale(), a.scale())
}

fn affine(shape: &BlockShape, role: Role, owner: Role, scales: Option<&Scales>) -> Affine {
    match scales {
        Some(s) => Affine::own(owner, s.gains.to_vec(), s.offsets.to_vec()),
        None => Affine::of_peer(role, shape.width),
    }
}

fn check(
    shape: &BlockShape,
    role: Role,
    x: &Fixed<u64>,
    owner: Role,
    weights: Option<&Weights>,
) -> Result<()> {
    if weights.is_some() != (role == owner) {
        let (what, got) = ("weights of a block", format!("given by {role:?}: {}", weights.is_some()));
        return Err(Error::Param { what, got, accepted: format!("given by {owner:?} alone") });
    }
    let pairs = [
        ("numbers of the vectors of a block", shape.sequence * shape.width, x.len()),
        ("bits of the numbers of a block", shape.bits as usize, x.bits() as usize),
        ("scale of the numbers of a block", shape.scale as usize, x.scale() as usize),
    ];
    if let Some((what, want, got)) = pairs.into_iter().find(|(_, want, got)| want != got) {
        return Err(Error::Shape { what, want, got });
    }
    weights.map_or(Ok(()), |w| w.check(shape))
}
