//! A network of circuits, garbled: labels go from stage to stage, in two rounds whatever the number of stages.
//!
//! Between stages a party has a label for each bit of each array. What a stage reads and writes is public, so labels are
//! gathered, and laid down, in the clear. All else is as for one circuit.

use std::{ops::Range, sync::Arc};

use prim::{Wiped, block::Block};

use super::{
    program::Program,
    stream::{Cut, Keys, Labels, Stream},
};
use crate::{
    bill::{Bill, Effort, Phase, Work},
    circuit::{Array, Cells, Network, Stage},
    error::Result,
    gates::Bits,
    net::Role,
    ot::{CotReceiver, CotSender},
    party::Party,
    session::{Session, pieces},
};

/// Items of a stage that are garbled at a time.
const PIECE: usize = 256;
/// Blocks of a message, or more.
const MESSAGE: usize = 1 << 13;

/// A network, and who garbles it. Public.
#[derive(Clone)]
pub struct GarbledNetwork {
    network: Arc<Network>,
    /// Of each form.
    programs: Vec<Arc<Program>>,
    garbler: Role,
}

/// One-time material for an evaluation: correlated OTs for what is given.
#[must_use = "one-time material that is not used was generated for nothing"]
pub struct NetworkLabels {
    of: GarbledNetwork,
    cots: (CotSender, CotReceiver),
}

/// Some items of a stage, and the blocks of their tables.
struct Piece {
    stage: usize,
    at: Range<usize>,
    blocks: usize,
}

impl GarbledNetwork {
    /// A network whose forms have no lookups.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for lookups.
    pub fn of(network: &Arc<Network>, garbler: Role) -> Result<Self> {
        let programs = network.each_form(Program::new)?;
        Ok(Self { network: network.clone(), programs, garbler })
    }

    /// What an evaluation costs.
    pub fn bill(&self) -> Bill {
        let (given, ands) = (self.given(), self.sum(Program::ands));
        let mut cots = [0; 2];
        cots[self.garbler as usize] = given;
        let mut bits = [given; 2];
        bits[self.garbler as usize] = 256 * ands;
        let online = Phase { bits, rounds: u32::from(given > 0) + u32::from(ands > 0) };
        Bill { cots, online, kept: 128 * given, ..Bill::FREE }
    }

    /// What it takes.
    pub fn effort(&self) -> Effort {
        let bill = self.bill();
        let stages = self.network.stages().iter();
        let gates = stages.map(|stage| self.program(stage).work() * stage.items as f64).sum();
        let labels: usize = self.network.shapes().iter().map(|array| array.bits * array.words).sum();
        let memory = (16 * labels) as u64 + 16 * bill.all_cots();
        Effort::implied(bill).working([Work::cots(bill.all_cots()), gates]).remembering([memory; 2])
    }

    /// Offline: the correlated OTs.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(&self, p: &mut Party) -> Result<NetworkLabels> {
        let (send, receive) = self.bill().cots_of(p.role());
        Ok(NetworkLabels { of: self.clone(), cots: p.cots(send, receive)? })
    }

    /// Bits that are given; none without stages.
    fn given(&self) -> u64 {
        let given = if self.programs.is_empty() { &[] } else { self.network.given() };
        given.iter().map(|array| (array.bits * array.words) as u64).sum()
    }

    /// Of all items of all stages.
    fn sum(&self, of: impl Fn(&Program) -> usize) -> u64 {
        let stages = self.network.stages().iter();
        stages.map(|stage| (of(self.program(stage)) * stage.items) as u64).sum()
    }

    fn program(&self, stage: &Stage) -> &Program {
        &self.programs[stage.form]
    }

    /// The tables of each message: those of some pieces, in order.
    fn messages(&self) -> Vec<Vec<Piece>> {
        let mut messages = vec![Vec::new()];
        let mut blocks = 0;
        for (number, stage) in self.network.stages().iter().enumerate() {
            for at in pieces(stage.items, PIECE) {
                let tables = Cut::new(self.program(stage), at.len()).messages().sum();
                let piece = Piece { stage: number, blocks: tables, at };
                if blocks >= MESSAGE {
                    messages.push(Vec::new());
                    blocks = 0;
                }
                blocks += piece.blocks;
                messages.last_mut().expect("a message").push(piece);
            }
        }
        messages
    }
}

