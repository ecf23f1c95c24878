//! Kernels of corpus de-duplication: sentence keys, band keys, proposals of buckets, shared counts, mentions.

pub mod bands;
pub mod buckets;
pub mod edges;
pub mod lines;
pub mod ordering;
pub mod prints;
pub mod sentences;
pub mod shared;
pub mod wire;
