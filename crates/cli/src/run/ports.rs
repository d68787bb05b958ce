//! Values for a circuit's ports from a file, and results as text.

use std::{collections::BTreeMap, fmt, io, path::Path};

use hushtable::circuit::{Circuit, Kind, Port};
use hushtable_columns::failure::{Failure, Result};
use prim::wipe::Wiped;
use serde::{
    Deserialize, Deserializer,
    de::{MapAccess, Visitor},
};
use serde_json::value::RawValue;

/// What one party gives: of each input port its words, or nothing.
pub struct Given {
    /// How many evaluations; `None` if it gives nothing.
    pub rows: Option<usize>,
    /// Whether the file says one value for each port, and not a list.
    pub single: bool,
    pub words: Vec<Option<Wiped<u64>>>,
}

/// The rows of each port that a file names.
type Cells = BTreeMap<String, Vec<String>>;

impl Given {
    /// Nothing.
    pub fn none(circuit: &Circuit) -> Self {
        Self { rows: None, single: true, words: circuit.inputs().iter().map(|_| None).collect() }
    }

    /// Of a file: JSON with a value or a list for each port, or CSV with a column for each.
    pub fn read(path: &Path, circuit: &Circuit) -> Result<Self> {
        Self::parse(path, &std::fs::read(path).map_err(Failure::file(path))?, circuit)
    }

    /// Of a file with these bytes.
    pub fn parse(path: &Path, text: &[u8], circuit: &Circuit) -> Result<Self> {
        let is_json = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("json"));
        let (cells, single) = match is_json {
            true => json(text).map_err(|what| input(path, &what))?,
            false => (table(text).map_err(|what| input(path, &what))?, false),
        };
        Self::of(path, circuit, cells, single, is_json)
    }

    fn of(path: &Path, circuit: &Circuit, mut cells: Cells, single: bool, is_json: bool) -> Result<Self> {
        let mut rows = None;
        let mut words = Vec::new();
        for port in circuit.inputs() {
            let Some(values) = cells.remove(port.name()) else {
                words.push(None);
                continue;
            };
            let expected = *rows.get_or_insert(values.len());
            if values.len() != expected {
                let what =
                    format!("port {} has {} values; others have {expected}", port.name(), values.len());
                return Err(input(path, &what));
            }
            words.push(Some(parsed(path, port, &values, is_json)?));
        }
        match cells.keys().next() {
            None => Ok(Self { rows, single, words }),
            Some(name) => {
                let ports: Vec<&str> = circuit.inputs().iter().map(Port::name).collect();
                let what =
                    format!("{name:?} is no input port of {}; it has {}", circuit.name(), ports.join(", "));
                Err(input(path, &what))
            }
        }
    }
}

fn parsed(path: &Path, port: &Port, values: &[String], is_json: bool) -> Result<Wiped<u64>> {
    let each = port.bits().div_ceil(64);
    let mut words = Wiped::zeros(each * values.len());
    for ((row, value), to) in values.iter().enumerate().zip(words.chunks_exact_mut(each)) {
        let found = port.kind().parse_value(value.trim()).map_err(|error| {
            let place = if is_json { format!("value {}", row + 1) } else { format!("line {}", row + 2) };
            input(path, &format!("{place}, port {}: {error}", port.name()))
        })?;
        to.copy_from_slice(&found);
    }
    Ok(words)
}

fn input(path: &Path, what: &str) -> Failure {
    Failure::input(format!("{}: {what}", path.display()))
}

/// Values as they stand there, so that no digit is lost; and whether there are no lists.
fn json(text: &[u8]) -> std::result::Result<(Cells, bool), String> {
    let Pairs(ports) = serde_json::from_slice(text).map_err(|error| {
        format!("{error}; accepted: an object with a value or a list of values for each port")
    })?;
    let mut single = true;
    let mut cells = Cells::new();
    for (name, raw) in ports {
        let values = match raw.get().starts_with('[') {
            true => {
                single = false;
                let list: Vec<Box<RawValue>> =
                    serde_json::from_str(raw.get()).map_err(|error| error.to_string())?;
                list.iter().map(|raw| scalar(raw)).collect::<std::result::Result<_, _>>()
            }
            false => scalar(&raw).map(|value| vec![value]),
        };
        let values = values.map_err(|what| format!("port {name}: {what}"))?;
        if cells.insert(name.clone(), values).is_some() {
            return Err(format!("two values of the name {name:?}"));
        }
    }
    Ok((cells, single))
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

/// Columns of a CSV file with a header.
fn table(text: &[u8]) -> std::result::Result<Cells, String> {
    let mut reader = csv::ReaderBuilder::new().trim(csv::Trim::All).from_reader(text);
    let header: Vec<String> =
        reader.headers().map_err(|error| error.to_string())?.iter().map(str::to_owned).collect();
    let mut columns: Vec<Vec<String>> = vec![Vec::new(); header.len()];
    for record in reader.records() {
        let record = record.map_err(|error| error.to_string())?;
        columns.iter_mut().zip(&record).for_each(|(column, cell)| column.push(cell.to_owned()));
    }
    let mut cells = Cells::new();
    for (name, column) in header.into_iter().zip(columns) {
        if cells.insert(name.clone(), column).is_some() {
            return Err(format!("two columns of the name {name:?}"));
        }
    }
    Ok(cells)
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

    /// As CSV with a column for each port.
    pub fn csv(&self, to: impl io::Write) -> io::Result<()> {
        let mut to = csv::Writer::from_writer(to);
        to.write_record(self.ports.iter().map(|(port, _)| port.name()))?;
        for row in 0..self.ports.first().map_or(0, |(_, values)| values.len()) {
            to.write_record(self.ports.iter().map(|(_, values)| &values[row]))?;
        }
        to.flush()
    }
}
