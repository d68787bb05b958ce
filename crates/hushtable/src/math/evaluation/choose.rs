//! Which way of evaluating a function suits: the cheapest that is accurate enough.

use super::{angle::Angle, direct::Direct, form::Form, guard::Guard};
use crate::{
    arith::Objective,
    bill::{Bill, Work},
    error::{Error, Result},
    lut::{LookupJob, Protocol, read::polynomial::MAX_DEGREE, vectors::reading_columns},
    math::{
        functions::{
            Accuracy, Method, Options, Outside, rounded_up,
            target::{MOST_LOOKED_AT, Target},
        },
        splines::{
            pieces::{self, MAX_PIECE_BITS, Pieces, Split},
            proof::SHARP,
            spline::Spline,
        },
        tables::MAX_TABLE_BITS,
    },
    net::LinkShape,
    onehot::{Cyclic, OneHot},
    plan::{self, Machine, Wanted},
    share::Sharing,
};

/// How a function is evaluated, and how numbers outside that are replaced are found.
pub(super) struct Choice {
    pub(super) form: Form,
    pub(super) guard: Option<Guard>,
}

impl Choice {
    /// What a number costs in all.
    pub(super) fn bill(&self, bits: u32) -> Result<Bill> {
        let form = self.form.bill()?;
        match &self.guard {
            Some(guard) => Ok(form + guard.bill(bits)?),
            None => Ok(form),
        }
    }

    /// With how accurate it is; where a limit is met by a hair, a proof of that may take a closer look.
    fn measured(self, target: &Target, limit: f64) -> (Self, Accuracy) {
        let region = self.region(target);
        let mut accuracy = self.form.accuracy(target, region);
        let near = limit..limit * (1.0 + 2.0 * SHARP) + 2.0 * SHARP;
        if near.contains(&accuracy.max_ulp) && self.form.accurate(target, region, limit) {
            accuracy.max_ulp = limit;
        }
        (self, accuracy)
    }

    /// The numbers, from the domain's first, whose results are those of the form and are to be the function's.
    fn region(&self, target: &Target) -> [i64; 2] {
        match &self.form {
            Form::Spline(spline)
                if target.everywhere() && self.guard.is_none_or(|guard| guard.is_shifted()) =>
            {
                reached(spline.pieces(), target)
            }
            _ => target.inside_places(),
        }
    }
}

/// The numbers, from the domain's first, for which there are pieces and that may occur.
fn reached(pieces: &Pieces, target: &Target) -> [i64; 2] {
    let ([first, last], [from, to]) = (pieces.region(), target.places);
    [first.max(from), last.min(to)]
}

/// The largest error that is allowed where none is named, for a domain of these bits: a table of what it would hold is
/// exact.
pub(super) fn usual_limit(grid_bits: u32) -> f64 {
    if grid_bits <= MAX_TABLE_BITS { 1.0 } else { 3.0 }
}

/// A spline covers a ring that is so many times as large as the domain at most, as a power of two.
const COVER: u32 = 2;

/// How often the fewest pieces that are accurate enough are doubled to find what is cheaper.
const DOUBLINGS: usize = 2;

/// What results beside a domain may be off, in units in the last place.
const SLACK: f64 = 3.0;

/// Numbers for which costs are compared.
const BATCH: usize = 1 << 16;

/// What the options ask for.
///
/// # Errors
/// [`Error::Param`] if nothing is accurate enough, and as [`Direct::new`] and [`Pieces::new`].
pub(super) fn choose(
    target: &Target,
    bits: u32,
    options: &Options,
    angle: Option<Angle>,
) -> Result<(Choice, Accuracy)> {
    if !target.is_known()
        && target.grid.count > MOST_LOOKED_AT
        && (options.method == Method::Auto || options.max_ulp.is_some())
    {
        let (what, got) = ("domain of any function", format!("{} numbers", target.grid.count));
        let accepted = format!(
            "at most {MOST_LOOKED_AT}, each of which is looked at; or a spline and no largest error, which is then not known"
        );
        return Err(Error::Param { what, got, accepted });
    }
    match options.method {
        Method::Angle => by_angle(target, options, angle),
        Method::Direct => Ok(direct(target, bits, options)?.measured(target, f64::INFINITY)),
        Method::Spline { degree, pieces } => asked_for(target, bits, options, degree, pieces),
        Method::Auto => cheapest(target, bits, options, angle),
    }
}

