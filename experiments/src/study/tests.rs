use super::*;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use tempfile::TempDir;

/// A study of 16-GPU instances that takes milliseconds.
const SMALL: &str = r#"
schema = "synergy-study/1"
name = "small"
seed = 3
replicates = 2
[methods]
bounds = ["lp", "ilp"]
placements = ["vertex"]
mechanisms = ["proportional", "tune"]
[parameters]
gpus = 16
demand = "multi"
[axes]
cpus_per_gpu = [3, 6]
split = [[20, 70, 10], [50, 0, 50]]
"#;

fn write_study(directory: &TempDir, name: &str, text: &str) -> PathBuf {
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    path
}

fn plan_of(text: &str) -> Plan {
    plan_with(text, &[]).unwrap()
}

fn plan_with(text: &str, settings: &[&str]) -> Result<Plan, StudyError> {
    let directory = tempfile::tempdir().unwrap();
    let path = write_study(&directory, "small.toml", text);
    let settings: Vec<String> = settings.iter().map(ToString::to_string).collect();
    Plan::new(StudyFile::read(&path, &settings)?, &path)
}

fn fault(text: &str, settings: &[&str]) -> String {
    let message = plan_with(text, settings).unwrap_err().to_string();
    assert!(!message.contains('\n'), "{message}");
    message
}

fn specs(plan: &Plan) -> Vec<UnitSpec> {
    plan.units().iter().map(|&unit| plan.spec(unit).unwrap()).collect()
}

fn run_in(plan: &Plan, out: &Path, options: RunOptions) -> RunReport {
    let directory = Directory::open(out, plan, options.shard).unwrap();
    let report = run(plan, &directory, options, &AtomicBool::new(false)).unwrap();
    if options.shard.is_none() {
        write_tables(plan, &directory, directory.path()).unwrap();
    }
    report
}

/// The tables that must not depend on the run.
fn science(out: &Path) -> Vec<Vec<u8>> {
    let tables = STUDY_TABLES.iter().filter(|table| table.reproducible);
    tables.map(|table| std::fs::read(out.join(format!("{}.parquet", table.name))).unwrap()).collect()
}

#[test]
fn the_grid_is_the_product_of_axes_and_replicates() {
    let plan = plan_of(SMALL);
    assert_eq!(plan.units().len(), 2 * 2 * 2);
    let specs = specs(&plan);
    let ratios: Vec<f64> = specs.iter().map(|s| s.workload.cluster.cpus_per_gpu).collect();
    assert_eq!(ratios, [3.0, 3.0, 3.0, 3.0, 6.0, 6.0, 6.0, 6.0], "the first axis varies slowest");
    assert!(specs.iter().all(|s| s.workload.cluster.gpus == 16));
    assert_eq!(specs[2].workload.mix.split, Some(vec![50.0, 0.0, 50.0]));
}

#[test]
fn seeds_follow_study_seed_and_replicate_alone() {
    let plan = plan_of(SMALL);
    for (unit, spec) in plan.units().iter().zip(specs(&plan)) {
        assert_eq!(spec.workload.seed, workload_seed(3, unit.replicate));
    }
    assert_ne!(workload_seed(3, 0), workload_seed(3, 1));
    assert_ne!(workload_seed(3, 0), workload_seed(4, 0));
    assert!(workload_seed(3, 0) < 1 << 53);
}

