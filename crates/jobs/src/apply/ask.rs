//! What the command line and the input files ask for, checked before anything is connected.

use crate::{
    apply::options::{Apply, Operation},
    constant,
    decision::{self, Threshold},
    evaluate::{self, Wanted},
    fixed,
    job::{Body, Job},
    lookup::Lookup,
    shared_results::SHARED_BITS,
};
use hushtable::{
    math::{Bounds, Domain, Function, Tabulated, exact_fraction_bits},
    operation::{Compare, Relation},
    run::Reveal,
};
use hushtable_columns::{
    Format, Ids, Rounding,
    failure::{Failure, Result},
    numbers::{Operand, Source},
    table_file,
};

/// The format of compared numbers unless another is asked for.
pub const COMPARED: Format = Format { bits: 64, fraction_bits: 16 };

/// Reads and checks everything.
///
/// `stored`: the store holds lookups.
pub fn job(args: &Apply, stored: bool) -> Result<Job> {
    match args.operation {
        Some(Operation::Relation(relation)) => compare(args, relation),
        Some(Operation::Function(function)) if !args.looks_up(stored) => function_of(args, function),
        _ => look_up(args, stored),
    }
}

/// A function of numbers of any size.
fn function_of(args: &Apply, function: Function) -> Result<Job> {
    args.refuse_second_operand()?;
    let reveal = args.accord.reveal_numbers(&args.link, &of_sums(function.name()))?;
    let source = args.open(args.input())?;
    let (bits, fraction_bits) = match source.format() {
        None => (args.how.bits, args.how.function_bits()),
        Some(format) => {
            as_the_shares(args, &source, format)?;
            (Some(format.bits), format.fraction_bits)
        }
    };
    let shared = reveal == Reveal::Nobody;
    let wanted = args.how.wanted(bits, fraction_bits, shared, args.choosing.optimise.into());
    // Where all numbers are too many, those that the shares can have may do.
    let within = source.shares.as_ref().filter(|_| wanted.domain.is_none()).map(|file| {
        let [lo, hi] = [i128::from(file.range[0]), i128::from(file.range[1]) + 1]
            .map(|end| end as f64 / 2f64.powi(fraction_bits as i32));
        Wanted { domain: Some(Bounds { lo, hi }), ..wanted }
    });
    let evaluation = evaluate::evaluation(function, wanted).or_else(|refused| {
        within.and_then(|within| evaluate::evaluation(function, within).ok()).ok_or(refused)
    })?;
    let card = evaluation.card();
    let (reach, scale) = (evaluate::reach(&card), 2f64.powi(fraction_bits as i32));
    let format = evaluate::format(&card);
    let (ids, x) =
        source.numbers_within(args.column.as_deref(), args.id(), format, reach, Rounding::Nearest)?;
    if x.range[0] < reach[0] || x.range[1] > reach[1] {
        let [least, greatest, lo, hi] =
            [x.range[0], x.range[1], reach[0], reach[1]].map(|v| v as f64 / scale);
        return Err(source.says(&format!(
            "shares of values from {least} to {greatest}; {function} in {} bits takes {lo} to {hi}: make them \
             with more --bits or a smaller --output-fraction-bits",
            card.ring
        )));
    }
    let (body, column) = (Body::Other(Box::new(evaluation)), function.name().to_owned());
    let error = card.max_ulp() * 2f64.powi(-(card.scale_out as i32));
    let shared_x = source.shares.is_some();
    let text = evaluate::exactness(function.name(), error, &x, shared_x);
    let error = evaluate::carried(Some(function), error, &x, card.domain);
    let mut job = Job::new(args.accord.threads, reveal, body, column, ids, vec![x], vec![true]);
    (job.error, job.notes) = (error, vec![("exactness", text)]);
    Ok(job)
}

/// What a result of this function tells.
pub fn of_sums(function: &str) -> String {
    let what = if function == "table" { "the table's value" } else { function };
    format!(
        "Whoever gets {what} of a sum and knows its own number can compute the other's, as exactly as the digits allow."
    )
}

/// What the larger or the smaller of two numbers tells.
pub fn one_of_two(relation: Relation) -> String {
    format!("Whoever gets {} often gets the other party's number itself.", relation.about())
}

