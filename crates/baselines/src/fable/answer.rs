//! The server's part of the retrieval: of each bucket what stands at the place that is asked for.
//!
//! With the query `q_0, .., q_{m-1}` of a copy and its columns D, the answer is the sum of `q_a q_d D_{a,d}` over all pairs
//! `a > d`, slot by slot: one of the products is 1 in a slot, the others 0. It is added up as
//! `sum_a q_a (sum_d q_d D_{a,d})`: of two ciphertexts there are `m - 1` products for each chunk, where FABLE has one for
//! each place. They are added before they are rounded and relinearised, which is done once for a response. The noise is
//! that of `job`.

use std::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};

use fhe::bfv::{Ciphertext, Encoding, Plaintext, dot_product_scalar};
use fhe_math::rq::{Poly, Representation};
use fhe_traits::FheEncoder;
use prim::{Block, prg::Prg};
use zeroize::Zeroizing;

use super::{
    job::{COPIES, Sizes},
    refresh::refresh,
    ring::{Ring, ServerKeys, fits},
    setup::Setup,
};

/// Sums of products: polynomials of degree two in the secret key, in the wide ring.
type Sums = Vec<Option<[Poly; 3]>>;

/// The responses of all copies, chunk by chunk, refreshed and modulo one prime.
pub(super) fn answer(
    (ring, keys): (&Ring, &ServerKeys),
    sizes: &Sizes,
    setup: &Setup,
    queries: &[Vec<Ciphertext>],
    rng: &mut Prg,
) -> Vec<Ciphertext> {
    let sums = sums((ring, sizes), setup, queries);
    let seeds: Vec<Block> = sums.iter().map(|_| rng.block()).collect();
    let responses = Mutex::new(vec![None; sums.len()]);
    side_by_side(sums.len(), |next| {
        while let Some(i) = next() {
            let mut response = relinearised((ring, keys), &sums[i]);
            refresh(ring, &mut response, &keys.public, sizes.flood_bits, &mut Prg::new(seeds[i]));
            fits(response.switch_to_level(ring.par.max_level()));
            responses.lock().expect("no thread has failed")[i] = Some(response);
        }
    });
    responses.into_inner().expect("no thread has failed").into_iter().flatten().collect()
}

/// The sums of products of all responses.
pub(super) fn sums(
    (ring, sizes): (&Ring, &Sizes),
    setup: &Setup,
    queries: &[Vec<Ciphertext>],
) -> Vec<[Poly; 3]> {
    // Groups with many columns first, so that threads end at one time.
    let groups: Vec<[usize; 2]> =
        (1..sizes.code).rev().flat_map(|a| (0..COPIES).map(move |copy| [copy, a])).collect();
    let sums = Mutex::new(vec![None; sizes.responses()]);
    side_by_side(groups.len(), |next| {
        let mut mine: Sums = vec![None; sizes.responses()];
        while let Some(group) = next() {
            add_group((ring, sizes), setup, &queries[groups[group][0]], groups[group], &mut mine);
        }
        let mut sums = sums.lock().expect("no thread has failed");
        mine.into_iter().zip(sums.iter_mut()).for_each(|(mine, sum)| add(sum, mine));
    });
    sums.into_inner().expect("no thread has failed").into_iter().flatten().collect()
}

/// On all processors: each gets what gives it the next number below `count`, until there is none.
fn side_by_side(count: usize, work: impl Fn(&dyn Fn() -> Option<usize>) + Sync) {
    let given = AtomicUsize::new(0);
    let next = || Some(given.fetch_add(1, Ordering::Relaxed)).filter(|&i| i < count);
    let threads = std::thread::available_parallelism().map_or(1, usize::from).min(count);
    std::thread::scope(|scope| {
        (1..threads).for_each(|_| drop(scope.spawn(|| work(&next))));
        work(&next);
    });
}

/// Adds `q_a (sum_d q_d D_{a,d})` for all chunks of a copy.
fn add_group(
    (ring, sizes): (&Ring, &Sizes),
    setup: &Setup,
    query: &[Ciphertext],
    [copy, a]: [usize; 2],
    sums: &mut Sums,
) {
    let first = a * (a - 1) / 2;
    let columns = a.min(sizes.columns.saturating_sub(first));
    if columns == 0 {
        return;
    }
    let column = |d: usize| Zeroizing::new(setup.column(copy, first + d).collect::<Vec<u128>>());
    let items: Vec<_> = (0..columns).map(column).collect();
    let wide = widened(ring, &query[a]);
    for chunk in 0..sizes.chunks {
        let shift = chunk as u32 * sizes.chunk_bits();
        let mask = (1 << sizes.chunk_bits()) - 1;
        let plain = |items: &Zeroizing<Vec<u128>>| {
            let values =
                Zeroizing::new(items.iter().map(|item| (item >> shift) as u64 & mask).collect::<Vec<_>>());
            fits(Plaintext::try_encode(&values[..], Encoding::simd(), &ring.par))
        };
        let plain: Vec<Plaintext> = items.iter().map(plain).collect();
        let row = widened(ring, &fits(dot_product_scalar(query[..columns].iter(), plain.iter())));
        let mut middle = &wide[0] * &row[1];
        middle += &(&wide[1] * &row[0]);
        let product = [&wide[0] * &row[0], middle, &wide[1] * &row[1]];
        add(&mut sums[copy * sizes.chunks + chunk], Some(product));
    }
}

fn widened(ring: &Ring, ct: &Ciphertext) -> [Poly; 2] {
    [0, 1].map(|i| ct[i].scale(&ring.widen).expect("a polynomial of the ring"))
}

fn add(sum: &mut Option<[Poly; 3]>, more: Option<[Poly; 3]>) {
    match (sum.as_mut(), more) {
        (Some(sum), Some(more)) => sum.iter_mut().zip(&more).for_each(|(sum, more)| *sum += more),
        (None, more) => *sum = more,
        (_, None) => {}
    }
}

/// Rounds and relinearises.
pub(super) fn relinearised((ring, keys): (&Ring, &ServerKeys), sum: &[Poly; 3]) -> Ciphertext {
    let narrowed = sum.iter().map(|polynomial| {
        let mut polynomial = polynomial.clone();
        polynomial.change_representation(Representation::PowerBasis);
        let mut polynomial = polynomial.scale(&ring.narrow).expect("a polynomial of the ring");
        polynomial.change_representation(Representation::Ntt);
        polynomial
    });
    let mut response = fits(Ciphertext::new(narrowed.collect(), &ring.par));
    fits(keys.relin.relinearizes(&mut response));
    response
}
