//! What a benchmark prints.

use std::fs;

use clap::ValueEnum;
use hushtable_columns::units::{bytes, time};
use hushtable_jobs::cost::{Figures, Phases};
use prim::simd::Kernel;
use serde::Serialize;

use crate::{
    measured::{Accuracy, Run, medians, once, steps},
    run::Options,
    work::Work,
};

/// How results are printed.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum Format {
    Json,
    Table,
}

/// The median of several runs, with what was run where. Field names are a contract with other programs.
#[derive(Serialize)]
pub struct Report<'a> {
    #[serde(flatten)]
    work: &'a Work,
    threads: u16,
    /// Processors that each party computes on, where it is not one a thread.
    #[serde(skip_serializing_if = "Option::is_none")]
    processors: Option<usize>,
    net: Net,
    #[serde(flatten)]
    phases: Phases,
    #[serde(skip_serializing_if = "Option::is_none")]
    once: Option<Figures>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    steps: Vec<Step>,
    us_per_item: PerItem,
    bits_per_item: PerItem,
    peak_rss_bytes: [u64; 2],
    #[serde(skip_serializing_if = "Option::is_none")]
    accuracy: Option<Accuracy>,
    verified: bool,
    cpu: String,
    version: &'static str,
}

/// A step of the online phase.
#[derive(Serialize)]
struct Step {
    name: String,
    #[serde(flatten)]
    figures: Figures,
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

impl<'a> Report<'a> {
    /// Of at least one run; every result of each of them was verified.
    pub fn new(work: &'a Work, options: &Options, runs: &[Run]) -> Self {
        let (net, phases) = (options.net, medians(runs));
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
            threads: options.threads,
            processors: work
                .every_processor()
                .then(|| std::thread::available_parallelism().map_or(1, usize::from)),
            phases,
            once: once(runs),
            steps: steps(runs).into_iter().map(|(name, figures)| Step { name, figures }).collect(),
        }
    }

    /// One line.
    pub fn json(&self) -> String {
        serde_json::to_string(self).expect("plain data") + "\n"
    }

    /// For people.
    pub fn table(&self) -> String {
        let [p0, p1] = self.peak_rss_bytes.map(|bytes| bytes as f64 / f64::from(1 << 20));
        let accuracy = self.accuracy.map_or(String::new(), |a| {
            let Accuracy { max_ulp, mean_ulp, .. } = a;
            format!("error from floating point in units in the last place: at most {max_ulp:.3}, on average {mean_ulp:.3}\n")
        });
        let line = |name: &str, figures: &Figures| {
            let [p0, p1] = figures.bytes.map(bytes);
            let (time, rounds) = (time(figures.seconds), figures.rounds);
            format!("{name:10}{time:>12}{p0:>14}{p1:>14}{rounds:>9}\n")
        };
        let once = self.once.map_or(String::new(), |once| line("once", &once));
        let steps: String = self.steps.iter().map(|s| line(&format!("  {}", s.name), &s.figures)).collect();
        let processors = self.processors.map_or(String::new(), |n| format!(" and all {n} processor(s)"));
        format!(
            "{}, {} thread(s){processors}, network {}\n{}{steps}{once}\nper {}: offline {:.4} us, {:.3} bits; online {:.4} us, {:.3} bits\n\
             peak memory: P0 {p0:.0} MiB, P1 {p1:.0} MiB\n{accuracy}all {} results verified\n{}, hushtable {}\n",
            self.work,
            self.threads,
            self.net.name,
            self.phases.table(),
            self.work.unit(),
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

/// The processor's name, where the system tells it, and the kernels chosen for it.
pub fn cpu() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let model =
        info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": ").map(|(_, name)| name));
    format!("{} ({})", model.unwrap_or(std::env::consts::ARCH).trim(), Kernel::active().name())
}
