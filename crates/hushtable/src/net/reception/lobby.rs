//! Callers who are not being heard yet: of each a socket, and no thread.
//!
//! Whoever has said something waits for a thread, as long as a set-up takes. Whoever has not makes room for later callers
//! if there are too many, the oldest first. Addresses take turns in being heard.

use super::readiness::{Bell, readable};
use std::collections::{HashMap, HashSet, VecDeque};
use std::io::ErrorKind;
use std::net::{IpAddr, SocketAddr, TcpListener, TcpStream};
use std::time::{Duration, Instant};

/// A caller who was not heard yet.
pub(super) struct Caller {
    pub(super) socket: TcpStream,
    pub(super) address: SocketAddr,
    since: Instant,
    pub(super) spoken: bool,
}

impl Caller {
    /// Somebody who comes now. `None` if the socket cannot be used: it has gone already.
    pub(super) fn new(socket: TcpStream, address: SocketAddr) -> Option<Self> {
        socket.set_nonblocking(true).ok()?;
        Some(Caller { socket, address, since: Instant::now(), spoken: false })
    }

    /// Looks whether it has spoken; false if it has gone.
    fn listen(&mut self) -> bool {
        match self.socket.peek(&mut [0]) {
            Ok(0) => false,
            Ok(_) => {
                self.spoken = true;
                true
            }
            Err(e) => matches!(e.kind(), ErrorKind::WouldBlock | ErrorKind::Interrupted),
        }
    }
}

/// Those who wait to be heard, the oldest first.
pub(super) struct Lobby {
    callers: VecDeque<Caller>,
    most: usize,
    grace: Duration,
    /// How many had been heard with the last one from an address, at least of those addresses that have others here.
    turns: HashMap<IpAddr, u64>,
    heard: u64,
}

impl Lobby {
    /// Room for `most`. Nobody from elsewhere makes a caller go before its `grace` is over.
    pub(super) fn new(most: usize, grace: Duration) -> Self {
        Lobby { callers: VecDeque::new(), most: most.max(2), grace, turns: HashMap::new(), heard: 0 }
    }

    /// Whether another caller may come in. If not, it waits in the system's queue.
    pub(super) fn has_room(&self) -> bool {
        let waited = |caller: &Caller| caller.since.elapsed() >= self.grace;
        self.callers.len() < self.most
            || self.callers.iter().find(|caller| !caller.spoken).is_some_and(waited)
    }

    /// Takes a caller in; who has to go for it. One address has half of the places and no more, so that it makes room
    /// for itself.
    pub(super) fn enter(&mut self, caller: Caller) -> Option<Caller> {
        let from = home(&caller.address);
        let of_it = self.callers.iter().filter(|other| home(&other.address) == from).count();
        let crowded = of_it >= self.most / 2;
        let gone = match crowded {
            true => self.silent(|other| home(&other.address) == from),
            false if self.callers.len() >= self.most => self.silent(|_| true),
            false => None,
        };
        if crowded && gone.is_none() {
            return Some(caller);
        }
        self.callers.push_back(caller);
        gone
    }

    /// Waits until somebody comes to the port, a caller speaks or goes, or the bell rings, at most `limit`. Those who
    /// have gone.
    pub(super) fn wait(&mut self, port: Option<&TcpListener>, bell: &Bell, limit: Duration) -> Vec<Caller> {
        let silent = self.callers.iter().filter(|caller| !caller.spoken).map(|caller| &caller.socket);
        let mut stirring = readable(port, bell, silent, limit).into_iter();
        let mut gone = Vec::new();
        for _ in 0..self.callers.len() {
            let Some(mut caller) = self.callers.pop_front() else { break };
            if caller.spoken || !stirring.next().unwrap_or(false) || caller.listen() {
                self.callers.push_back(caller);
            } else {
                gone.push(caller);
            }
        }
        gone
    }

