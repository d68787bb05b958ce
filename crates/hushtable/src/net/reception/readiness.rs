//! Who has something to say, of many, without a thread for each.

use std::io;
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

/// A way for other threads to end the wait.
#[cfg(unix)]
pub(super) struct Bell(std::os::unix::net::UnixStream, std::os::unix::net::UnixStream);

/// Rings the bell; where a system has none, the wait is short.
#[cfg(unix)]
pub(super) struct Rope(std::os::unix::net::UnixStream);

#[cfg(unix)]
impl Bell {
    pub(super) fn new() -> io::Result<Self> {
        let (here, there) = std::os::unix::net::UnixStream::pair()?;
        here.set_nonblocking(true)?;
        there.set_nonblocking(true)?;
        Ok(Bell(here, there))
    }

    pub(super) fn rope(&self) -> io::Result<Rope> {
        self.1.try_clone().map(Rope)
    }
}

#[cfg(unix)]
impl Rope {
    pub(super) fn pull(&self) {
        // If it is full, it rings already.
        let _ = io::Write::write(&mut &self.0, &[1]);
    }
}

/// Waits until somebody comes to the port, the bell rings, or there is something to read from one of the sockets or its
/// end, at most `limit`. From which of them.
#[cfg(unix)]
pub(super) fn readable<'a>(
    port: Option<&TcpListener>,
    bell: &Bell,
    sockets: impl Iterator<Item = &'a TcpStream>,
    limit: Duration,
) -> Vec<bool> {
    use rustix::event::{PollFd, PollFlags, Timespec, poll};
    let mut all = vec![PollFd::new(&bell.0, PollFlags::IN)];
    all.extend(port.map(|port| PollFd::new(port, PollFlags::IN)));
    let before = all.len();
    all.extend(sockets.map(|socket| PollFd::new(socket, PollFlags::IN)));
    let limit = Timespec { tv_sec: limit.as_secs() as i64, tv_nsec: limit.subsec_nanos().into() };
    if poll(&mut all, Some(&limit)).is_err() {
        // A signal, or no memory.
        return vec![];
    }
    if !all[0].revents().is_empty() {
        while matches!(io::Read::read(&mut &bell.0, &mut [0; 64]), Ok(1..)) {}
    }
    all[before..].iter().map(|socket| !socket.revents().is_empty()).collect()
}

#[cfg(not(unix))]
pub(super) struct Bell;

#[cfg(not(unix))]
pub(super) struct Rope;

#[cfg(not(unix))]
impl Bell {
    pub(super) fn new() -> io::Result<Self> {
        Ok(Bell)
    }

    pub(super) fn rope(&self) -> io::Result<Rope> {
        Ok(Rope)
    }
}

#[cfg(not(unix))]
impl Rope {
    pub(super) fn pull(&self) {}
}

/// Whoever asks looks at each of them.
#[cfg(not(unix))]
pub(super) fn readable<'a>(
    _: Option<&TcpListener>,
    _: &Bell,
    sockets: impl Iterator<Item = &'a TcpStream>,
    limit: Duration,
) -> Vec<bool> {
    std::thread::sleep(limit.min(Duration::from_millis(5)));
    sockets.map(|_| true).collect()
}

/// Files that this process may have open.
pub(super) fn files() -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, getrlimit};
        getrlimit(Resource::Nofile).current.map_or(usize::MAX, |most| most as usize)
    }
    #[cfg(not(unix))]
    512
}

/// Lets so many callers wait in the system's queue, where the standard library has 128.
pub(in crate::net) fn lengthen(port: &TcpListener, queue: i32) {
    #[cfg(unix)]
    // Where the system does not, the queue is as long as it was.
    let _ = rustix::net::listen(port, queue);
    #[cfg(not(unix))]
    let _ = (port, queue);
}
