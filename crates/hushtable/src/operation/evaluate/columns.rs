//! Columns of an operation that are ports of a circuit.

use std::{
    collections::BTreeSet,
    sync::{Mutex, PoisonError},
};

use crate::{
    circuit,
    error::{Result, same},
    gates::Bits,
    operation::{Port, Words},
    share::BShare,
};

/// The bits of a port, in words of each item.
pub(super) fn planes(words: &[u64], bits: usize, items: usize) -> Result<Vec<Bits>> {
    let each = bits.div_ceil(64);
    same("words of a port", each * items, words.len())?;
    let mut planes = Vec::with_capacity(bits);
    for word in 0..each {
        let column: Vec<u64> = words.iter().skip(word).step_by(each).copied().collect();
        let width = (bits - 64 * word).min(64) as u32;
        planes.extend(Bits::from_share(&BShare::<u64>::new(width, column)));
    }
    Ok(planes)
}

/// Words of each item from the bits of a port.
pub(super) fn words(planes: &[Bits], items: usize) -> Result<Words> {
    let each = planes.len().div_ceil(64);
    let mut words = Words::new(vec![0; each * items]);
    for (word, planes) in planes.chunks(64).enumerate() {
        let column = Bits::to_share::<u64>(planes)?;
        let places = words.iter_mut().skip(word).step_by(each);
        places.zip(column.words()).for_each(|(place, word)| *place = *word);
    }
    Ok(words)
}

/// A name that lives as long as the program: of a circuit's port, of which there are few.
fn kept(name: &str) -> &'static str {
    static NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut names = NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    match names.get(name) {
        Some(kept) => kept,
        None => {
            let kept: &'static str = Box::leak(name.into());
            names.insert(kept);
            kept
        }
    }
}

/// The column of a port.
pub(super) fn column(port: &circuit::Port) -> Port {
    let bits = port.bits();
    Port::xor(kept(port.name()), bits.min(64) as u32).of(bits.div_ceil(64))
}
