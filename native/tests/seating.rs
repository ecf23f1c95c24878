//! Seating kernels against their plain definitions, on random input with many ties.

use proptest::prelude::*;
use reparto_native::dpp::dpp;
use reparto_native::greedy::{Rules, greedy};
use reparto_native::parallel;
use reparto_native::path::mmr_path;
use reparto_native::simd::{Isa, cosine};
use reparto_native::source::Source;

#[derive(Debug, Clone)]
struct Pool {
    n: usize,
    relevance: Vec<f64>,
    similarity: Vec<f64>,
    eligible: Vec<bool>,
    codes: Vec<i64>,
    costs: Vec<i64>,
}

/// Relevance in eighths and similarity in sixteenths: exact arithmetic, true ties.
fn pool() -> impl Strategy<Value = Pool> {
    (0usize..9).prop_flat_map(|n| {
        (
            proptest::collection::vec(0i32..9, n),
            proptest::collection::vec(-16i32..17, n * n),
            proptest::collection::vec(proptest::bool::weighted(0.8), n),
            proptest::collection::vec(-1i64..n.max(1) as i64, n),
            proptest::collection::vec(0i64..6, n),
        )
            .prop_map(move |(mut relevance, raw, eligible, codes, costs)| {
                relevance.sort_unstable_by(|a, b| b.cmp(a));
                let at = |i: usize, j: usize| {
                    if i == j { 1.0 } else { f64::from(raw[i.min(j) * n + i.max(j)]) / 16.0 }
                };
                Pool {
                    n,
                    relevance: relevance.iter().map(|&r| f64::from(r) / 8.0).collect(),
                    similarity: (0..n * n).map(|p| at(p / n, p % n)).collect(),
                    eligible,
                    codes,
                    costs,
                }
            })
    })
}

