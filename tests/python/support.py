"""What the tests share: where things are, how sdfg-opt is called, how two programs are compared."""

import gzip
import json
import os
import shlex
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import oracle
from expressions import integer

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parents[2]
SHARED = ROOT.parent / "shared"
EXAMPLES = ROOT / "examples"
FILETESTS = ROOT / "tests" / "filetests"
SDFG_OPT = Path(os.environ.get("SDFG_OPT", ROOT / "build" / "sdfg-opt")).resolve()


def sdfg_opt(*arguments: str | Path) -> str:
    """Runs the program, which must end well; its standard output."""
    done = subprocess.run([SDFG_OPT, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, f"sdfg-opt {' '.join(map(str, arguments))}\n{done.stdout}{done.stderr}"
    return done.stdout


def load(path: Path) -> Json:
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


def programs(folder: Path) -> list[Path]:
    """The .sdfg and .sdfgz files of a folder; none if there is no such folder."""
    return sorted(folder.glob("*.sdfg")) + sorted(folder.glob("*.sdfgz"))


@dataclass
class FileTest:
    """A `.sdfgt` file of the filetests: head, input, expected output (see runner.cpp)."""

    path: Path
    verb: str = ""
    options: list[str] = field(default_factory=list)
    runs: list[dict[str, int | float]] = field(default_factory=list)
    input: str = ""

    @property
    def name(self) -> str:
        return str(self.path.relative_to(FILETESTS).with_suffix(""))


def filetests() -> Iterator[FileTest]:
    for path in sorted(FILETESTS.rglob("*.sdfgt")):
        test = FileTest(path)
        head, lines = [], path.read_text().split("\n----\n")[0].splitlines()
        while lines and lines[0].startswith(";"):
            head.append(lines.pop(0)[1:].strip())
        for word, _, rest in (line.partition(" ") for line in head):
            if word == "test":
                test.verb, *test.options = shlex.split(rest)
            elif word == "run:":
                pairs = (item.split("=") for item in rest.split())
                test.runs.append({name: float(v) if "." in v else int(v) for name, v in pairs})
        test.input = "\n".join(lines) + "\n"
        yield test


def random_arguments(sdfg: Json, symbols: dict[str, int], seed: int, integers_below: int = 4) -> dict[str, np.ndarray]:
    """Flat memory for every argument array. Floats are small multiples of 1/4, so that sums and products
    are exact and do not depend on the order of summation."""
    random = np.random.default_rng(seed)
    arrays = {}
    for name, descriptor in sdfg["attributes"].get("_arrays", {}).items():
        if descriptor["attributes"].get("transient", False) or name in symbols:
            continue
        dtype, _, _, total, _ = oracle.descriptor_layout(descriptor, symbols)
        if dtype.kind == "f":
            arrays[name] = (random.integers(-40, 40, total) / 4).astype(dtype)
        else:
            arrays[name] = random.integers(0, 2 if dtype.kind == "b" else integers_below, total).astype(dtype)
    return arrays


def gt4py_symbols(sdfg: Json, flag: int, horizontal: int = 14) -> dict[str, Any]:
    """Values for the arguments of a program that GT4Py made: C-contiguous fields of `horizontal` times 12
    elements, and a domain well inside of them."""
    symbols: dict[str, Any] = {"divdamp_order": 24, "igradp_method": 3}
    for name, kind in sdfg["attributes"]["symbols"].items():
        if name.endswith("_range_0"):
            symbols[name] = 0
        elif name.endswith(("_range_1", "_source_size")):
            symbols[name] = 12 if "_K_" in name else horizontal
        elif kind == "bool":
            symbols[name] = flag
        elif kind == "float64":
            symbols[name] = 0.5
        elif name not in symbols and not name.startswith("__"):  # bounds: of levels, or of cells and edges
            levels = name in ("top", "bottom") or "vertical" in name
            symbols[name] = 1 if "start" in name or name == "top" else 4 if levels else 2 if "flat" in name else 8
    for descriptor in sdfg["attributes"]["_arrays"].values():
        stride = 1
        extents, strides = (descriptor["attributes"].get(key, []) for key in ("shape", "strides"))
        for extent, text in reversed(list(zip(extents, strides))):
            if not descriptor["attributes"].get("transient", False):
                symbols[text.removeprefix("$")] = stride
                stride *= integer(extent, symbols)
    return symbols


@dataclass
class Comparison:
    """Elements that were compared, elements left out because BEFORE does not define them."""

    compared: int = 0
    undefined: int = 0
    differences: list[str] = field(default_factory=list)


def _bits(array: np.ndarray) -> np.ndarray:
    return array.view(f"u{array.itemsize}")


def compare(before: Json, after: Json, symbols: dict[str, int], seeds: int = 3, integers_below: int = 4) -> Comparison:
    """Runs both on the same random memory, with both fills of undefined memory, and compares every bit of the
    arguments, padding included. Elements that BEFORE itself gives different values for different orders or
    fills mean nothing and are left out. CannotRun and Fault are for the caller only if BEFORE raises them."""
    result = Comparison()
    schedule = [(seed, fill) for seed in range(seeds) for fill in (0, 1)]
    for data_seed in range(2):
        inputs = random_arguments(before, symbols, data_seed, integers_below)

        def outputs(sdfg: Json, seed: int, fill: int) -> dict[str, np.ndarray]:
            arrays = {name: array.copy() for name, array in inputs.items()}
            oracle.run(sdfg, arrays, symbols, seed, fill)
            return arrays

        wanted = [outputs(before, *s) for s in schedule]
        stable = {n: np.all([_bits(w[n]) == _bits(wanted[0][n]) for w in wanted], axis=0) for n in inputs}
        result.compared += sum(int(mask.sum()) for mask in stable.values())
        result.undefined += sum(int((~mask).sum()) for mask in stable.values())
        for seed, fill in schedule:
            try:
                got = outputs(after, seed, fill)
            except (oracle.CannotRun, oracle.Fault) as error:
                result.differences.append(f"{symbols}: after: {type(error).__name__}: {error}")
                break
            for name, mask in stable.items():
                for at in np.flatnonzero(mask & (_bits(got[name]) != _bits(wanted[0][name])))[:4]:
                    result.differences.append(f"{symbols} seed {seed} fill {fill}: {name}[{at}] is "
                                              f"{got[name][at]}, was {wanted[0][name][at]}")
    return result
