//! Material without parts, and what gives it.

use std::fmt;

use crate::{
    codec::{Reader, Writer},
    error::Result,
    net::Role,
    party::Party,
};

/// Where material comes from. A [`Party`] makes it with its peer.
pub trait Source: sealed::Sealed {
    /// The role of the party whose material it is.
    fn role(&self) -> Role;

    /// The next `count` of an atom, which `make` makes with the peer.
    #[doc(hidden)]
    fn atom<A: Atom>(
        &mut self,
        form: A::Form,
        count: usize,
        make: impl FnOnce(&mut Party) -> Result<A>,
    ) -> Result<A>;

    /// Makes sure that the peer makes the same.
    #[doc(hidden)]
    fn announce(&mut self, what: &str) -> Result<()>;
}

/// Material without parts: so many of one kind, any of which may be spent for any other.
#[doc(hidden)]
pub trait Atom: Sized {
    /// What it depends on besides the number. Public.
    type Form: fmt::Debug;
    /// Of the kind, for [`Shape`]s. With another encoding it gets another name.
    const NAME: &'static str;

    /// This party's part as bytes.
    fn encode(&self, to: &mut Writer);

    /// What [`encode`](Self::encode) wrote of so many, at the party `role`.
    fn decode(from: &mut Reader<'_>, role: Role, form: &Self::Form, count: usize) -> Result<Self>;

    /// Cuts off so many. Cutting off a and then b takes the same as cutting off a + b.
    fn take(&mut self, count: usize) -> Result<Self>;
}

pub(super) mod sealed {
    pub trait Sealed {}
    impl Sealed for crate::party::Party {}
}

impl Source for Party {
    fn role(&self) -> Role {
        (**self).role()
    }

    fn atom<A: Atom>(
        &mut self,
        _form: A::Form,
        _count: usize,
        make: impl FnOnce(&mut Party) -> Result<A>,
    ) -> Result<A> {
        make(self)
    }

    fn announce(&mut self, what: &str) -> Result<()> {
        self.session().announce(what)
    }
}
