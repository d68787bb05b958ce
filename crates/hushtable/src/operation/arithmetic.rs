//! Products, truncation, selection and ReLU.

use super::{Material, Operation, Port, Signature, Ways, implied, material, operands};
use crate::{
    arith::{
        CompareDomain, CompareJob, ComparePlan, FaithfulTruncation, Gram, GramJob, LatticeTriplesJob,
        MatrixJob, MatrixProduct, MatrixShape, Multiplication, Objective, ProductTriples, Relu,
    },
    bill::{Bill, Effort},
    error::Result,
    gates::{Bits, Mux},
    ot::Setting,
    party::Party,
    share::AShare,
    source::Origin,
};

/// Products of shared numbers.
#[derive(Clone, Copy, Debug)]
pub struct Multiply {
    /// Width of the numbers.
    pub bits: u32,
    /// With [`Objective::Online`] and [`Objective::Rounds`] by multiplication triples, which take less online and more in all.
    pub objective: Objective,
}

/// Products of shared matrices. An item is one whole product: its rows share the correlated OTs of the right factor,
/// which parts of it would each take again.
#[derive(Clone, Copy, Debug)]
pub struct Products {
    /// The shape of one, however many it says there are.
    pub shape: MatrixShape,
    /// Width of the numbers.
    pub bits: u32,
    /// As of [`Multiply`].
    pub objective: Objective,
}

/// Products of shared matrices with themselves, transposed; of one row and one column: squares. An item is one whole matrix.
#[derive(Clone, Copy, Debug)]
pub struct SymmetricProducts {
    /// Rows of a matrix.
    pub rows: usize,
    /// Its columns.
    pub inner: usize,
    /// Width of the numbers.
    pub bits: u32,
    /// As of [`Multiply`].
    pub objective: Objective,
}

/// Faithful truncation of shared numbers.
#[derive(Clone, Copy, Debug)]
pub struct Truncate {
    /// Width of the numbers.
    pub bits: u32,
    /// How many bits are cut off.
    pub cut: u32,
}

/// Selection by a shared bit: the first operand is the bits, the second the numbers.
#[derive(Clone, Copy, Debug)]
pub struct Select {
    /// Width of the numbers.
    pub bits: u32,
}

/// ReLU of shared signed numbers that are known to fit fewer bits. Of those that do not results are wrong.
#[derive(Clone, Copy, Debug)]
pub struct Rectify {
    /// Width of the numbers.
    pub bits: u32,
    /// Bits that they fit, with their sign, 2 at least.
    pub within: u32,
    /// What the comparison is to have least of.
    pub objective: Objective,
}

impl Operation for Multiply {
    fn name(&self) -> String {
        "product".into()
    }

    fn method(&self) -> String {
        by(self.objective)
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.bits.to_string()), ("method", self.method())]
    }

    fn signature(&self) -> Signature {
        Signature::new([number(self.bits); 2], number(self.bits))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(match opens(self.objective) {
            true => ProductTriples::<u64>::bill(self.bits, MatrixShape::numbers(items)),
            false => Multiplication::bill(self.bits).times(items),
        })
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        if opens(self.objective) {
            return spent(ProductTriples::random(from, self.bits, MatrixShape::numbers(items))?, items);
        }
        let (bits, product) = (self.bits, Multiplication::prepare(from, self.bits, items)?);
        Ok(material(items, move |s, given| {
            let [x, y] = operands(given)?.map(|words: &[u64]| AShare::<u64>::new(bits, words.to_vec()));
            Ok(product.multiply(s, &x, &y)?.into_wide())
        }))
    }
}

impl Operation for Products {
    fn name(&self) -> String {
        "matrix product".into()
    }

    fn method(&self) -> String {
        if self.by_lattice() { "triples by lattices".into() } else { by(self.objective) }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let MatrixShape { rows, inner, columns, .. } = self.shape;
        vec![
            ("shape", format!("{rows} x {inner} x {columns}")),
            ("bits", self.bits.to_string()),
            ("method", self.method()),
        ]
    }

