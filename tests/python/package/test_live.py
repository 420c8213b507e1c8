"""Live SDFGs: what the passes do to Python objects is what they do to files, and nothing else."""

import json
import warnings
from pathlib import Path
from typing import Any

import pytest

from support import EXAMPLES, SHARED, FileTest, filetests, programs, sdfg_opt

dace = pytest.importorskip("dace")
sdfgopt = pytest.importorskip("sdfgopt")

pytestmark = pytest.mark.dace

PROGRAMS = [p for folder in (EXAMPLES, SHARED / "cases", SHARED / "corpus") for p in programs(folder)]
OPTIONS = {"proved": {}, "pointwise": {"assume_pointwise": True}, "guard": {"guard": True, "guard_growth": 4.0}}
MODES = pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)


def words(options: dict[str, Any]) -> list[str]:
    """The options as the program spells them."""
    given = []
    for name, value in options.items():
        given += [f"--{name.replace('_', '-')}"] + ([str(value)] if value is not True else [])
    return given


def arguments(options: list[str]) -> dict[str, Any]:
    """The reverse."""
    given: dict[str, Any] = {}
    rest = list(options)
    while rest:
        name, _, value = rest.pop(0).removeprefix("--").replace("-", "_").partition("=")
        if name == "assume":
            given.setdefault("assume", []).append(value or rest.pop(0))
        elif name == "guard_growth":
            given[name] = float(value or rest.pop(0))
        else:
            given[name] = True
    return given


def load(path: Path) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return dace.SDFG.from_file(str(path))


def compare(path: Path, options: dict[str, Any], tmp_path: Path) -> Any:
    """Optimises the live program, and the file by the program; the report and the live program."""
    written = tmp_path / "written.sdfg"
    load(path).save(str(written))  # loading changes details of files that an older DaCe wrote
    sdfg = load(written)
    report = sdfgopt.optimize(sdfg, **options)
    after, remarks = tmp_path / "after.sdfg", tmp_path / "remarks.json"
    given = [w for fact in options.get("assume", []) for w in ("--assume", fact)]
    given += words({name: value for name, value in options.items() if name != "assume"})
    sdfg_opt("optimize", written, *given, "-o", after, "--remarks", remarks, "-q")
    assert report.to_dict() == json.loads(remarks.read_text())
    expected = load(after)
    if sdfg.hash_sdfg() != expected.hash_sdfg():
        ours, theirs = (json.dumps(one.to_json(), indent=1).splitlines() for one in (sdfg, expected))
        at = [k for k, (a, b) in enumerate(zip(ours, theirs)) if a != b and "guid" not in a and "hash" not in a]
        pytest.fail("\n".join(f"live: {ours[k]}\nfile: {theirs[k]}" for k in at[:10]))
    return report, sdfg


@MODES
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.name)
def test_as_from_file(path: Path, options: dict[str, Any], tmp_path: Path) -> None:
    _, sdfg = compare(path, options, tmp_path)
    sdfg.validate()


@pytest.mark.parametrize("test", [t for t in filetests() if t.verb == "optimize"], ids=lambda t: t.name)
def test_filetest(test: FileTest, tmp_path: Path) -> None:
    """From the input as DaCe writes it; what DaCe does not read says nothing."""
    source, read = tmp_path / "input.sdfgt", tmp_path / "read.sdfg"
    source.write_text(test.input)
    sdfg_opt("convert", source, read)
    try:
        load(read).validate()
    except Exception as error:
        pytest.skip(f"the input: {type(error).__name__}: {str(error)[:200]}")
    compare(read, arguments(test.options), tmp_path)


# --- what is not touched ---


def elements(sdfg: Any) -> dict[int, Any]:
    """All elements, by identity."""
    found = {}
    for nested in sdfg.all_sdfgs_recursive():
        for one in [nested, *nested.arrays.values(), *nested.all_control_flow_blocks(), *nested.all_interstate_edges()]:
            found[id(one)] = one
        for state in nested.states():
            for one in [*state.nodes(), *state.edges(), *(edge.data for edge in state.edges())]:
                found[id(one)] = one
    return found


