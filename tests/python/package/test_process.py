"""What a process notices of the package: imports, Ctrl-C, other threads, memory."""

import os
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from support import EXAMPLES

pytest.importorskip("sdfgopt", reason="the package is not installed")

# 2^40 steps.
ENDLESS = """sdfg p {
  array a: float64[8]
  state s {
    n0 map m [i = 0..1099511627775] exit n2: n1 tasklet t (x = n3 a[0]) -> (y = n4 a[1]) { y = x }
    n3 a
    n4 a
  }
}
"""


def python(code: str, *arguments: str | Path, **options) -> subprocess.Popen:
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(code), *map(str, arguments)],
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)


def output(code: str, *arguments: str | Path) -> str:
    process = python(code, *arguments)
    out, err = process.communicate(timeout=600)
    assert process.returncode == 0 and not err, err
    return out


def test_import_is_quick() -> None:
    modules = output("import sys, sdfgopt; print(*sys.modules)").split()
    heavy = {"numpy", "dace", "sympy", "gt4py", "subprocess", "asyncio", "ctypes"}
    before = output("import sys; print(*sys.modules)").split()
    assert not heavy & (set(modules) - set(before))
    assert "sdfgopt._live" not in modules


def test_files_need_no_numpy() -> None:
    output("""
        import sys, sdfgopt
        sdfgopt.explain(sys.argv[1], propose_facts=True)
        sdfgopt.verify(sys.argv[1], sdfgopt.optimize(sys.argv[1], verify=True).program)
        assert not {"numpy", "dace"} & set(sys.modules)
        """, EXAMPLES / "pressure_gradient.dynamic.sdfg")


LONG = {
    "run": "sdfgopt.run(path, fuel=1 << 60)",
    "verify": "sdfgopt.verify(path, path, fuel=1 << 60)",
    "many runs": "sdfgopt.verify(example, example, runs=100_000_000)",
    "optimize": "while True: sdfgopt.optimize(example)",
    "search": "while True: sdfgopt.explain(example, propose_facts=True)",
}


@pytest.mark.parametrize("call", LONG.values(), ids=LONG)
def test_interrupt(call: str, tmp_path: Path) -> None:
    path = tmp_path / "endless.sdfgt"
    path.write_text(ENDLESS)
    process = python(f"""
        import sys, sdfgopt
        path, example = sys.argv[1:]
        print("ready", flush=True)
        try:
            {call}
        except KeyboardInterrupt:
            print("interrupted", flush=True)
        """, path, EXAMPLES / "divergence_damping.dynamic.sdfg")
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.5)
    assert process.poll() is None
    asked = time.monotonic()
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    took = time.monotonic() - asked
    assert (process.returncode, out, err) == (0, "interrupted\n", "")
    # A second on a machine that does nothing else.
    assert took < float(os.environ.get("SDFGOPT_TEST_PATIENCE", "3"))


def test_handler_that_does_not_raise(tmp_path: Path) -> None:
    """A signal whose handler returns does not end anything."""
    path = tmp_path / "p.sdfgt"
    path.write_text(ENDLESS.replace("1099511627775", "20000000"))
    assert output("""
        import signal, sys, sdfgopt
        ticks = []
        signal.signal(signal.SIGALRM, lambda *_: ticks.append(1))
        signal.setitimer(signal.ITIMER_REAL, 0.02, 0.02)
        sdfgopt.run(sys.argv[1])
        signal.setitimer(signal.ITIMER_REAL, 0)
        print(len(ticks) > 2)
        """, path) == "True\n"


def test_other_threads_go_on(tmp_path: Path) -> None:
    path = tmp_path / "p.sdfgt"
    path.write_text(ENDLESS)
    assert output("""
        import sys, threading, sdfgopt
        count = 0
        def work():
            try:
                sdfgopt.run(sys.argv[1], fuel=1 << 60)
            except sdfgopt.Error:
                pass
        thread = threading.Thread(target=work, daemon=True)
        thread.start()
        for _ in range(2_000_000):
            count += 1
        print(count, thread.is_alive(), flush=True)
        import os
        os._exit(0)  # the run has no end
        """, path) == "2000000 True\n"


def test_memory_does_not_grow() -> None:
    """2000 times in one process; and nanobind tells at exit if an object is left."""
    grown = output("""
        import gc, os, resource, sys, sdfgopt
        path = sys.argv[1]

        def resident():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        def work(times):
            for k in range(times):
                report = sdfgopt.optimize(path, guard=True)
                report._repr_html_(), str(report), report.to_dict()
                if k % 10 == 0:
                    try:
                        sdfgopt.optimize(path, assume="nobody > 1")
                    except sdfgopt.Error:
                        pass
            return resident()

        first = work(200)
        print(work(1800) - first)
        """, EXAMPLES / "divergence_damping.dynamic.sdfg")
    assert int(grown) < 3 << 20


def test_runs_do_not_grow() -> None:
    pytest.importorskip("numpy")
    grown = output("""
        import gc, resource, sys, numpy, sdfgopt
        program = sdfgopt.load(sys.argv[1])

        def resident():
            gc.collect()
            with open("/proc/self/statm") as file:
                return int(file.read().split()[1]) * resource.getpagesize()

        def work(times):
            for k in range(times):
                sdfgopt.run(program, seed=k, size=6)
                if k % 20 == 0:
                    sdfgopt.verify(program, program, runs=1)
                try:
                    sdfgopt.run(program, {"nobody": numpy.ones(3)})
                except sdfgopt.Error:
                    pass
            return resident()

        first = work(100)
        print(work(500) - first)
        """, EXAMPLES / "pressure_gradient.static.sdfg")
    assert int(grown) < 3 << 20


def test_processes() -> None:
    """Programs, reports and errors go to other processes and come back."""
    assert output("""
        import multiprocessing, sys, sdfgopt

        if __name__ == "__main__":
            path = sys.argv[1]
            with multiprocessing.get_context("fork").Pool(2) as pool:
                reports = pool.map(sdfgopt.optimize, [path, sdfgopt.load(path)])
            assert reports[0] == reports[1] == sdfgopt.optimize(path)
            assert reports[0].program.json() == sdfgopt.optimize(path).program.json()
            print("done")
        """, EXAMPLES / "pressure_gradient.dynamic.sdfg") == "done\n"
