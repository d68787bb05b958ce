//! Golden transcripts: everything both parties send in a fixed seeded run of each protocol, hashed
//! and compared with `data/wire.txt`.
//!
//! A difference means that this version cannot talk to the last one. If that is meant, run
//! `UPDATE_WIRE=1 cargo test -p hushtable --test all wire::`, say so in the changelog under "Wire" and raise
//! `net::WIRE_VERSION`.

use crate::support::{forms, pairs, transcripts};
use crate::{
    wire_functions, wire_joins,
    wire_keys::{
        by_ids, function, in_copy, in_few_rounds, keys_below, keys_of_a_bit, ordered, sent_whole, shuffled,
        spread,
    },
    wire_products,
};

use std::path::Path;

use hushtable::{
    AShare, BShare, Party, Result, Role,
    arith::{
        AdditiveToXor, CompareDomain, CompareJob, ComparePlan, Decomposition, DigitMethod, Equality,
        FaithfulTruncation, Fixed, HammingEquality, MatrixShape, Millionaires, Multiplication, Objective,
        ProductTriples, Relu, Sides, SidesJob, SmallProducts, Truncation, XorToAdditive,
    },
    circuit::Draft,
    confidential::{copy::Keys, prf::Cipher},
    forms::Switched,
    gates::{B2a, Bits, DaBits, Mux, Triples, and, and_shared},
    gc::{Ahead, Garbled, Garbler, Job, Program},
    lut::{
        SharedTables, Table,
        arithmetic::Arithmetic,
        flute::Flute,
        oplut::OpLut,
        ottt::Ottt,
        read::{Read, many, polynomial},
        splut::SpLut,
    },
    math::{Affine, Gated, Gelu, GeluJob, Norm, Precision, Reciprocal, ReciprocalJob, Softmax, SoftmaxJob},
    onehot::{Cyclic, Group, OneHot, Xor},
    ot::Scheme,
    permutation::{Arrays, permute, rotate},
    share::{Additive, Share},
};
use pairs::share;
use prim::{ring::Ring, rows::Shift};
use transcripts::{Protocol, SEED};

/// Majorities of a shared bit and of one of each party's.
fn garbled(p: &mut Party, ahead: bool) -> Result<()> {
    let mut d = Draft::new(3);
    let [x, y, z] = [0, 1, 2].map(|i| d.input(i));
    let (xz, yz) = (d.xor(x, z), d.xor(y, z));
    let both = d.and(xz, yz);
    let most = d.xor(both, z);
    let program = Program::new(&d.finish("ands", vec![most]))?;
    let job = Job::new(&program, vec![None, Some(Role::P0), Some(Role::P1)], 35, Garbler::Both)?;
    let inputs = vec![Bits::new(35, vec![0x1234_5678]); 3];
    match ahead {
        true => Ahead::prepare(p, &job)?.eval(p, inputs),
        false => Garbled::prepare(p, &job)?.eval(p, inputs),
    }
    .map(drop)
}

