//! A file with one party's shares of results that nobody has opened.

use std::{
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use hushtable::net::Role;
use prim::wipe::Wiped;
use serde::{Deserialize, Serialize};

use crate::{
    failure::{Failure, Result},
    ids::Ids,
    scale::Format,
    style::Style,
};

/// Version 2 did not say how exact values are.
const VERSION: u32 = 3;
const OLDEST: u32 = 2;

/// The only kind of shares that are written.
const SHARING: &str = "additive";

/// One party's additive shares, `value = share of P0 + share of P1 mod 2^bits`, with what is public
/// about the values. Not printable, not comparable, wiped when dropped: shares are secret.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShareFile {
    /// Version of this format.
    pub hushtable_shares: u32,
    /// What the values are.
    pub of: String,
    /// How they are shared: `additive`.
    pub sharing: String,
    /// The session in which both parties' files were made: both contributed to its random id.
    pub session: String,
    /// This party's role in that session.
    pub role: String,
    /// Number of values.
    pub count: usize,
    /// The values are two's complement numbers of so many bits, 16 to 64.
    pub bits: u32,
    /// They are multiples of `2^-fraction_bits`.
    pub fraction_bits: u32,
    /// The least and the greatest value that can occur, times `2^fraction_bits`.
    pub range: [i64; 2],
    /// How far a value may lie from what it stands for; `null` where that is not known.
    #[serde(default)]
    pub error: Option<f64>,
    /// What names the rows; `null` without an id column.
    #[serde(default, with = "names")]
    pub ids: Option<Arc<Ids>>,
    /// How results of these rows are written, if it is not as usual.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<Style>,
    /// This party's shares.
    #[serde(with = "words")]
    pub shares: Wiped<u64>,
    /// A hash of all the rest, so that a damaged file is not taken for shares of something else.
    pub checksum: String,
}

impl ShareFile {
    /// Shares made in `session` by the party with `role`, of values in `range`; to be
    /// [`sealed`](Self::sealed) when it is complete.
    pub fn new(
        of: &str,
        session: [u8; 32],
        role: Role,
        format: Format,
        range: [i64; 2],
        shares: Wiped<u64>,
    ) -> Self {
        Self {
            hushtable_shares: VERSION,
            of: of.to_owned(),
            sharing: SHARING.to_owned(),
            session: blake3::Hash::from(session).to_hex().to_string(),
            role: role_name(role).to_owned(),
            count: shares.len(),
            bits: format.bits,
            fraction_bits: format.fraction_bits,
            range,
            error: None,
            ids: None,
            style: None,
            shares,
            checksum: String::new(),
        }
    }

    /// With the checksum that belongs to it.
    pub fn sealed(self) -> Self {
        Self { checksum: self.digest(), ..self }
    }

    /// The hash of everything but the checksum.
    fn digest(&self) -> String {
        let mut hash = blake3::Hasher::new();
        let public = (&self.of, &self.sharing, &self.session, &self.role, self.ids.as_deref());
        let numbers = (self.hushtable_shares, self.count, self.bits, self.fraction_bits, self.range);
        match self.hushtable_shares {
            OLDEST => serde_json::to_writer(&mut hash, &(public, numbers)),
            _ => match &self.style {
                None => serde_json::to_writer(&mut hash, &(public, numbers, self.error)),
                style => serde_json::to_writer(&mut hash, &(public, numbers, self.error, style)),
            },
        }
        .expect("plain data");
        for share in self.shares.iter() {
            hash.update(&share.to_le_bytes());
        }
        hash.finalize().to_hex().to_string()
    }

    /// The file in `text`, which came from `path`; `None` if its first character is no brace, so that it
    /// is CSV.
    pub fn read(path: &Path, text: &[u8]) -> Result<Option<Self>> {
        if text.trim_ascii_start().first() != Some(&b'{') {
            return Ok(None);
        }
        Self::parse(text)
            .map(Some)
            .map_err(|what| Failure::input(format!("{}: not a usable share file: {what}", path.display())))
    }