impl NetworkLabels {
    /// Online, 2 rounds: shares of all arrays, from those of the ones that are given. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there is a word for each that is given, and those of the channel.
    pub fn eval(self, s: &mut Session, given: Vec<Wiped<u64>>) -> Result<Vec<Wiped<u64>>> {
        let Self { of, cots } = self;
        let arrays = of.network.filled(given)?;
        if of.programs.is_empty() {
            return Ok(arrays);
        }
        let garbles = s.role() == of.garbler;
        let delta = if garbles { cots.0.delta() } else { Block::ZERO };
        let flips = chosen(s, &of, &cots, &arrays)?;
        let strings = if garbles { cots.0.strings() } else { cots.1.strings() };
        let mut inputs = strings.iter().zip(flips.iter());
        let mut label = || inputs.next().map_or(Block::ZERO, |(q, flip)| *q ^ Block::mask(flip == 1) & delta);
        let shapes = of.network.shapes().iter();
        let mut labels: Vec<Wiped<Block>> = shapes
            .map(|array| Wiped::from((0..array.bits * array.words).map(|_| label()).collect::<Vec<_>>()))
            .collect();
        let mut keys = Keys::default();
        for message in of.messages() {
            let blocks = message.iter().map(|piece| piece.blocks).sum();
            let mut tables = Vec::with_capacity(blocks);
            if !garbles && blocks > 0 {
                tables.resize(blocks, Block::ZERO);
                s.recv_blocks(&mut tables)?;
            }
            let (mut rest, mut made) = (&tables[..], Vec::new());
            for piece in &message {
                let cut = Cut::new(of.program(&of.network.stages()[piece.stage]), piece.at.len());
                let keys = keys.next(s, cut, of.garbler);
                of.run(piece, keys, delta, &mut labels, |stream| {
                    while let Some(blocks) = stream.expects() {
                        if garbles {
                            made.extend(stream.garble().expect("tables"));
                        } else {
                            let (now, later) = rest.split_at(blocks);
                            stream.evaluate(now);
                            rest = later;
                        }
                    }
                });
            }
            if !made.is_empty() {
                s.send(made)?;
            }
        }
        // Of what the garbler has of the labels the lowest bits are its shares.
        Ok(of.network.shapes().iter().zip(&labels).map(|(array, labels)| words(array, labels)).collect())
    }
}

impl GarbledNetwork {
    /// Some items of a stage.
    fn run(
        &self,
        Piece { stage, at, .. }: &Piece,
        keys: (Vec<prim::CcrHash>, u64),
        delta: Block,
        labels: &mut [Wiped<Block>],
        tables: impl FnOnce(&mut Stream<'_>),
    ) {
        let (stage, items) = (&self.network.stages()[*stage], at.len());
        let program = self.program(stage);
        let mut strings = Wiped::zeros(program.inputs() * items);
        let mut rows = strings.chunks_exact_mut(items);
        self.each(&stage.reads, at, |array, places| {
            let row = rows.next().expect("a row for each input");
            row.iter_mut().zip(places).for_each(|(to, place)| *to = labels[array][place]);
        });
        let all =
            Labels { strings: &strings, rows: (0..program.inputs()).map(Some).collect(), flips: vec![] };
        let mut stream = Stream::keeping((program, items), keys, all, delta);
        tables(&mut stream);
        let made = stream.kept();
        let mut rows = made.chunks_exact(items);
        self.each(&stage.writes, at, |array, places| {
            let row = rows.next().expect("a row for each output");
            row.iter().zip(places).for_each(|(label, place)| labels[array][place] = *label);
        });
    }

    /// Calls `row` for each bit that items read or write, with its place for each of them.
    fn each(
        &self,
        cells: &[Cells],
        at: &Range<usize>,
        mut row: impl FnMut(usize, &mut dyn Iterator<Item = usize>),
    ) {
        for (array, words) in cells {
            let bits = self.network.shape(*array).bits;
            for bit in 0..bits {
                row(*array, &mut words[at.clone()].iter().map(|&word| word as usize * bits + bit));
            }
        }
    }
}

/// For the garbler where its Delta is added to the strings of what is given, from the evaluator, which masks its shares
/// with its choice bits; zeros at the evaluator. 1 round.
fn chosen(
    s: &mut Session,
    of: &GarbledNetwork,
    cots: &(CotSender, CotReceiver),
    arrays: &[Wiped<u64>],
) -> Result<Bits> {
    let given = of.network.given().iter().zip(arrays);
    let mut bits = Bits::collect(given.flat_map(|(array, words)| {
        words.iter().flat_map(|word| (0..array.bits).map(move |bit| word >> bit & 1))
    }));
    let bytes = bits.len().div_ceil(8);
    let mut words = vec![0; bits.words().len()];
    if s.role() == of.garbler {
        bytemuck::cast_slice_mut(&mut words)[..bytes].copy_from_slice(&s.recv(bytes)?);
        bits ^= &Bits::new(bits.len(), words);
        return Ok(bits);
    }
    bits ^= &Bits::collect(cots.1.strings().iter().map(|t| t.0 as u64 & 1));
    s.send(bytemuck::cast_slice(bits.words())[..bytes].to_vec())?;
    Ok(Bits::new(bits.len(), words))
}

/// The lowest bits of an array's labels.
fn words(array: &Array, labels: &[Block]) -> Wiped<u64> {
    let word = |labels: &[Block]| labels.iter().rev().fold(0, |word, label| word << 1 | (label.0 & 1) as u64);
    Wiped::from(labels.chunks_exact(array.bits).map(word).collect::<Vec<_>>())
}
