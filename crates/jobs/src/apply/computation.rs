//! What is asked, of numbers in files: what is evaluated, and the numbers as it takes them.

use crate::{
    apply::{
        columns::Columns,
        question::{Question, What},
    },
    constant,
    decision::{self, Threshold, Through},
    evaluate::{self, Wanted},
    fixed::Table,
    job::{Body, Job},
    lookup::Lookup,
    shared_results::SHARED_BITS,
};
use hushtable::{
    math::{Bounds, Function},
    operation::{Compare, Relation},
    run::Reveal,
};
use hushtable_columns::{Format, Rounding, failure::Result, numbers::Operand};

/// The job. `through`: the function through which a threshold is decided on what it is of.
pub fn of(question: &Question<'_>, columns: &Columns<'_>, through: Option<Through>) -> Result<Job> {
    let mut job = match question.what {
        What::Function(function) => evaluation(question, function, columns)?,
        What::Lookup(table) => lookup(question, table, columns)?,
        What::Relation(relation, constant) => comparison(question, (relation, constant), columns, through)?,
    };
    job.style = columns.style();
    Ok(job)
}

/// A function of numbers of any size.
fn evaluation(question: &Question<'_>, function: Function, columns: &Columns<'_>) -> Result<Job> {
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
    let (ids, x) = columns.numbers(evaluate::format(&card), reach)?;
    let error = card.max_ulp() * 2f64.powi(-(card.scale_out as i32));
    let text = evaluate::exactness(function.name(), error, &x, shares.is_some());
    let error = evaluate::carried(Some(function), error, &x, card.domain);
    let (body, column) = (Body::Other(Box::new(evaluation)), function.name().to_owned());
    let mut job = Job::new(question.threads, question.reveal, body, column, ids, vec![x], vec![true]);
    (job.error, job.notes) = (error, vec![("exactness", text)]);
    Ok(job)
}

/// A lookup in the table of a function, or in one from a file.
fn lookup(question: &Question<'_>, table: Table<'_>, columns: &Columns<'_>) -> Result<Job> {
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
    let (domain, values) = table.over(question.how, fraction_bits, question.reveal == Reveal::Nobody)?;
    let (ids, x) = columns.indices(&domain)?;
    let bounds = Bounds { lo: domain.value(0), hi: domain.value(1 << domain.index_bits()) };
    let carried = evaluate::carried(table.function(), 0.0, &x, bounds);
    let body = Body::Lookup(Lookup::new(table.name(), domain, values, question.reveal));
    let mut job = Job::new(question.threads, question.reveal, body, table.column(), ids, vec![x], vec![true]);
    // Values are rounded to the nearest.
    let rounding = 2f64.powi(-1 - job.result().0.fraction_bits as i32);
    job.error = carried.map(|carried| carried + rounding);
    Ok(job)
}

/// A comparison of two columns, or of one with a public number.
fn comparison(
    question: &Question<'_>,
    (relation, constant): (Relation, Option<f64>),
    columns: &Columns<'_>,
    through: Option<Through>,
) -> Result<Job> {
    let through = through.zip(constant);
    let format = match (columns.format, &through) {
        (Some(format), _) => format,
        (None, Some((through, _))) => through.format(),
        (None, None) => question.how.compared()?,
    };
    let [gives_x, gives_y] = columns.gives();
    let rounding = match (relation, &through) {
        (_, Some((through, _))) => through.rounding(relation),
        // With a constant the peer may have nothing, and then no sum is rounded.
        (Relation::Eq | Relation::Ne, None) => {
            Rounding::Equal { sums: gives_x && gives_y && constant.is_none() }
        }
        _ => Rounding::before(relation),
    };
    let ((ids, x), y) = columns.pair(format, rounding, constant.is_some())?;
    let decided =
        through.and_then(|(through, value)| Threshold::of(&through, relation, value, format, x.range));
    let word = |word, name| Operand::word(word, x.words.len(), question.role, name);
    let y = match (y, &decided) {
        (Some(y), _) => y,
        (None, Some(decided)) => word(decided.at, decided.to_string()),
        (None, None) => {
            let value = constant.unwrap_or_default();
            let steps = constant::word(relation, value, format)?;
            // What is compared is decided as for the number itself.
            let error =
                if relation.selects() { (steps as f64 * format.rounding() - value).abs() } else { 0.0 };
            Operand { error: Some(error), ..word(steps, format!("the constant {value}")) }
        }
    };
    let shared = columns.format.is_some();
    let text = match &decided {
        Some(decided) => Some(decided.exactness(&x, shared)),
        None => decision::margin(relation, &x, &y, constant, format, shared),
    };
    let error = if relation.selects() { x.error.zip(y.error).map(|(x, y)| x.max(y)) } else { Some(0.0) };
    let held = decided.map_or(relation, |decided| decided.relation);
    let (sizes, objective) = ([format.bits, format.fraction_bits], question.choosing.optimise.into());
    let compare = Compare::new(held, sizes, x.range, y.range, objective)?;
    let (reveal, column) = (question.reveal, relation.name().to_owned());
    let compare = if reveal == Reveal::Nobody { compare.additive(SHARED_BITS) } else { compare };
    let gives = vec![gives_x, gives_y || constant.is_some()];
    let body = Body::Other(Box::new(compare));
    let mut job = Job::new(question.threads, reveal, body, column, ids, vec![x, y], gives);
    (job.error, job.notes) = (error, text.map(|text| ("decision", text)).into_iter().collect());
    Ok(job)
}
