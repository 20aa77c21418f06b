//! Free MPS.

use super::{Side, file_rows, number, places};
use std::fmt::Write;
use synergy_solver::lp::{NamedProgram, Sense};

/// The program as free MPS, with comment lines at its head. A maximisation says so in a section
/// `OBJSENSE`, which HiGHS, SCIP, CPLEX and Gurobi obey. CBC needs the option `-max` besides; for GLPK
/// take the LP file.
pub fn to_mps(named: &NamedProgram, comments: &[&str]) -> String {
    let program = &named.program;
    let rows = file_rows(named);
    let places = places(program, &rows);
    let mut text = String::new();
    for comment in comments {
        let _ = writeln!(text, "* {comment}");
    }
    let _ = writeln!(text, "NAME {} FREE", named.name);
    if program.sense() == Sense::Maximise {
        text += "OBJSENSE\n    MAX\n";
    }
    text += "ROWS\n N obj\n";
    for row in &rows {
        let letter = match row.side {
            Side::Less => 'L',
            Side::Greater => 'G',
            Side::Equal => 'E',
        };
        let _ = writeln!(text, " {letter} {}", row.name);
    }
    text += "COLUMNS\n";
    let mut markers = 0;
    let mut marker = |text: &mut String, kind: &str| {
        let _ = writeln!(text, " MARK{markers} 'MARKER' '{kind}'");
        markers += 1;
    };
    let mut integers = false;
    for (column, name) in named.column_names.iter().enumerate() {
        if program.is_integer(column) != integers {
            integers = !integers;
            marker(&mut text, if integers { "INTORG" } else { "INTEND" });
        }
        let cost = program.cost()[column];
        let mut stands_in_a_row = false;
        let mut entries = String::new();
        for (row, value) in program.column(column) {
            for &place in &places[row] {
                stands_in_a_row = true;
                let _ = writeln!(entries, " {name} {} {}", rows[place].name, number(value));
            }
        }
        if cost != 0.0 || !stands_in_a_row {
            let _ = writeln!(text, " {name} obj {}", number(cost));
        }
        text += &entries;
    }
    if integers {
        marker(&mut text, "INTEND");
    }
    text += "RHS\n";
    for row in rows.iter().filter(|row| row.number != 0.0) {
        let _ = writeln!(text, " RHS {} {}", row.name, number(row.number));
    }
    text += "BOUNDS\n";
    for (column, name) in named.column_names.iter().enumerate() {
        let mut bound = |kind: &str, value: Option<f64>| {
            let value = value.map_or_else(String::new, |value| format!(" {}", number(value)));
            let _ = writeln!(text, " {kind} BND {name}{value}");
        };
        let (lower, upper) = program.bounds(column);
        if lower == upper {
            bound("FX", Some(lower));
            continue;
        }
        match (lower.is_finite(), upper.is_finite()) {
            (false, false) => bound("FR", None),
            (false, true) => bound("MI", None),
            (true, _) if lower != 0.0 => bound("LO", Some(lower)),
            _ => {}
        }
        if upper.is_finite() {
            bound("UP", Some(upper));
        } else if program.is_integer(column) && lower.is_finite() {
            // Some readers take 1 as the upper bound of an integer column that states none.
            bound("PL", None);
        }
    }
    text += "ENDATA\n";
    text
}
