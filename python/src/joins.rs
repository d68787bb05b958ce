//! Intersections, joins, and what is told of joined columns.

use std::sync::Arc;

use apps::{
    ids::{Looks, Rules, Set, Shape},
    join::{Column, Join, JoinTables, Joined},
    psi::{Intersect, Learns, Psi},
    statistics::{Group, GroupNoise, GroupShape},
};
use hushtable::{
    Error,
    chance::Chance,
    operation::Operation,
    run::{Outcome, Reveal},
    share::Share,
};
use numpy::{IntoPyArray, PyArray1, PyReadonlyArray1};
use prim::Wiped;
use pyo3::{exceptions::PyTypeError, prelude::*};

use crate::{
    error::raise,
    party::{Party, role},
    running::outcomes,
};

/// This party's ids, in one form and hashed: fixed.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Ids {
    set: Arc<Set>,
    columns: usize,
    hints: Vec<String>,
    /// How most look, of each column.
    shapes: Vec<Shape>,
}

#[pymethods]
impl Ids {
    /// Rows of texts, column by column, and how they are brought into one form.
    #[new]
    fn new(py: Python<'_>, fields: Vec<Vec<String>>, rules: &str) -> PyResult<Self> {
        let param = |accepted| Error::Param { what: "normalise", got: rules.to_owned(), accepted };
        let asked: Rules = rules.parse().map_err(|why| raise(py, &param(why)))?;
        let columns = fields.len();
        let rows = fields.first().map_or(0, Vec::len);
        if fields.iter().any(|field| field.len() != rows) {
            return Err(PyTypeError::new_err("columns of ids differ in length"));
        }
        let made = py.detach(move || {
            let row = |i: usize| fields.iter().map(|field| field[i].as_str()).collect::<Vec<&str>>();
            let set = Set::new(asked, (0..rows).map(row))?;
            let hints = fields.iter().enumerate().filter_map(|(i, field)| hint(i, field, asked)).collect();
            let shapes = fields.iter().map(|field| shape(field, asked)).collect();
            Ok((set, hints, shapes))
        });
        let (set, hints, shapes) = made.map_err(|e| raise(py, &e))?;
        Ok(Self { set: Arc::new(set), columns, hints, shapes })
    }

    /// How many there are.
    #[getter]
    fn rows(&self) -> usize {
        self.set.len()
    }

    /// What another party might write otherwise.
    #[getter]
    fn hints(&self) -> Vec<String> {
        self.hints.clone()
    }

    /// Of how many columns each is made.
    #[getter]
    fn columns(&self) -> usize {
        self.columns
    }
}

/// How most ids of a column look.
fn shape(fields: &[String], rules: Rules) -> Shape {
    let forms: Vec<_> = fields.iter().map(|field| rules.form(field).unwrap_or_default()).collect();
    Shape::of(forms.iter().map(|form| form.as_str()))
}

/// What is remarkable about a column of ids, and the rules that settle it, where there are some.
fn hint(column: usize, fields: &[String], rules: Rules) -> Option<String> {
    let mut looks = Looks::new(rules);
    fields.iter().for_each(|field| looks.see(&rules.form(field).unwrap_or_default()));
    let row = |remark: &apps::ids::Remark| format!("{} (see row {})", remark.what, remark.row);
    let what = looks.remarks().iter().map(row).collect::<Vec<_>>().join("; ");
    let advice = looks.advice(asks).map(|advice| format!(". {advice}")).unwrap_or_default();
    (!what.is_empty()).then(|| {
        format!(
            "ids, column {column}: {what}. If the peer writes an id differently, it will not match, and nothing will say \
             so{advice}"
        )
    })
}

/// How one asks for rules.
fn asks(rules: &str) -> String {
    format!("normalise={:?}", rules.split(',').collect::<Vec<_>>())
}

