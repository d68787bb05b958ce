//! Groups by two columns at once, and groups of which some rows do not count.
//!
//! # Functionality
//! In: XOR shares of a word of a bits, and of one of b bits. Out: XOR shares of the `a b` ANDs of a bit of the first and a
//! bit of the second, those with the first word's lowest bit first.
//!
//! With one bit for each group, exclusive in each word, these are the groups by both. With `a = 1` they are the second
//! word where the bit is 1, and 0 elsewhere.
//!
//! # Protocol
//! ANDs, with an operand in common for each bit of the narrower word.
//!
//! # Cost
//! An item: for each bit of the narrower word ANDs with all bits of the other. 1 round.
//!
//! # Source
//! join-spec 4, Aggregates.

use hushtable::{
    BShare, Error, Result,
    bill::Bill,
    gates::{Ands, Bits, Triples, and_all},
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
    source::Origin,
};

use super::MAX_GROUPS;

/// The ANDs of each bit of a word with each bit of another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crossed {
    widths: [u32; 2],
}

impl Crossed {
    /// Of words of so many bits.
    ///
    /// # Errors
    /// [`Error::Param`] for a width of 0, and for more than [`MAX_GROUPS`] ANDs.
    pub fn new(widths: [u32; 2]) -> Result<Self> {
        let all = widths.iter().map(|&width| width as usize).product::<usize>();
        if !(1..=MAX_GROUPS).contains(&all) {
            let (what, got) = ("groups by two columns", format!("{} times {}", widths[0], widths[1]));
            return Err(Error::Param { what, got, accepted: format!("1 to {MAX_GROUPS} in all") });
        }
        Ok(Self { widths })
    }

    /// Bits of the narrower word, and of the other.
    fn sides(&self) -> [usize; 2] {
        let [a, b] = self.widths.map(|width| width as usize);
        [a.min(b), a.max(b)]
    }

    /// Bits of the result.
    pub fn bits(&self) -> u32 {
        self.widths[0] * self.widths[1]
    }
}

impl Operation for Crossed {
    fn name(&self) -> String {
        "groups by two columns".into()
    }

    fn method(&self) -> String {
        "ands".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("widths", format!("{} and {}", self.widths[0], self.widths[1]))]
    }

    fn signature(&self) -> Signature {
        let [a, b] = self.widths;
        Signature::new([Port::xor("first", a), Port::xor("second", b)], Port::xor("both", self.bits()))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        let [few, many] = self.sides();
        Ok(Triples::bill(many).times(few * items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let ([few, many], widths) = (self.sides(), self.widths);
        let triples: Vec<Triples> =
            (0..few).map(|_| Triples::shared(from, items, many)).collect::<Result<_>>()?;
        Ok(spend(items, move |s, given| {
            let [first, second] = operands(given)?;
            let bits = |words: &[u64], width| Bits::from_share(&BShare::<u64>::new(width, words.to_vec()));
            let [first, second] = [bits(first, widths[0]), bits(second, widths[1])];
            let turned = first.len() > second.len();
            let (narrow, wide) = if turned { (&second, &first) } else { (&first, &second) };
            let sets = narrow.iter().zip(triples);
            let sets = sets.map(|(x, triples)| Ands { x, ys: wide.iter().collect(), triples }).collect();
            let all = and_all(s, sets)?;
            // The first word's bit decides before the second's.
            let at = |i: usize, j: usize| if turned { &all[j][i] } else { &all[i][j] };
            let both: Vec<&Bits> = (0..first.len())
                .flat_map(|i| (0..second.len()).map(move |j| (i, j)))
                .map(|(i, j)| at(i, j))
                .collect();
            Ok(vec![Words::new(Bits::to_share::<u64>(&both)?.into_wide())])
        }))
    }

    fn tells(&self) -> String {
        "which of the groups by both columns an item is in".into()
    }
}
