//! The engine: rounds, arrivals, leases, progress. It knows no files and no clock.
//!
//! A decision is a function of the instance and the ordered queue, so a round whose order repeats keeps
//! its decision; where no key moves, the rounds up to the next arrival or completion are taken in one
//! step. [`Options::stepping`] does neither, with the same results.

use super::SimulationError;
use super::allocators::{Allocator, Decision, full_demand, full_speed, published_iteration_s};
use super::job::{Account, JobState, SimJob};
use super::plan::MOST_JOBS;
use super::policies::{KeyMotion, Policy};
use super::queue::{Keys, Queue, Rate};
use super::rows::{End, JobRow, Progress, RoundRow, Sink};
use super::switches::{Switch, Switches};
use std::ops::Range;
use std::sync::Arc;
use synergy_solver::mechanisms::Takes;
use synergy_solver::model::{Amounts, Cluster, Instance, JobClass, JobSpec, Profile, Rules};

/// When a job that ends inside a round completes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Completion {
    /// At the end of the round.
    #[default]
    RoundEnd,
    /// When its work is done. It keeps its GPUs up to the end of the round.
    Exact,
}

/// What a run follows beside policy and mechanism.
#[derive(Debug, Clone, PartialEq)]
pub struct Options {
    /// Length of a round.
    pub round_s: f64,
    /// Differences to the paper.
    pub switches: Switches,
    /// The rate in keys of remaining time.
    pub rate: Rate,
    /// When jobs complete.
    pub completion: Completion,
    /// Seconds that a job loses when it restarts or changes servers.
    pub lease_change_s: f64,
    /// Seconds after its arrival before a job can run, its matrix being measured.
    pub profiling_s: f64,
    /// Measured jobs, by index; all that are asked for when `None`.
    pub measure: Option<Range<usize>>,
    /// A measured job that waits this long in a row ends the run.
    pub starvation_s: f64,
    /// Evaluate the bound every so many rounds.
    pub gap_every: Option<u64>,
    /// Decide every round anew and skip none: slow, for tests.
    pub stepping: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            round_s: 300.0,
            switches: Switches::PAPER,
            rate: Rate::Baseline,
            completion: Completion::RoundEnd,
            lease_change_s: 0.0,
            profiling_s: 0.0,
            measure: None,
            starvation_s: 10_000.0 * 3600.0,
            gap_every: None,
            stepping: false,
        }
    }
}

/// Totals of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Summary {
    /// How it ended.
    pub end: End,
    /// One line on an end that is not `Done`.
    pub message: Option<String>,
    /// Start of the first round.
    pub start_s: f64,
    /// Start of the round after the last.
    pub end_s: f64,
    /// Rounds between the two.
    pub rounds: u64,
    /// Decisions asked of the mechanism.
    pub decisions: u64,
    /// Profile of every class of jobs.
    pub profiles: Vec<String>,
}

/// Bound and checks for a decision that was just made.
pub trait Auditor {
    /// The best bound that holds for `decision` over `queue`.
    fn bound(&mut self, instance: &Instance, queue: &[usize], decision: &Decision) -> Option<f64>;

    /// Called for every new decision.
    ///
    /// # Errors
    /// When an allocation breaks what its mechanism promises.
    fn check(
        &mut self,
        instance: &Instance,
        queue: &[usize],
        decision: &Decision,
    ) -> Result<(), SimulationError>;
}

/// Rounds between two looks at starving jobs and progress.
const WATCH_ROUNDS: u64 = 64;
/// Most amounts remembered per class.
const KNOWN_USES: usize = 16;
/// The published starvation limit.
const STARVATION_FLAG_S: f64 = 1000.0 * 3600.0;
/// The published measured window, whose end is the end of the run.
const PUBLISHED_WINDOW: Range<i64> = 4000..5000;

/// A simulation of one policy with one mechanism.
pub struct Engine<'a> {
    options: &'a Options,
    policy: &'a dyn Policy,
    allocator: &'a mut dyn Allocator,
    auditor: &'a mut dyn Auditor,
    source: &'a mut dyn Iterator<Item = SimJob>,
    /// Jobs asked for; later ones keep the load on.
    asked: usize,
    instance: Instance,
    /// Jobs drawn from the source; those of the instance, and more.
    drawn: Vec<SimJob>,
    /// Jobs that have arrived.
    jobs: Vec<JobState>,
    classes: Vec<ClassFacts>,
    queue: Queue,
    measured: Range<usize>,
    measured_left: usize,
    ended: usize,
    published_window_ended: usize,
    /// The decision in force.
    order: Vec<usize>,
    decision: Decision,
    decisions: u64,
    running: Vec<usize>,
    skipped: Vec<usize>,
    row: RoundRow,
    bound: Option<Option<f64>>,
    /// The last row, held back to see whether it repeats.
    pending: Option<RoundRow>,
}

