//! How many shares this party keeps: each session that leaves some makes it write two files.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
    sync::{Mutex, MutexGuard, PoisonError},
};

use hushtable_columns::{disk, units};

use crate::serve::arguments::Limits;

/// Of sessions and bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Amount {
    sessions: u64,
    bytes: u64,
}

impl Amount {
    /// Whether one more session, of so many bytes, makes no more than `most`.
    fn leaves(self, bytes: u64, most: Self) -> bool {
        self.sessions < most.sessions && self.bytes.saturating_add(bytes) <= most.bytes
    }

    fn add(&mut self, other: Self) {
        self.sessions += other.sessions;
        self.bytes = self.bytes.saturating_add(other.bytes);
    }
}

/// Why there is no room.
#[derive(Debug)]
pub enum Full {
    /// Sessions under way hold the rest, and may give it back.
    UnderWay,
    /// What is kept, or the disk, in words.
    Kept(String),
}

/// What may be kept, and what is: the files in the folder, whoever made them and when. Whose they are is known of those
/// that were made since this program started.
pub struct Quota {
    folder: PathBuf,
    of_one: Amount,
    of_all: Amount,
    sessions: Mutex<HashMap<String, Session>>,
}

/// A session since this program started.
struct Session {
    account: String,
    bytes: u64,
    written: bool,
}

impl Quota {
    pub fn new(folder: &Path, limits: &Limits) -> Self {
        let (sessions, bytes) = (limits.kept_sessions as u64, limits.kept_bytes as u64);
        let half = |own: Option<usize>, all: u64| own.map_or(all / 2, |own| own as u64).max(1);
        let of_one = Amount {
            sessions: half(limits.kept_sessions_per_peer, sessions),
            bytes: half(limits.kept_bytes_per_peer, bytes),
        };
        let of_all = Amount { sessions, bytes };
        Self { folder: folder.to_owned(), of_one, of_all, sessions: Mutex::default() }
    }

    /// Room for the files of a session, of so many bytes at most; or why there is none.
    pub fn reserve(&self, account: &str, session: [u8; 32], bytes: u64) -> Result<Room<'_>, Full> {
        let mut sessions = self.sessions();
        let here =
            files(&self.folder).map_err(|error| Full::Kept(format!("{}: {error}", self.folder.display())))?;
        // Who takes files away makes room.
        sessions.retain(|name, session| !session.written || here.contains_key(name));
        let (written, open): (Vec<_>, Vec<_>) = sessions.iter().partition(|(_, session)| session.written);
        let of_it = |all: &[(&String, &Session)]| {
            sum(all
                .iter()
                .filter(|(_, session)| session.account == account)
                .map(|(_, session)| session.bytes))
        };
        let finished =
            here.iter().filter(|(name, _)| sessions.get(*name).is_none_or(|session| session.written));
        let mut own = of_it(&written);
        let mut all = sum(finished.map(|(_, bytes)| *bytes));
        for (kept, most, whose) in [(own, self.of_one, "of this peer"), (all, self.of_all, "of all peers")] {
            if !kept.leaves(bytes, most) {
                let [has, more, may] = [kept.bytes, bytes, most.bytes].map(units::bytes);
                return Err(Full::Kept(format!(
                    "kept shares {whose}: {} of {} sessions, {has} and {more} more of {may}",
                    kept.sessions, most.sessions
                )));
            }
        }
        own.add(of_it(&open));
        all.add(sum(open.iter().map(|(_, session)| session.bytes)));
        if !own.leaves(bytes, self.of_one) || !all.leaves(bytes, self.of_all) {
            return Err(Full::UnderWay);
        }
        disk::check(&self.folder.join("x"), bytes).map_err(|failure| Full::Kept(failure.to_string()))?;
        let name = name(&session);
        sessions.insert(name.clone(), Session { account: account.to_owned(), bytes, written: false });
        Ok(Room { quota: self, name })
    }

    fn sessions(&self) -> MutexGuard<'_, HashMap<String, Session>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Room for a session's files, which is given back unless they are [`written`](Self::written).
