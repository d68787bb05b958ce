//! The store of correlations: what is made is what is spent, each piece once, by whom it belongs to.

use crate::support::stores;

use std::fs;

use hushtable::{
    Error, Party, Role,
    lut::{LookupJob, Prepared, Protocol},
    onehot::{Cyclic, Group, Xor},
    operation::Lookup,
    run_pair,
    share::{Additive, Bitwise, Kind, Share, Sharing},
    store::{Contents, Store},
};
use stores::{JOB, Site, blank, contains, copy, made, plan, refusal, share, table};

/// Every protocol: material that was bytes in between, in pieces, of which each party sends another
/// number.
fn through_bytes<G: Group, K: Kind>(protocol: Protocol, index_bits: u32, value_bits: u32) {
    let job = LookupJob { index: G::Kind::SHARING, output: K::SHARING, index_bits, value_bits };
    if protocol.check(&job).is_err() || protocol.stored_bits(&job).is_none() {
        return;
    }
    let table = table::<u64>(&job);
    let xs: Vec<u32> = (0..40).map(|i| i * 7 % (1 << index_bits)).collect();
    let want: Vec<u64> = xs.iter().map(|&x| table.columns()[0][x as usize]).collect();
    let run = |p: &mut Party| {
        let bytes = protocol.prepare::<G, K, u64>(p, &table, xs.len())?.to_bytes(protocol, &job);
        let mut all = Prepared::<G, K, u64>::from_bytes(protocol, &job, p.role(), xs.len(), &bytes)?;
        let mut got = Vec::new();
        for count in [5, 1, 17, 9, 8] {
            let x = share::<G::Kind>(p.role(), index_bits, &xs);
            let x = Share::new(index_bits, x.words()[got.len()..][..count].to_vec());
            let y = all.take(count)?.lookup(p, &table, &x)?;
            got.extend(p.open(&y)?);
        }
        assert!(all.is_empty());
        Ok(got)
    };
    let (a, b) = run_pair(Party::pair().unwrap(), run, run)
        .unwrap_or_else(|error| panic!("{protocol}, {job}: {error}"));
    assert_eq!((&a, &b), (&want, &want), "{protocol}, {job}");
}

#[test]
fn stored_material_of_every_protocol_gives_the_results() {
    for protocol in Protocol::ALL {
        for (index_bits, value_bits) in [(1, 1), (3, 1), (5, 13), (7, 64)] {
            through_bytes::<Cyclic, Additive>(protocol, index_bits, value_bits);
            through_bytes::<Cyclic, Bitwise>(protocol, index_bits, value_bits);
            through_bytes::<Xor, Additive>(protocol, index_bits, value_bits);
            through_bytes::<Xor, Bitwise>(protocol, index_bits, value_bits);
        }
    }
}

#[test]
fn a_store_is_spent_over_several_sessions() {
    fn sessions<G: Group, K: Kind>(protocol: Protocol, index_bits: u32, value_bits: u32) {
        let job = LookupJob { index: G::Kind::SHARING, output: K::SHARING, index_bits, value_bits };
        let site = Site::new();
        drop(site.make(&plan(protocol, job, 40, 16)).unwrap());
        for (count, most) in [(5, 64), (17, 3), (18, 64)] {
            site.spend::<G, K, u64>(&job, count, most).unwrap();
        }
        assert_eq!(site.open(Role::P0).unwrap().left(), 0);
    }
    sessions::<Cyclic, Additive>(Protocol::Rotl, 5, 13);
    sessions::<Xor, Bitwise>(Protocol::Doubling, 3, 1);
    sessions::<Cyclic, Additive>(Protocol::SpLut, 3, 64);
    sessions::<Xor, Bitwise>(Protocol::SpLut, 4, 7);
}

