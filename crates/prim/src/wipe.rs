//! Overwriting secrets that are spent, many at a time.

use std::{
    hint::black_box,
    mem::take,
    ops::{Deref, DerefMut},
    sync::atomic::{Ordering, compiler_fence},
};

use bytemuck::Pod;

/// Overwrites secrets with zeros.
pub fn wipe<T: Pod>(secrets: &mut [T]) {
    secrets.fill(T::zeroed());
    // For the compiler someone reads the zeros, now, so that it may neither leave them out nor delay them.
    black_box(&mut *secrets);
    compiler_fence(Ordering::SeqCst);
}

/// A vector of secrets that is wiped when it is dropped. Whoever shortens it wipes what is cut off, and
/// whoever lets it grow beyond its capacity leaves a copy behind.
#[derive(Default)]
pub struct Wiped<T: Pod>(Vec<T>);

impl<T: Pod> Wiped<T> {
    /// So many zeros.
    pub fn zeros(len: usize) -> Self {
        Self(vec![T::zeroed(); len])
    }

    /// The vector, which is the caller's to wipe.
    pub fn into_vec(mut self) -> Vec<T> {
        take(&mut self.0)
    }
}

impl<T: Pod> From<Vec<T>> for Wiped<T> {
    fn from(secrets: Vec<T>) -> Self {
        Self(secrets)
    }
}

impl<T: Pod> Deref for Wiped<T> {
    type Target = Vec<T>;

    fn deref(&self) -> &Vec<T> {
        &self.0
    }
}

impl<T: Pod> DerefMut for Wiped<T> {
    fn deref_mut(&mut self) -> &mut Vec<T> {
        &mut self.0
    }
}

impl<T: Pod> Drop for Wiped<T> {
    fn drop(&mut self) {
        wipe(&mut self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_given_is_wiped() {
        let mut words = [7u16; 101];
        wipe(&mut words[3..100]);
        assert!(words[3..100].iter().all(|&w| w == 0));
        assert_eq!([words[0], words[2], words[100]], [7; 3]);
        let kept = Wiped::from(vec![5u64; 9]).into_vec();
        assert_eq!(kept, [5; 9]);
    }
}
