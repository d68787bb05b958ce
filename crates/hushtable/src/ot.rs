//! Oblivious transfer: base OTs, the two extensions, VOLE, and what protocols make of correlated OTs.

pub mod base;
pub(crate) mod choice;
pub mod codes;
mod ferret;
mod kk13;
pub(crate) mod lane;
pub mod one_of_n;
pub mod params;
pub mod products;
pub mod random;
pub mod rcot;
mod scheme;
mod softspoken;
pub(crate) mod source;
mod stock;
mod streaming;
pub mod strings;
pub mod vole;
mod wish;

pub use choice::{Limits, Rates, SUBFIELDS};
pub use rcot::{CotReceiver, CotSender};
pub use scheme::Scheme;
pub use source::Ot;
#[doc(hidden)] // for the fuzzer
pub use wish::Offer;
pub use wish::{SessionWish, Setting};
