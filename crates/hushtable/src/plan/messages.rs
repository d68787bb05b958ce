//! Bytes and rounds of each protocol, without those of the correlated OTs.

use super::rounds;
use crate::{
    lut::{Job, Protocol, ottt},
    onehot::{Cyclic, Xor, staged},
    ot::one_of_n,
    share::Sharing,
};

/// Bits of a message's header, and how many bytes one message has about at most.
const HEADER: f64 = 64.0;
const MESSAGE: f64 = 1e6;

/// One phase.
#[derive(Clone, Copy, Default)]
pub struct Messages {
    /// From P0 and from P1.
    pub bytes: [f64; 2],
    pub rounds: u32,
}

/// Offline and online.
pub fn of(protocol: Protocol, job: &Job, batch: usize) -> [Messages; 2] {
    let [offline, online] = per_lookup(protocol, job);
    let (offline, online) = match one_message(protocol) {
        true => (offline.alternating(batch), online.alternating(batch)),
        false => (offline.symmetric(batch), online.symmetric(batch)),
    };
    let sign = sign(protocol, job);
    [offline.and(sign[0].symmetric(batch)), online.and(sign[1].symmetric(batch))]
}

/// Bits of both directions together, those besides that only P0 sends, and rounds.
#[derive(Clone, Copy, Default)]
struct PerLookup {
    bits: f64,
    from_p0: f64,
    rounds: u32,
}

impl PerLookup {
    /// Half of the bits from each party, in every lookup.
    fn symmetric(self, batch: usize) -> Messages {
        let bits = [self.bits / 2.0 + self.from_p0, self.bits / 2.0];
        Messages { bytes: bits.map(|bits| packed(bits * batch as f64, self.rounds)), rounds: self.rounds }
    }

    /// All bits from one party, P0 in the first half of the lookups, P1 in the second.
    fn alternating(self, batch: usize) -> Messages {
        let bytes = [batch.div_ceil(2), batch / 2].map(|half| packed(self.bits * half as f64, self.rounds));
        Messages { bytes, rounds: self.rounds }
    }
}

impl Messages {
    fn and(self, then: Self) -> Self {
        let bytes = [self.bytes[0] + then.bytes[0], self.bytes[1] + then.bytes[1]];
        Self { bytes, rounds: self.rounds + then.rounds }
    }
}

/// Bytes of these bits in messages.
fn packed(bits: f64, rounds: u32) -> f64 {
    let bytes = (bits / 8.0).ceil();
    if rounds == 0 { 0.0 } else { bytes + HEADER / 8.0 * f64::from(rounds).max((bytes / MESSAGE).ceil()) }
}

/// Whether the parties take turns at sending over the batch.
fn one_message(protocol: Protocol) -> bool {
    match protocol {
        Protocol::SpLut | Protocol::SpLutKk13 | Protocol::Rotl | Protocol::Staged | Protocol::OpLut => true,
        Protocol::Doubling | Protocol::Tree | Protocol::Arithmetic => false,
        Protocol::Balanced | Protocol::FlutePlus | Protocol::Flute | Protocol::Ottt => false,
    }
}

/// Offline and online, as under the heading "Cost" of each protocol.
fn per_lookup(protocol: Protocol, job: &Job) -> [PerLookup; 2] {
    let (d, n) = (f64::from(job.index_bits), (1u64 << job.index_bits) as f64);
    let l = f64::from(job.value_bits);
    let lift = if job.index == Sharing::Additive { d * (d - 1.0) / 2.0 } else { 0.0 };
    // The first level of doubling sends something only for the lift.
    let first = u32::from(job.index == Sharing::Additive && job.index_bits > 1);
    let lifted = |bits: f64, rounds: u32| PerLookup { bits, from_p0: lift, rounds };
    let phase = |bits: f64, rounds: u32| PerLookup { bits, from_p0: 0.0, rounds };
    let open = phase(2.0 * d, 1);
    let halvings = job.index_bits.next_power_of_two().ilog2();
    match protocol {
        Protocol::SpLut => [phase(0.0, 0), phase(d + (n - 1.0) * l, 2)],
        Protocol::SpLutKk13 => {
            let columns = one_of_n::code_columns(job.index_bits) as f64;
            [phase(columns, 1), phase(d + (n - 1.0) * l, 2)]
        }
        Protocol::Rotl => [phase(128.0 * (d - 1.0) + n, 1), open],
        Protocol::Staged => [phase(staged::bits(job.index_bits) as f64, 1), open],
        Protocol::Tree if job.index_bits > 7 => {
            let bits = 2.0 * (128.0 - 8.0) + 256.0 * (d - 7.0) + 256.0;
            [lifted(bits, job.index_bits + first), open]
        }
        Protocol::Doubling | Protocol::Tree => {
            [lifted(2.0 * (n - d - 1.0), job.index_bits - 1 + first), open]
        }
        Protocol::Balanced => {
            let pair = if job.index == Sharing::Additive { 4.0 } else { 2.0 };
            [lifted(outer_products(job.index_bits, pair), halvings + first), open]
        }
        Protocol::FlutePlus => [lifted(4.0 * (n - d - 1.0), halvings + first), open],
        Protocol::Flute => [phase(4.0 * (n - d - 1.0), halvings), phase(2.0 * (d + l), 2)],
        Protocol::OpLut => [phase(n * (n - 1.0) * l, 1), open],
        Protocol::Ottt => {
            let (k, l) = (job.index_bits, job.value_bits);
            let (ands, rounds) = match job.index {
                Sharing::Additive => (ottt::ands::<Cyclic>(k, l), ottt::rounds::<Cyclic>(k, l)),
                Sharing::Xor => (ottt::ands::<Xor>(k, l), ottt::rounds::<Xor>(k, l)),
            };
            [phase(4.0 * n * ands as f64, rounds), open]
        }
        Protocol::Arithmetic => {
            // k words of a block; entries of one bit need no conversion.
            let k = (128.0 / f64::from(job.value_bits.next_power_of_two().max(8))).min(n);
            let converted = job.value_bits > 1;
            let more = if converted { (k - 1.0) * (l - 2.0) } else { 0.0 };
            let conversions = if converted { 2.0 * (k - 1.0) } else { 0.0 };
            let low = 2.0 * (k - k.log2() - 1.0);
            let bits = 256.0 * (d - k.log2()) + 4.0 * k * l - 2.0 * k + 2.0 + low + conversions;
            let rounds = job.index_bits + 1 + u32::from(converted) + first;
            [PerLookup { bits, from_p0: lift + more, rounds }, open]
        }
    }
}

