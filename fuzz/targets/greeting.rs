//! What a listening party answers to a connecting one: a greeting in the clear, or TLS records.

use std::{
    io::{Read, Write},
    net::TcpListener,
    thread,
    time::Duration,
};

use hushtable::net::{Options, Timing, WIRE_VERSION, connect};

use super::identity;

/// The first byte says whether this party uses TLS; the rest is the answer.
pub fn run(data: &[u8]) {
    let Some((&first, answer)) = data.split_first() else { return };
    let timing = Timing::default()
        .heartbeat(Duration::from_secs(1))
        .silence(Duration::from_secs(1))
        .linger(Duration::from_millis(20));
    let options = match first & 1 {
        0 => Options::plain(),
        _ => Options::secure(identity::own()),
    };
    let options = options.timing(timing).wait(Duration::from_millis(500));
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let addr = listener.local_addr().expect("its address").to_string();
    thread::scope(|scope| {
        scope.spawn(|| {
            let (mut socket, _) = listener.accept().expect("the party comes");
            socket.set_read_timeout(Some(Duration::from_secs(5))).expect("a timeout");
            // A party that refuses hangs up; so may this end.
            let _ = socket.write_all(answer);
            let _ = socket.shutdown(std::net::Shutdown::Write);
            let _ = socket.read_to_end(&mut Vec::new());
        });
        let came_about = connect(&addr, options).is_ok();
        assert_eq!(came_about, first & 1 == 0 && good(answer), "a session from {answer:02x?}");
    });
}

/// A greeting of P0 in this version, without a demand for TLS.
fn good(answer: &[u8]) -> bool {
    answer.len() >= 64
        && answer[..8] == *b"hushtabl"
        && answer[8..10] == WIRE_VERSION.to_le_bytes()
        && answer[11..13] == [0, 0]
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut greeting = [0; 65];
    greeting[1..9].copy_from_slice(b"hushtabl");
    greeting[9..11].copy_from_slice(&WIRE_VERSION.to_le_bytes());
    greeting[17..49].copy_from_slice(&[0x5a; 32]);
    let change = |at: usize, to: u8| {
        let mut other = greeting;
        other[at] = to;
        other.to_vec()
    };
    let mut seeds =
        vec![greeting.to_vec(), change(0, 1), change(9, 9), change(12, 1), change(13, 1), change(1, 0)];
    seeds.push(greeting[..40].to_vec());
    seeds.push(b"\x00HTTP/1.1 400 Bad Request\r\n\r\n".to_vec());
    // TLS: an alert, and the beginning of a server's hello.
    seeds.push(vec![1, 21, 3, 3, 0, 2, 2, 40]);
    seeds.push([&[1, 22, 3, 3, 0, 90, 2, 0, 0, 86, 3, 3][..], &[7; 32], &[0, 0x13, 1, 0, 0, 46]].concat());
    seeds
}
