//! Which tables there are and what every column means: the one source for writers, readers and
//! `results/SCHEMA.md`.

use super::metadata::SCHEMA_VERSION;
use std::fmt::Write;

/// Type of a column. Every column may hold nulls: a number that is not known is null, never 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// UTF-8 text.
    Text,
    /// 64-bit integer.
    Int,
    /// 64-bit float.
    Real,
    /// Boolean.
    Flag,
}

impl ColumnType {
    /// Name in `results/SCHEMA.md`.
    pub const fn name(self) -> &'static str {
        match self {
            ColumnType::Text => "text",
            ColumnType::Int => "integer",
            ColumnType::Real => "real",
            ColumnType::Flag => "flag",
        }
    }
}

/// One column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Column {
    /// Name, with its unit where it has one that is not obvious.
    pub name: &'static str,
    /// Type.
    pub column_type: ColumnType,
    /// Unit, or empty.
    pub unit: &'static str,
    /// Meaning.
    pub doc: &'static str,
}

/// One table: one row per thing that `grain` names.
#[derive(Debug, PartialEq, Eq)]
pub struct Table {
    /// Name of the table, and of its file without extension.
    pub name: &'static str,
    /// What one row is.
    pub grain: &'static str,
    /// Whether equal inputs give equal bytes: all but columns of seconds.
    pub reproducible: bool,
    /// Columns in file order.
    pub columns: &'static [Column],
}

impl Table {
    /// The column of this name.
    pub fn column(&self, name: &str) -> Option<&'static Column> {
        self.columns.iter().find(|column| column.name == name)
    }
}

const fn column(
    name: &'static str,
    column_type: ColumnType,
    unit: &'static str,
    doc: &'static str,
) -> Column {
    Column { name, column_type, unit, doc }
}

use ColumnType::{Flag, Int, Real, Text};

const UNIT: Column = column(
    "unit",
    Text,
    "",
    "Id of the unit: hash of its resolved specification (`compare`: the instance's name)",
);
const STATUS: Column = column(
    "status",
    Text,
    "",
    "ok, optimal, time-limit, node-limit, infeasible, uncertified, skipped, not-found, failed, no-consolidated-allocation",
);
const MESSAGE: Column = column("message", Text, "", "Why it failed; null when it did not");

/// One row per generated instance.
pub static INSTANCES: Table = Table {
    name: "instances",
    grain: "instance (unit of a study)",
    reproducible: true,
    columns: &[
        UNIT,
        column("replicate", Int, "", "Replicate number within the study, from 0"),
        column(
            "workload_seed",
            Int,
            "",
            "Seed of the workload: hash of study seed and replicate alone, so units of one replicate are paired",
        ),
        column(
            "status",
            Text,
            "",
            "ok, or failed when the instance could not be generated or the unit broke down",
        ),
        MESSAGE,
        column("gpus", Int, "GPU", "GPUs of the cluster"),
        column("servers", Int, "", "Servers of the cluster"),
        column("gpus_per_server", Int, "GPU", "GPUs of one server; null when groups differ"),
        column("cpus_per_gpu", Real, "CPU/GPU", "CPUs of the cluster / GPUs of the cluster"),
        column("memory_gb_per_gpu", Real, "GB/GPU", "Memory of the cluster / GPUs of the cluster"),
        column("split", Text, "%", "Shares of image, language and speech tasks"),
        column("demand", Text, "", "Distribution of GPU demands: single, multi, or a named one"),
        column("jobs", Int, "", "Jobs of the instance"),
        column("runnable_jobs", Int, "", "Jobs of the runnable set"),
        column("requested_gpus", Int, "GPU", "GPUs that all jobs ask for"),
        column("classes", Int, "", "Distinct pairs of profile and GPU demand"),
        column("objective", Text, "", "normalised or gpus: what weights are multiplied with"),
        column("throughput", Text, "", "floor or bilinear: throughput between grid points"),
        column("whole_cpus", Flag, "", "Whether CPUs are whole numbers"),
        column(
            "per_server_cap",
            Flag,
            "",
            "Whether stage one drops configurations beyond the fewest servers",
        ),
        column(
            "fairness_floor",
            Real,
            "",
            "Share of its baseline that the bounds leave every job; 1 is the problem",
        ),
        column(
            "spec",
            Text,
            "",
            "Resolved specification of the unit as JSON: all that is needed to run it again",
        ),
    ],
};

