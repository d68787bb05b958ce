//! Random correlated OTs: the correlation that everything else is made from.

use prim::{Wiped, block::Block};
use zeroize::Zeroize;

use crate::{
    codec::{Reader, Writer},
    error::{Error, Result},
};

/// The sender's half of a batch of random correlated OTs: strings `q` and the session's secret
/// `Delta`, with the receiver's `t = q ^ b * Delta`.
///
/// The lowest bit of `Delta` is 1, of every `q` 0 and of every `t` the choice bit. Each correlation
/// belongs to one consumer: protocols take the batch by value, and what borrows the strings (a
/// level of a tree, a check) is part of that consumer.
///
/// ```compile_fail,E0382
/// # use hushtable::ot::rcot::CotSender;
/// fn twice(c: CotSender, consume: fn(CotSender)) { consume(c); consume(c); } // use of moved value
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct CotSender {
    delta: Block,
    q: Wiped<Block>,
}

/// The receiver's half: strings `t`, each with its random choice bit in the lowest bit.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct CotReceiver {
    t: Wiped<Block>,
}

impl CotSender {
    pub(crate) fn new(delta: Block, q: Wiped<Block>) -> Self {
        Self { delta, q }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.q.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.q.is_empty()
    }

    /// Cuts off `count` of them.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub fn take(&mut self, count: usize) -> Result<Self> {
        Ok(Self { delta: self.delta, q: cut(&mut self.q, count)? })
    }

    /// The strings and their `Delta`, which serves no other OT than those of the session that made
    /// them: that session is over when they are read again.
    pub(crate) fn encode(&self, to: &mut Writer) {
        to.blocks(&[self.delta]);
        to.blocks(&self.q);
    }

    pub(crate) fn decode(from: &mut Reader<'_>, count: usize) -> Result<Self> {
        let delta = from.blocks(1)?[0];
        Ok(Self { delta, q: from.blocks(count)?.into() })
    }

    /// The session's secret difference: never sent, never printed.
    pub fn delta(&self) -> Block {
        self.delta
    }

    /// `Ok(())` if these are OTs with that `delta`, as all OTs of a tree must be.
    pub(crate) fn check_delta(&self, delta: Block) -> Result<()> {
        if self.delta == delta {
            return Ok(());
        }
        let (what, got) = ("Delta of a tree's correlated OTs", "that of other ones".into());
        Err(Error::Param { what, got, accepted: "that of its roots".into() })
    }

    /// The strings `q`.
    pub fn strings(&self) -> &[Block] {
        &self.q
    }
}

impl CotReceiver {
    pub(crate) fn new(t: Wiped<Block>) -> Self {
        Self { t }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.t.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.t.is_empty()
    }

    /// Cuts off `count` of them.
    ///
    /// # Errors
    /// [`Error::Shape`] if fewer are left.
    pub fn take(&mut self, count: usize) -> Result<Self> {
        Ok(Self { t: cut(&mut self.t, count)? })
    }

    pub(crate) fn encode(&self, to: &mut Writer) {
        to.blocks(&self.t);
    }

    pub(crate) fn decode(from: &mut Reader<'_>, count: usize) -> Result<Self> {
        Ok(Self { t: from.blocks(count)?.into() })
    }

    /// The strings `t`, choice bits in their lowest bits.
    pub fn strings(&self) -> &[Block] {
        &self.t
    }
}

impl Drop for CotSender {
    fn drop(&mut self) {
        self.delta.zeroize();
    }
}

/// The last `count` strings, removed from `from`; taking all of them moves nothing.
fn cut(from: &mut Wiped<Block>, count: usize) -> Result<Wiped<Block>> {
    let Some(left) = from.len().checked_sub(count) else {
        return Err(Error::Shape { what: "correlated OTs left", want: count, got: from.len() });
    };
    if left == 0 {
        return Ok(std::mem::take(from));
    }
    Ok(from.split_off(left))
}
