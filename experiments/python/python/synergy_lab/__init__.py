"""The Synergy workbench for Python: instances, bounds, mechanisms, simulations.

    import synergy_lab as lab
    instance = lab.generate(gpus=128, demand="multi", seed=7)
    lab.bound(instance, "config").certified
    lab.allocate(instance, "tune").value
    lab.compare([instance], only=["lp", "config", "tune", my_function]).table

Errors are exceptions with the text of the command line. Work runs without Python's lock.
"""
from __future__ import annotations

import json as _json
import os as _os
from dataclasses import dataclass as _dataclass
from typing import Any, Callable, Iterable, Mapping, Sequence

from . import _native
from ._mechanisms import mechanism, name_of as _name_of
from ._native import InvalidInput, MechanismFailed, SynergyError, Table, Uncertified, read_table

__all__ = [
    "Allocation", "Bound", "Comparison", "Instance", "InvalidInput", "MechanismFailed", "Simulation", "SynergyError",
    "Table", "Uncertified", "allocate", "bench", "bound", "build", "check", "compare", "conformance", "generate",
    "load", "mechanism", "mechanisms", "read_table", "simulate",
]


class Instance:
    """A cluster and its jobs in policy order. Made by `generate`, `load` or `build`."""

    def __init__(self, native: _native.Instance):
        self._native = native
        self._described = None

    @property
    def name(self) -> str:
        return self._native.name

    def _describe(self) -> dict:
        if self._described is None:
            self._described = _json.loads(self._native.describe())
        return self._described

    @property
    def groups(self) -> list[dict]:
        """Server groups: gpu_type, count, and gpus, cpus, memory_gb of a server."""
        return self._describe()["groups"]

    @property
    def jobs(self) -> list[dict]:
        """Jobs: id, class, gpus, weight."""
        return self._describe()["jobs"]

    @property
    def classes(self) -> list[dict]:
        """Kinds of jobs: profile, gpus, shares (proportional CPUs and GB by group), demand, configurations."""
        return self._describe()["classes"]

    @property
    def runnable(self) -> list[int]:
        """The jobs of the runnable set, by index."""
        return self._describe()["runnable"]

    def matrix(self, job: int):
        """Sensitivity matrix of a job: axes in CPUs and GB per GPU, and throughput, as numpy arrays."""
        import numpy

        return tuple(numpy.asarray(part) for part in self._native.matrix(job))

    def configurations(self, job: int):
        """Rows of CPUs, GB and normalised throughput, as a numpy array: what the job could get in all."""
        import numpy

        return numpy.asarray(self.classes[self.jobs[job]["class"]]["configurations"])

    def to_json(self) -> str:
        """The text of an instance file."""
        return self._native.to_json()

    def save(self, path) -> None:
        """Writes an instance file, for `synergy compare` and others."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.to_json())

    def __len__(self) -> int:
        return len(self._native)

    def __repr__(self) -> str:
        return repr(self._native)


@_dataclass(frozen=True)
class Bound:
    """An upper bound; `certified` is the number that gaps stand against, None where it is not known."""

    name: str
    status: str
    value: float | None
    certified: float | None
    trusted: bool
    scope: str
    shadow_price_cpu: float | None
    shadow_price_memory_gb: float | None


@_dataclass(frozen=True)
class Allocation:
    """What a mechanism gave, and what the independent checker says of it."""

    status: str
    value: float
    value_per_job: float | None
    valid: bool
    consolidated: bool
    fair: bool
    complete: bool
    gpus_idle: float
    throughput: dict[int, float]
    violations: list[str]
    bound: float | None
    jobs: list[dict]

    def gap(self, bound: Bound) -> float | None:
        """(bound - value) / bound; None where the bound does not hold for this allocation."""
        fair_complete = self.valid and self.fair and self.complete
        holds = {
            "valid": self.valid,
            "consolidated": self.valid and self.consolidated,
            "fair-complete": fair_complete,
            "fair-complete-consolidated": fair_complete and self.consolidated,
        }[bound.scope]
        number = bound.value if bound.trusted else bound.certified
        return (number - self.value) / number if holds and number else None


@_dataclass(frozen=True)
class Comparison:
    """Bounds, placements and mechanisms side by side: the table of `synergy compare` and its JSON."""

    table: Table
    json: list[dict]


@_dataclass(frozen=True)
class Simulation:
    """Tables of simulations, as `synergy simulate --out` writes them; messages of runs that did not end well."""

    runs: Table
    jobs: Table
    rounds: Table
    timings: Table
    messages: list[str]


def generate(**parameters: Any) -> Instance:
    """Generates jobs that fill a cluster. Parameters are those of study files, such as `gpus`, `demand`, `split`,
    `cpus_per_gpu`, `seed`, `objective`; dotted ones as `**{"mix.models": "round-robin"}`."""
    return Instance(_native.generate(_json.dumps(_plain(parameters))))


def load(path, **rules: Any) -> Instance:
    """Reads an instance file. Rules: `objective`, `throughput`, `whole_cpus`."""
    return Instance(_native.read_instance(_os.fspath(path), _json.dumps(rules)))


def build(
    servers: Sequence[Mapping[str, Any]],
    profiles: Mapping[str, tuple],
    jobs: Iterable[Any],
    *,
    name: str = "built",
    **rules: Any,
) -> Instance:
    """An instance of your own numbers.

    servers:  dicts with count, gpus, cpus, memory_gb (of a server), and gpu_type if you like
    profiles: name -> (CPUs per GPU, GB per GPU, throughput), arrays or lists; throughput has a row per CPU point
    jobs:     (profile, gpus) or dicts with profile, gpus and maybe id, weight, arrival_s, work_s
    """
    groups = [{"gpu_type": "gpu", **group} for group in servers]
    matrices = {
        key: {"cpus_per_gpu": cpus, "memory_gb_per_gpu": memory_gb, "throughput": throughput}
        for key, (cpus, memory_gb, throughput) in profiles.items()
    }
    entries = []
    for index, job in enumerate(jobs):
        entry = dict(job) if isinstance(job, Mapping) else dict(zip(("profile", "gpus"), job))
        entries.append({"id": f"job{index}", **entry})
    file = {"schema": "synergy-instance/1", "cluster": groups, "profiles": matrices, "jobs": entries}
    return Instance(_native.parse_instance(name, _json.dumps(_plain(file)), _json.dumps(rules)))


def mechanisms() -> list[dict]:
    """All mechanisms, those of your own included: name, description, source, promises, parameters."""
    return _json.loads(_native.mechanisms())


def bound(
    instance: Instance,
    name: str = "config",
    *,
    per_server_cap: bool = False,
    fairness_floor: float = 1.0,
    node_limit: int | None = None,
) -> Bound:
    """An upper bound by name: `lp`, `ilp`, `config`, `lp-skip`, `lp-groups`."""
    text = _native.bound(instance._native, name, per_server_cap, fairness_floor, node_limit)
    return Bound(**_json.loads(text))


def allocate(instance: Instance, mechanism: str | Callable) -> Allocation:
    """Runs a mechanism: a name, such as "tune" or "tune-local[evaluations=50]", or a function."""
    found = _json.loads(_native.allocate(instance._native, _name_of(mechanism)))
    return _allocation(found, found.pop("allocation")["jobs"])


def check(instance: Instance, jobs: Sequence[Mapping[str, Any]]) -> Allocation:
    """The checker's verdicts on an allocation: dicts with id and parts (server, gpus, cpus, memory_gb)."""
    file = {"schema": "synergy-allocation/1", "jobs": list(jobs)}
    found = _json.loads(_native.check(instance._native, _json.dumps(_plain(file))))
    return _allocation({**found, "status": "ok", "bound": None}, list(jobs))


