//! Which items are compared, phase by phase. All of it is public: it follows from their number and from what was opened
//! before.
//!
//! What is known is an order of groups, in each of which some are sorted. A phase ends with each group cut at those that
//! it sorted in it:
//! * *sample*: the first items are sorted, each compared with each;
//! * *split*: in each group the others are compared with a few of it, its pivots: first those that are sorted, from the
//!   sample, then any;
//! * *refine*: the same with few pivots in the largest groups, as far as the room goes;
//! * *all*: in each group each is compared with each.

use std::cmp::Reverse;

/// What is compared in a phase.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Sample(usize),
    Split(usize),
    Refine(usize),
    All,
}

/// A phase, and how many comparisons it has.
#[derive(Clone, Copy, Debug)]
pub(super) struct Phase {
    step: Step,
    pub room: usize,
}

/// Those of `n` items: of the ways with at most `most` phases the one with the fewest comparisons, or the one with the
/// fewest phases.
///
/// The last phase alone may lack room. In simulated sorts it had at most to compare, of 4096 items: after five phases 7.5 n
/// in 10^5 sorts, after four 16.4 n in 2 10^4, after three 12.4 n in 2 10^3; of 1024 items after three 27.1 n in 2 10^4.
pub(super) fn phases(n: usize, most: usize) -> Vec<Phase> {
    let mut ways = ways(n);
    let found = ways.iter().position(|phases| phases.len() <= most).unwrap_or(ways.len() - 1);
    ways.swap_remove(found)
}

/// Each with fewer phases than the one before, and more comparisons.
fn ways(n: usize) -> Vec<Vec<Phase>> {
    // Whole bytes of results.
    let phase = |step, room: usize| Phase { step, room: room.next_multiple_of(8) };
    let pairs = |n: usize| n * n.saturating_sub(1) / 2;
    let all = |room: usize| phase(Step::All, pairs(n).min(room));
    let split = |pivots, others| phase(Step::Split(pivots), pivots * others);
    let first = |sample, pivots| [phase(Step::Sample(sample), pairs(sample)), split(pivots, n - sample)];
    let last = [phase(Step::Refine(7), 5 * n), all(16 * n)];
    match n {
        0 | 1 => vec![vec![]],
        // Refining would take more.
        2..=73 => vec![vec![all(pairs(n))]],
        74..=256 => vec![[first(31, 15), last].concat(), vec![all(pairs(n))]],
        257..=1024 => vec![
            [&first(63, 7)[..], &[split(15, n)], &last].concat(),
            [&first(127, 31)[..], &[all(48 * n)]].concat(),
        ],
        _ => vec![
            [&first(127, 15)[..], &[split(15, n)], &last].concat(),
            [&first(127, 15)[..], &[split(23, n), all(26 * n)]].concat(),
            vec![split(31, n), split(31, n), all(24 * n)],
        ],
    }
}

/// Items of which all are above those of the groups before.
#[derive(Debug)]
struct Group {
    /// In ascending order.
    sorted: Vec<u32>,
    rest: Vec<u32>,
}

/// What is known of the order.
pub(super) struct Known {
    groups: Vec<Group>,
}

/// What a phase asks of a group: the first are compared with each other, but for those that are sorted, and with the
/// second.
struct Asked {
    sorted: usize,
    pivots: Vec<u32>,
    others: Vec<u32>,
}

impl Known {
    /// Nothing, of `n` items.
    pub(super) fn new(n: usize) -> Self {
        Self { groups: vec![Group { sorted: vec![], rest: (0..n as u32).collect() }] }
    }

    /// The items in ascending order, when all phases are over; of a single one nothing is asked.
    pub(super) fn order(self) -> Vec<u32> {
        self.groups.into_iter().flat_map(|group| group.sorted.into_iter().chain(group.rest)).collect()
    }

    /// The pairs of which it is asked whether the first is less.
    pub(super) fn pairs(&self, phase: &Phase) -> Vec<[u32; 2]> {
        self.asked(phase).iter().flatten().flat_map(Asked::pairs).collect()
    }

