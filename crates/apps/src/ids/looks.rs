//! How a party's own ids look: what another party might write otherwise, and the rule that settles it.
//!
//! Nothing of this is sent. A join by ids in two forms finds too few partners and says nothing, so whoever reads a file
//! says this beforehand.

use unicode_normalization::is_nfc;
use zeroize::Zeroizing;

use super::{
    day::Orders,
    pattern::{exact, is_figure},
    phone,
    rules::Rules,
};

/// A survey of fields of ids, in the form that the rules give them.
pub struct Looks {
    rules: Rules,
    rows: usize,
    capital: Seen,
    small: Seen,
    /// With something that is neither letter nor digit.
    marked: Seen,
    /// With blanks of other kinds than usual, or signs that nobody sees.
    unseen: Seen,
    /// Blanks around, and letters apart from their accents.
    around: Seen,
    apart: Seen,
    leading_zero: Seen,
    mail: Seen,
    whole: Seen,
    phone: Seen,
    not_phone: Seen,
    plus: Seen,
    complete: Seen,
    date: Seen,
    not_date: Seen,
    /// The orders that all dates allow, and the first date that leaves none.
    orders: Orders,
    torn: Seen,
    /// Numbers with an exponent, with a fraction, and with one of zeros.
    exponent: Seen,
    fraction: Seen,
    no_fraction: Seen,
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

/// Something in which ids differ.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Remark {
    /// What it is, as the beginning of a sentence.
    pub what: String,
    /// A row that shows it, from 0.
    pub row: usize,
    /// The rule that settles it, as [`Rules`] are written; none if there is none, two if only the owner knows which.
    pub rules: &'static [&'static str],
}

