//! Lookups of a column in a public table: the library's, with a domain in front.

use std::sync::Arc;

use hushtable::{
    Role,
    lut::{LookupJob, Protocol},
    math::{Domain, Tabulated},
    operation,
    run::Reveal,
    share::Sharing,
};

use crate::shared_results::SHARED_BITS;

/// What is looked up. All of it is public and the same at both parties.
#[derive(Clone)]
pub struct Lookup {
    pub domain: Domain,
    pub operation: operation::Lookup,
}

impl Lookup {
    /// Lookups whose results go where `reveal` says; `name` is the function's, or `table`.
    pub fn new(name: &str, domain: Domain, table: Tabulated, reveal: Reveal) -> Self {
        let value_bits = match reveal {
            Reveal::Nobody => table.bits().max(SHARED_BITS),
            _ => table.bits(),
        };
        let (index, output) = (Sharing::Additive, Sharing::Additive);
        let job = LookupJob { index, output, index_bits: domain.index_bits(), value_bits };
        let protocol = Protocol::SpLut; // until the parties settle on one
        Self {
            operation: operation::Lookup {
                name: name.to_owned(),
                job,
                table: Arc::new(table),
                protocol,
                open: false,
            },
            domain,
        }
    }

    /// What the parties compare besides.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("fraction bits", self.domain.fraction_bits().to_string()), ("domain", self.domain.to_string())]
    }

    /// This party's shares of the indices of numbers of which `x` has its part.
    pub fn indices(&self, x: &[u64], role: Role) -> Vec<u64> {
        x.iter().map(|&x| self.domain.index_share(x, role == Role::P0).into()).collect()
    }
}
