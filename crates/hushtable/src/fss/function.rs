//! Keys before and after they are placed.

use std::{fmt, marker::PhantomData};

use zeroize::Zeroizing;

use super::{
    keys::{Keys, Place, Plan},
    layout::KeyShape,
    stored,
};
use crate::{
    codec::{Reader, Writer, malformed},
    error::{Result, same},
    net::Role,
    session::Session,
    share::{Kind, Share},
    tree::Group,
};

/// A function of which there are keys.
pub trait Function {
    /// For messages, and in stored keys.
    const NAME: &'static str;
}

/// One-time material: keys of F whose positions nobody knows. Positions are shared in G, values in K.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Result, fss::{Point, Unplaced}, onehot::Cyclic, session::Session, share::Additive};
/// fn twice(s: &mut Session, keys: Unplaced<Point, Cyclic, Additive>, x: &AShare<u32>) -> Result<()> {
///     keys.at(s, x)?;
///     keys.at(s, x)?; // use of moved value: `keys`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Unplaced<F: Function, G: Group, K: Kind>(Keys<G, K>, PhantomData<F>);

/// This party's keys of F. They are evaluated at public points, as often as one likes: that borrows them.
///
/// What they give are shares of values, and no masks: another value of the same key may depend on them.
pub struct Placed<F: Function, G: Group, K: Kind>(pub(super) Keys<G, K>, PhantomData<F>);

impl<F: Function, G: Group, K: Kind> Unplaced<F, G, K> {
    pub(super) fn of(keys: Keys<G, K>) -> Self {
        Self(keys, PhantomData)
    }

    /// Keys that are left.
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// What they are for.
    pub fn shape(&self) -> KeyShape {
        self.0.plan.shape
    }

    /// Shares of the positions.
    pub fn offset(&self) -> &Share<G::Kind, u32> {
        match &self.0.place {
            Place::Hidden(offset) => offset,
            Place::At(_) => unreachable!("these are not placed"),
        }
    }

    /// Cuts off `m` keys, to be spent separately.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if fewer are left.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        self.0.take(m).map(Self::of)
    }

    /// Online, 1 round: keys of the functions at these positions. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there is a position of the right width for each key, and those
    /// of the channel; [`Error::Store`](crate::Error::Store) if they are the other party's.
    pub fn at(mut self, s: &mut Session, position: &Share<G::Kind, u32>) -> Result<Placed<F, G, K>> {
        if self.0.role != s.role() {
            return Err(malformed("has the keys of the other party"));
        }
        same("positions", self.len(), position.len())?;
        same("bits of a position", self.0.plan.shape.position as usize, position.bits() as usize)?;
        // Public: the keys' own positions are uniform, known to nobody, and mask these alone.
        self.0.place = Place::At(s.open(&position.minus(self.offset()))?);
        self.0.settle();
        Ok(Placed(self.0, PhantomData))
    }

    /// All of it, for another process of this party. Whoever reads it knows this party's Delta, the secret of all
    /// of the session's OTs. Bytes that are read twice are keys that can be spent twice, which shows the difference
    /// of two positions: read them once.
    pub fn encode(self) -> Zeroizing<Vec<u8>> {
        stored::encode(F::NAME, &self.0)
    }

    /// What [`encode`](Self::encode) wrote.
    ///
    /// # Errors
    /// [`Error::Store`](crate::Error::Store) if it is not that, or of keys of another type.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        stored::decode(F::NAME, bytes, false).map(Self::of)
    }

    /// As part of other material, which knows the shape of the payload and how many there are.
    #[doc(hidden)]
    pub fn write(&self, to: &mut Writer) {
        stored::write(&self.0, to);
    }

    /// What [`write`](Self::write) wrote.
    #[doc(hidden)]
    pub fn read(from: &mut Reader<'_>, role: Role, shape: KeyShape, len: usize) -> Result<Self> {
        stored::read(from, plan::<F, K>(shape)?, role, len, false).map(Self::of)
    }
}

impl<F: Function, G: Group, K: Kind> Placed<F, G, K> {
    /// How many keys.
    pub fn len(&self) -> usize {
        self.0.len
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.len == 0
    }

    /// What they are for.
    pub fn shape(&self) -> KeyShape {
        self.0.plan.shape
    }

    /// Cuts off the last `m` keys.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if fewer are left.
    pub fn take(&mut self, m: usize) -> Result<Self> {
        Ok(Self(self.0.take(m)?, PhantomData))
    }

    /// As [`Unplaced::encode`].
    pub fn encode(&self) -> Zeroizing<Vec<u8>> {
        stored::encode(F::NAME, &self.0)
    }

    /// As [`Unplaced::decode`].
    ///
    /// # Errors
    /// As there.
    pub fn decode(bytes: &[u8]) -> Result<Self> {
        Ok(Self(stored::decode(F::NAME, bytes, true)?, PhantomData))
    }

    /// As [`Unplaced::write`].
    #[doc(hidden)]
    pub fn write(&self, to: &mut Writer) {
        stored::write(&self.0, to);
    }

    /// What [`write`](Self::write) wrote.
    #[doc(hidden)]
    pub fn read(from: &mut Reader<'_>, role: Role, shape: KeyShape, len: usize) -> Result<Self> {
        Ok(Self(stored::read(from, plan::<F, K>(shape)?, role, len, true)?, PhantomData))
    }
}

/// The plan of keys that have no bit for their payload.
fn plan<F: Function, K: Kind>(shape: KeyShape) -> Result<Plan> {
    Plan::new::<K>(shape, false, stored::nodes_of(F::NAME))
}

/// Prints the shape only.
impl<F: Function, G: Group, K: Kind> fmt::Debug for Unplaced<F, G, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("unplaced ")?;
        self.0.print(F::NAME, f)
    }
}

/// Prints the shape only.
impl<F: Function, G: Group, K: Kind> fmt::Debug for Placed<F, G, K> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.print(F::NAME, f)
    }
}
