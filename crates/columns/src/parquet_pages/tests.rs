use std::{path::Path, sync::Arc};

use parquet::{
    basic::{Compression, GzipLevel, LogicalType, Repetition, ZstdLevel},
    column::reader::get_column_reader,
    data_type::{ByteArray, ByteArrayType},
    file::{
        properties::{WriterProperties, WriterVersion},
        writer::SerializedFileWriter,
    },
    schema::types::{ColumnDescPtr, ColumnDescriptor, ColumnPath, Type},
};
use prim::{Block, Prg};

use super::*;
use crate::{ColumnFile, Dialect, FileFormat};

fn column(physical: Physical) -> ColumnDescPtr {
    let kind = Type::primitive_type_builder("x", physical).with_repetition(Repetition::REQUIRED).build();
    Arc::new(ColumnDescriptor::new(Arc::new(kind.expect("a type")), 0, 0, ColumnPath::new(vec!["x".into()])))
}

fn chunk(physical: Physical, bytes: &[u8], codec: Compression) -> ColumnChunkMetaData {
    let made = ColumnChunkMetaData::builder(column(physical)).set_compression(codec);
    let made = made.set_data_page_offset(0).set_total_compressed_size(bytes.len() as i64);
    made.build().expect("a chunk")
}

fn varint(mut number: u64, to: &mut Vec<u8>) {
    while number > 0x7f {
        to.push(number as u8 | 0x80);
        number >>= 7;
    }
    to.push(number as u8);
}

/// A page with as many bytes behind its header as that says, or none where it says too many.
fn page(kind: u64, [full, stored, values]: [u64; 3]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for number in [kind, full, stored] {
        bytes.push(0x15);
        varint(2 * number, &mut bytes);
    }
    bytes.push([0x2c, 0x3c, 0x4c, 0x5c][kind as usize]);
    bytes.push(0x15);
    varint(2 * values, &mut bytes);
    bytes.extend([0, 0]);
    bytes.resize(bytes.len() + if stored < 1 << 20 { stored as usize } else { 0 }, 0);
    bytes
}

/// What a header says to be larger than its bytes can become is refused, not allocated.
#[test]
fn pages_that_say_too_much() {
    use Physical::{BYTE_ARRAY, INT32, INT64};
    let large = (1 << 31) - 1;
    for (physical, codec, pages, fine) in [
        (INT32, Compression::SNAPPY, vec![page(0, [220, 10, 55])], true),
        (INT32, Compression::SNAPPY, vec![page(0, [221, 10, 55])], false),
        (INT32, Compression::SNAPPY, vec![page(0, [large, 10, 55])], false),
        (INT32, Compression::SNAPPY, vec![page(0, [10, large, 55])], false),
        (INT32, Compression::SNAPPY, vec![page(0, [10, 10, 1]), page(0, [large, 10, 1])], false),
        (INT32, Compression::UNCOMPRESSED, vec![page(0, [10, 10, 1]), page(0, [10, 10, 1])], true),
        (INT32, Compression::UNCOMPRESSED, vec![page(2, [40, 40, 10])], true),
        (INT32, Compression::UNCOMPRESSED, vec![page(2, [40, 40, 11])], false),
        (INT64, Compression::UNCOMPRESSED, vec![page(2, [40, 40, 6])], false),
        (BYTE_ARRAY, Compression::UNCOMPRESSED, vec![page(2, [40, 40, large])], false),
        // A run stands for many values.
        (INT32, Compression::UNCOMPRESSED, vec![page(0, [40, 40, large])], true),
    ] {
        let bytes = pages.concat();
        let found = needs(&bytes, &chunk(physical, &bytes, codec));
        assert_eq!(found.is_some(), fine, "{pages:?}");
        for end in 0..bytes.len() {
            // The chunk is longer than the file.
            assert_eq!(needs(&bytes[..end], &chunk(physical, &bytes, codec)), None);
        }
    }
}

/// What comes out of little is counted before the crate, which asks for no end, keeps it.
#[test]
fn what_inflates_to_more_than_it_says_is_refused() {
    let packed = |bytes: usize| {
        let mut to = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        std::io::Write::write_all(&mut to, &vec![0; bytes]).expect("memory");
        to.finish().expect("memory")
    };
    let small = packed(1000);
    for (body, full, fine) in [
        (packed(1000), 1000, true),
        (packed(1000), 999, false),
        (packed(10_000_000), 1000, false),
        // Several one behind the other are read as one.
        ([small.clone(), packed(1000)].concat(), 2000, true),
        ([small.clone(), packed(1000)].concat(), 1000, false),
        (small[..small.len() / 2].to_vec(), 1000, true),
        (vec![7; 50], 1000, true),
    ] {
        let mut bytes = page(0, [full, body.len() as u64, 1]);
        bytes.truncate(bytes.len() - body.len());
        bytes.extend(&body);
        let found = needs(&bytes, &chunk(Physical::INT32, &bytes, Compression::GZIP(GzipLevel::default())));
        assert_eq!(found.is_some(), fine, "{} bytes to {full}", body.len());
    }
    for (codec, full, fine) in [
        (Compression::ZSTD(ZstdLevel::default()), 10 << 15, true),
        (Compression::ZSTD(ZstdLevel::default()), (10 << 15) + 1, false),
        (Compression::LZ4_RAW, 2550, true),
        (Compression::LZ4_RAW, 2551, false),
        (Compression::LZO, 10, false),
    ] {
        let bytes = page(0, [full, 10, 1]);
        assert_eq!(needs(&bytes, &chunk(Physical::INT32, &bytes, codec)).is_some(), fine, "{codec:?} {full}");
    }
}

