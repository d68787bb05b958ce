//! Proofs that forms compute the same.

mod support;

use std::time::{Duration, Instant};

use logic::{Draft, Form, Gate, Lit};
use support::source;
use synth::{
    equal::{Verdict, differs, prove},
    mapping::{self, Costs},
    optimise::{ands, layers},
    verilog::{Options, compile, reference},
};

const LIMIT: Duration = Duration::from_secs(60);

/// The form with one gate made otherwise.
fn broken(form: &Form, at: usize) -> Form {
    let mut draft = Draft::new(form.inputs());
    let mut wires = vec![Lit::FALSE];
    wires.extend(draft.inputs());
    for (i, gate) in form.gates().iter().enumerate() {
        let get = |lit: Lit| wires[lit.wire() as usize].negate_if(lit.negated());
        let made = match *gate {
            Gate::Xor(a, b) => draft.xor(get(a), get(b)),
            Gate::And(a, b) if i == at => draft.and(get(a), !get(b)),
            Gate::And(a, b) => draft.and(get(a), get(b)),
            Gate::Lookup { .. } => unreachable!("no lookups here"),
        };
        wires.push(made);
    }
    let outputs =
        form.outputs().iter().map(|out| wires[out.wire() as usize].negate_if(out.negated())).collect();
    draft.finish("broken", outputs)
}

/// With lookups of at most so many inputs.
fn lookups(form: &Form, most: usize) -> Form {
    let lookup = |inputs: u32, outputs: u32| f64::from(outputs) * f64::from(1 << inputs);
    mapping::lookups(form, most, &Costs { lookup: &lookup, and: 2.0 }, &|form| form.depth() as f64)
}

/// What is compiled here, what is optimised and made lookups of at most so many inputs, and what yosys makes by itself.
fn proven(top: &str, options: &Options, most: usize) {
    let files = ["aes.v", "multiply.v", "arithmetic.v", "float32.v", "float32_more.v"].map(source);
    let circuit = compile(&files, top, options).unwrap_or_else(|error| panic!("{top}: {error}"));
    let form = &circuit.forms()[0];
    let other = reference(&files, top, options).unwrap_or_else(|error| panic!("{top}: {error}"));
    let start = Instant::now();
    for other in [&ands(form), &layers(form), &other.forms()[0]] {
        assert_eq!(prove(form, other, LIMIT).expect("a solver"), Verdict::Equal, "{top} {}", other.name());
    }
    for made_of in [ands(form), layers(form)] {
        let form = lookups(&made_of, most);
        assert!(form.lookups() > 0, "{top}");
        assert_eq!(
            prove(&made_of, &form, LIMIT).expect("a solver"),
            Verdict::Equal,
            "{top} {}",
            made_of.name()
        );
    }
    println!("{top}: {:?}", start.elapsed());
    let at = form.gates().iter().position(|gate| matches!(gate, Gate::And(..))).expect("an AND");
    assert!(matches!(prove(form, &broken(form, at), LIMIT).expect("a solver"), Verdict::Different(_)));
}

#[test]
fn arithmetic() {
    for top in [
        "add",
        "less_tree",
        "exchange",
        "ones",
        "shift_left",
        "f32_add",
        "f32_less",
        "f32_of_int",
        "f32_to_i32",
    ] {
        proven(top, &Options::default(), 8);
    }
}

#[test]
fn narrow_numbers() {
    for (top, bits) in [("multiply", 8), ("multiply_shallow", 8), ("multiply_low", 8), ("divide", 12)] {
        proven(top, &Options::default().parameter("N", bits), 8);
    }
}

// With `LONG` all, which takes more than a minute.
#[test]
fn floats() {
    let tops = ["f32_sub", "f32_mul", "f32_div", "f32_sqrt"];
    let tops = if std::env::var_os("LONG").is_some() { &tops[..] } else { &tops[..1] };
    for top in tops {
        proven(top, &Options::default(), 8);
    }
}

// Takes over ten seconds: yosys puts 200 S-boxes together twice, and each form is optimised.
#[test]
fn aes() {
    let most = if std::env::var_os("LONG").is_some() { 8 } else { 4 };
    proven("aes", &Options::default(), most);
}

#[test]
fn a_rare_difference_is_found() {
    // Two forms that differ for one of 2^40 inputs.
    let mut draft = Draft::new(40);
    let inputs = draft.inputs();
    let all = inputs.iter().fold(Lit::TRUE, |all, bit| draft.and(all, *bit));
    let rare = draft.finish("ands", vec![all]);
    let never = Draft::new(40).finish("ands", vec![Lit::FALSE]);
    assert_eq!(differs(&rare, &never, 1), None);
    assert!(matches!(prove(&rare, &never, LIMIT).expect("a solver"), Verdict::Different(_)));
}

#[test]
fn fewer_ands() {
    // Of three bits the one that most are, and a choice, made of more ANDs than they need.
    let mut d = Draft::new(3);
    let [x, y, z] = [0, 1, 2].map(|i| d.input(i));
    let [xy, xz, yz] = [(x, y), (x, z), (y, z)].map(|(a, b)| d.and(a, b));
    let some = d.or(xy, xz);
    let most = d.or(some, yz);
    let not = d.and(!x, z);
    let chosen = d.or(xy, not);
    let factored = d.xor(xy, xz);
    let form = d.finish("ands", vec![most, chosen, factored]);
    // Together the last two share what either could do without.
    assert_eq!((form.ands(), ands(&form).ands()), (7, 4));
    for alone in 0..3 {
        let mut d = Draft::new(3);
        let inputs = d.inputs();
        let one = d.insert(&form, &inputs)[alone];
        assert_eq!(ands(&d.finish("ands", vec![one])).ands(), 1, "output {alone}");
    }
    // A product of many bits, one after the other.
    let mut d = Draft::new(64);
    let inputs = d.inputs();
    let all = inputs.iter().fold(Lit::TRUE, |all, bit| d.and(all, *bit));
    let form = d.finish("ands", vec![all]);
    assert_eq!((layers(&form).ands(), layers(&form).depth()), (63, 6));
}

/// Ports whose first bit is the highest, values that the source leaves open, and bits beyond an end.
#[test]
fn ports_in_any_order_and_open_values() {
    let folder = tempfile::tempdir().expect("a folder");
    for (i, body) in [
        "(input [0:7] a, input [7:0] b, output [0:7] y); assign y = a + b; endmodule",
        "(input [3:8] a, output [5:0] y); assign y = a * 3; endmodule",
        "(input [1:0] a, b, output reg [3:0] y); always @* case (a) 0: y = b; 1: y = 7; default: y = 4'bx; endcase endmodule",
        "(input [4:0] a, input [2:0] i, output y, z); assign y = a[i], z = i[a]; endmodule",
        "(input [9:0] a, input [3:0] i, output [2:0] y); assign y = a[i +: 3]; endmodule",
    ]
    .into_iter()
    .enumerate()
    {
        let file = folder.path().join(format!("{i}.v"));
        std::fs::write(&file, format!("module top{body}")).expect("a file");
        let circuit = compile(&[&file], "top", &Options::default()).unwrap_or_else(|error| panic!("{body}: {error}"));
        let other = reference(&[&file], "top", &Options::default()).unwrap_or_else(|error| panic!("{body}: {error}"));
        let (form, other) = (&circuit.forms()[0], &other.forms()[0]);
        assert_eq!(prove(form, other, LIMIT).expect("a solver"), Verdict::Equal, "{body}");
    }
}
