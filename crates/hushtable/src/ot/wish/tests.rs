//! Offers as they travel, and what two of them come to.

use super::*;

fn offer(scheme: Option<Scheme>, link: Option<LinkShape>) -> Offer {
    Offer::new(&SessionWish::from(scheme), link)
}

#[test]
fn offers_arrive_as_they_were() {
    for scheme in Scheme::ALL.into_iter().map(Some).chain([None]) {
        for link in [None, Some(LinkShape::LOOPBACK), Some(LinkShape::WAN)] {
            let sent = offer(scheme, link);
            let bytes = sent.to_bytes();
            assert_eq!(bytes.len(), Offer::LEN);
            assert_eq!(Offer::of_peer(&bytes).expect("an offer"), sent);
        }
    }
}

/// Every party's wish and knowledge against every other's: both come to the same, by the rule.
#[test]
fn both_come_to_the_same() {
    let schemes = [None, Some(Scheme::Iknp), Some(Scheme::Ferret)];
    let links = [None, Some(LinkShape::LOOPBACK), Some(LinkShape::WAN)];
    let all: Vec<_> = schemes.into_iter().flat_map(|scheme| links.map(|link| (scheme, link))).collect();
    for &(scheme0, link0) in &all {
        for &(scheme1, link1) in &all {
            let [p0, p1] = [offer(scheme0, link0), offer(scheme1, link1)];
            let (first, second) = (p0.settle(Role::P0, p1), p1.settle(Role::P1, p0));
            if scheme0.is_some() && scheme1.is_some() && scheme0 != scheme1 {
                for (refused, [ours, theirs]) in [(first, [scheme0, scheme1]), (second, [scheme1, scheme0])] {
                    let text = refused.expect_err("they differ").to_string();
                    let [ours, theirs] = [ours, theirs].map(|scheme| scheme.expect("one").to_string());
                    let wanted =
                        format!("the parties disagree on OT extension: here {ours}, at the peer {theirs}");
                    assert_eq!(text, wanted);
                }
                continue;
            }
            let link = link0.or(link1).unwrap_or(UNKNOWN);
            let limits = Limits::new(scheme0.or(scheme1), &link, &Rates::REFERENCE);
            let wanted = Setting { limits, link, memory: MEMORY, objective: None };
            assert_eq!([first.unwrap(), second.unwrap()], [wanted; 2], "{p0:?}, {p1:?}");
        }
    }
}

/// Batches fit both parties.
#[test]
fn the_lesser_memory_is_taken() {
    let offer = |memory| Offer::new(&SessionWish::default().memory(memory), None);
    for (p0, p1, wanted) in
        [(1 << 30, 33 << 20, 33 << 20), (50 << 20, 1 << 40, 50 << 20), (0, 1 << 30, 32 << 20)]
    {
        let [p0, p1] = [p0, p1].map(offer);
        let sent = Offer::of_peer(&p1.to_bytes()).expect("an offer");
        assert_eq!(p0.settle(Role::P0, sent).unwrap().memory, wanted);
        assert_eq!(p1.settle(Role::P1, p0).unwrap().memory, wanted);
    }
}

/// What either makes least is taken, with the extension that suits it; what differs is refused, in words.
#[test]
fn what_is_to_be_least_is_settled() {
    let all = || [None].into_iter().chain(Objective::ALL.map(Some));
    for ours in all() {
        for theirs in all() {
            let offer = |objective| {
                let link = Some(LinkShape::LOOPBACK);
                let offer = Offer::new(&SessionWish::default().objective(objective), link);
                Offer::of_peer(&offer.to_bytes()).expect("an offer")
            };
            let [p0, p1] = [ours, theirs].map(offer);
            let (first, second) = (p0.settle(Role::P0, p1), p1.settle(Role::P1, p0));
            if let (Some(one), Some(other)) = (ours, theirs)
                && one != other
            {
                let text = first.expect_err("they differ").to_string();
                assert!(text.contains(one.name()) && text.contains(other.name()), "{text}");
                second.expect_err("they differ");
                continue;
            }
            let wanted = Setting::default().objective(ours.or(theirs));
            assert_eq!([first.unwrap(), second.unwrap()], [wanted; 2], "{ours:?}, {theirs:?}");
            assert_eq!(
                wanted.limits != Setting::default().limits,
                wanted.objective == Some(Objective::Bytes)
            );
        }
    }
}

#[test]
fn strange_offers_are_refused() {
    let good = offer(None, Some(LinkShape::WAN)).to_bytes();
    let changed = |at: usize, to: &[u8]| {
        let mut bytes = good.clone();
        bytes[at..at + to.len()].copy_from_slice(to);
        Offer::of_peer(&bytes)
    };
    for number in [7, 255] {
        assert!(matches!(changed(0, &[number]), Err(Error::Handshake { .. })), "{number}");
    }
    let seeds = super::super::params::S.seeds() as u64;
    let strange = [
        changed(1, &[2]),
        changed(2, &[3]),
        changed(2, &[0]),
        changed(2, &[16]),
        changed(3, &[2]),
        changed(4, &u64::MAX.to_le_bytes()), // SoftSpoken for more than set S
        changed(4, &0u64.to_le_bytes()),
        changed(4, &(seeds - 1).to_le_bytes()),
        changed(20, &0u64.to_le_bytes()),
        changed(28, &5_000_000_000u64.to_le_bytes()), // nanoseconds of a round trip
        changed(36, &f64::NAN.to_le_bytes()),
        changed(36, &f64::INFINITY.to_le_bytes()),
        changed(36, &(-1f64).to_le_bytes()),
        changed(36, &2e6f64.to_le_bytes()),
        changed(44, &31u32.to_le_bytes()), // too little memory
        changed(48, &[5]),                 // nothing that can be least
        Offer::of_peer(&good[..47]),
        Offer::of_peer(&[&good[..], &[0]].concat()),
        Offer::of_peer(&[]),
    ];
    for (i, offer) in strange.into_iter().enumerate() {
        assert!(matches!(offer, Err(Error::Peer(_))), "{i}");
    }
    assert!(changed(4, &seeds.to_le_bytes()).is_ok());
}

#[test]
fn numbers_on_the_wire_are_their_own() {
    for scheme in Scheme::ALL {
        assert_eq!(Scheme::of_number(scheme.number()), Some(scheme));
        assert_eq!(scheme.name().parse::<Scheme>().expect("its name"), scheme);
    }
    assert_eq!(Scheme::of_number(OPEN), None);
    assert!("softspoken".parse::<Scheme>().is_err());
}
