//! Truncation and digits in one opening, as operations.

use hushtable::{
    AShare, Result,
    arith::{Decomposition, OneRoundReduction},
    bill::Bill,
    operation::{Held, Material, Operation, Words},
    session::Session,
    share::Sharing,
    source::Origin,
};
use prim::ring::{Ring, low};

/// Items whose material is in memory at a time.
const BATCH: usize = 1 << 15;

/// `floor(x / 2^cut)` mod `2^(bits - cut)`.
pub struct Reduction {
    pub bits: u32,
    pub cut: u32,
}

/// Digits of `digit` bits, which divide those of the number, the lowest first: two by a reduction, in one opening; more by a tree.
pub struct Digits {
    pub bits: u32,
    pub digit: u32,
}

impl Digits {
    fn count(&self) -> u32 {
        self.bits.div_ceil(self.digit.max(1))
    }

    fn upper(&self) -> Option<Reduction> {
        (self.count() == 2).then_some(Reduction { bits: self.bits, cut: self.digit })
    }
}

/// Material with what spends it.
struct Spend<F> {
    items: usize,
    spend: F,
}

impl<F: FnOnce(&mut Session, &[u64]) -> Result<Vec<u64>> + Send> Material for Spend<F> {
    fn items(&self) -> usize {
        self.items
    }

    fn eval(self: Box<Self>, s: &mut Session, operands: &[&[u64]]) -> Result<Words> {
        (self.spend)(s, operands[0]).map(Words::new)
    }
}

fn spend(
    items: usize,
    spend: impl FnOnce(&mut Session, &[u64]) -> Result<Vec<u64>> + Send + 'static,
) -> Box<dyn Material> {
    Box::new(Spend { items, spend })
}

impl Reduction {
    fn of<R: Ring>(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let bits = self.bits;
        let material = OneRoundReduction::<R>::prepare(from, bits, self.cut, items)?;
        Ok(spend(items, move |s, x| {
            let x = AShare::<u32>::new(bits, x.iter().map(|w| low(*w, bits) as u32).collect());
            Ok(material.reduce(s, &x)?.words().iter().map(|w| w.to_u64()).collect())
        }))
    }
}

impl Operation for Reduction {
    fn name(&self) -> String {
        "truncate and reduce".into()
    }

    fn method(&self) -> String {
        "carry by a table".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.bits.to_string()), ("cut", self.cut.to_string())]
    }

    fn result(&self) -> Held {
        let bits = self.bits.saturating_sub(self.cut);
        Held { sharing: Sharing::Additive, bits, fraction: 0, range: None }
    }

    fn bill(&self, items: usize) -> Result<Bill> {
        Ok(OneRoundReduction::<u8>::bill(self.bits, self.cut)?.times(items))
    }

    fn most(&self) -> usize {
        BATCH
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        match self.bits.saturating_sub(self.cut) {
            ..=8 => self.of::<u8>(from, items),
            9..=16 => self.of::<u16>(from, items),
            _ => self.of::<u32>(from, items),
        }
    }
}

impl Operation for Digits {
    fn name(&self) -> String {
        "digits".into()
    }

    fn method(&self) -> String {
        if self.upper().is_some() { "carry by a table" } else { "carries by a tree" }.into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.bits.to_string()), ("digit", self.digit.to_string())]
    }

    fn result(&self) -> Held {
        Held { sharing: Sharing::Additive, bits: self.digit, fraction: 0, range: None }
    }

    fn gives(&self) -> usize {
        self.count() as usize
    }

    fn bill(&self, items: usize) -> Result<Bill> {
        match self.upper() {
            Some(upper) => upper.bill(items),
            None => Ok(Decomposition::bill(self.bits, self.digit)?.times(items)),
        }
    }

    fn most(&self) -> usize {
        BATCH
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, digit) = (self.bits, self.digit);
        if let Some(upper) = self.upper() {
            let upper = upper.material(from, items)?;
            return Ok(spend(items, move |s, x| {
                let top = upper.eval(s, &[x])?;
                Ok(x.iter().zip(top.iter()).flat_map(|(x, top)| [low(*x, digit), *top]).collect())
            }));
        }
        let material = Decomposition::prepare(from, bits, digit, items)?;
        Ok(spend(items, move |s, x| {
            let x = AShare::<u32>::new(bits, x.iter().map(|w| low(*w, bits) as u32).collect());
            let digits = material.digits(s, &x)?;
            Ok((0..items).flat_map(|i| digits.iter().map(move |d| u64::from(d.words()[i]))).collect())
        }))
    }
}
