//! Gates on shared bits: every truth table, the cost, and what must not repeat.

use crate::support::pairs;
use crate::support::relay;

use hushtable::{
    AShare, BShare, Error, Party, Result, Role,
    gates::{Ands, B2a, Bits, DaBits, KnownMux, Mux, Triples, and, and_all, and_pairs, and_shared, or},
    net::{Connection, Cost, wire_len},
    share::{Additive, Bitwise, Kind},
};
use pairs::{both, id, pair, share};
use prim::{block::Block, prg::Prg, ring::low};
use relay::{Fate, relayed};

/// Uniform words of `len` bits, the same at both parties.
fn values(len: usize, seed: u64) -> Bits {
    let mut words = vec![0; len.div_ceil(64)];
    Prg::new(Block(seed.into())).words(64, &mut words);
    Bits::new(len, words)
}

/// One party's shares of `x`.
fn shared(role: Role, x: &Bits, seed: u64) -> Bits {
    let mask = values(x.len(), seed ^ 0xabcd_0000);
    match role {
        Role::P0 => mask,
        Role::P1 => x ^ &mask,
    }
}

fn words(x: &[&Bits], f: impl Fn(&[u64]) -> u64) -> Vec<u64> {
    let word = |i: usize| f(&x.iter().map(|x| x.words()[i]).collect::<Vec<_>>());
    Bits::new(x[0].len(), (0..x[0].words().len()).map(word).collect()).words().to_vec()
}

const LENGTHS: [usize; 9] = [0, 1, 2, 63, 64, 65, 127, 1000, 3001];

#[test]
fn bits_are_cut_and_joined_anywhere() {
    for len in LENGTHS {
        let whole = values(len, 3);
        for at in [0, 1, 5, 63, 64, 65, 100, 128, 999].into_iter().filter(|&at| at <= len) {
            let mut first = whole.clone();
            let rest = first.split_off(at);
            assert_eq!((first.len(), rest.len()), (at, len - at));
            assert!(first.iter().eq(whole.iter().take(at)) && rest.iter().eq(whole.iter().skip(at)));
            first.append(&rest);
            assert_eq!(first.words(), whole.words(), "{len} at {at}");
            assert_eq!(Bits::concat([&whole, &rest].into_iter()).len(), 2 * len - at);
        }
        assert_eq!(Bits::collect(whole.iter()).words(), whole.words());
        let flipped = whole.not(Role::P0);
        assert!(flipped.iter().zip(whole.iter()).all(|(a, b)| a + b == 1) && flipped.len() == len);
        assert_eq!(whole.not(Role::P1).words(), whole.words());
    }
    assert_eq!(format!("{:?}", values(70, 1)), "Bits(70)");
}

#[test]
fn words_are_made_of_their_bits() {
    for (len, bits) in [(1, 1), (64, 8), (65, 13), (300, 64)] {
        let mut words = vec![0u64; len];
        Prg::new(Block(9)).words(bits, &mut words);
        let planes = Bits::from_share(&BShare::new(bits, words.clone()));
        assert_eq!(planes.len(), bits as usize);
        for (j, plane) in planes.iter().enumerate() {
            assert!(plane.iter().eq(words.iter().map(|w| w >> j & 1)));
        }
        assert_eq!(Bits::to_share::<u64>(&planes).unwrap().words(), words);
    }
    let uneven = [values(3, 1), values(4, 1)];
    assert!(matches!(Bits::to_share::<u8>(&uneven), Err(Error::Shape { .. })));
}

