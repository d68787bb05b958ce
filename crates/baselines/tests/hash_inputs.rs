//! No baseline hashes an input twice under one key: as `hash_inputs` of the library, which says why.

use crate::{
    support::recorded::{check, purposes, recorded},
    wire,
};

use hushtable::{Party, Result, ot::Scheme, session::Purpose};
use hushtable_baselines::ndss::triples_from_codes;

/// All in one session, triples also in larger batches.
#[test]
fn no_input_repeats_under_a_key() {
    let run = |p: &mut Party| -> Result<Vec<[u8; 32]>> {
        for (name, _, protocol) in wire::PROTOCOLS {
            protocol(p).unwrap_or_else(|e| panic!("{name}: {e}"));
        }
        for t in 1..=4 {
            drop(triples_from_codes(p, 700, t)?);
        }
        Ok(Vec::new())
    };
    let (records, ids) = recorded(400, Some(Scheme::Ferret), run);
    let purposes = purposes(&ids);
    for (record, who) in records.iter().zip(["P0", "P1"]) {
        let found = check(who, record, &purposes);
        for purpose in [Purpose::Ggm, Purpose::CodePad, Purpose::KeyNode] {
            assert!(found.contains(&purpose), "{who} never hashed for {purpose:?}");
        }
    }
}
