//! Finding out why two parties do not get together, leg by leg.

use super::agree;
use super::establish::Setup;
use super::guard::Secured;
use super::hello::{Hello, Intent, WIRE_VERSION};
use super::listen::{reach, resolve};
use super::options::Options;
use super::role::Role;
use super::transport::Deadline;
use crate::error::{Error, Result};
use std::fmt;
use std::time::Duration;

/// A leg of the way to the peer, in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Stage {
    /// The host name has an address.
    Name,
    /// The address takes TCP connections.
    Tcp,
    /// The peer speaks TLS 1.3, or plain TCP, as this party does.
    Tls,
    /// Each party accepts the other's certificate.
    Pin,
    /// The peer is a hushtable of this wire version, waiting as P0.
    Version,
    /// The parties' parameters are the same.
    Parameters,
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Stage::Name => "name",
            Stage::Tcp => "tcp",
            Stage::Tls => "tls",
            Stage::Pin => "pin",
            Stage::Version => "version",
            Stage::Parameters => "parameters",
        })
    }
}

/// Goes the way to a party that waits in `accept` at `addr`, as far as it leads: what was found at
/// each stage, the last one possibly an error. The waiting party goes on waiting.
pub fn diagnose(addr: &str, options: Options) -> Vec<(Stage, Result<String>)> {
    let mut way = Way { found: Vec::new(), stage: Stage::Name };
    if let Err(error) = way.go(addr, options) {
        way.found.push((way.stage, Err(error)));
    }
    way.found
}

struct Way {
    found: Vec<(Stage, Result<String>)>,
    /// To which an error belongs.
    stage: Stage,
}

impl Way {
    /// The current stage is passed.
    fn passed(&mut self, found: String, next: Stage) {
        self.found.push((self.stage, Ok(found)));
        self.stage = next;
    }

    fn go(&mut self, addr: &str, options: Options) -> Result<()> {
        let addrs = resolve(addr)?;
        let shown: Vec<String> = addrs.iter().map(|addr| addr.ip().to_string()).collect();
        self.passed(shown.join(", "), Stage::Tcp);

        let socket = reach(addr, &addrs, &Deadline::after(Duration::ZERO))?;
        self.passed(format!("connected to {}", socket.addr()), Stage::Tls);

        let setup = Setup::new(options)?;
        let deadline = setup.deadline();
        let secured = setup.secure(socket, &deadline).map_err(|refusal| {
            if refusal.pin {
                self.passed("TLS 1.3".into(), Stage::Pin);
            }
            refusal.error
        })?;
        self.greet(&setup, &secured, &deadline)?;

        let fields = setup.options.fields();
        let mut connection = setup.connection(Role::P1, secured, [0; 32], None)?;
        agree::agree(connection.channel(), &fields, Vec::new())?;
        self.found.push((Stage::Parameters, Ok(format!("{} parameters agree", fields.len()))));
        Ok(())
    }

    fn greet(&mut self, setup: &Setup, secured: &Secured, deadline: &Deadline) -> Result<()> {
        let hello = Hello::new(Role::P1, Intent::Probe);
        let greeted = setup.trade(&*secured.transport, &hello, deadline).map(drop);
        // In TLS 1.3 the peer's verdict on our certificate arrives only with its first message; on
        // plain TCP a peer that insists on TLS says so there.
        let refused = matches!(greeted, Err(Error::Tls(_)));
        if setup.guard.is_some() {
            self.passed("TLS 1.3".into(), Stage::Pin);
            if refused {
                return greeted;
            }
            let peer = &secured.peer_name;
            self.passed(
                format!("each side accepts the other's certificate; the peer is {peer}"),
                Stage::Version,
            );
        } else if refused {
            return greeted;
        } else {
            self.passed("off: plain TCP".into(), Stage::Version);
        }
        greeted?;
        self.passed(format!("wire version {WIRE_VERSION} on both sides"), Stage::Parameters);
        Ok(())
    }
}
