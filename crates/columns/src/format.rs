//! The formats of files of columns.

use std::path::Path;

use clap::ValueEnum;

use crate::failure::{Failure, Result};

/// How a file holds columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum FileFormat {
    /// Text with a header; the format of files with other extensions than these
    Csv,
    /// Files .parquet, without compression or with Snappy
    Parquet,
    /// Arrow files .arrow, .feather (version 2) and .ipc, without compression or with LZ4
    Arrow,
}

impl FileFormat {
    /// By the extension.
    pub fn of(path: &Path) -> Self {
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_lowercase());
        match extension.as_deref() {
            Some("parquet") => Self::Parquet,
            Some("arrow" | "feather" | "ipc") => Self::Arrow,
            _ => Self::Csv,
        }
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
    fn extensions() {
        for (name, want) in [
            ("a.parquet", FileFormat::Parquet),
            ("a.PARQUET", FileFormat::Parquet),
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
