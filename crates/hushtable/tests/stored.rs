//! Stored material of every operation that can be cut: what it gives, what is refused, and who may spend what.

use crate::support::{operations, stores};

use std::{collections::HashSet, fs};

use hushtable::{
    Error, Party, Result, Role,
    arith::{CompareDomain, CompareJob, Objective},
    lut::{LookupJob, Protocol},
    math::{Bounds, Evaluation, Function, Method, Options, Outside},
    operation::{Bands, Compare, Lookup, Operation, Relation, Words},
    run::{self, Ready, Reveal, Unwatched},
    run_pair,
    share::Sharing,
    source::{self, Shape, Window},
    store::Contents,
};
use operations::{Case, ITEMS, cases, comparison, named, numbers, unary};
use stores::{Site, contains, refusal};

/// Values of this party's shares.
fn open(p: &mut Party, operation: &dyn Operation, columns: Vec<Words>) -> Result<Vec<i64>> {
    let mut opened = Reveal::Both.open(p, &operation.signature().gives, columns)?;
    Ok(opened.remove(0).values().expect("both get the values"))
}

#[test]
fn material_that_was_bytes_gives_the_results() {
    for case in cases() {
        let (operation, shape) = (&*case.operation, case.operation.shape().unwrap());
        let party = |p: &mut Party| -> Result<Vec<i64>> {
            let bytes = source::written(p, 0, |from| operation.material(from, ITEMS))?;
            assert!(bytes.len() <= shape.bytes(ITEMS), "{}: {} bytes", named(operation), bytes.len());
            let (role, mut before, mut got) = (p.role(), 0, Vec::new());
            // In pieces, each of which leaves the rest alone.
            for wanted in [5, 1, 17, 9, 8] {
                let window = Window { items: ITEMS, before, wanted };
                let material = source::read(&bytes, role, window, |from| operation.material(from, wanted))?;
                assert_eq!(material.items(), wanted);
                let words = case.words(role, before..before + wanted);
                before += wanted;
                let shares = material.eval(p, &words.iter().map(|x| &x[..]).collect::<Vec<_>>())?;
                got.extend(open(p, operation, shares)?);
            }
            Ok(got)
        };
        let (a, b) = run_pair(Party::pair_seeded(17).unwrap(), party, party)
            .unwrap_or_else(|error| panic!("{}: {error}", named(operation)));
        case.check(&a);
        assert_eq!(a, b);
    }
}

/// The bytes are those that the shape says, and items have none in common.
#[test]
fn what_is_written_is_what_the_shape_says() {
    for case in cases() {
        let (operation, shape) = (&*case.operation, case.operation.shape().unwrap());
        let party = |p: &mut Party| -> Result<usize> {
            let bytes = source::written(p, 0, |from| operation.material(from, 48))?;
            let role = p.role();
            let cut = |before, wanted| {
                let window = Window { items: 48, before, wanted };
                source::cut(&bytes, role, window, |from| operation.material(from, wanted)).unwrap()
            };
            assert_eq!(cut(0, 48), bytes, "all of it, {}", named(operation));
            // 16 of 64 bits or more, with 2^-64 of a chance that two are alike; a few share a Delta.
            if shape.bits() >= 64 {
                let all: HashSet<Vec<u8>> = (0..48).map(|i| cut(i, 1).to_vec()).collect();
                assert_eq!(all.len(), 48, "{}", named(operation));
            }
            Ok(bytes.len())
        };
        let (a, b) = run_pair(Party::pair_seeded(5).unwrap(), party, party).unwrap();
        assert_eq!(a.max(b), shape.bytes(48), "{}", named(operation));
    }
}

/// Every length, at each party in turns; with LONG at both.
#[test]
fn bytes_of_another_length_are_refused() {
    let long = std::env::var_os("LONG").is_some();
    for (i, case) in cases().into_iter().enumerate() {
        let (operation, shape) = (&*case.operation, case.operation.shape().unwrap());
        let read = |bytes: &[u8], role, items, wanted| {
            let window = Window { items, before: items - wanted, wanted };
            source::read(bytes, role, window, |from| operation.material(from, wanted)).map(drop)
        };
        let mut sound = 0;
        let roles = [Role::P0, Role::P1].into_iter().filter(|&role| long || role as usize == i % 2);
        for role in roles.clone() {
            let mut zeros = vec![0xff; shape.bytes(16) + 40];
            if operation.method() == "lattices" {
                // It begins with a digest of what it was made for.
                let write = |p: &mut Party| source::written(p, 0, |from| operation.material(from, 1));
                let (a, b) = run_pair(Party::pair_seeded(5).unwrap(), write, write).unwrap();
                zeros[..32].copy_from_slice(&[a, b][role as usize][..32]);
            }
            for len in shape.bytes(16).saturating_sub(600 * operation.result().words)..zeros.len() {
                match read(&zeros[..len], role, 16, 5) {
                    Ok(()) => sound += 1,
                    Err(Error::Store(_)) => {}
                    Err(other) => panic!("{}: {other}", named(operation)),
                }
            }
            for (items, wanted) in [(usize::MAX, 1), (1 << 60, 7), (8, 0)] {
                let window = Window { items, before: 0, wanted };
                let read = source::read(&zeros, role, window, |from| operation.material(from, wanted));
                assert!(matches!(read.map(drop), Err(Error::Store(_) | Error::Shape { .. })), "{items}");
            }
        }
        assert_eq!(sound, roles.count(), "{}: one length at each party", named(operation));
    }
}

