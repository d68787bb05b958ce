//! Requests to valgrind. Outside of it they do nothing.

use std::{arch::asm, mem::size_of_val};

const RUNNING: usize = 0x1001;
const CHANGE_REPORTING: usize = 0x1801;
const MAKE_UNDEFINED: usize = 0x4d43_0001;
const MAKE_DEFINED: usize = 0x4d43_0002;

/// Whether the program runs under valgrind.
pub fn running() -> bool {
    request(RUNNING, 0, 0) > 0
}

/// From here on the memory's contents are secret: what they decide is reported.
pub fn secret<T>(values: &[T]) {
    request(MAKE_UNDEFINED, values.as_ptr() as usize, size_of_val(values));
}

/// The memory's contents are public.
pub fn public<T>(values: &[T]) {
    request(MAKE_DEFINED, values.as_ptr() as usize, size_of_val(values));
}

/// Whether what secrets decide is reported, in this thread. Calls come in pairs, `false` first.
pub fn report(on: bool) {
    request(CHANGE_REPORTING, if on { usize::MAX } else { 1 }, 0);
}

/// The rotations add up to nothing; valgrind knows the sequence.
fn request(what: usize, a: usize, b: usize) -> usize {
    let arguments = [what, a, b, 0, 0, 0];
    let mut answer = 0;
    // SAFETY: without valgrind no register or memory changes but the flags. With it the arguments are read, and
    // marks change that belong to memory and not its contents.
    unsafe {
        asm!(
            "rol rdi, 3", "rol rdi, 13", "rol rdi, 61", "rol rdi, 51", "xchg rbx, rbx",
            in("rax") arguments.as_ptr(),
            inout("rdx") answer,
        );
    }
    answer
}
