//! The description of a simulated network, which the user types.

use std::time::Duration;

use hushtable::{Error, net::LinkShape};

pub fn run(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match text.parse::<LinkShape>() {
        Ok(shape) => {
            assert!(shape.mbit_per_s.is_none_or(|rate| (0.01..=1e6).contains(&rate)), "{text:?}");
            assert!(shape.rtt <= Duration::from_secs(4), "{text:?}");
            let again: LinkShape = shape.to_string().parse().expect("its own text");
            assert_eq!(again.mbit_per_s, shape.mbit_per_s, "{text:?}");
            assert!(again.rtt.abs_diff(shape.rtt) <= Duration::from_nanos(10), "{text:?}");
        }
        Err(Error::Param { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let texts = ["loopback", "lan", "wan", "200:10ms", "0.01:4s", "1e6:0us", "5: 2.5", "nan:inf", "1e999:-0"];
    texts.map(|text| text.as_bytes().to_vec()).to_vec()
}