fn over(function: Function, lo: f64, hi: f64) -> Evaluation {
    let options = Options::default().domain(Bounds { lo, hi }).method(Method::Direct);
    Evaluation::new(function, 32, 4, &options).unwrap()
}

fn shape(operation: &dyn Operation) -> Shape {
    operation.shape().unwrap()
}

#[test]
fn the_same_shape_is_of_the_same_atoms() {
    let near = |relation, bits| {
        Compare::of(relation, CompareJob::new(bits, CompareDomain::Near, Objective::Total).unwrap())
    };
    let sigmoid = shape(&over(Function::Sigmoid, -8.0, 8.0));
    // Other values, another place of the domain, other limits.
    for same in [over(Function::Tanh, 0.0, 16.0), over(Function::Erf, -4.0, 12.0)] {
        assert_eq!(shape(&same), sigmoid);
    }
    assert_ne!(shape(&over(Function::Sigmoid, -4.0, 4.0)).digest, sigmoid.digest, "fewer entries");
    let spline = |f: fn(f64) -> f64, pieces| {
        let method = Method::Spline { degree: 2, pieces };
        let domain = Some(Bounds { lo: -4.0, hi: 4.0 });
        let options = Options::default().domain(domain).method(method).outside(Outside::Clamp);
        shape(&Evaluation::of("any", f, 32, 12, &options).unwrap())
    };
    let one = spline(|x| x.tanh(), 16);
    assert_eq!(spline(|x| -x.tanh(), 16), one);
    assert_ne!(spline(|x| x.tanh(), 32).digest, one.digest, "more pieces");
    assert_ne!(spline(|x| 100.0 * x, 16).digest, one.digest, "wider values");
    let ge = shape(&near(Relation::Ge, 20));
    [Relation::Gt, Relation::Le, Relation::Lt].iter().for_each(|&r| assert_eq!(shape(&near(r, 20)), ge));
    assert_eq!(shape(&near(Relation::Eq, 20)), shape(&near(Relation::Ne, 20)));
    assert_eq!(shape(&near(Relation::Max, 20)), shape(&near(Relation::Min, 20)));
    for other in [near(Relation::Ge, 21), near(Relation::Eq, 20), near(Relation::Ge, 20).additive(16)] {
        assert_ne!(shape(&other).digest, ge.digest, "{other:?}");
    }
    let bands = |cuts| shape(&Bands::new(20, cuts, Objective::Total).unwrap());
    assert_eq!(bands(vec![1, 2, 3]), bands(vec![-100, 0, 5]));
    assert_ne!(bands(vec![1, 2, 3]).digest, bands(vec![1, 2]).digest);
    let lookups = |protocol, value_bits| {
        let (index, output) = (Sharing::Additive, Sharing::Additive);
        Lookup::blank(protocol, LookupJob { index, output, index_bits: 4, value_bits }).unwrap()
    };
    assert_ne!(shape(&lookups(Protocol::Rotl, 8)).digest, shape(&lookups(Protocol::Doubling, 8)).digest);
    assert_ne!(shape(&lookups(Protocol::Rotl, 8)).digest, shape(&lookups(Protocol::Rotl, 9)).digest);
    assert!(matches!(lookups(Protocol::OpLut, 8).shape(), Err(Error::Param { .. })), "it holds a table");
}

/// Rows of a batch have one party's gains in common, which no part of it can have alone.
#[test]
fn what_items_share_is_not_stored() {
    for owner in [Role::P0, Role::P1] {
        let said = ["nothing is stored for layer norm of 37 bits", "its items share material"];
        contains(&refusal(operations::norm(Some(owner)).shape()), &said);
    }
    assert!(operations::norm(None).shape().is_ok());
}

impl Site {
    fn make_for(&self, operation: &dyn Operation, items: u64, piece: usize) {
        let plan = Contents::new(operation, items).unwrap().in_files_of(piece);
        drop(self.make_by(&plan).unwrap());
    }

    /// What both parties get of a case whose first `stored` items come from the store, in two lanes.
    fn carry_out(&self, case: &Case, stored: usize) -> Result<Vec<i64>> {
        let operation = &*case.operation;
        let party = |p: &mut Party| -> Result<Vec<i64>> {
            let role = p.role();
            let mut store = self.open(role)?;
            store.fits(operation)?;
            store.agree(p)?;
            let half = stored / 2;
            let reserved = store.reserve_lanes(&[half, stored - half])?;
            let mut lanes = p.fork(2)?;
            let ready = reserved.into_iter().map(|r| Ready { reserved: Some(r), ..Ready::default() });
            let words = case.words(role, 0..ITEMS);
            let operands: Vec<&[u64]> = words.iter().map(|x| &x[..]).collect();
            let done = run::run(operation, &mut lanes, ready.collect(), &operands, Reveal::Both, &Unwatched)?;
            Ok(done.values().expect("both get the values"))
        };
        let (a, b) = self.run(party)?;
        assert_eq!(a, b);
        Ok(a)
    }
}

