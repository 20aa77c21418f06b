//! One allocation: servers as columns, jobs as blocks of their GPUs, CPUs and memory.

use super::data::Data;
use super::scale::Scale;
use super::series::Series;
use super::sheet::{Axis, Key, Mark, Panel, Sheet, Swatch};
use super::style::Style;
use super::{Collected, Figure, FigureError, Options};
use crate::files::{allocation, instance};
use std::path::PathBuf;
use synergy_solver::model::Rules;

pub static FIGURE: Figure = Figure {
    name: "cluster-map",
    shows: "one allocation: servers as columns, jobs as blocks in GPUs, CPUs and memory, coloured by profile",
    from: "an instance and an allocation",
    columns: &["resource", "server", "capacity", "job", "profile", "from", "to"],
    data,
    draw,
};

/// Columns narrower than this cannot be told apart.
const MOST_SERVERS: usize = 128;
const RESOURCES: [&str; 3] = ["GPUs", "CPUs", "memory (GB)"];

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let [instance_file, allocation_file] = inputs else {
        return Err(FigureError::data("inputs", "give an instance and an allocation of it, in this order"));
    };
    let instance = instance::read(&instance_file.display().to_string(), Rules::default())?;
    let allocation = allocation::read(&allocation_file.display().to_string(), &instance)?;
    let cluster = instance.cluster();
    let servers = options.servers.clone().unwrap_or(0..cluster.servers());
    if servers.is_empty() || servers.end > cluster.servers() {
        let message =
            format!("servers {}..{}: they are numbered 0..{}", servers.start, servers.end, cluster.servers());
        return Err(FigureError::data(instance_file.display(), message));
    }
    if servers.len() > MOST_SERVERS {
        let message =
            format!("{} servers; a map shows {MOST_SERVERS} at most: give --servers 0..64", servers.len());
        return Err(FigureError::data(instance_file.display(), message));
    }
    let mut data = Data::new(FIGURE.columns);
    let mut drawn = false;
    for (kind, resource) in RESOURCES.iter().enumerate() {
        for server in servers.clone() {
            let group = cluster.server(server);
            let capacity = [f64::from(group.gpus), group.capacity.cpus(), group.capacity.memory_gb()][kind];
            let mut level = 0.0;
            let mut empty = true;
            for allocated in &allocation.jobs {
                for part in allocated.parts.iter().filter(|part| part.server == server) {
                    let amount = [part.gpus, part.amounts.cpus(), part.amounts.memory_gb()][kind];
                    data.push([
                        (*resource).into(),
                        server.into(),
                        capacity.into(),
                        (&instance.jobs()[allocated.job].id).into(),
                        instance.class_of(allocated.job).profile.name().into(),
                        level.into(),
                        (level + amount).into(),
                    ]);
                    level += amount;
                    (empty, drawn) = (false, true);
                }
            }
            if empty {
                let none = || Option::<f64>::None.into();
                data.push([
                    (*resource).into(),
                    server.into(),
                    capacity.into(),
                    "".into(),
                    "".into(),
                    none(),
                    none(),
                ]);
            }
        }
    }
    if !drawn {
        return Err(FigureError::data(allocation_file.display(), "no job runs on these servers"));
    }
    Ok(data.into())
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let profiles: Vec<String> =
        data.distinct("profile").into_iter().filter(|name| !name.is_empty()).collect();
    let series = Series::new(profiles, style);
    let servers = data.distinct("server");
    let x = Axis::new("server", Scale::Bands(servers.clone()));
    let mut panels = Vec::new();
    for resource in RESOURCES {
        let rows = data.matching(&[("resource", resource)]);
        let most = |column: &str| rows.iter().filter_map(|&row| data.number(row, column)).fold(0.0, f64::max);
        // An allocation that is not valid may reach above.
        let high = most("capacity").max(most("to")).max(f64::MIN_POSITIVE);
        let mut panel = Panel::new("", x.clone(), Axis::new(resource, Scale::Linear { low: 0.0, high }));
        panel.grid = false;
        for &row in &rows {
            let place =
                servers.iter().position(|server| server == data.text(row, "server")).unwrap_or_default();
            let left = place as f64;
            let profile = series.iter().position(|(name, _)| name == data.text(row, "profile"));
            if let (Some(profile), Some(from), Some(to)) =
                (profile, data.number(row, "from"), data.number(row, "to"))
            {
                panel.marks.push(Mark::Area {
                    from: (left + 0.06, from),
                    to: (left + 0.94, to),
                    fill: series.look(profile).into(),
                    text: String::new(),
                });
            }
            if let Some(capacity) = data.number(row, "capacity").filter(|capacity| *capacity < high) {
                panel.marks.push(Mark::Rule { from: (left, capacity), to: (left + 1.0, capacity) });
            }
        }
        panels.push(panel);
    }
    let key = series.iter().map(|(name, look)| Key::new(style.name(name), Swatch::Area(look.into())));
    Sheet {
        key: key.collect(),
        panels,
        across: 1,
        panel_height: 72.0,
        wide: servers.len() > 32,
        ..Sheet::default()
    }
}
