//! Seats kept for what the set must hold: see `stages.reserves`.

use super::rules::{Kind, Rules};

/// Entries tried as the first of a plan, where the greedy plan leaves a reserve unmet.
const BEGINNINGS: usize = 32;

/// One reserve: collect `wanted` codes within the first `within` seats.
pub struct Collect<'a> {
    codes: &'a [i64],
    distinct: bool,
    within: usize,
    wanted: usize,
    /// What of it is possible at all, were it alone.
    most: usize,
    target: usize,
    /// What has been collected.
    pub got: usize,
    adds: Vec<bool>,
}

impl<'a> Collect<'a> {
    /// `codes`: -1 contributes nothing. `distinct`: a code counts once, else every entry that has one.
    pub fn new(codes: &'a [i64], distinct: bool, within: usize, wanted: usize) -> Self {
        let adds = codes.iter().map(|&code| code >= 0).collect();
        let mut there: Vec<i64> = codes.iter().copied().filter(|&code| code >= 0).collect();
        if distinct {
            there.sort_unstable();
            there.dedup();
        }
        let most = wanted.min(within).min(there.len());
        Collect { codes, distinct, within, wanted, most, target: 0, got: 0, adds }
    }
}

/// All reserves together.
pub struct Reserves<'a> {
    /// The reserves.
    pub list: Vec<Collect<'a>>,
}

/// What a look ahead changes.
struct Ahead {
    got: Vec<usize>,
    adds: Vec<Vec<bool>>,
    free: Vec<bool>,
    /// Seats taken in the look ahead, a code each, for each constraint.
    used: Vec<Vec<i64>>,
    left: i64,
    plan: Vec<usize>,
}

impl Reserves<'_> {
    /// Sets each target to what this pool can give.
    pub fn aim(&mut self, eligible: &[bool], rules: &Rules<'_>, round: u8, seat: usize) {
        let mut got = self.simulate(eligible, rules, round, None, seat).got;
        let limited =
            self.list.len() > 1 || rules.holding(round).any(|rule| !matches!(rule.kind, Kind::Fixed(_)));
        let possible = self.list.iter().map(|one| one.most).sum();
        if limited && self.reached(&got) < possible {
            // Two reserves, or one and a limit, may want different beginnings: each of the best is tried.
            let useful =
                (0..eligible.len()).filter(|&i| eligible[i] && self.list.iter().any(|one| one.adds[i]));
            for i in useful.take(BEGINNINGS) {
                let other = self.simulate(eligible, rules, round, Some(i), seat).got;
                if self.reached(&other) > self.reached(&got) {
                    got = other;
                }
            }
        }
        for (reserve, reached) in self.list.iter_mut().zip(got) {
            reserve.target = reserve.target.max(reserve.wanted.min(reached));
        }
    }

    fn reached(&self, got: &[usize]) -> usize {
        got.iter().zip(&self.list).map(|(&got, one)| got.min(one.most)).sum()
    }

    /// Whether a careless choice at this seat could cost a reserve.
    pub fn binding(&self, seat: usize) -> bool {
        self.list.iter().any(|reserve| reserve.got < reserve.target && seat < reserve.within)
    }

    /// Whether every target can still be reached once entry i has this seat.
    pub fn allow(&self, i: usize, seat: usize, eligible: &[bool], rules: &Rules<'_>, round: u8) -> bool {
        let got = self.simulate(eligible, rules, round, Some(i), seat).got;
        got.iter().zip(&self.list).all(|(got, reserve)| *got >= reserve.target)
    }

    /// The entry that the look ahead itself would seat next.
    pub fn next_needed(&self, seat: usize, eligible: &[bool], rules: &Rules<'_>, round: u8) -> Option<usize> {
        self.simulate(eligible, rules, round, None, seat).plan.first().copied()
    }

    /// Entry i took a seat.
    pub fn take(&mut self, i: usize, seat: usize) {
        for reserve in &mut self.list {
            if seat < reserve.within && reserve.adds[i] {
                reserve.got += 1;
                if reserve.distinct {
                    strike(&mut reserve.adds, reserve.codes, i);
                }
            }
        }
    }

    /// Greedy multi-cover: who serves the most reserves first, the most urgent first.
    fn simulate(
        &self,
        eligible: &[bool],
        rules: &Rules<'_>,
        round: u8,
        first: Option<usize>,
        seat: usize,
    ) -> Ahead {
        let used = rules.list.iter().map(|rule| match &rule.kind {
            Kind::AtMost { seated, .. } => vec![0; seated.len()],
            _ => Vec::new(),
        });
        let left = rules.holding(round).find_map(|rule| match rule.kind {
            Kind::Budget { left, .. } => Some(left),
            _ => None,
        });
        let mut ahead = Ahead {
            got: self.list.iter().map(|one| one.got).collect(),
            adds: self.list.iter().map(|one| one.adds.clone()).collect(),
            free: eligible.to_vec(),
            used: used.collect(),
            left: left.unwrap_or(0),
            plan: Vec::new(),
        };
        let mut at = seat;
        if let Some(i) = first {
            self.seat_one(&mut ahead, rules, round, i, at);
            at += 1;
        }
        let last = self.list.iter().map(|one| one.within).max().unwrap_or(0);
        let mut serves = vec![0.0f64; eligible.len()];
        while at < last {
            serves.fill(0.0);
            for (place, reserve) in self.list.iter().enumerate() {
                if ahead.got[place] < reserve.most && at < reserve.within {
                    let urgent = (reserve.most - ahead.got[place]) as f64 / (reserve.within - at) as f64;
                    let adds = serves.iter_mut().zip(&ahead.adds[place]);
                    adds.filter(|one| *one.1).for_each(|(sum, _)| *sum += 1.0 + urgent);
                }
            }
            let able = (0..serves.len()).filter(|&i| ahead.free[i] && serves[i] > 0.0);
            let Some(i) = able.reduce(|best, i| if serves[i] > serves[best] { i } else { best }) else {
                break;
            };
            ahead.plan.push(i);
            self.seat_one(&mut ahead, rules, round, i, at);
            at += 1;
        }
        ahead
    }

    fn seat_one(&self, ahead: &mut Ahead, rules: &Rules<'_>, round: u8, i: usize, at: usize) {
        ahead.free[i] = false;
        for (place, reserve) in self.list.iter().enumerate() {
            if at < reserve.within && ahead.adds[place][i] {
                ahead.got[place] += 1;
                if reserve.distinct {
                    strike(&mut ahead.adds[place], reserve.codes, i);
                }
            }
        }
        for (place, rule) in rules.list.iter().enumerate().filter(|(_, rule)| rule.lifted > round) {
            match &rule.kind {
                Kind::Fixed(_) => {}
                Kind::AtMost { codes, most, seated } => {
                    if codes[i] < 0 {
                        continue;
                    }
                    let code = codes[i] as usize;
                    ahead.used[place][code] += 1;
                    if ahead.used[place][code] >= most - seated[code] {
                        strike(&mut ahead.free, codes, i);
                    }
                }
                Kind::Budget { tokens, .. } => {
                    ahead.left -= tokens[i];
                    let fits = ahead.free.iter_mut().zip(*tokens);
                    fits.for_each(|(free, &length)| *free = *free && length <= ahead.left);
                }
            }
        }
    }
}

/// Clears the marks of all entries with the code of entry i.
fn strike(marks: &mut [bool], codes: &[i64], i: usize) {
    let code = codes[i];
    marks.iter_mut().zip(codes).filter(|one| *one.1 == code).for_each(|(mark, _)| *mark = false);
}
