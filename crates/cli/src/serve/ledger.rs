//! What clients may have, whose each is: keys and copies by the hour, places for shares of results, halves of keys.

use crate::serve::{
    arguments::Serve,
    halves::Halves,
    limits::{Hourly, Reserved},
    quota::{Quota, Room},
};
use apps::private_table::{Answer, Description, Gets, Request};
use hushtable_columns::shares::ShareFile;
use hushtable_jobs::private_table::share_bytes;

/// Copies are counted in so many parts: who has some of one fetches less.
const PARTS: u64 = 1000;

/// Of all sessions of this program.
pub struct Ledger {
    lookups: Hourly,
    copies: Hourly,
    quota: Option<Quota>,
    halves: Option<Halves>,
}

/// What a session was granted.
#[derive(Default)]
pub struct Granted<'a> {
    /// This party's half of the keys, if they are shared.
    pub keys: Option<ShareFile>,
    /// The keys, until the first is looked up.
    pub lookups: Option<Reserved<'a>>,
    /// The place of its shares.
    pub room: Option<Room<'a>>,
    /// Why there is no such place.
    pub full: Option<String>,
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
        let lacks = (all - u64::from(request.messages)) * PARTS;
        let counted = self.copies.take(account, lacks.div_ceil(all.max(1)));
        let counted = counted.and_then(|copy| Ok((copy, self.lookups.take(account, request.lookups)?)));
        let (copy, lookups) = match counted {
            Ok(counted) => counted,
            Err(seconds) => return Answer::Later(seconds),
        };
        if let (Gets::Shared(column), Some(quota)) = (request.gets, &self.quota) {
            match quota.reserve(account, session, share_bytes(description, column, request.lookups)) {
                Ok(room) => granted.room = Some(room),
                Err(why) => {
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
        // It is sent whatever the client does with it.
        copy.spent();
        granted.lookups = Some(lookups);
        Answer::Yes
    }
}
