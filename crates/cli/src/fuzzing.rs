//! The parsers of users' files on bytes of any kind, for fuzzing: a target returns for every input, and asserts what
//! the rest of the program relies on where a file is accepted.

mod circuits;
mod forgotten;
mod target;

pub use forgotten::{forget, forget_join, write_shares};
pub use target::Target;
use target::texts;

use std::{collections::BTreeSet, path::Path, sync::Arc};

use crate::verify;
use apps::private_table::{Answer, Description, Greeting, Request};
use hushtable::{Role, math::Domain};
use hushtable_columns::{
    ColumnFile, Dialect, Encoding, FileFormat, Format, Rounding, Style, numbers::Source, shares::ShareFile,
    table_file,
};
use hushtable_jobs::{
    job_file::{JobFile, Operand},
    join::{
        agree::Offer,
        column::Column,
        file::{JoinedFile, Owned, Shared, Table},
    },
    score::weights,
};

/// All of them.
pub const TARGETS: [Target; 13] = [
    circuits::BLIF,
    circuits::BRISTOL,
    circuits::CIRCUIT,
    circuits::PORTS,
    Target { name: "columns", run: columns, seeds: column_seeds },
    Target { name: "description", run: description, seeds: description_seeds },
    Target { name: "formats", run: formats, seeds: format_seeds },
    Target { name: "job_file", run: job, seeds: job_seeds },
    Target { name: "joined", run: joined, seeds: joined_seeds },
    Target { name: "record", run: signed, seeds: record_seeds },
    Target { name: "share_file", run: share_file, seeds: share_seeds },
    Target { name: "table_file", run: table, seeds: table_seeds },
    Target { name: "weights", run: model, seeds: model_seeds },
];

/// Runs one target: what a fuzzer calls.
pub fn run(name: &str, data: &[u8]) {
    let target = TARGETS.iter().find(|target| target.name == name).expect("a target of this name");
    (target.run)(data);
}

fn here() -> &'static Path {
    Path::new("file")
}

/// Columns of numbers with ids, as standard CSV and as others write it.
fn columns(data: &[u8]) {
    columns_in(data, &Dialect::default());
    let na = vec!["NA".to_owned()];
    let (semicolon, thousands) = (Some(b';'), Some(".".parse().expect("a sign")));
    let na_as = vec!["0".parse().expect("a number"), "score=-1.5,id=\"a,b\"".parse().expect("values")];
    let comma = Dialect { delimiter: semicolon, decimal: Some(','), na, ..Dialect::default() };
    columns_in(data, &comma);
    columns_in(data, &Dialect { thousands, na_as, ..comma });
    columns_in(data, &Dialect { encoding: Encoding::Windows1252, ..Dialect::default() });
}

fn columns_in(data: &[u8], dialect: &Dialect) {
    let encode = |v: f64| if v.abs() < 1e6 { Ok(v) } else { Err("is too large".to_owned()) };
    let Ok(file) = ColumnFile::of(here(), data.to_vec().into(), dialect) else { return };
    if let Ok(read) = file.read(&["score", "age"], Some("id"), encode) {
        let rows = read.places.len();
        assert!(rows > 0 && read.values.len() == 2 && read.values.iter().all(|column| column.len() == rows));
        assert!(read.ids.expect("asked for").len() == rows && read.places.is_sorted());
        assert!(read.values.iter().flat_map(|column| column.iter()).all(|v| v.abs() < 1e6));
    }
    if let Ok(names) = file.header() {
        assert!(names.len() <= data.len() + 1);
    }
}

fn column_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "id,score,age\na,1,2\n\"b,c\",-1.5,3e2\n",
        "score , x, id,age\r\n 1.0,,a,1\r\n-1.5e0,7,\"b,\"\"c\",0\r\n\r\n",
        "\u{feff}id,score,age\n\na,+1,.5\n\n",
        "id,score,age\na,1\n",
        "id,score,score\na,nan,-inf\n\"",
        "id;score;age\na;1,5;NA\nb;-,5e1;2\n",
        "id;score;age\na;1.100,5;1.000\nb;;-12.345.678\n",
        "id|score|age\na|1\u{202f}100|\nb|1,5;2|NaN\n",
        "i\0d\0;\0s\0c\0o\0r\0e\0;\0a\0g\0e\0\n\0a\0;\0\x31\0;\0\x32\0",
    ])
}

