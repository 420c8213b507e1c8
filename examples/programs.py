"""Three small GT4Py programs, each with a result that is handed out and also used further.

Cells and edges of a triangular grid, and a vertical dimension K. The scalar flags choose between two
computations of a field, which GT4Py lowers to a branch; what follows the branch sits in a later state.
"""

import gt4py.next as gtx
from gt4py.next import Field, float64, int32, minimum, neighbor_sum

Cell = gtx.Dimension("Cell")
Edge = gtx.Dimension("Edge")
K = gtx.Dimension("K", kind=gtx.DimensionKind.VERTICAL)
C2EDim = gtx.Dimension("C2E", kind=gtx.DimensionKind.LOCAL)
E2CDim = gtx.Dimension("E2C", kind=gtx.DimensionKind.LOCAL)

C2E = gtx.FieldOffset("C2E", source=Edge, target=(Cell, C2EDim))
E2C = gtx.FieldOffset("E2C", source=Cell, target=(Edge, E2CDim))


@gtx.field_operator
def _pressure_gradient(
    exner: Field[[Cell, K], float64],
    reference_exner: Field[[Cell, K], float64],
    inv_thickness: Field[[Cell, K], float64],
    subtract_reference: bool,
) -> tuple[Field[[Cell, K], float64], Field[[Cell, K], float64]]:
    perturbation = exner - reference_exner if subtract_reference else exner
    gradient = (perturbation(K - 1) - perturbation) * inv_thickness
    return perturbation, gradient


@gtx.program
def pressure_gradient(
    perturbation: Field[[Cell, K], float64],
    gradient: Field[[Cell, K], float64],
    exner: Field[[Cell, K], float64],
    reference_exner: Field[[Cell, K], float64],
    inv_thickness: Field[[Cell, K], float64],
    subtract_reference: bool,
    cell_start: int32,
    cell_end: int32,
    top: int32,
    bottom: int32,
):
    """Pressure perturbation on full levels, and its vertical gradient between them."""
    _pressure_gradient(
        exner,
        reference_exner,
        inv_thickness,
        subtract_reference,
        out=(perturbation, gradient),
        domain=(
            {Cell: (cell_start, cell_end), K: (top, bottom)},
            {Cell: (cell_start, cell_end), K: (top + 1, bottom)},
        ),
    )


@gtx.field_operator
def _divergence_damping(
    wind: Field[[Edge, K], float64],
    divergence_weight: Field[[Cell, C2EDim], float64],
    layer_factor: Field[[K], float64],
    inv_distance: Field[[Edge], float64],
    scale_by_layer: bool,
) -> tuple[Field[[Cell, K], float64], Field[[Edge, K], float64]]:
    raw = neighbor_sum(wind(C2E) * divergence_weight, axis=C2EDim)
    divergence = raw * layer_factor if scale_by_layer else raw
    damping = (divergence(E2C[1]) - divergence(E2C[0])) * inv_distance
    return divergence, wind + damping


@gtx.program
def divergence_damping(
    divergence: Field[[Cell, K], float64],
    new_wind: Field[[Edge, K], float64],
    wind: Field[[Edge, K], float64],
    divergence_weight: Field[[Cell, C2EDim], float64],
    layer_factor: Field[[K], float64],
    inv_distance: Field[[Edge], float64],
    scale_by_layer: bool,
    cell_start: int32,
    cell_end: int32,
    edge_start: int32,
    edge_end: int32,
    top: int32,
    bottom: int32,
):
    """Divergence of the wind at cells, and the wind damped along the divergence's gradient."""
    _divergence_damping(
        wind,
        divergence_weight,
        layer_factor,
        inv_distance,
        scale_by_layer,
        out=(divergence, new_wind),
        domain=(
            {Cell: (cell_start, cell_end), K: (top, bottom)},
            {Edge: (edge_start, edge_end), K: (top, bottom)},
        ),
    )


@gtx.field_operator
def _moisture_update(
    moisture: Field[[Cell, K], float64],
    flux: Field[[Edge, K], float64],
    flux_weight: Field[[Cell, C2EDim], float64],
    saturation: Field[[Cell, K], float64],
    time_step: float64,
    rains: bool,
) -> tuple[Field[[Cell, K], float64], Field[[Cell, K], float64]]:
    change = time_step * neighbor_sum(flux(C2E) * flux_weight, axis=C2EDim)
    updated = minimum(moisture, saturation) - change if rains else moisture - change
    return updated, 0.5 * (updated(K - 1) + updated)


@gtx.program
def moisture_update(
    moisture: Field[[Cell, K], float64],
    moisture_on_half_levels: Field[[Cell, K], float64],
    flux: Field[[Edge, K], float64],
    flux_weight: Field[[Cell, C2EDim], float64],
    saturation: Field[[Cell, K], float64],
    time_step: float64,
    rains: bool,
    cell_start: int32,
    cell_end: int32,
    top: int32,
    bottom: int32,
):
    """Moisture moved by fluxes through the edges, in place, and its mean on half levels."""
    _moisture_update(
        moisture,
        flux,
        flux_weight,
        saturation,
        time_step,
        rains,
        out=(moisture, moisture_on_half_levels),
        domain=(
            {Cell: (cell_start, cell_end), K: (top, bottom)},
            {Cell: (cell_start, cell_end), K: (top + 1, bottom)},
        ),
    )
