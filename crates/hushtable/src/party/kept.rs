//! What a session keeps: keys and the like, which are made once and serve all later batches.
//!
//! A thing is found again by its type and its public [`Terms`]. The parties ask for the same things in the same order,
//! since they run the same operations, so both make a thing or both have it; what they ask for is announced, which
//! compares it without a round. Lanes share what was kept when they were forked. What a lane keeps later is its own:
//! which of two lanes comes first is not the same at both parties.

use std::{
    any::{Any, TypeId},
    collections::HashMap,
    sync::Arc,
};

use crate::terms::Terms;

/// Things by type and terms.
#[derive(Clone, Default)]
pub(crate) struct Kept(HashMap<(TypeId, [u8; 32]), Arc<dyn Any + Send + Sync>>);

impl Kept {
    /// The thing of this type and these terms, if there is one.
    pub(crate) fn find<T: Any + Send + Sync>(&self, terms: &Terms) -> Option<Arc<T>> {
        let found = self.0.get(&(TypeId::of::<T>(), *terms.digest().as_bytes()))?;
        Some(found.clone().downcast().expect("a thing of this type"))
    }

    /// Keeps it.
    pub(crate) fn put<T: Any + Send + Sync>(&mut self, terms: &Terms, thing: T) -> Arc<T> {
        let thing = Arc::new(thing);
        self.0.insert((TypeId::of::<T>(), *terms.digest().as_bytes()), thing.clone());
        thing
    }
}

#[cfg(test)]
mod tests {
    use crate::{Error, Party, Result, run_pair, terms::Terms};

    /// Bytes that both parties draw.
    type Drawn = Vec<u8>;

    fn draw(p: &mut Party) -> Result<Drawn> {
        let mine = p.rng().block().0.to_le_bytes().to_vec();
        p.exchange(mine, 16)
    }

    #[test]
    fn things_are_made_once() {
        let run = |p: &mut Party| {
            let terms = |number: u64| Terms::of("drawn").with("number", number);
            let first = p.kept(&terms(1), draw)?;
            let again = p.kept(&terms(1), |_| -> Result<Drawn> { panic!("it was made") })?;
            assert_eq!(first, again);
            assert_ne!(first, p.kept(&terms(2), draw)?, "other terms");
            let length = p.kept(&terms(1), |p| Ok(draw(p)?.len()))?;
            assert_eq!(*length, 16, "another type");
            // Lanes have what was there, and what they make is theirs.
            let mut lanes = p.fork(2)?;
            for lane in &mut lanes {
                assert_eq!(lane.kept(&terms(1), |_| -> Result<Drawn> { panic!("it was made") })?, first);
            }
            let [a, b] = [0, 1].map(|i: usize| lanes[i].kept(&terms(3), draw));
            assert_ne!(a?, b?);
            p.kept(&terms(3), draw).map(drop)
        };
        run_pair(Party::pair_seeded(3).unwrap(), run, run).unwrap();
    }

    /// One that asks for something else, or has what the peer has not.
    #[test]
    fn parties_that_differ_end() {
        let ask = |number: u64, before: bool| {
            move |p: &mut Party| -> Result<()> {
                let terms = Terms::of("drawn").with("number", number);
                if before {
                    p.kept.put(&terms, Drawn::new());
                }
                p.kept(&terms, draw)?;
                p.barrier()
            }
        };
        for (p0, p1) in [(ask(1, false), ask(2, false)), (ask(1, true), ask(1, false))] {
            let error = run_pair(Party::pair_seeded(4).unwrap(), p0, p1).unwrap_err();
            assert!(matches!(error, Error::Handshake { .. }), "{error}");
        }
    }
}
