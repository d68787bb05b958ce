//! The baseline that scans a memory for each read: words, bills, what is sent.

use crate::support::{
    billed::check,
    pairs::{both, pair, share},
    uniform::assert_uniform,
};

use hushtable::{BShare, Party, Result, confidential::prf::Cipher, share::Bitwise};
use hushtable_baselines::scan::{Memory, Read, ScanJob};
use prim::{block::Block, prg::Prg};

fn words(len: usize, seed: u128) -> Vec<u64> {
    let mut words = vec![0; len];
    Prg::new(Block(seed)).words(64, &mut words);
    words
}

/// Reads one after the other, and opens.
fn read(p: &mut Party, job: ScanJob, share_of_memory: &[u64], x: &[u32]) -> Result<Vec<u64>> {
    let memory = Memory::new(p, job, share_of_memory)?;
    let mut found = Vec::new();
    for &x in x {
        let x = share::<Bitwise>(p.role(), job.index_bits, &[x], 3);
        let word = Read::prepare(p, job)?.eval(p, &memory, &x)?;
        found.extend(p.open(&word)?);
    }
    Ok(found)
}

/// All indices of small memories, the same twice; a table of one party, and shares of both.
#[test]
fn words_are_those_of_the_memory() {
    for (i, index_bits) in [1, 2, 5, 6, 9].into_iter().enumerate() {
        for cipher in Cipher::ALL {
            let job = ScanJob { cipher, index_bits };
            let (len, own) = (1 << index_bits, i % 2 == 0);
            let shares = [words(len, 5), if own { vec![0; len] } else { words(len, 6) }];
            let x: Vec<u32> = (0..len as u32).step_by((len / 8).max(1)).chain([0, 0]).collect();
            let (found, _) = both(pair(1600 + i as u64, None), |p| {
                let mine = &shares[p.role() as usize];
                read(p, job, mine, &x)
            });
            let want: Vec<u64> = x.iter().map(|&x| shares[0][x as usize] ^ shares[1][x as usize]).collect();
            assert_eq!(found, want, "{job:?}");
        }
    }
}

#[test]
fn bills_are_met() {
    for (cipher, index_bits) in [(Cipher::LowMc, 9), (Cipher::Aes128, 10)] {
        let job = ScanJob { cipher, index_bits };
        let memory = |p: &mut Party| Memory::new(p, job, &vec![0; 1 << index_bits]);
        check(&format!("{job:?}, once"), job.once().expect("a bill"), memory, |_, _| Ok(()));
        // One read sends bits that fill no whole bytes: its parts' bills are compared for batches, where they are.
        let bill = Read::bill(&job).expect("a bill");
        assert_eq!(bill.online.rounds, 1 + 2 * if cipher == Cipher::LowMc { 13 } else { 40 });
        let (p0, _) = both(pair(1610, None), |p| {
            let memory = memory(p)?;
            let (material, offline) = p.metered(|p| Read::prepare(p, job))?;
            let (_, online) = p.metered(|p| material.eval(p, &memory, &BShare::new(index_bits, vec![1])))?;
            Ok([offline.rounds, online.rounds])
        });
        assert_eq!(p0[1], bill.online.rounds, "{job:?}");
    }
}

/// Whatever the shares are; with the memory, that all masks are there.
#[test]
fn what_reads_send_is_uniform() {
    let job = ScanJob { cipher: Cipher::LowMc, index_bits: 9 };
    assert_uniform("a memory", 1620, 1 << 17, |p, x| {
        p.barrier()?;
        // A memory that is all zero, or all ones.
        Memory::new(p, job, &vec![0u64.wrapping_sub(x & 1); 512]).map(drop)
    });
}

#[test]
fn what_does_not_fit_is_refused() {
    let job = ScanJob { cipher: Cipher::LowMc, index_bits: 0 };
    assert!(job.once().is_err() && Read::bill(&ScanJob { index_bits: 25, ..job }).is_err());
    let job = ScanJob { index_bits: 4, ..job };
    let (a, _) = both(pair(1630, None), |p| {
        let short = Memory::new(p, job, &[0; 15]).err().map(|error| error.to_string());
        p.barrier()?;
        let memory = Memory::new(p, job, &[0; 16])?;
        let wide = Read::prepare(p, job)?.eval(p, &memory, &BShare::new(5, vec![1]));
        p.barrier()?;
        Ok([short, wide.err().map(|error| error.to_string())])
    });
    assert_eq!(a[0].as_deref(), Some("words of the memory: expected 16, got 15"));
    assert_eq!(a[1].as_deref(), Some("bits of an index: expected 4, got 5"));
}
