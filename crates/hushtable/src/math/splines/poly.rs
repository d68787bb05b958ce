//! The polynomial of a piece, with whole coefficients, of which results are the upper bits.

/// The sum of `c_q u^q`, less what roundings add, is a value times `2^cut`.
pub(in crate::math) struct Poly {
    coefficients: [i64; 4],
    degree: usize,
    cut: u32,
}

impl Poly {
    /// Of the coefficients from the constant on, at most four.
    pub(super) fn new(coefficients: impl ExactSizeIterator<Item = i64>, cut: u32) -> Self {
        let degree = coefficients.len() - 1;
        let mut all = [0; 4];
        all.iter_mut().zip(coefficients).for_each(|(to, c)| *to = c);
        Self { coefficients: all, degree, cut }
    }

    /// The same with a smaller constant.
    pub(super) fn less(mut self, by: i64) -> Self {
        self.coefficients[0] -= by;
        self
    }

    pub(super) fn degree(&self) -> usize {
        self.degree
    }

    /// Exactly.
    pub(super) fn at(&self, u: i64) -> i128 {
        self.coefficients.iter().rev().fold(0i128, |sum, &c| sum * i128::from(u) + i128::from(c))
    }

    /// How far it is above a value at u.
    pub(super) fn error(&self, u: i64, value: f64) -> f64 {
        let value = value * self.unit();
        let whole = value.floor();
        (self.at(u).saturating_sub(whole as i128) as f64 - (value - whole)) / self.unit()
    }

    /// The least and the greatest sum for whole u, both ends included.
    pub(super) fn sums(&self, [from, to]: [i64; 2]) -> [i128; 2] {
        let mut range = [i128::MAX, i128::MIN];
        let mut include = |u: i64| {
            let sum = self.at(u);
            range = [range[0].min(sum), range[1].max(sum)];
        };
        [from, to].into_iter().for_each(&mut include);
        for turn in self.turning_points().into_iter().flatten() {
            // It is known to some digits.
            let wide = 1 + (turn.abs() >> 40);
            [-wide, 0, wide].into_iter().for_each(|by| include((turn + by).clamp(from, to)));
        }
        range
    }

    /// The least and the greatest value, with a margin for what lies between the whole numbers that were looked at.
    pub(super) fn range(&self, interval: [i64; 2]) -> [f64; 2] {
        let [least, most] = self.sums(interval).map(|sum| sum as f64 / self.unit());
        let margin = (most - least) * 1e-9;
        [least - margin, most + margin]
    }

    /// The values' coefficients in t from -1 to 1, for u from `a` to `b`.
    pub(super) fn around(&self, [a, b]: [i64; 2]) -> [f64; 4] {
        let [_, c1, c2, c3] = self.coefficients.map(i128::from);
        let (half, middle, rest) = ((b - a) as f64 / 2.0, a + (b - a) / 2, (b - a) % 2);
        // At a whole number exactly; the middle may be half a unit above.
        let (m, by) = (i128::from(middle), rest as f64 / 2.0);
        let exact = [self.at(middle), c1 + 2 * c2 * m + 3 * c3 * m * m, c2 + 3 * c3 * m, c3];
        let [p0, p1, p2, p3] = exact.map(|p| p as f64 / self.unit());
        let moved = [
            ((p3 * by + p2) * by + p1) * by + p0,
            (3.0 * p3 * by + 2.0 * p2) * by + p1,
            3.0 * p3 * by + p2,
            p3,
        ];
        let mut power = 1.0;
        moved.map(|p| {
            let scaled = p * power;
            power *= half;
            scaled
        })
    }

    /// Whether values lie between a constant and a line, or at most `slack` beside; false if the line has a bend or
    /// crosses the constant.
    pub(super) fn is_between(
        &self,
        [a, b]: [i64; 2],
        constant: f64,
        line: impl Fn(i64) -> f64,
        slack: f64,
    ) -> bool {
        let (ends, middle) = ([a, b].map(&line), line(a + (b - a) / 2));
        let rise = (ends[1] - ends[0]) / 2.0;
        let [p0, p1, p2, p3] = self.around([a, b]);
        let to_constant = extent([p0 - constant, p1, p2, p3]);
        let to_line = extent([p0 - ends[0] - rise, p1 - rise, p2, p3]);
        // The whole number next to the middle, where it is none.
        let straight =
            (middle - ends[0] - rise).abs() <= 1e-6 + 0.51 * rise.abs() * 2.0 / (b - a).max(1) as f64;
        let rises = ends.iter().all(|end| *end >= constant - 1e-6);
        let falls = ends.iter().all(|end| *end <= constant + 1e-6);
        straight
            && (rises && to_constant[0] >= -slack && to_line[1] <= slack
                || falls && to_constant[1] <= slack && to_line[0] >= -slack)
    }

