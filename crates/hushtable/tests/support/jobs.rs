//! A small job of every protocol, each with a barrier at its end, so that nobody is done before the peer is.
#![allow(dead_code)] // not every test uses all of it

use hushtable::{
    AShare, BShare, Party, Result, Role,
    arith::{
        AdditiveToXor, CompareDomain, CompareJob, ComparePlan, Comparison, Containment, DigitMethod,
        Equality, FaithfulTruncation, Gram, GramJob, HammingEquality, LatticeJob, LatticeProduct,
        LatticeTriplesJob, LinearJob, MatrixJob, MatrixProduct, MatrixShape, Multiplication, Objective,
        ProductTriples, Relu, Truncation, VectorMaximum, XorToAdditive,
    },
    confidential::{
        copy::{CopyJob, EncryptedCopy, Held, Keys, Lookups, Owner},
        order,
        prf::Cipher,
        splut::{SpLutJob, SpLutLookups, SpLutTable},
        thin::{Pace, Table as PrivateTable, ThinJob, ThinLookups},
    },
    forms::Switched,
    fss::{Dcf, Dpf, End},
    gates::Bits,
    lut::{
        SharedTables, Table,
        flute::{Flute, Inputs, Lut},
        oplut::OpLut,
        ottt::Ottt,
        splut::SpLut,
    },
    math::{Bounds, Evaluation, Function, Method, Options, Softmax, SoftmaxJob},
    onehot::{Cyclic, OneHot, Xor},
    ot::Scheme,
    permutation::{Arrays, permute, rotate},
    share::{Additive, Bitwise},
};
use prim::{block::Block, rows::Shift};

use super::{
    fixed, forms,
    pairs::{share, wide},
};

/// Of sessions and shares.
pub const SEED: u64 = 80;

/// A party's part in a protocol, after set-up.
pub type Job = fn(&mut Party) -> Result<()>;

/// Items of a batch: no whole number of bytes.
const BATCH: usize = 11;

const THERMOMETER: ComparePlan = ComparePlan { method: DigitMethod::Thermometer, digit: 4 };
const LOOKUP: ComparePlan = ComparePlan { method: DigitMethod::Lookup, digit: 2 };
const ONE_HOT: ComparePlan = ComparePlan { method: DigitMethod::OneHot { join: 3 }, digit: 4 };

/// Shares of numbers of 16 bits.
fn numbers(p: &Party, count: usize) -> AShare<u32> {
    share(p.role(), 16, &(0..count as u32).map(|i| 100 * i).collect::<Vec<_>>(), SEED)
}

fn small_table(bits: u32) -> Result<Table<u16>> {
    Table::tabulate(3, bits, |x| x)
}

fn voles(p: &mut Party, count: usize) -> Result<()> {
    match p.role() {
        Role::P0 => p.send_voles(count).map(drop),
        Role::P1 => p.receive_voles(count).map(drop),
    }?;
    p.barrier()
}

