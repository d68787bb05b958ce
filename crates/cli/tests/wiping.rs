//! What the program frees of the numbers in its input files and of shares: nothing. An allocator looks at every block
//! of memory as it is given back.
//!
//! A program of its own, because the allocator is the whole program's.

use std::{
    alloc::{GlobalAlloc, Layout, System},
    fs,
    sync::{
        Mutex, MutexGuard, OnceLock,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    thread,
};

use hushtable_cli::fuzzing::{forget, forget_join};

/// The system's allocator, which looks for secrets in what is freed.
struct Watching {
    on: AtomicBool,
    found: [AtomicUsize; KINDS],
}

/// The kinds of secrets: texts, numbers, words.
const KINDS: usize = 3;

#[global_allocator]
static MEMORY: Watching =
    Watching { on: AtomicBool::new(false), found: [const { AtomicUsize::new(0) }; KINDS] };

/// What must not be in freed memory.
static SECRETS: OnceLock<[Vec<Vec<u8>>; KINDS]> = OnceLock::new();

// SAFETY: every block comes from the system's allocator and goes back to it; `realloc` is the default one, which
// gives the old block back by `dealloc`.
unsafe impl GlobalAlloc for Watching {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // Zeroed, so that what was freed is not found again in memory that nobody has written yet.
        // SAFETY: the caller's.
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        if let (true, Some(secrets)) = (self.on.load(Ordering::Relaxed), SECRETS.get()) {
            // SAFETY: a block that is still allocated, and was zeroed at first.
            let block = unsafe { std::slice::from_raw_parts(at, layout.size()) };
            for (kind, found) in secrets.iter().zip(&self.found) {
                let here = kind.iter().filter(|secret| holds(block, secret)).count();
                found.fetch_add(here, Ordering::Relaxed);
            }
        }
        // SAFETY: the caller's.
        unsafe { System.dealloc(at, layout) }
    }
}

fn holds(block: &[u8], secret: &[u8]) -> bool {
    block.windows(secret.len()).any(|window| window == secret)
}

/// One test at a time: what another one frees would count.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(|failed| failed.into_inner())
}

/// How many texts, numbers and words `f` left in freed memory. It runs on a stack of its own: what the test left on
/// its stack can come to lie between the fields of what others allocate.
fn freed(f: impl FnOnce() + Send) -> [usize; KINDS] {
    SECRETS.get_or_init(|| {
        // Not row 0, whose few digits are in other texts too, as in masks of signals.
        let rows = [1, 2, 17, 150, ROWS - 1];
        let texts = rows.map(|i| number(i).to_string()).into_iter().flat_map(|text| {
            assert!(text.len() >= 15, "{text} may be in other texts by chance");
            [text.replace('.', ","), share(&text).to_string(), text].map(String::into_bytes)
        });
        let words = rows.map(number).map(|x| [(x * 65536.0).round() as u64, share(&x.to_string())]);
        [
            texts.collect(),
            rows.map(|i| number(i).to_le_bytes().to_vec()).to_vec(),
            words.iter().flatten().map(|word| word.to_le_bytes().to_vec()).collect(),
        ]
    });
    MEMORY.found.iter().for_each(|found| found.store(0, Ordering::Relaxed));
    thread::scope(|scope| {
        let run = || {
            MEMORY.on.store(true, Ordering::SeqCst);
            f();
            MEMORY.on.store(false, Ordering::SeqCst);
        };
        scope.spawn(run).join().expect("no panic");
    });
    MEMORY.found.each_ref().map(|found| found.load(Ordering::Relaxed))
}

const ROWS: u32 = 300;

/// As in crates/columns/tests/data/formats/make.py.
fn number(i: u32) -> f64 {
    100_000.0 + 7.000_122_070_312_5 * f64::from(i)
}

/// Some share that belongs to a number.
fn share(text: &str) -> u64 {
    text.bytes().fold(0x9e37_79b9_7f4a_7c15, |sum: u64, b| sum.rotate_left(9).wrapping_mul(3) ^ u64::from(b))
}

