"""Random programs of shares against exact arithmetic: each step is refused, by both parties, or right.

`LONG=1` runs thousands of them; `SEED=n` begins with another one than 24, or than any in a long run.
"""

from __future__ import annotations

import os
import random

import hushtable as ht
import programs
import pytest

LONG = os.environ.get("LONG")
COUNT = 10_000 if LONG else 200
SEED = int(os.environ.get("SEED", random.SystemRandom().randrange(1 << 32) if LONG else 24))


# Both sides of an equality are exact here: the numbers are multiples of the scale.
@pytest.mark.filterwarnings("ignore::hushtable.RoundingWarning")
def test_random_programs_are_refused_or_right():
    print(f"SEED={SEED}")
    seeds = range(SEED, SEED + COUNT)
    mine, theirs = ht.run_pair(lambda p: [programs.run(p, seed) for seed in seeds])
    found = []
    for seed, a, b in zip(seeds, mine, theirs, strict=True):
        faults = [*programs.faults(a, b), *programs.advice(a)]
        if faults:
            found.append(f"program {seed}:\n  {programs.told(a)}\n  WRONG: " + "\n  WRONG: ".join(faults))
    steps = [step for a in mine for step in a.steps]
    done = sum(step.refused is None for step in steps)
    assert not found, f"{len(found)} of {COUNT} programs\n" + "\n".join(found[:5])
    assert done > len(steps) // 4, f"{done} of {len(steps)} steps were not refused: the sweep shows little"
