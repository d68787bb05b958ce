//! Thermometers as an [`Atom`].

use super::{Thermometers, digit::Thermometer, sender_of};
use crate::{
    arith::digits::Cut,
    codec::{Reader, Writer},
    error::{Error, Result},
    net::Role,
    source::Atom,
    terms::Terms,
};

impl Atom for Thermometers {
    type Form = Cut;

    fn terms(cut: &Cut) -> Terms {
        Terms::of("thermometers").with("digits", cut.widths())
    }

    fn encode(&self, to: &mut Writer) {
        for digit in &self.digits {
            to.words(&digit.offset, digit.w);
            to.words(&digit.words, 1 << digit.w);
        }
    }

    fn decode(from: &mut Reader<'_>, role: Role, cut: &Cut, batch: usize) -> Result<Self> {
        let digit = |(i, &w): (usize, &u32)| {
            let (offset, words) = (from.words(batch, w)?, from.words(batch, 1 << w)?);
            Ok(Thermometer { w, sender: sender_of(i) == role, offset, words })
        };
        let digits = cut.widths().iter().enumerate().map(digit).collect::<Result<_>>()?;
        Ok(Self { cut: cut.clone(), batch, digits })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let Some(left) = self.batch.checked_sub(count) else {
            return Err(Error::Shape { what: "thermometers left", want: count, got: self.batch });
        };
        self.batch = left;
        let digits = self.digits.iter_mut().map(|digit| digit.split_off(left)).collect();
        Ok(Self { cut: self.cut.clone(), batch: count, digits })
    }
}