/// One row per instance and bound.
pub static BOUNDS: Table = Table {
    name: "bounds",
    grain: "instance and bound",
    reproducible: true,
    columns: &[
        UNIT,
        column("bound", Text, "", "Name of the bound"),
        STATUS,
        MESSAGE,
        column(
            "scope",
            Text,
            "",
            "Allocations it holds for: valid, consolidated, fair-complete, fair-complete-consolidated",
        ),
        column(
            "value",
            Real,
            "",
            "What the solver found: the LP's optimum, or an integer program's dual bound",
        ),
        column("certified", Real, "", "Bound by weak duality from our own arithmetic"),
        column(
            "published",
            Real,
            "",
            "The bound that gaps use: certified for LPs, value for integer programs",
        ),
        column("incumbent", Real, "", "Best integer solution, for integer programs"),
        column("trusted", Flag, "", "Whether the published bound rests on the solver's word"),
        column("shadow_price_cpu", Real, "value/CPU", "Value of one more CPU"),
        column("shadow_price_memory_gb", Real, "value/GB", "Value of one more GB"),
        column("effort_rounds", Int, "", "Rounds of column generation, for methods that search"),
        column("effort_columns", Int, "", "Columns generated"),
        column("effort_nodes", Int, "", "Branch-and-bound nodes"),
    ],
};

/// One row per instance and placement of stage two.
pub static PLACEMENTS: Table = Table {
    name: "placements",
    grain: "instance and placement of stage two",
    reproducible: true,
    columns: &[
        UNIT,
        column("placement", Text, "", "Name of the placement method"),
        STATUS,
        MESSAGE,
        column("fragmented", Int, "", "Jobs on more than one server"),
        column("pieces", Int, "", "Non-zeros of the placement less the number of jobs"),
        column("limit", Int, "", "Fragmented jobs that the method's theorem allows"),
        column("bound", Real, "", "Lower bound on pieces, where the method proves one"),
        column("gap", Real, "", "(pieces - bound) / max(pieces, 1)"),
    ],
};

/// One row per instance and mechanism.
pub static MECHANISMS: Table = Table {
    name: "mechanisms",
    grain: "instance and mechanism",
    reproducible: true,
    columns: &[
        UNIT,
        column("mechanism", Text, "", "Name of the mechanism, with parameters"),
        STATUS,
        MESSAGE,
        column("value", Real, "", "Sum of weight x normalised throughput (problem statement, section 1)"),
        column("value_per_job", Real, "", "Value / sum of weights of the runnable set"),
        column("valid", Flag, "", "Verdict of the checker: within every capacity"),
        column("consolidated", Flag, "", "Verdict: every job on the fewest servers"),
        column("fair", Flag, "", "Verdict: every scheduled job at least at its baseline"),
        column("complete", Flag, "", "Verdict: every runnable job is scheduled"),
        column("placed", Int, "", "Scheduled jobs"),
        column("skipped", Int, "", "Jobs that the mechanism was given and did not schedule"),
        column("gpus_idle", Real, "GPU", "GPUs that no job holds"),
        column("reverted", Int, "", "Jobs reverted to their proportional share"),
        column("fragmented", Int, "", "Jobs on more than one server"),
        column("bound", Real, "", "Upper bound that the mechanism proves itself, where it proves one"),
        column("certified_gap", Real, "", "(bound - value) / bound for its own bound"),
        column("effort_rounds", Int, "", "Rounds of column generation, for methods that search"),
        column("effort_columns", Int, "", "Columns generated"),
        column("effort_nodes", Int, "", "Branch-and-bound nodes"),
    ],
};

