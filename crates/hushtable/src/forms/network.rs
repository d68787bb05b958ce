//! A network of circuits as it is evaluated: layer by layer, or garbled.

use std::{collections::BTreeMap, sync::Arc};

use prim::Wiped;

use super::lowered::lowered_exactly;
use crate::{
    bill::{Bill, Effort, Work},
    circuit::{Cells, Layers, Netlist, Network, Stage},
    error::Result,
    gates::{Bits, Triples},
    gc::{GarbledNetwork, NetworkLabels},
    net::Role,
    party::Party,
    session::Session,
    share::BShare,
};

/// What evaluates a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum By {
    /// ANDs by triples, a round for each layer.
    Layers,
    /// Garbled by this party, in two rounds.
    Garbling(Role),
}

/// A network, and how it is evaluated. Public.
#[derive(Clone)]
pub enum Evaluation {
    /// With the netlist of each form.
    Layers(Arc<Network>, Vec<Arc<Netlist>>),
    /// Garbled.
    Garbled(GarbledNetwork),
}

/// One-time material for an evaluation.
#[must_use = "one-time material that is not used was generated for nothing"]
pub enum Evaluated {
    /// Triples, by how many ANDs have an operand in common.
    Layers(Arc<Network>, Vec<Arc<Netlist>>, BTreeMap<usize, Triples>),
    /// Labels.
    Garbled(NetworkLabels),
}

impl Evaluation {
    /// Of a network whose forms have no lookups.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for lookups.
    pub fn of(network: &Arc<Network>, by: By) -> Result<Self> {
        if let By::Garbling(garbler) = by {
            return GarbledNetwork::of(network, garbler).map(Self::Garbled);
        }
        let nets = network.each_form(lowered_exactly)?;
        Ok(Self::Layers(network.clone(), nets))
    }

    /// What an evaluation costs.
    pub fn bill(&self) -> Bill {
        match self {
            Self::Layers(network, nets) => {
                let triples = triples(network, nets).into_iter();
                let triples = triples.map(|(size, count)| Triples::bill(size).times(count));
                let mut bill = triples.fold(Bill::FREE, Bill::beside);
                bill.online.rounds = stages(network, nets).map(|(_, net)| net.depth()).sum();
                bill
            }
            Self::Garbled(garbled) => garbled.bill(),
        }
    }

    /// What it takes.
    pub fn effort(&self) -> Effort {
        match self {
            Self::Layers(network, nets) => {
                let stages = || stages(network, nets);
                let operands: usize = triples(network, nets).values().sum();
                let ands: usize = stages().map(|(stage, net)| net.ands() * stage.items).sum();
                let passed: usize = stages().map(|(stage, net)| net.passes() * stage.items / 8).sum();
                let words: usize =
                    stages().map(|(stage, _)| (stage.reads.len() + stage.writes.len()) * stage.items).sum();
                let work = Work::words(ands / 64 * 4 + words) + Work::bytes(passed);
                Effort::implied(self.bill()).working([Work::triples(operands), work])
            }
            Self::Garbled(garbled) => garbled.effort(),
        }
    }

    /// Offline.
    ///
    /// # Errors
    /// Those of the channel.
    pub fn prepare(&self, p: &mut Party) -> Result<Evaluated> {
        match self {
            Self::Layers(network, nets) => {
                let mut stock = BTreeMap::new();
                for (size, count) in triples(network, nets) {
                    stock.insert(size, Triples::shared(p, count, size)?);
                }
                Ok(Evaluated::Layers(network.clone(), nets.clone(), stock))
            }
            Self::Garbled(garbled) => garbled.prepare(p).map(Evaluated::Garbled),
        }
    }
}

/// Each stage with the netlist of its form.
fn stages<'a>(
    network: &'a Network,
    nets: &'a [Arc<Netlist>],
) -> impl Iterator<Item = (&'a Stage, &'a Arc<Netlist>)> {
    network.stages().iter().map(|stage| (stage, &nets[stage.form]))
}

/// How many operands of each number of ANDs there are.
fn triples(network: &Network, nets: &[Arc<Netlist>]) -> BTreeMap<usize, usize> {
    let mut triples = BTreeMap::new();
    for (stage, net) in stages(network, nets) {
        for [size, operands] in net.triples() {
            *triples.entry(*size).or_default() += operands * stage.items;
        }
    }
    triples
}

impl Evaluated {
    /// Online: shares of all arrays, from those of the ones that are given. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) unless there is a word for each that is given, and those of the channel.
    pub fn eval(self, s: &mut Session, given: Vec<Wiped<u64>>) -> Result<Vec<Wiped<u64>>> {
        let (network, nets, mut stock) = match self {
            Self::Garbled(labels) => return labels.eval(s, given),
            Self::Layers(network, nets, stock) => (network, nets, stock),
        };
        let mut arrays = network.filled(given)?;
        for (stage, net) in stages(&network, &nets) {
            let mut take = |[size, operands]: &[usize; 2]| {
                let triples = stock.get_mut(size).expect("triples of each size");
                triples.take(operands * stage.items)
            };
            let triples = net.triples().iter().map(&mut take).collect::<Result<_>>()?;
            let inputs = stage.reads.iter().flat_map(|cells| planes(&network, cells, &arrays)).collect();
            let made = Layers::with(net, stage.items, triples)?.eval(s, inputs)?;
            let mut made = &made[..];
            for (array, at) in &stage.writes {
                let (planes, rest) = made.split_at(network.shape(*array).bits);
                made = rest;
                let words: BShare<u64> = Bits::to_share(planes)?;
                at.iter().zip(words.words()).for_each(|(&word, made)| arrays[*array][word as usize] = *made);
            }
        }
        Ok(arrays)
    }
}

/// The bits that items read of an array.
fn planes(network: &Network, (array, at): &Cells, arrays: &[Wiped<u64>]) -> Vec<Bits> {
    let words = at.iter().map(|&word| arrays[*array][word as usize]).collect();
    Bits::from_share(&BShare::<u64>::new(network.shape(*array).bits as u32, words))
}
