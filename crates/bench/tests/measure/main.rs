//! Each benchmark, as a user runs it.

mod layers;
mod paper;
mod private;
mod site;
mod tables;
mod work;