    /// With the answers to them, one after the other.
    pub(super) fn learn(self, phase: &Phase, answers: &mut impl Iterator<Item = bool>) -> Self {
        let asked = self.asked(phase);
        let cut = !matches!(phase.step, Step::Sample(_));
        let groups = self.groups.into_iter().zip(asked).flat_map(|(group, asked)| match asked {
            None => vec![group],
            Some(asked) => asked.learn(group, cut, answers),
        });
        Self { groups: groups.collect() }
    }

    /// Of each group, if anything.
    fn asked(&self, phase: &Phase) -> Vec<Option<Asked>> {
        let of = |group: &Group, pivots: usize| (!group.rest.is_empty()).then(|| Asked::of(group, pivots));
        match phase.step {
            Step::Sample(pivots) => {
                let only = |mut asked: Asked| {
                    asked.others.clear();
                    asked
                };
                self.groups.iter().map(|group| of(group, pivots).map(only)).collect()
            }
            Step::Split(pivots) => self.groups.iter().map(|group| of(group, pivots)).collect(),
            Step::All => self.groups.iter().map(|group| of(group, usize::MAX)).collect(),
            Step::Refine(pivots) => self.largest(pivots, phase.room, of),
        }
    }

    /// Of the largest groups, the first of which has most, as long as there is room.
    fn largest(
        &self,
        pivots: usize,
        mut room: usize,
        of: impl Fn(&Group, usize) -> Option<Asked>,
    ) -> Vec<Option<Asked>> {
        let mut asked: Vec<Option<Asked>> = self.groups.iter().map(|_| None).collect();
        let mut by_size: Vec<usize> = (0..asked.len()).collect();
        by_size.sort_by_key(|&i| Reverse(self.groups[i].rest.len()));
        for i in by_size.into_iter().take_while(|&i| self.groups[i].rest.len() > 2 * pivots) {
            let next = of(&self.groups[i], pivots);
            let count = next.iter().map(Asked::count).sum();
            match room.checked_sub(count) {
                Some(left) => (room, asked[i]) = (left, next),
                None => break,
            }
        }
        asked
    }
}

impl Asked {
    /// With so many pivots: those that are sorted come first, evenly spread if there are more.
    fn of(group: &Group, pivots: usize) -> Self {
        let Group { sorted, rest } = group;
        if sorted.len() >= pivots {
            let at = |i: usize| sorted[(i + 1) * (sorted.len() + 1) / (pivots + 1) - 1];
            let pivots = (0..pivots).map(at).collect();
            return Self { sorted: sorted.len(), pivots, others: rest.clone() };
        }
        let (new, others) = rest.split_at(rest.len().min(pivots - sorted.len()));
        Self { sorted: sorted.len(), pivots: [sorted, new].concat(), others: others.to_vec() }
    }

    /// How many pairs there are.
    fn count(&self) -> usize {
        self.pairs().count()
    }

    fn pairs(&self) -> impl Iterator<Item = [u32; 2]> {
        let own = (self.sorted.min(self.pivots.len())..self.pivots.len())
            .flat_map(move |j| (0..j).map(move |i| [self.pivots[i], self.pivots[j]]));
        own.chain(self.others.iter().flat_map(|&x| self.pivots.iter().map(move |&pivot| [pivot, x])))
    }

