//! Image tests: every figure from synthetic data, at both widths, with one and ten series, with short
//! and long names. Texts are taken from the laid-out drawing, not from what the layout believes.

mod drawing;
mod pdf;
mod samples;

use super::data::Data;
use super::style::{LEAST_TEXT_PT, SeriesStyle, Style};
use super::{FIGURES, FigureError, Options, Width, find, layout, plot, render};
use drawing::Drawing;
use samples::{names, sample};

fn options(width: Width) -> Options {
    Options { width: Some(width), ..Options::default() }
}

fn svg(figure: &'static super::Figure, data: &Data, options: &Options) -> String {
    super::drawn(figure, data.clone(), options).unwrap().svg
}

/// Every figure x width x number of series x length of names.
fn for_every_figure(mut check: impl FnMut(&'static super::Figure, Width, &Data, &str)) {
    for figure in FIGURES {
        for width in [Width::Column, Width::Page] {
            for series in [1, 3, 10] {
                for long in [false, true] {
                    let data = sample(figure.name, &names(series, long), long);
                    let what = format!("{} {width:?} {series} series, long names: {long}", figure.name);
                    check(figure, width, &data, &what);
                }
            }
        }
    }
}

#[test]
fn texts_stand_apart_and_on_the_page() {
    for_every_figure(|figure, width, data, what| {
        let drawing = Drawing::new(&svg(figure, data, &options(width)));
        assert!(!drawing.texts.is_empty(), "{what}");
        for (i, a) in drawing.texts.iter().enumerate() {
            assert!(a.inside(drawing.width, drawing.height), "{what}: {a:?} leaves the page");
            assert!(a.size_pt >= LEAST_TEXT_PT - 1e-3, "{what}: {a:?} is too small");
            for b in &drawing.texts[i + 1..] {
                assert!(!a.overlaps(b), "{what}: {a:?} and {b:?} overlap");
            }
        }
    });
}

#[test]
fn no_text_stands_on_a_plotting_area_but_that_of_cells() {
    for_every_figure(|figure, width, data, what| {
        let drawing = Drawing::new(&svg(figure, data, &options(width)));
        assert!(!drawing.frames.is_empty(), "{what}");
        if figure.name == "sensitivity" {
            return;
        }
        for text in &drawing.texts {
            for frame in &drawing.frames {
                assert!(!text.overlaps(frame), "{what}: {text:?} stands on the plot {frame:?}");
            }
        }
    });
}

#[test]
fn plotting_areas_keep_most_of_the_width_and_lie_below_the_legend() {
    for_every_figure(|figure, width, data, what| {
        let drawing = Drawing::new(&svg(figure, data, &options(width)));
        for frame in &drawing.frames {
            assert!(frame.inside(drawing.width, drawing.height), "{what}: {frame:?}");
            assert!(frame.right - frame.left > 50.0, "{what}: {frame:?} is too narrow");
        }
        // The legend names every series, in full or with an ellipsis, above all panels.
        let top = drawing.frames.iter().map(|frame| frame.top).fold(f64::INFINITY, f64::min);
        if ["jct-cdf", "gap-cdf", "jct-load", "gaps", "bars"].contains(&figure.name) {
            for name in data.distinct("mechanism") {
                let start: String = name.chars().take(8).collect();
                let found =
                    drawing.texts.iter().any(|text| text.text.starts_with(&start) && text.bottom <= top);
                assert!(found, "{what}: {name} is not in the legend");
            }
        }
    });
}

#[test]
fn cells_of_a_matrix_have_readable_numbers() {
    let data = sample("sensitivity", &names(1, false), false);
    let drawing = Drawing::new(&svg(find("sensitivity").unwrap(), &data, &options(Width::Column)));
    for row in 0..data.rows() {
        let number = format!("{:.2}", data.number(row, "throughput").unwrap());
        assert!(drawing.texts.iter().any(|text| text.text == number), "{number} is not drawn");
    }
}

#[test]
fn drawings_are_the_same_every_time_and_from_the_csv_alone() {
    for_every_figure(|figure, width, data, what| {
        let first = svg(figure, data, &options(width));
        let read = Data::from_csv("x", &data.to_csv(), figure.columns).unwrap().unwrap();
        assert_eq!(read, *data, "{what}");
        assert!(first == svg(figure, &read, &options(width)), "{what} differs");
    });
}

#[test]
fn nulls_and_single_rows_are_drawn() {
    for figure in FIGURES {
        let full = sample(figure.name, &names(2, false), false).to_csv();
        let lines: Vec<&str> = full.lines().collect();
        // One row; and the numbers of a row blanked.
        let one = format!("{}\n{}\n", lines[0], lines[1]);
        let blanked: Vec<String> = lines[1]
            .split(',')
            .map(|cell| if cell.parse::<f64>().is_ok() { String::new() } else { cell.to_string() })
            .collect();
        let null = format!("{}\n{}\n{}\n", lines[0], lines[1], blanked.join(","));
        for csv in [one, null] {
            let data = Data::from_csv("x", &csv, figure.columns).unwrap().unwrap();
            let drawing = Drawing::new(&svg(figure, &data, &options(Width::Column)));
            assert!(!drawing.frames.is_empty(), "{}", figure.name);
        }
    }
}

#[test]
fn pdf_text_can_be_selected_and_its_font_is_embedded() {
    for figure in FIGURES {
        let data = sample(figure.name, &names(3, false), false);
        let svg = svg(figure, &data, &options(Width::Column));
        let tree = render::parse(&svg).unwrap();
        let bytes = render::pdf(&tree).unwrap();
        assert_eq!(bytes, render::pdf(&tree).unwrap(), "{}", figure.name);
        let read = pdf::Pdf::read(&bytes);
        assert!(read.embedded_font, "{}", figure.name);
        for text in Drawing::new(&svg).texts {
            let wanted: String = text.text.chars().filter(|c| !c.is_whitespace()).collect();
            assert!(
                read.text.contains(&wanted),
                "{}: {:?} is not in {:?}",
                figure.name,
                text.text,
                read.text
            );
        }
    }
}

#[test]
fn series_look_alike_in_every_figure_and_differ_within_one() {
    let style = Style::default();
    let alone = style.looks(["tune"]);
    let among = style.looks(["greedy", "my-own", "tune", "proportional"]);
    assert_eq!(alone[0], among[2]);
    // Names of all kinds: every pair differs in colour or in its second cue, whatever is drawn.
    let own: Vec<String> = (0..20).map(|i| format!("own-{i}")).collect();
    let many: Vec<&str> =
        ["tune", "proportional", "lp"].into_iter().chain(own.iter().map(String::as_str)).collect();
    let looks = style.looks(many.iter().copied());
    for (i, a) in looks.iter().enumerate() {
        for b in &looks[i + 1..] {
            assert!((a.colour, a.dash) != (b.colour, b.dash) && (a.colour, a.marker) != (b.colour, b.marker));
        }
    }
    // In grey, the first eight differ by dash and by marker alone.
    let mechanisms =
        ["proportional", "tune", "greedy", "opt-rounded", "opt-deployable", "price-greedy", "tune-local"];
    let looks = style.looks(mechanisms);
    for (i, a) in looks.iter().enumerate() {
        for b in &looks[i + 1..] {
            assert!(a.dash != b.dash && a.marker != b.marker);
        }
    }
}

#[test]
fn a_style_changes_names_colours_and_sizes() {
    let data = sample("gap-cdf", &["tune".to_string(), "greedy".to_string()], false);
    let mut style = Style::default();
    style.size.text_pt = 9.0;
    style.size.column_pt = 300.0;
    style.size.panel_pt = Some(80.0);
    style.series.insert(
        "tune".into(),
        SeriesStyle { name: Some("Ours".into()), colour: Some("#ff0102".into()), ..SeriesStyle::default() },
    );
    let svg = svg(find("gap-cdf").unwrap(), &data, &Options { style, ..Options::default() });
    let drawing = Drawing::new(&svg);
    assert!(svg.contains("#FF0102") && (drawing.width - 300.0).abs() < 0.01);
    assert!(drawing.texts.iter().any(|text| text.text == "Ours"));
    assert!(drawing.texts.iter().all(|text| (text.size_pt - 9.0).abs() < 1e-3));
    let height = drawing.frames[0].bottom - drawing.frames[0].top;
    assert!((height - 80.0).abs() < 0.01, "{height}");
}

#[test]
fn style_files_are_read_and_their_faults_named() {
    let directory = tempfile::tempdir().unwrap();
    let read = |text: &str| {
        let path = directory.path().join("s.toml");
        std::fs::write(&path, text).unwrap();
        Style::read(path.to_str().unwrap())
    };
    let good = read(
        "schema = \"synergy-style/1\"\n[size]\ntext_pt = 7.5\n[series.tune]\nname = \"TUNE\"\ndash = \"dash-dot\"\n\
         marker = \"star\"\n",
    );
    assert_eq!(good.unwrap().size.text_pt, 7.5);
    for (text, wanted) in [
        ("[size]\ntext_p = 8\n", "did you mean \"text_pt\"?"),
        ("[size]\ntext_pt = 6.5\n", "give points from 7 to 16"),
        ("[size]\ntext_pt = nan\n", "give points from 7 to 16"),
        ("[series.tune]\ncolour = \"blue\"\n", "write it as \"#rrggbb\""),
        ("[series.tune]\nmarker = \"squar\"\n", "did you mean \"square\"?"),
        ("colors = 3\n", "unknown key \"colors\""),
    ] {
        let error = read(&format!("schema = \"synergy-style/1\"\n{text}")).unwrap_err().to_string();
        assert!(error.contains(wanted) && error.contains("s.toml"), "{error}");
    }
}

#[test]
fn a_figure_is_made_anew_from_its_own_csv_or_not_at_all() {
    let directory = tempfile::tempdir().unwrap();
    let data = sample("jct-load", &names(3, false), false);
    let csv = directory.path().join("mine.csv");
    std::fs::write(&csv, data.to_csv()).unwrap();
    let at = |name: &str| Options { out: Some(directory.path().join(name)), ..Options::default() };
    let a = plot("jct-load", std::slice::from_ref(&csv), &at("a.b")).unwrap();
    let b = plot("jct-load", &[a.file("csv")], &at("c")).unwrap();
    for ending in ["csv", "svg", "pdf", "png"] {
        assert!(a.file(ending).ends_with(format!("a.b.{ending}")));
        assert_eq!(
            std::fs::read(a.file(ending)).unwrap(),
            std::fs::read(b.file(ending)).unwrap(),
            "{ending}"
        );
    }
    // Too few cells in a row, no rows, another table, no such figure: nothing is written.
    let count = || std::fs::read_dir(directory.path()).unwrap().count();
    let before = count();
    let header = data.to_csv().lines().next().unwrap().to_string();
    for text in [format!("{header}\n1,2\n"), format!("{header}\n"), "x,y\n1,2\n".to_string()] {
        std::fs::write(&csv, text).unwrap();
        assert!(plot("jct-load", std::slice::from_ref(&csv), &at("d")).is_err());
    }
    let unknown = plot("jct-lode", &[], &at("d")).unwrap_err();
    assert!(matches!(unknown, FigureError::Unknown { .. }));
    assert_eq!(unknown.to_string(), "no figure \"jct-lode\"; did you mean \"jct-load\"?");
    assert_eq!(count(), before);
}

#[test]
fn the_tests_see_what_is_wrong_with_a_drawing() {
    use super::canvas::{Align, sheet};
    use plotters::style::BLACK;
    let svg = sheet((100.0, 50.0), |canvas| {
        canvas.frame((40.0, 5.0), (95.0, 45.0), BLACK, 0.5);
        canvas.text((5.0, 20.0), "one two", 8.0, Align::Start, BLACK);
        canvas.text((20.0, 22.0), "three", 6.0, Align::Start, BLACK);
        canvas.text_upwards((98.0, 20.0), "off the page", 8.0, Align::Middle, BLACK);
    });
    let drawing = Drawing::new(&svg.unwrap());
    let [one, three, off] = &drawing.texts[..] else { panic!("{:?}", drawing.texts) };
    assert!(one.overlaps(three) && !one.overlaps(off));
    assert!(one.inside(100.0, 50.0) && !off.inside(100.0, 50.0));
    assert!((three.size_pt - 6.0).abs() < 1e-3);
    assert_eq!(drawing.frames.len(), 1);
    assert!(!three.overlaps(&drawing.frames[0]) && off.right - off.left < off.bottom - off.top);
    // Where it was put, within the bearings of letters.
    assert!((one.left - 5.0).abs() < 0.6 && (one.bottom - 20.0).abs() < 0.3, "{one:?}");
}

#[test]
fn ramp_grows_dark_evenly() {
    let light: Vec<f64> =
        (0..=20).map(|k| super::canvas::luminance(layout::ramp(f64::from(k) / 20.0))).collect();
    assert!(light.windows(2).all(|pair| pair[1] < pair[0]), "{light:?}");
}
