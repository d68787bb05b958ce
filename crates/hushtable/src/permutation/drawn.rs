//! One party's columns in an order that the other draws.
//!
//! # Functionality
//! In: columns of n words from the holder, n a power of two from 2 on. Out: XOR shares of them in a uniform order, and the order to the mover.
//!
//! # Protocol
//! Step 1 of a [shuffle](super::shuffle) in one direction, whose masks of the beginning are the columns.
//!
//! # Cost
//! With `n = 2^k` there are `s = 2^(k-1) (2 k - 1)` switches: s correlated OTs, s bits from the mover, and s times the
//! width of an item from the holder; 2 rounds.

use prim::Wiped;

use super::{
    network::{Network, shape, switches},
    shuffle::{Columns, chosen, follow, hold as moved},
};
use crate::{
    bill::{Bill, Phase},
    error::Result,
    net::Role,
    ot::strings::{PayloadReceiver, PayloadSender},
    party::Party,
};

/// What it costs, all of it offline. A message of a layer is filled up to whole bytes, which is not counted.
pub fn bill(holder: Role, items: usize, widths: &[u32]) -> Bill {
    let count = switches(items) as u64;
    let (mut cots, mut bits) = ([0; 2], [count; 2]);
    cots[holder as usize] = count;
    bits[holder as usize] = count * u64::from(widths.iter().sum::<u32>());
    Bill { cots, offline: Phase { bits, rounds: 2 }, ..Bill::FREE }
}

/// Offline, at the holder: its shares.
///
/// # Errors
/// Those of the channel.
pub fn hold(p: &mut Party, columns: &Columns, widths: &[u32]) -> Result<Columns> {
    let (items, layers) = (columns[0].len(), shape(columns[0].len()).1);
    let (out, _) = p.cots(switches(items), 0)?;
    let mut sender = PayloadSender::new(p, out, widths)?;
    let mut senders: Vec<_> = (0..layers).map(|_| sender.take(items / 2)).collect();
    let (shares, message) = moved(columns, items, &mut senders, 0..layers);
    p.send(message)?;
    Ok(shares)
}

/// Offline, at the mover: for each place the item that is there, and its shares.
///
/// # Errors
/// Those of the channel.
pub fn draw(p: &mut Party, items: usize, widths: &[u32]) -> Result<(Wiped<u32>, Columns)> {
    let network = Network::random(p.rng(), items);
    let (layers, each) = (network.layers(), items / 2);
    let (_, inc) = p.cots(0, switches(items))?;
    let mut receiver = PayloadReceiver::new(p, inc, &chosen(&network), widths)?;
    let mut receivers: Vec<_> = (0..layers).map(|_| receiver.take(each)).collect();
    let message = p.recv(receivers.iter().map(|receiver| receiver.message_len(widths.len())).sum())?;
    let shares = follow(&network, items, widths, &mut receivers, 0..layers, &message);
    let mut order = Wiped::from((0..items as u64).collect::<Vec<_>>());
    (0..layers).for_each(|layer| network.exchange(layer, &mut order));
    Ok((Wiped::from(order.iter().map(|&item| item as u32).collect::<Vec<_>>()), shares))
}
