//! Proximity beside distances in floating point: random pairs near the distance asked, poles, the date line, antipodes
//! and equal places, by both methods.

use hushtable::{Party, Result, Role, operation::Operation, run_pair};
use hushtable_apps::proximity::{PLANE, Places, Proximity, RADIUS};
use prim::{block::Block, prg::Prg, ring::low};

type Place = [f64; 2];

/// The angle between two places, from the cross product and the product: accurate for small and large ones.
fn distance(a: Place, b: Place) -> f64 {
    let vector = |[x, y]: Place| {
        let (x, y) = (x.to_radians(), y.to_radians());
        [x.cos() * y.cos(), x.cos() * y.sin(), x.sin()]
    };
    let (a, b) = (vector(a), vector(b));
    let cross = |i: usize| a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
    let sine = (0..3).map(|i| cross(i) * cross(i)).sum::<f64>().sqrt();
    RADIUS * sine.atan2((0..3).map(|i| a[i] * b[i]).sum())
}

/// What both parties' shares say.
fn asked(within: f64, places: Places, pairs: &[[Place; 2]]) -> Vec<u64> {
    let proximity = Proximity::new(within, places).unwrap();
    let mut masks = vec![0u64; 4 * pairs.len()];
    Prg::new(Block(9)).words(36, &mut masks);
    let job = |p: &mut Party| -> Result<Vec<u64>> {
        let mine = p.role() as usize;
        let mut operands = vec![Vec::new(); if places == Places::Shared { 4 } else { places.coordinates() }];
        for (i, pair) in pairs.iter().enumerate() {
            let words = match places {
                Places::Own => Proximity::coordinates(pair[mine][0], pair[mine][1])?.to_vec(),
                Places::Plane => Proximity::plane(pair[mine][0], pair[mine][1])?.to_vec(),
                Places::Shared => {
                    let [a, b] = [0, 1].map(|of| Proximity::turns(pair[of][0], pair[of][1]).unwrap());
                    let share =
                        |(v, m): (u64, &u64)| if mine == 0 { *m } else { low(v.wrapping_sub(*m), 36) };
                    a.into_iter().chain(b).zip(&masks[4 * i..]).map(share).collect()
                }
            };
            operands.iter_mut().zip(words).for_each(|(operand, word)| operand.push(word));
        }
        let operands: Vec<&[u64]> = operands.iter().map(Vec::as_slice).collect();
        let found = proximity.prepare(p, pairs.len())?.eval(p, &operands)?;
        p.barrier()?;
        Ok(found[0].to_vec())
    };
    let (a, b) = run_pair(Party::pair_seeded(5).unwrap(), job, job).unwrap();
    a.iter().zip(&b).map(|(a, b)| (a ^ b) & 1).collect()
}

fn check(within: f64, pairs: &[[Place; 2]]) {
    for places in [Places::Own, Places::Shared] {
        let error = Proximity::new(within, places).unwrap().error();
        let mut judged = [0, 0];
        for (pair, bit) in pairs.iter().zip(asked(within, places, pairs)) {
            let d = distance(pair[0], pair[1]);
            if (d - within).abs() > error {
                assert_eq!(
                    bit == 1,
                    d <= within,
                    "{places:?}: {pair:?} are {d} m apart, not {within} +- {error}"
                );
                judged[bit as usize] += 1;
            }
        }
        assert!(judged[0] > 0 && judged[1] > 0, "{places:?} within {within}: {judged:?}");
    }
}

/// Pairs that lie within twice the distance, and some as near to it as a part in 300.
#[test]
fn random_pairs_are_judged_to_the_error_stated() {
    for (seed, within) in [(1u128, 25.0), (2, 250.0), (3, 10_000.0), (4, 3_000_000.0)] {
        let mut words = vec![0u64; 3 * 200];
        Prg::new(Block(seed)).words(32, &mut words);
        let unit = |w: u64| w as f64 / 2f64.powi(32);
        let pair = |(i, w): (usize, &[u64])| {
            let (latitude, longitude) = (160.0 * unit(w[0]) - 80.0, 358.0 * unit(w[1]) - 179.0);
            let factor = if i % 2 == 0 { 2.0 * unit(w[2]) } else { 1.0 + (unit(w[2]) - 0.5) / 150.0 };
            // North or south, where a degree is as long everywhere, away from the poles.
            let north = (factor * within / RADIUS).to_degrees();
            let other = if latitude > 0.0 { latitude - north } else { latitude + north };
            [[latitude, longitude], [other, longitude]]
        };
        check(within, &words.chunks_exact(3).enumerate().map(pair).collect::<Vec<_>>());
    }
}

