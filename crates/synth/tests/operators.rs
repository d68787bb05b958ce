//! Each operator of Verilog against Rust's arithmetic: all values of narrow words, and some of wider ones.

mod support;

use support::{Chance, of_text, run};

/// A number of so many bits, with or without a sign.
fn valued(word: u64, bits: u32, signed: bool) -> i128 {
    let word = i128::from(word & mask(bits));
    if signed && word >> (bits - 1) & 1 == 1 { word - (1 << bits) } else { word }
}

fn mask(bits: u32) -> u64 {
    if bits >= 64 { u64::MAX } else { (1 << bits) - 1 }
}

type Twin = fn(i128, i128, u32) -> Option<i128>;

/// A shift's amount has no sign.
fn amount(b: i128) -> u32 {
    b.clamp(0, 100) as u32
}

/// The operators with two sides, and what they are. Nothing where the standard leaves it open.
const TWO: &[(&str, Twin)] = &[
    ("a + b", |a, b, _| Some(a + b)),
    ("a - b", |a, b, _| Some(a - b)),
    ("a * b", |a, b, _| Some(a.wrapping_mul(b))),
    ("a / b", |a, b, _| (b != 0).then(|| a / b)),
    ("a % b", |a, b, _| (b != 0).then(|| a % b)),
    ("a & b", |a, b, _| Some(a & b)),
    ("a | b", |a, b, _| Some(a | b)),
    ("a ^ b", |a, b, _| Some(a ^ b)),
    ("a ~^ b", |a, b, _| Some(!(a ^ b))),
    ("a < b", |a, b, _| Some((a < b).into())),
    ("a <= b", |a, b, _| Some((a <= b).into())),
    ("a > b", |a, b, _| Some((a > b).into())),
    ("a >= b", |a, b, _| Some((a >= b).into())),
    ("a == b", |a, b, _| Some((a == b).into())),
    ("a != b", |a, b, _| Some((a != b).into())),
    ("a && b", |a, b, _| Some((a != 0 && b != 0).into())),
    ("a || b", |a, b, _| Some((a != 0 || b != 0).into())),
    ("a[0] ? a : b", |a, b, _| Some(if a & 1 == 1 { a } else { b })),
    ("-a", |a, _, _| Some(-a)),
    ("~a", |a, _, _| Some(!a)),
    ("!a", |a, _, _| Some((a == 0).into())),
    ("&a", |a, _, n| Some((a as u64 & mask(n) == mask(n)).into())),
    ("|a", |a, _, _| Some((a != 0).into())),
    ("^a", |a, _, n| Some(((a as u64 & mask(n)).count_ones() & 1).into())),
    ("~^a", |a, _, n| Some((!(a as u64 & mask(n)).count_ones() & 1).into())),
];

/// Shifts, whose amount has no sign.
const SHIFTS: &[(&str, Twin)] = &[
    ("a << b", |a, b, _| Some(if b > 64 { 0 } else { a << amount(b) })),
    ("a >> b", |a, b, n| Some(if b > 64 { 0 } else { (a & i128::from(mask(n))) >> amount(b) })),
    ("a >>> b", |a, b, _| Some(a >> amount(b))),
    ("a <<< b", |a, b, _| Some(if b > 64 { 0 } else { a << amount(b) })),
];

fn check(bits: u32, signed: bool, operators: &[(&str, Twin)], shifts: bool) {
    let word = if signed { "signed " } else { "" };
    let other = if shifts { "" } else { word };
    let outs: Vec<String> =
        (0..operators.len()).map(|i| format!("output {word}[{0}:0] y{i}", bits - 1)).collect();
    let ports = format!("input {word}[{0}:0] a, input {other}[{0}:0] b, {1}", bits - 1, outs.join(", "));
    let body: String =
        operators.iter().enumerate().map(|(i, (text, _))| format!("assign y{i} = {text};\n")).collect();
    let circuit = of_text(&format!("module top({ports});\n{body}endmodule\n"), "top");
    let circuit = circuit.unwrap_or_else(|error| panic!("{bits} bits: {error}"));
    let mut chance = Chance(u64::from(bits));
    let rows: Vec<Vec<u64>> = if bits <= 4 {
        (0..1 << (2 * bits)).map(|i| vec![i & mask(bits), i >> bits]).collect()
    } else {
        let ends = [0, 1, mask(bits), 1 << (bits - 1), mask(bits - 1)];
        let mut one = move || match chance.word() % 4 {
            0 => ends[(chance.word() % 5) as usize],
            1 => (chance.word() % 70) & mask(bits),
            _ => chance.word() & mask(bits),
        };
        (0..500).map(|_| vec![one(), one()]).collect()
    };
    let results = run(&circuit, &circuit.forms()[0], &rows);
    for (row, result) in rows.iter().zip(results) {
        let (a, b) = (valued(row[0], bits, signed), valued(row[1], bits, signed && !shifts));
        for ((text, twin), result) in operators.iter().zip(result) {
            if let Some(want) = twin(a, b, bits) {
                let want = want as u64 & mask(bits);
                assert_eq!(result, want, "{text} of {a} and {b}, {bits} bits, signed: {signed}");
            }
        }
    }
}