/// What the engine needs of a class.
#[derive(Debug, Clone)]
struct ClassFacts {
    shares: [f64; 3],
    full_speed: f64,
    unit_s: Option<f64>,
    /// Amounts held, and what of them the throughput needs; a class holds few different ones.
    used: Vec<(Amounts, Amounts)>,
}

impl<'a> Engine<'a> {
    /// A simulation on `cluster` of jobs in arrival order, of which the first `asked` are asked for and
    /// the rest keep the load on until the last measured job ends.
    ///
    /// # Errors
    /// No job; jobs that do not fit the cluster; what the switches refuse.
    #[expect(clippy::too_many_arguments, reason = "the parts of a simulation, each of its own kind")]
    pub fn new(
        cluster: Cluster,
        rules: Rules,
        source: &'a mut dyn Iterator<Item = SimJob>,
        asked: usize,
        policy: &'a dyn Policy,
        allocator: &'a mut dyn Allocator,
        auditor: &'a mut dyn Auditor,
        options: &'a Options,
    ) -> Result<Self, SimulationError> {
        let drawn: Vec<SimJob> = (&mut *source).take(asked).collect();
        let asked = drawn.len();
        let measured = options.measure.clone().unwrap_or(0..asked);
        if asked == 0 {
            return Err(SimulationError::NoJobs);
        }
        if measured.is_empty() || measured.end > asked {
            return Err(SimulationError::Window { start: measured.start, end: measured.end, jobs: asked });
        }
        let instance =
            Instance::new("simulation", cluster, drawn.iter().enumerate().map(spec).collect(), rules)?;
        let switches = &options.switches;
        let queue = Queue::new(
            policy.motion(),
            options.stepping,
            switches.published(Switch::TieOrder),
            switches.published(Switch::StarvationFlag) && policy.name() != "fifo",
        );
        let mut engine = Engine {
            options,
            policy,
            allocator,
            auditor,
            source,
            asked,
            instance,
            drawn,
            jobs: Vec::new(),
            classes: Vec::new(),
            queue,
            measured_left: measured.len(),
            measured,
            ended: 0,
            published_window_ended: 0,
            order: Vec::new(),
            decision: Decision::default(),
            decisions: 0,
            running: Vec::new(),
            skipped: Vec::new(),
            row: EMPTY_ROW,
            bound: None,
            pending: None,
        };
        engine.learn_classes()?;
        Ok(engine)
    }

    /// Runs to the end. The first round starts at the first multiple of the round's length that is not
    /// before `first_s`, or the first arrival when `None`.
    ///
    /// # Errors
    /// What the mechanism, the checker or the switches refuse.
    pub fn run(mut self, first_s: Option<f64>, sink: &mut dyn Sink) -> Result<Summary, SimulationError> {
        let start = self.round_of(first_s.unwrap_or(self.drawn[0].arrival_s + self.options.profiling_s));
        let mut round = start;
        let (end, message) = loop {
            self.admit(round)?;
            if self.jobs.len() == self.ended {
                let Some(next) = self.next_entry()? else {
                    break (End::Done, None);
                };
                if self.options.switches.published(Switch::RunEnd) {
                    let left = self.drawn.len() - self.jobs.len();
                    break (End::IdleRound, Some(format!("a round without a job, {left} still to come")));
                }
                round = next;
                continue;
            }
            self.schedule(round)?;
            let steps = self.steps(round)?;
            self.emit(round, steps, sink);
            round += steps;
            if let Some(end) = self.watch(round, sink) {
                break end;
            }
            self.complete(round);
            if self.measured_left == 0 || self.published_window_ended == PUBLISHED_WINDOW.count() {
                break (End::Done, None);
            }
        };
        if let Some(row) = self.pending.take() {
            sink.round(row);
        }
        self.emit_jobs(round, sink);
        let seconds = |round: u64| round as f64 * self.options.round_s;
        Ok(Summary {
            end,
            message,
            start_s: seconds(start),
            end_s: seconds(round),
            rounds: round - start,
            decisions: self.decisions,
            profiles: (0..self.classes.len()).map(|class| class_name(&self.instance, class)).collect(),
        })
    }

