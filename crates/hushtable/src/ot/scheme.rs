//! The choice of OT extension.

/// How correlated OTs are made. By default the count decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// IKNP: 16 bytes per OT, the least work.
    Iknp,
    /// SoftSpoken over subfields of 2^4: 4 bytes per OT.
    SoftSpoken,
    /// Ferret with set S or M: 0.15 to 1 byte per OT once it runs.
    Ferret,
    /// Ferret with set L: 0.05 byte per OT, for slow links and more than 10^7 OTs.
    FerretLarge,
}

impl Scheme {
    /// All choices, by their number in bytes.
    const BY_CODE: [Option<Self>; 5] =
        [None, Some(Self::Iknp), Some(Self::SoftSpoken), Some(Self::Ferret), Some(Self::FerretLarge)];

    /// The number of a choice.
    pub(crate) fn code(choice: Option<Self>) -> u8 {
        Self::BY_CODE.iter().position(|&known| known == choice).expect("all are listed") as u8
    }

    /// The choice of that number, if there is one.
    pub(crate) fn of_code(code: u8) -> Option<Option<Self>> {
        Self::BY_CODE.get(usize::from(code)).copied()
    }
}