    /// The group's parts, from the answers: cut at the pivots, or with these sorted.
    fn learn(self, group: Group, cut: bool, answers: &mut impl Iterator<Item = bool>) -> Vec<Group> {
        let known = self.sorted.min(self.pivots.len());
        let mut ranks: Vec<usize> = (0..self.pivots.len()).map(|i| if i < known { i } else { 0 }).collect();
        for j in known..self.pivots.len() {
            for i in 0..j {
                let less = answers.next().expect("an answer to each");
                ranks[if less { j } else { i }] += 1;
            }
        }
        let mut pivots = vec![0; self.pivots.len()];
        self.pivots.iter().zip(&ranks).for_each(|(&pivot, &rank)| pivots[rank] = pivot);
        if !cut {
            return vec![Group { sorted: pivots, rest: group.rest[self.pivots.len()..].to_vec() }];
        }
        let mut parts: Vec<Group> =
            (0..=pivots.len()).map(|_| Group { sorted: vec![], rest: vec![] }).collect();
        for &x in &self.others {
            let above = self.pivots.iter().filter(|_| answers.next().expect("an answer to each")).count();
            parts[above].rest.push(x);
        }
        // Where all pivots were sorted before, those that were too and are none.
        let mut above = 0;
        for &x in group.sorted.iter().filter(|_| self.sorted >= pivots.len()) {
            match pivots.get(above) == Some(&x) {
                true => above += 1,
                false => parts[above].sorted.push(x),
            }
        }
        let alone = |&pivot: &u32| Group { sorted: vec![pivot], rest: vec![] };
        let mut all = Vec::with_capacity(2 * parts.len());
        for (i, part) in parts.into_iter().enumerate() {
            all.push(part);
            all.extend(pivots.get(i).map(alone));
        }
        all.retain(|part| !part.sorted.is_empty() || !part.rest.is_empty());
        all
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use prim::{Block, Prg};

    /// Sorts items by what they rank, and says how many comparisons each phase had.
    fn run(ranks: &[u32], phases: Vec<Phase>) -> Vec<usize> {
        let mut known = Known::new(ranks.len());
        let mut counts = Vec::new();
        for phase in phases {
            let pairs = known.pairs(&phase);
            assert!(pairs.len() <= phase.room, "{} of {phase:?}", pairs.len());
            counts.push(pairs.len());
            let mut answers = pairs.iter().map(|&[a, b]| ranks[a as usize] < ranks[b as usize]);
            known = known.learn(&phase, &mut answers);
            assert!(answers.next().is_none());
        }
        let order: Vec<u32> = known.order().iter().map(|&x| ranks[x as usize]).collect();
        assert_eq!(order, (0..ranks.len() as u32).collect::<Vec<_>>());
        counts
    }

    fn shuffled(n: usize, rng: &mut Prg) -> Vec<u32> {
        let mut ranks: Vec<u32> = (0..n as u32).collect();
        (1..n).for_each(|i| ranks.swap(i, rng.below(i as u32 + 1) as usize));
        ranks
    }

    #[test]
    fn every_number_of_items_is_sorted() {
        let rng = &mut Prg::new(Block(4));
        let more = [511, 512, 513, 1000, 1024, 1025, 4095, 4096];
        for n in (0..300).chain(more) {
            ways(n).into_iter().for_each(|phases| drop(run(&shuffled(n, rng), phases)));
        }
    }

    /// The last phase, which alone may lack room, has much to spare.
    #[test]
    fn the_last_phase_has_room() {
        let rng = &mut Prg::new(Block(5));
        for (n, times) in [(74, 300), (256, 300), (257, 300), (1024, 100), (1025, 100), (4096, 40)] {
            for phases in ways(n) {
                let room = phases.last().expect("phases").room;
                let left = |_| *run(&shuffled(n, rng), phases.clone()).last().expect("phases");
                let most = (0..times).map(left).max().expect("runs");
                assert!(room >= n * (n - 1) / 2 || 3 * most < 2 * room + n, "{most} of {room} for {n}");
            }
        }
    }

    /// Fewer phases take more comparisons, and as many phases as are asked for, if there are such.
    #[test]
    fn phases_are_as_few_as_asked() {
        let sum = |phases: &[Phase]| phases.iter().map(|phase| phase.room).sum::<usize>();
        for n in (0..300).chain([1023, 1024, 1025, 4096]) {
            let ways = ways(n);
            for pair in ways.windows(2) {
                assert!(pair[0].len() > pair[1].len() && sum(&pair[0]) < sum(&pair[1]), "{n} items");
            }
            for most in 0..7 {
                let got = phases(n, most).len();
                assert!(got <= most || got == ways.last().expect("a way").len(), "{n} items, {most} phases");
            }
        }
    }

    #[test]
    fn rooms_are_those_of_the_page() {
        let rooms = |most| phases(4096, most).iter().map(|phase| phase.room).collect::<Vec<_>>();
        assert_eq!(rooms(5), [8008, 59536, 61440, 20480, 65536]);
        assert_eq!(rooms(4), [8008, 59536, 94208, 106496]);
        assert_eq!(rooms(3), [126976, 126976, 98304]);
    }
}