    /// First round that a job can run in when it is ready at `ready_s`.
    fn round_of(&self, ready_s: f64) -> u64 {
        (ready_s / self.options.round_s).ceil() as u64
    }

    /// Round at which the next job enters, if one is left. Once the jobs asked for are used up, others
    /// come as long as the source has some.
    fn next_entry(&mut self) -> Result<Option<u64>, SimulationError> {
        if self.jobs.len() == self.drawn.len() {
            // In chunks, because the instance is built anew.
            let more = (self.drawn.len() / 4).max(256);
            let before = self.drawn.len();
            self.drawn.extend((&mut *self.source).take(more));
            if self.drawn.len() == before {
                return Ok(None);
            }
            if self.drawn.len() > MOST_JOBS {
                return Err(SimulationError::TooManyJobs { most: MOST_JOBS });
            }
            let specs = self.drawn.iter().enumerate().map(spec).collect();
            let (cluster, rules) = (self.instance.cluster().clone(), self.instance.rules());
            self.instance = Instance::new("simulation", cluster, specs, rules)?;
            self.learn_classes()?;
        }
        let job = &self.drawn[self.jobs.len()];
        Ok(Some(self.round_of(job.arrival_s + self.options.profiling_s)))
    }

    fn learn_classes(&mut self) -> Result<(), SimulationError> {
        let cluster = self.instance.cluster();
        let totals = (cluster.gpus() as f64, cluster.capacity());
        let switches = &self.options.switches;
        for class in &self.instance.classes()[self.classes.len()..] {
            let demand = full_demand(class, &self.instance, switches)?;
            self.classes.push(ClassFacts {
                shares: [
                    f64::from(class.gpus) / totals.0,
                    demand.cpus() / totals.1.cpus(),
                    demand.memory_gb() / totals.1.memory_gb(),
                ],
                full_speed: full_speed(class, &self.instance, switches)?,
                unit_s: published_iteration_s(class.profile.name(), switches),
                used: Vec::new(),
            });
        }
        Ok(())
    }

    /// Takes in the jobs that can run from `round` on.
    fn admit(&mut self, round: u64) -> Result<(), SimulationError> {
        while let Some(entry) = self.next_entry()?
            && entry <= round
        {
            let index = self.jobs.len();
            let job = &self.drawn[index];
            let class = self.instance.jobs()[index].class;
            let facts = &self.classes[class];
            let in_iterations = self.options.switches.published(Switch::ProgressRounding);
            let (work, unit_s) = match (in_iterations, facts.unit_s) {
                (true, Some(unit_s)) => {
                    (job.iterations.map_or((job.work_s / unit_s).floor(), |count| count as f64), unit_s)
                }
                (true, None) => {
                    return Err(SimulationError::NoIterationTime(class_name(&self.instance, class)));
                }
                (false, _) => (job.work_s, 1.0),
            };
            self.jobs.push(JobState {
                arrival_s: job.arrival_s,
                gpus: job.gpus,
                class,
                work,
                unit_s,
                shares: facts.shares,
                full_speed: facts.full_speed,
                done: 0.0,
                stint: None,
                rounds_run: 0,
                waits_since: entry,
                starved: false,
                scheduled_by: 0,
                account: Account::default(),
            });
            let keys = keys(self.policy, self.options, &self.jobs, round);
            self.queue.insert(index, &keys);
        }
        Ok(())
    }

    /// Orders the queue and, unless the order repeats, decides anew.
    fn schedule(&mut self, round: u64) -> Result<(), SimulationError> {
        let gpus = match self.allocator.takes() {
            Takes::RunnableSet => Some(self.instance.cluster().gpus()),
            Takes::WholeQueue => None,
        };
        let mut order = Vec::with_capacity(self.order.len());
        let keys = keys(self.policy, self.options, &self.jobs, round);
        self.queue.order(&keys, gpus, &mut order);
        self.raise_starvation_flags(round);
        if self.decisions > 0 && order == self.order && !self.options.stepping {
            return Ok(());
        }
        let decision = self.allocator.decide(&self.instance, &order)?;
        self.auditor.check(&self.instance, &order, &decision)?;
        self.order = order;
        self.decision = decision;
        self.decisions += 1;
        self.bound = None;
        self.apply(round);
        Ok(())
    }

