//! What products of matrices, linear layers and lattices send: a part of the golden transcripts of `wire`.

use hushtable::{
    AShare, Party, Result, Role,
    arith::{
        ConvolutionShape, Gram, GramJob, LatticeJob, LatticeProduct, LatticeTriplesJob, Layer, LayerJob,
        LinearJob, LinearProduct, MatrixShape, Objective, ProductTriples,
    },
};

/// 2 x 3 shares times 3 x 2 numbers of P0's.
pub fn known_matrix(p: &mut Party) -> Result<()> {
    let shape = MatrixShape { batch: 1, rows: 2, inner: 3, columns: 2 };
    let numbers: &[i64] = if p.role() == Role::P0 { &[-4, 3, 2, -1, 0, 1] } else { &[] };
    let job = LinearJob { shape: shape.into(), bits: 20, number_bits: 3, owner: Role::P0 };
    LinearProduct::prepare(p, job)?.multiply(p, &AShare::<u32>::new(20, vec![4444; 6]), numbers).map(drop)
}

/// The same before there are inputs, with 32 columns, so that products are packed.
pub fn by_lattice(p: &mut Party) -> Result<()> {
    let shape = MatrixShape { batch: 1, rows: 2, inner: 64, columns: 32 };
    let numbers = vec![-3; if p.role() == Role::P0 { shape.right() } else { 0 }];
    let job = LatticeJob::new(LinearJob { shape: shape.into(), bits: 20, number_bits: 3, owner: Role::P0 })?;
    let product = LatticeProduct::prepare(p, &job, &numbers)?;
    product.multiply(p, &AShare::<u32>::new(20, vec![4444; 128])).map(drop)
}

/// A convolution with offsets, rounded: of few channels by OTs, of many by a lattice.
pub fn layer(p: &mut Party, channels: usize) -> Result<()> {
    let shape = ConvolutionShape {
        images: 1,
        image: [12, 12],
        channels,
        filters: 2 * channels,
        window: [3, 3],
        stride: [2, 2],
        padding: [[1, 1], [1, 0]],
        groups: 1,
    };
    let map = LinearJob { shape: shape.into(), bits: 20, number_bits: 3, owner: Role::P1 };
    let (job, mine) = (LayerJob::new(map, 5)?, p.role() == Role::P1);
    assert_eq!(job.by_lattice(), channels > 1);
    let numbers = vec![2; if mine { shape.right() } else { 0 }];
    let offsets = vec![9; if mine { shape.filters } else { 0 }];
    let layer = Layer::prepare(p, &job, 1, &numbers)?;
    layer.apply(p, &AShare::<u32>::new(20, vec![4444; shape.left()]), &offsets).map(drop)
}

pub fn triples_by_lattice(p: &mut Party) -> Result<()> {
    let shape = MatrixShape { batch: 1, rows: 2, inner: 64, columns: 2 };
    let triples =
        ProductTriples::<u32>::by_lattice(p, &LatticeTriplesJob::new(20, shape, Objective::Total)?)?;
    triples.multiply(p, &AShare::new(20, vec![4444; 128]), &AShare::new(20, vec![33; 128])).map(drop)
}

/// 2 x 20 shares times themselves, transposed, and by triples.
pub fn symmetric(p: &mut Party) -> Result<()> {
    let x = AShare::<u32>::new(20, vec![4444; 40]);
    let jobs = [GramJob::by_ots([1, 2, 20], 20)?, GramJob::by_triples([1, 2, 20], 20)?];
    jobs.iter().try_for_each(|job| Gram::prepare(p, job)?.multiply(p, &x).map(drop))
}

pub fn symmetric_by_lattice(p: &mut Party) -> Result<()> {
    let job = GramJob::by_lattice([3, 2, 20], 20, Objective::Total)?;
    Gram::prepare(p, &job)?.multiply(p, &AShare::<u32>::new(20, vec![4444; 120])).map(drop)
}
