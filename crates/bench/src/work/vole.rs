//! `vole`: random correlated vectors over F_2^64; the listening party has Delta.

use std::{fmt, io::Read};

use clap::Args;
use hushtable::{
    Party, Role,
    net::LinkShape,
    ot::vole::{self, Receiver, Sender},
};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::count::batch;
use prim::{block::Block, gf64};
use serde::{Deserialize, Serialize};

use crate::{
    benchmark::Benchmark,
    lanes::{self, Lanes},
};

/// A batch of VOLEs.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct VoleWork {
    /// Number of VOLEs, 1 to 2^28
    #[arg(long, value_name = "N", default_value = "1048576", value_parser = batch)]
    count: u32,
}

/// Of a lane, at the party that has Delta and at the other.
enum Half {
    Sent(Sender),
    Received(Receiver),
}

impl fmt::Display for VoleWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} VOLEs over F_2^64", self.count)
    }
}

impl Benchmark for VoleWork {
    fn items(&self) -> usize {
        self.count as usize
    }

    fn unit(&self) -> &'static str {
        "VOLE"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        Ok(())
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        let under = crate::inputs::usual_setting();
        vole::bill(Role::P0, items, &under.limits).expect("a checked number").cots_of(role)
    }

    /// Offline makes them; all are checked.
    fn run(&self, lanes: Lanes) -> Result<()> {
        let (items, nothing) = (lanes.items().to_vec(), vec![(); lanes.items().len()]);
        let make = |p: &mut Party, count| match p.role() {
            Role::P0 => p.send_voles(count).map(Half::Sent),
            Role::P1 => p.receive_voles(count).map(Half::Received),
        };
        let done = lanes.measure(items, nothing, make, |_, half, ()| Ok(half))?;
        let words = || {
            let sent = done.results.iter().filter_map(|half| match half {
                Half::Sent(sent) => Some([*sent.delta].into_iter().chain(sent.v.iter().copied())),
                Half::Received(_) => None,
            });
            sent.flatten().flat_map(|x| [x.0 as u64, (x.0 >> 64) as u64])
        };
        done.verify(words, |from| {
            let received = done.results.iter().filter_map(|half| match half {
                Half::Sent(_) => None,
                Half::Received(received) => Some(received),
            });
            received.into_iter().try_for_each(|received| check(received, from))
        })
    }
}

/// Checks `w = v + a Delta` for all, where `from` has Delta and each v, and that neither Delta nor the words are
/// degenerate.
fn check(received: &Receiver, from: &mut dyn Read) -> Result<()> {
    let delta = block(from)?;
    let mut ones = 0;
    for (i, (&w, a)) in received.w.iter().zip(received.a.iter()).enumerate() {
        let mut v = [block(from)?];
        gf64::scale_pair_add(&mut v, &[*a], delta);
        if v[0] != w {
            return Err(Failure::Check(format!("VOLE {i}: w is not v + a Delta")));
        }
        ones += u64::from(a.count_ones());
    }
    // Ten standard deviations around one half.
    let bits = 64.0 * received.a.len() as f64;
    if delta == Block::ZERO || (ones as f64 - bits / 2.0).abs() > 5.0 * bits.sqrt() + 1.0 {
        return Err(Failure::Check(format!("{ones} of {bits} bits of a are 1, or Delta is 0")));
    }
    Ok(())
}

fn block(from: &mut dyn Read) -> Result<Block> {
    let [low, high] = [lanes::word(from)?, lanes::word(from)?];
    Ok(Block(u128::from(high) << 64 | u128::from(low)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 VOLEs with the words that `word` gives, and what P0 hands over.
    fn sample(delta: u128, word: impl Fn(u64) -> u64) -> (Receiver, Vec<u8>) {
        let mixed = |i: u64| i.wrapping_add(7).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        let v: Vec<Block> =
            (0..1000).map(|i| Block(u128::from(mixed(i)) << 64 | u128::from(mixed(i + 9999)))).collect();
        let a: Vec<u64> = (0..1000).map(|i| word(mixed(i + 20_000))).collect();
        let mut w = v.clone();
        gf64::scale_pair_add(&mut w, &a, Block(delta));
        let handed = [Block(delta)].into_iter().chain(v).flat_map(|x| x.0.to_le_bytes()).collect();
        (Receiver { a: a.into(), w: w.into() }, handed)
    }

    #[test]
    fn verification_sees_every_word() {
        let (received, handed) = sample(0xabcd_ef01 << 70 | 1, |a| a);
        check(&received, &mut handed.as_slice()).unwrap();
        for at in [0, 15, 16, 17 * 16 + 9, handed.len() - 1] {
            let mut wrong = handed.clone();
            wrong[at] ^= 2;
            assert!(matches!(check(&received, &mut wrong.as_slice()), Err(Failure::Check(_))), "byte {at}");
        }
        assert!(matches!(
            check(&received, &mut &handed[1..]),
            Err(Failure::Check(_) | Failure::Reported(..))
        ));
        for (delta, word) in [(0, 1), (5, 0), (5, u64::MAX)] {
            let (received, handed) = sample(delta, |a| if word == 1 { a } else { word });
            assert!(
                matches!(check(&received, &mut handed.as_slice()), Err(Failure::Check(_))),
                "{delta} {word}"
            );
        }
    }
}
