//! Ids in many notations: what is advised brings together those that are the same, and reads all of a party's.

use std::collections::HashSet;

use super::{
    Looks, Rules, Shape,
    cure::{Patterns, Reads},
};

/// Random numbers.
struct Random(u64);

impl Random {
    fn below(&mut self, n: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % n
    }

    fn digits(&mut self, count: u32) -> u64 {
        self.below(10u64.pow(count))
    }
}

fn looks(rules: &str, ids: &[impl AsRef<str>]) -> Looks {
    let mut looks = Looks::new(rules.parse().unwrap());
    ids.iter().for_each(|id| looks.see(id.as_ref()));
    looks
}

/// Ids as the rules write them; `None` if they do not read all.
fn forms(rules: &str, ids: &[impl AsRef<str>]) -> Option<Vec<String>> {
    let rules: Rules = rules.parse().unwrap();
    ids.iter().map(|id| rules.form(id.as_ref()).ok().map(|form| form.to_string())).collect()
}

fn compared(own: &[String], peer: &[String]) -> Option<Patterns> {
    let shape = |ids: &[String]| Shape::of(ids.iter().map(String::as_str)).to_string();
    let (a, b) = (shape(own), shape(peer));
    let known = a != "several" && b != "several";
    known.then(|| Patterns::compare(&a, Reads::of(own.iter().map(String::as_str)), &b))
}

/// The rules that are named.
fn named(rules: &str, ids: &[&str]) -> Vec<String> {
    let rules = looks(rules, &forms(rules, ids).unwrap())
        .remarks()
        .into_iter()
        .map(|remark| remark.rules.join(" or "));
    rules.map(|rules| if rules.is_empty() { "no rule".into() } else { rules }).collect()
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
        ("trim", &["a\u{a0}b", "c\u{a0}d"], &["alnum"]),
        ("trim", &["\u{feff}ab", "\u{feff}cd"], &["alnum"]),
        ("trim", &["a\tb", "c\td"], &["alnum"]),
        ("none,trim", &["a b", "c d"], &[]),
        ("trim", &["010 1234567", "010 1234568"], &["e164:+CODE"]),
        ("trim", &["0101234567", "00431234567"], &["e164:+CODE"]),
        ("trim", &["0101234567", "0101234568"], &[]),
        ("trim", &["010 1234567", "010 1234568", "01"], &["alnum"]),
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
        // Too many digits, and social security numbers.
        ("trim", &["+43 1 2345678901234", "+431 2345678901234"], &["alnum"]),
        ("trim", &["078-05-1120", "123-45-6789"], &[]),
        ("trim", &["078-05-1120", "123456789"], &["alnum"]),
        ("trim", &["+43 1 234567", "01 234567", "none"], &["no rule"]),
        ("trim", &["3.4.1970", "13.4.1970"], &["date:dmy"]),
        ("trim", &["3.4.1970", "4.4.1970"], &["date:dmy"]),
        ("trim", &["12.31.2024", "4.4.1970"], &["date:mdy"]),
        ("trim", &["12/31/2024", "1/2/2024"], &["date:mdy"]),
        ("trim", &["31/12/2024", "2024-01-02"], &["date:dmy"]),
        ("trim", &["1/2/2024", "3/4/2024"], &["date:dmy or date:mdy"]),
        ("trim", &["31/12/2024", "12/31/2024"], &["no rule"]),
        ("trim", &["31.12.2024", "1.2.2024", "?"], &["no rule"]),
        ("trim", &["2024/12/31", "2024-12-31"], &["date"]),
        ("trim", &["2024-12-31T00:00:00", "2024-12-30T00:00:00"], &["date"]),
        ("trim", &["2024-12-31T10:00:00Z", "2024-12-30T12:00:00Z"], &[]),
        ("trim", &["1970-04-03", "1970-04-13"], &[]),
        ("trim", &["1970-10- 3", "1970-10-13"], &["date"]),
        ("date:dmy", &["3.4.1970", "1970-04-13"], &[]),
        // A spreadsheet's numbers, which alnum would make others.
        ("trim", &["4.91512E+11", "491512345678"], &["no rule"]),
        ("trim", &["5E+11", "6e+11"], &["lower", "no rule"]),
        ("trim", &["12345.0", "12346.0"], &["no rule"]),
        ("trim", &["12345,00", "12346"], &["no rule"]),
        ("trim", &["1.0", "1.1"], &[]),
        ("trim", &[], &[]),
    ] {
        assert_eq!(named(rules, ids), wanted, "{rules}: {ids:?}");
    }
}

