"""bare: how loops are compiled that allocate nothing, and call only what allocates nothing either.

Numba counts references to arrays, atomically, wherever one is read from a tuple or handed to a function. With
tens of arrays in a tuple that is most of the time of a function that is called for each item. The caller
holds all arrays anyway, so here none are counted.
"""

from __future__ import annotations

from numba import njit

bare = njit(cache=True, nogil=True, _nrt=False)
