//! Profiles: on which share of instances a method is within a distance of the best, or of a bound.

/// One method's curve: share of instances at each abscissa.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Curve {
    /// The method.
    pub method: String,
    /// Share of instances, parallel to the abscissae.
    pub share: Vec<f64>,
}

/// Performance profile (Dolan & Moré, 2002): the share of instances on which a method's cost is at
/// most tau times the least of all methods. `costs` has one row per method, one entry per instance;
/// `None` is a failure and is never within any tau. An instance on which all failed counts in the
/// denominator, as it should: it was not solved.
pub fn performance_profile(methods: &[(String, Vec<Option<f64>>)], taus: &[f64]) -> Vec<Curve> {
    let instances = methods.iter().map(|(_, costs)| costs.len()).max().unwrap_or(0);
    let best: Vec<f64> = (0..instances)
        .map(|i| methods.iter().filter_map(|(_, costs)| *costs.get(i)?).fold(f64::INFINITY, f64::min))
        .collect();
    let within = |cost: f64, best: f64, tau: f64| cost <= best * tau * (1.0 + 1e-12);
    methods
        .iter()
        .map(|(method, costs)| Curve {
            method: method.clone(),
            share: taus
                .iter()
                .map(|&tau| {
                    let hits = costs
                        .iter()
                        .zip(&best)
                        .filter(|(cost, best)| cost.is_some_and(|c| within(c, **best, tau)));
                    hits.count() as f64 / instances.max(1) as f64
                })
                .collect(),
        })
        .collect()
}

/// Gap profile: the share of instances on which a method's gap is known and at most x. Unlike a
/// performance profile it does not change when another method joins.
pub fn gap_profile(methods: &[(String, Vec<Option<f64>>)], gaps: &[f64]) -> Vec<Curve> {
    methods
        .iter()
        .map(|(method, values)| Curve {
            method: method.clone(),
            share: gaps
                .iter()
                .map(|x| {
                    let hits = values.iter().filter(|gap| gap.is_some_and(|gap| gap <= x + 1e-12)).count();
                    hits as f64 / values.len().max(1) as f64
                })
                .collect(),
        })
        .collect()
}
