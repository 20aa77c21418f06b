//! The kit's findings as text, JSON (schema `synergy-conformance/1`) and JUnit.

use super::{Case, Conformance, Failure, Measures, Verdicted};
use crate::files::{Format, instance};
use serde_json::{Value, json};
use synergy_solver::model::{Objective, ThroughputRule};

/// For reading.
pub fn to_text(found: &Conformance) -> String {
    let mut text =
        format!("{}: {}\n", found.mechanism, if found.passed() { "conforms" } else { "does not conform" });
    for (property, verdict) in &found.properties {
        let (mark, rest) = match verdict {
            Verdicted::Passed(cases) => ("pass", format!("{} ({cases} instances)", property.meaning())),
            Verdicted::NotPromised => ("-", format!("{} (not promised)", property.meaning())),
            Verdicted::Failed(failure) => ("FAIL", failure.why.clone()),
        };
        text += &format!("  {mark:<5} {:<22} {rest}\n", property.name());
        if let Verdicted::Failed(failure) = verdict {
            let (jobs, servers) = size(&failure.smallest);
            text += &format!(
                "        first broken by {}; smallest instance: {jobs} jobs, {servers} servers",
                failure.first
            );
            text += &format!("{}\n        {}\n", flags(&failure.smallest), instance_value(&failure.smallest));
        }
    }
    if let Some(measures) = &found.measures {
        text += &measures_text(measures);
    }
    text
}

fn measures_text(measures: &Measures) -> String {
    let percent = |x: f64| format!("{:.2} %", 100.0 * x);
    let mut text = String::from("  measured, no promise:\n");
    if let Some(gap) = &measures.gap {
        text += &format!(
            "    gap to the best bound   mean {}, worst {} on {} instances of 128 GPUs; tune {}\n",
            percent(gap.mean),
            percent(gap.worst),
            gap.instances,
            percent(gap.tune_mean)
        );
        if let Some(closed) = gap.closed() {
            text += &format!("    of tune's gap it closes {}\n", percent(closed));
        }
    }
    let times = measures.timings.iter().map(|t| format!("{} GPUs {:.3} ms", t.gpus, 1e3 * t.seconds));
    text += &format!("    median time             {}\n", times.collect::<Vec<_>>().join(", "));
    if let Some(growth) = measures.growth {
        text += &format!("    time grows as           GPUs^{growth:.2}\n");
    }
    text += &format!(
        "    one more CPU per GPU    costs throughput on {} of {} instances, at most {}\n",
        measures.hurt_by_more_cpus,
        measures.instances,
        percent(measures.worst_loss)
    );
    text + &format!(
        "    shuffled policy order   changes the value by at most {}\n",
        percent(measures.order_spread)
    )
}

fn size(case: &Case) -> (usize, usize) {
    (case.jobs.len(), case.groups.iter().map(|group| group.count).sum())
}

/// Flags that the instance needs to be read as it was.
fn flags(case: &Case) -> String {
    let mut flags = String::new();
    if case.rules.throughput == ThroughputRule::Bilinear {
        flags += " --throughput bilinear";
    }
    if case.rules.objective == Objective::Gpus {
        flags += " --objective gpus";
    }
    if case.rules.whole_cpus {
        flags += " --whole-cpus";
    }
    if flags.is_empty() { flags } else { format!("; with{flags}") }
}

/// The case as an instance file.
pub fn instance_text(case: &Case) -> Option<String> {
    instance::to_text(&case.instance()?, Format::Json).ok()
}

fn instance_value(case: &Case) -> Value {
    instance_text(case).and_then(|text| serde_json::from_str(&text).ok()).unwrap_or(Value::Null)
}

/// Schema `synergy-conformance/1`. Unknown numbers are null.
pub fn to_json(found: &Conformance) -> Value {
    let failure = |f: &Failure| {
        json!({
            "why": f.why,
            "first": f.first,
            "flags": flags(&f.smallest).trim_start_matches("; with").trim(),
            "instance": instance_value(&f.smallest),
        })
    };
    let property = |(property, verdict): &(super::Property, Verdicted)| {
        let (status, cases, failure) = match verdict {
            Verdicted::Passed(cases) => ("pass", Some(*cases), None),
            Verdicted::NotPromised => ("not-promised", None, None),
            Verdicted::Failed(f) => ("fail", None, Some(failure(f))),
        };
        json!({ "name": property.name(), "status": status, "instances": cases, "failure": failure })
    };
    json!({
        "schema": "synergy-conformance/1",
        "mechanism": found.mechanism,
        "passed": found.passed(),
        "properties": found.properties.iter().map(property).collect::<Vec<_>>(),
        "measures": found.measures.as_ref().map(measures_json),
    })
}

fn measures_json(m: &Measures) -> Value {
    let gap = m.gap.as_ref().map(|gap| {
        json!({
            "instances": gap.instances,
            "mean": gap.mean,
            "worst": gap.worst,
            "tune_mean": gap.tune_mean,
            "closed_of_tune": gap.closed(),
        })
    });
    let timing = |t: &super::Timing| json!({ "gpus": t.gpus, "jobs": t.jobs, "seconds": t.seconds });
    json!({
        "gap": gap,
        "timings": m.timings.iter().map(timing).collect::<Vec<_>>(),
        "growth_exponent": m.growth,
        "hurt_by_more_cpus": m.hurt_by_more_cpus,
        "worst_loss": m.worst_loss,
        "order_spread": m.order_spread,
        "instances": m.instances,
    })
}

/// JUnit XML: one test suite, one test case per property.
pub fn to_junit(found: &Conformance) -> String {
    let count = |wanted: fn(&Verdicted) -> bool| found.properties.iter().filter(|(_, v)| wanted(v)).count();
    let failures = count(|v| matches!(v, Verdicted::Failed(_)));
    let skipped = count(|v| matches!(v, Verdicted::NotPromised));
    let suite = escaped(&format!("synergy conformance {}", found.mechanism));
    let mut xml = String::from("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n");
    xml += &format!(
        "<testsuite name=\"{suite}\" tests=\"{}\" failures=\"{failures}\" errors=\"0\" skipped=\"{skipped}\">\n",
        found.properties.len()
    );
    for (property, verdict) in &found.properties {
        let open = format!("  <testcase classname=\"{suite}\" name=\"{}\"", property.name());
        xml += &match verdict {
            Verdicted::Passed(_) => format!("{open}/>\n"),
            Verdicted::NotPromised => format!("{open}><skipped message=\"not promised\"/></testcase>\n"),
            Verdicted::Failed(f) => format!(
                "{open}><failure message=\"{}\">{}</failure></testcase>\n",
                escaped(&f.why),
                escaped(&format!("{}{}", instance_value(&f.smallest), flags(&f.smallest)))
            ),
        };
    }
    xml + "</testsuite>\n"
}

/// Text inside XML; characters that XML does not allow are left out.
fn escaped(text: &str) -> String {
    let allowed = text.chars().filter(|&c| c >= ' ' || c == '\t' || c == '\n');
    let mut escaped = String::with_capacity(text.len());
    for c in allowed {
        match c {
            '&' => escaped += "&amp;",
            '<' => escaped += "&lt;",
            '>' => escaped += "&gt;",
            '"' => escaped += "&quot;",
            c => escaped.push(c),
        }
    }
    escaped
}
