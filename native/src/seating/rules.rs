//! Constraints of seating: see `stages.constraints`.

/// What a constraint looks at.
pub enum Kind<'a> {
    /// A mask that does not change.
    Fixed(&'a [bool]),
    /// At most `most` seats for one code; -1 is a value of its own. `seated` counts, a code each.
    AtMost {
        /// A code for each entry.
        codes: &'a [i64],
        /// Seats for one code.
        most: i64,
        /// Seats taken so far.
        seated: Vec<i64>,
    },
    /// What does not fit into what is `left` is skipped.
    Budget {
        /// Length of each entry.
        tokens: &'a [i64],
        /// What is left.
        left: i64,
    },
}

/// One constraint. It holds in rounds before `lifted`.
pub struct Rule<'a> {
    /// What it looks at.
    pub kind: Kind<'a>,
    /// At which round it no longer holds.
    pub lifted: u8,
}

impl Rule<'_> {
    /// Whether entry i may be seated next.
    pub fn allows(&self, i: usize) -> bool {
        match &self.kind {
            Kind::Fixed(mask) => mask[i],
            Kind::AtMost { codes, most, seated } => codes[i] < 0 || seated[codes[i] as usize] < *most,
            Kind::Budget { tokens, left } => tokens[i] <= *left,
        }
    }

    fn take(&mut self, i: usize) {
        match &mut self.kind {
            Kind::Fixed(_) => {}
            Kind::AtMost { codes, seated, .. } => {
                if codes[i] >= 0 {
                    seated[codes[i] as usize] += 1;
                }
            }
            Kind::Budget { tokens, left } => *left -= tokens[i],
        }
    }
}

/// Constraints in the order in which they are named as binding.
pub struct Rules<'a> {
    /// The constraints.
    pub list: Vec<Rule<'a>>,
}

impl<'a> Rules<'a> {
    /// Those that hold in a round.
    pub fn holding(&self, round: u8) -> impl Iterator<Item = &Rule<'a>> {
        self.list.iter().filter(move |rule| rule.lifted > round)
    }

    /// Whether some constraint no longer holds from this round on.
    pub fn lifts_at(&self, round: u8) -> bool {
        self.list.iter().any(|rule| rule.lifted == round)
    }

    /// Free entries that a round allows; with or without a look at the budget.
    pub fn allowed(&self, free: &[bool], round: u8, paid: bool) -> Vec<bool> {
        let mut mask = free.to_vec();
        for rule in self.holding(round) {
            if paid || !matches!(rule.kind, Kind::Budget { .. }) {
                mask.iter_mut().enumerate().for_each(|(i, one)| *one = *one && rule.allows(i));
            }
        }
        mask
    }

    /// Entry i has been seated.
    pub fn take(&mut self, i: usize) {
        self.list.iter_mut().for_each(|rule| rule.take(i));
    }
}
