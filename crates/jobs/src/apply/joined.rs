//! `--joined`: a function or a comparison of columns of a hidden join, for the rows in common.

use crate::{
    accuracy::Beyond,
    apply::question::{Joined, Question, What},
    constant, evaluate,
    fixed::Table,
    job::{Body, Job},
    join::{
        column::BITS,
        file::JoinedFile,
        named::{Number, complete},
    },
    lookup::Lookup,
    row_results::{self, Asked, Bins, InCommon, of_file},
    shared_results::SHARED_BITS,
};
use hushtable::{
    Role,
    math::{Evaluation, Function},
    operation::{Compare, Elsewhere, Port, Relation},
    run::Reveal,
};
use hushtable_columns::{
    Rounding,
    failure::{Failure, Result},
    named,
};
use prim::wipe::Wiped;

/// Least width of compared numbers.
const NARROWEST: u32 = 16;

/// An operation on columns of a join. Public.
struct Computation {
    /// Of the results.
    name: String,
    /// With results that are shared additively; made for each owner's bins.
    body: Box<dyn Fn() -> Body>,
    operands: Vec<Operand>,
    /// What stands in bins that do not match, in place of 0.
    inside: Option<(Port, i64)>,
    /// Where numbers must lie, if others are refused.
    within: Option<String>,
}

/// What is computed with.
enum Operand {
    /// A column, times `2^shift`.
    Column { of: Number, shift: u32 },
    /// A public number.
    Constant { value: f64, word: i64 },
}

/// The steps, and what is said and compared of them.
pub fn steps(question: &Question<'_>, columns: &Joined<'_>) -> Result<(Vec<Job>, InCommon)> {
    let (mut file, role) = (JoinedFile::read(columns.path)?, question.role);
    let x = complete(&file, &named::written(columns.x))?;
    let computation = match question.what {
        What::Function(function) => Computation::function(question, function, x)?,
        What::Relation(relation, constant) => {
            let y = columns.y.map(|name| complete(&file, &named::written(name))).transpose()?;
            Computation::relation(question, relation, x, y.ok_or(constant.unwrap_or_default()))?
        }
        What::Lookup(table) => Computation::lookup(question, table, x)?,
    };
    let made = (computation.body)();
    let held = made.operation().result();
    let asked = Asked {
        column: computation.name.clone(),
        default: row_results::default(columns.default, held)?,
        threads: question.threads,
        choosing: question.choosing.clone(),
    };
    let owners = row_results::owners(of_file::owners(&file, role), question.reveal)?;
    let about = computation.about(&file, &made, &owners, asked.default, role);
    let mut jobs = vec![];
    for owner in owners {
        let operands = computation.words(&file, owner, role);
        computation.steps(of_file::bins(&mut file, owner, role), operands, &mut jobs, &asked)?;
    }
    Ok((jobs, about))
}

impl Computation {
    /// A function of a column.
    fn function(question: &Question<'_>, function: Function, of: Number) -> Result<Self> {
        as_joined(question, of.fraction_bits)?;
        let evaluation = evaluation(question, function, &of)?;
        let card = evaluation.card();
        let refused = card.refused != [false; 2];
        // Where nothing matches a column is 0: what is refused must not depend on that.
        let outside = card.domain.lo > 0.0 || card.domain.hi <= 0.0;
        let number = Port::additive("number", card.ring).scaled(of.fraction_bits);
        Ok(Self {
            name: function.name().to_owned(),
            inside: (refused && outside).then(|| (number, (card.domain.lo / of.number(1.0)).ceil() as i64)),
            within: refused.then(|| format!("{}, {}", card.domain, card.treatment())),
            operands: vec![Operand::Column { of, shift: 0 }],
            body: Box::new(move || Body::Other(Box::new(evaluation.clone()))),
        })
    }