/// The crate reads fields by their numbers: what it would read in another way than it is looked at here is refused.
#[test]
fn headers_that_can_be_read_in_two_ways() {
    let fine = |bytes: &[u8]| needs(bytes, &chunk(Physical::INT32, bytes, Compression::SNAPPY)).is_some();
    // A dictionary's page of 40 bytes, 10 stored: its kind, both sizes, ten values and an encoding.
    let header = |kind: [u8; 2], full: &[u8], stored: &[u8], inner: &[u8]| {
        [&kind, full, stored, inner, &[0], &[0; 10]].concat()
    };
    let (kind, full, stored, inner) =
        ([0x15, 4], &[0x15, 80][..], &[0x15, 20][..], &[0x4c, 0x15, 20, 0x15, 0, 0][..]);
    let (large, bool) = ([0xfe, 0xff, 0xff, 0xff, 0x0f], [0x11]);
    assert!(fine(&header(kind, full, stored, inner)));
    for (what, bytes) in [
        ("a size of 64 bits", header(kind, &[&[0x16][..], &large].concat(), stored, inner)),
        ("a kind of 16 bits", header([0x14, 4], full, stored, inner)),
        (
            "the size of a data page, of 64 bits",
            header([0x15, 0], &[&[0x16][..], &large].concat(), stored, &[0x2c, 0x15, 20, 0x15, 0, 0]),
        ),
        ("a size that is a boolean", header(kind, &bool, stored, inner)),
        ("a size of more than 32 bits", header(kind, full, &[0x15, 0x94, 0x80, 0x80, 0x80, 0x20], inner)),
        (
            "a size twice",
            header(kind, full, &[stored, &[5, 4, 2]].concat(), &[5, 6, 0, 0x4c, 0x15, 20, 0x15, 0, 0]),
        ),
        (
            "a field's number of more than 16 bits",
            header(kind, full, &[stored, &[5, 0x84, 0x80, 8, 80]].concat(), inner),
        ),
        (
            "values of 64 bits",
            header(kind, full, stored, &[&[0x4c, 0x16][..], &large, &[0x15, 0, 0]].concat()),
        ),
        ("an encoding that is a boolean", header(kind, full, stored, &[0x4c, 0x15, 20, 0x11, 0])),
        ("another kind's header", header(kind, full, stored, &[0x5c, 0x15, 20, 0x35, 0, 0])),
        ("two headers", header(kind, full, stored, &[inner, &[0x1c, 0x15, 2, 0]].concat())),
        ("a list", header(kind, full, stored, &[inner, &[0xf9, 0x15, 0]].concat())),
        ("a kind that there is not", header([0x15, 8], full, stored, inner)),
    ] {
        assert!(!fine(&bytes), "{what}");
    }
    // What nobody knows is skipped.
    assert!(fine(&header(kind, full, stored, &[inner, &[0xf6, 0x15, 0x18, 1, 7]].concat())));
}

/// Bytes of any kind end, whatever they say.
#[test]
fn any_bytes_end() {
    let (seed, runs) = (0x5eed, if std::env::var_os("LONG").is_some() { 2_000_000 } else { 20_000 });
    let mut rng = Prg::new(Block(seed));
    for run in 0..runs {
        let mut bytes = page(rng.below(4).into(), [200, 20, 3]);
        for _ in 0..=rng.below(4) {
            let at = rng.below(bytes.len() as u32) as usize;
            bytes[at] = rng.u64() as u8;
        }
        let read = needs(&bytes, &chunk(Physical::BYTE_ARRAY, &bytes, Compression::SNAPPY));
        assert!(
            read.is_none_or(|needs| needs.bytes <= 64 * 22 * bytes.len() as u64),
            "run {run} of seed {seed}"
        );
        let mut list = Compact(&bytes);
        let _ = lengths(&mut list, true);
    }
}

