"""An alternating-moduli (2,3) PRF on structured inputs of a small domain: the sum over an affine subspace hardly depends on the key."""
import os
import numpy as np
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise
rng = np.random.default_rng(1)
m, t = 256, 81
for d in (8, 10, 12) if FULL else (8,):
    hit = 0
    for _ in range(40):
        M = rng.integers(0, 2, (m, 20))
        B = rng.integers(0, 3, (t, m))
        base = int(rng.integers(0, 1 << (20 - d))) << d
        X = np.array([[(base | i) >> k & 1 for k in range(20)] for i in range(1 << d)]).T
        out = (B @ ((M @ X) % 2)) % 3
        s = out.sum(axis=1) % 3
        pred = (B @ np.full(m, (1 << (d - 1)) % 3)) % 3
        hit += bool((s == pred).all())
    assert hit >= {8: 5, 10: 25, 12: 35}[d]
    print(f"batch of 2^{d} consecutive indices: sum of all 81-trit outputs equals the key-independent prediction in {hit}/40 keys (random function: 3^-81)")