    /// A lookup of a column in the table of a function, or in one from a file.
    fn lookup(question: &Question<'_>, table: Table<'_>, of: Number) -> Result<Self> {
        as_joined(question, of.fraction_bits)?;
        let (domain, values) = table.over(question.how, of.fraction_bits, false).map_err(of_the_join)?;
        let most = of.scaled(of.limit);
        if !domain.contains([-most, most]) && question.how.outside != Some(Beyond::Wrap) {
            return Err(Failure::new(format!(
                "{:?} has numbers from -{limit} to {limit}, which domain {domain} does not hold: --domain says a larger one, \
                 or --outside wrap at both parties that numbers beyond it are taken modulo its length",
                of.name,
                limit = of.limit
            )));
        }
        // Shown to somebody: no wider than the table.
        let lookup = Lookup::new(table.name(), domain, values, Reveal::Both);
        Ok(Self {
            name: table.column(),
            inside: None,
            within: None,
            operands: vec![Operand::Column { of, shift: 0 }],
            body: Box::new(move || Body::Lookup(lookup.clone())),
        })
    }

    /// A comparison of a column with another, or with a public number.
    fn relation(
        question: &Question<'_>,
        relation: Relation,
        x: Number,
        y: std::result::Result<Number, f64>,
    ) -> Result<Self> {
        let fraction = y.as_ref().map_or(0, |y| y.fraction_bits).max(x.fraction_bits);
        as_joined(question, fraction)?;
        let scale = 2f64.powi(fraction as i32);
        let limits = [x.limit, y.as_ref().map_or_else(|value| value.abs(), |y| y.limit)];
        let bits = width(question, limits, fraction)?;
        let operand = |of: Number| Operand::Column { shift: fraction - of.fraction_bits, of };
        let within = |limit: f64| [-1, 1].map(|sign| sign * (limit * scale).round() as i64);
        let (y, range) = match y {
            Ok(y) => (operand(y), within(limits[1])),
            Err(value) => {
                let word = constant::steps(relation, value, fraction, Rounding::Nearest)? as i64;
                (Operand::Constant { value, word }, [word; 2])
            }
        };
        let objective = question.choosing.optimise.into();
        let compare = Compare::new(relation, [bits, fraction], within(limits[0]), range, objective)?;
        let compare = compare.additive(SHARED_BITS);
        let body = Box::new(move || Body::Other(Box::new(compare)));
        let operands = vec![operand(x), y];
        Ok(Self { name: relation.name().to_owned(), body, operands, inside: None, within: None })
    }

    /// What is said and compared.
    fn about(
        &self,
        file: &JoinedFile,
        made: &Body,
        owners: &[Role],
        default: Option<f64>,
        me: Role,
    ) -> InCommon {
        let (operation, names) = (made.operation(), self.names(file));
        let mut compared = InCommon::compared("apply", file.pairing(me), owners, default);
        compared.push(("operation", operation.name()));
        compared.extend(["x", "y"].into_iter().zip(names.iter().cloned()));
        if let Body::Lookup(lookup) = made {
            compared.extend(lookup.fields());
        }
        compared.extend(operation.fields());
        let tells = match &names[..] {
            [of] => format!(
                "{} of {of}; where results differ, that number, as exactly as the results' digits say",
                self.name
            ),
            _ => operation.tells(),
        };
        let decision = match &self.operands[..] {
            [Operand::Column { of, .. }, _] => Some(("decision", of.decisions())),
            _ => None,
        };
        let refusal = self.within.iter().map(|within| {
            let text = format!(
                "if a row in common lies outside the domain ({within}), both learn that there is one, and nothing else; \
                 rows that are not in common play no part"
            );
            ("to both", text)
        });
        InCommon {
            compared,
            or: "",
            rows: of_file::rows(file),
            words: format!(" of {}", file.words()),
            result: format!("the column {}, of {}", self.name, names.join(" and ")),
            notes: decision.into_iter().collect(),
            owners: owners.to_vec(),
            default,
            tells,
            shows: refusal.collect(),
        }
    }

