//! VOLEs of 64 correlated OTs each, without a message.

use std::array;

use prim::{Wiped, block::Block, gf64};

use super::halves::Receiver;
use crate::{error::Result, ot::source::Ot, session::Session};

/// The powers of x below 64: `sum x^j c_j` with bits `c_j` is the word of these bits.
fn powers() -> [u64; 64] {
    array::from_fn(|j| 1 << j)
}

/// `v_i`, as the party that knows Delta.
pub(super) fn send(s: &mut Session, ot: &mut Ot, count: usize) -> Result<Wiped<Block>> {
    let mut v = Wiped::default();
    v.reserve(count);
    let pack = |v: &mut Wiped<Block>, _, q: &[Block]| {
        gf64::inner_products(&powers(), q, v.extend_zeros(q.len() / 64));
    };
    ot.stream(s, (64 * count, 0), &mut v, pack, |_, _| ())?;
    Ok(v)
}

/// `a_i` and `w_i`.
pub(super) fn receive(s: &mut Session, ot: &mut Ot, count: usize) -> Result<Receiver> {
    let mut out = Receiver::with_room(count);
    let pack = |out: &mut Receiver, t: &[Block]| {
        gf64::inner_products(&powers(), t, out.w.extend_zeros(t.len() / 64));
        let words = out.a.extend_zeros(t.len() / 64);
        for (a, t) in words.iter_mut().zip(t.as_chunks::<64>().0) {
            *a = t.iter().zip(0..).fold(0, |a, (t, j)| a | u64::from(t.lsb()) << j);
        }
    };
    ot.stream(s, (0, 64 * count), &mut out, |_, _, _| (), pack)?;
    Ok(out)
}
