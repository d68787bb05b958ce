//! The choice against a search through all ways to make the OTs.

use super::*;
use crate::bill::NEARLY;
use proptest::prelude::*;

/// Rates of which SoftSpoken's are those of a kernel that is bound by memory.
const FAST: Rates =
    Rates { soft: [11.5, 8.8, 6.2, 21.0], ferret: [9.6, 9.4, 9.0], start: [0.2e-3, 1e-3, 4e-3] };

fn links() -> Vec<LinkShape> {
    let simulated = ["10000:0.1", "3000:0.8", "1000:2", "100:50", "100:0", "10:80", "0.5:300"];
    let simulated = simulated.map(|text| text.parse().expect("a link"));
    [LinkShape::LOOPBACK].into_iter().chain(simulated).collect()
}

/// Every way: the subfield, and which sets are started one after the other.
fn ways() -> impl Iterator<Item = (usize, &'static [usize])> {
    const CHAINS: [&[usize]; 6] = [&[], &[0], &[1], &[0, 1], &[1, 2], &[0, 1, 2]];
    (0..4).flat_map(|soft| CHAINS.into_iter().map(move |chain| (soft, chain)))
}

/// Seconds and bytes of a way, step by step.
fn takes((soft, chain): (usize, &[usize]), count: usize, link: &LinkShape, rates: &Rates) -> [f64; 2] {
    let sending = |bits: f64| link.mbit_per_s.map_or(0.0, |mbit| bits / mbit / 1e6);
    let step = |ns: f64, bits: f64, count: usize| {
        let count = count as f64;
        [f64::max(count * ns / 1e9, sending(count * bits)), count * bits / 8.0]
    };
    let by_soft = |count: usize| step(rates.soft[soft], f64::from((128 >> soft_log(soft)) - 1), count);
    let by_ferret = |level: usize, count: usize| {
        let set = SETS[level];
        let bits = 128.0 * (set.t * (set.depth as usize - 1)) as f64 / set.usable() as f64;
        step(rates.ferret[level], bits, count)
    };
    let Some((&first, rest)) = chain.split_first() else { return by_soft(count) };
    let mut steps = vec![by_soft(SETS[first].seeds()), [link.rtt.as_secs_f64() + rates.start[first], 0.0]];
    let mut now = first;
    for &next in rest {
        steps.extend([by_ferret(now, SETS[next].seeds()), [rates.start[next], 0.0]]);
        now = next;
    }
    steps.push(by_ferret(now, count));
    [0, 1].map(|part| steps.iter().map(|step| step[part]).sum())
}

fn soft_log(soft: usize) -> u32 {
    SUBFIELDS[soft].ilog2()
}

/// The way that limits take.
fn taken(limits: &Limits, count: usize) -> (usize, Vec<usize>) {
    let soft = SUBFIELDS.iter().position(|&k| k == limits.k).expect("a subfield");
    let chain = limits
        .level(count)
        .map_or(Vec::new(), |target| (0..=target).filter(|&level| !limits.skips(level, target)).collect());
    (soft, chain)
}

/// What limits take is nearly as fast as the fastest of all ways; and of what they could take instead, starting in the same
/// way, nothing that is nearly as fast, for more OTs too, sends less.
fn check(link: &LinkShape, rates: &Rates) {
    let limits = Limits::new(None, link, rates);
    assert!(limits.are_sane(), "{limits}");
    let near_ends = limits.ends.into_iter().filter(|&end| end < 1 << 40);
    let near_ends = near_ends.flat_map(|end| [end - 1, end, end + 1, end + 2]);
    let counts = (10..=26).map(|log| 1 << log).chain(near_ends.map(|end| end as usize));
    for count in counts {
        let (soft, chain) = taken(&limits, count);
        let ours = takes((soft, &chain), count, link, rates);
        let all = ways().map(|way| takes(way, count, link, rates)[0]);
        let most = NEARLY * all.fold(f64::INFINITY, f64::min) * (1.0 + 1e-9);
        let says = || format!("{link}, {rates:?}, {count}: {ours:?} by {limits}, at most {most} s");
        assert!(ours[0] <= most, "{}", says());
        let near = |chain: &[usize], count: usize| {
            let all = ways().map(|way| takes(way, count, link, rates)[0]);
            takes((soft, chain), count, link, rates)[0] < all.fold(f64::INFINITY, f64::min) * (NEARLY - 1e-6)
        };
        for target in [None, Some(0), Some(1), Some(2)] {
            let chain: Vec<_> =
                target.map_or(vec![], |end| (0..=end).filter(|&l| !limits.skips(l, end)).collect());
            let less = takes((soft, &chain), count, link, rates)[1] < ours[1] * (1.0 - 1e-9);
            let stays =
                target <= limits.level(count) || (20..48).all(|log| near(&chain, count.max(1 << log)));
            assert!(!(less && stays && near(&chain, count)), "{}: {chain:?}", says());
        }
    }
}

