//! One-hot vectors for a circuit's lookups in tables of several lengths, made in the same rounds.

use crate::{
    bill::Bill,
    codec::{Reader, Writer},
    error::{Error, Result},
    net::Role,
    onehot::{OneHot, UnitShape, UnitVectors, Xor},
    party::Party,
    source::{Atom, Source},
    terms::Terms,
};

/// Of each number of index bits how many vectors an item takes. Public.
pub(super) type Counts = Vec<(u32, usize)>;

/// One-time material: vectors of each number of index bits, whatever table they are for.
pub(super) struct Vectors {
    counts: Counts,
    items: usize,
    of: Vec<UnitVectors>,
}

fn shape(d: u32) -> UnitShape {
    UnitShape { d, ring: None }
}

impl Vectors {
    /// Offline, in as many rounds as the longest take.
    pub(super) fn prepare(p: &mut dyn Source, counts: &Counts, items: usize) -> Result<Self> {
        p.atom(counts.clone(), items, |p| Self::make(p, counts, items))
    }

    fn make(p: &mut Party, counts: &Counts, items: usize) -> Result<Self> {
        let kinds: Vec<(UnitShape, usize)> =
            counts.iter().map(|(d, each)| (shape(*d), each * items)).collect();
        Ok(Self { counts: counts.clone(), items, of: UnitVectors::doubling(p, &kinds)? })
    }

    /// What so many items cost.
    pub(super) fn bill(counts: &Counts, items: usize) -> Bill {
        let each = counts.iter().map(|(d, each)| shape(*d).bill().times(each * items));
        each.fold(Bill::FREE, Bill::beside)
    }

    /// Cuts off some of so many index bits, for lookups in any table.
    pub(super) fn cut(&mut self, d: u32, vectors: usize) -> Result<OneHot<Xor>> {
        let at =
            self.counts.iter().position(|(other, _)| *other == d).expect("a length there are vectors of");
        self.of[at].take(vectors)?.into_onehot()
    }
}

impl Atom for Vectors {
    type Form = Counts;

    fn terms(counts: &Counts) -> Terms {
        let [bits, each]: [Vec<u64>; 2] = [
            counts.iter().map(|(d, _)| u64::from(*d)).collect(),
            counts.iter().map(|(_, each)| *each as u64).collect(),
        ];
        Terms::of("one-hot vectors of a circuit").with("index bits", &bits[..]).with("an item", &each[..])
    }

    fn encode(&self, to: &mut Writer) {
        self.of.iter().for_each(|vectors| vectors.encode(to));
    }

    fn decode(from: &mut Reader<'_>, _role: Role, counts: &Counts, items: usize) -> Result<Self> {
        let of = counts.iter().map(|(d, each)| UnitVectors::decode(from, shape(*d), each * items));
        Ok(Self { counts: counts.clone(), items, of: of.collect::<Result<_>>()? })
    }

    fn take(&mut self, items: usize) -> Result<Self> {
        let Some(left) = self.items.checked_sub(items) else {
            return Err(Error::Shape { what: "evaluations left", want: items, got: self.items });
        };
        let all = self.of.iter_mut().zip(&self.counts);
        let of = all.map(|(vectors, (_, each))| vectors.take(each * items)).collect::<Result<_>>()?;
        self.items = left;
        Ok(Self { counts: self.counts.clone(), items, of })
    }
}
