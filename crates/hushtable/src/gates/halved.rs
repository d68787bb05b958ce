//! Correlated OTs for items that have a first and a second party: P0 is the first one in half of them, P1 in the others.

use crate::{
    codec::{Reader, Writer},
    error::{Error, Result},
    net::Role,
    ot::{CotReceiver, CotSender},
    party::Party,
    session::halves,
    source::{Atom, Source},
    terms::Terms,
};

/// How many correlated OTs P0 and P1 send for an item: first where P0 does the first part, then where P1 does. Public.
type PerItem = [[usize; 2]; 2];

/// One-time material for a batch of items.
#[must_use = "one-time material that is not used was generated for nothing"]
pub(crate) struct Halved {
    role: Role,
    of: PerItem,
    /// Items in which P0 does the first part, and in which P1 does.
    items: [usize; 2],
    cots: (CotSender, CotReceiver),
}

impl Halved {
    /// For so many items: P0 does the first part in the first half of them.
    ///
    /// # Errors
    /// Those of the channel, or of a store.
    pub(crate) fn prepare(from: &mut dyn Source, of: PerItem, items: usize) -> Result<Self> {
        from.atom(of, items, |p: &mut Party| {
            let (role, items) = (p.role(), halves(Role::P0, items).into());
            let (send, receive) = counts(&of, items, role);
            Ok(Self { role, of, items, cots: p.cots(send, receive)? })
        })
    }

    /// Items in which P0 does the first part. What was cut out of a store may have one fewer of them than of the others.
    pub(crate) fn first(&self) -> usize {
        self.items[0]
    }

    /// The correlated OTs, as sender and as receiver.
    pub(crate) fn into_cots(self) -> (CotSender, CotReceiver) {
        self.cots
    }
}

/// How many the party `role` has as sender and as receiver.
fn counts(of: &PerItem, items: [usize; 2], role: Role) -> (usize, usize) {
    let sent = |role: Role| items.iter().zip(of).map(|(items, each)| items * each[role as usize]).sum();
    (sent(role), sent(role.peer()))
}

impl Atom for Halved {
    type Form = PerItem;

    fn terms(of: &PerItem) -> Terms {
        let each = |first: usize| of[first].map(|count| count as u64);
        Terms::of("correlated OTs").with("first P0", &each(0)[..]).with("first P1", &each(1)[..])
    }

    fn encode(&self, to: &mut Writer) {
        self.cots.0.encode(to);
        self.cots.1.encode(to);
    }

    fn decode(from: &mut Reader<'_>, role: Role, of: &PerItem, count: usize) -> Result<Self> {
        let items = halves(Role::P0, count).into();
        let (send, receive) = counts(of, items, role);
        let cots = (CotSender::decode(from, send)?, CotReceiver::decode(from, receive)?);
        Ok(Self { role, of: *of, items, cots })
    }

    fn take(&mut self, count: usize) -> Result<Self> {
        let all: usize = self.items.iter().sum();
        let Some(left) = all.checked_sub(count) else {
            return Err(Error::Shape { what: "items left", want: count, got: all });
        };
        // What is left is halved as a batch of as many is.
        let left = <[usize; 2]>::from(halves(Role::P0, left));
        let items = [0, 1].map(|first| self.items[first] - left[first]);
        let (send, receive) = counts(&self.of, items, self.role);
        self.items = left;
        let cots = (self.cots.0.take(send)?, self.cots.1.take(receive)?);
        Ok(Self { role: self.role, of: self.of, items, cots })
    }
}