    /// The columns and numbers, in the same words at both parties.
    fn names(&self, file: &JoinedFile) -> Vec<String> {
        let columns: Vec<_> = file.columns().collect();
        let name = |operand: &Operand| match operand {
            Operand::Column { of, .. } => {
                let (role, column) = columns[of.column];
                format!("{}.{}", if role == Role::P0 { "p0" } else { "p1" }, column.name)
            }
            Operand::Constant { value, .. } => format!("the constant {value}"),
        };
        self.operands.iter().map(name).collect()
    }

    /// This party's shares of the operands, of the bins whose rows are those of `owner`.
    fn words(&self, file: &JoinedFile, owner: Role, me: Role) -> Vec<Wiped<u64>> {
        let table = of_file::table(file, owner, me);
        let words = |operand: &Operand| match operand {
            Operand::Column { of, shift } => {
                table.shares[file.part(of.column)].iter().map(|word| word << shift).collect::<Vec<u64>>()
            }
            Operand::Constant { word, .. } => {
                vec![if me == Role::P0 { *word as u64 } else { 0 }; table.bins]
            }
        };
        self.operands.iter().map(|operand| Wiped::from(words(operand))).collect()
    }

    /// The steps of an owner's bins.
    fn steps(
        &self,
        bins: Bins,
        mut operands: Vec<Wiped<u64>>,
        jobs: &mut Vec<Job>,
        asked: &Asked,
    ) -> Result<()> {
        let first = match self.inside {
            None => None,
            Some((number, word)) => {
                let zeros = Wiped::zeros(operands[0].len());
                let x = [Wiped::from(bins.matched.to_vec()), std::mem::replace(&mut operands[0], zeros)];
                Some(row_results::step(Elsewhere::new(number, Some(word))?, x, asked))
            }
        };
        bins.steps(jobs, first, row_results::main((self.body)(), operands, asked), asked)
    }
}

/// An error if other fraction bits are asked for than the columns have.
fn as_joined(question: &Question<'_>, fraction_bits: u32) -> Result<()> {
    match question.how.fraction_bits.filter(|asked| *asked != fraction_bits) {
        None => Ok(()),
        Some(asked) => Err(Failure::new(format!(
            "--fraction-bits {asked}: the join fixed {fraction_bits} for these columns; leave it out, or join again with \
             others"
        ))),
    }
}

/// Words about fraction bits, which are those of the join.
fn of_the_join(refused: Failure) -> Failure {
    refused.worded(|text| match text.contains("--fraction-bits") {
        true => format!("{text}, for which both join again: a join settles them"),
        false => text.to_owned(),
    })
}

/// Bits of compared numbers: as asked for, or as many as they need.
fn width(question: &Question<'_>, limits: [f64; 2], fraction: u32) -> Result<u32> {
    let most = limits[0].max(limits[1]);
    let size = ((most * 2f64.powi(fraction as i32)).round() + 1.0).max(1.0);
    let needed = (size.log2().ceil() as u32).saturating_add(4).max(NARROWEST);
    let bits = question.how.bits.unwrap_or(needed);
    if bits > BITS || needed > bits {
        return Err(Failure::new(format!(
            "numbers up to {most} with {fraction} fraction bits take {needed} bits to compare; accepted: {}; see \
             `join --fraction-bits` and the limits of columns",
            bits.min(BITS)
        )));
    }
    Ok(bits)
}

/// The function in a ring as asked for, else in the narrowest that takes all numbers of the column.
fn evaluation(question: &Question<'_>, function: Function, of: &Number) -> Result<Evaluation> {
    let most = of.scaled(of.limit);
    let objective = question.choosing.optimise.into();
    let wanted = |bits| question.how.wanted(Some(bits), of.fraction_bits, false, objective);
    let made = |bits| evaluate::evaluation(function, wanted(bits)).map_err(of_the_join);
    let narrow = || evaluate::attempt(function, evaluate::NARROW, &wanted(evaluate::NARROW));
    let reach = |made: &Evaluation| evaluate::reach(&made.card());
    let serves = |made: &Evaluation| reach(made)[0] <= -most && most <= reach(made)[1];
    let made = match question.how.bits {
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
