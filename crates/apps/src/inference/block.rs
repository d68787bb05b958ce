//! A block: attention, two layers, and what lies between.

use hushtable::{
    Error, Party, Result, Role,
    arith::Fixed,
    bill::{Bill, Effort},
    error::same,
    math::{Affine, Gelu, Norm, Softmax},
    operation::Operation,
    ot::Setting,
    session::Session,
};

use super::{
    BlockShape, LinearWeights, NormWeights, Norms, Weights,
    linear::{Linear, Products, gathered},
};

/// One-time material for a block.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Block {
    shape: BlockShape,
    norm: Norm,
    attention: Attention,
    last_norm: Norm,
    up: Linear,
    gelu: Gelu,
    down: Linear,
}

/// Shares of the keys and values of vectors that a block has seen: of a text that goes on, for what comes next. One for each
/// block: the cache of another one gives numbers without meaning.
#[derive(Default)]
pub struct Cache {
    /// Width of vectors and heads; keys and values.
    seen: Option<([usize; 2], [Fixed<u64>; 2])>,
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
        let mut one = Self::prepare_parts(p, shape, 1, owner, weights)?;
        Ok(one.remove(0))
    }

    /// Offline, for so many parts of a text that goes on: each has as many vectors as the shape, and those of the parts before
    /// it are before it. The linear layers of all are made together, since the weights are the same.
    ///
    /// # Errors
    /// As [`prepare`](Self::prepare).
    pub fn prepare_parts(
        p: &mut Party,
        shape: BlockShape,
        parts: usize,
        owner: Role,
        weights: Option<&Weights>,
    ) -> Result<Vec<Self>> {
        shape.parts(parts).try_for_each(|part| part.check())?;
        check_weights(&shape, p.role(), owner, weights)?;
        let fields = shape.fields(owner).into_iter().map(|(name, value)| format!("; {name} {value}"));
        p.announce(&format!("transformer block, parts {parts}{}", fields.collect::<String>()))?;
        let affines = [weights.map(|w| &w.norm), weights.map(|w| &w.last_norm)]
            .map(|norm| affine(&shape, p.role(), owner, norm));
        let [first, last, up, down] = shape.layers();
        let mut linear = |of, layer: fn(&Weights) -> &LinearWeights, names| {
            let layers = Linear::prepare(p, (&shape, parts), of, owner, (weights.map(layer), names))?;
            Ok::<_, Error>(layers.into_iter())
        };
        let mut first = linear(
            first,
            |w| &w.attention,
            ["weight of queries, keys and values", "bias of queries, keys and values"],
        )?;
        let mut last =
            linear(last, |w| &w.output, ["weight of the heads' results", "bias of the heads' results"])?;
        let mut up = linear(up, |w| &w.up, ["weight to the hidden numbers", "bias of the hidden numbers"])?;
        let mut down = linear(down, |w| &w.down, ["weight from the hidden numbers", "bias of the results"])?;
        let one = |shape: BlockShape| {
            let norm = Norm::prepare(p, shape.norm(owner), &affines[0])?;
            let attention = Attention {
                first: first.next().expect("a layer for each part"),
                scores: Products::prepare(p, &shape, shape.scores())?,
                softmax: Softmax::prepare(p, shape.softmax())?,
                mixture: Products::prepare(p, &shape, shape.mixture())?,
                last: last.next().expect("a layer for each part"),
            };
            Ok(Self {
                shape,
                norm,
                attention,
                last_norm: Norm::prepare(p, shape.norm(owner), &affines[1])?,
                up: up.next().expect("a layer for each part"),
                gelu: Gelu::prepare(p, shape.gelu())?,
                down: down.next().expect("a layer for each part"),
            })
        };
        shape.parts(parts).map(one).collect()
    }

    /// Online: shares of the block's result for shared vectors, one behind the other. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the vectors are those of the shape, and none is before them, and those of the channel.
    pub fn eval(self, s: &mut Session, x: &Fixed<u64>) -> Result<Fixed<u64>> {
        self.eval_after(s, x, &mut Cache::default())
    }

    /// The same for vectors that come after those of the cache, which gets their keys and values, too.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the vectors and those of the cache are as many as the shape has and as wide, with as many heads,
    /// and those of the channel.
    pub fn eval_after(self, s: &mut Session, x: &Fixed<u64>, cache: &mut Cache) -> Result<Fixed<u64>> {
        self.check(x)?;
        let Self { shape, norm, attention, last_norm, up, gelu, down } = self;
        cache.check(&shape)?;
        let layers = |s: &mut Session, x: &Fixed<u64>| {
            let up = up.apply(s, x)?;
            let bent = gelu.eval(s, &up)?;
            down.apply(s, &bent)
        };
        let (out, seen) = match shape.norms {
            Norms::First => {
                let normed = norm.eval(s, x)?;
                let (attended, seen) = attention.eval(s, &shape, &normed, cache)?;
                let x = x.plus(&attended)?;
                let normed = last_norm.eval(s, &x)?;
                (x.plus(&layers(s, &normed)?)?, seen)
            }
            Norms::Last => {
                let (attended, seen) = attention.eval(s, &shape, x, cache)?;
                let x = norm.eval(s, &x.plus(&attended)?)?;
                let sum = x.plus(&layers(s, &x)?)?;
                (last_norm.eval(s, &sum)?, seen)
            }
        };
        // Only now: after an error the cache is as it was.
        cache.seen = Some(([shape.width, shape.heads], seen));
        Ok(out)
    }

    /// `Ok(())` if the vectors are those of the shape.
    pub(super) fn check(&self, x: &Fixed<u64>) -> Result<()> {
        let BlockShape { sequence, width, bits, scale, .. } = self.shape;
        same("numbers of the vectors of a block", sequence * width, x.len())?;
        same("bits of the numbers of a block", bits as usize, x.bits() as usize)?;
        same("scale of the numbers of a block", scale as usize, x.scale() as usize)
    }
}

