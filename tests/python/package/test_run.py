"""Programs run on NumPy arrays: in place, like a compiled one, and what is wrong is said."""

import gc
import threading
from pathlib import Path
from typing import Any

import pytest

from support import EXAMPLES, sdfg_opt

sdfgopt = pytest.importorskip("sdfgopt", reason="the package is not installed")
np = pytest.importorskip("numpy")

GRADIENT = EXAMPLES / "pressure_gradient.static.sdfg"


def program(tmp_path: Path, arrays: str, code: str = "y = x + s", extra: str = "") -> Path:
    """b[i, j] = a[i, j] + s for 0 <= i < N, 0 <= j < M; `arrays` declares a and b."""
    path = tmp_path / "p.sdfgt"
    path.write_text(f"""sdfg p {{
  {arrays}
  scalar s: float64
  symbol N: int64
  symbol M: int64
{extra}
  state go {{
    n0 map m [i = 0..N - 1, j = 0..M - 1] exit n2: n1 tasklet t (x = n3 a[i, j], s = n5 s[0]) -> (y = n4 b[i, j]) {{ {code} }}
    n3 a
    n4 b
    n5 s
  }}
}}
""")
    return path


PLAIN = "array a: float64[N, M]\n  array b: float64[N, M]"


def test_in_place(tmp_path: Path) -> None:
    a, b = np.arange(12.0).reshape(3, 4), np.zeros((3, 4))
    result = sdfgopt.run(program(tmp_path, PLAIN), {"a": a, "b": b, "s": 0.5})
    assert result["b"] is b and result["a"] is a
    assert (b == a + 0.5).all() and (a == np.arange(12.0).reshape(3, 4)).all()
    assert set(result) == {"a", "b", "s"} and result["s"] == 0.5


def test_numbers(tmp_path: Path) -> None:
    path = program(tmp_path, PLAIN)
    a = np.ones((2, 3))
    for s in (2, 2.0, np.float64(2), np.float32(2), np.array(2.0), np.array([2.0]), True + 1):
        assert (sdfgopt.run(path, {"a": a, "s": s})["b"] == 3).all()
        if not isinstance(s, np.ndarray):
            assert (sdfgopt.run(path, {"a": a}, {"s": s})["b"] == 3).all()
    assert (sdfgopt.run(path, {"a": a, "s": 2, "N": 2, "M": np.int32(3)})["b"] == 3).all()


def test_fortran_order_is_copied(tmp_path: Path) -> None:
    a, b = np.asfortranarray(np.arange(12.0).reshape(3, 4)), np.zeros((4, 3)).T
    result = sdfgopt.run(program(tmp_path, PLAIN), {"a": a, "b": b, "s": 1})
    assert result["b"] is b and (b == a + 1).all()
    wide = np.zeros((3, 8))
    sdfgopt.run(program(tmp_path, PLAIN), {"a": a, "b": wide[:, ::2], "s": 1})
    assert (wide[:, ::2] == a + 1).all() and (wide[:, 1::2] == 0).all()
    reverse = np.zeros((3, 4))
    sdfgopt.run(program(tmp_path, PLAIN), {"a": a, "b": reverse[::-1], "s": 1})
    assert (reverse[::-1] == a + 1).all()


def test_symbolic_strides(tmp_path: Path) -> None:
    """Strides that are symbols follow from the arrays, so nothing is copied whatever they are."""
    path = program(tmp_path, "array a: float64[N, M] strides [sa, ta]\n  array b: float64[N, M] strides [sb, tb]",
                   extra="  symbol sa: int64\n  symbol ta: int64\n  symbol sb: int64\n  symbol tb: int64")
    a = np.arange(12.0).reshape(4, 3).T
    b = np.zeros((3, 8))[:, ::2]
    assert sdfgopt.run(path, {"a": a, "b": b, "s": 1})["b"] is b
    assert (b == a + 1).all() and (b.base[:, 1::2] == 0).all()


