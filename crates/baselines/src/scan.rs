//! A baseline: FLORAM's read of a memory of 64-bit words, which both parties scan for each read, one after the other.
//!
//! It is the read of FLORAM that FABLE compares with, and no more of it: no writes, and no variant in which the parties
//! expand their trees together (CPRG). What is meant to be used is [`copy`](mod@hushtable::confidential::copy): one scan
//! for a whole batch, one function, and no more bits than a row has.
//!
//! # Functionality
//! In: XOR shares of `2^d` words, `1 <= d <= 24`, of which one party may have all; later XOR shares of an index. Out: XOR
//! shares of the word there. Any number of reads.
//!
//! # Protocol
//! `F_0`, `F_1` are the [function](hushtable::confidential::prf) under a key of P0's and one of P1's, of 64 bits.
//! 1. *Once*: each party p sends its shares `D_p[j] ^ F_p(j)` of all words.
//! 2. *Read*: keys of a [point function](hushtable::fss::Dpf) with the bit 1 at a random position, whose distance from the
//!    index is opened. With t the shares of the function's values, a party adds up the *masked memory*
//!    `M[j] = D[j] ^ F_0(j) ^ F_1(j)`, which both have, where t is 1.
//! 3. Shares of `F_0(i)` and of `F_1(i)` are computed and taken off.
//!
//! # Cost
//! Once `64 * 2^d` bits each way, 1 round. A read: a point function and two functions, each by itself: [`Read::bill`]. Each
//! party grows a tree of `2^d` leaves and passes over `2^d` words.
//!
//! # Source
//! Doerner, shelat, "Scaling ORAM for secure computation" (CCS 2017): the read-only memory under both parties' masks, the
//! scan by point functions whose keys both make, the function on the shared index. Not reproduced: its writes, its
//! garbled circuits (here AND gates), its CPRG. FABLE's own figures are of 128 independent reads (confidential-errata
//! E24): so nothing here is shared by reads either.
//!
//! # Security
//! Shares of the memory leave a party under its function only. A read opens a distance that is uniform. A key serves one
//! memory.

use prim::{Wiped, pack::packed_len, transpose::transpose64};
use zeroize::Zeroizing;

use hushtable::{
    bill::{Bill, Phase},
    confidential::prf::{Cipher, Key, Prf, PrfJob},
    error::{Result, same, within},
    fss::{Dpf, MAX_POSITION_BITS, Point, Unplaced},
    gates::Bits,
    net::Role,
    onehot::Xor,
    party::Party,
    session::Session,
    share::{BShare, Bitwise},
};

/// Bits of a word.
const WORD: u32 = 64;
/// Inputs of the function at a time.
const PIECE: usize = 1 << 12;

/// A memory's size and functions. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ScanJob {
    /// The block cipher of the functions.
    pub cipher: Cipher,
    /// Bits of an index.
    pub index_bits: u32,
}

impl ScanJob {
    /// Words of the memory.
    fn len(&self) -> usize {
        1 << self.index_bits
    }

    fn prf(&self, owner: Role) -> PrfJob {
        PrfJob { cipher: self.cipher, owner, input_bits: self.index_bits, output_bits: WORD }
    }

    /// What a memory costs, once.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) for an index that is too wide.
    pub fn once(&self) -> Result<Bill> {
        self.check()?;
        let offline = Phase { bits: [u64::from(WORD) << self.index_bits; 2], rounds: 1 };
        Ok(Bill { offline, ..Bill::FREE })
    }

    fn check(&self) -> Result<()> {
        within("bits of an index", self.index_bits, 1..=MAX_POSITION_BITS)
    }
}

/// One party's side of a memory.
pub struct Memory {
    job: ScanJob,
    key: Key,
    /// The masked words, the same at both parties.
    masked: Wiped<u64>,
}

impl Memory {
    /// From both parties' shares of the words; the owner of a private table gives that, the other zeros.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) for an index that is too wide, [`Error::Shape`](hushtable::Error::Shape) unless
    /// there are as many words; and those of the channel.
    pub fn new(s: &mut Session, job: ScanJob, share: &[u64]) -> Result<Self> {
        job.check()?;
        same("words of the memory", job.len(), share.len())?;
        let key = Key::random(job.cipher, s.rng());
        let blinds = values(&key, &job.prf(s.role()), job.len());
        let mut blinded = Wiped::from(share.to_vec());
        blinded.iter_mut().zip(blinds.iter()).for_each(|(word, blind)| *word ^= blind);
        let mut masked = exchanged(s, &blinded)?;
        masked.iter_mut().zip(blinded.iter()).for_each(|(word, mine)| *word ^= mine);
        Ok(Self { job, key, masked })
    }