def _allocation(found: dict, jobs: list) -> Allocation:
    return Allocation(**{**found, "throughput": dict(map(tuple, found["throughput"]))}, jobs=jobs)


def compare(
    instances: Instance | Sequence[Instance],
    only: Sequence[str | Callable] | None = None,
    *,
    node_limit: int | None = None,
    time_limit_s: float | None = 60.0,
) -> Comparison:
    """Bounds, placements and mechanisms side by side; names, or functions as mechanisms."""
    if isinstance(instances, Instance):
        instances = [instances]
    names = None if only is None else [_name_of(name) for name in only]
    native = [instance._native for instance in instances]
    text, table = _native.compare(native, names, node_limit, time_limit_s)
    return Comparison(table=table, json=_json.loads(text))


def conformance(mechanism: str | Callable, *, random: int = 300, seed: int = 1, measure: bool = True) -> dict:
    """Does a mechanism keep its promises? As `synergy conformance --format json`."""
    return _json.loads(_native.conformance(_name_of(mechanism), random, seed, measure))


def bench(*mechanisms: str | Callable, only: str | None = None, set=None) -> dict:
    """Scores on the benchmark set, as `synergy bench --format json`; `only`: instances whose name contains it."""
    names = [_name_of(mechanism) for mechanism in mechanisms]
    return _json.loads(_native.bench(names, only, None if set is None else _os.fspath(set)))


def simulate(
    *,
    policies: Sequence[str] = ("fifo",),
    mechanisms: Sequence[str | Callable] = ("proportional", "tune"),
    load: float | Sequence[float] = (),
    seeds: Sequence[int] = (),
    workload: Mapping[str, Any] | None = None,
    progress: bool | Callable[[dict], Any] = False,
    **specification: Any,
) -> Simulation:
    """Simulates every policy with every mechanism at every load for every seed.

    load:     arrivals in jobs per hour
    workload: as in workload files, for instance {"jobs": 2000, "cluster": {"gpus": 64}}
    progress: True for a line that renews itself, or a function that gets a dict now and then
    Others, such as measure="1000..2000", as in simulation.toml.
    """
    spec = {
        "policies": list(policies),
        "mechanisms": [_name_of(mechanism) for mechanism in mechanisms],
        "loads": [load] if isinstance(load, (int, float)) else list(load),
        "seeds": list(seeds),
        "workload": dict(workload or {}),
        **specification,
    }
    tell = _print_progress if progress is True else progress or None
    hook = None if tell is None else lambda text: tell(_json.loads(text))
    tables, messages = _native.simulate(_json.dumps(_plain(spec)), hook)
    if progress is True:
        print()
    return Simulation(**dict(tables), messages=messages)


def _print_progress(now: dict) -> None:
    line = "\rrun {} of {}, {policy} + {mechanism}: {simulated_h:.0f} h simulated, {done} jobs done, {queue} in the queue"
    print(line.format(now["run"] + 1, now["runs"], **now), end="", flush=True)


def _plain(value: Any) -> Any:
    """Arrays and numbers of numpy as lists and numbers."""
    if isinstance(value, Mapping):
        return {str(key): _plain(inner) for key, inner in value.items()}
    if hasattr(value, "tolist"):
        return value.tolist()
    if isinstance(value, (list, tuple)):
        return [_plain(inner) for inner in value]
    return value
