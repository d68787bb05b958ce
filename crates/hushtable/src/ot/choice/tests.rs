//! The choice against a search through all ways to make the OTs.

use super::*;

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

/// Seconds of a way, step by step.
fn seconds((soft, chain): (usize, &[usize]), count: usize, link: &LinkShape, rates: &Rates) -> f64 {
    let sending = |bits: f64| link.mbit_per_s.map_or(0.0, |mbit| bits / mbit / 1e6);
    let by_soft = |count: usize| {
        let count = count as f64;
        f64::max(count * rates.soft[soft] / 1e9, sending(count * f64::from((128 >> soft_log(soft)) - 1)))
    };
    let by_ferret = |level: usize, count: usize| {
        let (set, count) = (SETS[level], count as f64);
        let bits = 128.0 * (set.t * (set.depth as usize - 1)) as f64 / set.usable() as f64;
        f64::max(count * rates.ferret[level] / 1e9, sending(count * bits))
    };
    let Some((&first, rest)) = chain.split_first() else { return by_soft(count) };
    let mut total = by_soft(SETS[first].seeds()) + link.rtt.as_secs_f64() + rates.start[first];
    let mut now = first;
    for &next in rest {
        total += by_ferret(now, SETS[next].seeds()) + rates.start[next];
        now = next;
    }
    total + by_ferret(now, count)
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

#[test]
fn the_choice_is_the_least_of_all_predictions() {
    for rates in [Rates::REFERENCE, FAST] {
        for link in links() {
            let limits = Limits::new(None, &link, &rates);
            assert!(limits.are_sane(), "{limits}");
            let near_ends = limits.ends.into_iter().filter(|&end| end < 1 << 40);
            let near_ends = near_ends.flat_map(|end| [end - 1, end, end + 1, end + 2]);
            let counts = (10..=26).map(|log| 1 << log).chain(near_ends.map(|end| end as usize));
            for count in counts {
                let (soft, chain) = taken(&limits, count);
                let ours = seconds((soft, &chain), count, &link, &rates);
                let all = ways().map(|way| seconds(way, count, &link, &rates));
                let least = all.fold(f64::INFINITY, f64::min);
                assert!(ours <= least * (1.0 + 1e-9), "{link}, {count}: {ours} s by {limits}, not {least} s");
            }
        }
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
