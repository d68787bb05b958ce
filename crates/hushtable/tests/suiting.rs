//! Operations are done by what suits the link, the same at both parties.

use hushtable::{
    arith::{CompareDomain, CompareJob, Objective},
    net::LinkShape,
    operation::{Bands, Compare, Operation, Relation, choose},
    ot::Setting,
};

const ALL: [i64; 2] = [i32::MIN as i64, i32::MAX as i64];

/// Many comparisons over a slow link wait for their bytes; inside a machine nothing changes.
#[test]
fn slow_links_take_fewer_bytes() {
    let slow: LinkShape = "10:20".parse().unwrap();
    let compare = Compare::new(Relation::Lt, [32, 0], ALL, ALL, Objective::Total).unwrap();
    let bands = Bands::new(32, vec![0, 10], Objective::Total).unwrap();
    let all: [&dyn Operation; 2] = [&compare, &bands];
    for operation in all {
        let over = |link, items| choose(operation, items, &Setting::over(link)).unwrap().expect("a choice");
        assert_eq!(over(LinkShape::LOOPBACK, 1_000_000).fields(), operation.fields());
        assert_eq!(over(LinkShape::LAN, 1_000_000).fields(), operation.fields());
        assert_eq!(over(slow, 1).fields(), operation.fields());
        let way = over(slow, 1_000_000);
        let all_bytes = |of: &dyn Operation| of.bill(1_000_000, &Setting::default()).unwrap().bytes();
        assert!(1.5 * all_bytes(way.as_ref()) < all_bytes(operation), "{:?}", way.fields());
        assert_eq!(way.result(), operation.result());
        // What was done for another link does not count.
        let back = choose(way.as_ref(), 1_000_000, &Setting::default()).unwrap().expect("a choice");
        assert_eq!(back.fields(), operation.fields());
    }
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
