"""The few machine instructions numba does not reach by itself, each with a plain Python twin.

With NUMBA_DISABLE_JIT=1 the twins are used, so that coverage and debuggers see ordinary Python.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic

LANES = 8  # float32 lanes of one vector; rows are padded to a multiple of it


def _popcount(word):
    return int(word).bit_count()


def _trailing_zeros(word):
    word = int(word)
    return (word & -word).bit_length() - 1 if word else 64


def _max_plus(left, left_row, right, right_row, begin, end):
    sums = left[left_row, begin:end] + right[right_row, begin:end]
    return np.float32(sums.max())


@intrinsic
def _popcount_jit(context, word):
    def codegen(context, builder, signature, args):
        return builder.ctpop(args[0])

    return types.uint64(types.uint64), codegen


@intrinsic
def _trailing_zeros_jit(context, word):
    def codegen(context, builder, signature, args):
        return builder.cttz(args[0], ir.Constant(ir.IntType(1), 0))

    return types.uint64(types.uint64), codegen


@intrinsic
def _max_plus_jit(context, left, left_row, right, right_row, begin, end):
    """max over begin <= j < end of left[left_row, j] + right[right_row, j], eight lanes at a time.

    Both arrays are C-contiguous float32 matrices; begin and end are multiples of LANES.
    """
    if not all(
        isinstance(a, types.Array) and a.dtype == types.float32 and a.ndim == 2 for a in (left, right)
    ):
        return None
    index = types.intp
    signature = types.float32(left, index, right, index, index, index)

    def codegen(context, builder, signature, args):
        lane = ir.FloatType()
        vector = ir.VectorType(lane, LANES)
        position = ir.IntType(64)
        lanes = ir.Constant(position, LANES)
        starts = []
        for array, row, kind in (
            (args[0], args[1], signature.args[0]),
            (args[2], args[3], signature.args[2]),
        ):
            view = cgutils.create_struct_proxy(kind)(context, builder, value=array)
            width = cgutils.unpack_tuple(builder, view.shape)[1]
            starts.append(builder.gep(view.data, [builder.mul(row, width)], source_etype=lane))
        lowest = ir.Constant(vector, [float("-inf")] * LANES)
        before = builder.block
        loop = builder.append_basic_block("max_plus.loop")
        done = builder.append_basic_block("max_plus.done")
        builder.branch(loop)
        builder.position_at_end(loop)
        j = builder.phi(position)
        best = builder.phi(vector)
        j.add_incoming(args[4], before)
        best.add_incoming(lowest, before)
        loaded = []
        for start in starts:
            address = builder.gep(start, [j], source_etype=lane)
            typed = builder.bitcast(address, vector.as_pointer())
            loaded.append(builder.load(typed, align=4, typ=vector))
        total = builder.fadd(*loaded)
        larger = builder.select(builder.fcmp_ordered(">", total, best), total, best)
        following = builder.add(j, lanes)
        j.add_incoming(following, loop)
        best.add_incoming(larger, loop)
        builder.cbranch(builder.icmp_signed("<", following, args[5]), loop, done)
        builder.position_at_end(done)
        half = LANES // 2
        folded = larger
        while half:
            moved = ir.Constant(
                ir.VectorType(ir.IntType(32), LANES), [(x + half) % LANES for x in range(LANES)]
            )
            other = builder.shuffle_vector(folded, ir.Constant(vector, ir.Undefined), moved)
            folded = builder.select(builder.fcmp_ordered(">", folded, other), folded, other)
            half //= 2
        return builder.extract_element(folded, ir.Constant(ir.IntType(32), 0))

    return signature, codegen


popcount = _popcount if config.DISABLE_JIT else _popcount_jit
trailing_zeros = _trailing_zeros if config.DISABLE_JIT else _trailing_zeros_jit
max_plus = _max_plus if config.DISABLE_JIT else _max_plus_jit
