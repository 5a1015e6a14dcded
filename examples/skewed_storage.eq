# A 16 x 16 array on 256 memory banks, element (i, j) on bank 16 i + j, is moved to skewed storage:
# column j of row i goes to place j xor i, so that rows and columns can be fetched without conflict.
# Bits 0..3 of the address are j, bits 4..7 are i.
y0 = x0 + x4
y1 = x1 + x5
y2 = x2 + x6
y3 = x3 + x7
y4 = x4
y5 = x5
y6 = x6
y7 = x7
