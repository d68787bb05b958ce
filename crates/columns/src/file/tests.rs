use super::*;
use crate::{
    encoding::Encoding,
    output::{Output, PRIVATE},
    rows::See,
    write::write,
};

/// Ids, numbers, lines.
type Read = (Vec<String>, Vec<i64>, Vec<u64>);

/// Numbers below 4, as 256ths.
fn parse(text: &[u8]) -> std::result::Result<Read, String> {
    parse_as(text, &Dialect::default())
}

fn parse_as(text: &[u8], dialect: &Dialect) -> std::result::Result<Read, String> {
    let encode = |v: f64| if v < 4.0 { Ok((v * 256.0) as i64) } else { Err("is not below 4".to_owned()) };
    let path = Path::new("in.csv");
    let read = ColumnFile::of(path, text.to_vec().into(), dialect)
        .and_then(|file| file.read(&["score"], Some("id"), encode))
        .map_err(|e| e.to_string())?;
    let [values] = &read.values[..] else { panic!("one column") };
    Ok((texts(&read), values.to_vec(), read.places))
}

/// The names that were asked for.
fn texts<T: Pod>(read: &Columns<T>) -> Vec<String> {
    read.ids.as_ref().expect("asked for").iter().map(str::to_owned).collect()
}

fn rows(ids: &[&str], values: &[i64], lines: &[u64]) -> Read {
    (ids.iter().map(|&id| id.to_owned()).collect(), values.to_vec(), lines.to_vec())
}

#[test]
fn finds_its_columns() {
    for (text, lines) in [
        ("id,score\na,1\n\"b,c\",-1.5\n", [2, 3]),
        ("score , x, id\r\n 1.0,,a\r\n-1.5e0,7,\"b,c\"", [2, 3]),
        ("\u{feff}id,score\n\na,+1\n\n\"b,c\",-1.5\n\n", [3, 5]),
    ] {
        let want = rows(&["a", "b,c"], &[256, -384], &lines);
        assert_eq!(parse(text.as_bytes()), Ok(want), "{text:?}");
    }
}

#[test]
fn reads_as_told() {
    let table = |text: &str, dialect: &Dialect| parse_as(text.as_bytes(), dialect);
    let want = rows(&["a;b", "c"], &[384, -64], &[2, 4]);
    let semicolons = Dialect { delimiter: Some(b';'), decimal: Some(','), ..Dialect::default() };
    assert_eq!(table("id;score\n\"a;b\";1,5\n\nc;-,25\n", &semicolons), Ok(want));
    let want = rows(&["M\u{fc}ller"], &[256], &[2]);
    let tabs = Dialect { delimiter: Some(b'\t'), encoding: Encoding::Windows1252, ..Dialect::default() };
    assert_eq!(parse_as(b"score\tid\r\n1\tM\xfcller\r\n", &tabs), Ok(want));
    // Commas within quotes are decimal, also where commas separate.
    let quoted = Dialect { decimal: Some(','), ..Dialect::default() };
    let want = rows(&["a"], &[384], &[2]);
    assert_eq!(table("id,score\na,\"1,5\"\n", &quoted), Ok(want));
    for (text, dialect, want) in [
        ("id,score;x\na,1;5\n", &Dialect::default(), "--delimiter says which it is"),
        ("id,score\na,1\n", &semicolons, "--delimiter ',' separates"),
        ("id\tscore\na\t1\n", &semicolons, "--delimiter 'tab' separates"),
        ("id,score\na,\"1,5\"\n", &Dialect::default(), "\"1,5\" is not a number; --decimal , would read 1.5"),
        ("id,score\na,1,5\n", &quoted, "line 2: 3 cells where the first line has 2"),
    ] {
        let got = table(text, dialect).unwrap_err();
        assert!(got.contains(want), "{text:?}: {got}");
    }
}

