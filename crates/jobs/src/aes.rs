//! `aes`: one party's data under the other's key.

mod data;
mod explained;

use std::{ops::Range, path::PathBuf, time::Instant};

use apps::aes::{self, Encryption, KeySize, SLICE, slices};
use clap::Args;
use hushtable::{
    Error, Party, Role,
    bill::Bill,
    operation::{Evaluate, Operation},
    ot::Setting,
    run::{self, Phase, Reveal},
};
use hushtable_columns::{
    failure::{Failure, Result},
    manner,
    output::Output,
    shares::role_name,
    terminal,
    units::bytes,
};
use prim::wipe::Wiped;
use serde::Serialize;

use crate::{
    aes::data::{Counters, Data, Key, MOST_BLOCKS, Mode, Nonce},
    calibration::Calibration,
    circuit::{Engines, Way},
    cost::Phases,
    count::some,
    delivery::Delivery,
    explain,
    forecast::{Forecast, Local, Protocols},
    link::Link,
    meeting::{Agenda, Agreed, Begun, COMPUTED, Meeting, SetUp},
    options::refuse,
    page::Page,
    progress::Progress,
    row_results,
    stock::{Stock, Stored},
    task::lanes::{Lanes, Part},
    threads::Threads,
};

const EXAMPLES: &str = "\
One party has the key, the other the data. The data's party gets the result; neither sees what the other has. The key's \
party learns how many blocks of 16 bytes there are, the data's party how many bits the key has, and AES of the blocks \
that it chose: whoever has a key lends it out, and need not know for what. Both say the same --mode.
  --mode ctr, counter mode, takes data of 1 byte to 1 GiB. The first counter block is drawn, and stands before the result \
(16 bytes); --decrypt takes it from there. With --nonce it is the one given, the result is as long as the data, as \
`openssl enc -aes-128-ctr -iv` writes it, and decrypting is encrypting once more. Counters are numbers of 128 bits, the highest \
byte first (NIST SP 800-38A). NEVER TWO RESULTS WITH THE SAME KEY AND COUNTERS: they give away the XOR of \
their data. A drawn block is as good as never used before. The peer does not see it: whoever has the key and the \
counters can decrypt. There is no authentication: who changes the result changes the data, unnoticed.
  --mode ecb takes whole blocks, 16 bytes to 1 GiB, and encrypts each by itself, for measurements and formats of your \
own. Equal blocks stay equal. It only encrypts.

  Material can be made ahead, for whoever will have the key and the data; p0 is the party that listens:
    hushtable prepare lib:aes128_expanded --known keys=p1,block=p0 --items 1e4 --store bank.store \\
        --listen 0.0.0.0:7000 --identity bank.id
  Then both say --store. lib:aes192_expanded and lib:aes256_expanded are for longer keys.

Examples:
  The bank's file under the telecom company's key:
    hushtable aes --input bank-numbers.csv --output bank-numbers.aes \\
        --listen 0.0.0.0:7000 --identity bank.id
    hushtable aes --key-hex key.hex --connect bank.example:7000 --identity telecom.id
  What it shows, to whom, and what it takes; nothing is sent:
    hushtable explain aes --input bank-numbers.csv --listen 0.0.0.0:7000 --identity bank.id";

/// Encrypt one party's data under the other's key, by AES
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Aes {
    /// The key, at the party that has it: a file of 16, 24 or 32 bytes for AES-128, AES-192 or AES-256
    #[arg(long, value_name = "FILE", required_unless_present_any = ["key_hex", "input"], conflicts_with = "key_hex")]
    key: Option<PathBuf>,
    /// The same as a text of 32, 48 or 64 hexadecimal digits
    #[arg(long, value_name = "FILE")]
    key_hex: Option<PathBuf>,
    /// The data, at the party that has them: a file of any bytes
    #[arg(long, value_name = "FILE", conflicts_with_all = ["key", "key_hex"])]
    input: Option<PathBuf>,
    /// What is done with blocks; the peer says the same
    #[arg(long, value_enum, default_value = "ctr")]
    mode: Mode,
    /// With --mode ctr: the first counter block, which this key never had [default: one is drawn]
    #[arg(long, value_name = "HEX", conflicts_with = "decrypt")]
    nonce: Option<Nonce>,
    /// With --mode ctr: the first 16 bytes of the data are the first counter block
    #[arg(long)]
    decrypt: bool,
    /// With the data: how many bits the peer's key must have, 128, 192 or 256 [default: any of them]
    #[arg(long, value_name = "BITS", value_parser = key_size)]
    key_bits: Option<KeySize>,
    /// Threads and connections to work with, 1 to 64 [default: what the peer asks for, or what suits]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=64))]
    threads: Option<u16>,
    #[command(flatten)]
    stored: Stored,
    #[command(flatten)]
    engines: Engines,
    #[command(flatten)]
    pub delivery: Delivery,
    #[command(flatten)]
    pub link: Link,
}

