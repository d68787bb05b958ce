//! Material without parts.

use crate::{
    codec::{Reader, Writer},
    error::Result,
    net::Role,
    terms::Terms,
};

/// Material without parts: so many of one kind, any of which may be spent for any other.
#[doc(hidden)]
pub trait Atom: Sized {
    /// What it depends on besides the number. Public.
    type Form;

    /// The kind and the form, for [`Shape`](super::Shape)s. With another encoding the kind gets another name.
    fn terms(form: &Self::Form) -> Terms;

    /// This party's part as bytes.
    fn encode(&self, to: &mut Writer);

    /// What [`encode`](Self::encode) wrote of so many, at the party `role`.
    fn decode(from: &mut Reader<'_>, role: Role, form: &Self::Form, count: usize) -> Result<Self>;

    /// Cuts off so many. Cutting off a and then b takes the same as cutting off a + b.
    fn take(&mut self, count: usize) -> Result<Self>;
}
