//! `optimum`: the full integer program over jobs, servers and configurations. Ground truth on small
//! clusters (problem statement, section 4).

use super::{
    About, Guarantees, Mechanism, MechanismError, NameError, Outcome, Parameter, Parameters, Takes, Tune,
};
use crate::config_lp::packing::{Class, classes};
use crate::config_lp::plan::{Seat, seat_jobs};
use crate::lp::{self, Kind, LinearProgram, Options, Sense, highs};
use crate::model::{AUXILIARY, Cluster, Instance, LOOKUP_TOLERANCE, ThroughputRule};
use crate::status::{Effort, Status};

/// The parameter that lowers the fairness floor, here and in `opt-deployable`.
pub(super) const FLOOR: Parameter = Parameter {
    name: "fairness_floor",
    default: "1",
    description: "least part of its baseline that every job gets, 0 to 1",
};

/// Its value.
pub(super) fn floor(parameters: &Parameters) -> Result<f64, NameError> {
    parameters.get(FLOOR.name, 1.0, "a number from 0 to 1", |f| (0.0..=1.0).contains(f))
}

/// The best complete, fair, consolidated allocation, by branch and bound.
#[derive(Debug, Clone, Copy)]
pub struct Optimum {
    /// Every job gets at least this part of its baseline, in [0, 1].
    pub floor: f64,
    /// Nodes of the branch-and-bound tree.
    pub nodes: u64,
    /// Seconds, as a net below the nodes.
    pub time_limit_s: Option<f64>,
}

impl Default for Optimum {
    fn default() -> Self {
        Optimum { floor: 1.0, nodes: 100_000, time_limit_s: None }
    }
}

impl Optimum {
    /// What it is and promises.
    pub const ABOUT: About = About {
        name: "optimum",
        description: "The best consolidated allocation, by branch and bound; for small clusters",
        source: "this workbench (docs/tight-bound.md)",
        takes: Takes::RunnableSet,
        guarantees: Guarantees { fair: true, complete: true, consolidated: true },
        parameters: &[
            FLOOR,
            Parameter { name: "nodes", default: "100000", description: "limit of branch-and-bound nodes" },
            Parameter { name: "seconds", default: "inf", description: "limit of seconds" },
        ],
    };

    /// With the parameters given in brackets.
    pub(super) fn named(parameters: &Parameters) -> Result<Self, NameError> {
        let default = Self::default();
        let seconds =
            parameters.get("seconds", f64::INFINITY, "a number of seconds above 0", |s| *s > 0.0)?;
        Ok(Optimum {
            floor: floor(parameters)?,
            nodes: parameters.get("nodes", default.nodes, "a number of nodes", |_| true)?,
            time_limit_s: seconds.is_finite().then_some(seconds),
        })
    }
}

impl Mechanism for Optimum {
    fn about(&self) -> About {
        let guarantees = Guarantees { fair: self.floor >= 1.0, ..Self::ABOUT.guarantees };
        About { guarantees, ..Self::ABOUT }
    }

    fn allocate(&self, instance: &Instance, queue: &[usize]) -> Result<Outcome, MechanismError> {
        let fallback = Tune.allocate(instance, queue)?;
        if instance.rules().throughput == ThroughputRule::Bilinear {
            return Ok(Outcome { status: Status::Skipped, ..fallback });
        }
        let classes = classes(instance, &instance.runnable(queue), self.floor);
        let program = Program::new(instance.cluster(), &classes);
        let limits = lp::Limits {
            node_limit: Some(self.nodes),
            time_limit_s: self.time_limit_s,
            ..lp::Limits::default()
        };
        let options = Options { limits, ..Options::default() };
        let mut solution = highs::solve(&program.program, &options);
        if solution.outcome == highs::Outcome::Infeasible {
            // Presolve has been wrong about this before: confirm without it.
            solution = highs::solve(&program.program, &Options { presolve: false, ..options });
        }
        let effort =
            Some(Effort { rounds: 0, columns: program.program.columns(), nodes: solution.nodes as usize });
        let status = match solution.outcome {
            highs::Outcome::Optimal => Status::Optimal,
            highs::Outcome::Infeasible => Status::NoConsolidatedAllocation,
            highs::Outcome::CountLimit => Status::NodeLimit,
            highs::Outcome::TimeLimit => Status::TimeLimit,
            _ => Status::Uncertified,
        };
        if solution.columns.is_empty() {
            let status = if status == Status::NodeLimit { Status::NotFound } else { status };
            return Ok(Outcome { status, bound: solution.dual_bound, effort, ..fallback });
        }
        let seats = program.seats(instance.cluster(), &solution.columns);
        Ok(Outcome {
            status,
            allocation: seat_jobs(&classes, &seats),
            reverted: Vec::new(),
            bound: solution.dual_bound,
            effort,
        })
    }
}

/// A column of jobs: how many of a class run at a choice on a server.
struct Place {
    class: usize,
    choice: usize,
    /// Server; the first of the group for a job that takes whole servers only.
    server: usize,
    /// GPUs there; 0 for a job that takes whole servers only.
    gpus: u32,
    /// Further servers of the group that the job takes whole.
    whole: usize,
}

/// The integer program, with what its columns stand for.
struct Program {
    program: LinearProgram,
    /// The first columns.
    places: Vec<Place>,
    /// For every server, the column that is 1 when a larger job takes it whole.
    taken: Vec<Option<usize>>,
}

