//! t
fn main(){ let a: Vec<String> = std::env::args().collect(); let n=a.len(); let c = synth::verilog::compile(&a[2..n-1], &a[n-1], &Default::default()).unwrap_or_else(|e| panic!("{e}")); let f=&c.forms()[0]; println!("{} {} ands {} depth {} xors", a[n-1], f.ands(), f.depth(), f.xors());
 let g = synth::optimise::ands(f); 
 std::fs::write(format!("{}1.blif", a[1]), synth::blif::write(&c, f).unwrap()).unwrap();
 std::fs::write(format!("{}2.blif", a[1]), synth::blif::write(&c, &g).unwrap()).unwrap();
 }
