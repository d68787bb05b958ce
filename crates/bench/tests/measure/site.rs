//! The program in a folder of its own.

use std::{fs, path::PathBuf, process::Command};

use serde_json::Value;
use tempfile::TempDir;

/// A folder where the program runs. This user's calibration is not seen in it.
pub struct Site(TempDir);

/// What every report of two processes has.
const COMMON: [&str; 13] = [
    "bits_per_item",
    "cpu",
    "kind",
    "net",
    "offline",
    "online",
    "peak_rss_bytes",
    "runs",
    "setup",
    "threads",
    "us_per_item",
    "verified",
    "version",
];

/// The names of a report, or of a part of it, in alphabetical order.
pub fn keys(report: &Value) -> Vec<&str> {
    let mut keys: Vec<&str> = report.as_object().unwrap().keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

/// Asserts that a report has these names beside those that every one has: they are a contract.
#[track_caller]
pub fn names(report: &Value, own: &[&str]) {
    let mut expected = [own, &COMMON].concat();
    expected.sort_unstable();
    assert_eq!(keys(report), expected);
}

/// How the program ended.
#[derive(Debug)]
pub struct Done {
    /// The exit code; -1 after a signal.
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Site {
    pub fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// Runs the program with arguments separated by spaces. Processes that wait for each other give up by
    /// themselves.
    pub fn run(&self, args: &str) -> Done {
        let output = Command::new(env!("CARGO_BIN_EXE_hushtable-bench"))
            .args(args.split_whitespace())
            .current_dir(self.0.path())
            .env("XDG_CONFIG_HOME", self.0.path())
            .output()
            .unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        let code = output.status.code().unwrap_or(-1);
        Done { code, stdout: text(output.stdout), stderr: text(output.stderr) }
    }

    /// The line of JSON that a benchmark prints.
    pub fn report(&self, args: &str) -> Value {
        let done = self.run(&format!("{args} --format json")).ok();
        assert_eq!(done.stdout.lines().count(), 1, "{done:?}");
        let report: Value = serde_json::from_str(&done.stdout).unwrap();
        assert_eq!(report["verified"], true);
        assert_eq!(report["version"], env!("CARGO_PKG_VERSION"));
        for phase in ["setup", "offline", "online"] {
            assert!(report[phase]["seconds"].as_f64().unwrap() >= 0.0);
            assert!(report[phase]["rounds"].is_u64());
            assert_eq!(report[phase]["bytes"].as_array().unwrap().len(), 2);
        }
        report
    }
}

impl Done {
    /// Asserts success.
    #[track_caller]
    pub fn ok(self) -> Self {
        assert_eq!(self.code, 0, "{self:?}");
        self
    }

    /// Asserts one reported error, with `fragment` in it.
    #[track_caller]
    pub fn fails(&self, fragment: &str) {
        assert!(self.code > 1, "{self:?}");
        let errors = self.stderr.lines().filter(|line| line.starts_with("error: ")).count();
        assert!(errors == 1 && self.stderr.contains(fragment), "wanted {fragment:?} in {self:?}");
    }
}
