//! Operations: what a program or the Python package can ask for, each behind the same few methods.
//!
//! An [`Operation`] is a batch of work that both parties know: public. It says what the parties compare, what it
//! costs, and the [columns](Signature) that it takes and gives; it prepares one-time [`Material`], which makes of this
//! party's words of the first those of the others, and can be read from a [`store`](crate::store), too. [`run`](crate::run)
//! does the rest for all of them alike: batches, lanes, material from disk, phases, opening.
//!
//! Numbers pass as words of 64 bits; only the low bits count. A protocol's own types say more, and code that
//! knows what it wants calls these.

mod arithmetic;
mod bands;
mod compare;
mod convert;
mod elsewhere;
pub(crate) mod evaluate;
mod function;
mod intervals;
mod linear;
mod lookup;
mod secret_table;
mod signature;
mod suiting;
mod tensor;

pub use arithmetic::{Multiply, Products, Rectify, Select, SymmetricProducts, Truncate};
pub use bands::Bands;
pub use compare::{Compare, Relation};
pub use convert::{ToAdditive, ToXor};
pub use elsewhere::Elsewhere;
pub use evaluate::{Engine, Evaluate};
pub use intervals::Intervals;
pub use linear::{KnownMap, Linear};
pub use lookup::Lookup;
pub use secret_table::SecretTable;
pub use signature::{Held, Port, Signature};
pub use suiting::{batch, choose};
pub use tensor::LayerNorm;

use zeroize::Zeroizing;

use crate::{
    bill::{Bill, Effort, Objective},
    chance::Chance,
    error::{Error, Result},
    lut::{LookupJob, Protocol},
    ot::Setting,
    party::Party,
    session::Session,
    source::{Origin, Shape},
};

/// This party's shares of results, wiped when they are dropped.
pub type Words = Zeroizing<Vec<u64>>;

/// What two parties compute together. Public, the same at both.
pub trait Operation: Send + Sync {
    /// Its name, in a word or two.
    fn name(&self) -> String;

    /// How it is done, for reports.
    fn method(&self) -> String;

    /// What the parties compare before any work, besides its [name](Self::name): names of parameters, and their
    /// values.
    fn fields(&self) -> Vec<(&'static str, String)>;

    /// What it takes and what it gives.
    fn signature(&self) -> Signature;

    /// The first column that it gives: most operations give no other.
    fn result(&self) -> Port {
        self.signature().gives[0]
    }

    /// What `items` of it cost under this setting.
    ///
    /// # Errors
    /// [`Error::Param`] for parameters that are not supported.
    fn bill(&self, items: usize, under: &Setting) -> Result<Bill>;

    /// What chance alone can spoil in `items` items. Nothing, in most operations: they are exact, or off by what the
    /// card says.
    fn chance(&self, _items: usize) -> Chance {
        Chance::NONE
    }

    /// Items that it does together, at most, however much memory there is: 1 at least.
    fn most(&self) -> usize {
        usize::MAX
    }

    /// Whether a run makes the correlated OTs of a batch at once, before its material. They take 16 bytes each: not where
    /// most of them become triples as they are made, which take a hundredth of that.
    fn stocks(&self) -> bool {
        true
    }

    /// Makes what a session keeps for `items` items at once and for others after them: keys of lattices, in some operations.
    /// Lanes that part from the session afterwards share it. What is not there is made with the material.
    ///
    /// # Errors
    /// As [`bill`](Self::bill), and those of the channel.
    fn set_up(&self, _: &mut Party, _items: usize) -> Result<()> {
        Ok(())
    }

    /// Material for `items` items, made with the peer or read from a store. An operation whose material depends on what a
    /// party has is not stored: it has its own [`prepare`](Self::prepare) in place of this.
    ///
    /// # Errors
    /// As [`bill`](Self::bill), and those of the channel or of the store.
    fn material(&self, _from: &mut Origin<'_>, _items: usize) -> Result<Box<dyn Material>> {
        let what = self.name();
        Err(Error::Store(format!("material for {what} cannot be stored: it depends on what a party has")))
    }

    /// Offline, for `items` items. Only here are correlated OTs drawn.
    ///
    /// # Errors
    /// As [`bill`](Self::bill), and those of the channel.
    fn prepare(&self, p: &mut Party, items: usize) -> Result<Box<dyn Material>> {
        self.material(&mut Origin::peer(p), items)
    }

    /// What `items` of it take under this setting: the bill, local work, and memory. Unless it says more, its bill and
    /// its columns imply the rest.
    ///
    /// # Errors
    /// As [`bill`](Self::bill).
    fn effort(&self, items: usize, under: &Setting) -> Result<Effort> {
        Ok(implied(&self.signature(), self.bill(items, under)?, self.stocks(), items))
    }

    /// The ways of doing it, among which [`choose`] takes one; `None` if there is one way only, or this one was asked
    /// for. The usual one for what is to be least comes first: for `asked`, or else for what the operation says.
    ///
    /// # Errors
    /// [`Error::Param`] for parameters that are not supported.
    fn ways(&self, asked: Option<Objective>) -> Result<Option<Ways>> {
        let _ = asked;
        Ok(None)
    }

    /// What stored material of its shape is for, in a few words of printable ASCII: what other operations of that
    /// shape have in common with it.
    fn stored_as(&self) -> String {
        format!("{} of {} bits ({})", self.name(), self.result().bits, self.method())
    }

    /// The shape of its material: all operations of one shape can spend the same store.
    ///
    /// # Errors
    /// [`Error::Store`] or [`Error::Param`] for what is not stored.
    fn shape(&self) -> Result<Shape> {
        Shape::of(self.stored_as(), |from, items| self.material(from, items).map(drop))
    }

    /// Of lookups in a table their protocol and their job; of other operations nothing.
    fn lookups(&self) -> Option<(Protocol, LookupJob)> {
        None
    }

    /// What a result says about the inputs to who gets it, in a phrase for people.
    fn tells(&self) -> String {
        format!("{}; together with its own numbers this says something about the other party's", self.name())
    }

    /// Its card, for people.
    fn card(&self) -> Option<String> {
        None
    }
}

/// Ways of doing the same, with columns of the same [signature](Operation::signature).
pub struct Ways {
    /// What a choice makes least.
    pub objective: Objective,
    /// The usual one first.
    pub all: Vec<Box<dyn Operation>>,
}

impl Ways {
    /// A way for each objective, which `of` gives: first that for `objective`.
    fn by_objective<T: Operation + 'static>(
        objective: Objective,
        of: impl Fn(Objective) -> Result<T>,
    ) -> Result<Option<Self>> {
        let usual = objective.by_counts();
        let others = Objective::ALL.into_iter().filter(|&other| other == other.by_counts() && other != usual);
        let boxed = |objective| of(objective).map(|way| Box::new(way) as Box<dyn Operation>);
        let all = [usual].into_iter().chain(others).map(boxed).collect::<Result<_>>()?;
        Ok(Some(Self { objective, all }))
    }
}

