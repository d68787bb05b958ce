//! From shares of numbers of bins to the results of rows, which their owner gets.

use crate::{digits::Digits, took::Took};
use hushtable::{
    AShare, Party, Role,
    bill::Bill,
    gates::{Bits, Mux},
    operation::{Operation, Port, Words},
    ot::Setting,
    run::{self, Outcome, Ready, Reveal, Unwatched},
    share::Sharing,
};
use hushtable_columns::failure::{Failure, Result};

/// How a bit is held that is shared by XOR.
const BIT: Port = Port::bit("matches");

/// What `operation`, whose results are shared additively, costs for so many bins.
pub fn bill(operation: &dyn Operation, default: Option<f64>, bins: usize, under: &Setting) -> Result<Bill> {
    let held = operation.result();
    let more = match default {
        Some(_) => Mux::bill(&[held.bits]),
        None => Bill::opening(1),
    };
    let opened = Bill::opening(held.bits.into());
    Ok(run::bill(operation, bins, 1, Reveal::Nobody, under)? + (more + opened).times(bins))
}

/// The same numbers where bins match, elsewhere the public `word`; a selection of words of their width each.
pub fn matching(
    p: &mut Party,
    matched: &Bits,
    numbers: &AShare<u64>,
    word: u64,
    took: &mut Took,
) -> Result<AShare<u64>> {
    // The word and what a match adds to it.
    let first = p.role() == Role::P0;
    let plus = |numbers: &AShare<u64>, word: u64| match first {
        true => numbers.plus_public(&vec![word; numbers.len()]),
        false => Ok(numbers.clone()),
    };
    let mux = took.offline(p, |p| Mux::prepare(p, matched.len(), &[numbers.bits()]))?;
    took.online(p, |p| {
        let more = mux.select(p, matched, &plus(numbers, word.wrapping_neg())?)?;
        plus(&more, word)
    })
}

/// The results of all bins, at the owner of the rows; of bins that do not match nothing or the default.
///
/// Without a default the operation's results of these bins are opened, too: what it gets there must be public.
pub fn answer(
    p: &mut Party,
    operation: &dyn Operation,
    default: Option<f64>,
    owner: Role,
    (matched, operands): (&Bits, &[&[u64]]),
    took: &mut Took,
) -> Result<Option<Vec<Option<f64>>>> {
    let suiting = operation.suiting(&p.setting(), matched.len())?;
    let operation = suiting.as_deref().unwrap_or(operation);
    let held = operation.result();
    if held.sharing() != Some(Sharing::Additive) {
        return Err(Failure::new("results that are not shared additively"));
    }
    let (lanes, ready) = (std::slice::from_mut(&mut *p), vec![Ready::default()]);
    let done = run::run(operation, lanes, ready, operands, Reveal::Nobody, &Unwatched)?;
    (took.offline, took.online) = (took.offline.then(done.offline), took.online.then(done.online));
    let words = done.shares().expect("nobody gets them");
    let mut results = AShare::<u64>::new(held.bits, words.to_vec());
    if let Some(default) = default {
        let word = (default * 2f64.powi(held.fraction as i32)).round() as i64 as u64;
        results = matching(p, matched, &results, word, took)?;
    }
    let open = |p: &mut Party, held: Port, words: Vec<u64>| {
        // Public by the functionality: to the owner, who has the places of its rows; bin by bin to nobody else.
        let opened = Reveal::Only(owner).open(p, &[held], vec![Words::new(words)])?;
        Ok(opened.into_iter().next().and_then(Outcome::values))
    };
    let values = took.online(p, |p| open(p, held, results.words().to_vec()))?;
    let bits = match default {
        Some(_) => None,
        None => took.online(p, |p| open(p, BIT, matched.iter().collect()))?,
    };
    let scale = 2f64.powi(held.fraction as i32);
    let (shown, digits) =
        (|i: usize| bits.as_ref().is_none_or(|bits| bits[i] == 1), Digits::of_number(held.fraction));
    Ok(values.map(|values| {
        let value = |(i, value): (usize, &i64)| shown(i).then(|| digits.shown(*value as f64 / scale));
        values.iter().enumerate().map(value).collect()
    }))
}
