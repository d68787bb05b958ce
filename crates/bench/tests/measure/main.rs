//! Each benchmark, as a user runs it.

mod baselines;
mod circuit;
mod lattice;
mod layers;
mod paper;
mod private;
mod site;
mod tables;
mod work;
