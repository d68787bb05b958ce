//! What runs give: costs of the phases, memory, and how exact the results are.

use hushtable_jobs::cost::{Figures, Phases};
use serde::{Deserialize, Serialize};

/// One run: both parties together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub phases: Phases,
    /// What is done once for any number of sessions, if there is something.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub once: Option<Figures>,
    /// Steps of the online phase by name, in their order, where they are measured.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<(String, Figures)>,
    /// Peak resident memory of P0 and P1, before the verification.
    pub peak_rss_bytes: [u64; 2],
    /// Of results that are not exact.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<Accuracy>,
}

/// How far results are from floating point, in units in the last place.
#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
pub struct Accuracy {
    pub max_ulp: f64,
    pub mean_ulp: f64,
    pub numbers: u64,
}

impl Accuracy {
    /// Counts one more result.
    pub fn add(&mut self, ulp: f64) {
        self.max_ulp = self.max_ulp.max(ulp);
        self.numbers += 1;
        self.mean_ulp += (ulp - self.mean_ulp) / self.numbers as f64;
    }
}

/// The median of each number of at least one run on its own; the lower one of an even count.
pub fn medians(runs: &[Run]) -> Phases {
    Phases {
        setup: median(runs, |run| run.phases.setup),
        offline: median(runs, |run| run.phases.offline),
        online: median(runs, |run| run.phases.online),
    }
}

/// The median of what is done once.
pub fn once(runs: &[Run]) -> Option<Figures> {
    runs.iter().all(|run| run.once.is_some()).then(|| median(runs, |run| run.once.unwrap_or_default()))
}

/// The median of each step.
pub fn steps(runs: &[Run]) -> Vec<(String, Figures)> {
    let first = runs.first().map_or(&[][..], |run| &run.steps);
    first
        .iter()
        .enumerate()
        .map(|(i, (name, _))| (name.clone(), median(runs, |run| run.steps[i].1)))
        .collect()
}

fn median(runs: &[Run], phase: impl Fn(&Run) -> Figures) -> Figures {
    let all: Vec<Figures> = runs.iter().map(phase).collect();
    fn middle<T: PartialOrd + Copy>(mut values: Vec<T>) -> T {
        values.sort_by(|a, b| a.partial_cmp(b).expect("measured numbers"));
        values[(values.len() - 1) / 2]
    }
    let bytes = |party: usize| middle(all.iter().map(|f| f.bytes[party]).collect());
    Figures {
        seconds: middle(all.iter().map(|f| f.seconds).collect()),
        bytes: [bytes(0), bytes(1)],
        rounds: middle(all.iter().map(|f| f.rounds).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians_of_odd_and_even_counts() {
        let run = |seconds: f64| {
            let online = Figures { seconds, bytes: [7, 9], rounds: 2 };
            Run {
                phases: Phases { online, ..Phases::default() },
                once: None,
                steps: vec![("a".into(), online)],
                peak_rss_bytes: [1, 2],
                accuracy: None,
            }
        };
        let of = |seconds: &[f64]| medians(&seconds.iter().map(|&s| run(s)).collect::<Vec<_>>()).online;
        assert_eq!(of(&[3.0, 1.0, 2.0]), Figures { seconds: 2.0, bytes: [7, 9], rounds: 2 });
        assert_eq!(of(&[3.0, 1.0]).seconds, 1.0);
        assert_eq!(of(&[5.0]).seconds, 5.0);
        let both = steps(&[run(4.0), run(1.0), run(3.0)]);
        assert_eq!((both.len(), both[0].0.as_str(), both[0].1.seconds), (1, "a", 3.0));
    }
}