    fn parse(text: &[u8]) -> std::result::Result<Self, String> {
        #[derive(Deserialize)]
        struct Version {
            hushtable_shares: u32,
        }
        let Version { hushtable_shares } = serde_json::from_slice(text).map_err(|e| e.to_string())?;
        if !(OLDEST..=VERSION).contains(&hushtable_shares) {
            return Err(format!(
                "format version {hushtable_shares}; this program reads versions {OLDEST} and {VERSION}"
            ));
        }
        let file: Self = serde_json::from_slice(text).map_err(|e| e.to_string())?;
        file.check().map(|()| file)
    }

    /// Everything the rest of the program relies on.
    fn check(&self) -> std::result::Result<(), String> {
        if self.shares.is_empty() || self.count != self.shares.len() {
            return Err(format!("count is {} and there are {} shares", self.count, self.shares.len()));
        }
        if self.sharing != SHARING {
            return Err(format!("sharing {:?}; this program reads {SHARING:?}", self.sharing));
        }
        if let Some(ids) = self.ids.as_ref().filter(|ids| ids.len() != self.count) {
            return Err(format!("count is {} and there are {} ids", self.count, ids.len()));
        }
        if !(16..=64).contains(&self.bits) || self.fraction_bits > 32 || self.range[0] > self.range[1] {
            return Err("bits must be 16 to 64, fraction_bits 0 to 32, range in order".into());
        }
        if self.error.is_some_and(|error| !(error >= 0.0 && error.is_finite())) {
            return Err("error must be a number, 0 or more".into());
        }
        if self.style.as_ref().is_some_and(|style| !style.is_usable()) {
            return Err("style has a delimiter or a decimal sign that no file has".into());
        }
        if self.role != "P0" && self.role != "P1" {
            return Err(format!("role {:?} is neither P0 nor P1", self.role));
        }
        let wide = |&&share: &&u64| self.bits < 64 && share >> self.bits != 0;
        match self.shares.iter().position(|share| wide(&share)) {
            Some(at) => Err(format!("share {at} has more than {} bits", self.bits)),
            None if self.checksum != self.digest() => {
                Err("its checksum is wrong: the file is damaged or was changed".into())
            }
            None => Ok(()),
        }
    }

    /// Writes the file.
    pub fn write(&self, mut to: impl Write) -> io::Result<()> {
        serde_json::to_writer(&mut to, self)?;
        writeln!(to)
    }

    /// What the parties compare to be sure that their files belong together: the session, the format, and
    /// whether the roles are those of that session or both swapped.
    pub fn pairing(&self, role: Role) -> String {
        let roles = if self.role == role_name(role) { "same roles" } else { "swapped roles" };
        let Self { of, sharing, session, bits, fraction_bits, .. } = self;
        format!(
            "{sharing} shares of {of} from session {session}, {bits} bits with {fraction_bits} after the point, \
             {roles}"
        )
    }
}

/// Names that are shared with what else knows them.
pub mod names {
    use std::sync::Arc;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use crate::ids::Ids;

    pub fn serialize<S: Serializer>(names: &Option<Arc<Ids>>, to: S) -> Result<S::Ok, S::Error> {
        names.as_deref().serialize(to)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Arc<Ids>>, D::Error> {
        Ok(Option::<Ids>::deserialize(from)?.map(Arc::new))
    }
}

/// Words in a list, none of which stays behind where it was read.
pub mod words {
    use std::fmt;

    use prim::wipe::Wiped;
    use serde::{
        Deserializer, Serializer,
        de::{SeqAccess, Visitor},
    };

