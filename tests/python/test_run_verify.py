"""`run` and `verify` as commands: files in and out, options, messages, exit status."""

import shlex
import subprocess
from pathlib import Path

import numpy as np
import pytest

from support import FILETESTS, SDFG_OPT

PROGRAM = """sdfg p {
  array a: float64[N]
  array G: float64[N]
  scalar w: float64
  symbol N: int64
  symbol dt: float64
  state s {
    n0 map m [i = 0..N-1] exit n2: n1 tasklet t (x = n3 a[i], c = n5 w[0]) -> (y = n4 G[i]) { y = x * dt + c }
    n3 a
    n4 G
    n5 w
  }
}
"""
WRONG = PROGRAM.replace("x * dt", "x * dt * 2.0")
SYMBOLS = ["-s", "N=3", "-s", "dt=0.5"]


def sdfg_opt(*arguments: str | Path, **options) -> subprocess.CompletedProcess:
    return subprocess.run([SDFG_OPT, *map(str, arguments)], capture_output=True, text=True, timeout=120, **options)


def error(*arguments: str | Path) -> str:
    """The one line on standard error of a command that does nothing else."""
    done = sdfg_opt(*arguments)
    assert done.returncode == 2, done.stdout + done.stderr
    assert done.stdout == ""
    assert done.stderr.startswith("sdfg-opt: error: ") and done.stderr.count("\n") == 1, done.stderr
    return done.stderr.removeprefix("sdfg-opt: error: ").rstrip("\n")


@pytest.fixture
def program(tmp_path: Path) -> Path:
    path = tmp_path / "it's a program.sdfgt"
    path.write_text(PROGRAM)
    return path


@pytest.fixture
def wrong(tmp_path: Path) -> Path:
    path = tmp_path / "wrong.sdfgt"
    path.write_text(WRONG)
    return path


def test_run_takes_and_writes_arrays(program: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "a.npy", np.array([1.0, 2.0, 4.0]))
    np.save(tmp_path / "zero_d.npy", np.float64(8))
    done = sdfg_opt("run", program, *SYMBOLS, "--in", tmp_path / "a.npy", "--in", f"w={tmp_path}/zero_d.npy",
                    "--out", tmp_path / "new" / "folder")
    assert done.returncode == 0, done.stderr
    assert "G: float64[3] checksum" in done.stdout and "min 8.5 max 10" in done.stdout
    assert sorted(p.name for p in (tmp_path / "new" / "folder").iterdir()) == ["G.npy", "a.npy", "w.npy"]
    assert np.load(tmp_path / "new" / "folder" / "G.npy").tolist() == [8.5, 9.0, 10.0]


def test_run_is_told_a_scalar(program: Path, tmp_path: Path) -> None:
    sdfg_opt("run", program, *SYMBOLS, "-s", "w=3", "--out", tmp_path)
    assert np.load(tmp_path / "w.npy").tolist() == [3.0]


def test_run_depends_on_the_seed_alone(program: Path) -> None:
    def out(seed: int) -> str:
        done = sdfg_opt("run", program, *SYMBOLS, "--seed", str(seed))
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert out(1) == out(1) != out(2**64 - 1) == out(2**64 - 1)


@pytest.mark.parametrize("array, name, message", [
    (np.zeros(4), "a", "the array for 'a' is float64[4], but the program asks for float64[3]"),
    (np.zeros((3, 1)), "a", "the array for 'a' is float64[3, 1], but the program asks for float64[3]"),
    (np.zeros(3, np.float32), "a", "the array for 'a' is float32[3], but the program asks for float64[3]"),
    (np.float64(1), "a", "the array for 'a' is float64[], but the program asks for float64[3]"),
    (np.zeros(3), "b", "the program has no argument 'b'"),
])
def test_run_refuses_arrays(program: Path, tmp_path: Path, array: np.ndarray, name: str, message: str) -> None:
    np.save(tmp_path / "x.npy", array)
    out = tmp_path / "out"
    assert error("run", program, *SYMBOLS, "--in", f"{name}={tmp_path}/x.npy", "--out", out) == message
    assert not out.exists()


def test_run_refuses_what_is_given_twice(program: Path, tmp_path: Path) -> None:
    np.save(tmp_path / "w.npy", np.float64(1))
    twice = ["--in", tmp_path / "w.npy"]
    assert error("run", program, *SYMBOLS, *twice, *twice) == "array 'w' is given twice"
    assert error("run", program, *SYMBOLS, *twice, "-s", "w=2") == "'w' is given both as a value and as an array"


def test_run_refuses_files(program: Path, tmp_path: Path) -> None:
    assert error("run", program, *SYMBOLS, "--in", "a=none.npy").startswith("none.npy: cannot open")
    assert error("run", program, *SYMBOLS, "--in", f"a={program}").endswith("is not an .npy file")
    assert "cannot make the folder" in error("run", program, *SYMBOLS, "--out", program / "below")


