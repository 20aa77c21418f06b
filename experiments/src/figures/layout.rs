//! Puts a [`Sheet`] on paper: legend and notes on top, panels in a grid below, every text in room of
//! its own. What would not fit is wrapped, turned, thinned or cut with an ellipsis, never overprinted.

use super::canvas::{Align, CAPITAL_EM, Canvas, Spot, fit_text, luminance, sheet, text_width};
use super::scale::{Scale, Tick};
use super::sheet::{Axis, Key, Mark, Panel, Sheet, Swatch};
use super::style::{Dash, Hatch, LEAST_TEXT_PT, Sizes};
use plotters::style::{BLACK, RGBColor, WHITE};

const MARGIN: f64 = 3.0;
const TICK: f64 = 2.5;
/// Between a tick and its label, and between a label and what comes next.
const GAP: f64 = 2.0;
const AXIS_LINE: f64 = 0.5;
const GRID: RGBColor = RGBColor(226, 226, 226);
const REFERENCE: RGBColor = RGBColor(120, 120, 120);
/// Error bars on black areas: seen on black and on white.
pub const INTERVAL_ON_BLACK: RGBColor = RGBColor(150, 150, 150);
/// Height of a line of text, in ems.
const LINE_EM: f64 = 1.25;

/// Draws a figure of this width in points as SVG.
///
/// # Errors
/// What the drawing library refuses.
pub fn draw(figure: &Sheet, width: f64, sizes: &Sizes) -> Result<String, String> {
    let page = Page { width, sizes };
    let key = page.key_rows(&figure.key);
    let notes: Vec<String> = figure.notes.iter().flat_map(|note| page.wrap(note)).collect();
    let grid = page.grid(figure);
    let line = page.line();
    let top = MARGIN + (key.len() + notes.len()) as f64 * line;
    let height = top + grid.height + MARGIN;
    sheet((width, height), |canvas| {
        let mut y = MARGIN;
        for row in &key {
            for (x, key, label) in row {
                page.swatch(canvas, (*x, y + line / 2.0), key.swatch);
                let spot = (x + key.swatch.width() + GAP, y + line / 2.0 + page.half_capital());
                canvas.text(spot, label, sizes.text_pt, Align::Start, BLACK);
            }
            y += line;
        }
        for note in &notes {
            let spot = (MARGIN, y + line / 2.0 + page.half_capital());
            canvas.text(spot, note, sizes.text_pt, Align::Start, BLACK);
            y += line;
        }
        for (panel, place) in figure.panels.iter().zip(&grid.places) {
            page.panel(canvas, panel, place, top);
        }
    })
}

struct Page<'a> {
    width: f64,
    sizes: &'a Sizes,
}

/// Where the panels are, from the top of the grid.
struct Grid {
    places: Vec<Place>,
    height: f64,
}

/// Where one panel is.
struct Place {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    /// Whether it names its x axis; else the panel below does.
    x_named: bool,
    /// Whether it names its y axis; else the panel to the left does.
    y_named: bool,
    /// From the axis to the far side of the y label.
    gutter: f64,
}

/// Names of bands under an axis.
struct BandNames {
    /// Lines of every name; empty for one that is left out.
    names: Vec<Vec<String>>,
    upright: bool,
    height: f64,
}

