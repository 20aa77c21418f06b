use super::*;
use proptest::prelude::*;
use std::io::{Cursor, Write};
use std::path::PathBuf;

fn text(format: Format, text: &str) -> Import {
    bytes(format, text.as_bytes()).unwrap()
}

fn bytes(format: Format, bytes: &[u8]) -> Result<Import, InputError> {
    let source = input::decompressed(Cursor::new(bytes.to_vec())).unwrap();
    import_from(format, source, "trace", &Options::default())
}

/// Every row is kept or counted.
fn accounted(report: &Report) {
    assert_eq!(report.rows_read, report.rows_kept + report.rows_rejected(), "{report:?}");
}

fn rejects(import: &Import) -> Vec<(String, u64, Vec<u64>)> {
    accounted(&import.report);
    let tally = |(reason, tally): (&String, &Tally)| (reason.clone(), tally.rows, tally.first_lines.clone());
    import.report.rejected.iter().map(tally).collect()
}

const PHILLY: &str = "timestamp,duration,num_gpus,gpu_time,cluster\n\
    2017-10-09 07:01:55,66.0,1,66.0,11cb48\n\
    2017-10-09 06:13:03,2951.0,8,23608.0,6214e9\n";

#[test]
fn the_philly_table_is_sorted_and_counted_from_the_first_arrival() {
    let import = text(Format::PhillyTable, PHILLY);
    let jobs = &import.trace.jobs;
    assert_eq!(import.report.unsorted_rows, 1);
    assert_eq!((jobs[0].arrival_s, jobs[0].gpus, jobs[0].duration_s), (0.0, 8, Some(2951.0)));
    assert_eq!((jobs[1].arrival_s, jobs[1].line, &*jobs[1].id), (2932.0, 2, "row-2"));
    assert_eq!(import.trace.about.origin_unix_s, Some(1_507_529_583.0));
    assert_eq!(jobs[0].group.as_deref(), Some("6214e9"));
    assert!(
        import.trace.about.semi_synthetic && import.trace.about.profiles.contains("class split 20,70,10")
    );
    assert_eq!(import.report.columns_left_out, Vec::<String>::new());
}

#[test]
fn bad_rows_are_rejected_by_reason_with_their_lines() {
    let import = text(
        Format::PhillyTable,
        &format!(
            "{PHILLY}2017-10-09 06:13:03,-1,1,,\nnever,1,1,,\n2017-10-09 06:13:03,,1,,\n\
             2017-10-09 06:13:03,5,0,,\n2017-10-09 06:13:03,5,0.5,,\n2017-10-09 06:13:03,inf,1,,\n\
             2017-10-09 06:13:03,5\n\"2017-10-09 06:13:03,5,1,,\n\n2017-10-09 06:13:03,6,-3,,\n"
        ),
    );
    assert_eq!(import.report.rows_kept, 2);
    let expected = [
        ("duration is missing", 6),
        ("duration is negative", 4),
        ("duration is no finite number", 9),
        ("line has a quote without end", 11),
        ("line has too few columns", 10),
        ("num_gpus asks for a fraction of a GPU", 8),
        ("num_gpus asks for no GPU", 7),
        ("num_gpus is negative", 13),
        ("timestamp is no date and no number", 5),
    ];
    let expected: Vec<_> =
        expected.iter().map(|(reason, line)| (reason.to_string(), 1, vec![*line])).collect();
    assert_eq!(rejects(&import), expected);
}

#[test]
fn another_header_or_no_usable_row_is_an_error_that_says_so() {
    let error = |format, text: &str| bytes(format, text.as_bytes()).unwrap_err().to_string();
    let wrong = error(Format::PhillyTable, "a,b,c\n1,2,3\n");
    assert!(wrong.contains("line 1") && wrong.contains("no column timestamp, duration, num_gpus"), "{wrong}");
    assert!(error(Format::Replay, PHILLY).contains("none of its 3 rows"));
    assert!(error(Format::Helios, "").contains("holds no row"));
    assert!(error(Format::PhillyLog, PHILLY).contains("no JSON list"));
}

