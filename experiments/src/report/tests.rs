use super::*;
use crate::tables::Format;
use crate::trace::{About, Trace, TraceJob};
use std::path::PathBuf;
use tempfile::TempDir;

/// A table of `rows` jobs whose texts try to leave their place.
fn place(rows: usize) -> (TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("a <i> & b");
    std::fs::create_dir(&path).unwrap();
    let job = |index: usize| TraceJob {
        id: format!("</script><script>alert({index})</script>").into(),
        arrival_s: index as f64,
        gpus: 1,
        duration_s: index.is_multiple_of(2).then_some(0.1 + 0.2),
        ..TraceJob::default()
    };
    let about = About { source: "<b>\"x\"</b>".into(), ..About::default() };
    let trace = Trace { jobs: (0..rows).map(job).collect(), about };
    crate::trace::write(&trace, &path.join("trace_jobs.parquet"), Format::Parquet).unwrap();
    (directory, path)
}

/// The data that the script of the page gets for a table.
fn data(page: &str, id: &str) -> serde_json::Value {
    let start = format!("<script type=\"application/json\" id=\"{id}-data\">");
    let (_, rest) = page.split_once(&start).unwrap();
    serde_json::from_str(rest.split_once("</script>").unwrap().0).unwrap()
}

#[test]
fn a_page_holds_its_tables_and_nothing_gets_out_of_place() {
    let (_keep, path) = place(3);
    let page = page(&path, &sections(&path, None).unwrap());
    assert!(page.contains("<h1>a &lt;i&gt; &amp; b</h1>"));
    assert!(page.contains("&lt;b&gt;\\&quot;x"), "the configuration is text");
    assert!(!page.contains("<script>alert") && !page.contains("<b>"));
    let data = data(&page, "s0-trace_jobs");
    assert_eq!(data["total"], 3);
    assert_eq!(data["rows"].as_array().unwrap().len(), 3);
    let names: Vec<&str> =
        data["columns"].as_array().unwrap().iter().map(|c| c["name"].as_str().unwrap()).collect();
    // Columns without a value are named apart.
    assert_eq!(names, ["job_id", "source_line", "arrival_s", "gpus", "duration_s"]);
    assert!(page.contains("Without a value here, and left out: iterations, application"));
    assert_eq!(data["rows"][0][0], "</script><script>alert(0)</script>");
    assert_eq!(
        (&data["rows"][0][4], &data["rows"][1][4]),
        (&serde_json::json!(0.1 + 0.2), &serde_json::Value::Null)
    );
}

#[test]
fn the_page_fetches_nothing_and_is_the_same_every_time() {
    let (_keep, path) = place(5);
    let made = || page(&path, &sections(&path, None).unwrap());
    let first = made();
    assert_eq!(first, made());
    let outside = first.replace("http://www.w3.org/", "");
    assert!(!outside.contains("http://") && !outside.contains("https://") && !outside.contains("@import"));
}

#[test]
fn rows_that_the_page_does_not_carry_are_counted() {
    let (_keep, path) = place(1234);
    let sections = sections(&path, Some(50)).unwrap();
    let stated = "This page carries the first 50 of 1,234 rows; all are in trace_jobs.parquet.";
    assert_eq!(sections[0].tables[0].left_out().as_deref(), Some(stated));
    let page = page(&path, &sections);
    assert!(page.contains(stated));
    let data = data(&page, "s0-trace_jobs");
    assert_eq!((data["rows"].as_array().unwrap().len(), &data["total"]), (50, &serde_json::json!(1234)));
}

#[test]
fn directories_below_are_sections_and_strange_files_are_named() {
    let (_keep, path) = place(2);
    std::fs::create_dir_all(path.join("recipe/parts")).unwrap();
    std::fs::copy(path.join("trace_jobs.parquet"), path.join("recipe/trace_jobs.parquet")).unwrap();
    std::fs::write(path.join("recipe/parts/trace_jobs.parquet"), "no table").unwrap();
    std::fs::write(path.join("strange.parquet"), "no table").unwrap();
    std::fs::write(path.join("recipe/gaps.parquet"), "no table").unwrap();
    let sections = sections(&path, None).unwrap();
    assert_eq!(sections.iter().map(|s| s.name.as_str()).collect::<Vec<_>>(), ["", "recipe"]);
    assert_eq!(
        sections.iter().map(|s| (s.tables.len(), s.skipped.len())).collect::<Vec<_>>(),
        [(1, 1), (1, 1)]
    );
    let page = page(&path, &sections);
    assert!(page.contains("strange.parquet: is none of the tables"), "named");
    assert!(page.contains("gaps.parquet: is no Parquet file"), "named");
    let empty = tempfile::tempdir().unwrap();
    let error = super::sections(empty.path(), None).unwrap_err().to_string();
    assert!(error.contains("holds no Parquet table"), "{error}");
}