#[test]
fn all_bad_rows_at_once() {
    let text = "id,score\na,x\nb,1\n\nc,\nd,1,2\ne,4\n";
    assert_eq!(
        parse(text.as_bytes()).unwrap_err(),
        "in.csv: 4 bad rows\n  line 2, column \"score\": \"x\" is not a number\n  \
         line 5, column \"score\": \"\" is missing: every row needs a number there; --na-as says what stands for it\n  \
         line 6: 3 cells where the first line has 2\n  line 7, column \"score\": \"4\" is not below 4"
    );
    let many = "id,score\n".to_owned() + &"a,x\n".repeat(1000);
    let got = parse(many.as_bytes()).unwrap_err();
    assert!(got.starts_with("in.csv: 1000 bad rows\n  line 2,"), "{got}");
    assert!(got.contains("\n  line 21,") && !got.contains("line 22"), "{got}");
    assert!(got.ends_with("\n  and 980 more like these\n--bad-rows FILE writes the ids of all"), "{got}");
    let (path, text, dialect) = (Path::new("f.csv"), b"id,p,q\na,x,y\n", Dialect::default());
    let two = ColumnFile::of(path, text.to_vec().into(), &dialect).unwrap();
    let got = two.read(&["p", "q"], None, Ok).unwrap_err().to_string();
    assert!(
        got.starts_with("f.csv: 1 bad row\n  line 2, column \"p\"") && got.contains("column \"q\""),
        "{got}"
    );
    let long = format!("id,score\na,{}\n", "\u{fc}".repeat(1000));
    assert!(parse(long.as_bytes()).unwrap_err().len() < 200);
}

#[test]
fn complaints_name_line_column_and_value() {
    for (text, want) in [
        ("", "in.csv: no column \"score\""),
        ("name,score\na,1\n", "no column \"id\"; its columns are: name, score"),
        ("id,score,score\na,1,2\n", "column \"score\" occurs more than once"),
        ("id,score\n", "no rows below the header"),
        ("id,score\na,1\nb,x1\n", "line 3, column \"score\": \"x1\" is not a number"),
        ("id,score\na,\n", "line 2, column \"score\": \"\" is missing"),
        ("id,score\na,nan\n", "\"nan\" is not a number"),
        ("id,score\na,-inf\n", "\"-inf\" is not a number"),
        ("id,score\na,1\n\nb,4\n", "line 4, column \"score\": \"4\" is not below 4"),
        ("id,score\na,1,2\n", "line 2: 3 cells where the first line has 2"),
    ] {
        let got = parse(text.as_bytes()).unwrap_err();
        assert!(got.contains(want), "{text:?}: {got}");
    }
    let got = parse(b"id,score\na,1\n\xff,2\n").unwrap_err();
    assert!(got.contains("line 3: not UTF-8 text"), "{got}");
}

// ---- Other formats: files that pyarrow wrote, see tests/data/formats/make.py ----

fn example(name: &str) -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/formats").join(name)
}

