//! Results that stay shared.

/// Results that stay shared have at least this width, so that any later index can be cut from them.
pub const SHARED_BITS: u32 = 16;
