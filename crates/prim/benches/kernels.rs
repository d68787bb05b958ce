//! Kernels on one thread, on every supported instruction set: `cargo bench -p hushtable-prim`.

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use hushtable_prim::lookup::{Sums, Xors};
use hushtable_prim::{Block, CcrHash, Kernel, Prg, Ring, Shift, ct, ggm, lookup, lpn, pack, rows, transpose};
use std::hint::black_box;
use std::time::Duration;

fn blocks(count: usize) -> Vec<Block> {
    let mut out = vec![Block::ZERO; count];
    Prg::new(Block(count as u128)).blocks(&mut out);
    out
}

fn words<R: Ring>(count: usize) -> Vec<R> {
    let mut out = vec![R::default(); count];
    Prg::new(Block(7)).words(R::WIDTH, &mut out);
    out
}

fn aes(c: &mut Criterion) {
    let mut group = c.benchmark_group("hash");
    for kernel in Kernel::supported() {
        let hash = CcrHash::with_kernel(Block(1), kernel);
        for count in [1, 8, 1024] {
            let mut xs = blocks(count);
            group.throughput(Throughput::Elements(count as u64));
            group.bench_function(BenchmarkId::new(kernel.name(), count), |b| {
                b.iter(|| hash.in_place(black_box(&mut xs)));
            });
        }
        let mut prg = Prg::with_kernel(Block(2), kernel);
        let mut out = blocks(1024);
        group.bench_function(BenchmarkId::new("prg", kernel.name()), |b| {
            b.iter(|| prg.blocks(black_box(&mut out)));
        });
    }
}

fn trees(c: &mut Criterion) {
    let mut group = c.benchmark_group("ggm");
    for kernel in Kernel::supported() {
        let hash = CcrHash::with_kernel(Block(1), kernel);
        for depth in [8, 10, 12] {
            let (mut leaves, mut corrections) = (blocks(1 << depth), blocks(depth - 1));
            let strings = blocks(depth);
            group.throughput(Throughput::Elements(1 << depth));
            group.bench_function(BenchmarkId::new(format!("expand/{}", kernel.name()), depth), |b| {
                b.iter(|| ggm::expand(&hash, Block(3), black_box(&strings), &mut leaves, &mut corrections));
            });
            group.bench_function(BenchmarkId::new(format!("puncture/{}", kernel.name()), depth), |b| {
                b.iter(|| ggm::puncture(&hash, black_box(&strings), &corrections, &mut leaves));
            });
        }
    }
}

/// A party's work for one ROTL: the tree, then its rows.
fn rotl(c: &mut Criterion) {
    let mut group = c.benchmark_group("rotl");
    for kernel in Kernel::supported().into_iter().filter(|k| *k != Kernel::Portable) {
        let tree = CcrHash::with_kernel(Block(1), kernel);
        let leaf = CcrHash::with_kernel(Block(2), kernel);
        for depth in [4, 6, 7, 8, 9, 10] {
            let n = 1 << depth;
            let (mut leaves, mut corrections) = (blocks(n), blocks(depth - 1));
            let strings = blocks(depth);
            let (mut r, mut a) = (vec![0; ct::row_words(n)], vec![0; ct::row_words(n)]);
            for (name, shift) in [("cyclic", Shift::Cyclic), ("xor", Shift::Xor)] {
                group.bench_function(BenchmarkId::new(format!("{name}/{}", kernel.name()), n), |b| {
                    b.iter(|| {
                        ggm::expand(&tree, Block(3), black_box(&strings), &mut leaves, &mut corrections);
                        rows::sum_rows(&leaf, shift, &leaves, &mut r, &mut a);
                    });
                });
            }
        }
    }
}

