//! The online phases that are looked at: a batch of each family.

use std::{hint::black_box, sync::Arc};

use apps::{
    aes::expand,
    ids::{Ids, Rules, Set},
    join::{Column, Join},
    psi::{Learns, Psi},
};
use hushtable::{
    AShare, Party, Result, Role,
    arith::{
        AdditiveToXor, CompareDomain, CompareJob, ComparePlan, Comparison, Containment, DigitMethod,
        Equality, FaithfulTruncation, Fixed, HammingEquality, LatticeJob, LatticeProduct, LinearJob,
        MatrixShape, Maximum, Multiplication, Objective, ProductTriples, Relu, Truncation, XorToAdditive,
    },
    circuit::{Draft, Form, Lit, TruthTable},
    confidential::{
        copy::{CopyJob, Held, Keys, Lookups, Owner},
        prf::{Cipher, Key, Prf, PrfJob},
        splut::{SpLutJob, SpLutLookups, SpLutTable},
    },
    forms::{Layered, Switched},
    fss::{Dcf, Dpf, End},
    gates::{B2a, Bits, Mux},
    gc::{Ahead, Garbled, Garbler, Job, Program},
    lut::{
        LookupJob, Protocol, SharedTables, Table,
        flute::{Inputs, Lut},
    },
    math::{Bounds, Evaluation, Function, Gated, Gelu, GeluJob, Options, SinCos, Softmax, SoftmaxJob},
    onehot::{Cyclic, Group, Xor},
    oprf::{Oprf, OprfJob},
    share::{Additive, Bitwise, Kind, Share},
};
use prim::{block::Block, ring::Ring};

use crate::valgrind;

/// Prepares, calls the function when the online phase begins, and runs it.
pub type Phases = fn(&mut Party, fn(&mut Party) -> Result<()>) -> Result<()>;

/// Items of a batch: words with a rest, in one message.
const BATCH: usize = 70;

const THERMOMETER: ComparePlan = ComparePlan { method: DigitMethod::Thermometer, digit: 4 };
const LOOKUP: ComparePlan = ComparePlan { method: DigitMethod::Lookup, digit: 2 };
const ONE_HOT: ComparePlan = ComparePlan { method: DigitMethod::OneHot { join: 3 }, digit: 5 };

/// This party's shares, which are secret.
fn secret<K: Kind, R: Ring>(bits: u32, count: usize) -> Share<K, R> {
    let words = vec![R::from_u64(5); count];
    valgrind::secret(&words);
    Share::new(bits, words)
}

fn number(bits: u32, count: usize) -> AShare<u64> {
    secret(bits, count)
}

/// Lookups by every protocol that serves them.
fn lookups<G: Group, K: Kind>(p: &mut Party, online: fn(&mut Party) -> Result<()>) -> Result<()> {
    let table = Table::<u16>::tabulate(7, 11, |x| x * 31)?;
    let job = LookupJob::of::<G, K, u16>(&table)?;
    let serve = Protocol::ALL.into_iter().filter(|protocol| protocol.check(&job).is_ok());
    let serve = serve.filter(|protocol| *protocol != Protocol::Ottt); // its circuit is run offline, for minutes
    let material = serve.map(|protocol| protocol.prepare::<G, K, u16>(p, &table, BATCH));
    let material = material.collect::<Result<Vec<_>>>()?;
    online(p)?;
    material.into_iter().try_for_each(|m| m.lookup(p, &table, &secret(7, BATCH)).map(drop))
}

fn compared(
    p: &mut Party,
    online: fn(&mut Party) -> Result<()>,
    domain: CompareDomain,
    plan: ComparePlan,
) -> Result<()> {
    let material = Comparison::prepare(p, CompareJob { bits: 20, domain, plan }, BATCH)?;
    online(p)?;
    material.ge(p, &number(20, BATCH), &number(20, BATCH)).map(drop)
}

fn evaluated(
    p: &mut Party,
    online: fn(&mut Party) -> Result<()>,
    function: Function,
    bits: u32,
) -> Result<()> {
    let options = Options::default().domain(Bounds { lo: -8.0, hi: 8.0 });
    let material = Evaluation::new(function, bits, 8, &options)?.prepare(p, BATCH)?;
    online(p)?;
    material.eval(p, &Fixed::new(number(bits, BATCH), 8)?).map(drop)
}

/// Of numbers that may lie anywhere in the ring.
fn anywhere(p: &mut Party, online: fn(&mut Party) -> Result<()>) -> Result<()> {
    let end = 2f64.powi(36 - 8);
    let options = Options::default().range(Bounds { lo: -end, hi: end });
    let material = Evaluation::new(Function::Sigmoid, 37, 8, &options)?.prepare(p, BATCH)?;
    online(p)?;
    material.eval(p, &Fixed::new(number(37, BATCH), 8)?).map(drop)
}

