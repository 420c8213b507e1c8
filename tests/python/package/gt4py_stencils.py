"""Small GT4Py programs of many kinds; most hand out a field and use it further.

Dimensions and connectivities are those of examples/programs.py, whose programs are run, too (gt4py_runs.py).
"""

import gt4py.next as gtx
from gt4py.next import (
    Field,
    astype,
    broadcast,
    exp,
    float64,
    int32,
    max_over,
    maximum,
    minimum,
    neighbor_sum,
    where,
)
from gt4py.next.experimental import concat_where

from programs import C2E, E2C, C2EDim, Cell, E2CDim, Edge, K

I = gtx.Dimension("I")  # noqa: E741
J = gtx.Dimension("J")


@gtx.scan_operator(axis=K, forward=True, init=(0.0, 0.0))
def _tridiagonal_down(state: tuple[float, float], a: float, b: float, c: float, d: float) -> tuple[float, float]:
    upper, right = state
    pivot = b - a * upper
    return c / pivot, (d - a * right) / pivot


@gtx.scan_operator(axis=K, forward=False, init=0.0)
def _tridiagonal_up(state: float, upper: float, right: float) -> float:
    return right - upper * state


@gtx.field_operator
def _implicit_step(
    wind: Field[[Cell, K], float64],
    a: Field[[Cell, K], float64],
    c: Field[[Cell, K], float64],
    damp: bool,
) -> tuple[Field[[Cell, K], float64], Field[[Cell, K], float64]]:
    upper, right = _tridiagonal_down(a, 4.0 + wind * wind, c, wind)
    solution = _tridiagonal_up(upper, right)
    damped = solution * 0.5 if damp else solution
    return damped, damped - wind


@gtx.program
def implicit_step(
    wind: Field[[Cell, K], float64],
    tendency: Field[[Cell, K], float64],
    a: Field[[Cell, K], float64],
    c: Field[[Cell, K], float64],
    damp: bool,
    cell_start: int32,
    cell_end: int32,
    top: int32,
    bottom: int32,
):
    """A tridiagonal system for each column, in place: two scans, a branch, and the change."""
    _implicit_step(
        wind,
        a,
        c,
        damp,
        out=(wind, tendency),
        domain={Cell: (cell_start, cell_end), K: (top, bottom)},
    )


@gtx.scan_operator(axis=K, forward=True, init=(0.0, 0.0))
def _running(state: tuple[float, float], flux: float, weight: float) -> tuple[float, float]:
    total = state[0] + flux * weight
    largest = total if total > state[1] else state[1]
    return total, largest


@gtx.field_operator
def _accumulate(
    flux: Field[[Cell, K], float64], weight: Field[[Cell, K], float64]
) -> tuple[Field[[Cell, K], float64], Field[[Cell, K], float64]]:
    total, largest = _running(flux, weight)
    return total, largest * total


@gtx.program
def accumulate(
    total: Field[[Cell, K], float64],
    product: Field[[Cell, K], float64],
    flux: Field[[Cell, K], float64],
    weight: Field[[Cell, K], float64],
    cell_start: int32,
    cell_end: int32,
    bottom: int32,
):
    """Sum and largest sum from the top of each column; the domain starts at level 0."""
    _accumulate(flux, weight, out=(total, product), domain={Cell: (cell_start, cell_end), K: (0, bottom)})


@gtx.field_operator
def _advect(
    flux: Field[[Edge, K], float64],
    weight: Field[[Cell, C2EDim], float64],
    tracer: Field[[Cell, K], float64],
    clip: bool,
) -> tuple[Field[[Cell, K], float64], Field[[Cell, K], float64], Field[[Cell, K], float64]]:
    outflow = neighbor_sum(flux(C2E) * weight, axis=C2EDim)
    strongest = max_over(flux(C2E), axis=C2EDim)
    limited = minimum(outflow, strongest) if clip else outflow
    return limited, tracer - limited, strongest


