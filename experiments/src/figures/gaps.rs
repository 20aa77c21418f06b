//! Gap chart: mean gap of every mechanism with its 95 % interval, by group of instances.

use super::FigureError;
use super::render::{COLOURS, COLUMN_PT, FONT, PAGE_PT, SCALE, TEXT_PT, draw, font_size, save};
use crate::files::write_file;
use crate::statistics::summary::Summary;
use plotters::chart::ChartBuilder;
use plotters::coord::Shift;
use plotters::drawing::DrawingArea;
use plotters::element::{Circle, Cross, PathElement, Polygon, Rectangle, Text, TriangleMarker};
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use std::path::Path;

/// One point of the chart.
#[derive(Debug, Clone, PartialEq)]
pub struct GapPoint {
    /// Group of instances, such as `multi, 3`.
    pub group: String,
    /// Mechanism.
    pub mechanism: String,
    /// Mean gap in per cent.
    pub mean_percent: f64,
    /// Lower end of its interval.
    pub low_percent: f64,
    /// Upper end of its interval.
    pub high_percent: f64,
    /// Instances.
    pub n: usize,
}

/// The chart's data: gaps to the best bound that holds.
pub fn points(summary: &Summary) -> Vec<GapPoint> {
    let mut points = Vec::new();
    for group in &summary.groups {
        for gap in group.gaps.iter().filter(|gap| gap.bound == "best") {
            points.push(GapPoint {
                group: if group.labels.is_empty() { "all".into() } else { group.labels.join(", ") },
                mechanism: gap.mechanism.clone(),
                mean_percent: 100.0 * gap.mean.mean,
                low_percent: 100.0 * gap.mean.low,
                high_percent: 100.0 * gap.mean.high,
                n: gap.n,
            });
        }
    }
    points
}

/// Writes `STEM.csv`, and of it `STEM.svg`, `STEM.pdf` and `STEM.png`. `axis` says what groups are.
///
/// # Errors
/// A file that cannot be written.
pub fn write(points: &[GapPoint], axis: &str, stem: &Path) -> Result<(), FigureError> {
    let mut csv = String::from("group,mechanism,mean_percent,low_percent,high_percent,n\n");
    for p in points {
        csv += &format!(
            "\"{}\",{},{},{},{},{}\n",
            p.group, p.mechanism, p.mean_percent, p.low_percent, p.high_percent, p.n
        );
    }
    write_file(&stem.with_extension("csv"), csv.as_bytes())?;
    let fault = |e: DrawingAreaErrorKind<_>| FigureError::Drawing {
        path: stem.to_path_buf(),
        reason: format!("{e:?}"),
    };
    let groups = in_order(points.iter().map(|p| p.group.as_str()));
    // One column of a paper holds six groups side by side.
    let width = if groups.len() <= 6 { COLUMN_PT } else { PAGE_PT };
    let svg = draw((width, 170), |area| chart(area, points, &groups, axis)).map_err(fault)?;
    save(&svg, stem)
}

fn in_order<'a>(names: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut order = Vec::new();
    for name in names {
        if !order.contains(&name) {
            order.push(name);
        }
    }
    order
}

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;

/// Units of the drawing for a length in points.
fn pt(points: f64) -> i32 {
    (points * f64::from(SCALE)).round() as i32
}