/// This party's ids, hashed. Their salt is public, and what follows from an id only this party's own.
fn ids(p: &mut Party) -> Result<Ids> {
    let ids = Set::new(Rules::default(), (0..BATCH).map(|i| [(i * (2 + p.role() as usize)).to_string()]))?;
    let salted = ids.salted(p)?;
    valgrind::public(salted.blocks());
    Ok(salted)
}

/// The carry of two numbers of 8 bits, and the numbers looked up in a table if there is one. P0 knows the first bit.
fn circuit(table: Option<&Arc<TruthTable>>) -> (Form, Vec<Option<Role>>) {
    let mut d = Draft::new(16);
    let inputs = d.inputs();
    let mut outputs = vec![Lit::FALSE];
    for (x, y) in inputs[..8].iter().zip(&inputs[8..]) {
        let (a, b) = (d.xor(*x, outputs[0]), d.xor(*y, outputs[0]));
        let both = d.and(a, b);
        outputs[0] = d.xor(both, outputs[0]).negate_if(true);
    }
    if let Some(table) = table {
        let first = d.lookup(table, &inputs[..8]);
        outputs.extend(d.lookup(table, &first));
    }
    let known = (0..16).map(|i| (i == 0).then_some(Role::P0)).collect();
    (d.finish("ands", outputs), known)
}

/// This party's shares of a circuit's inputs.
fn planes(inputs: usize) -> Vec<Bits> {
    let words = || secret::<Bitwise, u64>(64, BATCH.div_ceil(64)).words().to_vec();
    (0..inputs).map(|_| Bits::new(BATCH, words())).collect()
}

