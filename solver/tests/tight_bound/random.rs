//! Random small instances and brute force, for the tests of this folder and of the mechanisms on it.

use ndarray::Array2;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use std::sync::Arc;
use synergy_solver::config_lp::packing::Packing;
use synergy_solver::config_lp::pattern::Pattern;
use synergy_solver::config_lp::pricing::Prices;
use synergy_solver::model::{
    AUXILIARY, Amounts, Cluster, Instance, JobSpec, Objective, Profile, Rules, ServerGroup,
};

/// What random instances are like.
#[derive(Debug, Clone, Copy)]
pub struct Kind {
    pub groups: usize,
    pub servers: usize,
    pub gpus: u32,
    pub profiles: usize,
    /// Largest GPU demand, which may exceed a server.
    pub demand: u32,
    pub powers_of_two: bool,
    pub weights: bool,
    pub whole_cpus: bool,
}

pub const SMALL: Kind = Kind {
    groups: 1,
    servers: 2,
    gpus: 4,
    profiles: 3,
    demand: 4,
    powers_of_two: true,
    weights: false,
    whole_cpus: false,
};

pub fn generator(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn profile(rng: &mut ChaCha8Rng, name: String) -> Arc<Profile> {
    let axis = |rng: &mut ChaCha8Rng, steps: &[f64]| {
        let mut points = vec![steps[0]];
        points.extend(steps[1..].iter().copied().filter(|_| rng.random_bool(0.7)));
        points
    };
    let cpus = axis(rng, &[1.0, 2.0, 3.0, 4.0, 6.0, 9.0]);
    let memory = axis(rng, &[62.5 / 3.0, 62.5, 125.0, 187.5]);
    let mut w = Array2::zeros((cpus.len(), memory.len()));
    for c in 0..cpus.len() {
        for m in 0..memory.len() {
            let left: f64 = if m > 0 { w[(c, m - 1)] } else { 0.0 };
            let below: f64 = if c > 0 { w[(c - 1, m)] } else { 0.1 };
            let step = if rng.random_bool(0.6) { rng.random_range(0.0..0.6) } else { 0.0 };
            w[(c, m)] = left.max(below) + step;
        }
    }
    Arc::new(Profile::new(name, cpus, memory, w).unwrap())
}

pub fn instance(seed: u64, kind: Kind) -> Instance {
    let mut rng = generator(seed);
    let rng = &mut rng;
    let groups = (0..kind.groups)
        .map(|_| {
            let gpus = if kind.powers_of_two { kind.gpus } else { rng.random_range(2..=kind.gpus) };
            let ratio = f64::from(rng.random_range(3..=5_u32));
            ServerGroup {
                gpu_type: "v100".into(),
                count: rng.random_range(1..=kind.servers),
                gpus,
                capacity: Amounts::new(ratio, 62.5).scaled(f64::from(gpus)),
            }
        })
        .collect();
    let cluster = Cluster::new(groups).unwrap();
    let profiles: Vec<_> = (0..kind.profiles).map(|i| profile(rng, format!("p{i}"))).collect();
    let most = cluster.groups().iter().map(|g| g.count as u64 * u64::from(g.gpus)).max().unwrap() as u32;
    let mut jobs = Vec::new();
    let mut gpus = 0;
    while gpus < cluster.gpus() + 2 {
        let mut g = rng.random_range(1..=kind.demand);
        if kind.powers_of_two {
            g = 1 << g.ilog2();
        }
        let g = g.min(most);
        gpus += u64::from(g);
        jobs.push(JobSpec {
            id: format!("j{}", jobs.len()),
            profile: Arc::clone(&profiles[rng.random_range(0..profiles.len())]),
            gpus: g,
            weight: if kind.weights { f64::from(rng.random_range(1..=3_u32)) } else { 1.0 },
            arrival_s: None,
            work_s: None,
        });
    }
    let rules = Rules { whole_cpus: kind.whole_cpus, objective: Objective::Normalised, ..Rules::default() };
    Instance::new(format!("random-{seed}"), cluster, jobs, rules).unwrap()
}

/// Prices near what the choices are worth, some above and some below.
pub fn prices(seed: u64, packing: &Packing) -> Prices {
    let mut rng = generator(seed);
    Prices {
        class: packing.classes.iter().map(|c| c.choices[0].value * rng.random_range(-0.3..1.2)).collect(),
        server: packing.shapes.iter().map(|_| rng.random_range(0.0..2.0)).collect(),
    }
}

/// Every pattern of a shape within `counts`, the empty one included.
pub fn every_pattern(packing: &Packing, shape: usize, counts: &[usize]) -> Vec<Pattern> {
    struct Search<'a> {
        packing: &'a Packing,
        shape: usize,
        counts: Vec<usize>,
        gpus: u32,
        room: [u32; AUXILIARY],
        chosen: Vec<usize>,
        out: Vec<Pattern>,
    }
    impl Search<'_> {
        fn run(&mut self, from: usize) {
            self.out.push(Pattern::new(self.packing, self.shape, self.chosen.clone()));
            for index in from..self.packing.shapes[self.shape].items.len() {
                let item = self.packing.shapes[self.shape].items[index];
                let alone = item.gpus == 0;
                let fits = item.gpus <= self.gpus
                    && (0..AUXILIARY).all(|r| item.units[r] <= self.room[r])
                    && self.counts[item.class] > 0;
                if !fits || (alone && !self.chosen.is_empty()) {
                    continue;
                }
                if alone {
                    self.out.push(Pattern::new(self.packing, self.shape, vec![index]));
                    continue;
                }
                self.gpus -= item.gpus;
                self.counts[item.class] -= 1;
                (0..AUXILIARY).for_each(|r| self.room[r] -= item.units[r]);
                self.chosen.push(index);
                self.run(index);
                self.chosen.pop();
                (0..AUXILIARY).for_each(|r| self.room[r] += item.units[r]);
                self.counts[item.class] += 1;
                self.gpus += item.gpus;
            }
        }
    }
    let data = &packing.shapes[shape];
    let mut search = Search {
        packing,
        shape,
        counts: counts.to_vec(),
        gpus: data.gpus,
        room: data.room,
        chosen: Vec::new(),
        out: Vec::new(),
    };
    search.run(0);
    search.out
}

/// `v_p - sum_t pi_t a_{t,p} - mu servers_p`.
pub fn reduced(packing: &Packing, pattern: &Pattern, prices: &Prices) -> f64 {
    let jobs: f64 = pattern.jobs(packing).map(|(class, n)| prices.class[class] * n as f64).sum();
    pattern.value - jobs - prices.server[pattern.shape] * pattern.servers as f64
}
