//! Proximity: whether two moving objects are closer than a public distance, and nothing else.
//!
//! # Functionality
//! For each pair of objects: shares of the bit whether the great-circle distance between them, on a sphere of the
//! earth's mean radius, is at most D; or the distance in a plane. Either each party knows the place of its own object,
//! or both hold shares of both places. Pairs whose distance is nearer to D than [`Proximity::error`], in metres, may
//! be judged either way; no other pair is. The sphere itself is not the ellipsoid: true distances differ by up to half
//! a percent.
//!
//! An opened bit says that the other's object is within D of one's own, or is not.
//!
//! # Protocol
//! *Own places*: each party computes its object's geocentric coordinates in eighths of a metre, numbers of 27 bits. The
//! square of the chord is `|a|^2 + |b|^2 - 2 a b`: two local squares and three products of numbers that the parties
//! know each, P1's bits choosing, mod `2^55`. It increases with the distance, so one comparison with a public number
//! tells. *In a plane* there are two coordinates, of 28 bits, and the square is that of the distance, mod `2^57`.
//!
//! *Shared places*, in parts of a turn: with `u = x_A - x_B` and `v = x_A + x_B` of the latitudes and `w` the
//! difference of the longitudes, `8 sin^2(d / 2 R)` is
//! `4 - 2 cos u + 2 cos v - cos(u + w) - cos(u - w) - cos(v + w) - cos(v - w)`: six cosines of shared angles by
//! [`Angles`](hushtable::arith::Angles) in one round, with 42 bits behind the point, for squares of small distances get
//! lost in a sum of cosines. Then the comparison.
//!
//! # Cost, a pair
//! Own places: that of a [`LinearProduct`](hushtable::arith::LinearProduct) of three numbers, 81 correlated
//! OTs, or of two, 56; shared places: six of [`Angles`](hushtable::arith::Angles). Then a comparison of 55, of 57 or of 50
//! bits.
//!
//! # Source
//! fss-spec 16 (the linear form of the haversine); figures-checked, Proximity (metres).

use std::f64::consts::{PI, TAU};

use hushtable::{
    Error, Result,
    arith::{AngleJob, Objective},
    operation::Bands,
};
use prim::ring::low;

mod operation;

/// The earth's mean radius, in metres.
pub const RADIUS: f64 = 6_371_008.8;

/// Units of a coordinate in a metre.
const UNITS: f64 = 8.0;

/// What a coordinate in a plane, and a distance there, may be at most, in metres.
pub const PLANE: f64 = 1e7;
const PLANE_DISTANCE: f64 = 2e7;

/// Bits of an angle as part of a turn, and of a sum of cosines, behind the point and in all.
const TURN: u32 = 36;
const FRACTION: u32 = 42;
const SUM: u32 = 50;

/// What floating point may add to an error that is computed in it.
const ROUNDING: f64 = 1.001;

/// Who knows the places. Public.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Places {
    /// Each party those of its own objects, on the sphere.
    Own,
    /// Each party those of its own objects, in a plane.
    Plane,
    /// Nobody: both hold shares of them.
    Shared,
}

impl Places {
    /// Coordinates of an object that its owner knows.
    pub fn coordinates(self) -> usize {
        match self {
            Self::Own => 3,
            Self::Plane => 2,
            Self::Shared => 0,
        }
    }

    /// Bits of a coordinate, with its sign.
    fn coordinate_bits(self) -> u32 {
        if self == Self::Plane { 28 } else { 27 }
    }

    /// Bits of what is compared, with its sign: of a square, or of a sum of cosines.
    fn bits(self) -> u32 {
        match self {
            Self::Own => 55,
            Self::Plane => 57,
            Self::Shared => SUM,
        }
    }

    /// The largest distance that may be asked for.
    fn most(self) -> f64 {
        if self == Self::Plane { PLANE_DISTANCE } else { PI * RADIUS }
    }
}

/// A question about distances. Public, the same at both parties.
pub struct Proximity {
    within: f64,
    places: Places,
    closer: Bands,
}

impl Proximity {
    /// Whether objects are at most `within` metres apart.
    ///
    /// # Errors
    /// [`Error::Param`] unless that is a metre or more, and no more than half of the way around, or 20000 km in a
    /// plane.
    pub fn new(within: f64, places: Places) -> Result<Self> {
        let most = places.most();
        if !(1.0..=most).contains(&within) {
            let accepted = format!("1 to {most:.0} metres");
            return Err(Error::Param { what: "distance", got: within.to_string(), accepted });
        }
        let sine = (within / (2.0 * RADIUS)).sin();
        // The negative of the greatest square, or sum of cosines, of a pair that is close.
        let cut = match places {
            Places::Own => (2.0 * RADIUS * UNITS * sine).powi(2),
            Places::Plane => (within * UNITS).powi(2),
            Places::Shared => 8.0 * sine * sine * 2f64.powi(FRACTION as i32),
        };
        let closer = Bands::new(places.bits(), vec![-(cut.floor() as i64)], Objective::Total)?;
        Ok(Self { within, places, closer })
    }

