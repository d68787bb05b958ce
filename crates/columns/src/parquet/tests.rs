use std::path::Path;

use parquet::{
    basic::{GzipLevel, ZstdLevel},
    data_type::{BoolType, Int64Type, Int96, Int96Type},
};
use prim::{Block, Prg};

use super::*;
use crate::{ColumnFile, Dialect, FileFormat};

/// A file with one column of this type.
fn file<T: DataType>(
    (physical, logical): (Physical, Option<LogicalType>),
    values: &[T::T],
    levels: Option<&[i16]>,
    codec: Compression,
) -> Vec<u8> {
    let repetition = if levels.is_some() { Repetition::OPTIONAL } else { Repetition::REQUIRED };
    let field = Type::primitive_type_builder("x", physical).with_repetition(repetition);
    let field = Arc::new(field.with_logical_type(logical).build().expect("a field"));
    let schema = Type::group_type_builder("schema").with_fields(vec![field]).build().expect("a schema");
    let properties = WriterProperties::builder().set_compression(codec).build();
    let mut bytes = Vec::new();
    let mut file =
        SerializedFileWriter::new(&mut bytes, Arc::new(schema), Arc::new(properties)).expect("a file");
    let mut group = file.next_row_group().expect("a group");
    let mut column = group.next_column().expect("a column").expect("one");
    column.typed::<T>().write_batch(values, levels, None).expect("written");
    column.close().expect("closed");
    group.close().expect("closed");
    file.close().expect("closed");
    bytes
}

/// Of each row what `of` gives.
fn read<R>(bytes: Vec<u8>, of: impl Fn(&Cell<'_>, &Dialect) -> R) -> Vec<R> {
    let dialect = Dialect { format: Some(FileFormat::Parquet), ..Dialect::default() };
    let file = ColumnFile::of(Path::new("x"), bytes.into(), &dialect).expect("a file");
    let mut all = Vec::new();
    file.each_row(&["x"], |_, row| all.push(of(&row.expect("a row")(0), &dialect))).expect("read");
    all
}

/// A day so many days after 1970 began, counted day by day.
fn day(days: i64) -> String {
    let leap = |year: i64| year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let of = |year: i64, month: usize| {
        [31, if leap(year) { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
    };
    let (mut left, mut year) = (days, 1970);
    while left < 0 {
        year -= 1;
        left += if leap(year) { 366 } else { 365 };
    }
    while left >= if leap(year) { 366 } else { 365 } {
        left -= if leap(year) { 366 } else { 365 };
        year += 1;
    }
    let mut month = 1;
    while left >= of(year, month) {
        left -= of(year, month);
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", left + 1)
}

/// Timestamps in every unit and compression are what counting gives: at midnight days, as the rules for ids and labels
/// take them.
#[test]
fn timestamps_are_days_and_times() {
    let mut rng = Prg::new(Block(67));
    let codecs = [
        Compression::ZSTD(ZstdLevel::default()),
        Compression::GZIP(GzipLevel::default()),
        Compression::LZ4_RAW,
    ];
    for run in 0..60u32 {
        let (unit, per_second) =
            [(TimeUnit::MILLIS, 1000), (TimeUnit::MICROS, 1_000_000), (TimeUnit::NANOS, 1_000_000_000i64)]
                [(run % 3) as usize];
        let utc = run % 2 == 0;
        let drawn: Vec<(i64, i64, i64)> = (0..40)
            .map(|_| {
                let days = i64::from(rng.below(80_000)) - 40_000;
                let seconds = if rng.below(3) == 0 { 0 } else { i64::from(rng.below(86_400)) };
                let part = if seconds == 0 { 0 } else { [0, 1, per_second / 2][rng.below(3) as usize] };
                (days, seconds, part)
            })
            .collect();
        let values: Vec<i64> =
            drawn.iter().map(|(days, seconds, part)| (days * 86_400 + seconds) * per_second + part).collect();
        let kind = (Physical::INT64, Some(LogicalType::timestamp(utc, unit)));
        let got =
            read(file::<Int64Type>(kind, &values, None, codecs[(run % 3) as usize]), |cell, dialect| {
                assert!(cell.number(dialect).unwrap_err().contains("is a time"));
                assert_eq!(*cell.label(dialect).unwrap(), *cell.id().unwrap());
                cell.id().unwrap().into_owned()
            });
        for (got, &(days, seconds, part)) in got.iter().zip(&drawn) {
            let mut want = day(days);
            if seconds > 0 {
                want += &format!("T{:02}:{:02}:{:02}", seconds / 3600, seconds / 60 % 60, seconds % 60);
                let digits = format!("{:09}", part * (1_000_000_000 / per_second));
                want += &match digits.trim_end_matches('0') {
                    "" => String::new(),
                    some => format!(".{some}"),
                };
                want += if utc { "Z" } else { "" };
            }
            assert_eq!(*got, want);
        }
    }
    // As older programs write them: 2026-01-01 and a second before.
    let old: Vec<Int96> = [(0u64, 2_461_042u32), (86_399_000_000_000, 2_461_041), (u64::MAX, 1)]
        .map(|(part, day)| {
            let mut value = Int96::new();
            value.set_data(part as u32, (part >> 32) as u32, day);
            value
        })
        .to_vec();
    let bytes = file::<Int96Type>((Physical::INT96, None), &old, None, Compression::SNAPPY);
    let got = read(bytes, |cell, _| cell.text().map(|text| text.into_owned()).ok());
    assert_eq!(got, [Some("2026-01-01".into()), Some("2025-12-31T23:59:59".into()), None]);
}

#[test]
fn booleans_are_numbers_and_labels() {
    let mut rng = Prg::new(Block(71));
    for codec in [
        Compression::UNCOMPRESSED,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::GZIP(GzipLevel::default()),
    ] {
        let cells: Vec<Option<bool>> =
            (0..3000).map(|_| [Some(true), Some(false), None][rng.below(3) as usize]).collect();
        let levels: Vec<i16> = cells.iter().map(|cell| cell.is_some().into()).collect();
        let values: Vec<bool> = cells.iter().flatten().copied().collect();
        let bytes = file::<BoolType>((Physical::BOOLEAN, None), &values, Some(&levels), codec);
        let got = read(bytes, |cell, dialect| {
            assert!(cell.id().is_err());
            (cell.number(dialect).ok(), cell.label(dialect).unwrap().to_string())
        });
        let want = cells.iter().map(|cell| match cell {
            None => (None, String::new()),
            Some(flag) => (Some(f64::from(u8::from(*flag))), flag.to_string()),
        });
        assert!(got.into_iter().eq(want), "{codec:?}");
    }
}
