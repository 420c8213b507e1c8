"""Broken input: the program says so in one line and leaves; it neither crashes nor hangs.

The binary is that of the environment variable SDFG_OPT, else that of the release build. The number of
random mutations is MUTATIONS (default 60); seeds start at MUTATION_SEED.
"""
import copy
import gzip
import json
import os
import pathlib
import pickle
import random
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("SDFG_OPT", str(ROOT / "build" / "sdfg-opt"))
PITFALLS = ROOT / "tests" / "data" / "pitfalls"
BROKEN = ROOT / "tests" / "data" / "broken"
SMALL = (PITFALLS / "26_trailing_newline.sdfg").read_bytes().rstrip()
MUTATIONS = int(os.environ.get("MUTATIONS", "60"))
SEED = int(os.environ.get("MUTATION_SEED", "1"))


def commands(path, out):
    """Every command that reads a file, with the file that it may write."""
    yield ["optimize", path, "-o", f"{out}.sdfg"], f"{out}.sdfg"
    yield ["optimize", path, "--assume-pointwise", "-q"], None
    yield ["explain", path], None
    yield ["explain", "--json", path], None
    for form in ("sdfg", "sdfgz", "sdfgt"):
        yield ["convert", path, f"{out}.{form}"], f"{out}.{form}"
    yield ["convert", "--full", path, f"{out}.sdfgt"], f"{out}.sdfgt"
    yield ["print", path], None
    yield ["print", "--full", path], None
    yield ["stats", path], None


def run(arguments, **options):
    return subprocess.run([PROGRAM, *map(str, arguments)], capture_output=True, timeout=120,
                          check=False, **options)


def expect_refused(path, tmp_path, only=None):
    for arguments, written in commands(path, tmp_path / "out"):
        if only and arguments[0] not in only:
            continue
        done = run(arguments)
        message = done.stderr.decode(errors="replace")
        assert done.returncode == 2, (arguments, done.returncode, message[:2000])
        assert message.count("\n") == 1 and message.endswith("\n"), message[:2000]
        assert message.startswith("sdfg-opt: error: ") and str(path) in message, message
        assert len(message) < 1000, message[:1000]
        assert done.stdout == b""
        assert not written or not os.path.exists(written)


def expect_sane(path, tmp_path):
    """Whatever is in the file: done, or refused in one line; what is written can be read again."""
    for arguments, written in commands(path, tmp_path / "out"):
        done = run(arguments)
        message = done.stderr.decode(errors="replace")
        assert done.returncode in (0, 2), (arguments, done.returncode, message[-3000:])
        if done.returncode == 2:
            assert message.count("\n") == 1, message
            assert not written or not os.path.exists(written)
        elif written:
            again = run(["stats", written])
            assert again.returncode == 0, (arguments, again.stderr)
            os.remove(written)


@pytest.mark.parametrize("path", sorted(BROKEN.glob("*.sdfg*")), ids=lambda path: path.name)
def test_file(path, tmp_path):
    expect_refused(path, tmp_path)


@pytest.mark.parametrize("part", range(4))
def test_truncations(part, tmp_path):
    path = tmp_path / "cut.sdfg"
    for size in range(part * 5, len(SMALL), 20):
        path.write_bytes(SMALL[:size])
        expect_refused(path, tmp_path, only={"stats"})


def test_truncations_of_gzip(tmp_path):
    path = tmp_path / "cut.sdfgz"
    packed = gzip.compress(SMALL, mtime=0)
    for size in range(2, len(packed), 13):
        path.write_bytes(packed[:size])
        expect_refused(path, tmp_path, only={"stats"})


def test_bit_flips(tmp_path):
    path = tmp_path / "flip.sdfg"
    rng = random.Random(SEED)
    for _ in range(MUTATIONS):
        data = bytearray(SMALL)
        for _ in range(rng.choice((1, 1, 3))):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
        path.write_bytes(data)
        done = run(["optimize", path])
        assert done.returncode in (0, 2), (done.returncode, done.stderr, bytes(data))


def object_with(change):
    value = json.loads(SMALL)
    change(value)
    return json.dumps(value).encode()


