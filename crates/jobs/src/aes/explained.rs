//! What `aes` does, in plain sentences.

use hushtable_columns::failure::Result;

use crate::{
    link::Link,
    plain::{self, Names},
};

/// Who computes what with whom, who learns what, and what nobody learns.
pub fn sentences(has_key: bool, link: &Link) -> Result<[String; 3]> {
    let names = Names::of(link)?;
    let (key, data) = if has_key { (&names.here, &names.peer) } else { (&names.peer, &names.here) };
    Ok([
        format!("{data} has its data encrypted by AES under a key that {key} keeps."),
        format!("{data} learns the encrypted data, and {key} learns only how much data there is."),
        format!(
            "{data} does not learn the key, and {key} does not learn the data; {}.",
            plain::network(link)
        ),
    ])
}
