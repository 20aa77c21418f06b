//! The mechanism: jobs packed by their proportional shares, each at the least that is fair; then steps up, as
//! long as they fit, by throughput gained for what they cost. Change it into yours.

use synergy_solver::mechanisms::{
    About, Guarantees, Mechanism, MechanismError, NameError, Outcome, Parameter, Servers, Takes,
    fair_options, steps_up,
};
use synergy_solver::model::{Amounts, Configuration, Instance};
use synergy_solver::status::Status;

/// Steps up by gain per cost.
pub struct StepsUp {
    /// What a GB costs, in CPUs.
    pub gb_in_cpus: f64,
}

const ABOUT: About = About {
    name: "{{name}}",
    description: "the least that is fair, then steps up by throughput gained per cost",
    source: "mine",
    takes: Takes::RunnableSet,
    // Every allocation is held to this by the independent checker.
    guarantees: Guarantees { fair: true, complete: true, consolidated: true },
    parameters: &[Parameter { name: "gb_in_cpus", default: "0.02", description: "what a GB costs, in CPUs" }],
};

/// Makes it known by name, as `{{name}}` or `{{name}}[gb_in_cpus=0.05]`.
pub fn register() -> Result<(), NameError> {
    synergy_solver::mechanisms::register(ABOUT, |parameters| {
        let gb_in_cpus = parameters.get("gb_in_cpus", 0.02, "a number, 0 or above", |x: &f64| *x >= 0.0)?;
        Ok(Box::new(StepsUp { gb_in_cpus }))
    })
}

impl Mechanism for StepsUp {
    fn about(&self) -> About {
        ABOUT
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        let mut servers = pack(instance, instance.runnable(queue));
        let prices = Amounts::new(1.0, self.gb_in_cpus);
        // What every job could get, and the option that it holds: at first the cheapest within its share, so that
        // something is left to step up with. Only jobs on one server take part.
        let residents = servers.residents().to_vec();
        let options: Vec<Vec<Configuration>> =
            residents.iter().map(|r| fair_options(instance.class_of(r.job))).collect();
        let cost = |k: &Configuration| k.amounts.cpus() + self.gb_in_cpus * k.amounts.memory_gb();
        let mut held: Vec<usize> = Vec::with_capacity(residents.len());
        for (resident, options) in residents.iter().zip(&options) {
            let share = instance.class_of(resident.job).smallest_share;
            let within = (0..options.len()).filter(|&k| options[k].amounts.fits_in(&share));
            held.push(within.min_by(|&a, &b| cost(&options[a]).total_cmp(&cost(&options[b]))).unwrap_or(0));
        }
        for r in (0..residents.len()).filter(|&r| residents[r].parts.len() == 1) {
            servers.change(r, options[r][held[r]].amounts);
        }
        loop {
            // The step with the most gain per cost; of equals the first.
            let mut best: Option<(f64, usize, usize)> = None;
            for (r, resident) in residents.iter().enumerate() {
                let [part] = resident.parts.as_slice() else { continue };
                let free = servers.free_amounts(part.server);
                let weight = instance.objective_weight(resident.job);
                for step in steps_up(&options[r], held[r]) {
                    let rate = weight * step.gain_per_price(&prices);
                    if step.cost.fits_in(&free) && best.is_none_or(|(most, _, _)| rate > most) {
                        best = Some((rate, r, step.to));
                    }
                }
            }
            let Some((_, r, option)) = best else { break };
            servers.change(r, options[r][option].amounts);
            held[r] = option;
        }
        Ok(servers.into_outcome(Status::Ok))
    }
}

/// Best fit of proportional shares, by descending GPU demand.
fn pack(instance: &Instance, mut jobs: Vec<usize>) -> Servers<'_> {
    jobs.sort_by_key(|&job| std::cmp::Reverse(instance.gpus(job)));
    let mut servers = Servers::new(instance);
    for job in jobs {
        let class = instance.class_of(job);
        match servers.best_fit(class.gpus, &class.smallest_share) {
            Some(server) => servers.place(job, server, class.smallest_share),
            // Larger than a server, or no server has its GPUs left.
            None if servers.place_on_whole_servers(job, |_| class.smallest_share) => (),
            None => servers.split(job),
        }
    }
    servers
}