@gtx.program
def advect(
    outflow: Field[[Cell, K], float64],
    new_tracer: Field[[Cell, K], float64],
    strongest: Field[[Cell, K], float64],
    flux: Field[[Edge, K], float64],
    weight: Field[[Cell, C2EDim], float64],
    tracer: Field[[Cell, K], float64],
    clip: bool,
    cell_start: int32,
    cell_end: int32,
    top: int32,
    bottom: int32,
):
    """Two reductions over the edges of a cell, a branch, three results."""
    _advect(
        flux,
        weight,
        tracer,
        clip,
        out=(outflow, new_tracer, strongest),
        domain={Cell: (cell_start, cell_end), K: (top, bottom)},
    )


@gtx.field_operator
def _levels(
    temperature: Field[[Cell, K], float64], surface: Field[[Cell], float64], flat: int32, smooth: bool
) -> tuple[Field[[Cell, K], float64], Field[[Cell, K], float64]]:
    lower = broadcast(surface, (Cell, K))
    mixed = concat_where(K < flat, temperature, 0.5 * (temperature + lower))
    chosen = mixed * 0.25 if smooth else mixed
    return chosen, concat_where(K < flat, chosen, chosen - lower)


@gtx.program
def levels(
    mixed: Field[[Cell, K], float64],
    excess: Field[[Cell, K], float64],
    temperature: Field[[Cell, K], float64],
    surface: Field[[Cell], float64],
    flat: int32,
    smooth: bool,
    cell_start: int32,
    cell_end: int32,
    top: int32,
    bottom: int32,
):
    """Levels above and below one that is known at run time only, put together with concat_where."""
    _levels(
        temperature,
        surface,
        flat,
        smooth,
        out=(mixed, excess),
        domain={Cell: (cell_start, cell_end), K: (top, bottom)},
    )


@gtx.field_operator
def _speed(wind: Field[[Edge, K], float64], factor: float64, squared: bool) -> Field[[Edge, K], float64]:
    return wind * wind * factor if squared else wind * factor


@gtx.field_operator
def _energy(speed: Field[[Edge, K], float64], weight: Field[[Cell, C2EDim], float64]) -> Field[[Cell, K], float64]:
    return neighbor_sum(speed(C2E) * weight, axis=C2EDim)


@gtx.field_operator
def _gradient(energy: Field[[Cell, K], float64], wind: Field[[Edge, K], float64]) -> Field[[Edge, K], float64]:
    return wind - (energy(E2C[1]) - energy(E2C[0]))


@gtx.program
def kinetic(
    speed: Field[[Edge, K], float64],
    energy: Field[[Cell, K], float64],
    wind: Field[[Edge, K], float64],
    weight: Field[[Cell, C2EDim], float64],
    factor: float64,
    squared: bool,
    edge_start: int32,
    edge_end: int32,
    cell_start: int32,
    cell_end: int32,
    top: int32,
    bottom: int32,
):
    """Three statements: each reads what the one before it has put into an argument; the last is in place."""
    _speed(wind, factor, squared, out=speed, domain={Edge: (edge_start, edge_end), K: (top, bottom)})
    _energy(speed, weight, out=energy, domain={Cell: (cell_start, cell_end), K: (top, bottom)})
    _gradient(energy, wind, out=wind, domain={Edge: (edge_start, edge_end), K: (top, bottom)})


@gtx.field_operator
def _nested(
    a: Field[[Cell, K], float64], b: Field[[Edge, K], float64], c: Field[[K], float64], swap: bool
) -> tuple[tuple[Field[[Cell, K], float64], Field[[Edge, K], float64]], Field[[K], float64]]:
    x = a * c if swap else a
    y = b + (x(E2C[0]) * x(E2C[1]))
    return (x, y), c * 2.0


@gtx.program
def nested(
    x: Field[[Cell, K], float64],
    y: Field[[Edge, K], float64],
    z: Field[[K], float64],
    a: Field[[Cell, K], float64],
    b: Field[[Edge, K], float64],
    c: Field[[K], float64],
    swap: bool,
    cell_start: int32,
    cell_end: int32,
    edge_start: int32,
    edge_end: int32,
    top: int32,
    bottom: int32,
):
    """A tuple in a tuple, three kinds of domain."""
    _nested(
        a,
        b,
        c,
        swap,
        out=((x, y), z),
        domain=(
            ({Cell: (cell_start, cell_end), K: (top, bottom)}, {Edge: (edge_start, edge_end), K: (top, bottom)}),
            {K: (top, bottom)},
        ),
    )


