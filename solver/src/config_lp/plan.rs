//! Integral solutions: which pattern on how many servers, and the allocation that this is.

use super::master::Generator;
use super::packing::{Class, Packing};
use super::pattern::Pattern;
use crate::model::{Allocation, Amounts, Cluster, Instance, JobAllocation, LOOKUP_TOLERANCE, Part, Parts};

/// Patterns by index into the pool, and on how many servers each.
#[derive(Debug, Clone, Default)]
pub struct Plan {
    /// Pool index and times, above 0.
    pub patterns: Vec<(usize, usize)>,
    /// Sum of the patterns' values.
    pub value: f64,
}

impl Plan {
    /// Adds a pattern `times` times.
    pub fn push(&mut self, pool: &[Pattern], pattern: usize, times: usize) {
        if times > 0 {
            self.patterns.push((pattern, times));
            self.value += pool[pattern].value * times as f64;
        }
    }

    /// The plan's patterns one by one, repeated as often as they are used.
    pub fn expanded(&self) -> Vec<usize> {
        self.patterns.iter().flat_map(|&(pattern, times)| std::iter::repeat_n(pattern, times)).collect()
    }

    /// Whether it places all of `counts`, no job twice, on no more than `servers`.
    pub fn is_complete(
        &self,
        packing: &Packing,
        pool: &[Pattern],
        counts: &[usize],
        servers: &[usize],
    ) -> bool {
        let (mut jobs, mut used) = (vec![0; counts.len()], vec![0; servers.len()]);
        for &(pattern, times) in &self.patterns {
            let pattern = &pool[pattern];
            pattern.jobs(packing).for_each(|(class, n)| jobs[class] += n * times);
            used[pattern.shape] += pattern.servers * times;
        }
        jobs == counts && used.iter().zip(servers).all(|(used, there)| used <= there)
    }
}

/// A job of a class at one of its choices, on these servers with these GPUs (ascending by server).
#[derive(Debug, Clone)]
pub struct Seat {
    /// Index into the classes.
    pub class: usize,
    /// Index into [`Class::choices`].
    pub choice: usize,
    /// Server and GPUs there.
    pub servers: Vec<(usize, u32)>,
}

/// Seats the jobs of every class: in policy order, the fastest seats first, then the lowest server.
/// Jobs for which there is no seat stay unscheduled.
pub fn seat_jobs(classes: &[Class], seats: &[Seat]) -> Allocation {
    let mut of_class: Vec<Vec<&Seat>> = vec![Vec::new(); classes.len()];
    for seat in seats {
        of_class[seat.class].push(seat);
    }
    let mut jobs = Vec::new();
    for (class, seats) in classes.iter().zip(&mut of_class) {
        let value = |seat: &Seat| class.choices[seat.choice].value;
        seats.sort_by(|a, b| value(b).total_cmp(&value(a)).then_with(|| a.servers.cmp(&b.servers)));
        for (&job, seat) in class.jobs.iter().zip(seats.iter()) {
            let amounts = class.choices[seat.choice].amounts;
            let part = |&(server, gpus): &(usize, u32)| Part {
                server,
                gpus: f64::from(gpus),
                amounts: amounts.scaled(f64::from(gpus) / f64::from(class.gpus)),
            };
            jobs.push(JobAllocation { job, parts: seat.servers.iter().map(part).collect::<Parts>() });
        }
    }
    jobs.sort_by_key(|job| job.job);
    Allocation { fractional: false, jobs }
}

/// The allocation of a plan. Servers of a group are given out in the order of the patterns.
pub fn allocation(packing: &Packing, pool: &[Pattern], plan: &Plan, cluster: &Cluster) -> Allocation {
    let mut next: Vec<usize> =
        (0..packing.shapes.len()).map(|shape| cluster.servers_of(shape).start).collect();
    let mut seats = Vec::new();
    for index in plan.expanded() {
        let pattern = &pool[index];
        let shape = &packing.shapes[pattern.shape];
        let first = next[pattern.shape];
        next[pattern.shape] += pattern.servers;
        let partial = pattern.slots.iter().any(|&(item, _)| shape.items[item].gpus > 0);
        let mut whole = first + usize::from(partial);
        for &(item, times) in &pattern.slots {
            let item = &shape.items[item];
            for _ in 0..times {
                let mut servers = Vec::new();
                if item.gpus > 0 {
                    servers.push((first, item.gpus));
                }
                servers.extend((0..item.whole as usize).map(|i| (whole + i, shape.gpus)));
                whole += item.whole as usize;
                seats.push(Seat { class: item.class, choice: item.choice, servers });
            }
        }
    }
    seat_jobs(&packing.classes, &seats)
}

/// The plan of a consolidated allocation of all jobs, its patterns added to the pool; `None` for any
/// other allocation.
///
/// A job gets the choice of largest value within what it holds, so the plan is worth no less.
pub fn plan_of(generator: &mut Generator, instance: &Instance, from: &Allocation) -> Option<Plan> {
    let (packing, cluster) = (generator.packing(), instance.cluster());
    let mut class_of = vec![None; instance.jobs().len()];
    for (index, class) in packing.classes.iter().enumerate() {
        class.jobs.iter().for_each(|&job| class_of[job] = Some(index));
    }
    let mut on_server: Vec<Vec<usize>> = vec![Vec::new(); cluster.servers()];
    let mut alone = Vec::new();
    for job in &from.jobs {
        let class = class_of[job.job]?;
        let wide =
            job.parts.len() > 1 || packing.classes[class].gpus > cluster.server(job.parts[0].server).gpus;
        let shape = cluster.group_of(job.parts[0].server);
        let choices = &packing.classes[class].choices;
        let total = job.total();
        let holds = |need: &Amounts| {
            need.iter().zip(total.iter()).all(|(need, has)| need <= has + LOOKUP_TOLERANCE * has.max(1.0))
        };
        let data = &packing.shapes[shape];
        let item = data.of_class[class]
            .clone()
            .filter(|&item| holds(&choices[data.items[item].choice].amounts))
            .max_by(|&a, &b| {
                packing.value(&data.items[a]).total_cmp(&packing.value(&data.items[b])).then(b.cmp(&a))
            })?;
        let item_data = &data.items[item];
        if wide {
            // Whole servers of one group, and the rest on one more.
            let rest = job.parts.iter().find(|part| part.gpus < f64::from(data.gpus));
            let same_group = job.parts.iter().all(|part| cluster.group_of(part.server) == shape);
            let parts = item_data.whole as usize + usize::from(item_data.gpus > 0);
            if !same_group || item_data.whole == 0 || job.parts.len() != parts {
                return None;
            }
            match rest {
                Some(rest) => on_server[rest.server].push(item),
                None => alone.push(Pattern::new(packing, shape, vec![item])),
            }
        } else {
            on_server[job.parts[0].server].push(item);
        }
    }
    let mut plan = Plan::default();
    for (server, items) in on_server.into_iter().enumerate() {
        if !items.is_empty() {
            alone.push(Pattern::new(packing, cluster.group_of(server), items));
        }
    }
    for pattern in alone {
        if !pattern.fits(packing) {
            return None;
        }
        let (index, _) = generator.add(pattern);
        plan.push(&generator.pool, index, 1);
    }
    plan.is_complete(packing, &generator.pool, &packing.counts(), &packing.servers()).then_some(plan)
}