#[test]
fn unwiped_memory_is_seen() {
    let _alone = alone();
    let got = freed(|| {
        drop(std::hint::black_box((0..ROWS).map(number).collect::<Vec<_>>()));
        drop(std::hint::black_box(format!("a{}b", number(17))));
        drop(std::hint::black_box((0..ROWS).map(|i| share(&number(i).to_string())).collect::<Vec<_>>()));
    });
    assert!(got.iter().all(|&found| found > 0), "{got:?}");
}

/// In the ways in which people write them; what was converted too. The ids have the same digits.
#[test]
fn nothing_of_csv_is_freed() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let text = |cell: fn(u32) -> String, delimiter: &str| {
        let rows: String = (0..ROWS).map(|i| format!("c{}{delimiter}{}\n", number(i), cell(i))).collect();
        format!("id{delimiter}score\n{rows}")
    };
    let comma = |i| number(i).to_string().replace('.', ",");
    let (standard, german) = (text(|i| number(i).to_string(), ","), text(comma, ";"));
    let utf16: Vec<u8> = standard.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let latin = [standard.as_bytes(), b"\xfc,1\n"].concat();
    for (name, bytes, args) in [
        ("standard", standard.into_bytes(), &[][..]),
        ("german", german.into_bytes(), &["--delimiter", ";", "--decimal", ","]),
        ("utf16", utf16, &[]),
        ("latin", latin, &["--encoding", "latin-1"]),
    ] {
        let path = folder.path().join(name);
        fs::write(&path, &bytes).unwrap();
        assert_eq!(freed(|| forget(&path, args)), [0; KINDS], "{name}: texts, numbers, words");
    }
}

#[test]
fn nothing_of_a_share_file_is_freed() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("shares.json");
    let shares: Vec<u64> = (0..ROWS).map(|i| share(&number(i).to_string())).collect();
    hushtable_cli::fuzzing::write_shares(&path, shares.clone());
    let text = fs::read_to_string(&path).unwrap();
    assert!(shares.iter().all(|share| text.contains(&share.to_string())));
    assert_eq!(freed(|| forget(&path, &[])), [0; KINDS], "texts, numbers, words");
    let again = folder.path().join("again.json");
    assert_eq!(freed(|| hushtable_cli::fuzzing::write_shares(&again, shares)), [0; KINDS]);
}

/// Of the rows of a join, whole ones and ids in their form, and of a file of shares that holds their words.
#[test]
fn nothing_of_a_join_is_freed() {
    let _alone = alone();
    let folder = tempfile::tempdir().unwrap();
    let (path, to) = (folder.path().join("rows.csv"), folder.path().join("joined.json"));
    // Long ids, too: what is put together of two columns is not found in the memory in which it began.
    let long = "x".repeat(80);
    let rows = (0..ROWS).map(|i| format!("c{0},{0},\"x\"\"{0}\",{long}{i}\n", number(i)));
    fs::write(&path, format!("id,score,note,more\n{}", rows.collect::<String>())).unwrap();
    for ids in [&["id"][..], &["id", "more"]] {
        assert_eq!(freed(|| forget_join(&path, ids, &to)), [0; KINDS], "{ids:?}: texts, numbers, words");
        assert!(fs::read_to_string(&to).unwrap().contains(&format!("{}", (number(17) * 65536.0) as u64)));
    }
}

/// Of a file without compression and dictionaries, which the crate would keep in memory of its own.
#[cfg(feature = "parquet")]
#[test]
fn nothing_of_plain_parquet_is_freed() {
    let _alone = alone();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../columns/tests/data/formats/numbers.parquet");
    let bytes = fs::read(&path).unwrap();
    assert!((0..ROWS).all(|i| holds(&bytes, &number(i).to_le_bytes())));
    assert_eq!(freed(|| forget(&path, &[])), [0; KINDS], "texts, numbers, words");
}
