//! The files of a store: header, journal, and the material in a piece once it is decrypted.

use std::sync::{Arc, OnceLock};

use hushtable::{
    Error, Role,
    arith::{CompareDomain, CompareJob, LayerJob, LinearJob, MatrixShape, Objective},
    lut::{LookupJob, Prepared, Protocol},
    math::{Bounds, Evaluation, Function, GeluJob, Method, Options, Outside},
    onehot::{Cyclic, Xor},
    operation::{Bands, Compare, KnownMap, Linear, Multiply, Operation, Relation, Truncate},
    share::{Additive, Bitwise, Sharing},
    source::{self, Window},
    store::{About, replay},
};

use super::identity;

const KEY: [u8; 32] = [7; 32];

/// The first byte says which decoder gets the rest.
pub fn run(data: &[u8]) {
    match data.split_first() {
        Some((0, rest)) => header(rest),
        Some((1, rest)) => journal(rest),
        Some((2, rest)) => piece(rest),
        Some((3, rest)) => material(rest),
        _ => {}
    }
}

fn header(bytes: &[u8]) {
    match About::from_bytes(bytes) {
        Ok(about) => {
            assert_eq!(about.to_bytes(), bytes, "one header, one encoding");
            if let Some((protocol, job)) = about.lookups {
                protocol.check(&job).expect("a job that is served");
            }
        }
        Err(Error::Store(_) | Error::Param { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

fn journal(bytes: &[u8]) {
    if let Ok((records, last)) = replay(&KEY, bytes) {
        let whole = records as usize * 32;
        assert!(records > 0 && whole <= bytes.len() && bytes.len() - whole <= 32);
        let kept = replay(&KEY, &bytes[..whole]).ok();
        assert_eq!(kept, Some((records, last)), "what is kept reads the same");
    }
}

/// Protocol, sharings, widths, role and number of lookups, then the material.
fn piece(bytes: &[u8]) {
    let Some((&[protocol, kinds, index_bits, value_bits, count], bytes)) = bytes.split_first_chunk() else {
        return;
    };
    let protocol = Protocol::ALL[usize::from(protocol) % Protocol::ALL.len()];
    let kind = |bit: u8| if kinds >> bit & 1 == 1 { Sharing::Xor } else { Sharing::Additive };
    let role = if kinds & 4 == 4 { Role::P1 } else { Role::P0 };
    let (index_bits, value_bits) = (index_bits.into(), value_bits.into());
    let job = LookupJob { index: kind(0), output: kind(1), index_bits, value_bits };
    // Every combination of types, the right one among them.
    decode::<Cyclic, Additive>(protocol, &job, role, count, bytes);
    decode::<Cyclic, Bitwise>(protocol, &job, role, count, bytes);
    decode::<Xor, Additive>(protocol, &job, role, count, bytes);
    decode::<Xor, Bitwise>(protocol, &job, role, count, bytes);
}

fn decode<G: hushtable::onehot::Group, K: hushtable::share::Kind>(
    protocol: Protocol,
    job: &LookupJob,
    role: Role,
    count: u8,
    bytes: &[u8],
) {
    match Prepared::<G, K, u64>::from_bytes(protocol, job, role, count.into(), bytes) {
        Ok(mut material) => {
            assert_eq!(material.len(), usize::from(count));
            assert_eq!(
                material.to_bytes(protocol, job).len(),
                bytes.len(),
                "one length for a number of lookups"
            );
            let half = material.take(usize::from(count / 2)).expect("there are as many");
            assert_eq!(half.len() + material.len(), usize::from(count));
        }
        Err(Error::Store(_) | Error::Param { .. } | Error::Shape { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

/// What is stored besides lookups, a few items of which every atom is in one of them.
fn operations() -> &'static [Box<dyn Operation>] {
    static ALL: OnceLock<Vec<Box<dyn Operation>>> = OnceLock::new();
    ALL.get_or_init(|| {
        let domain = Some(Bounds { lo: -4.0, hi: 4.0 });
        let function = |method, outside| -> Box<dyn Operation> {
            let options = Options::default().domain(domain).method(method).outside(outside);
            Box::new(Evaluation::new(Function::Sigmoid, 24, 4, &options).expect("a function"))
        };
        let spline = Method::Spline { degree: 2, pieces: 8 };
        // By a lattice, bound to its owner's numbers.
        let shape = MatrixShape { batch: 1, rows: 1, inner: 700, columns: 700 };
        let map = LinearJob { shape: shape.into(), bits: 16, number_bits: 9, owner: Role::P0 };
        let layer = LayerJob::new(map, 0).expect("a layer");
        assert!(layer.by_lattice());
        let known = KnownMap { numbers: vec![1; shape.right()].into(), offsets: vec![].into() };
        let job = |objective| CompareJob::new(17, CompareDomain::Signed, objective).expect("a job");
        vec![
            function(Method::Direct, Outside::Clamp),
            function(spline, Outside::Strict),
            Box::new(Compare::of(Relation::Ge, job(Objective::Online))),
            Box::new(Compare::of(Relation::Max, job(Objective::Bytes))),
            Box::new(Compare::of(Relation::Eq, job(Objective::Total)).additive(16)),
            Box::new(Bands::new(20, vec![-1, 5, 9], Objective::Total).expect("cuts").additive(16)),
            Box::new(Multiply { bits: 9, objective: Objective::Total }),
            Box::new(Multiply { bits: 9, objective: Objective::Online }),
            Box::new(Truncate { bits: 30, cut: 7 }),
            Box::new(GeluJob::new(32, 12)),
            Box::new(Linear::new(layer, Some(Arc::new(known))).expect("a layer")),
        ]
    })
}

/// Which operation, role, items, the first of those wanted, and their number; then the bytes.
fn material(bytes: &[u8]) {
    let Some((&[which, role, items, before, wanted], bytes)) = bytes.split_first_chunk() else { return };
    let operation = &operations()[usize::from(which) % operations().len()];
    let role = if role & 1 == 1 { Role::P1 } else { Role::P0 };
    let [items, before, wanted] = [items, before, wanted].map(usize::from);
    let window = Window { items, before, wanted };
    match source::read(bytes, role, window, |from| operation.material(from, wanted)) {
        Ok(material) => {
            assert_eq!(material.items(), wanted);
            let whole = Window { items, before: 0, wanted: items };
            let copy = source::cut(bytes, role, whole, |from| operation.material(from, items));
            assert_eq!(copy.expect("the same bytes").len(), bytes.len(), "one length for a number of items");
        }
        Err(Error::Store(_) | Error::Param { .. } | Error::Shape { .. }) => {}
        Err(other) => panic!("{other}"),
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let identity = identity::own();
    let job = LookupJob { index: Sharing::Additive, output: Sharing::Xor, index_bits: 8, value_bits: 64 };
    let about = About {
        id: [3; 32],
        role: Role::P1,
        text: "lookups by rotl".into(),
        shape: [9; 32],
        lookups: Some((Protocol::Rotl, job)),
        own: identity.fingerprint(),
        peer: identity.fingerprint(),
        peer_name: "telecom".into(),
        made: 1_795_255_200,
        planned: 1_000_000,
        piece: 4096,
    };
    let bound = About { role: Role::P0, lookups: None, text: String::new(), ..about.clone() };
    let mut seeds = vec![[&[0], &about.to_bytes()[..]].concat(), [&[0], &bound.to_bytes()[..]].concat()];
    let records = |counters: &[u64]| {
        let mut bytes = vec![1];
        for (counter, number) in counters.iter().zip(0u64..) {
            let label = [number.to_le_bytes(), counter.to_le_bytes()].concat();
            bytes.extend(counter.to_le_bytes());
            bytes.extend(&blake3::keyed_hash(&KEY, &label).as_bytes()[..24]);
        }
        bytes
    };
    seeds.extend([records(&[0]), records(&[0, 5, 5, 1 << 40]), records(&[0, 5, 4])]);
    for (number, protocol) in Protocol::ALL.into_iter().enumerate() {
        for kinds in 0..8u8 {
            let kind = |bit: u8| if kinds >> bit & 1 == 1 { Sharing::Xor } else { Sharing::Additive };
            let job = LookupJob { index: kind(0), output: kind(1), index_bits: 3, value_bits: 8 };
            let Some(bits) = protocol.stored_bits(&job) else { continue };
            // Lengths near that of five lookups: mutations find the right one.
            let head = [2, number as u8, kinds, 3, 8, 5];
            seeds.push([&head[..], &vec![0xa5; (5 * bits).div_ceil(8)]].concat());
        }
    }
    for (which, operation) in operations().iter().enumerate() {
        let shape = operation.shape().expect("it is stored");
        // No longer than what is mutated.
        let window = if shape.bytes(8) > 1 << 12 { [1, 0, 1] } else { [8, 3, 5] };
        for (role, less) in [(0, 0), (1, 0), (0, 1)] {
            let head = [&[3, which as u8, role], &window[..]].concat();
            seeds.push([&head[..], &vec![0x5a; shape.bytes(window[0].into()) - less]].concat());
        }
    }
    seeds
}
