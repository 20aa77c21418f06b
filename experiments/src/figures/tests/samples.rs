//! Small synthetic data for every figure.

use crate::figures::data::{Data, Value};
use crate::figures::find;

/// Names of series: known ones first. Long ones are wider than a column.
pub fn names(count: usize, long: bool) -> Vec<String> {
    let known = ["proportional", "tune", "greedy", "opt-deployable"];
    (0..count)
        .map(|i| match known.get(i) {
            Some(name) if !long => (*name).to_string(),
            _ if long => {
                format!("mechanism-{i}[alpha=0.{i}, a-parameter-with-a-long-name=12345, another=67890]")
            }
            _ => format!("other-{i}"),
        })
        .collect()
}

fn v(value: impl Into<Value>) -> Value {
    value.into()
}

/// Appends the rows of a panel and a series, which has a name and a number.
type RowOf<'a> = Box<dyn Fn(&mut Data, &str, &str, f64) + 'a>;

/// Data of the figure with these series; `wide` has more panels and groups, with longer names.
pub fn sample(figure: &str, series: &[String], wide: bool) -> Data {
    let mut data = Data::new(find(figure).unwrap().columns);
    let groups: Vec<String> = if wide {
        (0..7).map(|g| format!("single-GPU, {} CPUs/GPU, a parameter with a long name {g}", g + 3)).collect()
    } else {
        vec!["single-GPU".into(), "multi-GPU".into()]
    };
    let panels: Vec<&str> = if wide {
        vec!["fifo, 8 jobs/h", "las with a long name that goes on and on, 8 jobs/h"]
    } else {
        vec![""]
    };
    let each = |row: RowOf<'_>, data: &mut Data| {
        for panel in &panels {
            for (m, name) in series.iter().enumerate() {
                row(data, panel, name, m as f64);
            }
        }
    };
    let curve = |k: usize| (k as f64 + 1.0) / 20.0;
    match figure {
        "gaps" => {
            for group in &groups {
                for (m, name) in series.iter().enumerate() {
                    let mean = 25.0 / (m as f64 + 1.0) - 1e-9;
                    data.push([
                        v(group),
                        v(name),
                        v(mean),
                        v(mean - 1.0),
                        v(mean + 1.5),
                        v(20usize),
                        v("best"),
                    ]);
                }
            }
        }
        "gap-cdf" | "gap-profile" => each(
            Box::new(|data, panel, name, m| {
                for k in 0..20 {
                    data.push([v(panel), v("best"), v(name), v(m + curve(k) * 9.0), v(curve(k)), v(20usize)]);
                }
            }),
            &mut data,
        ),
        "gap-decomposition" => each(
            Box::new(|data, panel, name, m| {
                for (part, mean) in [("heuristic", 20.0 - 3.0 * m), ("unproved", 0.5), ("server walls", 3.0)]
                {
                    data.push([
                        v(panel),
                        v(name),
                        v(part),
                        v(mean),
                        v(mean - 0.1),
                        v(mean + 0.1),
                        v(20usize),
                    ]);
                }
            }),
            &mut data,
        ),
        "performance-profile" => each(
            Box::new(|data, panel, name, m| {
                for k in 0..20 {
                    data.push([
                        v(panel),
                        v(name),
                        v(1.0 + 0.02 * m + 0.01 * k as f64),
                        v(curve(k)),
                        v(20usize),
                    ]);
                }
            }),
            &mut data,
        ),
        "scatter" => each(
            Box::new(|data, panel, name, m| {
                for k in 0..20 {
                    let x = 1.1 + 0.01 * k as f64;
                    data.push([v(panel), v("tune"), v(name), v(format!("u{k}")), v(x), v(x + 0.02 * m)]);
                }
            }),
            &mut data,
        ),
        "scaling" => {
            for (panel, start) in [("median solve time (s)", 1e-6), ("mean fragmented jobs", 2.0)] {
                for (m, name) in series.iter().enumerate() {
                    for gpus in [128.0, 1024.0, 10_000.0, 100_000.0f64] {
                        let value = start * gpus.powf(1.0 + 0.02 * m as f64);
                        data.push([v(panel), v(name), v("bound"), v(gpus), v(5usize), v(value), v(1.0)]);
                    }
                }
            }
        }
        "bars" => {
            for group in &groups {
                for (m, name) in series.iter().enumerate() {
                    let mean = 80.0 / (m as f64 + 1.0);
                    data.push([
                        v("mean JCT (h)"),
                        v("95 % interval of the mean over seeds (Student's t)"),
                        v(group),
                        v(name),
                        v(mean),
                        v(mean - 2.0),
                        v(mean + 2.0),
                        v(3usize),
                    ]);
                }
            }
        }
        "jct-cdf" => each(
            Box::new(|data, panel, name, m| {
                for (class, hours) in [("short jobs (< 4 h)", 0.3), ("long jobs (≥ 4 h)", 5.0)] {
                    for k in 0..20 {
                        let jct = hours * (1.0 + 0.1 * m) * 1.3f64.powi(k as i32);
                        let share = curve(k) * 0.97;
                        data.push([v(panel), v(class), v(name), v(jct), v(share), v(20usize), v(1usize)]);
                    }
                }
            }),
            &mut data,
        ),
        "jct-load" => each(
            Box::new(|data, panel, name, m| {
                for load in [5.0, 6.5, 8.0, 9.0] {
                    let mean = 14.0 + 3.0 * m + load;
                    let over = load > 8.0;
                    data.push([
                        v(panel),
                        v(name),
                        v(load),
                        v(3usize),
                        v(mean),
                        v(mean - 1.0),
                        v(mean + 1.0),
                        v(over),
                    ]);
                }
            }),
            &mut data,
        ),
        "speedup-load" => each(
            Box::new(|data, panel, name, m| {
                for load in [5.0, 6.5, 8.0, 9.0] {
                    let mean = 1.0 + 0.1 * m + 0.05 * load;
                    data.push([
                        v(panel),
                        v("proportional"),
                        v(name),
                        v(load),
                        v(3usize),
                        v(mean),
                        v(mean - 0.1),
                        v(mean + 0.1),
                        v(load > 8.0),
                    ]);
                }
            }),
            &mut data,
        ),
        "utilisation" => each(
            Box::new(|data, panel, name, m| {
                for resource in ["GPUs held", "CPUs held", "CPUs needed", "memory held", "memory needed"] {
                    for k in 0..20 {
                        let share = 0.9 - 0.04 * m - 0.01 * k as f64;
                        data.push([v(panel), v(resource), v(name), v(8.0 * k as f64), v(share)]);
                    }
                }
            }),
            &mut data,
        ),
        "sensitivity" => {
            for (m, name) in series.iter().enumerate() {
                for c in 1..=9 {
                    for memory in [20.83, 62.5, 125.0, 187.5, 250.0] {
                        let value = 0.1 + 0.11 * f64::from(c) + memory / 1000.0 + m as f64;
                        data.push([v(name), v(f64::from(c)), v(memory), v(value)]);
                    }
                }
            }
        }
        "profiler" => {
            for model in ["resnet50", "transformer", "a model with quite a long name indeed"] {
                for (m, name) in series.iter().enumerate() {
                    let minutes = 240.0 / 3f64.powi(m as i32);
                    data.push([v(model), v(name), v(9usize), v(minutes), v(m as f64), v(2.0), v(99.0)]);
                }
            }
        }
        "profile-error" => {
            for method in ["full-grid", "cpu-axis", "binary-search"] {
                for noise in [0.0, 5.0, 10.0] {
                    for (m, name) in series.iter().enumerate() {
                        let lost = noise + m as f64 - 0.5;
                        data.push([
                            v(method),
                            v(noise),
                            v(name),
                            v(lost),
                            v(lost - 1.0),
                            v(lost + 1.0),
                            v(20usize),
                        ]);
                    }
                }
            }
        }
        "cluster-map" => {
            let servers = if wide { 100 } else { 6 };
            for (resource, capacity) in [("GPUs", 8.0), ("CPUs", 24.0), ("memory (GB)", 500.0)] {
                for server in 0..servers {
                    for k in 0..4usize {
                        let name = &series[(server + k) % series.len()];
                        let (from, to) = (capacity * k as f64 / 5.0, capacity * (k + 1) as f64 / 5.0);
                        let job = format!("job-{server}-{k}");
                        data.push([v(resource), v(server), v(capacity), v(job), v(name), v(from), v(to)]);
                    }
                }
            }
        }
        "trace-demand" => {
            for name in series {
                for k in 0..8 {
                    data.push([v(name), v(2f64.powi(k)), v(f64::from(k + 1) / 8.0)]);
                }
            }
        }
        "trace-duration" | "trace-queueing" => {
            for name in series {
                for k in 0..20 {
                    data.push([v(name), v(0.5 * 2f64.powi(k as i32)), v(curve(k)), v(20usize)]);
                }
            }
        }
        "trace-sizes" => {
            for name in series {
                for size in ["1", "2-4", "5-8", "more than 8"] {
                    data.push([v(name), v(size), v(12.5), v(1000usize)]);
                }
            }
        }
        "trace-load" => {
            for measure in ["jobs per hour", "GPUs to keep busy"] {
                for k in 0..20 {
                    let from = f64::from(k) * 3.0;
                    data.push([v(measure), v(from), v(from + 3.0), v(100.0 + 7.0 * from)]);
                }
            }
        }
        other => panic!("no sample of {other}"),
    }
    data
}
