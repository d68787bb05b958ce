//! Triples of a batch, by how many ANDs have an operand in common.

use super::{
    circuits::{Gates, greater},
    distinct::{self, network},
    expand::levels,
    job::{COPIES, FableJob, Sizes},
};
use hushtable::{
    bill::{Bill, Phase},
    circuit::conjunction,
    error::Result,
    gates::Triples,
    party::Party,
};

/// All of a batch's triples.
pub(super) struct Material {
    pub gates: Gates,
    sorting: Option<distinct::Material>,
    pick: Option<Triples>,
    pub expand: Triples,
    pub back: Triples,
}

/// How many operands, and of each the ANDs with others.
struct Counts {
    one: usize,
    two: usize,
    /// Comparators, twice: sorting, and back.
    swap: [usize; 2],
    replace: [usize; 2],
    pick: [usize; 2],
    expand: [usize; 2],
    back: [usize; 2],
}

impl Counts {
    fn of(job: &FableJob, sizes: &Sizes, count: usize) -> Self {
        let sum = |layers: Vec<Vec<[u32; 2]>>| layers.iter().map(Vec::len).sum::<usize>();
        let (comparators, moved) = (sum(network(count)), sum(levels(count)));
        let [key, tagged, value] =
            [job.key_bits, sizes.tagged_bits, job.value_bits].map(|bits| bits as usize);
        let comparison = greater(job.key_bits);
        let [one, two] = [0, 1].map(|kind| comparators * comparison.triples()[kind][1]);
        let rows = COPIES * count;
        Self {
            one: one + (count - 1) * conjunction(key).ands() + rows * conjunction(tagged).ands(),
            two,
            swap: [comparators, key],
            replace: [count - 1, tagged - 1],
            pick: [rows, value],
            expand: [moved, value + 2],
            back: [comparators, value + 1],
        }
    }

    fn all(&self) -> [[usize; 2]; 7] {
        [[self.one, 1], [self.two, 2], self.swap, self.replace, self.pick, self.expand, self.back]
    }
}

impl Material {
    pub fn prepare(p: &mut Party, job: &FableJob, sizes: &Sizes, count: usize) -> Result<Self> {
        let counts = Counts::of(job, sizes, count);
        let [one, two, swap, replace, pick, expand, back] =
            counts.all().map(|[operands, ands]| Triples::shared(p, operands, ands));
        Ok(Self {
            gates: Gates { one: one?, two: two? },
            sorting: Some(distinct::Material { swap: swap?, replace: replace? }),
            pick: Some(pick?),
            expand: expand?,
            back: back?,
        })
    }

    /// What they cost, with the rounds of all circuits.
    pub fn bill(job: &FableJob, sizes: &Sizes, count: usize) -> Bill {
        let all = Counts::of(job, sizes, count).all();
        let triples = all.map(|[operands, ands]| Triples::bill(ands).times(operands));
        let sum = triples.into_iter().reduce(Bill::beside).expect("some");
        let layers = network(count).len() as u32;
        let decoding = conjunction(sizes.tagged_bits as usize).depth() + 1;
        let rounds = distinct::rounds(count, job.key_bits) + decoding + levels(count).len() as u32 + layers;
        Bill { online: Phase { rounds, ..sum.online }, ..sum }
    }

    /// Those of the sorting network, once.
    pub fn sorting(&mut self) -> distinct::Material {
        self.sorting.take().expect("asked for once")
    }

    /// Those that choose among rows, once.
    pub fn pick(&mut self) -> Triples {
        self.pick.take().expect("asked for once")
    }
}
