//! The retrieval, message by message: both parties' parts.

use prim::{Block, Wiped};
use zeroize::Zeroizing;

use super::{
    answer::answer,
    hashes::Hashes,
    job::{COPIES, Sizes},
    moved::{Columns, Moved},
    query::{Targets, decrypted},
    ring::{ClientKeys, Ring, ServerKeys},
    setup::Setup,
    wire,
};
use hushtable::{error::Result, session::Session};

/// The steps, for who measures them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// The batch is sorted and repetitions are replaced.
    Deduplication,
    /// Ids are computed and opened to the client.
    Oprf,
    /// The client's ciphertexts are made and sent.
    Query,
    /// The server's are computed and sent.
    Answer,
    /// The client decrypts.
    Extract,
    /// Rows become values.
    Decode,
    /// Values are brought to all keys, in their order.
    Expansion,
}

/// The client's shares of the rows.
pub(super) fn client(
    s: &mut Session,
    (ring, sizes): (&Ring, &Sizes),
    value_bits: u32,
    (keys, hashes): (&ClientKeys, &Hashes),
    moved: Moved,
    ids: &[u64],
    done: &mut impl FnMut(&mut Session, Step) -> Result<()>,
) -> Result<Columns> {
    let ids = Zeroizing::new(ids.iter().map(|&id| Block(id.into())).collect::<Vec<_>>());
    let targets = Targets::new(sizes, hashes, &ids)?;
    for i in 0..COPIES * sizes.code {
        let ct = targets.ciphertext((ring, keys), i / sizes.code, i % sizes.code, s.rng());
        s.send(wire::written("a query", wire::query_len(sizes), &ct)?)?;
    }
    let mut columns = moved.ask(s, &targets.buckets)?;
    done(s, Step::Query)?;
    let responses =
        (0..sizes.responses()).map(|_| s.recv(wire::response_len(sizes))).collect::<Result<Vec<_>>>()?;
    done(s, Step::Answer)?;
    let rows = extracted((ring, sizes), value_bits, keys, &responses)?;
    for (column, rows) in columns.iter_mut().zip(rows.iter()) {
        let words = column.iter_mut().zip(targets.buckets.iter());
        words.for_each(|(word, &bucket)| *word ^= rows[bucket as usize]);
    }
    done(s, Step::Extract)?;
    Ok(columns)
}

/// What was asked for in each bucket, under the server's masks.
pub(super) fn extracted(
    (ring, sizes): (&Ring, &Sizes),
    value_bits: u32,
    keys: &ClientKeys,
    responses: &[Vec<u8>],
) -> Result<Columns> {
    let mut rows: Columns = (0..2 * COPIES).map(|_| Wiped::from(Vec::with_capacity(sizes.slots))).collect();
    let level = ring.par.max_level();
    for (copy, responses) in responses.chunks_exact(sizes.chunks).enumerate() {
        let mut items = Zeroizing::new(vec![0u128; sizes.slots]);
        for (chunk, response) in responses.iter().enumerate() {
            let slots = decrypted(keys, &wire::read(ring, response, level)?, level);
            let shift = chunk as u32 * sizes.chunk_bits();
            items.iter_mut().zip(slots.iter()).for_each(|(item, &slot)| *item |= u128::from(slot) << shift);
        }
        for item in items.iter() {
            // Of a server that does not follow the protocol they may be any.
            rows[2 * copy].push(prim::low((item >> value_bits) as u64, sizes.tagged_bits));
            rows[2 * copy + 1].push(prim::low(*item as u64, value_bits));
        }
    }
    Ok(rows)
}

/// The server's, of `count` rows.
pub(super) fn server(
    s: &mut Session,
    (ring, sizes): (&Ring, &Sizes),
    (setup, keys): &(Setup, ServerKeys),
    moved: Moved,
    count: usize,
    done: &mut impl FnMut(&mut Session, Step) -> Result<()>,
) -> Result<Columns> {
    let mut query = || wire::read(ring, &s.recv(wire::query_len(sizes))?, 0);
    let queries: Vec<Vec<_>> =
        (0..COPIES).map(|_| (0..sizes.code).map(|_| query()).collect()).collect::<Result<_>>()?;
    let columns = moved.tell(s, count)?;
    done(s, Step::Query)?;
    for response in answer((ring, keys), sizes, setup, &queries, s.rng()) {
        s.send(wire::written("a response", wire::response_len(sizes), &response)?)?;
    }
    done(s, Step::Answer)?;
    done(s, Step::Extract)?;
    Ok(columns)
}
