//! Circuits as data: gates, tables, ports, and the formats they are written in. No cryptography, no secrets.
//!
//! A [`Circuit`] has named and typed ports, and one [`Form`] or more, which compute the same: one with few ANDs, one with
//! few layers, one of lookups. What runs a circuit takes the form that costs least. A form is a list of XORs, ANDs and
//! lookups, each of which reads what was made before; NOT is a mark on what is read. A [`Draft`] builds it.
//!
//! ```
//! use logic::{Circuit, Draft, Kind, Port};
//!
//! // Of three bits the one that most of them are.
//! let mut d = Draft::new(3);
//! let [x, y, z] = [0, 1, 2].map(|i| d.input(i));
//! let (xz, yz) = (d.xor(x, z), d.xor(y, z));
//! let both = d.and(xz, yz);
//! let most = d.xor(both, z);
//! let form = d.finish("ands", vec![most]);
//! assert_eq!((form.ands(), form.depth()), (1, 1));
//!
//! let bit = |name: &str| Port::new(name, Kind::Unsigned(1));
//! let ports = [bit("x"), bit("y"), bit("z")].into_iter().collect::<Result<_, _>>()?;
//! let circuit = Circuit::new("most", ports, vec![bit("most")?], vec![form])?;
//! // 64 evaluations side by side, one in each bit.
//! assert_eq!(circuit.forms()[0].eval(&[0b10100, 0b00110, 0b11110]), [0b10110]);
//! assert_eq!(Circuit::parse(&circuit.to_string())?, circuit);
//! # Ok::<(), logic::Error>(())
//! ```

mod circuit;
mod draft;
mod error;
mod form;
mod lit;
mod port;
mod table;
mod text;
mod value;

pub use circuit::Circuit;
pub use draft::Draft;
pub use error::{Error, Result};
pub use form::{Form, Gate, Layer};
pub use lit::Lit;
pub use port::{Kind, Port};
pub use table::TruthTable;
