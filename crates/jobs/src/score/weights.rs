//! A party's weights from a TOML file.

use std::{collections::BTreeSet, fs, path::Path};

use crate::toml_file::TomlFile;
use apps::scoring::Weights;
use hushtable_columns::failure::{Failure, Result};
use toml::de::DeValue;

/// Weights and the features that they belong to.
#[derive(Debug, PartialEq)]
pub struct Named {
    pub features: Vec<String>,
    pub weights: Weights,
}

/// The file at `path`: a number `intercept`, 0 if it is not there, and a table `weights` of numbers by the names
/// of features, each of which must be among `columns` of the file `features`.
pub fn read(path: &Path, features: &Path, columns: &[String]) -> Result<Named> {
    let text = fs::read_to_string(path).map_err(Failure::file(path))?;
    parse(path, &text, features, columns)
}

/// As [`read`], of the `text` of the file.
pub fn parse(path: &Path, text: &str, features: &Path, columns: &[String]) -> Result<Named> {
    let file = TomlFile { path, text };
    let table = file.table()?;
    file.knows(&table, "this file", &["intercept", "weights"])?;
    let intercept = table.get("intercept").map_or(Ok(0.0), |value| file.number("intercept", value))?;
    let Some(weights) = table.get("weights") else {
        return Err(file.says(None, "no table [weights] with a number for each feature"));
    };
    let DeValue::Table(weights) = weights.get_ref() else {
        return Err(file.says(Some(weights.span()), "weights is a table: a number for each feature"));
    };
    let mut named = Named { features: Vec::new(), weights: Weights { intercept, values: Vec::new() } };
    let columns: BTreeSet<&str> = columns.iter().map(String::as_str).collect();
    for (name, value) in weights {
        if !columns.contains(name.get_ref().as_ref()) {
            let columns = columns.iter().copied().collect::<Vec<_>>().join(", ");
            let features = features.display();
            let what = format!("weight {:?}: {features} has no such column, only: {columns}", name.get_ref());
            return Err(file.says(Some(name.span()), &what));
        }
        named.weights.values.push(file.number(name.get_ref(), value)?);
        named.features.push(name.get_ref().to_string());
    }
    Ok(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> std::result::Result<Named, String> {
        let columns = ["id", "age", "debt ratio"].map(str::to_owned);
        crate::score::weights::parse(Path::new("w.toml"), text, Path::new("f.csv"), &columns)
            .map_err(|e| e.to_string())
    }

    #[test]
    fn numbers_by_name() {
        let text = "# model\nintercept = -1_000.5\n\n[weights]\n\"debt ratio\" = 2\nage = -1.5e-2\n";
        let features = ["age", "debt ratio"].map(str::to_owned).to_vec();
        let weights = Weights { intercept: -1000.5, values: vec![-0.015, 2.0] };
        assert_eq!(parse(text), Ok(Named { features, weights }));
        let none = parse("weights = {}").unwrap();
        assert_eq!((none.features.len(), none.weights.intercept), (0, 0.0));
    }

    #[test]
    fn complaints_name_the_line() {
        for (text, want) in [
            ("intercept = 1\n", "no table [weights]"),
            ("weights = 3\n", "line 1: weights is a table"),
            ("intercept = \"x\"\n[weights]\n", "line 1: intercept: \"x\" is not a finite decimal number"),
            ("[weights]\nage = nan\n", "line 2: age: nan is not a finite"),
            ("[weights]\nage = 0x10\n", "line 2: age: 0x10 is not a finite"),
            (
                "[weights]\nage = 1\nheight = 2\n",
                "line 3: weight \"height\": f.csv has no such column, only: age,",
            ),
            (
                "bias = 1\n[weights]\n",
                "line 1: \"bias\" is not known here; this file has: intercept, weights",
            ),
            ("[weights]\nage = 1\nage = 2\n", "line 3: duplicate key"),
            ("[weights]\nage 1\n", "line 2: "),
        ] {
            let got = parse(text).unwrap_err();
            assert!(got.contains(want), "{text:?}: {got}");
        }
    }
}
