//! Arithmetic on words of a draft, lowest bit first, with as few ANDs as are known: one a bit to add or to choose.

use logic::{Draft, Lit};

/// The word of so many bits that has the same value.
pub fn extended(word: &[Lit], bits: usize, signed: bool) -> Vec<Lit> {
    let fill = if signed { word.last().copied().unwrap_or(Lit::FALSE) } else { Lit::FALSE };
    (0..bits).map(|i| word.get(i).copied().unwrap_or(fill)).collect()
}

/// The word's complement.
pub fn inverted(word: &[Lit]) -> Vec<Lit> {
    word.iter().map(|bit| !*bit).collect()
}

/// The carry of three bits: an AND.
fn carry(d: &mut Draft, a: Lit, b: Lit, c: Lit) -> Lit {
    let (ac, bc) = (d.xor(a, c), d.xor(b, c));
    let both = d.and(ac, bc);
    d.xor(both, c)
}

/// `a + b + c`, and the carry. Both words have the same bits.
pub fn add(d: &mut Draft, a: &[Lit], b: &[Lit], mut c: Lit) -> (Vec<Lit>, Lit) {
    let mut sum = Vec::with_capacity(a.len());
    for (a, b) in a.iter().zip(b) {
        let differ = d.xor(*a, *b);
        sum.push(d.xor(differ, c));
        c = carry(d, *a, *b, c);
    }
    (sum, c)
}

/// `a - b`, and whether there was nothing to borrow: `a >= b` without signs.
pub fn sub(d: &mut Draft, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Lit) {
    add(d, a, &inverted(b), Lit::TRUE)
}

/// `a < b`, of the same bits.
pub fn less(d: &mut Draft, a: &[Lit], b: &[Lit], signed: bool) -> Lit {
    let (mut a, mut b) = (a.to_vec(), b.to_vec());
    if let (true, Some(a), Some(b)) = (signed, a.last_mut(), b.last_mut()) {
        (*a, *b) = (!*a, !*b);
    }
    !sub(d, &a, &b).1
}

/// Whether all are 1: a tree.
pub fn all(d: &mut Draft, bits: &[Lit]) -> Lit {
    let mut bits = bits.to_vec();
    while bits.len() > 1 {
        bits = bits.chunks(2).map(|pair| pair.iter().fold(Lit::TRUE, |all, bit| d.and(all, *bit))).collect();
    }
    bits.first().copied().unwrap_or(Lit::TRUE)
}

/// Whether one is 1.
pub fn any(d: &mut Draft, bits: &[Lit]) -> Lit {
    !all(d, &inverted(bits))
}

/// Whether two words of the same bits are equal.
pub fn equal(d: &mut Draft, a: &[Lit], b: &[Lit]) -> Lit {
    let same: Vec<Lit> = a.iter().zip(b).map(|(a, b)| !d.xor(*a, *b)).collect();
    all(d, &same)
}

/// `a` where `choose` is 1, else `b`.
pub fn select(d: &mut Draft, choose: Lit, a: &[Lit], b: &[Lit]) -> Vec<Lit> {
    a.iter().zip(b).map(|(a, b)| d.select(choose, *a, *b)).collect()
}

/// `-a` if asked for.
pub fn negate_if(d: &mut Draft, negate: Lit, a: &[Lit]) -> Vec<Lit> {
    let flipped: Vec<Lit> = a.iter().map(|bit| d.xor(*bit, negate)).collect();
    let zero = vec![Lit::FALSE; a.len()];
    add(d, &flipped, &zero, negate).0
}

/// The low `bits` of `a * b`, which are both signed or both not.
pub fn mul(d: &mut Draft, a: &[Lit], b: &[Lit], signed: bool, bits: usize) -> Vec<Lit> {
    let constants = |word: &[Lit]| word.iter().filter(|bit| bit.constant().is_some()).count();
    // Rows of the wider one, as many as the other has bits that are not known.
    let (a, b) = match (constants(a), constants(b)) {
        (0, 0) if a.len() < b.len() => (b, a),
        (more, less) if more > less => (b, a),
        _ => (a, b),
    };
    let width = a.len();
    let mut sum: Vec<Lit> = vec![Lit::FALSE; width];
    let mut product = Vec::with_capacity(bits);
    for (i, bit) in b.iter().take(bits).enumerate() {
        let row: Vec<Lit> = a.iter().map(|a| d.and(*a, *bit)).collect();
        let row = extended(&row, width + 1, signed);
        let from = extended(&sum, width + 1, signed);
        // The top bit of a signed number counts below zero.
        sum = if signed && i + 1 == b.len() {
            sub(d, &from, &row).0
        } else {
            add(d, &from, &row, Lit::FALSE).0
        };
        product.push(sum.remove(0));
    }
    product.extend(sum);
    extended(&product, bits, signed)
}

