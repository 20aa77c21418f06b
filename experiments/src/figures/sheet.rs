//! A figure as a description: key, notes and panels with axes and marks. `layout` puts it on
//! paper, so a figure's own file says what is drawn and never where.

use super::scale::Scale;
use super::style::{Hatch, Look};
use plotters::style::RGBColor;

/// A whole figure.
#[derive(Debug, Clone)]
pub struct Sheet {
    /// Legend, above the panels.
    pub key: Vec<Key>,
    /// Sentences under the legend, such as what error bars are.
    pub notes: Vec<String>,
    /// In reading order.
    pub panels: Vec<Panel>,
    /// Most panels side by side.
    pub across: usize,
    /// Narrowest panel, with its axis, in points: fewer stand side by side rather than this.
    pub least_width: f64,
    /// Height of the plotting area of one panel in points, unless the style says another.
    pub panel_height: f64,
    /// Whether one column is too narrow, unless the user asks for it.
    pub wide: bool,
}

impl Default for Sheet {
    fn default() -> Self {
        Sheet {
            key: Vec::new(),
            notes: Vec::new(),
            panels: Vec::new(),
            across: 2,
            least_width: 200.0,
            panel_height: 115.0,
            wide: false,
        }
    }
}

/// One line of the legend.
#[derive(Debug, Clone)]
pub struct Key {
    /// Name.
    pub label: String,
    /// Sample.
    pub swatch: Swatch,
}

impl Key {
    /// An entry.
    pub fn new(label: impl Into<String>, swatch: Swatch) -> Self {
        Key { label: label.into(), swatch }
    }
}

/// Sample in the legend.
#[derive(Debug, Clone, Copy)]
pub enum Swatch {
    /// A line.
    Line(Look),
    /// A point.
    Point(Look),
    /// A line with a point.
    LinePoint(Look),
    /// A point with a white middle.
    Hollow(Look),
    /// A filled area.
    Area(Fill),
    /// From light to dark.
    Ramp,
}

impl Swatch {
    /// Its width in points.
    pub const fn width(self) -> f64 {
        match self {
            Swatch::Point(_) | Swatch::Hollow(_) => 7.0,
            Swatch::Area(_) => 12.0,
            Swatch::Line(_) | Swatch::LinePoint(_) | Swatch::Ramp => 17.0,
        }
    }
}

/// How an area is filled.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fill {
    /// Colour.
    pub colour: RGBColor,
    /// Lines on it.
    pub hatch: Hatch,
}

impl From<Look> for Fill {
    fn from(look: Look) -> Self {
        Fill { colour: look.colour, hatch: look.hatch }
    }
}

/// One pair of axes.
#[derive(Debug, Clone)]
pub struct Panel {
    /// What sets it apart from the others; empty for a single one.
    pub heading: String,
    /// Horizontal axis.
    pub x: Axis,
    /// Vertical axis. Bands go from top to bottom.
    pub y: Axis,
    /// What is drawn, first to last.
    pub marks: Vec<Mark>,
    /// Whether light lines go through the ticks.
    pub grid: bool,
    /// Whether it is as high as wide.
    pub square: bool,
}

impl Panel {
    /// Empty axes with a grid.
    pub fn new(heading: impl Into<String>, x: Axis, y: Axis) -> Self {
        Panel { heading: heading.into(), x, y, marks: Vec::new(), grid: true, square: false }
    }
}

/// An axis.
#[derive(Debug, Clone, PartialEq)]
pub struct Axis {
    /// What it shows, with its unit.
    pub label: String,
    /// Range and kind.
    pub scale: Scale,
}

impl Axis {
    /// An axis.
    pub fn new(label: impl Into<String>, scale: Scale) -> Self {
        Axis { label: label.into(), scale }
    }
}

/// Something drawn in the values of the axes.
#[derive(Debug, Clone)]
pub enum Mark {
    /// A line through points.
    Line {
        /// In order.
        points: Vec<(f64, f64)>,
        /// Colour and dash.
        look: Look,
    },
    /// Points.
    Points {
        /// In any order.
        points: Vec<(f64, f64)>,
        /// Colour and marker.
        look: Look,
        /// White inside.
        hollow: bool,
    },
    /// An error bar, upright.
    Interval {
        /// Where.
        x: f64,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
        /// Colour; black on bars.
        colour: RGBColor,
    },
    /// A filled rectangle, with a text in it where it fits.
    Area {
        /// One corner.
        from: (f64, f64),
        /// The opposite one.
        to: (f64, f64),
        /// Colour and hatch.
        fill: Fill,
        /// Text in its middle.
        text: String,
    },
    /// A thin grey line for reference, such as the diagonal.
    Rule {
        /// One end.
        from: (f64, f64),
        /// The other.
        to: (f64, f64),
    },
}

/// A step line through (x, share) points of a distribution function: level until the next x.
pub fn steps(points: &[(f64, f64)], start: (f64, f64), end_x: f64) -> Vec<(f64, f64)> {
    let mut line = vec![start];
    let mut level = start.1;
    for &(x, y) in points {
        line.push((x, level));
        line.push((x, y));
        level = y;
    }
    line.push((end_x, level));
    line
}