    /// Of those who have spoken and whose address `may` be heard, the oldest from the address whose turn is the longest
    /// ago: many who came from others before it do not make one wait.
    pub(super) fn next(&mut self, may: impl Fn(&SocketAddr) -> bool) -> Option<Caller> {
        let mut seen = HashSet::new();
        let spoken = self.callers.iter().enumerate().filter(|(_, caller)| caller.spoken);
        let oldest = spoken.filter(|(_, caller)| seen.insert(home(&caller.address)) && may(&caller.address));
        let turn = |caller: &Caller| self.turns.get(&home(&caller.address)).copied().unwrap_or(0);
        let (at, _) = oldest.min_by_key(|(_, caller)| turn(caller))?;
        let caller = self.callers.remove(at)?;
        self.heard += 1;
        self.turns.insert(home(&caller.address), self.heard);
        if self.turns.len() > self.most {
            let here: HashSet<_> = self.callers.iter().map(|caller| home(&caller.address)).collect();
            self.turns.retain(|from, _| here.contains(from));
        }
        Some(caller)
    }

    /// Those who came so long ago, in which a set-up is over: nobody waits for an answer any more.
    pub(super) fn expired(&mut self, limit: Duration) -> Vec<Caller> {
        let old = self.callers.iter().take_while(|caller| caller.since.elapsed() >= limit).count();
        self.callers.drain(..old).collect()
    }

    /// A quarter of those who have said nothing: the system has no more sockets.
    pub(super) fn shed(&mut self) -> Vec<Caller> {
        let silent = self.callers.iter().filter(|caller| !caller.spoken).count();
        (0..silent.div_ceil(4)).filter_map(|_| self.silent(|_| true)).collect()
    }

    /// Takes out the oldest of those who have said nothing and are `such`.
    fn silent(&mut self, such: impl Fn(&Caller) -> bool) -> Option<Caller> {
        let at = self.callers.iter().position(|caller| !caller.spoken && such(caller))?;
        self.callers.remove(at)
    }
}