/// One row per instance, mechanism and bound.
pub static GAPS: Table = Table {
    name: "gaps",
    grain: "instance, mechanism and bound",
    reproducible: true,
    columns: &[
        UNIT,
        column("mechanism", Text, "", "Name of the mechanism"),
        column("bound", Text, "", "Name of the bound"),
        column(
            "gap",
            Real,
            "",
            "(bound - value) / bound; null when the bound does not hold for that allocation",
        ),
    ],
};

/// One row per instance and computation. The only table of a study that differs between runs.
pub static TIMINGS: Table = Table {
    name: "timings",
    grain: "instance and computation",
    reproducible: false,
    columns: &[
        UNIT,
        column("kind", Text, "", "generate, bound, placement or mechanism"),
        column("method", Text, "", "Name of the bound, placement or mechanism"),
        column("seconds", Real, "s", "Wall time on one thread"),
    ],
};

const RUN: Column = column("run", Int, "", "Number of the simulation in its plan, from 0");
const POLICY: Column = column("policy", Text, "", "Order of the queue");
const RUN_MECHANISM: Column = column("mechanism", Text, "", "Mechanism, or the bound in its place");
const JOBS_PER_HOUR: Column = column("jobs_per_hour", Real, "1/h", "Arrival rate, where the plan sets it");
const RUN_SEED: Column = column("seed", Int, "", "Seed of the workload");

const RUN_UNIT: Column = column("unit", Text, "", "Id of the study's unit; null from `synergy simulate`");

/// One row per simulation.
pub static RUNS: Table = Table {
    name: "runs",
    grain: "simulation: one load, seed, policy and mechanism",
    reproducible: true,
    columns: &[
        RUN,
        POLICY,
        RUN_MECHANISM,
        JOBS_PER_HOUR,
        RUN_SEED,
        column("semantics", Text, "", "paper, reference-2022, or paper with single switches"),
        column("bound_in_place", Flag, "", "Whether a bound stands in the place of a mechanism"),
        column("status", Text, "", "ok, idle-round, starved, interrupted, failed"),
        MESSAGE,
        column("gpus", Int, "GPU", "GPUs of the cluster"),
        column("jobs", Int, "", "Jobs that arrived"),
        column("jobs_beyond", Int, "", "Those of them that came to keep the load on"),
        column("measured", Int, "", "Jobs of the measured window that arrived"),
        column("measured_ended", Int, "", "Those of them that ended: what follows on jobs is over these"),
        column("rounds", Int, "", "Rounds from the first to the last"),
        column("decisions", Int, "", "Rounds that the mechanism decided anew"),
        column("checked", Int, "", "Allocations that went through the independent checker"),
        column("start_s", Real, "s", "Start of the first round"),
        column("end_s", Real, "s", "End of the last round"),
        column("load_baseline", Real, "", "Offered load at the baseline rate"),
        column("load_measured", Real, "", "Offered load at the throughput that the mechanism reached"),
        column("load_lp", Real, "", "Offered load at the LP's throughput on fillings of the cluster"),
        column("jct_mean_s", Real, "s", "Mean job completion time"),
        column("jct_p50_s", Real, "s", "Median job completion time"),
        column("jct_p95_s", Real, "s", "95th percentile"),
        column("jct_p99_s", Real, "s", "99th percentile"),
        column("jct_p999_s", Real, "s", "99.9th percentile"),
        column("jct_max_s", Real, "s", "Largest"),
        column("queueing_delay_mean_s", Real, "s", "Mean of first start - arrival"),
        column("longest_wait_s", Real, "s", "Longest time in a row without GPUs"),
        column("makespan_s", Real, "s", "Last completion - first arrival of measured jobs"),
        column(
            "rho_mean",
            Real,
            "",
            "Mean finish-time fairness: JCT / time of the work at the baseline rate",
        ),
        column("rho_max", Real, "", "Largest finish-time fairness"),
        column("jain_index", Real, "", "Jain's index of rho: 1 when all jobs are slowed alike"),
        column("gpus_allocated", Real, "", "Part of the cluster's GPUs that is held, over all rounds"),
        column("cpus_allocated", Real, "", "Part of its CPUs that is held"),
        column("cpus_used", Real, "", "Part of its CPUs without which throughput would be less"),
        column("memory_allocated", Real, "", "Part of its memory that is held"),
        column("memory_used", Real, "", "Part of its memory without which throughput would be less"),
        column("throughput_mean", Real, "", "Mean normalised throughput of scheduled jobs, over all rounds"),
        column("preemptions", Int, "", "Times that a job lost its GPUs before it had ended"),
        column("job_rounds_reverted", Int, "", "Rounds, summed over jobs, at less than what was asked for"),
        column("job_rounds_skipped", Int, "", "Rounds, summed over jobs, in which one was passed over"),
        column("bounded_rounds", Int, "", "Rounds with a bound that holds for the allocation"),
        column("gap_mean", Real, "", "Mean of (bound - value) / bound over those rounds"),
        column("gap_max", Real, "", "Largest of them"),
        RUN_UNIT,
    ],
};