/// Columns in Parquet and Arrow.
fn formats(data: &[u8]) {
    for format in [FileFormat::Parquet, FileFormat::Arrow] {
        if format.check(here()).is_ok() {
            let dialect = Dialect { format: Some(format), ..Dialect::default() };
            let Ok(file) = ColumnFile::of(here(), data.to_vec().into(), &dialect) else { continue };
            for name in file.header().unwrap_or_default() {
                if let Ok(read) = file.read(&[name.as_str()], Some("id"), Ok) {
                    assert!(read.places.is_sorted() && read.values[0].len() == read.places.len());
                    assert!(read.values[0].iter().all(|v| v.is_finite()));
                }
            }
        }
    }
}

fn format_seeds() -> Vec<Vec<u8>> {
    // The longest first: others are not cut to less.
    let seeds: [&[u8]; 6] = [
        include_bytes!("../../columns/tests/data/formats/plain.parquet"),
        include_bytes!("../../columns/tests/data/formats/other.parquet"),
        include_bytes!("../../columns/tests/data/formats/plain.feather"),
        include_bytes!("../../columns/tests/data/formats/other.arrow"),
        include_bytes!("../../columns/tests/data/formats/views.arrow"),
        include_bytes!("../../columns/tests/data/formats/zstd.parquet"),
    ];
    seeds.map(<[u8]>::to_vec).to_vec()
}

/// A share file as it is, and with the checksum that it should have; and what is made of its numbers.
fn share_file(data: &[u8]) {
    shares(data);
    if let Ok(file) = serde_json::from_slice::<ShareFile>(data) {
        let mut text = Vec::new();
        file.sealed().write(&mut text).expect("memory");
        shares(&text);
    }
}

fn shares(text: &[u8]) {
    let standard = Dialect::default();
    let Ok(source) = Source::of(here(), text.to_vec().into(), &standard) else { return };
    let Some(file) = &source.shares else {
        assert!(text.trim_ascii_start().first() != Some(&b'{'), "an object is a share file or refused");
        return;
    };
    let mut again = Vec::new();
    file.write(&mut again).expect("memory");
    let same = ShareFile::read(here(), &again).ok().flatten().expect("what is written is read");
    assert!(same.shares[..] == file.shares[..] && same.count == file.count && same.range == file.range);
    assert_ne!(file.pairing(Role::P0), file.pairing(Role::P1));
    let format = source.format().expect("of the shares");
    let Ok((ids, numbers)) = source.numbers(None, Some("id"), format, Rounding::Nearest) else {
        panic!("the same format")
    };
    assert!(numbers.words.len() == file.count && ids.is_none_or(|ids| ids.len() == file.count));
    let other = Format { bits: if format.bits == 64 { 63 } else { 64 }, ..format };
    assert!(
        source.numbers(None, None, other, Rounding::Nearest).is_err()
            && source.numbers(Some("x"), None, format, Rounding::Nearest).is_err()
    );
    let bounds = "-8:8".parse().expect("bounds");
    if let Ok(domain) = Domain::new(bounds, format.fraction_bits.min(12)) {
        let taken = source.indices(None, None, &domain).is_ok();
        assert_eq!(taken, domain.contains(file.range), "a range that the domain holds");
    }
}

fn share_seeds() -> Vec<Vec<u8>> {
    let made = |bits, fraction_bits, range, shares: Vec<u64>| {
        let format = Format { bits, fraction_bits };
        let file = || ShareFile::new("sigmoid", [7; 32], Role::P1, format, range, shares.clone().into());
        let ids = Some(Arc::new(["a", "b"].iter().collect()));
        let style = Some(Style { id: "x,y".into(), delimiter: ';', decimal: ',' });
        [file().sealed(), ShareFile { ids, style, ..file() }.sealed()]
    };
    let widest = made(64, 32, [i64::MIN, i64::MAX], vec![u64::MAX, 1]);
    let files = made(16, 8, [0, 256], vec![3, 65535]).into_iter().chain(widest);
    let text = |file: ShareFile| {
        let mut text = Vec::new();
        file.write(&mut text).expect("memory");
        text
    };
    files.map(text).chain(texts(&["id,score\na,1\n", "{", "{\"hushtable_shares\":2}"])).collect()
}

