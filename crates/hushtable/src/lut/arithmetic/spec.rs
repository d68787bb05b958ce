//! What lookups by additive one-hot vectors say of themselves.

use prim::{forest::LANES, ring::Ring};

use super::{Arithmetic, generator_cots, low_bits};
use crate::{
    bill::{Bill, Phase, Step, Work},
    codec::{Reader, Writer},
    error::Result,
    gates::B2a,
    lut::{
        Table,
        spec::{LookupJob, Lookups, Made, Spec, only},
    },
    net::Role,
    onehot::{Cyclic, Group, MAX_INDEX_BITS, Xor, doubling, rows::Trees},
    party::Party,
    session::Session,
    share::{Kind, Share, Sharing},
    tree::{half_tree, index::Index},
};

/// Lookups by additive one-hot vectors.
pub(crate) struct Words;

impl Spec for Words {
    const NAME: &'static str = "ar";
    const ABOUT: &'static str = "additive one-hot vectors: additive output in one round";
    const NUMBER: u8 = 7;
    const MAX_BITS: u32 = MAX_INDEX_BITS;
    fn check(job: &LookupJob) -> Result<()> {
        only(Self::NAME, "sharing of the output", job.output, Sharing::Additive)
    }

    fn bill(job: &LookupJob, batch: usize) -> Bill {
        Parts::of(job).bill().times(batch)
    }

    fn steps(job: &LookupJob, batch: usize) -> Vec<Step> {
        let Parts { generator, conversion, .. } = Parts::of(job);
        let [generator, conversion] = [generator, conversion].map(|part| part.times(batch));
        let mut steps =
            doubling::lifted_steps(&generator, job.index == Sharing::Additive && job.index_bits > 1);
        if conversion.offline.rounds > 0 {
            steps.extend(Step::of(&conversion));
        }
        steps.extend([Step::Cots([batch as u64; 2]), Step::both(2)]);
        steps
    }

    fn work(job: &LookupJob) -> [Work; 2] {
        let (d, low) = (job.index_bits, low_bits(word_bits(job.value_bits), job.index_bits));
        let short = match job.index {
            Sharing::Additive => doubling::work::<Cyclic>(d, low),
            Sharing::Xor => doubling::work::<Xor>(d, low),
        };
        let leaves = half_tree::leaves_work(d - low);
        let words = 1usize << low;
        // A correlated OT from P0 for each entry that becomes a word, and then a payload of all words.
        let conversion = (Work::payload(1) * 0.5 + Work::words(4)) * (words - 1) as f64;
        let conversion = if job.value_bits > 1 { conversion } else { Work::default() };
        let made = short + half_tree::work(d - low) + leaves + conversion + Work::payload(words);
        // Entries are multiplied side by side.
        [made, leaves + Work::index() + Work::words((1 << d) / 4)]
    }

    fn memory(job: &LookupJob, _cots: usize) -> usize {
        material(job.index_bits, job.value_bits) + making(job.index_bits, job.value_bits)
    }

    fn room(job: &LookupJob) -> usize {
        (2 * LANES * word_bits(job.value_bits) as usize / 8) << job.index_bits
    }

    fn stored_bits(job: &LookupJob) -> Option<usize> {
        Some(job.index_bits as usize + ((job.value_bits as usize) << job.index_bits))
    }

    fn prepare<G: Group, K: Kind, R: Ring>(p: &mut Party, table: &Table<R>, batch: usize) -> Made<G, K, R> {
        Ok(Box::new(Arithmetic::<G, R>::prepare(p, table.index_bits(), table.bits(), batch)?))
    }

    fn decode<G: Group, K: Kind, R: Ring>(
        from: &mut Reader<'_>,
        job: &LookupJob,
        _role: Role,
        count: usize,
    ) -> Made<G, K, R> {
        Ok(Box::new(Arithmetic::<G, R>::decode(from, job.index_bits, job.value_bits, count)?))
    }
}

/// What a lookup costs, part by part.
struct Parts {
    /// Steps 1 and 2.
    generator: Bill,
    /// Of the entries of the short vector.
    conversion: Bill,
    /// Step 3: the sign's bit, the products, and their opening.
    signs: Bill,
    d: u32,
    kept: u64,
}