#[test]
fn mark_line_ends_quotes_and_long_lines_do_not_stop_an_import() {
    let long = "x".repeat(LONGEST_LINE + 1);
    let dirty = format!(
        "\u{feff}timestamp,duration,num_gpus,gpu_time,cluster\r\n2017-10-09 07:01:55,66,1,66,\"a,b\"\r{long}\n\
         2017-10-09 06:13:03,2951.0,8,1,c"
    );
    let import = text(Format::PhillyTable, &dirty);
    assert_eq!(rejects(&import), [("line is longer than 1 MiB".to_string(), 1, vec![3])]);
    assert_eq!(import.trace.jobs[1].group.as_deref(), Some("a,b"));
    let mut binary = PHILLY.as_bytes().to_vec();
    binary.extend_from_slice(b"2017-10-09 06:13:03,1,1,\xff\xfe,\n");
    let import = bytes(Format::PhillyTable, &binary).unwrap();
    assert_eq!(rejects(&import), [("line is not UTF-8 text".to_string(), 1, vec![4])]);
}

#[test]
fn a_truncated_gzip_is_an_error_with_the_line() {
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    for seconds in 0..5000 {
        writeln!(
            gzip,
            "{}",
            if seconds == 0 { PHILLY.trim_end().into() } else { format!("{seconds},7,1,,") }
        )
        .unwrap();
    }
    let gzip = gzip.finish().unwrap();
    assert_eq!(bytes(Format::PhillyTable, &gzip).unwrap().report.rows_kept, 5001);
    let error = bytes(Format::PhillyTable, &gzip[..gzip.len() / 2]).unwrap_err().to_string();
    assert!(error.starts_with("trace: line ") && error.contains("cannot be read on"), "{error}");
    let log = bytes(Format::PhillyLog, &gzip[..gzip.len() / 2]).unwrap_err().to_string();
    assert!(log.starts_with("trace: "), "{log}");
}

#[test]
fn replay_files_name_their_profiles_and_give_iterations() {
    let import = text(Format::Replay, "0,res18,8,100,2\n1,alexnet,9.5,10,1\n2,vgg,9,1,1\n1,gnmt,10,1,1\n");
    let jobs = &import.trace.jobs;
    assert_eq!((jobs[0].profile.as_deref(), jobs[0].duration_s), (Some("resnet18"), Some(64.0)));
    assert_eq!((jobs[1].profile.as_deref(), jobs[1].iterations), (Some("alexnet"), Some(10.0)));
    assert!(!import.trace.about.semi_synthetic);
    assert_eq!(
        rejects(&import),
        [
            ("id was there before".to_string(), 1, vec![4]),
            ("model is no built-in profile".into(), 1, vec![3])
        ]
    );
}

#[test]
fn gavel_traces_of_three_widths() {
    let seven = text(
        Format::Gavel,
        "ResNet-18 (batch size 32)\tpython\t-n\t1\t500\t21.0\t2\nA3C\tx\t-n\t0\t5\t22.0\t1\n",
    );
    let job = &seven.trace.jobs[0];
    assert_eq!((job.gpus, job.iterations, job.duration_s), (2, Some(500.0), None));
    assert_eq!(job.profile.as_deref(), Some("resnet18"));
    assert_eq!(seven.trace.about.durations, "none");
    assert_eq!(seven.trace.mean_busy_gpus(), None);
    let ten = text(Format::Gavel, "LM (batch size 5)\tpython\tlm\t--steps\t1\t500\t4\t1.0\t-1.0\t7\n");
    assert_eq!((ten.trace.jobs[0].gpus, ten.trace.jobs[0].iterations), (4, Some(500.0)));
    let twelve =
        text(Format::Gavel, "LM (batch size 5)\tpython\tlm\t--steps\t1\t500\t4\tgns\t1\t-1.0\t2116\t7\n");
    assert_eq!((twelve.trace.jobs[0].gpus, twelve.trace.jobs[0].duration_s), (4, Some(2116.0)));

    let with = |durations| {
        let source = input::decompressed(Cursor::new(
            b"LM\tx\t-n\t1\t500\t0\t2\nA3C\tx\t-n\t0\t5\t3600\t1\n".to_vec(),
        ));
        let options = Options { durations, ..Options::default() };
        import_from(Format::Gavel, source.unwrap(), "trace", &options).unwrap()
    };
    let steps = with(Durations::SecondsPerStep(BTreeMap::from([("LM".to_string(), 0.5)])));
    assert_eq!(steps.trace.jobs[0].duration_s, Some(250.0));
    assert_eq!(
        rejects(&steps),
        [("application has no steps or no seconds per step".to_string(), 1, vec![2])]
    );
    let drawn = with(Durations::Published);
    assert!(
        drawn.trace.about.durations.contains("published mixture") && drawn.trace.mean_busy_gpus().is_some()
    );
}

