//! Readers of a one-hot vector beyond one table at one index: padded tables, the folded sign,
//! independent lookups in the same rounds.

use crate::support::pairs;
use crate::support::relay;

use hushtable::{
    AShare, Error, Party, Result, Role,
    arith::FoldedProducts,
    lut::{
        Table,
        read::{Read, many, polynomial::PolynomialShape},
    },
    net::{Connection, Cost, wire_len},
    onehot::{Cyclic, Group, OneHot, Xor},
    reference,
    share::{Additive, Share},
};
use pairs::{both, id, pair, share};
use prim::{block::Block, prg::Prg, ring::low};
use relay::{Fate, relayed};

fn bytes(count: usize, bits: usize) -> usize {
    (count * bits).div_ceil(8)
}

/// What both parties send is the same, of so many wire bytes.
fn symmetric(sent: u64, rounds: u32) -> Cost {
    Cost { sent, received: sent, rounds }
}

/// One party's additive shares of 64-bit words, reduced to `bits`.
fn wide(role: Role, bits: u32, values: &[u64], seed: u64) -> AShare<u64> {
    let mut masks = vec![0u64; values.len()];
    Prg::new(Block(u128::from(seed) << 64 | 2)).words(bits, &mut masks);
    let masks = Share::new(bits, masks);
    match role {
        Role::P0 => masks,
        Role::P1 => &Share::<Additive, u64>::new(bits, values.to_vec()) - &masks,
    }
}

#[test]
fn tables_are_padded_to_a_power_of_two() {
    let table = Table::<u16>::new(9, (0..13).map(|i| 500 - i).collect()).unwrap();
    assert_eq!(table.index_bits(), 4);
    let padded = table.clone().pad(4, 7).unwrap();
    assert_eq!((padded.len(), padded.bits()), (16, 9));
    assert_eq!(padded.columns()[0][..13], table.columns()[0]);
    assert_eq!(padded.columns()[0][13..], [7; 3]);
    let two = Table::<u8>::vector(3, vec![vec![1; 4], vec![2; 4]]).unwrap().pad(3, 5).unwrap();
    assert_eq!(two.columns(), [vec![1, 1, 1, 1, 5, 5, 5, 5], vec![2, 2, 2, 2, 5, 5, 5, 5]]);
    assert_eq!(two.clone().pad(3, 0).unwrap(), two, "long enough already");
    let text = |outcome: Result<Table<u16>>| match outcome {
        Err(e @ Error::Param { .. }) => e.to_string(),
        other => panic!("{other:?}"),
    };
    let what = "index bits of a padded table";
    assert_eq!(text(table.clone().pad(3, 0)), format!("{what}: 3 is not supported; accepted: 4 to 20"));
    assert_eq!(text(table.clone().pad(21, 0)), format!("{what}: 21 is not supported; accepted: 4 to 20"));
    assert_eq!(
        text(table.clone().pad(5, 512)),
        "table entry: 512 is not supported; accepted: values of 9 bits"
    );

    let xs: Vec<u32> = (0..16).collect();
    let (opened, _) = both(pair(2, None), |p| {
        let x: Share<Additive, u32> = share(p.role(), 4, &xs, 3);
        let refused = OneHot::<Cyclic>::rotl(p, 4, 16)?.lookup_xor(p, &table, &x);
        let text = refused.expect_err("13 entries").to_string();
        assert!(text.contains("Table::pad") && text.ends_with("expected 16, got 13"), "{text}");
        let y = OneHot::<Cyclic>::rotl(p, 4, 16)?.lookup_xor(p, &padded, &x)?;
        p.open(&y)
    });
    assert_eq!(opened, padded.columns()[0]);
}

type Generator<G> = fn(&mut Party, u32, usize) -> Result<OneHot<G>>;

fn generators<G: Group>() -> [Generator<G>; 6] {
    [
        OneHot::<G>::rotl,
        OneHot::<G>::doubling,
        OneHot::<G>::tree,
        OneHot::<G>::balanced,
        OneHot::<G>::staged,
        OneHot::<G>::flute_plus,
    ]
}

/// `2^n` rows of three columns of `l` bits.
fn vector(n: u32, l: u32) -> Table<u64> {
    let column = |k: u64| -> Vec<u64> {
        let entry = |i: u64| low((i + k).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(20), l);
        (0..1 << n).map(entry).collect()
    };
    Table::vector(l, vec![column(1), column(2), column(3)]).unwrap()
}

