"""Lower the programs of programs.py to the .sdfg files beside this script.

Needs Python 3.12 and `pip install gt4py==1.2.3 dace==2.0.0a10`; run `python regenerate.py`.

A file holds the SDFG that GT4Py hands to its own write-back pass in the last round of its optimiser,
with that pass switched off. Other versions of the packages give buffers and states other names.
"""

import gzip
import io
import itertools
import json
import pathlib
import uuid
import warnings
from typing import Any
from unittest import mock

warnings.filterwarnings("ignore")

import dace
import gt4py
import gt4py.next as gtx
import numpy as np
from gt4py.next import backend
from gt4py.next.otf import arguments, stages
from gt4py.next.program_processors.runners.dace import transformations
from gt4py.next.program_processors.runners.dace.workflow import factory

import programs

FOLDER = pathlib.Path(__file__).resolve().parent
# Where the packages lie; file names are written relative to it.
ROOTS = [f"{pathlib.Path(module.__file__).parents[1]}/" for module in (gt4py, dace)]
PROGRAMS = (programs.pressure_gradient, programs.divergence_damping, programs.moisture_update)

# Field arguments that start at index 0. Elsewhere a field has its own first index, as by default.
ZERO_ORIGIN = {"moisture_update"}
COMPRESSED = {"moisture_update.dynamic"}

# The octahedron: six vertices, opposite ones add up to 5; eight triangles; twelve edges.
FACES = list(itertools.product((0, 5), (1, 4), (2, 3)))
EDGES = [edge for edge in itertools.combinations(range(6), 2) if sum(edge) != 5]
LEVELS = 10

BOUNDS = {
    "cell_start": 0,
    "cell_end": len(FACES),
    "edge_start": 0,
    "edge_end": len(EDGES),
    "top": 0,
    "bottom": LEVELS,
}


def connectivities() -> dict[str, Any]:
    c2e = [[e for e, edge in enumerate(EDGES) if set(edge) <= set(face)] for face in FACES]
    e2c = [[c for c, face in enumerate(FACES) if set(edge) <= set(face)] for edge in EDGES]
    return {
        "C2E": gtx.as_connectivity(
            [programs.Cell, programs.C2EDim], codomain=programs.Edge, data=np.array(c2e, np.int32)
        ),
        "E2C": gtx.as_connectivity(
            [programs.Edge, programs.E2CDim], codomain=programs.Cell, data=np.array(e2c, np.int32)
        ),
    }


def compile_time_arguments(params: list[Any], static: bool) -> arguments.CompileTimeArgs:
    known = {}
    if static:
        names = [str(param.id) for param in params]
        known[arguments.StaticArg] = {
            name: arguments.StaticArg(np.int32(BOUNDS[name])) if name in BOUNDS else None
            for name in names
        }
    return arguments.CompileTimeArgs(
        args=tuple(param.type for param in params),
        kwargs={},
        offset_provider=connectivities(),
        column_axis=None,
        argument_descriptor_contexts=known,
    )


def lower(program: Any, static: bool) -> dict[str, Any]:
    """The SDFG, as JSON, that the write-back pass gets last."""
    node = program.past_stage.past_node
    compilable = backend.DEFAULT_TRANSFORMS(
        stages.ConcreteProgramDef(
            data=program.definition_stage, args=compile_time_arguments(node.params, static)
        )
    )
    seen: list[dict[str, Any]] = []

    def record(_pass: Any, sdfg: dace.SDFG, _results: dict[str, Any]) -> None:
        # As text and back: DaCe's own JSON objects hold tuples, and share parts with the SDFG.
        seen.append(json.loads(dace.serialize.dumps(sdfg.to_json())))

    translate = factory.make_dace_translator(
        factory.DaCeConfig(auto_optimize=True),
        disable_field_origin_on_program_arguments=str(node.id) in ZERO_ORIGIN,
    )
    with mock.patch.object(transformations.GT4PyWriteBackBufferElimination, "apply_pass", record):
        translate(compilable)
    return seen[-1]


def neutral(value: Any, guids: dict[str, str], key: str = "") -> Any:
    """The same JSON with guids numbered as they occur and with file names relative to ROOTS."""
    if isinstance(value, dict):
        return {k: neutral(v, guids, k) for k, v in value.items()}
    if isinstance(value, list):
        return [neutral(v, guids, key) for v in value]
    if key == "guid" and isinstance(value, str):
        return guids.setdefault(value, str(uuid.UUID(int=len(guids) + 1, version=4)))
    if key in ("filename", "source_files") and isinstance(value, str):
        relative = next((value[len(root) :] for root in ROOTS if value.startswith(root)), value)
        assert not pathlib.PurePath(relative).is_absolute(), f"not under a package: {value}"
        return relative
    return value


def text_of(sdfg: dace.SDFG) -> str:
    out = io.StringIO()
    dace.serialize.dump(sdfg.to_json(hash=True), out)
    return out.getvalue()


def write(name: str, text: str) -> pathlib.Path:
    if name in COMPRESSED:
        path = FOLDER / f"{name}.sdfgz"
        # Neither a time nor a name in the header: they would differ from run to run.
        path.write_bytes(gzip.compress(text.encode(), mtime=0))
    else:
        path = FOLDER / f"{name}.sdfg"
        path.write_text(text)
    return path


def main() -> None:
    for program in PROGRAMS:
        for kind in ("static", "dynamic"):
            name = f"{program.past_stage.past_node.id}.{kind}"
            captured = neutral(lower(program, kind == "static"), {})
            # Through DaCe again, so that the hash is that of the neutral form.
            text = text_of(dace.SDFG.from_json(captured))
            path = write(name, text)
            again = dace.SDFG.from_file(str(path))
            again.validate()
            assert text_of(again) == text, f"{name}: saving it again changes it"
            print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
