"""The functions on files and loaded programs: they say and do what the program `sdfg-opt` says and does."""

import ast
import copy
import io
import json
import pickle
import subprocess
from pathlib import Path
from typing import Any

import pytest

from support import EXAMPLES, SDFG_OPT, programs, sdfg_opt

sdfgopt = pytest.importorskip("sdfgopt", reason="the package is not installed")

ALL = programs(EXAMPLES)
CONDITION = "8 <= cell_end and cell_start <= 0"
DAMPING = EXAMPLES / "divergence_damping.dynamic.sdfg"
GRADIENT = EXAMPLES / "pressure_gradient.dynamic.sdfg"

each_program = pytest.mark.parametrize("path", ALL, ids=lambda path: path.name)


def cli_error(*arguments: str | Path) -> str:
    """What the program prints behind its name, when it fails."""
    done = subprocess.run([SDFG_OPT, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 2, done
    assert done.stderr.startswith("sdfg-opt: error: ")
    return done.stderr.removeprefix("sdfg-opt: error: ").rstrip("\n")


# --- optimize and explain ---


@each_program
@pytest.mark.parametrize("options", [{}, {"assume_pointwise": True}, {"guard": True}], ids=str)
def test_optimize_is_the_command(path: Path, options: dict[str, Any], tmp_path: Path) -> None:
    words = [f"--{name.replace('_', '-')}" for name in options]
    expected, remarks, written = tmp_path / "cli.sdfg", tmp_path / "remarks.json", tmp_path / "api.sdfg"
    text = sdfg_opt("optimize", path, *words, "-o", expected, "--remarks", remarks)
    before = path.read_bytes()
    report = sdfgopt.optimize(path, output=written, **options)
    assert path.read_bytes() == before
    assert written.read_bytes() == expected.read_bytes() == report.program.json()
    assert str(report) == text
    assert report.to_dict() == json.loads(remarks.read_text())
    assert report.changed == bool(report.eliminated or report.guarded)


@each_program
def test_explain_is_the_command(path: Path) -> None:
    report = sdfgopt.explain(str(path))
    assert str(report) == sdfg_opt("explain", path)
    assert report.to_dict() == json.loads(sdfg_opt("explain", path, "--json"))
    assert report.program is None and not report.changed and report.proposed_facts is None


def test_report() -> None:
    report = sdfgopt.explain(DAMPING)
    (remark,) = report.remarks
    assert report.kept == [remark] and not report.eliminated and not report.guarded
    assert (remark.buffer, remark.destination, remark.verdict) == ("gtir_tmp_8", "divergence", "kept")
    assert (remark.rule, remark.condition, remark.facts) == ("R1", CONDITION, ())
    assert (remark.state, remark.state_id, remark.node) == ("lambda_entry_0_0", "s1", "n0")
    assert remark.pass_name == "write-back-elimination" and remark.trusted is False
    assert remark.bytes == "8*(bottom - top)*(cell_end - cell_start)"
    assert report.summary == "0 buffers eliminated, 1 kept"
    assert set(report.statistics) == {"queries", "cache_hits", "decided_syntactically", "unknown"}
    assert report.statistics["queries"] > 0
    assert pickle.loads(pickle.dumps(report)) == report
    with pytest.raises(AttributeError):
        report.changed = True


def test_guarded() -> None:
    report = sdfgopt.optimize(DAMPING, guard=True)
    assert [remark.condition for remark in report.guarded] == [CONDITION]
    kept = sdfgopt.optimize(DAMPING, guard=True, guard_growth=1)
    assert len(kept.kept) == 1 and not kept.changed


@pytest.mark.parametrize("assume", [CONDITION, CONDITION.split(" and "), iter([CONDITION]), (CONDITION,)])
def test_assume(assume: Any) -> None:
    report = sdfgopt.optimize(DAMPING, assume=assume, verify=True)
    (remark,) = report.eliminated
    assert " and ".join(remark.facts) == CONDITION
    assert report.verified


def test_facts_file(tmp_path: Path) -> None:
    facts = tmp_path / "facts.txt"
    facts.write_text("# what always holds\n8 <= cell_end\n\ncell_start <= 0\n")
    assert len(sdfgopt.optimize(DAMPING, facts=facts).eliminated) == 1
    assert len(sdfgopt.explain(DAMPING, facts=str(facts)).eliminated) == 1


def test_proposed_facts(tmp_path: Path) -> None:
    expected, written = tmp_path / "cli.txt", tmp_path / "api.txt"
    text = sdfg_opt("explain", DAMPING, "--facts-out", expected).replace(str(expected), str(written))
    report = sdfgopt.explain(DAMPING, facts_out=written)
    assert str(report) == text
    assert written.read_text() == expected.read_text() == str(report.proposed_facts)
    assert list(report.proposed_facts) == report.proposed_facts.facts == ["8 <= cell_end", "cell_start <= 0"]
    (group,) = report.proposed_facts.groups
    assert [remark.buffer for remark in group.freed] == ["gtir_tmp_8"]
    again = sdfgopt.explain(sdfgopt.load(DAMPING), propose_facts=True)
    assert again.proposed_facts.groups == report.proposed_facts.groups and again.proposed_facts.complete
    assert len(sdfgopt.optimize(DAMPING, assume=again.proposed_facts).eliminated) == 1


def test_program_stays_as_it_is() -> None:
    program = sdfgopt.load(GRADIENT)
    before = program.json()
    report = sdfgopt.optimize(program)
    assert report.changed and program.json() == before != report.program.json()
    assert sdfgopt.verify(program, report.program)
    sdfgopt.explain(program, propose_facts=True)
    assert program.json() == before
    # Again, on what came out: there is nothing left to do.
    assert not sdfgopt.optimize(report.program).changed


def test_passes() -> None:
    names = ["write-back-elimination"]
    assert sdfgopt.optimize(GRADIENT, passes=names).changed
    assert sdfgopt.optimize(GRADIENT, passes=names[0]).changed
    assert not sdfgopt.optimize(GRADIENT, passes=[]).changed


def test_verified() -> None:
    report = sdfgopt.optimize(GRADIENT, verify=True)
    assert report.verified and not sdfgopt.optimize(GRADIENT).verified
    words = sdfg_opt("optimize", GRADIENT, "--verify").replace("nothing was written: no -o\n", "")
    assert str(report) == words


def test_html() -> None:
    text = sdfgopt.explain(DAMPING)._repr_html_()
    assert text.count("<tr>") == 2 and "<td>gtir_tmp_8</td>" in text
    assert "right whenever 8 &lt;= cell_end" in text and "<= " not in text
    assert "0 buffers eliminated, 1 kept" in text
    empty = sdfgopt.explain(EXAMPLES / "pressure_gradient.static.sdfg", assume=[])
    assert empty._repr_html_().startswith("<table>")


# --- wrong programs are found out ---

BEFORE = """sdfg p {{
  array a: float64[8]
  array G: float64[8]
  state s {{
    n0 map m [i = 0..7] exit n2: n1 tasklet t (x = n3 a[i]) -> (y = n4 G[i]) {{ y = {code} }}
    n3 a
    n4 G
  }}
}}
"""


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    """Two programs that differ."""
    paths = tmp_path / "before.sdfgt", tmp_path / "after it.sdfgt"
    for path, code in zip(paths, ("x + 1", "x + 2")):
        path.write_text(BEFORE.format(code=code))
    return paths


def test_verify_finds_a_difference(pair: tuple[Path, Path]) -> None:
    report = sdfgopt.verify(*pair)
    assert not report and not report.same
    difference = report.difference
    assert (difference.kind, difference.array, difference.symbols) == ("value", "G", {})
    assert difference.before != difference.after and str(difference) in str(report)
    done = subprocess.run([SDFG_OPT, "verify", *pair], capture_output=True, text=True)
    assert done.returncode == 1 and str(report) == done.stdout
    loaded = sdfgopt.verify(*map(sdfgopt.load, pair))
    assert str(loaded).endswith(f"  with seed {difference.seed}\n")
    again = sdfgopt.verify(*pair, seed=difference.seed, runs=1)
    assert again.difference == difference


def test_verify_same(tmp_path: Path) -> None:
    after = tmp_path / "after.sdfg"
    sdfgopt.optimize(DAMPING, output=after, assume=CONDITION)
    report = sdfgopt.verify(DAMPING, after, assume=CONDITION, runs=5, seed=3)
    assert report and report.difference is None
    assert str(report) == sdfg_opt("verify", DAMPING, after, "--assume", CONDITION, "--runs", 5, "--seed", 3)
    assert len(report.runs) == 5 == report.wanted
    assert all(run.symbols["cell_end"] >= 8 and run.symbols["cell_start"] <= 0 for run in report.runs)
    assert all(run.elements > 0 for run in report.runs)
    assert pickle.loads(pickle.dumps(report)) == report
    symbols = {"cell_start": 0, "cell_end": 8}
    assert all(symbols.items() <= run.symbols.items()
               for run in sdfgopt.verify(DAMPING, after, symbols=symbols, runs=2).runs)


def test_verify_with_itself() -> None:
    program = sdfgopt.load(GRADIENT)
    assert sdfgopt.verify(program, program)


# What is trusted with assume_pointwise is not true here: G is read after it is written.
NOT_POINTWISE = """sdfg p {
  array a: float64[10]
  array G: float64[40]
  transient array T: float64[10]
  state define {
    n0 map define [i = 0..9] exit n2 {
      n1 nested inner (x = n3 a[i], z = n5 G[i]) -> (y = n4 T[i]) sdfg inner {
        scalar x: float64
        array z: float64[1]
        array y: float64[1]
        state first {
          n0 tasklet set (u = n1 x[0]) -> (w = n2 y[0]) { w = u }
          n1 x
          n2 y
        }
        state second {
          n0 tasklet add (v = n1 z[0]) -> (w = n2 y[0]) { w = v + 1.0 }
          n1 z
          n2 y
        }
        first -> second
      }
    }
    n3 a
    n4 T
    n5 G
  }
  state write_back {
    n0 T
    n1 G <- n0 T[0..9] -> [0..9]
  }
  define -> write_back
}
"""


def test_verify_option_finds_a_wrong_trust(tmp_path: Path) -> None:
    path, output = tmp_path / "p.sdfgt", tmp_path / "out.sdfg"
    path.write_text(NOT_POINTWISE)
    done = subprocess.run([SDFG_OPT, "optimize", path, "--assume-pointwise", "--verify"], capture_output=True, text=True)
    with pytest.raises(sdfgopt.VerificationError) as caught:
        sdfgopt.optimize(path, assume_pointwise=True, verify=True, output=output)
    assert (done.returncode, done.stderr) == (1, f"sdfg-opt: {caught.value}")
    assert caught.value.code == "difference" and not output.exists()
    (remark,) = sdfgopt.optimize(path, assume_pointwise=True).eliminated
    assert remark.trusted and not sdfgopt.optimize(path, verify=True).changed


@pytest.mark.dace
def test_live_sdfg_stays_if_it_would_be_wrong(tmp_path: Path) -> None:
    dace = pytest.importorskip("dace")
    sdfgopt.save(sdfgopt.Program.from_json(_json(NOT_POINTWISE, tmp_path)), tmp_path / "p.sdfg")
    sdfg = dace.SDFG.from_file(str(tmp_path / "p.sdfg"))
    digest = sdfg.hash_sdfg()
    with pytest.raises(sdfgopt.VerificationError, match="changed what the program does"):
        sdfgopt.optimize(sdfg, assume_pointwise=True, verify=True)
    assert sdfg.hash_sdfg() == digest


def _json(text: str, folder: Path) -> bytes:
    path = folder / "text.sdfgt"
    path.write_text(text)
    return sdfgopt.load(path).json()


# --- files ---


@each_program
def test_load_and_save(path: Path, tmp_path: Path) -> None:
    program = sdfgopt.load(path)
    for name in ("a.sdfg", "a.sdfgz", "a.sdfgt"):
        written, expected = tmp_path / name, tmp_path / f"cli-{name}"
        sdfgopt.save(program, written)
        sdfg_opt("convert", path, expected)
        assert written.read_bytes() == expected.read_bytes()
    full = tmp_path / "full.sdfgt"
    sdfgopt.save(path, full, full=True)
    assert sdfgopt.load(full).json() == program.json()


def test_print(capsys: pytest.CaptureFixture) -> None:
    assert sdfgopt.print(GRADIENT, only="stmt_0_false_branch") is None
    shown = capsys.readouterr().out
    assert shown == sdfg_opt("print", GRADIENT, "--only", "stmt_0_false_branch")
    file = io.StringIO()
    sdfgopt.print(GRADIENT, file=file)
    assert file.getvalue() == str(sdfgopt.load(GRADIENT)) == sdfg_opt("print", GRADIENT)
    assert capsys.readouterr().out == ""


def test_program_object(tmp_path: Path) -> None:
    program = sdfgopt.load(GRADIENT)
    assert repr(program) == f"<sdfgopt.Program '{program.name}' from '{GRADIENT}'>"
    assert program.file == str(GRADIENT)
    again = pickle.loads(pickle.dumps(program))
    assert again.json() == program.json() and repr(again) == repr(program)
    assert copy.copy(program) is program and copy.deepcopy(program) is program
    assert program.copy().json() == program.json()
    assert sdfgopt.Program.from_json(program.json()).file == ""


# --- errors ---


def test_errors_have_the_text_of_the_command(tmp_path: Path) -> None:
    broken = tmp_path / "broken.sdfg"
    broken.write_text("{")
    text = tmp_path / "text.sdfg"
    text.write_text("no program")
    facts = tmp_path / "facts.txt"
    facts.write_text("n >= 1\n")
    missing = tmp_path / "missing.sdfg"
    cases = [
        ("io", lambda: sdfgopt.load(missing), ["print", missing]),
        ("io", lambda: sdfgopt.optimize(tmp_path), ["optimize", tmp_path]),
        ("syntax", lambda: sdfgopt.explain(broken), ["explain", broken]),
        ("syntax", lambda: sdfgopt.load(text), ["print", text]),
        ("usage", lambda: sdfgopt.optimize(GRADIENT, passes=["nonsense"]),
         ["optimize", GRADIENT, "--passes", "nonsense"]),
        ("usage", lambda: sdfgopt.optimize(GRADIENT, output="x.txt"), ["optimize", GRADIENT, "-o", "x.txt"]),
        ("io", lambda: sdfgopt.optimize(GRADIENT, output=tmp_path / "no" / "x.sdfg"),
         ["optimize", GRADIENT, "-o", tmp_path / "no" / "x.sdfg"]),
        ("syntax", lambda: sdfgopt.optimize(GRADIENT, assume="top >"), ["optimize", GRADIENT, "--assume", "top >"]),
        ("usage", lambda: sdfgopt.explain(GRADIENT, assume="nobody > 1"),
         ["explain", GRADIENT, "--assume", "nobody > 1"]),
        ("usage", lambda: sdfgopt.optimize(GRADIENT, facts=facts), ["optimize", GRADIENT, "--facts", facts]),
        ("io", lambda: sdfgopt.optimize(GRADIENT, facts=missing), ["optimize", GRADIENT, "--facts", missing]),
        ("usage", lambda: sdfgopt.explain(GRADIENT, facts_out=GRADIENT),
         ["explain", GRADIENT, "--facts-out", GRADIENT]),
        ("usage", lambda: sdfgopt.print(GRADIENT, only="nothing"), ["print", GRADIENT, "--only", "nothing"]),
        ("usage", lambda: sdfgopt.verify(GRADIENT, GRADIENT, symbols={"x": 1}),
         ["verify", GRADIENT, GRADIENT, "--symbol", "x=1"]),
    ]
    for code, call, words in cases:
        with pytest.raises(sdfgopt.Error) as caught:
            call()
        assert str(caught.value) == cli_error(*words)
        assert caught.value.code == code, words
        again = pickle.loads(pickle.dumps(caught.value))
        assert (type(again), str(again), again.code) == (sdfgopt.Error, str(caught.value), code)
    assert issubclass(sdfgopt.Error, RuntimeError) and issubclass(sdfgopt.VerificationError, sdfgopt.Error)


def test_bad_values() -> None:
    for growth in (0.5, float("nan"), 1e10):
        with pytest.raises(sdfgopt.Error, match="guard_growth") as caught:
            sdfgopt.optimize(GRADIENT, guard=True, guard_growth=growth)
        assert caught.value.code == "usage"
    with pytest.raises(sdfgopt.Error, match="runs"):
        sdfgopt.verify(GRADIENT, GRADIENT, runs=0)
    with pytest.raises(sdfgopt.Error, match="size"):
        sdfgopt.verify(GRADIENT, GRADIENT, size=0)
    for wrong in (3, None, b"bytes"):
        with pytest.raises(TypeError, match="neither a path, a sdfgopt.Program nor a dace.SDFG"):
            sdfgopt.optimize(wrong)


def test_nothing_is_written_after_an_error(tmp_path: Path) -> None:
    output = tmp_path / "x.sdfg"
    with pytest.raises(sdfgopt.Error):
        sdfgopt.optimize(GRADIENT, output=output, assume="top >")
    assert not output.exists()


# --- the package ---


def test_stubs_name_all_there_is() -> None:
    from sdfgopt import _core

    tree = ast.parse((Path(sdfgopt.__file__).parent / "_core.pyi").read_text())
    named = {node.target.id if isinstance(node, ast.AnnAssign) else node.name for node in tree.body
             if isinstance(node, (ast.AnnAssign, ast.ClassDef, ast.FunctionDef))}
    there = {name for name in dir(_core) if not name.startswith("__")} | {"__version__"}
    assert named == there
    for node in tree.body:
        if isinstance(node, ast.ClassDef):
            members = {part.target.id if isinstance(part, ast.AnnAssign) else part.name for part in node.body
                       if isinstance(part, (ast.AnnAssign, ast.FunctionDef))}
            own = {name for name in vars(getattr(_core, node.name)) if not name.startswith("__")}
            assert own - {"code"} <= members, node.name
            assert all(hasattr(getattr(_core, node.name), name) for name in members)


def test_documented() -> None:
    assert set(sdfgopt.__all__) <= set(dir(sdfgopt))
    for name in ("optimize", "explain", "verify", "run", "load", "save", "print", "Program", "Remark", "Report",
                 "VerifyReport", "ProposedFacts", "Error"):
        assert "    " in getattr(sdfgopt, name).__doc__, f"{name} has no example"
    assert (Path(sdfgopt.__file__).parent / "py.typed").exists()
    version = subprocess.run([SDFG_OPT, "--version"], capture_output=True, text=True).stdout.split()[-1]
    assert sdfgopt.__version__ == version


# --- live SDFGs ---


@pytest.mark.dace
def test_live_sdfg(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    """What does not change an SDFG does with a live one what it does with its file."""
    dace = pytest.importorskip("dace")
    path = tmp_path / "live.sdfg"
    dace.SDFG.from_file(str(DAMPING)).save(str(path))
    sdfg = dace.SDFG.from_file(str(path))
    assert str(sdfgopt.explain(sdfg)) == str(sdfgopt.explain(path))
    assert sdfgopt.explain(sdfg, propose_facts=True).proposed_facts.facts == ["8 <= cell_end", "cell_start <= 0"]
    assert sdfgopt.verify(sdfg, path, runs=2) and sdfgopt.verify(path, sdfg, runs=2)
    sdfgopt.print(sdfg)
    sdfgopt.print(path)
    shown = capsys.readouterr().out
    assert shown[:len(shown) // 2] == shown[len(shown) // 2:]
    sdfgopt.save(sdfg, tmp_path / "saved.sdfgt")
    assert str(sdfgopt.load(tmp_path / "saved.sdfgt")) == str(sdfgopt.load(path))
    assert sdfg.hash_sdfg() == dace.SDFG.from_file(str(path)).hash_sdfg()


@pytest.mark.dace
def test_live_sdfg_is_optimised_in_place(tmp_path: Path) -> None:
    dace = pytest.importorskip("dace")
    sdfg = dace.SDFG.from_file(str(DAMPING))
    before = sdfgopt.Program.from_json(json.dumps(sdfg.to_json()).encode())
    output = tmp_path / "out.sdfg"
    report = sdfgopt.optimize(sdfg, assume=CONDITION, verify=True, output=output)
    assert report.changed and report.verified and report.program is None
    assert "gtir_tmp_8" not in sdfg.arrays
    assert sdfgopt.verify(before, sdfg, assume=CONDITION)
    assert dace.SDFG.from_file(str(output)).hash_sdfg() == sdfg.hash_sdfg()
    kept = dace.SDFG.from_file(str(DAMPING))
    digest = kept.hash_sdfg()
    for options in ({"assume": "top >"}, {"passes": "nonsense"}, {"output": "x.txt"}):
        with pytest.raises(sdfgopt.Error):
            sdfgopt.optimize(kept, **options)
    assert kept.hash_sdfg() == digest
