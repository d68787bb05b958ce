//! Counts and sums by group.

use hushtable::{
    AShare, Result, Role,
    arith::Comparison,
    error::same,
    gates::{B2a, Bits, Mux},
    operation::{Operation, Words},
    run::{Outcome, Reveal},
    session::Session,
    source::Source,
};

use super::{asked::announced, count::COUNT, shape::GroupShape};

/// One-time material for counts and sums by group.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Groups {
    shape: GroupShape,
    counts: B2a,
    sums: Mux,
    enough: Option<Comparison>,
}

/// An opened group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Its number.
    pub group: usize,
    /// Its members; with noise it can be negative.
    pub count: i64,
    /// The sums of the columns.
    pub sums: Vec<u64>,
}

/// Shares of counts, and of the sums of each column, by group.
pub struct Grouped {
    counts: AShare<u64>,
    sums: Vec<AShare<u64>>,
    shape: GroupShape,
    enough: Option<Comparison>,
}

impl Groups {
    /// Offline.
    ///
    /// # Errors
    /// `Error::Param` for more than [`MAX_GROUPS`](super::MAX_GROUPS) or none, for no bins or more than [`MAX_LEAST`](super::MAX_LEAST), for a least size
    /// above it, for widths other than 1 to 64, unless there is noise for each column or for none, and for noise that
    /// might leave a width, with the width that would do;
    /// `Error::Handshake` if the peer's shape is another; and those of the channel.
    pub fn prepare(p: &mut dyn Source, shape: GroupShape) -> Result<Self> {
        shape.check()?;
        p.announce(&announced(&shape.fields()))?;
        let items = shape.bins * shape.groups;
        let counts = B2a::prepare(p, COUNT, items)?;
        let sums = Mux::prepare(p, items, &shape.widths)?;
        let enough = shape.compare()?.map(|job| Comparison::prepare(p, job, shape.groups)).transpose()?;
        Ok(Self { shape, counts, sums, enough })
    }

    /// Online, 2 rounds: shares of counts and sums. A batch of bits for each group, 0 where a bin does not match.
    /// Spends the material.
    ///
    /// # Errors
    /// `Error::Shape` unless groups, bins and columns are those prepared for; `Error::Handshake` if the peer's shape
    /// is another; and those of the channel.
    pub fn add_up(self, s: &mut Session, groups: &[Bits], columns: &[&AShare<u64>]) -> Result<Grouped> {
        let Self { shape, counts, sums, enough } = self;
        same("groups", shape.groups, groups.len())?;
        groups.iter().try_for_each(|group| same("bins", shape.bins, group.len()))?;
        columns.iter().try_for_each(|column| same("bins", shape.bins, column.len()))?;
        // Here, and not where it is opened: messages that differ from the peer's must not go out first. Material that
        // was stored has not been compared.
        s.announce(&announced(&shape.fields()))?;
        let bits = Bits::concat(groups.iter());
        let by_group = |column: &AShare<u64>| {
            let sums = column
                .words()
                .chunks(shape.bins)
                .map(|group| group.iter().fold(0u64, |s, w| s.wrapping_add(*w)));
            AShare::<u64>::new(column.bits(), sums.collect())
        };
        let counts = by_group(&counts.convert(s, &bits)?);
        let repeated = columns
            .iter()
            .map(|column| AShare::<u64>::new(column.bits(), column.words().repeat(shape.groups)));
        let repeated: Vec<_> = repeated.collect();
        let selected = sums.select_all(s, &bits, &repeated.iter().collect::<Vec<_>>())?;
        Ok(Grouped { counts, sums: selected.iter().map(by_group).collect(), shape, enough })
    }
}

impl Grouped {
    /// Columns of this party's shares, as a [`GroupShape`] gives them: first this party adds its noise, if the shape asks
    /// for noise, and the other its own; then counts are compared with the least size.
    pub(super) fn into_columns(mut self, s: &mut Session) -> Result<Vec<Words>> {
        if let Some(noise) = &self.shape.noise {
            self.counts = noise.counts.added(s, &self.counts);
            for (column, noise) in self.sums.iter_mut().zip(&noise.sums) {
                *column = noise.added(s, column);
            }
        }
        let mut all = Vec::new();
        if let Some(compare) = self.enough {
            let groups = self.counts.len();
            let least = if s.role() == Role::P0 { self.shape.least.into() } else { 0 };
            let least = AShare::<u64>::new(COUNT, vec![least; groups]);
            all.push(Words::new(compare.ge(s, &self.counts, &least)?.iter().collect()));
        }
        all.extend(
            [&self.counts].into_iter().chain(&self.sums).map(|share| Words::new(share.words().to_vec())),
        );
        Ok(all)
    }

    /// Online: the groups that are large enough, to both. First this party adds its noise, if the shape asks for noise,
    /// and the other adds its own. Spends all of it.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn open(self, s: &mut Session) -> Result<Vec<Group>> {
        self.told(s, Reveal::Both).map(Option::unwrap_or_default)
    }

    /// Online: as [`open`](Self::open), to one party; the other gets `None`. Which groups are large enough both learn, if
    /// there is a least size.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn reveal(self, s: &mut Session, to: Role) -> Result<Option<Vec<Group>>> {
        self.told(s, Reveal::Only(to))
    }

    fn told(self, s: &mut Session, reveal: Reveal) -> Result<Option<Vec<Group>>> {
        let (shape, gives) = (self.shape.clone(), self.shape.signature().gives);
        let columns = self.into_columns(s)?;
        let opened = reveal.open(s, &gives, columns)?;
        if !reveal.reaches(s.role()) {
            return Ok(None);
        }
        let columns: Option<Vec<Vec<i64>>> = opened.into_iter().map(Outcome::values).collect();
        Ok(columns.map(|columns| Group::all(&shape, columns)))
    }
}