#[test]
fn operators() {
    for signed in [false, true] {
        for bits in [1, 2, 3, 4, 5, 8, 13, 31, 33, 64] {
            check(bits, signed, TWO, false);
            check(bits, signed, SHIFTS, true);
        }
    }
}

#[test]
fn widths_that_differ() {
    for (a, b, y) in [(3, 5, 8), (5, 3, 4), (1, 4, 6), (4, 4, 1), (2, 3, 64)] {
        for signed in [false, true] {
            let word = if signed { "signed " } else { "" };
            let text = format!(
                "module top(input {word}[{0}:0] a, input {word}[{1}:0] b, output {word}[{2}:0] p, s, d, q, r);\n\
                 assign p = a * b; assign s = a + b; assign d = a - b; assign q = a / b; assign r = a % b; endmodule",
                a - 1,
                b - 1,
                y - 1
            );
            let circuit = of_text(&text, "top").unwrap_or_else(|error| panic!("{error}"));
            let rows: Vec<Vec<u64>> = (0..1 << (a + b)).map(|i| vec![i & mask(a), i >> a]).collect();
            for (row, result) in rows.iter().zip(run(&circuit, &circuit.forms()[0], &rows)) {
                let (x, z) = (valued(row[0], a, signed), valued(row[1], b, signed));
                let mut want = vec![x * z, x + z, x - z];
                if z != 0 {
                    want.extend([x / z, x % z]);
                }
                for (i, want) in want.iter().enumerate() {
                    assert_eq!(result[i], *want as u64 & mask(y), "{i} of {x} and {z}: {a} {b} {y} {signed}");
                }
            }
        }
    }
}

#[test]
fn choices_and_parts() {
    let text = "module top(input [2:0] s, input [31:0] x, input signed [3:0] at, output reg [3:0] y, output reg [1:0] full,
        output [3:0] part, output [3:0] wide, output reg [7:0] set);
        always @* case (s) 0: y = x[3:0]; 1: y = x[7:4]; 3: y = x[11:8]; 6: y = ~x[3:0]; default: y = x[15:12]; endcase
        always @* case (s[1:0]) 0: full = x[1:0]; 1: full = x[3:2]; 2: full = x[5:4]; 3: full = x[7:6]; endcase
        assign part = x[4*s +: 4];
        assign wide = x[at + 8 -: 4];
        always @* begin set = 0; set[s] = x[0]; end
        endmodule";
    let circuit = of_text(text, "top").unwrap_or_else(|error| panic!("{error}"));
    let mut chance = Chance(3);
    let rows: Vec<Vec<u64>> = (0..128).map(|i| vec![i & 7, chance.word() & mask(32), i >> 3]).collect();
    for (row, result) in rows.iter().zip(run(&circuit, &circuit.forms()[0], &rows)) {
        let (s, x, at) = (row[0], row[1], valued(row[2], 4, true));
        let y = match s {
            0 => x,
            1 => x >> 4,
            3 => x >> 8,
            6 => !x,
            _ => x >> 12,
        };
        let low = at + 8 - 3;
        let wide = if low < 0 { x << -low } else { x >> low };
        let want = [y & 15, x >> (2 * (s & 3)) & 3, x >> (4 * s) & 15, wide & 15, (x & 1) << s];
        // What lies outside of the word has no value.
        let seen = if low < 0 { [0, 1, 2, 4, 4] } else { [0, 1, 2, 3, 4] };
        seen.iter().for_each(|i| assert_eq!(result[*i], want[*i], "output {i} of {row:?}"));
    }
}

#[test]
fn counts_of_ands() {
    for (text, ands) in [
        ("input [31:0] a, b, output [31:0] y); assign y = a + b", 31),
        ("input [31:0] a, b, output y); assign y = a < b", 32),
        ("input [31:0] a, b, output y); assign y = a == b", 31),
        ("input s, input [31:0] a, b, output [31:0] y); assign y = s ? a : b", 32),
        ("input [23:0] a, b, output [47:0] y); assign y = a * b", 1128),
        ("input [31:0] a, input [4:0] b, output [31:0] y); assign y = a << b", 160),
        ("input [31:0] a, b, output [31:0] y); assign y = a / b", 1024),
        ("input a, b, c, output y); assign y = (a & b) | (a & c) | (b & c)", 5),
    ] {
        let circuit = of_text(&format!("module top({text}; endmodule"), "top")
            .unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(circuit.forms()[0].ands(), ands, "{text}");
    }
}
