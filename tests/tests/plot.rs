//! `synergy plot`: every figure from what other commands write, the same bytes every time, and nothing
//! at all from bad input.

use synergy_tests::{Place, Run};

const STUDY: &str = r#"
schema = "synergy-study/1"
name = "small"
seed = 7
replicates = 2
[methods]
bounds = ["lp", "config"]
placements = ["vertex", "bisection"]
mechanisms = ["proportional", "greedy", "tune", "opt-deployable"]
[axes]
demand = ["single", "multi"]
gpus = [16, 32]
"#;

const SIMULATE: &str = "simulate --jobs 60 --demand single --gpus 16 --policy fifo --mechanism proportional,tune \
                        --load 0.5,0.8 --seed 1,2 --out sim -q";

/// A place with a study, simulations, an instance with an allocation, and what the profiler writes.
fn results() -> Place {
    let place = Place::new();
    place.write("small.toml", STUDY);
    place.synergy("study run small.toml --out study -q").ok();
    place.synergy(SIMULATE).ok();
    place.synergy("generate --gpus 32 --demand multi --seed 7 --out instance.json -q").ok();
    place.synergy("allocate instance.json --mechanism tune --out allocation.json -q").ok();
    place.synergy("profile resnet18 bert --format csv --out profiling.csv").ok();
    place
}

const FIGURES: [(&str, &str); 19] = [
    ("gaps", "study --by demand,gpus"),
    ("gap-cdf", "study --by demand --bound lp"),
    ("gap-profile", "study"),
    ("gap-decomposition", "study --only demand=multi --mechanism tune,proportional"),
    ("performance-profile", "study"),
    ("scatter", "study --mechanism opt-deployable"),
    ("scaling", "study"),
    ("bars", "study --by gpus"),
    ("bars", "sim --by jobs_per_hour"),
    ("jct-cdf", "sim --by jobs_per_hour"),
    ("jct-cdf", "sim --only jobs_per_hour=0.8 --mechanism tune"),
    ("jct-load", "sim"),
    ("speedup-load", "sim"),
    ("utilisation", "sim --only jobs_per_hour=0.5"),
    ("sensitivity", "instance.json"),
    ("sensitivity", "--model resnet18"),
    ("profiler", "profiling.csv"),
    ("cluster-map", "instance.json allocation.json"),
    ("cluster-map", "instance.json allocation.json --servers 1..3"),
];

#[test]
fn every_figure_is_made_of_real_results_and_again_byte_for_byte() {
    let place = results();
    for (index, (figure, arguments)) in FIGURES.iter().enumerate() {
        for width in ["column", "page"] {
            let stem = |turn: usize| format!("f{index}-{width}-{turn}");
            for turn in [0, 1] {
                place
                    .synergy(&format!("plot {figure} {arguments} --width {width} --out {}", stem(turn)))
                    .ok();
            }
            for ending in ["csv", "svg", "pdf", "png"] {
                let read =
                    |turn: usize| std::fs::read(place.path(&format!("{}.{ending}", stem(turn)))).unwrap();
                assert!(read(0) == read(1), "{figure} {arguments} {width}: {ending} differs");
            }
            // The figure is made of its CSV alone: without the tables, the same drawing.
            place.synergy(&format!("plot {figure} {0}.csv --width {width} --out again", stem(0))).ok();
            assert!(
                place.read("again.svg") == place.read(&format!("{}.svg", stem(0))),
                "{figure} {arguments}"
            );
        }
    }
}

#[test]
fn csv_of_figures_holds_what_the_tables_say() {
    let place = results();
    place.synergy("plot jct-load sim --out load -q").ok();
    let csv = place.read("load.csv");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        rows[0],
        ["panel", "mechanism", "jobs_per_hour", "seeds", "mean_jct_h", "low_h", "high_h", "overloaded"]
    );
    // Two mechanisms at two loads over two seeds, intervals around the mean.
    assert_eq!(rows.len(), 5);
    for row in &rows[1..] {
        let number = |i: usize| row[i].parse::<f64>().unwrap();
        assert_eq!(row[3], "2");
        assert!(number(5) < number(4) && number(4) < number(6), "{row:?}");
    }
    // The distribution of completion times: shares ascend to 1 for the jobs that all ended.
    place.synergy("plot jct-cdf sim --only jobs_per_hour=0.5 --mechanism tune --out cdf -q").ok();
    let csv = place.read("cdf.csv");
    for class in ["short jobs (< 4 h)", "long jobs (≥ 4 h)"] {
        let shares: Vec<f64> = csv
            .lines()
            .filter(|line| line.contains(class))
            .map(|line| line.split(',').nth(4).unwrap().parse().unwrap())
            .collect();
        assert!(shares.windows(2).all(|pair| pair[0] < pair[1]), "{shares:?}");
        assert_eq!(shares.last(), Some(&1.0));
    }
    // Parts of a gap add up to the gap.
    place.synergy("plot gap-decomposition study --mechanism tune --out parts -q").ok();
    place.synergy("plot gaps study --mechanism tune --bound lp --out gap -q").ok();
    let parts: f64 = place
        .read("parts.csv")
        .lines()
        .skip(1)
        .map(|line| line.split(',').nth(3).unwrap().parse::<f64>().unwrap())
        .sum();
    let gap: f64 = place.read("gap.csv").lines().nth(1).unwrap().split(',').nth(2).unwrap().parse().unwrap();
    assert!((parts - gap).abs() < 1e-9, "{parts} is not {gap}");
}