    /// Shares of the sum of the words where the function is 1: its bits, 64 a word. All words are passed over.
    fn sum(&self, bits: &[u64]) -> u64 {
        let chosen = |(chunk, &bits): (&[u64], &u64)| {
            let word = |(i, word): (usize, &u64)| word & (bits >> i & 1).wrapping_neg();
            chunk.iter().enumerate().map(word).fold(0, |sum, word| sum ^ word)
        };
        self.masked.chunks(64).zip(bits).map(chosen).fold(0, |sum, word| sum ^ word)
    }
}

/// One-time material for one read of any memory of a job.
///
/// ```compile_fail,E0382
/// # use hushtable::{BShare, Result, session::Session};
/// # use hushtable_baselines::scan::{Memory, Read};
/// fn twice(s: &mut Session, m: Read, memory: &Memory, x: &BShare<u32>) -> Result<()> {
///     m.eval(s, memory, x)?;
///     m.eval(s, memory, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Read {
    job: ScanJob,
    key: Unplaced<Point, Xor, Bitwise>,
    functions: [Prf; 2],
}

impl Read {
    /// Offline.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) for an index that is too wide, and those of the channel.
    pub fn prepare(p: &mut Party, job: ScanJob) -> Result<Self> {
        job.check()?;
        let key = Dpf::<Xor, Bitwise>::prepare_bit(p, job.index_bits, 1)?;
        let functions = [Prf::prepare(p, job.prf(Role::P0), 1)?, Prf::prepare(p, job.prf(Role::P1), 1)?];
        Ok(Self { job, key, functions })
    }

    /// What a read costs.
    ///
    /// # Errors
    /// [`Error::Param`](hushtable::Error::Param) for an index that is too wide.
    pub fn bill(job: &ScanJob) -> Result<Bill> {
        job.check()?;
        let [p0, p1] = [Role::P0, Role::P1].map(|owner| Prf::bill(&job.prf(owner), 1));
        Ok(Dpf::<Xor, Bitwise>::bit_bill(job.index_bits)? + p0? + p1?)
    }

    /// Online: shares of the word at an index. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](hushtable::Error::Shape) unless it is one index of the right width, and the memory's job is this
    /// one's size; and those of the channel.
    pub fn eval(self, s: &mut Session, memory: &Memory, x: &BShare<u32>) -> Result<BShare<u64>> {
        same("indices of a read", 1, x.len())?;
        same("bits of an index", self.job.index_bits as usize, x.bits() as usize)?;
        same("words of the memory", self.job.len(), memory.job.len())?;
        let mut found = Zeroizing::new(0);
        // The distance is opened here: of a random position, uniform.
        self.key.at(s, x)?.eval_bits(|_, bits| *found = memory.sum(bits))?;
        let planes = Bits::from_share(x);
        let mut word = BShare::new(WORD, vec![*found]);
        for (owner, function) in [Role::P0, Role::P1].into_iter().zip(self.functions) {
            let key = (owner == s.role()).then_some(&memory.key);
            word = &word ^ &Bits::to_share(&function.eval(s, key, &planes)?)?;
        }
        Ok(word)
    }
}

/// The function's values at all indices.
fn values(key: &Key, prf: &PrfJob, len: usize) -> Wiped<u64> {
    let mut all = Wiped::zeros(len);
    let mut square = Zeroizing::new([[0u64; 64]]);
    for (first, values) in (0..).step_by(PIECE).zip(all.chunks_mut(PIECE)) {
        let width = values.len().div_ceil(64);
        let inputs: Vec<u128> = (first..first + 64 * width as u128).collect();
        let mut planes = Wiped::zeros(WORD as usize * width);
        key.add_values(prf, &inputs, &mut planes).expect("sizes that are checked");
        for (word, values) in values.chunks_mut(64).enumerate() {
            square[0].iter_mut().zip(planes.chunks_exact(width)).for_each(|(row, plane)| *row = plane[word]);
            transpose64(&mut *square);
            values.copy_from_slice(&square[0][..values.len()]);
        }
    }
    all
}

/// The peer's words for this party's.
fn exchanged(s: &mut Session, mine: &[u64]) -> Result<Wiped<u64>> {
    let mut theirs = Wiped::zeros(mine.len());
    let pieces = || (0..mine.len()).step_by(PIECE).map(|from| from..mine.len().min(from + PIECE));
    let mut state = (pieces(), pieces(), &mut theirs);
    s.duplex(
        &mut state,
        |_, (sending, _, _)| Ok(sending.next().map(|at| bytemuck::cast_slice(&mine[at]).to_vec())),
        |s, (_, receiving, theirs)| {
            let Some(at) = receiving.next() else { return Ok(false) };
            let message = s.recv(packed_len(at.len(), WORD))?;
            bytemuck::cast_slice_mut::<u64, u8>(&mut theirs[at]).copy_from_slice(&message);
            Ok(true)
        },
    )?;
    Ok(theirs)
}