#[test]
fn a_remark_counts_and_points_at_a_row() {
    let advice = |rules: &str, ids: &[&str]| {
        let looks = looks(rules, ids);
        (looks.advice(|rules| format!("<{rules}>")), looks.remarks())
    };
    let (settled, remarks) = advice("trim", &["C1", "C2", "c-3", "C4"]);
    assert_eq!(settled.as_deref(), Some("<trim,nfc,lower,alnum> at both parties settles it"));
    let what = |i: usize| (remarks[i].what.clone(), remarks[i].row);
    assert_eq!(what(0), ("capital letters in 3 of 4 ids, small ones in 1 of 4 ids".into(), 2));
    assert_eq!(what(1), ("blanks or signs between letters and digits in 1 of 4 ids".into(), 2));
    assert_eq!(advice("trim", &[]), (None, vec![]));
    for rules in ["zeros", "lower,zeros"] {
        let (settled, _) = advice(rules, &["+43 1 234567", "43 1 234567"]);
        let settled = settled.unwrap();
        assert!(settled.starts_with("<trim,nfc,e164:+CODE> settles it, at each party"), "{settled}");
        assert!(settled.ends_with("; a code must have + or 00 before it"), "{settled}");
    }
    for (ids, words, row) in [
        (
            &["+43 1 234567", "01 234567"][..],
            Some("<trim,nfc,e164:+CODE> settles it, at each party with the code of those that have none"),
            0,
        ),
        (&["1/2/2024", "12/31/2024"], Some("<trim,nfc,date:mdy> settles it, with the order"), 0),
        (
            &["1/2/2024"],
            Some("<trim,nfc,date:dmy> or <trim,nfc,date:mdy> (as they are written here) settles"),
            0,
        ),
        (&["13/2/2024", "12/31/2024", "1/1/2024"], None, 1),
        (&["1.2.2024", "2.2.2024", "?", "3.2.2024"], None, 2),
        (&["+43 1 234567", "+43 2 345678", "?"], None, 2),
        (&["12", "4.9E+11"], None, 1),
        (&["12", "12.0"], None, 1),
    ] {
        let (settled, remarks) = advice("lower,zeros", ids);
        assert_eq!((remarks.len(), remarks[0].row), (1, row), "{remarks:?}");
        match words {
            Some(words) => {
                assert!(settled.as_ref().is_some_and(|text| text.starts_with(words)), "{settled:?}");
                assert!(!settled.unwrap().contains("must have"));
            }
            None => assert_eq!(settled, None),
        }
    }
}

/// What is said of rules that are the same at both parties.
const BOTH: &str = " at both parties settles it";

/// Whatever is remarked about ids, the rules that are advised leave nothing to remark.
#[test]
fn advice_settles_what_it_is_about() {
    let seed = 0x1d5;
    let mut random = Random(seed);
    let mut below = |n: usize| random.below(n as u64) as usize;
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
            let looks = looks(&rules.to_string(), &forms(&rules.to_string(), &ids).unwrap());
            let asked = looks.advice(str::to_owned);
            let Some(advice) = asked.as_ref().and_then(|asked| asked.strip_suffix(BOTH)) else { break };
            let next: Rules = advice.parse().unwrap();
            assert_ne!(next, rules, "seed {seed}, round {round}: {ids:?}");
            rules = next;
        }
    }
}