    fn signature(&self) -> Signature {
        let (one, entries) = (self.of(1), number(self.bits));
        Signature::new([entries.of(one.left()), entries.of(one.right())], entries.of(one.out()))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        if self.by_lattice() {
            return Ok(self.lattice(items)?.bill());
        }
        Ok(match opens(self.objective) {
            true => ProductTriples::<u64>::bill(self.bits, self.of(items)),
            false => MatrixJob::shared(self.of(items), self.bits).bill(),
        })
    }

    fn effort(&self, items: usize, under: &Setting) -> Result<Effort> {
        let implied = implied(&self.signature(), self.bill(items, under)?, self.stocks(), items);
        if !self.by_lattice() {
            return Ok(implied);
        }
        let effort = self.lattice(items)?.effort();
        let memory = [0, 1].map(|party| effort.memory[party].max(implied.memory[party]));
        Ok(effort.remembering(memory))
    }

    fn set_up(&self, p: &mut Party, items: usize) -> Result<()> {
        if self.by_lattice() { self.lattice(items)?.set_up(p) } else { Ok(()) }
    }

    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        Ways::by_objective(asked.unwrap_or(self.objective), |objective| Ok(Self { objective, ..*self }))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        if self.by_lattice() {
            return spent(ProductTriples::by_lattice(from, &self.lattice(items)?)?, items);
        }
        if opens(self.objective) {
            return spent(ProductTriples::random(from, self.bits, self.of(items))?, items);
        }
        let (bits, job) = (self.bits, MatrixJob::shared(self.of(items), self.bits));
        let product = MatrixProduct::prepare(from, job)?;
        Ok(material(items, move |s, given| {
            let [x, y] = operands(given)?.map(|words: &[u64]| AShare::<u64>::new(bits, words.to_vec()));
            Ok(product.multiply(s, &x, &y)?.into_wide())
        }))
    }
}

impl Products {
    /// Whether one of them takes fewer bytes so: whatever is to be least, since then it takes less time, too, and no more
    /// online.
    fn by_lattice(&self) -> bool {
        ProductTriples::<u64>::suiting_lattice(self.bits, self.of(1), Objective::Total).is_some()
    }

    /// So many of them by a lattice.
    fn lattice(&self, items: usize) -> Result<LatticeTriplesJob> {
        LatticeTriplesJob::new(self.bits, self.of(items), self.objective)
    }

    /// The shape of so many.
    fn of(&self, items: usize) -> MatrixShape {
        MatrixShape { batch: items, ..self.shape }
    }
}

impl Operation for SymmetricProducts {
    fn name(&self) -> String {
        "symmetric product".into()
    }

    fn method(&self) -> String {
        if self.by_lattice() { "triples by lattices".into() } else { by(self.objective) }
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![
            ("shape", format!("{} x {}", self.rows, self.inner)),
            ("bits", self.bits.to_string()),
            ("method", self.method()),
        ]
    }

    fn signature(&self) -> Signature {
        let entries = number(self.bits);
        Signature::new([entries.of(self.rows * self.inner)], entries.of(self.rows * self.rows))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(self.job(items)?.bill())
    }

    fn effort(&self, items: usize, under: &Setting) -> Result<Effort> {
        let implied = implied(&self.signature(), self.bill(items, under)?, self.stocks(), items);
        let job = self.job(items)?;
        if !job.is_by_lattice() {
            return Ok(implied);
        }
        let effort = job.effort();
        let memory = [0, 1].map(|party| effort.memory[party].max(implied.memory[party]));
        Ok(effort.remembering(memory))
    }

    fn set_up(&self, p: &mut Party, items: usize) -> Result<()> {
        self.job(items)?.set_up(p)
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, product) = (self.bits, Gram::prepare(from, &self.job(items)?)?);
        Ok(material(items, move |s, given| {
            let [x] = operands(given)?;
            Ok(product.multiply(s, &AShare::<u64>::new(bits, x.to_vec()))?.into_wide())
        }))
    }
}

impl SymmetricProducts {
    /// As of [`Products`].
    fn by_lattice(&self) -> bool {
        let one = GramJob::suiting([1, self.rows, self.inner], self.bits, Objective::Total);
        one.is_ok_and(|job| job.is_by_lattice())
    }

