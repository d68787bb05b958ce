//! The circuits that stand in FABLE's networks, each for one item.

use std::sync::Arc;

use hushtable::circuit::{Draft, Form, Lit};

/// What a circuit is made for, where the two differ: layers that follow each other, or ANDs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Few {
    Layers,
    Ands,
}

/// Of x and y the lesser and the greater, and whether they were exchanged.
pub(super) fn comparator(bits: u32, few: Few) -> Arc<Form> {
    let mut d = Draft::new(2 * bits as usize);
    let all = d.inputs();
    let (x, y) = all.split_at(bits as usize);
    let swap = match few {
        Few::Layers => greater_in_layers(&mut d, x, y),
        Few::Ands => greater(&mut d, x, y),
    };
    let outputs = [exchanged(&mut d, swap, x, y), vec![swap]].concat();
    made(d, outputs)
}

/// A bit, and two words: these exchanged if it is 1.
pub(super) fn exchange(bits: u32) -> Arc<Form> {
    let mut d = Draft::new(1 + 2 * bits as usize);
    let all = d.inputs();
    let (x, y) = all[1..].split_at(bits as usize);
    let outputs = exchanged(&mut d, all[0], x, y);
    made(d, outputs)
}

/// Of two words whether they are equal, and the first one unless they are.
pub(super) fn repeated(bits: u32) -> Arc<Form> {
    let mut d = Draft::new(2 * bits as usize);
    let all = d.inputs();
    let (x, y) = all.split_at(bits as usize);
    let equal = x.iter().zip(y).map(|(x, y)| !d.xor(*x, *y)).collect();
    let equal = all_of(&mut d, equal);
    let outputs = [equal].into_iter().chain(x.iter().map(|x| d.and(!equal, *x))).collect();
    made(d, outputs)
}

/// A word that is zero for a hit, and a value: this one for a hit, and whether it is one.
pub(super) fn pick([tagged_bits, value_bits]: [u32; 2]) -> Arc<Form> {
    let mut d = Draft::new((tagged_bits + value_bits) as usize);
    let all = d.inputs();
    let (differ, value) = all.split_at(tagged_bits as usize);
    let hit = all_of(&mut d, differ.iter().map(|bit| !*bit).collect());
    let mut outputs: Vec<Lit> = value.iter().map(|bit| d.and(hit, *bit)).collect();
    outputs.push(hit);
    made(d, outputs)
}

/// A tag and a word, and those before them: the word before for a tag of 1, and both tags' AND.
pub(super) fn follow(bits: u32) -> Arc<Form> {
    let bits = bits as usize;
    let mut d = Draft::new(2 + 2 * bits);
    let all = d.inputs();
    let (own, before) = all.split_at(1 + bits);
    let mut outputs = vec![d.and(own[0], before[0])];
    outputs.extend(own[1..].iter().zip(&before[1..]).map(|(x, y)| d.select(own[0], *y, *x)));
    made(d, outputs)
}

fn made(d: Draft, outputs: Vec<Lit>) -> Arc<Form> {
    Arc::new(d.finish("ands", outputs))
}

/// Both words, exchanged if the bit is 1.
fn exchanged(d: &mut Draft, swap: Lit, x: &[Lit], y: &[Lit]) -> Vec<Lit> {
    let change = x.iter().zip(y).map(|(x, y)| {
        let differ = d.xor(*x, *y);
        d.and(swap, differ)
    });
    let change: Vec<Lit> = change.collect();
    [x, y]
        .into_iter()
        .flat_map(|word| word.iter().zip(&change))
        .map(|(bit, change)| d.xor(*bit, *change))
        .collect()
}

/// Whether `x > y`: an AND for a bit. `c` of the lower bits becomes x where both differ.
fn greater(d: &mut Draft, x: &[Lit], y: &[Lit]) -> Lit {
    x.iter().zip(y).fold(Lit::FALSE, |c, (x, y)| {
        let (xy, xc) = (d.xor(*x, *y), d.xor(*x, c));
        let change = d.and(xy, xc);
        d.xor(c, change)
    })
}