def test_no_copy(tmp_path: Path) -> None:
    """What is done before a fault is seen: the program works on the arrays' own memory."""
    path = program(tmp_path, PLAIN)
    path.write_text(path.read_text().replace("[i, j]) { y", "[2*i, j]) { y"))
    b = np.zeros((3, 4))
    with pytest.raises(sdfgopt.Error, match="writes element 16 of 'b', which has 12") as caught:
        sdfgopt.run(path, {"a": np.ones((3, 4)), "b": b, "s": 1}, in_order=True)
    assert caught.value.code == "fault" and str(path) in str(caught.value)
    assert (b[0] == 2).all() and (b[2] == 2).all()
    copied = np.zeros((4, 3)).T
    with pytest.raises(sdfgopt.Error):
        sdfgopt.run(path, {"a": np.ones((3, 4)), "b": copied, "s": 1}, in_order=True)
    assert (copied == 0).all()


def test_padded(tmp_path: Path) -> None:
    path = program(tmp_path, "array a: float64[N, M] strides [M + 2, 1] total_size (M + 2)*N\n  array b: float64[N, M]")
    a = np.arange(12.0).reshape(3, 4)
    for given in (a, np.pad(a, ((0, 0), (0, 2)))[:, :4]):
        result = sdfgopt.run(path, {"a": given, "s": 1})
        assert result["a"] is given and (result["b"] == a + 1).all()
    made = sdfgopt.run(path, {"s": 1}, {"N": 3, "M": 4})["a"]
    assert made.shape == (3, 4) and made.strides == (48, 8)


def test_read_only(tmp_path: Path) -> None:
    path = program(tmp_path, PLAIN)
    a, b = np.ones((2, 3)), np.zeros((2, 3))
    a.flags.writeable = False
    assert (sdfgopt.run(path, {"a": a, "b": b, "s": 1})["b"] == 2).all()
    b.flags.writeable = False
    with pytest.raises(sdfgopt.Error, match="array 'b' is read-only, and the program writes to it"):
        sdfgopt.run(path, {"a": a, "b": b, "s": 3})
    assert (b == 2).all()
    broadcast = np.broadcast_to(np.float64(4), (2, 3))
    assert (sdfgopt.run(path, {"a": broadcast, "s": 1})["b"] == 5).all()


def test_empty(tmp_path: Path) -> None:
    result = sdfgopt.run(program(tmp_path, PLAIN), {"a": np.ones((0, 3)), "s": 1})
    assert result["b"].shape == (0, 3)


@pytest.mark.parametrize("dtype", ["bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64",
                                   "float32", "float64"])
def test_types(tmp_path: Path, dtype: str) -> None:
    path = program(tmp_path, PLAIN.replace("float64", dtype), code="y = x")
    a = (np.arange(6).reshape(2, 3) % 2).astype(dtype)
    b = sdfgopt.run(path, {"a": a, "s": 1})["b"]
    assert b.dtype == a.dtype and (a == b).all()
    for other in ("float16", "complex128", "int32" if dtype != "int32" else "uint8", ">f8"):
        with pytest.raises(sdfgopt.Error, match=f"the program asks for {dtype}"):
            sdfgopt.run(path, {"a": a.astype(other), "s": 1})


def test_as_the_command(tmp_path: Path) -> None:
    """What is not given is filled as the command fills it, and the results are the same."""
    out = tmp_path / "out"
    sdfg_opt("run", GRADIENT, "--seed", 5, "--out", out, "--fill", 0)
    result = sdfgopt.run(GRADIENT, seed=5, size=6)
    assert {path.stem for path in out.glob("*.npy")} == set(result)
    for name, array in result.items():
        expected = np.load(out / f"{name}.npy")
        assert array.dtype == expected.dtype and array.tobytes() == expected.tobytes(), name


def test_before_and_after() -> None:
    after = sdfgopt.optimize(GRADIENT).program
    for seed, choice in enumerate(sdfgopt.verify(GRADIENT, after, runs=3).runs):
        a, b = (sdfgopt.run(program, symbols=choice.symbols, seed=seed) for program in (GRADIENT, after))
        assert all(a[name].tobytes() == b[name].tobytes() for name in a)


def test_choice_goes_with_the_arrays() -> None:
    """Origins are chosen; extents are those of the arrays."""
    exner = np.ones((8, 10))
    result = sdfgopt.run(GRADIENT, {"exner": exner}, size=6)
    assert result["exner"] is exner
    with pytest.raises(sdfgopt.Error, match="no values for .* were found that go with the arrays"):
        sdfgopt.run(GRADIENT, {"exner": exner}, {"__exner_Cell_range_0": 0, "__exner_Cell_range_1": 3}, size=6)
    with pytest.raises(sdfgopt.Error, match="size: 0 is not in the range"):
        sdfgopt.run(GRADIENT, size=0)


