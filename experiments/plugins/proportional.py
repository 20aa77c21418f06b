#!/usr/bin/env python3
"""GPU-proportional shares, first fit by descending GPU demand: a plug-in in 20 lines."""
import json
import sys

classes, groups = [], []
for line in sys.stdin:
    request = json.loads(line)
    if request["type"] == "hello":
        answer = {"type": "hello", "schema": "synergy-plugin/1", "name": "proportional-py", "promises": ["fair"]}
    elif request["type"] == "cluster":
        groups, classes = request["groups"], []
        continue
    elif request["type"] == "classes":
        classes[request["first"]:] = request["classes"]
        continue
    else:
        free = [(g["gpus"], h) for h, g in enumerate(groups) for _ in range(g["count"])]  # GPUs, group
        jobs = []
        for job, c, weight in sorted(request["jobs"], key=lambda j: -classes[j[1]]["gpus"]):
            gpus = classes[c]["gpus"]
            server = next((s for s, (left, _) in enumerate(free) if left >= gpus), None)
            if server is not None:
                cpus, memory_gb = classes[c]["shares"][free[server][1]]
                free[server] = (free[server][0] - gpus, free[server][1])
                part = {"server": server, "gpus": gpus, "cpus": cpus, "memory_gb": memory_gb}
                jobs.append({"job": job, "parts": [part]})
        answer = {"type": "allocation", "round": request["round"], "jobs": jobs}
    print(json.dumps(answer), flush=True)
