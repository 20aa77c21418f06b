//! The HiGHS solver: one-shot solves and models that are kept and solved again.
//!
//! The only `unsafe` module of the project. The `highs` crate owns the handle and sets the options; what it lacks
//! (compressed columns in one pass, bases, row bounds, raw status codes, clocks) are C calls through
//! its pointer. Every buffer length is checked here before its pointer is passed.
//!
//! Settings are fixed for reproducibility: one thread, no random seed, no output, and for integer
//! programs a relative gap of 0 and an absolute one of 1e-9. Nothing here is trusted by the rest of
//! the crate: see [`super::Certificate`].

#![allow(unsafe_code)]

use super::program::{LinearProgram, Sense};
use highs::{ColProblem, HighsOptionValue, Model};
use std::ffi::CStr;

/// When to stop early. Counts keep results independent of the clock.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Limits {
    /// Seconds of one solve.
    pub time_limit_s: Option<f64>,
    /// Nodes of the branch-and-bound tree.
    pub node_limit: Option<u64>,
    /// Iterations of the simplex or interior-point method of an LP.
    pub iteration_limit: Option<u64>,
}

/// Which algorithm solves an LP. All end in a vertex but the last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Hash)]
pub enum Algorithm {
    /// The dual simplex method.
    #[default]
    Simplex,
    /// Interior point, then crossover to a vertex.
    InteriorPoint,
    /// Interior point as it ends: **no vertex**, so no limit on fragmentation holds for it.
    InteriorPointWithoutCrossover,
}

/// Settings of a solve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Options {
    /// Algorithm of an LP; integer programs use simplex.
    pub algorithm: Algorithm,
    /// When to stop early.
    pub limits: Limits,
    /// Whether to reduce the program first.
    pub presolve: bool,
}

impl Default for Options {
    fn default() -> Self {
        Options { algorithm: Algorithm::Simplex, limits: Limits::default(), presolve: true }
    }
}

/// How HiGHS says a solve ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// An optimum.
    Optimal,
    /// No feasible point.
    Infeasible,
    /// No feasible point, or no finite optimum.
    InfeasibleOrUnbounded,
    /// No finite optimum.
    Unbounded,
    /// Ended by the clock.
    TimeLimit,
    /// Ended by a count of nodes or iterations.
    CountLimit,
    /// Anything else; HiGHS's own status code, or -1 where a call was refused.
    Failed(i32),
}

/// What HiGHS returns. Vectors are empty when it has no feasible point (or, for the duals and the
/// basis, when the program has integers).
#[derive(Debug, Clone, PartialEq)]
pub struct Solution {
    /// How it ended.
    pub outcome: Outcome,
    /// Objective as HiGHS computed it; NaN without a feasible point.
    pub objective: f64,
    /// Primal values x.
    pub columns: Vec<f64>,
    /// Row activities Ax.
    pub rows: Vec<f64>,
    /// Row duals y, with reduced costs d = c - A'y for either sense: the change of the optimum per
    /// unit of the row's bound.
    pub row_duals: Vec<f64>,
    /// Reduced costs d.
    pub reduced_costs: Vec<f64>,
    /// Basis at the end.
    pub basis: Option<Basis>,
    /// Bound on the optimum of an integer program, by HiGHS's word.
    pub dual_bound: Option<f64>,
    /// Nodes of the branch-and-bound tree.
    pub nodes: u64,
    /// Simplex, interior-point and crossover iterations.
    pub iterations: u64,
}

/// Which columns and rows are basic, in HiGHS's codes: 0 at lower, 1 basic, 2 at upper, 3 free at zero, 4 non-basic.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Basis {
    /// One per column.
    pub columns: Vec<i32>,
    /// One per row.
    pub rows: Vec<i32>,
}

