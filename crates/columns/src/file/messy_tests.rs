//! Tables as people have them, made at random: what was written is what is read.

use prim::{Block, Prg};

use super::*;
use crate::Encoding;

/// Letters and signs of ids, composed and taken apart.
const LETTERS: [&str; 14] =
    ["a", "Z", "7", "\u{fc}", "u\u{308}", "\u{df}", "-", ".", ";", ",", "|", "\"", "\u{20ac}", " "];

/// How a table is written.
struct Written {
    delimiter: u8,
    decimal: char,
    thousands: Option<&'static str>,
    sign: &'static str,
    missing: &'static str,
}

/// A number with two decimals, as this table has it.
fn number(cents: i64, written: &Written) -> String {
    let (whole, behind) = ((cents / 100).unsigned_abs().to_string(), (cents % 100).unsigned_abs());
    let mut out = if cents < 0 { "-".to_owned() } else { String::new() };
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && (whole.len() - i).is_multiple_of(3) && written.thousands.is_some() {
            out += written.sign;
        }
        out.push(digit);
    }
    format!("{out}{}{behind:02}", written.decimal)
}

/// So many rows of ids and cents; nothing where a cell is missing.
fn drawn(prg: &mut Prg, rows: usize) -> Vec<(String, Option<i64>)> {
    let one = |i: usize| {
        let letters = (0..prg.below(5)).map(|_| LETTERS[prg.below(LETTERS.len() as u32) as usize]);
        let id = format!("k{}{i}", letters.collect::<String>());
        let cents = prg.u64() as i64 % 10i64.pow(1 + prg.below(11));
        (id, (prg.below(9) > 0).then_some(cents))
    };
    (0..rows).map(one).collect()
}

