//! Two connections with a relay between them, which sees every frame and decides its fate.
#![allow(dead_code)] // not every test uses every fate

use std::{
    io::{Read, Write},
    thread,
};

use hushtable::net::{Connection, RawPeer, Role};

/// What becomes of a frame.
#[derive(Clone, Debug)]
pub enum Fate {
    /// It arrives.
    Pass,
    /// These bytes arrive in its place, header included.
    Instead(Vec<u8>),
    /// Neither it nor anything after it arrives; both parties see the connection end.
    Cut,
}

/// What happened: the parties' results (`None`: it panicked) and every frame that was sent, the
/// header of 8 bytes included, by sender.
pub struct Outcome<A, B> {
    pub p0: Option<A>,
    pub p1: Option<B>,
    pub sent: [Vec<Vec<u8>>; 2],
}

/// Runs both parties. `fate` gets the sender, the number of its frame and the frame.
pub fn relayed<A: Send, B: Send>(
    id: [u8; 32],
    f0: impl FnOnce(Connection) -> A + Send,
    f1: impl FnOnce(Connection) -> B + Send,
    fate: impl Fn(Role, usize, &[u8]) -> Fate + Sync,
) -> Outcome<A, B> {
    let (mut p0, mut p1) = (None, None);
    let (to_p0, to_p1) = (&mut p0, &mut p1);
    let f0 = Box::new(move |connection| *to_p0 = Some(f0(connection)));
    let f1 = Box::new(move |connection| *to_p1 = Some(f1(connection)));
    let sent = relay(id, f0, f1, &fate);
    Outcome { p0, p1, sent }
}

type End<'a> = Box<dyn FnOnce(Connection) + Send + 'a>;

/// Compiled once for all functions.
fn relay(
    id: [u8; 32],
    f0: End<'_>,
    f1: End<'_>,
    fate: &(dyn Fn(Role, usize, &[u8]) -> Fate + Sync),
) -> [Vec<Vec<u8>>; 2] {
    let (c0, raw0) = Connection::with_raw_peer(Role::P0, id);
    let (c1, raw1) = Connection::with_raw_peer(Role::P1, id);
    thread::scope(|scope| {
        let to_p1 = scope.spawn(|| forward(&raw0, &raw1, |i, frame| fate(Role::P0, i, frame)));
        let to_p0 = scope.spawn(|| forward(&raw1, &raw0, |i, frame| fate(Role::P1, i, frame)));
        // Who panics leaves no result.
        let ends = [scope.spawn(|| f0(c0)), scope.spawn(|| f1(c1))];
        ends.into_iter().for_each(|end| drop(end.join()));
        [to_p1, to_p0].map(|relay| relay.join().expect("the relay does not panic"))
    })
}

/// Carries frames until their sender hangs up, or to the end of the cut; returns those of messages.
fn forward(mut from: &RawPeer, mut to: &RawPeer, fate: impl Fn(usize, &[u8]) -> Fate) -> Vec<Vec<u8>> {
    let mut sent = Vec::new();
    while let Some(frame) = next(&mut from) {
        let is_message = frame[..4] != u32::MAX.to_le_bytes();
        let fate = if is_message { fate(sent.len(), &frame) } else { Fate::Pass };
        // A receiver that has hung up loses what comes; the other direction ends by itself.
        let _ = match &fate {
            Fate::Pass => to.write_all(&frame),
            Fate::Instead(bytes) => to.write_all(bytes),
            Fate::Cut => {
                from.hang_up();
                break;
            }
        };
        if is_message {
            sent.push(frame);
        }
    }
    to.hang_up();
    sent
}

/// The next frame: 8 bytes of header, then as many as it announces, at most 2^20.
fn next(from: &mut &RawPeer) -> Option<Vec<u8>> {
    let mut frame = vec![0; 8];
    from.read_exact(&mut frame).ok()?;
    let left = u32::from_le_bytes([frame[0], frame[1], frame[2], frame[3]]);
    if left < u32::MAX {
        frame.resize(8 + left.min(1 << 20) as usize, 0);
        from.read_exact(&mut frame[8..]).ok()?;
    }
    Some(frame)
}
