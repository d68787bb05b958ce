//! On which side of a public interval a shared number lies.
//!
//! # Functionality
//! In: additive shares mod `2^l` of X. Out: XOR shares of `1{X < 0}` and of `1{X >= span}`, for a public
//! `span <= 2^q` and signed X with `span - 2^(l-1) <= X < 2^(l-1)`. *Inside*: of `1{0 <= X < span}`, for every X.
//!
//! # Protocol
//! 1. A comparison finds the carry k of the low q bits of the shares. If `span < 2^q` a second one at the same
//!    time finds the carry of the same with `2^q - span` more, which P0 adds: the two and what P0 itself carries
//!    sum to `o = 1{X mod 2^q >= span}`.
//! 2. k is converted and added to the other bits: shares of `V = floor(X / 2^q)`, of `m = l - q` bits. X is
//!    inside if `V = 0` and `o = 0`.
//! 3. Of the low `m - 1` bits P0 has `c = -V_0` and P1 `d = V_1`: `V = 0` if `c = d`, and `1{c < d}` is the carry
//!    of `(V_0 - 1) + V_1` into the top bit. With a digit below that is less if `o = 1` and else equal, `equal`
//!    says whether X is inside, and the top bit of the sum, `1{V < 1}`, becomes `1{X < span}`.
//!
//! For X from `span - 2^(l-1)` on, `o = 1` where V is the least number of m bits. *Inside*: `c = d` of all m bits.
//!
//! # Cost
//! A comparison of q bits, or two; a conversion of m bits, which is free for `m = 1`; the order of `m - 1` bits
//! (m inside), with a digit below in the second case.
//!
//! # Source
//! Comparison as in Rathee et al., "CrypTFlow2" (CCS 2020), section 4, once instead of once for each end.

use std::ops::RangeInclusive;

use prim::ring::{Ring, low};
use zeroize::Zeroizing;

use super::{
    carry::Carry,
    order::{OrderJob, Ordering},
    plan::ComparePlan,
    tree::Order,
};
use crate::{
    bill::{Bill, Objective},
    error::{Error, Result, same},
    gates::{B2a, Bits},
    net::Role,
    session::Session,
    share::AShare,
    source::Source,
};

/// How the upper bits V of numbers are told apart, whose carry from below is known: steps 2 and 3. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct UpperJob {
    /// Bits of V.
    bits: u32,
    /// Whether both sides are wanted, or only what is inside.
    sides: bool,
    /// None for no bits.
    order: Option<OrderJob>,
}

/// One-time material for a batch of such.
pub(crate) struct Upper {
    job: UpperJob,
    top: B2a,
    order: Option<Ordering>,
    below: Option<Order>,
}

impl UpperJob {
    /// For V of `bits` bits; `below` is whether there is a digit below.
    ///
    /// # Errors
    /// [`Error::Param`] unless `1 <= bits <= 64`.
    pub(crate) fn new(bits: u32, sides: bool, below: bool, objective: Objective) -> Result<Self> {
        let order = match bits.saturating_sub(sides.into()) {
            0 => None,
            compared => Some(OrderJob::new(compared, below, objective)?),
        };
        Ok(Self { bits, sides, order })
    }

    /// What a number costs.
    ///
    /// # Errors
    /// None for a job that was made.
    pub(crate) fn bill(&self) -> Result<Bill> {
        Ok(B2a::bill(self.bits) + self.order.map_or(Ok(Bill::FREE), |order| order.bill())?)
    }
}

impl Upper {
    /// Offline, for `batch` numbers.
    ///
    /// # Errors
    /// Those of the channel.
    pub(crate) fn prepare(p: &mut dyn Source, job: UpperJob, batch: usize) -> Result<Self> {
        let top = B2a::prepare(p, job.bits, batch)?;
        let order = job.order.map(|order| Ordering::prepare(p, order, batch)).transpose()?;
        Ok(Self { job, top, order, below: None })
    }

