//! The server's masks in an order of the client's: shares of them, the order a secret.
//!
//! # Functionality
//! In: the server's masks of all buckets; the client's buckets `p_1, .., p_b`, distinct. Out: XOR shares of the masks
//! of these buckets.
//!
//! # Protocol
//! 1. *Offline*: the client [draws](hushtable::inner::draw) an order of all buckets, and both get shares of the masks in it.
//! 2. *Online*: the client sends the places of its buckets in that order. They are b distinct places in a uniform order,
//!    whatever the `p_i` are. Both take their shares there.
//!
//! # Cost
//! For n buckets and w bits, offline `(2 log2 n - 1) n / 2` correlated OTs, as many bits from the client and w times as
//! many from the server, 2 rounds; online `b log2 n` bits from the client. In a garbled network of as many
//! switches, whose evaluator knows them, each would take 128 w bits.
//!
//! # Source
//! FABLE 4.2 (Decode) has two sorting networks of the buckets, for keys and values, garbled online. confidential-errata E20;
//! Mohassel, Sadeghian, "How to hide circuits in MPC" (Eurocrypt 2013) for a network whose switches one party knows; Chase,
//! Ghosh, Poburinnaya (Asiacrypt 2020) for a permutation that is made ahead.

use prim::{
    Wiped,
    pack::{pack, packed_len, unpack},
};

use hushtable::{
    error::{Error, Result},
    inner::{draw, hold_for_draw},
    party::Party,
    session::Session,
};

/// For each copy a column of keys and one of values, a word for each bucket or lookup.
pub(super) type Columns = Vec<Wiped<u64>>;

/// Shares of all masks in a random order.
pub(super) struct Moved {
    /// A word for each bucket.
    columns: Columns,
    /// Where the client has moved each bucket to.
    to: Option<Wiped<u32>>,
}

impl Moved {
    /// Offline: the server gives its columns of words of these widths, the client none.
    pub fn prepare(p: &mut Party, slots: usize, widths: &[u32], masks: Option<&Columns>) -> Result<Self> {
        if let Some(masks) = masks {
            return Ok(Self { columns: hold_for_draw(p, masks, widths)?, to: None });
        }
        let (from, columns) = draw(p, slots, widths)?;
        let mut to = Wiped::<u32>::zeros(slots);
        from.iter().enumerate().for_each(|(place, &bucket)| to[bucket as usize] = place as u32);
        Ok(Self { columns, to: Some(to) })
    }

    /// Online at the client: tells where the masks of these buckets are, and takes its shares.
    pub fn ask(self, s: &mut Session, buckets: &[u32]) -> Result<Columns> {
        let to = self.to.as_ref().expect("the client's part");
        // Public: places of distinct buckets under a uniform permutation, which serves only here.
        let places: Vec<u32> = buckets.iter().map(|&bucket| to[bucket as usize]).collect();
        let mut message = Vec::new();
        pack(&places, place_bits(self.columns[0].len()), &mut message);
        s.send(message)?;
        Ok(self.take(&places))
    }

    /// Online at the server, for `count` buckets.
    pub fn tell(self, s: &mut Session, count: usize) -> Result<Columns> {
        let (slots, mut places) = (self.columns[0].len(), vec![0u32; count]);
        let bits = place_bits(slots);
        unpack(&s.recv(packed_len(count, bits))?, bits, &mut places);
        if places.iter().any(|&place| place as usize >= slots) {
            return Err(Error::Peer("the place of a mask that does not exist".into()));
        }
        Ok(self.take(&places))
    }

    /// The places are public.
    fn take(&self, places: &[u32]) -> Columns {
        let take =
            |column: &Wiped<u64>| places.iter().map(|&place| column[place as usize]).collect::<Vec<_>>();
        self.columns.iter().map(|column| Wiped::from(take(column))).collect()
    }
}

/// Bits of a place.
pub(super) fn place_bits(slots: usize) -> u32 {
    slots.ilog2()
}
