//! Two parties look shared indices up in a public table of 32-bit numbers. Both run in this process.

use hushtable::{math::Tabulated, prelude::*};

/// 256 entries, some of them beyond 2^31.
fn entry(index: u32) -> u32 {
    index.wrapping_mul(0x9e37_79b9)
}

/// Runs it.
///
/// # Errors
/// Those of the library.
pub fn main() -> Result<()> {
    let party = |p: &mut Party| {
        // The indices are 5, 255 and 0, mod 256: each party has one addend of each.
        let mine = match p.role() {
            Role::P0 => [200, 100, 13],
            Role::P1 => [61, 155, 243],
        };
        let table = Tabulated::integers((0..256).map(|i| entry(i).into()).collect());
        let lookup = Lookup::new("entries", table, mine.len(), &p.setting())?;
        Job::new(&lookup).on(&mine).reveal(Reveal::Both).run(p)
    };
    let (at_p0, at_p1) = run_pair(Party::pair()?, party, party)?;
    let want = [5, 255, 0].map(|i| i64::from(entry(i)));
    for done in [at_p0, at_p1] {
        assert_eq!(done.values().as_deref(), Some(&want[..]));
    }
    println!("{want:?}");
    Ok(())
}