def nested_sdfgs(depth):
    head = (b'{"type":"SDFG","attributes":{"name":"n"},"edges":[],"nodes":[{"type":"SDFGState",'
            b'"label":"s","edges":[],"attributes":{},"nodes":[{"type":"NestedSDFG","label":"x",'
            b'"scope_entry":null,"scope_exit":null,"attributes":{"sdfg":')
    leaf = b'{"type":"SDFG","attributes":{"name":"n"},"edges":[],"nodes":[]}'
    return head * depth + leaf + b"}}]}]}" * depth


def nested_regions(depth):
    head = (b'{"type":"ControlFlowRegion","label":"r","attributes":{},"edges":[],"nodes":[')
    return (b'{"type":"SDFG","attributes":{"name":"n"},"edges":[],"nodes":[' + head * depth +
            b"]}" * depth + b"]}")


def nested_branches(depth):
    head = (b'{"type":"ConditionalBlock","label":"c","attributes":{},"branches":[[null,'
            b'{"type":"ControlFlowRegion","label":"r","attributes":{},"edges":[],"nodes":[')
    return (b'{"type":"SDFG","attributes":{"name":"n"},"edges":[],"nodes":[' + head * depth +
            b"]}]]}" * depth + b"]}")


def wide_state(change):
    """A state of 2000 access nodes in a row, and one change."""
    value = json.loads(SMALL)
    node = next(n for n in value["nodes"][0]["nodes"] if n["type"] == "AccessNode")
    edge = {"type": "MultiConnectorEdge", "dst_connector": None, "src_connector": None,
            "attributes": {"data": {"type": "Memlet", "attributes": {"volume": "1"}}}}
    state = value["nodes"][0]
    state["nodes"] = [dict(node) for _ in range(2000)]
    state["edges"] = [dict(edge, src=str(i), dst=str(i + 1)) for i in range(1999)]
    change(state)
    return json.dumps(value).encode()


MADE = {
    "empty.sdfg": lambda: b"",
    "spaces.sdfg": lambda: b" \n\n",
    "nul.sdfg": lambda: b"\0" * 1000,
    "pickle.sdfg": lambda: pickle.dumps({"type": "SDFG"}),
    "gzip_of_garbage.sdfgz": lambda: gzip.compress(bytes(range(256)) * 10),
    "gzip_header_only.sdfgz": lambda: b"\x1f\x8b",
    "gzip_twice.sdfgz": lambda: gzip.compress(gzip.compress(SMALL)),
    "utf16.sdfg": lambda: SMALL.decode().encode("utf-16"),
    "bom.sdfg": lambda: b"\xef\xbb\xbf" + SMALL,
    "latin1.sdfg": lambda: SMALL.replace(b"compute", b"comp\xfcte"),
    "surrogate_bytes.sdfg": lambda: SMALL.replace(b"compute", b"\xed\xa0\x80"),
    "control_character.sdfg": lambda: SMALL.replace(b"compute", b"com\x01pute"),
    "two_objects.sdfg": lambda: SMALL + SMALL,
    "brace_more.sdfg": lambda: SMALL + b"}",
    "brackets.sdfg": lambda: b"{" + b'"a":' + b"[" * 20000 + b"]" * 20000 + b"}",
    "open_brackets.sdfg": lambda: b"[" * 20000,
    "open_objects.sdfg": lambda: b'{"a":' * 20000,
    "objects.sdfg": lambda: b'{"type":"SDFG","a":' * 20000 + b"1" + b"}" * 20000,
    "deep_attribute.sdfg": lambda: SMALL.replace(
        b'"name":', b'"deep":' + b"[" * 20000 + b"]" * 20000 + b',"name":', 1),
    "nested_5000.sdfg": lambda: nested_sdfgs(5000),
    "regions_5000.sdfg": lambda: nested_regions(5000),
    "branches_5000.sdfg": lambda: nested_branches(5000),
    "long_name_type.sdfg": lambda: object_with(lambda v: v.update(type="x" * 10**7)),
    "long_data.sdfg": lambda: SMALL.replace(b'"data":"A"', b'"data":"' + b"A" * 10**7 + b'"'),
    "huge_index.sdfg": lambda: SMALL.replace(b'"src":"0"', b'"src":"' + b"9" * 1000 + b'"', 1),
    "newline_in_label.sdfg": lambda: object_with(
        lambda v: v["nodes"][0].update(label="a\nb\x1b[31m", edges=7)),
    "self_loop.sdfg": lambda: wide_state(lambda s: s["edges"][7].update(src="8")),
    "long_cycle.sdfg": lambda: wide_state(lambda s: s["edges"].append(
        dict(s["edges"][0], src="1999", dst="0"))),
    "forms_feed_text.sdfgt": lambda: b"sdfg p {\n \x0c }",
    "text_half.sdfgt": lambda: b'sdfg p version "2.0.0a10" {\n  array A: float64[10]\n  state s {',
    "text_deep.sdfgt": lambda: b"sdfg p {\n" + b"region r {\n" * 20000,
    "text_brackets.sdfgt": lambda: b"sdfg p {\n property x " + b"[" * 20000,
}


