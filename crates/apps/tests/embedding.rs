//! Embeddings against plain sums of rows: what comes out, what it costs, and what is refused.

use crate::billed::check_parts;
use hushtable::{
    Error, Party, Result, Role,
    confidential::{copy::EncryptedCopy, prf::Cipher},
    math::SoftmaxJob,
    operation::Operation,
    run::{self, Ready, Reveal, Unwatched},
    run_pair,
};
use hushtable_apps::{
    embedding::{Embedding, EmbeddingJob},
    held_table::Table,
};
use prim::{block::Block, prg::Prg, ring::low};

fn random(bits: u32, count: usize, seed: u128) -> Vec<u64> {
    let mut words = vec![0; count];
    Prg::new(Block(seed)).words(bits, &mut words);
    words
}

fn signed(x: u64, bits: u32) -> i64 {
    (x << (64 - bits)) as i64 >> (64 - bits)
}

/// All numbers there are, in any order.
fn matrix(job: &EmbeddingJob) -> Vec<i64> {
    let count = job.rows as usize * job.columns as usize;
    let mut numbers: Vec<i64> =
        random(job.entry_bits, count, 5).iter().map(|&x| signed(x, job.entry_bits)).collect();
    numbers[0] = signed(1 << (job.entry_bits - 1), job.entry_bits);
    numbers
}

/// The table at each party, sent by its owner.
fn transferred(p: &mut Party, job: &EmbeddingJob, matrix: &[i64]) -> Result<Table> {
    if p.role() == job.owner {
        let owner = job.encrypt(matrix)?;
        owner.send(p)?;
        Ok(owner.into())
    } else {
        EncryptedCopy::receive(p, job.copy()).map(Table::from)
    }
}

/// The sums in the clear.
fn plain(job: &EmbeddingJob, matrix: &[i64], ids: &[u64]) -> Vec<u64> {
    let columns = job.columns as usize;
    let row = |id: u64| matrix.get(id as usize * columns..).filter(|rest| !rest.is_empty());
    let mut out = Vec::new();
    for bag in ids.chunks(job.bag as usize) {
        let sum = |column: usize| bag.iter().filter_map(|&id| row(id)).map(|row| row[column]).sum::<i64>();
        out.extend((0..columns).map(|column| low(sum(column) as u64, job.bits)));
    }
    out
}

/// Results of ids that are shared by these masks.
fn opened(job: EmbeddingJob, ids: &[u64], masks: &[u64]) -> Vec<u64> {
    let matrix = matrix(&job);
    let party = |p: &mut Party| -> Result<Vec<u64>> {
        let embedding = Embedding::new(job, transferred(p, &job, &matrix)?)?;
        let mine: Vec<u64> = match p.role() {
            Role::P0 => masks.to_vec(),
            Role::P1 => ids.iter().zip(masks).map(|(id, mask)| id ^ mask).collect(),
        };
        let lanes = std::slice::from_mut(p);
        let done = run::run(&embedding, lanes, vec![Ready::default()], &[&mine], Reveal::Both, &Unwatched)?;
        let values = done.values().expect("both get them");
        Ok(values.iter().map(|&x| low(x as u64, job.bits)).collect())
    };
    let (a, b) = run_pair(Party::pair_seeded(31).expect("a pair"), party, party).expect("an honest run");
    assert_eq!(a, b);
    assert_eq!(a, plain(&job, &matrix, ids), "{job:?}");
    a
}

#[test]
fn rows_and_sums_are_those_of_the_matrix() {
    let job = EmbeddingJob::new(Role::P1, [100, 9], 8, 32);
    let cases = [
        job,
        EmbeddingJob { bag: 5, ..job },
        EmbeddingJob { owner: Role::P0, bag: 8, bits: 11, ..job },
        EmbeddingJob { cipher: Cipher::LowMc, rows: 64, entry_bits: 1, ..job },
        EmbeddingJob { cipher: Cipher::LowMc, columns: 1, entry_bits: 16, bits: 16, ..job },
        EmbeddingJob { rows: 1, columns: 70, entry_bits: 7, bits: 64, bag: 3, ..job },
        EmbeddingJob { rows: 5, columns: 3, entry_bits: 64, bits: 64, ..job },
        EmbeddingJob { rows: 300, columns: 31, entry_bits: 33, bits: 40, bag: 2, ..job },
    ];
    for job in cases {
        let places = 1 << job.copy().keys.bits();
        // Ids beyond the matrix are rows of zeros; some are equal.
        let ids: Vec<u64> = (0..4 * job.bag as u64).map(|i| (i / 2 * 37) % places).collect();
        let masks = random(job.copy().keys.bits(), ids.len(), 9);
        opened(job, &ids, &masks);
        // One party's own.
        opened(job, &ids, &vec![0; ids.len()]);
    }
}

