//! Values for a circuit's ports from a file, and results as text.

use std::{collections::BTreeMap, fmt, io, path::Path};

use hushtable::circuit::{Circuit, Kind, Port};
use hushtable_columns::{
    Cell, ColumnFile, Dialect, FileFormat, Series,
    failure::{Failure, Result},
    output::Writer,
    read, write_series,
};
use hushtable_jobs::{
    circuit::{no_port, ports},
    count::some,
};
use prim::wipe::Wiped;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// What one party gives: of each input port its words, or nothing.
pub struct Given {
    /// How many evaluations.
    pub rows: usize,
    /// Whether the file says one value for each port, and not a list.
    pub single: bool,
    pub words: Vec<Option<Wiped<u64>>>,
}

/// The values of each port that a file of JSON names; whether they are a list.
type Values = BTreeMap<String, (Vec<String>, bool)>;

impl Given {
    fn none(circuit: &Circuit) -> Self {
        Self { rows: 0, single: true, words: circuit.inputs().iter().map(|_| None).collect() }
    }

    /// Of a file: JSON with a value or a list for each port, or a table with a column for each, written like that.
    pub fn read(path: &Path, circuit: &Circuit, dialect: &Dialect) -> Result<Self> {
        Self::parse(path, read(path)?, circuit, dialect)
    }

    /// Of a file with these bytes.
    pub fn parse(path: &Path, bytes: Wiped<u8>, circuit: &Circuit, dialect: &Dialect) -> Result<Self> {
        let given = match is_json(path) && dialect.format.is_none() {
            true => {
                let (values, single) = json(&bytes).map_err(|what| input(path, &what))?;
                Self { single, ..Self::of_lists(path, circuit, values)? }
            }
            false => Self::of_columns(path, &ColumnFile::of(path, bytes, dialect)?, circuit)?,
        };
        match given.rows {
            0 => {
                Err(input(path, &format!("no values; accepted: one at least for some of {}", ports(circuit))))
            }
            _ => Ok(given),
        }
    }

    fn of_lists(path: &Path, circuit: &Circuit, mut lists: Values) -> Result<Self> {
        if let Some(name) =
            lists.keys().find(|name| !circuit.inputs().iter().any(|port| port.name() == **name))
        {
            return Err(input(path, &no_port(circuit, name)));
        }
        let mut given = Self::none(circuit);
        let mut bad = Bad::default();
        // A value by itself is that of all rows.
        let rows = lists.values().find_map(|(values, list)| list.then_some(values.len())).unwrap_or(1);
        for (port, words) in circuit.inputs().iter().zip(&mut given.words) {
            let Some((mut values, list)) = lists.remove(port.name()) else { continue };
            if !list {
                values = vec![values.remove(0); rows];
            } else if values.len() != rows {
                let (name, some) = (port.name(), some(values.len(), "value"));
                return Err(input(path, &format!("port {name} has {some}; others have {rows}")));
            }
            let mut found = Wiped::zeros(0);
            for (i, value) in values.iter().enumerate() {
                bad.keep(port, value, &mut found, || format!("value {}", i + 1));
            }
            *words = Some(found);
        }
        given.rows = if given.words.iter().any(Option::is_some) { rows } else { 0 };
        bad.check(path).map(|()| given)
    }

