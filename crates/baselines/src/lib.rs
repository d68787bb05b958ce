//! What stands only beside the papers' figures: the papers' own forms of what hushtable does otherwise.
//!
//! No operation, no command and no plan takes anything of this crate, and the product is built and tested without it. The
//! benchmark measures it if it is built with its feature `baselines`. Parts that several protocols share are in the
//! library; `hushtable::inner` has those that are not in its interface.
//!
//! | baseline | beside | the library instead |
//! |---|---|---|
//! | [`fable`]: retrieval under homomorphic encryption | Su et al., FABLE 2025 | `confidential::copy`, `thin` |
//! | [`scan`]: FLORAM's read | the same | the same |
//! | [`rotl`]: comparison by lookups in rotated tables | ROTL, PoPETs 2026 | `arith::Comparison` |
//! | [`dfss::GgmKeys`]: keys over plain GGM trees | Xing et al. | `fss::Dpf`, `fss::Dcf` |
//! | the rest of [`dfss`]: gates of one opening | Xing et al. | `arith`, in more rounds |
//! | [`ndss`]: triples from codes, and circuits by them | NDSS 2017 | `gates::Triples`, `operation::Evaluate` |
#![forbid(unsafe_code)]

pub mod dfss;
pub mod fable;
pub mod ndss;
pub mod rotl;
pub mod scan;
