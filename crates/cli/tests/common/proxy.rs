//! A way between the parties on which something happens.

use std::{
    io::{Read, Write},
    net::{Shutdown, TcpListener, TcpStream},
    sync::mpsc::{Receiver, Sender, channel},
    thread,
};

/// What happens once some bytes from the listening party have passed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fault {
    /// Nothing more passes in either direction, and nobody is told.
    Stall,
    /// Both parties see the connection end.
    Cut,
    /// Other bytes pass instead, from the listening party to the connecting one.
    Garbage,
    /// Everything goes on; [`Proxy::reached`] tells the test.
    Tell,
}

/// Carries connections to the listening party, each with the same fault.
pub struct Proxy {
    pub address: String,
    reached: Receiver<()>,
    /// Connections that stay open.
    _open: Receiver<TcpStream>,
}

impl Proxy {
    /// A way to `target`, with `fault` after `after` bytes from there.
    pub fn new(target: &str, after: usize, fault: Fault) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let (target, (tell, reached), (keep, open)) = (target.to_owned(), channel(), channel());
        thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                // A listening party that has ended takes no more connections.
                let Ok(far) = TcpStream::connect(&target) else { return };
                let (there, back) = (near.try_clone().unwrap(), far.try_clone().unwrap());
                thread::spawn(move || copy(there, back));
                let (way, tell, keep) = (Way { far, near, after, fault }, tell.clone(), keep.clone());
                thread::spawn(move || way.carry(tell, keep));
            }
        });
        Self { address, reached, _open: open }
    }

    /// Waits until the bytes have passed.
    pub fn reached(&self) {
        self.reached.recv().expect("the parties send that much");
    }
}

struct Way {
    far: TcpStream,
    near: TcpStream,
    after: usize,
    fault: Fault,
}

impl Way {
    fn carry(mut self, tell: Sender<()>, keep: Sender<TcpStream>) {
        let mut passed = 0;
        let mut bytes = vec![0; 1 << 16];
        loop {
            let most = if passed < self.after { bytes.len().min(self.after - passed) } else { bytes.len() };
            let n = match self.far.read(&mut bytes[..most]) {
                Ok(n) if n > 0 => n,
                _ => break,
            };
            if passed >= self.after && self.fault == Fault::Garbage {
                bytes[..n].iter_mut().enumerate().for_each(|(i, b)| *b ^= (i % 251) as u8 | 1);
            }
            if self.near.write_all(&bytes[..n]).is_err() {
                break;
            }
            passed += n;
            if passed >= self.after {
                let _ = tell.send(());
                match self.fault {
                    Fault::Tell | Fault::Garbage => {}
                    Fault::Cut => break,
                    Fault::Stall => {
                        let _ = keep.send(self.far);
                        let _ = keep.send(self.near);
                        return;
                    }
                }
            }
        }
        let _ = self.far.shutdown(Shutdown::Both);
        let _ = self.near.shutdown(Shutdown::Both);
    }
}

fn copy(mut from: TcpStream, mut to: TcpStream) {
    let _ = std::io::copy(&mut from, &mut to);
    let _ = to.shutdown(Shutdown::Write);
}