/// One-time material of an operation, spent by value.
pub trait Material: Send {
    /// How many items it serves.
    fn items(&self) -> usize;

    /// Which of those that runs made in its lane it is, from 1: the parties compare it. 0 for what no run made.
    fn number(&self) -> u64 {
        0
    }

    /// Online: this party's words of each column that is given, from those of each that is taken, in the order of the
    /// [signature](Operation::signature). Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`] unless the operands are those prepared for, [`Error::Param`] at both parties for numbers that
    /// are refused, and those of the channel.
    fn eval(self: Box<Self>, s: &mut Session, operands: &[&[u64]]) -> Result<Vec<Words>>;
}

/// Material of `items` items that `spend` spends, as [`Material::eval`] says.
pub fn spend(
    items: usize,
    spend: impl FnOnce(&mut Session, &[&[u64]]) -> Result<Vec<Words>> + Send + 'static,
) -> Box<dyn Material> {
    Box::new(Spend { items, spend })
}

/// The operands of an operation that takes so many columns.
///
/// # Errors
/// [`Error::Shape`] for another number of them.
pub fn operands<'a, const N: usize>(given: &[&'a [u64]]) -> Result<[&'a [u64]; N]> {
    given.try_into().map_err(|_| Error::Shape { what: "operands", want: N, got: given.len() })
}

/// Material and what spends it.
struct Spend<F> {
    items: usize,
    spend: F,
}

impl<F: FnOnce(&mut Session, &[&[u64]]) -> Result<Vec<Words>> + Send> Material for Spend<F> {
    fn items(&self) -> usize {
        self.items
    }

    fn eval(self: Box<Self>, s: &mut Session, operands: &[&[u64]]) -> Result<Vec<Words>> {
        (self.spend)(s, operands)
    }
}

/// Material of one session, or one lane of it: nobody else has the peer's part.
struct Bound {
    id: [u8; 32],
    number: u64,
    material: Box<dyn Material>,
}

impl Material for Bound {
    fn items(&self) -> usize {
        self.material.items()
    }

    fn number(&self) -> u64 {
        self.number
    }

    fn eval(self: Box<Self>, s: &mut Session, operands: &[&[u64]]) -> Result<Vec<Words>> {
        if s.id() != self.id {
            let (got, accepted) = ("that of another one".into(), "what the same lane prepared".into());
            return Err(Error::Param { what: "material in a session's lane", got, accepted });
        }
        self.material.eval(s, operands)
    }
}

/// The material, which serves in the lane of `p` only.
pub(crate) fn bound(p: &mut Party, material: Box<dyn Material>) -> Box<dyn Material> {
    Box::new(Bound { id: p.id(), number: p.next_material(), material })
}

/// [`spend`] for operations that give one column.
fn material(
    items: usize,
    column: impl FnOnce(&mut Session, &[&[u64]]) -> Result<Vec<u64>> + Send + 'static,
) -> Box<dyn Material> {
    spend(items, move |s, given| Ok(vec![Words::new(column(s, given)?)]))
}

/// What a bill and columns imply.
fn implied(signature: &Signature, bill: Bill, stocks: bool, items: usize) -> Effort {
    let words: usize = signature.takes.iter().chain(&signature.gives).map(|port| port.words).sum();
    let held = if stocks { bill } else { Bill { cots: [0; 2], ..bill } };
    let memory = Effort::implied(held)
        .memory
        .map(|memory| memory.saturating_add(8 * (words as u64).saturating_mul(items as u64)));
    Effort::implied(bill).remembering(memory)
}
