//! How much each peer may have in an hour: keys that it looks up, copies that it fetches.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

const HOUR: Duration = Duration::from_secs(3600);

/// Most peers that are remembered. There are more only without TLS, where a peer is an address.
const PEERS: usize = 1 << 14;

/// What each peer has had in the hour that began with the first of it.
pub struct Hourly {
    most: Option<u64>,
    had: Mutex<HashMap<String, (Instant, u64)>>,
}

impl Hourly {
    pub fn new(most: Option<usize>) -> Self {
        Self { most: most.map(|most| most as u64), had: Mutex::default() }
    }

    /// Counts what a peer takes, or says in how many seconds it may have so much.
    pub fn take(&self, peer: &str, amount: u64) -> Result<Reserved<'_>, u32> {
        let now = Instant::now();
        self.take_at(peer, amount, now)?;
        Ok(Reserved { hourly: self, peer: peer.to_owned(), amount, at: now })
    }

    fn take_at(&self, peer: &str, amount: u64, now: Instant) -> Result<(), u32> {
        let Some(most) = self.most else { return Ok(()) };
        let mut had = self.had();
        had.retain(|_, (since, _)| now.duration_since(*since) < HOUR);
        if had.len() >= PEERS && !had.contains_key(peer) {
            return Err(HOUR.as_secs() as u32);
        }
        let (since, count) = had.entry(peer.to_owned()).or_insert((now, 0));
        match count.checked_add(amount).filter(|all| *all <= most) {
            Some(all) => {
                *count = all;
                Ok(())
            }
            None => {
                let left = HOUR.saturating_sub(now.duration_since(*since));
                Err(left.as_secs().max(1) as u32)
            }
        }
    }

    fn had(&self) -> MutexGuard<'_, HashMap<String, (Instant, u64)>> {
        self.had.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What is counted, and is given back but for what was [`spent`](Self::spend): a client whose connection breaks asks
/// again, and whoever breaks it, on the way perhaps, uses up no more than that.
pub struct Reserved<'a> {
    hourly: &'a Hourly,
    peer: String,
    amount: u64,
    at: Instant,
}

impl Reserved<'_> {
    /// How much is not spent.
    pub fn amount(&self) -> u64 {
        self.amount
    }

    /// From now on the client may have so much of it.
    pub fn spend(&mut self, amount: u64) {
        self.amount = self.amount.saturating_sub(amount);
    }
}

impl Drop for Reserved<'_> {
    fn drop(&mut self) {
        // The count of an hour that began later has none of these.
        if let Some((since, count)) = self.hourly.had().get_mut(&self.peer)
            && *since <= self.at
        {
            *count = count.saturating_sub(self.amount);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_spent_comes_back() {
        let hourly = Hourly::new(Some(100));
        let take = |lookups| hourly.take("bank", lookups).ok();
        take(60).unwrap().spend(60);
        let mut reserved = take(40).unwrap();
        assert!(take(1).is_none());
        reserved.spend(15);
        reserved.spend(10);
        drop(reserved);
        assert!(take(16).is_none());
        drop(take(15).unwrap());
        hourly.had().clear();
        take(60).unwrap().spend(100);
        let reserved = take(40).unwrap();
        // Meanwhile another hour has begun.
        hourly.had().insert("bank".into(), (Instant::now() + Duration::from_secs(1), 70));
        drop(reserved);
        assert_eq!(hourly.had()["bank"].1, 70);
    }

    #[test]
    fn a_peer_has_so_many_in_an_hour() {
        let (hourly, start) = (Hourly::new(Some(100)), Instant::now());
        let take = |peer: &str, lookups, minutes: u64| {
            hourly.take_at(peer, lookups, start + Duration::from_secs(60 * minutes))
        };
        assert_eq!(take("bank", 60, 0), Ok(()));
        assert_eq!(take("bank", 41, 10), Err(3000));
        assert_eq!(take("telecom", 100, 10), Ok(()), "each has its own");
        assert_eq!(take("bank", 40, 20), Ok(()));
        assert_eq!(take("bank", 1, 59), Err(60));
        assert_eq!(take("bank", 100, 60), Ok(()), "another hour");
        assert_eq!(take("x", u64::MAX, 0), Err(3600));
        assert!(Hourly::new(None).take("bank", u64::MAX).is_ok());
        for i in 0..2 * PEERS {
            let _ = take(&i.to_string(), 1, 61);
        }
        assert_eq!(hourly.had.lock().unwrap().len(), PEERS, "and no more memory than that");
    }
}
