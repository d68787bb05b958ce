//! Whether two parties' objects are closer to each other than a distance.

mod pairs;

use std::{path::PathBuf, str::FromStr, sync::Arc};

use crate::{
    agree::Accord,
    delivery::Delivery,
    job::{Body, Job},
    link::Link,
    options::refuse,
    proximity::pairs::Pairs,
    shared_results::SHARED_BITS,
    stock::Stored,
};
use apps::proximity::{PLANE, Places, Proximity};
use clap::Args;
use hushtable::{operation::Operation, run::Reveal};
use hushtable_columns::{ColumnFile, Columns, Dialect, Style, failure::Result, named, numbers::Operand};
use prim::wipe::Wiped;

const EXAMPLES: &str = "\
Each party has the places of its own objects, and neither sees the other's. A row's result is one bit: whether the two \
objects are at most as far apart as --within says. Whoever gets it learns whether the other's object lies in that circle \
around its own, and nothing else; runs over the same rows with other distances or places add up.
  Places are degrees of latitude and longitude, -90 to 90 and -180 to 180, and distances are great circles on a sphere \
of the earth's mean radius: true distances differ by up to half a percent. With --plane both parties have metres east \
and north of one point, -10000000 to 10000000, and distances are those in the plane. Objects whose distance is nearer \
to --within than the error of the card may be judged either way. It is about a fifth of a metre for up to some \
thousand km; on the sphere 0.31 m at 10000 km, 2.73 m at 19000 km, up to 2.4 km half way around. --dry-run shows it.
  Rows are matched by position: both files must have the same ids in the same order, which is compared at the start; \
an id names a pair of objects then. With --all-pairs N each row is compared with each of the peer's N rows, and ids \
stay here: a result has this party's id and the number of the peer's row, counted from 1. Each of the peer's objects \
is then compared with all places here, and each object here with all of the peer's: together these results locate an \
object more closely than one circle does. --reveal none cannot be combined with it.

Examples:
  Whether tug and ferry were within 250 m of each other, row by row; the harbour alone learns it:
    hushtable proximity --mine tug.csv --within 250m --reveal me --output near.csv \\
        --listen 0.0.0.0:7000 --identity harbour.id
    hushtable proximity --mine ferry.csv --within 250m --reveal peer \\
        --connect harbour.example:7000 --identity line.id
  Each of 40 tugs with each of 25 ferries; each party gives the other's number:
    hushtable proximity --mine tugs.csv --within 2.5km --all-pairs 25 --reveal me \\
        --output near.csv --listen 0.0.0.0:7000 --identity harbour.id
    hushtable proximity --mine ferries.csv --within 2.5km --all-pairs 40 --reveal peer \\
        --connect harbour.example:7000 --identity line.id
  Columns of other names; each party names its own:
    hushtable proximity --mine pilots.csv --id boat --latitude lat --longitude lon \\
        --within 2.5km --all-pairs 25 --reveal me --output near.csv \\
        --listen 0.0.0.0:7000 --identity harbour.id
    hushtable proximity --mine ferries.csv --within 2.5km --all-pairs 3 --reveal peer \\
        --connect harbour.example:7000 --identity line.id
  What it would show, to whom, with which error and at what cost; nothing is sent:
    hushtable explain proximity --mine tug.csv --within 250m --reveal me \\
        --listen 0.0.0.0:7000 --identity harbour.id";

/// Tell whether two parties' objects are closer than a distance, without showing where they are
///
/// The listening party is P0. The result is the column `within_D`: 1 if both objects are at most D apart, else 0.
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct ProximityArgs {
    /// This party's places: a CSV file with a header, or a Parquet or Arrow file
    #[arg(long, value_name = "FILE")]
    pub mine: PathBuf,
    /// The distance, with its unit: 250m or 2.5km; the peer asks the same
    #[arg(long, value_name = "DISTANCE")]
    pub within: Distance,
    /// The column that names the rows
    #[arg(long, value_name = "NAME", default_value = "id", value_parser = named::name)]
    pub id: String,
    /// The column of latitudes in degrees, north positive [default: latitude]
    #[arg(long, value_name = "NAME", value_parser = named::name)]
    pub latitude: Option<String>,
    /// The column of longitudes in degrees, east positive [default: longitude]
    #[arg(long, value_name = "NAME", value_parser = named::name)]
    pub longitude: Option<String>,
    /// Places are metres in a plane; the peer's are metres east and north of the same point
    #[arg(long)]
    pub plane: bool,
    /// The column of metres east, with --plane [default: east]
    #[arg(long, value_name = "NAME", value_parser = named::name)]
    pub east: Option<String>,
    /// The column of metres north, with --plane [default: north]
    #[arg(long, value_name = "NAME", value_parser = named::name)]
    pub north: Option<String>,
    /// Compare each row with each of the peer's N rows; at most 1048576 pairs
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub all_pairs: Option<u32>,
    #[command(flatten)]
    pub csv: Dialect,
    #[command(flatten)]
    pub accord: Accord,
    #[command(flatten)]
    pub delivery: Delivery,
    #[command(flatten)]
    pub stored: Stored,
    #[command(flatten)]
    pub link: Link,
}

/// A distance as it was written, and in metres.
#[derive(Clone, Debug)]
pub struct Distance {
    pub text: String,
    pub metres: f64,
}

