//! `run` of circuits, `compile`, and `plan --circuit`.

use std::sync::Arc;

use crate::common::{Done, Site};
use hushtable::circuit::{Circuit, Draft, Form, Kind, Lit, Port, TruthTable};

/// The sum of two numbers, and whether the first one is greater; `x` is a bit that is XORed to both.
fn adder() -> Form {
    let mut d = Draft::new(17);
    let wires = d.inputs();
    let (a, b, x) = (&wires[..8], &wires[8..16], wires[16]);
    let (mut carry, mut sum, mut borrow) = (Lit::FALSE, Vec::new(), Lit::FALSE);
    for (a, b) in a.iter().zip(b) {
        let differ = d.xor(*a, *b);
        let bit = d.xor(differ, carry);
        sum.push(d.xor(bit, x));
        let (ac, bc) = (d.xor(*a, carry), d.xor(*b, carry));
        let both = d.and(ac, bc);
        carry = d.xor(both, carry);
        borrow = d.select(differ, *a, borrow);
    }
    sum.push(borrow);
    d.finish("ands", sum)
}

/// The adder, with a form of lookups too if asked for.
pub fn circuit(lookups: bool) -> Circuit {
    let port = |name: &str, kind| Port::new(name, kind).expect("a port");
    let inputs = vec![port("a", Kind::Unsigned(8)), port("b", Kind::Signed(8)), port("x", Kind::Bits(1))];
    let outputs = vec![port("sum", Kind::Unsigned(8)), port("more", Kind::Unsigned(1))];
    let mut forms = vec![adder()];
    if lookups {
        forms.push(by_digits());
    }
    Circuit::new("adder", inputs, outputs, forms).expect("a circuit")
}

/// The same by lookups: two bits of each number, the carry, and which one is greater so far.
fn by_digits() -> Form {
    let table = TruthTable::tabulate(6, 4, |row| {
        let (a, b, carry, more) = (row & 3, row >> 2 & 3, row >> 4 & 1, row >> 5);
        let sum = a + b + carry;
        sum & 7 | if a == b { more } else { u64::from(a > b) } << 3
    });
    let table = Arc::new(table.expect("a table"));
    let mut d = Draft::new(17);
    let wires = d.inputs();
    let (mut carry, mut more, mut sum) = (Lit::FALSE, Lit::FALSE, Vec::new());
    for i in [0, 2, 4, 6] {
        let made = d.lookup(&table, &[wires[i], wires[i + 1], wires[8 + i], wires[9 + i], carry, more]);
        let bits = [d.xor(made[0], wires[16]), d.xor(made[1], wires[16])];
        sum.extend(bits);
        (carry, more) = (made[2], made[3]);
    }
    sum.push(more);
    d.finish("luts", sum)
}

