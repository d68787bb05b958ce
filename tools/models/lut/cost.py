"""cost model: bits (total both directions), RCOT, blocks, time per LUT for compute, LAN, WAN (amortised, big batch, roles balanced)"""
from math import log2, ceil
HR = 2.0e9
RC = 35e6
r = .6


def c(n, l):
    d = int(log2(n))
    o = {}
    def blk(b): return ceil(b / 128)
    o['SP-LUT'] = dict(prep=r * d, on=d + (n - 1) * l, rc=d, h=n * blk(l) + n / 2, onr=2)
    o['OP-LUT'] = dict(prep=r * d + n * n * l, on=2 * d, rc=d, h=n * blk(n * l), onr=1)
    o['ROTL'] = dict(prep=(r + 128) * d + n, on=2 * d + 4 * l + 2, rc=d + 2, h=n + n * blk(n), onr=2)
    o['ROTL*'] = dict(prep=r * (d + 2) + 128 * (d - 1) + n + 2, on=2 * d + 2 * (l - 1), rc=d + 2, h=n + n * blk(n), onr=2)
    o['ROTL-bool'] = dict(prep=r * d + 128 * (d - 1) + n, on=2 * d, rc=d, h=n + n * blk(n), onr=1)
    o['FLUTE+'] = dict(prep=5.2 * (n - d - 1), on=2 * d, rc=2 * (n - d - 1), h=0, onr=1)
    lift = d * (d - 1) / 2
    D = 2 * (n - d - 1)
    o['D-bool'] = dict(prep=D + 2 * r * (d - 1), on=2 * d, rc=2 * (d - 1), h=sum(1.5 * blk(2**j) for j in range(d)), onr=1)
    o['D-arith'] = dict(prep=D + lift + 2 + r * (2 * d + 2), on=2 * d + 2 * (l - 1), rc=2 * d + 2, h=sum(1.5 * blk(2**j) for j in range(d)) + 2 * blk(l), onr=2)
    if d > 7:
        t = 2 * (128 - 8) + 257 * (d - 7) - (d - 7) + 256
        t = 2 * (128 - 7 - 1) + 256 * (d - 7) + 256
        o['DT-bool'] = dict(prep=t + r * 2 * (d - 1), on=2 * d, rc=2 * (d - 1), h=12 + 2 * n / 128, onr=1)
        o['DT-arith'] = dict(prep=t + lift + 2 + r * (2 * d + 2), on=2 * d + 2 * (l - 1), rc=2 * d + 2, h=12 + 2 * n / 128, onr=2)
    o['AR'] = dict(prep=256 * d + lift + 4 * l + r * (2 * d + 2), on=2 * d, rc=2 * d + 2, h=2 * n, onr=1)
    k = 2
    m = 2**ceil(d / 2)
    o['ST2'] = dict(prep=r * (d + 2) + 128 * (d - 2) + 2 * n + 2, on=2 * d + 2 * (l - 1), rc=d + 2, h=2 * m * (1 + blk(n)), onr=2)
    return o


def t(x, bw): return x['rc'] / RC + x['h'] / HR + (x['prep'] + x['on']) / 2 / bw


if __name__ == '__main__':
    for l in (1, 8, 64):
        for n in (16, 64, 256, 1024, 4096, 65536):
            o = c(n, l)
            assert o['SP-LUT']['on'] > o['D-bool']['on'] or l == 1
            print(f'--- n={n} l={l}')
            for k, x in o.items():
                if l == 1 and k in ('ROTL', 'ROTL*', 'D-arith', 'DT-arith', 'AR', 'ST2'):
                    continue
                if k == 'OP-LUT' and n > 256:
                    continue
                print(f"{k:10s} prep {x['prep']:12.1f} on {x['on']:9.1f} total {x['prep']+x['on']:12.1f} rcot {x['rc']:7d} blk {x['h']:11.1f} | cpu {x['rc']/RC*1e6+x['h']/HR*1e6:9.3f}us  LAN tot {t(x,3e9)*1e6:9.3f}us  WAN tot {t(x,1e8)*1e6:10.2f}us | online net LAN {x['on']/2/3e9*1e6:7.3f} WAN {x['on']/2/1e8*1e6:8.2f}")
    # totals that docs/spec/lut-beyond.md 1.2 states, for 256 entries of 64 bits
    total = {k: round(x['prep'] + x['on']) for k, x in c(256, 64).items()}
    assert [total[k] for k in ('SP-LUT', 'ROTL', 'ROTL*', 'FLUTE+', 'D-bool', 'D-arith', 'AR')] == [16333, 1559, 1302, 1300, 518, 677, 2359], total
