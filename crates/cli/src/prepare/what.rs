//! What material is to be prepared for.

use std::{
    ffi::OsStr,
    path::{Path, PathBuf},
};

use apps::scoring::Scoring;
use clap::{
    Arg, Args, Command, Error,
    builder::{PossibleValue, PossibleValuesParser, TypedValueParser},
};
use hushtable::{
    lut::{LookupJob, Protocol},
    math::Function,
    operation::{self, Compare, Operation as _, Relation},
    plan::Objective,
};
use hushtable_columns::failure::{Failure, Result};
use hushtable_jobs::{
    accuracy::{Beyond, How},
    choice::{Choice, Choosing, Sharing},
    circuit::{self, Knows, Wish},
    evaluate,
    options::refuse,
    proximity,
    score::options,
    shared_results::SHARED_BITS,
};

/// What `apply`, `score`, `proximity`, `run` or `aes` will be asked for.
#[derive(Clone, Debug)]
pub enum Subject {
    Function(Function),
    Relation(Relation),
    Score,
    Proximity,
    /// FILE.hut, or lib:NAME.
    Circuit(PathBuf),
}

/// What is asked of circuits alone.
#[derive(Args, Debug)]
#[command(next_help_heading = "Circuits")]
pub struct OfCircuits {
    /// For a circuit: who will give its input ports, all of them, PORT=WHO,..: p0, who listens, p1 or shared
    #[arg(long, value_name = "PORT=WHO", value_delimiter = ',')]
    known: Vec<Knows>,
    /// For a circuit: how it will be evaluated [default: as is predicted to take the least between two processes, see
    /// --optimise]
    #[arg(long, value_name = "ENGINE")]
    engine: Option<Wish>,
}

impl OfCircuits {
    /// So many evaluations of the circuit in this file.
    fn operation(
        &self,
        file: &Path,
        objective: Objective,
        items: usize,
    ) -> Result<Box<dyn operation::Operation>> {
        let circuit = circuit::load(file)?;
        let known = circuit::all_said(&circuit, &self.known)?;
        let way = match &self.engine {
            Some(wish) => wish.way(&circuit, &known)?,
            None => circuit::to_store(&circuit, &known, objective, items)?,
        };
        let (asked, stored) = (self.engine.as_ref().map_or("", Wish::name), "accepted: gc, gmw, lut, splut");
        // A store has no shape for what it cannot hold.
        way.shape().map_err(|error| Failure::new(format!("--engine {asked}: {error}; {stored}")))?;
        Ok(Box::new(way))
    }

    /// Which were given.
    fn given(&self) -> [(&'static str, bool); 2] {
        [("--known", !self.known.is_empty()), ("--engine", self.engine.is_some())]
    }
}

/// Lookups in whole tables.
#[derive(Args, Debug)]
#[command(next_help_heading = "Lookups")]
pub struct Lookups {
    /// For tables of 2^K entries, K from 1 to 20, as far as the protocol goes
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=20), requires = "lookups")]
    index_bits: Option<u32>,
    /// Width of an entry in bits, 1 to 64 [default: 64]
    #[arg(long, value_name = "L", value_parser = clap::value_parser!(u32).range(1..=64), requires = "lookups")]
    value_bits: Option<u32>,
    /// How the indices will be shared; `apply` needs additive
    #[arg(long, value_enum, default_value = "additive")]
    index: Sharing,
    /// How the results will be shared; `apply` needs additive
    #[arg(long, value_enum, default_value = "additive")]
    output: Sharing,
}

/// For clap: functions, comparisons, `score`, `proximity` and circuits, with a line of help each.
pub fn subjects() -> impl TypedValueParser<Value = Subject> {
    let functions = Function::ALL.map(|f| PossibleValue::new(f.name()).help(f.about()));
    let relations = Relation::ALL.map(|r| PossibleValue::new(r.name()).help(r.about()));
    let score = PossibleValue::new("score").help("what `hushtable score` asks of each row");
    let proximity =
        PossibleValue::new("proximity").help("whether objects are closer than a distance, any one");
    let all = functions.into_iter().chain(relations).chain([score, proximity]);
    let circuit = PossibleValue::new(CIRCUIT).help("a circuit, for `run` and `aes`");
    Subjects(all.chain([circuit]).collect())
}

/// A circuit, among names.
const CIRCUIT: &str = "FILE.hut|lib:NAME";

/// Names, and circuits.
#[derive(Clone)]
struct Subjects(Vec<PossibleValue>);

impl TypedValueParser for Subjects {
    type Value = Subject;

