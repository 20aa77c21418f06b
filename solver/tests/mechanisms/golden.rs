//! Every rule of TUNE, GREEDY and proportional on a case small enough to work out by hand.

use crate::{flat, group, instance, job, parts_of, profile};
use synergy_solver::mechanisms::{Greedy, Mechanism, Outcome, Proportional, Tune};
use synergy_solver::model::Instance;

fn run(mechanism: &dyn Mechanism, instance: &Instance) -> Outcome {
    mechanism.allocate(instance, &instance.queue()).unwrap()
}

/// Share: 3 CPUs and 100 GB per GPU.
fn servers(count: usize, gpus: u32) -> Vec<synergy_solver::model::ServerGroup> {
    vec![group(count, gpus, 3.0 * f64::from(gpus), 100.0 * f64::from(gpus))]
}

#[test]
fn best_fit_takes_fewest_gpus_then_fewest_cpus_then_least_memory_then_lowest_index() {
    // In order of demand: a, b and c (4 GPUs each) open servers 0 to 2 and fill them but for 1 GPU, with
    // 6, 5 and 5 CPUs free, the last two with 200 and 150 GB free. d has 1 GPU.
    let jobs = vec![
        job("d", 1, &flat(1.0, 50.0)),
        job("a", 4, &flat(2.25, 50.0)),
        job("b", 4, &flat(2.5, 75.0)),
        job("c", 4, &flat(2.5, 87.5)),
    ];
    // b and c come before a: more CPUs. c before b: more memory.
    let i = instance(servers(4, 5), jobs.clone());
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "c"), [(0, 4.0, 10.0, 350.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "b"), [(1, 4.0, 10.0, 300.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "a"), [(2, 4.0, 9.0, 200.0)]);
    // Fewest GPUs rule out server 3; fewest CPUs server 2 (6 against 5); least memory server 1 (200 against 150).
    assert_eq!(parts_of(&i, &outcome.allocation, "d"), [(0, 1.0, 1.0, 50.0)]);
    // With 160 GB, only servers 1 and 2 have room: fewest CPUs.
    let mut jobs = jobs;
    jobs[0] = job("d", 1, &flat(1.0, 99.0));
    jobs[3] = job("c", 4, &flat(2.5, 100.0));
    jobs[2] = job("b", 4, &flat(2.5, 100.0));
    let i = instance(servers(4, 5), jobs);
    // b and c are equal now: queue order a, b, c puts b on server 0, c on server 1. d takes the lowest index.
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "b")[0].0, 0);
    assert_eq!(parts_of(&i, &outcome.allocation, "c")[0].0, 1);
    assert_eq!(parts_of(&i, &outcome.allocation, "d")[0].0, 0);
    assert!(outcome.reverted.is_empty());
}

#[test]
fn revert_a_gives_the_share_in_every_resource_also_where_less_was_asked() {
    // One server, 4 GPUs, 12 CPUs, 400 GB. x wants 9 CPUs and 200 GB, y 8 CPUs and 100 GB: y does not fit, holds its
    // share (6, 200), still does not fit, and makes x give back 3 CPUs.
    let jobs = vec![
        job("y", 2, &profile((1.0, 50.0), (4.0, 50.0))),
        job("x", 2, &profile((1.0, 100.0), (4.5, 100.0))),
    ];
    let i = instance(servers(1, 4), jobs);
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "x"), [(0, 2.0, 6.0, 200.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "y"), [(0, 2.0, 6.0, 200.0)]);
    assert_eq!(outcome.reverted, [0, 1]);
}

#[test]
fn revert_a_retries_on_every_server_before_anyone_is_reverted() {
    // Server 0 takes the two that want 9 CPUs and has 1 GPU free without CPUs; z (5 CPUs) fits on no
    // server after w fills server 1 to 3 free CPUs; at its share it fits there.
    let hungry = profile((1.0, 100.0), (4.5, 100.0));
    let jobs =
        vec![job("u", 2, &hungry), job("w", 2, &hungry), job("z", 1, &profile((1.0, 100.0), (4.0, 100.0)))];
    // 4 GPUs, 12 CPUs: u on 0 (3 CPUs left), w does not fit there: server 1. z (4 CPUs) fits nowhere; at 3 on server 0.
    let i = instance(servers(2, 4), jobs);
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "w"), [(1, 2.0, 9.0, 200.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "z"), [(0, 1.0, 3.0, 100.0)]);
    assert_eq!(outcome.reverted, [2]);
}