/// Name, OT extension, protocol. Each runs after a set-up of its own, which is not in its hash.
pub const PROTOCOLS: &[(&str, Option<Scheme>, Protocol)] = &[
    ("set-up", None, |_| Ok(())),
    ("set-up-iknp", Some(Scheme::Iknp), |_| Ok(())),
    ("softspoken", None, |p| p.cots(9000, 9000).map(drop)),
    ("iknp", Some(Scheme::Iknp), |p| p.cots(9000, 9000).map(drop)),
    ("softspoken-2", Some(Scheme::SoftSpoken2), |p| p.cots(9000, 9000).map(drop)),
    ("softspoken-8", Some(Scheme::SoftSpoken8), |p| p.cots(9000, 9000).map(drop)),
    ("ferret-s", Some(Scheme::Ferret), |p| p.cots(150_000, 150_000).map(drop)),
    ("ferret-m", Some(Scheme::Ferret), |p| p.cots(300_000, 300_000).map(drop)),
    ("rotl-cyclic", None, |p| OneHot::<Cyclic>::rotl(p, 3, 11).map(drop)),
    ("rotl-xor", None, |p| OneHot::<Xor>::rotl(p, 8, 3).map(drop)),
    ("doubling-cyclic", None, |p| OneHot::<Cyclic>::doubling(p, 5, 11).map(drop)),
    ("doubling-xor", None, |p| OneHot::<Xor>::doubling(p, 8, 3).map(drop)),
    ("tree-cyclic", None, |p| OneHot::<Cyclic>::tree(p, 9, 35).map(drop)),
    ("tree-xor", None, |p| OneHot::<Xor>::tree(p, 14, 3).map(drop)),
    ("keys-bit-cyclic", None, |p| keys_of_a_bit::<Cyclic>(p)),
    ("keys-bit-xor", None, |p| keys_of_a_bit::<Xor>(p)),
    ("keys-below-cyclic", None, |p| keys_below::<Cyclic>(p)),
    ("keys-below-xor", None, |p| keys_below::<Xor>(p)),
    ("function-aes", None, |p| function(p, Cipher::Aes128)),
    ("function-lowmc", None, |p| function(p, Cipher::LowMc)),
    ("lookups-in-copy", None, |p| in_copy(p, Keys::Dense { bits: 9 })),
    ("lookups-in-sparse-copy", None, |p| in_copy(p, Keys::Sparse { bits: 40, rows: 100, lookups: 1 << 13 })),
    ("sent-whole", None, |p| sent_whole(p, Keys::All { bits: 4 })),
    ("lookups-by-ids", None, |p| by_ids(p, Keys::Dense { bits: 9 }, false)),
    ("lookups-by-ids-distinct", None, |p| by_ids(p, Keys::Dense { bits: 9 }, true)),
    ("lookups-by-ids-sparse", None, |p| by_ids(p, Keys::Sparse { bits: 40, rows: 100, lookups: 11 }, false)),
    ("lookups-by-ids-in-few-rounds", None, in_few_rounds),
    ("garbled", None, |p| garbled(p, false)),
    ("garbled-ahead", None, |p| garbled(p, true)),
    ("switching-roles", None, |p| {
        let material = Switched::of(&forms::chain(3), &[None; 4])?.prepare(p, 11)?;
        material.eval(p, vec![Bits::new(11, vec![0x123]); 4]).map(drop)
    }),
    ("shuffle", None, shuffled),
    ("order", None, ordered),
    ("spread", None, spread),
    ("permutation", None, permutation),
    ("rotation", None, |p| rotation(p, true)),
    ("rotation-random", None, |p| rotation(p, false)),
    ("staged-cyclic", None, |p| OneHot::<Cyclic>::staged(p, 8, 11).map(drop)),
    ("staged-xor", None, |p| OneHot::<Xor>::staged(p, 7, 3).map(drop)),
    ("arithmetic-cyclic", None, |p| arithmetic::<Cyclic, u64>(p, 8, 64)),
    ("arithmetic-xor", None, |p| arithmetic::<Xor, u16>(p, 5, 13)),
    ("balanced-cyclic", None, |p| OneHot::<Cyclic>::balanced(p, 5, 11).map(drop)),
    ("balanced-xor", None, |p| OneHot::<Xor>::balanced(p, 8, 3).map(drop)),
    ("flute-plus-cyclic", None, |p| OneHot::<Cyclic>::flute_plus(p, 5, 11).map(drop)),
    ("flute-plus-xor", None, |p| OneHot::<Xor>::flute_plus(p, 8, 3).map(drop)),
    ("flute", None, flute),
    ("lookup-xor-output", None, |p| read::<Cyclic>(p, false)),
    ("lookup-additive-output", None, |p| read::<Xor>(p, true)),
    ("lookup-folded", None, folded),
    ("lookup-many-xor-output", None, |p| many(p, false)),
    ("lookup-many-additive-output", None, |p| many(p, true)),
    ("splut-cyclic", None, splut::<Cyclic>),
    ("splut-xor", None, splut::<Xor>),
    ("splut-any-length", None, splut_any),
    ("oplut-cyclic", None, oplut::<Cyclic>),
    ("oplut-xor", None, oplut::<Xor>),
    ("ottt-cyclic", None, ottt::<Cyclic>),
    ("ottt-xor", None, ottt::<Xor>),
    ("splut-kk13-xor", None, |p| SpLut::<Xor>::prepare_kk13(p, 256, 9000).map(drop)),
    ("splut-kk13-any-length", None, splut_kk13),
    ("and", None, ands),
    ("mux", None, select),
    ("bits-to-additive", None, to_additive),
    ("numbers-to-additive", None, |p| {
        XorToAdditive::prepare(p, [9, 20], 11)?.signed(p, &BShare::new(9, vec![300; 11])).map(drop)
    }),
    ("numbers-to-bits", None, |p| {
        AdditiveToXor::prepare(p, 9, 11)?.bits(p, &AShare::<u64>::new(9, vec![300; 11])).map(drop)
    }),
    ("compare-thermometer", None, |p| compared(p, DigitMethod::Thermometer, 4)),
    ("compare-lookup", None, |p| compared(p, DigitMethod::Lookup, 2)),
    ("compare-one-hot", None, |p| compared(p, DigitMethod::OneHot { join: 3 }, 5)),
    ("equal", None, equal),
    ("equal-hamming", None, |p| HammingEquality::prepare(p, 20, 11)?.eq(p, &word(20), &word(20)).map(drop)),
    ("shared-tables-cyclic", None, shared_tables::<Cyclic>),
    ("shared-tables-xor", None, shared_tables::<Xor>),
    ("sides", None, sides),
    ("polynomial", None, polynomial),
    ("multiply", None, |p| Multiplication::prepare(p, 20, 11)?.multiply(p, &word(20), &word(20)).map(drop)),
    ("multiply-triples", None, triples),
    ("truncate", None, |p| Truncation::prepare(p, 20, 7, 11)?.truncate(p, &word(20)).map(drop)),
    ("truncate-faithful", None, truncated),
    ("digits", None, |p| Decomposition::prepare(p, 20, 3, 11)?.digits(p, &word(20)).map(drop)),
    ("relu", None, |p| rectified(p, 20)),
    ("relu-within", None, |p| rectified(p, 15)),
    ("times-sum", None, |p| SmallProducts::prepare(p, 3, 11)?.times_sum(p, &word(20), &[5; 11]).map(drop)),
    ("times-both", None, |p| {
        SmallProducts::prepare(p, 3, 11)?.times_both(p, &word(20), &[5; 11], 8, 2).map(drop)
    }),
    ("known-matrix", None, wire_products::known_matrix),
    ("known-matrix-lattice", None, wire_products::by_lattice),
    ("linear-layer", None, |p| wire_products::layer(p, 1)),
    ("linear-layer-lattice", None, |p| wire_products::layer(p, 16)),
    ("multiply-triples-lattice", None, wire_products::triples_by_lattice),
    ("symmetric-product", None, wire_products::symmetric),
    ("symmetric-product-lattice", None, wire_products::symmetric_by_lattice),
    ("reciprocal", None, reciprocal),
    ("softmax", None, |p| softmax(p, Precision::Fine, None)),
    ("softmax-within", None, |p| softmax(p, Precision::Network, Some(6))),
    ("gelu", None, |p| gelu(p, GeluJob::new(37, 12))),
    ("silu", None, |p| gelu(p, GeluJob { function: Gated::Silu, ..GeluJob::new(37, 12) })),
    ("silu-within", None, |p| {
        let (function, precision, magnitude) = (Gated::Silu, Precision::Network, Some(6));
        gelu(p, GeluJob { function, precision, magnitude, ..GeluJob::new(37, 12) })
    }),
    ("gelu-table", None, |p| {
        let (range, objective) = (Some([-20_000, 12_767]), Objective::Rounds);
        Gelu::prepare(p, GeluJob { batch: 6, range, objective, ..GeluJob::new(37, 12) })?
            .eval(p, &numbers()?)
            .map(drop)
    }),
    ("layer-norm", None, layer_norm),
];

