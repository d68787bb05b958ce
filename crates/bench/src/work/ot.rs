//! `ot`: random correlated OTs, or 1-of-N OTs from codes; the listening party sends.

use std::{
    fmt,
    hint::black_box,
    io::{self, BufWriter, Read, Write},
};

use clap::{Args, ValueEnum};
use hushtable::{
    Party, Role,
    net::LinkShape,
    ot::{self, one_of_n, random::Received},
};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::count::batch;
use prim::block::Block;
use serde::{Deserialize, Serialize};

use crate::{
    benchmark::Benchmark,
    lanes::{Finished, Lanes},
};

/// A batch of OTs.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct OtWork {
    /// How they are made
    #[arg(long, value_enum, default_value = "ferret")]
    scheme: Scheme,
    /// Pads of an OT, a power of two from 2 to 8192; for kk13
    #[arg(long, value_name = "N", default_value = "256", value_parser = pads)]
    #[serde(default)]
    of: u32,
    /// Number of OTs, 1 to 2^28
    #[arg(long, value_name = "N", default_value = "1048576", value_parser = batch)]
    count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Scheme {
    /// LPN; the parameter set by count
    Ferret,
    /// LPN with the largest set, for slow links
    FerretLarge,
    /// What takes the least time over the link
    Auto,
    /// 16 bytes each
    Iknp,
    /// 8 bytes each
    #[value(name = "softspoken-2")]
    #[serde(rename = "softspoken-2")]
    SoftSpoken2,
    /// 4 bytes each
    #[value(name = "softspoken-4", alias = "softspoken")]
    #[serde(rename = "softspoken-4")]
    SoftSpoken4,
    /// 2 bytes each
    #[value(name = "softspoken-8")]
    #[serde(rename = "softspoken-8")]
    SoftSpoken8,
    /// 1-of-N OTs from codes, with random choices
    Kk13,
}

fn pads(text: &str) -> std::result::Result<u32, String> {
    let n = text.parse().ok().filter(|n: &u32| n.is_power_of_two() && (2..=8192).contains(n));
    n.ok_or_else(|| "expected a power of two from 2 to 8192".into())
}

impl fmt::Display for OtWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = self.scheme.to_possible_value().expect("no variant is skipped");
        match self.scheme {
            Scheme::Kk13 => write!(f, "{}, {} 1-of-{} OTs", scheme.get_name(), self.count, self.of),
            _ => write!(f, "{}, {} correlated OTs", scheme.get_name(), self.count),
        }
    }
}

impl Benchmark for OtWork {
    fn items(&self) -> usize {
        self.count as usize
    }

    fn unit(&self) -> &'static str {
        "OT"
    }

    fn prepare(&mut self, _: &LinkShape, _: usize) -> Result<()> {
        Ok(())
    }

    fn cots(&self, role: Role, items: usize) -> (usize, usize) {
        match self.scheme {
            Scheme::Kk13 => one_of_n::code_cots(self.of as usize, one_way(role, items)),
            _ => one_way(role, items),
        }
    }

    /// Checks every OT: P0 hands each piece to P1 between the measured stretches.
    fn run(&self, lanes: Lanes) -> Result<()> {
        let done = if self.scheme == Scheme::Kk13 { self.one_of_n(lanes)? } else { correlated(lanes)? };
        done.verify(std::iter::empty, |_| Ok(()))
    }

    fn scheme(&self) -> Option<ot::Scheme> {
        match self.scheme {
            Scheme::Ferret => Some(ot::Scheme::Ferret),
            Scheme::FerretLarge => Some(ot::Scheme::FerretLarge),
            Scheme::Iknp => Some(ot::Scheme::Iknp),
            Scheme::SoftSpoken2 => Some(ot::Scheme::SoftSpoken2),
            Scheme::SoftSpoken4 => Some(ot::Scheme::SoftSpoken4),
            Scheme::SoftSpoken8 => Some(ot::Scheme::SoftSpoken8),
            Scheme::Auto | Scheme::Kk13 => None,
        }
    }
}

