//! What `hushtable calibrate` measured: how fast this machine and the link to the peer are.

use std::{
    env, fmt, fs,
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{link::Link, means::Means};
use hushtable::{
    net::LinkShape,
    ot::{Scheme, SessionWish},
    plan::Machine,
};
use hushtable_columns::failure::{Failure, Result};
use serde::{Deserialize, Serialize};

/// What was measured, or the defaults.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    #[serde(with = "machine_file")]
    machine: Machine,
    link: Option<LinkFile>,
    /// The OT extension that was asked for.
    #[serde(skip)]
    asked: Option<Scheme>,
    #[serde(skip)]
    means: Means,
    /// Where it was read from.
    #[serde(skip)]
    source: Option<PathBuf>,
}

/// A [`Machine`] on disk and between the parties: its figures by their names.
mod machine_file {
    use std::collections::BTreeMap;

    use hushtable::plan::Machine;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(machine: &Machine, to: S) -> Result<S::Ok, S::Error> {
        to.collect_map(Machine::NAMES.into_iter().zip(machine.figures()))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Machine, D::Error> {
        let named = BTreeMap::<String, f64>::deserialize(from)?;
        if let Some(name) = named.keys().find(|name| !Machine::NAMES.contains(&name.as_str())) {
            return Err(D::Error::custom(format!("{name:?} is no figure of a machine; calibrate again")));
        }
        let mut figures = [0.0; Machine::NAMES.len()];
        for (figure, name) in figures.iter_mut().zip(Machine::NAMES) {
            let missing = || D::Error::custom(format!("no figure {name:?}; calibrate again"));
            *figure = *named.get(name).ok_or_else(missing)?;
        }
        Ok(Machine::from(figures))
    }
}

/// A link as it was measured.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct LinkFile {
    pub mbit_per_s: f64,
    pub rtt_ms: f64,
}

impl Calibration {
    /// From `path`, or from this user's file if there is one, or the defaults.
    pub fn load(path: Option<&Path>) -> Result<Self> {
        let default = default_path().filter(|path| path.is_file());
        let Some(path) = path.map(Path::to_owned).or(default) else {
            return Ok(Self::measured(Machine::REFERENCE, None));
        };
        let text = fs::read(&path).map_err(Failure::file(&path))?;
        let read: Self = serde_json::from_slice(&text)
            .map_err(|e| Failure::input(format!("{}: not a calibration: {e}", path.display())))?;
        read.check().map_err(|what| Failure::input(format!("{}: {what}", path.display())))?;
        Ok(Self { source: Some(path), ..read })
    }

    /// What was just measured.
    pub fn measured(machine: Machine, link: Option<LinkFile>) -> Self {
        Self { machine, link, asked: None, means: Means::default(), source: None }
    }

    /// How fast the machines are.
    pub fn machine(&self) -> Machine {
        self.means.machine(self.machine.asked(self.asked))
    }

    /// For a session over `link`, whose OT extension may be asked for, and prices said.
    #[must_use]
    pub fn over(self, link: &Link) -> Self {
        Self { asked: link.asked(), means: link.means().clone(), ..self }
    }

    /// With what a user said.
    #[must_use]
    pub fn by(self, means: Means) -> Self {
        Self { means, ..self }
    }

    /// The OT extension that this party wishes of a session over `link`.
    pub fn wish(&self, link: &Link) -> SessionWish {
        link.wish(self.machine.ots, self.link())
    }

    /// What is known of `link`.
    pub fn shape(&self, link: &Link) -> Option<LinkShape> {
        link.known(self.link())
    }

    /// The link, if it was measured.
    pub fn link(&self) -> Option<LinkShape> {
        let link = self.link?;
        Some(LinkShape { mbit_per_s: Some(link.mbit_per_s), rtt: Duration::from_secs_f64(link.rtt_ms / 1e3) })
    }

    /// Every figure positive and sane, so that predictions are finite.
    pub fn check(&self) -> std::result::Result<(), String> {
        if !self.machine.figures().iter().all(|figure| (1e-9..=1e6).contains(figure)) {
            return Err("a figure of the machine is out of range".into());
        }
        match self.link {
            Some(link)
                if !(0.01..=1e6).contains(&link.mbit_per_s) || !(0.0..=4000.0).contains(&link.rtt_ms) =>
            {
                Err("the link's figures are out of range: 0.01 to 10^6 Mbit/s, 0 to 4000 ms".into())
            }
            _ => Ok(()),
        }
    }
}

impl fmt::Display for Calibration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.source {
            Some(path) => write!(f, "calibration {}", path.display()),
            None => f.write_str("not calibrated"),
        }
    }
}

/// Where this user's calibration is, if there is one.
pub fn default_path() -> Option<PathBuf> {
    Some(user_folder()?.join("calibration.json"))
}

/// Where this user keeps what the program is to know.
pub fn user_folder() -> Option<PathBuf> {
    let folder = env::var_os("XDG_CONFIG_HOME")
        .map(PathBuf::from)
        .filter(|path| path.is_absolute())
        .or_else(|| Some(PathBuf::from(env::var_os("HOME")?).join(".config")))?;
    Some(folder.join("hushtable"))
}
