"""1-of-n random OT from log n RCOTs by a key tree (2(n-1) hashes sender, log n receiver); raw XOR of RCOT keys is insecure; first PPRF level free"""
from common import *


def rot1n(delta, D):
    cots = [rcot(Net(), D) for _ in range(delta)]
    lvl = {(): 0}
    # sender
    lv = [0]
    hashes = 0
    for j, (q, _) in enumerate(cots):
        nx = []
        for i, S in enumerate(lv):
            for b in (0, 1):
                nx.append(H(S ^ q ^ (D if b else 0), ('n', j, 2 * i + b)))
                hashes += 1
        lv = nx
    # receiver
    S = 0
    idx = 0
    for j, (_, (b, t)) in enumerate(cots):
        idx = 2 * idx + b
        S = H(S ^ t, ('n', j, idx))
    assert S == lv[idx]
    return hashes


D = rng.getrandbits(128) | 1
for d in range(1, 9):
    assert rot1n(d, D) == 2 * ((1 << d) - 1)
print('tree 1-of-n ROT ok: 2(n-1) sender hashes')
# insecurity of xor-combining correlated keys
c = [rcot(Net(), D) for _ in range(2)]
q = [x[0] for x in c]
(b0, t0), (b1, t1) = c[0][1], c[1][1]
other = q[0] ^ (0 if b0 else D) ^ q[1] ^ (0 if b1 else D)     # key for the complementary pair of choices
assert t0 ^ t1 == other
print('receiver can compute the pad of the complementary index from XORed RCOT keys:', (t0 ^ t1) == other)
# first level free: root pair = COT pair
from rotation import *
