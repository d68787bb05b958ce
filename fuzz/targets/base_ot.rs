//! Curve points from the peer: accepted exactly when canonical and not the identity.

use std::io::Write;

use curve25519_dalek::{
    Scalar, constants::RISTRETTO_BASEPOINT_POINT, ristretto::CompressedRistretto, traits::IsIdentity,
};
use hushtable::{
    Error,
    net::{Connection, Role},
    ot::base,
    session::Session,
};

use super::frame;

/// The first byte says how many OTs and which side; then come the points.
pub fn run(data: &[u8]) {
    let Some((&first, data)) = data.split_first() else { return };
    let as_sender = first & 1 == 1;
    let count = if as_sender { usize::from(first >> 1) % 4 } else { 1 };
    let mut points = data.to_vec();
    points.resize(32 * count, 0);
    let (connection, peer) = Connection::with_raw_peer(Role::P0, [5; 32]);
    (&peer).write_all(&frame(&points)).expect("room in the pipe");
    let mut session = Session::seeded(connection, 1);
    let outcome = match as_sender {
        true => base::send(&mut session, count).map(drop),
        false => base::receive(&mut session, &[true, false]).map(drop),
    };
    match outcome {
        Ok(()) => assert!(points.chunks(32).all(good)),
        Err(Error::Peer(_)) => assert!(!points.chunks(32).all(good)),
        Err(other) => panic!("{other}"),
    }
}

fn good(wire: &[u8]) -> bool {
    let point = CompressedRistretto::from_slice(wire).expect("32 bytes").decompress();
    point.is_some_and(|point| !point.is_identity())
}

pub fn seeds() -> Vec<Vec<u8>> {
    let point = |k: u64| (Scalar::from(k) * RISTRETTO_BASEPOINT_POINT).compress().to_bytes();
    let points: Vec<u8> = [point(1), point(2), point(0x1234_5678)].concat();
    let with = |first: u8, points: &[u8]| [&[first], points].concat();
    // p = 2^255 - 19 and 1 more than that are not canonical.
    let mut order = [0xff; 32];
    (order[0], order[31]) = (0xed, 0x7f);
    let mut above = order;
    above[0] = 0xee;
    vec![
        with(0, &points[..32]),
        with(3, &points[..32]),
        with(7, &points),
        with(0, &[0; 32]),
        with(3, &order),
        with(0, &above),
        with(0, &[0xff; 32]),
    ]
}
