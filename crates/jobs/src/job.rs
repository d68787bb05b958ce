//! A job: its public parameters, which both parties compare, and this party's rows.

use std::{ops::Deref, sync::Arc};

use crate::{choice::Choosing, decision, lookup::Lookup};
use hushtable::{
    Role,
    operation::{self, Operation},
    ot::Setting,
    run::Reveal,
};
use hushtable_columns::{
    Format, Ids, Style,
    failure::{Failure, Result},
    numbers::Operand,
    shares::ShareFile,
};
use prim::wipe::Wiped;

/// A job, or a step of one: its public parameters and this party's rows.
pub struct Job {
    pub body: Body,
    /// Name of the result column.
    pub column: String,
    /// To whom the results go.
    pub reveal: Reveal,
    /// Whether a later step goes on with the results, as shares.
    pub stays: bool,
    /// How a lookup's protocol is chosen.
    pub choosing: Choosing,
    pub ids: Option<Arc<Ids>>,
    /// What names the rows here alone, in place of ids that both have.
    pub labels: Option<Labels>,
    /// Where the results go, if they are of the bins of a join and this party owns its rows.
    pub placed: Option<Placed>,
    /// How results are written.
    pub style: Style,
    /// Whether it takes its material from a store, if there is one.
    pub stocked: bool,
    /// What this party asks for.
    asked: Option<u16>,
    /// Lanes, once the parties are agreed.
    threads: usize,
    /// This party's part of the numbers; of two for a comparison.
    x: Vec<Operand>,
    /// Whether this party gives numbers for each of them.
    gives: Vec<bool>,
    /// Operands that are results of earlier steps.
    takes: Vec<(usize, usize)>,
    /// Which step of a job file it is, counted from 1.
    pub step: usize,
    /// How far a result may lie from the exact one, where that is known: inputs count as they were before rounding.
    pub error: Option<f64>,
    /// What is to be said about it besides: a word, and a sentence.
    pub notes: Vec<(&'static str, String)>,
}

/// Names of rows that are pairs: this party's own ids, and the numbers of the peer's rows, counted from 1.
pub struct Labels {
    pub ids: Arc<Ids>,
    pub peer_rows: Vec<f64>,
    /// The rows of P0 and of P1 whose pairs these are.
    pub rows: [usize; 2],
}

/// The rows of a join's bins, of which each has one at most. Never to be sent.
pub struct Placed {
    pub ids: Arc<Ids>,
    /// The row of each bin, counted from 1; 0 of an empty one.
    pub rows: Wiped<u64>,
}

impl Placed {
    /// Results by row; no number where none of a bin's is shown.
    pub fn by_row(&self, results: impl Iterator<Item = Option<f64>>) -> Vec<f64> {
        let mut own = vec![f64::NAN; self.ids.len()];
        for (&row, result) in self.rows.iter().zip(results) {
            if let (Some(row), Some(result)) = ((row as usize).checked_sub(1), result) {
                own[row] = result;
            }
        }
        own
    }
}

impl Labels {
    /// What both compare.
    pub fn pairing(&self) -> String {
        let [p0, p1] = self.rows;
        format!("{p0} rows of P0 and {p1} of P1")
    }
}

/// What is done with the numbers.
pub enum Body {
    /// A lookup, by a protocol on which the parties settle.
    Lookup(Lookup),
    /// Anything else.
    Other(Box<dyn Operation>),
}

/// Words of an operand, which are wiped.
pub enum Words<'a> {
    Own(Wiped<u64>),
    Lent(&'a [u64]),
}

impl Deref for Words<'_> {
    type Target = [u64];

    fn deref(&self) -> &[u64] {
        match self {
            Self::Own(words) => words,
            Self::Lent(words) => words,
        }
    }
}

impl Body {
    /// What is done.
    pub fn operation(&self) -> &dyn Operation {
        match self {
            Self::Lookup(lookup) => &lookup.operation,
            Self::Other(operation) => operation.as_ref(),
        }
    }
}

impl Job {
    /// Of this party's parts `x` of one or two batches of numbers; `gives` says whether it has any for each.
    pub fn new(
        asked: Option<u16>,
        reveal: Reveal,
        body: Body,
        column: String,
        ids: Option<Arc<Ids>>,
        x: Vec<Operand>,
        gives: Vec<bool>,
    ) -> Self {
        Self {
            body,
            column,
            reveal,
            stays: false,
            choosing: Choosing::default(),
            ids,
            labels: None,
            placed: None,
            style: Style::default(),
            stocked: true,
            asked,
            threads: 1,
            x,
            gives,
            takes: Vec::new(),
            step: 1,
            error: None,
            notes: Vec::new(),
        }
    }

    pub fn rows(&self) -> usize {
        self.x[0].words.len()
    }