/// A lookup in the table of a function, or in one from a file.
fn look_up(args: &Apply, stored: bool) -> Result<Job> {
    args.refuse_second_operand()?;
    args.refuse_evaluation_options(stored)?;
    let source = args.open(args.input())?;
    let fraction_bits = index_fraction_bits(args, &source)?;
    let name = args.function().map_or("table", |function| function.name());
    let reveal = args.accord.reveal_numbers(&args.link, &of_sums(name))?;
    let shared = reveal == Reveal::Nobody;
    let (domain, table, column) = table(args, fraction_bits, shared)?;
    let (ids, x) = source.indices(args.column.as_deref(), args.id(), &domain)?;
    let bounds = Bounds { lo: domain.value(0), hi: domain.value(1 << domain.index_bits()) };
    let body = Body::Lookup(Lookup::new(name, domain, table, reveal));
    let carried = evaluate::carried(args.function(), 0.0, &x, bounds);
    let mut job = Job::new(args.accord.threads, reveal, body, column, ids, vec![x], vec![true]);
    // Values are rounded to the nearest.
    let rounding = 2f64.powi(-1 - job.result().0.fraction_bits as i32);
    job.error = carried.map(|carried| carried + rounding);
    Ok(job)
}

/// The domain and the table of numbers with so many bits after the point, and what its results are called.
pub fn table(args: &Apply, fraction_bits: u32, shared: bool) -> Result<(Domain, Tabulated, String)> {
    match (args.operation, &args.table) {
        (Some(Operation::Function(function)), _) => {
            let domain = fixed::domain(args.how.domain.unwrap_or(function.domain()), fraction_bits)?;
            let table = fixed::function(function, &domain, args.how.output_bits(fraction_bits, shared, 16))?;
            Ok((domain, table, function.name().to_owned()))
        }
        (_, Some(path)) => {
            let values = table_file::read(path)?;
            let whole = Bounds { lo: 0.0, hi: values.len() as f64 / 2f64.powi(fraction_bits as i32) };
            let domain = fixed::domain(args.how.domain.unwrap_or(whole), fraction_bits)?;
            if values.len() != 1 << domain.index_bits() {
                return Err(Failure::input(format!(
                    "{}: {} values, but domain {domain} with {fraction_bits} fraction bits has {} points",
                    path.display(),
                    values.len(),
                    1u32 << domain.index_bits()
                )));
            }
            let column = path.file_stem().map_or("table".into(), |stem| stem.to_string_lossy().into_owned());
            let digits = args.how.output_bits(fraction_bits, shared, exact_fraction_bits(&values));
            Ok((domain, fixed::table(&values, digits)?, column))
        }
        _ => unreachable!("clap requires a function or a table"),
    }
}

/// A comparison of two columns, or of one with a public number.
fn compare(args: &Apply, relation: Relation) -> Result<Job> {
    args.refuse_lookup_options()?;
    let reveal = match relation.selects() {
        true => args.accord.reveal_numbers(&args.link, &one_of_two(relation))?,
        false => args.accord.reveal(&args.link)?,
    };
    let first = args.open(args.input())?;
    let second = args.second.other.as_deref().map(|path| args.open(path)).transpose()?;
    let through = args.through.zip(args.second.constant);
    let format = match through {
        Some((through, _)) if first.shares.is_none() => through.format(),
        _ => compared_format(args, &first, second.as_ref())?,
    };
    let read = |source: &Source, column: Option<&str>, rounding| match column {
        None if source.shares.is_none() => source.nothing(args.id(), format, rounding),
        column => source.numbers(column, args.id(), format, rounding),
    };
    let shared_x = first.shares.is_some();
    let gives_x = args.column.is_some() || shared_x;
    let shared_y = second.as_ref().is_some_and(|source| source.shares.is_some());
    let gives_y = args.second.against.is_some() || args.second.constant.is_some() || shared_y;
    let rounding = match (relation, through) {
        (_, Some((through, _))) => through.rounding(relation),
        // With a constant the peer may have nothing, and then no sum is rounded.
        (Relation::Eq | Relation::Ne, None) => {
            Rounding::Equal { sums: gives_x && gives_y && args.second.constant.is_none() }
        }
        _ => Rounding::before(relation),
    };
    let (ids, x) = read(&first, args.column.as_deref(), rounding)?;
    let decided = match through {
        Some((through, value)) => Threshold::of(&through, relation, value, format, x.range),
        None => None,
    };
    let (role, rows) = (args.link.role(), x.words.len());
    let (other_ids, y) = match (args.second.constant, &second) {
        _ if decided.is_some() => {
            let decided = decided.as_ref().expect("it is there");
            (ids.clone(), Operand::word(decided.at, rows, role, decided.to_string()))
        }
        (Some(value), _) => {
            let steps = constant::steps(relation, value, format.fraction_bits, Rounding::before(relation))?;
            let public = Operand::public(value, steps, rows, format, role)?;
            // What is compared is decided as for the number itself.
            let error = if relation.selects() { public.error } else { Some(0.0) };
            (ids.clone(), Operand { error, ..public })
        }
        (None, Some(source)) => read(source, args.second.against.as_deref(), rounding.other_way())?,
        (None, None) if first.shares.is_some() => {
            return Err(
                first.says("shares of x: --constant C or --other FILE says what they are compared with")
            );
        }
        (None, None) => read(&first, args.second.against.as_deref(), rounding.other_way())?,
    };
    same_rows(args, ids.as_deref(), &x, other_ids.as_deref(), &y)?;
    let Format { bits, fraction_bits } = format;
    let text = match &decided {
        Some(decided) => Some(decided.exactness(&x, shared_x)),
        None => decision::margin(relation, &x, &y, args.second.constant, format, shared_x || shared_y),
    };
    let name = relation.name();
    let relation = decided.as_ref().map_or(relation, |decided| decided.relation);
    let error = if relation.selects() { x.error.zip(y.error).map(|(x, y)| x.max(y)) } else { Some(0.0) };
    let compare =
        Compare::new(relation, [bits, fraction_bits], x.range, y.range, args.choosing.optimise.into())?;
    let compare = if reveal == Reveal::Nobody { compare.additive(SHARED_BITS) } else { compare };
    let body = Body::Other(Box::new(compare));
    let mut job =
        Job::new(args.accord.threads, reveal, body, name.to_owned(), ids, vec![x, y], vec![gives_x, gives_y]);
    (job.error, job.notes) = (error, text.map(|text| ("decision", text)).into_iter().collect());
    Ok(job)
}