impl Basis {
    /// Code of a basic column or row.
    pub const BASIC: i32 = highs_sys::kHighsBasisStatusBasic;
    /// Code of a column or row at its lower bound.
    pub const LOWER: i32 = highs_sys::kHighsBasisStatusLower;
    /// Code of a column or row at its upper bound.
    pub const UPPER: i32 = highs_sys::kHighsBasisStatusUpper;
}

/// Solves a program once.
pub fn solve(program: &LinearProgram, options: &Options) -> Solution {
    Session::new(program, options).solve()
}

/// A program inside HiGHS that can be changed and solved again from the basis where it ended.
///
/// Changes that HiGHS refuses (a wrong length, an index out of range, not a number) make every later solve
/// end as [`Outcome::Failed`]. Not `Send`: one session per task.
#[derive(Debug)]
pub struct Session {
    model: Model,
    columns: usize,
    rows: usize,
    integers: bool,
    refused: bool,
}

impl Session {
    /// Hands a program to HiGHS.
    pub fn new(program: &LinearProgram, options: &Options) -> Self {
        let mut session = Session {
            model: Model::new(ColProblem::new()),
            columns: program.columns(),
            rows: program.rows(),
            integers: program.has_integers(),
            refused: false,
        };
        session.set_options(options);
        session.pass(program);
        session
    }

    /// Replaces the settings for the solves to come.
    pub fn set_options(&mut self, options: &Options) {
        let count = |limit: Option<u64>| limit.map_or(i32::MAX, |n| i32::try_from(n).unwrap_or(i32::MAX));
        let solver = match options.algorithm {
            Algorithm::Simplex => "simplex",
            Algorithm::InteriorPoint | Algorithm::InteriorPointWithoutCrossover => "ipm",
        };
        let crossover = options.algorithm != Algorithm::InteriorPointWithoutCrossover;
        self.option("threads", 1);
        self.option("parallel", "off");
        self.option("mip_rel_gap", 0.0);
        self.option("mip_abs_gap", 1e-9);
        // "solver" also steers the relaxations of an integer program, where simplex is what is wanted.
        self.option("solver", if self.integers { "choose" } else { solver });
        self.option("run_crossover", if crossover { "on" } else { "off" });
        self.option("presolve", if options.presolve { "choose" } else { "off" });
        self.option("time_limit", options.limits.time_limit_s.unwrap_or(f64::INFINITY));
        self.option("mip_max_nodes", count(options.limits.node_limit));
        self.option("simplex_iteration_limit", count(options.limits.iteration_limit));
        self.option("ipm_iteration_limit", count(options.limits.iteration_limit));
    }

    /// Adds continuous columns: for each its cost, bounds, and entries (row, coefficient).
    pub fn add_columns<'a>(
        &mut self,
        columns: impl IntoIterator<Item = (f64, (f64, f64), &'a [(usize, f64)])>,
    ) {
        let (mut costs, mut lower, mut upper) = (Vec::new(), Vec::new(), Vec::new());
        let (mut starts, mut index, mut value) = (Vec::new(), Vec::new(), Vec::new());
        for (cost, bounds, entries) in columns {
            costs.push(cost);
            lower.push(bounds.0);
            upper.push(bounds.1);
            starts.push(index.len() as i32);
            for &(row, coefficient) in entries {
                self.refused |= row >= self.rows;
                index.push(row as i32);
                value.push(coefficient);
            }
        }
        let (new, entries) = (costs.len(), value.len());
        if new == 0 || self.refused {
            return;
        }
        // SAFETY: the handle is live; `costs`, `lower`, `upper`, `starts` hold `new` numbers, `index` and
        // `value` hold `entries`; HiGHS copies them.
        let status = unsafe {
            highs_sys::Highs_addCols(
                self.model.as_mut_ptr(),
                new as i32,
                costs.as_ptr(),
                lower.as_ptr(),
                upper.as_ptr(),
                entries as i32,
                starts.as_ptr(),
                index.as_ptr(),
                value.as_ptr(),
            )
        };
        self.check(status);
        self.columns += new;
    }

