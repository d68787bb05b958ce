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
    wipe_with(secrets, T::zeroed());
}

/// Overwrites them with this.
pub(crate) fn wipe_with<T: Copy>(secrets: &mut [T], zero: T) {
    secrets.fill(zero);
    read(secrets);
}

/// For the compiler someone reads the zeros, now, so that it may neither leave them out nor delay them.
fn read<T>(zeros: &mut [T]) {
    black_box(zeros);
    compiler_fence(Ordering::SeqCst);
}

/// A vector of secrets. When it is dropped all of its memory is wiped, what lies behind its last element
/// included. Its own methods leave no copy of an element behind; a method of `Vec` that lets it grow beyond its
/// capacity does.
#[derive(Default)]
pub struct Wiped<T: Pod>(Vec<T>);

impl<T: Pod> Wiped<T> {
    /// So many zeros.
    pub fn zeros(len: usize) -> Self {
        Self(vec![T::zeroed(); len])
    }

    /// The vector, which is the caller's to wipe. Behind its last element lies nothing.
    pub fn into_vec(mut self) -> Vec<T> {
        self.wipe_spare();
        take(&mut self.0)
    }

    /// Wipes the elements from `len` on and removes them.
    pub fn truncate(&mut self, len: usize) {
        if len < self.0.len() {
            wipe(&mut self.0[len..]);
            self.0.truncate(len);
        }
    }

    /// Moves the elements from `at` on to a vector of their own.
    ///
    /// # Panics
    /// If there are fewer than `at`.
    pub fn split_off(&mut self, at: usize) -> Self {
        let cut = Self(self.0[at..].to_vec());
        self.truncate(at);
        cut
    }

    /// Room for `more` elements.
    pub fn reserve(&mut self, more: usize) {
        let needed = self.0.len() + more;
        if self.0.capacity() < needed {
            let mut grown = Vec::with_capacity(needed);
            grown.extend_from_slice(&self.0);
            *self = Self(grown); // wipes the old one
        }
    }

    /// Appends these.
    pub fn extend_from_slice(&mut self, more: &[T]) {
        self.grow(more.len());
        self.0.extend_from_slice(more);
    }

    /// Appends so many zeros, which are returned.
    pub fn extend_zeros(&mut self, more: usize) -> &mut [T] {
        self.grow(more);
        let start = self.0.len();
        self.0.resize(start + more, T::zeroed());
        &mut self.0[start..]
    }

    /// Room for `more` elements; growing in small steps copies each of them a few times only.
    fn grow(&mut self, more: usize) {
        if self.0.capacity() - self.0.len() < more {
            self.reserve(more.max(self.0.len()));
        }
    }

    /// Elements that a method of `Vec` removed may lie behind the last one.
    fn wipe_spare(&mut self) {
        let (len, all) = (self.0.len(), self.0.capacity());
        self.0.resize(all, T::zeroed());
        read(&mut self.0[len..]);
        self.0.truncate(len);
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
        self.wipe_spare();
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

    /// That nothing stays behind shows the test `wiping` of the library, which sees freed memory.
    #[test]
    fn vectors_grow_and_shrink() {
        let mut words = Wiped::from(vec![1u64, 2, 3]);
        words.extend_from_slice(&[4, 5]);
        assert_eq!(words.extend_zeros(2), [0, 0]);
        assert_eq!(**words, [1, 2, 3, 4, 5, 0, 0]);
        words.truncate(5);
        let cut = words.split_off(2);
        assert_eq!((&words[..], &cut[..]), (&[1, 2][..], &[3, 4, 5][..]));
        words.truncate(9);
        words.truncate(1);
        assert_eq!(words.into_vec(), [1]);
    }
}
