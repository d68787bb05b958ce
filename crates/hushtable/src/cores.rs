//! Local work on several cores.

use std::{
    sync::{Mutex, PoisonError},
    thread,
};

/// `f` of each item, in their order, on so many cores, or on fewer where the system has no thread to spare. Each thread has a
/// state of its own, which `begin` makes. Items and results should have what is secret on the heap, in memory that is wiped: they
/// are moved.
pub(crate) fn map<W: Send, S, T: Send>(
    cores: usize,
    items: Vec<W>,
    begin: impl Fn() -> S + Sync,
    f: impl Fn(&mut S, W) -> T + Sync,
) -> Vec<T> {
    let count = items.len();
    let left = Mutex::new(items.into_iter().enumerate());
    let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
    let some = || {
        let (mut state, mut done) = (begin(), Vec::new());
        while let Some((i, item)) = next() {
            done.push((i, f(&mut state, item)));
        }
        done
    };
    let mut all = thread::scope(|scope| {
        let helper = |_| thread::Builder::new().spawn_scoped(scope, some).ok();
        let helpers: Vec<_> = (1..cores.min(count)).filter_map(helper).collect();
        let mut all = some();
        helpers.into_iter().for_each(|helper| all.extend(helper.join().expect("work that does not panic")));
        all
    });
    all.sort_unstable_by_key(|(i, _)| *i);
    all.into_iter().map(|(_, done)| done).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;

    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        for cores in [0, 1, 2, 3, 8, 200] {
            for count in [0, 1, 2, 7, 100] {
                let squares = map(cores, (0..count).collect(), || (), |(), i: u64| i * i);
                assert_eq!(squares, (0..count).map(|i| i * i).collect::<Vec<_>>(), "{count} on {cores}");
            }
        }
    }

    /// None of the three goes on before all have begun.
    #[test]
    fn cores_work_at_once() {
        let all = Barrier::new(3);
        map(3, vec![(); 3], || (), |(), ()| _ = all.wait());
    }
}
