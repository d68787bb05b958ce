//! What of a table is public, as the owner sends it and the client shows it.

use hushtable::{
    Error, Result, Role,
    chance::Chance,
    confidential::{
        copy::{CopyJob, Keys, Lookups},
        prf::Cipher,
    },
};
use serde::{Deserialize, Serialize};

use super::{
    Value, ValueKind,
    key::{Key, KeyKind, NAME, name_shows},
};

/// Most bytes of a description.
pub const MOST_DESCRIBED: usize = 1 << 16;

/// Most columns of values.
pub const MOST_COLUMNS: usize = 64;

/// Most bits of a row: 32 KiB.
const ROW_BITS: u64 = 1 << 18;

/// Most keys of a batch.
pub const MOST_BATCH: u32 = 1 << 16;

/// What of a table is public.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Description {
    /// What the owner calls it.
    pub table: String,
    /// The column of keys.
    pub key: Key,
    /// The columns of values.
    pub values: Vec<Value>,
    /// Where rows stand in the copy.
    pub places: Places,
    /// What the copy is encrypted with.
    #[serde(with = "cipher")]
    pub cipher: Cipher,
    /// The digest of the copy of this version.
    #[serde(with = "digest")]
    pub digest: [u8; 32],
    /// Most keys of a batch.
    pub batch: u32,
    /// Most keys of a session.
    pub lookups: u64,
    /// Whether the owner keeps shares of results.
    pub shares: bool,
}

/// Where rows stand in the copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub enum Places {
    /// One for each key that there could be.
    Dense,
    /// Some for each row, of which there are no more than this.
    Sparse {
        /// Most rows.
        rows: u32,
    },
}

impl Description {
    /// The form of its copy.
    pub fn job(&self) -> CopyJob {
        job(self.key.kind, &self.values, (self.places, self.lookups), self.cipher)
    }

    /// What chance can spoil in so many lookups: absent keys that seem present, by what stands behind a row or by an equal
    /// hash.
    pub fn chance(&self, lookups: u64) -> Chance {
        let pairs = lookups as f64 * self.rows() as f64;
        let hashed = match self.key.kind {
            KeyKind::Text { bits } => {
                Chance::of("absent texts with the hash of another", pairs, -(bits as i32))
            }
            _ => Chance::NONE,
        };
        self.job().chance(lookups) + hashed
    }

    /// Most rows that the table can have.
    pub fn rows(&self) -> u64 {
        match self.places {
            Places::Dense => 1 << self.key.kind.bits(),
            Places::Sparse { rows } => rows.into(),
        }
    }

    /// Where the column of this place begins in a row.
    pub fn start(&self, column: usize) -> usize {
        self.values[..column].iter().map(|value| value.kind.bits() as usize).sum()
    }

    /// As it is sent.
    pub fn to_bytes(&self) -> Vec<u8> {
        serde_json::to_vec(self).expect("plain data")
    }

    /// What [`to_bytes`](Self::to_bytes) made at the owner.
    ///
    /// # Errors
    /// [`Error::Peer`] for anything else, and for a table that there cannot be.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let wrong = |what: String| Error::Peer(format!("the description of a table: {what}"));
        let read: Self = serde_json::from_slice(bytes).map_err(|error| wrong(error.to_string()))?;
        read.check().map(|()| read).map_err(wrong)
    }

    /// `Ok(())` if there can be such a table.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn check(&self) -> std::result::Result<(), String> {
        let names = self.values.iter().map(|value| &value.name).chain([&self.table, &self.key.name]);
        if let Some(name) = names.into_iter().find(|name| !name_shows(name)) {
            return Err(format!("the name {name:?}; accepted: 1 to {NAME} bytes without control characters"));
        }
        if !(1..=MOST_COLUMNS).contains(&self.values.len()) {
            return Err(format!("{} columns of values; accepted: 1 to {MOST_COLUMNS}", self.values.len()));
        }
        let twice = |i: &usize| self.values[..*i].iter().any(|value| value.name == self.values[*i].name);
        if let Some(i) = (1..self.values.len()).find(twice) {
            return Err(format!("the column {:?} twice", self.values[i].name));
        }
        self.key.check()?;
        self.values.iter().try_for_each(|value| value.kind.check())?;
        let bits: u64 = self.values.iter().map(|value| u64::from(value.kind.bits())).sum();
        if bits > ROW_BITS {
            return Err(format!("rows of {bits} bits; accepted: up to {ROW_BITS}"));
        }
        if !(1..=MOST_BATCH).contains(&self.batch) || self.lookups == 0 {
            return Err(format!("batches of {} of {} lookups", self.batch, self.lookups));
        }
        // The form of the copy.
        Lookups::bill(&self.job(), 1).map(drop).map_err(|error| error.to_string())?;
        if self.batch as usize > self.job().most() {
            return Err(format!("batches of {}; accepted: up to {}", self.batch, self.job().most()));
        }
        self.chance(self.lookups).check_or(|| self.what_would_do()).map_err(|error| error.to_string())
    }

    /// Of hashes that are too short for so many lookups and rows: half of what may be is for them.
    fn what_would_do(&self) -> String {
        let pairs = 1 << self.key.kind.bits().saturating_sub(41).min(63);
        let [keys, rows] = [self.rows(), self.lookups].map(|others| pairs / others);
        format!("hashes of 96 bits have that, or up to {keys} keys in a session, or up to {rows} rows")
    }

    /// The place of a column of values.
    pub fn column(&self, name: &str) -> Option<usize> {
        self.values.iter().position(|value| value.name == name)
    }

    /// Whether there are shares of a column that other commands read: numbers of a binary unit or whole ones, and dates.
    pub fn shareable(&self, column: usize) -> bool {
        use super::Scale;
        matches!(
            self.values[column].kind,
            ValueKind::Date | ValueKind::Number { scale: Scale::Decimal(0) | Scale::Binary(_), .. }
        )
    }
}

