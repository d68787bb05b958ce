//! A private table in one call at each party, for programs that have its rows or their keys in memory. The messages are
//! those of `hushtable serve` and `hushtable lookup`, which tests run against it.

use hushtable::{
    Error, Party, Result,
    confidential::{copy::Arriving, prf::Cipher},
    run::{self, Unwatched},
    session::Session,
};
use prim::Wiped;

use crate::ids::{DateOrder, Rules};

use super::{
    Answer, Cell, Description, Field, Found, Gets, Key, KeyLookup, Limits, Reading, Request, Served, Survey,
    Table, Value, find, request, table::BATCH,
};

/// A column: its name, and a cell for each row.
pub type Column<'a> = (&'a str, &'a [Field<'a>]);

/// Of each key the cells of the columns, or nothing if the table has no such key.
pub type Rows = Vec<Option<Vec<Cell>>>;

impl Served {
    /// A version of a table in memory, called `name`, in the form that suits it: a column of keys, each once, and columns
    /// of values. A client may look up `lookups` keys in a session.
    ///
    /// ```
    /// use hushtable::{net::Connection, session::Session};
    /// use hushtable_apps::private_table::{Answer, Cell, Field, Scale, Served, rows_at};
    ///
    /// # fn main() -> hushtable::Result<()> {
    /// let articles = ["apple", "pear"].map(Field::Text);
    /// let prices = [Field::Text("1.20"), Field::Text("2.05")];
    /// let served = Served::of("prices", ("article", &articles), &[("price", &prices)], 1000)?;
    /// let (owner, client) = Connection::pair(); // `net::listen` and `net::connect` give those to another machine
    /// let found = std::thread::scope(|scope| {
    ///     scope.spawn(|| served.host(Session::new(owner)?, |_| Answer::Yes));
    ///     rows_at(Session::new(client)?, &["pear", "plum"].map(Field::Text))
    /// })?;
    /// assert_eq!(found, [Some(vec![Cell::Number(205, Scale::Decimal(2))]), None]);
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// [`Error::Shape`] for columns of other lengths; [`Error::Param`] that names the row and column of a cell that does
    /// not fit, or the rows of a key that is there twice, and for names and sizes that are not supported.
    pub fn of(name: &str, keys: Column<'_>, values: &[Column<'_>], lookups: u64) -> Result<Self> {
        let rows = keys.1.len();
        for (_, column) in values {
            hushtable::error::same("cells of a column", rows, column.len())?;
        }
        let refused = |got: String| {
            let (what, accepted) = ("private table", "a table of the form that its description has".into());
            Error::Param { what, got, accepted }
        };
        let mut survey = Survey::new(values.len());
        (0..rows).for_each(|row| survey.see(&keys.1[row], |i| values[i].1[row]));
        let of_column = |name: &str, what: String| refused(format!("column {name:?}: {what}"));
        let value = |(i, (name, _)): (usize, &Column<'_>)| {
            let kind = survey.value(i, Limits::default()).map_err(|what| of_column(name, what))?;
            Ok(Value { name: (*name).to_owned(), kind })
        };
        let values_of = values.iter().enumerate().map(value).collect::<Result<Vec<Value>>>()?;
        let cipher = Cipher::LowMc;
        let (kind, places) = survey
            .key(None, (None, 96), &values_of, (None, cipher))
            .map_err(|what| of_column(keys.0, what))?;
        let reading = usual();
        let key = Key::new(keys.0.to_owned(), kind, reading.rules);
        let mut table = Table::new(&key, &values_of, reading);
        for row in 0..rows {
            table.push(&keys.1[row], |i| values[i].1[row]).map_err(|bad| {
                let all = bad.into_iter().map(|(i, what)| {
                    format!("row {row}, column {:?}: it {what}", i.map_or(keys.0, |i| values[i].0))
                });
                refused(all.collect::<Vec<_>>().join("; "))
            })?;
        }
        if let Some([first, again]) = table.twice().first() {
            return Err(refused(format!("rows {first} and {again} of one key")));
        }
        let mut description = Description {
            table: name.to_owned(),
            key,
            values: values_of,
            places,
            cipher,
            digest: [0; 32],
            batch: 1,
            lookups,
            shares: false,
        };
        let most = description.job().most().clamp(1, BATCH);
        description.batch = lookups.clamp(1, most as u64) as u32;
        description.check().map_err(refused)?;
        let owner = table.encrypt(description.job())?;
        Self::new(description, owner)
    }

    /// A client's session, at the owner, from its first message to its last; `may` says whether it may have what it asks
    /// for. How many keys it looked up: none if it was turned down.
    ///
    /// # Errors
    /// [`Error::Peer`] for a malformed request; and those of the channel.
    pub fn host(&self, mut s: Session, may: impl FnOnce(&Request) -> Answer) -> Result<u64> {
        // Whose keys are shared needs their other half, and results that stay shared a place.
        let (request, answer) = self.settle(&mut s, |request| match request.keys {
            Some(_) => Answer::NoKeys,
            None => may(request),
        })?;
        if answer != Answer::Yes {
            return Ok(0);
        }
        let mut p = Party::start(s, None)?;
        let lookup = self.lookup(request.gets, None)?;
        run::set_up(&lookup, &mut p, request.lookups as usize)?;
        lookup.look_up(&mut p, request.lookups, None, &Unwatched)?;
        // Neither signs.
        p.recv(1)?;
        p.send(vec![0])?;
        Ok(request.lookups)
    }
}

