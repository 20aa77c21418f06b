#!/usr/bin/env python3
"""{{name}}: jobs packed by their GPUs, each at the least that is fair; then steps up, as long as they fit, by
throughput gained for what they cost. A plug-in for `--mechanism exec:./{{program}}`; change `allocate` into yours."""
import json
import sys


def allocate(groups, classes, jobs, parameters):
    """What every job gets: a list of {"job": j, "parts": [{"server", "gpus", "cpus", "memory_gb"}]}.

    groups:  server groups, each with count, gpus, cpus, memory_gb of a server
    classes: kinds of jobs, each with gpus, shares (proportional CPUs and GB, by group) and
             configurations (CPUs, GB, throughput; 1 is what the proportional share reaches)
    jobs:    [job, class, weight] in policy order; all servers are free
    """
    gb_in_cpus = float(parameters.get("gb_in_cpus", 0.02))  # what a GB costs, in CPUs
    servers = [dict(group, group=g) for g, group in enumerate(groups) for _ in range(group["count"])]
    placed = []
    for job, kind, weight in sorted(jobs, key=lambda entry: -classes[entry[1]]["gpus"]):
        gpus = classes[kind]["gpus"]
        fitting = [s for s in range(len(servers)) if servers[s]["gpus"] >= gpus]
        if not fitting:
            continue  # larger than every server, or none has its GPUs left: not scheduled in this round
        best = min(fitting, key=lambda s: servers[s]["gpus"])
        # The proportional shares of a server's jobs always fit there. The cheapest configuration within the
        # share that is no slower leaves something to step up with.
        cpus, memory_gb = classes[kind]["shares"][servers[best]["group"]]
        within = [k for k in classes[kind]["configurations"] if k[0] <= cpus and k[1] <= memory_gb and k[2] >= 1]
        cpus, memory_gb, reached = min(within, key=lambda k: k[0] + gb_in_cpus * k[1], default=(cpus, memory_gb, 1))
        take(servers[best], gpus, cpus, memory_gb)
        part = {"server": best, "gpus": gpus, "cpus": cpus, "memory_gb": memory_gb}
        placed.append({"job": job, "part": part, "reached": reached, "weight": weight, "kind": kind})

    # Server by server: the step with the most gain per cost, until none fits.
    for index, server in enumerate(servers):
        here = [entry for entry in placed if entry["part"]["server"] == index]
        while True:
            best = None
            for entry in here:
                part = entry["part"]
                for cpus, memory_gb, throughput in classes[entry["kind"]]["configurations"]:
                    more_cpus, more_gb = cpus - part["cpus"], memory_gb - part["memory_gb"]
                    gain = entry["weight"] * (throughput - entry["reached"])
                    if gain <= 0 or more_cpus > server["cpus"] or more_gb > server["memory_gb"]:
                        continue
                    rate = gain / max(more_cpus + gb_in_cpus * more_gb, 1e-9)
                    if best is None or rate > best[0]:
                        best = rate, entry, cpus, memory_gb, throughput
            if best is None:
                break
            _, entry, cpus, memory_gb, entry["reached"] = best
            part = entry["part"]
            take(server, 0, cpus - part["cpus"], memory_gb - part["memory_gb"])
            part["cpus"], part["memory_gb"] = cpus, memory_gb
    return [{"job": entry["job"], "parts": [entry["part"]]} for entry in placed]


def take(server, gpus, cpus, memory_gb):
    server["gpus"] -= gpus
    server["cpus"] -= cpus
    server["memory_gb"] -= memory_gb


def main():
    groups, classes, parameters = [], [], {}
    for line in sys.stdin:
        request = json.loads(line)
        if request["type"] == "hello":
            parameters = request["parameters"]
            answer = {"type": "hello", "schema": "synergy-plugin/1", "name": "{{name}}", "promises": ["fair"]}
        elif request["type"] == "cluster":
            groups, classes = request["groups"], []
            continue
        elif request["type"] == "classes":
            classes[request["first"]:] = request["classes"]
            continue
        else:
            allocated = allocate(groups, classes, request["jobs"], parameters)
            answer = {"type": "allocation", "round": request["round"], "jobs": allocated}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
