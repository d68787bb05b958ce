//! Filling a store, with the peer.

use std::{
    fs::File,
    path::Path,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use super::{HEADER, Keys, Store, files, header::About, journal, ledger::Ledger, pieces::Pieces};
use crate::{
    error::{Error, Result},
    lut::{LookupJob, MAX_PIECE, Protocol, Table},
    net::Identity,
    onehot::{Cyclic, Group, Xor},
    party::Party,
    share::{Additive, Bitwise, Kind, Sharing},
};

/// Bytes of a file, about, and of memory while it is made or spent.
const PIECE_BYTES: usize = 16 << 20;
const PIECE_MEMORY: usize = 64 << 20;

/// What a store is to hold. Both parties have the same.
#[derive(Clone, Copy, Debug)]
pub struct Contents {
    /// Whose material.
    pub protocol: Protocol,
    /// For which lookups.
    pub job: LookupJob,
    /// How many of them.
    pub lookups: u64,
    /// Lookups in each file: see [`Contents::piece`].
    pub piece: usize,
}

impl Contents {
    /// Lookups in a file such that it has at most about 16 MiB.
    ///
    /// # Errors
    /// [`Error::Param`] for a job that the protocol does not serve or whose material cannot be
    /// stored.
    pub fn piece(protocol: Protocol, job: &LookupJob) -> Result<usize> {
        protocol.check(job)?;
        let Some(bits) = protocol.stored_bits(job) else {
            let stored = Protocol::ALL.into_iter().filter(|p| p.stored_bits(job).is_some());
            let accepted = stored.map(Protocol::name).collect::<Vec<_>>().join(", ");
            let got = protocol.name().into();
            return Err(Error::Param { what: "protocol of material on disk", got, accepted });
        };
        let most = (8 * PIECE_BYTES / bits)
            .min(PIECE_MEMORY.saturating_sub(protocol.room(job)) / protocol.memory(job));
        Ok(most.clamp(1, MAX_PIECE))
    }

    /// Bytes on each party's disk, at most.
    ///
    /// # Errors
    /// As [`piece`](Self::piece).
    pub fn bytes(&self) -> Result<u64> {
        let piece = Self::piece(self.protocol, &self.job)?.min(self.piece.max(1)) as u64;
        let bits = self.protocol.stored_bits(&self.job).unwrap_or(0) as u64;
        let overhead = 128 * self.lookups.div_ceil(piece) + 4096;
        Ok(self.lookups.saturating_mul(bits) / 8 + overhead)
    }
}

impl Store {
    /// Makes material with the peer, who makes his half at the same time, in the new folder `dir`.
    /// `progress` hears after each file how many lookups there are.
    ///
    /// If this ends early, at either party, what is complete can be used: [`open`](Self::open) it.
    ///
    /// # Errors
    /// [`Error::Param`] for a plan that cannot be, [`Error::Handshake`] if the peer's differs,
    /// [`Error::Store`] without TLS or if `dir` is there already, [`Error::Io`], and those of the
    /// channel.
    pub fn make(
        p: &mut Party,
        dir: &Path,
        identity: &Identity,
        plan: &Contents,
        mut progress: impl FnMut(u64),
    ) -> Result<Self> {
        let most = Contents::piece(plan.protocol, &plan.job)?;
        if !(1..=most).contains(&plan.piece) || !(1..=1 << 48).contains(&plan.lookups) {
            let got = format!("{} in files of {}", plan.lookups, plan.piece);
            let accepted = format!("1 to 2^48 in files of 1 to {most}");
            return Err(Error::Param { what: "lookups of a store", got, accepted });
        }
        p.agree(&[
            ("store's protocol", plan.protocol.name().into()),
            ("store's lookups", plan.job.to_string()),
            ("number of stored lookups", plan.lookups.to_string()),
            ("stored lookups in a file", plan.piece.to_string()),
        ])?;
        let about = about(p, identity, plan)?;
        let mut store = begin(dir, identity, about)?;
        // The peer has its folder too, before any work.
        p.barrier()?;
        let (send, recv) = plan.protocol.bill(&plan.job, plan.lookups as usize)?.cots_of(p.role());
        p.prepare_ot(send, recv)?;
        match (plan.job.index, plan.job.output) {
            (Sharing::Additive, Sharing::Additive) => {
                fill::<Cyclic, Additive>(p, &mut store, plan, &mut progress)
            }
            (Sharing::Additive, Sharing::Xor) => fill::<Cyclic, Bitwise>(p, &mut store, plan, &mut progress),
            (Sharing::Xor, Sharing::Additive) => fill::<Xor, Additive>(p, &mut store, plan, &mut progress),
            (Sharing::Xor, Sharing::Xor) => fill::<Xor, Bitwise>(p, &mut store, plan, &mut progress),
        }?;
        Ok(store)
    }
}

fn about(p: &mut Party, identity: &Identity, plan: &Contents) -> Result<About> {
    let peer = p.connection().peer_fingerprint().ok_or_else(|| {
        Error::Store("a store needs TLS: it belongs to the identities of both parties".into())
    })?;
    Ok(About {
        id: p.id(),
        role: p.role(),
        protocol: plan.protocol,
        job: plan.job,
        own: identity.fingerprint(),
        peer,
        peer_name: p.connection().peer_name().into(),
        made: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        planned: plan.lookups,
        piece: plan.piece as u64,
    })
}

/// The folder, without pieces. The header comes last: with it the store exists.
fn begin(dir: &Path, identity: &Identity, about: About) -> Result<Store> {
    let keys = Keys::new(identity, &about.id);
    files::new_folder(dir)?;
    let ledger = Ledger::create(dir, identity, &about, &keys)?;
    let path = dir.join(HEADER);
    let header = keys.sign(about.to_bytes());
    files::write(&path, &header)?;
    let lock = File::open(&path).map_err(files::at(&path))?;
    journal::lock(&lock, &path)?;
    let pieces = Pieces::new(dir, about, &header, &keys.pieces(), ledger, lock);
    Ok(Store { pieces: Arc::new(pieces), cursor: 0, end: 0, agreed: false })
}

fn fill<G: Group, K: Kind>(
    p: &mut Party,
    store: &mut Store,
    plan: &Contents,
    progress: &mut impl FnMut(u64),
) -> Result<()> {
    let LookupJob { index_bits, value_bits, .. } = plan.job;
    // Stored material does not depend on the table it is made with.
    let table = Table::tabulate(index_bits, value_bits, |_| 0)?;
    for number in 0..plan.lookups.div_ceil(plan.piece as u64) {
        let batch = store.pieces.len(number);
        let material = plan.protocol.prepare::<G, K, u64>(p, &table, batch)?;
        store.pieces.seal(number, material.to_bytes(plan.protocol, &plan.job))?;
        store.end = store.pieces.end(number);
        progress(store.end);
    }
    Ok(())
}
