"""Support: a deadline for every test, so that a party that waits for ever fails instead."""

from __future__ import annotations

import faulthandler
from collections.abc import Iterator

import pytest

DEADLINE = 400


@pytest.fixture(autouse=True)
def deadline() -> Iterator[None]:
    faulthandler.dump_traceback_later(DEADLINE, exit=True)
    yield
    faulthandler.cancel_dump_traceback_later()