    fn unit(&self) -> f64 {
        2f64.powi(self.cut as i32)
    }

    /// Whole numbers next to which the derivative is zero, clamped to 50 bits.
    fn turning_points(&self) -> [Option<i64>; 2] {
        let [b, c, d] = [1, 2, 3].map(|q| self.coefficients[q] as f64 * q as f64);
        let whole = |u: f64| u.is_finite().then(|| u.clamp(-2f64.powi(50), 2f64.powi(50)).round() as i64);
        // b + c u + d u^2, without cancellation.
        let root = (c * c - 4.0 * b * d).sqrt();
        let q = -0.5 * (c + root.copysign(c));
        [whole(q / d), whole(b / q)]
    }
}

/// The least and the greatest value of `c_0 + ... + c_3 t^3` for `-1 <= t <= 1`.
pub(super) fn extent(c: [f64; 4]) -> [f64; 2] {
    let at = |t: f64| ((c[3] * t + c[2]) * t + c[1]) * t + c[0];
    let root = (c[2] * c[2] - 3.0 * c[1] * c[3]).max(0.0).sqrt();
    let q = -(c[2] + root.copysign(c[2]));
    let turns = [q / (3.0 * c[3]), c[1] / q].into_iter().filter(|t| t.abs() < 1.0);
    turns
        .chain([-1.0, 1.0])
        .map(at)
        .fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], y| [a.min(y), b.max(y)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extrema_of_cubics() {
        let mut x = 1u64;
        let mut next = || {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 33) as f64 / 2f64.powi(30) - 1.0
        };
        for i in 0..2000 {
            let mut c = [next(), next(), next(), next()];
            // Lower degrees, too.
            c[4 - i % 4..].fill(0.0);
            let sampled = (-1000..=1000).map(|t| f64::from(t) / 1000.0);
            let sampled = sampled.map(|t| ((c[3] * t + c[2]) * t + c[1]) * t + c[0]);
            let [low, high] = sampled.fold([f64::MAX, f64::MIN], |[a, b], y| [a.min(y), b.max(y)]);
            let [least, most] = extent(c);
            assert!(least <= low + 1e-12 && least >= low - 1e-4, "{c:?}: {least}, {low} seen");
            assert!(most >= high - 1e-12 && most <= high + 1e-4, "{c:?}: {most}, {high} seen");
        }
    }

    #[test]
    fn errors_count_parts_of_a_unit() {
        let poly = Poly::new([1, 2].into_iter(), 1);
        for (value, error) in [(0.0, 0.5), (0.3125, 0.1875), (-0.3125, 0.8125), (1e9, 0.5 - 1e9)] {
            assert_eq!(poly.error(0, value), error, "{value}");
        }
    }

    #[test]
    fn sums_are_those_of_every_number() {
        let mut x = 7u64;
        let mut next = |bits: u32| {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (x >> 16) as i64 % (1 << bits) - (1 << (bits - 1))
        };
        for degree in [1, 2, 3].repeat(300) {
            let c = [next(40), next(32), next(24), next(14)];
            let poly = Poly::new(c[..=degree].iter().copied(), 20);
            let (from, count) = (next(9), next(10).abs());
            let all = (from..=from + count).map(|u| poly.at(u));
            let want = all.fold([i128::MAX, i128::MIN], |[a, b], y| [a.min(y), b.max(y)]);
            assert_eq!(poly.sums([from, from + count]), want, "{c:?} from {from}, {count} more");
            let [p0, p1, p2, p3] = poly.around([from, from + count]);
            for u in [from, from + count / 3, from + count] {
                let t = if count == 0 { 0.0 } else { (u - from) as f64 / count as f64 * 2.0 - 1.0 };
                let value = poly.at(u) as f64 / 2f64.powi(20);
                assert!(
                    (((p3 * t + p2) * t + p1) * t + p0 - value).abs() <= 1e-6 * (1.0 + value.abs()),
                    "{c:?}"
                );
            }
        }
    }
}
