//! Keys as bytes, in pieces, and what of them is printed; their bills.

use crate::support::pairs::words;
use crate::support::{billed::check, pairs};

use hushtable::{
    Error, Party, Result,
    bill::Bill,
    fss::{Below, Dcf, Dpf, End, KeyShape, Point, Unplaced},
    onehot::{Cyclic, Group, Xor},
    share::{Additive, Bitwise, Kind, Share},
};
use pairs::{both, pair, share};

/// A multiple of 8: all messages are whole bytes.
const N: usize = 64;

fn shape(position: u32, bits: u32, words: u32) -> KeyShape {
    KeyShape { position, bits, words }
}

fn ones<K: Kind>(p: &Party, shape: KeyShape) -> Vec<Share<K, u64>> {
    (0..shape.words).map(|_| words(p.role(), shape.bits, vec![1; N])).collect()
}

fn place<G: Group>(d: u32) -> Share<G::Kind, u32> {
    Share::new(d, vec![1; N])
}

#[test]
fn bills_are_what_keys_cost() {
    fn of<G: Group, K: Kind>(of: KeyShape) {
        let d = of.position;
        check(
            &format!("point functions, {of:?}, {}", G::NAME),
            Dpf::<G, K>::bill(of).expect("a bill").times(N),
            |p| Dpf::<G, K>::prepare(p, d, &ones(p, of)),
            |s, keys| keys.at(s, &place::<G>(d)).map(drop),
        );
        check(
            &format!("comparisons, {of:?}, {}", G::NAME),
            Dcf::<G, K>::bill(of).expect("a bill").times(N),
            |p| Dcf::<G, K>::prepare(p, d, &ones(p, of)),
            |s, keys| keys.at(s, &place::<G>(d)).map(drop),
        );
    }
    fn bit<G: Group>(d: u32) {
        check(
            &format!("keys of {d} bits to 1, {}", G::NAME),
            Dpf::<G, Bitwise>::bit_bill(d).expect("a bill").times(N),
            |p| Dpf::<G, Bitwise>::prepare_bit(p, d, N),
            |s, keys| keys.at(s, &place::<G>(d)).map(drop),
        );
    }
    for (d, bits, count) in [(1, 1, 1), (1, 64, 1), (4, 8, 1), (9, 1, 1), (6, 64, 1), (5, 13, 3), (3, 33, 4)]
    {
        of::<Xor, Additive>(shape(d, bits, count));
        of::<Cyclic, Additive>(shape(d, bits, count));
        of::<Xor, Bitwise>(shape(d, bits, count));
        of::<Cyclic, Bitwise>(shape(d, bits, count));
    }
    for d in [1, 2, 7, 8, 9, 11] {
        bit::<Xor>(d);
        bit::<Cyclic>(d);
    }
}

/// Bytes of both parties, and rounds, of the batch that docs promise figures for.
#[test]
fn keys_are_as_small_as_promised() {
    let bytes = |bill: Bill| (bill.cots.iter().sum::<u64>() as f64 * 1.2 + bill.bytes() * 8.0) / 8.0;
    for (d, most) in [(8, 75.0), (16, 400.0), (20, 540.0)] {
        let xor = Dpf::<Xor, Bitwise>::bit_bill(d).expect("a bill");
        let cyclic = Dpf::<Cyclic, Bitwise>::bit_bill(d).expect("a bill");
        assert!(bytes(xor) <= most, "{d} bits: {}", bytes(xor));
        assert!(xor.offline.rounds + xor.online.rounds <= d + 1);
        assert!(cyclic.offline.rounds + cyclic.online.rounds <= d + 2);
    }
    let payload = |bits| Dpf::<Xor, Additive>::bill(shape(16, bits, 1)).expect("a bill");
    assert!(bytes(payload(64)) <= 620.0, "{}", bytes(payload(64)));
}