fn key_size(text: &str) -> std::result::Result<KeySize, String> {
    let size = text.parse().ok().and_then(|bits| KeySize::of_bits(bits).ok());
    size.ok_or_else(|| "accepted: 128, 192, 256".into())
}

/// Blocks that a prediction is for where their number is the peer's to know.
const SUPPOSED: usize = 1000;
/// A block is as much work as so many rows of the jobs that [`Threads`] counts.
const ROWS: usize = 16;

/// What `--json` prints.
#[derive(Serialize)]
struct Report<'a> {
    kind: &'a str,
    mode: &'a str,
    role: &'a str,
    blocks: usize,
    key_bits: usize,
    #[serde(flatten)]
    way: Way<'a>,
    threads: usize,
    /// Blocks whose material came from disk.
    stored: usize,
    #[serde(flatten)]
    phases: &'a Phases,
}

/// What this party has.
enum Side {
    Key(Key),
    Data(Data),
}

impl Side {
    fn read(args: &Aes) -> Result<Self> {
        let of_data = [
            ("--nonce", args.nonce.is_some()),
            ("--decrypt", args.decrypt),
            ("--key-bits", args.key_bits.is_some()),
            ("--output", args.delivery.output.is_some()),
        ];
        refuse(&[
            (args.input.is_none(), "is for the party with --input", &of_data),
            (args.mode == Mode::Ecb, "needs --mode ctr", &of_data[..2]),
        ])?;
        let counters = match (args.nonce, args.decrypt) {
            _ if args.mode == Mode::Ecb => None,
            (Some(nonce), _) => Some(Counters::From(nonce)),
            (None, true) => Some(Counters::Ahead),
            (None, false) => Some(Counters::Drawn),
        };
        match (&args.input, &args.key, &args.key_hex) {
            (Some(input), ..) => Data::read(input, counters).map(Self::Data),
            (None, Some(key), _) => Key::read(key, false).map(Self::Key),
            (None, None, Some(key)) => Key::read(key, true).map(Self::Key),
            (None, None, None) => unreachable!("clap requires one of them"),
        }
    }
}

/// Meets the peer and encrypts, or only says what that would be.
pub fn carry_out(args: &Aes) -> Result<()> {
    let (delivery, link) = (&args.delivery, &args.link);
    let side = Side::read(args)?;
    let stock = Stock::open(&args.stored, link.identity())?;
    let (rows, writes) = match &side {
        Side::Key(_) => (0, None),
        Side::Data(data) => (data.blocks(), Some(data.size())),
    };
    stock.enough(rows)?;
    let told = delivery.dry_run || delivery.record.is_some();
    let explained = told.then(|| explained(args, &side, &stock)).transpose()?;
    let fields: Agreed = vec![
        ("command".into(), "aes".into()),
        ("mode".into(), args.mode.name().into()),
        ("engine".into(), args.engines.name()),
        ("store".into(), stock.name()),
    ];
    let meeting = Meeting {
        kind: "aes",
        file: None,
        rows,
        column: args.mode.name().into(),
        reveal: "the party with the data".into(),
        fields: fields.clone(),
        explained,
        writes,
        delivery,
        link,
        inputs: args.input.as_deref().into_iter().collect(),
        // Not among the inputs: a record has their hashes.
        kept: args.key.as_deref().or(args.key_hex.as_deref()),
        wish: None,
        outcome: COMPUTED,
    };
    let lanes = Lanes::default();
    meeting.carry_out(Running { args, side, fields, stock, lanes, work: None })
}

/// What the parties have come to.
struct Settled {
    size: KeySize,
    blocks: usize,
    threads: usize,
    /// Who has the data.
    to: Role,
}

/// An encryption while it runs.
struct Running<'a> {
    args: &'a Aes,
    side: Side,
    fields: Agreed,
    stock: Stock,
    lanes: Lanes,
    work: Option<(Settled, Evaluate)>,
}

