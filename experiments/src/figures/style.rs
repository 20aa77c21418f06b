//! How figures look: sizes, and the colour, marker, dash and hatch of every series, by its name.
//!
//! A series looks the same in every figure of a paper: `tune` is always blue with squares. The names
//! that the workbench knows have their looks here, others take what is left in the order that they appear in.

use crate::error::InputError;
use crate::files::{Document, parse, read_text};
use plotters::style::RGBColor;
use serde::Deserialize;
use std::collections::BTreeMap;

/// Schema of style files.
pub const SCHEMA: &str = "synergy-style/1";

/// Text smaller than this is refused by publishers and readers alike.
pub const LEAST_TEXT_PT: f64 = 7.0;

/// Okabe and Ito's colours, told apart by the colour-blind; grey stands for their yellow, which thin lines
/// lose on white paper.
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 0, 0),
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(145, 145, 145),
];

/// Shape of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Marker {
    /// A disc.
    Circle,
    /// A square.
    Square,
    /// A triangle that points up.
    Triangle,
    /// A square on its corner.
    Diamond,
    /// A triangle that points down.
    Down,
    /// An upright cross.
    Plus,
    /// A diagonal cross.
    Cross,
    /// A star of six rays.
    Star,
}

const MARKERS: [Marker; 8] = [
    Marker::Circle,
    Marker::Square,
    Marker::Triangle,
    Marker::Diamond,
    Marker::Down,
    Marker::Plus,
    Marker::Cross,
    Marker::Star,
];

/// Pattern of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Dash {
    /// Unbroken.
    Solid,
    /// Dashes.
    Dashed,
    /// Dots.
    Dotted,
    /// Dash and dot in turn.
    DashDot,
    /// Long dashes.
    LongDash,
    /// Dash and two dots in turn.
    DashDotDot,
    /// Short dashes set close.
    ShortDash,
    /// Dots set wide.
    SparseDots,
}

const DASHES: [Dash; 8] = [
    Dash::Solid,
    Dash::Dashed,
    Dash::Dotted,
    Dash::DashDot,
    Dash::LongDash,
    Dash::DashDotDot,
    Dash::ShortDash,
    Dash::SparseDots,
];

impl Dash {
    /// Lengths of strokes and gaps in turn, in points; empty for an unbroken line.
    pub const fn pattern(self) -> &'static [f64] {
        match self {
            Dash::Solid => &[],
            Dash::Dashed => &[4.0, 2.0],
            Dash::Dotted => &[1.0, 1.4],
            Dash::DashDot => &[5.0, 1.6, 1.0, 1.6],
            Dash::LongDash => &[9.0, 2.4],
            Dash::DashDotDot => &[5.0, 1.4, 1.0, 1.4, 1.0, 1.4],
            Dash::ShortDash => &[2.2, 1.0],
            Dash::SparseDots => &[1.2, 3.2],
        }
    }
}

/// Lines on a filled area.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Hatch {
    /// None.
    Plain,
    /// From lower left to upper right.
    Rising,
    /// From upper left to lower right.
    Falling,
    /// Both.
    Crossed,
    /// Dots.
    Dots,
    /// From top to bottom.
    Upright,
}

const HATCHES: [Hatch; 6] =
    [Hatch::Plain, Hatch::Rising, Hatch::Falling, Hatch::Crossed, Hatch::Dots, Hatch::Upright];

/// How one series is drawn: a colour and, for every kind of drawing, a second cue that grey print keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Look {
    /// Colour.
    pub colour: RGBColor,
    /// Shape of its points.
    pub marker: Marker,
    /// Pattern of its lines.
    pub dash: Dash,
    /// Pattern of its areas.
    pub hatch: Hatch,
}

impl Look {
    /// The look number `index` of those that go round.
    fn numbered(index: usize) -> Self {
        // Each turn through the colours shifts the cues, so that pairs do not come again before 8 x 8.
        let shifted = index + index / COLOURS.len();
        Look {
            colour: COLOURS[index % COLOURS.len()],
            marker: MARKERS[shifted % MARKERS.len()],
            dash: DASHES[shifted % DASHES.len()],
            hatch: HATCHES[shifted % HATCHES.len()],
        }
    }
}

/// Names whose looks are fixed, by number of the look.
const KNOWN: [(&str, usize); 17] = [
    ("proportional", 0),
    ("tune", 1),
    ("greedy", 2),
    ("opt-rounded", 3),
    ("opt-deployable", 4),
    ("price-greedy", 5),
    ("tune-local", 6),
    ("lp", 7),
    ("ilp", 8),
    ("config", 9),
    ("lp-skip", 10),
    ("lp-groups", 11),
    ("optimum", 12),
    ("vertex", 13),
    ("reweighted", 14),
    ("bisection", 15),
    ("exact-placement", 16),
];

