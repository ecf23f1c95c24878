//! Cosine of unit rows, bit for bit the same on every instruction set and in the numpy reference.
//!
//! Floating-point addition is not associative, so the order is fixed by definition: 32 lanes, lane `l` sums the
//! products of the elements `l, l + 32, l + 64, …` in that order (multiply, then add: no fused rounding), then halves
//! are folded, 32 -> 16 -> … -> 1. Rust never reorders or contracts, so one portable function compiled for several
//! instruction sets keeps that order on each. The sum is then rounded to a grid of 2^-20, about a tenth of the noise
//! of single-precision vectors in practice, so that equal directions give exactly 1 and true ties stay ties.

/// Lanes of the fixed summation order.
pub const LANES: usize = 32;

/// Similarities are multiples of 1 / GRID.
pub const GRID: f64 = 1_048_576.0;

/// An instruction set that the dot product is compiled for. Only [`Isa::detect`] and [`Isa::available`] make one,
/// and only after asking the machine: that is what makes the calls in [`cosine`] sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Isa(Kind);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// What the target offers at least: SSE2 on x86-64, NEON on AArch64.
    Portable,
}

impl Isa {
    /// Those that can run here, best first. The standard library caches the answer.
    pub fn available() -> Vec<Isa> {
        let mut found = Vec::new();
        #[cfg(target_arch = "x86_64")]
        {
            if std::arch::is_x86_feature_detected!("avx512f") {
                found.push(Isa(Kind::Avx512));
            }
            if std::arch::is_x86_feature_detected!("avx2") {
                found.push(Isa(Kind::Avx2));
            }
        }
        found.push(Isa(Kind::Portable));
        found
    }

    /// The best one here.
    pub fn detect() -> Isa {
        Isa::available()[0]
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2 => "avx2",
            Kind::Portable if cfg!(target_arch = "aarch64") => "neon",
            Kind::Portable => "portable",
        }
    }

    /// The one of that name, when it can run here.
    pub fn named(name: &str) -> Option<Isa> {
        Isa::available().into_iter().find(|isa| isa.name() == name)
    }
}

/// Rounds a sum to the grid and clips it to -1..1; never negative zero.
#[inline(always)]
pub fn to_grid(sum: f32) -> f64 {
    // Adding and taking away 1.5 * 2^52 rounds to the nearest integer, ties to even; the baseline of x86-64 has no
    // instruction for that and would call a function.
    const ROUND: f64 = 6_755_399_441_055_744.0;
    let steps = f64::from(sum).clamp(-1.0, 1.0) * GRID;
    ((steps + ROUND) - ROUND) / GRID
}

#[inline(always)]
fn add_products(lanes: &mut [f32; LANES], x: &[f32; LANES], y: &[f32; LANES]) {
    for lane in 0..LANES {
        lanes[lane] += x[lane] * y[lane];
    }
}

/// The upper half added to the lower; separate arrays keep it in registers.
#[inline(always)]
fn fold<const FROM: usize, const TO: usize>(lanes: [f32; FROM]) -> [f32; TO] {
    std::array::from_fn(|lane| lanes[lane] + lanes[lane + TO])
}

#[inline(always)]
fn dot_lanes(a: &[f32], b: &[f32]) -> f32 {
    let (a_blocks, a_rest) = a.as_chunks::<LANES>();
    let (b_blocks, b_rest) = b.as_chunks::<LANES>();
    let mut lanes = [0.0f32; LANES];
    for (x, y) in a_blocks.iter().zip(b_blocks) {
        add_products(&mut lanes, x, y);
    }
    if !a_rest.is_empty() {
        // Lanes beyond the end add 0.
        let (mut x, mut y) = ([0.0; LANES], [0.0; LANES]);
        x[..a_rest.len()].copy_from_slice(a_rest);
        y[..b_rest.len()].copy_from_slice(b_rest);
        add_products(&mut lanes, &x, &y);
    }
    let lanes: [f32; 16] = fold(lanes);
    let lanes: [f32; 8] = fold(lanes);
    let lanes: [f32; 4] = fold(lanes);
    let lanes: [f32; 2] = fold(lanes);
    lanes[0] + lanes[1]
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f")]
fn dot_avx512(a: &[f32], b: &[f32]) -> f32 {
    dot_lanes(a, b)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn dot_avx2(a: &[f32], b: &[f32]) -> f32 {
    dot_lanes(a, b)
}

/// Cosine of two unit vectors of equal length, on the grid. O(d).
#[inline]
pub fn cosine(isa: Isa, a: &[f32], b: &[f32]) -> f64 {
    debug_assert_eq!(a.len(), b.len());
    let sum = match isa.0 {
        #[cfg(target_arch = "x86_64")]
        // SAFETY: an `Isa` of this kind exists only where the machine said that it has AVX-512F.
        Kind::Avx512 => unsafe { dot_avx512(a, b) },
        #[cfg(target_arch = "x86_64")]
        // SAFETY: as above, for AVX2.
        Kind::Avx2 => unsafe { dot_avx2(a, b) },
        Kind::Portable => dot_lanes(a, b),
    };
    to_grid(sum)
}

/// Cosines of all pairs of `n` unit rows of length `d`, row by row; each pair once. O(n^2 d).
pub fn cosine_matrix(isa: Isa, data: &[f32], n: usize, d: usize) -> Vec<f64> {
    let mut flat = vec![0.0; n * n];
    for i in 0..n {
        let own = &data[i * d..(i + 1) * d];
        for j in i..n {
            let value = cosine(isa, own, &data[j * d..(j + 1) * d]);
            flat[i * n + j] = value;
            flat[j * n + i] = value;
        }
    }
    flat
}
