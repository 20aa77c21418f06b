//! Pricing against every pattern.

use crate::random::{Kind, SMALL, every_pattern, instance, prices, reduced};
use synergy_solver::config_lp::packing::Packing;
use synergy_solver::config_lp::pricing::{Pricer, Prices};
use synergy_solver::config_lp::units::Rounding;

const KINDS: [Kind; 4] = [
    SMALL,
    Kind { groups: 2, gpus: 5, demand: 5, powers_of_two: false, weights: true, ..SMALL },
    Kind { servers: 3, demand: 7, powers_of_two: false, ..SMALL },
    Kind { whole_cpus: true, demand: 8, servers: 3, ..SMALL },
];

#[test]
fn pricing_agrees_with_every_pattern() {
    let (mut repeated, mut once, mut larger) = (0, 0, 0);
    for seed in 0..240 {
        let instance = instance(seed, KINDS[seed as usize % KINDS.len()]);
        let packing = Packing::new(&instance, &instance.runnable(&instance.queue()), 1.0, Rounding::Down);
        let counts = packing.counts();
        let prices = prices(seed, &packing);
        for shape in 0..packing.shapes.len() {
            let mut pricer = Pricer::new(&packing, shape);
            let mu = prices.server[shape];
            let found = pricer.price(&counts, &prices, 1.0);
            let all = every_pattern(&packing, shape, &counts);
            let best = all
                .iter()
                .filter(|p| p.servers > 0)
                .map(|p| reduced(&packing, p, &prices) + mu)
                .fold(0.0, f64::max);
            assert!((found - best).abs() < 1e-9, "seed {seed}: {found} for {best}");
            for (index, pattern) in pricer.patterns(6).iter().enumerate() {
                assert!(pattern.within(&packing, &counts) && all.contains(pattern), "seed {seed}");
                let value = reduced(&packing, pattern, &prices) + mu;
                assert!(if index == 0 { (value - found).abs() < 1e-9 } else { value <= found + 1e-9 });
            }
            let held = pricer
                .patterns(1)
                .first()
                .map_or(0, |p| p.per_class(&packing).iter().map(|c| c.1).max().unwrap_or(0));
            repeated += usize::from(held > 1);
            once += usize::from(held == 1);
            larger += packing.shapes[shape].items.iter().filter(|item| item.whole > 0).count();
        }
    }
    assert!(repeated > 10 && once > 50 && larger > 50, "{repeated} {once} {larger}");
}

/// Without the limit on copies the best pattern of one server would hold jobs that do not exist.
#[test]
fn no_pattern_holds_more_jobs_than_there_are() {
    let instance = instance(3, Kind { profiles: 1, ..SMALL });
    let packing = Packing::new(&instance, &[0], 1.0, Rounding::Down);
    let free = Prices { class: vec![0.0], server: vec![0.0; packing.shapes.len()] };
    let value = Pricer::new(&packing, 0).price(&packing.counts(), &free, 1.0);
    let one = packing.shapes[0].items.iter().map(|item| packing.value(item)).fold(0.0, f64::max);
    assert_eq!(value, one);
}