@pytest.mark.parametrize("name", MADE)
def test_made(name, tmp_path):
    path = tmp_path / name
    path.write_bytes(MADE[name]())
    expect_refused(path, tmp_path)


def positions(value, path=()):
    yield path
    if isinstance(value, dict):
        for key, child in value.items():
            yield from positions(child, path + (key,))
    elif isinstance(value, list):
        for index, child in enumerate(value):
            yield from positions(child, path + (index,))


def replaced(value, path, new):
    if not path:
        return new
    value = copy.deepcopy(value)
    parent = value
    for step in path[:-1]:
        parent = parent[step]
    if new is positions:  # remove it
        del parent[path[-1]]
    else:
        parent[path[-1]] = new
    return value


WRONG = [None, 7, -1, True, "x", "", [], {}, [None], {"type": "x"}, 1e300, positions]


@pytest.mark.parametrize("wrong", range(len(WRONG)))
def test_wrong_type_everywhere(wrong, tmp_path):
    """One value in every position of a small file; in a short run, in every fourth."""
    value = json.loads(SMALL)
    path = tmp_path / "wrong.sdfg"
    stride = 1 if MUTATIONS > 60 else 4
    for place in list(positions(value))[wrong % stride::stride]:
        if WRONG[wrong] is positions and not place:
            continue
        path.write_bytes(json.dumps(replaced(value, place, WRONG[wrong])).encode())
        done = run(["optimize", path])
        assert done.returncode in (0, 2), (place, done.returncode, done.stderr)
        assert done.returncode == 0 or done.stderr.count(b"\n") == 1, done.stderr


def test_many_states(tmp_path):
    """Not broken, but large: done in time."""
    size = 10**5
    state = ('{"type":"SDFGState","label":"s%d","id":%d,"collapsed":false,"scope_dict":{"-1":[]},'
             '"nodes":[],"edges":[],"attributes":{}}')
    edge = ('{"type":"Edge","attributes":{"data":{"type":"InterstateEdge","attributes":{}}},'
            '"src":"%d","dst":"%d"}')
    path = tmp_path / "many.sdfg"
    path.write_text('{"type":"SDFG","attributes":{"name":"n"},"nodes":[' +
                    ",".join(state % (i, i) for i in range(size)) + '],"edges":[' +
                    ",".join(edge % (i, i + 1) for i in range(size - 1)) +
                    '],"start_block":0,"dace_version":"2.0.0a10"}')
    expect_sane(path, tmp_path)


@pytest.mark.parametrize("depth", [450])
@pytest.mark.parametrize("make", [nested_sdfgs, nested_regions, nested_branches])
def test_nesting_within_the_limit(make, depth, tmp_path):
    path = tmp_path / "deep.sdfg"
    path.write_bytes(make(depth))
    expect_sane(path, tmp_path)


def test_output_that_cannot_be_written(tmp_path):
    path = tmp_path / "in.sdfg"
    path.write_bytes(SMALL)
    for out in (tmp_path, tmp_path / "no" / "such" / "folder.sdfg", "/dev/full"):
        for arguments in (["convert", path, out], ["optimize", path, "-q", "-o", out]):
            done = run(arguments)
            assert done.returncode == 2, arguments
            assert done.stderr.count(b"\n") == 1
    assert sorted(file.name for file in tmp_path.iterdir()) == ["in.sdfg"]


