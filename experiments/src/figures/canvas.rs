//! A sheet to draw on, in points from its upper left corner: plotters' SVG backend with dashes, markers,
//! hatches and exact text.
//!
//! plotters has whole-number coordinates, so there are [`SCALE`] of them to a point; the SVG's view box
//! scales them down. Text is set in the bundled font alone: no font of the machine is ever asked for.

use super::style::{Dash, Hatch, Marker};
use plotters::backend::{DrawingBackend, SVGBackend};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters::style::{
    BLACK, Color, FontStyle, FontTransform, IntoFont, RGBColor, ShapeStyle, TextStyle, WHITE, register_font,
};
use std::sync::LazyLock;

/// Drawing units per point.
const SCALE: f64 = 100.0;

/// Font family, as drawings name it.
pub const FONT: &str = "Liberation Sans";
pub(super) static FONT_DATA: &[u8] = include_bytes!("../../fonts/LiberationSans-Regular.ttf");

static REGISTERED: LazyLock<bool> =
    LazyLock::new(|| register_font(FONT, FontStyle::Normal, FONT_DATA).is_ok());

/// Ascent less descent of the font, in ems: what plotters calls its size when it measures.
const LINE_EM: f64 = 2288.0 / 2048.0;
/// Height of digits and capitals, in ems.
pub const CAPITAL_EM: f64 = 1409.0 / 2048.0;
/// plotters puts the baseline of text that hangs from a point this far below it, in ems.
const HANGING_EM: f64 = 0.76;
/// plotters writes its font size divided by this to the SVG.
const PLOTTERS_EM: f64 = 1.24;

/// A point of the sheet.
pub type Spot = (f64, f64);

/// Width of a text in points.
pub fn text_width(text: &str, size_pt: f64) -> f64 {
    const FINE: f64 = 1000.0;
    LazyLock::force(&REGISTERED);
    let font = (FONT, FINE * LINE_EM).into_font();
    let (width, _) = font.box_size(text).unwrap_or_default();
    f64::from(width) / FINE * size_pt
}

/// The text, or as much of it as `room` points hold, with an ellipsis.
pub fn fit_text(text: &str, size_pt: f64, room: f64) -> String {
    if text_width(text, size_pt) <= room {
        return text.to_string();
    }
    // No letter of a name worth reading is narrower than this.
    const NARROWEST_EM: f64 = 0.1;
    let most = (room / (NARROWEST_EM * size_pt)).max(0.0) as usize;
    let letters: Vec<char> = text.chars().take(most).collect();
    let cut = |n: usize| letters[..n].iter().collect::<String>().trim_end().to_string() + "…";
    (0..letters.len()).rev().map(cut).find(|cut| text_width(cut, size_pt) <= room).unwrap_or_default()
}

/// Where a text stands to its point.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Align {
    /// Begins there.
    Start,
    /// Its middle is there.
    Middle,
    /// Ends there.
    End,
}

impl From<Align> for HPos {
    fn from(align: Align) -> Self {
        match align {
            Align::Start => HPos::Left,
            Align::Middle => HPos::Center,
            Align::End => HPos::Right,
        }
    }
}

/// A sheet in the making.
pub struct Canvas<'a> {
    backend: SVGBackend<'a>,
    fault: Option<String>,
}

fn unit(points: f64) -> i32 {
    (points * SCALE).round() as i32
}

fn at((x, y): Spot) -> (i32, i32) {
    (unit(x), unit(y))
}

fn ink(colour: RGBColor, width_pt: f64) -> ShapeStyle {
    ShapeStyle { color: colour.to_rgba(), filled: false, stroke_width: unit(width_pt).max(1) as u32 }
}

