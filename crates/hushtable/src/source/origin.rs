//! Material that is made, made and written down, or read.

use zeroize::Zeroizing;

use super::{atom::Atom, trace::Trace};
use crate::{
    codec::{Reader, Writer, malformed},
    error::Result,
    net::Role,
    party::Party,
};

/// Most items whose material stands together in a file.
pub(crate) const MAX_ITEMS: usize = 1 << 18;

/// Where material comes from: a [`Party`], which makes it with its peer, or an [`Origin`].
pub trait Source: sealed::Sealed {
    /// The role of the party whose material it is.
    fn role(&self) -> Role;

    /// The same source, while it is borrowed.
    #[doc(hidden)]
    fn origin(&mut self) -> Origin<'_>;
}

mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::party::Party {}
    impl Sealed for super::Origin<'_> {}
}

/// The peer, or a store that is written or read.
pub struct Origin<'a>(Kind<'a>);

enum Kind<'a> {
    /// Made.
    Peer(&'a mut Party),
    /// Made, and written down.
    Written(&'a mut Party, &'a mut Writer),
    /// Read.
    Stored(Stored<'a>),
    /// Zeros.
    Traced(&'a mut Trace),
}

/// Bytes of the material of some items.
struct Stored<'a> {
    role: Role,
    bytes: &'a [u8],
    /// How many of them were read.
    at: &'a mut usize,
    window: Window,
    /// Where they are written again.
    copy: Option<&'a mut Writer>,
}

impl<'a> Origin<'a> {
    /// The peer.
    pub fn peer(p: &'a mut Party) -> Self {
        Self(Kind::Peer(p))
    }

    pub(super) fn traced(trace: &'a mut Trace) -> Self {
        Self(Kind::Traced(trace))
    }
}

impl Source for Party {
    fn role(&self) -> Role {
        (**self).role()
    }

    fn origin(&mut self) -> Origin<'_> {
        Origin::peer(self)
    }
}

impl Source for Origin<'_> {
    fn role(&self) -> Role {
        match &self.0 {
            Kind::Peer(p) | Kind::Written(p, _) => Source::role(*p),
            Kind::Stored(stored) => stored.role,
            Kind::Traced(trace) => trace.role,
        }
    }

    fn origin(&mut self) -> Origin<'_> {
        Origin(match &mut self.0 {
            Kind::Peer(p) => Kind::Peer(p),
            Kind::Written(p, to) => Kind::Written(p, to),
            Kind::Stored(Stored { role, bytes, at, window, copy }) => {
                let (role, window) = (*role, *window);
                Kind::Stored(Stored { role, bytes, at, window, copy: copy.as_deref_mut() })
            }
            Kind::Traced(trace) => Kind::Traced(trace),
        })
    }
}

impl dyn Source + '_ {
    /// The next `count` of an atom, which `make` makes with the peer.
    ///
    /// # Errors
    /// Those of `make`, or of a store.
    #[doc(hidden)]
    pub fn atom<A: Atom>(
        &mut self,
        form: A::Form,
        count: usize,
        make: impl FnOnce(&mut Party) -> Result<A>,
    ) -> Result<A> {
        match self.origin().0 {
            Kind::Peer(p) => make(p),
            Kind::Written(p, to) => make(p).inspect(|made| made.encode(to)),
            Kind::Stored(stored) => stored.atom(&form, count),
            Kind::Traced(trace) => trace.atom(&form, count),
        }
    }

    /// Whether only the kind and number of atoms are asked for: all are of zeros then.
    #[doc(hidden)]
    pub fn asks_only(&mut self) -> bool {
        matches!(self.origin().0, Kind::Traced(_))
    }

    /// Makes sure that the peer makes the same.
    #[doc(hidden)]
    pub fn announce(&mut self, what: &str) -> Result<()> {
        match self.origin().0 {
            Kind::Peer(p) | Kind::Written(p, _) => p.session().announce(what),
            // The parties have agreed on what they do with it.
            Kind::Stored(_) | Kind::Traced(_) => Ok(()),
        }
    }
}

impl Stored<'_> {
    fn atom<A: Atom>(self, form: &A::Form, count: usize) -> Result<A> {
        let Window { items, before, wanted } = self.window;
        if !count.is_multiple_of(wanted) {
            return Err(malformed("holds material that cannot be cut"));
        }
        let each = count / wanted;
        let of = |items: usize| each.checked_mul(items).ok_or_else(|| malformed("holds too much"));
        let mut from = Reader::new(&self.bytes[*self.at..]);
        let mut all = A::decode(&mut from, self.role, form, of(items)?)?;
        *self.at = self.bytes.len() - from.left();
        drop(all.take(of(before)?)?);
        let wanted = all.take(count)?;
        if let Some(copy) = self.copy {
            wanted.encode(copy);
        }
        Ok(wanted)
    }
}

/// The bytes of what `make` makes with the peer, about so many.
///
/// # Errors
/// Those of `make`.
pub fn written<T>(
    p: &mut Party,
    bytes: usize,
    make: impl FnOnce(&mut Origin<'_>) -> Result<T>,
) -> Result<Zeroizing<Vec<u8>>> {
    let mut to = Writer::new(bytes);
    drop(make(&mut Origin(Kind::Written(p, &mut to)))?);
    Ok(to.finish())
}

/// Items whose material is in some bytes, and those of them that are wanted.
#[derive(Clone, Copy, Debug)]
pub struct Window {
    /// How many there are.
    pub items: usize,
    /// Those that are not wanted, in the order in which [`Atom::take`] cuts.
    pub before: usize,
    /// Those behind them that are.
    pub wanted: usize,
}

/// What `make` made, from its bytes at the party `role`: the items wanted, of which there is one at least.
///
/// # Errors
/// [`Error::Store`](crate::Error::Store) for bytes of another length.
pub fn read<T>(
    bytes: &[u8],
    role: Role,
    window: Window,
    make: impl FnOnce(&mut Origin<'_>) -> Result<T>,
) -> Result<T> {
    stored(bytes, role, window, None, make)
}

/// The bytes of the items wanted alone.
///
/// # Errors
/// As [`read`].
pub fn cut<T>(
    bytes: &[u8],
    role: Role,
    window: Window,
    make: impl FnOnce(&mut Origin<'_>) -> Result<T>,
) -> Result<Zeroizing<Vec<u8>>> {
    let mut copy = Writer::new(bytes.len());
    drop(stored(bytes, role, window, Some(&mut copy), make)?);
    Ok(copy.finish())
}

fn stored<T>(
    bytes: &[u8],
    role: Role,
    window: Window,
    copy: Option<&mut Writer>,
    make: impl FnOnce(&mut Origin<'_>) -> Result<T>,
) -> Result<T> {
    let Window { items, before, wanted } = window;
    if wanted == 0 || items > MAX_ITEMS || before.checked_add(wanted).is_none_or(|end| end > items) {
        return Err(malformed("does not hold what is wanted"));
    }
    let mut at = 0;
    let made = make(&mut Origin(Kind::Stored(Stored { role, bytes, at: &mut at, window, copy })))?;
    Reader::new(&bytes[at..]).finish()?;
    Ok(made)
}