#[test]
fn helios_rows() {
    let import = text(
        Format::Helios,
        "job_id,user,vc,gpu_num,cpu_num,node_num,state,submit_time,start_time,end_time,duration,queue\n\
         7,u1,vc1,16,64,2,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:01:00,2020-04-01 00:03:00,120,60\n\
         8,u2,vc1,0,4,1,COMPLETED,2020-04-01 00:00:00,2020-04-01 00:01:00,2020-04-01 00:03:00,120,60\n\
         9,u2,vc1,1,4,1,FAILED,2020-04-01 00:00:05,2020-04-01 00:01:05,None,10,\n",
    );
    let job = &import.trace.jobs[0];
    assert_eq!((job.gpus, job.cpus, job.servers, job.queue_s), (16, Some(64.0), Some(2), Some(60.0)));
    assert_eq!(import.trace.jobs[1].queue_s, Some(60.0));
    assert_eq!(rejects(&import), [("gpu_num asks for no GPU".to_string(), 1, vec![3])]);
}

#[test]
fn alibaba_2020_plans_are_per_instance() {
    let import = text(
        Format::Alibaba2020,
        "j1,worker,2,Terminated,1000,1500,600,29.3,100,V100\nj1,ps,1,Terminated,1000,1500,600,29.3,,\n\
         j2,tensorflow,4,Failed,900,950,600,10,50,T4\nj3,w,1,Running,900,,600,10,200,T4\nj4,w,1,Failed,900,901,600,10,200,T4\n",
    );
    let job = &import.trace.jobs[1];
    assert_eq!((job.gpus, job.cpus, job.memory_gb, job.duration_s), (2, Some(12.0), Some(58.6), Some(500.0)));
    assert_eq!(import.trace.jobs[0].gpus, 2);
    let reasons: Vec<String> = rejects(&import).into_iter().map(|(reason, ..)| reason).collect();
    let expected = [
        "end_time is missing (not ended)",
        "plan_gpu asks for a fraction of a GPU",
        "plan_gpu asks for no GPU",
    ];
    assert_eq!(reasons, expected);
    let header =
        "job_name,task_name,inst_num,status,start_time,end_time,plan_cpu,plan_mem,plan_gpu,gpu_type\n";
    let with = text(Format::Alibaba2020, &format!("{header}j4,w,1,Failed,900,901,600,10,200,T4\n"));
    assert_eq!((with.report.rows_read, with.trace.jobs[0].line), (1, 2));
}

#[test]
fn alibaba_2023_pods_without_a_whole_gpu_are_rejects_by_reason() {
    let import = text(
        Format::Alibaba2023,
        "name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time\n\
         p0,12000,16384,2,1000,,LS,Running,0,500,10\np1,1,1,0,0,,BE,Failed,0,1,0\np2,1,1,1,460,,LS,Failed,0,1,0\n\
         p3,1,1,1,1000,,LS,Pending,5,9,\n",
    );
    let job = &import.trace.jobs[0];
    assert_eq!((job.gpus, job.cpus, job.duration_s, job.queue_s), (2, Some(12.0), Some(490.0), Some(10.0)));
    assert!((job.memory_gb.unwrap() - 17.179_869).abs() < 1e-6);
    assert_eq!(import.report.noted.len(), 1);
    let reasons: Vec<String> = rejects(&import).into_iter().map(|(reason, ..)| reason).collect();
    let expected = [
        "gpu_milli asks for a fraction of a GPU",
        "num_gpu asks for no GPU",
        "scheduled_time is missing (never started)",
    ];
    assert_eq!(reasons, expected);
}

