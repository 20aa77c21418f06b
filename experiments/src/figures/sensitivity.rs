//! Sensitivity matrices as heat maps with their numbers.

use super::data::Data;
use super::layout::{plain, ramp};
use super::scale::{Scale, number};
use super::sheet::{Axis, Key, Mark, Panel, Sheet, Swatch};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::error::{InputError, suggestion};
use crate::files::{instance, read_text};
use crate::profiles;
use crate::workload::parse_profiles;
use std::path::PathBuf;
use std::sync::Arc;
use synergy_solver::model::{Profile, Rules};

pub static FIGURE: Figure = Figure {
    name: "sensitivity",
    shows: "sensitivity matrices: throughput at every number of CPUs and amount of memory per GPU",
    from: "a profile CSV or JSON, an instance, or nothing for the built-in profiles",
    columns: &["model", "cpus_per_gpu", "memory_gb_per_gpu", "throughput"],
    data,
    draw,
};

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let place = inputs.first().map_or("built-in profiles".to_string(), |path| path.display().to_string());
    let profiles = match inputs {
        [] => profiles::builtin().iter().map(|model| Arc::clone(&model.profile)).collect(),
        [file] => read(&file.display().to_string())?,
        _ => return Err(FigureError::data("inputs", "give one file of profiles, or one instance")),
    };
    let known = || profiles.iter().map(|profile| profile.name());
    let mut wanted: Vec<&Profile> = Vec::new();
    for name in &options.mechanisms {
        let found = profiles.iter().find(|profile| profile.name() == name);
        let missing =
            || FigureError::data(&place, format_args!("no model {name:?}{}", suggestion(name, known())));
        wanted.push(found.ok_or_else(missing)?);
    }
    if wanted.is_empty() {
        wanted = profiles.iter().map(Arc::as_ref).collect();
    }
    let mut data = Data::new(FIGURE.columns);
    for profile in wanted {
        for ((c, m), throughput) in profile.throughput().indexed_iter() {
            data.push([
                profile.name().into(),
                profile.cpus_per_gpu()[c].into(),
                profile.memory_gb_per_gpu()[m].into(),
                (*throughput).into(),
            ]);
        }
    }
    Ok(data.into())
}

/// Profiles of a file: those of an instance's jobs, or a table of profiles.
fn read(file: &str) -> Result<Vec<Arc<Profile>>, FigureError> {
    let text = read_text(file)?;
    if text.contains(instance::SCHEMA) {
        let instance = instance::from_text(file, &text, Rules::default())?;
        let mut profiles: Vec<Arc<Profile>> = Vec::new();
        for class in instance.classes() {
            if !profiles.iter().any(|known| known.name() == class.profile.name()) {
                profiles.push(Arc::clone(&class.profile));
            }
        }
        return Ok(profiles);
    }
    let models = parse_profiles(&text, false).map_err(|e| InputError::whole(file, e))?;
    Ok(models.models().iter().map(|model| Arc::clone(&model.profile)).collect())
}

fn draw(data: &Data, _style: &Style) -> Sheet {
    let all = data.numbers("throughput");
    let high = all.iter().copied().fold(0.0, f64::max);
    let low = all.iter().copied().fold(high, f64::min);
    let span = if high > low { high - low } else { 1.0 };
    let models = data.distinct("model");
    let mut panels = Vec::new();
    let mut tallest = 0;
    for model in &models {
        let rows = data.matching(&[("model", model)]);
        let axis = |column: &str| {
            let mut points: Vec<f64> = rows.iter().filter_map(|&row| data.number(row, column)).collect();
            points.sort_by(f64::total_cmp);
            points.dedup();
            points
        };
        let (cpus, memory) = (axis("cpus_per_gpu"), axis("memory_gb_per_gpu"));
        tallest = tallest.max(cpus.len());
        let names = |points: &[f64]| points.iter().map(|&point| amount(point)).collect::<Vec<_>>();
        let mut upwards = names(&cpus);
        upwards.reverse();
        let x = Axis::new("memory per GPU (GB)", Scale::Bands(names(&memory)));
        let mut panel = Panel::new(model, x, Axis::new("CPUs per GPU", Scale::Bands(upwards)));
        panel.grid = false;
        for row in rows {
            let (Some(c), Some(m), Some(value)) = (
                data.number(row, "cpus_per_gpu"),
                data.number(row, "memory_gb_per_gpu"),
                data.number(row, "throughput"),
            ) else {
                continue;
            };
            let place = |points: &[f64], value: f64| points.iter().position(|p| p.total_cmp(&value).is_eq());
            let (Some(c), Some(m)) = (place(&cpus, c), place(&memory, m)) else { continue };
            let (x, y) = (m as f64, (cpus.len() - 1 - c) as f64);
            panel.marks.push(Mark::Area {
                from: (x, y),
                to: (x + 1.0, y + 1.0),
                fill: plain(ramp((value - low) / span)),
                text: number(value, if high >= 100.0 { 0 } else { 2 }),
            });
        }
        panels.push(panel);
    }
    let key = Key::new(
        format!("throughput, {} (light) to {} (dark)", number(low, 2), number(high, 2)),
        Swatch::Ramp,
    );
    Sheet {
        key: vec![key],
        panels,
        across: 3,
        least_width: 160.0,
        panel_height: 10.5 * tallest.max(4) as f64,
        wide: models.len() > 2,
        ..Sheet::default()
    }
}

/// An amount with as many decimals as it has, two at most.
fn amount(value: f64) -> String {
    let text = number(value, 2);
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}
