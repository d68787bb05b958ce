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
            let link = link0.or(link1).unwrap_or(LinkShape::USUAL);
            let limits = Limits::new(scheme0.or(scheme1), &link, &Rates::REFERENCE);
            let wanted = Setting { limits, link, ..Setting::default() };
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
                let offer = Offer::new(&SessionWish::default().objective(objective), None);
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
                matches!(wanted.objective, Some(Objective::Bytes | Objective::Money))
            );
        }
    }
}

/// Each pays its own; who says nothing is taken to pay what the other does.
#[test]
fn prices_of_both_count() {
    let prices = |gigabyte| Prices::new(gigabyte, 0.04).expect("prices");
    let offer = |said: Option<Prices>| {
        let wish = said.map_or_else(SessionWish::default, |said| SessionWish::default().prices(said));
        Offer::of_peer(&Offer::new(&wish, None).to_bytes()).expect("an offer")
    };
    let (dear, cheap) = (prices(0.09), prices(0.0));
    for (p0, p1, wanted) in [
        (Some(dear), Some(cheap), [dear, cheap]),
        (Some(cheap), Some(dear), [cheap, dear]),
        (Some(cheap), None, [cheap; 2]),
        (None, Some(cheap), [cheap; 2]),
    ] {
        let [p0, p1] = [p0, p1].map(offer);
        let settled =
            [p0.settle(Role::P0, p1), p1.settle(Role::P1, p0)].map(|settled| settled.expect("a setting"));
        assert_eq!(settled, [Setting::default().prices(wanted); 2]);
    }
    assert_ne!(
        Setting::default().prices([dear; 2]).named(),
        Setting::default().prices([dear, cheap]).named()
    );
    assert_ne!(
        Setting::default().prices([dear; 2]).limits,
        Setting::default().prices([cheap; 2]).limits,
        "they decide"
    );
}

proptest::proptest! {
    /// Whatever two parties bring, both come to the same, of what both have; or both are refused.
    #[test]
    fn any_two_offers(
        schemes in proptest::array::uniform2(0usize..20),
        objectives in proptest::array::uniform2(0usize..12),
        links in proptest::array::uniform2((0u8..3, 0.01..1e6f64, 0u64..4000)),
        soft in proptest::array::uniform2(proptest::array::uniform4(1.0..200f64)),
        paid in proptest::array::uniform2((0.0..10f64, 0.0..10f64)),
        memory in proptest::array::uniform2(0u64..1 << 40),
    ) {
        let offers = [0, 1].map(|i| {
            let (kind, rate, trip) = links[i];
            let shape = LinkShape { mbit_per_s: Some(rate), rtt: std::time::Duration::from_millis(trip) };
            let link = [None, Some(LinkShape::LOOPBACK), Some(shape)][usize::from(kind)];
            let wish = SessionWish {
                scheme: Scheme::ALL.get(schemes[i]).copied(),
                link,
                rates: Rates { soft: soft[i], ..Rates::REFERENCE },
                memory: memory[i],
                objective: Objective::ALL.get(objectives[i]).copied(),
                prices: Prices::new(paid[i].0, paid[i].1).expect("prices"),
            };
            Offer::of_peer(&Offer::new(&wish, None).to_bytes()).expect("an offer")
        });
        let [p0, p1] = offers;
        match [p0.settle(Role::P0, p1), p1.settle(Role::P1, p0)] {
            [Ok(first), Ok(second)] => {
                proptest::prop_assert_eq!(first, second);
                proptest::prop_assert!(first.limits.are_limits());
            }
            [first, second] => proptest::prop_assert!(first.is_err() && second.is_err()),
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
        changed(48, &[6]),                 // nothing that can be least
        changed(49, &[1]),                 // prices, and no money to be least
        changed(48, &[&[5][..], &f64::NAN.to_le_bytes(), &[0; 8]].concat()),
        changed(48, &[&[5][..], &[0; 8], &(-1f64).to_le_bytes()].concat()),
        Offer::of_peer(&good[..64]),
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
