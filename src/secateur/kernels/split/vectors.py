"""Eight numbers at a time: values that numba keeps in vector registers, float32 or float64.

LLVM turns them into whatever the machine has (AVX, SSE, NEON). Numba's own loop vectoriser leaves a maximum
as it is, one number after the other. Every function has a plain twin on arrays of eight, which
NUMBA_DISABLE_JIT=1 takes; sums that `multiply_add` rounds once, it rounds twice. Arrays are contiguous and of
one dimension, and are not checked for their ends.
"""

from __future__ import annotations

import numpy as np
from llvmlite import ir
from numba import config, types
from numba.core import cgutils
from numba.extending import intrinsic, models, register_model

from .simd import LANES

HALVES = (4, 2, 1)  # how far apart the lanes are that are taken together, step by step


class Vector(types.Type):
    """Numba's type of eight numbers."""

    def __init__(self, lane):
        self.lane = lane
        super().__init__(name=f"Vector({lane})")


@register_model(Vector)
class VectorModel(models.PrimitiveModel):
    def __init__(self, manager, kind):
        lane = ir.FloatType() if kind.lane == types.float32 else ir.DoubleType()
        super().__init__(manager, kind, ir.VectorType(lane, LANES))


def _address(context, builder, kind, array, at):
    """A pointer to eight numbers of an array."""
    lane = context.get_value_type(kind.dtype)
    view = cgutils.create_struct_proxy(kind)(context, builder, value=array)
    address = builder.gep(view.data, [at], source_etype=lane)
    return builder.bitcast(address, ir.VectorType(lane, LANES).as_pointer())


def _is_array(kind):
    return isinstance(kind, types.Array) and kind.ndim == 1 and kind.dtype in (types.float32, types.float64)


def _load(array, at):
    return array[int(at) : int(at) + LANES].copy()


@intrinsic
def _load_jit(context, array, at):
    """array[at], .., array[at + 7]"""
    if not _is_array(array):
        return None

    def codegen(context, builder, signature, args):
        address = _address(context, builder, signature.args[0], *args)
        lane = context.get_value_type(signature.args[0].dtype)
        return builder.load(address, align=lane_bytes(signature.args[0]), typ=ir.VectorType(lane, LANES))

    return Vector(array.dtype)(array, types.intp), codegen


def lane_bytes(kind):
    """Arrays are aligned as their elements are, and no better."""
    return kind.dtype.bitwidth // 8


def _store(array, at, vector):
    array[int(at) : int(at) + LANES] = vector


@intrinsic
def _store_jit(context, array, at, vector):
    """array[at], .., array[at + 7] = vector"""
    if not (_is_array(array) and isinstance(vector, Vector) and vector.lane == array.dtype):
        return None

    def codegen(context, builder, signature, args):
        kind = signature.args[0]
        address = _address(context, builder, kind, args[0], args[1])
        builder.store(args[2], address, align=lane_bytes(kind))
        return context.get_dummy_value()

    return types.void(array, types.intp, vector), codegen


def _spread(value):
    return np.full(LANES, value)


@intrinsic
def _spread_jit(context, value):
    """The same number in all lanes."""
    if value not in (types.float32, types.float64):
        return None

    def codegen(context, builder, signature, args):
        vector = context.get_value_type(signature.return_type)
        first = ir.Constant(ir.IntType(32), 0)
        single = builder.insert_element(ir.Constant(vector, ir.Undefined), args[0], first)
        everywhere = ir.Constant(ir.VectorType(ir.IntType(32), LANES), [0] * LANES)
        return builder.shuffle_vector(single, ir.Constant(vector, ir.Undefined), everywhere)

    return Vector(value)(value), codegen


def _add(a, b):
    return a + b


def _multiply(a, b):
    return a * b


def _larger(a, b):
    return np.where(a > b, a, b)


def _multiply_add(a, b, c):
    return a * b + c


