//! All integration tests in one program: they share most of what is compiled for them.

mod net_support;
mod suiting;
mod support;

mod additive_to_xor;
mod angles;
mod announce;
mod arith_compare;
mod arith_functions;
mod arith_joint_views;
mod arith_product;
mod arith_shared;
mod arith_sides;
mod arith_truncate;
mod arith_views;
mod arithmetic;
mod bad_constructors;
mod bad_params;
mod balanced;
mod bills;
mod bills_functions;
mod bills_math;
mod bills_operations;
mod bills_readers;
mod circles;
mod circuit;
mod circuit_forms;
mod circuit_stored;
mod confidential_copy;
mod confidential_plan;
mod confidential_prf;
mod confidential_resume;
mod confidential_sparse;
mod confidential_splut;
mod confidential_thin;
mod confidential_thin_views;
mod confidential_updates;
mod confidential_versions;
mod cost;
#[cfg(feature = "tls")]
mod debug;
mod doubling;
mod drawn;
mod examples;
mod faults;
mod few_rounds;
mod flute;
mod fss;
mod fss_attacks;
mod fss_oracles;
mod fss_stored;
mod fss_views;
#[cfg(feature = "tls")]
mod fuzz_corpus;
mod garbled;
mod gates;
mod gelu_table;
mod hash_inputs;
mod key_gate_views;
mod kk13;
mod lattice;
mod layer_ranges;
mod layers;
mod linear_layers;
mod lookup_uniform;
mod lookups;
mod many_layers;
mod math;
mod math_accuracy;
mod math_digest;
mod math_outside;
mod math_range;
mod math_sweep;
mod math_sweep_any;
mod math_sweep_rows;
mod math_tensor;
mod math_tensor_cost;
mod math_wide;
#[cfg(feature = "tls")]
mod net_crowds;
#[cfg(feature = "tls")]
mod net_doctor;
mod net_farewell;
mod net_faults;
#[cfg(feature = "tls")]
mod net_identity;
mod net_over;
mod net_pair;
#[cfg(feature = "tls")]
mod net_peer;
mod net_shape;
#[cfg(feature = "tls")]
mod net_strangers;
mod net_tcp;
#[cfg(feature = "tls")]
mod net_tls;
#[cfg(feature = "tls")]
mod net_trust;
#[cfg(feature = "tls")]
mod net_visitors;
mod networks;
mod okvs;
mod one_opening;
mod operation_gates;
mod oplut;
mod oprf;
mod ot;
mod ottt;
mod permutation;
mod plan;
mod random;
mod readers;
mod rules;
mod run;
mod run_compared;
#[cfg(feature = "tracing")]
mod run_traced;
mod shuffle;
mod sin_cos;
mod staged;
#[cfg(feature = "tls")]
mod store;
#[cfg(feature = "tls")]
mod store_crash;
#[cfg(feature = "tls")]
mod store_cursor;
#[cfg(feature = "tls")]
mod store_faults;
#[cfg(feature = "tls")]
mod stored;
mod symmetric_products;
mod tables;
mod terms;
mod ticket;
mod tree;
mod tree_rules;
mod views;
mod views_generators;
mod vole;
mod wire;
mod wire_functions;
mod wire_joins;
mod wire_keys;
mod wire_products;
mod xor_to_additive;

/// A file that is not listed above, or in the manifest, would never run.
#[test]
fn every_file_is_listed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    for entry in std::fs::read_dir(folder).expect("tests") {
        let name = entry.expect("an entry").file_name().into_string().expect("a name");
        if let Some(module) =
            name.strip_suffix(".rs").filter(|module| !["all", "arith", "circuits", "wiping"].contains(module))
        {
            assert!(include_str!("all.rs").contains(&format!("\nmod {module};\n")), "{name} is not listed");
        }
    }
}