#[test]
fn poles_date_line_antipodes_and_equal_places() {
    let pairs = [
        [[90.0, 0.0], [90.0, 123.0]],          // the same pole
        [[-90.0, 180.0], [-90.0, -77.5]],      // the other one
        [[89.999, 0.0], [89.999, 180.0]],      // 222 m across the pole
        [[89.998, 0.0], [89.998, 180.0]],      // 445 m
        [[10.0, 179.9995], [10.0, -179.9995]], // 110 m across the date line
        [[10.0, 179.99], [10.0, -179.99]],     // 2.2 km
        [[48.2, 16.37], [48.2, 16.37]],        // equal
        [[0.0, 0.0], [0.0, 180.0]],            // antipodes
        [[45.0, 30.0], [-45.0, -150.0]],
        [[90.0, 0.0], [-90.0, 0.0]],
        [[0.0, 180.0], [0.0, -180.0]], // one place by two names
    ];
    for places in [Places::Own, Places::Shared] {
        assert_eq!(asked(250.0, places, &pairs), [1, 1, 1, 0, 1, 0, 1, 0, 0, 0, 1], "{places:?}");
    }
    check(20_000_000.0, &pairs);
}

/// In a plane, all around and at the corners of what coordinates may be.
#[test]
fn distances_in_a_plane_are_judged_to_the_error_stated() {
    for (seed, within) in [(7u128, 3.0), (8, 250.0), (9, 2e7)] {
        let proximity = Proximity::new(within, Places::Plane).unwrap();
        let mut words = vec![0u64; 4 * 300];
        Prg::new(Block(seed)).words(32, &mut words);
        let unit = |w: u64| w as f64 / 2f64.powi(32);
        let pairs: Vec<[Place; 2]> = words
            .chunks_exact(4)
            .map(|w| {
                let place = [w[0], w[1]].map(|w| PLANE * (2.0 * unit(w) - 1.0));
                let (way, far) = (std::f64::consts::TAU * unit(w[2]), within * (0.9 + 0.2 * unit(w[3])));
                let other = [place[0] + far * way.cos(), place[1] + far * way.sin()];
                [place, other.map(|v| v.clamp(-PLANE, PLANE))]
            })
            .chain([[[-PLANE, -PLANE], [PLANE, PLANE]], [[PLANE, -PLANE], [-PLANE, -PLANE]]])
            .collect();
        let mut judged = [0, 0];
        for (pair, bit) in pairs.iter().zip(asked(within, Places::Plane, &pairs)) {
            let d = (pair[0][0] - pair[1][0]).hypot(pair[0][1] - pair[1][1]);
            if (d - within).abs() > proximity.error() {
                assert_eq!(bit == 1, d <= within, "{pair:?} are {d} m apart, not {within}");
                judged[bit as usize] += 1;
            }
        }
        assert!(judged[0] > 0 && judged[1] > 0, "{within}: {judged:?}");
    }
}

#[test]
fn what_is_stated_and_what_is_refused() {
    let error = |within, places| Proximity::new(within, places).unwrap().error();
    assert!((0.2..0.25).contains(&error(250.0, Places::Own)), "{}", error(250.0, Places::Own));
    assert!(error(250.0, Places::Shared) < 0.15, "{}", error(250.0, Places::Shared));
    let card = Proximity::new(250.0, Places::Own).unwrap().card().unwrap();
    assert!(card.contains("at most 250 m") && card.contains("0.22 m by proof"), "{card}");
    assert!((0.17..0.18).contains(&error(250.0, Places::Plane)));
    // What the help of the program says of large distances; a card states no less than the bound.
    for (within, shown) in [(4e6, "0.23"), (1e7, "0.31"), (1.9e7, "2.73")] {
        let (bound, card) = (error(within, Places::Own), Proximity::new(within, Places::Own).unwrap().card());
        assert!(shown.parse::<f64>().unwrap() >= bound, "{within}: {bound}");
        assert!(card.is_some_and(|card| card.contains(&format!("less than {shown} m"))), "{within}: {bound}");
    }
    let card = Proximity::new(250.0, Places::Plane).unwrap().card().unwrap();
    assert!(card.contains("in a plane") && !card.contains("sphere"), "{card}");
    assert!(Proximity::new(2.1e7, Places::Plane).is_err() && Proximity::plane(0.0, 1.1e7).is_err());
    assert!(Proximity::plane(f64::NAN, 0.0).is_err());
    for within in [0.0, -1.0, 2.1e7, f64::NAN, f64::INFINITY] {
        assert!(Proximity::new(within, Places::Own).is_err(), "{within}");
    }
    for (latitude, longitude, says) in [
        (90.1, 0.0, "latitude"),
        (-91.0, 0.0, "latitude"),
        (0.0, 180.5, "longitude"),
        (f64::NAN, 0.0, "latitude"),
    ] {
        for error in
            [Proximity::coordinates(latitude, longitude).err(), Proximity::turns(latitude, longitude).err()]
        {
            assert!(error.is_some_and(|e| e.to_string().contains(says)), "{latitude} {longitude}");
        }
    }
    let job = |p: &mut Party| {
        let proximity = Proximity::new(250.0, Places::Own)?;
        let error = proximity.prepare(p, 2)?.eval(p, &[&[0; 2], &[0; 2]]).err();
        assert!(error.is_some_and(|e| e.to_string().contains("operands")));
        let error = proximity.prepare(p, 2)?.eval(p, &[&[0; 2], &[0; 2], &[0; 3]]).err();
        assert!(error.is_some_and(|e| e.to_string().contains("places")), "{:?}", Role::P0);
        Ok(())
    };
    run_pair(Party::pair_seeded(6).unwrap(), job, job).unwrap();
}
