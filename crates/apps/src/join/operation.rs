//! A join of two tables as an operation, which runs as any other.

use std::{iter, sync::Arc};

use hushtable::{
    AShare, BShare, Party, Result, Role,
    bill::Bill,
    chance::Chance,
    error::same,
    gates::Bits,
    operation::{Material, Operation, Port, Signature, Words, spend},
    ot::Setting,
};
use prim::Wiped;

use super::{Join, Joined, Rows};
use crate::ids::Set;

/// A join, at one party. It has this party's table, so unlike other operations it is not public. One item; gives, for each
/// bin, the bit whether rows match, the other party's columns, the owner's, and to the owner its rows, counted from 1, 0
/// where there is none: see [`Joined::of`].
pub struct JoinTables {
    /// What is joined.
    pub join: Join,
    /// This party's ids.
    pub ids: Arc<Set>,
    /// Its columns, a word for each id.
    pub columns: Arc<Vec<Wiped<u64>>>,
}

impl Operation for JoinTables {
    fn name(&self) -> String {
        "join".into()
    }

    fn method(&self) -> String {
        "cuckoo hashing, oblivious pseudo-random function".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        [self.ids.rules().fields(), self.join.fields()].concat()
    }

    fn signature(&self) -> Signature {
        let (bins, [additive, bitwise]) = (self.join.bins(), self.join.theirs.widths());
        let theirs = additive.iter().map(|&bits| Port::additive("the other's", bits));
        let theirs = theirs.chain(bitwise.iter().map(|&bits| Port::xor("the other's", bits)));
        let own = self.join.own.iter().map(|&bits| Port::additive("the owner's", bits));
        // Bin by bin to nobody but the owner: the order is that of its placement.
        let columns = iter::once(Port::bit("matches")).chain(theirs).chain(own);
        let columns = columns.map(|port| port.only(self.join.owner));
        let rows = Port::known("rows of the owner", self.join.owner);
        Signature { takes: vec![], gives: columns.chain([rows]).map(|port| port.of(bins)).collect() }
    }

    fn bill(&self, items: usize, under: &Setting) -> Result<Bill> {
        Ok((self.join.bill(under)? + Set::bill()).times(items))
    }

    fn chance(&self, _: usize) -> Chance {
        self.join.chance() + Set::chance(self.join.sizes.iter().sum())
    }

    fn most(&self) -> usize {
        1
    }

    fn prepare(&self, p: &mut Party, _: usize) -> Result<Box<dyn Material>> {
        let (ids, columns) = (Arc::clone(&self.ids), Arc::clone(&self.columns));
        let prepared = self.join.prepare(p)?;
        Ok(spend(1, move |s, _| {
            let columns: Vec<&[u64]> = columns.iter().map(|column| &column[..]).collect();
            let ids = ids.salted(s)?;
            Ok(prepared.run(s, &ids, &columns)?.into_columns())
        }))
    }

    fn tells(&self) -> String {
        "which rows have a partner, and the columns there; nobody, while results stay shared".into()
    }
}

impl Joined {
    /// What a [`JoinTables`] of this join gave, at the party `role`.
    ///
    /// # Errors
    /// [`Error::Shape`](hushtable::Error::Shape) for another number of columns, or of words of one.
    pub fn of(join: &Join, role: Role, mut given: Vec<Words>) -> Result<Self> {
        let [additive, bitwise] = join.theirs.widths();
        same("columns of a join", additive.len() + bitwise.len() + join.own.len() + 2, given.len())?;
        let rows = given.pop().filter(|_| role == join.owner);
        for words in given.iter().chain(&rows) {
            same("bins of a column", join.bins(), words.len())?;
        }
        let mut given = given.into_iter();
        let mut next = || std::mem::take(&mut *given.next().expect("counted"));
        Ok(Self {
            matched: Bits::collect(next().iter().copied()),
            additive: additive.iter().map(|&bits| AShare::new(bits, next())).collect(),
            bitwise: bitwise.iter().map(|&bits| BShare::new(bits, next())).collect(),
            own: join.own.iter().map(|&bits| AShare::new(bits, next())).collect(),
            rows: rows.map(|mut rows| Rows(std::mem::take(&mut *rows).into())),
        })
    }

    /// The same as columns of words.
    fn into_columns(self) -> Vec<Words> {
        let Self { matched, additive, bitwise, own, rows } = self;
        let mut all = vec![Words::new(matched.to_wide())];
        all.extend(additive.into_iter().map(|share| Words::new(share.into_wide())));
        all.extend(bitwise.into_iter().map(|share| Words::new(share.into_wide())));
        all.extend(own.into_iter().map(|share| Words::new(share.into_wide())));
        all.push(Words::new(rows.map_or_else(Vec::new, |rows| rows.0.to_vec())));
        all
    }
}