#[test]
fn the_choice_sends_least_of_what_is_nearly_as_fast() {
    for rates in [Rates::REFERENCE, FAST] {
        links().iter().chain([&LinkShape::USUAL]).for_each(|link| check(link, &rates));
    }
}

proptest! {
    /// On any machines, over any link.
    #[test]
    fn so_does_any_other(
        soft in prop::array::uniform4(2.0..100f64),
        ferret in prop::array::uniform3(2.0..100f64),
        start in prop::array::uniform3(1e-5..1e-2),
        rate in prop::option::of(-1.0..5f64),
        trip in 0u64..200_000,
    ) {
        let mbit_per_s = rate.map(|log: f64| 10f64.powf(log));
        let link = LinkShape { mbit_per_s, rtt: std::time::Duration::from_micros(trip) };
        check(&link, &Rates { soft, ferret, start });
    }
}

/// Without anything said, many OTs come from Ferret, inside a machine too.
#[test]
fn an_unknown_link_takes_few_bytes() {
    let limits = Limits::new(None, &LinkShape::USUAL, &Rates::REFERENCE);
    assert_eq!((limits.level(1000), limits.level(1 << 20)), (None, Some(1)), "{limits}");
}

/// Where bytes are to be least no way sends fewer, and money lies between: as bytes where cores cost nothing, as time where
/// bytes do.
#[test]
fn what_is_to_be_least_counts() {
    let (rates, link) = (Rates::REFERENCE, LinkShape::USUAL);
    let of = |objective, prices| Limits::aimed(None, &link, &rates, &Aim { objective, prices: [prices; 2] });
    let [bytes_only, cores_only] =
        [[1.0, 0.0], [0.0, 1.0]].map(|[gigabyte, hour]| Prices::new(gigabyte, hour).expect("prices"));
    let bytes = of(Objective::Bytes, Prices::USUAL);
    assert_eq!(of(Objective::Money, bytes_only), bytes);
    for log in 13..=26 {
        let (soft, chain) = taken(&bytes, 1 << log);
        let ours = takes((soft, &chain), 1 << log, &link, &rates)[1];
        let least = ways().map(|way| takes(way, 1 << log, &link, &rates)[1]).fold(f64::INFINITY, f64::min);
        assert!(log < 24 || ours <= least * (1.0 + 1e-9), "2^{log}: {ours} bytes by {bytes}, not {least}");
        let (soft, chain) = taken(&of(Objective::Money, cores_only), 1 << log);
        let ours = takes((soft, &chain), 1 << log, &link, &rates)[0];
        let least = ways().map(|way| takes(way, 1 << log, &link, &rates)[0]).fold(f64::INFINITY, f64::min);
        assert!(ours <= least * (1.0 + 1e-9) || log < 20, "2^{log}: {ours} s, not {least}");
    }
}

#[test]
fn slow_links_take_fewer_bytes() {
    let at = |link: &LinkShape, log: u32| Limits::new(None, link, &FAST).level(1 << log);
    let [loopback, fast, lan, wan] =
        [LinkShape::LOOPBACK, "10000:0.1".parse().unwrap(), LinkShape::LAN, LinkShape::WAN];
    for log in 10..=26 {
        assert_eq!([at(&loopback, log), at(&fast, log)], [None; 2], "2^{log}");
    }
    for link in [lan, wan] {
        assert_eq!(at(&link, 10), None, "few");
        assert!(at(&link, 26).is_some_and(|level| level > 0), "many");
    }
    assert_eq!(at(&wan, 30), Some(2), "the largest set pays");
    assert_eq!(Limits::new(None, &LinkShape::LOOPBACK, &FAST).k, 4);
    assert_eq!(Limits::new(None, &wan, &FAST).k, 8);
}

#[test]
fn what_is_asked_for_is_taken_on_every_link() {
    for scheme in Scheme::ALL {
        let all = links()
            .into_iter()
            .flat_map(|link| [Rates::REFERENCE, FAST].map(|rates| Limits::new(Some(scheme), &link, &rates)));
        let all: Vec<Limits> = all.collect();
        assert!(all.iter().all(|limits| limits == &all[0] && limits.are_limits()));
        let level = [1, 1 << 18, (1 << 18) + 1, 1 << 28].map(|count| all[0].level(count));
        assert_eq!(
            level,
            match scheme {
                Scheme::Ferret => [Some(0), Some(0), Some(1), Some(1)],
                Scheme::FerretLarge => [Some(2); 4],
                _ => [None; 4],
            }
        );
    }
}

#[test]
fn nothing_is_never_too_many() {
    for scheme in Scheme::ALL.into_iter().map(Some).chain([None]) {
        assert_eq!(Limits::new(scheme, &LinkShape::WAN, &FAST).level(0), None);
    }
}