    pub fn threads(&self) -> usize {
        self.threads
    }

    /// What this party asks for.
    pub fn asked(&self) -> Option<u16> {
        self.asked
    }

    /// Threads that this party asks for, or one.
    pub fn asked_threads(&self) -> usize {
        self.asked.map_or(1, usize::from).min(self.rows()).max(1)
    }

    /// Whether this party left the number of threads open.
    pub fn threads_are_open(&self) -> bool {
        self.asked.is_none()
    }

    /// What is done.
    pub fn operation(&self) -> &dyn Operation {
        self.body.operation()
    }

    /// Does it by what suits its rows under this setting, where there is a choice. The protocol of lookups is settled.
    pub fn suit(&mut self, under: &Setting) -> Result<()> {
        let rows = self.rows();
        if let Body::Other(operation) = &mut self.body
            && let Some(suiting) = operation::choose(operation.as_ref(), rows, under)?
        {
            *operation = suiting;
        }
        Ok(())
    }

    /// This party's words of each operand, as the operation takes them.
    pub fn operands(&self, role: Role) -> Vec<Words<'_>> {
        let words = self.x.iter().map(|x| match &self.body {
            Body::Lookup(lookup) => Words::Own(lookup.indices(&x.words, role).into()),
            Body::Other(_) => Words::Lent(&x.words),
        });
        words.collect()
    }

    /// The public parameters that the parties compare.
    pub fn fields(&self, role: Role) -> Vec<(&'static str, String)> {
        let mut fields = vec![("number of inputs", self.x.len().to_string())];
        fields.extend(self.x.iter().map(|x| ("input", x.pairing[role as usize].clone())));
        fields.push(("function", self.operation().name()));
        if let Body::Lookup(lookup) = &self.body {
            fields.extend(lookup.fields());
        }
        fields.extend(self.operation().fields());
        fields.push(("reveal", self.reveal.name().to_owned()));
        fields
    }

    /// Takes the settled number of threads, and what the peer gives numbers for.
    pub fn settle(&mut self, threads: usize, theirs: &[u8]) -> Result<()> {
        self.threads = threads.min(self.rows());
        let mine = self.gives.iter().map(|&gives| u8::from(gives));
        let missing = mine.zip(theirs).position(|(mine, theirs)| mine | theirs == 0);
        match missing {
            None => Ok(()),
            Some(0) => Err(Failure::new("neither party has numbers for x: --column NAME names them")),
            Some(_) => Err(Failure::new("neither party has numbers for y: --against NAME names them")),
        }
    }

    /// For which operands this party gives numbers: 1, or else 0.
    pub fn gives(&self) -> Vec<u8> {
        self.gives.iter().map(|&gives| gives.into()).collect()
    }

    /// Whether the party `role` has something to write.
    pub fn writes(&self, role: Role) -> bool {
        self.reveal.reaches(role) && !(self.stays && self.reveal == Reveal::Nobody)
    }

    /// The operands that are results of earlier steps: which, and of which step.
    pub fn takes(&self) -> &[(usize, usize)] {
        &self.takes
    }

    /// From now on an operand is the results of the step with this number, once they are there.
    pub fn take(&mut self, operand: usize, step: usize) {
        self.takes.push((operand, step));
    }

    /// Whether an operand is the results of the step with this number.
    pub fn takes_from(&self, step: usize) -> bool {
        self.takes.iter().any(|&(_, from)| from == step)
    }

    /// These results of the step with this number are there.
    pub fn give(&mut self, step: usize, shares: &[u64]) {
        for &(operand, _) in self.takes.iter().filter(|(_, from)| *from == step) {
            // In the place of as many zeros: no part of them is left behind.
            self.x[operand].words.copy_from_slice(shares);
        }
    }

    /// These are this party's words of an operand, of which nothing was known but how many there are.
    pub fn set(&mut self, operand: usize, words: &[u64]) {
        self.x[operand].words.copy_from_slice(words);
    }

    /// How the results are held, and their range.
    pub fn result(&self) -> (Format, [i64; 2]) {
        let held = self.operation().result();
        let end = 1i64 << (held.bits - 1);
        let format = Format { bits: held.bits, fraction_bits: held.fraction };
        (format, held.range.unwrap_or([end.wrapping_neg(), end.wrapping_sub(1)]))
    }

    /// This party's share file of the results.
    pub fn share_file(&self, session: [u8; 32], role: Role, shares: Wiped<u64>) -> ShareFile {
        let (format, range) = self.result();
        let made = ShareFile::new(&self.column, session, role, format, range, shares);
        // With few digits: what is written comes back to the bit.
        let error = self.error.map(decision::rounded_up);
        let style = Some(self.style.clone()).filter(|style| !style.is_usual());
        ShareFile { ids: self.ids.clone(), style, error, ..made }.sealed()
    }
}