/// One row per simulation and job.
pub static JOBS: Table = Table {
    name: "jobs",
    grain: "simulation and job",
    reproducible: true,
    columns: &[
        RUN,
        POLICY,
        RUN_MECHANISM,
        JOBS_PER_HOUR,
        RUN_SEED,
        column(
            "job_id",
            Int,
            "",
            "The trace's own id where that is a number, else the place in arrival order, from 0",
        ),
        column("trace_id", Text, "", "The trace's own id where that is no number"),
        column("profile", Text, "", "Name of the sensitivity profile"),
        column("gpus", Int, "GPU", "GPU demand"),
        column("work_s", Real, "s", "Work, in seconds at the baseline rate"),
        column("arrival_s", Real, "s", "Arrival"),
        column("first_start_s", Real, "s", "First start"),
        column("completion_s", Real, "s", "Completion; null when it did not end"),
        column("jct_s", Real, "s", "Completion - arrival"),
        column("queueing_delay_s", Real, "s", "First start - arrival"),
        column("waiting_s", Real, "s", "Time without GPUs from the first round that it could run in"),
        column("longest_wait_s", Real, "s", "Longest of it in a row"),
        column("gpu_seconds", Real, "GPU s", "GPU demand x seconds run"),
        column("mean_throughput", Real, "", "Progress per second run, in seconds at the baseline rate"),
        column("rho", Real, "", "Finish-time fairness: JCT / work"),
        column("rounds_run", Int, "", "Rounds that it ran in"),
        column("preemptions", Int, "", "Times that it lost its GPUs before it had ended"),
        column("moves", Int, "", "Times that it changed servers from one round to the next"),
        column("rounds_reverted", Int, "", "Rounds at less than it asked for"),
        column("rounds_skipped", Int, "", "Rounds in which it was passed over"),
        column("fragments", Int, "", "Most servers that it ran on at once"),
        column("overshoot_s", Real, "s", "What its last round would have done beyond its work"),
        column("lost_s", Real, "s", "Work lost to changes of lease and to fractions of iterations"),
        column("measured", Flag, "", "Whether it is in the measured window"),
        column("beyond", Flag, "", "Whether it came after the jobs asked for, to keep the load on"),
        RUN_UNIT,
    ],
};

