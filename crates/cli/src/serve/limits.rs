//! How much each peer may have in an hour: keys that it looks up, copies that it fetches.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use apps::private_table::Answer;

const HOUR: Duration = Duration::from_secs(3600);

/// Most peers that are remembered. There are more only without TLS, where a peer is an address.
const PEERS: usize = 1 << 14;

/// What each peer has had.
pub struct Hourly {
    most: Option<u64>,
    had: Mutex<HashMap<String, Had>>,
}

/// What is spent in the hour that began with the first of it, and what is held for sessions under way, which may last
/// longer.
struct Had {
    since: Instant,
    spent: u64,
    held: u64,
}

impl Had {
    /// What is had now: in another hour nothing is spent yet.
    fn at(&mut self, now: Instant) -> &mut Self {
        if now.saturating_duration_since(self.since) >= HOUR {
            (self.since, self.spent) = (now, 0);
        }
        self
    }
}

impl Hourly {
    pub fn new(most: Option<usize>) -> Self {
        Self { most: most.map(|most| most as u64), had: Mutex::default() }
    }

    /// Holds for a peer what it asks for, or says when it may ask again.
    pub fn take(&self, peer: &str, amount: u64) -> Result<Reserved<'_>, Answer> {
        self.take_at(peer, amount, Instant::now())
    }

    fn take_at(&self, peer: &str, amount: u64, now: Instant) -> Result<Reserved<'_>, Answer> {
        if let Some(most) = self.most {
            let mut had = self.had();
            had.retain(|_, had| had.held > 0 || now.saturating_duration_since(had.since) < HOUR);
            if had.len() >= PEERS && !had.contains_key(peer) {
                return Err(Answer::Later(HOUR.as_secs() as u32));
            }
            let had = had.entry(peer.to_owned()).or_insert(Had { since: now, spent: 0, held: 0 }).at(now);
            let fits = |before: u64| before.checked_add(amount).is_some_and(|all| all <= most);
            if !fits(had.spent) {
                let left = HOUR.saturating_sub(now.saturating_duration_since(had.since));
                return Err(Answer::Later(left.as_secs().max(1) as u32));
            }
            if !fits(had.spent + had.held) {
                return Err(Answer::Busy);
            }
            had.held += amount;
        }
        Ok(Reserved { hourly: self, peer: peer.to_owned(), amount })
    }

    fn had(&self) -> MutexGuard<'_, HashMap<String, Had>> {
        self.had.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is held, and is given back but for what was [`spent`](Self::spend): a client whose connection breaks asks
/// again, and whoever breaks it, on the way perhaps, uses up no more than that.
pub struct Reserved<'a> {
    hourly: &'a Hourly,
    peer: String,
    amount: u64,
}

impl Reserved<'_> {
    /// How much is held.
    pub fn amount(&self) -> u64 {
        self.amount
    }

    /// From now on the client may have so much of it, which counts in this hour.
    pub fn spend(&mut self, amount: u64) {
        self.spend_at(amount, Instant::now());
    }

    fn spend_at(&mut self, amount: u64, now: Instant) {
        let amount = amount.min(self.amount);
        self.amount -= amount;
        self.count(|had| {
            had.held -= amount;
            had.at(now).spent += amount;
        });
    }

    fn count(&self, change: impl FnOnce(&mut Had)) {
        if let Some(had) = self.hourly.had().get_mut(&self.peer) {
            change(had);
        }
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        self.count(|had| had.held -= self.amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_spent_comes_back() {
        let hourly = Hourly::new(Some(100));
        let take = |lookups| hourly.take("bank", lookups);
        take(60).unwrap().spend(60);
        let mut reserved = take(40).unwrap();
        assert_eq!(take(1).err(), Some(Answer::Busy), "it is only held");
        assert!(matches!(take(41).err(), Some(Answer::Later(_))));
        reserved.spend(15);
        reserved.spend(10);
        drop(reserved);
        assert!(matches!(take(16).err(), Some(Answer::Later(_))));
        drop(take(15).unwrap());
    }

    #[test]
    fn what_is_spent_in_another_hour_counts_there() {
        let (hourly, start) = (Hourly::new(Some(100)), Instant::now());
        let at = |minutes: u64| start + Duration::from_secs(60 * minutes);
        let had = |spent, held| {
            let had = &hourly.had()["bank"];
            assert_eq!((had.spent, had.held), (spent, held));
        };
        let take = |amount, minutes| hourly.take_at("bank", amount, at(minutes));
        take(60, 0).unwrap().spend_at(60, at(0));
        let mut reserved = take(40, 50).unwrap();
        reserved.spend_at(10, at(59));
        had(70, 30);
        assert_eq!(take(71, 60).err(), Some(Answer::Busy), "30 are held");
        drop(take(70, 60).unwrap());
        reserved.spend_at(10, at(61));
        had(10, 20);
        // No caller asked in this hour.
        reserved.spend_at(5, at(125));
        had(5, 15);
        drop(reserved);
        had(5, 0);
        assert!(take(95, 184).is_ok());
        assert_eq!(take(100, 185).err(), None, "another hour");
    }

    #[test]
    fn a_peer_has_so_many_in_an_hour() {
        let (hourly, start) = (Hourly::new(Some(100)), Instant::now());
        let take = |peer: &str, lookups, minutes: u64| {
            let taken = hourly.take_at(peer, lookups, start + Duration::from_secs(60 * minutes));
            taken.map(|mut reserved| reserved.spend(lookups))
        };
        assert_eq!(take("bank", 60, 0), Ok(()));
        assert_eq!(take("bank", 41, 10), Err(Answer::Later(3000)));
        assert_eq!(take("telecom", 100, 10), Ok(()), "each has its own");
        assert_eq!(take("bank", 40, 20), Ok(()));
        assert_eq!(take("bank", 1, 59), Err(Answer::Later(60)));
        assert_eq!(take("bank", 100, 60), Ok(()), "another hour");
        assert_eq!(take("x", u64::MAX, 0), Err(Answer::Later(3600)));
        assert!(Hourly::new(None).take("bank", u64::MAX).is_ok());
        for i in 0..2 * PEERS {
            let _ = take(&i.to_string(), 1, 61);
        }
        assert_eq!(hourly.had().len(), PEERS, "and no more memory than that");
    }
}
