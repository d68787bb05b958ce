//! The server's masks in an order of the client's: shares of them, the order a secret.
//!
//! # Functionality
//! In: the server's masks of all buckets; the client's buckets `p_1, .., p_b`, distinct. Out: XOR shares of the masks
//! of these buckets.
//!
//! # Protocol
//! 1. *Offline*: the client draws a permutation rho of all buckets. A [network](super::benes) whose switches it sets
//!    moves the masks to this order: a switch adds `c (x ^ y)` to both, with the client's bit c; of x and y both have
//!    shares, so it is a product of the client's bit with the server's value, and one that the client has alone.
//! 2. *Online*: the client sends the places `rho^-1(p_i)`. They are b distinct places in a uniform order, whatever the
//!    `p_i` are. Both take their shares there.
//!
//! # Cost
//! For n buckets and w bits, offline `(2 log2 n - 1) n / 2` correlated OTs, as many bits from the client and w times as
//! many from the server, `2 log2 n - 1` rounds; online `b log2 n` bits from the client.
//!
//! # Source
//! FABLE 4.2 (Decode) has two sorting networks of the buckets, for keys and values, online. confidential-errata E20; Mohassel,
//! Sadeghian, "How to hide circuits in MPC" (Eurocrypt 2013) for a network whose switches one party knows; Chase, Ghosh,
//! Poburinnaya (Asiacrypt 2020) for a permutation that is made ahead.

use prim::{
    Wiped,
    pack::{pack, packed_len, unpack},
};
use zeroize::Zeroizing;

use super::benes::{Switches, layers, pairs};
use hushtable::{
    bill::Bill,
    error::{Error, Result},
    inner::{Direction, Products, multiply},
    net::Role,
    party::Party,
    session::Session,
    share::Bitwise,
};

/// Shares of all masks in a random order.
pub(super) struct Moved {
    /// Columns of words, one word for each bucket.
    columns: Zeroizing<Vec<Vec<u64>>>,
    /// Where the client has moved each bucket to.
    to: Option<Wiped<u32>>,
}

/// What it costs, but for what is sent online.
pub(super) fn bill(server: Role, slots: usize, widths: &[u32]) -> Bill {
    let layer = Products::bill(Direction::from(server), widths).times(slots / 2).all_offline();
    (1..layers(slots)).fold(layer, |sum, _| sum + layer)
}

impl Moved {
    /// Offline: the server gives its columns of words of these widths, the client none.
    pub fn prepare(
        p: &mut Party,
        server: Role,
        slots: usize,
        widths: &[u32],
        masks: Option<&[Vec<u64>]>,
    ) -> Result<Self> {
        let zeros = || vec![vec![0; slots]; widths.len()];
        let mut columns = Zeroizing::new(masks.map_or_else(zeros, <[_]>::to_vec));
        let (switches, to) = match p.role() == server {
            true => (None, None),
            false => {
                let from = order(p, slots);
                let mut to = Wiped::<u32>::zeros(slots);
                from.iter().enumerate().for_each(|(place, &bucket)| to[bucket as usize] = place as u32);
                (Some(Switches::new(&from)), Some(to))
            }
        };
        for layer in 0..layers(slots) {
            let products = Products::prepare(p, Direction::from(server), slots / 2, widths)?;
            let bits = switches.as_ref().map(|all| &all.0[layer]);
            let bit = |i: usize| bits.map_or(0, |bits| bits[i]);
            let differ = |column: &Vec<u64>| {
                pairs(slots, layer).map(|[i, j]| column[i] ^ column[j]).collect::<Vec<_>>()
            };
            let values = Zeroizing::new(columns.iter().map(differ).collect::<Vec<_>>());
            let changes = multiply::<Bitwise>(p, vec![products.chosen((0..slots / 2).map(bit), &values)])?;
            for ((column, values), changes) in columns.iter_mut().zip(values.iter()).zip(changes[0].iter()) {
                for (i, [first, second]) in pairs(slots, layer).enumerate() {
                    let change = changes[i] ^ values[i] & bit(i).wrapping_neg();
                    column[first] ^= change;
                    column[second] ^= change;
                }
            }
        }
        Ok(Self { columns, to })
    }

    /// Online at the client: tells where the masks of these buckets are, and takes its shares.
    pub fn ask(self, s: &mut Session, buckets: &[u32]) -> Result<Zeroizing<Vec<Vec<u64>>>> {
        let to = self.to.as_ref().expect("the client's part");
        // Public: places of distinct buckets under a uniform permutation, which serves only here.
        let places: Vec<u32> = buckets.iter().map(|&bucket| to[bucket as usize]).collect();
        let mut message = Vec::new();
        pack(&places, place_bits(self.columns[0].len()), &mut message);
        s.send(message)?;
        Ok(self.take(&places))
    }

    /// Online at the server, for `count` buckets.
    pub fn tell(self, s: &mut Session, count: usize) -> Result<Zeroizing<Vec<Vec<u64>>>> {
        let (slots, mut places) = (self.columns[0].len(), vec![0u32; count]);
        let bits = place_bits(slots);
        unpack(&s.recv(packed_len(count, bits))?, bits, &mut places);
        if places.iter().any(|&place| place as usize >= slots) {
            return Err(Error::Peer("the place of a mask that there is not".into()));
        }
        Ok(self.take(&places))
    }

    /// The places are public.
    fn take(&self, places: &[u32]) -> Zeroizing<Vec<Vec<u64>>> {
        let take = |column: &Vec<u64>| places.iter().map(|&place| column[place as usize]).collect();
        Zeroizing::new(self.columns.iter().map(take).collect())
    }
}

/// Bits of a place.
pub(super) fn place_bits(slots: usize) -> u32 {
    slots.ilog2()
}

/// A uniform order.
fn order(s: &mut Session, len: usize) -> Wiped<u32> {
    let mut from = Wiped::from((0..len as u32).collect::<Vec<_>>());
    (1..len).for_each(|i| from.swap(i, s.rng().below(i as u32 + 1) as usize));
    from
}
