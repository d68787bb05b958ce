//! What is computed of columns of a join.

use hushtable::{
    AShare, Party, Role,
    bill::Bill,
    gates::Mux,
    math::{Evaluation, Function},
    operation::{Compare, Operation, Relation},
    ot::Setting,
};
use hushtable_columns::{
    Rounding,
    failure::{Failure, Result},
};
use hushtable_jobs::{
    apply::options::Apply,
    constant, evaluate,
    join::{
        column::BITS,
        file::{JoinedFile, Table},
        named::{Number, number},
    },
    options::refuse,
    row_results::answer,
    shared_results::SHARED_BITS,
    took::Took,
};

/// Least width of compared numbers.
const NARROWEST: u32 = 16;

/// An operation on columns of a join. Public.
pub struct Question {
    /// Of the results.
    pub name: String,
    /// With results that are shared additively.
    pub operation: Box<dyn Operation>,
    operands: Vec<Operand>,
    /// Width of the operands.
    bits: u32,
    /// What stands in bins that do not match, in place of 0.
    inside: Option<i64>,
    /// Where numbers must lie, if others are refused.
    pub within: Option<String>,
}

/// What is computed with.
enum Operand {
    /// A column, times `2^shift`.
    Column { of: Number, shift: u32 },
    /// A public number.
    Constant { value: f64, word: i64 },
}

impl Question {
    /// A function of a column.
    pub fn function(args: &Apply, function: Function, file: &JoinedFile) -> Result<Self> {
        args.refuse_second_operand()?;
        let of = column(file, "--column", args.column.as_deref())?;
        let evaluation = evaluation(args, function, &of)?;
        let card = evaluation.card();
        let refused = card.refused != [false; 2];
        // Where nothing matches a column is 0: what is refused must not depend on that.
        let outside = card.domain.lo > 0.0 || card.domain.hi <= 0.0;
        Ok(Self {
            name: function.name().to_owned(),
            bits: card.ring,
            inside: (refused && outside).then(|| (card.domain.lo / of.number(1.0)).ceil() as i64),
            within: refused.then(|| format!("{}, {}", card.domain, card.treatment())),
            operands: vec![Operand::Column { of, shift: 0 }],
            operation: Box::new(evaluation),
        })
    }

    /// What rounding does to a decision, in words; nothing of a function.
    pub fn decision(&self) -> Option<String> {
        match &self.operands[..] {
            [Operand::Column { of, .. }, _] => Some(of.decisions()),
            _ => None,
        }
    }

    /// A comparison of two columns, or of one with a public number.
    pub fn relation(args: &Apply, relation: Relation, file: &JoinedFile) -> Result<Self> {
        args.refuse_lookup_options()?;
        refuse("is as the columns need it in a comparison", [("--bits", args.how.bits.is_some())])?;
        let x = column(file, "--column", args.column.as_deref())?;
        let y = match args.second.constant {
            Some(_) => None,
            None => Some(column(file, "--against", args.second.against.as_deref())?),
        };
        let fraction = y.as_ref().map_or(0, |y| y.fraction_bits).max(x.fraction_bits);
        let scale = 2f64.powi(fraction as i32);
        let operand = |of: Number| Operand::Column { shift: fraction - of.fraction_bits, of };
        let limits =
            [x.limit, y.as_ref().map_or_else(|| args.second.constant.unwrap_or_default().abs(), |y| y.limit)];
        let size = limits.iter().fold(1.0, |most: f64, limit| most.max((limit * scale).round() + 1.0));
        let bits = (size.log2().ceil() as u32).saturating_add(4).max(NARROWEST);
        if bits > BITS {
            return Err(Failure::new(format!(
                "numbers up to {} with {fraction} fraction bits take {bits} bits to compare; accepted: {BITS}; see \
                 `join --fraction-bits` and the limits of columns",
                limits[0].max(limits[1])
            )));
        }
        let within = |limit: f64| [-1, 1].map(|sign| sign * (limit * scale).round() as i64);
        let (operands, range) = match (y, args.second.constant) {
            (Some(y), _) => (vec![operand(x), operand(y)], within(limits[1])),
            (None, value) => {
                let value = value.unwrap_or_default();
                let word = constant::steps(relation, value, fraction, Rounding::Nearest)? as i64;
                (vec![operand(x), Operand::Constant { value, word }], [word; 2])
            }
        };
        let objective = args.choosing.optimise.into();
        let compare = Compare::new(relation, [bits, fraction], within(limits[0]), range, objective)?;
        let (name, operation) = (relation.name().to_owned(), Box::new(compare.additive(SHARED_BITS)));
        Ok(Self { name, operation, operands, bits, inside: None, within: None })
    }