/// Those that this program can read.
fn built(names: &[&'static str]) -> Vec<&'static str> {
    names
        .iter()
        .copied()
        .filter(|name| FileFormat::of(Path::new(name)).check(Path::new(name)).is_ok())
        .collect()
}

const ALL: [&str; 4] = ["plain.parquet", "other.parquet", "plain.feather", "other.arrow"];

/// Ids and numbers.
fn named(name: &str, id: &str, column: &str) -> std::result::Result<(Vec<String>, Vec<f64>), String> {
    let (path, dialect) = (example(name), Dialect::default());
    let file = ColumnFile::open(&path, &dialect).map_err(|e| e.to_string())?;
    let read = file.read(&[column], Some(id), Ok).map_err(|e| e.to_string())?;
    assert_eq!(read.places, [1, 2, 3, 4, 5, 6]);
    Ok((texts(&read), read.values[0].to_vec()))
}

#[test]
fn numbers_of_every_type() {
    let wide = 12345678901234567890123456789.0;
    for name in built(&ALL) {
        for (column, want) in [
            ("byte", [-128.0, -1.0, 0.0, 1.0, 2.0, 127.0]),
            ("unsigned", [0.0, 1.0, 2147483648.0, 4294967295.0, 5.0, 6.0]),
            ("large", [0.0, 1.0, 9223372036854775808.0, 18446744073709549568.0, 5.0, 6.0]),
            ("single", [0.5, -1.25, 3.0, 1e10, -0.0, 2f64.powi(-20)]),
            ("double", [0.1, -2.25, 1e300, 1e-300, 3.0, -0.0]),
            ("amount", [0.1, -123.45, 99999999.99, 0.01, -0.01, 7.0]),
            ("wide", [1.0, -1.0, wide, 0.0, -5.0, 6.0]),
            ("text", [1.5, -2.0, 300.0, 4.0, 5.0, 0.0]),
            ("words", [1.0, 2.0, 1.0, 2.0, 3.0, 3.0]),
        ] {
            let ids = ["c0", "c1", "c2", "c3", "c4", "c5"].map(str::to_owned).to_vec();
            assert_eq!(named(name, "id", column), Ok((ids, want.to_vec())), "{name}, {column}");
        }
    }
}

#[test]
fn ids_of_every_type() {
    for name in built(&ALL) {
        let ids = |column: &str| named(name, column, "double").map(|(ids, _)| ids.join(" "));
        assert_eq!(ids("number"), Ok("100 101 102 103 104 105".into()), "{name}");
        assert_eq!(ids("words"), Ok("1 2 1 2 3 3".into()), "{name}");
        assert_eq!(ids("large").unwrap(), "0 1 9223372036854775808 18446744073709549568 5 6", "{name}");
        assert_eq!(ids("wide").unwrap(), "1 -1 12345678901234567890123456789 0 -5 6", "{name}");
        let null = format!(
            "{}: row 4, column \"kind\": null is missing: every row needs an id",
            example(name).display()
        );
        assert_eq!(ids("kind"), Err(null));
        let got = ids("double").unwrap_err();
        assert!(got.contains("6 bad rows\n  row 1, column \"double\": 0.1 is no id"), "{name}: {got}");
    }
}

#[test]
fn nulls_are_bad_rows() {
    for name in built(&ALL) {
        let got = named(name, "id", "hole").unwrap_err();
        let want = ": 3 bad rows\n  row 2, column \"hole\": null is missing: every row needs a number there; --na-as \
                    says what stands for it\n  row 4, column \"hole\": NaN is missing: every row needs a number there; \
                    --na-as says what stands for it\n  row 6, column \"hole\": null is missing: every row needs a number \
                    there; --na-as says what stands for it";
        assert!(got.ends_with(want), "{name}: {got}");
        let got = named(name, "id", "gap").unwrap_err();
        assert!(
            got.ends_with(": row 1, column \"gap\": null is missing: every row needs a number there; --na-as says what stands for it"),
            "{got}"
        );
    }
}

#[test]
fn what_is_not_read_is_named() {
    for name in built(&ALL) {
        for (column, want) in [
            ("when", "column \"when\": 2026-01-01 is a time, not a number"),
            ("list", "column \"list\" "),
            ("none", "no column \"none\"; its columns are: id, kind, number, byte"),
        ] {
            let got = named(name, "id", column).unwrap_err();
            assert!(got.contains(want), "{name}: {got}");
        }
    }
    for (name, want) in [("stream.arrow", "not an Arrow file; streams")] {
        if !built(&[name]).is_empty() {
            let got = named(name, "id", "double").unwrap_err();
            assert!(got.contains(want), "{got}");
        }
    }
    let as_csv = Dialect { format: Some(FileFormat::Csv), ..Dialect::default() };
    for (name, want) in [("plain.parquet", "--format parquet"), ("other.arrow", "--format arrow")] {
        let path = example(name);
        let got = ColumnFile::open(&path, &as_csv).err().expect("not text").to_string();
        assert!(got.contains(want), "{got}");
    }
}

/// The same column twice, and as ids; text in other arrays than usual.
#[test]
fn columns_in_any_order() {
    let dialect = Dialect::default();
    for name in built(&ALL) {
        let path = example(name);
        let file = ColumnFile::open(&path, &dialect).unwrap();
        let read = file.read(&["words", "byte", "words"], Some("words"), Ok).unwrap();
        assert_eq!(read.values[0][..], read.values[2][..]);
        assert_eq!((read.values[1][0], texts(&read)[5].as_str()), (-128.0, "3"));
        assert_eq!(file.read::<u8>(&[], None, |_| Ok(0)).unwrap().places.len(), 6);
    }
    for name in built(&["views.arrow"]) {
        assert_eq!(named(name, "id", "text").unwrap().1, [1.5, -2.0, 300.0, 4.0, 5.0, 0.0]);
        assert_eq!(named(name, "text", "double").unwrap().0.join(" "), "1.5 -2 3e2 +4 5 0");
    }
}

/// What is written is read, with many rows and without ids.
#[test]
fn results_in_every_format() {
    let folder = tempfile::tempdir().unwrap();
    for (name, rows) in
        [("a.csv", 3), ("a.parquet", 1), ("b.parquet", 70_000), ("a.arrow", 70_000), ("b.feather", 1)]
    {
        let (format, path) = (FileFormat::of(Path::new(name)), folder.path().join(name));
        if format.check(&path).is_err() {
            continue;
        }
        let numbers: Vec<f64> = (0..rows).map(|i| f64::from(i) / 256.0 - 1.0).collect();
        let names: Vec<String> = (0..rows).map(|i| format!("c,{i}")).collect();
        let ids: Ids = names.iter().collect();
        for ids in [Some(&ids), None] {
            let output = Output::reserve(&path, &[], PRIVATE, true).unwrap();
            output.write(|to| write(to, (format, &Style::default()), ids, &[("sigmoid", &numbers)])).unwrap();
            let dialect = Dialect::default();
            let file = ColumnFile::open(&path, &dialect).unwrap();
            assert_eq!(file.header().unwrap().len(), 1 + usize::from(ids.is_some()));
            let read = file.read(&["sigmoid"], ids.map(|_| "id"), Ok).unwrap();
            assert_eq!(&read.values[0][..], &numbers[..], "{name}");
            assert_eq!(read.ids.is_some(), ids.is_some());
            assert!(ids.is_none() || texts(&read) == names, "{name}");
        }
        let output = Output::reserve(&path, &[], PRIVATE, true).unwrap();
        output.write(|to| write(to, (format, &Style::default()), Some(&ids), &[])).unwrap();
        let dialect = Dialect::default();
        let read = ColumnFile::open(&path, &dialect).unwrap().read::<u8>(&[], Some("id"), |_| Ok(0)).unwrap();
        assert_eq!(texts(&read), names, "{name}");
    }
}

/// A text that stands for that of very many rows, as dictionaries of Parquet do.
struct Repeated(String);

impl Rows for Repeated {
    fn names(&self) -> std::result::Result<Vec<String>, String> {
        Ok(vec!["id".into()])
    }

    fn each(&self, _: &[usize], see: &mut See<'_>) -> std::result::Result<(), String> {
        (1..=1 << 20).for_each(|at| see(at, Ok(&|_| Cell::Text(&self.0))));
        Ok(())
    }
}

#[test]
fn texts_that_are_more_than_their_file_are_refused_before_memory_is_full() {
    let file = |length: usize, size: u64| {
        let rows = Box::new(Repeated("a".repeat(length)));
        ColumnFile { path: Path::new("in"), dialect: Dialect::default(), joined: false, rows, size }
    };
    let mut seen = 0u64;
    // 8 TiB.
    let error = file(1 << 23, 1 << 23).each_row(&["id"], |_, _| seen += 1).unwrap_err().to_string();
    assert!(error.starts_with("in: its rows would take about ") && seen < 1 << 19, "{seen}: {error}");
    file(1 << 23, 1 << 44).each_row(&["id"], |_, _| seen += 1).unwrap();
}
