//! Programs as MPS and LP files, so that any other solver can confirm their values.
//!
//! Numbers are written with as many digits as it takes to read back the same double. A row with two
//! different finite sides is written as two rows, since MPS states such a row by a difference, which
//! would round.

mod lp;
mod mps;

pub use lp::to_lp;
pub use mps::to_mps;

use synergy_solver::lp::{LinearProgram, NamedProgram};

/// One side of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    /// Row <= number.
    Less,
    /// Row >= number.
    Greater,
    /// Row = number.
    Equal,
}

/// A row as files know it: `index` in the program, its name, one side and the number there.
struct FileRow {
    index: usize,
    name: String,
    side: Side,
    number: f64,
}

/// Rows with at least one finite side, in order.
fn file_rows(named: &NamedProgram) -> Vec<FileRow> {
    let mut rows = Vec::with_capacity(named.program.rows());
    for (index, name) in named.row_names.iter().enumerate() {
        let (lower, upper) = named.program.row_bounds(index);
        let mut push = |name: String, side, number| rows.push(FileRow { index, name, side, number });
        match (lower.is_finite(), upper.is_finite()) {
            _ if lower == upper => push(name.clone(), Side::Equal, lower),
            (true, true) => {
                push(name.clone(), Side::Less, upper);
                push(format!("{name}_low"), Side::Greater, lower);
            }
            (false, true) => push(name.clone(), Side::Less, upper),
            (true, false) => push(name.clone(), Side::Greater, lower),
            (false, false) => {}
        }
    }
    rows
}

/// For every row of the program, the rows of the file that stand for it.
fn places(program: &LinearProgram, rows: &[FileRow]) -> Vec<Vec<usize>> {
    let mut places = vec![Vec::new(); program.rows()];
    for (place, row) in rows.iter().enumerate() {
        places[row.index].push(place);
    }
    places
}

/// The shortest text that reads back as the same double.
fn number(x: f64) -> String {
    // `{:?}` has an exponent where that is shorter; a trailing ".0" says nothing.
    let text = format!("{x:?}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_string)
}

#[cfg(test)]
mod tests {
    use super::*;
    use synergy_solver::lp::{Kind, Sense};

    /// max 3x + 0.1y - z with every kind of row and bound.
    fn sample() -> NamedProgram {
        let mut program = LinearProgram::new(Sense::Maximise);
        program.add_row(f64::NEG_INFINITY, 62.5 / 3.0);
        program.add_row(1.0, 1.0);
        program.add_row(0.1, f64::INFINITY);
        program.add_row(-1.0, 0.7);
        program.add_column(Kind::Continuous, 3.0, (0.0, f64::INFINITY), [(0, 1.0), (1, 1.0)]);
        program.add_column(Kind::Integer, 0.1, (0.0, 1.0), [(0, 1e-7), (2, 2.0), (3, 1.0)]);
        program.add_column(Kind::Integer, -1.0, (-2.0, f64::INFINITY), [(3, 1.0)]);
        program.add_column(Kind::Continuous, 0.0, (f64::NEG_INFINITY, f64::INFINITY), [(1, 1.0)]);
        program.add_column(Kind::Continuous, 0.0, (f64::NEG_INFINITY, 4.0), []);
        NamedProgram {
            name: "sample".into(),
            program,
            column_names: ["x", "y", "z", "free", "below"].map(String::from).to_vec(),
            row_names: ["cap", "one", "fair", "range"].map(String::from).to_vec(),
        }
    }

    #[test]
    fn mps_states_every_number_exactly() {
        let expected = "\
* a comment
NAME sample FREE
OBJSENSE
    MAX
ROWS
 N obj
 L cap
 E one
 G fair
 L range
 G range_low
COLUMNS
 x obj 3
 x cap 1
 x one 1
 MARK0 'MARKER' 'INTORG'
 y obj 0.1
 y cap 1e-7
 y fair 2
 y range 1
 y range_low 1
 z obj -1
 z range 1
 z range_low 1
 MARK1 'MARKER' 'INTEND'
 free one 1
 below obj 0
RHS
 RHS cap 20.833333333333332
 RHS one 1
 RHS fair 0.1
 RHS range 0.7
 RHS range_low -1
BOUNDS
 UP BND y 1
 LO BND z -2
 PL BND z
 FR BND free
 MI BND below
 UP BND below 4
ENDATA
";
        assert_eq!(to_mps(&sample(), &["a comment"]), expected);
    }

    #[test]
    fn lp_states_every_number_exactly() {
        let expected = "\
\\ a comment
Maximize
 obj: 3 x + 0.1 y - 1 z
Subject To
 cap: 1 x + 1e-7 y <= 20.833333333333332
 one: 1 x + 1 free = 1
 fair: 2 y >= 0.1
 range: 1 y + 1 z <= 0.7
 range_low: 1 y + 1 z >= -1
Bounds
 0 <= y <= 1
 z >= -2
 free free
 -inf <= below <= 4
Generals
 y
 z
End
";
        assert_eq!(to_lp(&sample(), &["a comment"]), expected);
    }
}