def test_objects_stay_the_same() -> None:
    sdfg = load(EXAMPLES / "pressure_gradient.dynamic.sdfg")
    before = elements(sdfg)
    report = sdfgopt.optimize(sdfg)
    after = elements(sdfg)
    assert [remark.buffer for remark in report.eliminated] == ["gtir_tmp_2"]
    assert set(after) <= set(before), "no object was made anew"
    gone = [before[key] for key in set(before) - set(after)]
    # The transient; the copy, and the node that it went to.
    assert sorted(type(one).__name__ for one in gone) == ["AccessNode", "Array", "Memlet", "MultiConnectorEdge"]


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda p: p.name)
def test_nothing_changes_where_all_is_kept(path: Path) -> None:
    sdfg = load(path)
    if sdfgopt.explain(sdfg).eliminated:
        pytest.skip("something is eliminated")
    before, text = elements(sdfg), json.dumps(sdfg.to_json())
    assert not sdfgopt.optimize(sdfg).changed
    assert elements(sdfg) == before
    assert json.dumps(sdfg.to_json()) == text


def test_explain_changes_nothing() -> None:
    sdfg = load(EXAMPLES / "pressure_gradient.dynamic.sdfg")
    text = json.dumps(sdfg.to_json())
    assert sdfgopt.explain(sdfg).eliminated
    assert json.dumps(sdfg.to_json()) == text


# --- the DaCe pass ---


def test_pipeline() -> None:
    from dace.transformation.pass_pipeline import Pipeline
    from sdfgopt.dace import WriteBackElimination

    sdfg = load(EXAMPLES / "pressure_gradient.dynamic.sdfg")
    result = Pipeline([WriteBackElimination()]).apply_pass(sdfg, {})
    report = result["WriteBackElimination"]
    assert "gtir_tmp_2" not in sdfg.arrays
    assert "gtir_tmp_2 -> perturbation" in WriteBackElimination().report(report)
    assert Pipeline([WriteBackElimination()]).apply_pass(sdfg, {}) is None, "there is nothing left to do"
    sdfg.validate()


def test_in_simplify(monkeypatch: pytest.MonkeyPatch) -> None:
    from dace.transformation.passes import simplify
    from sdfgopt.dace import WriteBackElimination

    monkeypatch.setattr(simplify, "SIMPLIFY_PASSES", [*simplify.SIMPLIFY_PASSES, WriteBackElimination])
    sdfg = load(EXAMPLES / "divergence_damping.dynamic.sdfg")
    options = {"WriteBackElimination.assume": ["8 <= cell_end and cell_start <= 0"]}
    simplify.SimplifyPass(validate_all=True, pass_options=options).apply_pass(sdfg, {})
    assert "gtir_tmp_8" not in sdfg.arrays


def test_options_are_properties() -> None:
    from dace.transformation.pass_pipeline import Modifies, Pass
    from sdfgopt.dace import WriteBackElimination

    given = WriteBackElimination(assume=["a <= b"], assume_pointwise=True, guard=True, guard_growth=3.0, verify=True)
    back = Pass.from_json(json.loads(json.dumps(given.to_json())))
    assert isinstance(back, WriteBackElimination)
    for name in ("assume", "assume_pointwise", "guard", "guard_growth", "verify"):
        assert getattr(back, name) == getattr(given, name)
    assert WriteBackElimination(assume="a <= b").assume == ["a <= b"]
    given.set_opts({"WriteBackElimination.assume": "c <= d"})
    assert given.assume == ["c <= d"]
    assert WriteBackElimination().assume == []
    assert Modifies.CFG not in WriteBackElimination().modifies()
    assert Modifies.CFG in given.modifies()
    assert given.depends_on() == []
    assert given.should_reapply(Modifies.Memlets) and not given.should_reapply(Modifies.Nothing)
    assert given.__explicit_cf_compatible__


