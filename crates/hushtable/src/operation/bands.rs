//! In which of a few bands between public numbers a shared number lies.
//!
//! A number is compared with all cuts in the same rounds. The bits `t_1 >= t_2 >= ... >= t_k` say which cuts it
//! reaches, and the band is how many. Its binary digit j turns at each multiple of `2^j`: it is the sum mod 2 of all
//! t_i with i such a multiple, so XOR shares of the bits give XOR shares of the band without a message.

use std::iter::repeat_n;

use prim::ring::low;

use super::{Material, Operation, Port, Signature, Ways, material, operands};
use crate::{
    arith::{CompareDomain, CompareJob, Comparison, Objective},
    bill::Bill,
    error::{Error, Result},
    gates::{B2a, Bits},
    net::Role,
    ot::Setting,
    share::AShare,
    source::Origin,
    terms::{Terms, Value},
};

/// The most cuts: bands are to be coarse.
const MOST: usize = 15;

/// How many public cuts a signed number reaches. With one cut it is a comparison.
#[derive(Clone, Debug)]
pub struct Bands {
    job: CompareJob,
    /// What its plan was chosen for.
    objective: Objective,
    cuts: Vec<i64>,
    /// Width of a band that becomes an additive share.
    additive: Option<u32>,
}

impl Bands {
    /// For numbers of `bits` bits, each nearer than `2^(bits-1)` to every cut. The cuts do not decrease.
    ///
    /// # Errors
    /// [`Error::Param`] unless there are 1 to 15 cuts in order, of less than `bits` bits, and for a width that is not
    /// supported.
    pub fn new(bits: u32, cuts: Vec<i64>, objective: Objective) -> Result<Self> {
        let job = CompareJob::new(bits, CompareDomain::Near, objective)?;
        let refuse = |got: String| {
            let accepted = format!("1 to {MOST} numbers of {bits} bits that do not decrease");
            Err(Error::Param { what: "cuts between bands", got, accepted })
        };
        if !(1..=MOST).contains(&cuts.len()) {
            return refuse(format!("{} cuts", cuts.len()));
        }
        let fits = |cut: &i64| *cut == cut << (64 - bits) >> (64 - bits);
        if !cuts.is_sorted() || !cuts.iter().all(fits) {
            return refuse(format!("{cuts:?}"));
        }
        Ok(Self { job, objective, cuts, additive: None })
    }

    /// With bands that are additive shares of `bits` bits.
    #[must_use]
    pub fn additive(self, bits: u32) -> Self {
        Self { additive: Some(bits), ..self }
    }

    /// The same, each as `f` gives it of bands by comparisons for an objective.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn ways_of<T: Operation + 'static>(
        &self,
        asked: Option<Objective>,
        f: impl Fn(Self) -> T,
    ) -> Result<Option<Ways>> {
        let CompareJob { bits, domain, .. } = self.job;
        Ways::by_objective(asked.unwrap_or(self.objective), |objective| {
            Ok(f(Self { job: CompareJob::new(bits, domain, objective)?, ..self.clone() }))
        })
    }

    /// The cuts.
    pub fn cuts(&self) -> &[i64] {
        &self.cuts
    }

    /// Bits of a band's number.
    fn digits(&self) -> u32 {
        self.cuts.len().ilog2() + 1
    }

    /// Cut by cut, this party's shares of the numbers and of the cut.
    fn pairs(&self, role: Role, x: &[u64]) -> [AShare<u64>; 2] {
        let bits = self.job.bits;
        // Public: P0's share of a cut is all of it.
        let cut = |cut: &i64| if role == Role::P0 { *cut as u64 } else { 0 };
        let cuts = self.cuts.iter().flat_map(|c| repeat_n(cut(c), x.len())).collect();
        [AShare::new(bits, x.repeat(self.cuts.len())), AShare::new(bits, cuts)]
    }

    /// XOR shares of the bands, from those of the cuts that are reached.
    fn number(&self, reached: &[Bits]) -> Result<Vec<u64>> {
        let digit = |j: u32| {
            let turns = reached.iter().skip((1 << j) - 1).step_by(1 << j);
            turns.cloned().reduce(|sum, bits| &sum ^ &bits).expect("2^j is at most the number of cuts")
        };
        let digits: Vec<Bits> = (0..self.digits()).map(digit).collect();
        Ok(Bits::to_share::<u64>(&digits)?.into_wide())
    }

    /// What the parties must have alike, for what is made of bands.
    pub fn terms(&self) -> Terms {
        Terms::of("bands")
            .with("bits", self.job.bits)
            .with("cuts", &self.cuts[..])
            .with("comparison", &self.job.plan.to_string()[..])
            .with("objective", self.objective)
            .with("additive", self.additive.as_slice())
    }
}

impl Operation for Bands {
    fn name(&self) -> String {
        "bands".into()
    }

    fn method(&self) -> String {
        match self.cuts.len() {
            1 => "comparison".into(),
            cuts => format!("{cuts} comparisons"),
        }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("bits", self.job.bits.to_string()),
            ("cuts", Value::text(&self.cuts[..])),
            ("method", self.job.plan.to_string()),
        ]
    }

    /// A band of several bits has one more as its sign, which is 0.
    fn signature(&self) -> Signature {
        let band = match (self.additive, self.cuts.len()) {
            (Some(bits), _) => Port::additive("band", bits),
            (None, 1) => Port::bit("band"),
            (None, _) => Port::xor("band", self.digits() + 1),
        };
        let number = Port::additive("number", self.job.bits);
        Signature::new([number], band.within(Some([0, self.cuts.len() as i64])))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        let cut = self.job.bill()? + self.additive.map_or(Bill::FREE, B2a::bill);
        Ok(cut.times(self.cuts.len() * items))
    }

    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        self.ways_of(asked, |bands| bands)
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bands, all) = (self.clone(), self.cuts.len() * items);
        let order = Comparison::prepare(from, self.job, all)?;
        let convert = self.additive.map(|bits| B2a::prepare(from, bits, all)).transpose()?;
        Ok(material(items, move |s, given| {
            let [x] = operands(given)?;
            let [numbers, cuts] = bands.pairs(s.role(), x);
            let reached = order.ge(s, &numbers, &cuts)?;
            let Some(convert) = convert else {
                let at = |i: usize| reached.range(i * x.len()..(i + 1) * x.len());
                return bands.number(&(0..bands.cuts.len()).map(at).collect::<Vec<_>>());
            };
            let counted = convert.convert::<u64>(s, &reached)?;
            let row =
                |i| counted.words()[i..].iter().step_by(x.len()).fold(0, |n: u64, t| n.wrapping_add(*t));
            Ok((0..x.len()).map(|i| low(row(i), counted.bits())).collect())
        }))
    }

    fn stored_as(&self) -> String {
        let results = self.additive.map_or(String::new(), |bits| format!(", as numbers of {bits} bits"));
        let what = match self.cuts.len() {
            1 => "comparisons with a cut".to_owned(),
            cuts => format!("bands between {cuts} cuts"),
        };
        format!("{what}, of numbers of {} bits{results}", self.job.bits)
    }

    fn tells(&self) -> String {
        match self.cuts.len() {
            1 => "whether the number is at least the cut: one bit".into(),
            cuts => format!("which of {} bands the number lies in", cuts + 1),
        }
    }
}