def test_errors(tmp_path: Path) -> None:
    path = program(tmp_path, PLAIN)
    a = np.ones((2, 3))
    cases: list[tuple[dict[str, Any], dict[str, Any], str]] = [
        ({"a": a, "c": a.copy(), "s": 1}, {}, "the program has no argument 'c'"),
        ({"a": a, "s": 1}, {"K": 1}, "the program has no symbol 'K'"),
        ({"s": 1}, {}, "no value for N, M: not given, and it does not follow from the arrays"),
        ({"a": a, "s": 1, "b": np.ones((2, 2))}, {},
         "the array for 'b' is float64[2, 2], but the program asks for float64[2, 3]"),
        ({"a": a, "s": 1, "b": np.ones(6)}, {},
         "the array for 'b' is float64[6], but the program asks for float64[2, 3]"),
        ({"a": a.astype("float32"), "s": 1}, {},
         "the array for 'a' is float32[2, 3], but the program asks for float64[2, 3]"),
        ({"a": a, "s": 1}, {"N": 5}, "the array for 'a' is float64[2, 3], but the program asks for float64[5, 3]"),
        ({"a": a, "s": 1}, {"N": 2.5}, "N=2.5 is no value of symbol 'N', which is int64"),
        ({"a": [1.0], "s": 1}, {}, "'a' is given list, which is neither an array in memory nor a number"),
        ({"a": "text", "s": 1}, {}, "'a' is given str, which is neither an array in memory nor a number"),
        ({"a": a, "s": 1}, {"s": 1}, "'s' is given both as a value and as an array"),
        ({"a": a, "s": np.array(1.0)}, {"s": 1}, "'s' is given both as a value and as an array"),
    ]
    for arrays, symbols, text in cases:
        with pytest.raises(sdfgopt.Error) as caught:
            sdfgopt.run(path, arrays, symbols)
        assert str(caught.value) == text and caught.value.code == "usage"
    with pytest.raises(TypeError, match="the value of 'N' is no number"):
        sdfgopt.run(path, {"a": a}, {"N": "2"})
    for limits in ({"fuel": 3}, {"memory": 16}):
        with pytest.raises(sdfgopt.Error) as caught:
            sdfgopt.run(path, {"a": a, "s": 1}, **limits)
        assert caught.value.code == "limit"


def test_threads(tmp_path: Path) -> None:
    """One program in several threads at once, and none of them waits for the others to end."""
    loaded = sdfgopt.load(program(tmp_path, PLAIN))
    arrays = [np.full((300, 300), float(k)) for k in range(4)]
    results: list[Any] = [None] * 4

    def work(k: int) -> None:
        for _ in range(3):
            results[k] = sdfgopt.run(loaded, {"a": arrays[k], "s": 1})["b"]
            sdfgopt.verify(loaded, loaded, runs=1, seed=k + 1)
            str(loaded)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all((results[k] == k + 1).all() for k in range(4))


def test_arrays_are_let_go(tmp_path: Path) -> None:
    import weakref

    a = np.ones((2, 3))
    result = sdfgopt.run(program(tmp_path, PLAIN), {"a": a, "s": 1})
    gone = weakref.ref(a)
    a.resize((6,), refcheck=False)  # an error while its memory is held
    del a, result
    gc.collect()
    assert gone() is None


@pytest.mark.dace
def test_as_compiled(tmp_path: Path) -> None:
    """A live SDFG, run here and compiled by DaCe: the same calls, the same bits."""
    dace = pytest.importorskip("dace")
    n, m = dace.symbol("n"), dace.symbol("m")

    @dace.program
    def scaled(a: dace.float64[n, m + 1], b: dace.float64[m + 1], s: dace.float64, out: dace.float64[n, m + 1]):
        out[:] = s * a + b

    sdfg = scaled.to_sdfg()
    random = np.random.default_rng(1)
    arguments = {"a": random.random((4, 6)), "b": random.random(6), "s": 0.1}
    ours, theirs = np.zeros((4, 6)), np.zeros((4, 6))
    assert sdfgopt.run(sdfg, {**arguments, "out": ours})["out"] is ours
    sdfg.build_folder = str(tmp_path)
    sdfg(**arguments, out=theirs, n=4, m=5)
    assert ours.tobytes() == theirs.tobytes()