fn chart(
    area: &Area<'_>,
    points: &[GapPoint],
    groups: &[&str],
    axis: &str,
) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    area.fill(&WHITE)?;
    let mechanisms = in_order(points.iter().map(|p| p.mechanism.as_str()));
    let text = (FONT, font_size(TEXT_PT)).into_font().color(&BLACK);
    // Legend above the plot, in as many rows as it takes.
    let (width, _) = area.dim_in_pixel();
    let entries: Vec<(i32, &str)> = mechanisms
        .iter()
        .map(|name| {
            (
                pt(14.0)
                    + area.estimate_text_size(name, &text).map_or(0, |(w, _)| w as i32) * 100 / 124
                    + pt(8.0),
                *name,
            )
        })
        .collect();
    let (mut x, mut row) = (pt(4.0), 0);
    for (index, (length, name)) in entries.iter().enumerate() {
        if x + length > width as i32 && x > pt(4.0) {
            (x, row) = (pt(4.0), row + 1);
        }
        let y = pt(7.0) + row * pt(10.0);
        marker(area, index, (x + pt(5.0), y))?;
        let style = text.pos(Pos::new(HPos::Left, VPos::Center));
        area.draw(&Text::new((*name).to_string(), (x + pt(12.0), y), style))?;
        x += length;
    }
    let legend_height = pt(7.0) + (row + 1) * pt(10.0);
    let (_, plot) = area.split_vertically(legend_height);

    let highest = points.iter().map(|p| p.high_percent).fold(0.0, f64::max);
    let lowest = points.iter().map(|p| p.low_percent).fold(0.0, f64::min);
    let top = if highest > 0.0 { highest * 1.08 } else { 1.0 };
    let bottom = if lowest < 0.0 { lowest * 1.08 } else { 0.0 };
    let mut chart = ChartBuilder::on(&plot)
        .margin_right(pt(4.0))
        .margin_top(pt(3.0))
        .x_label_area_size(pt(26.0))
        .y_label_area_size(pt(32.0))
        .build_cartesian_2d(0.0..groups.len() as f64, bottom..top)?;
    chart
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(225, 225, 225).stroke_width(SCALE / 2))
        .axis_style(BLACK.stroke_width(SCALE / 2))
        .y_labels(6)
        .x_labels(0)
        .y_label_formatter(&|y| format!("{}", (y * 100.0).round() / 100.0))
        .set_tick_mark_size(LabelAreaPosition::Left, pt(2.5))
        .y_desc("gap to best bound (%)")
        .x_desc(axis)
        .label_style(text.clone())
        .axis_desc_style(text.clone())
        .draw()?;
    for (g, group) in groups.iter().enumerate() {
        let left = g as f64;
        if g > 0 {
            let line = [(left, bottom), (left, top)];
            chart.draw_series([PathElement::new(line, RGBColor(200, 200, 200).stroke_width(SCALE / 2))])?;
        }
        // Group names lie below the plotting area, which would cut them off.
        let (x, y) = chart.backend_coord(&(left + 0.5, bottom));
        let style = text.pos(Pos::new(HPos::Center, VPos::Top));
        area.draw(&Text::new((*group).to_string(), (x, y + pt(3.0)), style))?;
        for (m, mechanism) in mechanisms.iter().enumerate() {
            let Some(p) = points.iter().find(|p| p.group == *group && p.mechanism == *mechanism) else {
                continue;
            };
            let at = left + (m as f64 + 1.0) / (mechanisms.len() as f64 + 1.0);
            let colour = COLOURS[m % COLOURS.len()];
            chart.draw_series([PathElement::new(
                [(at, p.low_percent), (at, p.high_percent)],
                colour.stroke_width(SCALE),
            )])?;
            let position = chart.backend_coord(&(at, p.mean_percent));
            marker(area, m, position)?;
        }
    }
    Ok(())
}

/// The marker of the mechanism with this index: colour and shape, so that grey print tells them apart.
fn marker(area: &Area<'_>, index: usize, at: (i32, i32)) -> Result<(), DrawingAreaErrorKind<std::io::Error>> {
    let colour = COLOURS[index % COLOURS.len()];
    let (r, thick) = (pt(2.4), colour.stroke_width(SCALE));
    let (x, y) = at;
    match index % 6 {
        0 => area.draw(&Circle::new(at, r, colour.filled())),
        1 => area.draw(&Rectangle::new([(x - r, y - r), (x + r, y + r)], colour.filled())),
        2 => area.draw(&TriangleMarker::new(at, r + pt(0.8), colour.filled())),
        3 => area.draw(&Polygon::new(
            vec![(x, y - r - pt(0.8)), (x + r + pt(0.8), y), (x, y + r + pt(0.8)), (x - r - pt(0.8), y)],
            colour.filled(),
        )),
        4 => area.draw(&Cross::new(at, r, thick)),
        _ => area.draw(&Circle::new(at, r, thick)),
    }
}
