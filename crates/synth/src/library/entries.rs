//! The library's circuits: which modules of its sources they are.

/// A module and values for its parameters.
pub type Source = (&'static str, &'static [(&'static str, i64)]);

/// A circuit of the library.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    /// Its name.
    pub name: &'static str,
    /// What has few ANDs. Without it the circuit is kept as lookups of the S-box of AES, whose gates stand in their place.
    pub ands: Option<Source>,
    /// What has few layers of them.
    pub layers: Option<Source>,
    /// What has lookups.
    pub luts: Option<Source>,
    /// The circuit as it is written.
    pub(super) text: &'static str,
}

macro_rules! entry {
    ($name:literal, $ands:expr, $layers:expr, $luts:expr) => {
        Entry {
            name: $name,
            ands: Some($ands),
            layers: $layers,
            luts: $luts,
            text: include_str!(concat!("../../../../circuits/built/", $name, ".hut")),
        }
    };
    ($name:literal, $top:literal, $n:literal) => {
        Entry {
            name: $name,
            ands: None,
            layers: None,
            luts: Some(($top, &[("N", $n), ("TABLE", 1)])),
            text: include_str!(concat!("../../../../circuits/built/", $name, ".hut")),
        }
    };
}

/// All of them.
pub const ENTRIES: &[Entry] = &[
    entry!("add32", ("add", &[("N", 32)]), Some(("add_ladner_fischer", &[("N", 32)])), None),
    entry!("add32_brent_kung", ("add", &[("N", 32)]), Some(("add_brent_kung", &[("N", 32)])), None),
    entry!("subtract32", ("subtract", &[("N", 32)]), None, None),
    entry!("multiply32", ("multiply_low", &[("N", 32)]), None, None),
    entry!("multiply32_wide", ("multiply", &[("N", 32)]), Some(("multiply_shallow", &[("N", 32)])), None),
    entry!("divide_u32", ("divide", &[("N", 32)]), None, None),
    entry!("less_u32", ("less", &[("N", 32)]), Some(("less_tree", &[("N", 32)])), None),
    entry!("minimum_u32", ("minimum", &[("N", 32)]), None, None),
    entry!("maximum_u32", ("maximum", &[("N", 32)]), None, None),
    entry!("exchange_u32", ("exchange", &[("N", 32)]), None, None),
    entry!("shift_right_u32", ("shift_right", &[("N", 32)]), None, None),
    entry!("divide_i32", ("divide", &[("N", 32), ("SIGNED", 1)]), None, None),
    entry!(
        "less_i32",
        ("less", &[("N", 32), ("SIGNED", 1)]),
        Some(("less_tree", &[("N", 32), ("SIGNED", 1)])),
        None
    ),
    entry!("minimum_i32", ("minimum", &[("N", 32), ("SIGNED", 1)]), None, None),
    entry!("maximum_i32", ("maximum", &[("N", 32), ("SIGNED", 1)]), None, None),
    entry!("exchange_i32", ("exchange", &[("N", 32), ("SIGNED", 1)]), None, None),
    entry!("shift_right_i32", ("shift_right", &[("N", 32), ("SIGNED", 1)]), None, None),
    entry!("shift_left32", ("shift_left", &[("N", 32)]), None, None),
    entry!("equal32", ("equal", &[("N", 32)]), None, None),
    entry!("choice32", ("choice", &[("N", 32)]), None, None),
    entry!("ones32", ("ones", &[("N", 32)]), None, None),
    entry!("add64", ("add", &[("N", 64)]), Some(("add_ladner_fischer", &[("N", 64)])), None),
    entry!("add64_brent_kung", ("add", &[("N", 64)]), Some(("add_brent_kung", &[("N", 64)])), None),
    entry!("subtract64", ("subtract", &[("N", 64)]), None, None),
    entry!("multiply64", ("multiply_low", &[("N", 64)]), None, None),
    entry!("multiply64_wide", ("multiply", &[("N", 64)]), Some(("multiply_shallow", &[("N", 64)])), None),
    entry!("divide_u64", ("divide", &[("N", 64)]), None, None),
    entry!("less_u64", ("less", &[("N", 64)]), Some(("less_tree", &[("N", 64)])), None),
    entry!("minimum_u64", ("minimum", &[("N", 64)]), None, None),
    entry!("maximum_u64", ("maximum", &[("N", 64)]), None, None),
    entry!("exchange_u64", ("exchange", &[("N", 64)]), None, None),
    entry!("shift_right_u64", ("shift_right", &[("N", 64)]), None, None),
    entry!("divide_i64", ("divide", &[("N", 64), ("SIGNED", 1)]), None, None),
    entry!(
        "less_i64",
        ("less", &[("N", 64), ("SIGNED", 1)]),
        Some(("less_tree", &[("N", 64), ("SIGNED", 1)])),
        None
    ),
    entry!("minimum_i64", ("minimum", &[("N", 64), ("SIGNED", 1)]), None, None),
    entry!("maximum_i64", ("maximum", &[("N", 64), ("SIGNED", 1)]), None, None),
    entry!("exchange_i64", ("exchange", &[("N", 64), ("SIGNED", 1)]), None, None),
    entry!("shift_right_i64", ("shift_right", &[("N", 64), ("SIGNED", 1)]), None, None),
    entry!("shift_left64", ("shift_left", &[("N", 64)]), None, None),
    entry!("equal64", ("equal", &[("N", 64)]), None, None),
    entry!("choice64", ("choice", &[("N", 64)]), None, None),
    entry!("ones64", ("ones", &[("N", 64)]), None, None),
    entry!("f32_add", ("f32_add", &[]), None, None),
    entry!("f32_sub", ("f32_sub", &[]), None, None),
    entry!("f32_mul", ("f32_mul", &[]), None, None),
    entry!("f32_div", ("f32_div", &[]), None, None),
    entry!("f32_sqrt", ("f32_sqrt", &[]), None, None),
    entry!("f32_less", ("f32_less", &[]), None, None),
    entry!("f32_less_equal", ("f32_less_equal", &[]), None, None),
    entry!("f32_equal", ("f32_equal", &[]), None, None),
    entry!("f32_of_i32", ("f32_of_int", &[]), None, None),
    entry!("f32_of_u32", ("f32_of_int", &[("SIGNED", 0)]), None, None),
    entry!("i32_of_f32", ("f32_to_i32", &[]), None, None),
    entry!(
        "aes_sbox",
        ("aes_sbox", &[]),
        Some(("aes_sbox", &[("SHALLOW", 1)])),
        Some(("aes_sbox", &[("TABLE", 1)]))
    ),
    entry!("aes128", "aes", 4),
    entry!("aes128_expand", "aes_expand", 4),
    entry!("aes128_expanded", "aes_rounds", 4),
    entry!("aes192", "aes", 6),
    entry!("aes192_expand", "aes_expand", 6),
    entry!("aes192_expanded", "aes_rounds", 6),
    entry!("aes256", "aes", 8),
    entry!("aes256_expand", "aes_expand", 8),
    entry!("aes256_expanded", "aes_rounds", 8),
    entry!("sha256_compress", ("sha256_compress", &[]), None, None),
];
