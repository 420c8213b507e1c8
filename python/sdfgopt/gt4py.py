"""GT4Py: a hook for its optimiser, a DaCe toolchain that has it, and facts from domains.

    from sdfgopt.gt4py import domain_facts, make_toolchain

    fast = program.with_backend(make_toolchain(assume=domain_facts(program)))

GT4Py is imported when it is needed, not with this module.
"""
from __future__ import annotations

import ast
import collections
import dataclasses
import functools
import hashlib
import os
import pickle
import shutil
import tempfile
import warnings
import weakref
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Callable, Iterable, Mapping, Sequence

import sdfgopt

if TYPE_CHECKING:
    import dace

__all__ = ["Hook", "ProgramReport", "domain_facts", "hook", "make_toolchain"]

# Older reports are dropped: a model has a few hundred programs, and a hook may live as long as it.
_MAX_REPORTS = 1000


def hook(*, passes: str | Iterable[str] | None = None, assume: str | Iterable[str] = (),
         facts: str | os.PathLike | None = None, assume_pointwise: bool = False, guard: bool = False,
         guard_growth: float = 2.0, verify: bool = False, on_error: str = "warn") -> Hook:
    """What goes into `optimization_hooks={GT4PyAutoOptHook.TopLevelDataFlowStep: ...}`.

    The options are those of `sdfgopt.optimize`, and on_error, which says what happens to a program that
    the optimiser cannot deal with: "warn" leaves it as it is with a RuntimeWarning, so that it compiles as
    without the hook, "raise" raises the `sdfgopt.Error`. With verify=True, that includes a program that would
    do something else afterwards. Options that are wrong are an error in any case.

    A hook serves many programs, so a fact is used for those that have all its symbols, and left out for
    others: it may name the domain of one program only, and GT4Py puts numbers for the symbols of arguments
    that are static. The file `facts` is read here and now.
    """
    if on_error not in ("warn", "raise"):
        raise ValueError(f'on_error is "warn" or "raise", not {on_error!r}')
    given = [assume] if isinstance(assume, str) else list(assume)
    if facts is not None:
        given += [text for text, _ in sdfgopt._core.read_facts(os.fspath(facts))]
    for fact in given:
        _names(fact)
    if passes is not None:
        passes = (passes,) if isinstance(passes, str) else tuple(passes)
    return Hook(passes=passes, assume=tuple(given), assume_pointwise=assume_pointwise, guard=guard,
                guard_growth=guard_growth, verify=verify, on_error=on_error, version=sdfgopt.__version__)


@dataclasses.dataclass(frozen=True)
class ProgramReport:
    """What was done to a program in one of the rounds of GT4Py's optimiser."""

    program: str
    facts: tuple[str, ...]  # of those that the hook has, those that are about this program
    report: sdfgopt.Report

    def __str__(self) -> str:
        return f"{self.program}:\n{self.report}"