/// A notation of days, and the rule that reads it.
type Days = (fn([u64; 3]) -> String, Option<&'static str>);

const MONTHS: [&str; 12] =
    ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

const DAYS: &[Days] = &[
    (|[y, m, d]| format!("{d:02}.{m:02}.{y}"), Some("date:dmy")),
    (|[y, m, d]| format!("{d}.{m}.{y}"), Some("date:dmy")),
    (|[y, m, d]| format!("{d:02}/{m:02}/{y}"), Some("date:dmy")),
    (|[y, m, d]| format!("{d}-{m}-{y}"), Some("date:dmy")),
    (|[y, m, d]| format!("{d:02}.{m:02}.{y} 00:00"), Some("date:dmy")),
    (|[y, m, d]| format!("{m:02}/{d:02}/{y}"), Some("date:mdy")),
    (|[y, m, d]| format!("{m}/{d}/{y}"), Some("date:mdy")),
    (|[y, m, d]| format!("{m:02}-{d:02}-{y}"), Some("date:mdy")),
    (|[y, m, d]| format!("{m}/{d}/{y} 12:00:00 AM"), Some("date:mdy")),
    (|[y, m, d]| format!("{y}-{m:02}-{d:02}"), Some("date")),
    (|[y, m, d]| format!("{y}/{m}/{d}"), Some("date")),
    (|[y, m, d]| format!("{y}{m:02}{d:02}"), Some("date")),
    (|[y, m, d]| format!("{y}-{m:02}-{d:02}T00:00:00Z"), Some("date")),
    (|[y, m, d]| format!("{y}-{m:02}-{d:02} 00:00:00+00"), Some("date")),
    (|[y, m, d]| format!("{d:02}.{m:02}.{:02}", y % 100), None),
    (|[y, m, d]| format!("{m}/{d}/{:02}", y % 100), None),
    (|[y, m, d]| format!("{d:02}-{}-{y}", MONTHS[m as usize - 1]), None),
    (|[y, m, d]| format!("{y}-{m:02}-{d:02} 1{}:20:30", d % 10), None),
];

/// Days in two notations: what each party is told names its own order, never one that its days rule out, and both read
/// alike by it.
#[test]
fn days_are_settled_by_the_order_of_each_party() {
    let mut random = Random(21);
    for round in 0..60 {
        // Also such as do not tell days from months.
        let most = if round % 3 == 0 { 12 } else { 28 };
        let days: Vec<[u64; 3]> = (0..20)
            .map(|_| [1950 + random.below(80), 1 + random.below(12), 1 + random.below(most)])
            .collect();
        let written: Vec<Vec<String>> =
            DAYS.iter().map(|(write, _)| days.iter().map(|day| write(*day)).collect()).collect();
        for (ids, (_, rule)) in written.iter().zip(DAYS) {
            let remarks = looks("trim", ids).remarks();
            let named = remarks.iter().flat_map(|remark| remark.rules).collect::<Vec<_>>();
            named.iter().for_each(|rule| assert!(forms(rule, ids).is_some(), "{rule}: {ids:?}"));
            // Days without signs, and those that are in their one form, need no word.
            let quiet = ["-", "/", "."].iter().all(|sign| !ids[0].contains(sign))
                || forms("date", ids).as_ref() == Some(ids);
            match rule {
                Some(rule) if !quiet => assert!(named.contains(&rule), "{rule}: {ids:?} {remarks:?}"),
                _ => assert!(
                    named.is_empty() || rule.is_none() && !named.contains(&&"date"),
                    "{ids:?} {remarks:?}"
                ),
            }
        }
        for (own, (_, rule)) in written.iter().zip(DAYS) {
            for (peer, (_, other)) in written.iter().zip(DAYS) {
                let cure = match compared(own, peer) {
                    None | Some(Patterns::Equal) => continue,
                    Some(Patterns::Lengths(cure) | Patterns::Differ(cure)) => cure,
                };
                let named = cure.days.map_or(&[][..], |orders| orders.rules());
                named.iter().for_each(|rule| assert!(forms(rule, own).is_some(), "{rule}: {own:?}"));
                let context = format!("{:?} {:?}: {cure:?}", own[0], peer[0]);
                if let (Some(rule), Some(other)) = (rule, other) {
                    assert!(named.contains(rule) && !cure.phone, "{context}");
                    assert_eq!(forms(rule, own), forms(other, peer), "{context}");
                } else if let (Some(rule), []) = (cure.rule, named) {
                    panic!("{rule}: {context}");
                }
            }
        }
    }
}

/// Random ids of a kind, each in all of its notations, and the rules that bring these together.
type Kind = (fn(&mut Random) -> Vec<String>, &'static str);

const KINDS: &[Kind] = &[
    (phones, "e164:+43"),
    (social, "alnum"),
    (isbn13, "alnum"),
    (isbn10, "alnum"),
    (article, "lower,alnum"),
    (iban, "lower,alnum"),
    (parts, "alnum"),
];

fn phones(random: &mut Random) -> Vec<String> {
    let (area, length) = (1 + random.below(699), 4 + random.below(4) as u32);
    let number = 10_000 + random.digits(length);
    vec![
        format!("+43 {area} {number}"),
        format!("+43{area}{number}"),
        format!("+43 (0) {area} {number}"),
        format!("0043 {area} {number}"),
        format!("0043/{area}-{number}"),
        format!("0{area}/{number}"),
        format!("(0{area}) {number}"),
    ]
}

fn social(random: &mut Random) -> Vec<String> {
    let [area, group, serial] = [random.below(900), 1 + random.below(99), random.digits(4)];
    ["-", " ", "", "/"].iter().map(|sign| format!("{area:03}{sign}{group:02}{sign}{serial:04}")).collect()
}

fn isbn13(random: &mut Random) -> Vec<String> {
    let all = format!("978{:010}", random.digits(10));
    let publisher = 2 + random.below(4) as usize;
    let parts = [&all[..3], &all[3..4], &all[4..4 + publisher], &all[4 + publisher..12], &all[12..]];
    ["-", " ", ""].iter().map(|sign| parts.join(sign)).collect()
}

fn isbn10(random: &mut Random) -> Vec<String> {
    let (group, publisher, title) = (3 * random.below(2), random.digits(3), random.digits(5));
    let check = char::from(b"0123456789X"[random.below(11) as usize]);
    let write = |sign: &&str| format!("{group}{sign}{publisher:03}{sign}{title:05}{sign}{check}");
    ["-", " ", ""].iter().map(write).collect()
}

fn article(random: &mut Random) -> Vec<String> {
    let letter = char::from(b'A' + random.below(26) as u8);
    let (group, length) = (10 + random.below(90), 3 + random.below(2) as u32);
    let number = 100 + random.digits(length);
    let written = [
        format!("{letter}-{group}-{number}"),
        format!("{letter}{group}{number}"),
        format!("{letter} {group}/{number}"),
    ];
    written.iter().flat_map(|text| [text.clone(), text.to_lowercase()]).collect()
}

fn iban(random: &mut Random) -> Vec<String> {
    let land = ["AT", "DE", "NO"][random.below(3) as usize];
    let parts = [
        format!("{land}{:02}", random.digits(2)),
        format!("{:04}", random.digits(4)),
        format!("{:08}", random.digits(8)),
    ];
    vec![parts.join(" "), parts.concat(), parts.concat().to_lowercase(), parts.join("-")]
}

/// Numbers that look like days and are none.
fn parts(random: &mut Random) -> Vec<String> {
    let [a, b, c] = [random.digits(2), 13 + random.below(80), random.digits(4)];
    ["-", ".", "/", ""].iter().map(|sign| format!("{a:02}{sign}{b:02}{sign}{c:04}")).collect()
}

/// Telephone numbers, and numbers that are neither these nor days: what is told makes them alike, and so does what is
/// remarked of both notations in one file.
#[test]
fn numbers_are_settled_by_their_rule() {
    let mut random = Random(22);
    for (kind, all_rules) in KINDS {
        let phone = all_rules.starts_with("e164");
        for _ in 0..40 {
            let values: Vec<Vec<String>> = (0..20).map(|_| kind(&mut random)).collect();
            let written = |i: usize| values.iter().map(|value| value[i].clone()).collect::<Vec<_>>();
            let wanted = forms(all_rules, &written(0)).unwrap();
            let once = wanted.iter().collect::<HashSet<_>>().len();
            for (i, j) in (0..values[0].len()).flat_map(|i| (0..values[0].len()).map(move |j| (i, j))) {
                let (own, peer) = (written(i), written(j));
                let context = format!("{:?} {:?}", own[0], peer[0]);
                match compared(&own, &peer) {
                    None | Some(Patterns::Equal) => {}
                    Some(Patterns::Lengths(cure) | Patterns::Differ(cure)) => {
                        assert!(cure.days.is_none() && (phone || !cure.phone), "{context}: {cure:?}");
                        if !cure.phone {
                            let rule = cure.rule.unwrap_or_else(|| panic!("no rule: {context}"));
                            assert_eq!(forms(rule, &own), forms(rule, &peer), "{context}: {rule}");
                        }
                    }
                }
                let both = [own, peer].concat();
                let remarks = looks("trim", &both).remarks();
                let rules = remarks.iter().flat_map(|remark| remark.rules);
                let rules =
                    rules.fold("trim".to_owned(), |all, rule| format!("{all},{rule}")).replace("CODE", "43");
                let found = forms(&rules, &both).unwrap_or_else(|| panic!("{rules}: {both:?}"));
                assert_eq!(found.iter().collect::<HashSet<_>>().len(), once, "{rules}: {context}");
            }
        }
    }
}