/// Draws a white sheet of this size and returns it as SVG.
///
/// # Errors
/// What the drawing library refuses.
pub fn sheet(
    (width_pt, height_pt): (f64, f64),
    paint: impl FnOnce(&mut Canvas<'_>),
) -> Result<String, String> {
    LazyLock::force(&REGISTERED);
    let size = (unit(width_pt) as u32, unit(height_pt) as u32);
    let mut svg = String::new();
    {
        let mut canvas = Canvas { backend: SVGBackend::with_string(&mut svg, size), fault: None };
        canvas.rectangle((0.0, 0.0), (width_pt, height_pt), WHITE);
        paint(&mut canvas);
        let end = canvas.backend.present();
        canvas.note(end);
        if let Some(fault) = canvas.fault.take() {
            return Err(fault);
        }
    }
    let drawn = format!("width=\"{}\" height=\"{}\"", size.0, size.1);
    let points = |units: u32| f64::from(units) / SCALE;
    let printed = format!("width=\"{}pt\" height=\"{}pt\"", points(size.0), points(size.1));
    Ok(svg.replacen(&drawn, &printed, 1))
}

impl Canvas<'_> {
    fn note(&mut self, result: Result<(), impl std::fmt::Display>) {
        if let Err(error) = result {
            self.fault.get_or_insert(error.to_string());
        }
    }

    /// A line through points; of a pattern, it may be several strokes.
    pub fn line(&mut self, spots: &[Spot], colour: RGBColor, width_pt: f64, dash: Dash) {
        let spots = simplified(spots);
        for stroke in strokes(&spots, dash.pattern()) {
            let result = self.backend.draw_path(stroke.into_iter().map(at), &ink(colour, width_pt));
            self.note(result);
        }
    }

    /// A filled rectangle.
    pub fn rectangle(&mut self, a: Spot, b: Spot, colour: RGBColor) {
        let low = (a.0.min(b.0), a.1.min(b.1));
        let high = (a.0.max(b.0), a.1.max(b.1));
        let result = self.backend.draw_rect(at(low), at(high), &ink(colour, 0.0), true);
        self.note(result);
    }

    /// The outline of a rectangle.
    pub fn frame(&mut self, a: Spot, b: Spot, colour: RGBColor, width_pt: f64) {
        let corners = [a, (b.0, a.1), b, (a.0, b.1), a, (b.0, a.1)];
        let result = self.backend.draw_path(corners.map(at), &ink(colour, width_pt));
        self.note(result);
    }

    /// A rectangle of a colour with white hatch lines, which grey print keeps.
    pub fn hatched(&mut self, a: Spot, b: Spot, colour: RGBColor, hatch: Hatch) {
        self.rectangle(a, b, colour);
        let dark = luminance(colour) < 0.6;
        let line = if dark { WHITE } else { BLACK };
        let width = if hatch == Hatch::Dots { 0.8 } else { 0.4 };
        for (from, to) in hatch_lines(a, b, hatch) {
            self.line(&[from, to], line, width, Dash::Solid);
        }
    }

    fn polygon(&mut self, corners: &[Spot], colour: RGBColor) {
        let result = self.backend.fill_polygon(corners.iter().map(|&spot| at(spot)), &ink(colour, 0.0));
        self.note(result);
    }

    /// A point. A hollow one has a white middle.
    pub fn marker(&mut self, spot: Spot, marker: Marker, colour: RGBColor, radius: f64, hollow: bool) {
        let (x, y) = spot;
        let corner = |angle: f64, r: f64| {
            let (sin, cos) = angle.to_radians().sin_cos();
            (x + r * sin, y - r * cos)
        };
        let ring = |angles: &[f64], r: f64| -> Vec<Spot> { angles.iter().map(|&a| corner(a, r)).collect() };
        let rays = |angles: &[f64]| -> Vec<[Spot; 2]> {
            angles.iter().map(|&a| [corner(a, radius * 1.25), corner(a + 180.0, radius * 1.25)]).collect()
        };
        let outline = match marker {
            Marker::Circle => {
                let fill = if hollow { WHITE } else { colour };
                let centre = at(spot);
                let result = self.backend.draw_circle(centre, unit(radius) as u32, &ink(fill, 0.0), true);
                self.note(result);
                if hollow {
                    let result =
                        self.backend.draw_circle(centre, unit(radius) as u32, &ink(colour, 0.8), false);
                    self.note(result);
                }
                return;
            }
            Marker::Square => ring(&[45.0, 135.0, 225.0, 315.0], radius * 1.3),
            Marker::Triangle => ring(&[0.0, 120.0, 240.0], radius * 1.4),
            Marker::Diamond => ring(&[0.0, 90.0, 180.0, 270.0], radius * 1.4),
            Marker::Down => ring(&[60.0, 180.0, 300.0], radius * 1.4),
            Marker::Plus | Marker::Cross | Marker::Star => {
                let angles: &[f64] = match marker {
                    Marker::Plus => &[0.0, 90.0],
                    Marker::Cross => &[45.0, 135.0],
                    _ => &[0.0, 60.0, 120.0],
                };
                // These have no middle to leave white: hollow ones are thin.
                for ray in rays(angles) {
                    self.line(&ray, colour, if hollow { 0.5 } else { 1.1 }, Dash::Solid);
                }
                return;
            }
        };
        self.polygon(&outline, if hollow { WHITE } else { colour });
        if hollow {
            let closed: Vec<Spot> = outline.iter().chain(&outline[..2]).copied().collect();
            let result = self.backend.draw_path(closed.into_iter().map(at), &ink(colour, 0.8));
            self.note(result);
        }
    }

    /// A text whose baseline is at the height of `spot`.
    pub fn text(&mut self, spot: Spot, text: &str, size_pt: f64, align: Align, colour: RGBColor) {
        let hung = (spot.0, spot.1 - HANGING_EM * size_pt);
        self.write(hung, text, size_pt, align, colour, FontTransform::None);
    }

    /// A text that reads upwards; its baseline is at the x of `spot`.
    pub fn text_upwards(&mut self, spot: Spot, text: &str, size_pt: f64, align: Align, colour: RGBColor) {
        let hung = (spot.0 - HANGING_EM * size_pt, spot.1);
        self.write(hung, text, size_pt, align, colour, FontTransform::Rotate270);
    }

    fn write(
        &mut self,
        hung: Spot,
        text: &str,
        size_pt: f64,
        align: Align,
        colour: RGBColor,
        turn: FontTransform,
    ) {
        if text.is_empty() {
            return;
        }
        let style = TextStyle::from((FONT, size_pt * PLOTTERS_EM * SCALE).into_font().transform(turn))
            .color(&colour)
            .pos(Pos::new(align.into(), VPos::Top));
        let result = self.backend.draw_text(&drawable(text), &style, at(hung));
        self.note(result);
    }
}

