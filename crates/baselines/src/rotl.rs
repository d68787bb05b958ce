//! Comparison by digits as ROTL has it (section 7 and Figure 12): a lookup for each, and a tree of ANDs. What stands beside
//! the paper's figures; the library's own digits take less.
//!
//! `1{x < y}` is the top bit of `x - y`, hence the sum of those of its shares and of the carry from the bits below, which
//! is 1 if `2^(l-1) - 1` less P0's share of them is less than P1's. Digits c and d of these, of w bits, have a difference
//! mod `2^(w+1)`, shared as it is; the table says of it whether `c < d`, and whether `c = d`.

use std::sync::Arc;

use hushtable::{
    AShare, Result, Role,
    bill::Bill,
    circuit::{Builder, Layers, Netlist, merge_orders},
    gates::Bits,
    lut::{LookupJob, Prepared, Protocol, Table},
    onehot::Cyclic,
    operation::{Material, Operation, Port, Signature, Words, operands, spend},
    ot::Setting,
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

impl ByRotation {
    fn digits(&self) -> usize {
        (self.bits - 1).div_ceil(self.digit) as usize
    }

    /// From whether P0's digits are less, and whether they are equal, which the lowest need not say. All ANDs of a level
    /// in one message, without common operands.
    fn tree(&self) -> Arc<Netlist> {
        let mut b = Builder::new(&[1]);
        let digits = (0..self.digits()).map(|i| b.inputs(if i > 0 { 2 } else { 1 })).collect();
        let order = merge_orders(&mut b, digits, |b, groups| {
            let single = groups.iter().flat_map(|(x, ys)| ys.chunks(1).map(move |y| (*x, y)));
            b.ands(&single.collect::<Vec<_>>())
        });
        b.finish(&order)
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
        Ok(lookups + Layers::bill(&self.tree(), items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let lookups: Prepared<Cyclic, Bitwise, u8> =
            Protocol::Rotl.prepare(from, &self.table()?, self.digits() * items)?;
        let tree = Layers::prepare(from, &self.tree(), items)?;
        let of = *self;
        Ok(spend(items, move |s, given| {
            let [x, y] = operands(given)?;
            let (below, role) = (of.bits - 1, s.role());
            let differences: Words = Words::new(x.iter().zip(y).map(|(x, y)| x.wrapping_sub(*y)).collect());
            let index = |place: u32| {
                differences.iter().map(move |&x| match role {
                    Role::P0 => low(!x, below) >> place & ((1 << of.digit) - 1),
                    Role::P1 => (low(x, below) >> place & ((1 << of.digit) - 1)).wrapping_neg(),
                })
            };
            let places = (0..of.digits() as u32).map(|digit| digit * of.digit);
            let index: Vec<u32> = places.flat_map(index).map(|e| e as u32).collect();
            let found =
                Bits::from_share(&lookups.lookup(s, &of.table()?, &AShare::new(of.digit + 1, index))?);
            let planes = |i: usize| found.iter().take(if i > 0 { 2 } else { 1 });
            let inputs = (0..of.digits())
                .flat_map(|i| planes(i).map(move |plane| plane.range(i * items..(i + 1) * items)));
            let less = tree.eval(s, inputs.collect())?.remove(0);
            let top = Bits::collect(differences.iter().map(|x| x >> below & 1));
            Ok(vec![Words::new((&top ^ &less).not(role).to_wide())])
        }))
    }
}
