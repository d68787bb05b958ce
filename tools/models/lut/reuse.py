"""what goes wrong when a one-hot is used for two different indices; and PPRF punctured at non-uniform alpha for n not a power of two"""
from common import *
n = 16
s = rng.randrange(n)
i1, i2 = 3, 11
m1, m2 = (i1 - s) % n, (i2 - s) % n
assert (m2 - m1) % n == i2 - i1
print('reuse leaks difference i2-i1 =', (m2 - m1) % n)
