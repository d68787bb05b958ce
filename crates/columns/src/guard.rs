//! Crates that read a format and panic at some damaged files.

use std::{
    cell::Cell as Flag,
    panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook},
    sync::Once,
};

/// What `read` gives. A panic in it is an error, and silent.
pub fn guarded<T>(read: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    thread_local!(static QUIET: Flag<bool> = const { Flag::new(false) });
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let usual = take_hook();
        set_hook(Box::new(move |panic| {
            if !QUIET.get() {
                usual(panic);
            }
        }));
    });
    QUIET.set(true);
    // What `read` was working on is dropped.
    let read = catch_unwind(AssertUnwindSafe(read));
    QUIET.set(false);
    read.unwrap_or_else(|_| Err("the file is damaged".into()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_an_error() {
        let numbers = std::hint::black_box(vec![1]);
        assert_eq!(guarded(|| Ok(numbers[1])), Err("the file is damaged".into()));
        assert_eq!(guarded(|| Ok(1)), Ok(1));
        assert_eq!(guarded::<u8>(|| Err("why".into())), Err("why".into()));
    }
}
