//! What `aes` shows to whom, before anything is sent.

use apps::aes::{self, KeySize};
use hushtable::{bill::Effort, operation::Operation};
use hushtable_columns::failure::Result;

use super::{Aes, SUPPOSED, Side, bill, known};
use crate::{
    aes::data::Mode,
    calibration::Calibration,
    count::some,
    explain,
    forecast::{Forecast, Local},
    link::Link,
    page::Page,
    plain::{self, Names},
    stock::Stock,
};

/// What it shows to whom, before anything is sent.
pub fn page(args: &Aes, side: &Side, stock: &Stock) -> Result<Page> {
    let link = &args.link;
    let mut page = Page::new("hushtable aes, before anything is sent");
    page.plain(sentences(side, link)?);
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
    let blocks_here = blocks.map_or("those of the peer".into(), |blocks| blocks.to_string());
    page.line("blocks", &blocks_here);
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
    let effort = if stored == 0 { operation.effort(count, &under)? } else { Effort::implied(bill) };
    forecast.takes(&mut page, effort, &Local { read: 16 * count as u64, ..Local::default() });
    Ok(page)
}

/// Who computes what with whom, who learns what, and what nobody learns.
fn sentences(side: &Side, link: &Link) -> Result<[String; 3]> {
    let names = Names::of(link)?;
    let (key, data) = match side {
        Side::Key(_) => (&names.here, &names.peer),
        Side::Data(_) => (&names.peer, &names.here),
    };
    Ok([
        format!("{data} has its data encrypted by AES under a key that {key} keeps."),
        format!("{data} learns the encrypted data, and {key} learns only how much data there is."),
        format!(
            "{data} does not learn the key, and {key} does not learn the data; {}.",
            plain::network(link)
        ),
    ])
}
