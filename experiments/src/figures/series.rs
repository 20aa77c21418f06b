//! What figures of several series share: their names and looks, and the legend.

use super::sheet::{Key, Swatch};
use super::style::{Look, Style};

/// The series of a figure with their looks.
pub struct Series {
    names: Vec<String>,
    looks: Vec<Look>,
}

impl Series {
    /// Series of these names, looks by name.
    pub fn new(names: Vec<String>, style: &Style) -> Self {
        let looks = style.looks(names.iter().map(String::as_str));
        Series { names, looks }
    }

    /// Names and looks, in order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, Look)> {
        self.names.iter().map(String::as_str).zip(self.looks.iter().copied())
    }

    /// Look of a series by its place.
    pub fn look(&self, place: usize) -> Look {
        self.looks[place]
    }

    /// Number of series.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// The legend.
    pub fn key(&self, style: &Style, swatch: fn(Look) -> Swatch) -> Vec<Key> {
        self.iter().map(|(name, look)| Key::new(style.name(name), swatch(look))).collect()
    }
}
