"""Markers, and what is skipped where something is missing."""

import importlib.util

import pytest

import support


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "dace: needs DaCe (slow to import, slower to compile)")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    has_dace = importlib.util.find_spec("dace") is not None
    for item in items:
        if item.get_closest_marker("dace") and not has_dace:
            item.add_marker(pytest.mark.skip(reason="DaCe is not installed"))


def pytest_report_header() -> list[str]:
    lines = [f"sdfg-opt: {support.SDFG_OPT}{'' if support.SDFG_OPT.exists() else ' (missing)'}"]
    for folder in ("corpus", "cases"):
        count = len(support.programs(support.SHARED / folder))
        lines.append(f"{folder}: {f'{count} programs' if count else 'missing, its tests are left out'}")
    return lines
