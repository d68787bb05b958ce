//! What clients may have, whose each is: keys and copies by the hour, places for shares of results, halves of keys.

use crate::serve::{
    arguments::Serve,
    halves::Halves,
    limits::{Hourly, Reserved},
    quota::{Full, Quota, Room},
};
use apps::private_table::{Answer, Description, Gets, Request};
use hushtable::net::{Sent, wire_len};
use hushtable_columns::shares::ShareFile;
use hushtable_jobs::private_table::share_bytes;

/// Copies are counted in so many parts: who has some of one fetches less.
const PARTS: u64 = 1000;

/// A copy of fewer bytes counts as the part of so many that it is. What has left this machine counts, and a system takes
/// some megabytes at once: a few cuts, each of which costs a whole copy, would keep a client out for an hour.
const LEAST: u64 = 64 << 20;

/// Of all sessions of this program.
pub struct Ledger {
    lookups: Hourly,
    copies: Hourly,
    quota: Option<Quota>,
    halves: Option<Halves>,
}

/// What a session was granted.
pub struct Granted<'a> {
    /// What its connection has sent.
    sent: Sent,
    /// This party's half of the keys, if they are shared.
    pub keys: Option<ShareFile>,
    /// The keys; those of a batch are spent when it begins.
    pub lookups: Option<Reserved<'a>>,
    /// What it lacks of the copy, until the connection is gone.
    copy: Option<Copying<'a>>,
    /// The place of its shares.
    pub room: Option<Room<'a>>,
    /// Why there is no such place.
    pub full: Option<String>,
}

impl Granted<'_> {
    /// Nothing so far.
    pub fn nothing(sent: Sent) -> Self {
        Self { sent, keys: None, lookups: None, copy: None, room: None, full: None }
    }

    /// The connection is gone: no more of the copy is sent.
    pub fn end(self) {
        drop(self.copy);
    }
}

/// A copy, or the rest of one, on its way. What has left this machine is spent, whatever became of it: the client may
/// have it. The rest is given back.
struct Copying<'a> {
    parts: Reserved<'a>,
    sent: Sent,
    /// What had been sent before, and how much there is to send.
    before: u64,
    bytes: u64,
}

impl Drop for Copying<'_> {
    fn drop(&mut self) {
        let sent = self.sent.bytes().saturating_sub(self.before).min(self.bytes);
        self.parts.spend(part(self.parts.amount(), sent, self.bytes));
    }
}

/// The parts of a copy that so many of its bytes are.
fn parts(bytes: u64, copy: u64) -> u64 {
    part(PARTS, bytes, copy.max(LEAST))
}

/// So much of `whole` as `some` is of `all`, or a little more.
fn part(whole: u64, some: u64, all: u64) -> u64 {
    (u128::from(whole) * u128::from(some)).div_ceil(u128::from(all.max(1))) as u64
}

impl Ledger {
    pub fn new(args: &Serve) -> Self {
        let limits = &args.limits;
        Self {
            lookups: Hourly::new(limits.lookups_per_hour),
            copies: Hourly::new(limits.copies_per_hour.map(|most| most.saturating_mul(PARTS as usize))),
            quota: args.shares.as_ref().map(|folder| Quota::new(folder, limits)),
            halves: args.key_shares.as_ref().map(|folder| Halves::new(folder)),
        }
    }

    /// What a client gets that asks for what there is, and the answer to it; of what it does not get nothing is counted.
    pub fn grant<'a>(
        &'a self,
        account: &str,
        session: [u8; 32],
        description: &Description,
        request: &Request,
        granted: &mut Granted<'a>,
    ) -> Answer {
        let all = description.job().messages() as u64;
        let (lacks, size) = (all - u64::from(request.messages), description.job().copy_bits() / 8);
        let bytes = part(size, lacks, all);
        let counted = self.copies.take(account, parts(bytes, size));
        let counted = counted.and_then(|copy| Ok((copy, self.lookups.take(account, request.lookups)?)));
        let (copy, lookups) = match counted {
            Ok(counted) => counted,
            Err(answer) => return answer,
        };
        if let (Gets::Shared(column), Some(quota)) = (request.gets, &self.quota) {
            match quota.reserve(account, session, share_bytes(description, column, request.lookups)) {
                Ok(room) => granted.room = Some(room),
                Err(Full::UnderWay) => return Answer::Busy,
                Err(Full::Kept(why)) => {
                    granted.full = Some(why);
                    return Answer::NoRoom;
                }
            }
        }
        if let Some(name) = &request.keys {
            let halves = self.halves.as_ref();
            granted.keys = halves.and_then(|halves| halves.find(name, request.lookups, description));
            if granted.keys.is_none() {
                granted.room = None;
                return Answer::NoKeys;
            }
        }
        // The answer goes before the copy.
        let (sent, answer) = (granted.sent.clone(), wire_len(Answer::LEN));
        granted.copy = Some(Copying { parts: copy, before: sent.bytes() + answer, sent, bytes });
        granted.lookups = Some(lookups);
        Answer::Yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What was queued and had not left when the connection broke is not the client's loss.
    #[test]
    fn a_copy_costs_what_has_left() {
        let copies = Hourly::new(Some(1000));
        let left = || (0..=1000).rev().find(|&some| copies.take("bank", some).is_ok()).unwrap();
        let (mut here, there) = hushtable::net::Connection::with_raw_peer(hushtable::Role::P0, [1; 32]);
        let sent = here.channel().sent();
        // Of 16 MB the pipe holds one, and nobody reads.
        let (before, bytes) = (sent.bytes(), 16 << 20);
        let copy = Copying { parts: copies.take("bank", 1000).unwrap(), sent: sent.clone(), before, bytes };
        here.channel().send(vec![0; 16 << 20]).unwrap();
        assert_eq!(left(), 0);
        while sent.bytes() < 1 << 19 {
            std::thread::yield_now();
        }
        there.hang_up();
        drop(here);
        drop(copy);
        assert!((900..970).contains(&left()), "{}", left());
        // All of it.
        let bytes = sent.bytes();
        drop(Copying { parts: copies.take("bank", 500).unwrap(), sent, before: 0, bytes });
        assert!((400..470).contains(&left()), "{}", left());
    }

    #[test]
    fn parts_are_rounded_up() {
        assert_eq!([part(1000, 0, 7), part(1000, 1, 3), part(1000, 3, 3)], [0, 334, 1000]);
        assert_eq!([part(0, 5, 0), part(u64::MAX, u64::MAX, u64::MAX)], [0, u64::MAX]);
        assert_eq!([parts(0, 500), parts(500, 500), parts(LEAST / 2, LEAST / 2)], [0, 1, PARTS / 2]);
        assert_eq!([parts(LEAST, LEAST), parts(1 << 39, 1 << 40)], [PARTS, PARTS / 2]);
    }
}
