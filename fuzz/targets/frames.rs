//! Frames from the peer: what arrives is what a plain decoder reads, and nothing past an error.

use std::io::Write;

use hushtable::net::{Connection, Role};

use super::frame;

/// Lengths that the protocol waits for, one after the other.
const WANTED: [usize; 8] = [1, 0, 7, 8, 9, 300, 0, 64];

pub fn run(data: &[u8]) {
    // The pipe takes 2^20 bytes without a reader.
    let data = &data[..data.len().min(1 << 19)];
    let (mut connection, peer) = Connection::with_raw_peer(Role::P1, [3; 32]);
    (&peer).write_all(data).expect("room in the pipe");
    drop(peer);
    let mut rest = data;
    for want in WANTED {
        let got = connection.channel().recv(want).ok();
        let expected = plain(&mut rest, want);
        assert_eq!(got.as_deref(), expected, "a message of {want} bytes");
        if expected.is_none() {
            assert!(connection.channel().recv(0).is_err(), "the session is over");
            return;
        }
    }
}

/// The next message, of `want` bytes, fewer than 2^20.
fn plain<'a>(rest: &mut &'a [u8], want: usize) -> Option<&'a [u8]> {
    loop {
        let (header, behind) = rest.split_first_chunk::<8>()?;
        let word = |i: usize| u32::from_le_bytes([header[i], header[i + 1], header[i + 2], header[i + 3]]);
        *rest = behind;
        match (word(0), word(4)) {
            (u32::MAX, 1) => {} // a heartbeat
            (len, _) if len as usize == want => {
                let (payload, behind) = rest.split_at_checked(want)?;
                *rest = behind;
                return Some(payload);
            }
            _ => return None,
        }
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let heartbeat = [u32::MAX.to_le_bytes(), 1u32.to_le_bytes()].concat();
    let bye = [u32::MAX.to_le_bytes(), 2u32.to_le_bytes()].concat();
    let all: Vec<u8> =
        WANTED.iter().flat_map(|&n| [heartbeat.clone(), frame(&vec![7; n])].concat()).collect();
    let huge = [(u32::MAX - 1).to_le_bytes(), [0; 4]].concat();
    vec![
        Vec::new(),
        all,
        frame(&[1]),
        [frame(&[1]), bye].concat(),
        [frame(&[1]), huge].concat(),
        vec![0xff; 40],
    ]
}
