//! A session from its first message to the last one before its lookups, at the owner and at the client.

use std::sync::Arc;

use hushtable::{
    Error, Result,
    confidential::copy::{Arriving, Owner},
    session::Session,
};

use super::{Answer, Description, Gets, Greeting, KeyLookup, MOST_DESCRIBED, Request};
use crate::held_table::Table;

/// A version of a table that is served.
pub struct Served {
    description: Description,
    owner: Arc<Owner>,
}

/// What a client finds.
pub enum Found {
    /// A table.
    Open(Box<Description>),
    /// Too many others. Come again.
    Busy,
    /// An owner that is about to end.
    Ending,
}

impl Served {
    /// This version, whose digest stands in the description from now on.
    ///
    /// # Errors
    /// [`Error::Param`] if description and version are of different forms.
    pub fn new(mut description: Description, owner: Owner) -> Result<Self> {
        description.digest = *owner.copy().digest();
        let wrong = |what| Error::Param {
            what: "description of a table",
            got: what,
            accepted: "that of its form".into(),
        };
        if description.job() != *owner.copy().job() {
            return Err(wrong(format!("{:?}", description.job())));
        }
        description.check().map_err(wrong)?;
        match description.to_bytes().len() {
            0..=MOST_DESCRIBED => Ok(Self { description, owner: owner.into() }),
            more => Err(wrong(format!("{more} bytes"))),
        }
    }

    /// What of it is public.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// Steps 1 to 3 at the owner; `may` says whether a client that asks for something there is may have it. The request,
    /// and the answer.
    ///
    /// # Errors
    /// [`Error::Peer`] for a malformed request; and those of the channel.
    pub fn settle(&self, s: &mut Session, may: impl FnOnce(&Request) -> Answer) -> Result<(Request, Answer)> {
        let described = self.description.to_bytes();
        s.send(Greeting::Open(described.len() as u32).to_bytes())?;
        s.send(described)?;
        let request = Request::from_bytes(&s.recv(Request::LEN)?)?;
        let answer = match self.refusal(&request) {
            Some(refusal) => refusal,
            None => may(&request),
        };
        s.send(answer.to_bytes())?;
        if answer == Answer::Yes && (request.messages as usize) < self.description.job().messages() {
            self.owner.send_from(s, request.messages as usize)?;
        }
        Ok((request, answer))
    }

    fn refusal(&self, request: &Request) -> Option<Answer> {
        let Description { digest, lookups, shares, values, .. } = &self.description;
        if request.digest != *digest {
            return Some(Answer::OtherVersion);
        }
        if request.lookups == 0 || request.messages as usize > self.description.job().messages() {
            return Some(Answer::Malformed);
        }
        if request.lookups > *lookups {
            return Some(Answer::TooMany);
        }
        let shared = |column: u8| {
            *shares && usize::from(column) < values.len() && self.description.shareable(column.into())
        };
        match request.gets {
            Gets::Shared(column) if !shared(column) => Some(Answer::NoShares),
            _ => None,
        }
    }

    /// The lookups of step 4, at the owner; see [`KeyLookup::new`].
    ///
    /// # Errors
    /// As there.
    pub fn lookup(&self, gets: Gets, shared_keys: Option<u32>) -> Result<KeyLookup> {
        KeyLookup::new(self.description.clone(), Table::Owner(Arc::clone(&self.owner)), gets, shared_keys)
    }
}

/// Tells a client that it cannot be served now.
///
/// # Errors
/// Those of the channel.
pub fn turn_away(s: &mut Session, why: Greeting) -> Result<()> {
    s.send(why.to_bytes())
}

/// Step 1 at the client.
///
/// # Errors
/// [`Error::Peer`] for anything but a table; and those of the channel.
pub fn find(s: &mut Session) -> Result<Found> {
    Ok(match Greeting::from_bytes(&s.recv(Greeting::LEN)?)? {
        Greeting::Busy => Found::Busy,
        Greeting::Ending => Found::Ending,
        Greeting::Open(len) if len as usize > MOST_DESCRIBED => {
            return Err(Error::Peer(format!("a description of {len} bytes")));
        }
        Greeting::Open(len) => Found::Open(Box::new(Description::from_bytes(&s.recv(len as usize)?)?)),
    })
}

/// Steps 2 and 3 at the client, which has all of the copy or what has arrived of it. If the answer is yes, the rest
/// comes; `keep` gets each message.
///
/// # Errors
/// [`Error::Peer`] for a malformed answer; those of `keep` and of the channel.
pub fn request(
    s: &mut Session,
    request: Request,
    arriving: Option<&mut Arriving>,
    keep: impl FnMut(&[u8]) -> Result<()>,
) -> Result<Answer> {
    s.send(request.to_bytes())?;
    let answer = Answer::from_bytes(&s.recv(Answer::LEN)?)?;
    if let (Answer::Yes, Some(arriving)) = (answer, arriving) {
        arriving.receive(s, keep)?;
    }
    Ok(answer)
}