pub const JOBS: &[(&str, Option<Scheme>, Job)] = &[
    ("SoftSpoken", None, |p| p.cots(9000, 9000).and_then(|_| p.barrier())),
    ("Ferret", Some(Scheme::Ferret), |p| p.cots(50_000, 50_000).and_then(|_| p.barrier())),
    ("VOLE", None, |p| voles(p, BATCH)), // extended ones: `vole.rs`
    ("XOR to additive", None, |p| {
        let x = share::<Bitwise>(p.role(), 9, &[300; BATCH], SEED);
        let x = BShare::new(9, x.words().iter().map(|&word| word.into()).collect());
        let y = XorToAdditive::prepare(p, [9, 20], BATCH)?.signed(p, &x)?;
        p.open(&y).and_then(|_| p.barrier())
    }),
    ("additive to XOR", None, |p| {
        let x = share(p.role(), 9, &[300; BATCH], SEED);
        let y = AdditiveToXor::prepare(p, 9, BATCH)?.bits(p, &x)?;
        p.open(&y).and_then(|_| p.barrier())
    }),
    ("ROTL", None, |p| {
        let material = OneHot::<Cyclic>::rotl(p, 3, BATCH)?.signed(p, &[9])?;
        let x = share(p.role(), 3, &[5; BATCH], SEED);
        let y = material.lookup(p, &small_table(9)?, &x)?;
        p.open(&y).and_then(|_| p.barrier())
    }),
    ("doubling", None, |p| {
        let material = OneHot::<Cyclic>::doubling(p, 3, BATCH)?;
        let x = share(p.role(), 3, &[5; BATCH], SEED);
        material.lookup_xor(p, &small_table(9)?, &x).and_then(|_| p.barrier())
    }),
    ("staged rotation", None, |p| {
        let material = OneHot::<Cyclic>::staged(p, 8, BATCH)?;
        let x = share(p.role(), 8, &[5; BATCH], SEED);
        material.lookup_xor(p, &Table::<u16>::tabulate(8, 9, |x| x)?, &x).and_then(|_| p.barrier())
    }),
    ("balanced products", None, |p| {
        let material = OneHot::<Cyclic>::balanced(p, 3, BATCH)?;
        let x = share(p.role(), 3, &[5; BATCH], SEED);
        material.lookup_xor(p, &small_table(9)?, &x).and_then(|_| p.barrier())
    }),
    ("FLUTE+", None, |p| {
        let material = OneHot::<Cyclic>::flute_plus(p, 3, BATCH)?.signed(p, &[9])?;
        let x = share(p.role(), 3, &[5; BATCH], SEED);
        material.lookup(p, &small_table(9)?, &x).and_then(|_| p.barrier())
    }),
    ("FLUTE", None, |p| {
        let material = Flute::prepare(p, 3, 9, BATCH)?;
        let x = share::<Bitwise>(p.role(), 3, &[5; BATCH], SEED);
        material.lookup_xor(p, &small_table(9)?, &x).and_then(|_| p.barrier())
    }),
    ("tables at masked wires", None, |p| {
        let inputs = Inputs::draw(p, 3, BATCH)?;
        let first = Lut::prepare(p, inputs.masks(), 3)?;
        let second = Lut::prepare(p, first.output(), 9)?;
        let wires = inputs.mask(p, &BShare::<u8>::new(3, vec![5; BATCH]))?;
        let between = first.lookup(p, &small_table(3)?, &wires)?;
        second.lookup(p, &small_table(9)?, &between).and_then(|_| p.barrier())
    }),
    ("SP-LUT", None, |p| {
        let material = SpLut::<Cyclic>::prepare(p, 13, BATCH)?;
        let table = Table::<u16>::new(9, (0..13).collect())?;
        material.lookup_mod(p, &table, &[4; BATCH]).and_then(|_| p.barrier())
    }),
    ("SP-LUT, xor group", None, |p| {
        let material = SpLut::<Xor>::prepare(p, 8, BATCH)?;
        let x = share(p.role(), 3, &[5; BATCH], SEED);
        material.lookup(p, &small_table(9)?, &x).and_then(|_| p.barrier())
    }),
    ("OP-LUT", None, |p| {
        let table = small_table(9)?;
        let x = share(p.role(), 3, &[5; BATCH], SEED);
        let material = OpLut::<Cyclic, Additive, u16>::prepare(p, &table, BATCH)?;
        material.lookup(p, &x).and_then(|_| p.barrier())
    }),
    ("OP-LUT, codes", None, |p| {
        let table = small_table(9)?;
        let x = share(p.role(), 3, &[5; BATCH], SEED);
        let material = OpLut::<Xor, Bitwise, u16>::prepare_kk13(p, &table, BATCH)?;
        material.lookup(p, &x).and_then(|_| p.barrier())
    }),
    ("OTTT", None, |p| {
        let x = share(p.role(), 3, &[5; BATCH], SEED);
        let material = Ottt::<Cyclic, u16>::prepare(p, &small_table(9)?, BATCH)?;
        material.lookup_xor(p, &x).and_then(|_| p.barrier())
    }),
    ("permutation", None, |p| {
        let of = Arrays { count: 3, len: 5, bits: 9 };
        let moved = match p.role() {
            Role::P0 => permute::hold::<Additive, u16>(p, of, &[7; 15]),
            Role::P1 => permute::permute(p, of, &[4, 2, 0, 1, 3].repeat(3)),
        };
        moved.and_then(|_| p.barrier())
    }),
    ("rotation", None, |p| {
        let of = Arrays { count: 3, len: 8, bits: 9 };
        let moved = match p.role() {
            Role::P0 => rotate::turn::<Bitwise, u16>(p, of, Shift::Cyclic, &[0, 7, 3]),
            Role::P1 => rotate::hold(p, of, Shift::Cyclic, &[7; 24]),
        };
        moved.and_then(|_| p.barrier())
    }),
    ("comparison by thermometers", None, |p| {
        let job = CompareJob { bits: 16, domain: CompareDomain::Near, plan: THERMOMETER };
        let (material, x) = (Comparison::prepare(p, job, BATCH)?, numbers(p, BATCH));
        material.ge(p, &x, &x).and_then(|_| p.barrier())
    }),
    ("comparison by lookups", None, |p| {
        let job = CompareJob { bits: 16, domain: CompareDomain::Signed, plan: LOOKUP };
        let (material, x) = (Comparison::prepare(p, job, BATCH)?, numbers(p, BATCH));
        material.ge(p, &x, &x).and_then(|_| p.barrier())
    }),
    ("comparison by one-hot vectors", None, |p| {
        let job = CompareJob { bits: 16, domain: CompareDomain::Near, plan: ONE_HOT };
        let (material, x) = (Comparison::prepare(p, job, BATCH)?, numbers(p, BATCH));
        material.ge(p, &x, &x).and_then(|_| p.barrier())
    }),
    ("equality by Hamming distance", None, |p| {
        let (material, x) = (HammingEquality::prepare(p, 16, BATCH)?, numbers(p, BATCH));
        material.eq(p, &x, &x).and_then(|_| p.barrier())
    }),
    ("intervals", None, |p| {
        let x = numbers(p, BATCH).low_bits::<u16>(10)?;
        Containment::prepare(p, 10, BATCH)?.inside(p, &x, &[3..9, 9..1000]).and_then(|_| p.barrier())
    }),
    ("shared tables", None, |p| {
        let (table, x) = (AShare::<u16>::new(9, vec![7; 8]), share(p.role(), 3, &[5; BATCH], SEED));
        let material = SharedTables::<Cyclic, Additive, u16>::prepare(p, 3, &table, BATCH)?;
        material.lookup(p, &x).and_then(|_| p.barrier())
    }),
    ("equality", None, |p| {
        let (material, x) = (Equality::prepare(p, 16, 4, BATCH)?, numbers(p, BATCH));
        material.eq(p, &x, &x).and_then(|_| p.barrier())
    }),
    ("relu", None, |p| {
        let job = CompareJob { bits: 16, domain: CompareDomain::Near, plan: THERMOMETER };
        let (material, x) = (Relu::prepare(p, job, BATCH)?, numbers(p, BATCH));
        material.relu(p, &x).and_then(|_| p.barrier())
    }),
    ("maximum", None, |p| {
        let job = CompareJob { bits: 16, domain: CompareDomain::Near, plan: THERMOMETER };
        let (material, x) = (VectorMaximum::with_index(p, job, 3, 4)?, numbers(p, 12));
        material.argmax(p, &x).and_then(|_| p.barrier())
    }),
    ("truncation", None, |p| {
        let (material, x) = (Truncation::prepare(p, 16, 5, BATCH)?, numbers(p, BATCH));
        material.truncate(p, &x).and_then(|_| p.barrier())
    }),
    ("faithful truncation", None, |p| {
        let (material, x) = (FaithfulTruncation::prepare(p, 16, 5, THERMOMETER, BATCH)?, numbers(p, BATCH));
        material.truncate(p, &x).and_then(|_| p.barrier())
    }),
    ("products", None, |p| {
        let (material, x) = (Multiplication::prepare(p, 16, BATCH)?, numbers(p, BATCH));
        material.multiply(p, &x, &x).and_then(|_| p.barrier())
    }),
    ("products by triples", None, |p| {
        let shape = MatrixShape { batch: 2, rows: 2, inner: 3, columns: 1 };
        let material = ProductTriples::random(p, 16, shape)?;
        let (x, y) = (numbers(p, shape.left()), numbers(p, shape.right()));
        material.multiply(p, &x, &y).and_then(|_| p.barrier())
    }),
    ("matrix product", None, |p| {
        let shape = MatrixShape { batch: 1, rows: 2, inner: 3, columns: 2 };
        let (x, y) = (numbers(p, shape.left()), numbers(p, shape.right()));
        MatrixProduct::prepare(p, MatrixJob::shared(shape, 16))?.multiply(p, &x, &y).and_then(|_| p.barrier())
    }),
    ("product with known numbers by a lattice", None, |p| {
        let shape = MatrixShape { batch: 1, rows: 2, inner: 3, columns: 2 };
        let map = LinearJob { shape: shape.into(), bits: 16, number_bits: 5, owner: Role::P1 };
        let known = if p.role() == map.owner { &[3; 6][..] } else { &[] };
        let material = LatticeProduct::prepare(p, &LatticeJob::new(map)?, known)?;
        let x = numbers(p, shape.left());
        material.multiply(p, &x).and_then(|_| p.barrier())
    }),
    ("product of shared numbers by a lattice", None, |p| {
        let shape = MatrixShape { batch: 1, rows: 2, inner: 3, columns: 2 };
        let job = LatticeTriplesJob::new(16, shape, Objective::Total)?;
        let material = ProductTriples::by_lattice(p, &job)?;
        let (x, y) = (numbers(p, shape.left()), numbers(p, shape.right()));
        material.multiply(p, &x, &y).and_then(|_| p.barrier())
    }),
    ("symmetric product", None, |p| {
        let (material, x) = (Gram::prepare(p, &GramJob::by_ots([2, 2, 3], 16)?)?, numbers(p, 12));
        material.multiply(p, &x).and_then(|_| p.barrier())
    }),
    ("symmetric product by a lattice", None, |p| {
        let job = GramJob::by_lattice([2, 2, 3], 16, Objective::Total)?;
        let (material, x) = (Gram::prepare(p, &job)?, numbers(p, 12));
        material.multiply(p, &x).and_then(|_| p.barrier())
    }),
    ("keys of a bit", None, |p| {
        let x = share(p.role(), 9, &[5; BATCH], SEED);
        let keys = Dpf::<Cyclic, Bitwise>::prepare_bit(p, 9, BATCH)?.at(p, &x)?;
        keys.eval(&[5; BATCH]).and_then(|_| p.barrier())
    }),
    ("lookups in a copy", None, |p| {
        let cipher = Cipher::LowMc;
        let job = CopyJob { owner: Role::P0, cipher, keys: Keys::Dense { bits: 9 }, row_bits: 20 };
        let owner = Owner::insecure_with_key(job, &[5, 400], &[77, 78], Block(9))?;
        let copy = match p.role() {
            Role::P0 => owner.send(p).map(|()| owner.copy().clone()),
            Role::P1 => EncryptedCopy::receive(p, job),
        }?;
        let held = if p.role() == Role::P0 { Held::Owner(&owner) } else { Held::Copy(&copy) };
        let x = share(p.role(), 9, &[5; BATCH], SEED);
        Lookups::prepare(p, job, BATCH)?.eval(p, held, &[wide(x)]).and_then(|_| p.barrier())
    }),
    ("lookups in a table sent whole", None, |p| {
        let job = SpLutJob { owner: Role::P1, keys: Keys::Dense { bits: 4 }, row_bits: 70 };
        let table = SpLutTable::new(job, &[5, 9], &[7, 1, 8, 2])?;
        let table = (p.role() == Role::P1).then_some(&table);
        let x = wide(share(p.role(), 4, &[5; BATCH], SEED));
        SpLutLookups::prepare(p, job, BATCH)?.eval(p, table, &x).and_then(|_| p.barrier())
    }),
    ("lookups by ids", None, |p| {
        let table =
            CopyJob { owner: Role::P0, cipher: Cipher::LowMc, keys: Keys::Dense { bits: 4 }, row_bits: 5 };
        let owned = PrivateTable::new(table, &[5, 9], &[7, 8])?;
        let owned = (p.role() == Role::P0).then_some(&owned);
        let x = wide(share(p.role(), 4, &[5, 9, 5], SEED));
        let job = ThinJob { table, distinct: false, pace: Pace::USUAL };
        ThinLookups::prepare(p, job, owned, 3)?.eval(p, &[x]).and_then(|_| p.barrier())
    }),
    ("lookups by ids in few rounds", None, |p| {
        let keys = Keys::Sparse { bits: 9, rows: 2, lookups: 3 };
        let table = CopyJob { owner: Role::P1, cipher: Cipher::Aes128, keys, row_bits: 5 };
        let owned = PrivateTable::new(table, &[5, 9], &[7, 8])?;
        let owned = (p.role() == Role::P1).then_some(&owned);
        let x = wide(share(p.role(), 9, &[5, 9, 5], SEED));
        let pace = Pace { lookups: true, radix: 8, order: order::Pace { phases: 1, compare: 2 } };
        let job = ThinJob { table, distinct: false, pace };
        ThinLookups::prepare(p, job, owned, 3)?.eval(p, &[x]).and_then(|_| p.barrier())
    }),
    ("a circuit with switching roles", None, |p| {
        let material = Switched::of(&forms::chain(2), &[None; 4])?.prepare(p, BATCH)?;
        material.eval(p, vec![Bits::new(BATCH, vec![5]); 4]).and_then(|_| p.barrier())
    }),
    ("keys of a comparison", None, |p| {
        let x = share(p.role(), 4, &[5; BATCH], SEED);
        let keys = Dcf::<Cyclic, Additive>::prepare(p, 4, &[AShare::new(33, vec![7; BATCH])])?.at(p, &x)?;
        keys.eval(End::At, &[5; BATCH]).and_then(|_| p.barrier())
    }),
    ("sigmoid", None, |p| {
        let domain = Some(Bounds { lo: -8.0, hi: 8.0 });
        let options = Options::default().domain(domain);
        let material = Evaluation::new(Function::Sigmoid, 24, 8, &options)?.prepare(p, BATCH)?;
        let x = fixed::shared(p.role(), &[0.5; BATCH], 24, 8, SEED)?;
        material.eval(p, &x).and_then(|_| p.barrier())
    }),
    ("sine of radians", None, |p| {
        let options = Options::default().method(Method::Angle);
        let material = Evaluation::new(Function::Sin, 24, 8, &options)?.prepare(p, BATCH)?;
        let x = fixed::shared(p.role(), &[0.5; BATCH], 24, 8, SEED)?;
        material.eval(p, &x).and_then(|_| p.barrier())
    }),
    ("softmax", None, |p| {
        let job = SoftmaxJob { rows: 1, ..SoftmaxJob::new(2, 37, 12) };
        let material = Softmax::prepare(p, job)?;
        let x = fixed::shared(p.role(), &[0.5, -1.0], 37, 12, SEED)?;
        material.eval(p, &x).and_then(|_| p.barrier())
    }),
];