impl Program {
    /// ```text
    /// max  sum value_{t,k} y_{t,k,i}
    /// s.t. sum_{k,i} y_{t,k,i} = n_t                                          every class t
    ///      sum g_t y + gpus_i b_i <= gpus_i,  sum c_k y <= cpus_i, ...         every server i
    ///      sum_i b_i = sum whole y                                             every group
    ///      jobs of the servers of a group in descending order                  symmetry
    /// ```
    ///
    /// Jobs of a class are counted, not told apart, and the servers of a group are ordered by a weighted
    /// count of their jobs: any solution can be renumbered so, hence nothing is lost.
    fn new(cluster: &Cluster, classes: &[Class]) -> Self {
        let mut program = LinearProgram::new(Sense::Maximise);
        let class_rows: Vec<usize> = classes
            .iter()
            .map(|class| program.add_row(class.jobs.len() as f64, class.jobs.len() as f64))
            .collect();
        let servers = cluster.servers();
        let mut gpu_rows = Vec::new();
        let mut amount_rows: Vec<[usize; AUXILIARY]> = Vec::new();
        let mut order_rows = vec![None; servers];
        for server in 0..servers {
            let group = cluster.server(server);
            gpu_rows.push(program.add_row(f64::NEG_INFINITY, f64::from(group.gpus)));
            amount_rows.push(std::array::from_fn(|r| program.add_row(f64::NEG_INFINITY, group.capacity[r])));
            let first = server == cluster.servers_of(cluster.group_of(server)).start;
            if !first {
                order_rows[server] = Some(program.add_row(0.0, f64::INFINITY));
            }
        }
        let whole_rows: Vec<usize> = cluster.groups().iter().map(|_| program.add_row(0.0, 0.0)).collect();
        let larger = |class: &Class| cluster.groups().iter().all(|group| group.gpus < class.gpus);
        let mut places = Vec::new();
        let mut any_whole = vec![false; cluster.groups().len()];
        for (index, class) in classes.iter().enumerate() {
            for (choice, option) in class.choices.iter().enumerate() {
                for (h, group) in cluster.groups().iter().enumerate() {
                    let in_all = group.count as u64 * u64::from(group.gpus);
                    let is_larger = larger(class);
                    if (group.gpus < class.gpus && !is_larger) || in_all < u64::from(class.gpus) {
                        continue;
                    }
                    let per_gpu = option.amounts.scaled(1.0 / f64::from(class.gpus));
                    let (gpus, whole) = match is_larger {
                        true => (class.gpus % group.gpus, (class.gpus / group.gpus) as usize),
                        false => (class.gpus, 0),
                    };
                    let share = if is_larger { group.gpus } else { gpus };
                    if !per_gpu.scaled(f64::from(share)).fits_in(&group.capacity) {
                        continue;
                    }
                    any_whole[h] |= whole > 0;
                    let here = if gpus == 0 {
                        let first = cluster.servers_of(h).start;
                        first..first + 1
                    } else {
                        cluster.servers_of(h)
                    };
                    for server in here {
                        let amounts = per_gpu.scaled(f64::from(gpus));
                        let mut entries = vec![(class_rows[index], 1.0), (whole_rows[h], -(whole as f64))];
                        if gpus > 0 {
                            entries.push((gpu_rows[server], f64::from(gpus)));
                            entries.extend((0..AUXILIARY).map(|r| (amount_rows[server][r], amounts[r])));
                            let weight = (index + 1) as f64;
                            entries.extend(order_rows[server].map(|row| (row, -weight)));
                            let next = order_rows.get(server + 1).copied().flatten();
                            entries.extend(next.map(|row| (row, weight)));
                        }
                        let most =
                            group.gpus.checked_div(gpus).map_or(class.jobs.len(), |copies| copies as usize);
                        let most = most.min(class.jobs.len()) as f64;
                        program.add_column(Kind::Integer, option.value, (0.0, most), entries);
                        places.push(Place { class: index, choice, server, gpus, whole });
                    }
                }
            }
        }
        let mut taken = vec![None; servers];
        for server in 0..servers {
            let h = cluster.group_of(server);
            if any_whole[h] {
                let entries =
                    [(gpu_rows[server], f64::from(cluster.server(server).gpus)), (whole_rows[h], 1.0)];
                taken[server] = Some(program.add_column(Kind::Integer, 0.0, (0.0, 1.0), entries));
            }
        }
        Program { program, places, taken }
    }

    fn seats(&self, cluster: &Cluster, columns: &[f64]) -> Vec<Seat> {
        let is_taken = |&server: &usize| self.taken[server].is_some_and(|column| columns[column] > 0.5);
        let mut wholes: Vec<Vec<usize>> =
            (0..cluster.groups().len()).map(|h| cluster.servers_of(h).filter(is_taken).collect()).collect();
        let mut seats = Vec::new();
        for (place, &count) in self.places.iter().zip(columns) {
            let h = cluster.group_of(place.server);
            for _ in 0..(count + LOOKUP_TOLERANCE).round() as usize {
                let mut servers = Vec::new();
                if place.gpus > 0 {
                    servers.push((place.server, place.gpus));
                }
                let from = wholes[h].len().saturating_sub(place.whole);
                let gpus = cluster.groups()[h].gpus;
                servers.extend(wholes[h].split_off(from).into_iter().map(|server| (server, gpus)));
                servers.sort_unstable();
                seats.push(Seat { class: place.class, choice: place.choice, servers });
            }
        }
        seats
    }
}
