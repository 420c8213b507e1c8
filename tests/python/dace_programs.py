"""Programs as DaCe compiles and runs them: what the interpreter is held against.

DaCe builds one project a program, which takes seconds each. Here its code generator is asked for the C++
of many programs, all of it goes through one compiler call, and each program is called through its C interface.
The compiler is told to do what the code says: no contraction of products and sums, no reassociation, wrapping
integers, no threads.
"""

import concurrent.futures
import ctypes
import mmap
import multiprocessing
import os
import re
import signal
import subprocess
import traceback
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import dace
import numpy as np

COMPILER = ["g++", "-std=c++20", "-O0", "-w", "-fPIC", "-shared", "-ffp-contract=off", "-fno-builtin", "-fwrapv",
            "-fno-strict-aliasing", "-I", str(Path(dace.__file__).parent / "runtime" / "include")]
GUARD = 4096  # bytes around each array
GUARD_BYTE = 0xA5
SECONDS = 10  # that one run may take
PROCESSES = 2


class DaceFailed(Exception):
    """DaCe cannot load, generate or compile the program, or the compiled program died."""


@dataclass(frozen=True)
class _Generated:
    """The C++ of one program, and its interface: names and types of arguments in the order of the call."""

    code: str
    arguments: list[tuple[str, str, bool]]  # name, element type, by reference
    for_init: list[str]


def _generate(name: str, path: Path) -> _Generated | str:
    """What went wrong is a value: not every exception can be sent from process to process."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sdfg = dace.SDFG.from_file(path)
            sdfg.name = name
            sources = [o for o in sdfg.generate_code() if o.linkable]
    except Exception as error:  # DaCe raises anything
        return f"{type(error).__name__}: {getattr(error, 'message', error.args)}"  # some have no text
    if [o.title for o in sources] != ["Frame"]:
        return f"needs more than one source file: {[o.title for o in sources]}"
    arguments = [(argument, np.dtype(descriptor.dtype.type).str, isinstance(descriptor, dace.data.Array))
                 for argument, descriptor in sdfg.arglist().items()]
    init = re.search(rf"__dace_init_{name}\((.*?)\)", sources[0].clean_code)
    assert init, "no initialisation"
    names = [parameter.split()[-1] for parameter in init[1].split(",") if parameter.strip()]
    return _Generated(sources[0].clean_code, arguments, names)


@dataclass
class Compiled:
    """A program in a shared library."""

    name: str
    generated: _Generated
    library: ctypes.CDLL

    def run(self, memory: Mapping[str, np.ndarray], start: Mapping[str, int],
            symbols: Mapping[str, Any]) -> dict[str, np.ndarray]:
        """Runs on copies of the flat `memory`, whose element `start` is where the program is told that the array
        begins; the copies afterwards. In a process of its own, so that the tests survive what it does."""
        shared, values = {}, {}
        for name, kind, by_reference in self.generated.arguments:
            if by_reference:
                shared[name] = _Guarded(memory[name])
                values[name] = ctypes.c_void_p(shared[name].address + start[name] * memory[name].itemsize)
            else:
                value = memory[name][0] if name in memory else symbols[name]
                values[name] = np.ctypeslib.as_ctypes_type(np.dtype(kind))(np.dtype(kind).type(value))
        _in_child(lambda: self._call(values))
        broken = [name for name, array in shared.items() if not array.guards_hold()]
        if broken:
            raise DaceFailed(f"wrote outside of {', '.join(broken)}")
        return {name: array.array for name, array in shared.items()}

    def _call(self, values: dict[str, Any]) -> None:
        init, program, leave = (getattr(self.library, f"__{part}_{self.name}")
                                for part in ("dace_init", "program", "dace_exit"))
        init.restype = ctypes.c_void_p
        handle = ctypes.c_void_p(init(*(values[name] for name in self.generated.for_init)))
        program(handle, *(values[name] for name, _, _ in self.generated.arguments))
        leave(handle)


class _Guarded:
    """A copy of an array in memory that processes share, with guard bands."""

    def __init__(self, array: np.ndarray) -> None:
        self.bytes = np.frombuffer(mmap.mmap(-1, 2 * GUARD + max(array.nbytes, 1)), np.uint8)
        self.bytes[:] = GUARD_BYTE
        self.array = self.bytes[GUARD:GUARD + array.nbytes].view(array.dtype)
        self.array[:] = array
        self.address = self.bytes.ctypes.data + GUARD

    def guards_hold(self) -> bool:
        ends = self.bytes[:GUARD], self.bytes[GUARD + self.array.nbytes:]
        return all(bool((end == GUARD_BYTE).all()) for end in ends)


def _in_child(action: Any) -> None:
    child = os.fork()
    if child == 0:
        signal.alarm(SECONDS)
        try:
            action()
        except BaseException:  # the child is a copy of the tests: nothing must come out of it
            traceback.print_exc()
            os._exit(1)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    if status != 0:
        code = os.waitstatus_to_exitcode(status)
        raise DaceFailed(f"killed by {signal.Signals(-code).name}" if code < 0 else "could not be called")


@dataclass
class Batch:
    """The programs that could be built, and why the others could not."""

    programs: dict[str, Compiled] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)


def build(paths: Mapping[str, Path], folder: Path) -> Batch:
    """Compiles the programs of some files; their keys must be C identifiers."""
    batch = Batch()
    context = multiprocessing.get_context("fork")
    # DaCe leaves files where it is when it refuses a program.
    with concurrent.futures.ProcessPoolExecutor(PROCESSES, context, os.chdir, (folder,)) as pool:
        results = pool.map(_generate, paths.keys(), paths.values())
        generated = dict(zip(paths, results))
    batch.failed = {name: result for name, result in generated.items() if isinstance(result, str)}
    _compile({n: g for n, g in generated.items() if isinstance(g, _Generated)}, folder, batch)
    return batch


def _compile(generated: dict[str, _Generated], folder: Path, batch: Batch) -> None:
    """All in one source file; if the compiler does not take it, each half alone."""
    if not generated:
        return
    source = folder / f"{next(iter(generated))}_{len(generated)}.cpp"
    with source.open("w") as file:
        file.write("#include <dace/dace.h>\n")
        for name, program in generated.items():
            lines = (line for line in program.code.splitlines() if not line.startswith("#include"))
            file.write("\n".join([f"namespace of_{name} {{", *lines, "}\n"]))
    library = source.with_suffix(".so")
    done = subprocess.run([*COMPILER, source, "-o", library], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        loaded = ctypes.CDLL(str(library))
        batch.programs |= {name: Compiled(name, program, loaded) for name, program in generated.items()}
    elif len(generated) == 1:
        batch.failed |= dict.fromkeys(generated, f"C++: {done.stderr[:600]}")
    else:
        items = list(generated.items())
        for half in (items[:len(items) // 2], items[len(items) // 2:]):
            _compile(dict(half), folder, batch)