/// As the shares have, or as asked for.
fn compared_format(args: &Apply, first: &Source, second: Option<&Source>) -> Result<Format> {
    let of_shares = [Some(first), second].into_iter().flatten().filter_map(|s| Some((s, s.format()?)));
    // The finest: those of others are made as fine.
    let of_shares = of_shares.reduce(|a, b| if b.1.fraction_bits > a.1.fraction_bits { b } else { a });
    let Some((source, format)) = of_shares else {
        let bits = args.how.bits.unwrap_or(COMPARED.bits);
        let fraction_bits = args.how.fraction_bits.unwrap_or(COMPARED.fraction_bits);
        if fraction_bits + 3 > bits {
            let what = format!("--fraction-bits {fraction_bits} leaves no room in --bits {bits}");
            return Err(Failure::new(what));
        }
        return Ok(Format { bits, fraction_bits });
    };
    as_the_shares(args, source, format).map(|()| format)
}

/// An error if a format is asked for that shares do not have.
fn as_the_shares(args: &Apply, source: &Source, format: Format) -> Result<()> {
    let asked = [
        ("--bits", args.how.bits, format.bits),
        ("--fraction-bits", args.how.fraction_bits, format.fraction_bits),
    ];
    match asked.into_iter().find(|(_, asked, has)| asked.is_some_and(|asked| asked != *has)) {
        None => Ok(()),
        Some((option, _, has)) => Err(source.says(&format!("shares with {option} {has}; leave it out"))),
    }
}

/// As asked for, or as the shares have, or 8 for a function and 0 for a table.
fn index_fraction_bits(args: &Apply, source: &Source) -> Result<u32> {
    let Some(format) = source.format() else {
        return Ok(match args.operation {
            Some(_) => args.how.function_bits(),
            None => args.how.fraction_bits.unwrap_or(0),
        });
    };
    as_the_shares(args, source, format)?;
    match format.fraction_bits {
        has if has > 16 => Err(source.says(&format!(
            "shares with {has} fraction bits; an index has at most 16: make them with a smaller \
             --output-fraction-bits"
        ))),
        has => Ok(has),
    }
}

/// An error that names the first row in which two operands' names differ.
fn same_rows(
    args: &Apply,
    ids: Option<&Ids>,
    x: &Operand,
    other_ids: Option<&Ids>,
    y: &Operand,
) -> Result<()> {
    let other = || args.second.other.as_deref().unwrap_or(args.input()).display();
    if x.words.len() != y.words.len() {
        let (rows, others) = (x.words.len(), y.words.len());
        return Err(Failure::input(format!(
            "{}: {others} rows; {} has {rows}",
            other(),
            args.input().display()
        )));
    }
    let differs = |(ids, others): (&Ids, &Ids)| ids.iter().zip(others.iter()).position(|(a, b)| a != b);
    match ids.zip(other_ids).and_then(differs) {
        None => Ok(()),
        Some(at) => Err(Failure::input(format!(
            "{}: row {} has an id other than in {}: sort both files by id",
            other(),
            at + 1,
            args.input().display()
        ))),
    }
}