@gtx.field_operator
def _diffuse(
    phi: Field[[I, J, K], float64], alpha: Field[[K], float64], clip: bool
) -> tuple[Field[[I, J, K], float64], Field[[I, J, K], float64]]:
    laplacian = phi(I + 1) + phi(I - 1) + phi(J + 1) + phi(J - 1) - 4.0 * phi
    limited = where(laplacian > 1.0, 1.0, laplacian) if clip else laplacian
    return limited, phi + alpha * limited


@gtx.program
def diffuse(
    laplacian: Field[[I, J, K], float64],
    out: Field[[I, J, K], float64],
    phi: Field[[I, J, K], float64],
    alpha: Field[[K], float64],
    clip: bool,
    i0: int32,
    i1: int32,
    j0: int32,
    j1: int32,
    top: int32,
    bottom: int32,
):
    """A stencil on a Cartesian grid."""
    _diffuse(
        phi,
        alpha,
        clip,
        out=(laplacian, out),
        domain={I: (i0, i1), J: (j0, j1), K: (top, bottom)},
    )


@gtx.field_operator
def _flag_cells(
    kind: Field[[Cell], int32], height: Field[[Cell, K], float64], strict: bool
) -> tuple[Field[[Cell, K], bool], Field[[Cell, K], float64]]:
    low = height < 0.0
    flagged = low & (kind > 1) if strict else low
    return flagged, where(flagged, 0.0, height)


@gtx.program
def flag_cells(
    flagged: Field[[Cell, K], bool],
    height: Field[[Cell, K], float64],
    kind: Field[[Cell], int32],
    strict: bool,
    cell_start: int32,
    cell_end: int32,
    top: int32,
    bottom: int32,
):
    """Truth values that are handed out and used as a mask, one result in place."""
    _flag_cells(
        kind,
        height,
        strict,
        out=(flagged, height),
        domain={Cell: (cell_start, cell_end), K: (top, bottom)},
    )


@gtx.field_operator
def _half_levels(
    pressure: Field[[Cell, K], float64], scale: Field[[Cell], float64], scaled: bool, squared: bool
) -> tuple[Field[[Cell, K], float64], Field[[Cell, K], float64], Field[[Cell, K], float64]]:
    first = pressure * scale if scaled else pressure
    second = first * first if squared else first
    return first, second, second(K - 1) + second(K + 1) - first


@gtx.program
def half_levels(
    first: Field[[Cell, K], float64],
    second: Field[[Cell, K], float64],
    third: Field[[Cell, K], float64],
    pressure: Field[[Cell, K], float64],
    scale: Field[[Cell], float64],
    scaled: bool,
    squared: bool,
    cell_start: int32,
    cell_end: int32,
    top: int32,
    bottom: int32,
):
    """Two branches one after the other, and a result on the levels between that reads both."""
    _half_levels(
        pressure,
        scale,
        scaled,
        squared,
        out=(first, second, third),
        domain=(
            {Cell: (cell_start, cell_end), K: (top, bottom)},
            {Cell: (cell_start, cell_end), K: (top, bottom)},
            {Cell: (cell_start, cell_end), K: (top + 1, bottom - 1)},
        ),
    )


@gtx.field_operator
def _smooth_edges(
    wind: Field[[Edge, K], float64], weight: Field[[Edge, E2CDim], float64], height: Field[[Cell, K], float64], up: bool
) -> tuple[Field[[Edge, K], float64], Field[[Edge, K], float64]]:
    at_edges = neighbor_sum(height(E2C) * weight, axis=E2CDim)
    shifted = at_edges(K + 1) if up else at_edges
    return shifted, wind * shifted


@gtx.program
def smooth_edges(
    at_edges: Field[[Edge, K], float64],
    new_wind: Field[[Edge, K], float64],
    wind: Field[[Edge, K], float64],
    weight: Field[[Edge, E2CDim], float64],
    height: Field[[Cell, K], float64],
    up: bool,
    edge_start: int32,
    edge_end: int32,
    top: int32,
    bottom: int32,
):
    """A branch with and without a vertical shift."""
    _smooth_edges(
        wind,
        weight,
        height,
        up,
        out=(at_edges, new_wind),
        domain={Edge: (edge_start, edge_end), K: (top, bottom)},
    )


