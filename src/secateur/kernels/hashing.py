"""Hashes: MurmurHash3 (x86, 32 bits, seed 0) of keys made of 32-bit words, and a mix of 64-bit keys."""

from __future__ import annotations

import numpy as np
from numba import njit

_C1 = np.uint32(0xCC9E2D51)
_C2 = np.uint32(0x1B873593)
_N = np.uint32(0xE6546B64)
_F1 = np.uint32(0x85EBCA6B)
_F2 = np.uint32(0xC2B2AE35)


@njit(inline="always")
def hash_word(state, word):
    """Take one word of the key into the state (which starts at 0)."""
    word = np.uint32(word * _C1)
    word = np.uint32((word << np.uint32(15)) | (word >> np.uint32(17)))
    state ^= np.uint32(word * _C2)
    state = np.uint32((state << np.uint32(13)) | (state >> np.uint32(19)))
    return np.uint32(state * np.uint32(5) + _N)


@njit(inline="always")
def hash_end(state, words):
    """The hash of a key of so many words."""
    state ^= np.uint32(4) * np.uint32(words)
    state ^= state >> np.uint32(16)
    state = np.uint32(state * _F1)
    state ^= state >> np.uint32(13)
    state = np.uint32(state * _F2)
    return np.uint32(state ^ (state >> np.uint32(16)))


@njit(cache=True, nogil=True)
def murmur3(key):
    """The hash of a whole key, uint32 [words]."""
    state = np.uint32(0)
    for word in key:
        state = hash_word(state, word)
    return hash_end(state, key.shape[0])


MIX = np.uint64(0x9E3779B97F4A7C15)
_HALF = np.uint64(32)


@njit(inline="always")
def mix(state, key):
    """Take a 64-bit key into a 64-bit state."""
    state = (state ^ key) * MIX
    return state ^ (state >> _HALF)
