//! What is measured, as the two processes get it and as the report names it.

pub mod circuit;
pub mod circuit_psi;
pub mod cmp;
pub mod confidential;
pub mod conv;
pub mod embedding;
pub mod fss;
mod ids;
pub mod inference;
pub mod join;
mod known;
pub mod lut;
pub mod math;
pub mod matmul;
pub mod okvs;
pub mod ot;
mod private;
pub mod psi;
pub mod sql_join;
pub mod triples;
pub mod trunc;
pub mod vole;

use std::{
    fmt,
    ops::{Deref, DerefMut},
};

use hushtable::net::LinkShape;
use hushtable_columns::failure::Result;
use serde::{Deserialize, Serialize};

use self::{
    circuit::CircuitWork, circuit_psi::CircuitPsiWork, cmp::CmpWork, confidential::ConfidentialWork,
    conv::ConvWork, embedding::EmbeddingWork, fss::FssWork, inference::InferenceWork, join::JoinWork,
    lut::LutWork, math::MathWork, matmul::MatmulWork, okvs::OkvsWork, ot::OtWork, psi::PsiWork,
    sql_join::SqlJoinWork, triples::TriplesWork, trunc::TruncWork, vole::VoleWork,
};
use crate::benchmark::Benchmark;

/// A kind with its parameters. Names are a contract with other programs.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub enum Work {
    Lut(LutWork),
    Circuit(CircuitWork),
    Cmp(CmpWork),
    Trunc(TruncWork),
    Inference(InferenceWork),
    Math(MathWork),
    Ot(OtWork),
    Matmul(MatmulWork),
    Conv(ConvWork),
    Triples(TriplesWork),
    Fss(FssWork),
    Vole(VoleWork),
    Okvs(OkvsWork),
    Psi(PsiWork),
    #[serde(rename = "circuit-psi")]
    CircuitPsi(CircuitPsiWork),
    Join(JoinWork),
    Confidential(ConfidentialWork),
    Embedding(EmbeddingWork),
    #[serde(rename = "sql-join")]
    SqlJoin(SqlJoinWork),
}

impl Work {
    /// What takes long to make is made, and what is too large for this machine's memory, as private tables may be, is
    /// refused.
    pub fn prepared(&self, link: &LinkShape) -> Result<Self> {
        let mut work = self.clone();
        if let Self::Circuit(_)
        | Self::CircuitPsi(_)
        | Self::Confidential(_)
        | Self::Embedding(_)
        | Self::SqlJoin(_) = self
        {
            work.prepare(link, 1)?;
        }
        Ok(work)
    }

    /// As JSON for the two processes.
    pub fn handed(&self) -> String {
        let circuit = match self {
            Self::Circuit(work) => work.handed().map(Self::Circuit),
            _ => None,
        };
        serde_json::to_string(circuit.as_ref().unwrap_or(self)).expect("plain data")
    }
}

impl fmt::Display for Work {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl Deref for Work {
    type Target = dyn Benchmark;

    fn deref(&self) -> &Self::Target {
        match self {
            Self::Lut(work) => work,
            Self::Circuit(work) => work,
            Self::Cmp(work) => work,
            Self::Trunc(work) => work,
            Self::Inference(work) => work,
            Self::Math(work) => work,
            Self::Ot(work) => work,
            Self::Matmul(work) => work,
            Self::Conv(work) => work,
            Self::Triples(work) => work,
            Self::Fss(work) => work,
            Self::Vole(work) => work,
            Self::Okvs(work) => work,
            Self::Psi(work) => work,
            Self::CircuitPsi(work) => work,
            Self::Join(work) => work,
            Self::Confidential(work) => work,
            Self::Embedding(work) => work,
            Self::SqlJoin(work) => work,
        }
    }
}

impl DerefMut for Work {
    fn deref_mut(&mut self) -> &mut Self::Target {
        match self {
            Self::Lut(work) => work,
            Self::Circuit(work) => work,
            Self::Cmp(work) => work,
            Self::Trunc(work) => work,
            Self::Inference(work) => work,
            Self::Math(work) => work,
            Self::Ot(work) => work,
            Self::Matmul(work) => work,
            Self::Conv(work) => work,
            Self::Triples(work) => work,
            Self::Fss(work) => work,
            Self::Vole(work) => work,
            Self::Okvs(work) => work,
            Self::Psi(work) => work,
            Self::CircuitPsi(work) => work,
            Self::Join(work) => work,
            Self::Confidential(work) => work,
            Self::Embedding(work) => work,
            Self::SqlJoin(work) => work,
        }
    }
}
