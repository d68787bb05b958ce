//! `hushtable aes`: one party's data under the other's key.

use hushtable_columns::failure::Result;
use hushtable_jobs::aes::{self, Aes};

/// Runs the subcommand.
pub fn run(args: &Aes) -> Result<()> {
    args.link.attended(|| aes::carry_out(args))
}