impl OtWork {
    fn one_of_n(&self, lanes: Lanes) -> Result<Finished<()>> {
        let (role, n) = (lanes.role(), self.of as usize);
        let make = |p: &mut Party, items| {
            let ots = p.random_ots(n, one_way(role, items))?;
            // A consumer takes the pads as they are hashed.
            let mut kept = Vec::with_capacity(KEPT.min(n * items));
            let Received { choices, pads } = ots.spend(|pads| match kept.len() + n <= KEPT {
                true => kept.extend_from_slice(pads),
                false => _ = black_box(pads),
            });
            Ok(Pads { kept, received: choices.iter().copied().zip(pads.iter().copied()).collect() })
        };
        lanes.measure_pieces(PIECE, make, |role, ots| match role {
            Role::P0 => hand_over_pads(ots).map_err(handing_over),
            Role::P1 => ots.iter().try_for_each(|ots| check_pads(n, &ots.received, &mut io::stdin().lock())),
        })
    }
}

fn correlated(lanes: Lanes) -> Result<Finished<()>> {
    let role = lanes.role();
    let extend = |p: &mut Party, items| {
        let (send, recv) = one_way(role, items);
        p.cots(send, recv)
    };
    lanes.measure_pieces(PIECE, extend, |role, cots| match role {
        Role::P0 => hand_over(cots).map_err(handing_over),
        Role::P1 => cots.iter().try_for_each(|(_, r)| check(r.strings(), &mut io::stdin().lock())),
    })
}

/// OTs of a lane as sender and as receiver.
fn one_way(role: Role, items: usize) -> (usize, usize) {
    match role {
        Role::P0 => (items, 0),
        Role::P1 => (0, items),
    }
}

/// OTs of a lane that are made, and then checked, at a time.
const PIECE: usize = 1 << 18;

/// Pads of a piece that the sender keeps to be checked.
const KEPT: usize = 1 << 20;

/// A piece of 1-of-N OTs: at the sender the pads of the first OTs, of all if they are few.
struct Pads {
    kept: Vec<Block>,
    received: Vec<(u32, Block)>,
}

fn handing_over(error: io::Error) -> Failure {
    Failure::new(format!("handing the OTs over: {error}"))
}

fn hand_over_pads(ots: &[Pads]) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(1 << 20, io::stdout().lock());
    let mut kept = ots.iter().flat_map(|ots| &ots.kept);
    kept.try_for_each(|pad| to.write_all(&pad.0.to_le_bytes())).and_then(|()| to.flush())
}

/// Checks that each pad is the one at its index among the n that `from` has, and that the indices are
/// not all the same.
fn check_pads(n: usize, received: &[(u32, Block)], from: &mut dyn Read) -> Result<()> {
    let mut pads = vec![0; 16 * n];
    for (i, (choice, pad)) in received.iter().enumerate().take(KEPT / n) {
        from.read_exact(&mut pads).map_err(|e| Failure::new(format!("the OTs of P0: {e}")))?;
        if pads[16 * *choice as usize..][..16] != pad.0.to_le_bytes() {
            return Err(Failure::Check(format!("OT {i}: not the pad at index {choice}")));
        }
    }
    if received.len() >= 64 && received.iter().all(|(choice, _)| *choice == received[0].0) {
        return Err(Failure::Check("all choices are the same".into()));
    }
    Ok(())
}

fn hand_over(cots: &[(ot::CotSender, ot::CotReceiver)]) -> io::Result<()> {
    let mut to = BufWriter::new(io::stdout().lock());
    for (sender, _) in cots {
        to.write_all(&sender.delta().0.to_le_bytes())?;
        sender.strings().iter().try_for_each(|q| to.write_all(&q.0.to_le_bytes()))?;
    }
    to.flush()
}