#[test]
fn ids_are_those_of_the_resolved_specification() {
    let plan = plan_of(SMALL);
    // A default written out, another order of keys, other methods: the same units.
    let spelled = SMALL
        .replace(
            "gpus = 16\ndemand = \"multi\"",
            "demand = {kind = \"multi\"}\ncluster.gpus = 16\nrules.whole_cpus = false",
        )
        .replace("\"proportional\", ", "");
    let ids = |plan: &Plan| plan.units().iter().map(|unit| unit.id).collect::<Vec<_>>();
    assert_eq!(ids(&plan), ids(&plan_of(&spelled)));
    let mut unique = ids(&plan);
    unique.sort_unstable();
    unique.dedup();
    assert_eq!(unique.len(), plan.units().len());
    for (unit, spec) in plan.units().iter().zip(specs(&plan)) {
        assert_eq!(unit.id, spec.id());
        let back: UnitSpec = serde_json::from_str(&spec.to_json()).unwrap();
        assert_eq!(back.id(), unit.id, "the specification in the tables makes the same unit");
    }
    let other_limit = plan_with(SMALL, &["nodes=5"]).unwrap();
    assert!(ids(&other_limit).iter().all(|id| !ids(&plan).contains(id)));
}

#[test]
fn zipped_axes_walk_together_and_exclusions_cut() {
    let text = format!(
        "{}\n[[zipped]]\ngpus_per_server = [4, 8]\nmemory_gb_per_gpu = [50.0, 62.5]\n\n[[exclude]]\ncpus_per_gpu = 6\ngpus_per_server = 4\n",
        SMALL
    );
    let plan = plan_of(&text);
    assert_eq!(plan.units().len(), (2 * 2 * 2 - 2) * 2);
    for spec in specs(&plan) {
        let cluster = spec.workload.cluster;
        assert_eq!(cluster.memory_gb_per_gpu, if cluster.gpus_per_server == 4 { 50.0 } else { 62.5 });
        assert!(!(cluster.cpus_per_gpu == 6.0 && cluster.gpus_per_server == 4));
    }
}

#[test]
fn settings_override_parameters_axes_and_lists() {
    let plan = plan_with(
        SMALL,
        &["gpus=8,16", "cpus_per_gpu=4", "replicates=1", "mechanisms=tune", "split=[[20,70,10]]"],
    )
    .unwrap();
    assert_eq!(plan.units().len(), 2);
    assert_eq!(plan.study().methods.mechanisms, ["tune"]);
    assert_eq!(specs(&plan)[0].workload.cluster.gpus, 8);
}

#[test]
fn an_included_file_is_the_base() {
    let directory = tempfile::tempdir().unwrap();
    write_study(&directory, "base.toml", SMALL);
    let path = write_study(
        &directory,
        "own.toml",
        "include = \"base.toml\"\nname = \"own\"\n[parameters]\ncpus_per_gpu = 5\n[axes]\ngpus = [8, 16, 24]\n[methods]\nmechanisms = [\"greedy\"]\n",
    );
    let study = StudyFile::read(&path, &[]).unwrap();
    assert_eq!((study.name.as_str(), study.seed), ("own", 3));
    assert_eq!(study.methods.mechanisms, ["greedy"]);
    assert_eq!(study.methods.bounds, ["lp", "ilp"]);
    let plan = Plan::new(study, &path).unwrap();
    assert_eq!(plan.units().len(), 3 * 2 * 2);
    assert!(specs(&plan).iter().all(|spec| spec.workload.cluster.cpus_per_gpu == 5.0));
    let circle = write_study(&directory, "circle.toml", "include = \"circle.toml\"\n");
    assert!(StudyFile::read(&circle, &[]).unwrap_err().to_string().contains("circle"));
}

#[test]
fn the_resolved_study_reads_back() {
    let plan = plan_with(SMALL, &["gpus=8,16"]).unwrap();
    let directory = tempfile::tempdir().unwrap();
    let path = write_study(&directory, "study.toml", &plan.study().resolved());
    assert_eq!(&StudyFile::read(&path, &[]).unwrap(), plan.study());
}

