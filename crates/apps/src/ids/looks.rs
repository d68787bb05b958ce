//! How a party's own ids look: what another party might write otherwise, and the rule that settles it.
//!
//! Nothing of this is sent. A join by ids in two forms finds too few partners and says nothing, so whoever reads a file
//! says this beforehand.

use unicode_normalization::is_nfc;
use zeroize::Zeroizing;

use super::rules::{PHONE_SEPARATORS, Rules, looks_like_a_date};

/// A survey of fields of ids, in the form that the rules give them.
pub struct Looks {
    rules: Rules,
    rows: usize,
    capital: Seen,
    small: Seen,
    /// With something that is neither letter nor digit.
    marked: Seen,
    /// Blanks around, and letters apart from their accents.
    around: Seen,
    apart: Seen,
    leading_zero: Seen,
    mail: Seen,
    whole: Seen,
    phone: Seen,
    plus: Seen,
    date: Seen,
    /// Dates and telephone numbers in their one form.
    settled: usize,
    lengths: Option<[usize; 2]>,
    /// What is neither letter nor digit in the first field, and whether others differ.
    marks: Option<Zeroizing<String>>,
    marks_differ: Option<usize>,
}

/// How many fields have something, and the first that does.
#[derive(Default)]
struct Seen {
    rows: usize,
    first: usize,
}

/// Something in which ids differ that a rule settles.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What it is, as the beginning of a sentence.
    pub what: String,
    /// A row that shows it, from 0.
    pub row: usize,
    /// The rule, as [`Rules`] are written.
    pub rule: &'static str,
}

impl Seen {
    fn note(&mut self, row: usize, seen: bool) {
        if seen && self.rows == 0 {
            self.first = row;
        }
        self.rows += usize::from(seen);
    }
}

impl Looks {
    /// Of no field yet.
    pub fn new(rules: Rules) -> Self {
        let none = Seen::default;
        Self {
            rules,
            rows: 0,
            capital: none(),
            small: none(),
            marked: none(),
            around: none(),
            apart: none(),
            leading_zero: none(),
            mail: none(),
            whole: none(),
            phone: none(),
            plus: none(),
            date: none(),
            settled: 0,
            lengths: None,
            marks: None,
            marks_differ: None,
        }
    }

    /// Looks at the next field, in its form.
    pub fn see(&mut self, form: &str) {
        let row = self.rows;
        self.rows += 1;
        let mark = |c: char| !c.is_alphanumeric() && !unicode_normalization::char::is_combining_mark(c);
        let digits = form.bytes().filter(u8::is_ascii_digit).count();
        self.capital.note(row, form.chars().any(char::is_uppercase));
        self.small.note(row, form.chars().any(char::is_lowercase));
        self.around.note(row, form.trim().len() < form.len());
        self.apart.note(row, !is_nfc(form));
        self.leading_zero.note(row, form.len() > 1 && form.starts_with('0'));
        self.mail.note(row, form.contains('@'));
        self.whole.note(row, digits == form.len());
        let sign = |c: char| c.is_ascii_digit() || c == '+' || PHONE_SEPARATORS.contains(c);
        let plus = form.starts_with('+');
        self.phone.note(row, (7..=17).contains(&digits) && form.chars().all(sign));
        self.plus.note(row, plus);
        let date = looks_like_a_date(form);
        self.date.note(row, date);
        let iso = form.len() == 10 && form.as_bytes()[4] == b'-' && form.as_bytes()[7] == b'-';
        self.settled += usize::from((plus && digits + 1 == form.len()) || (date && iso));
        let length = form.chars().count();
        let [least, most] = self.lengths.unwrap_or([length; 2]);
        self.lengths = Some([least.min(length), most.max(length)]);
        self.marked.note(row, form.chars().any(mark));
        match &self.marks {
            None => {
                let mut marks = Zeroizing::new(String::with_capacity(form.len()));
                marks.extend(form.chars().filter(|c| mark(*c)));
                self.marks = Some(marks);
            }
            Some(marks)
                if self.marks_differ.is_none() && !marks.chars().eq(form.chars().filter(|c| mark(*c))) =>
            {
                self.marks_differ = Some(row);
            }
            Some(_) => {}
        }
    }

