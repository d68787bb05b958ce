//! A compared table as a picture: a panel for each column, our lines strong, the paper's pale.

use std::{collections::BTreeMap, error::Error, result};

use hushtable_columns::failure::{Failure, Result};
use plotters::{coord::Shift, prelude::*};

use super::{measure::Line, table::Table};

/// Pixels of a panel.
const PANEL: (u32, u32) = (420, 320);
/// Panels side by side.
const ACROSS: usize = 3;
/// Pixels of the title, and of each line of the legend.
const HEADING: u32 = 34;
const LEGEND: i32 = 18;

type Drawn = result::Result<(), Box<dyn Error>>;
type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Whose figures: a system of the paper as printed, our version of it, what the planner chooses.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Whose<'a> {
    Paper(&'a str),
    Ours(&'a str),
    Auto,
}

/// The SVG file's text.
pub fn svg(table: &Table, lines: &[Line]) -> Result<String> {
    let mut out = String::new();
    draw(table, lines, &mut out).map_err(|e| Failure::new(format!("plot: {e}")))?;
    Ok(out)
}

fn draw(table: &Table, lines: &[Line], out: &mut String) -> Drawn {
    let mut rows: Vec<&str> = lines.iter().map(|line| line.row).collect();
    rows.sort_unstable();
    rows.dedup();
    let panels: Vec<_> = lines.chunk_by(|a, b| a.column == b.column).collect();
    let (across, down) = (panels.len().min(ACROSS), panels.len().div_ceil(ACROSS));
    let top = HEADING + LEGEND as u32 * (rows.len() as u32 + 1);
    let root = SVGBackend::with_string(out, (PANEL.0 * across as u32, PANEL.1 * down as u32 + top));
    let root = root.into_drawing_area();
    root.fill(&WHITE)?;
    let (head, body) = root.split_vertically(top);
    head.draw(&Text::new(format!("{}: {}", table.name, table.title), (10, 10), ("sans-serif", 17)))?;
    let shown = rows.iter().flat_map(|row| [Whose::Paper(row), Whose::Ours(row)]).chain([Whose::Auto]);
    for (i, whose) in shown.enumerate() {
        let at = (10 + 200 * (i as i32 % 2), HEADING as i32 + LEGEND * (i as i32 / 2));
        head.draw(&PathElement::new([at, (at.0 + 20, at.1)], whose.style(&rows)))?;
        head.draw(&Text::new(whose.name(), (at.0 + 26, at.1 - 6), ("sans-serif", 13)))?;
    }
    for (panel, area) in panels.iter().zip(body.split_evenly((down, across))) {
        draw_panel(panel, &rows, &area)?;
    }
    root.present()?;
    Ok(())
}

fn draw_panel(lines: &[Line], rows: &[&str], area: &Area) -> Drawn {
    let mut keys: Vec<&str> = Vec::new();
    let mut series = BTreeMap::<Whose, BTreeMap<i32, f64>>::new();
    for line in lines {
        let x = keys.iter().position(|key| *key == line.key).unwrap_or(keys.len());
        if x == keys.len() {
            keys.push(line.key);
        }
        let paper = (Whose::Paper(line.row), line.corrected.or(line.paper));
        for (whose, value) in [paper, (Whose::Ours(line.row), line.ours), (Whose::Auto, line.auto)] {
            // Of several rows for one job the best; nothing but positive numbers on a log scale.
            if let Some(value) = value.filter(|value| *value > 0.0) {
                let best = series.entry(whose).or_default().entry(x as i32).or_insert(value);
                *best = if line.unit == "ratio" { best.max(value) } else { best.min(value) };
            }
        }
    }
    let values = || series.values().flat_map(BTreeMap::values);
    let (low, high) = values().fold((f64::MAX, 0.0_f64), |(low, high), v| (v.min(low), v.max(high)));
    if low > high {
        return Ok(());
    }
    let mut chart = ChartBuilder::on(area)
        .caption(format!("{} ({})", lines[0].column, lines[0].unit), ("sans-serif", 14))
        .margin(12)
        .x_label_area_size(80)
        .y_label_area_size(56)
        .build_cartesian_2d(0..(keys.len() as i32 - 1).max(1), (low / 1.5..high * 1.5).log_scale())?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(BLACK.mix(0.12))
        .x_labels(keys.len())
        .x_label_formatter(&|x| below(keys.get(*x as usize).copied().unwrap_or_default()))
        .x_label_style(("sans-serif", 11).into_font().transform(FontTransform::Rotate90))
        .draw()?;
    for (whose, points) in series {
        chart.draw_series(LineSeries::new(points, whose.style(rows)).point_size(2))?;
    }
    Ok(())
}

/// A label that stands below the axis when it is turned, because its middle is put there: as much
/// room before it as it is long.
fn below(label: &str) -> String {
    format!("{label:\u{a0}>0$}", 2 * label.len())
}

impl Whose<'_> {
    fn name(self) -> String {
        match self {
            Self::Paper(row) => format!("{row}, the paper"),
            Self::Ours(row) => format!("{row}, ours"),
            Self::Auto => "ours, as planned".into(),
        }
    }

    fn style(self, rows: &[&str]) -> ShapeStyle {
        let color = |row| Palette99::pick(rows.iter().position(|known| *known == row).unwrap_or_default());
        match self {
            Self::Paper(row) => color(row).mix(0.4).stroke_width(2),
            Self::Ours(row) => color(row).stroke_width(2),
            Self::Auto => BLACK.stroke_width(2),
        }
    }
}