#[test]
fn faults_of_a_study_file_are_one_line_with_the_mend() {
    for (from, to, expected) in [
        ("cpus_per_gpu = [3, 6]", "cpus_per_gpu = []", "empty list"),
        ("cpus_per_gpu = [3, 6]", "cpus_per_gpu = 3", "must be a list"),
        ("cpus_per_gpu = [3, 6]", "cpu_per_gpu = [3, 6]", "did you mean"),
        ("gpus = 16", "cluster.gpu = 16", "did you mean \"gpus"),
        ("gpus = 16", "gpus = 17", "multiple of the 8 GPUs"),
        ("gpus = 16", "gpus = 16\ncpus_per_gpu = 3", "both in [parameters] and an axis"),
        ("gpus = 16", "gpus = \"many\"", "gpus is \"many\"; give a whole number"),
        ("seed = 3", "seed = \"x\"", "seed is \"x\"; give a whole number"),
        ("cpus_per_gpu = [3, 6]", "cpus_per_gpu = [true]", "cpus_per_gpu is true; give a number"),
        ("demand = \"multi\"", "demand = \"mutli\"", "did you mean \"multi\""),
        ("gpus = 16", "rules.objective = \"gpu\"", "did you mean \"gpus\""),
        ("\"tune\"", "\"tuna\"", "did you mean \"tune\""),
        ("\"ilp\"", "\"lip\"", "did you mean"),
        ("[\"vertex\"]", "[\"vertx\"]", "did you mean \"vertex\""),
        ("\"tune\"", "\"tune\", \"tune\"", "twice"),
        ("replicates = 2", "replicates = 0", "at least 1"),
        ("replicates = 2", "replicate = 2", "did you mean \"replicates\""),
        ("[methods]", "[methods]\nbound = []", "did you mean \"bounds\""),
        ("name = \"small\"", "name = \"a/b\"", "names a directory"),
        ("synergy-study/1", "synergy-study/9", "synergy-study/1"),
        ("seed = 3", "seed = = 3", "line 4"),
        ("[axes]", "[[exclude]]\ngpus = 16\n[axes]", "no unit is left"),
    ] {
        assert!(SMALL.contains(from), "{from}");
        let message = fault(&SMALL.replacen(from, to, 1), &[]);
        assert!(message.contains(expected), "{to}: {message}");
        assert!(message.contains("small.toml"), "{message}");
    }
    assert!(fault(SMALL, &["nonsense"]).contains("name=value"));
    assert!(fault(SMALL, &["gpsu=8"]).contains("gpsu"));
}

#[test]
fn a_run_again_does_only_what_is_missing_and_tables_do_not_change() {
    let plan = plan_of(SMALL);
    let directory = tempfile::tempdir().unwrap();
    let (once, twice) = (directory.path().join("once"), directory.path().join("twice"));
    let report = run_in(&plan, &once, RunOptions { jobs: Some(1), ..RunOptions::default() });
    assert_eq!((report.units, report.computed, report.failed, report.interrupted), (8, 8, 0, false));
    let again = run_in(&plan, &once, RunOptions::default());
    assert_eq!((again.done_before, again.computed), (8, 0));
    // Other threads, and part of the units first: a stop after the first batch.
    let fewer = plan_with(SMALL, &["cpus_per_gpu=6"]).unwrap();
    run_in(&fewer, &twice, RunOptions { jobs: Some(2), ..RunOptions::default() });
    let rest = run_in(&plan, &twice, RunOptions { jobs: Some(2), ..RunOptions::default() });
    assert_eq!((rest.done_before, rest.computed), (4, 4));
    assert!(science(&once) == science(&twice));
}

#[test]
fn a_new_mechanism_is_computed_alone() {
    let directory = tempfile::tempdir().unwrap();
    let (grown, whole) = (directory.path().join("grown"), directory.path().join("whole"));
    let without = plan_with(SMALL, &["mechanisms=tune"]).unwrap();
    run_in(&without, &grown, RunOptions::default());
    let plan = plan_of(SMALL);
    let report = run_in(&plan, &grown, RunOptions::default());
    assert_eq!(report.computed, 8);
    let index = parts::Index::open(&grown.join("parts")).unwrap();
    assert!(index.missing(plan.units()[0].id, plan.methods(), false).is_empty());
    run_in(&plan, &whole, RunOptions::default());
    assert!(science(&grown) == science(&whole), "grown in two runs and computed at once");
}