@pytest.mark.parametrize("symbols, message", [
    (["N=x"], "'x' is no number, in 'N=x'"),
    (["N"], "'N' is no value of a symbol; write NAME=NUMBER"),
    (["=3"], "'=3' is no value of a symbol; write NAME=NUMBER"),
    (["N=3", "N=4"], "symbol 'N' is given twice"),
    (["Q=1"], "the program has no symbol 'Q'"),
    (["N=1.5"], "N=1.5 is no value of symbol 'N', which is int64"),
])
def test_symbols_that_are_none(program: Path, symbols: list[str], message: str) -> None:
    options = [word for symbol in symbols for word in ("--symbol", symbol)]
    assert error("run", program, *options) == message
    assert error("verify", program, program, *options) == message


@pytest.mark.parametrize("n", [10**12, 2**63 - 1, -3])
def test_absurd_sizes(program: Path, n: int) -> None:
    part = "negative extent" if n < 0 else "would exceed the limit of"
    assert part in error("run", program, "-s", f"N={n}", "-s", "dt=1")
    assert part in error("verify", program, program, "-s", f"N={n}")


@pytest.mark.parametrize("option, value", [("--seed", "-1"), ("--seed", str(2**64)), ("--runs", "0"), ("--runs", "1x"),
                                           ("--fuel", "-1"), ("--memory", "1.5")])
def test_numbers_that_are_none(program: Path, option: str, value: str) -> None:
    message = error("verify", program, program, f"{option}={value}")
    assert f"'{value}' is no whole number from " in message and len(message) < 150


def test_verify_same(program: Path) -> None:
    done = sdfg_opt("verify", program, program, "--seed", str(2**64 - 1))
    assert done.returncode == 0 and done.stdout.startswith("same: 8 runs, "), done.stdout + done.stderr
    verbose = sdfg_opt("verify", program, program, "--verbose").stdout.splitlines()
    assert len(verbose) == 9 and all(" seed " in line for line in verbose[:-1])


def test_verify_nothing_is_an_error(tmp_path: Path) -> None:
    path = tmp_path / "p.sdfgt"
    path.write_text(PROGRAM.replace("scalar w", "transient scalar w"))
    assert error("verify", path, path, "-s", "N=0", "-s", "dt=1") == \
        "nothing was compared: the arguments have no elements (N=0 dt=1)"


def replayed(done: subprocess.CompletedProcess, folder: Path) -> str:
    """What the command gives that a difference ends with, from a shell."""
    again = done.stdout.splitlines()[-1].removeprefix("  again: ")
    assert again.startswith("sdfg-opt verify "), done.stdout
    command = shlex.quote(str(SDFG_OPT)) + again.removeprefix("sdfg-opt")
    repeated = subprocess.run(command, shell=True, capture_output=True, text=True, timeout=120, cwd=folder)
    assert repeated.returncode == 1, repeated.stdout + repeated.stderr
    return repeated.stdout


@pytest.mark.parametrize("options", [
    [], ["--seed", "7", "--size", "40"], ["-s", "dt=0.1", "-s", "w=1e-5"], ["-s", "dt=1e300", "--fuel", "100000"],
    ["--seed", str(2**64 - 1), "--memory", "100000"], ["-s", "w=-0.0"]])
def test_verify_says_how_to_see_it_again(program: Path, wrong: Path, tmp_path: Path, options: list[str]) -> None:
    done = sdfg_opt("verify", program, wrong, *options)
    assert done.returncode == 1, done.stdout + done.stderr
    lines = done.stdout.splitlines()
    assert lines[0] == "different:" and lines[2] == "  the runs part in state s0 's'" and len(lines) == 4
    assert replayed(done, tmp_path) == done.stdout


@pytest.mark.parametrize("name", ["symbols_chosen_flag", "symbols_chosen_reversed_domain", "wcr_dropped",
                                  "reads_one_undefined_element", "runs_forever_after", "writes_into_padding"])
def test_verify_of_filetests_says_how_to_see_it_again(name: str, tmp_path: Path) -> None:
    before, after, _ = (FILETESTS / "verify" / f"{name}.sdfgt").read_text().split("\n----\n")
    symbols = [line.split(":")[1].split() for line in before.splitlines() if line.startswith("; run:")][-1]
    program = "\n".join(line for line in before.splitlines() if not line.startswith(";"))
    (tmp_path / "b.sdfgt").write_text(program + "\n")
    (tmp_path / "a.sdfgt").write_text(after + "\n")
    done = sdfg_opt("verify", "b.sdfgt", "a.sdfgt", *(f"--symbol={symbol}" for symbol in symbols), cwd=tmp_path)
    assert done.returncode == 1, done.stdout + done.stderr
    assert replayed(done, tmp_path) == done.stdout
