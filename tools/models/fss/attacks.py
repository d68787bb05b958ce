"""Leaks in the authors' public code, reproduced on faithful models of its key generation."""
from common import *


def aes_k(key, blocks):   # key int, list of int blocks (little endian)
    c = Permutation(key.to_bytes(16, "little"))
    return [c.encrypt(b) for b in blocks]


def pi(x): return FIX.encrypt(x)
def pinv(x): return FIX.decrypt(x)
def mmo(x): return pi(x) ^ x                     # what the code calls ccrHash


def sig(x):                                       # linear orthomorphism (xL^xR)||xL
    l, r = x >> 64, x & ((1 << 64) - 1)
    return ((l ^ r) << 64) | l


def ccr(x): return pi(sig(x)) ^ sig(x)

# ---- attack 1: control bit = lsb of label, label correction keeps that lsb (legacy/dpf.cpp, fss/dpf.cpp keyGenDPF, idpf.cpp)


def repo_dpf(alpha, ell, beta, k):
    roots = [rng.getrandbits(128), rng.getrandbits(128)]
    lev = [[(roots[b], b)] for b in (0, 1)]
    CW = []
    for i in range(ell):
        ch = [[aes_k(s, [0, 1]) for s, _ in lev[b]] for b in (0, 1)]
        S = [0, 0]
        for b in (0, 1):
            for c in ch[b]:
                S[0] ^= c[0]
                S[1] ^= c[1]
        a = (alpha >> (ell - 1 - i)) & 1
        sigma = S[a ^ 1]
        tau = [(S[0] & 1) ^ a ^ 1, (S[1] & 1) ^ a]
        CW.append((sigma, tau[0], tau[1]))
        nl = [[], []]
        for b in (0, 1):
            for (s, t), c in zip(lev[b], ch[b]):
                for p in (0, 1):
                    nl[b].append((c[p] ^ (sigma if t else 0), (c[p] & 1) ^ (tau[p] if t else 0)))
        lev = nl
    # raw conversion: low k bits of the leaf label itself
    w = [sum(s & ((1 << k) - 1) for s, _ in lev[b]) for b in (0, 1)]
    eps = sum(t for _, t in lev[0]) - sum(t for _, t in lev[1])
    W = eps * (beta - w[0] + w[1]) % (1 << k)
    return CW, W


def attack1(ell=8, k=16, trials=60):
    known = tot = wrong = bl = 0
    for _ in range(trials):
        alpha, beta = rng.getrandbits(ell), rng.getrandbits(k)
        CW, W = repo_dpf(alpha, ell, beta, k)
        for i, (s, t0, t1) in enumerate(CW):
            tot += 1
            if t0 != t1:
                known += 1
                guess = 1 if (s & 1) == t0 else 0
                wrong += guess != (alpha >> (ell - 1 - i)) & 1
        # payload lsb from public W and last-level CW
        s, t0, t1 = CW[-1]
        guess = (W & 1) ^ (1 if t0 == t1 else 0)
        bl += guess == (beta & 1)
    assert wrong == 0 and .4 < known / tot < .6 and bl == trials
    print(f"attack 1 (GGM DPF/iDPF as published, public correction words only): {known}/{tot} = {known/tot:.3f} of alpha bits determined, {wrong} wrong; lsb(beta) correct {bl}/{trials}")

# ---- attack 2: legacy DCF opens XOR of all left and of all right children (recL, recR)


def attack2(ell=8, trials=20):
    ok = 0
    for _ in range(trials):
        alpha = rng.getrandbits(ell)
        roots = [rng.getrandbits(128), rng.getrandbits(128)]
        lev = [[(roots[b], b)] for b in (0, 1)]
        guess = 0
        for i in range(ell):
            ch = [[aes_k(s, [0, 1]) for s, _ in lev[b]] for b in (0, 1)]
            S = [0, 0]
            for b in (0, 1):
                for c in ch[b]:
                    S[0] ^= c[0]
                    S[1] ^= c[1]
            a = (alpha >> (ell - 1 - i)) & 1
            recL, recR, sigma = S[0], S[1], S[a ^ 1]              # all three are opened by the code
            guess = guess * 2 + (1 if sigma == recL else 0)
            tau = [(S[0] & 1) ^ a ^ 1, (S[1] & 1) ^ a]
            lev = [[(c[p] ^ (sigma if t else 0), (c[p] & 1) ^ (tau[p] if t else 0)) for (s, t), c in zip(lev[b], ch[b]) for p in (0, 1)] for b in (0, 1)]
        ok += guess == alpha
    assert ok == trials
    print(f"attack 2 (legacy DCF opens recL, recR): alpha recovered fully in {ok}/{trials}")

# ---- attack 3: half-tree with H(x)=AES_fix(x)^x (no orthomorphism): invert the permutation


def halftree(alpha, ell, Hf):
    d = [rng.getrandbits(128) & ~1, rng.getrandbits(128) | 1]   # root = Delta share, lsb = party
    Delta = d[0] ^ d[1]
    lev = [[d[0]], [d[1]]]
    CW = []
    for i in range(ell - 1):
        a = (alpha >> (ell - 1 - i)) & 1
        cw = (Delta if a == 0 else 0)
        for b in (0, 1):
            for s in lev[b]:
                cw ^= Hf(s)
        CW.append(cw)
        lev = [[y for s in lev[b] for y in (Hf(s) ^ (cw if s & 1 else 0), Hf(s) ^ s ^ (cw if s & 1 else 0))] for b in (0, 1)]
    # check invariant
    for x in range(1 << (ell - 1)):
        diff = lev[0][x] ^ lev[1][x]
        assert diff == (Delta if x == alpha >> 1 else 0)
    return d, Delta, CW


def attack3(ell=8, trials=30, Hf=mmo, name="mmo"):
    rec = 0
    for _ in range(trials):
        alpha = rng.getrandbits(ell)
        d, Delta, CW = halftree(alpha, ell, Hf)
        # P0 knows s0=d[0] and CW; expands its own tree; at every node n of level i tries: v = CW ^ (xor of own hashes, and of the other party's
        # hashes = own for off-path nodes) -> v = H(n) ^ H(n^Delta) ^ abar*Delta, guess abar=1
        lev = [d[0]]
        found = False
        for i, cw in enumerate(CW):
            hs = [Hf(s) for s in lev]
            for j, n in enumerate(lev):
                v = cw ^ hs[j]                 # = H(n^Delta) ^ abar*Delta  if n is on path
                cand = pinv(v ^ n)             # mmo: pi(n^D) ^ n^D ^ D = pi(n^D) ^ n
                D = cand ^ n
                if D & 1 and D ^ d[0] == d[1]:
                    found = True   # (in practice verified against the next CW)
            lev = [y for s, h in zip(lev, hs) for y in (h ^ (cw if s & 1 else 0), h ^ s ^ (cw if s & 1 else 0))]
        rec += found
    assert rec == 0 if Hf is ccr else rec >= .95 * trials
    print(f"attack 3 (half-tree, H={name}): Delta (=> other party's whole key, alpha) recovered in {rec}/{trials}; expected {1-2**-(ell-1):.3f} for mmo, 0 for sigma-ccr")


if __name__ == "__main__":
    attack1()
    attack2()
    attack3()
    attack3(Hf=ccr, name="pi(sigma(x))^sigma(x)", trials=10)