    /// Replaces the objective; one cost per column.
    pub fn set_objective(&mut self, sense: Sense, costs: &[f64]) {
        if self.refuse(costs.len() != self.columns || self.columns == 0) {
            return;
        }
        // SAFETY: the handle is live and `costs` holds one number for each column of the range.
        let statuses = unsafe {
            let model = self.model.as_mut_ptr();
            [
                highs_sys::Highs_changeObjectiveSense(model, sense_code(sense)),
                highs_sys::Highs_changeColsCostByRange(model, 0, self.columns as i32 - 1, costs.as_ptr()),
            ]
        };
        statuses.into_iter().for_each(|status| self.check(status));
    }

    /// Replaces the bounds of all columns.
    pub fn set_all_bounds(&mut self, lower: &[f64], upper: &[f64]) {
        if self.refuse(lower.len() != self.columns || upper.len() != self.columns || self.columns == 0) {
            return;
        }
        let last = self.columns as i32 - 1;
        // SAFETY: the handle is live and both slices hold one number for each column of the range.
        let status = unsafe {
            highs_sys::Highs_changeColsBoundsByRange(
                self.model.as_mut_ptr(),
                0,
                last,
                lower.as_ptr(),
                upper.as_ptr(),
            )
        };
        self.check(status);
    }

    /// Replaces the bounds of one column.
    pub fn set_bounds(&mut self, column: usize, lower: f64, upper: f64) {
        if self.refuse(column >= self.columns) {
            return;
        }
        // SAFETY: the handle is live and the column exists.
        let status =
            unsafe { highs_sys::Highs_changeColBounds(self.model.as_mut_ptr(), column as i32, lower, upper) };
        self.check(status);
    }

    /// Replaces the cost of one column.
    pub fn set_cost(&mut self, column: usize, cost: f64) {
        if self.refuse(column >= self.columns) {
            return;
        }
        // SAFETY: the handle is live and the column exists.
        let status = unsafe { highs_sys::Highs_changeColCost(self.model.as_mut_ptr(), column as i32, cost) };
        self.check(status);
    }

    /// Replaces the bounds of one row.
    pub fn set_row_bounds(&mut self, row: usize, lower: f64, upper: f64) {
        if self.refuse(row >= self.rows) {
            return;
        }
        // SAFETY: the handle is live and the row exists.
        let status =
            unsafe { highs_sys::Highs_changeRowBounds(self.model.as_mut_ptr(), row as i32, lower, upper) };
        self.check(status);
    }

    /// The basis for the next solve to start from.
    pub fn set_basis(&mut self, basis: &Basis) {
        if self.refuse(basis.columns.len() != self.columns || basis.rows.len() != self.rows) {
            return;
        }
        // SAFETY: the handle is live; the slices hold one code per column and per row.
        let status = unsafe {
            highs_sys::Highs_setBasis(self.model.as_mut_ptr(), basis.columns.as_ptr(), basis.rows.as_ptr())
        };
        self.check(status);
    }

    /// A point to start from, one value per column: an incumbent of an integer program.
    pub fn set_start(&mut self, columns: &[f64]) {
        if self.refuse(columns.len() != self.columns) {
            return;
        }
        // A start that HiGHS cannot use does no harm: it is not an error.
        let _ = self.model.try_set_solution(Some(columns), None, None, None);
    }

    /// Forgets the basis and all else that earlier solves left: the next one starts cold.
    pub fn forget(&mut self) {
        // SAFETY: the handle is live.
        let status = unsafe { highs_sys::Highs_clearSolver(self.model.as_mut_ptr()) };
        self.check(status);
    }

