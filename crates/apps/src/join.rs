//! The hidden join: columns of both parties side by side where ids agree, and nobody sees where.
//!
//! # Functionality
//! Each party has a table: ids, each once, and columns of words. One of them, the *owner*, has the table that fixes the
//! rows. Out, for each of B bins: shares of the bit whether a row of the owner's that lies in the bin has a partner, and
//! shares of the columns of both parties, which are 0 where it has none. The owner alone has the row of each bin.
//!
//! Only bounds on the numbers of rows are public. Nobody learns which ids match, nor how many. **Never send the
//! placement**: it tells the other party that row i's id is one of the few of its own that hash there. What is revealed
//! to the owner it puts in the order of its rows; what is opened bin by bin must never go to the other party.
//!
//! # Protocol
//! R is the owner, S the other.
//! 1. R puts its ids in bins, one of three for each ([`cuckoo`]).
//! 2. Both have values of a [pseudo-random function](hushtable::oprf): R for (x, j) of each of its ids, j the third of
//!    its bin; S for (y, j) of each of its ids and all three j.
//! 3. S has drawn a target and masks for each bin, [with](DrawnEquality) the [material](DrawnMux) of steps 4 and 5. It encodes a [store](hushtable::okvs), the hint, with the value of (y, j)
//!    XOR the target, and the columns of y less the masks, of the bin of (y, j); and sends it. R decodes: in a bin where
//!    its id is one of S's it has S's target, and shares of the columns; else what is random. So it is for empty bins.
//! 4. Equality of what R decoded and S's target, on `42 + ceil(log2 B)` bits or one more, an even number, 64 at most.
//! 5. All columns are multiplied by that bit: bins without a partner hold random words before.
//!
//! The parties of steps 4 and 5 are not symmetric: R knows its words, and S drew its own. So S sends nothing for the first
//! layer of the equality, and none of its words in step 5.
//!
//! # Cost
//! `n_R`, `n_S` rows, k words of columns of S: the function's, `64 (1 + k)` bits for each column of a store of `3 n_S`
//! keys, from S; for each bin the equality, and the selections.
//!
//! # Source
//! join-spec 4; after Pinkas, Schneider, Weinert, Wieder (Eurocrypt 2018) and its successors.
//!
//! # Security
//! What all of it fails with, by chance, [`Join::chance`] adds up: no more than `2^-40`. R has the value of an input (y, j)
//! that is S's alone with probability `2^-64`. Then it knows the target and the masks of one bin, which says nothing unless
//! an id of both lies there: R sees that it does. So S's inputs count that share a bin with a common id. With c common ids
//! these are `3 (n_S - c) c / B + 2 c`, on average over the hashes of bins, and B - c bins may seem to match. The sum has
//! the c with which both together are most.

use hushtable::{
    AShare, BShare, Error, Party, Result, Role,
    arith::DrawnEquality,
    bill::{Bill, Phase},
    chance::Chance,
    cuckoo::{self, Placement},
    error::same,
    gates::{Bits, DrawnMux},
    okvs::{self, Size},
    oprf::{Oprf, OprfJob},
    ot::Setting,
    session::Session,
    share::{Additive, Bitwise, Sharing},
    terms::Value,
};
use prim::{Wiped, block::Block, ring::low};
use zeroize::Zeroizing;

use crate::ids::Ids;

mod layout;
mod operation;

pub use layout::Column;
use layout::Layout;
pub use operation::JoinTables;

/// Most rows of a party: with more chance would have more than `2^-40`.
pub const MAX_ROWS: usize = 6_000_000;

/// Words in a message.
const PIECE: usize = 1 << 16;

/// The public side of a join, the same at both parties.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Join {
    owner: Role,
    sizes: [usize; 2],
    theirs: Layout,
    own: Vec<u32>,
}

impl Join {
    /// Of tables with up to so many rows of P0 and of P1. `columns` are those of the other party, and `own` the widths
    /// of those of the owner, whose results are additive.
    ///
    /// # Errors
    /// [`Error::Param`] for more than [`MAX_ROWS`] rows, and for widths other than 1 to 64.
    pub fn new(owner: Role, sizes: [usize; 2], columns: &[Column], own: &[u32]) -> Result<Self> {
        if let Some(more) = sizes.into_iter().find(|&size| size > MAX_ROWS) {
            let (what, got) = ("rows of a table to join", more.to_string());
            return Err(Error::Param { what, got, accepted: format!("up to {MAX_ROWS}") });
        }
        let widths = columns.iter().map(|c| c.bits).chain(own.iter().copied());
        if let Some(width) = widths.into_iter().find(|w| !(1..=64).contains(w)) {
            let (what, got) = ("width of a joined column", width.to_string());
            return Err(Error::Param { what, got, accepted: "1 to 64".into() });
        }
        Ok(Self { owner, sizes, theirs: Layout::of(columns), own: own.to_vec() })
    }