fn readers(c: &mut Criterion) {
    let mut group = c.benchmark_group("select");
    let batch = 1000;
    group.throughput(Throughput::Elements(batch as u64));
    for n in [16, 256, 1024] {
        let rows: Vec<u64> =
            words::<u64>(batch * ct::row_words(n)).iter().map(|w| w & (!0 >> (64 - n.min(64)))).collect();
        select::<u8>(&mut group, "u8", n, batch, &rows);
        select::<u16>(&mut group, "u16", n, batch, &rows);
        select::<u32>(&mut group, "u32", n, batch, &rows);
        select::<u64>(&mut group, "u64", n, batch, &rows);
    }
}

type Group<'a> = criterion::BenchmarkGroup<'a, criterion::measurement::WallTime>;

fn select<R: Ring>(group: &mut Group, name: &str, n: usize, batch: usize, rows: &[u64]) {
    let (table, mut out) = (words::<R>(n), vec![R::default(); batch]);
    let tables = [(R::WIDTH, &table[..])];
    let (xors, sums) = (Xors::new(&tables, batch), Sums::new(&tables, batch));
    group.bench_function(BenchmarkId::new(format!("xor/{name}"), n), |b| {
        b.iter(|| xors.add(0, black_box(rows), &mut [&mut out]));
    });
    group.bench_function(BenchmarkId::new(format!("add/{name}"), n), |b| {
        b.iter(|| sums.add(0, black_box(rows), &mut [&mut out]));
    });
}

fn rows_of_bits(c: &mut Criterion) {
    let mut group = c.benchmark_group("row-256");
    let mut row = words::<u64>(4);
    group.bench_function("rotate-secret", |b| b.iter(|| ct::rotate_row(black_box(&mut row), 256, 77)));
    group.bench_function("xor-secret", |b| b.iter(|| ct::xor_row(black_box(&mut row), 256, 77)));
    group.bench_function("one-hot-secret", |b| b.iter(|| ct::one_hot_row(256, black_box(77), &mut row)));
    group.bench_function("rotate-public", |b| {
        b.iter(|| lookup::shift_row(black_box(&mut row), 256, Shift::Cyclic, black_box(77)));
    });
    group.bench_function("xor-public", |b| {
        b.iter(|| lookup::shift_row(black_box(&mut row), 256, Shift::Xor, black_box(77)));
    });
}

fn lpn(c: &mut Criterion) {
    let mut group = c.benchmark_group("lpn");
    let count = 1 << 16;
    group.throughput(Throughput::Elements(count as u64));
    for kernel in Kernel::supported() {
        for log2_k in [14, 16, 17, 18, 19] {
            let encoder = lpn::Encoder::with_kernel(Block(1), log2_k, kernel);
            let (table, mut out) = (blocks(1 << log2_k), blocks(count));
            let mut row = 0;
            group.bench_function(BenchmarkId::new(kernel.name(), log2_k), |b| {
                b.iter(|| {
                    encoder.encode(row, &table, black_box(&mut out));
                    row += count as u64;
                });
            });
        }
    }
}

fn bits(c: &mut Criterion) {
    let mut group = c.benchmark_group("bits");
    for log in [12, 20] {
        let (columns, mut rows) = (blocks(1 << log), blocks(1 << log));
        group.throughput(Throughput::Elements(1 << log));
        group.bench_function(BenchmarkId::new("transpose128", log), |b| {
            b.iter(|| transpose::transpose128(black_box(&columns), &mut rows));
        });
    }
    let words = words::<u64>(4096);
    group.throughput(Throughput::Elements(4096));
    for width in [1, 8, 37, 64] {
        let mut bytes = Vec::new();
        group.bench_function(BenchmarkId::new("pack-u64", width), |b| {
            b.iter(|| {
                bytes.clear();
                pack::pack(black_box(&words), width, &mut bytes);
            });
        });
        let mut back = vec![0u64; 4096];
        group.bench_function(BenchmarkId::new("unpack-u64", width), |b| {
            b.iter(|| pack::unpack(black_box(&bytes), width, &mut back));
        });
    }
}

criterion_group! {
    name = kernels;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(500));
    targets = aes, trees, rotl, readers, rows_of_bits, lpn, bits
}
criterion_main!(kernels);
