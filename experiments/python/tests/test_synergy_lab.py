"""What the package promises: same numbers as the command, numpy in and out, Arrow out, functions as mechanisms,
errors in the command's words."""
import json
import math

import numpy as np
import pandas
import polars
import pyarrow
import pytest
import synergy_lab as lab


@pytest.fixture(scope="module")
def instance():
    return lab.generate(gpus=64, demand="multi", split=[20, 70, 10], seed=7)


def first_fit(groups, classes, jobs, shuffle=0):
    """Proportional shares, first fit by descending GPU demand."""
    free = [[group["gpus"], g] for g, group in enumerate(groups) for _ in range(group["count"])]
    placed = []
    for job, kind, weight in sorted(jobs, key=lambda entry: -classes[entry[1]]["gpus"]):
        gpus = classes[kind]["gpus"]
        server = next((s for s in range(len(free)) if free[s][0] >= gpus), None)
        if server is not None:
            free[server][0] -= gpus
            cpus, memory_gb = classes[kind]["shares"][free[server][1]]
            # numpy's numbers are numbers too
            part = {"server": server, "gpus": np.int64(gpus), "cpus": np.float64(cpus), "memory_gb": memory_gb}
            placed.append({"job": job, "parts": [part]})
    return placed


def test_bounds_are_above_allocations_and_gaps_stand_only_where_they_hold(instance):
    lp, config, skip = (lab.bound(instance, name) for name in ("lp", "config", "lp-skip"))
    tune, greedy = lab.allocate(instance, "tune"), lab.allocate(instance, "greedy")
    assert lp.certified >= config.certified * (1 - 1e-9) >= tune.value * (1 - 2e-9)
    assert tune.fair and tune.complete and tune.consolidated and not tune.violations
    assert tune.gap(config) == pytest.approx((config.certified - tune.value) / config.certified)
    if not (greedy.fair and greedy.complete):
        assert greedy.gap(lp) is None
    assert greedy.gap(skip) >= 0
    assert len(tune.throughput) == len(instance.runnable) and min(tune.throughput.values()) >= 1 - 1e-6


def test_an_instance_survives_its_file(tmp_path, instance):
    instance.save(tmp_path / "i.json")
    again = lab.load(tmp_path / "i.json")
    assert again.jobs == instance.jobs and len(again) == len(instance)
    assert lab.allocate(again, "tune").value == lab.allocate(instance, "tune").value
    allocation = lab.allocate(instance, "tune")
    assert lab.check(again, allocation.jobs).value == pytest.approx(allocation.value, rel=1e-12)


def test_matrices_go_in_and_out_as_arrays():
    w = np.array([[0.5, 0.5], [1.0, 1.2], [1.8, 2.0]])
    built = lab.build(
        servers=[{"count": 1, "gpus": 2, "cpus": 6, "memory_gb": 125}],
        profiles={"net": (np.array([1.0, 3.0, 5.0]), [20, 62.5], w)},
        jobs=[("net", 1), {"profile": "net", "gpus": 1, "id": "second", "weight": 2}],
    )
    cpus, memory_gb, throughput = built.matrix(0)
    assert np.array_equal(cpus, [1, 3, 5]) and np.array_equal(throughput, w)
    assert [job["id"] for job in built.jobs] == ["job0", "second"]
    rows = built.configurations(0)
    assert rows.shape == (6, 3)
    assert rows[:, 2].max() == pytest.approx(2.0 / 1.2)
    # Worked out by hand: one job has 5 CPUs at most, and the other must then do with 1: unfair.
    assert lab.allocate(built, "optimum").value == pytest.approx(3.0)


def test_a_function_is_a_mechanism_everywhere(instance):
    mine = lab.allocate(instance, first_fit)
    proportional = lab.allocate(instance, "proportional")
    assert mine.value == pytest.approx(proportional.value)
    compared = lab.compare(instance, only=["lp", "tune", first_fit])
    assert compared.json[0]["mechanisms"]["first-fit"]["value"] == pytest.approx(mine.value)
    assert lab.allocate(instance, "first-fit[shuffle=3]").value == mine.value
    assert any(entry["name"] == "first-fit" for entry in lab.mechanisms())
    kit = lab.conformance(first_fit, random=10, measure=False)
    assert kit["passed"], kit
    scores = lab.bench(first_fit, "tune", only="multi-64-c3")["scores"]
    assert scores[0]["mean_gap"]["mean"] > scores[1]["mean_gap"]["mean"] > 0


