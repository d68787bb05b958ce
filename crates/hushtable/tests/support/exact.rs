//! Functions to some 95 binary digits, in sums of two floating-point numbers: what results of any format are compared
//! with. It shares nothing with the library.

use std::ops::{Add, Div, Mul, Neg, Sub};

use hushtable::math::Function;

/// The sum of two numbers, of which the second is less than the last digit of the first.
#[derive(Clone, Copy, Debug)]
pub struct Exact(pub f64, pub f64);

const PI: Exact = Exact(std::f64::consts::PI, 1.224_646_799_147_353_2e-16);
const LN_2: Exact = Exact(std::f64::consts::LN_2, 2.319_046_813_846_299_6e-17);
const LN_10: Exact = Exact(std::f64::consts::LN_10, -2.170_756_223_382_249_4e-16);
const ONE: Exact = Exact(1.0, 0.0);

fn sum(a: f64, b: f64) -> Exact {
    let s = a + b;
    let v = s - a;
    Exact(s, (a - (s - v)) + (b - v))
}

fn product(a: f64, b: f64) -> Exact {
    let split = |x: f64| {
        let c = 134_217_729.0 * x;
        let high = c - (c - x);
        (high, x - high)
    };
    let (p, (a1, a2), (b1, b2)) = (a * b, split(a), split(b));
    Exact(p, ((a1 * b1 - p) + a1 * b2 + a2 * b1) + a2 * b2)
}

impl Add for Exact {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let (s, t) = (sum(self.0, other.0), sum(self.1, other.1));
        let s = sum(s.0, s.1 + t.0);
        sum(s.0, s.1 + t.1)
    }
}

impl Neg for Exact {
    type Output = Self;

    fn neg(self) -> Self {
        Self(-self.0, -self.1)
    }
}

impl Sub for Exact {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        self + -other
    }
}

impl Mul for Exact {
    type Output = Self;

    fn mul(self, other: Self) -> Self {
        let p = product(self.0, other.0);
        sum(p.0, p.1 + (self.0 * other.1 + self.1 * other.0))
    }
}

impl Div for Exact {
    type Output = Self;

    fn div(self, other: Self) -> Self {
        let first = self.0 / other.0;
        let rest = self - other * Self(first, 0.0);
        let second = rest.0 / other.0;
        let rest = rest - other * Self(second, 0.0);
        sum(first, second) + Self(rest.0 / other.0, 0.0)
    }
}

impl Exact {
    /// An integer of up to 63 bits times a power of two.
    pub fn of(x: i64, fraction: u32) -> Self {
        let (high, low) = (x >> 32, x & 0xffff_ffff);
        (Self(high as f64 * 2f64.powi(32), 0.0) + Self(low as f64, 0.0)).scaled(-(fraction as i32))
    }

    pub fn scaled(self, power: i32) -> Self {
        Self(self.0 * 2f64.powi(power), self.1 * 2f64.powi(power))
    }

    fn whole(n: i64) -> Self {
        Self(n as f64, 0.0)
    }

    fn abs(self) -> Self {
        if self.0 < 0.0 { -self } else { self }
    }

    fn sqrt(self) -> Self {
        if self.0 == 0.0 {
            return self;
        }
        let near = Self(self.0.sqrt(), 0.0);
        near + (self - near * near) / near.scaled(1)
    }

    pub fn exp(self) -> Self {
        if self.0 < -200.0 {
            return Self(0.0, 0.0);
        }
        if self.0 > 600.0 {
            return Self(f64::INFINITY, 0.0);
        }
        let turns = (self.0 / LN_2.0).round();
        let r = (self - LN_2 * Self(turns, 0.0)).scaled(-9);
        // Less 1, so that squaring keeps its digits.
        let (mut term, mut less) = (r, r);
        for n in 2..12 {
            term = term * r / Self::whole(n);
            less = less + term;
        }
        for _ in 0..9 {
            less = less.scaled(1) + less * less;
        }
        (less + ONE).scaled(turns as i32)
    }

    fn ln(self) -> Self {
        let mut near = Self(self.0.ln(), 0.0);
        for _ in 0..2 {
            near = near + self * (-near).exp() - ONE;
        }
        near
    }

    /// Sine and cosine.
    pub fn sin_cos(self) -> [Self; 2] {
        let quarters = (self.0 / PI.0 * 2.0).round();
        let r = self - PI.scaled(-1) * Self(quarters, 0.0);
        let square = r * r;
        let series = |first: Self, from: i64| {
            let (mut term, mut all) = (first, first);
            for n in (from..40).step_by(2) {
                term = -(term * square) / Self::whole(n * (n + 1));
                all = all + term;
            }
            all
        };
        let (sin, cos) = (series(r, 2), series(ONE, 1));
        match quarters.rem_euclid(4.0) as u32 {
            0 => [sin, cos],
            1 => [cos, -sin],
            2 => [-sin, -cos],
            _ => [-cos, sin],
        }
    }

    fn tan(self) -> Self {
        let [sin, cos] = self.sin_cos();
        sin / cos
    }

    fn atan(self) -> Self {
        let near = Self(self.0.atan(), 0.0);
        let [sin, cos] = near.sin_cos();
        near + (self * cos - sin) / (cos + self * sin)
    }

    fn asin(self) -> Self {
        if self.0.abs() >= 1.0 {
            return PI.scaled(-1) * Self(self.0.signum(), 0.0);
        }
        (self / ((ONE - self) * (ONE + self)).sqrt()).atan()
    }

