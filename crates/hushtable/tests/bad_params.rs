//! Every argument that does not fit is refused, with the value and what is accepted, before
//! anything is sent: the session goes on as if nothing had been asked.

use crate::support::pairs;

use hushtable::{
    AShare, BShare, Error, Party, Result,
    lut::{Table, splut::SpLut},
    net::LinkShape,
    onehot::{Cyclic, Group, OneHot, Xor},
    ot::{
        Scheme,
        params::{self, LpnSet},
    },
    share::{Kind, Share},
};
use pairs::{both, pair, share};

/// The text of a refusal that must be [`Error::Param`].
fn param<T>(outcome: Result<T>) -> String {
    match outcome.err().expect("accepted") {
        e @ Error::Param { .. } => e.to_string(),
        other => panic!("another kind of error: {other:?}"),
    }
}

/// The text of a refusal that must be [`Error::Shape`].
fn shape<T>(outcome: Result<T>) -> String {
    match outcome.err().expect("accepted") {
        e @ Error::Shape { .. } => e.to_string(),
        other => panic!("another kind of error: {other:?}"),
    }
}

#[test]
fn tables() {
    let width = |bits| param(Table::<u8>::new(bits, vec![0, 1]));
    assert_eq!(width(0), "width of a table's entries: 0 is not supported; accepted: 1 to 8");
    assert_eq!(width(9), "width of a table's entries: 9 is not supported; accepted: 1 to 8");
    assert!(Table::<u64>::new(64, vec![u64::MAX, 0]).is_ok());
    for rows in [0, 1, (1 << 20) + 1] {
        let want = format!("entries of a table: {rows} is not supported; accepted: 2 to 2^20");
        assert_eq!(param(Table::<u8>::new(8, vec![0; rows])), want);
    }
    assert!(Table::<u8>::new(1, vec![0; 1 << 20]).is_ok());
    let wide = param(Table::<u16>::new(9, vec![511, 512]));
    assert_eq!(wide, "table entry: 512 is not supported; accepted: values of 9 bits");
    let wide = param(Table::<u64>::new(63, vec![0, 1 << 63]));
    assert_eq!(wide, "table entry: 9223372036854775808 is not supported; accepted: values of 63 bits");
    let none = param(Table::<u8>::vector(8, Vec::new()));
    assert_eq!(none, "columns of a table: 0 is not supported; accepted: 1 and more");
    let uneven = shape(Table::<u8>::vector(8, vec![vec![0; 4], vec![0; 5]]));
    assert_eq!(uneven, "entries of a column: expected 4, got 5");
    let wide = param(Table::<u8>::vector(3, vec![vec![0; 4], vec![8; 4]]));
    assert_eq!(wide, "table entry: 8 is not supported; accepted: values of 3 bits");
    assert!(param(Table::<u8>::tabulate(0, 8, |x| x)).starts_with("entries of a table: 1 is not"));
    for n in [21, 63, 64, u32::MAX] {
        let want = format!("index bits of a table: {n} is not supported; accepted: 1 to 20");
        assert_eq!(param(Table::<u8>::tabulate(n, 8, |x| x)), want);
    }
}

#[test]
fn shares() {
    let x = AShare::<u32>::new(20, vec![0xf_ffff; 3]);
    let low = |n| param(x.low_bits::<u8>(n));
    assert_eq!(low(0), "width of the low bits: 0 is not supported; accepted: 1 to 8");
    assert_eq!(low(9), "width of the low bits: 9 is not supported; accepted: 1 to 8");
    assert!(param(x.low_bits::<u64>(21)).ends_with("21 is not supported; accepted: 1 to 20"));
    let mut y = AShare::<u32>::new(19, vec![1]);
    assert_eq!(shape(y.append(&x)), "bits of the appended share: expected 19, got 20");
    assert_eq!(shape(x.plus_public(&[1, 2])), "public values: expected 3, got 2");
}

#[test]
fn networks() {
    let accepted = "loopback, lan, wan, or RATE:RTT such as 200:10ms (0.01 to 1000000 Mbit/s, 0 to 4 s)";
    for text in ["", "LAN", "100", "0:1ms", "1e7:1ms", "-1:1", "nan:1", "5:5s", "5:-1", "5:inf", "5:1min"] {
        let want = format!("network: {text:?} is not supported; accepted: {accepted}");
        assert_eq!(param(text.parse::<LinkShape>()), want);
    }
}

