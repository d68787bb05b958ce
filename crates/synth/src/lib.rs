//! Circuits from Verilog, BLIF and Bristol files, and forms of them with few ANDs, few layers or lookups. No cryptography,
//! no secrets.
//!
//! [`verilog::compile`] makes a circuit of a module without state, [`optimise`] a form with fewer ANDs or fewer layers of
//! them, and [`equal`] says whether two forms compute the same, with a proof. [`mapping`] makes lookups of gates, and [`library`] has circuits that are compiled
//! already; [`blif`] and [`bristol`] read and write what other tools do. XOR and NOT are free in the protocols that run a
//! circuit, so that only ANDs are counted.
//!
//! ```
//! let circuit = synth::library::get("f32_add")?;
//! let form = &circuit.forms()[0];
//! assert!(form.ands() < 600);
//! let text = synth::bristol::write(&circuit, form, synth::bristol::Format::New)?;
//! let read = synth::bristol::read(&text, "f32_add")?;
//! assert_eq!(synth::equal::differs(form, &read.forms()[0], 1), None);
//! # Ok::<(), synth::Error>(())
//! ```

pub mod blif;
pub mod bristol;
pub mod equal;
mod error;
pub mod library;
pub mod mapping;
pub mod optimise;
pub(crate) mod patterns;
pub mod verilog;
pub(crate) mod words;

pub use error::{Error, Result};
