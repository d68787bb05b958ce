//! Masked wires: public masked bits, and shares of their masks.

use std::fmt;

use prim::ring::Ring;

use crate::{
    error::{Error, Result, same},
    net::Role,
    party::Party,
    session::Session,
    share::BShare,
};

/// This party's shares of the masks of a bundle of 1 to 64 wires, for a batch.
#[derive(Clone, Debug)]
pub struct Masks(pub(super) BShare<u64>);

/// Fresh masks, good for the values of one bundle of wires.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Party, Result, lut::flute::Inputs};
/// fn twice(p: &mut Party, k: Inputs, x: &BShare<u8>, y: &BShare<u8>) -> Result<()> {
///     k.mask(p, x)?;
///     k.mask(p, y)?; // use of moved value: `k`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
#[derive(Debug)]
pub struct Inputs(pub(super) Masks);

/// A bundle of wires: public masked values and shares of the masks.
#[derive(Clone)]
pub struct Wires {
    pub(super) masked: Vec<u64>,
    pub(super) masks: Masks,
}

impl Masks {
    /// Number of wires.
    pub fn width(&self) -> u32 {
        self.0.bits()
    }

    /// Length of the batch.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether the batch is empty.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The masks of the XOR of two bundles.
    ///
    /// # Panics
    /// If they differ in width or length, as for arrays.
    #[must_use]
    pub fn xor(&self, other: &Self) -> Self {
        Self(&self.0 ^ &other.0)
    }

    /// The masks of some of the wires, by their bits in `wires`, lowest first.
    ///
    /// # Errors
    /// [`Error::Param`] unless there are such wires.
    pub fn select(&self, wires: u64) -> Result<Self> {
        check_wires(wires, self.width())?;
        let words = self.0.words().iter().map(|&k| gather(k, wires));
        Ok(Self(BShare::new(wires.count_ones(), words.collect())))
    }

    /// The masks of this bundle with another behind it.
    ///
    /// # Errors
    /// [`Error::Param`] for more than 64 wires, [`Error::Shape`] if they differ in length.
    pub fn join(&self, other: &Self) -> Result<Self> {
        let width = self.width() + other.width();
        if width > 64 {
            return Err(Error::Param {
                what: "wires of a bundle",
                got: width.to_string(),
                accepted: "1 to 64".into(),
            });
        }
        same("wires of a batch", self.len(), other.len())?;
        let words = self.0.words().iter().zip(other.0.words()).map(|(a, b)| a | b << self.width());
        Ok(Self(BShare::new(width, words.collect())))
    }
}

impl Inputs {
    /// Draws masks for `batch` values of `wires` bits each, 1 to 64. Local.
    ///
    /// # Errors
    /// [`Error::Param`] for another width.
    pub fn draw(p: &mut Party, wires: u32, batch: usize) -> Result<Self> {
        if !(1..=64).contains(&wires) {
            return Err(Error::Param {
                what: "wires of a bundle",
                got: wires.to_string(),
                accepted: "1 to 64".into(),
            });
        }
        let mut words = vec![0; batch];
        p.session().rng().words(wires, &mut words);
        Ok(Self(Masks(BShare::new(wires, words))))
    }

    /// The masks, for which tables can be prepared before the values are there.
    pub fn masks(&self) -> &Masks {
        &self.0
    }

    /// Online, 1 round: wires of shared values, of which the low bits count. Spends the masks.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many values, [`Error::Param`] if they are narrower, and
    /// those of the channel.
    pub fn mask<R: Ring>(self, s: &mut Session, x: &BShare<R>) -> Result<Wires> {
        let Self(masks) = self;
        same("values for the wires", masks.len(), x.len())?;
        // Public: the masks are uniform and serve no other values.
        let masked = s.open(&(&x.low_bits::<u64>(masks.width())? ^ &masks.0))?;
        Ok(Wires { masked, masks })
    }
}

impl Wires {
    /// The masks, for which tables can be prepared.
    pub fn masks(&self) -> &Masks {
        &self.masks
    }

    /// The XOR of two bundles. Local.
    ///
    /// # Panics
    /// If they differ in width or length, as for arrays.
    #[must_use]
    pub fn xor(&self, other: &Self) -> Self {
        let masked = self.masked.iter().zip(&other.masked).map(|(a, b)| a ^ b).collect();
        Self { masked, masks: self.masks.xor(&other.masks) }
    }

    /// The complements. Local.
    #[must_use]
    pub fn not(&self) -> Self {
        let all = u64::MAX >> (64 - self.masks.width());
        Self { masked: self.masked.iter().map(|m| m ^ all).collect(), masks: self.masks.clone() }
    }

    /// Some of the wires, by their bits in `wires`, lowest first. Local.
    ///
    /// # Errors
    /// As [`Masks::select`].
    pub fn select(&self, wires: u64) -> Result<Self> {
        let masks = self.masks.select(wires)?;
        Ok(Self { masked: self.masked.iter().map(|&m| gather(m, wires)).collect(), masks })
    }

    /// This bundle with another behind it. Local.
    ///
    /// # Errors
    /// As [`Masks::join`].
    pub fn join(&self, other: &Self) -> Result<Self> {
        let masks = self.masks.join(&other.masks)?;
        let words = self.masked.iter().zip(&other.masked).map(|(a, b)| a | b << self.masks.width());
        Ok(Self { masked: words.collect(), masks })
    }

    /// Step 4: XOR shares of the values. Local.
    ///
    /// # Errors
    /// [`Error::Param`] if a word has fewer bits than there are wires.
    pub fn to_share<R: Ring>(&self, role: Role) -> Result<BShare<R>> {
        let shares = match role {
            Role::P0 => self.masks.0.plus_public(&self.masked)?,
            Role::P1 => self.masks.0.clone(),
        };
        shares.low_bits(self.masks.width())
    }
}

/// Prints the shape only.
impl fmt::Debug for Wires {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Wires({} x {})", self.masks.len(), self.masks.width())
    }
}

/// `Ok(())` if these are wires of a bundle of `width`.
pub(super) fn check_wires(wires: u64, width: u32) -> Result<()> {
    if wires != 0 && wires <= u64::MAX >> (64 - width) {
        return Ok(());
    }
    let accepted = format!("some of {width} wires");
    Err(Error::Param { what: "wires of a table", got: format!("{wires:#b}"), accepted })
}

/// The bits of `x` where `set` is 1, moved together. Only `set` decides what is done.
pub(super) fn gather(x: u64, set: u64) -> u64 {
    let (mut out, mut rest) = (0, set);
    for to in 0..set.count_ones() {
        out |= (x >> rest.trailing_zeros() & 1) << to;
        rest &= rest - 1;
    }
    out
}
