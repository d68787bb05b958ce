"""What the parties compare before an operation: digests that nobody can make collide."""

from __future__ import annotations

import re

import hushtable as ht
import pytest

NUMBERS = ht.Like((2, 8), bits=24, fraction=10, range=(-4, 4))


def evaluated(s):
    return ht.sigmoid(s)


def looked_up(s):
    return ht.sigmoid(s, protocol="rotl")


def normalised(s):
    return ht.layer_norm(s, variance=(0.5, 16))


@pytest.mark.parametrize(
    ("f", "like"),
    [(evaluated, NUMBERS), (looked_up, ht.Like(3, bits=8, fraction=4)), (normalised, NUMBERS)],
)
def test_digests_have_128_bits(f, like):
    (need,) = ht.count(f, like)
    assert re.search(r"\b[0-9a-f]{32}\b", need.operation), need.operation
