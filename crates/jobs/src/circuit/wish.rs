//! `--engine`: what evaluates a circuit, by name.

use std::{str::FromStr, sync::Arc};

use hushtable::{
    Role,
    circuit::{Circuit, Form},
    lut::Protocol,
    operation::{Engine, Evaluate, Operation},
};
use hushtable_columns::failure::{Failure, Result};
use serde::Serialize;

/// An engine as it is asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Wish {
    name: String,
    engine: Engine,
    /// Whether the form must have lookups, or must have none.
    lookups: Option<bool>,
}

/// Before the name of a protocol.
const LOOKUPS: &str = "lut:";

/// All there are.
fn names() -> impl Iterator<Item = String> {
    let lookups = Protocol::ALL.into_iter().filter(|protocol| protocol.opens());
    let lookups = lookups.map(|protocol| format!("{LOOKUPS}{protocol}"));
    ["gmw", "gc", "gc-ahead", "lut"].map(str::to_owned).into_iter().chain(lookups).chain(["splut".to_owned()])
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
            _ => match name.strip_prefix(LOOKUPS).map(Protocol::from_str) {
                Some(Ok(protocol)) if protocol.opens() => (Engine::Layers(Some(protocol)), Some(true)),
                _ => return Err(format!("accepted: {}", names().collect::<Vec<_>>().join(", "))),
            },
        };
        Ok(Self { name: name.into(), engine, lookups })
    }
}

/// How a circuit is evaluated, as `--json` prints it. Field names are a contract with other programs.
#[derive(Serialize)]
pub struct Way<'a> {
    method: String,
    engine: String,
    form: &'a str,
    ands: usize,
    lookups: usize,
    layers: usize,
}

impl<'a> Way<'a> {
    pub fn of(way: &'a Evaluate) -> Self {
        let form = way.way().0;
        let (engine, ands, lookups, layers) = (Wish::of(way).name, form.ands(), form.lookups(), form.depth());
        Self { method: way.method(), engine, form: form.name(), ands, lookups, layers }
    }
}

impl Wish {
    /// All there are.
    pub fn all() -> impl Iterator<Item = Self> {
        names().map(|name| name.parse().expect("a name of an engine"))
    }

    /// What a way of the library's is asked for by.
    pub fn of(way: &Evaluate) -> Self {
        let (form, engine) = way.way();
        let name = match engine {
            Engine::Layers(_) if form.lookups() == 0 => "gmw".into(),
            Engine::Layers(None) => "lut".into(),
            Engine::Layers(Some(protocol)) => format!("{LOOKUPS}{protocol}"),
            Engine::Switching => "splut".into(),
            Engine::Garbled { ahead: false } => "gc".into(),
            Engine::Garbled { ahead: true } => "gc-ahead".into(),
            _ => unreachable!("an engine without a name"),
        };
        name.parse().expect("a name of an engine")
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The engine.
    pub fn engine(&self) -> Engine {
        self.engine
    }

    /// A circuit's form by this engine: of several the one with the fewest layers, or, garbled, with the fewest ANDs.
    pub fn way(&self, circuit: &Arc<Circuit>, known: &[Option<Role>]) -> Result<Evaluate> {
        let fits = |form: &&Form| self.lookups.is_none_or(|with| with == (form.lookups() > 0));
        let least = |form: &Form| match self.engine {
            Engine::Garbled { .. } => form.ands(),
            _ => form.depth(),
        };
        let forms = circuit.forms().iter().enumerate().filter(|(_, form)| fits(form));
        let Some((form, _)) = forms.min_by_key(|(_, form)| least(form)) else {
            let what = if self.lookups == Some(true) { "with" } else { "without" };
            return Err(Failure::new(format!(
                "engine {}: {} has no form {what} lookups; compiling it makes one where that is predicted to take less",
                self.name,
                circuit.name()
            )));
        };
        Ok(Evaluate::by(circuit, known, form, self.engine)?)
    }
}

#[cfg(test)]
mod tests {
    use hushtable::plan::Objective;

    use super::*;

    /// Each way of a circuit is asked for by a name.
    #[test]
    fn ways_have_names() {
        let circuit = Arc::new(synth::library::get("aes_sbox").expect("a circuit"));
        let all = Evaluate::new(&circuit, &[None], Objective::Total).and_then(|one| one.all()).expect("ways");
        for way in all {
            let (form, engine) = way.way();
            let alone = |form: &Form| {
                let ports = (circuit.inputs().to_vec(), circuit.outputs().to_vec());
                Arc::new(Circuit::new("one", ports.0, ports.1, vec![form.clone()]).expect("a circuit"))
            };
            let again = Wish::of(&way).way(&alone(form), &[None]).expect("a way");
            assert_eq!((again.way().0.name(), again.way().1), (form.name(), engine));
        }
    }

    #[test]
    fn forms_suit_engines() {
        let circuit = Arc::new(synth::library::get("aes_sbox").expect("a circuit"));
        let form = |engine: &str| {
            let wish: Wish = engine.parse().expect("an engine");
            wish.way(&circuit, &[None]).expect("a way").way().0.name().to_owned()
        };
        assert_eq!(["gmw", "gc", "lut", "splut"].map(form), ["layers", "ands", "luts", "luts"]);
        let adder = Arc::new(synth::library::get("subtract32").expect("a circuit"));
        let refused = "lut:oplut".parse::<Wish>().expect("an engine").way(&adder, &[None; 2]);
        assert!(refused.err().expect("no lookups").to_string().contains("no form with lookups"));
        assert!("lut:splut".parse::<Wish>().is_err());
    }
}