/// Sizes, and what series look like and are called.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table with the keys of a style")]
pub struct Style {
    schema: String,
    /// Sizes in points.
    pub size: Sizes,
    /// By name of a mechanism, bound or placement.
    pub series: BTreeMap<String, SeriesStyle>,
}

/// Sizes, all in points of 1/72 in.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table of sizes")]
pub struct Sizes {
    /// Width of one column: 240 pt is that of the ACM, 3.33 in.
    pub column_pt: f64,
    /// Width of the page: 504 pt is 7 in.
    pub page_pt: f64,
    /// Height of the plotting area of one panel; without, each figure's own.
    pub panel_pt: Option<f64>,
    /// Text.
    pub text_pt: f64,
    /// Lines of data.
    pub line_pt: f64,
    /// Radius of a point.
    pub marker_pt: f64,
}

/// What one series is called and looks like; what is not given stays as it is.
#[derive(Debug, Clone, PartialEq, Default, Deserialize)]
#[serde(default, deny_unknown_fields, expecting = "a table with the keys of a series")]
pub struct SeriesStyle {
    /// Name in legends.
    pub name: Option<String>,
    /// Colour as `#rrggbb`.
    pub colour: Option<String>,
    /// Shape of points.
    pub marker: Option<Marker>,
    /// Pattern of lines.
    pub dash: Option<Dash>,
    /// Pattern of areas.
    pub hatch: Option<Hatch>,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes { column_pt: 240.0, page_pt: 504.0, panel_pt: None, text_pt: 8.0, line_pt: 1.0, marker_pt: 2.2 }
    }
}

impl Default for Style {
    fn default() -> Self {
        Style { schema: SCHEMA.into(), size: Sizes::default(), series: BTreeMap::new() }
    }
}

impl Document for Style {
    const SCHEMA: &'static str = SCHEMA;
    fn schema(&self) -> &str {
        &self.schema
    }
}

impl Style {
    /// Reads a style file.
    ///
    /// # Errors
    /// Wrong syntax, unknown keys, a size or colour that cannot be used; the message says where.
    pub fn read(file: &str) -> Result<Self, InputError> {
        let style: Style = parse(file, &read_text(file)?)?;
        let size = style.size;
        for (key, value, least, most) in [
            ("column_pt", size.column_pt, 150.0, 2000.0),
            ("page_pt", size.page_pt, 150.0, 2000.0),
            ("panel_pt", size.panel_pt.unwrap_or(100.0), 40.0, 2000.0),
            ("text_pt", size.text_pt, LEAST_TEXT_PT, 16.0),
            ("line_pt", size.line_pt, 0.1, 5.0),
            ("marker_pt", size.marker_pt, 0.5, 10.0),
        ] {
            if !(least..=most).contains(&value) {
                let message = format!("is {value}; give points from {least} to {most}");
                return Err(InputError::at(file, format!("size.{key}"), message));
            }
        }
        for (name, series) in &style.series {
            if let Some(colour) = series.colour.as_ref().filter(|text| hex(text).is_none()) {
                let message = format!("is {colour:?}; write it as \"#rrggbb\"");
                return Err(InputError::at(file, format!("series.{name}.colour"), message));
            }
        }
        Ok(style)
    }

    /// What a series is called in legends.
    pub fn name<'a>(&'a self, series: &'a str) -> &'a str {
        self.series.get(series).and_then(|style| style.name.as_deref()).unwrap_or(series)
    }

    /// Looks of the series of one figure, in their order.
    pub fn looks<'a>(&self, series: impl IntoIterator<Item = &'a str>) -> Vec<Look> {
        let series: Vec<&str> = series.into_iter().collect();
        let known = |name: &str| KNOWN.iter().find(|(known, _)| *known == name).map(|(_, look)| *look);
        let mut taken: Vec<usize> = series.iter().filter_map(|name| known(name)).collect();
        let mut looks = Vec::with_capacity(series.len());
        for name in series {
            let number = known(name).unwrap_or_else(|| {
                let free = (0..).find(|number| !taken.contains(number)).unwrap_or_default();
                taken.push(free);
                free
            });
            let mut look = Look::numbered(number);
            if let Some(own) = self.series.get(name) {
                look.colour = own.colour.as_deref().and_then(hex).unwrap_or(look.colour);
                look.marker = own.marker.unwrap_or(look.marker);
                look.dash = own.dash.unwrap_or(look.dash);
                look.hatch = own.hatch.unwrap_or(look.hatch);
            }
            looks.push(look);
        }
        looks
    }
}

fn hex(text: &str) -> Option<RGBColor> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6 && digits.is_ascii())?;
    let part = |at: usize| u8::from_str_radix(&digits[at..at + 2], 16).ok();
    Some(RGBColor(part(0)?, part(2)?, part(4)?))
}