/// What counts as one address: with IPv6 a network of 64 bits, which one caller may have all of.
pub(super) fn home(address: &SocketAddr) -> IpAddr {
    match address.ip().to_canonical() {
        IpAddr::V6(ip) => IpAddr::V6((u128::from(ip) >> 64 << 64).into()),
        ip => ip,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    /// A caller as from `address`, and its end.
    fn caller(port: &TcpListener, address: &str) -> (Caller, TcpStream) {
        let theirs = TcpStream::connect(port.local_addr().unwrap()).unwrap();
        let ours = port.accept().unwrap().0;
        (Caller::new(ours, address.parse().unwrap()).unwrap(), theirs)
    }

    #[test]
    fn who_is_silent_makes_room_and_who_speaks_does_not() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let bell = Bell::new().unwrap();
        let mut lobby = Lobby::new(6, Duration::ZERO);
        let mut ends = Vec::new();
        for i in 1..=6 {
            let (caller, end) = caller(&port, &format!("10.0.0.{i}:{i}"));
            assert!(lobby.has_room() && lobby.enter(caller).is_none());
            ends.push(end);
        }
        // The two oldest speak; the next two make room.
        ends[..2].iter_mut().for_each(|end| end.write_all(b"x").unwrap());
        while lobby.callers.iter().filter(|caller| caller.spoken).count() < 2 {
            assert!(lobby.wait(None, &bell, Duration::from_secs(1)).is_empty());
        }
        for i in [3, 4] {
            let (caller, end) = caller(&port, "10.0.1.1:9");
            let gone = lobby.enter(caller).unwrap();
            assert_eq!(gone.address.port(), i);
            ends.push(end);
        }
        assert_eq!(lobby.next(|_| true).unwrap().address.port(), 1);
        assert_eq!(lobby.next(|address| address.port() == 1).map(|_| ()), None);
        assert_eq!(lobby.next(|_| true).unwrap().address.port(), 2);
        assert!(lobby.next(|_| true).is_none());
        // Whoever goes is seen to.
        ends.clear();
        let mut gone = 0;
        while gone < 4 {
            gone += lobby.wait(None, &bell, Duration::from_secs(1)).len();
        }
    }

    #[test]
    fn addresses_take_turns() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let (bell, mut ends) = (Bell::new().unwrap(), Vec::new());
        let mut lobby = Lobby::new(100, Duration::ZERO);
        let mut come = |lobby: &mut Lobby, i: u8| {
            let (caller, mut end) = caller(&port, &format!("10.0.0.{i}:1"));
            end.write_all(b"x").unwrap();
            ends.push(end);
            assert!(lobby.enter(caller).is_none());
            while lobby.callers.iter().any(|caller| !caller.spoken) {
                assert!(lobby.wait(None, &bell, Duration::from_secs(1)).is_empty());
            }
        };
        let next = |lobby: &mut Lobby| {
            let IpAddr::V4(ip) = lobby.next(|_| true)?.address.ip() else { return None };
            Some(ip.octets()[3])
        };
        [1, 1, 1, 2, 2, 2, 3, 3].into_iter().for_each(|i| come(&mut lobby, i));
        assert_eq!([(); 4].map(|()| next(&mut lobby)), [1, 2, 3, 1].map(Some));
        come(&mut lobby, 4);
        assert_eq!([(); 6].map(|()| next(&mut lobby)), [Some(4), Some(2), Some(3), Some(1), Some(2), None]);
        // Of addresses that have nobody here nothing is kept for long.
        lobby.most = 3;
        [5, 6].into_iter().for_each(|i| come(&mut lobby, i));
        assert_eq!([(); 2].map(|()| next(&mut lobby)), [5, 6].map(Some));
        assert_eq!(lobby.turns.len(), 1);
    }

    #[test]
    fn nobody_waits_longer_than_a_set_up_takes() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let bell = Bell::new().unwrap();
        let (mut lobby, mut ends) = (Lobby::new(4, Duration::ZERO), Vec::new());
        for i in 1..=4 {
            let (caller, mut end) = caller(&port, &format!("10.0.0.{i}:{i}"));
            end.write_all(b"x").unwrap();
            assert!(lobby.enter(caller).is_none());
            ends.push(end);
        }
        while lobby.callers.iter().any(|caller| !caller.spoken) {
            assert!(lobby.wait(None, &bell, Duration::from_secs(1)).is_empty());
        }
        assert!(!lobby.has_room(), "who has spoken makes no room");
        assert!(lobby.expired(Duration::from_secs(600)).is_empty());
        let gone: Vec<_> = lobby.expired(Duration::ZERO).iter().map(|caller| caller.address.port()).collect();
        assert_eq!(gone, [1, 2, 3, 4]);
        assert!(lobby.has_room());
    }

    #[test]
    fn an_address_has_half_of_the_places() {
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        // So patient that nobody makes room for others.
        let mut lobby = Lobby::new(8, Duration::from_secs(600));
        let mut ends = Vec::new();
        for i in 0..20u16 {
            let (caller, end) = caller(&port, &format!("[2001:db8::{i}]:{}", 100 + i));
            let gone = lobby.enter(caller);
            assert_eq!(gone.map(|gone| gone.address.port()), (i >= 4).then(|| 100 + i - 4));
            ends.push(end);
        }
        for i in 0..4 {
            assert!(lobby.has_room());
            let (caller, end) = caller(&port, &format!("10.0.0.{i}:1"));
            assert!(lobby.enter(caller).is_none());
            ends.push(end);
        }
        assert!(!lobby.has_room());
        assert_eq!((lobby.shed().len(), lobby.has_room()), (2, true));
        assert_eq!(
            (lobby.expired(Duration::from_secs(600)).len(), lobby.expired(Duration::ZERO).len()),
            (0, 6)
        );
    }
}
