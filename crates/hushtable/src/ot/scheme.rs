//! The choice of OT extension.

/// How correlated OTs are made. By default the count decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scheme {
    /// IKNP: 16 bytes per OT, the least work.
    Iknp,
    /// SoftSpoken over subfields of 2^2: 8 bytes per OT, as much work as IKNP.
    SoftSpoken2,
    /// SoftSpoken over subfields of 2^4: 4 bytes per OT, twice as much work.
    SoftSpoken,
    /// SoftSpoken over subfields of 2^8: 2 bytes per OT, sixteen times as much work.
    SoftSpoken8,
    /// Ferret with set S or M: 0.15 to 1 byte per OT once it runs.
    Ferret,
    /// Ferret with set L: 0.05 byte per OT, for slow links and more than 10^7 OTs.
    FerretLarge,
}

impl Scheme {
    /// All choices, each with its number in bytes.
    const CODES: [(Option<Self>, u8); 7] = [
        (None, 0),
        (Some(Self::Iknp), 1),
        (Some(Self::SoftSpoken), 2),
        (Some(Self::Ferret), 3),
        (Some(Self::FerretLarge), 4),
        (Some(Self::SoftSpoken2), 5),
        (Some(Self::SoftSpoken8), 6),
    ];

    /// The `k` of SoftSpoken's subfields of `2^k`; Ferret starts from those of 2^4.
    pub(super) fn subfield(choice: Option<Self>) -> u32 {
        match choice {
            Some(Self::Iknp) => 1,
            Some(Self::SoftSpoken2) => 2,
            Some(Self::SoftSpoken8) => 8,
            None | Some(Self::SoftSpoken | Self::Ferret | Self::FerretLarge) => 4,
        }
    }

    /// The number of a choice.
    pub(crate) fn code(choice: Option<Self>) -> u8 {
        Self::CODES.iter().find(|known| known.0 == choice).expect("all are listed").1
    }

    /// The choice of that number, if there is one.
    pub(crate) fn of_code(code: u8) -> Option<Option<Self>> {
        Self::CODES.iter().find(|known| known.1 == code).map(|known| known.0)
    }
}
