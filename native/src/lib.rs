//! The hot loops of `reparto`, with the same answers as its numpy reference.
//!
//! Algorithms know nothing of Python: one idea a file, tested by `cargo test --no-default-features`. The Python side
//! lives in `bindings`, one file a subject, each with a `register` that `bindings::register_all` calls. To add a
//! kernel: a module here, a file in `bindings/`, one line in `bindings/mod.rs`.

pub mod corpus;
pub mod dpp;
pub mod greedy;
pub mod lazy;
pub mod parallel;
pub mod path;
pub mod seating;
pub mod simd;
pub mod source;
pub mod sums;
pub mod text;
pub mod unit;

#[cfg(feature = "python")]
mod bindings;
