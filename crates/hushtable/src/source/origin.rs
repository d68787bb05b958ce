//! Material that is made, made and written down, or read.

use zeroize::Zeroizing;

use super::{
    atom::{Atom, Source, sealed},
    trace::Trace,
};
use crate::{
    codec::{Reader, Writer, malformed},
    error::Result,
    net::Role,
    party::Party,
};

/// Most items whose material stands together in a file.
pub(crate) const MAX_ITEMS: usize = 1 << 18;

/// Any source, for code that does not know which.
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
    bytes: Reader<'a>,
    items: usize,
    before: usize,
    wanted: usize,
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

impl sealed::Sealed for Origin<'_> {}

impl Source for Origin<'_> {
    fn role(&self) -> Role {
        match &self.0 {
            Kind::Peer(p) | Kind::Written(p, _) => Source::role(*p),
            Kind::Stored(stored) => stored.role,
            Kind::Traced(trace) => trace.role,
        }
    }

    fn atom<A: Atom>(
        &mut self,
        form: A::Form,
        count: usize,
        make: impl FnOnce(&mut Party) -> Result<A>,
    ) -> Result<A> {
        match &mut self.0 {
            Kind::Peer(p) => make(p),
            Kind::Written(p, to) => make(p).inspect(|made| made.encode(to)),
            Kind::Stored(stored) => stored.atom(&form, count),
            Kind::Traced(trace) => trace.atom(&form, count),
        }
    }

    fn announce(&mut self, what: &str) -> Result<()> {
        match &mut self.0 {
            Kind::Peer(p) | Kind::Written(p, _) => p.session().announce(what),
            // The parties have agreed on what they do with it.
            Kind::Stored(_) | Kind::Traced(_) => Ok(()),
        }
    }
}

impl Stored<'_> {
    fn atom<A: Atom>(&mut self, form: &A::Form, count: usize) -> Result<A> {
        if !count.is_multiple_of(self.wanted) {
            return Err(malformed("holds material that cannot be cut"));
        }
        let each = count / self.wanted;
        let of = |items: usize| each.checked_mul(items).ok_or_else(|| malformed("holds too much"));
        let mut all = A::decode(&mut self.bytes, self.role, form, of(self.items)?)?;
        drop(all.take(of(self.before)?)?);
        let wanted = all.take(count)?;
        if let Some(copy) = &mut self.copy {
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
    Window { items, before, wanted }: Window,
    copy: Option<&mut Writer>,
    make: impl FnOnce(&mut Origin<'_>) -> Result<T>,
) -> Result<T> {
    if wanted == 0 || items > MAX_ITEMS || before.checked_add(wanted).is_none_or(|end| end > items) {
        return Err(malformed("does not hold what is wanted"));
    }
    let stored = Stored { role, bytes: Reader::new(bytes), items, before, wanted, copy };
    let mut origin = Origin(Kind::Stored(stored));
    let made = make(&mut origin)?;
    match origin.0 {
        Kind::Stored(stored) => stored.bytes.finish()?,
        _ => unreachable!("it was stored"),
    }
    Ok(made)
}
