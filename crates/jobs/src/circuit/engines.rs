//! How a circuit is evaluated: as it is asked for, or as it suits.

use std::sync::Arc;

use clap::Args;
use hushtable::{
    Role,
    circuit::Circuit,
    operation::{self, Evaluate, Operation},
    ot::Setting,
};
use hushtable_columns::failure::Result;

use super::wish::Wish;
use crate::choice::Optimise;

/// The form and the engine.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Circuits")]
pub struct Engines {
    /// For a circuit: how it is evaluated [default: as is predicted to take the least, see --optimise]
    #[arg(long, value_name = "ENGINE")]
    engine: Option<Wish>,
    /// For a circuit: what the choice of form and engine makes least
    #[arg(long, value_enum)]
    optimise: Option<Optimise>,
}

impl Engines {
    /// What is asked for, as the parties compare it.
    pub fn name(&self) -> String {
        self.engine.as_ref().map_or("as predicted".into(), |wish| wish.name().into())
    }

    /// The way that is asked for, or the one that suits so many evaluations.
    pub fn way(
        &self,
        circuit: &Arc<Circuit>,
        known: &[Option<Role>],
        items: usize,
        under: &Setting,
    ) -> Result<Box<dyn Operation>> {
        let objective = self.optimise.unwrap_or(Optimise::Total).into();
        let usual = Evaluate::new(circuit, known, objective)?;
        if let Some(wish) = &self.engine {
            return Ok(Box::new(wish.way(circuit, known)?));
        }
        let chosen = operation::choose(&usual, items, under)?;
        Ok(chosen.unwrap_or_else(|| Box::new(usual)))
    }
}