#[test]
fn triples_multiply() {
    both(pair(1, None), |p| {
        for (len, k) in [(1, 1), (64, 1), (300, 1), (70, 2), (129, 64), ((1 << 19) + 77, 1)] {
            let all = Bits::new(len, vec![u64::MAX; len.div_ceil(64)]);
            // With x = y = 0 opened bits are the masks, and the AND is zero; so with ones.
            for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                let public = |bit| if bit == 1 { all.clone() } else { &all ^ &all };
                let triples = Triples::shared(p, len, k)?;
                let (mine_x, mine_y) = (shared(p.role(), &public(x), 5), shared(p.role(), &public(y), 6));
                for z in and_shared(p, triples, &mine_x, &vec![&mine_y; k])? {
                    assert_eq!(z.open(p)?, public(x & y).words(), "{len} x {k}: {x} & {y}");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn gates_compute_their_tables() {
    both(pair(2, None), |p| {
        for len in LENGTHS {
            let (x, y) = (values(len, 1), values(len, 2));
            let (sx, sy) = (shared(p.role(), &x, 7), shared(p.role(), &y, 8));
            let mut triples = Triples::random(p, 2 * len)?;
            let first = triples.take(len)?;
            let z = and(p, first, &sx, &sy)?;
            assert_eq!(z.open(p)?, words(&[&x, &y], |v| v[0] & v[1]));
            let z = or(p, triples, &sx, &sy)?;
            assert_eq!(z.open(p)?, words(&[&x, &y], |v| v[0] | v[1]));
            let z = &sx ^ &sy.not(p.role());
            assert_eq!(z.open(p)?, words(&[&x, &y], |v| v[0] ^ !v[1]));
        }
        Ok(())
    });
}

#[test]
fn many_ands_in_one_round() {
    both(pair(3, None), |p| {
        let plain: Vec<Bits> = LENGTHS.iter().map(|&len| values(len, len as u64)).collect();
        let other: Vec<Bits> = LENGTHS.iter().map(|&len| values(len, 77)).collect();
        let mine = |x: &[Bits], seed| x.iter().map(|x| shared(p.role(), x, seed)).collect::<Vec<_>>();
        let (x, y) = (mine(&plain, 1), mine(&other, 2));
        let pairs: Vec<(&Bits, &Bits)> = x.iter().zip(&y).collect();
        let total = LENGTHS.iter().sum();
        let triples = Triples::random(p, total)?;
        let (out, cost) = p.metered(|p| and_pairs(p, triples, &pairs))?;
        let bytes = wire_len(2 * total.div_ceil(8));
        assert_eq!(cost, Cost { sent: bytes, received: bytes, rounds: 1 });
        for ((a, b), z) in plain.iter().zip(&other).zip(&out) {
            assert_eq!(z.open(p)?, words(&[a, b], |v| v[0] & v[1]));
        }

        let (t1, t2) = (Triples::shared(p, x[7].len(), 2)?, Triples::random(p, x[5].len())?);
        let sets = vec![
            Ands { x: &x[7], ys: vec![&y[7], &x[7]], triples: t1 },
            Ands { x: &x[5], ys: vec![&y[5]], triples: t2 },
        ];
        let (out, cost) = p.metered(|p| and_all(p, sets))?;
        // 3 bits each way for two ANDs with a common operand.
        let bytes = wire_len(3 * 1000_usize.div_ceil(8)) + wire_len(2 * 65_usize.div_ceil(8));
        assert_eq!(cost, Cost { sent: bytes, received: bytes, rounds: 1 });
        assert_eq!(out[0][0].open(p)?, words(&[&plain[7], &other[7]], |v| v[0] & v[1]));
        assert_eq!(out[0][1].open(p)?, plain[7].words());
        assert_eq!(out[1][0].open(p)?, words(&[&plain[5], &other[5]], |v| v[0] & v[1]));
        Ok(())
    });
}

/// 2 bits each way an AND, in messages of 2^20 ANDs, and nothing for triples whose OTs are there.
#[test]
fn the_cost_of_an_and() {
    both(pair(4, None), |p| {
        for len in [1, 7, 64, 1 << 20, (1 << 20) + 9] {
            let x = values(len, 1);
            p.stock_cots(len, len)?;
            let (triples, cost) = p.metered(|p| Triples::random(p, len))?;
            assert_eq!(cost, Cost::default(), "{len} triples");
            let (_, cost) = p.metered(|p| and(p, triples, &x, &x))?;
            let full = (len >> 20) as u64 * wire_len(2 << 17);
            let rest = len % (1 << 20);
            let bytes = full + if rest > 0 { wire_len(2 * rest.div_ceil(8)) } else { 0 };
            assert_eq!(cost, Cost { sent: bytes, received: bytes, rounds: 1 }, "{len} ANDs");
        }
        Ok(())
    });
}

/// Bytes of `len` items of `each` bits in messages of 4096.
fn in_pieces(len: usize, each: usize) -> u64 {
    let piece = |len: usize| wire_len((len * each).div_ceil(8));
    (len / 4096) as u64 * piece(4096) + if len.is_multiple_of(4096) { 0 } else { piece(len % 4096) }
}

#[test]
fn words_are_selected() {
    fn check<K: Kind>(p: &mut Party, bits: u32, len: usize) -> Result<()> {
        let b = values(len, 5);
        let mut x = vec![0u32; len];
        Prg::new(Block(6)).words(bits, &mut x);
        x[..len.min(2)].fill(low(u64::MAX, bits) as u32);
        let (sb, sx) = (shared(p.role(), &b, 3), share::<K>(p.role(), bits, &x, 4));
        p.stock_cots(len, len)?;
        let (y, cost) = p.metered(|p| Mux::prepare(p, len, &[bits])?.select(p, &sb, &sx))?;
        let want: Vec<u32> = b.iter().zip(&x).map(|(b, x)| b as u32 * x).collect();
        assert_eq!(p.open(&y)?, want, "{len} x {bits} bits");
        let bytes = in_pieces(len, bits as usize + 1);
        assert_eq!(cost, Cost { sent: bytes, received: bytes, rounds: 1 }, "{len} x {bits} bits");
        Ok(())
    }
    both(pair(5, None), |p| {
        for (bits, len) in [(1, 104), (2, 64), (3, 8), (17, 4096), (32, 9000)] {
            check::<Additive>(p, bits, len)?;
            check::<Bitwise>(p, bits, len)?;
        }
        let (b, x) = (values(3, 1), AShare::<u8>::new(8, vec![0; 4]));
        let words = Mux::prepare(p, 3, &[8])?;
        assert!(matches!(words.select(p, &b, &x), Err(Error::Shape { want: 3, got: 4, .. })));
        let bits = Mux::prepare(p, 4, &[8])?;
        assert!(matches!(bits.select(p, &b, &x), Err(Error::Shape { want: 4, got: 3, .. })));
        let widths = Mux::prepare(p, 4, &[7])?;
        assert!(matches!(widths.select(p, &values(4, 1), &x), Err(Error::Shape { want: 7, got: 8, .. })));
        let columns = Mux::prepare(p, 4, &[8, 8])?;
        assert!(matches!(columns.select(p, &values(4, 1), &x), Err(Error::Shape { want: 2, got: 1, .. })));
        Ok(())
    });
}

/// `l` bits a conversion: 1 from P1, `l - 1` from P0, and nothing at all for one bit.
#[test]
fn bits_become_words() {
    both(pair(6, None), |p| {
        for (bits, len) in [(1, 70), (2, 70), (8, 1), (33, 5000), (64, 64)] {
            let b = values(len, 9);
            let mine = shared(p.role(), &b, 10);
            let want: Vec<u64> = b.iter().collect();
            // What P0 and P1 send, at this party.
            let role = p.role();
            let cost_of = |p0: u64, p1: u64| match role {
                _ if bits == 1 => Cost::default(),
                Role::P0 => Cost { sent: p0, received: p1, rounds: 1 },
                Role::P1 => Cost { sent: p1, received: p0, rounds: 1 },
            };
            let (send, recv) = if p.role() == Role::P0 { (len, 0) } else { (0, len) };
            let want_cost = cost_of(in_pieces(len, bits as usize - 1), in_pieces(len, 1));
            p.stock_cots(send, recv)?;
            let (y, cost) = p.metered(|p| B2a::prepare(p, bits, len)?.convert::<u64>(p, &mine))?;
            assert_eq!((p.open(&y)?, cost), (want.clone(), want_cost), "b2a to {bits} bits");

            let want_cost = cost_of(in_pieces(len, bits as usize - 1), 0);
            p.stock_cots(send, recv)?;
            let (mut random, cost) = p.metered(|p| DaBits::<u64>::random(p, bits, len))?;
            assert_eq!(cost, want_cost, "random bits of {bits}");
            assert!(matches!(random.take(len + 1), Err(Error::Shape { .. })));
            let (r, words) = random.take(1)?.into_shares();
            let r: Vec<u64> = Bits::new(1, r.open(p)?).iter().collect();
            assert_eq!(p.open(&words)?, r);
            let random = DaBits::<u64>::random(p, bits, len)?;
            let (y, cost) = p.metered(|p| random.convert(p, &mine))?;
            let bytes = wire_len(len.div_ceil(8));
            assert_eq!(cost, Cost { sent: bytes, received: bytes, rounds: 1 });
            assert_eq!(p.open(&y)?, want, "with random bits of {bits}");
        }
        let wide = B2a::prepare(p, 9, 1)?;
        assert!(matches!(wide.convert::<u8>(p, &values(1, 1)), Err(Error::Param { .. })));
        let few = B2a::prepare(p, 8, 1)?;
        assert!(matches!(few.convert::<u8>(p, &values(2, 1)), Err(Error::Shape { want: 1, got: 2, .. })));
        for bits in [0, 65] {
            assert!(matches!(B2a::prepare(p, bits, 1), Err(Error::Param { .. })));
        }
        for bits in [0, 9] {
            assert!(matches!(DaBits::<u8>::random(p, bits, 1), Err(Error::Param { .. })));
        }
        Ok(())
    });
}

/// Catches pads that are not hashed, are cut from one slice twice or serve two gates, and choices
/// that go out unmasked: with zeros as inputs what is sent *is* the masks, so they show.
#[test]
fn masks_are_uniform_and_serve_once() {
    const LEN: usize = 4096;
    let run = |connection: Connection| -> Result<()> {
        let p = &mut Party::seeded(connection, 7, None)?;
        p.stock_cots(5 * LEN, 5 * LEN)?;
        let zero = Bits::new(LEN, vec![0; LEN / 64]);
        let mut triples = Triples::shared(p, 2 * LEN, 2)?;
        let first = triples.take(LEN)?;
        and_shared(p, first, &zero, &[&zero, &zero])?;
        and_shared(p, triples, &zero, &[&zero, &zero])?;
        Mux::prepare(p, LEN, &[8])?.select(p, &zero, &AShare::<u8>::new(8, vec![0; LEN]))?;
        B2a::prepare(p, 8, LEN)?.convert::<u8>(p, &zero).map(drop)
    };
    let outcome = relayed(id(7), run, run, |_, _, _| Fate::Pass);
    outcome.p0.expect("no panic").expect("an honest run");
    outcome.p1.expect("no panic").expect("an honest run");
    // Two times three masks, a correction and eight bits of payload, and seven bits or a correction.
    let lengths = [[3, 3, 9, 7], [3, 3, 9, 1]];
    let mut columns: Vec<&[u8]> = Vec::new();
    for (sent, lengths) in outcome.sent.iter().zip(lengths) {
        for (frame, length) in sent[sent.len() - 4..].iter().zip(lengths) {
            assert_eq!(frame.len(), 8 + length * LEN / 8);
            columns.extend(frame[8..].chunks_exact(LEN / 8));
        }
    }
    let uniform = |ones: u32| (LEN as u32 / 2).abs_diff(ones) < 5 * 32;
    for (i, a) in columns.iter().enumerate() {
        assert!(uniform(a.iter().map(|a| a.count_ones()).sum()), "column {i} is no mask");
        for (j, b) in columns[..i].iter().enumerate() {
            let different = a.iter().zip(*b).map(|(a, b)| (a ^ b).count_ones()).sum();
            assert!(uniform(different), "columns {j} and {i} are related");
        }
    }
}

/// Words of either party, by bits of all four pairs of shares; and what is refused.
#[test]
fn words_of_one_party_are_selected() {
    const LEN: usize = 203;
    for (owner, seed) in [(Role::P0, 90), (Role::P1, 91)] {
        for widths in [&[1][..], &[13, 64], &[]] {
            let mut x = vec![0u64; LEN];
            Prg::new(Block(9)).words(64, &mut x);
            let (own, other) = ([0, 0, 1, 1], [0, 1, 0, 1]);
            let job = |p: &mut Party| {
                let shares = if p.role() == owner { own } else { other };
                let b = Bits::collect((0..LEN).map(|i| shares[i % 4]));
                let columns = if p.role() == owner { vec![&x[..]; widths.len()] } else { vec![] };
                KnownMux::prepare(p, owner, LEN, widths)?.select(p, &b, &columns)
            };
            let (at_p0, at_p1) = both(pair(seed, None), job);
            assert_eq!((at_p0.len(), at_p1.len()), (widths.len(), widths.len()));
            for ((a, b), &width) in at_p0.iter().zip(&at_p1).zip(widths) {
                let sums = a.words().iter().zip(b.words()).map(|(a, b)| low(a.wrapping_add(*b), width));
                let wanted = (0..LEN).map(|i| low(x[i] * (own[i % 4] ^ other[i % 4]), width));
                assert!(sums.eq(wanted), "words of {owner:?}, {width} bits");
            }
        }
    }
    both(pair(92, None), |p| {
        assert!(matches!(KnownMux::prepare(p, Role::P0, 3, &[65]), Err(Error::Param { .. })));
        let (bits, words) = (Bits::collect([1, 0, 1]), [1, 2]);
        let columns: [&[&[u64]]; 2] = [&[&words], &[&words, &words]];
        for columns in columns {
            assert!(matches!(
                KnownMux::prepare(p, Role::P0, 3, &[8])?.select(p, &bits, columns),
                Err(Error::Shape { .. })
            ));
        }
        Ok(())
    });
}