/// More than fit a batch, so that the copy serves several, of both ciphers.
#[test]
fn batches_are_those_of_one_matrix() {
    let job = EmbeddingJob { cipher: Cipher::LowMc, ..EmbeddingJob::new(Role::P0, [40, 2048], 4, 20) };
    let embedding = job.encrypt(&matrix(&job)).map(Table::from).and_then(|table| Embedding::new(job, table));
    let most = embedding.expect("an embedding").most();
    assert_eq!(most, 64);
    let ids: Vec<u64> = (0..most as u64 + 6).map(|i| i % 40).collect();
    opened(job, &ids, &random(6, ids.len(), 3));
}

#[test]
fn bills_are_met() {
    let job = EmbeddingJob::new(Role::P1, [100, 16], 8, 32);
    for job in [
        job,
        EmbeddingJob { bag: 4, ..job },
        EmbeddingJob { owner: Role::P0, cipher: Cipher::LowMc, bag: 2, bits: 64, ..job },
    ] {
        let numbers = matrix(&job);
        let owner = job.encrypt(&numbers).expect("a matrix");
        let copy = EncryptedCopy::from_bytes(job.copy(), &owner.copy().to_bytes()).expect("its copy");
        let tables = [Table::from(owner), Table::from(copy)];
        let of = |role: Role| Embedding::new(job, tables[usize::from(role != job.owner)].clone());
        check_parts(
            &format!("{job:?}"),
            job.bill(16).expect("a bill"),
            0,
            |p| of(p.role())?.prepare(p, 16),
            |s, m| m.eval(s, &[&vec![3; 16 * job.bag as usize]]).map(drop),
        );
    }
    assert_eq!(job.bill(0).expect("a bill"), hushtable::bill::Bill::FREE);
    // What the page says of 128 tokens of 30522 rows of 768 numbers of 8 bits.
    let tokens = EmbeddingJob::new(Role::P1, [30522, 768], 8, 32);
    let [aes, lowmc] = [Cipher::Aes128, Cipher::LowMc]
        .map(|cipher| EmbeddingJob { cipher, ..tokens }.bill(128).expect("a bill").bytes() / 1e6);
    println!("128 tokens: AES {aes:.1} MB, LowMC {lowmc:.1} MB");
    assert!(aes < 20.0 && lowmc < 8.5, "{aes} and {lowmc} MB");
    assert_eq!(tokens.copy().copy_bits() / 8, 25_165_824);
}

