//! Operations are done by what suits the link, the same at both parties.

use hushtable::{
    Role,
    arith::{CompareDomain, CompareJob, LayerJob, LinearJob, LinearShape, MatrixShape, Objective},
    lut::{LookupJob, Protocol},
    math::{GeluJob, Precision, SoftmaxJob},
    net::LinkShape,
    operation::{Bands, Compare, Linear, Lookup, Operation, Products, Relation, Select, batch, choose},
    ot::Setting,
    plan::{self, Machine, Wanted},
    share::Sharing,
};

use proptest::prelude::*;
use std::time::Duration;

const ALL: [i64; 2] = [i32::MIN as i64, i32::MAX as i64];

/// What is taken is nearly as fast as the fastest way, and of these none sends less.
fn check_rule(operation: &dyn Operation, items: usize, under: &Setting) {
    let all = operation.ways(None).unwrap().expect("a choice").all;
    let weigh = |way: &dyn Operation| {
        let wanted = Wanted::new(Objective::Total, under.link, Machine::REFERENCE);
        let predicted = plan::rank([((), way.effort(items, under).unwrap())], &wanted).remove(0);
        [Objective::Total, Objective::Bytes].map(|of| predicted.value(of))
    };
    let [seconds, bytes] = weigh(choose(operation, items, under).unwrap().expect("a choice").as_ref());
    let all: Vec<_> = all.iter().map(|way| weigh(way.as_ref())).collect();
    let least = all.iter().map(|way| way[0]).fold(f64::INFINITY, f64::min);
    assert!(seconds <= plan::NEARLY * least, "{}, {items}: {seconds} of {all:?}", operation.name());
    let less = |way: &&[f64; 2]| way[0] <= plan::NEARLY * least && way[1] < bytes;
    assert_eq!(all.iter().find(less), None, "{}, {items}: {bytes} bytes", operation.name());
}

proptest! {
    /// Whatever is asked, over whatever link.
    #[test]
    fn one_rule_chooses(
        bits in 2u32..65, relation in 0usize..8, near in any::<bool>(), log in 0u32..21, rate in 0.0..5f64, micros in 0u64..50_000,
    ) {
        let domain = if near { CompareDomain::Near } else { CompareDomain::Signed };
        let job = CompareJob::new(bits, domain, Objective::Total).unwrap();
        let compare = Compare::of(Relation::ALL[relation], job).chosen_for(Objective::Total);
        let link = LinkShape { mbit_per_s: Some(10f64.powf(rate)), rtt: Duration::from_micros(micros) };
        check_rule(&compare, 1 << log, &Setting::over(link));
    }
}

#[test]
fn the_rule_chooses_forms_of_functions() {
    let gelu = GeluJob { batch: 1, ..GeluJob::new(37, 12) };
    for link in [LinkShape::USUAL, LinkShape::LAN, LinkShape::WAN] {
        check_rule(&gelu, 100_000, &Setting::over(link));
    }
}

/// Many comparisons over a slow link wait for their bytes; where a link takes no time nothing changes.
#[test]
fn slow_links_take_fewer_bytes() {
    let slow: LinkShape = "10:20".parse().unwrap();
    let compare = Compare::new(Relation::Lt, [32, 0], ALL, ALL, Objective::Total).unwrap();
    let bands = Bands::new(32, vec![0, 10], Objective::Total).unwrap();
    let all: [&dyn Operation; 2] = [&compare, &bands];
    for operation in all {
        let over = |link, items| choose(operation, items, &Setting::over(link)).unwrap().expect("a choice");
        assert_eq!(over(LinkShape::LOOPBACK, 1_000_000).fields(), operation.fields());
        let way = over(slow, 1_000_000);
        let all_bytes = |of: &dyn Operation| of.bill(1_000_000, &Setting::default()).unwrap().bytes();
        assert!(1.5 * all_bytes(way.as_ref()) < all_bytes(operation), "{:?}", way.fields());
        assert_eq!(way.result(), operation.result());
        // What was done for another link does not count.
        let loopback = Setting::over(LinkShape::LOOPBACK);
        let back = choose(way.as_ref(), 1_000_000, &loopback).unwrap().expect("a choice");
        assert_eq!(back.fields(), operation.fields());
    }
}

