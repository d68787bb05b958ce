//! Each benchmark, as a user runs it.

mod baselines;
mod layers;
mod paper;
mod private;
mod site;
mod tables;
mod work;
