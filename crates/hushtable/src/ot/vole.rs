//! VOLE (a stand-in, by packing only).

use prim::{Block, Wiped, gf64};
use zeroize::Zeroizing;

use super::{
    choice::Limits,
    rcot::{CotReceiver, CotSender},
};
use crate::{bill::Bill, error::Result, net::Role};

/// The half of who has `Delta`.
pub struct Sender {
    /// Of the session.
    pub delta: Zeroizing<Block>,
    /// `v`.
    pub v: Wiped<Block>,
}

/// The other half.
pub struct Receiver {
    /// `a`.
    pub a: Wiped<u64>,
    /// `v + a Delta`.
    pub w: Wiped<Block>,
}

/// What they cost.
///
/// # Errors
/// None.
pub fn bill(sender: Role, count: usize, _: &Limits) -> Result<Bill> {
    let mut bill = Bill::FREE;
    bill.cots[sender as usize] = 64 * count as u64;
    Ok(bill)
}

/// From 64 COTs each.
pub(crate) fn pack_sender(cots: CotSender) -> Sender {
    Sender { delta: Zeroizing::new(cots.delta()), v: packed(cots.strings()) }
}

pub(crate) fn pack_receiver(cots: CotReceiver) -> Receiver {
    let a = cots.strings().chunks(64).map(|t| t.iter().zip(0..).fold(0, |a, (t, i)| a | (t.0 as u64 & 1) << i));
    Receiver { a: a.collect::<Vec<u64>>().into(), w: packed(cots.strings()) }
}

fn packed(strings: &[Block]) -> Wiped<Block> {
    let mut out = Wiped::<Block>::zeros(strings.len() / 64);
    for (out, strings) in out.iter_mut().zip(strings.chunks(64)) {
        for half in [0, 64] {
            let sum = strings.iter().rev().fold(0, |sum, q| gf64::product(sum, 2) ^ (q.0 >> half) as u64);
            out.0 |= u128::from(sum) << half;
        }
    }
    out
}