/// All of them, by name.
pub const JOBS: &[(&str, Phases)] = &[
    ("lookups, additive index and output", lookups::<Cyclic, Additive>),
    ("lookups, additive index, XOR output", lookups::<Cyclic, Bitwise>),
    ("lookups, XOR index, additive output", lookups::<Xor, Additive>),
    ("lookups, XOR index and output", lookups::<Xor, Bitwise>),
    ("tables at masked wires", |p, online| {
        let inputs = Inputs::draw(p, 4, BATCH)?;
        let first = Lut::prepare(p, inputs.masks(), 4)?;
        let second = Lut::prepare(p, first.output(), 9)?;
        online(p)?;
        let wires = inputs.mask(p, &secret::<Bitwise, u8>(4, BATCH))?;
        let between = first.lookup(p, &Table::<u8>::tabulate(4, 4, |x| x ^ 6)?, &wires)?;
        let y = second.lookup(p, &Table::<u16>::tabulate(4, 9, |x| x * 31)?, &between)?;
        y.to_share::<u16>(p.role()).map(drop)
    }),
    ("comparison by thermometers", |p, online| compared(p, online, CompareDomain::Near, THERMOMETER)),
    ("comparison by lookups", |p, online| compared(p, online, CompareDomain::Signed, LOOKUP)),
    ("comparison by one-hot vectors", |p, online| compared(p, online, CompareDomain::Near, ONE_HOT)),
    ("equality by Hamming distance", |p, online| {
        let material = HammingEquality::prepare(p, 20, BATCH)?;
        online(p)?;
        material.eq(p, &number(20, BATCH), &number(20, BATCH)).map(drop)
    }),
    ("intervals", |p, online| {
        let intervals = Containment::prepare(p, 10, BATCH)?;
        online(p)?;
        intervals.inside(p, &number(10, BATCH), &[3..9, 9..1000]).map(drop)
    }),
    ("keys of points and of comparisons", |p, online| {
        let points = Dpf::<Xor, Additive>::prepare(p, 9, &[secret(40, BATCH)])?;
        let below = Dcf::<Cyclic, Additive>::prepare(p, 10, &[secret(16, BATCH)])?;
        online(p)?;
        let points = points.at(p, &secret(9, BATCH))?;
        points.eval(&[300; BATCH])?;
        points.eval_range(5..300, |_, _, _| ())?;
        below.at(p, &secret(10, BATCH))?.eval(End::At, &[300; BATCH]).map(drop)
    }),
    ("sine and cosine", |p, online| {
        let options = Options::default().objective(Objective::Rounds);
        let short = SinCos::new(Function::SinPi, 16, 9, &options)?.prepare(p, BATCH)?;
        let long = SinCos::new(Function::Sin, 32, 12, &Options::default())?.prepare(p, BATCH)?;
        online(p)?;
        short.eval(p, &Fixed::new(number(16, BATCH), 9)?)?;
        long.eval(p, &Fixed::new(number(32, BATCH), 12)?).map(drop)
    }),
    ("shared tables", |p, online| {
        let table = secret::<Additive, u16>(13, 16);
        let material = SharedTables::<Cyclic, Additive, u16>::prepare(p, 4, &table, BATCH)?;
        online(p)?;
        material.lookup(p, &number(4, BATCH)).map(drop)
    }),
    ("equality", |p, online| {
        let material = Equality::prepare(p, 20, 4, BATCH)?;
        online(p)?;
        material.eq(p, &number(20, BATCH), &number(20, BATCH)).map(drop)
    }),
    ("relu", |p, online| {
        let job = CompareJob { bits: 20, domain: CompareDomain::Near, plan: THERMOMETER };
        let material = Relu::prepare(p, job, BATCH)?;
        online(p)?;
        material.relu(p, &number(20, BATCH)).map(drop)
    }),
    ("truncation", |p, online| {
        let safe = Truncation::prepare(p, 20, 7, BATCH)?;
        let material = FaithfulTruncation::prepare(p, 20, 7, THERMOMETER, BATCH)?;
        online(p)?;
        safe.truncate(p, &number(20, BATCH))?;
        material.truncate(p, &number(20, BATCH)).map(drop)
    }),
    ("products", |p, online| {
        let shape = MatrixShape { batch: 4, rows: 2, inner: 3, columns: 1 };
        let triples = ProductTriples::random(p, 16, shape)?;
        let product = Multiplication::prepare(p, 16, BATCH)?;
        online(p)?;
        product.multiply(p, &number(16, BATCH), &number(16, BATCH))?;
        triples.multiply(p, &number(16, shape.left()), &number(16, shape.right())).map(drop)
    }),
    ("selection, larger numbers, conversion of bits and numbers", |p, online| {
        let job = CompareJob { bits: 20, domain: CompareDomain::Near, plan: THERMOMETER };
        let (select, larger) = (Mux::prepare(p, BATCH, &[9, 20])?, Maximum::prepare(p, job, BATCH)?);
        let convert = B2a::prepare(p, 31, BATCH)?;
        let additive = AdditiveToXor::prepare(p, 31, BATCH)?;
        let numbers = XorToAdditive::prepare(p, [9, 31], BATCH)?;
        online(p)?;
        let bits = Bits::collect(secret::<Bitwise, u64>(1, BATCH).words().iter().copied());
        select.select_all(p, &bits, &[&number(9, BATCH), &number(20, BATCH)])?;
        larger.max(p, &number(20, BATCH), &number(20, BATCH))?;
        convert.convert::<u32>(p, &bits)?;
        additive.bits(p, &number(31, BATCH))?;
        numbers.signed(p, &secret::<Bitwise, u64>(9, BATCH)).map(drop)
    }),
    ("GELU", |p, online| {
        let job = GeluJob { batch: BATCH, ..GeluJob::new(32, 12) };
        let material = Gelu::prepare(p, job)?;
        online(p)?;
        material.eval(p, &Fixed::new(number(32, BATCH), 12)?).map(drop)
    }),
    ("SiLU", |p, online| {
        let job = GeluJob { batch: BATCH, function: Gated::Silu, ..GeluJob::new(32, 12) };
        let material = Gelu::prepare(p, job)?;
        online(p)?;
        material.eval(p, &Fixed::new(number(32, BATCH), 12)?).map(drop)
    }),
    ("function by a table", |p, online| evaluated(p, online, Function::Tanh, 13)),
    ("function by pieces", |p, online| evaluated(p, online, Function::Sigmoid, 37)),
    ("function of numbers anywhere", anywhere),
    ("softmax", |p, online| {
        let job = SoftmaxJob { rows: 2, ..SoftmaxJob::new(4, 37, 12) };
        let material = Softmax::prepare(p, job)?;
        online(p)?;
        material.eval(p, &Fixed::new(number(37, 8), 12)?).map(drop)
    }),
    // With keys, ciphertexts, products, packing and responses, which are made before there are inputs.
    ("known matrix by a lattice", |p, online| {
        let shape = MatrixShape { batch: 1, rows: 8, inner: 32, columns: 4 };
        let job = LinearJob { shape: shape.into(), bits: 20, number_bits: 9, owner: Role::P1 };
        let numbers = vec![-3i64; if p.role() == Role::P1 { shape.right() } else { 0 }];
        valgrind::secret(&numbers);
        online(p)?;
        let material = LatticeProduct::prepare(p, &LatticeJob::new(job)?, &numbers)?;
        material.multiply(p, &number(20, shape.left())).map(drop)
    }),
    ("VOLE", |p, online| {
        p.stock_cots(64 * BATCH, 64 * BATCH)?;
        online(p)?;
        match p.role() {
            Role::P0 => p.send_voles(BATCH).map(drop),
            Role::P1 => p.receive_voles(BATCH).map(drop),
        }
    }),
    ("function of shared inputs", |p, online| {
        let material = Cipher::ALL.into_iter().map(|cipher| {
            let job = PrfJob { cipher, owner: Role::P0, input_bits: 40, output_bits: 150 };
            Prf::prepare(p, job, BATCH)
        });
        let material = material.collect::<Result<Vec<_>>>()?;
        let secret_key = [7u128];
        valgrind::secret(&secret_key);
        online(p)?;
        let x = Bits::from_share(&secret::<Bitwise, u64>(40, BATCH));
        for (cipher, material) in Cipher::ALL.into_iter().zip(material) {
            let key = (p.role() == Role::P0).then(|| Key::of(cipher, Block(black_box(secret_key)[0])));
            material.eval(p, key.as_ref(), &x)?;
        }
        Ok(())
    }),
    ("key expansion of AES", |p, online| {
        let secret_key = [7u8; 32];
        valgrind::secret(&secret_key);
        online(p)?;
        [16, 24, 32].iter().try_for_each(|len| expand(&black_box(secret_key)[..*len]).map(drop))
    }),
    ("lookups in a private table", |p, online| {
        let tables = [
            Keys::Dense { bits: 15 },
            Keys::Changing { bits: 3, updates: 2 },
            Keys::Sparse { bits: 40, rows: 90, lookups: 1 << 13 },
        ];
        // What the owner encrypted, and the copy, are there before the session.
        let tables = tables.map(|keys| {
            let job = CopyJob { owner: Role::P1, cipher: Cipher::LowMc, keys, row_bits: 90 };
            Owner::insecure_with_key(job, &[1, 5], &[3, 4, 5, 6], Block(9))
        });
        let tables = tables.into_iter().collect::<Result<Vec<_>>>()?;
        let material = tables.iter().map(|owner| Lookups::prepare(p, *owner.copy().job(), BATCH));
        let material = material.collect::<Result<Vec<_>>>()?;
        online(p)?;
        for (owner, material) in tables.iter().zip(material) {
            let held = if p.role() == Role::P1 { Held::Owner(owner) } else { Held::Copy(owner.copy()) };
            material.eval(p, held, &[secret(owner.copy().job().keys.bits(), BATCH)])?;
        }
        Ok(())
    }),
    ("lookups in a private table sent whole", |p, online| {
        let job = SpLutJob { owner: Role::P1, keys: Keys::Dense { bits: 5 }, row_bits: 90 };
        let rows = [3, 4, 5, 6];
        let table = (p.role() == Role::P1).then(|| SpLutTable::new(job, &[1, 5], &rows)).transpose();
        let material = SpLutLookups::prepare(p, job, BATCH)?;
        online(p)?;
        material.eval(p, table?.as_ref(), &secret(5, BATCH)).map(drop)
    }),
    ("circuits by triples and lookups", |p, online| {
        let table = TruthTable::tabulate(8, 8, |x| (x * 31) & 255).expect("a table");
        let (form, known) = circuit(Some(&Arc::new(table)));
        let by = [Protocol::Doubling, Protocol::OpLut].map(|by| Layered::of(&form, &known, |_| Ok(by)));
        let by = by.into_iter().map(|layered| layered?.prepare(p, BATCH)).collect::<Result<Vec<_>>>()?;
        let switching = Switched::of(&form, &known)?.prepare(p, BATCH)?;
        online(p)?;
        by.into_iter().try_for_each(|layers| layers.eval(p, planes(16)).map(drop))?;
        switching.eval(p, planes(16)).map(drop)
    }),
    ("garbled circuits", |p, online| {
        let (form, known) = circuit(None);
        let job = Job::new(&Program::new(&form)?, known, BATCH, Garbler::Both)?;
        let (garbled, ahead) = (Garbled::prepare(p, &job)?, Ahead::prepare(p, &job)?);
        online(p)?;
        garbled.eval(p, planes(16))?;
        ahead.eval(p, planes(16)).map(drop)
    }),
    ("pseudo-random function", |p, online| {
        let job = OprfJob { receiver: Role::P0, keys: BATCH, inputs: BATCH, blocks: 2 };
        let material = Oprf::prepare(p, job)?;
        online(p)?;
        material.eval(p, &(0..BATCH as u128).map(Block).collect::<Vec<_>>()).map(drop)
    }),
    ("intersection", |p, online| {
        let material = Psi::new([BATCH; 2], Learns::Both)?.prepare(p)?;
        let ids = ids(p)?;
        online(p)?;
        material.find(p, &ids).map(drop)
    }),
    ("join", |p, online| {
        let columns = [Column::additive(40), Column::bitwise(5)];
        let material = Join::new(Role::P0, [BATCH; 2], &columns, &[20])?.prepare(p)?;
        let ids = ids(p)?;
        online(p)?;
        let words = number(40, BATCH);
        let mine: &[&[u64]] = if p.role() == Role::P0 { &[words.words()] } else { &[words.words(); 2] };
        material.run(p, &ids, mine).map(drop)
    }),
];
