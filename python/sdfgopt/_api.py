"""The functions of the package: on files, on programs that were loaded, and on live `dace.SDFG` objects."""
from __future__ import annotations

import operator
import os
import sys
from typing import IO, TYPE_CHECKING, Any, Iterable, Mapping, Union

from sdfgopt import _core
from sdfgopt._core import Program
from sdfgopt._report import ProposedFacts, Report, VerifyReport

if TYPE_CHECKING:
    import dace
    import numpy

#: A path, a program that was loaded, or a live SDFG.
AnyProgram = Union[str, "os.PathLike[str]", Program, "dace.SDFG"]


def load(path: str | os.PathLike[str]) -> Program:
    """Reads a program: .sdfg, .sdfgz or the text form .sdfgt.

        program = sdfgopt.load("program.sdfg")
    """
    return Program.load(os.fspath(path))


def save(program: AnyProgram, path: str | os.PathLike[str], *, full: bool = False) -> None:
    """Writes a program, in the form that the name's ending tells: .sdfg, .sdfgz or .sdfgt.

    The file is written as a whole or not at all. Between files, this converts. `full` is for .sdfgt: with
    all bookkeeping, so that the way back gives the same bytes.

        sdfgopt.save("program.sdfgz", "program.sdfgt")
    """
    _program(program).save(os.fspath(path), full=full)


def print(program: AnyProgram, only: str | None = None, *, full: bool = False,  # noqa: A001
          file: IO[str] | None = None) -> None:
    """Shows a program in the text form on standard output, or writes that to `file`.

    `only` is one state or region: its id (s2), label, or path of labels (loop/body).

        sdfgopt.print("program.sdfg", only="write_back")
    """
    (sys.stdout if file is None else file).write(_program(program).text(only or "", full=full))


def optimize(sdfg_or_path: AnyProgram, *, passes: str | Iterable[str] | None = None,
             assume: str | Iterable[str] = (), facts: str | os.PathLike[str] | None = None,
             assume_pointwise: bool = False, guard: bool = False, guard_growth: float = 2.0,
             verify: bool = False, output: str | os.PathLike[str] | None = None) -> Report:
    """Removes buffers that are copied into arguments, and the copies with them, where that is proved right.

    A live `dace.SDFG` is changed in place. A path or a `Program` stays as it is: the result is the report's
    `program`, and is written to the file `output`, if there is one.

        report = sdfgopt.optimize("program.sdfg", output="faster.sdfg")
        print(report)

    Args:
        passes: names of passes, in order; all of them if None.
        assume: what always holds of the program's symbols: "lo <= hi", or a list of such conditions.
        facts: a file of such conditions, one a line.
        assume_pointwise: trust that a map that reads the array its result is moved into does so element by
            element. Remarks that rest on this say so.
        guard: where a buffer can go under a condition only, test it in the program.
        guard_growth: with guard: stop where the program would have more than this many times its elements.
        verify: run the program before and after each pass; raise a VerificationError if there is a difference.
        output: where to write the result, in the form that the name's ending tells.

    Raises an `Error` for bad use and bad programs. Then nothing is changed or written. (Only where the disk does not
    take `output`, a live SDFG has been changed already.)
    """
    if output is not None:
        _core.check_output(os.fspath(output))
        _check_folder(os.fspath(output))
    assume = _texts(assume)
    options: dict[str, Any] = {
        "passes": [passes] if isinstance(passes, str) else None if passes is None else list(passes),
        "facts": _facts(assume, facts), "assume_pointwise": assume_pointwise, "guard": guard,
        "guard_growth": guard_growth, "verify": verify}
    if _is_live(sdfg_or_path):
        from sdfgopt import _live

        report = Report._from_core(_live.optimize(sdfg_or_path, options))
        if output is not None:
            save(sdfg_or_path, output)
        return report
    program = _own(sdfg_or_path)
    words = []
    if options["passes"] is not None:
        words += ["--passes", ",".join(options["passes"])]
    if assume_pointwise:
        words += ["--assume-pointwise"]
    words += _fact_words(assume, facts)
    if guard:
        words += ["--guard"] if guard_growth == 2 else ["--guard", "--guard-growth", f"{guard_growth:g}"]
    result = _core.optimize(program, command=_command("optimize", [sdfg_or_path], [*words, "--verify"]), **options)
    if output is not None:
        program.save(os.fspath(output))
    return Report._from_core(result, program=program)


