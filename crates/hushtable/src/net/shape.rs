//! A simulated network: bandwidth and round-trip time, applied by the sender.

use crate::error::{Error, Result};
use std::fmt;
use std::str::FromStr;
use std::thread;
use std::time::{Duration, Instant};

/// Bandwidth and delay of a simulated link, the same in both directions (full duplex).
///
/// Text forms: `loopback` (nothing simulated), `lan` (3000 Mbit/s, 0.8 ms), `wan` (100 Mbit/s,
/// 50 ms), or `RATE:RTT` such as `200:10ms`, rate in Mbit/s, time in `us`, `ms` or `s` (`ms` if
/// none is given).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LinkShape {
    /// 10^6 bits per second in each direction, 0.01 to 10^6; `None`: as fast as it goes.
    pub mbit_per_s: Option<f64>,
    /// Round-trip time, at most 4 s: half of it is added to each direction.
    pub rtt: Duration,
}

impl LinkShape {
    /// Nothing simulated.
    pub const LOOPBACK: LinkShape = LinkShape { mbit_per_s: None, rtt: Duration::ZERO };
    /// 3000 Mbit/s, 0.8 ms.
    pub const LAN: LinkShape = LinkShape { mbit_per_s: Some(3000.0), rtt: Duration::from_micros(800) };
    /// 100 Mbit/s, 50 ms.
    pub const WAN: LinkShape = LinkShape { mbit_per_s: Some(100.0), rtt: Duration::from_millis(50) };

    /// 1000 Mbit/s, 1 ms: what a link counts as of which nobody said or measured anything, inside a machine too.
    pub const USUAL: LinkShape = LinkShape { mbit_per_s: Some(1000.0), rtt: Duration::from_millis(1) };

    /// The link that is simulated, if one is.
    pub fn simulated(self) -> Option<Self> {
        Some(self).filter(|&shape| shape != Self::LOOPBACK)
    }

    /// What a link is taken for of which only a round trip is known, one that may have been late: the usual one, unless it
    /// is longer.
    pub fn of_trip(rtt: Duration) -> Self {
        LinkShape { rtt: rtt.clamp(Self::USUAL.rtt, MOST), ..Self::USUAL }
    }

    /// Rate and nanoseconds, as parties send them; a rate of 0 is none.
    pub(crate) fn to_bytes(self) -> [u8; 16] {
        let rate = self.mbit_per_s.unwrap_or(0.0).to_bits();
        (u128::from(rate) << 64 | self.rtt.as_nanos()).to_le_bytes()
    }

    /// The link that these bytes say; `None` if there is none like it.
    pub(crate) fn from_bytes(bytes: [u8; 16]) -> Option<Self> {
        let word = u128::from_le_bytes(bytes);
        let (rate, rtt) = ((word >> 64) as u64, Duration::from_nanos(word as u64));
        let mbit_per_s = (rate != 0).then_some(f64::from_bits(rate));
        Some(LinkShape { mbit_per_s, rtt }).filter(|link| *link == link.within())
    }

    /// The nearest one with rate and time in their ranges.
    pub(crate) fn within(self) -> Self {
        let [least, most] = RATES;
        LinkShape { mbit_per_s: self.mbit_per_s.map(|rate| rate.clamp(least, most)), rtt: self.rtt.min(MOST) }
    }
}

/// The rates that a link can have, in 10^6 bits per second.
const RATES: [f64; 2] = [0.01, 1e6];

/// No link is taken to be slower.
const MOST: Duration = Duration::from_secs(4);

impl FromStr for LinkShape {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let parsed = match text {
            "loopback" => Some(LinkShape::LOOPBACK),
            "lan" => Some(LinkShape::LAN),
            "wan" => Some(LinkShape::WAN),
            _ => text.split_once(':').and_then(|(rate, rtt)| {
                let rate = rate.trim().parse().ok().filter(|r| (RATES[0]..=RATES[1]).contains(r))?;
                Some(LinkShape { mbit_per_s: Some(rate), rtt: time(rtt.trim())? })
            }),
        };
        parsed.ok_or_else(|| Error::Param {
            what: "network",
            got: format!("{text:?}"),
            accepted: "loopback, lan, wan, or RATE:RTT such as 200:10ms (0.01 to 1000000 Mbit/s, \
                       0 to 4 s)"
                .into(),
        })
    }
}

impl fmt::Display for LinkShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (*self, self.mbit_per_s) {
            (LinkShape::LOOPBACK, _) => f.write_str("loopback"),
            (LinkShape::LAN, _) => f.write_str("lan"),
            (LinkShape::WAN, _) => f.write_str("wan"),
            (_, Some(rate)) => write!(f, "{rate}:{}ms", self.rtt.as_secs_f64() * 1e3),
            (_, None) => write!(f, "unlimited:{}ms", self.rtt.as_secs_f64() * 1e3),
        }
    }
}

fn time(text: &str) -> Option<Duration> {
    let units = [("us", 1e-6), ("ms", 1e-3), ("s", 1.0), ("", 1e-3)];
    let (number, unit) = units.iter().find_map(|(name, unit)| Some((text.strip_suffix(name)?, unit)))?;
    let seconds = number.trim().parse::<f64>().ok()? * unit;
    (0.0..=4.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

/// When each byte of one direction of a shaped link arrives.
pub(super) struct Pace {
    shape: LinkShape,
    free: Instant,
}

/// `thread::sleep` overshoots by about this much.
const OVERSLEEP: Duration = Duration::from_micros(80);

impl Pace {
    /// The pace of a link of this shape, or `None` if nothing is simulated.
    pub(super) fn new(shape: LinkShape) -> Option<Self> {
        shape.simulated().map(|shape| Pace { shape, free: Instant::now() })
    }

    /// Most bytes to hand over at once: at most 50 ms' worth, so that a slow link looks alive.
    pub(super) fn grain(&self) -> usize {
        let bytes = self.shape.mbit_per_s.map_or(f64::INFINITY, |rate| rate * 1e6 / 8.0 * 0.05);
        (bytes as usize).clamp(512, 64 << 10)
    }

    /// Sleeps until the next `len` bytes, sent at `sent`, have arrived. `last`: a message ends
    /// here, so the peer may act on it at once and the time must be exact.
    pub(super) fn carry(&mut self, len: usize, sent: Instant, last: bool) {
        let seconds = self.shape.mbit_per_s.map_or(0.0, |rate| len as f64 * 8.0 / (rate * 1e6));
        self.free = self.free.max(sent) + Duration::from_secs_f64(seconds);
        let arrival = self.free + self.shape.rtt / 2;
        let left = arrival.saturating_duration_since(Instant::now());
        if !last {
            return thread::sleep(left);
        }
        thread::sleep(left.saturating_sub(OVERSLEEP));
        while Instant::now() < arrival {
            thread::yield_now();
        }
    }
}