#[test]
fn pollux_and_sia_workloads() {
    let import = text(
        Format::Pollux,
        "name,time,application,num_replicas,batch_size,extra\ncifar10-0,107,cifar10,6,2048,\nncf-1,207,ncf,1,2,\n",
    );
    assert_eq!((import.trace.jobs[0].gpus, import.trace.jobs[0].profile.as_deref()), (6, Some("resnet18")));
    assert!(
        import.trace.about.profiles.contains("1 by the name")
            && import.trace.about.profiles.contains("1 class split")
    );
    assert_eq!(import.report.columns_left_out, ["extra"]);
}

#[test]
fn standard_workload_format() {
    let import = text(
        Format::Swf,
        "; Version: 2.2\n;UnixStartTime: 0\n  1 0 10 100 4 -1 -1 8 200 1048576 1 3 4 5 6 -1 -1 -1\n\
         2 5 -1 50 4 -1 -1 -1 -1 -1 0 3 4 -1 6 -1 -1 -1\n3 5 -1 -1 4 -1 -1 -1 -1 -1 5 3 4 -1 6 -1 -1 -1\n1 2 3\n",
    );
    let job = &import.trace.jobs[0];
    assert_eq!((job.gpus, job.duration_s, job.queue_s), (8, Some(100.0), Some(10.0)));
    assert_eq!((job.status.as_deref(), job.line), (Some("completed"), 3));
    assert!((job.memory_gb.unwrap() - 8.589_934_592).abs() < 1e-9);
    assert_eq!(import.trace.jobs[1].gpus, 4);
    assert_eq!(import.report.noted.len(), 1);
    assert_eq!(rejects(&import).len(), 2);
    assert_eq!(import.trace.about.remarks, ["processors are read as GPUs"]);
}

