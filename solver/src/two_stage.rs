//! OPT, the paper's two-stage optimum: how much each job gets, then where (problem statement, sections 2 and 3).
//!
//! 1. Stage one melts the servers into one machine and chooses the amounts `(c*_j, m*_j)` of every job
//!    ([`lp`]; with several server groups [`lp_groups`], which also says what part of a job is in which group).
//! 2. Stage two places those amounts on the servers of every group ([`crate::placement`]).
//! 3. What comes out is read as one placement of whole jobs on the cluster and recomputed from the
//!    instance: every capacity, every job once. Only then is it a solution.

use crate::bounds::{BoundOptions, StageOne, lp, lp_groups};
use crate::model::{Allocation, Instance, JobAllocation, Part, Parts};
use crate::placement::{self, FEASIBILITY_TOLERANCE, Placement, PlacementMethod, Shape, StageTwo};
use crate::status::Status;

/// Both stages of OPT.
#[derive(Debug, Clone, PartialEq)]
pub struct TwoStage {
    /// How much: the bound and the amounts of every job.
    pub stage_one: StageOne,
    /// Where.
    pub placement: ClusterPlacement,
}

/// Solves both stages for the runnable set of `queue`.
pub fn solve(
    instance: &Instance,
    queue: &[usize],
    options: &BoundOptions,
    method: &dyn PlacementMethod,
) -> TwoStage {
    let stage_one = stage_one(instance, queue, options);
    let placement = place(instance, &stage_one, method);
    TwoStage { stage_one, placement }
}

/// Stage one whose solution can be placed: `lp` for one group, `lp-groups` for several.
pub fn stage_one(instance: &Instance, queue: &[usize], options: &BoundOptions) -> StageOne {
    match instance.cluster().groups() {
        [_] => lp::solve(instance, queue, options),
        _ => lp_groups::solve(instance, queue, options),
    }
}

/// Stage two of one server group: its servers, and what of which job they hold.
#[derive(Debug, Clone, PartialEq)]
pub struct GroupStage {
    /// First server of the group in the cluster.
    pub first_server: usize,
    /// The program's data.
    pub problem: StageTwo,
    /// The job behind every demand of `problem`, as position in [`StageOne::jobs`], and the fraction of
    /// it that is in this group.
    pub members: Vec<(usize, f64)>,
}

/// Stage two, one problem per server group.
pub fn stage_two(instance: &Instance, stage_one: &StageOne) -> Vec<GroupStage> {
    let groups = instance.cluster().groups().iter().enumerate();
    let mut stages: Vec<GroupStage> = groups
        .map(|(h, group)| GroupStage {
            first_server: instance.cluster().servers_of(h).start,
            problem: StageTwo {
                shapes: vec![Shape {
                    servers: group.count,
                    capacity: placement::vector(f64::from(group.gpus), &group.capacity),
                }],
                demands: Vec::new(),
            },
            members: Vec::new(),
        })
        .collect();
    for (position, choice) in stage_one.jobs.iter().enumerate() {
        let gpus = f64::from(instance.gpus(choice.job));
        for part in &choice.parts {
            let stage = &mut stages[part.group];
            stage.problem.demands.push(placement::vector(gpus * part.fraction, &part.amounts));
            stage.members.push((position, part.fraction));
        }
    }
    stages
}

/// Stage two of the melted cluster: every job whole, every server of every group. With unequal groups
/// the amounts of `lp` may have no placement.
pub fn melted_stage_two(instance: &Instance, stage_one: &StageOne) -> StageTwo {
    let shape = |group: &crate::model::ServerGroup| Shape {
        servers: group.count,
        capacity: placement::vector(f64::from(group.gpus), &group.capacity),
    };
    StageTwo {
        shapes: instance.cluster().groups().iter().map(shape).collect(),
        demands: stage_one
            .jobs
            .iter()
            .map(|choice| placement::vector(f64::from(instance.gpus(choice.job)), &choice.amounts))
            .collect(),
    }
}

/// A non-zero `x_{i,j}` of the cluster.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct JobShare {
    /// Position of the job in [`StageOne::jobs`].
    pub position: usize,
    /// Server of the cluster.
    pub server: usize,
    /// Part of the job in [`crate::bounds::JobChoice::parts`] that the share is of.
    pub part: usize,
    /// Fraction of that part.
    pub of_part: f64,
    /// Fraction of the job's GPUs, in (0, 1].
    pub fraction: f64,
}

/// Where the jobs are, over all groups.
#[derive(Debug, Clone, PartialEq)]
pub struct ClusterPlacement {
    /// How it ended; the worst over the groups.
    pub status: Status,
    /// The non-zeros, by job, then server. Empty without a solution.
    pub shares: Vec<JobShare>,
    /// Jobs on more than one server.
    pub fragmented: usize,
    /// Non-zeros minus jobs.
    pub pieces: usize,
    /// Most jobs that vertices fragment: 3s, plus the jobs that stage one split between groups.
    pub limit: usize,
    /// Proven lower bound on the pieces, where the method proves one.
    pub bound: Option<usize>,
    /// Whether it is a vertex in every group.
    pub vertex: bool,
}

