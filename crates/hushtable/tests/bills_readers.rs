//! The bills of one-hot vectors and of what reads them, as in [`bills`](super::bills).

use crate::support::billed::check;

use hushtable::{
    AShare,
    arith::{Containment, FoldedProducts},
    lut::{
        Table,
        read::{PolynomialShape, Signed},
    },
    onehot::{Cyclic, Group, OneHot, Xor},
    share::Share,
};

/// A multiple of 8: all messages are whole bytes.
const N: usize = 64;

#[test]
fn one_hot_vectors_and_their_readers() {
    fn of<G: Group>() {
        for n in [1, 2, 5, 7, 8, 11] {
            let name = |what: &str| format!("{what} of 2^{n} entries, {}", G::NAME);
            let vector = OneHot::<G>::tree_bill(n).times(N);
            check(&name("tree"), vector, |p| OneHot::<G>::tree(p, n, N), |_, _| Ok(()));
            if n < 8 {
                let vector = OneHot::<G>::doubling_bill(n).times(N);
                check(&name("doubling"), vector, |p| OneHot::<G>::doubling(p, n, N), |_, _| Ok(()));
            }
            for widths in [&[1][..], &[1, 1], &[13], &[64, 64, 64]] {
                let table =
                    Table::vector(widths[0], vec![vec![1u64; 1 << n]; widths.len()]).expect("a table");
                check(
                    &name(&format!("lookups of {widths:?} bits")),
                    vector + Signed::<G>::bill(n, widths).expect("a bill").times(N),
                    |p| OneHot::<G>::tree(p, n, N)?.signed(p, widths),
                    |s, m| m.lookup_all(s, &[&table], &Share::new(n, vec![1; N])).map(drop),
                );
            }
        }
    }
    of::<Cyclic>();
    of::<Xor>();
}

#[test]
fn looked_up_polynomials() {
    let shapes = [(1, 4, 20, 0), (1, 7, 22, 6), (2, 4, 20, 0), (2, 9, 30, 5), (3, 9, 64, 0), (3, 11, 20, 19)];
    let carried = [(1, 4, 20, 0, true), (1, 7, 22, 9, true)];
    for (degree, bits, ring, cut, carry) in
        shapes.map(|(degree, bits, ring, cut)| (degree, bits, ring, cut, false)).into_iter().chain(carried)
    {
        let shape = PolynomialShape { degree, bits, ring, cut, carry };
        let table = Table::vector(ring, vec![vec![1u64; 8]; degree as usize + 1]).expect("a table");
        check(
            &format!("{shape:?}"),
            (OneHot::<Cyclic>::tree_bill(3) + shape.bill(3)).times(N),
            |p| OneHot::<Cyclic>::tree(p, 3, N)?.polynomial(p, shape),
            |s, m| m.eval(s, &table, &AShare::new(3, vec![1; N]), &[5; N]).map(drop),
        );
    }
}

/// Two columns of one width, and others: a round for each width that there is.
#[test]
fn products_of_folded_lookups() {
    for widths in [&[20, 20][..], &[9], &[1, 64, 9, 64]] {
        let tables: Vec<Table<u64>> =
            widths.iter().map(|&w| Table::tabulate(3, w, |x| x & 1).expect("a table")).collect();
        let tables: Vec<&Table<u64>> = tables.iter().collect();
        let factors: Vec<AShare<u64>> = widths.iter().map(|&w| AShare::new(w, vec![1; N])).collect();
        let factors: Vec<&AShare<u64>> = factors.iter().collect();
        let read = OneHot::<Cyclic>::tree_bill(3) + Signed::<Cyclic>::bill(3, widths).expect("a bill");
        // The sign is removed while the index is opened, not after it.
        let mut folded = read;
        folded.online.rounds = 1;
        check(
            &format!("products of folded columns of {widths:?} bits"),
            (folded + FoldedProducts::bill(widths).expect("a bill")).times(N),
            |p| {
                let read = OneHot::<Cyclic>::tree(p, 3, N)?.signed(p, widths)?;
                Ok((read, FoldedProducts::prepare(p, widths, N)?))
            },
            |s, (read, products)| {
                let folded = read.lookup_folded(s, &tables, &Share::new(3, vec![1; N]), &factors)?;
                products.multiply(s, folded).map(drop)
            },
        );
    }
}

#[test]
fn gates_of_one_opening() {
    let words = |bits| AShare::<u64>::new(bits, vec![1; N]);
    for bits in [1, 5, 9, 10, 12] {
        check(
            &format!("intervals of {bits} bits"),
            Containment::bill(bits).expect("a bill").times(N),
            |p| Containment::prepare(p, bits, N),
            |s, m| m.inside(s, &words(bits), &[0..1, 1..2, 0..2]).map(drop),
        );
    }
}
