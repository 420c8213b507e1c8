"""The `hash` attribute of what the program writes after a change, computed here a second time.

Needs no DaCe: the recipe is that of the format (docs/design.md). Skipped for inputs that are missing.
"""
import gzip
import hashlib
import json
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SDFG_OPT", str(ROOT / "build" / "sdfg-opt"))
WITHOUT_MEANING = {"cfg_list_id", "name", "hash", "orig_sdfg", "transformation_hist", "instrument", "guid"}


def stripped(value):
    if isinstance(value, dict):
        return {key: stripped(child) for key, child in value.items()
                if key not in WITHOUT_MEANING and not key.startswith("_meta_")}
    if isinstance(value, list):
        return [stripped(child) for child in value]
    return value


def hash_of(sdfg):
    top = {key: value for key, value in sdfg.items() if key not in ("dace_version", "error")}
    return hashlib.sha256(json.dumps(stripped(top)).encode()).hexdigest()


def inputs():
    folders = [ROOT / "examples", ROOT.parent / "shared" / "cases", ROOT.parent / "shared" / "corpus",
               ROOT / "tests" / "data" / "pitfalls"]
    return [file for folder in folders if folder.is_dir() for file in sorted(folder.iterdir())
            if file.suffix in (".sdfg", ".sdfgz")]


def read(path):
    data = path.read_bytes()
    return data if data[:2] != b"\x1f\x8b" else gzip.decompress(data)


@pytest.mark.parametrize("path", inputs(), ids=lambda path: path.name)
def test_hash_of_result(path, tmp_path):
    before = read(path)
    out = tmp_path / "out.sdfg"
    done = subprocess.run([PROGRAM, "optimize", "--assume-pointwise", "-q", path, "-o", out],
                          capture_output=True, check=False, timeout=120)
    assert done.returncode == 0, done.stderr
    after = out.read_bytes()
    if after == before:
        return  # nothing fired: not a byte differs, whatever the hash was
    sdfg = json.loads(after)
    if "hash" in json.loads(before)["attributes"]:
        assert sdfg["attributes"]["hash"] == hash_of(sdfg)


def test_hash_of_text_form(tmp_path):
    """A file that comes from the text form gets a hash, and white space does not count in it."""
    source = ROOT / "tests" / "data" / "pitfalls" / "24_indented.sdfg"
    text, out = tmp_path / "a.sdfgt", tmp_path / "a.sdfg"
    for arguments in (["convert", source, text], ["convert", text, out]):
        subprocess.run([PROGRAM, *arguments], check=True, timeout=120)
    sdfg = json.loads(out.read_bytes())
    assert sdfg["attributes"]["hash"] == hash_of(sdfg)


def test_some_input_changes(tmp_path):
    """Otherwise the tests above would be empty."""
    paths = [path for path in inputs() if path.parent.name in ("examples", "cases")]
    changed = 0
    for path in paths:
        out = tmp_path / "out.sdfg"
        subprocess.run([PROGRAM, "optimize", "--assume-pointwise", "-q", path, "-o", out], check=True,
                       timeout=120)
        changed += out.read_bytes() != read(path)
    if not paths:
        pytest.skip("no inputs")
    assert changed > 0
