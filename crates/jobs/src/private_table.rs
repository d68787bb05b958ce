//! What `serve` and `lookup` have in common: a table in words, and shares of results as files.

use crate::page::Page;
use apps::private_table::{
    Description, KeyLookup, Looked, PRESENT_BITS, Places, Value, cipher_name, shared_bits, shared_keys_fit,
};
use hushtable::{
    Role,
    operation::{Operation, Port},
};
use hushtable_columns::{Format, shares::ShareFile, units};

/// What of a table is public, on a page of its own.
pub fn page(description: &Description) -> Page {
    let mut page = Page::new("");
    describe(&mut page, description);
    page
}

/// The same on a page.
pub fn describe(page: &mut Page, description: &Description) {
    let Description { table, key, values, places, cipher, batch, lookups, shares, .. } = description;
    page.title(&format!("The table {table:?}"));
    page.line("key", &format!("{:?}, {}", key.name, key.words()));
    for Value { name, kind } in values {
        page.line("value", &format!("{name:?}, {}", kind.words()));
    }
    let rows = match places {
        Places::Dense => format!("up to {}: a place for each key that can be", description.rows()),
        Places::Sparse { rows } => format!("up to {rows}"),
    };
    page.line("rows", &rows);
    let copy = units::bytes(description.job().copy_bits() / 8);
    page.line("encrypted copy", &format!("{copy}, once for each version, under {}", cipher_name(*cipher)));
    if let Ok(each) = description.bill((*batch).min(4096) as usize) {
        let (send, recv) = each.cots_of(Role::P0);
        let bits: u64 = each.offline.bits.iter().chain(&each.online.bits).sum();
        let per = bits as f64 / 8.0 / f64::from((*batch).min(4096));
        let cots = (send + recv) as f64 / f64::from((*batch).min(4096));
        page.line(
            "a lookup",
            &format!("{per:.0} bytes and {cots:.0} correlated OTs, {} rounds a batch", each.online.rounds),
        );
    }
    page.line("at most", &format!("{batch} keys in a batch, {lookups} in a session"));
    page.line("results", if *shares { "for the client, or as shares" } else { "for the client" });
    if let Some([all, one]) = key.kind.collisions(description.rows()) {
        let text = format!(
            "two keys of the table have the same with probability below 2^{all}, and are refused; a key that is not \
             there is taken for one that is with probability below 2^{one}"
        );
        page.line("hashes", &text);
    }
    crate::explain::chance(page, &description.chance(*lookups));
}

/// What both parties sign of a session of so many lookups, if both want that.
pub fn agreed(lookup: &KeyLookup, lookups: u64) -> Vec<(String, String)> {
    let all = lookup.fields().into_iter().chain([("number of rows", lookups.to_string())]);
    all.map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Both files of shares of a session: those of the column at this place, and of whether keys are there.
pub fn share_files(
    lookup: &KeyLookup,
    column: usize,
    looked: Looked,
    session: [u8; 32],
    role: Role,
) -> [ShareFile; 2] {
    let (Description { key, values, .. }, gives) = (lookup.description(), lookup.signature().gives);
    let file = |of: &str, Port { bits, fraction, range, .. }: Port, shares| {
        let (format, range) = (Format { bits, fraction_bits: fraction }, range.expect("that of its bits"));
        ShareFile::new(of, session, role, format, range, shares).sealed()
    };
    let present = format!("whether {} is there", key.name);
    [file(&values[column].name, gives[0], looked.values), file(&present, gives[1], looked.present)]
}

/// Most bytes of both files, of so many results.
pub fn share_bytes(description: &Description, column: u8, results: u64) -> u64 {
    let Value { name, kind } = &description.values[usize::from(column)];
    // Digits of a share, and a comma.
    let digits = |bits: u32| u64::from(bits) * 30103 / 100_000 + 2;
    let head = 1024 + 6 * (name.len() + description.key.name.len()) as u64;
    2 * head + results.saturating_mul(digits(shared_bits(*kind)) + digits(PRESENT_BITS))
}

/// What names the shares of keys that both parties hold, the same at both if their files belong together; `role` is this
/// party's now.
pub fn shares_name(file: &ShareFile, role: Role) -> [u8; 32] {
    let mut hash = blake3::Hasher::new_derive_key("hushtable 2026 shares that are keys of a table");
    hash.update(file.pairing(role).as_bytes()).update(&(file.count as u64).to_le_bytes());
    *hash.finalize().as_bytes()
}

/// Whether a file of shares has keys of whole numbers that a table can have.
///
/// # Errors
/// Why not.
pub fn shares_fit(file: &ShareFile, description: &Description) -> Result<(), String> {
    if file.fraction_bits > 0 {
        return Err(format!(
            "shares of numbers with {} bits behind the point; keys are whole",
            file.fraction_bits
        ));
    }
    shared_keys_fit(description.key.kind, file.bits, file.range)
}
