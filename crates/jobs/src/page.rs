//! What is said of a job: a few plain sentences, and text in lines of two columns; or the same as JSON.

use std::fmt::Write as _;

use hushtable_columns::terminal::{self, harmless, within_a_line};
use serde_json::{Map, Value, json};

/// Sentences first, then parts of labels and words.
pub struct Page {
    heading: String,
    plain: Vec<String>,
    parts: Vec<Part>,
    /// Numbers, for programs.
    facts: Map<String, Value>,
    /// Of steps that have pages of their own.
    steps: Vec<(String, Page)>,
    /// What stands at the end as it is.
    attached: String,
}

/// What stands below a title.
struct Part {
    title: String,
    lines: Vec<Line>,
}

struct Line {
    label: String,
    words: String,
    /// Whether only who wants all of it is told.
    detail: bool,
}

impl Page {
    const LABEL: usize = 20;
    const WIDTH: usize = 110;

    pub fn new(heading: &str) -> Self {
        let (plain, parts, facts, steps, attached) = Default::default();
        Self { heading: heading.to_owned(), plain, parts, facts, steps, attached }
    }

    /// What a lawyer understands: who computes what with whom, who learns what, and what nobody learns or what shows besides.
    pub fn plain(&mut self, sentences: [String; 3]) {
        let capital = |text: String| {
            let mut letters = text.chars();
            letters.next().map_or(String::new(), |first| first.to_uppercase().chain(letters).collect())
        };
        self.plain = sentences.map(capital).to_vec();
    }

    pub fn title(&mut self, title: &str) {
        self.parts.push(Part { title: title.to_owned(), lines: Vec::new() });
    }

    /// A label and words beside it; without a label they go on with what stands above.
    pub fn line(&mut self, label: &str, words: &str) {
        self.add(label, words, false);
    }

    /// The same, of what few want to read.
    pub fn detail(&mut self, label: &str, words: &str) {
        self.add(label, words, true);
    }

    /// A number, or several, for programs.
    pub fn fact(&mut self, name: &str, value: impl Into<Value>) {
        self.facts.insert(name.to_owned(), value.into());
    }

    /// A step and its own page.
    pub fn step(&mut self, name: &str, page: Page) {
        self.steps.push((name.to_owned(), page));
    }

    /// Text of several lines that stands at the end.
    pub fn attach(&mut self, text: String) {
        self.attached = text;
    }

    fn add(&mut self, label: &str, words: &str, detail: bool) {
        if self.parts.is_empty() {
            self.title("");
        }
        let lines = &mut self.parts.last_mut().expect("one was pushed").lines;
        lines.push(Line { label: label.to_owned(), words: words.to_owned(), detail });
    }

    /// For people; details only where `whole` is asked for.
    pub fn text(&self, whole: bool) -> String {
        let mut out = String::new();
        let mut line = |text: &str| writeln!(out, "{}", text.trim_end()).expect("text grows");
        if !self.heading.is_empty() {
            line(&self.heading);
        }
        for sentence in &self.plain {
            lines("", 0, sentence).iter().for_each(|text| line(text));
        }
        for part in &self.parts {
            let shown: Vec<_> = part.lines.iter().filter(|line| whole || !line.detail).collect();
            if !part.title.is_empty() && (!shown.is_empty() || part.lines.is_empty()) {
                line(&within_a_line(&part.title));
            }
            for Line { label, words, .. } in shown {
                lines(&format!("  {}", within_a_line(label)), Self::LABEL, words)
                    .iter()
                    .for_each(|text| line(text));
            }
        }
        for (name, page) in &self.steps {
            out += &format!("\nstep {}: {}", within_a_line(name), page.text(whole));
        }
        out + &harmless(&self.attached)
    }

    /// All of it as one line of JSON: sentences, each part with its labels, of which each has one or more texts, and numbers.
    pub fn json(&self) -> String {
        terminal::json_line(&self.value())
    }