    fn of_columns(path: &Path, file: &ColumnFile<'_>, circuit: &Circuit) -> Result<Self> {
        let header = file.header()?;
        let port = |name: &String| circuit.inputs().iter().position(|port| port.name() == name);
        if let Some(name) = header.iter().find(|name| port(name).is_none()) {
            let missing =
                circuit.inputs().iter().filter(|port| !header.iter().any(|name| name == port.name()));
            let hint = missing.map(|port| file.hint(&header, port.name())).find(|hint| !hint.is_empty());
            return Err(file.says(&format!("{}{}", no_port(circuit, name), hint.unwrap_or_default())));
        }
        let columns: Vec<usize> = header.iter().filter_map(port).collect();
        let names: Vec<&str> = header.iter().map(String::as_str).collect();
        let mut given = Self { single: false, ..Self::none(circuit) };
        columns.iter().for_each(|&port| given.words[port] = Some(Wiped::zeros(0)));
        let (mut rows, mut bad) = (0, Bad::default());
        // An empty line is no row. In a table of one column it may be a missing value: all rows behind it would go wrong.
        let (alone, mut before) = (header.len() == 1 && file.place() == "line", 1);
        file.each_row(&names, |at, row| {
            if alone && at > before + 1 {
                bad.add(|| format!("line {}: is empty, where each line is a row", before + 1));
            }
            (rows, before) = (rows + 1, at);
            let place = || format!("{} {at}", file.place());
            let row = match row {
                Ok(row) => row,
                Err(what) => return bad.add(|| format!("{}: {what}", place())),
            };
            for (i, &port) in columns.iter().enumerate() {
                let words = given.words[port].as_mut().expect("a port that is given");
                let (port, cell) = (&circuit.inputs()[port], row(i));
                match &cell {
                    Cell::Text(text) => bad.keep(port, text, words, place),
                    other => match other.text() {
                        Ok(text) => bad.keep(port, &text, words, place),
                        Err(what) => bad.add(|| format!("{}, port {}: {what}", place(), port.name())),
                    },
                }
            }
        })?;
        given.rows = rows;
        bad.check(path).map(|()| given)
    }
}

/// How many complaints an error shows.
const SHOWN: usize = 20;

/// What is wrong with values: the first complaints, and how many there are.
#[derive(Default)]
struct Bad {
    shown: Vec<String>,
    count: usize,
}

impl Bad {
    fn add(&mut self, what: impl FnOnce() -> String) {
        self.count += 1;
        if self.shown.len() < SHOWN {
            self.shown.push(what());
        }
    }

    /// Keeps the words of a value, or a complaint.
    fn keep(&mut self, port: &Port, text: &str, words: &mut Wiped<u64>, place: impl FnOnce() -> String) {
        match port.kind().parse_value(text.trim()).map(Wiped::from) {
            Ok(found) => words.extend_from_slice(&found),
            Err(error) => self.add(|| format!("{}, port {}: {error}", place(), port.name())),
        }
    }

    fn check(self, path: &Path) -> Result<()> {
        let more = self.count - self.shown.len();
        match &self.shown[..] {
            [] => Ok(()),
            [one] => Err(input(path, one)),
            all => {
                let mut text = format!("{} bad values", self.count);
                all.iter().for_each(|what| text += &format!("\n  {what}"));
                if more > 0 {
                    text += &format!("\n  and {more} more like these");
                }
                Err(input(path, &text))
            }
        }
    }
}

fn input(path: &Path, what: &str) -> Failure {
    Failure::input(format!("{}: {what}", path.display()))
}

/// Values as they stand there, so that no digit is lost; and whether there are no lists.
fn json(text: &[u8]) -> std::result::Result<(Values, bool), String> {
    // A mark of the order of bytes says nothing here.
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let Pairs(ports) = serde_json::from_slice(text).map_err(|error| {
        format!("{error}; accepted: an object with a value or a list of values for each port")
    })?;
    let mut single = true;
    let mut all = Values::new();
    for (name, raw) in ports {
        let is_list = raw.get().starts_with('[');
        let values = match is_list {
            true => {
                single = false;
                let list: Vec<Box<RawValue>> =
                    serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
                list.iter().map(|raw| scalar(raw)).collect::<std::result::Result<_, _>>()
            }
            false => scalar(&raw).map(|value| vec![value]),
        };
        let values = values.map_err(|what| format!("port {name}: {what}"))?;
        if all.insert(name.clone(), (values, is_list)).is_some() {
            return Err(format!("two values of the name {name:?}"));
        }
    }
    Ok((all, single))
}

/// What stands in an object, in its order: a name that stands there twice too.
struct Pairs(Vec<(String, Box<RawValue>)>);

impl<'de> Deserialize<'de> for Pairs {
    fn deserialize<D: Deserializer<'de>>(from: D) -> std::result::Result<Self, D::Error> {
        from.deserialize_map(PairsVisitor)
    }
}

struct PairsVisitor;

