//! An allocator that looks at every block of memory as it is given back.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    collections::HashSet,
    sync::{
        Mutex, MutexGuard,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
};

use hushtable::Party;

/// Words that may be kept of freed memory.
const LOG: usize = 1 << 23;
/// Vectors of words from this size on are looked at while they live; messages are bytes.
const LARGE: usize = 1 << 10;
/// As many at most.
const BLOCKS: usize = 1 << 14;

struct Watching {
    on: AtomicBool,
    /// Keeps all words that are not zero, not only those that look secret.
    all: AtomicBool,
    freed: Mutex<Words>,
    live: Mutex<Blocks>,
    lost: AtomicUsize,
}

/// In memory of the system's, since the allocator cannot ask itself for any.
struct Words {
    at: *mut u128,
    len: usize,
}

struct Blocks {
    of: [(usize, usize); BLOCKS],
    len: usize,
}

// SAFETY: only whoever holds the lock follows the pointer.
unsafe impl Send for Words {}

#[global_allocator]
static MEMORY: Watching = Watching {
    on: AtomicBool::new(false),
    all: AtomicBool::new(false),
    freed: Mutex::new(Words { at: std::ptr::null_mut(), len: 0 }),
    live: Mutex::new(Blocks { of: [(0, 0); BLOCKS], len: 0 }),
    lost: AtomicUsize::new(0),
};

// SAFETY: every block comes from the system's allocator and goes back to it; `realloc` is the default one, which
// gives the old block back by `dealloc`.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that what was freed is not found again in memory that nobody has written yet.
        // SAFETY: the caller's.
        let at = unsafe { System.alloc_zeroed(layout) };
        if is_looked_at(layout) && !at.is_null() {
            self.live.lock().expect("no panic inside").add((at as usize, layout.size()));
        }
        at
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if is_looked_at(layout) {
            self.live.lock().expect("no panic inside").remove(at as usize);
        }
        if self.on.load(Ordering::Relaxed) {
            let mut log = self.freed.lock().expect("no panic inside");
            let all = self.all.load(Ordering::Relaxed);
            let kept = |word: &u128| looks_secret(*word) || all && *word != 0;
            for word in words_in(at as usize, layout.size()).filter(kept) {
                match log.len < LOG {
                    // SAFETY: the log has room for so many.
                    true => unsafe { log.at.add(log.len).write(word) },
                    false => _ = self.lost.fetch_add(1, Ordering::Relaxed),
                }
                log.len += usize::from(log.len < LOG);
            }
        }
        // SAFETY: the caller's.
        unsafe { System.dealloc(at, layout) }
    }
}

/// Large vectors of words; not those of a few parties, whose ids and times are public and found wherever one was moved from.
fn is_looked_at(layout: Layout) -> bool {
    let party = size_of::<Party>();
    let parties = layout.size().is_multiple_of(party) && layout.size() <= 16 * party;
    layout.size() >= LARGE && layout.align() >= 8 && !parties
}

impl Blocks {
    fn add(&mut self, block: (usize, usize)) {
        if self.len < BLOCKS {
            self.of[self.len] = block;
            self.len += 1;
        }
    }

    fn remove(&mut self, at: usize) {
        if let Some(place) = self.of[..self.len].iter().rposition(|block| block.0 == at) {
            self.len -= 1;
            self.of[place] = self.of[self.len];
        }
    }
}

/// The words of a block of memory, one from each multiple of 8 bytes on: fields of a value lie so.
pub fn words_in(at: usize, len: usize) -> impl Iterator<Item = u128> {
    let half = |at: usize| {
        // SAFETY: inside a block that is still allocated, and aligned.
        u128::from(unsafe { std::ptr::read_volatile(at as *const u64) })
    };
    let words = (at.next_multiple_of(8)..).step_by(8).take_while(move |word| word + 16 <= at + len);
    words.map(move |word| half(word) | half(word + 8) << 64)
}

/// Neither zeros, small numbers of either sign, two addresses nor shares of bits in words of 64 (whole words of zeros or ones, of
/// which any two are found anywhere): random, or 16 bits, a byte each.
pub fn looks_secret(word: u128) -> bool {
    let halves = [word as u64, (word >> 64) as u64];
    let small = |half: &u64| [0, u32::MAX].contains(&((half >> 32) as u32));
    if halves.iter().all(|half| [0, u64::MAX].contains(half)) || halves.iter().all(small) {
        return bytes_of_bits(word);
    }
    let addresses = word & (0xff << 120 | 0xff << 56) == 0;
    bytes_of_bits(word) || !addresses && (36..=92).contains(&word.count_ones())
}

fn bytes_of_bits(word: u128) -> bool {
    word & !(u128::MAX / 255) == 0 && word.count_ones() >= 4
}

/// One test at a time: what another one keeps would count as alive.
static ONE: Mutex<()> = Mutex::new(());

pub fn alone() -> MutexGuard<'static, ()> {
    ONE.lock().unwrap_or_else(|failed| failed.into_inner())
}

/// What `f` returns, the words of all that was freed meanwhile, and those of all large blocks that live on.
pub fn watched<T>(f: impl FnOnce() -> T) -> (T, HashSet<u128>, HashSet<u128>) {
    {
        let mut log = MEMORY.freed.lock().expect("no panic inside");
        if log.at.is_null() {
            // SAFETY: the size is not zero.
            log.at = unsafe { System.alloc(Layout::array::<u128>(LOG).expect("a size")) }.cast();
            assert!(!log.at.is_null(), "memory for the log");
        }
        log.len = 0;
    }
    MEMORY.on.store(true, Ordering::SeqCst);
    let out = f();
    MEMORY.on.store(false, Ordering::SeqCst);
    assert_eq!(MEMORY.lost.swap(0, Ordering::Relaxed), 0, "the log is too short");
    let blocks = {
        let live = MEMORY.live.lock().expect("no panic inside");
        let mut blocks = [(0, 0); BLOCKS];
        blocks[..live.len].copy_from_slice(&live.of[..live.len]);
        blocks
    };
    let live = blocks.iter().take_while(|block| block.0 != 0);
    let live = live.flat_map(|&(at, len)| words_in(at, len)).filter(|&word| looks_secret(word)).collect();
    let log = MEMORY.freed.lock().expect("no panic inside");
    // SAFETY: the log has so many words.
    let freed = unsafe { std::slice::from_raw_parts(log.at, log.len) }.iter().copied().collect();
    (out, freed, live)
}

/// [`watched`], with all freed words that are not zero, not only those that look secret.
pub fn watched_whole<T>(f: impl FnOnce() -> T) -> (T, HashSet<u128>, HashSet<u128>) {
    MEMORY.all.store(true, Ordering::SeqCst);
    let seen = watched(f);
    MEMORY.all.store(false, Ordering::SeqCst);
    seen
}