def explain(sdfg_or_path: AnyProgram, *, assume: str | Iterable[str] = (),
            facts: str | os.PathLike[str] | None = None, assume_pointwise: bool = False, guard: bool = False,
            guard_growth: float = 2.0, propose_facts: bool = False,
            facts_out: str | os.PathLike[str] | None = None) -> Report:
    """Tells for each buffer that is copied into an argument whether it can go, and why not. Nothing is changed.

        for remark in sdfgopt.explain("program.sdfg").kept:
            print(remark.buffer, remark.condition)

    Args:
        propose_facts: search for facts under which more buffers can go, the shortest list that frees the most
            bytes: `Report.proposed_facts`. The passes are run many times for that.
        facts_out: write them to this file, too, for `facts=`.

    The others are those of `optimize`.
    """
    given = _facts(_texts(assume), facts)
    proposed = None
    words = ""
    if propose_facts or facts_out is not None:
        path = "proposed" if facts_out is None else os.fspath(facts_out)
        if facts_out is not None and _is_path(sdfg_or_path) and _is_same_file(path, sdfg_or_path):
            raise _usage(f"{os.fspath(sdfg_or_path)}: the facts would replace the program")
        program = _program(sdfg_or_path)
        proposed = ProposedFacts._from_core(_core.propose_facts(
            program, facts=given, assume_pointwise=assume_pointwise,
            name=os.path.basename(program.file) or program.name, path=path))
        words = proposed.summary
        if facts_out is not None:
            _core.write_file(path, proposed.text)
    result = _core.optimize(_own(sdfg_or_path), facts=given, assume_pointwise=assume_pointwise, guard=guard,
                            guard_growth=guard_growth)
    result["changed"] = False
    result["text"] += words
    return Report._from_core(result, proposed_facts=proposed)


def verify(before: AnyProgram, after: AnyProgram, *, assume: str | Iterable[str] = (),
           facts: str | os.PathLike[str] | None = None, symbols: Mapping[str, int | float] | None = None,
           runs: int = 8, seed: int = 1, size: int = 6, fuel: int | None = None,
           memory: int | None = None) -> VerifyReport:
    """Runs two programs on the same inputs, and compares every byte of their arguments.

        report = sdfgopt.verify("program.sdfg", "faster.sdfg")
        assert report, report.difference

    Args:
        assume, facts: as for `optimize`: choices of symbols satisfy them.
        symbols: values of symbols and scalar arguments. The rest is chosen so that the program is valid.
        runs: choices of symbols and inputs.
        seed: of the choices.
        size: about how large chosen domains are.
        fuel: steps (tasklets, iterations, blocks) after which a run is given up.
        memory: bytes that arguments and transients of a run may take.

    Raises an `Error` if nothing can be compared.
    """
    assume = _texts(assume)
    limits = {"fuel": fuel, "memory": memory}
    words = _fact_words(assume, facts)
    for name, limit in limits.items():
        if limit is not None:
            words += [f"--{name}", str(limit)]
    report = _core.verify(_program(before), _program(after), facts=_facts(assume, facts),
                          symbols=_symbols(symbols or {}), runs=runs, seed=seed, size=size, **limits,
                          command=_command("verify", [before, after], words))
    return VerifyReport._from_core(report)


def run(sdfg_or_path: AnyProgram, arrays: Mapping[str, Any] | None = None,
        symbols: Mapping[str, int | float] | None = None, *, seed: int = 1, size: int | None = None,
        in_order: bool = False, fill: int = 0, fuel: int | None = None, memory: int | None = None) -> dict[str, numpy.ndarray]:
    """Runs a program on NumPy arrays, and returns all its arguments as they are afterwards.

    The arrays are changed in place, as when DaCe calls a compiled program; they are what is returned. The
    program works on their memory without a copy, if their strides are those of the argument and there is no
    padding around them. Otherwise they are copied, and copied back when the program has ended. If it ends
    with an error, arrays that were not copied hold what was done until then.

        import numpy
        result = sdfgopt.run("program.sdfg", {"a": numpy.ones(10)}, {"N": 10})

    Args:
        arrays: contents of arguments, by name. A number is a scalar argument (or a symbol). Arguments that are
            not given are filled by the seed.
        symbols: values of symbols and scalar arguments. A symbol that is not given is computed from extents
            and strides of the arrays, if it follows from them.
        seed: of contents, and of the order of map iterations.
        size: choose symbols that are not given and do not follow, so that the program is valid and domains are
            about that large. (If None, those are an error.)
        in_order: map iterations run in ascending order.
        fill: what memory holds that nobody wrote: 0, 1, 2 and so on for different contents.
        fuel: steps (tasklets, iterations, blocks) after which the run is given up.
        memory: bytes that arguments and transients may take.

    Every access is checked: a program that does what no program may raises an `Error` (code "fault").
    """
    given: dict[str, Any] = {}
    values = dict(symbols or {})
    for name, value in (arrays or {}).items():
        if _is_number(value):
            if name in values:
                raise _usage(f"'{name}' is given both as a value and as an array")
            values[name] = value
        else:
            given[name] = value
    _check_apart(given)
    return _core.run(_program(sdfg_or_path), given, _symbols(values), seed=seed, size=size, in_order=in_order,
                     fill=fill, fuel=fuel, memory=memory)


