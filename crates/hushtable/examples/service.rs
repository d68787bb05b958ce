//! Two companies compute a risk from numbers of both, over TLS with pinned certificates: here as two threads, each with a
//! folder for its identity. What it costs is known before anything runs.

use std::{error::Error, path::Path, thread};

use hushtable::{math, prelude::*, run};

type Outcome<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

/// `1 / (1 + e^-x)` of numbers of 32 bits with 12 behind the point.
fn risk() -> Result<Evaluation> {
    let options = math::Options::default().domain(Bounds { lo: -8.0, hi: 8.0 });
    Evaluation::new(Function::Sigmoid, 32, 12, &options)
}

/// One party's part: its addends, one for each customer.
fn compute(p: &mut Party, addends: &[f64]) -> Result<Option<Vec<f64>>> {
    let risk = risk()?;
    let words: Vec<u64> = addends.iter().map(|x| (x * 4096.0).round() as i64 as u64).collect();
    let job = Job::new(&risk).on(&words).reveal(Reveal::Only(Role::P0));
    let bill = job.bill(words.len(), &p.setting())?;
    println!("{}: {:.0} bytes, {} rounds online", p.role(), bill.bytes(), bill.online.rounds);
    run::set_up(&risk, p, words.len())?;
    let values = job.run(p)?.values();
    Ok(values.map(|values| values.iter().map(|&v| v as f64 / 4096.0).collect()))
}

/// A folder for each company's identity, and each trusts the other's certificate: in life by its fingerprint, read out on
/// the telephone.
fn identities(folder: &Path) -> Result<[Identity; 2]> {
    let paths = ["bank", "bureau"].map(|name| folder.join(name));
    let made = [Identity::create(&paths[0], "bank")?, Identity::create(&paths[1], "bureau")?];
    for (path, other) in paths.iter().zip([&made[1], &made[0]]) {
        Identity::trust(path, &other.certificate_path(), other.fingerprint(), None)?;
    }
    Ok([Identity::load(&paths[0])?, Identity::load(&paths[1])?])
}

/// Both parties.
fn both(folder: &Path) -> Outcome<Vec<f64>> {
    let [bank, bureau] = identities(folder)?;
    let listener = Listener::bind("127.0.0.1:0", Options::secure(bank))?;
    let address = listener.local_addr().to_string();
    let other = thread::spawn(move || -> Outcome<()> {
        let mut p = Party::new(connect(&address, Options::secure(bureau))?, None)?;
        assert_eq!(compute(&mut p, &[0.5, -0.25, 3.0])?, None, "results are the bank's");
        Ok(())
    });
    let mut p = Party::new(listener.accept()?, None)?;
    let risks = compute(&mut p, &[0.5, 0.25, -1.0])?;
    other.join().expect("no panic")?;
    Ok(risks.expect("the bank gets them"))
}

/// Runs it.
///
/// # Errors
/// Those of the library.
pub fn main() -> Outcome<()> {
    let folder = tempfile::tempdir()?;
    let risks = both(folder.path())?;
    for (risk, x) in risks.iter().zip([1.0f64, 0.0, 2.0]) {
        assert!((risk - 1.0 / (1.0 + (-x).exp())).abs() < 0.001, "{risk} of {x}");
    }
    println!("{risks:?}");
    Ok(())
}
