//! `bench ot`: random correlated OTs, the listening party sends.

use std::{
    fmt,
    io::{self, BufWriter, Read, Write},
};

use clap::{Args, ValueEnum};
use hushtable::{Party, Role, ot};
use prim::block::Block;
use serde::{Deserialize, Serialize};

use super::party::Lanes;
use crate::{
    count::batch,
    failure::{Failure, Result},
};

/// A batch of OTs.
#[derive(Args, Clone, Debug, Serialize, Deserialize)]
pub struct OtWork {
    /// How they are made
    #[arg(long, value_enum, default_value = "ferret")]
    scheme: Scheme,
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
    /// 16 bytes each
    Iknp,
    /// 4 bytes each
    #[value(name = "softspoken")]
    #[serde(rename = "softspoken")]
    SoftSpoken,
}

impl fmt::Display for OtWork {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}, {} correlated OTs",
            self.scheme.to_possible_value().expect("no variant is skipped").get_name(),
            self.count
        )
    }
}

impl OtWork {
    pub fn count(&self) -> usize {
        self.count as usize
    }

    pub fn scheme(&self) -> ot::Scheme {
        match self.scheme {
            Scheme::Ferret => ot::Scheme::Ferret,
            Scheme::FerretLarge => ot::Scheme::FerretLarge,
            Scheme::Iknp => ot::Scheme::Iknp,
            Scheme::SoftSpoken => ot::Scheme::SoftSpoken,
        }
    }

    /// OTs of a lane as sender and as receiver.
    pub fn cots(&self, role: Role, count: usize) -> (usize, usize) {
        match role {
            Role::P0 => (count, 0),
            Role::P1 => (0, count),
        }
    }
}

/// OTs of a lane that are made, and then checked, at a time.
const PIECE: usize = 1 << 18;

/// Measures, and checks every OT: P0 hands each piece to P1 between the measured stretches.
pub fn run(work: &OtWork, lanes: Lanes) -> Result<()> {
    let role = lanes.role();
    let extend = |p: &mut Party, count| {
        let (send, recv) = work.cots(role, count);
        p.cots(send, recv)
    };
    let done = lanes.measure_pieces(PIECE, extend, |role, cots| match role {
        Role::P0 => hand_over(cots).map_err(|e| Failure::new(format!("handing the OTs over: {e}"))),
        Role::P1 => cots.iter().try_for_each(|(_, r)| check(r.strings(), &mut io::stdin().lock())),
    })?;
    match role {
        Role::P0 => done.hand_over(|_| Ok(())),
        Role::P1 => done.verify(|_| Ok(())),
    }
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
        assert!(matches!(check(&t, &mut &cut[..]), Err(Failure::Reported(_))));
    }

    #[test]
    fn verification_sees_degenerate_ots() {
        for (delta, choice) in [(0, true), (0xabcd_ef01, true), (0xabcd_ef01, false)] {
            let (t, handed) = sample(delta, |_| choice);
            assert!(matches!(check(&t, &mut handed.as_slice()), Err(Failure::Check(_))), "{delta} {choice}");
        }
    }
}