#[test]
fn shards_merge_to_what_one_process_writes() {
    let plan = plan_of(SMALL);
    let directory = tempfile::tempdir().unwrap();
    let (whole, first, second) =
        (directory.path().join("whole"), directory.path().join("first"), directory.path().join("second"));
    run_in(&plan, &whole, RunOptions::default());
    for (out, index) in [(&first, 0), (&second, 1), (&first, 2)] {
        let report = run_in(
            &plan,
            out,
            RunOptions { shard: Some(Shard { index, count: 3 }), ..RunOptions::default() },
        );
        assert!(report.computed >= 2 && report.computed <= 3);
    }
    let target = Directory::open(&first, &plan, None).unwrap();
    gather(&second, &target).unwrap();
    assert_eq!(progress_of(&plan, &target).unwrap(), Completion { missing: 0, failed: 0 });
    write_tables(&plan, &target, target.path()).unwrap();
    assert!(science(&first) == science(&whole));
}

#[test]
fn two_processes_keep_out_of_each_others_way() {
    let plan = plan_of(SMALL);
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().join("out");
    let shard = |index| Some(Shard { index, count: 2 });
    let first = Directory::open(&out, &plan, shard(0)).unwrap();
    assert!(matches!(Directory::open(&out, &plan, shard(0)), Err(StudyError::Locked { .. })));
    assert!(matches!(Directory::open(&out, &plan, None), Err(StudyError::Locked { .. })));
    let second = Directory::open(&out, &plan, shard(1)).unwrap();
    drop((first, second));
    let whole = Directory::open(&out, &plan, None).unwrap();
    assert!(matches!(Directory::open(&out, &plan, shard(1)), Err(StudyError::Locked { .. })));
    drop(whole);
}

#[test]
fn a_directory_of_another_study_is_refused_and_untouched() {
    let plan = plan_of(SMALL);
    let directory = tempfile::tempdir().unwrap();
    run_in(&plan, directory.path(), RunOptions::default());
    let other = plan_of(&SMALL.replace("name = \"small\"", "name = \"other\""));
    let error = Directory::open(directory.path(), &other, None).unwrap_err().to_string();
    assert!(error.contains("small") && error.contains("other"), "{error}");
    assert_eq!(run_in(&plan, directory.path(), RunOptions::default()).computed, 0);
}

#[test]
fn a_half_written_part_is_set_aside_and_its_units_run_again() {
    let plan = plan_of(SMALL);
    let directory = tempfile::tempdir().unwrap();
    run_in(&plan, directory.path(), RunOptions::default());
    let before = science(directory.path());
    let part = std::fs::read_dir(directory.path().join("parts")).unwrap().next().unwrap().unwrap().path();
    let bytes = std::fs::read(&part).unwrap();
    std::fs::write(&part, &bytes[..bytes.len() / 2]).unwrap();
    let report = run_in(&plan, directory.path(), RunOptions::default());
    assert!(report.computed > 0, "all of one part; a slow machine makes several");
    assert!(science(directory.path()) == before);
    let aside: Vec<_> = std::fs::read_dir(directory.path().join("parts"))
        .unwrap()
        .filter(|entry| entry.as_ref().unwrap().path().to_string_lossy().ends_with(".damaged"))
        .collect();
    assert_eq!(aside.len(), 1, "nothing is thrown away");
}

#[test]
fn a_part_of_another_version_is_named() {
    let plan = plan_of(SMALL);
    let directory = tempfile::tempdir().unwrap();
    run_in(&plan, directory.path(), RunOptions::default());
    let part = std::fs::read_dir(directory.path().join("parts")).unwrap().next().unwrap().unwrap().path();
    let text =
        String::from_utf8(zstd::decode_all(std::fs::read(&part).unwrap().as_slice()).unwrap()).unwrap();
    let old = text.replace("synergy-part/1", "synergy-part/0");
    std::fs::write(&part, zstd::encode_all(old.as_bytes(), 3).unwrap()).unwrap();
    let error = parts::Index::open(&directory.path().join("parts")).unwrap_err().to_string();
    assert!(error.contains("synergy-part/0") && error.contains("--out"), "{error}");
}

