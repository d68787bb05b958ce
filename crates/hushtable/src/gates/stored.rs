//! Triples and pads of products as [`Atom`]s.

use super::{
    bits::Bits,
    products::{Direction, Products},
    triples::Triples,
};
use crate::{
    codec::{Reader, Writer},
    error::{Error, Result},
    net::Role,
    ot::strings::{PayloadReceiver, PayloadSender},
    source::Atom,
    terms::Terms,
};

/// By the number of ANDs of an operand.
impl Atom for Triples {
    type Form = usize;

    fn terms(&products: &usize) -> Terms {
        Terms::of("triples").with("products", products)
    }

    fn encode(&self, to: &mut Writer) {
        let all = [&self.b].into_iter().chain(&self.a).chain(&self.products);
        all.for_each(|bits| bits.encode(to));
    }

    fn decode(from: &mut Reader<'_>, _role: Role, products: &usize, count: usize) -> Result<Self> {
        let b = Bits::decode(from, count)?;
        let mut each = || (0..*products).map(|_| Bits::decode(from, count)).collect::<Result<_>>();
        Ok(Self { b, a: each()?, products: each()? })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        Self::take(self, count)
    }
}

/// By directions and widths.
impl Atom for Products {
    type Form = (Direction, Vec<u32>);

    fn terms((direction, widths): &Self::Form) -> Terms {
        Terms::of("products").with("from", direction.name()).with("widths", &widths[..])
    }

    fn encode(&self, to: &mut Writer) {
        self.sender.iter().for_each(|pads| pads.encode(to));
        self.receiver.iter().for_each(|pads| pads.encode(to));
    }

    fn decode(
        from: &mut Reader<'_>,
        role: Role,
        (direction, widths): &Self::Form,
        len: usize,
    ) -> Result<Self> {
        let sender = direction.sends(role).then(|| PayloadSender::decode(from, widths, len)).transpose()?;
        let receiver =
            direction.receives(role).then(|| PayloadReceiver::decode(from, widths, len)).transpose()?;
        Ok(Self { len, sender, receiver })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let Some(left) = self.len.checked_sub(count) else {
            return Err(Error::Shape { what: "products left", want: count, got: self.len });
        };
        self.len = left;
        let sender = self.sender.as_mut().map(|pads| pads.take(count));
        Ok(Self { len: count, sender, receiver: self.receiver.as_mut().map(|pads| pads.take(count)) })
    }
}
