//! Lines that are looked up by an index of which a bit more is wanted: the carry above it.
//!
//! # Functionality
//! In: a public table of lines `c_0 + c_1 u` mod `2^L`, additive shares mod `2^(k+1)` of an index x, and from party p a
//! number `0 <= u_p < 2^t`. Out: additive shares mod `2^(L-f)` of the line at `x mod 2^k` and `u_0 + u_1`, without its low
//! f bits, as a [cut polynomial](super::polynomial); and XOR shares of bit k and of bit `k - 1` of x.
//!
//! # Protocol
//! 1. *Offline*: one-hot vectors of `2^k` entries at random positions s, and shares of s mod `2^(k+1)`.
//! 2. With `m_p = x_p - s_p` mod `2^(k+1)`, open the **low k bits** of the sum. So `x = m + s` but for the top bits of
//!    `m_0` and `m_1`, and bit k of x is the XOR of these, of the carry of the low bits' sum, which is public, and of
//!    `1{s >= 2^k - m}`, the parity of a part of the vector. So is bit `k - 1`, at the opened place. Bit k is not
//!    opened: with the position it would tell of the shares of x.
//! 3. The polynomial's second step. *Products* `c (n - u_0) (n - u_1)` of one entry, for a public n, take the same: with
//!    the `z_p` of c and `y_p = tau_p z_p (n - u_p)`, it is the sum of `tau_o y_p (n - u_o)`, that is `W_0 = n y_p` and
//!    `W_1 = -y_p`.
//!
//! # Cost, a lookup
//! As a polynomial, with k bits more offline.
//!
//! # Source
//! functions-beyond 0, T1 and T2.

use prim::ct;
use zeroize::Zeroizing;

use super::polynomial::{Coefficients, Polynomial, PolynomialShape, expanded};
use crate::{
    bill::Bill,
    error::{Result, same},
    gates::Bits,
    lut::Table,
    net::Role,
    onehot::{Cyclic, UnitShape, UnitVectors, contained},
    session::Session,
    share::AShare,
    source::Source,
};

/// What is made of an entry and of the parties' numbers.
#[derive(Clone, Copy)]
pub(crate) enum Line {
    /// `c_0 + c_1 (u_0 + u_1)`, less `2^t c_1` where the shape has a carry that is 1.
    Sum,
    /// `c (n - u_0) (n - u_1)` for this n.
    Product(u64),
}

/// One-time material for a batch of lines.
#[must_use = "one-time material that is not used was generated for nothing"]
pub(crate) struct Lines {
    /// The top bits of the positions' shares.
    pub(super) top: Zeroizing<Vec<u64>>,
    pub(super) lines: Polynomial<Cyclic>,
}

/// What is found at the indices.
pub(crate) struct Found {
    pub(crate) lines: AShare<u64>,
    /// Bit k of each index, and bit `k - 1`.
    pub(crate) carry: Bits,
    pub(crate) half: Bits,
}

impl Lines {
    /// Offline: for `batch` lookups among `2^k` lines.
    ///
    /// # Errors
    /// [`Error::Param`](crate::Error::Param) for widths that are not supported, and those of the channel.
    pub(crate) fn prepare(p: &mut dyn Source, k: u32, shape: PolynomialShape, batch: usize) -> Result<Self> {
        assert_eq!(shape.degree, 1, "lines");
        p.atom((k, shape), batch, |p| {
            let mut made = UnitVectors::doubling(p, &[(unit(k), batch)])?;
            let (onehot, top) = made.remove(0).into_lifted()?;
            Ok(Self { top, lines: onehot.polynomial(p, shape)? })
        })
    }

    /// What a lookup costs, with its one-hot vector.
    pub(crate) fn bill(k: u32, shape: PolynomialShape) -> Bill {
        let lines = shape.bill(k);
        unit(k).bill() + lines.keeping(lines.kept + 1)
    }

