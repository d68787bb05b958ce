//! A peer made of bytes: what tests put in a party's way to see, change and cut its messages.

use std::io::{self, ErrorKind, Read, Write};
use std::time::Duration;

use super::memory::Memory;
use super::transport::{Transport, again};

/// The far end of a connection inside this process, as a stream of bytes. Dropping it hangs up.
pub struct RawPeer(Memory);

/// How long one call waits before it is repeated.
const WAIT: Duration = Duration::from_secs(1);

impl RawPeer {
    pub(super) fn new(end: Memory) -> Self {
        RawPeer(end)
    }

    /// Hangs up: the party sees what was written before, then the end.
    pub fn hang_up(&self) {
        self.0.close(Duration::ZERO);
    }
}

impl Read for &RawPeer {
    fn read(&mut self, buf: &mut [u8]) -> io::Result<usize> {
        loop {
            match self.0.read(buf, WAIT) {
                Err(e) if again(&e) => {}
                outcome => return outcome,
            }
        }
    }
}

impl Write for &RawPeer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        loop {
            match self.0.write(bytes, &[], WAIT) {
                Ok(0) if !bytes.is_empty() => return Err(ErrorKind::WriteZero.into()),
                Err(e) if again(&e) => {}
                outcome => return outcome,
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for RawPeer {
    fn drop(&mut self) {
        self.hang_up();
    }
}