/// A store made for one function is spent by another: by lanes, in pieces, with some made on the way.
#[test]
fn what_has_its_shape_spends_the_store() {
    let site = Site::new();
    let tanh = over(Function::Tanh, 0.0, 16.0);
    site.make_for(&over(Function::Sigmoid, -8.0, 8.0), 64, 8);
    let x: Vec<i64> = numbers(1, 9);
    let value = |x: i64| (16.0 * (x as f64 / 16.0).clamp(0.0, 16.0).tanh()).round() as i64;
    let limits = |x: i64| if x < 0 { value(x) } else { value(x).max(0) };
    let case = Case { within: 1, ..unary(tanh, 32, x.iter().map(|x| x.abs()).collect(), limits) };
    let store = site.open(Role::P0).unwrap();
    let plan = Contents::new(&*case.operation, 64).unwrap();
    assert_eq!(plan.in_files_of(8).bytes() as usize, size(&site, Role::P0).max(size(&site, Role::P1)));
    contains(&store.about().text, &["functions by table of 256 entries, in 32 bits"]);
    drop(store);
    for (stored, left) in [(ITEMS, 24), (24, 0)] {
        case.check(&site.carry_out(&case, stored).unwrap());
        let stores = [Role::P0, Role::P1].map(|role| site.open(role).unwrap());
        stores.iter().for_each(|store| assert_eq!((store.left(), store.verify().unwrap()), (left, 0)));
    }
    contains(&refusal(site.carry_out(&case, 2)), &["0 items are left, 2 are needed"]);
}

/// Rows and products are handed out whole, whatever the lanes, the files and the batches: some from the store, in files
/// of 3 items, some made.
#[test]
fn what_belongs_together_is_spent_together() {
    for case in cases().iter().filter(|case| case.operation.result().words > 1) {
        let site = Site::new();
        site.make_for(&*case.operation, 34, 3);
        case.check(&site.carry_out(case, 31).unwrap_or_else(|e| panic!("{}: {e}", named(&*case.operation))));
        assert_eq!(site.open(Role::P0).unwrap().left(), 3);
    }
}

/// Bytes of a store, with a header and a journal of their greatest lengths.
fn size(site: &Site, role: Role) -> usize {
    let pieces = fs::read_dir(site.store_path(role)).unwrap().map(|entry| entry.unwrap());
    let pieces = pieces.filter(|entry| entry.path().extension().is_some_and(|e| e == "piece"));
    pieces.map(|entry| entry.metadata().unwrap().len() as usize).sum::<usize>() + 1024 + 32 + 32
}

#[test]
fn another_shape_is_refused_and_spends_nothing() {
    let site = Site::new();
    site.make_for(&over(Function::Sigmoid, -8.0, 8.0), 16, 16);
    let mut store = site.open(Role::P0).unwrap().insecure_agree_alone();
    let other = comparison(Relation::Ge, Objective::Total, CompareDomain::Near, None).operation;
    let said = [
        "bank.store: it holds material for functions by table of 256 entries, in 32 bits (shape ",
        "), not for comparisons of near numbers of 13 bits (shape ",
    ];
    contains(&refusal(store.fits(&*other)), &said);
    let mut reserved = store.reserve(4).unwrap();
    contains(&refusal(reserved.load(&*other, 4)), &said);
    assert_eq!(reserved.len(), 4);
    drop((reserved, store));
    assert_eq!(site.open(Role::P0).unwrap().left(), 16, "nothing was spent");
}

/// Material of each position is given out once, whatever operations of its shape ask for it.
#[test]
fn each_item_is_spent_once() {
    let site = Site::new();
    let job = CompareJob::new(40, CompareDomain::Near, Objective::Total).unwrap();
    let compare = |relation| Compare::of(relation, job);
    site.make_for(&compare(Relation::Ge), 24, 8);
    let mut seen = HashSet::new();
    for (i, relation) in [Relation::Ge, Relation::Lt, Relation::Le].into_iter().enumerate() {
        let mut store = site.open(Role::P0).unwrap().insecure_agree_alone();
        assert_eq!(store.cursor(), 6 * i as u64);
        let mut reserved = store.reserve(6).unwrap();
        while !reserved.is_empty() {
            for bytes in reserved.insecure_bytes(&compare(relation), 4).unwrap() {
                assert!(seen.insert(bytes.to_vec()), "the same material twice");
            }
        }
    }
    assert_eq!((seen.len(), site.open(Role::P0).unwrap().left()), (18, 6));
}
