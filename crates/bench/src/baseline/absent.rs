//! In the place of what was not built. It is refused before the processes start; these say the same.

use std::sync::Arc;

use hushtable::{Error, Party, Role, bill::Bill, gates::Triples, net::LinkShape, operation::Operation};
use hushtable_columns::failure::Result;

use super::{Baseline, failure};
use crate::lanes::Lanes;

impl Baseline {
    pub fn operation(self) -> Result<Arc<dyn Operation>> {
        Err(failure())
    }
}

pub fn bill<W>(_: &W) -> Result<Bill> {
    Err(failure())
}

pub fn choose<W>(_: &mut W, _: &LinkShape) -> Result<()> {
    Err(failure())
}

pub fn memory<W>(_: &W) -> Result<u64> {
    Err(failure())
}

pub fn cots<W>(_: &W, _: Role, _: usize) -> (usize, usize) {
    (0, 0)
}

pub fn run<W>(_: &W, _: Lanes) -> Result<()> {
    Err(failure())
}

pub fn code_cots(_: Role, _: usize, t: u32) -> std::result::Result<(usize, usize), Error> {
    Err(unknown(t))
}

pub fn triples_from_codes(_: &mut Party, _: usize, t: u32) -> std::result::Result<Triples, Error> {
    Err(unknown(t))
}

fn unknown(t: u32) -> Error {
    Error::Param { what: "triples of an OT", got: t.to_string(), accepted: failure().to_string() }
}
