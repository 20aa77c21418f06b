//! What a heuristic may give a job: its fair options, what a step up gains, and what resources are worth.

use crate::model::{AUXILIARY, Amounts, Configuration, Instance, JobClass};

/// The configurations of `class` at no less than its baseline that no other one dominates, cheapest
/// in CPUs first. The baseline share is among the candidates, so that there is always one, and the
/// share of every server with the job's GPUs covers at least one of them.
pub fn fair_options(class: &JobClass) -> Vec<Configuration> {
    let share = Configuration { amounts: class.smallest_share, throughput: 1.0 };
    let fair = class.configurations.iter().filter(|k| k.throughput >= 1.0);
    let mut candidates: Vec<Configuration> = fair.copied().chain([share]).collect();
    candidates.sort_by(|a, b| {
        let amounts = a.amounts.0.partial_cmp(&b.amounts.0).expect("amounts are finite");
        amounts.then(b.throughput.total_cmp(&a.throughput))
    });
    let mut options: Vec<Configuration> = Vec::new();
    for candidate in candidates {
        let dominates = |kept: &Configuration| {
            (0..AUXILIARY).all(|r| kept.amounts[r] <= candidate.amounts[r])
                && kept.throughput >= candidate.throughput
        };
        if !options.iter().any(dominates) {
            options.push(candidate);
        }
    }
    options
}

/// A step from one configuration to a faster one.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// Index of the target in the options.
    pub to: usize,
    /// Normalised throughput that it adds.
    pub gain: f64,
    /// What it costs more of every resource; may be negative in some.
    pub cost: Amounts,
}

impl Step {
    /// Marginal gain per CPU: throughput added per CPU; infinite for a step that costs none.
    pub fn gain_per_cpu(&self) -> f64 {
        if self.cost.cpus() > 0.0 { self.gain / self.cost.cpus() } else { f64::INFINITY }
    }

    /// Throughput added per unit of price.
    pub fn gain_per_price(&self, prices: &Amounts) -> f64 {
        let price = priced(prices, &self.cost);
        if price > 0.0 { self.gain / price } else { f64::INFINITY }
    }
}

/// All steps from option `from` to faster ones, in the order of the options.
pub fn steps_up(options: &[Configuration], from: usize) -> impl Iterator<Item = Step> + '_ {
    let now = options[from];
    options.iter().enumerate().filter(move |(_, k)| k.throughput > now.throughput).map(move |(to, k)| Step {
        to,
        gain: k.throughput - now.throughput,
        cost: k.amounts - now.amounts,
    })
}

/// Sum over resources of price x amount.
pub fn priced(prices: &Amounts, amounts: &Amounts) -> f64 {
    (0..AUXILIARY).map(|r| prices[r] * amounts[r]).sum()
}

/// What one job can choose from and how much its throughput counts.
#[derive(Debug, Clone, Copy)]
pub struct Choice<'a> {
    /// Options, at least one.
    pub options: &'a [Configuration],
    /// Objective weight.
    pub weight: f64,
}

impl Choice<'_> {
    /// The option with the most value left after paying `prices`; of equals the first, the cheapest in CPUs.
    pub fn at_prices(&self, prices: &Amounts) -> usize {
        let left = |k: &Configuration| self.weight * k.throughput - priced(prices, &k.amounts);
        let mut best = 0;
        for k in 1..self.options.len() {
            if left(&self.options[k]) > left(&self.options[best]) {
                best = k;
            }
        }
        best
    }
}

/// Prices of the auxiliary resources at which the jobs together ask for no more than `capacity`: near the
/// dual values of the super-machine (problem statement, section 2), by bisection of one resource at a
/// time. Each choice counts as many times as is said beside it.
pub fn prices(choices: &[(Choice, f64)], capacity: &Amounts) -> Amounts {
    /// Rounds over the resources, and halvings of a price in each.
    const ROUNDS: usize = 4;
    const HALVINGS: usize = 30;

    let demand = |prices: &Amounts, r: usize| -> f64 {
        choices
            .iter()
            .map(|(choice, count)| count * choice.options[choice.at_prices(prices)].amounts[r])
            .sum()
    };
    // Above this price nobody pays for a step: the largest value over the smallest amount.
    let most =
        choices.iter().flat_map(|(choice, _)| choice.options.iter().map(|k| choice.weight * k.throughput));
    let most = most.fold(0.0, f64::max);
    let mut prices = Amounts::ZERO;
    for _ in 0..ROUNDS {
        for r in 0..AUXILIARY {
            let with = |price: f64| {
                let mut changed = prices;
                changed[r] = price;
                changed
            };
            if demand(&with(0.0), r) <= capacity[r] {
                prices[r] = 0.0;
                continue;
            }
            let (mut low, mut high) = (0.0, most * choices.len() as f64 / capacity[r].max(f64::MIN_POSITIVE));
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if demand(&with(middle), r) > capacity[r] { low = middle } else { high = middle }
            }
            prices[r] = high;
        }
    }
    prices
}

/// Fair options of every class that occurs in `jobs`, by class; empty for the others.
pub fn options_of(instance: &Instance, jobs: &[usize]) -> Vec<Vec<Configuration>> {
    let mut options = vec![Vec::new(); instance.classes().len()];
    for &job in jobs {
        let class = instance.jobs()[job].class;
        if options[class].is_empty() {
            options[class] = fair_options(&instance.classes()[class]);
        }
    }
    options
}