/// 11 shares of 20 bits.
fn word(bits: u32) -> AShare<u32> {
    AShare::new(bits, vec![4444; 11])
}

fn compared(p: &mut Party, method: DigitMethod, digit: u32) -> Result<()> {
    Millionaires::prepare(p, 31, ComparePlan { method, digit }, 11)?.less(p, &[4444; 11]).map(drop)
}

fn equal(p: &mut Party) -> Result<()> {
    Equality::prepare(p, 20, 4, 11)?.eq(p, &word(20), &word(20)).map(drop)
}

fn sides(p: &mut Party) -> Result<()> {
    let job = SidesJob::sides(20, 1000, Objective::Total)?;
    Sides::prepare(p, job, 11)?.sides(p, &word(20)).map(drop)
}

/// Of degree 2 over 8 pieces of 16 numbers.
fn polynomial(p: &mut Party) -> Result<()> {
    let shape = polynomial::PolynomialShape { degree: 2, bits: 4, ring: 20, cut: 0, carry: false };
    let material = OneHot::<Cyclic>::tree(p, 3, 11)?.polynomial(p, shape)?;
    let table = Table::vector(20, vec![(0..8).collect::<Vec<u32>>(); 3])?;
    let x = AShare::new(3, vec![5; 11]);
    material.eval(p, &table, &x, &[9; 11]).map(drop)
}