impl Pool {
    fn source(&self) -> Source<'_> {
        Source::Matrix { data: &self.similarity, n: self.n }
    }

    /// The definition: every value at every step.
    fn plain(&self, k: usize, lam: f64, cap: i64, limit: i64) -> Vec<i64> {
        let mut picks: Vec<usize> = Vec::new();
        while picks.len() < k {
            let spent: i64 = picks.iter().map(|&i| self.costs[i]).sum();
            let allowed = (0..self.n).filter(|&i| {
                let group = picks.iter().filter(|&&p| self.codes[p] == self.codes[i]).count() as i64;
                self.eligible[i]
                    && !picks.contains(&i)
                    && (self.codes[i] < 0 || group < cap)
                    && spent + self.costs[i] <= limit
            });
            let value = |i: usize| {
                let redundancy = picks.iter().map(|&j| self.similarity[i * self.n + j]).reduce(f64::max);
                lam * self.relevance[i] - (1.0 - lam) * redundancy.unwrap_or(0.0)
            };
            // Entries come in rank order, so the first of equal values is the more relevant one.
            let best = allowed.reduce(|a, b| {
                let ahead = if picks.is_empty() {
                    self.relevance[b] > self.relevance[a]
                } else {
                    value(b) > value(a)
                };
                if ahead { b } else { a }
            });
            let Some(best) = best else { break };
            picks.push(best);
        }
        picks.iter().map(|&i| i as i64).collect()
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn lazy_greedy_is_the_definition(pool in pool(), k in 0usize..11, lam in 0i32..17, cap in 0i64..4, limit in 0i64..20) {
        let lam = f64::from(lam) / 16.0;
        let rules = Rules {
            eligible: Some(&pool.eligible), codes: &pool.codes, caps: &[cap], costs: Some(&pool.costs), limit,
            ..Rules::default()
        };
        let found = greedy(pool.source(), &pool.relevance, k, lam, rules);
        prop_assert_eq!(&found.picks, &pool.plain(k, lam, cap, limit));
        prop_assert!(found.dots <= (pool.n * found.picks.len()) as u64);
    }

    #[test]
    fn every_piece_of_the_path_is_the_greedy_selection_in_its_middle(pool in pool(), k in 0usize..6) {
        let path = mmr_path(pool.source(), &pool.relevance, k, Some(&pool.eligible));
        for (place, &start) in path.starts.iter().enumerate() {
            let end = path.starts.get(place + 1).copied().unwrap_or(1.0);
            let rules = Rules { eligible: Some(&pool.eligible), limit: i64::MAX, ..Rules::default() };
            let direct = greedy(pool.source(), &pool.relevance, k, (start + end) / 2.0, rules);
            prop_assert_eq!(&path.picks[place * path.k..(place + 1) * path.k], &direct.picks[..]);
        }
    }

    #[test]
    fn a_longer_selection_starts_with_the_shorter(pool in pool(), k in 0usize..8, lam in 0.0f64..=1.0) {
        let rules = Rules { limit: i64::MAX, ..Rules::default() };
        let short = greedy(pool.source(), &pool.relevance, k, lam, rules).picks;
        let long = greedy(pool.source(), &pool.relevance, k + 1, lam, rules).picks;
        prop_assert_eq!(&long[..short.len()], &short[..]);
    }

    #[test]
    fn any_bits_end_without_panic(
        bits in proptest::collection::vec(any::<u32>(), 0..60),
        wide in proptest::collection::vec(any::<u64>(), 1..12),
        k in 0usize..14,
        lam in any::<f64>(),
    ) {
        let relevance: Vec<f64> = wide.iter().map(|&b| f64::from_bits(b)).collect();
        let n = relevance.len();
        let d = bits.len() / n;
        let data: Vec<f32> = bits[..n * d].iter().map(|&b| f32::from_bits(b)).collect();
        for isa in Isa::available() {
            let source = Source::Rows { data: &data, d, isa };
            let rules = Rules { limit: i64::MAX, ..Rules::default() };
            prop_assert_eq!(greedy(source, &relevance, k, lam, rules).picks.len(), k.min(n));
            prop_assert_eq!(dpp(source, &relevance, &relevance, k, None).picks.len(), k.min(n));
            mmr_path(source, &relevance, k.min(4), None);
        }
    }

    #[test]
    fn cosine_is_the_same_bits_everywhere_and_symmetric(
        pairs in proptest::collection::vec((-1.0f32..1.0, -1.0f32..1.0), 0..300),
    ) {
        let a: Vec<f32> = pairs.iter().map(|p| p.0).collect();
        let b: Vec<f32> = pairs.iter().map(|p| p.1).collect();
        let all: Vec<u64> = Isa::available()
            .into_iter()
            .flat_map(|isa| [cosine(isa, &a, &b).to_bits(), cosine(isa, &b, &a).to_bits()])
            .collect();
        prop_assert!(all.windows(2).all(|two| two[0] == two[1]));
    }

    #[test]
    fn parallel_results_come_in_order(items in 0usize..500, threads in 0usize..5) {
        prop_assert_eq!(parallel::map(items, threads, |i| i * i), (0..items).map(|i| i * i).collect::<Vec<_>>());
    }
}

#[test]
fn copies_are_taken_in_rank_order_once_nothing_is_left_to_span() {
    let data = [1.0f32, 0.0].repeat(5);
    let source = Source::Rows { data: &data, d: 2, isa: Isa::detect() };
    let relevance = [0.5, 0.9, 0.4, 0.8, 0.7];
    let weight: Vec<f64> = relevance.iter().map(|r: &f64| r.exp()).collect();
    assert_eq!(dpp(source, &weight, &relevance, 5, None).picks, [1, 3, 4, 0, 2]);
}

#[test]
fn a_step_whose_mask_leaves_no_one_is_filled_without_it() {
    let data = [1.0f64, 0.0, 0.0, 1.0];
    let rules = Rules { masks: Some(&[false, true, false, false]), limit: i64::MAX, ..Rules::default() };
    let found = greedy(Source::Matrix { data: &data, n: 2 }, &[0.9, 0.8], 2, 0.5, rules);
    assert_eq!(found.picks, [1, 0]);
}

#[test]
fn a_panic_in_a_thread_reaches_the_caller() {
    let caught = std::panic::catch_unwind(|| parallel::map(100, 2, |i| assert_ne!(i, 57)));
    assert!(caught.is_err());
}
