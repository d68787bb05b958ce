//! Callers who are being heard, each in a thread of its own.

use super::lobby::home;
use crate::net::fingerprint::Fingerprint;
use std::net::{IpAddr, Shutdown, SocketAddr, TcpStream};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

/// A caller that is being heard.
pub(super) struct Guest {
    number: u64,
    pub(super) address: SocketAddr,
    /// To end what is going on with it.
    socket: TcpStream,
    since: Instant,
    /// Whose it is, as soon as it has shown a certificate that is trusted.
    known: Arc<OnceLock<Fingerprint>>,
}

impl Guest {
    /// From now on it is heard.
    pub(super) fn new(
        number: u64,
        address: SocketAddr,
        socket: TcpStream,
        known: Arc<OnceLock<Fingerprint>>,
    ) -> Self {
        Guest { number, address, socket, since: Instant::now(), known }
    }
}

/// Those who are being heard, the oldest first.
pub(super) struct Guests {
    here: Vec<Guest>,
    most: usize,
    grace: Duration,
}

impl Guests {
    /// Room for `most`, each of whom is heard for its `grace` whoever else comes.
    pub(super) fn new(most: usize, grace: Duration) -> Self {
        Guests { here: Vec::new(), most: most.max(2), grace }
    }

    /// Whether a caller from this address may be heard now, perhaps in place of another.
    pub(super) fn may_enter(&self, address: &SocketAddr) -> bool {
        !self.is_full(home(address)) || self.in_the_way(address).is_some()
    }

    /// Ends with whom a caller from this address takes the place of.
    pub(super) fn make_room(&mut self, address: &SocketAddr) -> Option<Guest> {
        self.in_the_way(address).map(|at| self.end(at))
    }

    /// Ends with the oldest of a peer who has more places than one may.
    pub(super) fn too_many_of_one(&mut self) -> Option<Guest> {
        let peers = self.here.iter().map(|guest| guest.known.get());
        let of = |peer| peers.clone().filter(|other| *other == Some(peer)).count();
        let at = peers.clone().position(|peer| peer.is_some_and(|peer| of(peer) > self.of_one()))?;
        Some(self.end(at))
    }

    /// Places of one peer: its greeting comes right behind its certificate.
    fn of_one(&self) -> usize {
        (self.most / 8).max(1)
    }

    fn end(&mut self, at: usize) -> Guest {
        let gone = self.here.remove(at);
        let _ = gone.socket.shutdown(Shutdown::Both);
        gone
    }

    pub(super) fn enter(&mut self, guest: Guest) {
        self.here.push(guest);
    }

    /// The guest of this number, if it did not have to go.
    pub(super) fn leave(&mut self, number: u64) -> Option<Guest> {
        let at = self.here.iter().position(|guest| guest.number == number)?;
        Some(self.here.remove(at))
    }

    /// Whether there is no place, or this address has half of them.
    fn is_full(&self, from: IpAddr) -> bool {
        self.here.len() >= self.most || self.is_crowded(from)
    }

    fn is_crowded(&self, from: IpAddr) -> bool {
        let of_it = self.here.iter().filter(|guest| home(&guest.address) == from).count();
        of_it >= self.most / 2
    }

    /// Who has to go for a caller from this address, if somebody has to and may: the oldest, from the same address if
    /// that has half of the places. Whoever has shown its certificate stays, and so does who came within the grace, so
    /// that a flood of callers cannot cut off the peer in the middle of its greeting.
    fn in_the_way(&self, address: &SocketAddr) -> Option<usize> {
        let from = home(address);
        if !self.is_full(from) {
            return None;
        }
        let crowded = self.is_crowded(from);
        self.here.iter().position(|guest| {
            guest.since.elapsed() >= self.grace
                && guest.known.get().is_none()
                && (!crowded || home(&guest.address) == from)
        })
    }
}

impl Drop for Guests {
    /// Who is still being heard is not awaited any more.
    fn drop(&mut self) {
        for guest in &self.here {
            let _ = guest.socket.shutdown(Shutdown::Both);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn whoever_is_known_stays_and_an_address_has_half_of_the_places() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut guests = Guests::new(4, Duration::ZERO);
        let address = |text: &str| text.parse::<SocketAddr>().unwrap();
        let mut number = 0;
        let mut enter = |guests: &mut Guests, from: &str, known: bool| {
            // Each of them is another peer.
            let known = if known {
                OnceLock::from(Fingerprint::from_bytes([number as u8; 32]))
            } else {
                OnceLock::new()
            };
            if !guests.may_enter(&address(from)) {
                return None;
            }
            let gone = guests.make_room(&address(from)).map_or(0, |gone| gone.address.port());
            let socket = TcpStream::connect(port.local_addr().unwrap()).unwrap();
            number += 1;
            guests.enter(Guest::new(number, address(from), socket, Arc::new(known)));
            Some(gone)
        };
        assert_eq!(enter(&mut guests, "10.0.0.1:1", false), Some(0));
        assert_eq!(enter(&mut guests, "10.0.0.1:2", true), Some(0));
        // Its half is full: the one that is not known goes.
        assert_eq!(enter(&mut guests, "10.0.0.1:3", true), Some(1));
        assert_eq!(enter(&mut guests, "10.0.0.1:4", false), None);
        assert_eq!(enter(&mut guests, "10.0.0.2:5", false), Some(0));
        assert_eq!(enter(&mut guests, "10.0.0.3:6", true), Some(0));
        assert_eq!(enter(&mut guests, "10.0.0.4:7", true), Some(5), "all places are taken");
        assert_eq!(enter(&mut guests, "10.0.0.5:8", true), None);
        assert!(guests.leave(2).is_some() && guests.leave(2).is_none());
        assert_eq!(enter(&mut guests, "10.0.0.5:9", false), Some(0));
        // Within its grace nobody goes.
        guests.grace = Duration::from_secs(600);
        assert_eq!(enter(&mut guests, "10.0.0.6:10", true), None);
    }

    #[test]
    fn a_peer_has_its_part_of_the_places() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let mut guests = Guests::new(32, Duration::from_secs(600));
        for number in 0..20 {
            let known = match number {
                0..8 => OnceLock::from(Fingerprint::from_bytes([number as u8 % 2; 32])),
                _ => OnceLock::new(),
            };
            let socket = TcpStream::connect(port.local_addr().unwrap()).unwrap();
            guests.enter(Guest::new(number, socket.local_addr().unwrap(), socket, Arc::new(known)));
        }
        assert!(guests.too_many_of_one().is_none(), "four of each of two peers");
        // Others turn out to be the second peer: its oldest go.
        for guest in &guests.here[8..10] {
            guest.known.set(Fingerprint::from_bytes([1; 32])).unwrap();
        }
        let gone = [(); 3].map(|()| guests.too_many_of_one().map(|guest| guest.number));
        assert_eq!(gone, [Some(1), Some(3), None]);
    }
}