/// The form of a copy.
pub(super) fn job(
    key: KeyKind,
    values: &[Value],
    (places, lookups): (Places, u64),
    cipher: Cipher,
) -> CopyJob {
    let (bits, row_bits) = (key.bits(), values.iter().map(|value| value.kind.bits()).sum());
    let keys = match places {
        Places::Dense => Keys::Dense { bits },
        // One more than there may be is an error of the form.
        Places::Sparse { rows } => {
            Keys::Sparse { bits, rows, lookups: u32::try_from(lookups).unwrap_or(u32::MAX) }
        }
    };
    CopyJob { owner: Role::P0, cipher, keys, row_bits }
}

mod cipher {
    use hushtable::confidential::prf::Cipher;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(cipher: &Cipher, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(super::cipher_name(*cipher))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Cipher, D::Error> {
        let name = String::deserialize(from)?;
        let known = Cipher::ALL.into_iter().find(|&cipher| super::cipher_name(cipher) == name);
        known.ok_or_else(|| D::Error::custom("a cipher that is not known here"))
    }
}

/// What a cipher is called.
pub fn cipher_name(cipher: Cipher) -> &'static str {
    match cipher {
        Cipher::Aes128 => "aes128",
        Cipher::LowMc => "lowmc",
    }
}

mod digest {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(digest: &[u8; 32], to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&blake3::Hash::from(*digest).to_hex())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<[u8; 32], D::Error> {
        let text = String::deserialize(from)?;
        blake3::Hash::from_hex(&text).map(Into::into).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Scale;
    use super::*;

    fn sample() -> Description {
        let number = ValueKind::Number { scale: Scale::Decimal(2), bits: 20 };
        Description {
            table: "prices".into(),
            key: Key::new("sku".into(), KeyKind::Text { bits: 96 }, crate::ids::Rules::default()),
            values: vec![
                Value { name: "price".into(), kind: number },
                Value { name: "tier".into(), kind: ValueKind::Text { bytes: 4 } },
            ],
            places: Places::Sparse { rows: 1000 },
            cipher: Cipher::LowMc,
            digest: [7; 32],
            batch: 4096,
            lookups: 10_000,
            shares: false,
        }
    }

    #[test]
    fn descriptions_come_back() {
        let sample = sample();
        let bytes = sample.to_bytes();
        assert_eq!(Description::from_bytes(&bytes).unwrap(), sample);
        assert_eq!((sample.job().row_bits, sample.start(1), sample.rows()), (52, 20, 1000));
        assert!(!sample.shareable(0) && !sample.shareable(1));
        for end in 0..bytes.len() {
            assert!(Description::from_bytes(&bytes[..end]).is_err());
        }
    }

    #[test]
    fn descriptions_of_no_table_are_refused() {
        let text = String::from_utf8(sample().to_bytes()).unwrap();
        for (from, to) in [
            ("\"prices\"", "\"pri\\u001b[2Jces\""),
            ("\"prices\"", "\"\""),
            ("\"tier\"", "\"price\""),
            ("\"bits\":96", "\"bits\":95"),
            ("\"form\":\"trim,nfc\"", "\"form\":\"\\u001b[2J\""),
            (",\"form\":\"trim,nfc\"", ""),
            ("\"bits\":20", "\"bits\":65"),
            ("\"bytes\":4", "\"bytes\":4000000000"),
            ("\"rows\":1000", "\"rows\":0"),
            ("\"rows\":1000", "\"rows\":4294967295"),
            ("\"lowmc\"", "\"rot13\""),
            ("0707", "07"),
            ("\"batch\":4096", "\"batch\":0"),
            ("\"batch\":4096", "\"batch\":4000000000"),
            ("\"lookups\":10000", "\"lookups\":0"),
            ("{\"table\"", "{\"more\":1,\"table\""),
            ("\"sparse\":{\"rows\":1000}", "\"dense\":null"),
        ] {
            assert!(text.contains(from), "{from}");
            let changed = text.replacen(from, to, 1);
            assert!(Description::from_bytes(changed.as_bytes()).is_err(), "{from} -> {to}");
        }
    }
}
