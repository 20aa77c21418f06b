//! The best options for the jobs of one server: a small two-resource multiple-choice knapsack.

use super::options::{Choice, priced};
use crate::model::{AUXILIARY, Amounts, not_above};

/// What one server's jobs get.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Plan {
    /// Sum of weight x normalised throughput.
    pub value: f64,
    /// Option of every job, in the order given.
    pub chosen: Vec<usize>,
}

/// Branch and bound over the options, with the Lagrangian bound at given prices.
#[derive(Debug, Default)]
pub(super) struct Planner {
    /// Nodes that one search may visit. Beyond it the best plan so far stands.
    pub node_limit: usize,
    /// Per job: its place in the order given, and its options, most reduced value first.
    rows: Vec<Row>,
    chosen: Vec<usize>,
    best: Vec<usize>,
    best_value: f64,
    nodes: usize,
}

#[derive(Debug, Default, Clone)]
struct Row {
    place: usize,
    /// (reduced value, value, amounts, option)
    options: Vec<(f64, f64, Amounts, usize)>,
    /// Over this row and all later ones: best reduced value, and least amounts.
    bound: f64,
    least: Amounts,
}

impl Planner {
    pub fn new(node_limit: usize) -> Self {
        Planner { node_limit, ..Planner::default() }
    }

    /// The best plan within `capacity`; `None` when none was found. Any prices do; good ones are fast.
    pub fn best(&mut self, choices: &[Choice], capacity: &Amounts, prices: &Amounts) -> Option<Plan> {
        let value = self.best_value(choices, capacity, prices)?;
        let mut chosen = vec![0; choices.len()];
        for (row, &option) in self.rows.iter().zip(&self.best) {
            chosen[row.place] = row.options[option].3;
        }
        Some(Plan { value, chosen })
    }

    /// Value of the best plan.
    pub fn best_value(&mut self, choices: &[Choice], capacity: &Amounts, prices: &Amounts) -> Option<f64> {
        self.rows.resize_with(choices.len(), Row::default);
        for (place, (row, choice)) in self.rows.iter_mut().zip(choices).enumerate() {
            row.place = place;
            row.options.clear();
            row.options.extend(choice.options.iter().enumerate().map(|(option, k)| {
                let value = choice.weight * k.throughput;
                (value - priced(prices, &k.amounts), value, k.amounts, option)
            }));
            row.options.sort_by(|a, b| b.0.total_cmp(&a.0));
        }
        // Those with most to lose first.
        let spread = |row: &Row| row.options[0].0 - row.options[row.options.len() - 1].0;
        self.rows.sort_by(|a, b| spread(b).total_cmp(&spread(a)).then(a.place.cmp(&b.place)));
        let (mut bound, mut least) = (0.0, Amounts::ZERO);
        for row in self.rows.iter_mut().rev() {
            bound += row.options[0].0;
            least += row.options.iter().map(|o| o.2).reduce(|a, b| a.min(&b)).unwrap_or(Amounts::ZERO);
            (row.bound, row.least) = (bound, least);
        }
        self.chosen.clear();
        self.best.clear();
        self.best_value = f64::NEG_INFINITY;
        self.nodes = 0;
        self.branch(0, 0.0, 0.0, capacity, priced(prices, capacity));
        (self.best_value > f64::NEG_INFINITY).then_some(self.best_value)
    }

    /// `reduced` is value less price so far; `all` the price of everything that the server has.
    fn branch(&mut self, depth: usize, value: f64, reduced: f64, free: &Amounts, all: f64) {
        if depth == self.rows.len() {
            if value > self.best_value {
                self.best_value = value;
                self.best.clone_from(&self.chosen);
            }
            return;
        }
        let later = match self.rows.get(depth + 1) {
            Some(row) => (row.bound, row.least),
            None => (0.0, Amounts::ZERO),
        };
        for option in 0..self.rows[depth].options.len() {
            let (own_reduced, own_value, amounts, _) = self.rows[depth].options[option];
            // Options come by reduced value: the first that cannot reach the best plan ends the row.
            let bound = reduced + own_reduced + later.0 + all;
            if bound <= self.best_value + 1e-9 * self.best_value.abs() || self.nodes >= self.node_limit {
                return;
            }
            let left = *free - amounts;
            if !(0..AUXILIARY).all(|r| not_above(later.1[r], left[r])) {
                continue;
            }
            self.nodes += 1;
            self.chosen.push(option);
            self.branch(depth + 1, value + own_value, reduced + own_reduced, &left, all);
            self.chosen.pop();
        }
    }
}