/// Every index; several share splits, because the masks differ from index to index and repeat.
#[test]
fn products_with_a_folded_sign() {
    fn check<G: Group>(p: &mut Party, n: u32, l: u32, generator: Generator<G>) -> Result<()> {
        let what = format!("2^{n} entries of {l} bits, {}", G::NAME);
        let (three, one) = (vector(n, l), Table::<u64>::tabulate(n, l, |x| 3 * x + 1)?);
        let tables = [&three, &one];
        let columns: Vec<&Vec<u64>> = tables.iter().flat_map(|t| t.columns()).collect();
        let xs: Vec<u32> = (0..5 << n).map(|i| i % (1 << n)).collect();
        let powers: Vec<Vec<u64>> = (0..4)
            .map(|q| (0..xs.len() as u64).map(|i| low((i * 0x51_7cc1_b727 + 5).wrapping_pow(q), l)).collect())
            .collect();
        let x: Share<G::Kind, u32> = share(p.role(), n, &xs, u64::from(n));
        let u: Vec<AShare<u64>> = (40..).zip(&powers).map(|(seed, v)| wide(p.role(), l, v, seed)).collect();
        let material = generator(p, n, xs.len())?.signed(p, &[l; 4])?;
        let (folded, cost) =
            p.metered(|p| material.lookup_folded(p, &tables, &x, &u.iter().collect::<Vec<_>>()))?;
        let message = bytes(xs.len(), n as usize) + 4 * bytes(xs.len(), l as usize - 1);
        assert_eq!(cost, symmetric(wire_len(message), 1), "{what}");
        let cots = 4 * xs.len() * l as usize;
        p.stock_cots(cots, cots)?;
        let material = FoldedProducts::prepare(p, &[l; 4], xs.len())?;
        let (products, cost) = p.metered(|p| material.multiply(p, folded))?;
        assert_eq!(cost.rounds, 1, "2 rounds with the multiplication, {what}");
        let products = products.iter().map(|y| p.open(y)).collect::<Result<Vec<_>>>()?;
        for ((product, column), power) in products.iter().zip(&columns).zip(&powers) {
            let want: Vec<u64> = reference::lookup(column, &xs)
                .iter()
                .zip(power)
                .map(|(c, u)| low(c.wrapping_mul(*u), l))
                .collect();
            assert_eq!(product, &want, "{what}");
        }
        Ok(())
    }
    both(pair(3, None), |p| {
        for (n, l) in [(1, 64), (2, 1), (3, 2), (4, 13), (6, 64), (8, 32)] {
            generators().into_iter().try_for_each(|g| check::<Cyclic>(p, n, l, g))?;
            generators().into_iter().try_for_each(|g| check::<Xor>(p, n, l, g))?;
        }
        Ok(())
    });
}

/// Catches unsigned sums on the wire (lut-rules 7: they tell the sign, and that half of the index):
/// before the multiplication nothing that is sent may depend on the table.
#[test]
fn a_folded_lookup_sends_nothing_of_the_table() {
    let transcript = |offset: u64| -> [Vec<Vec<u8>>; 2] {
        let run = |connection: Connection| -> Result<()> {
            let mut p = Party::seeded(connection, 4, None)?;
            let table = Table::<u64>::tabulate(4, 32, |x| x * 77 + offset)?;
            let x: Share<Additive, u32> = share(p.role(), 4, &[3; 50], 9);
            let u = wide(p.role(), 32, &[12345; 50], 10);
            let material = OneHot::<Cyclic>::rotl(&mut p, 4, 50)?.signed(&mut p, &[32])?;
            material.lookup_folded(&mut p, &[&table], &x, &[&u]).map(drop)
        };
        let outcome = relayed(id(4), run, run, |_, _, _| Fate::Pass);
        outcome.p0.expect("no panic").expect("an honest run");
        outcome.p1.expect("no panic").expect("an honest run");
        outcome.sent
    };
    assert!(transcript(0) == transcript(1 << 20), "the table changes what is sent");
}

