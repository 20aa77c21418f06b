//! What all figures share: paper sizes, colours, the font, and the way from SVG to PDF and PNG.
//!
//! plotters has whole-number coordinates, so figures are drawn at [`SCALE`] units per point and
//! scaled down by the SVG's view box. Text is set in the bundled Liberation Sans everywhere: output
//! does not depend on the fonts of a machine.

use super::FigureError;
use crate::files::write_file;
use krilla::geom::Size;
use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt, SvgSettings};
use plotters::style::{FontStyle, RGBColor, register_font};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use usvg::fontdb::Database;

/// Drawing units per point.
pub const SCALE: u32 = 10;
/// Width of one column of an ACM paper, 3.33 in.
pub const COLUMN_PT: u32 = 240;
/// Width of two columns, 7 in.
pub const PAGE_PT: u32 = 504;
/// Text size.
pub const TEXT_PT: f64 = 8.0;
/// Pixels per point of the PNG: 300 dots per inch.
const PIXELS_PER_PT: f32 = 300.0 / 72.0;

/// Font family, as drawings name it.
pub const FONT: &str = "Liberation Sans";
static FONT_DATA: &[u8] = include_bytes!("../../fonts/LiberationSans-Regular.ttf");

/// Okabe and Ito's colours, told apart by the colour-blind; a second cue (marker, dash) goes with each.
pub const COLOURS: [RGBColor; 8] = [
    RGBColor(0, 0, 0),
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
    RGBColor(86, 180, 233),
    RGBColor(240, 228, 66),
];

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    // plotters measures text with the same font that usvg and krilla set it in.
    let registered = register_font(FONT, FontStyle::Normal, FONT_DATA);
    debug_assert!(registered.is_ok(), "the bundled font is readable");
    let mut fonts = Database::new();
    fonts.load_font_data(FONT_DATA.to_vec());
    Arc::new(fonts)
});

/// Font size to ask of plotters for text of `pt` points: it writes the size divided by 1.24 to SVG.
pub fn font_size(pt: f64) -> f64 {
    pt * 1.24 * f64::from(SCALE)
}

/// Draws a figure of this size in points; `draw` gets the drawing in units of a [`SCALE`]-th of a point.
///
/// # Errors
/// What `draw` reports.
pub fn draw<E>(
    (width_pt, height_pt): (u32, u32),
    draw: impl FnOnce(
        &plotters::drawing::DrawingArea<plotters::backend::SVGBackend<'_>, plotters::coord::Shift>,
    ) -> Result<(), E>,
) -> Result<String, E> {
    use plotters::drawing::IntoDrawingArea;
    LazyLock::force(&FONTS);
    let size = (width_pt * SCALE, height_pt * SCALE);
    let mut svg = String::new();
    {
        let area = plotters::backend::SVGBackend::with_string(&mut svg, size).into_drawing_area();
        draw(&area)?;
    }
    let drawn = format!("width=\"{}\" height=\"{}\"", size.0, size.1);
    let printed = format!("width=\"{width_pt}pt\" height=\"{height_pt}pt\"");
    Ok(svg.replacen(&drawn, &printed, 1))
}

/// Writes `STEM.svg`, `STEM.pdf` and `STEM.png`.
///
/// # Errors
/// A file that cannot be written; an SVG that the renderers refuse.
pub fn save(svg: &str, stem: &Path) -> Result<(), FigureError> {
    let fault = |reason: String| FigureError::Drawing { path: stem.to_path_buf(), reason };
    let options = usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() };
    let tree = usvg::Tree::from_str(svg, &options).map_err(|e| fault(e.to_string()))?;
    write_file(&stem.with_extension("svg"), svg.as_bytes())?;
    write_file(&stem.with_extension("pdf"), &pdf(&tree).map_err(fault)?)?;
    write_file(&stem.with_extension("png"), &png(&tree).map_err(fault)?)?;
    Ok(())
}

/// usvg measures in CSS pixels, of which 96 make an inch.
const PT_PER_PX: f32 = 72.0 / 96.0;

fn pdf(tree: &usvg::Tree) -> Result<Vec<u8>, String> {
    let (width, height) = (tree.size().width() * PT_PER_PX, tree.size().height() * PT_PER_PX);
    let (settings, size) = PageSettings::from_wh(width, height)
        .zip(Size::from_wh(width, height))
        .ok_or_else(|| format!("size {width} x {height} pt"))?;
    let mut document = krilla::Document::new();
    let mut page = document.start_page_with(settings);
    let mut surface = page.surface();
    surface.draw_svg(tree, size, SvgSettings::default()).ok_or("SVG")?;
    surface.finish();
    page.finish();
    document.finish().map_err(|e| format!("{e:?}"))
}

fn png(tree: &usvg::Tree) -> Result<Vec<u8>, String> {
    let scale = PT_PER_PX * PIXELS_PER_PT;
    let pixels = |length: f32| (length * scale).round().max(1.0) as u32;
    let (width, height) = (pixels(tree.size().width()), pixels(tree.size().height()));
    let mut pixmap = resvg::tiny_skia::Pixmap::new(width, height).ok_or("size of the PNG")?;
    pixmap.fill(resvg::tiny_skia::Color::WHITE);
    resvg::render(tree, resvg::tiny_skia::Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    pixmap.encode_png().map_err(|e| e.to_string())
}