impl FromStr for Distance {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        let (number, unit) = match (text.strip_suffix("km"), text.strip_suffix('m')) {
            (Some(number), _) => (number, 1000.0),
            (None, Some(number)) => (number, 1.0),
            (None, None) => return Err("a distance has a unit: 250m or 2.5km".into()),
        };
        let metres = number.trim().parse().ok().filter(|v: &f64| v.is_finite());
        let metres = metres.ok_or("expected a number and its unit, such as 250m or 2.5km")?;
        // To a millionth of a metre: 1.001 km are 1001 m, and not a little less.
        Ok(Self { text: text.replace(' ', ""), metres: (metres * unit * 1e6).round() / 1e6 })
    }
}

/// What is asked about places of a kind. `shared`: its results stay shared.
pub fn operation(within: f64, plane: bool, shared: bool) -> Result<Box<dyn Operation>> {
    let proximity = Proximity::new(within, if plane { Places::Plane } else { Places::Own })?;
    Ok(Box::new(if shared { proximity.additive(SHARED_BITS) } else { proximity }))
}

/// Reads and checks everything.
pub fn job(args: &ProximityArgs) -> Result<Job> {
    let reveal = args.accord.reveal(&args.link, None)?;
    refuse(&[
        (
            args.plane,
            "is for degrees; --plane has --east and --north",
            &[("--latitude", args.latitude.is_some()), ("--longitude", args.longitude.is_some())],
        ),
        (!args.plane, "needs --plane", &[("--east", args.east.is_some()), ("--north", args.north.is_some())]),
        (
            reveal == Reveal::Nobody,
            "cannot be combined with --reveal none: a share file has no names for pairs",
            &[("--all-pairs", args.all_pairs.is_some())],
        ),
    ])?;
    let body = Body::Other(operation(args.within.metres, args.plane, reveal == Reveal::Nobody)?);
    let (read, columns, style) = places(args)?;
    let rows = read.places.len();
    let pairs = args.all_pairs.map(|others| Pairs::new(args.link.role(), rows, others as usize));
    let pairs = pairs.transpose()?;
    let operand = |words: Wiped<u64>| {
        let words = match &pairs {
            None => words,
            Some(pairs) => pairs.of(&words),
        };
        Operand {
            words,
            range: [0, 0],
            pairing: ["places".to_owned(), "places".to_owned()],
            error: Some(0.0),
        }
    };
    let operands: Vec<Operand> = columns.into_iter().map(operand).collect();
    let (column, threads) = (format!("within_{}", args.within.text), args.accord.threads);
    let gives = vec![true; operands.len()];
    let (ids, labels) = match (pairs, read.ids) {
        (Some(pairs), Some(ids)) => (None, Some(pairs.labels(&ids))),
        (_, ids) => (ids.map(Arc::new), None),
    };
    let mut job = Job::new(threads, reveal, body, column, ids, operands, gives);
    (job.labels, job.error, job.style) = (labels, Some(0.0), style);
    Ok(job)
}

/// The rows of this party's places, and their coordinates as the operation takes them.
fn places(args: &ProximityArgs) -> Result<(Columns<f64>, Vec<Wiped<u64>>, Style)> {
    let or = |name: &Option<String>, other: &str| name.clone().unwrap_or_else(|| other.to_owned());
    let (names, ends, unit) = match args.plane {
        true => ([or(&args.east, "east"), or(&args.north, "north")], [PLANE; 2], "metres"),
        false => {
            ([or(&args.latitude, "latitude"), or(&args.longitude, "longitude")], [90.0, 180.0], "degrees")
        }
    };
    let file = ColumnFile::open(&args.mine, &args.csv)?;
    file.check_standing()?;
    let read = file.read_each(&names.each_ref().map(String::as_str), Some(&args.id), |column, value| {
        let end = ends[column];
        let inside = (-end..=end).contains(&value).then_some(value);
        inside.ok_or_else(|| format!("is outside -{end} to {end} {unit}"))
    })?;
    let columns = match args.plane {
        true => coordinates(&file, &read, Proximity::plane)?,
        false => coordinates(&file, &read, Proximity::coordinates)?,
    };
    Ok((read, columns, file.style().of_ids(&[args.id.as_str()], "")))
}

/// All rows' coordinates, one after the other.
fn coordinates<const N: usize>(
    file: &ColumnFile,
    read: &Columns<f64>,
    of: impl Fn(f64, f64) -> hushtable::Result<[u64; N]>,
) -> Result<Vec<Wiped<u64>>> {
    (0..N)
        .map(|i| file.each(read, |place| of(place[0], place[1]).map(|all| all[i]).map_err(|e| e.to_string())))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_have_units() {
        let metres = |text: &str| text.parse::<Distance>().map(|d| (d.metres, d.text));
        assert_eq!(metres("250m"), Ok((250.0, "250m".into())));
        assert_eq!(metres("2.5km"), Ok((2500.0, "2.5km".into())));
        assert_eq!(metres("0.5 km"), Ok((500.0, "0.5km".into())));
        assert_eq!(metres("1.001km").map(|d| d.0), metres("1001m").map(|d| d.0));
        for text in ["250", "m", "km", "2,5km", "nanm", "infkm", "250 miles", ""] {
            assert!(metres(text).is_err(), "{text}");
        }
    }
}