#[test]
fn revert_b_takes_the_most_cpus_per_gpu_first_and_stops_as_soon_as_it_fits() {
    // 12 CPUs: a 5, b 4, c 3 leave none; d asks for 2, less than its share. a gives back 2, which is enough.
    let jobs = vec![
        job("b", 1, &profile((1.0, 100.0), (4.0, 100.0))),
        job("a", 1, &profile((1.0, 100.0), (5.0, 100.0))),
        job("c", 1, &flat(3.0, 100.0)),
        job("d", 1, &flat(2.0, 100.0)),
    ];
    let i = instance(servers(1, 4), jobs);
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "a"), [(0, 1.0, 3.0, 100.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "b"), [(0, 1.0, 4.0, 100.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "d"), [(0, 1.0, 2.0, 100.0)]);
    assert_eq!(outcome.reverted, [1]);
}

#[test]
fn revert_b_of_equals_takes_the_one_placed_first_and_more_memory_before_that() {
    // a and b hold 4.5 CPUs per GPU. a was placed first; c asks for the 3 CPUs that one revert and the rest give.
    let hungry = profile((1.0, 100.0), (4.5, 100.0));
    let thirsty = profile((1.0, 50.0), (4.5, 90.0));
    let third = job("c", 1, &flat(1.5, 100.0));
    let i = instance(servers(1, 3), vec![job("a", 1, &hungry), job("b", 1, &hungry), third.clone()]);
    assert_eq!(run(&Tune, &i).reverted, [0]);
    // Of a (90 GB) and b (100 GB), b is placed first and reverted first: more memory.
    let i = instance(servers(1, 3), vec![job("a", 1, &thirsty), job("b", 1, &hungry), third]);
    assert_eq!(run(&Tune, &i).reverted, [1]);
}

#[test]
fn revert_b_tests_all_resources_again_because_a_revert_may_raise_one() {
    // 3 GPUs, 9 CPUs, 300 GB. a holds (6, 20), b (2, 180); c asks for (2, 90). CPUs are short: a becomes (3, 100),
    // which leaves 4 CPUs but only 20 GB. Now memory is short: b becomes (3, 100).
    let jobs = vec![
        job("a", 1, &profile((3.0, 20.0), (6.0, 20.0))),
        job("b", 1, &profile((2.0, 100.0), (2.0, 180.0))),
        job("c", 1, &flat(2.0, 90.0)),
    ];
    let i = instance(servers(1, 3), jobs);
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "a"), [(0, 1.0, 3.0, 100.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "b"), [(0, 1.0, 3.0, 100.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "c"), [(0, 1.0, 2.0, 90.0)]);
    assert_eq!(outcome.reverted, [0, 1]);
}

#[test]
fn a_mixed_revert_stays_fair_because_it_gives_the_share_everywhere() {
    // x runs at twice its baseline with 6 CPUs and 20 GB, and at its baseline from (3, 100) on only.
    let w = ndarray::array![[0.25, 1.0], [2.0, 2.0]];
    let trader = synergy_solver::model::Profile::new("trader", vec![3.0, 6.0], vec![20.0, 100.0], w).unwrap();
    let jobs = vec![job("x", 1, &trader.into()), job("y", 1, &flat(3.0, 100.0))];
    let i = instance(servers(1, 2), jobs);
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "x"), [(0, 1.0, 3.0, 100.0)]);
    assert!(synergy_solver::check::check(&i, &i.queue(), &outcome.allocation).verdicts.fair);
}

#[test]
fn revert_b_takes_the_server_with_the_fewest_sufficient_gpus() {
    // 4 GPUs, 12 CPUs per server. The 3-GPU job holds all 12 CPUs of server 0, the 2-GPU job those of server 1.
    let jobs = vec![
        job("two", 2, &profile((1.0, 100.0), (6.0, 100.0))),
        job("three", 3, &profile((1.0, 100.0), (4.0, 100.0))),
        job("late", 1, &flat(3.0, 100.0)),
    ];
    let i = instance(servers(2, 4), jobs);
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "late"), [(0, 1.0, 3.0, 100.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "three"), [(0, 3.0, 9.0, 300.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "two"), [(1, 2.0, 12.0, 200.0)]);
}