/// 3 products of 2 x 3 and 3 x 1 numbers.
fn triples(p: &mut Party) -> Result<()> {
    let triples = ProductTriples::random(p, 13, MatrixShape { batch: 3, rows: 2, inner: 3, columns: 1 })?;
    let of = |count| AShare::<u16>::new(13, vec![4444; count]);
    triples.multiply(p, &of(18), &of(9)).map(drop)
}

fn truncated(p: &mut Party) -> Result<()> {
    let plan = ComparePlan { method: DigitMethod::Thermometer, digit: 4 };
    FaithfulTruncation::prepare(p, 20, 7, plan, 11)?.truncate(p, &word(20)).map(drop)
}

/// In a ring of 20 bits, of numbers that fit `bits`.
fn rectified(p: &mut Party, bits: u32) -> Result<()> {
    let plan = ComparePlan { method: DigitMethod::Thermometer, digit: 3 };
    let job = CompareJob { bits, domain: CompareDomain::Near, plan };
    Relu::within(p, job, 20, 11)?.relu(p, &word(20)).map(drop)
}

/// 6 numbers with 12 bits behind the point.
fn numbers() -> Result<Fixed<u64>> {
    Fixed::new(AShare::new(37, vec![4444; 6]), 12)
}

fn reciprocal(p: &mut Party) -> Result<()> {
    let job = ReciprocalJob { bits: 37, scale: 12, scale_out: 12, bounds: [1.0, 9.0], dividend: 0.0 };
    Reciprocal::prepare(p, job, 6)?.eval(p, &numbers()?).map(drop)
}

fn softmax(p: &mut Party, precision: Precision, magnitude: Option<u32>) -> Result<()> {
    let job = SoftmaxJob { rows: 2, precision, magnitude, ..SoftmaxJob::new(3, 37, 12) };
    Softmax::prepare(p, job)?.eval(p, &numbers()?).map(drop)
}

fn gelu(p: &mut Party, job: GeluJob) -> Result<()> {
    Gelu::prepare(p, GeluJob { batch: 6, objective: Objective::Bytes, ..job })?.eval(p, &numbers()?).map(drop)
}

