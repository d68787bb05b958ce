//! What the peer offers of OT extensions: what is accepted is what it says, and both parties come to the same.

use hushtable::{
    Error, Role,
    net::LinkShape,
    ot::{Offer, Scheme, SessionWish},
};

/// The first byte says what this party asks for; then comes the peer's offer.
pub fn run(data: &[u8]) {
    let Some((&first, data)) = data.split_first() else { return };
    let mine = offer(usize::from(first) % (Scheme::ALL.len() + 1));
    match Offer::of_peer(data) {
        Ok(theirs) => {
            assert_eq!(theirs.to_bytes(), data);
            let here = mine.settle(Role::P0, theirs);
            let there = theirs.settle(Role::P1, mine);
            match (here, there) {
                (Ok(here), Ok(there)) => assert_eq!(here, there),
                (Err(Error::Handshake { .. }), Err(Error::Handshake { .. })) => {}
                other => panic!("{other:?}"),
            }
        }
        Err(Error::Peer(_) | Error::Handshake { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

/// One that asks for nothing, or for an extension.
fn offer(asked: usize) -> Offer {
    let scheme = asked.checked_sub(1).map(|place| Scheme::ALL[place]);
    let link: LinkShape = "100:20".parse().expect("a link");
    Offer::new(&SessionWish::from(scheme).link(link), None)
}

pub fn seeds() -> Vec<Vec<u8>> {
    let all = 0..=Scheme::ALL.len();
    let good =
        all.flat_map(|mine| [0, 3].map(|theirs| [&[mine as u8][..], &offer(theirs).to_bytes()].concat()));
    let bytes = offer(0).to_bytes();
    let mut falling = bytes.clone();
    falling[20..28].fill(0);
    let with = |offer: &[u8]| [&[0], offer].concat();
    good.chain([with(&bytes[..43]), with(&falling), with(&[0; 44]), with(&[0xff; 44])]).collect()
}