#[test]
fn a_job_that_no_server_has_the_gpus_for_is_split_by_most_free_gpus() {
    // Servers of 3 GPUs, 9 CPUs: each 2-GPU job opens one; d goes over the single GPUs left of servers 0 and 1, where a
    // and b (8 CPUs) give back 2 so that its share of 3 fits.
    let hungry = profile((1.0, 100.0), (4.0, 100.0));
    let jobs: Vec<_> = ["a", "b", "c", "d"].map(|id| job(id, 2, &hungry)).into();
    let i = instance(servers(3, 3), jobs);
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "d"), [(0, 1.0, 3.0, 100.0), (1, 1.0, 3.0, 100.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "a"), [(0, 2.0, 6.0, 200.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "b"), [(1, 2.0, 6.0, 200.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "c"), [(2, 2.0, 8.0, 200.0)]);
    assert_eq!(outcome.reverted, [0, 1, 3]);

    // proportional, too, splits; its jobs are no reverts.
    let outcome = run(&Proportional, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "d"), [(0, 1.0, 3.0, 100.0), (1, 1.0, 3.0, 100.0)]);
    assert!(outcome.reverted.is_empty());

    // The most free GPUs first: after two jobs of 3 and one of 2, servers of 4 have 1, 1, 2 and 4 left.
    let even = flat(3.0, 100.0);
    let jobs =
        [("a", 3), ("b", 3), ("c", 3), ("d", 3), ("e", 2)].map(|(id, gpus)| job(id, gpus, &even)).into();
    let i = instance(vec![group(1, 3, 9.0, 300.0), group(1, 5, 15.0, 500.0), group(2, 4, 12.0, 400.0)], jobs);
    let outcome = run(&Proportional, &i);
    // a fills server 0, b and c take the servers of 4, d the 3 of 5: 2, 1 and 1 GPUs are left; e fits.
    assert_eq!(parts_of(&i, &outcome.allocation, "e"), [(1, 2.0, 6.0, 200.0)]);
    let jobs = ["a", "b", "c", "d"].map(|id| job(id, 3, &even)).into();
    let i = instance(vec![group(2, 4, 12.0, 400.0), group(1, 5, 15.0, 500.0)], jobs);
    // a, b and c leave 1, 1 and 2: d takes the 2 of server 2 and, of the single ones, the first.
    let outcome = run(&Proportional, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "d"), [(0, 1.0, 3.0, 100.0), (2, 2.0, 6.0, 200.0)]);
}

#[test]
fn a_job_split_over_groups_holds_per_gpu_the_smallest_share_of_both() {
    // Shares (2, 60) and (4, 50) per GPU: the job of 3 GPUs takes 2 and 1.
    let groups = vec![group(1, 2, 4.0, 120.0), group(1, 3, 12.0, 150.0)];
    let lean = flat(2.0, 50.0);
    let jobs = vec![job("first", 2, &lean), job("split", 3, &lean)];
    let i = instance(groups, jobs);
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "split"), [(1, 3.0, 6.0, 150.0)]);

    let groups = vec![group(1, 2, 4.0, 120.0), group(1, 2, 8.0, 100.0)];
    let i = instance(groups, vec![job("one", 1, &lean), job("two", 1, &lean), job("both", 2, &lean)]);
    // Both servers have 2 GPUs: "both" comes first and takes the one with fewer CPUs.
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "both"), [(0, 2.0, 4.0, 100.0)]);

    // Three GPUs per server, two of the jobs of 2 leave 1 and 1 for the third.
    let groups = vec![group(1, 3, 6.0, 180.0), group(1, 3, 12.0, 150.0)];
    let jobs = ["a", "b", "c"].map(|id| job(id, 2, &lean)).into();
    let i = instance(groups, jobs);
    let outcome = run(&Tune, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "c"), [(0, 1.0, 2.0, 50.0), (1, 1.0, 2.0, 50.0)]);
    let outcome = run(&Proportional, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "a"), [(0, 2.0, 4.0, 120.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "b"), [(1, 2.0, 8.0, 100.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "c"), [(0, 1.0, 2.0, 50.0), (1, 1.0, 2.0, 50.0)]);
}