#[test]
fn factors_that_do_not_fit_are_refused() {
    both(pair(5, None), |p| {
        let table = Table::<u64>::tabulate(3, 20, |x| x)?;
        let x: Share<Additive, u32> = share(p.role(), 3, &[1; 4], 5);
        let u = |bits, len| AShare::<u64>::new(bits, vec![0; len]);
        let (good, narrow, short) = (u(20, 4), u(19, 4), u(20, 3));
        let cases: [(&[&AShare<u64>], &str); 4] = [
            (&[], "factors of the columns: expected 1, got 0"),
            (&[&good, &good], "factors of the columns: expected 1, got 2"),
            (&[&narrow], "width of a factor: expected 20, got 19"),
            (&[&short], "values of a factor: expected 4, got 3"),
        ];
        for (u, want) in cases {
            let material = OneHot::<Cyclic>::rotl(p, 3, 4)?.signed(p, &[20])?;
            let (refused, cost) = p.metered(|p| Ok(material.lookup_folded(p, &[&table], &x, u)))?;
            assert_eq!(refused.err().expect("refused").to_string(), want);
            assert_eq!(cost, Cost::default(), "before anything is sent");
        }
        Ok(())
    });
}

/// Jobs of every length, width and batch: table bits, entry bits, columns, indices.
const JOBS: [(u32, u32, usize, usize); 5] =
    [(1, 64, 1, 3), (8, 8, 2, 100), (4, 1, 1, 50), (5, 33, 3, 1), (3, 7, 1, 0)];

struct Plain {
    table: Table<u64>,
    xs: Vec<u32>,
}

fn plain_jobs() -> Vec<Plain> {
    JOBS.iter()
        .map(|&(n, l, columns, batch)| {
            let table = Table::vector(l, vector(n, l).columns()[..columns].to_vec()).unwrap();
            Plain { table, xs: (0..batch as u32).map(|i| i * 7 % (1 << n)).collect() }
        })
        .collect()
}

#[test]
fn independent_lookups_share_rounds() {
    fn check<G: Group>(p: &mut Party, generator: Generator<G>) -> Result<()> {
        let plain = plain_jobs();
        let tables: Vec<[&Table<u64>; 1]> = plain.iter().map(|j| [&j.table]).collect();
        let x: Vec<Share<G::Kind, u32>> =
            JOBS.iter().zip(&plain).map(|(job, j)| share(p.role(), job.0, &j.xs, 8)).collect();
        let index: usize = JOBS.iter().map(|&(n, _, _, batch)| bytes(batch, n as usize)).sum();
        let material = |p: &mut Party| {
            JOBS.iter().map(|&(n, _, _, batch)| generator(p, n, batch)).collect::<Result<Vec<_>>>()
        };
        let want: Vec<Vec<Vec<u64>>> = plain
            .iter()
            .map(|j| j.table.columns().iter().map(|c| reference::lookup(c, &j.xs)).collect())
            .collect();

        let jobs = material(p)?.into_iter().zip(&tables).zip(&x);
        let jobs = jobs.map(|((material, tables), x)| Read { material, tables, x }).collect();
        let (y, cost) = p.metered(|p| many::lookup_xor(p, jobs))?;
        assert_eq!(cost, symmetric(wire_len(index), 1), "XOR outputs, {}", G::NAME);
        for (y, want) in y.iter().zip(&want) {
            let opened = y.iter().map(|y| p.open(y)).collect::<Result<Vec<_>>>()?;
            assert_eq!(&opened, want);
        }

        let widths: Vec<Vec<u32>> = JOBS.iter().map(|&(_, l, columns, _)| vec![l; columns]).collect();
        let jobs: Vec<_> = material(p)?.into_iter().zip(&widths).map(|(m, w)| (m, &w[..])).collect();
        p.stock_cots(104, 104)?;
        let (signed, cost) = p.metered(|p| many::signed(p, jobs))?;
        let flips = JOBS.iter().filter(|job| job.1 > 1 && job.3 > 0).map(|job| wire_len(bytes(job.3, 1)));
        assert_eq!(cost, symmetric(flips.sum(), 1), "offline, {}", G::NAME);
        let jobs = signed.into_iter().zip(&tables).zip(&x);
        let jobs = jobs.map(|((material, tables), x)| Read { material, tables, x }).collect();
        let (y, cost) = p.metered(|p| many::lookup(p, jobs))?;
        let signs: usize =
            JOBS.iter().map(|&(_, l, columns, batch)| columns * bytes(batch, l as usize - 1)).sum();
        assert_eq!(cost, symmetric(wire_len(index) + wire_len(signs), 2), "additive outputs, {}", G::NAME);
        for (y, want) in y.iter().zip(&want) {
            let opened = y.iter().map(|y| p.open(y)).collect::<Result<Vec<_>>>()?;
            assert_eq!(&opened, want);
        }
        Ok(())
    }
    both(pair(6, None), |p| {
        generators().into_iter().try_for_each(|g| check::<Cyclic>(p, g))?;
        generators().into_iter().try_for_each(|g| check::<Xor>(p, g))
    });
}

