//! Callers who come in numbers and say little. The program's tests use it too.

use std::io::Write;
use std::net::{TcpStream, ToSocketAddrs};

/// So many sockets as asked for, or as many as the system gives this process for the purpose.
pub fn sockets(most: usize) -> usize {
    #[cfg(unix)]
    {
        use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
        let Rlimit { current, maximum } = getrlimit(Resource::Nofile);
        let _ = setrlimit(Resource::Nofile, Rlimit { current: maximum, maximum });
        let files = getrlimit(Resource::Nofile).current.or(current).unwrap_or(u64::MAX);
        // A caller takes one here and perhaps one at the party, which may be in this process too, as other tests are.
        let count = most.min(usize::try_from(files / 4).unwrap_or(most));
        if count < most {
            eprintln!("{count} callers in place of {most}: this process may open {files} files (ulimit -Hn)");
        }
        count
    }
    #[cfg(not(unix))]
    most.min(200)
}

/// So many callers that say something and then nothing, as long as the sockets live.
pub fn loiter(addr: impl ToSocketAddrs, count: usize, says: &[u8]) -> Vec<TcpStream> {
    let caller = |_| {
        let mut socket = TcpStream::connect(&addr).unwrap();
        let _ = socket.write_all(says);
        socket
    };
    (0..count).map(caller).collect()
}

/// The same from two other addresses of this machine, half of them each: those of the peer's own share its places. Where
/// a system has no other addresses, from its own.
pub fn loiter_elsewhere(addr: std::net::SocketAddr, count: usize, says: &[u8]) -> Vec<TcpStream> {
    #[cfg(target_os = "linux")]
    {
        use rustix::net::{AddressFamily, SocketType, bind, connect, socket};
        let caller = |i: usize| {
            let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
            let from = [127, 0, 0, if i < count / 2 { 2 } else { 3 }];
            bind(&socket, &std::net::SocketAddr::from((from, 0))).unwrap();
            connect(&socket, &addr).unwrap();
            let mut socket = TcpStream::from(socket);
            let _ = socket.write_all(says);
            socket
        };
        (0..count).map(caller).collect()
    }
    #[cfg(not(target_os = "linux"))]
    loiter(addr, count, says)
}