/// Few rounds over a slow link, where material is made before and numbers are known to be small; elsewhere nothing changes.
#[test]
fn slow_links_take_fewer_rounds() {
    let job = |range, objective| GeluJob { magnitude: Some(7), range, objective, ..GeluJob::new(37, 12) };
    let (small, large) = (Some([-20_000, 28_000]), Some([-400_000, 28_000]));
    for objective in [Objective::Total, Objective::Online] {
        let job = job(small, objective);
        for (link, items) in [(LinkShape::LOOPBACK, 1000), (LinkShape::LAN, 1_000_000)] {
            let way = choose(&job, items, &Setting::over(link)).unwrap().expect("a choice");
            assert_eq!(way.fields(), job.fields(), "{link}");
        }
    }
    let over_wan = |job: GeluJob, items| {
        let way = choose(&job, items, &Setting::over(LinkShape::WAN)).unwrap().expect("a choice");
        assert_eq!(way.result(), job.result());
        let rounds = way.bill(items, &Setting::default()).unwrap().online.rounds;
        (way.method(), rounds)
    };
    assert_eq!(over_wan(job(small, Objective::Online), 1000), ("a table of 32768 entries".into(), 2));
    assert_eq!(over_wan(job(small, Objective::Total), 1000), ("256 lines".into(), 8));
    // Local work counts: reading long tables takes longer than rounds, if there are many numbers.
    assert_eq!(over_wan(job(small, Objective::Online), 1_000_000), ("256 lines".into(), 8));
    assert_eq!(over_wan(job(large, Objective::Online), 1000).0, "256 lines");
    let network = GeluJob { precision: Precision::Network, ..job(small, Objective::Online) };
    assert_eq!(over_wan(network, 1000), ("a table of 8192 entries".into(), 2));
}

/// Other objectives than time say what they want; a plan that was asked for stays.
#[test]
fn what_was_asked_for_stays() {
    let (link, items) = ("10:20".parse().unwrap(), 1_000_000);
    for objective in [Objective::Bytes, Objective::Rounds] {
        let compare = Compare::new(Relation::Lt, [32, 0], ALL, ALL, objective).unwrap();
        assert_eq!(
            choose(&compare, items, &Setting::over(link)).unwrap().unwrap().method(),
            compare.method()
        );
    }
    let asked =
        Compare::of(Relation::Lt, CompareJob::new(32, CompareDomain::Near, Objective::Total).unwrap());
    assert!(choose(&asked, items, &Setting::over(link)).unwrap().is_none());
}

/// Functions of tensors and products with known numbers are done as the link likes best, and inside a machine as they say.
#[test]
fn tensors_take_fewer_bytes_over_slow_links() {
    let slow: LinkShape = "10:20".parse().unwrap();
    let softmax = SoftmaxJob { rows: 1, ..SoftmaxJob::new(64, 37, 12) };
    let gelu = GeluJob { batch: 1, ..GeluJob::new(37, 12) };
    let shape = MatrixShape { batch: 1, rows: 128, inner: 768, columns: 3072 };
    let map = LinearJob { shape: LinearShape::Matrices(shape), bits: 37, number_bits: 15, owner: Role::P0 };
    let linear = Linear::new(LayerJob::new(map, 12).unwrap(), None).unwrap();
    let all: [(&dyn Operation, usize, f64); 3] =
        [(&softmax, 20_000, 1.15), (&gelu, 1_000_000, 1.3), (&linear, 1, 1.0)];
    for (operation, items, less) in all {
        let name = operation.name();
        let under = |link, objective| Setting::over(link).objective(objective);
        let chosen = |under: &Setting| choose(operation, items, under).unwrap().expect("a choice");
        let bytes = |of: &dyn Operation| of.bill(items, &Setting::default()).unwrap().bytes();
        let usual = chosen(&under(LinkShape::LOOPBACK, None));
        assert_eq!(usual.fields(), operation.fields());
        let few = chosen(&under(slow, None));
        assert!(
            less * bytes(few.as_ref()) <= bytes(operation),
            "{name}: {}, {}",
            bytes(few.as_ref()),
            bytes(operation)
        );
        // A session in which bytes are to be least takes no more over any link, and one for time is as if nothing were said.
        let least = chosen(&under(LinkShape::LOOPBACK, Some(Objective::Bytes)));
        assert!(bytes(least.as_ref()) <= bytes(few.as_ref()), "{name}");
        let time = chosen(&under(LinkShape::LOOPBACK, Some(Objective::Total)));
        assert_eq!(time.fields(), operation.fields());
        assert_eq!((few.signature(), few.result()), (operation.signature(), operation.result()));
    }
}