def _pairwise(operation):
    """An intrinsic of two vectors."""

    def typer(context, a, b):
        if not (isinstance(a, Vector) and a == b):
            return None

        def codegen(context, builder, signature, args):
            return operation(builder, *args)

        return a(a, b), codegen

    return intrinsic(typer)


def _larger_of(builder, a, b):
    return builder.select(builder.fcmp_ordered(">", a, b), a, b)


_add_jit = _pairwise(lambda builder, a, b: builder.fadd(a, b))
_multiply_jit = _pairwise(lambda builder, a, b: builder.fmul(a, b))
_larger_jit = _pairwise(_larger_of)


@intrinsic
def _multiply_add_jit(context, a, b, c):
    """a * b + c, in one instruction where there is one."""
    if not (isinstance(a, Vector) and a == b == c):
        return None

    def codegen(context, builder, signature, args):
        product = builder.fmul(args[0], args[1], flags=("contract",))
        return builder.fadd(product, args[2], flags=("contract",))

    return a(a, b, c), codegen


def _folded(operation):
    """An intrinsic that makes one number of a vector, by halves."""

    def typer(context, vector):
        if not isinstance(vector, Vector):
            return None

        def codegen(context, builder, signature, args):
            (folded,) = args
            undefined = ir.Constant(folded.type, ir.Undefined)
            for half in HALVES:
                lanes = [(lane + half) % LANES for lane in range(LANES)]
                moved = ir.Constant(ir.VectorType(ir.IntType(32), LANES), lanes)
                folded = operation(builder, folded, builder.shuffle_vector(folded, undefined, moved))
            return builder.extract_element(folded, ir.Constant(ir.IntType(32), 0))

        return vector.lane(vector), codegen

    return intrinsic(typer)


def _highest(vector):
    return vector.max()


def _total(vector):
    for half in HALVES:
        vector = vector[:half] + vector[half : 2 * half]
    return vector[0]


_highest_jit = _folded(_larger_of)
_total_jit = _folded(lambda builder, a, b: builder.fadd(a, b))


def _two_to(power):
    return float(np.ldexp(1.0, power)) if power >= -1022 else 0.0


@intrinsic
def _two_to_jit(context, power):
    """2^power, up to 1023; 0 below -1022."""

    def codegen(context, builder, signature, args):
        bits = ir.IntType(64)
        biased = builder.add(args[0], ir.Constant(bits, 1023))
        normal = builder.icmp_signed(">", biased, ir.Constant(bits, 0))
        number = builder.bitcast(builder.shl(biased, ir.Constant(bits, 52)), ir.DoubleType())
        return builder.select(normal, number, ir.Constant(ir.DoubleType(), 0.0))

    return types.float64(types.int64), codegen


def _exponent(value):
    return int(np.frexp(value)[1]) - 1


@intrinsic
def _exponent_jit(context, value):
    """The power of two at or below a positive float64 that is not denormal."""
    if value != types.float64:
        return None

    def codegen(context, builder, signature, args):
        bits = ir.IntType(64)
        biased = builder.lshr(builder.bitcast(args[0], bits), ir.Constant(bits, 52))
        return builder.sub(biased, ir.Constant(bits, 1023))

    return types.int64(types.float64), codegen


two_to = _two_to if config.DISABLE_JIT else _two_to_jit
exponent = _exponent if config.DISABLE_JIT else _exponent_jit
load = _load if config.DISABLE_JIT else _load_jit
store = _store if config.DISABLE_JIT else _store_jit
spread = _spread if config.DISABLE_JIT else _spread_jit
add = _add if config.DISABLE_JIT else _add_jit
multiply = _multiply if config.DISABLE_JIT else _multiply_jit
larger = _larger if config.DISABLE_JIT else _larger_jit
multiply_add = _multiply_add if config.DISABLE_JIT else _multiply_add_jit
highest = _highest if config.DISABLE_JIT else _highest_jit
total = _total if config.DISABLE_JIT else _total_jit