impl Running<'_> {
    /// Each says what it has: the key's size or the one that is asked for, how many blocks, and threads.
    fn settle(&self, p: &mut Party) -> Result<Settled> {
        let (bits, blocks) = match &self.side {
            Side::Key(key) => (key.size.bits(), 0),
            Side::Data(data) => (self.args.key_bits.map_or(0, KeySize::bits), data.blocks()),
        };
        // Who has the key does not limit them by blocks.
        let rows = if blocks > 0 { ROWS * blocks } else { ROWS * MOST_BLOCKS };
        let threads = Threads::new(self.args.threads, rows, self.args.link.is_near());
        let mine = [&[bits as u64, blocks as u64].map(u64::to_le_bytes).concat()[..], &threads.to_bytes()];
        let mine = mine.concat();
        let len = mine.len();
        let theirs = p.exchange(mine, len)?;
        let (said, asked) = theirs.split_last_chunk().expect("two bytes at the end");
        let (said, _) = said.as_chunks();
        let [peer_bits, peer_blocks] =
            [said[0], said[1]].map(|word| usize::try_from(u64::from_le_bytes(word)).unwrap_or(usize::MAX));
        let accepted = [0, 128, 192, 256].contains(&peer_bits) && (1..=MOST_BLOCKS).contains(&peer_blocks)
            || KeySize::of_bits(peer_bits).is_ok() && peer_blocks == 0;
        if !accepted {
            let what = format!("{peer_blocks} blocks under a key of {peer_bits} bits");
            return Err(Error::Peer(what).into());
        }
        match (blocks, peer_blocks) {
            (0, 0) => return Err(Failure::new("both parties give a key; one of them gives --input")),
            (1.., 1..) => return Err(Failure::new("both parties give data; one of them gives --key")),
            _ => {}
        }
        if bits != peer_bits && bits * peer_bits > 0 {
            let (field, ours, theirs) = ("bits of the key", bits.to_string(), peer_bits.to_string());
            return Err(Error::Handshake { field: field.into(), ours, theirs }.into());
        }
        let to = if blocks > 0 { p.role() } else { p.role().peer() };
        let (size, blocks) = (KeySize::of_bits(bits.max(peer_bits))?, blocks.max(peer_blocks));
        Ok(Settled { size, blocks, threads: threads.settle(*asked)?.min(blocks), to })
    }
}

/// By whom keys and blocks are known, if this one has the data.
fn known(to: Role) -> [Option<Role>; 2] {
    [Some(to.peer()), Some(to)]
}

/// What all blocks cost in so many lanes, and what one lane's part does.
fn bill(operation: &dyn Operation, blocks: usize, lanes: usize, to: Role, under: &Setting) -> Result<Bill> {
    let slice = |blocks| run::bill(operation, blocks, lanes, Reveal::Only(to), under);
    let rest = if blocks.is_multiple_of(SLICE) { Bill::FREE } else { slice(blocks % SLICE)? };
    let whole = if blocks < SLICE { Bill::FREE } else { slice(SLICE)?.repeated(blocks / SLICE) };
    Ok(whole + rest)
}

impl Agenda for Running<'_> {
    fn set_up(&mut self, p: &mut Party, begun: &Begun) -> Result<SetUp> {
        row_results::agree(p, &self.fields, "")?;
        let settled = self.settle(p)?;
        let Settled { size, blocks, threads, to } = settled;
        let operation =
            self.args.engines.way(&aes::circuit(size), &known(to), blocks, &p.setting(), &self.stock)?;
        let mut fields = self.fields.clone();
        fields.extend(operation.fields().into_iter().map(|(name, value)| (name.to_owned(), value)));
        fields.push(("blocks".into(), blocks.to_string()));
        row_results::agree(p, &fields, "")?;
        if let Side::Data(data) = &mut self.side {
            data.draw(p);
        }
        let set = begun.settle(p, fields)?;
        let part = |at: Range<usize>| Part { operation: &operation, rows: at.len(), threads, stocked: true };
        let parts: Vec<_> = slices(blocks).map(part).collect();
        let took = self.lanes.start(p, &parts, &mut self.stock, (0, 0), Instant::now())?;
        self.work = Some((settled, operation));
        Ok(SetUp { took: set.took.then(took), ..set })
    }

    fn compute(&mut self, p: &mut Party) -> Result<[Phase; 2]> {
        let (Settled { blocks, to, .. }, operation) = self.work.as_ref().expect("what was agreed on");
        let progress = Progress::start("blocks", *blocks);
        let keys = if let Side::Key(key) = &self.side { &key.words[..] } else { &[] };
        let encryption = Encryption::new(operation, keys, *blocks);
        let (mut offline, mut online) = (Phase::default(), Phase::default());
        for (slice, at) in slices(*blocks).enumerate() {
            let words = match &self.side {
                Side::Key(_) => Wiped::default(),
                Side::Data(data) => data.words(at.clone()),
            };
            let ready = self.lanes.ready(slice, &mut self.stock)?;
            let lanes = self.lanes.of(p);
            let done = encryption.run(lanes, ready, &words, at.len(), Reveal::Only(*to), &progress)?;
            (offline, online) = (offline.then(done.offline), online.then(done.online));
            if let (Side::Data(data), Some(values)) = (&mut self.side, done.values()) {
                data.take(at, &Wiped::from(values));
            }
        }
        self.lanes.end();
        Ok([offline, online])
    }

    fn deliver(self, output: Option<Output>, _: [u8; 32], role: Role, phases: &Phases) -> Result<()> {
        let (Settled { size, blocks, threads, .. }, operation) = self.work.expect("what was agreed on");
        if let (Side::Data(data), Some(output)) = (&self.side, output) {
            let path = output.path().to_owned();
            output.write(|to| data.write(to))?;
            eprintln!("wrote {} to {}", bytes(data.size()), path.display());
            if let Some(nonce) = data.nonce() {
                eprintln!("its first 16 bytes are the first counter block, {nonce}");
            }
        } else {
            eprintln!("{} encrypted for the peer; nothing is written here", some(blocks, "block"));
        }
        let stored = self.lanes.stored();
        self.stock.tell(stored, blocks);
        self.args.delivery.tell_threads(self.args.threads.is_none(), threads);
        if manner::is_json() {
            let (mode, way) = (self.args.mode.name(), Way::of(&operation));
            let (kind, role, key_bits) = ("aes", role_name(role), size.bits());
            terminal::json(&Report { kind, mode, role, blocks, key_bits, way, threads, stored, phases })?;
        }
        Ok(())
    }
}