/// One row per stretch of equal rounds.
pub static ROUNDS: Table = Table {
    name: "rounds",
    grain: "simulation and stretch of rounds in a row in which nothing of this changes",
    reproducible: true,
    columns: &[
        RUN,
        POLICY,
        RUN_MECHANISM,
        JOBS_PER_HOUR,
        RUN_SEED,
        column("time_s", Real, "s", "Start of the first of the rounds"),
        column("rounds", Int, "", "How many rounds"),
        column("runnable", Int, "", "Jobs that have arrived and not ended"),
        column("queued", Int, "", "Those of them that are not scheduled"),
        column("scheduled", Int, "", "Jobs scheduled"),
        column("skipped", Int, "", "Jobs passed over"),
        column("reverted", Int, "", "Scheduled jobs that hold less than they asked for"),
        column("gpus_allocated", Real, "GPU", "GPUs held"),
        column("cpus_allocated", Real, "CPU", "CPUs held; null for bounds"),
        column("cpus_used", Real, "CPU", "CPUs without which throughput would be less"),
        column("memory_gb_allocated", Real, "GB", "Memory held; null for bounds"),
        column("memory_gb_used", Real, "GB", "Memory without which throughput would be less"),
        column("throughput", Real, "", "Sum of normalised throughput x placement penalty"),
        column("value", Real, "", "Sum of weight x that"),
        column("bound", Text, "", "Name of the bound asked for; lp-skip stands in where it does not hold"),
        column("bound_value", Real, "", "The bound for the same jobs in the same state"),
        column("gap", Real, "", "(bound - value) / bound"),
    ],
};

/// One row per instance and method: what `synergy compare` writes.
pub static COMPARISON: Table = Table {
    name: "comparison",
    grain: "instance and bound, placement or mechanism (`synergy compare`)",
    reproducible: false,
    columns: &[
        column("instance", Text, "", "Name of the instance"),
        column("jobs", Int, "", "Jobs of the instance"),
        column("gpus", Int, "GPU", "GPUs of the cluster"),
        column("requested_gpus", Int, "GPU", "GPUs that all jobs ask for"),
        column("kind", Text, "", "bound, placement or mechanism"),
        column("method", Text, "", "Name of the bound, placement or mechanism, with parameters"),
        STATUS,
        MESSAGE,
        column(
            "value",
            Real,
            "",
            "Bound: the LP's optimum or the dual bound; mechanism: value of the allocation",
        ),
        column("value_per_job", Real, "", "Value / sum of weights of the runnable set"),
        column("certified", Real, "", "Bound by weak duality from our own arithmetic"),
        column("incumbent", Real, "", "Best integer solution, for integer programs"),
        column("trusted", Flag, "", "Whether the published bound rests on the solver's word"),
        column("scope", Text, "", "Allocations that the bound holds for"),
        column("shadow_price_cpu", Real, "value/CPU", "Value of one more CPU"),
        column("shadow_price_memory_gb", Real, "value/GB", "Value of one more GB"),
        column("gap_lp", Real, "", "(bound - value) / bound against `lp`; null where it does not hold"),
        column("gap_lp_groups", Real, "", "The same against `lp-groups`"),
        column("gap_ilp", Real, "", "The same against `ilp`"),
        column("gap_lp_skip", Real, "", "The same against `lp-skip`"),
        column("gap_config", Real, "", "The same against `config`"),
        column(
            "bound",
            Real,
            "",
            "Bound that the method proves itself: on value, or for placements on pieces",
        ),
        column("gap", Real, "", "Gap to its own bound"),
        column("valid", Flag, "", "Verdict of the checker: within every capacity"),
        column("consolidated", Flag, "", "Verdict: every job on the fewest servers"),
        column("fair", Flag, "", "Verdict: every scheduled job at least at its baseline"),
        column("complete", Flag, "", "Verdict: every runnable job is scheduled"),
        column("placed", Int, "", "Scheduled jobs"),
        column("skipped", Int, "", "Jobs that the mechanism was given and did not schedule"),
        column("gpus_idle", Real, "GPU", "GPUs that no job holds"),
        column("reverted", Int, "", "Jobs reverted to their proportional share"),
        column("fragmented", Int, "", "Jobs on more than one server"),
        column("pieces", Int, "", "Non-zeros of the placement less the number of jobs"),
        column("limit", Int, "", "Fragmented jobs that a vertex has at most"),
        column("seconds", Real, "s", "Wall time on one thread"),
    ],
};