    /// What the parties compare.
    pub fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("owner of the rows", self.owner.to_string()),
            ("rows", Value::text(&self.sizes[..])),
            ("columns of the other", Value::text(&self.theirs.columns()[..])),
            ("columns of the owner", Value::text(&self.own[..])),
        ]
    }

    /// Who has the row of each bin.
    pub fn owner(&self) -> Role {
        self.owner
    }

    /// Bins: items of the result.
    pub fn bins(&self) -> usize {
        cuckoo::bins(self.rows(self.owner)).expect("within the limit")
    }

    fn rows(&self, of: Role) -> usize {
        self.sizes[of as usize]
    }

    /// Bits on which target and decoded word are compared: those of the words, or fewer.
    fn compared(&self) -> u32 {
        (42 + self.bins().next_power_of_two().trailing_zeros()).next_multiple_of(2).min(64)
    }

    /// Widths of additive columns, and of those by XOR, that are multiplied: S's, which are masked, and R's.
    fn selected(&self) -> [Option<[&[u32]; 2]>; 2] {
        let [additive, bitwise] = self.theirs.widths();
        let all: [[&[u32]; 2]; 2] = [[additive, &self.own], [bitwise, &[]]];
        all.map(|widths| Some(widths).filter(|widths| widths.iter().any(|widths| !widths.is_empty())))
    }

    /// What chance can spoil. Without the hashes of ids; see [`Set::chance`](crate::ids::Set::chance).
    pub fn chance(&self) -> Chance {
        let [own, others] = [self.owner, self.owner.peer()].map(|role| self.rows(role));
        let (bins, inputs) = (self.bins() as f64, 3.0 * others as f64);
        let common = (inputs + (2.0 - 2f64.powi(64 - self.compared() as i32)) * bins) / 6.0;
        let common = common.clamp(0.0, own.min(others) as f64);
        let shown = common * ((inputs - 3.0 * common) / bins + 2.0);
        cuckoo::chance(own)
            + Size::chance(own)
            + Size::chance(3 * others)
            + Chance::of("values of the other's inputs that show", shown, -64)
            + Chance::of("rows that seem to match", bins - common, -(self.compared() as i32))
    }

    fn function(&self) -> OprfJob {
        let (receiver, inputs) = (self.owner, 3 * self.rows(self.owner.peer()));
        OprfJob { receiver, keys: self.rows(receiver), inputs, blocks: (1 + self.theirs.words()).div_ceil(2) }
    }

    fn hint(&self) -> Result<Size> {
        Size::of(3 * self.rows(self.owner.peer()))
    }

    /// What it costs under this setting. Without the salt of the ids.
    ///
    /// # Errors
    /// None for what [`new`](Self::new) accepts.
    pub fn bill(&self, under: &Setting) -> Result<Bill> {
        let mut hint = Phase { bits: [0; 2], rounds: 1 };
        hint.bits[self.owner.peer() as usize] =
            64 * ((1 + self.theirs.words()) * self.hint()?.columns()) as u64;
        let mut bill = self.function().bill(&under.limits)? + Bill { online: hint, ..Bill::FREE };
        bill = bill + DrawnEquality::bill(self.owner.peer(), self.compared())?.times(self.bins());
        for widths in self.selected().into_iter().flatten() {
            bill = bill + DrawnMux::bill(self.owner, widths).times(self.bins());
        }
        // S has the last opening of the equality a round before R, and goes on: the tree has 5 layers, as many as 42 to 64
        // bits take.
        bill.online.rounds -= u32::from(self.selected().iter().any(Option::is_some));
        Ok(bill)
    }

    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(&self, p: &mut Party) -> Result<Prepared> {
        let bins = self.bins();
        let function = Oprf::prepare(p, self.function())?;
        let equality = DrawnEquality::prepare(p, self.owner.peer(), self.compared(), bins)?;
        let mut mux = |widths: Option<[&[u32]; 2]>| {
            widths.map(|widths| DrawnMux::prepare(p, self.owner, bins, widths)).transpose()
        };
        let [additive, bitwise] = self.selected();
        let (additive, bitwise) = (mux(additive)?, mux(bitwise)?);
        Ok(Prepared { join: self.clone(), function, equality, additive, bitwise })
    }
}

/// One-time material for a join.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Prepared {
    join: Join,
    function: Oprf,
    equality: DrawnEquality,
    /// Of S's additive columns and the owner's.
    additive: Option<DrawnMux>,
    /// Of S's columns shared by XOR.
    bitwise: Option<DrawnMux>,
}

