//! All that needs TLS: identities, connections between pinned peers, signatures of what was done. The feature `tls`
//! brings it; `without_tls.rs` stands here otherwise.

mod countersign;
mod identity;
mod pin;
mod tls;

pub use countersign::Signed;
pub use identity::{Certificate, Identity, Peer, composed_name};