    /// With results that are additive shares of `bits` bits.
    #[must_use]
    pub fn additive(self, bits: u32) -> Self {
        Self { closer: self.closer.additive(bits), ..self }
    }

    /// The distance asked for, in metres.
    pub fn within(&self) -> f64 {
        self.within
    }

    /// Metres by which a distance that is judged wrongly differs from the one asked for, at most.
    ///
    /// Own places: each coordinate is half a unit off, so a chord `sqrt 3` units, or a distance in a plane `sqrt 2`.
    /// Shared places: sums of cosines are
    /// off by what eight of [`AngleJob::error`] are, and an angle is `2^-37` of a turn, of which each place has two.
    pub fn error(&self) -> f64 {
        let (sine, small) = ((self.within / (2.0 * RADIUS)).sin(), 1e-6);
        let distance = |sine: f64| 2.0 * RADIUS * sine.clamp(0.0, 1.0).asin();
        let (nearer, farther, angles) = match self.places {
            Places::Own => {
                let off = ROUNDING * 3f64.sqrt() / (2.0 * RADIUS * UNITS);
                (distance(sine - off), distance(sine + off), 0.0)
            }
            Places::Plane => {
                let off = ROUNDING * 2f64.sqrt() / UNITS;
                (self.within - off, self.within + off, 0.0)
            }
            Places::Shared => {
                let off = ROUNDING * (8.0 * angles().error() + 1.0) / 8.0 / 2f64.powi(FRACTION as i32);
                let moved = |square: f64| distance(square.max(0.0).sqrt());
                // Two places, each by half a unit north or south and as much east or west.
                let places = 2.0 * 2f64.sqrt() * RADIUS * TAU * 2f64.powi(-(TURN as i32) - 1);
                (moved(sine * sine - off), moved(sine * sine + off), places)
            }
        };
        (self.within - nearer).max(farther - self.within) + angles + small
    }

    /// The operands of [`Places::Own`]: an object's coordinates from its latitude and longitude in degrees.
    ///
    /// # Errors
    /// [`Error::Param`] unless these are -90 to 90 and -180 to 180.
    pub fn coordinates(latitude: f64, longitude: f64) -> Result<[u64; 3]> {
        let [x, y] = radians(latitude, longitude)?;
        let unit = RADIUS * UNITS;
        let all = [unit * x.cos() * y.cos(), unit * x.cos() * y.sin(), unit * x.sin()];
        Ok(all.map(|value| value.round() as i64 as u64))
    }

    /// The operands of [`Places::Plane`]: an object's coordinates in metres, east and north of a point on which the
    /// parties agreed.
    ///
    /// # Errors
    /// [`Error::Param`] unless these are -10000000 to 10000000.
    pub fn plane(east: f64, north: f64) -> Result<[u64; 2]> {
        for (what, got) in [("metres east", east), ("metres north", north)] {
            if !(-PLANE..=PLANE).contains(&got) {
                let accepted = format!("-{PLANE} to {PLANE}");
                return Err(Error::Param { what, got: got.to_string(), accepted });
            }
        }
        Ok([east, north].map(|metres| (metres * UNITS).round() as i64 as u64))
    }

    /// Latitude and longitude in degrees as `2^36`ths of a turn, for shares of places.
    ///
    /// # Errors
    /// As [`coordinates`](Self::coordinates).
    pub fn turns(latitude: f64, longitude: f64) -> Result<[u64; 2]> {
        radians(latitude, longitude)?;
        let turn = |degrees: f64| (degrees / 360.0 * 2f64.powi(TURN as i32)).round() as i64 as u64;
        Ok([turn(latitude), turn(longitude)].map(|word| low(word, TURN)))
    }
}

fn radians(latitude: f64, longitude: f64) -> Result<[f64; 2]> {
    let refuse = |what, got: f64, end: u32| {
        let accepted = format!("-{end} to {end} degrees");
        Err(Error::Param { what, got: got.to_string(), accepted })
    };
    if !(-90.0..=90.0).contains(&latitude) {
        return refuse("latitude", latitude, 90);
    }
    if !(-180.0..=180.0).contains(&longitude) {
        return refuse("longitude", longitude, 180);
    }
    Ok([latitude.to_radians(), longitude.to_radians()])
}

fn angles() -> AngleJob {
    AngleJob { turn_bits: TURN, bits: SUM, fraction: FRACTION }
}
