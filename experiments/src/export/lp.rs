//! The LP format of CPLEX, which HiGHS, GLPK, CBC, SCIP and Gurobi read too.

use super::{FileRow, Side, file_rows, number};
use std::fmt::Write;
use synergy_solver::lp::{NamedProgram, Sense};

/// Terms on one line; some readers take lines of 255 characters only.
const TERMS_PER_LINE: usize = 6;

/// The program as an LP file, with comment lines at its head.
pub fn to_lp(named: &NamedProgram, comments: &[&str]) -> String {
    let program = &named.program;
    let mut by_row: Vec<Vec<(usize, f64)>> = vec![Vec::new(); program.rows()];
    for column in 0..program.columns() {
        for (row, value) in program.column(column) {
            by_row[row].push((column, value));
        }
    }
    let mut text = String::new();
    for comment in comments {
        let _ = writeln!(text, "\\ {comment}");
    }
    text += if program.sense() == Sense::Maximise { "Maximize\n obj:" } else { "Minimize\n obj:" };
    let costs: Vec<(usize, f64)> =
        program.cost().iter().copied().enumerate().filter(|(_, cost)| *cost != 0.0).collect();
    terms(&mut text, named, &costs);
    text += "\nSubject To\n";
    for FileRow { index, name, side, number: right } in file_rows(named) {
        let _ = write!(text, " {name}:");
        terms(&mut text, named, &by_row[index]);
        let relation = match side {
            Side::Less => "<=",
            Side::Greater => ">=",
            Side::Equal => "=",
        };
        let _ = writeln!(text, " {relation} {}", number(right));
    }
    text += "Bounds\n";
    for (column, name) in named.column_names.iter().enumerate() {
        let (lower, upper) = program.bounds(column);
        let _ = match (lower.is_finite(), upper.is_finite()) {
            _ if lower == upper => writeln!(text, " {name} = {}", number(lower)),
            (true, true) => writeln!(text, " {} <= {name} <= {}", number(lower), number(upper)),
            (true, false) if lower == 0.0 => Ok(()),
            (true, false) => writeln!(text, " {name} >= {}", number(lower)),
            (false, true) => writeln!(text, " -inf <= {name} <= {}", number(upper)),
            (false, false) => writeln!(text, " {name} free"),
        };
    }
    let integers: Vec<usize> = (0..program.columns()).filter(|&column| program.is_integer(column)).collect();
    if !integers.is_empty() {
        text += "Generals\n";
        for column in integers {
            let _ = writeln!(text, " {}", named.column_names[column]);
        }
    }
    text += "End\n";
    text
}

fn terms(text: &mut String, named: &NamedProgram, terms: &[(usize, f64)]) {
    if terms.is_empty() {
        // An expression without terms is no expression in this format.
        if let Some(first) = named.column_names.first() {
            let _ = write!(text, " 0 {first}");
        }
    }
    for (position, &(column, value)) in terms.iter().enumerate() {
        if position > 0 && position % TERMS_PER_LINE == 0 {
            text.push_str("\n  ");
        }
        let sign = match (value < 0.0, position) {
            (true, _) => "- ",
            (false, 0) => "",
            (false, _) => "+ ",
        };
        let _ = write!(text, " {sign}{} {}", number(value.abs()), named.column_names[column]);
    }
}