#[test]
fn with_unequal_groups_a_uses_the_smallest_share_and_b_that_of_the_residents_server() {
    // Group 0: 2 CPUs per GPU; group 1: 6. Smallest share 2. "big" (14 CPUs) fits on server 1 only and leaves it 10.
    // "mid" (11) fits nowhere: 4, on server 0. "late" (5 above its share of 4: 4) fits on server 1: 10 left.
    let groups = vec![group(1, 2, 4.0, 200.0), group(1, 4, 24.0, 400.0)];
    let jobs = vec![
        job("big", 2, &profile((1.0, 100.0), (11.0, 100.0))),
        job("mid", 2, &profile((1.0, 100.0), (6.0, 100.0))),
        job("late", 2, &profile((1.0, 100.0), (2.0, 100.0))),
    ];
    let i = instance(groups, jobs);
    let outcome = run(&Tune, &i);
    // big 22 CPUs on server 1; mid (12) does not fit: smallest share 4, on server 0. late (4): 2 CPUs free on
    // server 1, so big gives back: its share on its own server is 12, not 4.
    assert_eq!(parts_of(&i, &outcome.allocation, "mid"), [(0, 2.0, 4.0, 200.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "late"), [(1, 2.0, 4.0, 200.0)]);
    assert_eq!(parts_of(&i, &outcome.allocation, "big"), [(1, 2.0, 12.0, 200.0)]);
    assert_eq!(outcome.reverted, [0, 1]);
}

#[test]
fn a_job_larger_than_every_server_takes_whole_servers_and_the_rest_on_one_more() {
    // Demand only counts up to the share: 5 CPUs per GPU are not to be had.
    let wide = profile((2.0, 100.0), (5.0, 100.0));
    let jobs = vec![job("small", 1, &flat(3.0, 100.0)), job("large", 6, &wide)];
    let i = instance(servers(3, 4), jobs);
    for mechanism in [&Tune as &dyn Mechanism, &Greedy] {
        let outcome = run(mechanism, &i);
        // greedy places "small" first, on server 0.
        let first = usize::from(mechanism.about().name == "greedy");
        let expected = if first == 0 {
            vec![(0, 4.0, 8.0, 400.0), (1, 2.0, 4.0, 200.0)]
        } else {
            // Whole: server 1; the rest fits best on server 0 (3 GPUs free).
            vec![(0, 2.0, 4.0, 200.0), (1, 4.0, 8.0, 400.0)]
        };
        assert_eq!(parts_of(&i, &outcome.allocation, "large"), expected);
    }
    // Of two groups, the one that needs fewer servers.
    let groups = vec![group(3, 2, 6.0, 200.0), group(2, 4, 12.0, 400.0)];
    let i = instance(groups, vec![job("large", 6, &wide)]);
    let outcome = run(&Proportional, &i);
    assert_eq!(parts_of(&i, &outcome.allocation, "large"), [(3, 4.0, 12.0, 400.0), (4, 2.0, 6.0, 200.0)]);
}

#[test]
fn greedy_fits_first_in_policy_order_and_skips() {
    let hungry = profile((1.0, 100.0), (5.0, 100.0));
    let jobs = vec![
        job("a", 1, &hungry),
        job("b", 1, &hungry),
        job("c", 1, &hungry),
        job("d", 1, &flat(1.0, 100.0)),
        job("e", 1, &hungry),
    ];
    let i = instance(servers(2, 3), jobs);
    let outcome = run(&Greedy, &i);
    // 9 CPUs per server: one of a, b each, then 4 are left; d fits on server 0.
    assert_eq!(parts_of(&i, &outcome.allocation, "a")[0].0, 0);
    assert_eq!(parts_of(&i, &outcome.allocation, "b")[0].0, 1);
    assert_eq!(parts_of(&i, &outcome.allocation, "c"), []);
    assert_eq!(parts_of(&i, &outcome.allocation, "d")[0].0, 0);
    assert_eq!(parts_of(&i, &outcome.allocation, "e"), []);
}

#[test]
fn only_the_runnable_set_is_allocated_by_tune() {
    // 4 GPUs: a takes 3, b's 2 do not fit any more, c's 1 does.
    let p = flat(3.0, 100.0);
    let i = instance(servers(1, 4), vec![job("a", 3, &p), job("b", 2, &p), job("c", 1, &p)]);
    assert_eq!(i.runnable(&i.queue()), [0, 2]);
    for mechanism in [&Tune as &dyn Mechanism, &Proportional] {
        let outcome = run(mechanism, &i);
        let jobs: Vec<usize> = outcome.allocation.jobs.iter().map(|entry| entry.job).collect();
        assert_eq!(jobs, [0, 2]);
    }
}
