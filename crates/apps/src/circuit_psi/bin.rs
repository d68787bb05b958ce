//! The circuit of a bin: whether a rest of the owner's is one of the other party's.

use std::sync::Arc;

use hushtable::circuit::{Circuit, Draft, Form, Kind, Lit, Port, TruthTable};

/// Most inputs of a lookup.
const INDEX: usize = 8;

/// With `slots` rests of the other party's, of which one at most is the owner's, of `bits` bits.
pub(super) fn circuit(slots: usize, bits: u32) -> Circuit {
    let port = |name, bits| Port::new(name, Kind::Bits(bits)).expect("a name, and bits within the limit");
    let inputs = vec![port("own", bits), port("others", bits * slots as u32)];
    let forms =
        [("ands", alike as Alike, pairs as All), ("products", products, pairs), ("luts", alike, tables)];
    let forms = forms.map(|(name, alike, all)| form(name, slots, bits, alike, all)).into();
    Circuit::new("bin", inputs, vec![port("matches", 1)], forms).expect("forms with these ports")
}

/// Bits of two numbers to bits that are 1 where the numbers are equal.
type Alike = fn(&mut Draft, &[Lit], &[Lit]) -> Vec<Lit>;

/// Whether all bits are 1.
type All = fn(&mut Draft, Vec<Lit>) -> Lit;

fn form(name: &str, slots: usize, bits: u32, alike: Alike, all: All) -> Form {
    let bits = bits as usize;
    let mut d = Draft::new(bits * (1 + slots));
    let inputs = d.inputs();
    let (own, others) = inputs.split_at(bits);
    let equal = |other: &[Lit]| {
        let alike = alike(&mut d, own, other);
        all(&mut d, alike)
    };
    let equal: Vec<Lit> = others.chunks_exact(bits).map(equal).collect();
    let any = d.xor_all(equal);
    d.finish(name, vec![any])
}

fn alike(d: &mut Draft, own: &[Lit], other: &[Lit]) -> Vec<Lit> {
    own.iter().zip(other).map(|(x, y)| !d.xor(*x, *y)).collect()
}

/// Of two bits at once. Each party multiplies its own; of the other products each has a bit of one party's, which serves
/// all slots, and one of the other's.
fn products(d: &mut Draft, own: &[Lit], other: &[Lit]) -> Vec<Lit> {
    let both = |(own, other): (&[Lit], &[Lit])| match (own, other) {
        ([a, b], [x, y]) => {
            let parts = [(*a, *b), (!*x, !*y), (*a, !*y), (*b, !*x)].map(|(x, y)| d.and(x, y));
            d.xor_all(parts)
        }
        _ => !d.xor(own[0], other[0]),
    };
    own.chunks(2).zip(other.chunks(2)).map(both).collect()
}

/// Whether all bits are 1, two at a time.
fn pairs(d: &mut Draft, mut bits: Vec<Lit>) -> Lit {
    while bits.len() > 1 {
        let pair = |pair: &[Lit]| pair.iter().copied().reduce(|a, b| d.and(a, b)).expect("a bit");
        bits = bits.chunks(2).map(pair).collect();
    }
    bits[0]
}

/// Whether all bits are 1, by lookups in tables of about as many inputs each.
fn tables(d: &mut Draft, mut bits: Vec<Lit>) -> Lit {
    while bits.len() > 1 {
        let each = bits.len().div_ceil(bits.len().div_ceil(INDEX));
        let lookup = |index: &[Lit]| {
            let ones = (1 << index.len()) - 1;
            let table = TruthTable::tabulate(index.len() as u32, 1, |row| u64::from(row == ones));
            d.lookup(&Arc::new(table.expect("a table of up to 8 inputs")), index)[0]
        };
        bits = bits.chunks(each).map(lookup).collect();
    }
    bits[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 64 bins side by side: every form says what is so.
    #[test]
    fn a_bin_matches_where_one_rest_is_equal() {
        for (slots, bits) in [(1, 1), (1, 2), (2, 2), (3, 5), (24, 20), (5, 64)] {
            let circuit = circuit(slots, bits);
            let mask = u64::MAX >> (64 - bits);
            let own: Vec<u64> = (0..64u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15) & mask).collect();
            // In bin i slot i % (slots + 1) has the owner's; others differ from it in one bit.
            let other = |i: usize, slot: usize| match i % (slots + 1) == slot {
                true => own[i],
                false => own[i] ^ 1 << ((i + slot) % bits as usize),
            };
            let plane = |words: &dyn Fn(usize) -> u64, bit: u32| {
                (0..64).fold(0, |plane, i| plane | (words(i) >> bit & 1) << i)
            };
            let mut inputs: Vec<u64> = (0..bits).map(|bit| plane(&|i| own[i], bit)).collect();
            for slot in 0..slots {
                inputs.extend((0..bits).map(|bit| plane(&|i| other(i, slot), bit)));
            }
            let want = (0..64).fold(0, |want, i| want | u64::from(i % (slots + 1) < slots) << i);
            for form in circuit.forms() {
                assert_eq!(form.eval(&inputs), [want], "{slots} of {bits} bits, {}", form.name());
            }
            let [ands, products, luts] = circuit.forms() else { panic!("three forms") };
            assert_eq!(ands.ands(), slots * (bits as usize - 1));
            assert_eq!(ands.depth() as u32, bits.next_power_of_two().ilog2());
            assert_eq!((products.depth(), luts.ands()), (ands.depth(), 0));
        }
    }
}
