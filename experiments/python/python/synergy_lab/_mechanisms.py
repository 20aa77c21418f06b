"""Functions as mechanisms: what a plug-in process does, without the process."""
from __future__ import annotations

import inspect
import json
from typing import Any, Callable, Sequence

from . import _native

_registered: dict[Callable, str] = {}


def mechanism(
    function: Callable | None = None,
    *,
    name: str | None = None,
    promises: Sequence[str] = ("fair",),
    takes: str = "runnable-set",
) -> Callable:
    """Makes a function a mechanism that every command of the package knows by name: a decorator.

    The function is called once per round as function(groups, classes, jobs, **parameters):
      groups:  server groups, each with count, gpus, cpus, memory_gb of a server
      classes: kinds of jobs, each with gpus, shares (proportional CPUs and GB by group), demand and
               configurations (CPUs, GB, throughput; 1 is what the proportional share reaches)
      jobs:    [job, class, weight] in policy order; all servers are free
    and returns [{"job": 0, "parts": [{"server": 0, "gpus": 1, "cpus": 3, "memory_gb": 62.5}]}, ...]; a job
    that is not listed is not scheduled. Further arguments with defaults are parameters: "name[alpha=0.5]".
    Every answer is checked. The name is the function's, with "-" for "_".
    """
    if function is None:
        return lambda f: mechanism(f, name=name, promises=promises, takes=takes)
    if takes not in ("runnable-set", "whole-queue"):
        raise _native.InvalidInput(f"takes {takes!r}; known are runnable-set, whole-queue")
    chosen = name or function.__name__.strip("<>_").replace("_", "-")
    defaults = {
        parameter.name: parameter.default
        for parameter in list(inspect.signature(function).parameters.values())[3:]
        if parameter.default is not inspect.Parameter.empty
    }
    description = (inspect.getdoc(function) or "a function of Python").splitlines()[0]
    _native.register(
        chosen,
        description,
        takes == "whole-queue",
        list(promises),
        [(key, str(value)) for key, value in defaults.items()],
        lambda: _Session(function, chosen, list(promises), takes, defaults),
    )
    _registered[function] = chosen
    return function


def name_of(given: str | Callable) -> str:
    """The name of a mechanism; a function that has none yet gets its own."""
    if isinstance(given, str):
        return given
    if given not in _registered:
        mechanism(given)
    return _registered[given]


class _Session:
    """Answers the lines of the plug-in protocol (schemas/synergy-plugin-1.schema.json)."""

    def __init__(self, function: Callable, name: str, promises: list, takes: str, defaults: dict[str, Any]):
        self.function, self.name, self.promises, self.takes = function, name, promises, takes
        self.defaults = defaults
        self.parameters: dict[str, Any] = {}
        self.groups: list = []
        self.classes: list = []

    def ask(self, lines: str) -> str:
        answer: dict = {}
        for request in map(json.loads, lines.splitlines()):
            kind = request["type"]
            if kind == "hello":
                self.parameters = {key: self._typed(key, text) for key, text in request["parameters"].items()}
                answer = {
                    "type": "hello", "schema": request["schema"], "name": self.name, "promises": self.promises,
                    "takes": self.takes,
                }
            elif kind == "cluster":
                self.groups, self.classes = request["groups"], []
            elif kind == "classes":
                self.classes[request["first"]:] = request["classes"]
            else:
                jobs = self.function(self.groups, self.classes, request["jobs"], **self.parameters)
                answer = {"type": "allocation", "round": request["round"], "jobs": list(jobs)}
        return json.dumps(answer, default=_number) + "\n"

    def _typed(self, key: str, text: str) -> Any:
        """A parameter in the type of its default."""
        default = self.defaults[key]
        if isinstance(default, bool):
            return {"true": True, "1": True, "false": False, "0": False}[text.lower()]
        return type(default)(text) if isinstance(default, (int, float)) else text


def _number(value: Any) -> Any:
    """Numbers of numpy."""
    if hasattr(value, "item"):
        return value.item()
    raise TypeError(f"{type(value).__name__} in an allocation; give numbers, lists and dicts")
