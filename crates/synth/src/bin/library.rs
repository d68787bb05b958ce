//! t
fn main(){ let a: Vec<String> = std::env::args().collect(); let n=a.len(); let c = synth::verilog::compile(&a[1..n-1], &a[n-1], &Default::default()).unwrap_or_else(|e| panic!("{e}")); let f=&c.forms()[0]; println!("{} {} ands {} depth {} xors", a[n-1], f.ands(), f.depth(), f.xors());
 let t = std::time::Instant::now(); let g = synth::optimise::ands(f);  println!("   {} ands {} depth {} xors {:?}", g.ands(), g.depth(), g.xors(), t.elapsed());
 let t = std::time::Instant::now(); let g = synth::optimise::layers(&g);  println!("   {} ands {} depth {} xors {:?}", g.ands(), g.depth(), g.xors(), t.elapsed());
 }