    /// What another party might write otherwise.
    pub fn remarks(&self) -> Vec<Remark> {
        let (rules, rows) = (self.rules, self.rows);
        let mut all = Vec::new();
        let mut remark = |what: String, row: usize, rule| all.push(Remark { what, row, rule });
        if rows == 0 || rules.phone.is_some() || rules.date.is_some() {
            return all;
        }
        if self.date.rows == rows {
            if self.settled < rows {
                let what = "these are dates, which others write in another order or with other signs";
                remark(what.into(), self.date.first, "date:dmy");
            }
            return all;
        }
        let zero_or_plus = self.leading_zero.rows + self.plus.rows == rows && self.marked.rows > 0;
        if self.phone.rows == rows && (self.plus.rows > 0 || zero_or_plus) {
            if self.settled < rows {
                let what = "these look like telephone numbers, in more than one notation";
                remark(what.into(), self.phone.first, "e164:+CODE");
            }
            return all;
        }
        if !rules.trim && self.around.rows > 0 {
            remark(format!("blanks around {}", self.around.of(rows)), self.around.first, "trim");
        }
        if !rules.nfc && self.apart.rows > 0 {
            let what = format!("accents apart from their letters in {}", self.apart.of(rows));
            remark(what, self.apart.first, "nfc");
        }
        if self.capital.rows > 0 && self.small.rows > 0 {
            let fewer = if self.small.rows <= self.capital.rows { &self.small } else { &self.capital };
            let what = format!(
                "capital letters in {}, small ones in {}",
                self.capital.of(rows),
                self.small.of(rows)
            );
            remark(what, fewer.first, "lower");
        }
        if let Some(row) = self.marks_differ.filter(|_| 2 * self.mail.rows < rows) {
            match self.marked.rows < rows {
                true => {
                    let what =
                        format!("blanks or signs between letters and digits in {}", self.marked.of(rows));
                    remark(what, self.marked.first, "alnum");
                }
                false => remark("not the same blanks and signs in all ids".into(), row, "alnum"),
            }
        }
        if let (true, false, Some([least, most])) =
            (self.whole.rows == rows, rules.no_leading_zeros, self.lengths)
            && least < most
        {
            let zeros = match self.leading_zero.rows {
                0 => "none with a leading zero, which a spreadsheet takes away".to_owned(),
                _ => format!("{} with a leading zero", self.leading_zero.of(rows)),
            };
            remark(format!("numbers of {least} to {most} digits, {zeros}"), self.leading_zero.first, "zeros");
        }
        all
    }

    /// The rules with those that settle what was remarked, as [`Rules`] are written. Telephone numbers and dates are read
    /// with their signs and zeros.
    pub fn advice(&self) -> Option<String> {
        let (remarks, mut rules) = (self.remarks(), self.rules);
        let more = remarks.iter().map(|remark| format!(",{}", remark.rule)).collect::<String>();
        if more.contains(':') {
            rules = Rules { trim: rules.trim, nfc: rules.nfc, ..Rules::NONE };
        }
        (!more.is_empty()).then(|| format!("{rules}{more}"))
    }
}

