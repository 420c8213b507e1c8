"""Runs write-back-elimination on random programs and compares what they do before and after.

    fuzz.py --seeds 0:1000 [--keep DIR] [--validate K]

A program counts only if the original runs without fault and its result does not depend on the order of
what is not ordered. Elements that depend on undefined memory in the original are not compared. With
--validate, DaCe (which must be installed) loads and validates every K-th result.
"""

import argparse
import collections
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile
import time
import types

import numpy as np

import generate
import memory
import oracle
import reduce

ROOT = pathlib.Path(__file__).resolve().parents[2]
TOOL = os.environ.get("SDFG_OPT", str(ROOT / "build" / "sdfg-opt"))
ORDERS = 3  # seeds of the interpreter
ORDERS_TO_BE_SURE = 100  # that a program without races was changed in meaning


def environments(seed, program):
    """Values of the symbols: ordinary ones, empty and one-element domains, anything. `hi` is less than
    `lo` only where no extent becomes negative by that."""
    rng = random.Random(seed)
    below = not any("$hi - $lo" in extent and "Max" not in extent
                    for descriptor in program["attributes"]["_arrays"].values()
                    for extent in descriptor["attributes"]["shape"])
    for low in (2, 0, 0, 1):
        high = 1 if low == 0 and rng.random() < 0.5 else 4
        lo = rng.randint(0, 3)
        values = {"N": rng.randint(low, max(low, high)), "M": rng.randint(low, max(low, high)),
                  "o": rng.randint(0, 3), "lo": lo, "hi": lo + rng.randint(low, max(low, high)),
                  "k": rng.randint(0, 2)}
        if low == 0:
            values[rng.choice("NM")] = 0
        if below and rng.random() < 0.2:
            values["hi"] = lo - 1
        yield values


def inputs(program, symbols, seed):
    rng = np.random.default_rng(seed)
    arrays = {}
    for name, descriptor in program["attributes"]["_arrays"].items():
        if descriptor["attributes"].get("transient"):
            continue
        dtype, _, _, total, _ = oracle.descriptor_layout(descriptor, symbols)
        total = max(int(total), 0)
        if np.issubdtype(dtype, np.integer):
            arrays[name] = rng.integers(0, 4, total).astype(dtype)
        else:
            arrays[name] = (rng.integers(-8, 24, total) / 8 + rng.random(total) / 16).astype(dtype)
    return arrays


class Priorities(random.Random):
    """Each step gets a priority when it is first seen, so that one is sometimes put off as long as it can
    be: a choice among all at each step would hardly ever find an order like that."""

    def __init__(self, seed):
        super().__init__(seed)
        self.priorities = {}

    def choice(self, steps):
        for step in steps:
            if step not in self.priorities:
                self.priorities[step] = self.random()
        return min(steps, key=self.priorities.__getitem__)


oracle.random = types.SimpleNamespace(Random=Priorities)


def run(program, symbols, arrays, seed, fill):
    copies = {name: array.copy() for name, array in arrays.items()}
    try:
        oracle.run(program, copies, dict(symbols), seed=seed, fill=fill)
    except (ValueError, OverflowError) as error:  # undefined memory as an integer
        raise oracle.CannotRun(str(error)) from error
    return copies


def position_in_bounds(ref, index):
    """In place of Ref.position, which only sees that an element is in the memory: an index beyond its
    dimension that hits another row is a fault of the program too."""
    for i, extent in zip(index, ref.shape):
        if not 0 <= int(i) < extent:
            raise oracle.Fault(f"index {tuple(map(int, index))} of shape {ref.shape}")
    return _flat_position(ref, index)


_flat_position = memory.Ref.position
memory.Ref.position = position_in_bounds
# What undefined memory holds: also something that is greater than all that is compared to it.
oracle.FLOAT_FILLS = (*memory.FLOAT_FILLS, 654.75)
oracle.INTEGER_FILLS = (101, 7057, -30003)
FILLS = range(3)


def bits(array):
    return array.view(f"u{array.dtype.itemsize}")


class Meaning:
    """What the original does for one environment: the values, and which of them are defined."""

    def __init__(self, program, symbols, seed):
        self.symbols = symbols
        self.inputs = inputs(program, symbols, seed)
        self.values = run(program, symbols, self.inputs, 0, 0)
        self.defined = {n: np.ones(v.shape, bool) for n, v in self.values.items()}
        for fill in FILLS[1:]:
            other = run(program, symbols, self.inputs, 0, fill)
            for name, value in self.values.items():
                self.defined[name] &= bits(value) == bits(other[name])
        self.agrees_with_itself(program, range(1, ORDERS))

    def agrees_with_itself(self, program, orders):
        for order in orders:
            again = run(program, self.symbols, self.inputs, order, 0)
            self.check(again, oracle.CannotRun("the result depends on the order"))

    def check(self, values, error):
        for name, expected in self.values.items():
            differs = (bits(values[name]) != bits(expected)) & self.defined[name]
            if differs.any():
                raise error if error else Wrong(
                    f"{name}[{np.flatnonzero(differs)[0]}] differs for {self.symbols}")

    def compare(self, program):
        for order in range(ORDERS):
            for fill in FILLS:
                try:
                    values = run(program, self.symbols, self.inputs, order, fill)
                except (oracle.CannotRun, oracle.Fault) as error:
                    raise Wrong(f"cannot run for {self.symbols}: {error}") from error
                self.check(values, None)


class Wrong(Exception):
    pass