/// Tells the peer a public text of at most 64 KiB, and returns its.
#[pyfunction]
pub fn tell(py: Python<'_>, p: &Party, name: &str, text: &str) -> PyResult<String> {
    const MOST: usize = 1 << 16;
    let mine = text.as_bytes().to_vec();
    if mine.len() > MOST {
        let (what, got) = ("bytes of a description", mine.len().to_string());
        return Err(raise(py, &Error::Param { what, got, accepted: format!("up to {MOST}") }));
    }
    p.call(py, name, move |steps, _| {
        steps.phase("online", |p| {
            let length = p.exchange((mine.len() as u32).to_le_bytes().to_vec(), 4)?;
            let length = length.iter().rev().fold(0, |sum, &byte| sum << 8 | usize::from(byte));
            if length > MOST {
                return Err(Error::Peer(format!("a description of {length} bytes")));
            }
            // Public: names, types and bounds, which the caller gives as such.
            let theirs = p.exchange(mine, length)?;
            String::from_utf8(theirs).map_err(|_| Error::Peer("a description that is no text".into()))
        })
    })
}

/// Tells the peer how most ids look, and compares that with what it tells; what is to be warned of.
#[pyfunction]
pub fn tell_form(py: Python<'_>, p: &Party, name: &str, ids: &Ids) -> PyResult<Vec<String>> {
    let shapes = ids.shapes.clone();
    let said = p.call(py, name, move |steps, _| steps.phase("setup", |p| Shape::tell(p, &shapes, asks)))?;
    Ok(said.into_iter().filter(|(alike, _)| !alike).map(|(_, words)| words).collect())
}

/// The rows of this party's ids that the peer has too, in an order that both have; `None` at who does not learn them.
#[pyfunction]
pub fn intersect<'py>(
    py: Python<'py>,
    p: &Party,
    name: &str,
    ids: &Ids,
    sizes: [usize; 2],
    learns: Option<u8>,
) -> PyResult<Option<Bound<'py, PyArray1<i64>>>> {
    let set = Arc::clone(&ids.set);
    let learns = learns.map_or(Learns::Both, |to| Learns::Only(role(to)));
    let psi = Psi::new(sizes, learns).map_err(|e| raise(py, &e))?;
    may_be_left(py, p, sizes, |sizes| Psi::new(sizes, learns).map(|psi| psi.chance()))?;
    let mine = p.role();
    let intersect = Intersect { psi, ids: set };
    let found = p.call(py, name, move |steps, progress| {
        Ok(outcomes(steps, progress, &intersect, &[], Reveal::Nobody)?.remove(0).values())
    })?;
    let learns = learns == Learns::Both || learns == Learns::Only(mine);
    Ok(found.filter(|_| learns).map(|rows| rows.into_pyarray(py)))
}

/// Counts what ids of these sizes leave to chance, with the hashes of ids, unless it is too much.
fn may_be_left(
    py: Python<'_>,
    p: &Party,
    sizes: [usize; 2],
    of: impl Fn([usize; 2]) -> Result<Chance, Error>,
) -> PyResult<()> {
    Set::check_chance(sizes, &of).map_err(|e| raise(py, &e))?;
    let alone = of(sizes).map_err(|e| raise(py, &e))?;
    p.chance.add(py, &(alone + Set::chance(sizes[0] + sizes[1])))
}

/// Columns of words, one array each.
type Columns<'py> = Vec<Bound<'py, PyArray1<u64>>>;

/// What a join leaves, bin by bin: shares of whether it matches; of the peer's additive columns, of those of bits, and
/// of the owner's; the owner's rows, -1 where there is none.
type Bins<'py> =
    (Bound<'py, PyArray1<u64>>, Columns<'py>, Columns<'py>, Columns<'py>, Option<Bound<'py, PyArray1<i64>>>);

/// Joins tables of up to `sizes` rows. `theirs` are widths of the columns of who does not own the rows, and whether they
/// are bits by XOR; `own` those of the owner; `columns` this party's.
#[pyfunction]
#[allow(clippy::too_many_arguments)] // named ones, in Python
pub fn join<'py>(
    py: Python<'py>,
    p: &Party,
    name: &str,
    ids: &Ids,
    owner: u8,
    sizes: [usize; 2],
    theirs: Vec<(u32, bool)>,
    own: Vec<u32>,
    columns: Vec<PyReadonlyArray1<'py, u64>>,
) -> PyResult<Bins<'py>> {
    let column = |&(bits, by_xor): &(u32, bool)| {
        if by_xor { Column::bitwise(bits) } else { Column::additive(bits) }
    };
    let theirs: Vec<Column> = theirs.iter().map(column).collect();
    let join = Join::new(role(owner), sizes, &theirs, &own).map_err(|e| raise(py, &e))?;
    may_be_left(py, p, sizes, |sizes| Join::new(role(owner), sizes, &[], &[]).map(|join| join.chance()))?;
    let copy = |column: &PyReadonlyArray1<'py, u64>| Ok(Wiped::from(column.as_slice()?.to_vec()));
    let columns = columns.iter().map(copy).collect::<PyResult<Vec<Wiped<u64>>>>()?;
    let tables = JoinTables { join: join.clone(), ids: Arc::clone(&ids.set), columns: Arc::new(columns) };
    let mine = p.role();
    let (matched, additive, bitwise, own, rows) = p.call(py, name, move |steps, progress| {
        let given = outcomes(steps, progress, &tables, &[], Reveal::Nobody)?;
        let joined = Joined::of(&join, mine, given.into_iter().map(Outcome::into_words).collect())?;
        let rows =
            joined.rows().map(|rows| rows.map(|row| row.map_or(-1, |row| row as i64)).collect::<Vec<_>>());
        let matched = joined.matched.iter().collect::<Vec<u64>>();
        Ok((matched, all(&joined.additive), all(&joined.bitwise), all(&joined.own), rows))
    })?;
    let arrays = |columns: Vec<Vec<u64>>| columns.into_iter().map(|column| column.into_pyarray(py)).collect();
    let rows = rows.map(|rows| rows.into_pyarray(py));
    Ok((matched.into_pyarray(py), arrays(additive), arrays(bitwise), arrays(own), rows))
}