/// `take` cuts the same material off whatever was taken before: positions of a store rely on it.
#[test]
fn what_is_at_a_position_does_not_depend_on_earlier_takes() {
    for protocol in Protocol::ALL {
        let job =
            LookupJob { index: Sharing::Additive, output: Sharing::Additive, index_bits: 3, value_bits: 16 };
        let Some(bits) = protocol.stored_bits(&job) else { continue };
        let site = Site::new();
        let table = table::<u16>(&job);
        site.run(|p| {
            let all = protocol.prepare::<Cyclic, Additive, u16>(p, &table, 21)?;
            let bytes = all.to_bytes(protocol, &job);
            assert!(bytes.len() <= 21 * bits / 8 + 64, "{protocol}: {} bytes", bytes.len());
            let read = || Prepared::<Cyclic, Additive, u16>::from_bytes(protocol, &job, p.role(), 21, &bytes);
            let (mut one, mut other) = (read()?, read()?);
            drop((one.take(1)?, one.take(4)?, one.take(2)?));
            drop(other.take(7)?);
            let last = [one.take(6)?, other.take(6)?].map(|m| m.to_bytes(protocol, &job));
            assert_eq!(last[0], last[1], "{protocol}");
            assert_eq!((one.len(), other.len()), (8, 8));
            assert!(one.take(9).is_err());
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn the_plan_says_what_is_on_the_disk() {
    for protocol in Protocol::ALL {
        let site = Site::new();
        if protocol.stored_bits(&JOB).is_none() {
            let planned = Lookup::blank(protocol, JOB).and_then(|lookup| Contents::new(&lookup, 1).map(drop));
            assert!(matches!(planned, Err(Error::Param { .. })), "{protocol}");
            continue;
        }
        let made = plan(protocol, JOB, 3000, 1000);
        let plan = made.plan().unwrap();
        drop(site.make_by(&plan).unwrap());
        for role in [Role::P0, Role::P1] {
            let files = fs::read_dir(site.store_path(role)).unwrap();
            let bytes: u64 = files.map(|file| file.unwrap().metadata().unwrap().len()).sum();
            assert!(bytes <= plan.bytes(), "{protocol}: {bytes}");
            #[cfg(unix)]
            for entry in fs::read_dir(site.store_path(role)).unwrap() {
                use std::os::unix::fs::PermissionsExt;
                let mode = entry.unwrap().metadata().unwrap().permissions().mode();
                assert_eq!(mode & 0o077, 0, "for the owner only");
            }
        }
    }
}

#[test]
fn another_store_is_refused_at_both_sides() {
    let site = made();
    let other = Site { root: tempfile::tempdir().unwrap() };
    for role in [Role::P0, Role::P1] {
        copy(&site.identity_path(role), &other.identity_path(role));
    }
    drop(other.make(&plan(Protocol::Rotl, JOB, 100, 32)).unwrap());
    let ids = [&site, &other].map(|site| site.open(Role::P0).unwrap().about().name());
    // P1 has the store of another session; its mark is there, so it opens.
    copy(&other.store_path(Role::P1), &site.store_path(Role::P1));
    copy(&other.identity_path(Role::P1).join("spent"), &site.identity_path(Role::P1).join("spent"));
    let (p0, p1) = site.session(Role::P0);
    let agree = |p: &mut Party| {
        let said = site.open(p.role())?.agree(p).unwrap_err();
        Ok(said.to_string())
    };
    let (p0, p1) = run_pair((p0, p1), agree, agree).unwrap();
    for text in [p0, p1] {
        contains(&text, &["disagree on store", &ids[0], &ids[1]]);
    }
}

#[test]
fn a_store_belongs_to_one_identity_role_and_peer() {
    let site = made();
    let (own, peer) = (site.store_path(Role::P0), site.identity(Role::P1));
    contains(&refusal(Store::open(&own, &peer)), &["bank.store", "not of telecom"]);
    // The other way round: P1 listens.
    let (p0, p1) = site.session(Role::P1);
    let agree = |role: Role| {
        let site = &site;
        move |p: &mut Party| Ok(refusal(site.open(role)?.agree(p)))
    };
    let (p0, p1) = run_pair((p0, p1), agree(Role::P1), agree(Role::P0)).unwrap();
    contains(&p0, &["this party connected when the store was made, and listened now"]);
    contains(&p1, &["this party listened when the store was made, and connected now"]);
    // A peer who is somebody else, with a copy of the right peer's store, cannot even open it.
    let stranger = Site::new();
    copy(&site.store_path(Role::P1), &stranger.store_path(Role::P1));
    contains(&refusal(stranger.open(Role::P1)), &["not of telecom"]);
}

#[test]
fn without_tls_there_is_no_store() {
    let site = Site::new();
    let plan = plan(Protocol::Rotl, JOB, 10, 10);
    let make = |p: &mut Party| {
        let role = p.role();
        Ok(refusal(Store::make(p, &site.store_path(role), &site.identity(role), &plan.plan()?, |_| {})))
    };
    let (p0, _) = run_pair(Party::pair().unwrap(), make, make).unwrap();
    contains(&p0, &["needs TLS"]);
    assert!(!site.store_path(Role::P0).exists());
}

#[test]
fn while_a_store_is_open_nobody_else_opens_it_or_a_copy() {
    let site = made();
    let store = site.open(Role::P0).unwrap();
    contains(&refusal(site.open(Role::P0)), &["is in use"]);
    contains(&refusal(Store::remove(&site.store_path(Role::P0), None)), &["is in use"]);
    let copied = site.root.path().join("copy");
    copy(&site.store_path(Role::P0), &copied);
    contains(&refusal(Store::open(&copied, &site.identity(Role::P0))), &["is in use"]);
    drop(store);
    // Once something was spent, the copy is behind.
    site.load_alone(Role::P0, 1);
    contains(
        &refusal(Store::open(&copied, &site.identity(Role::P0))),
        &["copied", "up to 0 here, up to 1 in"],
    );
}

#[test]
fn a_damaged_file_is_named() {
    let (site, plain) = (made(), made());
    let path = site.store_path(Role::P0);
    for (file, said) in
        [("header", "bank.store"), ("journal", "journal"), ("000001.piece", "000001.piece: damaged")]
    {
        let sound = fs::read(path.join(file)).unwrap();
        for at in (0..sound.len()).step_by(7) {
            let mut changed = sound.clone();
            changed[at] ^= 0x10;
            fs::write(path.join(file), changed).unwrap();
            // A last record that does not fit is taken for one that a crash cut short.
            let verified = site.open(Role::P0).and_then(|store| store.verify());
            contains(&verified.expect_err("damaged").to_string(), &["bank.store", said]);
        }
        fs::write(path.join(file), &sound[..sound.len() - 1]).unwrap();
        assert!(site.open(Role::P0).and_then(|store| store.verify()).is_err(), "{file} cut short");
        fs::write(path.join(file), &sound).unwrap();
        assert_eq!(site.open(Role::P0).unwrap().verify().unwrap(), 0);
    }
    // Files that no piece is named like.
    for stray in ["0.piece", "000004.piece", "999999.piece", "18446744073709551615.piece"] {
        let stray = path.join(stray);
        assert!(!stray.exists());
        fs::write(&stray, b"stray").unwrap();
        assert_eq!(site.open(Role::P0).unwrap().verify().unwrap(), 0, "{}", stray.display());
        fs::remove_file(stray).unwrap();
    }
    // A piece at another number, or of another store.
    let (first, second) = (path.join("000000.piece"), path.join("000001.piece"));
    let foreign = plain.store_path(Role::P0).join("000001.piece");
    for from in [&first, &foreign] {
        let sound = fs::read(&second).unwrap();
        fs::copy(from, &second).unwrap();
        contains(
            &refusal(site.open(Role::P0).unwrap().verify()),
            &["000001.piece: damaged, or not of this store"],
        );
        fs::write(&second, sound).unwrap();
    }
    fs::remove_file(&second).unwrap();
    let store = site.open(Role::P0).unwrap();
    assert_eq!(
        (store.left(), store.verify().unwrap()),
        (32, 32),
        "as far as there are files; 32 are missing"
    );
}

#[test]
fn an_interrupted_making_leaves_what_is_complete() {
    let site = Site::new();
    let plan = plan(Protocol::Rotl, JOB, 100, 16);
    // P1 gives up after its second file, P0 notices somewhere behind.
    let make = |p: &mut Party| {
        let role = p.role();
        let mut files = 0;
        let made = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            Store::make(p, &site.store_path(role), &site.identity(role), &plan.plan().unwrap(), |_| {
                files += 1;
                assert!(role == Role::P0 || files < 2, "gives up");
            })
            .map(drop)
        }));
        Ok(made.is_ok_and(|made| made.is_ok()))
    };
    assert_eq!(run_pair(site.session(Role::P0), make, make).unwrap(), (false, false));
    assert_eq!(site.open(Role::P1).unwrap().left(), 32);
    assert!(site.open(Role::P0).unwrap().left() >= 32);
    // An unfinished file is no piece.
    fs::write(site.store_path(Role::P1).join("000002.tmp"), b"half").unwrap();
    contains(
        &refusal(site.spend::<Cyclic, Additive, u16>(&JOB, 33, 64)),
        &["32 lookups are left, 33 are needed"],
    );
    site.spend::<Cyclic, Additive, u16>(&JOB, 32, 64).unwrap();
}

#[test]
fn what_does_not_fit_is_named() {
    let site = made();
    let store = site.open(Role::P0).unwrap();
    store.fits(&blank(Protocol::Rotl, JOB)).unwrap();
    let job = LookupJob { index_bits: 5, value_bits: 8, ..JOB };
    contains(
        &refusal(store.fits(&blank(Protocol::SpLut, job))),
        &[
            "it holds material for lookups by rotl: additive indices of 4 bits, additive outputs of 16 bits (shape ",
            "), not for lookups by splut: additive indices of 5 bits",
        ],
    );
    drop(store);
    let again = refusal(site.make(&plan(Protocol::Rotl, JOB, 100, 32)));
    contains(&again, &["exists already; nothing is overwritten"]);
    for (lookups, piece) in [(0, 1), (1 << 50, 1), (1, 0), (1, 1 << 19)] {
        let fresh = Site::new();
        assert!(matches!(fresh.make(&plan(Protocol::Rotl, JOB, lookups, piece)), Err(Error::Param { .. })));
    }
}

#[test]
fn removing_takes_stores_only() {
    let site = made();
    let (path, mark) = (site.store_path(Role::P0), site.mark_path(Role::P0));
    fs::write(path.join("notes.txt"), "mine").unwrap();
    contains(&refusal(Store::remove(&path, None)), &["notes.txt", "nothing is removed"]);
    fs::remove_file(path.join("notes.txt")).unwrap();
    let backup = site.root.path().join("backup");
    copy(&path, &backup);
    let removed = Store::remove(&path, Some(&site.identity(Role::P0))).unwrap();
    assert_eq!(removed.len(), 4 + 2 + 1, "pieces, header and journal, mark");
    assert!(!path.exists() && !mark.exists());
    contains(&refusal(Store::open(&backup, &site.identity(Role::P0))), &["is missing", "restored"]);
    Store::remove(&backup, Some(&site.identity(Role::P0))).unwrap();
    contains(&refusal(Store::open(site.root.path(), &site.identity(Role::P0))), &["no store"]);
    contains(&refusal(Store::remove(site.root.path(), None)), &["no store"]);
}

#[test]
fn removing_a_copy_leaves_the_store_alone() {
    let site = made();
    let (path, copied) = (site.store_path(Role::P0), site.root.path().join("copy"));
    let remove = || Store::remove(&copied, Some(&site.identity(Role::P0))).unwrap().len();
    // The store is open: whatever the copy says, its mark is not the copy's.
    copy(&path, &copied);
    let store = site.open(Role::P0).unwrap();
    assert_eq!(remove(), 6, "pieces, header and journal");
    drop(store);
    // The store was spent since.
    copy(&path, &copied);
    site.load_alone(Role::P0, 5);
    contains(&refusal(Store::open(&copied, &site.identity(Role::P0))), &["up to 0 here, up to 5 in"]);
    assert_eq!(remove(), 6);
    assert!(!copied.exists() && site.mark_path(Role::P0).exists());
    site.spend::<Cyclic, Additive, u16>(&JOB, 10, 64).unwrap();
}

#[test]
fn a_store_of_an_older_version_is_to_be_made_again() {
    let read = |version: u64| {
        let header = [&b"hushstor"[..], &version.to_le_bytes()].concat();
        hushtable::store::About::from_bytes(&header).expect_err("no whole header").to_string()
    };
    assert!(read(2).ends_with("make the store again with `prepare`"), "{}", read(2));
    assert!(read(4).ends_with("has version 4; this program reads 3"), "{}", read(4));
    assert!(read(3).ends_with("ends early"), "{}", read(3));
}