    fn value(&self) -> Value {
        let mut parts = Map::new();
        for part in &self.parts {
            let mut labels = Map::<String, Value>::new();
            let mut last = String::new();
            for Line { label, words, .. } in &part.lines {
                if !label.is_empty() {
                    last.clone_from(label);
                }
                let texts = labels.entry(last.clone()).or_insert_with(|| json!([]));
                texts.as_array_mut().expect("an array was put there").push(json!(words));
            }
            parts.insert(part.title.clone(), labels.into());
        }
        let mut all = json!({ "plain": self.plain, "parts": parts, "facts": self.facts });
        if !self.steps.is_empty() {
            all["steps"] = self.steps.iter().map(|(name, page)| (name.clone(), page.value())).collect();
        }
        if !self.attached.is_empty() {
            all["job_file"] = self.attached.as_str().into();
        }
        all
    }
}

/// A label and words beside it, in lines that are not too long where words allow it.
fn lines(label: &str, margin: usize, words: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut line = format!("{label:<margin$}");
    for word in words.split_whitespace().map(within_a_line) {
        if line.len() + 1 + word.len() > Page::WIDTH && line.len() > margin {
            all.push(line);
            line = " ".repeat(margin);
        }
        if !line.is_empty() && !line.ends_with(' ') {
            line.push(' ');
        }
        line += &word;
    }
    all.push(line);
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_not_too_long() {
        let mut page = Page::new("");
        page.line("a label", &"word ".repeat(60));
        page.line("", &"x".repeat(200));
        let text = page.text(false);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines[0].starts_with("  a label           word word"), "{lines:?}");
        assert!(lines[1].starts_with(&(" ".repeat(20) + "word")), "{lines:?}");
        assert!(
            lines[..lines.len() - 1].iter().all(|line| (80..=110).contains(&line.len()) || line.len() < 110)
        );
        assert_eq!(lines.iter().map(|line| line.matches("word").count()).sum::<usize>(), 60);
        assert_eq!(lines[lines.len() - 1].trim().len(), 200, "a long word stays whole");
    }

    fn page() -> Page {
        let mut page = Page::new("a job");
        page.plain(["bank and telecom add up.", "bank learns it.", "nobody learns more."].map(str::to_owned));
        page.title("Who");
        page.line("this party", "bank");
        page.line("", "of the north");
        page.detail("digest", "12ab");
        page.fact("seconds", 1.5);
        page
    }

    #[test]
    fn sentences_come_first_and_details_only_if_asked_for() {
        let (short, whole) = (page().text(false), page().text(true));
        assert!(
            short.starts_with("a job\nBank and telecom add up.\nBank learns it.\nNobody learns more.\nWho\n")
        );
        assert!(!short.contains("12ab") && whole.contains("12ab"), "{whole}");
        assert_eq!(short.lines().count() + 1, whole.lines().count());
    }

    #[test]
    fn json_has_the_same() {
        let read: Value = serde_json::from_str(&page().json()).expect("JSON");
        assert_eq!(read["plain"][1], "Bank learns it.");
        assert_eq!(read["parts"]["Who"]["this party"], json!(["bank", "of the north"]));
        assert_eq!(read["parts"]["Who"]["digest"], json!(["12ab"]));
        assert_eq!(read["facts"]["seconds"], 1.5);
    }

    /// Whatever a peer is called, it moves no cursor, ends no line and turns no text around.
    #[test]
    fn hostile_names_are_escaped() {
        for evil in ["\u{1b}[2J", "a\u{202e}b", "x\u{7}", "\u{200b}", "y\u{9b}1m"] {
            let mut page = Page::new("a job");
            page.plain([format!("{evil} computes."), format!("It learns {evil}."), evil.to_owned()]);
            page.title(&format!("The table {evil}"));
            page.line(evil, evil);
            for out in [page.text(true), page.json()] {
                assert!(!out.contains(evil), "{out:?}");
            }
        }
    }
}
