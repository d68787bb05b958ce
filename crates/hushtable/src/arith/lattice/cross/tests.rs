use he::Window;
use prim::{Block, Prg};

use super::*;

fn cross(batch: usize, sides: [usize; 3], bits: u32, known_bits: u32) -> Cross {
    let shape = Shape::new(sides, Window::ONE).expect("a shape");
    Cross::new((batch, shape), [bits, known_bits], &[Side::Left, Side::Right], Role::P0, Objective::Total)
        .expect("products")
}

/// What all outputs of a batch give away together is at most `2^-40`: the mean noise of each, at most its deviation, over the
/// width of the flooding.
#[test]
fn the_bound_is_that_of_a_batch() {
    let mut prg = Prg::new(Block(2720));
    let mut more = 0;
    for _ in 0..300 {
        let mut side = |most: u32| {
            let most = prg.below(most);
            1 + prg.below(1 << most) as usize
        };
        let (sides, batch) = ([side(9), side(11), side(12)], side(10));
        let bits = 8 + prg.below(57);
        let known_bits = 1 + prg.below(bits.min(63));
        let all = cross(batch, sides, bits, known_bits);
        let one = all.tiling.product(known_bits, 1);
        assert_eq!(one.outputs, sides[0] * sides[2]);
        let deviation = (10.75 * one.terms as f64).sqrt() * f64::from(known_bits as i32 - 1).exp2();
        let width = f64::from((30 * all.params.limbs() as u32 - bits - 2) as i32).exp2();
        let away = (batch * one.outputs) as f64 * deviation / width;
        assert!(away <= 2f64.powi(-40), "{batch} of {sides:?}, {bits} bits by {known_bits}: {away:e}");
        more += usize::from(all.params.limbs() > cross(1, sides, bits, known_bits).params.limbs());
    }
    assert!(more > 3, "{more} take more primes than one product");
}
