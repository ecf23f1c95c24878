"""Fixtures that every test may use."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis.internal.conjecture import providers

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared"

settings.register_profile("default", deadline=None, print_blob=True)
# Where a run decides what lands it must be the same run every time; elsewhere each run looks somewhere new.
settings.register_profile("ci", deadline=None, print_blob=True, derandomize=True)
settings.load_profile("ci" if os.environ.get("CI") else "default")
if os.environ.get("CI"):
    # Draws are mixed with constants found in the modules loaded so far, which depends on what each worker ran before.
    providers._get_local_constants = lambda: providers._local_constants


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of labelled development data beside the project; absent, the test is skipped."""
    folder = SHARED / "data"
    if not folder.is_dir():
        pytest.skip("labelled data (../shared/data) is not present beside the project")
    return folder


@pytest.fixture(scope="session")
def shared_cases() -> Path:
    """The folder of black-box cases beside the project; absent, the test is skipped."""
    folder = SHARED / "cases"
    if not folder.is_dir():
        pytest.skip("black-box cases (../shared/cases) are not present beside the project")
    return folder
