//! How a circuit is evaluated: as it is asked for, or as it suits.

use std::{str::FromStr, sync::Arc};

use clap::Args;
use hushtable::{
    Role,
    circuit::{Circuit, Form},
    lut::Protocol,
    operation::{self, Engine, Evaluate, Operation},
    ot::Setting,
};
use hushtable_columns::failure::{Failure, Result};

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

/// An engine as it is asked for.
#[derive(Clone, Debug, PartialEq)]
struct Wish {
    name: String,
    engine: Engine,
    /// Whether the form must have lookups, or must have none.
    lookups: Option<bool>,
}

impl FromStr for Wish {
    type Err = String;

    fn from_str(name: &str) -> std::result::Result<Self, String> {
        let (engine, lookups) = match name {
            "gmw" => (Engine::Layers(None), Some(false)),
            "lut" => (Engine::Layers(None), Some(true)),
            "splut" => (Engine::Switching, None),
            "gc" => (Engine::Garbled { ahead: false }, Some(false)),
            "gc-ahead" => (Engine::Garbled { ahead: true }, Some(false)),
            _ => match name.strip_prefix("lut:").map(Protocol::from_str) {
                Some(Ok(protocol)) if protocol.opens() => (Engine::Layers(Some(protocol)), Some(true)),
                _ => {
                    let all = Protocol::ALL.into_iter().filter(|protocol| protocol.opens());
                    let all: Vec<String> = all.map(|protocol| format!("lut:{protocol}")).collect();
                    return Err(format!("accepted: gmw, gc, gc-ahead, lut, {}, splut", all.join(", ")));
                }
            },
        };
        Ok(Self { name: name.into(), engine, lookups })
    }
}

impl Engines {
    /// What is asked for, as the parties compare it.
    pub fn name(&self) -> String {
        self.engine.as_ref().map_or("as predicted".into(), |wish| wish.name.clone())
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
        let Some(wish) = &self.engine else {
            let chosen = operation::choose(&usual, items, under)?;
            return Ok(chosen.unwrap_or_else(|| Box::new(usual)));
        };
        let fits = |form: &&Form| wish.lookups.is_none_or(|with| with == (form.lookups() > 0));
        let forms = circuit.forms().iter().enumerate().filter(|(_, form)| fits(form));
        // Of several the one with the fewest layers.
        let Some((form, _)) = forms.min_by_key(|(_, form)| form.depth()) else {
            let what = if wish.lookups == Some(true) { "with" } else { "without" };
            return Err(Failure::new(format!(
                "--engine {}: {} has no form {what} lookups; `hushtable compile` makes one",
                wish.name,
                circuit.name()
            )));
        };
        Ok(Box::new(Evaluate::by(circuit, known, form, wish.engine)?))
    }
}