#[test]
fn a_stop_keeps_what_is_done() {
    let plan = plan_of(SMALL);
    let directory = tempfile::tempdir().unwrap();
    let opened = Directory::open(directory.path(), &plan, None).unwrap();
    let report = run(&plan, &opened, RunOptions::default(), &AtomicBool::new(true)).unwrap();
    assert!(report.interrupted && report.computed == 0);
    drop(opened);
    assert_eq!(run_in(&plan, directory.path(), RunOptions::default()).computed, 8);
}

#[test]
fn a_unit_that_fails_is_a_row() {
    // 3-GPU jobs alone cannot fill 16 GPUs.
    let text = SMALL.replace("demand = \"multi\"\n", "").replace(
        "[axes]",
        "[axes]\ndemand = [{kind = \"single\"}, {kind = \"mixture\", gpus = [3], weights = [1.0]}]",
    );
    let plan = plan_of(&text);
    let directory = tempfile::tempdir().unwrap();
    let report = run_in(&plan, directory.path(), RunOptions::default());
    assert_eq!((report.units, report.computed, report.failed), (16, 16, 8));
    let table = &crate::tables::schema::INSTANCES;
    let frame = crate::tables::Frame::read(&directory.path().join("instances.parquet"), table, &[]).unwrap();
    let failed = frame.text("status").unwrap().iter().filter(|status| **status == Some("failed")).count();
    assert_eq!(failed, 8);
    let message = frame.text("message").unwrap().into_iter().flatten().next().map(str::to_string);
    assert!(message.is_some_and(|m| !m.is_empty()));
    assert_eq!(run_in(&plan, directory.path(), RunOptions::default()).computed, 0, "failures are results");
    let retry = RunOptions { retry_failed: true, ..RunOptions::default() };
    assert_eq!(run_in(&plan, directory.path(), retry).computed, 8);
}

#[test]
fn check_passes_a_sound_directory_and_finds_faults() {
    let plan = plan_of(SMALL);
    let directory = tempfile::tempdir().unwrap();
    run_in(&plan, directory.path(), RunOptions::default());
    let look = || {
        let (opened, study) = Directory::existing(directory.path()).unwrap();
        let plan = Plan::new(study, &opened.study_path()).unwrap();
        check(&plan, &opened, 3).unwrap()
    };
    let report = look();
    assert_eq!(report.violations, Vec::<String>::new());
    assert!(report.recomputed == 3 && report.relations > 8 * 3);
    // A number changed in a part: tables, chain and sample must notice.
    let part = std::fs::read_dir(directory.path().join("parts")).unwrap().next().unwrap().unwrap().path();
    let text =
        String::from_utf8(zstd::decode_all(std::fs::read(&part).unwrap().as_slice()).unwrap()).unwrap();
    let at = text.find("\"tune\",\"ok\",null,\"").unwrap() + "\"tune\",\"ok\",null,\"".len();
    let forged = format!("{}9{}", &text[..at], &text[at..]);
    std::fs::write(&part, zstd::encode_all(forged.as_bytes(), 3).unwrap()).unwrap();
    let violations = look().violations.join("\n");
    assert!(violations.contains("differs from what the parts say"), "{violations}");
    assert!(violations.contains("exceeds the bound"), "{violations}");
    std::fs::remove_file(&part).unwrap();
    let violations = look().violations.join("\n");
    assert!(violations.contains("not computed"), "{violations}");
}

#[test]
fn shards_are_parsed() {
    assert_eq!("2/4".parse(), Ok(Shard { index: 2, count: 4 }));
    for wrong in ["4/4", "1", "a/b", "-1/4", "1/0"] {
        assert!(wrong.parse::<Shard>().is_err(), "{wrong}");
    }
}