/// What a session makes least goes before what an operation would.
#[test]
fn a_session_says_what_is_least() {
    let fewest = |objective, of: &dyn Operation| {
        let under = Setting::default().objective(objective);
        choose(of, 1000, &under).unwrap().expect("a choice").bill(1000, &under).unwrap()
    };
    let compare = |objective| Compare::new(Relation::Lt, [32, 0], ALL, ALL, objective).unwrap();
    for objective in Objective::ALL {
        let of = compare(objective);
        let [own, rounds, bytes] =
            [None, Some(Objective::Rounds), Some(Objective::Bytes)].map(|wish| fewest(wish, &of));
        assert!(rounds.online.rounds <= own.online.rounds && bytes.bytes() <= own.bytes(), "{objective:?}");
        assert_eq!(fewest(Some(objective), &compare(Objective::Total)), fewest(None, &of), "{objective:?}");
    }
}

/// Batches stay in the cache where that gains much and waits little: of much memory for their time, over a fast link.
#[test]
fn batches_are_cut_for_the_cache() {
    const CACHE: u64 = 24 << 20;
    let bits = |n| LookupJob { index: Sharing::Xor, output: Sharing::Xor, index_bits: n, value_bits: n };
    let lookups = Lookup::blank(Protocol::Doubling, bits(8)).unwrap();
    let select = Select { bits: 64 };
    let size = |of: &dyn Operation, items, link, memory| {
        batch(of, items, &Setting::over(link).memory(memory)).unwrap()
    };
    let memory = |of: &dyn Operation, items| {
        of.effort(items, &Setting::default()).unwrap().memory.into_iter().max().unwrap()
    };
    const MUCH: u64 = 256 << 20;
    let cut = size(&lookups, 1 << 22, LinkShape::LOOPBACK, MUCH);
    assert!(memory(&lookups, cut) <= CACHE && memory(&lookups, cut + cut / 8) > CACHE, "{cut}");
    // All that fit, however many more there are.
    assert_eq!(size(&lookups, 1 << 23, LinkShape::LOOPBACK, MUCH), cut);
    assert_eq!(size(&lookups, cut / 2, LinkShape::LOOPBACK, MUCH), cut / 2);
    for link in ["1000:5ms".parse().unwrap(), LinkShape::WAN] {
        let whole = size(&lookups, 1 << 22, link, MUCH);
        assert!(memory(&lookups, whole) > 200 << 20 && memory(&lookups, whole) <= MUCH, "{link}: {whole}");
    }
    // Less memory than the cache counts; so does one that is larger alone.
    let few = size(&lookups, 1 << 22, LinkShape::LOOPBACK, 8 << 20);
    assert!(memory(&lookups, few) <= 8 << 20 && few < cut, "{few}");
    let large = Products {
        shape: MatrixShape { batch: 1, rows: 500, inner: 500, columns: 500 },
        bits: 64,
        objective: Objective::Total,
    };
    assert!(memory(&large, 1) > CACHE);
    assert_eq!(size(&large, 2, LinkShape::LOOPBACK, MUCH), 2);
    assert_eq!([0, 1].map(|items| size(&select, items, LinkShape::LOOPBACK, MUCH)), [0, 1]);
}