@dataclasses.dataclass(frozen=True)
class Hook:
    """A function of an SDFG that optimises it in place; made by `hook`.

    GT4Py's cache of translated programs is keyed by the fields of what translates them. So all that has an
    influence on the result is a field here, and nothing else is. The same fields are equal in all processes.
    """

    passes: tuple[str, ...] | None
    assume: tuple[str, ...]
    assume_pointwise: bool
    guard: bool
    guard_growth: float
    verify: bool
    on_error: str
    version: str  # a cache may outlive an update

    def __post_init__(self) -> None:
        self._set_up()

    def _set_up(self, outbox: str | None = None) -> None:
        # Not fields, see above.
        object.__setattr__(self, "_reports", collections.deque(maxlen=_MAX_REPORTS))
        object.__setattr__(self, "_inbox", None)
        object.__setattr__(self, "_outbox", outbox)

    def __call__(self, sdfg: dace.SDFG) -> None:
        known = set(sdfg.symbols) - set(sdfg.arrays)
        facts = [fact for fact in self.assume if _names(fact) <= known]
        optimize = functools.partial(
            sdfgopt.optimize, sdfg, passes=self.passes, assume=facts,
            assume_pointwise=self.assume_pointwise, verify=self.verify)
        try:
            report = optimize()
            # GT4Py calls this until nothing changes any more. Guards make a program larger, so they come
            # once, and when what can go without one is gone.
            if self.guard and not report.changed and not _has_guards(sdfg):
                report = optimize(guard=True, guard_growth=self.guard_growth)
        except sdfgopt.Error as error:
            # A fact that cannot be read is "syntax"; a live SDFG has no text that could be wrong.
            if self.on_error == "raise" or error.code in ("usage", "syntax"):
                raise
            warnings.warn(f"sdfgopt leaves the program '{sdfg.name}' as it is: {error}", RuntimeWarning,
                          stacklevel=2)
        else:
            self._keep(ProgramReport(sdfg.name, tuple(facts), report))

    # --- reports ---

    @property
    def reports(self) -> list[ProgramReport]:
        """What was done to which program, in order, and why a buffer stays; at most the last 1000.

        Those of programs that GT4Py compiles in other processes are there when these are done, as
        `gtx.wait_for_compilation()` waits for. A program that GT4Py takes from its cache does not pass the
        hook, and so has none.
        """
        if self._inbox is not None:
            for file in sorted(Path(self._inbox).glob("*.report"), key=lambda file: file.stat().st_mtime_ns):
                self._reports.append(pickle.loads(file.read_bytes()))
                file.unlink()
        return list(self._reports)

    def _keep(self, entry: ProgramReport) -> None:
        """Unless nothing was found, or what was found the last time."""
        earlier = [other for other in self._reports if other.program == entry.program]
        if not entry.report.remarks or (earlier and str(earlier[-1]) == str(entry)):
            return
        self._reports.append(entry)
        if self._outbox is None:
            return
        try:
            with tempfile.NamedTemporaryFile(dir=self._outbox, delete=False) as file:
                file.write(pickle.dumps(entry))
            os.rename(file.name, file.name + ".report")
        except OSError:
            pass  # nobody waits for it any more: the folder goes with the hook that it belongs to

    # GT4Py sends the hook to other processes. What comes out there puts its reports into a folder of this one.

    def __getstate__(self) -> dict[str, Any]:
        if self._inbox is None and self._outbox is None:
            object.__setattr__(self, "_inbox", tempfile.mkdtemp(prefix="sdfgopt-"))
            weakref.finalize(self, shutil.rmtree, self._inbox, ignore_errors=True)
        state = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        return state | {"outbox": self._outbox or self._inbox}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._set_up(state.pop("outbox"))
        for name, value in state.items():
            object.__setattr__(self, name, value)


@dataclasses.dataclass(frozen=True)
class _Both:
    """Two hooks, one after the other; a function inside a function could not be sent to other processes."""

    first: Callable[[Any], None]
    second: Callable[[Any], None]

    def __call__(self, sdfg: dace.SDFG) -> None:
        self.first(sdfg)
        self.second(sdfg)


def make_toolchain(cfg: Any = None, /, *, hook: Hook | None = None, name_postfix: str | None = None,
                   auto_optimize_args: Mapping[str, Any] | None = None,
                   translation: Callable[..., Any] | None = None, bindings: Callable[..., Any] | None = None,
                   compilation: Callable[..., Any] | None = None, **options: Any) -> Any:
    """A DaCe toolchain of GT4Py's, for `program.with_backend(...)`, in whose optimiser the hook is.

    Like GT4Py's `make_dace_toolchain`, with the same builders of steps. Either `hook` or the options of one:
    keep the hook if you want its reports. What `auto_optimize_args` (or the translation's own, if it is a
    partial) holds is kept; a hook that is there for the same place runs before this one.

    Without a postfix, the toolchain's name ends with a digest of the hook's options, so toolchains that
    differ in them have different names. GT4Py's caches tell them apart in any case.
    """
    gt4py = _gt4py()
    if hook is None:
        hook = _make_hook(**options)
    elif options:
        raise TypeError(f"either a hook or the options of one, not both: {', '.join(options)}")
    cfg = gt4py.DaCeConfig() if cfg is None else cfg
    if not cfg.auto_optimize:
        raise ValueError("the hook is called by GT4Py's optimiser, and auto_optimize is off")
    translation = gt4py.make_dace_translator if translation is None else translation
    arguments = dict(getattr(translation, "keywords", {}).get("auto_optimize_args") or {})
    arguments |= auto_optimize_args or {}
    hooks = dict(arguments.get("optimization_hooks") or {})
    earlier = hooks.get(gt4py.Step)
    hooks[gt4py.Step] = hook if earlier is None else _Both(earlier, hook)
    arguments["optimization_hooks"] = hooks
    steps = {"bindings": bindings, "compilation": compilation}
    return gt4py.make_dace_toolchain(
        cfg, name_postfix=f"_sdfgopt_{_digest(hook)}" if name_postfix is None else name_postfix,
        translation=functools.partial(translation, auto_optimize_args=arguments),
        **{name: step for name, step in steps.items() if step is not None})


