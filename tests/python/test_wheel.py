"""The wheel (`make wheel`), installed into an environment in which there is nothing else, and used there."""

import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from support import EXAMPLES, ROOT, SDFG_OPT, sdfg_opt

DIST = ROOT / "build-wheel" / "dist"
EXAMPLE = EXAMPLES / "pressure_gradient.dynamic.sdfg"
# What a wheel may take from the machine: the part of the manylinux standard's list that we need.
EVERYWHERE = {"libc.so.6", "libm.so.6", "libdl.so.2", "libpthread.so.0", "librt.so.1", "libgcc_s.so.1",
              "libstdc++.so.6", "libz.so.1", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}


@pytest.fixture(scope="module")
def wheel() -> Path:
    found = list(DIST.glob("sdfgopt-*.whl"))
    assert len(found) == 1, f"{found} in {DIST}; `make wheel` puts one there"
    return found[0]


@pytest.fixture(scope="module")
def environment(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """With Python, the wheel, and no more."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=120)
    install = [folder / "bin" / "pip", "install", "-q", "--disable-pip-version-check", "--no-index", wheel]
    subprocess.run(install, check=True, timeout=120, env={})
    return folder


@pytest.fixture(scope="module")
def package(environment: Path) -> Path:
    return Path(run(environment / "bin" / "python", "-c", "import sdfgopt; print(sdfgopt.__path__[0])").strip())


@pytest.fixture
def program(environment: Path) -> Path:
    return environment / "bin" / "sdfg-opt"


def run(*command: str | Path, **options) -> str:
    """With no environment variables; what it printed."""
    done = subprocess.run(command, env={}, capture_output=True, text=True, timeout=120, **options)
    assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
    return done.stdout


def dynamic_section(file: Path) -> dict[str, list[str]]:
    """What `file` says to the loader, by tag."""
    found: dict[str, list[str]] = {}
    for tag, value in re.findall(r"\((\w+)\)[^\[\n]*\[(.*)\]", run("/usr/bin/readelf", "-d", file)):
        found.setdefault(tag, []).append(value)
    return found


def test_nothing_else_is_imported(environment: Path) -> None:
    modules = run(environment / "bin" / "python", "-c", "import sdfgopt, sys; print(*sys.modules)").split()
    assert "sdfgopt._core" in modules
    assert not {"dace", "gt4py", "numpy", "sympy"} & {module.partition(".")[0] for module in modules}


def test_optimize(environment: Path, tmp_path: Path) -> None:
    code = (f"import sdfgopt; report = sdfgopt.optimize({str(EXAMPLE)!r}, output='after.sdfg')\n"
            "print(report)")
    assert "eliminated: gtir_tmp_2 -> perturbation" in run(environment / "bin" / "python", "-c", code, cwd=tmp_path)
    sdfg_opt("optimize", "-q", EXAMPLE, "-o", tmp_path / "expected.sdfg")
    assert (tmp_path / "after.sdfg").read_bytes() == (tmp_path / "expected.sdfg").read_bytes()


@pytest.mark.parametrize("as_module", [False, True], ids=["program", "module"])
def test_program(program: Path, as_module: bool, tmp_path: Path) -> None:
    command = [program.with_name("python"), "-m", "sdfgopt"] if as_module else [program]
    told = run(*command, "optimize", EXAMPLE, "-o", tmp_path / "after.sdfg")
    assert told == sdfg_opt("optimize", EXAMPLE, "-o", tmp_path / "expected.sdfg")
    assert (tmp_path / "after.sdfg").read_bytes() == (tmp_path / "expected.sdfg").read_bytes()
    failed = subprocess.run([*command, "print", "nothing.sdfg"], env={}, capture_output=True, text=True)
    assert (failed.returncode, failed.stderr.count("\n")) == (2, 1)


def test_program_ends_when_nobody_reads(program: Path) -> None:
    for command in (program, SDFG_OPT):
        reads, writes = os.pipe()
        os.close(reads)
        done = subprocess.run([command, "print", EXAMPLE], env={}, stdout=writes, stderr=subprocess.PIPE, timeout=60)
        os.close(writes)
        assert (done.returncode, done.stderr) == (-13, b"")


def test_version(environment: Path, wheel: Path, program: Path) -> None:
    version = run(environment / "bin" / "python", "-c", "import sdfgopt; print(sdfgopt.__version__)").strip()
    assert run(program, "--version") == sdfg_opt("--version")
    assert version in sdfg_opt("--version").split()
    assert wheel.name.split("-")[1] == version


def test_what_is_in_it(wheel: Path) -> None:
    files = set(zipfile.ZipFile(wheel).namelist())
    dist_info = f"{'-'.join(wheel.name.split('-')[:2])}.dist-info"
    sources = {path.relative_to(ROOT / "python").as_posix() for path in (ROOT / "python").rglob("*.py*")
               if path.suffix != ".pyc"}
    assert files >= sources | {f"{dist_info}/licenses/LICENSE", "sdfgopt/bin/sdfg-opt"}
    others = {file for file in files - sources if not file.startswith(dist_info)}
    assert all(re.fullmatch(r"sdfgopt/(py\.typed|_core\..*so|bin/sdfg-opt|lib/lib\w+\.so[.\d]*)", file)
               for file in others), others
    if sys.version_info >= (3, 12):
        assert "-cp312-abi3-" in wheel.name


def test_libraries(package: Path) -> None:
    """All that is needed is in the wheel or on every machine, and that in the wheel is what is loaded."""
    bundled = {file.name for file in (package / "lib").iterdir()}
    fronts = [package / "bin" / "sdfg-opt", *package.glob("_core.*so")]
    needed: set[str] = set()
    for file in [*fronts, *(package / "lib").iterdir()]:
        section = dynamic_section(file)
        needed |= set(section["NEEDED"])
        assert "RUNPATH" not in section, file
    assert needed == (needed & EVERYWHERE) | bundled
    assert not any(name.startswith("libcrypto") for name in needed)
    for front in fronts:
        loaded = dict(re.findall(r"(\S+) => (\S+)", run("/usr/bin/ldd", front)))
        assert all(Path(loaded[name]).resolve().parent == package / "lib" for name in bundled & loaded.keys())
        assert bundled <= loaded.keys()


def test_sdist(tmp_path: Path) -> None:
    """What building needs, and not the tests and examples."""
    code = f"import scikit_build_core.build as build; print(build.build_sdist({str(tmp_path)!r}))"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, timeout=120)
    (sdist,) = tmp_path.glob("*.tar.gz")
    listed = subprocess.run(["tar", "tzf", sdist], check=True, capture_output=True, text=True).stdout.splitlines()
    files = {file.partition("/")[2] for file in listed}
    for folder in ("src", "cmake", "python"):
        wanted = {path.relative_to(ROOT).as_posix() for path in (ROOT / folder).rglob("*")
                  if path.is_file() and path.suffix in {".cpp", ".h", ".cmake", ".txt", ".py", ".pyi", ".typed"}}
        assert files >= wanted, wanted - files
    assert files >= {"CMakeLists.txt", "pyproject.toml", "README.md", "LICENSE"}
    assert {file.partition("/")[0] for file in files} <= {"src", "cmake", "python", "CMakeLists.txt", "LICENSE",
                                                          "pyproject.toml", "README.md", "PKG-INFO", ""}
