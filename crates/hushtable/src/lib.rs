

#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
