//! Proximity as an operation, which runs as any other.

use hushtable::{
    AShare, Result, Role,
    arith::{Angles, LinearJob, LinearProduct, MatrixShape},
    bill::Bill,
    error::same,
    math::rounded_up,
    net::LinkShape,
    operation::{Held, Material, Operation, Port, Signature, Words, spend},
    ot::Setting,
    session::Session,
    source::Origin,
};
use prim::ring::low;
use zeroize::Zeroizing;

use super::{FRACTION, Places, Proximity, SUM, TURN, angles};

/// What is taken: of own places, and of shared ones.
const COORDINATES: [&str; 3] = ["x", "y", "z"];
const SHARED: [&str; 4] =
    ["latitude of one", "longitude of one", "latitude of the other", "longitude of the other"];

impl Proximity {
    fn products(&self, items: usize) -> LinearJob {
        let places = self.places;
        let shape = MatrixShape { batch: items, rows: 1, inner: places.coordinates(), columns: 1 };
        let number_bits = places.coordinate_bits();
        // Twice the product is wanted.
        LinearJob { shape: shape.into(), bits: places.bits() - 1, number_bits, owner: Role::P1 }
    }
}

/// Takes this party's [coordinates](Proximity::coordinates) x, y and z; or those [in a plane](Proximity::plane), x and
/// y; or its shares of the [latitudes and longitudes](Proximity::turns) of both objects, mod `2^36`.
impl Operation for Proximity {
    fn name(&self) -> String {
        "proximity".into()
    }

    fn method(&self) -> String {
        match self.places {
            Places::Own => "chord of own places",
            Places::Plane => "distance of own places in a plane",
            Places::Shared => "haversine of shared places, by six cosines",
        }
        .into()
    }

    fn fields(&self) -> Vec<(&'static str, String)> {
        vec![("metres", self.within.to_string()), ("method", self.method())]
    }

    fn signature(&self) -> Signature {
        let takes = match self.places {
            Places::Shared => SHARED.map(|name| Port::additive(name, TURN)).to_vec(),
            own => {
                let bits = own.coordinate_bits();
                let port = |&name: &_| Port { held: Held::Own, ..Port::additive(name, bits) };
                COORDINATES[..own.coordinates()].iter().map(port).collect()
            }
        };
        Signature::new(takes, self.closer.result())
    }

    fn bill(&self, items: usize, under: &Setting) -> Result<Bill> {
        let square = match self.places {
            Places::Own | Places::Plane => self.products(items).bill()?,
            Places::Shared => angles().bill().times(6 * items),
        };
        Ok(square + self.closer.bill(items, under)?)
    }

    fn material(&self, from: &mut Origin<'_>, items: usize) -> Result<Box<dyn Material>> {
        let squares = match self.places {
            Places::Own | Places::Plane => {
                Squares::Own(self.places, Box::new(LinearProduct::prepare(from, self.products(items))?))
            }
            Places::Shared => Squares::Cosines(Box::new(Angles::prepare(from, angles(), 6 * items)?)),
        };
        let (want, closer) = (self.signature().takes.len(), self.closer.material(from, items)?);
        Ok(spend(items, move |s, given| {
            same("operands", want, given.len())?;
            given.iter().try_for_each(|places| same("places", items, places.len()))?;
            let negative = match squares {
                Squares::Own(places, products) => distances(s, places, *products, given)?,
                Squares::Cosines(angles) => haversines(s, *angles, given)?,
            };
            closer.eval(s, &[&negative])
        }))
    }

    fn tells(&self) -> String {
        format!(
            "whether both objects are within {} m of each other: one bit. With its own place: whether the other's lies \
             in that circle",
            self.within
        )
    }

    fn stored_as(&self) -> String {
        let results = self.closer.result();
        let bits =
            if results.bits > 1 { format!(", as numbers of {} bits", results.bits) } else { String::new() };
        format!("proximity ({}){bits}", self.method())
    }

    fn card(&self) -> Option<String> {
        let bytes = self.bill(1, &Setting::over(LinkShape::LOOPBACK)).ok()?.bytes();
        let (on, besides) = match self.places {
            Places::Plane => ("in a plane", ""),
            _ => (
                "on a sphere",
                "; the earth is not quite a sphere, which moves true distances by up to half a percent",
            ),
        };
        Some(format!(
            "question  distance of at most {} m, {on}\nmethod    {}\nerror     less than {} m by proof{besides}\n\
             cost      {bytes:.0} bytes a pair, a correlated OT taken as a bit",
            self.within,
            self.method(),
            rounded_up(self.error())
        ))
    }
}

/// One-time material for the squares of the distances.
enum Squares {
    Own(Places, Box<LinearProduct>),
    Cosines(Box<Angles>),
}

/// Shares of the negative squares of the distances: `2 a b - |a|^2 - |b|^2`.
fn distances(s: &mut Session, places: Places, products: LinearProduct, own: &[&[u64]]) -> Result<Words> {
    let (items, each, bits) = (own[0].len(), own.len(), places.bits());
    let all = Zeroizing::new((0..each * items).map(|i| own[i % each][i / each]).collect::<Vec<u64>>());
    let (row, numbers) = match s.role() {
        Role::P0 => (all.iter().map(|w| low(*w, bits - 1)).collect(), Zeroizing::new(Vec::new())),
        Role::P1 => (vec![0; each * items], Zeroizing::new(all.iter().map(|w| *w as i64).collect())),
    };
    let twice = products.multiply(s, &AShare::<u64>::new(bits - 1, row), &numbers)?;
    let square = |place: &[u64]| place.iter().fold(0u64, |sum, w| sum.wrapping_add(w.wrapping_mul(*w)));
    let pairs = twice.words().iter().zip(all.chunks_exact(each));
    Ok(Words::new(pairs.map(|(p, place)| low((p << 1).wrapping_sub(square(place)), bits)).collect()))
}

/// Shares of the negative of eight squares of the sine of half the angle between two places.
fn haversines(s: &mut Session, angles: Angles, places: &[&[u64]]) -> Result<Words> {
    let items = places[0].len();
    let mut all = Zeroizing::new(Vec::with_capacity(6 * items));
    let pairs = places[0].iter().zip(places[1]).zip(places[2].iter().zip(places[3]));
    for ((xa, ya), (xb, yb)) in pairs {
        let (u, v, w) = (xa.wrapping_sub(*xb), xa.wrapping_add(*xb), ya.wrapping_sub(*yb));
        let sums = [u.wrapping_add(w), u.wrapping_sub(w), v.wrapping_add(w), v.wrapping_sub(w)];
        all.extend([u, v].into_iter().chain(sums).map(|angle| low(angle, TURN)));
    }
    let cosines = angles.cos(s, &AShare::<u64>::new(TURN, all.to_vec()))?;
    let four = if s.role() == Role::P0 { 4u64 << FRACTION } else { 0 };
    let sum = |c: &[u64]| {
        let others = c[2..].iter().fold(0u64, |sum, c| sum.wrapping_add(*c));
        low((c[0] << 1).wrapping_sub(c[1] << 1).wrapping_add(others).wrapping_sub(four), SUM)
    };
    Ok(Words::new(cosines.words().chunks_exact(6).map(sum).collect()))
}