fn by_angle(target: &Target, options: &Options, angle: Option<Angle>) -> Result<(Choice, Accuracy)> {
    let Some(angle) = angle else {
        let (what, got) = ("method", Method::Angle.to_string());
        let accepted = "angle addition for sines and cosines, without a domain of its own or a check".into();
        return Err(Error::Param { what, got, accepted });
    };
    let limit = options.max_ulp.unwrap_or(f64::INFINITY);
    let made = Choice { form: Form::Angle(angle), guard: None }.measured(target, limit);
    let error = made.1.max_ulp;
    if error <= limit { Ok(made) } else { inaccurate(limit, Some(error)) }
}

fn direct(target: &Target, bits: u32, options: &Options) -> Result<Choice> {
    let direct = Direct::new(target, bits, options.objective)?;
    let guard = match options.outside {
        Outside::Wrap | Outside::Strict => None,
        _ if direct.covers() => None,
        _ => Some(guard(target, bits, options, false)?),
    };
    Ok(Choice { form: Form::Direct(direct), guard })
}

/// For the numbers of the domain, or some around them too; and if those that may occur are more than it tells apart,
/// the one for the whole ring.
fn guard(target: &Target, bits: u32, options: &Options, shifted: bool) -> Result<Guard> {
    let guard = match shifted {
        true => Guard::shifted(&target.grid, bits, options.objective)?,
        false => Guard::exact(&target.grid, bits, options.objective)?,
    };
    let ([first, last], [least, end]) = (target.places, guard.reach(bits));
    let lo = i128::from(target.grid.lo);
    let told = least <= lo + i128::from(first) && lo + i128::from(last) < end;
    if options.range.is_none() || told {
        return Ok(guard);
    }
    Ok(guard.whole(&target.grid, bits, options.objective)?.unwrap_or(guard))
}

fn spline(target: &Target, bits: u32, options: &Options, form: pieces::Form) -> Result<Choice> {
    let mut pieces = Pieces::new(target, bits, form)?;
    let replaced = !matches!(options.outside, Outside::Wrap | Outside::Strict);
    // The pieces at the ends of the domain may reach beyond it.
    let beside = replaced && levels_off(&pieces, target, options);
    let guard = match form.split {
        _ if !replaced => None,
        Split::Carry if beside => None,
        _ => Some(guard(target, bits, options, beside && form.split == Split::Free)?),
    };
    if form.split == Split::Free && !beside && pieces.leave_one(target) {
        pieces = Pieces::new(target, bits, pieces::Form { split: Split::Tight, ..form })?;
    }
    Ok(Choice { form: Form::Spline(Spline::new(pieces, options.objective)?), guard })
}

/// Whether what pieces give beside the domain will do: results as good as inside where they are to be the function's
/// everywhere; else what lies between the function's value at the end and what stands for it beyond.
fn levels_off(pieces: &Pieces, target: &Target, options: &Options) -> bool {
    if !target.everywhere() {
        return pieces.levels_off(target, SLACK);
    }
    let limit = options.max_ulp.unwrap_or(SLACK);
    let ([first, last], end) = (reached(pieces, target), target.grid.count as i64);
    let beside = [[first, -1], [end, last]].into_iter().filter(|part| part[0] <= part[1]);
    beside.into_iter().all(|part| pieces.worst(target, part, Some(limit)) <= limit)
}