/// The result at one party.
pub struct Joined {
    /// Shares of the bit whether a bin has a pair of rows.
    pub matched: Bits,
    /// The other party's additive columns, in their order, 0 where nothing matches.
    pub additive: Vec<AShare<u64>>,
    /// Its XOR shared ones.
    pub bitwise: Vec<BShare<u64>>,
    /// The owner's columns.
    pub own: Vec<AShare<u64>>,
    rows: Option<Rows>,
}

/// The owner's row of each bin, counted from 1; 0 where there is none. Wiped.
struct Rows(Wiped<u64>);

/// What R has of step 3.
struct Decoded {
    /// What is compared.
    compared: Wiped<u64>,
    /// Words of the layout, word by word.
    words: Vec<Wiped<u64>>,
    rows: Placement,
}

impl Prepared {
    /// Online. The party's columns are those that the join names, a word for each of its ids, low bits. Spends the
    /// material.
    ///
    /// # Errors
    /// [`Error::Shape`] for more ids or other columns than prepared for; [`Error::Chance`] with probability `2^-43`; and
    /// those of the channel.
    pub fn run(self, s: &mut Session, ids: &Ids, columns: &[&[u64]]) -> Result<Joined> {
        let owns = s.role() == self.join.owner;
        let (rows, ids) = (self.join.rows(s.role()), ids.blocks());
        if ids.len() > rows {
            return Err(Error::Shape { what: "rows to join, at most", want: rows, got: ids.len() });
        }
        let wanted = if owns { self.join.own.len() } else { self.join.theirs.columns().len() };
        same("columns to join", wanted, columns.len())?;
        columns.iter().try_for_each(|column| same("words of a column", ids.len(), column.len()))?;
        let with = cuckoo::Hashing::new(s, self.join.owner);
        let bins = with.bins(self.join.bins(), ids);
        let drawn = self.drawn(s);
        let Self { join, function, equality, additive, bitwise } = self;
        let decoded = match drawn {
            None => Some(take(s, &join, function, ids, &bins)?),
            Some(drawn) => give(s, &join, function, ids, &bins, columns, &drawn).map(|()| None)?,
        };
        let matched = equality.eq(s, decoded.as_ref().map(|decoded| &decoded.compared[..]))?;
        let [mut of_numbers, mut of_bits] = [vec![], vec![]];
        if let Some(decoded) = &decoded {
            of_numbers = join.theirs.columns_of(Sharing::Additive, &decoded.words);
            let placed = |column: &&[u64]| {
                Wiped::from(
                    decoded.rows.items().map(|row| row.map_or(0, |row| column[row])).collect::<Vec<_>>(),
                )
            };
            of_numbers.extend(columns.iter().map(placed));
            of_bits = join.theirs.columns_of(Sharing::Xor, &decoded.words);
        }
        let [of_numbers, of_bits] =
            [&of_numbers, &of_bits].map(|all| all.iter().map(|x| &x[..]).collect::<Vec<_>>());
        let select = |mux: DrawnMux| mux.select::<Additive>(s, &matched, &of_numbers);
        let mut numbers = additive.map_or(Ok(vec![]), select)?;
        let own = numbers.split_off(join.theirs.widths()[0].len());
        let select = |mux: DrawnMux| mux.select::<Bitwise>(s, &matched, &of_bits);
        let bits = bitwise.map_or(Ok(vec![]), select)?;
        let row = |row: Option<usize>| row.map_or(0, |row| row as u64 + 1);
        let rows = decoded.map(|decoded| Rows(decoded.rows.items().map(row).collect::<Vec<_>>().into()));
        Ok(Joined { matched, additive: numbers, bitwise: bits, own, rows })
    }

    /// At S a target, and masks in words of the layout, for each bin. Bits of these words that are nothing's are random,
    /// too: what R decodes in a bin with a partner looks as in any other.
    fn drawn(&self, s: &mut Session) -> Option<Vec<Wiped<u64>>> {
        let targets = self.equality.drawn()?;
        let mut words = random(s, &self.join);
        let rest = !low(u64::MAX, self.join.compared());
        words[0].iter_mut().zip(targets.iter()).for_each(|(word, target)| *word = *word & rest | target);
        let masks = [
            self.additive.as_ref().map(DrawnMux::drawn::<Additive>),
            self.bitwise.as_ref().map(DrawnMux::drawn::<Bitwise>),
        ];
        self.join.theirs.put(&mut words[1..], &masks.map(Option::unwrap_or_default));
        Some(words)
    }
}

/// Random words: what is compared, and those of the layout, for each bin.
fn random(s: &mut Session, join: &Join) -> Vec<Wiped<u64>> {
    let mut columns: Vec<_> = (0..1 + join.theirs.words()).map(|_| Wiped::zeros(join.bins())).collect();
    columns.iter_mut().for_each(|column| s.rng().words(64, column));
    columns
}