/// Bits of the balanced outer products for k index bits; `pair` for two.
fn outer_products(k: u32, pair: f64) -> f64 {
    let (low, high) = (k / 2, k - k / 2);
    match k {
        1 => 0.0,
        2 => pair,
        _ => {
            let own = 2.0 * ((1u64 << high) - 1) as f64 * (1u64 << low) as f64;
            own + outer_products(low, pair) + outer_products(high, pair)
        }
    }
}

/// What the sign of a one-hot vector adds.
fn sign(protocol: Protocol, job: &Job) -> [PerLookup; 2] {
    if !rounds::signed(protocol, job) {
        return Default::default();
    }
    let online = 2.0 * f64::from(job.value_bits - 1);
    [2.0, online].map(|bits| PerLookup { bits, from_p0: 0.0, rounds: 1 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Party, Result,
        lut::Table,
        net::Cost,
        onehot::Group,
        run_pair,
        share::{Additive, Bitwise, Kind, Share},
    };

    /// Costs of both phases at this party, the correlated OTs in stock.
    fn run<G: Group, K: Kind>(
        p: &mut Party,
        protocol: Protocol,
        job: &Job,
        batch: usize,
    ) -> Result<[Cost; 2]> {
        let table = Table::<u16>::tabulate(job.index_bits, job.value_bits, |x| x * 77)?;
        let (send, recv) = protocol.cots(job, p.role(), batch);
        p.stock_cots(send, recv)?;
        let (material, offline) = p.metered(|p| protocol.prepare::<G, K, u16>(p, &table, batch))?;
        let x: Share<G::Kind, u32> = Share::new(job.index_bits, vec![1; batch]);
        let (_, online) = p.metered(|p| material.lookup(p, &table, &x))?;
        Ok([offline, online])
    }

    fn agrees<G: Group, K: Kind>(protocol: Protocol, job: &Job, batch: usize) {
        let f = |p: &mut Party| run::<G, K>(p, protocol, job, batch);
        let (p0, p1) = run_pair(Party::pair_seeded(5).unwrap(), f, f).unwrap();
        for (phase, want) in of(protocol, job, batch).into_iter().enumerate() {
            let got = [p0[phase].sent as f64, p1[phase].sent as f64];
            let what = format!("{protocol}, {job:?}, batch {batch}, phase {phase}");
            let rounds = p0[phase].rounds.max(p1[phase].rounds);
            assert_eq!(rounds, want.rounds, "rounds: {what}");
            for (got, want) in got.into_iter().zip(want.bytes) {
                assert!((got - want).abs() <= 0.02 * want + 200.0, "{got} bytes, not {want}: {what}");
            }
        }
    }

    #[test]
    fn predictions_of_messages_are_what_protocols_send() {
        for protocol in Protocol::ALL {
            for (index_bits, value_bits, batch) in [(2, 1, 1001), (3, 5, 2), (6, 16, 1001), (9, 13, 301)] {
                for index in [Sharing::Additive, Sharing::Xor] {
                    for output in [Sharing::Additive, Sharing::Xor] {
                        let job = Job { index, output, index_bits, value_bits };
                        if protocol.check(&job).is_err() {
                            continue;
                        }
                        match (index, output) {
                            (Sharing::Additive, Sharing::Additive) => {
                                agrees::<Cyclic, Additive>(protocol, &job, batch)
                            }
                            (Sharing::Additive, Sharing::Xor) => {
                                agrees::<Cyclic, Bitwise>(protocol, &job, batch)
                            }
                            (Sharing::Xor, Sharing::Additive) => {
                                agrees::<Xor, Additive>(protocol, &job, batch)
                            }
                            (Sharing::Xor, Sharing::Xor) => agrees::<Xor, Bitwise>(protocol, &job, batch),
                        }
                    }
                }
            }
        }
    }
}
