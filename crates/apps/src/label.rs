//! Labels of groups: they compare as values, however a table holds them. The Python package has the same rule
//! (`hushtable/labels.py`).

use unicode_normalization::UnicodeNormalization;
use zeroize::Zeroizing;

/// The text that stands for a label: equal labels have equal ones.
///
/// White space around a label does not count, nor how its letters and accents were typed (NFC). Numbers are equal as
/// numbers: `1.0` is `1`, and `-0` is `0`. With other digits before it, or with an exponent, it is a code: `01` and `1e3`
/// are no numbers.
pub fn form(label: &str) -> Zeroizing<String> {
    let text = label.trim();
    // Room for all of it: what grows leaves copies behind.
    let mut form = Zeroizing::new(String::with_capacity(3 * text.len()));
    if !is_number(text) {
        form.extend(text.nfc());
        return form;
    }
    let short = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text };
    form.push_str(if short == "-0" { "0" } else { short });
    form
}

/// Whether this is a decimal number as people write it.
pub fn is_number(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let size = text.strip_prefix('-').unwrap_or(text);
    let (whole, behind) = size.split_once('.').map_or((size, None), |(whole, behind)| (whole, Some(behind)));
    digits(whole) && (whole == "0" || !whole.starts_with('0')) && behind.is_none_or(digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The Python package reads the same file.
    #[test]
    fn forms_are_those_of_the_list() {
        for line in include_str!("../tests/data/labels.txt").lines() {
            let (label, want) = line[1..line.len() - 1].split_once("\" is \"").expect("two texts in quotes");
            assert_eq!(*form(label), want, "{label:?}");
            assert_eq!(*form(want), want, "{label:?} twice");
        }
    }

    #[test]
    fn numbers_are_equal_as_numbers() {
        let mut texts = Vec::new();
        for whole in -12i64..=120 {
            for behind in ["", ".0", ".00", ".05", ".5", ".50", ".500", ".250", ".25"] {
                texts.push(format!("{whole}{behind}"));
                texts.push(format!(" -{}{behind} ", whole.abs()));
            }
        }
        for a in &texts {
            for b in &texts {
                let equal = a.trim().parse::<f64>() == b.trim().parse::<f64>();
                assert_eq!(form(a) == form(b), equal, "{a:?} {b:?}");
            }
        }
    }
}
