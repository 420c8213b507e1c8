"""The hook for GT4Py's optimiser: what it removes, that results stay the same, and that caches are not fooled."""

import dataclasses
import functools
import pickle
import re
import subprocess
import sys
import warnings

import pytest

pytest.importorskip("gt4py", reason="GT4Py is not installed")
pytest.importorskip("sdfgopt", reason="the package is not installed")

warnings.filterwarnings("ignore", module="(dace|gt4py)")

import dace  # noqa: E402
from gt4py.next import config, fingerprinting  # noqa: E402
from gt4py.next.otf import runners  # noqa: E402
from gt4py.next.program_processors.runners.dace import transformations  # noqa: E402
from gt4py.next.program_processors.runners.dace.workflow import factory  # noqa: E402

import gt4py_runs as runs  # noqa: E402
import sdfgopt  # noqa: E402
import sdfgopt.gt4py  # noqa: E402
import support  # noqa: E402
from gt4py_stencils import K, accumulate, half_levels, implicit_step, kinetic, levels  # noqa: E402
from programs import divergence_damping, moisture_update, pressure_gradient  # noqa: E402

STEP = transformations.GT4PyAutoOptHook.TopLevelDataFlowStep
CONDITION = "8 <= cell_end and cell_start <= 0"


@pytest.fixture(autouse=True, scope="module")
def settings():
    """One process, so that nothing is imported anew for each program."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CXXFLAGS", runs.FLAGS)
        patch.setattr(config, "BUILD_JOBS_MODE", config.BuildJobsMode.SERIAL)
        runners.reset_default_runner()
        yield
    runners.reset_default_runner()


def holds(choice: dict) -> bool:
    return choice["cell_end"] >= 8 and choice["cell_start"] <= 0


# --- what is removed, and that results are equal ---


def test_readme() -> None:
    """The five lines: the copy is there without the hook and gone with it."""
    text = (support.ROOT / "README.md").read_text()
    (block,) = [block for block in re.findall(r"```python\n(.*?)```", text, re.S) if "make_toolchain" in block]
    assert len(block.strip().splitlines()) <= 5
    names: dict = {}
    exec(block, names)
    without, fast = runs.plain(pressure_gradient), names["fast"].compile(offset_provider=runs.connectivities())
    # The other one is the branch that takes the pressure as it is.
    assert sorted(runs.copies(without)) == ["exner -> gtir_tmp_2", "gtir_tmp_2 -> perturbation"]
    assert runs.copies(fast) == ["exner -> perturbation"]
    runs.assert_equal(without, fast, runs.choices(pressure_gradient))


@pytest.mark.parametrize("program", [pressure_gradient, divergence_damping, moisture_update], ids=lambda p: p.__name__)
def test_examples(program) -> None:
    without, (fast, hook) = runs.plain(program), runs.hooked(program)
    kept = program is divergence_damping
    assert ("eliminated" in runs.verdicts(hook)) != kept
    assert len(runs.copies(fast)) == (len(runs.copies(without)) if kept else len(runs.copies(without)) - 1)
    runs.assert_equal(without, fast, runs.choices(program))


def test_examples_on_a_reversed_domain() -> None:
    """It counts as empty, with the hook as without."""
    for program in (pressure_gradient, moisture_update):
        reverse = {"cell_start": 5, "cell_end": 2}
        chosen = [choice | reverse for choice in runs.choices(program)[::7]]
        with pytest.raises(AssertionError, match="nothing was computed"):
            runs.assert_equal(runs.plain(program), runs.hooked(program)[0], chosen)


def test_a_fact() -> None:
    """The domains are those of which the fact is true."""
    fast, hook = runs.hooked(divergence_damping, assume=CONDITION)
    assert "eliminated" in runs.verdicts(hook)
    assert hook.reports[0].facts == (CONDITION,)
    chosen = [choice for choice in runs.choices(divergence_damping) if holds(choice)]
    assert any(choice["top"] == choice["bottom"] for choice in chosen)
    runs.assert_equal(runs.plain(divergence_damping), fast, chosen)


def test_a_guard() -> None:
    """Domains on both sides of the condition. The program has one guard, however many rounds there were."""
    fast, hook = runs.hooked(divergence_damping, guard=True)
    assert runs.verdicts(hook).count("guarded") == 1
    chosen = runs.choices(divergence_damping)
    assert {holds(choice) for choice in chosen} == {False, True}
    runs.assert_equal(runs.plain(divergence_damping), fast, chosen)


@pytest.mark.parametrize("program", [accumulate, half_levels, implicit_step, kinetic, levels], ids=lambda p: p.__name__)
def test_programs(program) -> None:
    """A scan, two branches, a solver in place, several statements, concat_where; all kinds are in bench/."""
    fast, hook = runs.hooked(program)
    assert ("eliminated" in runs.verdicts(hook)) == (program is not implicit_step)
    runs.assert_equal(runs.plain(program), fast, runs.choices(program))


# --- caches and processes ---


def test_options_and_the_cache(tmp_path, monkeypatch) -> None:
    """Other facts: compiled anew. The same ones: taken from the cache, also when it is on disk."""
    monkeypatch.setattr(config, "BUILD_CACHE_DIR", tmp_path)
    cfg = dataclasses.replace(runs.cfg(), cache_lifetime=config.BuildCacheLifetime.PERSISTENT)
    found = []
    for assume in ((), CONDITION, CONDITION, ()):
        hook = sdfgopt.gt4py.hook(assume=assume)
        program = runs.compiled(divergence_damping, sdfgopt.gt4py.make_toolchain(cfg, hook=hook))
        found.append(("gtir_tmp_8 -> divergence" in runs.copies(program), len(hook.reports) > 0))
    assert found == [(True, True), (False, True), (False, False), (True, False)]


def test_a_hook_is_known_by_its_options() -> None:
    options = [
        {},
        {"assume": "a <= b"},
        {"assume": ["a <= b", "b <= c"]},
        {"assume_pointwise": True},
        {"guard": True},
        {"guard": True, "guard_growth": 3.0},
        {"passes": ["write-back-elimination"]},
        {"verify": True},
    ]
    hooks = [sdfgopt.gt4py.hook(**one) for one in options]
    for fingerprint in (fingerprinting.strict_fingerprinter, fingerprinting.lenient_fingerprinter):
        assert len({fingerprint(hook) for hook in hooks}) == len(hooks)
        for hook, one in zip(hooks, options):
            assert fingerprint(hook) == fingerprint(sdfgopt.gt4py.hook(**one))
            assert fingerprint(hook) == fingerprint(pickle.loads(pickle.dumps(hook)))
    assert len({sdfgopt.gt4py.make_toolchain(hook=hook).name for hook in hooks}) == len(hooks)


def test_reports_come_from_other_processes(monkeypatch) -> None:
    """As GT4Py compiles by default. No warning either, that the hook cannot be sent there."""
    monkeypatch.setattr(config, "BUILD_JOBS_MODE", config.BuildJobsMode.PROCESS)
    monkeypatch.setattr(config, "BUILD_JOBS", 1)
    runners.reset_default_runner()
    hook = sdfgopt.gt4py.hook(assume=["cell_start <= cell_end", "no_such_symbol >= 0"])
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="Compiling .* in the calling thread")
        fast = runs.compiled(pressure_gradient, sdfgopt.gt4py.make_toolchain(runs.cfg(), hook=hook))
    (entry,) = hook.reports
    assert entry.program == "pressure_gradient"
    assert entry.facts == ("cell_start <= cell_end",)
    assert str(entry).startswith("pressure_gradient:\neliminated: gtir_tmp_2 -> perturbation")
    assert hook.reports == [entry]
    runs.assert_equal(runs.plain(pressure_gradient), fast, runs.choices(pressure_gradient)[:4])
    assert runs.copies(fast) == ["exner -> perturbation"]


# --- toolchains ---


def test_toolchain_keeps_what_it_is_given() -> None:
    seen = []
    translation = functools.partial(
        factory.make_dace_translator,
        use_metrics=False,
        auto_optimize_args={
            "optimization_hooks": {STEP: seen.append, transformations.GT4PyAutoOptHook.TopLevelDataFlowPre: seen.append}
        },
    )
    hook = sdfgopt.gt4py.hook()
    toolchain = sdfgopt.gt4py.make_toolchain(
        runs.cfg(), hook=hook, name_postfix="_mine", translation=translation,
        auto_optimize_args={"assume_pointwise": False})
    assert toolchain.name == "run_dace_cpu_opt_mine"
    translator = toolchain.executor.translation.step
    assert not translator.use_metrics
    assert translator.auto_optimize_args["assume_pointwise"] is False
    hooks = translator.auto_optimize_args["optimization_hooks"]
    assert len(hooks) == 2
    sdfg = dace.SDFG.from_file(str(support.EXAMPLES / "pressure_gradient.dynamic.sdfg"))
    hooks[STEP](sdfg)
    assert seen == [sdfg]
    assert runs.verdicts(hook) == ["eliminated"]


def test_wrong_use_of_make_toolchain() -> None:
    with pytest.raises(TypeError, match="either a hook or the options of one, not both: guard"):
        sdfgopt.gt4py.make_toolchain(hook=sdfgopt.gt4py.hook(), guard=True)
    with pytest.raises(TypeError, match="no_such_option"):
        sdfgopt.gt4py.make_toolchain(no_such_option=True)
    with pytest.raises(ValueError, match="auto_optimize is off"):
        sdfgopt.gt4py.make_toolchain(factory.DaCeConfig(auto_optimize=False))


def test_static_arguments() -> None:
    """GT4Py puts numbers for static arguments. Facts about them are left out, and the buffer goes anyway."""
    hook = sdfgopt.gt4py.hook(assume=sdfgopt.gt4py.domain_facts(pressure_gradient))
    program = pressure_gradient.with_backend(sdfgopt.gt4py.make_toolchain(runs.cfg(), hook=hook))
    program.compile(offset_provider=runs.connectivities(), cell_start=[0], cell_end=[8])
    assert runs.copies(program) == ["exner -> perturbation"]
    assert {entry.facts for entry in hook.reports} == {("top <= bottom",)}


# --- a hook on its own ---


def load(name: str = "pressure_gradient.dynamic.sdfg") -> dace.SDFG:
    return dace.SDFG.from_file(str(support.EXAMPLES / name))


def test_facts_from_a_file(tmp_path) -> None:
    file = tmp_path / "facts.txt"
    file.write_text("# of the model\n8 <= cell_end  # all\n\ncell_start <= 0\nother >= 0\n")
    hook = sdfgopt.gt4py.hook(facts=file)
    file.unlink()
    assert hook.assume == ("8 <= cell_end", "cell_start <= 0", "other >= 0")
    hook(load("divergence_damping.dynamic.sdfg"))
    assert "eliminated" in runs.verdicts(hook)


def test_wrong_options_are_errors() -> None:
    with pytest.raises(ValueError, match="not a condition on symbols: 'a <='"):
        sdfgopt.gt4py.hook(assume="a <=")
    with pytest.raises(ValueError, match="on_error"):
        sdfgopt.gt4py.hook(on_error="ignore")
    with pytest.raises(sdfgopt.Error, match="no-such-pass"):
        sdfgopt.gt4py.hook(passes=["no-such-pass"])(load())
    with pytest.raises(sdfgopt.Error, match="contradicts"):
        sdfgopt.gt4py.hook(assume="cell_start < cell_end and cell_end < cell_start")(load())


def test_a_program_that_cannot_be_dealt_with(monkeypatch) -> None:
    """It compiles as without the hook."""
    original = sdfgopt.optimize
    sdfg = load()
    before = sdfg.hash_sdfg()
    monkeypatch.setattr(sdfgopt, "optimize", lambda *a, **o: original("no such file.sdfg"))
    hook = sdfgopt.gt4py.hook()
    with pytest.warns(RuntimeWarning, match="sdfgopt leaves the program 'pressure_gradient' as it is: no such file"):
        hook(sdfg)
    assert sdfg.hash_sdfg() == before
    assert hook.reports == []
    with pytest.raises(sdfgopt.Error):
        sdfgopt.gt4py.hook(on_error="raise")(sdfg)


def test_reports_are_bounded(monkeypatch) -> None:
    monkeypatch.setattr(sdfgopt.gt4py, "_MAX_REPORTS", 3)
    hook = sdfgopt.gt4py.hook()
    for number in range(5):
        sdfg = load()
        sdfg.name = f"program_{number}"
        hook(sdfg)
    assert [entry.program for entry in hook.reports] == ["program_2", "program_3", "program_4"]


# --- facts from domains ---


def test_domain_facts() -> None:
    facts = sdfgopt.gt4py.domain_facts
    assert facts({"Cell": ("cell_start", "cell_end"), K: (0, "nlev")}) == ["cell_start <= cell_end", "0 <= nlev"]
    assert facts({"K": (0, 10)}) == []
    assert facts({"K": ("top + 1", "bottom")}, {"K": ("top + 1", "bottom")}) == ["top + 1 <= bottom"]
    assert facts(divergence_damping) == ["cell_start <= cell_end", "top <= bottom", "edge_start <= edge_end"]
    # Where levels between others are computed, their domain is reversed if there are none of the others.
    assert facts(half_levels) == ["cell_start <= cell_end", "top <= bottom"]
    assert facts(accumulate) == ["cell_start <= cell_end", "0 <= bottom"]
    assert facts(kinetic, accumulate) == [
        "edge_start <= edge_end", "top <= bottom", "cell_start <= cell_end", "0 <= bottom"]
    assert facts(runs.plain(pressure_gradient)) == facts(pressure_gradient)


def test_domain_facts_are_wrong() -> None:
    for pair in ("ab", ("a",), ("a", 1.5), ("a", "b", "c")):
        with pytest.raises(ValueError, match="two names or numbers"):
            sdfgopt.gt4py.domain_facts({"Cell": pair})
    with pytest.raises(TypeError, match="neither a domain nor a GT4Py program"):
        sdfgopt.gt4py.domain_facts(3)


# --- imports ---


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr.strip().rpartition("\n")[2]


def test_nothing_is_imported_before_it_is_needed() -> None:
    assert python("import sdfgopt.gt4py, sys\n"
                  "sdfgopt.gt4py.hook(assume='a <= b'); sdfgopt.gt4py.domain_facts({'K': ('a', 'b')})\n"
                  "print(sorted({'gt4py', 'dace', 'numpy'} & set(sys.modules)))") == "[]\n"


def test_gt4py_is_missing_or_old() -> None:
    missing = python("import sys; sys.modules['gt4py'] = None\n"
                     "import sdfgopt.gt4py; sdfgopt.gt4py.make_toolchain()")
    assert re.search(r"ImportError: sdfgopt.gt4py needs GT4Py 1.2.3 or newer, with DaCe \(found gt4py .*, dace .*\)",
                     missing)
    old = python("import gt4py.next.program_processors.runners.dace.workflow.backend as module\n"
                 "del module.make_dace_toolchain\n"
                 "import sdfgopt.gt4py; sdfgopt.gt4py.make_toolchain()")
    assert "needs GT4Py 1.2.3 or newer" in old and "make_dace_toolchain" in old
