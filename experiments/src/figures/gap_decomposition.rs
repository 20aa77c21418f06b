//! Where the gap of each mechanism to the super-machine bound comes from.

use super::data::Data;
use super::inputs::{Study, in_order, natural, with_unit};
use super::scale::Scale;
use super::sheet::{Axis, Fill, Key, Mark, Panel, Sheet, Swatch};
use super::style::{COLOURS, Hatch, Style};
use super::{Collected, Figure, FigureError, Options};
use crate::statistics::summary::summarise;
use std::path::PathBuf;

pub static FIGURE: Figure = Figure {
    name: "gap-decomposition",
    shows: "gap to the super-machine LP in parts: server walls, unproved, heuristic (needs the bound lp; config and opt-deployable refine it)",
    from: "a study",
    columns: &["panel", "mechanism", "part", "mean_percent", "low_percent", "high_percent", "n"],
    data,
    draw,
};

/// Parts from the bound down, with their fills.
const PARTS: [(&str, Fill); 3] = [
    ("heuristic", Fill { colour: COLOURS[2], hatch: Hatch::Plain }),
    ("unproved", Fill { colour: COLOURS[5], hatch: Hatch::Rising }),
    ("server walls", Fill { colour: COLOURS[6], hatch: Hatch::Crossed }),
];

fn data(inputs: &[PathBuf], options: &Options) -> Result<Collected, FigureError> {
    let study = Study::read(inputs, options)?;
    // Filters are axes of the summary too; the groups that they do not accept are left out.
    let filters = options.only.iter().map(|(name, _)| name).filter(|name| !options.by.contains(name));
    let axes: Vec<String> = in_order(options.by.iter().chain(filters).map(String::as_str));
    for (name, values) in &options.only {
        if values.len() > 1 && !options.by.contains(name) {
            let message = format!("several values of {name} need panels of their own: --by {name}");
            return Err(study.fault(message));
        }
    }
    let summary = summarise(&study.results, &study.directory, &axes, "tune").map_err(|e| study.fault(e))?;
    let accepted = |labels: &[String]| {
        axes.iter().zip(labels).all(|(axis, label)| {
            options.only.iter().all(|(name, values)| name != axis || values.contains(label))
        })
    };
    let mut data = Data::new(FIGURE.columns);
    for group in summary.groups.iter().filter(|group| accepted(&group.labels)) {
        let part = |(name, label): (&String, &String)| with_unit(name, label);
        let panel: Vec<String> = options.by.iter().zip(&group.labels).map(part).collect();
        let panel = panel.join(", ");
        for &m in &study.mechanisms {
            let Some(parts) = group.decomposition.iter().find(|parts| parts.mechanism == study.name(m))
            else {
                continue;
            };
            let known = [
                ("heuristic", Some(parts.heuristic)),
                ("unproved", parts.unproved),
                ("server walls", Some(parts.walls)),
            ];
            for (part, interval) in known {
                let Some(interval) = interval else { continue };
                data.push([
                    (&panel).into(),
                    (&parts.mechanism).into(),
                    part.into(),
                    (100.0 * interval.mean).into(),
                    (100.0 * interval.low).into(),
                    (100.0 * interval.high).into(),
                    parts.n.into(),
                ]);
            }
        }
    }
    if data.rows() == 0 {
        return Err(study.fault(
            "no gap can be taken apart: that needs the bound lp and a fair and complete allocation of the same unit",
        ));
    }
    Ok(data.into())
}

fn draw(data: &Data, style: &Style) -> Sheet {
    let mechanisms = data.distinct("mechanism");
    let headings = data.distinct("panel");
    let mut stacks: Vec<(usize, usize, f64, f64, Fill)> = Vec::new();
    for (p, heading) in headings.iter().enumerate() {
        for (m, mechanism) in mechanisms.iter().enumerate() {
            let (mut above, mut below) = (0.0, 0.0);
            for (part, fill) in PARTS {
                for row in data.matching(&[("panel", heading), ("mechanism", mechanism), ("part", part)]) {
                    let Some(mean) = data.number(row, "mean_percent") else { continue };
                    let base = if mean < 0.0 { &mut below } else { &mut above };
                    stacks.push((p, m, *base, *base + mean, fill));
                    *base += mean;
                }
            }
        }
    }
    let scale = Scale::from_zero(stacks.iter().flat_map(|(_, _, from, to, _)| [*from, *to]));
    let names: Vec<String> = mechanisms.iter().map(|name| style.name(name).to_string()).collect();
    let panels = headings.iter().enumerate().map(|(p, heading)| {
        let x = Axis::new("share of the bound lp (%)", scale.clone());
        let mut panel = Panel::new(heading, x, Axis::new("", Scale::Bands(names.clone())));
        for (_, m, from, to, fill) in stacks.iter().filter(|stack| stack.0 == p) {
            let y = *m as f64;
            panel.marks.push(Mark::Area {
                from: (*from, y + 0.18),
                to: (*to, y + 0.82),
                fill: *fill,
                text: String::new(),
            });
        }
        panel
    });
    let drawn = natural(data.distinct("part"));
    let known = PARTS.iter().filter(|(part, _)| drawn.iter().any(|name| name == part));
    Sheet {
        key: known.map(|(part, fill)| Key::new(*part, Swatch::Area(*fill))).collect(),
        panels: panels.collect(),
        across: 3,
        least_width: 160.0,
        panel_height: 14.0 * mechanisms.len().max(3) as f64,
        wide: headings.len() > 4,
        ..Sheet::default()
    }
}