    /// Flags, for the rounds after this one and for good, jobs that have not run for very long.
    fn raise_starvation_flags(&mut self, round: u64) {
        if !self.options.switches.published(Switch::StarvationFlag) {
            return;
        }
        let now_s = round as f64 * self.options.round_s;
        for job in self.jobs.iter_mut().filter(|job| job.stint.is_none()) {
            let since_s = match job.account.first_round {
                None => job.arrival_s,
                Some(_) => job.waits_since as f64 * self.options.round_s,
            };
            job.starved |= now_s - since_s > STARVATION_FLAG_S;
        }
    }

    /// Makes the decision in force: leases that go on stay, others start and stop.
    fn apply(&mut self, round: u64) {
        let (round_s, lease_change_s) = (self.options.round_s, self.options.lease_change_s);
        let in_iterations = self.options.switches.published(Switch::ProgressRounding);
        let mut started = Vec::new();
        for grant in &self.decision.grants {
            let job = &mut self.jobs[grant.job];
            job.scheduled_by = self.decisions;
            job.end_skip(round);
            let (mut moved, mut resumed) = (false, false);
            if let Some(stint) = &job.stint {
                moved = stint.servers != grant.servers;
                if !moved && stint.speed == grant.speed && stint.reverted == grant.reverted {
                    continue;
                }
                job.stop(round, round_s);
            } else {
                job.end_wait(round);
                resumed = job.account.first_round.is_some();
                started.push(grant.job);
            }
            job.account.moves += u64::from(moved);
            let per_round = if in_iterations {
                (round_s / (job.unit_s / grant.speed)).floor()
            } else {
                round_s * grant.speed
            };
            let lease_loss = if moved || resumed { lease_change_s * grant.speed / job.unit_s } else { 0.0 };
            job.start(round, grant, per_round, lease_loss);
        }
        let before = std::mem::take(&mut self.running);
        let mut preempted: Vec<usize> =
            before.into_iter().filter(|&job| self.jobs[job].scheduled_by != self.decisions).collect();
        preempted.retain(|&job| self.jobs[job].stint.is_some());
        for &job in &preempted {
            self.jobs[job].stop(round, round_s);
            self.jobs[job].account.preemptions += 1;
        }
        preempted.sort_unstable();
        let keys = keys(self.policy, self.options, &self.jobs, round);
        started.iter().for_each(|&job| self.queue.start(job, &keys));
        self.queue.stop(&preempted, &[], &keys);
        self.running = self.decision.grants.iter().map(|grant| grant.job).collect();
        self.mark_skipped(round);
        self.describe();
    }

    /// Notes whom the decision passed over.
    fn mark_skipped(&mut self, round: u64) {
        let considered = match self.allocator.takes() {
            Takes::RunnableSet => self.order.len(),
            Takes::WholeQueue => {
                let scheduled = |&job: &usize| self.jobs[job].scheduled_by == self.decisions;
                self.order.iter().rposition(scheduled).map_or(0, |last| last + 1)
            }
        };
        let before = std::mem::take(&mut self.skipped);
        for &index in &self.order[..considered] {
            if self.jobs[index].scheduled_by != self.decisions {
                self.jobs[index].account.skipped_since.get_or_insert(round);
                self.skipped.push(index);
            }
        }
        self.skipped.sort_unstable();
        for index in before {
            if self.skipped.binary_search(&index).is_err() {
                self.jobs[index].end_skip(round);
            }
        }
    }

    /// Totals of the decision in force, all but the queue.
    fn describe(&mut self) {
        let mut row = RoundRow {
            scheduled: self.decision.grants.len() as u64,
            skipped: self.skipped.len() as u64,
            ..EMPTY_ROW
        };
        let (mut allocated, mut used) = (Amounts::ZERO, Amounts::ZERO);
        for grant in &self.decision.grants {
            let job = &self.jobs[grant.job];
            row.reverted += u64::from(grant.reverted);
            row.gpus_allocated += f64::from(job.gpus);
            row.throughput += grant.speed;
            row.value += self.instance.objective_weight(grant.job) * grant.speed;
            allocated += grant.amounts;
            let facts = &mut self.classes[job.class];
            let known =
                facts.used.iter().find(|(amounts, _)| *amounts == grant.amounts).map(|(_, need)| *need);
            used += known.unwrap_or_else(|| {
                let need = amounts_used(&self.instance.classes()[job.class], &grant.amounts);
                if facts.used.len() < KNOWN_USES {
                    facts.used.push((grant.amounts, need));
                }
                need
            });
        }
        if self.decision.allocation.is_some() {
            row.cpus_allocated = Some(allocated.cpus());
            row.memory_gb_allocated = Some(allocated.memory_gb());
            row.cpus_used = Some(used.cpus());
            row.memory_gb_used = Some(used.memory_gb());
        }
        self.row = row;
    }

