//! Triples from codes: they multiply, are uniform, and cost what their page says.

use crate::support::pairs;
use crate::support::stats;

use hushtable::{
    Error, Result, Role,
    gates::{Bits, and},
    net::{Cost, wire_len},
    run_pair,
};
use hushtable_baselines::ndss::{code_cots, triples_from_codes};
use pairs::{both, pair};

/// Zero, or at P0 one, in every place: shares of a constant.
fn constant(role: Role, len: usize, bit: u64) -> Bits {
    Bits::collect((0..len).map(|_| if role == Role::P0 { bit } else { 0 }))
}

#[test]
fn triples_from_codes_multiply() {
    both(pair(1, None), |p| {
        for t in 1..=4 {
            for len in [0, 1, 2, 3, 7, 8, 64, 65, 1000] {
                for (x, y) in [(0, 0), (0, 1), (1, 0), (1, 1)] {
                    let triples = triples_from_codes(p, len, t)?;
                    assert_eq!(triples.len(), len);
                    let (sx, sy) = (constant(p.role(), len, x), constant(p.role(), len, y));
                    let z = and(p, triples, &sx, &sy)?;
                    let want = Bits::collect((0..len).map(|_| x & y));
                    assert_eq!(z.open(p)?, want.words(), "t = {t}, {len}: {x} & {y}");
                }
            }
        }
        Ok(())
    });
}

/// The opened values of AND, and both shares of the product, are uniform together: catches masks of
/// which one repeats or is constant, and a receiver's share that depends on what it masks.
#[test]
fn shares_are_uniform() {
    const COUNT: usize = 20_000;
    for t in 1..=4 {
        let run = |p: &mut hushtable::Party| -> Result<Bits> {
            let triples = triples_from_codes(p, COUNT, t)?;
            let ones = constant(p.role(), COUNT, 1);
            and(p, triples, &ones, &ones)
        };
        let (z0, z1) = run_pair(pair(2, None), run, run).expect("an honest run");
        for z in [z0, z1] {
            let mut pairs = [0; 4];
            let bits: Vec<u64> = z.iter().collect();
            bits.windows(2).for_each(|w| pairs[(2 * w[0] + w[1]) as usize] += 1);
            assert!(stats::uniform(&pairs) < 6.0, "t = {t}: {pairs:?}");
        }
    }
}

/// 193, 133, 145 and 316.75 bits a triple; 2 rounds.
#[test]
fn the_cost_is_the_documented_one() {
    const OTS: usize = 2 * 8192;
    for (t, columns, a_triple) in [(1usize, 190, 193.0), (2, 236, 133.0), (3, 246, 145.0), (4, 247, 316.75)] {
        let messages = t * ((1 << (2 * t)) - 1);
        assert_eq!((columns + messages) as f64 / t as f64, a_triple);
        both(pair(3, None), |p| {
            let (send, recv) = code_cots(p.role(), t * OTS, t as u32)?;
            p.stock_cots(send, recv)?;
            let (_, cost) = p.metered(|p| triples_from_codes(p, t * OTS, t as u32))?;
            let each = 2 * wire_len(columns * 4096 / 8) + 2 * wire_len(messages * 4096 / 8);
            assert_eq!(cost, Cost { sent: each, received: each, rounds: 2 }, "t = {t}");
            Ok(())
        });
    }
}

#[test]
fn other_numbers_of_triples_are_refused() {
    both(pair(4, None), |p| {
        p.take_cost();
        for t in [0, 5, 16, u32::MAX] {
            assert!(matches!(triples_from_codes(p, 10, t), Err(Error::Param { .. })));
            assert!(matches!(code_cots(p.role(), 10, t), Err(Error::Param { .. })));
        }
        assert_eq!(p.take_cost().sent, 0);
        Ok(())
    });
}
