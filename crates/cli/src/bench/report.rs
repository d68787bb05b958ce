//! What `bench` prints.

use std::fs;

use hushtable::net::Shape;
use prim::simd::Kernel;
use serde::{Deserialize, Serialize};

use super::Work;
use crate::cost::{Figures, Phases};

/// One run: both parties together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    pub phases: Phases,
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

/// The median of several runs, with what was run where. Field names are a contract with other programs.
#[derive(Serialize)]
pub struct Report {
    #[serde(flatten)]
    work: Work,
    threads: u16,
    net: Net,
    #[serde(flatten)]
    pub phases: Phases,
    us_per_item: PerItem,
    bits_per_item: PerItem,
    peak_rss_bytes: [u64; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<Accuracy>,
    verified: bool,
    cpu: String,
    version: &'static str,
}

#[derive(Serialize)]
struct Net {
    name: String,
    mbit_per_s: Option<f64>,
    rtt_ms: f64,
}

#[derive(Serialize)]
struct PerItem {
    offline: f64,
    online: f64,
}

impl Report {
    /// Of at least one run; every result of each of them was verified.
    pub fn new(work: Work, threads: u16, net: Shape, runs: &[Run]) -> Self {
        let phases = Phases {
            setup: median(runs, |run| run.phases.setup),
            offline: median(runs, |run| run.phases.offline),
            online: median(runs, |run| run.phases.online),
        };
        let items = work.items() as f64;
        let per_item = |f: fn(&Figures) -> f64| PerItem {
            offline: f(&phases.offline) / items,
            online: f(&phases.online) / items,
        };
        let rss = |party: usize| runs.iter().map(|run| run.peak_rss_bytes[party]).max().unwrap_or(0);
        Self {
            us_per_item: per_item(|f| f.seconds * 1e6),
            bits_per_item: per_item(|f| (f.bytes[0] + f.bytes[1]) as f64 * 8.0),
            net: Net {
                name: net.to_string(),
                mbit_per_s: net.mbit_per_s,
                rtt_ms: net.rtt.as_secs_f64() * 1e3,
            },
            peak_rss_bytes: [rss(0), rss(1)],
            accuracy: runs
                .iter()
                .filter_map(|run| run.accuracy)
                .reduce(|a, b| if a.max_ulp >= b.max_ulp { a } else { b }),
            verified: true,
            cpu: cpu(),
            version: env!("CARGO_PKG_VERSION"),
            work,
            threads,
            phases,
        }
    }

    /// For people.
    pub fn table(&self) -> String {
        let [p0, p1] = self.peak_rss_bytes.map(|bytes| bytes as f64 / f64::from(1 << 20));
        let unit = match &self.work {
            Work::Lut(_) => "lookup",
            Work::Cmp(_) => "comparison",
            Work::Trunc(_) => "truncation",
            Work::Inference(inference) => inference.unit(),
            Work::Math(_) => "value",
            Work::Ot(_) => "OT",
            Work::Triples(_) => "triple",
        };
        let accuracy = self.accuracy.map_or(String::new(), |a| {
            let Accuracy { max_ulp, mean_ulp, .. } = a;
            format!("error from floating point in units in the last place: at most {max_ulp:.3}, on average {mean_ulp:.3}\n")
        });
        format!(
            "{}, {} thread(s), network {}\n{}\nper {unit}: offline {:.4} us, {:.3} bits; online {:.4} us, {:.3} bits\n\
             peak memory: P0 {p0:.0} MiB, P1 {p1:.0} MiB\n{accuracy}all {} results verified\n{}, hushtable {}\n",
            self.work.title(),
            self.threads,
            self.net.name,
            self.phases.table(),
            self.us_per_item.offline,
            self.bits_per_item.offline,
            self.us_per_item.online,
            self.bits_per_item.online,
            self.work.items(),
            self.cpu,
            self.version
        )
    }
}

/// The median of each number on its own; the lower one of an even count.
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

/// The processor's name, where the system tells it, and the kernels chosen for it.
fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    format!("{} ({})", model.unwrap_or(std::env::consts::ARCH).trim(), Kernel::active().name())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn medians() {
        let run = |seconds: f64| {
            let online = Figures { seconds, bytes: [7, 9], rounds: 2 };
            Run { phases: Phases { online, ..Phases::default() }, peak_rss_bytes: [1, 2], accuracy: None }
        };
        let of = |seconds: &[f64]| {
            let runs: Vec<Run> = seconds.iter().map(|&s| run(s)).collect();
            median(&runs, |r| r.phases.online)
        };
        assert_eq!(of(&[3.0, 1.0, 2.0]), Figures { seconds: 2.0, bytes: [7, 9], rounds: 2 });
        assert_eq!(of(&[3.0, 1.0]).seconds, 1.0);
        assert_eq!(of(&[5.0]).seconds, 5.0);
    }
}