/// The rule of telephone numbers; which code is for the owner to say.
const PHONES: &[&str] = &["e164:+CODE"];

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
            unseen: none(),
            around: none(),
            apart: none(),
            leading_zero: none(),
            mail: none(),
            whole: none(),
            phone: none(),
            not_phone: none(),
            plus: none(),
            complete: none(),
            date: none(),
            not_date: none(),
            orders: Orders::ALL,
            torn: none(),
            exponent: none(),
            fraction: none(),
            no_fraction: none(),
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
        self.capital.note(row, form.chars().any(char::is_uppercase));
        self.small.note(row, form.chars().any(char::is_lowercase));
        self.around.note(row, form.trim().len() < form.len());
        self.apart.note(row, !form.is_ascii() && !is_nfc(form));
        self.leading_zero.note(row, form.len() > 1 && form.starts_with('0'));
        self.mail.note(row, form.contains('@'));
        self.whole.note(row, form.bytes().all(|c| c.is_ascii_digit()));
        self.marked.note(row, form.chars().any(mark));
        let unseen = |c: char| {
            let nothing = matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}' | '\u{feff}');
            nothing || c.is_control() || c != ' ' && c.is_whitespace()
        };
        self.unseen.note(row, form.trim().chars().any(unseen));
        let length = form.chars().count();
        let [least, most] = self.lengths.unwrap_or([length; 2]);
        self.lengths = Some([least.min(length), most.max(length)]);
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
        self.see_kind(row, form);
    }

    /// Whether it is a date, a telephone number, or a number of a spreadsheet.
    fn see_kind(&mut self, row: usize, form: &str) {
        let signs = form.contains(['-', '.', '/']);
        let orders = if signs { Orders::of(form) } else { Orders::NONE };
        let (date, phone, plus) = (orders.any(), phone::is_number(form), form.starts_with('+'));
        self.date.note(row, date);
        self.not_date.note(row, !date);
        if date {
            self.orders = self.orders.and(orders);
            self.torn.note(row, !self.orders.any());
        }
        self.phone.note(row, phone);
        self.not_phone.note(row, !phone);
        self.plus.note(row, plus);
        self.complete.note(row, phone::is_complete(form));
        let iso = date && exact(form) == "9999-99-99";
        let international = plus && form[1..].bytes().all(|c| c.is_ascii_digit());
        self.settled += usize::from(iso || international);
        if form.contains(['.', ',', '+']) && is_figure(&exact(form)) {
            let exponent = form.contains(['e', 'E']);
            self.exponent.note(row, exponent);
            let fraction = form.split_once(['.', ',']).filter(|_| !exponent);
            self.fraction.note(row, fraction.is_some());
            let zeros = fraction.is_some_and(|(_, fraction)| fraction.bytes().all(|c| c == b'0'));
            self.no_fraction.note(row, zeros);
        }
    }

    /// What another party might write otherwise.
    pub fn remarks(&self) -> Vec<Remark> {
        let read = self.rules.phone.is_some() || self.rules.date.is_some();
        match self.rows == 0 || read {
            true => Vec::new(),
            false => self.of_kind().unwrap_or_else(|| self.of_characters()),
        }
    }

    /// What to ask for, where rules settle what was remarked; `asks` says how one asks for rules. Telephone numbers and
    /// dates are read with their signs and zeros.
    pub fn advice(&self, asks: impl Fn(&str) -> String) -> Option<String> {
        let remarks = self.remarks();
        let named = remarks.first()?.rules;
        let alone = Rules { trim: self.rules.trim, nfc: self.rules.nfc, ..Rules::NONE };
        let asked =
            named.iter().map(|rule| asks(&format!("{alone},{rule}"))).collect::<Vec<_>>().join(" or ");
        if named == PHONES {
            let codes =
                if self.complete.rows < self.rows { "; a code must have + or 00 before it" } else { "" };
            return Some(format!(
                "{asked} settles it, at each party with the code of those that have none{codes}"
            ));
        }
        if named.iter().any(|rule| rule.starts_with("date")) {
            let here = if named.len() > 1 { " (as they are written here)" } else { "" };
            return Some(format!("{asked}{here} settles it, with the order of its own at the peer"));
        }
        let more = self.with_more(&remarks)?;
        Some(format!("{} at both parties settles it", asks(&more)))
    }

    /// The rules with those that settle what was remarked of characters.
    fn with_more(&self, remarks: &[Remark]) -> Option<String> {
        let more = remarks.iter().flat_map(|remark| remark.rules).map(|rule| format!(",{rule}"));
        let more = more.collect::<String>();
        (!more.is_empty()).then(|| format!("{}{more}", self.rules))
    }

    /// Of dates and telephone numbers; `None` of other ids.
    fn of_kind(&self) -> Option<Vec<Remark>> {
        let rows = self.rows;
        let one = |what: String, row: usize, rules| Some(vec![Remark { what, row, rules }]);
        let mixed = |of: &Seen, what: &str, not: &Seen| {
            let what = format!(
                "{what} in {} and something else in the others, so that no rule reads all",
                of.of(rows)
            );
            one(what, not.first, &[])
        };
        // Numbers of one length that all begin with zeros are filled up with these.
        let filled = self.marked.rows == 0 && self.lengths.is_some_and(|[least, most]| least == most);
        let complete = self.complete.rows == rows && !filled;
        let phones = self.plus.rows > 0 || complete && self.phone.rows == rows;
        if 2 * self.date.rows > rows {
            if self.not_date.rows > 0 {
                return mixed(&self.date, "dates", &self.not_date);
            }
            if self.torn.rows > 0 {
                let what =
                    "dates with the day first, and others with the month first, so that no rule reads all";
                return one(what.into(), self.torn.first, &[]);
            }
            let what = "these are dates, which others write in another order or with other signs";
            let rules = self.orders.rules();
            return if self.settled == rows {
                Some(Vec::new())
            } else {
                one(what.into(), self.date.first, rules)
            };
        }
        if phones && 2 * self.phone.rows > rows {
            if self.not_phone.rows > 0 {
                return mixed(&self.phone, "telephone numbers", &self.not_phone);
            }
            let what = "these look like telephone numbers, which others write in other notations";
            return if self.settled == rows {
                Some(Vec::new())
            } else {
                one(what.into(), self.phone.first, PHONES)
            };
        }
        None
    }

    /// Of other ids.
    fn of_characters(&self) -> Vec<Remark> {
        let (rules, rows) = (self.rules, self.rows);
        let mut all = Vec::new();
        let mut remark = |what: String, row: usize, rules| all.push(Remark { what, row, rules });
        if !rules.trim && self.around.rows > 0 {
            remark(format!("blanks around {}", self.around.of(rows)), self.around.first, &["trim"]);
        }
        if !rules.nfc && self.apart.rows > 0 {
            let what = format!("accents apart from their letters in {}", self.apart.of(rows));
            remark(what, self.apart.first, &["nfc"]);
        }
        if self.capital.rows > 0 && self.small.rows > 0 {
            let fewer = if self.small.rows <= self.capital.rows { &self.small } else { &self.capital };
            let (capital, small) = (self.capital.of(rows), self.small.of(rows));
            remark(format!("capital letters in {capital}, small ones in {small}"), fewer.first, &["lower"]);
        }
        if self.exponent.rows > 0 {
            let what = "numbers such as 4.9E+11, whose last digits a spreadsheet left out and no rule brings back, in";
            remark(format!("{what} {}", self.exponent.of(rows)), self.exponent.first, &[]);
        } else if self.no_fraction.rows > 0 && self.no_fraction.rows == self.fraction.rows {
            let what = "a fraction of zeros, such as a table of numbers writes and no rule takes away, in";
            remark(format!("{what} {}", self.no_fraction.of(rows)), self.no_fraction.first, &[]);
        } else if self.unseen.rows > 0 {
            let what = "blanks of other kinds than usual, or signs that nobody sees, in";
            remark(format!("{what} {}", self.unseen.of(rows)), self.unseen.first, &["alnum"]);
        } else if let Some(row) = self.marks_differ.filter(|_| 2 * self.mail.rows < rows) {
            match self.marked.rows < rows {
                true => {
                    let what =
                        format!("blanks or signs between letters and digits in {}", self.marked.of(rows));
                    remark(what, self.marked.first, &["alnum"]);
                }
                false => remark("not the same blanks and signs in all ids".into(), row, &["alnum"]),
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
            let what = format!("numbers of {least} to {most} digits, {zeros}");
            remark(what, self.leading_zero.first, &["zeros"]);
        }
        all
    }
}

impl Seen {
    fn note(&mut self, row: usize, seen: bool) {
        if seen && self.rows == 0 {
            self.first = row;
        }
        self.rows += usize::from(seen);
    }

    fn of(&self, rows: usize) -> String {
        if self.rows == rows { "all ids".into() } else { format!("{} of {rows} ids", self.rows) }
    }
}