impl Cache {
    /// `Ok(())` if it holds the vectors before those of a block.
    fn check(&self, shape: &BlockShape) -> Result<()> {
        let BlockShape { before, width, heads, bits, scale, .. } = *shape;
        let Some(([of, by], [keys, _])) = &self.seen else {
            return same("vectors before those of a block", before, 0);
        };
        same("width of the vectors before those of a block", width, *of)?;
        same("heads of the vectors before those of a block", heads, *by)?;
        same("vectors before those of a block", before, keys.len() / width)?;
        same("bits of the keys before those of a block", bits as usize, keys.bits() as usize)?;
        same("scale of the keys before those of a block", scale as usize, keys.scale() as usize)
    }

    /// All, with these behind them.
    fn with(&self, new: [Fixed<u64>; 2]) -> Result<[Fixed<u64>; 2]> {
        let Some((_, [keys, values])) = &self.seen else { return Ok(new) };
        let mut all = [keys.clone(), values.clone()];
        all.iter_mut().zip(&new).try_for_each(|(all, new)| all.append(new))?;
        Ok(all)
    }
}

impl Attention {
    /// What the heads see, and what is made of it; and all keys and values.
    fn eval(
        self,
        s: &mut Session,
        shape: &BlockShape,
        x: &Fixed<u64>,
        cache: &Cache,
    ) -> Result<(Fixed<u64>, [Fixed<u64>; 2])> {
        let BlockShape { sequence, width, heads, scale, .. } = *shape;
        let head = shape.head();
        let made = self.first.apply(s, x)?;
        // Number c of vector i in head h; queries, keys and values are `part` 0, 1 and 2 of what was made.
        let at = move |h: usize, i: usize, c: usize| i * width + h * head + c;
        let part = |part: usize| {
            gathered(&made, (0..sequence * width).map(move |k| (k / width * 3 + part) * width + k % width))
        };
        let all = shape.before + sequence;
        let seen = cache.with([part(1)?, part(2)?])?;
        let each = move |a: usize, b: usize| {
            (0..heads).flat_map(move |h| (0..a).flat_map(move |i| (0..b).map(move |c| (h, i, c))))
        };
        let queries = gathered(&part(0)?, each(sequence, head).map(|(h, i, c)| at(h, i, c)))?;
        // Transposed.
        let keys = gathered(&seen[0], each(head, all).map(|(h, c, i)| at(h, i, c)))?;
        let values = gathered(&seen[1], each(all, head).map(|(h, i, c)| at(h, i, c)))?;
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
        Ok((self.last.apply(s, &mixed)?, seen))
    }
}

