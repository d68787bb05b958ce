"""What bounds lookups a second: hashes, correlated OTs or the link; the table of docs/spec/lut-beyond.md, section 5."""
from math import log2
from cost import c
R = 35e6
print('| n | generator | prep bits | RCOT | AES blk/party | AES-only @1.1 Gblk/s | +RCOT @35M/s (core) | LUT/s core | LUT/s 3 Gbit/s | LUT/s 100 Mbit/s |')
print('|---|---|---|---|---|---|---|---|---|---|')
for n in (16, 256, 4096, 65536):
    o = c(n, 64)
    for k in ('ROTL', 'FLUTE+', 'ST2', 'AR', 'D-arith', 'DT-arith', 'D-bool', 'DT-bool'):
        if k not in o:
            continue
        x = o[k]
        a = x['h'] / 1.1e9
        t = a + x['rc'] / R
        print(f"| {n} | {k} | {x['prep']:.0f} | {x['rc']} | {x['h']:.0f} | {a*1e6:.3f} us | {t*1e6:.2f} us | {1/t:,.0f} | {3e9*2/x['prep']:,.0f} | {1e8*2/x['prep']:,.0f} |")
o = c(65536, 64)
x = o['DT-arith']
assert (round(x['prep']), x['rc'], round(x['h'])) == (2942, 34, 1036)      # the page's last row
assert o['ROTL']['h'] > 1000 * o['DT-arith']['h'] and o['FLUTE+']['rc'] > 1000 * o['DT-arith']['rc']