def test_standard_streams(tmp_path):
    path = tmp_path / "in.sdfg"
    path.write_bytes(SMALL)
    for out in ("-", "/dev/stdout"):
        assert run(["convert", path, out]).stdout == SMALL
        with open(tmp_path / "out", "wb") as file:
            subprocess.run([PROGRAM, "convert", path, out], stdout=file, check=True, timeout=120)
        assert (tmp_path / "out").read_bytes() == SMALL
    assert run(["convert", "-", "-"], input=SMALL).stdout == SMALL
    assert run(["stats", "-"], input=SMALL[:-1]).returncode == 2


def test_long_strings(tmp_path):
    value = json.loads(SMALL)
    value["attributes"]["long"] = "x" * 10**7
    next(n for n in value["nodes"][0]["nodes"]
         if n["type"] == "Tasklet")["attributes"]["code"]["string_data"] = "__out = __in" + " + 1" * 2 * 10**6
    path = tmp_path / "long.sdfg"
    path.write_text(json.dumps(value))
    expect_sane(path, tmp_path)


def test_gzip_bomb(tmp_path):
    path = tmp_path / "bomb.sdfgz"
    path.write_bytes(gzip.compress(b" " * (1 << 24)) * 65)  # 65 members, more than 1 GiB
    expect_refused(path, tmp_path, only={"stats"})


# --- mutation by structure -------------------------------------------------------------------------

def inputs():
    folders = [PITFALLS, ROOT / "examples", ROOT.parent / "shared" / "cases"]
    files = [file for folder in folders if folder.is_dir() for file in sorted(folder.iterdir())
             if file.suffix in (".sdfg", ".sdfgz") and file.stat().st_size < 300_000]
    return files


def load(path):
    data = path.read_bytes()
    return json.loads(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)


SPICE = [None, True, False, 0, -1, 1, 3, 2**31, 2**63, 2**70, 1e308, "", "0", "-1", "x", "$N", "N - 1",
         "$", "Max(", "1/0", "$N // 0", "(" * 600, "Mod(5, 0)", "A", "B", "T", "G", "2**9999999", [], {},
         "\ud800", "a\nb", "type", "Array", "ArrayView", "Stream", "Structure", "Tasklet", "MapEntry",
         "LoopRegion", "Python", "i", "1e999", "-9223372036854775808", "9223372036854775807"]


def containers(value, found):
    if isinstance(value, (dict, list)):
        if value:
            found.append(value)
        for child in (value.values() if isinstance(value, dict) else value):
            containers(child, found)
    return found


def mutate(value, rng):
    """One random change inside `value`; values are moved between places of one kind by preference."""
    spots = containers(value, [])
    spot = rng.choice(spots)
    keys = list(spot) if isinstance(spot, dict) else list(range(len(spot)))
    key = rng.choice(keys)
    action = rng.randrange(7)
    if action == 0:
        del spot[key]
    elif action == 1:
        spot[key] = copy.deepcopy(rng.choice(SPICE))
    elif action == 2:  # what the same key has elsewhere
        others = [s for s in spots if isinstance(s, dict) and key in s] if isinstance(spot, dict) else [spot]
        other = rng.choice(others)
        new = other[key] if isinstance(other, dict) else rng.choice(other)
        if len(json.dumps(new)) < 5000:
            spot[key] = copy.deepcopy(new)
    elif action == 3 and isinstance(spot, list):
        other = spot[key]
        if len(json.dumps(other)) < 20000:
            spot.insert(rng.randrange(len(spot) + 1), copy.deepcopy(other))
    elif action == 4:
        other = rng.choice(keys)
        spot[key], spot[other] = spot[other], spot[key]
    elif action == 5 and isinstance(spot[key], str) and spot[key].lstrip("-").isdigit():
        spot[key] = str(int(spot[key]) + rng.choice((-1, 1, 2)))
    elif action == 6 and isinstance(spot, list):
        rng.shuffle(spot)
    else:
        spot[key] = copy.deepcopy(rng.choice(SPICE))


@pytest.mark.parametrize("seed", range(SEED, SEED + MUTATIONS))
def test_mutation(seed, tmp_path):
    rng = random.Random(seed)
    value = load(rng.choice(inputs()))
    for _ in range(rng.choice((1, 1, 2, 5))):
        mutate(value, rng)
    path = tmp_path / "mutant.sdfg"
    path.write_text(json.dumps(value))
    expect_sane(path, tmp_path)
