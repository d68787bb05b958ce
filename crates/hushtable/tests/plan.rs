//! Choices by prediction.

use hushtable::{
    Result,
    lut::{LookupJob, Protocol},
    net::LinkShape,
    plan::{self, Machine, NEARLY, Objective, Prediction, Prices, Wanted},
    share::Sharing,
};

const JOB: LookupJob =
    LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits: 8, value_bits: 64 };
/// The protocols for so many lookups, the best first.
fn plan(
    job: &LookupJob,
    batch: usize,
    link: &LinkShape,
    machine: &Machine,
    objective: Objective,
) -> Result<Vec<Prediction<Protocol>>> {
    Ok(plan::rank(Protocol::ways(job, batch)?, &Wanted::new(objective, *link, *machine)))
}

/// The one to take.
fn choose(job: &LookupJob, batch: usize, link: LinkShape, objective: Objective) -> Protocol {
    let wanted = Wanted::new(objective, link, Machine::REFERENCE);
    plan::choose(Protocol::ways(job, batch).unwrap(), &wanted).unwrap()
}

#[test]
fn the_first_is_the_least() {
    for index_bits in [1, 2, 4, 8, 12, 16, 20] {
        for value_bits in [1, 8, 64] {
            for batch in [1, 100, 1_000_000] {
                for link in [LinkShape::LOOPBACK, LinkShape::LAN, LinkShape::WAN] {
                    for objective in Objective::ALL {
                        let job = LookupJob { index_bits, value_bits, ..JOB };
                        let all = plan(&job, batch, &link, &Machine::REFERENCE, objective).unwrap();
                        let value = |p: &Prediction<Protocol>| p.value(objective);
                        let values: Vec<f64> = all.iter().map(value).collect();
                        assert!(values[1..].is_sorted() && values.iter().all(|v| v.is_finite() && *v > 0.0));
                        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
                        let most = if objective.is_of_time() { NEARLY * least } else { least };
                        assert!(values[0] <= most);
                        let bytes = |p: &&Prediction<Protocol>| p.value(Objective::Bytes);
                        let near = all.iter().filter(|p| value(p) <= most);
                        let fewest = near.map(|p| bytes(&p)).fold(f64::INFINITY, f64::min);
                        assert!(!objective.is_of_time() || bytes(&&all[0]) == fewest);
                        assert_eq!(choose(&job, batch, link, objective), all[0].way);
                    }
                }
            }
        }
    }
}

/// What both pay, each for what it sends and for its core.
#[test]
fn money_is_that_of_both() {
    let [dear, cheap] = [1.0, 0.1].map(|gigabyte| Prices::new(gigabyte, 36.0).unwrap());
    let machine = Machine::REFERENCE.prices([dear, cheap]);
    let all = plan(&JOB, 1_000_000, &LinkShape::USUAL, &machine, Objective::Money).unwrap();
    let money: Vec<f64> = all.iter().map(|p| p.value(Objective::Money)).collect();
    assert!(money.is_sorted(), "{money:?}");
    for p in &all {
        let sent =
            [0, 1].map(|party| [p.setup, p.offline, p.online].iter().map(|e| e.bytes[party]).sum::<f64>());
        let core = p.value(Objective::Total) * 0.01;
        let wanted = [sent[0] * 1e-9 + core, sent[1] * 1e-10 + core];
        assert!((0..2).all(|party| (p.dollars()[party] - wanted[party]).abs() < 1e-12), "{}", p.way);
    }
}

#[test]
fn a_slow_link_never_makes_a_large_table_travel() {
    for objective in Objective::ALL {
        let job = LookupJob { index_bits: 12, ..JOB };
        let chosen = choose(&job, 100_000, LinkShape::WAN, objective);
        assert!(!matches!(chosen, Protocol::SpLut | Protocol::Doubling), "{objective:?}: {chosen}");
    }
}

#[test]
fn of_as_many_rounds_the_soonest_is_taken() {
    let all = plan(&JOB, 1000, &LinkShape::LAN, &Machine::REFERENCE, Objective::Rounds).unwrap();
    let keys: Vec<(u32, f64)> = all.iter().map(|p| (p.online.rounds, p.value(Objective::Total))).collect();
    assert!(keys.is_sorted(), "{keys:?}");
    assert_eq!((keys[0].0, keys[all.len() - 1].0), (1, 2), "protocols differ in rounds");
}

/// Each rate counts, and for no protocol do predictions fall where one gets slower.
#[test]
fn every_rate_counts() {
    let online = |machine: Machine, link: &LinkShape| {
        let all = plan(&JOB, 1_000_000, link, &machine, Objective::Total).unwrap();
        let mut times: Vec<_> = all.iter().map(|p| (p.way, p.offline.seconds + p.online.seconds)).collect();
        times.sort_by_key(|time| time.0);
        times
    };
    let figures = Machine::REFERENCE.figures();
    let gigabit = LinkShape { mbit_per_s: Some(1000.0), ..LinkShape::LOOPBACK };
    // All local work, and of correlated OTs those that serve over the link.
    let local = ["hash", "word", "byte", "wire", "soft4_ot"].map(|name| (name, &LinkShape::LOOPBACK));
    for (name, link) in local.into_iter().chain([("large_ot", &gigabit)]) {
        let rate = Machine::NAMES.iter().position(|&known| known == name).expect("a figure");
        let mut slow = figures;
        slow[rate] *= 3.0;
        let pairs = online(Machine::REFERENCE, link).into_iter().zip(online(Machine::from(slow), link));
        let later = pairs.map(|(fast, slow)| {
            assert!(fast.0 == slow.0 && fast.1 <= slow.1, "{}: {name}", fast.0);
            fast.1 < slow.1
        });
        assert!(later.filter(|&later| later).count() >= 5, "{name} hardly counts");
    }
}

#[test]
fn more_work_takes_longer() {
    let total = |batch: usize, link: LinkShape, machine: Machine| -> Vec<(Protocol, f64)> {
        let mut all = plan(&JOB, batch, &link, &machine, Objective::Total).unwrap();
        all.sort_by_key(|p| p.way);
        all.iter().map(|p| (p.way, p.value(Objective::Total))).collect()
    };
    let reference = Machine::REFERENCE;
    // In all respects: where the link is slowest, a slower hash alone changes nothing.
    let slow = Machine::from(reference.figures().map(|figure| 3.0 * figure));
    let base = total(1_000_000, LinkShape::LAN, reference);
    for longer in [
        total(4_000_000, LinkShape::LAN, reference),
        total(1_000_000, LinkShape::WAN, reference),
        total(1_000_000, LinkShape::LAN, slow),
    ] {
        for ((protocol, base), (same, longer)) in base.iter().zip(longer) {
            assert!(*protocol == same && *base < longer, "{protocol}: {base} s, then {longer} s");
        }
    }
}

#[test]
fn what_no_protocol_serves_is_an_error() {
    let planned =
        |job: LookupJob, batch| plan(&job, batch, &LinkShape::LAN, &Machine::REFERENCE, Objective::Total);
    assert!(planned(JOB, 0).unwrap_err().to_string().contains("lookups: 0"));
    let error = planned(LookupJob { index_bits: 21, ..JOB }, 1).unwrap_err().to_string();
    assert!(error.contains("1 to 20"), "{error}");
    assert!(planned(LookupJob { value_bits: 65, ..JOB }, 1).unwrap_err().to_string().contains("1 to 64"));
}