fn all<K: hushtable::share::Kind>(columns: &[Share<K, u64>]) -> Vec<Vec<u64>> {
    columns.iter().map(|column| column.words().to_vec()).collect()
}

/// Of each group that is large enough: its number, count and sums.
type Opened = Vec<(usize, i64, Vec<u64>)>;

/// Counts of members of groups, and sums of columns over them.
#[pyclass(module = "hushtable._hushtable", frozen)]
pub struct Sums(GroupShape);

#[pymethods]
impl Sums {
    /// Of columns of these widths; `noise` is an epsilon for all of it, and the largest absolute value of a row in each
    /// column.
    #[new]
    fn new(
        py: Python<'_>,
        bins: usize,
        groups: usize,
        widths: Vec<u32>,
        least: u32,
        noise: Option<(f64, Vec<f64>)>,
    ) -> PyResult<Self> {
        let noise = noise.map(|(epsilon, reach)| GroupNoise::split(epsilon, &reach)).transpose();
        let noise = noise.map_err(|e| raise(py, &e))?;
        let shape = GroupShape { bins, groups, widths, least, noise };
        shape.check().map_err(|e| raise(py, &e))?;
        Ok(Self(shape))
    }

    /// The epsilon of the noise on counts and on each column, and what a row changes at most; nothing without noise.
    #[getter]
    fn noise(&self) -> Vec<(f64, f64)> {
        let all = self.0.noise.iter().flat_map(|noise| std::iter::once(&noise.counts).chain(&noise.sums));
        all.map(|noise| (noise.epsilon(), noise.sensitivity())).collect()
    }

    /// Opens them to both parties. `groups` are shares of a bit for each bin, `columns` words.
    fn open(
        &self,
        py: Python<'_>,
        p: &Party,
        name: &str,
        groups: Vec<PyReadonlyArray1<'_, u64>>,
        columns: Vec<PyReadonlyArray1<'_, u64>>,
    ) -> PyResult<Opened> {
        // A word for each bin, with a bit for each group.
        let mut members = Wiped::zeros(self.0.bins);
        for (i, group) in groups.iter().enumerate() {
            let bits = group.as_slice()?.iter().map(|word| (word & 1) << i);
            members.iter_mut().zip(bits).for_each(|(member, bit)| *member |= bit);
        }
        let mut operands = vec![members];
        for column in &columns {
            operands.push(Wiped::from(column.as_slice()?.to_vec()));
        }
        let shape = self.0.clone();
        p.chance.add(py, &shape.chance(1))?;
        let opened = p.call(py, name, move |steps, progress| {
            let operands: Vec<&[u64]> = operands.iter().map(|words| &words[..]).collect();
            let opened = outcomes(steps, progress, &shape, &operands, Reveal::Both)?;
            Ok(Group::all(&shape, opened.into_iter().filter_map(Outcome::values).collect()))
        })?;
        Ok(opened.into_iter().map(|group| (group.group, group.count, group.sums)).collect())
    }
}
