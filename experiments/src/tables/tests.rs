use super::schema::{BOUNDS, GAPS, MECHANISMS, TABLES, markdown};
use super::*;
use std::path::Path;

fn metadata() -> Metadata {
    Metadata::new("name = \"t\"\n", Some(7))
}

fn gap_row<'a>(unit: &'a str, gap: Option<f64>) -> [(&'static str, Cell<'a>); 4] {
    [("unit", unit.into()), ("mechanism", "tune".into()), ("bound", "lp".into()), ("gap", gap.into())]
}

#[test]
fn schema_document_is_in_step() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../results/SCHEMA.md");
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == markdown(),
        "results/SCHEMA.md is out of step with the schema: run `synergy schema --out results/SCHEMA.md`"
    );
}

#[test]
fn names_are_unique_and_carry_units() {
    for table in TABLES {
        for (i, column) in table.columns.iter().enumerate() {
            assert!(
                table.columns[..i].iter().all(|c| c.name != column.name),
                "{}.{}",
                table.name,
                column.name
            );
            for (suffix, unit) in [("_s", "s"), ("_gb", "GB"), ("seconds", "s")] {
                if column.name.ends_with(suffix) && column.unit != unit {
                    assert!(
                        column.unit.contains("GB") || column.unit == "GPU s",
                        "{}.{}: unit {:?}",
                        table.name,
                        column.name,
                        column.unit
                    );
                }
            }
            assert!(!column.doc.is_empty() && !column.doc.contains('|'), "{}.{}", table.name, column.name);
        }
    }
}

#[test]
fn what_is_written_is_read_back_over_row_groups_with_nulls_and_footer() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("gaps.parquet");
    let rows = 150_000usize; // three row groups
    let mut writer = TableWriter::create(&path, &GAPS, &metadata(), Format::Parquet).unwrap();
    for i in 0..rows {
        let unit = format!("u{i}");
        let gap = (i % 3 != 0).then_some(i as f64 / 7.0);
        writer.push(&gap_row(&unit, gap)).unwrap();
    }
    assert!(!path.exists(), "appears only when complete");
    writer.finish().unwrap();
    let frame = Frame::read(&path, &GAPS, &[]).unwrap();
    assert_eq!(frame.rows(), rows);
    let (units, gaps) = (frame.text("unit").unwrap(), frame.real("gap").unwrap());
    for i in [0usize, 1, 65_535, 65_536, 149_999] {
        assert_eq!(units[i], Some(format!("u{i}").as_str()));
        assert_eq!(gaps[i], (i % 3 != 0).then_some(i as f64 / 7.0));
    }
    let footer = frame.metadata();
    assert_eq!(footer.get("synergy.schema"), Some(SCHEMA_VERSION));
    assert_eq!(footer.get("synergy.config"), Some("name = \"t\"\n"));
    assert_eq!(footer.get("synergy.seed"), Some("7"));
    assert!(footer.get("synergy.highs").is_some_and(|v| v.starts_with("1.")));
}

#[test]
fn bytes_depend_on_the_rows_alone() {
    let directory = tempfile::tempdir().unwrap();
    let write = |name: &str| {
        let path = directory.path().join(name);
        let units: Vec<String> = (0..70_000).map(|i| format!("u{}", i % 977)).collect();
        let rows = units.iter().map(|unit| gap_row(unit, Some(0.1 * unit.len() as f64)));
        write_table(&path, &GAPS, &metadata(), Format::Parquet, rows).unwrap();
        std::fs::read(path).unwrap()
    };
    let (here, elsewhere) = std::thread::scope(|scope| {
        let other = scope.spawn(|| write("b"));
        (write("a"), other.join().unwrap())
    });
    assert!(here == elsewhere);
}

#[test]
fn a_row_that_does_not_follow_the_schema_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("gaps.parquet");
    let mut writer = TableWriter::create(&path, &GAPS, &metadata(), Format::Parquet).unwrap();
    let mut swapped = gap_row("u", None);
    swapped.swap(1, 2);
    assert!(matches!(writer.push(&swapped), Err(TableError::Row { .. })));
    let mut wrong_type = gap_row("u", None);
    wrong_type[3].1 = Cell::Text("0.5");
    assert!(matches!(writer.push(&wrong_type), Err(TableError::Row { .. })));
    assert!(matches!(writer.push(&gap_row("u", None)[..3]), Err(TableError::Row { .. })));
    drop(writer);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0, "nothing half-written is left");
}

#[test]
fn csv_has_a_header_and_empty_nulls() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("gaps.csv");
    let rows = [gap_row("a,b", Some(0.1)), gap_row("c", None)];
    write_table(&path, &GAPS, &metadata(), Format::Csv, rows).unwrap();
    let text = std::fs::read_to_string(path).unwrap();
    assert_eq!(text, "unit,mechanism,bound,gap\n\"a,b\",tune,lp,0.1\nc,tune,lp,\n");
}

#[test]
fn other_files_and_other_versions_are_named() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("gaps.parquet");
    std::fs::write(&path, "no table").unwrap();
    let error = Frame::read(&path, &GAPS, &[]).unwrap_err().to_string();
    assert!(error.contains("gaps.parquet") && error.contains("no Parquet file"), "{error}");
    let mut old = metadata();
    old.entries[0].1 = "synergy-tables/0".into();
    write_table(&path, &GAPS, &old, Format::Parquet, [gap_row("u", None)]).unwrap();
    assert!(matches!(Frame::read(&path, &GAPS, &[]), Err(TableError::Version { .. })));
    write_table(&path, &GAPS, &metadata(), Format::Parquet, [gap_row("u", None)]).unwrap();
    let error = Frame::read(&path, &MECHANISMS, &[]).unwrap_err().to_string();
    assert!(error.contains("mechanisms"), "{error}");
}

#[test]
fn a_kept_row_is_exact() {
    let third = 1.0 / 3.0;
    let cells: Vec<(&str, Cell)> = BOUNDS
        .columns
        .iter()
        .map(|c| {
            let cell = match c.column_type {
                ColumnType::Text => Cell::Text("x"),
                ColumnType::Int => Cell::Int(-5),
                ColumnType::Real => Cell::Real(third),
                ColumnType::Flag => Cell::Flag(true),
            };
            (c.name, cell)
        })
        .collect();
    let row = Row::new(&BOUNDS, &cells).unwrap();
    let text = row.to_json().to_string();
    let back = Row::from_json(&BOUNDS, &serde_json::from_str(&text).unwrap()).unwrap();
    assert_eq!(back, row);
    assert_eq!(back.get("value"), Cell::Real(third));
    assert_eq!(back.get("no such column"), Cell::Null);
}

#[test]
fn a_file_cut_anywhere_is_an_error_and_so_is_a_panic_of_the_reader() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("gaps.parquet");
    let mut writer = TableWriter::create(&path, &GAPS, &metadata(), Format::Parquet).unwrap();
    for i in 0..50 {
        writer.push(&gap_row(&format!("u{i}"), (i % 3 != 0).then_some(f64::from(i)))).unwrap();
    }
    writer.finish().unwrap();
    let good = std::fs::read(&path).unwrap();
    assert!(Frame::read(&path, &GAPS, &[]).is_ok());
    for length in (0..good.len()).step_by(7) {
        std::fs::write(&path, &good[..length]).unwrap();
        assert!(Frame::read(&path, &GAPS, &[]).is_err(), "{length} of {} bytes", good.len());
    }
    assert!(super::guard::guarded(|| -> u8 { panic!("in the reader") }).is_none());
}