/// One row per number that a recipe of `synergy reproduce` finds.
pub static CLAIMS: Table = Table {
    name: "claims",
    grain: "number of a finding of `synergy reproduce`; findings without a number have one row too",
    reproducible: true,
    columns: &[
        column("claim", Text, "", "Claim of the paper, such as C2; null for ours"),
        column("recipe", Text, "", "Recipe that measures it"),
        column("scale", Text, "", "quick or full"),
        column("title", Text, "", "What is measured"),
        column("quantity", Text, "", "Which of the finding's numbers; null when there is one"),
        column("value", Real, "as `unit` says", "Mean; null when it was not measured"),
        column("low", Real, "as `unit` says", "Lower end of the 95 % interval (Student's t)"),
        column("high", Real, "as `unit` says", "Upper end"),
        column("unit", Text, "", "Unit of value, low and high; x is a ratio"),
        column("n", Int, "", "Seeds or instances that it rests on"),
        column("paper", Text, "", "The paper's value"),
        column(
            "verdict",
            Text,
            "",
            "agrees, differs, cannot be compared, not run; ours where the paper has none",
        ),
        column("why", Text, "", "Why"),
        column("command", Text, "", "Command that measures it"),
    ],
};

/// One row per model and method of profiling.
pub static PROFILING: Table = Table {
    name: "profiling",
    grain: "model and method of profiling",
    reproducible: true,
    columns: &[
        column("model", Text, "", "Name of the model and its sensitivity profile"),
        column("method", Text, "", "full-grid, cpu-axis or binary-search"),
        column("points", Int, "", "Points measured"),
        column("minutes", Real, "min", "Time they take"),
        column(
            "mean_relative_error",
            Real,
            "",
            "Mean over the grid of the distance of estimate and truth / truth",
        ),
        column("max_relative_error", Real, "", "Largest of these"),
        column(
            "throughput_kept",
            Real,
            "",
            "True throughput at the estimated best case / at the true best case",
        ),
    ],
};

/// One row per instance, mechanism, method of profiling and noise.
pub static PROFILE_ERROR: Table = Table {
    name: "profile_error",
    grain: "instance, mechanism, method of profiling and noise",
    reproducible: true,
    columns: &[
        column("seed", Int, "", "Seed of the workload and of the noise"),
        column("demand", Text, "", "Distribution of GPU demands"),
        column("mechanism", Text, "", "Name of the mechanism"),
        column("method", Text, "", "full-grid, cpu-axis or binary-search"),
        column("noise", Real, "", "Standard deviation of a measurement, relative to the true value"),
        column("value", Real, "", "True value of the allocation decided on estimates"),
        column("value_exact", Real, "", "Value of the allocation decided on the truth"),
        column("kept", Real, "", "value / value_exact"),
        column("unfair", Int, "", "Scheduled jobs below their true baseline"),
    ],
};