/// A file of a join as it is, and with the checksum that it should have.
fn joined(data: &[u8]) {
    let parsed = JoinedFile::parse(data);
    if let Ok(file) = serde_json::from_slice::<JoinedFile>(data) {
        let mut text = Vec::new();
        file.sealed().write(&mut text).expect("memory");
        if let Ok(file) = JoinedFile::parse(&text) {
            let parts: usize = file.columns().map(|(_, column)| column.parts().len()).sum();
            assert!(file.joins.iter().all(|table| table.shares.len() == parts && table.bins > 0));
            assert_ne!(file.pairing(Role::P0), file.pairing(Role::P1));
        }
    } else {
        assert!(parsed.is_err());
    }
}

fn joined_seeds() -> Vec<Vec<u8>> {
    let offer = |text: &str| {
        let columns = vec![Column::parse(text, 8).expect("a column")];
        Offer { rows: 2, columns }
    };
    let shares = || [vec![7, u64::MAX], vec![1], vec![2]].map(|words| Shared::of(&words)).into();
    let table = |owner| Table::new(owner, 2, Shared::of(&[3]), shares());
    let style = Style { id: "x,y".into(), delimiter: ';', decimal: ',' };
    let owned = || Some(Owned { ids: ["a", "b"].iter().collect(), rows: Shared::of(&[2, 0]) });
    let tables = || [offer("income:5"), offer("region:n|s")];
    let files = [
        JoinedFile::new([7; 32], Role::P0, tables(), vec![table(Role::P0), table(Role::P1)], owned()),
        JoinedFile::new([7; 32], Role::P0, tables(), vec![table(Role::P1)], None).written_as(style),
    ];
    let text = |file: JoinedFile| {
        let mut text = Vec::new();
        file.write(&mut text).expect("memory");
        text
    };
    files.into_iter().map(text).chain(texts(&["{", "{\"hushtable_joined\":1}"])).collect()
}

/// A public table.
fn table(data: &[u8]) {
    if let Ok(values) = table_file::parse(here(), data) {
        assert!(values.len().is_power_of_two() && (2..=1 << 16).contains(&values.len()));
        assert!(values.iter().all(|v| v.is_finite()));
    }
}

fn table_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "1\n2.5\n-3\n4e2\n",
        "index,value\r\n0,1\r\n1,2.5\r\n2,-3\r\n3,4e2\r\n",
        "3,4e2\n 1 , 2.5 \n\n2,-3\n0,1\n",
        "\u{feff}value\n1\n\"2\"\n",
        "0,1\n18446744073709551615,2\n",
    ])
}

/// Weights of a model.
fn model(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    let columns = ["id", "age", "debt ratio"].map(str::to_owned);
    if let Ok(named) = weights::parse(here(), text, Path::new("features"), &columns) {
        let (names, values) = (&named.features, &named.weights.values);
        assert!(names.len() == values.len() && names.iter().all(|name| columns.contains(name)));
        assert_eq!(names.iter().collect::<BTreeSet<_>>().len(), names.len(), "a weight for each feature");
        assert!(values.iter().chain([&named.weights.intercept]).all(|v| v.is_finite()));
    }
}

fn model_seeds() -> Vec<Vec<u8>> {
    texts(&[
        "# model\nintercept = -1_000.5\n\n[weights]\n\"debt ratio\" = 2\nage = -1.5e-2\n",
        "weights = { age = 1, id = +0.0 }\n",
        "intercept = nan\n[weights]\nage = 0x10\n",
        "[weights]\nage = [[[[1]]]]\n'debt ratio' = \"\"\"x\"\"\"\n",
        "bias = 1979-05-27T07:32:00Z\nweights.age = 1\n",
    ])
}

/// A job file.
fn job(data: &[u8]) {
    let Ok(file) = JobFile::parse(here(), data) else { return };
    let lines = file.described().to_string().lines().count();
    assert!(!file.steps.is_empty() && lines <= 5 + file.steps.len() + file.options.len());
    for (i, step) in file.steps.iter().enumerate() {
        for operand in [&step.x, &step.y].into_iter().flatten() {
            assert!(!matches!(operand, Operand::Step(from) if *from >= i), "a step before");
        }
        assert!(file.steps[..i].iter().all(|other| other.name != step.name), "a column for each step");
        assert!(["both", "none"].contains(&&*step.reveal) || file.parties.contains(&step.reveal));
    }
}