/// Texts that a writer packs by their lengths and common beginnings: all are read, and no page is refused.
#[test]
fn texts_in_every_encoding() {
    let (seed, runs) = (0xc0de, if std::env::var_os("LONG").is_some() { 400 } else { 24 });
    let mut rng = Prg::new(Block(seed));
    let codecs = [
        Compression::UNCOMPRESSED,
        Compression::SNAPPY,
        Compression::ZSTD(ZstdLevel::default()),
        Compression::GZIP(GzipLevel::default()),
        Compression::LZ4_RAW,
    ];
    let encodings = [Encoding::PLAIN, Encoding::DELTA_LENGTH_BYTE_ARRAY, Encoding::DELTA_BYTE_ARRAY];
    for run in 0..runs {
        let rows = 1 + rng.below(if run % 4 == 0 { 3000 } else { 140 }) as usize;
        let texts: Vec<String> = (0..rows)
            .map(|i| format!("{}{:x}", "ab".repeat(rng.below(9) as usize), i * rng.below(1000) as usize))
            .collect();
        let field = Type::primitive_type_builder("id", Physical::BYTE_ARRAY);
        let repetition = if run % 2 == 0 { Repetition::REQUIRED } else { Repetition::OPTIONAL };
        let field = field.with_repetition(repetition).with_logical_type(Some(LogicalType::String));
        let fields = vec![Arc::new(field.build().expect("a field"))];
        let schema =
            Arc::new(Type::group_type_builder("schema").with_fields(fields).build().expect("a schema"));
        let version = if run % 3 == 0 { WriterVersion::PARQUET_1_0 } else { WriterVersion::PARQUET_2_0 };
        let properties = WriterProperties::builder()
            .set_writer_version(version)
            .set_dictionary_enabled(run % 5 == 0)
            .set_encoding(encodings[run % 3])
            .set_data_page_row_count_limit(1 + rng.below(500) as usize)
            .set_compression(codecs[rng.below(codecs.len() as u32) as usize]);
        let mut bytes = Vec::new();
        let mut file =
            SerializedFileWriter::new(&mut bytes, schema, Arc::new(properties.build())).expect("a file");
        let mut group = file.next_row_group().expect("a group");
        let mut column = group.next_column().expect("a column").expect("one");
        let values: Vec<ByteArray> = texts.iter().map(|text| text.as_str().into()).collect();
        let levels = vec![1; rows];
        let levels = (repetition == Repetition::OPTIONAL).then_some(&levels[..]);
        column.typed::<ByteArrayType>().write_batch(&values, levels, None).expect("written");
        column.close().expect("closed");
        group.close().expect("closed");
        file.close().expect("closed");
        let dialect = Dialect { format: Some(FileFormat::Parquet), ..Dialect::default() };
        let read = ColumnFile::of(Path::new("x"), bytes.into(), &dialect).expect("a file");
        let read = read.read::<u8>(&[], Some("id"), |_| Ok(0));
        let ids =
            read.unwrap_or_else(|error| panic!("run {run} of seed {seed}: {error}")).ids.expect("asked for");
        assert!(ids.iter().eq(texts.iter().map(String::as_str)), "run {run} of seed {seed}");
    }
}

/// Lists of lengths that say to be long, in few bytes.
#[test]
fn lists_that_say_too_much() {
    let list = |count: u64| {
        let mut bytes = Vec::new();
        [128, 4, count, 0].into_iter().for_each(|number| varint(number, &mut bytes));
        bytes.extend([0; 5 * 10]);
        bytes
    };
    for (encoding, buf, fine) in [
        (Encoding::DELTA_LENGTH_BYTE_ARRAY, list(100), true),
        (Encoding::DELTA_LENGTH_BYTE_ARRAY, list(1 << 36), false),
        (Encoding::DELTA_LENGTH_BYTE_ARRAY, list(u64::MAX), false),
        (Encoding::DELTA_BYTE_ARRAY, [&list(1)[..5], &list(1)].concat(), true),
        (Encoding::DELTA_BYTE_ARRAY, [&list(1)[..5], &list(1 << 36)].concat(), false),
        (Encoding::DELTA_BYTE_ARRAY, [&list(100)[..5], &[0; 5], &list(1 << 36)].concat(), false),
        (Encoding::DELTA_BYTE_ARRAY, list(1 << 36), false),
        (Encoding::PLAIN, list(1 << 36), true),
    ] {
        let page = Page::DataPage {
            buf: buf.into(),
            num_values: 1,
            encoding,
            def_level_encoding: Encoding::RLE,
            rep_level_encoding: Encoding::RLE,
            statistics: None,
        };
        assert_eq!(texts(&page, false).is_some(), fine, "{page:?}");
        struct One(Option<Page>);
        impl Iterator for One {
            type Item = Result<Page>;
            fn next(&mut self) -> Option<Self::Item> {
                self.0.take().map(Ok)
            }
        }
        impl PageReader for One {
            fn get_next_page(&mut self) -> Result<Option<Page>> {
                Ok(self.0.take())
            }
            fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
                Ok(None)
            }
            fn skip_next_page(&mut self) -> Result<()> {
                Ok(())
            }
        }
        if !fine {
            let mut bounded = Bounded::of(Box::new(One(Some(page))), false);
            assert!(bounded.get_next_page().is_err());
            drop(get_column_reader(column(Physical::BYTE_ARRAY), Box::new(bounded)));
        }
    }
}
