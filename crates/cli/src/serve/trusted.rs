//! Who is trusted, and the port for them; what there is to say about it goes to `lines`.

use std::time::Duration;

use crate::serve::{arguments::Serve, log};
use hushtable::net::{Farewell, Identity, Listener, Log, Options};
use hushtable_columns::failure::Result;
use hushtable_jobs::{link, throttle::Throttled};

/// The same port for those who are trusted now.
pub fn renewed(
    args: &Serve,
    (listener, before): &(Listener, Option<Identity>),
    farewell: &Farewell,
    lines: &mut Vec<String>,
) -> Result<(Listener, Option<Identity>)> {
    let identity = identity(args, before.as_ref(), lines)?;
    let mut who = Vec::new();
    let options = options(args, identity.clone(), farewell, true, &mut who);
    let listener = listener.renewed(options)?;
    lines.append(&mut who);
    Ok((listener, identity))
}

/// This party's identity. A pin that cannot be used is left out, with a line: whoever else is trusted may come, and who is
/// trusted no longer may not. Where key and certificate cannot be read again, they are those of `before`.
pub fn identity(
    args: &Serve,
    before: Option<&Identity>,
    lines: &mut Vec<String>,
) -> Result<Option<Identity>> {
    let folder = args.port.identity.as_deref().filter(|_| !args.port.insecure_plain_tcp);
    let Some(folder) = folder else { return Ok(None) };
    let (identity, bad) = match (Identity::load_for_many(folder), before) {
        (Err(error), Some(before)) => {
            lines.push(format!("key and certificate stay as they are: {error}"));
            before.with_pins_of_now()?
        }
        (loaded, _) => loaded?,
    };
    lines.extend(bad.iter().map(|error| format!("a pin is left out, nobody is trusted by it: {error}")));
    Ok(Some(identity))
}

/// How clients come in. Whoever is turned away gets a line. `again`: a peer of `--peer` may be trusted no longer.
pub fn options(
    args: &Serve,
    identity: Option<Identity>,
    farewell: &Farewell,
    again: bool,
    lines: &mut Vec<String>,
) -> Options {
    let port = &args.port;
    let mut options = link::options_of(identity);
    let timeout = Duration::from_secs(args.limits.timeout.into());
    options.guests = options.identity.as_ref().map(|identity| guests(identity, &port.peer, again, lines));
    let farewell = farewell.clone();
    let throttled = Throttled::default();
    let log = Log::new(move |text| throttled.take(text).iter().for_each(|text| log::line(text)));
    options.shape(port.net).timeout(timeout).idle(timeout).farewell(farewell).log(log)
}

/// Who may come: those of `--peer`, or all that are trusted. `again`: those who are trusted still, with a line about it.
fn guests(identity: &Identity, named: &[String], again: bool, lines: &mut Vec<String>) -> Vec<String> {
    let trusted: Vec<String> = identity.peers().into_iter().map(|peer| peer.name).collect();
    if !again {
        // A name that was never trusted is a slip: the listener says so.
        return if named.is_empty() { trusted } else { named.to_vec() };
    }
    let (here, gone) = match named {
        [] => (trusted, vec![]),
        _ => named.iter().cloned().partition(|name| trusted.contains(name)),
    };
    lines.extend(gone.iter().map(|name| format!("{name} may not come: it is trusted no longer")));
    let who = if here.is_empty() { "nobody".into() } else { here.join(", ") };
    lines.push(format!("the trusted peers were read again: {who} may come"));
    here
}
