#!/usr/bin/env python3
"""sdfg-opt against the Python pass of GT4Py, on the same files in one run: compare.py [FILE...]

Prints a Markdown table: seconds of `sdfg-opt optimize IN -o OUT` as a whole process, seconds of the
Python pass (load, pass with its analyses, save; imports not counted), the ratio, and how many buffers
each removed. Medians of RUNS runs, the two in turn. Without FILEs: examples/, ../shared/corpus where it
is there, and chains of 10, 100 and 1000 patterns (bench/chain.py). Needs GT4Py.
"""
import json
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time
import warnings

warnings.filterwarnings("ignore")

ROOT = pathlib.Path(__file__).resolve().parent.parent
SDFG_OPT = ROOT / "build" / "sdfg-opt"
RUNS = 5
SLOW = 3.0  # seconds of the Python pass beyond which one run has to do


def default_files(work: pathlib.Path) -> list[pathlib.Path]:
    files = sorted((ROOT / "examples").glob("*.sdfg*"))
    files += sorted((ROOT.parent / "shared" / "corpus").glob("*.sdfgz"))
    for count in (10, 100, 1000):
        target = work / f"chain{count}.sdfg"
        subprocess.run([sys.executable, ROOT / "bench" / "chain.py", str(count), target], check=True)
        files.append(target)
    return files


def run_native(path: pathlib.Path, work: pathlib.Path) -> tuple[float, int]:
    remarks = work / "remarks.json"
    command = [SDFG_OPT, "optimize", path, "-o", work / "native.sdfg", "--assume-pointwise",
               "--remarks", remarks, "-q"]
    begin = time.perf_counter()
    subprocess.run(command, check=True)
    seconds = time.perf_counter() - begin
    candidates = json.loads(remarks.read_text())["candidates"]
    return seconds, sum(c["verdict"] == "eliminated" for c in candidates)


def run_python(path: pathlib.Path, work: pathlib.Path) -> tuple[float, int]:
    import dace
    from dace.transformation import pass_pipeline
    from gt4py.next.program_processors.runners.dace import transformations

    begin = time.perf_counter()
    sdfg = dace.SDFG.from_file(str(path))
    write_back = transformations.GT4PyWriteBackBufferElimination(assume_pointwise=True)
    result = pass_pipeline.Pipeline([write_back]).apply_pass(sdfg, {}) or {}
    sdfg.save(str(work / "python.sdfg"))
    seconds = time.perf_counter() - begin
    return seconds, len(result.get("GT4PyWriteBackBufferElimination") or ())


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        work = pathlib.Path(name)
        os.chdir(work)
        files = [pathlib.Path(f) for f in sys.argv[1:]] or default_files(work)
        print("| file | sdfg-opt, s | Python pass, s | ratio | removed | removed by Python |")
        print("|---|---:|---:|---:|---:|---:|")
        total_native = total_python = 0.0
        for path in files:
            native, python = [], []
            run_native(path, work)
            run_python(path, work)
            while len(native) < RUNS:
                native.append(run_native(path, work))
                if len(python) < (1 if python and python[0][0] > SLOW else RUNS):
                    python.append(run_python(path, work))
            native_s = statistics.median(s for s, _ in native)
            python_s = statistics.median(s for s, _ in python)
            total_native += native_s
            total_python += python_s
            print(f"| {path.name} | {native_s:.4f} | {python_s:.3f} | {python_s / native_s:.0f} "
                  f"| {native[0][1]} | {python[0][1]} |", flush=True)
        print(f"| sum | {total_native:.4f} | {total_python:.3f} "
              f"| {total_python / total_native:.0f} | | |")


if __name__ == "__main__":
    main()
