//! What cannot be a circuit is said with file, line and signal.

mod support;

use logic::Kind;
use support::of_text;
use synth::{
    Error,
    verilog::{Options, compile},
};

#[test]
fn designs() {
    for (text, said) in [
        (
            "module top(input a, c, output reg q);\nalways @(posedge c) q <= a;\nendmodule",
            &[":2: ", "signal q is a register"][..],
        ),
        (
            "module top(input a, c, output reg q);\nalways @*\nif (c) q = a;\nendmodule",
            &["design.v:", "signal q is a latch"],
        ),
        (
            "module top(input a, output y);\nwire b, c;\nassign b = c & a;\nassign c = b | a;\nassign y = b;\nendmodule",
            &["design.v:", "depends on itself"],
        ),
        (
            "module top(input a, output y);\nwire b;\nassign y = a & b;\nendmodule",
            &[":2: ", "nothing drives signal b"],
        ),
        ("module top(input a, inout y);\nassign y = a;\nendmodule", &["port y is inout"]),
        ("module top(input a, output y);\nassign y = 1'bx;\nendmodule", &["output y has no value (x)"]),
        ("module top(input [1:0] a, output y);\nassign y = a < 2'b1x;\nendmodule", &["(x)"]),
        (
            "module top(input c, input [3:0] a, d, output [3:0] y);\nreg [3:0] m[0:15];\n\
             always @(posedge c) m[a] <= d;\nassign y = m[a];\nendmodule",
            &["design.v:", "memory m is written"],
        ),
        ("module other(input a, output y);\nassign y = a;\nendmodule", &["`top' not found"]),
        ("module top(input a, output y);\nassign y = a +;\nendmodule", &["design.v:2: syntax error"]),
        (
            "module top(input a, b, output y);\nassign y = a;\nassign y = b;\nendmodule",
            &["two drivers of one wire: top."],
        ),
        ("module top(input a, b, output y);\nassign y = a ? b : 1'bz;\nendmodule", &["tribuf"]),
        ("module top(input a, output y);\nbox b(.a(a), .y(y));\nendmodule", &["box"]),
    ] {
        let error = of_text(text, "top").expect_err(text).to_string();
        assert!(said.iter().all(|part| error.contains(part)), "{error:?} of {text}");
    }
}

#[test]
fn what_is_asked() {
    let error =
        of_text("module top(input a, output y); assign y = a; endmodule", "top; shell").expect_err("a name");
    assert!(matches!(error, Error::Asked(_)), "{error}");
    let missing = compile(&["no such file.v"], "top", &Options::default()).expect_err("a file");
    assert!(missing.to_string().starts_with("no such file.v: "), "{missing}");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("with a blank.v");
    std::fs::write(&file, "module top(input [31:0] a, output [31:0] y); assign y = a; endmodule")
        .expect("a file");
    let circuit = compile(&[&file], "top", &Options::default().kind("a", Kind::Float32)).expect("a circuit");
    assert_eq!(circuit.inputs()[0].kind(), Kind::Float32);
    assert_eq!(circuit.outputs()[0].kind(), Kind::Unsigned(32));
    for (port, kind) in [("b", Kind::Float32), ("a", Kind::Float64)] {
        assert!(compile(&[&file], "top", &Options::default().kind(port, kind)).is_err(), "{port}");
    }
}
