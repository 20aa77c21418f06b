#!/usr/bin/env python3
"""Names and specifications of benchmark set v1, one JSON object per line.

    ./make.py > instances.jsonl
    synergy bench --set . --all --update      # fingerprints, bounds, best known values

Every instance has a seed of its own. The set is published: a change of what this prints is a new set.
"""
import itertools
import json

SPLITS = [[20, 70, 10], [33, 33, 33], [50, 0, 50], [30, 60, 10]]
SHORT = ["20-70-10", "33-33-33", "50-0-50", "30-60-10"]
seeds = itertools.count(1)


def entry(name, gpus, demand, cpus=3, memory_gb=62.5, split=None, profiles=None, rules=None, **more):
    workload = {"seed": next(seeds), **more}
    workload.setdefault("cluster", {"gpus": gpus, "cpus_per_gpu": cpus, "memory_gb_per_gpu": memory_gb})
    if split is not None:
        workload["mix"] = {"split": split}
    if profiles is not None:
        workload["profiles"] = profiles
    workload["demand"] = {"kind": demand} if isinstance(demand, str) else demand
    line = {"name": name, "workload": workload}
    if rules is not None:
        line["rules"] = rules
    print(json.dumps(line, separators=(",", ":")))


# The paper's workloads: sizes, ratios, mixes.
for demand, gpus, cpus, s in itertools.product(["single", "multi"], [32, 64, 128, 256, 512, 1024], [3, 4, 5, 6], range(4)):
    entry(f"{demand}-{gpus}-c{cpus}-{SHORT[s]}", gpus, demand, cpus, split=SPLITS[s])

# Little and much memory per GPU.
for demand, gpus, memory_gb in itertools.product(["single", "multi"], [64, 128, 256], [31.25, 40, 125]):
    entry(f"{demand}-{gpus}-m{memory_gb:g}", gpus, demand, memory_gb=memory_gb)

# Demands by a power law, with and without those that are no powers of two.
for powers, exponent, gpus, cpus in itertools.product([True, False], [1, 2], [32, 128, 512], [3, 6]):
    kind = "pow2" if powers else "any"
    law = {"kind": "power-law", "exponent": exponent, "max_gpus": 8, "powers_of_two": powers}
    entry(f"power-law-{kind}-{gpus}-c{cpus}-e{exponent}", gpus, law, cpus)

# Jobs larger than a server.
for gpus, cpus, s in itertools.product([64, 256], [3, 6], [0, 2]):
    mixture = {"kind": "mixture", "gpus": [1, 2, 4, 8, 16], "weights": [50, 15, 15, 10, 10]}
    entry(f"large-jobs-{gpus}-c{cpus}-{SHORT[s]}", gpus, mixture, cpus, split=SPLITS[s])

# Other servers: four GPUs, six GPUs, and two groups of unequal servers.
for demand, (size, gpus) in itertools.product(["single", "multi"], [(4, 64), (4, 256), (6, 96)]):
    servers = {"gpus": gpus, "gpus_per_server": size, "cpus_per_gpu": 3, "memory_gb_per_gpu": 62.5}
    entry(f"{demand}-{gpus}-servers-of-{size}", gpus, demand, cluster=servers)
for demand, count in itertools.product(["single", "multi"], [2, 8, 32]):
    group = {"gpu_type": "v100", "count": count, "gpus": 8, "memory_gb": 500}
    groups = {"groups": [{**group, "cpus": 24}, {**group, "cpus": 48}]}
    entry(f"{demand}-{16 * count}-two-groups", 16 * count, demand, cluster=groups)

# A queue longer than the cluster.
for demand, gpus in itertools.product(["single", "multi"], [32, 128, 512]):
    entry(f"{demand}-{gpus}-overloaded", gpus, demand, jobs=2 * gpus)

# Other rules.
for demand, gpus in itertools.product(["single", "multi"], [64, 128, 512]):
    entry(f"{demand}-{gpus}-by-gpus", gpus, demand, rules={"objective": "gpus"})
    entry(f"{demand}-{gpus}-whole-cpus", gpus, demand, rules={"whole_cpus": True})

# Synthetic profiles: sharp and smooth knees, CPU and memory sensitivity apart or together.
for demand, gpus, knee, correlation in itertools.product(["single", "multi"], [64, 256], ["sharp", "smooth"], [-1, 0, 1]):
    family = {"kind": "synthetic", "family": "random", "knee": knee, "correlation": correlation, "spread": 1}
    entry(f"synthetic-{demand}-{gpus}-{knee}-r{correlation}", gpus, demand, profiles=family)

# Adversarial profiles: every model as sensitive as can be, none, every other one.
for demand, gpus, kind in itertools.product(["single", "multi"], [32, 128, 1024], ["all", "none", "half"]):
    family = {"kind": "synthetic", "family": f"{kind}-sensitive", "knee": "smooth" if kind == "half" else "sharp"}
    entry(f"adversarial-{demand}-{gpus}-{kind}-sensitive", gpus, demand, profiles=family)
