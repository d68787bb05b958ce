//! What sizes that a file announces make the program allocate: nothing before the bytes are there. An allocator looks at
//! how much is asked for at once.
//!
//! A program of its own, because the allocator is the whole program's.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering},
};

use hushtable_cli::fuzzing::TARGETS;

/// The system's allocator, and the largest piece that was asked of it.
struct Counting;

static LARGEST: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is the one that is asked for.
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        LARGEST.fetch_max(layout.size(), Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        LARGEST.fetch_max(size, Ordering::Relaxed);
        // SAFETY: as above.
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// More than what is allocated for a batch of any file as small as these, and less than what any number here announces.
const LIMIT: usize = 1 << 24;

/// Each of a text's numbers, announcing much.
fn texts(text: &str) -> Vec<Vec<u8>> {
    let starts = |(i, c): (usize, char)| {
        c.is_ascii_digit() && !text[..i].ends_with(|before: char| before.is_ascii_alphanumeric())
    };
    let starts = text.char_indices().filter(|&at| starts(at)).map(|(i, _)| i);
    let huge = [(1u64 << 31) - 1, 1 << 40, u64::MAX >> 4, u64::MAX].map(|huge| huge.to_string());
    let replaced = |start: usize| {
        let rest = text[start..].trim_start_matches(|c: char| c.is_ascii_digit());
        huge.each_ref().map(|huge| format!("{}{huge}{rest}", &text[..start]).into_bytes())
    };
    starts.flat_map(replaced).collect()
}

/// Places of a file in which a number may stand, announcing much: words of 32 and 64 bits, and numbers of as many bytes as
/// they need. About a hundred places of a file; with LONG all.
fn binaries(bytes: &[u8]) -> impl Iterator<Item = Vec<u8>> {
    let huge: [&[u8]; 3] = [&[255, 255, 255, 127], &[0, 0, 0, 0, 0, 1, 0, 0], &[254, 255, 255, 255, 15]];
    let step = if std::env::var_os("LONG").is_some() { 1 } else { (bytes.len() / 100).max(1) };
    let announcing = move |at: usize, huge: &[u8]| {
        let mut changed = bytes.to_vec();
        changed.iter_mut().skip(at).zip(huge).for_each(|(to, from)| *to = *from);
        changed
    };
    (0..bytes.len()).step_by(step).flat_map(move |at| huge.map(|huge| announcing(at, huge)))
}

#[test]
fn announced_sizes_allocate_nothing() {
    for target in TARGETS {
        let mut tried = 0;
        for seed in (target.seeds)() {
            let changed: Box<dyn Iterator<Item = Vec<u8>>> = match std::str::from_utf8(&seed) {
                Ok(text) => Box::new(texts(text).into_iter()),
                Err(_) => Box::new(binaries(&seed)),
            };
            for input in changed.chain([seed.clone()]) {
                LARGEST.store(0, Ordering::Relaxed);
                (target.run)(&input);
                let largest = LARGEST.load(Ordering::Relaxed);
                assert!(
                    largest <= LIMIT,
                    "{}: {largest} bytes at once, of {} bytes: {}",
                    target.name,
                    input.len(),
                    String::from_utf8_lossy(&input[..input.len().min(400)])
                );
                tried += 1;
            }
        }
        println!("{}: {tried} files", target.name);
    }
}