    /// Online: shares of `1{V < 0}` and of `1{V >= 1}`, from this party's shares of V without the carries. Spends the
    /// material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless there are as many as prepared for, and those of the channel.
    pub(crate) fn sides(
        self,
        s: &mut Session,
        upper: impl Iterator<Item = u64>,
        carries: &Bits,
    ) -> Result<[Bits; 2]> {
        let (role, top) = (s.role(), self.job.bits - 1);
        let (v, Order { less, equal }) = self.run(s, upper, carries)?;
        let one = 1 - role as u64;
        let tops = Bits::collect(v.iter().map(|v| v.wrapping_sub(one) >> top & 1));
        let under = &tops ^ &less;
        Ok([&under ^ &equal.expect("the tree keeps equality"), under.not(role)])
    }

    /// Online: shares of `1{V = 0}`. Spends the material.
    ///
    /// # Errors
    /// As [`sides`](Self::sides).
    pub(crate) fn zero(
        self,
        s: &mut Session,
        upper: impl Iterator<Item = u64>,
        carries: &Bits,
    ) -> Result<Bits> {
        let (_, order) = self.run(s, upper, carries)?;
        Ok(order.equal.expect("the tree keeps equality"))
    }

    /// This party's shares of V, and the order of step 3.
    fn run(
        self,
        s: &mut Session,
        upper: impl Iterator<Item = u64>,
        carries: &Bits,
    ) -> Result<(Zeroizing<Vec<u64>>, Order)> {
        let role = s.role();
        let carries: AShare<u64> = self.top.convert(s, carries)?;
        let v = upper.zip(carries.words()).map(|(v, k)| low(v.wrapping_add(*k), self.job.bits));
        let v = Zeroizing::new(v.collect::<Vec<u64>>());
        let negative = (role as u64).wrapping_sub(1); // all ones at P0
        let compared =
            Zeroizing::new(v.iter().map(|v| (v ^ negative).wrapping_sub(negative)).collect::<Vec<_>>());
        let order = match (self.order, self.below) {
            (Some(order), below) => order.run(s, &compared, below)?,
            (None, Some(below)) => below,
            (None, None) => {
                let zeros = Bits::zeros(v.len());
                Order { equal: Some(zeros.not(role)), less: zeros }
            }
        };
        Ok((v, order))
    }
}

/// What the numbers of a batch have in common. Public, the same at both parties.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct SidesJob {
    bits: u32,
    low: u32,
    span: u64,
    plan: ComparePlan,
    upper: UpperJob,
}

/// One-time material for the sides of a batch of numbers.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, arith::Sides};
/// fn twice(p: &mut Party, m: Sides, x: &AShare<u64>) -> Result<()> {
///     m.sides(p, x)?;
///     m.sides(p, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Sides {
    job: SidesJob,
    batch: usize,
    carry: Carry,
    upper: Upper,
}

impl SidesJob {
    /// For both sides of `0..span`, in a ring of `bits` bits.
    ///
    /// # Errors
    /// [`Error::Param`] unless `2 <= span <= 2^(bits-1)` and `bits` is at most 64.
    pub fn sides(bits: u32, span: u64, objective: Objective) -> Result<Self> {
        Self::new(bits, span, true, objective)
    }

    /// For whether numbers are inside `0..span`.
    ///
    /// # Errors
    /// [`Error::Param`] unless `2 <= span <= 2^(bits-1)` and `bits` is at most 64.
    pub fn inside(bits: u32, span: u64, objective: Objective) -> Result<Self> {
        Self::new(bits, span, false, objective)
    }

    fn new(bits: u32, span: u64, sides: bool, objective: Objective) -> Result<Self> {
        let most = 1u64.checked_shl(bits.saturating_sub(1)).unwrap_or(0);
        if bits > 64 || !(2..=most).contains(&span) {
            let (what, got) = ("numbers inside", format!("{span} in {bits} bits"));
            return Err(Error::Param { what, got, accepted: "2 to 2^(bits - 1), 64 bits".into() });
        }
        let low = span.next_power_of_two().trailing_zeros();
        let upper = UpperJob::new(bits - low, sides, !span.is_power_of_two(), objective)?;
        Ok(Self { bits, low, span, plan: ComparePlan::best(low, objective)?, upper })
    }