const PHILLY_LOG: &str = r#"[
{"status": "Pass", "vc": "ee9e8c", "jobid": "application_1", "user": "ce2f4c", "submitted_time": "2017-10-09 07:00:00",
 "attempts": [{"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:03:00", "detail": [{"ip": "m1", "gpus": ["gpu0", "gpu1"]}]},
              {"start_time": "None", "end_time": "2017-10-09 07:03:00", "detail": []},
              {"start_time": "2017-10-09 07:05:00", "end_time": "2017-10-09 07:15:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}, {"ip": "m2", "gpus": ["gpu0"]}]}]},
{"status": "Killed", "vc": "x", "jobid": "application_2", "user": "u", "submitted_time": "2017-10-09 07:00:00", "attempts": []},
{"status": "Running", "vc": "x", "jobid": "application_3", "user": "u", "submitted_time": "2017-10-09 07:00:00",
 "attempts": [{"start_time": "2017-10-09 07:02:00", "end_time": null, "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
{"status": "Failed", "vc": "x", "jobid": "application_4", "user": "u", "submitted_time": "2017-10-09 06:00:00",
 "attempts": [{"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:01:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
{"status": "Failed", "vc": "x", "jobid": "application_5", "user": "u", "submitted_time": "None",
 "attempts": [{"start_time": "2017-10-09 07:02:00", "detail": []}]},
{"jobid": broken},
{"status": "Pass", "vc": "x", "jobid": "application_1", "user": "u", "submitted_time": "2017-10-09 06:00:00",
 "attempts": [{"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:03:00", "detail": [{"ip": "m1", "gpus": ["gpu0"]}]}]},
{"status": "Pass", "vc": "x", "jobid": "application_6", "user": "u", "submitted_time": "2017-10-09 06:00:00",
 "attempts": [{"start_time": "2017-10-09 07:02:00", "end_time": "2017-10-09 07:03:00", "detail": null}]}
]
"#;

#[test]
fn the_philly_log_with_attempts_summed() {
    let import = text(Format::PhillyLog, PHILLY_LOG);
    assert_eq!((import.report.rows_read, import.report.rows_kept), (8, 1));
    let job = &import.trace.jobs[0];
    assert_eq!((job.gpus, job.duration_s, job.queue_s), (2, Some(660.0), Some(120.0)));
    assert_eq!((job.servers, job.attempts, job.status.as_deref()), (Some(1), Some(3), Some("Pass")));
    assert_eq!(import.report.noted["an attempt without start or end is left out"].rows, 1);
    let found: Vec<(String, Vec<u64>)> =
        rejects(&import).into_iter().map(|(reason, _, lines)| (reason, lines)).collect();
    let expected = [
        ("attempts is empty (never started)", 6),
        ("detail asks for no GPU", 16),
        ("element is no JSON", 13),
        ("end_time is before start_time", 9),
        ("end_time of the last attempt is missing (still running at the snapshot)", 7),
        ("id was there before", 14),
        ("submitted_time is missing", 11),
    ];
    let expected: Vec<(String, Vec<u64>)> = expected.iter().map(|(r, l)| (r.to_string(), vec![*l])).collect();
    assert_eq!(found, expected);
}

#[test]
fn the_philly_log_with_attempts_apart() {
    let source = input::decompressed(Cursor::new(PHILLY_LOG.as_bytes().to_vec())).unwrap();
    let options = Options { attempts: Attempts::Apart, ..Options::default() };
    let import = import_from(Format::PhillyLog, source, "trace", &options).unwrap();
    let jobs = &import.trace.jobs;
    assert_eq!(jobs.iter().map(|j| &*j.id).collect::<Vec<_>>(), ["application_1#0", "application_1#2"]);
    assert_eq!(jobs[1].arrival_s, 180.0);
    assert_eq!((jobs[1].duration_s, jobs[1].queue_s, jobs[1].servers), (Some(600.0), Some(120.0), Some(2)));
}

#[test]
fn profiles_by_nearest_demand_and_none() {
    let helios = "job_id,gpu_num,cpu_num,submit_time,duration\n1,1,1,0,5\n2,1,13,1,5\n3,2,,2,5\n4,1,1,3,5\n";
    let with = |profiles| {
        let source = input::decompressed(Cursor::new(helios.as_bytes().to_vec())).unwrap();
        import_from(Format::Helios, source, "trace", &Options { profiles, ..Options::default() })
            .unwrap()
            .trace
    };
    let near = with(ProfileRule::Nearest);
    let names: Vec<&str> = near.jobs.iter().filter_map(|j| j.profile.as_deref()).collect();
    assert_eq!(names[1], "alexnet");
    assert_ne!(names[0], names[3], "models of equal demand take turns");
    assert!(near.about.profiles.contains("3 nearest") && near.about.profiles.contains("1 class split"));
    assert!(with(ProfileRule::None).jobs.iter().all(|job| job.profile.is_none()));
}

fn shared(file: &str) -> Option<PathBuf> {
    let root = std::env::var_os("SYNERGY_SHARED")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../shared"), PathBuf::from);
    let path = root.join("data/traces").join(file);
    if !path.exists() {
        eprintln!("skipped: no {file} beside the project");
    }
    path.exists().then_some(path)
}

/// Counts made with `zcat | wc -l` and awk.
#[test]
fn the_traces_beside_the_project_are_accounted_for_to_the_last_row() {
    for (format, file, read, kept) in [
        (Format::PhillyTable, "philly_jobs.csv.gz", 82_247, 82_247),
        (Format::Replay, "synergy_static_100.csv", 100, 100),
        (Format::Replay, "synergy_dynamic_srtf.csv", 100, 100),
        (Format::Replay, "multi_gpu_100.csv", 100, 100),
        (Format::Gavel, "gavel_msr_ed69ec_seed0.trace.gz", 951, 951),
    ] {
        let Some(path) = shared(file) else { continue };
        let import = import(format, &path, &Options::default()).unwrap();
        accounted(&import.report);
        assert_eq!((import.report.rows_read, import.report.rows_kept), (read, kept), "{file}");
        assert_eq!(import.trace.jobs.len() as u64, kept);
    }
    if let Some(path) = shared("alibaba_gpu_v2023_pods_default.csv.gz") {
        let import = import(Format::Alibaba2023, &path, &Options::default()).unwrap();
        accounted(&import.report);
        assert_eq!(import.report.rows_read, 8152);
        assert_eq!(import.report.rejected["num_gpu asks for no GPU"].rows, 1088);
        assert_eq!(import.report.rejected["gpu_milli asks for a fraction of a GPU"].rows, 3078);
    }
    if let Some(path) = shared("alibaba_gpu_v2023_gpu_nodes.csv") {
        let (groups, report) = import_nodes(&path).unwrap();
        accounted(&report);
        assert_eq!((report.rows_read, report.rows_kept, groups.len()), (1213, 1213, 15));
        assert_eq!(groups.iter().map(|g| g.count as u32 * g.gpus).sum::<u32>(), 6212);
    }
}

/// All of them: a new one is fuzzed without a word.
fn formats() -> impl Iterator<Item = Format> {
    <Format as clap::ValueEnum>::value_variants().iter().copied()
}

/// A good file of each format, for mutation.
fn seed(format: Format) -> String {
    let header = |columns: &[Column]| columns.iter().map(|c| c.name).collect::<Vec<_>>().join(",");
    let row = |line: &str| (0..4).map(|i| line.replace("ID", &i.to_string())).collect::<Vec<_>>().join("\n");
    match format {
        Format::PhillyLog => PHILLY_LOG.into(),
        Format::PhillyTable => PHILLY.into(),
        Format::Replay => row("ID,res18,8,100,2"),
        Format::Gavel => row("LM\tpython\t-n\t1\t500\tID\t2"),
        Format::Helios => format!(
            "{}\n{}",
            header(helios::COLUMNS),
            row("ID,u,v,1,4,1,DONE,2020-04-01 00:00:00,2020-04-01 00:01:00,2020-04-01 00:02:00,60,60")
        ),
        Format::Alibaba2020 => row("ID,w,2,Terminated,1000,1500,600,29.3,100,V100"),
        Format::Alibaba2023 => {
            format!("{}\n{}", header(alibaba_2023::COLUMNS), row("ID,1000,100,1,1000,,LS,Failed,0,9,1"))
        }
        Format::Pollux => format!("{}\n{}", header(pollux::COLUMNS), row("ID,107,cifar10,6,2048")),
        Format::Swf => row("ID 0 10 100 4 -1 -1 8 200 1048576 1 3 4 5 6 -1 -1 -1"),
    }
}

const NODES: &str = "sn,cpu_milli,memory_mib,gpu,model\nn0,96000,786432,8,V100\nn1,96000,786432,8,V100\n\
    n2,64000,262144,4,T4\nn3,8000,1024,0,\n";

/// One way in which a file arrives broken.
#[derive(Debug, Clone)]
enum Damage {
    /// Cut off here.
    Cut(u16),
    /// One bit turned over.
    Flip(u16, u8),
    /// Something put in between.
    Insert(u16, &'static [u8]),
    /// Line ends of every kind, in turn.
    LineEnds(Vec<usize>),
    /// The file a second time behind itself: every id twice.
    Twice,
}

/// A byte-order mark, NUL, numbers that no type holds, quotes, and line ends.
const ODDITIES: [&[u8]; 14] = [
    b"\xef\xbb\xbf",
    b"\0",
    b"1e999",
    b"-1e308",
    b"1e308",
    b"99999999999999999999999999",
    b"NaN",
    b"-inf",
    b"\"",
    b"\"\n",
    b"\r",
    b"\xff\xfe",
    b"\xf0\x9f\x92\xa9",
    b"[[[[[[{{{{{{",
];

fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let one = prop_oneof![
        any::<u16>().prop_map(Damage::Cut),
        (any::<u16>(), 0u8..8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        (any::<u16>(), prop::sample::select(&ODDITIES[..])).prop_map(|(at, what)| Damage::Insert(at, what)),
        prop::collection::vec(0usize..4, 1..4).prop_map(Damage::LineEnds),
        Just(Damage::Twice),
    ];
    prop::collection::vec(one, 1..6)
}

fn damaged(file: &str, damages: &[Damage]) -> Vec<u8> {
    let mut file = file.as_bytes().to_vec();
    for damage in damages {
        let place = |at: u16| usize::from(at) % (file.len() + 1);
        match damage {
            Damage::Cut(at) => file.truncate(place(*at)),
            Damage::Flip(at, bit) => {
                let at = place(*at);
                file.get_mut(at).into_iter().for_each(|byte| *byte ^= 1 << bit);
            }
            Damage::Insert(at, what) => {
                let at = place(*at);
                file.splice(at..at, what.iter().copied());
            }
            Damage::LineEnds(kinds) => {
                let mut turn = kinds.iter().cycle();
                let mut with = |byte: &u8| match byte {
                    b'\n' => turn.next().map_or(b"\n".to_vec(), |kind| {
                        [&b"\n"[..], b"\r\n", b"\r", b"\n\r\n"][*kind].to_vec()
                    }),
                    other => vec![*other],
                };
                file = file.iter().flat_map(&mut with).collect();
            }
            Damage::Twice => file.extend(file.clone()),
        }
    }
    file
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// What happens to files on their way: every row is kept or counted, what is kept makes sense.
    #[test]
    fn no_damage_breaks_a_parser(damages in damages()) {
        for format in formats() {
            for attempts in [Attempts::Sum, Attempts::Apart] {
                let file = damaged(&seed(format), &damages);
                let source = input::decompressed(Cursor::new(file)).unwrap();
                let options = Options { attempts, ..Options::default() };
                let Ok(import) = import_from(format, source, "trace", &options) else { continue };
                accounted(&import.report);
                let jobs = &import.trace.jobs;
                prop_assert_eq!(import.report.jobs, jobs.len() as u64);
                prop_assert!(import.report.jobs >= import.report.rows_kept);
                let ids: HashSet<&str> = jobs.iter().map(|job| &*job.id).collect();
                prop_assert_eq!(ids.len(), jobs.len());
                prop_assert!(jobs.iter().all(|job| job.arrival_s.is_finite() && job.arrival_s >= 0.0));
                prop_assert!(jobs.iter().all(|job| job.duration_s.is_none_or(|s| s.is_finite() && s >= 0.0)));
                prop_assert!(jobs.iter().all(|job| job.gpus > 0 && job.line > 0));
            }
        }
        let source = input::decompressed(Cursor::new(damaged(NODES, &damages))).unwrap();
        if let Ok((groups, report)) = import_nodes_from(source, "nodes") {
            accounted(&report);
            prop_assert!(groups.iter().all(|group| group.gpus > 0 && group.cpus.is_finite()));
        }
    }

    /// Any bytes at all: an error or a trace whose rows are accounted for, never a panic.
    #[test]
    fn no_bytes_break_a_parser(noise in prop::collection::vec(any::<u8>(), 0..300), cut in 0usize..10_000) {
        for format in formats() {
            let mut file = seed(format).into_bytes();
            let at = cut % (file.len() + 1);
            if let Ok(import) = bytes(format, &noise) {
                accounted(&import.report);
            }
            // Noise in the middle of a good file, and a good file cut short.
            let tail = file.split_off(at);
            let cut_short = bytes(format, &file);
            file.extend_from_slice(&noise);
            file.extend_from_slice(&tail);
            for import in [cut_short, bytes(format, &file)].into_iter().flatten() {
                accounted(&import.report);
                prop_assert!(import.trace.jobs.windows(2).all(|w| w[0].arrival_s <= w[1].arrival_s));
                prop_assert!(import.trace.jobs.iter().all(|j| j.gpus > 0 && j.duration_s.is_none_or(|d| d >= 0.0)));
            }
        }
    }

    /// Bytes exchanged one for one hit numbers, quotes and separators more often.
    #[test]
    fn no_mutation_breaks_a_parser(changes in prop::collection::vec((any::<u16>(), prop::sample::select(&b"\"\\,\t\r\n0-9.eEx{}[]:; "[..])), 1..12)) {
        for format in formats() {
            let mut file = seed(format).into_bytes();
            for (at, byte) in &changes {
                let at = usize::from(*at) % file.len();
                file[at] = *byte;
            }
            if let Ok(import) = bytes(format, &file) {
                accounted(&import.report);
            }
        }
    }
}
