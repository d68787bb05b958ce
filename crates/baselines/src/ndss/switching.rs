//! Chains of SP-LUT lookups with switching roles: each layer's message carries the next one's
//! question.
//!
//! # Functionality
//! In: public tables `T_1, ..., T_D`, the entries of each (their low bits) being indices of the
//! next, and shares of `x`. Out: shares of `T_D[... T_1[x]]`, of the kind of the index.
//!
//! # Protocol
//! SP-LUT at every layer (see [`hushtable::lut::splut`]). The sender of layer k knows its output share
//! before it sends the masked entries, so it can be the receiver of layer k + 1 and append
//! `u = s - z` to the same message. In the first half of a batch P0 sends at odd layers, in the
//! second at even ones: two chains run side by side, and both directions of the link are used.
//!
//! # Cost, a lookup
//! Offline and online the bits of D lookups, in `D + 1` rounds instead of `2 D`.
//!
//! # Source
//! Dessouky et al., "Pushing the Communication Barrier" (NDSS 2017), section IV-E.

use prim::{
    pack::{pack, packed_len, unpack},
    ring::{Ring, low},
};
use zeroize::Zeroizing;

use hushtable::{
    error::{Error, Result, same},
    inner::halves,
    lut::{Table, splut::SpLut},
    net::Role,
    onehot::Group,
    ot::one_of_n,
    party::Party,
    session::Session,
    share::Share,
};

/// One-time material for a batch of lookups through a chain of tables.
///
/// ```compile_fail,E0382
/// # use hushtable::{AShare, Party, Result, lut::Table, onehot::Cyclic};
/// # use hushtable_baselines::ndss::Chain;
/// fn twice(p: &mut Party, m: Chain<Cyclic>, t: &[&Table<u8>], x: &AShare<u32>) -> Result<()> {
///     m.lookup(p, t, x)?;
///     m.lookup(p, t, x)?; // use of moved value: `m`
///     Ok(())
/// }
/// ```
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct Chain<G: Group> {
    index_bits: Vec<u32>,
    layers: Vec<SpLut<G>>,
    batch: usize,
}

impl<G: Group> Chain<G> {
    /// Offline phase for `batch` lookups through tables of `2^k` entries each, for the given `k` in
    /// the order of the layers, 1 to 20. No message beyond the correlated OTs' own.
    ///
    /// # Errors
    /// [`Error::Param`] for another `k` or none at all, and those of the channel.
    pub fn prepare(p: &mut Party, index_bits: &[u32], batch: usize) -> Result<Self> {
        let wrong = index_bits.iter().find(|k| !(1..=20).contains(*k)).map(u32::to_string);
        if let Some(got) = wrong.or_else(|| index_bits.is_empty().then(|| "no layer".into())) {
            return Err(Error::Param { what: "index bits of a layer", got, accepted: "1 to 20".into() });
        }
        let layer = |(layer, &k): (usize, &u32)| {
            let counts = senders(p.role(), layer, batch);
            SpLut::prepare_halves(p, 1 << k, counts)
        };
        let layers = index_bits.iter().enumerate().map(layer).collect::<Result<_>>()?;
        Ok(Self { index_bits: index_bits.to_vec(), layers, batch })
    }

    /// Correlated OTs that [`prepare`](Self::prepare) takes at the party `role`: `(as sender, as receiver)`.
    pub fn cots(role: Role, index_bits: &[u32], batch: usize) -> (usize, usize) {
        let of = |(layer, &k): (usize, &u32)| one_of_n::product_cots(1 << k, senders(role, layer, batch));
        index_bits.iter().enumerate().map(of).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }

    /// Number of lookups it serves.
    pub fn len(&self) -> usize {
        self.batch
    }

    /// Whether it serves none.
    pub fn is_empty(&self) -> bool {
        self.batch == 0
    }