/// What it shows to whom, before anything is sent.
fn explained(args: &Aes, side: &Side, stock: &Stock) -> Result<Page> {
    let link = &args.link;
    let mut page = Page::new("hushtable aes, before anything is sent");
    page.plain(explained::sentences(matches!(side, Side::Key(_)), link)?);
    explain::who(&mut page, link)?;
    let (size, blocks, to) = match side {
        Side::Key(key) => (key.size, None, link.role().peer()),
        Side::Data(data) => (args.key_bits.unwrap_or(KeySize::Bits128), Some(data.blocks()), link.role()),
    };
    page.title("What is computed");
    let known_size = matches!(side, Side::Key(_)) || args.key_bits.is_some();
    let name = if known_size { format!("AES-{}", size.bits()) } else { "AES".into() };
    let what = match (side, args.mode) {
        (_, Mode::Ecb) => "each block by itself",
        (Side::Data(_), Mode::Ctr) => "counters, which are XORed with the data here",
        (Side::Key(_), Mode::Ctr) => "counters that the peer chooses, for data that stay there",
    };
    page.line("cipher", &format!("{name}, mode {}: {what}", args.mode.name()));
    page.title("Who learns what");
    let of_data = "AES of each of its blocks, and how many bits the key has; nothing else of the key";
    let of_key = "how many blocks of 16 bytes there are; nothing of data, counters or results";
    let (own, peer) = if to == link.role() { (of_data, of_key) } else { (of_key, of_data) };
    page.line("this party", own);
    page.line("the peer", peer);
    if to != link.role() {
        page.line("", "the key is lent: nothing here makes sure which blocks the peer gives");
    }
    page.title("What shows besides");
    page.line("blocks", &blocks.map_or("those of the peer".into(), |blocks| blocks.to_string()));
    page.line(
        "both see",
        "who has the key and who the data, the mode, the engine, how many blocks, bits of the key",
    );
    let forecast = Forecast::of(Calibration::load(None)?, link);
    let under = forecast.under();
    let count = blocks.unwrap_or(SUPPOSED);
    let operation = args.engines.way(&aes::circuit(size), &known(to), count, &under, stock)?;
    let stored = stock.left(count);
    let supposed = if known_size { "" } else { ", if the key has 128 bits" };
    page.title(&format!("What it takes, for {}{supposed}", some(count, "block")));
    page.line("method", &operation.method());
    let of = |blocks| bill(&operation, blocks, 1, to, &under);
    let bill = explain::all_but(of(count)?, of(count - stored)?);
    forecast.sent(&mut page, &bill);
    explain::stored(&mut page, stored, count, "blocks");
    let protocols = Protocols::of(bill, stored, || operation.effort(count, &under))?;
    forecast.takes(&mut page, protocols, &Local { read: 16 * count as u64, ..Local::default() });
    Ok(page)
}
