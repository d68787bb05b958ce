//! The formats of files of columns.

use std::path::Path;

use clap::ValueEnum;

use crate::failure::{Failure, Result};

/// How a file holds columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    /// Text with a header; the format of files with other extensions than these
    Csv,
    /// Files .parquet, without compression or with Snappy, Zstandard, GZIP or LZ4
    Parquet,
    /// Arrow files .arrow, .feather (version 2) and .ipc, without compression or with LZ4
    Arrow,
}

impl FileFormat {
    /// By the extension.
    pub fn of(path: &Path) -> Self {
        match extension(path).as_deref() {
            Some("parquet" | "pq") => Self::Parquet,
            Some("arrow" | "feather" | "ipc") => Self::Arrow,
            _ => Self::Csv,
        }
    }

    /// That of a file to be written: as [`of`](Self::of), but an extension of another format is refused.
    pub fn of_output(path: &Path) -> Result<Self> {
        if let Some(other) = extension(path).filter(|extension| OTHERS.contains(&extension.as_str())) {
            return Err(Failure::new(format!(
                "{}: .{other} is not supported; accepted: .csv, .parquet, .arrow or .feather",
                path.display()
            )));
        }
        let format = Self::of(path);
        format.check(path).map(|()| format)
    }

    /// Refuses what this program was built without.
    pub fn check(self, path: &Path) -> Result<()> {
        let (built, feature) = match self {
            Self::Csv => (true, ""),
            Self::Parquet => (cfg!(feature = "parquet"), "parquet"),
            Self::Arrow => (cfg!(feature = "arrow"), "arrow"),
        };
        if built { Ok(()) } else { Err(without(path, feature)) }
    }
}

/// In small letters.
fn extension(path: &Path) -> Option<String> {
    path.extension().map(|extension| extension.to_string_lossy().to_lowercase())
}

/// Extensions of formats in which nothing is written here: CSV under such a name would surprise.
const OTHERS: [&str; 18] = [
    "7z", "avro", "bz2", "gz", "json", "jsonl", "ndjson", "ods", "orc", "sqlite", "tab", "tsv", "xls",
    "xlsb", "xlsx", "xz", "zip", "zst",
];

/// What is said of a format that the program was built without.
fn without(path: &Path, feature: &str) -> Failure {
    Failure::new(format!(
        "{}: this program was built without the feature {feature}: build it with `cargo build --release --features \
         {feature}`, or use {}",
        path.display(),
        if feature == "arrow" && cfg!(feature = "parquet") { "Parquet or CSV" } else { "CSV" }
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_written_under_the_name_of_another_format() {
        for name in ["a", "a.csv", "a.txt", "results.2026", "json", "a.json.csv"] {
            assert_eq!(FileFormat::of_output(Path::new(name)).unwrap(), FileFormat::Csv, "{name}");
        }
        for name in OTHERS.map(|other| format!("a.csv.{}", other.to_uppercase())) {
            let refused = FileFormat::of_output(Path::new(&name)).unwrap_err().to_string();
            assert!(
                refused.starts_with(&name)
                    && refused.ends_with("accepted: .csv, .parquet, .arrow or .feather")
            );
        }
    }

    #[test]
    fn extensions() {
        for (name, want) in [
            ("a.parquet", FileFormat::Parquet),
            ("a.PARQUET", FileFormat::Parquet),
            ("a.pq", FileFormat::Parquet),
            ("a.feather", FileFormat::Arrow),
            ("a.parquet.arrow", FileFormat::Arrow),
            ("a.ipc", FileFormat::Arrow),
            ("parquet", FileFormat::Csv),
            ("a.csv", FileFormat::Csv),
        ] {
            assert_eq!(FileFormat::of(Path::new(name)), want, "{name}");
        }
    }

    #[test]
    fn what_is_not_built_in_is_named() {
        let path = Path::new("a.arrow");
        let text = without(path, "arrow").to_string();
        assert!(
            text.starts_with("a.arrow: this program was built without the feature arrow: build it"),
            "{text}"
        );
        assert_eq!(FileFormat::Arrow.check(path).is_ok(), cfg!(feature = "arrow"));
        assert_eq!(FileFormat::Parquet.check(path).is_ok(), cfg!(feature = "parquet"));
        FileFormat::Csv.check(path).unwrap();
    }
}
