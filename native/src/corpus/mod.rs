//! Kernels of corpus de-duplication: sentence keys, band keys, proposals of buckets, shared counts, mentions.

pub mod bands;
pub mod buckets;
pub mod sentences;
pub mod shared;
pub mod wire;
