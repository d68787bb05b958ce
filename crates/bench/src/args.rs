//! The command line.

use std::io::Write;

use clap::{Args, Parser, Subcommand};
use hushtable::net::LinkShape;
use hushtable_columns::failure::{Failure, Result};

use crate::{
    baseline,
    lattice::LatticePieces,
    paper::{self, PaperTables},
    report::{Format, Report},
    run::{self, OneParty, Options},
    work::{
        Work, circuit::CircuitWork, circuit_psi::CircuitPsiWork, cmp::CmpWork,
        confidential::ConfidentialWork, conv::ConvWork, embedding::EmbeddingWork, fss::FssWork,
        inference::InferenceWork, join::JoinWork, lut::LutWork, math::MathWork, matmul::MatmulWork,
        okvs::OkvsWork, ot::OtWork, psi::PsiWork, sql_join::SqlJoinWork, triples::TriplesWork,
        trunc::TruncWork, vole::VoleWork,
    },
};

const EXAMPLES: &str = "\
Examples:
  hushtable-bench lut --protocol rotl --index-bits 8 --value-bits 64 --batch 100000
  hushtable-bench lut --protocol splut --index xor --output xor --net lan --tls --format json
  hushtable-bench circuit --file lib:aes128 --engine splut --batch 1000 --net wan
  hushtable-bench cmp --bits 32 --batch 100000
  hushtable-bench inference --shape gpt2-softmax --net lan
  hushtable-bench inference --shape gpt2 --tokens 128 --generate 8
  hushtable-bench math --function sigmoid --bits 64 --fraction-bits 16
  hushtable-bench ot --scheme ferret --count 16777216 --repeat 3
  hushtable-bench vole --count 1048576 --net lan
  hushtable-bench psi --count 1048576 --repeat 3
  hushtable-bench circuit-psi --count 16384 --bits 32
  hushtable-bench join --count 65536 --other-count 1e5 --own-bits 64 --payload-bits 32
  hushtable-bench confidential --rows 2^20 --key-bits 20 --value-bits 20 --batch 4096 --prf lowmc
  hushtable-bench embedding --rows 30522 --columns 768 --entry-bits 8 --batch 128 --prf lowmc
  hushtable-bench sql-join --rows 1e6 --key-bits 20 --batch 4096
  hushtable-bench fss --object dpf --bits 16 --payload-bits 64 --batch 10000
  hushtable-bench he --bits 37 --limbs 4
  hushtable-bench paper rotl-table5 --rows rotl,n=256 --csv table5.csv --plot table5.svg

Phases: set-up is connecting, handshake, base OTs and the start of the OT extension; offline is the rest \
that needs no input, OT extension included; online needs the inputs; once is what serves any number of sessions. Times are the slower party's. Bytes \
are those of all messages with their framing, as sent by P0 and by P1.
Networks: loopback (nothing simulated), lan (3000 Mbit/s, 0.8 ms), wan (100 Mbit/s, 50 ms) or RATE:RTT, \
for example 200:10ms.";