/// The quotient and the rest of numbers without signs, and anything where `b` is 0. What is left after a step may be
/// below 0, and is then added to: an addition for each bit of `a`.
pub fn divide(d: &mut Draft, a: &[Lit], b: &[Lit]) -> (Vec<Lit>, Vec<Lit>) {
    let width = b.len();
    let wide = extended(b, width + 1, false);
    let mut left = vec![Lit::FALSE; wide.len()];
    let mut quotient = vec![Lit::FALSE; a.len()];
    let mut minus = Lit::TRUE;
    for i in (0..a.len()).rev() {
        left.pop();
        left.insert(0, a[i]);
        let by: Vec<Lit> = wide.iter().map(|bit| d.xor(*bit, minus)).collect();
        left = add(d, &left, &by, minus).0;
        minus = !left[wide.len() - 1];
        quotient[i] = minus;
    }
    let more: Vec<Lit> = b.iter().map(|bit| d.and(*bit, !minus)).collect();
    let rest = add(d, &left[..width], &more, Lit::FALSE).0;
    (quotient, rest)
}

/// `a` moved up by a number, zeros behind it.
pub fn up(d: &mut Draft, a: &[Lit], by: &[Lit]) -> Vec<Lit> {
    let reversed: Vec<Lit> = a.iter().rev().copied().collect();
    down(d, &reversed, by, Lit::FALSE).into_iter().rev().collect()
}

/// `a` moved down by a number, `fill` behind it.
pub fn down(d: &mut Draft, a: &[Lit], by: &[Lit], fill: Lit) -> Vec<Lit> {
    // Lengths below 2^stages, which all but the last step reaches.
    let stages = (usize::BITS - a.len().saturating_sub(1).leading_zeros()) as usize;
    let mut word = a.to_vec();
    for (i, choose) in by.iter().enumerate().take(stages) {
        let moved: Vec<Lit> = (0..a.len()).map(|j| word.get(j + (1 << i)).copied().unwrap_or(fill)).collect();
        word = select(d, *choose, &moved, &word);
    }
    if by.len() > stages {
        let beyond = any(d, &by[stages..]);
        word = word.iter().map(|bit| d.select(beyond, fill, *bit)).collect();
    }
    word
}

/// All products of these bits: item `i` is the AND of those that `i` has. At most `2^n - n - 1` ANDs.
pub fn products(d: &mut Draft, bits: &[Lit]) -> Vec<Lit> {
    let mut all = vec![Lit::TRUE];
    let mut halves: Vec<Vec<Lit>> = bits.iter().map(|bit| vec![Lit::TRUE, *bit]).collect();
    while !halves.is_empty() {
        halves = halves
            .chunks(2)
            .map(|pair| match pair {
                [low, high] => high
                    .iter()
                    .flat_map(|high| low.iter().map(|low| d.and(*low, *high)).collect::<Vec<_>>())
                    .collect(),
                _ => pair[0].clone(),
            })
            .collect();
        if halves.len() == 1 {
            all = halves.remove(0);
        }
    }
    all
}

/// What a table of constants has at an address: row `i` is `rows[i]`, and zero behind the last one. The products of the
/// address's bits are shared by all bits of the rows, which are sums of them.
pub fn table(d: &mut Draft, rows: &[Vec<bool>], width: usize, at: &[Lit]) -> Vec<Lit> {
    let products = products(d, at);
    (0..width)
        .map(|j| {
            // The algebraic normal form of one bit, in place.
            let mut form: Vec<bool> =
                (0..products.len()).map(|i| rows.get(i).is_some_and(|row| row[j])).collect();
            for step in (0..at.len()).map(|k| 1 << k) {
                for i in (0..form.len()).filter(|i| i & step != 0) {
                    form[i] ^= form[i ^ step];
                }
            }
            let terms = products.iter().zip(form).filter(|(_, there)| *there).map(|(term, _)| *term);
            d.xor_all(terms.collect::<Vec<_>>())
        })
        .collect()
}
