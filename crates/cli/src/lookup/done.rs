//! What a lookup gave.

use apps::private_table::{Description, Gets, Results};
use hushtable_jobs::cost::Phases;

/// What came out, and what it took.
pub struct Done {
    pub description: Description,
    pub gets: Gets,
    pub results: Results,
    /// Whether each key can be in the table at all.
    pub known: Vec<bool>,
    pub session: [u8; 32],
    pub phases: Phases,
}