def test_nested_sdfg_is_left_alone() -> None:
    """Its two arguments may be one array outside."""
    from sdfgopt.dace import WriteBackElimination

    inner = load(EXAMPLES / "pressure_gradient.dynamic.sdfg")
    outer = dace.SDFG("outer")
    state = outer.add_state()
    state.add_nested_sdfg(inner, set(), set())
    assert WriteBackElimination().apply_pass(inner, {}) is None
    for function in (sdfgopt.optimize, sdfgopt.explain):
        with pytest.raises(sdfgopt.Error, match="is nested in another SDFG"):
            function(inner)
    assert "gtir_tmp_2" in inner.arrays


def test_wrong_fact_is_an_error() -> None:
    sdfg = load(EXAMPLES / "pressure_gradient.dynamic.sdfg")
    with pytest.raises(sdfgopt.Error, match="nothing_like_it"):
        sdfgopt.optimize(sdfg, assume="nothing_like_it > 0")
    with pytest.raises(sdfgopt.Error, match="cannot write"):
        sdfgopt.optimize(sdfg, output="no/such/folder/after.sdfg")
    assert "gtir_tmp_2" in sdfg.arrays


def test_verified() -> None:
    sdfg = load(EXAMPLES / "pressure_gradient.dynamic.sdfg")
    report = sdfgopt.optimize(sdfg, verify=True)
    assert report.verified and "same: " in str(report)
    assert "gtir_tmp_2" not in sdfg.arrays


def test_shared_objects_are_an_error() -> None:
    """An edit of one would change the other."""
    sdfg = load(EXAMPLES / "pressure_gradient.dynamic.sdfg")
    sdfg.arrays["gtir_tmp_2"] = sdfg.arrays["perturbation"]
    with pytest.raises(sdfgopt.Error, match="is used in two places"):
        sdfgopt.optimize(sdfg)


def test_interrupted_edits_are_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    import os
    import signal

    from sdfgopt import _live

    sdfg = load(EXAMPLES / "pressure_gradient.dynamic.sdfg")
    edit = _live._Editor.memlet

    def interrupted(self: Any, *arguments: Any) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        edit(self, *arguments)

    monkeypatch.setattr(_live._Editor, "memlet", interrupted)
    with pytest.raises(KeyboardInterrupt):
        sdfgopt.optimize(sdfg)
    sdfg.validate()
    assert "gtir_tmp_2" not in sdfg.arrays


def test_edits_that_fail_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    from sdfgopt import _live

    sdfg = load(EXAMPLES / "pressure_gradient.dynamic.sdfg")
    text = json.dumps(sdfg.to_json())

    def fails(*_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(_live, "_subset", fails)
    with pytest.raises(MemoryError):
        sdfgopt.optimize(sdfg)
    assert json.dumps(sdfg.to_json()) == text


def test_run_refuses_arrays_that_share_memory() -> None:
    import numpy

    with pytest.raises(sdfgopt.Error, match="share memory"):
        memory = numpy.zeros(8)
        sdfgopt.run(EXAMPLES / "pressure_gradient.dynamic.sdfg", {"exner": memory, "perturbation": memory[::-1]})


def test_symbols_of_one_name_keep_their_assumptions(tmp_path: Path) -> None:
    """To SymPy, `N` that is positive and `N` are two symbols."""
    extent = dace.symbol("N", positive=True)
    sdfg = dace.SDFG("symbols_of_one_name")
    for name in "XA":
        sdfg.add_array(name, [extent], dace.float64)
    sdfg.add_transient("T", [extent], dace.float64)
    define = sdfg.add_state("define")
    define.add_mapped_tasklet("f", {"i": "0:N"}, {"x": dace.Memlet("X[i]")}, "o = x + 1", {"o": dace.Memlet("T[i]")},
                              external_edges=True)
    copy = sdfg.add_state_after(define, "copy")
    copy.add_edge(copy.add_read("T"), None, copy.add_write("A"), None, dace.Memlet("T[0:N]"))
    path = tmp_path / "program.sdfg"
    sdfg.save(str(path))
    sdfg_opt("optimize", path, "-o", tmp_path / "after.sdfg", "-q")
    sdfgopt.optimize(sdfg)
    assert sdfg.hash_sdfg() == load(tmp_path / "after.sdfg").hash_sdfg()
