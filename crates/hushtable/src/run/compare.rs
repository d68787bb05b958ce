//! What the parties compare of every run: announced, so that it takes no round. Parties that differ both get
//! [`Error::Handshake`](crate::Error::Handshake) at their next wait for each other, before anything is opened.

use std::fmt::Write;

use super::Phase;
use crate::{
    error::Result,
    net::{self, wire_len},
    operation::{Operation, Port, Signature},
    party::Party,
    terms::{Terms, Value},
};

/// Bytes of a run's fields that are named; what is longer is told by the digest alone.
const NAMED: usize = 320;

/// Bytes of an announcement that the next message brings with it. They are no part of any phase: what a phase takes is
/// that of the operation alone.
pub(super) struct Announced(u64);

impl Announced {
    /// The phase without them.
    pub(super) fn left_out(&mut self, phase: Phase) -> Phase {
        let bytes = if phase.received > 0 { std::mem::take(&mut self.0) } else { 0 };
        Phase { received: phase.received - bytes, ..phase }
    }
}

/// Announces that a lane now does `what` with so many items of an operation.
pub(super) fn announce(
    p: &mut Party,
    what: &str,
    operation: &dyn Operation,
    items: usize,
) -> Result<Announced> {
    let fields = operation.fields();
    let mut named = String::new();
    for (name, value) in fields.iter().take_while(|(name, value)| name.len() + value.len() < NAMED) {
        let _ = write!(named, "; {name} {value}");
    }
    named.truncate(named.floor_char_boundary(NAMED));
    let (name, method) = (operation.name(), operation.method());
    let noun = if items == 1 { "item" } else { "items" };
    let digest = &digest(operation, &fields).to_hex()[..32];
    let text = format!("{name}, {items} {noun}, {what}, by {method} [{digest}]{named}");
    p.announce(&text)?;
    Ok(Announced(wire_len(net::announcement(&text).len())))
}

/// Of all that an operation is.
fn digest(operation: &dyn Operation, fields: &[(&'static str, String)]) -> blake3::Hash {
    let ports = |ports: &[Port]| Value::List(ports.iter().map(Value::from).collect());
    let Signature { takes, gives } = operation.signature();
    let field = |(name, value): &(&'static str, String)| Terms::of(name).with("is", &value[..]).into();
    Terms::of("operation")
        .with("name", &operation.name()[..])
        .with("method", &operation.method()[..])
        .with("fields", Value::List(fields.iter().map(field).collect()))
        .with("takes", ports(&takes))
        .with("gives", ports(&gives))
        .digest()
}