@gtx.field_operator
def _saturate(
    vapour: Field[[Cell, K], float64], temperature: Field[[Cell, K], float64], ice: bool, rain: bool
) -> tuple[Field[[Cell, K], float64], Field[[Cell, K], float64], Field[[Cell, K], float64]]:
    most = exp(0.1 * temperature)
    condensed = maximum(vapour - most, 0.0)
    frozen = (condensed * 0.5 if rain else condensed) if ice else condensed * 0.0
    return condensed, frozen, vapour - condensed - frozen


@gtx.program
def saturate(
    condensed: Field[[Cell, K], float64],
    frozen: Field[[Cell, K], float64],
    vapour: Field[[Cell, K], float64],
    temperature: Field[[Cell, K], float64],
    ice: bool,
    rain: bool,
    cell_start: int32,
    cell_end: int32,
    top: int32,
    bottom: int32,
):
    """A branch in a branch, three results, the last in place."""
    _saturate(
        vapour,
        temperature,
        ice,
        rain,
        out=(condensed, frozen, vapour),
        domain={Cell: (cell_start, cell_end), K: (top, bottom)},
    )


@gtx.field_operator
def _upwind(
    wind: Field[[Edge, K], float64], tracer: Field[[Cell, K], float64], centred: bool
) -> tuple[Field[[Edge, K], float64], Field[[Edge, K], float64]]:
    left, right = tracer(E2C[0]), tracer(E2C[1])
    face = 0.5 * (left + right) if centred else where(wind > 0.0, left, right)
    return face, face * wind


@gtx.program
def upwind(
    face: Field[[Edge, K], float64],
    flux: Field[[Edge, K], float64],
    wind: Field[[Edge, K], float64],
    tracer: Field[[Cell, K], float64],
    centred: bool,
    edge_start: int32,
    edge_end: int32,
    bottom: int32,
):
    """A choice by the wind's direction, or not; the domain starts at level 0."""
    _upwind(wind, tracer, centred, out=(face, flux), domain={Edge: (edge_start, edge_end), K: (0, bottom)})


@gtx.field_operator
def _count(
    kind: Field[[Cell, K], int32], weight: Field[[Cell, K], float64], twice: bool
) -> tuple[Field[[Cell, K], int32], Field[[Cell, K], float64]]:
    counted = kind * 2 if twice else kind + 1
    return counted, weight * astype(counted, float64)


@gtx.program
def count(
    counted: Field[[Cell, K], int32],
    weighted: Field[[Cell, K], float64],
    kind: Field[[Cell, K], int32],
    weight: Field[[Cell, K], float64],
    twice: bool,
    cell_start: int32,
    cell_end: int32,
    top: int32,
    bottom: int32,
):
    """Whole numbers that are handed out, and used as floats."""
    _count(
        kind,
        weight,
        twice,
        out=(counted, weighted),
        domain={Cell: (cell_start, cell_end), K: (top, bottom)},
    )


@gtx.field_operator
def _relax(a: Field[[Cell, K], float64], b: Field[[Cell, K], float64], hard: bool) -> Field[[Cell, K], float64]:
    return b if hard else 0.5 * (a + b)


@gtx.program
def relax(
    a: Field[[Cell, K], float64],
    b: Field[[Cell, K], float64],
    hard: bool,
    cell_start: int32,
    cell_end: int32,
    top: int32,
    bottom: int32,
):
    """Two fields that are moved towards each other, one after the other, twice."""
    _relax(a, b, hard, out=a, domain={Cell: (cell_start, cell_end), K: (top, bottom)})
    _relax(b, a, hard, out=b, domain={Cell: (cell_start, cell_end), K: (top, bottom)})
    _relax(a, b, hard, out=a, domain={Cell: (cell_start, cell_end), K: (top, bottom)})
    _relax(b, a, hard, out=b, domain={Cell: (cell_start, cell_end), K: (top, bottom)})


ALL = [
    implicit_step,
    accumulate,
    advect,
    levels,
    kinetic,
    nested,
    diffuse,
    flag_cells,
    half_levels,
    smooth_edges,
    saturate,
    upwind,
    count,
    relax,
]
