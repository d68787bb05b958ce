//! Stored keys of functions, as another process gets them.

use hushtable::{
    Error, Party, Result,
    fss::{Dcf, Dpf, End, Point, Unplaced},
    onehot::{Cyclic, Xor},
    share::{Additive, Bitwise, Kind, Share},
};

/// Bytes that are keys can be evaluated at every first point, whatever they are keys of.
pub fn run(data: &[u8]) {
    if let Some(keys) = known(Dpf::<Xor, Bitwise>::decode(data)) {
        keys.eval(&vec![0; keys.len()]).expect("a point of every function");
    }
    if let Some(keys) = known(Dcf::<Cyclic, Additive>::decode(data)) {
        keys.eval(End::Before, &vec![0; keys.len()]).expect("a point of every function");
    }
    if let Some(keys) = known(Unplaced::<Point, Xor, Bitwise>::decode(data)) {
        assert_eq!(keys.encode().len(), data.len(), "one length");
    }
}

fn known<T>(found: Result<T>) -> Option<T> {
    match found {
        Ok(keys) => Some(keys),
        Err(Error::Store(_) | Error::Param { .. }) => None,
        Err(other) => panic!("{other}"),
    }
}

/// With a tree and without, placed and not.
pub fn seeds() -> Vec<Vec<u8>> {
    fn one<K: Kind>(p: &Party, bits: u32) -> Share<K, u64> {
        Share::new(bits, vec![1 - p.role() as u64; 3])
    }
    let make = |p: &mut Party| -> Result<Vec<Vec<u8>>> {
        let mut all = Vec::new();
        for d in [3, 9] {
            let dpf = Dpf::<Xor, Bitwise>::prepare_bit(p, d, 3)?;
            let bytes = dpf.encode();
            all.push(bytes.to_vec());
            let dpf = Unplaced::<Point, Xor, Bitwise>::decode(&bytes)?;
            all.push(dpf.at(p, &Share::new(d, vec![1, 2, 3]))?.encode().to_vec());
            let payload = one(p, 33);
            let dcf = Dcf::<Cyclic, Additive>::prepare(p, d, &[payload])?;
            all.push(dcf.at(p, &Share::new(d, vec![1, 2, 3]))?.encode().to_vec());
        }
        Ok(all)
    };
    let (first, second) =
        hushtable::run_pair(Party::pair_seeded(77).expect("set-up"), make, make).expect("an honest run");
    [first, second].concat()
}
