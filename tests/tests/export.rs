//! `synergy export`: other solvers, fed from the files alone, confirm what `compare` says.

use good_lp::{Expression, ProblemVariables, ResolutionError, Solution, SolverModel, Variable, variable};
use std::collections::{BTreeSet, HashMap};
use std::process::Command;
use synergy_tests::Place;

/// Name, sense letter, right-hand side, entries.
type Row = (String, char, f64, Vec<(usize, f64)>);

/// A program as read from a free MPS file: as plain as its text, and independent of the writer.
#[derive(Default)]
struct Mps {
    maximise: bool,
    rows: Vec<Row>,
    cost: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    integer: Vec<bool>,
    columns: Vec<String>,
}

impl Mps {
    fn read(text: &str) -> Self {
        let mut mps = Mps::default();
        let mut row_of: HashMap<String, usize> = HashMap::new();
        let mut column_of: HashMap<String, usize> = HashMap::new();
        let (mut section, mut integers) = ("", false);
        for line in text.lines().filter(|line| !line.starts_with('*')) {
            let words: Vec<&str> = line.split_whitespace().collect();
            if !line.starts_with(' ') {
                section = words[0];
                continue;
            }
            let real = |word: &str| -> f64 { word.parse().unwrap_or_else(|e| panic!("{line}: {e}")) };
            match section {
                "OBJSENSE" => mps.maximise = words[0] == "MAX",
                "ROWS" if words[0] == "N" => assert_eq!(words[1], "obj"),
                "ROWS" => {
                    assert!(row_of.insert(words[1].into(), mps.rows.len()).is_none(), "row twice: {line}");
                    mps.rows.push((words[1].into(), words[0].chars().next().unwrap(), 0.0, Vec::new()));
                }
                "COLUMNS" if words[1] == "'MARKER'" => integers = words[2] == "'INTORG'",
                "COLUMNS" => {
                    let column = *column_of.entry(words[0].into()).or_insert_with(|| {
                        mps.columns.push(words[0].into());
                        mps.cost.push(0.0);
                        mps.lower.push(0.0);
                        mps.upper.push(f64::INFINITY);
                        mps.integer.push(integers);
                        mps.columns.len() - 1
                    });
                    match words[1] {
                        "obj" => mps.cost[column] = real(words[2]),
                        row => mps.rows[row_of[row]].3.push((column, real(words[2]))),
                    }
                }
                "RHS" => mps.rows[row_of[words[1]]].2 = real(words[2]),
                "BOUNDS" => {
                    let column = column_of[words[2]];
                    match words[0] {
                        "UP" => mps.upper[column] = real(words[3]),
                        "LO" => mps.lower[column] = real(words[3]),
                        "PL" => mps.upper[column] = f64::INFINITY,
                        other => panic!("bound {other}: {line}"),
                    }
                }
                other => panic!("section {other}: {line}"),
            }
        }
        mps
    }

    /// Solves it; gives the optimum and the values of the columns.
    fn solve<M>(
        &self,
        solver: impl FnOnce(good_lp::variable::UnsolvedProblem) -> M,
    ) -> Result<(f64, Vec<f64>), ResolutionError>
    where
        M: SolverModel<Error = ResolutionError>,
        M::Solution: Solution,
    {
        let mut variables = ProblemVariables::new();
        let columns: Vec<Variable> = (0..self.columns.len())
            .map(|c| {
                let definition = variable().min(self.lower[c]);
                let definition =
                    if self.upper[c].is_finite() { definition.max(self.upper[c]) } else { definition };
                variables.add(if self.integer[c] { definition.integer() } else { definition })
            })
            .collect();
        let sum = |entries: &mut dyn Iterator<Item = (usize, f64)>| {
            entries.fold(Expression::from(0.0), |sum, (c, value)| sum + value * columns[c])
        };
        let objective = sum(&mut self.cost.iter().copied().enumerate());
        let problem =
            if self.maximise { variables.maximise(objective) } else { variables.minimise(objective) };
        let mut model = solver(problem);
        for (_, letter, right, entries) in &self.rows {
            let left = sum(&mut entries.iter().copied());
            model.add_constraint(match letter {
                'L' => left.leq(*right),
                'G' => left.geq(*right),
                _ => left.eq(*right),
            });
        }
        let solution = model.solve()?;
        let values: Vec<f64> = columns.iter().map(|&column| solution.value(column)).collect();
        Ok((self.cost.iter().zip(&values).map(|(cost, x)| cost * x).sum(), values))
    }
}

fn generated(place: &Place, gpus: u32, seed: u32) -> serde_json::Value {
    place.synergy(&format!("generate --gpus {gpus} --demand multi --seed {seed} --out i.json")).ok();
    place.synergy("compare i.json --only lp,ilp,lp-skip --format json").ok().json()
}

fn close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * a.abs().max(1.0)
}

#[test]
fn a_pure_rust_solver_finds_the_lp_and_ilp_values_in_the_mps_files() {
    for seed in 0..3 {
        let place = Place::new();
        let result = generated(&place, 32, seed);
        for (stage, bound) in [("1", "lp"), ("1-ilp", "ilp"), ("1-skip", "lp-skip")] {
            place.synergy(&format!("export i.json --stage {stage} --out m.mps")).ok();
            let mps = Mps::read(&place.read("m.mps"));
            assert!(mps.maximise);
            assert_eq!(mps.integer.iter().any(|&integer| integer), stage == "1-ilp");
            let (optimum, _) = mps.solve(good_lp::solvers::microlp::microlp).unwrap();
            let value = result["bounds"][bound]["value"].as_f64().unwrap();
            assert!(close(optimum, value), "seed {seed} {bound}: {optimum} in the file, {value} by compare");
        }
    }
}