    /// What `--default` says; nothing for empty.
    pub fn default(&self, text: &str) -> Result<Option<f64>> {
        if text == "empty" {
            return Ok(None);
        }
        let held = self.operation.result();
        let scale = 2f64.powi(held.fraction as i32);
        let [least, most] = held.range.unwrap_or([-1, 1].map(|sign| sign << (held.bits - 2)));
        let [lo, hi] = [least, most].map(|end| end as f64 / scale);
        let whole = held.fraction == 0;
        let fine = |value: &f64| (lo..=hi).contains(value) && (!whole || value.fract() == 0.0);
        let kind = if whole { "a whole number from " } else { "" };
        let refused = || Failure::new(format!("--default {text}: accepted: {kind}{lo} to {hi}, or empty"));
        text.parse().ok().filter(fine).map(Some).ok_or_else(refused)
    }

    /// What a result says to who gets it.
    pub fn tells(&self, file: &JoinedFile) -> String {
        match &self.operands[..] {
            [_] => format!(
                "{} of {}; where results differ, that number, as exactly as the results' digits say",
                self.name,
                self.words(file).concat()
            ),
            _ => self.operation.tells(),
        }
    }

    /// The columns and numbers, in the same words at both parties.
    pub fn words(&self, file: &JoinedFile) -> Vec<String> {
        let columns: Vec<_> = file.columns().collect();
        let word = |operand: &Operand| match operand {
            Operand::Column { of, .. } => {
                let (role, column) = columns[of.column];
                format!("{}.{}", if role == Role::P0 { "p0" } else { "p1" }, column.name)
            }
            Operand::Constant { value, .. } => format!("the constant {value}"),
        };
        self.operands.iter().map(word).collect()
    }

    /// What it costs for so many bins.
    pub fn bill(&self, default: Option<f64>, bins: usize, under: &Setting) -> Result<Bill> {
        let moved = self.inside.map_or(Bill::FREE, |_| Mux::bill(&[self.bits]).times(bins));
        Ok(moved + answer::bill(&*self.operation, default, bins, under)?)
    }

    /// The results of all bins of a join, at the owner of the rows.
    pub fn answer(
        &self,
        p: &mut Party,
        (file, table): (&JoinedFile, &Table),
        default: Option<f64>,
        owner: Role,
        took: &mut Took,
    ) -> Result<Option<Vec<Option<f64>>>> {
        let matched = table.matched.bits(table.bins);
        let mut operands = Vec::new();
        for operand in &self.operands {
            operands.push(match operand {
                Operand::Column { of, shift } => {
                    let column = &table.shares[file.part(of.column)];
                    let words = column.iter().map(|word| word << shift).collect();
                    let numbers = AShare::<u64>::new(self.bits, words);
                    match self.inside {
                        Some(word) => answer::matching(p, &matched, &numbers, word as u64, took)?,
                        None => numbers,
                    }
                }
                Operand::Constant { word, .. } => {
                    let mine = if p.role() == Role::P0 { *word as u64 } else { 0 };
                    AShare::<u64>::new(self.bits, vec![mine; table.bins])
                }
            });
        }
        let words: Vec<&[u64]> = operands.iter().map(AShare::words).collect();
        answer::answer(p, &*self.operation, default, owner, (&matched, &words), took)
    }
}

/// The column of numbers that an option names.
fn column(file: &JoinedFile, option: &str, name: Option<&str>) -> Result<Number> {
    let missing =
        || Failure::new(format!("--joined: {option} NAME says which column of numbers of the join"));
    number(file, name.ok_or_else(missing)?)
}

/// The function in a ring as asked for, else in the narrowest that takes all numbers of the column.
fn evaluation(args: &Apply, function: Function, of: &Number) -> Result<Evaluation> {
    let most = of.scaled(of.limit);
    let objective = args.choosing.optimise.into();
    let wanted = |bits| args.how.wanted(Some(bits), of.fraction_bits, false, objective);
    let made = |bits| {
        let digits = |text: &str| match text.contains("--fraction-bits") {
            true => format!("{text}, for which both join again: a join settles them"),
            false => text.to_owned(),
        };
        evaluate::evaluation(function, wanted(bits)).map_err(|refused| refused.worded(digits))
    };
    let narrow = || evaluate::attempt(function, evaluate::NARROW, &wanted(evaluate::NARROW));
    let reach = |made: &Evaluation| evaluate::reach(&made.card());
    let serves = |made: &Evaluation| reach(made)[0] <= -most && most <= reach(made)[1];
    let made = match args.how.bits {
        Some(bits) => made(bits)?,
        None => narrow().ok().filter(&serves).map_or_else(|| made(evaluate::WIDE), Ok)?,
    };
    match serves(&made) {
        true => Ok(made),
        false => {
            let [lo, hi] = reach(&made).map(|end| of.number(end as f64));
            Err(Failure::new(format!(
                "{:?} has numbers up to {} in size; {function} in {} bits takes {lo} to {hi}: use more --bits, or a \
                 smaller limit at the join",
                of.name,
                of.limit,
                made.bits()
            )))
        }
    }
}
