//! Agreement on parameters: both parties send their list, both see the first difference.

use super::channel::Channel;
use super::text::printable;
use crate::error::{Error, Result};

const FIELDS: usize = 64;
const NAME: usize = 64;
const VALUE: usize = 256;
const TOTAL: usize = 16 << 10;

/// Sends `fields` and what goes `beside` them, receives the peer's fields, and compares.
pub(super) fn agree(channel: &mut Channel, fields: &[(&str, String)], beside: Vec<u8>) -> Result<()> {
    let theirs = channel.exchange_bounded(encode(fields)?, beside, TOTAL)?;
    let theirs = decode(&theirs).ok_or_else(|| Error::Peer("an unreadable list of parameters".into()))?;
    let ours: Vec<(&[u8], &[u8])> = fields.iter().map(|(n, v)| (n.as_bytes(), v.as_bytes())).collect();
    let Some(i) = (0..ours.len().max(theirs.len())).find(|&i| ours.get(i) != theirs.get(i)) else {
        return Ok(());
    };
    // The peer must receive our list before the caller hangs up, to see the same difference. If it
    // has gone already, it has.
    let _ = channel.flush();
    Err(difference(ours.get(i), theirs.get(i)))
}

type Field<'a> = (&'a [u8], &'a [u8]);

fn difference(ours: Option<&Field<'_>>, theirs: Option<&Field<'_>>) -> Error {
    let value = |field: Option<&Field<'_>>| field.map_or("nothing".into(), |(_, value)| printable(value));
    let both = |(name, value): &Field<'_>| format!("{} = {}", printable(name), printable(value));
    match (ours, theirs) {
        (Some(a), Some(b)) if a.0 != b.0 => {
            Error::Handshake { field: "the command or its options".into(), ours: both(a), theirs: both(b) }
        }
        _ => {
            let name = ours.or(theirs).map_or(String::new(), |(name, _)| printable(name));
            Error::Handshake { field: name, ours: value(ours), theirs: value(theirs) }
        }
    }
}

/// Each name and value as its length (two bytes, little-endian) and its bytes.
fn encode(fields: &[(&str, String)]) -> Result<Vec<u8>> {
    limit("parameters to agree on", fields.len(), FIELDS)?;
    let mut bytes = Vec::new();
    for (name, value) in fields {
        limit("bytes in a parameter's name", name.len(), NAME)?;
        limit("bytes in a parameter's value", value.len(), VALUE)?;
        for text in [name, value.as_str()] {
            bytes.extend((text.len() as u16).to_le_bytes());
            bytes.extend(text.as_bytes());
        }
    }
    limit("bytes of parameters", bytes.len(), TOTAL)?;
    Ok(bytes)
}

fn limit(what: &'static str, got: usize, most: usize) -> Result<()> {
    if got <= most {
        return Ok(());
    }
    Err(Error::Param { what, got: got.to_string(), accepted: format!("at most {most}") })
}

/// The inverse of `encode`; `None` for anything else.
fn decode(mut bytes: &[u8]) -> Option<Vec<Field<'_>>> {
    let mut fields = Vec::new();
    while !bytes.is_empty() {
        let name = text(&mut bytes, NAME)?;
        let value = text(&mut bytes, VALUE)?;
        fields.push((name, value));
    }
    (fields.len() <= FIELDS).then_some(fields)
}

fn text<'a>(bytes: &mut &'a [u8], most: usize) -> Option<&'a [u8]> {
    let (len, rest) = bytes.split_first_chunk()?;
    let len = usize::from(u16::from_le_bytes(*len));
    let (text, rest) = rest.split_at_checked(len).filter(|_| len <= most)?;
    *bytes = rest;
    Some(text)
}