/// How texts are read: as both programs do unless something else is asked for.
fn usual() -> Reading {
    Reading { order: DateOrder::YearMonthDay, rules: Rules::default() }
}

/// Bytes of the largest copy that a client fetches, as the program does by default.
const MOST_BYTES: u64 = 1_000_000_000;

/// The rows at keys, at a client, which fetches the copy of the table for this session: of each key the cells of the
/// columns, or nothing if the table has no such key.
///
/// # Errors
/// [`Error::Param`] without keys, one that names the first key that is none, and for a copy of more than a billion bytes;
/// [`Error::Peer`] if the owner has no time for this client, or turns it down; and those of the channel.
pub fn rows_at(mut s: Session, keys: &[Field<'_>]) -> Result<Rows> {
    let param = |what, got: String, accepted: &str| Error::Param { what, got, accepted: accepted.into() };
    if keys.is_empty() {
        return Err(param("keys to look up", "none".into(), "one or more"));
    }
    let description = match find(&mut s)? {
        Found::Open(description) => *description,
        Found::Busy | Found::Ending => {
            return Err(Error::Peer("it has no time now: come again later".into()));
        }
    };
    let bytes = description.job().copy_bits() / 8;
    if bytes > MOST_BYTES {
        return Err(param(
            "bytes of a private table's copy",
            bytes.to_string(),
            &format!("up to {MOST_BYTES}"),
        ));
    }
    let (encoded, known) = encode(&description, keys)?;
    let (job, digest, gets) = (description.job(), description.digest, Gets::Client);
    let mut arriving = Arriving::new(job, digest)?;
    let asked = Request { digest, messages: 0, lookups: keys.len() as u64, gets, keys: None };
    match request(&mut s, asked, Some(&mut arriving), |_| Ok(()))? {
        Answer::Yes => {}
        Answer::TooMany => {
            let most = description.lookups;
            return Err(Error::Peer(format!("{} keys are too many for a session: up to {most}", keys.len())));
        }
        Answer::Later(seconds) => {
            return Err(Error::Peer(format!("this client has had its keys: more in {seconds} s")));
        }
        Answer::Busy => {
            return Err(Error::Peer(
                "what this client may have is held for its other sessions: come again".into(),
            ));
        }
        Answer::OtherVersion => {
            return Err(Error::Peer("the table has another version by now: come again".into()));
        }
        answer @ (Answer::NoShares | Answer::NoKeys | Answer::NoRoom | Answer::Malformed) => {
            return Err(Error::Peer(format!("it says of a plain request: {answer:?}")));
        }
    }
    let copy = arriving.finish()?;
    let mut p = Party::start(s, None)?;
    let lookup = KeyLookup::new(description.clone(), copy.into(), gets, None)?;
    run::set_up(&lookup, &mut p, keys.len())?;
    let looked = lookup.look_up(&mut p, keys.len() as u64, Some(&encoded), &Unwatched)?;
    p.send(vec![0])?;
    p.recv(1)?;
    let cells = |row: &[u64]| {
        let cell =
            |(i, value): (usize, &Value)| value.kind.read(row, description.start(i)).map_err(Error::Peer);
        description.values.iter().enumerate().map(cell).collect::<Result<Vec<Cell>>>()
    };
    let rows = looked.values.chunks_exact(job.row_words()).zip(looked.present.iter()).zip(known);
    rows.map(|((row, &present), known)| (present == 1 && known).then(|| cells(row)).transpose()).collect()
}

/// Keys as the table has them, and whether each can be there at all. In place of one that cannot, one that can is looked
/// up, so that the number stays the same.
fn encode(description: &Description, keys: &[Field<'_>]) -> Result<(Wiped<u64>, Vec<bool>)> {
    let (kind, reading) = (description.key.kind, usual());
    let form = reading.rules.normal_form();
    if description.key.form.as_ref().is_some_and(|theirs| *theirs != form) {
        let theirs = description.key.form.clone().unwrap_or_default();
        return Err(Error::Handshake { field: "form of keys".into(), ours: form, theirs });
    }
    let mut encoded = Wiped::default();
    let mut known = Vec::with_capacity(keys.len());
    for (i, key) in keys.iter().enumerate() {
        let read = kind.read(key, reading).map_err(|what| {
            let got = format!("number {i}: it {what}");
            Error::Param { what: "key to look up", got, accepted: kind.words() }
        })?;
        known.push(read.is_some());
        kind.append(read.unwrap_or(0), &mut encoded);
    }
    Ok((encoded, known))
}