/// What comes out is what functions of tensors take.
#[test]
fn softmax_takes_what_comes_out() {
    let job = EmbeddingJob { fraction: 8, ..EmbeddingJob::new(Role::P0, [50, 8], 10, 32) };
    let (matrix, ids) = (matrix(&job), [7u64, 3, 3, 49]);
    let softmax = SoftmaxJob::new(8, 32, 8);
    let party = |p: &mut Party| -> Result<Vec<u64>> {
        let embedding = Embedding::new(job, transferred(p, &job, &matrix)?)?;
        let mine = if p.role() == Role::P1 { ids.to_vec() } else { vec![0; 4] };
        let rows = run::shares(&embedding, p, Ready::default(), &[&mine], &Unwatched)?;
        let lanes = std::slice::from_mut(p);
        let done = run::run(&softmax, lanes, vec![Ready::default()], &[&rows[0]], Reveal::Both, &Unwatched)?;
        let values = done.values().expect("both get them");
        Ok(values.iter().map(|&x| low(x as u64, job.bits)).collect())
    };
    let pair = Party::pair_seeded(7).expect("a pair");
    let (found, _) = run_pair(pair, party, party).expect("an honest run");
    for (i, &id) in ids.iter().enumerate() {
        let row: Vec<f64> =
            matrix[8 * id as usize..][..8].iter().map(|&x| (x as f64 / 256.0).exp()).collect();
        let total: f64 = row.iter().sum();
        for (x, y) in row.iter().zip(&found[8 * i..]) {
            let found = *y as f64 / 256.0;
            assert!((x / total - found).abs() <= 2.0 / 256.0, "{} is {found}", x / total);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused() {
    let job = EmbeddingJob::new(Role::P0, [10, 4], 8, 32);
    let says = |job: EmbeddingJob, fragment: &str| {
        let text = job.check().expect_err("refused").to_string();
        assert!(text.contains(fragment), "{text}");
        assert_eq!(job.bill(3).expect_err("refused").to_string(), text);
    };
    says(EmbeddingJob { rows: 0, ..job }, "rows of an embedding: 0 is not supported");
    says(EmbeddingJob { rows: (1 << 24) + 1, ..job }, "rows of an embedding");
    says(EmbeddingJob { columns: 0, ..job }, "numbers of an embedding's row");
    says(EmbeddingJob { columns: 1 << 18, ..job }, "bits of a number and of a row");
    says(EmbeddingJob { entry_bits: 65, bits: 64, ..job }, "bits of an embedding's numbers: 65");
    says(EmbeddingJob { bits: 7, ..job }, "bits of an embedding's results: 7");
    says(EmbeddingJob { bits: 10, bag: 5, ..job }, "accepted: 11 to 64");
    says(EmbeddingJob { bag: 0, ..job }, "rows of a sum: 0");
    says(EmbeddingJob { fraction: 33, ..job }, "fraction bits of an embedding: 33");
    let mut matrix = vec![1i64; 40];
    matrix[18] = -129;
    let text = job.encrypt(&matrix).err().expect("refused").to_string();
    assert!(text.contains("-129 in row 4, column 2") && text.contains("-128 to 127"), "{text}");
    assert!(matches!(job.encrypt(&[1; 39]), Err(Error::Shape { want: 40, got: 39, .. })));
    let text = job.check_ids(&[0, 9, 10]).expect_err("no such row").to_string();
    assert!(text.contains("10 at index 2") && text.contains("0 to 9"), "{text}");
    job.check_ids(&[0, 9]).expect("rows");
    assert_eq!((job.padding(), EmbeddingJob { rows: 16, ..job }.padding()), (Some(10), None));
    let table = Table::from(job.encrypt(&[1; 40]).expect("a matrix"));
    let other = EmbeddingJob { columns: 5, ..job };
    assert!(matches!(Embedding::new(other, table.clone()), Err(Error::Param { .. })));
    assert!(!format!("{table:?}").contains('['), "prints what it is, not what is in it");
    let embedding = Embedding::new(job, table).expect("an embedding");
    assert!(matches!(embedding.shape(), Err(Error::Store(_))));
}

/// Two matrices with one session: their copies are told apart, also if the parties take them the other way round.
#[test]
fn several_tables_on_one_connection() {
    let job = EmbeddingJob { cipher: Cipher::LowMc, ..EmbeddingJob::new(Role::P0, [6, 2], 8, 16) };
    let matrices = [(0..12).collect::<Vec<i64>>(), (0..12).map(|x| -x).collect()];
    let party = |p: &mut Party, mixed: bool| -> Result<Vec<Vec<u64>>> {
        let tables = [transferred(p, &job, &matrices[0])?, transferred(p, &job, &matrices[1])?];
        let mut found = Vec::new();
        for i in [0, 1, 0] {
            let which = if mixed && p.role() == Role::P1 { 1 - i } else { i };
            let embedding = Embedding::new(job, tables[which].clone())?;
            let shares = run::shares(&embedding, p, Ready::default(), &[&[p.role() as u64 * 5]], &Unwatched)?;
            found.push(p.open(&hushtable::AShare::<u64>::new(16, shares[0].to_vec()))?);
        }
        Ok(found)
    };
    let pair = || Party::pair_seeded(8).expect("a pair");
    let (found, _) = run_pair(pair(), |p| party(p, false), |p| party(p, false)).expect("an honest run");
    let second = [(-10i64) as u16, (-11i64) as u16].map(u64::from).to_vec();
    assert_eq!(found, [vec![10, 11], second, vec![10, 11]]);
    let error = run_pair(pair(), |p| party(p, true), |p| party(p, true)).expect_err("other tables");
    assert!(matches!(error, Error::Handshake { .. }), "{error}");
}