impl Page<'_> {
    fn text_pt(&self) -> f64 {
        self.sizes.text_pt
    }

    fn line(&self) -> f64 {
        LINE_EM * self.text_pt()
    }

    fn half_capital(&self) -> f64 {
        CAPITAL_EM * self.text_pt() / 2.0
    }

    fn width_of(&self, text: &str) -> f64 {
        text_width(text, self.text_pt())
    }

    /// Entries of the legend by row: place, entry, and its name as it fits.
    fn key_rows<'k>(&self, keys: &'k [Key]) -> Vec<Vec<(f64, &'k Key, String)>> {
        const BETWEEN: f64 = 8.0;
        let room = self.width - 2.0 * MARGIN;
        let mut rows: Vec<Vec<(f64, &Key, String)>> = Vec::new();
        let mut x = f64::INFINITY;
        for key in keys {
            let swatch = key.swatch.width() + GAP;
            let label = fit_text(&key.label, self.text_pt(), room - swatch);
            let length = swatch + self.width_of(&label);
            if x + length > MARGIN + room {
                rows.push(Vec::new());
                x = MARGIN;
            }
            if let Some(row) = rows.last_mut() {
                row.push((x, key, label));
            }
            x += length + BETWEEN;
        }
        rows
    }

    /// A sentence in lines as wide as the page.
    fn wrap(&self, sentence: &str) -> Vec<String> {
        let room = self.width - 2.0 * MARGIN;
        let mut lines: Vec<String> = Vec::new();
        for word in sentence.split_whitespace() {
            match lines.last_mut() {
                Some(line) if self.width_of(&format!("{line} {word}")) <= room => {
                    line.push(' ');
                    line.push_str(word);
                }
                _ => lines.push(fit_text(word, self.text_pt(), room)),
            }
        }
        lines
    }

    fn grid(&self, figure: &Sheet) -> Grid {
        let panels = &figure.panels;
        let room = self.width - 2.0 * MARGIN;
        let mut across = figure.across.min(panels.len()).max(1);
        while across > 1 && room / (across as f64) < figure.least_width {
            across -= 1;
        }
        let plot_height = self.sizes.panel_pt.unwrap_or(figure.panel_height);
        // Neighbours with the same axis share its labels.
        let x_named = |i: usize| panels.get(i + across).is_none_or(|below| below.x != panels[i].x);
        let y_named = |i: usize| i.is_multiple_of(across) || panels[i - 1].y != panels[i].y;
        let mut gutters = vec![0.0f64; across];
        let mut margins = vec![2.0f64; across];
        for (i, panel) in panels.iter().enumerate() {
            let column = i % across;
            if y_named(i) {
                gutters[column] = gutters[column].max(self.y_gutter(&panel.y, plot_height));
            }
            let half = self.half_tick(&panel.x.scale);
            gutters[column] = gutters[column].max(half + GAP);
            margins[column] = margins[column].max(half + 1.0);
        }
        let spent: f64 = gutters.iter().sum::<f64>() + margins.iter().sum::<f64>();
        let plot_width = ((room - spent) / across as f64).max(10.0);
        let mut places = Vec::with_capacity(panels.len());
        let mut top = 0.0;
        for (row, members) in panels.chunks(across).enumerate() {
            let headed = members.iter().any(|panel| !panel.heading.is_empty());
            top += if headed { 1.7 * self.text_pt() } else { 0.6 * self.text_pt() };
            let height = if members.iter().any(|panel| panel.square) {
                plot_width.min(2.0 * plot_height)
            } else {
                plot_height
            };
            let mut below = 0.0f64;
            let mut left = MARGIN;
            for (column, panel) in members.iter().enumerate() {
                let i = row * across + column;
                left += gutters[column];
                places.push(Place {
                    left,
                    top,
                    width: plot_width,
                    height,
                    x_named: x_named(i),
                    y_named: y_named(i),
                    gutter: gutters[column],
                });
                left += plot_width + margins[column];
                below = below.max(if x_named(i) { self.x_depth(&panel.x, plot_width) } else { TICK + GAP });
            }
            top += height + below;
        }
        Grid { places, height: top }
    }

    /// Half the width of the widest tick label of an x axis.
    fn half_tick(&self, scale: &Scale) -> f64 {
        scale.ticks(5).iter().map(|tick| self.width_of(&tick.label) / 2.0).fold(0.0, f64::max)
    }

    fn y_gutter(&self, axis: &Axis, height: f64) -> f64 {
        let widest = match &axis.scale {
            Scale::Bands(names) => {
                names.iter().map(|name| self.width_of(name)).fold(0.0, f64::max).min(self.most_band_name())
            }
            scale => {
                self.y_ticks(scale, height).iter().map(|tick| self.width_of(&tick.label)).fold(0.0, f64::max)
            }
        };
        let label = if axis.label.is_empty() { 0.0 } else { self.line() + 1.0 };
        label + widest + GAP + TICK
    }

    /// Names of bands beside a y axis are cut beyond this.
    fn most_band_name(&self) -> f64 {
        0.3 * self.width
    }

    fn x_depth(&self, axis: &Axis, width: f64) -> f64 {
        let label = if axis.label.is_empty() { 0.0 } else { self.line() - 1.0 };
        let ticks = match &axis.scale {
            Scale::Bands(names) => self.band_names(names, width).height,
            _ => self.line(),
        };
        TICK + GAP + ticks + label
    }

    /// As many ticks as stand clear of each other.
    fn x_ticks(&self, scale: &Scale, width: f64) -> Vec<Tick> {
        let clear = |ticks: &[Tick]| {
            ticks.windows(2).all(|pair| {
                let apart = (scale.place(pair[1].value) - scale.place(pair[0].value)) * width;
                apart >= (self.width_of(&pair[0].label) + self.width_of(&pair[1].label)) / 2.0 + 4.0
            })
        };
        (1..=7).rev().map(|most| scale.ticks(most)).find(|ticks| clear(ticks)).unwrap_or_default()
    }

    fn y_ticks(&self, scale: &Scale, height: f64) -> Vec<Tick> {
        let clear = |ticks: &[Tick]| {
            ticks.windows(2).all(|pair| {
                (scale.place(pair[1].value) - scale.place(pair[0].value)) * height >= 1.3 * self.text_pt()
            })
        };
        (1..=6).rev().map(|most| scale.ticks(most)).find(|ticks| clear(ticks)).unwrap_or_default()
    }

    /// Names under bands: in one line, in several, thinned where they are numbers, or upright.
    fn band_names(&self, names: &[String], width: f64) -> BandNames {
        const MOST_LINES: usize = 3;
        let room = width / names.len().max(1) as f64 - 3.0;
        let fits = |text: &str| self.width_of(text) <= room;
        let level = |names: Vec<Vec<String>>| {
            let lines = names.iter().map(Vec::len).max().unwrap_or(0);
            BandNames { names, upright: false, height: lines as f64 * self.line() }
        };
        if names.iter().all(|name| fits(name)) {
            return level(names.iter().map(|name| vec![name.clone()]).collect());
        }
        let broken: Vec<Vec<String>> = names.iter().map(|name| broken(name, &fits)).collect();
        if broken.iter().all(|lines| lines.len() <= MOST_LINES && lines.iter().all(|line| fits(line))) {
            return level(broken);
        }
        if names.iter().all(|name| name.parse::<f64>().is_ok()) {
            let widest = names.iter().map(|name| self.width_of(name)).fold(0.0, f64::max);
            let every = ((widest + 3.0) / (room + 3.0)).ceil().max(1.0) as usize;
            let kept = |(i, name): (usize, &String)| {
                if i % every == 0 { vec![name.clone()] } else { Vec::new() }
            };
            return level(names.iter().enumerate().map(kept).collect());
        }
        let longest = 12.0 * self.text_pt();
        let every = (self.line() / (room + 3.0)).ceil().max(1.0) as usize;
        let cut = |(i, name): (usize, &String)| {
            if i % every == 0 { vec![fit_text(name, self.text_pt(), longest)] } else { Vec::new() }
        };
        let names: Vec<Vec<String>> = names.iter().enumerate().map(cut).collect();
        let height = names.iter().flatten().map(|name| self.width_of(name)).fold(0.0, f64::max) + GAP;
        BandNames { names, upright: true, height }
    }

    fn swatch(&self, canvas: &mut Canvas<'_>, (x, y): Spot, swatch: Swatch) {
        let width = swatch.width();
        let middle = (x + width / 2.0, y);
        let ends = [(x, y), (x + width, y)];
        let (line, radius) = (self.sizes.line_pt, self.sizes.marker_pt);
        match swatch {
            Swatch::Line(look) => canvas.line(&ends, look.colour, line, look.dash),
            Swatch::Point(look) => canvas.marker(middle, look.marker, look.colour, radius, false),
            Swatch::Hollow(look) => canvas.marker(middle, look.marker, look.colour, radius, true),
            Swatch::LinePoint(look) => {
                canvas.line(&ends, look.colour, line, look.dash);
                canvas.marker(middle, look.marker, look.colour, radius, false);
            }
            Swatch::Area(fill) => {
                let (a, b) = ((x, y - 3.2), (x + width, y + 3.2));
                canvas.hatched(a, b, fill.colour, fill.hatch);
                canvas.frame(a, b, BLACK, 0.3);
            }
            Swatch::Ramp => {
                let parts = 8;
                for i in 0..parts {
                    let part = |i: usize| x + width * i as f64 / parts as f64;
                    let colour = ramp((i as f64 + 0.5) / parts as f64);
                    canvas.rectangle((part(i), y - 3.2), (part(i + 1), y + 3.2), colour);
                }
            }
        }
    }

    fn panel(&self, canvas: &mut Canvas<'_>, panel: &Panel, place: &Place, grid_top: f64) {
        let top = grid_top + place.top;
        let (left, right, bottom) = (place.left, place.left + place.width, top + place.height);
        let x_at = |value: f64| left + panel.x.scale.place(value) * place.width;
        let y_at = |value: f64| match panel.y.scale {
            Scale::Bands(_) => top + panel.y.scale.place(value) * place.height,
            _ => bottom - panel.y.scale.place(value) * place.height,
        };
        let spot = |(x, y): (f64, f64)| (x_at(x), y_at(y));
        let x_ticks = self.x_ticks(&panel.x.scale, place.width);
        let y_ticks = self.y_ticks(&panel.y.scale, place.height);
        if panel.grid {
            let upright = matches!(panel.y.scale, Scale::Bands(_));
            for tick in if upright { &x_ticks } else { &y_ticks } {
                let ends = if upright {
                    [(x_at(tick.value), top), (x_at(tick.value), bottom)]
                } else {
                    [(left, y_at(tick.value)), (right, y_at(tick.value))]
                };
                canvas.line(&ends, GRID, AXIS_LINE, Dash::Solid);
            }
            self.band_borders(canvas, panel, (left, top), (right, bottom));
        }
        // Points and intervals stand before the axes, lines and areas behind them.
        let (front, back): (Vec<&Mark>, Vec<&Mark>) =
            panel.marks.iter().partition(|mark| matches!(mark, Mark::Points { .. } | Mark::Interval { .. }));
        for mark in back {
            self.mark(canvas, mark, &spot);
        }
        canvas.frame((left, top), (right, bottom), BLACK, AXIS_LINE);
        for mark in front {
            self.mark(canvas, mark, &spot);
        }

        let size = self.text_pt();
        let half = self.half_capital();
        if !panel.heading.is_empty() {
            let heading = fit_text(&panel.heading, size, place.width);
            canvas.text((left, top - 0.4 * size), &heading, size, Align::Start, BLACK);
        }
        let tick_bottom = bottom + TICK;
        for tick in &x_ticks {
            let x = x_at(tick.value);
            canvas.line(&[(x, bottom), (x, tick_bottom)], BLACK, AXIS_LINE, Dash::Solid);
            if place.x_named {
                let baseline = tick_bottom + GAP + 2.0 * half;
                canvas.text((x, baseline), &tick.label, size, Align::Middle, BLACK);
            }
        }
        for value in panel.x.scale.minor_ticks() {
            let x = x_at(value);
            canvas.line(&[(x, bottom), (x, bottom + TICK / 2.0)], BLACK, AXIS_LINE / 2.0, Dash::Solid);
        }
        for tick in &y_ticks {
            let y = y_at(tick.value);
            canvas.line(&[(left - TICK, y), (left, y)], BLACK, AXIS_LINE, Dash::Solid);
            if place.y_named {
                canvas.text((left - TICK - GAP, y + half), &tick.label, size, Align::End, BLACK);
            }
        }
        for value in panel.y.scale.minor_ticks() {
            let y = y_at(value);
            canvas.line(&[(left - TICK / 2.0, y), (left, y)], BLACK, AXIS_LINE / 2.0, Dash::Solid);
        }
        if place.x_named {
            if let Scale::Bands(names) = &panel.x.scale {
                self.draw_band_names(canvas, names, left, bottom, place.width);
            }
            let depth = self.x_depth(&panel.x, place.width);
            let label = fit_text(&panel.x.label, size, place.width + 2.0 * GAP);
            let middle = centred(left + place.width / 2.0, self.width_of(&label), self.width);
            let baseline = bottom + depth - self.line() / 2.0 + half + 0.5;
            canvas.text((middle, baseline), &label, size, Align::Middle, BLACK);
        }
        if place.y_named {
            if let Scale::Bands(names) = &panel.y.scale {
                for (i, name) in names.iter().enumerate() {
                    let name = fit_text(name, size, self.most_band_name());
                    let spot = (left - TICK - GAP, y_at(i as f64 + 0.5) + half);
                    canvas.text(spot, &name, size, Align::End, BLACK);
                }
            }
            let label = fit_text(&panel.y.label, size, place.height);
            let baseline = left - place.gutter + 2.0 * half + 1.0;
            canvas.text_upwards((baseline, (top + bottom) / 2.0), &label, size, Align::Middle, BLACK);
        }
    }

    /// Light lines between the bands of an x axis.
    fn band_borders(&self, canvas: &mut Canvas<'_>, panel: &Panel, (left, top): Spot, (right, bottom): Spot) {
        if let Scale::Bands(names) = &panel.x.scale {
            for i in 1..names.len() {
                let x = left + (right - left) * panel.x.scale.place(i as f64);
                canvas.line(&[(x, top), (x, bottom)], GRID, AXIS_LINE, Dash::Solid);
            }
        }
    }

    fn draw_band_names(&self, canvas: &mut Canvas<'_>, names: &[String], left: f64, bottom: f64, width: f64) {
        let bands = self.band_names(names, width);
        let band = width / names.len().max(1) as f64;
        for (i, lines) in bands.names.iter().enumerate() {
            let x = left + (i as f64 + 0.5) * band;
            for (number, line) in lines.iter().enumerate() {
                if bands.upright {
                    let spot = (x + self.half_capital(), bottom + TICK + GAP);
                    canvas.text_upwards(spot, line, self.text_pt(), Align::End, BLACK);
                } else {
                    let baseline =
                        bottom + TICK + GAP + number as f64 * self.line() + 2.0 * self.half_capital();
                    canvas.text((x, baseline), line, self.text_pt(), Align::Middle, BLACK);
                }
            }
        }
    }

    fn mark(&self, canvas: &mut Canvas<'_>, mark: &Mark, spot: &dyn Fn((f64, f64)) -> Spot) {
        // What a logarithm has no place for is not drawn.
        let placed = |(x, y): &Spot| x.is_finite() && y.is_finite();
        let spots = |points: &[(f64, f64)]| {
            points.iter().map(|&point| spot(point)).filter(placed).collect::<Vec<Spot>>()
        };
        match mark {
            Mark::Line { points, look } => {
                canvas.line(&spots(points), look.colour, self.sizes.line_pt, look.dash);
            }
            Mark::Points { points, look, hollow } => {
                for point in spots(points) {
                    canvas.marker(point, look.marker, look.colour, self.sizes.marker_pt, *hollow);
                }
            }
            Mark::Interval { x, low, high, colour } => {
                const CAP: f64 = 1.5;
                let ends = spots(&[(*x, *low), (*x, *high)]);
                if ends.len() == 2 {
                    canvas.line(&ends, *colour, 0.8, Dash::Solid);
                }
                for (x, y) in ends {
                    canvas.line(&[(x - CAP, y), (x + CAP, y)], *colour, 0.8, Dash::Solid);
                }
            }
            Mark::Area { from, to, fill, text } => {
                let (a, b) = (spot(*from), spot(*to));
                canvas.hatched(a, b, fill.colour, fill.hatch);
                canvas.frame(a, b, WHITE, 0.4);
                self.text_inside(canvas, a, b, text, fill.colour);
            }
            Mark::Rule { from, to } => {
                canvas.line(&[spot(*from), spot(*to)], REFERENCE, 0.6, Dash::ShortDash);
            }
        }
    }

    /// A text in the middle of a rectangle, as large as fits, none where the smallest does not.
    fn text_inside(&self, canvas: &mut Canvas<'_>, a: Spot, b: Spot, text: &str, behind: RGBColor) {
        let (width, height) = ((b.0 - a.0).abs(), (b.1 - a.1).abs());
        let fits = |size: f64| text_width(text, size) + 1.5 <= width && size * 0.95 <= height;
        let Some(size) = [self.text_pt(), LEAST_TEXT_PT].into_iter().find(|&size| fits(size)) else { return };
        let colour = if luminance(behind) < 0.5 { WHITE } else { BLACK };
        let spot = ((a.0 + b.0) / 2.0, (a.1 + b.1) / 2.0 + CAPITAL_EM * size / 2.0);
        canvas.text(spot, text, size, Align::Middle, colour);
    }
}