_make_hook = hook


def _digest(hook: Hook) -> str:
    return hashlib.sha256(repr(dataclasses.astuple(hook)).encode()).hexdigest()[:8]


def domain_facts(*sources: Any) -> list[str]:
    """Facts that no domain is reversed: 'start <= end' for each dimension. Domains may be empty.

    A source is a domain or a GT4Py program. A domain gives the bounds of each dimension, as GT4Py names them
    in the SDFG, that is as the program's arguments: {"Cell": ("cell_start", "cell_end"), K: (0, "nlev")}.

    Of a program, its statements' `domain=` is taken where both bounds are arguments, or the lower one is 0.
    Bounds that are computed, like `top + 1`, say nothing: where top is bottom, that domain is reversed.
    What a program does with no `domain=` depends on its fields, of which the optimiser knows as much.

    That they hold is not checked when the program runs.
    """
    bounds: list[tuple[Any, Any]] = []
    for source in sources:
        if isinstance(source, Mapping):
            bounds += _bounds_of_domain(source)
        elif hasattr(source, "past_stage"):
            for statement in source.past_stage.past_node.body:
                bounds += _bounds_of_node(statement.kwargs.get("domain"))
        else:
            raise TypeError(f"neither a domain nor a GT4Py program: {source!r}")
    facts = [f"{start} <= {end}" for start, end in bounds if isinstance(start, str) or isinstance(end, str)]
    return list(dict.fromkeys(facts))


def _bounds_of_domain(domain: Mapping[Any, Sequence[Any]]) -> list[tuple[Any, Any]]:
    bounds = []
    for dimension, pair in domain.items():
        if isinstance(pair, str) or len(pair) != 2 or not all(isinstance(bound, (str, int)) for bound in pair):
            raise ValueError(f"the bounds of a dimension are two names or numbers, not {pair!r} ({dimension})")
        bounds.append((pair[0], pair[1]))
    return bounds


def _bounds_of_node(node: Any) -> list[tuple[str, str]]:
    """Of `domain=` in a program's syntax tree: a dict, or a tuple of such trees; None if there is none."""
    if node is None:
        return []
    if hasattr(node, "elts"):
        return [pair for element in node.elts for pair in _bounds_of_node(element)]
    bounds = []
    for value in node.values_:
        start, end = value.elts
        if hasattr(end, "id") and (hasattr(start, "id") or getattr(start, "value", None) == 0):
            bounds.append((str(start.id) if hasattr(start, "id") else "0", str(end.id)))
    return bounds


@functools.lru_cache(maxsize=None)
def _names(fact: str) -> frozenset[str]:
    """The symbols in a fact."""
    try:
        tree = ast.parse(fact.strip(), mode="eval")
    except SyntaxError as error:
        raise ValueError(f"not a condition on symbols: '{fact}': {error.msg}") from None
    functions = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    return frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in functions)


def _has_guards(sdfg: dace.SDFG) -> bool:
    from dace.sdfg.state import ConditionalBlock

    return any(isinstance(block, ConditionalBlock) and block.label.startswith("guard_")
               for block in sdfg.all_control_flow_blocks())


def _gt4py() -> SimpleNamespace:
    """What is needed of GT4Py."""
    try:
        from gt4py.next.program_processors.runners.dace.transformations.auto_optimize import GT4PyAutoOptHook
        from gt4py.next.program_processors.runners.dace.workflow.backend import make_dace_toolchain
        from gt4py.next.program_processors.runners.dace.workflow.factory import DaCeConfig, make_dace_translator
    except ImportError as error:
        raise ImportError(f"sdfgopt.gt4py needs GT4Py 1.2.3 or newer, with DaCe ({_found()}): {error}") from error
    return SimpleNamespace(DaCeConfig=DaCeConfig, Step=GT4PyAutoOptHook.TopLevelDataFlowStep,
                           make_dace_toolchain=make_dace_toolchain, make_dace_translator=make_dace_translator)


def _found() -> str:
    from importlib import metadata

    found = []
    for package in ("gt4py", "dace"):
        try:
            found.append(f"{package} {metadata.version(package)}")
        except metadata.PackageNotFoundError:
            found.append(f"no {package}")
    return "found " + ", ".join(found)
