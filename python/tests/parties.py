"""Support: two parties that must notice a difference."""

from __future__ import annotations

import time

import hushtable as ht
import pytest


def differ(f0, f1):
    """Runs parties that must both raise `HandshakeError`; their errors and the time it took."""
    caught = [None, None]

    def party(p):
        start = time.monotonic()
        with pytest.raises(ht.HandshakeError) as error:
            (f0, f1)[p.role](p)
        caught[p.role] = (error.value, time.monotonic() - start)

    ht.run_pair(party)
    assert max(took for _, took in caught) < 10
    (a, _), (b, _) = caught
    assert (a.ours, a.theirs) == (b.theirs, b.ours)
    assert str(a) == f"the parties disagree on {a.field}: here {a.ours}, at the peer {a.theirs}"
    return a
