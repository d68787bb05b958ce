//! Pure kernels.