#[test]
fn weak_lpn_parameters() {
    let text = param(params::check(&LpnSet { t: 850, ..params::S }));
    let sets = "S(976,14,7) M(2504,17,10) L(2584,19,12) d=10 at 140 bits or more";
    assert!(text.starts_with("LPN parameter set: (t 850, log2 k 14, depth 7) at "), "{text}");
    assert!(text.ends_with(&format!("is not supported; accepted: {sets}")), "{text}");
    assert!(params::check(&LpnSet { bits: &[("stern", 139.9)], ..params::S }).is_err());
}

/// Runs `calls` at both parties of one session, then a lookup that must be right: what was refused
/// left no trace.
fn still_works(seed: u64, calls: impl Fn(&mut Party) -> Result<()> + Send + Sync + Copy) {
    let (opened, _) = both(pair(seed, None), |p| {
        calls(p)?;
        let table = Table::<u16>::tabulate(4, 16, |x| 1000 + x)?;
        let x = share(p.role(), 4, &[3, 9], seed);
        let y = OneHot::<Cyclic>::rotl(p, 4, 2)?.signed(p, &[16])?.lookup(p, &table, &x)?;
        p.open(&y)
    });
    assert_eq!(opened, [1003, 1009]);
}

#[test]
fn generators() {
    still_works(90, |p| {
        fn refuse<G: Group>(p: &mut Party) {
            for n in [0, 17, 64, u32::MAX] {
                let want = format!("index bits: {n} is not supported; accepted: 1 to 16");
                assert_eq!(param(OneHot::<G>::rotl(p, n, 5)), want);
                assert_eq!(param(OneHot::<G>::doubling(p, n, 5)), want);
            }
        }
        refuse::<Cyclic>(p);
        refuse::<Xor>(p);
        assert!(OneHot::<Xor>::rotl(p, 3, 0)?.is_empty(), "a batch of none is a batch");
        Ok(())
    });
}

#[test]
fn lookups_from_a_one_hot() {
    still_works(91, |p| {
        let table = Table::<u16>::tabulate(3, 9, |x| x)?;
        let (short, long) = (Table::<u16>::tabulate(2, 9, |x| x)?, Table::<u16>::tabulate(4, 9, |x| x)?);
        let pair = Table::<u16>::vector(9, vec![vec![0; 8]; 2])?;
        let mut material = OneHot::<Xor>::rotl(p, 3, 20)?;
        let mut one = || material.take(2).expect("material");
        let x = |bits, len| BShare::<u32>::new(bits, vec![1; len]);

        let length = "entries of the table (2^index bits: pad a shorter one with Table::pad): expected 8";
        assert_eq!(shape(one().lookup_xor(p, &short, &x(3, 2))), format!("{length}, got 4"));
        assert_eq!(shape(one().lookup_xor_all(p, &[&table, &long], &x(3, 2))), format!("{length}, got 16"));
        assert_eq!(shape(one().lookup_xor(p, &pair, &x(3, 2))), "columns of the table: expected 1, got 2");
        assert_eq!(shape(one().lookup_xor(p, &table, &x(3, 3))), "indices: expected 2, got 3");
        let narrow = "width of the low bits: 3 is not supported; accepted: 1 to 2";
        assert_eq!(param(one().lookup_xor(p, &table, &x(2, 2))), narrow);
        assert_eq!(param(one().open_index(p, &x(2, 2)).map(drop)), narrow);
        let at = one().open_index(p, &x(3, 2))?;
        assert_eq!(shape(at.read_xor(&long)), format!("{length}, got 16"));
        assert_eq!(shape(material.take(7)), "lookups left: expected 7, got 6");
        assert_eq!(material.len(), 6, "and they are still there");
        Ok(())
    });
}

#[test]
fn additive_outputs() {
    still_works(92, |p| {
        let (table, wide) = (Table::<u16>::tabulate(3, 9, |x| x)?, Table::<u16>::tabulate(3, 10, |x| x)?);
        let mut material = OneHot::<Cyclic>::rotl(p, 3, 20)?;
        let mut one = || material.take(2).expect("material");
        let x = |len| AShare::<u32>::new(3, vec![1; len]);
        for width in [0, 65, u32::MAX] {
            let want = format!("width of an additive output: {width} is not supported; accepted: 1 to 64");
            assert_eq!(param(one().signed(p, &[9, width])), want);
        }
        let columns = "columns prepared for additive output: expected";
        let signed = one().signed(p, &[9, 9])?;
        assert_eq!(shape(signed.lookup(p, &table, &x(2))), format!("{columns} 2, got 1"));
        let signed = one().signed(p, &[9])?;
        let both = shape(signed.lookup_all(p, &[&table, &table], &x(2)));
        assert_eq!(both, format!("{columns} 1, got 2"));
        let signed = one().signed(p, &[9])?;
        let width = "width prepared for additive output: expected 9, got 10";
        assert_eq!(shape(signed.lookup(p, &wide, &x(2))), width);
        let signed = one().signed(p, &[9])?;
        assert_eq!(shape(signed.lookup(p, &table, &x(1))), "indices: expected 2, got 1");
        Ok(())
    });
}

