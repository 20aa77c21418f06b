//! A linear or mixed-integer program as plain data.

/// Whether the objective is to be large or small.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Sense {
    /// max c'x
    Maximise,
    /// min c'x
    Minimise,
}

/// Where [`LinearProgram::add_column`] may take its values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
pub enum Kind {
    /// Reals.
    #[default]
    Continuous,
    /// Integers.
    Integer,
}

/// `max or min c'x  subject to  L <= Ax <= U,  l <= x <= u`, some x integer.
///
/// Rows are declared first, then columns with their entries, so that the compressed columns HiGHS
/// takes are built in one pass. Nothing here is a name: each program's builder can say what its
/// columns and rows are called (see [`NamedProgram`]), at no cost to a solve.
#[derive(Debug, Clone, PartialEq)]
pub struct LinearProgram {
    pub(super) sense: Sense,
    pub(super) cost: Vec<f64>,
    pub(super) lower: Vec<f64>,
    pub(super) upper: Vec<f64>,
    /// Upper bounds that the rows imply: the box of the certificate, unknown to the solver.
    pub(super) implied_upper: Vec<f64>,
    pub(super) integer: Vec<bool>,
    pub(super) row_lower: Vec<f64>,
    pub(super) row_upper: Vec<f64>,
    /// Entries of column j are `starts[j]..starts[j + 1]`.
    pub(super) starts: Vec<i32>,
    pub(super) rows: Vec<i32>,
    pub(super) values: Vec<f64>,
}

impl LinearProgram {
    /// An empty program.
    pub fn new(sense: Sense) -> Self {
        LinearProgram {
            sense,
            cost: Vec::new(),
            lower: Vec::new(),
            upper: Vec::new(),
            implied_upper: Vec::new(),
            integer: Vec::new(),
            row_lower: Vec::new(),
            row_upper: Vec::new(),
            starts: vec![0],
            rows: Vec::new(),
            values: Vec::new(),
        }
    }

    /// Makes room for this many columns and entries.
    pub fn reserve(&mut self, columns: usize, entries: usize) {
        for numbers in [&mut self.cost, &mut self.lower, &mut self.upper, &mut self.implied_upper] {
            numbers.reserve(columns);
        }
        self.integer.reserve(columns);
        self.starts.reserve(columns);
        self.rows.reserve(entries);
        self.values.reserve(entries);
    }

    /// Adds the row `lower <= a'x <= upper` (infinite where one-sided) and returns its index.
    pub fn add_row(&mut self, lower: f64, upper: f64) -> usize {
        self.row_lower.push(lower);
        self.row_upper.push(upper);
        self.row_lower.len() - 1
    }

    /// Adds a column with its entries (row, coefficient), each row at most once and already
    /// declared, and returns its index. Zero coefficients are left out.
    pub fn add_column(
        &mut self,
        kind: Kind,
        cost: f64,
        (lower, upper): (f64, f64),
        entries: impl IntoIterator<Item = (usize, f64)>,
    ) -> usize {
        self.cost.push(cost);
        self.lower.push(lower);
        self.upper.push(upper);
        self.implied_upper.push(upper);
        self.integer.push(kind == Kind::Integer);
        for (row, value) in entries {
            if value != 0.0 {
                self.rows.push(row as i32);
                self.values.push(value);
            }
        }
        self.starts.push(self.rows.len() as i32);
        self.cost.len() - 1
    }

    /// Records an upper bound that the rows imply for the column. The solver does not see it (an
    /// explicit bound would only add dual degeneracy); the certificate needs a finite box.
    pub fn imply_upper(&mut self, column: usize, upper: f64) {
        self.implied_upper[column] = upper.min(self.upper[column]);
    }

    /// Replaces the objective.
    pub fn set_objective(&mut self, sense: Sense, cost: Vec<f64>) {
        assert_eq!(cost.len(), self.columns(), "one cost per column");
        self.sense = sense;
        self.cost = cost;
    }

    /// Replaces the bounds of a column.
    pub fn set_bounds(&mut self, column: usize, lower: f64, upper: f64) {
        self.lower[column] = lower;
        self.upper[column] = upper;
        self.implied_upper[column] = upper.min(self.implied_upper[column]);
    }

    /// Replaces the bounds of a row.
    pub fn set_row_bounds(&mut self, row: usize, lower: f64, upper: f64) {
        self.row_lower[row] = lower;
        self.row_upper[row] = upper;
    }

    /// The same program with every column continuous.
    pub fn relaxed(&self) -> Self {
        let mut program = self.clone();
        program.integer.fill(false);
        program
    }

    /// Whether the objective is to be large or small.
    pub fn sense(&self) -> Sense {
        self.sense
    }

    /// Number of columns.
    pub fn columns(&self) -> usize {
        self.cost.len()
    }

    /// Number of rows.
    pub fn rows(&self) -> usize {
        self.row_lower.len()
    }

    /// Number of entries other than zero.
    pub fn entries(&self) -> usize {
        self.values.len()
    }

    /// Objective coefficients c.
    pub fn cost(&self) -> &[f64] {
        &self.cost
    }

    /// Bounds l, u of a column.
    pub fn bounds(&self, column: usize) -> (f64, f64) {
        (self.lower[column], self.upper[column])
    }

    /// Bounds L, U of a row.
    pub fn row_bounds(&self, row: usize) -> (f64, f64) {
        (self.row_lower[row], self.row_upper[row])
    }

    /// Whether a column is integer.
    pub fn is_integer(&self, column: usize) -> bool {
        self.integer[column]
    }

    /// Whether any column is integer.
    pub fn has_integers(&self) -> bool {
        self.integer.iter().any(|&integer| integer)
    }

    /// Entries (row, coefficient) of a column.
    pub fn column(&self, column: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[column] as usize..self.starts[column + 1] as usize;
        self.rows[range.clone()].iter().map(|&row| row as usize).zip(self.values[range].iter().copied())
    }
}

/// A program with names for its columns and rows, as export writes it.
///
/// Names are short and say what they stand for: `y_j17_c4_m125` is job 17 with 4 CPUs and 125 GB,
/// `cap_cpu_s3` the CPUs of server 3. They hold letters, digits, `_` and `.` only and begin with a letter.
#[derive(Debug, Clone, PartialEq)]
pub struct NamedProgram {
    /// What the program is, for the file's name section.
    pub name: String,
    /// The program.
    pub program: LinearProgram,
    /// One per column.
    pub column_names: Vec<String>,
    /// One per row.
    pub row_names: Vec<String>,
}