/// Stored keys are evaluated like those that were stored, and so are pieces.
#[test]
fn keys_are_stored_and_spent_in_pieces() {
    let d = 9;
    let positions: Vec<u32> = (0..40).map(|i| i * 13 % (1 << d)).collect();
    fn at(values: &[Share<Additive, u64>]) -> Vec<u64> {
        values.iter().flat_map(|x| x.words().to_vec()).collect()
    }
    let run = |p: &mut Party| -> Result<()> {
        let x = share::<Additive>(p.role(), d, &positions, 4);
        let beta = [words::<Additive>(p.role(), 20, (100..140).collect())];
        let dpf = Dpf::<Cyclic, Additive>::prepare(p, d, &beta)?;
        let mut dpf = Unplaced::<Point, Cyclic, Additive>::decode(&dpf.encode())?;
        let rest = dpf.take(15)?;
        assert_eq!((dpf.len(), rest.len()), (25, 15));
        let mut head = x.clone();
        let tail = head.split_off(25);
        let (first, second) = (dpf.at(p, &head)?, rest.at(p, &tail)?);
        let points: Vec<u32> = (0..40).map(|i| i * 13 % (1 << d) + i % 2).collect();
        let values = [at(&first.eval(&points[..25])?), at(&second.eval(&points[25..])?)].concat();
        let again = Dpf::<Cyclic, Additive>::decode(&first.encode())?;
        assert_eq!(at(&again.eval(&points[..25])?), values[..25]);
        let found = p.open(&Share::<Additive, u64>::new(20, values))?;
        for (i, &found) in found.iter().enumerate() {
            assert_eq!(found, if i % 2 == 0 { 100 + i as u64 } else { 0 });
        }
        let dcf = Dcf::<Cyclic, Additive>::prepare(p, d, &beta)?;
        let dcf = Unplaced::<Below, Cyclic, Additive>::decode(&dcf.encode())?.at(p, &x)?;
        let mut again = Dcf::<Cyclic, Additive>::decode(&dcf.encode())?;
        assert_eq!(at(&again.eval(End::At, &points)?), at(&dcf.eval(End::At, &points)?));
        let last = again.take(3)?;
        assert_eq!(at(&last.eval(End::At, &points[37..])?), at(&dcf.eval(End::At, &points)?)[37..]);
        assert!(matches!(again.take(38), Err(Error::Shape { .. })));
        let dense = Dpf::<Xor, Bitwise>::prepare_bit(p, 8, 3)?;
        let dense = Unplaced::<Point, Xor, Bitwise>::decode(&dense.encode())?;
        assert_eq!(dense.len(), 3);
        let text = format!("{dense:?}, {first:?}, {dcf:?}");
        let want = "unplaced Dpf<xor>(3 keys of 8 bits to 1 x 1 bits), \
                    Dpf<cyclic>(25 keys of 9 bits to 1 x 20 bits), Dcf<cyclic>(40 keys of 9 bits to 1 x 20 bits)";
        assert_eq!(text, want);
        Ok(())
    };
    both(pair(0x5704, None), run);
}

/// Bytes that are cut, longer, of another type, or that promise more than there is.
#[test]
fn stored_keys_that_are_none() {
    let run = |p: &mut Party| -> Result<()> {
        let keys = Dpf::<Xor, Bitwise>::prepare_bit(p, 9, 3)?;
        let bytes = keys.encode();
        let refused = |bytes: &[u8]| {
            let found = Unplaced::<Point, Xor, Bitwise>::decode(bytes);
            assert!(matches!(found, Err(Error::Store(_) | Error::Param { .. })), "{found:?}");
        };
        for end in 0..bytes.len() {
            refused(&bytes[..end]);
        }
        refused(&[&bytes[..], &[0]].concat());
        for at in 0..48 {
            for bit in 0..8 {
                let mut wrong = bytes.to_vec();
                wrong[at] ^= 1 << bit;
                // The role may be either, and keys of the bit 1 look like those of a shared one.
                if (at, bit) != (32, 0) && (at, bit) != (34, 0) {
                    refused(&wrong);
                }
            }
        }
        let mut other = bytes.to_vec();
        other[32] ^= 1;
        let keys = Unplaced::<Point, Xor, Bitwise>::decode(&other)?;
        let found = keys.at(p, &Share::new(9, vec![0; 3]));
        assert!(matches!(found, Err(Error::Store(_))), "the other party's: {found:?}");
        assert!(Unplaced::<Below, Xor, Bitwise>::decode(&bytes).is_err(), "of another function");
        assert!(Unplaced::<Point, Cyclic, Bitwise>::decode(&bytes).is_err(), "of another group");
        assert!(Unplaced::<Point, Xor, Additive>::decode(&bytes).is_err(), "of another sharing");
        assert!(Dpf::<Xor, Bitwise>::decode(&bytes).is_err(), "not placed");
        Ok(())
    };
    both(pair(0xbad5, None), run);
}