impl Seen {
    fn of(&self, rows: usize) -> String {
        if self.rows == rows { "all ids".into() } else { format!("{} of {rows} ids", self.rows) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The rules that are named.
    fn named(rules: &str, ids: &[&str]) -> Vec<&'static str> {
        let rules: Rules = rules.parse().unwrap();
        let mut looks = Looks::new(rules);
        ids.iter().for_each(|id| looks.see(&rules.form(id).unwrap()));
        looks.remarks().iter().map(|remark| remark.rule).collect()
    }

    #[test]
    fn what_a_rule_settles_is_named() {
        for (rules, ids, wanted) in [
            ("trim", &["C1", "C2", " C3 "][..], &[][..]),
            ("trim", &["C1", "c2", "C3"], &["lower"]),
            ("lower", &["C1", "c2", "C3"], &[]),
            ("trim", &["Anna", "Ben"], &["lower"]),
            ("trim", &["A-1", "A-2"], &[]),
            ("trim", &["A-1", "A1"], &["alnum"]),
            ("trim", &["A-1", "A 1"], &["alnum"]),
            ("trim", &["a\u{200b}b", "ab"], &["alnum"]),
            ("alnum", &["A-1", "A 1", "A1"], &[]),
            ("trim", &["Anna Maria", "ben"], &["lower", "alnum"]),
            ("trim", &["a.b@x.org", "c@x.org"], &[]),
            ("trim", &["12345", "1234"], &["zeros"]),
            ("trim", &["01234", "1234"], &["zeros"]),
            ("trim", &["01234", "12345"], &[]),
            ("zeros", &["01234", "1234"], &[]),
            ("digits", &["1-2", "12 3"], &["zeros"]),
            ("trim", &["k1", "k23"], &[]),
            ("none", &["x", " y"], &["trim", "alnum"]),
            ("none,trim", &["a\u{308}", "b"], &["nfc"]),
            ("trim", &["a\u{308}", "\u{e4}"], &[]),
            ("none,trim", &["\u{e4}", "b"], &[]),
            ("trim", &["+43 1 234567", "01 234567", "0043/1/234567"], &["e164:+CODE"]),
            ("trim", &["01 234567", "02/234567"], &["e164:+CODE"]),
            ("trim", &["+431234567", "+431234568"], &[]),
            ("e164:+43", &["+43 1 234567", "01 234567"], &[]),
            ("trim", &["3.4.1970", "13.4.1970"], &["date:dmy"]),
            ("trim", &["1970-04-03", "1970-04-13"], &[]),
            ("date:dmy", &["3.4.1970", "1970-04-13"], &[]),
            ("trim", &[], &[]),
        ] {
            assert_eq!(named(rules, ids), wanted, "{rules}: {ids:?}");
        }
    }

    #[test]
    fn a_remark_counts_and_points_at_a_row() {
        let mut looks = Looks::new(Rules::default());
        ["C1", "C2", "c-3", "C4"].iter().for_each(|id| looks.see(id));
        let what = |i: usize| (looks.remarks()[i].what.clone(), looks.remarks()[i].row);
        assert_eq!(what(0), ("capital letters in 3 of 4 ids, small ones in 1 of 4 ids".into(), 2));
        assert_eq!(what(1), ("blanks or signs between letters and digits in 1 of 4 ids".into(), 2));
        assert_eq!(looks.advice().as_deref(), Some("trim,nfc,lower,alnum"));
        assert_eq!(Looks::new(Rules::default()).advice(), None);
        for rules in ["zeros", "lower,zeros"] {
            let mut looks = Looks::new(rules.parse().unwrap());
            ["+43 1 234567", "43 1 234567"].iter().for_each(|id| looks.see(id));
            assert_eq!(looks.advice().as_deref(), Some("trim,nfc,e164:+CODE"));
        }
    }

    /// Whatever is remarked about ids, the rules that are advised leave nothing to remark.
    #[test]
    fn advice_settles_what_it_is_about() {
        let seed: u64 = 0x1d5;
        let mut state = seed;
        let mut below = |n: usize| {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 33) as usize % n
        };
        let letters: Vec<char> =
            "aBz019 -./+_\u{e4}\u{308}\u{130}\u{3a3}\u{200b}\u{a0}\u{5d0}@".chars().collect();
        for round in 0..5000 {
            let length = 1 + below(3);
            let ids: Vec<String> = (0..1 + below(4))
                .map(|_| (0..length + below(3)).map(|_| letters[below(letters.len())]).collect())
                .collect();
            let mut rules = Rules { trim: below(3) > 0, nfc: below(3) > 0, ..Rules::NONE };
            for step in 0.. {
                assert!(step < 4, "seed {seed}, round {round}: {ids:?} with {rules}");
                let mut looks = Looks::new(rules);
                ids.iter().for_each(|id| looks.see(&rules.form(id).unwrap()));
                let Some(advice) = looks.advice().filter(|advice| !advice.contains(':')) else { break };
                let next: Rules = advice.parse().unwrap();
                assert_ne!(next, rules, "seed {seed}, round {round}: {ids:?}");
                rules = next;
            }
        }
    }
}
