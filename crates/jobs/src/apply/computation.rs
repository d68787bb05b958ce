//! How what is asked is computed of numbers in files.

use crate::{
    apply::{
        columns::{Columns, Public, Reading},
        question::{Question, What},
    },
    constant,
    decision::{self, Threshold, Through},
    evaluate::{self, Wanted},
    fixed::Table,
    job::Body,
    lookup::Lookup,
    shared_results::SHARED_BITS,
};
use hushtable::{
    math::{Bounds, Function},
    operation::{Compare, Operation, Relation},
    run::Reveal,
};
use hushtable_columns::{Format, Rounding, failure::Result, numbers::Operand};

/// How numbers are read, and what is computed of them then.
pub type Computation<'a> = (Reading, Box<dyn FnOnce(&[Operand]) -> Result<Computed> + 'a>);

/// What is computed of numbers that were read.
pub struct Computed {
    pub body: Body,
    /// Name of the results.
    pub column: String,
    /// How far a result may lie from the exact one, where that is known.
    pub error: Option<f64>,
    pub note: Option<(&'static str, String)>,
}

/// What suits these columns. `through`: the function through which a threshold is decided on what it is of.
pub fn of<'a>(
    question: &Question<'a>,
    columns: &Columns<'_>,
    through: Option<Through>,
) -> Result<Computation<'a>> {
    match question.what {
        What::Function(function) => evaluation(question, function, columns),
        What::Lookup(table) => lookup(question, table, columns),
        What::Relation(relation, constant) => comparison(question, (relation, constant), columns, through),
    }
}

/// A function of numbers of any size.
fn evaluation<'a>(
    question: &Question<'a>,
    function: Function,
    columns: &Columns<'_>,
) -> Result<Computation<'a>> {
    let (how, shares) = (question.how, columns.format);
    let bits = shares.map_or(how.bits, |format| Some(format.bits));
    let fraction_bits = shares.map_or(how.function_bits(), |format| format.fraction_bits);
    let scale = 2f64.powi(fraction_bits as i32);
    let objective = question.choosing.optimise.into();
    let wanted = how.wanted(bits, fraction_bits, question.reveal == Reveal::Nobody, objective);
    // Where all numbers are too many, those that the shares can have may do.
    let within = columns.range.filter(|_| wanted.domain.is_none()).map(|[least, most]| {
        let [lo, hi] = [i128::from(least), i128::from(most) + 1].map(|end| end as f64 / scale);
        Wanted { domain: Some(Bounds { lo, hi }), ..wanted }
    });
    let evaluation = evaluate::evaluation(function, wanted).or_else(|refused| {
        within.and_then(|within| evaluate::evaluation(function, within).ok()).ok_or(refused)
    })?;
    let card = evaluation.card();
    let reach = evaluate::reach(&card);
    if let Some(range) = columns.range.filter(|range| range[0] < reach[0] || range[1] > reach[1]) {
        let [least, greatest, lo, hi] = [range[0], range[1], reach[0], reach[1]].map(|v| v as f64 / scale);
        return Err(columns.says(&format!(
            "shares of values from {least} to {greatest}; {function} in {} bits takes {lo} to {hi}: make them \
             with more --bits or a smaller --output-fraction-bits",
            card.ring
        )));
    }
    let reading = Reading::Numbers(evaluate::format(&card), reach);
    let computed = move |x: &[Operand]| {
        let error = card.max_ulp() * 2f64.powi(-(card.scale_out as i32));
        Ok(Computed {
            body: Body::Other(Box::new(evaluation)),
            column: function.name().to_owned(),
            error: evaluate::carried(Some(function), error, &x[0], card.domain),
            note: Some(("exactness", evaluate::exactness(function.name(), error, &x[0], shares.is_some()))),
        })
    };
    Ok((reading, Box::new(computed)))
}

