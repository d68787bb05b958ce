use super::*;
use crate::{
    net::{LinkShape, Role},
    ot::Ot,
};

/// What the sender learns of a choice below 3 must not depend on it: by XOR with a random index
/// below 3 it would.
#[test]
fn corrections_of_choices_below_three_are_uniform() {
    for wanted in 0..3 {
        let run = |mut s: Session| {
            let (send, recv) = if s.role() == Role::P0 { (3000, 0) } else { (0, 3000) };
            let mut ot = Ot::new(&mut s, None).unwrap();
            let (cots_out, cots_in) = product_cots(3, (send, recv));
            let cots = ot.take(&mut s, cots_out, cots_in).unwrap();
            let (mut out, mut inc) = by_products(&mut s, 3, cots).unwrap();
            choose(&mut s, &mut out, &mut inc, vec![wanted; recv]).unwrap();
            assert!(choose(&mut s, &mut out, &mut inc, vec![wanted; recv]).is_err(), "once");
            out.turns.clone()
        };
        let (s0, s1) = Session::pair_seeded(wanted.into(), LinkShape::LOOPBACK);
        let turns = std::thread::scope(|scope| {
            let p1 = scope.spawn(|| run(s1));
            let turns = run(s0);
            p1.join().unwrap();
            turns
        });
        for turn in 0..3 {
            let count = turns.iter().filter(|&&t| t == turn).count();
            assert!((850..1150).contains(&count), "{wanted}: {count} times {turn}");
        }
    }
}