    /// Rounds that can be taken at once from `round`: up to the next arrival, completion or watch.
    fn steps(&mut self, round: u64) -> Result<u64, SimulationError> {
        let flags = self.options.switches.published(Switch::StarvationFlag);
        if self.options.stepping || flags || self.policy.motion() != KeyMotion::Fixed {
            return Ok(1);
        }
        let watch = (round / WATCH_ROUNDS + 1) * WATCH_ROUNDS;
        let arrival = self.next_entry()?.unwrap_or(u64::MAX);
        let ends = self.running.iter().filter_map(|&job| self.jobs[job].stint.as_ref()?.end);
        Ok(ends.min().unwrap_or(u64::MAX).min(arrival).min(watch) - round)
    }

    /// Emits `steps` rounds from `round`, with the bound in those that it falls on.
    fn emit(&mut self, round: u64, steps: u64, sink: &mut dyn Sink) {
        let runnable = (self.jobs.len() - self.ended) as u64;
        let row = RoundRow { runnable, queued: runnable - self.row.scheduled, ..self.row };
        let Some(every) = self.options.gap_every else {
            return self.emit_row(round, steps, row, sink);
        };
        let (mut at, end) = (round, round + steps);
        while at < end {
            if at.is_multiple_of(every) {
                let bound = *self
                    .bound
                    .get_or_insert_with(|| self.auditor.bound(&self.instance, &self.order, &self.decision));
                let gap = bound.filter(|bound| *bound > 0.0).map(|bound| (bound - row.value) / bound);
                self.emit_row(at, 1, RoundRow { bound, gap, ..row }, sink);
                at += 1;
            } else {
                let next = (at / every + 1) * every;
                self.emit_row(at, next.min(end) - at, row, sink);
                at = next.min(end);
            }
        }
    }

    fn emit_row(&mut self, round: u64, rounds: u64, row: RoundRow, sink: &mut dyn Sink) {
        let round_s = self.options.round_s;
        let round_after = |row: &RoundRow| (row.time_s / round_s).round() as u64 + row.rounds;
        match &mut self.pending {
            Some(pending) if pending.repeats(&row) && round_after(pending) == round => {
                pending.rounds += rounds;
            }
            _ => {
                let row = RoundRow { time_s: round as f64 * round_s, rounds, ..row };
                if let Some(done) = self.pending.replace(row) {
                    sink.round(done);
                }
            }
        }
    }

    /// At fixed rounds: starving jobs, progress.
    fn watch(&mut self, round: u64, sink: &mut dyn Sink) -> Option<(End, Option<String>)> {
        let waited = |job: &JobState| round.saturating_sub(job.waits_since) as f64 * self.options.round_s;
        if !round.is_multiple_of(WATCH_ROUNDS) {
            return None;
        }
        let progress = Progress {
            time_s: round as f64 * self.options.round_s,
            rounds: round,
            queue: self.jobs.len() - self.ended,
            ended: self.ended,
            measured_left: self.measured_left,
        };
        if sink.progress(progress).is_break() {
            return Some((End::Interrupted, None));
        }
        let limit_s = self.options.starvation_s;
        let starving =
            (self.measured.clone().take_while(|&index| index < self.jobs.len())).find(|&index| {
                let job = &self.jobs[index];
                let stands = job.stint.as_ref().is_some_and(|stint| stint.end.is_none());
                job.account.completion_s.is_none()
                    && (stands || (job.stint.is_none() && waited(job) > limit_s))
            })?;
        let message = format!(
            "job {} has made no progress for {:.0} h, {} measured jobs are left; raise --starvation-hours to wait longer",
            self.drawn[starving].id,
            waited(&self.jobs[starving]) / 3600.0,
            self.measured_left
        );
        Some((End::Starved, Some(message)))
    }