pub struct Room<'a> {
    quota: &'a Quota,
    name: String,
}

impl Room<'_> {
    pub fn written(self) {
        if let Some(session) = self.quota.sessions().get_mut(&self.name) {
            session.written = true;
        }
    }
}

impl Drop for Room<'_> {
    fn drop(&mut self) {
        let mut sessions = self.quota.sessions();
        if sessions.get(&self.name).is_some_and(|session| !session.written) {
            sessions.remove(&self.name);
        }
    }
}

/// How a session's files begin.
pub fn name(session: &[u8; 32]) -> String {
    blake3::Hash::from(*session).to_hex().to_string()
}

/// The ends of their names.
pub const ENDS: [&str; 2] = ["-values.json", "-present.json"];

/// Bytes of the files in the folder, by session.
fn files(folder: &Path) -> std::io::Result<HashMap<String, u64>> {
    let mut found: HashMap<String, u64> = HashMap::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let file = entry.file_name();
        let Some(name) = file.to_str().and_then(|name| ENDS.iter().find_map(|end| name.strip_suffix(end)))
        else {
            continue;
        };
        // One that is gone meanwhile takes no room.
        let Ok(about) = entry.metadata() else { continue };
        *found.entry(name.to_owned()).or_default() += about.len();
    }
    Ok(found)
}

fn sum(bytes: impl Iterator<Item = u64>) -> Amount {
    bytes.fold(Amount::default(), |all, bytes| Amount {
        sessions: all.sessions + 1,
        bytes: all.bytes.saturating_add(bytes),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quota(folder: &Path, sessions: u64, bytes: u64) -> Quota {
        let of_all = Amount { sessions: 2 * sessions, bytes: 2 * bytes };
        Quota {
            folder: folder.to_owned(),
            of_one: Amount { sessions, bytes },
            of_all,
            sessions: Mutex::default(),
        }
    }

    #[test]
    fn a_peer_has_its_part_and_who_takes_files_away_makes_room() {
        let folder = tempfile::tempdir().unwrap();
        let quota = quota(folder.path(), 2, 100);
        let take = |account: &str, i: u8, bytes| quota.reserve(account, [i; 32], bytes);
        let write = |i: u8, bytes: usize| {
            let path = folder.path().join(name(&[i; 32]) + ENDS[0]);
            fs::write(&path, vec![0; bytes]).unwrap();
            path
        };
        let full = |why: Full, of: &str| matches!(why, Full::Kept(why) if why.starts_with(of));
        assert!(take("a", 0, 101).is_err_and(|why| full(why, "kept shares of this peer")));
        // What is reserved counts, and is given back if nothing was written.
        let first = take("a", 1, 60).unwrap();
        assert!(take("a", 2, 50).is_err_and(|why| matches!(why, Full::UnderWay)));
        drop(first);
        let first = take("a", 1, 60).unwrap();
        let path = write(1, 55);
        first.written();
        assert!(take("a", 2, 50).is_err_and(|why| full(why, "kept shares of this peer")));
        let second = take("a", 2, 10).unwrap();
        assert!(take("a", 3, 1).is_err_and(|why| matches!(why, Full::UnderWay)), "two sessions");
        let [third, fourth] = [3, 4].map(|i| take("b", i, 50).unwrap());
        assert!(take("c", 5, 1).is_err_and(|why| matches!(why, Full::UnderWay)));
        drop((third, fourth));
        fs::remove_file(path).unwrap();
        take("a", 5, 90).unwrap();
        drop(second);
        // What was there before this program counts for all.
        [6, 7, 8, 9].into_iter().for_each(|i| drop(write(i, 10)));
        assert!(take("c", 5, 1).is_err_and(|why| full(why, "kept shares of all peers")));
        // What no disk has room for.
        fs::remove_dir_all(folder.path()).unwrap();
        assert!(take("c", 5, 1).is_err());
    }
}
