//! From SVG to PDF and PNG, and onto the disk: all four files of a figure, or none.

use super::canvas::FONT_DATA;
use super::{FigureError, with_ending};
use crate::files::{OutputFile, OutputPath};
use krilla::geom::Size;
use krilla::page::PageSettings;
use krilla_svg::{SurfaceExt, SvgSettings};
use std::path::Path;
use std::sync::{Arc, LazyLock};
use usvg::fontdb::Database;

/// Pixels per point of the PNG: 300 dots per inch.
const PIXELS_PER_PT: f32 = 300.0 / 72.0;
/// usvg measures in CSS pixels, of which 96 make an inch.
const PT_PER_PX: f32 = 72.0 / 96.0;

static FONTS: LazyLock<Arc<Database>> = LazyLock::new(|| {
    let mut fonts = Database::new();
    fonts.load_font_data(FONT_DATA.to_vec());
    Arc::new(fonts)
});

/// Writes `STEM.csv`, `STEM.svg`, `STEM.pdf` and `STEM.png`. Everything is made, and every file opened,
/// before the first is put in its place.
///
/// # Errors
/// A file that cannot be written; an SVG that the renderers refuse.
pub fn save(csv: &str, svg: &str, stem: &Path) -> Result<(), FigureError> {
    let fault = |reason: String| FigureError::Drawing { path: stem.to_path_buf(), reason };
    let tree = parse(svg).map_err(fault)?;
    let pdf = pdf(&tree).map_err(fault)?;
    let png = png(&tree).map_err(fault)?;
    let mut files: Vec<(OutputFile, &[u8])> = Vec::new();
    for (ending, bytes) in
        [("csv", csv.as_bytes()), ("svg", svg.as_bytes()), ("pdf", &pdf[..]), ("png", &png[..])]
    {
        files.push((OutputPath::File(with_ending(stem, ending)).open()?, bytes));
    }
    // All on the disk, which may be full, before the first replaces an older one.
    for (file, bytes) in &mut files {
        file.fill(bytes)?;
    }
    for (file, _) in files {
        file.finish()?;
    }
    Ok(())
}

/// The drawing, with its text laid out in the bundled font.
pub(super) fn parse(svg: &str) -> Result<usvg::Tree, String> {
    let options = usvg::Options { fontdb: Arc::clone(&FONTS), ..usvg::Options::default() };
    usvg::Tree::from_str(svg, &options).map_err(|e| e.to_string())
}

pub(super) fn pdf(tree: &usvg::Tree) -> Result<Vec<u8>, String> {
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