    /// Solves from the current basis. Limits count for this solve alone.
    pub fn solve(&mut self) -> Solution {
        if self.refused {
            return Solution::none(Outcome::Failed(-1));
        }
        // HiGHS adds up the run time of all solves of a model and holds it against the time limit.
        // SAFETY: the handle is live.
        let (run, code) = unsafe {
            let model = self.model.as_mut_ptr();
            highs_sys::Highs_zeroAllClocks(model);
            (highs_sys::Highs_run(model), highs_sys::Highs_getModelStatus(model))
        };
        let outcome = match code {
            _ if run == highs_sys::STATUS_ERROR => Outcome::Failed(code),
            highs_sys::MODEL_STATUS_OPTIMAL | highs_sys::MODEL_STATUS_MODEL_EMPTY => Outcome::Optimal,
            highs_sys::MODEL_STATUS_INFEASIBLE => Outcome::Infeasible,
            highs_sys::MODEL_STATUS_UNBOUNDED_OR_INFEASIBLE => Outcome::InfeasibleOrUnbounded,
            highs_sys::MODEL_STATUS_UNBOUNDED => Outcome::Unbounded,
            highs_sys::MODEL_STATUS_REACHED_TIME_LIMIT => Outcome::TimeLimit,
            highs_sys::MODEL_STATUS_REACHED_ITERATION_LIMIT
            | highs_sys::MODEL_STATUS_REACHED_SOLUTION_LIMIT => Outcome::CountLimit,
            other => Outcome::Failed(other),
        };
        self.solution(outcome)
    }

    fn solution(&mut self, outcome: Outcome) -> Solution {
        let mut solution = Solution::none(outcome);
        solution.iterations =
            [c"simplex_iteration_count", c"ipm_iteration_count", c"crossover_iteration_count"]
                .into_iter()
                .filter_map(|name| self.int_info(name))
                .map(|count| count.max(0) as u64)
                .sum();
        if self.integers {
            solution.nodes = self.int64_info(c"mip_node_count").map_or(0, |count| count.max(0) as u64);
            solution.dual_bound = self.double_info(c"mip_dual_bound").filter(|bound| bound.is_finite());
        }
        // 2 is HiGHS's code for "a feasible point is held".
        let feasible = self.int_info(c"primal_solution_status") == Some(2);
        if !feasible && outcome != Outcome::Optimal {
            return solution;
        }
        let (mut columns, mut rows) = (vec![0.0; self.columns], vec![0.0; self.rows]);
        let (mut reduced, mut duals) = (vec![0.0; self.columns], vec![0.0; self.rows]);
        // SAFETY: the handle is live; the buffers hold one number per column and per row of the model.
        let status = unsafe {
            highs_sys::Highs_getSolution(
                self.model.as_mut_ptr(),
                columns.as_mut_ptr(),
                reduced.as_mut_ptr(),
                rows.as_mut_ptr(),
                duals.as_mut_ptr(),
            )
        };
        if status == highs_sys::STATUS_ERROR {
            return solution;
        }
        solution.objective = self.double_info(c"objective_function_value").unwrap_or(f64::NAN);
        (solution.columns, solution.rows) = (columns, rows);
        if !self.integers {
            (solution.reduced_costs, solution.row_duals) = (reduced, duals);
            solution.basis = self.basis();
        }
        solution
    }

    fn basis(&mut self) -> Option<Basis> {
        if self.int_info(c"basis_validity") != Some(1) {
            return None;
        }
        let mut basis = Basis { columns: vec![0; self.columns], rows: vec![0; self.rows] };
        // SAFETY: the handle is live; the buffers hold one code per column and per row of the model.
        let status = unsafe {
            highs_sys::Highs_getBasis(
                self.model.as_mut_ptr(),
                basis.columns.as_mut_ptr(),
                basis.rows.as_mut_ptr(),
            )
        };
        (status != highs_sys::STATUS_ERROR).then_some(basis)
    }

