//! Predictions of bytes against sessions over simulated links.

use std::thread;

use super::*;
use crate::net::LinkShape;
use crate::{
    Party, Result,
    net::Connection,
    ot::{Scheme, SessionWish},
};

/// Both ends of a session over this link, with the bytes that set-up, the start for `count` OTs of each direction, and
/// these take: sent by P0, sent by P1.
fn session(link: LinkShape, wishes: [SessionWish; 2], count: usize) -> Result<[(Limits, [u64; 2]); 2]> {
    let (c0, c1) = Connection::pair_with([count as u8; 32], link);
    let run = |connection: Connection, wish: SessionWish| {
        let mut p = Party::seeded(connection, count as u64, wish)?;
        p.prepare_ot(count, count)?;
        let start = p.take_cost();
        drop(p.cots(count, count)?);
        let offline = p.take_cost();
        Ok((p.setting().limits, [start.sent, offline.sent]))
    };
    thread::scope(|scope| {
        let p1 = scope.spawn(|| run(c1, wishes[1]));
        Ok([run(c0, wishes[0])?, p1.join().expect("no panic")?])
    })
}

/// What either sends is what the prediction says, or less: frames have heads, and trees are whole.
#[test]
fn a_session_sends_what_is_predicted() {
    let rates = Rates::REFERENCE;
    for text in ["100:2", "3000:0.8", "10000:0.1"] {
        let link: LinkShape = text.parse().expect("a link");
        for log in [8, 12, 15, 17, 20] {
            let count = 1 << log;
            let wanted = Limits::new(None, &link, &rates);
            let predicted = cost([count as u64; 2], &wanted, &rates);
            let found = session(link, [SessionWish::default(); 2], count).expect("an honest run");
            for (role, (settled, sent)) in found.into_iter().enumerate() {
                assert_eq!(settled, wanted, "both take the least");
                let pairs = [predicted.setup_bytes[role], predicted.bytes[role]].into_iter().zip(sent);
                for (predicted, sent) in pairs {
                    let most = 1.02 * predicted + 600.0;
                    assert!(sent as f64 <= most, "{text}, 2^{log}, P{role}: {sent} bytes, not {predicted}");
                }
                let [all, total] =
                    [predicted.setup_bytes[role] + predicted.bytes[role], (sent[0] + sent[1]) as f64];
                assert!(total >= 0.8 * all - 600.0, "{text}, 2^{log}, P{role}: {total} bytes of {all}");
            }
        }
    }
}

/// Where parties see different links, or one asks for an extension, both still take the same.
#[test]
fn parties_that_differ_take_the_same() {
    let knows = |link| SessionWish { link: Some(link), ..SessionWish::default() };
    let asks = SessionWish::from(Some(Scheme::SoftSpoken8));
    let pairs = [
        [knows(LinkShape::WAN), knows(LinkShape::LOOPBACK)],
        [knows(LinkShape::LOOPBACK), knows(LinkShape::WAN)],
        [asks, knows(LinkShape::WAN)],
        [knows(LinkShape::WAN), asks],
    ];
    for wishes in pairs {
        let [(p0, _), (p1, _)] = session(LinkShape::LOOPBACK, wishes, 1 << 16).expect("an honest run");
        assert_eq!(p0, p1);
        let asked = wishes.iter().find_map(|wish| wish.scheme);
        let link = wishes[0].link.unwrap_or(LinkShape::USUAL);
        assert_eq!(p0, Limits::new(asked, &link, &Rates::REFERENCE));
    }
}