#[test]
fn tables_are_read_as_they_were_written() {
    let mut prg = Prg::new(Block(73));
    let mut several = 0;
    for run in 0..400 {
        let draw = |prg: &mut Prg, below: usize| prg.below(below as u32) as usize;
        let decimal = ['.', ','][draw(&mut prg, 2)];
        let groups = [
            (None, ""),
            (Some("."), "."),
            (Some(","), ","),
            (Some("'"), "\u{2019}"),
            (Some("space"), "\u{202f}"),
            (Some("space"), "\u{a0}"),
        ];
        let (thousands, sign) = groups[draw(&mut prg, groups.len())];
        if sign.starts_with(decimal) {
            continue;
        }
        let written = Written {
            delimiter: [b',', b';', b'\t', b'|'][draw(&mut prg, 4)],
            decimal,
            thousands,
            sign,
            missing: ["", "NA", " n/a "][draw(&mut prg, 3)],
        };
        // A large one, too.
        let few = 1 + draw(&mut prg, 40);
        let rows = drawn(&mut prg, if run == 7 { 100_000 } else { few });
        let mut to = csv::WriterBuilder::new();
        let crlf = draw(&mut prg, 2) == 0;
        to.delimiter(written.delimiter);
        to.terminator(if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') });
        let mut to = to.from_writer(Vec::new());
        to.write_record(["Kunde", "note", "Betrag, netto"]).unwrap();
        for (id, cents) in &rows {
            let cell = cents.map_or(written.missing.to_owned(), |cents| number(cents, &written));
            to.write_record([id, "\"x\"\n,y", &cell]).unwrap();
        }
        let text = String::from_utf8(to.into_inner().unwrap()).unwrap();
        let (bytes, encoding) = match draw(&mut prg, 5) {
            0 => (format!("\u{feff}{text}").into_bytes(), Encoding::Auto),
            1 => (text.encode_utf16().flat_map(u16::to_le_bytes).collect(), Encoding::Auto),
            2 => (
                [0xfe, 0xff].into_iter().chain(text.encode_utf16().flat_map(u16::to_be_bytes)).collect(),
                Encoding::Auto,
            ),
            _ => (text.into_bytes(), Encoding::Auto),
        };
        let dialect = Dialect {
            decimal: Some(written.decimal),
            thousands: written.thousands.map(|sign| sign.parse().unwrap()),
            na: vec!["NA".into(), "n/a".into()],
            na_as: vec!["x=1,\"Betrag, netto\"=-0.25".parse().unwrap()],
            encoding,
            ..Dialect::default()
        };
        let path = Path::new("in.csv");
        // Another sign may fit as well, which is said.
        let told = Dialect { delimiter: Some(written.delimiter), ..dialect.clone() };
        let (file, dialect) = match ColumnFile::of(path, bytes.clone().into(), &dialect) {
            Ok(file) => (file, dialect),
            Err(error) => {
                assert!(error.to_string().contains("--delimiter says which"), "run {run}: {error}");
                several += 1;
                (ColumnFile::of(path, bytes.clone().into(), &told).unwrap(), told)
            }
        };
        let read =
            file.read(&["Betrag, netto"], Some("Kunde"), Ok).unwrap_or_else(|e| panic!("run {run}: {e}"));
        let want = rows.iter().map(|(_, cents)| cents.map_or(-0.25, |cents| cents as f64 / 100.0));
        let got = read.values[0].iter().copied();
        assert!(got.eq(want), "run {run}");
        assert!(read.ids.as_ref().unwrap().iter().eq(rows.iter().map(|(id, _)| id.trim())), "run {run}");
        assert_eq!((file.style().delimiter, file.style().decimal), (char::from(written.delimiter), decimal));
        // Without what stands for them missing cells are as many bad rows.
        let bare = Dialect { na_as: vec![], ..dialect };
        let missing = rows.iter().filter(|(_, cents)| cents.is_none()).count();
        let read =
            ColumnFile::of(path, bytes.into(), &bare).unwrap().read(&["Betrag, netto"], Some("Kunde"), Ok);
        match missing {
            0 => assert!(read.is_ok(), "run {run}"),
            1 => assert!(read.unwrap_err().to_string().contains("is missing"), "run {run}"),
            n => assert!(read.unwrap_err().to_string().contains(&format!("{n} bad rows")), "run {run}"),
        }
    }
    assert!(several < 20, "{several}");
}

/// Results in the way of a table are read by what was said of the table.
#[test]
fn results_are_written_as_the_table_was() {
    let folder = tempfile::tempdir().unwrap();
    let (mut prg, path) = (Prg::new(Block(79)), folder.path().join("out.csv"));
    for run in 0..60 {
        let style = Style {
            id: ["Kunde", "a;b", "score", "say \"x\""][prg.below(4) as usize].into(),
            delimiter: [',', ';', '\t', '|'][prg.below(4) as usize],
            decimal: ['.', ','][prg.below(2) as usize],
        };
        let rows = drawn(&mut prg, 1 + (run % 7));
        let ids: Ids = rows.iter().map(|(id, _)| id.trim()).collect();
        let numbers: Vec<f64> = rows.iter().map(|(_, cents)| cents.unwrap_or(5) as f64 / 128.0).collect();
        let output = crate::output::Output::reserve(&path, &[], crate::output::PRIVATE, true).unwrap();
        output
            .write(|to| crate::write(to, (FileFormat::Csv, &style), Some(&ids), &[("score", &numbers)]))
            .unwrap();
        let dialect = Dialect { decimal: Some(style.decimal), ..Dialect::default() };
        let id = if style.id == "score" { "score_" } else { &style.id };
        let file = ColumnFile::open(&path, &dialect).unwrap();
        let read = file.read(&["score"], Some(id), Ok).unwrap_or_else(|e| panic!("run {run}: {e}"));
        assert_eq!(&read.values[0][..], &numbers[..], "run {run}");
        assert!(read.ids.unwrap().iter().eq(ids.iter()), "run {run}");
        assert_eq!(file.style().of_ids(&[id], "").delimiter, style.delimiter);
    }
}