/// The text with a replacement character for what XML cannot hold: names come from any file.
fn drawable(text: &str) -> String {
    let allowed = |c: char| c == '\t' || c == '\n' || (c >= ' ' && !matches!(c, '\u{fffe}' | '\u{ffff}'));
    text.chars().map(|c| if allowed(c) { c } else { char::REPLACEMENT_CHARACTER }).collect()
}

/// Relative luminance of a colour, from 0 to 1.
pub fn luminance(RGBColor(r, g, b): RGBColor) -> f64 {
    (0.299 * f64::from(r) + 0.587 * f64::from(g) + 0.114 * f64::from(b)) / 255.0
}

/// Leaves out points closer to the last one kept than print can show; the first and last stay.
fn simplified(spots: &[Spot]) -> Vec<Spot> {
    const FINEST_PT: f64 = 0.03;
    let mut kept: Vec<Spot> = Vec::with_capacity(spots.len());
    for (i, &spot) in spots.iter().enumerate() {
        let close = |last: &Spot| (spot.0 - last.0).abs().max((spot.1 - last.1).abs()) < FINEST_PT;
        if i + 1 == spots.len() || !kept.last().is_some_and(close) {
            kept.push(spot);
        }
    }
    kept
}

/// The strokes of a line with a pattern; the line itself without one.
fn strokes(spots: &[Spot], pattern: &[f64]) -> Vec<Vec<Spot>> {
    if spots.len() < 2 {
        return Vec::new();
    }
    if pattern.is_empty() {
        return vec![spots.to_vec()];
    }
    let mut all = Vec::new();
    let mut stroke = vec![spots[0]];
    let (mut place, mut left) = (0, pattern[0]);
    for pair in spots.windows(2) {
        let (from, to) = (pair[0], pair[1]);
        let length = (to.0 - from.0).hypot(to.1 - from.1);
        let mut done = 0.0;
        while length - done > left {
            done += left;
            let part = done / length;
            let turn = (from.0 + part * (to.0 - from.0), from.1 + part * (to.1 - from.1));
            if place % 2 == 0 {
                stroke.push(turn);
                all.push(std::mem::take(&mut stroke));
            } else {
                stroke = vec![turn];
            }
            place = (place + 1) % pattern.len();
            left = pattern[place];
        }
        left -= length - done;
        if place % 2 == 0 {
            stroke.push(to);
        }
    }
    if stroke.len() > 1 {
        all.push(stroke);
    }
    all
}

