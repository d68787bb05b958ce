//! `paper`: a paper's table with what this program measures beside each cell.

mod measure;
mod plot;
mod print;
mod table;
mod unmeasured;

use std::{fs, io::Write, path::PathBuf};

use clap::Args;
use hushtable::net::LinkShape;
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::extension::Extension;

use self::{
    measure::{Line, Measured, Origin},
    table::{Bounds, Table},
};
use crate::{
    report::{self, Format},
    run::Options,
};

/// Which tables, and where to.
#[derive(Args, Debug)]
pub struct PaperTables {
    /// The tables, by the names that `--list` shows
    #[arg(value_name = "TABLE", required_unless_present = "list")]
    tables: Vec<String>,
    /// Lists the tables, and those that are not measured with the reason
    #[arg(long, exclusive = true)]
    list: bool,
    /// Only rows that have all these words, for example rotl,n=256
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    rows: Vec<String>,
    /// At most so many lookups or OTs a run; without it as many as the paper, 1 to 2^28. A row that this changes says so
    /// and has no ratio
    #[arg(long, value_name = "B", default_value = "268435456", hide_default_value = true, value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    batch: u32,
    /// At most so many rows of a private table; without it as many as the paper, 1 to 2^28
    #[arg(long, value_name = "N", default_value = "268435456", hide_default_value = true, value_parser = clap::value_parser!(u32).range(1..=1 << 28))]
    table_rows: u32,
    /// Runs of each kind; the median of each time counts
    #[arg(long, value_name = "N", default_value = "1", value_parser = clap::value_parser!(u16).range(1..=1000))]
    repeat: u16,
    /// Seconds without progress before a party gives up, 1 to 3600
    #[arg(long, value_name = "S", default_value = "120", value_parser = clap::value_parser!(u32).range(1..=3600))]
    timeout: u32,
    /// Also writes the cells as CSV; for one table
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,
    /// Also draws the table as SVG; for one table
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    /// Also writes TABLE.csv, TABLE.svg and TABLE.txt of each table into this folder
    #[arg(long, value_name = "DIR", conflicts_with_all = ["csv", "plot"])]
    out: Option<PathBuf>,
    /// Replaces files that are there
    #[arg(long)]
    force: bool,
    /// The day, which each line of the CSV then has
    #[arg(long, value_name = "DAY", default_value = "", hide_default_value = true)]
    date: String,
    /// The commit that this program was built of, which each line of the CSV then has
    #[arg(long, value_name = "COMMIT", default_value = "", hide_default_value = true)]
    commit: String,
    /// One line of JSON a table, or text
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Where a table goes besides standard output.
struct Files {
    csv: Option<PathBuf>,
    plot: Option<PathBuf>,
    text: Option<PathBuf>,
}

/// Runs the subcommand.
pub fn run(args: &PaperTables) -> Result<()> {
    if args.list {
        return list();
    }
    if args.tables.len() > 1 && (args.csv.is_some() || args.plot.is_some()) {
        return Err(Failure::new("--csv and --plot are for one table; --out DIR takes several"));
    }
    let tables = args.tables.iter().map(|name| Table::load(name)).collect::<Result<Vec<_>>>()?;
    let most = Bounds { items: args.batch, rows: args.table_rows };
    let cells = tables.iter().map(|t| measure::cells(t, &args.rows, most)).collect::<Result<Vec<_>>>()?;
    for (table, cells) in tables.iter().zip(&cells) {
        if cells.is_empty() {
            let known: Vec<String> = table.rows.iter().map(table::Row::label).collect();
            let known = known.join(", ");
            return Err(Failure::new(format!(
                "no row of {} has {:?}; there are {known}",
                table.name, args.rows
            )));
        }
    }
    let files = tables.iter().map(|table| args.files(table.name)).collect::<Result<Vec<_>>>()?;
    let (repeat, timeout) = (args.repeat, args.timeout);
    let options =
        Options { threads: 1, net: LinkShape::LOOPBACK, ot: Extension::Auto, tls: false, repeat, timeout };
    let mut measured = Measured::default();
    let (date, commit) = (args.date.as_str(), args.commit.as_str());
    let origin = Origin { runs: repeat, cpu: &report::cpu(), date, commit };
    for ((table, cells), files) in tables.iter().zip(&cells).zip(files) {
        measured.complete(cells, &options)?;
        let lines: Vec<Line> = cells.iter().map(|cell| measured.line(table, cell, &origin)).collect();
        files.write(table, &lines)?;
        print_out(&match args.format {
            Format::Json => print::json(table, &lines),
            Format::Table => print::text(table, &lines),
        })?;
    }
    Ok(())
}

impl PaperTables {
    /// Refuses, before any work, what is there already.
    fn files(&self, table: &str) -> Result<Files> {
        if let Some(folder) = &self.out {
            fs::create_dir_all(folder).map_err(Failure::writing(folder))?;
        }
        let in_folder = |ending: &str| Some(self.out.as_ref()?.join(format!("{table}.{ending}")));
        let plot = self.plot.clone().or_else(|| in_folder("svg"));
        if let Some(path) = plot.as_deref().filter(|path| path.extension().is_none_or(|e| e != "svg")) {
            return Err(Failure::new(format!("{}: plots are SVG; name the file .svg", path.display())));
        }
        let csv = self.csv.clone().or_else(|| in_folder("csv"));
        let text = in_folder("txt");
        if let Some(path) =
            [&csv, &plot, &text].into_iter().flatten().find(|path| !self.force && path.exists())
        {
            return Err(Failure::new(format!("{}: is there already; --force replaces it", path.display())));
        }
        Ok(Files { csv, plot, text })
    }
}

impl Files {
    fn write(self, table: &Table, lines: &[Line]) -> Result<()> {
        if let Some(path) = self.csv {
            let file = fs::File::create(&path);
            file.and_then(|file| print::csv(lines, file)).map_err(Failure::writing(&path))?;
        }
        if let Some(path) = self.plot {
            fs::write(&path, plot::svg(table, lines)?).map_err(Failure::writing(&path))?;
        }
        if let Some(path) = self.text {
            fs::write(&path, print::text(table, lines)).map_err(Failure::writing(&path))?;
        }
        Ok(())
    }
}

fn list() -> Result<()> {
    let lines = Table::all().map(|table| {
        let table = table?;
        Ok(format!("{:20} {}\n{:20} {}\n", table.name, table.title, "", table.source))
    });
    let mut text = lines.collect::<Result<String>>()? + "\nNot measured:\n";
    let unmeasured = unmeasured::all()?;
    unmeasured.left.iter().for_each(|left| text.push_str(&format!("{left}\n")));
    unmeasured.rows.iter().for_each(|rows| text.push_str(&format!("{rows}\n")));
    print_out(&text)
}

fn print_out(text: &str) -> Result<()> {
    std::io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
}
