//! Filling a store, with the peer.

use std::{
    fs::File,
    path::Path,
    sync::Arc,
    time::{SystemTime, UNIX_EPOCH},
};

use super::{
    HEADER, Keys, Store, TAG, files,
    header::{self, About},
    journal,
    ledger::Ledger,
    pieces::{LONGEST, Pieces},
};
use crate::{
    error::{Error, Result},
    net::{Identity, SEAL},
    operation::{Operation, batch},
    ot::Setting,
    party::Party,
    source::{self, MAX_ITEMS, Shape},
};

/// Bytes of a file, about.
const PIECE_BYTES: usize = 16 << 20;

/// What a store is to hold. Both parties have the same.
#[derive(Clone)]
pub struct Contents<'a> {
    /// What it is for; whatever has its shape can spend it.
    operation: &'a dyn Operation,
    shape: Shape,
    items: u64,
    /// Items in each file.
    piece: usize,
}

impl<'a> Contents<'a> {
    /// For so many items of an operation, in files of about 16 MiB whose material fits memory.
    ///
    /// # Errors
    /// Those of [`Operation::shape`].
    pub fn new(operation: &'a dyn Operation, items: u64) -> Result<Self> {
        let shape = operation.shape()?;
        let piece = most(operation, &shape)?;
        Ok(Self { operation, shape, items, piece })
    }

    /// With so many items in each file.
    #[must_use]
    pub fn in_files_of(self, piece: usize) -> Self {
        Self { piece, ..self }
    }

    /// Items.
    pub fn items(&self) -> u64 {
        self.items
    }

    /// The shape of the material.
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Bytes on each party's disk, at most: of files of 8 items or a multiple, and a header and a journal of their
    /// greatest lengths, exactly.
    pub fn bytes(&self) -> u64 {
        let piece = self.piece.max(1) as u64;
        let file = |items: u64| (self.shape.bytes(items as usize) + SEAL) as u64;
        let last = self.items % piece;
        let whole = (self.items / piece).saturating_mul(file(piece));
        let rest = if last > 0 { file(last) } else { 0 };
        whole.saturating_add(rest + (header::LONGEST + TAG + journal::RECORD) as u64)
    }
}

/// Items in a file, at most.
fn most(operation: &dyn Operation, shape: &Shape) -> Result<usize> {
    let fit = (8 * PIECE_BYTES / shape.bits().max(1)).clamp(1, MAX_ITEMS);
    batch(operation, fit, &Setting::default())
}

impl Store {
    /// Makes material with the peer, who makes his half at the same time, in the new folder `dir`.
    /// `progress` hears after each file how many items there are.
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
        plan: &Contents<'_>,
        mut progress: impl FnMut(u64),
    ) -> Result<Self> {
        let (shape, most) = (&plan.shape, most(plan.operation, &plan.shape)?);
        if !(1..=most).contains(&plan.piece)
            || !(1..=1 << 48).contains(&plan.items)
            || shape.bytes(plan.piece) + SEAL > LONGEST
        {
            let got = format!("{} in files of {}", plan.items, plan.piece);
            let accepted = format!("1 to 2^48 in files of 1 to {most}, of 256 MiB at most");
            return Err(Error::Param { what: "items of a store", got, accepted });
        }
        p.agree(&[
            ("store's material", shape.text.clone()),
            ("shape of the store's material", blake3::Hash::from(shape.digest).to_hex().to_string()),
            ("number of stored items", plan.items.to_string()),
            ("stored items in a file", plan.piece.to_string()),
        ])?;
        let about = about(p, identity, plan)?;
        let mut store = begin(dir, identity, about)?;
        // The peer has its folder too, before any work.
        p.barrier()?;
        let (send, recv) = plan.operation.bill(plan.items as usize, &p.setting())?.cots_of(p.role());
        p.prepare_ot(send, recv)?;
        for number in 0..plan.items.div_ceil(plan.piece as u64) {
            let items = store.pieces.len(number);
            let expected = shape.bytes(items) + SEAL;
            let (send, recv) = plan.operation.bill(items, &p.setting())?.cots_of(p.role());
            p.stock_cots(send, recv)?;
            let made = source::written(p, expected, |from| plan.operation.material(from, items))?;
            store.pieces.seal(number, made)?;
            store.end = store.pieces.end(number);
            progress(store.end);
        }
        Ok(store)
    }
}

fn about(p: &mut Party, identity: &Identity, plan: &Contents<'_>) -> Result<About> {
    let peer = p.connection().peer_fingerprint().ok_or_else(|| {
        Error::Store("a store needs TLS: it belongs to the identities of both parties".into())
    })?;
    Ok(About {
        id: p.next_store(),
        role: p.role(),
        text: plan.shape.text.clone(),
        shape: plan.shape.digest,
        lookups: plan.operation.lookups(),
        own: identity.fingerprint(),
        peer,
        peer_name: p.connection().peer_name().into(),
        made: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs()),
        planned: plan.items,
        piece: plan.piece as u64,
    })
}

/// The folder, without pieces. The header comes last: with it the store exists.
fn begin(dir: &Path, identity: &Identity, about: About) -> Result<Store> {
    // Two stores of one id would have one mark.
    if identity.spent_path().join(about.name()).exists() {
        return Err(Error::Store(
            "a store with the id that comes next in this session is there already".into(),
        ));
    }
    let keys = Keys::new(identity, &about.id);
    files::new_folder(dir)?;
    let ledger = Ledger::create(dir, identity, &about, &keys)?;
    let path = dir.join(HEADER);
    let header = keys.sign(about.to_bytes());
    files::write(&path, &header)?;
    let lock = File::open(&path).map_err(files::at(&path))?;
    journal::lock(&lock, &path)?;
    let seal = identity.seal(&keys.pieces());
    let pieces = Pieces::new(dir, about, &header, seal, ledger, lock);
    Ok(Store { pieces: Arc::new(pieces), cursor: 0, end: 0, agreed: false })
}