impl Parts {
    /// With words of the narrowest type that holds the entries.
    fn of(job: &LookupJob) -> Self {
        let (d, l) = (job.index_bits, job.value_bits);
        let low = low_bits(word_bits(l), d);
        let (short, lift) = match job.index {
            Sharing::Additive => (doubled::<Cyclic>(d, low), Index::lift_bits::<Cyclic>(d)),
            Sharing::Xor => (doubled::<Xor>(d, low), Index::lift_bits::<Xor>(d)),
        };
        let high = u64::from(d - low);
        // A correction of every level, and the first level of doubling only where it lifts.
        let sent = 128 * high;
        let offline = Phase {
            bits: [short.offline.bits[0] + sent, short.offline.bits[1] + sent],
            rounds: d - 1 + u32::from(lift > 0),
        };
        let generator = Bill { cots: short.cots.map(|cots| cots + high), offline, ..Bill::FREE };
        let words = 1u64 << low;
        let conversion = offline_of(B2a::bill(l).times(words as usize - 1));
        // The bit of the sign, products of all words, and the opening.
        let products = words * u64::from(l - 1) + 1;
        let opened = words * u64::from(l);
        let signs = Phase { bits: [products + opened; 2], rounds: 2 };
        let signs = Bill { cots: [1; 2], offline: signs, ..Bill::FREE };
        let kept = 8 * material(d, l) as u64;
        Self { generator, conversion, signs, d, kept }
    }

    fn bill(&self) -> Bill {
        let made = self.generator + self.conversion + self.signs;
        (made + Bill::opening(self.d.into())).keeping(self.kept)
    }
}

/// The vector of the low bits by doubling, and the lift of all.
fn doubled<G: Group>(d: u32, low: u32) -> Bill {
    let lift = u64::from(Index::lift_bits::<G>(d));
    let (levels, entries) = (u64::from(low).saturating_sub(1), 1u64 << low);
    let sent = entries - u64::from(low) - 1;
    let offline = Phase { bits: [sent + lift, sent], rounds: 0 };
    Bill { cots: [levels + u64::from(lift > 0), levels], offline, ..Bill::FREE }
}

/// Online costs that are paid offline.
fn offline_of(bill: Bill) -> Bill {
    Bill { cots: bill.cots, offline: bill.online, ..Bill::FREE }
}

impl<G: Group, K: Kind, R: Ring> Lookups<G, K, R> for Arithmetic<G, R> {
    fn len(&self) -> usize {
        Arithmetic::len(self)
    }

    fn lookup(
        self: Box<Self>,
        s: &mut Session,
        table: &Table<R>,
        x: &Share<G::Kind, u32>,
    ) -> Result<Share<K, R>> {
        Ok(Arithmetic::lookup(*self, s, table, x)?.of_kind())
    }

    fn take(&mut self, m: usize) -> Made<G, K, R> {
        Ok(Box::new(Arithmetic::take(self, m)?))
    }

    fn encode(&self, to: &mut Writer) {
        Arithmetic::encode(self, to);
    }
}

/// Bits of a word that holds an entry of `bits` bits.
pub(crate) fn word_bits(bits: u32) -> u32 {
    bits.next_power_of_two().max(8)
}

/// Bytes of the material of one lookup: the tree and the index.
pub(crate) fn material(d: u32, bits: u32) -> usize {
    Trees::<u64>::bytes(d - low_bits(word_bits(bits), d)) + 4
}

/// Bytes that making it takes besides, at most. The correlated OTs of the tree, of the conversions and of the
/// signs are there one after the other.
pub(crate) fn making(d: u32, bits: u32) -> usize {
    let e = low_bits(word_bits(bits), d);
    let k = 1 << e;
    let (send, recv) = generator_cots::<Cyclic>(Role::P0, d, e, 1);
    // Of a level the correlated OTs and what they mask.
    let generator = 16 * (send + recv) + 2 * 16 + 16;
    // Of an entry the correlated OT, its correction, the bit, its product and, at P1, a sum.
    let conversions = if bits == 1 { 0 } else { (k - 1) * (16 + 1 + 3 * 8) };
    // Of a word the share, what is multiplied and both products; two correlated OTs with corrections, the sign.
    let signs = k * 4 * 8 + 2 * 16 + 2 + 8;
    // Low bits and their products of a level; of the index the bits and the product.
    (2 * 8 + 2 * 8) + generator.max(conversions).max(signs)
}