/// With gains of P1's.
fn layer_norm(p: &mut Party) -> Result<()> {
    let gains = match p.role() {
        Role::P0 => Affine::of_peer(Role::P0, 3),
        Role::P1 => Affine::own(Role::P1, vec![1.5; 3], vec![0.5; 3]),
    };
    Norm::prepare(p, wire_functions::norm(Some(Role::P1)), &gains)?.eval(p, &numbers()?).map(drop)
}

/// 5 arrays of 6 entries of 13 bits, reversed, held by P1.
fn permutation(p: &mut Party) -> Result<()> {
    let of = Arrays { count: 5, len: 6, bits: 13 };
    match p.role() {
        Role::P0 => permute::permute::<Additive, u16>(p, of, &[5, 4, 3, 2, 1, 0].repeat(5)).map(drop),
        Role::P1 => permute::hold::<Additive, u16>(p, of, &[8000; 30]).map(drop),
    }
}

/// 5 arrays of 8 entries of 13 bits, held by P0.
fn rotation(p: &mut Party, chosen: bool) -> Result<()> {
    let (of, shift, x) = (Arrays { count: 5, len: 8, bits: 13 }, Shift::Cyclic, [8000; 40]);
    match (p.role(), chosen) {
        (Role::P0, true) => rotate::hold::<Additive, u16>(p, of, shift, &x).map(drop),
        (Role::P0, false) => rotate::hold_random::<Additive, u16>(p, of, shift, &x).map(drop),
        (Role::P1, true) => rotate::turn::<Additive, u16>(p, of, shift, &[3; 5]).map(drop),
        (Role::P1, false) => rotate::turn_random::<Additive, u16>(p, of, shift).map(drop),
    }
}

/// From a one-hot, 11 indices, 2 columns of 13 bits.
fn read<G: Group>(p: &mut Party, additive: bool) -> Result<()> {
    let column: Vec<u16> = (0..16).map(|x| x * 511).collect();
    let table = Table::vector(13, vec![column.clone(), column])?;
    let x: Share<G::Kind, u32> = share(p.role(), 4, &[7; 11], SEED);
    let onehot = OneHot::<G>::rotl(p, 4, 11)?;
    match additive {
        false => onehot.lookup_xor_all(p, &[&table], &x).map(drop),
        true => onehot.signed(p, &[13, 13])?.lookup_all(p, &[&table], &x).map(drop),
    }
}

fn folded(p: &mut Party) -> Result<()> {
    let table = Table::<u16>::tabulate(4, 13, |x| x * 511)?;
    let (x, u) = (share(p.role(), 4, &[7; 11], SEED), AShare::<u16>::new(13, vec![4444; 11]));
    let material = OneHot::<Cyclic>::rotl(p, 4, 11)?.signed(p, &[13])?;
    material.lookup_folded(p, &[&table], &x, &[&u]).map(drop)
}

/// Two lookups at once: 11 indices of 4 bits, 5 of 3.
fn many(p: &mut Party, additive: bool) -> Result<()> {
    let tables = [Table::<u16>::tabulate(4, 13, |x| x * 511)?, Table::tabulate(3, 5, |x| x)?];
    let tables = [[&tables[0]], [&tables[1]]];
    let (x, y) = (share(p.role(), 4, &[7; 11], SEED), share(p.role(), 3, &[6; 5], SEED));
    let (a, b) = (OneHot::<Cyclic>::rotl(p, 4, 11)?, OneHot::<Cyclic>::doubling(p, 3, 5)?);
    if !additive {
        let first = Read { material: a, tables: &tables[0], x: &x };
        return many::lookup_xor(p, vec![first, Read { material: b, tables: &tables[1], x: &y }]).map(drop);
    }
    let mut signed = many::signed(p, vec![(a, &[13]), (b, &[5])])?.into_iter();
    let mut next = |tables, x| Read { material: signed.next().expect("one of two"), tables, x };
    let reads = vec![next(&tables[0], &x), next(&tables[1], &y)];
    many::lookup(p, reads).map(drop)
}