/// Hatch lines within a rectangle.
fn hatch_lines(a: Spot, b: Spot, hatch: Hatch) -> Vec<(Spot, Spot)> {
    const APART_PT: f64 = 2.6;
    const DOT_PT: f64 = 0.8;
    let (left, right) = (a.0.min(b.0), a.0.max(b.0));
    let (top, bottom) = (a.1.min(b.1), a.1.max(b.1));
    let steps = |from: f64, to: f64, apart: f64| {
        // Multiples, so that lines of neighbours meet.
        let (first, last) = ((from / apart).ceil() as i64, (to / apart).floor() as i64);
        (first..=last).map(move |k| k as f64 * apart)
    };
    // Rising lines have x + y = c, falling ones x - y = c.
    let rising = || {
        steps(left + top, right + bottom, APART_PT * 1.4).map(move |c| {
            let (x0, x1) = (left.max(c - bottom), right.min(c - top));
            ((x0, c - x0), (x1, c - x1))
        })
    };
    let falling = || {
        steps(left - bottom, right - top, APART_PT * 1.4).map(move |c| {
            let (x0, x1) = (left.max(c + top), right.min(c + bottom));
            ((x0, x0 - c), (x1, x1 - c))
        })
    };
    match hatch {
        Hatch::Plain => Vec::new(),
        Hatch::Rising => rising().collect(),
        Hatch::Falling => falling().collect(),
        Hatch::Crossed => rising().chain(falling()).collect(),
        Hatch::Dots => steps(top + DOT_PT, bottom - DOT_PT, APART_PT)
            .flat_map(|y| {
                // Every other row is shifted by half.
                let shift = if (y / APART_PT).round() as i64 % 2 == 0 { 0.0 } else { APART_PT / 2.0 };
                steps(left + DOT_PT - shift, right - DOT_PT - shift, APART_PT)
                    .map(move |x| ((x + shift - DOT_PT / 2.0, y), (x + shift + DOT_PT / 2.0, y)))
            })
            .collect(),
        Hatch::Upright => steps(left, right, APART_PT).map(|x| ((x, top), (x, bottom))).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dashed_line_has_the_lengths_of_its_pattern_round_corners() {
        let line = [(0.0, 0.0), (5.0, 0.0), (5.0, 5.0)];
        let strokes = strokes(&line, &[4.0, 2.0]);
        assert_eq!(strokes.len(), 2);
        assert_eq!(strokes[0], [(0.0, 0.0), (4.0, 0.0)]);
        // 4 on, 2 off: from 6 to 10 along the line, which ends at 10.
        assert_eq!(strokes[1], [(5.0, 1.0), (5.0, 5.0)]);
    }

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(drawable("a\0b\u{1b}[31m\u{fffe}<ü>"), "a�b�[31m�<ü>");
        let svg = sheet((50.0, 20.0), |canvas| {
            canvas.text((1.0, 10.0), "\u{1}<script>", 8.0, Align::Start, BLACK);
        });
        super::super::render::parse(&svg.unwrap()).unwrap();
    }

    #[test]
    fn hatch_lines_stay_inside() {
        for hatch in [Hatch::Rising, Hatch::Falling, Hatch::Crossed, Hatch::Dots, Hatch::Upright] {
            let lines = hatch_lines((3.0, 40.0), (11.0, 7.0), hatch);
            assert!(!lines.is_empty());
            for (from, to) in lines {
                for (x, y) in [from, to] {
                    assert!(
                        (2.999..=11.001).contains(&x) && (6.999..=40.001).contains(&y),
                        "{hatch:?} {x} {y}"
                    );
                }
            }
        }
    }

    #[test]
    fn text_is_measured_in_the_fonts_own_widths() {
        // Liberation Sans: a digit is 1139 of 2048 units wide, an i 455.
        assert!((text_width("0", 8.0) - 8.0 * 1139.0 / 2048.0).abs() < 0.02);
        assert!((text_width("iiii", 10.0) - 40.0 * 455.0 / 2048.0).abs() < 0.05);
        assert_eq!(fit_text("tune", 8.0, 100.0), "tune");
        let cut = fit_text("a very long name of a mechanism", 8.0, 50.0);
        assert!(cut.ends_with('…') && text_width(&cut, 8.0) <= 50.0, "{cut}");
    }
}