/// Checks `t = q ^ b * Delta` for each `t`, `b` being its lowest bit, where `from` has Delta and each `q`; and
/// that neither Delta nor the choice bits are degenerate.
fn check(strings: &[Block], from: &mut dyn Read) -> Result<()> {
    let delta = block(from)?;
    let mut ones = 0;
    for (i, t) in strings.iter().enumerate() {
        let choice = t.0 & 1;
        ones += choice as usize;
        if t.0 != block(from)?.0 ^ (choice.wrapping_neg() & delta.0) {
            return Err(Failure::Check(format!("OT {i}: the strings do not differ by choice * Delta")));
        }
    }
    // Ten standard deviations around one half.
    let (count, slack) = (strings.len(), 5.0 * (strings.len() as f64).sqrt());
    if delta.0 == 0 || (ones as f64 - count as f64 / 2.0).abs() > slack + 1.0 {
        return Err(Failure::Check(format!("{ones} of {count} choice bits are 1, or Delta is 0")));
    }
    Ok(())
}

fn block(from: &mut dyn Read) -> Result<Block> {
    let mut bytes = [0; 16];
    from.read_exact(&mut bytes).map_err(|e| Failure::new(format!("the OTs of P0: {e}")))?;
    Ok(Block(u128::from_le_bytes(bytes)))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 1000 OTs with the choice bits that `choice` gives, and what P0 hands over.
    fn sample(delta: u128, choice: impl Fn(u128) -> bool) -> (Vec<Block>, Vec<u8>) {
        let q = |i: u128| i.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835) & !1;
        let t = (0..1000).map(|i| Block(q(i) ^ if choice(i) { delta } else { 0 })).collect();
        let handed = [delta].into_iter().chain((0..1000).map(q)).flat_map(u128::to_le_bytes).collect();
        (t, handed)
    }

    #[test]
    fn verification_sees_every_string() {
        let (t, handed) = sample(0xabcd_ef01, |i| i % 5 < 2);
        check(&t, &mut handed.as_slice()).unwrap();
        for at in [0, 16, 17 * 16, handed.len() - 1] {
            let mut wrong = handed.clone();
            wrong[at] ^= 2;
            assert!(matches!(check(&t, &mut wrong.as_slice()), Err(Failure::Check(_))), "byte {at}");
        }
        let cut = &handed[..handed.len() - 1];
        assert!(matches!(check(&t, &mut &cut[..]), Err(Failure::Reported(..))));
    }

    #[test]
    fn verification_sees_degenerate_ots() {
        for (delta, choice) in [(0, true), (0xabcd_ef01, true), (0xabcd_ef01, false)] {
            let (t, handed) = sample(delta, |_| choice);
            assert!(matches!(check(&t, &mut handed.as_slice()), Err(Failure::Check(_))), "{delta} {choice}");
        }
    }
    #[test]
    fn verification_sees_every_pad() {
        let pads = |i: u32| (0..4).map(move |v| u128::from(4 * i + v + 1) << 60);
        let received: Vec<(u32, Block)> =
            (0..100).map(|i| (i % 4, Block(pads(i).nth(i as usize % 4).unwrap()))).collect();
        let handed: Vec<u8> = (0..100).flat_map(pads).flat_map(u128::to_le_bytes).collect();
        check_pads(4, &received, &mut handed.as_slice()).unwrap();
        for at in [7, 64 * 50 + 32 + 7, 64 * 99 + 48 + 8] {
            let mut wrong = handed.clone();
            wrong[at] ^= 16;
            let found = check_pads(4, &received, &mut wrong.as_slice());
            assert!(matches!(found, Err(Failure::Check(_))), "byte {at}");
        }
        let cut = &handed[..handed.len() - 1];
        assert!(matches!(check_pads(4, &received, &mut &cut[..]), Err(Failure::Reported(..))));
        let same = vec![received[0]; 64];
        let handed = [&handed[..64]; 64].concat();
        assert!(matches!(check_pads(4, &same, &mut handed.as_slice()), Err(Failure::Check(_))));
    }
}
