//! Who waits for whom: the messages of a protocol's phases in their order, those of its correlated OTs among them.

use super::{clock::Senders, ot};
use crate::{bill::Step, ot::Limits};

/// A message of each party, neither waiting for the other's.
const BOTH: Senders = [true, true];

/// Offline: the steps of a protocol, with the messages of its correlated OTs where they come. `cots` is all of these, made by
/// what these `limits` say.
pub(super) fn offline(steps: &[Step], cots: [u64; 2], limits: &Limits) -> Vec<Senders> {
    let mut stock = ot::Stock::new(cots, limits);
    let mut messages = Vec::new();
    for step in steps {
        match *step {
            Step::Cots(cots) => messages.extend(stock.take(cots)),
            Step::Rounds(senders, count) => messages.extend((0..count).map(|_| senders)),
        }
    }
    messages
}

/// Online.
pub(super) fn online(rounds: u32) -> Vec<Senders> {
    vec![BOTH; rounds as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Party, Result,
        lut::{LookupJob, Protocol, Table},
        onehot::{Cyclic, Xor},
        plan::clock::Clock,
        run_pair,
        share::{Additive, Bitwise, Sharing},
    };

    const P0: Senders = [true, false];

    /// Rounds of the offline phase, correlated OTs included, once their extension runs.
    fn run(p: &mut Party, protocol: Protocol, job: &LookupJob, batch: usize) -> Result<(u32, Limits)> {
        let table = Table::<u16>::tabulate(job.index_bits, job.value_bits, |x| x * 77)?;
        let (send, recv) = protocol.bill(job, batch)?.cots_of(p.role());
        p.prepare_ot(send, recv)?;
        let ((), cost) = p.metered(|p| match job.index {
            Sharing::Xor => protocol.prepare::<Xor, Bitwise, u16>(p, &table, batch).map(drop),
            Sharing::Additive => protocol.prepare::<Cyclic, Additive, u16>(p, &table, batch).map(drop),
        })?;
        Ok((cost.rounds, p.setting().limits))
    }

    #[test]
    fn rounds_are_those_that_protocols_take() {
        for protocol in Protocol::ALL {
            for (index, batch) in [(Sharing::Xor, 40), (Sharing::Additive, 40), (Sharing::Additive, 12_000)] {
                let job = LookupJob { index, output: index, index_bits: 4, value_bits: 9 };
                if protocol.check(&job).is_err() {
                    continue;
                }
                let f = |p: &mut Party| run(p, protocol, &job, batch);
                let ((p0, limits), (p1, _)) = run_pair(Party::pair_seeded(5).unwrap(), f, f).unwrap();
                let (start, cots) = (Clock([0; 2]), protocol.bill_of(&job, batch).cots);
                let predicted =
                    start.after(&offline(&protocol.effort_of(&job, batch).steps, cots, &limits)).since(start);
                assert_eq!(p0.max(p1), predicted, "{protocol}, {job:?}, batch {batch}");
            }
        }
    }

    #[test]
    fn a_party_that_comes_later_waits_less() {
        let late = Clock([0, 1]);
        assert_eq!(late.after(&[P0]).since(late), 0, "the message is on its way");
        assert_eq!(late.after(&[[false, true]]).since(late), 2);
        assert_eq!(late.after(&[BOTH]).since(late), 2);
        assert_eq!(late.after(&[BOTH, BOTH]).since(late), 2);
        assert_eq!(late.after(&[P0, P0, BOTH, BOTH]).since(late), 2);
        let even = Clock([0; 2]);
        assert_eq!(even.after(&[BOTH; 3]).since(even), 3);
    }
}
