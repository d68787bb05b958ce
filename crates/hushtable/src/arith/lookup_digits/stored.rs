//! The pads of digits as an [`Atom`].

use zeroize::Zeroize;

use super::{Lookups, Pads, outputs, sender_of};
use crate::{
    arith::digits::Cut,
    codec::{Reader, Writer},
    error::{Error, Result},
    net::Role,
    source::Atom,
    terms::Terms,
};

impl Atom for Lookups {
    type Form = (Cut, bool);

    fn terms((cut, equality): &Self::Form) -> Terms {
        let terms = Terms::of("pads of digits").with("digits", cut.widths());
        if *equality { terms.with("equality of all", true) } else { terms }
    }

    fn encode(&self, to: &mut Writer) {
        for (i, digit) in self.digits.iter().enumerate() {
            let columns = digit.pads.iter().take(outputs(i, self.equality));
            columns.for_each(|pads| to.words(pads, digit.pad_bits()));
            if !digit.sender {
                to.words(&digit.choice, digit.w);
            }
        }
    }

    fn decode(from: &mut Reader<'_>, role: Role, (cut, equality): &Self::Form, batch: usize) -> Result<Self> {
        let digit = |(i, &w): (usize, &u32)| {
            let sender = sender_of(i) == role;
            let mut digit = Pads { w, sender, pads: [vec![], vec![]], choice: vec![] };
            for pads in 0..outputs(i, *equality) {
                digit.pads[pads] = from.words(batch, digit.pad_bits())?;
            }
            if !sender {
                digit.choice = from.words(batch, w)?;
            }
            Ok(digit)
        };
        let digits = cut.widths().iter().enumerate().map(digit).collect::<Result<_>>()?;
        Ok(Self { cut: cut.clone(), equality: *equality, batch, digits })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let Some(left) = self.batch.checked_sub(count) else {
            return Err(Error::Shape { what: "pads of digits left", want: count, got: self.batch });
        };
        self.batch = left;
        let digits = self.digits.iter_mut().map(|digit| digit.split_off(left)).collect();
        Ok(Self { cut: self.cut.clone(), equality: self.equality, batch: count, digits })
    }
}

impl Pads {
    /// Bits of a pad.
    fn pad_bits(&self) -> u32 {
        if self.sender { 1 << self.w } else { 1 }
    }

    /// Cuts off the items from `at` on.
    fn split_off(&mut self, at: usize) -> Self {
        fn cut<T: Copy + Zeroize>(from: &mut Vec<T>, at: usize) -> Vec<T> {
            // A sender has no choice, and the lowest digit one output only.
            let at = at.min(from.len());
            let rest = from[at..].to_vec();
            from[at..].iter_mut().for_each(Zeroize::zeroize);
            from.truncate(at);
            rest
        }
        let pads = self.pads.each_mut().map(|pads| cut(pads, at));
        Self { w: self.w, sender: self.sender, pads, choice: cut(&mut self.choice, at) }
    }
}