impl ClusterPlacement {
    /// Distance to the proven bound, `(pieces - bound) / pieces`; 0 where they agree.
    pub fn gap(&self) -> Option<f64> {
        let bound = self.bound.filter(|_| !self.shares.is_empty())?;
        Some(self.pieces.saturating_sub(bound) as f64 / self.pieces.max(1) as f64)
    }

    /// For every job of stage one the server that holds most of it, the lowest of equals.
    pub fn main_servers(&self, jobs: usize) -> Vec<Option<usize>> {
        let mut main: Vec<Option<(f64, usize)>> = vec![None; jobs];
        for share in &self.shares {
            let best = &mut main[share.position];
            if best.is_none_or(|(fraction, _)| share.fraction > fraction + 1e-9) {
                *best = Some((share.fraction, share.server));
            }
        }
        main.into_iter().map(|best| best.map(|(_, server)| server)).collect()
    }

    /// The fractional allocation that it means: on each server, the share of the job's GPUs and amounts.
    pub fn allocation(&self, instance: &Instance, stage_one: &StageOne) -> Allocation {
        let of_job = |shares: &[JobShare]| {
            let choice = &stage_one.jobs[shares[0].position];
            let gpus = f64::from(instance.gpus(choice.job));
            let part = |share: &JobShare| Part {
                server: share.server,
                gpus: gpus * share.fraction,
                amounts: choice.parts[share.part].amounts.scaled(share.of_part),
            };
            JobAllocation { job: choice.job, parts: shares.iter().map(part).collect::<Parts>() }
        };
        let mut jobs: Vec<JobAllocation> =
            self.shares.chunk_by(|a, b| a.position == b.position).map(of_job).collect();
        jobs.sort_by_key(|allocated| allocated.job);
        Allocation { fractional: true, jobs }
    }
}

/// Stage two: places what stage one chose, group by group.
pub fn place(instance: &Instance, stage_one: &StageOne, method: &dyn PlacementMethod) -> ClusterPlacement {
    let stages = stage_two(instance, stage_one);
    let placements: Vec<Placement> = stages.iter().map(|stage| method.place(&stage.problem)).collect();
    gather(instance, stage_one, &stages, &placements)
}

/// Reads the placements of the groups as one of the cluster, after checking each against its problem.
pub fn gather(
    instance: &Instance,
    stage_one: &StageOne,
    stages: &[GroupStage],
    placements: &[Placement],
) -> ClusterPlacement {
    let split_jobs = stage_one.jobs.iter().filter(|choice| choice.parts.len() > 1).count();
    let between_groups: usize =
        stage_one.jobs.iter().map(|choice| choice.parts.len().saturating_sub(1)).sum();
    let mut out = ClusterPlacement {
        status: if stage_one.jobs.is_empty() { stage_one.bound.status } else { Status::Optimal },
        shares: Vec::new(),
        fragmented: 0,
        pieces: 0,
        limit: stages.iter().map(|stage| stage.problem.vertex_limit()).sum::<usize>() + split_jobs,
        // A job in several groups is in as many pieces, whatever the groups do with theirs.
        bound: placements
            .iter()
            .map(|placement| placement.bound)
            .sum::<Option<usize>>()
            .map(|bound| bound + between_groups),
        vertex: placements.iter().all(|placement| placement.vertex),
    };
    for (stage, placement) in stages.iter().zip(placements) {
        if stage.problem.demands.is_empty() {
            continue;
        }
        let solved = !placement.shares.is_empty();
        if solved && placement.violation(&stage.problem) > FEASIBILITY_TOLERANCE {
            out.status = Status::Uncertified;
        } else if placement.status != Status::Optimal && matches!(out.status, Status::Optimal | Status::Ok) {
            out.status = placement.status;
        }
        if !solved {
            out.shares.clear();
            return out;
        }
        for share in &placement.shares {
            let (position, fraction) = stage.members[share.job as usize];
            let server = stage.first_server + share.server as usize;
            let group = instance.cluster().group_of(server);
            let parts = &stage_one.jobs[position].parts;
            let part = parts.iter().position(|part| part.group == group).unwrap_or(0);
            out.shares.push(JobShare {
                position,
                server,
                part,
                of_part: share.fraction,
                fraction: fraction * share.fraction,
            });
        }
    }
    out.shares.sort_unstable_by_key(|share| (share.position, share.server));
    let jobs = out.shares.chunk_by(|a, b| a.position == b.position);
    (out.fragmented, out.pieces) = jobs.fold((0, 0), |(fragmented, pieces), shares| {
        (fragmented + usize::from(shares.len() > 1), pieces + shares.len() - 1)
    });
    out
}