/// Measure hushtable's protocols between two processes on this machine
///
/// Every result is compared with plaintext; a difference ends with exit code 1. A baseline is measured if this was built
/// with --features baselines.
#[derive(Parser, Debug)]
#[command(name = "hushtable-bench", version, after_help = EXAMPLES, max_term_width = 110)]
struct Cli {
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand, Debug)]
enum What {
    /// Lookups in a public table at shared indices
    #[command(after_help = EXAMPLES)]
    Lut(Measure<LutWork>),
    /// Evaluations of a circuit
    #[command(after_help = EXAMPLES)]
    Circuit(Measure<CircuitWork>),
    /// Comparisons of shared numbers
    #[command(after_help = EXAMPLES)]
    Cmp(Measure<CmpWork>),
    /// Truncations of shared numbers
    #[command(after_help = EXAMPLES)]
    Trunc(Measure<TruncWork>),
    /// Softmax, GELU, transformer blocks or a text that goes on, compared with floating point
    #[command(after_help = EXAMPLES)]
    Inference(Measure<InferenceWork>),
    /// Functions of shared numbers
    #[command(after_help = EXAMPLES)]
    Math(Measure<MathWork>),
    /// Random correlated oblivious transfers, sent by the listening party
    #[command(after_help = EXAMPLES)]
    Ot(Measure<OtWork>),
    /// Products of matrices, by lattices or by correlated OTs
    #[command(after_help = EXAMPLES)]
    Matmul(Measure<MatmulWork>),
    /// Convolutions of shared images with known filters
    #[command(after_help = EXAMPLES)]
    Conv(Measure<ConvWork>),
    /// What the pieces of the lattice take, on one thread and without a peer: microseconds
    #[command(after_help = EXAMPLES)]
    He(LatticePieces),
    /// Multiplication triples, each spent on an AND
    #[command(after_help = EXAMPLES)]
    Triples(Measure<TriplesWork>),
    /// Function secret sharing: keys, and what is made of them
    #[command(after_help = EXAMPLES)]
    Fss(Measure<FssWork>),
    /// VOLE over F_2^64, sent by the listening party
    #[command(after_help = EXAMPLES)]
    Vole(Measure<VoleWork>),
    /// Key-value stores: one party encodes, the other decodes what it is sent
    #[command(after_help = EXAMPLES)]
    Okvs(Measure<OkvsWork>),
    /// Private set intersection
    #[command(after_help = EXAMPLES)]
    Psi(Measure<PsiWork>),
    /// Set intersection by circuits, on numbers
    #[command(after_help = EXAMPLES)]
    CircuitPsi(Measure<CircuitPsiWork>),
    /// Joins of two tables that show nobody which rows match
    #[command(after_help = EXAMPLES)]
    Join(Measure<JoinWork>),
    /// Lookups of shared keys in a table that one party must not show
    #[command(after_help = EXAMPLES)]
    Confidential(Measure<ConfidentialWork>),
    /// Rows of a private matrix at shared token ids
    #[command(after_help = EXAMPLES)]
    Embedding(Measure<EmbeddingWork>),
    /// Shared rows joined with a private table, filtered and added up
    #[command(after_help = EXAMPLES)]
    SqlJoin(Measure<SqlJoinWork>),
    /// A paper's table: what it prints, corrected where it is wrong, and what this program measures
    #[command(after_help = EXAMPLES)]
    Paper(PaperTables),
    #[command(hide = true)]
    Party(OneParty),
}

#[derive(Args, Debug)]
struct Measure<W: Args> {
    #[command(flatten)]
    work: W,
    #[command(flatten)]
    options: Options,
    /// One line of JSON, or a table
    #[arg(long, value_enum, default_value = "table")]
    format: Format,
}

/// Runs the program: results on standard output.
pub fn run() -> Result<()> {
    match Cli::parse().what {
        What::Lut(asked) => asked.run(Work::Lut),
        What::Circuit(asked) => asked.run(Work::Circuit),
        What::Cmp(asked) => asked.run(Work::Cmp),
        What::Trunc(asked) => asked.run(Work::Trunc),
        What::Inference(asked) => asked.run(Work::Inference),
        What::Math(asked) => asked.run(Work::Math),
        What::Ot(asked) => asked.run(Work::Ot),
        What::Matmul(asked) => asked.run(Work::Matmul),
        What::Conv(asked) => asked.run(Work::Conv),
        What::He(pieces) => pieces.print(),
        What::Triples(asked) => asked.run(Work::Triples),
        What::Fss(asked) => asked.run(Work::Fss),
        What::Vole(asked) => asked.run(Work::Vole),
        What::Okvs(asked) => asked.run(Work::Okvs),
        What::Psi(asked) => asked.run(Work::Psi),
        What::CircuitPsi(asked) => asked.run(Work::CircuitPsi),
        What::Join(asked) => asked.run(Work::Join),
        What::Confidential(asked) => asked.run(Work::Confidential),
        What::Embedding(asked) => asked.run(Work::Embedding),
        What::SqlJoin(asked) => asked.run(Work::SqlJoin),
        What::Paper(tables) => paper::run(&tables),
        What::Party(args) => run::party(&args),
    }
}

impl<W: Args> Measure<W> {
    fn run(self, kind: impl FnOnce(W) -> Work) -> Result<()> {
        let mut work = kind(self.work);
        baseline::built(&*work)?;
        let link = self.options.net.simulated().unwrap_or(LinkShape::USUAL);
        work.prepare(&link, self.options.repeat.into())?;
        let runs = run::runs(&work, &self.options)?;
        let report = Report::new(&work, &self.options, &runs);
        let text = match self.format {
            Format::Json => report.json(),
            Format::Table => report.table(),
        };
        std::io::stdout().write_all(text.as_bytes()).map_err(Failure::stdout)
    }
}
