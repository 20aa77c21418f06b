//! The JSON of a comparison, schema `synergy-comparison/1`.

use super::{BoundRecord, Comparison, MechanismRecord, PlacementRecord};
use serde_json::{Map, Value, json};
use synergy_solver::status::Effort;

/// Schema of the JSON.
const SCHEMA: &str = "synergy-comparison/1";

/// Bounds that every gap has a key for, whether they were computed or not.
const GAP_KEYS: [&str; 3] = ["lp", "ilp", "lp-skip"];

/// One comparison as JSON. Numbers that are not known are null.
pub fn to_json(comparison: &Comparison) -> Value {
    let instance = &comparison.instance;
    let bounds: Map<_, _> = comparison.bounds.iter().map(|b| (b.name.clone(), bound(b))).collect();
    let placements: Map<_, _> =
        comparison.placements.iter().map(|p| (p.name.clone(), placement(p))).collect();
    let mechanisms: Map<_, _> =
        comparison.mechanisms.iter().map(|m| (m.name.clone(), mechanism(m))).collect();
    json!({
        "schema": SCHEMA,
        "instance": {
            "name": instance.name,
            "jobs": instance.jobs,
            "gpus": instance.gpus,
            "requested_gpus": instance.requested_gpus,
        },
        "bounds": bounds,
        "placements": placements,
        "mechanisms": mechanisms,
    })
}

fn bound(record: &BoundRecord) -> Value {
    let result = &record.result;
    let mut value = Map::new();
    let mut put = |key: &str, number: Value| value.insert(key.into(), number);
    put("value", json!(result.value));
    if result.trusted {
        put("incumbent", json!(result.incumbent));
    }
    put("certified", json!(result.certified));
    if result.trusted {
        put("trusted", json!(true));
    }
    put("status", json!(result.status.name()));
    put("seconds", json!(record.seconds));
    if !result.trusted {
        let prices = result.shadow_prices;
        let (cpus, memory_gb) = (prices.map(|p| p.cpus()), prices.map(|p| p.memory_gb()));
        put("shadow_prices", json!({ "cpus": cpus, "memory_gb": memory_gb }));
    }
    if let Some(method) = result.method {
        value.insert("method".into(), json!(method.name()));
    }
    search(&mut value, result.effort, result.note.as_deref());
    Value::Object(value)
}

fn placement(record: &PlacementRecord) -> Value {
    let mut value = Map::new();
    let mut put = |key: &str, number: Value| value.insert(key.into(), number);
    put("fragmented", json!(record.fragmented));
    put("pieces", json!(record.pieces));
    put("limit", json!(record.limit));
    put("bound", json!(record.bound));
    put("gap", json!(record.gap));
    put("status", json!(record.status.name()));
    put("seconds", json!(record.seconds));
    search(&mut value, None, record.message.as_deref());
    Value::Object(value)
}

fn mechanism(record: &MechanismRecord) -> Value {
    let checked = record.checked;
    let mut gaps: Map<String, Value> = GAP_KEYS.iter().map(|key| (key.to_string(), Value::Null)).collect();
    gaps.extend(record.gaps.iter().map(|(bound, gap)| (bound.clone(), json!(gap))));
    let mut value = Map::new();
    let mut put = |key: &str, number: Value| value.insert(key.into(), number);
    put("status", json!(record.status.name()));
    put("value", json!(checked.map(|c| c.value)));
    put("value_per_job", json!(checked.and_then(|c| c.value_per_job)));
    put("valid", json!(checked.map(|c| c.verdicts.valid)));
    put("consolidated", json!(checked.map(|c| c.verdicts.consolidated)));
    put("fair", json!(checked.map(|c| c.verdicts.fair)));
    put("complete", json!(checked.map(|c| c.verdicts.complete)));
    put("placed", json!(checked.map(|c| c.placed)));
    put("skipped", json!(checked.map(|c| c.skipped)));
    put("gpus_idle", checked.map_or(Value::Null, |c| whole(c.gpus_idle)));
    put("reverted", json!(checked.map(|c| c.reverted)));
    put("fragmented", json!(checked.map(|c| c.fragmented)));
    put("seconds", json!(record.seconds));
    put("gap", Value::Object(gaps));
    if record.bound.is_some() {
        put("bound", json!(record.bound));
        put("certified_gap", json!(record.certified_gap));
    }
    search(&mut value, record.effort, record.message.as_deref());
    Value::Object(value)
}

/// What a search did and what there is to say, where there is anything.
fn search(value: &mut Map<String, Value>, effort: Option<Effort>, message: Option<&str>) {
    if let Some(Effort { rounds, columns, nodes }) = effort {
        value.insert("effort".into(), json!({ "rounds": rounds, "columns": columns, "nodes": nodes }));
    }
    if let Some(message) = message {
        value.insert("message".into(), json!(message));
    }
}

/// A count that is a real number only in fractional allocations.
fn whole(number: f64) -> Value {
    if number.fract() == 0.0 { json!(number as i64) } else { json!(number) }
}