/// Whether `x > y`, in `1 + ceil(log2 d)` layers: of each bit whether it is greater, and whether it is equal, which the
/// lowest leaves out; neighbours merge.
fn greater_in_layers(d: &mut Draft, x: &[Lit], y: &[Lit]) -> Lit {
    let digit = |(i, (x, y)): (usize, (&Lit, &Lit))| {
        let greater = d.and(*x, !*y);
        // Added twice, so that both ANDs with a higher digit wait for it: in one layer they open that once.
        let equal = (i > 0).then(|| {
            let other = d.xor(*x, *y);
            let other = d.xor(other, greater);
            !d.xor(other, greater)
        });
        (greater, equal)
    };
    let mut digits: Vec<(Lit, Option<Lit>)> = x.iter().zip(y).enumerate().map(digit).collect();
    while digits.len() > 1 {
        let merge = |pair: &[(Lit, Option<Lit>)]| match *pair {
            [(low, low_equal), (high, Some(equal))] => {
                let less = d.and(equal, low);
                (d.xor(high, less), low_equal.map(|low| d.and(equal, low)))
            }
            _ => pair[0],
        };
        digits = digits.chunks(2).map(merge).collect();
    }
    digits[0].0
}

/// The AND of all: neighbours in pairs.
fn all_of(d: &mut Draft, mut bits: Vec<Lit>) -> Lit {
    while bits.len() > 1 {
        bits = bits
            .chunks(2)
            .map(|pair| pair.iter().copied().reduce(|a, b| d.and(a, b)).expect("a bit"))
            .collect();
    }
    bits[0]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Words of all inputs, a bit of each output for each.
    fn truth(form: &Form) -> Vec<u64> {
        let inputs = form.inputs();
        let row = |x: u64| {
            let bits: Vec<u64> = (0..inputs).map(|i| x >> i & 1).collect();
            form.eval(&bits).iter().enumerate().fold(0, |word, (i, bit)| word | (bit & 1) << i)
        };
        (0..1 << inputs).map(row).collect()
    }

    #[test]
    fn circuits_give_what_they_say() {
        for bits in 1..=5u32 {
            let mask = (1 << bits) - 1;
            let pair = |x: u64| (x & mask, x >> bits & mask);
            for few in [Few::Layers, Few::Ands] {
                let form = comparator(bits, few);
                for (x, found) in (0u64..).zip(truth(&form)) {
                    let (x, y) = pair(x);
                    let swap = u64::from(x > y);
                    assert_eq!(found, x.min(y) | x.max(y) << bits | swap << (2 * bits), "{x}, {y}, {few:?}");
                }
            }
            for (x, found) in (0u64..).zip(truth(&exchange(bits))) {
                let (a, b) = pair(x >> 1);
                let [a, b] = if x & 1 == 1 { [b, a] } else { [a, b] };
                assert_eq!(found, a | b << bits);
            }
            for (x, found) in (0u64..).zip(truth(&repeated(bits))) {
                let (x, y) = pair(x);
                assert_eq!(found, if x == y { 1 } else { x << 1 });
            }
            for (x, found) in (0u64..).zip(truth(&pick([bits, 3]))) {
                let (differ, value) = pair(x);
                let value = value | x >> bits;
                assert_eq!(found, if differ == 0 { value | 8 } else { 0 });
            }
            for (x, found) in (0u64..).zip(truth(&follow(bits))) {
                let (own, before) = (x & ((2 << bits) - 1), x >> (bits + 1));
                let word = if own & 1 == 1 { before >> 1 } else { own >> 1 };
                assert_eq!(found, (own & before & 1) | word << 1);
            }
        }
        assert_eq!((comparator(16, Few::Ands).ands(), comparator(16, Few::Layers).ands()), (32, 58));
    }
}
