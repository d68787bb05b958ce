//! The server's part before a batch: a key of its own, ids, buckets, places and masks.
//!
//! If the items of a bucket find no places, another key is drawn, before any use of it. Which keys serve
//! then depends on the table: by what is given up with probability `2^-27` for `2^16` rows, `2^-37` for `2^20`, so much
//! less at most is the distance of what the client sees from what it would see of another table.

use prim::{Block, Wiped, transpose::transpose64};
use zeroize::Zeroizing;

use super::{
    hashes::Hashes,
    job::{COPIES, FableJob, ID_BITS, Sizes},
};
use hushtable::{
    confidential::prf::Key,
    cuckoo::Placement,
    error::{Error, Result, same},
    session::Session,
};

/// Keys tried before giving up.
const TRIES: usize = 1000;
/// Inputs of the function at a time.
const PIECE: usize = 1 << 12;

/// A table, as its owner has it.
pub struct FableTable {
    keys: Wiped<u64>,
    values: Wiped<u64>,
}

impl FableTable {
    /// A value for each key.
    ///
    /// # Errors
    /// [`Error::Param`] for more keys than the job says, one that is too large or stands twice, and values that are
    /// too large; [`Error::Shape`] unless there is a value for each key.
    pub fn new(job: &FableJob, keys: &[u64], values: &[u64]) -> Result<Self> {
        let refused = |what, got: String, accepted: String| Err(Error::Param { what, got, accepted });
        same("values of a table", keys.len(), values.len())?;
        if keys.len() > job.entries {
            return refused("rows of a table", keys.len().to_string(), format!("up to {}", job.entries));
        }
        if let Some(key) = keys.iter().find(|&&key| key >> job.key_bits > 0) {
            return refused(
                "key of a table",
                key.to_string(),
                format!("0 to {}", (1u64 << job.key_bits) - 1),
            );
        }
        if values.iter().fold(0, |all, value| all | value) >> job.value_bits > 0 {
            return refused("value of a table", "a larger one".into(), format!("{} bits", job.value_bits));
        }
        let mut sorted = Wiped::from(keys.to_vec());
        sorted.sort_unstable();
        if let Some(pair) = sorted.windows(2).find(|pair| pair[0] == pair[1]) {
            return refused("key of a table", format!("{}, a second time", pair[0]), "each key once".into());
        }
        Ok(Self { keys: Wiped::from(keys.to_vec()), values: Wiped::from(values.to_vec()) })
    }
}

/// All that the server keeps of a batch.
pub(super) struct Setup {
    pub key: Key,
    /// Keys, then placeholders.
    keys: Wiped<u64>,
    values: Wiped<u64>,
    /// For each place of a bucket and each bucket, the number of its item, counted from 1, or 0.
    items: Wiped<u32>,
    /// For each copy two columns, of keys and of values, with a word for each bucket.
    pub masks: Vec<Wiped<u64>>,
    slots: usize,
    value_bits: u32,
    /// The key of empty places: the first placeholder, as those of batches count from 1.
    nobody: u64,
    /// The mistake of confidential-errata E2.
    #[cfg(test)]
    pub empty_is_zero: bool,
}

impl Setup {
    /// For a batch of `count` keys.
    pub fn new(
        s: &mut Session,
        (job, sizes): (&FableJob, &Sizes),
        count: usize,
        hashes: &Hashes,
        table: &FableTable,
    ) -> Result<Self> {
        // Replaced keys are in the table (confidential-errata E4), with the value 0.
        let placeholders: Vec<u64> = (1..count as u64).map(|i| (1 << (sizes.tagged_bits - 1)) + i).collect();
        let (mut keys, mut values) = (Wiped::<u64>::default(), Wiped::<u64>::default());
        keys.reserve(table.keys.len() + placeholders.len());
        keys.extend_from_slice(&table.keys);
        keys.extend_from_slice(&placeholders);
        values.reserve(keys.len());
        values.extend_from_slice(&table.values);
        values.extend_zeros(placeholders.len());
        let (key, items) = (0..TRIES)
            .find_map(|_| {
                let key = Key::random(job.cipher, s.rng());
                let ids = ids(&key, job, sizes, &keys);
                arrange(sizes, hashes, &ids).map(|items| (key, items))
            })
            .ok_or(Error::Chance("placing the rows of a table"))?;
        let widths = [sizes.tagged_bits, job.value_bits];
        let mut masks: Vec<Wiped<u64>> = (0..2 * COPIES).map(|_| Wiped::zeros(sizes.slots)).collect();
        for (column, width) in masks.iter_mut().zip(widths.iter().cycle()) {
            s.rng().words(*width, column);
        }
        Ok(Self {
            key,
            keys,
            values,
            items,
            masks,
            slots: sizes.slots,
            value_bits: job.value_bits,
            nobody: 1 << (sizes.tagged_bits - 1),
            #[cfg(test)]
            empty_is_zero: false,
        })
    }