impl BlockShape {
    /// What a block costs whose weights `owner` knows, without keys that the session keeps.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn bill(&self, owner: Role) -> Result<Bill> {
        self.effort(1, owner, &Setting::default()).map(|effort| effort.bill())
    }

    /// What so many parts of a text take, as [`Block::prepare_parts`] makes them; keys that the session keeps once.
    ///
    /// # Errors
    /// As [`check`](Self::check), for each part.
    pub fn effort(&self, parts: usize, owner: Role, under: &Setting) -> Result<Effort> {
        let mut all = self.linear_effort(parts, owner)?;
        for part in self.parts(parts) {
            part.check()?;
            let (softmax, gelu, norm) = (part.softmax(), part.gelu(), part.norm(owner).effort()?);
            let attention = part.attention_effort(under)?.then(softmax.effort(softmax.rows, under)?);
            all = all.then(attention).then(norm.clone()).then(norm).then(gelu.effort(gelu.batch, under)?);
        }
        // Each function makes its own correlated OTs when it needs them.
        Ok(all.without_stock())
    }

    /// Makes the keys that a session keeps for so many parts of a text and all after them, and for lanes that part from it
    /// afterwards. What is not there is made with the material.
    ///
    /// # Errors
    /// As [`check`](Self::check), for each part, and those of the channel.
    pub fn set_up(&self, p: &mut Party, parts: usize, owner: Role) -> Result<()> {
        for part in self.parts(parts) {
            part.check()?;
            part.norm(owner).set_up(p)?;
            [part.scores(), part.mixture()].into_iter().try_for_each(|of| Products::set_up(p, &part, of))?;
        }
        self.layers().into_iter().try_for_each(|of| Linear::set_up(p, (self, parts), of, owner))
    }

    /// What the linear layers and the attention's products cost, without keys that the session keeps.
    ///
    /// # Errors
    /// As [`check`](Self::check).
    pub fn linear_bill(&self, owner: Role) -> Result<Bill> {
        let products = self.attention_effort(&Setting::default())?;
        Ok(self.linear_effort(1, owner)?.then(products).bill())
    }

    fn linear_effort(&self, parts: usize, owner: Role) -> Result<Effort> {
        let layers = self.layers().map(|of| Linear::effort(self, parts, of, owner));
        layers.into_iter().try_fold(Effort::none(), |sum, layer| Ok(sum.then(layer?)))
    }

    /// Of the attention's products.
    fn attention_effort(&self, under: &Setting) -> Result<Effort> {
        let mixture = Products::effort(self, self.mixture(), under)?;
        Ok(Products::effort(self, self.scores(), under)?.then(mixture))
    }

    /// The shapes of so many parts of a text, one after the other.
    fn parts(self, parts: usize) -> impl Iterator<Item = Self> {
        (0..parts).map(move |i| Self { before: self.before + i * self.sequence, ..self })
    }

    /// The scores without those of vectors that come later. Local.
    fn hidden_from(&self, role: Role, scores: &Fixed<u64>) -> Result<Fixed<u64>> {
        if !self.causal {
            return Ok(scores.clone());
        }
        let (n, all) = (self.sequence, self.before + self.sequence);
        let later = |k: usize| k % all > self.before + k / all % n;
        // Those are public: both parties put shares of a public number there.
        let public = role.share_of((self.unseen() << self.scale).wrapping_neg());
        let words = scores.share().words().iter().enumerate();
        let words = words.map(|(k, &w)| if later(k) { public } else { w }).collect();
        Fixed::new(hushtable::AShare::new(self.bits, words), self.scale)
    }
}

fn affine(shape: &BlockShape, role: Role, owner: Role, norm: Option<&NormWeights>) -> Affine {
    match norm {
        Some(s) => Affine::own(owner, s.gains.to_vec(), s.offsets.to_vec()),
        None => Affine::of_peer(role, shape.width),
    }
}

fn check_weights(shape: &BlockShape, role: Role, owner: Role, weights: Option<&Weights>) -> Result<()> {
    if weights.is_some() != (role == owner) {
        let (what, got) = ("weights of a block", format!("given by {role:?}: {}", weights.is_some()));
        return Err(Error::Param { what, got, accepted: format!("given by {owner:?} alone") });
    }
    weights.map_or(Ok(()), |w| w.check(shape))
}