    fn parse_ref(
        &self,
        command: &Command,
        arg: Option<&Arg>,
        value: &OsStr,
    ) -> std::result::Result<Subject, Error> {
        if circuit::is_circuit(Path::new(value)) {
            return Ok(Subject::Circuit(value.into()));
        }
        let name = PossibleValuesParser::new(self.0.clone()).parse_ref(command, arg, value)?;
        Ok(match &name[..] {
            "score" => Subject::Score,
            "proximity" => Subject::Proximity,
            CIRCUIT => Subject::Circuit(name.into()),
            name => match Relation::ALL.into_iter().find(|relation| relation.name() == name) {
                Some(relation) => Subject::Relation(relation),
                None => Subject::Function(name.parse().expect("a name that clap knows")),
            },
        })
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(self.0.iter().cloned()))
    }
}

impl Lookups {
    /// In a table of zeros: the material does not depend on it.
    pub fn operation(
        &self,
        how: &How,
        asked: &options::Asked,
        circuits: &OfCircuits,
        protocol: Choice,
    ) -> Result<Box<dyn operation::Operation>> {
        let why = "cannot be combined with --lookups, whose tables have --index-bits and --value-bits";
        refuse(&[
            (true, why, &how.of_functions()),
            (true, why, &how.of_format()),
            (true, why, &[("--threshold, --bands or --reveal-exact", !asked.nothing())]),
            (true, "cannot be combined with --lookups: it is for circuits", &circuits.given()),
        ])?;
        let Some(index_bits) = self.index_bits else {
            return Err(Failure::new("--lookups needs --index-bits K, for tables of 2^K entries"));
        };
        let (index, output) = (self.index.into(), self.output.into());
        let job = LookupJob { index, output, index_bits, value_bits: self.value_bits.unwrap_or(64) };
        let protocol = match protocol {
            Choice::Of(protocol) => protocol,
            Choice::Auto => Protocol::to_store(&job),
        };
        protocol.check(&job)?;
        Ok(Box::new(operation::Lookup::blank(protocol, job)?))
    }
}

impl Subject {
    /// As `apply`, `score`, `proximity` and `run` make so many items of the same options. `plane`: places are metres in a
    /// plane. `shared`: its results stay shared.
    pub fn operation(
        self,
        how: &How,
        (asked, circuits): (&options::Asked, &OfCircuits),
        [plane, shared]: [bool; 2],
        choosing: &Choosing,
        items: usize,
    ) -> Result<Box<dyn operation::Operation>> {
        let (scores, nears) = (matches!(self, Self::Score), matches!(self, Self::Proximity));
        let evaluates = matches!(self, Self::Circuit(_));
        let own_format = "cannot be combined with proximity, whose places have a format of their own";
        refuse(&[
            (!scores, "are for score", &[("--threshold, --bands and --reveal-exact", !asked.nothing())]),
            (!nears, "is for proximity", &[("--plane", plane)]),
            (!matches!(self, Self::Function(_)), "is for functions", &how.of_functions()),
            (nears, own_format, &how.of_format()),
            (evaluates, "cannot be combined with a circuit, whose ports have types", &how.of_format()),
            (evaluates, "cannot be combined with a circuit", &[("--shared", shared)]),
            (!evaluates, "is for circuits", &circuits.given()),
        ])?;
        if choosing.protocol != Choice::Auto || how.outside == Some(Beyond::Wrap) {
            let why = "what --protocol or --outside wrap ask for is lookups: --lookups N --index-bits K";
            return Err(Failure::new(why));
        }
        match self {
            Self::Function(function) => {
                let objective = choosing.optimise.into();
                let wanted = how.wanted(how.bits, how.function_bits(), shared, objective);
                Ok(Box::new(evaluate::evaluation(function, wanted)?))
            }
            Self::Relation(relation) => {
                let (format, objective) = (how.compared()?, choosing.optimise.into());
                let (sizes, range) = ([format.bits, format.fraction_bits], format.range());
                let compare = Compare::new(relation, sizes, range, range, objective)?;
                Ok(Box::new(if shared { compare.additive(SHARED_BITS) } else { compare }))
            }
            // The material is the same for all distances.
            Self::Proximity => proximity::operation(1.0, plane, shared),
            Self::Circuit(file) => circuits.operation(&file, choosing.optimise.into(), items),
            Self::Score => {
                let bits = how.bits.unwrap_or(options::BITS);
                let scoring = Scoring::new(
                    bits,
                    how.fraction_bits.unwrap_or(options::FRACTION_BITS),
                    asked.question(),
                )?;
                Ok(Box::new(if shared { scoring.additive(SHARED_BITS) } else { scoring }))
            }
        }
    }
}
