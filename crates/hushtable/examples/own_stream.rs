//! A session over a stream of the program's own: here TCP of tokio's, as it might be a stream of QUIC or a tunnel. The
//! library waits in threads of its own, so a task calls it by `spawn_blocking`.

use std::{
    future::Future,
    io::{self, ErrorKind},
    sync::Arc,
    time::Duration,
};

use hushtable::{
    net::{Connection, Transport},
    prelude::*,
};
use tokio::{
    io::{AsyncReadExt, AsyncWriteExt},
    net::{TcpListener, TcpStream, tcp},
    runtime::{Handle, Runtime},
    sync::Mutex,
    task::spawn_blocking,
    time::timeout,
};

/// Both halves, which one thread reads and another writes.
struct Stream {
    runtime: Handle,
    read: Mutex<tcp::OwnedReadHalf>,
    write: Mutex<tcp::OwnedWriteHalf>,
}

impl Stream {
    /// As the library wants it. Whoever is at the other end must be known by now.
    fn new(stream: TcpStream) -> Arc<Self> {
        let (read, write) = stream.into_split();
        Arc::new(Self { runtime: Handle::current(), read: Mutex::new(read), write: Mutex::new(write) })
    }

    fn within<T>(&self, wait: Duration, work: impl Future<Output = io::Result<T>>) -> io::Result<T> {
        self.runtime
            .block_on(async { timeout(wait, work).await.unwrap_or_else(|_| Err(ErrorKind::TimedOut.into())) })
    }
}

impl Transport for Stream {
    fn write(&self, a: &[u8], b: &[u8], wait: Duration) -> io::Result<usize> {
        let bytes = if a.is_empty() { b } else { a };
        self.within(wait, async { self.write.lock().await.write(bytes).await })
    }

    fn flush(&self, wait: Duration) -> io::Result<()> {
        self.within(wait, async { self.write.lock().await.flush().await })
    }

    fn read(&self, buf: &mut [u8], wait: Duration) -> io::Result<usize> {
        self.within(wait, async { self.read.lock().await.read(buf).await })
    }

    fn close(&self, linger: Duration) {
        // Says that nothing follows, and waits for the peer to say so too.
        let _ = self.within(linger, async {
            self.write.lock().await.shutdown().await?;
            while self.read.lock().await.read(&mut [0; 4096]).await? > 0 {}
            Ok(())
        });
    }
}

/// One party's part: whether shared numbers are equal.
fn compare(stream: Arc<Stream>, role: Role, mine: [&[u64]; 2]) -> Result<Vec<i64>> {
    let mut p = Party::new(Connection::over(stream, role, "the other task", Options::plain())?, None)?;
    let equal = Compare::new(Relation::Eq, [16, 0], [0, 100], [0, 100], Objective::Rounds)?;
    let done = Job::new(&equal).on(mine[0]).on(mine[1]).reveal(Reveal::Both).run(&mut p)?;
    Ok(done.values().expect("both get them"))
}

/// Runs it.
///
/// # Errors
/// Those of the library and of the sockets.
pub fn main() -> std::result::Result<(), Box<dyn std::error::Error>> {
    Runtime::new()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let calling = TcpStream::connect(listener.local_addr()?).await?;
        let (here, there) = (Stream::new(listener.accept().await?.0), Stream::new(calling));
        let one = spawn_blocking(move || compare(here, Role::P0, [&[1, 2, 3], &[0; 3]]));
        let two = spawn_blocking(move || compare(there, Role::P1, [&[0; 3], &[1, 5, 3]]));
        let (one, two) = (one.await??, two.await??);
        assert_eq!((&one[..], &two[..]), (&[1, 0, 1][..], &[1, 0, 1][..]));
        println!("{one:?}");
        Ok(())
    })
}