    /// The numbers X, in two's complement, of which the sides are told: `span - 2^(l-1)` to `2^(l-1) - 1`, and all
    /// of the ring where only what is inside is.
    pub fn reach(&self) -> RangeInclusive<i64> {
        let unused = 64 - self.bits;
        let least = (i64::MIN >> unused).wrapping_add(if self.upper.sides { self.span as i64 } else { 0 });
        least..=i64::MAX >> unused
    }

    /// What a number costs.
    ///
    /// # Errors
    /// None for a job that was made.
    pub fn bill(&self) -> Result<Bill> {
        let carry = Carry::bill(self.low, self.plan)?.times(self.carries());
        Ok(carry + self.upper.bill()?)
    }

    /// All of it as numbers, for a digest.
    pub(crate) fn words(self) -> Vec<u64> {
        let Self { bits, low, span, plan, upper: UpperJob { sides, order, .. } } = self;
        let own = [bits.into(), low.into(), span, sides.into()];
        let order = order.map_or(vec![], OrderJob::words);
        [&own[..], &plan.words(), &order].concat()
    }

    fn carries(&self) -> usize {
        if self.span.is_power_of_two() { 1 } else { 2 }
    }
}

impl Sides {
    /// Offline, for `batch` numbers.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(p: &mut dyn Source, job: SidesJob, batch: usize) -> Result<Self> {
        let carry = Carry::prepare(p, job.low, job.plan, job.carries() * batch)?;
        Ok(Self { job, batch, carry, upper: Upper::prepare(p, job.upper, batch)? })
    }

    /// Online: shares of `1{X < 0}` and of `1{X >= span}`. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] if numbers or width are not those prepared for, [`Error::Param`] for material for
    /// [`inside`](Self::inside), and those of the channel.
    pub fn sides<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<[Bits; 2]> {
        if !self.job.upper.sides {
            let (what, accepted) = ("material for sides", "that for both sides".into());
            return Err(Error::Param { what, got: "that for what is inside".into(), accepted });
        }
        let q = self.job.low;
        let (upper, carries) = self.carries(s, x)?;
        upper.sides(s, x.words().iter().map(|w| w.to_u64() >> q), &carries)
    }

    /// Online: shares of `1{0 <= X < span}`. Spends the material.
    ///
    /// # Errors
    /// As [`sides`](Self::sides), the other way round.
    pub fn inside<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<Bits> {
        if self.job.upper.sides {
            let (what, accepted) = ("material for what is inside", "that for it".into());
            return Err(Error::Param { what, got: "that for both sides".into(), accepted });
        }
        let q = self.job.low;
        let (upper, carries) = self.carries(s, x)?;
        upper.zero(s, x.words().iter().map(|w| w.to_u64() >> q), &carries)
    }

    /// Step 1: the carries, and what tells the sides with the digit below if there is one.
    fn carries<R: Ring>(self, s: &mut Session, x: &AShare<R>) -> Result<(Upper, Bits)> {
        let Self { job: SidesJob { bits, low: q, span, .. }, batch, carry, upper } = self;
        same("numbers whose sides are wanted", batch, x.len())?;
        same("bits of the numbers", bits as usize, x.bits() as usize)?;
        let (role, n) = (s.role(), x.len());
        let more = if role == Role::P0 { (1 << q) - span } else { 0 };
        let words = || x.words().iter().map(|w| w.to_u64());
        let mut mine = Zeroizing::new(Vec::with_capacity(2 * n));
        mine.extend(words());
        if !span.is_power_of_two() {
            mine.extend(words().map(|w| low(w, q) + more));
        }
        let mut carries = carry.of(s, &mine)?;
        let below = (!span.is_power_of_two()).then(|| {
            let own = Bits::collect(mine[n..].iter().map(|w| w >> q & 1));
            let over = &(&carries.split_off(n) ^ &carries) ^ &own;
            Order { equal: Some(over.not(role)), less: over }
        });
        Ok((Upper { below, ..upper }, carries))
    }
}