    /// What stands at this place of all buckets in a copy: key and value under the bucket's masks. An empty place is
    /// masked as well, and not to be told from another: it has the placeholder that no batch has, with the value 0.
    pub fn column(&self, copy: usize, place: usize) -> impl Iterator<Item = u128> {
        let items = &self.items[place * self.slots..][..self.slots];
        let [key_masks, value_masks] = [0, 1].map(|i| &self.masks[2 * copy + i]);
        items.iter().zip(key_masks.iter()).zip(value_masks.iter()).map(|((&item, key_mask), value_mask)| {
            let (key, value) = match item.checked_sub(1) {
                Some(item) => (self.keys[item as usize], self.values[item as usize]),
                None => (self.nobody, 0),
            };
            #[cfg(test)]
            if self.empty_is_zero && item == 0 {
                return 0;
            }
            u128::from(key ^ key_mask) << self.value_bits | u128::from(value ^ value_mask)
        })
    }
}

/// The ids of keys.
fn ids(key: &Key, job: &FableJob, sizes: &Sizes, keys: &[u64]) -> Wiped<Block> {
    let prf = job.prf(sizes);
    let mut ids = Wiped::zeros(keys.len());
    let mut square = Zeroizing::new([[0u64; 64]]);
    for (keys, ids) in keys.chunks(PIECE).zip(ids.chunks_mut(PIECE)) {
        let mut inputs: Wiped<u128> = Wiped::zeros(keys.len().next_multiple_of(64));
        inputs.iter_mut().zip(keys).for_each(|(input, &key)| *input = key.into());
        let width = inputs.len() / 64;
        let mut planes = Wiped::zeros(ID_BITS as usize * width);
        key.add_values(&prf, &inputs, &mut planes).expect("sizes that are checked");
        for (word, ids) in ids.chunks_mut(64).enumerate() {
            square[0].iter_mut().zip(planes.chunks_exact(width)).for_each(|(row, plane)| *row = plane[word]);
            transpose64(&mut *square);
            ids.iter_mut().zip(&square[0]).for_each(|(id, &bits)| *id = Block(bits.into()));
        }
    }
    ids
}

/// Places for all items in all their buckets, if there are.
fn arrange(sizes: &Sizes, hashes: &Hashes, ids: &[Block]) -> Option<Wiped<u32>> {
    let buckets = hashes.buckets(sizes.slots, ids);
    let places = hashes.places(sizes.columns, ids);
    let mut starts = vec![0usize; sizes.slots + 1];
    buckets.iter().flatten().for_each(|&bucket| starts[bucket as usize + 1] += 1);
    if starts.iter().any(|&load| load > sizes.columns) {
        return None;
    }
    (0..sizes.slots).for_each(|bucket| starts[bucket + 1] += starts[bucket]);
    let mut members = Wiped::<u32>::zeros(COPIES * ids.len());
    let mut next = starts.clone();
    for (item, buckets) in buckets.iter().enumerate() {
        for &bucket in buckets {
            members[next[bucket as usize]] = item as u32;
            next[bucket as usize] += 1;
        }
    }
    let mut items = Wiped::zeros(sizes.columns * sizes.slots);
    for bucket in 0..sizes.slots {
        let members = &members[starts[bucket]..starts[bucket + 1]];
        let mut candidates = Wiped::<[u32; COPIES]>::zeros(members.len());
        candidates.iter_mut().zip(members).for_each(|(to, &item)| *to = places[item as usize]);
        let placement = Placement::new(sizes.columns, &candidates).ok()?;
        for (place, member) in placement.items().enumerate() {
            items[place * sizes.slots + bucket] = member.map_or(0, |member| members[member] + 1);
        }
    }
    Some(items)
}