/// 11 lookups.
fn arithmetic<G: Group, R: Ring>(p: &mut Party, n: u32, bits: u32) -> Result<()> {
    let x = share(p.role(), n, &[7; 11], SEED);
    let table = Table::<R>::tabulate(n, bits, |x| x * 511)?;
    Arithmetic::<G, R>::prepare(p, n, bits, 11)?.lookup(p, &table, &x).map(drop)
}

fn splut<G: Group>(p: &mut Party) -> Result<()> {
    let x = share(p.role(), 4, &[7; 11], SEED);
    SpLut::<G>::prepare(p, 16, 11)?.lookup(p, &Table::<u16>::tabulate(4, 13, |x| x * 511)?, &x).map(drop)
}

fn splut_any(p: &mut Party) -> Result<()> {
    let table = Table::<u16>::new(13, (0..13).map(|x| x * 511).collect())?;
    SpLut::<Cyclic>::prepare(p, 13, 11)?.lookup_mod_xor(p, &table, &[5; 11]).map(drop)
}

fn shared_tables<G: Group>(p: &mut Party) -> Result<()> {
    let table = Share::<G::Kind, u16>::new(13, vec![4444; 16]);
    let x: Share<G::Kind, u32> = share(p.role(), 4, &[7; 11], SEED);
    SharedTables::<G, G::Kind, u16>::prepare(p, 4, &table, 11)?.lookup(p, &x).map(drop)
}

fn flute(p: &mut Party) -> Result<()> {
    let (x, table) = (share(p.role(), 4, &[7; 11], SEED), Table::<u16>::tabulate(4, 13, |x| x * 511)?);
    Flute::prepare(p, 4, 13, 11)?.lookup_xor(p, &table, &x).map(drop)
}

fn ands(p: &mut Party) -> Result<()> {
    let (x, y) = (Bits::random(p, 70), Bits::random(p, 70));
    let (one, two) = (Triples::random(p, 70)?, Triples::shared(p, 70, 2)?);
    and(p, one, &x, &y)?;
    and_shared(p, two, &x, &[&y, &x]).map(drop)
}

fn select(p: &mut Party) -> Result<()> {
    let b = Bits::random(p, 70);
    let x = share::<Additive>(p.role(), 9, &[5; 70], SEED);
    Mux::prepare(p, 70, &[9])?.select(p, &b, &x).map(drop)
}

fn to_additive(p: &mut Party) -> Result<()> {
    let b = Bits::random(p, 70);
    B2a::prepare(p, 13, 70)?.convert::<u16>(p, &b)?;
    DaBits::<u16>::random(p, 13, 70)?.convert(p, &b).map(drop)
}

fn ottt<G: Group>(p: &mut Party) -> Result<()> {
    let (table, x) = (Table::<u16>::tabulate(4, 5, |x| x * 511)?, share(p.role(), 4, &[7; 11], SEED));
    Ottt::<G, u16>::prepare(p, &table, 11)?.lookup_xor(p, &x).map(drop)
}

fn oplut<G: Group>(p: &mut Party) -> Result<()> {
    let (table, x) = (Table::<u16>::tabulate(4, 13, |x| x * 511)?, share(p.role(), 4, &[7; 11], SEED));
    OpLut::<G, G::Kind, u16>::prepare(p, &table, 11)?.lookup(p, &x).map(drop)
}

fn splut_kk13(p: &mut Party) -> Result<()> {
    let table = Table::<u16>::new(13, (0..13).map(|x| x * 511).collect())?;
    SpLut::<Cyclic>::prepare_kk13(p, 13, 11)?.lookup_mod(p, &table, &[5; 11]).map(drop)
}

#[test]
fn every_protocol_sends_what_it_sent_before() {
    let numbers = wire_functions::PROTOCOLS.iter().map(|&(name, protocol)| (name, None, protocol));
    let joins = wire_joins::PROTOCOLS.iter().copied();
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/wire.txt");
    transcripts::compare(&path, PROTOCOLS.iter().copied().chain(numbers).chain(joins));
}
