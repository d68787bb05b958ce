//! Networks of circuits: a form stands at many places side by side, stage after stage, as comparators do in a network that
//! sorts.

use std::{collections::BTreeMap, sync::Arc};

use logic::Form;
use prim::Wiped;

use crate::error::{Result, same};

/// Arrays of words, and stages that read and write them. However many places a form stands at, it is there once. Public.
pub struct Network {
    arrays: Vec<Array>,
    given: usize,
    /// Each form once.
    forms: Vec<Arc<Form>>,
    stages: Vec<Stage>,
}

/// The shape of an array: bits of a word, and words.
#[derive(Clone, Copy)]
pub(crate) struct Array {
    pub bits: usize,
    pub words: usize,
}

/// A form for some items, none of which reads or writes what another one writes.
pub(crate) struct Stage {
    /// The number of the form.
    pub form: usize,
    pub items: usize,
    pub reads: Vec<Cells>,
    pub writes: Vec<Cells>,
}

/// The number of an array, and the word of it that each item of a stage reads or writes.
pub(crate) type Cells = (usize, Vec<u32>);

impl Network {
    /// Of arrays that are given: bits of a word, 1 to 64, and words. There are no stages yet.
    ///
    /// # Panics
    /// For words of other than 1 to 64 bits.
    pub fn new(given: &[(u32, usize)]) -> Self {
        let mut network =
            Self { arrays: Vec::new(), given: given.len(), forms: Vec::new(), stages: Vec::new() };
        given.iter().for_each(|&(bits, words)| _ = network.array(bits, words));
        network
    }

    /// The number of another array, of zeros.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn array(&mut self, bits: u32, words: usize) -> usize {
        assert!((1..=64).contains(&bits), "{bits} bits of a word");
        self.arrays.push(Array { bits: bits as usize, words });
        self.arrays.len() - 1
    }

    /// A stage, unless it has no items: for each the form takes a word of each of `reads`, one behind the other, the
    /// lowest bit first, and gives a word for each of `writes`.
    ///
    /// # Panics
    /// Unless there is a word for each item, the form has as many inputs and outputs, and no item reads or writes a word
    /// that another one writes; only debug builds look at the latter.
    pub fn stage(&mut self, form: &Arc<Form>, reads: Vec<Cells>, writes: Vec<Cells>) {
        let items = reads[0].1.len();
        let bits = |cells: &[Cells]| cells.iter().map(|cells| self.arrays[cells.0].bits).sum::<usize>();
        assert_eq!((form.inputs(), form.outputs().len()), (bits(&reads), bits(&writes)), "bits of a stage");
        for (array, at) in reads.iter().chain(&writes) {
            let words = self.arrays[*array].words;
            assert!(at.len() == items && at.iter().all(|&word| (word as usize) < words), "words of a stage");
        }
        debug_assert!(apart(&reads, &writes), "words that another item writes");
        if items > 0 {
            let form = self.number(form);
            self.stages.push(Stage { form, items, reads, writes });
        }
    }

    /// That of a form: the next one, unless it was there before.
    fn number(&mut self, form: &Arc<Form>) -> usize {
        self.forms.iter().rposition(|before| Arc::ptr_eq(before, form)).unwrap_or_else(|| {
            self.forms.push(form.clone());
            self.forms.len() - 1
        })
    }

    /// What `of` makes of each form, by its number.
    pub(crate) fn each_form<T>(&self, of: impl Fn(&Form) -> Result<T>) -> Result<Vec<T>> {
        self.forms.iter().map(|form| of(form)).collect()
    }

    /// One after the other.
    pub(crate) fn stages(&self) -> &[Stage] {
        &self.stages
    }

    /// An array's shape.
    pub(crate) fn shape(&self, array: usize) -> Array {
        self.arrays[array]
    }

    /// Of all arrays.
    pub(crate) fn shapes(&self) -> &[Array] {
        &self.arrays
    }

    /// Of those that are given.
    pub(crate) fn given(&self) -> &[Array] {
        &self.arrays[..self.given]
    }

    /// All arrays, from those that are given.
    pub(crate) fn filled(&self, mut given: Vec<Wiped<u64>>) -> Result<Vec<Wiped<u64>>> {
        same("arrays of a network", self.given, given.len())?;
        let mut shapes = self.given().iter().zip(&given);
        shapes.try_for_each(|(array, words)| same("words of an array", array.words, words.len()))?;
        given.extend(self.arrays[self.given..].iter().map(|array| Wiped::zeros(array.words)));
        Ok(given)
    }
}

/// Whether each word is written by one item at most, and then read by no other.
fn apart(reads: &[Cells], writes: &[Cells]) -> bool {
    fn all(cells: &[Cells]) -> impl Iterator<Item = ((usize, u32), usize)> {
        let items = |(array, words): &'_ Cells| {
            let array = *array;
            words.clone().into_iter().enumerate().map(move |(item, word)| ((array, word), item))
        };
        cells.iter().flat_map(items)
    }
    let written: BTreeMap<_, _> = all(writes).collect();
    let alone = |(cell, item)| written.get(&cell).is_none_or(|by| *by == item);
    written.len() == all(writes).count() && all(reads).all(alone)
}

#[cfg(test)]
mod tests {
    use logic::Draft;

    use super::*;

    #[test]
    fn a_form_has_one_number_at_all_its_stages() {
        let form = |name| {
            let mut d = Draft::new(2);
            let (a, b) = (d.input(0), d.input(1));
            let both = d.and(a, b);
            Arc::new(d.finish(name, vec![both]))
        };
        let (one, two) = (form("one"), form("two"));
        let mut network = Network::new(&[(1, 4)]);
        let cells = |word: u32| vec![(0, vec![word]), (0, vec![word + 1])];
        for form in [&one, &two, &one, &one, &two] {
            network.stage(form, cells(0), vec![(0, vec![2])]);
        }
        network.stage(&form("none"), vec![(0, vec![]), (0, vec![])], vec![(0, vec![])]);
        assert_eq!(network.stages().iter().map(|stage| stage.form).collect::<Vec<_>>(), [0, 1, 0, 0, 1]);
        let names = network.each_form(|form| Ok(form.name().to_owned())).expect("names");
        assert_eq!(names, ["one", "two"]);
    }
}
