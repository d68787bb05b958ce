//! Comparison by digits as ROTL has it (section 7 and Figure 12): a lookup for each, and a tree of ANDs. What stands beside
//! the paper's figures; the library's own digits take less.
//!
//! `1{x < y}` is the top bit of `x - y`, hence the sum of those of its shares and of the carry from the bits below, which
//! is 1 if `2^(l-1) - 1` less P0's share of them is less than P1's. Digits c and d of these, of w bits, have a difference
//! mod `2^(w+1)`, shared as it is; the table says of it whether `c < d`, and whether `c = d`.

use std::iter::successors;

use hushtable::{
    AShare, Result, Role,
    bill::Bill,
    gates::{Bits, Triples, and_pairs},
    lut::{LookupJob, Prepared, Protocol, Table},
    onehot::Cyclic,
    operation::{Material, Operation, Port, Signature, Words},
    ot::Setting,
    session::Session,
    share::{Bitwise, Sharing},
    source::Origin,
};
use prim::ring::low;

/// Whether `x >= y`, for signed numbers of so many bits, nearer than half the ring, in digits of so many.
#[derive(Clone, Copy)]
pub struct ByRotation {
    /// Of the numbers.
    pub bits: u32,
    /// Of a digit.
    pub digit: u32,
}

struct Made {
    of: ByRotation,
    items: usize,
    lookups: Prepared<Cyclic, Bitwise, u8>,
    triples: Triples,
}

/// Of some digits: whether P0's are less, and whether they are equal, which the lowest need not say.
struct Order {
    less: Bits,
    equal: Option<Bits>,
}

impl ByRotation {
    fn digits(&self) -> usize {
        (self.bits - 1).div_ceil(self.digit) as usize
    }

    /// ANDs of each level of the tree.
    fn ands(&self) -> impl Iterator<Item = usize> + use<> {
        let orders = successors(Some(self.digits()), |&orders| Some(orders.div_ceil(2)));
        orders.take_while(|&orders| orders > 1).map(|orders| 2 * (orders / 2) - 1)
    }

    fn table(&self) -> Result<Table<u8>> {
        let half = 1 << self.digit;
        Table::tabulate(self.digit + 1, 2, |e| u64::from(e >= half) | u64::from(e == 0) << 1)
    }

    fn job(&self) -> LookupJob {
        let index_bits = self.digit + 1;
        LookupJob { index: Sharing::Additive, output: Sharing::Xor, index_bits, value_bits: 2 }
    }
}

impl Operation for ByRotation {
    fn name(&self) -> String {
        "comparison by rotated tables".into()
    }

    fn method(&self) -> String {
        format!("rotl, digits of {}", self.digit)
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.bits.to_string()), ("digit", self.digit.to_string())]
    }

    fn signature(&self) -> Signature {
        Signature::new(["x", "y"].map(|name| Port::additive(name, self.bits)), Port::bit("less"))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        let lookups = Protocol::Rotl.bill(&self.job(), self.digits() * items)?;
        Ok(self.ands().fold(lookups, |bill, ands| bill + Triples::bill(1).times(ands * items)))
    }

    fn most(&self) -> usize {
        1 << 16
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let lookups = Protocol::Rotl.prepare(from, &self.table()?, self.digits() * items)?;
        let triples = Triples::random(from, self.ands().sum::<usize>() * items)?;
        Ok(Box::new(Made { of: *self, items, lookups, triples }))
    }
}

impl Material for Made {
    fn items(&self) -> usize {
        self.items
    }

    fn eval(self: Box<Self>, s: &mut Session, operands: &[&[u64]]) -> Result<Vec<Words>> {
        let Self { of, items, lookups, mut triples } = *self;
        let (below, role) = (of.bits - 1, s.role());
        let differences: Words =
            Words::new(operands[0].iter().zip(operands[1]).map(|(x, y)| x.wrapping_sub(*y)).collect());
        let index = |place: u32| {
            differences.iter().map(move |&x| match role {
                Role::P0 => low(!x, below) >> place & ((1 << of.digit) - 1),
                Role::P1 => (low(x, below) >> place & ((1 << of.digit) - 1)).wrapping_neg(),
            })
        };
        let places = (0..of.digits() as u32).map(|digit| digit * of.digit);
        let index: Vec<u32> = places.flat_map(index).map(|e| e as u32).collect();
        let found = Bits::from_share(&lookups.lookup(s, &of.table()?, &AShare::new(of.digit + 1, index))?);
        let of_digit = |i: usize| {
            let part = |plane: &Bits| plane.range(i * items..(i + 1) * items);
            Order { less: part(&found[0]), equal: (i > 0).then(|| part(&found[1])) }
        };
        let mut orders: Vec<Order> = (0..of.digits()).map(of_digit).collect();
        while orders.len() > 1 {
            orders = joined(s, &mut triples, &orders)?;
        }
        let top = Bits::collect(differences.iter().map(|x| x >> below & 1));
        Ok(vec![Words::new((&top ^ &orders[0].less).not(role).iter().collect())])
    }
}

/// A level of the tree: each order with the one above it.
fn joined(s: &mut Session, triples: &mut Triples, orders: &[Order]) -> Result<Vec<Order>> {
    let of_pair = |pair: &[Order]| -> Vec<(Bits, Bits)> {
        let [lower, upper] = pair else { return Vec::new() };
        let equal = upper.equal.as_ref().expect("not the lowest");
        let others = [Some(&lower.less), lower.equal.as_ref()];
        others.into_iter().flatten().map(|other| (equal.clone(), other.clone())).collect()
    };
    let pairs: Vec<(Bits, Bits)> = orders.chunks(2).flat_map(of_pair).collect();
    let pairs: Vec<(&Bits, &Bits)> = pairs.iter().map(|(x, y)| (x, y)).collect();
    let material = triples.take(pairs.iter().map(|(x, _)| x.len()).sum())?;
    let mut products = and_pairs(s, material, &pairs)?.into_iter();
    let mut next = || products.next().expect("a product for each pair");
    let join = |pair: &[Order]| match pair {
        [lower, upper] => {
            let less = &upper.less ^ &next();
            Order { less, equal: lower.equal.as_ref().map(|_| next()) }
        }
        [one, ..] => Order { less: one.less.clone(), equal: one.equal.clone() },
        [] => unreachable!("chunks are not empty"),
    };
    Ok(orders.chunks(2).map(join).collect())
}