    /// Online, 2 rounds. Spends the material.
    ///
    /// # Errors
    /// [`Error::Shape`](crate::Error::Shape) if number, length or width differ from what was prepared, and those of the
    /// channel.
    pub(crate) fn eval(
        self,
        s: &mut Session,
        table: &Table<u64>,
        line: Line,
        x: &AShare<u64>,
        u: &[u64],
    ) -> Result<Found> {
        let Self { top, lines } = self;
        let k = lines.onehot.index_bits();
        lines.check(table, if let Line::Product(_) = line { 1 } else { 2 }, u)?;
        same("bits of the indices", k as usize + 1, x.bits() as usize)?;
        let masked = lines.onehot.mask(x)?;
        // Public: k bits under a uniform position, which serves no other opening, since `self` is spent.
        let m = s.open(&masked)?;
        let role = s.role();
        let mine = Zeroizing::new(tops(k, x, &top, lines.onehot.offset()));
        let mut carry =
            Bits::collect(m.iter().zip(masked.words()).zip(mine.iter()).map(|((m, own), top)| {
                // The sum of the low bits is less than one of them if it was reduced.
                let reduced = u64::from(m.wrapping_sub(*own) >> 31);
                top ^ if role == Role::P0 { reduced } else { 0 }
            }));
        let [mut above, mut half] = [(); 2].map(|()| Zeroizing::new(Vec::with_capacity(m.len())));
        let n = 1u64 << k;
        lines.onehot.visit_rows(|at, rows| {
            for (row, &m) in rows.chunks_exact(ct::row_words(1 << k)).zip(&m[at]) {
                let m = u64::from(m); // public
                above.push(contained(role, row, k, 0, &(n - m..n)));
                half.push(contained(role, row, k, m, &(n / 2..n)));
            }
        });
        carry ^= &Bits::collect(above.iter().copied());
        let half = Bits::collect(half.iter().copied());
        let lines = lines.opened(s, table, &m, u, |z, u| match line {
            Line::Sum => expanded(1)(z, u),
            Line::Product(n) => {
                let y = z[0].wrapping_mul(n.wrapping_sub(u));
                let mut w = Coefficients::default();
                (w[0], w[1]) = (y.wrapping_mul(n), y.wrapping_neg());
                w
            }
        })?;
        Ok(Found { lines, carry, half })
    }
}

/// Bit k of `x_p - s_p`.
fn tops(k: u32, x: &AShare<u64>, top: &[u64], offset: &AShare<u32>) -> Vec<u64> {
    let words = x.words().iter().zip(top).zip(offset.words());
    words.map(|((x, top), &low)| x.wrapping_sub(top << k | u64::from(low)) >> k & 1).collect()
}

/// The vectors, with positions lifted by a bit.
fn unit(k: u32) -> UnitShape {
    UnitShape { d: k, ring: Some(k + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Party, run_pair};
    use prim::ring::low;

    const K: u32 = 3;
    const N: u64 = 1 << 10;

    /// Every pair of shares of an index, with some numbers, and shares of a carry where there is one.
    fn found(p: &mut Party, line: Line, carry: bool) -> Result<(Vec<u64>, Vec<u64>, Vec<u64>)> {
        let role = p.role() as u32;
        let x = (0..256u64).map(|i| i >> (4 * role) & 15).collect();
        let number = |i| (i * 7 + 3 * u64::from(role)) % 32;
        let carries = |i| if carry { carries(i)[role as usize] << 5 } else { 0 };
        let u: Vec<u64> = (0..256).map(|i| number(i) | carries(i)).collect();
        let columns = if let Line::Product(_) = line { 1 } else { 2 };
        let column = |q: u64| (0..1 << K).map(|i| (i + 1) * (1000 + q)).collect();
        let table = Table::vector(30, (0..columns).map(column).collect())?;
        let shape = PolynomialShape { degree: 1, bits: 5, ring: 30, cut: 0, carry };
        let found = Lines::prepare(p, K, shape, 256)?.eval(p, &table, line, &AShare::new(K + 1, x), &u)?;
        Ok((p.open(&found.lines)?, found.carry.open(p)?, found.half.open(p)?))
    }

    /// Shares of a carry.
    fn carries(i: u64) -> [u64; 2] {
        [3, 5].map(|step| i / step % 2)
    }

    #[test]
    fn lines_and_carries_of_every_pair_of_shares() {
        for (line, carry) in [(Line::Sum, false), (Line::Sum, true), (Line::Product(N), false)] {
            let run = |p: &mut Party| found(p, line, carry);
            let ((lines, above, half), _) = run_pair(Party::pair().unwrap(), run, run).unwrap();
            for i in 0..256usize {
                let (x, u) =
                    ((i as u64 >> 4) + (i as u64 & 15), [0, 3].map(|more| (i as u64 * 7 + more) % 32));
                let entry = |q: u64| ((x & 7) + 1) * (1000 + q);
                let [c, d] = carries(i as u64);
                let less = if carry { 32 * (c ^ d) } else { 0 };
                let want = match line {
                    Line::Sum => {
                        entry(0).wrapping_add(entry(1).wrapping_mul((u[0] + u[1]).wrapping_sub(less)))
                    }
                    Line::Product(n) => entry(0) * (n - u[0]) * (n - u[1]),
                };
                assert_eq!(lines[i], low(want, 30), "{i}");
                let bit = |bits: &[u64]| bits[i / 64] >> (i % 64) & 1;
                assert_eq!([bit(&above), bit(&half)], [x >> K & 1, x >> (K - 1) & 1], "{i}");
            }
        }
    }
}
