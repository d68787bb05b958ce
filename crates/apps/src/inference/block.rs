//! A block: attention, two layers, and what lies between.

use hushtable::{
    Error, Party, Result, Role,
    arith::Fixed,
    bill::Bill,
    math::{Affine, Gelu, Norm, Softmax},
    session::Session,
};

use super::{
    BlockShape, Layer, Norms, Scales, Weights,
    linear::{Linear, Products, gathered},
    shape::UNSEEN,
};

/// One-time material for a block.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Block {
    shape: BlockShape,
    owner: Role,
    norm: Norm,
    attention: Attention,
    last_norm: Norm,
    up: Linear,
    gelu: Gelu,
    down: Linear,
}

/// What the heads take.
struct Attention {
    first: Linear,
    scores: Products,
    softmax: Softmax,
    mixture: Products,
    last: Linear,
}

impl Block {
    /// Offline; `owner` gives the weights.
    ///
    /// # Errors
    /// As [`BlockShape::check`], [`Error::Shape`] unless the weights are those of the shape, [`Error::Param`] for one that does
    /// not fit and if not just the owner gives weights, and those of the channel.
    pub fn prepare(p: &mut Party, shape: BlockShape, owner: Role, weights: Option<&Weights>) -> Result<Self> {
        shape.check()?;
        check_weights(&shape, p.role(), owner, weights)?;
        let [first, last, up, down] = shape.layers();
        let linear = |p: &mut Party, of, layer: fn(&Weights) -> &Layer, names| {
            Linear::prepare(p, &shape, of, owner, (weights.map(layer), names))
        };
        let norm = Norm::prepare(p, shape.norm(owner))?;
        let attention = Attention {
            first: linear(
                p,
                first,
                |w| &w.attention,
                ["weight of queries, keys and values", "bias of queries, keys and values"],
            )?,
            scores: Products::prepare(p, &shape, shape.scores())?,
            softmax: Softmax::prepare(p, shape.softmax())?,
            mixture: Products::prepare(p, &shape, shape.mixture())?,
            last: linear(
                p,
                last,
                |w| &w.output,
                ["weight of the heads' results", "bias of the heads' results"],
            )?,
        };
        let last_norm = Norm::prepare(p, shape.norm(owner))?;
        let up = linear(p, up, |w| &w.up, ["weight to the hidden numbers", "bias of the hidden numbers"])?;
        let gelu = Gelu::prepare(p, shape.gelu())?;
        let down = linear(p, down, |w| &w.down, ["weight from the hidden numbers", "bias of the results"])?;
        Ok(Self { shape, owner, norm, attention, last_norm, up, gelu, down })
    }

    /// Online: shares of the block's result for shared vectors, one behind the other; the owner of the weights
    /// gives those for which it prepared. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless vectors and weights are those of the shape, [`Error::Param`] for a weight
    /// that does not fit and if not just the owner gives weights, and those of the channel.
    pub fn eval(self, s: &mut Session, x: &Fixed<u64>, weights: Option<&Weights>) -> Result<Fixed<u64>> {
        let Self { shape, owner, norm, attention, last_norm, up, gelu, down } = self;
        let role = s.role();
        check(&shape, role, x, owner, weights)?;
        let [scales, last_scales] = [weights.map(|w| &w.norm), weights.map(|w| &w.last_norm)]
            .map(|scales| affine(&shape, role, owner, scales));
        let layers = |s: &mut Session, x: &Fixed<u64>| {
            let up = up.apply(s, x)?;
            let bent = gelu.eval(s, &up)?;
            down.apply(s, &bent)
        };
        match shape.norms {
            Norms::First => {
                let normed = norm.eval(s, x, &scales)?;
                let x = x.plus(&attention.eval(s, &shape, &normed)?)?;
                let normed = last_norm.eval(s, &x, &last_scales)?;
                x.plus(&layers(s, &normed)?)
            }
            Norms::Last => {
                let sum = x.plus(&attention.eval(s, &shape, x)?)?;
                let x = norm.eval(s, &sum, &scales)?;
                let sum = x.plus(&layers(s, &x)?)?;
                last_norm.eval(s, &sum, &last_scales)
            }
        }
    }
}

impl Attention {
    /// What the heads see, and what is made of it.
    fn eval(self, s: &mut Session, shape: &BlockShape, x: &Fixed<u64>) -> Result<Fixed<u64>> {
        let BlockShape { sequence, width, heads, scale, .. } = *shape;
        let head = shape.head();
        let made = self.first.apply(s, x)?;
        // Number c of vector i in head h: of the queries, keys and values, which are `part` 0, 1 and 2.
        let at = move |part: usize, h: usize, i: usize, c: usize| i * 3 * width + part * width + h * head + c;
        let each = move |a: usize, b: usize| {
            (0..heads).flat_map(move |h| (0..a).flat_map(move |i| (0..b).map(move |c| (h, i, c))))
        };
        let queries = gathered(&made, each(sequence, head).map(|(h, i, c)| at(0, h, i, c)))?;
        // Transposed.
        let keys = gathered(&made, each(head, sequence).map(|(h, c, i)| at(1, h, i, c)))?;
        let values = gathered(&made, each(sequence, head).map(|(h, i, c)| at(2, h, i, c)))?;
        let scores = self.scores.multiply(s, &queries, &keys)?;
        let scores = shape.hidden_from(s.role(), &scores)?;
        let chances = self.softmax.eval(s, &scores)?;
        let mixed = self.mixture.multiply(s, &chances, &values)?;
        let places = (0..sequence * width).map(|k| {
            let (i, h, c) = (k / width, k % width / head, k % head);
            (h * sequence + i) * head + c
        });
        let mixed = gathered(&mixed, places)?;
        assert_eq!(mixed.scale(), scale);
        self.last.apply(s, &mixed)
    }
}

impl BlockShape {
    /// What a block costs whose weights `owner` knows.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn bill(&self, owner: Role) -> Result<Bill> {
        self.check()?;
        let norm = self.norm(owner).bill()?;
        let parts = [norm, self.softmax().bill()?, norm, self.gelu().bill()?];
        Ok(parts.into_iter().fold(self.linear_bill(owner)?, Bill::then))
    }

    /// What the linear layers and the attention's products cost, without keys that the session keeps.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn linear_bill(&self, owner: Role) -> Result<Bill> {
        let layers = self.layers().map(|of| Linear::bill(self, of, owner));
        let products = [self.scores(), self.mixture()].map(|of| Products::bill(self, of));
        layers.into_iter().chain(products).try_fold(Bill::FREE, |sum, bill| Ok(sum.then(bill?)))
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
    check_weights(shape, role, owner, weights)?;
    let pairs = [
        ("numbers of the vectors of a block", shape.sequence * shape.width, x.len()),
        ("bits of the numbers of a block", shape.bits as usize, x.bits() as usize),
        ("scale of the numbers of a block", shape.scale as usize, x.scale() as usize),
    ];
    match pairs.into_iter().find(|(_, want, got)| want != got) {
        Some((what, want, got)) => Err(Error::Shape { what, want, got }),
        None => Ok(()),
    }
}

fn check_weights(shape: &BlockShape, role: Role, owner: Role, weights: Option<&Weights>) -> Result<()> {
    if weights.is_some() != (role == owner) {
        let (what, got) = ("weights of a block", format!("given by {role:?}: {}", weights.is_some()));
        return Err(Error::Param { what, got, accepted: format!("given by {owner:?} alone") });
    }
    weights.map_or(Ok(()), |w| w.check(shape))
}
