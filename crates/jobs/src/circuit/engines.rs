//! How a circuit is evaluated: as it is asked for, as a store has material for it, or as it suits.

use std::sync::Arc;

use clap::Args;
use hushtable::{
    Role,
    circuit::Circuit,
    net::LinkShape,
    operation::{Evaluate, Operation},
    ot::Setting,
    plan::{Machine, Objective},
};
use hushtable_columns::failure::{Failure, Result};

use super::{Asked, ways, wish::Wish};
use crate::{choice::Optimise, stock::Stock};

/// The form and the engine.
#[derive(Args, Clone, Debug, Default)]
#[command(next_help_heading = "Circuits")]
pub struct Engines {
    /// For a circuit: how it is evaluated [default: as --store has material for it, or as is predicted to take the least, see
    /// --optimise]
    #[arg(long, value_name = "ENGINE")]
    pub engine: Option<Wish>,
    /// For a circuit: what the choice of form and engine makes least
    #[arg(long, alias = "optimize", value_enum)]
    pub optimise: Option<Optimise>,
}

impl Engines {
    /// What is asked for, as the parties compare it.
    pub fn name(&self) -> String {
        self.engine.as_ref().map_or("as predicted".into(), |wish| wish.name().into())
    }

    /// The way that is asked for, the first one for which there is material, or the one that suits so many evaluations.
    pub fn way(
        &self,
        circuit: &Arc<Circuit>,
        known: &[Option<Role>],
        items: usize,
        under: &Setting,
        stock: &Stock,
    ) -> Result<Evaluate> {
        let objective = under.objective.unwrap_or(self.optimise.unwrap_or(Optimise::Total).into());
        let machine = &Machine::REFERENCE.objective(under.objective).prices(under.prices);
        let asked = Asked { circuit, known, items, objective, link: under.link, machine };
        if let Some(wish) = &self.engine {
            let way = wish.way(circuit, known)?;
            stock.fits(&way)?;
            return Ok(way);
        }
        served(&asked, &stock.holds(), |way| stock.fits(way).is_ok())?.ok_or_else(|| {
            Failure::new(format!(
                "--store: it holds material for {}, which no way of evaluating {} takes. Each port must be given by whom \
                 `prepare --known` said",
                stock.holds(),
                circuit.name()
            ))
        })
    }
}

/// The way for which a store that `holds` material of this name has some: the one that it was made for, or the best of
/// those that it `fits`. Ways that only a name asks for count too.
pub fn served(asked: &Asked<'_>, holds: &str, fits: impl Fn(&Evaluate) -> bool) -> Result<Option<Evaluate>> {
    let Asked { circuit, known, .. } = asked;
    let predicted = ways(asked)?.into_iter().map(|predicted| predicted.way);
    let named = Wish::all().filter_map(|wish| wish.way(circuit, known).ok());
    let (made_for, others): (Vec<_>, Vec<_>) =
        predicted.chain(named).partition(|way| way.stored_as() == holds);
    Ok(made_for.into_iter().chain(others).find(fits))
}

/// The way for which material is made ahead, if none is asked for. It depends on nothing that the parties may not have alike.
pub fn to_store(
    circuit: &Arc<Circuit>,
    known: &[Option<Role>],
    objective: Objective,
    items: usize,
) -> Result<Evaluate> {
    let (link, machine) = (LinkShape::USUAL, &Machine::REFERENCE);
    let ways = ways(&Asked { circuit, known, items, objective, link, machine })?;
    let stored = ways.into_iter().map(|predicted| predicted.way).find(|way| way.shape().is_ok());
    stored.ok_or_else(|| Failure::new(format!("material of {} is not stored", circuit.name())))
}