/// Which split serves.
fn split(target: &Target, bits: u32, outside: Outside) -> Split {
    let covered = match outside {
        Outside::Wrap | Outside::Strict => target.grid.bits(),
        _ => target.grid.bits() + COVER,
    };
    if bits <= covered { Split::Carry } else { Split::Free }
}

fn asked_for(
    target: &Target,
    bits: u32,
    options: &Options,
    degree: u32,
    pieces: u32,
) -> Result<(Choice, Accuracy)> {
    let refuse = |what, got: u32, accepted| Err(Error::Param { what, got: got.to_string(), accepted });
    if !(1..=MAX_DEGREE).contains(&degree) {
        return refuse("degree of a spline", degree, format!("1 to {MAX_DEGREE}"));
    }
    if !pieces.is_power_of_two() || !(2..=1 << MAX_PIECE_BITS).contains(&pieces) {
        return refuse("pieces of a spline", pieces, format!("powers of two, 2 to {}", 1 << MAX_PIECE_BITS));
    }
    if target.repeats {
        let (what, got) = ("method of a function that repeats", options.method.to_string());
        let accepted = "table, angle addition or auto; or a domain that is no whole period".into();
        return Err(Error::Param { what, got, accepted });
    }
    let (split, piece_bits) = (split(target, bits, options.outside), pieces.ilog2());
    let mut form = pieces::Form { split, degree, piece_bits, rounded: false };
    let limit = options.max_ulp.unwrap_or(f64::INFINITY);
    let first = spline(target, bits, options, form)?.measured(target, limit);
    if first.1.max_ulp <= limit {
        return Ok(first);
    }
    form.rounded = true;
    let rounded = spline(target, bits, options, form)?.measured(target, limit);
    let error = rounded.1.max_ulp;
    if error <= limit { Ok(rounded) } else { inaccurate(limit, Some(error)) }
}

/// `Ok(())` for an accuracy that a choice was to have.
///
/// # Errors
/// [`Error::Param`] for another.
pub(super) fn accepted(target: &Target, options: &Options, accuracy: Accuracy) -> Result<()> {
    let usual = match options.method {
        Method::Auto => usual_limit(target.grid.bits()),
        _ => f64::INFINITY,
    };
    let limit = options.max_ulp.unwrap_or(usual);
    if accuracy.max_ulp <= limit { Ok(()) } else { inaccurate(limit, Some(accuracy.max_ulp)).map(drop) }
}

fn inaccurate(limit: f64, least: Option<f64>) -> Result<(Choice, Accuracy)> {
    let accepted = match least {
        Some(least) => format!("{} and more", rounded_up(least)),
        None => "a larger one, or numbers in a smaller range".into(),
    };
    Err(Error::Param { what: "largest error in ulp", got: limit.to_string(), accepted })
}

/// Of all that are accurate enough.
fn cheapest(
    target: &Target,
    bits: u32,
    options: &Options,
    angle: Option<Angle>,
) -> Result<(Choice, Accuracy)> {
    let small = target.grid.bits() <= MAX_TABLE_BITS;
    let limit = options.max_ulp.unwrap_or(usual_limit(target.grid.bits()));
    // What decides about numbers beside the domain is what is asked for inside.
    let options = &Options { max_ulp: Some(limit), ..*options };
    let angle = angle.map(|angle| Choice { form: Form::Angle(angle), guard: None });
    let mut candidates: Vec<_> = angle.into_iter().collect();
    if small && limit >= 0.5 {
        candidates.push(direct(target, bits, options)?);
    }
    let mut refused = None;
    // Splines have no numbers that wrap.
    for degree in (1..=MAX_DEGREE).filter(|_| !target.repeats) {
        refused = splines(target, bits, options, (degree, limit), &mut candidates).or(refused);
    }
    let weighed = candidates.into_iter().map(|c| Ok((weight(&c, bits, options.objective)?, c)));
    let mut weighed = weighed.collect::<Result<Vec<_>>>()?;
    weighed.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let mut measured = weighed.into_iter().map(|(_, choice)| choice.measured(target, limit));
    match (measured.find(|(_, accuracy)| accuracy.max_ulp <= limit), refused) {
        (Some(best), _) => Ok(best),
        (None, Some(error)) => Err(error),
        (None, None) => inaccurate(limit, None),
    }
}

