//! Text in lines of two columns.

use std::fmt::Write as _;

use hushtable_columns::terminal::within_a_line;

/// A label in the first, words in the second.
pub struct Page(pub String);

impl Page {
    const LABEL: usize = 20;
    const WIDTH: usize = 110;

    pub fn title(&mut self, title: &str) {
        writeln!(self.0, "{title}").expect("text grows");
    }

    /// A label and words beside it, in lines that are not too long where words allow it.
    pub fn line(&mut self, label: &str, words: &str) {
        let mut line = format!("  {label:<width$}", width = Self::LABEL - 2);
        for word in words.split_whitespace().map(within_a_line) {
            if line.len() + 1 + word.len() > Self::WIDTH && line.len() > Self::LABEL {
                writeln!(self.0, "{}", line.trim_end()).expect("text grows");
                line = " ".repeat(Self::LABEL);
            }
            if !line.ends_with(' ') {
                line.push(' ');
            }
            line += &word;
        }
        writeln!(self.0, "{}", line.trim_end()).expect("text grows");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_not_too_long() {
        let mut page = Page(String::new());
        page.line("a label", &"word ".repeat(60));
        page.line("", &"x".repeat(200));
        let lines: Vec<&str> = page.0.lines().collect();
        assert!(lines[0].starts_with("  a label           word word"), "{lines:?}");
        assert!(lines[1].starts_with(&(" ".repeat(20) + "word")), "{lines:?}");
        assert!(
            lines[..lines.len() - 1].iter().all(|line| (80..=110).contains(&line.len()) || line.len() < 110)
        );
        assert_eq!(lines.iter().map(|line| line.matches("word").count()).sum::<usize>(), 60);
        assert_eq!(lines[lines.len() - 1].trim().len(), 200, "a long word stays whole");
    }
}
