//! Forms of lookups, made of gates for what they cost.

use std::sync::Arc;

use hushtable::{
    circuit::{Circuit, Form, TruthTable},
    lut::{LookupJob, Protocol},
    operation::{Engine, Evaluate, Operation},
    plan::{self, Objective, Wanted},
    share::Sharing,
};
use hushtable_columns::failure::{Failure, Result};
use synth::mapping::{self, Costs};

/// For what a form of lookups is made.
pub struct Aim<'a> {
    /// What evaluates it.
    pub engine: Engine,
    /// Most inputs of a lookup, 2 to 12.
    pub inputs: usize,
    /// How many evaluations at once.
    pub items: usize,
    /// What is to be least; of as many rounds the fewest bytes.
    pub wanted: &'a Wanted,
}

impl Aim<'_> {
    /// The form of lookups that is predicted to cost least.
    pub fn lookups(&self, circuit: &Circuit, source: &Form) -> Form {
        let known: Vec<Vec<f64>> = (0..=mapping::MOST_INPUTS as u32)
            .map(|inputs| {
                (0..=TruthTable::MAX_OUTPUTS)
                    .map(
                        |outputs| {
                            if inputs == 0 || outputs == 0 { 0.0 } else { self.lookup(inputs, outputs) }
                        },
                    )
                    .collect()
            })
            .collect();
        let lookup = |inputs: u32, outputs: u32| {
            let known = known.get(inputs as usize).and_then(|row| row.get(outputs as usize));
            known.copied().unwrap_or(f64::INFINITY)
        };
        // A guess that only sorts cuts: what comes out is judged by the plan.
        let and = if self.engine == Engine::Switching { lookup(2, 1) } else { lookup(2, 1) / 2.0 };
        let costs = Costs { lookup: &lookup, and };
        mapping::lookups(source, self.inputs, &costs, &|form| self.value(circuit, form))
    }

    /// What a form takes; infinite if it cannot be evaluated so.
    pub fn value(&self, circuit: &Circuit, form: &Form) -> f64 {
        self.predicted(circuit, form).unwrap_or(f64::INFINITY)
    }

    fn predicted(&self, circuit: &Circuit, form: &Form) -> Result<f64> {
        let (inputs, outputs) = (circuit.inputs().to_vec(), circuit.outputs().to_vec());
        let alone = Circuit::new(circuit.name(), inputs, outputs, vec![form.clone()]);
        let alone = Arc::new(alone.map_err(|error| Failure::new(error.to_string()))?);
        let way = Evaluate::by(&alone, &vec![None; alone.inputs().len()], 0, self.engine)?;
        let effort = way.effort(self.items, &self.wanted.machine.setting(self.wanted.link))?;
        let ranked = plan::rank([((), effort)], self.wanted);
        let value = ranked[0].value(self.wanted.objective);
        Ok(match self.wanted.objective {
            Objective::Rounds => value + 1e-15 * ranked[0].value(Objective::Bytes),
            _ => value,
        })
    }

    /// What a lookup takes among many.
    fn lookup(&self, inputs: u32, outputs: u32) -> f64 {
        const MANY: usize = 1 << 20;
        let (index, output) = (Sharing::Xor, Sharing::Xor);
        let job = LookupJob { index, output, index_bits: inputs, value_bits: outputs.min(64) };
        let protocol = match self.engine {
            Engine::Layers(Some(protocol)) => protocol,
            Engine::Switching => Protocol::SpLut,
            _ => Protocol::to_store(&job),
        };
        let Ok(effort) = protocol.effort(&job, MANY) else { return f64::INFINITY };
        // All lookups of a layer share its round.
        let objective = match self.wanted.objective {
            Objective::Rounds => Objective::Bytes,
            other => other,
        };
        plan::rank([(protocol, effort)], self.wanted)[0].value(objective) / MANY as f64
    }
}