class Outcome:
    """kind: kept, discarded, right, wrong, crashed or invalid."""

    def __init__(self, kind, remarks=(), detail="", result=None):
        self.kind, self.remarks, self.detail, self.result = kind, remarks, detail, result


class Checker:
    def __init__(self, directory):
        self.dir = pathlib.Path(directory)

    def optimize(self, program):
        """The result (None if the tool failed), its remarks, and its error text."""
        source, target, told = (str(self.dir / n) for n in ("in.sdfg", "out.sdfg", "why.json"))
        with open(source, "w", encoding="ascii") as file:
            json.dump(program, file, separators=(",", ":"))
        done = subprocess.run([TOOL, "optimize", source, "-o", target, "--remarks", told, "-q"],
                              capture_output=True, text=True, check=False, timeout=60)
        if done.returncode != 0:
            return None, [], f"exit {done.returncode}: {done.stderr.strip()}"
        with open(told, encoding="ascii") as file:
            remarks = json.load(file)["candidates"]
        with open(target, encoding="ascii") as file:
            return json.load(file), remarks, ""

    def check(self, program, seed, validate=False):
        try:
            result, remarks, error = self.optimize(program)
        except subprocess.TimeoutExpired:
            result, remarks, error = None, [], "time-out"
        if result is None:
            return Outcome("crashed", remarks, error)
        if not any(r["verdict"] == "eliminated" for r in remarks):
            return Outcome("kept", remarks)
        meanings = []
        for number, symbols in enumerate(environments(seed, program)):
            try:
                meanings.append(Meaning(program, symbols, seed + number))
            except (oracle.CannotRun, oracle.Fault) as error:
                last = str(error)
        if not meanings:
            return Outcome("discarded", remarks, last)
        for meaning in meanings:
            try:
                meaning.compare(result)
            except Wrong as wrong:
                try:
                    meaning.agrees_with_itself(program, range(ORDERS, ORDERS_TO_BE_SURE))
                except (oracle.CannotRun, oracle.Fault) as error:
                    return Outcome("discarded", remarks, str(error))
                return Outcome("wrong", remarks, str(wrong), result)
        if validate:
            why = invalid(self.dir / "out.sdfg")
            if why and not invalid(self.dir / "in.sdfg"):
                return Outcome("invalid", remarks, why, result)
        return Outcome("right", remarks, "", result)


def invalid(path):
    """What DaCe has against a file, or nothing."""
    import warnings

    import dace

    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            dace.SDFG.from_file(str(path)).validate()
    except Exception as error:  # noqa: BLE001 (DaCe raises anything)
        return f"{type(error).__name__}: {getattr(error, 'message', error)}"
    return ""


def report(checker, program, outcome, seed, keep, budget):
    """Reduces a failing program, shows it, and stores it."""
    check = lambda p: checker.check(p, seed, outcome.kind == "invalid").kind == outcome.kind

    def fails(p):
        try:
            return check(p)
        except Exception:  # noqa: BLE001 (a reduced program may be anything)
            return False

    small = reduce.reduced(program, fails, budget)
    last = checker.check(small, seed, outcome.kind == "invalid")
    print(f"\n=== seed {seed}: {outcome.kind}: {last.detail}")
    for remark in last.remarks:
        if remark["verdict"] == "eliminated":
            print(f"eliminated {remark['buffer']} -> {remark['destination']}")
    paths = []
    for name, content in (("", program), (".small", small), (".after", last.result)):
        path = pathlib.Path(keep or checker.dir) / f"fuzz-{seed}{name}.sdfg"
        path.write_text(json.dumps(content), encoding="ascii")
        paths.append(str(path))
    for path in paths[1:] if last.result else paths[1:2]:
        print(subprocess.run([TOOL, "print", path], capture_output=True, text=True,
                             check=False).stdout)
    sys.stdout.flush()


def fuzz(seeds, keep=None, validate=0, budget=600, limit=None):
    """Returns the counts and, for each kind of failure, the seeds."""
    counts, failures = collections.Counter(), collections.defaultdict(list)
    start = time.monotonic()
    with tempfile.TemporaryDirectory() as directory:
        checker = Checker(directory)
        for seed in seeds:
            if limit and time.monotonic() - start > limit:
                break
            program = generate.generate(seed)
            outcome = checker.check(program, seed, validate and seed % validate == 0)
            counts["programs"] += 1
            counts[outcome.kind] += 1
            for remark in outcome.remarks:
                counts["candidates"] += 1
                counts["eliminated" if remark["verdict"] == "eliminated"
                       else "kept by " + remark["rule"]] += 1
            if outcome.kind in ("wrong", "crashed", "invalid"):
                failures[outcome.kind].append(seed)
                if budget:
                    report(checker, program, outcome, seed, keep, budget)
    return counts, failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", default="0:1000", metavar="A:B")
    parser.add_argument("--keep", metavar="DIR", help="store failing programs here")
    parser.add_argument("--validate", type=int, default=0, metavar="K",
                        help="let DaCe validate every K-th result")
    parser.add_argument("--budget", type=int, default=600,
                        help="runs that reducing a failing program may take")
    options = parser.parse_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    first, last = map(int, options.seeds.split(":"))
    counts, failures = fuzz(range(first, last), options.keep, options.validate, options.budget)
    for name, count in sorted(counts.items()):
        print(f"{count:8} {name}")
    for kind, seeds in failures.items():
        print(kind, *seeds)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
