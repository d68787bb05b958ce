//! The OT extensions that can be asked for.

use std::{fmt, str::FromStr};

use crate::error::Error;

/// How correlated OTs are made. By default predicted time decides ([`Limits`](super::Limits)).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Scheme {
    /// IKNP: 16 bytes per OT.
    Iknp,
    /// SoftSpoken over subfields of 2^2: 8 bytes per OT.
    SoftSpoken2,
    /// SoftSpoken over subfields of 2^4: 4 bytes per OT.
    SoftSpoken4,
    /// SoftSpoken over subfields of 2^8: 2 bytes per OT, the most work.
    SoftSpoken8,
    /// Ferret with set S or M: 0.15 to 1 byte per OT once it runs.
    Ferret,
    /// Ferret with set L: 0.05 byte per OT, for slow links and more than 10^7 OTs.
    FerretLarge,
}

impl Scheme {
    /// All that can be asked for.
    pub const ALL: [Self; 6] = [
        Self::Iknp,
        Self::SoftSpoken2,
        Self::SoftSpoken4,
        Self::SoftSpoken8,
        Self::Ferret,
        Self::FerretLarge,
    ];

    /// Its name in programs.
    pub fn name(self) -> &'static str {
        match self {
            Self::Iknp => "iknp",
            Self::SoftSpoken2 => "softspoken-2",
            Self::SoftSpoken4 => "softspoken-4",
            Self::SoftSpoken8 => "softspoken-8",
            Self::Ferret => "ferret",
            Self::FerretLarge => "ferret-large",
        }
    }

    /// What it is, in a line.
    pub fn about(self) -> &'static str {
        match self {
            Self::Iknp => "16 bytes each",
            Self::SoftSpoken2 => "8 bytes each",
            Self::SoftSpoken4 => "4 bytes each",
            Self::SoftSpoken8 => "2 bytes each, the most work",
            Self::Ferret => "LPN, 0.15 to 1 byte each; the parameter set by count",
            Self::FerretLarge => "LPN with the largest set, 0.05 byte each; for slow links",
        }
    }

    /// Its number on the wire: never one that another had.
    pub(crate) fn number(self) -> u8 {
        match self {
            Self::Iknp => 1,
            Self::SoftSpoken4 => 2,
            Self::Ferret => 3,
            Self::FerretLarge => 4,
            Self::SoftSpoken2 => 5,
            Self::SoftSpoken8 => 6,
        }
    }

    /// The one of that number.
    pub(crate) fn of_number(number: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|scheme| scheme.number() == number)
    }
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Scheme {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        let found = Self::ALL.into_iter().find(|scheme| scheme.name() == text);
        found.ok_or_else(|| Error::Param {
            what: "OT extension",
            got: format!("{text:?}"),
            accepted: Self::ALL.map(Self::name).join(", "),
        })
    }
}
