//! t
fn main(){ let a: Vec<String> = std::env::args().collect(); let c = synth::verilog::compile(&[&a[1]], &a[2], &Default::default()).unwrap_or_else(|e| panic!("{e}")); let f=&c.forms()[0]; println!("{} ands {} depth {} xors", f.ands(), f.depth(), f.xors()); }
