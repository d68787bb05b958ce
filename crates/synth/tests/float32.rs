//! The circuits of 32-bit floating point against the processor's own.

mod support;

use logic::Circuit;
use support::{Chance, run};
use synth::library::get;

/// What every result that is not a number is.
const NAN: u32 = 0x7fc0_0000;
const ROUNDS: usize = 1_000_000;

fn circuit(name: &str) -> Circuit {
    get(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// Zeros, the smallest and largest, ones around them, and what is no number.
fn special() -> Vec<u32> {
    let mut all = Vec::new();
    for exponent in
        [0, 1, 2, 23, 24, 25, 100, 103, 104, 126, 127, 128, 149, 150, 151, 157, 158, 159, 253, 254, 255u32]
    {
        for mantissa in [0, 1, 2, 3, 0x2a_aaaa, 0x3f_ffff, 0x40_0000, 0x40_0001, 0x7f_fffe, 0x7f_ffff] {
            all.extend([0, 1 << 31].map(|sign| sign | exponent << 23 | mantissa));
        }
    }
    all
}

/// By chance: anything, near another one, and around the least normal number.
fn pair(chance: &mut Chance) -> [u32; 2] {
    let (word, how) = (chance.word(), chance.word());
    let a = word as u32;
    let mut b = (word >> 32) as u32;
    match how % 4 {
        0 => {
            b = (b & 0x807f_ffff)
                | (a & 0x7f80_0000).wrapping_add((how >> 8 & 31) as u32 * 0x80_0000) & 0x7f80_0000
        }
        1 => b = (a ^ 1 << 31).wrapping_add((how >> 8 & 7) as u32),
        2 => {
            let exponent = 127u32.wrapping_sub(a >> 23 & 255).wrapping_add((how >> 8 & 31) as u32) & 255;
            b = b & 0x807f_ffff | exponent << 23;
        }
        _ => {}
    }
    [a, b]
}

fn canonical(value: f32) -> u32 {
    if value.is_nan() { NAN } else { value.to_bits() }
}

fn two(top: &str, expect: impl Fn(f32, f32) -> u32) {
    let circuit = circuit(top);
    let mut chance = Chance(1);
    let special = special();
    let mut rows: Vec<Vec<u64>> =
        special.iter().flat_map(|a| special.iter().map(|b| vec![u64::from(*a), u64::from(*b)])).collect();
    rows.extend((0..ROUNDS).map(|_| pair(&mut chance).map(u64::from).to_vec()));
    for form in circuit.forms() {
        for (row, result) in rows.iter().zip(run(&circuit, form, &rows)) {
            let (a, b) = (row[0] as u32, row[1] as u32);
            let want = expect(f32::from_bits(a), f32::from_bits(b));
            assert_eq!(
                result[0] as u32, want,
                "{top} of {a:08x} and {b:08x}: {:08x}, not {want:08x}",
                result[0]
            );
        }
    }
}

#[test]
fn sums() {
    two("f32_add", |a, b| canonical(a + b));
}

#[test]
fn differences() {
    two("f32_sub", |a, b| canonical(a - b));
}

#[test]
fn products() {
    two("f32_mul", |a, b| canonical(a * b));
}

#[test]
fn quotients() {
    two("f32_div", |a, b| canonical(a / b));
}

#[test]
fn comparisons() {
    two("f32_less", |a, b| (a < b).into());
    two("f32_less_equal", |a, b| (a <= b).into());
    two("f32_equal", |a, b| (a == b).into());
}

fn one(name: &str, special: Vec<u32>, expect: impl Fn(u32) -> u32) {
    let circuit = circuit(name);
    let mut chance = Chance(2);
    let mut rows: Vec<Vec<u64>> = special.into_iter().map(|a| vec![u64::from(a)]).collect();
    rows.extend((0..ROUNDS).map(|_| {
        let (word, by) = (chance.word() as u32, chance.word() % 32);
        vec![u64::from(if by % 2 == 0 { word } else { word >> by })]
    }));
    for form in circuit.forms() {
        for (row, result) in rows.iter().zip(run(&circuit, form, &rows)) {
            let want = expect(row[0] as u32);
            assert_eq!(result[0] as u32, want, "{name} of {:08x}: {:08x}, not {want:08x}", row[0], result[0]);
        }
    }
}

#[test]
fn roots() {
    one("f32_sqrt", special(), |a| canonical(f32::from_bits(a).sqrt()));
}

#[test]
fn conversions() {
    let ends: Vec<u32> = (0..32)
        .flat_map(|i| [1u32 << i, (1u32 << i).wrapping_sub(1), !(1u32 << i), (3u32 << i) | 1])
        .collect();
    one("f32_of_i32", ends.clone(), |a| (a as i32 as f32).to_bits());
    one("f32_of_u32", ends.clone(), |a| (a as f32).to_bits());
    one("i32_of_f32", [special(), ends].concat(), |a| f32::from_bits(a) as i32 as u32);
}