impl Joined {
    /// Bins.
    pub fn bins(&self) -> usize {
        self.matched.len()
    }

    /// The bits of an XOR shared column of the other party's, lowest first: groups, if the column has a bit for each.
    pub fn bits(&self, column: usize) -> Vec<Bits> {
        Bits::from_share(&self.bitwise[column])
    }

    /// A column of the owner's of 1 bit, which is shared by XOR as well.
    ///
    /// # Errors
    /// [`Error::Shape`] if the column is wider.
    pub fn own_bit(&self, column: usize) -> Result<Bits> {
        let column = &self.own[column];
        same("bits of a column of bits", 1, column.bits() as usize)?;
        Ok(Bits::collect(column.words().iter().copied()))
    }

    /// At the owner: the row of each bin. Secret: it must never be sent.
    pub fn rows(&self) -> Option<impl Iterator<Item = Option<usize>> + '_> {
        self.rows.as_ref().map(|rows| rows.0.iter().map(|&row| (row as usize).checked_sub(1)))
    }
}

/// Steps 1 to 3 at R.
fn take(s: &mut Session, join: &Join, function: Oprf, ids: &[Block], bins: &[[u32; 3]]) -> Result<Decoded> {
    let (count, words) = (join.bins(), 1 + join.theirs.words());
    let placed = Placement::new(count, bins)?;
    let occupied = placed.items().enumerate().filter_map(|(bin, row)| Some((bin, row?)));
    // Room for all of it: what grows leaves copies behind.
    let mut pairs = Zeroizing::new(Vec::<(usize, usize)>::with_capacity(ids.len()));
    pairs.extend(occupied);
    let occupied = pairs;
    let key = |&(bin, row): &(usize, usize)| Block(ids[row].0 ^ (bin / (count / 3)) as u128);
    let keys = Wiped::from(occupied.iter().map(key).collect::<Vec<Block>>());
    let values = function.eval(s, &keys)?;
    let (with, size) = (okvs::Hashing::new(s, join.owner.peer()), join.hint()?);
    let mut hint = vec![0u64; size.columns() * words];
    for part in hint.chunks_mut(PIECE) {
        s.connection().channel().recv_into(bytemuck::cast_slice_mut(part))?;
    }
    let decoded = okvs::decode(&with, size, &hint, words, &keys)?;
    let mut columns = random(s, join); // of empty bins
    let masks = bytemuck::cast_slice::<Block, u64>(&values).chunks_exact(words.next_multiple_of(2));
    for ((&(bin, _), decoded), mask) in occupied.iter().zip(decoded.chunks_exact(words)).zip(masks) {
        for (column, (word, mask)) in columns.iter_mut().zip(decoded.iter().zip(mask)) {
            column[bin] = word ^ mask;
        }
    }
    let compared = columns.remove(0);
    Ok(Decoded { compared, words: columns, rows: placed })
}

/// Steps 1 to 3 at S, which has drawn these words for each bin.
fn give(
    s: &mut Session,
    join: &Join,
    function: Oprf,
    ids: &[Block],
    bins: &[[u32; 3]],
    columns: &[&[u64]],
    masks: &[Wiped<u64>],
) -> Result<()> {
    let words = masks.len();
    let mut keys = Wiped::from(Vec::with_capacity(3 * ids.len()));
    keys.extend(ids.iter().flat_map(|y| [0, 1, 2].map(|j| Block(y.0 ^ j))));
    let values = function.eval(s, &keys)?;
    let mut rows = Wiped::zeros(keys.len() * words);
    let pads = bytemuck::cast_slice::<Block, u64>(&values).chunks_exact(words.next_multiple_of(2));
    let mut packed = Wiped::zeros(words - 1);
    for ((i, row), pad) in rows.chunks_exact_mut(words).enumerate().zip(pads) {
        let bin = bins[i / 3][i % 3] as usize;
        packed.iter_mut().zip(&masks[1..]).for_each(|(word, mask)| *word = mask[bin]);
        join.theirs.hide(&mut packed, |column| columns[column][i / 3]);
        row[0] = masks[0][bin];
        row[1..].copy_from_slice(&packed);
        row.iter_mut().zip(pad).for_each(|(word, pad)| *word ^= pad);
    }
    let (with, size) = (okvs::Hashing::new(s, s.role()), join.hint()?);
    let hint = okvs::encode(&with, size, &keys, &rows, words, s.rng())?;
    // Public: rows are masked by values of a function whose inputs the receiver lacks, or are targets and masked
    // columns, which are uniform and serve once; what no key decides is random.
    hint.chunks(PIECE).try_for_each(|part| s.send(bytemuck::cast_slice(part).to_vec()))
}
