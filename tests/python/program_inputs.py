"""Arguments for programs that are run: layouts of GT4Py's fields, contents of memory, views of it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from expressions import CannotRun, integer

Json = dict[str, Any]
SPECIAL = (np.nan, np.inf, -np.inf, 0.0, -0.0, 5e-324, 1e308, 1.0)


@dataclass(frozen=True)
class Layout:
    """The fields of a program that GT4Py made: elements in the horizontal and in the vertical, the first
    index of both, whether the vertical is contiguous (or the horizontal), elements left free after each row."""

    horizontal: int = 14
    levels: int = 9
    origin: int = 0
    vertical_first: bool = True
    padding: int = 0


def field_symbols(sdfg: Json, layout: Layout) -> dict[str, int]:
    """Values of the symbols that give the shapes and strides of such a program's arguments."""
    symbols = {}
    for name in sdfg["attributes"]["symbols"]:
        size = layout.levels if "_K_" in name else layout.horizontal
        if name.endswith("_range_0"):
            symbols[name] = layout.origin
        elif name.endswith("_range_1"):
            symbols[name] = layout.origin + size
        elif name.endswith("_source_size"):
            symbols[name] = size
    for attributes in (descriptor["attributes"] for descriptor in arguments(sdfg).values()):
        dimensions = list(zip(attributes.get("shape", []), attributes.get("strides", [])))
        stride = 1
        for extent, text in reversed(dimensions) if layout.vertical_first else dimensions:
            symbols[text.removeprefix("$")] = stride
            stride *= integer(extent, symbols) + layout.padding
    return symbols


def descriptor_layout(descriptor: Json, names: Mapping[str, Any]) -> tuple[np.dtype, tuple[int, ...], tuple[int, ...], int, int]:
    """Type, shape, strides, total size and start offset of a Scalar or an Array."""
    kind, attributes = descriptor["type"], descriptor["attributes"]
    if kind not in ("Scalar", "Array", "ArrayView"):
        raise CannotRun(f"data of type {kind}")
    dtype = attributes.get("dtype", "int32")
    if not isinstance(dtype, str):
        raise CannotRun(f"element type {dtype}")
    shape = tuple(max(0, integer(e, names)) for e in attributes.get("shape", ["1"]))
    contiguous = tuple(int(np.prod(shape[d + 1:], dtype=int)) for d in range(len(shape)))
    strides = tuple(integer(e, names) for e in attributes.get("strides", [])) or contiguous
    total = max(0, integer(attributes.get("total_size", "0"), names)) or int(np.prod(shape, dtype=int))
    return np.dtype(dtype), shape, strides, total, integer(attributes.get("start_offset", 0), names)


def arguments(sdfg: Json) -> Json:
    """The descriptors of what the program is given and gives back."""
    return {name: descriptor for name, descriptor in sdfg["attributes"].get("_arrays", {}).items()
            if not descriptor["attributes"].get("transient", False)}


@dataclass(frozen=True)
class Placed:
    """How an argument lies in its flat memory."""

    dtype: np.dtype
    shape: tuple[int, ...]
    strides: tuple[int, ...]
    total: int
    start: int

    def view(self, flat: np.ndarray) -> np.ndarray:
        steps = [stride * flat.itemsize for stride in self.strides]
        return np.lib.stride_tricks.as_strided(flat[self.start:], self.shape, steps)


def places(sdfg: Json, symbols: dict[str, Any]) -> dict[str, Placed]:
    result = {}
    for name, descriptor in arguments(sdfg).items():
        if name not in symbols:
            dtype, shape, strides, total, start = descriptor_layout(descriptor, symbols)
            reach = start + 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
            result[name] = Placed(dtype, shape, strides, max(total, reach, 0), start)
    return result


def contents(placed: dict[str, Placed], seed: int, kind: str, integers_below: int = 4) -> dict[str, np.ndarray]:
    """Flat memory for each argument. Kinds of floats: `exact` are small multiples of 1/4, so that sums and products
    do not depend on the order; `any` need all their digits; `special` are also NaNs, infinities, zeros."""
    random = np.random.default_rng(seed)
    memory = {}
    for name, place in placed.items():
        if place.dtype.kind != "f":
            limit = 2 if place.dtype.kind == "b" else integers_below
            memory[name] = random.integers(0, limit, place.total).astype(place.dtype)
            continue
        values = random.integers(-40, 40, place.total) / 4
        if kind != "exact":
            values = values + random.random(place.total)
        if kind == "special":
            values = np.where(random.random(place.total) < 0.15, random.choice(SPECIAL, place.total), values)
        with np.errstate(over="ignore"):
            memory[name] = values.astype(place.dtype)
    return memory