def _check_apart(arrays: Mapping[str, Any]) -> None:
    """Arguments that share memory would be copied over each other."""
    import numpy

    known = [(name, array) for name, array in arrays.items() if isinstance(array, numpy.ndarray)]
    for position, (name, array) in enumerate(known):
        for other, before in known[:position]:
            if numpy.may_share_memory(array, before):
                raise _usage(f"arrays '{other}' and '{name}' share memory, or lie in each other; give copies")


# --- programs ---


def _is_live(program: Any) -> bool:
    """Is it a `dace.SDFG`? Who has one has imported DaCe."""
    dace = sys.modules.get("dace")
    return dace is not None and isinstance(program, getattr(dace, "SDFG", ()))


def _is_path(program: Any) -> bool:
    return isinstance(program, (str, os.PathLike))


def _program(program: AnyProgram) -> Program:
    """Not to be changed."""
    if isinstance(program, Program):
        return program
    if _is_path(program):
        return load(program)
    if _is_live(program):
        import json

        return Program.from_json(json.dumps(program.to_json()).encode(), program.name)
    raise TypeError(f"neither a path, a sdfgopt.Program nor a dace.SDFG: {type(program).__name__}")


def _own(program: AnyProgram) -> Program:
    """For passes to change."""
    if isinstance(program, Program):
        return program.copy()
    if _is_live(program):
        from sdfgopt import _live

        return _live.read(program).program
    return _program(program)


def _is_same_file(path: str, other: Any) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:
        return False  # one of them does not exist


# --- options ---


def _usage(text: str) -> _core.Error:
    error = _core.Error(text)
    error.code = "usage"
    return error


def _check_folder(path: str) -> None:
    """Before a live SDFG is changed."""
    if path != "-" and not os.path.isdir(os.path.dirname(os.path.abspath(path))):
        error = _core.Error(f"{path}: cannot write: No such file or directory")
        error.code = "io"
        raise error


def _texts(assume: str | Iterable[str]) -> list[str]:
    return [assume] if isinstance(assume, str) else list(assume)


def _facts(assume: list[str], facts: str | os.PathLike[str] | None) -> list[tuple[str, str]]:
    """Each with its place, as the program names it."""
    given = [(text, "--assume") for text in assume]
    return given if facts is None else given + _core.read_facts(os.fspath(facts))


def _is_number(value: Any) -> bool:
    numpy = sys.modules.get("numpy")
    return isinstance(value, (int, float)) or (numpy is not None and isinstance(value, numpy.generic))


def _symbols(symbols: Mapping[str, Any]) -> dict[str, int | float]:
    """As Python's numbers; NumPy has its own."""
    values: dict[str, int | float] = {}
    for name, value in symbols.items():
        if hasattr(value, "__index__"):
            values[name] = operator.index(value)
        elif hasattr(value, "__float__"):
            values[name] = float(value)
        else:
            raise TypeError(f"the value of '{name}' is no number: {value!r}")
    return values


# --- the same on the command line, for a difference to be shown again ---


def _fact_words(assume: list[str], facts: str | os.PathLike[str] | None) -> list[str]:
    words = [word for text in assume for word in ("--assume", text)]
    return words if facts is None else [*words, "--facts", os.fspath(facts)]


def _command(name: str, programs: list[AnyProgram], words: list[str]) -> str:
    """Nothing if there is none: the programs are not files."""
    if not all(map(_is_path, programs)):
        return ""
    import shlex

    return shlex.join(["sdfg-opt", name, *(os.fspath(program) for program in programs), *words])