/// A lookup in the table of a function, or in one from a file.
fn lookup<'a>(question: &Question<'a>, table: Table<'a>, columns: &Columns<'_>) -> Result<Computation<'a>> {
    let fraction_bits = match columns.format {
        Some(Format { fraction_bits, .. }) if fraction_bits > 16 => {
            return Err(columns.says(&format!(
                "shares with {fraction_bits} fraction bits; an index has at most 16: make them with a smaller \
                 --output-fraction-bits"
            )));
        }
        Some(format) => format.fraction_bits,
        None => table.index_fraction_bits(question.how),
    };
    let reveal = question.reveal;
    let (domain, values) = table.over(question.how, fraction_bits, reveal == Reveal::Nobody)?;
    let reading = Reading::Indices(domain.clone());
    let computed = move |x: &[Operand]| {
        let bounds = Bounds { lo: domain.value(0), hi: domain.value(1 << domain.index_bits()) };
        let lookup = Lookup::new(table.name(), domain, values, reveal);
        // Values are rounded to the nearest.
        let rounding = 2f64.powi(-1 - lookup.operation.result().fraction as i32);
        let carried = evaluate::carried(table.function(), 0.0, &x[0], bounds);
        let error = carried.map(|carried| carried + rounding);
        Ok(Computed { body: Body::Lookup(lookup), column: table.column(), error, note: None })
    };
    Ok((reading, Box::new(computed)))
}

/// A comparison of two columns, or of one with a public number.
fn comparison<'a>(
    question: &Question<'a>,
    (relation, constant): (Relation, Option<f64>),
    columns: &Columns<'_>,
    through: Option<Through>,
) -> Result<Computation<'a>> {
    let through = through.zip(constant);
    let format = match (columns.format, &through) {
        (Some(format), _) => format,
        (None, Some((through, _))) => through.format(),
        (None, None) => question.how.compared()?,
    };
    let rounding = match (relation, &through) {
        (_, Some((through, _))) => through.rounding(relation),
        // With a constant the peer may have nothing, and then no sum is rounded.
        (Relation::Eq | Relation::Ne, None) => {
            Rounding::Equal { sums: columns.gives_both() && constant.is_none() }
        }
        _ => Rounding::before(relation),
    };
    let range = columns.range.unwrap_or(format.range());
    let decided =
        through.and_then(|(through, value)| Threshold::of(&through, relation, value, format, range));
    let public = match (&decided, constant) {
        (Some(decided), _) => Some(Public { word: decided.at, name: decided.to_string(), error: 0.0 }),
        (None, Some(value)) => {
            let word = constant::word(relation, value, format)?;
            // What is compared is decided as for the number itself.
            let error =
                if relation.selects() { (word as f64 * format.rounding() - value).abs() } else { 0.0 };
            Some(Public { word, name: format!("the constant {value}"), error })
        }
        (None, None) => None,
    };
    let (shared, reveal) = (columns.format.is_some(), question.reveal);
    let objective = question.choosing.optimise.into();
    let computed = move |operands: &[Operand]| {
        let [x, y] = operands else { unreachable!("two operands") };
        let note = match &decided {
            Some(decided) => Some(decided.exactness(x, shared)),
            None => decision::margin(relation, x, y, constant, format, shared),
        };
        let held = decided.map_or(relation, |decided| decided.relation);
        let compare = Compare::new(held, [format.bits, format.fraction_bits], x.range, y.range, objective)?;
        let compare = if reveal == Reveal::Nobody { compare.additive(SHARED_BITS) } else { compare };
        let finest = x.error.zip(y.error).map(|(x, y)| x.max(y));
        Ok(Computed {
            body: Body::Other(Box::new(compare)),
            column: relation.name().to_owned(),
            error: if relation.selects() { finest } else { Some(0.0) },
            note: note.map(|text| ("decision", text)),
        })
    };
    Ok((Reading::Pairs(format, rounding, public), Box::new(computed)))
}