    fn erf(self) -> Self {
        if self.0.abs() > 8.0 {
            return Self(self.0.signum(), 0.0);
        }
        let (mut term, mut all, square) = (self, self, (self * self).scaled(1));
        for n in 1..400 {
            term = term * square / Self::whole(2 * n + 1);
            all = all + term;
        }
        (all * (-(self * self)).exp()).scaled(1) / PI.sqrt()
    }

    fn sigmoid(self) -> Self {
        if self.0 < 0.0 {
            let e = self.exp();
            return e / (ONE + e);
        }
        ONE / (ONE + (-self).exp())
    }

    /// Less whole multiples of a power of two.
    fn modulo(self, power: i32) -> Self {
        self - Self((self.0 * 2f64.powi(-power)).round() * 2f64.powi(power), 0.0)
    }
}

/// The function itself.
pub fn exact(function: Function, x: Exact) -> Exact {
    match function {
        Function::Sigmoid => x.sigmoid(),
        Function::Tanh if x.0 < 0.0 => -exact(function, -x),
        Function::Tanh => ONE - ((-x.scaled(1)).exp() / (ONE + (-x.scaled(1)).exp())).scaled(1),
        Function::Exp => x.exp(),
        Function::Ln => x.ln(),
        Function::Log10 => x.ln() / LN_10,
        Function::Sqrt => x.sqrt(),
        Function::Rsqrt => ONE / x.sqrt(),
        Function::Reciprocal => ONE / x,
        Function::Gelu => x * (ONE + (x / ONE.scaled(1).sqrt()).erf()).scaled(-1),
        Function::Silu => x * x.sigmoid(),
        Function::Softplus => {
            let rest = (ONE + (-x.abs()).exp()).ln();
            if x.0 > 0.0 { x + rest } else { rest }
        }
        Function::Erf => x.erf(),
        Function::Identity => x,
        Function::Sin => x.sin_cos()[0],
        Function::Cos => x.sin_cos()[1],
        Function::Tan => x.tan(),
        Function::SinPi => (x.modulo(1) * PI).sin_cos()[0],
        Function::CosPi => (x.modulo(1) * PI).sin_cos()[1],
        Function::TanPi => (x.modulo(0) * PI).tan(),
        Function::Sin2Pi => (x.modulo(0) * PI.scaled(1)).sin_cos()[0],
        Function::Cos2Pi => (x.modulo(0) * PI.scaled(1)).sin_cos()[1],
        Function::Tan2Pi => (x.modulo(-1) * PI.scaled(1)).tan(),
        Function::Asin => x.asin(),
        Function::Acos => PI.scaled(-1) - x.asin(),
        Function::Atan => x.atan(),
        other => panic!("{other} is not known exactly"),
    }
}

/// How far an integer is from the function's value at another, in units in the last place; within two steps of a
/// pole they are held at what a ring of `bits` bits holds.
pub fn ulps(function: Function, x: i64, y: i64, [bits, fraction, fraction_out]: [u32; 3]) -> f64 {
    let unscaled = exact(function, Exact::of(x, fraction));
    let value = unscaled.scaled(fraction_out as i32);
    let most = ((1i64 << (bits - 1)).wrapping_sub(1)) as f64 * (1.0 - f64::EPSILON);
    let held = unscaled.0.is_nan() || unscaled.0.abs() >= beside_pole(function, fraction);
    if function.has_poles() && held && (value.0.is_nan() || value.0.abs() > most) {
        // The greatest that floating point has there, and either sign at the pole itself.
        return if (y as f64).abs() >= most { 0.0 } else { f64::INFINITY };
    }
    (value - Exact::of(y, 0)).0.abs()
}

/// The size of a tangent two steps from a pole, and a little less.
fn beside_pole(function: Function, fraction: u32) -> f64 {
    let unit = match function {
        Function::Tan => 1.0,
        Function::TanPi => PI.0,
        _ => 2.0 * PI.0,
    };
    let distance = unit * 2.0 * 2f64.powi(-(fraction as i32));
    if distance < PI.0 / 2.0 { (1.0 - 1e-9) / distance.tan() } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Each to more digits than floating point has: of known constants, and of identities.
    #[test]
    fn digits_beyond_floating_point() {
        let near =
            |a: Exact, b: Exact| assert!((a - b).0.abs() < 1e-27 * (1.0 + b.0.abs()), "{a:?}, not {b:?}");
        near(ONE.exp(), Exact(std::f64::consts::E, 1.445_646_891_729_250_2e-16));
        near(ONE.scaled(1).sqrt(), Exact(std::f64::consts::SQRT_2, -9.667_293_313_452_913e-17));
        near(ONE.scaled(-1).erf(), Exact(0.520_499_877_813_046_5, 1.900_077_467_916_287e-17));
        for i in 1..60 {
            let x = Exact(f64::from(i) / 16.0, f64::from(i) * 1e-19);
            near(x.ln().exp(), x);
            near(x.atan().tan(), x);
            let [sin, cos] = x.sin_cos();
            near(sin * sin + cos * cos, ONE);
            near((x.scaled(-2)).sin_cos()[0].asin(), x.scaled(-2));
            near(x.sqrt() * x.sqrt(), x);
            near(exact(Function::Softplus, x) - exact(Function::Softplus, -x), x);
            near(exact(Function::Tanh, x), x.scaled(1).sigmoid().scaled(1) - ONE);
        }
        for function in Function::ALL {
            for i in 1..40 {
                let x = f64::from(i) / 41.0;
                let (found, want) = (exact(function, Exact(x, 0.0)), function.eval(x));
                assert!(
                    (found.0 - want).abs() <= 2e-13 * (1.0 + want.abs()),
                    "{function}({x}): {found:?}, {want}"
                );
            }
        }
    }
}