fn job_seeds() -> Vec<Vec<u8>> {
    texts(&[
        include_str!("../../../examples/jobs/apply.toml"),
        include_str!("../../../examples/jobs/compare.toml"),
        include_str!("../../../examples/jobs/decide.toml"),
        include_str!("../../../examples/jobs/score.toml"),
        "hushtable-job = 1\nabout = 'x'\nparties.listens = 'a'\nparties.connects = \"b\\nc\"\n[[step]]\noperation = \"max\"\n\
         x.a = \"u\\nv\"\ny = 3\nreveal = \"none\"\n",
        "hushtable-job = 1\nparties = { listens = \"a\", connects = \"b\" }\nids = false\nstep = [{}]\n",
        "hushtable-job = 1\n[parties]\nlistens = \"a\"\nconnects = \"a\"\n[[step]]\nbands = [0.1, [2]]\n",
    ])
}

/// A record with signatures.
fn signed(data: &[u8]) {
    if let Ok(read) = verify::read(data) {
        assert!(read.signed.check(&[]).is_err(), "nobody is known");
    }
}

fn record_seeds() -> Vec<Vec<u8>> {
    let signed = |format: u32, statement: &str, more: &str| {
        format!(
            "{{\"hushtable_record\":{format},\"signed\":{{\"statement\":[{statement}],\"signatures\":[\"00ff\",\"\"]}}{more}}}"
        )
    };
    let statement = "[\"P0\",\"00\"],[\"P1\",\"11\"],[\"time at P0\",\"18446744073709551615\"]";
    let own = format!(
        ",\"version\":\"1\",\"command\":\"run\",\"began\":\"\",\"role\":\"P0\",\"rows\":3,\"column\":\"ge\",\"reveal\":\"both\",\
         \"parameters\":[[\"a\",\"b\"]],\"inputs\":[],\"explained\":\"\",\"ended\":\"\",\"outcome\":\"done\",\"exit_code\":0,\
         \"salt\":\"{}\",\n  \"own_signature\": \"00\"\n",
        "07".repeat(32)
    );
    let all = [signed(1, statement, &own), signed(2, statement, &own), signed(2, "", "")];
    let unsigned = "{\"hushtable_record\":2,\"unsigned\":\"the peer did not ask for it\"}".to_owned();
    all.into_iter().chain([unsigned]).map(String::into_bytes).collect()
}

/// What who serves a table, or a client of it, sends before any lookup.
fn description(data: &[u8]) {
    let _ = (Greeting::from_bytes(data), Request::from_bytes(data), Answer::from_bytes(data));
    let Ok(description) = Description::from_bytes(data) else { return };
    assert_eq!(Description::from_bytes(&description.to_bytes()).expect("what was written"), description);
    assert!(!hushtable_jobs::private_table::page(&description).text(true).contains('\u{1b}'));
    let job = description.job();
    assert!(job.messages() >= 1 && description.batch as usize <= job.most());
    // Rows of any bits: a value or an error.
    let row: Vec<u64> = (0..job.row_words() as u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    for (i, value) in description.values.iter().enumerate() {
        let _ = value.kind.read(&row, description.start(i)).map(|cell| cell.to_string());
    }
}

fn description_seeds() -> Vec<Vec<u8>> {
    let digest = "07".repeat(32);
    let table = |key: &str, values: &str, places: &str| {
        format!(
            "{{\"table\":\"t\",\"key\":{{\"name\":\"k\",\"kind\":{key}}},\"values\":[{values}],\"places\":{places},\
             \"cipher\":\"aes128\",\"digest\":\"{digest}\",\"batch\":4096,\"lookups\":9,\"shares\":true}}"
        )
    };
    let value = |name: &str, kind: &str| format!("{{\"name\":\"{name}\",\"kind\":{kind}}}");
    let decimal = "{\"number\":{\"scale\":{\"decimal\":2},\"bits\":20}}";
    let values =
        [value("a", decimal), value("b", "{\"text\":{\"bytes\":5}}"), value("c", "\"date\"")].join(",");
    let whole = table("{\"whole\":{\"least\":0,\"bits\":16}}", &values, "\"dense\"");
    let text = table("{\"text\":{\"bits\":96}}", &values, "{\"sparse\":{\"rows\":1000}}");
    let greeting = Greeting::Open(5).to_bytes();
    vec![whole.into_bytes(), text.into_bytes(), greeting, Answer::Later(7).to_bytes()]
}
