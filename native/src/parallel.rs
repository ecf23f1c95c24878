//! The same function over many items on several threads, in order.
//!
//! Threads live for one call: nothing is left behind that a later `fork` of the caller's process could break.

use std::sync::atomic::{AtomicUsize, Ordering};

/// Threads to use for `asked` (0: as many as the machine offers) and `items` items.
pub fn threads(asked: usize, items: usize) -> usize {
    let offered = || std::thread::available_parallelism().map_or(1, usize::from);
    (if asked == 0 { offered() } else { asked }).min(items).max(1)
}

/// `f(0), f(1), …, f(items - 1)`. Threads take items in small runs, so uneven items balance out.
pub fn map<T: Send>(items: usize, asked: usize, f: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let workers = threads(asked, items);
    if workers == 1 {
        return (0..items).map(f).collect();
    }
    let run = (items / (workers * 16)).clamp(1, 64);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let start = next.fetch_add(run, Ordering::Relaxed);
            if start >= items {
                return done;
            }
            let end = (start + run).min(items);
            done.push((start, (start..end).map(&f).collect::<Vec<T>>()));
        }
    };
    let mut runs = std::thread::scope(|scope| {
        let others: Vec<_> = (1..workers).map(|_| scope.spawn(work)).collect();
        let mut runs = work();
        for other in others {
            match other.join() {
                Ok(more) => runs.extend(more),
                Err(panic) => std::panic::resume_unwind(panic),
            }
        }
        runs
    });
    runs.sort_unstable_by_key(|(start, _)| *start);
    runs.into_iter().flat_map(|(_, done)| done).collect()
}