fn site(lookups: bool) -> Site {
    let site = Site::without_identities();
    site.write("adder.hut", &circuit(lookups).to_string());
    site.write("a.json", r#"{"a": [5, 200, 255, 0], "x": ["0", "1", "0", "1"]}"#);
    site.write("b.csv", "b\n7\n-56\n0x01\n0\n");
    site
}

const P0: &str = "run adder.hut --inputs a.json --reveal both --insecure-plain-tcp";
const P1: &str = "run adder.hut --inputs b.csv --reveal both --insecure-plain-tcp";

fn both(site: &Site, p0: &str, p1: &str) -> [Done; 2] {
    site.both(&format!("{P0} {p0}"), &format!("{P1} {p1}"))
}

#[test]
fn every_engine_gives_the_same() {
    let site = site(true);
    let engines = ["gmw", "gc", "gc-ahead", "splut", "lut", "lut:rotl", "lut:oplut", "lut:ottt", ""];
    for (i, engine) in engines.into_iter().enumerate() {
        let engine = if engine.is_empty() { String::new() } else { format!("--engine {engine}") };
        let [p0, p1] = both(&site, &engine, &format!("{engine} --output {i}.csv")).map(Done::ok);
        let want = "{\"sum\": [12, 111, 0, 255], \"more\": [0, 0, 1, 0]}\n";
        assert_eq!(p0.stdout, want, "{engine}");
        assert_eq!(p1.stdout, "", "{engine}");
        assert_eq!(site.read(&format!("{i}.csv")), "sum,more\n12,0\n111,0\n0,1\n255,0\n", "{engine}");
    }
}

#[test]
fn one_value_a_port_gives_one_value() {
    let site = site(true);
    site.write("a.json", r#"{"a": 250, "x": 0}"#);
    site.write("b.csv", "b\n-7\n");
    let [p0, _] = both(&site, "", "--output out.json").map(Done::ok);
    assert_eq!(p0.stdout, "{\"sum\": 243, \"more\": 1}\n");
    assert_eq!(site.read("out.json"), "{\"sum\": [243], \"more\": [1]}\n");
}

#[test]
fn outputs_go_to_whom_both_say() {
    let site = site(true);
    let p0 = P0.replace("both", "me");
    let [p0, p1] = site.both(&p0, &P1.replace("both", "peer")).map(Done::ok);
    assert!(p0.stdout.starts_with("{\"sum\": [12"));
    assert_eq!(p1.stdout, "");
    assert!(p1.stderr.contains("the outputs go to the peer"));
    for done in site.both(P0, &P1.replace("both", "me")) {
        done.fails_with(5, "reveal");
    }
}

#[test]
fn what_differs_or_is_missing_ends_both() {
    let site = site(false);
    let fails = |p0: &str, p1: &str, code: i32, fragment: &str| {
        site.both(p0, p1).iter().for_each(|done| done.fails_with(code, fragment));
    };
    site.write("other.hut", &circuit(true).to_string());
    fails(P0, &P1.replace("adder.hut", "other.hut"), 5, "circuit");
    fails(P0, &format!("{P1} --engine gmw"), 5, "engine");
    site.write("short.csv", "b\n7\n");
    fails(P0, &P1.replace("b.csv", "short.csv"), 5, "rows");
    site.write("more.csv", "b,x\n7,0\n1,0\n2,0\n3,1\n");
    fails(P0, &P1.replace("b.csv", "more.csv"), 5, "both parties give port x");
    site.write("a.csv", "a\n5\n200\n255\n0\n");
    fails(&P0.replace("a.json", "a.csv"), &P1.replace("more.csv", "b.csv"), 5, "neither party gives port x");
    fails(&format!("{P0} --threads 2"), &format!("{P1} --threads 3"), 5, "threads");
    let alone = |args: &str, code: i32, fragment: &str| {
        site.run(&format!("{args} --listen 127.0.0.1:0")).fails_with(code, fragment);
    };
    let nothing = "run adder.hut --reveal both --insecure-plain-tcp";
    alone(nothing, 2, "--inputs FILE has this party's values of some of the ports a, b, x");
    site.write("all.csv", "a,b,x\n7,0,0\n");
    alone(&P0.replace("a.json", "all.csv"), 3, "all.csv: all input ports are given here");
    site.run(&format!("{P0} --engine lut --listen 127.0.0.1:0")).fails_with(2, "has no form with lookups");
}

#[test]
fn files_are_refused_by_line_and_port() {
    let site = site(false);
    let fails = |name: &str, text: &str, fragment: &str| {
        site.write(name, text);
        let args = P0.replace("a.json", name);
        site.run(&format!("{args} --listen 127.0.0.1:0")).fails_with(3, fragment);
    };
    fails("bad.csv", "a,x\n5,0\n256,0\n", "bad.csv: line 3, port a: \"256\" is not a number from 0 to 255");
    fails("bad.csv", "a,y\n5,0\n", "\"y\" is no input port of adder; it has a, b, x");
    fails("bad.csv", "a,a\n5,0\n", "column \"a\" occurs more than once");
    fails("bad.csv", "a,x\n5\n", "bad.csv: ");
    fails(
        "bad.csv",
        "a\n5\n\n7\n\n\n9\n",
        "bad.csv: 2 bad values\n  line 3: is empty, where each line is a row\n  line 5",
    );
    fails("bad.json", r#"{"a": [1, 2], "x": [0]}"#, "port x has 1 value; others have 2");
    fails("bad.json", r#"{"a": [1, 1.5]}"#, "value 2, port a: \"1.5\" is not a number from 0 to 255");
    fails("bad.json", r#"{"a": 1, "x": 0, "a": 2}"#, "two values of the name \"a\"");
    fails("bad.json", r#"{"a": null}"#, "port a: null is no number");
    fails("bad.json", r#"[1]"#, "an object with a value or a list");
    fails("none.json", "", "none.json");
    fails("none.json", "{}", "none.json: no values; accepted: one at least for some of a, b, x");
    fails("none.json", r#"{"a": []}"#, "none.json: no values");
    fails("none.csv", "a,x\n", "none.csv: no values");
    fails("none.csv", "", "none.csv: no values");
    let text = site.read("adder.hut");
    site.write("adder.hut", &text.replacen("& ", "^ ", 1));
    site.run(&format!("{P0} --listen 127.0.0.1:0")).fails_with(3, "adder.hut: line ");
    // A form that nobody looks at, and that computes something else.
    let adder = Circuit::parse(&text).expect("a circuit");
    let mut d = Draft::new(17);
    let mut outputs = d.insert(&adder.forms()[0], &d.inputs());
    outputs[8] = !outputs[8];
    let forms = vec![adder.forms()[0].clone(), d.finish("layers", outputs)];
    let (inputs, outputs) = (adder.inputs().to_vec(), adder.outputs().to_vec());
    let two = Circuit::new("adder", inputs, outputs, forms).expect("a circuit");
    site.write("adder.hut", &two.to_string());
    let differ = "adder.hut: forms ands and layers compute different things";
    site.run(&format!("{P0} --listen 127.0.0.1:0")).fails_with(3, differ);
    site.write("adder.hut", &text[..text.len() / 2]);
    site.run(&format!("{P0} --listen 127.0.0.1:0")).fails_with(3, "adder.hut: line ");
    site.run("run missing.hut --reveal both --insecure-plain-tcp --listen 127.0.0.1:0")
        .fails_with(3, "missing.hut");
    site.write("adder.hut", &text);
    site.run("run adder.hut --insecure-plain-tcp --listen 127.0.0.1:0").fails_with(2, "--reveal says who");
    site.run("run adder.hut --reveal none --insecure-plain-tcp --listen 127.0.0.1:0")
        .fails_with(2, "--reveal none");
    site.run("run adder.hut --reveal both --engine lut:splut --insecure-plain-tcp --listen 127.0.0.1:0")
        .fails_with(2, "accepted: gmw");
}

#[test]
fn a_value_by_itself_is_that_of_all_rows() {
    let site = site(false);
    site.write("a.json", "\u{feff}{\"a\": [1, 2, 3], \"x\": 0}");
    let done = site.run(&format!("{P0} --listen 127.0.0.1:0 --dry-run")).ok();
    assert!(done.stdout.contains("for 3 rows"), "{}", done.stdout);
}

#[test]
fn circuits_stand_side_by_side() {
    let site = site(false);
    let done = site.run("compile lib:add32 lib:less_u32 lib:add32 --prove -o both.hut").ok();
    for part in
        ["circuit add32+less_u32+add32", "add32.a u32", "less_u32.b u32", "add32:2.a u32", "proven: all"]
    {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
    let depth = |name: &str| {
        Circuit::parse(&site.read(name)).expect("a circuit").forms().iter().map(Form::depth).min()
    };
    site.run("compile lib:add32 -o add.hut").ok();
    site.run("compile lib:less_u32 -o less.hut").ok();
    let [both, add, less] = ["both.hut", "add.hut", "less.hut"].map(|name| depth(name).expect("a form"));
    assert!(both < add + less, "{both} layers beside {add} and {less}");
    site.run("compile lib:add32 a.blif -o no.hut").fails_with(2, "");
}

#[test]
fn a_dry_run_and_a_plan_name_ports_and_ways() {
    let site = site(true);
    let done = site.run(&format!("{P0} --listen 127.0.0.1:0 --dry-run")).ok();
    for part in ["adder", "a u8, b i8, x b1", "sum u8, more u1", "form luts", "this party gives", "a, x"] {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
    let done = site.run("plan --circuit adder.hut --batch 1000 --net wan").ok();
    for part in
        ["form ands, triples", "form ands, garbled", "form luts, lookups by one-hot vectors", "switching"]
    {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
    let json = site.run("plan --circuit adder.hut --batch 10 --json").ok();
    assert_eq!(json.stdout.lines().count(), 6, "{}", json.stdout);
    let shared = site.run("plan --circuit adder.hut --batch 4").ok().stdout;
    assert!(shared.starts_with("4 evaluations of adder, a shared, b shared, x shared; network "), "{shared}");
    let known = site.run("plan --circuit adder.hut --batch 4 --known x=p0,b=p1,a=p0").ok().stdout;
    assert!(known.starts_with("4 evaluations of adder, a of P0, b of P1, x of P0; network "), "{known}");
    // What it marks a run says it takes.
    let marked = known.lines().find_map(|line| line.strip_prefix("* ")).expect("a way that is taken");
    let method = marked.split("  ").next().expect("a method");
    let dry = site.run(&format!("{P0} --listen 127.0.0.1:0 --dry-run")).ok().stdout;
    assert!(dry.lines().any(|line| line.contains("method") && line.ends_with(method)), "{method}: {dry}");
    let fails = |known: &str, fragment: &str| {
        site.run(&format!("plan --circuit adder.hut --known {known}")).fails_with(2, fragment);
    };
    fails("y=p0", "\"y\" is no input port of adder; it has a, b, x");
    fails("a=p0,a=p1", "port a is there twice");
    fails("a=me", "accepted: PORT=WHO, where WHO is p0, p1 or shared");
    fails("a=p1,b=p1,x=p1", "all known to P1");
    site.run("plan --known a=p0").fails_with(2, "--circuit");
}

const VERILOG: &str = "\
module scaled #(parameter signed [7:0] N = 2) (input signed [7:0] a, input [7:0] b, output signed [15:0] product, output [0:0] less);
  assign product = N * a * $signed({1'b0, b});
  assign less = a < $signed({1'b0, b});
endmodule
";

/// Needs yosys, as `make test` does.
#[test]
fn verilog_is_compiled_and_run() {
    let site = Site::without_identities();
    site.write("scaled.v", VERILOG);
    let done = site.run("compile scaled.v --top scaled --param N=3 --for wan -o scaled.hut").ok();
    for part in [
        "circuit scaled, ",
        "a i8, b u8",
        "product i16, less u1",
        "form ands: ",
        "layers",
        "1000000 evaluations",
    ] {
        assert!(done.stdout.contains(part), "{part}: {}", done.stdout);
    }
    site.write("a.csv", "a\n-128\n127\n-1\n");
    site.write("b.csv", "b\n100\n2\n0\n");
    let run = |file| format!("run scaled.hut --inputs {file} --reveal both --insecure-plain-tcp");
    let [p0, _] = site.both(&run("a.csv"), &run("b.csv")).map(Done::ok);
    assert_eq!(p0.stdout, "{\"product\": [27136, 762, 0], \"less\": [1, 0, 1]}\n");
    site.run("compile scaled.v --top scaled -o scaled.hut").fails_with(2, "is there already");
    site.run("compile scaled.v --top other -o o.hut").fails_with(3, "other");
    site.run("compile scaled.v -o o.hut").fails_with(2, "top, its name, is missing");
    site.run("compile scaled.v --top scaled --type a=f32 -o o.hut").fails_with(3, "a");
    site.write(
        "latch.v",
        "module latch(input e, input d, output reg q);\nalways @* if (e) q = d;\nendmodule\n",
    );
    site.run("compile latch.v --top latch -o o.hut").fails_with(3, "latch.v:2");
    site.write("wrong.v", "module wrong(input a, output b);\nassign b = a +;\nendmodule\n");
    site.run("compile wrong.v --top wrong -o o.hut").fails_with(3, "wrong.v:2");
    assert!(!site.has("o.hut"));
}

#[test]
fn circuits_of_the_library_run_by_name() {
    let site = Site::without_identities();
    let run =
        |name: &str, file: &str| format!("run lib:{name} --inputs {file} --reveal both --insecure-plain-tcp");
    site.write("a.json", r#"{"a": [1.5, 1e-45, "inf", "nan", -0.0]}"#);
    site.write("b.json", r#"{"b": [0.1, 1e-45, "-inf", 1, 0]}"#);
    let [p0, _] = site.both(&run("f32_add", "a.json"), &run("f32_add", "b.json")).map(Done::ok);
    assert_eq!(
        p0.stdout,
        "{\"y\": [1.6, 0.000000000000000000000000000000000000000000003, \"NaN\", \"NaN\", 0]}\n"
    );
    site.write("key.json", r#"{"key": "000102030405060708090a0b0c0d0e0f"}"#);
    site.write("block.json", r#"{"block": "00112233445566778899aabbccddeeff"}"#);
    let [p0, _] = site.both(&run("aes128", "key.json"), &run("aes128", "block.json")).map(Done::ok);
    assert_eq!(p0.stdout, "{\"y\": \"69c4e0d86a7b0430d8cdb78070b4c55a\"}\n");
    site.run("run lib:aes127 --reveal both --insecure-plain-tcp --listen 127.0.0.1:0")
        .fails_with(2, "it has ");
}

/// Needs yosys.
#[test]
fn other_formats_are_written_and_read() {
    let site = Site::without_identities();
    site.write("scaled.v", VERILOG);
    for name in ["s.blif", "s.txt"] {
        site.run(&format!("compile scaled.v --top scaled -o {name}")).ok();
        let done = site.run(&format!("compile {name} --prove -o again.hut --force")).ok();
        assert!(done.stdout.contains("form ands: "), "{}", done.stdout);
        site.write(name, &site.read(name)[..100]);
        site.run(&format!("compile {name} -o again.hut --force")).fails_with(3, name);
    }
    site.run("compile scaled.v --top scaled -o s.pdf").fails_with(2, "accepted: .hut, .blif, .txt, .bristol");
}
