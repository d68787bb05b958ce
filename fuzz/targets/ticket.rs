//! The ticket of a lane, as another process gets it.

use hushtable::{Error, party::Ticket};

pub fn run(data: &[u8]) {
    match Ticket::from_bytes(data) {
        Ok(ticket) => assert_eq!(*ticket.into_bytes().expect("this process"), *data, "one encoding"),
        Err(Error::Store(_)) => {}
        Err(other) => panic!("{other}"),
    }
}

/// Role, whether the peer is known, OT extension and lane; id and the peer's fingerprint; Delta and seeds.
pub fn seeds() -> Vec<Vec<u8>> {
    let ticket = |role: u8, peer: u8, scheme: u8, seeds: usize| {
        let mut bytes = b"hushtkt\x01".to_vec();
        bytes.extend([role, peer, scheme, 5, 0, 0, 0, 0]);
        bytes.extend([[7; 32], [9 * peer; 32]].concat());
        bytes.push(3 - 2 * role);
        bytes.resize(bytes.len() + 15 + 16 * 2 * seeds, 0x5a);
        bytes
    };
    vec![ticket(0, 1, 0, 512), ticket(1, 0, 1, 256), ticket(0, 0, 4, 512), ticket(1, 1, 2, 512)]
}