    /// So many of them.
    fn job(&self, items: usize) -> Result<GramJob> {
        let shape = [items, self.rows, self.inner];
        match opens(self.objective) {
            _ if self.by_lattice() => GramJob::by_lattice(shape, self.bits, self.objective),
            true => GramJob::by_triples(shape, self.bits),
            false => GramJob::by_ots(shape, self.bits),
        }
    }
}

impl Operation for Truncate {
    fn name(&self) -> String {
        "truncation".into()
    }

    fn method(&self) -> String {
        self.plan().map_or("faithful".into(), |plan| format!("faithful, {plan}"))
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        let [bits, cut] = [self.bits, self.cut].map(|n| n.to_string());
        vec![("bits", bits), ("bits to cut off", cut)]
    }

    fn signature(&self) -> Signature {
        Signature::new([number(self.bits)], number(self.bits))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(FaithfulTruncation::bill(self.bits, self.cut, self.plan()?)?.times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, cut) = (self.bits, self.cut);
        let truncation = FaithfulTruncation::prepare(from, bits, cut, self.plan()?, items)?;
        Ok(material(items, move |s, given| {
            let [x] = operands(given)?;
            Ok(truncation.truncate(s, &AShare::<u64>::new(bits, x.to_vec()))?.into_wide())
        }))
    }
}

impl Truncate {
    fn plan(&self) -> Result<ComparePlan> {
        ComparePlan::best(self.cut, Objective::Total)
    }
}

impl Operation for Select {
    fn name(&self) -> String {
        "selection".into()
    }

    fn method(&self) -> String {
        "multiplexer".into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.bits.to_string())]
    }

    fn signature(&self) -> Signature {
        Signature::new([Port::bit("choice"), number(self.bits)], number(self.bits))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(Mux::bill(&[self.bits]).times(items))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, mux) = (self.bits, Mux::prepare(from, items, &[self.bits])?);
        Ok(material(items, move |s, given| {
            let [choices, x] = operands(given)?;
            let choices = Bits::collect(choices.iter().copied());
            Ok(mux.select(s, &choices, &AShare::<u64>::new(bits, x.to_vec()))?.into_wide())
        }))
    }
}

impl Operation for Rectify {
    fn name(&self) -> String {
        "relu".into()
    }

    fn method(&self) -> String {
        self.job().map_or("comparison".into(), |job| job.plan.to_string())
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("bits", self.bits.to_string()), ("within", self.within.to_string()), ("method", self.method())]
    }

    fn signature(&self) -> Signature {
        let most = i64::MAX >> (64 - self.within.clamp(1, 64));
        Signature::new([number(self.bits)], number(self.bits).within(Some([0, most])))
    }

    fn bill(&self, items: usize, _: &Setting) -> Result<Bill> {
        Ok(Relu::bill_within(&self.job()?, self.bits)?.times(items))
    }

    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        Ways::by_objective(asked.unwrap_or(self.objective), |objective| Ok(Self { objective, ..*self }))
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let (bits, relu) = (self.bits, Relu::within(from, self.job()?, self.bits, items)?);
        Ok(material(items, move |s, given| {
            let [x] = operands(given)?;
            Ok(relu.relu(s, &AShare::<u64>::new(bits, x.to_vec()))?.into_wide())
        }))
    }
}

impl Rectify {
    fn job(&self) -> Result<CompareJob> {
        CompareJob::new(self.within, CompareDomain::Near, self.objective)
    }
}

/// Whether products are made before there are numbers, which are only opened then.
fn opens(objective: Objective) -> bool {
    matches!(objective, Objective::Online | Objective::Rounds)
}

/// Triples as material.
fn spent(triples: ProductTriples<u64>, items: usize) -> Result<Box<dyn Material>> {
    let bits = triples.bits();
    Ok(material(items, move |s, given| {
        let [x, y] = operands(given)?.map(|words: &[u64]| AShare::<u64>::new(bits, words.to_vec()));
        Ok(triples.multiply(s, &x, &y)?.into_wide())
    }))
}

fn by(objective: Objective) -> String {
    if opens(objective) { "triples" } else { "correlated OTs" }.into()
}

fn number(bits: u32) -> Port {
    Port::additive("number", bits)
}