    /// Online, `D + 1` rounds for D tables: shares of the last table's entries. The low bits of a
    /// wider index count, at every layer. Spends this material.
    ///
    /// # Errors
    /// [`Error::Shape`] if the number of tables, of their entries or columns, or of indices differs
    /// from what was prepared; [`Error::Param`] if an index is narrower than its table's.
    pub fn lookup<R: Ring>(
        self,
        s: &mut Session,
        tables: &[&Table<R>],
        x: &Share<G::Kind, u32>,
    ) -> Result<Share<G::Kind, R>> {
        self.check(tables, x)?;
        let (first, swapped) = (self.index_bits[0], s.role() as usize);
        let x = x.low_bits::<u32>(first)?;
        let (a, b) = x.words().split_at(self.batch.div_ceil(2));
        // The half in which this party sends at the first layer, then the other; they swap roles.
        let mut halves = [a, b].map(|half| Zeroizing::new(half.to_vec()));
        halves.rotate_left(swapped);
        let mut outputs = [Vec::new(), Vec::new()];
        let mut u = exchange(s, &self.layers[0].masked(&halves[1]), halves[0].len(), first)?;
        let mut layers = self.layers.into_iter().zip(tables).enumerate().peekable();
        while let Some((i, (layer, table))) = layers.next() {
            let (sending, receiving) = (i % 2, 1 - i % 2);
            let next = layers.peek().map(|(i, (layer, _))| (layer, self.index_bits[*i]));
            let bits = next.map_or(1, |(_, bits)| bits);
            let ask = |sent: &[R]| {
                let mut message = Vec::new();
                next.into_iter().for_each(|(l, _)| pack(&l.masked(&index(sent, bits)), bits, &mut message));
                message
            };
            let shares = [&halves[sending][..], &halves[receiving]];
            let count = if next.is_some() { shares[1].len() } else { 0 };
            let len = packed_len(count, bits);
            let mut done = layer.answer::<G::Kind, R>(s, (*table).into(), shares, &u, ask, len)?;
            let (sent, received) = (done.sent.remove(0), done.received.remove(0));
            u = vec![0; count];
            unpack(&done.message, bits, &mut u);
            (halves[sending], halves[receiving]) = (index(&sent, bits), index(&received, bits));
            (outputs[sending], outputs[receiving]) = (sent, received);
        }
        outputs.rotate_left(swapped);
        let [mut first, second] = outputs.map(|words| Share::new(tables[tables.len() - 1].bits(), words));
        first.append(&second)?;
        Ok(first)
    }

    fn check<R: Ring>(&self, tables: &[&Table<R>], x: &Share<G::Kind, u32>) -> Result<()> {
        same("tables of the chain", self.layers.len(), tables.len())?;
        same("indices", self.batch, x.len())?;
        for (table, &k) in tables.iter().zip(&self.index_bits) {
            table.check_index(k)?;
            same("columns of the table", 1, table.columns().len())?;
        }
        for (table, &k) in tables.iter().zip(&self.index_bits[1..]) {
            if table.bits() < k {
                let (what, got) = ("width of entries that index the next table", table.bits().to_string());
                return Err(Error::Param { what, got, accepted: format!("{k} and more") });
            }
        }
        Ok(())
    }
}

/// Lookups in which the party `role` and its peer send at a layer.
fn senders(role: Role, layer: usize, batch: usize) -> (usize, usize) {
    let (a, b) = halves(role, batch);
    if layer.is_multiple_of(2) { (a, b) } else { (b, a) }
}

/// The low bits of a share, which index the next layer.
fn index<R: Ring>(words: &[R], bits: u32) -> Zeroizing<Vec<u32>> {
    Zeroizing::new(words.iter().map(|w| low(w.to_u64(), bits) as u32).collect())
}

/// Swaps `bits`-bit words with the peer, who sends `theirs` of them.
fn exchange(s: &mut Session, mine: &[u32], theirs: usize, bits: u32) -> Result<Vec<u32>> {
    let mut message = Vec::new();
    pack(mine, bits, &mut message);
    let mut out = vec![0u32; theirs];
    unpack(&s.exchange(message, packed_len(theirs, bits))?, bits, &mut out);
    Ok(out)
}
