//! A copy that comes in parts, over several connections.

use hushtable::{
    Error, Role,
    confidential::{
        copy::{Arriving, CopyJob, EncryptedCopy, Keys, Owner},
        prf::Cipher,
    },
    net::Connection,
    session::Session,
};

/// Copies of 4 messages, the last one short.
const JOB: CopyJob =
    CopyJob { owner: Role::P0, cipher: Cipher::LowMc, keys: Keys::Dense { bits: 14 }, row_bits: 1700 };

fn owner() -> Owner {
    let rows: Vec<u64> = (0..27).map(|i| (i + 1) * 0x9e37_79b9).chain([]).collect();
    let mut row = rows;
    *row.last_mut().expect("a word") &= (1 << (JOB.row_bits % 64)) - 1;
    Owner::encrypt(JOB, &[5], &row).expect("a table")
}

/// Runs one connection: the owner sends from `first` on, the client takes `most` messages.
fn connection(
    owner: &Owner,
    first: usize,
    arriving: &mut Arriving,
    most: usize,
) -> hushtable::Result<Vec<u8>> {
    let (p0, p1) = Connection::pair();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            let mut s = Session::new(p0)?;
            owner.send_from(&mut s, first)?;
            s.barrier()
        });
        let (mut kept, mut left) = (Vec::new(), most);
        let mut s = Session::new(p1)?;
        arriving.receive(&mut s, |message| {
            left = left.checked_sub(1).ok_or(Error::Closed)?;
            kept.extend_from_slice(message);
            Ok(())
        })?;
        s.barrier()?;
        Ok(kept)
    })
}

#[test]
fn a_copy_comes_in_parts() {
    let owner = owner();
    let (all, digest) = (owner.copy().to_bytes(), *owner.copy().digest());
    assert_eq!(JOB.messages(), 4);
    for stops in [vec![], vec![0], vec![1], vec![3], vec![1, 1, 1], vec![2, 0, 1]] {
        let mut arriving = Arriving::new(JOB, digest).unwrap();
        let mut file = arriving.head();
        for stop in stops {
            let here = arriving.messages();
            assert!(matches!(connection(&owner, here, &mut arriving, stop), Err(Error::Closed)));
            assert_eq!(arriving.messages(), here + stop);
            file = all[..56 + (here + stop) * (1 << 20)].to_vec();
            // A part of a message that was being written counts for nothing.
            let cut = [&file[..], &all[file.len()..file.len() + 999]].concat();
            arriving = Arriving::resumed(JOB, digest, &cut).unwrap();
        }
        let here = arriving.messages();
        file.extend(connection(&owner, here, &mut arriving, 9).unwrap());
        assert_eq!(file, all, "what was kept is the copy as it lies on a disk");
        assert_eq!(arriving.finish().unwrap().to_bytes(), all);
        // A file with all of it lacks nothing.
        let whole = Arriving::resumed(JOB, digest, &file).unwrap();
        assert_eq!(whole.messages(), 4);
        assert!(EncryptedCopy::from_bytes(JOB, &file).is_ok());
    }
}

#[test]
fn parts_of_other_copies_are_refused() {
    let owner = owner();
    let (all, digest) = (owner.copy().to_bytes(), *owner.copy().digest());
    let part = &all[..56 + (2 << 20)];
    let refused =
        |job, digest, bytes: &[u8]| matches!(Arriving::resumed(job, digest, bytes), Err(Error::Store(_)));
    let other = self::owner();
    assert!(refused(JOB, *other.copy().digest(), part), "another version");
    assert!(refused(CopyJob { row_bits: 1701, ..JOB }, digest, part), "another form");
    assert!(refused(JOB, digest, &part[..55]) && refused(JOB, digest, &[]));
    assert!(refused(JOB, digest, &[&all[..], &[0]].concat()), "too long");
    // One bit on the disk: all the rest comes, and the whole is refused.
    let mut altered = part.to_vec();
    altered[1 << 20] ^= 4;
    let mut arriving = Arriving::resumed(JOB, digest, &altered).unwrap();
    connection(&owner, 2, &mut arriving, 9).unwrap();
    assert!(matches!(arriving.finish(), Err(Error::Store(_))));
    assert!(matches!(Arriving::resumed(JOB, digest, part).unwrap().finish(), Err(Error::Store(_))));
}

/// Both name the message that comes next; if they differ, both see it.
#[test]
fn parties_that_mean_other_messages_part() {
    let owner = owner();
    let mut arriving = Arriving::new(JOB, *owner.copy().digest()).unwrap();
    let error = connection(&owner, 1, &mut arriving, 9).unwrap_err();
    assert!(matches!(error, Error::Handshake { .. }), "{error}");
    assert_eq!(arriving.messages(), 0);
}
