"""The commands `fuzz` and `reduce`."""

import re
import subprocess
from pathlib import Path

from support import EXAMPLES, SDFG_OPT, sdfg_opt


def failing(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([SDFG_OPT, *map(str, arguments)], capture_output=True, text=True, timeout=300)


def test_fuzz_tells_what_it_did() -> None:
    text = sdfg_opt("fuzz", "--count", "200", "--seed", "5")
    assert re.match(r"200 programs: \d+ buffers eliminated in \d+ of them, 0 failures\n", text), text
    assert "kept, by the rule that decided: R1 " in text


def test_fuzz_prints_the_same_programs() -> None:
    two = sdfg_opt("fuzz", "--print", "--count", "2", "--seed", "7")
    one = sdfg_opt("fuzz", "--print", "--count", "1", "--seed", "8")
    assert two.endswith(one)
    assert two.startswith("; run:")


def test_printed_program_is_a_program(tmp_path: Path) -> None:
    program = tmp_path / "program.sdfgt"
    program.write_text(sdfg_opt("fuzz", "--print", "--count", "1", "--seed", "3"))
    assert sdfg_opt("print", program).startswith("sdfg fuzz")


def test_fuzz_does_not_know_the_pass() -> None:
    done = failing("fuzz", "--passes", "nonsense")
    assert done.returncode == 2
    assert "nonsense" in done.stderr


def test_reduce_keeps_what_the_command_asks_for(tmp_path: Path) -> None:
    """Down to the buffer, its copy, and little else."""
    source, small = EXAMPLES / "pressure_gradient.static.sdfg", tmp_path / "small.sdfgt"
    command = f"{SDFG_OPT} explain {{}} | grep -q 'eliminated: gtir_tmp_2'"
    sdfg_opt("reduce", source, "--command", command, "-o", small)
    assert "eliminated: gtir_tmp_2" in sdfg_opt("explain", small)
    assert len(small.read_text()) < len(sdfg_opt("print", source)) / 5


def test_reduce_wants_a_program_that_is_interesting() -> None:
    done = failing("reduce", EXAMPLES / "pressure_gradient.static.sdfg", "--command", "false")
    assert done.returncode == 2
    assert done.stdout == ""
    assert "does not succeed on the program itself" in done.stderr


def test_reduce_with_an_output_of_no_known_form(tmp_path: Path) -> None:
    out = tmp_path / "small.txt"
    done = failing("reduce", EXAMPLES / "pressure_gradient.static.sdfg", "--command", "true", "-o", out)
    assert done.returncode == 2
    assert not out.exists()
