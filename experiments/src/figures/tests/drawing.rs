//! What a drawing shows, as the renderer lays it out: texts and plotting areas in points.

use crate::figures::render::parse;
use usvg::{Group, Node, Rect};

const PT_PER_PX: f64 = 0.75;
/// Ink of neighbours may come this close, in points.
const TOUCH: f64 = 0.05;

/// A box in points.
#[derive(Debug, Clone)]
pub struct Shape {
    pub text: String,
    pub size_pt: f64,
    pub left: f64,
    pub top: f64,
    pub right: f64,
    pub bottom: f64,
}

impl Shape {
    fn new(text: &str, size_pt: f64, rect: Rect) -> Self {
        let pt = |px: f32| f64::from(px) * PT_PER_PX;
        Shape {
            text: text.to_string(),
            size_pt,
            left: pt(rect.left()),
            top: pt(rect.top()),
            right: pt(rect.right()),
            bottom: pt(rect.bottom()),
        }
    }

    pub fn overlaps(&self, other: &Shape) -> bool {
        self.left + TOUCH < other.right
            && other.left + TOUCH < self.right
            && self.top + TOUCH < other.bottom
            && other.top + TOUCH < self.bottom
    }

    pub fn inside(&self, width: f64, height: f64) -> bool {
        self.left >= 0.0 && self.top >= 0.0 && self.right <= width && self.bottom <= height
    }
}

/// A drawing.
pub struct Drawing {
    pub width: f64,
    pub height: f64,
    pub texts: Vec<Shape>,
    /// Frames of plotting areas.
    pub frames: Vec<Shape>,
}

impl Drawing {
    pub fn new(svg: &str) -> Self {
        let tree = parse(svg).unwrap();
        let size = tree.size();
        let mut drawing = Drawing {
            width: f64::from(size.width()) * PT_PER_PX,
            height: f64::from(size.height()) * PT_PER_PX,
            texts: Vec::new(),
            frames: Vec::new(),
        };
        drawing.gather(tree.root());
        drawing
    }

    fn gather(&mut self, group: &Group) {
        for node in group.children() {
            match node {
                Node::Group(group) => self.gather(group),
                Node::Text(text) => {
                    let span = &text.chunks()[0].spans()[0];
                    let words: String = text.chunks().iter().map(|chunk| chunk.text()).collect();
                    // Units of the drawing are hundredths of a point.
                    let size = f64::from(span.font_size().get()) / 100.0;
                    // Laid-out text knows nothing of where the node stands.
                    let ink = text.flattened().bounding_box().transform(text.abs_transform()).unwrap();
                    self.texts.push(Shape::new(words.trim(), size, ink));
                }
                Node::Path(path) => {
                    let black = path.stroke().is_some_and(|stroke| {
                        matches!(stroke.paint(), usvg::Paint::Color(c) if (c.red, c.green, c.blue) == (0, 0, 0))
                            && (stroke.width().get() - 50.0).abs() < 1e-3
                    });
                    // A frame goes round and one side further, so that its first corner is sharp.
                    if black && path.data().points().len() == 6 {
                        self.frames.push(Shape::new("frame", 0.0, path.abs_bounding_box()));
                    }
                }
                Node::Image(_) => {}
            }
        }
    }
}
