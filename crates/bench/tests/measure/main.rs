//! Each benchmark, as a user runs it.

mod paper;
mod site;
mod work;
