"""Compiles GT4Py programs with and without the hook, and runs both on the same fields."""

import functools
import itertools
import sys
from collections.abc import Iterator
from typing import Any

import dace
import gt4py.next as gtx
import numpy as np
from gt4py.next import config
from gt4py.next.program_processors.runners.dace.workflow import backend, factory

import sdfgopt.gt4py
import support

sys.path.insert(0, str(support.EXAMPLES))

import regenerate  # noqa: E402

# For CXXFLAGS, which GT4Py takes instead of its own flags; a debug build adds no -O. Where compilers may
# contract a*b + c they do so where they happen to see it, and two ways to compute the same differ in the
# last bit. And -O1 takes half the time.
FLAGS = "-fPIC -O1 -ffp-contract=off"

SIZES = {"Cell": 8, "Edge": 12, "K": 10, "C2E": 3, "E2C": 2, "I": 9, "J": 8}

# What the arguments may be that bound a domain: all of it, a part, one element, none (inside, at the end).
BOUNDS = {
    ("cell_start", "cell_end"): [(0, 8), (2, 5), (3, 4), (4, 4), (8, 8)],
    ("edge_start", "edge_end"): [(0, 12), (3, 9), (5, 6), (7, 7)],
    ("i0", "i1"): [(1, 8), (3, 5), (4, 5), (6, 6)],
    ("j0", "j1"): [(1, 7), (2, 3), (5, 5)],
    ("top", "bottom"): [(1, 9), (2, 6), (4, 5), (6, 6)],
    ("bottom",): [(10,), (4,), (1,), (0,)],
    ("flat",): [(0,), (3,), (10,)],
    ("factor",): [(0.5,)],
    ("time_step",): [(0.1,)],
}


@functools.cache
def connectivities() -> dict[str, Any]:
    return regenerate.connectivities()


def cfg() -> Any:
    return factory.DaCeConfig(cmake_build_type=config.CMakeBuildType.DEBUG)


def compiled(program: Any, toolchain: Any) -> Any:
    made = program.with_backend(toolchain).compile(offset_provider=connectivities())
    gtx.wait_for_compilation()
    return made


# What was compiled, by the program's name: programs cannot be keys.
_plain: dict[str, Any] = {}
_hooked: dict[tuple, tuple[Any, sdfgopt.gt4py.Hook]] = {}


def plain(program: Any) -> Any:
    if program.__name__ not in _plain:
        _plain[program.__name__] = compiled(program, backend.make_dace_toolchain(cfg()))
    return _plain[program.__name__]


def hooked(program: Any, **options: Any) -> tuple[Any, sdfgopt.gt4py.Hook]:
    hook = sdfgopt.gt4py.hook(on_error="raise", **options)
    key = (program.__name__, hook)
    if key not in _hooked:
        _hooked[key] = (compiled(program, sdfgopt.gt4py.make_toolchain(cfg(), hook=hook)), hook)
    return _hooked[key]


def copies(program: Any) -> list[str]:
    """The copies between arrays in the SDFG that a program was compiled from, as 'source -> destination'."""
    executables = program._compiled_programs.compiled_programs.values()
    (sdfg,) = (executable._fun.sdfg_program.sdfg for executable in executables)
    return [
        f"{edge.src.data} -> {edge.dst.data}"
        for state in sdfg.states()
        for edge in state.edges()
        if all(isinstance(node, dace.nodes.AccessNode) for node in (edge.src, edge.dst))
        and all(isinstance(sdfg.arrays[node.data], dace.data.Array) for node in (edge.src, edge.dst))
    ]


def verdicts(hook: sdfgopt.gt4py.Hook) -> list[str]:
    return [remark.verdict for entry in hook.reports for remark in entry.report.remarks]


def parameters(program: Any) -> Iterator[tuple[str, Any]]:
    return ((str(param.id), param.type) for param in program.past_stage.past_node.params)


def choices(program: Any) -> list[dict[str, Any]]:
    """All choices of the arguments that are no fields: bounds of domains, flags."""
    left = [name for name, type_ in parameters(program) if not hasattr(type_, "dims")]
    axes = []
    for names, values in BOUNDS.items():
        if all(name in left for name in names):
            axes.append([dict(zip(names, value)) for value in values])
            left = [name for name in left if name not in names]
    axes += [[{name: False}, {name: True}] for name in left]
    return [{name: value for one in choice for name, value in one.items()} for choice in itertools.product(*axes)]


def contents(program: Any) -> dict[str, np.ndarray]:
    """Of the fields among the arguments."""
    random = np.random.default_rng(1)
    made = {}
    for name, type_ in parameters(program):
        if hasattr(type_, "dims"):
            shape = [SIZES[dim.value] for dim in type_.dims]
            dtype = np.dtype(type_.dtype.kind.name.lower())
            values = random.normal(size=shape) if dtype.kind == "f" else random.integers(0, 4, size=shape)
            made[name] = values.astype(dtype)
    return made


def run(program: Any, choice: dict[str, Any], fields: dict[str, np.ndarray]) -> dict[str, bytes]:
    """What the fields hold afterwards, all of them, inside and outside of the domain."""
    given = {}
    for name, type_ in parameters(program):
        if name in fields:
            given[name] = gtx.as_field(type_.dims, fields[name], allocator=program.backend)
        else:
            given[name] = np.int32(choice[name]) if type(choice[name]) is int else choice[name]
    program(**given, offset_provider=connectivities())
    return {name: given[name].ndarray.tobytes() for name in fields}


def assert_equal(one: Any, other: Any, chosen: list[dict[str, Any]]) -> None:
    """Both do the same to the same fields, bit for bit, and at least once they do something."""
    fields = contents(one)
    before = {name: values.tobytes() for name, values in fields.items()}
    busy = False
    for choice in chosen:
        expected, got = run(one, choice, fields), run(other, choice, fields)
        different = [name for name in fields if expected[name] != got[name]]
        assert not different, f"{', '.join(different)} of {one.__name__} with {choice}"
        busy = busy or expected != before
    assert busy, "nothing was computed"