#[test]
fn splut() {
    still_works(93, |p| {
        let cyclic = |p: &mut Party, n| SpLut::<Cyclic>::prepare(p, n, 3);
        let xor = |p: &mut Party, n| SpLut::<Xor>::prepare(p, n, 3);
        for n in [0, 1, (1 << 20) + 1, usize::MAX] {
            let what = format!("entries of the table: {n} is not supported; accepted");
            assert_eq!(param(cyclic(p, n)), format!("{what}: 2 to 2^20"));
            assert_eq!(param(xor(p, n)), format!("{what}: powers of two from 2 to 2^20 (Table::pad)"));
        }
        let text = param(xor(p, 12));
        assert!(text.ends_with("12 is not supported; accepted: powers of two from 2 to 2^20 (Table::pad)"));

        let (eight, twelve) = (Table::<u8>::new(4, vec![1; 8])?, Table::<u8>::new(4, vec![1; 12])?);
        let pair = Table::<u8>::vector(4, vec![vec![0; 8]; 2])?;
        fn index<K: Kind>(bits: u32, len: usize) -> Share<K, u32> {
            Share::new(bits, vec![1; len])
        }
        let length = "entries of the table: expected 8, got 12";
        assert_eq!(shape(cyclic(p, 8)?.lookup(p, &twelve, &index(3, 3))), length);
        assert_eq!(shape(xor(p, 8)?.lookup_xor(p, &twelve, &index(3, 3))), length);
        assert_eq!(shape(cyclic(p, 8)?.lookup(p, &eight, &index(3, 4))), "indices: expected 3, got 4");
        let columns = "columns of the table: expected 1, got 2";
        assert_eq!(shape(xor(p, 8)?.lookup(p, &pair, &index(3, 3))), columns);
        let narrow = "width of the low bits: 3 is not supported; accepted: 1 to 2";
        assert_eq!(param(cyclic(p, 8)?.lookup_xor(p, &eight, &index(2, 3))), narrow);
        let whole = "entries of the table: 12 is not supported; accepted: powers of two; for other lengths \
                     share the index modulo the length";
        assert_eq!(param(cyclic(p, 12)?.lookup(p, &twelve, &index(4, 3))), whole);
        let reduced = "index share: a word that is not reduced is not supported; accepted: shares modulo 12";
        assert_eq!(param(cyclic(p, 12)?.lookup_mod(p, &twelve, &[0, 11, 12])), reduced);
        assert_eq!(param(cyclic(p, 12)?.lookup_mod_xor(p, &twelve, &[u32::MAX, 1, 1])), reduced);
        let indices = "indices: expected 3, got 2";
        assert_eq!(shape(cyclic(p, 12)?.lookup_mod(p, &twelve, &[0, 11])), indices);
        Ok(())
    });
}

#[test]
fn correlated_ots() {
    both(pair(94, Some(Scheme::SoftSpoken4)), |p| {
        let (mut sender, mut receiver) = p.cots(10, 10)?;
        assert_eq!(shape(sender.take(11)), "correlated OTs left: expected 11, got 10");
        assert_eq!(shape(receiver.take(11)), "correlated OTs left: expected 11, got 10");
        assert_eq!((sender.take(10)?.len(), receiver.take(4)?.len()), (10, 4));
        assert_eq!(shape(sender.take(1)), "correlated OTs left: expected 1, got 0");
        assert_eq!(shape(receiver.take(7)), "correlated OTs left: expected 7, got 6");
        Ok(())
    });
}

#[test]
fn lanes_and_parameters() {
    both(pair(95, None), |p| {
        let lanes = param(p.fork(1 << 16));
        assert_eq!(lanes, "lanes of one session: 65536 is not supported; accepted: at most 65535");
        let long = [("x", "y".repeat(257))];
        let value = "bytes in a parameter's value: 257 is not supported; accepted: at most 256";
        assert_eq!(param(p.connection().agree(&long)), value);
        Ok(())
    });
}

#[test]
#[should_panic(expected = "9-bit shares do not fit words of 8 bits")]
fn a_width_is_the_programs_own_choice() {
    drop(AShare::<u8>::new(9, vec![1]));
}
