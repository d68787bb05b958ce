//! How far stores are spent, at both parties and by several lanes.

use crate::support::stores;

use hushtable::{Party, Role, lut::Protocol, onehot::Cyclic, share::Additive};
use stores::{JOB, blank, contains, load, made, refusal};

#[test]
fn both_move_to_the_larger_cursor() {
    let site = made();
    // P0 handed 7 lookups out and then lost its peer.
    site.load_alone(Role::P0, 7);
    site.spend::<Cyclic, Additive, u16>(&JOB, 40, 64).unwrap();
    for role in [Role::P0, Role::P1] {
        let store = site.open(role).unwrap();
        assert_eq!((store.cursor(), store.left(), store.verify().unwrap()), (47, 53, 0));
        let present = (0..4).map(|i| site.store_path(role).join(format!("{i:06}.piece")).exists());
        assert_eq!(present.collect::<Vec<_>>(), [false, true, true, true], "what is spent is removed");
    }
    // P1 alone hands everything out: nothing is left for a session.
    site.load_alone(Role::P1, 53);
    let text = refusal(site.spend::<Cyclic, Additive, u16>(&JOB, 1, 1));
    contains(&text, &["0 lookups are left, 1 are needed"]);
    assert_eq!(site.open(Role::P0).unwrap().left(), 53, "what a peer says alone uses nothing up");
    let refused = site.open(Role::P0).unwrap().reserve(1).map(drop).expect_err("nobody agreed").to_string();
    contains(&refused, &["agree with the peer"]);
}

#[test]
fn agreeing_takes_two_rounds() {
    let site = made();
    let agree = |p: &mut Party| {
        let mut store = site.open(p.role())?;
        let ((), cost) = p.metered(|p| store.agree(p))?;
        Ok(cost.rounds)
    };
    assert_eq!(site.run(agree).unwrap(), (2, 2));
}

#[test]
fn lanes_take_turns_file_by_file() {
    let site = made();
    let mut store = site.open(Role::P0).unwrap().insecure_agree_alone();
    assert!(store.reserve_lanes(&[60, 41]).is_err());
    let lanes = store.reserve_lanes(&[60, 0, 40]).unwrap();
    let of = |lane: usize| lanes[lane].positions().collect::<Vec<_>>();
    assert_eq!(of(0), (0..32).chain(64..92).collect::<Vec<_>>());
    assert_eq!((of(1), of(2)), (vec![], (32..64).chain(92..100).collect()));
    let (mut material, lookup) = (Vec::new(), blank(Protocol::Rotl, JOB));
    for mut lane in lanes {
        while !lane.is_empty() {
            material.push(lane.insecure_bytes(&lookup, 20).unwrap());
        }
        assert!(lane.load(&lookup, 1).is_err());
    }
    assert_eq!(material.iter().map(Vec::len).collect::<Vec<_>>(), [20, 12, 20, 8, 20, 12, 4, 4]);
    let items: Vec<_> = material.concat();
    assert!(items.iter().all(|a| items.iter().filter(|b| a == *b).count() == 1));
}

#[test]
fn what_was_reserved_and_not_begun_is_given_back() {
    let site = made();
    // The session ends when P0 has loaded 10 of 80 lookups, and P1 is one batch ahead.
    let begin = |p: &mut Party| {
        let mut store = site.open(p.role())?;
        store.agree(p)?;
        let mut lanes = store.reserve_lanes(&[40, 40])?;
        load(&mut lanes[0], [10, 20][p.role() as usize]);
        Ok(store.left())
    };
    assert_eq!(site.run(begin).unwrap(), (20, 20), "in that session nobody else gets it");
    let left = |role| site.open(role).unwrap().left();
    assert_eq!([Role::P0, Role::P1].map(left), [90, 80]);
    site.spend::<Cyclic, Additive, u16>(&JOB, 50, 64).unwrap();
    assert_eq!([Role::P0, Role::P1].map(left), [30, 30], "from the larger cursor on");
    // A lane that runs ahead spends what lies before it.
    let mut store = site.open(Role::P0).unwrap().insecure_agree_alone();
    let mut lanes = store.reserve_lanes(&[15, 15]).unwrap();
    load(&mut lanes[1], 11);
    drop((store, lanes));
    assert_eq!(left(Role::P0), 4);
}