#[test]
fn an_interior_point_solver_places_what_the_stage_two_file_says() {
    let place = Place::new();
    generated(&place, 32, 1);
    place.synergy("export i.json --stage 2 --out m.mps").ok();
    let mps = Mps::read(&place.read("m.mps"));
    let (_, x) = mps.solve(good_lp::solvers::clarabel::clarabel).unwrap();
    for (name, letter, right, entries) in &mps.rows {
        let load: f64 = entries.iter().map(|&(column, value)| value * x[column]).sum();
        match letter {
            'L' => assert!(load <= right * (1.0 + 1e-6) + 1e-6, "{name}: {load} of {right}"),
            _ => assert!(close(load, *right), "{name}: {load}, not {right}"),
        }
    }
}

#[test]
fn the_exact_placement_file_has_the_same_least_pieces() {
    let place = Place::new();
    generated(&place, 16, 4);
    let result = place.synergy("compare i.json --only exact-placement --format json").ok().json();
    let exact = &result["placements"]["exact-placement"];
    assert_eq!(exact["status"], "optimal", "{exact}");
    place.synergy("export i.json --stage 2-exact --out m.mps").ok();
    let mps = Mps::read(&place.read("m.mps"));
    let jobs = mps.rows.iter().filter(|row| row.0.starts_with("place_")).count();
    let (optimum, _) = mps.solve(good_lp::solvers::highs::highs).unwrap();
    assert_eq!(optimum.round() - jobs as f64, exact["pieces"].as_f64().unwrap());
}

#[test]
fn names_are_unique_and_lp_and_mps_hold_the_same_numbers() {
    let place = Place::new();
    generated(&place, 32, 2);
    for stage in ["1", "1-ilp", "1-groups", "1-skip", "2", "2-exact"] {
        place.synergy(&format!("export i.json --stage {stage} --out m.mps")).ok();
        place.synergy(&format!("export i.json --stage {stage} --out m.lp")).ok();
        let mps = Mps::read(&place.read("m.mps"));
        let names: BTreeSet<&String> = mps.columns.iter().chain(mps.rows.iter().map(|row| &row.0)).collect();
        assert_eq!(names.len(), mps.columns.len() + mps.rows.len(), "stage {stage}");
        let lp = place.read("m.lp");
        for (name, _, right, entries) in &mps.rows {
            let start =
                lp.find(&format!(" {name}:")).unwrap_or_else(|| panic!("{name} is not in the LP file"));
            let row = lp[start..].split([':']).nth(1).unwrap();
            for &(column, value) in entries {
                let number = format!("{:?}", value.abs());
                let number = number.strip_suffix(".0").unwrap_or(&number);
                assert!(
                    row.contains(&format!("{number} {}", mps.columns[column])),
                    "stage {stage} {name}: {row}"
                );
            }
            let number = format!("{right:?}");
            assert!(
                row.contains(&format!("= {}", number.strip_suffix(".0").unwrap_or(&number))),
                "{name}: {row}"
            );
        }
    }
}

#[test]
fn glpk_and_cbc_read_the_files_where_they_are_installed() {
    let place = Place::new();
    let result = generated(&place, 32, 0);
    let value = result["bounds"]["ilp"]["value"].as_f64().unwrap();
    place.synergy("export i.json --stage 1-ilp --out m.lp").ok();
    place.synergy("export i.json --stage 1-ilp --out m.mps").ok();
    let (lp, mps, out) = (place.path("m.lp"), place.path("m.mps"), place.path("solution.txt"));
    let glpk = Command::new("glpsol").arg("--lp").arg(&lp).arg("-w").arg(&out).output();
    match glpk {
        Ok(run) => {
            let solution = place.read("solution.txt");
            let objective = solution.lines().find(|line| line.starts_with("c Objective")).map(str::to_string);
            let found = objective.as_deref().and_then(first_number);
            assert!(found.is_some_and(|found| close(found, value)), "{objective:?} for {value}; {run:?}");
        }
        Err(_) => println!("skipped: glpsol is not installed (Debian: glpk-utils)"),
    }
    let cbc = Command::new("cbc").arg(&mps).args(["-max", "-solve", "-quit"]).output();
    match cbc {
        Ok(run) => {
            let text = String::from_utf8_lossy(&run.stdout).into_owned();
            let line = text.lines().find(|line| line.starts_with("Objective value:")).map(str::to_string);
            let found = line.as_deref().and_then(first_number);
            assert!(found.is_some_and(|found| close(found.abs(), value)), "{line:?} for {value}; {text}");
        }
        Err(_) => println!("skipped: cbc is not installed (Debian: coinor-cbc)"),
    }
}

fn first_number(line: &str) -> Option<f64> {
    line.split_whitespace().find_map(|word| word.parse().ok())
}

#[test]
fn an_output_of_another_ending_is_a_usage_error() {
    let place = Place::new();
    place.synergy("generate --gpus 8 --out i.json").ok();
    let run = place.synergy("export i.json --stage 1 --out m.txt");
    assert_eq!(run.code, 2, "{run:?}");
    assert!(run.stderr.contains(".mps or .lp"), "{run:?}");
}