    /// Ends the jobs whose work is done at the start of `round`.
    fn complete(&mut self, round: u64) {
        let ends =
            |job: &JobState| job.stint.as_ref().and_then(|stint| stint.end).is_some_and(|end| end <= round);
        let mut ended: Vec<usize> =
            self.running.iter().copied().filter(|&job| ends(&self.jobs[job])).collect();
        if ended.is_empty() {
            return;
        }
        ended.sort_unstable();
        let round_s = self.options.round_s;
        for &index in &ended {
            let job = &mut self.jobs[index];
            let completion_s = match self.options.completion {
                Completion::RoundEnd => round as f64 * round_s,
                Completion::Exact => job.exact_completion_s(round_s).unwrap_or(round as f64 * round_s),
            };
            job.stop(round, round_s);
            job.done = job.work;
            job.account.completion_s = Some(completion_s);
            self.measured_left -= usize::from(self.measured.contains(&index));
            let in_window = PUBLISHED_WINDOW.contains(&self.drawn[index].id);
            self.published_window_ended +=
                usize::from(in_window && self.options.switches.published(Switch::RunEnd));
        }
        self.ended += ended.len();
        self.running.retain(|job| ended.binary_search(job).is_err());
        let keys = keys(self.policy, self.options, &self.jobs, round);
        self.queue.stop(&[], &ended, &keys);
    }

    fn emit_jobs(&mut self, round: u64, sink: &mut dyn Sink) {
        let round_s = self.options.round_s;
        for (index, job) in self.jobs.iter_mut().enumerate() {
            job.end_skip(round);
            if job.account.completion_s.is_none() {
                if job.stint.is_some() {
                    job.stop(round, round_s);
                } else {
                    job.end_wait(round);
                }
            }
            let account = &job.account;
            let seconds = |rounds: u64| rounds as f64 * round_s;
            let first_start_s = account.first_round.map(seconds);
            let jct_s = account.completion_s.map(|completion_s| completion_s - job.arrival_s);
            let run_s = seconds(job.rounds_run);
            let total_s = job.work * job.unit_s;
            sink.job(JobRow {
                job_id: self.drawn[index].id,
                index,
                class: job.class,
                gpus: job.gpus,
                work_s: total_s,
                arrival_s: job.arrival_s,
                first_start_s,
                completion_s: account.completion_s,
                jct_s,
                queueing_delay_s: first_start_s.map(|start_s| start_s - job.arrival_s),
                waited_s: seconds(account.rounds_waited),
                longest_wait_s: seconds(account.longest_wait_rounds),
                gpu_seconds: run_s * f64::from(job.gpus),
                mean_throughput: (run_s > 0.0).then(|| (account.gross_s - account.lost_s) / run_s),
                rho: jct_s.filter(|_| total_s > 0.0).map(|jct_s| jct_s / total_s),
                rounds_run: job.rounds_run,
                preemptions: account.preemptions,
                moves: account.moves,
                rounds_reverted: account.rounds_reverted,
                rounds_skipped: account.rounds_skipped,
                most_servers: account.most_servers,
                gross_s: account.gross_s,
                overshoot_s: account.overshoot_s,
                lost_s: account.lost_s,
                measured: self.measured.contains(&index),
                beyond: index >= self.asked,
            });
        }
    }
}

const EMPTY_ROW: RoundRow = RoundRow {
    time_s: 0.0,
    rounds: 0,
    runnable: 0,
    queued: 0,
    scheduled: 0,
    skipped: 0,
    reverted: 0,
    gpus_allocated: 0.0,
    cpus_allocated: None,
    cpus_used: None,
    memory_gb_allocated: None,
    memory_gb_used: None,
    throughput: 0.0,
    value: 0.0,
    bound: None,
    gap: None,
};

fn keys<'k>(policy: &'k dyn Policy, options: &Options, jobs: &'k [JobState], round: u64) -> Keys<'k> {
    Keys { policy, jobs, round, round_s: options.round_s, rate: options.rate }
}

fn spec((index, job): (usize, &SimJob)) -> JobSpec {
    JobSpec {
        id: index.to_string(),
        profile: Arc::<Profile>::clone(&job.profile),
        gpus: job.gpus,
        weight: job.weight,
        arrival_s: Some(job.arrival_s),
        work_s: Some(job.work_s),
    }
}

fn class_name(instance: &Instance, class: usize) -> String {
    instance.classes()[class].profile.name().into()
}

/// The cheapest configuration within `amounts` that is as fast as they are: least CPU, then memory.
fn amounts_used(class: &JobClass, amounts: &Amounts) -> Amounts {
    let throughput = class.throughput_at(amounts);
    let enough =
        class.configurations.iter().filter(|c| c.throughput >= throughput && c.amounts.fits_in(amounts));
    let least = |c: &&synergy_solver::model::Configuration| (c.amounts.cpus(), c.amounts.memory_gb());
    let cheapest = enough.min_by(|a, b| least(a).partial_cmp(&least(b)).unwrap_or(std::cmp::Ordering::Equal));
    cheapest.map_or(*amounts, |c| c.amounts)
}