#[test]
fn bad_input_is_one_line_and_leaves_nothing() {
    let place = results();
    place.write("style.toml", "schema = \"synergy-style/1\"\n[size]\ntext_pt = 5\n");
    place.write("damaged.csv", "panel,mechanism\n");
    std::fs::create_dir(place.path("empty")).unwrap();
    std::fs::create_dir(place.path("broken")).unwrap();
    place.write("broken/runs.parquet", "no Parquet");
    let before = place.files();
    let refused = |arguments: &str, code: i32, message: &str| {
        let Run { code: found, stderr, .. } = place.synergy(&format!("plot {arguments} --out x"));
        assert_eq!(found, code, "{arguments}: {stderr}");
        assert_eq!(stderr.lines().count(), 1, "{arguments}: {stderr}");
        assert!(stderr.contains(message), "{arguments}: {stderr}");
        assert_eq!(place.files(), before, "{arguments}");
    };
    refused("gapz study", 2, "did you mean \"gaps\"?");
    refused("jct-load empty", 3, "empty: has no runs.parquet; synergy simulate ... --out DIR writes it");
    refused("jct-load broken", 3, "is no Parquet file");
    refused("gaps empty", 3, "has no instances.parquet; synergy study run ... --out DIR writes it");
    refused("gaps sim", 3, "sim: holds simulations and no instances with gaps");
    refused("scaling sim", 3, "sim: holds simulations and no instances with gaps");
    refused("gaps study --mechanism tunes", 3, "did you mean \"tune\"?");
    refused("gaps study --bound ilq", 3, "no bound \"ilq\"");
    refused("gaps study --by demnd", 3, "did you mean \"demand\"?");
    refused("gaps study --only demand=triple", 3, "no row has demand \"triple\"");
    refused("gaps study study", 3, "give one results directory");
    refused("jct-cdf sim", 3, "--by jobs_per_hour");
    refused("jct-cdf sim --only jobs_per_hour=3", 3, "no row has jobs_per_hour \"3\"");
    refused("jct-cdf sim --by gpuz", 3, "no column \"gpuz\"; did you mean \"gpus\"?");
    refused("jct-load sim --mechanism lp", 3, "no row has mechanism \"lp\"");
    refused("jct-load sim --label a,b", 3, "2 labels for 1 inputs");
    refused("jct-load", 3, "give a directory with runs.parquet");
    refused("speedup-load sim --reference greedy", 3, "no run has the reference mechanism \"greedy\"");
    refused("profiler damaged.csv", 3, "damaged.csv: ");
    refused("profiler instance.json", 3, "is no table of profiling");
    refused("sensitivity damaged.csv", 3, "damaged.csv: ");
    refused("sensitivity --model resnet19", 3, "did you mean \"resnet18\"?");
    refused("cluster-map instance.json", 3, "give an instance and an allocation");
    refused("cluster-map instance.json allocation.json --servers 0..9", 3, "they are numbered 0..4");
    refused("gaps study --style style.toml", 3, "size.text_pt: is 5; give points from 7 to 16");
    refused("gaps study --style absent.toml", 3, "absent.toml: does not exist");
    refused("gaps absent", 3, "absent: does not exist; give a results directory of a study");
    refused("jct-load absent", 3, "absent: cannot be read: it does not exist");
    refused("jct-load sim sim/runs.parquet --label a,a", 3, "\"a\" names two inputs");
    for (stem, message) in [("-", "give their path without ending"), ("empty/", "is a directory")] {
        let run = place.synergy(&format!("plot gaps study --out {stem}"));
        assert_eq!((run.code, run.stderr.lines().count()), (3, 1), "{run:?}");
        assert!(run.stderr.contains(message), "{run:?}");
        assert!(place.files() == before && std::fs::read_dir(place.path("empty")).unwrap().count() == 0);
    }
    let nowhere = place.synergy("plot gaps study --out no/such/place");
    assert_eq!((nowhere.code, nowhere.stderr.lines().count()), (3, 1), "{nowhere:?}");
}

#[test]
fn odd_names_and_numbers_of_a_figures_own_table_are_drawn() {
    let place = Place::new();
    let header = "panel,bound,mechanism,gap_percent,share,instances";
    for rows in [
        // A share far beyond its axis, of a series that is dashed.
        ",best,greedy,5.6,0.5,2\n,best,tune,5.6,0.5,2\n,best,tune,7.6,1e19,2",
        ",best,tune,-1e308,0.5,2\n,best,tune,1e308,1,2",
        ",best,tune,inf,0.5,2\n,best,tune,nan,1,2",
        "\u{1}\u{1b}[31m,\"be\nst\",<script>&\u{fffe},1,0.5,2",
    ] {
        place.write("own.csv", format!("{header}\n{rows}\n"));
        let run = place.synergy("plot gap-cdf own.csv --out drawn");
        assert_eq!(run.code, 0, "{rows}: {run:?}");
        let svg = place.read("drawn.svg");
        assert!(svg.len() < 200_000 && !svg.contains("<script>"), "{rows}: {} bytes", svg.len());
    }
}

#[test]
fn the_list_names_every_figure() {
    let place = Place::new();
    let list = place.synergy("plot --list").ok().stdout;
    for (figure, _) in FIGURES {
        assert!(list.lines().any(|line| line.starts_with(figure)), "{figure}");
    }
}