/// One wrong job among good ones is refused before anything is sent.
#[test]
fn one_wrong_job_stops_all() {
    both(pair(7, None), |p| {
        let table = Table::<u64>::tabulate(3, 20, |x| x)?;
        let (x, short): (Share<Additive, u32>, Share<Additive, u32>) =
            (share(p.role(), 3, &[1; 4], 5), share(p.role(), 3, &[1; 3], 5));
        let tables: &[&Table<u64>] = &[&table];
        for second in [&x, &short] {
            let mut material = OneHot::<Cyclic>::rotl(p, 3, 8)?;
            let jobs = vec![
                Read { material: material.take(4)?, tables, x: &x },
                Read { material, tables, x: second },
            ];
            let (outcome, cost) = p.metered(|p| Ok(many::lookup_xor(p, jobs).is_ok()))?;
            assert_eq!((outcome, cost.rounds), if second.len() == 4 { (true, 1) } else { (false, 0) });
        }
        Ok(())
    });
}

/// Rows are read some at a time; here it takes three times, the last for fewer of them.
#[test]
fn a_batch_of_several_pieces() {
    fn check<G: Group>(seed: u64) {
        const N: u32 = 14;
        let table = Table::new(16, vector(N, 16).columns()[0].clone()).unwrap();
        let at = |i: u32| i.wrapping_mul(0x9e37_79b9) >> (32 - N);
        let x: Vec<u32> = (0..1100).map(at).collect();
        let (p0, p1) = both(pair(seed, None), |p| {
            let shares = share::<G::Kind>(p.role(), N, &x, seed);
            let xored = OneHot::<G>::tree(p, N, x.len())?.lookup_xor(p, &table, &shares)?;
            let added = OneHot::<G>::tree(p, N, x.len())?.signed(p, &[16])?.lookup(p, &table, &shares)?;
            Ok((xored, added))
        });
        for (i, &x) in x.iter().enumerate() {
            let want = table.columns()[0][x as usize];
            assert_eq!(p0.0.words()[i] ^ p1.0.words()[i], want, "{i}");
            assert_eq!(low(p0.1.words()[i].wrapping_add(p1.1.words()[i]), 16), want, "{i}");
        }
    }
    check::<Cyclic>(90);
    check::<Xor>(91);
}

/// All indices and all pairs of private numbers, beside the sum itself. What is cut loses less than a unit for each word.
#[test]
fn looked_up_polynomials() {
    for degree in 1..=3 {
        for (ring, cut) in [(5, 0), (20, 0), (64, 0), (20, 1), (20, 7), (64, 40)] {
            let shape = PolynomialShape { degree, bits: 2, ring, cut, carry: false };
            let all: Vec<[u64; 3]> = (0..128).map(|i| [i >> 4, i >> 2 & 3, i & 3]).collect();
            let column = |q: u64| {
                (0..8).map(|i| low(0x9e37_79b9_7f4a_7c15u64.wrapping_mul((i + 3) * (q + 1)), ring)).collect()
            };
            let columns: Vec<Vec<u64>> = (0..=u64::from(degree)).map(column).collect();
            let table = Table::vector(ring, columns.clone()).unwrap();
            let run = |p: &mut Party| {
                let role = p.role();
                let index: Vec<u32> = all.iter().map(|x| x[0] as u32).collect();
                let index: AShare<u32> = share(role, 3, &index, 1);
                let mine: Vec<u64> = all.iter().map(|x| x[1 + role as usize]).collect();
                let material = OneHot::<Cyclic>::tree(p, 3, all.len())?.polynomial(p, shape)?;
                let y = material.eval(p, &table, &index, &mine)?;
                p.open(&y)
            };
            let (got, _) = both(pair(12, None), run);
            for ([x, u0, u1], y) in all.iter().zip(got) {
                let power =
                    |sum: u64, column: &Vec<u64>| sum.wrapping_mul(u0 + u1).wrapping_add(column[*x as usize]);
                let want = low(columns.iter().rev().fold(0, power), ring) >> cut;
                // Less than a unit of each of the parties' words.
                let (lost, words) = (low(want.wrapping_sub(y), ring - cut), 2 * (2 + degree * (degree + 1)));
                let most = if cut == 0 { 0 } else { u64::from(words) };
                assert!(lost <= most, "c[{x}] at {u0} + {u1}, {shape:?}: {y}, not {want}");
            }
        }
    }
}
