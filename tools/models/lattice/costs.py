"""Parameters by (l, b, nnz, outputs) and exact counts of bytes and operations by shape.  Times are a model: measured kernel times of
30-bit limbs at n = 8192 (one core, microseconds), the rest estimated; bytes and counts are exact."""
import math, os
FULL = os.environ.get('MODELS') == 'full'      # the sizes that docs/spec quotes; smaller ones otherwise
NTT = {"avx2": 10.5, "avx512": 9.2}
MAC = {"avx2": 2.6, "avx512": 2.06}
def up(a, b): return -(-a // b)


LIM = {4096: 106, 8192: 214}


def gadget(L, n=8192):
    """(special primes, primes a digit): 2,2 if the modulus has room, else fewer"""
    room = LIM[n] // 30 - L
    return (2, 2) if room >= 2 else (1, 1) if room == 1 else (0, 1)


def params(l, b, nnz, outs, kw, n=8192):
    """least number of limbs, or None; B >= 2^40 max(worst case, outs * sigma / 2), B = 2^(30L-l-3)"""
    for L in range(2, LIM[n] // 30 + 1):
        np_, al = gadget(L, n) if kw > 1 else (0, 1)
        dn = up(L, al)
        D = 30 * al
        P = 30 * np_
        lv = int(math.log2(kw))
        if (L + np_) * 30 > LIM[n]:
            continue
        ksv = (dn * n * 4.0**(D - 1) * 10.5 / 4.0**P + (n / 6 + .25 if np_ else 0)) if kw > 1 else 0
        s4 = sum(4**j for j in range(lv))
        s2 = kw - 1
        var = 10.75 * nnz * 4.0**(b - 1) + n * (10.5**2 + 7) + 10.5 + s4 * ksv
        wc = 22 * nnz * 2.0**(b - 1) + n * (441 + 21) + 22 + s2 * ((dn * n * 2.0**(D - 1) * 21 / 2.0**P + ((n + 1) / 2 if np_ else 0)) if kw > 1 else 0)
        need = 40 + math.log2(max(wc, outs * math.sqrt(var) / 2))
        have = 30 * L - l - 3
        if have >= need:
            return L, np_, al, have - need
    return None


def ks_us(L, np_, al, isa): t = L + np_; dn = up(L, al); return (dn * t + 2 * t) * NTT[isa] + 2 * dn * t * MAC[isa] + 8 * t * MAC[isa]


def tree(g, kw):
    h = kw // 2
    c = 0
    while h >= 1:
        c += min(h, g)
        h //= 2
    return c


def finish(L, np_, al, n, l, isa, ups, polys, deg, prods, unpacked, packed, ks, coefs, kw):
    """bytes and core-seconds from counts"""
    r = dict(limbs=L, special=np_, ups=ups, polys=polys, products=prods, unpacked=unpacked, responses=packed, switches=ks)
    r["up"] = ups * n * 30 * L // 8
    r["down"] = up(packed * n * (l + 11) + coefs * (l + 3), 8)
    lv = int(math.log2(kw))
    r["keys"] = (lv * up(L, al) * (L + np_) + L) * n * 30 // 8
    N, M = NTT[isa], MAC[isa]
    r["t"] = {"transform": polys * L * N * math.ceil(math.log2(deg)) / 13 / 1e6, "products": prods * 2 * L * M / 1e6, "switch": ks * ks_us(L, np_, al, isa) / 1e6 if ks else 0,
              "ends": (ups * (L * (N + 25) + 60) + packed * (3 * L * N + 2 * L * M + 350) + packed * (8 * N + 200) + (0 if packed != unpacked else 0) + unpacked * 2 * L * N * (packed != unpacked)) / 1e6}
    r["s"] = sum(r["t"].values())
    return r


def matmul(m, k, N, l, b, isa="avx2", net=375e6, batch=1, dirs=1, side="left", n=8192, outs=None, only=None, keys_in=False, pow_kw=None):
    """side: which factor is encrypted; b: bits of the other one"""
    best = None
    outs = outs or m * N * batch * dirs
    for e in range(0, 9):
        kw = 1 << e
        for mw in sorted(set([min(m, 1 << i) for i in range(14)] + [up(m, i) for i in range(1, 9)])):
            if mw * kw > n:
                continue
            for nw in sorted(set([min(N, 1 << i) for i in range(14)] + [min(N, n // (mw * kw))])):
                if mw * kw * nw > n:
                    continue
                for pk in ((False, True) if kw > 1 else (False,)):
                    if (only == "packed" and not pk) or (only == "unpacked" and pk) or (pow_kw and kw != pow_kw):
                        continue
                    nnz = k * (nw if side == "left" else mw)
                    P = params(l, b, nnz, outs, kw if pk else 1, n)
                    if not P:
                        continue
                    L, np_, al, _ = P
                    a, bb, c = up(m, mw), up(k, kw), up(N, nw)
                    U = a * c
                    groups = up(U, kw) if pk else U
                    ks = (sum(tree(min(kw, U - g * kw), kw) for g in range(groups)) if pk else 0)
                    ups, polys, deg = (a * bb, bb * c, kw * nw) if side == "left" else (bb * c, a * bb, n)
                    X = batch * dirs
                    r = finish(L, np_, al, n, l, isa, ups * X, polys * X, deg, a * bb * c * X, U * X, groups * X, ks * X, m * N * X, kw if pk else 1)
                    cost = r["s"] / 2 + (r["up"] + r["down"] + (r["keys"] * dirs if keys_in else 0)) / net
                    if best is None or cost < best[0]:
                        best = (cost, (mw, kw, nw, "packed" if pk else "plain"), r)
    return best


def show(name, x):
    if x is None:
        print(f"{name:46s} does not fit")
        return
    _, tile, r = x
    print(f"{name:46s} {str(tile):28s} L={r['limbs']}+{r['special']} up {r['ups']:5d} polys {r['polys']:6d} prod {r['products']:6d} unpacked {r['unpacked']:5d} resp {r['responses']:4d} ks {r['switches']:5d} | up {r['up']/1e6:6.2f} down {r['down']/1e6:6.2f} sum {(r['up']+r['down'])/1e6:6.2f} keys {r['keys']/1e6:5.2f} MB | " + " ".join(f"{k} {v:.2f}" for k, v in r['t'].items()) + f" = {r['s']:.2f} core-s")


def conv(C, H, W, M, h, s, pad, l, b, isa="avx2", n=8192):
    H2, W2 = H + 2 * pad, W + 2 * pad
    oh = (H2 - h) // s + 1
    best = None
    for Cw in range(1, C + 1):
        for Mw in range(1, M + 1):
            if Cw * Mw * H2 * W2 > n:
                break
            P = params(l, b, C * h * h * Mw, M * oh * oh, 1, n)
            L, np_, al, _ = P
            ups, resp = up(C, Cw), up(M, Mw)
            r = finish(L, np_, al, n, l, isa, ups, ups * resp, n, ups * resp, resp, resp, 0, M * oh * oh, 1)
            c = r["up"] + r["down"]
            if best is None or c < best[0]:
                best = (c, (Cw, Mw), r)
    return best


if __name__ == "__main__":
    print("-- limbs of 30 bits needed (+ special primes), n = 8192, packing 64, nnz 1024, 2^18 outputs; then n = 4096, no packing, nnz 256, 2^16 outputs")
    for l in (8, 16, 24, 32, 37, 40, 48, 56, 64):
        row = []
        for n, kw, nnz, o in ((8192, 64, 1024, 2**18), (8192, 1, 1024, 2**18), (4096, 1, 256, 2**16)):
            for b in (8, 12, 16, l):
                if b > l:
                    row.append("   ")
                    continue
                P = params(l, b, nnz, o, kw, n)
                row.append(f"{P[0]}+{P[1]}" if P else " - ")
            row.append("|")
        print(f"l={l:2d}  b=8,12,16,l: " + " ".join(row))
    print("n = 4096: greatest l for b = 8, 12, 16, 20:", [max([l for l in range(8, 65) if b <= l and params(l, b, 256, 2**16, 1, 4096)], default=None) for b in (8, 12, 16, 20)])
    for isa in ("avx2", "avx512") if FULL else ("avx2",):
        print("--", isa)
        l, b = 37, 15
        if FULL:
            for nm, m, k, N in (("256^3", 256, 256, 256), ("1024x1024x64, the 1024^2 known", 64, 1024, 1024), ("1024x1024x64, the 1024x64 known", 1024, 1024, 64), ("128x768x3072", 128, 768, 3072)):
                show(nm + ", shared side encrypted", matmul(m, k, N, l, b, isa))
                show("   least bytes", matmul(m, k, N, l, b, isa, net=1e6))
                show("   weights encrypted (b = l)", matmul(m, k, N, l, l, isa, side="right"))
                show("   not packed", matmul(m, k, N, l, b, isa, only="unpacked"))
            show("256^3 both full width, one direction", matmul(256, 256, 256, l, l, isa))
            show("256^3, l = 64, b = 16", matmul(256, 256, 256, 64, 16, isa))
            show("256^3, l = b = 64", matmul(256, 256, 256, 64, 64, isa))
            show("12 x (128x64x128) shared x shared", matmul(128, 64, 128, l, l, isa, batch=12, dirs=2))
            show("   tile 64", matmul(128, 64, 128, l, l, isa, batch=12, dirs=2, pow_kw=64, only="packed"))
            show("12 x (128x128x64) shared x shared", matmul(128, 128, 64, l, l, isa, batch=12, dirs=2))
            _, t, r = conv(64, 56, 56, 64, 3, 1, 1, l, b, isa)
            show("conv 56x56x64 to 64, 3x3", (0, t, r))
        for net, lab in ((375e6, "LAN"), (12.5e6, "100 Mbit/s")):
            tot = [0, 0, 0]
            att = [0, 0, 0]
            for m, k, N in ((128, 768, 2304), (128, 768, 768), (128, 768, 3072), (128, 3072, 768)):
                r = matmul(m, k, N, l, b, isa, net=net)[2]
                tot = [tot[0] + r["up"], tot[1] + r["down"], tot[2] + r["s"]]
            for m, k, N in ((128, 64, 128), (128, 128, 64)):
                r = matmul(m, k, N, l, l, isa, batch=12, dirs=2, net=net)[2]
                att = [att[0] + r["up"], att[1] + r["down"], att[2] + r["s"]]
            if isa == "avx2" and lab == "100 Mbit/s":     # what docs/spec/lattice-spec.md states
                assert [round(x / 1e6, 1) for x in (*tot[:2], *att[:2])] == [13.3, 9.7, 14.7, 6.5]
            print(f"BERT block {lab}: linear up {tot[0]/1e6:.1f} down {tot[1]/1e6:.1f} MB, {tot[2]:.1f} core-s; attention up {att[0]/1e6:.1f} down {att[1]/1e6:.1f} MB, {att[2]:.1f} core-s")
    opens = (128 * 768 * 3 + 128 * 3072) * 37 / 8
    aopen = 2 * (3 * 128 * 768 + 12 * 128 * 128) * 37 / 8
    outs = 128 * (2304 + 768 + 3072 + 768) + 12 * 128 * 128 + 128 * 768
    print(f"BERT block online openings: {opens/1e6:.2f} MB to the owner of the weights, {aopen/1e6:.2f} MB for attention; {outs} truncations of 13 bits and a choice bit: {outs*14/8/1e6:.2f} MB; plain MACs {128*768*(2304+768+3072)+128*3072*768:,} + {2*12*128*128*64:,}")
    g, sx = 128 * 3072, 12 * 128 * 128
    print(f"functions: GELU {g} x 309 / 200 B = {g*309/1e6:.0f} / {g*200/1e6:.0f} MB; softmax {sx} x 376 / 250 B = {sx*376/1e6:.0f} / {sx*250/1e6:.0f} MB")
    print("kept transforms of one 768x3072 layer, tile (128,64,1), 4 limbs: %.1f GB; tile (1,..): %.3f GB; compact weights of 15 bits: %.1f MB" % (36864 * 4 * 8192 * 4 / 1e9, 288 * 4 * 8192 * 4 / 1e9, 768 * 3072 * 15 / 8e6))
    print("setup if weights are encrypted (5 limbs), bytes a weight: dense %.1f" % (30 * 5 / 8))
