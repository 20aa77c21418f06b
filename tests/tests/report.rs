//! `synergy report`: one page from any results directory (`scripts/report-test.sh` opens it in a browser).

use synergy_tests::Place;

const STUDY: &str = "schema = \"synergy-study/1\"\nname = \"small\"\nreplicates = 2\n[methods]\n\
    bounds = [\"lp\", \"config\"]\nplacements = [\"vertex\"]\nmechanisms = [\"proportional\", \"tune\"]\n\
    [parameters]\ngpus = 16\n[axes]\ndemand = [\"single\", \"multi\"]\n";

#[test]
fn a_study_and_a_simulation_below_it_are_one_page() {
    let place = Place::new();
    place.write("study.toml", STUDY);
    place.synergy("study run study.toml --out results").ok();
    place.synergy("simulate --load 0.3 --jobs 60 --gpus 8 --policy fifo --mechanism proportional,tune --out results/sim").ok();
    let run = place.synergy("report results --out page.html").ok();
    assert!(run.stderr.contains("-> page.html"), "{run:?}");
    let page = place.read("page.html");
    for part in [
        "<h3 id=\"s1-summary\">Summary</h3>",
        "4 instances. Gaps are",
        "<svg role=\"img\"",
        "s0-mechanisms-data",
        "s1-runs-data",
        "2 simulations",
        "mechanisms = [",
        "<th scope=\"col\" class=\"text\">BLAKE3</th>",
    ] {
        assert!(page.contains(part), "no {part}");
    }
    place.synergy("report results").ok();
    assert!(place.read("results/report.html") == page, "same tables, same bytes, wherever it goes");
    let piped = place.synergy("report results --out -").ok();
    assert!(piped.stdout == page);
    let capped = place.synergy("report results --rows 5 --out capped.html").ok();
    assert!(capped.stderr.contains("carries the first 5 of"), "{capped:?}");
}

#[test]
fn what_is_no_results_directory_is_one_line_and_leaves_nothing() {
    let place = Place::new();
    place.write("empty.txt", "");
    for (arguments, said) in [
        ("report absent", "absent"),
        ("report .", "holds no Parquet table"),
        ("report empty.txt", "empty.txt"),
    ] {
        let run = place.synergy(arguments);
        assert_eq!((run.code, run.stderr.lines().count()), (3, 1), "{arguments}: {run:?}");
        assert!(run.stderr.contains(said), "{arguments}: {run:?}");
    }
    assert_eq!(place.synergy("report . --rows 0").code, 2);
    assert_eq!(place.files(), ["empty.txt"]);
}

#[test]
fn what_a_recipe_found_stands_beside_what_the_paper_says() {
    let place = Place::new();
    place.synergy("reproduce profiling --quick --out out").ok();
    place.synergy("report out").ok();
    let page = place.read("out/report.html");
    // One link per directory below, and one table of claims with the published minutes.
    assert!(page.contains("<li><a href=\"#s0\">profiling</a></li>"), "{}", &page[..page.len().min(9000)]);
    assert!(page.contains(">verdict</th>") && page.contains(">agrees</td>"));
    assert!(page.contains(">240.00 min</td>"), "measured minutes of the full grid");
}