def test_what_a_function_does_wrong_is_an_exception_and_never_a_number(instance):
    @lab.mechanism(name="over")
    def over(groups, classes, jobs):
        part = {"server": 0, "gpus": classes[jobs[0][1]]["gpus"], "cpus": 1e6, "memory_gb": 1}
        return [{"job": jobs[0][0], "parts": [part]}]

    def broken(groups, classes, jobs):
        raise ValueError("bad\nmatrix")

    with pytest.raises(lab.MechanismFailed, match="over.*invalid allocation"):
        lab.allocate(instance, "over")
    with pytest.raises(lab.MechanismFailed, match="ValueError: bad matrix"):
        lab.allocate(instance, broken)
    with pytest.raises(lab.InvalidInput, match="built-in"):
        lab.mechanism(broken, name="tune")
    record = lab.compare(instance, only=["tune", broken]).json[0]["mechanisms"]["broken"]
    assert record["status"] == "failed" and record["value"] is None


def test_tables_are_arrow_to_every_reader(instance):
    table = lab.compare(instance, only=["lp", "tune", "greedy"]).table
    in_polars, in_arrow = polars.DataFrame(table), pyarrow.table(table)
    in_pandas = in_arrow.to_pandas()
    assert in_polars.height == in_arrow.num_rows == len(in_pandas) == len(table) == 3
    assert in_polars.columns == table.columns == in_arrow.column_names
    assert in_polars["method"].to_list() == list(in_pandas["method"]) == ["lp", "tune", "greedy"]
    value = in_polars.filter(polars.col("method") == "tune")["value"].item()
    assert value == lab.allocate(instance, "tune").value
    # Unknown is null, not 0 or NaN.
    assert in_polars.filter(polars.col("method") == "lp")["fair"].item() is None
    assert isinstance(in_pandas, pandas.DataFrame)
    # A table outlives what it was made from, and can be taken twice.
    again = polars.DataFrame(table)
    del table
    assert again.equals(in_polars)


def test_simulations_give_tables_and_tell_how_far_they_are():
    told = []
    spec = dict(
        mechanisms=["tune", first_fit], load=6, seeds=[1],
        workload={"jobs": 60, "cluster": {"gpus": 16}, "demand": {"kind": "multi"}},
    )
    done = lab.simulate(progress=told.append, **spec)
    assert done.messages == []
    runs = polars.DataFrame(done.runs)
    assert runs.height == 2 and len(done.jobs) == 120 and len(done.rounds) > 0
    again = lab.simulate(**spec)
    assert polars.DataFrame(again.jobs).equals(polars.DataFrame(done.jobs))
    assert all(entry["runs"] == 2 for entry in told)

    def stop(now):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lab.simulate(mechanisms=["tune"], load=200, workload={"jobs": 40000}, progress=stop)


def test_errors_say_what_the_command_says(tmp_path):
    with pytest.raises(lab.InvalidInput, match="did you mean \"greedy\""):
        lab.allocate(lab.generate(gpus=8), "gredy")
    with pytest.raises(lab.InvalidInput, match="does not exist; check the path"):
        lab.load(tmp_path / "none.json")
    with pytest.raises(lab.InvalidInput, match="gpsu.*did you mean"):
        lab.generate(gpsu=8)
    with pytest.raises(lab.InvalidInput, match="no bound is called"):
        lab.bound(lab.generate(gpus=8), "best")
    bad = json.loads(lab.generate(gpus=8).to_json())
    bad["jobs"][1]["gpus"] = -1
    (tmp_path / "bad.json").write_text(json.dumps(bad))
    with pytest.raises(lab.InvalidInput, match=r"bad.json: jobs\[1\].gpus"):
        lab.load(tmp_path / "bad.json")
    assert issubclass(lab.InvalidInput, lab.SynergyError) and math.isfinite(lab.bound(lab.generate(gpus=8), "lp").certified)


def test_threads_of_python_go_on_during_work(instance):
    import threading

    counted = 0
    stop = threading.Event()

    def count():
        nonlocal counted
        while not stop.is_set():
            counted += 1

    thread = threading.Thread(target=count)
    thread.start()
    try:
        lab.allocate(instance, "opt-deployable")
    finally:
        stop.set()
        thread.join()
    assert counted > 0
