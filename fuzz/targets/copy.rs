//! Encrypted copies of tables, and the owner's secret of one, as they are kept on disk; updates, as they are sent.

use hushtable::{
    Error, Role,
    confidential::{
        copy::{CopyJob, EncryptedCopy, Keys, Owner, Update},
        prf::Cipher,
    },
};

const JOB: CopyJob =
    CopyJob { owner: Role::P0, cipher: Cipher::Aes128, keys: Keys::Dense { bits: 3 }, row_bits: 9 };

const CHANGING: CopyJob = CopyJob { keys: Keys::Changing { bits: 3, updates: 3 }, ..JOB };

/// What is accepted is what was written, to the last bit.
pub fn run(data: &[u8]) {
    match EncryptedCopy::from_bytes(JOB, data) {
        Ok(copy) => assert_eq!(copy.to_bytes(), data, "one encoding"),
        Err(Error::Store(_)) => {}
        Err(other) => panic!("{other}"),
    }
    match Update::from_bytes(CHANGING, data) {
        Ok(update) => {
            assert_eq!(update.to_bytes(), data, "one encoding");
            let owner = Owner::encrypt(CHANGING, &[1, 4], &[300, 5]).expect("a table");
            let refused = owner.copy().clone().apply(&update).expect_err("of another copy");
            assert!(matches!(refused, Error::Peer(_)), "{refused}");
        }
        Err(Error::Store(_)) => {}
        Err(other) => panic!("{other}"),
    }
    match Owner::restore(JOB, &[1, 4], &[300, 5], data) {
        Ok(owner) => assert_eq!(owner.secret()[..], *data, "one encoding"),
        Err(Error::Store(_)) => {}
        Err(other) => panic!("{other}"),
    }
}

pub fn seeds() -> Vec<Vec<u8>> {
    let owner = Owner::encrypt(JOB, &[1, 4], &[300, 5]).expect("a table");
    let mut changing = Owner::encrypt(CHANGING, &[1, 4], &[300, 5]).expect("a table");
    let update = changing.update(&[2, 7], &[1, 2], &[4]).expect("an update");
    vec![owner.copy().to_bytes(), owner.secret().to_vec(), update.to_bytes()]
}
