//! The native half of the Python package: arrays in, arrays out, no protocol of its own.
//!
//! The Python half knows shapes, ranges and NumPy's rules; this half hands words to the library without
//! the interpreter lock, ends a call on an interrupt, and turns errors into exceptions.

mod circuit;
mod codec;
mod error;
mod function;
mod interrupt;
mod joins;
mod linear;
mod link;
mod lookup;
mod opening;
mod operation;
mod party;
mod plan;
mod private;
mod running;
mod store;
mod table;
mod tally;
mod words;

use mimalloc::MiMalloc;
use pyo3::prelude::*;

/// Batches come and go by the megabyte: the system's allocator asks the kernel for fresh pages each time.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[pymodule]
mod _hushtable {
    use super::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }

    #[pymodule_export]
    use circuit::{Circuit, circuits};
    #[pymodule_export]
    use codec::{decode, encode};
    #[pymodule_export]
    use function::Evaluation;
    #[pymodule_export]
    use joins::{Ids, Sums, intersect, join, tell, tell_form};
    #[pymodule_export]
    use linear::{MapShape, Numbers, known_map};
    #[pymodule_export]
    use link::{
        Listener, connect, identity_fingerprint, identity_new, identity_peers, identity_rotate,
        identity_trust, identity_untrust, pair,
    };
    #[pymodule_export]
    use lookup::{Lookup, look_up, prepare_lookup, protocols};
    #[pymodule_export]
    use operation::Operation;
    #[pymodule_export]
    use party::Party;
    #[pymodule_export]
    use plan::{predict, predict_layers};
    #[pymodule_export]
    use private::{PrivateForm, PrivateTable};
    #[pymodule_export]
    use running::{Material, prepare_operation, run};
    #[pymodule_export]
    use store::{Store, forked, look_up_stored, run_stored, tag};
    #[pymodule_export]
    use table::{Table, fraction_bits, functions};
}
