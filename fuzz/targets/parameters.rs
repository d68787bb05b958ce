//! The peer's list of parameters: only the same list is agreed to, and an error shows harmless text.

use std::io::Write;

use hushtable::{
    Error,
    net::{Connection, Role},
};

use super::frame;

fn fields() -> [(&'static str, String); 2] {
    [("security", "128".into()), ("table", "é".into())]
}

pub fn run(data: &[u8]) {
    let data = &data[..data.len().min(1 << 19)];
    let (mut connection, peer) = Connection::with_raw_peer(Role::P0, [4; 32]);
    (&peer).write_all(&frame(data)).expect("room in the pipe");
    match connection.agree(&fields()) {
        Ok(()) => assert_eq!(data, encoded(&fields())),
        Err(Error::Handshake { field, ours, theirs }) => {
            assert_ne!(data, encoded(&fields()));
            for text in [field, ours, theirs] {
                assert!(text.len() < 260, "{text}");
                assert!(text.bytes().all(|b| b == b' ' || b.is_ascii_graphic()), "{text:?}");
            }
        }
        Err(Error::Peer(_)) => assert_ne!(data, encoded(&fields())),
        Err(other) => panic!("{other}"),
    }
}

fn encoded(fields: &[(&str, String)]) -> Vec<u8> {
    let texts = fields.iter().flat_map(|(name, value)| [name.as_bytes(), value.as_bytes()]);
    texts.flat_map(|text| [&(text.len() as u16).to_le_bytes(), text].concat()).collect()
}

pub fn seeds() -> Vec<Vec<u8>> {
    let [security, table] = fields();
    let many: Vec<(&str, String)> = (0..65).map(|i| ("n", i.to_string())).collect();
    vec![
        encoded(&fields()),
        encoded(std::slice::from_ref(&security)),
        encoded(&[security.clone(), ("table", "\u{1b}[2J".into())]),
        encoded(&[table, security, ("x", "y".repeat(256))]),
        encoded(&many[..64]),
        encoded(&many),
        vec![0xff; 70],
        vec![0; 16 << 10],
        vec![0; (16 << 10) + 1],
    ]
}