/// Adds splines of a degree: the one of the fewest pieces that is accurate enough, and some of more, which are
/// cheaper where shorter pieces save more than a larger table takes. The last refusal, if there was one.
fn splines(
    target: &Target,
    bits: u32,
    options: &Options,
    (degree, limit): (u32, f64),
    candidates: &mut Vec<Choice>,
) -> Option<Error> {
    let split = split(target, bits, options.outside);
    let (mut refused, mut found) = (None, 0);
    for piece_bits in 2..=MAX_PIECE_BITS.min(target.grid.bits().saturating_sub(1)) {
        let form = pieces::Form { split, degree, piece_bits, rounded: limit < 1.5 };
        match spline(target, bits, options, form) {
            // What more pieces make of it is looked at closely if it is chosen.
            Ok(choice) if found > 0 || choice.form.accurate(target, choice.region(target), limit) => {
                candidates.push(choice);
                found += 1;
            }
            Ok(_) => {}
            // More pieces need fewer bits.
            Err(error) => refused = Some(error),
        }
        if found > DOUBLINGS {
            break;
        }
    }
    refused
}

/// What is to be small.
fn weight(choice: &Choice, bits: u32, objective: Objective) -> Result<f64> {
    weigh(&choice.form, &choice.bill(bits)?, objective)
}

/// The same of a form, whatever else is in the bill.
pub(super) fn weigh(form: &Form, bill: &Bill, objective: Objective) -> Result<f64> {
    let [offline, online] = nanoseconds(form, bill)?;
    Ok(match objective {
        Objective::Total => offline + online,
        Objective::Online => online + plan::BEFORE * offline,
        Objective::Bytes | Objective::Money => bill.bytes(),
        Objective::Rounds => f64::from(bill.online.rounds) * 1e6 + offline + online,
    })
}

/// What a column takes once it is read: written, read back, and multiplied with powers, two on average.
fn read_column() -> Work {
    Work::words(4)
}

/// What a correlated OT in stock takes online: a block through the hash, a word that is masked and packed, and one that
/// is unpacked.
fn spent_ot() -> Work {
    Work::hashes(1) + Work::words(2)
}

/// Predicted time of a number offline and online: the lookup by the work that [`plan`] counts, of all columns that are
/// read together, the rest by its correlated OTs, each of which is hashed, masked and sent.
fn nanoseconds(form: &Form, bill: &Bill) -> Result<[f64; 2]> {
    let machine = Machine::REFERENCE;
    let each = |seconds: f64| seconds * 1e9 / BATCH as f64;
    let spent = machine.seconds(spent_ot()) * 1e9;
    let Some((index_bits, value_bits, columns)) = form.table() else {
        // All of its correlated OTs are used offline.
        return Ok([bill.all_cots() as f64 * (machine.ots.ferret[1] + spent), 0.0]);
    };
    let job = LookupJob { index: Sharing::Additive, output: Sharing::Xor, index_bits, value_bits };
    let trees = Protocol::ways(&job, BATCH)?.into_iter();
    let trees = trees.filter(|(way, _)| matches!(way, Protocol::Tree | Protocol::Doubling));
    let ranked = plan::rank(trees, &Wanted::new(Objective::Total, LinkShape::USUAL, machine));
    let tree = ranked.first().expect("they serve every such table");
    let others = bill.all_cots().saturating_sub(OneHot::<Cyclic>::tree_bill(index_bits).all_cots()) as f64;
    let read = reading_columns(index_bits, value_bits, columns) + read_column() * columns as f64;
    let online = machine.seconds(read) * 1e9 + others * spent;
    Ok([each(tree.offline.seconds) + others * machine.ots.ferret[1], online])
}
