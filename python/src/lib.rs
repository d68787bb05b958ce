//! The native half of the Python package: arrays in, arrays out, no protocol of its own.
//!
//! The Python half knows shapes, ranges and NumPy's rules; this half hands words to the library without
//! the interpreter lock, ends a call on an interrupt, and turns errors into exceptions.

mod arith;
mod codec;
mod error;
mod function;
mod interrupt;
mod link;
mod lookup;
mod material;
mod party;
mod plan;
mod rehearsal;
mod store;
mod table;
mod words;

use mimalloc::MiMalloc;
use pyo3::prelude::*;

/// Batches come and go by the megabyte: the system's allocator asks the kernel for fresh pages each time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[pymodule]
mod _hushtable {
    use super::*;

    #[pymodule_export]
    use arith::Operation;
    #[pymodule_export]
    use codec::{decode, encode};
    #[pymodule_export]
    use function::Evaluation;
    #[pymodule_export]
    use link::{
        Listener, connect, identity_fingerprint, identity_new, identity_peers, identity_rotate,
        identity_trust, identity_untrust, pair,
    };
    #[pymodule_export]
    use lookup::{Lookup, LookupMaterial, look_up, prepare_lookup, protocols};
    #[pymodule_export]
    use material::{OperationMaterial, prepare_operation, run};
    #[pymodule_export]
    use party::Party;
    #[pymodule_export]
    use plan::predict;
    #[pymodule_export]
    use store::{Store, look_up_stored};
    #[pymodule_export]
    use table::{Table, functions};
}