impl<'de> Visitor<'de> for PairsVisitor {
    type Value = Pairs;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> std::result::Result<Pairs, M::Error> {
        let mut pairs = Vec::new();
        while let Some(pair) = map.next_entry()? {
            pairs.push(pair);
        }
        Ok(Pairs(pairs))
    }
}

fn scalar(raw: &RawValue) -> std::result::Result<String, String> {
    let text = raw.get();
    match text.as_bytes().first() {
        Some(b'"') => serde_json::from_str(text).map_err(|error| error.to_string()),
        Some(b'{' | b'[' | b'n') | None => Err(format!("{text} is no number, text or list of these")),
        _ => Ok(text.to_owned()),
    }
}

/// Results: of each output port its values, as text.
pub struct Results {
    ports: Vec<(Port, Vec<String>)>,
    single: bool,
}

impl Results {
    /// Of the words of each output port.
    pub fn new(circuit: &Circuit, columns: &[Vec<u64>], single: bool) -> Self {
        let of = |(port, words): (&Port, &Vec<u64>)| {
            let each = port.bits().div_ceil(64);
            let values = words.chunks_exact(each).map(|words| port.kind().print_value(words));
            (port.clone(), values.collect())
        };
        Self { ports: circuit.outputs().iter().zip(columns).map(of).collect(), single }
    }

    /// As an object: numbers as numbers where every reader keeps their digits, else as text.
    pub fn json(&self) -> String {
        let port = |(port, values): &(Port, Vec<String>)| {
            let exact = |number: f64| match port.kind() {
                Kind::Bits(_) => false,
                Kind::Unsigned(_) | Kind::Signed(_) => number.abs() <= (1u64 << 53) as f64,
                Kind::Float32 | Kind::Float64 => number.is_finite(),
            };
            let value = |text: &String| match text.parse() {
                Ok(number) if exact(number) => text.clone(),
                _ => serde_json::Value::from(text.as_str()).to_string(),
            };
            let (name, values) = (serde_json::Value::from(port.name()), values.iter().map(value));
            match &values.collect::<Vec<_>>()[..] {
                [one] if self.single => format!("{name}: {one}"),
                values => format!("{name}: [{}]", values.join(", ")),
            }
        };
        format!("{{{}}}\n", self.ports.iter().map(port).collect::<Vec<_>>().join(", "))
    }

    /// In the format of the file's extension, with a column for each port where it has columns.
    pub fn write(&self, path: &Path, to: &mut Writer<'_>) -> io::Result<()> {
        if is_json(path) {
            return io::Write::write_all(to, self.json().as_bytes());
        }
        match FileFormat::of(path) {
            FileFormat::Csv => self.csv(to),
            format => {
                let column =
                    |(port, values): &(Port, Vec<String>)| (port.name().into(), series(port, values));
                write_series(to, format, &self.ports.iter().map(column).collect::<Vec<_>>())
            }
        }
    }

    fn csv(&self, to: impl io::Write) -> io::Result<()> {
        let mut to = csv::Writer::from_writer(to);
        to.write_record(self.ports.iter().map(|(port, _)| port.name()))?;
        for row in 0..self.ports.first().map_or(0, |(_, values)| values.len()) {
            to.write_record(self.ports.iter().map(|(_, values)| &values[row]))?;
        }
        to.flush()
    }
}

/// Refuses a file of results in a format that is not written.
pub fn check_output(path: &Path) -> Result<()> {
    if is_json(path) {
        return Ok(());
    }
    FileFormat::of_output(path)
        .map(drop)
        .map_err(|failure| failure.worded(|text| format!("{text}, or .json")))
}

fn is_json(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"))
}

/// Values as the type that holds them all exactly.
fn series(port: &Port, values: &[String]) -> Series {
    fn all<T: std::str::FromStr>(values: &[String]) -> Vec<Option<T>> {
        values.iter().map(|value| value.parse().ok()).collect()
    }
    match port.kind() {
        Kind::Unsigned(..=63) | Kind::Signed(..=64) => Series::Whole(all(values)),
        Kind::Float32 | Kind::Float64 => Series::Number(all(values)),
        _ => Series::Text(all(values)),
    }
}