    pub fn serialize<S: Serializer>(words: &Wiped<u64>, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(words.iter())
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Wiped<u64>, D::Error> {
        struct Words;
        impl<'de> Visitor<'de> for Words {
            type Value = Wiped<u64>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a list of words")
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Wiped<u64>, A::Error> {
                let mut words = Wiped::default();
                while let Some(word) = list.next_element()? {
                    words.extend_from_slice(&[word]);
                }
                Ok(words)
            }
        }
        from.deserialize_seq(Words)
    }
}

/// `P0` or `P1`.
pub fn role_name(role: Role) -> &'static str {
    match role {
        Role::P0 => "P0",
        Role::P1 => "P1",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> ShareFile {
        let ids = Some(Arc::new(["a", "b"].iter().collect()));
        let format = Format { bits: 16, fraction_bits: 8 };
        let made = ShareFile::new("sigmoid", [7; 32], Role::P1, format, [0, 256], vec![3, 65535].into());
        ShareFile { ids, ..made }.sealed()
    }

    fn text(file: &ShareFile) -> String {
        let mut text = Vec::new();
        file.write(&mut text).unwrap();
        String::from_utf8(text).unwrap()
    }

    /// The file that `input` is read as, written again.
    fn read(input: &str) -> std::result::Result<Option<String>, String> {
        let file = ShareFile::read(Path::new("shares.json"), input.as_bytes());
        file.map(|f| f.as_ref().map(text)).map_err(|e| e.to_string())
    }

    #[test]
    fn comes_back_as_written() {
        let text = text(&sample());
        assert_eq!(read(&text), Ok(Some(text.clone())));
        assert_eq!(read(&format!("\n  {text}")), Ok(Some(text.clone())));
        assert_eq!(read("id,score\na,1\n"), Ok(None));
        assert_eq!(read(""), Ok(None));
        for end in 1..text.len() - 2 {
            assert!(read(&text[..end]).is_err(), "cut at {end}");
        }
    }

    /// Those of earlier programs stay readable.
    #[test]
    fn version_2_is_read() {
        let old = ShareFile { hushtable_shares: 2, ..sample() }.sealed();
        let old = text(&old).replace("\"error\":null,", "");
        assert!(old.contains("\"hushtable_shares\":2") && !old.contains("error"), "{old}");
        assert!(matches!(read(&old), Ok(Some(_))), "{:?}", read(&old));
        let made = ShareFile { error: Some(0.5), ..sample() }.sealed();
        let changed = text(&made).replace("\"error\":0.5", "\"error\":0.25");
        assert!(read(&changed).unwrap_err().contains("checksum"));
        assert!(read(&text(&made).replace("0.5", "-1.0")).unwrap_err().contains("error must be"));
    }

    #[test]
    fn refuses_what_does_not_fit() {
        let text = text(&sample());
        for (from, to, want) in [
            (
                "\"hushtable_shares\":3",
                "\"hushtable_shares\":1",
                "format version 1; this program reads versions 2 and 3",
            ),
            ("additive", "xor", "sharing \"xor\""),
            ("\"count\":2", "\"count\":3", "count is 3 and there are 2 shares"),
            ("[\"a\",\"b\"]", "[\"a\"]", "count is 2 and there are 1 ids"),
            ("\"bits\":16", "\"bits\":15", "bits must be 16 to 64"),
            ("65535", "65534", "checksum is wrong"),
            ("[0,256]", "[0,255]", "checksum is wrong"),
            ("\"P1\"", "\"P0\"", "checksum is wrong"),
            ("65535", "65536", "share 1 has more than 16 bits"),
            ("65535", "-1", "invalid value"),
            ("\"P1\"", "\"P2\"", "neither P0 nor P1"),
            (
                "\"shares\":[",
                "\"style\":{\"id\":\"id\",\"delimiter\":\"a\",\"decimal\":\".\"},\"shares\":[",
                "style has a delimiter",
            ),
            (
                "\"shares\":[",
                "\"style\":{\"id\":\"id\",\"delimiter\":\";\",\"decimal\":\".\"},\"shares\":[",
                "checksum is wrong",
            ),
            ("\"of\"", "\"about\"", "unknown field"),
            ("{", "{\"x\":1,", "unknown field"),
        ] {
            assert!(text.contains(from), "{from}");
            let got = read(&text.replacen(from, to, 1)).unwrap_err();
            assert!(got.contains(want), "{from} -> {to}: {got}");
        }
    }

    #[test]
    fn both_files_must_be_of_one_pair() {
        let p1 = sample();
        let p0 = ShareFile { role: "P0".into(), ..sample() };
        assert_eq!(p0.pairing(Role::P0), p1.pairing(Role::P1));
        assert_eq!(p0.pairing(Role::P1), p1.pairing(Role::P0), "the listening party may change");
        assert_ne!(p1.pairing(Role::P0), p1.pairing(Role::P1), "twice the same file");
    }
}