/// The middle of a text of this width so that it stays on a page.
fn centred(middle: f64, width: f64, page: f64) -> f64 {
    middle.min(page - MARGIN - width / 2.0).max(MARGIN + width / 2.0)
}

/// A name in lines: one per part between commas (which the lines stand for) where all of these fit, else broken at spaces and
/// hyphens where it has to be.
fn broken(name: &str, fits: &dyn Fn(&str) -> bool) -> Vec<String> {
    let parts: Vec<&str> = name.split(", ").collect();
    if parts.iter().all(|part| fits(part)) {
        return parts.into_iter().map(str::to_string).collect();
    }
    let mut lines: Vec<String> = Vec::new();
    for word in name.split_inclusive([' ', '-']) {
        match lines.last_mut() {
            Some(line) if fits((line.clone() + word).trim_end()) => line.push_str(word),
            _ => lines.push(word.to_string()),
        }
    }
    lines.iter().map(|line| line.trim_end().to_string()).collect()
}

/// A blue from light (0) to dark (1), whose lightness falls evenly.
pub fn ramp(share: f64) -> RGBColor {
    const STOPS: [[f64; 3]; 3] = [[245.0, 249.0, 253.0], [86.0, 160.0, 211.0], [0.0, 48.0, 96.0]];
    let place = share.clamp(0.0, 1.0) * 2.0;
    let (i, part) = if place < 1.0 { (0, place) } else { (1, place - 1.0) };
    let mix = |c: usize| (STOPS[i][c] + part * (STOPS[i + 1][c] - STOPS[i][c])).round() as u8;
    RGBColor(mix(0), mix(1), mix(2))
}

/// A fill that only tells areas apart from white.
pub const fn plain(colour: RGBColor) -> super::sheet::Fill {
    super::sheet::Fill { colour, hatch: Hatch::Plain }
}
