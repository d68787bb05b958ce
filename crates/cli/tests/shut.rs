//! Results of a job's steps stay shut until all steps are done.

use std::{
    fmt::Write as _,
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    thread,
};

use crate::common::{Done, Site};
use sha2::{Digest, Sha256};

/// A way between the parties, and how many bytes took it in both directions.
struct Counter {
    address: String,
    passed: Arc<AtomicUsize>,
}

impl Counter {
    fn new(target: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (target, passed) = (target.to_owned(), Arc::new(AtomicUsize::new(0)));
        let count = passed.clone();
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                let Ok(far) = TcpStream::connect(&target) else { return };
                for (from, to) in [(near.try_clone().unwrap(), far.try_clone().unwrap()), (far, near)] {
                    let count = count.clone();
                    thread::spawn(move || carry(from, to, &count));
                }
            }
        });
        Self { address, passed }
    }
}

fn carry(mut from: TcpStream, mut to: TcpStream, count: &AtomicUsize) {
    let mut bytes = vec![0; 1 << 16];
    while let Ok(n @ 1..) = from.read(&mut bytes) {
        // Before the other side can end.
        count.fetch_add(n, Ordering::SeqCst);
        if to.write_all(&bytes[..n]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Write);
}

const ROWS: usize = 3000;

/// A result that is opened, or stays for the last step only; a step that may refuse numbers; one that goes on.
fn job(reveal: &str) -> String {
    format!(
        "hushtable-job = 1\nids = false\n[parties]\nlistens = \"bank\"\nconnects = \"telecom\"\n\
         [options]\nthreads = 1\n\
         [[step]]\nname = \"most\"\noperation = \"max\"\nx = {{ bank = \"u\" }}\ny = {{ telecom = \"u\" }}\n\
         reveal = \"{reveal}\"\n\
         [[step]]\nname = \"root\"\noperation = \"sqrt\"\nx = {{ bank = \"v\", telecom = \"v\" }}\nreveal = \"both\"\n\
         [[step]]\nname = \"same\"\noperation = \"eq\"\nx = \"most\"\ny = 3\nreveal = \"both\"\n"
    )
}

/// How both parties end, and how many bytes passed between them. The last row's root is of `last`.
fn run(reveal: &str, last: f64) -> ([Done; 2], usize) {
    let site = Site::new();
    for party in ["bank", "telecom"] {
        let mut text = "u,v\n".to_owned();
        for i in 0..ROWS {
            let v = if i + 1 == ROWS { last / 2.0 } else { 1.0 + (i % 7) as f64 };
            writeln!(text, "{},{v}", i % 11).unwrap();
        }
        site.write(&format!("{party}.csv"), &text);
    }
    let job = job(reveal);
    site.write("job.toml", &job);
    let hash: String = Sha256::digest(&job).iter().map(|byte| format!("{byte:02x}")).collect();
    let command = |party: &str| {
        format!(
            "run job.toml --input {party}.csv --identity {party}.id --approve {hash} --output {party}.out"
        )
    };
    let p0 = site.listen(&command("bank"));
    let counter = Counter::new(&p0.address);
    let p1 = site.run(&format!("{} --connect {}", command("telecom"), counter.address));
    let done = [p0.finish(), p1];
    let wrote = ["bank.out", "telecom.out"].map(|name| site.has(name));
    assert_eq!(wrote, done.each_ref().map(|done| done.code == 0), "{done:?}");
    (done, counter.passed.load(Ordering::SeqCst))
}

/// Who has opened a result has sent its shares: they would be among the bytes.
#[test]
fn nothing_is_opened_if_a_later_step_refuses() {
    let opening = 2 * 8 * ROWS;
    let sent = |last| {
        ["both", "none"].map(|reveal| {
            let (done, passed) = run(reveal, last);
            match last > 0.0 {
                true => done.into_iter().for_each(|done| drop(done.ok())),
                false => done.iter().for_each(|done| done.fails("outside the domain")),
            }
            passed
        })
    };
    let [opened, shut] = sent(4.0);
    assert!(opened > shut + opening * 3 / 4, "{opened} and {shut} bytes where all is well");
    let [opened, shut] = sent(-4.0);
    assert!(opened.abs_diff(shut) < opening / 4, "{opened} and {shut} bytes where a step refuses");
}
