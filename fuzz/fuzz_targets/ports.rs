#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| hushtable_cli::fuzzing::run("ports", data));
