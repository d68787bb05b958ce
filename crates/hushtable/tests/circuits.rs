//! The tests of circuits alone, for whoever changes them: `make circuits`. They are part of `all`, too.
#![allow(dead_code, reason = "what all tests share is more than these use")]

mod support;

mod circuit;
mod circuit_forms;
mod circuit_stored;
mod garbled;
