//! One-hot vectors of digits and their joins as an [`Atom`].

use super::{OneHotForm, OneHots};
use crate::{
    codec::{Reader, Writer},
    error::{Error, Result},
    net::Role,
    onehot::{OneHot, UnitVectors},
    source::Atom,
    terms::Terms,
};

impl Atom for OneHots {
    type Form = OneHotForm;

    fn terms(form: &OneHotForm) -> Terms {
        Terms::of("one-hot vectors of digits").with("digits", form.cut.widths()).with("join", form.join)
    }

    fn encode(&self, to: &mut Writer) {
        self.digits.iter().for_each(|digit| digit.encode(to));
        self.joins.iter().for_each(|join| join.encode(to));
    }

    fn decode(from: &mut Reader<'_>, _role: Role, form: &OneHotForm, batch: usize) -> Result<Self> {
        let digits =
            form.digits().map(|shape| UnitVectors::decode(from, shape, batch)).collect::<Result<_>>()?;
        let joins = form.joins().map(|shape| OneHot::decode(from, shape.d, batch)).collect::<Result<_>>()?;
        Ok(Self { form: form.clone(), batch, digits, joins })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let Some(left) = self.batch.checked_sub(count) else {
            return Err(Error::Shape { what: "comparisons left", want: count, got: self.batch });
        };
        let digits = self.digits.iter_mut().map(|digit| digit.take(count)).collect::<Result<_>>()?;
        let joins = self.joins.iter_mut().map(|join| join.take(count)).collect::<Result<_>>()?;
        self.batch = left;
        Ok(Self { form: self.form.clone(), batch: count, digits, joins })
    }
}