/// One row per job of an imported trace.
pub static TRACE_JOBS: Table = Table {
    name: "trace_jobs",
    grain: "job of an imported trace, by arrival; the footer's `synergy.config` says where the trace comes from, what was rejected, and which columns are semi-synthetic",
    reproducible: true,
    columns: &[
        column("job_id", Text, "", "Id in the source, or row-N for line N where it has none"),
        column("source_line", Int, "", "Line of the source, from 1"),
        column("arrival_s", Real, "s", "Arrival, from the first arrival of the trace"),
        column("gpus", Int, "GPU", "GPU demand"),
        column("duration_s", Real, "s", "Run time at the baseline rate"),
        column("iterations", Real, "", "Iterations (steps)"),
        column("application", Text, "", "What the source calls the model"),
        column("profile", Text, "", "Name of the sensitivity profile"),
        column("cpus_requested", Real, "CPU", "CPUs that the job asked for, in all"),
        column("memory_gb_requested", Real, "GB", "Memory that the job asked for, in all"),
        column("queue_s", Real, "s", "Submission to first start, in the source's cluster"),
        column("servers", Int, "", "Servers that it ran on, in the source's cluster"),
        column("attempts", Int, "", "Attempts that were made to run it"),
        column("status", Text, "", "How it ended, in the source's words"),
        column("group", Text, "", "Virtual cluster, queue or class of service"),
        column("user", Text, "", "Who submitted it"),
    ],
};

/// One row per number of a summary.
pub static SUMMARY: Table = Table {
    name: "summary",
    grain: "number of a summary (`synergy summarise`)",
    reproducible: false,
    columns: &[
        column(
            "group",
            Text,
            "",
            "Units that it is over, as axis=value, axis=value; for simulations with policy and load; null for all",
        ),
        column(
            "section",
            Text,
            "",
            "value, gap, decomposition, paired, gap-profile, performance-profile, placement, price, completion, speedup, time",
        ),
        column("method", Text, "", "Mechanism, bound, placement or computation that it is about"),
        column("against", Text, "", "Bound, reference mechanism, or for times the kind of computation"),
        column(
            "measure",
            Text,
            "",
            "What the number is: mean, p95, worst, wilcoxon-p, share-at-0.05, jct-mean-s, ...",
        ),
        column("n", Int, "", "Units, runs or measurements that it rests on"),
        column(
            "value",
            Real,
            "",
            "The number; gaps, shares and differences are shares of 1, times are seconds",
        ),
        column("low", Real, "", "Lower end of the bootstrap 95 % interval of a mean"),
        column("high", Real, "", "Upper end"),
        column("unit", Text, "", "The unit that has it, where it is one unit's"),
    ],
};

/// Every table, in the order of the documentation.
pub static TABLES: [&Table; 15] = [
    &INSTANCES,
    &BOUNDS,
    &PLACEMENTS,
    &MECHANISMS,
    &GAPS,
    &TIMINGS,
    &RUNS,
    &JOBS,
    &ROUNDS,
    &COMPARISON,
    &TRACE_JOBS,
    &SUMMARY,
    &CLAIMS,
    &PROFILING,
    &PROFILE_ERROR,
];

/// The text of `results/SCHEMA.md`.
pub fn markdown() -> String {
    let mut text = format!(
        "# Tables\n\n\
         Generated from `experiments/src/tables/schema.rs` by `synergy schema`; do not edit. Schema version `{SCHEMA_VERSION}`.\n\n\
         Every table is one Parquet file (zstd), tidy, with its rows in the order of the study's plan. A number that is not known is null, never 0.\n\
         The footer's key-value metadata holds `synergy.schema`, `synergy.version`, `synergy.commit` (when known), `synergy.highs`,\n\
         `synergy.config` (the resolved configuration) and `synergy.seed`. Equal inputs give equal bytes, except in tables marked as timings.\n\
         Where a bound or value is used, `docs` and the problem statement define it; numbers without a unit are pure.\n"
    );
    for table in TABLES {
        let note = if table.reproducible { "" } else { " (timings: differ between runs)" };
        let _ = write!(
            text,
            "\n## {}\n\nOne row per {}{note}.\n\n| column | type | unit | meaning |\n| --- | --- | --- | --- |\n",
            table.name, table.grain
        );
        for column in table.columns {
            let _ = writeln!(
                text,
                "| `{}` | {} | {} | {} |",
                column.name,
                column.column_type.name(),
                column.unit,
                column.doc
            );
        }
    }
    text
}