    fn pass(&mut self, program: &LinearProgram) {
        let starts_end = program.starts.last().map_or(0, |&end| end as usize);
        let rows_exist = program.rows.iter().all(|&row| row >= 0 && (row as usize) < self.rows);
        if self.refuse(starts_end != program.values.len() || !rows_exist) {
            return;
        }
        let integrality: Vec<i32> = program.integer.iter().map(|&integer| i32::from(integer)).collect();
        let (columns, rows, entries) = (self.columns as i32, self.rows as i32, program.values.len() as i32);
        // Without integrality the program is an LP.
        let integrality = if self.integers { integrality.as_ptr() } else { std::ptr::null() };
        // SAFETY: the handle is live; cost and bounds hold one number per column, row bounds one per
        // row, `starts` one per column and the end, `rows` and `values` one per entry with every row in
        // range (checked above); integrality is null or one code per column. HiGHS copies them.
        let status = unsafe {
            highs_sys::Highs_passMip(
                self.model.as_mut_ptr(),
                columns,
                rows,
                entries,
                highs_sys::MATRIX_FORMAT_COLUMN_WISE,
                sense_code(program.sense),
                0.0,
                program.cost.as_ptr(),
                program.lower.as_ptr(),
                program.upper.as_ptr(),
                program.row_lower.as_ptr(),
                program.row_upper.as_ptr(),
                program.starts.as_ptr(),
                program.rows.as_ptr(),
                program.values.as_ptr(),
                integrality,
            )
        };
        self.check(status);
    }

    fn option(&mut self, name: &str, value: impl HighsOptionValue) {
        self.refused |= self.model.try_set_option(name, value).is_err();
    }

    fn check(&mut self, status: i32) {
        self.refused |= status == highs_sys::STATUS_ERROR;
    }

    fn refuse(&mut self, wrong: bool) -> bool {
        self.refused |= wrong;
        self.refused
    }

    fn int_info(&mut self, name: &CStr) -> Option<i32> {
        let mut value = 0;
        // SAFETY: the handle is live, the name ends in NUL, and the pointer is to a number of the info's type.
        let status = unsafe {
            highs_sys::Highs_getIntInfoValue(self.model.as_mut_ptr(), name.as_ptr(), &raw mut value)
        };
        (status == highs_sys::STATUS_OK).then_some(value)
    }

    fn int64_info(&mut self, name: &CStr) -> Option<i64> {
        let mut value = 0;
        // SAFETY: as in `int_info`.
        let status = unsafe {
            highs_sys::Highs_getInt64InfoValue(self.model.as_mut_ptr(), name.as_ptr(), &raw mut value)
        };
        (status == highs_sys::STATUS_OK).then_some(value)
    }

    fn double_info(&mut self, name: &CStr) -> Option<f64> {
        let mut value = 0.0;
        // SAFETY: as in `int_info`.
        let status = unsafe {
            highs_sys::Highs_getDoubleInfoValue(self.model.as_mut_ptr(), name.as_ptr(), &raw mut value)
        };
        (status == highs_sys::STATUS_OK).then_some(value)
    }
}

impl Solution {
    pub(super) fn none(outcome: Outcome) -> Self {
        Solution {
            outcome,
            objective: f64::NAN,
            columns: Vec::new(),
            rows: Vec::new(),
            row_duals: Vec::new(),
            reduced_costs: Vec::new(),
            basis: None,
            dual_bound: None,
            nodes: 0,
            iterations: 0,
        }
    }
}

fn sense_code(sense: Sense) -> i32 {
    match sense {
        Sense::Maximise => highs_sys::OBJECTIVE_SENSE_MAXIMIZE,
        Sense::Minimise => highs_sys::OBJECTIVE_SENSE_MINIMIZE,
    }
}

/// Version of the HiGHS library in use, such as `1.11.0`.
pub fn version() -> String {
    // SAFETY: HiGHS returns a pointer to a constant string that ends in NUL.
    let version = unsafe { CStr::from_ptr(highs_sys::Highs_version()) };
    version.to_string_lossy().into_owned()
}
