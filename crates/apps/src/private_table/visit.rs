//! A session from its first message to its last batch, at the owner and at the client.

use hushtable::{
    AShare, Error, Party, Result,
    confidential::copy::{Arriving, EncryptedCopy, Held, Owner},
    session::Session,
};
use prim::Wiped;

use super::{
    Answer, Description, Gets, Greeting, MOST_DESCRIBED, Request,
    batch::{Keys, Looked, Query, Took, batches, look_up},
};

/// A version of a table that is served.
pub struct Served {
    description: Description,
    owner: Owner,
}

/// How far a session is, in lookups.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// Of a batch everything is prepared. From now on the client may come to see as many rows more.
    Begins(u64),
    /// So many are done in all.
    Done(u64),
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
            0..=MOST_DESCRIBED => Ok(Self { description, owner }),
            more => Err(wrong(format!("{more} bytes"))),
        }
    }

    /// What of it is public.
    pub fn description(&self) -> &Description {
        &self.description
    }

    /// The version.
    pub fn owner(&self) -> &Owner {
        &self.owner
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

    /// Step 4 at the owner: all batches. `keys` are this party's shares of them and their bits, as many as are asked
    /// for, if they are shared. `step` is told of each batch. The shares that stay here.
    ///
    /// # Errors
    /// Those of [`look_up`].
    pub fn serve(
        &self,
        p: &mut Party,
        request: &Request,
        keys: Option<(&[u64], u32)>,
        took: &mut Took,
        mut step: impl FnMut(Step),
    ) -> Result<Option<Shared>> {
        let mut shared = Shared::default();
        let mut all = 0;
        for count in batches(request.lookups, self.description.batch) {
            let none = vec![0; if keys.is_none() { count } else { 0 }];
            let keys = match keys {
                None => Keys::Own(&none),
                Some((shares, bits)) => Keys::Shared(&shares[all..all + count], bits),
            };
            let query = Query { held: Held::Owner(&self.owner), gets: request.gets, keys };
            let begins = || step(Step::Begins(count as u64));
            shared.take(look_up(p, took, &self.description, &query, begins)?)?;
            all += count;
            step(Step::Done(all as u64));
        }
        Ok(shared.some())
    }
}

/// Additive shares of results: a column's units, and whether keys are present.
#[derive(Default)]
pub struct Shared(Option<[AShare<u64>; 2]>);

impl Shared {
    fn take(&mut self, looked: Looked) -> Result<()> {
        let Looked::Shares { values, present } = looked else { return Ok(()) };
        match &mut self.0 {
            None => self.0 = Some([values, present]),
            Some([all, all_present]) => {
                all.append(&values)?;
                all_present.append(&present)?;
            }
        }
        Ok(())
    }

    fn some(self) -> Option<Self> {
        self.0.is_some().then_some(self)
    }

    /// Shares of the units.
    pub fn values(&self) -> Wiped<u64> {
        self.words(0)
    }

    /// Shares of 1 where keys are present.
    pub fn present(&self) -> Wiped<u64> {
        self.words(1)
    }

    fn words(&self, which: usize) -> Wiped<u64> {
        self.0.as_ref().map_or_else(Wiped::default, |shares| Wiped::from(shares[which].words().to_vec()))
    }
}

/// What a client has at the end.
pub enum Results {
    /// Rows, and whether each is present.
    Rows(Wiped<u64>, Vec<bool>),
    /// Shares.
    Shared(Shared),
}

/// All keys of a client.
#[derive(Clone, Copy)]
pub enum AllKeys<'a> {
    /// Its own.
    Own(&'a [u128]),
    /// Its additive shares, of so many bits.
    Shared(&'a [u64], u32),
}

impl AllKeys<'_> {
    /// How many.
    pub fn len(&self) -> usize {
        match self {
            Self::Own(keys) => keys.len(),
            Self::Shared(shares, _) => shares.len(),
        }
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
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

/// Step 4 at the client: all batches. `done` gets the number of lookups so far.
///
/// # Errors
/// Those of [`look_up`].
pub fn look_all_up(
    p: &mut Party,
    (description, copy): (&Description, &EncryptedCopy),
    (keys, gets): (AllKeys<'_>, Gets),
    took: &mut Took,
    mut done: impl FnMut(u64),
) -> Result<Results> {
    let (mut words, mut present, mut shared) = (Wiped::default(), Vec::new(), Shared::default());
    let mut all = 0;
    for count in batches(keys.len() as u64, description.batch) {
        let keys = match keys {
            AllKeys::Own(keys) => Keys::Own(&keys[all..all + count]),
            AllKeys::Shared(shares, bits) => Keys::Shared(&shares[all..all + count], bits),
        };
        all += count;
        let query = Query { held: Held::Copy(copy), gets, keys };
        match look_up(p, took, description, &query, || {})? {
            Looked::Rows { words: rows, present: here } => {
                words.extend_from_slice(&rows);
                present.extend(here);
            }
            looked => shared.take(looked)?,
        }
        done(all as u64);
    }
    Ok(shared.some().map_or(Results::Rows(words, present), Results::Shared))
}
