//! Who waits for whom: the messages of a protocol's phases in their order, those of its correlated OTs among them.

use super::ot;
use crate::{
    lut::{Job, Protocol, arithmetic},
    net::Role,
    share::Sharing,
};

/// Which of the parties send.
pub type Senders = [bool; 2];

/// A message of each party, neither waiting for the other's.
const BOTH: Senders = [true, true];
const P0: Senders = [true, false];

/// How far the parties are: in messages waited for one after the other, or in delays of the link.
#[derive(Clone, Copy)]
pub struct Clock(pub [u32; 2]);

impl Clock {
    /// When each party has what the other sent.
    pub fn after(self, messages: &[Senders]) -> Self {
        let later = |Self([p0, p1]): Self, [first, second]: &Senders| {
            let to_p0 = if *second { p0.max(p1 + 1) } else { p0 };
            let to_p1 = if *first { p1.max(p0 + 1) } else { p1 };
            Self([to_p0, to_p1])
        };
        messages.iter().fold(self, later)
    }

    /// What the slower party waited for since `start`.
    pub fn since(self, start: Self) -> u32 {
        let Self([p0, p1]) = self;
        (p0 - start.0[0]).max(p1 - start.0[1])
    }
}

/// Offline. `rounds` are those of the protocol without its correlated OTs.
pub fn offline(protocol: Protocol, job: &Job, batch: usize, rounds: u32) -> Vec<Senders> {
    let mut stock = ot::Stock::new(protocol.cots(job, Role::P0, batch));
    let mut messages = Vec::new();
    for step in steps(protocol, job, batch, rounds) {
        match step {
            Step::Cots(send, recv) => messages.extend(stock.take(send, recv)),
            Step::Rounds(senders, count) => messages.extend((0..count).map(|_| senders)),
        }
    }
    messages
}

/// Online.
pub fn online(rounds: u32) -> Vec<Senders> {
    vec![BOTH; rounds as usize]
}

/// Whether the sign of one-hot vectors is prepared and removed.
pub fn signed(protocol: Protocol, job: &Job) -> bool {
    use Protocol::*;
    job.signed() && matches!(protocol, Rotl | Doubling | Tree | Staged | Balanced | FlutePlus)
}

enum Step {
    /// Correlated OTs that P0 takes as sender and as receiver.
    Cots(usize, usize),
    /// Messages of these parties, in so many rounds.
    Rounds(Senders, u32),
}

/// The takes of correlated OTs and the rounds between them.
fn steps(protocol: Protocol, job: &Job, batch: usize, rounds: u32) -> Vec<Step> {
    use Step::{Cots, Rounds};
    let (mut send, mut recv) = protocol.cots(job, Role::P0, batch);
    // The last take: what removes the sign is chosen by a round.
    let last = match protocol {
        Protocol::Arithmetic => 2,
        _ => u32::from(signed(protocol, job)),
    };
    let mut end = Vec::new();
    if last > 0 {
        (send, recv) = (send - batch, recv - batch);
        end = vec![Cots(batch, batch), Rounds(BOTH, last)];
    }
    let mut left = rounds - last;
    if protocol == Protocol::Arithmetic && job.value_bits > 1 {
        // Entries of the low bits' vector are turned into additive ones.
        let words = 1usize << arithmetic::low_bits(arithmetic::word_bits(job.value_bits), job.index_bits);
        let converted = (words - 1) * batch;
        (send, left) = (send - converted, left - 1);
        end.splice(0..0, [Cots(converted, 0), Rounds(BOTH, 1)]);
    }
    // The lift of the first bit goes from P0 to P1.
    let lifts = job.index == Sharing::Additive && job.index_bits > 1;
    let mut steps = match protocol {
        Protocol::Doubling | Protocol::Tree | Protocol::Arithmetic if lifts => {
            vec![Cots(send, recv), Rounds(P0, 1), Rounds(BOTH, left - 1)]
        }
        Protocol::Balanced | Protocol::FlutePlus if lifts => {
            let lift = (job.index_bits as usize - 1) * batch;
            vec![Cots(lift, 0), Rounds(P0, 1), Cots(send - lift, recv), Rounds(BOTH, left - 1)]
        }
        _ => vec![Cots(send, recv), Rounds(BOTH, left)],
    };
    steps.extend(end);
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        Party, Result,
        lut::Table,
        onehot::{Cyclic, Xor},
        run_pair,
        share::{Additive, Bitwise},
    };

    /// Rounds of the offline phase, correlated OTs included, once their extension runs.
    fn run(p: &mut Party, protocol: Protocol, job: &Job, batch: usize) -> Result<u32> {
        let table = Table::<u16>::tabulate(job.index_bits, job.value_bits, |x| x * 77)?;
        let (send, recv) = protocol.cots(job, p.role(), batch);
        p.prepare_ot(send, recv)?;
        let ((), cost) = p.metered(|p| match job.index {
            Sharing::Xor => protocol.prepare::<Xor, Bitwise, u16>(p, &table, batch).map(drop),
            Sharing::Additive => protocol.prepare::<Cyclic, Additive, u16>(p, &table, batch).map(drop),
        })?;
        Ok(cost.rounds)
    }

    #[test]
    fn rounds_are_those_that_protocols_take() {
        for protocol in Protocol::ALL {
            for (index, batch) in [(Sharing::Xor, 40), (Sharing::Additive, 40), (Sharing::Additive, 12_000)] {
                let job = Job { index, output: index, index_bits: 4, value_bits: 9 };
                if protocol.check(&job).is_err() {
                    continue;
                }
                let f = |p: &mut Party| run(p, protocol, &job, batch);
                let (p0, p1) = run_pair(Party::pair_seeded(5).unwrap(), f, f).unwrap();
                let [own, _] = super::super::messages::of(protocol, &job, batch);
                let start = Clock([0; 2]);
                let predicted = start.after(&offline(protocol, &job, batch, own.rounds)).since(start);
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
