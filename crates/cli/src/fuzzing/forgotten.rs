//! What is read and written, and then forgotten: for the test that looks at what is freed.

use std::{path::Path, sync::Arc};

use apps::ids::Rules;
use hushtable::Role;
use hushtable_columns::{
    ColumnFile, Dialect, Format, Rounding,
    numbers::Source,
    output::{Output, PRIVATE},
    shares::ShareFile,
};
use hushtable_jobs::join::{
    agree::Offer,
    asked::Duplicates,
    column::Column,
    file::{JoinedFile, Owned, Shared, Table},
    rows::{Reading, Rows},
};
use prim::wipe::Wiped;
use zeroize::Zeroizing;

/// Reads the numbers of a file, with `args` as of `apply`, and forgets them: for the test that looks at what is freed.
pub fn forget(path: &Path, args: &[&str]) {
    #[derive(clap::Parser)]
    struct Only {
        #[command(flatten)]
        dialect: Dialect,
    }
    let Only { dialect } = clap::Parser::parse_from([""].iter().chain(args));
    let source = Source::open(path, &dialect).expect("a good file");
    let format = source.format().unwrap_or(Format { bits: 64, fraction_bits: 16 });
    let column = source.shares.is_none().then_some("score");
    let (ids, x) = source.numbers(column, Some("id"), format, Rounding::Nearest).expect("good numbers");
    assert!(ids.is_none_or(|ids| ids.len() == x.words.len()));
}

/// Reads the rows of a file as `join` does by these columns, whole ones too, writes a file of shares that holds their words, reads it
/// again, and forgets all of it.
pub fn forget_join(path: &Path, ids: &[&str], to: &Path) {
    let dialect = Dialect::default();
    let file = ColumnFile::open(path, &dialect).expect("a good file");
    let columns = &[Column::parse("score", 16).expect("a column")];
    let ids: &Vec<String> = &ids.iter().map(|&id| id.to_owned()).collect();
    let rules = &vec![Rules::default(); ids.len()];
    let (duplicates, pad_to, most) = (Duplicates::All, None, usize::MAX);
    let reading = Reading { ids, rules, columns, duplicates, whole: true, pad_to, most };
    let mut rows = Rows::read(&file, path, &reading).expect("good rows");
    assert_eq!(rows.set().expect("each once").len(), rows.ids());
    let bins = rows.ids();
    let matched = || Shared::of(&vec![0; bins.div_ceil(64)]);
    let words = columns[0].words(&rows.values[0], true);
    let table = Table::new(Role::P0, bins, matched(), words.into_iter().map(Shared::from).collect());
    let tables = [columns.to_vec(), vec![]].map(|columns| Offer { rows: bins, columns });
    let places = Shared::from(Wiped::from((0..bins as u64).collect::<Vec<_>>()));
    let owned = Some(Owned { ids: std::mem::take(&mut rows.names), rows: places });
    let made = JoinedFile::new([7; 32], Role::P0, tables, vec![table], owned);
    Output::reserve(to, &[], PRIVATE, true).and_then(|to| to.write(|to| made.write(to))).expect("a disk");
    assert_eq!(JoinedFile::read(to).expect("what was written").joins[0].bins, bins);
}

/// Writes shares as `apply` does, of rows with names that tell them.
pub fn write_shares(path: &Path, shares: Vec<u64>) {
    let format = Format { bits: 64, fraction_bits: 16 };
    let range = [i64::MIN, i64::MAX];
    let ids = Some(Arc::new(shares.iter().map(|share| Zeroizing::new(format!("c{share}"))).collect()));
    let made = ShareFile::new("sigmoid", [7; 32], Role::P0, format, range, shares.into());
    let file = ShareFile { ids, ..made }.sealed();
    let output = Output::reserve(path, &[], PRIVATE, false).expect("a new file");
    output.write(|to| file.write(to)).expect("a disk");
}
